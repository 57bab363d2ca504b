//! A pass over LLVM's IR, behind its optimiser and before instruction selection: a store under a mask of which one lane is on.
//!
//! ```text
//! call @llvm.masked.store(<4 x i16> v, ptr p, <0, 1, 0, 0>)   →   e = extractelement <4 x i16> v, 1
//!                                                                 store i16 e, (p + 2)
//! ```
//!
//! Instruction selection for AVX-512 (LLVM 22, llvm/llvm-project#179489) makes a scalar store of it, too; but where v is narrowed
//! from wider lanes, it stores a wide one, over what lies behind. Here LLVM gets to see no such store.

use inkwell::llvm_sys::core::*;
use inkwell::module::Module;

use super::builder::{Builder, LlvmValue, callee, functions, instructions, name};

/// Runs the pass over all functions of a module.
pub(super) fn narrow(module: &Module<'_>) {
    let b = Builder::new(module);
    functions(b.module).into_iter().flat_map(instructions).for_each(|value| narrow_store(&b, value));
}

fn narrow_store(b: &Builder, call: LlvmValue) {
    if !callee(call).is_some_and(|callee| name(callee).starts_with("llvm.masked.store.")) {
        return;
    }
    // SAFETY: the intrinsic takes a vector first, then a pointer, and a mask at last.
    let [value, pointer, mask] = unsafe {
        let last = LLVMGetNumArgOperands(call) - 1;
        [0, 1, last].map(|place| LLVMGetOperand(call, place))
    };
    let Some(lane) = only_lane(b, mask) else { return };
    // SAFETY: the call stands in a block, and nobody uses it: it has no result.
    unsafe {
        LLVMPositionBuilderBefore(b.raw, call);
        let element = b.extract(value, lane);
        let place = b.offset(pointer, i64::from(lane * b.element_bits(b.type_of(value)) / 8));
        b.store(element, place, 1);
        LLVMInstructionEraseFromParent(call);
    }
}

/// The lane that is on, of a constant with one.
fn only_lane(b: &Builder, mask: LlvmValue) -> Option<u32> {
    if !b.is_constant(mask) {
        return None;
    }
    let is_on = |lane: u32| {
        // SAFETY: an element of a constant is one, or null where it is not known.
        unsafe {
            let element = LLVMGetAggregateElement(mask, lane);
            let is_known = !element.is_null() && !LLVMIsAConstantInt(element).is_null();
            is_known.then(|| LLVMConstIntGetZExtValue(element) != 0)
        }
    };
    let lanes: Option<Vec<bool>> = (0..b.lanes(b.type_of(mask))).map(is_on).collect();
    let on: Vec<u32> = (0..).zip(lanes?).filter_map(|(lane, is_on)| is_on.then_some(lane)).collect();
    if let [lane] = on[..] { Some(lane) } else { None }
}
