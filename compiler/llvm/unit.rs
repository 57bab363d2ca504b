//! What the functions of a module share, and how types look in registers and in memory.

use std::cell::Cell;

use inkwell::llvm_sys::LLVMTypeKind;

use super::builder::{Builder, LlvmType, LlvmValue};
use super::callee::Callee;
use super::debug::Debug;
use super::options::Options;
use crate::source::Span;
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
    pub(super) packing_table: Cell<Option<LlvmValue>>,
    pub(super) places_and_nowhere: Cell<Option<LlvmValue>>,
}

impl Unit<'_> {
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

    /// For `pshufb`: the places of 16 bytes one after another, between 16 places that give zeros in front of them and behind them.
    pub(super) fn places_and_nowhere(&self) -> LlvmValue {
        let nowhere = [0x80; 16];
        let make = || self.builder.private_bytes(&nowhere.into_iter().chain(0..16).chain(nowhere).collect::<Vec<u8>>(), 16);
        let table = self.places_and_nowhere.get().unwrap_or_else(make);
        self.places_and_nowhere.set(Some(table));
        self.builder.offset(table, 16)
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
    // SAFETY: every type is of a kind.
    unsafe { inkwell::llvm_sys::core::LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMVoidTypeKind }
}
