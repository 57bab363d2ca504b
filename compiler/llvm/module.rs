//! A module: functions are declared first, then globals, then bodies.

use std::cell::Cell;

use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{
    LLVMAddGlobal, LLVMConstArray2, LLVMConstStringInContext2, LLVMSetAlignment, LLVMSetInitializer, LLVMSetLinkage,
};
use inkwell::module::Module;

use super::builder::{Builder, LlvmValue, c_string};
use super::debug::Debug;
use super::function::FunctionTranslator;
use super::options::Options;
use super::unit::Unit;
use super::{abi, c_convention, parallel};
use crate::vector::ir;

/// Translates all of `module` into `llvm`.
pub(super) fn translate(module: &ir::Module, options: &Options<'_>, llvm: &Module<'_>) {
    let builder = Builder::new(llvm);
    let callees = abi::declare(&builder, module, options);
    let globals = module.globals.iter().map(|global| declare_global(&builder, global)).collect();
    let zeros = builder.private_bytes(&[0; 8], 8);
    let debug = Debug::new(&builder, options);
    let unit = Unit {
        builder,
        debug,
        options,
        module,
        callees,
        globals,
        zeros,
        packing_table: Cell::new(None),
        places_and_nowhere: Cell::new(None),
    };
    for (index, function) in module.functions.iter().enumerate() {
        if function.blocks.is_empty() {
            continue;
        }
        if let Some(debug) = &unit.debug {
            debug.enter(&unit.builder, function, unit.callees[index].value);
        }
        FunctionTranslator::new(&unit, function, &unit.callees[index]).translate();
    }
    if let Some(debug) = &unit.debug {
        debug.leave(&unit.builder);
        debug.finish();
    }
    c_convention::define_wrappers(&unit);
    parallel::define_tasks(&unit);
}

fn declare_global(builder: &Builder, global: &ir::Global) -> LlvmValue {
    // SAFETY: the bytes are as many as is said, names are C strings, and the rest is set of the global that is made here.
    unsafe {
        let size = usize::try_from(global.size).expect("a global fits in memory");
        let data = match &global.bytes {
            Some(bytes) => {
                let mut bytes = bytes.clone();
                bytes.resize(size, 0);
                LLVMConstStringInContext2(builder.context, bytes.as_ptr().cast(), bytes.len(), 1)
            }
            None if size == 0 => LLVMConstArray2(builder.int(8), std::ptr::null_mut(), 0),
            None => builder.zero(builder.array(builder.int(8), global.size)),
        };
        let value = LLVMAddGlobal(builder.module, builder.type_of(data), c_string(&abi::internal_name(&global.name)).as_ptr());
        LLVMSetInitializer(value, data);
        LLVMSetLinkage(value, LLVMLinkage::LLVMInternalLinkage);
        LLVMSetAlignment(value, global.alignment.max(1) as u32);
        value
    }
}
