//! Operations against scalar arithmetic in Rust, on every instruction set that this machine runs.
//!
//! A [`Case`] is a function of two pointers, to inputs and to the place for results; the cases of a file are compiled
//! as one module for each instruction set and level, run, and compared byte by byte.

mod abi;
mod arithmetic;
mod control;
mod convert;
mod guarded;
mod masks;
mod memory;
mod products;
mod quality;
mod runtime;
mod shuffles;

use super::{Jit, Options};
use crate::machine::Isa;
use crate::source::{SourceMap, Span};
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::{Abi, AbiType, Element, FpMode, Function, Linkage, Module, Type, Value};
use ivl_random::Random;

/// All lengths.
pub(super) const LENGTHS: [u8; 7] = [1, 2, 4, 8, 16, 32, 64];

/// A function, what it reads, and what it must write.
pub(super) struct Case {
    pub name: String,
    pub function: Function,
    pub input: Vec<u8>,
    pub expected: Vec<u8>,
    /// How to compare: floats of this size have many bit patterns that mean NaN.
    pub float: Option<Element>,
}

/// Builds the cases of a module; they get names of their own.
#[derive(Default)]
pub(super) struct Cases {
    pub all: Vec<Case>,
    /// What they call; the first of them has the id behind the last case.
    pub others: Vec<Function>,
}

/// Lanes by their bits.
pub(super) type Lanes = Vec<u64>;

/// The bytes of lanes in memory.
pub(super) fn to_bytes(element: Element, lanes: &[u64]) -> Vec<u8> {
    lanes.iter().flat_map(|lane| lane.to_le_bytes()[..element.size() as usize].to_vec()).collect()
}

impl Cases {
    /// A function from vectors to one vector.
    pub fn add(
        &mut self,
        name: impl std::fmt::Display,
        inputs: &[(Type, Lanes)],
        expected: (Type, Lanes),
        body: impl FnOnce(&mut FunctionBuilder, &[Value]) -> Value,
    ) {
        self.add_with_mode(name, FpMode::Strict, inputs, expected, body);
    }

    pub fn add_with_mode(
        &mut self,
        name: impl std::fmt::Display,
        fp: FpMode,
        inputs: &[(Type, Lanes)],
        expected: (Type, Lanes),
        body: impl FnOnce(&mut FunctionBuilder, &[Value]) -> Value,
    ) {
        let mut bytes = Vec::new();
        let mut places = Vec::new();
        for (ty, lanes) in inputs {
            assert_eq!(lanes.len(), usize::from(ty.length), "{name}: an input for each lane");
            places.push((*ty, bytes.len() as i64));
            bytes.extend(to_bytes(ty.element, lanes));
        }
        let (result, lanes) = expected;
        assert_eq!(lanes.len(), usize::from(result.length), "{name}: a result for each lane");
        let expected = to_bytes(result.element, &lanes);
        let float = result.element.is_float().then_some(result.element);
        self.add_raw(name, bytes, expected, float, |b, from, to| {
            b.function_mut().fp = fp;
            let load = |b: &mut FunctionBuilder, (ty, offset): (Type, i64)| {
                let place = b.ptr_offset(from, offset);
                b.load(ty, place, None)
            };
            let values: Vec<_> = places.into_iter().map(|place| load(b, place)).collect();
            let value = body(b, &values);
            assert_eq!(b.ty(value), result, "the result is of the expected type");
            b.store(to, value, None);
        });
    }

    /// A function from bytes to bytes.
    pub fn add_raw(
        &mut self,
        name: impl std::fmt::Display,
        input: Vec<u8>,
        expected: Vec<u8>,
        float: Option<Element>,
        body: impl FnOnce(&mut FunctionBuilder, Value, Value),
    ) {
        let symbol = format!("case{}", self.all.len());
        let function = exported(&symbol, 2, |b, parameters| body(b, parameters[0], parameters[1]));
        self.all.push(Case { name: name.to_string(), function, input, expected, float });
    }

    /// Runs all cases on every instruction set at the highest level.
    pub fn run(&self) {
        self.run_at(&[3]);
    }

    /// Runs all cases on every instruction set.
    pub fn run_at(&self, levels: &[u8]) {
        self.run_on(&Isa::ALL, levels);
    }

    /// Runs all cases on those of `sets` that this machine has.
    pub fn run_on(&self, sets: &[Isa], levels: &[u8]) {
        let functions = self.all.iter().map(|case| &case.function).chain(&self.others).cloned().collect();
        let module = Module { functions, globals: vec![], lanes: vec![] };
        for &isa in sets.iter().filter(|isa| isa.runs_here()) {
            for &level in levels {
                let jit = jit(&module, isa, level);
                for case in &self.all {
                    let found = run(&jit, &case.function.name, &case.input, case.expected.len());
                    let same = match case.float {
                        None => found == case.expected,
                        Some(element) => same_floats(element, &found, &case.expected),
                    };
                    let (input, expected) = (&case.input, &case.expected);
                    assert!(
                        same,
                        "{} on {isa} at -O{level}\n   input {input:02x?}\n   found {found:02x?}\nexpected {expected:02x?}",
                        case.name
                    );
                }
            }
        }
    }
}

/// A module as the stage in front makes it.
pub(super) fn legalized(module: &Module, isa: Isa) -> Module {
    let mut module = module.clone();
    crate::legalize::legalize(&mut module, isa.machine());
    module
}

/// Compiles a module for an instruction set.
pub(super) fn jit(module: &Module, isa: Isa, level: u8) -> Jit {
    let sources = SourceMap::default();
    let options = Options { isa, level, debug_info: false, sources: &sources };
    Jit::new(&legalized(module, isa), &options).expect("the module compiles and links")
}

/// Calls a function of two pointers. The result lies behind bytes that must stay as they are.
fn run(jit: &Jit, symbol: &str, input: &[u8], size: usize) -> Vec<u8> {
    const MARGIN: usize = 64;
    let address = jit.address(symbol).expect("the function is exported");
    // SAFETY: cases are exported with this C signature.
    let function: extern "C" fn(*const u8, *mut u8) = unsafe { std::mem::transmute(address) };
    let mut output = vec![0xA5; size + 2 * MARGIN];
    // SAFETY: the output has a margin in front and behind.
    function(input.as_ptr(), unsafe { output.as_mut_ptr().add(MARGIN) });
    let margins = output[..MARGIN].iter().chain(&output[MARGIN + size..]);
    assert!(margins.into_iter().all(|&byte| byte == 0xA5), "{symbol} writes beside its result");
    output[MARGIN..MARGIN + size].to_vec()
}

/// The same bits, or both not a number.
fn same_floats(element: Element, found: &[u8], expected: &[u8]) -> bool {
    let is_nan = |bytes: &[u8]| match element {
        Element::F32 => f32::from_le_bytes(bytes.try_into().expect("four bytes")).is_nan(),
        _ => f64::from_le_bytes(bytes.try_into().expect("eight bytes")).is_nan(),
    };
    let size = element.size() as usize;
    found.chunks(size).zip(expected.chunks(size)).all(|(a, b)| a == b || (is_nan(a) && is_nan(b)))
}

/// An exported function of `pointers` pointers without a result.
pub(super) fn exported(name: &str, pointers: usize, body: impl FnOnce(&mut FunctionBuilder, &[Value])) -> Function {
    let pointer = AbiType::Scalar { element: Element::Ptr, signed: false };
    let abi = Abi { parameters: vec![pointer; pointers], result: None };
    let parameters = vec![Type::scalar(Element::Ptr); pointers];
    let mut builder = FunctionBuilder::new(name, &parameters, &[], Span::default());
    builder.function_mut().linkage = Linkage::Export(abi);
    let values = builder.function_parameters().to_vec();
    body(&mut builder, &values);
    builder.ret(&[]);
    builder.finish()
}

/// The bits of an element that may be set.
pub(super) fn low_bits(element: Element) -> u64 {
    if element.bits() == 64 { u64::MAX } else { (1 << element.bits()) - 1 }
}

/// Sign-extends the low bits.
pub(super) fn signed(element: Element, bits: u64) -> i64 {
    let unused = 64 - element.bits();
    ((bits << unused) as i64) >> unused
}

/// Random lanes.
pub(super) trait RandomLanes {
    /// Lanes of an element, half of them values at the edges.
    fn lanes(&mut self, ty: Type) -> Lanes;
    /// One of them.
    fn lane(&mut self, element: Element) -> u64;
}

impl RandomLanes for Random {
    fn lanes(&mut self, ty: Type) -> Lanes {
        (0..ty.length).map(|_| self.lane(ty.element)).collect()
    }

    fn lane(&mut self, element: Element) -> u64 {
        let number = self.bits();
        let edge = self.bits() & 1 == 0;
        let pick = |values: &[u64]| values[(number % values.len() as u64) as usize];
        match element {
            Element::F32 if edge => pick(&F32_EDGES.map(|value| u64::from(value.to_bits()))),
            Element::F64 if edge => pick(&F64_EDGES.map(f64::to_bits)),
            Element::F32 => u64::from(((number as i32 as f32) / 65536.0).to_bits()),
            Element::F64 => ((number as i64 as f64) / 4_294_967_296.0).to_bits(),
            Element::Bool => number & 1,
            Element::Ptr | Element::I8 | Element::I16 | Element::I32 | Element::I64 => {
                let least = 1u64 << (element.bits() - 1);
                let edges = [0, 1, 2, 3, 7, 10, u64::MAX, u64::MAX - 1, u64::MAX - 6, least, least - 1, least + 1];
                low_bits(element) & if edge { pick(&edges) } else { number }
            }
        }
    }
}

const F32_EDGES: [f32; 26] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    0.49999997,
    -0.49999997,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.5,
    -2.5,
    1e-40,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    8388607.5,
    8388609.0,
    -4194304.5,
    2147483648.0,
    -2147483648.0,
    4294967296.0,
    255.5,
];

const F64_EDGES: [f64; 26] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    0.49999999999999994,
    -0.49999999999999994,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.5,
    -2.5,
    1e-310,
    1e300,
    f64::MAX,
    -1e30,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    4503599627370495.5,
    9007199254740993.0,
    4294967295.5,
    2147483647.5,
    -2147483648.5,
    18446744073709551616.0,
    -9223372036854775808.0,
];
