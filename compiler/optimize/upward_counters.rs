//! Loops that count down by one count up.
//!
//! ```text
//!     jump block1(s)                                  n = select (compare.sge s, 0), s + 1, 0
//! block1(i):                                          jump block1(0)
//!     branch i ≥ 0, block2, block3              block1(j):
//! block2:                                 ──►       i = sub s, j
//!     …                                               branch j <u n, block2, block3
//!     jump block1(i − 1)                        block2:
//!                                                     …
//!                                                     jump block1(j + 1)
//! ```
//! There are as many rounds, with the same numbers, and the loop ends with the same one; j is a number without a sign. So there is one form of a loop for
//! [`vectorized_rounds`](super::vectorized_rounds()). Loops with vectors in them stay as they are.
//!
//! Where i has no sign, no round comes to it, or to i − 1, behind 0: `zext i` is then `zext s − zext j`, which goes on as an address does.

use super::block_writer::{BlockWriter, is_defined_in, new_value};
use super::counted_loop::{Ways, argument, grown};
use super::dead_code;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// Rewrites the loops of a function.
pub fn upward_counters(function: &mut Function) {
    let graph = Graph::new(function);
    let mut is_changed = false;
    for &header in graph.order.iter().filter(|&&block| graph.innermost_loop(block) == Some(block)) {
        if let Some(found) = Falling::of(function, &graph, header) {
            found.write(function, header);
            is_changed = true;
        }
    }
    if is_changed {
        // The comparison by which it ended is none any more.
        dead_code(function);
    }
}

/// A counter that goes down by one.
struct Falling {
    /// Its place among the parameters of the header.
    index: usize,
    start: Value,
    /// Where the loop begins, and where a round ends.
    before: Block,
    latch: Block,
    op: CompareOp,
    limit: Value,
    inside: Vec<bool>,
}

impl Falling {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Falling> {
        let Ways { before, latch, inside } = Ways::of(function, graph, header)?;
        let data = &function.blocks[header.0 as usize];
        let Terminator::Branch { condition, then, otherwise } = &data.terminator else { return None };
        let Some(&Op::Compare(op, value, limit)) = function.definition(*condition) else { return None };
        let index = data.parameters.iter().position(|&parameter| parameter == value)?;
        if !inside[then.block.0 as usize] || inside[otherwise.block.0 as usize] {
            return None;
        }
        // Numbers that are never below the limit would be counted without an end.
        let has_less = || {
            let bits = function.ty(limit).element.bits();
            let least = if op == CompareOp::SGe { 1 << (bits - 1) } else { 0 };
            matches!(function.definition(limit), Some(Op::Const(number)) if number[0] != least)
        };
        match op {
            CompareOp::SGt | CompareOp::UGt | CompareOp::Ne => {}
            CompareOp::SGe | CompareOp::UGe if has_less() => {}
            _ => return None,
        }
        let is_one_less = grown(function, argument(function, latch, header, index)) == Some((value, -1));
        let mut blocks = (0..).map(Block).zip(&function.blocks).filter(|(block, _)| inside[block.0 as usize]);
        let is_vector = |inst: &Inst| {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let mut is_vector = results.iter().any(|result| function.ty(*result).length > 1);
            op.for_each(|operand| is_vector |= function.ty(operand).length > 1);
            is_vector
        };
        let has_vectors = blocks.any(|(_, data)| data.insts.iter().any(is_vector));
        let start = argument(function, before, header, index);
        (is_one_less && !has_vectors && !is_defined_in(function, &inside, limit)).then_some(Falling {
            index,
            start,
            before,
            latch,
            op,
            limit,
            inside,
        })
    }

    /// How many rounds there are, if that is a small number.
    fn constant(&self, function: &Function) -> Option<u64> {
        let small = |value: Value| function.signed_constant(value).filter(|number| (0..1 << 30).contains(number));
        let rounds = small(self.start)? - small(self.limit)? + i64::from(matches!(self.op, CompareOp::SGe | CompareOp::UGe));
        u64::try_from(rounds).ok()
    }

    fn write(&self, function: &mut Function, header: Block) {
        let Falling { index, start, before, latch, op, limit, .. } = *self;
        let (ty, bool, span) = (function.ty(start), Type::scalar(Element::Bool), function.span);
        let mut to = BlockWriter { function, block: before, span };
        let [zero, one] = [0, 1].map(|number| to.number(number, ty));
        let rounds = match self.constant(to.function) {
            Some(rounds) => to.number(rounds, ty),
            None => {
                let mut rounds = to.emit(Op::Binary(BinaryOp::Sub, start, limit), ty);
                if matches!(op, CompareOp::SGe | CompareOp::UGe) {
                    rounds = to.emit(Op::Binary(BinaryOp::Add, rounds, one), ty);
                }
                // Down to what it is not equal to it goes in any case.
                if op != CompareOp::Ne {
                    let is_one = to.emit(Op::Compare(op, start, limit), bool);
                    rounds = to.emit(Op::Select(is_one, rounds, zero), ty);
                }
                rounds
            }
        };
        let ways = |function: &mut Function, from: Block, argument: Value| {
            let targets = function.blocks[from.0 as usize].terminator.targets_mut();
            targets.filter(|target| target.block == header).for_each(|target| target.arguments[index] = argument);
        };
        ways(to.function, before, zero);

        let counter = new_value(to.function, ty, ValueDef::Parameter(header, index as u32));
        let falling = std::mem::replace(&mut to.function.blocks[header.0 as usize].parameters[index], counter);
        let made = Inst(to.function.insts.len() as u32);
        to.function.insts.push(InstData { op: Op::Binary(BinaryOp::Sub, start, counter), results: vec![falling], span });
        to.function.values[falling.0 as usize].def = ValueDef::Result(made, 0);
        to.function.blocks[header.0 as usize].insts.insert(0, made);
        to.block = header;
        let goes_on = to.emit(Op::Compare(CompareOp::ULt, counter, rounds), bool);
        if let Terminator::Branch { condition, .. } = &mut to.function.blocks[header.0 as usize].terminator {
            *condition = goes_on;
        }

        to.block = latch;
        let next = to.emit(Op::Binary(BinaryOp::Add, counter, one), ty);
        ways(to.function, latch, next);
        if matches!(op, CompareOp::UGt | CompareOp::UGe) || op == CompareOp::Ne && to.function.signed_constant(limit) == Some(0) {
            self.extend(to.function, header, falling, counter);
        }
    }

    /// Extends the counter in place of the number that goes down, in the blocks behind the header.
    fn extend(&self, function: &mut Function, header: Block, falling: Value, counter: Value) {
        let span = function.span;
        // The number of a round, or the one below it.
        let less = |function: &Function, value: Value| match grown(function, value) {
            _ if value == falling => Some(0),
            found => (found == Some((falling, -1))).then_some(1),
        };
        let is_behind = |block: &usize| self.inside[*block] && *block != header.0 as usize;
        for block in (0..self.inside.len()).filter(is_behind) {
            for at in (0..function.blocks[block].insts.len()).rev() {
                let inst = function.blocks[block].insts[at];
                let Op::Convert(ConvertOp::ZExt, from) = function.insts[inst.0 as usize].op else { continue };
                let Some(less) = less(function, from) else { continue };
                let wide = function.ty(function.insts[inst.0 as usize].results[0]);
                let mut to = BlockWriter { function: &mut *function, block: self.before, span };
                let mut start = to.emit(Op::Convert(ConvertOp::ZExt, self.start), wide);
                if less > 0 {
                    let less = to.number(less, wide);
                    start = to.emit(Op::Binary(BinaryOp::Sub, start, less), wide);
                }
                let (rounds, counted) = function.create(Op::Convert(ConvertOp::ZExt, counter), wide, span);
                function.blocks[block].insts.insert(at, rounds);
                function.insts[inst.0 as usize].op = Op::Binary(BinaryOp::Sub, start, counted);
            }
        }
    }
}
