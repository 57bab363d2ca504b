//! Why rows are lost, where they are: what stands in the code that the compiler makes.

use ivl::Level;

/// The inputs that a cause is for.
#[derive(PartialEq)]
enum Size {
    /// Less than a block or a few.
    Small,
    Large,
}

use Size::{Large, Small};

/// Rows by the beginning of their names, the lowest level, and the cause.
#[rustfmt::skip]
const CAUSES: &[(&str, Size, Level, &str)] = &[
    ("count bytes in lanes", Large, Level::Avx2, "each mask is widened to 32 bits, since the counters have these"),
    ("count bytes", Large, Level::Avx2, "a mask goes through scalar registers in each round; the crate adds bytes and sums them every 255 rounds"),
    ("find a byte", Large, Level::Avx2, "one vector a round; the crate tests four at a time"),
    ("bytes to hex, checked", Large, Level::Avx2, "an index that is shifted or masked is not known to be inside of the table"),
    ("bytes to base64, checked", Large, Level::Avx2, "an index that is shifted or masked is not known to be inside of the table"),
    ("is it UTF-8, checked", Large, Level::Avx2, "an index that is shifted or masked is not known to be inside of the table"),
    ("is it UTF-8", Large, Level::Avx2, "comparisons of the loop's index are made for each lane, in 32 bits; `good` is kept in 32 bits a lane on AVX2"),
    ("hex to bytes", Large, Level::Avx2, "`good` is kept in 32 bits a lane on AVX2"),
    ("base64 to bytes", Large, Level::Avx2, "`good` is kept in 32 bits a lane on AVX2"),
    ("Adler-32", Large, Level::Avx2, "products in 32 bits whose factors fit in 16"),
    ("YUV to RGBA", Large, Level::Avx2, "rounded high products are made in 32 bits"),
    ("softmax", Large, Level::Avx2, "the greatest number is found by one chain of maxima"),
    ("sin", Large, Level::Avx2, "computed in double to be right to 1 ulp for all numbers; the crate is to 3.5 for small ones"),
    ("tanh", Large, Level::Avx2, "computed in double to be right to 1 ulp; the crate is to 3"),
    ("", Small, Level::Avx2, "less than a block is done under a mask"),
];

/// The cause for a row of this ratio; nothing where it is not lost.
pub fn of(row: &str, isa: Level, bytes: usize, ratio: f64) -> &'static str {
    let size = if bytes < 1 << 10 { Small } else { Large };
    let known = CAUSES.iter().find(|(start, of, lowest, _)| row.starts_with(start) && *of == size && *lowest <= isa);
    known.filter(|_| ratio > 1.05).map_or("", |(.., cause)| cause)
}
