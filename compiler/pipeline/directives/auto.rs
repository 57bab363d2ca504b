//! The schedule that every pipeline has: pointwise funcs with one read are inlined, reductions that are read at one point computed there, the others at the root, dimension 0
//! in vectors; the outermost loop of each stage is parallel if it is pure. Outputs whose channels lie side by side have loops for that.

use super::super::algorithm::{Notation, Pipeline, Stage};
use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{BoundKind, Nest, Order, StageName};
use super::super::loops::lower;
use super::super::simplify::{constant_value, minus};
use super::channels;
use super::contractions::{self, Contraction, Separated};
use super::inline::inlined;
use super::lanes::{InVectors, Vectors};
use super::links::{Links, schedule};
use super::origins;
use super::overwritten;
use super::point_reductions::at_points;
use super::row_reductions::{self, RowReduction};
use super::state::{Outputs, Scheduler};
use crate::diagnostics::Diagnostics;
use crate::typed::ir::CompareOp;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A func that is deeper than this, with those that stand in it, is not inlined: windows are inferred, and code is
/// chosen, in time that grows with what stands at a point.
const DEEP: u32 = 64;

/// What is larger than this is not computed for several values of a variable that chooses it.
const SMALL: u32 = 64;

/// What is not larger than this is inlined where it is read several times…
const SHORT: u32 = 8;

/// …at most as often as this.
const MOST_READS: usize = 4;

/// How often a func is read, and whether that is at the point itself, by one func.
struct Reads {
    count: usize,
    are_at_point: bool,
    reader: FuncId,
}

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
    let layouts = channels::layouts(&scheduler.nest);
    let conditions: Vec<Expr> = layouts.iter().map(|layout| layout.condition.clone()).collect();
    let has_copies = |id: FuncId| !layouts.is_empty() && !is_taken(id) && channels::has_copies(&smaller, id);
    for id in smaller.outputs.iter().copied().filter(|id| has_copies(*id)) {
        scheduler.specialize_by(id, conditions.clone(), smaller.func(id).span);
    }
    // Loops that nothing is copied of know the strides all the same.
    if !smaller.outputs.iter().any(|id| has_copies(*id)) {
        scheduler.nest.cases.extend(conditions);
    }
    let at_origin = origins::at_origin(&scheduler.nest);
    scheduler.nest.cases.extend(at_origin);
    for (id, func) in smaller.numbered_funcs().filter(|(id, _)| !funcs.contains(id) && !is_contracted(*id)) {
        if is_partial(&func.name) || at_points.contains_key(&id) {
            continue;
        }
        let of_points: Vec<FuncId> = at_points.iter().filter(|(_, reader)| **reader == id).map(|(of, _)| *of).collect();
        // Two registers of what is reduced there: one addition need not wait for the other.
        let registers = if of_points.is_empty() { 1 } else { 2 };
        let copies = if has_copies(id) { &layouts[..] } else { &[] };
        let lane = Some(channels::LANES).filter(|_| !copies.is_empty());
        for (case, layout) in copies.iter().enumerate() {
            let name = StageName { func: id, case, stage: 0 };
            scheduler.in_channels(name, layout, registers, vectors);
            let outermost = scheduler.nest.chain(name).loops[0].variable;
            scheduler.mark(name, outermost, Order::Parallel);
        }
        for number in 0..func.stages.len() {
            if number > 0 && is_reduced(&func.name) {
                continue;
            }
            let name = StageName { func: id, case: copies.len(), stage: number };
            let mut chosen = Vec::new();
            if let Some(InVectors { dimension, lane, lanes }) = scheduler.in_vectors(name, registers, lane, vectors) {
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

/// The funcs that are read once, or that are short, at the point itself, by a func that is not their update, and have no updates; but not so many
/// in one another that they are deep. What a comparison chooses for some values of a variable, as it does for channels, need not know that variable.
fn pointwise(pipeline: &Pipeline) -> Vec<FuncId> {
    // Tensors have contractions, whose shapes say more than that.
    let is_plain = pipeline.notation == Notation::Pipeline;
    // How often each func is read, and whether that is at the point itself.
    let mut reads: FxHashMap<FuncId, Reads> = FxHashMap::default();
    for (id, reader) in pipeline.numbered_funcs() {
        let mut read = |e: &Expr, chosen: &[Variable]| {
            let ExprKind::Read(Source::Func(read, _), indices) = e.kind() else { return };
            let is_small = pipeline.func(*read).stages[0].values.iter().all(|value| value.size() <= SMALL);
            let needed = reader.variables.iter().filter(|v| {
                let is_index = indices.iter().any(|index| index.as_variable() == Some(**v));
                is_index || !is_small || !is_plain || !chosen.contains(v)
            });
            let is_at_point = indices.iter().map(Expr::as_variable).eq(needed.map(|v| Some(*v)));
            let all = reads.entry(*read).or_insert(Reads { count: 0, are_at_point: true, reader: id });
            all.count += 1;
            all.are_at_point &= is_at_point && all.reader == id;
        };
        reader.stages.iter().flat_map(Stage::expressions).for_each(|e| with_choices(e, &mut Vec::new(), &mut read));
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
        // What takes a step or two is computed again for each read, or known to be the same.
        let is_short = func.elements.len() == 1 && func.stages[0].values[0].size() <= SHORT && func.stages[0].lets.is_empty();
        let most = if is_short && is_plain { MOST_READS } else { 1 };
        let is_read_there = reads.get(&id).is_some_and(|all| all.are_at_point && all.count <= most);
        // What is overwritten is read before that.
        let mut reads_elsewhere = false;
        func.reads(&mut |source, indices, _| {
            let is_at_point = indices.iter().map(Expr::as_variable).eq(func.variables.iter().copied().map(Some));
            let is_overwritten = matches!(source, Source::Input(input) if pipeline.overwrites(input).is_some());
            reads_elsewhere |= is_overwritten && !is_at_point;
        });
        if is_read_there && !reads_elsewhere && func.stages.len() == 1 && !pipeline.outputs.contains(&id) && own + inside <= DEEP
        {
            found.insert(id);
        }
    }
    found.into_iter().collect()
}

/// Looks at the parts of an expression, with the variables that are compared with a constant where a part is chosen.
fn with_choices(e: &Expr, chosen: &mut Vec<Variable>, visit: &mut dyn FnMut(&Expr, &[Variable])) {
    visit(e, chosen);
    let children = e.children();
    let Some(condition) = e.decider() else {
        return children.iter().for_each(|child| with_choices(child, chosen, visit));
    };
    let known = chosen.len();
    with_choices(condition, chosen, visit);
    if let ExprKind::Compare(CompareOp::Equal | CompareOp::NotEqual, a, b) = condition.kind()
        && constant_value(b).is_some()
    {
        chosen.extend(a.as_variable());
    }
    children[1..].iter().for_each(|way| with_choices(way, chosen, visit));
    chosen.truncate(known);
}
