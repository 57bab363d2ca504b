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
//!
//! A block that does nothing but to ask what it is handed is left out by who hands it a constant: so it is behind the first half of `&&` and `||`.
//!
//! ```text
//! block1():                                  block1():
//!     branch v7, block2(), block3(false)         branch v7, block2(), block5()
//! block2():                                  block2():
//!     jump block3(v12)                ──►        branch v12, block4(), block5()
//! block3(v13: bool):
//!     branch v13, block4(), block5()
//! ```

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
    thread_branches(function);
    merge_chains(function);
    function.sort_blocks();
}

/// Leads who hands a constant to a block that asks for it alone to where that goes, and who only jumps there asks himself. What the block is handed is
/// looked at nowhere else, so that nothing behind it needs it to be passed.
fn thread_branches(function: &mut Function) {
    let (graph, uses) = (Graph::new(function), function.uses());
    // Backwards, so that who is led to a block that is one of these itself is led on: `a && b && c`.
    for &block in graph.order.iter().rev() {
        let data = &function.blocks[block.0 as usize];
        let Terminator::Branch { condition, then, otherwise } = &data.terminator else { continue };
        let Some(place) = data.parameters.iter().position(|parameter| parameter == condition) else { continue };
        let own = |value: Value| {
            let arguments = then.arguments.iter().chain(&otherwise.arguments).chain([condition]);
            arguments.filter(|argument| **argument == value).count() as u32
        };
        let is_asked_alone = data.parameters.iter().all(|&parameter| uses[parameter.0 as usize] == own(parameter));
        if !data.insts.is_empty() || !is_asked_alone || graph.natural_loop(block).is_some() {
            continue;
        }
        let (parameters, then, otherwise) = (data.parameters.clone(), then.clone(), otherwise.clone());
        let known = |function: &Function, target: &Target| match function.definition(*target.arguments.get(place)?) {
            Some(Op::Const(bits)) => Some(bits[0] != 0),
            _ => None,
        };
        let before = &graph.predecessors[block.0 as usize];
        let hands_constant = |from: &Block| {
            let mut targets = function.blocks[from.0 as usize].terminator.targets();
            targets.any(|target| target.block == block && known(function, target).is_some())
        };
        if !before.iter().any(hands_constant) {
            continue;
        }
        for &from in before {
            let mut made = function.blocks[from.0 as usize].terminator.clone();
            let handed = |target: &Target, arguments: &[Value]| {
                let of =
                    |value: &Value| parameters.iter().position(|parameter| parameter == value).map_or(*value, |at| arguments[at]);
                Target { block: target.block, arguments: target.arguments.iter().map(of).collect() }
            };
            for target in made.targets_mut().filter(|target| target.block == block) {
                if let Some(is) = known(function, target) {
                    *target = handed(if is { &then } else { &otherwise }, &target.arguments);
                }
            }
            if let Terminator::Jump(target) = &made
                && target.block == block
            {
                let [then, otherwise] = [&then, &otherwise].map(|to| handed(to, &target.arguments));
                made = Terminator::Branch { condition: target.arguments[place], then, otherwise };
            }
            function.blocks[from.0 as usize].terminator = made;
        }
    }
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
