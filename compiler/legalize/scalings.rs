//! Products with powers of two that the machine has no instruction for are two products, so that what is too small is rounded once.
//!
//! ```text
//! x = fadd r, 1.0                      h = ashr s', 1                  s' = convert.bits s
//! n = fsub s, 1.5·2²³ + 254    ──►     p = reinterpret shl h, 23
//! y = fscale x, n                      q = reinterpret shl (sub s', h), 23
//!                                      y = fmul (fma r, p, p), q
//! ```
//! s is n with 1.5·2²³ + 254 added: a float whose bits end in those of n + 254, from which ⌊n / 2⌋ + 127 and ⌈n / 2⌉ + 127 are the exponents of p
//! and q. Where s is not there it is made. With fused multiply-adds, 1 + r is scaled as it is added: (1 + r) · p rounded is r · p + p rounded, since p is a
//! power of two.

use crate::machine::Machine;
use crate::optimize::Surroundings;
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// 1.5·2²³, whose last bit is 1, and twice the exponent of 1.
const TO_BITS: f32 = 12_582_912.0 + 254.0;

/// Rewrites the scalings of a function.
pub fn scalings(function: &mut Function, around: Surroundings<'_>) {
    if !around.machine.scalings.is_empty() {
        return;
    }
    remake(function, |writer, inst| match writer.function.insts[inst.0 as usize].op {
        Op::Binary(BinaryOp::FScale, a, n) => Some(in_two_steps(writer, around.machine, a, n)),
        _ => None,
    });
}

/// The second product.
fn in_two_steps(writer: &mut Writer<'_>, machine: &Machine, a: Value, n: Value) -> Op {
    let floats = writer.function.ty(a);
    let ints = floats.with_element(Element::I32);
    let sum = match writer.function.definition(n) {
        Some(&Op::Binary(BinaryOp::FSub, sum, by)) if is(writer.function, by, TO_BITS) => sum,
        _ => {
            let by = writer.emit(Op::Const(vec![TO_BITS.to_bits().into()]), floats);
            writer.emit(Op::Binary(BinaryOp::FAdd, n, by), floats)
        }
    };
    let [one, mantissa] = [1, 23].map(|number| writer.emit(Op::Const(vec![number]), ints));
    let bits = writer.emit(Op::Convert(ConvertOp::Bits, sum), ints);
    let half = writer.emit(Op::Binary(BinaryOp::AShr, bits, one), ints);
    let rest = writer.emit(Op::Binary(BinaryOp::Sub, bits, half), ints);
    let [p, q] = [half, rest].map(|exponent| {
        let bits = writer.emit(Op::Binary(BinaryOp::Shl, exponent, mantissa), ints);
        writer.emit(Op::Convert(ConvertOp::Bits, bits), floats)
    });
    let first = match writer.function.definition(a) {
        Some(&Op::Binary(BinaryOp::FAdd, r, by)) if machine.has_fma && is(writer.function, by, 1.0) => Op::Fma(r, p, p),
        _ => Op::Binary(BinaryOp::FMul, a, p),
    };
    let first = writer.emit(first, floats);
    Op::Binary(BinaryOp::FMul, first, q)
}

/// Are all lanes this number?
fn is(function: &Function, value: Value, number: f32) -> bool {
    match function.definition(value) {
        Some(Op::Const(lanes)) => lanes.iter().all(|&bits| bits == u64::from(number.to_bits())),
        Some(&Op::Splat(scalar)) => is(function, scalar, number),
        _ => false,
    }
}
