//! Functions that choose between code for several targets, once.
//!
//! ```text
//! f.code: ptr = @f.choose                                what the next call goes to
//! f(x…)          goes on to what f.code says
//! f.choose(x…)   f.code = the code for ivl_dispatch(levels that there is code for); goes on to it
//! ```
//! Both go on by a tail call that passes all parameters as they came, whatever the C convention does with them. Threads that come at the
//! same time store the same pointer. The functions themselves use the baseline's instructions alone.

use inkwell::llvm_sys::core::{
    LLVMAddAttributeAtIndex, LLVMAddCallSiteAttribute, LLVMAddGlobal, LLVMSetAlignment, LLVMSetInitializer, LLVMSetLinkage,
    LLVMSetOrdering, LLVMSetTailCallKind,
};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMLinkage, LLVMTailCallKind};

use super::abi::internal_name;
use super::builder::{Builder, IntPredicate, LlvmValue, c_string};
use super::c_convention::CSignature;
use super::options::Options;
use super::target;
use super::unit::is_void;
use crate::machine::Isa;
use crate::symbols::Dispatcher;

/// Defines a dispatcher in a module that has the code that it chooses from.
pub(super) fn define(b: &Builder, dispatcher: &Dispatcher, options: &Options<'_>) {
    let baseline = Options { isa: Isa::BASELINE, debug_info: false, ..*options };
    let signature = CSignature::new(b, &dispatcher.abi);
    let declare = |name: &str| {
        let function = b.declare(name, signature.ty);
        target::add_attributes(b, function, &baseline);
        for &(index, attribute) in &signature.attributes {
            // SAFETY: the attribute is for the signature that the function has.
            unsafe { LLVMAddAttributeAtIndex(function, index, attribute) };
        }
        function
    };
    let (function, choose) = (declare(&dispatcher.symbol), declare(&internal_name(&format!("choose.{}", dispatcher.symbol))));
    b.make_internal(choose);
    ["cold", "noinline"].iter().for_each(|name| b.add_attribute(choose, u32::MAX, name, 0));
    // SAFETY: the name is a C string, and the rest is set of the global that is made here.
    let code = unsafe {
        let code = LLVMAddGlobal(b.module, b.ptr(), c_string(&internal_name(&format!("code.{}", dispatcher.symbol))).as_ptr());
        LLVMSetInitializer(code, choose);
        LLVMSetLinkage(code, LLVMLinkage::LLVMInternalLinkage);
        LLVMSetAlignment(code, 8);
        code
    };
    let go_on = |from: LlvmValue, to: LlvmValue| {
        let parameters: Vec<_> = (0..b.parameter_count(signature.ty) as u32).map(|k| b.parameter(from, k)).collect();
        let call = b.call(signature.ty, to, &parameters);
        // SAFETY: it is a call, with the signature of the function that it stands in.
        unsafe { LLVMSetTailCallKind(call, LLVMTailCallKind::LLVMTailCallKindMustTail) };
        for &(index, attribute) in &signature.attributes {
            // SAFETY: the attribute is for the signature that the call has.
            unsafe { LLVMAddCallSiteAttribute(call, index, attribute) };
        }
        b.ret((!is_void(b.type_of(call))).then_some(call));
    };

    b.position(b.append_block(function));
    let to = b.load(b.ptr(), code, 8);
    // A pointer is stored whole, and each that is stored is right.
    // SAFETY: it is a load with an alignment.
    unsafe { LLVMSetOrdering(to, LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic) };
    go_on(function, to);

    b.position(b.append_block(choose));
    let levels = dispatcher.code.iter().fold(0, |bits, &(isa, _)| bits | 1 << level(isa));
    let (ty, run) = {
        let ty = b.function(b.int(32), &[b.int(32)]);
        (ty, b.declare("ivl_dispatch", ty))
    };
    let best = b.call(ty, run, &[b.i32(levels)]);
    let mut to: Option<LlvmValue> = None;
    for (isa, symbol) in &dispatcher.code {
        let this = b.declare(symbol, signature.ty);
        to = Some(match to {
            None => this,
            Some(others) => b.select(b.icmp(IntPredicate::LLVMIntEQ, best, b.i32(level(*isa))), this, others),
        });
    }
    let to = to.expect("there is code for a target");
    let stored = b.store(to, code, 8);
    // SAFETY: it is a store with an alignment.
    unsafe { LLVMSetOrdering(stored, LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic) };
    go_on(choose, to);
}

/// The number of a target in the runtime: `ivl::Level`.
fn level(isa: Isa) -> u32 {
    isa.level() as u32
}
