//! Ranges as text, for `--emit ranges`.
//!
//! ```text
//! def conv:
//!     O(h) +=! I(h + kh) * W(kh)
//!         h in [0, H - KH + 1)    by I(h + kh)
//!         kh in [0, KH)           by W(kh)
//! ```

use super::comprehension::{Comprehension, Given, Inferred, Shown};
use std::fmt::Write;

/// The ranges of some definitions.
pub fn ranges(all: &[Comprehension]) -> String {
    let mut out = String::new();
    for Comprehension { pipeline, ranges } in all {
        let _ = writeln!(out, "def {}:", pipeline.name);
        for Inferred { statement, indices } in ranges {
            let _ = writeln!(out, "    {statement}");
            let left = |shown: &Shown| format!("{} in [{}, {})", shown.name, shown.range[0], shown.range[1]);
            let width = indices.iter().map(|shown| left(shown).chars().count()).max().unwrap_or(0);
            for shown in indices {
                let by = match &shown.by {
                    Given::Where => "by where".to_owned(),
                    Given::Accesses(list) => format!("by {}", list.join(", ")),
                };
                let _ = writeln!(out, "        {:width$}    {by}", left(shown));
            }
        }
    }
    out
}
