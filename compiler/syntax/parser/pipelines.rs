//! Pipelines and schedules.
//!
//! ```text
//! pipeline   = 'pipeline' NAME '(' parameter, … ')' '->' NAME, … '{' part* '}'
//! part       = let | fun | definition | update | assertion
//!            | 'static' 'if' '(' conditional ')' parts ('else' (parts | part))?
//!            | 'static' 'for' '(' type? range ')' parts
//! parts      = part | '{' part* '}'
//! parameter  = type NAME ('[' ','* ']')?
//! let        = 'let' NAME '=' expression ';'
//! fun        = 'fun' NAME members? '(' NAME, … ')' body
//! members    = '[' (range | expression), … ']'
//! body       = '=' values ';' | '{' (let | 'return' values ';' | 'static' 'if' …)* '}'
//! definition = 'fun' NAME '(' (type? NAME), … ')' indices body          with (local | update)* in the braces, too
//! local      = 'fun' NAME indices body
//! indices    = '(' NAME, … '...'? ')'
//! update     = ('rdom' '(' range, … ')')? (rule | '{' let* rule '}')
//! rule       = NAME members? '(' expression, … '...'? ')' ('=' | '+=' | … | 'min=' | 'max=') values ('if' expression)? ';'
//! values     = expression | '(' expression ',' expression, … ')'
//! schedule   = 'schedule' NAME '.' NAME '{' directives* '}'
//! directives = NAME ('[' expression, … ']')? ('.' NAME ('(' expression, … ')')?)+ ';'
//!            | 'if' '(' conditional ')' … ('else' …)? | 'for' '(' range ')' …
//! ```
//! The words are keywords here only: elsewhere `fun`, `let` and `rdom` name what they like. A definition stands at the level of the
//! file, too.

use super::expressions::{Expressions, range};
use super::primitives::{
    Input, accept, keyword, list, look, name, position, required, silent, skip_statement, symbol, symbol_for,
};
use super::semicolon::semicolon;
use super::statements::assertion;
use super::{Expected, Facts, Failure, Rule};
use crate::diagnostics::{Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{
    BodyPart, Definition, DefinitionParameter, Directive, DirectiveChain, Expr, ExprKind, Fun, ItemKind, Let, LocalFun, Member,
    Name, Pipeline, PipelineParameter, PipelinePart, PipelinePartKind, Range, Schedule, SchedulePart, StaticFor, StaticIf,
    Update, UpdateOp,
};
use crate::syntax::token::TokenKind;
use chumsky::prelude::*;

/// The word of a rule that must come here.
fn word<'t>(word: &'static str) -> impl Parser<'t, &'t [super::Token], (), extra::Err<Failure>> + Clone {
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

/// Is this `fun name(parameters)(indices)`?
fn is_definition(facts: &Facts, at: usize) -> bool {
    if facts.name(at) != Some("fun") || facts.name(at + 1).is_none() || !facts.is_symbol(at + 2, "(") {
        return false;
    }
    let mut depth = 0;
    for next in at + 2.. {
        match facts.kind(next) {
            TokenKind::Symbol("(") => depth += 1,
            TokenKind::Symbol(")") if depth == 1 => return facts.is_symbol(next + 1, "("),
            TokenKind::Symbol(")") => depth -= 1,
            TokenKind::Symbol(";" | "{" | "}") | TokenKind::End => return false,
            _ => {}
        }
    }
    false
}

/// Does a definition stand here at the level of the file? A type may be called `fun`.
pub(super) fn begins_definition(facts: &Facts, at: usize) -> bool {
    !facts.types.contains("fun") && facts.name(at) == Some("fun") && facts.name(at + 1).is_some() && facts.is_symbol(at + 2, "(")
}

/// What is behind the parameters of a func.
fn body<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Vec<BodyPart>> {
    body_with(facts, rules, None)
}

/// What is behind the indices of a definition, which may have funcs of its own.
fn body_of_definition<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Vec<BodyPart>> {
    let is_fun = |facts: &Facts, at: usize| facts.name(at) == Some("fun") && facts.name(at + 1).is_some();
    let is_update = |facts: &Facts, at: usize| {
        facts.name(at).is_some_and(|name| !["return", "let", "static", "fun"].contains(&name)) && facts.is_symbol(at + 1, "(")
    };
    let local = keyword("fun")
        .ignore_then(name(facts, "the name of the func"))
        .then(indices(facts).delimited_by(symbol("("), symbol(")")))
        .then(body(facts, rules))
        .map_with(|((name, (variables, rest)), body), e| {
            BodyPart::Fun(LocalFun { name, variables, rest, body, span: facts.range(e.span()) })
        });
    let update = update(facts, rules).map_with(|update, e| BodyPart::Update(update, facts.range(e.span())));
    let own = choice((look(facts, is_fun).ignore_then(local), look(facts, is_update).ignore_then(update)));
    body_with(facts, rules, Some(own.boxed()))
}

fn body_with<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>, own: Option<Rule<'t, BodyPart>>) -> Rule<'t, Vec<BodyPart>> {
    let short = symbol("=")
        .ignore_then(values(facts, rules))
        .then_ignore(end_of_value(facts))
        .map(|values| vec![BodyPart::Return(values)]);
    let result = word("return").ignore_then(values(facts, rules)).then_ignore(end_of_value(facts)).map(BodyPart::Return);
    let definition = local(facts, rules).map(BodyPart::Let);
    let condition = rules.conditional.clone();
    let parts = recursive(move |parts| {
        let part = choice((
            static_if(facts, condition, parts).map_with(|made, e| BodyPart::StaticIf(made, facts.range(e.span()))),
            definition,
            result,
        ));
        let part = match own {
            Some(own) => choice((own, part)).boxed(),
            None => part.boxed(),
        };
        let many = look(facts, |facts, at| !facts.is_symbol(at, "}"))
            .ignore_then(part.clone())
            .repeated()
            .collect::<Vec<_>>()
            .delimited_by(silent("{"), symbol("}"));
        choice((many, part.map(|part| vec![part])))
    });
    let long = look(facts, |facts, at| facts.is_symbol(at, "{")).ignore_then(parts);
    let neither = look(facts, |facts, at| !facts.is_symbol(at, "{")).ignore_then(symbol("{")).to(Vec::new());
    choice((long, short, neither)).boxed()
}

/// `static if (c) { … } else { … }`
fn static_if<'t, T: 't>(
    facts: &'t Facts<'t>,
    condition: Rule<'t, Expr>,
    parts: impl Parser<'t, &'t [super::Token], Vec<T>, extra::Err<Failure>> + Clone + 't,
) -> Rule<'t, StaticIf<T>> {
    look(facts, |facts, at| is_static(facts, at, "if"))
        .ignore_then(keyword("static"))
        .ignore_then(choose(condition, parts))
        .boxed()
}

/// `if (c) { … } else { … }`
fn choose<'t, T: 't>(
    condition: Rule<'t, Expr>,
    parts: impl Parser<'t, &'t [super::Token], Vec<T>, extra::Err<Failure>> + Clone + 't,
) -> Rule<'t, StaticIf<T>> {
    keyword("if")
        .ignore_then(condition.delimited_by(symbol("("), symbol(")")))
        .then(parts.clone())
        .then(keyword("else").ignore_then(parts).or_not().map(Option::unwrap_or_default))
        .map(|((condition, then), otherwise)| StaticIf { condition, then, otherwise })
        .boxed()
}

fn is_static(facts: &Facts, at: usize, word: &str) -> bool {
    facts.name(at) == Some("static") && facts.name(at + 1) == Some(word)
}

fn fun<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, PipelinePartKind> {
    let variables = list(name(facts, "a pure variable")).delimited_by(symbol("("), symbol(")"));
    keyword("fun")
        .ignore_then(name(facts, "the name of the func"))
        .then(members(facts, rules))
        .then(variables)
        .then(body(facts, rules))
        .map(|(((name, members), variables), body)| PipelinePartKind::Fun(Fun { name, members, variables, body }))
        .boxed()
}

/// `[k = 1 .. J]`, `[0]`, or nothing.
fn members<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Vec<Member>> {
    let is_range = |facts: &Facts, at: usize| facts.name(at).is_some() && facts.is_symbol(at + 1, "=");
    let member = choice((
        look(facts, is_range).ignore_then(range(facts, rules.conditional.clone())).map(Member::Each),
        look(facts, move |facts, at| !is_range(facts, at)).ignore_then(rules.conditional.clone()).map(Member::One),
    ));
    list(member).delimited_by(silent("["), symbol("]")).or_not().map(Option::unwrap_or_default).boxed()
}

/// Names of indices, and `...` as the last of them.
fn indices<'t>(facts: &'t Facts<'t>) -> Rule<'t, (Vec<Name>, Option<Span>)> {
    let index = choice((silent("...").map_with(|(), e| Err(facts.range(e.span()))), name(facts, "an index").map(Ok)));
    list(index)
        .validate(|list, e, emitter| {
            let (span, count): (SimpleSpan, usize) = (e.span(), list.len());
            let (mut variables, mut rest) = (Vec::new(), None);
            for (k, index) in list.into_iter().enumerate() {
                match index {
                    Ok(name) => variables.push(name),
                    Err(at) if k + 1 < count => {
                        let message = "`...` stands for the remaining indices, behind all others";
                        emitter.emit(Failure::special(span.start, &codes::UNEXPECTED_TOKEN, at, message));
                    }
                    Err(at) => rest = Some(at),
                }
            }
            (variables, rest)
        })
        .boxed()
}

/// A definition that takes funcs, from its word on.
pub(super) fn definition<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Definition> {
    let is_typed = |facts: &Facts, at: usize| facts.name(at).is_some() && facts.name(at + 1).is_some();
    let typed = look(facts, is_typed).ignore_then(rules.types.ty.clone()).or_not();
    let parameter =
        typed.then(name(facts, "the name of the parameter")).map(|(ty, name)| DefinitionParameter { ty, name }).boxed();
    keyword("fun")
        .ignore_then(name(facts, "the name of the definition"))
        .then(list(parameter).delimited_by(symbol("("), symbol(")")))
        .then_ignore(refused(facts, &["=", "{"], takes_no_funcs))
        .then(indices(facts).delimited_by(symbol("("), symbol(")")))
        .then(body_of_definition(facts, rules))
        .map_with(|(((name, parameters), (variables, rest)), body), e| {
            let span = facts.range(e.span());
            Definition { name, parameters, variables, rest, body, span }
        })
        .boxed()
}

fn end_of_value<'t>(facts: &'t Facts<'t>) -> Rule<'t, ()> {
    semicolon(facts, "value", "`;` after this value")
}

/// What an update begins with, and its rule.
fn update<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Update> {
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
    let rest = silent("...").map_with(|(), e| facts.new_expression(ExprKind::Rest, facts.range(e.span())));
    let index = choice((rest, rules.conditional.clone())).boxed();
    let rule = name(facts, "the name of a func")
        .then(members(facts, rules))
        .then(list(index).delimited_by(symbol("("), symbol(")")))
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
        .map(|(rdom, (lets, (((((name, members), indices), op), values), condition)))| Update {
            rdom,
            lets,
            name,
            members,
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
    let is_fixed = |facts: &Facts, at: usize| ["if", "for", "assert"].iter().any(|word| is_static(facts, at, word));
    let condition = rules.conditional.clone();
    let assertion = assertion(facts, rules).map(PipelinePartKind::StaticAssert);
    let (fun, definition, update, local) =
        (fun(facts, rules), definition(facts, rules), update(facts, rules).map(PipelinePartKind::Update), local(facts, rules));
    let types = rules.types.ty.clone();
    let part = recursive(move |part| {
        let many = look(facts, |facts, at| !facts.is_symbol(at, "}"))
            .ignore_then(part.clone())
            .repeated()
            .collect::<Vec<_>>()
            .delimited_by(silent("{"), symbol("}"));
        let parts = choice((many, part.map(|part| vec![part]))).boxed();
        let is_typed = |facts: &Facts, at: usize| facts.name(at).is_some() && facts.name(at + 1).is_some();
        let index = look(facts, is_typed).ignore_then(types).or_not().then(range(facts, condition.clone()));
        let repeated = look(facts, |facts, at| is_static(facts, at, "for"))
            .ignore_then(keyword("static"))
            .ignore_then(keyword("for"))
            .ignore_then(index.delimited_by(symbol("("), symbol(")")))
            .then(parts.clone())
            .map(|((ty, range), body)| PipelinePartKind::StaticFor(StaticFor { ty, range, body }));
        let kind = choice((
            static_if(facts, condition, parts).map(PipelinePartKind::StaticIf),
            repeated,
            assertion,
            look(facts, is_definition).ignore_then(definition).map(PipelinePartKind::Definition),
            look(facts, move |facts, at| is_fun(facts, at) && !is_definition(facts, at)).ignore_then(fun),
            look(facts, is_let).ignore_then(local).map(PipelinePartKind::Let),
            look(facts, move |facts, at| !is_fun(facts, at) && !is_let(facts, at) && !is_fixed(facts, at)).ignore_then(update),
        ));
        let part = kind.map_with(|kind, e| PipelinePart { kind, span: facts.range(e.span()) });
        let skipped = skip_statement(facts).map(|range| PipelinePart { kind: PipelinePartKind::Error, span: facts.range(range) });
        part.recover_with(via_parser(skipped))
    });
    let parts = look(facts, |facts, at| !facts.is_symbol(at, "}"))
        .ignore_then(part)
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
    let member = list(rules.conditional.clone()).delimited_by(silent("["), symbol("]"));
    let chain = name(facts, "the name of a func")
        .then(member.or_not().map(Option::unwrap_or_default))
        .then(link.repeated().at_least(1).collect())
        .then_ignore(semicolon(facts, "directive", "`;` after these directives"))
        .map_with(|((func, members), links), e| DirectiveChain { func, members, links, span: facts.range(e.span()) })
        .boxed();
    let condition = rules.conditional.clone();
    let parts = recursive(move |parts| {
        let repeated = keyword("for")
            .ignore_then(range(facts, condition.clone()).delimited_by(symbol("("), symbol(")")))
            .then(parts.clone())
            .map(|(range, body)| SchedulePart::For(Box::new(StaticFor { ty: None, range, body })));
        let chosen = choose(condition, parts.boxed()).map(|chosen| SchedulePart::If(Box::new(chosen)));
        let is_word = |facts: &Facts, at: usize| matches!(facts.name(at), Some("for" | "if"));
        let part = choice((
            repeated,
            chosen,
            look(facts, move |facts, at| !is_word(facts, at)).ignore_then(chain).map(SchedulePart::Chain),
        ))
        .map(Some);
        let part = part.recover_with(via_parser(skip_statement(facts).to(None))).boxed();
        let many = look(facts, |facts, at| !facts.is_symbol(at, "}"))
            .ignore_then(part.clone())
            .repeated()
            .collect::<Vec<Option<SchedulePart>>>()
            .delimited_by(silent("{"), symbol("}"))
            .map(|parts| parts.into_iter().flatten().collect::<Vec<_>>());
        choice((many, part.map(|part| part.into_iter().collect())))
    });
    let parts = look(facts, |facts, at| facts.is_symbol(at, "{")).ignore_then(parts);
    keyword("schedule")
        .ignore_then(name(facts, "the name of the pipeline"))
        .then_ignore(refused(facts, &["{"], belongs_to_no_pipeline))
        .then_ignore(symbol("."))
        .then(name(facts, "the name of the schedule"))
        .then(parts)
        .map(|((pipeline, name), parts)| ItemKind::Schedule(Schedule { pipeline, name, parts }))
        .boxed()
}

/// Says more than what was expected where one of these words stands.
fn refused<'t>(facts: &'t Facts<'t>, words: &'static [&'static str], why: fn(&Facts, usize) -> Failure) -> Rule<'t, ()> {
    custom(move |input: &mut Input<'t, '_>| {
        let at = position(input);
        if words.iter().any(|word| facts.is_symbol(at, word)) { Err(why(facts, at)) } else { Ok(()) }
    })
    .boxed()
}

/// `fun half(x) = x / 2;` in a file.
fn takes_no_funcs(facts: &Facts, at: usize) -> Failure {
    let message = "the definition of a file takes funcs, and then indices";
    let failure = Failure::special(at, &codes::UNEXPECTED_TOKEN, facts.span(at), message);
    let help = "what takes numbers alone is a function with types, as in C; what is computed at points is a fun of a pipeline";
    failure.with_help(help, Vec::new())
}

/// `schedule s { … }`, of the pipeline in front of it.
fn belongs_to_no_pipeline(facts: &Facts, at: usize) -> Failure {
    let message = "a schedule is of a pipeline, whose name and a dot stand in front of its own";
    let failure = Failure::special(at, &codes::UNEXPECTED_TOKEN, facts.span(at), message);
    let begins = (0..at).rev().find(|&k| facts.name(k) == Some("pipeline") && facts.name(k + 1).is_some());
    match begins.and_then(|k| facts.name(k + 1)) {
        Some(pipeline) => failure
            .with_help("write the name of the pipeline in front", vec![Edit::before(facts.span(at - 1), format!("{pipeline}."))]),
        None => failure,
    }
}
