//! Associative updates: `f(e) = f(e) ⊕ a`, where ⊕ is a [`ReduceOp`], one of `+ * & | ^ min max` on integers and a does not read f. Their
//! iterations may run in any order, and partial results may be combined: by lanes, by threads, by funcs of their own.
//!
//! On floats the order of additions changes the result, so that these count as associative under fast arithmetic only.

use super::algorithm::Pipeline;
use super::expr::{Expr, ExprKind, FuncId, Source};
use super::loops::ir::StageName;
use crate::source::Span;
use crate::target::FpMode;
use crate::typed::ir::{BinaryOp, Constant, LaneOp, ReduceOp};
use crate::types::Element;

/// The value that changes no other: a ⊕ identity = a.
pub fn identity(op: ReduceOp, element: Element, span: Span) -> Expr {
    let bits = element.bits();
    let (least, greatest) = match (element, element.is_float(), element.is_signed()) {
        (Element::Bool, ..) => (Constant::Bool(false), Constant::Bool(true)),
        (_, true, _) => (Constant::Float(f64::NEG_INFINITY), Constant::Float(f64::INFINITY)),
        (_, false, true) => (Constant::Int(1 << (bits - 1)), Constant::Int((1u64 << (bits - 1)) - 1)),
        (_, false, false) => (Constant::Int(0), Constant::Int(u64::MAX >> (64 - bits))),
    };
    let number = |n: u8| match (element, element.is_float()) {
        (Element::Bool, _) => Constant::Bool(n != 0),
        (_, true) => Constant::Float(f64::from(n)),
        (_, false) => Constant::Int(u64::from(n)),
    };
    let constant = match op {
        ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor => number(0),
        ReduceOp::Multiply => number(1),
        ReduceOp::And if element == Element::Bool => Constant::Bool(true),
        ReduceOp::And => Constant::Int(u64::MAX >> (64 - bits)),
        ReduceOp::Min => greatest,
        ReduceOp::Max => least,
    };
    Expr::new(ExprKind::Constant(constant), element, span)
}

/// a ⊕ b
pub fn apply(op: ReduceOp, a: Expr, b: Expr) -> Expr {
    match op {
        ReduceOp::Add => Expr::binary(BinaryOp::Add, a, b),
        ReduceOp::Multiply => Expr::binary(BinaryOp::Multiply, a, b),
        ReduceOp::And => Expr::binary(BinaryOp::BitAnd, a, b),
        ReduceOp::Or => Expr::binary(BinaryOp::BitOr, a, b),
        ReduceOp::Xor => Expr::binary(BinaryOp::BitXor, a, b),
        ReduceOp::Min => Expr::builtin(LaneOp::Min, vec![a, b]),
        ReduceOp::Max => Expr::builtin(LaneOp::Max, vec![a, b]),
    }
}

/// ⊕ and a of a value that is stored to f at these indices.
pub fn combination(func: FuncId, indices: &[Expr], value: &Expr) -> Option<(ReduceOp, Expr)> {
    const OPERATORS: [(BinaryOp, ReduceOp); 5] = [
        (BinaryOp::Add, ReduceOp::Add),
        (BinaryOp::Multiply, ReduceOp::Multiply),
        (BinaryOp::BitAnd, ReduceOp::And),
        (BinaryOp::BitOr, ReduceOp::Or),
        (BinaryOp::BitXor, ReduceOp::Xor),
    ];
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
    let is_combination = (is_own(a) || is_own(b)) && !reads(other, func);
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
    if stage.predicate.as_ref().is_some_and(|e| reads(e, name.func)) {
        return Err(format!("race: the predicate reads `{own}`, which it updates"));
    }
    if stage.indices.iter().any(|e| reads(e, name.func)) {
        return Err(format!("race: an index reads `{own}`, which it updates"));
    }
    let form = combination(name.func, &stage.indices, &stage.values[0]);
    if form.is_none() || stage.lets.iter().any(|(_, e)| reads(e, name.func)) {
        return Err(format!(
            "this update of `{own}` is not associative: it is none of `{own}(e) += a`, *=, &=, |=, ^=, min=, max="
        ));
    }
    if func.elements[0].is_float() && pipeline.fp != FpMode::Fast {
        return Err(format!(
            "it would change the order of float operations of `{own}`, which fast arithmetic (`[[fp(fast)]]`, `--fp fast`) allows"
        ));
    }
    Ok(())
}

fn reads(e: &Expr, func: FuncId) -> bool {
    let mut found = false;
    e.walk(&mut |part| found |= matches!(part.kind(), ExprKind::Read(Source::Func(read, _), _) if *read == func));
    found
}
