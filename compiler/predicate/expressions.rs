//! Expressions: each gives the leaves of its value.
//!
//! Arithmetic works on all lanes; what the lanes that are off compute is nobody's business. Only effects and memory
//! need the mask.

use super::globals::constant_bits;
use super::places::Location;
use super::state::Predicator;
use super::uniformity::is_vector;
use crate::source::Span;
use crate::target::{Channel, Memory};
use crate::typed::ir::{Constant, Expr, ExprKind, Place, PlaceKind, PrintPiece};
use crate::types::{self, TypeKind};
use crate::vector::ir::{self, BinaryOp, CompareOp, Element, Type, Value};

impl Predicator<'_> {
    /// The leaves of an expression's value.
    pub fn expression(&mut self, expr: &Expr) -> Vec<Value> {
        let span = self.b.set_span(expr.span);
        let values = self.kind(expr);
        self.b.set_span(span);
        values
    }

    fn kind(&mut self, expr: &Expr) -> Vec<Value> {
        match &expr.kind {
            ExprKind::Constant(constant) => vec![self.constant(*constant, expr.ty)],
            ExprKind::Lanes(lanes) => vec![self.lanes(lanes, expr.ty)],
            ExprKind::Aggregate(parts) => parts.iter().flat_map(|part| self.expression(part)).collect(),
            ExprKind::Load(place) => {
                if let Some(values) = self.constant_values(place) {
                    return values;
                }
                let location = self.place(place);
                self.load(&location, place)
            }
            ExprKind::AddressOf(place) => vec![self.address_of(place)],
            ExprKind::Unary(op, a) => {
                let element = self.types().element(a.ty).expect("an operand of an operator has elements");
                let a = self.expression(a)[0];
                vec![self.unary(*op, element, a)]
            }
            ExprKind::Binary(op, a, b) => {
                let element = self.types().element(a.ty).expect("an operand of an operator has elements");
                let (a, b) = (self.expression(a)[0], self.expression(b)[0]);
                vec![self.arithmetic(*op, element, a, b)]
            }
            ExprKind::Compare(op, a, b) => {
                let element = self.types().element(a.ty);
                let (a, b) = (self.expression(a)[0], self.expression(b)[0]);
                vec![self.comparison(*op, element, a, b)]
            }
            ExprKind::And(a, b) => vec![self.short_circuit(true, a, b)],
            ExprKind::Or(a, b) => vec![self.short_circuit(false, a, b)],
            ExprKind::Conditional(c, a, b) => self.conditional(c, a, b),
            ExprKind::Blend(a, b) => self.blend(a, b),
            ExprKind::CurrentMask => vec![self.current_mask(self.types().length(expr.ty))],
            ExprKind::LaneIndex => {
                let ty = self.leaves(expr.ty)[0].ty;
                vec![self.b.iota(ty)]
            }
            ExprKind::Convert(a) => {
                let values = self.expression(a);
                self.convert(a.ty, expr.ty, values)
            }
            ExprKind::Broadcast(a) => self.broadcast(a, expr.ty),
            ExprKind::Assign { place, value } => {
                let location = self.place(place);
                match self.assign(&location, place, value) {
                    Some(values) => values,
                    None => self.load(&location, place),
                }
            }
            ExprKind::Compound { place, op, value, compute_as, old_value } => {
                vec![self.compound(place, *op, value, *compute_as, *old_value)]
            }
            ExprKind::Call { function, .. } if self.returns_object(*function) => self.leaves_of_object(expr),
            ExprKind::Call { function, arguments } => self.call(*function, arguments, expr.span),
            ExprKind::Builtin(builtin, operands) => self.builtin(*builtin, operands, expr.ty),
            ExprKind::SetLane { place, value, index } => self.set_lane(place, value, index),
            ExprKind::Member(a, index) => {
                let (first, count) = self.shared.layouts.member(a.ty, *index);
                self.expression(a)[first..][..count].to_vec()
            }
            ExprKind::Within(index, window) => {
                let number = self.expression(index)[0];
                self.check_window(index, number, window);
                vec![number]
            }
            ExprKind::PointerOffset(pointer, index) => vec![self.pointer_offset(pointer, index, expr.ty)],
            ExprKind::PointerDifference(p, q) => vec![self.pointer_difference(p, q)],
            ExprKind::New(memory, counts) => vec![self.new_memory(*memory, counts, expr.ty, expr.span)],
            ExprKind::Print(channel, pieces) => {
                self.print(*channel, pieces);
                Vec::new()
            }
            ExprKind::Assert(condition, text) => {
                let value = self.expression(condition)[0];
                self.check_lanes(value, format!("assertion failed: {text}"));
                Vec::new()
            }
        }
    }

    fn constant(&mut self, constant: Constant, ty: types::Type) -> Value {
        let leaf = self.leaves(ty)[0];
        let bits = leaf.element.map_or(0, |element| constant_bits(element, constant));
        self.b.constant(leaf.ty, &[bits])
    }

    /// A vector from scalars: the constant ones at once, the others one by one.
    fn lanes(&mut self, lanes: &[Expr], ty: types::Type) -> Value {
        let ty = self.leaves(ty)[0].ty;
        let values: Vec<Value> = lanes.iter().map(|lane| self.expression(lane)[0]).collect();
        let bits: Vec<Option<u64>> = values.iter().map(|&value| self.b.uniform_bits(value)).collect();
        let known: Vec<u64> = bits.iter().map(|bits| bits.unwrap_or(0)).collect();
        let mut vector = self.b.constant(ty, &known);
        for (lane, (&value, bits)) in values.iter().zip(&bits).enumerate() {
            if bits.is_none() {
                let index = self.i32(lane as i64);
                vector = self.b.insert(vector, value, index);
            }
        }
        vector
    }

    fn current_mask(&mut self, length: u8) -> Value {
        let mask = self.shown_mask.unwrap_or(self.mask);
        if self.mask_length(mask) == length { self.mask_value(mask) } else { self.b.bool(length, true) }
    }

    /// E-BROADCAST, leaf by leaf.
    fn broadcast(&mut self, a: &Expr, ty: types::Type) -> Vec<Value> {
        let values = self.expression(a);
        let leaves = self.leaves(ty);
        let splat = |(&value, leaf): (&Value, &super::layout::Leaf)| {
            if self.b.ty(value).length == leaf.ty.length { value } else { self.b.splat(value, leaf.ty.length) }
        };
        values.iter().zip(leaves.iter()).map(splat).collect()
    }

    // ---- Assignments ----------------------------------------------------------------------------------------------

    /// An expression for its effects.
    pub fn effect(&mut self, expr: &Expr) {
        if let ExprKind::Assign { place, value } = &expr.kind {
            let location = self.place(place);
            self.assign(&location, place, value);
        } else if self.is_large(expr.ty) {
            self.object_place(expr);
        } else {
            self.expression(expr);
        }
    }

    /// E-ASSIGN: to the active lanes; the value stored, unless it was copied as bytes.
    fn assign(&mut self, location: &Location, place: &Place, value: &Expr) -> Option<Vec<Value>> {
        if self.is_large(value.ty) {
            self.assign_object(location, place, value);
            return None;
        }
        if let ExprKind::Load(from) = &value.kind
            && self.copy_object(location, from, place.ty)
        {
            return None;
        }
        let values = self.expression(value);
        self.store(location, place, &values);
        if let PlaceKind::Local(local) = place.kind {
            self.remember_origin(local, value);
        }
        Some(values)
    }

    /// `set(place, value, index)`: one lane, whatever the mask.
    fn set_lane(&mut self, place: &Place, value: &Expr, index: &Expr) -> Vec<Value> {
        let location = self.place(place);
        let lanes = self.expression(value);
        let index = self.lane_number(index);
        self.set_lane_of(&location, place, &lanes, index);
        lanes
    }

    /// The number of a lane as an `i32`; the length is a power of two, so that modulo does not see the cut.
    pub fn lane_number(&mut self, index: &Expr) -> Value {
        let from = self.types().element(index.ty).expect("a lane number is an integer");
        let value = self.expression(index)[0];
        self.convert_element(from, types::Element::Int32, value)
    }

    // ---- Pointers -------------------------------------------------------------------------------------------------

    /// p + i in elements.
    pub fn pointer_offset(&mut self, pointer: &Expr, index: &Expr, ty: types::Type) -> Value {
        let base = self.expression(pointer)[0];
        let number = self.expression(index)[0];
        self.element_address(base, pointer.ty, number, index.ty, ty)
    }

    /// The address of element `number` behind `base`. What all lanes have in common is computed once.
    pub fn element_address(
        &mut self,
        base: Value,
        pointer: types::Type,
        number: Value,
        index: types::Type,
        ty: types::Type,
    ) -> Value {
        let pointee = self.types().pointee(pointer).expect("an offset is added to a pointer");
        let scale = self.stride(pointee);
        let element = self.types().element(index).expect("an index is an integer");
        let base = self.unsplat(base);
        let number = self.unsplat(number);
        let number = self.wide_index(element, number);
        let address = self.b.ptr_index(base, number, scale, 0);
        let length = self.types().length(ty);
        if self.b.ty(address).length == length { address } else { self.b.splat(address, length) }
    }

    /// The scalar that all lanes of a vector are, if it is known to be one.
    pub fn unsplat(&mut self, value: Value) -> Value {
        if let Some(&ir::Op::Splat(scalar)) = self.b.definition(value) {
            return scalar;
        }
        match self.b.uniform_bits(value) {
            Some(bits) => {
                let ty = self.b.ty(value).with_length(1);
                self.b.constant(ty, &[bits])
            }
            None => value,
        }
    }

    /// Bytes from one element to the next; `void *` counts bytes.
    pub fn stride(&self, pointee: types::Type) -> u64 {
        match self.types().kind(pointee) {
            TypeKind::Void | TypeKind::Error => 1,
            TypeKind::Vector { .. } | TypeKind::Pointer { .. } | TypeKind::Array { .. } | TypeKind::Record { .. } => {
                self.types().size(pointee)
            }
        }
    }

    /// An index as `PtrIndex` wants it: `i32` or `i64`, to be sign-extended.
    pub fn wide_index(&mut self, element: types::Element, number: Value) -> Value {
        if let Some(wide) = self.known_wide(element, number) {
            return wide;
        }
        let to = match element {
            types::Element::Int8 | types::Element::Int16 | types::Element::Int32 => types::Element::Int32,
            types::Element::Bool | types::Element::Uint8 | types::Element::Uint16 => types::Element::Int32,
            types::Element::Uint32 | types::Element::Int64 | types::Element::Uint64 => types::Element::Int64,
            types::Element::Float16 | types::Element::Float | types::Element::Double => types::Element::Int64,
        };
        self.convert_element(element, to, number)
    }

    fn pointer_difference(&mut self, p: &Expr, q: &Expr) -> Value {
        let pointee = self.types().pointee(p.ty).expect("the difference of pointers");
        let size = self.stride(pointee).max(1);
        let (p, q) = (self.expression(p)[0], self.expression(q)[0]);
        let p = self.b.convert(ir::ConvertOp::PtrToInt, p, Element::I64);
        let q = self.b.convert(ir::ConvertOp::PtrToInt, q, Element::I64);
        let bytes = self.b.binary(BinaryOp::Sub, p, q);
        let ty = self.b.ty(bytes);
        // The division has no remainder, so that a shift will do.
        if size.is_power_of_two() {
            let shift = self.b.int(ty, i64::from(size.trailing_zeros()));
            self.b.binary(BinaryOp::AShr, bytes, shift)
        } else {
            let size = self.b.int(ty, size as i64);
            self.b.binary(BinaryOp::SDiv, bytes, size)
        }
    }

    /// `new T[n]`: each active lane gets memory of its own where n is a vector.
    fn new_memory(&mut self, memory: Memory, counts: &[Expr], ty: types::Type, span: Span) -> Value {
        let pointee = self.types().pointee(ty).expect("new gives a pointer");
        let size = self.types().size(pointee);
        let vector = counts.iter().any(|count| is_vector(self.types(), count));
        let counts: Vec<Value> = counts.iter().map(|count| self.expression(count)[0]).collect();
        let bytes = self.bytes(&counts, size);
        if !vector {
            let pointer = self.b.allocate(memory, bytes);
            self.check_memory(pointer, &counts, size, span);
            return self.b.splat(pointer, self.types().length(ty));
        }
        let length = self.b.ty(bytes).length;
        let result = self.b.declare_variable(Type::new(Element::Ptr, length));
        let null = self.b.zero(Type::new(Element::Ptr, length));
        self.b.define(result, null);
        self.with_lanes(length, |this| {
            this.for_each_active_lane(|this, lane, _| {
                let bytes = this.b.extract(bytes, lane);
                let pointer = this.b.allocate(memory, bytes);
                let before = this.b.use_variable(result);
                let after = this.b.insert(before, pointer, lane);
                this.b.define(result, after);
            });
            let pointers = this.b.use_variable(result);
            this.check_memory(pointers, &counts, size, span);
        });
        self.b.use_variable(result)
    }

    /// counts · size bytes; −1, which no memory has, where that is negative or leaves 63 bits.
    fn bytes(&mut self, counts: &[Value], size: u64) -> Value {
        let ty = self.b.ty(counts[0]);
        let (zero, one, none) = (self.b.zero(ty), self.b.int(ty, 1), self.b.int(ty, -1));
        let most = self.b.int(ty, i64::MAX);
        let mut bytes = self.b.int(ty, size as i64);
        let mut fits = self.b.bool(ty.length, true);
        let mut is_none = self.b.bool(ty.length, size == 0);
        for &count in counts {
            // As an unsigned number, a negative one is above all quotients; 0 would end the product too early.
            let empty = self.b.compare(CompareOp::Eq, count, zero);
            let factor = self.b.select(empty, one, count);
            let at_most = match self.b.uniform_bits(bytes) {
                Some(size) => self.b.int(ty, i64::MAX / (size as i64).max(1)),
                None => self.b.binary(BinaryOp::UDiv, most, bytes),
            };
            let here = self.b.compare(CompareOp::ULe, factor, at_most);
            (fits, is_none) = (self.b.and(fits, here), self.b.or(is_none, empty));
            bytes = self.b.binary(BinaryOp::Mul, bytes, factor);
        }
        let bytes = self.b.select(fits, bytes, none);
        self.b.select(is_none, zero, bytes)
    }

    /// `delete p;`
    pub fn delete(&mut self, memory: Memory, pointer: &Expr) {
        if memory == Memory::Heap {
            self.note(pointer.span);
        }
        let pointer = self.expression(pointer)[0];
        let length = self.b.ty(pointer).length;
        if length == 1 {
            self.b.free(memory, pointer);
            return;
        }
        self.with_lanes(length, |this| {
            this.for_each_active_lane(|this, lane, _| {
                let pointer = this.b.extract(pointer, lane);
                this.b.free(memory, pointer);
            });
        });
    }

    /// Runs `body` under a mask for vectors of this length: in context 1 all of their lanes are on.
    pub fn with_lanes(&mut self, length: u8, body: impl FnOnce(&mut Self)) {
        let saved = self.mask;
        if self.context() != length {
            self.mask = super::state::Mask::AllOn(length);
        }
        body(self);
        self.mask = saved;
    }

    // ---- Print ----------------------------------------------------------------------------------------------------

    fn print(&mut self, channel: Channel, pieces: &[PrintPiece]) {
        let mut list = Vec::new();
        for piece in pieces {
            match piece {
                PrintPiece::Text(text) => list.push(ir::PrintPiece::Text(text.clone())),
                PrintPiece::Value(expr, format) => {
                    let leaves = self.leaves(expr.ty);
                    let values = self.expression(expr);
                    for (leaf, value) in leaves.iter().zip(values) {
                        let mask = self.access_mask(leaf.ty.length);
                        list.push(ir::PrintPiece::Value { value, signed: leaf.is_signed(), mask, format: *format });
                    }
                }
            }
        }
        self.b.print(channel, list);
    }
}
