//! The IVL compiler.
//!
//! ```text
//! source ─syntax─► ast ─check─► typed ─predicate─► vector ─optimize─► vector ─llvm─► object, asm, JIT
//! ```
pub mod check;
pub mod diagnostics;
pub mod driver;
#[cfg(feature = "llvm")]
pub mod llvm;
pub mod optimize;
pub mod predicate;
pub mod source;
pub mod syntax;
/// Instruction sets.
pub mod target;
pub mod typed;
pub mod types;
pub mod vector;
