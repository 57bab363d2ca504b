//! Total integer division.
//!
//! `x / 0 = 0`, `x % 0 = 0`, `MIN / −1 = MIN`, `MIN % −1 = 0`. Processors have no vector division of integers: where
//! the quotient of a wider float is exact, it is taken instead.
//!
//! ```text
//! sdiv i32×8 a, b   →   q = cvttpd2dq(fdiv(sitofp f64 a, sitofp f64 b));  select(b = 0, 0, q)
//! udiv i32×8 a, b   →   d = umax(b, 1);  q = fptoui(fdiv(uitofp f64 a, uitofp f64 d));  select(b = 0, 0, q)
//! ```
//!
//! The instruction is used as such because it takes what is out of range to MIN: the quotient of MIN and −1.
//!
//! The float quotient is rounded, yet its integer part is right: with p bits of precision the rounded quotient differs
//! from a/b by less than a/b·2⁻ᵖ, which is below 1/b, the least distance of a/b from the next integer that it must not
//! reach, as long as a < 2ᵖ. So f32 serves for 8 and 16 bits and f64 for 32; 64 bits go lane by lane.

use inkwell::llvm_sys::core::{LLVMConstIntGetSExtValue, LLVMGetAggregateElement, LLVMIsAConstantInt};

use super::builder::LlvmValue;
use super::convert::Rounding;
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
        let result = if b.lanes(ty) > 1 && bits <= 32 {
            let quotient = self.float_quotient(signed, a, d);
            if remainder { b.sub(a, b.mul(quotient, d)) } else { quotient }
        } else {
            let invalid = if signed {
                let least = b.equal(a, b.constant(ty, 1 << (bits - 1)));
                b.or(by_zero, b.and(least, b.equal(d, b.ones(ty))))
            } else {
                by_zero
            };
            self.plain_division(signed, remainder, a, b.select(invalid, one, d))
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

    /// a / d by way of floats; anything where d is zero.
    fn float_quotient(&self, signed: bool, a: LlvmValue, d: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(a);
        let narrow = b.element_bits(ty) < 32;
        let float = b.like(ty, if narrow { b.f32() } else { b.f64() });
        if signed {
            let quotient = b.fdiv(b.sitofp(a, float), b.sitofp(d, float));
            return b.resize_signed(self.to_i32(quotient, Rounding::TowardsZero), ty);
        }
        let divisor = b.intrinsic("llvm.umax", &[ty], &[d, b.constant(ty, 1)]);
        let quotient = b.fdiv(b.uitofp(a, float), b.uitofp(divisor, float));
        let int = b.like(ty, b.int(32));
        // Quotients of less than 32 bits are positive as signed integers, which convert faster.
        let quotient = if narrow { b.fptosi(quotient, int) } else { b.fptoui(quotient, int) };
        b.resize_unsigned(quotient, ty)
    }

    /// Is it a constant without a lane that is 0 or −1? Then LLVM multiplies by an inverse.
    fn is_harmless_divisor(&self, divisor: LlvmValue) -> bool {
        let b = self.b;
        let lanes = b.lanes(b.type_of(divisor));
        b.is_constant(divisor)
            // SAFETY: a constant is asked for its lanes, null comes where one is not known, and only a constant integer is asked
            // for its value.
            && (0..lanes).all(|lane| unsafe {
                let value = if lanes == 1 { divisor } else { LLVMGetAggregateElement(divisor, lane) };
                !value.is_null() && !LLVMIsAConstantInt(value).is_null() && !matches!(LLVMConstIntGetSExtValue(value), 0 | -1)
            })
    }
}
