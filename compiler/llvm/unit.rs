//! A module: functions are declared first, then globals, then bodies.

use std::cell::Cell;

use inkwell::llvm_sys::core::{
    LLVMAddGlobal, LLVMConstArray2, LLVMConstStringInContext2, LLVMSetAlignment, LLVMSetInitializer, LLVMSetLinkage,
};
use inkwell::llvm_sys::{LLVMLinkage, LLVMTypeKind};
use inkwell::module::Module;

use super::Options;
use super::abi::{self, Callee};
use super::builder::{Builder, LlvmType, LlvmValue, c_string};
use super::c_convention;
use super::debug::Debug;
use super::function::FunctionTranslator;
use super::parallel;
use crate::source::Span;
use crate::target::Isa;
use crate::vector::ir;

/// What all functions of a module share.
pub(super) struct Unit<'a> {
    pub(super) builder: Builder,
    /// Line tables, if they are asked for.
    pub(super) debug: Option<Debug<'a>>,
    pub(super) options: &'a Options<'a>,
    pub(super) module: &'a ir::Module,
    /// How to call each function, by its id.
    pub(super) callees: Vec<Callee>,
    pub(super) globals: Vec<LlvmValue>,
    /// Eight bytes of zeros: what a lane reads that is off.
    pub(super) zeros: LlvmValue,
    packing_table: Cell<Option<LlvmValue>>,
}

/// Translates all of `module` into `llvm`.
pub(super) fn translate(module: &ir::Module, options: &Options<'_>, llvm: &Module<'_>) {
    let builder = Builder::new(llvm);
    let callees = abi::declare(&builder, module, options);
    let globals = module.globals.iter().map(|global| declare_global(&builder, global)).collect();
    let zeros = builder.private_bytes(&[0; 8], 8);
    let debug = Debug::new(&builder, options);
    let unit = Unit { builder, debug, options, module, callees, globals, zeros, packing_table: Cell::new(None) };
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

impl Unit<'_> {
    pub(super) fn isa(&self) -> Isa {
        self.options.isa
    }

    /// The element in registers: `bool` is a bit.
    pub(super) fn element(&self, element: ir::Element) -> LlvmType {
        element_type(&self.builder, element)
    }

    /// The element in memory: `bool` is a byte.
    pub(super) fn memory_element(&self, element: ir::Element) -> LlvmType {
        if element == ir::Element::Bool { self.builder.int(8) } else { self.element(element) }
    }

    /// The type in registers.
    pub(super) fn ty(&self, ty: ir::Type) -> LlvmType {
        value_type(&self.builder, ty)
    }

    /// The type in memory.
    pub(super) fn memory_type(&self, ty: ir::Type) -> LlvmType {
        self.builder.vector(self.memory_element(ty.element), u32::from(ty.length))
    }

    /// A function of the runtime, by its type and value.
    pub(super) fn runtime(&self, name: &str, result: LlvmType, parameters: &[LlvmType]) -> (LlvmType, LlvmValue) {
        let ty = self.builder.function(result, parameters);
        (ty, self.builder.declare(name, ty))
    }
}

/// Positions and tables.
impl Unit<'_> {
    /// File, line and column of a span; nothing and zeros where it belongs to no file.
    pub(super) fn position(&self, span: Span) -> (String, u32, u32) {
        match self.options.sources.files().find(|(id, _)| *id == span.file) {
            Some((_, file)) => {
                let (line, column) = file.line_column(span.start);
                (file.name.clone(), line as u32, column as u32)
            }
            None => (String::new(), 0, 0),
        }
    }

    /// For each mask of eight lanes, the numbers of those that are on, one after another.
    pub(super) fn packing_table(&self) -> LlvmValue {
        let make = || {
            let row = |mask: u32| {
                let mut lanes = [0; 8];
                for (place, lane) in (0..8).filter(|lane| mask >> lane & 1 == 1).enumerate() {
                    lanes[place] = lane;
                }
                lanes
            };
            self.builder.private_bytes(&(0..256).flat_map(row).collect::<Vec<u8>>(), 64)
        };
        let table = self.packing_table.get().unwrap_or_else(make);
        self.packing_table.set(Some(table));
        table
    }
}

/// The element in registers: `bool` is a bit.
pub(super) fn element_type(builder: &Builder, element: ir::Element) -> LlvmType {
    match element {
        ir::Element::Bool => builder.int(1),
        ir::Element::I8 => builder.int(8),
        ir::Element::I16 => builder.int(16),
        ir::Element::I32 => builder.int(32),
        ir::Element::I64 => builder.int(64),
        ir::Element::F32 => builder.f32(),
        ir::Element::F64 => builder.f64(),
        ir::Element::Ptr => builder.ptr(),
    }
}

/// The type in registers.
pub(super) fn value_type(builder: &Builder, ty: ir::Type) -> LlvmType {
    builder.vector(element_type(builder, ty.element), u32::from(ty.length))
}

/// Is it `void`?
pub(super) fn is_void(ty: LlvmType) -> bool {
    unsafe { inkwell::llvm_sys::core::LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMVoidTypeKind }
}
