//! Names and types as Rust writes them.

use crate::types::Element;
use rustc_hash::FxHashSet;

/// A name that is not taken, like this one; it is taken now.
pub fn fresh(taken: &mut FxHashSet<String>, mut name: String) -> String {
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// The type of Rust.
pub fn rust_type(element: Element) -> &'static str {
    match element {
        Element::Bool => "bool",
        Element::Int8 => "i8",
        Element::Int16 => "i16",
        Element::Int32 => "i32",
        Element::Int64 => "i64",
        Element::Uint8 => "u8",
        Element::Uint16 => "u16",
        Element::Uint32 => "u32",
        Element::Uint64 => "u64",
        Element::Float => "f32",
        Element::Double => "f64",
        Element::Float16 => "ivl::Float16",
    }
}

/// A name in Rust.
pub fn identifier(name: &str) -> String {
    match name {
        // These are not raw identifiers either.
        "self" | "Self" | "super" | "crate" | "_" => format!("{name}_"),
        _ if KEYWORDS.contains(&name) => format!("r#{name}"),
        _ => name.to_owned(),
    }
}

#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum", "extern",
    "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override",
    "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];
