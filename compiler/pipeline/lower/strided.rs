//! Views whose pixels in dimension 0 do not lie side by side: the work is done on copies of them.
//!
//! ```text
//! if (in_stride_0 != 1l | out_stride_0 != 1l) return p.s.strided(out_view, in_view);
//! …                                                         the work
//!
//! int p.s.strided(int[] out_view, int[] in_view) {
//!     in_packed = a copy of in_view where its stride is not 1; out_packed = room for out_view
//!     int status = p.s(out_packed, in_packed);
//!     if (status == 0) out_view = out_packed;
//!     return status;
//! }
//! ```
//! So the loops of the work always see neighbours side by side, and there is one version of them.

use super::super::expr::Source;
use super::body::Body;
use super::state::{Lowering, View, member, parameter};
use crate::check::schedules::new_function;
use crate::target::Memory;
use crate::typed::ir::{self, BinaryOp, CompareOp, ExprKind, ForeachIndex, FunctionId, LaneOp, LocalId, Place, StatementKind};
use crate::types::{Element, TypeKind};

/// A view that may have a copy.
struct Packed {
    view: View,
    /// The copy, or the view where its pixels lie side by side.
    copy: LocalId,
    /// The memory of the copy.
    memory: LocalId,
}

impl Lowering<'_> {
    /// The branch to the copies, behind the checks of what is the caller's.
    pub fn leave_strided(&mut self, function: FunctionId) {
        let views: Vec<View> = self.views.values().filter(|view| !view.window.is_empty()).cloned().collect();
        let mut apart = Vec::new();
        for view in &views {
            let one = self.b.long(1);
            apart.push(self.b.compare(CompareOp::NotEqual, view.first_stride.clone(), one));
        }
        let Some(apart) = self.b.joined(BinaryOp::BitOr, apart) else { return };
        let mut made = new_function(
            format!("{}.strided", self.name),
            self.nest.pipeline.fp,
            self.b.target.function(function).result,
            self.nest.pipeline.span,
        );
        let parameters = self.b.target.function(function).parameters;
        made.locals = self.b.target.function(function).locals[..parameters].to_vec();
        made.parameters = parameters;
        let locals = made.locals.clone();
        let strided = self.b.target.add(made);
        let arguments: Vec<ir::Expr> = (0..parameters).map(|k| self.b.load(parameter(k))).collect();
        let status = self.b.call(strided, arguments);
        self.b.when(apart, |b| b.push(StatementKind::Return(Some(status))));
        let outer = self.b.begin(locals, 1);
        self.on_copies(function, views, parameters);
        self.b.finish(strided, outer);
    }

    fn on_copies(&mut self, function: FunctionId, views: Vec<View>, parameters: usize) {
        let mut arguments: Vec<ir::Expr> = (0..parameters).map(|k| self.b.load(parameter(k))).collect();
        let mut all = Vec::new();
        for view in views {
            let element = self.element_of_source(view.source);
            let packed = self.b.packed(view, element);
            arguments[packed.view.parameter] = self.b.load(packed.copy);
            all.push(packed);
        }
        let status = self.b.call(function, arguments);
        let status = self.b.named("status", status);
        for Packed { view, copy, memory } in all {
            let is_apart = self.b.is_apart(&view);
            if matches!(view.source, Source::Func(..)) {
                let zero = self.b.int(0);
                let is_done = self.b.compare(CompareOp::Equal, status.clone(), zero);
                let is_done = self.b.binary(BinaryOp::BitAnd, is_done, is_apart.clone());
                self.b.when(is_done, |b| b.copy(parameter(view.parameter), copy, view.window.len()));
            }
            self.b.when(is_apart, |b| {
                let memory = b.load(memory);
                b.push(StatementKind::Delete(Memory::Heap, memory));
            });
        }
        self.b.push(StatementKind::Return(Some(status)));
    }
}

impl Body<'_> {
    /// Do the pixels of a view in dimension 0 not lie side by side?
    fn is_apart(&mut self, view: &View) -> ir::Expr {
        let (stride, one) = (self.number_of_view(parameter(view.parameter), member::STRIDE, 0), self.long(1));
        self.compare(CompareOp::NotEqual, stride, one)
    }

    /// A view with pixels side by side: the view itself, or a copy.
    fn packed(&mut self, view: View, element: Element) -> Packed {
        let (own, rank) = (parameter(view.parameter), view.window.len());
        let value = self.load(own);
        let copy = self.declare("packed", value);
        let scalar = self.scalar(element);
        let pointer = self.target.types().pointer(scalar, 1);
        let null = self.expr(ExprKind::Constant(ir::Constant::Null), pointer);
        let memory = self.declare("memory", null);
        let is_apart = self.is_apart(&view);
        self.when(is_apart, |b| {
            let mut sizes = Vec::new();
            for d in 0..rank {
                let (extent, zero) = (b.number_of_view(own, member::EXTENT, d), b.int(0));
                let extent = b.builtin(LaneOp::Max, vec![extent, zero], Element::Int32);
                sizes.push(b.wide(extent));
            }
            let (count, one) = (b.joined(BinaryOp::Multiply, sizes.clone()).expect("dimensions"), b.long(1));
            let count = b.add(count, one);
            let new = b.expr(ExprKind::New(Memory::Heap, vec![count]), pointer);
            let place = b.place_of(memory);
            b.store(place, new);
            let data = b.place_of(copy);
            let (data, made) = (b.member(data, member::DATA), b.load(memory));
            b.store(data, made);
            let mut stride = b.long(1);
            for (d, size) in sizes.into_iter().enumerate() {
                let place = b.of_view(copy, member::STRIDE, d);
                b.store(place, stride);
                let own = b.number_of_view(copy, member::STRIDE, d);
                stride = b.multiply(own, size);
            }
            if matches!(view.source, Source::Input(_)) {
                b.copy(copy, own, rank);
            }
        });
        Packed { view, copy, memory }
    }

    /// All pixels of one view to the same places of another one.
    fn copy(&mut self, to: LocalId, from: LocalId, rank: usize) {
        let int = self.scalar(Element::Int32);
        let at: Vec<LocalId> = (0..rank).map(|_| self.local("at", int)).collect();
        (0..rank).for_each(|_| self.open(1));
        let [to, own] = [to, from].map(|view| self.pixel(view, &at));
        let value = self.load_at(own);
        self.store(to, value);
        for (d, local) in at.into_iter().enumerate() {
            let body = self.close();
            let (low, high) = (self.int(0), self.number_of_view(from, member::EXTENT, d));
            self.push(StatementKind::Foreach { parallel: false, indices: vec![ForeachIndex { local, low, high }], body });
        }
    }

    /// The pixel so far from the first one.
    fn pixel(&mut self, view: LocalId, at: &[LocalId]) -> Place {
        let mut terms = Vec::new();
        for (d, &at) in at.iter().enumerate() {
            let at = self.load(at);
            let (at, stride) = (self.wide(at), self.number_of_view(view, member::STRIDE, d));
            terms.push(self.multiply(at, stride));
        }
        let by = self.joined(BinaryOp::Add, terms).expect("dimensions");
        let view = self.place_of(view);
        let data = self.member(view, member::DATA);
        let data = self.load_at(data);
        debug_assert!(matches!(self.target.types().kind(data.ty), TypeKind::Pointer { .. }));
        let pointer = self.offset(data, by);
        self.at(pointer)
    }
}
