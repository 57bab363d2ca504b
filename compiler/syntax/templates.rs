//! Which `<` open the arguments of a template, told before parsing from the names alone.
//!
//! ```text
//! push<T, N - 1>(x)          arguments, where the nearest declaration of `push` is a template
//! f(a < b, c > (d))          comparisons: `a` is none, or a variable hides it
//! ```
//! The nearest declaration is looked for in the block, the file, the other files of the program, the library, the built-ins. Of the
//! text, only what could declare a variable under the name of a template matters: such a name behind what ends a type and in front
//! of what follows the name of a variable. Where that is none, it is the use of a variable, which is declared elsewhere.

use crate::source::Span;
use crate::syntax::token::{Token, TokenKind, partners};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a template is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateKind {
    /// A function, or a built-in that is called like one.
    Function,
    /// A struct.
    Struct,
    /// A pipeline.
    Pipeline,
}

/// Templates, by their names.
pub type Templates = FxHashMap<Rc<str>, TemplateKind>;

/// The built-ins that take a type in angle brackets.
const TYPED_BUILT_INS: [&str; 1] = ["saturating_cast"];

/// How deep arguments of templates may be nested.
const MAX_NESTED: usize = 64;

/// The built-ins that are called like templates.
pub fn of_builtins() -> Templates {
    TYPED_BUILT_INS.into_iter().map(|name| (name.into(), TemplateKind::Function)).collect()
}

/// The templates that a file declares.
pub fn declared(tokens: &[Token]) -> Templates {
    let mut found = Templates::default();
    for (at, token) in tokens.iter().enumerate() {
        if token.kind.name() != Some("template") || !is(tokens, at + 1, "<") {
            continue;
        }
        let Some(end) = end_of_arguments(tokens, at + 1) else { continue };
        let first = if word(tokens, end) == Some("export") { end + 1 } else { end };
        let declared = match word(tokens, first) {
            Some("struct") => word_at(tokens, first + 1).map(|name| (name, TemplateKind::Struct)),
            Some("pipeline") => word_at(tokens, first + 1).map(|name| (name, TemplateKind::Pipeline)),
            _ => {
                let heads = tokens[end.min(tokens.len())..].windows(2).take(64);
                let head = heads.take_while(|w| !is_end(&w[0].kind)).find(|w| w[1].kind == TokenKind::Symbol("("));
                head.and_then(|w| name_of(&w[0].kind)).map(|name| (name, TemplateKind::Function))
            }
        };
        found.extend(declared);
    }
    found
}

/// The functions that a file declares, at least: names in front of `(` at the level of the file.
pub fn functions(tokens: &[Token]) -> FxHashSet<Rc<str>> {
    let mut depth = 0usize;
    let mut found = FxHashSet::default();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Symbol("{" | "(" | "[") => depth += 1,
            TokenKind::Symbol("}" | ")" | "]") => depth = depth.saturating_sub(1),
            _ if depth == 0 && is(tokens, at + 1, "(") => found.extend(name_of(&token.kind)),
            _ => {}
        }
    }
    found
}

/// The tokens, and where the `<` are that open arguments of templates. A `>>` that closes two of them is two tokens.
pub fn resolved(tokens: Vec<Token>, templates: &Templates) -> (Vec<Token>, FxHashSet<u32>) {
    let hidden = hidden(&tokens, templates);
    let is_hidden =
        |name: &str, at: usize| hidden.get(name).is_some_and(|ranges| ranges.iter().any(|&(from, to)| from <= at && at < to));
    let (mut out, mut openers) = (Vec::with_capacity(tokens.len()), FxHashSet::default());
    // How many arguments are open in each bracket.
    let mut open = vec![0usize];
    for (at, token) in tokens.iter().enumerate() {
        let innermost = open.last_mut().expect("the level of the file");
        match token.kind {
            TokenKind::Symbol("<") if at > 0 => {
                let before = name_of(&tokens[at - 1].kind);
                let is_head = before.as_deref() == Some("template");
                let is_opener = before.is_some_and(|name| templates.contains_key(&name) && !is_hidden(&name, at));
                if (is_head || is_opener) && *innermost < MAX_NESTED {
                    *innermost += 1;
                    openers.insert(token.span.start);
                }
            }
            TokenKind::Symbol(">") => *innermost = innermost.saturating_sub(1),
            TokenKind::Symbol(">>") if *innermost >= 2 => {
                *innermost -= 2;
                let middle = token.span.start + 1;
                out.push(Token { kind: TokenKind::Symbol(">"), span: Span { end: middle, ..token.span } });
                out.push(Token { kind: TokenKind::Symbol(">"), span: Span { start: middle, ..token.span } });
                continue;
            }
            TokenKind::Symbol("(" | "[") => open.push(0),
            TokenKind::Symbol(")" | "]") if open.len() > 1 => _ = open.pop(),
            TokenKind::Symbol(";" | "{" | "}") => {
                open.truncate(1);
                open[0] = 0;
            }
            _ => {}
        }
        out.push(token.clone());
    }
    (out, openers)
}

/// For names of templates: where variables hide them, as ranges of tokens.
fn hidden(tokens: &[Token], templates: &Templates) -> FxHashMap<Rc<str>, Vec<(usize, usize)>> {
    let mut hidden: FxHashMap<Rc<str>, Vec<(usize, usize)>> = FxHashMap::default();
    let declares = |at: usize| {
        let is_behind_type = at > 0
            && match &tokens[at - 1].kind {
                TokenKind::Name(word) => !is_in_front_of_value(word),
                TokenKind::Symbol(symbol) => matches!(*symbol, "*" | "&" | "]" | ">"),
                _ => false,
            };
        let follows = ["=", ";", ",", "[", ")", ":"].iter().any(|symbol| is(tokens, at + 1, symbol));
        is_behind_type && follows
    };
    let named = |at: usize| name_of(&tokens[at].kind).filter(|name| templates.contains_key(name));
    if !(0..tokens.len()).any(|at| named(at).is_some() && declares(at)) {
        return hidden;
    }
    let partners = partners(tokens);
    // The brackets that are open.
    let mut open: Vec<usize> = Vec::new();
    for at in 0..tokens.len() {
        match tokens[at].kind {
            TokenKind::Symbol("{" | "(" | "[") => open.push(at),
            TokenKind::Symbol("}" | ")" | "]") => _ = open.pop(),
            _ => {}
        }
        let Some(name) = named(at).filter(|_| declares(at)) else { continue };
        let range = match open.last() {
            None => (0, tokens.len()),
            Some(&bracket) if is(tokens, bracket, "{") => (at, partners[bracket].unwrap_or(tokens.len())),
            // In the head of a function or loop: up to the end of what follows it.
            Some(&bracket) => (at, partners[bracket].map_or(tokens.len(), |close| end_of_body(tokens, &partners, close + 1))),
        };
        hidden.entry(name).or_default().push(range);
    }
    hidden
}

/// Behind the statement or block that begins at a token.
fn end_of_body(tokens: &[Token], partners: &[Option<usize>], mut at: usize) -> usize {
    while at < tokens.len() {
        match tokens[at].kind {
            TokenKind::Symbol("{") => return partners[at].unwrap_or(tokens.len()),
            TokenKind::Symbol("(" | "[") => at = partners[at].unwrap_or(tokens.len()),
            TokenKind::Symbol(";" | "}") => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Behind the `>` of the `<` at a token.
pub(super) fn end_of_arguments(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut brackets = 0usize;
    for (k, token) in tokens.iter().enumerate().skip(at).take(400) {
        match token.kind {
            TokenKind::Symbol("(" | "[") => brackets += 1,
            TokenKind::Symbol(")" | "]") => brackets = brackets.saturating_sub(1),
            TokenKind::Symbol("<") if brackets == 0 => depth += 1,
            TokenKind::Symbol(">") if brackets == 0 => depth = depth.saturating_sub(1),
            TokenKind::Symbol(">>") if brackets == 0 => depth = depth.saturating_sub(2),
            TokenKind::Symbol(";" | "{" | "}") | TokenKind::End => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(k + 1);
        }
    }
    None
}

/// Words that no type ends with: what stands behind them is used or named otherwise.
fn is_in_front_of_value(word: &str) -> bool {
    matches!(
        word,
        "return" | "else" | "case" | "do" | "delete" | "new" | "static" | "template" | "typename" | "struct" | "enum" | "export"
    )
}

fn is_end(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Symbol(";" | "{" | "}") | TokenKind::End)
}

/// Is the token at a place this symbol?
pub(super) fn is(tokens: &[Token], at: usize, symbol: &str) -> bool {
    matches!(tokens.get(at).map(|t| &t.kind), Some(TokenKind::Symbol(s)) if *s == symbol)
}

fn word(tokens: &[Token], at: usize) -> Option<&str> {
    tokens.get(at).and_then(|token| token.kind.name())
}

fn word_at(tokens: &[Token], at: usize) -> Option<Rc<str>> {
    name_of(&tokens.get(at)?.kind)
}

fn name_of(kind: &TokenKind) -> Option<Rc<str>> {
    if let TokenKind::Name(name) = kind { Some(name.clone()) } else { None }
}
