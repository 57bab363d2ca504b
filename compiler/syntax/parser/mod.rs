//! Tokens to syntax tree, with `chumsky`: a function per rule of the grammar, in the folders' usual four parts.
//!
//! The grammar is built for each file, since some of its choices depend on names: those that the file declares as types
//! tell `(T) x` from `(f)(x)`, those of templates tell `f<int>(x)` from a comparison ([`super::templates`]).
//!
//! # Errors and recovery
//! A rule that cannot go on fails with a [`Failure`]: where, and what could have stood there. Of the alternatives of a
//! choice, those that came furthest speak; what they expected is joined. `statements` and `items` recover: they skip to the
//! end of the broken statement or item, report the failure, and go on. A missing `;` is reported and taken as written.
//!
//! Before parsing, [`limits`] cuts off what is nested too deeply, so that no input exhausts the stack, and brackets that have
//! no partner are reported and, where items tell how, given one, so that their consequences need not be ([`recovery`]).

mod attributes;
mod expressions;
mod items;
mod limits;
mod pipelines;
mod primitives;
mod recovery;
mod semicolon;
mod statements;
mod tensors;
mod types;

use super::ast;
use super::templates::{self, Templates};
use super::token::{Token, TokenKind};
use super::words::is_reserved;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Edit, codes};
use crate::source::Span;
use crate::types::Element;
use chumsky::error::{Error, LabelError};
use chumsky::prelude::*;
use chumsky::util::MaybeRef;
use chumsky::{Boxed, DefaultExpected};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// The tree of a file. `known` are the templates that other files declare.
pub fn parse(text: &str, tokens: Vec<Token>, known: &Templates, diagnostics: &mut Diagnostics) -> ast::File {
    let read = without_inner_docs(tokens);
    let names = read.iter().filter_map(|token| match &token.kind {
        TokenKind::Name(name) => Some(name.clone()),
        _ => None,
    });
    let names = names.collect();
    let tokens = super::foreign::translated(read.clone(), &declared_types(&read), diagnostics);
    let tokens = limits::within_limits(tokens, diagnostics);
    let lonely = recovery::lonely_brackets(&tokens);
    let tokens = recovery::with_whole_items(tokens, &lonely);
    let file = tokens.last().map(|end| end.span.file);
    // A comment that goes on to the end of the file has the partners.
    let is_swallowed = diagnostics.iter().any(|d| d.code.name == codes::UNTERMINATED_COMMENT.name && Some(d.span.file) == file);
    for &(symbol, span) in lonely.iter().take(if is_swallowed { 0 } else { 8 }) {
        diagnostics.push(Diagnostic::error(&codes::UNCLOSED_DELIMITER, span, format!("this `{symbol}` has no partner")));
    }
    let types = declared_types(&tokens);
    let mut templates = known.clone();
    templates.extend(templates::declared(&tokens));
    let (tokens, openers) = templates::resolved(tokens, &templates);
    let mut first_lonely: FxHashMap<&'static str, u32> = FxHashMap::default();
    for (symbol, span) in &lonely {
        first_lonely.entry(symbol).or_insert(span.start);
    }
    let (views, skipped, nodes) = (RefCell::default(), RefCell::default(), Cell::default());
    let bodies = tensors::bodies(&tokens, &types);
    let facts = Facts { text, tokens: &tokens, types, templates, openers, bodies, lonely, first_lonely, views, skipped, nodes };
    let words = &tokens[..tokens.len() - 1];
    let (items, failures) = items::file(&facts).parse(words).into_output_errors();
    for failure in failures {
        failure.report(&facts, diagnostics);
    }
    let is_whole = !diagnostics.iter().any(|d| Some(d.span.file) == file);
    let unread = if is_whole { BTreeSet::new() } else { recovery::unread_names(&read, &facts, diagnostics) };
    ast::File { items: items.unwrap_or_default(), views: facts.views.into_inner(), names, unread }
}

/// A rule of the grammar that makes an `O`.
type Rule<'t, O> = Boxed<'t, 't, &'t [Token], O, extra::Err<Failure>>;

/// What the grammar knows of a file before it reads it.
struct Facts<'t> {
    /// The source.
    text: &'t str,
    /// All tokens; the last one is the end.
    tokens: &'t [Token],
    /// Names that the file declares as types, wherever.
    types: FxHashSet<Rc<str>>,
    /// The templates that the file may name.
    templates: Templates,
    /// Where the `<` are that open arguments of templates.
    openers: FxHashSet<u32>,
    /// The ranges of tokens between the braces of comprehensions, in order.
    bodies: Vec<Range<usize>>,
    /// Brackets without a partner, in order.
    lonely: Vec<(&'static str, Span)>,
    /// Where the first of each kind is.
    first_lonely: FxHashMap<&'static str, u32>,
    /// The views that were read.
    views: RefCell<BTreeSet<(Element, usize)>>,
    /// The ranges of tokens of items and members that were passed over, since they cannot be read.
    skipped: RefCell<Vec<SimpleSpan>>,
    /// How many nodes were made, those of alternatives that were given up among them.
    nodes: Cell<u32>,
}

impl Facts<'_> {
    fn kind(&self, at: usize) -> &TokenKind {
        &self.tokens[at.min(self.tokens.len() - 1)].kind
    }

    fn span(&self, at: usize) -> Span {
        self.tokens[at.min(self.tokens.len() - 1)].span
    }

    /// The id of a new node.
    fn new_id(&self) -> ast::NodeId {
        let number = self.nodes.get();
        self.nodes.set(number + 1);
        ast::NodeId { file: self.span(0).file, number }
    }

    fn new_expression(&self, kind: ast::ExprKind, span: Span) -> ast::Expr {
        ast::Expr { id: self.new_id(), kind, span }
    }

    /// A statement without attributes.
    fn new_statement(&self, kind: ast::StatementKind, span: Span) -> ast::Statement {
        ast::Statement { id: self.new_id(), kind, attributes: Vec::new(), span }
    }

    /// The type of a view on elements of a type.
    fn view(&self, ty: ast::Type, rank: usize) -> ast::Type {
        if let ast::TypeKind::Element(element) = ty.kind {
            self.views.borrow_mut().insert((element, rank));
        }
        let (span, is_const) = (ty.span, ty.is_const);
        let kind = ast::TypeKind::View(Box::new(ty), rank);
        ast::Type { kind, qualifier: ast::Qualifier::Unbound, is_const, is_restrict: false, span }
    }

    /// Is this token the `<` of the arguments of a template?
    fn opens_arguments(&self, at: usize) -> bool {
        self.is_symbol(at, "<") && self.openers.contains(&self.span(at).start)
    }

    /// Does a generic struct with its arguments begin here?
    fn is_generic_struct(&self, at: usize) -> bool {
        self.opens_arguments(at + 1)
            && self.name(at).is_some_and(|name| self.templates.get(name) == Some(&templates::TemplateKind::Struct))
    }

    /// The text of a range of tokens; an empty range is the token at its start.
    fn range(&self, range: SimpleSpan) -> Span {
        if range.start < range.end { self.span(range.start).to(self.span(range.end - 1)) } else { self.span(range.start) }
    }

    /// Does this token begin a line?
    fn begins_line(&self, at: usize) -> bool {
        let (from, to) = (self.span(at.saturating_sub(1)).end as usize, self.span(at).start as usize);
        at == 0 || self.text.get(from..to).is_some_and(|between| between.contains('\n'))
    }

    fn is_symbol(&self, at: usize, symbol: &str) -> bool {
        matches!(self.kind(at), TokenKind::Symbol(s) if *s == symbol)
    }

    fn name(&self, at: usize) -> Option<&str> {
        self.kind(at).name()
    }
}

/// Why a rule cannot go on.
#[derive(Clone, Debug, Default, PartialEq)]
struct Failure {
    /// The index of the token in the way.
    at: usize,
    /// What could have stood there; silent rules name nothing.
    expected: Vec<Expected>,
    /// A message of its own.
    special: Option<Box<Special>>,
}

/// What could stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Expected {
    /// A rule, in words.
    Rule(&'static str),
    /// An operator, bracket or keyword.
    Word(&'static str),
}

/// A message that says more than what was expected.
#[derive(Clone, Debug, PartialEq)]
struct Special {
    code: &'static Code,
    span: Span,
    message: String,
    help: Option<&'static str>,
    /// What puts it right, if that is known.
    edits: Vec<Edit>,
}

impl Failure {
    fn expected(at: usize, expected: Expected) -> Self {
        Failure { at, expected: vec![expected], special: None }
    }

    fn silent(at: usize) -> Self {
        Failure { at, ..Failure::default() }
    }

    fn special(at: usize, code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        let special = Special { code, span, message: message.into(), help: None, edits: Vec::new() };
        Failure { at, expected: Vec::new(), special: Some(Box::new(special)) }
    }

    /// With what puts a special failure right.
    fn with_help(mut self, help: &'static str, edits: Vec<Edit>) -> Self {
        if let Some(special) = &mut self.special {
            (special.help, special.edits) = (Some(help), edits);
        }
        self
    }

    fn report(self, facts: &Facts, diagnostics: &mut Diagnostics) {
        if let Some(special) = self.special {
            let error = Diagnostic::error(special.code, special.span, special.message);
            let error = match special.help {
                Some(help) => error.with_help(help),
                None => error,
            };
            diagnostics.push(match special.edits.is_empty() {
                true => error,
                false => error.with_fix(special.help.unwrap_or("write this"), special.edits),
            });
            return;
        }
        let span = facts.span(self.at);
        let mut expected = self.expected;
        expected.sort();
        expected.dedup();
        // That a bracket has no partner was said already.
        let closes = [("(", ")"), ("[", "]"), ("{", "}")];
        let is_consequence = |word: &Expected| {
            let opening = closes.iter().find(|(_, closing)| *word == Expected::Word(closing));
            opening.is_some_and(|(opening, _)| facts.first_lonely.get(opening).is_some_and(|&at| at < span.start))
        };
        let is_lonely = facts.lonely.binary_search_by_key(&span.start, |(_, at)| at.start).is_ok();
        if is_lonely || expected.iter().any(is_consequence) {
            return;
        }
        let words: Vec<String> = expected
            .iter()
            .map(|e| match e {
                Expected::Rule(words) => (*words).to_owned(),
                Expected::Word(word) => format!("`{word}`"),
            })
            .collect();
        let wanted = match &words[..] {
            [] => "something else".to_owned(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        };
        let found = facts.kind(self.at).describe();
        let found = match facts.name(self.at) {
            Some(name) if is_reserved(name) => format!("the keyword {found}"),
            Some(_) | None => found,
        };
        let message = format!("expected {wanted}, found {found}");
        diagnostics.push(Diagnostic::error(&codes::UNEXPECTED_TOKEN, span, message));
    }
}

impl<'t> LabelError<'t, &'t [Token], DefaultExpected<'t, Token>> for Failure {
    fn expected_found<E: IntoIterator<Item = DefaultExpected<'t, Token>>>(
        _: E,
        _: Option<MaybeRef<'t, Token>>,
        span: SimpleSpan,
    ) -> Self {
        Failure::silent(span.start)
    }
}

impl<'t> Error<'t, &'t [Token]> for Failure {
    /// Both came equally far.
    fn merge(mut self, mut other: Self) -> Self {
        self.expected.append(&mut other.expected);
        self.special = self.special.or(other.special);
        self
    }
}

/// Documentation comments stay in front of items; elsewhere they are comments like others.
fn without_inner_docs(tokens: Vec<Token>) -> Vec<Token> {
    if !tokens.iter().any(|token| matches!(token.kind, TokenKind::Doc(_))) {
        return tokens;
    }
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    // The braces around, and whether they are those of `extern "C" { … }`.
    let mut braces: Vec<bool> = Vec::new();
    for token in tokens {
        match &token.kind {
            TokenKind::Symbol("{") => {
                let external = matches!(kept.last().map(|t| &t.kind), Some(TokenKind::String(_)));
                braces.push(external);
            }
            TokenKind::Symbol("}") => drop(braces.pop()),
            TokenKind::Doc(_) => {
                let between = kept.last().is_none_or(|t| match &t.kind {
                    TokenKind::Symbol(symbol) => matches!(*symbol, ";" | "}" | "{"),
                    TokenKind::Doc(_) => true,
                    _ => false,
                });
                if !between || !braces.iter().all(|external| *external) {
                    continue;
                }
            }
            _ => {}
        }
        kept.push(token);
    }
    kept
}

/// The names behind `struct`, `enum` and `typename` and at the end of a `typedef`.
fn declared_types(tokens: &[Token]) -> FxHashSet<Rc<str>> {
    let mut names = FxHashSet::default();
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
