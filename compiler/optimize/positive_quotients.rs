//! Quotients and remainders of numbers that are not negative by powers of two are shifts and masks.
//!
//! ```text
//! x = φ(0, x + 64);  branch (compare.ult x, n), …        0 ≤ x < n here
//! i = ramp (trunc x), 1, exact
//! q = sdiv i, 8                                   ──►    q = ashr i, 3
//! r = srem i, 8                                   ──►    r = and i, 7
//! ```
//! So it is in a plain loop from 0 on that does not wrap. LLVM does the same with scalars; what is known of the index of a loop, and that its lanes do not wrap, it does not know, and the passes
//! behind this one know what regular addresses come out of shifts.

use super::jammed_loops::{constant, counter};
use super::multiples::Multiples;
use super::ranges::range;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;

/// So many operations, and so many conditions, are looked at.
const DEPTH: u32 = 8;

/// Rewrites the quotients of a function.
pub fn positive_quotients(function: &mut Function) {
    let is_asked = |inst: &InstData| matches!(inst.op, Op::Binary(BinaryOp::SDiv | BinaryOp::SRem, ..));
    if !function.insts.iter().any(is_asked) {
        return;
    }
    let graph = Graph::new(function);
    for &block in &graph.order {
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            if let Some((op, number, size)) = quotient(function, &graph, block, inst) {
                let InstData { results, span, .. } = &function.insts[inst.0 as usize];
                let (ty, span) = (function.ty(results[0]), *span);
                let by = if op == BinaryOp::And { size - 1 } else { u64::from(size.trailing_zeros()) };
                let by = Writer { function: &mut *function, out: &mut out, span }.emit(Op::Const(vec![by]), ty);
                function.insts[inst.0 as usize].op = Op::Binary(op, number, by);
            }
            out.push(inst);
        }
        function.blocks[block.0 as usize].insts = out;
    }
}

/// What stands for a quotient, of which number, and the power of two.
fn quotient(function: &Function, graph: &Graph, block: Block, inst: Inst) -> Option<(BinaryOp, Value, u64)> {
    let (op, number, by) = match function.insts[inst.0 as usize].op {
        Op::Binary(BinaryOp::SDiv, a, b) => (BinaryOp::AShr, a, b),
        Op::Binary(BinaryOp::SRem, a, b) => (BinaryOp::And, a, b),
        _ => return None,
    };
    let lanes = function.constant(by)?;
    let size = lanes[0];
    let fits =
        size.is_power_of_two() && size.ilog2() + 1 < function.ty(by).element.bits() && lanes.iter().all(|lane| *lane == size);
    (fits && Known { function, graph, block }.is_positive(number, DEPTH)).then_some((op, number, size))
}

/// What is known in a block.
struct Known<'f> {
    function: &'f Function,
    graph: &'f Graph,
    block: Block,
}

impl Known<'_> {
    /// Is no lane negative, of those that matter?
    fn is_positive(&self, value: Value, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        range(self.function, value).0 >= 0
            || self.least_end(value).is_some()
            || self.counts_upwards(value)
            || match self.function.definition(value) {
                Some(&Op::Ramp { base, step, exact: true }) => step >= 0 && self.is_positive(base, depth - 1),
                Some(&Op::Splat(a) | &Op::Convert(ConvertOp::SExt, a)) => self.is_positive(a, depth - 1),
                Some(&Op::Binary(BinaryOp::AShr | BinaryOp::SDiv, a, b)) => {
                    range(self.function, b).0 >= 0 && self.is_positive(a, depth - 1)
                }
                Some(&Op::Binary(BinaryOp::And, a, b)) => self.is_positive(a, depth - 1) || self.is_positive(b, depth - 1),
                Some(&Op::Convert(ConvertOp::Trunc, a)) => {
                    let most = i64::MAX >> (64 - self.function.ty(value).element.bits());
                    self.least_end(a).is_some_and(|end| end - 1 <= most)
                }
                _ => false,
            }
    }

    /// Is it the counter of a loop from 0 or above it, which ends before it wraps: it grows by one, or its end is one of its numbers.
    fn counts_upwards(&self, value: Value) -> bool {
        let ValueDef::Parameter(header, _) = self.function.values[value.0 as usize].def else { return false };
        let counter = self.graph.natural_loop(header).and_then(|_| counter(self.function, self.graph, header));
        let Some(counter) = counter.filter(|counter| counter.value == value && counter.op == CompareOp::SLt) else {
            return false;
        };
        let start = counter.start.and_then(|start| constant(self.function, start));
        let is_multiple = |value: Value| Multiples::default().zeros(self.function, value) >= counter.step.trailing_zeros();
        let meets_end = || counter.step.is_power_of_two() && counter.start.is_some_and(is_multiple) && is_multiple(counter.limit);
        start.is_some() && (counter.step == 1 || meets_end())
    }

    /// The scalar is at least 0, and below this, by the conditions under which the block is reached.
    fn least_end(&self, value: Value) -> Option<i64> {
        let mut block = self.block;
        let mut ends = (0..DEPTH).map_while(|_| {
            let above = self.graph.immediate_dominator(block)?;
            let below = std::mem::replace(&mut block, above);
            Some(self.end_between(value, above, below))
        });
        ends.find_map(|end| end)
    }

    /// The same by the branch at the end of a block, where the other one follows it where that is taken.
    fn end_between(&self, value: Value, above: Block, below: Block) -> Option<i64> {
        let Terminator::Branch { condition, then, otherwise } = &self.function.blocks[above.0 as usize].terminator else {
            return None;
        };
        let is_then = then.block == below && otherwise.block != below && self.graph.predecessors[below.0 as usize].len() == 1;
        match self.function.definition(*condition).filter(|_| is_then) {
            Some(&Op::Compare(CompareOp::ULt, a, end)) if a == value => {
                let (low, high) = range(self.function, end);
                (low >= 0).then_some(high)
            }
            _ => None,
        }
    }
}
