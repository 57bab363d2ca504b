//! What may fail at run time: `assert`, memory that is not there, and with `--check` null pointers and indices out of bounds.
//!
//! ```text
//! a[i] = 0     float a[n], under m    ──►    ok = 0 ≤ i and i < n;  bad = m and !ok
//!                                            check !any(bad), lane first(bad), "index out of bounds: index % of `a`, which has % elements"
//! ```

use super::function::Predicator;
use crate::source::Span;
use crate::typed;
use crate::typed::ir::{Constant, Expr, ExprKind, LocalId, Place, PlaceKind, Window};
use crate::types::{self, TypeKind};
use crate::vector::build::Variable;
use crate::vector::ir::{BinaryOp, CompareOp, ConvertOp, Element, Type, UnaryOp, Value};

const I64: Type = Type::scalar(Element::I64);

/// What an index must be below.
pub(super) struct Bounds {
    /// What is indexed, as the source calls it.
    name: Option<String>,
    /// Its number of elements, an `i64` scalar.
    extent: Value,
}

impl Bounds {
    /// The index comes first, then the extent.
    fn message(&self) -> String {
        typed::ir::out_of_bounds(self.name.as_deref(), "%", "%")
    }
}

/// A pointer to an element of an object.
struct Known {
    bounds: Bounds,
    /// The number of the element, an `i64`; the first one if absent.
    first: Option<Value>,
    /// The size of an element in bytes.
    element: u64,
}

/// Into what a pointer leads that is only initialized.
pub(super) struct Origin {
    name: Option<String>,
    first: Variable,
    extent: Variable,
    element: u64,
}

/// May it be evaluated again? It has no effect, and gives the same value until something is stored.
fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Constant(_) | ExprKind::Load(Place { kind: PlaceKind::Local(_), .. }) => true,
        ExprKind::Convert(a) | ExprKind::Broadcast(a) | ExprKind::Unary(_, a) => is_plain(a),
        ExprKind::Binary(_, a, b) => is_plain(a) && is_plain(b),
        _ => false,
    }
}

/// What is said of an array argument that has fewer elements than the function takes it to have.
pub(super) fn too_few(name: &str) -> String {
    format!("`{name}` is to have % elements, and has %")
}

impl Predicator<'_> {
    /// `ok` must hold: in the active lanes if it is a vector, and then the message names the first lane that fails.
    pub fn check_lanes(&mut self, ok: Value, message: String) {
        self.check_numbers(ok, message, &[]);
    }

    /// Likewise, with numbers (`i64`) for the message: those of the lane that fails, where they are vectors.
    fn check_numbers(&mut self, ok: Value, message: String, numbers: &[Value]) {
        if self.b.ty(ok).length == 1 {
            self.b.check(ok, None, message, numbers.to_vec());
            return;
        }
        let bad = self.b.not(ok);
        let bad = self.active(bad);
        let any = self.b.any(bad);
        let good = self.b.not(any);
        if self.b.uniform_bits(good) != Some(1) {
            let lane = self.first_lane(bad);
            let numbers = numbers.iter().map(|&number| self.b.extract(number, lane)).collect();
            self.b.check(good, Some(lane), message, numbers);
        }
    }

    /// Memory for `counts` elements of `size` bytes was there.
    pub fn check_memory(&mut self, pointer: Value, counts: &[Value], size: u64, span: Span) {
        let null = self.b.zero(self.b.ty(pointer));
        let ok = self.b.compare(CompareOp::Ne, pointer, null);
        let numbers = vec!["%"; counts.len()].join(" × ");
        let span = self.b.set_span(span);
        self.check_numbers(ok, format!("no memory for {numbers} elements of {size} bytes"), counts);
        self.b.set_span(span);
    }

    /// A pointer that is about to be followed is not null.
    pub fn check_pointer(&mut self, address: Value, pointer: &Expr, span: Span) {
        let pointer = if let ExprKind::Broadcast(inner) = &pointer.kind { inner } else { pointer };
        if !self.shared.options.check || matches!(pointer.kind, ExprKind::AddressOf(_)) {
            return;
        }
        let address = self.unsplat(address);
        let null = self.b.zero(self.b.ty(address));
        let ok = self.b.compare(CompareOp::Ne, address, null);
        let span = self.b.set_span(span);
        self.check_lanes(ok, "null pointer".into());
        self.b.set_span(span);
    }

    /// An access of `ty` at `index` behind a pointer, if it is known into what that leads. The pointer has just been evaluated.
    pub fn check_offset(&mut self, base: &Expr, index: Option<(&Expr, Value)>, ty: types::Type, span: Span) {
        if !self.shared.options.check {
            return;
        }
        let direct = if let ExprKind::Broadcast(inner) = &base.kind { inner } else { base };
        if let (Some((index, number)), ExprKind::AddressOf(Place { kind: PlaceKind::Element(array, first), .. })) =
            (index, &direct.kind)
            && matches!(first.kind, ExprKind::Constant(Constant::Int(0)))
        {
            return self.check_element(array, index, number, span);
        }
        let Some(known) = self.known(base) else { return };
        let size = self.types().size(ty);
        let place = self.types().pointee(base.ty).map(|pointee| self.types().size(pointee));
        if size == known.element && place == Some(size) {
            match (index, known.first) {
                (Some((index, number)), None) => self.check_index(index.ty, number, &known.bounds, span),
                (Some((index, number)), Some(first)) => {
                    let number = self.sum(first, index, number);
                    self.check_wide(number, &known.bounds, span);
                }
                (None, first) => {
                    let number = first.unwrap_or_else(|| self.i64(0));
                    self.check_wide(number, &known.bounds, span);
                }
            }
            return;
        }
        let zero = self.i64(0);
        let first = known.first.unwrap_or(zero);
        let element = self.i64(known.element as i64);
        let mut start = self.b.binary(BinaryOp::Mul, first, element);
        if let Some((index, number)) = index {
            let scale = self.i64(place.unwrap_or(1) as i64);
            let from = self.types().element(index.ty).expect("an index is an integer");
            let number = self.unsplat(number);
            let number = self.convert_element(from, types::Element::Int64, number);
            let scale = self.b.splat(scale, self.b.ty(number).length);
            let by = self.b.binary(BinaryOp::Mul, number, scale);
            let start_of_all = self.b.splat(start, self.b.ty(by).length);
            start = self.add(start_of_all, by);
        }
        self.check_bytes(start, size, &known, span);
    }

    /// How many lanes of this length are on, an `i32`.
    pub fn active_count(&mut self, length: u8) -> Value {
        match self.access_mask(length) {
            Some(mask) => {
                let bits = self.bits_of(mask);
                let count = self.b.unary(UnaryOp::Popcnt, bits);
                self.b.convert(ConvertOp::Trunc, count, Element::I32)
            }
            None => self.i32(length.into()),
        }
    }

    /// `count` elements behind a pointer, if it is known into what that leads: those of `packed_store` and `packed_load`.
    pub fn check_run(&mut self, pointer: &Expr, count: Value) {
        if !self.shared.options.check {
            return;
        }
        let Some(known) = self.known(pointer) else { return };
        if self.types().pointee(pointer.ty).map(|pointee| self.types().size(pointee)) != Some(known.element) {
            return;
        }
        let zero = self.i64(0);
        let first = known.first.unwrap_or(zero);
        let count = self.b.convert(ConvertOp::SExt, count, Element::I64);
        let last = self.add(first, count);
        let low = self.b.compare(CompareOp::SGe, first, zero);
        let high = self.b.compare(CompareOp::SLe, last, known.bounds.extent);
        let ok = self.b.and(low, high);
        let none = self.b.compare(CompareOp::SLe, count, zero);
        let ok = self.b.or(ok, none);
        // The first element that is not there.
        let blamed = self.b.binary(BinaryOp::SMax, first, known.bounds.extent);
        let blamed = self.b.select(low, blamed, first);
        self.check_numbers(ok, known.bounds.message(), &[blamed, known.bounds.extent]);
    }

    /// `size` bytes that begin `start` bytes behind the start of the object.
    fn check_bytes(&mut self, start: Value, size: u64, known: &Known, span: Span) {
        let length = self.b.ty(start).length;
        let ty = self.b.ty(start);
        let (zero, element, size) = (self.b.zero(ty), self.b.int(ty, known.element as i64), self.b.int(ty, size as i64));
        let extent = self.b.splat(known.bounds.extent, length);
        let all = self.b.binary(BinaryOp::Mul, extent, element);
        let end = self.add(start, size);
        let low = self.b.compare(CompareOp::SGe, start, zero);
        let high = self.b.compare(CompareOp::SLe, end, all);
        let ok = self.b.and(low, high);
        // The first element that is not there.
        let first = self.b.binary(BinaryOp::SDiv, start, element);
        let blamed = self.b.binary(BinaryOp::SMax, first, extent);
        let blamed = self.b.select(low, blamed, first);
        let span = self.b.set_span(span);
        self.check_numbers(ok, known.bounds.message(), &[blamed, extent]);
        self.b.set_span(span);
    }

    /// Into what a pointer leads, as far as that can be seen. It has just been evaluated: what it is computed from has still
    /// the same values.
    fn known(&mut self, pointer: &Expr) -> Option<Known> {
        match &pointer.kind {
            ExprKind::Broadcast(inner) => self.known(inner),
            ExprKind::Convert(inner) => {
                self.types().pointee(inner.ty)?;
                self.known(inner)
            }
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => self.known_local(*local, pointer.ty),
            ExprKind::PointerOffset(base, index) => self.known_sum(base, index),
            ExprKind::AddressOf(place) => self.known_place(place),
            _ => None,
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
        Some(Known { first: Some(first), ..known })
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
                Some(Known { bounds, first, element })
            }
            PlaceKind::Local(_) | PlaceKind::Global(_) => {
                Some(Known { bounds: Bounds { name: self.place_name(place), extent: self.i64(1) }, first: None, element })
            }
            PlaceKind::Dereference(pointer) => self.known(pointer),
            PlaceKind::Element(..) | PlaceKind::Member(..) | PlaceKind::Temporary(_) => None,
        }
    }

    /// A parameter or `scratch` array with a number of elements, as long as neither was assigned to, or a pointer that was
    /// initialized with one of which everything is known, and not assigned to.
    fn known_local(&mut self, local: LocalId, ty: types::Type) -> Option<Known> {
        let function = self.function();
        let assigned = &self.shared.locals[self.id.0 as usize].assigned;
        if assigned[local.0 as usize] {
            return None;
        }
        let of = &function.locals[local.0 as usize];
        let name = Some(of.name.clone());
        let element = self.types().pointee(ty).map(|pointee| self.types().size(pointee))?;
        let bound = match of.extent() {
            Some(bound) => bound,
            None => {
                let known = self.origins.get(&local)?;
                let (first, extent) = (known.first, known.extent);
                let (name, element) = (known.name.clone(), known.element);
                let first = Some(self.b.use_variable(first));
                return Some(Known { bounds: Bounds { name, extent: self.b.use_variable(extent) }, first, element });
            }
        };
        let extent = self.slice_bound(bound)?;
        Some(Known { bounds: Bounds { name, extent }, first: None, element })
    }

    /// Remembers into what a pointer leads that has just been initialized with `value`, and that nothing assigns to.
    pub fn remember_origin(&mut self, local: LocalId, value: &Expr) {
        let locals = &self.shared.locals[self.id.0 as usize];
        let of = &self.function().locals[local.0 as usize];
        let is_pointer = self.types().pointee(of.ty).is_some() && self.types().length(of.ty) == 1;
        let is_fixed = !locals.assigned[local.0 as usize] && !locals.in_memory[local.0 as usize];
        if !self.shared.options.check || !is_pointer || !is_fixed || of.extent().is_some() {
            return;
        }
        let known = match &value.kind {
            ExprKind::New(_, counts) => self.known_memory(of.name.clone(), counts, of.ty),
            _ => self.known(value),
        };
        let Some(known) = known else { return };
        let (first, extent) = (self.b.declare_variable(I64), self.b.declare_variable(I64));
        let zero = self.i64(0);
        self.b.define(first, known.first.unwrap_or(zero));
        self.b.define(extent, known.bounds.extent);
        self.origins.insert(local, Origin { name: known.bounds.name, first, extent, element: known.element });
    }

    /// What `new` gave for one number.
    fn known_memory(&mut self, name: String, counts: &[Expr], ty: types::Type) -> Option<Known> {
        let [count] = counts else { return None };
        if !is_plain(count) || self.types().length(count.ty) > 1 {
            return None;
        }
        let element = self.types().pointee(ty).map(|pointee| self.types().size(pointee))?;
        let extent = self.expression(count)[0];
        Some(Known { bounds: Bounds { name: Some(name), extent }, first: None, element })
    }

    /// first + number, in 64 bits.
    fn sum(&mut self, first: Value, index: &Expr, number: Value) -> Value {
        let from = self.types().element(index.ty).expect("an index is an integer");
        let number = self.unsplat(number);
        let number = self.convert_element(from, types::Element::Int64, number);
        let first = self.b.splat(first, self.b.ty(number).length);
        self.add(first, number)
    }

    /// An index of an array is below its number of elements.
    pub fn check_element(&mut self, array: &Place, index: &Expr, number: Value, span: Span) {
        let TypeKind::Array { element: _, count } = *self.types().kind(array.object) else { return };
        if !self.shared.options.check {
            return;
        }
        let constant = self.b.uniform_bits(number).filter(|_| matches!(index.kind, ExprKind::Constant(_)));
        if constant.is_some_and(|number| number < count) {
            return;
        }
        let bounds = Bounds { name: self.place_name(array), extent: self.i64(count as i64) };
        self.check_index(index.ty, number, &bounds, span);
    }

    /// 0 ≤ number < extent. What all accesses compare with does not change in a loop, and lanes of 32 bits are compared as
    /// such.
    fn check_index(&mut self, ty: types::Type, number: Value, bounds: &Bounds, span: Span) {
        let element = self.types().element(ty).expect("an index is an integer");
        let number = self.unsplat(number);
        let wide = self.convert_element(element, types::Element::Int64, number);
        if self.b.ty(wide).length == 1 || element.bits() == 64 || element == types::Element::Uint32 {
            return self.check_wide(wide, bounds, span);
        }
        let narrow = self.convert_element(element, types::Element::Int32, number);
        let length = self.b.ty(wide).length;
        // A number above 2³¹ − 1 is no `int`, so that an extent beyond it is as good as 2³¹.
        let beyond = self.i64(i64::from(i32::MAX) + 1);
        let limit = self.limit(bounds.extent);
        let limit = self.b.binary(BinaryOp::SMin, limit, beyond);
        let limit = self.b.convert(ConvertOp::Trunc, limit, Element::I32);
        let limit = self.b.splat(limit, length);
        let ok = self.b.compare(CompareOp::ULt, narrow, limit);
        let extent = self.b.splat(bounds.extent, length);
        let span = self.b.set_span(span);
        self.check_numbers(ok, bounds.message(), &[wide, extent]);
        self.b.set_span(span);
    }

    /// Likewise for numbers of 64 bits.
    fn check_wide(&mut self, wide: Value, bounds: &Bounds, span: Span) {
        let length = self.b.ty(wide).length;
        let limit = self.limit(bounds.extent);
        if let (Some(number), Some(limit)) = (self.b.uniform_bits(wide), self.b.uniform_bits(limit))
            && number < limit
        {
            return;
        }
        let limit = self.b.splat(limit, length);
        let ok = self.b.compare(CompareOp::ULt, wide, limit);
        let extent = self.b.splat(bounds.extent, length);
        let span = self.b.set_span(span);
        self.check_numbers(ok, bounds.message(), &[wide, extent]);
        self.b.set_span(span);
    }

    /// What an index is below as an unsigned number. A negative extent is 0.
    fn limit(&mut self, extent: Value) -> Value {
        match self.b.uniform_bits(extent) {
            Some(bits) => self.i64((bits as i64).max(0)),
            None => {
                let zero = self.i64(0);
                self.b.binary(BinaryOp::SMax, extent, zero)
            }
        }
    }

    /// min ≤ number < min + extent: a coordinate of a view.
    pub fn check_window(&mut self, index: &Expr, number: Value, window: &Window) {
        if !self.shared.options.check {
            return;
        }
        let element = self.types().element(index.ty).expect("an index is an integer");
        let (min, extent) = (self.expression(&window.min)[0], self.expression(&window.extent)[0]);
        let number = self.unsplat(number);
        let wide = self.convert_element(element, types::Element::Int64, number);
        let narrow = element.bits() < 32 || element == types::Element::Int32;
        let length = self.b.ty(wide).length;
        let [min, extent] = [min, extent].map(|value| self.b.convert(ConvertOp::SExt, value, Element::I64));
        let ok = if narrow && length > 1 {
            // As `int`, a distance that is not negative is exact as an unsigned number.
            let number = self.convert_element(element, types::Element::Int32, number);
            let limit = self.limit(extent);
            let [least, limit] = [min, limit].map(|value| {
                let value = self.b.convert(ConvertOp::Trunc, value, Element::I32);
                self.b.splat(value, length)
            });
            let low = self.b.compare(CompareOp::SGe, number, least);
            let distance = self.b.binary(BinaryOp::Sub, number, least);
            let high = self.b.compare(CompareOp::ULt, distance, limit);
            self.b.and(low, high)
        } else {
            // The distance wraps only for numbers that are far outside, and stays far outside.
            let limit = self.limit(extent);
            let [least, limit] = [min, limit].map(|value| self.b.splat(value, length));
            let distance = self.b.binary(BinaryOp::Sub, wide, least);
            self.b.compare(CompareOp::ULt, distance, limit)
        };
        let [min, extent] = [min, extent].map(|value| self.b.splat(value, length));
        let span = self.b.set_span(index.span);
        self.check_numbers(ok, window.message("%", "%", "%"), &[wide, extent, min]);
        self.b.set_span(span);
    }

    pub fn local_value(&mut self, local: LocalId, ty: types::Type) -> Value {
        let place = Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span: Span::default() };
        let location = self.place(&place);
        self.load(&location, &place)[0]
    }

    /// The name by which the source calls a place.
    fn place_name(&self, place: &Place) -> Option<String> {
        self.shared.program.place_name(self.id, place).map(str::to_owned)
    }
}
