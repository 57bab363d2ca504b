//! Vector loops as loops over blocks of lanes, with the loops around each where these have nothing else in them.
//!
//! ```text
//! vector n for i in [0, +n): s                             ──►   foreach i in 0 .. n by n: s
//! foreach i in a .. b by n: if c + i < d: let v = m + i: s ──►   foreach v in m + a .. min(m + b, m + d − c) by n: s
//! for o in [0, +N): foreach v in m + o·k .. min(m + o·k + k, e) by n: s
//!                                                          ──►   foreach v in m .. e by n: s, where n divides k
//! ```
//! A block is what the lanes do at once; the guard becomes the lanes that the last block has. Splits of splits are the same by
//! several of these steps.

use super::super::expr::{Expr, ExprKind};
use super::super::loops::ir::{Foreach, Loop, Nest, Order, Statement};
use super::super::simplify::{constant_value, difference, minus, offset, plus, simplify};
use super::rewrite;
use crate::typed::ir::{BinaryOp, CompareOp, LaneOp};
use crate::types::Element;

/// Makes loops over blocks of vector loops.
pub fn foreach(nest: &mut Nest) {
    rewrite(nest, &mut |_, s| {
        let made = if let Statement::For(l) = &s { blocks_of(l) } else { None };
        made.map_or(s, |made| Statement::Foreach(Box::new(by_variable_inside(made))))
    });
}

/// A vector loop, or a loop that has nothing in it but one over blocks, as a loop over blocks.
fn blocks_of(l: &Loop) -> Option<Foreach> {
    if let Order::Vector(lanes) = l.order {
        let (stage, variable, is_pure) = (l.stage, l.variable, l.is_pure);
        let (low, high, body) = (l.min.clone(), plus(&l.min, &l.length), l.body.clone());
        return Some(Foreach { stage, variable, lanes, is_parallel: false, is_pure, low, high, body });
    }
    let (Order::Serial | Order::Parallel, Statement::Foreach(inner)) = (l.order, &l.body) else { return None };
    let is_parallel = l.order == Order::Parallel;
    // The first value of the first iteration, and the last of the last one.
    let at = |e: &Expr, o: Expr| simplify(&e.substitute(&|v| (v == l.variable).then(|| o.clone())));
    let next = offset(&Expr::variable(l.variable, Element::Int32, l.min.span()), 1);
    let step = difference(&at(&inner.low, next), &inner.low)?;
    let lanes = i64::from(inner.lanes);
    // The iterations of a parallel loop stay what threads take turns at.
    let are_blocks = step > 0 && step % lanes == 0 && (step == lanes || !is_parallel) && !inner.is_parallel;
    if constant_value(&l.min) != Some(0) || !are_blocks || inner.body.mentions(l.variable) {
        return None;
    }
    // Each iteration ends where the next one begins, or at an end that is the same for all.
    let (mut next_ends, mut common) = (0, Vec::new());
    for end in ends(&inner.high) {
        if difference(&end, &inner.low) == Some(step) {
            next_ends += 1;
        } else if end.mentions(&|v| v == l.variable) {
            return None;
        } else {
            common.push(end);
        }
    }
    if next_ends == 0 {
        return None;
    }
    let low = at(&inner.low, l.min.clone());
    let last = at(&plus(&inner.low, &Expr::int(step, l.min.span())), offset(&l.length, -1));
    if !common.iter().any(|end| is_reached(&minus(end, &low), step, &l.length)) {
        common.push(last);
    }
    let high = least(common);
    Some(Foreach { low, high, is_parallel, is_pure: l.is_pure, ..(**inner).clone() })
}

/// A loop over blocks by the variable that a split computes from its own, if the body knows no other.
fn by_variable_inside(f: Foreach) -> Foreach {
    let (guard, inner) = if let Statement::If(condition, body) = &f.body { (Some(condition), &**body) } else { (None, &f.body) };
    let Statement::Let(variable, value, body) = inner else { return f };
    let own = |v| v == f.variable;
    let i = Expr::variable(f.variable, Element::Int32, value.span());
    let base = minus(value, &i);
    if base.mentions(&own) || body.mentions(f.variable) {
        return f;
    }
    let mut all: Vec<Expr> = ends(&f.high).iter().map(|end| plus(&base, end)).collect();
    if let Some(guard) = guard {
        let ExprKind::Compare(CompareOp::Less, a, b) = guard.kind() else { return f };
        // i < b − (a − i)
        let rest = minus(a, &i);
        if rest.mentions(&own) || b.mentions(&own) {
            return f;
        }
        all.push(plus(&base, &minus(b, &rest)));
    }
    let high = least(all);
    let low = plus(&base, &f.low);
    by_variable_inside(Foreach { variable: *variable, low, high, body: (**body).clone(), ..f })
}

/// The expressions of which an end is the least one.
pub fn ends(high: &Expr) -> Vec<Expr> {
    let ExprKind::Builtin(LaneOp::Min, operands) = high.kind() else { return vec![high.clone()] };
    operands.iter().flat_map(ends).collect()
}

/// The least of expressions.
fn least(ends: Vec<Expr>) -> Expr {
    ends.into_iter().reduce(|a, b| Expr::builtin(LaneOp::Min, vec![a, b])).expect("an end")
}

/// Do so many iterations of `step` points each reach a count? They do where they are as many as a split makes: ⌈count / step⌉.
fn is_reached(count: &Expr, step: i64, iterations: &Expr) -> bool {
    let by = Expr::int(step, count.span());
    let needed = simplify(&Expr::binary(BinaryOp::Divide, offset(count, step - 1), by.clone()));
    let surplus = difference(&Expr::binary(BinaryOp::Multiply, iterations.clone(), by), count);
    needed.is_same(&simplify(iterations)) || surplus.is_some_and(|surplus| surplus >= 0)
}
