//! What floats are multiples of.
//!
//! ```text
//! stof x               of 1
//! fmul (stof x), 0.25  of 0.25
//! fadd a, 0.0625       of 0.0625, where a is one of 0.25
//! ```
//! A sum or product that is rounded is still a multiple of what it would be one of, since what has fewer digits ends earlier; so it is either zero or not
//! smaller than that. Nothing is known of what comes from memory, and of quotients.

use super::ir::*;
use crate::target::FpMode;

/// So many operations are looked through.
const DEPTH: u32 = 8;
/// Smaller steps are not followed: results would be rounded there because they are small.
const LEAST: i32 = -120;

impl Function {
    /// e, where the lanes of a float are multiples of 2^e in every run, if they are numbers.
    pub fn float_step(&self, value: Value) -> Option<i32> {
        self.float_step_within(value, DEPTH)
    }

    fn float_step_within(&self, value: Value, depth: u32) -> Option<i32> {
        let element = self.ty(value).element;
        if depth == 0 || !element.is_float() {
            return None;
        }
        let of = |value: &Value| self.float_step_within(*value, depth - 1);
        let of_both = |a: &Value, b: &Value| Some(of(a)?.min(of(b)?));
        let step = match self.definition(value)? {
            Op::Const(lanes) => lanes.iter().map(|&bits| step_of(bits, element)).min(),
            Op::Splat(a) | Op::Extract(a, _) | Op::Permute(a, _) => of(a),
            Op::Shuffle(a, b, lanes) if lanes.iter().all(|&lane| lane >= 0) => of_both(a, b),
            Op::Select(_, a, b) => of_both(a, b),
            Op::Convert(ConvertOp::SToF | ConvertOp::UToF, _) => Some(0),
            Op::Unary(UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::Trunc | UnaryOp::Rint, _) => Some(0),
            Op::Unary(UnaryOp::FNeg | UnaryOp::FAbs, a) => of(a),
            Op::Binary(BinaryOp::FMin | BinaryOp::FMax, a, b) => of_both(a, b),
            _ if self.fp == FpMode::Fast => None,
            Op::Binary(BinaryOp::FAdd | BinaryOp::FSub, a, b) => of_both(a, b),
            Op::Binary(BinaryOp::FMul, a, b) => Some(of(a)? + of(b)?),
            Op::Fma(a, b, c) => Some((of(a)? + of(b)?).min(of(c)?)),
            _ => None,
        };
        step.filter(|&step| step >= LEAST)
    }
}

/// What a number is an odd multiple of, as a power of two; zero is one of everything.
fn step_of(bits: u64, element: Element) -> i32 {
    let (digits, bias) = if element == Element::F32 { (23, 127) } else { (52, 1023) };
    let fraction = bits & ((1 << digits) - 1);
    let exponent = (bits >> digits) as i32 & (2 * bias + 1);
    match (exponent, fraction) {
        (0, 0) => bias,
        (0, _) => 1 - bias - digits + fraction.trailing_zeros() as i32,
        _ => exponent - bias - digits + (fraction | 1 << digits).trailing_zeros() as i32,
    }
}
