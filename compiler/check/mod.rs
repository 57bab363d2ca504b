//! Syntax tree to typed program.

use crate::diagnostics::Diagnostics;
use crate::syntax::ast;
use crate::typed::ir;

/// What the checker must know of the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// W: the length of `varying` and of a `block` index of `foreach`.
    pub width: u8,
    /// Bytes of a vector register: `preferred_lengthof(T)` is as many T as fit, from the widest member.
    pub register_bytes: u8,
    /// The default mode of floating-point arithmetic.
    pub fp: ir::FpMode,
}

/// Checks the files of one compilation (imports first) and instantiates what `main` and `export`s need.
pub fn check(_files: &[ast::File], _options: &Options, _diagnostics: &mut Diagnostics) -> ir::Program {
    ir::Program::default()
}
