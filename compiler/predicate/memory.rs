//! Loads and stores under the mask, and the compound assignments that do both.
//!
//! | place | lanes of the leaf | access |
//! | --- | --- | --- |
//! | registers | Λ | `select(P, new, old)` |
//! | registers | 1 | plain |
//! | one address | Λ | masked (plain where all lanes are on, and for loads where the memory is our own) |
//! | one address | 1 | plain: a region is only entered if some lane is active |
//! | n addresses | 1 each | gather, scatter (Figure 10 a) |
//! | n addresses | n each | gather, scatter of component i in lane i (Figure 10 b) |

use super::layout::Leaf;
use super::places::Location;
use super::state::{Predicator, Storage};
use crate::typed::ir::{BinaryOp, Expr, Place};
use crate::types;
use crate::vector::ir::{self, Element, Object, Op, Type, Value};

/// So many operations are looked through for what lanes differ by.
const STEP_DEPTH: u32 = 8;

/// Objects with more leaves than this are copied as bytes.
pub(super) const COPY_LEAVES: usize = 8;

impl Predicator<'_> {
    /// E-TOVAL
    pub fn load(&mut self, location: &Location, place: &Place) -> Vec<Value> {
        match location {
            Location::Registers { .. } | Location::Values(_) => self.register_values(location),
            &Location::Memory { pointer, offset, is_own } => {
                let leaves = self.leaves(place.object);
                leaves.iter().map(|leaf| self.load_leaf(pointer, offset, leaf, is_own)).collect()
            }
            &Location::Lanes { pointers, offset, object } => {
                let leaves = self.leaves(place.object);
                leaves.iter().map(|leaf| self.gather_leaf(pointers, offset, leaf, object)).collect()
            }
        }
    }

    pub fn load_leaf(&mut self, pointer: Value, offset: i64, leaf: &Leaf, is_own: bool) -> Value {
        let mask = if is_own { None } else { self.access_mask(leaf.ty.length) };
        let pointer = self.b.ptr_offset(pointer, offset.wrapping_add(leaf.offset as i64));
        self.b.load(leaf.ty, pointer, mask)
    }

    /// The addresses of a leaf, one per lane: lane i of a vector leaf is its component i.
    pub fn leaf_pointers(&mut self, pointers: Value, offset: i64, leaf: &Leaf) -> Value {
        let offset = offset.wrapping_add(leaf.offset as i64);
        if leaf.ty.length == 1 {
            return self.b.ptr_offset(pointers, offset);
        }
        let lanes = self.b.iota(Type::new(Element::I32, self.b.ty(pointers).length));
        self.b.ptr_index(pointers, lanes, leaf.ty.element.size(), offset)
    }

    pub fn gather_leaf(&mut self, pointers: Value, offset: i64, leaf: &Leaf, object: Option<Object>) -> Value {
        let length = self.b.ty(pointers).length;
        let mask = self.access_mask(length);
        let object = object.filter(|_| leaf.ty.length == 1);
        let object = object.map(|object| Object { offset: object.offset + leaf.offset, ..object });
        let pointers = self.leaf_pointers(pointers, offset, leaf);
        self.b.gather(leaf.ty.element, pointers, mask, object)
    }

    /// Stores to the active lanes.
    pub fn store(&mut self, location: &Location, place: &Place, values: &[Value]) {
        match location {
            &Location::Registers { local, first, count } => {
                for (i, &value) in values.iter().enumerate().take(count) {
                    let Storage::Registers(variables) = &self.storage[local.0 as usize] else {
                        unreachable!("the local lives in registers")
                    };
                    let variable = variables[first + i];
                    let mut value = value;
                    if let Some(mask) = self.access_mask(self.b.ty(value).length) {
                        let old = self.b.use_variable(variable);
                        value = self.b.select(mask, value, old);
                    }
                    self.b.define(variable, value);
                }
            }
            &Location::Memory { pointer, offset, is_own: _ } => {
                for (leaf, &value) in self.leaves(place.object).iter().zip(values) {
                    let mask = self.access_mask(leaf.ty.length);
                    let pointer = self.b.ptr_offset(pointer, offset.wrapping_add(leaf.offset as i64));
                    self.b.store(pointer, value, mask);
                }
            }
            &Location::Lanes { pointers, offset, object: _ } => {
                for (leaf, &value) in self.leaves(place.object).iter().zip(values) {
                    let mask = self.access_mask(self.b.ty(pointers).length);
                    let pointers = self.leaf_pointers(pointers, offset, leaf);
                    self.b.scatter(pointers, value, mask);
                }
            }
            // A store to a value without a place is seen by nobody.
            Location::Values(_) => {}
        }
    }

    /// Copies a large object from place to place as bytes, if no lane is to be left out. Was it possible?
    pub fn copy_object(&mut self, to: &Location, from: &Place, ty: types::Type) -> bool {
        let large = self.types().has_array(ty) || self.leaves(ty).len() > COPY_LEAVES;
        let &Location::Memory { pointer: to, offset: to_offset, is_own: _ } = to else { return false };
        if !large || !matches!(self.mask, super::state::Mask::AllOn(_)) || from.addresses > 1 {
            return false;
        }
        match self.place(from) {
            Location::Memory { pointer, offset, is_own: _ } => {
                let to = self.b.ptr_offset(to, to_offset);
                let from = self.b.ptr_offset(pointer, offset);
                self.b.copy(to, from, self.types().size(ty));
            }
            location @ (Location::Registers { .. } | Location::Values(_) | Location::Lanes { .. }) => {
                let values = self.load(&location, from);
                for (leaf, value) in self.leaves(ty).iter().zip(values) {
                    let pointer = self.b.ptr_offset(to, to_offset.wrapping_add(leaf.offset as i64));
                    self.b.store(pointer, value, None);
                }
            }
        }
        true
    }

    /// Sets one lane of a place, whatever the mask.
    pub fn set_lane_of(&mut self, location: &Location, place: &Place, lanes: &[Value], index: Value) {
        match location {
            &Location::Registers { local, first, count } => {
                for (i, &lane) in lanes.iter().enumerate().take(count) {
                    let Storage::Registers(variables) = &self.storage[local.0 as usize] else {
                        unreachable!("the local lives in registers")
                    };
                    let variable = variables[first + i];
                    let old = self.b.use_variable(variable);
                    let new = if self.b.ty(old) == self.b.ty(lane) { lane } else { self.b.insert(old, lane, index) };
                    self.b.define(variable, new);
                }
            }
            &Location::Memory { pointer, offset, is_own: _ } => {
                for (leaf, &lane) in self.leaves(place.object).iter().zip(lanes) {
                    let pointer = self.b.ptr_offset(pointer, offset.wrapping_add(leaf.offset as i64));
                    let pointer = if self.b.ty(lane) == leaf.ty {
                        pointer
                    } else {
                        let last = self.i32(i64::from(leaf.ty.length) - 1);
                        let index = self.b.and(index, last);
                        self.b.ptr_index(pointer, index, leaf.ty.element.size(), 0)
                    };
                    self.b.store(pointer, lane, None);
                }
            }
            &Location::Lanes { pointers, offset, object: _ } => {
                for (leaf, &lane) in self.leaves(place.object).iter().zip(lanes) {
                    let pointers = self.leaf_pointers(pointers, offset, leaf);
                    let pointer = self.b.extract(pointers, index);
                    self.b.store(pointer, lane, None);
                }
            }
            Location::Values(_) => {}
        }
    }

    // ---- Compound assignments -------------------------------------------------------------------------------------

    /// `place op= value`; the new value, or the old one for `e++`.
    pub fn compound(&mut self, place: &Place, op: BinaryOp, value: &Expr, compute_as: types::Type, old_value: bool) -> Value {
        let location = self.place(place);
        let value_type = value.ty;
        let value = self.expression(value)[0];
        let update = Update { op, place: place.ty, value: value_type, compute_as };
        if let Location::Lanes { pointers, offset, object: _ } = location {
            let leaf = self.leaves(place.object)[0];
            if leaf.ty.length == 1 && !self.addresses_differ(pointers, leaf.ty.element.size()) {
                let pointers = self.b.ptr_offset(pointers, offset);
                return self.update_lane_by_lane(pointers, value, &update, leaf, old_value);
            }
        }
        let old = self.load(&location, place)[0];
        let new = self.update(old, value, &update);
        self.store(&location, place, &[new]);
        self.move_origin(place, op, value, value_type);
        if old_value { old } else { new }
    }

    fn update(&mut self, old: Value, value: Value, update: &Update) -> Value {
        let Some(element) = self.types().element(update.compute_as) else {
            return self.move_pointer(old, value, update);
        };
        let wide = self.convert(update.place, update.compute_as, vec![old])[0];
        let value = self.fit(value, wide);
        let result = self.arithmetic(update.op, element, wide, value);
        self.convert(update.compute_as, update.place, vec![result])[0]
    }

    /// A lane of the value for a lane of the place.
    fn fit(&mut self, value: Value, like: Value) -> Value {
        let length = self.b.ty(like).length;
        if self.b.ty(value).length == 1 { self.b.splat(value, length) } else { value }
    }

    /// `p += n`
    fn move_pointer(&mut self, old: Value, number: Value, update: &Update) -> Value {
        let pointee = self.types().pointee(update.compute_as).expect("a compound assignment to a number or a pointer");
        let element = self.types().element(update.value).expect("a pointer moves by an integer");
        let mut number = self.wide_index(element, number);
        match update.op {
            BinaryOp::Subtract => {
                // In 64 bits, so that the smallest 32-bit number has a negative.
                let from = if self.b.ty(number).element == Element::I64 { types::Element::Int64 } else { types::Element::Int32 };
                let wide = self.convert_element(from, types::Element::Int64, number);
                number = self.b.unary(ir::UnaryOp::Neg, wide);
            }
            BinaryOp::Add
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => {}
        }
        let scale = self.stride(pointee);
        let address = self.b.ptr_index(old, number, scale, 0);
        self.fit(address, old)
    }

    /// One active lane after another reads, computes and writes.
    fn update_lane_by_lane(&mut self, pointers: Value, value: Value, update: &Update, leaf: Leaf, old_value: bool) -> Value {
        let length = self.b.ty(pointers).length;
        let ty = leaf.ty.with_length(length);
        let result = self.b.declare_variable(ty);
        let unset = self.b.unset(ty);
        self.b.define(result, unset);
        self.with_lanes(length, |this| {
            this.for_each_active_lane(|this, lane, _| {
                let pointer = this.b.extract(pointers, lane);
                let old = this.b.load(leaf.ty, pointer, None);
                let value = this.b.extract(value, lane);
                let new = this.update(old, value, update);
                this.b.store(pointer, new, None);
                let before = this.b.use_variable(result);
                let after = this.b.insert(before, if old_value { old } else { new }, lane);
                this.b.define(result, after);
            });
        });
        self.b.use_variable(result)
    }

    /// Do the accesses of `size` bytes at these addresses certainly not overlap?
    fn addresses_differ(&self, pointers: Value, size: u64) -> bool {
        match self.b.definition(pointers) {
            Some(&Op::PtrOffset(a, _)) => self.addresses_differ(a, size),
            Some(&Op::PtrIndex { base, index, scale, offset: _ }) => {
                scale >= size && self.b.ty(base).length == 1 && self.lanes_differ(index)
            }
            Some(_) | None => false,
        }
    }

    /// What an integer grows by from lane to lane, modulo its bits, if that is a constant and no more than that many lanes of it wrap. Sums have two operands, each of
    /// which may be another sum: `depth` operations are looked through.
    fn lane_step(&self, value: Value, depth: u32) -> Option<i64> {
        if self.is_uniform(value) {
            return Some(0);
        }
        let of = |value: Value| self.lane_step(value, depth.checked_sub(1)?);
        let unused = 64 - self.b.ty(value).element.bits();
        let constant = |value: Value| {
            let number = ((self.b.uniform_bits(value)? << unused) as i64) >> unused;
            i32::try_from(number).ok()
        };
        let scaled = |a: Value, by: i64| of(a)?.checked_mul(by).filter(|step| step.unsigned_abs() < 1 << 24);
        match *self.b.definition(value)? {
            Op::Ramp { base: _, step, exact: _ } => Some(step),
            Op::Unary(ir::UnaryOp::Neg, a) => of(a)?.checked_neg(),
            Op::Binary(ir::BinaryOp::Add, a, b) => of(a)?.checked_add(of(b)?),
            Op::Binary(ir::BinaryOp::Sub, a, b) => of(a)?.checked_sub(of(b)?),
            Op::Binary(ir::BinaryOp::Mul, a, b) => match (constant(a), constant(b)) {
                (_, Some(by)) => scaled(a, by.into()),
                (Some(by), None) => scaled(b, by.into()),
                (None, None) => None,
            },
            Op::Binary(ir::BinaryOp::Shl, a, b) => scaled(a, 1 << constant(b).filter(|by| (0..24).contains(by))?),
            _ => None,
        }
    }

    /// Do all lanes certainly have different values? A simple check: what grows from lane to lane, sums of that with what is uniform, and bits that
    /// are turned over in all of them.
    fn lanes_differ(&self, value: Value) -> bool {
        let ty = self.b.ty(value);
        if let Some(step) = self.lane_step(value, STEP_DEPTH) {
            return step != 0 && u128::from(step.unsigned_abs()) * u128::from(ty.length) <= 1 << ty.element.bits();
        }
        match self.b.definition(value) {
            Some(&Op::Binary(ir::BinaryOp::Xor, a, b)) => {
                (self.lanes_differ(a) && self.is_uniform(b)) || (self.is_uniform(a) && self.lanes_differ(b))
            }
            Some(Op::Const(bits)) if bits.len() > 1 => {
                let mut sorted = bits.clone();
                sorted.sort_unstable();
                sorted.windows(2).all(|pair| pair[0] != pair[1])
            }
            Some(&Op::Binary(ir::BinaryOp::Add | ir::BinaryOp::Sub, a, b)) => {
                let in_blocks = self.numbers_in_blocks(value);
                in_blocks.is_some_and(|number| self.lanes_differ(number))
                    || (self.lanes_differ(a) && self.is_uniform(b))
                    || (self.is_uniform(a) && self.lanes_differ(b))
            }
            Some(&Op::Convert(ir::ConvertOp::SExt | ir::ConvertOp::ZExt, a)) => self.lanes_differ(a),
            Some(_) | None => false,
        }
    }

    /// The numbers that lie in blocks at these places (`LaneOp::InBlocks`): (x >> k) · s + (x & 2ᵏ − 1) with s ≥ 2ᵏ.
    fn numbers_in_blocks(&self, value: Value) -> Option<Value> {
        let binary = |value, op| match self.b.definition(value) {
            Some(&Op::Binary(own, a, b)) if own == op => Some((a, b)),
            _ => None,
        };
        let constant = |value| self.b.uniform_bits(value);
        let (block, lane) = binary(value, ir::BinaryOp::Add)?;
        let (block, stride) = binary(block, ir::BinaryOp::Mul)?;
        let (number, shift) = binary(block, ir::BinaryOp::AShr)?;
        let (same, last) = binary(lane, ir::BinaryOp::And)?;
        let (stride, shift, last) = (constant(stride)?, constant(shift)?, constant(last)?);
        let is_wide = self.b.ty(value).element == Element::I64 && stride < 1 << 32;
        (same == number && shift < 32 && last + 1 == 1 << shift && stride > last && is_wide).then_some(number)
    }

    fn is_uniform(&self, value: Value) -> bool {
        self.b.uniform_bits(value).is_some() || matches!(self.b.definition(value), Some(Op::Splat(_)))
    }
}

/// What a compound assignment does to one value.
struct Update {
    op: BinaryOp,
    /// The type of the place.
    place: types::Type,
    /// The type of the right side.
    value: types::Type,
    /// The type of the operation.
    compute_as: types::Type,
}
