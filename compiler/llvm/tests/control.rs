//! Control flow, calls, and several modules at a time.

use super::{Cases, exported, jit};
use crate::machine::Isa;
use crate::source::Span;
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::{
    Abi, AbiType, BinaryOp, Block, BlockData, CompareOp, Element, Function, FunctionId, Linkage, Module, Target, Terminator,
    Type, ValueDef,
};

const I32: Type = Type { element: Element::I32, length: 1 };
const I64: Type = Type { element: Element::I64, length: 1 };

fn int_to_int(name: &str, body: impl FnOnce(&mut FunctionBuilder)) -> Function {
    let int = AbiType::Scalar { element: Element::I64, signed: true };
    let mut b = FunctionBuilder::new(name, &[I64], &[I64], Span::default());
    b.function_mut().linkage = Linkage::Export(Abi { parameters: vec![int.clone()], result: Some(int) });
    body(&mut b);
    b.finish()
}

/// Recursion through an exported function, and results through block parameters.
#[test]
fn fibonacci() {
    let function = int_to_int("fibonacci", |b| {
        let n = b.function_parameters()[0];
        let (two, one) = (b.int(I64, 2), b.int(I64, 1));
        let small = b.compare(CompareOp::SLt, n, two);
        let (base, step) = (b.create_block(), b.create_block());
        b.branch(small, base, &[], step, &[]);
        b.seal(base);
        b.seal(step);
        b.position(base);
        b.ret(&[n]);
        b.position(step);
        let (a, c) = (b.binary(BinaryOp::Sub, n, one), b.binary(BinaryOp::Sub, n, two));
        let (a, c) = (b.call(FunctionId(0), &[a], &[I64])[0], b.call(FunctionId(0), &[c], &[I64])[0]);
        let sum = b.binary(BinaryOp::Add, a, c);
        b.ret(&[sum]);
    });
    let module = Module { functions: vec![function], globals: vec![], lanes: vec![] };
    for level in 0..=3 {
        let jit = jit(&module, Isa::Sse2, level);
        let fibonacci: extern "C" fn(i64) -> i64 =
            // SAFETY: the function was exported with this C signature.
            unsafe { std::mem::transmute(jit.address("fibonacci").expect("it is exported")) };
        assert_eq!(fibonacci(20), 6765);
    }
}

/// A branch both of whose edges lead to one block, with different arguments.
#[test]
fn two_edges_to_one_block() {
    let mut function = int_to_int("pick", |b| {
        let n = b.function_parameters()[0];
        let (ten, twenty, zero) = (b.int(I64, 10), b.int(I64, 20), b.int(I64, 0));
        let positive = b.compare(CompareOp::SGt, n, zero);
        let chosen = b.select(positive, ten, twenty);
        b.ret(&[chosen]);
    });
    // By hand, since the builder makes a selection of such a thing: branch c, block1(n), block1(zero).
    let Some(condition) = function.values.iter().position(|value| value.ty == Type::scalar(Element::Bool)) else {
        panic!("there is a condition")
    };
    let condition = crate::vector::ir::Value(condition as u32);
    let parameter = crate::vector::ir::Value(function.values.len() as u32);
    function.values.push(crate::vector::ir::ValueData { ty: I64, def: ValueDef::Parameter(Block(1), 0) });
    let n = function.blocks[0].parameters[0];
    let zero = function.insts[function.blocks[0].insts[0].0 as usize].results[0];
    let edge = |value| Target { block: Block(1), arguments: vec![value] };
    function.blocks[0].terminator = Terminator::Branch { condition, then: edge(n), otherwise: edge(zero) };
    function.blocks.push(BlockData {
        parameters: vec![parameter],
        insts: vec![],
        terminator: Terminator::Return(vec![parameter]),
    });
    let first = match &function.insts[function.blocks[0].insts[0].0 as usize].op {
        crate::vector::ir::Op::Const(bits) => bits[0],
        other => panic!("constants come first, not {other:?}"),
    };
    let jit = jit(&Module { functions: vec![function], globals: vec![], lanes: vec![] }, Isa::Sse2, 0);
    // SAFETY: the function was exported with this C signature.
    let pick: extern "C" fn(i64) -> i64 = unsafe { std::mem::transmute(jit.address("pick").expect("it is exported")) };
    assert_eq!((pick(5), pick(-5)), (5, first as i64));
}

/// A check that holds goes on; `assume` and endless loops that are never entered do no harm.
#[test]
fn loops_that_never_end_may_be_written() {
    let function = int_to_int("odd", |b| {
        let n = b.function_parameters()[0];
        let (one, zero) = (b.int(I64, 1), b.int(I64, 0));
        let low = b.binary(BinaryOp::And, n, one);
        let even = b.compare(CompareOp::Eq, low, zero);
        let (forever, done) = (b.create_block(), b.create_block());
        b.branch(even, forever, &[], done, &[]);
        b.position(forever);
        b.jump(forever, &[]);
        b.seal(forever);
        b.seal(done);
        b.position(done);
        b.ret(&[n]);
    });
    let jit = jit(&Module { functions: vec![function], globals: vec![], lanes: vec![] }, Isa::Sse2, 3);
    // SAFETY: the function was exported with this C signature.
    let odd: extern "C" fn(i64) -> i64 = unsafe { std::mem::transmute(jit.address("odd").expect("it is exported")) };
    assert_eq!(odd(7), 7);
}

/// A function of the program that is called like one of the C library is not that one: `a % b` calls C's `fmodf`.
#[test]
fn names_of_the_c_library_are_free() {
    let ty = Type::scalar(Element::F32);
    let mut callee = FunctionBuilder::new("fmodf", &[ty, ty], &[ty], Span::default());
    callee.function_mut().linkage = Linkage::Internal;
    let [a, c] = callee.function_parameters()[..] else { panic!("two parameters") };
    let remainder = callee.binary(BinaryOp::FRem, a, c);
    let negative = callee.unary(crate::vector::ir::UnaryOp::FNeg, remainder);
    callee.ret(&[negative]);
    let mut cases = Cases::default();
    let bits = |value: f32| vec![u64::from(value.to_bits())];
    cases.add("fmodf", &[(ty, bits(7.5)), (ty, bits(2.0))], (ty, bits(-1.5)), |b, v| {
        b.call(FunctionId(1), &[v[0], v[1]], &[ty])[0]
    });
    cases.others.push(callee.finish());
    cases.run_at(&[0, 3]);
}

/// Vectors of all lengths through calls, more of them than there are registers.
#[test]
fn many_vectors_as_arguments_and_results() {
    for (element, length) in [(Element::F32, 64), (Element::F64, 64), (Element::I8, 2), (Element::I64, 32), (Element::Ptr, 64)] {
        let ty = Type::new(element, length);
        let types = [ty; 5];
        let mut callee = FunctionBuilder::new("rotate", &types, &types, Span::default());
        callee.function_mut().linkage = Linkage::Internal;
        let mut values = callee.function_parameters().to_vec();
        values.rotate_left(2);
        callee.ret(&values);
        let mut cases = Cases::default();
        let bytes = usize::from(length) * element.size() as usize;
        let input: Vec<u8> = (0..5 * bytes).map(|k| (k * 7) as u8).collect();
        let mut expected = input.clone();
        expected.rotate_left(4 * bytes % (5 * bytes));
        cases.add_raw(format!("rotate {ty:?}"), input, expected, None, |b, from, to| {
            let load = |b: &mut FunctionBuilder, k: usize| {
                let place = b.ptr_offset(from, (k * bytes) as i64);
                b.load(ty, place, None)
            };
            let values: Vec<_> = (0..5).map(|k| load(b, k)).collect();
            let once = b.call(FunctionId(1), &values, &types);
            let twice = b.call(FunctionId(1), &once, &types);
            for (k, value) in twice.into_iter().enumerate() {
                let place = b.ptr_offset(to, (k * bytes) as i64);
                b.store(place, value, None);
            }
        });
        cases.others.push(callee.finish());
        cases.run_at(&[0, 3]);
    }
}

#[test]
fn several_jits_at_a_time_and_on_threads() {
    let module = |value: i64| {
        let function = exported("write", 1, |b, p| {
            let value = b.int(I32, value);
            b.store(p[0], value, None);
        });
        Module { functions: vec![function], globals: vec![], lanes: vec![] }
    };
    let run = |jit: &crate::llvm::Jit| {
        // SAFETY: the function was exported with this C signature.
        let write: extern "C" fn(*mut i32) = unsafe { std::mem::transmute(jit.address("write").expect("it is exported")) };
        let mut found = 0;
        write(&mut found);
        found
    };
    let jits: Vec<_> = (0..4).map(|k| jit(&module(k), Isa::host(), 2)).collect();
    assert_eq!(jits.iter().map(run).collect::<Vec<_>>(), [0, 1, 2, 3]);
    std::thread::scope(|scope| {
        for k in 10..13 {
            scope.spawn(move || {
                for _ in 0..3 {
                    assert_eq!(i64::from(run(&jit(&module(k), Isa::host(), 3))), k);
                }
            });
        }
    });
    assert!(jits[0].address("nothing").is_none(), "no such function");
}

/// What nobody defines is an error, not a crash.
#[test]
fn an_undefined_symbol_is_reported() {
    let mut b = FunctionBuilder::new("no_such_function_anywhere", &[], &[], Span::default());
    b.function_mut().linkage = Linkage::Extern(Abi { parameters: vec![], result: None });
    let mut external = b.finish();
    external.blocks.clear();
    let function = exported("caller", 0, |b, _| {
        b.call(FunctionId(1), &[], &[]);
    });
    let module = Module { functions: vec![function, external], globals: vec![], lanes: vec![] };
    let sources = crate::source::SourceMap::default();
    let options = crate::llvm::Options { isa: Isa::Sse2, level: 3, debug_info: false, sources: &sources };
    let error = crate::llvm::Jit::new(&module, &options).err().expect("nobody defines it");
    assert!(error.contains("no_such_function_anywhere"), "{error}");
    let object = crate::llvm::compile(&module, &options, crate::llvm::Output::Object).expect("it compiles");
    assert_eq!(object[..4], *b"\x7fELF");
}
