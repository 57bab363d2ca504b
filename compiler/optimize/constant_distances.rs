//! Gathers and scatters whose lanes are at known distances from each other become loads and stores of what they span, and a shuffle.
//!
//! ```text
//! j = add (splat b), <0, 1, 4, 8, 5, 2, 3, 6>          q = ptrindex a, b
//! v = gather (ptrindex a, j)                    ──►    w = load q: 8 elements;  x = load q + 1: the 8 that end with the last one
//!                                                      v = shuffle w, x, <0, 1, 4, 15, 5, 2, 3, 6>
//! ```
//! Coefficients in zigzag order, bytes of words in another order: a table of constants says where they are.
//!
//! What lies between the first and the last of the lanes is there, since all of them are accessed, and in one object: indices of 32 bits in an object of at most 2³¹ elements are less than
//! 2³¹ apart, so that their distance is the number of 32 bits that they differ by. Lanes of a scatter are stored so where they fill what they span.

use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// So many terms of an index are looked at.
const DEPTH: u32 = 6;
/// So many bytes that are spanned are loaded at once.
const MAX_SPAN: u64 = 128;

/// Rewrites the gathers and scatters of a function whose lanes are at known distances.
pub fn constant_distances(function: &mut Function) {
    remake(function, |writer, inst| {
        let InstData { op, results, .. } = &writer.function.insts[inst.0 as usize];
        match *op {
            Op::Gather { pointers, mask: None, .. } => {
                let ty = writer.function.ty(results[0]);
                gathered(writer, pointers, ty)
            }
            Op::Scatter { pointers, value, mask: None, .. } => scattered(writer, pointers, value),
            _ => None,
        }
    });
}

/// Where lanes are: behind a scalar address of which `first` makes an instruction, by so many elements each.
struct Places {
    base: Value,
    /// Scalars of which the index is the sum, but for constants.
    terms: Vec<Value>,
    scale: u64,
    offset: i64,
    /// The least place, as an index.
    least: i64,
    /// From there on.
    lanes: Vec<u64>,
}

impl Places {
    fn of(function: &Function, pointers: Value, size: u64) -> Option<Places> {
        let &Op::PtrIndex { base, index, scale, offset } = function.definition(pointers)? else { return None };
        let base = match function.definition(base) {
            _ if function.ty(base).length == 1 => base,
            Some(&Op::Splat(base)) => base,
            _ => return None,
        };
        let bits = function.ty(index).element.bits();
        if scale != size || bits < 32 {
            return None;
        }
        let mut terms = Vec::new();
        let lanes = sum(function, index, &mut terms, DEPTH)?;
        let shift = 64 - bits;
        let signed = |lane: &u64| ((lane << shift) as i64) >> shift;
        let least = lanes.iter().map(signed).min()?;
        let lanes = lanes.iter().map(|lane| signed(lane).abs_diff(least)).collect();
        (!terms.is_empty()).then_some(Places { base, terms, scale, offset, least, lanes })
    }

    /// How many elements the lanes span.
    fn span(&self) -> u64 {
        self.lanes.iter().max().map_or(0, |last| last.saturating_add(1))
    }

    /// The address of the first one.
    fn first(&self, writer: &mut Writer<'_>) -> Value {
        let ty = writer.function.ty(self.terms[0]);
        let mut index = self.terms[0];
        for &term in &self.terms[1..] {
            index = writer.emit(Op::Binary(BinaryOp::Add, index, term), ty);
        }
        // It is counted as that lane's own index is.
        if self.least != 0 {
            let least = self.least as u64 & (u64::MAX >> (64 - ty.element.bits()));
            let least = writer.emit(Op::Const(vec![least]), ty);
            index = writer.emit(Op::Binary(BinaryOp::Add, index, least), ty);
        }
        let (base, scale, offset) = (self.base, self.scale, self.offset);
        writer.emit(Op::PtrIndex { base, index, scale, offset }, Type::scalar(Element::Ptr))
    }
}

/// An index as scalars that all lanes have and a number that each has.
fn sum(function: &Function, index: Value, terms: &mut Vec<Value>, depth: u32) -> Option<Vec<u64>> {
    if let Some(lanes) = function.constant(index) {
        return Some(lanes);
    }
    match *function.definition(index).filter(|_| depth > 0)? {
        Op::Splat(scalar) => {
            terms.push(scalar);
            Some(vec![0; function.ty(index).length.into()])
        }
        Op::Binary(BinaryOp::Add, a, b) => {
            let (a, b) = (sum(function, a, terms, depth - 1)?, sum(function, b, terms, depth - 1)?);
            Some(a.into_iter().zip(b).map(|(a, b)| a.wrapping_add(b)).collect())
        }
        _ => None,
    }
}

fn gathered(writer: &mut Writer<'_>, pointers: Value, ty: Type) -> Option<Op> {
    let size = ty.element.size();
    let places = Places::of(writer.function, pointers, size)?;
    let span = places.span();
    let part = u64::from(ty.length).min(1 << span.checked_ilog2()?);
    if part < 2 || span > 2 * part || span.checked_mul(size)? > MAX_SPAN {
        return None;
    }
    let part_type = ty.with_length(part as u8);
    let first = places.first(writer);
    let front = writer.emit(Op::Load { pointer: first, mask: None }, part_type);
    let mut back = front;
    if span > part {
        let pointer = writer.offset(first, ((span - part) * size) as i64);
        back = writer.emit(Op::Load { pointer, mask: None }, part_type);
    }
    // What only the second one has is behind the first one's lanes.
    let lane = |place: &u64| if *place < part { *place as i16 } else { (place - (span - part) + part) as i16 };
    Some(Op::Shuffle(front, back, places.lanes.iter().map(lane).collect()))
}

fn scattered(writer: &mut Writer<'_>, pointers: Value, value: Value) -> Option<Op> {
    let ty = writer.function.ty(value);
    let places = Places::of(writer.function, pointers, ty.element.size())?;
    if places.span() != u64::from(ty.length) || u64::from(ty.length) * ty.element.size() > MAX_SPAN {
        return None;
    }
    let from = (0..places.span()).map(|place| places.lanes.iter().position(|lane| *lane == place).map(|lane| lane as i16));
    let lanes = from.collect::<Option<Vec<i16>>>()?;
    let pointer = places.first(writer);
    let value = writer.emit(Op::Shuffle(value, value, lanes), ty);
    Some(Op::Store { pointer, value, mask: None, streaming: false })
}
