//! What values of any type can be, where numbers bound them: intervals of `double`s, which hold every `int` exactly.

use super::super::expr::{Expr, ExprKind, Form};
use super::super::simplify::constant_value;
use super::numbers::Numbers;
use super::range::{Interval, Solver};
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, LaneOp};
use crate::types::Element;

/// What is not known.
const ALL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Solver<'_> {
    /// The values of an expression of any type, if constants bound them.
    pub fn constant_range(&self, e: &Expr) -> Option<(f64, f64)> {
        let by_type = Numbers::of_type(e.element()).map(Numbers::real);
        match (self.known_range(e), by_type) {
            (Some((low, high)), Some((least, greatest))) if low < least || high > greatest => Some((least, greatest)),
            (Some((low, high)), None) if !fits(e.element(), low, high) => None,
            (Some(known), _) => Some(known),
            (None, by_type) => by_type,
        }
    }

    /// The same before the type says how far it may go.
    fn known_range(&self, e: &Expr) -> Option<(f64, f64)> {
        let of = |e: &Expr| self.constant_range(e);
        let ends = |interval: &Interval| {
            let end = |e: &Option<Expr>| e.as_ref().and_then(constant_value);
            Some((end(&interval.low)? as f64, end(&interval.high)? as f64))
        };
        let is_float = e.element().is_float();
        match e.form() {
            Form::Variable(_) if e.element() == Element::Int32 => ends(&self.bounds(e)),
            Form::Convert(a) => {
                let (low, high) = of(a)?;
                match Numbers::of_type(e.element()).map(Numbers::real) {
                    _ if is_float => Some(nearest(e.element(), (low, high))),
                    // A conversion from a float saturates, one from an integer wraps.
                    Some((least, greatest)) if a.element().is_float() => {
                        Some((low.trunc().clamp(least, greatest), high.trunc().clamp(least, greatest)))
                    }
                    Some((least, greatest)) => Some((low, high)).filter(|_| low >= least && high <= greatest),
                    None if a.element().is_float() => Some((low.trunc(), high.trunc())),
                    None => Some((low, high)).filter(|_| low.abs() < 2e9 && high.abs() < 2e9 && low >= 0.0),
                }
            }
            // NaN is neither less nor greater: `min` and `max` then give the second operand.
            Form::Extremum(is_min, [a, b]) => {
                let ((a_low, a_high), (b_low, b_high)) = match (of(a), of(b)) {
                    (None, None) => return None,
                    (Some(_), None) if is_float => return None,
                    (a, b) => (a.unwrap_or(ALL), b.unwrap_or(ALL)),
                };
                let of = |a: f64, b: f64| if is_min { a.min(b) } else { a.max(b) };
                Some((of(a_low, b_low), of(a_high, b_high)))
            }
            Form::Choice(_, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Form::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let of = |(x, y): (f64, f64)| match op {
                    BinaryOp::Add => sum(x, y),
                    BinaryOp::Subtract => sum(x, -y),
                    _ => product(x, y),
                };
                let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(of);
                let low = corners.iter().map(|c| c.0).fold(f64::INFINITY, f64::min);
                let high = corners.iter().map(|c| c.1).fold(f64::NEG_INFINITY, f64::max);
                // An infinity would hide a NaN.
                Some(outward(e.element(), (low, high))).filter(|_| corners.iter().all(|c| c.0.is_finite() && c.1.is_finite()))
            }
            Form::Binary(op, a, b) if e.element().is_integer() => {
                let [a, b] = [a, b].map(|e| of(e).and_then(whole).unwrap_or(Numbers::ALL));
                Some(Numbers::binary(op, e.element(), a, b).real())
            }
            Form::Negate(a) => of(a).map(|(low, high)| (-high, -low)),
            Form::Abs(a) => {
                of(a).map(|(low, high)| (low.max(-high).max(0.0), high.max(-low))).filter(|range| whole(*range).is_some())
            }
            Form::Within(_, [low, high]) => Some((of(low)?.0, of(high)?.1)),
            Form::Not(_) | Form::Variable(_) | Form::Binary(..) => None,
            Form::Leaf => self.range_of_leaf(e, ends),
        }
    }

    fn range_of_leaf(&self, e: &Expr, ends: impl Fn(&Interval) -> Option<(f64, f64)>) -> Option<(f64, f64)> {
        match e.kind() {
            ExprKind::Constant(constant) => {
                let bits = scalar::constant(e.element(), *constant);
                let value = f64::from_bits(scalar::convert(e.element(), Element::Double, bits));
                (!value.is_nan()).then_some((value, value))
            }
            ExprKind::Read(source, _) => ends(&self.inference.value_range(*source)),
            ExprKind::Builtin(LaneOp::Floor | LaneOp::Round | LaneOp::Rint | LaneOp::Ceil | LaneOp::Trunc, operands) => {
                let (low, high) = self.constant_range(&operands[0])?;
                Some((low.floor(), high.ceil()))
            }
            ExprKind::Builtin(LaneOp::Popcnt | LaneOp::Clz | LaneOp::Ctz, operands) => {
                Some((0.0, f64::from(operands[0].element().bits())))
            }
            ExprKind::Builtin(LaneOp::Log2, operands) => Some((-1.0, f64::from(operands[0].element().bits() - 1))),
            ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => Some((0.0, 1.0)),
            ExprKind::Builtin(..) | ExprKind::Call(..) | ExprKind::Extremum(_) => None,
            ExprKind::Variable(_) | ExprKind::Unary(..) | ExprKind::Binary(..) => unreachable!("a form of its own"),
            ExprKind::Conditional(..) | ExprKind::Convert(_) | ExprKind::Within(..) => unreachable!("a form of its own"),
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
    match element {
        Element::Float16 => (ivl::Float16::from_f64(low).to_f64(), ivl::Float16::from_f64(high).to_f64()),
        Element::Float => ((low as f32).into(), (high as f32).into()),
        _ => (low, high),
    }
}

/// Does a type without a range of its own hold these values without wrapping, and a `double`, too?
fn fits(element: Element, low: f64, high: f64) -> bool {
    let exact = (1i64 << 53) as f64;
    let (least, greatest) = match element {
        Element::Float16 | Element::Float | Element::Double => return true,
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
pub fn whole((low, high): (f64, f64)) -> Option<Numbers> {
    let limit = (1i64 << 53) as f64;
    (low.abs() < limit && high.abs() < limit && low <= high).then_some(Numbers { low: low as i128, high: high as i128 })
}
