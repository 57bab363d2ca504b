//! What goes on by as much in each round as the counter of the loop, or a multiple of it, is computed from the counter where it leads to memory.
//!
//! ```text
//!     jump block1(0, 0, p)                            jump block1(0)
//! block1(i, k, q: ptr):                           block1(i):
//!     branch i < n, block2, block3                    k = add 0, i
//! block2:                                             q = ptrindex p, i, scale 4
//!     x = load q                           ──►        branch i < n, block2, block3
//!     store (ptrindex o, k), x                    block2:
//!     jump block1(i + 1, k + 1, q + 4)                x = load q
//!                                                     store (ptrindex o, k), x
//!                                                     jump block1(i + 1)
//!
//!     e = ptrindex p, n, scale 4                      jump block1(0)
//!     jump block1(p)                              block1(i: i64):
//! block1(q: ptr):                          ──►        q = ptrindex p, i, scale 4
//!     branch q ≠ e, block2, block3                    branch i ≠ n, block2, block3
//! ```
//! `o[k++] = a[i]` and `*q++` are so what `o[i] = a[i]` is: the passes behind this one ask how far an address goes with the counter, and of nothing else.
//!
//! # Why this is right
//! * A number of as many bits as the counter is what it began with and a multiple of what the counter has grown by, modulo 2ⁿ.
//! * A counter of 32 bits that goes up by one below a limit is as many in 64 bits. So that is where pointers and longer numbers are computed of it.
//! * A pointer that is compared with one that lies n elements behind where it began is compared by the number of its elements; with any other one, such as the end that a
//!   function is handed, by as many as lie between both. Where it is not to be equal and none of them ends there, it goes on for ever, as it was.
//!
//! Loops with vectors in them stay as they are.

use super::block_writer::{BlockWriter, new_value};
use super::counted_loop::{Ways, argument, each_round, values_of};
use super::dead_code;
use super::jammed_loops::{Counter, rising};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// So many operations lead from a number to an address.
const DEPTH: u32 = 8;
const WIDE: Type = Type::scalar(Element::I64);

/// Rewrites the loops of a function.
pub fn counted_places(function: &mut Function) {
    let graph = Graph::new(function);
    let mut is_changed = false;
    for &header in &graph.order {
        let Some(found) = Loop::of(function, &graph, header) else { continue };
        is_changed |= found.count_elements(function);
        let Some(counter) = rising(function, &graph, header) else { continue };
        for index in (0..function.blocks[header.0 as usize].parameters.len()).filter(|&index| index != counter.index) {
            let Some(place) = found.place(function, &counter, index) else { continue };
            found.write(function, &counter, &place);
            is_changed = true;
        }
    }
    if is_changed {
        dead_code(function);
    }
}

/// A loop of numbers, with one way in and one way back.
struct Loop {
    header: Block,
    before: Block,
    latch: Block,
    /// What it defines.
    values: FxHashSet<Value>,
    /// What addresses are computed from.
    indices: FxHashSet<Value>,
}

/// A parameter of the header that goes on as the counter does.
struct Place {
    index: usize,
    start: Value,
    /// What it grows by where the counter grows by one: a number, or bytes.
    factor: i64,
}

impl Loop {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Loop> {
        let Ways { before, latch, inside } = Ways::of(function, graph, header)?;
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        let values = values_of(function, &blocks);
        if values.iter().any(|&value| function.ty(value).length > 1) {
            return None;
        }
        let mut indices = FxHashSet::default();
        let mut follow: Vec<(Value, u32)> = Vec::new();
        for inst in blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts) {
            if let Op::PtrIndex { index, .. } = function.insts[inst.0 as usize].op {
                follow.push((index, DEPTH));
            }
        }
        while let Some((value, depth)) = follow.pop() {
            if !values.contains(&value) || !indices.insert(value) || depth == 0 {
                continue;
            }
            if let Some(op @ (Op::Binary(..) | Op::Convert(..))) = function.definition(value) {
                op.for_each(|operand| follow.push((operand, depth - 1)));
            }
        }
        Some(Loop { header, before, latch, values, indices })
    }

    /// What a block hands to the header.
    fn argument(&self, function: &Function, from: Block, index: usize) -> Value {
        argument(function, from, self.header, index)
    }

    /// What a parameter grows by in each round, if that is a constant.
    fn growth(&self, function: &Function, index: usize) -> Option<i64> {
        let parameter = function.blocks[self.header.0 as usize].parameters[index];
        each_round(function, parameter, self.argument(function, self.latch, index))
    }

    /// How a parameter that leads to memory goes on with the counter.
    fn place(&self, function: &Function, counter: &Counter, index: usize) -> Option<Place> {
        let parameter = function.blocks[self.header.0 as usize].parameters[index];
        let (ty, counted) = (function.ty(parameter), function.ty(counter.value));
        let is_pointer = ty.element == Element::Ptr;
        let is_index = ty.element.is_int() && ty.element.bits() >= counted.element.bits() && self.indices.contains(&parameter);
        if !is_pointer && !is_index {
            return None;
        }
        let Terminator::Branch { condition, .. } = function.blocks[self.header.0 as usize].terminator else { return None };
        let is_below = matches!(
            *function.definition(condition)?,
            Op::Compare(CompareOp::SLt | CompareOp::ULt, asked, _) if asked == counter.value
        );
        // It is as many in more bits.
        let is_exact = counted.element.bits() == 64 || is_below && counter.step == 1;
        let growth = self.growth(function, index)?;
        let step = i64::try_from(counter.step).ok()?;
        (growth % step == 0 && (is_exact || ty == counted)).then(|| Place {
            index,
            start: self.argument(function, self.before, index),
            factor: growth / step,
        })
    }

    /// Computes a parameter from the counter.
    fn write(&self, function: &mut Function, counter: &Counter, place: &Place) {
        let parameter = function.blocks[self.header.0 as usize].parameters[place.index];
        let (ty, counted) = (function.ty(parameter), function.ty(counter.value));
        let start = self.argument(function, self.before, counter.index);
        let begins_with = function.signed_constant(start);
        let span = function.span;
        let written = function.blocks[self.header.0 as usize].insts.len();
        let mut to = BlockWriter { function, block: self.header, span };
        let in_type = if ty.element == Element::Ptr { WIDE } else { ty };
        let extend = if counter.op == CompareOp::SLt { ConvertOp::SExt } else { ConvertOp::ZExt };
        let extended = |to: &mut BlockWriter<'_>, value: Value| match in_type == counted {
            true => value,
            false => to.emit(Op::Convert(extend, value), in_type),
        };
        let mut rounds = extended(&mut to, counter.value);
        if begins_with != Some(0) {
            let start = extended(&mut to, start);
            rounds = to.emit(Op::Binary(BinaryOp::Sub, rounds, start), in_type);
        }
        let factor = place.factor.unsigned_abs();
        let op = match ty.element {
            Element::Ptr => {
                if place.factor < 0 {
                    let zero = to.number(0, in_type);
                    rounds = to.emit(Op::Binary(BinaryOp::Sub, zero, rounds), in_type);
                }
                Op::PtrIndex { base: place.start, index: rounds, scale: factor, offset: 0 }
            }
            _ => {
                if factor != 1 {
                    let by = to.number(factor, in_type);
                    rounds = to.emit(Op::Binary(BinaryOp::Mul, rounds, by), in_type);
                }
                Op::Binary(if place.factor < 0 { BinaryOp::Sub } else { BinaryOp::Add }, place.start, rounds)
            }
        };
        // The parameter is a result from here on, and another one is handed what nobody looks at.
        let unused = new_value(to.function, ty, ValueDef::Parameter(self.header, place.index as u32));
        let made = Inst(to.function.insts.len() as u32);
        to.function.insts.push(InstData { op, results: vec![parameter], span });
        to.function.values[parameter.0 as usize].def = ValueDef::Result(made, 0);
        let data = &mut to.function.blocks[self.header.0 as usize];
        data.parameters[place.index] = unused;
        data.insts.push(made);
        data.insts.rotate_left(written);
    }

    /// Counts the elements that a pointer has gone over, where the loop ends by the pointer.
    fn count_elements(&self, function: &mut Function) -> bool {
        let Terminator::Branch { condition, .. } = function.blocks[self.header.0 as usize].terminator else { return false };
        let Some(&Op::Compare(op, pointer, end)) = function.definition(condition) else { return false };
        let op = match op {
            CompareOp::Ne => CompareOp::Ne,
            CompareOp::ULt | CompareOp::SLt => CompareOp::SLt,
            _ => return false,
        };
        let parameters = &function.blocks[self.header.0 as usize].parameters;
        let Some(index) = parameters.iter().position(|&parameter| parameter == pointer) else { return false };
        if function.ty(pointer).element != Element::Ptr || self.values.contains(&end) {
            return false;
        }
        let start = self.argument(function, self.before, index);
        let growth = self.growth(function, index);
        let Some(bytes) = growth.and_then(|bytes| u64::try_from(bytes).ok()) else { return false };
        let known = match function.definition(end) {
            Some(&Op::PtrIndex { base, index, scale, offset: 0 }) if base == start && scale == bytes => Some(index),
            _ => None,
        };
        let span = function.span;
        let mut to = BlockWriter { function, block: self.before, span };
        let zero = to.number(0, WIDE);
        let limit = match known {
            None => elements_between(&mut to, [start, end], bytes, op),
            Some(elements) if to.function.ty(elements) == WIDE => elements,
            Some(elements) => to.emit(Op::Convert(ConvertOp::SExt, elements), WIDE),
        };
        let counter = to.parameter(self.header, WIDE);
        to.block = self.latch;
        let one = to.number(1, WIDE);
        let next = to.emit(Op::Binary(BinaryOp::Add, counter, one), WIDE);
        for (from, argument) in [(self.before, zero), (self.latch, next)] {
            let targets = to.function.blocks[from.0 as usize].terminator.targets_mut();
            targets.filter(|target| target.block == self.header).for_each(|target| target.arguments.push(argument));
        }
        to.block = self.header;
        let goes_on = to.emit(Op::Compare(op, counter, limit), Type::scalar(Element::Bool));
        if let Terminator::Branch { condition, .. } = &mut to.function.blocks[self.header.0 as usize].terminator {
            *condition = goes_on;
        }
        true
    }
}

/// How many elements of so many bytes a pointer goes over from one place to another one: until it is there, or not below it. What it goes past it never reaches.
fn elements_between(to: &mut BlockWriter<'_>, ends: [Value; 2], bytes: u64, op: CompareOp) -> Value {
    let bool = Type::scalar(Element::Bool);
    let [from, end] = ends.map(|pointer| to.emit(Op::Convert(ConvertOp::PtrToInt, pointer), WIDE));
    let way = to.emit(Op::Binary(BinaryOp::Sub, end, from), WIDE);
    let size = to.number(bytes, WIDE);
    if op == CompareOp::Ne {
        let is_ahead = to.emit(Op::Compare(CompareOp::ULe, from, end), bool);
        let (zero, never) = (to.number(0, WIDE), to.number(i64::MAX as u64, WIDE));
        let left = to.emit(Op::Binary(BinaryOp::URem, way, size), WIDE);
        let is_met = to.emit(Op::Compare(CompareOp::Eq, left, zero), bool);
        let is_met = to.emit(Op::Binary(BinaryOp::And, is_ahead, is_met), bool);
        let elements = to.emit(Op::Binary(BinaryOp::UDiv, way, size), WIDE);
        return to.emit(Op::Select(is_met, elements, never), WIDE);
    }
    let is_ahead = to.emit(Op::Compare(CompareOp::ULt, from, end), bool);
    let zero = to.number(0, WIDE);
    let less = to.number(bytes - 1, WIDE);
    let way = to.emit(Op::Binary(BinaryOp::Add, way, less), WIDE);
    let elements = to.emit(Op::Binary(BinaryOp::UDiv, way, size), WIDE);
    to.emit(Op::Select(is_ahead, elements, zero), WIDE)
}
