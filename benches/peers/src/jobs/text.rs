//! Bytes as text and back: `hex-simd`, `base64-simd`; and whether bytes are a text: `simdutf8`.

use super::{bytes, up_to_avx2, wide};
use crate::buffer::Buffer;
use crate::case::{Case, case};
use crate::pairs::Tolerance;
use base64_simd::{AsOut, STANDARD};
use hex_simd::AsciiCase;
use ivl::Level;

/// Text with characters of one to four bytes, cut where one ends and filled with spaces.
fn text(count: usize) -> Buffer<u8> {
    let sample = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. Съешь ещё этих мягких французских булок. いろはにほへと 🦀🦀 ";
    let mut text: Vec<u8> = sample.bytes().cycle().take(count).collect();
    let whole = std::str::from_utf8(&text).map_or_else(|error| error.valid_up_to(), |text| text.len());
    text[whole..].fill(b' ');
    Buffer::new(0, &text)
}

fn empty(count: usize) -> Buffer<u8> {
    Buffer::new(1, &vec![0; count])
}

fn hex(count: usize) -> Buffer<u8> {
    let mut text = vec![0; count];
    let _ = hex_simd::encode(&bytes(0, count / 2), text.as_mut_slice().as_out(), AsciiCase::Lower);
    Buffer::new(0, &text)
}

fn base64(count: usize) -> Buffer<u8> {
    let mut text = vec![0; count];
    let _ = STANDARD.encode(&bytes(0, count / 4 * 3), text.as_mut_slice().as_out());
    Buffer::new(0, &text)
}

pub fn cases(isa: Level, count: usize) -> Vec<Case> {
    let threes = count / 3;
    vec![
        case!(
            "bytes to hex", count, Tolerance::None, "strict",
            data (bytes(0, count), empty(2 * count)),
            ours |d| hex_encode(&d.0, &mut d.1) as |d, _n| wide(&d.1),
            up_to_avx2(isa, "hex-simd"), |d| hex_simd::encode(&d.0, d.1.as_out(), AsciiCase::Lower).len(), as |d, _n| wide(&d.1)
        ),
        case!(
            "hex to bytes", count, Tolerance::None, "strict",
            data (hex(count), empty(count / 2)),
            ours |d| hex_decode(&d.0, &mut d.1) as |d, good| { assert!(*good); wide(&d.1) },
            up_to_avx2(isa, "hex-simd"), |d| hex_simd::decode(&d.0, d.1.as_out()).is_ok(), as |d, _n| wide(&d.1)
        ),
        case!(
            "bytes to base64", count, Tolerance::None, "strict",
            data (bytes(0, 3 * threes), empty(4 * threes)),
            ours |d| base64_encode(&d.0, &mut d.1, d.0.len() as i32 / 3) as |d, _n| wide(&d.1),
            up_to_avx2(isa, "base64-simd"), |d| STANDARD.encode(&d.0, d.1.as_out()).len(), as |d, _n| wide(&d.1)
        ),
        case!(
            "base64 to bytes", count, Tolerance::None, "strict",
            data (base64(count), empty(count / 4 * 3)),
            ours |d| base64_decode(&d.0, &mut d.1, d.0.len() as i32 / 4) as |d, good| { assert!(*good); wide(&d.1) },
            up_to_avx2(isa, "base64-simd"), |d| STANDARD.decode(&d.0, d.1.as_out()).is_ok(), as |d, _n| wide(&d.1)
        ),
        case!(
            "is it UTF-8", count, Tolerance::None, "strict",
            data text(count),
            ours |d| is_utf8(d) as |_d, good| vec![f64::from(*good)],
            up_to_avx2(isa, "simdutf8"), |d| simdutf8::basic::from_utf8(d).is_ok(), as |_d, good| vec![f64::from(*good)]
        ),
    ]
}
