//! The index of codes, generated from the files of `codes/` by the build script. To add a code, add a file.
//!
//! Numbers: 1–99 syntax, 100–199 names, 200–299 types, 300–399 lengths and contexts, 400–499 statements,
//! 500–599 calls, 600–699 built-ins, 700–799 exports and other outside views, 800–899 warnings, 900–999 limits.

use super::Code;

include!(concat!(env!("OUT_DIR"), "/codes.rs"));

/// The code with this number (`E0042`, `42`) or name (`length-mismatch`).
pub fn find(text: &str) -> Option<&'static Code> {
    let number = text.trim_start_matches(['E', 'e']).parse().ok();
    ALL.iter().copied().find(|code| code.name == text || Some(code.number) == number)
}
