//! Halves of products: of numbers, and of polynomials over bits.
//!
//! ```text
//! smulhigh i16×8 a, b    →   trunc((sext a · sext b) >> 16)               one instruction where there is one, which LLVM knows
//! smulhigh i64 a, b      →   the same in 128 bits; of vectors from products of halves
//! smulround i16×8 a, b   →   pmulhrsw; of other widths trunc((sext a · sext b + 2^(n−2)) >> (n−1))
//! dot4 u8×32, s8×32, c   →   vpdpbusd, else pmaddubsw and pmaddwd
//! clmul i64×2 a, b       →   pclmulqdq lane by lane, else bit by bit: r = r + r; r = r xor (b < 0 ? a : 0); b = b + b
//! ```

use super::builder::{IntPredicate, LlvmType, LlvmValue};
use super::function::FunctionTranslator;
use crate::vector::ir;

/// How a product looks at its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    Signed,
    Unsigned,
}

/// A half of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Low,
    High,
}

impl FunctionTranslator<'_> {
    /// The upper half.
    pub(super) fn multiply_high(&self, a: LlvmValue, c: LlvmValue, signs: Signs) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(a);
        let bits = b.element_bits(ty);
        if bits == 64 && b.lanes(ty) > 1 {
            return self.high_of_long(a, c, signs);
        }
        let product = self.product(a, c, signs);
        b.trunc(b.lshr(product, b.constant(b.type_of(product), bits.into())), ty)
    }

    /// In twice as many bits.
    fn product(&self, a: LlvmValue, c: LlvmValue, signs: Signs) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(a);
        let wide = b.like(ty, b.int(2 * b.element_bits(ty)));
        let [a, c] = [a, c].map(|x| if signs == Signs::Signed { b.sext(x, wide) } else { b.zext(x, wide) });
        b.mul(a, c)
    }

    /// Of vectors of 64 bits, from products of halves. A negative factor counts 2^64 less, in which the upper half has the other.
    fn high_of_long(&self, a: LlvmValue, c: LlvmValue, signs: Signs) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(a);
        let low = |x| b.and(x, b.constant(ty, u64::from(u32::MAX)));
        let high = |x| b.lshr(x, b.constant(ty, 32));
        let (a0, a1, c0, c1) = (low(a), high(a), low(c), high(c));
        let middle = b.add(b.mul(a1, c0), high(b.mul(a0, c0)));
        let rest = b.add(b.mul(a0, c1), low(middle));
        let unsigned = b.add(b.add(b.mul(a1, c1), high(middle)), high(rest));
        match signs {
            Signs::Unsigned => unsigned,
            Signs::Signed => {
                let if_negative = |x, other| b.and(b.ashr(x, b.constant(ty, 63)), other);
                b.sub(b.sub(unsigned, if_negative(a, c)), if_negative(c, a))
            }
        }
    }

    /// The bits from the second of the product on, rounded.
    pub(super) fn multiply_round(&self, a: LlvmValue, c: LlvmValue) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(a);
        let bits = b.element_bits(ty);
        if bits == 16 && !self.machine.rounding_products.is_empty() {
            return self.by_registers([a, c], self.machine.rounding_products, b.lanes(ty));
        }
        if bits == 64 {
            // The product is 2^64 · high + low: twice that and a half, of which the upper half is left.
            let (high, low) = (self.multiply_high(a, c, Signs::Signed), b.mul(a, c));
            let doubled = b.add(b.add(high, high), b.lshr(low, b.constant(ty, 63)));
            return b.add(doubled, b.and(b.lshr(low, b.constant(ty, 62)), b.constant(ty, 1)));
        }
        let product = self.product(a, c, Signs::Signed);
        let wide = b.type_of(product);
        let rounded = b.add(product, b.constant(wide, 1 << (bits - 2)));
        b.trunc(b.lshr(rounded, b.constant(wide, u64::from(bits) - 1)), ty)
    }

    /// a · 2^c, by the processor's instruction: `legalize` leaves none where there is none.
    pub(super) fn scale(&self, a: LlvmValue, c: LlvmValue) -> LlvmValue {
        let b = self.b;
        self.in_registers([a, c], self.machine.scalings, b.lanes(b.type_of(a)), |name, [x, n]| {
            let register = b.lanes(b.type_of(x));
            // The form with a mask has all lanes on, and the largest register the rounding that is in force.
            let mut given = vec![x, n, x, b.ones(b.int(register.max(8)))];
            given.extend((register == 16).then(|| b.i32(4)));
            b.intrinsic(name, &[], &given)
        })
    }

    /// For four bytes each, of which one has a sign, the sum of their products: by the instruction, or by one for sums of two, which `legalize`
    /// leaves where it does not saturate.
    pub(super) fn dot4(&self, a: ir::Value, c: ir::Value, sum: ir::Value, signed: [bool; 2]) -> LlvmValue {
        let b = self.b;
        let length = u32::from(self.type_of(a).length);
        if !self.machine.dot4.is_empty() {
            let (unsigned, signed) = if signed[0] { (c, a) } else { (a, c) };
            return self.dot4_by_instruction(self.value(sum), [self.value(unsigned), self.value(signed)]);
        }
        let pairs = self.by_registers([self.value(a), self.value(c)], self.machine.saturating_dot2, length / 2);
        let ones = b.constant(b.vector(b.int(16), length / 2), 1);
        b.add(self.value(sum), self.by_registers([pairs, ones], self.machine.dot2, length / 4))
    }

    /// The same of bytes without a sign and bytes with one, by the processor's instruction.
    fn dot4_by_instruction(&self, sum: LlvmValue, bytes: [LlvmValue; 2]) -> LlvmValue {
        let b = self.b;
        let (names, length) = (self.machine.dot4, b.lanes(b.type_of(sum)));
        let size = length.div_ceil(4).next_power_of_two().ilog2().min(names.len() as u32 - 1);
        let register = 4 << size;
        let whole = length.max(register);
        let (sum, bytes) = (self.widen(sum, whole), bytes.map(|bytes| self.widen(bytes, 4 * whole)));
        let (ty, function) = b.intrinsic_declaration(names[size as usize], &[]);
        // Earlier versions of LLVM take four bytes as a lane of 32 bits.
        let given = b.type_of(b.parameter(function, 1));
        let part = |first: u32| {
            let [x, y] = bytes.map(|bytes| b.bitcast(self.slice(bytes, 4 * first, 4 * register), given));
            b.call(ty, function, &[self.slice(sum, first, register), x, y])
        };
        let parts = (0..length).step_by(register as usize).map(part).collect();
        self.slice(self.concatenate_all(parts), 0, length)
    }

    /// A half of the product of polynomials.
    pub(super) fn multiply_without_carries(&self, a: LlvmValue, c: LlvmValue, half: Half) -> LlvmValue {
        let b = self.b;
        let ty = b.type_of(a);
        match (b.element_bits(ty), self.machine.carryless_product) {
            (64, Some(name)) => self.carryless_long(name, a, c, half),
            (32, Some(name)) => {
                let long = b.like(ty, b.int(64));
                let product = self.carryless_long(name, b.zext(a, long), b.zext(c, long), Half::Low);
                b.trunc(if half == Half::Low { product } else { b.lshr(product, b.constant(long, 32)) }, ty)
            }
            _ => self.carryless_by_bits(ty, a, c, half),
        }
    }

    /// By the processor's instruction, which takes one lane of each of two registers.
    fn carryless_long(&self, name: &str, a: LlvmValue, c: LlvmValue, half: Half) -> LlvmValue {
        let b = self.b;
        let length = b.lanes(b.type_of(a));
        let kept = if half == Half::Low { 0 } else { 1 };
        let [a, c] = [a, c].map(|x| self.widen(x, length.max(2)));
        let products = |first: u32| {
            let [a, c] = [a, c].map(|x| self.slice(x, first, 2));
            let product = |lane: u32| b.intrinsic(name, &[], &[a, c, b.constant(b.int(8), u64::from(17 * lane))]);
            let low = product(0);
            if length == 1 { b.extract(low, kept) } else { b.shuffle(low, product(1), &[kept as i32, kept as i32 + 2]) }
        };
        self.concatenate_all((0..length).step_by(2).map(products).collect())
    }

    /// Bit by bit: the lower half from the top of c down, the upper one from its bottom up.
    fn carryless_by_bits(&self, ty: LlvmType, a: LlvmValue, c: LlvmValue, half: Half) -> LlvmValue {
        let b = self.b;
        let zero = b.zero(ty);
        let (mut sum, mut rest) = (zero, c);
        for _ in 0..b.element_bits(ty) {
            match half {
                Half::Low => {
                    let is_set = b.icmp(IntPredicate::LLVMIntSLT, rest, zero);
                    sum = b.xor(b.add(sum, sum), b.select(is_set, a, zero));
                    rest = b.add(rest, rest);
                }
                Half::High => {
                    let one = b.constant(ty, 1);
                    let is_set = b.is_set(b.and(rest, one));
                    sum = b.lshr(b.xor(sum, b.select(is_set, a, zero)), one);
                    rest = b.lshr(rest, one);
                }
            }
        }
        sum
    }
}
