//! Built-ins that work lane by lane, and those with effects. Those across lanes are in `cross_lane`.

use super::layout;
use super::state::Predicator;
use crate::typed::ir::{Builtin, CrossOp, EffectOp, Expr, LaneOp};
use crate::types::{Element, Type};
use crate::vector::ir::{self, BinaryOp, CompareOp, ConvertOp, UnaryOp, Value};

impl Predicator<'_> {
    /// The leaves of a built-in's result, which is of type `ty`.
    pub fn builtin(&mut self, builtin: Builtin, operands: &[Expr], ty: Type) -> Vec<Value> {
        match builtin {
            Builtin::Get => self.get(&operands[0], &operands[1], ty),
            Builtin::Cross(op) => {
                // Only what is answered by `any` and `all` could be taken for a question of control.
                if matches!(op, CrossOp::Any | CrossOp::All | CrossOp::None | CrossOp::ReduceEqual) {
                    self.b.ask_lanes();
                }
                vec![self.cross_lane(op, operands)]
            }
            Builtin::Rearrange(op) => vec![self.rearrange(op, operands, ty)],
            Builtin::Lane(LaneOp::Select) => self.select(&operands[0], &operands[1], &operands[2]),
            Builtin::Lane(op) => vec![self.lane_wise(op, operands, ty)],
            Builtin::Effect(EffectOp::PackedStore) => vec![self.packed_store(&operands[0], &operands[1])],
            Builtin::Effect(EffectOp::Atomic(op)) => vec![self.atomic(op, &operands[0], &operands[1])],
            Builtin::Effect(EffectOp::AtomicSwap) => vec![self.exchange(&operands[0], None, &operands[1])],
            Builtin::Effect(EffectOp::AtomicCompareExchange) => {
                vec![self.exchange(&operands[0], Some(&operands[1]), &operands[2])]
            }
            Builtin::Effect(EffectOp::StreamingLoad) => vec![self.streaming_load(&operands[0], ty)],
            Builtin::Effect(EffectOp::Prefetch) => {
                self.prefetch(&operands[0]);
                Vec::new()
            }
            Builtin::Effect(EffectOp::StreamingStore) => {
                self.streaming_store(&operands[0], &operands[1]);
                Vec::new()
            }
            Builtin::Effect(EffectOp::Assume) => {
                self.assume(&operands[0]);
                Vec::new()
            }
        }
    }

    /// (m, a, b): strict.
    fn select(&mut self, mask: &Expr, a: &Expr, b: &Expr) -> Vec<Value> {
        let mask = self.expression(mask)[0];
        let (a, b) = (self.expression(a), self.expression(b));
        let length = self.b.ty(mask).length;
        let mut values = Vec::with_capacity(a.len());
        for (a, b) in a.into_iter().zip(b) {
            // A scalar part of a record is chosen by whether any lane is.
            let fits = length == 1 || self.b.ty(a).length == length;
            let condition = if fits { mask } else { self.b.any(mask) };
            values.push(self.b.select(condition, a, b));
        }
        values
    }

    /// Operations on the elements of one or more operands of one type.
    fn lane_wise(&mut self, op: LaneOp, operands: &[Expr], ty: Type) -> Value {
        let element = self.types().element(operands[0].ty).expect("an operand with elements");
        let values: Vec<Value> = operands.iter().map(|operand| self.expression(operand)[0]).collect();
        let a = values[0];
        let result = self.types().element(ty).expect("a result with elements");
        let (float, signed) = (element.is_float(), element.is_signed());
        // Rounding an integer changes nothing.
        let on_float = |this: &mut Self, op| if float { this.b.unary(op, a) } else { a };
        let on_bits = |this: &mut Self, op| {
            let bits = this.b.unary(op, a);
            this.convert_element(element, result, bits)
        };
        match op {
            // Of elements: of all types in [`Predicator::select`].
            LaneOp::Select => self.b.select(a, values[1], values[2]),
            LaneOp::Min => self.b.binary(extremum(element, false), a, values[1]),
            LaneOp::Max => self.b.binary(extremum(element, true), a, values[1]),
            LaneOp::Abs if float => self.b.unary(UnaryOp::FAbs, a),
            LaneOp::Abs if signed => self.b.unary(UnaryOp::Abs, a),
            LaneOp::Abs => a,
            LaneOp::Fma if float => self.b.fma(a, values[1], values[2]),
            LaneOp::Fma => {
                let product = self.b.binary(BinaryOp::Mul, a, values[1]);
                self.add(product, values[2])
            }
            LaneOp::Sqrt => on_float(self, UnaryOp::Sqrt),
            LaneOp::Rsqrt => on_float(self, UnaryOp::Rsqrt),
            LaneOp::Rcp => on_float(self, UnaryOp::Rcp),
            LaneOp::Floor => on_float(self, UnaryOp::Floor),
            LaneOp::Ceil => on_float(self, UnaryOp::Ceil),
            LaneOp::Round => on_float(self, UnaryOp::Round),
            LaneOp::Trunc => on_float(self, UnaryOp::Trunc),
            LaneOp::Rint => on_float(self, UnaryOp::Rint),
            LaneOp::SaturatingAdd => self.b.binary(if signed { BinaryOp::SAddSat } else { BinaryOp::UAddSat }, a, values[1]),
            LaneOp::SaturatingSub => self.b.binary(if signed { BinaryOp::SSubSat } else { BinaryOp::USubSat }, a, values[1]),
            LaneOp::MulHigh => self.b.binary(if signed { BinaryOp::SMulHigh } else { BinaryOp::UMulHigh }, a, values[1]),
            LaneOp::MulRoundHigh => self.b.binary(BinaryOp::SMulRound, a, values[1]),
            LaneOp::Scale => self.b.binary(BinaryOp::FScale, a, values[1]),
            LaneOp::Clmul => self.b.binary(BinaryOp::ClMul, a, values[1]),
            LaneOp::ClmulHigh => self.b.binary(BinaryOp::ClMulHigh, a, values[1]),
            LaneOp::SaturatingCast => self.saturating_cast(element, result, a),
            LaneOp::Log2 => {
                let log = self.log2(element, a);
                self.convert_element(signed_of(element), result, log)
            }
            LaneOp::Clz => on_bits(self, UnaryOp::Clz),
            LaneOp::Ctz => on_bits(self, UnaryOp::Ctz),
            LaneOp::Popcnt => on_bits(self, UnaryOp::Popcnt),
            LaneOp::Bits => self.b.convert(ConvertOp::Bits, a, layout::element(result)),
            LaneOp::BitReverse => on_bits(self, UnaryOp::BitReverse),
            LaneOp::InBlocks { lanes, stride } => {
                let ty = self.b.ty(a);
                let [shift, stride, last] =
                    [i64::from(lanes.trailing_zeros()), stride as i64, i64::from(lanes) - 1].map(|n| self.b.int(ty, n));
                let block = self.b.binary(BinaryOp::AShr, a, shift);
                let block = self.b.binary(BinaryOp::Mul, block, stride);
                let lane = self.b.and(a, last);
                self.add(block, lane)
            }
            // Counts are taken modulo the width: those that leave at one end come in at the other.
            LaneOp::RotateLeft | LaneOp::RotateRight => {
                let zero = self.b.zero(self.b.ty(a));
                let back = self.b.binary(BinaryOp::Sub, zero, values[1]);
                let (up, down) = if op == LaneOp::RotateLeft { (values[1], back) } else { (back, values[1]) };
                let high = self.b.binary(BinaryOp::Shl, a, up);
                let low = self.b.binary(BinaryOp::LShr, a, down);
                self.b.binary(BinaryOp::Or, high, low)
            }
        }
    }

    /// The nearest integer of another type. What is clamped is what the other one cannot be.
    fn saturating_cast(&mut self, from: Element, to: Element, a: Value) -> Value {
        if from.is_float() {
            return self.convert_element(from, to, a);
        }
        let ty = self.b.ty(a);
        let (least, greatest) = limits(to);
        let (own_least, own_greatest) = limits(from);
        let mut inside = a;
        if greatest < own_greatest {
            let most = self.b.int(ty, greatest as i64);
            inside = self.b.binary(extremum(from, false), inside, most);
        }
        if least > own_least {
            let least = self.b.int(ty, least as i64);
            inside = self.b.binary(extremum(from, true), inside, least);
        }
        self.convert_element(from, to, inside)
    }

    /// Width − 1 − leading zeros: −1 for 0, and by decision for negative numbers.
    fn log2(&mut self, element: Element, a: Value) -> Value {
        let ty = self.b.ty(a);
        let zeros = self.b.unary(UnaryOp::Clz, a);
        let top = self.b.int(ty, i64::from(element.bits()) - 1);
        let log = self.b.binary(BinaryOp::Sub, top, zeros);
        if !element.is_signed() {
            return log;
        }
        let (zero, none) = (self.b.zero(ty), self.b.int(ty, -1));
        let negative = self.b.compare(CompareOp::SLt, a, zero);
        self.b.select(negative, none, log)
    }

    fn prefetch(&mut self, pointer: &Expr) {
        let pointer = self.expression(pointer)[0];
        let length = self.b.ty(pointer).length;
        if length == 1 {
            self.b.prefetch(pointer);
            return;
        }
        self.with_lanes(length, |this| {
            this.for_each_active_lane(|this, lane, _| {
                let pointer = this.b.extract(pointer, lane);
                this.b.prefetch(pointer);
            });
        });
    }

    /// (p): elements, around the caches.
    fn streaming_load(&mut self, pointer: &Expr, ty: Type) -> Value {
        let address = self.accessed(pointer, ty, pointer.span);
        let leaf = self.leaves(ty)[0].ty;
        let mask = self.access_mask(leaf.length);
        self.b.streaming_load(leaf, address, mask)
    }

    /// (p, v): leaf by leaf around the caches; a vector of pointers scatters.
    fn streaming_store(&mut self, pointer: &Expr, value: &Expr) {
        let object = if self.types().length(pointer.ty) == 1 { Some(value.ty) } else { self.types().pointee(pointer.ty) };
        let pointer = self.accessed(pointer, object.expect("a store has a pointer"), pointer.span);
        let leaves = self.leaves(value.ty);
        let values = self.expression(value);
        for (leaf, value) in leaves.iter().zip(values) {
            let mask = self.access_mask(leaf.ty.length);
            let pointer = self.b.ptr_offset(pointer, leaf.offset as i64);
            if self.b.ty(pointer).length > 1 {
                self.b.scatter(pointer, value, mask);
            } else {
                self.b.streaming_store(pointer, value, mask);
            }
        }
    }

    /// Promises that the condition holds in the active lanes; with checks it is looked at.
    fn assume(&mut self, condition: &Expr) {
        let condition = self.expression(condition)[0];
        if self.shared.options.check {
            return self.check_lanes(condition, crate::typed::ir::WRONG_ASSUMPTION.to_owned());
        }
        if self.b.ty(condition).length == 1 {
            self.b.assume(condition);
            return;
        }
        let bad = self.b.not(condition);
        let bad = self.active(bad);
        let any = self.b.any(bad);
        let good = self.b.not(any);
        self.b.assume(good);
    }
}

/// The minimum or maximum of an element type; on `bool` that is "and" or "or".
pub(super) fn extremum(element: Element, max: bool) -> ir::BinaryOp {
    use ir::BinaryOp as V;
    let (smallest, greatest) = match element {
        Element::Float16 | Element::Float | Element::Double => (V::FMin, V::FMax),
        Element::Bool => (V::And, V::Or),
        Element::Int8 | Element::Int16 | Element::Int32 | Element::Int64 => (V::SMin, V::SMax),
        Element::Uint8 | Element::Uint16 | Element::Uint32 | Element::Uint64 => (V::UMin, V::UMax),
    };
    if max { greatest } else { smallest }
}

/// The least and the greatest number of an integer type.
fn limits(element: Element) -> (i128, i128) {
    let bits = element.bits();
    if element.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The signed type of the same width.
fn signed_of(element: Element) -> Element {
    match element {
        Element::Uint8 => Element::Int8,
        Element::Uint16 => Element::Int16,
        Element::Uint32 => Element::Int32,
        Element::Uint64 => Element::Int64,
        Element::Bool | Element::Int8 | Element::Int16 | Element::Int32 | Element::Int64 => element,
        Element::Float16 | Element::Float | Element::Double => element,
    }
}
