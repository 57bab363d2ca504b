//! The pipeline: equal functions become one, LLVM's own passes without its vectorisers (what is a vector is the program's decision),
//! then our late passes.

use std::ffi::{CStr, CString, c_void};

use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
    LLVMGetModuleContext,
};
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;
use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;

use super::options::Options;
use super::{
    late_any, late_blends, late_constants, late_counts, late_fences, late_masks, late_ors, late_stores, late_unpacks, target,
};

/// Optimises a module. It is verified before and after; between our own passes where debug assertions are on.
pub(super) fn run(module: &Module<'_>, machine: &TargetMachine, options: &Options<'_>) -> Result<(), String> {
    verify(module, "translation")?;
    tell_errors_alone(module);
    let settings = PassBuilderOptions::create();
    settings.set_loop_vectorization(false);
    settings.set_loop_slp_vectorization(false);
    settings.set_loop_interleaving(false);
    settings.set_loop_unrolling(options.level >= 2);
    // Stages of a pipeline are often alike, and so are the parts of their loops: one of them is enough.
    let merged = if options.level >= 2 { "mergefunc," } else { "" };
    let pipeline = format!("{merged}default<O{}>", options.level.min(3));
    module.run_passes(&pipeline, machine, settings).map_err(|error| error.to_string())?;
    target::level_widths(module, options);
    if !options.isa.machine().has_mask_registers() && options.level > 0 {
        late_masks::widen(module, u32::from(options.isa.machine().register_bytes) * 8);
        verify_between(module, "late masks")?;
        late_any::fold(module, u32::from(options.isa.machine().register_bytes) * 8);
        verify_between(module, "late any")?;
        late_blends::keep(module);
        verify_between(module, "late blends")?;
        late_unpacks::share(module, options.isa.machine().byte_shuffle_bits());
        verify_between(module, "late unpacks")?;
        late_constants::load(module, u32::from(options.isa.machine().register_bytes) * 8);
        verify_between(module, "late constants")?;
    }
    if options.isa.machine().has_mask_registers() && options.level > 0 {
        late_counts::mask(module);
        verify_between(module, "late counts")?;
    }
    if options.isa.machine().has_mask_registers() {
        late_fences::fence(module);
        verify_between(module, "late fences")?;
    }
    late_ors::split(module);
    verify_between(module, "late ors")?;
    late_stores::narrow(module);
    verify(module, "the late passes")
}

/// From here on the passes of LLVM that may be left out are numbered, each function by itself, and only the first `limit` of them
/// run; -1: all. LLVM writes `BISECT: running pass (N) NAME on …` to standard error for each.
pub(super) fn limit(limit: i32) {
    let words = [c"ivlc".to_owned(), CString::new(format!("-opt-bisect-limit={limit}")).expect("a number has no zero byte")];
    let pointers = words.each_ref().map(|word| word.as_ptr());
    // SAFETY: the words live longer than the call, which copies what it keeps.
    unsafe { LLVMParseCommandLineOptions(pointers.len() as i32, pointers.as_ptr(), std::ptr::null()) };
}

/// LLVM warns of loops that it could not unroll as they ask for; that is no mistake of a program.
fn tell_errors_alone(module: &Module<'_>) {
    extern "C" fn tell(info: LLVMDiagnosticInfoRef, _: *mut c_void) {
        // SAFETY: LLVM hands over what happened, and a text that is ours to give back.
        unsafe {
            if LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError {
                let text = LLVMGetDiagInfoDescription(info);
                eprintln!("LLVM: {}", CStr::from_ptr(text).to_string_lossy());
                LLVMDisposeMessage(text);
            }
        }
    }
    // SAFETY: the handler keeps nothing, and needs nothing to be alive.
    unsafe { LLVMContextSetDiagnosticHandler(LLVMGetModuleContext(module.as_mut_ptr()), Some(tell), std::ptr::null_mut()) }
}

/// Names the pass that left a module that LLVM refuses.
fn verify_between(module: &Module<'_>, stage: &str) -> Result<(), String> {
    if cfg!(debug_assertions) { verify(module, stage) } else { Ok(()) }
}

fn verify(module: &Module<'_>, stage: &str) -> Result<(), String> {
    module.verify().map_err(|error| format!("LLVM refuses the module after {stage}: {error}"))
}
