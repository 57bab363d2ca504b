//! Loops of one round, or of none, are none.
//!
//! ```text
//!     jump block1(0)
//! block1(i):                                  x = load a: i16×16
//!     branch i < 16, block2, block3           store o, x
//! block2:                              ──►    jump block3
//!     x = load a + 2 · i: i16×16
//!     store o + 2 · i, x
//!     jump block1(i + 16)
//! ```
//! Rounds of a loop over the elements of a block became lanes: what they count with is a number, by which a table of constants has known lanes,
//! a permutation is a shuffle, and a local array that is a register is a value.

use super::surroundings::Surroundings;
use super::unrolled_loops::{Plan, known_everywhere};
use super::{control_flow, slot_values};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// Takes loops of one round apart.
pub fn single_rounds(function: &mut Function, around: Surroundings<'_>) {
    // What loops begin with may be handed on by blocks that only one other leads to.
    control_flow(function);
    let mut is_changed = false;
    loop {
        let graph = Graph::new(function);
        // Loops that are not in one another are written out without looking again.
        let (mut found, mut headers): (Vec<Plan>, FxHashSet<Block>) = Default::default();
        for &header in graph.order.iter().rev().filter(|block| graph.innermost_loop(**block) == Some(**block)) {
            let plan = Plan::of_known_rounds(function, &graph, header, 1);
            if let Some(plan) = plan.filter(|plan| !plan.blocks.iter().any(|block| headers.contains(block))) {
                headers.insert(header);
                found.push(plan);
            }
        }
        if found.is_empty() {
            break;
        }
        for plan in found {
            // Nobody unrolls it any more.
            let header = plan.blocks[0].0 as usize;
            let mut insts = std::mem::take(&mut function.blocks[header].insts);
            insts.retain(|inst| !matches!(function.insts[inst.0 as usize].op, Op::Unroll(_)));
            function.blocks[header].insts = insts;
            plan.write(function, around, &mut FxHashSet::default());
        }
        // What stands behind a loop begins with what that ended with.
        control_flow(function);
        known_everywhere(function, around);
        is_changed = true;
    }
    if is_changed {
        control_flow(function);
        slot_values(function);
    }
}
