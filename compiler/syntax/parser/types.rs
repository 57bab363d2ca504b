//! Types and declarators.
//!
//! ```text
//! type       = base pointer*
//! base       = 'const'? ('varying' | 'uniform')? 'const'? (ELEMENT | 'void' | NAME arguments?) qualifier? 'const'?
//! arguments  = '<' (type | additive), … '>'
//! pointer    = ('*' | '&') qualifier? ('const' | 'restrict')*
//! qualifier  = 'block' ('[' expression ']')? | 'scalar' | 'uniform' | 'varying'
//! declarator = pointer* NAME ('[' expression? ']')* ('=' initializer)?
//! ```

use super::primitives::{accept, keyword, list, look, name, position, silent, symbol};
use super::{Expected, Facts, Failure, Rule};
use crate::diagnostics::codes;
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Name, Qualifier, TemplateArgument, Type, TypeKind, Variable};
use crate::syntax::token::TokenKind;
use crate::syntax::words::{element, is_reserved};
use chumsky::prelude::*;

/// How many levels of pointers a type may have.
const MAX_POINTERS: usize = 32;

/// Does a type begin at this token, whatever follows it?
pub(super) fn is_certain(facts: &Facts, at: usize) -> bool {
    let known = |name: &str| {
        matches!(name, "void" | "const" | "varying" | "uniform") || element(name).is_some() || facts.types.contains(name)
    };
    facts.name(at).is_some_and(known) || facts.is_generic_struct(at)
}

/// Is the argument of a template that begins here a type, whatever the parameter is?
fn is_type_argument(facts: &Facts, at: usize) -> bool {
    if is_certain(facts, at) {
        return true;
    }
    let ends = |at: usize| [",", ">", "*", "&"].iter().any(|symbol| facts.is_symbol(at, symbol));
    facts.name(at).is_some_and(|name| !is_reserved(name))
        && match facts.kind(at + 1) {
            TokenKind::Name(word) => matches!(&**word, "block" | "scalar" | "varying" | "uniform" | "const"),
            TokenKind::Symbol("*" | "&") => {
                ends(at + 2) || matches!(facts.name(at + 2), Some("scalar" | "block" | "const" | "restrict"))
            }
            _ => false,
        }
}

/// Is the argument of a template that begins here a name by itself?
fn is_lone_name(facts: &Facts, at: usize) -> bool {
    let ends = [",", ">"].iter().any(|symbol| facts.is_symbol(at + 1, symbol));
    ends && facts.name(at).is_some_and(|name| !is_reserved(name))
}

/// `<float, N - 1>`, from its `<` on.
pub(super) fn template_arguments<'t>(
    facts: &'t Facts<'t>,
    ty: Rule<'t, Type>,
    additive: Rule<'t, Expr>,
) -> Rule<'t, Vec<TemplateArgument>> {
    let lone = name(facts, "an argument of the template").map(|name| {
        let span = name.span;
        TemplateArgument::Name(facts.new_expression(ExprKind::Name(name), span))
    });
    let is_value = |facts: &Facts, at: usize| !is_type_argument(facts, at) && !is_lone_name(facts, at);
    let argument = choice((
        look(facts, is_type_argument).ignore_then(ty.map(TemplateArgument::Type)),
        look(facts, |facts, at| !is_type_argument(facts, at) && is_lone_name(facts, at)).ignore_then(lone),
        look(facts, is_value).ignore_then(additive.map(TemplateArgument::Value)),
    ));
    list(argument).delimited_by(symbol("<"), symbol(">")).boxed()
}

/// Is it a word of C's types that is none here, with something declared behind it?
pub(super) fn is_foreign(facts: &Facts, at: usize) -> bool {
    matches!(facts.name(at), Some("unsigned" | "signed" | "long" | "short" | "char")) && facts.name(at + 1).is_some()
}

/// One `*` or `&` with what follows it.
#[derive(Clone)]
pub(super) struct Layer {
    is_pointer: bool,
    qualifier: Qualifier,
    is_const: bool,
    is_restrict: bool,
    span: Span,
}

/// The rules for types.
#[derive(Clone)]
pub(super) struct Types<'t> {
    /// A type with all its `*` and `&`.
    pub ty: Rule<'t, Type>,
    /// A type up to the first `*`.
    pub base: Rule<'t, Type>,
    /// The `*` and `&` behind a type.
    pub layers: Rule<'t, Vec<Layer>>,
}

/// Builds the rules; `expression` is the length of a block, `additive` an argument of a template.
pub(super) fn types<'t>(facts: &'t Facts<'t>, expression: Rule<'t, Expr>, additive: Rule<'t, Expr>) -> Types<'t> {
    let ty = recursive(|ty| types_in(facts, expression.clone(), additive.clone(), ty.boxed()).ty).boxed();
    types_in(facts, expression, additive, ty)
}

/// The rules, given the one for the types among the arguments of templates.
fn types_in<'t>(
    facts: &'t Facts<'t>,
    expression: Rule<'t, Expr>,
    additive: Rule<'t, Expr>,
    argument: Rule<'t, Type>,
) -> Types<'t> {
    let arguments = template_arguments(facts, argument, additive);
    let qualifier = qualifier(facts, expression);
    let flag = |word| keyword(word).or_not().map(|found: Option<()>| found.is_some());
    let prefix = choice((
        keyword("varying").map_with(|(), e| Qualifier::Varying(facts.range(e.span()))),
        keyword("uniform").map_with(|(), e| Qualifier::Scalar(facts.range(e.span()))),
    ));
    let base = flag("const")
        .then(prefix.or_not())
        .then(flag("const"))
        .then(constructor(facts, arguments))
        .then(qualifier.clone())
        .then(flag("const"))
        .map_with(|(((((first, prefix), second), kind), written), third), e| {
            let qualifier = match written {
                Qualifier::Unbound => prefix.unwrap_or(Qualifier::Unbound),
                other => other,
            };
            Type { kind, qualifier, is_const: first | second | third, is_restrict: false, span: facts.range(e.span()) }
        })
        .boxed();
    let sign = accept(None, |kind| match kind {
        TokenKind::Symbol("*") => Some(true),
        TokenKind::Symbol("&") => Some(false),
        _ => None,
    });
    let after = choice((keyword("const").to(true), keyword("restrict").to(false))).repeated().collect::<Vec<bool>>();
    let layers = sign
        .then(qualifier)
        .then(after)
        .map_with(|((is_pointer, qualifier), after), e| Layer {
            is_pointer,
            qualifier,
            is_const: after.contains(&true),
            is_restrict: after.contains(&false),
            span: facts.range(e.span()),
        })
        .repeated()
        .collect::<Vec<Layer>>()
        .validate(|layers, e, emitter| {
            if layers.len() > MAX_POINTERS {
                let span: SimpleSpan = e.span();
                let message = format!("a type may have {MAX_POINTERS} levels of pointers");
                emitter.emit(Failure::special(span.start, &codes::NESTING_TOO_DEEP, facts.range(span), message));
                return Vec::new();
            }
            layers
        })
        .boxed();
    let ty = base.clone().then(layers.clone()).map(|(base, layers)| layered(base, layers)).boxed();
    Types { ty, base, layers }
}

/// A type inside of its pointers and references.
fn layered(base: Type, layers: Vec<Layer>) -> Type {
    layers.into_iter().fold(base, |inner, layer| {
        let span = inner.span.to(layer.span);
        let Layer { is_pointer, qualifier, is_const, is_restrict, span: _ } = layer;
        let inner = Box::new(inner);
        let kind = if is_pointer { TypeKind::Pointer(inner) } else { TypeKind::Reference(inner) };
        Type { kind, qualifier, is_const, is_restrict, span }
    })
}

fn constructor<'t>(facts: &'t Facts<'t>, arguments: Rule<'t, Vec<TemplateArgument>>) -> Rule<'t, TypeKind> {
    let arguments = choice((
        look(facts, |facts, at| facts.opens_arguments(at)).ignore_then(arguments).map(Some),
        look(facts, |facts, at| !facts.opens_arguments(at)).to(None),
    ));
    let word =
        custom(move |input: &mut chumsky::input::InputRef<'t, '_, &'t [crate::syntax::token::Token], extra::Err<Failure>>| {
            let at = position(input);
            let kind = match facts.name(at) {
                Some("void") => TypeKind::Void,
                Some(_) if is_foreign(facts, at) => {
                    let expected = "a type: integers are `int8` … `int64` and `uint8` … `uint64`";
                    return Err(Failure::expected(at, Expected::Rule(expected)));
                }
                Some(name) => match element(name) {
                    Some(element) => TypeKind::Element(element),
                    None if is_reserved(name) => return Err(Failure::expected(at, Expected::Rule("a type"))),
                    None => TypeKind::Named(Name { text: name.into(), span: facts.span(at) }, Vec::new()),
                },
                None => return Err(Failure::expected(at, Expected::Rule("a type"))),
            };
            input.skip();
            Ok(kind)
        });
    word.then(arguments)
        .map(|(kind, arguments)| match (kind, arguments) {
            (TypeKind::Named(name, _), Some(arguments)) => TypeKind::Named(name, arguments),
            (kind, _) => kind,
        })
        .boxed()
}

fn qualifier<'t>(facts: &'t Facts<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Qualifier> {
    let length = expression.delimited_by(silent("["), symbol("]"));
    choice((
        keyword("block").ignore_then(length.or_not()).map_with(|length, e| {
            let span = facts.range(e.span());
            length.map_or(Qualifier::Block(span), |length| Qualifier::BlockOf(Box::new(length), span))
        }),
        choice((keyword("scalar"), keyword("uniform"))).map_with(|(), e| Qualifier::Scalar(facts.range(e.span()))),
        keyword("varying").map_with(|(), e| Qualifier::Varying(facts.range(e.span()))),
        empty().to(Qualifier::Unbound),
    ))
    .boxed()
}

/// What a declarator adds to the base type.
#[derive(Clone)]
pub(super) struct Declarator {
    pub layers: Vec<Layer>,
    pub name: Name,
    pub tail: DeclaratorTail,
    /// From the name on.
    pub span: Span,
}

/// What follows the name in a declarator.
#[derive(Clone)]
pub(super) struct DeclaratorTail {
    shape: Shape,
    initializer: Option<Expr>,
}

/// The brackets of a declarator.
#[derive(Clone)]
enum Shape {
    /// `[4][n]`, or nothing.
    Array(Vec<Option<Expr>>),
    /// `[,]`, `[:]`
    View(usize),
    /// `[w, h]`, `[x0 : w]`
    Image(Vec<(Option<Expr>, Expr)>),
    /// `(n)`
    Elements(Box<Expr>),
}

impl Declarator {
    /// The variable, given what stands in front of its declarator.
    pub(super) fn variable(self, base: &Type, facts: &Facts) -> Variable {
        let Declarator { layers, name, tail: DeclaratorTail { shape, initializer }, span } = self;
        let ty = layered(base.clone(), layers);
        let (ty, dimensions, image, elements) = match shape {
            Shape::Array(dimensions) => (ty, dimensions, None, None),
            Shape::View(rank) => (facts.view(ty, rank), Vec::new(), None, None),
            Shape::Image(dimensions) => (facts.view(ty, dimensions.len()), Vec::new(), Some(dimensions), None),
            Shape::Elements(count) => (ty, Vec::new(), None, Some(count)),
        };
        Variable { id: facts.new_id(), ty, name, dimensions, image, elements, initializer, span }
    }
}

/// Puts the pointers of a function's result around it.
pub(super) fn result_type(base: Type, layers: Vec<Layer>) -> Type {
    layered(base, layers)
}

/// `[,]`, `[:]` behind a `[`: how many dimensions.
pub(super) fn view_rank<'t>() -> Rule<'t, usize> {
    let several = silent(",").repeated().at_least(1).count().map(|commas| commas + 1);
    choice((several, silent(":").to(1))).boxed()
}

/// `[4][n] = e`, `[,]`, `[:]`, `[w, h]`, `[x0 : w, y0 : h]`
pub(super) fn declarator_tail<'t>(expression: Rule<'t, Expr>, initializer: Rule<'t, Expr>) -> Rule<'t, DeclaratorTail> {
    // A bracket with a comma or a colon is that of an image.
    let dimension =
        expression.clone().then(silent(":").ignore_then(expression.clone()).or_not()).map(|(first, extent)| match extent {
            Some(extent) => (Some(first), extent),
            None => (None, first),
        });
    let image = dimension.separated_by(silent(",")).at_least(1).collect::<Vec<(Option<Expr>, Expr)>>();
    let first = choice((view_rank().map(Shape::View), image.map(Shape::Image), empty().to(Shape::Array(vec![None]))));
    let more = expression.or_not().delimited_by(silent("["), symbol("]")).repeated().collect::<Vec<_>>();
    let shape = first.delimited_by(silent("["), symbol("]")).then(more).map(|(first, more)| match first {
        // One extent without a minimum is the size of an array.
        Shape::Image(mut one) if one.len() == 1 && one[0].0.is_none() => {
            Shape::Array(std::iter::once(one.pop().map(|(_, size)| size)).chain(more).collect())
        }
        Shape::Array(first) => Shape::Array(first.into_iter().chain(more).collect()),
        other => other,
    });
    shape
        .or_not()
        .map(|shape| shape.unwrap_or(Shape::Array(Vec::new())))
        .then(silent("=").ignore_then(initializer).or_not())
        .map(|(shape, initializer)| DeclaratorTail { shape, initializer })
        .boxed()
}

/// That of a local variable, which may be `(n)`, too.
pub(super) fn local_tail<'t>(expression: Rule<'t, Expr>, initializer: Rule<'t, Expr>) -> Rule<'t, DeclaratorTail> {
    let elements = expression.clone().delimited_by(silent("("), symbol(")"));
    let elements = elements.map(|count| DeclaratorTail { shape: Shape::Elements(Box::new(count)), initializer: None });
    choice((elements, declarator_tail(expression, initializer))).boxed()
}

/// `*p[4] = e` behind a base type.
pub(super) fn declarator<'t>(
    facts: &'t Facts<'t>,
    layers: Rule<'t, Vec<Layer>>,
    tail: Rule<'t, DeclaratorTail>,
) -> Rule<'t, Declarator> {
    let named = name(facts, "a name").then(tail).map_with(|(name, tail), e| (name, tail, facts.range(e.span())));
    layers.then(named).map(|(layers, (name, tail, span))| Declarator { layers, name, tail, span }).boxed()
}
