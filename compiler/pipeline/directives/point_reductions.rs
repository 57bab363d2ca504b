//! The automatic schedule of reductions of which each is read at one point: they are computed there, with an element for each lane.
//!
//! ```text
//! s(x) = 0;  rdom (i = 0 .. 5) s(x) += in(x + i) * k(i);          foreach x in … by 16
//! out(x) = s(x);                                           ──►      s = 0;  for i in [0, 5)  s += in(x + i) * k(i)
//!                                                                   out(x) = s
//! ```
//! What a point adds up stays in a register, where a func that is computed as a whole goes to memory and back for each term. Nothing is computed twice,
//! and the terms of a point are added in their order, whatever the arithmetic. What scans a dimension of an image is left as it is: its rows would be read in pieces.

use super::super::algorithm::{Notation, Pipeline, Stage};
use super::super::expr::{Expr, FuncId, Source, Variable};
use super::super::simplify::{constant_value, linear, minus};
use rustc_hash::FxHashMap;

/// So many terms may be read from anywhere.
const FEW: i64 = 4096;

/// The funcs that are computed where they are read, each with its reader. Those that are `taken` stand elsewhere.
pub fn at_points(pipeline: &Pipeline, is_taken: &dyn Fn(FuncId) -> bool) -> FxHashMap<FuncId, FuncId> {
    let mut readers: FxHashMap<FuncId, Vec<(FuncId, bool)>> = FxHashMap::default();
    for (reader, func) in pipeline.numbered_funcs().filter(|(id, _)| !is_unread(pipeline, *id, is_taken)) {
        func.reads(&mut |source, indices, _| {
            if let Source::Func(read, _) = source
                && read != reader
            {
                let is_at_point = indices.iter().map(Expr::as_variable).eq(func.variables.iter().copied().map(Some));
                readers.entry(read).or_default().push((reader, is_at_point));
            }
        });
    }
    let mut found = FxHashMap::default();
    for (id, func) in pipeline.numbered_funcs() {
        let Some([(reader, true)]) = readers.get(&id).map(|all| &all[..]) else { continue };
        let of = pipeline.func(*reader);
        let is_reader = of.stages.len() == 1
            && !of.variables.is_empty()
            && of.stages[0].is_pure_dimension(&of.variables, 0)
            && !is_taken(*reader);
        let is_right = pipeline.notation == Notation::Pipeline && func.stages.len() > 1 && !func.variables.is_empty();
        if is_right
            && is_reader
            && !is_taken(id)
            && !pipeline.outputs.contains(&id)
            && func.stages[1..].iter().all(|stage| is_of_point(id, &func.variables, stage))
        {
            found.insert(id, *reader);
        }
    }
    found
}

/// Does nobody read it, since it stands where it was read?
fn is_unread(pipeline: &Pipeline, id: FuncId, is_taken: &dyn Fn(FuncId) -> bool) -> bool {
    is_taken(id) && pipeline.func(id).stages.len() == 1
}

/// Does an update add to a point what belongs to it?
fn is_of_point(id: FuncId, variables: &[Variable], stage: &Stage) -> bool {
    let is_point = |indices: &[Expr]| indices.iter().map(Expr::as_variable).eq(variables.iter().copied().map(Some));
    let lengths: Vec<Option<i64>> = stage.rdom.iter().map(|r| constant_value(&minus(&r.high, &r.low))).collect();
    let count = lengths.iter().flatten().try_fold(1i64, |count, length| count.checked_mul((*length).max(1)));
    let long: Vec<Variable> = stage.rdom.iter().zip(&lengths).filter(|(_, n)| n.is_none()).map(|(r, _)| r.variable).collect();
    let mut is_right = is_point(&stage.indices) && count.is_some_and(|count| count <= FEW);
    let lets = stage.lets.iter().map(|(_, value)| value);
    for e in stage.values.iter().chain(&stage.predicate).chain(lets) {
        e.reads(&mut |source, indices, _| {
            if let Source::Func(read, _) = source
                && read == id
            {
                is_right &= is_point(indices);
            }
            let mentions = |e: &Expr, all: &[Variable]| e.mentions(&|v| all.contains(&v));
            // What all lanes read alike lies anywhere.
            if indices.iter().any(|index| mentions(index, &variables[..1])) {
                is_right &= indices.iter().enumerate().all(|(d, index)| {
                    let scans = mentions(index, &long) && !mentions(index, variables);
                    let is_step = linear(index).terms.iter().all(|(atom, c)| !mentions(atom, &long) || *c == 1);
                    if d == 0 { is_step } else { !scans }
                });
            }
        });
    }
    is_right
}
