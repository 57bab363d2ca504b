//! From the vector IR to bytes.

use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};

use super::{Options, Output, passes, target, unit};
use crate::vector::ir;

/// Translates, optimises and writes a module.
pub(super) fn compile(module: &ir::Module, options: &Options<'_>, output: Output) -> Result<Vec<u8>, String> {
    let machine = target::machine(options)?;
    let context = Context::create();
    let llvm = lower(&context, module, options, &machine)?;
    let file_type = match output {
        Output::LlvmIr => return Ok(llvm.print_to_string().to_bytes().to_vec()),
        Output::Object => FileType::Object,
        Output::Assembly => FileType::Assembly,
    };
    let buffer = machine.write_to_memory_buffer(&llvm, file_type).map_err(|error| error.to_string())?;
    let mut bytes = buffer.as_slice().to_vec();
    // LLVM ends its buffers with a zero that belongs to none of the formats.
    if output == Output::Assembly && bytes.last() == Some(&0) {
        bytes.pop();
    }
    Ok(bytes)
}

fn lower<'c>(
    context: &'c Context,
    module: &ir::Module,
    options: &Options<'_>,
    machine: &TargetMachine,
) -> Result<Module<'c>, String> {
    let llvm = context.create_module("ivl");
    llvm.set_triple(&machine.get_triple());
    llvm.set_data_layout(&machine.get_target_data().get_data_layout());
    unit::translate(module, options, &llvm);
    passes::run(&llvm, machine, options)?;
    Ok(llvm)
}
