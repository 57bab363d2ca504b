//! The mask P, and the algebra on it.
//!
//! ```text
//! P narrowed by c    and P, c            P without m    and P, !m           a or b    or a, b
//! ```
//! What is known in advance folds: with P all on the narrowed mask is c itself.

use super::state::{Mask, Predicator};
use crate::vector::ir::{BinaryOp, Block, CompareOp, ConvertOp, Element, Type, UnaryOp, Value};

impl Predicator<'_> {
    /// Λ: the length of the current mask.
    pub fn context(&self) -> u8 {
        self.mask_length(self.mask)
    }

    pub fn mask_length(&self, mask: Mask) -> u8 {
        match mask {
            Mask::AllOn(length) | Mask::Off(length) => length,
            Mask::Value(value) => self.b.ty(value).length,
        }
    }

    /// The mask that a `bool` vector stands for.
    pub fn mask_of(&self, value: Value) -> Mask {
        let length = self.b.ty(value).length;
        match self.b.uniform_bits(value) {
            Some(0) => Mask::Off(length),
            Some(_) => Mask::AllOn(length),
            None => Mask::Value(value),
        }
    }

    /// The mask as a value.
    pub fn mask_value(&mut self, mask: Mask) -> Value {
        match mask {
            Mask::AllOn(length) => self.b.bool(length, true),
            Mask::Off(length) => self.b.bool(length, false),
            Mask::Value(value) => value,
        }
    }

    /// Are they certainly the same lanes?
    pub fn same_mask(&mut self, a: Mask, b: Mask) -> bool {
        match (a, b) {
            (Mask::Value(a), Mask::Value(b)) => self.b.same(a, b),
            (Mask::AllOn(_) | Mask::Off(_) | Mask::Value(_), _) => a == b,
        }
    }

    /// The mask of a block whose context is that of `condition`: P ∧ condition. In context 1 a vector condition opens
    /// its own context, with all lanes on.
    pub fn narrow(&mut self, mask: Mask, condition: Value) -> Mask {
        match mask {
            Mask::AllOn(_) => self.mask_of(condition),
            Mask::Off(_) => mask,
            Mask::Value(value) => {
                let both = self.b.and(value, condition);
                self.mask_of(both)
            }
        }
    }

    /// P ∧ ¬gone
    pub fn without(&mut self, mask: Mask, gone: Value) -> Mask {
        let stays = self.b.not(gone);
        self.narrow(mask, stays)
    }

    /// The lanes of either.
    pub fn union(&mut self, a: Mask, b: Mask) -> Mask {
        match (a, b) {
            (Mask::AllOn(_), _) | (_, Mask::Off(_)) => a,
            (Mask::Off(_), _) | (_, Mask::AllOn(_)) => b,
            (Mask::Value(a), Mask::Value(b)) => {
                let either = self.b.or(a, b);
                self.mask_of(either)
            }
        }
    }

    /// Is any lane on? A scalar.
    pub fn any_lane(&mut self, mask: Mask) -> Value {
        let mask = self.mask_value(mask);
        self.b.any(mask)
    }

    /// The mask that an access of this length needs: that of the context, if it is not all on.
    pub fn access_mask(&mut self, length: u8) -> Option<Value> {
        match self.mask {
            Mask::AllOn(_) => None,
            Mask::Off(_) | Mask::Value(_) if length == 1 || length != self.context() => None,
            Mask::Off(_) | Mask::Value(_) => Some(self.mask_value(self.mask)),
        }
    }

    /// The active lanes of a `bool` value: those of the mask for a vector, itself for a scalar.
    pub fn active(&mut self, condition: Value) -> Value {
        let length = self.b.ty(condition).length;
        match self.access_mask(length) {
            Some(mask) => self.b.and(mask, condition),
            None => condition,
        }
    }

    /// The lanes of a `bool` vector as bits of an `i64`.
    pub fn bits_of(&mut self, mask: Value) -> Value {
        if self.b.ty(mask).length == 1 {
            return self.b.convert(ConvertOp::ZExt, mask, Element::I64);
        }
        self.b.mask_bits(mask)
    }

    /// The number of the first lane that is on, as an `i32`; any number where none is.
    pub fn first_lane(&mut self, mask: Value) -> Value {
        let bits = self.bits_of(mask);
        self.trailing_zeros(bits)
    }

    pub fn trailing_zeros(&mut self, bits: Value) -> Value {
        let count = self.b.unary(UnaryOp::Ctz, bits);
        self.b.convert(ConvertOp::Trunc, count, Element::I32)
    }

    /// Runs `body` for each active lane in ascending order, with the lane number (`i32`). `body` may jump to the
    /// blocks that it is given: behind the loop, and to the next lane.
    pub fn for_each_active_lane(&mut self, body: impl FnOnce(&mut Self, Value, LaneLoop)) {
        let i32 = Type::scalar(Element::I32);
        let [header, inside, next, exit] = [(); 4].map(|()| self.b.create_block());
        let around = LaneLoop { exit, next };
        match self.mask {
            Mask::AllOn(length) => {
                let lane = self.b.declare_variable(i32);
                let (zero, one, end) = (self.b.int(i32, 0), self.b.int(i32, 1), self.b.int(i32, i64::from(length)));
                self.b.define(lane, zero);
                self.b.jump(header, &[]);
                self.b.position(header);
                let now = self.b.use_variable(lane);
                let more = self.b.compare(CompareOp::SLt, now, end);
                self.b.branch(more, inside, &[], exit, &[]);
                self.b.seal(inside);
                self.b.position(inside);
                body(self, now, around);
                self.b.jump(next, &[]);
                self.b.seal(next);
                self.b.position(next);
                let step = self.b.binary(BinaryOp::Add, now, one);
                self.b.define(lane, step);
            }
            Mask::Off(_) | Mask::Value(_) => {
                let i64 = Type::scalar(Element::I64);
                let left = self.b.declare_variable(i64);
                let mask = self.mask_value(self.mask);
                let bits = self.b.mask_bits(mask);
                let (zero, one) = (self.b.int(i64, 0), self.b.int(i64, 1));
                self.b.define(left, bits);
                self.b.jump(header, &[]);
                self.b.position(header);
                let now = self.b.use_variable(left);
                let more = self.b.compare(CompareOp::Ne, now, zero);
                self.b.branch(more, inside, &[], exit, &[]);
                self.b.seal(inside);
                self.b.position(inside);
                let lane = self.trailing_zeros(now);
                body(self, lane, around);
                self.b.jump(next, &[]);
                self.b.seal(next);
                self.b.position(next);
                let lower = self.b.binary(BinaryOp::Sub, now, one);
                let rest = self.b.binary(BinaryOp::And, now, lower);
                self.b.define(left, rest);
            }
        }
        self.b.jump(header, &[]);
        self.b.seal(header);
        self.b.seal(exit);
        self.b.position(exit);
    }
}

/// The blocks around the body of a loop over lanes.
#[derive(Clone, Copy)]
pub(super) struct LaneLoop {
    pub exit: Block,
    pub next: Block,
}
