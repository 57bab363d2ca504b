//! Lanes at a constant distance.
//!
//! Where the distance is a few elements, whole registers are loaded and the lanes picked from them. No byte is read
//! that is not known to be there: those between the first and the last lane, and the rest of the objects that the
//! outer lanes lie in. The last register is moved back so that it ends where that does. Where the objects are whole
//! records one after another, loading starts with the first record, so that its members are picked from the same
//! registers: three loads for all of `x`, `y` and `z`.
//!
//! ```text
//! strided f32×4 p, 8 on SSE   →   a = load p[0..4];  c = load p[3..7];  shuffle a, c, [0, 2, 5, 7]
//! ```

use super::builder::LlvmValue;
use super::function::FunctionTranslator;
use crate::vector::ir::{self, Object, Type};

impl FunctionTranslator<'_> {
    pub(super) fn strided_load(
        &self,
        pointer: ir::Value,
        stride: i64,
        mask: Option<ir::Value>,
        object: Option<Object>,
        ty: Type,
    ) -> LlvmValue {
        let base = self.value(pointer);
        let lanewise = |mask| self.gather_from(self.lane_addresses(base, stride, ty), mask, object, ty);
        let together = || self.load_and_pick(base, stride, object, ty);
        let loaded = match (self.partial_mask(mask), self.is_dense(stride, ty)) {
            (None, true) => together(),
            (mask, false) => lanewise(mask),
            (Some(mask), true) => self.choose(self.all(mask), together, || lanewise(Some(mask))),
        };
        self.loaded(self.settled(loaded, pointer), ty.element)
    }

    /// p + k·stride for each lane k, as an index that gathers recognise.
    fn lane_addresses(&self, base: LlvmValue, stride: i64, ty: Type) -> LlvmValue {
        let b = self.b;
        let length = u32::from(ty.length);
        let elements = stride / ty.element.size() as i64;
        let greatest = elements.saturating_mul(i64::from(length));
        let index_bits = if i32::try_from(greatest).is_ok() { 32 } else { 64 };
        let indices = b.constant_lanes(b.vector(b.int(index_bits), length), |lane| (lane as i64 * elements) as u64);
        b.address(b.array(b.int(8), ty.element.size()), base, indices)
    }

    /// Are whole registers better than single lanes?
    fn is_dense(&self, stride: i64, ty: Type) -> bool {
        let size = ty.element.size() as i64;
        let elements = (stride / size).unsigned_abs();
        ty.length > 2 && stride % size == 0 && (1..=self.machine.dense_stride).contains(&elements)
    }

    /// A register's worth of lanes at a time.
    fn load_and_pick(&self, base: LlvmValue, stride: i64, object: Option<Object>, ty: Type) -> LlvmValue {
        let most = (u64::from(self.machine.register_bytes) / ty.element.size()).min(u64::from(ty.length)) as u8;
        let parts = ty.length / most;
        let part = |k: u8| {
            let first = self.b.offset(base, i64::from(k) * i64::from(most) * stride);
            let has_lanes_above = if stride < 0 { k > 0 } else { k + 1 < parts };
            self.load_part(first, stride, object, has_lanes_above, ty.with_length(most))
        };
        self.concatenate_all((0..parts).map(part).collect())
    }

    /// Lanes of at most a register. Counts are of elements, from the lane at the lowest address on.
    fn load_part(&self, first: LlvmValue, stride: i64, object: Option<Object>, has_lanes_above: bool, ty: Type) -> LlvmValue {
        let b = self.b;
        let size = ty.element.size();
        let (length, distance) = (u64::from(ty.length), stride.unsigned_abs() / size);
        let lowest = b.offset(first, if stride < 0 { (length - 1) as i64 * stride } else { 0 });
        let records = object.filter(|object| {
            let starts_inside = object.offset.is_multiple_of(size) && object.offset / size < distance;
            starts_inside && object.size >= distance * size
        });
        // Where reading starts, the place of the lowest lane from there, how much is needed, and what may follow.
        let (start, lead, needed, behind) = match records {
            Some(record) => (b.offset(lowest, -(record.offset as i64)), record.offset / size, distance * length, 0),
            None => {
                let rest = object.map_or(0, |object| object.size.saturating_sub(object.offset + size)) / size;
                let above = if has_lanes_above { distance } else { 0 };
                (lowest, 0, distance * (length - 1) + 1, rest.max(above))
            }
        };
        let register = (u64::from(self.machine.register_bytes) / size).min(length);
        let pieces = needed.div_ceil(register);
        // Not less than a register is needed, so that moving a piece back never takes it before the start.
        let place_of_piece = |piece: u64| (piece * register).min(needed + behind - register);
        let piece_type = ty.with_length(register as u8);
        let load = |piece| self.load_all(b.offset(start, (place_of_piece(piece) * size) as i64), piece_type);
        let all = self.concatenate_all((0..pieces).map(load).collect());
        let pick = |lane: u64| {
            let element = lead + distance * if stride < 0 { length - 1 - lane } else { lane };
            let piece = (element / register).min(pieces - 1);
            (piece * register + element - place_of_piece(piece)) as i32
        };
        b.shuffle_one(all, &(0..length).map(pick).collect::<Vec<_>>())
    }
}
