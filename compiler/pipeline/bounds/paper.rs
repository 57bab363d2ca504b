//! β₀, the baseline of figure 10 (b): interval arithmetic with nothing known but the intervals of variables. A bounds engine is
//! to be no worse (Definition 3.7).

use super::super::expr::{Expr, ExprKind, Variable};
use super::super::simplify::constant_value;
use crate::typed::ir::{BinaryOp, LaneOp, UnaryOp};

/// Which rule for `div` is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Division {
    /// \[−M, 2M − 1\], a minimum and a length, as the paper prints it: it ends at M − 2, so that 3 div 1 is not in it.
    Printed,
    /// \[−M, 2M + 1\]: up to M.
    Sound,
}

/// Γ of figure 10 (b), for variables.
pub type Environment<'e> = &'e dyn Fn(Variable) -> Option<(i128, i128)>;

/// 𝓘(e, Γ), with its last value instead of its length; `None` is \[−∞, ∞\].
pub fn interval(e: &Expr, gamma: Environment<'_>, division: Division) -> Option<(i128, i128)> {
    let of = |e: &Expr| interval(e, gamma, division);
    let hull = |all: &[i128]| Some((*all.iter().min()?, *all.iter().max()?));
    match e.kind() {
        ExprKind::Constant(_) => constant_value(e).map(|n| (n.into(), n.into())),
        ExprKind::Variable(v) => gamma(*v),
        ExprKind::Unary(UnaryOp::Negate, a) => of(a).map(|(low, high)| (-high, -low)),
        ExprKind::Binary(BinaryOp::Add, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            Some((a.0 + b.0, a.1 + b.1))
        }
        ExprKind::Binary(BinaryOp::Subtract, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            Some((a.0 - b.1, a.1 - b.0))
        }
        ExprKind::Binary(BinaryOp::Multiply, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            hull(&[a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1])
        }
        ExprKind::Binary(BinaryOp::Divide, a, _) => {
            let (low, high) = of(a)?;
            let m = (-low).max(high);
            Some((-m, if division == Division::Printed { m - 2 } else { m }))
        }
        // The sign of a remainder is that of its divisor.
        ExprKind::Binary(BinaryOp::Remainder, _, b) => of(b).map(|(low, high)| ((low + 1).min(0), (high - 1).max(0))),
        ExprKind::Builtin(LaneOp::Min, operands) => {
            let (a, b) = (of(&operands[0])?, of(&operands[1])?);
            Some((a.0.min(b.0), a.1.min(b.1)))
        }
        ExprKind::Builtin(LaneOp::Max, operands) => {
            let (a, b) = (of(&operands[0])?, of(&operands[1])?);
            Some((a.0.max(b.0), a.1.max(b.1)))
        }
        ExprKind::Builtin(LaneOp::Select, operands) => joined(of(&operands[1])?, of(&operands[2])?),
        ExprKind::Conditional(_, a, b) => joined(of(a)?, of(b)?),
        // The paper has no others: nothing is known of them.
        ExprKind::Unary(UnaryOp::Not, _)
        | ExprKind::Binary(..)
        | ExprKind::Compare(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Convert(_)
        | ExprKind::Builtin(..)
        | ExprKind::Call(..)
        | ExprKind::Read(..)
        | ExprKind::Within(..)
        | ExprKind::Extremum(_) => None,
    }
}

fn joined(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    Some((a.0.min(b.0), a.1.max(b.1)))
}
