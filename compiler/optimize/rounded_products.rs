//! Products of fractions that are computed in twice their bits become products that are rounded at once.
//!
//! ```text
//! p = mul (sext a), (sext b)              i32×N
//! q = ashr (add p, 0x4000), 15      ──►   q = sext (smulround a, b)
//! r = convert.trunc q                     r = smulround a, b
//! ```
//! For numbers of 16 bits and a shift by s with 2^(s − 1) added, `smulround a, b · 2^(15 − s)` is (a · b + 2^(s − 1)) >> s, where the
//! second factor fits. What a factor may be is known from its range: it is extended, a constant, or a sum of such numbers.
//!
//! The one product that does not fit is MIN · MIN, which gives MIN: the same 16 bits, so that it is right where these alone are looked
//! at; elsewhere the ranges have to say that it does not come. A product that is looked at before it is rounded is computed anyway: there
//! nothing is gained.

use super::Surroundings;
use super::ranges::{Range, exactly, range};
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// The numbers that fit.
const MIN: i64 = i16::MIN as i64;
const MAX: i64 = i16::MAX as i64;

/// Rewrites the products of a function, where the machine rounds them.
pub fn rounded_products(function: &mut Function, around: Surroundings<'_>) {
    if around.machine.rounding_products.is_empty() {
        return;
    }
    let uses = function.uses();
    remake(function, |writer, inst| {
        let (function, InstData { op, results, .. }) = (&*writer.function, &writer.function.insts[inst.0 as usize]);
        let product = match *op {
            Op::Convert(ConvertOp::Trunc, a) if function.ty(results[0]).element.bits() <= 16 => product(function, &uses, a),
            Op::Binary(..) => product(function, &uses, results[0]).filter(Product::fits),
            _ => None,
        };
        let ty = function.ty(*results.first()?);
        Some(product?.write(writer, ty))
    });
}

/// (a · b + 2^(s − 1)) >> s.
struct Product {
    /// Numbers of 32 bits, which fit in 16, and their ranges.
    factors: [(Value, Range); 2],
    /// By how much the second one is shifted to the left: 15 − s.
    shift: u32,
}

/// What a value of 32 bits is, if it is one.
fn product(function: &Function, uses: &[u32], value: Value) -> Option<Product> {
    let ty = function.ty(value);
    let Some(&Op::Binary(BinaryOp::AShr | BinaryOp::LShr, sum, count)) = function.definition(value) else { return None };
    if ty.element != Element::I32 || ty.length == 1 {
        return None;
    }
    // A shift without a sign has the same lower bits, and is none of these where others are looked at.
    let shift = exactly(function, count).filter(|shift| (1..=15).contains(shift))?;
    let Some(&Op::Binary(BinaryOp::Add, a, b)) = function.definition(sum) else { return None };
    let is_half = |value: Value| exactly(function, value) == Some(1 << (shift - 1));
    let product = if is_half(b) { a } else { Some(b).filter(|_| is_half(a))? };
    let Some(&Op::Binary(BinaryOp::Mul, a, b)) = function.definition(product) else { return None };
    if uses[sum.0 as usize] > 1 || uses[product.0 as usize] > 1 {
        return None;
    }
    let shift = 15 - shift as u32;
    let [a, b] = [a, b].map(|factor| (factor, range(function, factor)));
    let fits = |range: Range, shift: u32| MIN <= range.0 << shift && range.1 << shift <= MAX;
    let is_narrow = |range: Range| fits(range, 0);
    if !is_narrow(a.1) || !is_narrow(b.1) {
        return None;
    }
    // A constant is shifted here and now.
    let a_is_better = !fits(b.1, shift) || a.1.0 == a.1.1;
    let factors = if a_is_better && fits(a.1, shift) { [b, a] } else { Some([a, b]).filter(|_| fits(b.1, shift))? };
    let is_signed = matches!(function.definition(value), Some(Op::Binary(BinaryOp::AShr, ..)));
    let product = Product { factors, shift };
    (is_signed || product.is_positive()).then_some(product)
}

impl Product {
    /// Is it never MIN · MIN?
    fn fits(&self) -> bool {
        let [(_, a), (_, b)] = self.factors;
        a.0 > MIN || b.0 << self.shift > MIN
    }

    fn is_positive(&self) -> bool {
        self.factors.iter().all(|(_, range)| range.0 >= 0)
    }

    /// Writes the product in 16 bits, and gives the operation that makes it a number of a type.
    fn write(&self, writer: &mut Writer<'_>, ty: Type) -> Op {
        let narrow = ty.with_element(Element::I16);
        let [a, b] = self.factors.map(|(factor, _)| writer.emit(Op::Convert(ConvertOp::Trunc, factor), narrow));
        let b = if self.shift == 0 {
            b
        } else {
            let count = writer.emit(Op::Const(vec![self.shift.into()]), narrow);
            writer.emit(Op::Binary(BinaryOp::Shl, b, count), narrow)
        };
        let op = Op::Binary(BinaryOp::SMulRound, a, b);
        match ty.element.bits() {
            16 => op,
            8 => Op::Convert(ConvertOp::Trunc, writer.emit(op, narrow)),
            _ => Op::Convert(ConvertOp::SExt, writer.emit(op, narrow)),
        }
    }
}
