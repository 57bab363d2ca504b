//! Tokens: the words of a source text with their places.

use crate::source::Span;
use crate::types::Element;
use std::rc::Rc;

/// A word with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of words. Keywords are names: which names are reserved is the parser's business.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Name(Rc<str>),
    /// An integer literal.
    Integer {
        /// Its value.
        value: u64,
        /// The type that its suffix names.
        suffix: Option<Element>,
    },
    /// A floating-point literal, without its suffix.
    Float {
        /// Its digits.
        text: Rc<str>,
        /// The type that its suffix names.
        suffix: Option<Element>,
    },
    /// A character literal.
    Character(u32),
    /// A string literal, escapes resolved.
    String(String),
    /// An operator or bracket.
    Symbol(&'static str),
    /// A line of a `///` comment.
    Doc(String),
    /// Behind the last word.
    End,
}

/// All operators and brackets; a longer one stands before its beginnings.
pub const SYMBOLS: &[&str] = &[
    "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "->", "..", "+", "-", "*", "/", "%", "<", ">", "=", "!", "~", "&", "|", "^", "?", ":", ";", ",", ".", "(", ")", "[",
    "]", "{", "}",
];

impl TokenKind {
    /// The identifier or keyword, if it is one.
    pub fn name(&self) -> Option<&str> {
        match self {
            TokenKind::Name(name) => Some(name),
            TokenKind::Integer { .. }
            | TokenKind::Float { .. }
            | TokenKind::Character(_)
            | TokenKind::String(_)
            | TokenKind::Symbol(_)
            | TokenKind::Doc(_)
            | TokenKind::End => None,
        }
    }

    /// The word for a message: `` `while` ``, `a number`, `the end of the file`.
    pub fn describe(&self) -> String {
        match self {
            TokenKind::Name(name) => format!("`{name}`"),
            TokenKind::Integer { .. } | TokenKind::Float { .. } => "a number".into(),
            TokenKind::Character(_) => "a character".into(),
            TokenKind::String(_) => "a string".into(),
            TokenKind::Symbol(symbol) => format!("`{symbol}`"),
            TokenKind::Doc(_) => "a documentation comment".into(),
            TokenKind::End => "the end of the file".into(),
        }
    }
}

/// For each opening bracket its partner; those without one have none.
pub fn partners(tokens: &[Token]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open: Vec<(usize, &'static str)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let TokenKind::Symbol(symbol) = token.kind else { continue };
        match symbol {
            "(" => open.push((at, ")")),
            "[" => open.push((at, "]")),
            "{" => open.push((at, "}")),
            ")" | "]" | "}" => {
                if let Some(depth) = open.iter().rposition(|(_, closing)| *closing == symbol) {
                    partners[open[depth].0] = Some(at);
                    open.truncate(depth);
                }
            }
            _ => {}
        }
    }
    partners
}
