//! Total integer division.
//!
//! `x / 0 = 0`, `x % 0 = 0`, `MIN / −1 = MIN`, `MIN % −1 = 0`. Processors have no vector division of integers: where
//! the quotient of a wider float is exact, it is taken instead.
//!
//! ```text
//! sdiv i32×8 a, b   →   d = select(b = 0 or (a = MIN and b = −1), 1, b)
//!                       q = fptosi(fdiv(sitofp f64 a, sitofp f64 d));  select(b = 0, 0, q)
//! ```
//!
//! The float quotient is rounded, yet its integer part is right: with p bits of precision the rounded quotient differs
//! from a/b by less than a/b·2⁻ᵖ, which is below 1/b, the least distance of a/b from the next integer that it must not
//! reach, as long as a < 2ᵖ. So f32 serves for 8 and 16 bits and f64 for 32; 64 bits go lane by lane.

use inkwell::llvm_sys::core::{LLVMConstIntGetSExtValue, LLVMGetAggregateElement, LLVMIsAConstantInt};

use super::builder::LlvmValue;
use super::function::FunctionTranslator;
use crate::vector::ir::BinaryOp;

impl FunctionTranslator<'_> {
    /// One of the four divisions.
    pub(super) fn divide(&self, op: BinaryOp, a: LlvmValue, d: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(a);
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let remainder = matches!(op, BinaryOp::SRem | BinaryOp::URem);
        if self.is_harmless_divisor(d) {
            return self.plain_division(signed, remainder, a, d);
        }
        let (zero, one) = (b.zero(ty), b.constant(ty, 1));
        let by_zero = b.equal(d, zero);
        let bits = b.element_bits(ty);
        let through_float = b.lanes(ty) > 1 && bits <= 32;
        // The quotient 2^(bits−1) of MIN and −1 fits in the integers that 8 and 16 bits are converted to.
        let overflows = signed && !(through_float && bits < 32);
        let invalid = if overflows {
            let least = b.equal(a, b.constant(ty, 1 << (bits - 1)));
            b.or(by_zero, b.and(least, b.equal(d, b.ones(ty))))
        } else {
            by_zero
        };
        let divisor = b.select(invalid, one, d);
        let result = if !through_float {
            self.plain_division(signed, remainder, a, divisor)
        } else {
            let quotient = self.float_quotient(signed, a, divisor);
            if remainder { b.sub(a, b.mul(quotient, divisor)) } else { quotient }
        };
        b.select(by_zero, zero, result)
    }

    fn plain_division(&self, signed: bool, remainder: bool, a: LlvmValue, d: LlvmValue) -> LlvmValue {
        match (signed, remainder) {
            (true, false) => self.b.sdiv(a, d),
            (true, true) => self.b.srem(a, d),
            (false, false) => self.b.udiv(a, d),
            (false, true) => self.b.urem(a, d),
        }
    }

    /// a / d by way of floats; d has no zero.
    fn float_quotient(&self, signed: bool, a: LlvmValue, d: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(a);
        let narrow = b.element_bits(ty) < 32;
        let float = b.like(ty, if narrow { b.f32() } else { b.f64() });
        let int = b.like(ty, b.int(32));
        let to_float = |value| if signed { b.sitofp(value, float) } else { b.uitofp(value, float) };
        let quotient = b.fdiv(to_float(a), to_float(d));
        // Unsigned quotients of less than 32 bits are positive as signed integers, which convert faster.
        let quotient = if signed || narrow { b.fptosi(quotient, int) } else { b.fptoui(quotient, int) };
        b.resize_unsigned(quotient, ty)
    }

    /// Is it a constant without a lane that is 0 or −1? Then LLVM multiplies by an inverse.
    fn is_harmless_divisor(&self, divisor: LlvmValue) -> bool {
        let b = self.b;
        let lanes = b.lanes(b.type_of(divisor));
        b.is_constant(divisor)
            && (0..lanes).all(|lane| unsafe {
                let value = if lanes == 1 { divisor } else { LLVMGetAggregateElement(divisor, lane) };
                !value.is_null() && !LLVMIsAConstantInt(value).is_null() && !matches!(LLVMConstIntGetSExtValue(value), 0 | -1)
            })
    }
}
