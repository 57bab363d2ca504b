//! What a value is in every run.
//!
//! ```text
//! ramp 3, 1 (4 lanes)               3, 4, 5, 6
//! add <0, 1, 2, 3>, splat 63        63, 64, 65, 66
//! ```
//! Of integers and masks, as they are counted with; floats only as they stand there.

use super::interpret::operations;
use super::ir::*;
use rustc_hash::FxHashMap;

/// So many operations are looked through.
const DEPTH: u32 = 12;

impl Function {
    /// The bits of each lane, if they are the same in every run.
    pub fn constant(&self, value: Value) -> Option<Vec<u64>> {
        self.constant_where(value, &FxHashMap::default())
    }

    /// The bits of each lane, if they are the same in every run in which some values, as parameters of a loop, have the bits that are told.
    pub fn constant_where(&self, value: Value, told: &FxHashMap<Value, Vec<u64>>) -> Option<Vec<u64>> {
        self.constant_within(value, told, DEPTH)
    }

    /// The number with a sign that a constant is, in its first lane.
    pub fn signed_constant(&self, value: Value) -> Option<i64> {
        let Some(Op::Const(bits)) = self.definition(value) else { return None };
        let shift = 64 - self.ty(value).element.bits();
        Some(((bits[0] << shift) as i64) >> shift)
    }

    fn constant_within(&self, value: Value, told: &FxHashMap<Value, Vec<u64>>, depth: u32) -> Option<Vec<u64>> {
        if let Some(bits) = told.get(&value) {
            return Some(bits.clone());
        }
        let ty = self.ty(value);
        let (element, length) = (ty.element, usize::from(ty.length));
        let op = self.definition(value).filter(|_| depth > 0)?;
        let of = |value: &Value| self.constant_within(*value, told, depth - 1);
        let is_counted = element.is_int() || element == Element::Bool;
        match op {
            Op::Const(bits) => Some((0..length).map(|lane| bits[if bits.len() == 1 { 0 } else { lane }]).collect()),
            Op::Splat(a) => Some(vec![of(a)?[0]; length]),
            Op::Ramp { base, step, exact: _ } => {
                let base = of(base)?[0];
                let lane = |k: usize| base.wrapping_add((*step as u64).wrapping_mul(k as u64));
                Some((0..length).map(|k| operations::cut(element, lane(k))).collect())
            }
            Op::Unary(op, a) if is_counted => Some(of(a)?.iter().map(|&a| operations::unary(*op, element, a)).collect()),
            Op::Binary(op, a, b) if is_counted => {
                let (a, b) = (of(a)?, of(b)?);
                Some(a.iter().zip(&b).map(|(&a, &b)| operations::binary(*op, element, a, b)).collect())
            }
            Op::Compare(op, a, b) => {
                let of_what = self.ty(*a).element;
                let (a, b) = (of(a)?, of(b)?);
                let holds = |(&a, &b)| u64::from(operations::compare(*op, of_what, a, b));
                Some(a.iter().zip(&b).map(holds).collect())
            }
            Op::Select(mask, a, b) => {
                let (mask, a, b) = (of(mask)?, of(a)?, of(b)?);
                let is_on = |lane: usize| mask[if mask.len() == 1 { 0 } else { lane }] & 1 == 1;
                Some((0..length).map(|lane| if is_on(lane) { a[lane] } else { b[lane] }).collect())
            }
            Op::Convert(op @ (ConvertOp::Trunc | ConvertOp::SExt | ConvertOp::ZExt), a) => {
                let from = self.ty(*a).element;
                Some(of(a)?.iter().map(|&a| operations::convert(*op, from, element, a)).collect())
            }
            Op::Shuffle(a, b, lanes) => {
                let (a, b) = (of(a)?, of(b)?);
                let both: Vec<u64> = a.into_iter().chain(b).collect();
                Some(lanes.iter().map(|&lane| usize::try_from(lane).map_or(0, |lane| both[lane])).collect())
            }
            _ => None,
        }
    }
}

impl Global {
    /// The first bits of an element of `size` bytes, `at` bytes from the start; `None` where there is none.
    pub fn bits(&self, at: u64, size: u64) -> Option<u64> {
        let end = at.checked_add(size).filter(|&end| end <= self.size)?;
        let Some(bytes) = &self.bytes else { return Some(0) };
        Some(bytes[at as usize..end as usize].iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
    }
}
