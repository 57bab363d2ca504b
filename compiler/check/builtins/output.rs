//! `print` and `assert`.

use super::super::operand::Operand;
use super::super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Channel;
use crate::typed::ir::{Expr, ExprKind, PrintPiece};
use crate::types::TypeKind;
use ivl::Format;

impl<'a> Checker<'a> {
    /// `print("format", …)`: `%` stands for the next argument, `%{8.3}` for one with a width and digits behind the point, `%{x}` for one in hexadecimal digits,
    /// `%%` for a percent sign.
    pub(super) fn print(&mut self, arguments: &'a [ast::Expr], span: Span) -> Operand {
        self.formatted(Channel::Output, arguments, span)
    }

    /// The same for standard error: `eprint("format", …)`.
    pub(super) fn eprint(&mut self, arguments: &'a [ast::Expr], span: Span) -> Operand {
        self.formatted(Channel::Error, arguments, span)
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
        let mut rest = format.as_str();
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            if c != '%' {
                text.push(c);
            } else if let Some(behind) = rest.strip_prefix('%') {
                rest = behind;
                text.push('%');
            } else if let Some(e) = values.next() {
                let (format, behind) = self.format_of(rest, arguments[0].span);
                rest = behind;
                used += 1;
                if !text.is_empty() {
                    pieces.push(PrintPiece::Text(std::mem::take(&mut text)));
                }
                let operand = self.expression(e, None);
                failed |= operand.is_error();
                if !operand.is_error() {
                    let value = self.value(operand, None);
                    failed |= self.is_error(value.ty);
                    failed |= !self.is_printed_so(&value, format);
                    self.printed(value, format, &mut pieces);
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

    /// How the argument of a `%` is printed, by what is behind that in braces, and what is behind these.
    fn format_of<'t>(&mut self, text: &'t str, span: Span) -> (Format, &'t str) {
        let plain = (Format::default(), text);
        let Some((braces, behind)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) else { return plain };
        if let Some(format) = Format::of(braces) {
            return (format, behind);
        }
        let is_meant = !braces.is_empty() && braces.chars().all(|c| c.is_ascii_alphanumeric() || ".+-#:".contains(c));
        if is_meant {
            let message = format!("`{{{braces}}}` is no format, and is printed as it is");
            let warning = Diagnostic::warning(&codes::FORMAT_LETTER, span, message);
            self.diagnostics
                .push(warning.with_help("`%{8.3}` says width and digits behind the point, `%{x}` hexadecimal digits"));
        }
        plain
    }

    /// Is there such a format for a value? Of records it is for those members for which there is.
    fn is_printed_so(&mut self, value: &Expr, format: Format) -> bool {
        let element = match self.program.types.kind(value.ty) {
            TypeKind::Vector { element, .. } => Some(element),
            TypeKind::Pointer { .. } => None,
            _ => return true,
        };
        let (is_integer, is_float) = (element.is_some_and(|e| e.is_integer()), element.is_some_and(|e| e.is_float()));
        let wrong = match format {
            Format { is_hexadecimal: true, .. } if !is_integer => "hexadecimal digits are of integers",
            Format { precision: Some(_), .. } if !is_float => "digits behind the point are of floats",
            _ => return true,
        };
        let message = format!("{wrong}, and this is `{}`", self.display(value.ty));
        let error = Diagnostic::error(&codes::PRINT_FORMAT, value.span, message);
        self.diagnostics.push(match is_float {
            true => error.with_help("`bits<uint>(x)` has the bits of a `float`"),
            false => error.with_help("a width alone, as in `%{8}`, is for all of them"),
        });
        false
    }

    /// A record prints as `{a, b}`.
    fn printed(&mut self, value: Expr, format: Format, pieces: &mut Vec<PrintPiece>) {
        match self.program.types.kind(value.ty) {
            TypeKind::Error => {}
            TypeKind::Vector { .. } | TypeKind::Pointer { .. } => {
                let value = self.promoted(value);
                pieces.push(PrintPiece::Value(value, format));
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
                    self.printed(member, format, pieces);
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
