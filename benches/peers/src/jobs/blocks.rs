//! Blocks of numbers and bytes: `bitpacking`, `blake3`. There is nothing less than a block.

use super::{up_to_avx2, wide};
use crate::buffer::Buffer;
use crate::case::{Case, case};
use crate::pairs::Tolerance;
use bitpacking::{BitPacker, BitPacker8x};
use blake3::IncrementCounter;
use blake3::platform::Platform;
use ivl::Level;
use ivl_random::Random;

/// How many bits numbers are packed to.
const BITS: usize = 11;

/// The first words of the state of BLAKE3.
const START: [u32; 8] = [0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19];

fn words(count: usize, bits: usize) -> Buffer<u32> {
    let mut random = Random::new(1);
    Buffer::new(0, &(0..count).map(|_| (random.bits() >> (64 - bits)) as u32).collect::<Vec<_>>())
}

fn empty(place: usize, count: usize) -> Buffer<u32> {
    Buffer::new(place, &vec![0; count])
}

fn as_bytes(words: &mut [u32]) -> &mut [u8] {
    // SAFETY: every byte of a word is one, and nothing else sees the words meanwhile.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), 4 * words.len()) }
}

fn packed(blocks: usize) -> Buffer<u32> {
    let mut to = empty(0, 8 * BITS * blocks);
    pack(&words(256 * blocks, BITS), &mut to);
    to
}

fn pack(from: &[u32], to: &mut [u32]) {
    let packer = BitPacker8x::new();
    for (block, to) in from.chunks_exact(256).zip(to.chunks_exact_mut(8 * BITS)) {
        packer.compress(block, as_bytes(to), BITS as u8);
    }
}

fn unpack(from: &mut [u32], to: &mut [u32]) {
    let packer = BitPacker8x::new();
    for (from, block) in from.chunks_exact_mut(8 * BITS).zip(to.chunks_exact_mut(256)) {
        packer.decompress(as_bytes(from), block, BITS as u8);
    }
}

fn hash(isa: Level, from: &mut [u32], to: &mut [u32]) {
    let platform = if isa == Level::Avx512 { Platform::AVX512 } else { Platform::AVX2 };
    let (chunks, _) = as_bytes(from).as_chunks::<1024>();
    // As many at once as the crate has lanes, and its caller gives it.
    for (k, (chunks, to)) in chunks.chunks(16).zip(to.chunks_mut(128)).enumerate() {
        let mut inputs = [&chunks[0]; 16];
        chunks.iter().zip(&mut inputs).for_each(|(chunk, input)| *input = chunk);
        platform.hash_many(&inputs[..chunks.len()], &START, 16 * k as u64, IncrementCounter::Yes, 0, 1, 2, as_bytes(to));
    }
}

pub fn cases(isa: Level, count: usize) -> Vec<Case> {
    let blocks = count / 1024;
    if blocks == 0 {
        return Vec::new();
    }
    vec![
        case!(
            "pack numbers", count, Tolerance::None, "strict",
            data (words(256 * blocks, BITS), empty(1, 8 * BITS * blocks)),
            ours |d| pack(&d.0, &mut d.1, d.0.len() as i32 / 256, BITS as i32) as |d, _n| wide(&d.1),
            up_to_avx2(isa, "bitpacking"), |d| pack(&d.0, &mut d.1), as |d, _n| wide(&d.1)
        ),
        case!(
            "unpack numbers", count, Tolerance::None, "strict",
            data (packed(blocks), empty(1, 256 * blocks)),
            ours |d| unpack(&d.0, &mut d.1, (d.0.len() / (8 * BITS)) as i32, BITS as i32) as |d, _n| wide(&d.1),
            up_to_avx2(isa, "bitpacking"), |d| unpack(&mut d.0, &mut d.1), as |d, _n| wide(&d.1)
        ),
        case!(
            "BLAKE3 chunks", count, Tolerance::None, "strict",
            data (words(256 * blocks, 32), empty(1, 8 * blocks)),
            ours |d| hash_chunks(&d.0, &mut d.1, d.0.len() as i32 / 256) as |d, _n| wide(&d.1),
            "blake3", |d| hash(isa, &mut d.0, &mut d.1), as |d, _n| wide(&d.1)
        ),
    ]
}
