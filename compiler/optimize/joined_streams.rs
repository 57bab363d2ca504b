//! What is done to all members of records is done to the records as they lie there.
//!
//! ```text
//! a, b = the even and the odd lanes of x                  y = add x, <1, 2, 1, 2, …>
//! store p, shuffle (add a, 1), (add b, 2), <0, 8, …>  ──►  store p, y
//! ```
//! Each lane of what is stored is followed through shuffles to the operation that made it, and a lane of that. Where all lanes were made by one kind of operation, so are
//! those of its operands, from top to bottom: they end in constants, in numbers that all lanes share, and in registers that have the lanes where they are wanted, or
//! where one move brings them. As many registers are worked on as before, and nobody is taken apart or put together.
//!
//! Where some lanes are in place in a register, and the others were made alike, these are made in all lanes, and chosen:
//!
//! ```text
//! a, b = the even and the odd lanes of x                   y = add x, <1, ?, 1, ?, …>
//! store p, shuffle (add a, 1), b, <0, 8, 1, 9, …>     ──►  store p, select <1, 0, 1, 0, …>, y, x
//! ```

use super::composed_shuffles::{Move, Trace, trace_of};
use super::surroundings::Surroundings;
use crate::machine::Machine;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// So many operations lie above one another.
const DEPTH: u32 = 24;

/// The most members of a record of which one is in place.
const MOST_MEMBERS: usize = 8;

/// So many moves of a register are as cheap as to take records apart, and to put them together.
const MOVES: usize = 2;

/// A lane of a value; `None` where any will do.
type Lane = Option<(Value, u16)>;

/// Rewrites the stores of a function.
pub fn joined_streams(function: &mut Function, around: Surroundings<'_>) {
    let is_asked = |function: &Function, op: &Op| match op {
        Op::Store { value, streaming: false, .. } => {
            matches!(function.definition(*value), Some(Op::Shuffle(..) | Op::Reinterpret(_)))
        }
        _ => false,
    };
    if !function.insts.iter().any(|inst| is_asked(function, &inst.op)) {
        return;
    }
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        let mut traces: FxHashMap<Value, Trace> = FxHashMap::default();
        let mut written: FxHashMap<Vec<Lane>, Value> = FxHashMap::default();
        for inst in insts {
            let InstData { op, results, span } = &function.insts[inst.0 as usize];
            if let Some(trace) = trace_of(function, &traces, op, results) {
                traces.insert(results[0], trace);
            }
            if is_asked(function, op)
                && let Op::Store { value, .. } = *op
            {
                let span = *span;
                let lanes: Vec<Lane> = (0..u16::from(function.ty(value).length)).map(|lane| Some((value, lane))).collect();
                let mut plan =
                    Plan { function, machine: around.machine, traces: &traces, parts: Vec::new(), known: FxHashMap::default() };
                // What is moved and nothing else is none of this.
                if plan.join(&lanes, DEPTH).is_some() && plan.is_worth_it() {
                    let parts = plan.parts;
                    let joined = write(&mut Writer { function: &mut *function, out: &mut out, span }, &parts, &mut written);
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
fn origins(function: &Function, traces: &FxHashMap<Value, Trace>, lanes: &[Lane]) -> Option<Vec<Lane>> {
    let origin = |lane: &Lane| {
        let Some((value, lane)) = *lane else { return Some(None) };
        let Some(trace) = traces.get(&value) else { return Some(Some((value, lane))) };
        let size = function.ty(value).element.size() as usize;
        let bytes = &trace[usize::from(lane) * size..(usize::from(lane) + 1) * size];
        let (source, first) = bytes[0]?;
        let is_whole = (0..).zip(bytes).all(|(k, byte)| *byte == Some((source, first + k)));
        let is_lane = function.ty(source).element.size() as usize == size && usize::from(first) % size == 0;
        (is_whole && is_lane).then(|| Some((source, first / size as u16)))
    };
    lanes.iter().map(origin).collect()
}

/// The register that has lanes as they are wanted, or from which one move brings them. Those of which any will do stay where they are.
fn moved(function: &Function, machine: &Machine, lanes: &[Lane]) -> Option<Move> {
    let source = first(lanes);
    let ty = function.ty(source).with_length(u8::try_from(lanes.len()).ok()?);
    if matches!(ty.element, Element::Bool | Element::Ptr) {
        return None;
    }
    let size = ty.element.size() as u16;
    let count = lanes.len() as u16;
    let before = lanes.iter().flatten().next().expect("some lane is asked for").1 / count * count;
    let origin = |(place, lane): (u16, &Lane)| lane.unwrap_or((source, before + place));
    let bytes = |(value, lane)| (0..size).map(move |k| Some((value, lane * size + k)));
    let trace: Trace = (0..).zip(lanes).map(origin).flat_map(bytes).collect();
    Move::of(function, machine, &trace, ty)
}

/// The value of the first lane that is one.
fn first(lanes: &[Lane]) -> Value {
    lanes.iter().flatten().next().expect("some lane is asked for").0
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
    let operand = |&(value, lane)| Some((operands(function, value)?[place], lane));
    lanes.iter().map(|lane| lane.as_ref().map_or(Some(None), |lane| operand(lane).map(Some))).collect()
}

/// The bits of lanes that are constants.
fn constants(function: &Function, lanes: &[Lane]) -> Option<Vec<u64>> {
    let bits = |(value, lane): (Value, u16)| match function.definition(value) {
        Some(Op::Const(bits)) => Some(if bits.len() == 1 { bits[0] } else { bits[usize::from(lane)] }),
        _ => None,
    };
    let any = lanes.iter().flatten().next().copied();
    lanes.iter().map(|lane| bits(lane.or(any)?)).collect()
}

/// The scalar that all lanes are.
fn shared(function: &Function, lanes: &[Lane]) -> Option<Value> {
    let shared = function.splatted(first(lanes))?;
    lanes.iter().flatten().all(|&(value, _)| function.splatted(value) == Some(shared)).then_some(shared)
}

/// A register that has lanes where they are wanted, at least one of a record.
fn in_place(function: &Function, lanes: &[Lane]) -> Option<Value> {
    let mut counts: FxHashMap<Value, usize> = FxHashMap::default();
    for (place, lane) in (0..).zip(lanes) {
        if let Some((value, lane)) = *lane
            && lane == place
            && usize::from(function.ty(value).length) == lanes.len()
        {
            *counts.entry(value).or_insert(0) += 1;
        }
    }
    let (&value, &count) = counts.iter().max_by_key(|(value, count)| (**count, **value))?;
    (count > 1 && count * MOST_MEMBERS >= lanes.len() && count < lanes.iter().flatten().count()).then_some(value)
}

/// How a vector of lanes is made.
enum Made {
    /// Of constants.
    Constant(Vec<u64>),
    /// Of one scalar.
    Shared(Value),
    /// By a move of one register.
    Moved(Move),
    /// By the operation that made the first lane, of other parts of the plan.
    Operation(Value, Vec<usize>),
    /// Of a part of the plan where the lanes are on, elsewhere of a register.
    Chosen(Vec<u64>, usize, Value),
}

/// The vectors that a store is made of, each behind those that it needs, with the lanes that they have.
struct Plan<'a> {
    function: &'a Function,
    machine: &'a Machine,
    traces: &'a FxHashMap<Value, Trace>,
    parts: Vec<(Vec<Lane>, Made)>,
    /// The parts by their lanes; none of those that cannot be joined.
    known: FxHashMap<Vec<Lane>, Option<usize>>,
}

impl Plan<'_> {
    /// The part that has these lanes; `None` if they cannot be joined.
    fn join(&mut self, lanes: &[Lane], depth: u32) -> Option<usize> {
        let lanes = origins(self.function, self.traces, lanes).filter(|_| depth > 0)?;
        if let Some(&known) = self.known.get(&lanes) {
            return known;
        }
        let made = self.made(&lanes, depth);
        let part = made.map(|made| {
            self.parts.push((lanes.clone(), made));
            self.parts.len() - 1
        });
        self.known.insert(lanes, part);
        part
    }

    fn made(&mut self, lanes: &[Lane], depth: u32) -> Option<Made> {
        let function = self.function;
        if let Some(bits) = constants(function, lanes) {
            return Some(Made::Constant(bits));
        }
        if let Some(scalar) = shared(function, lanes) {
            return Some(Made::Shared(scalar));
        }
        if let Some(found) = moved(function, self.machine, lanes) {
            return Some(Made::Moved(found));
        }
        let like = first(lanes);
        if !lanes.iter().flatten().all(|&(value, _)| is_alike(function, like, value)) {
            let kept = in_place(function, lanes)?;
            let is_kept = |place: usize, lane: &Lane| *lane == Some((kept, place as u16));
            let others: Vec<Lane> =
                lanes.iter().enumerate().map(|(place, lane)| lane.filter(|_| !is_kept(place, lane))).collect();
            let ty = |value: Value| function.ty(value).element;
            if ty(first(&others)) != ty(kept) {
                return None;
            }
            let chosen = lanes.iter().enumerate().map(|(place, lane)| u64::from(!is_kept(place, lane))).collect();
            let part = self.join(&others, depth - 1)?;
            return Some(Made::Chosen(chosen, part, kept));
        }
        let count = operands(function, like)?.len();
        let part = |place| self.join(&operand_lanes(function, lanes, place)?, depth - 1);
        Some(Made::Operation(like, (0..count).map(part).collect::<Option<_>>()?))
    }

    /// Is something computed, and little moved?
    fn is_worth_it(&self) -> bool {
        let count = |is_it: fn(&Made) -> bool| self.parts.iter().filter(|(_, made)| is_it(made)).count();
        count(|made| matches!(made, Made::Operation(..))) > 0
            && count(|made| matches!(made, Made::Moved(found) if !found.is_nothing())) <= MOVES
    }
}

/// Writes the parts of a plan, but for those that others had; the last one.
fn write(writer: &mut Writer<'_>, parts: &[(Vec<Lane>, Made)], written: &mut FxHashMap<Vec<Lane>, Value>) -> Value {
    let mut values: Vec<Value> = Vec::new();
    for (lanes, made) in parts {
        let ty = writer.function.ty(first(lanes)).with_length(lanes.len() as u8);
        let mut value = || match made {
            Made::Constant(bits) => writer.emit(Op::Const(bits.clone()), ty),
            Made::Shared(scalar) => writer.emit(Op::Splat(*scalar), ty),
            Made::Moved(found) => found.write(writer, ty),
            Made::Chosen(lanes, part, kept) => {
                let mask = writer.emit(Op::Const(lanes.clone()), ty.mask());
                writer.emit(Op::Select(mask, values[*part], *kept), ty)
            }
            Made::Operation(first, parts) => {
                let parts: Vec<Value> = parts.iter().map(|&part| values[part]).collect();
                let op = match (writer.function.definition(*first).expect("an operation"), &parts[..]) {
                    (Op::Unary(op, _), &[a]) => Op::Unary(*op, a),
                    (Op::Convert(op, _), &[a]) => Op::Convert(*op, a),
                    (Op::Binary(op, ..), &[a, b]) => Op::Binary(*op, a, b),
                    (Op::Compare(op, ..), &[a, b]) => Op::Compare(*op, a, b),
                    (Op::Fma(..), &[a, b, c]) => Op::Fma(a, b, c),
                    (Op::Select(..), &[a, b, c]) => Op::Select(a, b, c),
                    _ => unreachable!("it was looked at"),
                };
                writer.emit(op, ty)
            }
        };
        let value = *written.entry(lanes.clone()).or_insert_with(&mut value);
        values.push(value);
    }
    *values.last().expect("a store has a value")
}
