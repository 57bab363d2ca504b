//! A pass over LLVM's IR, behind its optimiser and before instruction selection: what is blended under a mask and changes places
//! afterwards is kept apart, on targets with mask registers, and what is read under a mask and blended after it was computed with; and bytes that change places
//! from what is doubled.
//!
//! ```text
//! t = select m, (load p), x                         t = select m, (load p), x
//! s = shufflevector t, …                        →   f = arithmetic.fence t
//! r = select m, s, y                                s = shufflevector f, …;  r = select m, s, y
//! ```
//!
//! The peephole pass of LLVM 22 puts a constant or memory that is blended under a mask into an instruction under the same mask, and does
//! not ask whether that one takes lane k of it for lane k (mended in LLVM 23, docs/src/llvm-issues.md). What it puts there the pass that makes
//! two-address code may take out again, as a read of all lanes: memory that is not there is read. A fence is no instruction; one
//! stands only where a blend and what moves its lanes, or is computed of it, could be under one mask.
//!
//! Where 64 bytes are made of fewer by one permutation (VBMI) and doubled, instruction selection of LLVM 22 does not end. There is a fence between the two.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::module::Module;

use super::builder::{Builder, LlvmValue, callee, functions, instructions, name, opcode, users};

/// Runs the pass over all functions of a module.
pub(super) fn fence(module: &Module<'_>) {
    let b = Builder::new(module);
    functions(b.module).into_iter().flat_map(instructions).for_each(|value| fence_blend(&b, value));
}

fn fence_blend(b: &Builder, value: LlvmValue) {
    let is_moved = || moved_by(value).into_iter().any(is_blended);
    let is_taken_out = || is_masked_load(value) && is_computed_with(value);
    if !is_doubled(b, value) && (!is_blend_of_memory(b, value) || !is_moved() && !is_taken_out()) {
        return;
    }
    let ty = b.type_of(value);
    let (lanes, bits) = (b.lanes(ty), b.element_bits(ty));
    let others = users(value);
    // SAFETY: a blend is no terminator.
    unsafe { LLVMPositionBuilderBefore(b.raw, LLVMGetNextInstruction(value)) };
    // A fence is for floats, of which a vector has as many as fit; two bytes are lengthened first.
    let whole = if lanes * bits < 32 { lengthened(b, value, 32 / bits) } else { value };
    let floats = b.bitcast(whole, b.vector(b.f32(), (lanes * bits).div_ceil(32)));
    let fenced = b.intrinsic("llvm.arithmetic.fence", &[b.type_of(floats)], &[floats]);
    let fenced = lengthened(b, b.bitcast(fenced, b.type_of(whole)), lanes);
    for user in others {
        // SAFETY: the user is an instruction with so many operands, and the fenced value is of the blend's type.
        unsafe {
            let places = (0..LLVMGetNumOperands(user) as u32).filter(|&place| LLVMGetOperand(user, place) == value);
            places.for_each(|place| LLVMSetOperand(user, place, fenced));
        }
    }
}

/// Are these 64 bytes, made of fewer, that are doubled?
fn is_doubled(b: &Builder, value: LlvmValue) -> bool {
    let ty = b.type_of(value);
    if opcode(value) != Some(LLVMOpcode::LLVMShuffleVector) || (b.lanes(ty), b.element_bits(ty)) != (64, 8) {
        return false;
    }
    // SAFETY: a shuffle and binary operations have two operands.
    let operand = |of: LlvmValue, place: u32| unsafe { LLVMGetOperand(of, place) };
    let is_splat = |of: LlvmValue, bits: u64| of == b.constant_splat(b.constant(b.int(8), bits), 64);
    let doubles = |user: LlvmValue| match opcode(user) {
        Some(LLVMOpcode::LLVMAdd) => operand(user, 0) == operand(user, 1),
        Some(LLVMOpcode::LLVMShl) => operand(user, 0) == value && is_splat(operand(user, 1), 1),
        Some(LLVMOpcode::LLVMMul) => (0..2).any(|place| is_splat(operand(user, place), 2)),
        _ => false,
    };
    b.lanes(b.type_of(operand(value, 0))) < 64 && users(value).into_iter().any(doubles)
}

/// Is it a blend of vectors, one side of which is a constant or read from memory?
fn is_blend_of_memory(b: &Builder, value: LlvmValue) -> bool {
    let ty = b.type_of(value);
    if b.kind(ty) != LLVMTypeKind::LLVMVectorTypeKind || b.element_bits(ty) < 8 {
        return false;
    }
    match opcode(value) {
        // SAFETY: a selection has three operands.
        Some(LLVMOpcode::LLVMSelect) => unsafe {
            let is_vector = b.kind(b.type_of(LLVMGetOperand(value, 0))) == LLVMTypeKind::LLVMVectorTypeKind;
            is_vector && [1, 2].into_iter().any(|place| is_foldable(b, LLVMGetOperand(value, place)))
        },
        _ => is_masked_load(value),
    }
}

fn is_masked_load(value: LlvmValue) -> bool {
    opcode(value) == Some(LLVMOpcode::LLVMCall)
        && callee(value).is_some_and(|callee| name(callee).starts_with("llvm.masked.load."))
}

/// What is computed by so many operations may be one instruction: a sum of a product, logic of three operands, of what was converted.
const FUSED: u32 = 3;

/// Is something computed of the value, behind a view as another type too, of which a blend takes lanes?
fn is_computed_with(value: LlvmValue) -> bool {
    users(value).into_iter().any(|user| match opcode(user) {
        Some(LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMFreeze) => is_computed_with(user),
        Some(LLVMOpcode::LLVMSelect) => false,
        _ => is_taken(user, FUSED - 1),
    })
}

/// Does a blend take lanes of it, or of what is computed of it by so many operations?
fn is_taken(value: LlvmValue, operations: u32) -> bool {
    users(value).into_iter().any(|user| match opcode(user) {
        Some(LLVMOpcode::LLVMSelect) => true,
        Some(LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMFreeze) => is_taken(user, operations),
        Some(LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMStore) => false,
        _ => operations > 0 && is_taken(user, operations - 1),
    })
}

/// May instruction selection read the value from memory, as a whole or as a scalar in all lanes?
fn is_foldable(b: &Builder, value: LlvmValue) -> bool {
    // SAFETY: the instructions that are looked through have the operands that are asked for.
    unsafe {
        match opcode(value) {
            None => b.is_constant(value),
            Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMCall) => true,
            Some(LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMFreeze | LLVMOpcode::LLVMShuffleVector) => {
                is_foldable(b, LLVMGetOperand(value, 0))
            }
            Some(LLVMOpcode::LLVMInsertElement) => is_foldable(b, LLVMGetOperand(value, 1)),
            _ => false,
        }
    }
}

/// What may take lanes of a value to other places: shuffles and instructions of the target, behind a view as another type too.
fn moved_by(value: LlvmValue) -> Vec<LlvmValue> {
    let moves = |user: LlvmValue| match opcode(user) {
        Some(LLVMOpcode::LLVMShuffleVector) => vec![user],
        Some(LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMFreeze) => moved_by(user),
        Some(LLVMOpcode::LLVMCall) => {
            let moves = callee(user).is_some_and(|callee| {
                let name = name(callee);
                is_of_the_target(callee) || MOVING.iter().any(|start| name.starts_with(start))
            });
            moves.then_some(user).into_iter().collect()
        }
        _ => Vec::new(),
    };
    users(value).into_iter().flat_map(moves).collect()
}

/// Intrinsics of all targets whose lanes come from other lanes.
const MOVING: [&str; 3] = ["llvm.vector.", "llvm.masked.compress", "llvm.masked.expand"];

/// Is it an instruction of the target? Those have one type each, while LLVM's own are for vectors of any length.
fn is_of_the_target(callee: LlvmValue) -> bool {
    // SAFETY: a callee is a function, whose number is 0 where it is no intrinsic.
    unsafe {
        let id = LLVMGetIntrinsicID(callee);
        id != 0 && LLVMIntrinsicIsOverloaded(id) == 0
    }
}

/// Is what changed places blended, or may it be so as one instruction with what changes its places again?
fn is_blended(moved: LlvmValue) -> bool {
    users(moved).into_iter().any(|user| match opcode(user) {
        Some(LLVMOpcode::LLVMSelect | LLVMOpcode::LLVMShuffleVector | LLVMOpcode::LLVMCall) => true,
        Some(LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMFreeze) => is_blended(user),
        _ => false,
    })
}

/// The first lanes of a vector, or all of them and others that nobody looks at.
fn lengthened(b: &Builder, value: LlvmValue, lanes: u32) -> LlvmValue {
    let have = b.lanes(b.type_of(value));
    if lanes == have {
        return value;
    }
    let places: Vec<i32> = (0..lanes).map(|lane| if lane < have { lane as i32 } else { -1 }).collect();
    b.shuffle_one(value, &places)
}
