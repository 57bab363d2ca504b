//! Lanes that change places by indices that are the same in every run are shuffled.
//!
//! ```text
//! x = add <0, 1, 2, 3>, splat 3          v = shuffle a, b, <3, 4, 5, 6>
//! v = permute2 a, b, x            ──►
//! z = select <on, on, off, off>, v, 0    z = shuffle a, b, <3, 4, −1, −1>
//! ```
//! What is known of the places decides the instructions: lanes moved along by a few places, halves, broadcasts. Where `predicate` sees a
//! constant it writes a shuffle itself; here are indices that are computed from constants, and those of functions that are inlined.

use crate::vector::ir::*;

/// Rewrites the permutations of a function whose indices are constants, and what keeps some lanes of a shuffle.
pub fn constant_permutes(function: &mut Function) {
    for block in 0..function.blocks.len() {
        for at in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at].0 as usize;
            let shuffled = match function.insts[inst].op {
                Op::Permute(table, indices) => permuted(function, [table, table], indices, 1),
                Op::Permute2(a, b, indices) => permuted(function, [a, b], indices, 2),
                Op::Select(mask, kept, off) => with_zeros(function, mask, kept, off),
                _ => None,
            };
            if let Some(op) = shuffled {
                function.insts[inst].op = op;
            }
        }
    }
}

/// A permutation of one vector or of two.
fn permuted(function: &Function, [a, b]: [Value; 2], indices: Value, vectors: u64) -> Option<Op> {
    let count = vectors * u64::from(function.ty(a).length);
    let lanes = function.constant(indices)?.into_iter().map(|lane| (lane % count) as i16).collect();
    Some(Op::Shuffle(a, b, lanes))
}

/// A shuffle of which a mask keeps some lanes, the others being zero.
fn with_zeros(function: &Function, mask: Value, kept: Value, off: Value) -> Option<Op> {
    let Some(Op::Shuffle(a, b, lanes)) = function.definition(kept) else { return None };
    let is_zero = function.constant(off)?.iter().all(|&bits| bits == 0);
    let mask = function.constant(mask).filter(|mask| is_zero && mask.len() == lanes.len())?;
    let lanes = lanes.iter().zip(mask).map(|(&lane, is_on)| if is_on == 0 { -1 } else { lane }).collect();
    Some(Op::Shuffle(*a, *b, lanes))
}
