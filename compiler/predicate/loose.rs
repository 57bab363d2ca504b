//! What checks do not reach, said of functions for those who want to call them without a thought.
//!
//! ```text
//! a[i]         a parameter of n elements, never assigned to, nor n         an index is checked
//! t[i]         an array                                                    an index is checked
//! r            a pointer or reference that a function of this program was given, whose callers give it the address of an object
//! f(a, m)      with `float a[m]` in `f`: that `a` has so many elements is checked here
//! all others   nothing is known of them: the function is told to have a loose access there
//! ```
//! This is about what is known for certain: of an access that is checked in a way that is not listed here it says too much, and never too little.

use super::checks;
use super::function::Predicator;
use crate::source::Span;
use crate::typed::ir::{Constant, Expr, ExprKind, Function, Linkage, LocalId, ParameterKind, Place, PlaceKind, SliceBound};
use crate::types::{self, TypeKind};
use crate::vector::ir::{BinaryOp, CompareOp, Value};

impl Predicator<'_> {
    /// An object of a type is accessed through a pointer.
    pub fn note_access(&mut self, pointer: &Expr, object: types::Type, span: Span) {
        if self.shared.options.check && !self.is_bounded(pointer, object) {
            self.b.loose(span);
        }
    }

    /// Something is done that no check tells right from wrong.
    pub fn note(&mut self, span: Span) {
        if self.shared.options.check {
            self.b.loose(span);
        }
    }

    fn is_bounded(&self, pointer: &Expr, object: types::Type) -> bool {
        let fits = |ty: types::Type| {
            let pointee =
                self.types().pointee(ty).filter(|&to| !matches!(self.types().kind(to), TypeKind::Void | TypeKind::Error));
            pointee.is_some_and(|pointee| self.types().size(object) <= self.types().size(pointee))
        };
        match &pointer.kind {
            ExprKind::PointerOffset(base, _) => fits(base.ty) && self.extent_of(base).is_some(),
            // Its place was looked at.
            ExprKind::AddressOf(place) => fits(pointer.ty) && is_object(place),
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => fits(pointer.ty) && self.is_given(*local),
            _ => false,
        }
    }

    /// A pointer that callers of this program gave the address of an object, and that was not assigned to.
    fn is_given(&self, local: LocalId) -> bool {
        let (function, index) = (self.function(), local.0 as usize);
        let is_parameter = index < function.parameters && function.linkage == Linkage::Internal;
        is_parameter
            && !self.shared.locals[self.id.0 as usize].assigned[index]
            && matches!(function.locals[index].parameter, ParameterKind::Plain | ParameterKind::Restrict)
    }

    /// How many elements there are behind a pointer whose indices are checked.
    fn extent_of(&self, base: &Expr) -> Option<Extent> {
        let base = if let ExprKind::Broadcast(inner) = &base.kind { inner } else { base };
        match &base.kind {
            ExprKind::AddressOf(Place { kind: PlaceKind::Element(array, first), .. })
                if matches!(first.kind, ExprKind::Constant(Constant::Int(0))) =>
            {
                match *self.types().kind(array.object) {
                    TypeKind::Array { element: _, count } => Some(Extent::Constant(count)),
                    _ => None,
                }
            }
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => {
                let assigned = &self.shared.locals[self.id.0 as usize].assigned;
                let ParameterKind::Slice { bound: Some(bound), read_only: _ } =
                    &self.function().locals[local.0 as usize].parameter
                else {
                    return None;
                };
                let is_fixed = !assigned[local.0 as usize] && bound.parameters().into_iter().all(|index| !assigned[index]);
                is_fixed.then(|| Extent::Bound(bound.clone()))
            }
            _ => None,
        }
    }

    /// The arguments of a call, which were just evaluated: pointers lead to what the function takes them to lead to.
    pub fn check_arguments(&mut self, callee: &Function, arguments: &[Expr], values: &[Vec<Value>], span: Span) {
        if !self.shared.options.check || callee.body.is_none() {
            return;
        }
        for (index, argument) in arguments.iter().enumerate() {
            if self.types().pointee(argument.ty).is_none() {
                continue;
            }
            match &callee.locals[index].parameter {
                ParameterKind::Slice { bound: Some(bound), read_only: _ } => {
                    let needed = self.bound_of(bound, callee, values);
                    let there = self.extent_of(argument);
                    match (needed, there) {
                        (Some(needed), Some(there)) if argument.ty == callee.locals[index].ty => {
                            self.check_extent(needed, &there, &callee.locals[index].name, span);
                        }
                        _ => self.b.loose(span),
                    }
                }
                // Nothing is said of what it leads to, and its accesses are loose.
                ParameterKind::Slice { bound: None, read_only: _ } => {}
                ParameterKind::Plain | ParameterKind::Restrict => {
                    let is_one = match &argument.kind {
                        ExprKind::AddressOf(place) => is_object(place),
                        ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => self.is_given(*local),
                        _ => false,
                    };
                    if !is_one {
                        self.b.loose(span);
                    }
                }
            }
        }
    }

    fn check_extent(&mut self, needed: Value, there: &Extent, name: &str, span: Span) {
        let extent = match there {
            Extent::Constant(count) => Some(self.i64(*count as i64)),
            Extent::Bound(bound) => self.slice_bound(bound),
        };
        let Some(extent) = extent else { return self.b.loose(span) };
        let ok = self.b.compare(CompareOp::SLe, needed, extent);
        if self.b.uniform_bits(ok) != Some(1) {
            let span = self.b.set_span(span);
            self.b.check(ok, None, checks::too_few(name), vec![needed, extent]);
            self.b.set_span(span);
        }
    }

    /// A bound of a function that is called with these arguments.
    fn bound_of(&mut self, bound: &SliceBound, callee: &Function, values: &[Vec<Value>]) -> Option<Value> {
        match bound {
            SliceBound::Constant(count) => Some(self.i64(*count as i64)),
            SliceBound::Parameter(index) => {
                let element = self.types().element(callee.locals[*index].ty)?;
                let &[value] = &values[*index][..] else { return None };
                Some(self.convert_element(element, types::Element::Int64, value))
            }
            SliceBound::Sum(a, b) | SliceBound::Product(a, b) => {
                let (a, b) = (self.bound_of(a, callee, values)?, self.bound_of(b, callee, values)?);
                let op = if matches!(bound, SliceBound::Sum(..)) { BinaryOp::Add } else { BinaryOp::Mul };
                Some(self.b.binary(op, a, b))
            }
        }
    }
}

/// How many elements there are.
enum Extent {
    Constant(u64),
    Bound(SliceBound),
}

/// Is it a variable or a member of one?
fn is_object(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Temporary(_) => true,
        PlaceKind::Member(base, _) => is_object(base),
        PlaceKind::Element(..) | PlaceKind::Dereference(_) => false,
    }
}
