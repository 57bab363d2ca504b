//! Counts bytes and lines.
//!
//! The kernels are written in IVL. What is published is `src/generated`, assembly and bindings, so that this crate is built without
//! the compiler of IVL, LLVM or a C compiler. `IVL_RENEW=1 cargo build` writes that folder again, and each build looks whether it is
//! that of `src/kernels.ivl`.

#![no_std]

ivl::include_ivl!("kernels");

/// How often `byte` is in `text`.
///
/// ```
/// assert_eq!(count_bytes::count(b"banana", b'a'), 3);
/// ```
pub fn count(text: &[u8], byte: u8) -> usize {
    kernels::count(text, byte) as usize
}

/// How many lines a text has; the last one may have no end.
pub fn lines(text: &[u8]) -> usize {
    count(text, b'\n') + usize::from(text.last().is_some_and(|&byte| byte != b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ivl::Level;

    #[test]
    fn every_level_counts_what_is_there() {
        let text: [u8; 50_000] = core::array::from_fn(|i| (i * i % 251 * 3 % 7) as u8);
        for end in [0, 1, 15, 16, 63, 64, 65, 1000, 16_320, 16_321, 50_000] {
            let slow = text[..end].iter().filter(|&&byte| byte == 3).count();
            assert_eq!(count(&text[..end], 3), slow, "{end}");
            for level in Level::ALL.into_iter().filter(|level| level.supported()) {
                assert_eq!(kernels::count_with(level, &text[..end], 3) as usize, slow, "{end} on {level}");
            }
        }
        assert_eq!(count(&[7; 50_000], 7), 50_000);
    }

    #[test]
    fn lines_end_or_not() {
        assert_eq!([lines(b""), lines(b"a"), lines(b"a\n"), lines(b"a\nb")], [0, 1, 1, 2]);
    }
}
