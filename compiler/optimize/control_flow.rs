//! Branches that are decided are jumps, and blocks that only follow each other are one.
//!
//! ```text
//! block0(v0: ptr):                       block0(v0: ptr):
//!     v1: boolx4 = const 0x1                 v1: boolx4 = const 0x1
//!     v2: bool = any v1                      v2: bool = any v1
//!     branch v2, block1(), block2()  ──►     v3: i32x4 = load v0
//! block1():                                  return
//!     v3: i32x4 = load v0
//!     jump block2()
//! block2():
//!     return
//! ```
//! Masks that callers know come in with inlined bodies; passes that look at one block see more behind this one.

use super::logic::{Formula, Logic};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Simplifies the graph of a function.
pub fn control_flow(function: &mut Function) {
    let mut logic = Logic::default();
    for block in 0..function.blocks.len() {
        let Terminator::Branch { condition, .. } = function.blocks[block].terminator else { continue };
        let decided = logic.of(function, condition);
        if decided == Formula::ALL || decided == Formula::NONE {
            let terminator = std::mem::replace(&mut function.blocks[block].terminator, Terminator::Unreachable);
            let Terminator::Branch { condition: _, then, otherwise } = terminator else { continue };
            let target = if decided == Formula::ALL { then } else { otherwise };
            function.blocks[block].terminator = Terminator::Jump(target);
        }
    }
    merge_chains(function);
    function.sort_blocks();
}

/// A block that only one block jumps to, and without a condition, becomes its continuation.
fn merge_chains(function: &mut Function) {
    let graph = Graph::new(function);
    let mut same = FxHashMap::default();
    // Backwards, so that a chain is moved together from its end.
    for &block in graph.order.iter().rev() {
        let Terminator::Jump(target) = &function.blocks[block.0 as usize].terminator else { continue };
        let next = target.block;
        if graph.predecessors[next.0 as usize].len() != 1 || next == block {
            continue;
        }
        let arguments = target.arguments.clone();
        let moved = std::mem::replace(&mut function.blocks[next.0 as usize], BlockData::empty());
        same.extend(moved.parameters.into_iter().zip(arguments));
        let data = &mut function.blocks[block.0 as usize];
        data.insts.extend(moved.insts);
        data.terminator = moved.terminator;
    }
    function.replace_uses(&same);
}
