//! `atomic_add(p, v)` and its like: `*p` becomes `*p ∘ v` in one step that no other thread sees the half of.

use super::super::operand::Operand;
use super::super::state::Checker;
use crate::diagnostics::codes;
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Builtin, EffectOp, Place, PlaceKind, ReduceOp};

impl<'a> Checker<'a> {
    /// `atomic_op(p, v)`, `atomic_swap(p, v)`, `atomic_compare_exchange(p, expected, v)`: the pointer or a value may be the same for
    /// all lanes.
    pub(super) fn atomic(&mut self, op: EffectOp, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let pointer = self.pointer_argument(&arguments[0]);
        let object = self.program.types.pointee(pointer.ty);
        let values: Vec<Operand> = arguments[1..].iter().map(|e| self.expression(e, object)).collect();
        let (Some(object), false) = (object, values.iter().any(Operand::is_error)) else { return Operand::Error(span) };
        let Some(element) = self.program.types.element(object).filter(|_| self.length(object) == 1) else {
            let message = format!("`{text}` through a `{}`", self.display(pointer.ty));
            self.error(&codes::TYPE_MISMATCH, arguments[0].span, message + ": it changes one scalar at a time");
            return Operand::Error(span);
        };
        let reduction = if let EffectOp::Atomic(reduction) = op { Some(reduction) } else { None };
        let bits = matches!(reduction, Some(ReduceOp::And | ReduceOp::Or | ReduceOp::Xor));
        if reduction.is_some() && if bits { element.is_float() } else { element == crate::types::Element::Bool } {
            let help =
                if bits { "bits are for integers and `bool`" } else { "numbers; `bool` has atomic_and, atomic_or, atomic_xor" };
            return self.wrong_element(text, &pointer, help);
        }
        if reduction.is_some() && element == crate::types::Element::Float16 {
            return self.wrong_element(text, &pointer, "no step computes with `float16`: its numbers are computed as `float`");
        }
        let addresses = self.length(pointer.ty);
        let kind = PlaceKind::Dereference(Box::new(pointer.clone()));
        let place = Place { kind, object, addresses, ty: object, span: arguments[0].span };
        if let Some(what) = self.read_only(&place) {
            self.error(&codes::READ_ONLY, arguments[0].span, format!("{what} is `const`"));
            return Operand::Error(span);
        }
        let mut operands = vec![pointer];
        for (operand, e) in values.into_iter().zip(&arguments[1..]) {
            let from = self.operand_type(&operand);
            let to = self.program.types.vector(element, self.length(from));
            operands.push(self.coerce(operand, to, e.span));
        }
        if operands.iter().any(|e| self.is_error(e.ty)) {
            return Operand::Error(span);
        }
        let Some(length) = self.meet_lengths(&operands, span) else { return Operand::Error(span) };
        let operands = operands.into_iter().map(|e| self.at_length(e, length)).collect();
        let result = self.program.types.vector(element, length);
        self.made(Builtin::Effect(op), operands, result, span)
    }
}
