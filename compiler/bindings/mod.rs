//! Programs as Rust sees them: safe functions over an object of this compiler.
//!
//! * `exports`: a function for each `export`, with slices, and the structs in their signatures.
//! * `pipelines`: a module for each pipeline, with views and windows.
//! * `facts`: what is known of their code: whether it may fail, and which accesses nobody checks.
//! * `globals`: which functions may change global variables.
//! * `records`: types and structs. `wrapper`: the text of a function around a raw one.
//! * `levels`: which code runs, where there is code for several targets.

mod exports;
mod facts;
mod globals;
mod levels;
mod names;
mod pipelines;
mod records;
mod wrapper;

use crate::pipeline::signature::Signature;
use crate::symbols::Symbols;
use crate::typed::ir::Program;
pub use facts::Facts;
use std::path::Path;

/// The bindings of a program that was compiled from `file`, whose exports have these symbols. The text uses the crate `ivl`.
pub fn rust(program: &Program, signatures: &[Signature], file: &Path, symbols: &Symbols, facts: &Facts) -> String {
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let functions = exports::functions(program, signatures, symbols, facts);
    let levels = if functions.is_empty() && signatures.is_empty() { String::new() } else { levels::constant(symbols) };
    format!("// What {name} exports.\n{levels}{functions}{}", pipelines::modules(signatures, symbols, facts))
}
