//! The windows of the root block in 64 bits, since they may leave `int`, which is a start error; the work begins only if they are
//! far from the ends of `int`.
//!
//! ```text
//! assert …                               assert …                        of startup expressions
//! let g_x_len = f_x_len + 2              if f_x_len == 0 nothing else
//! assert in_x_high < …          ──►      let g_x_len_64 = ((int64) f_x_len + 2l)
//! work                                   assert g_x_len_64 <= 1073741824l & …
//!                                        assert in_x_high_64 < …
//!                                        let g_x_len = (int) g_x_len_64
//!                                        work
//! ```
//! In front of it these statements speak of ℤ; behind it they are what a machine computes.

use super::super::expr::{Expr, ExprKind, FuncId, Variable};
use super::super::limits::FAR;
use super::super::loops::check::{Check, Subject};
use super::super::loops::ir::{Binder, End, Hole, Nest, Statement};
use super::super::wide::widened;
use crate::typed::ir::{BinaryOp, CompareOp, Constant, UnaryOp};
use crate::types::Element;
use std::collections::{BTreeMap, HashMap};

/// Computes the windows of the root block in 64 bits.
pub fn widen(nest: &mut Nest) {
    let Root { early, definitions, checks, work } = Root::of(std::mem::replace(&mut nest.body, Statement::Nop));
    let span = nest.pipeline.span;
    let wide: Vec<Variable> = definitions
        .iter()
        .map(|(variable, _)| {
            let name = format!("{}_64", nest.name(*variable));
            nest.variable_of(&name, Element::Int64, Binder::Let)
        })
        .collect();
    let numbers: HashMap<Variable, Variable> = definitions.iter().map(|(v, _)| *v).zip(wide.iter().copied()).collect();
    let in_64_bits = |e: &Expr| widened(e, &|v| numbers.get(&v).copied());
    let mut inner: Vec<Statement> =
        near(nest, &definitions, &numbers).into_iter().map(|check| Statement::Assert(Box::new(check))).collect();
    inner.extend(checks.into_iter().map(|check| {
        let (condition, numbers) = (in_64_bits(&check.condition), check.numbers.iter().map(in_64_bits).collect());
        Statement::Assert(Box::new(Check { condition, numbers, ..check }))
    }));
    let narrow = definitions.iter().zip(&wide).rev().fold(work, |inner, ((variable, _), wide)| {
        let wide = Expr::variable(*wide, Element::Int64, span);
        Statement::Let(*variable, Expr::new(ExprKind::Convert(wide), Element::Int32, span), Box::new(inner))
    });
    inner.push(narrow);
    let behind =
        definitions.iter().zip(&wide).rev().fold(Statement::Sequence(inner), |inner, ((_, value), wide)| {
            Statement::Let(*wide, in_64_bits(value), Box::new(inner))
        });
    let behind = match is_empty(nest) {
        Some(condition) => Statement::Either(condition, Box::new([Statement::Nop, behind])),
        None => behind,
    };
    let checks = early.into_iter().map(|check| Statement::Assert(Box::new(check)));
    nest.body = Statement::Sequence(checks.chain([behind]).collect());
}

/// The parts of a nest as `bounds::fill` leaves it.
struct Root {
    /// The checks of startup expressions.
    early: Vec<Check>,
    /// The windows of the root block.
    definitions: Vec<(Variable, Expr)>,
    /// The checks of windows.
    checks: Vec<Check>,
    /// What it is all for.
    work: Statement,
}

impl Root {
    fn of(body: Statement) -> Root {
        let (early, mut rest) = behind_checks(body);
        let mut definitions = Vec::new();
        while let Statement::Let(variable, value, inner) = rest {
            definitions.push((variable, value));
            rest = *inner;
        }
        let (checks, work) = behind_checks(rest);
        Root { early, definitions, checks, work }
    }
}

/// The checks of a sequence, and what stands behind them.
fn behind_checks(s: Statement) -> (Vec<Check>, Statement) {
    let Statement::Sequence(mut list) = s else { unreachable!("checks stand in a sequence") };
    let behind = list.pop().expect("checks stand in front of something");
    let check = |s| match s {
        Statement::Assert(check) => *check,
        _ => unreachable!("one statement stands behind the checks"),
    };
    (list.into_iter().map(check).collect(), behind)
}

/// Has the only output no point? Then there is nothing to do, wherever its window is.
fn is_empty(nest: &Nest) -> Option<Expr> {
    let [output] = &nest.requests[..] else { return None };
    let zero = Expr::int(0, nest.pipeline.span);
    let extents = output.window.iter().map(|&[_, extent]| Expr::variable(extent, Element::Int32, nest.pipeline.span));
    let are_zero = extents.map(|extent| Expr::compare(CompareOp::Equal, extent, zero.clone()));
    are_zero.reduce(|a, b| Expr::binary(BinaryOp::BitOr, a, b))
}

/// Checks that the windows of the root block are such that no coordinate leaves `int`: one for a dimension of a func, however many
/// of its stages and stores have windows of their own.
fn near(nest: &Nest, definitions: &[(Variable, Expr)], wide: &HashMap<Variable, Variable>) -> Vec<Check> {
    let pipeline = &nest.pipeline;
    let windows: BTreeMap<Hole, (Variable, &Expr)> = definitions
        .iter()
        .filter_map(|(variable, value)| match nest.binder(*variable) {
            Some(Binder::Hole(hole)) => Some((hole, (*variable, value))),
            _ => None,
        })
        .collect();
    let is_copy = |ends: [&Expr; 2]| {
        let [min, length] = ends.map(|value| match value.kind() {
            ExprKind::Variable(variable) => nest.binder(*variable),
            _ => None,
        });
        let Some(Binder::Hole(min)) = min else { return false };
        min.end == End::Min && length == Some(Binder::Hole(Hole { end: End::Length, ..min }))
    };
    let int64 = |n: i64| Expr::new(ExprKind::Constant(Constant::Int(n as u64)), Element::Int64, pipeline.span);
    let value = |v: Variable| Expr::variable(wide[&v], Element::Int64, pipeline.span);
    let compare = |op, a: &Expr, n: i64| Expr::compare(op, a.clone(), int64(n));
    let both = |op, a, b| Expr::binary(op, a, b);
    let mut far: BTreeMap<(FuncId, usize), Expr> = BTreeMap::new();
    for (&hole, &(min, min_value)) in windows.iter().filter(|(hole, _)| hole.end == End::Min) {
        let (length, length_value) = windows[&Hole { end: End::Length, ..hole }];
        if is_copy([min_value, length_value]) {
            continue;
        }
        let (min, length) = (value(min), value(length));
        // Nobody looks at where an empty window begins.
        let is_outside = both(BinaryOp::BitOr, compare(CompareOp::LessEqual, &min, -FAR), compare(CompareOp::Greater, &min, FAR));
        let begins_far = both(BinaryOp::BitAnd, compare(CompareOp::Greater, &length, 0), is_outside);
        let is_far = both(BinaryOp::BitOr, compare(CompareOp::Greater, &length, FAR), begins_far);
        far.entry((hole.func, hole.dimension))
            .and_modify(|others| *others = both(BinaryOp::BitOr, others.clone(), is_far.clone()))
            .or_insert(is_far);
    }
    far.into_iter()
        .map(|((func, dimension), is_far)| Check {
            condition: Expr::new(ExprKind::Unary(UnaryOp::Not, is_far), Element::Bool, pipeline.span),
            subject: Subject::Range(func, dimension),
            reason: format!("the window of `{}` in dimension {dimension} is too far from 0", pipeline.func(func).name),
            numbers: Vec::new(),
        })
        .collect()
}
