//! Stage llvm: from the vector IR to machine code, assembly, LLVM IR or memory that runs.
//!
//! The stage translates [`vector::ir`](crate::vector::ir) one operation at a time, each into LLVM instructions that are total as the
//! operation is. What the machine has no instruction for, `legalize` has rewritten. Choices by the machine that are left
//! here: look-ups in several registers or in memory (`permute`), lanes one after another without an instruction (`compress`, packed stores
//! in `gather`), masked memory without one (`memory`, `first_lanes`, `lane_runs`), and how wide masks are (`late_masks`, `first_lanes`). In
//! reading order:
//!
//! * `target`: what an [`Isa`](crate::machine::Isa) is to LLVM; `builder` and `instructions`: LLVM's instruction builder, scalars and vectors
//!   alike.
//! * `module`: a module and its globals, `unit`: what its functions share; `abi`: how functions look from one another, and
//!   `c_convention` from C, `callee`: how they are called; `function`: blocks, values and the dispatch of operations.
//! * Operations by kind: `arithmetic`, `division`, `products`, `rounding`, `convert`, `shuffles`, `permute`, `compress`, `lanes` and `masks`
//!   (masks as bits, control flow over lanes), `memory` (consecutive lanes), `first_lanes` and `lane_runs` (of which
//!   the first ones or some beside each other are on), `gather` (lanes anywhere), `calls`; `unrolling` (what loops say).
//! * `passes`: LLVM's pipeline, then ours: where the target has no mask registers, `late_masks` keeps masks wide, `late_any` asks several registers of them at once, `late_blends`
//!   stores whole and `late_unpacks` what several shuffles have in common, and `late_constants` reads constants from memory; where it has them, `late_counts` adds masks as numbers under them; `late_ors` splits, and `late_stores` makes scalar, what instruction
//!   selection gets wrong. None of them can stand in front of LLVM: they are about how its instruction selection is to be told something,
//!   and its optimiser would undo what they write.
//! * `dispatch`: what chooses between code for several targets. `local_names`: what is told apart from other outputs. `emit`: objects and text; `jit`: code in memory, `ranges`: where its functions are; `runtime_symbols`: what it links against.
//! * `debug`: line tables.
//!
//! # Invariants
//! 1. A mask is `<N x i1>` inside a function. Between functions it is iN on targets with mask registers and a vector
//!    of integers elsewhere; in memory it is a byte a lane.
//! 2. No undefined value, poison or undefined behaviour arises, whatever the operands: no `nsw`, no `exact`, no `nnan`;
//!    counts, indices and divisors are made valid first.
//! 3. A lane that is off touches no byte.

mod abi;
mod arithmetic;
mod atomics;
mod builder;
mod c_convention;
mod callee;
mod calls;
mod compress;
mod convert;
mod debug;
mod dispatch;
mod division;
mod emit;
mod first_lanes;
mod function;
mod gather;
mod instructions;
mod jit;
mod lane_runs;
mod lanes;
mod late_any;
mod late_blends;
mod late_constants;
mod late_counts;
mod late_fences;
mod late_masks;
mod late_ors;
mod late_stores;
mod late_unpacks;
mod local_names;
mod masks;
mod memory;
mod module;
mod options;
mod parallel;
mod passes;
mod permute;
mod products;
mod ranges;
mod rounding;
mod runtime_symbols;
mod shuffles;
mod target;
#[cfg(test)]
mod tests;
mod unit;
mod unrolling;

use crate::symbols::Dispatcher;
use crate::vector::ir;

pub use jit::Jit;
pub use options::{Options, Output};
pub use ranges::Compiled;

/// Compiles a module whose invariants hold.
///
/// # Errors
/// What LLVM refuses; a module that `verify` accepts is not refused for its contents.
pub fn compile(module: &ir::Module, options: &Options<'_>, output: Output) -> Result<Vec<u8>, String> {
    emit::compile(&[(module, *options)], &[], "", output)
}

/// Compiles modules for different targets to one output, with functions that choose between them. The modules come with the lowest
/// target first, and no two of them export the same symbol. What they have for themselves is named with the prefix.
///
/// # Errors
/// As [`compile`].
pub fn compile_for_several(
    parts: &[(&ir::Module, Options<'_>)],
    dispatchers: &[Dispatcher],
    prefix: &str,
    output: Output,
) -> Result<Vec<u8>, String> {
    emit::compile(parts, dispatchers, prefix, output)
}

/// From here on, in this process, only the first `limit` passes of LLVM run that may be left out; -1: all of them, and LLVM says on
/// standard error which these are (`BISECT: running pass (N) NAME on …`). With it one finds the pass that goes wrong.
pub fn limit_passes(limit: i32) {
    passes::limit(limit);
}

/// From here on, in this process, reads under masks go without what protects them from LLVM's mistake: for tests that see
/// whether the mistake would be found.
#[doc(hidden)]
pub fn leave_masked_reads_unprotected() {
    instructions::LEAVES_READS_UNPROTECTED.store(true, std::sync::atomic::Ordering::Relaxed);
}

/// The version of LLVM in use.
pub fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the three places are there.
    unsafe { inkwell::llvm_sys::core::LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}
