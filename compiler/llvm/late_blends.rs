//! A pass over LLVM's IR, behind its optimiser and before instruction selection: a store of a choice between what is there and
//! something else, on targets without mask registers.
//!
//! ```text
//! x = load <8 x float>, ptr p                     x = load <8 x float>, ptr p
//! store (select (fcmp ogt x, v), x, v), ptr p     f = freeze x
//!                                          →      store (select (fcmp ogt f, v), f, v), ptr p
//! ```
//! Instruction selection (LLVM 22, `DAGCombiner::foldToMaskedStore`) stores under the mask of the choice: the greater one of two
//! numbers, a `vmaxps` and a store, becomes a comparison and a `vmaskmovps`, which AMD's processors take a dozen cycles for. It does
//! not look through `freeze`, which costs no instruction: what is loaded is not poison.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::module::Module;

use super::builder::{Builder, LlvmValue, functions, instructions, opcode};

/// Runs the pass over all functions of a module.
pub(super) fn keep(module: &Module<'_>) {
    let b = Builder::new(module);
    functions(b.module).into_iter().flat_map(instructions).for_each(|value| keep_blend(&b, value));
}

fn keep_blend(b: &Builder, store: LlvmValue) {
    if opcode(store) != Some(LLVMOpcode::LLVMStore) {
        return;
    }
    // SAFETY: a store has a value and a pointer, a selection a condition and two values; all are instructions where the opcode says so.
    unsafe {
        let [value, pointer] = [0, 1].map(|place| LLVMGetOperand(store, place));
        if opcode(value) != Some(LLVMOpcode::LLVMSelect) || b.lanes(b.type_of(value)) == 1 {
            return;
        }
        let is_there = |operand: LlvmValue| {
            opcode(operand) == Some(LLVMOpcode::LLVMLoad)
                && LLVMGetOperand(operand, 0) == pointer
                && LLVMGetInstructionParent(operand) == LLVMGetInstructionParent(store)
        };
        let Some(load) = [1, 2].map(|place| LLVMGetOperand(value, place)).into_iter().find(|&operand| is_there(operand)) else {
            return;
        };
        LLVMPositionBuilderBefore(b.raw, LLVMGetNextInstruction(load));
        let frozen = b.freeze(load);
        LLVMReplaceAllUsesWith(load, frozen);
        LLVMSetOperand(frozen, 0, load);
    }
}
