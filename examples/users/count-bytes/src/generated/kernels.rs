// ivl-build 0.1.0, hash 86ff5db1a2859c169336100706f18c41, of: src/kernels.ivl
// Do not edit: `IVL_RENEW=1 cargo build` writes this file.
// What kernels.ivl exports.

/// The levels that there is code for.
pub const LEVELS: ivl::Levels = ivl::Levels::new(&[ivl::Level::Sse2, ivl::Level::Avx2, ivl::Level::Avx512]);

/// The functions as C sees them.
#[allow(dead_code, missing_docs, non_snake_case, unused_imports)]
pub mod sys {
    use super::*;

    unsafe extern "C" {
        #[link_name = "count_bytes_0_1_kernels_count"]
        pub fn count(text: *const u8, byte: u8, n: i64) -> i64;
        #[link_name = "count_bytes_0_1_kernels_count__sse2"]
        pub fn count__sse2(text: *const u8, byte: u8, n: i64) -> i64;
        #[link_name = "count_bytes_0_1_kernels_count__avx2"]
        pub fn count__avx2(text: *const u8, byte: u8, n: i64) -> i64;
        #[link_name = "count_bytes_0_1_kernels_count__avx512"]
        pub fn count__avx512(text: *const u8, byte: u8, n: i64) -> i64;
    }
}

/// How often a byte occurs.
///
/// # Panics
/// If slices that are to have one length have not, and if there is no code that this processor runs.
#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]
#[track_caller]
pub fn count(text: &[u8], byte: u8) -> i64 {
    try_count(text, byte).unwrap_or_else(|error| panic!("{error}"))
}

/// How often a byte occurs.
///
/// # Errors
/// If slices that are to have one length have not, and if there is no code that this processor runs; then nothing has been written.
#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]
pub fn try_count(text: &[u8], byte: u8) -> Result<i64, ivl::Error> {
    let n: i64 = ivl::length("n", &[("text", text.len())])?;
    // SAFETY: arrays have the lengths of the signature, views show what is there, and what is written overlaps nothing else.
    Ok(unsafe { match LEVELS.best()? { ivl::Level::Avx512 => sys::count__avx512(text.as_ptr(), byte, n), ivl::Level::Avx2 => sys::count__avx2(text.as_ptr(), byte, n), _ => sys::count__sse2(text.as_ptr(), byte, n) } })
}

/// How often a byte occurs.
///
/// # Panics
/// If slices that are to have one length have not, and if there is no code that this processor runs.
#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]
#[track_caller]
pub fn count_with(level: ivl::Level, text: &[u8], byte: u8) -> i64 {
    try_count_with(level, text, byte).unwrap_or_else(|error| panic!("{error}"))
}

/// How often a byte occurs.
///
/// # Errors
/// If slices that are to have one length have not, and if there is no code that this processor runs; then nothing has been written.
#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]
pub fn try_count_with(level: ivl::Level, text: &[u8], byte: u8) -> Result<i64, ivl::Error> {
    let n: i64 = ivl::length("n", &[("text", text.len())])?;
    // SAFETY: arrays have the lengths of the signature, views show what is there, and what is written overlaps nothing else.
    Ok(unsafe { match LEVELS.at_most(level)? { ivl::Level::Avx512 => sys::count__avx512(text.as_ptr(), byte, n), ivl::Level::Avx2 => sys::count__avx2(text.as_ptr(), byte, n), _ => sys::count__sse2(text.as_ptr(), byte, n) } })
}
