//! Bit operations and narrow types as arithmetic in ℤ, where there is one.
//!
//! ```text
//! x >> 3        x / 8                      x & 7      x % 8               x | 7    x / 8 * 8 + 7
//! x << 3        x * 8                      x & -8     x / 8 * 8           ~x       -1 - x
//! x & 0x38      x / 8 % 8 * 8              x | -8     x % 8 - 8
//! (uint8) x     x % 256                    (int8) x   (x + 128) % 256 - 128
//! ```
//! Two's complement makes each of these an identity; `/` and `%` round down.

use super::super::expr::{Expr, ExprKind, Form};
use super::super::simplify::constant_value;
use crate::typed::ir::{BinaryOp, UnaryOp};
use crate::types::Element;

/// An `int` expression with these rewritten, in all of its parts.
pub fn arithmetic(e: &Expr) -> Expr {
    // The parts of a read are asked for by themselves.
    if let ExprKind::Read(..) | ExprKind::Extremum(_) = e.kind() {
        return e.clone();
    }
    if let ExprKind::Convert(a) = e.kind()
        && e.element() == Element::Int32
    {
        return model(truncated(a, Element::Int32)).unwrap_or_else(|| e.with_children(arithmetic));
    }
    let e = e.with_children(arithmetic);
    if e.element() != Element::Int32 {
        return e;
    }
    if let ExprKind::Unary(UnaryOp::Not, a) = e.kind() {
        return Expr::binary(BinaryOp::Subtract, Expr::int(-1, e.span()), a.clone());
    }
    let ExprKind::Binary(op, a, b) = e.kind() else { return e };
    match (constant_value(a), constant_value(b)) {
        (_, Some(n)) => with_constant(*op, a, n).unwrap_or(e.clone()),
        (Some(n), _) if matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor) => {
            with_constant(*op, b, n).unwrap_or_else(|| Expr::binary(*op, b.clone(), a.clone()))
        }
        _ => e,
    }
}

fn with_constant(op: BinaryOp, a: &Expr, n: i64) -> Option<Expr> {
    let span = a.span();
    let with = |op, a: Expr, n: i64| Expr::binary(op, a, Expr::int(n, span));
    // 2^k for k from 0 to 30
    let power = |n: i64| (n > 0 && n < (1 << 31) && n.count_ones() == 1).then_some(n);
    let floor = |n: i64| with(BinaryOp::Multiply, with(BinaryOp::Divide, a.clone(), n), n);
    match op {
        BinaryOp::ShiftRight if (0..31).contains(&n) => Some(with(BinaryOp::Divide, a.clone(), 1 << n)),
        BinaryOp::ShiftLeft if (0..31).contains(&n) => Some(with(BinaryOp::Multiply, a.clone(), 1 << n)),
        BinaryOp::BitAnd if n == 0 => Some(Expr::int(0, span)),
        BinaryOp::BitAnd if n > 0 => {
            let low = n & -n;
            let width = power(n / low + 1)?;
            let shifted = if low == 1 { a.clone() } else { with(BinaryOp::Divide, a.clone(), low) };
            let kept = with(BinaryOp::Remainder, shifted, width);
            Some(if low == 1 { kept } else { with(BinaryOp::Multiply, kept, low) })
        }
        BinaryOp::BitAnd => power(-n).map(floor),
        BinaryOp::BitOr if n >= 0 => power(n + 1).map(|m| with(BinaryOp::Add, floor(m), n)),
        BinaryOp::BitOr => power(-n).map(|m| with(BinaryOp::Add, with(BinaryOp::Remainder, a.clone(), m), n)),
        BinaryOp::BitXor if n == -1 => Some(Expr::binary(BinaryOp::Subtract, Expr::int(-1, span), a.clone())),
        BinaryOp::BitXor if n == 0 => Some(a.clone()),
        _ => None,
    }
}

/// The value of an integer expression of any type as an `int` expression in ℤ.
fn model(e: &Expr) -> Option<Expr> {
    let ty = e.element();
    if ty == Element::Int32 {
        return Some(arithmetic(e));
    }
    // The order of unsigned numbers is not that of ℤ modulo 2³².
    if !ty.is_integer() || matches!(ty, Element::Uint32 | Element::Uint64) {
        return None;
    }
    // What is known by its type only.
    let leaf = || {
        let is_narrow = matches!(ty, Element::Int8 | Element::Uint8 | Element::Int16 | Element::Uint16);
        is_narrow.then(|| Expr::new(ExprKind::Convert(e.clone()), Element::Int32, e.span()))
    };
    // The same operation, on what its operands are in ℤ.
    let rebuilt = || {
        let mut is_known = true;
        let made = e.with_children(|part| {
            let model = if part.element() == Element::Bool { Some(arithmetic(part)) } else { model(part) };
            is_known &= model.is_some();
            model.unwrap_or_else(|| part.clone())
        });
        is_known.then(|| Expr::new(made.kind().clone(), Element::Int32, e.span()))
    };
    match e.form() {
        Form::Convert(a) if a.element().is_integer() => {
            let a = truncated(a, ty);
            match model(a) {
                Some(made) if holds(ty, a.element()) => Some(made),
                Some(made) => wrapped(made, ty),
                None => leaf(),
            }
        }
        Form::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, ..) => wrapped(rebuilt()?, ty),
        Form::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, b) if constant_value(b).is_some_and(|n| n > 0) => rebuilt(),
        Form::Extremum(..) | Form::Choice(..) => rebuilt(),
        _ => match constant_value(e) {
            Some(n) => i32::try_from(n).is_ok().then(|| Expr::int(n, e.span())),
            None => leaf(),
        },
    }
}

/// What is converted, without a conversion in it that keeps all the bits that a type keeps.
fn truncated(e: &Expr, ty: Element) -> &Expr {
    let keeps = |inner: &Expr| inner.element().is_integer() && e.element().is_integer() && e.element().bits() >= ty.bits();
    if let ExprKind::Convert(inner) = e.kind()
        && keeps(inner)
    {
        truncated(inner, ty)
    } else {
        e
    }
}

/// Does a type have all values of another one?
fn holds(ty: Element, other: Element) -> bool {
    let (own, others) = (ty.bits(), other.bits());
    if ty.is_signed() == other.is_signed() { own >= others } else { ty.is_signed() && own > others }
}

/// Modulo 2ⁿ, as a type does it. The result is an `int` in the end: what is wider than that loses nothing that is kept.
fn wrapped(e: Expr, ty: Element) -> Option<Expr> {
    let with = |op, a: Expr, n: i64| Expr::binary(op, a.clone(), Expr::int(n, a.span()));
    let range = 1i64 << ty.bits().min(16);
    Some(match ty {
        Element::Uint8 | Element::Uint16 => with(BinaryOp::Remainder, e, range),
        Element::Int8 | Element::Int16 => {
            let shifted = with(BinaryOp::Remainder, with(BinaryOp::Add, e, range / 2), range);
            with(BinaryOp::Subtract, shifted, range / 2)
        }
        Element::Int32 | Element::Int64 => e,
        Element::Bool | Element::Uint32 | Element::Uint64 | Element::Float16 | Element::Float | Element::Double => return None,
    })
}
