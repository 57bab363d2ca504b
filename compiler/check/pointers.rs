//! Operators on pointers: comparison, difference, steps.

use super::operand::Operand;
use super::operators::{comparison, two};
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Constant, Expr, ExprKind, UnaryOp};
use crate::types::{Element, Type, TypeKind};

impl Checker<'_> {
    pub fn pointer_operator(
        &mut self,
        op: ast::BinaryOp,
        left: Operand,
        right: Operand,
        pointers: [bool; 2],
        span: Span,
    ) -> Operand {
        let [left_is_pointer, right_is_pointer] = pointers;
        if let Some(compare) = comparison(op) {
            let types = (self.operand_type(&left), self.operand_type(&right));
            let left = self.value(left, Some(types.1));
            let right = self.value(right, Some(left.ty));
            if self.is_error(left.ty) || self.is_error(right.ty) {
                return Operand::Error(span);
            }
            let is_null = |e: &Expr| matches!(e.kind, ExprKind::Constant(Constant::Null));
            let pointees = [&left, &right].map(|e| self.program.types.pointee(e.ty));
            let is_void = |ty: Option<Type>| ty.is_some_and(|ty| matches!(self.program.types.kind(ty), TypeKind::Void));
            let agree =
                pointees[0] == pointees[1] || is_null(&left) || is_null(&right) || is_void(pointees[0]) || is_void(pointees[1]);
            if !(left_is_pointer && right_is_pointer && agree) {
                let message = format!("`{}` and `{}` are compared", self.display(left.ty), self.display(right.ty));
                let error = Diagnostic::error(&codes::TYPE_MISMATCH, span, message);
                let zero = [&left, &right].into_iter().find(|e| matches!(e.kind, ExprKind::Constant(Constant::Int(0))));
                self.diagnostics.push(match zero {
                    Some(zero) => error.with_fix("write `null`", vec![Edit::replace(zero.span, "null")]),
                    None => error,
                });
                return Operand::Error(span);
            }
            let pointee = if is_null(&left) { pointees[1] } else { pointees[0] }.expect("a pointer has a pointee");
            let operands = [left, right];
            let Some(length) = self.meet_lengths(&operands, span) else { return Operand::Error(span) };
            let to = self.program.types.pointer(pointee, length);
            let operands: Vec<Expr> = operands
                .into_iter()
                .map(|e| {
                    let own = self.length(e.ty);
                    let middle = self.program.types.pointer(pointee, own);
                    let e = self.converted(e, middle);
                    self.broadcast(e, to)
                })
                .collect();
            let [a, b] = two(operands);
            let ty = self.program.types.vector(Element::Bool, length);
            return Operand::Value(Expr { kind: ExprKind::Compare(compare, a, b), ty, span });
        }
        match op {
            ast::BinaryOp::Add if left_is_pointer != right_is_pointer => {
                let (pointer, index) = if left_is_pointer { (left, right) } else { (right, left) };
                self.pointer_offset(pointer, index, false, span)
            }
            ast::BinaryOp::Subtract if left_is_pointer && !right_is_pointer => self.pointer_offset(left, right, true, span),
            ast::BinaryOp::Subtract if left_is_pointer && right_is_pointer => {
                let operands = [self.value(left, None), self.value(right, None)];
                if operands.iter().any(|e| self.is_error(e.ty)) {
                    return Operand::Error(span);
                }
                let pointees = [0, 1].map(|i| self.program.types.pointee(operands[i].ty));
                if pointees[0] != pointees[1] {
                    let message =
                        format!("`{}` and `{}` are subtracted", self.display(operands[0].ty), self.display(operands[1].ty));
                    self.error(&codes::TYPE_MISMATCH, span, message);
                    return Operand::Error(span);
                }
                let Some(length) = self.meet_lengths(&operands, span) else { return Operand::Error(span) };
                let operands = operands.map(|e| Box::new(self.at_length(e, length)));
                let [a, b] = operands;
                let ty = self.program.types.vector(Element::Int64, length);
                Operand::Value(Expr { kind: ExprKind::PointerDifference(a, b), ty, span })
            }
            _ => {
                self.error(&codes::TYPE_MISMATCH, span, format!("`{}` on pointers", op.symbol()));
                Operand::Error(span)
            }
        }
    }

    /// p + i, or p − i.
    pub fn pointer_offset(&mut self, pointer: Operand, index: Operand, negate: bool, span: Span) -> Operand {
        let pointer = self.value(pointer, None);
        let int64 = self.scalar(Element::Int64);
        let index = self.value(index, None);
        if self.is_error(pointer.ty) || self.is_error(index.ty) {
            return Operand::Error(span);
        }
        let Some(element) = self.program.types.element(index.ty).filter(|e| e.is_integer()) else {
            let message = format!("an index of type `{}`", self.display(index.ty));
            self.error(&codes::TYPE_MISMATCH, index.span, message);
            return Operand::Error(span);
        };
        let Some(pointee) = self.program.types.pointee(pointer.ty) else { return Operand::Error(span) };
        if matches!(self.program.types.kind(pointee), TypeKind::Void) {
            self.error(&codes::TYPE_MISMATCH, pointer.span, "a `void *` points to nothing that has a size: cast it first");
            return Operand::Error(span);
        }
        let index = if negate {
            // Wrapping at the index's own width would lose −MIN.
            let length = self.length(index.ty);
            let wide = if element == Element::Uint64 { Element::Uint64 } else { Element::Int64 };
            let ty = self.program.types.vector(wide, length);
            let _ = int64;
            let wide = self.converted(index, ty);
            let at = wide.span;
            Expr { kind: ExprKind::Unary(UnaryOp::Negate, Box::new(wide)), ty, span: at }
        } else {
            index
        };
        let operands = [pointer, index];
        let Some(length) = self.meet_lengths(&operands, span) else { return Operand::Error(span) };
        let [pointer, index] = operands;
        let ty = self.program.types.pointer(pointee, length);
        Operand::Value(Expr { kind: ExprKind::PointerOffset(Box::new(pointer), Box::new(index)), ty, span })
    }
}
