//! A pass over LLVM's IR, behind its optimiser and before instruction selection: floats that all lanes are multiplied with or that are added to
//! all, on targets whose instructions take vectors from memory, but cannot repeat a lane of it.
//!
//! ```text
//! fadd <8 x float> x, splat (float 0.5)   →   @half = private unnamed_addr constant <8 x float> splat (float 0.5), align 32
//!
//!                                             h = load <8 x float>, ptr @half, !invariant.load
//!                                             fadd <8 x float> x, h
//! ```
//! Instruction selection (LLVM 22, `lowerBuildVectorAsBroadcast`) keeps one lane of a constant and repeats it by an instruction of its own: once
//! in front of a loop while there are registers, in each round where there are none left, as in polynomials of many terms. A whole vector is an operand
//! of the arithmetic, which costs nothing. In front of a loop it makes no difference.

use rustc_hash::FxHashMap;

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::module::Module;

use super::builder::{Builder, LlvmValue, callee, functions, instructions, name, opcode};

/// Runs the pass over all functions of a module, for registers of so many bits.
pub(super) fn load(module: &Module<'_>, register_bits: u32) {
    let b = Builder::new(module);
    let mut globals = FxHashMap::default();
    for instruction in functions(b.module).into_iter().flat_map(instructions).filter(|&instruction| is_arithmetic(instruction)) {
        // SAFETY: operations have operands, and calls their arguments in front of what they call.
        for place in 0..unsafe { LLVMGetNumOperands(instruction) } as u32 {
            // SAFETY: there are so many.
            let operand = unsafe { LLVMGetOperand(instruction, place) };
            if let Some(lane) = repeated(&b, instruction, operand) {
                let loaded = loaded(&b, &mut globals, instruction, operand, lane, register_bits);
                // SAFETY: it is of the type of the operand, and stands in front of the instruction.
                unsafe { LLVMSetOperand(instruction, place, loaded) };
            }
        }
    }
}

/// Is it an operation of floats whose last operand may lie in memory?
fn is_arithmetic(instruction: LlvmValue) -> bool {
    match opcode(instruction) {
        Some(LLVMOpcode::LLVMFAdd | LLVMOpcode::LLVMFSub | LLVMOpcode::LLVMFMul) => true,
        _ => callee(instruction).is_some_and(|callee| name(callee).starts_with("llvm.fma.v")),
    }
}

/// The number that all lanes of a constant are. None are zeros, which a register is set to in no time, and twos, which are sums with oneself.
fn repeated(b: &Builder, instruction: LlvmValue, operand: LlvmValue) -> Option<LlvmValue> {
    let ty = b.type_of(operand);
    let lanes = b.lanes(ty);
    if !b.is_constant(operand) || lanes < 2 || !lanes.is_power_of_two() || lanes * b.element_bits(ty) < 128 {
        return None;
    }
    // SAFETY: elements of constants are constants, and null where they are not known.
    unsafe {
        let lane = LLVMGetAggregateElement(operand, 0);
        let is_all = (0..lanes).all(|k| LLVMGetAggregateElement(operand, k) == lane);
        if lane.is_null() || !is_all || LLVMIsAConstantFP(lane).is_null() || LLVMIsNull(lane) != 0 {
            return None;
        }
        let is_double = opcode(instruction) == Some(LLVMOpcode::LLVMFMul) && LLVMConstRealGetDouble(lane, &mut 0) == 2.0;
        (!is_double).then_some(lane)
    }
}

/// The same in front of an instruction, from memory: of vectors longer than a register, one for all.
fn loaded(
    b: &Builder,
    globals: &mut FxHashMap<LlvmValue, LlvmValue>,
    instruction: LlvmValue,
    operand: LlvmValue,
    lane: LlvmValue,
    register_bits: u32,
) -> LlvmValue {
    let ty = b.type_of(operand);
    let lanes = b.lanes(ty).min(register_bits / b.element_bits(ty));
    let part = b.constant_splat(lane, lanes);
    let bytes = lanes * b.element_bits(ty) / 8;
    let global = *globals.entry(part).or_insert_with(|| b.private_constant(part, bytes));
    // SAFETY: the instruction stands in a block.
    unsafe { LLVMPositionBuilderBefore(b.raw, instruction) };
    let load = b.load(b.type_of(part), global, bytes.into());
    b.set_invariant(load);
    if lanes == b.lanes(ty) {
        return load;
    }
    let all: Vec<i32> = (0..b.lanes(ty)).map(|k| (k % lanes) as i32).collect();
    b.shuffle_one(load, &all)
}
