//! The versions of a schedule by the strides of its inputs, for `f.specialize(in.stride(0) == 3)`.
//!
//! ```text
//! where in.stride(0) is 3:                             where it is not:
//!   if in.stride(0) == 3 && w: s⁰    ──►   if w: s⁰      if in.stride(0) == 3 && w: s⁰    ──►   (nothing)
//!   if !(in.stride(0) == 3 && w): s¹       if !w: s¹     if !(in.stride(0) == 3 && w): s¹       s¹
//! ```
//! The loops of a version see pixels at known distances: nothing is copied, and neighbours are shuffled out of whole vectors.
//! Other strides of dimension 0 are those of copies. Which strides there are versions for is what conditions of `specialize`
//! compare with constants.

use super::super::expr::{Expr, ExprKind, Variable};
use super::super::loops::ir::{Nest, Statement};
use super::super::simplify::{constant_value, simplify, truth};
use super::rewrite;
use crate::typed::ir::{CompareOp, Constant, UnaryOp};
use crate::types::Element;

/// What a version knows of the strides of inputs.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// The strides that are known.
    pub known: Vec<(Variable, i64)>,
    /// What strides are not.
    other: Vec<(Variable, i64)>,
}

impl Version {
    /// The stride, if it is known.
    pub fn stride(&self, variable: Variable) -> Option<i64> {
        self.known.iter().find(|(known, _)| *known == variable).map(|(_, stride)| *stride)
    }
}

/// The versions of a nest: the first one runs whose strides the inputs have. The last one knows none.
pub fn versions(nest: &Nest) -> Vec<Version> {
    let mut known: Vec<Vec<(Variable, i64)>> = Vec::new();
    for case in &nest.cases {
        let mut strides = Vec::new();
        conjuncts(nest, case, &mut strides);
        strides.sort_unstable();
        strides.dedup();
        if !strides.is_empty() && !known.contains(&strides) {
            known.push(strides);
        }
    }
    // Those that know more come first.
    known.sort_by_key(|strides| std::cmp::Reverse(strides.len()));
    known.push(Vec::new());
    let mut other: Vec<(Variable, i64)> = Vec::new();
    let version = |known: Vec<(Variable, i64)>| {
        let version = Version { known, other: other.clone() };
        if let [single] = version.known[..] {
            other.push(single);
        }
        version
    };
    known.into_iter().map(version).collect()
}

/// The strides that a condition asks for.
fn conjuncts(nest: &Nest, condition: &Expr, strides: &mut Vec<(Variable, i64)>) {
    if let Some((a, b)) = condition.as_conjunction() {
        conjuncts(nest, a, strides);
        conjuncts(nest, b, strides);
    } else if let Some((CompareOp::Equal, variable, stride)) = comparison(condition)
        && nest.pipeline.strides().any(|(_, _, known)| known == variable)
    {
        strides.push((variable, stride));
    }
}

/// `stride == c`, `stride != c`
fn comparison(condition: &Expr) -> Option<(CompareOp, Variable, i64)> {
    let ExprKind::Compare(op @ (CompareOp::Equal | CompareOp::NotEqual), a, b) = condition.kind() else { return None };
    // A number that is written takes the type of the stride.
    let written = |c: &Expr| if let ExprKind::Convert(written) = c.kind() { written.clone() } else { c.clone() };
    let is_it = |v: &Expr, c: &Expr| Some((*op, v.as_variable()?, constant_value(&simplify(&written(c)))?));
    is_it(a, b).or_else(|| is_it(b, a))
}

/// Leaves the copies of funcs that a version may run.
pub fn assume(nest: &mut Nest, version: &Version) {
    rewrite(nest, &mut |_, s| {
        if let Statement::If(condition, body) = s {
            let condition = decided(&condition, version);
            return match truth(&condition) {
                Some(true) => *body,
                Some(false) => Statement::Nop,
                None => Statement::If(condition, body),
            };
        }
        if let Statement::Sequence(list) = s {
            return Statement::Sequence(list.into_iter().filter(|s| !matches!(s, Statement::Nop)).collect());
        }
        s
    });
}

/// A condition with what is known of strides in it.
fn decided(condition: &Expr, version: &Version) -> Expr {
    let known = |value: bool| Expr::new(ExprKind::Constant(Constant::Bool(value)), Element::Bool, condition.span());
    if let Some((op, variable, stride)) = comparison(condition) {
        let is_equal = match version.stride(variable) {
            Some(known) => Some(known == stride),
            None => version.other.contains(&(variable, stride)).then_some(false),
        };
        return is_equal.map_or_else(|| condition.clone(), |is_equal| known(is_equal == (op == CompareOp::Equal)));
    }
    if let ExprKind::Unary(UnaryOp::Not, inner) = condition.kind() {
        let inner = decided(inner, version);
        let not = || Expr::new(ExprKind::Unary(UnaryOp::Not, inner.clone()), Element::Bool, condition.span());
        return truth(&inner).map_or_else(not, |value| known(!value));
    }
    let Some((a, b)) = condition.as_conjunction().or(condition.as_disjunction()) else { return condition.clone() };
    let changes_nothing = condition.as_conjunction().is_some();
    let (a, b) = (decided(a, version), decided(b, version));
    match (truth(&a), truth(&b)) {
        (Some(value), _) | (_, Some(value)) if value != changes_nothing => known(value),
        (Some(_), _) => b,
        (_, Some(_)) => a,
        (None, None) => condition.with_children(|part| decided(part, version)),
    }
}
