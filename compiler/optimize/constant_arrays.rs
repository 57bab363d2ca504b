//! Local arrays that are set with constants alone are globals that keep their contents.
//!
//! ```text
//!     slot0 size=8                                 global constant @f.array0 = 3, 0, 0, 0, 5, 0, 0, 0
//!     v1 = slotaddress slot0                       v1 = globaladdress @f.array0
//!     store v1, 3                           ──►    v3 = ptrindex v1, i, scale 4
//!     v2 = ptroffset v1, 4                         v4 = load v3
//!     store v2, 5
//!     v3 = ptrindex v1, i, scale 4
//!     v4 = load v3
//! ```
//! Who writes a table of weights or an order of coefficients beside the loop that asks for it has a global: it is set once, and passes behind this one know what is in it.
//!
//! Each byte has one value wherever it is set, and before that none: what a load finds there then is some value, as well that one.

use super::slot_values::drop_slots;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Longer ones stay.
const MAX_BYTES: u64 = 1 << 16;

/// Makes globals of the constant local arrays of a module.
pub fn constant_arrays(module: &mut Module) {
    for function in module.functions.iter_mut().filter(|function| !function.blocks.is_empty() && !function.slots.is_empty()) {
        let graph = Graph::new(function);
        let found: Vec<Table> = (0..function.slots.len() as u32)
            .filter_map(|slot| Table::of(function, &graph, &module.globals, Slot(slot)))
            .collect();
        for (number, table) in found.iter().enumerate() {
            let data = &function.slots[table.slot.0 as usize];
            let name = format!("{}.array{number}", function.name);
            let (size, alignment) = (data.size, data.alignment);
            let global = GlobalId(module.globals.len() as u32);
            module.globals.push(Global { name, bytes: Some(table.bytes.clone()), size, alignment, is_const: true });
            for inst in &mut function.insts {
                if inst.op == Op::SlotAddress(table.slot) {
                    inst.op = Op::GlobalAddress(global);
                }
            }
            for block in &mut function.blocks {
                block.insts.retain(|inst| !table.writes.contains(inst));
            }
        }
        if !found.is_empty() {
            drop_slots(function);
        }
    }
}

/// What a slot always has.
struct Table {
    slot: Slot,
    bytes: Vec<u8>,
    /// What sets it.
    writes: FxHashSet<Inst>,
}

impl Table {
    fn of(function: &Function, graph: &Graph, globals: &[Global], slot: Slot) -> Option<Table> {
        let size = function.slots[slot.0 as usize].size;
        if size > MAX_BYTES {
            return None;
        }
        let mut bytes: Vec<Option<u8>> = vec![None; size as usize];
        let mut put = |at: i64, new: &[u8]| {
            let at = usize::try_from(at).ok()?;
            let place = bytes.get_mut(at..at.checked_add(new.len())?)?;
            let is_same = place.iter().zip(new).all(|(old, new)| old.is_none_or(|old| old == *new));
            place.iter_mut().zip(new).for_each(|(old, new)| *old = Some(*new));
            is_same.then_some(())
        };
        // Addresses in it, and how many bytes behind its start they are, where that is known.
        let mut places: FxHashMap<Value, Option<i64>> = FxHashMap::default();
        let (mut writes, mut is_indexed) = (FxHashSet::default(), false);
        for &block in &graph.order {
            let data = &function.blocks[block.0 as usize];
            for &inst in &data.insts {
                let InstData { op, results, .. } = &function.insts[inst.0 as usize];
                match *op {
                    Op::SlotAddress(own) if own == slot => drop(places.insert(results[0], Some(0))),
                    Op::PtrOffset(base, by) if places.contains_key(&base) => {
                        let place = places[&base].and_then(|at| at.checked_add(by));
                        places.insert(results[0], place);
                    }
                    Op::PtrIndex { base, index, .. } if places.contains_key(&base) && !places.contains_key(&index) => {
                        places.insert(results[0], None);
                        is_indexed = true;
                    }
                    Op::Store { pointer, value, mask: None, streaming: false } if places.contains_key(&pointer) => {
                        let (at, ty) = (places[&pointer]?, function.ty(value));
                        let lanes =
                            function.constant(value).filter(|_| ty.element != Element::Bool && ty.element != Element::Ptr)?;
                        let size = ty.element.size() as usize;
                        let new: Vec<u8> = lanes.iter().flat_map(|lane| lane.to_le_bytes()[..size].to_vec()).collect();
                        put(at, &new)?;
                        writes.insert(inst);
                    }
                    Op::Copy { to, from, size } if places.contains_key(&to) => {
                        let Some(&Op::GlobalAddress(global)) = function.definition(from) else { return None };
                        let global = globals.get(global.0 as usize).filter(|global| global.is_const && size <= global.size)?;
                        let zeros = || vec![0; size as usize];
                        put(places[&to]?, &global.bytes.as_ref().map_or_else(zeros, |bytes| bytes[..size as usize].to_vec()))?;
                        writes.insert(inst);
                    }
                    // What looks at it, and who asks whether there is something.
                    Op::Load { mask: None, .. } | Op::Gather { mask: None, .. } | Op::Compare(..) => {}
                    ref other => {
                        let mut is_used = false;
                        other.for_each(|value| is_used |= places.contains_key(&value));
                        if is_used {
                            return None;
                        }
                    }
                }
            }
            let mut is_used = false;
            data.terminator.for_each(|value| is_used |= places.contains_key(&value));
            if is_used {
                return None;
            }
        }
        let bytes = bytes.into_iter().map(|byte| byte.unwrap_or(0)).collect();
        (is_indexed && !writes.is_empty()).then_some(Table { slot, bytes, writes })
    }
}
