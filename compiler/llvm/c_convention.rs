//! The C convention: that of the System V ABI for x86-64, section 3.2.3, and the wrappers of functions with structs.
//!
//! A struct of at most 16 bytes travels in registers by eightbytes, of class INTEGER or SSE, if there are registers left
//! for all of them, a larger one in memory.

use inkwell::llvm_sys::core::{LLVMAddAttributeAtIndex, LLVMAddCallSiteAttribute};
use inkwell::llvm_sys::prelude::LLVMAttributeRef;

use super::abi::{extension, is_flat};
use super::builder::{Builder, LlvmType, LlvmValue};
use super::callee::Callee;
use super::target;
use super::unit::{Unit, element_type};
use crate::symbols;
use crate::vector::ir::{self, Abi, AbiType, Element, Linkage};

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

/// A C function type, and how its values travel.
pub(super) struct CSignature {
    pub(super) ty: LlvmType,
    result: Passing,
    parameters: Vec<Passing>,
    /// Attributes by index.
    pub(super) attributes: Vec<(u32, LLVMAttributeRef)>,
}

impl CSignature {
    pub(super) fn new(b: &Builder, abi: &Abi) -> CSignature {
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
            Linkage::Export(abi) if callee.may_fail => {
                define_export(unit, function, abi, callee, Failure::Ends);
                if function.name != "main" {
                    define_export(unit, function, abi, callee, Failure::IsReturned);
                }
            }
            Linkage::Export(abi) if !is_flat(abi) => define_export(unit, function, abi, callee, Failure::Ends),
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

/// What a wrapper does where the function has failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// It ends the program.
    Ends,
    /// It returns 1. The result goes where the first parameter leads.
    IsReturned,
}

/// The signature of the wrapper that returns whether the function has failed.
fn status_abi(abi: &Abi) -> Abi {
    let place = abi.result.as_ref().map(|_| AbiType::Scalar { element: Element::Ptr, signed: false });
    Abi {
        parameters: place.into_iter().chain(abi.parameters.iter().cloned()).collect(),
        result: Some(AbiType::Scalar { element: Element::I32, signed: false }),
    }
}

fn define_export(unit: &Unit<'_>, function: &ir::Function, abi: &Abi, callee: &Callee, failure: Failure) {
    let b = &unit.builder;
    let (name, own) = match failure {
        Failure::Ends => (function.name.clone(), None),
        Failure::IsReturned => (symbols::status(&function.name), Some(status_abi(abi))),
    };
    let result = &abi.result;
    let abi = own.as_ref().unwrap_or(abi);
    let signature = CSignature::new(b, abi);
    let wrapper = b.declare(&name, signature.ty);
    target::add_attributes(b, wrapper, unit.options);
    for &(index, attribute) in &signature.attributes {
        // SAFETY: the attribute is for the signature that the function has.
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
    let place = (failure == Failure::IsReturned && result.is_some()).then(|| arguments.remove(0));
    let arguments: Vec<_> = arguments.into_iter().zip(function.parameters.iter().copied()).collect();
    let returned = callee.call(unit, &arguments);
    let mut results = returned.results.into_iter();
    if let (Failure::IsReturned, Some(has_failed)) = (failure, returned.has_failed) {
        if let (Some(place), Some(ty)) = (place, result) {
            store_leaves(unit, place, ty, &mut results);
        }
        b.ret(Some(b.zext(has_failed, b.int(32))));
        return;
    }
    if let Some(has_failed) = returned.has_failed {
        let (failed, passed) = (b.append_block(wrapper), b.append_block(wrapper));
        let branch = b.branch(has_failed, failed, passed);
        b.set_branch_weights(branch, (1, 1 << 20));
        b.position(failed);
        let (ty, end) = unit.runtime("ivl_failed", b.void(), &[]);
        ["noreturn", "cold", "nounwind"].iter().for_each(|name| b.add_attribute(end, u32::MAX, name, 0));
        b.call(ty, end, &[]);
        b.unreachable();
        b.position(passed);
    }
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
        // SAFETY: the attribute is for the signature that the function has.
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
        // SAFETY: the attribute is for the signature that the call has.
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
