//! Calls of exports that have code for several targets.
//!
//! ```text
//! one target          sys::f(x)
//! several             match LEVELS.best()? { ivl::Level::Avx2 => sys::f__avx2(x), _ => sys::f__sse4(x) }
//! ```

use crate::symbols::Symbols;
use crate::target::Isa;
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

/// Declarations of the raw functions of an export: of the one that callers use, and of its code for each target. `name` is what Rust calls
/// the function, `symbol` what the source does.
pub fn declarations(symbols: &Symbols, name: &str, symbol: &str, signature: &str, indent: &str, public: &str) -> String {
    let mut text = String::new();
    let mut declare = |name: &str, symbol: String| {
        if name.trim_start_matches("r#") != symbol {
            let _ = writeln!(text, "{indent}#[link_name = {symbol:?}]");
        }
        let _ = writeln!(text, "{indent}{public}fn {name}{signature};");
    };
    declare(name, symbols.of(symbol));
    for &isa in &symbols.targets {
        declare(&format!("{symbol}__{isa}"), symbols.code(symbol, isa));
    }
    text
}

/// The call of an export: of the one that there is, or of the code for the level that `chosen` gives.
pub fn call(symbols: &Symbols, path: &str, name: &str, symbol: &str, passed: &str, chosen: &str) -> String {
    let Some((lowest, others)) = symbols.targets.split_first() else { return format!("{path}{name}({passed})") };
    let arm = |isa: &Isa| format!("{path}{symbol}__{isa}({passed})");
    let arms: String = others.iter().rev().map(|isa| format!("{} => {}, ", level(*isa), arm(isa))).collect();
    format!("match {chosen} {{ {arms}_ => {} }}", arm(lowest))
}
