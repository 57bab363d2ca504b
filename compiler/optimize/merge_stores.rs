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
//! The first store is delayed up to the second. No operation in between may touch what it writes: see [`distinct`].

use super::logic::{Formula, Logic};
use crate::vector::ir::*;

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
    for at in (0..later).rev() {
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
        Some(a) if logic.disjoint(fa, fb) => Op::Select(under(function, logic, a, written), x, y),
        _ => Op::Select(under(function, logic, b, written), y, x),
    };
    let chosen = create(function, chosen, ty);
    let Op::Store { value, mask, .. } = &mut function.insts[second.0 as usize].op else { unreachable!("a store") };
    (*value, *mask) = (chosen, either);
    let count = new.len();
    function.blocks[block].insts.splice(later..later, new);
    count
}

/// A mask that agrees with `mask` wherever `care` is on: an operand of `and` that `care` implies is left out.
fn under(function: &Function, logic: &mut Logic, mask: Value, care: Formula) -> Value {
    let mut mask = mask;
    while let Some(Op::Binary(BinaryOp::And, a, b)) = function.definition(mask) {
        let (fa, fb) = (logic.of(function, *a), logic.of(function, *b));
        if logic.implies(care, fa) {
            mask = *b;
        } else if logic.implies(care, fb) {
            mask = *a;
        } else {
            break;
        }
    }
    mask
}

/// May `op` read or write what a store through `pointer` writes, or let others see it?
fn may_touch(function: &Function, op: &Op, pointer: Value) -> bool {
    match op {
        Op::Load { pointer: p, .. }
        | Op::Gather { pointers: p, .. }
        | Op::StridedLoad { pointer: p, .. }
        | Op::Store { pointer: p, .. }
        | Op::Scatter { pointers: p, .. }
        | Op::PackedStore { pointer: p, .. } => !distinct(function, pointer, *p),
        Op::Copy { to, from, .. } => !distinct(function, pointer, *to) || !distinct(function, pointer, *from),
        Op::Prefetch(_) | Op::Assume(_) => false,
        other => other.has_effect(),
    }
}

/// What a pointer is computed from.
#[derive(PartialEq)]
enum Root {
    /// A parameter of the function, by index.
    Parameter(u32),
    Slot(Slot),
    Global(GlobalId),
    /// Loaded, chosen, returned.
    Unknown,
}

/// Is memory behind `written` never reached by pointers like `other`? So for different slots and globals, for slots and
/// parameters (the caller cannot know a slot), and for a `noalias` parameter that is written through and other parameters,
/// slots and globals.
fn distinct(function: &Function, written: Value, other: Value) -> bool {
    let noalias = |index: u32| function.parameter_flags.get(index as usize).is_some_and(|flags| flags.noalias);
    match (root(function, written), root(function, other)) {
        (Root::Unknown, _) | (_, Root::Unknown) => false,
        (Root::Parameter(a), Root::Parameter(b)) => a != b && (noalias(a) || noalias(b)),
        (Root::Parameter(a), Root::Global(_)) | (Root::Global(_), Root::Parameter(a)) => noalias(a),
        (a, b) => a != b,
    }
}

fn root(function: &Function, pointer: Value) -> Root {
    let mut pointer = pointer;
    loop {
        pointer = match function.definition(pointer) {
            Some(Op::PtrIndex { base, .. } | Op::PtrOffset(base, _) | Op::Splat(base)) => *base,
            Some(Op::SlotAddress(slot)) => return Root::Slot(*slot),
            Some(Op::GlobalAddress(global)) => return Root::Global(*global),
            Some(_) => return Root::Unknown,
            None => match function.values[pointer.0 as usize].def {
                ValueDef::Parameter(Block(0), index) => return Root::Parameter(index),
                ValueDef::Parameter(..) | ValueDef::Result(..) => return Root::Unknown,
            },
        };
    }
}
