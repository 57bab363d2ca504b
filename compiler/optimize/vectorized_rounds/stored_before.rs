//! What the round before has stored is handed on rather than loaded.
//!
//! ```text
//!                                             branch i < n, block5, block1(i, 0)
//!                                             block5: y = load a + 4 · (i − 1); jump block1(i, y)
//! block1(i):                                  block1(i, x):
//!     branch i < n, block2, block3                branch i < n, block2, block3
//! block2:                                     block2:
//!     x = load a + 4 · (i − 1)         ──►
//!     s = add x, (load b + 4 · i)                 s = add x, (load b + 4 · i)
//!     store a + 4 · i, s                          store a + 4 · i, s
//!     jump block1(i + 1)                          jump block1(i + 1, s)
//! ```
//! `a[i] = a[i - 1] + b[i]` is a running total like `sum += b[i]; a[i] = sum;`. Only the first round loads, if there is one. Nobody else may write there. Whether the loop becomes lanes shows when it is
//! written, so that this is done with a copy of the function.

use super::super::Surroundings;
use super::super::alias::may_touch;
use super::super::block_writer::{BlockWriter, is_defined_in, lead};
use super::{Rounds, by_copies};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Hands on in the loops that become lanes by it.
pub(super) fn hand_on_stored(function: &mut Function, around: Surroundings<'_>) {
    by_copies(function, around, without_load);
}

/// The function with a loop that does not load what the round before stored.
fn without_load(
    function: &Function,
    graph: &Graph,
    around: Surroundings<'_>,
    header: Block,
    left: &mut usize,
) -> Option<Function> {
    let (rounds, inside) = Rounds::shape(function, graph, around, header)?;
    // Nobody asks in front of the loop whether its addresses go on as they seem to.
    if !rounds.apart.is_empty() {
        return None;
    }
    let op = |inst: Inst| &function.insts[inst.0 as usize].op;
    let (loaded, stored) = rounds.accesses.iter().find_map(|load| {
        let result = function.insts[load.inst.0 as usize].results.first().filter(|_| load.in_each && !load.is_store)?;
        let is_before = |store: &&super::Access| {
            let Op::Store { value, .. } = op(store.inst) else { return false };
            let is_next = load.step.is_some() && load.step == store.step && load.address.distance(&store.address) == load.step;
            is_next && store.in_each && function.ty(*value) == function.ty(*result)
        };
        let store = rounds.accesses.iter().find(is_before)?;
        let mut others = rounds.accesses.iter().filter(|other| other.is_store && other.inst != store.inst);
        others.all(|other| !may_touch(function, op(load.inst), other.pointer)).then_some((load.inst, store.inst))
    })?;
    *left = left.checked_sub(function.insts.len())?;
    if Rounds::are_lanes(function, graph, around, header) {
        return None;
    }
    let mut made = function.clone();
    write(&mut made, graph, header, &inside, loaded, stored);
    Rounds::are_lanes(&made, &Graph::new(&made), around, header).then_some(made)
}

fn write(function: &mut Function, graph: &Graph, header: Block, inside: &[bool], loaded: Inst, stored: Inst) {
    let InstData { op: Op::Load { pointer, .. }, ref results, span } = function.insts[loaded.0 as usize] else {
        unreachable!("a load")
    };
    let Op::Store { value: next, .. } = function.insts[stored.0 as usize].op else { unreachable!("a store") };
    let (result, ty) = (results[0], function.ty(results[0]));
    let old = function.blocks[header.0 as usize].clone();
    let mut to = BlockWriter { function, block: header, span };
    let [start, first] = [(); 2].map(|()| to.new_block());
    let given = to.parameters_of(header, start);
    lead(to.function, graph, |block| inside.get(block.0 as usize) == Some(&true), header, start);

    // Is there a first round?
    to.block = start;
    let mut known: FxHashMap<Value, Value> = old.parameters.iter().copied().zip(given.iter().copied()).collect();
    for &inst in &old.insts {
        let same = to.copy(inst, |value| known.get(&value).copied().unwrap_or(value));
        known.extend(same);
    }
    let Terminator::Branch { condition, then, .. } = &old.terminator else { unreachable!("a header asks") };
    let goes_on = known.get(condition).copied().unwrap_or(*condition);
    let zero = to.number(0, ty);
    let with = |value: Value| Target { block: header, arguments: given.iter().copied().chain([value]).collect() };
    let to_first = Target { block: first, arguments: Vec::new() };
    let is_then = inside[then.block.0 as usize];
    let (then, otherwise) = if is_then { (to_first, with(zero)) } else { (with(zero), to_first) };
    to.end(Terminator::Branch { condition: goes_on, then, otherwise });

    to.block = first;
    let is_inside = |function: &Function, value: Value| is_defined_in(function, inside, value);
    let pointer = to.again(pointer, &is_inside, &mut known);
    let value = to.emit(Op::Load { pointer, mask: None }, ty);
    to.end(Terminator::Jump(with(value)));

    let parameter = to.parameter(header, ty);
    for (block, data) in (0..).map(Block).zip(&mut function.blocks) {
        if inside.get(block.0 as usize) == Some(&true) {
            data.insts.retain(|inst| *inst != loaded);
            data.terminator.targets_mut().filter(|target| target.block == header).for_each(|target| target.arguments.push(next));
        }
    }
    function.replace_uses(&FxHashMap::from_iter([(result, parameter)]));
}
