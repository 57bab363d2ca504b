//! What floats may be: least and greatest, and never NaN.
//!
//! ```text
//! fmin x, 255          … 255         (of NaN, min takes the second one)
//! stof (x: i8)         −128 … 127
//! fmul a, 0.299        0 … 76.245, where a is 0 … 255
//! ```
//! Integers are made of such without asking whether they fit. Ends are rounded outwards, so that it does not matter whether a product and a sum
//! are rounded apart; where arithmetic is `fast`, only what is clamped is known.

use super::ir::*;
use crate::target::FpMode;

/// So many operations are looked through.
const DEPTH: u32 = 8;

/// Least and greatest; either may be infinite.
pub type FloatRange = (f64, f64);

impl Function {
    /// What the lanes of a float are in every run, if none of them is NaN.
    pub fn float_range(&self, value: Value) -> Option<FloatRange> {
        self.float_range_within(value, DEPTH)
    }

    /// What the lanes of a float are in every run in which they are not NaN: what `x > 255 ? 255 : x` leaves, though it leaves NaN.
    pub fn number_range(&self, value: Value) -> FloatRange {
        self.number_range_within(value, DEPTH)
    }

    fn number_range_within(&self, value: Value, depth: u32) -> FloatRange {
        if let Some(range) = self.float_range_within(value, depth) {
            return range;
        }
        let all = (f64::NEG_INFINITY, f64::INFINITY);
        let Some(op) = self.definition(value).filter(|_| depth > 0) else { return all };
        let of = |value: &Value| self.number_range_within(*value, depth - 1);
        match op {
            Op::Splat(a) | Op::Extract(a, _) | Op::Permute(a, _) => of(a),
            Op::Select(_, a, b) => union(of(a), of(b)),
            Op::Binary(op @ (BinaryOp::FMin | BinaryOp::FMax), a, b) => {
                let ((lowest, highest), (least, most)) = (of(a), of(b));
                // Of NaN and a number it is the second one, whatever that is.
                let is_number = self.float_range_within(*a, depth - 1).is_some();
                match op {
                    BinaryOp::FMin => (lowest.min(least), if is_number { highest.min(most) } else { most }),
                    _ => (if is_number { lowest.max(least) } else { least }, highest.max(most)),
                }
            }
            Op::Unary(UnaryOp::FNeg, a) => (-of(a).1, -of(a).0),
            Op::Unary(UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::Trunc | UnaryOp::Rint, a) => {
                (of(a).0.floor(), of(a).1.ceil())
            }
            _ => all,
        }
    }

    fn float_range_within(&self, value: Value, depth: u32) -> Option<FloatRange> {
        let element = self.ty(value).element;
        if depth == 0 || !element.is_float() {
            return None;
        }
        let of = |value: &Value| self.float_range_within(*value, depth - 1);
        match self.definition(value)? {
            Op::Const(lanes) => {
                let number = |bits: &u64| {
                    if element == Element::F32 { f64::from(f32::from_bits(*bits as u32)) } else { f64::from_bits(*bits) }
                };
                let numbers = || lanes.iter().map(number);
                let ends = (numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max));
                numbers().all(|number| !number.is_nan()).then_some(ends)
            }
            Op::Splat(a) | Op::Extract(a, _) | Op::Permute(a, _) => of(a),
            Op::Shuffle(a, b, lanes) if lanes.iter().all(|&lane| lane >= 0) => Some(union(of(a)?, of(b)?)),
            Op::Select(_, a, b) => Some(union(of(a)?, of(b)?)),
            Op::Convert(op @ (ConvertOp::SToF | ConvertOp::UToF), a) => {
                let whole = 2f64.powi(self.ty(*a).element.bits() as i32);
                Some(if *op == ConvertOp::UToF { (0.0, whole) } else { (-whole / 2.0, whole / 2.0) })
            }
            // a < b ? a : b and a > b ? a : b: of NaN and a number, the second operand.
            Op::Binary(op @ (BinaryOp::FMin | BinaryOp::FMax), a, b) => {
                let (least, most) = of(b)?;
                let (lowest, highest) = of(a).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
                let chosen = if *op == BinaryOp::FMin { f64::min } else { f64::max };
                Some((chosen(least, lowest), chosen(most, highest)))
            }
            Op::Unary(op, a) => {
                let (least, most) = of(a)?;
                match op {
                    UnaryOp::FNeg => Some((-most, -least)),
                    UnaryOp::FAbs => Some((
                        if least <= 0.0 && most >= 0.0 { 0.0 } else { least.abs().min(most.abs()) },
                        least.abs().max(most.abs()),
                    )),
                    UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::Trunc | UnaryOp::Rint => {
                        Some((least.floor(), most.ceil()))
                    }
                    _ => None,
                }
            }
            _ if self.fp == FpMode::Fast => None,
            Op::Binary(op, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                outwards(element, arithmetic(*op, a, b)?)
            }
            Op::Fma(a, b, c) => {
                let product = arithmetic(BinaryOp::FMul, of(a)?, of(b)?)?;
                outwards(element, arithmetic(BinaryOp::FAdd, product, of(c)?)?)
            }
            _ => None,
        }
    }
}

fn union(a: FloatRange, b: FloatRange) -> FloatRange {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Of finite numbers; what may be infinite may become NaN.
fn arithmetic(op: BinaryOp, a: FloatRange, b: FloatRange) -> Option<FloatRange> {
    if [a.0, a.1, b.0, b.1].iter().any(|end| !end.is_finite()) {
        return None;
    }
    let of_ends = |of: fn(f64, f64) -> f64| {
        let ends = [of(a.0, b.0), of(a.0, b.1), of(a.1, b.0), of(a.1, b.1)];
        (ends.iter().copied().fold(f64::INFINITY, f64::min), ends.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    match op {
        BinaryOp::FAdd => Some((a.0 + b.0, a.1 + b.1)),
        BinaryOp::FSub => Some((a.0 - b.1, a.1 - b.0)),
        BinaryOp::FMul => Some(of_ends(|a, b| a * b)),
        BinaryOp::FDiv if b.0 > 0.0 || b.1 < 0.0 => Some(of_ends(|a, b| a / b)),
        _ => None,
    }
}

/// With room for what was rounded on the way, here and there.
fn outwards(element: Element, (least, most): FloatRange) -> Option<FloatRange> {
    let greatest = if element == Element::F32 { f64::from(f32::MAX) } else { f64::MAX };
    let room = |end: f64| end.abs() * 2f64.powi(-22) + f64::from(f32::MIN_POSITIVE);
    let ends = (least - room(least), most + room(most));
    (-greatest < ends.0 && ends.1 < greatest).then_some(ends)
}
