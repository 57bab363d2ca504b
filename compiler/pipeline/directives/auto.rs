//! The schedule that every pipeline has: pointwise funcs with one read are inlined, reductions that are read at one point computed there, the others at the root, dimension 0
//! in vectors; the outermost loop of each stage is parallel if it is pure.

use super::super::algorithm::{Notation, Pipeline, Stage};
use super::super::expr::{Expr, FuncId, Source};
use super::super::loops::ir::{BoundKind, Nest, Order, StageName};
use super::super::loops::lower;
use super::super::simplify::minus;
use super::contractions::{self, Contraction, Separated};
use super::inline::inlined;
use super::lanes::{InVectors, Vectors};
use super::links::{Links, schedule};
use super::overwritten;
use super::point_reductions::at_points;
use super::row_reductions::{self, RowReduction};
use super::state::{Outputs, Scheduler};
use crate::diagnostics::Diagnostics;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A func that is deeper than this, with those that stand in it, is not inlined: windows are inferred, and code is
/// chosen, in time that grows with what stands at a point.
const DEEP: u32 = 64;

/// The default schedule for a machine.
pub fn auto(pipeline: &Rc<Pipeline>, vectors: Vectors) -> Nest {
    let pipeline = &overwritten::apart(pipeline, vectors);
    let funcs = pointwise(pipeline);
    let Separated { pipeline: made, contractions, unread } = contractions::separated(&inlined(pipeline, &funcs), &funcs, vectors);
    let made = Rc::new(made);
    let (smaller, reductions) = row_reductions::factored(&made, &unread, vectors);
    // Partial results have come between.
    let again = |id: FuncId| {
        let name = &made.func(id).name;
        smaller.numbered_funcs().find(|(_, func)| func.name == *name).expect("a func of the same name").0
    };
    let contractions: Vec<Contraction> = contractions.iter().map(|contraction| contraction.with_funcs(&again)).collect();
    let funcs: Vec<FuncId> = unread.into_iter().map(again).collect();
    let inlined = funcs.iter().filter(|id| smaller.func(**id).stages.len() == 1).map(|id| &smaller.func(*id).name);
    let mut reasons: Vec<String> =
        inlined.map(|name| format!("`{name}` stands where it is read: once, at the point itself")).collect();
    let mut ignored = Diagnostics::new();
    let mut scheduler = Scheduler::new(&smaller, Outputs::AsAsked, &mut ignored);
    scheduler.nest = lower::lower(&smaller, &funcs);
    let is_contracted = |id: FuncId| contractions.iter().any(|c| c.funcs().any(|own| own == id));
    // Outputs have the windows that callers ask for, which start checks compare with the ranges. To assert them as well makes padded
    // tiles slower: half the speed of a group convolution of 28 × 28.
    let is_asserted = |id: FuncId| !funcs.contains(&id) && !smaller.outputs.contains(&id);
    for (id, func) in smaller.numbered_funcs().filter(|(id, _)| is_asserted(*id)) {
        for (d, [begin, end]) in smaller.ranges.get(&id).into_iter().flatten().enumerate() {
            let kind = BoundKind::Window { min: begin.clone(), length: minus(end, begin) };
            scheduler.assert_bound(id, d, kind, "bound", func.span);
        }
    }
    let is_partial = |name: &Rc<str>| reductions.iter().any(|r| r.partial == *name);
    let is_reduced = |name: &Rc<str>| reductions.iter().any(|r| r.func == *name);
    let is_taken = |id: FuncId| {
        let name = &smaller.func(id).name;
        funcs.contains(&id) || is_contracted(id) || is_partial(name) || is_reduced(name)
    };
    let at_points = at_points(&smaller, &is_taken);
    let mut places = Vec::new();
    for (id, func) in smaller.numbered_funcs().filter(|(id, _)| !funcs.contains(id) && !is_contracted(*id)) {
        if is_partial(&func.name) || at_points.contains_key(&id) {
            continue;
        }
        let of_points: Vec<FuncId> = at_points.iter().filter(|(_, reader)| **reader == id).map(|(of, _)| *of).collect();
        for number in 0..func.stages.len() {
            if number > 0 && is_reduced(&func.name) {
                continue;
            }
            let name = StageName { func: id, case: 0, stage: number };
            let mut chosen = Vec::new();
            // Two registers of what is reduced there: one addition need not wait for the other.
            let registers = if of_points.is_empty() { 1 } else { 2 };
            if let Some(InVectors { dimension, lane, lanes }) = scheduler.in_vectors(name, registers, vectors) {
                places.extend(of_points.iter().map(|&of| (of, id, scheduler.nest.name(lane).to_owned())));
                chosen.push(format!("{} in vectors of {lanes}", scheduler.nest.name(dimension)));
            }
            if let Some(outermost) = scheduler.nest.chain(name).loops.first().filter(|l| l.is_pure && l.order == Order::Serial) {
                scheduler.mark(name, outermost.variable, Order::Parallel);
                chosen.push(format!("{} by threads", scheduler.nest.name(outermost.variable)));
            }
            let which = if number == 0 { String::new() } else { format!(", update {}", number - 1) };
            // What is reduced along rows says so.
            if !is_reduced(&func.name) {
                let how = if chosen.is_empty() { String::new() } else { format!(": {}", chosen.join(", ")) };
                reasons.push(format!("`{}`{which} is computed as a whole{how}", func.name));
            }
        }
    }
    reasons.extend(contractions.iter().map(|contraction| contraction.reason(&smaller, vectors)));
    let is_row = |r: &&RowReduction| !contractions.iter().any(|c| smaller.func(c.rows).name == r.func);
    reasons.extend(reductions.iter().filter(is_row).map(RowReduction::reason));
    let mut all = Vec::new();
    places.sort();
    for (of, reader, lane) in places {
        let of = smaller.func(of);
        all.push(Links::of(&of.name, of.span).compute_inside(&smaller.func(reader).name, &lane));
    }
    contractions.iter().for_each(|contraction| scheduler.contract(contraction, &mut all));
    for reduction in &reductions {
        let is_inside = contractions.iter().any(|c| smaller.func(c.rows).name == reduction.func);
        reduction.schedule(&smaller, is_inside, &mut all);
    }
    let done = scheduler.run(&schedule(&smaller, all));
    let mut nest = scheduler.nest;
    if smaller.notation == Notation::Tensors {
        nest.reasons = reasons;
    }
    debug_assert!(done.is_some(), "what is made here follows the rules of schedules: {ignored:?}");
    nest
}

/// The funcs that are read once, at the point itself, by a func that is not their update, and have no updates; but not so many
/// in one another that they are deep.
fn pointwise(pipeline: &Pipeline) -> Vec<FuncId> {
    // How often each func is read, and whether that is at the point itself.
    let mut reads: FxHashMap<FuncId, (usize, bool)> = FxHashMap::default();
    for (_, reader) in pipeline.numbered_funcs() {
        reader.reads(&mut |source, indices, _| {
            if let Source::Func(read, _) = source {
                let is_at_point = indices.iter().map(Expr::as_variable).eq(reader.variables.iter().copied().map(Some));
                let (count, are_at_point) = reads.entry(read).or_insert((0, true));
                (*count, *are_at_point) = (*count + 1, *are_at_point && is_at_point);
            }
        });
    }
    // How deep each func is with those that stand in it.
    let mut heights: FxHashMap<FuncId, u32> = FxHashMap::default();
    let mut found = BTreeSet::new();
    for (id, func) in pipeline.numbered_funcs() {
        let mut inside = 0;
        func.reads(&mut |source, _, _| {
            if let Source::Func(read, _) = source
                && found.contains(&read)
            {
                inside = inside.max(heights[&read]);
            }
        });
        let own = |stage: &Stage| {
            let lets: u32 = stage.lets.iter().map(|(_, value)| value.height()).sum();
            lets + stage.expressions().map(Expr::height).max().unwrap_or(0)
        };
        let own = func.stages.iter().map(own).max().unwrap_or(0);
        heights.insert(id, own + inside);
        let is_read_once = reads.get(&id) == Some(&(1, true));
        // What is overwritten is read before that.
        let mut reads_elsewhere = false;
        func.reads(&mut |source, indices, _| {
            let is_at_point = indices.iter().map(Expr::as_variable).eq(func.variables.iter().copied().map(Some));
            let is_overwritten = matches!(source, Source::Input(input) if pipeline.overwrites(input).is_some());
            reads_elsewhere |= is_overwritten && !is_at_point;
        });
        if is_read_once && !reads_elsewhere && func.stages.len() == 1 && !pipeline.outputs.contains(&id) && own + inside <= DEEP {
            found.insert(id);
        }
    }
    found.into_iter().collect()
}
