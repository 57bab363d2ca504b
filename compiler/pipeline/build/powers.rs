//! Powers with a small whole exponent are products.
//!
//! ```text
//! pow(a, 2)  ──►  a * a          pow(a, 3)  ──►  a * a * a          pow(a, 4)  ──►  (a * a) * (a * a)
//! ```
//! A square is the nearest number to the exact one, as no call of `pow` can be better; the others are rounded once or twice more, so that strict
//! arithmetic, which keeps the bits of what is written, keeps the calls. Infinities, zeros with their signs and what is no number are the same.

use super::super::expr::{Expr, ExprKind};
use super::Builder;
use crate::target::FpMode;
use crate::typed::ir::{BinaryOp, Constant};

/// What stands several times is no larger than this.
const LARGEST: u32 = 16;

impl Builder<'_, '_> {
    /// The product that a call of a function of the library is, if it is one.
    pub(super) fn power(&self, name: &str, arguments: &[Expr]) -> Option<Expr> {
        let [base, exponent] = arguments else { return None };
        if name != "pow" || self.made.fp == FpMode::Strict || base.size() > LARGEST {
            return None;
        }
        let times = |a: &Expr, b: &Expr| Expr::binary(BinaryOp::Multiply, a.clone(), b.clone());
        let square = times(base, base);
        match whole(exponent)? {
            2 => Some(square),
            3 => Some(times(&square, base)),
            4 => Some(times(&square, &square)),
            _ => None,
        }
    }
}

/// The whole number that an exponent is.
fn whole(exponent: &Expr) -> Option<i64> {
    match exponent.kind() {
        ExprKind::Constant(Constant::Float(value)) => Some(*value as i64).filter(|n| *n as f64 == *value),
        ExprKind::Constant(Constant::Int(value)) => i64::try_from(*value).ok(),
        ExprKind::Convert(of) => whole(of),
        ExprKind::Variable(_)
        | ExprKind::Read(..)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Compare(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Conditional(..)
        | ExprKind::Call(..)
        | ExprKind::Builtin(..)
        | ExprKind::Within(..)
        | ExprKind::Extremum(..)
        | ExprKind::Constant(Constant::Bool(_) | Constant::Null) => None,
    }
}
