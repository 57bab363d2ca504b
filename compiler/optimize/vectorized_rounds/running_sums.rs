//! Sums of running sums become sums of products, which rounds may add up in any order.
//!
//! ```text
//! block1(i, s, t):                              block1(i, s, t):            where t begins with t₀ + (n − i₀) · s₀
//!     branch i < n, block2, block3                  branch i < n, block2, block3
//! block2:                                       block2:
//!     u = add s, x                       ──►        u = add s, x
//!     v = add t, u                                  v = add t, (mul (sub n, i), x)
//!     jump block1(i + 1, u, v)                      jump block1(i + 1, u, v)
//! ```
//! What a round adds to s is in u in this round and in all those behind it, n − i in number; what s begins with is in all of them. Where t takes s
//! as it was before the round, it is one less. It holds modulo 2ⁿ, as integers add and multiply: a checksum that adds up its own sums.
//! [`summation_by_parts`](super::super::summation_by_parts) takes the product of the vectors apart again.

use super::super::block_writer::{BlockWriter, is_defined_in};
use super::super::jammed_loops::{Counter, counter};
use super::super::loop_uses::LoopUses;
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// A sum, and what it is a sum of.
struct Sums {
    /// Its place among the header's parameters, and the instruction that adds to it.
    place: usize,
    added: Inst,
    /// The running sum, and what each round adds to that.
    running: Value,
    addend: Value,
    /// Takes it what the running sum was before the round?
    is_before: bool,
}

/// A function in which a loop has such products, if it has such sums.
pub(super) fn as_products(function: &Function, graph: &Graph, header: Block) -> Option<Function> {
    let counter = counter(function, graph, header).filter(|counter| counter.step == 1)?;
    let inside = graph.natural_loop(header)?;
    // Blocks that the graph does not know are those of loops before this one.
    let is_inside = |block: &Block| inside.get(block.0 as usize) == Some(&true);
    let (latches, before): (Vec<Block>, Vec<Block>) = graph.predecessors[header.0 as usize].iter().copied().partition(is_inside);
    let ([latch], [before]) = (&latches[..], &before[..]) else { return None };
    let ways = function.blocks[before.0 as usize].terminator.targets().filter(|target| target.block == header);
    if ways.count() != 1 {
        return None;
    }
    if is_defined_in(function, &inside, counter.limit) || counter.start.is_none() {
        return None;
    }
    let sums = all(function, &inside, header, *latch);
    let mut made = (!sums.is_empty()).then(|| function.clone())?;
    for sums in sums {
        sums.write(&mut made, counter, header, *latch, *before)?;
    }
    Some(made)
}

/// Those of a loop.
fn all(function: &Function, inside: &[bool], header: Block, latch: Block) -> Vec<Sums> {
    let Terminator::Jump(back) = &function.blocks[latch.0 as usize].terminator else { return Vec::new() };
    let parameters = &function.blocks[header.0 as usize].parameters;
    let uses = LoopUses::of(function, inside).inside;
    // What a place is added to in each round: the value, the instruction, and the other operand.
    let addition = |place: usize| {
        let (sum, next) = (parameters[place], back.arguments[place]);
        let ValueDef::Result(inst, _) = function.values[next.0 as usize].def else { return None };
        let Op::Binary(BinaryOp::Add, a, b) = function.insts[inst.0 as usize].op else { return None };
        let ty = function.ty(sum);
        let is_int = ty.length == 1 && ty.element.is_int() && ty.element != Element::Bool;
        let other = if a == sum { b } else { a };
        (is_int && (a == sum) != (b == sum)).then_some((inst, other))
    };
    let places = 0..parameters.len();
    let is_running = |running: usize, place: usize, summand: Value| {
        let (_, addend) = addition(running)?;
        let (sum, next) = (parameters[running], back.arguments[running]);
        let is_before = summand == sum;
        let counts = if is_before { [2, 1] } else { [1, 2] };
        let is_it = running != place
            && (is_before || summand == next)
            && counts == [sum, next].map(|value| uses[value.0 as usize])
            && function.ty(sum) == function.ty(parameters[place]);
        is_it.then_some((sum, addend, is_before))
    };
    let of_place = |place: usize| {
        let (added, summand) = addition(place)?;
        let alone = [parameters[place], back.arguments[place]].iter().all(|value| uses[value.0 as usize] == 1);
        let (running, addend, is_before) = places.clone().find_map(|running| is_running(running, place, summand))?;
        alone.then_some(Sums { place, added, running, addend, is_before })
    };
    places.clone().filter_map(of_place).collect()
}

impl Sums {
    fn write(&self, function: &mut Function, counter: Counter, header: Block, latch: Block, before: Block) -> Option<()> {
        let span = function.insts[self.added.0 as usize].span;
        let sum = function.blocks[header.0 as usize].parameters[self.place];
        let ty = function.ty(sum);
        let running = function.blocks[header.0 as usize].parameters.iter().position(|value| *value == self.running)?;
        for data in &mut function.blocks {
            data.insts.retain(|inst| *inst != self.added);
        }
        // In the round: so many times.
        let mut writer = BlockWriter { function, block: latch, span };
        let mut left = writer.emit(Op::Binary(BinaryOp::Sub, counter.limit, counter.value), writer.function.ty(counter.value));
        if self.is_before {
            let one = writer.number(1, writer.function.ty(counter.value));
            left = writer.emit(Op::Binary(BinaryOp::Sub, left, one), writer.function.ty(counter.value));
        }
        let left = of_type(&mut writer, left, ty);
        let product = writer.emit(Op::Binary(BinaryOp::Mul, left, self.addend), ty);
        let next = writer.emit(Op::Binary(BinaryOp::Add, sum, product), ty);
        give(function, latch, header, self.place, next);
        // In front of the loop: what the running sum begins with, once for each round.
        let begin = |function: &Function, place: usize| {
            let mut targets = function.blocks[before.0 as usize].terminator.targets().filter(|target| target.block == header);
            targets.next().map(|target| target.arguments[place])
        };
        let (first, sum_before) = (begin(function, running)?, begin(function, self.place)?);
        let rounds = rounds(function, counter, before, span, ty)?;
        let mut writer = BlockWriter { function, block: before, span };
        let product = writer.emit(Op::Binary(BinaryOp::Mul, rounds, first), ty);
        let all = writer.emit(Op::Binary(BinaryOp::Add, sum_before, product), ty);
        give(function, before, header, self.place, all);
        Some(())
    }
}

/// How many rounds a loop has, in front of it.
fn rounds(function: &mut Function, counter: Counter, before: Block, span: Span, ty: Type) -> Option<Value> {
    let own = function.ty(counter.value);
    let (start, limit) = (counter.start?, counter.limit);
    let mut writer = BlockWriter { function, block: before, span };
    let is_one = writer.emit(Op::Compare(counter.op, start, limit), Type::scalar(Element::Bool));
    let all = writer.emit(Op::Binary(BinaryOp::Sub, limit, start), own);
    let none = writer.number(0, own);
    let rounds = writer.emit(Op::Select(is_one, all, none), own);
    Some(of_type(&mut writer, rounds, ty))
}

/// A number that is not negative as one of another type, modulo its bits.
fn of_type(writer: &mut BlockWriter<'_>, number: Value, ty: Type) -> Value {
    let (own, bits) = (writer.function.ty(number).element.bits(), ty.element.bits());
    match own.cmp(&bits) {
        std::cmp::Ordering::Less => writer.emit(Op::Convert(ConvertOp::ZExt, number), ty),
        std::cmp::Ordering::Greater => writer.emit(Op::Convert(ConvertOp::Trunc, number), ty),
        std::cmp::Ordering::Equal if writer.function.ty(number) == ty => number,
        std::cmp::Ordering::Equal => writer.emit(Op::Reinterpret(number), ty),
    }
}

/// A block gives another argument for a place of the header's parameters.
fn give(function: &mut Function, from: Block, header: Block, place: usize, argument: Value) {
    let targets = function.blocks[from.0 as usize].terminator.targets_mut();
    targets.filter(|target| target.block == header).for_each(|target| target.arguments[place] = argument);
}
