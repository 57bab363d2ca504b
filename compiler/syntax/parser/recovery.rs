//! What is done about text that cannot be read, so that it hides nothing else.
//!
//! ```text
//! int f() { if (a) { return 1; }        int f() { if (a) { return 1; } }
//! int g() { return 2; }            ──►  int g() { return 2; }
//! ```
//! Brackets without a partner are found before parsing. An item that begins inside of another one, whose `}` is missing, closes
//! it; a `}` too many closes what the one before it closed too early. The names in what was passed over are kept: what is missing
//! elsewhere under such a name may have been declared there.

use super::Facts;
use crate::diagnostics::{Diagnostics, codes};
use crate::source::Span;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::words::is_reserved;
use chumsky::prelude::SimpleSpan;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The brackets that have no partner, in the order of the text.
pub(super) fn lonely_brackets(tokens: &[Token]) -> Vec<(&'static str, Span)> {
    let mut open: Vec<(&'static str, Span)> = Vec::new();
    let mut lonely = Vec::new();
    for token in tokens {
        let TokenKind::Symbol(symbol) = token.kind else { continue };
        let partner = match symbol {
            "(" | "[" | "{" => {
                open.push((symbol, token.span));
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        match open.iter().rposition(|(s, _)| *s == partner) {
            Some(at) => lonely.extend(open.drain(at..).skip(1)),
            None => lonely.push((symbol, token.span)),
        }
    }
    lonely.extend(open);
    lonely.sort_by_key(|(_, span)| span.start);
    lonely
}

/// The tokens with braces where they belong, as far as items tell: each function ends in front of the next one, and goes on to
/// a `}` behind it that has no partner.
pub(super) fn with_whole_items(tokens: Vec<Token>, lonely: &[(&'static str, Span)]) -> Vec<Token> {
    let has = |symbol: &str| lonely.iter().any(|(s, _)| *s == symbol);
    if !has("{") && !has("}") {
        return tokens;
    }
    let mut whole: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut depth = 0usize;
    // Where the last item ended, among those in `whole`.
    let mut closed: Option<usize> = None;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Symbol("{") => depth += 1,
            TokenKind::Symbol("}") if depth == 0 => {
                // Without an item before it, the parser passes over it.
                if let Some(early) = closed.take() {
                    whole.remove(early);
                }
            }
            TokenKind::Symbol("}") => {
                depth -= 1;
                closed = (depth == 0).then_some(whole.len());
            }
            _ if begins_item(&tokens, at) => {
                let end = whole.last().map_or(token.span, |last| Span { start: last.span.end, ..last.span });
                let brace = Token { kind: TokenKind::Symbol("}"), span: end };
                whole.extend(std::iter::repeat_n(brace, std::mem::take(&mut depth)));
                closed = None;
            }
            _ => {}
        }
        whole.push(token.clone());
    }
    whole
}

/// Does what can only be an item begin here? Asked behind the end of a statement or item.
fn begins_item(tokens: &[Token], at: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|token| &token.kind);
    let word = |at: usize| kind(at).and_then(TokenKind::name);
    let is = |at: usize, symbol: &'static str| kind(at) == Some(&TokenKind::Symbol(symbol));
    let is_behind_end = at == 0 || [";", "{", "}"].iter().any(|symbol| is(at - 1, symbol)) || is_doc(kind(at - 1));
    let Some(first) = word(at).filter(|_| is_behind_end) else { return is_doc(kind(at)) && is_behind_end };
    match first {
        "import" | "export" | "extern" | "typedef" | "template" | "enum" => return true,
        "struct" => return is(at + 2, "{"),
        "pipeline" | "schedule" => return word(at + 1).is_some(),
        "def" if is(at + 2, "(") => return word(at + 1).is_some(),
        // A func of a pipeline; a statement.
        "fun" | "return" | "else" | "new" | "delete" | "case" => return false,
        _ => {}
    }
    // A type, a name, parameters and a block: no statement has that.
    let parts = |token: &Token| {
        matches!(
            token.kind,
            TokenKind::Name(_) | TokenKind::Integer { .. } | TokenKind::Symbol("*" | "&" | "[" | "]" | "<" | ">")
        )
    };
    let count = tokens[at..].iter().take(16).take_while(|token| parts(token)).count();
    let open = at + count;
    let is_named = count >= 2 && is(open, "(") && word(open - 1).is_some_and(|name| !is_reserved(name));
    let before = if is_named { kind(open - 2) } else { None };
    let is_typed = matches!(before, Some(TokenKind::Name(_) | TokenKind::Symbol("*" | "&" | "]" | ">")));
    is_typed && end_of_parameters(tokens, open).is_some_and(|end| is(end + 1, "{"))
}

fn is_doc(kind: Option<&TokenKind>) -> bool {
    matches!(kind, Some(TokenKind::Doc(_)))
}

/// The bracket that closes the one at `open`, in front of the next statement.
fn end_of_parameters(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Symbol("(" | "[") => depth += 1,
            TokenKind::Symbol(")" | "]") => depth = depth.saturating_sub(1),
            TokenKind::Symbol(";" | "{" | "}") | TokenKind::End => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The names in the parts of a file that were passed over: by the lexer, which has said so; among the tokens that it `read`, those that
/// the parser was not `given`; and in the ranges that the parser skipped.
pub(super) fn unread_names(read: &[Token], facts: &Facts, diagnostics: &Diagnostics) -> BTreeSet<Rc<str>> {
    let mut names = BTreeSet::new();
    let Some(file) = read.last().map(|end| end.span.file) else { return names };
    let given: FxHashSet<(u32, &str)> = facts.tokens.iter().filter_map(|t| Some((t.span.start, t.kind.name()?))).collect();
    let named = read.iter().filter_map(|token| match &token.kind {
        TokenKind::Name(name) if !given.contains(&(token.span.start, &**name)) => Some(name.clone()),
        _ => None,
    });
    names.extend(named);
    let skipped = facts.skipped.borrow();
    let skipped = skipped.iter().flat_map(|range: &SimpleSpan| &facts.tokens[range.start..range.end.min(facts.tokens.len())]);
    names.extend(skipped.filter_map(|token| token.kind.name()).map(Rc::from));
    for diagnostic in diagnostics.iter().filter(|d| d.span.file == file) {
        let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
        let passed = match diagnostic.code.name {
            name if name == codes::UNTERMINATED_COMMENT.name => facts.text.get(start..),
            name if name == codes::FOREIGN_CONSTRUCT.name || name == codes::BAD_LITERAL.name => facts.text.get(start..end),
            _ => None,
        };
        let words = passed.unwrap_or_default().split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        names.extend(words.filter(|word| word.starts_with(|c: char| !c.is_ascii_digit())).map(Rc::from));
    }
    names
}
