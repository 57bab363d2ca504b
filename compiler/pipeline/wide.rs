//! Integers in 64 bits, in which nothing that is computed from `int`s wraps: windows are such numbers until it is known that they
//! are `int`s, and conditions on coordinates always.
//!
//! ```text
//! 4 * x + 3          ──►   4l * (int64) x + 3l
//! (float) (4 * x)    ──►   (float) (int) (4l * (int64) x)
//! x < y && y < z     ──►   (int64) x < (int64) y & (int64) y < (int64) z
//! ```
//! What depends on how many bits an `int` has, other than by its value in ℤ, sees 32 of them.

use super::expr::{Expr, ExprKind, Extremum, Variable};
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, Constant, LaneOp};
use crate::types::Element;

/// An expression whose parts of type `int` are computed in 64 bits, as it is itself if it is one. `wide` gives the variable that
/// holds the value of another one in 64 bits, if there is one.
pub fn widened(e: &Expr, wide: &dyn Fn(Variable) -> Option<Variable>) -> Expr {
    let widen = |e: &Expr| widened(e, wide);
    let is_int = e.element() == Element::Int32;
    let rebuilt = |kind: ExprKind| Expr::new(kind, if is_int { Element::Int64 } else { e.element() }, e.span());
    let by_parts = || rebuilt(e.with_children(widen).kind().clone());
    match e.kind() {
        _ if is_decided_by_floats(e) => in_64_bits(in_32_bits(e, wide)),
        ExprKind::Constant(constant) if is_int => {
            let value = scalar::integer(Element::Int32, scalar::constant(Element::Int32, *constant));
            rebuilt(ExprKind::Constant(Constant::Int(value as u64)))
        }
        ExprKind::Variable(variable) => match wide(*variable) {
            Some(wide) => Expr::variable(wide, Element::Int64, e.span()),
            None => in_64_bits(e.clone()),
        },
        ExprKind::Within(inner, ..) => widen(inner),
        // Windows are computed faster than jumped over.
        ExprKind::And(a, b) if is_cheap(b) => rebuilt(ExprKind::Binary(BinaryOp::BitAnd, widen(a), widen(b))),
        ExprKind::Or(a, b) if is_cheap(b) => rebuilt(ExprKind::Binary(BinaryOp::BitOr, widen(a), widen(b))),
        ExprKind::Convert(a) if e.element() == Element::Int64 => match a.element() {
            Element::Int32 => widen(a),
            _ => rebuilt(ExprKind::Convert(widen(a))),
        },
        ExprKind::Convert(_) | ExprKind::Call(..) | ExprKind::Read(..) => in_64_bits(e.with_children(|a| narrow(widen(a), a))),
        ExprKind::Builtin(op @ (LaneOp::Min | LaneOp::Max | LaneOp::Abs | LaneOp::Select), operands) => {
            rebuilt(ExprKind::Builtin(*op, operands.iter().map(widen).collect()))
        }
        ExprKind::Builtin(..) => in_64_bits(e.with_children(|a| narrow(widen(a), a))),
        ExprKind::Extremum(x) => rebuilt(ExprKind::Extremum(Box::new(Extremum {
            low: widen(&x.low),
            high: widen(&x.high),
            otherwise: widen(&x.otherwise),
            value: in_32_bits(&x.value, wide),
            condition: x.condition.as_ref().map(|condition| in_32_bits(condition, wide)),
            ..**x
        }))),
        ExprKind::Constant(_) | ExprKind::Unary(..) | ExprKind::Conditional(..) => by_parts(),
        ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => by_parts(),
    }
}

/// Is it an integer or a condition that is made of floats which are computed?
pub fn is_decided_by_floats(e: &Expr) -> bool {
    let is_computed =
        |part: &Expr| part.element().is_float() && matches!(part.kind(), ExprKind::Binary(..) | ExprKind::Builtin(..));
    let is_made_so = |part: &&Expr| part.element().is_float() && part.any(&is_computed);
    !e.element().is_float() && e.children().iter().any(is_made_so)
}

/// Can it be computed where it does not count?
fn is_cheap(e: &Expr) -> bool {
    !e.reads_or_calls() && !e.has_extrema()
}

/// The same of variables in 64 bits.
fn in_32_bits(e: &Expr, wide: &dyn Fn(Variable) -> Option<Variable>) -> Expr {
    e.substitute(&|v| {
        let wide = Expr::variable(wide(v)?, Element::Int64, e.span());
        Some(wide.converted(Element::Int32))
    })
}

/// An `int` as a number of 64 bits.
fn in_64_bits(e: Expr) -> Expr {
    if e.element() == Element::Int32 { e.converted(Element::Int64) } else { e }
}

/// What was an `int` is one again.
fn narrow(wide: Expr, was: &Expr) -> Expr {
    if was.element() == Element::Int32 { wide.converted(Element::Int32) } else { wide }
}
