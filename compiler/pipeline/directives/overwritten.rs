//! Contractions that go on from what is there: their sums become funcs of their own, so that they have tiles.
//!
//! ```text
//! C(i, j) = C.old(i, j);                              rdom (k) S(i, j) += A(i, k) * B(k, j);        from 0 on
//! rdom (k) C(i, j) += A(i, k) * B(k, j);       ──►    C(i, j) = C.old(i, j) + S(i, j);
//! ```
//! Tiles overlap where the result ends, and compute some elements twice, which may not be read again once they are overwritten. S is read
//! at the point itself.

use super::super::algorithm::{Pipeline, Stage};
use super::super::associative::{apply, combination, identity};
use super::super::expr::{Expr, ExprKind, FuncId, Source};
use super::contractions::{copied, is_contraction};
use super::lanes::Vectors;
use std::rc::Rc;

/// The same pipeline, with these sums apart.
pub fn apart(pipeline: &Rc<Pipeline>, vectors: Vectors) -> Rc<Pipeline> {
    let overwritten = |id: &FuncId| pipeline.overwritten_by(*id).is_some();
    pipeline.outputs.iter().copied().filter(overwritten).fold(pipeline.clone(), |made, output| {
        let name = &pipeline.func(output).name;
        let (id, _) = made.numbered_funcs().find(|(_, func)| func.name == *name).expect("an output");
        of(&made, id, vectors).map_or(made, Rc::new)
    })
}

/// The same, for one of its outputs; nothing if that is no contraction.
fn of(pipeline: &Pipeline, id: FuncId, vectors: Vectors) -> Option<Pipeline> {
    let func = pipeline.func(id);
    let [first, update] = &func.stages[..] else { return None };
    let (op, _) = combination(id, &update.indices, &update.values[0])?;
    let is_guarded = pipeline.guards.iter().any(|guard| guard.user == id || guard.func == id);
    if is_guarded || func.elements.len() > 1 || !pipeline.ranges.contains_key(&id) {
        return None;
    }
    let mut made = pipeline.clone();
    let sum = copied(&mut made, func, id, "sum");
    made.funcs[sum.0 as usize].stages[0].values = vec![identity(op, func.elements[0], func.span)];
    made.ranges.insert(sum, pipeline.ranges[&id].clone());
    if !is_contraction(&made, sum, vectors) {
        return None;
    }
    let read = Expr::new(ExprKind::Read(Source::Func(sum, 0), first.indices.clone()), func.elements[0], func.span);
    let value = apply(op, first.values[0].clone(), read);
    made.funcs[id.0 as usize].stages = vec![Stage::plain(first.indices.clone(), vec![value], func.span)];
    let order: Vec<FuncId> =
        pipeline.numbered_funcs().flat_map(|(other, _)| Some(sum).filter(|_| other == id).into_iter().chain([other])).collect();
    made.reorder(&order);
    Some(made)
}
