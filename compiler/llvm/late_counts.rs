//! A pass over LLVM's IR, behind its optimiser and before instruction selection: masks that are added as numbers, on targets with mask
//! registers.
//!
//! ```text
//! add <64 x i8> c, (zext <64 x i1> m)   →   select m, (sub c, splat -1), c       vpsubb zmm {k}
//! add <64 x i8> c, (sext <64 x i1> m)   →   select m, (add c, splat -1), c
//! ```
//! Instruction selection makes a vector of the mask first (`vpmovm2b`). LLVM's optimiser writes the right form as the left one, so that
//! it cannot stand there earlier.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::module::Module;

use super::builder::{Builder, LlvmValue, functions, instructions, opcode};

/// Runs the pass over all functions of a module.
pub(super) fn mask(module: &Module<'_>) {
    let b = Builder::new(module);
    functions(b.module).into_iter().flat_map(instructions).for_each(|value| mask_count(&b, value));
}

fn mask_count(b: &Builder, value: LlvmValue) {
    let is_add = match opcode(value) {
        Some(LLVMOpcode::LLVMAdd) => true,
        Some(LLVMOpcode::LLVMSub) => false,
        _ => return,
    };
    if b.lanes(b.type_of(value)) == 1 {
        return;
    }
    // SAFETY: a sum has two operands, and what is built stands behind them all.
    unsafe {
        let [first, second] = [0, 1].map(|place| LLVMGetOperand(value, place));
        let (count, (mask, is_negative)) = match (mask_of(b, first), mask_of(b, second)) {
            (_, Some(number)) => (first, number),
            (Some(number), None) if is_add => (second, number),
            _ => return,
        };
        LLVMPositionBuilderBefore(b.raw, value);
        let ones = b.ones(b.type_of(value));
        let counted = if is_add == is_negative { b.add(count, ones) } else { b.sub(count, ones) };
        let chosen = b.select(mask, counted, count);
        LLVMReplaceAllUsesWith(value, chosen);
        LLVMInstructionEraseFromParent(value);
    }
}

/// The mask that a number stands for, which nobody else looks at, and whether a lane that is on is −1.
unsafe fn mask_of(b: &Builder, number: LlvmValue) -> Option<(LlvmValue, bool)> {
    let is_negative = match opcode(number)? {
        LLVMOpcode::LLVMZExt => false,
        LLVMOpcode::LLVMSExt => true,
        _ => return None,
    };
    // SAFETY: an extension has an operand; a value that an instruction uses has a first use.
    unsafe {
        let mask = LLVMGetOperand(number, 0);
        let is_alone = LLVMGetNextUse(LLVMGetFirstUse(number)).is_null();
        (b.element_bits(b.type_of(mask)) == 1 && is_alone).then_some((mask, is_negative))
    }
}
