//! The demand of what lies in the slots of a function, and the masks that nobody asks for.

use super::super::Formula;
use super::Analysis;
use crate::optimize::slots::Slots;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// So many slots are tried with so many masks.
const MAX_SLOT_PAIRS: usize = 64;

/// A slot: what lies in it is demanded at most where a mask is on that is the same throughout the call.
#[derive(Clone, Copy)]
pub(super) struct SlotPair {
    slot: Slot,
    mask: Value,
}

/// The loads that find lanes in slots where stores put them.
pub(super) fn loads_of_lanes(function: &Function, graph: &Graph, slots: &Slots) -> Vec<(Slot, Inst)> {
    if function.slots.is_empty() {
        return Vec::new();
    }
    let load = |&inst: &Inst| {
        let data = &function.insts[inst.0 as usize];
        let Op::Load { pointer, .. } = data.op else { return None };
        let place = slots.place(pointer)?;
        slots.keeps_lanes(place, function.ty(data.results[0])).then_some((place.slot, inst))
    };
    graph.order.iter().flat_map(|block| &function.blocks[block.0 as usize].insts).filter_map(load).collect()
}

impl Analysis<'_> {
    /// Slots, with masks under which is stored to them.
    pub(super) fn slot_candidates(&self) -> Vec<SlotPair> {
        let mut pairs: Vec<SlotPair> = Vec::new();
        for &inst in self.graph.order.iter().flat_map(|block| &self.function.blocks[block.0 as usize].insts) {
            let Op::Store { pointer, mask: Some(mask), .. } = self.function.insts[inst.0 as usize].op else { continue };
            let Some(place) = self.slots.place(pointer) else { continue };
            let mut work = vec![mask];
            while let Some(mask) = work.pop() {
                let is_known = pairs.iter().any(|pair| (pair.slot, pair.mask) == (place.slot, mask));
                if !is_known && self.graph.innermost_loop(self.home_of(mask)).is_none() && pairs.len() < MAX_SLOT_PAIRS {
                    pairs.push(SlotPair { slot: place.slot, mask });
                }
                if let Some(&Op::Binary(BinaryOp::And, a, b)) = self.function.definition(mask) {
                    work.extend([a, b]);
                }
            }
        }
        pairs
    }

    /// Where the content of a slot at this place is looked at, as far as that is known.
    pub(super) fn demand_of_place(&mut self, pointer: Value, ty: Type) -> Formula {
        let Some(place) = self.slots.place(pointer).filter(|place| self.slots.keeps_lanes(*place, ty)) else {
            return Formula::ALL;
        };
        let mut demanded = Formula::ALL;
        for pair in 0..self.slot_pairs.len() {
            let SlotPair { slot, mask } = self.slot_pairs[pair];
            if slot == place.slot && self.function.ty(mask).length == ty.length {
                let mask = self.logic.of(self.function, mask);
                demanded = self.logic.and(demanded, mask).unwrap_or(demanded);
            }
        }
        demanded
    }

    /// Do all loads from the slot that find lanes there look at them where the mask is on only?
    pub(super) fn is_borne_out_by_loads(&mut self, pair: SlotPair) -> bool {
        let (length, formula) = (self.function.ty(pair.mask).length, self.logic.of(self.function, pair.mask));
        (0..self.slot_loads.len()).all(|load| {
            let (slot, inst) = self.slot_loads[load];
            let data = &self.function.insts[inst.0 as usize];
            let Op::Load { mask, .. } = data.op else { panic!("{:?} is no load", data.op) };
            if slot != pair.slot || self.function.ty(data.results[0]).length != length {
                return true;
            }
            let (demanded, loaded) = (self.demand(data.results[0]), self.logic.of_mask(self.function, mask));
            let demanded = self.logic.and(demanded, loaded).unwrap_or(demanded);
            self.logic.implies(demanded, formula)
        })
    }

    /// The masks of selects and of accesses of slots that say more than somebody asks for, with what is enough: perhaps none.
    pub(in super::super) fn superfluous_masks(&mut self) -> Vec<(Inst, Option<Value>)> {
        let mut enough = Vec::new();
        for &inst in self.graph.order.iter().flat_map(|block| &self.function.blocks[block.0 as usize].insts) {
            let data = &self.function.insts[inst.0 as usize];
            if let Some((mask, ..)) = self.lanewise_select(inst) {
                let demanded = self.demand(data.results[0]);
                let under = self.logic.under(self.function, mask, demanded);
                enough.extend((under != mask).then_some((inst, Some(under))));
                continue;
            }
            let (mask, demanded) = match data.op {
                Op::Load { pointer, mask: Some(mask) } if self.slots.place(pointer).is_some() => {
                    (mask, self.demand(data.results[0]))
                }
                Op::Store { pointer, value, mask: Some(mask), streaming: _ } => {
                    (mask, self.demand_of_place(pointer, self.function.ty(value)))
                }
                _ => continue,
            };
            let formula = self.logic.of(self.function, mask);
            if self.logic.implies(demanded, formula) {
                enough.push((inst, None));
            } else if matches!(data.op, Op::Store { .. }) {
                let under = self.logic.under(self.function, mask, demanded);
                enough.extend((under != mask).then_some((inst, Some(under))));
            }
        }
        enough
    }
}
