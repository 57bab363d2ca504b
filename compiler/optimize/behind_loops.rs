//! What the header of a loop computes, and is looked at behind the loop, is computed there again.
//!
//! ```text
//! block1(i):                                  block1(i):
//!     k = sub n, i                                k = sub n, i
//!     branch i < n, block2, block3                branch i < n, block2, block4
//! block2: …                        ──►        block2: …
//! block3:                                     block4:
//!     return k                                    m = sub n, i
//!                                                 return m
//! ```
//! So nobody behind the loop looks at more than what the header is handed, which is what lanes of rounds hand on. It is the value of the header's last round: all ways out of the
//! loop lead from there. Loops with vectors in them stay as they are.

use super::block_writer::{BlockWriter, new_block};
use super::control_flow;
use super::counted_loop::values_of;
use super::loop_checks::is_pure;
use super::vectorized_rounds::{looks, replace_behind};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites what is behind the innermost loops of a function.
pub fn behind_loops(function: &mut Function) {
    let graph = Graph::new(function);
    let looks = looks(function, &graph);
    let mut is_changed = false;
    for &header in graph.order.iter().filter(|&&block| graph.innermost_loop(block) == Some(block)) {
        let Some(inside) = graph.natural_loop(header) else { continue };
        let is_inside = |block: Block| inside.get(block.0 as usize) == Some(&true);
        let Terminator::Branch { otherwise: out, .. } = &function.blocks[header.0 as usize].terminator else { continue };
        let mut out = out.clone();
        let mut others = graph.order.iter().filter(|&&block| block != header && is_inside(block));
        let are_left =
            others.any(|block| function.blocks[block.0 as usize].terminator.targets().any(|way| !is_inside(way.block)));
        if is_inside(out.block) || are_left {
            continue;
        }
        let computed = values_of(function, &[header]);
        let is_again = |value: &Value| function.definition(*value).is_some_and(is_pure);
        let again: FxHashSet<Value> = computed.iter().copied().filter(is_again).collect();
        let is_seen = |value: &Value| {
            let is_behind = looks.get(value).is_some_and(|blocks| blocks.iter().any(|&block| !is_inside(block)));
            is_behind || out.arguments.contains(value)
        };
        let mut seen: Vec<Value> = again.iter().copied().filter(is_seen).collect();
        seen.sort_unstable_by_key(|value| value.0);
        let is_plain = computed.iter().all(|&value| function.ty(value).length == 1);
        if seen.is_empty() || !is_plain || !seen.iter().all(|&value| can_be_again(function, value, &computed, &again)) {
            continue;
        }
        let span = function.span;
        let mut to = BlockWriter { block: new_block(function), function: &mut *function, span };
        let mut made = FxHashMap::default();
        for value in seen {
            to.again(value, &|_, value| again.contains(&value), &mut made);
        }
        out.arguments.iter_mut().for_each(|value| *value = made.get(value).copied().unwrap_or(*value));
        let way = Target { block: to.block, arguments: Vec::new() };
        to.end(Terminator::Jump(out));
        if let Terminator::Branch { otherwise, .. } = &mut function.blocks[header.0 as usize].terminator {
            *otherwise = way;
        }
        replace_behind(function, &looks, is_inside, &made);
        is_changed = true;
    }
    if is_changed {
        control_flow(function);
    }
}

/// Is a value made of the header's parameters and of what is there before the loop, by operations without an effect?
fn can_be_again(function: &Function, value: Value, computed: &FxHashSet<Value>, again: &FxHashSet<Value>) -> bool {
    let mut follow = vec![value];
    let mut seen = FxHashSet::default();
    while let Some(value) = follow.pop() {
        if !seen.insert(value) || !computed.contains(&value) {
            continue;
        }
        if again.contains(&value) {
            function.definition(value).into_iter().for_each(|op| op.for_each(|operand| follow.push(operand)));
        } else if function.definition(value).is_some() {
            // A load, or what else may be another one behind the loop.
            return false;
        }
    }
    true
}
