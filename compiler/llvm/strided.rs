//! Lanes at a constant distance.
//!
//! Where the distance is a few elements, whole registers are loaded and the lanes picked from them. No byte is read
//! that is not known to be there: those between the first and the last lane, and the rest of the objects that the
//! outer lanes lie in. The last register is moved back so that it ends where that does.
//!
//! ```text
//! strided f32×4 p, 8 on SSE   →   a = load p[0..4];  c = load p[3..7];  shuffle a, c, [0, 2, 5, 7]
//! ```

use super::builder::LlvmValue;
use super::function::FunctionTranslator;
use crate::target::Isa;
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
        let most = match self.isa {
            Isa::Avx512 => 8,
            Isa::Sse2 | Isa::Sse4 | Isa::Avx | Isa::Avx2 => 4,
        };
        ty.length > 2 && stride % size == 0 && (1..=most).contains(&elements)
    }

    /// A register's worth of lanes at a time.
    fn load_and_pick(&self, base: LlvmValue, stride: i64, object: Option<Object>, ty: Type) -> LlvmValue {
        let most = (u64::from(self.isa.register_bytes()) / ty.element.size()).min(u64::from(ty.length)) as u8;
        let part_type = ty.with_length(most);
        let part = |k: u8| {
            let first = i64::from(k) * i64::from(most) * stride;
            // A part's neighbours lie in the same range, so that it may be extended over them.
            let reach = Reach {
                before: if k == 0 { 0 } else { stride.unsigned_abs() },
                after: if (k + 1) * most == ty.length { 0 } else { stride.unsigned_abs() },
            };
            self.load_part(self.b.offset(base, first), stride, object, reach, part_type)
        };
        self.concatenate_all((0..ty.length / most).map(part).collect())
    }

    fn load_part(&self, base: LlvmValue, stride: i64, object: Option<Object>, reach: Reach, ty: Type) -> LlvmValue {
        let b = self.b;
        let size = ty.element.size();
        let step = stride / size as i64;
        let last = i64::from(ty.length) - 1;
        // Everything in elements, from the lane at the lowest address.
        let (lowest, reach) = if step < 0 { (last * stride, reach.reversed()) } else { (0, reach) };
        let base = b.offset(base, lowest);
        let distance = step.unsigned_abs();
        let needed = distance * last as u64 + 1;
        let before = object.map_or(0, |object| object.offset).max(reach.before) / size;
        let behind = object.map_or(0, |object| object.size.saturating_sub(object.offset + size)).max(reach.after) / size;
        let register = (u64::from(self.isa.register_bytes()) / size).min(u64::from(ty.length));
        let pieces = needed.div_ceil(register);
        // The first element of each piece; the last piece ends where reading may.
        let start = |piece: u64| {
            let wanted = (piece * register) as i64;
            let latest = (needed + behind) as i64 - register as i64;
            wanted.min(latest.max(-(before as i64)))
        };
        let piece_type = ty.with_length(register as u8);
        let load = |piece| self.load_all(b.offset(base, start(piece) * size as i64), piece_type);
        let all = self.concatenate_all((0..pieces).map(load).collect());
        let place = |lane: u64| {
            let element = (if step < 0 { last as u64 - lane } else { lane }) * distance;
            let piece = (element / register).min(pieces - 1);
            (piece * register) as i32 + (element as i64 - start(piece)) as i32
        };
        b.shuffle_one(all, &(0..u64::from(ty.length)).map(place).collect::<Vec<_>>())
    }
}

/// Bytes that may be read beside the outer lanes.
#[derive(Clone, Copy)]
struct Reach {
    /// Before lane 0, against the direction of the lanes.
    before: u64,
    /// Behind the last lane.
    after: u64,
}

impl Reach {
    /// Seen from the other end.
    fn reversed(self) -> Reach {
        Reach { before: self.after, after: self.before }
    }
}
