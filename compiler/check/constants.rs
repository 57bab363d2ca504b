//! Constant expressions: literal arithmetic without a type, and the values of typed expressions that are constants.

use super::operand::Untyped;
use super::state::Checker;
use crate::diagnostics::codes;
use crate::syntax::ast;
use crate::typed::ir::{BinaryOp, Builtin, Constant, Expr, ExprKind, GlobalId, Initializer, LaneOp, Place, PlaceKind, UnaryOp};
use crate::types::{Element, Type};

/// Does the number lie in the range of the element?
pub(crate) fn fits(n: i128, element: Element) -> bool {
    let bits = element.bits();
    match element {
        Element::Bool => n == 0 || n == 1,
        Element::Float16 | Element::Float | Element::Double => true,
        Element::Int8 | Element::Int16 | Element::Int32 | Element::Int64 => {
            (-(1i128 << (bits - 1))..1i128 << (bits - 1)).contains(&n)
        }
        Element::Uint8 | Element::Uint16 | Element::Uint32 | Element::Uint64 => (0..1i128 << bits).contains(&n),
    }
}

/// A whole number that is infinite as a `float16`; those below it are `double`s as they are.
const INFINITE: i128 = 1 << 17;

/// The low bits of the number, as the element has them.
pub(super) fn truncated(n: i128, element: Element) -> u64 {
    (n as u64) & (u64::MAX >> (64 - element.bits()))
}

/// The number that these bits are.
pub(super) fn number(bits: u64, element: Element) -> i128 {
    let shift = 64 - element.bits();
    if element.is_signed() { ((bits << shift) as i64 >> shift) as i128 } else { ((bits << shift) >> shift) as i128 }
}

/// Literal arithmetic. `None` where the result is not exact: it then has to be computed in a type.
pub(super) fn fold(op: ast::BinaryOp, a: &Untyped, b: &Untyped) -> Option<Untyped> {
    use ast::BinaryOp as B;
    match (a, b) {
        (Untyped::Int(a), Untyped::Int(b)) => {
            let (a, b) = (*a, *b);
            let n = match op {
                B::Add => a.checked_add(b)?,
                B::Subtract => a.checked_sub(b)?,
                B::Multiply => a.checked_mul(b)?,
                B::Divide => a.checked_div(b).unwrap_or(0),
                B::Remainder => a.checked_rem(b).unwrap_or(0),
                B::ShiftLeft if (0..64).contains(&b) && a.unsigned_abs() < 1 << 62 => a << b,
                B::ShiftRight if (0..64).contains(&b) => a >> b,
                B::BitAnd => a & b,
                B::BitOr => a | b,
                B::BitXor => a ^ b,
                B::ShiftLeft
                | B::ShiftRight
                | B::Less
                | B::LessEqual
                | B::Greater
                | B::GreaterEqual
                | B::Equal
                | B::NotEqual
                | B::And
                | B::Or => return None,
            };
            (n.unsigned_abs() < 1 << 70).then_some(Untyped::Int(n))
        }
        (Untyped::Int(a), Untyped::Float(..)) => fold(op, &Untyped::Float(*a as f64, *a as f32), b),
        (Untyped::Float(..), Untyped::Int(b)) => fold(op, a, &Untyped::Float(*b as f64, *b as f32)),
        (Untyped::Float(a, c), Untyped::Float(b, d)) => Some(match op {
            B::Add => Untyped::Float(a + b, c + d),
            B::Subtract => Untyped::Float(a - b, c - d),
            B::Multiply => Untyped::Float(a * b, c * d),
            B::Divide => Untyped::Float(a / b, c / d),
            B::Remainder
            | B::ShiftLeft
            | B::ShiftRight
            | B::Less
            | B::LessEqual
            | B::Greater
            | B::GreaterEqual
            | B::Equal
            | B::NotEqual
            | B::BitAnd
            | B::BitXor
            | B::BitOr
            | B::And
            | B::Or => return None,
        }),
        (Untyped::Null | Untyped::Lanes(_), _) | (_, Untyped::Null | Untyped::Lanes(_)) => None,
    }
}

impl<'a> Checker<'a> {
    /// The checked value of an expression that has to be constant; `None` of one that is in error.
    pub fn checked_value(&mut self, e: &'a ast::Expr) -> Option<Expr> {
        let operand = self.expression(e, None);
        if operand.is_error() {
            return None;
        }
        let value = self.value(operand, None);
        if self.is_error(value.ty) { None } else { Some(Expr { span: e.span, ..value }) }
    }

    /// The value of a constant integer expression; reports what is none.
    pub fn constant_integer(&mut self, e: &'a ast::Expr) -> Option<i128> {
        let value = self.checked_value(e)?;
        let element = self.program.types.element(value.ty).filter(|element| element.is_integer());
        let Some(element) = element.filter(|_| self.length(value.ty) == 1) else {
            self.error(&codes::NOT_CONSTANT, e.span, "this is no constant integer expression");
            return None;
        };
        match self.computed(&value, "this is no constant integer expression")? {
            Constant::Int(bits) => Some(number(bits, element)),
            Constant::Bool(_) | Constant::Float(_) | Constant::Null => None,
        }
    }

    fn element_of(&self, ty: Type) -> Option<Element> {
        self.program.types.element(ty).filter(|_| self.length(ty) == 1)
    }

    /// The value of a scalar global that is `const`.
    fn global_constant(&self, global: GlobalId) -> Option<Constant> {
        let (_, variable) = self.items.globals.get(global.0 as usize)?;
        let made = self.program.globals.get(global.0 as usize)?;
        let (element, constant) = (self.element_of(made.ty)?, variable.ty.is_const);
        match made.initializer {
            Initializer::Constant(value) if constant => Some(value),
            Initializer::Zero if constant && element.is_integer() => Some(Constant::Int(0)),
            Initializer::Constant(_) | Initializer::Zero | Initializer::List(_) => None,
        }
    }

    /// The value of a scalar that is a part of something constant.
    fn part_constant(&self, place: &Place) -> Option<Constant> {
        self.element_of(place.ty)?;
        let mut path = Vec::new();
        let mut root = place;
        loop {
            root = match &root.kind {
                PlaceKind::Member(of, index) => {
                    path.push(*index);
                    of
                }
                PlaceKind::Element(of, index) => {
                    let element = self.element_of(index.ty)?;
                    let Constant::Int(bits) = self.evaluate(index)? else { return None };
                    path.push(usize::try_from(number(bits, element)).ok()?);
                    of
                }
                PlaceKind::Local(local) => {
                    let first = self.body.infos.get(local.0 as usize)?.first.clone()?;
                    let mut e = &*first;
                    for &at in path.iter().rev() {
                        let ExprKind::Aggregate(parts) = &e.kind else { return None };
                        e = parts.get(at)?;
                    }
                    return self.evaluate(e);
                }
                PlaceKind::Global(global) => {
                    let made = self.program.globals.get(global.0 as usize).filter(|made| made.is_const)?;
                    let mut value = &made.initializer;
                    for &at in path.iter().rev() {
                        let Initializer::List(parts) = value else { return None };
                        value = parts.get(at)?;
                    }
                    return match value {
                        Initializer::Constant(constant) => Some(*constant),
                        Initializer::Zero | Initializer::List(_) => None,
                    };
                }
                PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => return None,
            };
        }
    }

    /// The value of a scalar expression that is constant.
    pub fn evaluate(&self, e: &Expr) -> Option<Constant> {
        match &e.kind {
            ExprKind::Constant(constant) => Some(*constant),
            ExprKind::Load(place) => match place.kind {
                PlaceKind::Local(local) => self.body.infos.get(local.0 as usize)?.constant,
                PlaceKind::Global(global) => self.global_constant(global),
                PlaceKind::Member(..) | PlaceKind::Element(..) => self.part_constant(place),
                PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => None,
            },
            ExprKind::Convert(a) => convert(self.evaluate(a)?, self.element_of(a.ty)?, self.element_of(e.ty)?),
            ExprKind::Unary(op, a) => match (op, self.evaluate(a)?) {
                (UnaryOp::Not, Constant::Bool(b)) => Some(Constant::Bool(!b)),
                (UnaryOp::Not, Constant::Int(n)) => Some(Constant::Int(truncated(!(n as i128), self.element_of(e.ty)?))),
                (UnaryOp::Negate, Constant::Int(n)) => Some(Constant::Int(truncated(-(n as i128), self.element_of(e.ty)?))),
                (UnaryOp::Negate, Constant::Float(x)) => Some(Constant::Float(-x)),
                (_, Constant::Bool(_) | Constant::Float(_) | Constant::Null) => None,
            },
            ExprKind::Binary(op, a, b) => binary(*op, self.evaluate(a)?, self.evaluate(b)?, self.element_of(e.ty)?),
            ExprKind::Compare(op, a, b) => {
                let element = self.element_of(a.ty)?;
                let ordering = match (self.evaluate(a)?, self.evaluate(b)?) {
                    (Constant::Int(a), Constant::Int(b)) => number(a, element).partial_cmp(&number(b, element)),
                    (Constant::Bool(a), Constant::Bool(b)) => a.partial_cmp(&b),
                    (Constant::Float(a), Constant::Float(b)) => a.partial_cmp(&b),
                    _ => return None,
                };
                Some(Constant::Bool(op.holds(ordering)))
            }
            ExprKind::And(a, b) => match (self.evaluate(a)?, self.evaluate(b)?) {
                (Constant::Bool(a), Constant::Bool(b)) => Some(Constant::Bool(a && b)),
                _ => None,
            },
            ExprKind::Or(a, b) => match (self.evaluate(a)?, self.evaluate(b)?) {
                (Constant::Bool(a), Constant::Bool(b)) => Some(Constant::Bool(a || b)),
                _ => None,
            },
            ExprKind::Conditional(c, a, b) => match self.evaluate(c)? {
                Constant::Bool(true) => self.evaluate(a),
                Constant::Bool(false) => self.evaluate(b),
                Constant::Int(_) | Constant::Float(_) | Constant::Null => None,
            },
            ExprKind::Builtin(builtin, arguments) => {
                let element = self.element_of(e.ty)?;
                let mut numbers = Vec::new();
                for argument in arguments {
                    let Constant::Int(bits) = self.evaluate(argument)? else { return None };
                    numbers.push(number(bits, element));
                }
                let n = match (builtin, &*numbers) {
                    (Builtin::Lane(LaneOp::RotateLeft), [a, n]) => rotated(*a, *n, element),
                    (Builtin::Lane(LaneOp::RotateRight), [a, n]) => rotated(*a, -*n, element),
                    (Builtin::Lane(LaneOp::Min), [a, b]) => *a.min(b),
                    (Builtin::Lane(LaneOp::Max), [a, b]) => *a.max(b),
                    (Builtin::Lane(LaneOp::Log2), [a]) if *a > 0 => a.ilog2() as i128,
                    (Builtin::Lane(LaneOp::Log2), [_]) => -1,
                    (Builtin::Lane(LaneOp::Abs), [a]) => a.abs(),
                    _ => return None,
                };
                Some(Constant::Int(truncated(n, element)))
            }
            ExprKind::Lanes(_)
            | ExprKind::Aggregate(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Blend(..)
            | ExprKind::CurrentMask
            | ExprKind::LaneIndex
            | ExprKind::Broadcast(_)
            | ExprKind::Assign { .. }
            | ExprKind::Compound { .. }
            | ExprKind::Call { .. }
            | ExprKind::SetLane { .. }
            | ExprKind::Member(..)
            | ExprKind::PointerOffset(..)
            | ExprKind::Within(..)
            | ExprKind::PointerDifference(..)
            | ExprKind::New(..)
            | ExprKind::Print(..)
            | ExprKind::Assert(..) => None,
        }
    }
}

/// The bits of a number, moved up by a count modulo the width.
fn rotated(a: i128, count: i128, element: Element) -> i128 {
    let (bits, width) = (i128::from(truncated(a, element)), i128::from(element.bits()));
    let up = count.rem_euclid(width);
    (bits << up) | (bits >> (width - up))
}

/// A constant of one element as one of another (language.md §6).
fn convert(constant: Constant, from: Element, to: Element) -> Option<Constant> {
    Some(match constant {
        Constant::Null => return None,
        Constant::Bool(b) => match to {
            Element::Bool => Constant::Bool(b),
            Element::Float16 | Element::Float | Element::Double => Constant::Float(f64::from(u8::from(b))),
            _ => Constant::Int(u64::from(b)),
        },
        Constant::Int(bits) => {
            let n = number(bits, from);
            match to {
                Element::Bool => Constant::Bool(n != 0),
                Element::Float16 => Constant::Float(ivl::Float16::from_f64(n.clamp(-INFINITE, INFINITE) as f64).to_f64()),
                Element::Float => Constant::Float(f64::from(n as f32)),
                Element::Double => Constant::Float(n as f64),
                _ => Constant::Int(truncated(n, to)),
            }
        }
        Constant::Float(x) => match to {
            Element::Bool => Constant::Bool(x != 0.0),
            Element::Float16 => Constant::Float(ivl::Float16::from_f64(x).to_f64()),
            Element::Float => Constant::Float(f64::from(x as f32)),
            Element::Double => Constant::Float(x),
            _ => {
                let bits = to.bits();
                let (low, high) =
                    if to.is_signed() { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
                Constant::Int(truncated((x as i128).clamp(low, high), to))
            }
        },
    })
}

fn binary(op: BinaryOp, a: Constant, b: Constant, element: Element) -> Option<Constant> {
    match (a, b) {
        (Constant::Int(a), Constant::Int(b)) => {
            let (a, b) = (number(a, element), number(b, element));
            let count = b.rem_euclid(i128::from(element.bits()));
            let n = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Subtract => a - b,
                BinaryOp::Multiply => a.wrapping_mul(b),
                BinaryOp::Divide => a.checked_div(b).unwrap_or(0),
                BinaryOp::Remainder => a.checked_rem(b).unwrap_or(0),
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitOr => a | b,
                BinaryOp::BitXor => a ^ b,
                BinaryOp::ShiftLeft => a << count,
                BinaryOp::ShiftRight => a >> count,
            };
            Some(Constant::Int(truncated(n, element)))
        }
        (Constant::Bool(a), Constant::Bool(b)) => match op {
            BinaryOp::BitAnd => Some(Constant::Bool(a & b)),
            BinaryOp::BitOr => Some(Constant::Bool(a | b)),
            BinaryOp::BitXor => Some(Constant::Bool(a ^ b)),
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => None,
        },
        (Constant::Float(a), Constant::Float(b)) => {
            let x = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Subtract => a - b,
                BinaryOp::Multiply => a * b,
                BinaryOp::Divide => a / b,
                BinaryOp::Remainder
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRight => return None,
            };
            // The sum, difference, product and quotient of two floats round to float as if they were exact.
            Some(Constant::Float(if element == Element::Float { f64::from(x as f32) } else { x }))
        }
        (Constant::Bool(_) | Constant::Int(_) | Constant::Float(_) | Constant::Null, _) => None,
    }
}
