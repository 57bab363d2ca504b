//! With checks: where pointers lead, and how many elements there are.
//!
//! ```text
//! int scalar *p = &a[2]   ──►   p.first = 2,  p.extent = |a|
//! p += n                  ──►   p.first += n
//! p[i]                    ──►   p.first + i is checked against p.extent
//! ```
//! Which variables are followed is said by `typed::origins`.

use super::state::{Bounds, Followed, Known, Predicator, Storage};
use crate::typed;
use crate::typed::ir::{Constant, Expr, ExprKind, LocalId, Place, PlaceKind};
use crate::typed::origins::{is_null, is_plain, plain_parts};
use crate::types::{self, TypeKind};
use crate::vector::ir::{BinaryOp, Element, Type, Value};

const I64: Type = Type::scalar(Element::I64);

impl Predicator<'_> {
    /// With checks, into what a pointer leads, as far as that can be seen. It has just been evaluated: what it is computed from has
    /// still the same values.
    pub fn known(&mut self, pointer: &Expr) -> Option<Known> {
        if !self.checks_accesses() {
            return None;
        }
        match &pointer.kind {
            ExprKind::Broadcast(inner) => self.known(inner),
            ExprKind::Convert(inner) => {
                let (from, to) = (self.types().pointee(inner.ty)?, self.types().pointee(pointer.ty)?);
                let known = self.known(inner)?;
                let is_same = from == to || (self.is_bits(from) && self.is_bits(to) && self.is_aligned(from, to));
                Some(Known { is_faithful: known.is_faithful && is_same, ..known })
            }
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => self.known_local(*local, pointer.ty),
            ExprKind::PointerOffset(base, index) => self.known_sum(base, index),
            ExprKind::AddressOf(place) => self.known_place(place),
            _ => None,
        }
    }

    /// Is a value of the type any bits?
    fn is_bits(&self, ty: types::Type) -> bool {
        matches!(self.types().kind(ty), TypeKind::Vector { element, .. } if *element != types::Element::Bool)
    }

    fn is_aligned(&self, from: types::Type, to: types::Type) -> bool {
        self.types().alignment(to) <= self.types().alignment(from)
    }

    /// Does nobody else change what a plain expression is computed from? Memory may be shared by threads.
    fn is_own(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => {
                matches!(self.storage[local.0 as usize], Storage::Registers(_))
            }
            _ => plain_parts(e).is_some_and(|parts| parts.into_iter().all(|part| self.is_own(part))),
        }
    }

    /// base + index, where that is in elements of the object.
    fn known_sum(&mut self, base: &Expr, index: &Expr) -> Option<Known> {
        if self.types().length(index.ty) > 1 || !is_plain(index) {
            return None;
        }
        let known = self.known(base)?;
        let scale = self.types().pointee(base.ty).map(|pointee| self.types().size(pointee));
        if scale != Some(known.element) {
            return None;
        }
        let zero = self.i64(0);
        let number = self.expression(index)[0];
        let first = self.sum(known.first.unwrap_or(zero), index, number);
        Some(Known { first: Some(first), is_faithful: known.is_faithful && self.is_own(index), ..known })
    }

    /// &place
    fn known_place(&mut self, place: &Place) -> Option<Known> {
        if place.addresses > 1 {
            return None;
        }
        let element = self.types().size(place.object);
        match &place.kind {
            // Behind a pointer to an element of a row come those of the next row.
            PlaceKind::Element(array, index)
                if is_plain(index) && matches!(array.kind, PlaceKind::Local(_) | PlaceKind::Global(_)) =>
            {
                let TypeKind::Array { element: _, count } = *self.types().kind(array.object) else { return None };
                let bounds = Bounds { name: self.place_name(array), extent: self.i64(count as i64) };
                let first = if matches!(index.kind, ExprKind::Constant(Constant::Int(0))) {
                    None
                } else {
                    let (zero, number) = (self.i64(0), self.expression(index)[0]);
                    Some(self.sum(zero, index, number))
                };
                Some(Known { bounds, first, element, is_faithful: self.is_own(index) })
            }
            PlaceKind::Local(_) | PlaceKind::Global(_) => {
                let bounds = Bounds { name: self.place_name(place), extent: self.i64(1) };
                Some(Known { bounds, first: None, element, is_faithful: true })
            }
            PlaceKind::Dereference(pointer) => self.known(pointer),
            PlaceKind::Element(..) | PlaceKind::Member(..) | PlaceKind::Temporary(_) => None,
        }
    }

    /// A parameter or `scratch` array with a number of elements, or a pointer that is followed.
    fn known_local(&mut self, local: LocalId, ty: types::Type) -> Option<Known> {
        let element = self.types().pointee(ty).map(|pointee| self.types().size(pointee))?;
        let origins = &self.shared.origins[self.id.0 as usize];
        let of = &self.function().locals[local.0 as usize];
        let scalars = of.extent().map_or(Vec::new(), |bound| bound.parameters());
        let is_fixed = !self.shared.locals[self.id.0 as usize].assigned[local.0 as usize]
            && scalars.iter().all(|&index| self.types().length(self.function().locals[index].ty) == 1);
        if let (Some(origin), Some(&Followed { first, extent, is_faithful })) = (origins.local(local), self.followed.get(&local))
        {
            let bounds = Bounds { name: origin.name.clone(), extent: self.b.use_variable(extent) };
            let (first, is_faithful) = (Some(self.b.use_variable(first)), is_faithful && is_fixed);
            return Some(Known { bounds, first, element: origin.element, is_faithful });
        }
        if !origins.is_fixed(local) {
            return None;
        }
        let of = &self.function().locals[local.0 as usize];
        let (name, extent) = (Some(of.name.clone()), self.slice_bound(of.extent()?)?);
        Some(Known { bounds: Bounds { name, extent }, first: None, element, is_faithful: is_fixed })
    }

    /// What is known of pointers that are followed begins: of parameters with their numbers of elements.
    pub fn follow_pointers(&mut self) {
        if !self.checks_accesses() {
            return;
        }
        let function = self.function();
        let locals = &self.shared.locals[self.id.0 as usize];
        let mut followed: Vec<LocalId> = self.shared.origins[self.id.0 as usize].followed().map(|(local, _)| local).collect();
        followed.sort();
        for local in followed {
            let index = local.0 as usize;
            if locals.regions[index] != self.region || locals.in_memory[index] {
                continue;
            }
            let extent = match function.locals[index].extent().filter(|_| index < function.parameters) {
                Some(bound) => self.bound_at_entry(bound),
                None => self.i64(0),
            };
            let first = self.i64(0);
            self.follow(local, first, extent, true);
        }
    }

    /// A pointer leads to an element of something of that extent.
    pub fn follow(&mut self, local: LocalId, first: Value, extent: Value, is_faithful: bool) {
        let followed = match self.followed.get(&local) {
            Some(followed) => Followed { is_faithful, ..*followed },
            None => Followed { first: self.b.declare_variable(I64), extent: self.b.declare_variable(I64), is_faithful },
        };
        self.b.define(followed.first, first);
        self.b.define(followed.extent, extent);
        self.followed.insert(local, followed);
    }

    /// Remembers into what a pointer leads that was just given a value.
    pub fn remember_origin(&mut self, local: LocalId, value: &Expr) {
        if !self.followed.contains_key(&local) {
            return;
        }
        let zero = self.i64(0);
        let (first, extent, is_faithful) = match &value.kind {
            ExprKind::New(_, counts) => (zero, self.expression(&counts[0])[0], self.is_own(&counts[0])),
            _ if is_null(value) => (zero, zero, true),
            _ => {
                let known = self.known(value).expect("a pointer that is followed has an origin");
                (known.first.unwrap_or(zero), known.bounds.extent, known.is_faithful)
            }
        };
        self.follow(local, first, extent, is_faithful);
    }

    /// A pointer that is followed moves by a number of elements: `p += n`, `--p`.
    pub fn move_origin(&mut self, place: &Place, op: typed::ir::BinaryOp, number: Value, ty: types::Type) {
        let PlaceKind::Local(local) = place.kind else { return };
        let Some(&Followed { first, .. }) = self.followed.get(&local) else { return };
        let element = self.types().element(ty).expect("a pointer moves by an integer");
        let number = self.convert_element(element, types::Element::Int64, number);
        let op = if op == typed::ir::BinaryOp::Subtract { BinaryOp::Sub } else { BinaryOp::Add };
        let before = self.b.use_variable(first);
        let after = self.b.binary(op, before, number);
        self.b.define(first, after);
    }
}
