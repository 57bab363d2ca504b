//! How far two addresses are from one another, where that is known.
//!
//! An address is a root and a number of indices, each a sum of multiples of values, modulo 2ⁿ for indices of n bits. Addresses of the
//! same root whose indices have the same terms differ by constants:
//!
//! ```text
//! ptrindex o, 2·i                        root o, terms 2·i
//! ptrindex o, 2·i + 1, offset 4          root o, terms 2·i, constant 1 · scale + 4
//! ```
//! Where both addresses are accessed, the elements there lie in one object. That of an index of 32 bits has at most 2³¹ elements, so that
//! their distance is the only number of 32 bits that it can be (see [`memory_access`](super::memory_access)).

use super::areas::Areas;
use super::block_writer::BlockWriter;
use crate::vector::ir::*;

/// So many operations of an index are followed.
const DEPTH: u32 = 12;
/// So many elements are near.
const NEAR: u64 = 1 << 20;
/// Of so many rounds it is not asked what all of them touch.
const MOST_ROUNDS: u64 = 1 << 40;

/// An address as a sum.
#[derive(Debug, PartialEq)]
pub struct Address {
    root: Value,
    indices: Vec<Index>,
    /// Bytes.
    offset: i64,
}

/// A multiple of an index.
#[derive(Debug)]
struct Index {
    /// Bytes from one index to the next.
    scale: u64,
    /// Bits of the index.
    bits: u32,
    /// The terms, by value, and their factors.
    terms: Vec<(Value, u64)>,
    constant: u64,
}

/// But for the constant.
impl PartialEq for Index {
    fn eq(&self, other: &Self) -> bool {
        (self.scale, self.bits, &self.terms) == (other.scale, other.bits, &other.terms)
    }
}

impl Address {
    /// That of a scalar pointer, or those of all lanes.
    pub fn of(function: &Function, pointer: Value) -> Address {
        let mut address = Address { root: pointer, indices: Vec::new(), offset: 0 };
        loop {
            match function.definition(address.root) {
                Some(Op::PtrOffset(base, offset)) => {
                    address.offset = address.offset.wrapping_add(*offset);
                    address.root = *base;
                }
                Some(Op::PtrIndex { base, index, scale, offset }) => {
                    address.offset = address.offset.wrapping_add(*offset);
                    let index = Index::of(function, *index, *scale);
                    if index.terms.is_empty() {
                        let bytes = signed(index.constant, index.bits).wrapping_mul(*scale as i64);
                        address.offset = address.offset.wrapping_add(bytes);
                    } else {
                        address.indices.push(index);
                    }
                    address.root = *base;
                }
                _ => return address,
            }
        }
    }

    /// What it begins with.
    pub(super) fn root(&self) -> Value {
        self.root
    }

    /// The values that it is a sum of multiples of.
    pub(super) fn terms(&self) -> impl Iterator<Item = Value> {
        self.indices.iter().flat_map(|index| index.terms.iter().map(|(term, _)| *term))
    }

    /// The root, and how many bytes it is behind that, if that is a constant.
    pub fn constant(&self) -> Option<(Value, i64)> {
        let mut bytes = self.offset;
        for index in &self.indices {
            let steps = signed(index.constant, index.bits);
            bytes = bytes.checked_add(steps.checked_mul(i64::try_from(index.scale).ok()?)?)?;
        }
        self.indices.iter().all(|index| index.terms.is_empty()).then_some((self.root, bytes))
    }

    /// Which element of an array it is, by one index: the array, and the sum that the index is, in elements of so many bytes.
    pub(super) fn element(&self) -> Option<(Value, Sum, i64)> {
        let [index] = &self.indices[..] else { return None };
        let scale = i64::try_from(index.scale).ok().filter(|scale| *scale > 0 && self.offset % scale == 0)?;
        let Sum { terms, constant } = index.sum();
        Some((self.root, Sum { terms, constant: constant.checked_add(self.offset / scale)? }, scale))
    }

    /// Bytes by which it grows where a value grows by 1, if that is in one index at most.
    pub(super) fn step(&self, value: Value) -> Option<i64> {
        let mut steps = self.indices.iter().filter_map(|index| {
            let (_, factor) = index.terms.iter().find(|(term, _)| *term == value)?;
            Some(signed(*factor, index.bits).checked_mul(i64::try_from(index.scale).ok()?))
        });
        let first = steps.next().unwrap_or(Some(0))?;
        steps.next().is_none().then_some(first)
    }

    /// Bytes from each lane to the next, if that is the same for all.
    pub(super) fn lane_step(&self, function: &Function) -> Option<i64> {
        let mut bytes = 0i64;
        for index in &self.indices {
            let scale = i64::try_from(index.scale).ok()?;
            for (term, factor) in &index.terms {
                let step = lane_step(function, *term)?.checked_mul(signed(*factor, index.bits))?;
                bytes = bytes.checked_add(step.checked_mul(scale)?)?;
            }
        }
        (function.ty(self.root).length == 1 || matches!(function.definition(self.root), Some(Op::Splat(_)))).then_some(bytes)
    }

    /// Bytes from this one to another one, if both are accessed.
    pub fn distance(&self, other: &Address) -> Option<i64> {
        if self.root != other.root || self.indices != other.indices {
            return None;
        }
        let mut bytes = other.offset.wrapping_sub(self.offset);
        let mut differ = 0;
        for (a, b) in self.indices.iter().zip(&other.indices) {
            let steps = signed(b.constant.wrapping_sub(a.constant), a.bits);
            differ += u32::from(steps != 0);
            bytes = bytes.wrapping_add(steps.wrapping_mul(a.scale as i64));
        }
        (differ <= 1).then_some(bytes)
    }
}

/// A number as a sum of multiples of values and a constant, with their signs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sum {
    /// By value; no factor is 0.
    pub(super) terms: Vec<(Value, i64)>,
    pub(super) constant: i64,
}

impl Sum {
    /// That of an integer.
    pub(super) fn of(function: &Function, number: Value) -> Sum {
        Index::of(function, number, 1).sum()
    }

    /// self − other
    fn minus(mut self, other: &Sum) -> Sum {
        for &(term, factor) in &other.terms {
            match self.terms.iter_mut().find(|(own, _)| *own == term) {
                Some((_, own)) => *own = own.wrapping_sub(factor),
                None => self.terms.push((term, factor.wrapping_neg())),
            }
        }
        self.terms.retain(|(_, factor)| *factor != 0);
        Sum { constant: self.constant.wrapping_sub(other.constant), ..self }
    }
}

/// How far two addresses are apart, and what else is asked in front of a loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Apart {
    /// So many elements of so many bytes as a sum says.
    Elements { sum: Sum, scale: u64, side: Side },
    /// As far as the first one is ahead of the second; they may lead to different memory.
    Addresses(Value, Value, Side),
    /// As what two accesses touch in all rounds of a loop.
    Tracks([Track; 2]),
    /// As what two groups of accesses touch in all rounds of a loop and of those inside.
    Areas(Areas),
    /// A number of 32 bits that goes on by so much each round is the same in 64 bits, and below 2 to this, without a sign.
    Unwrapped(Value, i64, u32),
}

/// On which side of another address one has to be far from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Both,
    /// Where it lies behind the other one; anywhere ahead is far, and so is the same place.
    Behind,
    /// Where it lies ahead of the other one.
    Ahead,
}

impl Side {
    fn reversed(self) -> Side {
        match self {
            Side::Both => Side::Both,
            Side::Behind => Side::Ahead,
            Side::Ahead => Side::Behind,
        }
    }
}

/// What an access touches in the rounds of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Track {
    /// The address in the first round.
    pub(super) first: Value,
    /// What it grows by from a round to the next, in bytes.
    pub(super) step: i64,
    /// The bytes that each round touches.
    pub(super) size: u64,
}

impl Track {
    /// Where it begins, and where it ends, in so many rounds.
    fn ends(&self, writer: &mut BlockWriter<'_>, first: Value, rounds: Value) -> [Value; 2] {
        let ty = Type::scalar(Element::I64);
        // From the first round to one behind the last one.
        let way = (self.step != 0).then(|| {
            let step = writer.number(self.step as u64, ty);
            writer.emit(Op::Binary(BinaryOp::Mul, rounds, step), ty)
        });
        let mut at = |way: Option<Value>, more: i64| {
            let end = way.map_or(first, |way| writer.emit(Op::Binary(BinaryOp::Add, first, way), ty));
            if more == 0 {
                return end;
            }
            let more = writer.number(more as u64, ty);
            writer.emit(Op::Binary(BinaryOp::Add, end, more), ty)
        };
        let size = self.size as i64;
        if self.step < 0 { [at(way, -self.step), at(None, size)] } else { [at(None, 0), at(way, size - self.step)] }
    }
}

impl Address {
    /// How far another one is ahead of it, if both are accessed, and that is no constant; `side` says on which side of it the other one has to be far.
    pub(super) fn apart(&self, other: &Address, side: Side) -> Option<Apart> {
        let (mut sum, scale, bytes) = self.difference(other)?;
        let signed_scale = i64::try_from(scale).ok().filter(|scale| *scale > 0)?;
        sum.constant = sum.constant.checked_add(bytes / signed_scale)?;
        // Both directions are asked for at once.
        let &(_, first) = sum.terms.first()?;
        let (sum, side) = match first < 0 {
            true => (Sum { terms: Vec::new(), constant: 0 }.minus(&sum), side.reversed()),
            false => (sum, side),
        };
        (bytes % signed_scale == 0 && sum.constant.unsigned_abs() < NEAR).then_some(Apart::Elements { sum, scale, side })
    }

    /// So many elements, bytes of an element, and bytes beside those another one is from it, if both are accessed and each has one index: the elements are the
    /// only number of as many bits as the indices have.
    pub(super) fn difference(&self, other: &Address) -> Option<(Sum, u64, i64)> {
        let ([own], [others]) = (&self.indices[..], &other.indices[..]) else { return None };
        let is_alike = self.root == other.root && (own.scale, own.bits) == (others.scale, others.bits);
        is_alike.then(|| (others.sum().minus(&own.sum()), own.scale, other.offset.wrapping_sub(self.offset)))
    }
}

impl Apart {
    /// As far as one address is ahead of another one.
    pub(super) fn of_addresses(a: Value, b: Value, side: Side) -> Apart {
        if a < b { Apart::Addresses(a, b, side) } else { Apart::Addresses(b, a, side.reversed()) }
    }

    /// Asks for what another one asks for, too, if that is how far the same are apart.
    pub(super) fn joins(&mut self, other: &Apart) -> bool {
        if self == other {
            return true;
        }
        let [both, other] = [&*self, other].map(Apart::on_both_sides);
        if both != other {
            return false;
        }
        *self = both;
        true
    }

    fn on_both_sides(&self) -> Apart {
        let mut apart = self.clone();
        if let Apart::Elements { side, .. } | Apart::Addresses(_, _, side) = &mut apart {
            *side = Side::Both;
        }
        apart
    }

    /// Does it depend on how many rounds there are?
    pub(super) fn counts_rounds(&self) -> bool {
        matches!(self, Apart::Tracks(_) | Apart::Areas(_) | Apart::Unwrapped(..))
    }

    /// Are they at least so many bytes apart, or is it so in so many rounds? `here` computes values of a loop as they are in its first round.
    pub(super) fn is_at_least(
        &self,
        writer: &mut BlockWriter<'_>,
        bytes: u64,
        rounds: Option<Value>,
        mut here: impl FnMut(&mut BlockWriter<'_>, Value) -> Value,
    ) -> Value {
        let (distance, constant, less, side) = match self {
            Apart::Elements { sum, scale, side } => {
                let mut made: Option<Value> = None;
                for &(term, factor) in &sum.terms {
                    let term = here(writer, term);
                    let ty = writer.function.ty(term);
                    let product = match factor {
                        1 => term,
                        _ => {
                            let factor = writer.number(factor as u64 & (u64::MAX >> (64 - ty.element.bits())), ty);
                            writer.emit(Op::Binary(BinaryOp::Mul, term, factor), ty)
                        }
                    };
                    made = Some(made.map_or(product, |made| writer.emit(Op::Binary(BinaryOp::Add, made, product), ty)));
                }
                let less = bytes.div_ceil(*scale).saturating_sub(1).min(NEAR) as i64;
                (made.expect("it is no constant"), sum.constant, less, *side)
            }
            Apart::Addresses(a, b, side) => {
                let ty = Type::scalar(Element::I64);
                let [a, b] = [*a, *b].map(|pointer| {
                    let pointer = here(writer, pointer);
                    number_of(writer, pointer)
                });
                let less = bytes.saturating_sub(1) as i64;
                (writer.emit(Op::Binary(BinaryOp::Sub, a, b), ty), 0, less, *side)
            }
            Apart::Tracks(both) => {
                let rounds = rounds.expect("rounds that are counted");
                let [one, other] = both.map(|track| {
                    let first = here(writer, track.first);
                    let first = number_of(writer, first);
                    track.ends(writer, first, rounds)
                });
                let bool = Type::scalar(Element::Bool);
                let mut is_behind = |a: [Value; 2], b: [Value; 2]| writer.emit(Op::Compare(CompareOp::UGe, a[0], b[1]), bool);
                let (before, behind) = (is_behind(other, one), is_behind(one, other));
                let is_apart = writer.emit(Op::Binary(BinaryOp::Or, before, behind), bool);
                return and_few(writer, is_apart, rounds);
            }
            Apart::Areas(areas) => {
                let rounds = rounds.expect("rounds that are counted");
                let are_apart = areas.are_apart(writer, rounds, &mut here);
                return and_few(writer, are_apart, rounds);
            }
            Apart::Unwrapped(number, step, bits) => {
                let (rounds, ty) = (rounds.expect("rounds that are counted"), Type::scalar(Element::I64));
                let number = here(writer, *number);
                let first = writer.emit(Op::Convert(ConvertOp::ZExt, number), ty);
                let by = writer.number(step.unsigned_abs(), ty);
                let way = writer.emit(Op::Binary(BinaryOp::Mul, rounds, by), ty);
                let (least, most) = match *step < 0 {
                    // The last round is one step above where the way ends.
                    true => (way, writer.emit(Op::Binary(BinaryOp::Add, first, by), ty)),
                    false => (writer.emit(Op::Binary(BinaryOp::Add, first, way), ty), writer.number(1 << bits, ty)),
                };
                let is_same = writer.emit(Op::Compare(CompareOp::ULe, least, most), Type::scalar(Element::Bool));
                return and_few(writer, is_same, rounds);
            }
        };
        let ty = writer.function.ty(distance);
        let mask = u64::MAX >> (64 - ty.element.bits());
        // Those that are too near begin with 0.
        let (shift, range) = match side {
            Side::Behind if less > 0 => (constant + less, less - 1),
            Side::Ahead if less > 0 => (constant - 1, less - 1),
            _ => (constant + less, 2 * less),
        };
        let [shift, range] = [shift, range].map(|number| writer.number(number as u64 & mask, ty));
        let shifted = writer.emit(Op::Binary(BinaryOp::Add, distance, shift), ty);
        writer.emit(Op::Compare(CompareOp::UGt, shifted, range), Type::scalar(Element::Bool))
    }
}

/// Is it so, and are the rounds so few that products of them do not wrap?
fn and_few(writer: &mut BlockWriter<'_>, is_so: Value, rounds: Value) -> Value {
    let bool = Type::scalar(Element::Bool);
    let most = writer.number(MOST_ROUNDS, Type::scalar(Element::I64));
    let are_few = writer.emit(Op::Compare(CompareOp::ULt, rounds, most), bool);
    writer.emit(Op::Binary(BinaryOp::And, is_so, are_few), bool)
}

/// An address as a number.
fn number_of(writer: &mut BlockWriter<'_>, pointer: Value) -> Value {
    writer.emit(Op::Convert(ConvertOp::PtrToInt, pointer), Type::scalar(Element::I64))
}

/// Are two numbers the same, as sums of multiples of values?
pub(super) fn is_same_number(function: &Function, a: Value, b: Value) -> bool {
    let [a, b] = [a, b].map(|number| Index::of(function, number, 1));
    a == b && a.constant == b.constant
}

impl Index {
    fn of(function: &Function, index: Value, scale: u64) -> Index {
        let bits = function.ty(index).element.bits();
        let mut sum = Index { scale, bits, terms: Vec::new(), constant: 0 };
        sum.add(function, index, 1, DEPTH);
        let mask = u64::MAX >> (64 - bits);
        sum.constant &= mask;
        sum.terms.iter_mut().for_each(|(_, factor)| *factor &= mask);
        sum.terms.retain(|(_, factor)| *factor != 0);
        sum.terms.sort_unstable();
        sum
    }

    fn sum(&self) -> Sum {
        let terms = self.terms.iter().map(|&(term, factor)| (term, signed(factor, self.bits))).collect();
        Sum { terms, constant: signed(self.constant, self.bits) }
    }

    /// A multiple of a value of as many bits.
    fn add(&mut self, function: &Function, value: Value, factor: u64, depth: u32) {
        let number = |value: Value| match function.definition(value) {
            Some(Op::Const(bits)) if bits.iter().all(|lane| *lane == bits[0]) => Some(bits[0]),
            _ => None,
        };
        let constant = |value: Value| match function.definition(value) {
            Some(&Op::Splat(scalar)) => number(scalar),
            _ => number(value),
        };
        if let Some(constant) = constant(value) {
            self.constant = self.constant.wrapping_add(constant.wrapping_mul(factor));
            return;
        }
        let multiple = |value: Value| match function.definition(value) {
            Some(Op::Binary(BinaryOp::Mul, a, b)) => constant(*b).map(|by| (*a, by)).or_else(|| constant(*a).map(|by| (*b, by))),
            Some(Op::Binary(BinaryOp::Shl, a, b)) => constant(*b).map(|by| (*a, 1 << (by % u64::from(self.bits)))),
            _ => None,
        };
        match (function.definition(value), multiple(value)) {
            (Some(Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)), _) if depth > 0 => {
                let other = if *op == BinaryOp::Add { factor } else { factor.wrapping_neg() };
                self.add(function, *a, factor, depth - 1);
                self.add(function, *b, other, depth - 1);
            }
            (_, Some((a, by))) if depth > 0 => self.add(function, a, factor.wrapping_mul(by), depth - 1),
            // What all lanes have is a number beside those of the lanes.
            (Some(Op::Splat(scalar)), _) if depth > 0 => self.add(function, *scalar, factor, depth - 1),
            _ => match self.terms.iter_mut().find(|(term, _)| *term == value) {
                Some((_, known)) => *known = known.wrapping_add(factor),
                None => self.terms.push((value, factor)),
            },
        }
    }
}

/// What a term grows by from lane to lane, if that is the same for all.
fn lane_step(function: &Function, term: Value) -> Option<i64> {
    match function.definition(term) {
        _ if function.ty(term).length == 1 => Some(0),
        Some(Op::Splat(_)) => Some(0),
        Some(&Op::Ramp { step, .. }) => Some(step),
        Some(&Op::Convert(ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc, from)) => lane_step(function, from),
        _ => None,
    }
}

/// A number of so many bits, with its sign.
pub(super) fn signed(bits: u64, width: u32) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}
