//! The automatic schedule of reductions along rows: sums whose terms lie side by side along a reduction index, whether there is a condition on them or not.
//!
//! ```text
//! S(n) = 0;                    ──►   S.lanes(n, k.i) = 0;   rdom (k.o) S.lanes(n, k.i) += A(n, k.o * 32 + k.i);
//! rdom (k) S(n) += A(n, k);          S(n) = 0;              rdom (k.i) S(n) += S.lanes(n, k.i);
//! ```
//! Each lane has a partial result of its own, which stays in a register; `rfactor` makes them. Along the dense dimension of the result the
//! same reads would be gathers.

use super::super::algorithm::{Notation, Pipeline};
use super::super::associative;
use super::super::expr::{Expr, ExprKind, FuncId, Source};
use super::super::loops::ir::StageName;
use super::super::simplify::{constant_value, minus};
use super::contractions::{Moves, moves};
use super::lanes::{Vectors, lanes};
use super::links::{Links, Part, schedule};
use super::state::{Outputs, Scheduler};
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use std::rc::Rc;

/// A func that is reduced along rows, by its name, with that of its partial results, of their dimension, and of what is left of the
/// reduction index.
#[derive(Clone, Debug)]
pub struct RowReduction {
    /// The func.
    pub func: Rc<str>,
    /// Its partial results.
    pub partial: Rc<str>,
    /// The dimension of lanes.
    lane: String,
    /// How many there are.
    count: u64,
    span: Span,
}

/// The pipeline with partial results for its reductions along rows, and these; some of its funcs are read by nobody.
pub fn factored(pipeline: &Rc<Pipeline>, unread: &[FuncId], vectors: Vectors) -> (Rc<Pipeline>, Vec<RowReduction>) {
    let (mut found, mut all) = (Vec::new(), Vec::new());
    for (id, func) in pipeline.numbered_funcs().filter(|(id, _)| !unread.contains(id)) {
        let Some((variable, count)) = reduced(pipeline, id, vectors) else { continue };
        let span = func.span;
        let (outer, lane, partial) = (format!("{variable}.o"), format!("{variable}.i"), format!("{}.lanes", func.name));
        let links = Links::of_part(&func.name, Part::Update(0), span).split(&variable, [&outer, &lane], count, "guard");
        all.push(links.rfactor(&lane, &lane, &partial));
        found.push(RowReduction { func: func.name.clone(), partial: partial.as_str().into(), lane, count, span });
    }
    if found.is_empty() {
        return (pipeline.clone(), found);
    }
    let pipeline = &without_predicates(pipeline, &found);
    let mut said = Diagnostics::new();
    let mut scheduler = Scheduler::new(pipeline, Outputs::AsAsked, &mut said);
    match scheduler.run(&schedule(pipeline, all)) {
        Some(()) => (scheduler.nest.pipeline.clone(), found),
        None => (pipeline.clone(), Vec::new()),
    }
}

/// The same pipeline, where these funcs add what adds nothing where their predicates do not hold: all lanes take part.
fn without_predicates(pipeline: &Rc<Pipeline>, found: &[RowReduction]) -> Rc<Pipeline> {
    let mut made = Pipeline::clone(pipeline);
    for (id, func) in pipeline.numbered_funcs().filter(|(_, func)| found.iter().any(|r| r.func == func.name)) {
        let stage = &mut made.funcs[id.0 as usize].stages[1];
        if let Some(predicate) = stage.predicate.take() {
            let (op, value) = associative::combination(id, &stage.indices, &stage.values[0]).expect("an associative update");
            let nothing = associative::identity(op, func.elements[0], stage.span);
            let old = Expr::new(ExprKind::Read(Source::Func(id, 0), stage.indices.clone()), func.elements[0], stage.span);
            let term = Expr::new(ExprKind::Conditional(predicate, value, nothing), func.elements[0], stage.span);
            stage.values = vec![associative::apply(op, old, term)];
        }
    }
    Rc::new(made)
}

/// The reduction index along which the terms of a func lie side by side, and how many lanes it takes.
fn reduced(pipeline: &Pipeline, id: FuncId, vectors: Vectors) -> Option<(String, u64)> {
    let func = pipeline.func(id);
    let is_right = func.stages.len() == 2 && func.elements.len() == 1;
    if !is_right || associative::check(pipeline, StageName { func: id, case: 0, stage: 1 }).is_err() {
        return None;
    }
    let stage = &func.stages[1];
    let (_, value) = associative::combination(id, &stage.indices, &stage.values[0])?;
    let is_point = stage.indices.iter().map(Expr::as_variable).eq(func.variables.iter().copied().map(Some));
    let is_right = match pipeline.notation {
        // What a condition keeps inside is not known to be there by the parts of its index.
        Notation::Tensors => stage.predicate.is_none() && reads_whatever_it_decides(&value),
        Notation::Pipeline => is_point,
    };
    if !stage.lets.is_empty() || !is_right {
        return None;
    }
    let mut reads: Vec<Vec<Expr>> = Vec::new();
    for e in stage.predicate.iter().chain([&value]) {
        e.reads(&mut |_, indices, _| reads.push(indices.to_vec()));
    }
    let along = |v| reads.iter().map(|indices| moves(indices, v)).collect::<Vec<Moves>>();
    // Along the dense dimension of the result it is vectorised as it is.
    if func.variables.first().is_some_and(|&v| !along(v).contains(&Moves::Far)) {
        return None;
    }
    let is_row = |v| {
        let all = along(v);
        all.contains(&Moves::Dense) && !all.contains(&Moves::Far)
    };
    let variable = stage.rdom.iter().map(|r| r.variable).find(|&v| is_row(v))?;
    // Four registers, so that additions need not wait for each other.
    let count = (4 * u64::from(lanes(pipeline, stage, &func.elements, vectors))).min(64);
    // Of a few terms most lanes would have none.
    let r = stage.rdom.iter().find(|r| r.variable == variable).expect("its variable");
    let is_short = constant_value(&minus(&r.high, &r.low)).is_some_and(|length| length < 2 * count as i64);
    if pipeline.notation == Notation::Pipeline && is_short {
        return None;
    }
    Some((pipeline.variable(variable).name.to_string(), count))
}

/// Is all that a value reads read whatever it decides?
fn reads_whatever_it_decides(value: &Expr) -> bool {
    let (mut certain, mut chosen) = (Vec::new(), Vec::new());
    sort_reads(value, false, &mut certain, &mut chosen);
    chosen.iter().all(|read| certain.contains(read))
}

/// The reads of a value, and those of what it chooses.
fn sort_reads(e: &Expr, is_chosen: bool, certain: &mut Vec<Expr>, chosen: &mut Vec<Expr>) {
    if matches!(e.kind(), ExprKind::Read(..)) {
        let all = if is_chosen { &mut *chosen } else { &mut *certain };
        all.push(e.clone());
    }
    for (number, part) in e.children().into_iter().enumerate() {
        sort_reads(part, is_chosen || number > 0 && e.decider().is_some(), certain, chosen);
    }
}

impl RowReduction {
    /// What is chosen for it, and why.
    pub fn reason(&self) -> String {
        let (name, count) = (&self.func, self.count);
        let index = self.lane.trim_end_matches(".i");
        format!("`{name}` is reduced along rows: {count} partial results along {index}, where what it reads lies side by side")
    }

    /// The directives for it and its partial results; one that is inside of other loops leaves threads to these.
    pub fn schedule(&self, pipeline: &Pipeline, is_inside: bool, all: &mut Vec<Links>) {
        let RowReduction { func: name, partial, lane, count, span } = self;
        let named = |text: &Rc<str>| pipeline.numbered_funcs().map(|(_, func)| func).find(|func| func.name == *text);
        let (func, lanes_of) = (named(name).expect("a func"), named(partial).expect("its partial results"));
        let text = |v| pipeline.variable(v).name.to_string();
        let pure: Vec<String> = func.variables.iter().map(|&v| text(v)).collect();
        let links = Links::of_part(name, Part::Update(0), *span).atomic().vectorize(lane, *count);
        all.push(links.with_some(pure.last().filter(|_| !is_inside), |links, outer| links.parallel(outer)));
        let links = Links::of(partial, *span).vectorize(lane, *count);
        all.push(links.with_some(pure.first(), |links, inner| links.compute_at(name, Part::Update(0), inner)));
        let mut order = vec![lane.clone()];
        order.extend(lanes_of.stages[1].rdom.iter().map(|r| text(r.variable)));
        order.extend(pure);
        all.push(Links::of_part(partial, Part::Update(0), *span).reorder(&order).vectorize(lane, *count));
    }
}
