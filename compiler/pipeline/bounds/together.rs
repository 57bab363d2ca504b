//! Windows that have a point or no length at all.
//!
//! A window is the hull of parts, each of which holds a point where its conditions hold, and is nowhere where they do not (see
//! [`super::parts`]). If that is known of all parts, the hull has a length of 0 in each dimension or in none. So wherever a loop
//! over one of the dimensions has an iteration, the loops over the others have one, and nobody has to ask inside of it:
//! ```text
//! for y in ?cpu f_y            some iteration: the window of f has a point
//!   for x in ?cpu f_x          has an iteration
//!     … g[x, y] …              so the window of g has a point
//! ```

use super::super::expr::{Expr, ExprKind, FuncId, Variable};
use super::super::loops::ir::{Binder, End, HoleKind, Loop, Nest, StageName, Statement};
use super::super::simplify::linear;
use super::form::quotient;
use super::infer::Inference;
use super::parts::Part;
use crate::typed::ir::BinaryOp;
use rustc_hash::FxHashSet;

/// The loops that stand inside of one of their own stage that has no iteration if the window of the stage has no point.
pub(super) fn inner_loops(nest: &Nest) -> FxHashSet<(StageName, Variable)> {
    let mut found = FxHashSet::default();
    nest.body.walk(&mut |s| {
        if let Statement::For(outer) = s
            && outer.is_pure
            && needs_point(nest, outer.stage, &outer.length)
        {
            outer.body.walk(&mut |s| {
                if let Statement::For(inner) = s
                    && inner.stage == outer.stage
                {
                    found.insert((inner.stage, inner.variable));
                }
            });
        }
    });
    found
}

/// Is it positive only if the compute window of the stage has a length?
fn needs_point(nest: &Nest, stage: StageName, length: &Expr) -> bool {
    if let Some(v) = length.as_variable() {
        return is_length(nest, stage, v);
    }
    // Of fused loops.
    if let ExprKind::Binary(BinaryOp::Multiply, a, b) = length.kind() {
        return needs_point(nest, stage, a) && needs_point(nest, stage, b);
    }
    // ⌈L / n⌉
    let Some((sum, n)) = quotient(length) else { return false };
    let form = linear(sum);
    matches!(&form.terms[..], [(atom, 1)] if (0..n).contains(&form.constant) && needs_point(nest, stage, atom))
}

/// Is the variable a length of the compute window of a stage?
fn is_length(nest: &Nest, stage: StageName, variable: Variable) -> bool {
    let Some(Binder::Hole(hole)) = nest.binder(variable) else { return false };
    let is_of_stage = hole.kind == HoleKind::Compute { stage: stage.stage } && hole.func == stage.func;
    is_of_stage && hole.end == End::Length
}

impl Inference<'_> {
    /// Do the lengths of a window with these parts, by production, have that property? What a schedule asserts may not.
    pub fn lengths_are_together<'p>(&self, func: FuncId, mut parts: impl Iterator<Item = &'p Part>) -> bool {
        parts.all(|part| part.is_sure && part.unpassed.is_empty()) && self.nest.bounds.iter().all(|bound| bound.func != func)
    }

    /// Is it the length of a window that is positive wherever this loop stands?
    pub fn is_positive_in(&self, l: &Loop, length: Variable) -> bool {
        if self.found.inhabited.borrow().contains_key(&length) {
            return true;
        }
        self.inner.contains(&(l.stage, l.variable))
            && self.found.together.borrow().contains(&(l.stage.func, l.stage.stage))
            && is_length(self.nest, l.stage, length)
    }
}
