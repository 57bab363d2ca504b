//! Associative updates: `f(e) = f(e) ⊕ a`, where ⊕ is one of `+ * & | ^ min max` on integers and a does not read f. Their
//! iterations may run in any order, and partial results may be combined: by lanes, by threads, by funcs of their own.
//!
//! On floats the order of additions changes the result, so that these count as associative under fast arithmetic only.

use super::algorithm::Pipeline;
use super::expr::{Expr, ExprKind, FuncId, Source};
use super::loops::ir::StageName;
use crate::source::Span;
use crate::target::FpMode;
use crate::typed::ir::{BinaryOp, Builtin, Constant};
use crate::types::Element;

/// ⊕
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// `+ * & | ^`
    Operator(BinaryOp),
    /// `min max`
    Builtin(Builtin),
}

impl Combine {
    /// The built-in that combines the active lanes of a vector.
    pub fn reduction(self) -> &'static str {
        match self {
            Combine::Operator(BinaryOp::Add) => "reduce_add",
            Combine::Operator(BinaryOp::Multiply) => "reduce_mul",
            Combine::Operator(BinaryOp::BitAnd) => "reduce_and",
            Combine::Operator(BinaryOp::BitOr) => "reduce_or",
            Combine::Operator(BinaryOp::BitXor) => "reduce_xor",
            Combine::Builtin(Builtin::Min) => "reduce_min",
            Combine::Builtin(Builtin::Max) => "reduce_max",
            Combine::Operator(_) | Combine::Builtin(_) => unreachable!("`combination` gives no others"),
        }
    }

    /// The operation of the language that does it to memory in one step.
    pub fn atomic(self) -> &'static str {
        match self {
            Combine::Operator(BinaryOp::Add) => "atomic_add",
            Combine::Operator(BinaryOp::Multiply) => "atomic_mul",
            Combine::Operator(BinaryOp::BitAnd) => "atomic_and",
            Combine::Operator(BinaryOp::BitOr) => "atomic_or",
            Combine::Operator(BinaryOp::BitXor) => "atomic_xor",
            Combine::Builtin(Builtin::Min) => "atomic_min",
            Combine::Builtin(Builtin::Max) => "atomic_max",
            Combine::Operator(_) | Combine::Builtin(_) => unreachable!("`combination` gives no others"),
        }
    }

    /// The value that changes no other: a ⊕ identity = a.
    pub fn identity(self, element: Element, span: Span) -> Expr {
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
        let constant = match self {
            Combine::Operator(BinaryOp::Add | BinaryOp::BitOr | BinaryOp::BitXor) => number(0),
            Combine::Operator(BinaryOp::Multiply) => number(1),
            Combine::Operator(BinaryOp::BitAnd) if element == Element::Bool => Constant::Bool(true),
            Combine::Operator(BinaryOp::BitAnd) => Constant::Int(u64::MAX >> (64 - bits)),
            Combine::Builtin(Builtin::Min) => greatest,
            Combine::Builtin(Builtin::Max) => least,
            Combine::Operator(_) | Combine::Builtin(_) => unreachable!("`combination` gives no others"),
        };
        Expr::new(ExprKind::Constant(constant), element, span)
    }

    /// a ⊕ b
    pub fn apply(self, a: Expr, b: Expr) -> Expr {
        match self {
            Combine::Operator(op) => Expr::binary(op, a, b),
            Combine::Builtin(builtin) => Expr::builtin(builtin, vec![a, b]),
        }
    }
}

/// ⊕ and a of a value that is stored to f at these indices.
pub fn combination(func: FuncId, indices: &[Expr], value: &Expr) -> Option<(Combine, Expr)> {
    let (combine, a, b) = match value.kind() {
        ExprKind::Binary(
            op @ (BinaryOp::Add | BinaryOp::Multiply | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor),
            a,
            b,
        ) => (Combine::Operator(*op), a, b),
        ExprKind::Builtin(builtin @ (Builtin::Min | Builtin::Max), operands) => {
            (Combine::Builtin(*builtin), &operands[0], &operands[1])
        }
        _ => return None,
    };
    let is_own = |e: &Expr| match e.kind() {
        ExprKind::Read(Source::Func(read, 0), at) => *read == func && at.iter().zip(indices).all(|(a, b)| a.is_same(b)),
        _ => false,
    };
    let other = if is_own(a) { b } else { a };
    let is_combination = (is_own(a) || is_own(b)) && !reads(other, func);
    is_combination.then(|| (combine, other.clone()))
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
