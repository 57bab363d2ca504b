//! Calls of exports that have code for several targets.
//!
//! ```text
//! one target          sys::f(x)
//! several             match LEVELS.best()? { ivl::Level::Avx2 => sys::f__avx2(x), _ => sys::f__sse4(x) }
//! that may fail       sys::f__status(&mut result, x), or f__status__avx2 …: has it failed?
//! ```

use crate::machine::Isa;
use crate::symbols::{self, Symbols};
use std::fmt::Write;

/// The levels that there is code for, as Rust names them.
pub const LEVELS: &str = "LEVELS";

/// How Rust writes a level.
fn level(isa: Isa) -> String {
    format!("ivl::Level::{:?}", isa.level())
}

/// The constant that says what levels there is code for; nothing where there is one target.
pub fn constant(symbols: &Symbols) -> String {
    if symbols.targets.is_empty() {
        return String::new();
    }
    let levels: Vec<String> = symbols.targets.iter().map(|&isa| level(isa)).collect();
    format!(
        "\n/// The levels that there is code for.\npub const {LEVELS}: ivl::Levels = ivl::Levels::new(&[{}]);\n",
        levels.join(", ")
    )
}

/// An export as bindings declare and call it.
pub struct Raw<'a> {
    pub symbols: &'a Symbols,
    /// What the source calls it.
    pub symbol: &'a str,
    /// What Rust calls it.
    pub name: &'a str,
    /// What Rust calls the form that returns whether the function has failed, if it may fail.
    pub status: Option<&'a str>,
}

impl Raw<'_> {
    /// Declarations: of the function that callers use, of its code for each target, and of both in the form that returns a status. `result`
    /// is nothing for a function that has none.
    pub fn declarations(&self, parameters: &[String], result: &str, indent: &str, public: &str) -> String {
        let mut text = String::new();
        let mut declare = |name: &str, symbol: String, parameters: &str, result: &str| {
            if name.trim_start_matches("r#") != symbol {
                let _ = writeln!(text, "{indent}#[link_name = {symbol:?}]");
            }
            let arrow = if result.is_empty() { String::new() } else { format!(" -> {result}") };
            let _ = writeln!(text, "{indent}{public}fn {name}({parameters}){arrow};");
        };
        let list = parameters.join(", ");
        declare(self.name, self.symbols.of(self.symbol), &list, result);
        for &isa in &self.symbols.targets {
            declare(&format!("{}__{}", self.symbol, isa.identifier()), self.symbols.code(self.symbol, isa), &list, result);
        }
        let Some(status) = self.status else { return text };
        let place = (!result.is_empty()).then(|| format!("result: *mut {result}"));
        let list = place.into_iter().chain(parameters.iter().cloned()).collect::<Vec<_>>().join(", ");
        if self.symbols.targets.is_empty() {
            declare(status, symbols::status(&self.symbols.of(self.symbol)), &list, "u32");
        }
        for &isa in &self.symbols.targets {
            declare(
                &format!("{status}__{}", isa.identifier()),
                symbols::status(&self.symbols.code(self.symbol, isa)),
                &list,
                "u32",
            );
        }
        text
    }

    /// A call: of the function that there is, or of the code for the level that `chosen` gives; in the form that returns a status if there
    /// is one. `path` is the module that it is in.
    pub fn call(&self, path: &str, passed: &str, chosen: &str) -> String {
        let name = self.status.unwrap_or(self.name);
        let Some((lowest, others)) = self.symbols.targets.split_first() else { return format!("{path}{name}({passed})") };
        let code = self.status.unwrap_or(self.symbol);
        let arm = |isa: &Isa| format!("{path}{code}__{}({passed})", isa.identifier());
        let arms: String = others.iter().rev().map(|isa| format!("{} => {}, ", level(*isa), arm(isa))).collect();
        format!("match {chosen} {{ {arms}_ => {} }}", arm(lowest))
    }
}
