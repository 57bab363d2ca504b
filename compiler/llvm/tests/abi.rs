//! The C convention, against this machine's own: structs by value from Rust and to Rust.

use super::jit;
use crate::machine::Isa;
use crate::source::Span;
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::{Abi, AbiType, BinaryOp, ConvertOp, Element, Function, FunctionId, Linkage, Module, Type, Value};

fn scalar(element: Element, signed: bool) -> AbiType {
    AbiType::Scalar { element, signed }
}

fn structure(leaves: &[(u64, Element)], size: u64, alignment: u64) -> AbiType {
    AbiType::Struct { leaves: leaves.to_vec(), size, alignment }
}

fn leaves(types: &[AbiType]) -> Vec<Type> {
    let leaf = |ty: &AbiType| match ty {
        AbiType::Scalar { element, .. } => vec![Type::scalar(*element)],
        AbiType::Struct { leaves, .. } => leaves.iter().map(|leaf| Type::scalar(leaf.1)).collect(),
    };
    types.iter().flat_map(leaf).collect()
}

fn external(name: &str, parameters: &[AbiType], result: &AbiType) -> Function {
    let results = leaves(std::slice::from_ref(result));
    let mut b = FunctionBuilder::new(name, &leaves(parameters), &results, Span::default());
    b.function_mut().linkage = Linkage::Extern(Abi { parameters: parameters.to_vec(), result: Some(result.clone()) });
    b.unreachable();
    let mut function = b.finish();
    function.blocks.clear();
    function
}

fn exported(
    name: &str,
    parameters: &[AbiType],
    result: &AbiType,
    body: impl FnOnce(&mut FunctionBuilder, &[Value]) -> Vec<Value>,
) -> Function {
    let results = leaves(std::slice::from_ref(result));
    let mut b = FunctionBuilder::new(name, &leaves(parameters), &results, Span::default());
    b.function_mut().linkage = Linkage::Export(Abi { parameters: parameters.to_vec(), result: Some(result.clone()) });
    let values = b.function_parameters().to_vec();
    let values = body(&mut b, &values);
    b.ret(&values);
    b.finish()
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mixed {
    flag: bool,
    small: i16,
    wide: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Large {
    a: i64,
    b: f32,
    c: bool,
    d: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bytes {
    a: u8,
    b: u8,
    c: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    a: i64,
    b: i64,
}

fn vec3() -> AbiType {
    structure(&[(0, Element::F32), (4, Element::F32), (8, Element::F32)], 12, 4)
}

fn mixed() -> AbiType {
    structure(&[(0, Element::Bool), (2, Element::I16), (8, Element::F64)], 16, 8)
}

fn large() -> AbiType {
    structure(&[(0, Element::I64), (8, Element::F32), (12, Element::Bool), (16, Element::F64)], 24, 8)
}

fn bytes() -> AbiType {
    structure(&[(0, Element::I8), (1, Element::I8), (2, Element::I8)], 3, 1)
}

fn pair() -> AbiType {
    structure(&[(0, Element::I64), (8, Element::I64)], 16, 8)
}

extern "C" fn turn_vec3(v: Vec3, by: f32) -> Vec3 {
    Vec3 { x: v.y + by, y: v.z, z: v.x }
}

extern "C" fn turn_mixed(m: Mixed) -> Mixed {
    Mixed { flag: !m.flag, small: m.small - 1, wide: m.wide * 2.0 }
}

extern "C" fn turn_large(before: i8, l: Large, behind: u16) -> Large {
    Large { a: l.a + i64::from(before), b: l.b + f32::from(behind), c: !l.c, d: -l.d }
}

extern "C" fn turn_bytes(b: Bytes) -> Bytes {
    Bytes { a: b.c, b: b.a, c: b.b }
}

/// The last pair finds one integer register left and goes to memory as a whole; the number behind it takes that.
#[allow(clippy::too_many_arguments)]
extern "C" fn crowd(a: i64, first: Pair, b: i64, c: i64, second: Pair, last: i64, x: f64) -> f64 {
    let sum = a + 10 * first.a + 100 * first.b + 1000 * b + 10_000 * c + 100_000 * second.a + 1_000_000 * second.b;
    (sum + 10_000_000 * last) as f64 + x
}

/// Exported functions that pass everything on to external ones, which are those above: both ways are tested.
#[test]
fn structs_travel_as_in_c() {
    let i8_type = scalar(Element::I8, true);
    let u16_type = scalar(Element::I16, false);
    let (i64_type, f64_type, f32_type) = (scalar(Element::I64, true), scalar(Element::F64, false), scalar(Element::F32, false));
    let crowd_types = [i64_type.clone(), pair(), i64_type.clone(), i64_type.clone(), pair(), i64_type, f64_type.clone()];
    let shapes: Vec<(&str, usize, Vec<AbiType>, AbiType)> = vec![
        ("vec3", turn_vec3 as *const () as usize, vec![vec3(), f32_type], vec3()),
        ("mixed", turn_mixed as *const () as usize, vec![mixed()], mixed()),
        ("large", turn_large as *const () as usize, vec![i8_type, large(), u16_type], large()),
        ("bytes", turn_bytes as *const () as usize, vec![bytes()], bytes()),
        ("crowd", crowd as *const () as usize, crowd_types.to_vec(), f64_type),
    ];
    let mut functions = Vec::new();
    for (index, (name, _, parameters, result)) in shapes.iter().enumerate() {
        let results = leaves(std::slice::from_ref(result));
        functions.push(exported(&format!("pass_{name}"), parameters, result, |b, values| {
            b.call(FunctionId((shapes.len() + index) as u32), values, &results)
        }));
    }
    for (name, _, parameters, result) in &shapes {
        functions.push(external(&format!("turn_{name}"), parameters, result));
    }
    let module = Module { functions, globals: vec![], lanes: vec![] };
    let extra: Vec<_> = shapes.iter().map(|(name, address, ..)| (format!("turn_{name}"), *address)).collect();
    for level in [0, 3] {
        let sources = crate::source::SourceMap::default();
        let options = crate::llvm::Options { isa: Isa::host(), level, debug_info: false, sources: &sources };
        let jit = crate::llvm::Jit::with_symbols(&module, &options, &extra).expect("it links");
        let address = |name: &str| jit.address(name).expect("it is exported");
        // SAFETY: each function was exported with the C signature that it is given here.
        unsafe {
            let pass: extern "C" fn(Vec3, f32) -> Vec3 = std::mem::transmute(address("pass_vec3"));
            let v = Vec3 { x: 1.0, y: 2.0, z: 3.0 };
            assert_eq!(pass(v, 0.5), turn_vec3(v, 0.5));
            let pass: extern "C" fn(Mixed) -> Mixed = std::mem::transmute(address("pass_mixed"));
            for flag in [false, true] {
                let m = Mixed { flag, small: -5, wide: 1.25 };
                assert_eq!(pass(m), turn_mixed(m));
            }
            let pass: extern "C" fn(i8, Large, u16) -> Large = std::mem::transmute(address("pass_large"));
            let l = Large { a: 1 << 40, b: 0.5, c: true, d: 9.0 };
            assert_eq!(pass(-128, l, 65535), turn_large(-128, l, 65535));
            let pass: extern "C" fn(Bytes) -> Bytes = std::mem::transmute(address("pass_bytes"));
            let b = Bytes { a: 1, b: 200, c: 255 };
            assert_eq!(pass(b), turn_bytes(b));
            type Crowd = extern "C" fn(i64, Pair, i64, i64, Pair, i64, f64) -> f64;
            let pass: Crowd = std::mem::transmute(address("pass_crowd"));
            let (first, second) = (Pair { a: 2, b: 3 }, Pair { a: 6, b: 7 });
            assert_eq!(pass(1, first, 4, 5, second, 8, 0.5), crowd(1, first, 4, 5, second, 8, 0.5));
        }
    }
}

/// Small integers and `bool`, with and without sign.
#[test]
fn small_scalars_keep_their_values() {
    let cases = [(Element::I8, true), (Element::I8, false), (Element::I16, true), (Element::I16, false)];
    let mut functions = Vec::new();
    for (element, signed) in cases {
        let (small, wide) = (scalar(element, signed), scalar(Element::I64, true));
        let extend = if signed { ConvertOp::SExt } else { ConvertOp::ZExt };
        let name = format!("widen_{}_{signed}", element.name());
        functions.push(exported(&name, &[small.clone(), small.clone()], &wide, |b, v| {
            let sum = b.binary(BinaryOp::Add, v[0], v[1]);
            vec![b.convert(extend, sum, Element::I64)]
        }));
        let name = format!("narrow_{}_{signed}", element.name());
        functions.push(exported(&name, &[wide], &small, |b, v| vec![b.convert(ConvertOp::Trunc, v[0], element)]));
    }
    let bool_type = scalar(Element::Bool, false);
    functions.push(exported("not", std::slice::from_ref(&bool_type), &bool_type, |b, v| vec![b.not(v[0])]));
    let module = Module { functions, globals: vec![], lanes: vec![] };
    for level in [0, 3] {
        let jit = jit(&module, Isa::Sse2, level);
        let address = |name: &str| jit.address(name).expect("it is exported");
        // SAFETY: each function was exported with the C signature that it is given here.
        unsafe {
            let widen: extern "C" fn(i8, i8) -> i64 = std::mem::transmute(address("widen_i8_true"));
            assert_eq!(widen(-100, -100), 56);
            let widen: extern "C" fn(u8, u8) -> i64 = std::mem::transmute(address("widen_i8_false"));
            assert_eq!(widen(200, 50), 250);
            let widen: extern "C" fn(i16, i16) -> i64 = std::mem::transmute(address("widen_i16_true"));
            assert_eq!(widen(-3, 1), -2);
            let widen: extern "C" fn(u16, u16) -> i64 = std::mem::transmute(address("widen_i16_false"));
            assert_eq!(widen(65535, 65535), 65534);
            let narrow: extern "C" fn(i64) -> i8 = std::mem::transmute(address("narrow_i8_true"));
            assert_eq!(narrow(0x1ff), -1);
            let narrow: extern "C" fn(i64) -> u16 = std::mem::transmute(address("narrow_i16_false"));
            assert_eq!(narrow(-1), 65535);
            let not: extern "C" fn(bool) -> bool = std::mem::transmute(address("not"));
            assert_eq!((not(true), not(false)), (false, true));
        }
    }
}
