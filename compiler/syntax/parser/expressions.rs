//! Expressions, by precedence as in C.
//!
//! ```text
//! expression  = assignment
//! assignment  = conditional (('=' | '+=' | …) (aggregate | assignment))?
//! conditional = binary ('?' assignment ':' conditional)?
//! binary      = unary (OPERATOR unary)*                                       ten levels
//! unary       = ('-' | '+' | '!' | '~' | '*' | '&' | '++' | '--' | '(' type ')') unary | postfix
//! postfix     = primary ('[' expression, … ']' | arguments | '.' NAME arguments? | '.' NUMBER | '->' NAME | '++' | '--')*
//! primary     = LITERAL | STRING+ | '(' expression ')' | '<' additive, … '>' | '[' assignment ',' assignment ']'
//!             | NAME ('<' (type | additive), … '>')? arguments? | 'new' type '[' expression ']'
//!             | NAME '(' assignment 'for' range, … ('if' conditional)? ')'
//!             | ('sizeof' | 'lengthof' | 'preferred_lengthof') '(' (type | assignment, …) ')'
//! arguments   = '(' ('...' | assignment ('..' assignment)?), … ')'
//! range       = NAME '=' conditional '..' conditional
//! initializer = aggregate | assignment
//! aggregate   = '{' (initializer, …)? '}'
//! ```

use super::primitives::{accept, keyword, list, look, name, silent, symbol, symbol_for};
use super::tensors::{is_conversion, is_in_body, is_own_type};
use super::types::{Types, is_certain, template_arguments, types};
use super::{Expected, Facts, Failure, Rule};
use crate::diagnostics::codes;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name, NewForm, Range, UnaryOp};
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::words::is_reserved;
use chumsky::input::MapExtra;
use chumsky::pratt::{infix, left};
use chumsky::prelude::*;

/// What a fold is given besides its operands.
type Extra<'t, 'b> = MapExtra<'t, 'b, &'t [Token], extra::Err<Failure>>;

/// What a missing operand is called.
const AN_EXPRESSION: Expected = Expected::Rule("an expression");

/// A binary operator with its precedence; a higher one binds tighter.
fn binary_operator(symbol: &str) -> Option<(BinaryOp, u16)> {
    Some(match symbol {
        "*" => (BinaryOp::Multiply, 10),
        "/" => (BinaryOp::Divide, 10),
        "%" => (BinaryOp::Remainder, 10),
        "+" => (BinaryOp::Add, 9),
        "-" => (BinaryOp::Subtract, 9),
        "<<" => (BinaryOp::ShiftLeft, 8),
        ">>" => (BinaryOp::ShiftRight, 8),
        "<" => (BinaryOp::Less, 7),
        "<=" => (BinaryOp::LessEqual, 7),
        ">" => (BinaryOp::Greater, 7),
        ">=" => (BinaryOp::GreaterEqual, 7),
        "==" => (BinaryOp::Equal, 6),
        "!=" => (BinaryOp::NotEqual, 6),
        "&" => (BinaryOp::BitAnd, 5),
        "^" => (BinaryOp::BitXor, 4),
        "|" => (BinaryOp::BitOr, 3),
        "&&" => (BinaryOp::And, 2),
        "||" => (BinaryOp::Or, 1),
        _ => return None,
    })
}

/// The operator of a compound assignment; `None` inside for `=`.
fn assignment_operator(symbol: &str) -> Option<Option<BinaryOp>> {
    if symbol == "=" {
        return Some(None);
    }
    let (op, precedence) = binary_operator(symbol.strip_suffix('=')?)?;
    (precedence != 7 && precedence != 6 && precedence > 2).then_some(Some(op))
}

/// The rules for expressions and for the types in them.
#[derive(Clone)]
pub(super) struct Expressions<'t> {
    /// Any expression.
    pub expression: Rule<'t, Expr>,
    /// One without an assignment.
    pub conditional: Rule<'t, Expr>,
    /// One whose operators are `+`, `-` and those that bind tighter.
    pub additive: Rule<'t, Expr>,
    /// What stands behind `=`: an expression or `{ … }`.
    pub initializer: Rule<'t, Expr>,
    /// Types.
    pub types: Types<'t>,
}

/// Builds the rules. Inside of a recursive rule its name is a weak reference; so what the outside needs of types and
/// initializers is built once more.
pub(super) fn expressions<'t>(facts: &'t Facts<'t>) -> Expressions<'t> {
    let expression = recursive(|assignment| {
        let assignment = assignment.boxed();
        let conditional = conditional(facts, assignment.clone());
        let assigns = accept(None, |kind| match kind {
            TokenKind::Symbol(symbol) => assignment_operator(symbol),
            _ => None,
        });
        let value = initializer(facts, assignment);
        conditional.then(assigns.then(value).or_not()).map(|(place, value)| match value {
            None => place,
            Some((op, value)) => {
                let span = place.span.to(value.span);
                facts.new_expression(ExprKind::Assign { op, place: Box::new(place), value: Box::new(value) }, span)
            }
        })
    })
    .boxed();
    let additive = additive(facts, expression.clone());
    Expressions {
        conditional: conditional(facts, expression.clone()),
        initializer: initializer(facts, expression.clone()),
        types: types(facts, expression.clone(), additive.clone()),
        additive,
        expression,
    }
}

/// An expression or `{ … }`
fn initializer<'t>(facts: &'t Facts<'t>, assignment: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let aggregate = recursive(|aggregate| {
        let part = choice((aggregate, assignment.clone())).boxed();
        list_or_trailing(part)
            .delimited_by(symbol_for("{", AN_EXPRESSION), symbol("}"))
            .map_with(|parts, e| facts.new_expression(ExprKind::Aggregate(parts), facts.range(e.span())))
    });
    choice((aggregate, assignment)).boxed()
}

/// `c ? a : b`
fn conditional<'t>(facts: &'t Facts<'t>, assignment: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let binary = binary(facts, assignment.clone());
    recursive(|conditional| {
        let branches = silent("?").ignore_then(assignment).then_ignore(symbol(":")).then(conditional);
        binary.then(branches.or_not()).map(|(condition, branches)| match branches {
            None => condition,
            Some((then, otherwise)) => {
                let otherwise: Expr = otherwise;
                let span = condition.span.to(otherwise.span);
                let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
                facts.new_expression(kind, span)
            }
        })
    })
    .boxed()
}

/// An operator with its operands.
fn folded<'t>(facts: &'t Facts<'t>) -> impl Fn(Expr, (BinaryOp, Span), Expr, &mut Extra<'t, '_>) -> Expr + Clone + 't {
    move |a, (op, place), b, _| {
        let span = a.span.to(b.span);
        facts.new_expression(ExprKind::Binary(op, Box::new(a), Box::new(b), place), span)
    }
}

/// The two levels of operators that bind tightest.
fn additive<'t>(facts: &'t Facts<'t>, assignment: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let level = |level: u16| infix(left(level), operator(facts, level), folded(facts));
    recursive(|additive| unary(facts, assignment, additive.boxed()).pratt((level(10), level(9)))).boxed()
}

/// Ten levels of operators, all from left to right.
fn binary<'t>(facts: &'t Facts<'t>, assignment: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let level = |level: u16| infix(left(level), operator(facts, level), folded(facts));
    additive(facts, assignment).pratt((level(8), level(7), level(6), level(5), level(4), level(3), level(2), level(1))).boxed()
}

fn unary<'t>(facts: &'t Facts<'t>, assignment: Rule<'t, Expr>, additive: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let types = types(facts, assignment.clone(), additive.clone());
    let operator = accept(Some(AN_EXPRESSION), |kind| match kind {
        TokenKind::Symbol("-") => Some(UnaryOp::Negate),
        TokenKind::Symbol("+") => Some(UnaryOp::Plus),
        TokenKind::Symbol("!") => Some(UnaryOp::Not),
        TokenKind::Symbol("~") => Some(UnaryOp::Complement),
        TokenKind::Symbol("*") => Some(UnaryOp::Dereference),
        TokenKind::Symbol("&") => Some(UnaryOp::AddressOf),
        _ => None,
    });
    let cast = types.ty.clone().delimited_by(look(facts, is_cast).ignore_then(silent("(")), symbol(")"));
    let postfix = postfix(facts, assignment, &types, additive);
    recursive(|unary| {
        let operand = || unary.clone().map(Box::new);
        choice((
            operator.then(operand()).map(|(op, operand)| ExprKind::Unary(op, operand)),
            step().then(operand()).map(|(delta, place)| ExprKind::Increment { delta, prefix: true, place }),
            cast.then(operand()).map(|(ty, operand)| ExprKind::Cast(ty, operand)),
        ))
        .map_with(|kind, e| facts.new_expression(kind, facts.range(e.span())))
        .or(postfix)
    })
    .boxed()
}

/// `a, b, c` or `a, b, c,` or nothing.
fn list_or_trailing<'t>(item: Rule<'t, Expr>) -> Rule<'t, Vec<Expr>> {
    item.separated_by(symbol(",")).allow_trailing().collect().boxed()
}

/// `++` or `--`
fn step<'t>() -> Rule<'t, i8> {
    accept(None, |kind| match kind {
        TokenKind::Symbol("++") => Some(1),
        TokenKind::Symbol("--") => Some(-1),
        _ => None,
    })
    .boxed()
}

/// Is `( …` a cast? A name that the file does not declare as a type may be one from an import: `(T*) x`, `(T block[4]) x`,
/// `(T) x` and `(T) 1`, but `(a) - b` and `(f)(x)` are not. Between the braces of a comprehension it is none.
fn is_cast(facts: &Facts, at: usize) -> bool {
    if !facts.is_symbol(at, "(") {
        return false;
    }
    if is_certain(facts, at + 1) || is_own_type(facts, at + 1) && facts.is_symbol(at + 2, ")") {
        return true;
    }
    // Behind `C(i) = (s)` a clause or the next statement may begin.
    if facts.name(at + 1).is_none_or(is_reserved) || is_in_body(facts, at) {
        return false;
    }
    if matches!(facts.name(at + 2), Some("block" | "scalar" | "varying" | "uniform")) {
        return true;
    }
    if facts.is_symbol(at + 2, "*") && facts.is_symbol(at + 3, ")") {
        return true;
    }
    facts.is_symbol(at + 2, ")")
        && match facts.kind(at + 3) {
            TokenKind::Name(name) => !is_reserved(name) || matches!(&**name, "true" | "false" | "null" | "new" | "lane_index"),
            TokenKind::Integer { .. } | TokenKind::Float { .. } | TokenKind::Character(_) => true,
            TokenKind::String(_) | TokenKind::Symbol(_) | TokenKind::Doc(_) | TokenKind::End => false,
        }
}

/// Do arguments follow a member of a family, or a definition with what it takes?
fn is_called(facts: &Facts, at: usize) -> bool {
    facts.is_symbol(at, "(") && at > 0 && (facts.is_symbol(at - 1, "]") || facts.is_symbol(at - 1, ")"))
}

/// What follows an operand.
enum Postfix {
    Index(Vec<Expr>),
    Apply(Vec<Expr>),
    Member(Name, Option<Vec<Expr>>),
    Component(usize),
    Arrow(Name),
    Step(i8),
}

fn postfix<'t>(facts: &'t Facts<'t>, expression: Rule<'t, Expr>, types: &Types<'t>, additive: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let member = || name(facts, "the name of a member");
    // `.0` is read as a number.
    let component = accept(None, |kind| match kind {
        TokenKind::Float { text, suffix: None } => text.strip_prefix('.').and_then(|digits| digits.parse().ok()),
        _ => None,
    });
    // `f.case(0)` chooses a specialization, as an argument of a directive.
    let case = keyword("case").map_with(|(), e| Name { text: "case".into(), span: facts.range(e.span()) });
    let arguments = arguments(facts, expression.clone()).delimited_by(silent("("), symbol(")"));
    let link = choice((
        expression
            .clone()
            .separated_by(symbol(","))
            .at_least(1)
            .collect()
            .delimited_by(silent("["), symbol("]"))
            .map(Postfix::Index),
        look(facts, is_called).ignore_then(arguments.clone()).map(Postfix::Apply),
        silent(".")
            .ignore_then(choice((case, member())))
            .then(arguments.or_not())
            .map(|(name, arguments)| Postfix::Member(name, arguments)),
        component.map(Postfix::Component),
        silent("->").ignore_then(member()).map(Postfix::Arrow),
        step().map(Postfix::Step),
    ));
    primary(facts, expression, types, additive)
        .foldl_with(link.repeated(), |e, link, extra| {
            let e = Box::new(e);
            let kind = match link {
                Postfix::Index(mut list) if list.len() == 1 => ExprKind::Index(e, Box::new(list.remove(0))),
                Postfix::Index(list) => ExprKind::Indices(e, list),
                Postfix::Apply(arguments) => ExprKind::Apply(e, arguments),
                Postfix::Member(name, None) => ExprKind::Member(e, name),
                Postfix::Member(name, Some(arguments)) => ExprKind::Method(e, name, arguments),
                Postfix::Component(index) => ExprKind::Component(e, index),
                Postfix::Arrow(name) => ExprKind::Arrow(e, name),
                Postfix::Step(delta) => ExprKind::Increment { delta, prefix: false, place: e },
            };
            facts.new_expression(kind, facts.range(extra.span()))
        })
        .boxed()
}

fn primary<'t>(facts: &'t Facts<'t>, expression: Rule<'t, Expr>, types: &Types<'t>, additive: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let literal = accept(Some(AN_EXPRESSION), |kind| match kind {
        TokenKind::Integer { value, suffix } => Some(ExprKind::Integer { value: *value, suffix: *suffix }),
        TokenKind::Float { text, suffix } => Some(ExprKind::Float { text: text.clone(), suffix: *suffix }),
        TokenKind::Character(c) => Some(ExprKind::Character(*c)),
        TokenKind::Name(name) => match &**name {
            "true" => Some(ExprKind::Bool(true)),
            "false" => Some(ExprKind::Bool(false)),
            "null" => Some(ExprKind::Null),
            "current_mask" => Some(ExprKind::CurrentMask),
            "lane_index" => Some(ExprKind::LaneIndex),
            _ => None,
        },
        TokenKind::String(_) | TokenKind::Symbol(_) | TokenKind::Doc(_) | TokenKind::End => None,
    });
    // Neighbouring strings are one, as in C.
    let string = accept(None, |kind| match kind {
        TokenKind::String(text) => Some(text.as_str()),
        _ => None,
    });
    let string = string.repeated().at_least(1).collect::<String>().map(ExprKind::String);
    let parenthesized = expression.clone().delimited_by(silent("("), symbol(")"));
    // The elements of a vector literal bind as tight as `+`, so that `>` ends it.
    let vector = list(additive.clone()).delimited_by(silent("<"), symbol(">")).map(ExprKind::VectorLiteral);
    let blend = expression.clone().then_ignore(symbol(",")).then(expression.clone());
    let blend = blend.delimited_by(silent("["), symbol("]")).map(|(a, b)| ExprKind::Blend(Box::new(a), Box::new(b)));
    let count = choice((
        expression.clone().delimited_by(silent("("), symbol(")")).map(|count| (NewForm::Elements, count)),
        expression.clone().delimited_by(symbol("["), symbol("]")).map(|count| (NewForm::Array, count)),
    ));
    let new = keyword("new").ignore_then(types.ty.clone()).then(count);
    let new = new.map(|(ty, (form, count))| ExprKind::New(form, ty, Box::new(count)));
    let conversion = look(facts, is_conversion)
        .ignore_then(accept(None, |kind| match kind {
            TokenKind::Name(word) => Some(word.clone()),
            _ => None,
        }))
        .map_with(|text, e| Name { text, span: facts.range(e.span()) })
        .then(list_or_trailing(expression.clone()).delimited_by(silent("("), symbol(")")))
        .map(|(name, arguments)| ExprKind::Call { name, template_arguments: Vec::new(), arguments });
    choice((
        literal,
        conversion,
        named(facts, expression.clone(), types, additive),
        parenthesized.map(|e| ExprKind::Parenthesized(Box::new(e))),
        string,
        vector,
        blend,
        new,
        query(facts, expression, types),
    ))
    .map_with(|kind, e| facts.new_expression(kind, facts.range(e.span())))
    .boxed()
}

/// The operators of one level.
fn operator<'t>(facts: &'t Facts<'t>, level: u16) -> Rule<'t, (BinaryOp, Span)> {
    accept(None, move |kind| match kind {
        TokenKind::Symbol(symbol) => binary_operator(symbol).filter(|(_, l)| *l == level).map(|(op, _)| op),
        _ => None,
    })
    .map_with(|op, e| (op, facts.range(e.span())))
    .boxed()
}

/// `r = a .. b`
pub(super) fn range<'t>(facts: &'t Facts<'t>, bound: Rule<'t, Expr>) -> Rule<'t, Range> {
    name(facts, "a reduction variable")
        .then_ignore(symbol("="))
        .then(bound.clone())
        .then_ignore(symbol(".."))
        .then(bound)
        .map_with(|((name, low), high), e| Range { name, low, high, span: facts.range(e.span()) })
        .boxed()
}

/// Expressions and ranges `a .. b` with commas between them.
fn arguments<'t>(facts: &'t Facts<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Vec<Expr>> {
    let argument = expression.clone().then(silent("..").ignore_then(expression).or_not()).map_with(|(low, high), e| match high {
        None => low,
        Some(high) => facts.new_expression(ExprKind::Range(Box::new(low), Box::new(high)), facts.range(e.span())),
    });
    let rest = silent("...").map_with(|(), e| facts.new_expression(ExprKind::Rest, facts.range(e.span())));
    let argument = choice((rest, argument));
    list_or_trailing(argument.boxed())
}

/// A name, a call or an inline reduction.
fn named<'t>(
    facts: &'t Facts<'t>,
    expression: Rule<'t, Expr>,
    types: &Types<'t>,
    additive: Rule<'t, Expr>,
) -> Rule<'t, ExprKind> {
    // A variable may be called `bits`, and no type is compared.
    let is_bits = |facts: &Facts, at: usize| {
        facts.is_symbol(at, "<") && at > 0 && facts.name(at - 1) == Some("bits") && is_certain(facts, at + 1)
    };
    let is_template = move |facts: &Facts, at: usize| facts.opens_arguments(at) || is_bits(facts, at);
    // What begins like arguments is nothing else.
    let template = choice((
        look(facts, is_template).ignore_then(template_arguments(facts, types.ty.clone(), additive)).map(Some),
        look(facts, move |facts, at| !is_template(facts, at)).to(None),
    ));
    let ranges = range(facts, expression.clone()).separated_by(silent(",")).at_least(1).collect::<Vec<_>>();
    let condition = keyword("if").ignore_then(expression.clone()).map(Box::new).or_not();
    let reduction = keyword("for").ignore_then(ranges).then(condition);
    let arguments = arguments(facts, expression).then(reduction.or_not()).delimited_by(silent("("), symbol(")"));
    name(facts, "an expression")
        .then(template)
        .then(arguments.or_not())
        .validate(|((name, template), arguments), e, emitter| match arguments {
            None => match template {
                Some(arguments) => ExprKind::Instance(name, arguments),
                None => ExprKind::Name(name),
            },
            Some((arguments, None)) => ExprKind::Call { name, template_arguments: template.unwrap_or_default(), arguments },
            Some((mut arguments, Some((rdom, condition)))) => {
                let span: SimpleSpan = e.span();
                if arguments.len() != 1 {
                    let message = format!("`{}` reduces one value, not {}", name.text, arguments.len());
                    emitter.emit(Failure::special(span.start, &codes::UNEXPECTED_TOKEN, name.span, message));
                    return ExprKind::Error;
                }
                ExprKind::Reduction { name, value: Box::new(arguments.remove(0)), rdom, condition }
            }
        })
        .boxed()
}

/// `sizeof(T)`, `lengthof(e)`, `preferred_lengthof(T)`
fn query<'t>(facts: &'t Facts<'t>, expression: Rule<'t, Expr>, types: &Types<'t>) -> Rule<'t, ExprKind> {
    let word = accept(None, |kind| match kind {
        TokenKind::Name(name) if matches!(&**name, "sizeof" | "lengthof" | "preferred_lengthof") => Some(name.clone()),
        _ => None,
    })
    .map_with(|text, e| Name { text, span: facts.range(e.span()) });
    let is_type = |facts: &Facts, at: usize| {
        let of_types = at > 1 && facts.name(at - 2) == Some("preferred_lengthof");
        is_certain(facts, at) || (of_types && facts.name(at).is_some())
    };
    let argument = choice((
        look(facts, is_type).ignore_then(types.ty.clone()).map(Ok),
        look(facts, move |facts, at| !is_type(facts, at)).ignore_then(list_or_trailing(expression)).map(Err),
    ));
    word.then(argument.delimited_by(symbol("("), symbol(")")))
        .map(|(name, argument)| match argument {
            Ok(ty) => ExprKind::TypeQuery(name, ty),
            Err(arguments) => ExprKind::Call { name, template_arguments: Vec::new(), arguments },
        })
        .boxed()
}
