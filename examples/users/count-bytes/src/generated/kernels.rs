// ivl-build 0.1.0, hash cb494b4aff3f53ab0a5ce34edefb9e2f, of: src/kernels.ivl
// Do not edit: `IVL_RENEW=1 cargo build` writes this file.
// What kernels.ivl exports.

/// The levels that there is code for.
pub const LEVELS: ivl::Levels = ivl::Levels::new(&[ivl::Level::Sse2, ivl::Level::Avx2, ivl::Level::Avx512]);

/// The functions as C sees them. Where a check fails, they end the program.
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
        #[link_name = "count_bytes_0_1_kernels_count__sse2.status"]
        pub fn count__status__sse2(result: *mut i64, text: *const u8, byte: u8, n: i64) -> u32;
        #[link_name = "count_bytes_0_1_kernels_count__avx2.status"]
        pub fn count__status__avx2(result: *mut i64, text: *const u8, byte: u8, n: i64) -> u32;
        #[link_name = "count_bytes_0_1_kernels_count__avx512.status"]
        pub fn count__status__avx512(result: *mut i64, text: *const u8, byte: u8, n: i64) -> u32;
    }
}

/// How often a byte occurs.
///
/// # Panics
/// If slices have not the lengths that they are to have, a check in it fails, or there is no code that this processor runs.
#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]
#[inline]
#[track_caller]
pub fn count(text: &[u8], byte: u8) -> i64 {
    match try_count(text, byte) {
        Ok(result) => result,
        Err(error) => ivl::fail(error),
    }
}

/// How often a byte occurs.
///
/// # Errors
/// If slices have not the lengths that they are to have, a check in it fails, or there is no code that this processor runs. Where a check has failed, what was written before it has been written.
#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]
#[inline]
pub fn try_count(text: &[u8], byte: u8) -> Result<i64, ivl::Error> {
    let n = text.len() as i64;
    if n as usize != text.len() {
        return Err(ivl::wrong_lengths("n", &[("text", text.len())]));
    }
    // SAFETY: arrays have the lengths of the signature, views show what is there, and what is written overlaps nothing else.
    let mut result = core::mem::MaybeUninit::<i64>::uninit();
    ivl::completed(unsafe { match LEVELS.best()? { ivl::Level::Avx512 => sys::count__status__avx512(result.as_mut_ptr(), text.as_ptr(), byte, n), ivl::Level::Avx2 => sys::count__status__avx2(result.as_mut_ptr(), text.as_ptr(), byte, n), _ => sys::count__status__sse2(result.as_mut_ptr(), text.as_ptr(), byte, n) } })?;
    // SAFETY: what comes to its end has written its result.
    Ok(unsafe { result.assume_init() })
}

/// How often a byte occurs.
///
/// # Panics
/// If slices have not the lengths that they are to have, a check in it fails, or there is no code that this processor runs.
#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]
#[inline]
#[track_caller]
pub fn count_with(level: ivl::Level, text: &[u8], byte: u8) -> i64 {
    match try_count_with(level, text, byte) {
        Ok(result) => result,
        Err(error) => ivl::fail(error),
    }
}

/// How often a byte occurs.
///
/// # Errors
/// If slices have not the lengths that they are to have, a check in it fails, or there is no code that this processor runs. Where a check has failed, what was written before it has been written.
#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]
#[inline]
pub fn try_count_with(level: ivl::Level, text: &[u8], byte: u8) -> Result<i64, ivl::Error> {
    let n = text.len() as i64;
    if n as usize != text.len() {
        return Err(ivl::wrong_lengths("n", &[("text", text.len())]));
    }
    // SAFETY: arrays have the lengths of the signature, views show what is there, and what is written overlaps nothing else.
    let mut result = core::mem::MaybeUninit::<i64>::uninit();
    ivl::completed(unsafe { match LEVELS.at_most(level)? { ivl::Level::Avx512 => sys::count__status__avx512(result.as_mut_ptr(), text.as_ptr(), byte, n), ivl::Level::Avx2 => sys::count__status__avx2(result.as_mut_ptr(), text.as_ptr(), byte, n), _ => sys::count__status__sse2(result.as_mut_ptr(), text.as_ptr(), byte, n) } })?;
    // SAFETY: what comes to its end has written its result.
    Ok(unsafe { result.assume_init() })
}
