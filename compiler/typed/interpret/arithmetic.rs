//! Operators on single elements: total, as language.md §6 defines them. Integers wrap, shift counts are taken modulo the
//! width, x / 0 = 0, floats to integers saturate.

use crate::typed::ir::{BinaryOp, CompareOp, UnaryOp};
use crate::types::Element;

/// The value of an integer or `bool` from its bits.
pub(super) fn integer(element: Element, bits: u64) -> i128 {
    let unused = 64 - element.bits();
    if element.is_signed() { i128::from((bits << unused) as i64 >> unused) } else { i128::from(bits << unused >> unused) }
}

/// The bits of an integer, wrapped.
pub(super) fn wrapped(element: Element, value: i128) -> u64 {
    value as u64 & (u64::MAX >> (64 - element.bits()))
}

/// Works on a float or double given by its bits.
macro_rules! with_float {
    ($element:expr, |$($x:ident),+| $body:expr) => {
        if $element == Element::Double {
            $(let $x = f64::from_bits($x);)+
            ($body).to_bits()
        } else {
            $(let $x = f32::from_bits($x as u32);)+
            u64::from(($body).to_bits())
        }
    };
}
pub(super) use with_float;

/// A floating-point number as a double.
pub(super) fn float(element: Element, bits: u64) -> f64 {
    match element {
        Element::Double => f64::from_bits(bits),
        Element::Float16 => ivl::Float16::from_bits(bits as u16).to_f64(),
        _ => f64::from(f32::from_bits(bits as u32)),
    }
}

/// `a op b` on one element type. On `bool` there is only logic: sums are taken modulo 2.
pub(super) fn binary(op: BinaryOp, element: Element, a: u64, b: u64) -> u64 {
    if element.is_float() {
        return with_float!(element, |a, b| match op {
            BinaryOp::Add => a + b,
            BinaryOp::Subtract => a - b,
            BinaryOp::Multiply => a * b,
            BinaryOp::Divide => a / b,
            BinaryOp::Remainder => a % b,
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                unreachable!("{op:?} of floats")
            }
        });
    }
    if element == Element::Bool {
        return match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::BitXor => a ^ b,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            // The count is taken modulo 1.
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => a,
        };
    }
    let (x, y) = (integer(element, a), integer(element, b));
    let count = (b % u64::from(element.bits())) as u32;
    let result = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Subtract => x - y,
        BinaryOp::Multiply => x.wrapping_mul(y),
        BinaryOp::Divide | BinaryOp::Remainder if y == 0 => 0,
        BinaryOp::Divide => x / y,
        BinaryOp::Remainder => x % y,
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::ShiftLeft => x << count,
        BinaryOp::ShiftRight => x >> count,
    };
    wrapped(element, result)
}

/// `-a`, `!a`, `~a`
pub(super) fn unary(op: UnaryOp, element: Element, a: u64) -> u64 {
    match op {
        UnaryOp::Negate if element.is_float() => with_float!(element, |a| -a),
        // Modulo 2 there is no sign.
        UnaryOp::Negate if element == Element::Bool => a,
        UnaryOp::Negate => wrapped(element, -integer(element, a)),
        UnaryOp::Not if element == Element::Bool => a ^ 1,
        UnaryOp::Not => wrapped(element, !integer(element, a)),
    }
}

/// Compares two elements; `None` stands for pointers.
pub(super) fn compare(op: CompareOp, element: Option<Element>, a: u64, b: u64) -> bool {
    let order = match element {
        Some(element) if element.is_float() => float(element, a).partial_cmp(&float(element, b)),
        Some(element) => Some(integer(element, a).cmp(&integer(element, b))),
        None => Some(a.cmp(&b)),
    };
    op.holds(order)
}

/// One element type to another; `None` stands for pointers. Everything but zero is true.
pub(super) fn convert(from: Option<Element>, to: Option<Element>, bits: u64) -> u64 {
    let (from, to) = match (from, to) {
        (None, None) => return bits,
        (None, Some(to)) => (Element::Uint64, to),
        (Some(from), None) => (from, Element::Int64),
        (Some(from), Some(to)) => (from, to),
    };
    match (from.is_float(), to.is_float()) {
        (true, _) if to == Element::Bool => u64::from(float(from, bits) != 0.0),
        (false, _) if to == Element::Bool => u64::from(bits != 0),
        (true, true) => of_float(to, float(from, bits)),
        (true, false) => saturated(to, float(from, bits)),
        (false, true) => of_integer(to, from.is_signed(), integer(from, bits)),
        (false, false) => wrapped(to, integer(from, bits)),
    }
}

/// Rounds to the nearest number of the type. From float to float and back this is exact.
fn of_float(to: Element, value: f64) -> u64 {
    match to {
        Element::Double => value.to_bits(),
        Element::Float16 => ivl::Float16::from_f64(value).to_bits().into(),
        _ => u64::from((value as f32).to_bits()),
    }
}

/// One rounding, whatever the types.
fn of_integer(to: Element, is_signed: bool, value: i128) -> u64 {
    match (to, is_signed) {
        (Element::Double, true) => (value as i64 as f64).to_bits(),
        (Element::Double, false) => (value as u64 as f64).to_bits(),
        // What a double does not hold is infinite.
        (Element::Float16, _) => ivl::Float16::from_f64(value as f64).to_bits().into(),
        (_, true) => u64::from((value as i64 as f32).to_bits()),
        (_, false) => u64::from((value as u64 as f32).to_bits()),
    }
}

/// Towards zero; what is too large becomes the largest, NaN becomes 0.
fn saturated(to: Element, value: f64) -> u64 {
    let bits = to.bits();
    let (low, high) = match to.is_signed() {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    wrapped(to, (value as i128).clamp(low, high))
}
