//! `&&`, `||` and `?:`, whose later operands run under the mask that the first one narrows.

use super::infer::{Mistake, Opened};
use super::operand::Operand;
use super::state::Checker;
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Constant, Expr, ExprKind};
use crate::types::{Element, Type};

impl<'a> Checker<'a> {
    /// Runs a rule under the mask that `condition` narrows: in its context, if it opens one.
    pub fn narrowed<T>(&mut self, condition: &Expr, rule: impl FnOnce(&mut Self) -> T) -> T {
        let Some(narrowing) = self.narrowing_of(condition) else { return rule(self) };
        let opened = Opened { length: narrowing.length, is_callers: narrowing.is_callers, span: condition.span };
        self.inside(Some(narrowing), |this| this.in_opened(opened, rule))
    }

    /// `a && b`, `a || b`: b under the mask where a leaves it open.
    pub fn short_circuit(&mut self, is_and: bool, a: &'a ast::Expr, b: &'a ast::Expr, span: Span) -> Operand {
        let left = self.condition(a);
        let clause = if is_and { Mistake::And } else { Mistake::Or };
        let right = self.narrowed(&left, |this| this.unless_left_out(clause, |this| this.condition(b)));
        if self.is_error(left.ty) || self.is_error(right.ty) {
            return Operand::Error(span);
        }
        let (ll, rl) = (self.length(left.ty), self.length(right.ty));
        if ll == 1 && rl > 1 {
            // A scalar left side decides for all lanes at once: `a ? b : false`, `a ? true : b`.
            let scalar = self.scalar(Element::Bool);
            let decided = Expr { kind: ExprKind::Constant(Constant::Bool(!is_and)), ty: scalar, span };
            let decided = self.broadcast(decided, right.ty);
            let ty = right.ty;
            let (then, otherwise) = if is_and { (right, decided) } else { (decided, right) };
            return Operand::Value(Expr {
                kind: ExprKind::Conditional(Box::new(left), Box::new(then), Box::new(otherwise)),
                ty,
                span,
            });
        }
        let operands = [left, right];
        let Some(length) = self.meet_lengths(&operands, span) else { return Operand::Error(span) };
        let [left, right] = operands.map(|e| Box::new(self.at_length(e, length)));
        let ty = left.ty;
        let kind = if is_and { ExprKind::And(left, right) } else { ExprKind::Or(left, right) };
        Operand::Value(Expr { kind, ty, span })
    }

    /// `c ? a : b`
    pub fn conditional_operator(
        &mut self,
        c: &'a ast::Expr,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        span: Span,
        want: Option<Type>,
    ) -> Operand {
        let condition = self.condition(c);
        let arms = self.narrowed(&condition, |this| {
            let a = this.unless_left_out(Mistake::FirstArm, |this| this.expression(a, want));
            let b = this.unless_left_out(Mistake::SecondArm, |this| this.expression(b, want));
            this.meet_any(a, b, want, span)
        });
        let Some((a, b)) = arms else { return Operand::Error(span) };
        if self.is_error(condition.ty) {
            return Operand::Error(span);
        }
        let operands = [condition, a, b];
        let lengths = self.meet_lengths(&operands, span);
        let Some(length) = lengths else { return Operand::Error(span) };
        let [condition, a, b] = operands;
        let length = if self.length(condition.ty) > 1 { length } else { self.length(a.ty).max(self.length(b.ty)) };
        let [a, b] = [a, b].map(|e| Box::new(self.at_length(e, length)));
        let ty = a.ty;
        Operand::Value(Expr { kind: ExprKind::Conditional(Box::new(condition), a, b), ty, span })
    }
}
