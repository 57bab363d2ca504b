//! Local variables that die with their mask are stored and loaded without it.
//!
//! ```text
//! v1 = slotaddress slot0
//! lifetime v1, m                            v1 = slotaddress slot0
//! v2 = ptrindex v1, k, scale 32     ──►     v2 = ptrindex v1, k, scale 32
//! store v2, x, mask m                       store v2, x
//! v3 = load v2, mask m                      v3 = load v2
//! ```
//! A local array of a `foreach` has a slot, and what is stored there at the end of the loop, where some lanes are off, would have a mask: a store that
//! takes long on many machines, and after which a load waits until memory has what it asks for. But the array is gone when these lanes are on
//! again: what they have there is seen by nobody.
//!
//! # Why nobody sees it
//! `predicate` says where a local made of vectors comes to life, and in which lanes m of that context, one of which is on. From there on until
//! it does so again, the lanes outside of m are neither written nor known, if all that is stored there are vectors of its lanes under m or a part of
//! m: then each value is some value in these lanes before, and some value afterwards. So it is not where a local is set with all of its lanes, one by one,
//! or by somebody who has its address. The place is inside of the slot, since it is where a lane is on. A function that was handed a reference loads
//! under its mask, and what it gets in other lanes is unset (E-DEREF): some value, as well.

use super::slots::Slots;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// Where a local comes to life, and in which lanes.
struct Lifetime {
    slot: Slot,
    mask: Value,
    at: (Block, usize),
}

/// An access of a slot.
struct Access {
    mask: Option<Value>,
    is_store: bool,
    /// Does it find the same lanes in the same bytes as all others that touch them?
    keeps_lanes: bool,
    at: (Block, usize),
    inst: Inst,
}

/// Accesses a function's locals without their masks.
pub fn local_lanes(function: &mut Function) {
    let is_lifetime = |inst: &Inst, function: &Function| matches!(function.insts[inst.0 as usize].op, Op::Lifetime(..));
    if !function.blocks.iter().any(|block| block.insts.iter().any(|inst| is_lifetime(inst, function))) {
        return;
    }
    for inst in unmasked(function) {
        match &mut function.insts[inst.0 as usize].op {
            Op::Store { mask, .. } | Op::Load { mask, .. } => *mask = None,
            op => unreachable!("{op:?} was not looked at"),
        }
    }
    for block in 0..function.blocks.len() {
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        insts.retain(|inst| !is_lifetime(inst, function));
        function.blocks[block].insts = insts;
    }
}

/// The accesses that need no mask.
fn unmasked(function: &Function) -> Vec<Inst> {
    let graph = Graph::new(function);
    let slots = Slots::of(function, &graph);
    let mut lifetimes = Vec::new();
    let mut accesses: Vec<Vec<Access>> = function.slots.iter().map(|_| Vec::new()).collect();
    for &block in &graph.order {
        for (at, &inst) in function.blocks[block.0 as usize].insts.iter().enumerate() {
            let (at, data) = ((block, at), &function.insts[inst.0 as usize]);
            let mut accessed = |pointer, ty, mask, is_store| {
                if let Some(place) = slots.place(pointer) {
                    let access = Access { mask, is_store, keeps_lanes: slots.keeps_lanes(place, ty), at, inst };
                    accesses[place.slot.0 as usize].push(access);
                }
            };
            match data.op {
                Op::Lifetime(pointer, mask) => {
                    lifetimes.extend(slots.place(pointer).map(|place| Lifetime { slot: place.slot, mask, at }));
                }
                Op::Store { pointer, value, mask, streaming: _ } => accessed(pointer, function.ty(value), mask, true),
                Op::Load { pointer, mask } => accessed(pointer, function.ty(data.results[0]), mask, false),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for Lifetime { slot, mask: own, at: (begin, first) } in lifetimes {
        let is_behind = |(block, at)| if block == begin { first < at } else { graph.dominates(begin, block) };
        let inside: Vec<&Access> = accesses[slot.0 as usize].iter().filter(|access| is_behind(access.at)).collect();
        let keeps = |access: &&Access| {
            !access.is_store || (access.keeps_lanes && access.mask.is_some_and(|mask| is_part(function, &graph, mask, own)))
        };
        if inside.iter().all(keeps) {
            found.extend(inside.iter().filter(|access| access.mask == Some(own) && access.keeps_lanes).map(|access| access.inst));
        }
    }
    found
}

/// Is a mask on only where `of` is? It is narrowed from there, and kept by loops; whatever a loop assumes of its own mask holds in its first round.
fn is_part(function: &Function, graph: &Graph, mask: Value, of: Value) -> bool {
    let (mut seen, mut open) = (FxHashSet::default(), vec![mask]);
    while let Some(mask) = open.pop() {
        if mask == of || !seen.insert(mask) {
            continue;
        }
        match (function.values[mask.0 as usize].def, function.definition(mask)) {
            // One of the two is enough; that of what was narrowed stands in front.
            (_, Some(&Op::Binary(BinaryOp::And, a, b))) => {
                if b != of {
                    open.push(a);
                }
            }
            (_, Some(Op::Const(bits))) if bits.iter().all(|&bits| bits == 0) => {}
            (ValueDef::Parameter(block, index), _) if block != Block(0) => {
                for &from in &graph.predecessors[block.0 as usize] {
                    let terminator = &function.blocks[from.0 as usize].terminator;
                    open.extend(
                        terminator
                            .targets()
                            .filter(|target| target.block == block)
                            .map(|target| target.arguments[index as usize]),
                    );
                }
            }
            _ => return false,
        }
    }
    true
}
