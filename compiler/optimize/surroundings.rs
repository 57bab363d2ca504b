//! What stands around a function that a pass rewrites for a machine.

use crate::machine::Machine;
use crate::vector::ir::*;

/// What a pass that is for a machine looks at beside the function.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The globals of the module.
    pub globals: &'a [Global],
    /// What code is generated for.
    pub machine: &'a Machine,
}
