//! Associative updates: `f(e) = f(e) ⊕ a`, where ⊕ is a [`ReduceOp`], one of `+ * & | ^ min max` on integers and a does not read f. Their
//! iterations may run in any order, and partial results may be combined: by lanes, by threads, by funcs of their own.
//!
//! On floats the order of additions changes the result, so that these count as associative under fast arithmetic, and in comprehensions of
//! tensors, whose reductions are associative by definition.

use super::algorithm::Pipeline;
use super::expr::{Expr, ExprKind, FuncId, Source};
use super::loops::ir::{OPERATORS, Operation, StageName, operation};
use crate::source::Span;
use crate::typed::interpret::scalar;
use crate::typed::ir::{Constant, LaneOp, ReduceOp};
use crate::types::Element;

/// The value that changes no other: a ⊕ identity = a.
pub fn identity(op: ReduceOp, element: Element, span: Span) -> Expr {
    let bits = scalar::neutral(op, element);
    let constant = match element {
        Element::Bool => Constant::Bool(bits != 0),
        _ if element.is_float() => Constant::Float(f64::from_bits(scalar::convert(element, Element::Double, bits))),
        _ => Constant::Int(bits),
    };
    Expr::new(ExprKind::Constant(constant), element, span)
}

/// a ⊕ b
pub fn apply(op: ReduceOp, a: Expr, b: Expr) -> Expr {
    match operation(op) {
        Operation::Operator(op) => Expr::binary(op, a, b),
        Operation::Builtin(op) => Expr::builtin(op, vec![a, b]),
    }
}

/// ⊕ and a of a value that is stored to f at these indices.
pub fn combination(func: FuncId, indices: &[Expr], value: &Expr) -> Option<(ReduceOp, Expr)> {
    let (op, a, b) = if let ExprKind::Binary(op, a, b) = value.kind() {
        (OPERATORS.iter().find(|(known, _)| known == op)?.1, a, b)
    } else if let ExprKind::Builtin(op @ (LaneOp::Min | LaneOp::Max), operands) = value.kind() {
        (if *op == LaneOp::Min { ReduceOp::Min } else { ReduceOp::Max }, &operands[0], &operands[1])
    } else {
        return None;
    };
    let is_at = |at: &[Expr]| at.iter().zip(indices).all(|(a, b)| a.is_same(b));
    let is_own = |e: &Expr| matches!(e.kind(), ExprKind::Read(Source::Func(read, 0), at) if *read == func && is_at(at));
    let other = if is_own(a) { b } else { a };
    let is_combination = (is_own(a) || is_own(b)) && !other.reads_func(func);
    is_combination.then(|| (op, other.clone()))
}

/// Is a stage an associative update? If not, why.
///
/// # Errors
/// What is against it, as the end of a sentence about the stage.
pub fn check(pipeline: &Pipeline, name: StageName) -> Result<(), String> {
    let func = pipeline.func(name.func);
    let stage = &func.stages[name.stage];
    let own = &func.name;
    if name.stage == 0 {
        return Err(format!("the pure stage of `{own}` is no update"));
    }
    if func.elements.len() > 1 {
        return Err(format!("`{own}` has several values"));
    }
    if stage.predicate.as_ref().is_some_and(|e| e.reads_func(name.func)) {
        return Err(format!("race: the predicate reads `{own}`, which it updates"));
    }
    if stage.indices.iter().any(|e| e.reads_func(name.func)) {
        return Err(format!("race: an index reads `{own}`, which it updates"));
    }
    let form = combination(name.func, &stage.indices, &stage.values[0]);
    if form.is_none() || stage.lets.iter().any(|(_, e)| e.reads_func(name.func)) {
        return Err(format!(
            "this update of `{own}` is not associative: it is none of `{own}(e) += a`, *=, &=, |=, ^=, min=, max="
        ));
    }
    if func.elements[0].is_float() && !pipeline.reassociates() {
        return Err(format!(
            "it would change the order of float operations of `{own}`, which fast arithmetic (`[[fp(fast)]]`, `--fp fast`) allows"
        ));
    }
    Ok(())
}
