//! `print` and `assert`.

use super::super::operand::Operand;
use super::super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Channel;
use crate::typed::ir::{Expr, ExprKind, PrintPiece};
use crate::types::TypeKind;

impl<'a> Checker<'a> {
    /// `print("format", …)`: `%` stands for the next argument, `%%` for a percent sign.
    pub(super) fn print(&mut self, arguments: &'a [ast::Expr], span: Span) -> Operand {
        self.formatted(Channel::Output, arguments, span)
    }

    /// A format and what stands for the `%` in it.
    pub(in super::super) fn formatted(&mut self, channel: Channel, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let Some((ast::Expr { kind: ast::ExprKind::String(format), .. }, values)) = arguments.split_first() else {
            arguments.iter().skip(1).for_each(|e| drop(self.expression(e, None)));
            let first = arguments.first().map_or(span, |e| e.span);
            let error = Diagnostic::error(&codes::PRINT_FORMAT, first, "the first argument of `print` is its format");
            let format = format!("\"{}\\n\"", vec!["%"; arguments.len()].join(" "));
            self.diagnostics.push(match arguments.is_empty() {
                true => error.with_help("write `print(\"%\\n\", x)`"),
                false => error.with_fix(format!("write `print({format}, …)`"), vec![Edit::before(first, format + ", ")]),
            });
            return Operand::Error(span);
        };
        if let Some((plain, first)) = super::format::without_letters(format) {
            let message = format!("`%` stands for the next argument: what is behind it in `{first}` is printed as it is");
            let warning = Diagnostic::warning(&codes::FORMAT_LETTER, arguments[0].span, message);
            let edit = Edit::replace(arguments[0].span, super::format::quoted(&plain));
            self.diagnostics.push(warning.with_fix(format!("write `{}`", super::format::quoted(&plain)), vec![edit]));
        }
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut values = values.iter();
        let mut used = 0;
        let mut missing = 0;
        let mut failed = false;
        let mut characters = format.chars().peekable();
        while let Some(c) = characters.next() {
            if c != '%' {
                text.push(c);
            } else if characters.next_if_eq(&'%').is_some() {
                text.push('%');
            } else if let Some(e) = values.next() {
                used += 1;
                if !text.is_empty() {
                    pieces.push(PrintPiece::Text(std::mem::take(&mut text)));
                }
                let operand = self.expression(e, None);
                failed |= operand.is_error();
                if !operand.is_error() {
                    let value = self.value(operand, None);
                    failed |= self.is_error(value.ty);
                    self.printed(value, &mut pieces);
                }
            } else {
                missing += 1;
            }
        }
        let extra = values.clone().count();
        for e in values {
            drop(self.expression(e, None));
        }
        if missing + extra > 0 {
            let plural = |n: usize| if n == 1 { "argument" } else { "arguments" };
            let (asked, given) = (used + missing, used + extra);
            let message =
                format!("the format asks for {asked} {}, there {} {given}", plural(asked), if given == 1 { "is" } else { "are" });
            let error = Diagnostic::error(&codes::PRINT_FORMAT, arguments[0].span, message);
            self.diagnostics.push(error.with_help("% stands for an argument, %% for a percent sign"));
            return Operand::Error(span);
        }
        if failed {
            return Operand::Error(span);
        }
        if !text.is_empty() {
            pieces.push(PrintPiece::Text(text));
        }
        let ty = self.program.types.void();
        Operand::Value(Expr { kind: ExprKind::Print(channel, pieces), ty, span })
    }

    /// A record prints as `{a, b}`.
    fn printed(&mut self, value: Expr, pieces: &mut Vec<PrintPiece>) {
        match self.program.types.kind(value.ty) {
            TypeKind::Error => {}
            TypeKind::Vector { .. } | TypeKind::Pointer { .. } => {
                let value = self.promoted(value);
                pieces.push(PrintPiece::Value(value));
            }
            TypeKind::Record { .. } => {
                let members: Vec<_> = self.program.types.members(value.ty).iter().map(|m| m.ty).collect();
                pieces.push(PrintPiece::Text("{".into()));
                for (i, ty) in members.into_iter().enumerate() {
                    if i > 0 {
                        pieces.push(PrintPiece::Text(", ".into()));
                    }
                    let span = value.span;
                    let member = Expr { kind: ExprKind::Member(Box::new(value.clone()), i), ty, span };
                    self.printed(member, pieces);
                }
                pieces.push(PrintPiece::Text("}".into()));
            }
            TypeKind::Void | TypeKind::Array { .. } => {
                let message = format!("`{}` is not printed", self.display(value.ty));
                self.error(&codes::TYPE_MISMATCH, value.span, message);
            }
        }
    }

    /// `assert(e)`
    pub(super) fn assertion(&mut self, e: &'a ast::Expr, span: Span) -> Operand {
        let value = self.condition(e);
        if self.is_error(value.ty) {
            return Operand::Error(span);
        }
        let ty = self.program.types.void();
        let text = crate::syntax::print::expression(e);
        Operand::Value(Expr { kind: ExprKind::Assert(Box::new(value), text), ty, span })
    }
}
