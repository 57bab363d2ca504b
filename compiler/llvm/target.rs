//! What an instruction set level is to LLVM.

use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};

use super::builder::{Builder, LlvmValue};
use super::options::Options;

/// The operating system part is what objects are linked for.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// LLVM's description of the target, for position-independent code.
pub(super) fn machine(options: &Options<'_>) -> Result<TargetMachine, String> {
    static INITIALIZED: Once = Once::new();
    INITIALIZED.call_once(|| {
        Target::initialize_x86(&InitializationConfig::default());
        // What is a vector is the program's decision. LLVM 22 vectorises loops whatever `LLVMPassBuilderOptions` say, but
        // not against its command line.
        let vectorize = [c"-vectorize-loops=false", c"-interleave-loops=false", c"-vectorize-slp=false"];
        // Scheduling compares accesses to memory within a block, each with all that it may meet; beyond so many, with half of
        // them at once. At LLVM's 1000, blocks of thousands of accesses take quadratic time.
        let words = [&[c"ivlc"][..], &vectorize, &[c"-dag-maps-huge-region=200"]].concat();
        let words: Vec<_> = words.into_iter().map(std::ffi::CStr::as_ptr).collect();
        // SAFETY: the words are C strings that live as long as the program, and there are as many as is said.
        unsafe { LLVMParseCommandLineOptions(words.len() as i32, words.as_ptr(), std::ptr::null()) };
    });
    let triple = TargetTriple::create(TRIPLE);
    let target = Target::from_triple(&triple).map_err(|error| error.to_string())?;
    let level = match options.level {
        0 => OptimizationLevel::None,
        1 => OptimizationLevel::Less,
        2 => OptimizationLevel::Default,
        _ => OptimizationLevel::Aggressive,
    };
    let row = options.isa.machine();
    let (cpu, features) = (row.cpu, row.features);
    let machine = target.create_target_machine(&triple, cpu, features, level, RelocMode::PIC, CodeModel::Default);
    machine.ok_or_else(|| format!("LLVM has no machine for {cpu}"))
}

/// The widest vector that a function takes, gives or works with, in bits; wider ones have their parts in registers of as many.
const LEGAL_WIDTH: &str = "min-legal-vector-width";

/// Gives all functions the same width of registers again. LLVM's passes widen it in functions that hand vectors on: such a one and one that was left as it was
/// would disagree on where a vector is that one gives the other.
pub(super) fn level_widths(module: &Module<'_>, options: &Options<'_>) {
    let Some(bits) = legal_width(options) else { return };
    let width = module.get_context().create_string_attribute(LEGAL_WIDTH, &bits);
    for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        function.add_attribute(AttributeLoc::Function, width);
    }
}

/// The bits of registers, where there are masks and functions take fewer bits than registers could have.
fn legal_width(options: &Options<'_>) -> Option<String> {
    let machine = options.isa.machine();
    let is_short = machine.has_mask_registers() && machine.register_bytes < 64;
    is_short.then(|| (u32::from(machine.register_bytes) * 8).to_string())
}

/// The attributes that every function has, defined here: its target, and that it neither unwinds nor overruns the
/// guard page of its stack.
pub(super) fn add_attributes(builder: &Builder, function: LlvmValue, options: &Options<'_>) {
    let machine = options.isa.machine();
    builder.add_string_attribute(function, "target-cpu", machine.cpu);
    if !machine.features.is_empty() {
        builder.add_string_attribute(function, "target-features", machine.features);
    }
    if machine.has_mask_registers() {
        // Where there are masks, registers have 512 bits, of which LLVM takes as many as it is told.
        let bits = (u32::from(machine.register_bytes) * 8).to_string();
        builder.add_string_attribute(function, "prefer-vector-width", &bits);
    }
    if let Some(bits) = legal_width(options) {
        builder.add_string_attribute(function, LEGAL_WIDTH, &bits);
    }
    builder.add_string_attribute(function, "probe-stack", "inline-asm");
    builder.add_attribute(function, u32::MAX, "nounwind", 0);
    if options.debug_info {
        builder.add_attribute(function, u32::MAX, "uwtable", 2);
    }
}
