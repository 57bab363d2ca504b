//! What the rounds of a loop add up, or combine by another operation on integers.

use super::super::partial_reductions::is_any_order;
use super::super::widened_rounds::Total;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// That in a place of the header's parameters: what it is combined with comes to it by one operation, in some rounds or in all, and nobody else in the loop looks at it.
/// What is taken away is added with the other sign.
pub(super) fn total(function: &Function, header: Block, blocks: &[Block], index: usize) -> Option<Total> {
    let data = |block: Block| &function.blocks[block.0 as usize];
    let parameter = data(header).parameters[index];
    let element = function.ty(parameter).element;
    if !element.is_int() || element == Element::Bool || function.ty(parameter).length != 1 {
        return None;
    }
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
            let given: Vec<bool> =
                ways.filter(|way| way.block == block).map(|way| members.contains(&way.arguments[place])).collect();
            if given.iter().all(|is_member| *is_member) {
                members.insert(own);
            } else if given.contains(&true) {
                return None;
            }
        }
        for &inst in &data(block).insts {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let is_member = |value: &Value| members.contains(value);
            let is_part = match op {
                Op::Binary(BinaryOp::Sub, a, b) if is_member(a) && !is_member(b) => {
                    *found.get_or_insert(BinaryOp::Add) == BinaryOp::Add
                }
                Op::Binary(op, a, b) if is_member(a) != is_member(b) => is_any_order(*op) && *found.get_or_insert(*op) == *op,
                Op::Select(mask, a, b) if is_member(a) && is_member(b) => !is_member(mask),
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
    (!looks).then_some(Total { index, op: found? })
}
