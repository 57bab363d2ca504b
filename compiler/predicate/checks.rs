//! What may fail at run time: `assert`, and with `--check` null pointers and indices out of bounds.
//!
//! ```text
//! a[i] = 0     float a[n], under m    ──►    ok = 0 ≤ i and i < n;  bad = m and !ok
//!                                            check !any(bad), lane first(bad), "index out of bounds: …"
//! ```

use super::function::Predicator;
use crate::source::Span;
use crate::typed::ir::{Constant, Expr, ExprKind, LocalId, ParameterKind, Place, PlaceKind, SliceBound};
use crate::types::{self, TypeKind};
use crate::vector::ir::{CompareOp, Element, Type, Value};

impl Predicator<'_> {
    /// `ok` must hold: in the active lanes if it is a vector, and then the message names the first lane that fails.
    pub fn check_lanes(&mut self, ok: Value, message: String) {
        if self.b.ty(ok).length == 1 {
            self.b.check(ok, None, message);
            return;
        }
        let bad = self.b.not(ok);
        let bad = self.active(bad);
        let any = self.b.any(bad);
        let good = self.b.not(any);
        if self.b.uniform_bits(good) != Some(1) {
            let lane = self.first_lane(bad);
            self.b.check(good, Some(lane), message);
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
        let ParameterKind::Slice { bound: Some(bound), read_only: _ } = parameter.parameter else { return };
        let (bound, text) = match bound {
            SliceBound::Constant(count) => (self.i64(count as i64), count.to_string()),
            SliceBound::Parameter(index) => {
                let local = LocalId(index as u32);
                let bound = &function.locals[index];
                let Some(element) = self.types().element(bound.ty).filter(|_| !assigned[index]) else { return };
                let value = self.local_value(local, bound.ty);
                (self.convert_element(element, types::Element::Int64, value), format!("`{}`", bound.name))
            }
        };
        if !assigned[local.0 as usize] {
            let message = format!("index out of bounds: `{}` has {text} elements", parameter.name);
            self.check_index(index.ty, number, bound, message, span);
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
        let bound = self.i64(count as i64);
        let message = match self.place_name(array) {
            Some(name) => format!("index out of bounds: `{name}` has {count} elements"),
            None => format!("index out of bounds: the array has {count} elements"),
        };
        self.check_index(index.ty, number, bound, message, span);
    }

    /// 0 ≤ number < bound, in 64 bits.
    fn check_index(&mut self, ty: types::Type, number: Value, bound: Value, message: String, span: Span) {
        let element = self.types().element(ty).expect("an index is an integer");
        let number = self.unsplat(number);
        let wide = self.convert_element(element, types::Element::Int64, number);
        let length = self.b.ty(wide).length;
        let bound = self.b.splat(bound, length);
        let zero = self.b.zero(Type::new(Element::I64, length));
        let low = self.b.compare(CompareOp::SGe, wide, zero);
        let high = self.b.compare(CompareOp::SLt, wide, bound);
        let ok = self.b.and(low, high);
        let span = self.b.set_span(span);
        self.check_lanes(ok, message);
        self.b.set_span(span);
    }

    fn local_value(&mut self, local: LocalId, ty: types::Type) -> Value {
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
