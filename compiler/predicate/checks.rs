//! What may fail at run time: `assert`, and with `--check` null pointers and indices out of bounds.
//!
//! ```text
//! a[i] = 0     float a[n], under m    ──►    ok = 0 ≤ i and i < n;  bad = m and !ok
//!                                            check !any(bad), lane first(bad), "index out of bounds: index % of `a`, which has % elements"
//! ```

use super::function::Predicator;
use crate::source::Span;
use crate::typed::ir::{Constant, Expr, ExprKind, LocalId, ParameterKind, Place, PlaceKind};
use crate::types::{self, TypeKind};
use crate::vector::ir::{CompareOp, Element, Type, Value};

/// What is said of an index that is out of bounds, without the numbers.
pub(super) struct Bounds {
    /// What is indexed, as the source calls it.
    name: Option<String>,
    /// Its number of elements, an `i64` scalar.
    extent: Value,
}

impl Bounds {
    /// The index comes first, then the extent.
    fn message(&self) -> String {
        let name = self.name.as_ref().map_or("the array".to_owned(), |name| format!("`{name}`"));
        format!("index out of bounds: index % of {name}, which has % elements")
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

    /// An index behind a pointer of which the number of elements is known: an array `&a[0]`, or a slice parameter.
    pub fn check_offset(&mut self, base: &Expr, index: &Expr, number: Value, span: Span) {
        // The same pointer in all lanes.
        let base = if let ExprKind::Broadcast(inner) = &base.kind { inner } else { base };
        if let ExprKind::AddressOf(Place { kind: PlaceKind::Element(array, first), .. }) = &base.kind
            && matches!(first.kind, ExprKind::Constant(Constant::Int(0)))
        {
            self.check_element(array, index, number, span);
        }
        if let ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) = base.kind {
            self.check_slice(local, index, number, span);
        }
    }

    /// An index of a slice parameter is below its bound, as long as neither was assigned to.
    fn check_slice(&mut self, local: LocalId, index: &Expr, number: Value, span: Span) {
        let function = self.function();
        let assigned = &self.shared.locals[self.id.0 as usize].assigned;
        let parameter = &function.locals[local.0 as usize];
        let ParameterKind::Slice { bound: Some(bound), read_only: _ } = &parameter.parameter else { return };
        let Some(extent) = self.slice_bound(bound) else { return };
        if !assigned[local.0 as usize] {
            let bounds = Bounds { name: Some(parameter.name.clone()), extent };
            self.check_index(index.ty, number, &bounds, span);
        }
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

    /// 0 ≤ number < extent, in 64 bits.
    fn check_index(&mut self, ty: types::Type, number: Value, bounds: &Bounds, span: Span) {
        let element = self.types().element(ty).expect("an index is an integer");
        let number = self.unsplat(number);
        let wide = self.convert_element(element, types::Element::Int64, number);
        let length = self.b.ty(wide).length;
        let extent = self.b.splat(bounds.extent, length);
        let zero = self.b.zero(Type::new(Element::I64, length));
        let low = self.b.compare(CompareOp::SGe, wide, zero);
        let high = self.b.compare(CompareOp::SLt, wide, extent);
        let ok = self.b.and(low, high);
        let span = self.b.set_span(span);
        self.check_numbers(ok, bounds.message(), &[wide, extent]);
        self.b.set_span(span);
    }

    pub fn local_value(&mut self, local: LocalId, ty: types::Type) -> Value {
        let place = Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span: Span::default() };
        let location = self.place(&place);
        self.load(&location, &place)[0]
    }

    /// The name by which the source calls a place.
    fn place_name(&self, place: &Place) -> Option<String> {
        match &place.kind {
            PlaceKind::Local(local) => Some(self.function().locals[local.0 as usize].name.clone()),
            PlaceKind::Global(global) => Some(self.shared.program.globals[global.0 as usize].name.clone()),
            PlaceKind::Member(base, index) => Some(self.types().members(base.object)[*index].name.clone()),
            PlaceKind::Dereference(_) | PlaceKind::Element(..) | PlaceKind::Temporary(_) => None,
        }
    }
}
