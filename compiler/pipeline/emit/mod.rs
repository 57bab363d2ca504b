//! A scheduled pipeline as source text that a person could have written.
//!
//! ```text
//! produce g:                                           int g[x0 : 10];
//!   foreach x in [x0, +10) by 8               ──►      foreach (int block[8] x = x0 .. x0 + 10) g(x) = in(x) + in(x + 1);
//!     g[x] = in[x] + in[x + 1]
//! ```
//! What is printed is the completed nest behind the passes, statement by statement: funcs are images, vector loops `foreach`, start
//! checks `require`. One file has the functions of the program that the pipelines call, as they are written there, and an exported function for
//! each schedule; `ivlc check` takes it, and it computes the same to the bit. What the lowering does to addresses is left to the compiler
//! of the language.
//!
//! * `lines`: text, line by line. `printer`: names and places. `expressions`, `statements`: what is computed and done.
//! * `program`: the functions that pipelines call.

mod expressions;
mod lines;
mod printer;
mod program;
mod statements;

use super::bounds::infer::Windows;
use super::passes;
use printer::Printer;
pub use program::Program;

/// A schedule that is printed.
pub struct Printed<'s> {
    /// Its name.
    pub schedule: &'s str,
    /// The name of its function.
    pub function: String,
    /// Its loops and their windows.
    pub windows: &'s Windows,
}

/// The file for some schedules.
///
/// # Errors
/// What the language has no words for, as a message.
pub fn file(schedules: &[Printed<'_>], program: &Program<'_>) -> Result<String, String> {
    let mut functions = String::new();
    let mut called = Vec::new();
    for Printed { schedule, function, windows } in schedules {
        let nest = passes::run(windows);
        let mut printer = Printer::new(&nest, windows, function, program);
        printer.function(schedule);
        called.append(&mut printer.called);
        functions.push('\n');
        for helper in printer.helpers {
            functions += &helper.finish();
            functions.push('\n');
        }
        functions += &printer.lines.finish();
    }
    let own = program.items(&called)?;
    Ok(format!("{own}{functions}").trim_start().to_owned())
}
