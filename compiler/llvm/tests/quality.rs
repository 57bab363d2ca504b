//! What matters in the code: instructions that must be there, and those that must not.

use super::{Cases, LENGTHS, exported};
use crate::llvm::{Options, Output, compile};
use crate::machine::Isa;
use crate::source::SourceMap;
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::{BinaryOp, CompareOp, ConvertOp, Element, Function, Module, Type, Value};

const I32: Type = Type { element: Element::I32, length: 1 };

/// The instructions of one function at -O3, without directives.
fn assembly(function: Function, isa: Isa) -> String {
    let sources = SourceMap::default();
    let options = Options { isa, level: 3, debug_info: false, sources: &sources };
    let module = Module { functions: vec![function], globals: vec![], lanes: vec![] };
    let text =
        String::from_utf8(compile(&super::legalized(&module, options.isa), &options, Output::Assembly).expect("it compiles"))
            .expect("assembly is text");
    let is_code = |line: &&str| !line.trim_start().starts_with('.') || line.starts_with(".LBB");
    text.lines().filter(is_code).collect::<Vec<_>>().join("\n")
}

/// A function that loads its operands from one pointer and stores a value through the other.
fn stored(types: &[Type], body: impl FnOnce(&mut FunctionBuilder, &[Value]) -> Value) -> Function {
    exported("function", 2, |b, p| {
        let mut values = Vec::new();
        for (k, &ty) in (0..).zip(types) {
            let place = b.ptr_offset(p[0], k * 512);
            values.push(b.load(ty, place, None));
        }
        let value = body(b, &values);
        b.store(p[1], value, None);
    })
}

/// The text between the label that a backward jump goes to and that jump: the innermost loop.
fn innermost_loop(assembly: &str) -> Vec<&str> {
    let lines: Vec<&str> = assembly.lines().collect();
    let mut best: Option<Vec<&str>> = None;
    for (end, line) in lines.iter().enumerate() {
        let Some(label) = line.trim().strip_prefix('j').and_then(|jump| jump.split_whitespace().nth(1)) else { continue };
        let target = format!("{label}:");
        if let Some(start) = lines[..end].iter().position(|line| line.starts_with(&target)) {
            let body: Vec<&str> = lines[start..=end].iter().copied().filter(|line| line.starts_with('\t')).collect();
            if best.as_ref().is_none_or(|best| body.len() < best.len()) {
                best = Some(body);
            }
        }
    }
    best.expect("there is a loop")
}

/// The Mandelbrot iteration: z ← z² + c for all lanes with |z|² ≤ 4, at most 50 times; how often for each lane.
fn mandelbrot(b: &mut FunctionBuilder, re: Value, im: Value) -> Value {
    let ty = b.ty(re);
    let counts = ty.with_element(if ty.element == Element::F32 { Element::I32 } else { Element::I64 });
    let [x, y] = [b.declare_variable(ty), b.declare_variable(ty)];
    let count = b.declare_variable(counts);
    let (active, round) = (b.declare_variable(ty.mask()), b.declare_variable(I32));
    let (all, zero, first) = (b.bool(ty.length, true), b.zero(counts), b.zero(I32));
    for (variable, value) in [(x, re), (y, im), (count, zero), (active, all), (round, first)] {
        b.define(variable, value);
    }
    let (head, body, after) = (b.create_block(), b.create_block(), b.create_block());
    b.jump(head, &[]);
    b.position(head);
    let (zx, zy) = (b.use_variable(x), b.use_variable(y));
    let (xx, yy) = (b.binary(BinaryOp::FMul, zx, zx), b.binary(BinaryOp::FMul, zy, zy));
    let norm = b.binary(BinaryOp::FAdd, xx, yy);
    let four = b.float(ty, 4.0);
    let inside = b.compare(CompareOp::FLe, norm, four);
    let mask = b.use_variable(active);
    let mask = b.and(mask, inside);
    b.define(active, mask);
    let (number, most) = (b.use_variable(round), b.int(I32, 50));
    let more = b.compare(CompareOp::SLt, number, most);
    let any = b.any(mask);
    let go = b.and(any, more);
    b.branch(go, body, &[], after, &[]);
    b.seal(body);
    b.position(body);
    let (two, one, next) = (b.float(ty, 2.0), b.int(counts, 1), b.int(I32, 1));
    let difference = b.binary(BinaryOp::FSub, xx, yy);
    let new_x = b.binary(BinaryOp::FAdd, difference, re);
    let product = b.binary(BinaryOp::FMul, zx, zy);
    let product = b.binary(BinaryOp::FMul, product, two);
    let new_y = b.binary(BinaryOp::FAdd, product, im);
    let (new_x, new_y) = (b.select(mask, new_x, zx), b.select(mask, new_y, zy));
    b.define(x, new_x);
    b.define(y, new_y);
    let old = b.use_variable(count);
    let new = b.binary(BinaryOp::Add, old, one);
    let new = b.select(mask, new, old);
    b.define(count, new);
    let number = b.binary(BinaryOp::Add, number, next);
    b.define(round, number);
    b.jump(head, &[]);
    b.seal(head);
    b.seal(after);
    b.position(after);
    b.use_variable(count)
}

#[test]
fn masks_that_loops_carry_are_not_converted_in_each_round() {
    for (element, lengths) in [(Element::F32, [4, 8, 16]), (Element::F64, [2, 4, 8])] {
        for length in lengths {
            let ty = Type::new(element, length);
            for isa in [Isa::Sse2, Isa::Sse4, Isa::Avx2, Isa::Avx512] {
                let text = assembly(stored(&[ty, ty], |b, v| mandelbrot(b, v[0], v[1])), isa);
                let round = innermost_loop(&text).join("\n");
                for narrowing in ["pmovsx", "pmovzx", "pslld", "psllw", "psllq"] {
                    assert!(!round.contains(narrowing), "{ty:?} on {isa} has {narrowing} in\n{round}");
                }
                // Packs may gather the lanes of several registers for one test of all of them.
                let registers = u32::from(length) * element.size() as u32 / u32::from(isa.register_bytes());
                let packs = round.matches("pack").count() as u32;
                assert!(packs <= if registers > 1 { registers } else { 0 }, "{ty:?} on {isa} has {packs} packs in\n{round}");
            }
        }
    }
}

#[test]
fn mandelbrot_counts_are_right() {
    let mut cases = Cases::default();
    for length in LENGTHS {
        let ty = Type::new(Element::F32, length);
        let value = |k: u32, scale: f32, start: f32| start + scale * (k * 37 % 64) as f32 / 64.0;
        let re: Vec<f32> = (0..length.into()).map(|k| value(k, 2.5, -2.0)).collect();
        let im: Vec<f32> = (0..length.into()).map(|k| value(k + 11, 2.0, -1.0)).collect();
        let count = |(&re, &im): (&f32, &f32)| {
            let (mut x, mut y, mut count) = (re, im, 0);
            while x * x + y * y <= 4.0 && count < 50 {
                (x, y) = (x * x - y * y + re, x * y * 2.0 + im);
                count += 1;
            }
            count
        };
        let expected = re.iter().zip(&im).map(count).collect();
        let bits = |values: &[f32]| values.iter().map(|value| u64::from(value.to_bits())).collect();
        let inputs = [(ty, bits(&re)), (ty, bits(&im))];
        cases.add(format!("mandelbrot {length}"), &inputs, (ty.with_element(Element::I32), expected), |b, v| {
            mandelbrot(b, v[0], v[1])
        });
    }
    cases.run_at(&[0, 1, 2, 3]);
}

#[test]
fn line_tables_name_files_and_lines() {
    use crate::source::Span;
    let mut sources = SourceMap::default();
    let file = sources.add("shapes.ivl", None, "void f() {\n    area();\n}\n");
    let other = sources.add("library.ivl", None, "\n\n\nint area();\n");
    let function = exported("function", 2, |b, p| {
        b.set_span(Span::new(file, 15, 19));
        let value = b.load(I32, p[0], None);
        b.set_span(Span::new(other, 3, 4));
        let product = b.binary(BinaryOp::Mul, value, value);
        b.store(p[1], product, None);
    });
    let module = Module { functions: vec![function], globals: vec![], lanes: vec![] };
    for level in [0, 3] {
        let options = Options { isa: Isa::Sse2, level, debug_info: true, sources: &sources };
        let text =
            String::from_utf8(compile(&super::legalized(&module, options.isa), &options, Output::Assembly).expect("it compiles"))
                .expect("text");
        assert!(text.contains(".loc\t1 2 5"), "{text}");
        assert!(text.contains(".loc\t2 4 1"), "{text}");
        assert!(text.contains("shapes.ivl") && text.contains(".debug_line"), "{text}");
        crate::llvm::Jit::new(&module, &options).expect("it links");
    }
}

/// Functions, the instructions that they must have, and those that they must not have.
#[test]
fn operations_become_instructions() {
    let (f32x4, f32x8, f32x16) = (Type::new(Element::F32, 4), Type::new(Element::F32, 8), Type::new(Element::F32, 16));
    let (i32x8, i8x16, ptr) = (Type::new(Element::I32, 8), Type::new(Element::I8, 16), Type::scalar(Element::Ptr));
    let negative = |b: &mut FunctionBuilder, v: Value| {
        let zero = b.zero(b.ty(v));
        b.compare(CompareOp::SLt, v, zero)
    };
    let check = |isa: Isa, function: Function, present: &[&str], absent: &[&str]| {
        let text = assembly(function, isa);
        present.iter().for_each(|&word| assert!(text.contains(word), "no {word} on {isa} in\n{text}"));
        absent.iter().for_each(|&word| assert!(!text.contains(word), "{word} on {isa} in\n{text}"));
    };
    let minimum = || stored(&[f32x8; 2], |b, v| b.binary(BinaryOp::FMin, v[0], v[1]));
    check(Isa::Sse2, minimum(), &["minps"], &["cmp"]);
    check(Isa::Avx512, minimum(), &["vminps"], &["cmp"]);
    let divide = || stored(&[i32x8; 2], |b, v| b.binary(BinaryOp::SDiv, v[0], v[1]));
    check(Isa::Sse2, divide(), &["divpd"], &["idiv"]);
    check(Isa::Avx2, divide(), &["vdivpd"], &["idiv", "call"]);
    let to_int = || stored(&[f32x8], |b, v| b.convert(ConvertOp::FToS, v[0], Element::I32));
    check(Isa::Sse2, to_int(), &["cvttps2dq"], &["cvttss2si"]);
    check(Isa::Avx512, to_int(), &["vcvttps2dq"], &["cvttss2si"]);
    let to_byte = || stored(&[f32x16], |b, v| b.convert(ConvertOp::FToU, v[0], Element::I8));
    check(Isa::Avx2, to_byte(), &["vpackuswb"], &["cvttss2si"]);
    let floor = || stored(&[f32x8], |b, v| b.unary(crate::vector::ir::UnaryOp::Floor, v[0]));
    check(Isa::Sse2, floor(), &[], &["call"]);
    check(Isa::Avx2, floor(), &["vroundps"], &[]);
    let permute = || stored(&[f32x8, i32x8], |b, v| b.permute(v[0], v[1]));
    check(Isa::Sse4, permute(), &["pshufb"], &[]);
    check(Isa::Avx2, permute(), &["vpermps"], &["rsp"]);
    check(Isa::Avx512, stored(&[i8x16; 2], |b, v| b.permute(v[0], v[1])), &["vpshufb"], &["rsp"]);
    let masked = |ty: Type| {
        stored(&[ty.with_element(Element::I32), ptr], move |b, v| {
            let mask = negative(b, v[0]);
            b.load(ty, v[1], Some(mask))
        })
    };
    check(Isa::Avx2, masked(f32x8), &["vmaskmovps"], &["cmov", "movmsk"]);
    check(Isa::Avx512, masked(f32x16), &["{%k1} {z}"], &[]);
    check(Isa::Sse2, masked(f32x4), &["movmskps", "l\t$15"], &[]);
    let gather = || {
        stored(&[i32x8, ptr], |b, v| {
            let pointers = b.ptr_index(v[1], v[0], 4, 8);
            let mask = negative(b, v[0]);
            b.gather(Element::F32, pointers, Some(mask), None)
        })
    };
    check(Isa::Avx2, gather(), &["vgatherdps", ",4)"], &["vpmovsx"]);
    check(Isa::Avx512, gather(), &["vgatherdps", ",4)"], &["vpmovsx"]);
    let pack = || {
        stored(&[i32x8, ptr, f32x8], |b, v| {
            let mask = negative(b, v[0]);
            b.packed_store(v[1], v[2], Some(mask))
        })
    };
    // A store under a mask is many operations in some processors.
    check(Isa::Avx2, pack(), &["vperm", "cmov"], &["vpmaskmov", "vmaskmov"]);
    check(Isa::Avx512, pack(), &["vpcompressd"], &[]);
    let fused = || {
        let mut function = stored(&[f32x8; 3], |b, v| {
            let product = b.binary(BinaryOp::FMul, v[0], v[1]);
            b.binary(BinaryOp::FAdd, product, v[2])
        });
        function.fp = crate::vector::ir::FpMode::Contract;
        function
    };
    check(Isa::Avx2, fused(), &["vfmadd"], &["vmulps"]);
    let strict = stored(&[f32x8; 3], |b, v| {
        let product = b.binary(BinaryOp::FMul, v[0], v[1]);
        b.binary(BinaryOp::FAdd, product, v[2])
    });
    check(Isa::Avx2, strict, &["vmulps"], &["vfmadd"]);
    let wide = stored(&[f32x16; 2], |b, v| b.binary(BinaryOp::FAdd, v[0], v[1]));
    check(Isa::Avx512, wide, &["zmm"], &["ymm"]);
}

/// The members of records share the registers that they are picked from.
#[test]
fn members_of_records_are_loaded_once() {
    use crate::vector::ir::{Object, Op};
    let ty = Type::new(Element::F32, 8);
    let mut function = exported("function", 2, |b, p| {
        let mut sum = b.zero(ty);
        for member in 0..3 {
            let place = b.ptr_offset(p[0], member * 4);
            let value = b.load(ty, place, None);
            sum = b.binary(BinaryOp::FAdd, sum, value);
        }
        b.store(p[1], sum, None);
    });
    let mut offset = 0;
    for inst in &mut function.insts {
        if let Op::Load { pointer, mask } = inst.op {
            let object = Some(Object { offset, size: 12 });
            inst.op = Op::StridedLoad { pointer, stride: 12, mask, object };
            offset += 4;
        }
    }
    assert_eq!(offset, 12, "there are three members");
    let text = assembly(function, Isa::Avx2);
    let loads = text.matches("(%rdi)").count();
    assert!((3..=6).contains(&loads), "{loads} loads in\n{text}");
    assert!(!text.contains("gather"), "{text}");
}
