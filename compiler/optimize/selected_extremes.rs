//! The choice of the smaller or the greater one of two numbers is their minimum or maximum.
//!
//! ```text
//! m = compare.sgt s, 32767
//! t = select m, 32767, s       ──►     t = smin s, 32767
//! ```
//! `if (s > 32767) s = 32767` says so in two steps. Behind it the passes that look for clamps see one, and ranges of numbers are known. Floats are chosen as `fmin` and
//! `fmax` choose: the second operand where the comparison does not hold, which it never does with NaN, and where both are zeros.
//!
//! `d < 0 ? -d : d` is the magnitude of d, of which sums of distances are made.
//!
//! A helper that returns fewer bits chooses behind the truncation, and between two ends; each is the choice before it:
//!
//! ```text
//! c = compare.sgt x, 255                            y = smin x, 255
//! d = compare.slt x, 0                              z = smax y, 0
//! t = convert.trunc x                     ──►       v = convert.trunc z
//! u = select c, 255, t;  v = select d, 0, u
//! ```
//! Where x is below the least end, so is its minimum with a greater one, and elsewhere neither is.

use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// Rewrites the selects of a function.
pub fn selected_extremes(function: &mut Function) {
    remake(function, |writer, inst| {
        let Op::Select(mask, chosen, other) = writer.function.insts[inst.0 as usize].op else { return None };
        let function = &*writer.function;
        let found = extreme(function, mask, chosen, other).or_else(|| absolute(function, mask, chosen, other));
        found.or_else(|| limited(writer, mask, chosen, other))
    });
}

/// A number that is limited by a constant before it is truncated, or by a second one on the other side.
fn limited(writer: &mut Writer<'_>, mask: Value, chosen: Value, other: Value) -> Option<Op> {
    use BinaryOp::{SMax, SMin, UMax, UMin};
    let function = &writer.function;
    let &Op::Compare(op, a, b) = function.definition(mask)? else { return None };
    let (op, x, end) = if function.constant(b).is_some() { (op, a, b) } else { (op.swapped()?, b, a) };
    let ends = function.constant(end)?;
    let (limit, opposite) = match op {
        CompareOp::SGt | CompareOp::SGe => (SMin, SMax),
        CompareOp::SLt | CompareOp::SLe => (SMax, SMin),
        CompareOp::UGt | CompareOp::UGe => (UMin, UMax),
        CompareOp::ULt | CompareOp::ULe => (UMax, UMin),
        _ => return None,
    };
    let truncated = match *function.definition(other)? {
        Op::Convert(ConvertOp::Trunc, from) => Some(from),
        _ => None,
    };
    let (ty, from) = (function.ty(x), truncated.unwrap_or(other));
    let kept = u64::MAX >> (64 - function.ty(other).element.bits());
    let is_end = |(chosen, end): (u64, &u64)| chosen == end & kept;
    if !function.constant(chosen)?.into_iter().zip(&ends).all(is_end) {
        return None;
    }
    let is_beyond = || {
        let &Op::Binary(before, a, b) = function.definition(from)? else { return None };
        let others = function.constant(if a == x { b } else { a })?;
        let bits = 64 - ty.element.bits();
        let in_order = |(end, other): (&u64, u64)| match limit {
            SMin => (end << bits) as i64 >= (other << bits) as i64,
            SMax => (end << bits) as i64 <= (other << bits) as i64,
            UMin => *end >= other,
            _ => *end <= other,
        };
        Some(before == opposite && (a == x || b == x) && ends.iter().zip(others).all(in_order))
    };
    if !(truncated == Some(x) || is_beyond() == Some(true)) {
        return None;
    }
    let limited = Op::Binary(limit, from, end);
    Some(match truncated {
        Some(_) => Op::Convert(ConvertOp::Trunc, writer.emit(limited, ty)),
        None => limited,
    })
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

/// `x < 0 ? -x : x`, in one order or the other; of integers, whose least one is its own opposite in both forms.
fn absolute(function: &Function, mask: Value, chosen: Value, other: Value) -> Option<Op> {
    let &Op::Compare(op, a, b) = function.definition(mask)? else { return None };
    let is_zero = |value: Value| function.constant(value).is_some_and(|lanes| lanes.iter().all(|&lane| lane == 0));
    let (op, x) = if is_zero(b) { (op, a) } else { (op.swapped().filter(|_| is_zero(a))?, b) };
    let is_opposite = |value: Value| match function.definition(value) {
        Some(&Op::Unary(UnaryOp::Neg, of)) => of == x,
        Some(&Op::Binary(BinaryOp::Sub, nothing, of)) => of == x && is_zero(nothing),
        _ => false,
    };
    let (opposite, same) = match op {
        CompareOp::SLt | CompareOp::SLe => (chosen, other),
        CompareOp::SGt | CompareOp::SGe => (other, chosen),
        _ => return None,
    };
    (same == x && is_opposite(opposite)).then_some(Op::Unary(UnaryOp::Abs, x))
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
