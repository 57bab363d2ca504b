//! Built-ins whose lanes look at other lanes: reductions, scans, shifts of whole vectors, permutations.
//!
//! ```text
//! reduce_add(v)         reduce add (select P, v, 0)
//! scan_add(v)           x = (select P, v, 0) moved up by one; x = x + (x moved up by 1), by 2, by 4, …
//! whole_reg_shr(v, n)   shuffle with zeros; for an n unknown here a permute and a select
//! any(m)                any (and P, m)
//! reduce_equal(v)       not any (and P, v ≠ splat (extract v, first lane of P))
//! ```

use super::builtins::extremum;
use super::places::Location;
use super::state::Predicator;
use crate::typed::ir::{CrossOp, Expr, ExprKind, ReduceOp};
use crate::typed::walk::may_store;
use crate::types::{self, Element};
use crate::vector::ir::{self, BinaryOp, CompareOp, ConvertOp, Type, UnaryOp, Value};

impl Predicator<'_> {
    /// (v, i): lane i as a scalar, leaf by leaf.
    pub fn get(&mut self, vector: &Expr, index: &Expr, ty: types::Type) -> Vec<Value> {
        let leaves = self.leaves(ty);
        // One lane of a vector in memory of our own is one element, which is read behind the index.
        if let ExprKind::Load(place) = &vector.kind
            && !may_store(index)
        {
            let location = self.place(place);
            let number = self.lane_number(index);
            if let Location::Memory { pointer, offset, is_own: true } = location
                && self.b.uniform_bits(number).is_none()
            {
                let objects = self.leaves(place.object);
                return objects.iter().map(|leaf| self.load_lane(pointer, offset, leaf, number)).collect();
            }
            let values = self.load(&location, place);
            return self.lane_of_each(&values, &leaves, number);
        }
        let values = self.expression(vector);
        let number = self.lane_number(index);
        self.lane_of_each(&values, &leaves, number)
    }

    fn load_lane(&mut self, pointer: Value, offset: i64, leaf: &super::layout::Leaf, number: Value) -> Value {
        let last = self.i32(i64::from(leaf.ty.length) - 1);
        let number = self.b.and(number, last);
        let offset = offset.wrapping_add(leaf.offset as i64);
        let pointer = self.b.ptr_index(pointer, number, leaf.ty.element.size(), offset);
        self.b.load(leaf.ty.with_length(1), pointer, None)
    }

    fn lane_of_each(&mut self, values: &[Value], results: &[super::layout::Leaf], number: Value) -> Vec<Value> {
        let lane = |(&value, leaf): (&Value, &super::layout::Leaf)| {
            if self.b.ty(value) == leaf.ty { value } else { self.b.extract(value, number) }
        };
        values.iter().zip(results).map(lane).collect()
    }

    /// A built-in whose lanes look at others.
    pub fn cross_lane(&mut self, op: CrossOp, operands: &[Expr]) -> Value {
        let element = self.types().element(operands[0].ty);
        let v = self.expression(&operands[0])[0];
        match op {
            CrossOp::Any => {
                let active = self.active(v);
                self.b.any(active)
            }
            CrossOp::All if self.access_mask(self.b.ty(v).length).is_none() => self.b.all(v),
            CrossOp::All => {
                let bad = self.b.not(v);
                let bad = self.active(bad);
                let any = self.b.any(bad);
                self.b.not(any)
            }
            CrossOp::None => {
                let active = self.active(v);
                let any = self.b.any(active);
                self.b.not(any)
            }
            CrossOp::PopcountMask => {
                let active = self.active(v);
                let bits = self.bits_of(active);
                let count = self.b.unary(UnaryOp::Popcnt, bits);
                self.b.convert(ConvertOp::Trunc, count, ir::Element::I32)
            }
            CrossOp::ReduceEqual => self.all_equal(element, v),
            CrossOp::BitScan => {
                let from = self.lane_number(&operands[1]);
                self.bit_scan(v, from)
            }
            CrossOp::Reduce(op) => {
                let element = element.expect("a reduction of elements");
                let x = self.neutral_where_off(op, element, v);
                self.b.reduce(reduction(op, element), x)
            }
            CrossOp::Scan(op) => self.scan(op, element.expect("a scan of elements"), v),
            CrossOp::WholeRegShr => {
                let n = self.lane_number(&operands[1]);
                self.whole_shift(v, n, 1)
            }
            CrossOp::WholeRegShl => {
                let n = self.lane_number(&operands[1]);
                self.whole_shift(v, n, -1)
            }
            CrossOp::Rotate => {
                let n = self.lane_number(&operands[1]);
                self.rotate(v, n)
            }
            CrossOp::Shuffle => {
                let indices = self.expression(&operands[1])[0];
                match self.constant_lanes(indices, self.b.ty(v).length.into()) {
                    Some(lanes) => self.b.shuffle(v, v, &lanes),
                    None => self.b.permute(v, indices),
                }
            }
            CrossOp::Shuffle2 => {
                let w = self.expression(&operands[1])[0];
                let indices = self.expression(&operands[2])[0];
                match self.constant_lanes(indices, 2 * u64::from(self.b.ty(v).length)) {
                    Some(lanes) => self.b.shuffle(v, w, &lanes),
                    None => self.b.permute2(v, w, indices),
                }
            }
            CrossOp::Dot2 => {
                let w = self.expression(&operands[1])[0];
                let sum = operands.get(2).map(|c| self.expression(c)[0]);
                let dot = self.b.dot2(v, w);
                sum.map_or(dot, |sum| self.add(sum, dot))
            }
            CrossOp::Dot4 => {
                let w = self.expression(&operands[1])[0];
                let signed = [0, 1].map(|k| self.types().element(operands[k].ty) == Some(Element::Int8));
                let sum = match operands.get(2) {
                    Some(c) => self.expression(c)[0],
                    None => self.b.zero(Type::new(ir::Element::I32, self.b.ty(v).length / 4)),
                };
                self.b.dot4(v, w, sum, signed)
            }
            CrossOp::Reverse => {
                let lanes: Vec<i16> = (0..i16::from(self.b.ty(v).length)).rev().collect();
                self.b.shuffle(v, v, &lanes)
            }
            CrossOp::BroadcastLane => {
                let number = self.lane_number(&operands[1]);
                let lane = self.b.extract(v, number);
                self.b.splat(lane, self.b.ty(v).length)
            }
        }
    }

    /// Has every active lane the value of the first one?
    fn all_equal(&mut self, element: Option<Element>, v: Value) -> Value {
        let length = self.b.ty(v).length;
        let first = match self.access_mask(length) {
            Some(mask) => self.first_lane(mask),
            None => self.i32(0),
        };
        let lane = self.b.extract(v, first);
        let lane = self.b.splat(lane, length);
        let same = self.equal(element, v, lane);
        let other = self.b.not(same);
        let other = self.active(other);
        let any = self.b.any(other);
        self.b.not(any)
    }

    /// (p, v): the active lanes of v, one after another.
    pub fn packed_store(&mut self, pointer: &Expr, value: &Expr) -> Value {
        let first = self.expression(pointer)[0];
        // In front of the value, which may change what the pointer was computed from.
        let known = self.known(pointer);
        let value = self.expression(value)[0];
        let length = self.b.ty(value).length;
        let mask = self.access_mask(length);
        let count = self.active_count(length);
        if !self.check_run(pointer, known, count) {
            self.note(pointer.span);
        }
        self.b.packed_store(first, value, mask)
    }

    /// The first true lane ≥ from, else −1.
    fn bit_scan(&mut self, mask: Value, from: Value) -> Value {
        let length = self.b.ty(mask).length;
        let (zero, none, end) = (self.i32(0), self.i32(-1), self.i32(length.into()));
        let start = self.b.binary(BinaryOp::SMax, from, zero);
        let inside = self.b.compare(CompareOp::SLt, start, end);
        let bits = self.bits_of(mask);
        // The count is taken modulo 64; beyond the last lane the result is not used.
        let count = self.b.convert(ConvertOp::ZExt, start, ir::Element::I64);
        let rest = self.b.binary(BinaryOp::LShr, bits, count);
        let nothing = self.i64(0);
        let some = self.b.compare(CompareOp::Ne, rest, nothing);
        let found = self.b.and(inside, some);
        let first = self.trailing_zeros(rest);
        let lane = self.add(start, first);
        self.b.select(found, lane, none)
    }

    /// The neutral element in all inactive lanes.
    fn neutral_where_off(&mut self, op: ReduceOp, element: Element, v: Value) -> Value {
        let ty = self.b.ty(v);
        match self.access_mask(ty.length) {
            Some(mask) => {
                // 0 + (−0) is 0, so that 0 would show in a sum of −0.
                let neutral = match op {
                    ReduceOp::Add if element.is_float() => self.b.float(ty, -0.0),
                    _ => self.neutral(op, element, ty),
                };
                self.b.select(mask, v, neutral)
            }
            None => v,
        }
    }

    /// x with x ∘ y = y, but for the sign of 0.
    fn neutral(&mut self, op: ReduceOp, element: Element, ty: Type) -> Value {
        let bits = element.bits();
        let ones = -1i64;
        match op {
            ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor => self.b.zero(ty),
            ReduceOp::Multiply if element.is_float() => self.b.float(ty, 1.0),
            ReduceOp::Multiply => self.b.int(ty, 1),
            ReduceOp::And => self.b.int(ty, ones),
            ReduceOp::Min if element.is_float() => self.b.float(ty, f64::INFINITY),
            ReduceOp::Max if element.is_float() => self.b.float(ty, f64::NEG_INFINITY),
            ReduceOp::Min if element.is_signed() => self.b.int(ty, i64::MAX >> (64 - bits)),
            ReduceOp::Max if element.is_signed() => self.b.int(ty, i64::MIN >> (64 - bits)),
            ReduceOp::Min => self.b.int(ty, ones),
            ReduceOp::Max => self.b.zero(ty),
        }
    }

    /// Exclusive prefix over the active lanes.
    fn scan(&mut self, op: ReduceOp, element: Element, v: Value) -> Value {
        let ty = self.b.ty(v);
        let neutral = self.neutral(op, element, ty);
        let x = self.neutral_where_off(op, element, v);
        let mut x = self.move_up(x, neutral, 1);
        let mut distance = 1;
        while distance < ty.length {
            let lower = self.move_up(x, neutral, distance);
            x = self.b.binary(combination(op, element), lower, x);
            distance *= 2;
        }
        x
    }

    /// Lane i takes lane i − n, `fill` comes in.
    fn move_up(&mut self, v: Value, fill: Value, n: u8) -> Value {
        let length = i16::from(self.b.ty(v).length);
        let n = i16::from(n);
        let lanes: Vec<i16> = (0..length).map(|i| if i < n { length + i } else { i - n }).collect();
        self.b.shuffle(v, fill, &lanes)
    }

    /// Lane i takes lane i + n·direction, zeros come in; n outside 0 … N−1 gives zeros.
    fn whole_shift(&mut self, v: Value, n: Value, direction: i16) -> Value {
        let ty = self.b.ty(v);
        let length = i16::from(ty.length);
        let zero = self.b.zero(ty);
        if let Some(bits) = self.b.uniform_bits(n) {
            let n = bits as i32;
            if !(0..i32::from(length)).contains(&n) {
                return zero;
            }
            let from = |i: i16| i + n as i16 * direction;
            let lanes: Vec<i16> = (0..length).map(|i| if (0..length).contains(&from(i)) { from(i) } else { -1 }).collect();
            return self.b.shuffle(v, zero, &lanes);
        }
        let scalar_end = self.i32(length.into());
        let inside = self.b.compare(CompareOp::ULt, n, scalar_end);
        let lanes_type = Type::new(ir::Element::I32, ty.length);
        let lanes = self.b.iota(lanes_type);
        let all = self.b.splat(n, ty.length);
        let op = if direction > 0 { BinaryOp::Add } else { BinaryOp::Sub };
        let from = self.b.binary(op, lanes, all);
        let end = self.b.int(lanes_type, length.into());
        let exists = self.b.compare(CompareOp::ULt, from, end);
        let moved = self.b.permute(v, from);
        let moved = self.b.select(exists, moved, zero);
        self.b.select(inside, moved, zero)
    }

    /// Lane i takes lane (i + n) mod N.
    fn rotate(&mut self, v: Value, n: Value) -> Value {
        let length = self.b.ty(v).length;
        if let Some(bits) = self.b.uniform_bits(n) {
            let lanes: Vec<i16> = (0..u64::from(length)).map(|i| (i.wrapping_add(bits) % u64::from(length)) as i16).collect();
            return self.b.shuffle(v, v, &lanes);
        }
        let lanes = self.b.iota(Type::new(ir::Element::I32, length));
        let all = self.b.splat(n, length);
        let from = self.add(lanes, all);
        self.b.permute(v, from)
    }

    /// The lanes that constant indices name, modulo `count`, which is a power of two.
    pub(super) fn constant_lanes(&self, indices: Value, count: u64) -> Option<Vec<i16>> {
        let bits = self.b.constant_bits(indices)?;
        let lanes = (0..usize::from(self.b.ty(indices).length)).map(|i| bits[if bits.len() == 1 { 0 } else { i }]);
        Some(lanes.map(|lane| (lane % count) as i16).collect())
    }
}

/// The reduction of an element type. On `bool`, sums are taken modulo 2.
fn reduction(op: ReduceOp, element: Element) -> ir::ReduceOp {
    use ir::ReduceOp as V;
    let pick = |float, signed, unsigned, logic| match element {
        Element::Float16 | Element::Float | Element::Double => float,
        Element::Bool => logic,
        Element::Int8 | Element::Int16 | Element::Int32 | Element::Int64 => signed,
        Element::Uint8 | Element::Uint16 | Element::Uint32 | Element::Uint64 => unsigned,
    };
    match op {
        ReduceOp::Add => pick(V::FAdd, V::Add, V::Add, V::Xor),
        ReduceOp::Multiply => pick(V::FMul, V::Mul, V::Mul, V::And),
        ReduceOp::Min => pick(V::FMin, V::SMin, V::UMin, V::And),
        ReduceOp::Max => pick(V::FMax, V::SMax, V::UMax, V::Or),
        ReduceOp::And => V::And,
        ReduceOp::Or => V::Or,
        ReduceOp::Xor => V::Xor,
    }
}

/// The operation that a reduction repeats.
fn combination(op: ReduceOp, element: Element) -> BinaryOp {
    let pick = |float, int, logic| {
        if element == Element::Bool {
            logic
        } else if element.is_float() {
            float
        } else {
            int
        }
    };
    match op {
        ReduceOp::Add => pick(BinaryOp::FAdd, BinaryOp::Add, BinaryOp::Xor),
        ReduceOp::Multiply => pick(BinaryOp::FMul, BinaryOp::Mul, BinaryOp::And),
        ReduceOp::Min => extremum(element, false),
        ReduceOp::Max => extremum(element, true),
        ReduceOp::And => BinaryOp::And,
        ReduceOp::Or => BinaryOp::Or,
        ReduceOp::Xor => BinaryOp::Xor,
    }
}
