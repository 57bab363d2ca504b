//! Stores of both branches of an `if` to the same place become one.
//!
//! ```text
//! store p, x, mask a                     v = select a, x, y
//! store p, y, mask b             ──►     m = or a, b
//!                                        store p, v, mask m
//! ```
//! Where a and b say `c` and `not c` under the same mask, [`mask_algebra`](super::mask_algebra) then sees that `m` is that
//! mask, often all on. Stores are merged from the last one backwards, so that an `else if` chain becomes nested selects.
//! Under the merged mask a condition may leave out what that mask implies.
//!
//! The first store is delayed up to the second. No operation in between may touch what it writes: see [`alias`](super::alias).

use super::alias::may_touch;
use super::logic::Logic;
use crate::vector::ir::*;

/// How many instructions are between two stores at most, so that long blocks take linear time.
const DISTANCE: usize = 512;

/// Merges the stores of each block of a function.
pub fn merge_stores(function: &mut Function) {
    let mut logic = Logic::default();
    for block in 0..function.blocks.len() {
        let mut later = function.blocks[block].insts.len();
        while later > 0 {
            later -= 1;
            while let Some(earlier) = partner(function, block, later) {
                // The new instructions stand in front of the later store, the earlier one goes.
                later = later + merge(function, &mut logic, block, earlier, later) - 1;
            }
        }
    }
}

/// The position of the nearest store in front of `later` that can be merged with it.
fn partner(function: &Function, block: usize, later: usize) -> Option<usize> {
    let op = |at: usize| &function.insts[function.blocks[block].insts[at].0 as usize].op;
    let Op::Store { pointer, value, mask: _, streaming: false } = op(later) else { return None };
    for at in (0..later).rev().take(DISTANCE) {
        match op(at) {
            Op::Store { pointer: p, value: v, mask: _, streaming: false }
                if p == pointer && function.ty(*v) == function.ty(*value) =>
            {
                return Some(at);
            }
            other if may_touch(function, other, *pointer) => return None,
            _ => {}
        }
    }
    None
}

/// Makes one store of two; returns how many instructions were put in front.
fn merge(function: &mut Function, logic: &mut Logic, block: usize, earlier: usize, later: usize) -> usize {
    let first = function.blocks[block].insts.remove(earlier);
    let later = later - 1;
    let second = function.blocks[block].insts[later];
    let parts = |inst: Inst| match &function.insts[inst.0 as usize].op {
        Op::Store { pointer: _, value, mask, streaming: _ } => (*value, *mask),
        other => panic!("{other:?} is not a store"),
    };
    let ((x, a), (y, b)) = (parts(first), parts(second));
    let span = function.insts[second.0 as usize].span;
    let Some(b) = b else { return 0 };
    let (ty, mut new) = (function.ty(x), Vec::new());
    let mut create = |function: &mut Function, op, ty| {
        let (inst, value) = function.create(op, ty, span);
        new.push(inst);
        value
    };
    let either = a.map(|a| create(function, Op::Binary(BinaryOp::Or, a, b), ty.mask()));
    let written = logic.of_mask(function, either);
    let (fa, fb) = (logic.of_mask(function, a), logic.of(function, b));
    let chosen = match a {
        // In either order, then: the first condition on the outside makes the nest of an `else if` chain.
        Some(a) if logic.disjoint(fa, fb) => Op::Select(logic.under(function, a, written), x, y),
        _ => Op::Select(logic.under(function, b, written), y, x),
    };
    let chosen = create(function, chosen, ty);
    let Op::Store { value, mask, .. } = &mut function.insts[second.0 as usize].op else { unreachable!("a store") };
    (*value, *mask) = (chosen, either);
    let count = new.len();
    function.blocks[block].insts.splice(later..later, new);
    count
}
