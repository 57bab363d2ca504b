//! The numbers that a value may be, by the operations that it is computed with.
//!
//! ```text
//! x & 15, x % 16, clz x      0 … 15, 0 … 15, 0 … 32
//! zext (x: i8), x >> 28      0 … 255, 0 … 15
//! min(x, y), select m, x, y  what their operands say
//! ftos (fmin x, 7.5)         … 7
//! ```
//! All lanes have one range, of signed numbers. Sums and products whose ends do not fit are any number: integers wrap.

use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// So many operations are looked through.
const DEPTH: u32 = 12;

/// Least and greatest.
pub(super) type Range = (i64, i64);

/// Those of an integer of any length.
pub(super) fn range(function: &Function, value: Value) -> Range {
    of(function, value, DEPTH)
}

/// The number that all lanes are, if it is known.
pub(super) fn exactly(function: &Function, value: Value) -> Option<i64> {
    let (low, high) = range(function, value);
    (low == high).then_some(low)
}

/// What a comparison of integers is in all lanes, if their ranges say it.
pub(super) fn decided(op: CompareOp, a: Range, b: Range) -> Option<bool> {
    // Without a sign the order is the same where neither is negative.
    let is_positive = a.0 >= 0 && b.0 >= 0;
    let less = |a: Range, b: Range| if a.1 < b.0 { Some(true) } else { (a.0 >= b.1).then_some(false) };
    let not = |decided: Option<bool>| decided.map(|is| !is);
    let equal = if a.0 == a.1 && a == b { Some(true) } else { (a.1 < b.0 || b.1 < a.0).then_some(false) };
    match op {
        CompareOp::Eq => equal,
        CompareOp::Ne => not(equal),
        CompareOp::SLt => less(a, b),
        CompareOp::SGe => not(less(a, b)),
        CompareOp::SGt => less(b, a),
        CompareOp::SLe => not(less(b, a)),
        CompareOp::ULt if is_positive => less(a, b),
        CompareOp::UGe if is_positive => not(less(a, b)),
        CompareOp::UGt if is_positive => less(b, a),
        CompareOp::ULe if is_positive => not(less(b, a)),
        CompareOp::ULt | CompareOp::UGe | CompareOp::UGt | CompareOp::ULe => None,
        CompareOp::FEq | CompareOp::FNe | CompareOp::FLt | CompareOp::FGt | CompareOp::FLe | CompareOp::FGe => None,
    }
}

/// All numbers of a type.
fn all(ty: Type) -> Range {
    match ty.element {
        Element::Bool => (0, 1),
        element => (i64::MIN >> (64 - element.bits()), i64::MAX >> (64 - element.bits())),
    }
}

/// Those of all values of a function, in the order of its blocks: each is looked at once, however deep.
pub(super) fn ranges(function: &Function, graph: &Graph) -> Vec<Range> {
    let mut known: Vec<Range> = (0..function.values.len()).map(|value| all(function.values[value].ty)).collect();
    for inst in graph.order.iter().flat_map(|block| &function.blocks[block.0 as usize].insts) {
        for &result in &function.insts[inst.0 as usize].results {
            known[result.0 as usize] = by_operands(function, result, |operand| known[operand.0 as usize]);
        }
    }
    known
}

fn of(function: &Function, value: Value, depth: u32) -> Range {
    if depth == 0 { all(function.ty(value)) } else { by_operands(function, value, |operand| of(function, operand, depth - 1)) }
}

/// The range of a value, given those of its operands.
fn by_operands(function: &Function, value: Value, get: impl Fn(Value) -> Range) -> Range {
    let ty = function.ty(value);
    let whole = all(ty);
    let Some(op) = function.definition(value).filter(|_| ty.element.is_int() || ty.element == Element::Bool) else {
        return whole;
    };
    let found: Option<(i128, i128)> = match op {
        Op::Const(bits) => {
            let signed = |b: &u64| {
                if ty.element == Element::Bool {
                    *b as i64
                } else {
                    (*b << (64 - ty.element.bits())) as i64 >> (64 - ty.element.bits())
                }
            };
            let least = bits.iter().map(signed).min().unwrap_or(0);
            Some((least.into(), bits.iter().map(signed).max().unwrap_or(0).into()))
        }
        Op::Splat(a) | Op::Extract(a, _) | Op::Permute(a, _) => Some(wide(get(*a))),
        Op::Ramp { base, step, exact: _ } => {
            let (low, high) = wide(get(*base));
            let reach = i128::from(*step) * i128::from(ty.length - 1);
            Some((low + reach.min(0), high + reach.max(0)))
        }
        Op::Unary(UnaryOp::Popcnt | UnaryOp::Clz | UnaryOp::Ctz, _) if ty.element.bits() > 8 => {
            Some((0, ty.element.bits().into()))
        }
        Op::Unary(UnaryOp::Neg, a) => {
            let (low, high) = wide(get(*a));
            Some((-high, -low))
        }
        Op::Unary(UnaryOp::Abs, a) => {
            let (low, high) = wide(get(*a));
            Some((low.max(-high).max(0), high.max(-low)))
        }
        Op::Binary(op, a, b) if ty.element.is_int() => binary(*op, get(*a), get(*b), whole),
        Op::Select(_, a, b) | Op::Permute2(a, b, _) => Some(union(get(*a), get(*b))),
        Op::Shuffle(a, b, lanes) => {
            let both = union(get(*a), get(*b));
            Some(if lanes.iter().any(|lane| *lane < 0) { (both.0.min(0), both.1.max(0)) } else { both })
        }
        Op::Convert(ConvertOp::ZExt, a) => {
            let from = function.ty(*a);
            Some(unsigned(get(*a), from.element.bits()))
        }
        Op::Convert(ConvertOp::SExt | ConvertOp::Trunc, a) => Some(wide(get(*a))),
        // What does not fit becomes the end that is next to it.
        Op::Convert(ConvertOp::FToS, a) => function.float_range(*a).map(|(least, most)| {
            let end = |end: f64| (end.trunc() as i128).clamp(whole.0.into(), whole.1.into());
            (end(least), end(most))
        }),
        _ => None,
    };
    let fits = |&(low, high): &(i128, i128)| i128::from(whole.0) <= low && high <= i128::from(whole.1);
    found.filter(fits).map_or(whole, |(low, high)| (low as i64, high as i64))
}

fn wide((low, high): Range) -> (i128, i128) {
    (low.into(), high.into())
}

fn union(a: Range, b: Range) -> (i128, i128) {
    wide((a.0.min(b.0), a.1.max(b.1)))
}

/// As numbers without a sign.
fn unsigned(range: Range, bits: u32) -> (i128, i128) {
    if range.0 >= 0 { wide(range) } else { (0, (1 << bits) - 1) }
}

/// Of an operation on two integers; `None` where it may be any. Ends that do not fit are none.
fn binary(op: BinaryOp, a: Range, b: Range, whole: Range) -> Option<(i128, i128)> {
    let bits = 64 - (whole.1 as u64).leading_zeros() + 1;
    let is_positive = a.0 >= 0 && b.0 >= 0;
    let ((a0, a1), (b0, b1)) = (wide(a), wide(b));
    let constant = (b0 == b1).then_some(b0);
    let count = constant.filter(|&by| by >= 0 && by < i128::from(bits));
    match op {
        BinaryOp::Add => Some((a0 + b0, a1 + b1)),
        BinaryOp::Sub => Some((a0 - b1, a1 - b0)),
        BinaryOp::Mul => {
            let ends = [a0 * b0, a0 * b1, a1 * b0, a1 * b1];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        BinaryOp::Shl => count.map(|by| (a0 << by, a1 << by)),
        BinaryOp::AShr => count.map(|by| (a0 >> by, a1 >> by)),
        BinaryOp::LShr => count.filter(|&by| by > 0 || a0 >= 0).map(|by| (0, unsigned(a, bits).1 >> by)),
        BinaryOp::And if is_positive => Some((0, a1.min(b1))),
        BinaryOp::And if b0 >= 0 => Some((0, b1)),
        BinaryOp::And if a0 >= 0 => Some((0, a1)),
        BinaryOp::Or | BinaryOp::Xor if is_positive => Some((0, (1 << (128 - a1.max(b1).leading_zeros())) - 1)),
        BinaryOp::URem => constant.filter(|&by| by > 0).map(|by| (0, by - 1)),
        BinaryOp::SRem => constant.filter(|&by| by > 0).map(|by| (if a0 >= 0 { 0 } else { 1 - by }, by - 1)),
        BinaryOp::UDiv | BinaryOp::SDiv if a0 >= 0 => constant.filter(|&by| by > 0).map(|by| (a0 / by, a1 / by)),
        BinaryOp::SMin => Some((a0.min(b0), a1.min(b1))),
        BinaryOp::SMax => Some((a0.max(b0), a1.max(b1))),
        BinaryOp::UMin if is_positive => Some((a0.min(b0), a1.min(b1))),
        BinaryOp::UMin if b0 >= 0 => Some((0, b1)),
        BinaryOp::UMin if a0 >= 0 => Some((0, a1)),
        BinaryOp::UMax if is_positive => Some((a0.max(b0), a1.max(b1))),
        BinaryOp::UMin
        | BinaryOp::UMax
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::UDiv
        | BinaryOp::SDiv
        | BinaryOp::SAddSat
        | BinaryOp::UAddSat
        | BinaryOp::SSubSat
        | BinaryOp::USubSat
        | BinaryOp::SMulHigh
        | BinaryOp::UMulHigh
        | BinaryOp::SMulRound
        | BinaryOp::ClMul
        | BinaryOp::ClMulHigh
        | BinaryOp::FScale
        | BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FRem
        | BinaryOp::FMin
        | BinaryOp::FMax => None,
    }
}
