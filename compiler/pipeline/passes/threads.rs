//! Parallel loops that are worth threads under a condition have one iteration where it does not hold, which no thread is woken for.
//!
//! ```text
//! parallel i in [m, +n): s    ──►    let parts = c ? n : 1
//!                                    parallel p in [0, +parts): serial i in [m + p, +(parts = 1 ? n : 1)): s
//! ```
//! Two copies of what the loop does, one in parallel and one not, would do the same, and be twice the code.

use super::super::expr::Expr;
use super::super::loops::ir::{Binder, Loop, Nest, Order, Statement, Worth};
use super::super::simplify::plus;
use super::rewrite;
use crate::typed::ir::CompareOp;
use crate::types::Element;

/// Asks for threads where they are worth it.
pub fn threads(nest: &mut Nest) {
    if nest.worth.is_empty() {
        return;
    }
    rewrite(nest, &mut |nest, s| {
        let Statement::For(l) = s else { return s };
        let name = nest.name(l.variable);
        let is_it = |it: &&Worth| (it.func, it.case, &*it.variable) == (l.stage.func, l.stage.case, name);
        match nest.worth.iter().find(is_it).filter(|_| l.order == Order::Parallel) {
            Some(Worth { condition, .. }) => in_parts(nest, condition.clone(), *l),
            None => Statement::For(l),
        }
    });
}

fn in_parts(nest: &mut Nest, condition: Expr, l: Loop) -> Statement {
    let span = l.length.span();
    let mut named = |name: &str, binder| {
        let variable = nest.new_variable(name, binder);
        (variable, Expr::variable(variable, Element::Int32, span))
    };
    let ((parts, count), (part, number)) = (named("parts", Binder::Let), named("part", Binder::Loop));
    let one = Expr::int(1, span);
    let is_one = Expr::compare(CompareOp::Equal, count.clone(), one.clone());
    let (stage, is_pure) = (l.stage, l.is_pure);
    let value = Expr::conditional(condition, l.length.clone(), one.clone());
    let inner =
        Loop { order: Order::Serial, min: plus(&l.min, &number), length: Expr::conditional(is_one, l.length.clone(), one), ..l };
    let body = Statement::For(Box::new(inner));
    let outer = Loop { stage, variable: part, order: Order::Parallel, is_pure, min: Expr::int(0, span), length: count, body };
    Statement::Let(parts, value, Box::new(Statement::For(Box::new(outer))))
}
