//! Statements.
//!
//! ```text
//! block     = '{' statement* '}'
//! statement = attribute* (';' | block | declaration | expression ';'
//!           | 'if' '(' expression ')' statement ('else' statement)?
//!           | 'while' '(' expression ')' statement | 'do' statement 'while' '(' expression ')' ';'
//!           | 'for' '(' (declaration | expression? ';') expression? ';' expression? ')' statement
//!           | 'parallel'? 'foreach' '(' (type NAME '=' conditional '..' conditional), … ')' statement
//!           | 'parallel'? 'foreach' '(' type NAME ':' expression ')' statement
//!           | 'foreach_active' '(' type NAME ')' statement | 'foreach_unique' '(' type NAME ':' expression ')' statement
//!           | 'switch' '(' expression ')' '{' ((('case' conditional | 'default') ':')+ statement*)* '}'
//!           | 'static' 'if' '(' expression ')' statement ('else' statement)? | assertion
//!           | 'static' 'for' '(' type NAME '=' conditional '..' conditional ')' statement
//!           | 'scalar' statement | 'break' ';' | 'continue' ';' | 'return' expression? ';' | 'delete' expression ';')
//! assertion = 'static' 'assert' '(' conditional (',' STRING+)? ')' ';'
//! declaration = 'scratch'? base declarator, … ';'
//! ```

use super::attributes::{self, attributes};
use super::expressions::Expressions;
use super::primitives::{accept, keyword, look, name, required, silent, skip_statement, symbol};
use super::semicolon::semicolon;
use super::types::{declarator, is_certain, is_foreign, local_tail};
use super::{Expected, Facts, Rule};
use crate::source::Span;
use crate::syntax::ast::{Assertion, Block, Declaration, Expr, ForeachIndex, Statement, StatementKind, SwitchCase, SwitchLabel};
use crate::syntax::token::TokenKind;
use crate::syntax::words::is_reserved;
use chumsky::prelude::*;

/// Does a declaration begin here? A name that the file does not declare may come from an import: then what follows decides.
pub(super) fn is_declaration(facts: &Facts, at: usize) -> bool {
    if is_static_assert(facts, at) {
        return false;
    }
    if facts.name(at) == Some("scratch") || is_certain(facts, at) {
        return true;
    }
    if facts.name(at).is_none_or(is_reserved) {
        return false;
    }
    if is_foreign(facts, at) {
        return true;
    }
    match facts.name(at + 1) {
        Some("block" | "scalar" | "varying" | "uniform") => return true,
        Some(next) => return !is_reserved(next),
        None => {}
    }
    let pointer = facts.is_symbol(at + 1, "*") || facts.is_symbol(at + 1, "&");
    let ends = |at: usize| ["=", ";", ",", "["].iter().any(|s| facts.is_symbol(at, s));
    pointer
        && match facts.name(at + 2) {
            Some("scalar" | "block" | "varying" | "uniform" | "const" | "restrict") => true,
            Some(name) => !is_reserved(name) && ends(at + 3),
            None => facts.is_symbol(at + 2, "*") && facts.name(at + 3).is_some() && ends(at + 4),
        }
}

/// `scratch int x = 1, *p;`
pub(super) fn declaration<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Declaration> {
    let tail = local_tail(rules.expression.clone(), rules.initializer.clone());
    let declarators =
        declarator(facts, rules.types.layers.clone(), tail).separated_by(silent(",")).at_least(1).collect::<Vec<_>>();
    keyword("scratch")
        .or_not()
        .then(rules.types.base.clone())
        .then(declarators)
        .then_ignore(semicolon(facts, "declaration", "`;` after this declaration"))
        .map_with(|((scratch, base), declarators), e| Declaration {
            variables: declarators.into_iter().map(|d| d.variable(&base, facts)).collect(),
            scratch: scratch.is_some(),
            span: facts.range(e.span()),
        })
        .boxed()
}

/// `{ statements }`, of which broken ones are reported and skipped.
fn block_of<'t>(facts: &'t Facts<'t>, statement: Rule<'t, Statement>) -> Rule<'t, Block> {
    let skipped = skip_statement(facts).map(|range| facts.new_statement(StatementKind::Error, facts.range(range)));
    statement
        .recover_with(via_parser(skipped))
        .repeated()
        .collect()
        .delimited_by(symbol("{"), symbol("}"))
        .map_with(|statements, e| Block { statements, span: facts.range(e.span()) })
        .boxed()
}

/// A block with all that it may contain.
pub(super) fn block<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Block> {
    let declaration = declaration(facts, rules);
    let expression = rules
        .expression
        .clone()
        .then_ignore(semicolon(facts, "expression", "`;` after this expression"))
        .map(StatementKind::Expression);
    let list = attributes(facts);
    let statement = recursive(|statement| {
        let any = statement.boxed();
        let kind = choice((
            look(facts, is_declaration).ignore_then(declaration.clone()).map(StatementKind::Declaration),
            look(facts, |facts, at| !is_declaration(facts, at)).ignore_then(choice((
                block_of(facts, any.clone()).map(StatementKind::Block),
                silent(";").to(StatementKind::Empty),
                conditional(facts, rules, any.clone()),
                loops(facts, rules, declaration, any.clone()),
                foreach(facts, rules, any.clone()),
                switch(facts, rules, any.clone()),
                staged(facts, rules, any.clone()),
                keyword("scalar").ignore_then(any).map(|body| StatementKind::Scalar(Box::new(body))),
                jumps(facts, rules),
                expression,
            ))),
        ));
        // What is wrong with attributes is not said of a blend.
        let plain = look(facts, |facts, at| !attributes::begin(facts, at)).ignore_then(kind);
        let plain = plain.map_with(|kind, e| facts.new_statement(kind, facts.range(e.span())));
        list.clone().then(plain).map(|(attributes, statement)| Statement { attributes, ..statement })
    });
    block_of(facts, statement.boxed())
}

fn parenthesized<'t>(rules: &Expressions<'t>) -> Rule<'t, Expr> {
    rules.expression.clone().delimited_by(symbol("("), symbol(")")).boxed()
}

/// A chain of `else if` is read in a loop, so that it may be long.
fn conditional<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>, statement: Rule<'t, Statement>) -> Rule<'t, StatementKind> {
    let branch = keyword("if").map_with(|(), e| facts.range(e.span())).then(parenthesized(rules)).then(statement.clone());
    let is_else_if = |facts: &Facts, at: usize| facts.name(at) == Some("else") && facts.name(at + 1) == Some("if");
    let links = look(facts, is_else_if).ignore_then(keyword("else")).ignore_then(branch.clone()).repeated().collect::<Vec<_>>();
    let last = keyword("else").ignore_then(statement);
    branch
        .then(links)
        .then(last.or_not())
        .map(|((first, links), last)| {
            let mut otherwise = last.map(Box::new);
            for ((start, condition), then) in links.into_iter().rev() {
                let end = otherwise.as_ref().map_or(then.span, |otherwise| otherwise.span);
                let kind = StatementKind::If { condition, then: Box::new(then), otherwise };
                otherwise = Some(Box::new(facts.new_statement(kind, start.to(end))));
            }
            let ((_, condition), then) = first;
            StatementKind::If { condition, then: Box::new(then), otherwise }
        })
        .boxed()
}

fn loops<'t>(
    facts: &'t Facts<'t>,
    rules: &Expressions<'t>,
    declaration: Rule<'t, Declaration>,
    statement: Rule<'t, Statement>,
) -> Rule<'t, StatementKind> {
    let body = statement.map(Box::new).boxed();
    let while_loop = keyword("while")
        .ignore_then(parenthesized(rules))
        .then(body.clone())
        .map(|(condition, body)| StatementKind::While { condition, body });
    let do_loop = keyword("do")
        .ignore_then(body.clone())
        .then_ignore(required("while", Expected::Rule("`while` after the body of `do`")))
        .then(parenthesized(rules))
        .then_ignore(semicolon(facts, "condition", "`;` after this condition"))
        .map(|(body, condition)| StatementKind::DoWhile { body, condition });
    let expression = || rules.expression.clone().or_not();
    let init = choice((
        look(facts, is_declaration).ignore_then(declaration).map(StatementKind::Declaration),
        silent(";").to(StatementKind::Empty),
        rules.expression.clone().then_ignore(symbol(";")).map(StatementKind::Expression),
    ))
    .map_with(|kind, e| Box::new(facts.new_statement(kind, facts.range(e.span()))));
    let head = init.then(expression()).then_ignore(symbol(";")).then(expression()).delimited_by(symbol("("), symbol(")"));
    let for_loop = keyword("for").ignore_then(head).then(body).map(|(((init, condition), step), body)| StatementKind::For {
        init,
        condition,
        step,
        body,
    });
    choice((while_loop, for_loop, do_loop)).boxed()
}

/// Does `static assert(` stand here?
pub(super) fn is_static_assert(facts: &Facts, at: usize) -> bool {
    facts.name(at) == Some("static") && facts.name(at + 1) == Some("assert") && facts.is_symbol(at + 2, "(")
}

/// `static assert(condition, "text");`
pub(super) fn assertion<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Assertion> {
    let text = accept(Some(Expected::Rule("a text in quotes")), |kind| match kind {
        TokenKind::String(text) => Some(text.as_str()),
        _ => None,
    });
    let text = text.repeated().at_least(1).collect::<String>();
    let inside = rules.conditional.clone().then(silent(",").ignore_then(text).or_not());
    look(facts, is_static_assert)
        .ignore_then(keyword("static"))
        .ignore_then(keyword("assert"))
        .ignore_then(inside.delimited_by(symbol("("), symbol(")")))
        .then_ignore(semicolon(facts, "assertion", "`;` after this assertion"))
        .map(|(condition, message)| Assertion { condition, message })
        .boxed()
}

/// What is decided while compiling. The word is one only here.
fn staged<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>, statement: Rule<'t, Statement>) -> Rule<'t, StatementKind> {
    let word = |word: &'static str| {
        let begins = move |facts: &Facts, at: usize| facts.name(at) == Some("static") && facts.name(at + 1) == Some(word);
        look(facts, begins).ignore_then(keyword("static")).ignore_then(keyword(word))
    };
    let body = statement.map(Box::new).boxed();
    let otherwise = keyword("else").ignore_then(body.clone()).or_not();
    let conditional = word("if").ignore_then(parenthesized(rules)).then(body.clone()).then(otherwise);
    let conditional = conditional.map(|((condition, then), otherwise)| StatementKind::StaticIf { condition, then, otherwise });
    let index = index(facts, rules).delimited_by(symbol("("), symbol(")"));
    let repeated = word("for").ignore_then(index).then(body);
    let repeated = repeated.map(|(index, body)| StatementKind::StaticFor { index: Box::new(index), body });
    choice((conditional, repeated, assertion(facts, rules).map(StatementKind::StaticAssert))).boxed()
}

/// `int i = a .. b`
fn index<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, ForeachIndex> {
    let typed = rules.types.ty.clone().then(name(facts, "the name of the index"));
    typed
        .then_ignore(symbol("="))
        .then(rules.conditional.clone())
        .then_ignore(symbol(".."))
        .then(rules.conditional.clone())
        .map_with(|(((ty, name), low), high), e| ForeachIndex { ty, name, low, high, span: facts.range(e.span()) })
        .boxed()
}

/// What follows the name of the first variable of a `foreach`.
enum Visited {
    Ranges { low: Expr, high: Expr, more: Vec<ForeachIndex> },
    Elements(Expr),
}

fn foreach<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>, statement: Rule<'t, Statement>) -> Rule<'t, StatementKind> {
    let body = statement.map(Box::new).boxed();
    let ty = || rules.types.ty.clone();
    let index = index(facts, rules);
    let parallel = keyword("parallel").map_with(|(), e| facts.range(e.span()));
    let range = symbol("=").ignore_then(rules.conditional.clone()).then_ignore(symbol("..")).then(rules.conditional.clone());
    let more = silent(",").ignore_then(index).repeated().collect::<Vec<ForeachIndex>>();
    let over = choice((
        silent(":").ignore_then(rules.expression.clone()).map(Visited::Elements),
        range.then(more).map(|((low, high), more)| Visited::Ranges { low, high, more }),
    ));
    let over = ty().then(name(facts, "the name of the index")).then(over).delimited_by(symbol("("), symbol(")"));
    let ranges = choice((
        parallel.then_ignore(required("foreach", Expected::Rule("`foreach` after `parallel`"))).map(Some),
        keyword("foreach").to(None),
    ))
    .then(over)
    .then(body.clone())
    .map(|((parallel, ((ty, name), visited)), body)| match visited {
        Visited::Elements(value) => StatementKind::ForeachElement { parallel, ty, name, value, body },
        Visited::Ranges { low, high, more } => {
            let span = Span { end: high.span.end, ..ty.span };
            let first = ForeachIndex { ty, name, low, high, span };
            StatementKind::Foreach { parallel, indices: std::iter::once(first).chain(more).collect(), body }
        }
    });
    let active = keyword("foreach_active")
        .ignore_then(ty().then(name(facts, "the name of the lane")).delimited_by(symbol("("), symbol(")")))
        .then(body.clone())
        .map(|((ty, name), body)| StatementKind::ForeachActive { ty, name, body });
    let value = ty().then(name(facts, "the name of the value")).then_ignore(symbol(":")).then(rules.expression.clone());
    let unique = keyword("foreach_unique")
        .ignore_then(value.delimited_by(symbol("("), symbol(")")))
        .then(body)
        .map(|(((ty, name), value), body)| StatementKind::ForeachUnique { ty, name, value, body });
    choice((ranges, active, unique)).boxed()
}

fn switch<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>, statement: Rule<'t, Statement>) -> Rule<'t, StatementKind> {
    let label = choice((
        required("case", Expected::Word("case")).ignore_then(rules.conditional.clone()).map(Some),
        required("default", Expected::Word("default")).to(None),
    ))
    .map_with(|value, e| SwitchLabel { value, span: facts.range(e.span()) })
    .then_ignore(symbol(":"));
    let is_statement =
        |facts: &Facts, at: usize| !matches!(facts.name(at), Some("case" | "default")) && !facts.is_symbol(at, "}");
    let statements = look(facts, is_statement).ignore_then(statement).repeated().collect();
    let case = label.repeated().at_least(1).collect().then(statements).map_with(|(labels, statements), e| SwitchCase {
        labels,
        statements,
        span: facts.range(e.span()),
    });
    keyword("switch")
        .ignore_then(parenthesized(rules))
        .then(case.repeated().collect().delimited_by(symbol("{"), symbol("}")))
        .map(|(value, cases)| StatementKind::Switch { value, cases })
        .boxed()
}

fn jumps<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, StatementKind> {
    let end = |after, expected| semicolon(facts, after, expected);
    let is_over = |facts: &Facts, at: usize| facts.is_symbol(at, ";") || facts.is_symbol(at, "}");
    let value = choice((look(facts, is_over).to(None), rules.expression.clone().map(Some)));
    choice((
        keyword("return").ignore_then(value).then_ignore(end("`return`", "`;` after this `return`")).map(StatementKind::Return),
        keyword("break").then_ignore(end("`break`", "`;` after this `break`")).to(StatementKind::Break),
        keyword("continue").then_ignore(end("`continue`", "`;` after this `continue`")).to(StatementKind::Continue),
        keyword("delete")
            .ignore_then(rules.expression.clone())
            .then_ignore(end("`delete`", "`;` after this `delete`"))
            .map(StatementKind::Delete),
        keyword("else").ignore_then(super::primitives::refuse(|at| {
            let expected = "a statement (this `else` belongs to no `if`)";
            super::Failure::expected(at - 1, Expected::Rule(expected))
        })),
    ))
    .boxed()
}
