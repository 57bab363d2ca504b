//! Constructs of C, C++ and ispc that the language has not, or writes otherwise.
//!
//! ```text
//! static struct P p = {.x = 1};      ──►      P p = {1};          and three diagnostics that say what to write
//! ```
//! One walk over the tokens, before they are parsed, finds such constructs by their words, says for each what stands here instead, and
//! leaves what the parser can read, so that nothing else is said about them. Pipelines and schedules are passed over: they have
//! a grammar of their own.

mod declarations;
mod expressions;
mod types;

use super::token::{self, Token, TokenKind};
use super::words;
use crate::diagnostics::{Diagnostic, Diagnostics, Edit, codes};
use crate::source::Span;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The tokens without foreign constructs, which are reported. `own` are the names that the file declares as types.
pub fn translated(tokens: Vec<Token>, own: &FxHashSet<Rc<str>>, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut walk = Walk {
        partners: token::partners(&tokens),
        tokens: &tokens,
        at: 0,
        out: Vec::new(),
        around: Vec::new(),
        has_goto: false,
        renamed: FxHashSet::default(),
        own,
        diagnostics,
    };
    while walk.at < tokens.len() {
        walk.token();
    }
    let mut translated = walk.out;
    // What was passed over may have reached up to the end, which closes the tokens all the same.
    if translated.last().is_none_or(|last| last.kind != TokenKind::End) {
        translated.extend(tokens.last().cloned());
    }
    translated
}

/// What is around a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    /// The members of a struct.
    Struct,
    /// The constants of an enum.
    Enum,
    /// Statements.
    Block,
    /// `{ … }` as a value.
    Values,
    /// The parameters of a function.
    Parameters,
    /// The head of a `for`.
    For,
    /// Other brackets.
    Brackets,
}

/// A stand-in for an expression that cannot be read: no program can write this name.
const NOTHING: &str = "(nothing)";

struct Walk<'w> {
    tokens: &'w [Token],
    /// For each opening bracket its partner.
    partners: Vec<Option<usize>>,
    at: usize,
    out: Vec<Token>,
    around: Vec<Around>,
    /// Was there a `goto`? Its label is a part of it.
    has_goto: bool,
    /// Keywords that were declared as variables.
    renamed: FxHashSet<Rc<str>>,
    own: &'w FxHashSet<Rc<str>>,
    diagnostics: &'w mut Diagnostics,
}

impl Walk<'_> {
    /// Translates what begins here, or takes a token as it is.
    fn token(&mut self) {
        if self.is_pipeline() || self.is_attributes() {
            return;
        }
        let rules: [fn(&mut Self) -> bool; 6] =
            [Self::word_in_front, Self::declaration, Self::type_word, Self::statement, Self::expression, Self::bracket];
        for rule in rules {
            if rule(self) {
                return;
            }
        }
        self.keep(1);
    }

    /// Passes over a pipeline, a schedule, a definition that takes funcs, or one of tensors.
    fn is_pipeline(&mut self) -> bool {
        let is_definition = || {
            let end = self.partners.get(self.at + 2).copied().flatten();
            self.word(0) == Some("fun") && self.is(2, "(") && end.is_some_and(|end| self.is_at(end + 1, "("))
        };
        let is_def = || self.word(0) == Some("def") && self.is(2, "(");
        let is_one = || matches!(self.word(0), Some("pipeline" | "schedule")) || is_definition() || is_def();
        let begins = self.around.is_empty() && self.word(1).is_some() && is_one();
        if begins {
            let body = (self.at..self.tokens.len()).take(400).find(|&at| self.is_at(at, "{") || self.is_at(at, ";"));
            let end = body.map_or(self.at, |at| self.partners[at].unwrap_or(at));
            self.keep(end + 1 - self.at);
        }
        begins
    }

    /// Passes over `[[…]]`.
    fn is_attributes(&mut self) -> bool {
        let begins = self.is(0, "[") && self.is(1, "[") && self.begins_statement();
        match self.partners[self.at].filter(|_| begins) {
            Some(end) => {
                self.keep(end + 1 - self.at);
                true
            }
            None => false,
        }
    }

    /// Notes what brackets are around.
    fn bracket(&mut self) -> bool {
        let TokenKind::Symbol(symbol) = self.tokens[self.at].kind else { return false };
        match symbol {
            "(" => {
                let around = match self.previous_word() {
                    Some("for") => Around::For,
                    // A call in the value of a global.
                    Some(_) if self.at > 1 && self.is_at(self.at - 2, "=") => Around::Brackets,
                    Some(_) if self.around.is_empty() => Around::Parameters,
                    Some(_) | None => Around::Brackets,
                };
                self.around.push(around);
            }
            "[" => self.around.push(Around::Brackets),
            "{" => {
                let around = self.brace();
                self.around.push(around);
            }
            ")" | "]" | "}" => drop(self.around.pop()),
            _ => return false,
        }
        self.keep(1);
        true
    }

    /// What a `{` opens.
    fn brace(&self) -> Around {
        let back = |k: usize| self.out.len().checked_sub(k).map(|at| &self.out[at].kind);
        let word = |k: usize| back(k).and_then(TokenKind::name);
        let is = |k: usize, symbol: &'static str| back(k) == Some(&TokenKind::Symbol(symbol));
        match (word(1), word(2)) {
            (_, Some("struct")) | (Some("struct"), _) => Around::Struct,
            (_, Some("enum")) | (Some("enum"), _) => Around::Enum,
            _ if is(2, ":") && word(4) == Some("enum") => Around::Enum,
            (Some("return"), _) => Around::Values,
            _ if is(1, "=") || is(1, ",") || is(1, "(") => Around::Values,
            _ if is(1, "{") && self.around.last() == Some(&Around::Values) => Around::Values,
            _ => Around::Block,
        }
    }

    /// Does a statement, member or item begin here?
    fn begins_statement(&self) -> bool {
        let inside = matches!(self.around.last(), None | Some(Around::Struct | Around::Block));
        inside
            && match self.out.last().map(|token| &token.kind) {
                None | Some(TokenKind::Doc(_) | TokenKind::Symbol(";" | "{" | "}" | ")" | "]" | ":" | ">")) => true,
                Some(TokenKind::Name(word)) => matches!(&**word, "else" | "do" | "scalar" | "export" | "const"),
                Some(TokenKind::String(_)) => self.around.is_empty(),
                Some(_) => false,
            }
    }

    /// Has a statement ended in front of this token? Behind a bracket or a sign, a name and a `:` are the middle of a conditional.
    fn is_behind_statement(&self) -> bool {
        matches!(self.out.last().map(|token| &token.kind), Some(TokenKind::Symbol(";" | "{" | "}")))
    }

    /// Could an operand end in front of this token?
    fn is_behind_operand(&self) -> bool {
        match self.out.last().map(|token| &token.kind) {
            Some(TokenKind::Name(word)) => !words::is_reserved(word) || matches!(&**word, "true" | "false" | "null"),
            Some(TokenKind::Symbol(symbol)) => matches!(*symbol, ")" | "]"),
            Some(TokenKind::Integer { .. } | TokenKind::Float { .. } | TokenKind::Character(_) | TokenKind::String(_)) => true,
            Some(TokenKind::Doc(_) | TokenKind::End) | None => false,
        }
    }

    fn previous_word(&self) -> Option<&str> {
        self.out.last().and_then(|token| token.kind.name())
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        self.tokens.get(self.at + ahead).and_then(|token| token.kind.name())
    }

    /// A name that is no keyword.
    fn own_word(&self, ahead: usize) -> Option<&str> {
        self.word(ahead).filter(|word| !words::is_reserved(word))
    }

    fn is(&self, ahead: usize, symbol: &'static str) -> bool {
        self.is_at(self.at + ahead, symbol)
    }

    fn is_at(&self, at: usize, symbol: &'static str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Symbol(symbol))
    }

    /// The partner of the bracket that is so many tokens ahead, counted from here.
    fn partner(&self, ahead: usize) -> Option<usize> {
        self.partners.get(self.at + ahead).copied().flatten().map(|at| at - self.at)
    }

    /// The text of so many tokens from here on.
    fn span(&self, from: usize, count: usize) -> Span {
        let last = (self.at + from + count.max(1) - 1).min(self.tokens.len() - 1);
        self.tokens[(self.at + from).min(last)].span.to(self.tokens[last].span)
    }

    /// How many tokens there are to the end of the statement, with its `;`.
    fn to_semicolon(&self) -> usize {
        let mut at = self.at;
        while at < self.tokens.len() - 1 && !self.is_at(at, ";") && !self.is_at(at, "}") {
            at = self.partners[at].unwrap_or(at) + 1;
        }
        at + usize::from(self.is_at(at, ";")) - self.at
    }

    fn keep(&mut self, count: usize) {
        let end = (self.at + count).min(self.tokens.len());
        self.out.extend_from_slice(&self.tokens[self.at..end]);
        self.at = end;
    }

    fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.tokens.len());
    }

    /// Writes a token that is not in the text, at the place of the next one.
    fn put(&mut self, kind: TokenKind) {
        let span = self.span(0, 1);
        self.out.push(Token { kind, span });
    }

    fn put_name(&mut self, name: &str) {
        self.put(TokenKind::Name(name.into()));
    }

    /// Says what stands at these tokens and what is written here instead.
    fn say(&mut self, from: usize, count: usize, message: impl Into<String>, help: impl Into<String>) {
        let error = Diagnostic::error(&codes::FOREIGN_CONSTRUCT, self.span(from, count), message);
        self.diagnostics.push(error.with_help(help));
    }

    /// The same, with the change that does it.
    fn say_with(&mut self, from: usize, count: usize, message: impl Into<String>, help: impl Into<String>, edits: Vec<Edit>) {
        let error = Diagnostic::error(&codes::FOREIGN_CONSTRUCT, self.span(from, count), message);
        self.diagnostics.push(error.with_fix(help, edits));
    }

    /// The change that leaves out so many tokens, with the space in front of the next one.
    fn without(&self, from: usize, count: usize) -> Vec<Edit> {
        let (first, next) = (self.span(from, 1), self.span(from + count, 1));
        let end = if next.start >= first.end { next.start } else { self.span(from, count).end };
        vec![Edit::replace(Span { end, ..first }, "")]
    }
}
