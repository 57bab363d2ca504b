//! Parts of windows: what one reader needs, and the hull of such.
//!
//! ```text
//! f[x] = x < n ? g[x - 1] : g[2 * x],  x in [0, 9]     [-1, min(8, n - 2)] if n > 0, [2 * max(n, 0), 18] if n < 10
//! ```
//! A part whose condition fails is nowhere: its ends are [`FAR`] away then, on the sides on which they do not count.
//!
//! # Guards
//! Of a loop that was split, each iteration of the outer loop has one of the inner loop that passes the guard. Where the scope has
//! a part of the inner loop alone, since that was split again, or the outer loop alone, that is so in some iteration of what is
//! outside, but not in each: there the window may be empty. Its ends lie the wrong way round then, and its length is 0.

use super::super::algorithm::Func;
use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::limits::FAR;
use super::super::loops::ir::{Block, OutputWindow, StageName};
use super::super::loops::lower::compute_window;
use super::super::simplify::{constant_value, extremum, minus, offset, plus, simplify, truth};
use super::accesses::{Access, Place};
use super::infer::Inference;
use super::places::Way;
use super::range::{Condition, Scope, Solver};
use crate::source::Span;
use crate::typed::ir::{CompareOp, Constant};
use crate::types::Element;

/// A part of a window: where it counts, and its ends by dimension.
pub(super) struct Part {
    pub conditions: Vec<Expr>,
    /// Where the conditions hold, is there a point?
    pub is_sure: bool,
    /// The loops around of which some iterations pass no guard. In one of them there is a point if the above says so.
    pub unpassed: Vec<Variable>,
    pub ends: Vec<(Expr, Expr)>,
}

impl Part {
    /// One that holds a point, whatever happens.
    pub fn always(ends: Vec<(Expr, Expr)>) -> Part {
        Part { conditions: Vec::new(), is_sure: true, unpassed: Vec::new(), ends }
    }

    /// Does it hold a point, whatever the arguments are?
    pub fn is_certain(&self) -> bool {
        self.passing().is_some_and(<[Variable]>::is_empty)
    }

    /// The loops of which some iteration has a point, if that is known.
    pub fn passing(&self) -> Option<&[Variable]> {
        (self.conditions.is_empty() && self.is_sure).then_some(&self.unpassed)
    }

    /// Does it count where another one does, and end there?
    pub fn is_same(&self, other: &Part) -> bool {
        self.ends == other.ends && self.conditions == other.conditions
    }
}

/// The ends of a window with this minimum and this length.
fn ends_of([min, length]: [Expr; 2]) -> (Expr, Expr) {
    let high = last(&min, &length);
    (min, high)
}

/// The last coordinate of a window.
pub(super) fn last(min: &Expr, length: &Expr) -> Expr {
    offset(&plus(min, length), -1)
}

fn is_positive(length: &Expr) -> Expr {
    Expr::compare(CompareOp::Greater, length.clone(), Expr::int(0, length.span()))
}

/// Ends that count under one condition, or always.
type Group = (Option<Expr>, Vec<(Expr, Expr)>);

impl Inference<'_> {
    /// The window that the caller asks for.
    pub fn requested(&self, output: &OutputWindow) -> Part {
        let span = self.pipeline.func(output.func).span;
        let value = |v: Variable| Expr::variable(v, Element::Int32, span);
        let ends = output.window.iter().map(|window| ends_of(window.map(value))).collect();
        // A pipeline with one output does not start on an empty window.
        let may_be_empty = self.pipeline.outputs.len() > 1;
        let extents = output.window.iter().filter(|_| may_be_empty).map(|&[_, extent]| value(extent));
        Part { conditions: extents.map(|extent| is_positive(&extent)).collect(), ..Part::always(ends) }
    }

    /// The compute window of a stage, by its holes.
    pub fn window_of(&self, stage: StageName) -> Part {
        let rank = self.pipeline.func(stage.func).variables.len();
        let mut part = Part::always(Vec::new());
        for window in (0..rank).map(|d| compute_window(self.nest, stage, d)) {
            let length = &window[1];
            let is_known = match length.as_variable() {
                Some(v) => {
                    let inhabited = self.found.inhabited.borrow();
                    part.unpassed.extend(inhabited.get(&v).into_iter().flatten());
                    inhabited.contains_key(&v)
                }
                None => constant_value(length).is_some_and(|n| n > 0),
            };
            part.conditions.extend((!is_known).then(|| is_positive(length)));
            part.ends.push(ends_of(window));
        }
        // Where one of them is positive, all are.
        if self.found.together.borrow().contains(&(stage.func, stage.stage)) {
            part.conditions.truncate(1);
        }
        part
    }

    /// The scope inside of some statements.
    pub fn scope_of(&self, way: &Way<'_>) -> Scope {
        let mut scope = Scope::default();
        way.iter().for_each(|(statement, block)| self.enter(statement, *block, &mut scope));
        scope
    }

    /// A window that is known in a scope, by its ends and the loops of which some iterations have none, as all iterations from an
    /// outer block on see it; or else the dimensions in which nothing bounds it there.
    pub fn seen_in(&self, scope: &Scope, outer: Block, window: &Part) -> Result<Part, Vec<usize>> {
        let mut scope = scope.clone();
        self.assume_passed(&window.unpassed, &mut scope);
        let solver = Solver::new(&scope, self, Some(outer));
        let (mut ends, mut open) = (Vec::new(), Vec::new());
        for (d, (low, high)) in window.ends.iter().enumerate() {
            let [low, high] = [low, high].map(|e| self.with_nothing_done(e, &scope));
            match (solver.range(&low).low, solver.range(&high).high) {
                (Some(low), Some(high)) => ends.push((low, high)),
                _ => open.push(d),
            }
        }
        if open.is_empty() { Ok(self.part_in(&solver, ends, false)) } else { Err(open) }
    }

    /// The part with these ends, by what a scope says of where it counts. `everywhere`: wherever the stage runs, which may be known
    /// for one copy of a func alone.
    pub fn part_in(&self, solver: &Solver<'_>, ends: Vec<(Expr, Expr)>, everywhere: bool) -> Part {
        let (mut conditions, is_sure) = solver.inhabited(true);
        conditions.extend(solver.known.cases.iter().filter(|_| everywhere).cloned());
        Part { conditions, is_sure, unpassed: self.unpassed(solver), ends }
    }

    /// The loops outside of a scope of which some iterations pass no guard.
    fn unpassed(&self, solver: &Solver<'_>) -> Vec<Variable> {
        let mut found = Vec::new();
        let mut work = solver.known.unpassed.clone();
        while let Some(variable) = work.pop() {
            let mut splits = self.nest.splits.iter().filter(|split| split.variable == variable).peekable();
            if splits.peek().is_none() && !solver.ranges(variable) && !found.contains(&variable) {
                found.push(variable);
            }
            work.extend(splits.flat_map(|split| &split.parts));
        }
        found
    }

    /// In some iteration of these loops there is a point.
    pub fn assume_passed(&self, loops: &[Variable], scope: &mut Scope) {
        let always = Expr::new(ExprKind::Constant(Constant::Bool(true)), Element::Bool, self.pipeline.span);
        loops.iter().for_each(|l| scope.add(always.clone(), Condition::Guard(*l)));
    }

    /// What the readers of a func and the caller need of it, in terms of a block.
    pub fn needed(&self, block: Block, func: FuncId, output: Option<&OutputWindow>) -> Vec<Part> {
        let accesses = self.accesses(block, Source::Func(func, 0));
        let others = accesses.iter().filter(|a| a.place.reader.func != func);
        others.filter_map(|a| self.part(a, true)).chain(output.map(|window| self.requested(window))).collect()
    }

    /// What an access needs of its source: where it counts as a value (`clipped`), or wherever it runs.
    pub fn part(&self, access: &Access<'_>, clipped: bool) -> Option<Part> {
        if clipped && !access.decides && self.nest.overcomputed.contains(&access.place.reader) {
            let mut scope = access.scope.clone();
            self.clip(access.place.reader, &mut scope);
            return self.part_of(access.indices, &scope, access.place, false);
        }
        self.part_of(access.indices, &access.scope, access.place, true)
    }

    /// What is at some indices in a scope; `everywhere` as in [`Self::part_in`].
    pub fn part_of(&self, indices: &[Expr], scope: &Scope, place: Place, everywhere: bool) -> Option<Part> {
        let solver = Solver::new(scope, self, Some(place.block));
        let mut ends = Vec::new();
        for (dimension, index) in indices.iter().enumerate() {
            let interval = solver.range(&self.guarded(index));
            match (interval.low, interval.high) {
                (Some(low), Some(high)) => ends.push((low, high)),
                _ => {
                    self.is_unbounded(place, dimension, index);
                    return None;
                }
            }
        }
        Some(self.part_in(&solver, ends, everywhere))
    }

    /// The least and the greatest coordinate of all parts.
    pub fn ends(&self, parts: &[Part], dimension: usize, span: Span) -> (Expr, Expr) {
        // Parts under the same condition share it.
        let mut groups: Vec<Group> = Vec::new();
        for part in parts {
            let all = part.conditions.iter().cloned().reduce(|a, b| Expr::new(ExprKind::And(a, b), Element::Bool, span));
            let condition = match all.map(|condition| simplify(&condition)) {
                Some(condition) if truth(&condition) == Some(false) => continue,
                other => other.filter(|condition| truth(condition).is_none()),
            };
            let ends = part.ends[dimension].clone();
            match groups.iter_mut().find(|(known, _)| *known == condition) {
                Some((_, list)) => list.push(ends),
                None => groups.push((condition, vec![ends])),
            }
        }
        let hull = |is_min: bool| {
            let nowhere = Expr::int(if is_min { FAR } else { -FAR }, span);
            let end = |list: &[(Expr, Expr)]| {
                let ends: Vec<Expr> = list.iter().map(|(low, high)| if is_min { low.clone() } else { high.clone() }).collect();
                extremum(is_min, &ends)
            };
            // Where one of several conditions leads to an end, it is there once.
            let mut by_end: Vec<(Option<Expr>, Expr)> = Vec::new();
            for (condition, list) in &groups {
                let end = end(list);
                match by_end.iter_mut().find(|(_, known)| *known == end) {
                    Some((known, _)) => {
                        let both = known.take().zip(condition.clone());
                        *known = both.map(|(a, b)| Expr::new(ExprKind::Or(a, b), Element::Bool, span));
                    }
                    None => by_end.push((condition.clone(), end)),
                }
            }
            let counting = |(condition, end): (Option<Expr>, Expr)| {
                condition.into_iter().fold(end, |end, c| Expr::conditional(c, end, nowhere.clone()))
            };
            let ends: Vec<Expr> = by_end.into_iter().map(counting).collect();
            if ends.is_empty() { nowhere } else { extremum(is_min, &ends) }
        };
        (hull(true), hull(false))
    }

    /// The hull of parts of a func in terms of a block, as minimum and length by dimension. A hull of nothing is empty.
    pub fn hull(&self, parts: &[Part], func: &Func, block: Block) -> Vec<(Expr, Expr)> {
        let is_certain = parts.iter().any(Part::is_certain);
        let window = |dimension| {
            let (low, high) = self.ends(parts, dimension, func.span);
            let (low, high) = (self.named(block, &low), self.named(block, &high));
            let length = offset(&minus(&high, &low), 1);
            (low, if is_certain { length } else { extremum(false, &[length, Expr::int(0, func.span)]) })
        };
        (0..func.variables.len()).map(window).collect()
    }
}
