//! Arithmetic in 8 or 16 bits whose result may not fit, where it is used as if it had: made wider, divided, shifted down, clamped,
//! asked for its order.
//!
//! ```text
//! int s = a[i] + b[i];      (a[i] + b[i] + 1) / 2      abs(a[i] - b[i])      a[i] - b[i] > t      int s = a[i] << 2;      int s = ~a[i];      of `uint8`
//! ```
//! Nothing is promoted to `int` (language.md §2), so each of these wraps first. Results that are stored as narrow as they are or masked by `&` are left alone, and so are
//! those that certainly fit, those of which a cast to their own type says that they are to wrap, and two idioms: `c - 97 < 26`, which asks for a range by wrapping,
//! and `c - '0'`, since who takes a character off has asked what there is.
//! Variables of 16 bits often have room by what they mean (products of bytes, halves of sums): where they do not become wider, only what elements
//! of arrays alone make too large is told about.
//! `sum` and `product` of a pipeline have the type of what they reduce, and are operations as these are.

use super::super::constants::number;
use super::super::state::{Checker, Reduced};
use super::parts::{Part, below};
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::typed::ir::{BinaryOp, Builtin, CompareOp, Constant, Expr, ExprKind, LaneOp, PlaceKind, UnaryOp};
use crate::types::{Element, Type};
use std::borrow::Cow;

/// The least and the greatest value.
type Bounds = (i128, i128);

/// How a value is used as if nothing in it had wrapped.
struct Use<'e> {
    operands: Vec<&'e Expr>,
    /// What happens to it, for the message.
    becomes: Cow<'static, str>,
    /// Is what is no element of an array taken to be as small as need be?
    has_room: bool,
}

impl Checker<'_> {
    /// Tells of such operations in an expression.
    pub fn warn_of_wrapping(&mut self, e: &Expr) {
        // What wraps for one argument of a template need not for others.
        if !self.body.template.is_empty() {
            return;
        }
        for part in below(e) {
            let Part::Expr(part) = part else { continue };
            let Some(used) = self.use_of_narrow(part) else { continue };
            for &operand in &used.operands {
                if let Some(wraps) = self.wrapping(operand, used.has_room) {
                    self.tell_of_wrapping(wraps, &used);
                }
            }
        }
    }

    /// Such a use, if the expression is one.
    fn use_of_narrow<'e>(&self, e: &'e Expr) -> Option<Use<'e>> {
        if let ExprKind::Convert(from) = &e.kind {
            let (narrow, to) = (self.narrow(from.ty)?, self.program.types.element(e.ty)?);
            let is_widened = to.is_float() || to.bits() > narrow.bits();
            let becomes = format!("becomes `{}`", to.name()).into();
            return is_widened.then_some(Use { operands: vec![from], becomes, has_room: false });
        }
        if let ExprKind::Compare(op, a, b) = &e.kind {
            let has_room = self.narrow(a.ty)?.bits() == 16;
            let is_order = !matches!(op, CompareOp::Equal | CompareOp::NotEqual);
            let asks_for_range = |a: &Expr, b: &Expr| self.written_number(b).is_some() && self.moves_by_number(a);
            let is_meant = !is_order || asks_for_range(a, b) || asks_for_range(b, a);
            let operands = if is_meant { Vec::new() } else { vec![&**a, &**b] };
            return Some(Use { operands, becomes: "is compared".into(), has_room });
        }
        let has_room = self.narrow(e.ty)?.bits() == 16;
        let (operands, becomes) = match &e.kind {
            ExprKind::Binary(BinaryOp::Divide | BinaryOp::Remainder, a, _) => (vec![&**a], "is divided"),
            ExprKind::Binary(BinaryOp::ShiftRight, a, _) => (vec![&**a], "is shifted"),
            ExprKind::Builtin(Builtin::Lane(LaneOp::Abs), operands) => (operands.iter().collect(), "has its sign removed"),
            ExprKind::Builtin(Builtin::Lane(LaneOp::Min | LaneOp::Max), operands) => (operands.iter().collect(), "is limited"),
            _ => return None,
        };
        Some(Use { operands, becomes: becomes.into(), has_room })
    }

    /// The element of integers of 8 or 16 bits.
    fn narrow(&self, ty: Type) -> Option<Element> {
        self.program.types.element(ty).filter(|element| element.is_integer() && element.bits() <= 16)
    }

    /// The outermost operation in a value that may wrap and is not said to.
    fn wrapping<'e>(&self, e: &'e Expr, has_room: bool) -> Option<&'e Expr> {
        let element = self.narrow(e.ty)?;
        if self.body.casts.contains(&e.span) {
            return None;
        }
        let does_wrap = || self.exact(e, has_room).is_some_and(|bounds| !is_within(bounds, element));
        match &e.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, a, b) => {
                if does_wrap() {
                    Some(e)
                } else {
                    self.wrapping(a, has_room).or_else(|| self.wrapping(b, has_room))
                }
            }
            ExprKind::Binary(BinaryOp::ShiftLeft, a, _) | ExprKind::Unary(UnaryOp::Negate | UnaryOp::Not, a) => {
                if does_wrap() {
                    Some(e)
                } else {
                    self.wrapping(a, has_room)
                }
            }
            ExprKind::Conditional(_, a, b) | ExprKind::Blend(a, b) => {
                self.wrapping(a, has_room).or_else(|| self.wrapping(b, has_room))
            }
            ExprKind::Broadcast(a) => self.wrapping(a, has_room),
            ExprKind::Call { function, .. } if self.reduced.contains_key(function) => does_wrap().then_some(e),
            _ => None,
        }
    }

    /// What a reduction would give in as many bits as it takes.
    fn reduced(&self, reduced: &Reduced, has_room: bool) -> Option<Bounds> {
        let (low, high) = self.bounds(&reduced.term, has_room)?;
        // More terms than there are bits count as many: no sum of narrow numbers that grows with them fits.
        let count = i128::from(reduced.count.unwrap_or(u64::MAX).min(1 << 20));
        if !reduced.is_product {
            return Some(((low * count).min(0), (high * count).max(0)));
        }
        let most = low.abs().max(high.abs());
        let most =
            (0..count.min(64)).try_fold(1i128, |product, _| Some(product * most).filter(|p| *p < 1 << 32)).unwrap_or(1 << 32);
        Some((if low < 0 { -most } else { 0 }, most))
    }

    /// Is it a sum or a difference of something and a number?
    fn moves_by_number(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) => {
                self.written_number(a).is_some() || self.written_number(b).is_some()
            }
            ExprKind::Broadcast(a) => self.moves_by_number(a),
            _ => false,
        }
    }

    /// What an operation would give in as many bits as it takes; `None` where it is none that is known.
    fn exact(&self, e: &Expr, has_room: bool) -> Option<Bounds> {
        let corners = |op: fn(i128, i128) -> i128, (a, b): (Bounds, Bounds)| {
            let all = [op(a.0, b.0), op(a.0, b.1), op(a.1, b.0), op(a.1, b.1)];
            (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
        };
        Some(match &e.kind {
            ExprKind::Binary(op, a, b) => {
                let both = (self.bounds(a, has_room)?, self.bounds(b, has_room)?);
                match op {
                    BinaryOp::Subtract if self.body.characters.contains(&b.span) => self.bounds(a, has_room)?,
                    BinaryOp::ShiftLeft if both.1.0 >= 0 && both.1.1 < 16 => corners(|a, b| a << b, both),
                    BinaryOp::Add => corners(|a, b| a + b, both),
                    BinaryOp::Subtract => corners(|a, b| a - b, both),
                    BinaryOp::Multiply => corners(|a, b| a * b, both),
                    BinaryOp::Divide if both.1.0 > 0 => corners(|a, b| a / b, both),
                    BinaryOp::Remainder if both.1.0 > 0 => {
                        let most = both.1.1 - 1;
                        (both.0.0.max(-most).min(0), both.0.1.min(most).max(0))
                    }
                    BinaryOp::ShiftRight if both.1.0 >= 0 && both.1.1 < 64 => corners(|a, b| a >> b, both),
                    BinaryOp::BitAnd if both.0.0 >= 0 || both.1.0 >= 0 => {
                        let highs = [both.0, both.1].into_iter().filter(|bounds| bounds.0 >= 0).map(|bounds| bounds.1);
                        (0, highs.min()?)
                    }
                    _ => return None,
                }
            }
            ExprKind::Unary(UnaryOp::Negate, a) => {
                let (low, high) = self.bounds(a, has_room)?;
                (-high, -low)
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                let (low, high) = self.bounds(a, has_room)?;
                (-1 - high, -1 - low)
            }
            ExprKind::Builtin(Builtin::Lane(op @ (LaneOp::Min | LaneOp::Max)), operands) => {
                let [a, b] = [self.bounds(operands.first()?, has_room)?, self.bounds(operands.get(1)?, has_room)?];
                if *op == LaneOp::Min { (a.0.min(b.0), a.1.min(b.1)) } else { (a.0.max(b.0), a.1.max(b.1)) }
            }
            ExprKind::Conditional(_, a, b) | ExprKind::Blend(a, b) => {
                let [a, b] = [self.bounds(a, has_room)?, self.bounds(b, has_room)?];
                (a.0.min(b.0), a.1.max(b.1))
            }
            ExprKind::Broadcast(a) | ExprKind::Convert(a) => self.bounds(a, has_room)?,
            ExprKind::Call { function, .. } => self.reduced(self.reduced.get(function)?, has_room)?,
            ExprKind::Constant(Constant::Int(bits)) => {
                let n = number(*bits, self.program.types.element(e.ty)?);
                (n, n)
            }
            _ => return None,
        })
    }

    /// The values of an integer: those of its type where no less is known.
    fn bounds(&self, e: &Expr, has_room: bool) -> Option<Bounds> {
        let element = self.program.types.element(e.ty)?;
        match element {
            Element::Bool => Some((0, 1)),
            _ if !element.is_integer() => None,
            _ => Some(match self.exact(e, has_room) {
                Some(bounds) if is_within(bounds, element) => bounds,
                None if has_room && !is_element(e) => (0, 0),
                _ => all_of(element),
            }),
        }
    }

    fn tell_of_wrapping(&mut self, wraps: &Expr, used: &Use) {
        let Some(element) = self.narrow(wraps.ty) else { return };
        let message = format!("this is computed in `{0}`, where results wrap, before it {1}", element.name(), used.becomes);
        let mut edits = Vec::new();
        self.widened(wraps, &mut edits);
        let is_reduction = matches!(wraps.kind, ExprKind::Call { .. });
        let operand = if is_reduction { "what is reduced" } else { "an operand" };
        let help = format!("make it wider first: write `(int)` in front of {operand}");
        let note = format!("where it is to wrap, a cast says so: `({}) (…)`", element.name());
        let warning = Diagnostic::warning(&codes::NARROW_ARITHMETIC, wraps.span, message).with_fix(help, edits).with_note(note);
        self.diagnostics.push(warning);
    }

    /// Casts that have an operation computed in `int`, its operands too where they may wrap.
    fn widened(&self, e: &Expr, edits: &mut Vec<Edit>) {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, a, b) => {
                self.widened(a, edits);
                if self.wrapping(b, false).is_some() {
                    self.widened(b, edits);
                }
            }
            ExprKind::Binary(BinaryOp::ShiftLeft, a, _) | ExprKind::Unary(UnaryOp::Negate | UnaryOp::Not, a) => {
                self.widened(a, edits);
            }
            ExprKind::Call { function, .. } if let Some(reduced) = self.reduced.get(function) => {
                self.widened(&reduced.term, edits);
            }
            ExprKind::Conditional(..) | ExprKind::Blend(..) => {
                edits.extend(Edit::wrap("(int) ", e.span));
            }
            _ => edits.push(Edit::before(e.span, "(int) ")),
        }
    }
}

/// Is this what lies in an array, as it is there?
fn is_element(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Load(place) if matches!(place.kind, PlaceKind::Dereference(_) | PlaceKind::Element(..)))
}

/// All values of an integer element.
pub(super) fn all_of(element: Element) -> Bounds {
    let bits = element.bits();
    if element.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn is_within(bounds: Bounds, element: Element) -> bool {
    let all = all_of(element);
    bounds.0 >= all.0 && bounds.1 <= all.1
}
