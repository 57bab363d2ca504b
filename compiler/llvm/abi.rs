//! How functions look: to one another, and to C.
//!
//! Each function of the vector IR has a *flat* form, whose parameters and results are the leaves. Exported and external
//! functions with scalars alone are flat as they stand; around others lies a wrapper:
//!
//! ```text
//! export  C caller ──► wrapper `f` (C convention) ──► flat function (internal)
//! extern  flat function (internal, made here) ──► declaration `f` (C convention)
//! ```
//!
//! The C convention is that of the System V ABI for x86-64, section 3.2.3: a struct of at most 16 bytes travels in
//! registers by eightbytes, of class INTEGER or SSE, if there are registers left for all of them, a larger one in memory.

use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{LLVMAddAttributeAtIndex, LLVMAddCallSiteAttribute, LLVMSetLinkage};

use super::builder::{Builder, LlvmType, LlvmValue};
use super::target;
use super::unit::{Unit, element_type, is_void, value_type};
use super::{Options, lanes};
use crate::vector::ir::{self, Abi, AbiType, Element, Linkage};

/// How to call a function in its flat form.
pub(super) struct Callee {
    pub(super) value: LlvmValue,
    ty: LlvmType,
    /// The element of masks in parameters and results, where they are vectors.
    mask_bits: u32,
    results: Vec<ir::Type>,
    /// Extension of (attribute index, attribute) at calls of C functions.
    extensions: Vec<(u32, &'static str)>,
}

impl Callee {
    /// A parameter as it is used inside.
    pub(super) fn enter(&self, unit: &Unit<'_>, value: LlvmValue, ty: ir::Type) -> LlvmValue {
        if is_mask(ty) { lanes::from_boundary(&unit.builder, value, u32::from(ty.length)) } else { value }
    }

    /// A value as it is passed.
    fn pass(&self, unit: &Unit<'_>, value: LlvmValue, ty: ir::Type) -> LlvmValue {
        if is_mask(ty) { lanes::to_boundary(&unit.builder, value, boundary_type(unit, ty, self.mask_bits)) } else { value }
    }

    /// Returns values from the function.
    pub(super) fn leave(&self, unit: &Unit<'_>, values: impl Iterator<Item = (LlvmValue, ir::Type)>) {
        let b = &unit.builder;
        let values: Vec<_> = values.map(|(value, ty)| self.pass(unit, value, ty)).collect();
        match values[..] {
            [] => b.ret(None),
            [one] => b.ret(Some(one)),
            _ => {
                let types: Vec<_> = values.iter().map(|&value| b.type_of(value)).collect();
                let mut all = b.poison(b.structure(&types));
                for (index, &value) in values.iter().enumerate() {
                    all = b.insert_member(all, value, index as u32);
                }
                b.ret(Some(all));
            }
        }
    }

    /// Calls it with arguments as they are used inside; the results likewise.
    pub(super) fn call(&self, unit: &Unit<'_>, arguments: &[(LlvmValue, ir::Type)]) -> Vec<LlvmValue> {
        let b = &unit.builder;
        let arguments: Vec<_> = arguments.iter().map(|&(value, ty)| self.pass(unit, value, ty)).collect();
        let call = b.call(self.ty, self.value, &arguments);
        for &(index, extension) in &self.extensions {
            b.add_call_attribute(call, index, extension, 0);
        }
        match self.results[..] {
            [] => vec![],
            [one] => vec![self.enter(unit, call, one)],
            _ => {
                let member = |(index, &ty): (usize, &ir::Type)| self.enter(unit, b.extract_member(call, index as u32), ty);
                self.results.iter().enumerate().map(member).collect()
            }
        }
    }
}

fn is_mask(ty: ir::Type) -> bool {
    ty.element == Element::Bool && ty.length > 1
}

fn boundary_type(unit: &Unit<'_>, ty: ir::Type, mask_bits: u32) -> LlvmType {
    flat_type(&unit.builder, unit.options, ty, mask_bits)
}

fn flat_type(b: &Builder, options: &Options<'_>, ty: ir::Type, mask_bits: u32) -> LlvmType {
    match (is_mask(ty), options.isa.has_mask_registers()) {
        (true, true) => b.int(u32::from(ty.length)),
        (true, false) => b.vector(b.int(mask_bits), u32::from(ty.length)),
        (false, _) => value_type(b, ty),
    }
}

/// The width that most of the vectors that go in and out have: what masks are compared from and select.
fn mask_bits(function: &ir::Function) -> u32 {
    let count = |bits: u32| {
        let all = function.parameters.iter().chain(&function.results);
        all.filter(|ty| ty.length > 1 && ty.element != Element::Ptr && ty.element.bits() == bits).count()
    };
    [32, 64, 16, 8].into_iter().rev().max_by_key(|&bits| count(bits)).unwrap_or(32)
}

/// Declares all functions. Names that are seen from outside come first: LLVM renames later ones that collide.
pub(super) fn declare(b: &Builder, module: &ir::Module, options: &Options<'_>) -> Vec<Callee> {
    let mut callees: Vec<Option<Callee>> = module.functions.iter().map(|_| None).collect();
    for (slot, function) in callees.iter_mut().zip(&module.functions) {
        if let Linkage::Export(abi) | Linkage::Extern(abi) = &function.linkage {
            if is_flat(abi) {
                *slot = Some(declare_flat(b, function, options, Some(abi)));
            } else {
                let signature = CSignature::new(b, abi);
                b.declare(&function.name, signature.ty);
            }
        }
    }
    let declared = callees.into_iter().zip(&module.functions);
    declared.map(|(callee, function)| callee.unwrap_or_else(|| declare_flat(b, function, options, None))).collect()
}

/// Is the C form the flat one?
fn is_flat(abi: &Abi) -> bool {
    abi.parameters.iter().chain(&abi.result).all(|ty| matches!(ty, AbiType::Scalar { .. }))
}

fn declare_flat(b: &Builder, function: &ir::Function, options: &Options<'_>, c_abi: Option<&Abi>) -> Callee {
    let mask_bits = mask_bits(function);
    let types = |types: &[ir::Type]| types.iter().map(|&ty| flat_type(b, options, ty, mask_bits)).collect::<Vec<_>>();
    let results = types(&function.results);
    let result = match results[..] {
        [] => b.void(),
        [one] => one,
        _ => b.structure(&results),
    };
    let ty = b.function(result, &types(&function.parameters));
    let value = if c_abi.is_some() { b.declare(&function.name, ty) } else { b.add_function(&function.name, ty) };
    if c_abi.is_none() {
        unsafe { LLVMSetLinkage(value, LLVMLinkage::LLVMInternalLinkage) };
    }
    // An external function may do what it likes, but a flat form of it that is made here is ours.
    if c_abi.is_none() || !matches!(function.linkage, Linkage::Extern(_)) {
        target::add_attributes(b, value, options);
    }
    let extensions = c_abi.map(scalar_extensions).unwrap_or_default();
    for &(index, extension) in &extensions {
        b.add_attribute(value, index, extension, 0);
    }
    if !is_void(result) {
        b.add_attribute(value, 0, "noundef", 0);
    }
    for (index, _) in function.parameters.iter().enumerate() {
        let at = index as u32 + 1;
        b.add_attribute(value, at, "noundef", 0);
        let flags = function.parameter_flags.get(index).copied().unwrap_or_default();
        if flags.noalias && function.parameters[index] == ir::Type::scalar(Element::Ptr) {
            b.add_attribute(value, at, "noalias", 0);
        }
        if flags.read_only && function.parameters[index] == ir::Type::scalar(Element::Ptr) {
            b.add_attribute(value, at, "readonly", 0);
        }
    }
    Callee { value, ty, mask_bits, results: function.results.clone(), extensions }
}

/// Which scalars of a flat C function are extended, by attribute index.
fn scalar_extensions(abi: &Abi) -> Vec<(u32, &'static str)> {
    let places = abi.result.iter().map(|ty| (0, ty)).chain(abi.parameters.iter().enumerate().map(|(k, ty)| (k as u32 + 1, ty)));
    places.filter_map(|(index, ty)| Some((index, extension(ty)?))).collect()
}

fn extension(ty: &AbiType) -> Option<&'static str> {
    match ty {
        AbiType::Scalar { element: Element::Bool, .. } => Some("zeroext"),
        AbiType::Scalar { element: Element::I8 | Element::I16, signed } => Some(if *signed { "signext" } else { "zeroext" }),
        AbiType::Scalar { .. } | AbiType::Struct { .. } => None,
    }
}

// ---- The C convention for structs -----------------------------------------------------------------------------------

/// How a C value travels.
enum Passing {
    /// A struct without members does not.
    Nothing,
    /// As it is.
    Scalar(LlvmType),
    /// A struct in registers: (offset, type) of each eightbyte.
    Registers(Vec<(u64, LlvmType)>),
    /// A struct in memory.
    Memory,
}

struct CSignature {
    ty: LlvmType,
    result: Passing,
    parameters: Vec<Passing>,
    /// Attributes by index.
    attributes: Vec<(u32, inkwell::llvm_sys::prelude::LLVMAttributeRef)>,
}

impl CSignature {
    fn new(b: &Builder, abi: &Abi) -> CSignature {
        let (mut integers_left, mut floats_left) = (6, 8);
        let (mut types, mut attributes) = (Vec::new(), Vec::new());
        let result = abi.result.as_ref().map_or(Passing::Nothing, |ty| classify(b, ty));
        let result_type = match &result {
            Passing::Nothing => b.void(),
            Passing::Scalar(ty) => *ty,
            Passing::Registers(parts) => match parts[..] {
                [(_, one)] => one,
                _ => b.structure(&parts.iter().map(|&(_, ty)| ty).collect::<Vec<_>>()),
            },
            Passing::Memory => {
                let (ty, alignment) = memory_form(b, abi.result.as_ref().expect("a result in memory"));
                types.push(b.ptr());
                attributes.extend([(1, b.type_attribute("sret", ty)), (1, b.enum_attribute("align", alignment))]);
                attributes.push((1, b.enum_attribute("noalias", 0)));
                integers_left -= 1;
                b.void()
            }
        };
        if let Some(extension) = abi.result.as_ref().and_then(extension) {
            attributes.push((0, b.enum_attribute(extension, 0)));
        }
        let mut parameters = Vec::new();
        for ty in &abi.parameters {
            let mut passing = classify(b, ty);
            if let Passing::Registers(parts) = &passing {
                let integers = parts.iter().filter(|&&(_, ty)| b.is_int(ty)).count() as i32;
                if integers > integers_left || parts.len() as i32 - integers > floats_left {
                    passing = Passing::Memory;
                }
            }
            let mut take = |ty: LlvmType| {
                let left = if b.is_int(ty) || ty == b.ptr() { &mut integers_left } else { &mut floats_left };
                *left = (*left - 1).max(0);
            };
            match &passing {
                Passing::Nothing => {}
                Passing::Scalar(scalar) => {
                    take(*scalar);
                    types.push(*scalar);
                    attributes.extend(extension(ty).map(|name| (types.len() as u32, b.enum_attribute(name, 0))));
                }
                Passing::Registers(parts) => {
                    for &(_, part) in parts {
                        take(part);
                        types.push(part);
                    }
                }
                Passing::Memory => {
                    let (memory, alignment) = memory_form(b, ty);
                    types.push(b.ptr());
                    let at = types.len() as u32;
                    attributes.push((at, b.type_attribute("byval", memory)));
                    attributes.push((at, b.enum_attribute("align", alignment.max(8))));
                }
            }
            parameters.push(passing);
        }
        CSignature { ty: b.function(result_type, &types), result, parameters, attributes }
    }
}

/// The bytes of a struct, and its alignment.
fn memory_form(b: &Builder, ty: &AbiType) -> (LlvmType, u64) {
    match ty {
        AbiType::Scalar { element, .. } => (element_type(b, *element), element.size()),
        AbiType::Struct { size, alignment, .. } => (b.array(b.int(8), *size), (*alignment).max(1)),
    }
}

fn classify(b: &Builder, ty: &AbiType) -> Passing {
    let (leaves, size) = match ty {
        AbiType::Scalar { element, .. } => return Passing::Scalar(element_type(b, *element)),
        AbiType::Struct { leaves, size, .. } => (leaves, *size),
    };
    if size == 0 {
        return Passing::Nothing;
    }
    if size > 16 || leaves.iter().any(|&(offset, element)| offset % element.size() != 0) {
        return Passing::Memory;
    }
    let eightbyte = |start: u64| {
        let inside: Vec<_> = leaves.iter().filter(|leaf| leaf.0 / 8 * 8 == start).collect();
        let bytes = (size - start).min(8);
        let ty = if inside.iter().any(|leaf| !leaf.1.is_float()) {
            b.int(bytes as u32 * 8)
        } else if inside.iter().any(|leaf| leaf.1 == Element::F64) {
            b.f64()
        } else {
            b.vector(b.f32(), if bytes > 4 { 2 } else { 1 })
        };
        (!inside.is_empty()).then_some((start, ty))
    };
    Passing::Registers((0..size).step_by(8).filter_map(eightbyte).collect())
}

// ---- Wrappers -------------------------------------------------------------------------------------------------------

/// Gives bodies to the wrappers of exported functions and to the flat forms of external ones.
pub(super) fn define_wrappers(unit: &Unit<'_>) {
    for (function, callee) in unit.module.functions.iter().zip(&unit.callees) {
        match &function.linkage {
            Linkage::Export(abi) if !is_flat(abi) => define_export(unit, function, abi, callee),
            Linkage::Extern(abi) if !is_flat(abi) => define_extern(unit, function, abi, callee),
            Linkage::Export(_) | Linkage::Extern(_) | Linkage::Internal => {}
        }
    }
}

/// The leaves of a C type.
fn leaves(ty: &AbiType) -> Vec<(u64, Element)> {
    match ty {
        AbiType::Scalar { element, .. } => vec![(0, *element)],
        AbiType::Struct { leaves, .. } => leaves.clone(),
    }
}

fn load_leaves(unit: &Unit<'_>, memory: LlvmValue, ty: &AbiType) -> Vec<LlvmValue> {
    let b = &unit.builder;
    let load = |(offset, element): (u64, Element)| {
        let value = b.load(unit.memory_element(element), b.offset(memory, offset as i64), 1);
        if element == Element::Bool { b.is_set(value) } else { value }
    };
    leaves(ty).into_iter().map(load).collect()
}

fn store_leaves(unit: &Unit<'_>, memory: LlvmValue, ty: &AbiType, values: &mut impl Iterator<Item = LlvmValue>) {
    let b = &unit.builder;
    for (offset, element) in leaves(ty) {
        let value = values.next().expect("a value for each leaf");
        let value = if element == Element::Bool { b.zext(value, b.int(8)) } else { value };
        b.store(value, b.offset(memory, offset as i64), 1);
    }
}

/// Stack memory for a struct that travels in registers.
fn struct_memory(b: &Builder) -> LlvmValue {
    let memory = b.alloca(b.array(b.int(8), 16), 16);
    b.store(b.zero(b.int(128)), memory, 16);
    memory
}

fn define_export(unit: &Unit<'_>, function: &ir::Function, abi: &Abi, callee: &Callee) {
    let b = &unit.builder;
    let signature = CSignature::new(b, abi);
    let wrapper = b.declare(&function.name, signature.ty);
    target::add_attributes(b, wrapper, unit.options);
    for &(index, attribute) in &signature.attributes {
        unsafe { LLVMAddAttributeAtIndex(wrapper, index, attribute) };
    }
    b.position(b.append_block(wrapper));
    let mut parameters = (0..b.parameter_count(signature.ty) as u32).map(|index| b.parameter(wrapper, index));
    let mut next = || parameters.next().expect("a C parameter for each part");
    let result_memory = matches!(signature.result, Passing::Memory).then(&mut next);
    let mut arguments = Vec::new();
    for (passing, ty) in signature.parameters.iter().zip(&abi.parameters) {
        match passing {
            Passing::Nothing => {}
            Passing::Scalar(_) => arguments.push(next()),
            Passing::Registers(parts) => {
                let memory = struct_memory(b);
                for &(offset, _) in parts {
                    b.store(next(), b.offset(memory, offset as i64), 8);
                }
                arguments.extend(load_leaves(unit, memory, ty));
            }
            Passing::Memory => arguments.extend(load_leaves(unit, next(), ty)),
        }
    }
    let arguments: Vec<_> = arguments.into_iter().zip(function.parameters.iter().copied()).collect();
    let mut results = callee.call(unit, &arguments).into_iter();
    match (&signature.result, &abi.result) {
        (Passing::Nothing, _) | (_, None) => b.ret(None),
        (Passing::Scalar(_), Some(_)) => b.ret(results.next()),
        (Passing::Memory, Some(ty)) => {
            store_leaves(unit, result_memory.expect("a place for the result"), ty, &mut results);
            b.ret(None);
        }
        (Passing::Registers(parts), Some(ty)) => {
            let memory = struct_memory(b);
            store_leaves(unit, memory, ty, &mut results);
            let part = |&(offset, ty): &(u64, LlvmType)| b.load(ty, b.offset(memory, offset as i64), 8);
            let values: Vec<_> = parts.iter().map(part).collect();
            match values[..] {
                [one] => b.ret(Some(one)),
                _ => {
                    let types: Vec<_> = parts.iter().map(|&(_, ty)| ty).collect();
                    let whole = values
                        .iter()
                        .zip(0..)
                        .fold(b.poison(b.structure(&types)), |whole, (&value, index)| b.insert_member(whole, value, index));
                    b.ret(Some(whole));
                }
            }
        }
    }
}

fn define_extern(unit: &Unit<'_>, function: &ir::Function, abi: &Abi, callee: &Callee) {
    let b = &unit.builder;
    let signature = CSignature::new(b, abi);
    let external = b.declare(&function.name, signature.ty);
    for &(index, attribute) in &signature.attributes {
        unsafe { LLVMAddAttributeAtIndex(external, index, attribute) };
    }
    b.add_attribute(callee.value, u32::MAX, "alwaysinline", 0);
    b.position(b.append_block(callee.value));
    let mut values = (0..function.parameters.len() as u32).map(|index| b.parameter(callee.value, index));
    let mut arguments = Vec::new();
    let memory_of = |ty: &AbiType| {
        let (memory, alignment) = memory_form(b, ty);
        b.alloca(memory, alignment.max(8))
    };
    let result_memory = abi.result.as_ref().filter(|_| matches!(signature.result, Passing::Memory)).map(memory_of);
    arguments.extend(result_memory);
    for (passing, ty) in signature.parameters.iter().zip(&abi.parameters) {
        match passing {
            Passing::Nothing => {}
            Passing::Scalar(_) => arguments.extend(values.next()),
            Passing::Registers(parts) => {
                let memory = struct_memory(b);
                store_leaves(unit, memory, ty, &mut values);
                arguments.extend(parts.iter().map(|&(offset, ty)| b.load(ty, b.offset(memory, offset as i64), 8)));
            }
            Passing::Memory => {
                let memory = memory_of(ty);
                store_leaves(unit, memory, ty, &mut values);
                arguments.push(memory);
            }
        }
    }
    let call = b.call(signature.ty, external, &arguments);
    for &(index, attribute) in &signature.attributes {
        unsafe { LLVMAddCallSiteAttribute(call, index, attribute) };
    }
    let results = match (&signature.result, &abi.result) {
        (Passing::Nothing, _) | (_, None) => vec![],
        (Passing::Scalar(_), Some(_)) => vec![call],
        (Passing::Memory, Some(ty)) => load_leaves(unit, result_memory.expect("a place for the result"), ty),
        (Passing::Registers(parts), Some(ty)) => {
            let memory = struct_memory(b);
            for (index, &(offset, _)) in parts.iter().enumerate() {
                let part = if parts.len() == 1 { call } else { b.extract_member(call, index as u32) };
                b.store(part, b.offset(memory, offset as i64), 8);
            }
            load_leaves(unit, memory, ty)
        }
    };
    callee.leave(unit, results.into_iter().zip(function.results.iter().copied()));
}
