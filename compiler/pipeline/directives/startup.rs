//! The numbers of schedules: startup expressions (Definition 4.4) of parameters and windows.

use super::super::expr::{Expr, ExprKind as Kind};
use super::super::simplify::{constant_value, simplify};
use super::state::Scheduler;
use crate::check::{arithmetic, comparison};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp as Op, ExprKind as Ast, UnaryOp};
use crate::typed::ir::{self as typed, BinaryOp, CompareOp, Constant, LaneOp};
use crate::types::Element;

/// What a startup expression is made of.
const PARTS: &str = "parameters, windows of inputs and outputs, numbers, and arithmetic on them";

impl Scheduler<'_> {
    /// A number that is known when the pipeline starts.
    pub fn startup(&mut self, e: &ast::Expr) -> Option<Expr> {
        self.startup_of(e, Element::Int32, "expression: ")
    }

    /// A condition that is known when the pipeline starts.
    pub fn startup_condition(&mut self, e: &ast::Expr) -> Option<Expr> {
        self.startup_of(e, Element::Bool, "condition: comparisons of ")
    }

    fn startup_of(&mut self, e: &ast::Expr, element: Element, what: &str) -> Option<Expr> {
        let made = self.startup_value(e).filter(|made| made.element() == element);
        if made.is_none() && !self.failed {
            return self.refuse(e.span, format!("not a startup {what}{PARTS}"));
        }
        made
    }

    fn startup_value(&mut self, e: &ast::Expr) -> Option<Expr> {
        let span = e.span;
        match &e.kind {
            // A parameter of the pipeline stands here as a number of its type.
            Ast::Integer { value, .. } => i32::try_from(*value).ok().map(|n| Expr::int(i64::from(n), span)),
            Ast::Bool(value) => Some(Expr::new(Kind::Constant(Constant::Bool(*value)), Element::Bool, span)),
            Ast::Parenthesized(inner) => self.startup_value(inner),
            Ast::Unary(UnaryOp::Negate, inner) => {
                let inner = self.startup_value(inner).filter(|e| e.element() == Element::Int32)?;
                let negative = || Expr::binary(BinaryOp::Subtract, Expr::int(0, span), inner.clone());
                Some(constant_value(&inner).map_or_else(negative, |n| Expr::int(-n, span)))
            }
            Ast::Unary(UnaryOp::Not, inner) => {
                let inner = self.startup_value(inner).filter(|e| e.element() == Element::Bool)?;
                Some(Expr::new(Kind::Unary(typed::UnaryOp::Not, inner), Element::Bool, span))
            }
            Ast::Name(name) => {
                let pipeline = self.nest.pipeline.clone();
                let mut known = pipeline.scalars().chain(pipeline.lets.iter().map(|(v, _)| *v));
                let found = known.find(|v| pipeline.variable(*v).name == name.text)?;
                let element = pipeline.variable(found).element;
                let value = Expr::variable(found, element, span);
                // Narrow integers are `int`s in every operation.
                let is_narrow = element.is_integer() && element.bits() < 32;
                Some(if is_narrow { Expr::new(Kind::Convert(value), Element::Int32, span) } else { value })
            }
            Ast::Method(of, method, arguments) => self.window_value(of, method, arguments, span),
            Ast::Binary(op, a, b, _) => {
                let (a, b) = (self.startup_value(a)?, self.startup_value(b)?);
                let (a, b) = same_type(a, b)?;
                let (element, is_bool) = (a.element(), a.element() == Element::Bool);
                let (kind, element) = match (op, comparison(*op), arithmetic(*op)) {
                    // Startup expressions are total: it does not matter whether both sides are evaluated.
                    (Op::And | Op::BitAnd, ..) if is_bool => (Kind::And(a, b), element),
                    (Op::Or | Op::BitOr, ..) if is_bool => (Kind::Or(a, b), element),
                    (_, Some(op), _) if !is_bool => (Kind::Compare(op, a, b), Element::Bool),
                    (Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder, _, Some(op))
                        if element == Element::Int32 =>
                    {
                        (Kind::Binary(op, a, b), element)
                    }
                    _ => return None,
                };
                Some(Expr::new(kind, element, span))
            }
            Ast::Call { name, arguments, .. } => {
                let builtin = match &*name.text {
                    "min" => LaneOp::Min,
                    "max" => LaneOp::Max,
                    _ => return None,
                };
                let [a, b] = &arguments[..] else { return None };
                let operands = vec![self.startup_value(a)?, self.startup_value(b)?];
                operands.iter().all(|e| e.element() == Element::Int32).then(|| Expr::builtin(builtin, operands))
            }
            Ast::Float { text, .. } => {
                let value: f64 = text.parse().ok()?;
                Some(Expr::new(Kind::Constant(Constant::Float(value)), Element::Double, span))
            }
            _ => None,
        }
    }

    /// `in.min(d)`, `in.extent(d)`, `in.stride(d)`, and of what is asked of an output `out.min(x)`, `out.extent(x)`, `out.stride(x)`.
    fn window_value(&mut self, of: &ast::Expr, method: &ast::Name, arguments: &[ast::Expr], span: Span) -> Option<Expr> {
        let Ast::Name(of) = &of.kind else { return None };
        let pipeline = self.nest.pipeline.clone();
        let (found, parts) = if let Some(input) = pipeline.inputs.iter().find(|input| input.name == of.text) {
            let rank = input.dimensions.len();
            let dimension = match arguments {
                [ast::Expr { kind: Ast::Integer { value, .. }, .. }] => usize::try_from(*value).ok(),
                _ => None,
            };
            let found = dimension.and_then(|d| input.dimensions.get(d)).and_then(|d| match &*method.text {
                "min" => Some(d.min),
                "extent" => Some(d.extent),
                "stride" => Some(d.stride),
                _ => None,
            });
            (found, format!("input `{}` has `min(d)`, `extent(d)` and `stride(d)`, d from 0 to {}", of.text, rank - 1))
        } else {
            let request = self.nest.requests.iter().find(|request| pipeline.func(request.func).name == of.text)?;
            let names: Vec<&str> = pipeline.func(request.func).variables.iter().map(|v| &*pipeline.variable(*v).name).collect();
            let dimension = match arguments {
                [ast::Expr { kind: Ast::Name(x), .. }] => names.iter().position(|name| *name == &*x.text),
                _ => None,
            };
            let found = dimension.and_then(|d| match &*method.text {
                "min" => Some(request.window[d][0]),
                "extent" => Some(request.window[d][1]),
                "stride" => Some(request.strides[d]),
                _ => None,
            });
            let parts = match names.is_empty() {
                true => format!("output `{}` has no dimensions", of.text),
                false => {
                    format!("output `{}` has `min(x)`, `extent(x)` and `stride(x)`, where x is {}", of.text, names.join(" or "))
                }
            };
            (found, parts)
        };
        let Some(variable) = found else { return self.refuse(span, parts) };
        Some(Expr::variable(variable, self.nest.element(variable), span))
    }

    /// A positive number; a constant one is looked at now, another when the pipeline starts.
    pub fn factor(&mut self, e: &ast::Expr) -> Option<Expr> {
        let made = simplify(&self.startup(e)?);
        match constant_value(&made) {
            Some(n) if n < 1 => return self.refuse(e.span, format!("a loop is split by a factor of at least 1, not {n}")),
            Some(_) => {}
            None => {
                self.nest.factors.push(Expr::compare(CompareOp::GreaterEqual, made.clone(), Expr::int(1, e.span)));
            }
        }
        Some(made)
    }

    /// A power of two from 1 to 64.
    pub fn lanes(&mut self, e: &ast::Expr) -> Option<u8> {
        let n = constant_value(&simplify(&self.startup(e)?));
        match n {
            Some(n) if (1..=64).contains(&n) && (n as u64).is_power_of_two() => Some(n as u8),
            Some(n) => self.refuse(e.span, format!("{n} is not a power of two up to 64")),
            None => self.refuse(e.span, "a number of lanes is a constant"),
        }
    }
}

/// Operands of one type: a number that is written takes that of the other side.
fn same_type(a: Expr, b: Expr) -> Option<(Expr, Expr)> {
    if a.element() == b.element() {
        return Some((a, b));
    }
    let converted = |number: &Expr, like: &Expr| {
        let is_number = matches!(number.kind(), Kind::Constant(Constant::Int(_) | Constant::Float(_)));
        let fits = !number.element().is_float() || like.element().is_float();
        let takes = is_number && fits && like.element() != Element::Bool;
        takes.then(|| Expr::new(Kind::Convert(number.clone()), like.element(), number.span()))
    };
    match (converted(&a, &b), converted(&b, &a)) {
        (Some(a), _) => Some((a, b)),
        (None, Some(b)) => Some((a, b)),
        (None, None) => None,
    }
}
