//! 𝓛 of figure 9: every func at the top level, its stages one after the other, reduction loops innermost.

use super::super::algorithm::{Pipeline, Requirement, Stage};
use super::super::expr::{Expr, FuncId, Variable};
use super::check::{Check, Subject};
use super::ir::{Binder, BoundKind, End, Hole, HoleKind, Loop, Nest, Order, OutputWindow, StageName, Statement, Storage, Store};
use crate::typed::ir::BinaryOp;
use crate::types::Element;
use std::rc::Rc;

/// 𝓛(pipeline): the default, eager schedule. Inlined funcs are read by nobody and have no loops.
pub fn lower(pipeline: &Rc<Pipeline>, inlined: &[FuncId]) -> Nest {
    let mut nest = Nest { pipeline: pipeline.clone(), absent: inlined.to_vec(), ..Nest::default() };
    for &func in &pipeline.outputs {
        let definition = pipeline.func(func);
        let dimensions = definition.variables.iter().map(|&v| {
            let name = &pipeline.variable(v).name;
            ["min", "extent"].map(|end| nest.new_variable(&format!("{}.{end}({name})", definition.name), Binder::Let))
        });
        let window = dimensions.collect();
        let strides = definition.variables.iter().map(|&v| {
            let name = format!("{}.stride({})", definition.name, pipeline.variable(v).name);
            nest.variable_of(&name, Element::Int64, Binder::Let)
        });
        let strides = strides.collect();
        nest.requests.push(OutputWindow { func, window, strides });
    }
    for (id, func) in pipeline.numbered_funcs() {
        for dimension in 0..func.variables.len() {
            let kinds = (0..func.stages.len()).map(|stage| HoleKind::Compute { stage });
            for kind in std::iter::once(HoleKind::Memory).chain(kinds) {
                for end in [End::Min, End::Length] {
                    new_hole(&mut nest, Hole { kind, func: id, dimension, end });
                }
            }
        }
    }
    let mut body = Vec::new();
    for (id, func) in pipeline.numbered_funcs().filter(|(id, _)| !inlined.contains(id)) {
        body.push(Statement::Allocate(id, Storage::Shared));
        let stages = func.stages.iter().enumerate().map(|(number, stage)| {
            let name = StageName { func: id, case: 0, stage: number };
            Statement::Stage(name, Box::new(lower_stage(&nest, name, stage)))
        });
        body.push(Statement::Produce(id, Box::new(Statement::Sequence(stages.collect()))));
        for (number, guard) in pipeline.guards.iter().enumerate().filter(|(_, guard)| guard.func == id) {
            let Requirement { condition, reason, numbers } = guard.requirement.clone();
            body.push(Statement::Assert(Box::new(Check { condition, subject: Subject::Guard(number), reason, numbers })));
        }
    }
    nest.body = Statement::Sequence(body);
    nest
}

/// A variable for a hole.
pub fn new_hole(nest: &mut Nest, hole: Hole) {
    let func = nest.pipeline.func(hole.func);
    let dimension = nest.pipeline.variable(func.variables[hole.dimension]).name.clone();
    let end = match hole.end {
        End::Min => "min",
        End::Length => "len",
    };
    let name = match hole.kind {
        HoleKind::Memory => format!("{}.mem.{dimension}.{end}", func.name),
        HoleKind::Compute { stage } => format!("{}.{stage}.{dimension}.{end}", func.name),
    };
    let variable = nest.new_variable(&name, Binder::Hole(hole));
    nest.holes.insert(hole, variable);
}

/// 𝓛_U: pure loops around reduction loops around the rule.
fn lower_stage(nest: &Nest, name: StageName, stage: &Stage) -> Statement {
    let pipeline = &nest.pipeline;
    let func = pipeline.func(name.func);
    let store = Store { stage: name, indices: stage.indices.clone(), values: stage.values.clone(), span: stage.span };
    let under = |condition: &Option<Expr>, body| match condition {
        Some(condition) => Statement::If(condition.clone(), Box::new(body)),
        None => body,
    };
    let body = under(&stage.predicate, Statement::Store(store)).behind(stage.lets.iter().cloned());
    let mut body = under(&stage.guard, body);
    // 𝓛_R: r₁ is innermost.
    for r in &stage.rdom {
        let length = Expr::binary(BinaryOp::Subtract, r.high.clone(), r.low.clone());
        body = for_loop(name, r.variable, false, r.low.clone(), length, body);
    }
    // 𝓛_P: the first pure variable is innermost of the pure ones.
    for (dimension, &variable) in func.variables.iter().enumerate() {
        if stage.is_pure_dimension(&func.variables, dimension) {
            let [min, length] = compute_window(nest, name, dimension);
            body = for_loop(name, variable, true, min, length, body);
        }
    }
    body
}

fn for_loop(stage: StageName, variable: Variable, is_pure: bool, min: Expr, length: Expr, body: Statement) -> Statement {
    Statement::For(Box::new(Loop { stage, variable, order: Order::Serial, is_pure, min, length, body }))
}

/// ?cpu fⁱʲ_x as an interval: what the schedule asserts of it, or its holes.
pub fn compute_window(nest: &Nest, name: StageName, dimension: usize) -> [Expr; 2] {
    asserted_window(nest, name, dimension).unwrap_or_else(|| compute_holes(nest, name, dimension))
}

/// The window of a stage in a dimension, if the schedule asserts one. By Definition 4.2 a stage reads its func at x where x is
/// pure, so that before stages in which a dimension is pure the window in it is that of the last stage.
pub fn asserted_window(nest: &Nest, name: StageName, dimension: usize) -> Option<[Expr; 2]> {
    let bound = nest.bounds.iter().find(|bound| bound.func == name.func && bound.dimension == dimension)?;
    let func = nest.pipeline.func(name.func);
    if !func.stages[name.stage + 1..].iter().all(|stage| stage.is_pure_dimension(&func.variables, dimension)) {
        return None;
    }
    let last = StageName { stage: func.stages.len() - 1, ..name };
    let [min, length] = compute_holes(nest, last, dimension);
    Some(match &bound.kind {
        BoundKind::Window { min, length } => [min.clone(), length.clone()],
        BoundKind::Extent(length) => [min, length.clone()],
        BoundKind::Aligned { .. } => [min, length],
    })
}

/// The holes of a compute window.
pub fn compute_holes(nest: &Nest, name: StageName, dimension: usize) -> [Expr; 2] {
    let StageName { func, case: _, stage } = name;
    let kind = HoleKind::Compute { stage };
    [End::Min, End::Length].map(|end| nest.hole_value(Hole { kind, func, dimension, end }))
}

/// ?mem f_x as an interval.
pub fn memory_window(nest: &Nest, func: FuncId, dimension: usize) -> [Expr; 2] {
    [End::Min, End::Length].map(|end| nest.hole_value(Hole { kind: HoleKind::Memory, func, dimension, end }))
}
