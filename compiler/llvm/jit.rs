//! Code in memory: a module is compiled to an object, which LLVM's ORC links into this process.
//!
//! Going through the object keeps one way of generating code; what runs here is what `build` writes. Each [`Jit`] has a
//! session of its own, so that several may live side by side and on different threads.

use std::ffi::{CStr, CString, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use inkwell::llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use inkwell::llvm_sys::orc2::lljit::*;
use inkwell::llvm_sys::orc2::*;

use super::builder::c_string;
use super::options::{Options, Output};
use super::{Compiled, emit, ranges, runtime_symbols};
use crate::vector::ir;

/// A compiled module in memory. Its code lives as long as this does.
pub struct Jit {
    jit: LLVMOrcLLJITRef,
    /// What the session reports; the errors that calls return only say which symbols are affected.
    reports: Box<Mutex<Vec<String>>>,
    /// The functions that are in the section of the first exported one.
    functions: Vec<Compiled>,
}

// SAFETY: a session belongs to no thread.
unsafe impl Send for Jit {}
// SAFETY: a session locks what it shares, and the code is read only.
unsafe impl Sync for Jit {}

impl Drop for Jit {
    fn drop(&mut self) {
        // An error at the end of a session has nobody to go to.
        // SAFETY: the session was made, and ends once; whoever has addresses of its code holds it, too.
        let _ = check(unsafe { LLVMOrcDisposeLLJIT(self.jit) });
    }
}

impl Jit {
    /// Compiles and links a module.
    ///
    /// # Errors
    /// What LLVM refuses, and symbols that neither the module, the runtime nor this process defines.
    pub fn new(module: &ir::Module, options: &Options<'_>) -> Result<Jit, String> {
        Jit::with_symbols(module, options, &[])
    }

    /// As [`Jit::new`], with functions of the caller's, by name and address, for external functions to be found in.
    ///
    /// # Errors
    /// As there.
    pub fn with_symbols(module: &ir::Module, options: &Options<'_>, symbols: &[(String, usize)]) -> Result<Jit, String> {
        let object = emit::compile(&[(module, *options)], &[], "", Output::Object)?;
        let mut jit = ptr::null_mut();
        // Without a builder, LLJIT takes the machine it runs on.
        // SAFETY: the place for the session is there; without a builder null is right.
        check(unsafe { LLVMOrcCreateLLJIT(&mut jit, ptr::null_mut()) })?;
        let mut jit = Jit { jit, reports: Box::default(), functions: Vec::new() };
        let place = ptr::from_ref::<Mutex<Vec<String>>>(&jit.reports).cast_mut().cast();
        // SAFETY: the reports are boxed, so that their place stays, and go after the session.
        unsafe { LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit.jit), report, place) };
        jit.define(symbols)?;
        jit.add_object(&object)?;
        // Linking happens at the first look; an undefined symbol shall be reported here.
        for function in module.functions.iter().filter(|function| matches!(function.linkage, ir::Linkage::Export(_))) {
            let address = jit.look_up(&function.name).map_err(|error| jit.with_reports(error))?;
            if jit.functions.is_empty() {
                jit.functions = ranges::of(&object, module, &function.name, address as usize);
            }
        }
        Ok(jit)
    }

    /// The address of an exported function.
    pub fn address(&self, symbol: &str) -> Option<*const u8> {
        self.look_up(symbol).ok()
    }

    /// Where functions of the module are, as far as that is known.
    pub fn functions(&self) -> &[Compiled] {
        &self.functions
    }

    fn with_reports(&self, error: String) -> String {
        let reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        reports.iter().chain([&error]).cloned().collect::<Vec<_>>().join("; ")
    }

    fn look_up(&self, symbol: &str) -> Result<*const u8, String> {
        let mut address = 0;
        // SAFETY: the session is alive, and the symbol is a C string.
        check(unsafe { LLVMOrcLLJITLookup(self.jit, &mut address, c_string(symbol).as_ptr()) })?;
        Ok(address as usize as *const u8)
    }

    /// The functions of the runtime by their addresses here, everything else by name from this process.
    fn define(&self, symbols: &[(String, usize)]) -> Result<(), String> {
        // SAFETY: the session is alive, names are C strings, and there are as many pairs as is said.
        unsafe {
            let library = LLVMOrcLLJITGetMainJITDylib(self.jit);
            let pair = |(name, address): (CString, usize)| LLVMOrcCSymbolMapPair {
                Name: LLVMOrcLLJITMangleAndIntern(self.jit, name.as_ptr()),
                Sym: LLVMJITEvaluatedSymbol {
                    Address: address as u64,
                    Flags: LLVMJITSymbolFlags {
                        GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
                            | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8,
                        TargetFlags: 0,
                    },
                },
            };
            let runtime = runtime_symbols::all().into_iter().map(|(name, address)| (name.to_owned(), address));
            let symbols = symbols.iter().map(|(name, address)| (c_string(name), *address));
            let mut symbols: Vec<_> = runtime.chain(symbols).map(pair).collect();
            let unit = LLVMOrcAbsoluteSymbols(symbols.as_mut_ptr(), symbols.len());
            check(LLVMOrcJITDylibDefine(library, unit))?;
            let mut generator = ptr::null_mut();
            let prefix = LLVMOrcLLJITGetGlobalPrefix(self.jit);
            check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&mut generator, prefix, None, ptr::null_mut()))?;
            LLVMOrcJITDylibAddGenerator(library, generator);
        }
        Ok(())
    }

    fn add_object(&self, object: &[u8]) -> Result<(), String> {
        // SAFETY: the object is as long as is said, LLVM copies it, and the session takes the copy.
        unsafe {
            let name = c"ivl".as_ptr();
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object.as_ptr().cast(), object.len(), name);
            check(LLVMOrcLLJITAddObjectFile(self.jit, LLVMOrcLLJITGetMainJITDylib(self.jit), buffer))
        }
    }
}

/// Keeps what a session reports.
extern "C" fn report(place: *mut c_void, error: LLVMErrorRef) {
    // SAFETY: it is the place that was handed over with this function, whose reports live as long as the session.
    let reports = unsafe { &*place.cast::<Mutex<Vec<String>>>() };
    if let Err(message) = check(error) {
        reports.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }
}

/// Takes an error apart.
fn check(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is there, and taken once; its message is a C string until it is disposed of.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(text)
    }
}
