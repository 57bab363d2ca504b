//! Items: what stands at the level of the file.
//!
//! ```text
//! file      = (DOC* attribute* template? item | ';')*
//! template  = 'template' '<' ('typename' NAME), … '>'
//! item      = 'import' STRING ';' | 'struct' NAME '{' declaration* '}' ';'?
//!           | 'enum' NAME (':' type)? '{' (NAME ('=' conditional)?), … '}' ';'? | 'typedef' base declarator ';'
//!           | 'extern' "C" (function | '{' function* '}') | 'export'? function | declaration | pipeline | schedule | definition
//! function  = type NAME '(' ('void' | parameter, …)? ')' (block | ';')
//! parameter = type NAME? ('[' expression? ']')?
//! ```

use super::attributes::attributes;
use super::expressions::{Expressions, expressions};
use super::pipelines::{begins_definition, definition, pipeline, schedule};
use super::primitives::{accept, keyword, list, look, name, required, silent, skip_declaration, symbol, symbol_for};
use super::semicolon::semicolon;
use super::statements::{block, declaration};
use super::types::{Declarator, declarator, declarator_tail, result_type, view_rank};
use super::{Expected, Facts, Failure, Rule};
use crate::diagnostics::codes;
use crate::source::Span;
use crate::syntax::ast::{Block, Declaration, Function, Item, ItemKind, Parameter, Type};
use crate::syntax::token::TokenKind;
use chumsky::prelude::*;

/// A file. Broken items are reported and skipped.
pub(super) fn file<'t>(facts: &'t Facts<'t>) -> Rule<'t, Vec<Item>> {
    let rules = expressions(facts);
    let parts = Parts { block: block(facts, &rules), declaration: declaration(facts, &rules), rules };
    let stray = || choice((silent("}"), silent(";"))).repeated();
    let skipped = choice((
        skip_declaration(facts).then_ignore(stray()).to(Vec::new()),
        // A closing brace that closes nothing.
        stray().at_least(1).to(Vec::new()),
    ));
    let nothing = silent(";").to(Vec::new());
    let more = look(facts, |facts, at| *facts.kind(at) != TokenKind::End);
    let item = choice((nothing, item(facts, &parts))).recover_with(via_parser(skipped));
    let doc = doc().repeated();
    let items = more.ignore_then(choice((doc.at_least(1).then(end()).to(Vec::new()), item)));
    items.repeated().collect::<Vec<Vec<Item>>>().then_ignore(end()).map(|items| items.into_iter().flatten().collect()).boxed()
}

/// The rules that items are made of.
struct Parts<'t> {
    rules: Expressions<'t>,
    declaration: Rule<'t, Declaration>,
    block: Rule<'t, Block>,
}

fn doc<'t>() -> Rule<'t, String> {
    accept(None, |kind| match kind {
        TokenKind::Doc(line) => Some(line.clone()),
        _ => None,
    })
    .boxed()
}

/// One item, or the functions of an `extern "C"` block.
fn item<'t>(facts: &'t Facts<'t>, parts: &Parts<'t>) -> Rule<'t, Vec<Item>> {
    let docs = || doc().repeated().collect::<Vec<String>>();
    let typename = required("typename", Expected::Word("typename"));
    let parameters = list(typename.ignore_then(name(facts, "a type parameter"))).delimited_by(symbol("<"), symbol(">"));
    let template = keyword("template").ignore_then(parameters).or_not().map(Option::unwrap_or_default);
    let ordinary = attributes(facts)
        .then(template)
        .then(kind(facts, parts))
        .map_with(|((attributes, template), kind), e| (attributes, template, kind, facts.range(e.span())));
    let ordinary = docs()
        .then(ordinary)
        .map(|(docs, (attributes, template, kind, span))| vec![Item { kind, span, docs, attributes, template }]);
    let c = accept(Some(Expected::Word("\"C\"")), |kind| matches!(kind, TokenKind::String(s) if s == "C").then_some(()));
    let external = keyword("extern").then(c).map_with(|_, e| facts.range(e.span()));
    let function = docs().then(declared_function(facts, parts).map_with(|function, e| (function, facts.range(e.span()))));
    let finish = |docs, function: Function, extern_c: Span, span| {
        let kind = ItemKind::Function(Function { extern_c: Some(extern_c), ..function });
        Item { kind, span, docs, attributes: Vec::new(), template: Vec::new() }
    };
    let many = function.repeated().collect::<Vec<_>>().delimited_by(symbol_for("{", Expected::Rule("a function")), symbol("}"));
    let one = declared_function(facts, parts).map_with(|function, e| (function, facts.range(e.span())));
    let external =
        docs().then(external).then(choice((many.map(Ok), one.map(Err)))).map(
            move |((docs, extern_c), functions)| match functions {
                Ok(many) => many.into_iter().map(|(docs, (function, span))| finish(docs, function, extern_c, span)).collect(),
                Err((function, span)) => vec![finish(docs, function, extern_c, extern_c.to(span))],
            },
        );
    choice((external, ordinary)).boxed()
}

fn kind<'t>(facts: &'t Facts<'t>, parts: &Parts<'t>) -> Rule<'t, ItemKind> {
    let rules = &parts.rules;
    let path = accept(Some(Expected::Rule("a file name in quotes")), |kind| match kind {
        TokenKind::String(path) => Some(path.clone()),
        _ => None,
    });
    let import = keyword("import")
        .ignore_then(path.map_with(|path, e| (path, facts.range(e.span()))))
        .then_ignore(semicolon(facts, "import", "`;` after this import"))
        .map(|(path, path_span)| ItemKind::Import { path, path_span });
    // A member that cannot be read is skipped like a statement.
    let member = parts.declaration.clone().map(|declaration| declaration.variables);
    let member = member.recover_with(via_parser(skip_declaration(facts).to(Vec::new())));
    let members = look(facts, |facts, at| !facts.is_symbol(at, "}")).ignore_then(member).repeated().collect::<Vec<_>>();
    let structure = keyword("struct")
        .ignore_then(name(facts, "the name of the struct"))
        .then(members.delimited_by(symbol("{"), symbol("}")))
        .then_ignore(silent(";").or_not())
        .map(|(name, members)| ItemKind::Struct { name, members: members.into_iter().flatten().collect() });
    let value = silent("=").ignore_then(rules.conditional.clone()).or_not();
    let constants = name(facts, "the name of a constant").then(value).separated_by(symbol(",")).allow_trailing().collect();
    let enumeration = keyword("enum")
        .ignore_then(name(facts, "the name of the enum"))
        .then(silent(":").ignore_then(rules.types.ty.clone()).or_not())
        .then(constants.delimited_by(symbol("{"), symbol("}")))
        .then_ignore(silent(";").or_not())
        .map(|((name, base), variants)| ItemKind::Enum { name, base, variants });
    let tail = declarator_tail(rules.expression.clone(), rules.initializer.clone());
    let typedef = keyword("typedef")
        .ignore_then(rules.types.base.clone().then(declarator(facts, rules.types.layers.clone(), tail)))
        .then_ignore(semicolon(facts, "type definition", "`;` after this type definition"))
        .map(move |(base, declarator)| ItemKind::Typedef { variable: declarator.variable(&base, facts) });
    let is_pipeline =
        |facts: &Facts, at: usize| matches!(facts.name(at), Some("pipeline" | "schedule")) && facts.name(at + 1).is_some();
    let core = choice((import, structure, enumeration, typedef, value_item(facts, parts)));
    choice((
        look(facts, is_pipeline).ignore_then(choice((pipeline(facts, rules), schedule(facts, rules)))),
        look(facts, begins_definition).ignore_then(definition(facts, rules)).map(ItemKind::Definition),
        look(facts, move |facts, at| !is_pipeline(facts, at) && !begins_definition(facts, at)).ignore_then(core),
    ))
    .boxed()
}

/// A function, or variables: the same up to what follows the first name.
fn value_item<'t>(facts: &'t Facts<'t>, parts: &Parts<'t>) -> Rule<'t, ItemKind> {
    enum Rest<T> {
        Function(Vec<Parameter>, Option<Block>),
        Variables(T, Vec<Declarator>),
    }
    let rules = &parts.rules;
    let tail = declarator_tail(rules.expression.clone(), rules.initializer.clone());
    let more = silent(",").ignore_then(declarator(facts, rules.types.layers.clone(), tail.clone())).repeated().collect();
    let end = semicolon(facts, "declaration", "`;` after this declaration");
    let function = signature_and_body(facts, parts).map(|(parameters, body)| Rest::Function(parameters, body));
    let variables = look(facts, |facts, at| !facts.is_symbol(at, "("))
        .ignore_then(tail.map_with(|tail, e| (tail, e.span())))
        .then(more)
        .then_ignore(end)
        .map(|(tail, more)| Rest::Variables(tail, more));
    let export = keyword("export").map_with(|(), e| facts.range(e.span())).or_not();
    let scratch = keyword("scratch").or_not();
    let head = rules.types.base.clone().then(rules.types.layers.clone());
    let named = name(facts, "a name").map_with(|name, e| (name, e.span()));
    export
        .then(scratch)
        .then(head)
        .then(named)
        .then(choice((function, variables)))
        .validate(|((((export, scratch), (base, layers)), (name, at)), rest), e, emitter| {
            let (span, at): (SimpleSpan, SimpleSpan) = (e.span(), at);
            match rest {
                Rest::Function(parameters, body) => {
                    let result = result_type(base, layers);
                    ItemKind::Function(Function { name, result, parameters, body, export, extern_c: None })
                }
                Rest::Variables((tail, tail_span), more) => {
                    if let Some(export) = export {
                        let message = "only functions are exported";
                        emitter.emit(Failure::special(span.start, &codes::UNEXPECTED_TOKEN, export, message));
                    }
                    let tail_span: SimpleSpan = tail_span;
                    let text = facts.range((at.start..tail_span.end.max(at.end)).into());
                    let first = Declarator { layers, name, tail, span: text };
                    let variables = std::iter::once(first).chain(more).map(|d| d.variable(&base, facts)).collect();
                    ItemKind::Global(Declaration { variables, scratch: scratch.is_some(), span: facts.range(span) })
                }
            }
        })
        .boxed()
}

/// A function with its result type, as in `extern "C"`.
fn declared_function<'t>(facts: &'t Facts<'t>, parts: &Parts<'t>) -> Rule<'t, Function> {
    let ty: Rule<'t, Type> = parts.rules.types.ty.clone();
    ty.then(name(facts, "the name of the function"))
        .then(signature_and_body(facts, parts))
        .map(|((result, name), (parameters, body))| Function { name, result, parameters, body, export: None, extern_c: None })
        .boxed()
}

/// Parameters in brackets, and a block or a `;`.
fn signature_and_body<'t>(facts: &'t Facts<'t>, parts: &Parts<'t>) -> Rule<'t, (Vec<Parameter>, Option<Block>)> {
    let rules = &parts.rules;
    let parameter = rules
        .types
        .ty
        .clone()
        .then(look(facts, |facts, at| facts.name(at).is_some()).ignore_then(name(facts, "the name of the parameter")).or_not())
        .then(
            choice((view_rank().map(Err), rules.expression.clone().or_not().map(|bound| Ok(bound.map(Box::new)))))
                .delimited_by(silent("["), symbol("]"))
                .or_not(),
        )
        .map_with(|((ty, name), shape), e| {
            let span = facts.range(e.span());
            match shape {
                Some(Err(rank)) => Parameter { ty: facts.view(ty, rank), name, array: None, span },
                Some(Ok(array)) => Parameter { ty, name, array: Some(array), span },
                None => Parameter { ty, name, array: None, span },
            }
        });
    let is_nothing = |facts: &Facts, at: usize| facts.name(at) == Some("void") && facts.is_symbol(at + 1, ")");
    let nothing = look(facts, is_nothing).ignore_then(keyword("void")).to(Vec::new());
    let parameters = parameter.separated_by(symbol(",")).allow_trailing().collect::<Vec<_>>();
    let declared = semicolon(facts, "function declaration", "`;` after this function declaration").to(None);
    let body = choice((
        look(facts, |facts, at| facts.is_symbol(at, "{")).ignore_then(parts.block.clone()).map(Some),
        look(facts, |facts, at| !facts.is_symbol(at, "{")).ignore_then(declared),
    ));
    choice((nothing, parameters)).delimited_by(symbol("("), symbol(")")).then(body).boxed()
}
