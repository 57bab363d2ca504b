//! The schedule that every pipeline has: pointwise funcs with one read are inlined, the others computed at the root, dimension 0
//! in vectors; the outermost loop of each stage is parallel if it is pure.

use super::super::algorithm::{Pipeline, Stage};
use super::super::expr::{ExprKind, FuncId, Source};
use super::super::loops::ir::{Nest, Order, StageName};
use super::super::loops::lower;
use super::inline::inlined;
use super::split::Tail;
use super::{Options, Scheduler};
use crate::diagnostics::Diagnostics;
use crate::types::Element;
use std::rc::Rc;

/// The default schedule.
pub fn auto(pipeline: &Rc<Pipeline>, options: Options) -> Nest {
    let funcs: Vec<FuncId> = pipeline.numbered_funcs().filter(|(id, _)| is_pointwise(pipeline, *id)).map(|(id, _)| id).collect();
    let smaller = Rc::new(inlined(pipeline, &funcs));
    let mut ignored = Diagnostics::new();
    let mut scheduler = Scheduler::new(smaller.clone(), &mut ignored);
    scheduler.nest = lower::lower(&smaller, &funcs);
    for (id, func) in smaller.numbered_funcs().filter(|(id, _)| !funcs.contains(id)) {
        for (number, stage) in func.stages.iter().enumerate() {
            let name = StageName { func: id, case: 0, stage: number };
            let pure: Vec<_> = scheduler.nest.chain(name).loops.iter().filter(|l| l.is_pure).map(|l| l.variable).collect();
            // Dimension 0 is the innermost pure loop, if it is one; reduction loops go around it.
            let Some(&x) = pure.last().filter(|_| stage.is_pure_dimension(&func.variables, 0)) else { continue };
            let loops: Vec<_> = scheduler.nest.chain(name).loops.iter().map(|l| l.variable).rev().collect();
            let order: Vec<_> = std::iter::once(x).chain(loops.into_iter().filter(|v| *v != x)).collect();
            if order.len() > 1 {
                scheduler.reorder(name, &order, func.span);
            }
            let lanes = lanes(&smaller, stage, &func.elements, options);
            if let Some(lane) = scheduler.vector_split(name, x, lanes, Tail::Guard, func.span) {
                scheduler.mark_vector(name, lane, func.span);
            }
        }
    }
    for (id, func) in smaller.numbered_funcs().filter(|(id, _)| !funcs.contains(id)) {
        for stage in 0..func.stages.len() {
            let name = StageName { func: id, case: 0, stage };
            let loops = scheduler.nest.chain(name).loops;
            if let Some(outermost) = loops.first().filter(|l| l.is_pure && l.order == Order::Serial) {
                scheduler.mark(name, outermost.variable, Order::Parallel);
            }
        }
    }
    scheduler.nest
}

/// As many lanes as fill a register with the largest elements that a stage computes with, where W fills it with 32 bits.
fn lanes(pipeline: &Pipeline, stage: &Stage, elements: &[Element], options: Options) -> u8 {
    let mut size = elements.iter().map(|e| e.size()).max().unwrap_or(4);
    for value in &stage.values {
        value.walk(&mut |part| {
            if let ExprKind::Read(source, _) = part.kind() {
                let element = match source {
                    Source::Func(id, component) => pipeline.func(*id).elements[*component],
                    Source::Input(id) => pipeline.input(*id).element,
                };
                size = size.max(element.size());
            }
        });
    }
    (u64::from(options.width) * 4 / size).clamp(1, 64) as u8
}

/// Is it read once, at the point itself, by a func that is not its update, and has no updates?
fn is_pointwise(pipeline: &Pipeline, id: FuncId) -> bool {
    let func = pipeline.func(id);
    if func.stages.len() > 1 || pipeline.outputs.contains(&id) {
        return false;
    }
    let mut reads = 0;
    let mut is_at_point = true;
    for (_, other) in pipeline.numbered_funcs() {
        other.reads(&mut |source, indices, _| {
            if matches!(source, Source::Func(read, _) if read == id) {
                reads += 1;
                let own = indices.iter().zip(&other.variables);
                is_at_point &= indices.len() == other.variables.len()
                    && own.into_iter().all(|(e, v)| matches!(e.kind(), ExprKind::Variable(x) if x == v));
            }
        });
    }
    reads == 1 && is_at_point
}
