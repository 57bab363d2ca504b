//! Atomic operations: an instruction where there is one, else the value is computed anew until nobody came in between.
//!
//! ```text
//! atomic.fmul p, v     ──►     old = load p;  do { new = old · v } while (!compare_and_exchange(p, &old, new))
//! ```
//! All are sequentially consistent, which costs nothing more on x86.

use inkwell::llvm_sys::core::{LLVMBuildAtomicCmpXchg, LLVMBuildAtomicRMW, LLVMSetOrdering};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp as Rmw};

use super::builder::LlvmValue;
use super::function::FunctionTranslator;
use crate::vector::ir::{self, BinaryOp, Element};

const ORDER: LLVMAtomicOrdering = LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;

impl FunctionTranslator<'_> {
    /// [`ir::Op::Atomic`]
    pub(super) fn atomic(&self, op: BinaryOp, pointer: ir::Value, value: ir::Value) -> LlvmValue {
        let (b, ty) = (self.b, self.type_of(value));
        let (pointer, value) = (self.value(pointer), self.value(value));
        let Some(instruction) = instruction(op) else {
            return self.exchange_loop(op, pointer, value, ty);
        };
        let in_memory = self.to_memory(value, ty);
        // SAFETY: it is a pointer, and the operation exists for the value's type.
        let old = unsafe { LLVMBuildAtomicRMW(b.raw, instruction, pointer, in_memory, ORDER, 0) };
        if ty.element == Element::Bool { b.is_set(old) } else { old }
    }

    /// [`ir::Op::Exchange`]: of bits, whatever they mean.
    pub(super) fn exchange(&self, pointer: ir::Value, expected: Option<ir::Value>, value: ir::Value) -> LlvmValue {
        let (b, ty) = (self.b, self.type_of(value));
        let bits = b.int(8 * ty.element.size() as u32);
        let in_memory = |value: ir::Value| b.reinterpret(self.to_memory(self.value(value), ty), bits);
        let (pointer, new) = (self.value(pointer), in_memory(value));
        let old = match expected.map(in_memory) {
            // SAFETY: the operands are values of this function, and the integer is as wide as what the pointer leads to.
            None => unsafe { LLVMBuildAtomicRMW(b.raw, Rmw::LLVMAtomicRMWBinOpXchg, pointer, new, ORDER, 0) },
            Some(expected) => {
                // SAFETY: as above.
                b.extract_member(unsafe { LLVMBuildAtomicCmpXchg(b.raw, pointer, expected, new, ORDER, ORDER, 0) }, 0)
            }
        };
        if ty.element == Element::Bool { b.is_set(old) } else { b.reinterpret(old, self.unit.ty(ty)) }
    }

    /// Numbers without an instruction of their own.
    fn exchange_loop(&self, op: BinaryOp, pointer: LlvmValue, value: LlvmValue, ty: ir::Type) -> LlvmValue {
        let b = self.b;
        let (number, bits) = (self.unit.ty(ty), b.int(ty.element.bits()));
        let first = b.load(bits, pointer, ty.element.size());
        // SAFETY: it is a load with an alignment.
        unsafe { LLVMSetOrdering(first, LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic) };
        let (before, again, behind) = (b.current_block(), self.new_block(), self.new_block());
        b.jump(again);
        b.position(again);
        let old = b.phi(bits);
        b.add_incoming(old, first, before);
        let old_number = b.reinterpret(old, number);
        let new = b.reinterpret(self.binary_values(op, old_number, value), bits);
        // SAFETY: it is a pointer, and both values are integers of one type.
        let pair = unsafe { LLVMBuildAtomicCmpXchg(b.raw, pointer, old, new, ORDER, ORDER, 0) };
        b.add_incoming(old, b.extract_member(pair, 0), b.current_block());
        b.branch(b.extract_member(pair, 1), behind, again);
        b.position(behind);
        old_number
    }
}

/// The instruction of LLVM for an operation.
fn instruction(op: BinaryOp) -> Option<Rmw> {
    Some(match op {
        BinaryOp::Add => Rmw::LLVMAtomicRMWBinOpAdd,
        BinaryOp::Sub => Rmw::LLVMAtomicRMWBinOpSub,
        BinaryOp::And => Rmw::LLVMAtomicRMWBinOpAnd,
        BinaryOp::Or => Rmw::LLVMAtomicRMWBinOpOr,
        BinaryOp::Xor => Rmw::LLVMAtomicRMWBinOpXor,
        BinaryOp::SMin => Rmw::LLVMAtomicRMWBinOpMin,
        BinaryOp::SMax => Rmw::LLVMAtomicRMWBinOpMax,
        BinaryOp::UMin => Rmw::LLVMAtomicRMWBinOpUMin,
        BinaryOp::UMax => Rmw::LLVMAtomicRMWBinOpUMax,
        BinaryOp::Mul
        | BinaryOp::SDiv
        | BinaryOp::UDiv
        | BinaryOp::SRem
        | BinaryOp::URem
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::SAddSat
        | BinaryOp::UAddSat
        | BinaryOp::SSubSat
        | BinaryOp::USubSat
        | BinaryOp::SMulHigh
        | BinaryOp::UMulHigh
        | BinaryOp::SMulRound
        | BinaryOp::ClMul
        | BinaryOp::ClMulHigh
        | BinaryOp::FScale
        | BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FRem
        | BinaryOp::FMin
        | BinaryOp::FMax => return None,
    })
}
