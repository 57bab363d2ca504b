//! Directives (section 8, figure 12): each makes a new nest of an old one, or says which restriction it breaks.
//!
//! ```text
//! for x in ?cpu f_x                    for xo in [0, +(L + 3) / 4)
//!   f[x] = …          ─split(x,          for xi in [0, +4)                       L = (?cpu f_x).len
//!                       xo, xi, 4,         if xo * 4 + xi < L
//!                       guard)─►             let x = (?cpu f_x).min + xo * 4 + xi
//!                                            f[x] = …
//! ```
//! Directives are sorted into phases, stable inside: `rfactor`, which makes a new algorithm; inline; specialization (`specialize`); bounds (`bound`, `bound_extent`, `align_bounds`: what they assert
//! holds in every nest, so that loops may be chosen by it); `atomic`; loops (`split`, `fuse`, `reorder`, `tile`, `vectorize`, `unroll`);
//! marks (`parallel`, `serial`); computation (`compute_at`, `compute_root`); storage (`store_at`, `store_root`), of readers
//! before that of what they read; folding (`fold_storage`). Whether a func slides is decided by `bounds`, which knows windows.
//!
//! * `target`: names of funcs, stages and loops. `startup`: the numbers. `chain`: the loops of a stage taken apart.
//! * `rfactor`, `atomic`, `specialize`, `window`, `split`, `order`, `place`: the directives by kind. `inline`: a func in the place of its reads. `auto`: the schedule that
//!   every pipeline has.
//!
//! # Invariants
//! 1. Until a func is placed, its stage is a chain: each loop, condition and `let` has one statement in it.
//! 2. Names of loops are unique in a stage (Lemma 6.1).
//! 3. The nest keeps its own invariants behind every directive (`loops::verify`, in debug builds).

mod atomic;
mod auto;
mod chain;
mod inline;
mod order;
mod place;
mod rfactor;
mod specialize;
mod split;
mod startup;
mod target;
mod window;

use super::algorithm::Pipeline;
use super::expr::FuncId;
use super::keeps_invariants;
use super::loops::ir::{Nest, StageName, Statement};
use super::loops::{lower, print};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;
use crate::syntax::ast;
pub use auto::auto;
use std::collections::HashMap;
use std::rc::Rc;
use target::Target;

/// What the scheduler must know of the target.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// W
    pub width: u8,
}

/// The windows of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Those that the caller asks for. What shifts and rounds them must fit.
    AsAsked,
    /// As large as shifting and rounding make them, as in the paper.
    AsComputed,
}

/// Applies a schedule to a pipeline; `None` if a directive was refused.
pub fn apply(pipeline: &Rc<Pipeline>, schedule: &ast::Schedule, outputs: Outputs, diagnostics: &mut Diagnostics) -> Option<Nest> {
    let mut scheduler = Scheduler { outputs, ..Scheduler::new(pipeline.clone(), diagnostics) };
    let done = scheduler.rfactors(schedule);
    if scheduler.failed {
        return None;
    }
    let mut steps = scheduler.steps(schedule, &done);
    if scheduler.failed {
        return None;
    }
    // The readers of a func are placed before it, so that it is known where they are.
    steps.sort_by_key(|step| {
        let placing = matches!(step.phase, Phase::Compute | Phase::Store);
        (step.phase, if placing { u32::MAX - step.target.func.0 } else { 0 })
    });
    scheduler.run(&steps);
    (!scheduler.failed).then_some(scheduler.nest)
}

/// When a directive is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Inline,
    Specialize,
    Bounds,
    Atomic,
    Loops,
    Marks,
    Compute,
    Store,
    Fold,
}

/// A directive with its target.
struct Step<'s> {
    phase: Phase,
    target: Target,
    directive: &'s ast::Directive,
}

/// The directives and their phases.
const DIRECTIVES: &[(&str, Phase)] = &[
    ("inline", Phase::Inline),
    ("specialize", Phase::Specialize),
    ("bound", Phase::Bounds),
    ("bound_extent", Phase::Bounds),
    ("align_bounds", Phase::Bounds),
    ("atomic", Phase::Atomic),
    ("split", Phase::Loops),
    ("fuse", Phase::Loops),
    ("reorder", Phase::Loops),
    ("swap", Phase::Loops),
    ("tile", Phase::Loops),
    ("vectorize", Phase::Loops),
    ("unroll", Phase::Loops),
    ("parallel", Phase::Marks),
    ("serial", Phase::Marks),
    ("compute_at", Phase::Compute),
    ("compute_root", Phase::Compute),
    ("store_at", Phase::Store),
    ("store_root", Phase::Store),
    ("fold_storage", Phase::Fold),
];

struct Scheduler<'d> {
    outputs: Outputs,
    nest: Nest,
    diagnostics: &'d mut Diagnostics,
    failed: bool,
    /// Funcs with a directive of their storage.
    stored: Vec<FuncId>,
    /// How many copies `specialize` made of funcs.
    copies: HashMap<FuncId, usize>,
}

impl<'d> Scheduler<'d> {
    fn new(pipeline: Rc<Pipeline>, diagnostics: &'d mut Diagnostics) -> Self {
        let nest = lower::lower(&pipeline, &[]);
        Scheduler { nest, diagnostics, outputs: Outputs::AsAsked, failed: false, stored: Vec::new(), copies: HashMap::new() }
    }

    /// A directive that breaks a restriction.
    fn refuse(&mut self, span: Span, message: impl Into<String>) -> Option<()> {
        self.failed = true;
        self.diagnostics.push(Diagnostic::error(&codes::INVALID_SCHEDULE, span, message));
        None
    }

    /// The same, with the loops of a func at this point.
    fn refuse_at(&mut self, span: Span, func: FuncId, message: impl Into<String>) -> Option<()> {
        self.failed = true;
        let error = Diagnostic::error(&codes::INVALID_SCHEDULE, span, message);
        let mut loops = String::new();
        self.nest.body.walk(&mut |s| {
            if let Statement::Produce(id, _) = s
                && *id == func
            {
                loops = print::statement(&self.nest, s);
            }
        });
        self.diagnostics.push(error.with_help(format!("the loops at this point:\n{}", loops.trim_end())));
        None
    }

    /// The directives of a schedule with their targets, but for those that are done with.
    fn steps<'s>(&mut self, schedule: &'s ast::Schedule, done: &[Span]) -> Vec<Step<'s>> {
        let mut steps = Vec::new();
        for chain in &schedule.chains {
            let Some(func) = self.func(&chain.func) else { continue };
            let mut target = Target { func, copy: None, stage: 0 };
            for link in chain.links.iter().filter(|link| !done.contains(&link.span)) {
                match &*link.name.text {
                    "case" | "otherwise" => match self.copy(&link.name, link.arguments.as_deref(), link.span) {
                        Some(copy) if target.copy.is_none() => target.copy = Some(copy),
                        Some(_) => {
                            self.refuse(link.span, "a copy of a copy: one `case` or `otherwise` stands behind a func");
                            break;
                        }
                        None => break,
                    },
                    "update" => match self.update(func, link.arguments.as_deref(), link.span) {
                        Some(stage) => target.stage = stage,
                        None => break,
                    },
                    name => match DIRECTIVES.iter().find(|(known, _)| *known == name) {
                        Some((_, phase)) if link.arguments.is_some() => {
                            steps.push(Step { phase: *phase, target, directive: link })
                        }
                        Some(_) => {
                            self.refuse(link.span, format!("`{name}` is followed by its arguments in brackets"));
                        }
                        None => {
                            let known: Vec<&str> = [rfactor::NAME].into_iter().chain(DIRECTIVES.iter().map(|d| d.0)).collect();
                            self.refuse(
                                link.name.span,
                                format!("there is no directive `{name}`: there are {}", known.join(", ")),
                            );
                        }
                    },
                }
            }
        }
        steps
    }

    fn run(&mut self, steps: &[Step<'_>]) {
        let inlined: Vec<(FuncId, Span)> =
            steps.iter().filter(|s| s.phase == Phase::Inline).map(|s| (s.target.func, s.directive.span)).collect();
        self.inline(&inlined);
        for step in steps.iter().filter(|step| step.phase == Phase::Store) {
            self.stored.push(step.target.func);
        }
        // Where a func is computed and stored is decided for all its copies together.
        let is_placing = |step: &Step<'_>| matches!(step.phase, Phase::Compute | Phase::Store);
        for group in steps.chunk_by(|a, b| is_placing(a) && a.phase == b.phase && a.target.func == b.target.func) {
            if self.failed || self.group(group).is_none() {
                return;
            }
            keeps_invariants(&self.nest, None, &group[0].directive.name.text);
        }
    }

    /// A directive, or all that place one func.
    fn group(&mut self, group: &[Step<'_>]) -> Option<()> {
        let Step { phase, target, .. } = group[0];
        for step in group {
            let span = step.directive.span;
            if self.nest.absent.contains(&target.func) && phase != Phase::Inline {
                let name = self.nest.pipeline.func(target.func).name.clone();
                return self.refuse(span, format!("`{name}` is inlined, and has no loops"));
            }
        }
        match phase {
            Phase::Inline => self.arity(group[0].directive, 0, 0),
            Phase::Compute => self.compute(target.func, group),
            Phase::Store => self.store(target.func, group),
            Phase::Specialize | Phase::Bounds | Phase::Fold => self.step_of_func(&group[0]),
            Phase::Atomic | Phase::Loops | Phase::Marks => {
                for stage in self.stages(target, group[0].directive.span)? {
                    self.step_of_stage(stage, group[0].directive)?;
                }
                Some(())
            }
        }
    }

    fn step_of_func(&mut self, step: &Step<'_>) -> Option<()> {
        let (target, directive) = (step.target, step.directive);
        let arguments = directive.arguments.as_deref().unwrap_or(&[]);
        if target.stage > 0 || target.copy.is_some() {
            let name = &directive.name.text;
            let message = format!("`{name}` is of a func, and of all its stages and copies: name the func alone");
            return self.refuse(directive.span, message);
        }
        match &*directive.name.text {
            "specialize" => self.specialize_directive(target.func, directive, arguments),
            "bound" => self.bound_directive(target.func, directive, arguments),
            "bound_extent" => self.bound_extent_directive(target.func, directive, arguments),
            "align_bounds" => self.align_bounds_directive(target.func, directive, arguments),
            "fold_storage" => self.fold_storage_directive(target.func, directive, arguments),
            other => unreachable!("directive `{other}`"),
        }
    }

    fn step_of_stage(&mut self, stage: StageName, directive: &ast::Directive) -> Option<()> {
        let arguments = directive.arguments.as_deref().unwrap_or(&[]);
        match &*directive.name.text {
            "atomic" => self.atomic_directive(stage, directive),
            "split" => self.split_directive(stage, directive, arguments),
            "fuse" => self.fuse_directive(stage, directive, arguments),
            "reorder" => self.reorder_directive(stage, directive, arguments),
            "swap" => self.swap_directive(stage, directive, arguments),
            "tile" => self.tile_directive(stage, directive, arguments),
            "vectorize" => self.vectorize_directive(stage, directive, arguments),
            "unroll" => self.unroll_directive(stage, directive, arguments),
            "parallel" | "serial" => self.traverse_directive(stage, directive, arguments),
            other => unreachable!("directive `{other}`"),
        }
    }

    /// Reports a wrong number of arguments.
    fn arity(&mut self, directive: &ast::Directive, least: usize, most: usize) -> Option<()> {
        let count = directive.arguments.as_ref().map_or(0, Vec::len);
        if (least..=most).contains(&count) {
            return Some(());
        }
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        self.refuse(directive.span, format!("`{}` takes {wanted} arguments, not {count}", directive.name.text))
    }
}
