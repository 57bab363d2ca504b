//! Vector IR to vector IR: what LLVM cannot know, since it has no idea of masks, lanes and index rules.
//!
//! One pass a file, one public function of that name; each pass keeps the invariants of `vector::ir`.
//!
//! * [`memory_access`]: regular gathers and scatters → loads and stores.

mod memory_access;

pub use memory_access::memory_access;

use crate::vector::ir;

/// Runs all passes on every function.
pub fn optimize(module: &mut ir::Module) {
    for function in &mut module.functions {
        memory_access(function);
    }
}
