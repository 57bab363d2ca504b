//! Large objects: values with arrays are never taken apart into leaves, however many they would be.
//!
//! ```text
//! t = u              copy @t, @u
//! t = u    under P   for (i = 0; i < n; i += 1)  store @t[i], (load @u[i]), mask P
//! t = f(u)           slot s, r;  copy s, @u;  call f(r, s);  copy @t, r
//! int t[n] = { … }   copy @t, @constants;  a store for each part that is not constant
//! ```
//! Such a value is the address of memory that holds it: that of the place it is read from, or of a slot. A function that returns one
//! is given the address that it goes to.

use super::globals::put_constant;
use super::layout::Leaf;
use super::places::Location;
use super::state::{Mask, Predicator};
use super::uniformity::is_vector;
use crate::typed::ir::{Expr, ExprKind, FunctionId, Place};
use crate::types::{self, TypeKind};
use crate::vector::ir::{self, BinaryOp, CompareOp, Element, Global, GlobalId, Type, Value};

/// Arrays with at most so many leaves are gone through without a loop, and so many constants are stored one by one.
const FEW: usize = 8;

/// Memory that holds a large value.
#[derive(Clone, Copy)]
struct Held {
    address: Value,
    /// Is it there as a whole, whatever the mask?
    is_own: bool,
}

/// A place in an object: bytes from its start, a part of which may be known only when the program runs.
#[derive(Clone, Copy)]
struct At {
    moving: Option<Value>,
    fixed: u64,
}

/// A leaf of each of two types of one form, with its place.
type Spots = [(At, Leaf); 2];

impl At {
    const START: At = At { moving: None, fixed: 0 };

    fn behind(self, bytes: u64) -> At {
        At { fixed: self.fixed + bytes, ..self }
    }
}

/// The lanes that are stored of leaves of a length; of others, all are.
struct Stored {
    length: u8,
    mask: Option<Value>,
}

impl Predicator<'_> {
    /// Is a value of this type the address of memory?
    pub fn is_large(&self, ty: types::Type) -> bool {
        self.shared.layouts.is_large(ty)
    }

    /// Does a call give its result in memory of the caller's?
    pub fn returns_object(&self, function: FunctionId) -> bool {
        let callee = &self.shared.program.functions[function.0 as usize];
        self.shared.layouts.is_by_address(callee.result, callee.linkage)
    }

    /// The address of a new slot with the value of an expression.
    pub fn object_slot(&mut self, e: &Expr) -> Value {
        let address = self.slot_for(e.ty);
        self.fill(address, e);
        address
    }

    /// Where the value of a large expression lies.
    pub fn object_place(&mut self, e: &Expr) -> Location {
        let Held { address, is_own } = self.object(e);
        Location::Memory { pointer: address, offset: 0, is_own }
    }

    /// The leaves of a large expression, for who looks at each.
    pub fn leaves_of_object(&mut self, e: &Expr) -> Vec<Value> {
        let Held { address, is_own } = self.object(e);
        self.leaves(e.ty).iter().map(|leaf| self.load_leaf(address, 0, leaf, is_own)).collect()
    }

    /// Evaluates a large expression.
    fn object(&mut self, e: &Expr) -> Held {
        match &e.kind {
            ExprKind::Load(place) => {
                let location = self.place(place);
                self.object_at(&location, place, e.ty)
            }
            ExprKind::Assign { place, value } => {
                let location = self.place(place);
                self.assign_object(&location, place, value);
                self.object_at(&location, place, e.ty)
            }
            ExprKind::Member(of, index) => {
                let Held { address, is_own } = self.object(of);
                let address = self.b.ptr_offset(address, self.types().offset(of.ty, *index) as i64);
                Held { address, is_own }
            }
            _ => Held { address: self.object_slot(e), is_own: true },
        }
    }

    /// The object of type `ty` at a place.
    fn object_at(&mut self, location: &Location, place: &Place, ty: types::Type) -> Held {
        match location {
            &Location::Memory { pointer, offset, is_own } => Held { address: self.b.ptr_offset(pointer, offset), is_own },
            &Location::Lanes { pointers, offset, object } => {
                let address = self.slot_for(ty);
                self.each_leaf([ty, place.object], [At::START; 2], &mut |this, [(to, _), (from, leaf)]| {
                    let pointers = this.moved_to(pointers, from);
                    let around = object.filter(|_| from.moving.is_none());
                    let around = around.map(|object| ir::Object { offset: object.offset + from.fixed, ..object });
                    let value = this.gather_leaf(pointers, offset, &leaf, around);
                    let pointer = this.moved_to(address, to);
                    this.b.store(pointer, value, None);
                });
                Held { address, is_own: true }
            }
            Location::Registers { .. } | Location::Values(_) => {
                let values = self.register_values(location);
                let address = self.slot_for(ty);
                self.store_leaves(address, ty, values);
                Held { address, is_own: true }
            }
        }
    }

    fn slot_for(&mut self, ty: types::Type) -> Value {
        let types = self.types();
        let slot = self.b.slot(types.size(ty), types.own_alignment(ty));
        self.b.slot_address(slot)
    }

    fn store_leaves(&mut self, address: Value, ty: types::Type, values: Vec<Value>) {
        for (leaf, value) in self.leaves(ty).iter().zip(values) {
            let pointer = self.b.ptr_offset(address, leaf.offset as i64);
            self.b.store(pointer, value, None);
        }
    }

    /// Writes the value of an expression to memory that has none yet, in all lanes.
    pub fn fill(&mut self, to: Value, e: &Expr) {
        match &e.kind {
            ExprKind::Aggregate(_) => self.fill_parts(to, e),
            ExprKind::Call { function, arguments } if self.returns_object(*function) => {
                self.call_into(*function, arguments, Some(to), e.span);
            }
            ExprKind::Conditional(c, a, b) if self.is_large(e.ty) && !is_vector(self.types(), c) => {
                let condition = self.expression(c)[0];
                let [then, otherwise, join] = [(); 3].map(|()| self.b.create_block());
                self.b.branch(condition, then, &[], otherwise, &[]);
                for (block, side) in [(then, a), (otherwise, b)] {
                    self.b.seal(block);
                    self.b.position(block);
                    self.fill(to, side);
                    self.b.jump(join, &[]);
                }
                self.b.seal(join);
                self.b.position(join);
            }
            ExprKind::Broadcast(a) if self.is_large(a.ty) => {
                let from = self.object(a);
                self.each_leaf([e.ty, a.ty], [At::START; 2], &mut |this, [(to_at, wide), (at, leaf)]| {
                    let pointer = this.moved_to(from.address, at);
                    let mut value = this.load_leaf(pointer, 0, &leaf, from.is_own);
                    if wide.ty.length != leaf.ty.length {
                        value = this.b.splat(value, wide.ty.length);
                    }
                    let pointer = this.moved_to(to, to_at);
                    this.b.store(pointer, value, None);
                });
            }
            ExprKind::Load(_) | ExprKind::Assign { .. } | ExprKind::Member(..) if self.is_large(e.ty) => {
                let from = self.object(e);
                self.copy_lanes(to, from, e.ty, &Stored { length: 0, mask: None });
            }
            _ => {
                let values = self.expression(e);
                self.store_leaves(to, e.ty, values);
            }
        }
    }

    /// `{ … }`: the constants as one copy of a global, then the others.
    fn fill_parts(&mut self, to: Value, e: &Expr) {
        let mut bytes = vec![0; self.types().size(e.ty) as usize];
        let mut parts = Vec::new();
        collect_parts(e, 0, self.types(), &mut parts);
        let is_known = |&(at, part): &(u64, &Expr)| put_constant(self.types(), part, &mut bytes[at as usize..]);
        let (known, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_known);
        if known.len() > FEW {
            let from = self.constants(bytes, e.ty);
            self.b.copy(to, from, self.types().size(e.ty));
        } else {
            self.fill_each(to, known);
        }
        self.fill_each(to, others);
    }

    fn fill_each(&mut self, to: Value, parts: Vec<(u64, &Expr)>) {
        for (at, part) in parts {
            let to = self.b.ptr_offset(to, at as i64);
            self.fill(to, part);
        }
    }

    /// The address of a new global with these bytes.
    fn constants(&mut self, bytes: Vec<u8>, ty: types::Type) -> Value {
        let (size, alignment) = (bytes.len() as u64, self.types().own_alignment(ty));
        let bytes = bytes.iter().any(|&byte| byte != 0).then_some(bytes);
        let mut constants = self.shared.constants.borrow_mut();
        let name = format!("{}.constants{}", self.signature().symbol, constants.len());
        constants.push(Global { name, bytes, size, alignment, is_const: true });
        let id = GlobalId((self.shared.program.globals.len() + constants.len() - 1) as u32);
        drop(constants);
        self.b.global_address(id)
    }

    /// E-ASSIGN of a large object: to the active lanes.
    pub fn assign_object(&mut self, location: &Location, place: &Place, value: &Expr) {
        let mut from = self.object(value);
        match *location {
            Location::Memory { pointer, offset, is_own: _ } => {
                let to = self.b.ptr_offset(pointer, offset);
                let stored = self.stored();
                self.copy_lanes(to, from, value.ty, &stored);
            }
            Location::Lanes { pointers, offset, object: _ } => {
                // A lane may write what another one reads.
                if matches!(value.kind, ExprKind::Load(_) | ExprKind::Member(..) | ExprKind::Assign { .. }) {
                    let address = self.slot_for(value.ty);
                    self.copy_lanes(address, from, value.ty, &Stored { length: 0, mask: None });
                    from = Held { address, is_own: true };
                }
                self.each_leaf([place.object, value.ty], [At::START; 2], &mut |this, [(to, leaf), (at, own)]| {
                    let pointer = this.moved_to(from.address, at);
                    let value = this.load_leaf(pointer, 0, &own, true);
                    let mask = this.access_mask(this.b.ty(pointers).length);
                    let pointers = this.moved_to(pointers, to);
                    let pointers = this.leaf_pointers(pointers, offset, &leaf);
                    this.b.scatter(pointers, value, mask);
                });
            }
            // A store to a value without a place is seen by nobody.
            Location::Registers { .. } | Location::Values(_) => {}
        }
    }

    /// What is stored under the current mask.
    fn stored(&mut self) -> Stored {
        let length = self.context();
        Stored { length, mask: self.access_mask(length) }
    }

    /// `return e` with the lanes of the mask, into the memory that the caller gave.
    pub fn return_object(&mut self, to: Value, value: &Expr) {
        let from = self.object(value);
        let stored = self.stored();
        self.copy_lanes(to, from, value.ty, &stored);
    }

    /// `return e` with all lanes that have not returned before.
    pub fn return_object_of_rest(&mut self, to: Value, value: &Expr) {
        let from = self.object(value);
        let returned = self.b.use_variable(self.returned);
        let rest = self.b.not(returned);
        self.copy_lanes(to, from, value.ty, &Stored { length: self.b.ty(rest).length, mask: Some(rest) });
    }

    fn copy_lanes(&mut self, to: Value, from: Held, ty: types::Type, stored: &Stored) {
        let reads_all = from.is_own || matches!(self.mask, Mask::AllOn(_));
        if stored.mask.is_none() && reads_all {
            self.b.copy(to, from.address, self.types().size(ty));
            return;
        }
        self.each_leaf([ty; 2], [At::START; 2], &mut |this, [(at, leaf), _]| {
            let pointer = this.moved_to(from.address, at);
            let value = this.load_leaf(pointer, 0, &leaf, from.is_own);
            let pointer = this.moved_to(to, at);
            this.b.store(pointer, value, stored.mask.filter(|_| leaf.ty.length == stored.length));
        });
    }

    fn moved_to(&mut self, base: Value, at: At) -> Value {
        match at.moving {
            Some(bytes) => self.b.ptr_index(base, bytes, 1, at.fixed as i64),
            None => self.b.ptr_offset(base, at.fixed as i64),
        }
    }

    /// Goes through the leaves of two types of one form side by side, with a loop for each array of more than a few. Leaves have
    /// offset 0: they are where `body` is told.
    fn each_leaf(&mut self, of: [types::Type; 2], at: [At; 2], body: &mut dyn FnMut(&mut Self, Spots)) {
        match of.map(|ty| self.types().kind(ty).clone()) {
            [TypeKind::Array { element: a, count }, TypeKind::Array { element: b, .. }] => {
                let sizes = [a, b].map(|ty| self.types().size(ty));
                if count as usize * self.leaves(a).len() <= FEW {
                    for i in 0..count {
                        self.each_leaf([a, b], [at[0].behind(i * sizes[0]), at[1].behind(i * sizes[1])], body);
                    }
                } else {
                    self.each_round(count, |this, i| {
                        let at = [(at[0], sizes[0]), (at[1], sizes[1])].map(|(at, size)| this.element_at(at, i, size));
                        this.each_leaf([a, b], at, body);
                    });
                }
            }
            [TypeKind::Record { .. }, TypeKind::Record { .. }] => {
                for i in 0..self.types().members(of[0]).len() {
                    let members = of.map(|ty| self.types().members(ty)[i].ty);
                    let offsets = of.map(|ty| self.types().offset(ty, i));
                    self.each_leaf(members, [at[0].behind(offsets[0]), at[1].behind(offsets[1])], body);
                }
            }
            _ => {
                let leaves = of.map(|ty| self.leaves(ty).first().copied());
                if let [Some(a), Some(b)] = leaves {
                    body(self, [(at[0], a), (at[1], b)]);
                }
            }
        }
    }

    fn element_at(&mut self, at: At, i: Value, size: u64) -> At {
        let size = self.i64(size as i64);
        let bytes = self.b.binary(BinaryOp::Mul, i, size);
        let moving = Some(match at.moving {
            Some(before) => self.add(before, bytes),
            None => bytes,
        });
        At { moving, ..at }
    }

    /// `for (i = 0; i < count; i += 1)`
    fn each_round(&mut self, count: u64, body: impl FnOnce(&mut Self, Value)) {
        let number = self.b.declare_variable(Type::scalar(Element::I64));
        let [zero, one, end] = [0, 1, count as i64].map(|n| self.i64(n));
        let [header, inside, exit] = [(); 3].map(|()| self.b.create_block());
        self.b.define(number, zero);
        self.b.jump(header, &[]);
        self.b.position(header);
        let i = self.b.use_variable(number);
        let more = self.b.compare(CompareOp::SLt, i, end);
        self.b.branch(more, inside, &[], exit, &[]);
        self.b.seal(inside);
        self.b.position(inside);
        body(self, i);
        let next = self.add(i, one);
        self.b.define(number, next);
        self.b.jump(header, &[]);
        self.b.seal(header);
        self.b.seal(exit);
        self.b.position(exit);
    }
}

/// The parts of `{ … }` that are no `{ … }` themselves, by where they lie.
fn collect_parts<'e>(e: &'e Expr, at: u64, types: &types::Types, parts: &mut Vec<(u64, &'e Expr)>) {
    let ExprKind::Aggregate(list) = &e.kind else { return parts.push((at, e)) };
    let size = match *types.kind(e.ty) {
        TypeKind::Array { element, .. } => Some(types.size(element)),
        _ => None,
    };
    for (i, part) in list.iter().enumerate() {
        let by = size.map_or_else(|| types.offset(e.ty, i), |size| i as u64 * size);
        collect_parts(part, at + by, types, parts);
    }
}
