//! Searches that end by a sum: `for (int i = 0; i + m <= n; i++)`, as those for a word in a text.
//!
//! ```text
//!                                                     ok = 1 ≤ m and n <u 2³¹ − 1;  l = select ok, n − m + 1, 0
//! block1(i):                                      block1(i):
//!     branch i + m ≤ n, block2, block5    ──►         branch i < l or (not ok and i + m ≤ n), block2, block5
//! ```
//! Where `ok` holds no sum up to the limit wraps, so that the loop goes on just where i < l; where it does not, l is 0, and blocks of rounds in front of the loop are none.
//! `i + m < n` ends at n − m, where neither is below 0. So do `i <= n - m` and `i < n - m`, which say the same there.
//!
//! What a round reads is there for all i < l: of an array of n elements those at i, and at i + m − 1 (or i + m below n), and of one of m ≥ 1 elements the first and the last one.

use super::super::addresses::Sum;
use super::super::block_writer::BlockWriter;
use super::super::counted_loop::{Ways, argument, each_round, values_of};
use super::super::jammed_loops::Counter;
use super::{Access, Rounds};
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// The function with such a limit in front of a loop, if it is one that ends so.
pub(super) fn with_limit(function: &Function, graph: &Graph, header: Block) -> Option<Function> {
    let Ways { before, latch, inside } = Ways::of(function, graph, header)?;
    let Terminator::Branch { condition, .. } = function.blocks[header.0 as usize].terminator else { return None };
    let Op::Compare(op @ (CompareOp::SLt | CompareOp::SLe), sum, limit) = *function.definition(condition)? else { return None };
    let index_of = |value: Value| function.blocks[header.0 as usize].parameters.iter().position(|&own| own == value);
    let (counter, added, limit) = match (function.definition(sum), function.definition(limit)) {
        (Some(&Op::Binary(BinaryOp::Add, a, b)), _) => {
            if index_of(a).is_some() {
                (a, b, limit)
            } else {
                (b, a, limit)
            }
        }
        (_, Some(&Op::Binary(BinaryOp::Sub, whole, part))) => (sum, part, whole),
        _ => return None,
    };
    let start = argument(function, before, header, index_of(counter)?);
    let begins_positive = function.signed_constant(start).is_some_and(|start| start >= 0);
    let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
    let values = values_of(function, &blocks);
    let is_known = function.constant(added).is_some() || values.contains(&added) || values.contains(&limit);
    let ty = function.ty(counter);
    if is_known || !begins_positive || !counts_by_one(function, latch, header, counter) || ty.element.bits() < 32 {
        return None;
    }

    let mut made = function.clone();
    let span = made.span;
    let bool = Type::scalar(Element::Bool);
    let mut to = BlockWriter { function: &mut made, block: before, span };
    let most = u64::MAX >> (65 - ty.element.bits());
    let least = u64::from(op == CompareOp::SLe);
    let [least, most, zero] = [least, most, 0].map(|number| to.number(number, ty));
    let adds = to.emit(Op::Compare(CompareOp::SGe, added, least), bool);
    let below = if op == CompareOp::SLe { CompareOp::ULt } else { CompareOp::ULe };
    let is_small = to.emit(Op::Compare(below, limit, most), bool);
    let ok = to.emit(Op::Binary(BinaryOp::And, adds, is_small), bool);
    let left = to.emit(Op::Binary(BinaryOp::Sub, limit, added), ty);
    let rounds = to.emit(Op::Binary(BinaryOp::Add, left, least), ty);
    let end = to.emit(Op::Select(ok, rounds, zero), ty);
    let otherwise = to.emit(Op::Unary(UnaryOp::Not, ok), bool);
    to.block = header;
    let is_below = to.emit(Op::Compare(CompareOp::SLt, counter, end), bool);
    let other = to.emit(Op::Binary(BinaryOp::And, otherwise, condition), bool);
    let goes_on = to.emit(Op::Binary(BinaryOp::Or, is_below, other), bool);
    if let Terminator::Branch { condition, .. } = &mut to.function.blocks[header.0 as usize].terminator {
        *condition = goes_on;
    }
    Some(made)
}

/// The counter of a loop that has such a limit.
pub(super) fn counter_below(function: &Function, graph: &Graph, header: Block) -> Option<Counter> {
    let Terminator::Branch { condition, ref then, .. } = function.blocks[header.0 as usize].terminator else { return None };
    let Op::Binary(BinaryOp::Or, below, _) = *function.definition(condition)? else { return None };
    let Op::Compare(op @ CompareOp::SLt, value, limit) = *function.definition(below)? else { return None };
    let index = function.blocks[header.0 as usize].parameters.iter().position(|&own| own == value)?;
    let Ways { before, latch, .. } = Ways::of(function, graph, header)?;
    let start = Some(argument(function, before, header, index));
    let counter = Counter { value, index, start, step: 1, op, limit, more: 0, body: then.block };
    (counts_by_one(function, latch, header, value) && end(function, limit).is_some()).then_some(counter)
}

fn counts_by_one(function: &Function, latch: Block, header: Block, counter: Value) -> bool {
    let index = function.blocks[header.0 as usize].parameters.iter().position(|&own| own == counter);
    index.is_some_and(|index| each_round(function, counter, argument(function, latch, header, index)) == Some(1))
}

/// The numbers n and m of a limit n − m + c, and c, which is 0 or 1: where it is not 0, m is at least c, and n is not negative.
fn end(function: &Function, limit: Value) -> Option<(Value, Value, i64)> {
    let Op::Select(ok, rounds, _) = *function.definition(limit)? else { return None };
    let Op::Binary(BinaryOp::And, adds, is_small) = *function.definition(ok)? else { return None };
    let Op::Compare(CompareOp::SGe, part, least) = *function.definition(adds)? else { return None };
    let Op::Compare(CompareOp::ULt | CompareOp::ULe, whole, most) = *function.definition(is_small)? else { return None };
    let Sum { terms, constant } = Sum::of(function, rounds);
    let is_it = terms.len() == 2 && terms.contains(&(whole, 1)) && terms.contains(&(part, -1));
    let is_least = (0..=1).contains(&constant) && function.signed_constant(least) == Some(constant);
    let is_positive = function.signed_constant(most).is_some_and(|most| most > 0);
    (is_it && is_least && is_positive).then_some((whole, part, constant))
}

impl Rounds {
    /// Is what each round below such a limit reads there, by the elements that the caller promises?
    pub(super) fn is_there_below_sum(&self, function: &Function, access: &Access) -> bool {
        let is_there = || {
            let (whole, part, constant) = end(function, self.counter.limit)?;
            let first = || access.address.constant().filter(|(_, bytes)| *bytes == 0);
            let (array, index, size) = match first() {
                Some((array, _)) => (array, Sum { terms: Vec::new(), constant: 0 }, access.size as i64),
                None => access.address.element()?,
            };
            let ValueDef::Parameter(Block(0), place) = function.values[array.0 as usize].def else { return None };
            let elements = function.parameter_flags.get(place as usize)?.elements?;
            let Count::Parameter(count) = elements.count else { return None };
            let is_count = |value: Value| function.values[value.0 as usize].def == ValueDef::Parameter(Block(0), count);
            let is_sum =
                |terms: &[Value]| index.terms.len() == terms.len() && terms.iter().all(|&term| index.terms.contains(&(term, 1)));
            let has_size = size as u64 == elements.size && elements.size == access.size;
            let counter = self.counter.value;
            let is_inside = match access.step {
                Some(0) => {
                    is_count(part)
                        && constant == 1
                        && (is_sum(&[]) && index.constant == 0 || is_sum(&[part]) && index.constant == -1)
                }
                _ => {
                    is_count(whole)
                        && (is_sum(&[counter]) && index.constant == 0 || is_sum(&[counter, part]) && index.constant == -constant)
                }
            };
            Some(has_size && is_inside)
        };
        is_there() == Some(true)
    }
}
