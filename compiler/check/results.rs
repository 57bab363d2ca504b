//! Results of functions: what is declared, else what the returns give; and the end of a body.

use super::declared::{Base, Declared, Qualifier};
use super::infer::{Position, Variable};
use super::instance::InstanceKey;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::typed::ir::{self, Block, Constant, Expr, ExprKind, Statement, StatementKind};
use crate::typed::walk::every_statement_mut;
use crate::types::Type;

impl<'a> Checker<'a> {
    /// The result type, where it does not depend on the returns. What C or the system calls returns a scalar.
    pub fn known_result(&mut self, declared: &Declared, key: &InstanceKey, span: Span) -> Option<Type> {
        let (item, context, parameters, _, _) = key;
        let function = self.items.functions[*item].function;
        let is_called_from_outside = (function.export.is_some() || &*function.name.text == "main")
            && *context == 1
            && parameters.iter().all(|&ty| self.length(ty) == 1);
        match (&declared.base, declared.qualifier) {
            (Base::Void, _) => Some(self.program.types.void()),
            (Base::Error, _) => Some(self.program.types.error()),
            (Base::Reference(_) | Base::Array(..), _) => {
                self.error(&codes::TYPE_MISMATCH, span, "a function returns a value: no reference and no array");
                Some(self.program.types.error())
            }
            (Base::Element(_) | Base::Record(_), Qualifier::Block | Qualifier::Of(_)) => {
                Some(self.vec(declared, *context, *context, span))
            }
            (Base::Element(_) | Base::Record(_), Qualifier::Unbound) if is_called_from_outside => {
                Some(self.vec(declared, 1, *context, span))
            }
            (Base::Element(_) | Base::Record(_), Qualifier::Unbound) | (Base::Pointer(_), _) => None,
        }
    }

    /// Is the length of the result inferred?
    pub fn has_unbound_result(&self, declared: &Declared) -> bool {
        match declared.base {
            Base::Element(_) | Base::Record(_) | Base::Pointer(_) => declared.qualifier == Qualifier::Unbound,
            Base::Error | Base::Void | Base::Reference(_) | Base::Array(..) => false,
        }
    }

    /// Lanes that leave one by one return into a result of which there is one for all.
    pub fn returns_to_a_scalar(&mut self, span: Span) {
        if self.body.bound_result.is_none_or(|result| self.length(result) > 1) {
            return;
        }
        let Some(narrowing) = self.narrowing_since(Position::default(), false).cloned() else { return };
        let message = format!("lanes of a context of length {} return into a scalar", narrowing.length);
        let error = Diagnostic::error(&codes::VECTOR_TO_SCALAR, span, message);
        let error = self.with_parting(error, &narrowing.parting);
        let edits = vec![Edit::before(span, "scalar ")];
        self.diagnostics.push(error.with_fix("write `scalar return …;` to leave with all of them, or decide by `any(…)`", edits));
    }

    /// The type of the returned values, at the length that the rules of `infer` give the result.
    pub fn infer_result(&mut self, declared: &Declared, context: u8) -> Type {
        let length = self.learnt_length(Variable::Result);
        match self.body.returns.iter().find_map(|r| r.ty) {
            Some(ty) => self.lengthened(declared, ty, length),
            None => self.vec(declared, length, context, self.body.returns.first().map_or(Span::default(), |r| r.span)),
        }
    }

    /// Brings every returned value to the result type.
    pub fn finish_returns(&mut self, block: &mut Block, result: Type) {
        every_statement_mut(block, &mut |statement| {
            if let StatementKind::Return(Some(value)) = &mut statement.kind {
                let placeholder = self.error_expr(value.span);
                let made = std::mem::replace(value, placeholder);
                let span = made.span;
                *value = self.coerce_return(made, result, span);
            }
        });
    }

    fn coerce_return(&mut self, value: ir::Expr, result: Type, span: Span) -> ir::Expr {
        if value.ty == result || self.is_error(result) {
            return value;
        }
        // The access rule held where the value was made.
        let context = std::mem::replace(&mut self.body.context, 1);
        let value = self.coerce(super::operand::Operand::Value(value), result, span);
        self.body.context = context;
        value
    }

    /// `main` without `return` returns 0, as in C.
    pub fn return_zero(&mut self, block: &mut Block, result: Type, span: Span) {
        if let Some(element) = self.program.types.element(result) {
            let zero = self.int_constant(0, element, span);
            let zero = self.broadcast(zero, result);
            block.statements.push(Statement { kind: StatementKind::Return(Some(zero)), span });
        }
    }
}

/// Can control reach the end of the block?
pub(super) fn falls_off(block: &Block) -> bool {
    block.statements.iter().all(|s| !leaves(s))
}

/// Does control never come out of the statement at its end?
fn leaves(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Return(_) => true,
        StatementKind::Block(block) | StatementKind::Scalar(block) => !falls_off(block),
        StatementKind::If { condition: _, then, otherwise } => !falls_off(then) && !falls_off(otherwise),
        StatementKind::Loop { test_first, unrolling: _, condition, step: _, body } => match condition {
            None => !breaks(body),
            Some(Expr { kind: ExprKind::Constant(Constant::Bool(true)), .. }) => !breaks(body),
            Some(_) => !test_first && !falls_off(body) && !breaks(body),
        },
        StatementKind::Switch { value: _, arms } => {
            arms.iter().any(|arm| arm.is_default)
                && arms.last().is_some_and(|arm| !falls_off(&arm.body))
                && !arms.iter().any(|arm| breaks(&arm.body))
        }
        StatementKind::Declare { .. }
        | StatementKind::Expression(_)
        | StatementKind::Foreach { .. }
        | StatementKind::ForeachActive { .. }
        | StatementKind::ForeachUnique { .. }
        | StatementKind::Break
        | StatementKind::Continue
        | StatementKind::Delete(..) => false,
    }
}

/// Is there a `break` of the loop, or `switch`, with this body?
fn breaks(block: &Block) -> bool {
    block.statements.iter().any(|s| match &s.kind {
        StatementKind::Break => true,
        StatementKind::Block(block) | StatementKind::Scalar(block) => breaks(block),
        StatementKind::If { condition: _, then, otherwise } => breaks(then) || breaks(otherwise),
        StatementKind::Loop { .. }
        | StatementKind::Foreach { .. }
        | StatementKind::ForeachActive { .. }
        | StatementKind::ForeachUnique { .. }
        | StatementKind::Switch { .. }
        | StatementKind::Declare { .. }
        | StatementKind::Expression(_)
        | StatementKind::Return(_)
        | StatementKind::Continue
        | StatementKind::Delete(..) => false,
    })
}
