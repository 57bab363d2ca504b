//! β₀, the baseline of figure 10 (b): interval arithmetic with nothing known but the intervals of variables. A bounds engine is
//! to be no worse (Definition 3.7).

use super::super::expr::{Expr, Variable};
use super::super::simplify::constant_value;
use super::form::{Form, form};
use super::numbers::Numbers;
use crate::typed::ir::BinaryOp;

/// Which rule for `div` is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Division {
    /// \[−M, 2M − 1\], a minimum and a length, as the paper prints it: it ends at M − 2, so that 3 div 1 is not in it.
    Printed,
    /// \[−M, 2M + 1\]: up to M.
    Sound,
}

/// Γ of figure 10 (b), for variables.
pub type Environment<'e> = &'e dyn Fn(Variable) -> Option<Numbers>;

/// 𝓘(e, Γ), with its last value instead of its length; `None` is \[−∞, ∞\].
pub fn interval(e: &Expr, gamma: Environment<'_>, division: Division) -> Option<Numbers> {
    let of = |e: &Expr| interval(e, gamma, division);
    match form(e) {
        Form::Variable(v) => gamma(v),
        Form::Negate(a) => of(a).map(Numbers::negated),
        Form::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), a, b) => {
            Some(Numbers::binary(op, e.element(), of(a)?, of(b)?))
        }
        Form::Binary(BinaryOp::Divide, a, _) => {
            let Numbers { low, high } = of(a)?;
            let m = (-low).max(high);
            Some(Numbers { low: -m, high: if division == Division::Printed { m - 2 } else { m } })
        }
        // Whatever is divided.
        Form::Binary(BinaryOp::Remainder, _, b) => {
            of(b).map(|b| Numbers::binary(BinaryOp::Remainder, e.element(), Numbers::ALL, b))
        }
        Form::Extremum(is_min, [a, b]) => Some(of(a)?.extremum(is_min, of(b)?)),
        Form::Choice(_, a, b) => Some(of(a)?.with(of(b)?)),
        // The paper has no others: nothing is known of them.
        _ => constant_value(e).map(|n| Numbers { low: n.into(), high: n.into() }),
    }
}
