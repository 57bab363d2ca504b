//! What values of any type can be, where numbers bound them: intervals of `double`s, which hold every `int` exactly.

use super::super::expr::{Expr, ExprKind};
use super::super::simplify::constant_value;
use super::bits::extremes;
use super::range::Solver;
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, LaneOp, UnaryOp};
use crate::types::Element;

impl Solver<'_> {
    /// The values of an expression of any type, if constants bound them.
    pub fn constant_range(&self, e: &Expr) -> Option<(f64, f64)> {
        let by_type = || type_range(e.element()).map(|(low, high)| (low as f64, high as f64));
        let is_float = e.element().is_float();
        let known = match e.kind() {
            ExprKind::Constant(constant) => {
                let bits = scalar::constant(e.element(), *constant);
                let value = f64::from_bits(scalar::convert(e.element(), Element::Double, bits));
                (!value.is_nan()).then_some((value, value))
            }
            ExprKind::Variable(_) if e.element() == Element::Int32 => {
                let interval = self.bounds(e);
                match (interval.low.as_ref().and_then(constant_value), interval.high.as_ref().and_then(constant_value)) {
                    (Some(low), Some(high)) => Some((low as f64, high as f64)),
                    _ => None,
                }
            }
            ExprKind::Read(source, _) => {
                let interval = (self.values)(*source);
                match (interval.low.as_ref().and_then(constant_value), interval.high.as_ref().and_then(constant_value)) {
                    (Some(low), Some(high)) => Some((low as f64, high as f64)),
                    _ => None,
                }
            }
            ExprKind::Convert(a) => {
                let (low, high) = self.constant_range(a)?;
                match type_range(e.element()) {
                    _ if is_float => Some(nearest(e.element(), (low, high))),
                    // A conversion from a float saturates, one from an integer wraps.
                    Some((least, greatest)) if a.element().is_float() => Some((
                        low.trunc().clamp(least as f64, greatest as f64),
                        high.trunc().clamp(least as f64, greatest as f64),
                    )),
                    Some((least, greatest)) if low >= least as f64 && high <= greatest as f64 => Some((low, high)),
                    Some(_) => None,
                    None if a.element().is_float() => Some((low.trunc(), high.trunc())),
                    None => Some((low, high)).filter(|_| low.abs() < 2e9 && high.abs() < 2e9 && low >= 0.0),
                }
            }
            // NaN is neither less nor greater: `min` and `max` then give the second operand.
            ExprKind::Builtin(builtin @ (LaneOp::Min | LaneOp::Max), operands) => {
                let (a, b) = (self.constant_range(&operands[0]), self.constant_range(&operands[1]));
                match (builtin, a, b) {
                    (LaneOp::Min, Some(a), Some(b)) => Some((a.0.min(b.0), a.1.min(b.1))),
                    (LaneOp::Max, Some(a), Some(b)) => Some((a.0.max(b.0), a.1.max(b.1))),
                    (LaneOp::Min, None, Some(b)) => Some((f64::NEG_INFINITY, b.1)),
                    (LaneOp::Max, None, Some(b)) => Some((b.0, f64::INFINITY)),
                    (LaneOp::Min, Some(a), None) if !is_float => Some((f64::NEG_INFINITY, a.1)),
                    (LaneOp::Max, Some(a), None) if !is_float => Some((a.0, f64::INFINITY)),
                    _ => None,
                }
            }
            ExprKind::Builtin(LaneOp::Floor | LaneOp::Round | LaneOp::Ceil | LaneOp::Trunc, operands) => {
                let (low, high) = self.constant_range(&operands[0])?;
                Some((low.floor(), high.ceil()))
            }
            ExprKind::Builtin(LaneOp::Select, operands) => {
                let (a, b) = (self.constant_range(&operands[1])?, self.constant_range(&operands[2])?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            ExprKind::Conditional(_, a, b) => {
                let (a, b) = (self.constant_range(a)?, self.constant_range(b)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            ExprKind::Builtin(LaneOp::Popcnt | LaneOp::Clz | LaneOp::Ctz, operands) => {
                Some((0.0, f64::from(operands[0].element().bits())))
            }
            ExprKind::Builtin(LaneOp::Log2, operands) => Some((-1.0, f64::from(operands[0].element().bits() - 1))),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), a, b) => {
                let (a, b) = (self.constant_range(a)?, self.constant_range(b)?);
                let corners = match op {
                    BinaryOp::Add => vec![sum(a.0, b.0), sum(a.1, b.1)],
                    BinaryOp::Subtract => vec![sum(a.0, -b.1), sum(a.1, -b.0)],
                    _ => vec![product(a.0, b.0), product(a.0, b.1), product(a.1, b.0), product(a.1, b.1)],
                };
                let low = corners.iter().map(|c| c.0).fold(f64::INFINITY, f64::min);
                let high = corners.iter().map(|c| c.1).fold(f64::NEG_INFINITY, f64::max);
                // An infinity would hide a NaN.
                Some(outward(e.element(), (low, high))).filter(|_| corners.iter().all(|c| c.0.is_finite() && c.1.is_finite()))
            }
            ExprKind::Binary(op, a, b) if e.element().is_integer() => {
                integers(*op, self.constant_range(a).and_then(whole), self.constant_range(b).and_then(whole))
            }
            ExprKind::Unary(UnaryOp::Negate, a) => self.constant_range(a).map(|(low, high)| (-high, -low)),
            ExprKind::Builtin(LaneOp::Abs, operands) => self
                .constant_range(&operands[0])
                .map(|(low, high)| (low.max(-high).max(0.0), high.max(-low)))
                .filter(|range| whole(*range).is_some()),
            ExprKind::Within(_, low, high) => {
                let (low, high) = (self.constant_range(low)?, self.constant_range(high)?);
                Some((low.0, high.1))
            }
            ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => Some((0.0, 1.0)),
            ExprKind::Variable(_)
            | ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::Binary(..)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..)
            | ExprKind::Extremum(_) => None,
        };
        match (known, by_type()) {
            (Some((low, high)), Some((least, greatest))) if low < least || high > greatest => Some((least, greatest)),
            (Some((low, high)), None) if !fits(e.element(), low, high) => None,
            (Some(known), _) => Some(known),
            (None, by_type) => by_type,
        }
    }
}

/// What was rounded to `result`: the real one is between these.
fn around(result: f64, is_exact: bool) -> (f64, f64) {
    if is_exact { (result, result) } else { (result.next_down(), result.next_up()) }
}

/// What the sum of two numbers is in ℝ.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let result = a + b;
    around(result, result - a == b && result - b == a)
}

/// What the product of two numbers is in ℝ.
fn product(a: f64, b: f64) -> (f64, f64) {
    let result = a * b;
    around(result, a.mul_add(b, -result) == 0.0)
}

/// What a result in ℝ can be where it is rounded to a type, and where it is not, since it is fused with what comes next.
fn outward(element: Element, (low, high): (f64, f64)) -> (f64, f64) {
    if element != Element::Float {
        return (low, high);
    }
    let (below, above) = (low as f32, high as f32);
    let below = if f64::from(below) > low { below.next_down() } else { below };
    let above = if f64::from(above) < high { above.next_up() } else { above };
    (below.into(), above.into())
}

/// What is converted to a type is rounded, and as little out of order as before.
fn nearest(element: Element, (low, high): (f64, f64)) -> (f64, f64) {
    if element == Element::Float { ((low as f32).into(), (high as f32).into()) } else { (low, high) }
}

/// Does a type without a range of its own hold these values without wrapping, and a `double`, too?
fn fits(element: Element, low: f64, high: f64) -> bool {
    let exact = (1i64 << 53) as f64;
    let (least, greatest) = match element {
        Element::Float | Element::Double => return true,
        Element::Int32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
        Element::Uint32 => (0.0, f64::from(u32::MAX)),
        Element::Uint64 => (0.0, exact),
        Element::Int64 => (-exact, exact),
        Element::Bool | Element::Int8 | Element::Uint8 | Element::Int16 | Element::Uint16 => return true,
    };
    // An end that is not known is that of the type.
    (low >= least || low == f64::NEG_INFINITY) && (high <= greatest || high == f64::INFINITY)
}

/// Its ends as integers; not of an empty one, where a loop has no iteration.
pub(super) fn whole((low, high): (f64, f64)) -> Option<(i64, i64)> {
    let limit = (1i64 << 53) as f64;
    (low.abs() < limit && high.abs() < limit && low <= high).then_some((low as i64, high as i64))
}

/// Operators on integers that are no ring operators.
fn integers(op: BinaryOp, a: Option<(i64, i64)>, b: Option<(i64, i64)>) -> Option<(f64, f64)> {
    let real = |(low, high): (i64, i64)| (low as f64, high as f64);
    let is_int = |(low, high): (i64, i64)| low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX);
    let hull = |all: [i64; 4]| (*all.iter().min().expect("corners"), *all.iter().max().expect("corners"));
    match (op, a, b) {
        (BinaryOp::Divide, Some(a), Some(b)) if b.0 > 0 => {
            Some(real(hull([a.0.div_euclid(b.0), a.0.div_euclid(b.1), a.1.div_euclid(b.0), a.1.div_euclid(b.1)])))
        }
        (BinaryOp::Remainder, Some(a), Some(b)) if b.0 > 0 && a.0 >= 0 && a.1 < b.0 => Some(real(a)),
        (BinaryOp::Remainder, _, Some(b)) => Some(real(((b.0 + 1).min(0), (b.1 - 1).max(0)))),
        (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, Some(a), Some(b)) if is_int(a) && is_int(b) => {
            Some(real(extremes(op, a, b)))
        }
        (BinaryOp::BitAnd, Some(a), _) if a.0 >= 0 => Some((0.0, a.1 as f64)),
        (BinaryOp::BitAnd, _, Some(b)) if b.0 >= 0 => Some((0.0, b.1 as f64)),
        (BinaryOp::ShiftRight, Some(a), Some(b)) if b.0 >= 0 && b.1 < 8 => {
            Some(real(hull([a.0 >> b.0, a.0 >> b.1, a.1 >> b.0, a.1 >> b.1])))
        }
        (BinaryOp::ShiftLeft, Some(a), Some(b)) if b.0 >= 0 && b.1 < 8 => {
            Some(real(hull([a.0 << b.0, a.0 << b.1, a.1 << b.0, a.1 << b.1])))
        }
        _ => None,
    }
}

/// The values of a type that is narrow enough to bound something.
pub fn type_range(element: Element) -> Option<(i64, i64)> {
    match element {
        Element::Bool => Some((0, 1)),
        Element::Int8 => Some((-128, 127)),
        Element::Uint8 => Some((0, 255)),
        Element::Int16 => Some((-32768, 32767)),
        Element::Uint16 => Some((0, 65535)),
        Element::Int32 | Element::Int64 | Element::Uint32 | Element::Uint64 | Element::Float | Element::Double => None,
    }
}
