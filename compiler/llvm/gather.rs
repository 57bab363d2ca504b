//! Memory where each lane has an address of its own, and stores that close the gaps of a mask.
//!
//! `legalize` leaves the gathers and scatters that the machine has instructions for.

use super::builder::{IntPredicate, LlvmValue};
use super::function::FunctionTranslator;
use crate::machine::Packing;
use crate::vector::ir::{self, Element, Type};

/// Vectors of at most this length are packed lane by lane; longer ones in a loop.
const UNROLLED_LANES: u32 = 16;

/// Instructions gather from any address: what `legalize` makes of narrower elements is aligned as those are.
const INSTRUCTION_ALIGNMENT: u64 = 1;

impl FunctionTranslator<'_> {
    // ---- Gathers and scatters -------------------------------------------------------------------------------------

    /// From one address for each lane; lanes that are off are zero.
    pub(super) fn gather(&self, pointers: ir::Value, mask: Option<ir::Value>, ty: Type) -> LlvmValue {
        let mask = self.gathering_mask(mask, ty);
        let gathered = self.b.gather(self.value(pointers), mask, self.unit.memory_type(ty), INSTRUCTION_ALIGNMENT);
        self.loaded(self.settled(gathered, pointers), ty.element)
    }

    /// Lanes in ascending order: the highest wins.
    pub(super) fn scatter(&self, pointers: ir::Value, value: ir::Value, mask: Option<ir::Value>) {
        let b = self.b;
        let ty = self.type_of(value);
        let mask = self.gathering_mask(mask, ty);
        let addresses = self.value(pointers);
        let value = self.to_memory(self.value(value), ty);
        let overload = [b.type_of(value), b.type_of(addresses)];
        let (function_type, function) = b.intrinsic_declaration("llvm.masked.scatter", &overload);
        let alignment = ty.element.size();
        if b.parameter_count(function_type) == 4 {
            b.call(function_type, function, &[value, addresses, b.i32(alignment as u32), mask]);
        } else {
            let scatter = b.call(function_type, function, &[value, addresses, mask]);
            b.add_call_attribute(scatter, 2, "align", alignment);
        }
    }

    fn gathering_mask(&self, mask: Option<ir::Value>, ty: Type) -> LlvmValue {
        self.partial_mask(mask).unwrap_or_else(|| self.b.ones(self.b.vector(self.b.int(1), u32::from(ty.length))))
    }

    // ---- Packed stores --------------------------------------------------------------------------------------------

    /// The active lanes one after another; their number. Nothing is written behind them.
    pub(super) fn packed_store(&self, pointer: ir::Value, value: ir::Value, mask: Option<ir::Value>) -> LlvmValue {
        let b = self.b;
        let ty = self.type_of(value);
        let length = u32::from(ty.length);
        let address = self.value(pointer);
        let value = self.to_memory(self.value(value), ty);
        let size = ty.element.size();
        let Some(mask) = self.partial_mask(mask) else {
            b.store(value, address, size);
            return b.i32(length);
        };
        if length == 1 {
            self.when(mask, || {
                b.store(value, address, size);
            });
            return b.zext(mask, b.int(32));
        }
        let bits = self.mask_bits(mask);
        let number = self.number_of(bits);
        let packing = self.machine.packing;
        if packing == Packing::Compress && size >= 4 && length >= 4 && ty.element != Element::Ptr {
            self.pack_by_instruction(address, value, mask, ty);
        } else if packing == Packing::Compress && size >= 4 && length >= 4 {
            let arguments = [value, address, mask];
            let compress = b.intrinsic("llvm.masked.compressstore", &[b.type_of(value)], &arguments);
            b.add_call_attribute(compress, 2, "align", size);
        } else if packing == Packing::Table && size == 4 && length >= 8 {
            self.pack_by_table(address, value, bits, ty);
        } else if length <= UNROLLED_LANES {
            self.pack_lanes(address, value, bits, ty);
        } else {
            self.pack_in_loop(address, value, bits, ty);
        }
        number
    }

    /// A register at a time: its active lanes come together, and as many are stored. The instruction that does both at once is many
    /// of them inside of processors.
    fn pack_by_instruction(&self, address: LlvmValue, value: LlvmValue, mask: LlvmValue, ty: Type) {
        let b = self.b;
        let (size, length) = (ty.element.size(), u32::from(ty.length));
        let part = length.min(u32::from(self.machine.lanes(size)));
        let element = self.unit.memory_element(ty.element);
        let mut target = address;
        for first in (0..length).step_by(part as usize) {
            let here = self.slice(mask, first, part);
            let number = self.number_of(self.mask_bits(here));
            let packed = self.compress(self.slice(value, first, part), here, ty.element);
            let places = b.constant_lanes(b.vector(b.int(32), part), |lane| lane);
            let below = b.icmp(IntPredicate::LLVMIntULT, places, b.splat(number, part));
            self.masked_store_instruction(target, packed, below, size);
            target = b.address(element, target, b.resize_unsigned(number, b.int(64)));
        }
    }

    /// Each lane is stored behind the active ones before it, or nowhere.
    fn pack_lanes(&self, address: LlvmValue, value: LlvmValue, bits: LlvmValue, ty: Type) {
        let b = self.b;
        let element = self.unit.memory_element(ty.element);
        let mut place = b.i64(0);
        for lane in 0..u32::from(ty.length) {
            let bit = self.lane_bit(bits, lane);
            let target = b.select(bit, b.address(element, address, place), self.scratch());
            b.store(b.extract(value, lane), target, ty.element.size());
            place = b.add(place, b.zext(bit, b.int(64)));
        }
    }

    fn pack_in_loop(&self, address: LlvmValue, value: LlvmValue, bits: LlvmValue, ty: Type) {
        let b = self.b;
        let (element, size) = (self.unit.memory_element(ty.element), ty.element.size());
        let (memory, memory_alignment) = self.vector_memory(b.type_of(value));
        let next = self.stack_memory(b.ptr(), 8);
        b.store(value, memory, memory_alignment);
        b.store(address, next, 8);
        self.for_each_bit(bits, |lane| {
            let target = b.load(b.ptr(), next, 8);
            b.store(b.load(element, b.address(element, memory, lane), size), target, size);
            b.store(b.offset(target, size as i64), next, 8);
        });
    }

    /// Eight lanes of 32 bits at a time: `vpermd` by a row of a table, then a masked move of as many as there are.
    fn pack_by_table(&self, address: LlvmValue, value: LlvmValue, bits: LlvmValue, ty: Type) {
        let b = self.b;
        let table = self.unit.packing_table();
        let eight = b.vector(b.int(32), 8);
        let unit = self.machine.permute(32, 8, 8).expect("who packs by a table has the look-up");
        let ints = b.reinterpret(value, b.vector(b.int(32), u32::from(ty.length)));
        let mut target = address;
        for part in 0..u32::from(ty.length) / 8 {
            let mask_type = b.type_of(bits);
            let shifted = b.lshr(bits, b.constant(mask_type, u64::from(part) * 8));
            let row = b.resize_unsigned(shifted, b.int(8));
            let place = b.zext(row, b.int(64));
            let lanes = b.load(b.vector(b.int(8), 8), b.address(b.int(64), table, place), 8);
            let packed = b.intrinsic(unit.one, &[], &[self.slice(ints, part * 8, 8), b.zext(lanes, eight)]);
            let number = b.intrinsic("llvm.ctpop", &[b.int(32)], &[b.zext(row, b.int(32))]);
            let places = b.constant_lanes(eight, |lane| lane);
            let mask = b.icmp(super::builder::IntPredicate::LLVMIntULT, places, b.splat(number, 8));
            self.masked_store_instruction(target, packed, mask, 4);
            target = b.address(b.int(32), target, b.zext(number, b.int(64)));
        }
    }
}
