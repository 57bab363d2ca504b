//! The versions of a schedule by the strides of its views, for `f.specialize(in.stride(0) == 3)`.
//!
//! ```text
//! where in.stride(0) is 3:                             where it is not:
//!   if in.stride(0) == 3 && w: s⁰    ──►   if w: s⁰      if in.stride(0) == 3 && w: s⁰    ──►   (nothing)
//!   if !(in.stride(0) == 3 && w): s¹       if !w: s¹     if !(in.stride(0) == 3 && w): s¹       s¹
//! ```
//! The loops of a version see pixels at known distances: nothing is copied, and neighbours are shuffled out of whole vectors; outputs may be such, too.
//! Other strides of dimension 0 are those of copies. Which strides there are versions for is what conditions of `specialize`
//! compare with constants; what they say of the minima and extents of views beside that is known as well. The strides of an input that an output overwrites
//! are looked at when the work runs.

use super::super::expr::{Expr, ExprKind, InputId, Source, Variable};
use super::super::loops::ir::{Nest, Statement};
use super::super::simplify::{constant_value, folded, simplify, truth};
use super::rewrite;
use crate::typed::ir::{CompareOp, Constant, UnaryOp};
use crate::types::Element;

/// What a version knows of the strides of inputs.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// The strides that are known, and what else is known of views with these.
    pub known: Vec<(Variable, i64)>,
    /// Strides that inputs do not have together: those of the versions in front of it.
    other: Vec<Vec<(Variable, i64)>>,
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
        let mut strides = equalities(nest, case);
        let is_stride = |variable| number(nest, variable).is_some_and(|number| number.part == Part::Stride);
        if !strides.iter().any(|&(variable, _)| is_stride(variable)) {
            continue;
        }
        // What has its pixels in another order than these would be copied, and have other strides.
        let first = |variable: Variable| {
            let input = nest.pipeline.inputs.iter().find(|input| input.dimensions.iter().any(|d| d.stride == variable));
            input.map(|input| input.dimensions[0].stride)
        };
        let innermost: Vec<Variable> = strides.iter().filter_map(|&(variable, _)| first(variable)).collect();
        for stride in innermost {
            if strides.iter().all(|&(known, _)| known != stride) {
                strides.push((stride, 1));
            }
        }
        strides.sort_unstable();
        strides.dedup();
        if !strides.is_empty() && !known.contains(&strides) {
            known.push(strides);
        }
    }
    // Those that know more come first.
    known.sort_by_key(|strides| std::cmp::Reverse(strides.len()));
    known.push(Vec::new());
    (0..known.len()).map(|k| Version { known: known[k].clone(), other: known[..k].to_vec() }).collect()
}

/// The numbers of views that a condition asks for.
fn equalities(nest: &Nest, condition: &Expr) -> Vec<(Variable, i64)> {
    if let Some((a, b)) = condition.as_conjunction() {
        return [equalities(nest, a), equalities(nest, b)].concat();
    }
    match comparison(condition) {
        Some((CompareOp::Equal, variable, value)) if is_plain(nest, variable) => vec![(variable, value)],
        Some(_) | None => Vec::new(),
    }
}

/// Is it a number of a view of which the caller has no other one, read and overwritten?
fn is_plain(nest: &Nest, variable: Variable) -> bool {
    let pipeline = &nest.pipeline;
    number(nest, variable).is_some_and(|number| match number.source {
        Source::Input(input) => pipeline.overwrites(input).is_none(),
        Source::Func(output, _) => pipeline.overwritten_by(output).is_none() && pipeline.func(output).elements.len() == 1,
    })
}

/// The parts of a dimension of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its first coordinate.
    Min,
    /// How many coordinates there are.
    Extent,
    /// How far neighbours are apart.
    Stride,
}

/// A number of a view that the caller passes.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// What the view shows.
    pub source: Source,
    /// The dimension.
    pub dimension: usize,
    /// What of it.
    pub part: Part,
}

/// The number that a variable is, if it is one of a view.
pub fn number(nest: &Nest, variable: Variable) -> Option<Number> {
    let of = |source, dimension, all: [Variable; 3]| {
        let parts = [Part::Min, Part::Extent, Part::Stride];
        let at = all.iter().position(|&v| v == variable)?;
        Some(Number { source, dimension, part: parts[at] })
    };
    let inputs = nest.pipeline.inputs.iter().zip(0..).flat_map(|(input, id)| {
        let source = Source::Input(InputId(id));
        input.dimensions.iter().enumerate().map(move |(d, it)| (source, d, [it.min, it.extent, it.stride]))
    });
    let outputs = nest.requests.iter().flat_map(|request| {
        let all = request.window.iter().zip(&request.strides).enumerate();
        all.map(|(d, (&[min, extent], &stride))| (Source::Func(request.func, 0), d, [min, extent, stride]))
    });
    inputs.chain(outputs).find_map(|(source, d, all)| of(source, d, all))
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
    nest.known.clone_from(&version.known);
    rewrite(nest, &mut |nest, s| {
        if let Statement::If(condition, body) = s {
            let condition = decided(nest, &condition, version);
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
fn decided(nest: &Nest, condition: &Expr, version: &Version) -> Expr {
    let known = |value: bool| Expr::new(ExprKind::Constant(Constant::Bool(value)), Element::Bool, condition.span());
    let asked = equalities(nest, condition);
    if version.other.iter().any(|strides| strides.iter().all(|stride| asked.contains(stride))) {
        return known(false);
    }
    if let Some((op, variable, stride)) = comparison(condition)
        && let Some(own) = version.stride(variable)
    {
        return known((own == stride) == (op == CompareOp::Equal));
    }
    let is_logic = condition.as_conjunction().or(condition.as_disjunction()).is_some();
    if is_logic || matches!(condition.kind(), ExprKind::Unary(UnaryOp::Not, _)) {
        return folded(condition.with_children(|part| decided(nest, part, version)));
    }
    condition.clone()
}
