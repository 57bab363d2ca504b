//! Conversions of binary16 on machines without instructions for them, by integers; each rounds once and knows the small numbers.
//!
//! ```text
//! htof h   ──►   m = h & 0x7fff
//!                m < 0x400 ? m · 2⁻²⁴ : (m << 13) + (112 << 23), again + (112 << 23) of what is not finite; with its sign
//! ftoh x   ──►   a = bits |x|
//!                a < 2⁻¹⁴ ? bits (|x| + 0.5) − bits 0.5 : a ≥ 2¹⁶ ? ∞ or NaN : (a − (112 << 23) + 0xfff + odd) >> 13; with its sign
//! ```

use crate::optimize::Surroundings;
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// What the exponents of binary32 and binary16 differ by, in place.
const REBIAS: u64 = 112 << 23;

/// Rewrites the conversions of a function.
pub fn float16(function: &mut Function, around: Surroundings<'_>) {
    if !around.machine.to_float16.is_empty() {
        return;
    }
    remake(function, |writer, inst| match writer.function.insts[inst.0 as usize].op {
        Op::Convert(ConvertOp::HToF, half) => Some(widened(writer, half)),
        Op::Convert(ConvertOp::FToH, float) => Some(narrowed(writer, float)),
        _ => None,
    });
}

/// Arithmetic on the bits of numbers.
struct Bits<'w, 'f> {
    writer: &'w mut Writer<'f>,
    ty: Type,
}

impl Bits<'_, '_> {
    fn constant(&mut self, bits: u64) -> Value {
        self.writer.emit(Op::Const(vec![bits]), self.ty)
    }

    /// With a constant.
    fn with(&mut self, op: BinaryOp, a: Value, bits: u64) -> Value {
        let b = self.constant(bits);
        self.writer.emit(Op::Binary(op, a, b), self.ty)
    }

    fn both(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.writer.emit(Op::Binary(op, a, b), self.ty)
    }

    /// One where the number is below a constant, another where it is not.
    fn below(&mut self, a: Value, end: u64, one: Value, other: Value) -> Value {
        let end = self.constant(end);
        let is_below = self.writer.emit(Op::Compare(CompareOp::SLt, a, end), self.ty.mask());
        self.writer.emit(Op::Select(is_below, one, other), self.ty)
    }

    /// The float of these bits and a constant one, as bits.
    fn of_floats(&mut self, op: BinaryOp, a: Value, constant: f32) -> Value {
        let floats = self.ty.with_element(Element::F32);
        let constant = self.writer.emit(Op::Const(vec![constant.to_bits().into()]), floats);
        let result = self.writer.emit(Op::Binary(op, a, constant), floats);
        self.writer.emit(Op::Convert(ConvertOp::Bits, result), self.ty)
    }
}

/// The last operation of a conversion to f32.
fn widened(writer: &mut Writer<'_>, half: Value) -> Op {
    let ty = writer.function.ty(half).with_element(Element::I32);
    let wide = writer.emit(Op::Convert(ConvertOp::ZExt, half), ty);
    let mut bits = Bits { writer, ty };
    let magnitude = bits.with(BinaryOp::And, wide, 0x7fff);
    let shifted = bits.with(BinaryOp::Shl, magnitude, 13);
    let normal = bits.with(BinaryOp::Add, shifted, REBIAS);
    let infinite = bits.with(BinaryOp::Add, normal, REBIAS);
    let quiet = bits.with(BinaryOp::Or, infinite, 1 << 22);
    let special = bits.below(magnitude, 0x7c01, infinite, quiet);
    let large = bits.below(magnitude, 0x7c00, normal, special);
    let units = bits.writer.emit(Op::Convert(ConvertOp::SToF, magnitude), ty.with_element(Element::F32));
    let small = bits.of_floats(BinaryOp::FMul, units, 2f32.powi(-24));
    let number = bits.below(magnitude, 0x400, small, large);
    let sign = bits.with(BinaryOp::And, wide, 0x8000);
    let sign = bits.with(BinaryOp::Shl, sign, 16);
    let signed = bits.both(BinaryOp::Or, number, sign);
    Op::Convert(ConvertOp::Bits, signed)
}

/// The last operation of a conversion from f32.
fn narrowed(writer: &mut Writer<'_>, float: Value) -> Op {
    let ty = writer.function.ty(float).with_element(Element::I32);
    let whole = writer.emit(Op::Convert(ConvertOp::Bits, float), ty);
    let mut bits = Bits { writer, ty };
    let magnitude = bits.with(BinaryOp::And, whole, 0x7fff_ffff);
    let shifted = bits.with(BinaryOp::LShr, magnitude, 13);
    // Half of the last place, and one less where the number kept is even: a tie goes up to an even one alone.
    let odd = bits.with(BinaryOp::And, shifted, 1);
    let rebiased = bits.with(BinaryOp::Sub, magnitude, REBIAS - 0xfff);
    let rounded = bits.both(BinaryOp::Add, rebiased, odd);
    let normal = bits.with(BinaryOp::LShr, rounded, 13);
    let payload = bits.with(BinaryOp::And, shifted, 0x3ff);
    let nan = bits.with(BinaryOp::Or, payload, 0x7e00);
    let infinity = bits.constant(0x7c00);
    let special = bits.below(magnitude, 0x7f80_0001, infinity, nan);
    let large = bits.below(magnitude, 0x4780_0000, normal, special);
    // The last place of 0.5 is that of the small numbers.
    let size = bits.writer.emit(Op::Convert(ConvertOp::Bits, magnitude), ty.with_element(Element::F32));
    let sum = bits.of_floats(BinaryOp::FAdd, size, 0.5);
    let small = bits.with(BinaryOp::Sub, sum, 0.5f32.to_bits().into());
    let number = bits.below(magnitude, 0x3880_0000, small, large);
    let sign = bits.with(BinaryOp::LShr, whole, 16);
    let sign = bits.with(BinaryOp::And, sign, 0x8000);
    let signed = bits.both(BinaryOp::Or, number, sign);
    Op::Convert(ConvertOp::Trunc, signed)
}
