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
        let is_packed = self.machine.packs(size, ty.length);
        if packing == Packing::Compress && is_packed && ty.element != Element::Ptr {
            self.pack_by_instruction(address, value, mask, ty);
        } else if packing == Packing::Compress && is_packed {
            let arguments = [value, address, mask];
            let compress = b.intrinsic("llvm.masked.compressstore", &[b.type_of(value)], &arguments);
            b.add_call_attribute(compress, 2, "align", size);
        } else if packing == Packing::Table && is_packed && ty.element != Element::Ptr {
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
        let part = length.min(u32::from(self.machine.lanes(size.max(4))));
        let element = self.unit.memory_element(ty.element);
        // A truth is a byte by now.
        let stored = if ty.element == Element::Bool { Element::I8 } else { ty.element };
        let mut target = address;
        for first in (0..length).step_by(part as usize) {
            let here = self.slice(mask, first, part);
            let number = self.number_of(self.mask_bits(here));
            let packed = self.compress(self.slice(value, first, part), here, stored);
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

    /// Eight lanes at a time, or a register of them: they come together by a row of a table, and as many as there are are stored.
    fn pack_by_table(&self, address: LlvmValue, value: LlvmValue, bits: LlvmValue, ty: Type) {
        let b = self.b;
        let size = ty.element.size();
        let part = u32::from(self.machine.lanes(size).min(8));
        let element = b.int(8 * size as u32);
        let ints = b.reinterpret(value, b.vector(element, u32::from(ty.length)));
        let mut target = address;
        for first in (0..u32::from(ty.length)).step_by(part as usize) {
            let mask_type = b.type_of(bits);
            let row = b.resize_unsigned(b.lshr(bits, b.constant(mask_type, first.into())), b.int(part));
            let packed = self.in_order_of_table(self.slice(ints, first, part), row);
            let number = self.number_of(row);
            self.store_as_many(target, packed, number, size);
            target = b.address(element, target, b.zext(number, b.int(64)));
        }
    }

    /// As many lanes as a number says, up to all of them: a store for each of its bits, which goes nowhere where the bit is not set.
    fn store_as_many(&self, address: LlvmValue, value: LlvmValue, number: LlvmValue, size: u64) {
        let b = self.b;
        let all = b.lanes(b.type_of(value));
        let bits_of = |lanes: u32| 8 * size as u32 * lanes;
        let number = b.zext(number, b.int(64));
        let store = |value: LlvmValue, address: LlvmValue, is_there: LlvmValue| {
            b.store(value, b.select(is_there, address, self.scratch()), size);
        };
        store(value, address, b.icmp(IntPredicate::LLVMIntEQ, number, b.i64(all.into())));
        // What is left of it, in integers where these take it.
        let (mut target, mut left, mut part) = (address, value, all / 2);
        while part > 0 {
            let halves = if bits_of(2 * part) > 64 {
                [0, part].map(|first| self.slice(left, first, part))
            } else {
                let whole = b.bitcast(left, b.int(bits_of(2 * part)));
                let second = b.lshr(whole, b.constant(b.type_of(whole), bits_of(part).into()));
                [whole, second].map(|half| b.resize_unsigned(half, b.int(bits_of(part))))
            };
            let lanes = b.and(number, b.i64(part.into()));
            let is_there = b.icmp(IntPredicate::LLVMIntNE, lanes, b.i64(0));
            store(halves[0], target, is_there);
            target = b.address(b.int(bits_of(1)), target, lanes);
            left = b.select(is_there, halves[1], halves[0]);
            part /= 2;
        }
    }
}
