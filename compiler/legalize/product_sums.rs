//! Sums of four products that the machine has no instruction for are sums of two of wider numbers.
//!
//! ```text
//! s = dot4 a, b, c: i8×4N      ──►     a₀ = ashr (shl a', 8), 8;  a₁ = ashr a', 8      a' = reinterpret a: i16×2N, where its numbers are signed
//!                                      b₀ = and b', 255;          b₁ = lshr b', 8      b' = reinterpret b, where they are not
//!                                      s = add (add c, (dot2 a₀, b₀)), (dot2 a₁, b₁)
//! ```
//! Words of 16 bits hold the bytes of even places, and those of odd ones. Left as they are: what an instruction sums, and factors so small that
//! one that saturates does not.

use crate::machine::Machine;
use crate::optimize::Surroundings;
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// Rewrites the sums of four products of a function.
pub fn product_sums(function: &mut Function, around: Surroundings<'_>) {
    remake(function, |writer, inst| match writer.function.insts[inst.0 as usize].op {
        Op::Dot4 { a, b, sum, signed } if !is_instruction(writer.function, around.machine, b, signed) => {
            Some(in_words(writer, [(a, signed[0]), (b, signed[1])], sum))
        }
        _ => None,
    });
}

/// Has the machine an instruction for it, or one for sums of two that saturates, but not at such factors?
fn is_instruction(function: &Function, machine: &Machine, second: Value, signed: [bool; 2]) -> bool {
    let is_mixed = signed[0] != signed[1];
    let has_saturating = signed == [false, true] && !machine.saturating_dot2.is_empty();
    (is_mixed && !machine.dot4.is_empty()) || (has_saturating && fits_saturating(function, second))
}

/// Are these constants, so small that two products with bytes are a number of 16 bits?
fn fits_saturating(function: &Function, factors: Value) -> bool {
    let Some(Op::Const(bytes)) = function.definition(factors) else { return false };
    let greatest = |byte: u64| u64::from((byte as i8).unsigned_abs());
    let pairs = |at: usize| greatest(bytes[at % bytes.len()]) + greatest(bytes[(at + 1) % bytes.len()]);
    (0..bytes.len()).step_by(2).all(|at| pairs(at) * u64::from(u8::MAX) <= i16::MAX as u64)
}

/// The last operation of the sum.
fn in_words(writer: &mut Writer<'_>, factors: [(Value, bool); 2], sum: Value) -> Op {
    let ty = writer.function.ty(sum);
    let [[a0, a1], [b0, b1]] = factors.map(|(bytes, signed)| words(writer, bytes, signed));
    let [even, odd] = [(a0, b0), (a1, b1)].map(|(a, b)| writer.emit(Op::Dot2(a, b), ty));
    let even = writer.emit(Op::Binary(BinaryOp::Add, sum, even), ty);
    Op::Binary(BinaryOp::Add, even, odd)
}

/// The bytes of even places, and those of odd ones, as words.
fn words(writer: &mut Writer<'_>, bytes: Value, signed: bool) -> [Value; 2] {
    let ty = Type::new(Element::I16, writer.function.ty(bytes).length / 2);
    let pairs = writer.emit(Op::Reinterpret(bytes), ty);
    let eight = writer.emit(Op::Const(vec![8]), ty);
    if signed {
        let up = writer.emit(Op::Binary(BinaryOp::Shl, pairs, eight), ty);
        [up, pairs].map(|value| writer.emit(Op::Binary(BinaryOp::AShr, value, eight), ty))
    } else {
        let low = writer.emit(Op::Const(vec![255]), ty);
        let even = writer.emit(Op::Binary(BinaryOp::And, pairs, low), ty);
        [even, writer.emit(Op::Binary(BinaryOp::LShr, pairs, eight), ty)]
    }
}
