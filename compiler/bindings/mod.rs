//! Programs as Rust sees them: safe functions over an object of this compiler.
//!
//! * `exports`: a function for each `export`, with slices, and the structs in their signatures.
//! * `pipelines`: a module for each pipeline, with views and windows.

mod exports;
mod names;
mod pipelines;

use crate::pipeline::signature::Signature;
use crate::typed::ir::Program;
use std::path::Path;

/// The bindings of a program that was compiled from `file`. The text uses the crate `ivl`.
pub fn rust(program: &Program, signatures: &[Signature], file: &Path) -> String {
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    format!("// What {name} exports.\n{}{}", exports::functions(program, signatures), pipelines::modules(signatures))
}
