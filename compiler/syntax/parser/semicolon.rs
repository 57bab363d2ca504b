//! The end of a statement: a `;`, or where it is missing, what the next one begins with.

use super::primitives::{Input, position, silent};
use super::types::is_certain;
use super::{Expected, Facts, Failure, Rule, Special};
use crate::diagnostics::{Edit, codes};
use crate::source::Span;
use crate::syntax::token::TokenKind;
use crate::syntax::words::is_reserved;
use chumsky::prelude::*;

/// A `;` behind `after`. Where it is missing in front of what begins a statement, that is reported, with the blame behind the
/// word before and not on the next line, and reading goes on.
pub(super) fn semicolon<'t>(facts: &'t Facts<'t>, after: &'static str, expected: &'static str) -> Rule<'t, ()> {
    let missing = custom(move |input: &mut Input<'t, '_>| {
        let at = position(input);
        let next = facts.kind(at);
        if after == "expression" && facts.is_symbol(at, ",") {
            let message = "there is no comma operator";
            let mut failure = Failure::special(at, &codes::FOREIGN_CONSTRUCT, facts.span(at), message);
            if let Some(special) = &mut failure.special {
                special.help = Some("write two statements, `a; b;`");
            }
            return Err(failure);
        }
        if !(matches!(next, TokenKind::Symbol("}") | TokenKind::End) || begins(facts, at)) || at == 0 {
            return Err(Failure::expected(at, Expected::Rule(expected)));
        }
        let before = facts.span(at - 1);
        let span = Span { start: before.end, ..before };
        let message = format!("expected `;` after this {after}");
        let edits = vec![Edit::replace(span, ";")];
        let special = Special { code: &codes::MISSING_SEMICOLON, span, message, help: Some("add `;` here"), edits };
        input.emit(Failure { at, expected: Vec::new(), special: Some(Box::new(special)) });
        Ok(())
    });
    choice((silent(";"), missing)).boxed()
}

/// Does a statement begin at this token? Asked where a semicolon is missing: a name must then begin a line, too.
fn begins(facts: &Facts, at: usize) -> bool {
    let keyword = |name: &str| {
        matches!(
            name,
            "if" | "while"
                | "do"
                | "for"
                | "foreach"
                | "foreach_active"
                | "foreach_unique"
                | "switch"
                | "scalar"
                | "break"
                | "continue"
                | "return"
                | "delete"
                | "parallel"
                | "case"
                | "default"
        )
    };
    facts.name(at).is_some_and(|name| keyword(name) || (facts.begins_line(at) && (!is_reserved(name) || is_certain(facts, at))))
}
