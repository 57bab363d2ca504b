//! Tensor comprehensions, by the grammar of the paper (*Tensor Comprehensions*, "Grammar").
//!
//! ```text
//! def       = 'def' NAME '(' parameter, … ')' ('->' '(' result, … ')')? '{' (statement ';'?)* '}'
//! parameter = 'inout'? tensor NAME
//! result    = tensor? NAME
//! tensor    = element ('(' (NAME | INTEGER), … ')')?
//! element   = the element types of the language | 'half' | 'byte' | 'char'
//! statement = target, … ('=' | ('+' | '*' | 'min' | 'max') '=' '!'?) conditional ('where' clause, …)?
//! target    = NAME ('(' conditional, … ')')?
//! clause    = NAME 'in' additive ':' additive | 'exists' postfix
//! ```
//! Among its expressions there is `float(…)`, a conversion, for all element types.
//!
//! The words are keywords here only, and `+=!` is one operator here only: elsewhere it is `+=` and `!`. A statement ends where
//! the next one begins. `inout` and types of results are not in the paper.

use super::expressions::Expressions;
use super::primitives::{accept, keyword, list, look, name, required, silent, skip_statement, symbol};
use super::{Expected, Facts, Rule};
use crate::syntax::ast::{
    Clause, Def, Qualifier, Reduction, Size, TensorOp, TensorParameter, TensorResult, TensorStatement, TensorTarget, TensorType,
    Type, TypeKind,
};
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::words;
use chumsky::prelude::*;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::rc::Rc;

/// Does a definition begin here? A type may be called `def`.
pub(super) fn begins_def(facts: &Facts, at: usize) -> bool {
    !facts.types.contains("def") && facts.name(at) == Some("def") && facts.name(at + 1).is_some() && facts.is_symbol(at + 2, "(")
}

/// The ranges of tokens between the braces of comprehensions. There are no braces in them.
pub(super) fn bodies(tokens: &[Token], types: &FxHashSet<Rc<str>>) -> Vec<Range<usize>> {
    let (mut bodies, mut at) = (Vec::new(), 0);
    let behind = |from: usize, wanted: &[&str]| {
        let is_wanted = |token: &Token| matches!(&token.kind, TokenKind::Symbol(symbol) if wanted.contains(symbol));
        tokens[from..].iter().position(is_wanted).map_or(tokens.len(), |ahead| from + ahead)
    };
    while let Some(ahead) = tokens[at..].iter().position(|token| token.kind.name() == Some("def") && !types.contains("def")) {
        let open = behind(at + ahead, &["{", ";"]);
        let end = behind(open, &["}"]);
        bodies.push(open..end);
        at = end;
    }
    bodies
}

/// Is it between the braces of a comprehension?
pub(super) fn is_in_body(facts: &Facts, at: usize) -> bool {
    let next = facts.bodies.partition_point(|body| body.end <= at);
    facts.bodies.get(next).is_some_and(|body| body.contains(&at))
}

/// Is it a type that has this name in comprehensions only, between the braces of one?
pub(super) fn is_own_type(facts: &Facts, at: usize) -> bool {
    facts.name(at).is_some_and(|name| words::TENSOR_ELEMENTS.iter().any(|(own, _)| *own == name)) && is_in_body(facts, at)
}

/// Is this `float(…)`, the conversion of a definition?
pub(super) fn is_conversion(facts: &Facts, at: usize) -> bool {
    facts.name(at).is_some_and(words::is_element) && facts.is_symbol(at + 1, "(") && is_in_body(facts, at)
}

/// The element types, with the names that only comprehensions have for some.
fn element_type(name: &str) -> Option<TypeKind> {
    words::tensor_element(name).map(TypeKind::Element)
}

/// `float(M, 3)`, `int`
fn tensor<'t>(facts: &'t Facts<'t>) -> Rule<'t, TensorType> {
    let element = accept(Some(Expected::Rule("the type of the elements")), |kind| match kind {
        TokenKind::Name(word) => Some((element_type(word)?, word.clone())),
        _ => None,
    });
    let element = element.map_with(|(kind, word), e| {
        let span = facts.range(e.span());
        (Type { kind, qualifier: Qualifier::Unbound, is_const: false, is_restrict: false, span }, word)
    });
    let constant = accept(None, |kind| match kind {
        TokenKind::Integer { value, suffix: None } => Some(*value),
        _ => None,
    });
    let constant = constant.map_with(|value, e| Size::Constant(value, facts.range(e.span())));
    let size = choice((constant, name(facts, "a size").map(Size::Variable)));
    element
        .then(list(size).delimited_by(silent("("), symbol(")")).or_not())
        .map_with(|((element, word), sizes), e| TensorType {
            element,
            word,
            sizes: sizes.unwrap_or_default(),
            span: facts.range(e.span()),
        })
        .boxed()
}

/// `=`, `+=`, `+=!`, `min=!` …
fn operator<'t>(facts: &'t Facts<'t>) -> Rule<'t, TensorOp> {
    let plain = accept(Some(Expected::Rule("`=` or `+=!`, `*=!`, `min=!`, `max=!`")), |kind| match kind {
        TokenKind::Symbol("=") => Some(None),
        TokenKind::Symbol("+=") => Some(Some(Reduction::Add)),
        TokenKind::Symbol("*=") => Some(Some(Reduction::Multiply)),
        _ => None,
    });
    let extremum = choice((keyword("min").to(Reduction::Min), keyword("max").to(Reduction::Max)));
    let extremum = extremum.then_ignore(symbol("=")).map(Some);
    // It stands right behind the operator: `C(i) += !x` adds a number.
    let is_joined =
        |facts: &Facts, at: usize| facts.is_symbol(at, "!") && at > 0 && facts.span(at - 1).end == facts.span(at).start;
    let initialized = look(facts, is_joined).ignore_then(silent("!")).or_not().map(|found| found.is_some());
    choice((extremum, plain)).then(initialized).map(|(reduction, is_initialized)| TensorOp { reduction, is_initialized }).boxed()
}

fn clause<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Clause> {
    let is_exists = |facts: &Facts, at: usize| facts.name(at) == Some("exists") && facts.name(at + 1) != Some("in");
    let exists = look(facts, is_exists).ignore_then(keyword("exists")).ignore_then(rules.additive.clone()).map(Clause::Exists);
    let range = look(facts, move |facts, at| !is_exists(facts, at))
        .ignore_then(name(facts, "an index, or `exists`"))
        .then_ignore(required("in", Expected::Word("in")))
        .then(rules.additive.clone())
        .then_ignore(symbol(":"))
        .then(rules.additive.clone())
        .map(|((index, low), high)| Clause::Range { index, low, high });
    choice((exists, range)).boxed()
}

fn statement<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, TensorStatement> {
    let indices = list(rules.conditional.clone()).delimited_by(silent("("), symbol(")"));
    let target = name(facts, "the name of a tensor").then(indices.or_not()).map(|(name, indices)| TensorTarget { name, indices });
    let clauses = keyword("where")
        .ignore_then(clause(facts, rules).separated_by(symbol(",")).at_least(1).collect::<Vec<_>>())
        .or_not()
        .map(Option::unwrap_or_default);
    target
        .separated_by(symbol(","))
        .at_least(1)
        .collect::<Vec<_>>()
        .then(operator(facts))
        .then(rules.conditional.clone())
        .then(clauses)
        .map_with(|(((targets, op), value), clauses), e| TensorStatement {
            targets,
            op,
            value,
            clauses,
            span: facts.range(e.span()),
        })
        .then_ignore(silent(";").repeated())
        .boxed()
}

/// A definition, from its word on.
pub(super) fn def<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Def> {
    let inout = keyword("inout").map_with(|(), e| facts.range(e.span())).or_not();
    let parameter = inout
        .then(tensor(facts))
        .then(name(facts, "the name of the parameter"))
        .map_with(|((inout, ty), name), e| TensorParameter { inout, ty, name, span: facts.range(e.span()) });
    let is_typed = |facts: &Facts, at: usize| facts.name(at).is_some_and(|word| element_type(word).is_some());
    let result = look(facts, is_typed)
        .ignore_then(tensor(facts))
        .or_not()
        .then(name(facts, "the name of a result"))
        .map(|(ty, name)| TensorResult { ty, name });
    let results = silent("->")
        .ignore_then(result.separated_by(symbol(",")).at_least(1).collect::<Vec<_>>().delimited_by(symbol("("), symbol(")")))
        .or_not()
        .map(Option::unwrap_or_default);
    let statement = statement(facts, rules).map(Some);
    let statement = statement.recover_with(via_parser(skip_statement(facts).to(None)));
    let statements = look(facts, |facts, at| !facts.is_symbol(at, "}"))
        .ignore_then(statement)
        .repeated()
        .collect::<Vec<Option<TensorStatement>>>()
        .delimited_by(symbol("{"), symbol("}"));
    keyword("def")
        .ignore_then(name(facts, "the name of the definition"))
        .then(list(parameter).delimited_by(symbol("("), symbol(")")))
        .then(results)
        .then(statements)
        .map(|(((name, parameters), results), statements)| Def {
            name,
            parameters,
            results,
            statements: statements.into_iter().flatten().collect(),
        })
        .boxed()
}
