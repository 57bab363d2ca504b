//! What expressions are made of.

use super::ast::{Expr, ExprKind, Name};

/// All names of values and of what is called in an expression.
pub fn names(e: &Expr, see: &mut impl FnMut(&Name)) {
    match &e.kind {
        ExprKind::Name(name) => see(name),
        ExprKind::Call { name, .. } => see(name),
        _ => {}
    }
    parts(e, &mut |part| names(part, see));
}

/// The expressions that an expression is made of.
pub fn parts<'e>(e: &'e Expr, see: &mut dyn FnMut(&'e Expr)) {
    match &e.kind {
        ExprKind::Integer { .. }
        | ExprKind::Float { .. }
        | ExprKind::Bool(_)
        | ExprKind::Null
        | ExprKind::Character(_)
        | ExprKind::String(_)
        | ExprKind::Name(_)
        | ExprKind::CurrentMask
        | ExprKind::LaneIndex
        | ExprKind::TypeQuery(..)
        | ExprKind::Rest
        | ExprKind::Instance(..)
        | ExprKind::Error => {}
        ExprKind::VectorLiteral(list) | ExprKind::Aggregate(list) => list.iter().for_each(see),
        ExprKind::Call { arguments, .. } => arguments.iter().for_each(see),
        ExprKind::Blend(a, b) | ExprKind::Binary(_, a, b, _) | ExprKind::Index(a, b) | ExprKind::Range(a, b) => {
            see(a);
            see(b);
        }
        ExprKind::Assign { place, value, .. } => {
            see(place);
            see(value);
        }
        ExprKind::Conditional(a, b, c) => {
            see(a);
            see(b);
            see(c);
        }
        ExprKind::Indices(a, list) | ExprKind::Apply(a, list) | ExprKind::Method(a, _, list) => {
            see(a);
            list.iter().for_each(see);
        }
        ExprKind::Reduction { value, rdom, condition, .. } => {
            for range in rdom {
                see(&range.low);
                see(&range.high);
            }
            see(value);
            condition.iter().for_each(|e| see(e));
        }
        ExprKind::Unary(_, a)
        | ExprKind::Increment { place: a, .. }
        | ExprKind::Cast(_, a)
        | ExprKind::New(_, _, a)
        | ExprKind::Member(a, _)
        | ExprKind::Arrow(a, _)
        | ExprKind::Component(a, _)
        | ExprKind::Parenthesized(a) => see(a),
    }
}
