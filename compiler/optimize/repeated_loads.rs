//! What was loaded or stored already is not loaded again, whatever the masks.
//!
//! ```text
//! v = load p                             v = load p
//! m = compare.fgt v, one                 m = compare.fgt v, one
//! w = load p, mask m             ──►     w = select m, v, zero
//! x = fmul w, two                        x = fmul w, two
//! store p, x, mask m                     store p, x, mask m
//! ```
//! `if (a[i] > 1) a[i] *= 2` loads once; gathers and strided loads are treated alike. LLVM forwards what has no mask; that the lanes of one mask are among those of
//! another, only this stage knows (see [`logic`](super::logic)). Lanes of a load that are off are zero, hence the select;
//! where nobody looks at them, [`demanded_lanes`](super::demanded_lanes) takes it away.
//!
//! Behind a store under a mask the lanes of the mask are what is stored, and the others what was known before. A value is known until something may write what
//! it was loaded from, in its block and in blocks that can only be reached from there, or in which it is known on all ways. Where ways know different values,
//! what is loaded is handed on by each of them:
//!
//! ```text
//! v = load p                             v = load p
//! branch c, block1, block2               branch c, block1, block2(v)
//! block1:                                block1:
//!     store p, x                             store p, x
//!     jump block2             ──►            jump block2(x)
//! block2:                                block2(w):
//!     w = load p
//! ```

use super::alias::may_write;
use super::block_writer::new_value;
use super::logic::Logic;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many values are known at a time: the last ones, so that long blocks take linear time.
const MAX_KNOWN: usize = 256;

/// The lanes of `mask` of `value` are in memory behind `pointer`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Known {
    /// One address, or one for each lane.
    pointer: Value,
    /// From lane to lane, of a strided load.
    stride: Option<i64>,
    value: Value,
    mask: Option<Value>,
    /// Are the other lanes zero?
    is_load: bool,
}

/// Replaces loads of a function by what is known.
pub fn repeated_loads(function: &mut Function) {
    let graph = Graph::new(function);
    let mut logic = Logic::default();
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    let mut at_end: FxHashMap<Block, Vec<Known>> = FxHashMap::default();
    let mut has_selects = false;
    for &block in &graph.order {
        let before = &graph.predecessors[block.0 as usize];
        let (mut known, mut merged) = (known_on_all_ways(before, &at_end), merged(before, &at_end));
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = &mut function.insts[inst.0 as usize];
            data.op.for_each_mut(|value| *value = *same.get(value).unwrap_or(value));
            match data.op {
                Op::Load { pointer, mask }
                | Op::Gather { pointers: pointer, mask, .. }
                | Op::StridedLoad { pointer, mask, .. } => {
                    let stride = if let Op::StridedLoad { stride, .. } = data.op { Some(stride) } else { None };
                    let loaded = Known { pointer, stride, value: data.results[0], mask, is_load: true };
                    match replacement(function, &mut logic, &known, &loaded) {
                        Some(Replacement::Value(value)) => {
                            same.insert(loaded.value, value);
                            continue;
                        }
                        Some(Replacement::Select(mask, value)) => {
                            let (ty, span) = (function.ty(value), function.insts[inst.0 as usize].span);
                            let (constant, zero) = function.create(Op::Const(vec![0]), ty, span);
                            kept.push(constant);
                            function.insts[inst.0 as usize].op = Op::Select(mask, value, zero);
                        }
                        None => {
                            if let Some(value) = handed_on(function, &merged, block, &loaded) {
                                same.insert(loaded.value, value);
                                known.push(Known { value, ..loaded });
                                continue;
                            }
                        }
                    }
                    known.push(loaded);
                }
                Op::Store { pointer, value, mask, streaming: _ } => {
                    let op = data.op.clone();
                    let is_below = |k: &&Known| k.pointer == pointer && k.stride.is_none() && k.mask.is_none();
                    let below = known.iter().rfind(is_below).copied().filter(|k| function.ty(k.value) == function.ty(value));
                    known.retain(|k| survives(function, &mut logic, k, inst));
                    merged.retain(|m| !may_write(function, &op, m.pointer));
                    known.push(Known { pointer, stride: None, value, mask, is_load: false });
                    if let (Some(below), Some(mask)) = (below, mask) {
                        kept.push(inst);
                        let (ty, span) = (function.ty(value), function.insts[inst.0 as usize].span);
                        let (select, value) = function.create(Op::Select(mask, value, below.value), ty, span);
                        kept.push(select);
                        known.push(Known { value, ..below });
                        has_selects = true;
                        continue;
                    }
                }
                ref op if op.has_effect() => {
                    let op = op.clone();
                    known.retain(|k| !may_write(function, &op, k.pointer));
                    merged.retain(|m| !may_write(function, &op, m.pointer));
                }
                _ => {}
            }
            kept.push(inst);
            if known.len() > MAX_KNOWN {
                known.remove(0);
            }
        }
        function.blocks[block.0 as usize].insts = kept;
        at_end.insert(block, known);
    }
    if !same.is_empty() {
        function.replace_uses(&same);
        // What is computed of the same loads is the same.
        super::common_values(function);
    }
    if has_selects {
        super::dead_code(function);
    }
}

/// What is known at the end of all blocks that lead to one; what goes back to it is not known yet.
fn known_on_all_ways(before: &[Block], at_end: &FxHashMap<Block, Vec<Known>>) -> Vec<Known> {
    let mut ways = before.iter().map(|block| at_end.get(block));
    let Some(Some(first)) = ways.next() else { return Vec::new() };
    let mut known = first.clone();
    for way in ways {
        let there: FxHashSet<Known> = way.into_iter().flatten().copied().collect();
        known.retain(|known| there.contains(known));
    }
    known
}

/// What each way to a block knows to be behind a pointer, in all lanes.
struct Merged {
    pointer: Value,
    stride: Option<i64>,
    ways: Vec<(Block, Value)>,
}

/// What the blocks that lead to one know differently.
fn merged(before: &[Block], at_end: &FxHashMap<Block, Vec<Known>>) -> Vec<Merged> {
    let Some(known) = before.iter().map(|block| at_end.get(block)).collect::<Option<Vec<_>>>() else { return Vec::new() };
    let last = |known: &&Vec<Known>| -> FxHashMap<(Value, Option<i64>), Value> {
        known.iter().filter(|known| known.mask.is_none()).map(|known| ((known.pointer, known.stride), known.value)).collect()
    };
    let [first, others @ ..] = &known.iter().map(last).collect::<Vec<_>>()[..] else { return Vec::new() };
    let mut found = Vec::new();
    let mut places = FxHashSet::default();
    for known in known[0].iter().filter(|known| known.mask.is_none()) {
        let place = (known.pointer, known.stride);
        let others: Option<Vec<Value>> = others.iter().map(|other| other.get(&place).copied()).collect();
        let Some(others) = others.filter(|others| places.insert(place) && others.iter().any(|other| *other != first[&place]))
        else {
            continue;
        };
        let mut ways: Vec<(Block, Value)> = before.iter().copied().zip([first[&place]].into_iter().chain(others)).collect();
        // A branch both of whose ways lead here is one.
        ways.dedup();
        found.push(Merged { pointer: known.pointer, stride: known.stride, ways });
    }
    found
}

/// What a load of all lanes becomes where each way to its block knows what is there: a parameter of the block.
fn handed_on(function: &mut Function, merged: &[Merged], block: Block, loaded: &Known) -> Option<Value> {
    let ty = function.ty(loaded.value);
    let is_there = |m: &&Merged| {
        (m.pointer, m.stride) == (loaded.pointer, loaded.stride) && m.ways.iter().all(|(_, value)| function.ty(*value) == ty)
    };
    let found = merged.iter().find(is_there).filter(|_| loaded.mask.is_none())?;
    let index = function.blocks[block.0 as usize].parameters.len() as u32;
    let parameter = new_value(function, ty, ValueDef::Parameter(block, index));
    function.blocks[block.0 as usize].parameters.push(parameter);
    for (way, value) in &found.ways {
        let targets = function.blocks[way.0 as usize].terminator.targets_mut().filter(|target| target.block == block);
        targets.for_each(|target| target.arguments.push(*value));
    }
    Some(parameter)
}

/// What a load becomes.
enum Replacement {
    /// This value.
    Value(Value),
    /// The lanes of a mask of a value, and zero.
    Select(Value, Value),
}

fn replacement(function: &Function, logic: &mut Logic, known: &[Known], loaded: &Known) -> Option<Replacement> {
    let wanted = logic.of_mask(function, loaded.mask);
    // The last one is the nearest.
    for k in known.iter().rev() {
        let is_same_place = (k.pointer, k.stride) == (loaded.pointer, loaded.stride);
        if !is_same_place || function.ty(k.value) != function.ty(loaded.value) {
            continue;
        }
        let there = logic.of_mask(function, k.mask);
        if !logic.implies(wanted, there) {
            continue;
        }
        return Some(match loaded.mask {
            Some(_) if k.is_load && logic.implies(there, wanted) => Replacement::Value(k.value),
            Some(mask) => Replacement::Select(mask, k.value),
            None => Replacement::Value(k.value),
        });
    }
    None
}

/// Does a known value outlast a store? Lanes of the same place that the store leaves alone do.
fn survives(function: &Function, logic: &mut Logic, known: &Known, store: Inst) -> bool {
    let op = &function.insts[store.0 as usize].op;
    let Op::Store { pointer, value, mask, .. } = op else { unreachable!("a store") };
    let is_same_place = *pointer == known.pointer && known.stride.is_none();
    if is_same_place && function.ty(*value) == function.ty(known.value) {
        let (written, there) = (logic.of_mask(function, *mask), logic.of_mask(function, known.mask));
        return logic.disjoint(written, there);
    }
    !may_write(function, op, known.pointer)
}
