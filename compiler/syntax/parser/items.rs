//! Items: what stands at the level of the file.
//!
//! ```text
//! file      = (DOC* attribute* template? item | ';')*
//! template  = 'template' '<' ('typename' NAME ('=' type)? | type NAME ('=' additive)?), … '>'
//! item      = 'import' STRING ';' | 'struct' NAME '{' declaration* '}' ';'?
//!           | 'enum' NAME (':' type)? '{' (NAME ('=' conditional)?), … '}' ';'? | 'typedef' base declarator ';'
//!           | assertion | 'export' NAME ('<' (type | additive), … '>')? 'as' NAME ';'
//!           | 'extern' "C" (function | '{' function* '}') | 'export'? function | declaration | pipeline | schedule | definition | def
//! function  = type NAME '(' ('void' | parameter, …)? ')' (block | ';')
//! parameter = type NAME? ('[' expression? ']')?
//! ```

use super::attributes::attributes;
use super::expressions::{Expressions, expressions};
use super::pipelines::{begins_definition, definition, pipeline, schedule};
use super::primitives::{accept, keyword, look, name, required, silent, skip_declaration, symbol, symbol_for};
use super::semicolon::semicolon;
use super::statements::{assertion, block, declaration, is_static_assert};
use super::tensors::{begins_def, def};
use super::types::{Declarator, declarator, declarator_tail, result_type, template_arguments, view_rank};
use super::{Expected, Facts, Failure, Rule};
use crate::diagnostics::{Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{
    Block, Declaration, Export, Function, Item, ItemKind, Parameter, TemplateParameter, TemplateParameterKind, Type,
};
use crate::syntax::token::TokenKind;
use crate::syntax::words::is_reserved;
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
    let template = template(facts, &parts.rules).or_not().map(Option::unwrap_or_default);
    let ordinary =
        attributes(facts).then(template).then(kind(facts, parts)).validate(|((attributes, template), kind), e, emitter| {
            let span: SimpleSpan = e.span();
            if !template.is_empty() && !may_be_template(&kind) {
                let message = "a template is a function, a struct or a pipeline";
                emitter.emit(Failure::special(span.start, &codes::UNEXPECTED_TOKEN, template[0].span, message));
            }
            (attributes, template, kind, facts.range(span))
        });
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

/// `template <typename T, int N = 4>`
fn template<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, Vec<TemplateParameter>> {
    let default = silent("=").ignore_then(rules.types.ty.clone()).or_not();
    let ty = keyword("typename")
        .ignore_then(name(facts, "a type parameter"))
        .then(default)
        .map(|(name, default)| (name, TemplateParameterKind::Type { default }));
    let expected = Expected::Rule("`typename` or the type of a value");
    let is_typename = |facts: &Facts, at: usize| facts.name(at) == Some("typename");
    let default = silent("=").ignore_then(rules.additive.clone()).or_not();
    let value = look(facts, move |facts, at| !is_typename(facts, at))
        .ignore_then(look_for_name(facts, expected))
        .ignore_then(rules.types.ty.clone())
        .then(name(facts, "the name of the parameter"))
        .then(default)
        .map(|((ty, name), default)| (name, TemplateParameterKind::Value { ty, default }));
    let parameter = choice((look(facts, is_typename).ignore_then(ty), value)).map_with(|(name, kind), e| TemplateParameter {
        kind,
        name,
        span: facts.range(e.span()),
    });
    let parameters = parameter.separated_by(symbol(",")).at_least(1).collect::<Vec<_>>();
    keyword("template")
        .ignore_then(parameters.delimited_by(symbol("<"), symbol(">")))
        .validate(|parameters, e, emitter| {
            let (span, mut has_default): (SimpleSpan, bool) = (e.span(), false);
            for parameter in &parameters {
                if has_default && !parameter.has_default() {
                    let message = format!("`{}` has no default, and a parameter in front of it has one", parameter.name.text);
                    emitter.emit(Failure::special(span.start, &codes::UNEXPECTED_TOKEN, parameter.span, message));
                }
                has_default |= parameter.has_default();
            }
            parameters
        })
        .boxed()
}

/// Goes on in front of a name; else `expected` is missing.
fn look_for_name<'t>(
    facts: &'t Facts<'t>,
    expected: Expected,
) -> impl Parser<'t, &'t [super::Token], (), extra::Err<Failure>> + Clone {
    custom(move |input: &mut super::primitives::Input<'t, '_>| {
        let at = super::primitives::position(input);
        if facts.name(at).is_some() { Ok(()) } else { Err(Failure::expected(at, expected)) }
    })
}

fn may_be_template(kind: &ItemKind) -> bool {
    match kind {
        ItemKind::Function(_) | ItemKind::Struct { .. } | ItemKind::Pipeline(_) | ItemKind::Error => true,
        ItemKind::Import { .. }
        | ItemKind::Enum { .. }
        | ItemKind::Typedef { .. }
        | ItemKind::Global(_)
        | ItemKind::Schedule(_)
        | ItemKind::Definition(_)
        | ItemKind::Def(_)
        | ItemKind::Export(_)
        | ItemKind::StaticAssert(_) => false,
    }
}

/// Does `export f<T> as g;` begin here? The result of an exported function may be a generic struct.
fn is_export(facts: &Facts, at: usize) -> bool {
    let is_named = facts.name(at) == Some("export") && facts.name(at + 1).is_some_and(|name| !is_reserved(name));
    let is_plain = facts.name(at + 2) == Some("as") && facts.name(at + 3).is_some() && !facts.is_symbol(at + 3, "(");
    is_named && (facts.is_symbol(at + 2, "<") && !facts.is_generic_struct(at + 1) || is_plain)
}

/// `export blur<uint8> as blur_u8;`
fn export<'t>(facts: &'t Facts<'t>, rules: &Expressions<'t>) -> Rule<'t, ItemKind> {
    let is_open = |facts: &Facts, at: usize| facts.is_symbol(at, "<");
    let arguments = template_arguments(facts, rules.types.ty.clone(), rules.additive.clone());
    keyword("export")
        .ignore_then(name(facts, "the name of a template"))
        .then(look(facts, is_open).ignore_then(arguments).or_not())
        .then_ignore(required("as", Expected::Rule("`as` and a name")))
        .then(name(facts, "the name for other languages"))
        .then_ignore(semicolon(facts, "export", "`;` after this export"))
        .map(|((name, arguments), public)| ItemKind::Export(Export { name, arguments: arguments.unwrap_or_default(), public }))
        .boxed()
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
    let core = choice((
        import,
        structure,
        enumeration,
        typedef,
        look(facts, is_export).ignore_then(export(facts, rules)),
        assertion(facts, rules).map(ItemKind::StaticAssert),
        look(facts, |facts, at| !is_export(facts, at) && !is_static_assert(facts, at)).ignore_then(value_item(facts, parts)),
    ));
    let scheduled = choice((
        look(facts, is_pipeline).ignore_then(choice((pipeline(facts, rules), schedule(facts, rules)))),
        look(facts, begins_def).ignore_then(def(facts, rules)).map(ItemKind::Def),
    ))
    .boxed();
    let is_scheduled = move |facts: &Facts, at: usize| is_pipeline(facts, at) || begins_def(facts, at);
    let is_exported = move |facts: &Facts, at: usize| facts.name(at) == Some("export") && is_scheduled(facts, at + 1);
    let exported = keyword("export").map_with(|(), e| e.span()).then(scheduled.clone()).validate(
        |(at, item): (SimpleSpan, ItemKind), _, emitter| {
            let export = facts.range(at);
            let gap = Span { end: facts.range((at.end..at.end + 1).into()).start, ..export };
            let failure = Failure::special(at.start, &codes::UNEXPECTED_TOKEN, export, "this is exported anyway");
            emitter.emit(failure.with_help("leave out `export`: all schedules are", vec![Edit::replace(gap, "")]));
            item
        },
    );
    choice((
        look(facts, is_scheduled).ignore_then(scheduled),
        look(facts, is_exported).ignore_then(exported),
        look(facts, begins_definition).ignore_then(definition(facts, rules)).map(ItemKind::Definition),
        look(facts, move |facts, at| !is_scheduled(facts, at) && !is_exported(facts, at) && !begins_definition(facts, at))
            .ignore_then(core),
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
