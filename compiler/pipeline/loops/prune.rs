//! Funcs that no output needs have no loops.
//!
//! ```text
//! label unused: for x in ?cpu unused_x do …          (nothing)
//! label f: for x in ?cpu f_x do f[x] ← x      ──►    label f: for x in ?cpu f_x do f[x] ← x
//! ```
//! Their windows would be empty, and nothing may fail to start for their sake. Schedules name them as they name all others: this
//! comes behind the directives.

use super::super::expr::{FuncId, Source};
use super::ir::{Nest, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// The nest without the funcs that no output needs.
pub fn prune(nest: &Nest) -> Nest {
    let needed = needed(nest);
    let is_dead = |id: FuncId| !needed.contains(&id);
    let mut made = nest.clone();
    made.body = nest.body.without(&mut |s| matches!(s, Statement::Allocate(id, _) | Statement::Produce(id, _) if is_dead(*id)));
    made.bounds.retain(|bound| !is_dead(bound.func));
    made.tails.retain(|tail| !is_dead(tail.func));
    made.folds.retain(|fold| !is_dead(fold.func));
    made.absent.extend(nest.pipeline.numbered_funcs().map(|(id, _)| id).filter(|&id| is_dead(id)));
    made
}

/// The outputs, and what their stages read, and so on. What is inlined is read by nobody.
fn needed(nest: &Nest) -> FxHashSet<FuncId> {
    let mut reads = FxHashMap::default();
    collect(&nest.body, None, &mut reads);
    let mut open = nest.pipeline.outputs.clone();
    open.extend(reads.remove(&None).into_iter().flatten());
    let mut found = FxHashSet::default();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(reads.remove(&Some(id)).into_iter().flatten());
        }
    }
    found
}

/// Notes which funcs are read in the stages of which.
fn collect(s: &Statement, stage_of: Option<FuncId>, reads: &mut FxHashMap<Option<FuncId>, FxHashSet<FuncId>>) {
    let stage_of = if let Statement::Stage(stage, _) = s { Some(stage.func) } else { stage_of };
    for e in s.expressions() {
        e.reads(&mut |source, _, _| {
            if let Source::Func(id, _) = source {
                reads.entry(stage_of).or_default().insert(id);
            }
        });
    }
    s.children().into_iter().for_each(|child| collect(child, stage_of, reads));
}
