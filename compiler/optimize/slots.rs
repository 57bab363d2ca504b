//! Where accesses lie in the stack slots of a function.
//!
//! ```text
//! v1 = slotaddress slot0
//! v2 = ptrindex v1, i, scale 64, offset 32        slot0, 32 bytes behind a multiple of 64
//! v3 = load v2: f32x8                             a part of slot0: 8 elements of 4 bytes there
//! ```
//! A slot is *plain* if its address is used for comparisons, and for loads and stores of neighbouring elements alone, with offsets that are constant but for
//! multiples of one distance. Two accesses of a plain slot then touch the same bytes only if they touch the same ones of that distance.

use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// An address in a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub slot: Slot,
    /// Bytes from the start of the slot, but for a multiple of the slot's distance.
    pub offset: i64,
}

/// What is known of one slot.
struct Uses {
    is_plain: bool,
    /// Addresses differ from their offsets by multiples of it; 0 if not at all.
    distance: u64,
    accesses: Vec<(i64, Type)>,
}

/// The slots of a function.
pub(super) struct Slots {
    places: FxHashMap<Value, Place>,
    uses: Vec<Uses>,
}

impl Slots {
    /// Looks at every use of every slot.
    pub fn of(function: &Function, graph: &Graph) -> Slots {
        let uses = function.slots.iter().map(|_| Uses { is_plain: true, distance: 0, accesses: Vec::new() }).collect();
        let mut slots = Slots { places: FxHashMap::default(), uses };
        if function.slots.is_empty() {
            return slots;
        }
        for &block in &graph.order {
            let data = &function.blocks[block.0 as usize];
            for &inst in &data.insts {
                slots.look_at(function, &function.insts[inst.0 as usize]);
            }
            data.terminator.for_each(|value| slots.leaves(value));
        }
        slots
    }

    /// The place that an address is one of; `None` if it leads to no slot, or to one that is not plain.
    pub fn place(&self, pointer: Value) -> Option<Place> {
        self.places.get(&pointer).copied().filter(|place| self.uses[place.slot.0 as usize].is_plain)
    }

    /// The place of an address that is always the same one.
    pub fn fixed_place(&self, pointer: Value) -> Option<Place> {
        self.place(pointer).filter(|place| self.uses[place.slot.0 as usize].distance == 0)
    }

    /// Does every access that touches what this one touches do so with the same type?
    pub fn is_a_part(&self, place: Place, ty: Type) -> bool {
        self.is_met_by(place, ty, |other| other == ty)
    }

    /// Does every access that touches what this one touches find the same lanes in the same bytes?
    pub fn keeps_lanes(&self, place: Place, ty: Type) -> bool {
        self.is_met_by(place, ty, |other| (other.element.size(), other.length) == (ty.element.size(), ty.length))
    }

    /// Do all lanes of an access lie in the slot, if any does?
    pub fn is_inside(&self, function: &Function, place: Place, ty: Type) -> bool {
        let size = function.slots[place.slot.0 as usize].size;
        match self.uses[place.slot.0 as usize].distance {
            0 => u64::try_from(place.offset).is_ok_and(|offset| offset.checked_add(ty.bytes()).is_some_and(|end| end <= size)),
            distance => size.is_multiple_of(distance) && place.offset.rem_euclid(distance as i64) as u64 + ty.bytes() <= distance,
        }
    }

    /// Are the accesses that touch what this one touches at the same place, and such ones?
    fn is_met_by(&self, place: Place, ty: Type, is_such: impl Fn(Type) -> bool) -> bool {
        let Uses { distance, accesses, .. } = &self.uses[place.slot.0 as usize];
        let size = |ty: Type| ty.bytes() as i64;
        let (distance, own) = (*distance as i64, size(ty));
        accesses.iter().all(|&(offset, other)| {
            let mut by = offset.wrapping_sub(place.offset);
            if distance > 0 {
                by = by.rem_euclid(distance);
            }
            if by == 0 {
                return is_such(other) && (distance == 0 || own <= distance);
            }
            // The nearest such place on either side.
            let behind = if distance > 0 { by - distance } else { by };
            (by >= own || by < 0) && (behind >= own || behind + size(other) <= 0)
        })
    }

    fn look_at(&mut self, function: &Function, data: &InstData) {
        // That an address is compared, as a reference that is checked is with null, tells nobody what lies there.
        if matches!(data.op, Op::Compare(..)) {
            return;
        }
        for_each_use(function, data, |used| match used {
            Use::Begins { result, slot } => drop(self.places.insert(result, Place { slot, offset: 0 })),
            Use::Moves { result, base, by, scale } => self.moved(result, base, by, scale),
            Use::Accesses { pointer, ty, is_written: _ } => self.accessed(pointer, ty),
            Use::Hands { callee: _, arguments } => arguments.iter().for_each(|&argument| self.leaves(argument)),
            Use::Leaves(value) => self.leaves(value),
        });
    }

    /// `result` is some bytes behind `base`, and some number of times `scale`.
    fn moved(&mut self, result: Value, base: Value, by: i64, scale: u64) {
        let Some(&place) = self.places.get(&base) else { return };
        self.places.insert(result, Place { offset: place.offset.wrapping_add(by), ..place });
        let distance = &mut self.uses[place.slot.0 as usize].distance;
        *distance = greatest_common_divisor(*distance, scale);
    }

    fn accessed(&mut self, pointer: Value, ty: Type) {
        if let Some(&Place { slot, offset }) = self.places.get(&pointer) {
            let accesses = &mut self.uses[slot.0 as usize].accesses;
            if !accesses.contains(&(offset, ty)) {
                accesses.push((offset, ty));
            }
        }
    }

    /// A value that is used for something else.
    fn leaves(&mut self, value: Value) {
        if let Some(place) = self.places.get(&value) {
            self.uses[place.slot.0 as usize].is_plain = false;
        }
    }
}

/// What an instruction does with a value that may be an address in a slot.
pub(super) enum Use<'d> {
    /// `result` is where a slot begins.
    Begins { result: Value, slot: Slot },
    /// `result` is so many bytes behind `base`, and some number of times `scale`.
    Moves { result: Value, base: Value, by: i64, scale: u64 },
    /// A load or a store of neighbouring elements.
    Accesses { pointer: Value, ty: Type, is_written: bool },
    /// A call, of what it is handed.
    Hands { callee: FunctionId, arguments: &'d [Value] },
    /// Whatever else.
    Leaves(Value),
}

/// Calls back for all that an instruction uses.
pub(super) fn for_each_use<'d>(function: &Function, data: &'d InstData, mut each: impl FnMut(Use<'d>)) {
    match data.op {
        Op::SlotAddress(slot) => each(Use::Begins { result: data.results[0], slot }),
        Op::PtrOffset(base, by) => each(Use::Moves { result: data.results[0], base, by, scale: 0 }),
        Op::PtrIndex { base, index, scale, offset } if function.ty(index).length == 1 => {
            let (by, scale) = match function.signed_constant(index) {
                Some(index) => (index.wrapping_mul(scale as i64).wrapping_add(offset), 0),
                None => (offset, scale),
            };
            each(Use::Moves { result: data.results[0], base, by, scale });
        }
        Op::Load { pointer, mask } => {
            each(Use::Accesses { pointer, ty: function.ty(data.results[0]), is_written: false });
            mask.into_iter().for_each(|mask| each(Use::Leaves(mask)));
        }
        Op::Store { pointer, value, mask, streaming: false } => {
            each(Use::Accesses { pointer, ty: function.ty(value), is_written: true });
            each(Use::Leaves(value));
            mask.into_iter().for_each(|mask| each(Use::Leaves(mask)));
        }
        Op::Lifetime(_, mask) => each(Use::Leaves(mask)),
        Op::Call(callee, ref arguments) => each(Use::Hands { callee, arguments }),
        ref other => other.for_each(|value| each(Use::Leaves(value))),
    }
}

/// That of 0 and n is n.
fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
