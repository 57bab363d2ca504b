//! The meaning of the vector IR, as an interpreter: where a program goes wrong between `typed::interpret` and machine code,
//! it tells `predicate`, `optimize` and `llvm` apart.
//!
//! Every lane of every value is computed. Unset values and fresh memory hold unlikely numbers, the same each time. Beyond the
//! rules of the IR it watches that each access lies inside of one object.

mod memory;
pub(in crate::vector) mod operations;

use super::ir::*;
use crate::source::Span;
use crate::target::Channel;
use ivl::Format;
use memory::Memory;
use operations::{compare, convert, cut, signed};
use std::fmt::Write;

/// The lanes of a value, each by its bits.
pub type Lanes = Vec<u64>;

/// Why a module ended before its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What kind of reason.
    pub kind: FaultKind,
    /// In words.
    pub message: String,
    /// The source of the instruction.
    pub span: Span,
    /// The lane that a check names.
    pub lane: Option<u64>,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A check or an assumption does not hold.
    Check,
    /// An access outside of an object.
    Memory,
    /// Too many instructions, too much memory, too many calls inside one another.
    Limit,
    /// An invariant of the IR or of its makers does not hold.
    Broken,
}

type Result<T> = std::result::Result<T, Box<Fault>>;

/// The largest object in bytes.
const MAX_OBJECT: u64 = 1 << 31;

/// Calls inside one another.
const MAX_CALLS: usize = 2000;

/// A running module.
pub struct Machine<'m> {
    module: &'m Module,
    memory: Memory,
    globals: Vec<u64>,
    /// Where lanes read and write that are off, once some are.
    nowhere: [Option<u64>; 2],
    /// How many instructions may still run.
    pub fuel: u64,
    /// What calls of external functions were given; they give zeros back.
    pub trace: Vec<Vec<Lanes>>,
    /// What was printed.
    pub output: String,
    /// Why a pipeline did not start.
    reason: String,
    calls: usize,
}

/// One call.
struct Frame<'m> {
    function: &'m Function,
    values: Vec<Lanes>,
    slots: Vec<u64>,
}

impl Frame<'_> {
    fn get(&self, value: Value) -> &Lanes {
        &self.values[value.0 as usize]
    }

    fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    /// Is a lane on?
    fn on(&self, mask: Option<Value>, lane: usize) -> bool {
        mask.is_none_or(|mask| self.get(mask)[lane] == 1)
    }
}

impl<'m> Machine<'m> {
    /// A module with its globals in memory.
    pub fn new(module: &'m Module) -> Self {
        let mut memory = Memory::default();
        let mut globals = Vec::new();
        for global in &module.globals {
            let address = memory.allocate(global.size);
            let bytes = memory.bytes(address, global.size).expect("a global that was just made");
            match &global.bytes {
                Some(contents) => bytes.copy_from_slice(contents),
                None => bytes.fill(0),
            }
            globals.push(address);
        }
        Machine {
            module,
            memory,
            globals,
            nowhere: [None; 2],
            fuel: u64::MAX,
            trace: Vec::new(),
            output: String::new(),
            reason: String::new(),
            calls: 0,
        }
    }

    /// Eight bytes of zeros.
    fn nowhere(&mut self, access: Access) -> u64 {
        let place = access as usize;
        let address = self.nowhere[place].unwrap_or_else(|| self.object(&[0; 8]));
        self.nowhere[place] = Some(address);
        address
    }

    /// Memory for arguments: the address of a fresh object with these bytes.
    pub fn object(&mut self, bytes: &[u8]) -> u64 {
        let address = self.memory.allocate(bytes.len() as u64);
        self.memory.bytes(address, bytes.len() as u64).expect("an object that was just made").copy_from_slice(bytes);
        address
    }

    /// The bytes of an object, or of a part of it.
    pub fn contents(&mut self, address: u64, size: u64) -> Vec<u8> {
        self.memory.bytes(address, size).expect("an object of this size").to_vec()
    }

    /// Runs the function `main`; its exit code. Panics if there is none.
    pub fn main(&mut self) -> Result<i32> {
        let main = self.module.functions.iter().position(|f| f.name == "main").expect("a module with a main");
        let results = self.call(FunctionId(main as u32), Vec::new())?;
        Ok(results.first().map_or(0, |code| code[0] as i32))
    }

    /// Calls a function with its arguments, the mask first where it has one.
    pub fn call(&mut self, id: FunctionId, arguments: Vec<Lanes>) -> Result<Vec<Lanes>> {
        let function = &self.module.functions[id.0 as usize];
        if function.blocks.is_empty() {
            self.trace.push(arguments);
            return Ok(function.results.iter().map(|ty| vec![0; ty.length.into()]).collect());
        }
        if self.calls == MAX_CALLS {
            return fault(FaultKind::Limit, "too many calls inside one another", function.span);
        }
        self.calls += 1;
        let slots: Vec<u64> = function.slots.iter().map(|slot| self.memory.allocate(slot.size)).collect();
        let mut frame = Frame { function, values: vec![Lanes::new(); function.values.len()], slots };
        let results = self.run(&mut frame, arguments)?;
        for slot in frame.slots {
            self.memory.free(slot).expect("a slot lives as long as its call");
        }
        self.calls -= 1;
        Ok(results)
    }

    fn run(&mut self, frame: &mut Frame<'m>, arguments: Vec<Lanes>) -> Result<Vec<Lanes>> {
        let function = frame.function;
        let (mut block, mut incoming) = (Block(0), arguments);
        loop {
            let data = &function.blocks[block.0 as usize];
            for (&parameter, lanes) in data.parameters.iter().zip(incoming) {
                frame.values[parameter.0 as usize] = lanes;
            }
            for &inst in &data.insts {
                let inst = &function.insts[inst.0 as usize];
                if self.fuel == 0 {
                    return fault(FaultKind::Limit, "too many instructions", inst.span);
                }
                self.fuel -= 1;
                let results = self.instruction(frame, inst)?;
                for (&result, lanes) in inst.results.iter().zip(results) {
                    if lanes.len() != usize::from(function.ty(result).length) {
                        return fault(FaultKind::Broken, "a value of another length", inst.span);
                    }
                    frame.values[result.0 as usize] = lanes;
                }
            }
            let arguments = |target: &Target| target.arguments.iter().map(|&a| frame.get(a).clone()).collect();
            match &data.terminator {
                Terminator::Jump(target) => (incoming, block) = (arguments(target), target.block),
                Terminator::Branch { condition, then, otherwise } => {
                    let target = if frame.get(*condition)[0] == 1 { then } else { otherwise };
                    (incoming, block) = (arguments(target), target.block);
                }
                Terminator::Return(values) => return Ok(values.iter().map(|&v| frame.get(v).clone()).collect()),
                Terminator::Unreachable => {
                    return fault(FaultKind::Broken, "an unreachable block was reached", function.span);
                }
            }
        }
    }

    fn read(&mut self, address: u64, element: Element, span: Span) -> Result<u64> {
        match self.memory.bytes(address, element.size()) {
            Ok(bytes) => {
                let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
                Ok(if element == Element::Bool { bits & 1 } else { bits })
            }
            Err(message) => fault(FaultKind::Memory, message, span),
        }
    }

    fn write(&mut self, address: u64, element: Element, bits: u64, span: Span) -> Result<()> {
        match self.memory.bytes(address, element.size()) {
            Ok(bytes) => {
                let size = bytes.len();
                bytes.copy_from_slice(&bits.to_le_bytes()[..size]);
                Ok(())
            }
            Err(message) => fault(FaultKind::Memory, message, span),
        }
    }

    fn instruction(&mut self, frame: &Frame<'m>, inst: &InstData) -> Result<Vec<Lanes>> {
        let span = inst.span;
        let v = |value: &Value| frame.get(*value);
        let ty = inst.results.first().map(|&result| frame.ty(result)).unwrap_or(Type::scalar(Element::I32));
        let length = usize::from(ty.length);
        let one = |lanes: Lanes| Ok(vec![lanes]);
        let none = Ok(Vec::new());
        let bool = |value: bool| Ok(vec![vec![u64::from(value)]]);
        match &inst.op {
            Op::Const(bits) if bits.len() == 1 => one(vec![bits[0]; length]),
            Op::Const(bits) => one(bits.clone()),
            Op::Unset => one(vec![cut(ty.element, 0x5A5A_5A5A_5A5A_5A5A); length]),
            Op::Splat(a) => one(vec![v(a)[0]; length]),
            Op::Ramp { base, step, exact: _ } => {
                let base = v(base)[0];
                one((0..length as i64).map(|k| cut(ty.element, base.wrapping_add(k.wrapping_mul(*step) as u64))).collect())
            }
            Op::Unary(op, a) => one(v(a).iter().map(|&a| operations::unary(*op, ty.element, a)).collect()),
            Op::Binary(op, a, b) => {
                one(v(a).iter().zip(v(b)).map(|(&a, &b)| operations::binary(*op, ty.element, a, b)).collect())
            }
            Op::Fma(a, b, c) => {
                let lanes = v(a).iter().zip(v(b)).zip(v(c));
                one(lanes.map(|((&a, &b), &c)| operations::fma(ty.element, a, b, c)).collect())
            }
            Op::Compare(op, a, b) => {
                let element = frame.ty(*a).element;
                one(v(a).iter().zip(v(b)).map(|(&a, &b)| compare(*op, element, a, b).into()).collect())
            }
            Op::Select(m, a, b) => {
                let mask = v(m);
                let lane = |i: usize| if mask[if mask.len() == 1 { 0 } else { i }] == 1 { v(a)[i] } else { v(b)[i] };
                one((0..length).map(lane).collect())
            }
            Op::Convert(op, a) => {
                let from = frame.ty(*a).element;
                one(v(a).iter().map(|&a| convert(*op, from, ty.element, a)).collect())
            }
            Op::Extract(a, i) => one(vec![v(a)[v(i)[0] as usize % v(a).len()]]),
            Op::Insert(a, x, i) => {
                let mut lanes = v(a).clone();
                lanes[v(i)[0] as usize % length] = v(x)[0];
                one(lanes)
            }
            Op::Shuffle(a, b, lanes) => {
                let all: Vec<u64> = v(a).iter().chain(v(b)).copied().collect();
                one(lanes.iter().map(|&lane| if lane < 0 { 0 } else { all[lane as usize] }).collect())
            }
            Op::Permute(a, i) => one(v(i).iter().map(|&i| v(a)[i as usize % v(a).len()]).collect()),
            Op::Permute2(a, b, i) => {
                let all: Vec<u64> = v(a).iter().chain(v(b)).copied().collect();
                one(v(i).iter().map(|&i| all[i as usize % all.len()]).collect())
            }
            Op::Dot2(a, b) => {
                let product = |a, b| (signed(Element::I16, a) * signed(Element::I16, b)) as u64;
                one(operations::sums_of_groups(v(a), v(b), 2, product).into_iter().map(|sum| cut(ty.element, sum)).collect())
            }
            Op::Sad(a, b) => one(operations::sums_of_groups(v(a), v(b), 8, u64::abs_diff)),
            Op::Dot4 { a, b, sum, signed: [first, second] } => {
                let number = |bits: u64, is_signed| if is_signed { signed(Element::I8, bits) } else { bits as i64 };
                let product = |k: usize| number(v(a)[k], *first).wrapping_mul(number(v(b)[k], *second)) as u64;
                let lane = |i: usize| (4 * i..4 * i + 4).map(product).fold(v(sum)[i], u64::wrapping_add);
                one((0..length).map(|i| cut(ty.element, lane(i))).collect())
            }
            Op::Reinterpret(a) => {
                let (from, to) = (frame.ty(*a).element.bits() as usize, ty.element.bits() as usize);
                let bit = |k: usize| v(a)[k / from] >> (k % from) & 1;
                one((0..length).map(|i| (0..to).map(|j| bit(i * to + j) << j).sum()).collect())
            }
            Op::Compress(a, m) => {
                let kept = v(a).iter().zip(v(m)).filter(|(_, on)| **on == 1).map(|(lane, _)| *lane);
                one(kept.chain(std::iter::repeat(0)).take(length).collect())
            }
            Op::Expand(a, m) => {
                let mut rest = v(a).iter();
                let next = |&on: &u64| if on == 1 { rest.next().copied().unwrap_or(0) } else { 0 };
                one(v(m).iter().map(next).collect())
            }
            Op::Reduce(op, a) => {
                let mut lanes = v(a).clone();
                while lanes.len() > 1 {
                    let upper = lanes.split_off(lanes.len() / 2);
                    for (low, high) in lanes.iter_mut().zip(upper) {
                        *low = operations::binary(operations::reduction(*op), ty.element, *low, high);
                    }
                }
                one(lanes)
            }
            Op::FirstLanes(count) => one((0..length as u64).map(|lane| (lane < v(count)[0]).into()).collect()),
            Op::Any(m) => bool(v(m).contains(&1)),
            Op::All(m) => bool(!v(m).contains(&0)),
            Op::MaskBits(m) => one(vec![v(m).iter().enumerate().map(|(i, bit)| bit << i).sum()]),
            Op::PtrIndex { base, index, scale, offset } => {
                let pick = |lanes: &Lanes, i: usize| lanes[if lanes.len() == 1 { 0 } else { i }];
                let element = frame.ty(*index).element;
                let address = |i: usize| {
                    let index = signed(element, pick(v(index), i)) as u64;
                    pick(v(base), i).wrapping_add(index.wrapping_mul(*scale)).wrapping_add(*offset as u64)
                };
                one((0..length).map(address).collect())
            }
            Op::PtrOffset(p, by) => one(v(p).iter().map(|p| p.wrapping_add(*by as u64)).collect()),
            Op::SlotAddress(slot) => one(vec![frame.slots[slot.0 as usize]]),
            Op::Nowhere(access) => one(vec![self.nowhere(*access)]),
            Op::GlobalAddress(global) => one(vec![self.globals[global.0 as usize]]),
            Op::Load { pointer, mask } | Op::StreamingLoad { pointer, mask } => {
                let start = v(pointer)[0];
                let address = |i: usize| start.wrapping_add(i as u64 * ty.element.size());
                self.loads(frame, ty, *mask, span, address)
            }
            Op::StridedLoad { pointer, stride, mask, object: _ } => {
                let start = v(pointer)[0];
                self.loads(frame, ty, *mask, span, |i| start.wrapping_add((i as i64).wrapping_mul(*stride) as u64))
            }
            Op::Gather { pointers, mask, object: _ } => {
                let pointers = v(pointers);
                self.loads(frame, ty, *mask, span, |i| pointers[i])
            }
            Op::Store { pointer, value, mask, streaming: _ } => {
                let (start, element) = (v(pointer)[0], frame.ty(*value).element);
                for (i, &bits) in v(value).iter().enumerate().filter(|&(i, _)| frame.on(*mask, i)) {
                    self.write(start.wrapping_add(i as u64 * element.size()), element, bits, span)?;
                }
                none
            }
            Op::Scatter { pointers, value, mask } => {
                let element = frame.ty(*value).element;
                for (i, &pointer) in v(pointers).iter().enumerate().filter(|&(i, _)| frame.on(*mask, i)) {
                    self.write(pointer, element, v(value)[i], span)?;
                }
                none
            }
            Op::Copy { to, from, size } => {
                let (to, from) = (v(to)[0], v(from)[0]);
                let bytes = self.memory.bytes(from, *size).map(|bytes| bytes.to_vec());
                let copied = bytes.and_then(|bytes| self.memory.bytes(to, *size).map(|to| to.copy_from_slice(&bytes)));
                copied.or_else(|message| fault(FaultKind::Memory, message, span))?;
                none
            }
            Op::PackedStore { pointer, value, mask } => {
                let (start, element) = (v(pointer)[0], frame.ty(*value).element);
                let mut count = 0;
                for (_, &bits) in v(value).iter().enumerate().filter(|&(i, _)| frame.on(*mask, i)) {
                    self.write(start.wrapping_add(count * element.size()), element, bits, span)?;
                    count += 1;
                }
                one(vec![count])
            }
            Op::Atomic { op, pointer, value } => {
                let (address, element) = (v(pointer)[0], ty.element);
                let old = self.read(address, element, span)?;
                self.write(address, element, operations::binary(*op, element, old, v(value)[0]), span)?;
                one(vec![old])
            }
            Op::Exchange { pointer, expected, value } => {
                let (address, element) = (v(pointer)[0], ty.element);
                let old = self.read(address, element, span)?;
                if expected.is_none_or(|expected| frame.get(expected)[0] == old) {
                    self.write(address, element, v(value)[0], span)?;
                }
                one(vec![old])
            }
            Op::Lifetime(..) | Op::Prefetch(_) => none,
            Op::Allocate(_, bytes) => {
                let bytes = v(bytes)[0];
                if (bytes as i64) < 0 {
                    return one(vec![0]);
                }
                if bytes > MAX_OBJECT {
                    return fault(FaultKind::Limit, format!("out of memory: {bytes} bytes"), span);
                }
                one(vec![self.memory.allocate(bytes)])
            }
            Op::Free(_, pointer) => {
                let address = v(pointer)[0];
                if address != 0 {
                    self.memory.free(address).or_else(|message| fault(FaultKind::Memory, message, span))?;
                }
                none
            }
            Op::Call(callee, arguments) => {
                let arguments: Vec<Lanes> = arguments.iter().map(|a| v(a).clone()).collect();
                self.call(*callee, arguments)
            }
            Op::Parallel { function, arguments, count } => {
                let count = v(count)[0] as i64;
                // In two parts, so that the results do not depend on there being one.
                let middle = count / 2;
                for (low, high) in [(0, middle), (middle, count)].into_iter().filter(|(low, high)| low < high) {
                    let mut arguments: Vec<Lanes> = arguments.iter().map(|a| v(a).clone()).collect();
                    arguments.extend([vec![low as u64], vec![high as u64]]);
                    self.call(*function, arguments)?;
                }
                none
            }
            Op::Print { channel, pieces } => {
                let before = std::mem::take(&mut self.output);
                for piece in pieces {
                    self.print(frame, piece);
                }
                let text = std::mem::replace(&mut self.output, before);
                match channel {
                    Channel::Output => self.output.push_str(&text),
                    Channel::Error => ivl::write_error(&text),
                    Channel::Reason => self.reason = text,
                    Channel::End => return fault(FaultKind::Check, std::mem::take(&mut self.reason) + &text, span),
                }
                none
            }
            Op::Check { condition, lane, message, numbers } => {
                if v(condition)[0] == 0 {
                    let lane = lane.map(|lane| frame.get(lane)[0]);
                    let numbers: Vec<i64> = numbers.iter().map(|&number| frame.get(number)[0] as i64).collect();
                    let message = super::failing::filled(message, &numbers);
                    return Err(Box::new(Fault { kind: FaultKind::Check, message, span, lane }));
                }
                none
            }
            Op::Unroll(_) => none,
            Op::Assume(condition) => {
                if v(condition)[0] == 0 {
                    return fault(FaultKind::Check, "an assumption does not hold", span);
                }
                none
            }
        }
    }

    /// A load lane by lane; off lanes are zero.
    fn loads(
        &mut self,
        frame: &Frame<'m>,
        ty: Type,
        mask: Option<Value>,
        span: Span,
        address: impl Fn(usize) -> u64,
    ) -> Result<Vec<Lanes>> {
        let mut lanes = vec![0; ty.length.into()];
        for (i, lane) in lanes.iter_mut().enumerate().filter(|&(i, _)| frame.on(mask, i)) {
            *lane = self.read(address(i), ty.element, span)?;
        }
        Ok(vec![lanes])
    }

    fn print(&mut self, frame: &Frame<'m>, piece: &PrintPiece) {
        let (value, is_signed, mask, format) = match piece {
            PrintPiece::Text(text) => return self.output.push_str(text),
            PrintPiece::Value { value, signed, mask, format } => (*value, *signed, *mask, *format),
        };
        let ty = frame.ty(value);
        let lanes: Vec<String> = (0..usize::from(ty.length))
            .map(|i| if frame.on(mask, i) { text(ty.element, is_signed, format, frame.get(value)[i]) } else { "_".into() })
            .map(|lane| format.padded(lane))
            .collect();
        let text = lanes.join(",");
        let written = if ty.length > 1 { write!(self.output, "<{text}>") } else { write!(self.output, "{text}") };
        written.expect("a string takes all that is written to it");
    }
}

/// An element as `print` writes it.
fn text(element: Element, is_signed: bool, format: Format, bits: u64) -> String {
    match element {
        Element::Bool => if bits == 0 { "F" } else { "T" }.into(),
        Element::F32 => format.float(f32::from_bits(bits as u32)),
        Element::F64 => format.float(f64::from_bits(bits)),
        Element::Ptr => format!("{bits:#x}"),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 if format.is_hexadecimal => format!("{bits:x}"),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 if is_signed => signed(element, bits).to_string(),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => bits.to_string(),
    }
}

fn fault<T>(kind: FaultKind, message: impl Into<String>, span: Span) -> Result<T> {
    Err(Box::new(Fault { kind, message: message.into(), span, lane: None }))
}
