//! Tokens to syntax tree, by recursive descent: a function per rule of the grammar.
//!
//! A rule that cannot go on reports why and gives `Err(Reported)`; `statements` and `items` catch it, skip to the end of
//! the broken statement or item, and go on. Nesting is counted, so that no input exhausts the stack.

mod expressions;
mod items;
mod statements;
mod types;

use super::ast::{self, Name};
use super::token::{Token, TokenKind};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes};
use crate::source::Span;
use std::collections::HashSet;
use std::rc::Rc;

/// How deep brackets, statements and prefix operators may be nested.
const MAX_DEPTH: u32 = 200;
/// How many operands a chain of operators of one precedence may have.
const MAX_CHAIN: u32 = 2000;

/// The tree of a file.
pub fn parse(tokens: &[Token], diagnostics: &mut Diagnostics) -> ast::File {
    let mut parser =
        Parser { tokens, at: 0, depth: 0, types: declared_types(tokens), templates: declared_templates(tokens), diagnostics };
    parser.unclosed_delimiters();
    ast::File { items: parser.items() }
}

/// An error has been reported, and the rule cannot go on.
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: u32,
    /// Names that the file declares as types, wherever: what tells `(T) x` from `(f)(x)`.
    types: HashSet<Rc<str>>,
    /// Names of function templates: what tells `f<int>(x)` from a comparison.
    templates: HashSet<Rc<str>>,
    diagnostics: &'t mut Diagnostics,
}

/// The names behind `struct`, `enum` and `typename` and at the end of a `typedef`.
fn declared_types(tokens: &[Token]) -> HashSet<Rc<str>> {
    let mut names = HashSet::new();
    let name = |i: usize| match tokens.get(i).map(|t| &t.kind) {
        Some(TokenKind::Name(name)) => Some(name.clone()),
        Some(_) | None => None,
    };
    for (i, token) in tokens.iter().enumerate() {
        let TokenKind::Name(keyword) = &token.kind else { continue };
        match &**keyword {
            "struct" | "enum" | "typename" => names.extend(name(i + 1)),
            "typedef" => {
                let semicolon = tokens[i..].iter().take(64).position(|t| t.kind == TokenKind::Symbol(";"));
                let words = tokens[i..i + semicolon.unwrap_or(0)].iter().take_while(|t| t.kind != TokenKind::Symbol("["));
                names.extend(words.filter_map(|t| if let TokenKind::Name(n) = &t.kind { Some(n.clone()) } else { None }).last());
            }
            _ => {}
        }
    }
    names
}

/// The names of functions behind `template <…>`.
fn declared_templates(tokens: &[Token]) -> HashSet<Rc<str>> {
    let mut names = HashSet::new();
    for (i, token) in tokens.iter().enumerate() {
        if matches!(&token.kind, TokenKind::Name(n) if &**n == "template") {
            let call = tokens[i..].windows(2).take(64).find(|w| w[1].kind == TokenKind::Symbol("("));
            if let Some([Token { kind: TokenKind::Name(name), .. }, _]) = call {
                names.insert(name.clone());
            }
        }
    }
    names
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind_at(&self, ahead: usize) -> &TokenKind {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The span of the token before the current one.
    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    fn since(&self, start: Span) -> Span {
        let end = self.previous();
        if end.end >= start.start { start.to(end) } else { start }
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn is_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    fn is_symbol_at(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.kind_at(ahead), TokenKind::Symbol(s) if *s == symbol)
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        self.is_symbol_at(0, symbol)
    }

    fn name_at(&self, ahead: usize) -> Option<&str> {
        match self.kind_at(ahead) {
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

    fn is_keyword(&self, keyword: &str) -> bool {
        self.name_at(0) == Some(keyword)
    }

    fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn report(&mut self, code: &'static Code, span: Span, message: impl Into<String>) -> Reported {
        self.diagnostics.push(Diagnostic::error(code, span, message));
        Reported
    }

    /// Reports that something else was expected here.
    fn expected(&mut self, what: &str) -> Reported {
        let (span, found) = (self.span(), self.token().kind.describe());
        self.report(&codes::UNEXPECTED_TOKEN, span, format!("expected {what}, found {found}"))
    }

    fn expect_symbol(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.eat_symbol(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    /// A `;`. Where it is missing, the blame goes behind the word before, not to the next line.
    fn expect_semicolon(&mut self, after: &str) -> Parsed<()> {
        if self.eat_symbol(";") {
            return Ok(());
        }
        let next_line_or_end = self.is_symbol("}") || self.is_end() || self.starts_statement();
        let end = self.previous();
        if next_line_or_end {
            let place = Span { start: end.end, ..end };
            let error = Diagnostic::error(&codes::MISSING_SEMICOLON, place, format!("expected `;` after this {after}"));
            self.diagnostics.push(error.with_help("add `;` here"));
            return Ok(());
        }
        Err(self.expected(&format!("`;` after this {after}")))
    }

    /// Any name that is not reserved.
    fn expect_name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.span();
        match &self.token().kind {
            TokenKind::Name(name) if !is_reserved(name) => {
                let text = name.clone();
                self.advance();
                Ok(Name { text, span })
            }
            TokenKind::Name(name) => {
                let message = format!("expected {what}, found the keyword `{name}`");
                Err(self.report(&codes::UNEXPECTED_TOKEN, span, message))
            }
            TokenKind::Integer { .. }
            | TokenKind::Float { .. }
            | TokenKind::Character(_)
            | TokenKind::String(_)
            | TokenKind::Symbol(_)
            | TokenKind::Doc(_)
            | TokenKind::End => Err(self.expected(what)),
        }
    }

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(format!("nesting is limited to {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Reports the limit and gives up on the rest of the file, which would repeat it.
    fn too_deep(&mut self, message: String) -> Reported {
        let span = self.span();
        self.at = self.tokens.len() - 1;
        self.report(&codes::NESTING_TOO_DEEP, span, message)
    }

    /// Skips a broken statement: behind its `;`, or behind a whole `{ … }`, or to the `}` that closes its block.
    fn skip_statement(&mut self, from: usize) {
        if self.at == from && !self.is_symbol("}") && !self.is_end() {
            self.advance();
        }
        let mut depth = 0u32;
        loop {
            match &self.token().kind {
                TokenKind::End => return,
                TokenKind::Symbol("{") => depth += 1,
                TokenKind::Symbol("}") if depth == 0 => return,
                TokenKind::Symbol("}") => {
                    depth -= 1;
                    if depth == 0 {
                        self.advance();
                        return;
                    }
                }
                TokenKind::Symbol(";") if depth == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::Name(_)
                | TokenKind::Integer { .. }
                | TokenKind::Float { .. }
                | TokenKind::Character(_)
                | TokenKind::String(_)
                | TokenKind::Symbol(_)
                | TokenKind::Doc(_) => {}
            }
            self.advance();
        }
    }

    /// Reports brackets that have no partner, before their consequences are.
    fn unclosed_delimiters(&mut self) {
        let mut open: Vec<(&'static str, Span)> = Vec::new();
        let mut lonely = Vec::new();
        for token in self.tokens {
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
        for (symbol, span) in lonely.into_iter().take(8) {
            self.report(&codes::UNCLOSED_DELIMITER, span, format!("this `{symbol}` has no partner"));
        }
    }
}

/// Names that can name nothing else.
fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "if" | "else"
            | "while"
            | "do"
            | "for"
            | "foreach"
            | "foreach_active"
            | "foreach_unique"
            | "parallel"
            | "switch"
            | "case"
            | "default"
            | "break"
            | "continue"
            | "return"
            | "scalar"
            | "block"
            | "varying"
            | "uniform"
            | "struct"
            | "enum"
            | "typedef"
            | "template"
            | "typename"
            | "export"
            | "extern"
            | "import"
            | "const"
            | "restrict"
            | "true"
            | "false"
            | "null"
            | "new"
            | "delete"
            | "scratch"
            | "current_mask"
            | "lane_index"
            | "void"
            | "sizeof"
            | "lengthof"
            | "preferred_lengthof"
    ) || types::element(name).is_some()
        || name == "float16"
}
