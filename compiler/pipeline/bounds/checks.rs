//! The start checks of a schedule: what must hold of its windows, its startup expressions and its outputs.

use super::super::expr::{Expr, ExprKind, FuncId, InputId, Variable};
use super::super::limits::FAR;
use super::super::loops::check::{Check, Subject};
use super::super::loops::ir::{Binder, BoundKind, End, Hole};
use super::super::loops::lower::memory_window;
use super::super::simplify::{constant_value, offset};
use super::infer::Windows;
use super::reasons::checked;
use crate::typed::ir::{BinaryOp, CompareOp, UnaryOp};
use crate::types::Element;
use std::collections::BTreeMap;

/// The start checks in the order in which they are made, behind the definitions of the root block.
pub fn start_checks(windows: &Windows) -> Vec<Check> {
    let nest = &windows.nest;
    let pipeline = &nest.pipeline;
    let mut checks = near_checks(windows);
    let int = |v: Variable| Expr::variable(v, Element::Int32, pipeline.span);
    let constant = |n: i64| Expr::int(n, pipeline.span);
    for output in &windows.outputs {
        for (d, &[_, extent]) in output.window.iter().enumerate() {
            let condition = Expr::compare(CompareOp::GreaterEqual, int(extent), constant(0));
            checks.push(checked(windows, condition, Subject::Extent(output.func, d)));
        }
    }
    for (number, condition) in nest.factors.iter().enumerate() {
        checks.push(checked(windows, condition.clone(), Subject::Factor(number)));
    }
    for (number, fit) in nest.fits.iter().enumerate() {
        let condition = if fit.is_shift {
            let is_long = Expr::compare(CompareOp::GreaterEqual, fit.length.clone(), fit.factor.clone());
            Expr::binary(BinaryOp::BitOr, is_long, Expr::compare(CompareOp::LessEqual, fit.length.clone(), constant(0)))
        } else {
            let rest = Expr::binary(BinaryOp::Remainder, fit.length.clone(), fit.factor.clone());
            Expr::compare(CompareOp::Equal, rest, constant(0))
        };
        checks.push(checked(windows, condition, Subject::Fit(number)));
    }
    for fold in nest.folds.iter().filter(|fold| constant_value(&fold.factor).is_none()) {
        let bits = Expr::binary(BinaryOp::BitAnd, fold.factor.clone(), offset(&fold.factor, -1));
        let is_power = Expr::compare(CompareOp::Equal, bits, constant(0));
        let is_enough = Expr::compare(CompareOp::GreaterEqual, fold.factor.clone(), constant(fold.least));
        checks.push(checked(windows, Expr::binary(BinaryOp::BitAnd, is_power, is_enough), Subject::Fold(fold.func)));
    }
    for (id, func) in pipeline.numbered_funcs().filter(|(id, _)| !nest.absent.contains(id)) {
        for (number, stage) in func.stages.iter().enumerate() {
            for r in &stage.rdom {
                let condition = Expr::compare(CompareOp::LessEqual, r.low.clone(), r.high.clone());
                checks.push(checked(windows, condition, Subject::ReductionDomain(id, number, r.variable)));
            }
        }
    }
    for (number, (bound, need)) in nest.bounds.iter().zip(&windows.bounds).enumerate() {
        let compare = |op, a: &Expr, b: &Expr| Expr::compare(op, a.clone(), b.clone());
        let both = |a, b| Expr::binary(BinaryOp::BitAnd, a, b);
        let needed: Vec<Expr> = need.variables.iter().map(|&v| int(v)).collect();
        let (condition, subject) = match (&bound.kind, &needed[..]) {
            (BoundKind::Window { min, length }, [low, high]) => {
                let end = Expr::binary(BinaryOp::Add, min.clone(), length.clone());
                let from = compare(CompareOp::GreaterEqual, low, min);
                let to = compare(CompareOp::Less, high, &end);
                let nothing = compare(CompareOp::Greater, low, high);
                let is_window = compare(CompareOp::GreaterEqual, length, &constant(0));
                (both(is_window, Expr::binary(BinaryOp::BitOr, nothing, both(from, to))), Subject::Bound(number))
            }
            (BoundKind::Extent(length), [extent]) => {
                let fits = compare(CompareOp::LessEqual, extent, length);
                (both(compare(CompareOp::GreaterEqual, length, &constant(0)), fits), Subject::Bound(number))
            }
            (BoundKind::Aligned { modulus, .. }, _) => {
                (compare(CompareOp::GreaterEqual, modulus, &constant(1)), Subject::Modulus(number))
            }
            (BoundKind::Window { .. } | BoundKind::Extent(_), _) => unreachable!("as `asserted` makes them"),
        };
        checks.push(checked(windows, condition, subject));
    }
    checks.extend(overflow_checks(windows));
    for (i, dimensions) in windows.inputs.iter().enumerate() {
        let id = InputId(i as u32);
        for (d, &[low, high]) in dimensions.iter().enumerate() {
            let own = pipeline.input(id).dimensions[d];
            let end = Expr::binary(BinaryOp::Add, int(own.min), int(own.extent));
            let from = Expr::compare(CompareOp::GreaterEqual, int(low), int(own.min));
            let to = Expr::compare(CompareOp::Less, int(high), end);
            let nothing = Expr::compare(CompareOp::Greater, int(low), int(high));
            let both = Expr::binary(BinaryOp::BitAnd, from, to);
            checks.push(checked(windows, Expr::binary(BinaryOp::BitOr, nothing, both), Subject::Input(id, d)));
        }
    }
    checks
}

/// Are the windows of the root block such that no coordinate leaves `int`? One check for a dimension of a func, however many of its
/// stages and stores have windows of their own.
fn near_checks(windows: &Windows) -> Vec<Check> {
    let nest = &windows.nest;
    let definitions = windows.definitions.get(&None).into_iter().flatten();
    let holes: BTreeMap<Hole, (Variable, &Expr)> = definitions
        .filter_map(|(variable, value)| match nest.binder(*variable) {
            Some(Binder::Hole(hole)) => Some((hole, (*variable, value))),
            _ => None,
        })
        .collect();
    let is_copy = |ends: [&Expr; 2]| {
        let [min, length] = ends.map(|value| value.as_variable().and_then(|variable| nest.binder(variable)));
        let Some(Binder::Hole(min)) = min else { return false };
        min.end == End::Min && length == Some(Binder::Hole(Hole { end: End::Length, ..min }))
    };
    let span = nest.pipeline.span;
    let compare = |op, v: Variable, n: i64| Expr::compare(op, Expr::variable(v, Element::Int32, span), Expr::int(n, span));
    let either = |a, b| Expr::binary(BinaryOp::BitOr, a, b);
    let mut far: BTreeMap<(FuncId, usize), Expr> = BTreeMap::new();
    for (&hole, &(min, min_value)) in holes.iter().filter(|(hole, _)| hole.end == End::Min) {
        let (length, length_value) = holes[&Hole { end: End::Length, ..hole }];
        if is_copy([min_value, length_value]) {
            continue;
        }
        // Nobody looks at where an empty window begins.
        let is_outside = either(compare(CompareOp::LessEqual, min, -FAR), compare(CompareOp::Greater, min, FAR));
        let begins_far = Expr::binary(BinaryOp::BitAnd, compare(CompareOp::Greater, length, 0), is_outside);
        let is_far = either(compare(CompareOp::Greater, length, FAR), begins_far);
        far.entry((hole.func, hole.dimension))
            .and_modify(|others| *others = either(others.clone(), is_far.clone()))
            .or_insert(is_far);
    }
    let near = |is_far| Expr::new(ExprKind::Unary(UnaryOp::Not, is_far), Element::Bool, span);
    far.into_iter().map(|((func, d), is_far)| checked(windows, near(is_far), Subject::Range(func, d))).collect()
}

/// Is what is computed on the way to an index an `int`? These conditions hold in ℤ: their numbers may be larger.
fn overflow_checks(windows: &Windows) -> Vec<Check> {
    let pipeline = &windows.nest.pipeline;
    let between = |ends: [Expr; 2], least: i64, most: i64| {
        let [low, high] = ends;
        let constant = |n: i64| Expr::int(n, pipeline.span);
        let from = Expr::compare(CompareOp::GreaterEqual, low, constant(least));
        Expr::binary(BinaryOp::BitAnd, from, Expr::compare(CompareOp::LessEqual, high, constant(most)))
    };
    let unless_empty = |ends: [Variable; 2], least: i64, most: i64| {
        let [low, high] = ends.map(|v| Expr::variable(v, Element::Int32, pipeline.span));
        let nothing = Expr::compare(CompareOp::Greater, low.clone(), high.clone());
        Expr::binary(BinaryOp::BitOr, nothing, between([low, high], least, most))
    };
    let mut checks = Vec::new();
    for (id, func) in pipeline.numbered_funcs().filter(|(id, _)| !windows.nest.absent.contains(id)) {
        for (number, stage) in func.stages.iter().enumerate() {
            for r in &stage.rdom {
                let ends = [&r.low, &r.high];
                if !ends.iter().all(|e| constant_value(e).is_some_and(|n| n.abs() <= FAR)) {
                    let condition = between(ends.map(Expr::clone), -FAR, FAR);
                    checks.push(checked(windows, condition, Subject::DomainRange(id, number, r.variable)));
                }
            }
        }
    }
    for (number, reach) in windows.reaches.iter().enumerate() {
        checks.push(checked(windows, unless_empty(reach.ends, -FAR, FAR), Subject::Reach(number)));
    }
    for (number, operands) in windows.operands.iter().enumerate() {
        let condition = unless_empty(operands.ends, i32::MIN.into(), i32::MAX.into());
        checks.push(checked(windows, condition, Subject::Operands(number)));
    }
    checks
}

/// Does what is stored fit into the windows that the caller gave? Only where the caller owns the memory.
pub fn output_checks(windows: &Windows) -> Vec<Check> {
    let pipeline = &windows.nest.pipeline;
    let mut checks = Vec::new();
    for output in &windows.outputs {
        for (d, &[min, extent]) in output.window.iter().enumerate() {
            let int = |v: Variable| Expr::variable(v, Element::Int32, pipeline.span);
            let [low, length] = memory_window(&windows.nest, output.func, d);
            let end = |min: Expr, length: Expr| Expr::binary(BinaryOp::Add, min, length);
            let from = Expr::compare(CompareOp::GreaterEqual, low.clone(), int(min));
            let nothing = Expr::compare(CompareOp::LessEqual, length.clone(), Expr::int(0, pipeline.span));
            let to = Expr::compare(CompareOp::LessEqual, end(low, length), end(int(min), int(extent)));
            let condition = Expr::binary(BinaryOp::BitOr, nothing, Expr::binary(BinaryOp::BitAnd, from, to));
            checks.push(checked(windows, condition, Subject::Output(output.func, d)));
        }
    }
    checks
}
