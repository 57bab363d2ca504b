//! Rounding to integral floats.
//!
//! SSE4.1 has instructions for it. For SSE2 they are written out: adding and subtracting 2^(p−1), where p is the
//! precision, leaves the nearest integer, which is then put right by one; numbers that large are integral already.
//!
//! ```text
//! floor x   →   n = copysign((|x| + 2²³) − 2²³, x);  r = copysign(n − (n > x ? 1 : 0), x);  |x| < 2²³ ? r : x
//! ```

use super::builder::{LlvmValue, RealPredicate};
use super::function::FunctionTranslator;

impl FunctionTranslator<'_> {
    pub(super) fn floor(&self, x: LlvmValue) -> LlvmValue {
        self.round_with("llvm.floor", x, |nearest, one| {
            let above = self.b.fcmp(RealPredicate::LLVMRealOGT, nearest, x);
            self.b.fsub(nearest, self.where_set(above, one))
        })
    }

    pub(super) fn ceil(&self, x: LlvmValue) -> LlvmValue {
        self.round_with("llvm.ceil", x, |nearest, one| {
            let below = self.b.fcmp(RealPredicate::LLVMRealOLT, nearest, x);
            self.b.fadd(nearest, self.where_set(below, one))
        })
    }

    /// Towards zero.
    pub(super) fn truncate(&self, x: LlvmValue) -> LlvmValue {
        self.round_with("llvm.trunc", x, |nearest, one| {
            let beyond = self.b.fcmp(RealPredicate::LLVMRealOGT, self.magnitude(nearest), self.magnitude(x));
            self.b.fsub(nearest, self.copy_sign(self.where_set(beyond, one), x))
        })
    }

    /// Halves to the even neighbour.
    pub(super) fn rint(&self, x: LlvmValue) -> LlvmValue {
        self.round_with("llvm.roundeven", x, |nearest, _| nearest)
    }

    /// Halves away from zero: trunc(x + copysign(the number below 0.5, x)). With 0.5 itself the sum would round up to
    /// the next integer for the number below 0.5.
    pub(super) fn round(&self, x: LlvmValue) -> LlvmValue {
        self.truncate(self.away_from_zero(x))
    }

    /// What is rounded by leaving out what stands behind the point.
    pub(super) fn away_from_zero(&self, x: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(x);
        let below_half = if b.element_bits(ty) == 32 { f64::from(0.5f32.next_down()) } else { 0.5f64.next_down() };
        b.fadd(x, self.copy_sign(b.float(ty, below_half), x))
    }

    fn magnitude(&self, x: LlvmValue) -> LlvmValue {
        self.b.intrinsic("llvm.fabs", &[self.b.type_of(x)], &[x])
    }

    fn copy_sign(&self, magnitude: LlvmValue, sign: LlvmValue) -> LlvmValue {
        self.b.intrinsic("llvm.copysign", &[self.b.type_of(sign)], &[magnitude, sign])
    }

    fn where_set(&self, condition: LlvmValue, value: LlvmValue) -> LlvmValue {
        self.b.select(condition, value, self.b.zero(self.b.type_of(value)))
    }

    /// The instruction `name`, or `correct` (nearest integer, 1) where there is none.
    fn round_with(&self, name: &str, x: LlvmValue, correct: impl FnOnce(LlvmValue, LlvmValue) -> LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(x);
        if self.machine.has_rounding {
            return b.intrinsic(name, &[ty], &[x]);
        }
        let integral = b.float(ty, if b.element_bits(ty) == 32 { (1u64 << 23) as f64 } else { (1u64 << 52) as f64 });
        let magnitude = self.magnitude(x);
        let nearest = self.copy_sign(b.fsub(b.fadd(magnitude, integral), integral), x);
        let rounded = self.copy_sign(correct(nearest, b.float(ty, 1.0)), x);
        b.select(b.fcmp(RealPredicate::LLVMRealOLT, magnitude, integral), rounded, x)
    }
}
