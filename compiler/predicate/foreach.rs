//! `foreach`, `foreach_active`, `foreach_unique`.
//!
//! ```text
//! foreach (int block[8] i = a .. b) s
//!   ──►  for (k = 0; k < (n & -8); k += 8) { i = ramp(a + k);  s, all lanes on }       n = max(0, b − a)
//!        if (n & 7) { i = ramp(a + (n & -8));  s under 0, 1, 2, … < (n & 7) }
//! foreach_active (int k) s      ──►  for (bits = P; bits; bits &= bits − 1) { k = ctz(bits);  s in context 1 }
//! foreach_unique (T u : v) s    ──►  for (rest = P; any(rest); rest ∧= ¬same) { u = v[first of rest];
//!                                        same = rest ∧ (v == u);  s under same }
//! ```
//! Where n is known, what is not there is not written: no loop around one block, no tail behind whole ones. Counting is done in 64
//! bits and cannot overflow. Where lanes leave a `foreach`, or where its body would be written more often than twice, one loop has its
//! mask in every round.

use super::layout;
use super::state::{FrameKind, LoopFrame, Mask, Predicator};
use super::uniformity::LoopInfo;
use crate::target::Unrolling;
use crate::typed::ir::{Block, Expr, ForeachIndex, LocalId};
use crate::types;
use crate::vector::build::Variable;
use crate::vector::ir::{self, BinaryOp, CompareOp, ConvertOp, Element, Type, Value};

/// An index with its bounds.
#[derive(Clone, Copy)]
pub(super) struct Index {
    pub local: LocalId,
    pub element: types::Element,
    pub length: u8,
    pub low: Value,
    pub high: Value,
}

/// What the loops of one `foreach` share.
#[derive(Clone, Copy)]
struct Nest<'e> {
    body: &'e Block,
    unrolling: Unrolling,
    /// Behind all of its loops.
    exit: ir::Block,
    /// The lanes that have not left, if lanes do.
    live: Option<Variable>,
}

impl Predicator<'_> {
    /// `foreach (…) body`: the first index is the innermost loop.
    pub fn foreach(&mut self, indices: &[ForeachIndex], unrolling: Unrolling, body: &Block) {
        let bounds: Vec<Index> = indices.iter().map(|index| self.bounds(index)).collect();
        self.foreach_of(&bounds, unrolling, body);
    }

    /// The loops of a `foreach` with these bounds.
    pub fn foreach_of(&mut self, bounds: &[Index], unrolling: Unrolling, body: &Block) {
        let outer = self.mask;
        let exit = self.b.create_block();
        let lanes_leave = body.context > 1 && LoopInfo::of(self.types(), None, body).lanes_leave;
        let live = lanes_leave.then(|| {
            let live = self.b.declare_variable(Type::new(Element::Bool, body.context));
            let start = if body.context == self.context() { outer } else { Mask::AllOn(body.context) };
            let start = self.mask_value(start);
            self.b.define(live, start);
            live
        });
        let lanes_returned = self.nest(bounds, Nest { body, unrolling, exit, live });
        self.b.jump(exit, &[]);
        let frame = LoopFrame { kind: FrameKind::Loop, round: outer, live, exit, next: exit, lanes_returned, left: None };
        self.behind_loop(outer, &frame);
    }

    /// Computes the bounds of an index.
    pub fn bounds(&mut self, index: &ForeachIndex) -> Index {
        let ty = self.function().locals[index.local.0 as usize].ty;
        let low = self.expression(&index.low)[0];
        let high = self.expression(&index.high)[0];
        let element = self.types().element(ty).expect("an index is a number");
        Index { local: index.local, element, length: self.types().length(ty), low, high }
    }

    /// The loops of the indices, the last one outermost. Has a lane returned behind the nest?
    fn nest(&mut self, indices: &[Index], nest: Nest) -> bool {
        let Some((&index, inner)) = indices.split_last() else {
            return self.foreach_body(nest);
        };
        if index.length == 1 {
            self.scalar_index(index, inner, nest)
        } else if nest.live.is_some() || (self.copies > 0 && !self.is_written_once(index)) {
            self.masked_index(index, inner, nest)
        } else {
            self.block_index(index, inner, nest)
        }
    }

    /// One round of the innermost loop.
    fn foreach_body(&mut self, nest: Nest) -> bool {
        let mask = self.mask;
        let frame = self.frame(nest.live, nest.exit);
        if let Some(live) = nest.live {
            // The lanes that have an element in this round may all have left, while others have not.
            let live = self.b.use_variable(live);
            self.mask = self.narrow(mask, live);
            let any = self.any_lane(self.mask);
            let inside = self.b.create_block();
            self.b.branch(any, inside, &[], frame.next, &[]);
            self.b.seal(inside);
            self.b.position(inside);
        }
        let frame = LoopFrame { round: self.mask, ..frame };
        let frame = self.loop_body(frame, nest.body);
        if let Some(live) = nest.live {
            let live = self.b.use_variable(live);
            let any = self.b.any(live);
            let more = self.b.create_block();
            self.b.branch(any, more, &[], nest.exit, &[]);
            self.b.seal(more);
            self.b.position(more);
        }
        self.mask = mask;
        frame.lanes_returned
    }

    /// for (v = low; v < high; v += 1)
    fn scalar_index(&mut self, index: Index, inner: &[Index], nest: Nest) -> bool {
        let ty = self.b.ty(index.low);
        let variable = self.b.declare_variable(ty);
        self.b.define(variable, index.low);
        let [header, inside, exit] = [(); 3].map(|()| self.b.create_block());
        self.b.jump(header, &[]);
        self.b.position(header);
        if inner.is_empty() {
            self.b.unroll(nest.unrolling);
        }
        let now = self.b.use_variable(variable);
        let more = self.b.compare(less(index.element), now, index.high);
        self.b.branch(more, inside, &[], exit, &[]);
        self.b.seal(inside);
        self.b.position(inside);
        self.initialize(index.local, &[now]);
        let lanes_returned = self.nest(inner, nest);
        let one = self.b.int(ty, 1);
        let step = self.add(now, one);
        self.b.define(variable, step);
        self.b.jump(header, &[]);
        self.b.seal(header);
        self.b.seal(exit);
        self.b.position(exit);
        lanes_returned
    }

    /// (low, max(0, high − low)) as `i64`
    pub fn range(&mut self, index: Index) -> (Value, Value) {
        let zero = self.i64(0);
        let (low, high) = (self.widen(index.element, index.low), self.widen(index.element, index.high));
        let difference = self.b.binary(BinaryOp::Sub, high, low);
        let count = if index.element.bits() < 64 {
            self.b.binary(BinaryOp::SMax, difference, zero)
        } else {
            let some = self.b.compare(less(index.element), low, high);
            self.b.select(some, difference, zero)
        };
        (low, count)
    }

    fn widen(&mut self, element: types::Element, value: Value) -> Value {
        let op = if element.is_signed() { ConvertOp::SExt } else { ConvertOp::ZExt };
        self.b.convert(op, value, Element::I64)
    }

    /// A number of 64 bits as a value of the index.
    pub fn narrow_number(&mut self, index: Index, v: Value) -> Value {
        self.b.convert(ConvertOp::Trunc, v, layout::element(index.element))
    }

    /// Sets a block index to v, v + 1, … for a v of 64 bits.
    fn set_ramp(&mut self, index: Index, v: Value) {
        let base = self.narrow_number(index, v);
        let ramp = self.b.ramp(base, 1, true, index.length);
        if index.element.bits() < 64 && self.b.constant_bits(ramp).is_none() {
            let wide = self.b.ramp(v, 1, true, index.length);
            self.wide_indices.insert(ramp, (index.element, wide));
        }
        self.initialize(index.local, &[ramp]);
    }

    /// The mask of the first `count` lanes, where count < 2³¹.
    fn first_lanes(&mut self, length: u8, count: Value) -> Mask {
        let count = self.b.convert(ConvertOp::Trunc, count, Element::I32);
        let mask = self.b.first_lanes(count, length);
        self.mask_of(mask)
    }

    /// Whole blocks with all lanes on, then the tail under a mask. One block is no loop, and where numbers say that there is no tail, or
    /// nothing but a tail, the body is written once.
    fn block_index(&mut self, index: Index, inner: &[Index], nest: Nest) -> bool {
        let outer = self.mask;
        let (low, count) = self.range(index);
        let length = i64::from(index.length);
        let (whole, part) = (self.i64(-length), self.i64(length - 1));
        let main = self.b.binary(BinaryOp::And, count, whole);
        let end = self.add(low, main);
        let rest = self.b.binary(BinaryOp::And, count, part);
        let [blocks, left] = [main, rest].map(|number| self.b.uniform_bits(number));
        let is_copied = blocks != Some(0) && left != Some(0);
        self.copies += u32::from(is_copied);

        let mut lanes_returned = false;
        // Where the blocks ended.
        let mut now = main;
        if blocks == Some(length as u64) {
            self.set_ramp(index, low);
            self.mask = Mask::AllOn(index.length);
            lanes_returned |= self.nest(inner, nest);
        } else if blocks != Some(0) {
            // Counted from 0: addresses and the end of the loop are told by one number.
            let (zero, step) = (self.i64(0), self.i64(length));
            let variable = self.b.declare_variable(self.b.ty(low));
            self.b.define(variable, zero);
            let [header, inside, behind] = [(); 3].map(|()| self.b.create_block());
            self.b.jump(header, &[]);
            self.b.position(header);
            if inner.is_empty() {
                self.b.unroll(nest.unrolling);
            }
            now = self.b.use_variable(variable);
            let more = self.b.compare(less(types::Element::Uint64), now, main);
            self.b.branch(more, inside, &[], behind, &[]);
            self.b.seal(inside);
            self.b.position(inside);
            let first = self.add(low, now);
            self.set_ramp(index, first);
            self.mask = Mask::AllOn(index.length);
            lanes_returned |= self.nest(inner, nest);
            let next = self.add(now, step);
            self.b.define(variable, next);
            self.b.jump(header, &[]);
            self.b.seal(header);
            self.b.seal(behind);
            self.b.position(behind);
        }

        if left != Some(0) {
            let [tail, done] = [(); 2].map(|()| self.b.create_block());
            if left.is_some() {
                self.b.jump(tail, &[]);
            } else {
                // Asked of where the loop ended, not of `rest`: a condition that a loop around this one does not change would have LLVM
                // make a copy of that loop for either answer.
                let some = self.b.compare(less(types::Element::Uint64), now, count);
                self.b.branch(some, tail, &[], done, &[]);
            }
            self.b.seal(tail);
            self.b.position(tail);
            self.set_ramp(index, end);
            self.mask = self.first_lanes(index.length, rest);
            lanes_returned |= self.nest(inner, nest);
            self.b.jump(done, &[]);
            self.b.seal(done);
            self.b.position(done);
        }

        self.copies -= u32::from(is_copied);
        self.mask = outer;
        lanes_returned
    }

    /// Do numbers say that `block_index` writes the body once?
    fn is_written_once(&self, index: Index) -> bool {
        let (Some(low), Some(high)) = (self.b.uniform_bits(index.low), self.b.uniform_bits(index.high)) else { return false };
        let count = high.wrapping_sub(low);
        count < u64::from(index.length) || count.is_multiple_of(u64::from(index.length))
    }

    /// One loop with a mask in every round.
    fn masked_index(&mut self, index: Index, inner: &[Index], nest: Nest) -> bool {
        let outer = self.mask;
        let (low, count) = self.range(index);
        let i64_type = self.b.ty(low);
        let (position, left) = (self.b.declare_variable(i64_type), self.b.declare_variable(i64_type));
        self.b.define(position, low);
        self.b.define(left, count);
        let [header, inside, done] = [(); 3].map(|()| self.b.create_block());
        self.b.jump(header, &[]);
        self.b.position(header);
        if inner.is_empty() {
            self.b.unroll(nest.unrolling);
        }
        let (now, remaining) = (self.b.use_variable(position), self.b.use_variable(left));
        let (zero, length) = (self.i64(0), self.i64(i64::from(index.length)));
        let more = self.b.compare(CompareOp::Ne, remaining, zero);
        self.b.branch(more, inside, &[], done, &[]);
        self.b.seal(inside);
        self.b.position(inside);
        self.set_ramp(index, now);
        let these = self.b.binary(BinaryOp::UMin, remaining, length);
        self.mask = self.first_lanes(index.length, these);
        let lanes_returned = self.nest(inner, nest);
        let next = self.add(now, length);
        let rest = self.b.binary(BinaryOp::Sub, remaining, these);
        self.b.define(position, next);
        self.b.define(left, rest);
        self.b.jump(header, &[]);
        self.b.seal(header);
        self.b.seal(done);
        self.b.position(done);
        self.mask = outer;
        lanes_returned
    }

    /// `foreach_active (int k) body`
    pub fn foreach_active(&mut self, index: LocalId, body: &Block) {
        let ty = self.function().locals[index.0 as usize].ty;
        let element = self.types().element(ty).expect("a lane number is an int");
        // The region of context 1 lies inside the loop over the lanes; both end together.
        let lanes = self.mask;
        self.in_context_one(|this| {
            this.mask = lanes;
            this.for_each_active_lane(|this, lane, around| {
                this.mask = Mask::AllOn(1);
                let lane = this.convert_element(types::Element::Int32, element, lane);
                this.initialize(index, &[lane]);
                this.loops.push(LoopFrame {
                    kind: FrameKind::Loop,
                    round: Mask::AllOn(1),
                    live: None,
                    exit: around.exit,
                    next: around.next,
                    lanes_returned: false,
                    left: None,
                });
                this.block(body);
                this.loops.pop();
            });
        });
    }

    /// `foreach_unique (T u : v) body`
    pub fn foreach_unique(&mut self, local: LocalId, value: &Expr, body: &Block) {
        let outer = self.mask;
        let leaf = self.leaves(value.ty)[0];
        let value = self.expression(value)[0];
        let rest = self.b.declare_variable(Type::new(Element::Bool, self.context()));
        let start = self.mask_value(outer);
        self.b.define(rest, start);
        let [header, inside, exit] = [(); 3].map(|()| self.b.create_block());
        self.b.jump(header, &[]);
        self.b.position(header);
        let now = self.b.use_variable(rest);
        let any = self.b.any(now);
        self.b.branch(any, inside, &[], exit, &[]);
        self.b.seal(inside);
        self.b.position(inside);
        let first = self.first_lane(now);
        let unique = self.b.extract(value, first);
        let all = self.b.splat(unique, self.b.ty(value).length);
        let mut equal = self.equal(leaf.element, value, all);
        if leaf.element.is_some_and(types::Element::is_float) {
            // A NaN equals not even itself; its lane has a round all the same.
            let lanes = self.b.iota(Type::new(Element::I32, self.context()));
            let number = self.b.splat(first, self.context());
            let itself = self.b.compare(CompareOp::Eq, lanes, number);
            equal = self.b.or(equal, itself);
        }
        let same = self.b.and(now, equal);
        self.initialize(local, &[unique]);
        // In context 1 there is one round.
        self.mask = if self.context() == 1 { Mask::AllOn(1) } else { Mask::Value(same) };
        let frame = LoopFrame { kind: FrameKind::RoundsDiffer, ..self.frame(None, exit) };
        let frame = self.loop_body(frame, body);
        let others = self.b.not(same);
        let left = self.b.and(now, others);
        self.b.define(rest, left);
        self.b.jump(header, &[]);
        self.b.seal(header);
        self.behind_loop(outer, &frame);
    }
}

fn less(element: types::Element) -> CompareOp {
    if element.is_signed() { CompareOp::SLt } else { CompareOp::ULt }
}
