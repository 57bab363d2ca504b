//! What values are for each byte that they are computed from.
//!
//! ```text
//! a = add x, 5                      x is any byte: 256 results for each of a, m and r
//! m = compare.ult a, 10
//! r = select m, a, 255
//! ```
//! A *function of a byte* is computed lane by lane of one vector of bytes and of constants that are the same in all lanes.

use super::interpret::operations;
use super::ir::*;
use rustc_hash::FxHashMap;

/// What a value is for each byte.
#[derive(Clone, Debug)]
pub struct ByteFunction {
    /// The bytes.
    pub byte: Value,
    /// By the byte: a byte, or 0 and 1.
    pub results: [u8; 256],
}

impl Function {
    /// The functions of bytes that are computed in a block, by their values.
    pub fn byte_functions(&self, block: Block) -> FxHashMap<Value, ByteFunction> {
        let mut known = FxHashMap::default();
        for &inst in &self.blocks[block.0 as usize].insts {
            let InstData { op, results, .. } = &self.insts[inst.0 as usize];
            if let [result] = results[..]
                && let Some(function) = self.byte_function(&known, op, self.ty(result))
            {
                known.insert(result, function);
            }
        }
        known
    }

    fn byte_function(&self, known: &FxHashMap<Value, ByteFunction>, op: &Op, ty: Type) -> Option<ByteFunction> {
        let is_looked_at = |ty: Type| matches!(ty.element, Element::I8 | Element::Bool) && ty.length > 1;
        let is_lane_by_lane = matches!(op, Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Select(..));
        if !is_lane_by_lane || !is_looked_at(ty) {
            return None;
        }
        let (mut parts, mut byte) = (Vec::new(), None);
        let mut is_function = true;
        op.for_each(|value| {
            let part = self.part(known, value).filter(|_| is_looked_at(self.ty(value)));
            let of = match part {
                Some(Part::Of(function)) => Some(function.byte),
                Some(Part::Byte(of)) => Some(of),
                Some(Part::Constant(_)) => None,
                None => {
                    is_function = false;
                    None
                }
            };
            is_function &= of.is_none() || byte.is_none() || of == byte;
            byte = byte.or(of);
            parts.extend(part.map(|part| (self.ty(value).element, part)));
        });
        let byte = byte.filter(|_| is_function)?;
        let result = |x: usize| {
            let of = |k: usize| match parts[k].1 {
                Part::Constant(bits) => bits,
                Part::Byte(_) => x as u64,
                Part::Of(function) => function.results[x].into(),
            };
            let bits = match *op {
                Op::Unary(op, _) => operations::unary(op, ty.element, of(0)),
                Op::Binary(op, ..) => operations::binary(op, ty.element, of(0), of(1)),
                Op::Compare(op, ..) => operations::compare(op, parts[0].0, of(0), of(1)).into(),
                _ => of(if of(0) & 1 == 1 { 1 } else { 2 }),
            };
            operations::cut(ty.element, bits) as u8
        };
        Some(ByteFunction { byte, results: std::array::from_fn(result) })
    }

    fn part<'k>(&self, known: &'k FxHashMap<Value, ByteFunction>, value: Value) -> Option<Part<'k>> {
        if let Some(function) = known.get(&value) {
            return Some(Part::Of(function));
        }
        match self.constant(value) {
            Some(lanes) if lanes.iter().all(|lane| *lane == lanes[0]) => Some(Part::Constant(lanes[0])),
            _ => (self.ty(value).element == Element::I8).then_some(Part::Byte(value)),
        }
    }
}

/// What an operand is.
#[derive(Clone, Copy)]
enum Part<'k> {
    Constant(u64),
    Byte(Value),
    Of(&'k ByteFunction),
}
