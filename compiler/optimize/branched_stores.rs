//! What all ways to a block store in one place is stored there, whichever it is.
//!
//! ```text
//! block2:                                         block2:
//!     branch c, block3, block4                        branch c, block3, block4
//! block3:                                         block3:
//!     store p, x                                      jump block5(x)
//!     jump block5                         ──►     block4:
//! block4:                                             jump block5(y)
//!     store p, y                                  block5(z):
//!     jump block5                                     store p, z
//! block5:
//! ```
//! `if (a[i] > t) o[i] = 255; else o[i] = 0;` stores in each round then, as [`vectorized_rounds`](super::vectorized_rounds()) asks where the machine has no stores under masks. Nothing stands
//! between the store and the block, so that nobody sees the difference.

use super::addresses::Address;
use super::block_writer::{BlockWriter, new_value};
use super::counted_loop::is_computed_from;
use super::loop_checks::is_pure;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// So many ways lead to a block.
const MAX_WAYS: usize = 16;
/// So many operations of an address are computed again.
const DEPTH: u32 = 8;

/// Moves the stores of a function.
pub fn branched_stores(function: &mut Function) {
    let graph = Graph::new(function);
    let mut home: FxHashMap<Value, Block> = FxHashMap::default();
    for &block in &graph.order {
        let BlockData { parameters, insts, .. } = &function.blocks[block.0 as usize];
        let results = insts.iter().flat_map(|inst| &function.insts[inst.0 as usize].results);
        home.extend(parameters.iter().chain(results).map(|&value| (value, block)));
    }
    // Joins of inner branches come before those around them.
    for &block in &graph.order {
        let ways = &graph.predecessors[block.0 as usize];
        let is_header = graph.innermost_loop(block) == Some(block);
        if is_header || !(2..=MAX_WAYS).contains(&ways.len()) {
            continue;
        }
        let mut moved = Vec::new();
        while let Some(stores) = last_stores(function, &graph, &home, block, ways) {
            moved.push(join(function, &graph, &home, block, ways, &stores));
        }
        // The last one was found first.
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        function.blocks[block.0 as usize].insts = moved.into_iter().rev().flatten().chain(insts).collect();
    }
}

/// A store at the end of each way to a block, all in the same place.
fn last_stores(
    function: &Function,
    graph: &Graph,
    home: &FxHashMap<Value, Block>,
    block: Block,
    ways: &[Block],
) -> Option<Vec<(Value, Value, Inst)>> {
    let last = |from: &Block| {
        let data = &function.blocks[from.0 as usize];
        let leads_here = matches!(&data.terminator, Terminator::Jump(way) if way.block == block);
        let inst = *data.insts.iter().rev().find(|inst| !is_pure(&function.insts[inst.0 as usize].op)).filter(|_| leads_here)?;
        match function.insts[inst.0 as usize].op {
            Op::Store { pointer, value, mask: None, streaming: false } if function.ty(value).length == 1 => {
                Some((pointer, value, inst))
            }
            _ => None,
        }
    };
    let found: Vec<(Value, Value, Inst)> = ways.iter().map(last).collect::<Option<_>>()?;
    let (pointer, value, _) = found[0];
    let address = Address::of(function, pointer);
    let is_alike = |&(other, stored, _): &(Value, Value, Inst)| {
        let is_there = is_same(function, pointer, other, DEPTH) || address.distance(&Address::of(function, other)) == Some(0);
        function.ty(stored) == function.ty(value) && is_there
    };
    (found.iter().all(is_alike) && is_computed_from(function, &|value| is_there(graph, home, block, value), pointer, DEPTH))
        .then_some(found)
}

/// Are two values the same, or computed by the same operations of the same?
fn is_same(function: &Function, a: Value, b: Value, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let (Some(first), Some(second)) = (function.definition(a), function.definition(b)) else { return false };
    if depth == 0 || !is_pure(first) {
        return false;
    }
    let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
    first.for_each(|operand| of_first.push(operand));
    second.for_each(|operand| of_second.push(operand));
    let (mut first, mut second) = (first.clone(), second.clone());
    first.for_each_mut(|operand| *operand = a);
    second.for_each_mut(|operand| *operand = a);
    let mut both = of_first.iter().zip(&of_second);
    let is_alike = function.ty(a) == function.ty(b) && first == second && of_first.len() == of_second.len();
    is_alike && both.all(|(&a, &b)| is_same(function, a, b, depth - 1))
}

fn is_there(graph: &Graph, home: &FxHashMap<Value, Block>, block: Block, value: Value) -> bool {
    home.get(&value).is_some_and(|&of| of != block && graph.dominates(of, block))
}

/// Takes the stores from the ways, hands on what they store, and gives the one that takes their place, with what computes its address.
fn join(
    function: &mut Function,
    graph: &Graph,
    home: &FxHashMap<Value, Block>,
    block: Block,
    ways: &[Block],
    stores: &[(Value, Value, Inst)],
) -> Vec<Inst> {
    let (pointer, value, store) = stores[0];
    let (ty, span) = (function.ty(value), function.insts[store.0 as usize].span);
    let index = function.blocks[block.0 as usize].parameters.len() as u32;
    let joined = new_value(function, ty, ValueDef::Parameter(block, index));
    function.blocks[block.0 as usize].parameters.push(joined);
    for (from, (_, value, store)) in ways.iter().zip(stores) {
        let data = &mut function.blocks[from.0 as usize];
        data.insts.retain(|inst| inst != store);
        data.terminator.targets_mut().for_each(|way| way.arguments.push(*value));
    }
    let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
    let mut to = BlockWriter { function, block, span };
    let is_inside = |_: &Function, value: Value| !is_there(graph, home, block, value);
    let pointer = to.again(pointer, &is_inside, &mut FxHashMap::default());
    to.effect(Op::Store { pointer, value: joined, mask: None, streaming: false });
    std::mem::replace(&mut function.blocks[block.0 as usize].insts, insts)
}
