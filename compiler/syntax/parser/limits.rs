//! Bounds on nesting and on chains, looked after before parsing.
//!
//! The parser and later stages recurse where the text nests: in brackets, in statements without braces (`if (a) if (b) …`),
//! in prefix operators and casts, in what associates to the right (`a = b = …`, `a ? b : c ? …`), and, since operators that
//! associate to the left make deep trees, in long sums. One walk over the tokens counts all of these, rather too much than
//! too little, and cuts off the text in front of the item that exceeds a limit.

use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::words::is_reserved;
use crate::types::Element;

/// How deep brackets, statements and prefix operators may be nested.
const MAX_DEPTH: usize = 200;
/// How many operands a chain of operators may have.
const MAX_CHAIN: usize = 2000;
/// How many links a chain of `else if` may have.
const MAX_ELSE_IF: usize = 1000;

/// What is open in one bracket.
#[derive(Default)]
struct Level {
    /// Statements and right-associative operators since the last `;` or `,`.
    run: usize,
    /// Prefix operators and casts in front of the operand at hand.
    prefixes: usize,
    /// Vector literals, whose elements are separated by commas.
    vectors: usize,
    /// Operators that associate to the left.
    chain: usize,
    /// `else if` without another statement in between.
    links: usize,
    /// What `run` was in front of each `if` that may still get an `else`.
    conditions: Vec<usize>,
    /// Is it the bracket of a cast?
    is_cast: bool,
}

impl Level {
    fn depth(&self) -> usize {
        1 + self.run + self.prefixes + self.vectors
    }
}

/// The tokens, up to an item that is nested too deeply; that is reported.
pub(super) fn within_limits(mut tokens: Vec<Token>, diagnostics: &mut Diagnostics) -> Vec<Token> {
    if let Some((item, span, message)) = find(&tokens) {
        diagnostics.push(Diagnostic::error(&codes::NESTING_TOO_DEEP, span, message));
        let end = tokens[item].span;
        tokens.truncate(item);
        tokens.push(Token { kind: TokenKind::End, span: Span { end: end.start, ..end } });
    }
    tokens
}

/// The first token of the item that exceeds a limit, where it does, and a message.
fn find(tokens: &[Token]) -> Option<(usize, Span, String)> {
    let mut levels = vec![Level::default()];
    // What is open outside of the innermost bracket.
    let mut outside = 0;
    let mut item = 0;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map_or(&TokenKind::End, |t| &t.kind);
        let level = levels.last_mut().expect("the level of the file");
        // Does an operand end in front of this token?
        let after_operand = at > 0
            && match &tokens[at - 1].kind {
                TokenKind::Name(name) => !is_reserved(name) || ends_operand(name),
                TokenKind::Symbol(symbol) => matches!(*symbol, ")" | "]" | "}"),
                TokenKind::Integer { .. } | TokenKind::Float { .. } | TokenKind::Character(_) | TokenKind::String(_) => true,
                TokenKind::Doc(_) | TokenKind::End => false,
            };
        match &token.kind {
            TokenKind::Name(word) => match &**word {
                // A link is as deep as the `if` that its chain begins with.
                "if" if at > 0 && tokens[at - 1].kind.name() == Some("else") => {
                    level.links += 1;
                    level.run = level.conditions.last().map_or(level.run, |run| run + 1);
                }
                "if" => {
                    level.conditions.push(level.run);
                    level.run += 1;
                }
                "else" if next.name() != Some("if") => level.run = level.conditions.pop().unwrap_or(level.run) + 1,
                "while" | "do" | "for" | "foreach" | "foreach_active" | "foreach_unique" | "switch" | "scalar" => level.run += 1,
                _ => {}
            },
            TokenKind::Symbol(symbol) => match *symbol {
                "(" | "[" | "{" => {
                    outside += level.depth();
                    let is_cast = next.name().is_some_and(|name| {
                        Element::ALL.iter().any(|e| e.name() == name) || matches!(name, "int32" | "uint32" | "void" | "const")
                    });
                    levels.push(Level { is_cast, ..Level::default() });
                }
                ")" | "]" | "}" => {
                    let closed = levels.pop().expect("the level of the file");
                    if levels.is_empty() {
                        levels.push(Level::default());
                    } else {
                        outside -= levels.last().expect("a level").depth();
                    }
                    let level = levels.last_mut().expect("a level");
                    level.chain += usize::from(*symbol == "]");
                    // A cast, or the head of a statement.
                    let operand = match next {
                        TokenKind::Name(_) | TokenKind::Integer { .. } | TokenKind::Float { .. } => true,
                        TokenKind::Character(_) | TokenKind::String(_) => true,
                        TokenKind::Symbol(next) => closed.is_cast || matches!(*next, "(" | "!" | "~"),
                        TokenKind::Doc(_) | TokenKind::End => false,
                    };
                    if *symbol == ")" && operand {
                        *if closed.is_cast { &mut level.prefixes } else { &mut level.run } += 1;
                    }
                    if *symbol == "}" && next.name() != Some("else") {
                        *level = Level { is_cast: level.is_cast, ..Level::default() };
                        if levels.len() == 1 {
                            item = at + 1;
                        }
                    }
                }
                ";" if next.name() != Some("else") => {
                    *level = Level { is_cast: level.is_cast, ..Level::default() };
                    if levels.len() == 1 {
                        item = at + 1;
                    }
                }
                ";" => level.chain = 0,
                "," => (level.run, level.prefixes, level.chain) = (0, 0, 0),
                ">" if after_operand && level.vectors > 0 => level.vectors -= 1,
                "<" if !after_operand => level.vectors += 1,
                "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "<<=" | ">>=" | "&=" | "^=" | "|=" | "?" => {
                    (level.run, level.prefixes) = (level.run + 1, 0);
                }
                _ if !after_operand => level.prefixes += 1,
                // These bind tighter than prefix operators.
                "." | "->" | "++" | "--" => level.chain += 1,
                _ => (level.chain, level.prefixes) = (level.chain + 1, 0),
            },
            TokenKind::Integer { .. }
            | TokenKind::Float { .. }
            | TokenKind::Character(_)
            | TokenKind::String(_)
            | TokenKind::Doc(_)
            | TokenKind::End => {}
        }
        let level = levels.last().expect("the level of the file");
        let message = if outside + level.depth() > MAX_DEPTH {
            format!("nesting is limited to {MAX_DEPTH} levels")
        } else if level.chain > MAX_CHAIN {
            format!("a chain of operators is limited to {MAX_CHAIN} operands")
        } else if level.links > MAX_ELSE_IF {
            format!("a chain of `else if` is limited to {MAX_ELSE_IF} links")
        } else {
            continue;
        };
        return Some((item, token.span, message));
    }
    None
}

/// Keywords that are operands.
fn ends_operand(name: &str) -> bool {
    matches!(name, "true" | "false" | "null" | "current_mask" | "lane_index")
}
