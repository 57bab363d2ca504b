//! Conversions.
//!
//! Float to integer saturates and takes NaN to 0. LLVM's saturating intrinsics go lane by lane on x86, so the value is
//! brought into the range first, where the conversion is an instruction. Vectors of f32 go to i32 by the instruction
//! itself, which takes all that is out of range to MIN, to be corrected:
//!
//! ```text
//! fptosi i32×8 x   →   r = cvttps2dq(x) xor (x ≥ 2³¹ ? −1 : 0);  x = x ? r : 0
//! ```
//! Where the [range](crate::vector::float_ranges) of the float says that it fits, as behind a clamp, the instruction stands alone. What is
//! rounded to a whole float first needs no rounding of its own:
//!
//! ```text
//! fptosi i32×8 (rint x)    →   as above, by cvtps2dq
//! fptosi i32×8 (round x)   →   as above, of x + copysign(the number below 0.5, x)
//! ```

use super::builder::{LlvmType, LlvmValue, RealPredicate};
use super::function::FunctionTranslator;
use crate::vector::float_ranges::FloatRange;
use crate::vector::ir::{self, ConvertOp, Element, Op, UnaryOp};

/// Where a conversion to integers goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    TowardsZero,
    /// Halves to the even neighbour.
    Nearest,
}

impl FunctionTranslator<'_> {
    pub(super) fn convert(&self, op: ConvertOp, operand: ir::Value, to: ir::Type) -> LlvmValue {
        let b = self.b;
        let value = self.value(operand);
        let from = self.type_of(operand);
        let ty = self.unit.ty(to);
        match op {
            ConvertOp::Trunc => b.resize_unsigned(value, ty),
            ConvertOp::SExt => b.resize_signed(value, ty),
            ConvertOp::ZExt => b.resize_unsigned(value, ty),
            ConvertOp::FToS | ConvertOp::FToU => {
                let (x, rounding) = self.before_rounding(operand);
                let may_be_nan = self.function.float_range(operand).is_none();
                let range = self.function.number_range(operand);
                self.float_to_int(x, ty, op == ConvertOp::FToS, rounding, (range, may_be_nan))
            }
            ConvertOp::SToF | ConvertOp::UToF if from.element == Element::Bool => b.select(value, b.float(ty, 1.0), b.zero(ty)),
            ConvertOp::SToF => b.sitofp(value, ty),
            ConvertOp::UToF => b.uitofp(value, ty),
            ConvertOp::FToF => match from.element.bits().cmp(&to.element.bits()) {
                std::cmp::Ordering::Less => b.fpext(value, ty),
                std::cmp::Ordering::Equal => value,
                std::cmp::Ordering::Greater => b.fptrunc(value, ty),
            },
            ConvertOp::HToF => b.fpext(b.reinterpret(value, b.like(ty, b.f16())), ty),
            ConvertOp::FToH => self.to_float16(value),
            ConvertOp::PtrToInt => b.ptrtoint(value, ty),
            ConvertOp::IntToPtr => b.inttoptr(value, ty),
            ConvertOp::Bits if from.element == Element::Bool => b.resize_unsigned(value, ty),
            ConvertOp::Bits if to.element == Element::Bool => b.is_set(value),
            ConvertOp::Bits => b.reinterpret(value, ty),
        }
    }

    /// What an integer is made of, and how: of what was rounded to a whole float, the number before.
    fn before_rounding(&self, operand: ir::Value) -> (LlvmValue, Rounding) {
        match self.function.definition(operand) {
            Some(&Op::Unary(UnaryOp::Rint, x)) => (self.value(x), Rounding::Nearest),
            Some(&Op::Unary(UnaryOp::Trunc, x)) => (self.value(x), Rounding::TowardsZero),
            Some(&Op::Unary(UnaryOp::Round, x)) => (self.away_from_zero(self.value(x)), Rounding::TowardsZero),
            _ => (self.value(operand), Rounding::TowardsZero),
        }
    }

    /// Saturates, and takes NaN to 0, where the range of what is converted, and whether it may be NaN, do not say that nothing of it comes.
    fn float_to_int(
        &self,
        x: LlvmValue,
        to: LlvmType,
        signed: bool,
        rounding: Rounding,
        ((least, most), may_be_nan): (FloatRange, bool),
    ) -> LlvmValue {
        let b = self.b;
        let float = b.type_of(x);
        let bits = b.element_bits(to);
        let (lowest, end) =
            if signed { (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1)) } else { (0.0, 2f64.powi(bits as i32)) };
        // The range is that of the float itself, rounded to a whole one where it is.
        let is_below = most.trunc() < end;
        let fits = lowest <= least.trunc() && is_below;
        let number = |x: LlvmValue| if may_be_nan { self.zero_for_nan(x) } else { x };
        if signed && bits == 32 && b.element_bits(float) == 32 && b.lanes(float) > 1 {
            // What is too small becomes the least number as it is.
            return if is_below { self.to_i32(number(x), rounding) } else { self.vector_f32_to_i32(x, to, rounding) };
        }
        let exact = bits < if b.element_bits(float) == 32 { 24 } else { 53 };
        let is_positive = signed || bits < 32;
        let rounds_itself = rounding == Rounding::Nearest && exact && is_positive && b.lanes(float) > 1;
        let x = if rounding == Rounding::Nearest && !rounds_itself { self.rint(x) } else { x };
        let (least, greatest) = if signed {
            (-((1u128 << (bits - 1)) as f64), ((1u128 << (bits - 1)) - 1) as f64)
        } else {
            (0.0, ((1u128 << bits) - 1) as f64)
        };
        let converted = |inside: LlvmValue| {
            let by_way_of = b.like(to, b.int(bits.max(32)));
            let int = match (rounds_itself, is_positive) {
                (true, _) => self.to_i32(inside, rounding),
                (false, true) => b.fptosi(inside, by_way_of),
                (false, false) => b.fptoui(inside, by_way_of),
            };
            self.narrow_saturated(int, to, signed)
        };
        if fits && (exact || rounding == Rounding::TowardsZero) {
            return converted(number(x));
        }
        // The comparison is false for NaN, which an unsigned target thereby takes to 0 at once.
        let raised = self.greater(if signed { self.zero_for_nan(x) } else { x }, b.float(float, least));
        if exact {
            return converted(self.smaller(raised, b.float(float, greatest)));
        }
        // The greatest integer is no float: convert at most the float below the range's end, 2^bits or 2^(bits−1), and
        // put in the greatest integer from that end on.
        let end = b.float(float, greatest);
        let below = if b.element_bits(float) == 32 { f64::from((greatest as f32).next_down()) } else { greatest.next_down() };
        let inside = self.smaller(raised, b.float(float, below));
        let int = if signed { b.fptosi(inside, to) } else { b.fptoui(inside, to) };
        let greatest_int = b.constant(to, if signed { (1 << (bits - 1)) - 1 } else { u64::MAX });
        b.select(b.fcmp(RealPredicate::LLVMRealOGE, x, end), greatest_int, int)
    }

    /// Narrows integers that are in the range of `to`. Where packing saturates, that is said once more in the form that
    /// becomes a pack: the range is known from floats, which instruction selection does not see.
    fn narrow_saturated(&self, int: LlvmValue, to: LlvmType, signed: bool) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(int);
        let bits = b.element_bits(to);
        if self.machine.has_mask_registers() || b.lanes(ty) < 8 || bits >= 32 || b.element_bits(ty) != 32 {
            return b.resize_unsigned(int, to);
        }
        let (least, greatest) = if signed { (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1) } else { (0, (1i64 << bits) - 1) };
        let below = b.intrinsic("llvm.smin", &[ty], &[int, b.constant(ty, greatest as u64)]);
        let inside = b.intrinsic("llvm.smax", &[ty], &[below, b.constant(ty, least as u64)]);
        b.trunc(inside, to)
    }

    fn vector_f32_to_i32(&self, x: LlvmValue, to: LlvmType, rounding: Rounding) -> LlvmValue {
        let b = self.b;
        let too_large = b.fcmp(RealPredicate::LLVMRealOGE, x, b.float(b.type_of(x), (1u64 << 31) as f64));
        let corrected = b.xor(self.to_i32(x, rounding), b.sext(too_large, to));
        b.select(b.fcmp(RealPredicate::LLVMRealORD, x, x), corrected, b.zero(to))
    }

    /// A vector of floats to i32 by the processor's instruction: out of range and NaN to MIN.
    pub(super) fn to_i32(&self, x: LlvmValue, rounding: Rounding) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(x);
        let length = b.lanes(ty);
        let row = self.machine.truncation(b.element_bits(ty), length);
        let register = row.lanes;
        let name = if rounding == Rounding::Nearest { row.nearest } else { row.name };
        // The form with a mask has all lanes on, and the rounding that is in force.
        let convert = |part: LlvmValue| {
            let result = if row.is_masked {
                let (all, none) = (b.ones(b.int(register)), b.zero(b.vector(b.int(32), register)));
                b.intrinsic(name, &[], &[part, none, all, b.i32(4)])
            } else {
                b.intrinsic(name, &[], &[part])
            };
            self.slice(result, 0, register)
        };
        let wide = self.widen(x, length.max(register));
        let parts = (0..length.div_ceil(register)).map(|k| convert(self.slice(wide, k * register, register)));
        self.slice(self.concatenate_all(parts.collect()), 0, length)
    }

    /// The bits of the nearest binary16, by the processor's instruction: a truncation to `half` would be taken to undo an extension from
    /// it, which makes what is not a number quiet.
    fn to_float16(&self, x: LlvmValue) -> LlvmValue {
        let b = self.b;
        let length = b.lanes(b.type_of(x));
        let names = self.machine.to_float16;
        // The first register that has room, or the largest.
        let size = (0..names.len()).find(|size| 4 << size >= length).unwrap_or(names.len() - 1);
        let register = 4 << size;
        let nearest = b.i32(0);
        let convert = |part: LlvmValue| {
            let result = match size {
                2 => {
                    let (all, none) = (b.ones(b.int(register)), b.zero(b.vector(b.int(16), register)));
                    b.intrinsic(names[size], &[], &[part, nearest, none, all])
                }
                _ => b.intrinsic(names[size], &[], &[part, nearest]),
            };
            self.slice(result, 0, register)
        };
        let wide = self.widen(x, length.max(register));
        let parts = (0..length.div_ceil(register)).map(|k| convert(self.slice(wide, k * register, register)));
        self.slice(self.concatenate_all(parts.collect()), 0, length)
    }

    fn zero_for_nan(&self, x: LlvmValue) -> LlvmValue {
        let zero = self.b.zero(self.b.type_of(x));
        self.b.select(self.b.fcmp(RealPredicate::LLVMRealORD, x, zero), x, zero)
    }
}
