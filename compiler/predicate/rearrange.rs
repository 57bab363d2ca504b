//! Built-ins that put lanes elsewhere, or take them for bits.
//!
//! ```text
//! interleave(a, b)      shuffle a, b, <0, N, 1, N + 1, …>
//! align(a, b, n)        shuffle a, b, <n, n + 1, …>; for an n unknown here permute2 a, b, (iota + n)
//! lookup(t, v)          permute t, v
//! mask_of(x, 16)        reinterpret (trunc x to i16)
//! compress(v, m)        compress v, (and P, m)
//! ```

use super::layout;
use super::state::Predicator;
use crate::typed::ir::{Expr, RearrangeOp};
use crate::types;
use crate::vector::ir::{BinaryOp, CompareOp, ConvertOp, Element, Type, Value};

impl Predicator<'_> {
    /// A built-in that rearranges lanes, with a result of type `ty`.
    pub fn rearrange(&mut self, op: RearrangeOp, operands: &[Expr], ty: types::Type) -> Value {
        let values: Vec<Value> = operands.iter().map(|operand| self.expression(operand)[0]).collect();
        let (v, length) = (values[0], self.types().length(ty));
        match op {
            RearrangeOp::Bits => {
                let element = self.types().element(ty).expect("bits of a number are a number");
                self.b.reinterpret(v, Type::new(layout::element(element), length))
            }
            RearrangeOp::Interleave => match values[..] {
                [a, b, c, d] => {
                    let (even, odd) = (self.interleaved(a, c), self.interleaved(b, d));
                    self.interleaved(even, odd)
                }
                _ => self.interleaved(v, values[1]),
            },
            RearrangeOp::Deinterleave { first, step } => {
                let lanes: Vec<i16> = (0..length).map(|i| i16::from(first) + i16::from(i) * i16::from(step)).collect();
                self.b.shuffle(v, v, &lanes)
            }
            RearrangeOp::Transpose { rows } => {
                let columns = length / rows;
                let lanes: Vec<i16> = (0..length).map(|i| i16::from(i % rows * columns + i / rows)).collect();
                self.b.shuffle(v, v, &lanes)
            }
            RearrangeOp::Align => self.align(v, values[1], values[2]),
            RearrangeOp::LookUp => match self.constant_lanes(values[1], self.b.ty(v).length.into()) {
                Some(lanes) => self.b.shuffle(v, v, &lanes),
                None => self.b.permute(v, values[1]),
            },
            RearrangeOp::MaskBits => {
                let active = self.active(v);
                self.bits_of(active)
            }
            RearrangeOp::MaskOf => self.mask_of_bits(v, length),
            RearrangeOp::Compress => {
                let mask = self.active(values[1]);
                self.b.compress(v, mask)
            }
            RearrangeOp::Expand => {
                let mask = self.active(values[1]);
                self.b.expand(v, mask)
            }
        }
    }

    /// a₀ b₀ a₁ b₁ …
    fn interleaved(&mut self, a: Value, b: Value) -> Value {
        let length = i16::from(self.b.ty(a).length);
        let lanes: Vec<i16> = (0..length).flat_map(|i| [i, length + i]).collect();
        self.b.shuffle(a, b, &lanes)
    }

    /// Lanes n, n + 1, … of a then b.
    fn align(&mut self, a: Value, b: Value, n: Value) -> Value {
        let length = self.b.ty(a).length;
        if let Some(n) = self.b.uniform_bits(n) {
            let count = 2 * u64::from(length);
            let lanes: Vec<i16> = (0..u64::from(length)).map(|i| (i.wrapping_add(n) % count) as i16).collect();
            return self.b.shuffle(a, b, &lanes);
        }
        let lanes = self.b.iota(Type::new(Element::I32, length));
        let all = self.b.splat(n, length);
        let from = self.add(lanes, all);
        self.b.permute2(a, b, from)
    }

    /// The mask whose lane i is bit i of an i64.
    fn mask_of_bits(&mut self, bits: Value, length: u8) -> Value {
        // There is no integer of less bits than eight.
        let lanes = length.max(8);
        let element = match lanes {
            8 => Element::I8,
            16 => Element::I16,
            32 => Element::I32,
            _ => Element::I64,
        };
        let bits = self.b.convert(ConvertOp::Trunc, bits, element);
        if length == 1 {
            let (ty, zero) = (self.b.ty(bits), self.b.zero(self.b.ty(bits)));
            let one = self.b.int(ty, 1);
            let low = self.b.binary(BinaryOp::And, bits, one);
            return self.b.compare(CompareOp::Ne, low, zero);
        }
        let mask = self.b.reinterpret(bits, Type::new(Element::Bool, lanes));
        let first: Vec<i16> = (0..i16::from(length)).collect();
        self.b.shuffle(mask, mask, &first)
    }
}
