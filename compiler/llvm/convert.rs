//! Conversions.
//!
//! Float to integer saturates and takes NaN to 0. LLVM's saturating intrinsics go lane by lane on x86, so the value is
//! brought into the range first, where the conversion is an instruction.

use super::builder::{LlvmType, LlvmValue, RealPredicate};
use super::function::FunctionTranslator;
use crate::vector::ir::{self, ConvertOp, Element};

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
            ConvertOp::FToS => self.float_to_int(value, ty, true),
            ConvertOp::FToU => self.float_to_int(value, ty, false),
            ConvertOp::SToF | ConvertOp::UToF if from.element == Element::Bool => b.select(value, b.float(ty, 1.0), b.zero(ty)),
            ConvertOp::SToF => b.sitofp(value, ty),
            ConvertOp::UToF => b.uitofp(value, ty),
            ConvertOp::FToF => match (from.element, to.element) {
                (Element::F32, Element::F64) => b.fpext(value, ty),
                (Element::F64, Element::F32) => b.fptrunc(value, ty),
                _ => value,
            },
            ConvertOp::PtrToInt => b.ptrtoint(value, ty),
            ConvertOp::IntToPtr => b.inttoptr(value, ty),
            ConvertOp::Bits => match (from.element, to.element) {
                (Element::Bool, _) => b.resize_unsigned(value, ty),
                (_, Element::Bool) => b.is_set(value),
                _ => b.reinterpret(value, ty),
            },
        }
    }

    fn float_to_int(&self, x: LlvmValue, to: LlvmType, signed: bool) -> LlvmValue {
        let b = self.b;
        let float = b.type_of(x);
        let bits = b.element_bits(to);
        let (least, greatest) = if signed {
            (-((1u128 << (bits - 1)) as f64), ((1u128 << (bits - 1)) - 1) as f64)
        } else {
            (0.0, ((1u128 << bits) - 1) as f64)
        };
        // The comparison is false for NaN, which an unsigned target thereby takes to 0 at once.
        let raised = self.greater(if signed { self.zero_for_nan(x) } else { x }, b.float(float, least));
        let exact = bits < if b.element_bits(float) == 32 { 24 } else { 53 };
        if exact {
            let inside = self.smaller(raised, b.float(float, greatest));
            let (by_way_of, positive) = (b.like(to, b.int(bits.max(32))), signed || bits < 32);
            let int = if positive { b.fptosi(inside, by_way_of) } else { b.fptoui(inside, by_way_of) };
            return b.resize_unsigned(int, to);
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

    fn zero_for_nan(&self, x: LlvmValue) -> LlvmValue {
        let zero = self.b.zero(self.b.type_of(x));
        self.b.select(self.b.fcmp(RealPredicate::LLVMRealORD, x, zero), x, zero)
    }
}
