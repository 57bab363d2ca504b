//! Memory where each lane has an address of its own, and stores that close the gaps of a mask.
//!
//! What the machine has an instruction for is that. Other lanes go one by one, and without branches: a lane that is off reads eight zero
//! bytes or writes where nobody looks. That is no pass of `legalize`: each lane would be four operations of the vector IR, and memory that is
//! nobody's has no name in it.
//!
//! ```text
//! gather f32×4 p, m   →   q = select(m, p, zeros);  [load q[0], load q[1], load q[2], load q[3]]
//! scatter p, v, m     →   q = select(m, p, scratch);  store v[0] to q[0]; store v[1] to q[1]; …
//! ```

use super::builder::LlvmValue;
use super::function::FunctionTranslator;
use crate::machine::Packing;
use crate::vector::ir::{self, Type};

/// Vectors of at most this length are taken apart lane by lane; longer ones in a loop where lanes may be off.
const UNROLLED_LANES: u32 = 16;

/// Instructions gather from any address: what `legalize` makes of narrower elements is aligned as those are.
const INSTRUCTION_ALIGNMENT: u64 = 1;

impl FunctionTranslator<'_> {
    // ---- Gathers --------------------------------------------------------------------------------------------------

    pub(super) fn gather(&self, pointers: ir::Value, mask: Option<ir::Value>, ty: Type) -> LlvmValue {
        let addresses = self.value(pointers);
        let gathered = self.gather_from(addresses, self.partial_mask(mask), ty);
        self.loaded(self.settled(gathered, pointers), ty.element)
    }

    /// From one address for each lane, as it is in memory; lanes that are off are zero.
    fn gather_from(&self, addresses: LlvmValue, mask: Option<LlvmValue>, ty: Type) -> LlvmValue {
        if self.machine.gather.is_some_and(|gather| gather.takes(ty.element.size(), ty.length)) {
            return self.gather_instruction(addresses, mask, ty);
        }
        match mask {
            None => self.gather_lanes(addresses, ty),
            Some(mask) if ty.length == 1 => {
                let off = self.b.zero(self.unit.memory_type(ty));
                self.choose(mask, || self.load_all(addresses, ty), || off)
            }
            Some(mask) if u32::from(ty.length) <= UNROLLED_LANES => {
                let nowhere = self.b.splat(self.unit.zeros, u32::from(ty.length));
                self.gather_lanes(self.b.select(mask, addresses, nowhere), ty)
            }
            Some(mask) => self.gather_in_loop(addresses, mask, ty),
        }
    }

    fn gather_instruction(&self, addresses: LlvmValue, mask: Option<LlvmValue>, ty: Type) -> LlvmValue {
        let mask = mask.unwrap_or_else(|| self.b.ones(self.b.vector(self.b.int(1), u32::from(ty.length))));
        self.b.gather(addresses, mask, self.unit.memory_type(ty), INSTRUCTION_ALIGNMENT)
    }

    fn gather_lanes(&self, addresses: LlvmValue, ty: Type) -> LlvmValue {
        let b = self.b;
        let element = self.unit.memory_element(ty.element);
        (0..u32::from(ty.length)).fold(b.poison(self.unit.memory_type(ty)), |vector, lane| {
            let value = b.load(element, b.extract(addresses, lane), ty.element.size());
            b.insert(vector, value, lane)
        })
    }

    fn gather_in_loop(&self, addresses: LlvmValue, mask: LlvmValue, ty: Type) -> LlvmValue {
        let b = self.b;
        let (whole, element, size) = (self.unit.memory_type(ty), self.unit.memory_element(ty.element), ty.element.size());
        let (sources, sources_alignment) = self.vector_memory(b.type_of(addresses));
        let (memory, memory_alignment) = self.vector_memory(whole);
        b.store(addresses, sources, sources_alignment);
        b.store(b.zero(whole), memory, memory_alignment);
        self.for_each_bit(self.mask_bits(mask), |lane| {
            let source = b.load(b.ptr(), b.address(b.ptr(), sources, lane), 8);
            b.store(b.load(element, source, size), b.address(element, memory, lane), size);
        });
        b.load(whole, memory, memory_alignment)
    }

    // ---- Scatters -------------------------------------------------------------------------------------------------

    /// Lanes in ascending order: the highest wins.
    pub(super) fn scatter(&self, pointers: ir::Value, value: ir::Value, mask: Option<ir::Value>) {
        let b = self.b;
        let ty = self.type_of(value);
        let length = u32::from(ty.length);
        let addresses = self.value(pointers);
        let value = self.to_memory(self.value(value), ty);
        let mask = self.partial_mask(mask);
        if self.machine.scatter.is_some_and(|scatter| scatter.takes(ty.element.size(), ty.length)) {
            self.scatter_instruction(addresses, value, mask, ty);
            return;
        }
        match mask {
            None => self.scatter_lanes(addresses, value, ty),
            Some(mask) if length == 1 => self.when(mask, || self.scatter_lanes(addresses, value, ty)),
            Some(mask) if length <= UNROLLED_LANES => {
                let addresses = b.select(mask, addresses, b.splat(self.scratch(), length));
                self.scatter_lanes(addresses, value, ty);
            }
            Some(mask) => self.scatter_in_loop(addresses, value, mask, ty),
        }
    }

    fn scatter_instruction(&self, addresses: LlvmValue, value: LlvmValue, mask: Option<LlvmValue>, ty: Type) {
        let b = self.b;
        let mask = mask.unwrap_or_else(|| b.ones(b.vector(b.int(1), u32::from(ty.length))));
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

    fn scatter_lanes(&self, addresses: LlvmValue, value: LlvmValue, ty: Type) {
        for lane in 0..u32::from(ty.length) {
            self.b.store(self.b.extract(value, lane), self.b.extract(addresses, lane), ty.element.size());
        }
    }

    fn scatter_in_loop(&self, addresses: LlvmValue, value: LlvmValue, mask: LlvmValue, ty: Type) {
        let b = self.b;
        let (element, size) = (self.unit.memory_element(ty.element), ty.element.size());
        let (targets, targets_alignment) = self.vector_memory(b.type_of(addresses));
        let (memory, memory_alignment) = self.vector_memory(b.type_of(value));
        b.store(addresses, targets, targets_alignment);
        b.store(value, memory, memory_alignment);
        self.for_each_bit(self.mask_bits(mask), |lane| {
            let target = b.load(b.ptr(), b.address(b.ptr(), targets, lane), 8);
            b.store(b.load(element, b.address(element, memory, lane), size), target, size);
        });
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
        let counted = b.int(length.max(32));
        let number = b.intrinsic("llvm.ctpop", &[counted], &[b.resize_unsigned(bits, counted)]);
        let number = b.resize_unsigned(number, b.int(32));
        let packing = self.machine.packing;
        if packing == Packing::Compress && size >= 4 && length >= 4 {
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
