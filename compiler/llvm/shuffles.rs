//! Lanes that change places by constants, one lane at a time, and reductions.
//!
//! Masks are shuffled as bytes or words, since no target moves single bits between lanes.

use super::builder::{IntPredicate, LlvmType, LlvmValue};
use super::function::FunctionTranslator;
use crate::vector::ir::{self, BinaryOp, Element, ReduceOp};

impl FunctionTranslator<'_> {
    /// A scalar in all lanes. Of what is loaded into one register this is no more than the load, so what is computed with it is left to vectors: LLVM
    /// would compute with scalars where the other operand is one too, and distribute each result in an instruction of its own. It
    /// does not where the scalar is a vector of one lane.
    pub(super) fn splat(&self, scalar: ir::Value, ty: ir::Type) -> LlvmValue {
        let b = self.b;
        let is_loaded = matches!(self.function.definition(scalar), Some(ir::Op::Load { .. }));
        let is_register = ty.bytes() <= u64::from(self.machine.register_bytes);
        let is_number = !matches!(ty.element, ir::Element::Bool | ir::Element::Ptr);
        if ty.length > 1 && is_loaded && is_register && is_number {
            let one = b.bitcast(self.value(scalar), b.one_lane(self.unit.ty(ir::Type::scalar(ty.element))));
            return b.shuffle_one(one, &vec![0; usize::from(ty.length)]);
        }
        b.splat(self.value(scalar), u32::from(ty.length))
    }

    /// Lane k is base + k·step.
    pub(super) fn ramp(&self, base: ir::Value, step: i64, ty: ir::Type) -> LlvmValue {
        let b = self.b;
        let whole = self.unit.ty(ty);
        let steps = b.constant_lanes(whole, |lane| lane.wrapping_mul(step as u64));
        b.add(b.splat(self.value(base), u32::from(ty.length)), steps)
    }

    /// A dynamic index of a vector of `length` lanes, made valid.
    fn lane_index(&self, index: LlvmValue, length: u32) -> LlvmValue {
        let ty = self.b.type_of(index);
        self.b.and(index, self.b.constant(ty, u64::from(length) - 1))
    }

    pub(super) fn extract_lane(&self, vector: ir::Value, index: ir::Value) -> LlvmValue {
        let b = self.b;
        let (value, ty) = (self.value(vector), self.type_of(vector));
        let length = u32::from(ty.length);
        if length == 1 {
            return value;
        }
        let index = self.lane_index(self.value(index), length);
        if ty.element != Element::Bool || b.is_constant(index) {
            return b.extract_at(value, index);
        }
        let bits = self.mask_bits(value);
        let bits = b.resize_unsigned(bits, b.int(length.max(32)));
        let index = b.resize_unsigned(index, b.type_of(bits));
        b.trunc(b.lshr(bits, index), b.int(1))
    }

    pub(super) fn insert_lane(&self, vector: ir::Value, scalar: ir::Value, index: ir::Value) -> LlvmValue {
        let b = self.b;
        let (value, scalar, ty) = (self.value(vector), self.value(scalar), self.type_of(vector));
        let length = u32::from(ty.length);
        if length == 1 {
            return scalar;
        }
        let index = self.lane_index(self.value(index), length);
        if b.is_constant(index) {
            return b.insert_at(value, scalar, index);
        }
        // A comparison and a blend, as wide as the elements, instead of a way through memory.
        let bits = ty.element.bits().max(8);
        let lanes = b.vector(b.int(bits), length);
        let numbers = b.constant_lanes(lanes, |lane| lane);
        let wanted = b.splat(b.resize_unsigned(index, b.int(bits)), length);
        b.select(b.equal(numbers, wanted), b.splat(scalar, length), value)
    }

    pub(super) fn shuffle_lanes(&self, first: ir::Value, second: ir::Value, lanes: &[i16]) -> LlvmValue {
        let ty = self.type_of(first);
        self.shuffle_values(self.value(first), self.value(second), ty, lanes)
    }

    /// Lane i takes lane `lanes[i]` of a then c, −1 gives zero.
    fn shuffle_values(&self, a: LlvmValue, c: LlvmValue, ty: ir::Type, lanes: &[i16]) -> LlvmValue {
        let b = self.b;
        let length = i16::from(ty.length);
        if let [lane] = lanes {
            return match lane {
                lane if *lane < 0 => b.zero(self.unit.element(ty.element)),
                lane if *lane < length => b.extract(a, *lane as u32),
                lane => b.extract(c, (*lane - length) as u32),
            };
        }
        if length == 1 {
            return self.gather_scalars(a, c, ty, lanes);
        }
        if ty.element == Element::Bool {
            let wide = self.mask_element(lanes.len().max(length as usize) as u32);
            let wide = b.vector(b.int(wide), length as u32);
            let wide_ty = ir::Type::new(Element::I8, ty.length);
            let shuffled = self.shuffle_values(b.sext(a, wide), b.sext(c, wide), wide_ty, lanes);
            return self.sign_mask(shuffled);
        }
        let zeros = lanes.iter().any(|&lane| lane < 0);
        let from_second = lanes.iter().any(|&lane| lane >= length);
        let whole = b.type_of(a);
        if !from_second {
            // The second operand is free to be zero.
            let lane = |&lane: &i16| if lane < 0 { i32::from(length) } else { i32::from(lane) };
            let lanes: Vec<i32> = lanes.iter().map(lane).collect();
            return if zeros { b.shuffle(a, b.zero(whole), &lanes) } else { b.shuffle_one(a, &lanes) };
        }
        let both = b.shuffle(a, c, &lanes.iter().map(|&lane| i32::from(lane)).collect::<Vec<_>>());
        if !zeros {
            return both;
        }
        let count = lanes.len() as i32;
        let place = |(k, &lane): (usize, &i16)| if lane < 0 { count } else { k as i32 };
        b.shuffle(both, b.zero(b.type_of(both)), &lanes.iter().enumerate().map(place).collect::<Vec<_>>())
    }

    /// A shuffle of two scalars.
    fn gather_scalars(&self, a: LlvmValue, c: LlvmValue, ty: ir::Type, lanes: &[i16]) -> LlvmValue {
        let b = self.b;
        let element = self.unit.element(ty.element);
        let whole = b.vector(element, lanes.len() as u32);
        let pick = |lane: i16| match lane {
            0 => a,
            1 => c,
            _ => b.zero(element),
        };
        if lanes.iter().all(|&lane| lane == lanes[0]) {
            return b.splat(pick(lanes[0]), lanes.len() as u32);
        }
        lanes.iter().zip(0..).fold(b.zero(whole), |vector, (&lane, k)| b.insert(vector, pick(lane), k))
    }

    /// The width in which a mask of this length is moved about: such that it fits a register if possible.
    pub(super) fn mask_element(&self, length: u32) -> u32 {
        (u32::from(self.machine.register_bytes.min(32)) * 8 / length).clamp(8, 32)
    }

    /// The mask of the lanes whose sign is set.
    pub(super) fn sign_mask(&self, value: LlvmValue) -> LlvmValue {
        let zero = self.b.zero(self.b.type_of(value));
        self.b.icmp(IntPredicate::LLVMIntSLT, value, zero)
    }

    /// Two vectors one after the other.
    pub(super) fn concatenate(&self, a: LlvmValue, c: LlvmValue) -> LlvmValue {
        let b = self.b;
        let lanes = b.lanes(b.type_of(a));
        if lanes == 1 {
            let pair = b.vector(b.type_of(a), 2);
            return b.insert(b.insert(b.poison(pair), a, 0), c, 1);
        }
        b.shuffle(a, c, &(0..2 * lanes as i32).collect::<Vec<_>>())
    }

    /// All vectors one after the other; they are of one type, and there is at least one. The result has a power of two
    /// of their lengths, of which the last may be filled with lanes that nothing reads.
    pub(super) fn concatenate_all(&self, mut parts: Vec<LlvmValue>) -> LlvmValue {
        while parts.len() > 1 {
            if parts.len() % 2 == 1 {
                parts.push(self.b.poison(self.b.type_of(parts[0])));
            }
            parts = parts.chunks(2).map(|pair| self.concatenate(pair[0], pair[1])).collect();
        }
        parts[0]
    }

    /// `length` lanes from `first` on; one of them is a scalar.
    pub(super) fn slice(&self, vector: LlvmValue, first: u32, length: u32) -> LlvmValue {
        let b = self.b;
        if length == 1 {
            return b.extract(vector, first);
        }
        if first == 0 && b.lanes(b.type_of(vector)) == length {
            return vector;
        }
        b.shuffle_one(vector, &(first as i32..(first + length) as i32).collect::<Vec<_>>())
    }

    /// An instruction of two registers, whose results are no longer than those; `names` has it for 128 bits, 256, 512.
    pub(super) fn by_registers(&self, operands: [LlvmValue; 2], names: &[&str], result_length: u32) -> LlvmValue {
        self.in_registers(operands, names, result_length, |name, parts| self.b.intrinsic(name, &[], &parts))
    }

    /// The same, where a call takes more than the operands.
    pub(super) fn in_registers(
        &self,
        operands: [LlvmValue; 2],
        names: &[&str],
        result_length: u32,
        call: impl Fn(&str, [LlvmValue; 2]) -> LlvmValue,
    ) -> LlvmValue {
        let ty = self.b.type_of(operands[0]);
        let (lanes_of_128, length) = (128 / self.b.element_bits(ty), self.b.lanes(ty));
        let size = length.div_ceil(lanes_of_128).next_power_of_two().ilog2().min(names.len() as u32 - 1);
        let register = lanes_of_128 << size;
        let operands = operands.map(|operand| self.widen(operand, length.max(register)));
        let part = |first: u32| call(names[size as usize], operands.map(|operand| self.slice(operand, first, register)));
        let parts = (0..length).step_by(register as usize).map(part).collect();
        self.slice(self.concatenate_all(parts), 0, result_length)
    }

    /// In tree order: lane i with lane i + N/2, then N/4, …
    pub(super) fn reduce(&self, op: ReduceOp, vector: ir::Value) -> LlvmValue {
        let b = self.b;
        let mut value = self.value(vector);
        let mut length = u32::from(self.type_of(vector).length);
        if self.type_of(vector).element == Element::Bool && length > 1 {
            return self.reduce_mask(op, value);
        }
        if op == ReduceOp::Add && length > 1 {
            // Integers wrap, so that the order does not matter. Of a tree whose vectors become shorter, LLVM 22 takes the end for the
            // whole where it sums products or absolute differences of bytes, and loses partial sums.
            return b.intrinsic("llvm.vector.reduce.add", &[b.type_of(value)], &[value]);
        }
        while length > 1 {
            length /= 2;
            let (low, high) = (self.slice(value, 0, length), self.slice(value, length, length));
            value = self.combine(op, low, high);
        }
        debug_assert!(b.lanes(b.type_of(value)) == 1, "one lane is left");
        value
    }

    fn combine(&self, op: ReduceOp, a: LlvmValue, c: LlvmValue) -> LlvmValue {
        // A sum of products is not contracted here: that would tie the result to the target.
        let b = self.b;
        match op {
            ReduceOp::Add => b.add(a, c),
            ReduceOp::Mul => b.mul(a, c),
            ReduceOp::SMin => self.binary_values(BinaryOp::SMin, a, c),
            ReduceOp::SMax => self.binary_values(BinaryOp::SMax, a, c),
            ReduceOp::UMin => self.binary_values(BinaryOp::UMin, a, c),
            ReduceOp::UMax => self.binary_values(BinaryOp::UMax, a, c),
            ReduceOp::And => b.and(a, c),
            ReduceOp::Or => b.or(a, c),
            ReduceOp::Xor => b.xor(a, c),
            ReduceOp::FAdd => self.approximate(b.fadd(a, c)),
            ReduceOp::FMul => self.approximate(b.fmul(a, c)),
            ReduceOp::FMin => self.smaller(a, c),
            ReduceOp::FMax => self.greater(a, c),
        }
    }

    /// Bits: the order does not matter.
    fn reduce_mask(&self, op: ReduceOp, mask: LlvmValue) -> LlvmValue {
        let b = self.b;
        let parity = || {
            let bits = self.mask_bits(mask);
            let ones = b.intrinsic("llvm.ctpop", &[b.type_of(bits)], &[bits]);
            b.trunc(ones, b.int(1))
        };
        match op {
            // As numbers of one bit, 1 is −1.
            ReduceOp::And | ReduceOp::Mul | ReduceOp::UMin | ReduceOp::SMax | ReduceOp::FMul | ReduceOp::FMin => self.all(mask),
            ReduceOp::Or | ReduceOp::UMax | ReduceOp::SMin | ReduceOp::FMax => self.any(mask),
            ReduceOp::Xor | ReduceOp::Add | ReduceOp::FAdd => parity(),
        }
    }

    /// A vector of `length` lanes with the lanes of `vector` first, the others being any.
    pub(super) fn widen(&self, vector: LlvmValue, length: u32) -> LlvmValue {
        let b = self.b;
        let ty: LlvmType = b.type_of(vector);
        let lanes = b.lanes(ty);
        if lanes == length {
            return vector;
        }
        if lanes == 1 {
            return b.insert(b.poison(b.vector(ty, length)), vector, 0);
        }
        let index = |k: u32| if k < lanes { k as i32 } else { -1 };
        b.shuffle_one(vector, &(0..length).map(index).collect::<Vec<_>>())
    }
}
