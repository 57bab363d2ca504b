//! Funcs that no output needs have no loops.
//!
//! ```text
//! label unused: for x in ?cpu unused_x do …          (nothing)
//! label f: for x in ?cpu f_x do f[x] ← x      ──►    label f: for x in ?cpu f_x do f[x] ← x
//! ```
//! Their windows would be empty, and nothing may fail to start for their sake. Schedules name them as they name all others: this
//! comes behind the directives.

use super::super::algorithm::Pipeline;
use super::super::expr::{FuncId, Source};
use super::ir::{Nest, Statement};
use std::collections::HashSet;

/// The nest without the funcs that no output needs.
pub fn prune(nest: &Nest) -> Nest {
    let needed = needed(&nest.pipeline);
    let is_dead = |id: FuncId| !needed.contains(&id);
    let mut made = nest.clone();
    made.body = nest.body.without(&mut |s| matches!(s, Statement::Allocate(id, _) | Statement::Produce(id, _) if is_dead(*id)));
    made.bounds.retain(|bound| !is_dead(bound.func));
    made.tails.retain(|tail| !is_dead(tail.func));
    made.folds.retain(|fold| !is_dead(fold.func));
    made.absent.extend(nest.pipeline.numbered_funcs().map(|(id, _)| id).filter(|&id| is_dead(id)));
    made
}

/// The outputs, and what they read, and so on. What is inlined is read by nobody.
fn needed(pipeline: &Pipeline) -> HashSet<FuncId> {
    let mut found = HashSet::new();
    let mut open = pipeline.outputs.clone();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        pipeline.func(id).reads(&mut |source, _, _| {
            if let Source::Func(read, _) = source {
                open.push(read);
            }
        });
    }
    found
}
