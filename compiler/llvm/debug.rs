//! Line tables: which file, line and column each instruction comes from. Variables are not described.
//!
//! While a function is translated, the builder stands at the position of the operation at hand, so that whatever it
//! makes is marked. Wrappers have no positions and are not described.

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ffi::c_char;
use std::ptr;

use inkwell::llvm_sys::LLVMModuleFlagBehavior;
use inkwell::llvm_sys::core::{LLVMAddModuleFlag, LLVMSetCurrentDebugLocation2, LLVMValueAsMetadata};
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::{LLVMDIBuilderRef, LLVMMetadataRef};

use super::builder::{Builder, LlvmValue};
use super::options::Options;
use crate::source::{FileId, Span};
use crate::vector::ir::Function;

/// Describes a module's code.
pub(super) struct Debug<'a> {
    options: &'a Options<'a>,
    builder: LLVMDIBuilderRef,
    /// The files met so far.
    files: RefCell<FxHashMap<FileId, LLVMMetadataRef>>,
    /// The function that is described.
    scope: RefCell<Option<Scope>>,
}

/// A function, and how its parts in other files are described.
struct Scope {
    function: LLVMMetadataRef,
    file: FileId,
    elsewhere: FxHashMap<FileId, LLVMMetadataRef>,
}

impl Drop for Debug<'_> {
    fn drop(&mut self) {
        // SAFETY: `new` made it, and nobody uses it any more.
        unsafe { LLVMDisposeDIBuilder(self.builder) }
    }
}

/// Pointer and length of text for the C interface.
fn c_text(text: &str) -> (*const c_char, usize) {
    (text.as_ptr().cast(), text.len())
}

impl<'a> Debug<'a> {
    /// Starts to describe a module, if line tables are asked for.
    pub(super) fn new(b: &Builder, options: &'a Options<'a>) -> Option<Debug<'a>> {
        if !options.debug_info {
            return None;
        }
        // SAFETY: the module is alive, and texts are as long as is said; LLVM copies them.
        unsafe {
            let flag = |name: &str, value: u32| {
                let (key, length) = c_text(name);
                let behavior = LLVMModuleFlagBehavior::LLVMModuleFlagBehaviorWarning;
                LLVMAddModuleFlag(b.module, behavior, key, length, LLVMValueAsMetadata(b.i32(value)));
            };
            flag("Debug Info Version", LLVMDebugMetadataVersion());
            flag("Dwarf Version", 4);
            let builder = LLVMCreateDIBuilder(b.module);
            let debug = Debug { options, builder, files: RefCell::default(), scope: RefCell::default() };
            let first = options.sources.files().next().map_or(FileId(0), |(id, _)| id);
            let file = debug.file(first);
            let (producer, producer_length) = c_text("ivlc");
            let (none, optimized) = (ptr::null(), i32::from(options.level > 0));
            let language = LLVMDWARFSourceLanguage::LLVMDWARFSourceLanguageC99;
            let kind = LLVMDWARFEmissionKind::LLVMDWARFEmissionKindLineTablesOnly;
            LLVMDIBuilderCreateCompileUnit(
                builder,
                language,
                file,
                producer,
                producer_length,
                optimized,
                none,
                0,
                0,
                none,
                0,
                kind,
                0,
                1,
                0,
                none,
                0,
                none,
                0,
            );
            Some(debug)
        }
    }

    fn file(&self, id: FileId) -> LLVMMetadataRef {
        *self.files.borrow_mut().entry(id).or_insert_with(|| {
            let known = self.options.sources.files().find(|(known, _)| *known == id);
            let name = known.map_or("<unknown>", |(_, file)| &file.name);
            let directory = std::env::current_dir().unwrap_or_default();
            let directory = directory.to_string_lossy();
            let ((name, length), (directory, directory_length)) = (c_text(name), c_text(&directory));
            // SAFETY: both texts are as long as is said, and LLVM copies them.
            unsafe { LLVMDIBuilderCreateFile(self.builder, name, length, directory, directory_length) }
        })
    }

    /// From here on, `function` is described.
    pub(super) fn enter(&self, b: &Builder, function: &Function, value: LlvmValue) {
        let file = self.file(function.span.file);
        let line = self.line_column(function.span).0;
        let (name, length) = c_text(&function.name);
        // SAFETY: the file is of the same builder, there are no parameters, and the name is as long as is said.
        unsafe {
            let ty = LLVMDIBuilderCreateSubroutineType(self.builder, file, ptr::null_mut(), 0, LLVMDIFlagZero);
            let local = i32::from(function.linkage == crate::vector::ir::Linkage::Internal);
            let optimized = i32::from(self.options.level > 0);
            let function_scope = LLVMDIBuilderCreateFunction(
                self.builder,
                file,
                name,
                length,
                name,
                length,
                file,
                line,
                ty,
                local,
                1,
                line,
                LLVMDIFlagZero,
                optimized,
            );
            LLVMSetSubprogram(value, function_scope);
            let scope = Scope { function: function_scope, file: function.span.file, elsewhere: FxHashMap::default() };
            *self.scope.borrow_mut() = Some(scope);
        }
        self.at(b, function.span);
    }

    /// What is built next comes from `span`.
    pub(super) fn at(&self, b: &Builder, span: Span) {
        let mut scope = self.scope.borrow_mut();
        let Some(scope) = scope.as_mut() else { return };
        let (line, column) = self.line_column(span);
        // SAFETY: scopes and files are of the same builder, and the location of the context that the instructions are of.
        unsafe {
            let inside = if span.file == scope.file {
                scope.function
            } else {
                let make = || LLVMDIBuilderCreateLexicalBlockFile(self.builder, scope.function, self.file(span.file), 0);
                *scope.elsewhere.entry(span.file).or_insert_with(make)
            };
            let location = LLVMDIBuilderCreateDebugLocation(b.context, line, column, inside, ptr::null_mut());
            LLVMSetCurrentDebugLocation2(b.raw, location);
        }
    }

    /// What is built next comes from nowhere.
    pub(super) fn leave(&self, b: &Builder) {
        *self.scope.borrow_mut() = None;
        // SAFETY: null stands for no location.
        unsafe { LLVMSetCurrentDebugLocation2(b.raw, ptr::null_mut()) };
    }

    /// Everything is described.
    pub(super) fn finish(&self) {
        // SAFETY: the builder is alive, and this is done once.
        unsafe { LLVMDIBuilderFinalize(self.builder) }
    }

    fn line_column(&self, span: Span) -> (u32, u32) {
        let file = self.options.sources.files().find(|(id, _)| *id == span.file);
        let (line, column) = file.map_or((0, 0), |(_, file)| file.line_column(span.start));
        (line as u32, column as u32)
    }
}
