//! Numbers of the enumeration: integers that wrap in their types, and floats in `f64` beside a bound of how far compiled code may be
//! away from them.
//!
//! ```text
//! one operation:          |found − exact| ≤ (errors of its operands, carried on) + u · |result|
//! a sum of n terms, in any order and fused or not:    Σ eᵢ + n · u · Σ (|xᵢ| + eᵢ)
//! a product of them:      Π (|xᵢ| + eᵢ) · (1 + u)ⁿ − Π |xᵢ|
//! ```
//! u is half of the distance from 1 to the next number of the type; beside it stands what is lost where a result is below the least normal
//! number. What a comparison of floats decides that may be equal is not known: then everything that it decides has no bound, and is
//! not compared ([`Number::is_known`]).

use ivlc::syntax::ast::{BinaryOp, Reduction};
use ivlc::types::Element;

/// A number and its type; a literal has the type of what it meets.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// The type.
    pub element: Option<Element>,
    /// The value of an integer.
    pub int: i128,
    /// The value of a float.
    pub float: f64,
    /// How far compiled code may be away from it; infinite if nothing is known.
    pub error: f64,
}

/// Half of the distance from 1 to the next number of a type. The enumeration rounds to double, too.
fn unit(element: Element) -> f64 {
    match element {
        Element::Float16 => 2f64.powi(-11),
        Element::Float => 2f64.powi(-24),
        _ => 2f64.powi(-52),
    }
}

/// What is lost below the least normal number of a type, and the greatest value that is compared.
fn ends(element: Element) -> (f64, f64) {
    match element {
        Element::Float16 => (2f64.powi(-24), 65000.0),
        Element::Float => (2f64.powi(-126), 1e30),
        _ => (f64::MIN_POSITIVE, 1e250),
    }
}

/// An operation of the library may be so many units away.
const UNITS_OF_MATHS: f64 = 16.0;

impl Number {
    /// An integer, which wraps.
    pub fn int(element: Element, value: i128) -> Number {
        let size = 1i128 << element.bits();
        let wrapped = match element.is_signed() {
            true => (value + size / 2).rem_euclid(size) - size / 2,
            false => value.rem_euclid(size),
        };
        Number { element: Some(element), int: wrapped, float: wrapped as f64, error: 0.0 }
    }

    /// A float that is as far away as this.
    pub fn float(element: Element, float: f64, error: f64) -> Number {
        let (_, most) = ends(element);
        let is_known = float.abs() + error <= most || float.is_infinite() && error == 0.0;
        Number { element: Some(element), int: 0, float, error: if is_known { error } else { f64::INFINITY } }
    }

    /// The result of an operation on floats: the error so far, and that of rounding.
    fn rounded(element: Element, float: f64, error: f64) -> Number {
        let (least, _) = ends(element);
        Number::float(element, float, error + unit(element) * (float.abs() + error) + least)
    }

    pub fn is_float(self) -> bool {
        self.element.is_some_and(Element::is_float)
    }

    /// Is anything known of what compiled code has?
    pub fn is_known(self) -> bool {
        self.error.is_finite()
    }

    /// Is it a value at all that compiled code must have within its bound?
    fn size(self) -> f64 {
        self.float.abs() + self.error
    }

    pub fn truth(value: bool, is_known: bool) -> Number {
        Number { element: Some(Element::Bool), int: value.into(), float: 0.0, error: if is_known { 0.0 } else { f64::INFINITY } }
    }

    /// The same value, known as well as both.
    pub fn decided_by(self, other: Number) -> Number {
        if other.is_known() { self } else { Number { error: f64::INFINITY, ..self } }
    }

    /// The same value in another type.
    pub fn to(self, element: Element) -> Number {
        if self.element == Some(element) {
            return self;
        }
        match (self.is_float(), element.is_float()) {
            (true, true) => {
                let is_wider = self.element.is_some_and(|own| own.size() <= element.size());
                if is_wider || self.float.is_infinite() {
                    Number { element: Some(element), ..self }
                } else {
                    Number::rounded(element, self.float, self.error)
                }
            }
            (false, true) => {
                let exact = if element == Element::Double { 1i128 << 53 } else { 1 << 11 };
                let is_exact = self.int.abs() <= exact;
                let made = if is_exact {
                    Number::float(element, self.int as f64, 0.0)
                } else {
                    Number::rounded(element, self.int as f64, 0.0)
                };
                made.decided_by(self)
            }
            (true, false) => {
                // Floats saturate.
                let (least, greatest) = limits(element);
                let made = Number::int(element, (self.float as i128).clamp(least, greatest));
                if self.error == 0.0 { made } else { Number { error: f64::INFINITY, ..made } }
            }
            (false, false) => Number::int(element, self.int).decided_by(self),
        }
    }

    /// The bits of the value in a type.
    pub fn bits(self, element: Element) -> u64 {
        match element {
            Element::Float => u64::from((self.float as f32).to_bits()),
            Element::Double => self.float.to_bits(),
            Element::Float16 => u64::from(ivl::Float16::from_f32(self.float as f32).to_bits()),
            _ => self.int as u64 & (u64::MAX >> (64 - element.bits())),
        }
    }

    /// Are these the bits of the number, or close to it?
    pub fn is_near(self, found: u64, element: Element) -> bool {
        let float = match element {
            Element::Float => f64::from(f32::from_bits(found as u32)),
            Element::Double => f64::from_bits(found),
            Element::Float16 => f64::from(ivl::Float16::from_bits(found as u16).to_f32()),
            _ => return !self.is_known() || found == self.bits(element),
        };
        !self.is_known() || float == self.float || (float - self.float).abs() <= self.error
    }

    /// The result of a function of the library; `carried` is how much the error of the argument is in it.
    pub fn maths(self, f: fn(f64) -> f64, carried: fn(f64, f64) -> f64) -> Number {
        let element = if self.element == Some(Element::Double) { Element::Double } else { Element::Float };
        let value = f(self.float);
        let error = carried(self.float, self.error) + UNITS_OF_MATHS * unit(element) * value.abs();
        Number::rounded(element, value, error)
    }
}

/// The least and the greatest integer of a type.
fn limits(element: Element) -> (i128, i128) {
    let size = 1i128 << element.bits();
    if element.is_signed() { (-size / 2, size / 2 - 1) } else { (0, size - 1) }
}

pub fn settled(v: Number) -> Element {
    v.element.unwrap_or(Element::Int32)
}

/// The type in which two operands meet; none for two literals.
fn met(a: Number, b: Number) -> Option<Element> {
    match (a.element, b.element) {
        (Some(a), Some(b)) if a.is_float() != b.is_float() => Some(if a.is_float() { a } else { b }),
        (Some(a), Some(b)) => Some(if b.size() > a.size() { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// The type in which two operands meet, if one of them has a type.
pub fn meeting(a: Number, b: Number) -> Option<Element> {
    met(a, b)
}

pub fn met_or_int(a: Number, b: Number) -> Element {
    met(a, b).unwrap_or(Element::Int32)
}

/// The lesser or the greater one of two numbers of a type.
pub fn extreme(a: Number, b: Number, is_least: bool) -> Number {
    let is_less = if a.is_float() { a.float < b.float } else { a.int < b.int };
    let chosen = if is_less == is_least { a } else { b };
    Number { error: a.error.max(b.error), ..chosen }
}

/// All values of a reduction, the one that is there before among them.
#[derive(Clone, Copy, Debug)]
pub struct Reduced {
    count: f64,
    value: Number,
    /// The sum or product of the sizes, errors among them; and the sum of the errors.
    sizes: f64,
    errors: f64,
}

impl Reduced {
    /// One value.
    pub fn of(value: Number) -> Reduced {
        Reduced { count: 1.0, value, sizes: value.size(), errors: value.error }
    }

    /// With one more.
    pub fn with(self, op: Reduction, next: Number) -> Reduced {
        let exact = |n: Number| if n.is_known() { Number { error: 0.0, ..n } } else { n };
        let (value, sizes) = match op {
            Reduction::Add => (binary(BinaryOp::Add, exact(self.value), exact(next)), self.sizes + next.size()),
            Reduction::Multiply => (binary(BinaryOp::Multiply, exact(self.value), exact(next)), self.sizes * next.size()),
            Reduction::Min => (extreme(self.value, next, true), 0.0),
            Reduction::Max => (extreme(self.value, next, false), 0.0),
        };
        let errors = match op {
            Reduction::Add | Reduction::Multiply => self.errors + next.error,
            Reduction::Min | Reduction::Max => self.errors.max(next.error),
        };
        Reduced { count: self.count + 1.0, value, sizes, errors }
    }

    /// The result.
    pub fn number(self, op: Option<Reduction>) -> Number {
        let Reduced { count, value, sizes, errors } = self;
        let Some(element) = value.element.filter(|element| element.is_float()) else { return value };
        let (u, (least, _)) = (unit(element), ends(element));
        if count == 1.0 {
            return value;
        }
        // Twice: the enumeration has added the numbers in doubles, and γₙ is a little more than n · u.
        let error = match op {
            Some(Reduction::Add) => errors + (count + 1.0) * u * sizes * 2.0 + count * least,
            Some(Reduction::Multiply) => sizes * (1.0 + u).powf(count + 1.0) - value.float.abs() + count * least * sizes.max(1.0),
            _ => errors,
        };
        if value.is_known() { Number::float(element, value.float, error) } else { value }
    }
}

/// What a reduction over nothing gives.
pub fn identity(reduction: Reduction, element: Element) -> Number {
    let infinity = |sign: f64| Number::float(element, sign * f64::INFINITY, 0.0);
    match reduction {
        Reduction::Add => Number::int(Element::Int32, 0).to(element),
        Reduction::Multiply => Number::int(Element::Int32, 1).to(element),
        Reduction::Min if element.is_float() => infinity(1.0),
        Reduction::Max if element.is_float() => infinity(-1.0),
        Reduction::Min => Number::int(element, limits(element).1),
        Reduction::Max => Number::int(element, limits(element).0),
    }
}

/// An operation on two numbers.
pub fn binary(op: BinaryOp, a: Number, b: Number) -> Number {
    let met = met(a, b);
    let element = met.unwrap_or(Element::Int64);
    let (a, b) = (a.to(element), b.to(element));
    // Floats that are close may be in any order.
    let is_sure = a.is_known()
        && b.is_known()
        && (!element.is_float() || (a.float - b.float).abs() > a.error + b.error || a.error + b.error == 0.0);
    let order = if element.is_float() { a.float.partial_cmp(&b.float) } else { Some(a.int.cmp(&b.int)) };
    let compared = |is_so: fn(std::cmp::Ordering) -> bool| Number::truth(order.is_some_and(is_so), is_sure && order.is_some());
    match op {
        BinaryOp::Less => return compared(std::cmp::Ordering::is_lt),
        BinaryOp::LessEqual => return compared(std::cmp::Ordering::is_le),
        BinaryOp::Greater => return compared(std::cmp::Ordering::is_gt),
        BinaryOp::GreaterEqual => return compared(std::cmp::Ordering::is_ge),
        BinaryOp::Equal => return compared(std::cmp::Ordering::is_eq),
        BinaryOp::NotEqual => return compared(std::cmp::Ordering::is_ne),
        _ => {}
    }
    if element.is_float() {
        let product = |a: Number, b: Number| a.size() * b.size() - a.float.abs() * b.float.abs();
        let (float, error) = match op {
            BinaryOp::Add => (a.float + b.float, a.error + b.error),
            BinaryOp::Subtract => (a.float - b.float, a.error + b.error),
            BinaryOp::Multiply => (a.float * b.float, product(a, b)),
            BinaryOp::Divide if b.float.abs() > b.error => {
                let least = b.float.abs() - b.error;
                (a.float / b.float, a.size() / least - a.float.abs() / b.float.abs())
            }
            BinaryOp::Divide => (a.float / b.float, f64::INFINITY),
            _ => panic!("{op:?} on floats"),
        };
        // A product that is fused is not rounded, and what is added to it is: twice is more than either.
        let made = Number::rounded(element, float, error);
        return if a.is_known() && b.is_known() { made } else { Number { error: f64::INFINITY, ..made } };
    }
    let floor = |a: i128, b: i128| a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
    let int = match op {
        BinaryOp::Add => a.int + b.int,
        BinaryOp::Subtract => a.int - b.int,
        BinaryOp::Multiply => a.int.wrapping_mul(b.int),
        BinaryOp::BitAnd => a.int & b.int,
        BinaryOp::BitOr => a.int | b.int,
        BinaryOp::BitXor => a.int ^ b.int,
        BinaryOp::Divide if b.int == 0 => 0,
        BinaryOp::Remainder if b.int == 0 => 0,
        // Towards minus infinity.
        BinaryOp::Divide => floor(a.int, b.int),
        BinaryOp::Remainder => a.int.wrapping_sub(b.int * floor(a.int, b.int)),
        _ => panic!("{op:?} on integers"),
    };
    Number { element: met, ..Number::int(element, int) }.decided_by(a).decided_by(b)
}
