//! The choice of the smaller or the greater one of two numbers is their minimum or maximum.
//!
//! ```text
//! m = compare.sgt s, 32767
//! t = select m, 32767, s       ──►     t = smin s, 32767
//! ```
//! `if (s > 32767) s = 32767` says so in two steps. Behind it the passes that look for clamps see one, and ranges of numbers are known. Floats are chosen as `fmin` and
//! `fmax` choose: the second operand where the comparison does not hold, which it never does with NaN, and where both are zeros.

use crate::vector::ir::*;

/// Rewrites the selects of a function.
pub fn selected_extremes(function: &mut Function) {
    for block in 0..function.blocks.len() {
        for at in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            let Op::Select(mask, chosen, other) = function.insts[inst.0 as usize].op else { continue };
            if let Some(op) = extreme(function, mask, chosen, other) {
                function.insts[inst.0 as usize].op = op;
            }
        }
    }
}

fn extreme(function: &Function, mask: Value, chosen: Value, other: Value) -> Option<Op> {
    let Some(&Op::Compare(op, a, b)) = function.definition(mask) else { return None };
    // `a op b ? chosen : other` with these two, in one order or the other.
    let is_first = match (
        is_same(function, a, chosen) && is_same(function, b, other),
        is_same(function, a, other) && is_same(function, b, chosen),
    ) {
        (true, _) => true,
        (_, true) => false,
        _ => return None,
    };
    use BinaryOp::{FMax, FMin, SMax, SMin, UMax, UMin};
    let (less, greater) = match op {
        CompareOp::SLt | CompareOp::SLe | CompareOp::SGt | CompareOp::SGe => (SMin, SMax),
        CompareOp::ULt | CompareOp::ULe | CompareOp::UGt | CompareOp::UGe => (UMin, UMax),
        CompareOp::FLt | CompareOp::FGt => (FMin, FMax),
        _ => return None,
    };
    let is_less = matches!(op, CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe | CompareOp::FLt);
    Some(Op::Binary(if is_less == is_first { less } else { greater }, chosen, other))
}

/// Are these one value, or one constant?
fn is_same(function: &Function, a: Value, b: Value) -> bool {
    a == b
        || match (function.definition(a), function.definition(b)) {
            (Some(Op::Const(x)), Some(Op::Const(y))) => x == y && function.ty(a) == function.ty(b),
            (Some(Op::Splat(x)), Some(Op::Splat(y))) => is_same(function, *x, *y),
            _ => false,
        }
}
