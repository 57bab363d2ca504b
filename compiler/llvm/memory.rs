//! Addresses, and memory where lanes lie one after another.
//!
//! A lane that is off touches no byte. AVX has masked moves of 32 and 64 bits and AVX-512 of all widths; where there is
//! none, all lanes are moved at once if all are on, else one by one:
//!
//! ```text
//! load f32×4 p, m on SSE   →   if all m { load } else { for each k: select(m[k], p + 4k, zeros) is loaded }
//! store f32×4 p, v, m      →   if all m { store } else { for each k: v[k] goes to select(m[k], p + 4k, scratch) }
//! ```
//!
//! Longer vectors take a loop over the bits of the mask instead of selected addresses, unless those that are on lie beside each other,
//! which are moved in parts (`first_lanes`, `lane_runs`).

use super::builder::LlvmValue;
use super::function::FunctionTranslator;
use crate::vector::ir::{self, Element, Type};

/// Vectors of at most this length are taken apart lane by lane; longer ones in a loop.
const UNROLLED_LANES: u32 = 8;

impl FunctionTranslator<'_> {
    // ---- Addresses ------------------------------------------------------------------------------------------------

    /// base + index·scale + offset. The offset goes to a scalar base first, so that scale and index stay next to each
    /// other, where gathers look for them.
    pub(super) fn pointer_index(&self, base: ir::Value, index: ir::Value, scale: u64, offset: i64) -> LlvmValue {
        let b = self.b;
        let (base_value, index_value) = (self.value(base), self.value(index));
        let length = self.type_of(base).length.max(self.type_of(index).length);
        let step = b.array(b.int(8), scale);
        let address = if self.type_of(base).length == 1 {
            b.address(step, b.offset(base_value, offset), index_value)
        } else {
            b.offset(b.address(step, base_value, index_value), offset)
        };
        debug_assert!(b.lanes(b.type_of(address)) == u32::from(length), "the longer operand decides");
        address
    }

    pub(super) fn copy(&self, to: ir::Value, from: ir::Value, size: u64) {
        let b = self.b;
        let arguments = [self.value(to), self.value(from), b.i64(size), b.zero(b.int(1))];
        b.intrinsic("llvm.memcpy", &[b.ptr(), b.ptr(), b.int(64)], &arguments);
    }

    pub(super) fn prefetch(&self, pointer: ir::Value) {
        let b = self.b;
        // For reading, into all levels of the data cache.
        let arguments = [self.value(pointer), b.i32(0), b.i32(3), b.i32(1)];
        b.intrinsic("llvm.prefetch", &[b.ptr()], &arguments);
    }

    // ---- Values in memory -----------------------------------------------------------------------------------------

    /// What was read becomes a value: bytes become bits.
    pub(super) fn loaded(&self, value: LlvmValue, element: Element) -> LlvmValue {
        if element == Element::Bool { self.b.is_set(value) } else { value }
    }

    /// A value as it is written: bits become bytes.
    pub(super) fn to_memory(&self, value: LlvmValue, ty: Type) -> LlvmValue {
        if ty.element == Element::Bool { self.b.zext(value, self.unit.memory_type(ty)) } else { value }
    }

    /// Reads through a pointer that may lead to what was never written.
    pub(super) fn settled(&self, value: LlvmValue, pointer: ir::Value) -> LlvmValue {
        if self.may_be_unset(pointer) { self.b.freeze(value) } else { value }
    }

    /// A mask that says something: `None` where all lanes are on.
    pub(super) fn partial_mask(&self, mask: Option<ir::Value>) -> Option<LlvmValue> {
        let mask = self.value(mask?);
        let all = self.b.ones(self.b.type_of(mask));
        (mask != all).then_some(mask)
    }

    /// Has the target masked moves of these elements?
    pub(super) fn has_masked_moves(&self, ty: Type) -> bool {
        self.machine.has_masked_moves(ty.element.size(), ty.length)
    }

    // ---- Loads ----------------------------------------------------------------------------------------------------

    pub(super) fn load(&self, pointer: ir::Value, mask: Option<ir::Value>, ty: Type) -> LlvmValue {
        let address = self.value(pointer);
        let loaded = match (self.partial_mask(mask), self.run_of(mask, ty)) {
            (None, _) => self.load_all(address, ty),
            (Some(_), Some(run)) => self.load_run(address, run, ty),
            (Some(mask), None) => self.load_masked(address, mask, ty),
        };
        self.loaded(self.settled(loaded, pointer), ty.element)
    }

    /// All lanes, around the caches where the address is aligned as that needs, which is only known at run time.
    pub(super) fn streaming_load(&self, pointer: ir::Value, ty: Type) -> LlvmValue {
        let b = self.b;
        let bytes = ty.bytes();
        let (address, whole) = (self.value(pointer), self.unit.memory_type(ty));
        let alignment = bytes.min(u64::from(self.machine.register_bytes));
        let around = || {
            let load = b.load(whole, address, alignment);
            b.set_nontemporal(load);
            // Else LLVM makes one load of this and the other, which goes through the caches.
            b.set_volatile(load);
            load
        };
        let loaded = self.choose(self.is_aligned(address, alignment), around, || self.load_all(address, ty));
        self.loaded(self.settled(loaded, pointer), ty.element)
    }

    fn is_aligned(&self, address: LlvmValue, alignment: u64) -> LlvmValue {
        let b = self.b;
        b.equal(b.and(b.ptrtoint(address, b.int(64)), b.i64(alignment - 1)), b.i64(0))
    }

    /// All lanes, as they are in memory.
    pub(super) fn load_all(&self, address: LlvmValue, ty: Type) -> LlvmValue {
        self.b.load(self.unit.memory_type(ty), address, ty.element.size())
    }

    /// Lanes that are off are zero.
    pub(super) fn load_masked(&self, address: LlvmValue, mask: LlvmValue, ty: Type) -> LlvmValue {
        let whole = self.unit.memory_type(ty);
        if self.has_masked_moves(ty) {
            return self.b.masked_load(address, mask, whole, ty.element.size());
        }
        let bits = self.mask_bits(mask);
        let all = self.b.equal(bits, self.b.ones(self.b.type_of(bits)));
        let lanewise = || match ty.length {
            1 => self.b.zero(whole),
            _ => self.load_lanes(address, bits, ty),
        };
        self.choose(all, || self.load_all(address, ty), lanewise)
    }

    fn load_lanes(&self, address: LlvmValue, bits: LlvmValue, ty: Type) -> LlvmValue {
        let b = self.b;
        let (whole, element) = (self.unit.memory_type(ty), self.unit.memory_element(ty.element));
        let (size, length) = (ty.element.size(), u32::from(ty.length));
        if length <= UNROLLED_LANES {
            return (0..length).fold(b.poison(whole), |vector, lane| {
                let there = b.offset(address, i64::from(lane) * size as i64);
                let source = b.select(self.lane_bit(bits, lane), there, self.unit.zeros);
                b.insert(vector, b.load(element, source, size), lane)
            });
        }
        let one_by_one = || {
            let (memory, memory_alignment) = self.vector_memory(whole);
            b.store(b.zero(whole), memory, memory_alignment);
            self.for_each_bit(bits, |lane| {
                let value = b.load(element, b.address(element, address, lane), size);
                b.store(value, b.address(element, memory, lane), size);
            });
            b.load(whole, memory, memory_alignment)
        };
        if !self.takes_parts(ty) {
            return one_by_one();
        }
        let (is_run, run) = self.is_run(bits);
        self.choose(is_run, || self.load_run(address, run, ty), one_by_one)
    }

    // ---- Stores ---------------------------------------------------------------------------------------------------

    pub(super) fn store(&self, pointer: ir::Value, value: ir::Value, mask: Option<ir::Value>, streaming: bool) {
        let ty = self.type_of(value);
        let address = self.value(pointer);
        let value = self.to_memory(self.value(value), ty);
        match (self.partial_mask(mask), self.run_of(mask, ty)) {
            (None, _) if streaming => self.store_streaming(address, value, ty),
            (None, _) => {
                self.b.store(value, address, ty.element.size());
            }
            (Some(_), Some(run)) => self.store_run(address, value, run, ty),
            (Some(mask), None) => self.store_masked(address, value, mask, ty),
        }
    }

    fn store_masked(&self, address: LlvmValue, value: LlvmValue, mask: LlvmValue, ty: Type) {
        let size = ty.element.size();
        if self.has_masked_moves(ty) {
            self.masked_store_instruction(address, value, mask, size);
            return;
        }
        let plain = || {
            self.b.store(value, address, size);
        };
        if ty.length == 1 {
            self.when(mask, plain);
            return;
        }
        let bits = self.mask_bits(mask);
        let all = self.b.equal(bits, self.b.ones(self.b.type_of(bits)));
        self.either(all, plain, || self.store_lanes(address, value, bits, ty));
    }

    pub(super) fn masked_store_instruction(&self, address: LlvmValue, value: LlvmValue, mask: LlvmValue, alignment: u64) {
        let b = self.b;
        let (ty, function) = b.intrinsic_declaration("llvm.masked.store", &[b.type_of(value), b.ptr()]);
        if b.parameter_count(ty) == 4 {
            b.call(ty, function, &[value, address, b.i32(alignment as u32), mask]);
        } else {
            let store = b.call(ty, function, &[value, address, mask]);
            b.add_call_attribute(store, 2, "align", alignment);
        }
    }

    fn store_lanes(&self, address: LlvmValue, value: LlvmValue, bits: LlvmValue, ty: Type) {
        let b = self.b;
        let element = self.unit.memory_element(ty.element);
        let (size, length) = (ty.element.size(), u32::from(ty.length));
        if length <= UNROLLED_LANES {
            for lane in 0..length {
                let there = b.offset(address, i64::from(lane) * size as i64);
                let target = b.select(self.lane_bit(bits, lane), there, self.scratch());
                b.store(b.extract(value, lane), target, size);
            }
            return;
        }
        let one_by_one = || {
            let (memory, memory_alignment) = self.vector_memory(b.type_of(value));
            b.store(value, memory, memory_alignment);
            self.for_each_bit(bits, |lane| {
                let value = b.load(element, b.address(element, memory, lane), size);
                b.store(value, b.address(element, address, lane), size);
            });
        };
        if !self.takes_parts(ty) {
            return one_by_one();
        }
        let (is_run, run) = self.is_run(bits);
        self.either(is_run, || self.store_run(address, value, run, ty), one_by_one);
    }

    /// Around the caches where the address is aligned as that needs, which is only known at run time.
    fn store_streaming(&self, address: LlvmValue, value: LlvmValue, ty: Type) {
        let b = self.b;
        let bytes = ty.bytes();
        let alignment = bytes.min(u64::from(self.machine.register_bytes));
        let has_instruction = alignment >= 16 || (bytes >= 4 && ty.length == 1 && ty.element.is_int());
        if !has_instruction {
            b.store(value, address, ty.element.size());
            return;
        }
        let aligned = self.is_aligned(address, alignment);
        let around = || b.set_nontemporal(b.store(value, address, alignment));
        let through = || {
            b.store(value, address, ty.element.size());
        };
        self.either(aligned, around, through);
    }
}
