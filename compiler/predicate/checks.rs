//! What may fail at run time: `assert`, memory that is not there, and with `--check` null pointers and indices out of bounds.
//!
//! ```text
//! a[i] = 0     float a[n], under m    ──►    ok = 0 ≤ i and i < n;  bad = m and !ok
//!                                            check !any(bad), lane first(bad), "index out of bounds: index % of `a`, which has % elements"
//! ```

use super::state::{Bounds, Known, Predicator};
use crate::source::Span;
use crate::typed;
use crate::typed::ir::{Constant, Expr, ExprKind, LocalId, Place, PlaceKind, Window};
use crate::types::{self, TypeKind};
use crate::vector::ir::{BinaryOp, CompareOp, ConvertOp, Element, UnaryOp, Value};

impl Bounds {
    /// The index comes first, then the extent.
    fn message(&self) -> String {
        typed::ir::out_of_bounds(self.name.as_deref(), "%", "%")
    }
}

/// What a pointer was moved from.
enum Beginning<'e> {
    /// The address of an object.
    Object,
    /// A pointer that may be evaluated again.
    Pointer(&'e Expr),
}

/// What a pointer was moved from, if it was.
fn beginning(pointer: &Expr) -> Option<Beginning<'_>> {
    let (mut at, mut is_moved) = (pointer, false);
    while let ExprKind::PointerOffset(base, _) | ExprKind::Broadcast(base) = &at.kind {
        (at, is_moved) = (base, true);
    }
    match &at.kind {
        ExprKind::AddressOf(place) if is_variable(place) => Some(Beginning::Object),
        ExprKind::Load(place) if is_moved && is_variable(place) => Some(Beginning::Pointer(at)),
        _ => None,
    }
}

/// Is it a variable, or a member of one?
fn is_variable(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Member(base, _) => is_variable(base),
        PlaceKind::Element(..) | PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => false,
    }
}

/// What is said of an array argument that has fewer elements than the function takes it to have.
pub(super) fn too_few(name: &str) -> String {
    format!("`{name}` is to have % elements, and has %")
}

impl Predicator<'_> {
    /// Are accesses compared with what is there? Those of a schedule are inside: bounds inference has proven it of its funcs, its
    /// start checks have seen it of images, and what is the author's word is asked where it is given ([`ExprKind::Within`]).
    pub fn checks_accesses(&self) -> bool {
        self.shared.options.check && !self.function().is_scheduled
    }

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
        // A schedule has compared what it is given before it begins, and what it asks for when it got it.
        if !self.checks_accesses() || matches!(pointer.kind, ExprKind::AddressOf(_)) {
            return;
        }
        // A row of a view is moved from its beginning, which does not change from row to row.
        let address = match beginning(pointer) {
            Some(Beginning::Object) => return,
            Some(Beginning::Pointer(first)) => self.expression(first)[0],
            None => address,
        };
        let address = self.unsplat(address);
        let null = self.b.zero(self.b.ty(address));
        let ok = self.b.compare(CompareOp::Ne, address, null);
        let span = self.b.set_span(span);
        self.check_lanes(ok, "null pointer".into());
        self.b.set_span(span);
    }

    /// An access of `ty` at `index` behind a pointer, of which this is known. Is it certain from then on that it stays inside?
    pub fn check_offset(
        &mut self,
        base: &Expr,
        known: Option<Known>,
        index: Option<(&Expr, Value)>,
        ty: types::Type,
        span: Span,
    ) -> bool {
        let size = self.types().size(ty);
        let direct = if let ExprKind::Broadcast(inner) = &base.kind { inner } else { base };
        if let (Some((index, number)), ExprKind::AddressOf(Place { kind: PlaceKind::Element(array, first), object, .. })) =
            (index, &direct.kind)
            && matches!(first.kind, ExprKind::Constant(Constant::Int(0)))
            && size <= self.types().size(*object)
        {
            self.check_element(array, index, number, span);
            return true;
        }
        let Some(known) = known else { return false };
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
            return known.is_faithful;
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
        known.is_faithful
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

    /// `count` elements, of the type that the pointer has, behind one of which this is known: those of `packed_store` and
    /// `packed_load`. Is it certain from then on that they are there?
    pub fn check_run(&mut self, pointer: &Expr, known: Option<Known>, count: Value) -> bool {
        let Some(known) = known else { return false };
        if self.types().pointee(pointer.ty).map(|pointee| self.types().size(pointee)) != Some(known.element) {
            return false;
        }
        let zero = self.i64(0);
        let first = known.first.unwrap_or(zero);
        let count = self.b.convert(ConvertOp::SExt, count, Element::I64);
        let extent = self.limit(known.bounds.extent);
        // What begins at this number, or in front of it, ends inside.
        let last = self.b.binary(BinaryOp::Sub, extent, count);
        let low = self.b.compare(CompareOp::SGe, first, zero);
        let high = self.b.compare(CompareOp::SLe, first, last);
        let ok = self.b.and(low, high);
        let none = self.b.compare(CompareOp::SLe, count, zero);
        let ok = self.b.or(ok, none);
        // The first element that is not there.
        let blamed = self.b.binary(BinaryOp::SMax, first, known.bounds.extent);
        let blamed = self.b.select(low, blamed, first);
        self.check_numbers(ok, known.bounds.message(), &[blamed, known.bounds.extent]);
        known.is_faithful
    }

    /// `size` bytes that begin `start` bytes behind the start of the object.
    fn check_bytes(&mut self, start: Value, size: u64, known: &Known, span: Span) {
        let length = self.b.ty(start).length;
        let ty = self.b.ty(start);
        let (zero, element, size) = (self.b.zero(ty), self.b.int(ty, known.element as i64), self.b.int(ty, size as i64));
        let limit = self.limit(known.bounds.extent);
        let [limit, extent] = [limit, known.bounds.extent].map(|value| self.b.splat(value, length));
        let all = self.b.binary(BinaryOp::Mul, limit, element);
        // What begins at this byte, or in front of it, ends inside.
        let last = self.b.binary(BinaryOp::Sub, all, size);
        let low = self.b.compare(CompareOp::SGe, start, zero);
        let high = self.b.compare(CompareOp::SLe, start, last);
        let ok = self.b.and(low, high);
        // The first element that is not there.
        let first = self.b.binary(BinaryOp::SDiv, start, element);
        let blamed = self.b.binary(BinaryOp::SMax, first, extent);
        let blamed = self.b.select(low, blamed, first);
        let span = self.b.set_span(span);
        self.check_numbers(ok, known.bounds.message(), &[blamed, extent]);
        self.b.set_span(span);
    }

    /// first + number, in 64 bits.
    pub fn sum(&mut self, first: Value, index: &Expr, number: Value) -> Value {
        let from = self.types().element(index.ty).expect("an index is an integer");
        let number = self.unsplat(number);
        let number = self.convert_element(from, types::Element::Int64, number);
        let first = self.b.splat(first, self.b.ty(number).length);
        self.add(first, number)
    }

    /// An index of an array is below its number of elements.
    pub fn check_element(&mut self, array: &Place, index: &Expr, number: Value, span: Span) {
        let TypeKind::Array { element: _, count } = *self.types().kind(array.object) else { return };
        if !self.checks_accesses() {
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
    pub fn limit(&mut self, extent: Value) -> Value {
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
    pub fn place_name(&self, place: &Place) -> Option<String> {
        self.shared.program.place_name(self.id, place).map(str::to_owned)
    }
}
