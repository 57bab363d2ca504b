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
//! A function that may fail ([`failing`]) has one result more, a bit: has it failed? Then its results are zeros.
//!
//! ```text
//! check c, "…"       branch c, go on, failed        failed: ivl_check_failed("…") keeps the message for this thread
//!                                                           ivl_release_from(the first scratch array that is alive here), if there are any
//!                                                           return zeros, 1
//! r = call f(x)      (r, s) = f(x);  branch s, failed, go on
//! parallel f         s = ivl_parallel(…), which is 1 if a part has failed: no part begins after that, and all have come to rest
//! ```
//! So nothing unwinds, and memory is in order: what scopes own are `scratch` arrays and images, which the runtime keeps in the order in which
//! they came. What `new` gave stays with whoever has the pointer. An export that may fail has two wrappers:
//!
//! ```text
//! `f`          the C signature; a failure ends the program with the message and exit code 101 (ivl_failed)
//! `f.status`   uint32_t (result *, parameters …): 1 after a failure, whose message `ivl::completed` gives; for callers that go on
//! ```

use super::builder::Builder;
use super::c_convention::CSignature;
use super::callee::{Callee, flat_type};
use super::options::Options;
use super::target;
use super::unit::is_void;
use crate::vector::failing;
use crate::vector::ir::{self, Abi, AbiType, Element, Linkage};

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
    let may_fail = failing::may_fail(module);
    let mut callees: Vec<Option<Callee>> = module.functions.iter().map(|_| None).collect();
    for ((slot, function), &may_fail) in callees.iter_mut().zip(&module.functions).zip(&may_fail) {
        if let Linkage::Export(abi) | Linkage::Extern(abi) = &function.linkage {
            if is_flat(abi) && !may_fail {
                *slot = Some(declare_flat(b, function, options, Some(abi), may_fail));
            } else {
                let signature = CSignature::new(b, abi);
                b.declare(&function.name, signature.ty);
            }
        }
    }
    let declared = callees.into_iter().zip(&module.functions).zip(&may_fail);
    let callees: Vec<Callee> = declared
        .map(|((callee, function), &may_fail)| callee.unwrap_or_else(|| declare_flat(b, function, options, None, may_fail)))
        .collect();
    for (index, callee) in callees.iter().enumerate() {
        if loses_its_accumulator(module, index) || never_ends(&module.functions[index], index) {
            b.add_string_attribute(callee.value, "disable-tail-calls", "true");
        }
    }
    callees
}

/// LLVM (22) makes a loop of a function that calls itself and combines the result, and begins with the neutral element of
/// what combines. That of a minimum or maximum of vectors is wrong or makes it crash (it asks the vector for the width of an
/// integer), so recursive functions that return one stay recursive.
fn loses_its_accumulator(module: &ir::Module, index: usize) -> bool {
    match module.functions[index].results[..] {
        [result] if result.length > 1 && !matches!(result.element, Element::F32 | Element::F64) => {}
        _ => return false,
    }
    let mut seen = vec![false; module.functions.len()];
    let mut work = vec![index];
    let mut is_recursive = false;
    while let Some(at) = work.pop() {
        module.functions[at].for_each_call(|callee, _| {
            let callee = callee.0 as usize;
            is_recursive |= callee == index;
            if !std::mem::replace(&mut seen[callee], true) {
                work.push(callee);
            }
        });
    }
    is_recursive
}

/// Does a function call itself on every way to its end? As a loop, which LLVM would make of it, it runs forever; as calls it finds
/// the stack full, which is said.
fn never_ends(function: &ir::Function, index: usize) -> bool {
    let calls_itself =
        |inst: &ir::Inst| matches!(&function.insts[inst.0 as usize].op, ir::Op::Call(callee, _) if callee.0 as usize == index);
    let mut seen = vec![false; function.blocks.len()];
    let mut work: Vec<usize> = (0..function.blocks.len().min(1)).collect();
    let mut is_recursive = false;
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let block = &function.blocks[at];
        if block.insts.iter().any(calls_itself) {
            is_recursive = true;
        } else if let ir::Terminator::Return(_) = block.terminator {
            return false;
        } else {
            work.extend(block.terminator.targets().map(|target| target.block.0 as usize));
        }
    }
    is_recursive
}

/// The symbol of what is seen in this module alone: no name of C, so that a function of the program may be called like
/// one of the C library, to which LLVM makes calls of its own.
pub(super) fn internal_name(name: &str) -> String {
    format!("ivl.{name}")
}

/// Is the C form the flat one?
pub(super) fn is_flat(abi: &Abi) -> bool {
    abi.parameters.iter().chain(&abi.result).all(|ty| matches!(ty, AbiType::Scalar { .. }))
}

fn declare_flat(b: &Builder, function: &ir::Function, options: &Options<'_>, c_abi: Option<&Abi>, may_fail: bool) -> Callee {
    let mask_bits = mask_bits(function);
    let types = |types: &[ir::Type]| types.iter().map(|&ty| flat_type(b, options, ty, mask_bits)).collect::<Vec<_>>();
    let mut results = types(&function.results);
    results.extend(may_fail.then(|| b.int(1)));
    let result = match results[..] {
        [] => b.void(),
        [one] => one,
        _ => b.structure(&results),
    };
    let ty = b.function(result, &types(&function.parameters));
    let value = if c_abi.is_some() { b.declare(&function.name, ty) } else { b.add_function(&internal_name(&function.name), ty) };
    if c_abi.is_none() {
        b.make_internal(value);
    }
    // An external function may do what it likes, but a flat form of it that is made here is ours.
    if c_abi.is_none() || !matches!(function.linkage, Linkage::Extern(_)) {
        target::add_attributes(b, value, options);
        let names: &[&str] = match function.inlining {
            ir::Inlining::Allowed => &[],
            ir::Inlining::Never => &["noinline"],
            ir::Inlining::Rare => &["cold", "noinline"],
            ir::Inlining::Cold => &["cold", "noinline", "optnone"],
        };
        names.iter().for_each(|name| b.add_attribute(value, u32::MAX, name, 0));
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
    Callee { value, ty, mask_bits, results: function.results.clone(), may_fail, extensions }
}

/// Which scalars of a flat C function are extended, by attribute index.
fn scalar_extensions(abi: &Abi) -> Vec<(u32, &'static str)> {
    let places = abi.result.iter().map(|ty| (0, ty)).chain(abi.parameters.iter().enumerate().map(|(k, ty)| (k as u32 + 1, ty)));
    places.filter_map(|(index, ty)| Some((index, extension(ty)?))).collect()
}

pub(super) fn extension(ty: &AbiType) -> Option<&'static str> {
    match ty {
        AbiType::Scalar { element: Element::Bool, .. } => Some("zeroext"),
        AbiType::Scalar { element: Element::I8 | Element::I16, signed } => Some(if *signed { "signext" } else { "zeroext" }),
        AbiType::Scalar { .. } | AbiType::Struct { .. } => None,
    }
}
