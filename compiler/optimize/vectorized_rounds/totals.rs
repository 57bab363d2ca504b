//! What the rounds of a loop add up, or combine by another operation on integers or truths.
//!
//! ```text
//! total = total + x          if (c) total = total + x          ok = ok & c
//! if (c) ok = false          if (c) found = 1                  by `and` and `or`
//! if (c) last = i                                              by `max`: the counter grows, and begins no lower than `last`
//! ```
//! What becomes a constant in some rounds is combined with that constant in them, where it stays that constant: since nothing else happens to it, or
//! since no number that it is combined with changes it.

use super::super::jammed_loops::{Counter, constant as positive};
use super::super::partial_reductions::is_any_order;
use super::super::widened_rounds::Total;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// That in a place of the header's parameters: what it is combined with comes to it by one operation, in some rounds or in all, and nobody else in the loop looks at it.
/// What is taken away is added with the other sign.
pub(super) fn total(function: &Function, header: Block, counter: &Counter, blocks: &[Block], index: usize) -> Option<Total> {
    let data = |block: Block| &function.blocks[block.0 as usize];
    let parameter = data(header).parameters[index];
    let element = function.ty(parameter).element;
    if !element.is_int() && element != Element::Bool || function.ty(parameter).length != 1 {
        return None;
    }
    let constant = |value: Value| Some(function.constant(value)?[0]);
    let start = || start(function, header, blocks, index);
    let becomes = |to: u64| combination(element, start(), to);
    let begins_no_lower = || {
        let first = positive(function, counter.start?)?;
        let bits = element.bits();
        // With its sign.
        Some(start()? << (64 - bits)).filter(|start| (*start as i64 >> (64 - bits)) <= first as i64)
    };
    let counts = |value: Value| value == counter.value && counter.op == CompareOp::SLt && begins_no_lower().is_some();
    // The constants that it becomes, and whether it is combined with something else.
    let (mut constants, mut is_combined) = (FxHashSet::default(), false);
    // The total as it is on all ways through the loop.
    let mut members = FxHashSet::from_iter([parameter]);
    let mut found = None;
    let mut looks = false;
    for &inst in &data(header).insts {
        function.insts[inst.0 as usize].op.for_each(|operand| looks |= operand == parameter);
    }
    for &block in blocks {
        for (place, &own) in data(block).parameters.iter().enumerate() {
            let ways = [header].into_iter().chain(blocks.iter().copied()).flat_map(|from| data(from).terminator.targets());
            let given = ways.filter(|way| way.block == block).map(|way| way.arguments[place]);
            let (kept, other): (Vec<Value>, Vec<Value>) = given.partition(|argument| members.contains(argument));
            if kept.is_empty() {
                continue;
            }
            for to in other {
                if counts(to) {
                    is_combined = true;
                    if *found.get_or_insert(BinaryOp::SMax) != BinaryOp::SMax {
                        return None;
                    }
                    continue;
                }
                let op = becomes(constant(to)?)?;
                if *found.get_or_insert(op) != op {
                    return None;
                }
                constants.insert(constant(to)?);
            }
            members.insert(own);
        }
        for &inst in &data(block).insts {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let is_member = |value: &Value| members.contains(value);
            let is_part = match op {
                Op::Binary(BinaryOp::Sub, a, b) if is_member(a) && !is_member(b) => {
                    is_combined = true;
                    *found.get_or_insert(BinaryOp::Add) == BinaryOp::Add
                }
                Op::Binary(op, a, b) if is_member(a) != is_member(b) => {
                    is_combined = true;
                    is_any_order(*op) && *found.get_or_insert(*op) == *op
                }
                Op::Select(mask, a, b) if is_member(a) && is_member(b) => !is_member(mask),
                Op::Select(mask, a, b) if (is_member(a) || is_member(b)) && !is_member(mask) => {
                    let to = if is_member(a) { *b } else { *a };
                    let op = if counts(to) {
                        is_combined = true;
                        BinaryOp::SMax
                    } else {
                        constants.insert(constant(to)?);
                        becomes(constant(to)?)?
                    };
                    *found.get_or_insert(op) == op
                }
                op => {
                    op.for_each(|operand| looks |= is_member(&operand));
                    continue;
                }
            };
            if !is_part {
                return None;
            }
            members.insert(results[0]);
        }
        let terminator = &data(block).terminator;
        if let Terminator::Branch { condition, .. } = terminator {
            looks |= members.contains(condition);
        }
        let mut back = terminator.targets().filter(|target| target.block == header);
        looks |= back.any(|target| {
            let mut arguments = target.arguments.iter().enumerate();
            arguments.any(|(place, argument)| members.contains(argument) != (place == index))
        });
    }
    let op = found.filter(|op| element != Element::Bool || matches!(op, BinaryOp::And | BinaryOp::Or))?;
    // Of `or` all bits, of `and` none.
    let last = if op == BinaryOp::Or { u64::MAX >> (64 - element.bits()) } else { 0 };
    let stays = constants.iter().all(|to| *to == last) || constants.len() == 1 && !is_combined;
    (!looks && stays).then_some(Total { index, op })
}

/// What a total begins with, if that is a constant.
fn start(function: &Function, header: Block, blocks: &[Block], index: usize) -> Option<u64> {
    let outside = (0..).map(Block).zip(&function.blocks).filter(|(block, _)| !blocks.contains(block));
    let mut ways = outside.flat_map(|(_, data)| data.terminator.targets()).filter(|way| way.block == header);
    let first = function.constant(ways.next()?.arguments[index])?[0];
    ways.all(|way| function.constant(way.arguments[index]).is_some_and(|lanes| lanes[0] == first)).then_some(first)
}

/// The operation by which a number that begins with `start` is combined with one that it becomes.
fn combination(element: Element, start: Option<u64>, to: u64) -> Option<BinaryOp> {
    let start = if element == Element::Bool { 1 - to } else { start? };
    if start | to == to { Some(BinaryOp::Or) } else { (start & to == to).then_some(BinaryOp::And) }
}
