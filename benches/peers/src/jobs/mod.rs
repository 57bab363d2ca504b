//! The jobs, by kernel files.
//!
//! * `bytes`: `bytecount`, `memchr`. `text`: `hex-simd`, `base64-simd`, `simdutf8`.
//! * `call`: what a safe function costs beside the raw one.
//! * `numbers`: `argminmax`, `simd-adler32`. `maths`: `rten-vecmath`. `colours`: `yuv`.
//! * `matrices`: `matrixmultiply`. `blocks`: `bitpacking`, `blake3`.

#![allow(unused_unsafe, reason = "kernels that have nothing to check are safe without checks, too")]

mod blocks;
mod bytes;
mod call;
mod colours;
mod maths;
mod matrices;
mod numbers;
mod text;

use crate::buffer::Buffer;
use crate::case::Case;
use ivl::Level;
use ivl_random::Random;

/// The cases of a job for an input of so many bytes.
pub type Job = fn(Level, usize) -> Vec<Case>;

/// All of them.
pub const ALL: &[Job] =
    &[call::cases, bytes::cases, text::cases, numbers::cases, maths::cases, colours::cases, matrices::cases, blocks::cases];

/// Bytes of all values but 255.
fn bytes(place: usize, count: usize) -> Buffer<u8> {
    let mut random = Random::new(place as u64 + 1);
    Buffer::new(place, &(0..count).map(|_| ((random.bits() >> 32) % 255) as u8).collect::<Vec<_>>())
}

/// Numbers in [low, high).
fn floats(place: usize, count: usize, low: f32, high: f32) -> Buffer<f32> {
    let mut random = Random::new(place as u64 + 1);
    let mut unit = || (random.bits() >> 40) as f32 / (1u64 << 24) as f32;
    Buffer::new(place, &(0..count).map(|_| low + (high - low) * unit()).collect::<Vec<_>>())
}

/// What the table calls a crate that has no code for AVX-512.
fn up_to_avx2(isa: Level, name: &str) -> String {
    if isa == Level::Avx512 { format!("{name} (avx2)") } else { name.to_owned() }
}

/// Numbers to compare.
fn wide<T: Copy + Into<f64>>(values: &[T]) -> Vec<f64> {
    values.iter().map(|&v| v.into()).collect()
}
