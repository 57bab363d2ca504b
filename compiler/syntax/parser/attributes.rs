//! Attributes, in front of items and statements.
//!
//! ```text
//! attribute = '[' '[' (NAME ('(' argument, … ')')?), … ']' ']'
//! argument  = NAME | '-'? NUMBER | STRING
//! ```

use super::primitives::{accept, list, look, name, silent, symbol};
use super::{Expected, Facts, Rule};
use crate::syntax::ast::{Argument, ArgumentKind, Attribute};
use crate::syntax::token::TokenKind;
use crate::syntax::words::is_reserved;
use chumsky::prelude::*;

/// `[[name(arguments), …]]…`, or nothing.
pub(super) fn attributes<'t>(facts: &'t Facts<'t>) -> Rule<'t, Vec<Attribute>> {
    let word = accept(Some(Expected::Rule("an argument")), |kind| match kind {
        TokenKind::Name(name) if !is_reserved(name) => Some(ArgumentKind::Name(name.clone())),
        TokenKind::String(text) => Some(ArgumentKind::String(text.clone())),
        _ => None,
    });
    let number = silent("-").or_not().then(accept(None, |kind| match kind {
        TokenKind::Integer { value, suffix: None } => Some(value.to_string()),
        TokenKind::Float { text, suffix: None } => Some(text.to_string()),
        _ => None,
    }));
    let number =
        number.map(|(minus, digits)| ArgumentKind::Number(format!("{}{digits}", if minus.is_some() { "-" } else { "" })));
    let argument = choice((number, word)).map_with(|kind, e| Argument { kind, span: facts.range(e.span()) });
    let attribute = name(facts, "an attribute")
        .then(list(argument).delimited_by(silent("("), symbol(")")).or_not())
        .map(|(name, arguments)| Attribute { name, arguments: arguments.unwrap_or_default() });
    let group = attribute.separated_by(symbol(",")).at_least(1).collect::<Vec<_>>();
    let open = look(facts, begin).ignore_then(silent("[")).then(silent("["));
    let groups = group.delimited_by(open, symbol("]").then(symbol("]"))).repeated().collect::<Vec<_>>();
    groups.map(|groups: Vec<Vec<Attribute>>| groups.into_iter().flatten().collect()).boxed()
}

/// Do attributes begin at this token?
pub(super) fn begin(facts: &Facts, at: usize) -> bool {
    facts.is_symbol(at, "[") && facts.is_symbol(at + 1, "[")
}
