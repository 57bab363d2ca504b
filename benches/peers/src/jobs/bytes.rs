//! Bytes that are looked for: `bytecount`, `memchr`.

use super::{bytes, up_to_avx2};
use crate::case::{Case, case};
use crate::pairs::Tolerance;
use ivl::Level;

pub fn cases(isa: Level, count: usize) -> Vec<Case> {
    vec![
        case!(
            "count bytes", count, Tolerance::None, "strict",
            data bytes(0, count),
            ours |d| count(d, 7) as |_d, n| vec![*n as f64],
            up_to_avx2(isa, "bytecount"), |d| bytecount::count(d, 7), as |_d, n| vec![*n as f64]
        ),
        case!(
            "count bytes in lanes", count, Tolerance::None, "strict",
            data bytes(0, count),
            ours |d| count_in_lanes(d, 7) as |_d, n| vec![f64::from(*n)],
            up_to_avx2(isa, "bytecount"), |d| bytecount::count(d, 7), as |_d, n| vec![*n as f64]
        ),
        case!(
            "find a byte", count, Tolerance::None, "strict",
            data bytes(0, count),
            ours |d| find(d, 255) as |_d, n| vec![f64::from(*n)],
            up_to_avx2(isa, "memchr"), |d| memchr::memchr(255, d).unwrap_or(d.len()), as |_d, n| vec![*n as f64]
        ),
    ]
}
