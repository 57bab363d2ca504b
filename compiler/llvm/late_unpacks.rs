//! A pass over LLVM's IR, behind its optimiser and before instruction selection: two shuffles of narrow lanes that take halves of each 128
//! bits from the same two vectors, on targets that move bytes within these.
//!
//! ```text
//! s = shufflevector <16 x i8> a, b, <0, 2, …, 14, 16, 18, …, 30>        c = fence (shufflevector a, <0, 2, …, 14, 1, 3, …, 15>)
//! t = shufflevector <16 x i8> a, b, <1, 3, …, 15, 17, 19, …, 31>   →    d = fence (shufflevector b, <0, 2, …, 14, 1, 3, …, 15>)
//!                                                                       s = the lower halves of c and d, t = the upper ones
//! ```
//!
//! LLVM puts shuffles of shuffles together, also where others take them apart again: each of s and t then moves the bytes of both vectors
//! and puts them together, six instructions where four do. The fences, which are no instructions, keep it from doing that once more.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::module::Module;

use super::builder::{Builder, LlvmValue, functions, instructions, opcode, users};

/// Runs the pass over all functions of a module, for registers of up to so many bits.
pub(super) fn share(module: &Module<'_>, register_bits: u32) {
    let b = Builder::new(module);
    for function in functions(b.module) {
        let mut done = Vec::new();
        for value in instructions(function) {
            let Some(first) = Halves::of(&b, value, register_bits).filter(|_| !done.contains(&value)) else { continue };
            let is_partner = |user: &LlvmValue| {
                // SAFETY: instructions are asked for their blocks.
                let is_near = || unsafe { LLVMGetInstructionParent(*user) == LLVMGetInstructionParent(value) };
                *user != value && !done.contains(user) && opcode(*user) == Some(LLVMOpcode::LLVMShuffleVector) && is_near()
            };
            let partners = users(first.sources[0]).into_iter().filter(is_partner);
            let same = |second: &Halves| second.sources == first.sources;
            let Some(second) = partners.filter_map(|user| Halves::of(&b, user, register_bits)).find(same) else { continue };
            done.extend([first.value, second.value]);
            write(&b, &first, &second);
        }
    }
}

/// A shuffle whose 128 bits have their lower halves from one vector, and their upper ones from another, of the same 128 bits.
struct Halves {
    value: LlvmValue,
    sources: [LlvmValue; 2],
    /// The lanes of the sources.
    lanes: Vec<i32>,
}

impl Halves {
    fn of(b: &Builder, value: LlvmValue, register_bits: u32) -> Option<Halves> {
        if opcode(value) != Some(LLVMOpcode::LLVMShuffleVector) {
            return None;
        }
        let ty = b.type_of(value);
        let (count, bits) = (b.lanes(ty), b.element_bits(ty));
        // SAFETY: a shuffle has two operands of one type and a mask.
        let (sources, lanes): (_, Vec<i32>) = unsafe {
            let lane = |lane| LLVMGetMaskValue(value, lane);
            ([0, 1].map(|k| LLVMGetOperand(value, k)), (0..LLVMGetNumMaskElements(value)).map(lane).collect())
        };
        let block = 128 / bits.max(1);
        let fits = matches!(bits, 8 | 16) && matches!(count * bits, 128 | 256 | 512) && count * bits <= register_bits;
        let is_half = |(place, lane): (u32, &i32)| {
            let source = place % block / (block / 2);
            u32::try_from(*lane).is_ok_and(|lane| lane / count == source && lane % count / block == place / block)
        };
        let is_one = fits && b.type_of(sources[0]) == ty && sources[0] != sources[1] && (0..).zip(&lanes).all(is_half);
        is_one.then(|| Halves { value, sources, lanes: lanes.iter().map(|lane| lane % count as i32).collect() })
    }
}

/// Writes both in front of the first, in whose place they come.
fn write(b: &Builder, first: &Halves, second: &Halves) {
    let ty = b.type_of(first.value);
    let (count, bits) = (b.lanes(ty) as usize, b.element_bits(ty));
    let half = 64 / bits as usize;
    // SAFETY: the sources stand in front of the first of two shuffles of a block.
    unsafe { LLVMPositionBuilderBefore(b.raw, first.value) };
    let floats = b.vector(b.f32(), count as u32 * bits / 32);
    let wide = b.vector(b.int(64), count as u32 * bits / 64);
    let moved: [LlvmValue; 2] = [0, 1].map(|source| {
        let halves = |place: usize| [first, second][place % (2 * half) / half];
        let of_block = |place: usize| place / (2 * half) * 2 * half + source * half + place % half;
        let lanes: Vec<i32> = (0..count).map(|place| halves(place).lanes[of_block(place)]).collect();
        let moved = b.bitcast(b.shuffle_one(first.sources[source], &lanes), floats);
        b.bitcast(b.intrinsic("llvm.arithmetic.fence", &[floats], &[moved]), wide)
    });
    let blocks = count as i32 / (2 * half as i32);
    for (k, of) in (0..).zip([first, second]) {
        let lanes: Vec<i32> = (0..blocks).flat_map(|block| [2 * block + k, 2 * (block + blocks) + k]).collect();
        let unpacked = b.bitcast(b.shuffle(moved[0], moved[1], &lanes), ty);
        // SAFETY: a value of the same type stands for one that comes behind it.
        unsafe { LLVMReplaceAllUsesWith(of.value, unpacked) };
    }
}
