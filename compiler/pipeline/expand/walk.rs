//! What expressions and parts are made of.

use crate::pipeline::plain::{Part, PartKind};
use crate::syntax::ast::{Expr, ExprKind as Ast, Name};

/// All names of values and of what is called in an expression.
pub(super) fn names(e: &Expr, see: &mut impl FnMut(&Name)) {
    match &e.kind {
        Ast::Name(name) => see(name),
        Ast::Call { name, .. } => see(name),
        _ => {}
    }
    parts(e, &mut |part| names(part, see));
}

/// The expressions that an expression is made of.
pub(super) fn parts<'e>(e: &'e Expr, see: &mut dyn FnMut(&'e Expr)) {
    match &e.kind {
        Ast::Integer { .. }
        | Ast::Float { .. }
        | Ast::Bool(_)
        | Ast::Null
        | Ast::Character(_)
        | Ast::String(_)
        | Ast::Name(_)
        | Ast::CurrentMask
        | Ast::LaneIndex
        | Ast::TypeQuery(..)
        | Ast::Rest
        | Ast::Instance(..)
        | Ast::Error => {}
        Ast::VectorLiteral(list) | Ast::Aggregate(list) => list.iter().for_each(see),
        Ast::Call { arguments, .. } => arguments.iter().for_each(see),
        Ast::Blend(a, b) | Ast::Binary(_, a, b, _) | Ast::Index(a, b) | Ast::Range(a, b) => {
            see(a);
            see(b);
        }
        Ast::Assign { place, value, .. } => {
            see(place);
            see(value);
        }
        Ast::Conditional(a, b, c) => {
            see(a);
            see(b);
            see(c);
        }
        Ast::Indices(a, list) | Ast::Apply(a, list) | Ast::Method(a, _, list) => {
            see(a);
            list.iter().for_each(see);
        }
        Ast::Reduction { value, rdom, condition, .. } => {
            for range in rdom {
                see(&range.low);
                see(&range.high);
            }
            see(value);
            condition.iter().for_each(|e| see(e));
        }
        Ast::Unary(_, a)
        | Ast::Increment { place: a, .. }
        | Ast::Cast(_, a)
        | Ast::New(_, a)
        | Ast::Member(a, _)
        | Ast::Arrow(a, _)
        | Ast::Component(a, _)
        | Ast::Parenthesized(a) => see(a),
    }
}

/// The funcs that a part reads, as far as names tell.
pub(super) fn reads(part: &Part, see: &mut impl FnMut(&Name)) {
    let mut expression = |e: &Expr| names(e, see);
    match &part.kind {
        PartKind::Let(definition) => expression(&definition.value),
        PartKind::Fun(fun) => {
            fun.lets.iter().for_each(|definition| expression(&definition.value));
            fun.values.iter().for_each(expression);
        }
        PartKind::Update(update) => {
            for range in &update.rdom {
                expression(&range.low);
                expression(&range.high);
            }
            update.lets.iter().for_each(|definition| expression(&definition.value));
            update.indices.iter().chain(&update.values).chain(&update.condition).for_each(expression);
        }
        PartKind::Error(_) => {}
    }
}
