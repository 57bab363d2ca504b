//! Built-ins that work lane by lane, and those with effects (language.md §7).

use super::arithmetic::{self, integer, with_float, wrapped};
use super::cross_lane::combine;
use super::places::{Addresses, Lvalue};
use super::{Interpreter, Lane, Result, Value};
use crate::typed::ir::{Builtin, CompareOp, EffectOp, Expr, LaneOp, Place, PlaceKind, WRONG_ASSUMPTION};
use crate::types::Element;

impl Interpreter<'_> {
    /// A built-in of which `e` is the call.
    pub(super) fn builtin(&mut self, builtin: Builtin, operands: &[Expr], e: &Expr) -> Result<Value> {
        match builtin {
            Builtin::Get => self.get(operands, e),
            Builtin::Cross(op) => self.cross_lane(op, operands, e),
            Builtin::Rearrange(op) => self.rearranged(op, operands, e),
            Builtin::Lane(LaneOp::Select) => self.select(operands),
            Builtin::Lane(op) => self.lane_wise(op, operands, e),
            Builtin::Effect(EffectOp::PackedStore) => self.e_packed_store(operands, e),
            Builtin::Effect(EffectOp::StreamingStore) => self.e_streaming_store(operands, e),
            Builtin::Effect(EffectOp::StreamingLoad) => self.e_streaming_load(operands, e),
            Builtin::Effect(EffectOp::Atomic(op)) => {
                self.e_atomic(operands, e, |element, old, new| old.with(new[0], |x, y| combine(op, element, x, y)))
            }
            Builtin::Effect(EffectOp::AtomicSwap) => self.e_atomic(operands, e, |_, _, new| new[0]),
            Builtin::Effect(EffectOp::AtomicCompareExchange) => self.e_atomic(operands, e, |_, old, new| {
                if old.is_unset || new[0].is_unset {
                    return Lane::UNSET;
                }
                if old.bits == new[0].bits { new[1] } else { old }
            }),
            Builtin::Effect(EffectOp::Prefetch) => {
                self.expression(&operands[0])?;
                Ok(Value::void(e.ty))
            }
            Builtin::Effect(EffectOp::Assume) => {
                let value = self.expression(&operands[0])?;
                self.must_hold(&value, e.span, WRONG_ASSUMPTION)?;
                Ok(Value::void(e.ty))
            }
        }
    }

    /// (m, a, b): both sides are evaluated. A scalar part of a record is chosen by whether any lane of m is on.
    fn select(&mut self, operands: &[Expr]) -> Result<Value> {
        let m = self.expression(&operands[0])?;
        let (a, b) = (self.expression(&operands[1])?, self.expression(&operands[2])?);
        let mask = self.layouts.leaf(m.ty);
        let any = (0..mask.length).map(|lane| m.lane(&mask, lane)).reduce(|x, y| x.with(y, |x, y| x | y));
        let mut value = self.layouts.unset(a.ty);
        for leaf in self.layouts.leaves(a.ty).iter() {
            for lane in 0..leaf.length {
                let chosen = match mask.length {
                    1 => m.lane(&mask, 0),
                    length if length == leaf.length => m.lane(&mask, lane),
                    _other_length => any.expect("a mask has lanes"),
                };
                let (x, y) = (a.lane(leaf, lane), b.lane(leaf, lane));
                let result = match chosen.is_unset {
                    true => Lane::UNSET,
                    false if chosen.bits != 0 => x,
                    false => y,
                };
                value.set_lane(leaf, lane, result);
            }
        }
        Ok(value)
    }

    fn lane_wise(&mut self, op: LaneOp, operands: &[Expr], e: &Expr) -> Result<Value> {
        let values = operands.iter().map(|operand| self.expression(operand)).collect::<Result<Vec<_>>>()?;
        let leaf = self.layouts.leaf(values[0].ty);
        let element = leaf.element.expect("an operand with elements");
        let result = self.layouts.leaf(e.ty).element.expect("a result with elements");
        Ok(self.layouts.vector(e.ty, |i| {
            let lanes: Vec<Lane> = values.iter().map(|value| value.lane(&leaf, i)).collect();
            if lanes.iter().any(|lane| lane.is_unset) {
                return Lane::UNSET;
            }
            let bits: Vec<u64> = lanes.iter().map(|lane| lane.bits).collect();
            Lane::set(lane_of(op, element, result, &bits))
        }))
    }

    /// (p): as `*p`.
    fn e_streaming_load(&mut self, operands: &[Expr], e: &Expr) -> Result<Value> {
        let kind = PlaceKind::Dereference(Box::new(operands[0].clone()));
        let place = Place { kind, object: e.ty, addresses: 1, ty: e.ty, span: e.span };
        let lvalue = self.place(&place)?;
        self.e_toval(&place, &lvalue)
    }

    /// (p, v): stores v like an assignment.
    fn e_streaming_store(&mut self, operands: &[Expr], e: &Expr) -> Result<Value> {
        let pointer = self.expression(&operands[0])?;
        let value = self.expression(&operands[1])?;
        let leaf = self.layouts.leaf(pointer.ty);
        let object = self.program.types.pointee(pointer.ty).expect("a pointer");
        let addresses = match leaf.length {
            1 => Addresses::One(self.decided(pointer.lane(&leaf, 0), operands[0].span, None)?),
            length => Addresses::Lanes((0..length).map(|lane| pointer.lane(&leaf, lane)).collect()),
        };
        let ty = value.ty;
        let kind = PlaceKind::Dereference(Box::new(operands[0].clone()));
        let object = if leaf.length == 1 { ty } else { object };
        let place = Place { kind, object, addresses: leaf.length, ty, span: e.span };
        self.e_assign(&place, &Lvalue { addresses, is_own: false }, &value)?;
        Ok(Value::void(e.ty))
    }
}

/// One lane of a built-in that works lane by lane.
pub(super) fn lane_of(op: LaneOp, element: Element, result: Element, operands: &[u64]) -> u64 {
    let a = operands[0];
    let is_float = element.is_float();
    let width = i128::from(element.bits());
    // Rounding an integer changes nothing.
    macro_rules! rounded {
        (|$x:ident| $body:expr) => {{
            let $x = a;
            if is_float { with_float!(element, |$x| $body) } else { a }
        }};
    }
    match op {
        // Of numbers: of all types in [`Interpreter::select`].
        LaneOp::Select => operands[if a == 0 { 2 } else { 1 }],
        LaneOp::Min => extremum(CompareOp::Less, element, a, operands[1]),
        LaneOp::Max => extremum(CompareOp::Greater, element, a, operands[1]),
        LaneOp::Abs if is_float => with_float!(element, |a| a.abs()),
        LaneOp::Abs => wrapped(element, integer(element, a).abs()),
        LaneOp::Fma if is_float => {
            let (b, c) = (operands[1], operands[2]);
            with_float!(element, |a, b, c| a.mul_add(b, c))
        }
        LaneOp::Fma => {
            let product = arithmetic::binary(crate::typed::ir::BinaryOp::Multiply, element, a, operands[1]);
            arithmetic::binary(crate::typed::ir::BinaryOp::Add, element, product, operands[2])
        }
        LaneOp::Sqrt => rounded!(|a| a.sqrt()),
        LaneOp::Rsqrt => rounded!(|a| 1.0 / a.sqrt()),
        LaneOp::Rcp => rounded!(|a| 1.0 / a),
        LaneOp::Floor => rounded!(|a| a.floor()),
        LaneOp::Ceil => rounded!(|a| a.ceil()),
        LaneOp::Round => rounded!(|a| a.round()),
        LaneOp::Trunc => rounded!(|a| a.trunc()),
        LaneOp::Rint => rounded!(|a| a.round_ties_even()),
        // −1 for 0 and below.
        LaneOp::Log2 => {
            let value = integer(element, a);
            wrapped(result, if value <= 0 { -1 } else { i128::from(value.ilog2()) })
        }
        LaneOp::Clz => wrapped(result, i128::from(a.leading_zeros()) - (64 - width)),
        LaneOp::Ctz => wrapped(result, i128::from(a.trailing_zeros()).min(width)),
        LaneOp::Popcnt => wrapped(result, i128::from(a.count_ones())),
        LaneOp::Bits => a,
        LaneOp::RotateLeft | LaneOp::RotateRight => {
            let count = integer(element, operands[1]);
            rotated(a, if op == LaneOp::RotateLeft { count } else { -count }, element.bits())
        }
        LaneOp::SaturatingAdd => nearest(element, integer(element, a) + integer(element, operands[1])),
        LaneOp::SaturatingSub => nearest(element, integer(element, a) - integer(element, operands[1])),
        LaneOp::MulHigh => match element.is_signed() {
            true => wrapped(element, (integer(element, a) * integer(element, operands[1])) >> width),
            false => ((u128::from(a) * u128::from(operands[1])) >> width) as u64,
        },
        LaneOp::MulRoundHigh => {
            let product = integer(element, a) * integer(element, operands[1]);
            wrapped(element, (product + (1 << (width - 2))) >> (width - 1))
        }
        LaneOp::Scale => {
            let [a, n] = [a, operands[1]].map(|bits| f32::from_bits(bits as u32));
            u64::from(((f64::from(a) * f64::from(n).exp2()) as f32).to_bits())
        }
        LaneOp::Clmul => wrapped(element, carryless(a, operands[1]) as i128),
        LaneOp::ClmulHigh => wrapped(element, (carryless(a, operands[1]) >> width) as i128),
        LaneOp::SaturatingCast if is_float => arithmetic::convert(Some(element), Some(result), a),
        LaneOp::SaturatingCast => nearest(result, integer(element, a)),
        LaneOp::InBlocks { lanes, stride } => {
            let (i, lanes) = (integer(element, a), i128::from(lanes));
            wrapped(result, i.div_euclid(lanes) * i128::from(stride) + i.rem_euclid(lanes))
        }
        LaneOp::BitReverse => wrapped(result, i128::from(a.reverse_bits() >> (64 - width))),
    }
}

/// The number of an integer type that is nearest.
fn nearest(element: Element, number: i128) -> u64 {
    let bits = element.bits() - u32::from(element.is_signed());
    let greatest = (1i128 << bits) - 1;
    wrapped(element, number.clamp(if element.is_signed() { -greatest - 1 } else { 0 }, greatest))
}

/// The product whose digits, in base 2, are added modulo 2.
fn carryless(a: u64, b: u64) -> u128 {
    let mut product = 0;
    for place in (0..64).rev() {
        product <<= 1;
        if b & (1 << place) != 0 {
            product ^= u128::from(a);
        }
    }
    product
}

/// The low `width` bits of a number, moved up by a count modulo the width.
fn rotated(a: u64, count: i128, width: u32) -> u64 {
    let up = count.rem_euclid(i128::from(width)) as u32;
    if up == 0 { a } else { ((a << up) | (a >> (width - up))) & (u64::MAX >> (64 - width)) }
}

/// a where it compares so with b, else b; on floats that is what NaN and −0 go by.
pub(super) fn extremum(op: CompareOp, element: Element, a: u64, b: u64) -> u64 {
    if arithmetic::compare(op, Some(element), a, b) { a } else { b }
}
