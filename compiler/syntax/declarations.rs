//! The items of a file as ranges of its tokens, and the names that they declare: told before parsing.

use super::templates::{end_of_arguments, is};
use super::token::{Token, TokenKind};

/// An item of a file.
pub struct Declaration<'t> {
    /// Its tokens, what documents it among them.
    pub tokens: &'t [Token],
    /// The name that it declares; `None` where it is none of a function, a `fun`, a struct or a constant.
    pub name: Option<&'t str>,
}

/// The items of a file without errors, in order; the end of the file is in none.
///
/// One ends at the `;` or the `}` that no bracket is around, and a `;` directly behind such a `}` belongs to it.
pub fn declarations(tokens: &[Token]) -> Vec<Declaration<'_>> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for at in 0..tokens.len() {
        let TokenKind::Symbol(symbol) = tokens[at].kind else { continue };
        let ends = match symbol {
            "(" | "[" | "{" => {
                depth += 1;
                false
            }
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                depth == 0 && symbol == "}" && !is(tokens, at + 1, ";")
            }
            ";" => depth == 0,
            _ => false,
        };
        if ends {
            let item = &tokens[start..=at];
            found.push(Declaration { tokens: item, name: name(item) });
            start = at + 1;
        }
    }
    found
}

/// The name in front of the first bracket or `=` that follows a name outside of all brackets.
fn name(item: &[Token]) -> Option<&str> {
    let is_template = |token: &Token| token.kind.name() == Some("template");
    let head = item.iter().position(is_template).and_then(|at| end_of_arguments(item, at + 1));
    let mut depth = 0usize;
    for (at, token) in item.iter().enumerate().skip(head.unwrap_or(0)) {
        let TokenKind::Symbol(symbol) = token.kind else { continue };
        let before = at.checked_sub(1).and_then(|before| item[before].kind.name()).filter(|_| depth == 0);
        match symbol {
            "(" | "[" | "{" | "=" if before.is_some() => return before,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
