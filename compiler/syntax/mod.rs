//! Text to syntax tree: `lexer` makes tokens, `parser` (with chumsky) makes the tree of `ast`.
//!
//! ```text
//! "++v;"  ─lexer─►  Symbol(++) Name(v) Symbol(;)  ─parser─►  Expression(Increment { place: v, … })
//! ```
//! The stage knows no names and no types. It reports all independent errors of a file: a statement that cannot be read
//! is skipped up to its end, and reading goes on behind it.

pub mod ast;
pub mod declarations;
mod foreign;
mod lexer;
mod parser;
pub mod print;
pub mod templates;
#[cfg(test)]
mod tests;
pub mod token;
pub mod walk;
pub mod words;

use crate::diagnostics::Diagnostics;
use crate::source::{FileId, Span};
pub use lexer::{lex, lex_tensors};
pub use words::is_reserved;

/// Parses one file that is a whole program. Errors go to `diagnostics`; the tree holds what could be understood.
pub fn parse(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> ast::File {
    let tokens = lexer::lex(file, text, diagnostics);
    parse_tokens(text, tokens, &templates::of_builtins(), diagnostics)
}

/// Parses the tokens of a file; `known` are the templates that it may name beside its own.
pub fn parse_tokens(
    text: &str,
    tokens: Vec<token::Token>,
    known: &templates::Templates,
    diagnostics: &mut Diagnostics,
) -> ast::File {
    parser::parse(text, tokens, known, diagnostics)
}

/// The files that a file imports, by the paths that it writes.
pub fn imports(tokens: &[token::Token]) -> Vec<(&str, Span)> {
    let import = |pair: &'_ [token::Token]| match (&pair[0].kind, &pair[1].kind) {
        (first, token::TokenKind::String(_)) if first.name() == Some("import") => Some(1),
        _ => None,
    };
    let found = tokens.windows(2).enumerate().filter_map(|(at, pair)| import(pair).map(|ahead| &tokens[at + ahead]));
    found
        .filter_map(|token| match &token.kind {
            token::TokenKind::String(path) => Some((path.as_str(), token.span)),
            _ => None,
        })
        .collect()
}
