//! Lanes that change places by indices known at run time.
//!
//! A table is one or more registers; a *unit* is what one instruction looks up in: `vpermd`, `vpermw` and `vpermq` with
//! AVX-512, `vpermd` with AVX2, `vpermilps` with AVX for up to four floats, `pshufb` from SSSE3 on, in all 128 bits of a register at once. Larger tables are looked up unit by unit, and the bits of the
//! index above a unit's choose. Where a table has no unit, or too many, it goes through memory.
//!
//! ```text
//! permute i32×16 v, x on AVX2   →   select(x & 8 ≠ 0, vpermd(v[8..16], x), vpermd(v[0..8], x)), 8 lanes at a time
//! ```

use super::builder::LlvmValue;
use super::function::FunctionTranslator;
use crate::machine::Permute;
use crate::vector::ir::{self, Element};

/// More units than these are slower than memory.
const MOST_UNITS: u32 = 16;

impl FunctionTranslator<'_> {
    pub(super) fn permute(&self, vector: ir::Value, indices: ir::Value) -> LlvmValue {
        let ty = self.type_of(vector);
        self.look_up(self.value(vector), self.value(indices), ty.element)
    }

    pub(super) fn permute2(&self, first: ir::Value, second: ir::Value, indices: ir::Value) -> LlvmValue {
        let ty = self.type_of(first);
        self.look_up(self.concatenate(self.value(first), self.value(second)), self.value(indices), ty.element)
    }

    /// Lane i is lane `indices[i]`, taken modulo its length, of `table`.
    pub(super) fn look_up(&self, table: LlvmValue, indices: LlvmValue, element: Element) -> LlvmValue {
        let b = self.b;
        let length = b.lanes(b.type_of(table));
        let count = b.lanes(b.type_of(indices));
        if length == 1 {
            return b.splat(table, count);
        }
        let modulo = |indices| b.and(indices, b.constant(b.type_of(indices), u64::from(length) - 1));
        if element == Element::Bool {
            let bytes = b.sext(table, b.vector(b.int(8), length));
            return self.sign_mask(self.look_up(bytes, indices, Element::I8));
        }
        let result = b.vector(b.element(b.type_of(table)), count);
        let bits = element.bits();
        if count == 1 {
            return b.extract_at(table, modulo(indices));
        }
        let ints = b.reinterpret(table, b.vector(b.int(bits), length));
        let looked_up = match bits {
            _ if self.machine.looks_up_within_128(bits, length) => Some(self.look_up_within_128(ints, indices)),
            64 if length <= 16 && self.machine.crosses(32) && !self.machine.crosses(64) => {
                let halves = b.bitcast(ints, b.vector(b.int(32), 2 * length));
                let found = self.look_up(halves, self.half_indices(indices), Element::I32);
                Some(b.bitcast(found, b.vector(b.int(64), count)))
            }
            _ => self.unit(bits, length, count).map(|unit| self.look_up_by_units(ints, indices, unit)),
        };
        match looked_up {
            Some(found) => b.reinterpret(found, result),
            None => self.look_up_in_memory(table, modulo(indices)),
        }
    }

    /// One to four lanes of 32 bits, looked up in each 128 bits by the two lowest bits of an index.
    fn look_up_within_128(&self, table: LlvmValue, indices: LlvmValue) -> LlvmValue {
        let b = self.b;
        let (length, count) = (b.lanes(b.type_of(table)), b.lanes(b.type_of(indices)));
        let names = self.machine.float_shuffles;
        let size = (count.div_ceil(4).next_power_of_two().ilog2() as usize).min(names.len() - 1);
        let register = 4 << size;
        let copies: Vec<i32> = (0..register).map(|lane| (lane % length) as i32).collect();
        let floats = b.vector(b.f32(), register);
        let table = b.bitcast(b.shuffle_one(table, &copies), floats);
        let wide = b.resize_unsigned(indices, b.vector(b.int(32), count));
        let wide = self.widen(wide, count.next_multiple_of(register));
        let part = |k: u32| b.intrinsic(names[size], &[], &[table, self.slice(wide, k * register, register)]);
        let parts: Vec<_> = (0..count.div_ceil(register)).map(part).collect();
        let found = self.slice(self.concatenate_all(parts), 0, count);
        b.bitcast(found, b.vector(b.int(32), count))
    }

    /// The indices of the halves of lanes: 2x, 2x + 1.
    fn half_indices(&self, indices: LlvmValue) -> LlvmValue {
        let b = self.b;
        let count = b.lanes(b.type_of(indices));
        let wide = b.resize_unsigned(indices, b.vector(b.int(32), count));
        let twice = b.shl(wide, b.constant(b.type_of(wide), 1));
        let places: Vec<i32> = (0..2 * count as i32).map(|k| k / 2).collect();
        let doubled = b.shuffle_one(twice, &places);
        b.or(doubled, b.constant_lanes(b.type_of(doubled), |lane| lane % 2))
    }

    fn unit(&self, bits: u32, length: u32, count: u32) -> Option<Permute> {
        self.machine.permute(bits, length, count).filter(|unit| length <= unit.lanes * MOST_UNITS)
    }

    fn look_up_by_units(&self, table: LlvmValue, indices: LlvmValue, unit: Permute) -> LlvmValue {
        let b = self.b;
        let (length, count) = (b.lanes(b.type_of(table)), b.lanes(b.type_of(indices)));
        // A look-up of bytes has the same table in each 128 bits.
        let copies = match unit.is_by_bytes() {
            true => (1 << (self.machine.byte_shuffles.len() - 1)).min(count.div_ceil(unit.lanes)),
            false => 1,
        };
        let register = unit.lanes * copies;
        // Of a table shorter than a unit there are copies, so that the upper bits of indices do not count.
        let lanes_of_table = unit.lanes.min(length);
        let table_of = |k: u32| {
            let lanes: Vec<i32> = (0..register).map(|lane| (k * unit.lanes + lane % lanes_of_table) as i32).collect();
            b.shuffle_one(table, &lanes)
        };
        let tables: Vec<_> = (0..length.div_ceil(unit.lanes)).map(table_of).collect();
        let wide = b.resize_unsigned(indices, b.vector(b.int(unit.bits), count));
        let wide = self.widen(wide, count.max(register));
        let part = |k: u32| self.look_up_register(&tables, self.slice(wide, k * register, register), unit);
        let parts: Vec<_> = (0..count.div_ceil(register)).map(part).collect();
        self.slice(self.concatenate_all(parts), 0, count)
    }

    /// One register of indices in all tables.
    fn look_up_register(&self, tables: &[LlvmValue], indices: LlvmValue, unit: Permute) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(indices);
        let mut lanes = unit.lanes;
        let mut found: Vec<LlvmValue> = match unit.two {
            Some(pair) if tables.len() > 1 => {
                lanes *= 2;
                tables.chunks(2).map(|two| b.intrinsic(pair, &[], &[two[0], indices, two[1]])).collect()
            }
            _ if unit.is_by_bytes() => {
                let bytes = self.byte_indices(indices, unit);
                let bytes_type = b.type_of(bytes);
                let name = self.machine.byte_shuffles[(b.lanes(bytes_type) / 16).ilog2() as usize];
                let look_up = |&table: &LlvmValue| b.bitcast(b.intrinsic(name, &[], &[b.bitcast(table, bytes_type), bytes]), ty);
                tables.iter().map(look_up).collect()
            }
            _ => tables.iter().map(|&table| b.intrinsic(unit.one, &[], &[table, indices])).collect(),
        };
        while found.len() > 1 {
            let upper = b.is_set(b.and(indices, b.constant(ty, u64::from(lanes))));
            let either = |two: &[LlvmValue]| if let [low, high] = *two { b.select(upper, high, low) } else { two[0] };
            found = found.chunks(2).map(either).collect();
            lanes *= 2;
        }
        found[0]
    }

    /// The places of the bytes of lanes, for `pshufb`, which takes zero where the uppermost bit of a place is set.
    fn byte_indices(&self, indices: LlvmValue, unit: Permute) -> LlvmValue {
        let b = self.b;
        let size = unit.bits / 8;
        let bytes_type = b.vector(b.int(8), b.lanes(b.type_of(indices)) * size);
        let low = b.and(indices, b.constant(b.type_of(indices), u64::from(unit.lanes) - 1));
        if size == 1 {
            return low;
        }
        // The lowest byte of each lane, which is the place of the lane's first byte, in all of its bytes.
        let first = b.bitcast(b.shl(low, b.constant(b.type_of(low), u64::from(size.ilog2()))), bytes_type);
        let spread: Vec<i32> = (0..b.lanes(bytes_type) as i32).map(|k| k / size as i32 * size as i32).collect();
        b.or(b.shuffle_one(first, &spread), b.constant_lanes(bytes_type, |k| k % u64::from(size)))
    }

    fn look_up_in_memory(&self, table: LlvmValue, indices: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(table);
        let element = b.element(ty);
        let count = b.lanes(b.type_of(indices));
        let (memory, alignment) = self.vector_memory(ty);
        b.store(table, memory, alignment);
        let size = u64::from(b.element_bits(ty) / 8);
        let indices = b.resize_unsigned(indices, b.vector(b.int(64), count));
        (0..count).fold(b.poison(b.vector(element, count)), |result, k| {
            let value = b.load(element, b.address(element, memory, b.extract(indices, k)), size);
            b.insert(result, value, k)
        })
    }
}
