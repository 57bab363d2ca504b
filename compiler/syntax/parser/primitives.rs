//! The smallest rules: a word, a name, a look ahead, a list; and the two that recover.

use super::{Expected, Facts, Failure, Rule};
use crate::syntax::ast::Name;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::words::is_reserved;
use chumsky::input::InputRef;
use chumsky::prelude::*;

pub(super) type Input<'t, 'p> = InputRef<'t, 'p, &'t [Token], extra::Err<Failure>>;

/// The index of the next token.
pub(super) fn position(input: &mut Input) -> usize {
    input.span_since(&input.cursor()).start
}

/// A token of which `take` makes something; else `expected` is missing.
pub(super) fn accept<'t, O: 't>(
    expected: Option<Expected>,
    take: impl Fn(&'t TokenKind) -> Option<O> + Clone + 't,
) -> impl Parser<'t, &'t [Token], O, extra::Err<Failure>> + Clone {
    custom(move |input: &mut Input<'t, '_>| {
        let at = position(input);
        match input.next_ref().and_then(|token| take(&token.kind)) {
            Some(made) => Ok(made),
            None => Err(expected.map_or_else(|| Failure::silent(at), |expected| Failure::expected(at, expected))),
        }
    })
}

/// An operator or bracket.
pub(super) fn symbol<'t>(word: &'static str) -> impl Parser<'t, &'t [Token], (), extra::Err<Failure>> + Clone {
    symbol_for(word, Expected::Word(word))
}

/// An operator or bracket that begins something with a name.
pub(super) fn symbol_for<'t>(
    word: &'static str,
    expected: Expected,
) -> impl Parser<'t, &'t [Token], (), extra::Err<Failure>> + Clone {
    accept(Some(expected), move |kind| matches!(kind, TokenKind::Symbol(s) if *s == word).then_some(()))
}

/// An operator that may follow but need not be named as missing.
pub(super) fn silent<'t>(word: &'static str) -> impl Parser<'t, &'t [Token], (), extra::Err<Failure>> + Clone {
    accept(None, move |kind| matches!(kind, TokenKind::Symbol(s) if *s == word).then_some(()))
}

/// A keyword that need not be named as missing.
pub(super) fn keyword<'t>(word: &'static str) -> impl Parser<'t, &'t [Token], (), extra::Err<Failure>> + Clone {
    accept(None, move |kind| (kind.name() == Some(word)).then_some(()))
}

/// A keyword without which the rule cannot go on.
pub(super) fn required<'t>(
    word: &'static str,
    expected: Expected,
) -> impl Parser<'t, &'t [Token], (), extra::Err<Failure>> + Clone {
    accept(Some(expected), move |kind| (kind.name() == Some(word)).then_some(()))
}

/// Any name that is not reserved.
pub(super) fn name<'t>(
    facts: &'t Facts<'t>,
    what: &'static str,
) -> impl Parser<'t, &'t [Token], Name, extra::Err<Failure>> + Clone {
    accept(Some(Expected::Rule(what)), |kind| match kind {
        TokenKind::Name(name) if !is_reserved(name) => Some(name.clone()),
        _ => None,
    })
    .map_with(|text, extra| Name { text, span: facts.range(extra.span()) })
}

/// Goes on where `holds` for the next token's index; takes nothing.
pub(super) fn look<'t>(
    facts: &'t Facts<'t>,
    holds: impl Fn(&Facts, usize) -> bool + Clone + 't,
) -> impl Parser<'t, &'t [Token], (), extra::Err<Failure>> + Clone {
    custom(move |input: &mut Input<'t, '_>| {
        let at = position(input);
        if holds(facts, at) { Ok(()) } else { Err(Failure::silent(at)) }
    })
}

/// Never goes on, and says why.
pub(super) fn refuse<'t, O: 't>(
    why: impl Fn(usize) -> Failure + Clone + 't,
) -> impl Parser<'t, &'t [Token], O, extra::Err<Failure>> + Clone {
    custom(move |input: &mut Input<'t, '_>| Err(why(position(input))))
}

/// Items with commas between them.
pub(super) fn list<'t, O: 't>(item: impl Parser<'t, &'t [Token], O, extra::Err<Failure>> + Clone + 't) -> Rule<'t, Vec<O>> {
    item.separated_by(symbol(",")).collect().boxed()
}

/// Skips a broken statement from its first word on: behind its `;`, or behind a whole `{ … }` and the `else` branches that
/// follow, or to the `}` that closes the block around it. Takes at least a word, unless there is only that `}`.
pub(super) fn skip_statement<'t>(facts: &'t Facts<'t>) -> impl Parser<'t, &'t [Token], SimpleSpan, extra::Err<Failure>> + Clone {
    skip(facts, false)
}

/// Skips in the same way what may declare something that others see, an item or a member, and notes it.
pub(super) fn skip_declaration<'t>(
    facts: &'t Facts<'t>,
) -> impl Parser<'t, &'t [Token], SimpleSpan, extra::Err<Failure>> + Clone {
    skip(facts, true)
}

fn skip<'t>(facts: &'t Facts<'t>, is_noted: bool) -> impl Parser<'t, &'t [Token], SimpleSpan, extra::Err<Failure>> + Clone {
    custom(move |input: &mut Input<'t, '_>| {
        let start = input.cursor();
        let first = position(input);
        let (mut braces, mut brackets) = (0u32, 0u32);
        loop {
            let at = position(input);
            // An opening bracket without a partner does not hide the end of the statement.
            let is_lonely = || facts.lonely.binary_search_by_key(&facts.span(at).start, |(_, span)| span.start).is_ok();
            match facts.kind(at) {
                TokenKind::End => break,
                TokenKind::Symbol("(" | "[") if !is_lonely() => brackets += 1,
                TokenKind::Symbol(")" | "]") => brackets = brackets.saturating_sub(1),
                TokenKind::Symbol("{") => (braces, brackets) = (braces + 1, 0),
                TokenKind::Symbol("}") if braces == 0 => break,
                TokenKind::Symbol("}") => {
                    (braces, brackets) = (braces - 1, 0);
                    if braces == 0 && facts.name(at + 1) != Some("else") {
                        input.skip();
                        break;
                    }
                }
                TokenKind::Symbol(";") if braces == 0 && brackets == 0 => {
                    input.skip();
                    break;
                }
                _ => {}
            }
            input.skip();
        }
        let skipped = input.span_since(&start);
        if skipped.start == skipped.end {
            return Err(Failure::silent(first));
        }
        if is_noted {
            facts.skipped.borrow_mut().push(skipped);
        }
        Ok(skipped)
    })
}
