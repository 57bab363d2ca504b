//! Why rows are lost, where they are: what stands in the code that the compiler makes.

/// The inputs that a cause is for.
#[derive(PartialEq)]
enum Size {
    /// Less than a block or a few.
    Small,
    Large,
}

use Size::{Large, Small};

/// Rows by the beginning of their names, and the cause.
#[rustfmt::skip]
const CAUSES: &[(&str, Size, &str)] = &[
    ("count bytes", Large, "with mask registers, a mask goes through a scalar register in each round; the crate sums bytes"),
    ("hex to bytes", Large, "digits are joined behind what takes them apart; the crate joins them in one instruction, and tests them afterwards"),
    ("softmax", Large, "e to the power of x for all numbers; the crate has one for numbers that are not above 0"),
    ("sin", Large, "right to 1 ulp for all numbers; the crate is to 3.5 for small ones"),
    ("product of matrices", Large, "the crate packs what it reads"),
    ("BLAKE3", Large, "the rounds of the crate are assembly (written out, ours take 0.95 of the time); a chunk is a lane, and one takes as long as eight"),
    ("", Small, "less than a block is done under a mask"),
];

/// The cause for a row of this ratio; nothing where it is not lost.
pub fn of(row: &str, bytes: usize, ratio: f64) -> &'static str {
    let size = if bytes < 1 << 10 { Small } else { Large };
    let known = CAUSES.iter().find(|(start, of, _)| row.starts_with(start) && *of == size);
    known.filter(|_| ratio > 1.05).map_or("", |(.., cause)| cause)
}

/// Definitions, how long the sums of which they are true are, and a cause.
type Cause = (&'static [&'static str], fn(usize) -> bool, &'static str);

/// Definitions of tensors, and why `auto` is slower; `k` is how long the sums of a product are.
const TENSORS: &[Cause] = &[
    (&["mm", "mm_by_columns"], |k| k <= 64, "sums go through a tile in memory, which is much for so short ones"),
    (&["mm_by_columns"], |_| true, "A is turned for its tiles, which takes a pass; sums are not cut to what a cache holds"),
    (&["tbmm"], |_| true, "26 rows and columns are 4 tiles of 8 and 2 of 16, which overlap, and each panel is read by few tiles"),
    (&["mm", "tmm", "c3", "mlp1", "mlp3"], |_| true, "sums are not cut to what a cache holds"),
    (&["kronecker3"], |_| true, "rows of 16 are one vector of some machines: tiles of 8 rows load as often as they add"),
    (&["group_convolution"], |_| true, "rows of O are shorter than a vector"),
    (
        &["group_normalization", "layernorm", "batchnorm"],
        |_| true,
        "each statement is a pass of its own, along rows that may be short",
    ),
];

/// The same for a definition of tensors.
pub fn of_tensors(def: &str, k: usize, ratio: f64) -> &'static str {
    let known = TENSORS.iter().find(|(defs, is_it, _)| defs.contains(&def) && is_it(k));
    known.filter(|_| ratio > 1.05).map_or("", |(.., cause)| cause)
}
