//! Vector loops as loops over blocks of lanes, with the loop around each where that has nothing else in it.
//!
//! ```text
//! for vector n i in [0, +n): if o·n + i < L: let v = m + o·n + i in s   ──►   foreach v in m + o·n .. min(m + o·n + n, m + L) by n: s
//! for o in [0, +⌈L / n⌉) of these                                       ──►   foreach v in m .. m + L by n: s
//! ```
//! A block is what the lanes do at once; the guard becomes the lanes that the last block has.

use super::super::bounds::simplify::{constant_value, difference, minus, offset, plus, simplify};
use super::super::expr::{Expr, ExprKind, Variable};
use super::super::loops::ir::{Foreach, Loop, Nest, Order, Statement};
use crate::typed::ir::{CompareOp, LaneOp};
use crate::types::Element;

/// Makes loops over blocks of vector loops.
pub fn foreach(nest: &mut Nest) {
    nest.body = statement(&nest.body);
}

fn statement(s: &Statement) -> Statement {
    match s {
        Statement::For(l) => match blocks_of(l) {
            Some(made) => Statement::Foreach(Box::new(made)),
            None => s.with_children(statement),
        },
        _ => s.with_children(statement),
    }
}

/// A vector loop, or a loop around one, as a loop over blocks.
fn blocks_of(l: &Loop) -> Option<Foreach> {
    if let Order::Vector(lanes) = l.order {
        return Some(block_of(l, lanes));
    }
    let (Order::Serial | Order::Parallel, Statement::For(inner)) = (l.order, &l.body) else { return None };
    let Order::Vector(lanes) = inner.order else { return None };
    let block = block_of(inner, lanes);
    // The first value of the first iteration, and the last of the last one.
    let at = |e: &Expr, o: Expr| simplify(&e.substitute(&|v| (v == l.variable).then(|| o.clone())));
    let next = offset(&Expr::variable(l.variable, Element::Int32, l.min.span()), 1);
    let step = difference(&at(&block.low, next), &block.low);
    if constant_value(&l.min) != Some(0) || step != Some(i64::from(lanes)) || mentions(&block.body, l.variable) {
        return None;
    }
    let low = at(&block.low, l.min.clone());
    // Whole blocks, or up to the guard: the operand that is the same in all iterations.
    let last = offset(&l.length, -1);
    let high = match block.high.kind() {
        ExprKind::Builtin(LaneOp::Min, operands) => {
            let is_fixed = |e: &&Expr| !e.mentions(&|v| v == l.variable);
            operands.iter().find(is_fixed)?.clone()
        }
        _ => at(&block.high, last),
    };
    Some(Foreach { low, high, is_parallel: l.order == Order::Parallel, is_pure: l.is_pure, ..block })
}

/// The lanes of a vector loop, by the variable that a split computes from it.
fn block_of(l: &Loop, lanes: u8) -> Foreach {
    let (guard, inner) = match &l.body {
        Statement::If(condition, body) => (Some(condition), &**body),
        other => (None, other),
    };
    let plain = || Foreach {
        stage: l.stage,
        variable: l.variable,
        lanes,
        is_parallel: false,
        is_pure: l.is_pure,
        low: l.min.clone(),
        high: plus(&l.min, &l.length),
        body: statement(&l.body),
    };
    let Statement::Let(variable, value, body) = inner else { return plain() };
    let i = Expr::variable(l.variable, Element::Int32, value.span());
    let base = minus(value, &i);
    if base.mentions(&|v| v == l.variable) || mentions(body, l.variable) {
        return plain();
    }
    let all = offset(&base, i64::from(lanes));
    let high = match guard.map(Expr::kind) {
        None => all,
        Some(ExprKind::Compare(CompareOp::Less, a, b)) => {
            // i < b − (a − i)
            let rest = minus(a, &i);
            if rest.mentions(&|v| v == l.variable) || b.mentions(&|v| v == l.variable) {
                return plain();
            }
            let most = plus(&base, &minus(b, &rest));
            Expr::builtin(LaneOp::Min, vec![all, most])
        }
        Some(_) => return plain(),
    };
    Foreach { variable: *variable, low: base, high, body: statement(body), ..plain() }
}

/// Does a variable occur in a statement?
fn mentions(statement: &Statement, variable: Variable) -> bool {
    let mut found = false;
    statement.walk(&mut |s| found |= s.expressions().into_iter().any(|e| e.mentions(&|v| v == variable)));
    found
}
