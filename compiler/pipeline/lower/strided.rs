//! Views whose pixels in dimension 0 do not lie side by side: the work is done on copies of what is needed of them.
//!
//! ```text
//! if (in_stride_0 != 1l | out_stride_0 != 1l) return p.s.strided(out_view, in_view);
//! return p.s.work(out_view, in_view);
//!
//! int p.s.strided(int[] out_view, int[] in_view) {
//!     int[] in_needed = in_view;
//!     if (p.s.required(out_view, &in_needed) != 0) in_needed = in_view;
//!     in_packed = a copy of in_view in in_needed where its stride is not 1; out_packed = room for out_view
//!     int status = p.s.work(out_packed, in_packed);
//!     if (status == 0) out_view = out_packed;
//!     return status;
//! }
//! ```
//! So the loops of the work always see neighbours side by side, there is one version of them, and a small window of a large picture
//! costs what the window costs. A copy has the window of its view — the algorithm may ask for it — and memory for the points that are
//! both needed and there: where others are needed the work does not start, and says why.

use super::super::expr::Source;
use super::body::{Body, member, parameter};
use super::state::{Lowering, View};
use super::versions::{Work, twin};
use crate::check::schedules::{Purpose, Refusal, Wanted};
use crate::target::Memory;
use crate::typed::ir::{self, BinaryOp, CompareOp, ExprKind, FunctionId, LaneOp, LocalId, UnaryOp};
use crate::types::Element;

/// A view that may have a copy.
struct Packed {
    view: View,
    /// The copy, or the view where its pixels lie side by side.
    copy: LocalId,
    /// The memory of the copy.
    memory: LocalId,
    /// Is it a copy?
    is_apart: ir::Expr,
}

impl Lowering<'_> {
    /// The branch to the copies, behind the checks of what is the caller's.
    pub fn leave_strided(&mut self, function: FunctionId, works: &[Work]) {
        let b = self.b;
        let views = self.views_with_strides();
        let apart = views.iter().zip(self.wanted_strides(&views, works));
        let apart = apart.map(|(view, wanted)| b.compare(CompareOp::NotEqual, view.strides[0].clone(), wanted));
        let Some(apart) = b.joined(BinaryOp::BitOr, apart) else { return };
        let strided = twin(&mut **b.target(), function, "strided", &[]);
        b.when(apart, || b.give(b.call(strided, self.own_arguments())));
        b.body(strided, || self.on_copies(works));
    }

    fn views_with_strides(&self) -> Vec<View> {
        // What is read and overwritten has one copy, that of the output.
        let is_overwritten = |view: &View| self.is_overwritten(view.source);
        self.views.values().filter(|view| !view.window.is_empty() && !is_overwritten(view)).cloned().collect()
    }

    fn is_overwritten(&self, source: Source) -> bool {
        matches!(source, Source::Input(id) if self.nest.pipeline.overwrites(id).is_some())
    }

    /// Must a copy of a view have what the view has?
    fn is_read(&self, view: &View) -> bool {
        match view.source {
            Source::Input(_) => true,
            Source::Func(id, _) => self.nest.pipeline.overwritten_by(id).is_some(),
        }
    }

    /// For each view the stride in dimension 0 that the version at hand works with.
    fn wanted_strides(&self, views: &[View], works: &[Work]) -> Vec<ir::Expr> {
        let wanted = |view: &View| {
            let one = self.b.long(1);
            let Source::Input(id) = view.source else { return one };
            let own = self.nest.pipeline.input(id).dimensions[0].stride;
            works.iter().rev().fold(one, |stride, Work { version, .. }| match self.runs(version) {
                Some(runs) => self.b.conditional(runs, self.b.long(version.stride(own).unwrap_or(1)), stride),
                None => stride,
            })
        };
        views.iter().map(wanted).collect()
    }

    fn on_copies(&self, works: &[Work]) {
        let b = self.b;
        let views = self.views_with_strides();
        let wanted = self.wanted_strides(&views, works);
        let needed = self.needed();
        let mut arguments = self.own_arguments();
        let mut all = Vec::new();
        for (view, wanted) in views.into_iter().zip(wanted) {
            let own = b.number_of_view(parameter(view.parameter), member::STRIDE, 0);
            let is_apart = b.named("is_apart", b.compare(CompareOp::NotEqual, own, wanted));
            let (element, needed) = (self.nest.pipeline.element_of(view.source), needed[view.parameter]);
            let is_read = self.is_read(&view);
            let packed = b.packed(view, needed, is_apart, element, is_read);
            arguments[packed.view.parameter] = b.load(packed.copy);
            all.push(packed);
        }
        let status = b.named("status", self.work_on(works, &arguments));
        for Packed { view, copy, memory, is_apart } in all {
            if matches!(view.source, Source::Func(..)) {
                let is_done = b.compare(CompareOp::Equal, status.clone(), b.int(0));
                let window = b.within(&view, parameter(view.parameter));
                b.when(b.binary(BinaryOp::BitAnd, is_done, is_apart.clone()), || {
                    b.copy(parameter(view.parameter), copy, &window);
                });
            }
            b.when(is_apart, || b.release(Memory::Heap, memory));
        }
        b.give(status);
    }

    /// The parameters, with views that say what is needed in the places of those of inputs; where that is not known, it is all.
    fn needed(&self) -> Vec<LocalId> {
        let b = self.b;
        let mut arguments = self.own_arguments();
        let mut needed: Vec<LocalId> = (0..arguments.len()).map(parameter).collect();
        let is_input = |view: &&View| matches!(view.source, Source::Input(_)) && !self.is_overwritten(view.source);
        let inputs: Vec<usize> = self.views.values().filter(is_input).map(|view| view.parameter).collect();
        if self.views.values().filter(is_input).all(|view| view.window.is_empty()) {
            return needed;
        }
        let required = Wanted { purpose: Purpose::Required, refusal: Refusal::Status, ..self.wanted.clone() };
        let required = b.target().scheduled(&required);
        for &k in &inputs {
            needed[k] = b.declare("needed", arguments[k].clone());
            arguments[k] = b.address_of(needed[k]);
        }
        b.when(b.compare(CompareOp::NotEqual, b.call(required, arguments), b.int(0)), || {
            inputs.iter().for_each(|&k| b.store(b.place_of(needed[k]), b.load(parameter(k))));
        });
        needed
    }
}

impl Body<'_> {
    /// A view with pixels side by side: the view itself, or a copy with memory for those that are needed.
    fn packed(&self, view: View, needed: LocalId, is_apart: ir::Expr, element: Element, is_read: bool) -> Packed {
        let own = parameter(view.parameter);
        let copy = self.declare("packed", self.load(own));
        let pointer = self.pointer(self.scalar(element));
        let memory = self.declare("memory", self.null(pointer));
        self.when(is_apart.clone(), || {
            let window = self.within(&view, needed);
            let counts: Vec<ir::Expr> = window.iter().map(|[_, count]| self.wide(count.clone())).collect();
            let count = self.add(self.joined(BinaryOp::Multiply, counts.clone()).expect("dimensions"), self.long(1));
            self.store(self.place_of(memory), self.expr(ExprKind::New(Memory::Heap, vec![count]), pointer));
            let mut stride = self.long(1);
            for (d, count) in counts.into_iter().enumerate() {
                self.store(self.of_view(copy, member::STRIDE, d), stride);
                stride = self.multiply(self.number_of_view(copy, member::STRIDE, d), count);
            }
            // It begins where the first pixel of the view would be.
            let back = self.unary(UnaryOp::Negate, self.distance(copy, &window));
            self.store(self.data_of_view(copy), self.offset(self.load(memory), back));
            if is_read {
                self.copy(copy, own, &window);
            }
        });
        Packed { view, copy, memory, is_apart }
    }

    /// The part of a window that is inside of a view: for each dimension its distance from the first point of the view, and how
    /// many points it has.
    fn within(&self, view: &View, window: LocalId) -> Vec<[ir::Expr; 2]> {
        let part = |d: usize| {
            let [[own_min, own_end], [min, end]] = [parameter(view.parameter), window].map(|local| {
                let [min, extent] = [member::MIN, member::EXTENT].map(|part| self.wide(self.number_of_view(local, part, d)));
                [min.clone(), self.add(min, extent)]
            });
            let low = self.extremum(LaneOp::Max, own_min.clone(), min);
            let count = self.subtract(self.extremum(LaneOp::Min, own_end, end), low.clone());
            let count = self.extremum(LaneOp::Max, count, self.long(0));
            [("first", self.subtract(low, own_min)), ("count", count)]
                .map(|(name, value)| self.named(name, self.convert(value, Element::Int32)))
        };
        (0..view.window.len()).map(part).collect()
    }

    /// The pixels of a part of one view to the same places of another one.
    fn copy(&self, to: LocalId, from: LocalId, window: &[[ir::Expr; 2]]) {
        let ends = [to, from].map(|view| {
            let first = self.offset(self.load_at(self.data_of_view(view)), self.distance(view, window));
            let strides = self.strides(view, window).into_iter().map(|stride| self.named("stride", stride)).collect();
            (self.named("first", first), strides)
        });
        let at: Vec<LocalId> = window.iter().map(|_| self.local("at", self.scalar(Element::Int32))).collect();
        let mut body = self.block(1, || {
            let [to, own] =
                ends.map(|(first, strides)| self.at(self.offset(first, self.steps(at.iter().map(|&at| self.load(at)), strides))));
            self.store(to, self.load_at(own));
        });
        for (&local, [_, count]) in at.iter().zip(window) {
            body = self.block(1, || self.foreach(false, local, [self.int(0), count.clone()], body));
        }
        self.extend(body.statements);
    }

    fn strides(&self, view: LocalId, window: &[[ir::Expr; 2]]) -> Vec<ir::Expr> {
        (0..window.len()).map(|d| self.number_of_view(view, member::STRIDE, d)).collect()
    }

    /// From the first pixel of a view to the first one of a part of it.
    fn distance(&self, view: LocalId, window: &[[ir::Expr; 2]]) -> ir::Expr {
        self.steps(window.iter().map(|[first, _]| first.clone()), self.strides(view, window))
    }

    /// Σ index · stride
    fn steps(&self, indices: impl Iterator<Item = ir::Expr>, strides: Vec<ir::Expr>) -> ir::Expr {
        let terms = indices.zip(strides).map(|(index, stride)| self.multiply(self.wide(index), stride));
        self.joined(BinaryOp::Add, terms).expect("dimensions")
    }
}
