//! Long functions that are called stay functions where a caller with all of them in it would be too long.
//!
//! ```text
//! if bits == 1: call @pack_by.1(n, p)               function @pack_by.1(i32, ptr noalias) noinline
//! if bits == 2: call @pack_by.2(n, p)        ──►    function @pack_by.2(i32, ptr noalias) noinline
//! …                                                 …
//! ```
//! LLVM inlines whatever is called in one place, however long it is, and its time with a function grows faster than its length. A call
//! costs nothing beside a loop. So what has a loop and is not called in one stays by itself, if together with the others it would make a
//! function that [`outline`](super::outline()) would cut.
//!
//! What LLVM would have seen of the caller's pointers is said with the parameters: one that is `noalias` in all callers is so in the
//! callee, too, if it is handed over once, and nobody keeps it: neither caller nor callee stores it, chooses it or returns it.

use super::alias::{for_each_escape, parameter};
use super::outline::{Limits, length, often};
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// Shorter functions are left to LLVM.
pub(super) const SHORT: usize = 60;

/// Decides what LLVM may inline in a module.
pub fn kept_calls(module: &mut Module) {
    let often = often(module);
    let may_stay: Vec<bool> = module.functions.iter().zip(&often).map(|(function, &often)| !often && is_long(function)).collect();
    if !may_stay.contains(&true) {
        return;
    }
    let long = Limits::default().long;
    // With everything that is inlined.
    let mut lengths = vec![0; module.functions.len()];
    let mut stays = vec![false; module.functions.len()];
    for caller in module.callees_first() {
        let function = &module.functions[caller.0 as usize];
        let (own, mut callees) = (length(function), Vec::new());
        function.for_each_call(|callee, _| callees.extend(may_stay[callee.0 as usize].then_some(callee.0 as usize)));
        let inlined =
            |stays: &[bool]| callees.iter().filter(|&&callee| !stays[callee]).map(|&callee| lengths[callee]).sum::<usize>();
        if own + inlined(&stays) >= long {
            callees.iter().for_each(|&callee| stays[callee] = true);
        }
        lengths[caller.0 as usize] = own + inlined(&stays);
    }
    let alone = alone(module);
    for (index, function) in module.functions.iter_mut().enumerate().filter(|(index, _)| stays[*index]) {
        function.inlining = Inlining::Never;
        for (flags, &alone) in function.parameter_flags.iter_mut().zip(&alone[index]) {
            flags.noalias |= alone;
        }
    }
}

fn is_long(function: &Function) -> bool {
    function.linkage == Linkage::Internal
        && function.inlining == Inlining::Allowed
        && !function.blocks.is_empty()
        && length(function) >= SHORT
        && {
            let graph = Graph::new(function);
            graph.order.iter().any(|&block| graph.innermost_loop(block).is_some())
        }
}

/// For each parameter of each function: is it, in all calls that there are, a pointer that reaches what no other one does?
fn alone(module: &Module) -> Vec<Vec<bool>> {
    // What a function does more with than to access what is there.
    let escaping_of: Vec<Vec<bool>> = module.functions.iter().map(|function| escaping(function, |_, _| false)).collect();
    let mut alone: Vec<Vec<bool>> = module.functions.iter().map(|function| vec![true; function.parameters.len()]).collect();
    let mut is_called = vec![false; module.functions.len()];
    for caller in &module.functions {
        let escaped = escaping(caller, |callee, at| !escaping_of[callee.0 as usize][at]);
        caller.for_each_call(|callee, inst| {
            let Op::Call(_, arguments) = &caller.insts[inst.0 as usize].op else { unreachable!("a call") };
            is_called[callee.0 as usize] = true;
            let roots: Vec<Option<u32>> = arguments.iter().map(|&argument| parameter(caller, argument)).collect();
            for (at, root) in roots.iter().enumerate() {
                let is_alone = root.is_some_and(|root| {
                    let once = roots.iter().filter(|other| **other == Some(root)).count() == 1;
                    once && caller.parameter_flags[root as usize].noalias && !escaped[root as usize]
                });
                alone[callee.0 as usize][at] &= is_alone && !escaping_of[callee.0 as usize][at];
            }
        });
        for inst in caller.blocks.iter().flat_map(|block| &block.insts) {
            if let Op::Parallel { function, .. } = caller.insts[inst.0 as usize].op {
                alone[function.0 as usize].fill(false);
            }
        }
    }
    alone.iter_mut().zip(is_called).filter(|(_, is_called)| !is_called).for_each(|(alone, _)| alone.fill(false));
    alone
}

/// Which parameters are stored, chosen, returned or handed on, but for calls that are `harmless`.
fn escaping(function: &Function, harmless: impl Fn(FunctionId, usize) -> bool) -> Vec<bool> {
    let mut escaped = vec![false; function.parameters.len()];
    let mut escapes = |value: Value| {
        if function.ty(value).element == Element::Ptr
            && let Some(root) = parameter(function, value)
        {
            escaped[root as usize] = true;
        }
    };
    for block in &function.blocks {
        for inst in &block.insts {
            match &function.insts[inst.0 as usize].op {
                Op::Call(callee, arguments) => {
                    let kept = arguments.iter().enumerate().filter(|(at, _)| !harmless(*callee, *at));
                    kept.for_each(|(_, &argument)| escapes(argument));
                }
                op => for_each_escape(op, &mut escapes),
            }
        }
        block.terminator.for_each(&mut escapes);
    }
    escaped
}
