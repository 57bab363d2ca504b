//! `require(e, "text", …);`: what must hold where a function begins its work.
//!
//! ```text
//! export int f(int n) { require(n > 0, "n is %", n); … }     if (!(n > 0)) { the reason is kept; return 1; }
//! void g(int n) { require(n > 0, "n is %", n); … }           if (!(n > 0)) { the reason is said; the program ends }
//! ```
//! An exported function whose result is an `int` gives its status by it, which is the number of the requirement; a program of another
//! language reads the reason (`ivl_last_error`). From any other function nobody would know, and the program ends with exit code 101.
//! These are the start checks of pipelines, for everyone.

use super::operand::Operand;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Channel;
use crate::typed::builtins::Meaning;
use crate::typed::ir::{Block, Expr, ExprKind, Statement, StatementKind, UnaryOp};
use crate::types::Element;

impl<'a> Checker<'a> {
    /// The condition and the text of a requirement, if an expression that stands by itself is one.
    pub fn as_requirement(&self, e: &'a ast::Expr) -> Option<&'a [ast::Expr]> {
        let ast::ExprKind::Call { name, template_arguments, arguments } = &e.kind else { return None };
        let is_local = self.body.scopes.iter().any(|scope| scope.contains_key(&name.text));
        let is_it = match self.items.meaning_of(&name.text, self.body.home) {
            Some(super::items::Callee::Builtin(builtin)) => builtin.meaning == Meaning::Require,
            Some(super::items::Callee::Functions(_)) | None => false,
        };
        (is_it && !is_local && template_arguments.is_empty()).then_some(arguments)
    }

    /// `require(e, "text", …);`
    pub fn requirement(&mut self, arguments: &'a [ast::Expr], span: Span, out: &mut Vec<Statement>) {
        let Some((condition, format)) = arguments.split_first() else {
            self.error(&codes::ARGUMENT_COUNT, span, "`require` takes a condition and a text: `require(n > 0, \"n is %\", n)`");
            return;
        };
        if self.body.context > 1 {
            let message = format!("`require` in a context of length {}", self.body.context);
            let error = Diagnostic::error(&codes::CONTEXT_MISMATCH, span, message);
            self.push_with_opener(error.with_help("it is asked once for all lanes: write it in front of the vector code"));
        }
        let value = self.condition(condition);
        if !matches!(format.first().map(|e| &e.kind), Some(ast::ExprKind::String(_))) {
            format.iter().for_each(|e| drop(self.expression(e, None)));
            let error = Diagnostic::error(
                &codes::PRINT_FORMAT,
                format.first().map_or(span, |e| e.span),
                "a requirement says what it asks for",
            );
            self.diagnostics
                .push(error.with_help("write it behind the condition, as for `print`: `require(n > 0, \"n is %\", n)`"));
            return;
        }
        let Operand::Value(said) = self.formatted(Channel::Reason, format, span) else { return };
        if self.is_error(value.ty) || self.body.context > 1 {
            return;
        }
        if self.length(value.ty) > 1 {
            let message = format!("a requirement of type `{}`", self.display(value.ty));
            let error = Diagnostic::error(&codes::TYPE_MISMATCH, condition.span, message);
            self.diagnostics.push(error.with_help("it is asked once: `all(…)` holds where it does in all lanes"));
            return;
        }
        let mut statements = vec![Statement { kind: StatementKind::Expression(said), span }];
        let void = self.program.types.void();
        if self.body.is_entry {
            if let Some(parallel) = self.body.targets.iter().rev().find_map(|target| target.parallel) {
                return self.parallel_jump("require", span, parallel);
            }
            self.body.requirements += 1;
            self.give_back(0, span, &mut statements);
            let status = self.int_constant(self.body.requirements, Element::Int32, span);
            statements.push(Statement { kind: StatementKind::Return(Some(status)), span });
        } else {
            let end = Expr { kind: ExprKind::Print(Channel::End, Vec::new()), ty: void, span };
            statements.push(Statement { kind: StatementKind::Expression(end), span });
        }
        let ty = value.ty;
        let fails = Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(value)), ty, span };
        let [then, otherwise] = [statements, Vec::new()].map(|statements| Block { context: 1, statements });
        out.push(Statement { kind: StatementKind::If { condition: fails, then, otherwise }, span });
    }
}
