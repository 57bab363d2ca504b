//! Masks that say the same are one mask, and those that are all on are none.
//!
//! ```text
//! n = not c                              store p, x
//! a = and m, c
//! b = and m, n                   ──►
//! o = or a, b                            (o is m; if m is all on, there is no mask)
//! store p, x, mask o
//! ```
//! Equality is that of Boolean functions ([`Logic`]), in any way of writing them. An access without an active lane is none:
//! stores go, loads give zeros. A select whose condition is all on or all off is the one or the other. A comparison of integers that
//! their ranges decide is all on or all off: the quotient of a sum of pixels is not rounded towards minus infinity.

use super::logic::{Formula, Logic};
use super::ranges::{decided, ranges};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Simplifies the masks of a function.
pub fn mask_algebra(function: &mut Function) {
    let graph = Graph::new(function);
    let mut logic = Logic::default();
    let mut seen: FxHashMap<(Formula, u8), Vec<(Block, Value)>> = FxHashMap::default();
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    decide_comparisons(function, &graph);
    for &block in &graph.order {
        for &parameter in &function.blocks[block.0 as usize].parameters {
            let ty = function.ty(parameter);
            if ty.element == Element::Bool {
                seen.entry((logic.of(function, parameter), ty.length)).or_default().push((block, parameter));
            }
        }
        for inst in function.blocks[block.0 as usize].insts.clone() {
            if let [result] = function.insts[inst.0 as usize].results[..]
                && function.ty(result).element == Element::Bool
            {
                let formula = logic.of(function, result);
                match formula {
                    Formula::ALL | Formula::NONE => {
                        function.insts[inst.0 as usize].op = Op::Const(vec![u64::from(formula == Formula::ALL)]);
                    }
                    _ => {
                        let known = seen.entry((formula, function.ty(result).length)).or_default();
                        match known.iter().find(|(at, _)| graph.dominates(*at, block)) {
                            Some((_, value)) => drop(same.insert(result, *value)),
                            None => known.push((block, result)),
                        }
                    }
                }
            }
            if let Op::Select(mask, on, off) = function.insts[inst.0 as usize].op {
                let result = function.insts[inst.0 as usize].results[0];
                match logic.of(function, mask) {
                    Formula::ALL => drop(same.insert(result, on)),
                    Formula::NONE => drop(same.insert(result, off)),
                    _ => {}
                }
            }
            drop_mask(function, &mut logic, inst);
        }
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        let kept = insts.into_iter().filter(|inst| !is_masked_off(function, &mut logic, *inst)).collect();
        function.blocks[block.0 as usize].insts = kept;
    }
    function.replace_uses(&same);
}

/// Comparisons of integers that are the same whatever the operands are, are constants.
fn decide_comparisons(function: &mut Function, graph: &Graph) {
    let ranges = ranges(function, graph);
    for &block in &graph.order {
        for inst in &function.blocks[block.0 as usize].insts {
            let Op::Compare(op, a, b) = function.insts[inst.0 as usize].op else { continue };
            let is_int = function.values[a.0 as usize].ty.element.is_int();
            if let Some(is) = decided(op, ranges[a.0 as usize], ranges[b.0 as usize]).filter(|_| is_int) {
                function.insts[inst.0 as usize].op = Op::Const(vec![u64::from(is)]);
            }
        }
    }
}

/// Where all lanes are on, there is no mask; where none is, a load is zero.
fn drop_mask(function: &mut Function, logic: &mut Logic, inst: Inst) {
    let (Some(mask), reads) = (match &function.insts[inst.0 as usize].op {
        Op::Load { mask, .. } | Op::Gather { mask, .. } | Op::StridedLoad { mask, .. } => (*mask, true),
        Op::Store { mask, .. } | Op::Scatter { mask, .. } | Op::PackedStore { mask, .. } => (*mask, false),
        _ => return,
    }) else {
        return;
    };
    let formula = logic.of(function, mask);
    let op = &mut function.insts[inst.0 as usize].op;
    if formula == Formula::NONE && reads {
        *op = Op::Const(vec![0]);
    } else if formula == Formula::ALL
        && let Op::Load { mask, .. }
        | Op::Gather { mask, .. }
        | Op::StridedLoad { mask, .. }
        | Op::Store { mask, .. }
        | Op::Scatter { mask, .. }
        | Op::PackedStore { mask, .. } = op
    {
        *mask = None;
    }
}

fn is_masked_off(function: &Function, logic: &mut Logic, inst: Inst) -> bool {
    match &function.insts[inst.0 as usize].op {
        Op::Store { mask: Some(mask), .. } | Op::Scatter { mask: Some(mask), .. } => logic.of(function, *mask) == Formula::NONE,
        _ => false,
    }
}
