//! Arithmetic in 8 or 16 bits whose result may not fit, where it is used as if it had: made wider, divided, shifted down, clamped.
//!
//! ```text
//! int s = a[i] + b[i];      (a[i] + b[i] + 1) / 2      abs(a[i] - b[i])      max(a[i] - b[i], 0)      of `uint8`
//! ```
//! Nothing is promoted to `int` (language.md §2), so each of these wraps first. Results that are stored as narrow as they are, compared or
//! masked by `&` are left alone, and so are those that certainly fit, and those of which a cast to their own type says that they are to wrap.
//! Numbers of 16 bits often have room by what they mean (pixels of 12 bits, halves of sums): they are told about where they become wider alone.

use super::super::constants::number;
use super::super::state::Checker;
use super::parts::{Part, below};
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::typed::ir::{BinaryOp, Builtin, Constant, Expr, ExprKind, LaneOp, UnaryOp};
use crate::types::{Element, Type};
use std::borrow::Cow;
use std::slice;

/// The least and the greatest value.
type Bounds = (i128, i128);

impl Checker<'_> {
    /// Tells of such operations in an expression.
    pub fn warn_of_wrapping(&mut self, e: &Expr) {
        // What wraps for one argument of a template need not for others.
        if !self.body.template.is_empty() {
            return;
        }
        for part in below(e) {
            let Part::Expr(part) = part else { continue };
            let Some((operands, becomes)) = self.use_of_narrow(part) else { continue };
            for operand in operands {
                if let Some(wraps) = self.wrapping(operand) {
                    self.tell_of_wrapping(wraps, &becomes);
                }
            }
        }
    }

    /// Operands that are used as if they had not wrapped, and what happens to them.
    fn use_of_narrow<'e>(&self, e: &'e Expr) -> Option<(&'e [Expr], Cow<'static, str>)> {
        if let ExprKind::Convert(from) = &e.kind {
            let (narrow, to) = (self.narrow(from.ty)?, self.program.types.element(e.ty)?);
            let is_widened = to.is_float() || to.bits() > narrow.bits();
            return is_widened.then(|| (slice::from_ref(&**from), format!("becomes `{}`", to.name()).into()));
        }
        self.narrow(e.ty).filter(|element| element.bits() == 8)?;
        match &e.kind {
            ExprKind::Binary(BinaryOp::Divide | BinaryOp::Remainder, a, _) => Some((slice::from_ref(&**a), "is divided".into())),
            ExprKind::Binary(BinaryOp::ShiftRight, a, _) => Some((slice::from_ref(&**a), "is shifted".into())),
            ExprKind::Builtin(Builtin::Lane(LaneOp::Abs), operands) => Some((operands, "has its sign removed".into())),
            ExprKind::Builtin(Builtin::Lane(LaneOp::Min | LaneOp::Max), operands) => Some((operands, "is limited".into())),
            _ => None,
        }
    }

    /// The element of integers of 8 or 16 bits.
    fn narrow(&self, ty: Type) -> Option<Element> {
        self.program.types.element(ty).filter(|element| element.is_integer() && element.bits() <= 16)
    }

    /// The outermost operation in a value that may wrap and is not said to.
    fn wrapping<'e>(&self, e: &'e Expr) -> Option<&'e Expr> {
        let element = self.narrow(e.ty)?;
        if self.body.casts.contains(&e.span) {
            return None;
        }
        let does_wrap = || self.exact(e).is_some_and(|bounds| !is_within(bounds, element));
        match &e.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, a, b) => {
                if does_wrap() {
                    Some(e)
                } else {
                    self.wrapping(a).or_else(|| self.wrapping(b))
                }
            }
            ExprKind::Unary(UnaryOp::Negate, a) => {
                if does_wrap() {
                    Some(e)
                } else {
                    self.wrapping(a)
                }
            }
            ExprKind::Conditional(_, a, b) | ExprKind::Blend(a, b) => self.wrapping(a).or_else(|| self.wrapping(b)),
            ExprKind::Broadcast(a) => self.wrapping(a),
            _ => None,
        }
    }

    /// What an operation would give in as many bits as it takes; `None` where it is none that is known.
    fn exact(&self, e: &Expr) -> Option<Bounds> {
        let corners = |op: fn(i128, i128) -> i128, (a, b): (Bounds, Bounds)| {
            let all = [op(a.0, b.0), op(a.0, b.1), op(a.1, b.0), op(a.1, b.1)];
            (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
        };
        Some(match &e.kind {
            ExprKind::Binary(op, a, b) => {
                let both = (self.bounds(a)?, self.bounds(b)?);
                match op {
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
                let (low, high) = self.bounds(a)?;
                (-high, -low)
            }
            ExprKind::Builtin(Builtin::Lane(op @ (LaneOp::Min | LaneOp::Max)), operands) => {
                let [a, b] = [self.bounds(operands.first()?)?, self.bounds(operands.get(1)?)?];
                if *op == LaneOp::Min { (a.0.min(b.0), a.1.min(b.1)) } else { (a.0.max(b.0), a.1.max(b.1)) }
            }
            ExprKind::Conditional(_, a, b) | ExprKind::Blend(a, b) => {
                let [a, b] = [self.bounds(a)?, self.bounds(b)?];
                (a.0.min(b.0), a.1.max(b.1))
            }
            ExprKind::Broadcast(a) | ExprKind::Convert(a) => self.bounds(a)?,
            ExprKind::Constant(Constant::Int(bits)) => {
                let n = number(*bits, self.program.types.element(e.ty)?);
                (n, n)
            }
            _ => return None,
        })
    }

    /// The values of an integer: those of its type where no less is known.
    fn bounds(&self, e: &Expr) -> Option<Bounds> {
        let element = self.program.types.element(e.ty)?;
        match element {
            Element::Bool => Some((0, 1)),
            _ if !element.is_integer() => None,
            _ => Some(self.exact(e).filter(|&bounds| is_within(bounds, element)).unwrap_or_else(|| all_of(element))),
        }
    }

    fn tell_of_wrapping(&mut self, wraps: &Expr, becomes: &str) {
        let Some(element) = self.narrow(wraps.ty) else { return };
        let message = format!("this is computed in `{0}`, where results wrap, before it {becomes}", element.name());
        let mut edits = Vec::new();
        self.widened(wraps, &mut edits);
        let help = "make it wider first: write `(int)` in front of an operand";
        let note = format!("where it is to wrap, a cast says so: `({}) (…)`", element.name());
        let warning = Diagnostic::warning(&codes::NARROW_ARITHMETIC, wraps.span, message).with_fix(help, edits).with_note(note);
        self.diagnostics.push(warning);
    }

    /// Casts that have an operation computed in `int`, its operands too where they may wrap.
    fn widened(&self, e: &Expr, edits: &mut Vec<Edit>) {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, a, b) => {
                self.widened(a, edits);
                if self.wrapping(b).is_some() {
                    self.widened(b, edits);
                }
            }
            ExprKind::Unary(UnaryOp::Negate, a) => self.widened(a, edits),
            _ => edits.push(Edit::before(e.span, "(int) ")),
        }
    }
}

/// All values of an integer element.
fn all_of(element: Element) -> Bounds {
    let bits = element.bits();
    if element.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn is_within(bounds: Bounds, element: Element) -> bool {
    let all = all_of(element);
    bounds.0 >= all.0 && bounds.1 <= all.1
}
