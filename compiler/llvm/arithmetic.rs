//! Element-wise operations of one, two and three operands, and comparisons.
//!
//! Shift counts are taken modulo the width, `FMin` and `FMax` are exactly the comparison and selection that `minps` and
//! `maxps` compute, and the licence of floating-point operations is that of the function.

use super::builder::{IntPredicate, LlvmValue, RealPredicate};
use super::function::FunctionTranslator;
use super::products::{Half, Signs};
use crate::vector::ir::{self, BinaryOp, CompareOp, UnaryOp};

impl FunctionTranslator<'_> {
    pub(super) fn unary(&self, op: UnaryOp, operand: ir::Value) -> LlvmValue {
        let b = self.b;
        let a = self.value(operand);
        let ty = b.type_of(a);
        let total = || b.zero(b.int(1));
        match op {
            UnaryOp::Neg => b.neg(a),
            UnaryOp::Not => b.not(a),
            UnaryOp::Likely => b.intrinsic("llvm.expect", &[ty], &[a, b.ones(ty)]),
            UnaryOp::Abs => b.intrinsic("llvm.abs", &[ty], &[a, total()]),
            UnaryOp::FNeg => b.fneg(a),
            UnaryOp::FAbs => b.intrinsic("llvm.fabs", &[ty], &[a]),
            UnaryOp::Sqrt => self.approximate(b.intrinsic("llvm.sqrt", &[ty], &[a])),
            UnaryOp::Rsqrt => {
                let root = self.approximate(b.intrinsic("llvm.sqrt", &[ty], &[a]));
                self.approximate(b.fdiv(b.float(ty, 1.0), root))
            }
            UnaryOp::Rcp => self.approximate(b.fdiv(b.float(ty, 1.0), a)),
            UnaryOp::Floor => self.floor(a),
            UnaryOp::Ceil => self.ceil(a),
            UnaryOp::Round => self.round(a),
            UnaryOp::Trunc => self.truncate(a),
            UnaryOp::Rint => self.rint(a),
            UnaryOp::Clz => b.intrinsic("llvm.ctlz", &[ty], &[a, total()]),
            UnaryOp::Ctz => b.intrinsic("llvm.cttz", &[ty], &[a, total()]),
            UnaryOp::Popcnt => b.intrinsic("llvm.ctpop", &[ty], &[a]),
            UnaryOp::BitReverse => b.intrinsic("llvm.bitreverse", &[ty], &[a]),
        }
    }

    pub(super) fn binary(&self, op: BinaryOp, first: ir::Value, second: ir::Value) -> LlvmValue {
        let (a, b) = (self.value(first), self.value(second));
        self.binary_values(op, a, b)
    }

    /// As the operation, on translated values.
    pub(super) fn binary_values(&self, op: BinaryOp, a: LlvmValue, c: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(a);
        match op {
            BinaryOp::Add => b.add(a, c),
            BinaryOp::Sub => b.sub(a, c),
            BinaryOp::Mul => b.mul(a, c),
            BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem => self.divide(op, a, c),
            BinaryOp::And => b.and(a, c),
            BinaryOp::Or => b.or(a, c),
            BinaryOp::Xor => b.xor(a, c),
            BinaryOp::Shl => b.shl(a, self.shift_count(c)),
            BinaryOp::LShr => b.lshr(a, self.shift_count(c)),
            BinaryOp::AShr => b.ashr(a, self.shift_count(c)),
            BinaryOp::SMin => b.intrinsic("llvm.smin", &[ty], &[a, c]),
            BinaryOp::SMax => b.intrinsic("llvm.smax", &[ty], &[a, c]),
            BinaryOp::UMin => b.intrinsic("llvm.umin", &[ty], &[a, c]),
            BinaryOp::UMax => b.intrinsic("llvm.umax", &[ty], &[a, c]),
            BinaryOp::SAddSat => b.intrinsic("llvm.sadd.sat", &[ty], &[a, c]),
            BinaryOp::UAddSat => b.intrinsic("llvm.uadd.sat", &[ty], &[a, c]),
            BinaryOp::SSubSat => b.intrinsic("llvm.ssub.sat", &[ty], &[a, c]),
            BinaryOp::USubSat => b.intrinsic("llvm.usub.sat", &[ty], &[a, c]),
            BinaryOp::SMulHigh => self.multiply_high(a, c, Signs::Signed),
            BinaryOp::UMulHigh => self.multiply_high(a, c, Signs::Unsigned),
            BinaryOp::SMulRound => self.multiply_round(a, c),
            BinaryOp::ClMul => self.multiply_without_carries(a, c, Half::Low),
            BinaryOp::ClMulHigh => self.multiply_without_carries(a, c, Half::High),
            BinaryOp::FScale => self.scale(a, c),
            BinaryOp::FAdd => self.licensed(b.fadd(a, c)),
            BinaryOp::FSub => self.licensed(b.fsub(a, c)),
            BinaryOp::FMul => self.licensed(b.fmul(a, c)),
            BinaryOp::FDiv => self.approximate(b.fdiv(a, c)),
            BinaryOp::FRem => b.frem(a, c),
            BinaryOp::FMin => self.smaller(a, c),
            BinaryOp::FMax => self.greater(a, c),
        }
    }

    /// a < c ? a : c
    pub(super) fn smaller(&self, a: LlvmValue, c: LlvmValue) -> LlvmValue {
        self.b.select(self.b.fcmp(RealPredicate::LLVMRealOLT, a, c), a, c)
    }

    /// a > c ? a : c
    pub(super) fn greater(&self, a: LlvmValue, c: LlvmValue) -> LlvmValue {
        self.b.select(self.b.fcmp(RealPredicate::LLVMRealOGT, a, c), a, c)
    }

    /// Modulo the width, a power of two.
    fn shift_count(&self, count: LlvmValue) -> LlvmValue {
        let ty = self.b.type_of(count);
        self.b.and(count, self.b.constant(ty, u64::from(self.b.element_bits(ty)) - 1))
    }

    pub(super) fn fma(&self, a: ir::Value, c: ir::Value, d: ir::Value) -> LlvmValue {
        let operands = [self.value(a), self.value(c), self.value(d)];
        self.b.intrinsic("llvm.fma", &[self.b.type_of(operands[0])], &operands)
    }

    pub(super) fn compare(&self, op: CompareOp, a: LlvmValue, c: LlvmValue) -> LlvmValue {
        let int = |predicate| self.b.icmp(predicate, a, c);
        let float = |predicate| self.b.fcmp(predicate, a, c);
        match op {
            CompareOp::Eq => int(IntPredicate::LLVMIntEQ),
            CompareOp::Ne => int(IntPredicate::LLVMIntNE),
            CompareOp::SLt => int(IntPredicate::LLVMIntSLT),
            CompareOp::SLe => int(IntPredicate::LLVMIntSLE),
            CompareOp::SGt => int(IntPredicate::LLVMIntSGT),
            CompareOp::SGe => int(IntPredicate::LLVMIntSGE),
            CompareOp::ULt => int(IntPredicate::LLVMIntULT),
            CompareOp::ULe => int(IntPredicate::LLVMIntULE),
            CompareOp::UGt => int(IntPredicate::LLVMIntUGT),
            CompareOp::UGe => int(IntPredicate::LLVMIntUGE),
            CompareOp::FEq => float(RealPredicate::LLVMRealOEQ),
            CompareOp::FNe => float(RealPredicate::LLVMRealUNE),
            CompareOp::FLt => float(RealPredicate::LLVMRealOLT),
            CompareOp::FLe => float(RealPredicate::LLVMRealOLE),
            CompareOp::FGt => float(RealPredicate::LLVMRealOGT),
            CompareOp::FGe => float(RealPredicate::LLVMRealOGE),
        }
    }
}
