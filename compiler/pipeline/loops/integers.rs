//! Windows of the root block and start checks in ℤ: the machine computes them in 64 bits, in which they do not wrap.

use super::super::expr::{Expr, ExprKind, Variable};
use super::super::limits::{ENUMERATED, FAR};
use super::super::value::{Environment, Value, evaluate, floor_div};
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, LaneOp, UnaryOp};
use crate::types::Element;
use rustc_hash::FxHashMap;

/// The value of an `int` expression or of a condition in ℤ, where `known` has the values that variables have there; `None` for
/// an error value. What it does not say more of is as the rules of expressions have it.
pub fn in_integers(e: &Expr, known: &FxHashMap<Variable, i128>, environment: &mut dyn Environment) -> Option<i128> {
    let mut of = |e: &Expr| in_integers(e, known, environment);
    let is_bool = e.element() == Element::Bool;
    let value = match e.kind() {
        ExprKind::Variable(v) if known.contains_key(v) => known[v],
        ExprKind::Unary(UnaryOp::Not, a) if is_bool => i128::from(of(a)? == 0),
        ExprKind::And(a, b) => match of(a)? {
            0 => 0,
            _ => of(b)?,
        },
        ExprKind::Or(a, b) => match of(a)? {
            0 => of(b)?,
            _ => 1,
        },
        ExprKind::Compare(op, a, b) if a.element() == Element::Int32 => i128::from(op.holds(Some(of(a)?.cmp(&of(b)?)))),
        ExprKind::Conditional(c, a, b) if is_bool || e.element() == Element::Int32 => match of(c)? {
            0 => of(b)?,
            _ => of(a)?,
        },
        ExprKind::Binary(op, a, b) if is_bool || e.element() == Element::Int32 => binary(*op, of(a)?, of(b)?),
        _ if e.element() != Element::Int32 => by_rules(e, environment)?,
        ExprKind::Unary(UnaryOp::Negate, a) => -of(a)?,
        ExprKind::Unary(UnaryOp::Not, a) => -1 - of(a)?,
        ExprKind::Within(a, ..) => of(a)?,
        ExprKind::Builtin(LaneOp::Min, operands) => of(&operands[0])?.min(of(&operands[1])?),
        ExprKind::Builtin(LaneOp::Max, operands) => of(&operands[0])?.max(of(&operands[1])?),
        ExprKind::Builtin(LaneOp::Abs, operands) => of(&operands[0])?.abs(),
        ExprKind::Builtin(LaneOp::Select, operands) => {
            let (a, b) = (of(&operands[1])?, of(&operands[2])?);
            if of(&operands[0])? == 0 { b } else { a }
        }
        ExprKind::Extremum(x) => {
            let (low, high) = (of(&x.low)?, of(&x.high)?);
            let is_much = high - low >= ENUMERATED.into() || low < -i128::from(FAR) || high > FAR.into();
            if is_much { of(&x.otherwise)? } else { by_rules(e, environment)? }
        }
        ExprKind::Constant(_) | ExprKind::Variable(_) => by_rules(e, environment)?,
        ExprKind::Convert(_) | ExprKind::Builtin(..) | ExprKind::Call(..) | ExprKind::Read(..) => by_rules(e, environment)?,
        ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::Conditional(..) => by_rules(e, environment)?,
    };
    // As far as 64 bits reach; so far from 0 nothing starts.
    Some(value.clamp(i64::MIN.into(), i64::MAX.into()))
}

fn by_rules(e: &Expr, environment: &mut dyn Environment) -> Option<i128> {
    match evaluate(e, environment) {
        Value::Bits(bits) if e.element() == Element::Bool => Some(bits.into()),
        Value::Bits(bits) => Some(scalar::integer(e.element(), bits)),
        Value::RdomError | Value::MemoryError => None,
    }
}

fn binary(op: BinaryOp, a: i128, b: i128) -> i128 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a.saturating_mul(b),
        BinaryOp::Divide | BinaryOp::Remainder if b == 0 => 0,
        BinaryOp::Divide => floor_div(a, b),
        BinaryOp::Remainder => a - b * floor_div(a, b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::ShiftLeft => a.saturating_mul(1 << b.rem_euclid(32)),
        BinaryOp::ShiftRight => a >> b.rem_euclid(32),
    }
}
