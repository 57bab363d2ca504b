//! Long functions are cut: what comes behind a cut is a function of its own, which is called last.
//!
//! ```text
//! f(p, n):                                 f(p, n):          frame: slot;  store frame, n;  return f.piece1(&frame, p)
//!     a = …  many numbers  …               f.piece1(frame, p), cold:
//!     branch …, return 7                       n = load frame;  a = …;  branch …, return 7
//!     m = scratch a                   ──►      store frame + 8, a;  m = scratch a;  return f.piece2(frame, p, m)
//!     loop … m …                           f.piece2(frame, p, m noalias), noinline:
//!     loop … m … p …                           a = load frame + 8;  loop … m …;  return f.piece3(p, m)
//!     release m                            f.piece3(p, m noalias), noinline:
//!     return 0                                 loop … m … p …;  release m;  return 0
//! ```
//! LLVM's time with a function grows faster than its length, since what is known at its beginning is alive up to its
//! end. And it is busiest with code that does not matter: hundreds of numbers that are computed once, in front of the
//! loops that do the work.
//!
//! # Rules
//! * *What is cut.* A function with loops that is longer than [`Limits::long`]: in one without, each instruction may
//!   count. What is cold is compiled quickly as it is.
//! * *Where.* On the spine ([`spine`]): outside of loops, where everything behind is reached through the cut only and
//!   never comes back in front of it. So a cut takes the rest of a function with it, and an early return is one of
//!   the piece.
//! * *Pieces call each other*, and not the function one after the other: memory and slots of a piece live as long as
//!   all pieces behind it, what fails gives back the scratch memory of each piece on its way out, and no result is
//!   handed on.
//! * *Cold* is a piece without loops and vectors, from [`Limits::cold_from`] on, unless the function is called in a loop. All
//!   others are not inlined, or they would be one function again.
//! * *What a piece needs* ([`captures`]): constants, addresses and conversions are computed again; pointers are
//!   parameters, with the promises that hold for them; everything else is in a frame, a slot of the first piece,
//!   written by the piece that defines it.

mod captures;
mod copies;
mod limits;
mod spine;
#[cfg(test)]
mod tests;

use crate::vector::graph::Graph;
use crate::vector::ir::*;
use captures::Captures;
pub use limits::Limits;
use limits::is_copied;
use spine::Plan;

/// Cuts the long functions of a module.
pub fn outline(module: &mut Module) {
    outline_with(module, Limits::default());
}

/// The same with other limits.
pub fn outline_with(module: &mut Module, limits: Limits) {
    let is_long = |function: &Function| function.inlining != Inlining::Cold && length(function) >= limits.long;
    let long: Vec<usize> = (0..module.functions.len()).filter(|&index| is_long(&module.functions[index])).collect();
    if long.is_empty() {
        return;
    }
    let often = often(module);
    for index in long {
        let (function, straight) = (&module.functions[index], if often[index] { Inlining::Never } else { Inlining::Cold });
        let Some(plan) = Plan::new(function, &Graph::new(function), limits, straight) else { continue };
        let captures = Captures::new(module, function, &plan);
        let pieces = copies::pieces(function, &plan, &captures, module.functions.len() as u32);
        let mut pieces = pieces.into_iter();
        module.functions[index] = pieces.next().expect("the first piece is what stays of the function");
        module.functions.extend(pieces);
    }
}

/// The instructions of a function that count.
pub(super) fn length(function: &Function) -> usize {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.filter(|inst| !is_copied(&function.insts[inst.0 as usize].op)).count()
}

/// For each function: is it part of a loop of another one? So it is with parts of parallel loops, with what is called
/// in a loop, and with what these call.
pub(super) fn often(module: &Module) -> Vec<bool> {
    let mut often = vec![false; module.functions.len()];
    // Who is called from a function, or runs for a parallel loop of it.
    let mut callees: Vec<Vec<FunctionId>> = vec![Vec::new(); module.functions.len()];
    for (caller, function) in module.functions.iter().enumerate() {
        let mut graph = None;
        for (block, data) in (0..).map(Block).zip(&function.blocks) {
            for &inst in &data.insts {
                let (callee, is_part) = match function.insts[inst.0 as usize].op {
                    Op::Call(callee, _) => (callee, false),
                    Op::Parallel { function: callee, .. } => (callee, true),
                    _ => continue,
                };
                let mut is_inside = || graph.get_or_insert_with(|| Graph::new(function)).innermost_loop(block).is_some();
                often[callee.0 as usize] |= is_part || is_inside();
                callees[caller].push(callee);
            }
        }
    }
    let mut work: Vec<usize> = (0..often.len()).filter(|&index| often[index]).collect();
    while let Some(index) = work.pop() {
        for callee in &callees[index] {
            if !std::mem::replace(&mut often[callee.0 as usize], true) {
                work.push(callee.0 as usize);
            }
        }
    }
    often
}
