//! The standard library: the files of `stdlib/`, which are a part of the compiler, and the names that they define.
//!
//! A file is read when a program mentions one of its names, and of the file those items that the program reaches by what it
//! mentions ([`Reached`]): the others are no more than tokens. A function of the program hides the library's of that name.
//!
//! ```text
//! tan(x)  ──►  float tan(float) { … __reduced(x) … }, struct __turn_f, …        and not sin, exp, pow, …
//! ```

use crate::source::FileId;
use crate::syntax::declarations::{Declaration, declarations};
use crate::syntax::token::{Token, TokenKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A file of the library.
pub struct LibraryFile {
    /// Its name in messages and line tables.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The functions, structs and definitions that it is there for.
    pub functions: &'static [&'static str],
    /// Do pipelines call them, whatever the program mentions?
    pub is_for_pipelines: bool,
}

/// The mathematical functions, each for double, for float, and some of these in several versions.
const MATHS: &[&str] = &[
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot", "sin", "cos", "sincos", "tan", "asin",
    "acos", "atan", "atan2", "sinh", "cosh", "tanh",
];

/// Definitions for pipelines, and functions that these take.
const PIPELINES: &[&str] = &[
    "as_int",
    "as_float",
    "down_x",
    "down_y",
    "down",
    "up_x",
    "up_y",
    "up",
    "shrink_x",
    "shrink_y",
    "shrink",
    "nearest_x",
    "nearest_y",
    "nearest",
    "linear_x",
    "linear_y",
    "linear",
    "histogram_x",
    "histogram",
    "integral_x",
    "integral_y",
    "integral",
    "convolve_x",
    "convolve_y",
    "box_kernel",
    "triangle_kernel",
    "cubic_kernel",
    "lanczos_kernel",
    "resample_x",
    "resample_y",
    "luma",
    "luma709",
    "to_ycbcr",
    "to_ycbcr709",
    "from_ycbcr",
    "from_ycbcr709",
    "to_hsv",
    "from_hsv",
    "to_srgb",
    "to_linear",
];

/// All of them, those that mention others before these.
pub const FILES: &[LibraryFile] = &[
    LibraryFile {
        name: "stdlib/pipelines.ivl",
        text: include_str!("../stdlib/pipelines.ivl"),
        functions: PIPELINES,
        is_for_pipelines: false,
    },
    LibraryFile {
        name: "stdlib/containers.ivl",
        text: include_str!("../stdlib/containers.ivl"),
        functions: &["hsoa", "block_index"],
        is_for_pipelines: false,
    },
    LibraryFile { name: "stdlib/math.ivl", text: include_str!("../stdlib/math.ivl"), functions: MATHS, is_for_pipelines: false },
    LibraryFile {
        name: "stdlib/math_float.ivl",
        text: include_str!("../stdlib/math_float.ivl"),
        functions: MATHS,
        is_for_pipelines: false,
    },
    LibraryFile {
        name: "stdlib/math_versions.ivl",
        text: include_str!("../stdlib/math_versions.ivl"),
        functions: MATHS,
        is_for_pipelines: false,
    },
    LibraryFile {
        name: "stdlib/integers.ivl",
        text: include_str!("../stdlib/integers.ivl"),
        functions: &["floor_div", "floor_mod", "average", "rounding_average", "saturating_mul", "packed_load", "reduce_equal"],
        is_for_pipelines: true,
    },
];

/// What a program reaches of the library.
#[derive(Default)]
pub struct Reached {
    /// The names that the program mentions.
    by_program: FxHashSet<Rc<str>>,
    /// Those that the reached items of the library mention.
    by_library: FxHashSet<Rc<str>>,
    /// Does the program have pipelines or definitions of tensors?
    has_pipelines: bool,
    /// For each tree that was made of the library its file, and of how many tokens.
    pub(crate) trees: Vec<(FileId, usize)>,
}

impl Reached {
    /// A file of the program mentions these.
    pub fn mention(&mut self, tokens: &[Token]) {
        let begins = |word: Option<&str>| matches!(word, Some("pipeline" | "def"));
        self.has_pipelines |= tokens.windows(2).any(|two| begins(two[0].kind.name()) && two[1].kind.name().is_some());
        self.by_program.extend(names(tokens));
    }

    /// Is a file of the library read?
    pub fn is_read(&self, file: &LibraryFile) -> bool {
        let is_mentioned = |&name: &&str| self.by_program.contains(name) || self.by_library.contains(name);
        (self.has_pipelines && file.is_for_pipelines) || file.functions.iter().any(is_mentioned)
    }

    /// Is an item of a file reached? What cannot be named is, and so is all that pipelines call without mentioning it.
    fn is_reached(&self, file: &LibraryFile, item: &Declaration) -> bool {
        let is_mentioned =
            |name: &str| self.by_library.contains(name) || (self.by_program.contains(name) && file.functions.contains(&name));
        (self.has_pipelines && file.is_for_pipelines) || item.name.is_none_or(is_mentioned)
    }

    /// Follows what the items of the files mention. For each file, the tokens of those that are reached, and the end.
    pub fn follow(&mut self, files: &[(&LibraryFile, &[Token])]) -> Vec<Vec<Token>> {
        let items: Vec<Vec<Declaration>> = files.iter().map(|(_, tokens)| declarations(tokens)).collect();
        let mut kept: Vec<Vec<bool>> = items.iter().map(|items| vec![false; items.len()]).collect();
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for (((file, _), items), kept) in files.iter().zip(&items).zip(&mut kept) {
                for (item, kept) in items.iter().zip(kept) {
                    if !*kept && self.is_reached(file, item) {
                        (*kept, grows) = (true, true);
                        self.by_library.extend(names(item.tokens));
                    }
                }
            }
        }
        let tokens_of = |items: &[Declaration], kept: &[bool]| {
            let kept = items.iter().zip(kept).filter(|(_, kept)| **kept);
            kept.flat_map(|(item, _)| item.tokens.iter().cloned()).collect::<Vec<Token>>()
        };
        let mut reached: Vec<Vec<Token>> = items.iter().zip(&kept).map(|(items, kept)| tokens_of(items, kept)).collect();
        for (reached, (_, tokens)) in reached.iter_mut().zip(files) {
            reached.extend(tokens.last().cloned());
        }
        reached
    }
}

/// The names among tokens.
fn names(tokens: &[Token]) -> impl Iterator<Item = Rc<str>> {
    tokens.iter().filter_map(|token| if let TokenKind::Name(name) = &token.kind { Some(name.clone()) } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Diagnostics;
    use crate::syntax::lex;

    fn tokens(text: &str) -> Vec<Token> {
        lex(FileId::default(), text, &mut Diagnostics::new())
    }

    /// The names of what a program reaches of the files that it mentions.
    fn reached(program: &str) -> Vec<String> {
        let mut reached = Reached::default();
        reached.mention(&tokens(program));
        let files: Vec<(&LibraryFile, Vec<Token>)> =
            FILES.iter().filter(|file| reached.is_read(file)).map(|file| (file, tokens(file.text))).collect();
        let files: Vec<(&LibraryFile, &[Token])> = files.iter().map(|(file, tokens)| (*file, &tokens[..])).collect();
        let kept = reached.follow(&files);
        kept.iter().flat_map(|tokens| declarations(tokens)).filter_map(|item| item.name.map(str::to_owned)).collect()
    }

    #[test]
    fn every_token_of_the_library_is_of_an_item_with_a_name() {
        for file in FILES {
            let tokens = tokens(file.text);
            let items = declarations(&tokens);
            assert_eq!(items.iter().map(|item| item.tokens.len()).sum::<usize>() + 1, tokens.len(), "{}", file.name);
            for item in &items {
                let is_name = |name: &str| names(item.tokens).any(|named| &*named == name) && !crate::syntax::is_reserved(name);
                assert!(item.name.is_some_and(is_name), "{}: {:?}", file.name, item.name);
            }
        }
    }

    #[test]
    fn what_a_function_calls_is_reached_and_what_it_does_not_is_not() {
        let names = reached("float f(float x) { return tan(x); }");
        let has = |name: &str| names.iter().any(|n| n == name);
        assert!(has("tan") && has("__turn_f") && has("__two_over_pi_f"), "{names:?}");
        assert!(!has("exp") && !has("atan2") && !has("sinh"), "{names:?}");
    }

    #[test]
    fn a_private_name_of_the_library_in_a_program_reaches_nothing() {
        assert!(reached("int __turn_f = 1; int __scale(int x) { return x; }").is_empty());
        let with = reached("float f(float x) { return exp(x) + __sine_of(x); }");
        assert!(with.iter().any(|n| n == "exp") && !with.iter().any(|n| n == "__sine_of"), "{with:?}");
    }
}
