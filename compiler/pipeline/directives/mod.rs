//! Directives (section 8, figure 12): each makes a new nest of an old one, or says which restriction it breaks.
//!
//! ```text
//! for x in ?cpu f_x                    for xo in [0, +(L + 3) / 4)
//!   f[x] = …          ─split(x,          for xi in [0, +4)                       L = (?cpu f_x).len
//!                       xo, xi, 4,         if xo * 4 + xi < L
//!                       guard)─►             let x = (?cpu f_x).min + xo * 4 + xi
//!                                            f[x] = …
//! ```
//! In which order they are written matters for the loops of one stage alone: those that make loops (`split`, `fuse`, `reorder`, `swap`, `tile`,
//! `vectorize`, `unroll`) and `rfactor` come as they are written, each on the loops that those before it leave. All others have phases:
//! in front `rfactor`, with those that it takes, and `inline`, which make a new algorithm; then what is said of funcs (`specialize`, `bound`, `bound_extent`,
//! `align_bounds`, `fold_storage`: what is asserted holds in every nest, so that loops may be chosen by it) and `atomic`; then loops; then `parallel` and
//! `serial`, of the loops that there are at last, or the outermost that a former one became; then computation (`compute_at`, `compute_root`) and storage (`store_at`, `store_root`), each of
//! readers before that of what they read. Whether a func slides is decided by `bounds`, which knows windows.
//!
//! * `state`: the nest so far, and how a directive is refused. `target`: names of funcs, stages, loops and tails. `parse`: what is written, as directives with arguments.
//!   `startup`: the numbers. `chain`: the loops of a stage taken apart.
//! * `rfactor`, `atomic`, `specialize`, `window`, `split`, `order`, `place`: the directives by kind. `inline`: a func in the place of
//!   its reads. `auto`: the schedule that every pipeline has; `contractions` with `tiles` and `columns`, `overwritten`, `row_reductions`, `point_reductions`, `lanes`: what it does for
//!   sums; `channels`: for pixels whose channels lie side by side; `origins`: for windows that begin at 0; `links`: the directives that it makes.
//!
//! # Invariants
//! 1. Until a func is placed, its stage is a chain: each loop, condition and `let` has one statement in it.
//! 2. Names of loops are unique in a stage (Lemma 6.1).
//! 3. The nest keeps its own invariants behind every directive (`loops::verify`, in debug builds).

mod atomic;
mod auto;
mod chain;
mod channels;
mod columns;
mod contractions;
mod inline;
mod lanes;
mod links;
mod order;
mod origins;
mod overwritten;
mod parse;
mod place;
mod point_reductions;
mod rfactor;
mod row_reductions;
mod specialize;
mod split;
mod startup;
mod state;
mod target;
mod tiles;
mod window;

use super::algorithm::Pipeline;
use super::expr::FuncId;
use super::loops::ir::{Nest, StageName};
use super::loops::verify::{Progress, keeps_invariants};
use super::plain;
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use crate::syntax::ast;
pub use auto::auto;
pub use lanes::Vectors;
use parse::{Apply, Phase, Step, Written};
use point_reductions::at_points;
pub use state::Outputs;
use state::Scheduler;
use std::rc::Rc;
use target::Target;

/// Applies a schedule to a pipeline; `None` if a directive was refused.
pub fn apply(
    pipeline: &Rc<Pipeline>,
    schedule: &plain::Schedule,
    outputs: Outputs,
    vectors: Vectors,
    diagnostics: &mut Diagnostics,
) -> Option<Nest> {
    let mut scheduler = Scheduler::new(pipeline, outputs, diagnostics);
    scheduler.run(schedule)?;
    scheduler.without_directives(schedule, vectors);
    Some(scheduler.nest)
}

impl Scheduler<'_> {
    /// What a schedule does not name is computed as a whole, element by element, and the nest says so. Inline reductions have no name that directives
    /// could have: those that vectors of points read are computed there, of the others dimension 0 is in vectors, as in the automatic schedule.
    fn without_directives(&mut self, schedule: &plain::Schedule, vectors: Vectors) {
        let pipeline = self.nest.pipeline.clone();
        let is_named = |name: &str| schedule.chains.iter().any(|chain| *chain.func.text == *name);
        if schedule.chains.is_empty() {
            return;
        }
        let at_points = at_points(&pipeline, &|id| self.nest.absent.contains(&id));
        let has_loops: Vec<FuncId> =
            pipeline.numbered_funcs().map(|(id, _)| id).filter(|id| !self.nest.absent.contains(id)).collect();
        for id in has_loops.into_iter().filter(|id| !is_named(&pipeline.func(*id).name)) {
            let func = pipeline.func(id);
            if !func.is_inline_reduction {
                let reason = format!("`{}` has no directive: it is computed as a whole, one element after another", func.name);
                self.nest.reasons.push(reason);
                continue;
            }
            if let Some(&reader) = at_points.get(&id)
                && self.compute_in_lanes(id, reader)
            {
                let reader = &pipeline.func(reader).name;
                self.nest
                    .reasons
                    .push(format!("`{}` can have no directives: it is computed in the lanes of `{reader}`", func.name));
                continue;
            }
            for stage in 0..func.stages.len() {
                self.in_vectors(StageName { func: id, case: 0, stage }, 1, None, vectors);
            }
            self.nest.reasons.push(format!("`{}` can have no directives: it is computed as a whole, in vectors", func.name));
        }
    }

    /// All directives of a schedule.
    fn run(&mut self, schedule: &plain::Schedule) -> Option<()> {
        let written = self.parse(schedule)?;
        let rest = self.rfactors(written)?;
        let mut steps = self.steps(rest)?;
        self.inline(&steps)?;
        self.stored = steps.iter().filter(|step| step.directive.phase == Phase::Store).map(|step| step.target.func).collect();
        // The readers of a func are placed before it, so that it is known where they are; where it is computed and stored is decided
        // for all its copies together.
        let place = |step: &Step<'_>| {
            let phase = step.directive.phase;
            (phase, (phase >= Phase::Compute).then(|| u32::MAX - step.target.func.0))
        };
        steps.sort_by_key(place);
        for group in steps.chunk_by(|a, b| place(a).1.is_some() && place(a) == place(b)) {
            self.group(group)?;
            keeps_invariants(&self.nest, Progress::Scheduled, group[0].directive.name);
        }
        Some(())
    }

    /// Directives with their targets. What is wrong with a target is said once for all its directives.
    fn steps<'s>(&mut self, written: Vec<Written<'s>>) -> Option<Vec<Step<'s>>> {
        let mut steps = Vec::new();
        let mut refused: Vec<(Span, Option<Span>)> = Vec::new();
        for Written { func: name, copy, update, directive } in written {
            let place = (name.span, update.map(|link| link.span));
            if refused.contains(&place) {
                continue;
            }
            match self.stage_of(&name, update) {
                Some((func, stage)) => steps.push(Step { target: Target { func, copy, stage }, directive }),
                None => refused.push(place),
            }
        }
        self.unless_failed(steps)
    }

    /// The func and the stage that a name and `update(n)` mean.
    fn stage_of(&mut self, name: &ast::Name, update: Option<&ast::Directive>) -> Option<(FuncId, usize)> {
        let func = self.func(name)?;
        let stage = match update {
            Some(link) => self.update(func, link.arguments.as_deref(), link.span)?,
            None => 0,
        };
        Some((func, stage))
    }

    /// A directive, or all that place one func.
    fn group(&mut self, group: &[Step<'_>]) -> Option<()> {
        let Step { target, directive } = &group[0];
        match directive.apply {
            // They come before all others.
            Apply::Rfactor | Apply::Inline => Some(()),
            _ if self.nest.absent.contains(&target.func) => {
                let name = self.nest.pipeline.func(target.func).name.clone();
                self.refuse(directive.span, format!("`{name}` is inlined, and has no loops"))
            }
            Apply::Place(place) => place(self, target.func, group),
            Apply::Func(_) if target.stage > 0 || target.copy.is_some() => {
                let name = directive.name;
                let message = format!("`{name}` is of a func, and of all its stages and copies: name the func alone");
                self.refuse(directive.span, message)
            }
            Apply::Func(apply) => apply(self, target.func, directive),
            Apply::Stage(apply) => self.stages(*target)?.into_iter().try_for_each(|stage| apply(self, stage, directive)),
        }
    }
}
