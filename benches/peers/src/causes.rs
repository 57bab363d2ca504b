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
    ("count bytes in lanes", Large, "each mask is widened to 32 bits, since the counters have these"),
    ("count bytes", Large, "a mask goes through scalar registers in each round; the crate adds bytes and sums them every 255 rounds"),
    ("find a byte", Large, "one vector a round; the crate tests four at a time"),
    ("is it UTF-8, checked", Large, "an index that is shifted or masked is not known to be inside of the table"),
    ("is it UTF-8", Large, "comparisons of the loop's index are made for each lane, in 32 bits"),
    ("hex to bytes", Large, "each test of a range is three instructions on AVX2"),
    ("Adler-32", Large, "products in 32 bits whose factors fit in 16"),
    ("YUV to RGBA", Large, "rounded high products are made in 32 bits"),
    ("softmax", Large, "the greatest number is found by one chain of maxima"),
    ("sin", Large, "computed in double to be right to 1 ulp for all numbers; the crate is to 3.5 for small ones"),
    ("tanh", Large, "computed in double to be right to 1 ulp; the crate is to 3"),
    ("product of matrices", Large, "one accumulator a block; the crate keeps tiles of the result in registers and packs what it reads"),
    ("pack numbers", Large, "the number of bits is known when it runs; the crate has code for each"),
    ("unpack numbers", Large, "the number of bits is known when it runs; the crate has code for each"),
    ("BLAKE3", Large, "words are gathered; the crate loads rows and transposes them"),
    ("", Small, "less than a block is done under a mask"),
];

/// The cause for a row of this ratio; nothing where it is not lost.
pub fn of(row: &str, bytes: usize, ratio: f64) -> &'static str {
    let size = if bytes < 1 << 10 { Small } else { Large };
    let known = CAUSES.iter().find(|(start, of, _)| row.starts_with(start) && *of == size);
    known.filter(|_| ratio > 1.05).map_or("", |(.., cause)| cause)
}
