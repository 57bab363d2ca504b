//! What is done to all members of records is done to the records as they lie there.
//!
//! ```text
//! a, b = the even and the odd lanes of x                  y = add x, <1, 2, 1, 2, …>
//! store p, shuffle (add a, 1), (add b, 2), <0, 8, …>  ──►  store p, y
//! ```
//! Each lane of what is stored is followed through shuffles to the operation that made it, and a lane of that. Where all lanes were made by one kind of operation, so are
//! those of its operands, from top to bottom: they end in constants, in numbers that all lanes share, and in registers that have the lanes where they are wanted, or
//! where one move brings them. As many registers are worked on as before, and nobody is taken apart or put together.

use super::composed_shuffles::{Move, Trace, trace_of};
use super::surroundings::Surroundings;
use crate::machine::Machine;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use std::collections::HashMap;

/// So many operations lie above one another.
const DEPTH: u32 = 24;

/// So many moves of a register are as cheap as to take records apart, and to put them together.
const MOVES: u32 = 2;

/// A lane of a value.
type Lane = (Value, u16);

/// Rewrites the stores of a function.
pub fn joined_streams(function: &mut Function, around: Surroundings<'_>) {
    let is_asked = |function: &Function, op: &Op| match op {
        Op::Store { value, streaming: false, .. } => matches!(function.definition(*value), Some(Op::Shuffle(..))),
        _ => false,
    };
    if !function.insts.iter().any(|inst| is_asked(function, &inst.op)) {
        return;
    }
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        let mut traces: HashMap<Value, Trace> = HashMap::new();
        let mut made: HashMap<Vec<Lane>, Value> = HashMap::new();
        for inst in insts {
            let InstData { op, results, span } = &function.insts[inst.0 as usize];
            if let Some(trace) = trace_of(function, &traces, op, results) {
                traces.insert(results[0], trace);
            }
            if is_asked(function, op)
                && let Op::Store { value, .. } = *op
            {
                let span = *span;
                let lanes: Vec<Lane> = (0..u16::from(function.ty(value).length)).map(|lane| (value, lane)).collect();
                let mut plan = Plan { function, machine: around.machine, traces: &traces, moves: 0, operations: 0 };
                // What is moved and nothing else is none of this.
                if plan.can_join(&lanes, DEPTH) && plan.operations > 0 && plan.moves <= MOVES {
                    let mut writer = Writer { function: &mut *function, out: &mut out, span };
                    let joined = join(&mut writer, around.machine, &traces, &mut made, &lanes);
                    let Op::Store { value, .. } = &mut function.insts[inst.0 as usize].op else { unreachable!("a store") };
                    *value = joined;
                }
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
}

/// The lanes that these were moved from.
fn origins(function: &Function, traces: &HashMap<Value, Trace>, lanes: &[Lane]) -> Option<Vec<Lane>> {
    let origin = |&(value, lane): &Lane| {
        let Some(trace) = traces.get(&value) else { return Some((value, lane)) };
        let size = function.ty(value).element.size() as usize;
        let bytes = &trace[usize::from(lane) * size..(usize::from(lane) + 1) * size];
        let (source, first) = bytes[0]?;
        let is_whole = (0..).zip(bytes).all(|(k, byte)| *byte == Some((source, first + k)));
        let is_lane = function.ty(source).element.size() as usize == size && usize::from(first) % size == 0;
        (is_whole && is_lane).then(|| (source, first / size as u16))
    };
    lanes.iter().map(origin).collect()
}

/// The register that has lanes as they are wanted, or from which one move brings them.
fn moved(function: &Function, machine: &Machine, lanes: &[Lane]) -> Option<Move> {
    let ty = function.ty(lanes[0].0).with_length(u8::try_from(lanes.len()).ok()?);
    if matches!(ty.element, Element::Bool | Element::Ptr) {
        return None;
    }
    let size = ty.element.size() as u16;
    let trace: Trace = lanes.iter().flat_map(|&(value, lane)| (0..size).map(move |k| Some((value, lane * size + k)))).collect();
    Move::of(function, machine, &trace, ty)
}

/// What makes a lane: an operation without its operands, or a number that all lanes have.
fn is_alike(function: &Function, a: Value, b: Value) -> bool {
    if function.ty(a).element != function.ty(b).element {
        return false;
    }
    match (function.definition(a), function.definition(b)) {
        (Some(Op::Unary(a, _)), Some(Op::Unary(b, _))) => a == b,
        (Some(Op::Binary(a, ..)), Some(Op::Binary(b, ..))) => a == b,
        (Some(Op::Fma(..)), Some(Op::Fma(..))) | (Some(Op::Select(..)), Some(Op::Select(..))) => true,
        (Some(Op::Compare(a, x, _)), Some(Op::Compare(b, y, _))) => a == b && function.ty(*x).element == function.ty(*y).element,
        (Some(Op::Convert(a, x)), Some(Op::Convert(b, y))) => a == b && function.ty(*x).element == function.ty(*y).element,
        _ => false,
    }
}

/// The operands of an operation that works lane by lane.
fn operands(function: &Function, value: Value) -> Option<Vec<Value>> {
    match *function.definition(value)? {
        Op::Unary(_, a) | Op::Convert(_, a) => Some(vec![a]),
        Op::Binary(_, a, b) | Op::Compare(_, a, b) => Some(vec![a, b]),
        Op::Fma(a, b, c) | Op::Select(a, b, c) => Some(vec![a, b, c]),
        _ => None,
    }
    .filter(|operands: &Vec<Value>| operands.iter().all(|&operand| function.ty(operand).length == function.ty(value).length))
}

/// One lane of each of the operands that have a place.
fn operand_lanes(function: &Function, lanes: &[Lane], place: usize) -> Option<Vec<Lane>> {
    lanes.iter().map(|&(value, lane)| Some((operands(function, value)?[place], lane))).collect()
}

/// The bits of lanes that are constants.
fn constants(function: &Function, lanes: &[Lane]) -> Option<Vec<u64>> {
    let bits = |&(value, lane): &Lane| match function.definition(value) {
        Some(Op::Const(bits)) => Some(if bits.len() == 1 { bits[0] } else { bits[usize::from(lane)] }),
        _ => None,
    };
    lanes.iter().map(bits).collect()
}

/// The scalar that all lanes are.
fn shared(function: &Function, lanes: &[Lane]) -> Option<Value> {
    let scalar = |value: Value| match function.definition(value) {
        Some(&Op::Splat(scalar)) => Some(scalar),
        _ => None,
    };
    let first = scalar(lanes[0].0)?;
    lanes.iter().all(|&(value, _)| scalar(value) == Some(first)).then_some(first)
}

/// Whether lanes can be joined, and what that takes.
struct Plan<'a> {
    function: &'a Function,
    machine: &'a Machine,
    traces: &'a HashMap<Value, Trace>,
    moves: u32,
    operations: u32,
}

impl Plan<'_> {
    fn can_join(&mut self, lanes: &[Lane], depth: u32) -> bool {
        let Some(lanes) = origins(self.function, self.traces, lanes).filter(|_| depth > 0) else { return false };
        if constants(self.function, &lanes).is_some() || shared(self.function, &lanes).is_some() {
            return true;
        }
        if let Some(found) = moved(self.function, self.machine, &lanes) {
            self.moves += u32::from(!found.is_nothing());
            return true;
        }
        let first = lanes[0].0;
        let Some(count) = operands(self.function, first).map(|operands| operands.len()) else { return false };
        self.operations += 1;
        lanes.iter().all(|&(value, _)| is_alike(self.function, first, value))
            && (0..count)
                .all(|place| operand_lanes(self.function, &lanes, place).is_some_and(|lanes| self.can_join(&lanes, depth - 1)))
    }
}

/// A vector of lanes that can be joined.
fn join(
    writer: &mut Writer<'_>,
    machine: &Machine,
    traces: &HashMap<Value, Trace>,
    made: &mut HashMap<Vec<Lane>, Value>,
    lanes: &[Lane],
) -> Value {
    let lanes = origins(writer.function, traces, lanes).expect("it was looked at");
    if let Some(&value) = made.get(&lanes) {
        return value;
    }
    let ty = writer.function.ty(lanes[0].0).with_length(lanes.len() as u8);
    let value = if let Some(bits) = constants(writer.function, &lanes) {
        writer.emit(Op::Const(bits), ty)
    } else if let Some(scalar) = shared(writer.function, &lanes) {
        writer.emit(Op::Splat(scalar), ty)
    } else if let Some(found) = moved(writer.function, machine, &lanes) {
        found.write(writer, ty)
    } else {
        let first = lanes[0].0;
        let count = operands(writer.function, first).expect("an operation").len();
        let parts: Vec<Value> = (0..count)
            .map(|place| {
                let lanes = operand_lanes(writer.function, &lanes, place).expect("an operand");
                join(writer, machine, traces, made, &lanes)
            })
            .collect();
        let op = match (writer.function.definition(first).expect("an operation"), &parts[..]) {
            (Op::Unary(op, _), &[a]) => Op::Unary(*op, a),
            (Op::Convert(op, _), &[a]) => Op::Convert(*op, a),
            (Op::Binary(op, ..), &[a, b]) => Op::Binary(*op, a, b),
            (Op::Compare(op, ..), &[a, b]) => Op::Compare(*op, a, b),
            (Op::Fma(..), &[a, b, c]) => Op::Fma(a, b, c),
            (Op::Select(..), &[a, b, c]) => Op::Select(a, b, c),
            _ => unreachable!("it was looked at"),
        };
        writer.emit(op, ty)
    };
    made.insert(lanes, value);
    value
}
