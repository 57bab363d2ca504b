//! What is compiled, and to what.

use crate::machine::Isa;
use crate::source::SourceMap;

/// How to compile.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The instruction set that may be used.
    pub isa: Isa,
    /// 0 to 3.
    pub level: u8,
    /// Line tables.
    pub debug_info: bool,
    /// Positions in messages and line tables.
    pub sources: &'a SourceMap,
}

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A relocatable ELF object.
    Object,
    /// Assembly text.
    Assembly,
    /// LLVM IR as text, after optimisation.
    LlvmIr,
}
