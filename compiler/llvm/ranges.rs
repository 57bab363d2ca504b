//! Where the functions of a module lie in memory once its object is linked: for messages about a place in the code.
//!
//! The symbol table of the object says where each function begins in its section, and how long it is; the address of one function of
//! that section, which the linker knows, says where the section is.

use rustc_hash::FxHashMap;
use std::ffi::CStr;
use std::ops::Range;
use std::ptr;

use inkwell::llvm_sys::core::{LLVMCreateMemoryBufferWithMemoryRange, LLVMDisposeMemoryBuffer, LLVMDisposeMessage};
use inkwell::llvm_sys::object::*;

use super::abi::internal_name;
use crate::source::Span;
use crate::vector::ir;

/// The machine code of a function.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Its addresses.
    pub addresses: Range<usize>,
    /// Its name in the source.
    pub span: Span,
}

/// The functions of `module` that are in the section of the function `symbol`, which is at `address`; none if the object cannot be read.
pub(super) fn of(object: &[u8], module: &ir::Module, symbol: &str, address: usize) -> Vec<Compiled> {
    let symbols = symbols(object);
    let Some(known) = symbols.iter().find(|s| s.name == symbol) else { return Vec::new() };
    let begin = address.wrapping_sub(known.offset);
    let spans: FxHashMap<String, Span> = module
        .functions
        .iter()
        .flat_map(|function| [(function.name.clone(), function.span), (internal_name(&function.name), function.span)])
        .collect();
    let here = symbols.iter().filter(|s| s.section == known.section && s.size > 0);
    here.filter_map(|s| {
        let start = begin.wrapping_add(s.offset);
        Some(Compiled { addresses: start..start.wrapping_add(s.size), span: *spans.get(&s.name)? })
    })
    .collect()
}

/// A symbol of an object.
struct Symbol {
    name: String,
    section: String,
    /// From the start of the section.
    offset: usize,
    size: usize,
}

fn symbols(object: &[u8]) -> Vec<Symbol> {
    let mut found = Vec::new();
    // SAFETY: the buffer refers to `object`, which outlives it; each iterator is disposed of before what it goes through, and names are
    // copied while they are there.
    unsafe {
        let name = c"object".as_ptr();
        let buffer = LLVMCreateMemoryBufferWithMemoryRange(object.as_ptr().cast(), object.len(), name, 0);
        let mut message = ptr::null_mut();
        let binary = LLVMCreateBinary(buffer, ptr::null_mut(), &mut message);
        if binary.is_null() {
            LLVMDisposeMessage(message);
            LLVMDisposeMemoryBuffer(buffer);
            return found;
        }
        let (symbol, section) = (LLVMObjectFileCopySymbolIterator(binary), LLVMObjectFileCopySectionIterator(binary));
        while LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol) == 0 {
            LLVMMoveToContainingSection(section, symbol);
            if LLVMObjectFileIsSectionIteratorAtEnd(binary, section) == 0 {
                found.push(Symbol {
                    name: text(LLVMGetSymbolName(symbol)),
                    section: text(LLVMGetSectionName(section)),
                    offset: LLVMGetSymbolAddress(symbol) as usize,
                    size: LLVMGetSymbolSize(symbol) as usize,
                });
            }
            LLVMMoveToNextSymbol(symbol);
        }
        LLVMDisposeSymbolIterator(symbol);
        LLVMDisposeSectionIterator(section);
        LLVMDisposeBinary(binary);
        LLVMDisposeMemoryBuffer(buffer);
    }
    found
}

/// # Safety
/// `name` is null or leads to a C string.
unsafe fn text(name: *const std::ffi::c_char) -> String {
    // SAFETY: it is not null, so that it leads to a C string, which is the contract.
    if name.is_null() { String::new() } else { unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned() }
}
