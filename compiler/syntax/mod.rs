//! Text to syntax tree: `lexer` makes tokens, `parser` (with chumsky) makes the tree of `ast`.
//!
//! ```text
//! "++v;"  ─lexer─►  Symbol(++) Name(v) Symbol(;)  ─parser─►  Expression(Increment { place: v, … })
//! ```
//! The stage knows no names and no types. It reports all independent errors of a file: a statement that cannot be read
//! is skipped up to its end, and reading goes on behind it.

pub mod ast;
mod foreign;
mod lexer;
mod parser;
pub mod print;
#[cfg(test)]
mod tests;
pub mod token;

use crate::diagnostics::Diagnostics;
use crate::source::FileId;
pub use lexer::lex;
pub use parser::is_reserved;

/// Parses one file. Errors go to `diagnostics`; the tree holds what could be understood.
pub fn parse(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> ast::File {
    let tokens = lexer::lex(file, text, diagnostics);
    parser::parse(text, tokens, diagnostics)
}
