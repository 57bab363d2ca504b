//! What checks do not reach, said of functions for those who want to call them without a thought.
//!
//! ```text
//! p[i]         p is known: a parameter or `scratch` array of n elements, an array, what `new` gave,      i is checked
//!              or a pointer that begins as such a one, or at an element of it; none is assigned to
//! v(x, y)      v is an image or a parameter, not assigned to                                             x and y are checked
//! h[i].x       h is an `hsoa` that owns its elements or a parameter, not assigned to                     i is checked
//! r            a pointer or reference that a function of this program was given, whose callers give it the address of an object
//! f(a, m)      with `float a[m]` in `f`: that `a` has so many elements is checked here
//! all others   nothing is known of them: the function is told to have a loose access there
//! ```
//! What is checked is what is said to be: [`Predicator::check_offset`] and its like give back whether the access stays inside from
//! then on. This is about what is known for certain: it may say too much, and never too little.

use super::calls::is_packed_load;
use super::checks;
use super::state::{Known, Predicator};
use super::storage::member_of_local;
use crate::source::Span;
use crate::typed::ir::{
    Builtin, Constant, Expr, ExprKind, Function, LaneOp, Linkage, LocalId, ParameterKind, Place, PlaceKind, SliceBound,
};
use crate::types::{self, TypeKind};
use crate::vector::ir::{BinaryOp, CompareOp, Value};

impl Predicator<'_> {
    /// An object of a type is accessed through a pointer; `is_inside` if a check has seen that it is there.
    pub fn note_access(&mut self, is_inside: bool, pointer: &Expr, object: types::Type, span: Span) {
        // What the library's function accesses is its callers' to say.
        if !is_inside && !self.leads_to(pointer, object) && !is_packed_load(self.function()) {
            self.note(span);
        }
    }

    /// Something is done that no check tells right from wrong. What a schedule reads of images is compared with their windows first.
    pub fn note(&mut self, span: Span) {
        if self.checks_accesses() {
            self.b.loose(span);
        }
    }

    /// Does a pointer, which was evaluated, lead to an object of the type?
    fn leads_to(&self, pointer: &Expr, object: types::Type) -> bool {
        let fits = |ty: types::Type| {
            let pointee =
                self.types().pointee(ty).filter(|&to| !matches!(self.types().kind(to), TypeKind::Void | TypeKind::Error));
            pointee.is_some_and(|pointee| self.types().size(object) <= self.types().size(pointee))
        };
        fits(pointer.ty) && (self.is_object(pointer) || self.is_pixel(pointer) || self.is_in_hsoa(pointer))
    }

    /// Is it the address of an object? What has a place was looked at on the way to it.
    fn is_object(&self, pointer: &Expr) -> bool {
        match &pointer.kind {
            ExprKind::Broadcast(inner) => self.is_object(inner),
            ExprKind::AddressOf(_) => true,
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => self.is_given(*local) || self.is_visited(*local),
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

    /// Is it the address that `v(x, y)` stands for? Its indices were looked at, each in its window.
    ///
    /// ```text
    /// data + (y − min) · stride + …  [x]     the sum is that of the indices that all lanes share; the rest is one per lane
    /// ```
    fn is_pixel(&self, pointer: &Expr) -> bool {
        let (base, own) = match &pointer.kind {
            ExprKind::PointerOffset(base, own) => match &base.kind {
                ExprKind::Broadcast(inner) => (&**inner, Some(own)),
                _ => (pointer, None),
            },
            _ => (pointer, None),
        };
        let (data, shared) = match &base.kind {
            ExprKind::PointerOffset(data, shared) => (&**data, Some(shared)),
            _ => (base, None),
        };
        let ExprKind::Load(Place { kind: PlaceKind::Member(view, 0), .. }) = &data.kind else { return false };
        let Some((_, rank)) = self.types().view(view.object) else { return false };
        let indices = own.into_iter().chain(shared).map(|e| windows(e)).sum::<usize>();
        indices == rank && self.is_view(view)
    }

    /// A pointer to the block that a `foreach` over an `hsoa` visits, not assigned to.
    fn is_visited(&self, local: LocalId) -> bool {
        let locals = &self.shared.locals[self.id.0 as usize];
        let hsoa = locals.blocks.get(&local).filter(|_| !locals.assigned[local.0 as usize]);
        hsoa.is_some_and(|&hsoa| self.is_faithful(hsoa))
    }

    /// Is it the address that `h[i].x` or `h[ii]` stands for, whose index was looked at, or the block that a `foreach` visits?
    fn is_in_hsoa(&self, pointer: &Expr) -> bool {
        let ExprKind::PointerOffset(blocks, number) = &pointer.kind else { return false };
        let locals = &self.shared.locals[self.id.0 as usize];
        if let Some(hsoa) = locals.visited(&self.shared.layouts, self.function(), blocks, number) {
            return self.is_faithful(hsoa);
        }
        let blocks = match &blocks.kind {
            ExprKind::Convert(blocks) => blocks,
            _ => blocks,
        };
        let hsoa = member_of_local(blocks, 0)
            .filter(|hsoa| self.types().is_hsoa(self.function().locals[hsoa.0 as usize].ty) && windows(number) > 0);
        hsoa.is_some_and(|hsoa| self.is_faithful(hsoa))
    }

    /// Does a view show what is there? It is an image, or a parameter: callers are asked for one that does.
    fn is_view(&self, view: &Place) -> bool {
        matches!(view.kind, PlaceKind::Local(local) if self.is_faithful(local))
    }

    /// Does a local that is a view or an `hsoa` show what is there?
    fn is_faithful(&self, local: LocalId) -> bool {
        let (locals, index) = (&self.shared.locals[self.id.0 as usize], local.0 as usize);
        let is_given = locals.images[index] || index < self.function().parameters;
        let is_copy = || locals.copies.get(&local).is_some_and(|&of| of < local && self.is_faithful(of));
        !locals.assigned[index] && (is_given || is_copy())
    }

    /// Is it an array as a view of all of its elements?
    fn is_whole_array(&self, view: &Expr) -> bool {
        let ExprKind::Aggregate(parts) = &view.kind else { return false };
        let Some(ExprKind::AddressOf(Place { kind: PlaceKind::Element(array, first), .. })) = parts.first().map(|e| &e.kind)
        else {
            return false;
        };
        let TypeKind::Array { count, .. } = *self.types().kind(array.object) else { return false };
        let is = |e: &Expr, number: u64| {
            let e = if let ExprKind::Aggregate(list) = &e.kind { list.first() } else { Some(e) };
            e.is_some_and(|e| matches!(e.kind, ExprKind::Constant(Constant::Int(n)) if n == number))
        };
        match &parts[1..] {
            [] => is(first, 0) && count > 0,
            [min, extent, stride] => is(first, 0) && is(min, 0) && is(extent, count) && is(stride, 1),
            _ => false,
        }
    }

    /// The arguments of a call, which were just evaluated: pointers and views lead to what the function takes them to lead to.
    pub fn check_arguments(
        &mut self,
        callee: &Function,
        arguments: &[Expr],
        values: &[Vec<Value>],
        known: Vec<Option<Known>>,
        span: Span,
    ) {
        if !self.shared.options.check || callee.body.is_none() {
            return;
        }
        for (index, (argument, known)) in arguments.iter().zip(known).enumerate() {
            if self.types().view(argument.ty).is_some() || self.types().is_hsoa(argument.ty) {
                let is_view = match &argument.kind {
                    ExprKind::Load(view) => self.is_view(view),
                    _ => self.is_whole_array(argument),
                };
                if !is_view {
                    self.note(span);
                }
                continue;
            }
            let Some(pointee) = self.types().pointee(argument.ty) else { continue };
            match &callee.locals[index].parameter {
                ParameterKind::Slice { bound: Some(bound), read_only: _ } => {
                    let needed = self.bound_of(bound, callee, values);
                    let known = known.filter(|known| {
                        known.is_faithful && known.element == self.types().size(pointee) && argument.ty == callee.locals[index].ty
                    });
                    match (needed, known) {
                        (Some(needed), Some(known)) => self.check_extent(needed, &known, &callee.locals[index].name, span),
                        _ => self.note(span),
                    }
                }
                // Nothing is said of what it leads to, and its accesses are loose.
                ParameterKind::Slice { bound: None, read_only: _ } => {}
                // The library's function has its pointer looked at.
                ParameterKind::Plain | ParameterKind::Restrict | ParameterKind::Buffer { .. }
                    if index == 0 && is_packed_load(callee) => {}
                ParameterKind::Plain | ParameterKind::Restrict | ParameterKind::Buffer { .. } => {
                    if !self.is_object(argument) {
                        self.note(span);
                    }
                }
            }
        }
    }

    /// Where a pointer leads there are as many elements as are needed, or none is.
    fn check_extent(&mut self, needed: Value, known: &Known, name: &str, span: Span) {
        let there = self.limit(known.bounds.extent);
        let (rest, ok) = match known.first {
            None => (known.bounds.extent, self.b.compare(CompareOp::SLe, needed, there)),
            Some(first) => {
                let zero = self.i64(0);
                let low = self.b.compare(CompareOp::SGe, first, zero);
                let rest = self.b.binary(BinaryOp::Sub, there, first);
                let rest = self.b.select(low, rest, zero);
                let rest = self.b.binary(BinaryOp::SMax, rest, zero);
                (rest, self.b.compare(CompareOp::SLe, needed, rest))
            }
        };
        if self.b.uniform_bits(ok) != Some(1) {
            let span = self.b.set_span(span);
            self.b.check(ok, None, checks::too_few(name), vec![needed, rest]);
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
                let is_scalar = self.b.ty(value).length == 1;
                is_scalar.then(|| self.convert_element(element, types::Element::Int64, value))
            }
            SliceBound::Sum(a, b) | SliceBound::Product(a, b) => {
                let (a, b) = (self.bound_of(a, callee, values)?, self.bound_of(b, callee, values)?);
                let op = if matches!(bound, SliceBound::Sum(..)) { BinaryOp::Add } else { BinaryOp::Mul };
                Some(self.b.binary(op, a, b))
            }
        }
    }
}

/// How many indices of a view are in the sum.
fn windows(e: &Expr) -> usize {
    match &e.kind {
        ExprKind::Within(..) => 1,
        ExprKind::Binary(_, a, b) => windows(a) + windows(b),
        ExprKind::Convert(a) | ExprKind::Broadcast(a) => windows(a),
        ExprKind::Builtin(Builtin::Lane(LaneOp::InBlocks { .. }), numbers) => windows(&numbers[0]),
        _ => 0,
    }
}
