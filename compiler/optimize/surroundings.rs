//! What stands around a function that a pass rewrites for a machine.

use crate::machine::Machine;
use crate::vector::ir::*;

/// What a pass that is for a machine looks at beside the function.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The globals of the module.
    pub globals: &'a [Global],
    /// By function of the module: does it do nothing but compute its results, and come back?
    pub quiet: &'a [bool],
    /// What code is generated for.
    pub machine: &'a Machine,
}

/// The functions that do nothing but compute their results: they read memory at most, call only others of their kind, and have no loops,
/// which might not end.
pub fn quiet_functions(module: &Module) -> Vec<bool> {
    let mut quiet = vec![false; module.functions.len()];
    for id in module.callees_first() {
        let function = &module.functions[id.0 as usize];
        let is_quiet = |block: (u32, &BlockData)| {
            let mut ops = block.1.insts.iter().map(|inst| &function.insts[inst.0 as usize].op);
            let goes_on = block.1.terminator.targets().all(|target| target.block.0 > block.0);
            goes_on
                && !matches!(block.1.terminator, Terminator::Unreachable)
                && ops.all(|op| match op {
                    // One that calls itself is not done yet.
                    Op::Call(callee, _) => quiet[callee.0 as usize],
                    other => !other.has_effect(),
                })
        };
        quiet[id.0 as usize] = !function.blocks.is_empty() && (0..).zip(&function.blocks).all(is_quiet);
    }
    quiet
}
