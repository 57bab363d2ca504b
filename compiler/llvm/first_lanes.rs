//! The first lanes of a vector: as a mask, and in memory where no instruction masks lanes of their size.
//!
//! ```text
//! firstlanes n: bool×32        →   <0, 1, 2, …> < splat n, as wide as what it masks
//! load i8×32 p, firstlanes n   →   n ≥ 16 ?  p[0 .. 16], and behind it p[n − 16 .. n] shifted down by 32 − n
//!                                : n ≥ 8 ?   p[0 .. 8], and over its end p[n − 8 .. n]     : n ≥ 4 ? …
//! store p, v, firstlanes n     →   n ≥ 16 ?  v[0 .. 16], and over its end v[n − 16 .. n]   : n ≥ 8 ? …
//! ```
//! Parts that overlap hold the same bytes where they do, and none reaches behind byte n. What is longer than a register is cut in two
//! first: all of the lower half and a part of the upper one, or a part of the lower one.

use super::builder::{IntPredicate, LlvmType, LlvmValue};
use super::function::FunctionTranslator;
use crate::vector::ir::{self, BinaryOp, Element, Op, Type};

/// The first bytes of memory.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub address: LlvmValue,
    /// How many they are, at most as many as there may be.
    pub count: LlvmValue,
    /// The bytes of an element, of which there are whole ones only.
    pub element: u64,
}

impl FunctionTranslator<'_> {
    // ---- Masks ----------------------------------------------------------------------------------------------------

    /// The lanes below `count`.
    pub(super) fn first_lanes(&self, mask: ir::Value, count: ir::Value) -> LlvmValue {
        let b = self.b;
        let length = u32::from(self.type_of(mask).length);
        // Lengths fit into seven bits, and so into signed numbers of eight.
        let count = b.trunc(self.at_most(self.value(count), length), b.int(8));
        let lanes = b.vector(b.int(self.mask_bits_of_a_lane(mask)), length);
        let count = b.splat(b.zext(count, b.element(lanes)), length);
        b.icmp(IntPredicate::LLVMIntSLT, b.constant_lanes(lanes, |lane| lane), count)
    }

    pub(super) fn at_most(&self, count: LlvmValue, limit: u32) -> LlvmValue {
        let ty = self.b.type_of(count);
        self.b.intrinsic("llvm.umin", &[ty], &[count, self.b.constant(ty, u64::from(limit))])
    }

    /// How wide a lane of a mask is best compared. With mask registers: in one register. Else: as the narrowest of what it chooses from,
    /// meets in other masks, or masks in memory by an instruction.
    fn mask_bits_of_a_lane(&self, mask: ir::Value) -> u32 {
        if self.machine.has_mask_registers() {
            let bits = u32::from(self.machine.register_bytes) * 8 / u32::from(self.type_of(mask).length);
            return bits.clamp(8, 32);
        }
        let compared = |other: &ir::Value| match self.function.definition(*other) {
            Some(Op::Compare(_, a, _)) => Some(self.type_of(*a)),
            _ => None,
        };
        let moved = |ty: Type| self.has_masked_moves(ty).then_some(ty);
        let used = |data: &ir::InstData| match &data.op {
            Op::Select(m, a, _) if *m == mask => Some(self.type_of(*a)),
            Op::Binary(BinaryOp::And | BinaryOp::Or, a, b) if *a == mask => compared(b),
            Op::Binary(BinaryOp::And | BinaryOp::Or, a, b) if *b == mask => compared(a),
            Op::Load { mask: Some(m), .. } if *m == mask => moved(self.type_of(data.results[0])),
            Op::Store { value, mask: Some(m), .. } if *m == mask => moved(self.type_of(*value)),
            _ => None,
        };
        let widths = self.function.insts.iter().filter_map(used).filter(|ty| ty.element != Element::Bool);
        widths.map(|ty| ty.element.bits()).min().unwrap_or(32).min(32)
    }

    /// Are the first ones of such lanes moved in parts, rather than by an instruction or one by one?
    pub(super) fn takes_parts(&self, ty: Type) -> bool {
        let bytes = ty.bytes();
        ty.length > 1 && !self.has_masked_moves(ty) && bytes <= 4 * u64::from(self.machine.register_bytes)
    }

    // ---- Memory ---------------------------------------------------------------------------------------------------

    /// The first `count` lanes, an i64 that is at most the length; the others are zero.
    pub(super) fn load_first(&self, address: LlvmValue, count: LlvmValue, ty: Type) -> LlvmValue {
        let (b, part, whole) = (self.b, self.part(address, count, ty), self.unit.memory_type(ty));
        let bytes = part.element * u64::from(ty.length);
        let some = || b.reinterpret(self.load_bytes(part, bytes), whole);
        if bytes <= 16 {
            return some();
        }
        // All of what is a part of something longer, or nothing of it.
        let not_all = || self.choose(self.is_some(part), some, || b.zero(whole));
        self.choose(b.equal(part.count, b.i64(bytes)), || self.load_all(address, ty), not_all)
    }

    /// The first `count` lanes, an i64 that is at most the length.
    pub(super) fn store_first(&self, address: LlvmValue, value: LlvmValue, count: LlvmValue, ty: Type) {
        let (b, part) = (self.b, self.part(address, count, ty));
        let bytes = part.element * u64::from(ty.length);
        // Not aligned beyond what the stack is, so that functions need no frame for it.
        let memory = self.stack_memory(b.type_of(value), 16);
        let some = || {
            b.store(value, memory, 16);
            self.copy_part(part, memory, address, bytes);
        };
        if bytes <= 16 {
            return some();
        }
        let all = || {
            b.store(value, address, part.element);
        };
        let not_all = || self.when(self.is_some(part), some);
        self.either(b.equal(part.count, b.i64(bytes)), all, not_all);
    }

    fn part(&self, address: LlvmValue, count: LlvmValue, ty: Type) -> Part {
        let element = ty.element.size();
        Part { address, count: self.b.mul(count, self.b.i64(element)), element }
    }

    fn is_longer(&self, bytes: u64) -> bool {
        bytes > u64::from(self.machine.register_bytes) || (bytes > 16 && self.machine.byte_shuffles.is_empty())
    }

    pub(super) fn has_at_least(&self, part: Part, bytes: u64) -> LlvmValue {
        self.b.icmp(IntPredicate::LLVMIntUGE, part.count, self.b.i64(bytes))
    }

    pub(super) fn is_some(&self, part: Part) -> LlvmValue {
        self.b.icmp(IntPredicate::LLVMIntNE, part.count, self.b.i64(0))
    }

    /// `bytes` bytes, of which the first ones come from memory and the others are zero: an integer, or a vector of i64.
    pub(super) fn load_bytes(&self, part: Part, bytes: u64) -> LlvmValue {
        let (b, half) = (self.b, bytes / 2);
        if self.is_longer(bytes) {
            let (is_more, rest) = self.behind(part, half);
            let rest = self.load_bytes(rest, half);
            let low = self.choose(is_more, || b.load(b.type_of(rest), part.address, 1), || rest);
            return self.concatenate(low, b.select(is_more, rest, b.zero(b.type_of(rest))));
        }
        match bytes {
            0..=8 => self.load_word(part, half, b.int(8 * bytes as u32)),
            _ => self.choose(
                self.has_at_least(part, half),
                || {
                    let ty = if half == 8 { b.int(64) } else { b.vector(b.int(64), half as u32 / 8) };
                    let low = b.load(ty, part.address, 1);
                    let last = b.load(ty, self.last(part.address, part, half), 1);
                    self.concatenate(low, self.shifted_down(last, b.sub(b.i64(bytes), part.count), half))
                },
                || {
                    let low = self.load_bytes(part, half);
                    self.concatenate(low, b.zero(b.type_of(low)))
                },
            ),
        }
    }

    /// What lies behind the first `half` bytes if there are so many, and else all of it.
    fn behind(&self, part: Part, half: u64) -> (LlvmValue, Part) {
        let b = self.b;
        let is_more = self.has_at_least(part, half);
        let address = b.select(is_more, b.offset(part.address, half as i64), part.address);
        let count = b.select(is_more, b.sub(part.count, b.i64(half)), part.count);
        (is_more, Part { address, count, ..part })
    }

    /// Where the last `bytes` of the part begin.
    fn last(&self, base: LlvmValue, part: Part, bytes: u64) -> LlvmValue {
        self.b.offset(self.b.address(self.b.int(8), base, part.count), -(bytes as i64))
    }

    /// At most twice `half` bytes in an integer.
    fn load_word(&self, part: Part, half: u64, whole: LlvmType) -> LlvmValue {
        let b = self.b;
        if half < part.element {
            return b.zero(whole);
        }
        let both = || {
            let ty = b.int(8 * half as u32);
            let low = b.zext(b.load(ty, part.address, 1), whole);
            let high = b.zext(b.load(ty, self.last(part.address, part, half), 1), whole);
            let bits = b.mul(b.sub(part.count, b.i64(half)), b.i64(8));
            b.or(low, b.shl(high, b.resize_unsigned(bits, whole)))
        };
        self.choose(self.has_at_least(part, half), both, || self.load_word(part, half / 2, whole))
    }

    /// The value without its first `by` bytes, of which there are `bytes`, 8 or 16; zeros follow. All of them are as many as there may be.
    fn shifted_down(&self, value: LlvmValue, by: LlvmValue, bytes: u64) -> LlvmValue {
        let b = self.b;
        if bytes == 8 {
            let bits = b.mul(by, b.i64(8));
            let shifted = b.lshr(value, b.and(bits, b.i64(63)));
            return b.select(b.equal(by, b.i64(8)), b.i64(0), shifted);
        }
        let lanes = b.vector(b.int(8), 16);
        let places = b.load(lanes, b.address(b.int(8), self.unit.places_and_nowhere(), by), 1);
        let shifted = b.intrinsic(self.machine.byte_shuffles[0], &[], &[b.bitcast(value, lanes), places]);
        b.bitcast(shifted, b.type_of(value))
    }

    /// Copies the bytes of a part, of which there may be `bytes`.
    pub(super) fn copy_part(&self, part: Part, from: LlvmValue, to: LlvmValue, bytes: u64) {
        let (b, half) = (self.b, bytes / 2);
        if half < part.element {
            return;
        }
        let copy = |from: LlvmValue, to: LlvmValue| {
            let ty = if half < 16 { b.int(8 * half as u32) } else { b.vector(b.int(64), half as u32 / 8) };
            b.store(b.load(ty, from, 1), to, 1);
        };
        if bytes > u64::from(self.machine.register_bytes) {
            let is_more = self.has_at_least(part, half);
            self.when(is_more, || copy(from, to));
            let behind = |address: LlvmValue| b.select(is_more, b.offset(address, half as i64), address);
            let rest = Part { count: b.select(is_more, b.sub(part.count, b.i64(half)), part.count), ..part };
            return self.when(self.is_some(rest), || self.copy_part(rest, behind(from), behind(to), half));
        }
        let both = || {
            copy(from, to);
            copy(self.last(from, part, half), self.last(to, part, half));
        };
        self.either(self.has_at_least(part, half), both, || self.copy_part(part, from, to, half));
    }
}
