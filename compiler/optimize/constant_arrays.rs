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
use std::collections::BTreeMap;

/// Longer ones stay.
const MAX_BYTES: u64 = 1 << 16;

/// Makes globals of the constant local arrays of a module.
pub fn constant_arrays(module: &mut Module) {
    for function in module.functions.iter_mut().filter(|function| !function.blocks.is_empty() && !function.slots.is_empty()) {
        let graph = Graph::new(function);
        let found = Tables::of(function, &graph, &module.globals);
        let mut globals: FxHashMap<Slot, GlobalId> = FxHashMap::default();
        for (&slot, table) in found.iter().filter(|(_, table)| table.is_indexed && !table.writes.is_empty()) {
            let SlotData { size, alignment } = function.slots[slot.0 as usize];
            let name = format!("{}.array{}", function.name, globals.len());
            globals.insert(slot, GlobalId(module.globals.len() as u32));
            let bytes = table.bytes.iter().map(|byte| byte.unwrap_or(0)).collect();
            module.globals.push(Global { name, bytes: Some(bytes), size, alignment, is_const: true });
        }
        if globals.is_empty() {
            continue;
        }
        for inst in &mut function.insts {
            if let Op::SlotAddress(slot) = inst.op
                && let Some(&global) = globals.get(&slot)
            {
                inst.op = Op::GlobalAddress(global);
            }
        }
        let written: FxHashSet<Inst> = globals.keys().flat_map(|slot| &found[slot].writes).copied().collect();
        function.blocks.iter_mut().for_each(|block| block.insts.retain(|inst| !written.contains(inst)));
        drop_slots(function);
    }
}

/// What a slot always has, as far as it has been looked at.
struct Table {
    bytes: Vec<Option<u8>>,
    /// What sets it.
    writes: FxHashSet<Inst>,
    is_indexed: bool,
}

impl Table {
    /// Sets bytes; `None` where they are others already, or no bytes of the slot.
    fn put(&mut self, at: i64, new: &[u8], inst: Inst) -> Option<()> {
        let at = usize::try_from(at).ok()?;
        let place = self.bytes.get_mut(at..at.checked_add(new.len())?)?;
        let is_same = place.iter().zip(new).all(|(old, new)| old.is_none_or(|old| old == *new));
        place.iter_mut().zip(new).for_each(|(old, new)| *old = Some(*new));
        self.writes.insert(inst);
        is_same.then_some(())
    }
}

/// The slots of a function that have a value for each byte wherever it is set; what lies in those that have not is not known.
struct Tables<'f> {
    function: &'f Function,
    globals: &'f [Global],
    tables: BTreeMap<Slot, Table>,
    /// Addresses in slots, and how many bytes behind the start they are, where that is known.
    places: FxHashMap<Value, (Slot, Option<i64>)>,
}

impl Tables<'_> {
    fn of(function: &Function, graph: &Graph, globals: &[Global]) -> BTreeMap<Slot, Table> {
        let table = |size: u64| Table { bytes: vec![None; size as usize], writes: FxHashSet::default(), is_indexed: false };
        let slots = (0..).map(Slot).zip(&function.slots).filter(|(_, data)| data.size <= MAX_BYTES);
        let tables = slots.map(|(slot, data)| (slot, table(data.size))).collect();
        let mut this = Tables { function, globals, tables, places: FxHashMap::default() };
        for &block in &graph.order {
            let data = &function.blocks[block.0 as usize];
            data.insts.iter().for_each(|inst| this.look_at(*inst));
            data.terminator.for_each(|value| this.leaves(value));
        }
        this.tables
    }

    /// Its address is used for something else.
    fn leaves(&mut self, value: Value) {
        if let Some((slot, _)) = self.places.get(&value) {
            self.tables.remove(slot);
        }
    }

    fn look_at(&mut self, inst: Inst) {
        let InstData { op, results, .. } = &self.function.insts[inst.0 as usize];
        match *op {
            Op::SlotAddress(slot) => {
                self.places.insert(results[0], (slot, Some(0)));
            }
            Op::PtrOffset(base, by) => {
                if let Some(&(slot, at)) = self.places.get(&base) {
                    self.places.insert(results[0], (slot, at.and_then(|at| at.checked_add(by))));
                }
            }
            Op::PtrIndex { base, .. } => {
                if let Some(&(slot, _)) = self.places.get(&base) {
                    self.places.insert(results[0], (slot, None));
                    self.tables.entry(slot).and_modify(|table| table.is_indexed = true);
                }
            }
            Op::Store { pointer, value, mask: None, streaming: false } => {
                self.leaves(value);
                let new = self.stored(value);
                self.set(pointer, new.as_deref(), inst);
            }
            Op::Copy { to, from, size } => {
                self.leaves(from);
                let new = self.copied(from, size);
                self.set(to, new.as_deref(), inst);
            }
            // What looks at it, and who asks whether there is something.
            Op::Load { mask: None, .. } | Op::Gather { mask: None, .. } | Op::Compare(..) => {}
            ref other => other.for_each(|value| self.leaves(value)),
        }
    }

    /// Bytes are set, which are known, or not.
    fn set(&mut self, pointer: Value, new: Option<&[u8]>, inst: Inst) {
        let Some(&(slot, at)) = self.places.get(&pointer) else { return };
        let Some(table) = self.tables.get_mut(&slot) else { return };
        let is_set = at.zip(new).and_then(|(at, new)| table.put(at, new, inst));
        if is_set.is_none() {
            self.tables.remove(&slot);
        }
    }

    /// The bytes of a number.
    fn stored(&self, value: Value) -> Option<Vec<u8>> {
        let element = self.function.ty(value).element;
        let lanes = self.function.constant(value).filter(|_| element != Element::Bool && element != Element::Ptr)?;
        Some(lanes.iter().flat_map(|lane| lane.to_le_bytes()[..element.size() as usize].to_vec()).collect())
    }

    /// The first bytes of a global that keeps them.
    fn copied(&self, from: Value, size: u64) -> Option<Vec<u8>> {
        let Some(&Op::GlobalAddress(global)) = self.function.definition(from) else { return None };
        let global = self.globals.get(global.0 as usize).filter(|global| global.is_const && size <= global.size)?;
        Some(global.bytes.as_ref().map_or_else(|| vec![0; size as usize], |bytes| bytes[..size as usize].to_vec()))
    }
}
