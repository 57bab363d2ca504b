//! A pass over LLVM's IR, behind its optimiser and [`late_masks`](super::late_masks), for machines whose masks are vectors: whether any lane of a mask is on
//! that fills several registers is asked of one.
//!
//! ```text
//! c = fcmp olt <16 x float> x, y               v = sext c to <16 x i32>
//! any = icmp ne (bitcast c to i16), 0    →     w = or (lanes 0 … 7 of v), (lanes 8 … 15 of v)
//!                                              any = icmp ne (bitcast (icmp slt w, 0) to i8), 0
//! ```
//! Instruction selection would pack the registers into one whose lanes are narrower, and take the bits of that. Whether all lanes are on is asked with `and`.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use inkwell::module::Module;

use super::builder::{Builder, IntPredicate, LlvmValue, functions, instructions, opcode, users};

/// So many operations between a mask and the comparisons that it is made of are looked through.
const DEPTH: u32 = 6;

/// Runs the pass over all functions of a module, for registers of so many bits.
pub(super) fn fold(module: &Module<'_>, register_bits: u32) {
    let b = Builder::new(module);
    functions(b.module).into_iter().flat_map(instructions).for_each(|value| fold_test(&b, value, register_bits));
}

/// `value` is looked at as the bits of a mask that are compared with none, or with all.
fn fold_test(b: &Builder, value: LlvmValue, register_bits: u32) {
    if opcode(value) != Some(LLVMOpcode::LLVMBitCast) || !b.is_int(b.type_of(value)) {
        return;
    }
    // SAFETY: a cast has an operand.
    let mask = unsafe { LLVMGetOperand(value, 0) };
    let lanes = b.lanes(b.type_of(mask));
    if lanes == 1 || b.element_bits(b.type_of(mask)) != 1 || lanes != b.element_bits(b.type_of(value)) {
        return;
    }
    let Some(bits) = compared_bits(b, mask, DEPTH).filter(|bits| lanes * bits > register_bits) else { return };
    for user in users(value) {
        let Some(is_any) = test_of(b, user, value) else { continue };
        // SAFETY: the comparison is an instruction that is not the last one of its block, and its predicate asks for equality.
        let folded = unsafe {
            LLVMPositionBuilderBefore(b.raw, user);
            let mut vector = b.sext(mask, b.vector(b.int(bits), lanes));
            let mut left = lanes;
            while left * bits > register_bits {
                left /= 2;
                let half = |first: u32| b.shuffle_one(vector, &(first..first + left).map(|lane| lane as i32).collect::<Vec<_>>());
                let (low, high) = (half(0), half(left));
                vector = if is_any { b.or(low, high) } else { b.and(low, high) };
            }
            let folded = b.icmp(IntPredicate::LLVMIntSLT, vector, b.zero(b.type_of(vector)));
            let folded = b.bitcast(folded, b.int(left));
            let none_or_all = if is_any { b.zero(b.type_of(folded)) } else { b.ones(b.type_of(folded)) };
            b.icmp(LLVMGetICmpPredicate(user), folded, none_or_all)
        };
        // SAFETY: both are of one bit.
        unsafe { LLVMReplaceAllUsesWith(user, folded) };
    }
}

/// Does a comparison ask whether any of these bits is set (`true`), or all are (`false`)? `None` if it asks for something else.
fn test_of(b: &Builder, user: LlvmValue, bits: LlvmValue) -> Option<bool> {
    if opcode(user) != Some(LLVMOpcode::LLVMICmp) {
        return None;
    }
    // SAFETY: it is a comparison of integers, which has two operands.
    let (predicate, [first, second]) = unsafe { (LLVMGetICmpPredicate(user), [0, 1].map(|k| LLVMGetOperand(user, k))) };
    let is_equality = matches!(predicate, LLVMIntPredicate::LLVMIntEQ | LLVMIntPredicate::LLVMIntNE);
    let ty = b.type_of(bits);
    match () {
        () if !is_equality || first != bits => None,
        () if second == b.zero(ty) => Some(true),
        () if second == b.ones(ty) => Some(false),
        () => None,
    }
}

/// The bits of the lanes that were compared; of several the most.
fn compared_bits(b: &Builder, mask: LlvmValue, depth: u32) -> Option<u32> {
    // SAFETY: the operands of instructions that have so many are asked for.
    let operand = |k: u32| unsafe { LLVMGetOperand(mask, k) };
    match opcode(mask) {
        Some(LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMFCmp) => Some(b.element_bits(b.type_of(operand(0)))),
        Some(LLVMOpcode::LLVMAnd | LLVMOpcode::LLVMOr | LLVMOpcode::LLVMXor) if depth > 0 => {
            compared_bits(b, operand(0), depth - 1).max(compared_bits(b, operand(1), depth - 1))
        }
        Some(LLVMOpcode::LLVMFreeze) if depth > 0 => compared_bits(b, operand(0), depth - 1),
        _ => None,
    }
}
