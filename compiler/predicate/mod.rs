//! Typed program to vector IR: masks become explicit.

use crate::{typed, vector};

/// What `--check` adds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Test pointers, slice bounds and array indices at run time.
    pub check: bool,
}

/// Makes masks explicit.
pub fn predicate(_program: &typed::ir::Program, _options: &Options) -> vector::ir::Module {
    vector::ir::Module::default()
}
