//! A pass over LLVM's IR, behind its optimiser and before instruction selection: `or` with a constant that is all ones
//! in some of its lanes.
//!
//! ```text
//! or <4 x i16> x, <1, -1, -1, 1>   →   o = or <4 x i16> x, <1, 0, 0, 1>
//!                                      select <false, true, true, false>, splat -1, o
//! ```
//!
//! Instruction selection for x86 (LLVM 22, seen below SSE4.1) takes the lanes of x as unneeded where the constant is all
//! ones, then folds the `or` with what it put there, and the lanes of the result are undefined when x has another user.
//! A selection between constants is not touched by that. It costs an instruction in code that is rare.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::module::Module;

use super::builder::{Builder, LlvmValue, functions, instructions, opcode};

/// Runs the pass over all functions of a module.
pub(super) fn split(module: &Module<'_>) {
    let b = Builder::new(module);
    functions(b.module).into_iter().flat_map(instructions).for_each(|value| split_or(&b, value));
}

fn split_or(b: &Builder, value: LlvmValue) {
    let ty = b.type_of(value);
    if opcode(value) != Some(LLVMOpcode::LLVMOr) || b.lanes(ty) == 1 || b.element_bits(ty) == 1 {
        return;
    }
    for place in 0..2 {
        // SAFETY: an `or` has two operands.
        let constant = unsafe { LLVMGetOperand(value, place) };
        if !b.is_constant(constant) {
            continue;
        }
        // SAFETY: a constant is asked; null comes where its lane is not known.
        let lanes: Vec<LlvmValue> = (0..b.lanes(ty)).map(|lane| unsafe { LLVMGetAggregateElement(constant, lane) }).collect();
        let ones: Vec<bool> = lanes.iter().map(|&lane| is_all_ones(lane)).collect();
        if lanes.iter().any(|lane| lane.is_null()) || ones.iter().all(|&o| o) || !ones.contains(&true) {
            continue;
        }
        let zero = b.zero(b.element(ty));
        let rest: Vec<LlvmValue> = lanes.iter().zip(&ones).map(|(&lane, &ones)| if ones { zero } else { lane }).collect();
        let chosen: Vec<LlvmValue> = ones.iter().map(|&o| b.constant(b.int(1), u64::from(o))).collect();
        // SAFETY: the operand is replaced by one of its type, and an `or` is no terminator.
        unsafe {
            LLVMSetOperand(value, place, b.constant_vector(&rest));
            LLVMPositionBuilderBefore(b.raw, LLVMGetNextInstruction(value));
            let selected = b.select(b.constant_vector(&chosen), b.ones(ty), value);
            LLVMReplaceAllUsesWith(value, selected);
            LLVMSetOperand(selected, 2, value);
        }
        return;
    }
}

/// Is it an integer whose bits are all 1?
fn is_all_ones(lane: LlvmValue) -> bool {
    // SAFETY: only a constant integer is asked for its value.
    unsafe { !lane.is_null() && !LLVMIsAConstantInt(lane).is_null() && LLVMConstIntGetSExtValue(lane) == -1 }
}
