//! Lanes that are on, one after another, and the way back.
//!
//! ```text
//! compress f32×16 v, m    with an instruction   →   vpcompressd
//!                         without one           →   for each eight lanes: a look-up in the order that a table has for their mask;
//!                                                   more than eight are stored one behind the other, and loaded again
//! expand f32×8 v, m                             →   vpexpandd
//! ```
//! Narrow lanes are widened for the instruction, which takes 32 and 64 bits.

use super::builder::{IntPredicate, LlvmValue};
use super::function::FunctionTranslator;
use crate::vector::ir::Element;

/// The lanes that the table has rows for.
const TABLE_LANES: u32 = 8;

impl FunctionTranslator<'_> {
    /// The lanes that are on, one after another, then zeros.
    pub(super) fn compress(&self, value: LlvmValue, mask: LlvmValue, element: Element) -> LlvmValue {
        self.as_integers(value, element, |ints| self.compress_integers(ints, mask))
    }

    /// Where the mask is on, the lanes one after another; elsewhere zeros.
    pub(super) fn expand(&self, value: LlvmValue, mask: LlvmValue, element: Element) -> LlvmValue {
        let [_, expand] = self.machine.compressions().expect("`legalize` leaves what there is an instruction for");
        self.as_integers(value, element, |ints| self.by_instruction(expand, ints, mask))
    }

    /// What is done with integers of the width of the lanes: a `bool` is a byte.
    fn as_integers(&self, value: LlvmValue, element: Element, work: impl FnOnce(LlvmValue) -> LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(value);
        let length = b.lanes(ty);
        if element == Element::Bool {
            return self.sign_mask(work(b.sext(value, b.vector(b.int(8), length))));
        }
        b.reinterpret(work(b.reinterpret(value, b.vector(b.int(element.bits()), length))), ty)
    }

    fn compress_integers(&self, value: LlvmValue, mask: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(value);
        let length = b.lanes(ty);
        let part_length = self.packed_at_once(b.element_bits(ty)).min(length);
        let bits = self.mask_bits(mask);
        if part_length == length {
            return self.compress_register(value, mask, bits);
        }
        // Each part is stored as a whole: what it has too many, the next one overwrites, or is behind the last lane.
        let element = b.element(ty);
        let size = u64::from(b.element_bits(ty) / 8);
        let (memory, alignment) = self.vector_memory(b.vector(element, 2 * length));
        let mut target = memory;
        for first in (0..length).step_by(part_length as usize) {
            let part_mask = self.slice(mask, first, part_length);
            let part_bits = self.mask_bits(part_mask);
            let packed = self.compress_register(self.slice(value, first, part_length), part_mask, part_bits);
            b.store(packed, target, size);
            target = b.address(element, target, b.resize_unsigned(self.number_of(part_bits), b.int(64)));
        }
        self.lanes_below(b.load(ty, memory, alignment), self.number_of(bits))
    }

    /// How many lanes of so many bits are compressed at once.
    fn packed_at_once(&self, bits: u32) -> u32 {
        match self.machine.compressions() {
            Some(_) => u32::from(self.machine.lanes(u64::from(bits.max(32) / 8))),
            None => TABLE_LANES,
        }
    }

    /// How many bits are set, as an i32.
    pub(super) fn number_of(&self, bits: LlvmValue) -> LlvmValue {
        let b = self.b;
        let counted = b.int(b.element_bits(b.type_of(bits)).max(32));
        b.resize_unsigned(b.intrinsic("llvm.ctpop", &[counted], &[b.resize_unsigned(bits, counted)]), b.int(32))
    }

    /// As many lanes as `number` says, then zeros.
    fn lanes_below(&self, value: LlvmValue, number: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(value);
        let places = b.constant_lanes(ty, |lane| lane);
        let number = b.splat(b.resize_unsigned(number, b.element(ty)), b.lanes(ty));
        b.select(b.icmp(IntPredicate::LLVMIntULT, places, number), value, b.zero(ty))
    }

    fn compress_register(&self, value: LlvmValue, mask: LlvmValue, bits: LlvmValue) -> LlvmValue {
        if let Some([compress, _]) = self.machine.compressions() {
            return self.by_instruction(compress, value, mask);
        }
        self.lanes_below(self.in_order_of_table(value, bits), self.number_of(bits))
    }

    /// The lanes that are on, one after another, then others, of as many as the table has rows for.
    pub(super) fn in_order_of_table(&self, value: LlvmValue, row: LlvmValue) -> LlvmValue {
        let b = self.b;
        let length = b.lanes(b.type_of(value));
        let row = b.zext(b.resize_unsigned(row, b.int(8)), b.int(64));
        let order = b.load(b.vector(b.int(8), TABLE_LANES), b.address(b.int(64), self.unit.packing_table(), row), 8);
        self.look_up(value, self.slice(order, 0, length), self.integer(value))
    }

    /// The element of a vector of integers.
    fn integer(&self, value: LlvmValue) -> Element {
        match self.b.element_bits(self.b.type_of(value)) {
            8 => Element::I8,
            16 => Element::I16,
            32 => Element::I32,
            _ => Element::I64,
        }
    }

    /// Wide enough for the instruction: lanes of at least 32 bits, in a register of at least 128.
    fn by_instruction(&self, name: &str, value: LlvmValue, mask: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(value);
        let length = b.lanes(ty);
        let bits = b.element_bits(ty).max(32);
        let wide = b.resize_unsigned(value, b.vector(b.int(bits), length));
        let register = length.max(128 / bits);
        // Lanes that are added are off.
        let mask = if register > length {
            let lanes: Vec<i32> = (0..register).map(|lane| lane.min(length) as i32).collect();
            b.shuffle(mask, b.zero(b.type_of(mask)), &lanes)
        } else {
            mask
        };
        let wide = self.widen(wide, register);
        let made = b.intrinsic(name, &[b.type_of(wide)], &[wide, b.zero(b.type_of(wide)), mask]);
        b.resize_unsigned(self.slice(made, 0, length), ty)
    }
}
