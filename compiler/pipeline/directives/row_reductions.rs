//! The automatic schedule of reductions along rows: sums whose terms lie side by side along a reduction index.
//!
//! ```text
//! S(n) = 0;                    ──►   S.lanes(n, k.i) = 0;   rdom (k.o) S.lanes(n, k.i) += A(n, k.o * 32 + k.i);
//! rdom (k) S(n) += A(n, k);          S(n) = 0;              rdom (k.i) S(n) += S.lanes(n, k.i);
//! ```
//! Each lane has a partial result of its own, which stays in a register; `rfactor` makes them. Along the dense dimension of the result the
//! same reads would be gathers.

use super::super::algorithm::{Notation, Pipeline};
use super::super::associative;
use super::super::expr::{Expr, FuncId};
use super::super::loops::ir::StageName;
use super::super::plain::{Chain, Schedule};
use super::contractions::{Moves, directive, moves, node, number, word};
use super::lanes::lanes;
use super::state::{Outputs, Scheduler};
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use crate::syntax::ast::{self, Directive, ExprKind as Ast, Name};
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

/// The pipeline with partial results for its reductions along rows, and these.
pub fn factored(pipeline: &Rc<Pipeline>, width: u8) -> (Rc<Pipeline>, Vec<RowReduction>) {
    let (mut found, mut chains) = (Vec::new(), Vec::new());
    for (id, func) in pipeline.numbered_funcs() {
        let Some((variable, count)) = reduced(pipeline, id, width) else { continue };
        let span = func.span;
        let w = |text: &str| word(text, span);
        let d = |name: &str, arguments: Vec<ast::Expr>| directive(name, arguments, span);
        let (outer, lane, partial) = (format!("{variable}.o"), format!("{variable}.i"), format!("{}.lanes", func.name));
        let links = vec![
            d("update", vec![number(0, span)]),
            d("split", vec![w(&variable), w(&outer), w(&lane), number(count, span), w("guard")]),
            d("rfactor", vec![w(&lane), w(&lane), w(&partial)]),
        ];
        chains.push(Chain { func: Name { text: func.name.clone(), span }, links });
        found.push(RowReduction { func: func.name.clone(), partial: partial.as_str().into(), lane, count, span });
    }
    if found.is_empty() {
        return (pipeline.clone(), found);
    }
    let mut said = Diagnostics::new();
    let mut scheduler = Scheduler::new(pipeline, Outputs::AsAsked, &mut said);
    match scheduler.run(&schedule(pipeline, chains)) {
        Some(()) => (scheduler.nest.pipeline.clone(), found),
        None => (pipeline.clone(), Vec::new()),
    }
}

/// A schedule of these directives.
fn schedule(pipeline: &Pipeline, chains: Vec<Chain>) -> Schedule {
    let name = |text: &str| Name { text: text.into(), span: pipeline.span };
    Schedule { pipeline: name(&pipeline.name), name: name("auto"), chains, is_refused: false }
}

/// The reduction index along which the terms of a func lie side by side, and how many lanes it takes.
fn reduced(pipeline: &Pipeline, id: FuncId, width: u8) -> Option<(String, u64)> {
    let func = pipeline.func(id);
    let is_right = pipeline.notation == Notation::Tensors && func.stages.len() == 2 && func.elements.len() == 1;
    if !is_right || associative::check(pipeline, StageName { func: id, case: 0, stage: 1 }).is_err() {
        return None;
    }
    let stage = &func.stages[1];
    let (_, value) = associative::combination(id, &stage.indices, &stage.values[0])?;
    if !stage.lets.is_empty() || stage.predicate.is_some() || value.any(&|part| part.decider().is_some()) {
        return None;
    }
    let mut reads: Vec<Vec<Expr>> = Vec::new();
    value.reads(&mut |_, indices, _| reads.push(indices.to_vec()));
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
    let count = (4 * u64::from(lanes(pipeline, stage, &func.elements, width))).min(64);
    Some((pipeline.variable(variable).name.to_string(), count))
}

impl Scheduler<'_> {
    /// Schedules reductions along rows and their partial results.
    pub fn reduce_rows(&mut self, reductions: &[RowReduction]) -> Option<()> {
        let pipeline = self.nest.pipeline.clone();
        let mut chains = Vec::new();
        for RowReduction { func: name, partial, lane, count, span } in reductions {
            let span = *span;
            let w = |text: &str| word(text, span);
            let d = |name: &str, arguments: Vec<ast::Expr>| directive(name, arguments, span);
            let update = || d("update", vec![number(0, span)]);
            let vector = || d("vectorize", vec![w(lane), number(*count, span)]);
            let named = |text: &Rc<str>| pipeline.numbered_funcs().map(|(_, func)| func).find(|func| func.name == *text);
            let (func, lanes_of) = (named(name)?, named(partial)?);
            let text = |v| pipeline.variable(v).name.to_string();
            let pure: Vec<String> = func.variables.iter().map(|&v| text(v)).collect();
            let at = |text: &Rc<str>| Name { text: text.clone(), span };
            let atomic = Directive { name: Name { text: "atomic".into(), span }, arguments: Some(Vec::new()), span };
            let mut links = vec![update(), atomic, vector()];
            links.extend(pure.last().map(|outer| d("parallel", vec![w(outer)])));
            chains.push(Chain { func: at(name), links });
            let of = node(Ast::Name(at(name)), span);
            let of = node(Ast::Method(Box::new(of), Name { text: "update".into(), span }, vec![number(0, span)]), span);
            let mut links = vec![vector()];
            links.extend(pure.first().map(|inner| d("compute_at", vec![of, w(inner)])));
            chains.push(Chain { func: at(partial), links });
            let mut order = vec![lane.clone()];
            order.extend(lanes_of.stages[1].rdom.iter().map(|r| text(r.variable)));
            order.extend(pure);
            let mut links = vec![update()];
            links.push(d("reorder", order.iter().map(|name| w(name)).collect()));
            links.push(vector());
            chains.push(Chain { func: at(partial), links });
        }
        self.run(&schedule(&pipeline, chains))
    }
}
