//! Vector IR to vector IR.

use crate::vector::ir;

/// Runs all passes on every function.
pub fn optimize(_module: &mut ir::Module) {}
