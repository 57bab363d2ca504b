//! A loop that ends by a sum, or by the first of two limits, ends by a limit that is computed in front of it.
//!
//! ```text
//!                                              l = sub (smax n, 1), 1
//! block1(i):                                   block1(i):
//!     t = add i, 1                      ──►        c = compare.slt i, l
//!     c = compare.slt t, n                         branch c, block2, block3
//!     branch c, block2, block3
//!
//!                                              l = smin n, m
//! block1(i):                                   block1(i):
//!     c = compare.slt i, n              ──►        c = compare.slt i, l
//!     d = compare.slt i, m                         branch c, block2, block3
//!     branch and c, d, block2, block3
//! ```
//! So a search for two neighbours, `i + 1 < n`, and that for a difference of two arrays, `i < n && i < m`, have the form that
//! [`vectorized_rounds`](super::vectorized_rounds()) knows.
//!
//! A number that counts by one from 0 or above it, and is by so much below a number that there is, does not wrap where that is added. A limit below it is
//! one of 0, which it is not below either. Loops that end by their header alone are known as they are.

use super::block_writer::{BlockWriter, is_defined_in};
use super::dead_code;
use super::jammed_loops::rising;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// Rewrites the headers of a function's innermost loops.
pub fn plain_limits(function: &mut Function) {
    let graph = Graph::new(function);
    let mut is_changed = false;
    for &header in graph.order.iter().filter(|&&block| graph.innermost_loop(block) == Some(block)) {
        let Some(inside) = graph.natural_loop(header) else { continue };
        let mut entries = graph.predecessors[header.0 as usize].iter().filter(|block| !inside[block.0 as usize]);
        let (Some(&before), None) = (entries.next(), entries.next()) else { continue };
        let Some(limit) = Limit::of(function, &graph, &inside, header) else { continue };
        limit.write(function, before, header);
        is_changed = true;
    }
    if is_changed {
        dead_code(function);
    }
}

/// Up to where a loop counts.
struct Limit {
    counter: Value,
    op: CompareOp,
    kind: Kind,
}

enum Kind {
    /// The counter and so much more is below a number.
    Sum(u64, Value),
    /// It is below both.
    Both(Value, Value),
}

impl Limit {
    fn of(function: &Function, graph: &Graph, inside: &[bool], header: Block) -> Option<Limit> {
        let data = &function.blocks[header.0 as usize];
        let Terminator::Branch { condition, .. } = data.terminator else { return None };
        let below = |value: Value| match function.definition(value) {
            Some(&Op::Compare(op @ (CompareOp::SLt | CompareOp::ULt), counter, limit)) => {
                let is_counter = data.parameters.contains(&counter) && !is_defined_in(function, inside, limit);
                is_counter.then_some((op, counter, limit))
            }
            _ => None,
        };
        if let Some(&Op::Binary(BinaryOp::And, a, b)) = function.definition(condition) {
            let ((op, counter, a), (other_op, other, b)) = (below(a)?, below(b)?);
            return ((op, counter) == (other_op, other)).then_some(Limit { counter, op, kind: Kind::Both(a, b) });
        }
        let leaves = |(block, data): (usize, &BlockData)| {
            block != header.0 as usize && inside[block] && data.terminator.targets().any(|to| !inside[to.block.0 as usize])
        };
        let counter = rising(function, graph, header).filter(|counter| counter.more < 0 && counter.step == 1)?;
        let start = counter.start.and_then(|start| function.signed_constant(start)).filter(|start| (0..1 << 16).contains(start));
        let is_search = function.blocks.iter().enumerate().take(inside.len()).any(leaves);
        let is_known = matches!(function.definition(condition), Some(Op::Compare(CompareOp::SLt, ..)));
        if !is_search || !is_known || start.is_none() || is_defined_in(function, inside, counter.limit) {
            return None;
        }
        // No number of few bits is known to be greater than all sums.
        let has_room = function.ty(counter.value).element.bits() >= 32;
        let kind = Kind::Sum(counter.more.unsigned_abs(), counter.limit);
        has_room.then_some(Limit { counter: counter.value, op: counter.op, kind })
    }

    fn write(&self, function: &mut Function, before: Block, header: Block) {
        let (ty, span) = (function.ty(self.counter), function.span);
        let mut to = BlockWriter { function, block: before, span };
        let limit = match self.kind {
            Kind::Sum(more, limit) => {
                let more = to.number(more, ty);
                let limit = to.emit(Op::Binary(BinaryOp::SMax, limit, more), ty);
                to.emit(Op::Binary(BinaryOp::Sub, limit, more), ty)
            }
            Kind::Both(a, b) => {
                let least = if self.op == CompareOp::SLt { BinaryOp::SMin } else { BinaryOp::UMin };
                to.emit(Op::Binary(least, a, b), ty)
            }
        };
        to.block = header;
        let goes_on = to.emit(Op::Compare(self.op, self.counter, limit), Type::scalar(Element::Bool));
        if let Terminator::Branch { condition, .. } = &mut to.function.blocks[header.0 as usize].terminator {
            *condition = goes_on;
        }
    }
}
