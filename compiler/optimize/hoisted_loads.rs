//! Loads stand in front of stores to other members of the same records.
//!
//! ```text
//! a = gather (ptrindex p, i, scale 8)                a = gather (ptrindex p, i, scale 8)
//! scatter (ptrindex p, i, scale 8), x                b = gather (ptrindex p, i, scale 8, offset 4)
//! b = gather (ptrindex p, i, scale 8, offset 4) ──►  scatter (ptrindex p, i, scale 8), x
//! scatter (ptrindex p, i, scale 8, offset 4), y      scatter (ptrindex p, i, scale 8, offset 4), y
//! ```
//! `p[i].a += 1; p[i].b += 2` reads and writes one member after the other. Side by side, the loads become one of the whole records, and so
//! do the stores (`interleaved_loads`, `interleaved_stores`). Lanes are s bytes apart in both, and the load begins d bytes behind the store: they have nothing in
//! common where d modulo s is behind what is stored, and what is loaded ends before s. Single numbers have nothing in common where the one ends before the
//! other; only elements of an array by an index are moved, a record apart, so that [`vectorized_rounds`](super::vectorized_rounds()) meets them so.

use super::addresses::Address;
use super::alias::may_write;
use crate::vector::ir::*;

/// So many stores are looked back to, and so many operations that an address is made of are taken along.
const MOST: usize = 16;

/// How many instructions are between a store and a load at most, so that long blocks take linear time.
const DISTANCE: usize = 512;

/// Single numbers are as many bytes apart at most.
const RECORD: i64 = 64;

/// A store that loads may stand in front of.
struct Written {
    /// Its place in what is written of the block.
    at: usize,
    address: Address,
    step: i64,
    size: i64,
}

/// Moves the loads of a function.
pub fn hoisted_loads(function: &mut Function) {
    let is_store = |inst: &Inst| written(function, &function.insts[inst.0 as usize].op).is_some();
    if !function.blocks.iter().any(|block| block.insts.iter().any(is_store)) {
        return;
    }
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out: Vec<Inst> = Vec::with_capacity(insts.len());
        let mut stores: Vec<Written> = Vec::new();
        for inst in insts {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let read = match op {
                Op::Gather { pointers, .. } => Some(*pointers),
                Op::Load { pointer, mask: None } if function.ty(results[0]).length == 1 => Some(*pointer),
                _ => None,
            };
            if let Some((pointers, value)) = written(function, op) {
                let (address, size) = (Address::of(function, pointers), function.ty(value).element.size() as i64);
                match address.lane_step(function) {
                    Some(step) => stores.push(Written { at: out.len(), address, step, size }),
                    None => stores.clear(),
                }
                let surplus = stores.len().saturating_sub(MOST);
                stores.drain(..surplus);
            } else if let Some(pointers) = read {
                let size = function.ty(results[0]).element.size() as i64;
                if let Some((at, taken)) = place(function, &out, &stores, op, pointers, size) {
                    for store in stores.iter_mut().filter(|store| store.at >= at) {
                        store.at += 1 + taken.iter().filter(|&&place| place > store.at).count();
                    }
                    hoist(&mut out, inst, at, &taken);
                    continue;
                }
            } else if op.has_effect() {
                stores.clear();
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
}

/// Where a scatter, or a store of a single number, stores what.
fn written(function: &Function, op: &Op) -> Option<(Value, Value)> {
    match *op {
        Op::Scatter { pointers, value, mask: _ } => Some((pointers, value)),
        Op::Store { pointer, value, mask: None, streaming: false } if function.ty(value).length == 1 => Some((pointer, value)),
        _ => None,
    }
}

/// The store in front of which a load may stand, and the places behind that of what it is computed from; `None` where there is none, or no use in
/// it.
fn place(
    function: &Function,
    out: &[Inst],
    stores: &[Written],
    load: &Op,
    pointers: Value,
    size: i64,
) -> Option<(usize, Vec<usize>)> {
    let address = (!stores.is_empty()).then(|| Address::of(function, pointers))?;
    let step = address.lane_step(function)?;
    let is_other = |store: &Written| {
        let Some(distance) = store.address.distance(&address).filter(|_| step == store.step) else { return false };
        if step == 0 {
            let is_element = address.terms().next().is_some() && distance.abs() < RECORD;
            return is_element && (distance >= store.size || distance + size <= 0);
        }
        let behind = distance.rem_euclid(step.abs());
        behind >= store.size && behind + size <= step.abs()
    };
    let store = |store: &Written| &function.insts[out[store.at].0 as usize].op;
    let is_near = |it: &Written| out.len() - it.at <= DISTANCE;
    let is_past = |it: &&Written| is_near(it) && (is_other(it) || !may_write(function, store(it), pointers));
    let passed: Vec<&Written> = stores.iter().rev().take_while(is_past).collect();
    let at = passed.iter().rev().find(|store| is_other(store))?.at;
    operands(function, out, load, at).map(|taken| (at, taken))
}

/// The places behind `at` of what an operation is computed from, in order; `None` where some of it is more than arithmetic, or much.
fn operands(function: &Function, out: &[Inst], op: &Op, at: usize) -> Option<Vec<usize>> {
    let mut found: Vec<usize> = Vec::new();
    let mut work: Vec<Value> = Vec::new();
    op.for_each(|value| work.push(value));
    while let Some(value) = work.pop() {
        let ValueDef::Result(inst, _) = function.values[value.0 as usize].def else { continue };
        let Some(place) = out[at..].iter().position(|&other| other == inst).map(|place| at + place) else { continue };
        if found.contains(&place) {
            continue;
        }
        let op = &function.insts[inst.0 as usize].op;
        if op.has_effect() || reads(op) || found.len() >= MOST {
            return None;
        }
        found.push(place);
        op.for_each(|value| work.push(value));
    }
    found.sort_unstable();
    Some(found)
}

/// Puts a load and what it is computed from in front of a place.
fn hoist(out: &mut Vec<Inst>, load: Inst, at: usize, taken: &[usize]) {
    let mut moved: Vec<Inst> = taken.iter().rev().map(|&place| out.remove(place)).collect();
    moved.reverse();
    moved.push(load);
    out.splice(at..at, moved);
}

fn reads(op: &Op) -> bool {
    matches!(op, Op::Load { .. } | Op::Gather { .. } | Op::StridedLoad { .. } | Op::StreamingLoad { .. })
}
