//! From the vector IR to bytes.

use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};

use super::builder::Builder;
use super::options::{Options, Output};
use super::{dispatch, local_names, module, passes, target};
use crate::symbols::Dispatcher;
use crate::vector::ir;

/// Translates and optimises modules, each for its target, and writes them as one. A function carries its target with it.
pub(super) fn compile(
    parts: &[(&ir::Module, Options<'_>)],
    dispatchers: &[Dispatcher],
    prefix: &str,
    output: Output,
) -> Result<Vec<u8>, String> {
    let context = Context::create();
    let Some(((module, options), others)) = parts.split_first() else { return Err("there is no target".into()) };
    let machine = target::machine(options)?;
    let llvm = lower(&context, module, options, &machine)?;
    for (module, options) in others {
        let other = lower(&context, module, options, &target::machine(options)?)?;
        llvm.link_in_module(other).map_err(|error| error.to_string())?;
    }
    if !dispatchers.is_empty() {
        let builder = Builder::new(&llvm);
        dispatchers.iter().for_each(|dispatcher| dispatch::define(&builder, dispatcher, options));
        llvm.verify().map_err(|error| format!("LLVM refuses the dispatchers: {error}"))?;
    }
    if !prefix.is_empty() {
        local_names::rename(&llvm, prefix);
    }
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
    if output == Output::Assembly && !prefix.is_empty() {
        bytes = local_names::rename_labels(&String::from_utf8_lossy(&bytes), prefix).into_bytes();
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
    module::translate(module, options, &llvm);
    passes::run(&llvm, machine, options)?;
    Ok(llvm)
}
