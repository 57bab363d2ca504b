//! Pipelines and schedules.
//!
//! ```text
//! pipeline  = 'pipeline' NAME '(' parameter, … ')' '->' NAME, … '{' (let | fun | update)* '}'
//! parameter = type NAME ('[' ','* ']')?
//! let       = 'let' NAME '=' expression ';'
//! fun       = 'fun' NAME '(' NAME, … ')' ('=' values ';' | '{' let* 'return' values ';' '}')
//! update    = ('rdom' '(' range, … ')')? (rule | '{' let* rule '}')
//! rule      = NAME '(' expression, … ')' ('=' | '+=' | … | 'min=' | 'max=') values ('if' expression)? ';'
//! values    = expression | '(' expression ',' expression, … ')'
//! schedule  = 'schedule' NAME '.' NAME '{' (NAME ('.' NAME ('(' expression, … ')')?)+ ';')* '}'
//! ```
//! The words are keywords here only: elsewhere `fun`, `let` and `rdom` name what they like.

use super::expressions::{Expressions, range};
use super::primitives::{accept, keyword, list, look, name, required, silent, skip_statement, symbol, symbol_for};
use super::semicolon::semicolon;
use super::{Expected, Facts, Rule};
use crate::syntax::ast::{
    Directive, DirectiveChain, Expr, ItemKind, Let, Name, Pipeline, PipelineParameter, PipelinePart, PipelinePartKind, Range,
    Schedule, UpdateOp,
};
use crate::syntax::token::TokenKind;
use chumsky::prelude::*;

/// The word of a rule that must come here.
fn word<'t>(word: &'static str) -> impl Parser<'t, &'t [super::Token], (), extra::Err<super::Failure>> + Clone {
    required(word, Expected::Word(word))
}

/// `let name = value;`
fn local<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Let> {
    let begins = |facts: &Facts, at: usize| facts.name(at) == Some("let") && facts.name(at + 1).is_some();
    look(facts, begins)
        .ignore_then(keyword("let"))
        .ignore_then(name(facts, "the name of the value"))
        .then_ignore(symbol("="))
        .then(rules.conditional.clone())
        .then_ignore(semicolon(facts, "`let`", "`;` after this `let`"))
        .map(|(name, value)| Let { name, value })
        .boxed()
}

/// One value, or a tuple of at least two.
fn values<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Vec<Expr>> {
    // A bracket is that of a tuple if a comma stands at its level.
    let is_tuple = |facts: &Facts, at: usize| {
        let mut depth = 0;
        for next in at.. {
            match facts.kind(next) {
                TokenKind::Symbol("(" | "[" | "{") => depth += 1,
                TokenKind::Symbol(")" | "]" | "}") if depth <= 1 => return false,
                TokenKind::Symbol(")" | "]" | "}") => depth -= 1,
                TokenKind::Symbol(",") if depth == 1 => return true,
                TokenKind::Symbol(";") | TokenKind::End => return false,
                _ if depth == 0 => return false,
                _ => {}
            }
        }
        false
    };
    let components = rules.conditional.clone().separated_by(symbol(",")).at_least(2).collect::<Vec<_>>();
    choice((
        look(facts, is_tuple).ignore_then(components.delimited_by(symbol("("), symbol(")"))),
        look(facts, move |facts, at| !is_tuple(facts, at)).ignore_then(rules.conditional.clone().map(|value| vec![value])),
    ))
    .boxed()
}

fn fun<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, PipelinePartKind> {
    let variables = list(name(facts, "a pure variable")).delimited_by(symbol("("), symbol(")"));
    let short = symbol("=").ignore_then(values(facts, rules)).map(|values| (Vec::new(), values));
    let result = word("return").ignore_then(values(facts, rules));
    let long = local(facts, rules).repeated().collect::<Vec<_>>().then(result.then_ignore(end_of_value(facts)));
    keyword("fun")
        .ignore_then(name(facts, "the name of the func"))
        .then(variables)
        .then(choice((long.delimited_by(symbol("{"), symbol("}")), short.then_ignore(end_of_value(facts)))))
        .map(|((name, variables), (lets, values))| PipelinePartKind::Fun { name, variables, lets, values })
        .boxed()
}

fn end_of_value<'t>(facts: &'t Facts<'t>) -> Rule<'t, ()> {
    semicolon(facts, "value", "`;` after this value")
}

/// What an update begins with, and its rule.
fn update<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, PipelinePartKind> {
    let ranges = range(facts, rules.conditional.clone()).separated_by(symbol(",")).at_least(1).collect::<Vec<Range>>();
    let is_rdom = |facts: &Facts, at: usize| {
        facts.name(at) == Some("rdom")
            && facts.is_symbol(at + 1, "(")
            && facts.name(at + 2).is_some()
            && facts.is_symbol(at + 3, "=")
    };
    let rdom = look(facts, is_rdom).ignore_then(keyword("rdom")).ignore_then(ranges.delimited_by(symbol("("), symbol(")")));
    let op = accept(Some(Expected::Rule("`=` or `+=`, `*=`, `min=` …")), |kind| match kind {
        TokenKind::Symbol("=") => Some(UpdateOp::Set),
        TokenKind::Symbol("+=") => Some(UpdateOp::Add),
        TokenKind::Symbol("-=") => Some(UpdateOp::Subtract),
        TokenKind::Symbol("*=") => Some(UpdateOp::Multiply),
        TokenKind::Symbol("/=") => Some(UpdateOp::Divide),
        TokenKind::Symbol("&=") => Some(UpdateOp::And),
        TokenKind::Symbol("|=") => Some(UpdateOp::Or),
        TokenKind::Symbol("^=") => Some(UpdateOp::Xor),
        _ => None,
    });
    let extremum = choice((keyword("min").to(UpdateOp::Min), keyword("max").to(UpdateOp::Max))).then_ignore(symbol("="));
    let condition = keyword("if").ignore_then(rules.conditional.clone()).or_not();
    let rule = name(facts, "the name of a func")
        .then(list(rules.conditional.clone()).delimited_by(symbol("("), symbol(")")))
        .then(choice((extremum, op)))
        .then(values(facts, rules))
        .then(condition)
        .then_ignore(semicolon(facts, "update", "`;` after this update"))
        .boxed();
    let long = local(facts, rules).repeated().collect::<Vec<_>>().then(rule.clone());
    let body = choice((long.delimited_by(silent("{"), symbol("}")), rule.map(|rule| (Vec::new(), rule))));
    rdom.or_not()
        .map(Option::unwrap_or_default)
        .then(body)
        .map(|(rdom, (lets, ((((name, indices), op), values), condition)))| PipelinePartKind::Update {
            rdom,
            lets,
            name,
            indices,
            op,
            values,
            condition,
        })
        .boxed()
}

/// A pipeline, from its word on.
pub(super) fn pipeline<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, ItemKind> {
    let rank = silent(",").repeated().count().delimited_by(silent("["), symbol("]")).map(|commas| commas + 1);
    let parameter = rules
        .types
        .ty
        .clone()
        .then(name(facts, "the name of the parameter"))
        .then(rank.or_not())
        .map_with(|((ty, name), rank), e| PipelineParameter { ty, name, rank, span: facts.range(e.span()) });
    let is_fun = |facts: &Facts, at: usize| facts.name(at) == Some("fun") && facts.name(at + 1).is_some();
    let is_let = |facts: &Facts, at: usize| facts.name(at) == Some("let") && facts.name(at + 1).is_some();
    let part = choice((
        look(facts, is_fun).ignore_then(fun(facts, rules)),
        look(facts, is_let).ignore_then(local(facts, rules)).map(PipelinePartKind::Let),
        look(facts, move |facts, at| !is_fun(facts, at) && !is_let(facts, at)).ignore_then(update(facts, rules)),
    ))
    .map_with(|kind, e| PipelinePart { kind, span: facts.range(e.span()) });
    let skipped = skip_statement(facts).map(|range| PipelinePart { kind: PipelinePartKind::Error, span: facts.range(range) });
    let parts = look(facts, |facts, at| !facts.is_symbol(at, "}"))
        .ignore_then(part.recover_with(via_parser(skipped)))
        .repeated()
        .collect()
        .delimited_by(symbol("{"), symbol("}"));
    let outputs = name(facts, "the name of an output").separated_by(symbol(",")).at_least(1).collect();
    keyword("pipeline")
        .ignore_then(name(facts, "the name of the pipeline"))
        .then(parameter.separated_by(symbol(",")).collect().delimited_by(symbol("("), symbol(")")))
        .then_ignore(symbol("->"))
        .then(outputs)
        .then(parts)
        .map(|(((name, parameters), outputs), parts)| ItemKind::Pipeline(Pipeline { name, parameters, outputs, parts }))
        .boxed()
}

/// A schedule, from its word on.
pub(super) fn schedule<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, ItemKind> {
    let arguments = list(rules.conditional.clone()).delimited_by(silent("("), symbol(")"));
    // Words of the language are directives, too: `parallel`, `case`.
    let directive = accept(Some(Expected::Rule("a directive")), |kind| match kind {
        TokenKind::Name(name) => Some(name.clone()),
        _ => None,
    })
    .map_with(|text, e| Name { text, span: facts.range(e.span()) });
    let link = symbol_for(".", Expected::Rule("`.` and a directive")).ignore_then(directive).then(arguments.or_not()).map_with(
        |(name, arguments), e| {
            let span = facts.range(e.span());
            Directive { span: name.span.to(span), name, arguments }
        },
    );
    let chain = name(facts, "the name of a func")
        .then(link.repeated().at_least(1).collect())
        .then_ignore(semicolon(facts, "directive", "`;` after these directives"))
        .map_with(|(func, links), e| Some(DirectiveChain { func, links, span: facts.range(e.span()) }));
    let skipped = skip_statement(facts).to(None);
    let chains = look(facts, |facts, at| !facts.is_symbol(at, "}"))
        .ignore_then(chain.recover_with(via_parser(skipped)))
        .repeated()
        .collect::<Vec<Option<DirectiveChain>>>()
        .delimited_by(symbol("{"), symbol("}"));
    keyword("schedule")
        .ignore_then(name(facts, "the name of the pipeline"))
        .then_ignore(symbol("."))
        .then(name(facts, "the name of the schedule"))
        .then(chains)
        .map(|((pipeline, name), chains)| {
            ItemKind::Schedule(Schedule { pipeline, name, chains: chains.into_iter().flatten().collect() })
        })
        .boxed()
}
