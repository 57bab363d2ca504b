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
use super::body::Body;
use super::state::{Lowering, View, member, parameter};
use super::versions::{Work, twin};
use crate::check::schedules::{Purpose, Refusal, Wanted};
use crate::target::Memory;
use crate::typed::ir::{self, BinaryOp, CompareOp, ExprKind, ForeachIndex, FunctionId, LaneOp, LocalId, StatementKind, UnaryOp};
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
        let views = self.views_with_strides();
        let wanted = self.wanted_strides(&views, works);
        let mut apart = Vec::new();
        for (view, wanted) in views.iter().zip(wanted) {
            apart.push(self.b.compare(CompareOp::NotEqual, view.strides[0].clone(), wanted));
        }
        let Some(apart) = self.b.joined(BinaryOp::BitOr, apart) else { return };
        let strided = twin(self.b.target, function, "strided", &[]);
        let arguments = self.own_arguments();
        let status = self.b.call(strided, arguments);
        self.b.when(apart, |b| b.push(StatementKind::Return(Some(status))));
        let locals = self.b.target.function(strided).locals.clone();
        let outer = self.b.begin(locals, 1);
        self.on_copies(works);
        self.b.finish(strided, outer);
    }

    fn views_with_strides(&self) -> Vec<View> {
        self.views.values().filter(|view| !view.window.is_empty()).cloned().collect()
    }

    /// For each view the stride in dimension 0 that the version at hand works with.
    fn wanted_strides(&mut self, views: &[View], works: &[Work]) -> Vec<ir::Expr> {
        let mut wanted: Vec<ir::Expr> = Vec::new();
        for view in views {
            let mut stride = self.b.long(1);
            if let Source::Input(id) = view.source {
                let own = self.nest.pipeline.input(id).dimensions[0].stride;
                for version in works.iter().rev().map(|work| &work.version).filter(|version| !version.known.is_empty()) {
                    let known = self.b.long(version.stride(own).unwrap_or(1));
                    let runs = self.runs(version).expect("strides that are known");
                    stride = self.b.conditional(runs, known, stride);
                }
            }
            wanted.push(stride);
        }
        wanted
    }

    fn on_copies(&mut self, works: &[Work]) {
        let views = self.views_with_strides();
        let wanted = self.wanted_strides(&views, works);
        let needed = self.needed();
        let mut arguments = self.own_arguments();
        let mut all = Vec::new();
        for (view, wanted) in views.into_iter().zip(wanted) {
            let own = self.b.number_of_view(parameter(view.parameter), member::STRIDE, 0);
            let is_apart = self.b.compare(CompareOp::NotEqual, own, wanted);
            let is_apart = self.b.named("is_apart", is_apart);
            let (element, needed) = (self.element_of_source(view.source), needed[view.parameter]);
            let packed = self.b.packed(view, needed, is_apart, element);
            arguments[packed.view.parameter] = self.b.load(packed.copy);
            all.push(packed);
        }
        let status = self.work_on(works, arguments);
        let status = self.b.named("status", status);
        for Packed { view, copy, memory, is_apart } in all {
            if matches!(view.source, Source::Func(..)) {
                let zero = self.b.int(0);
                let is_done = self.b.compare(CompareOp::Equal, status.clone(), zero);
                let is_done = self.b.binary(BinaryOp::BitAnd, is_done, is_apart.clone());
                let window = self.b.within(&view, parameter(view.parameter));
                self.b.when(is_done, |b| b.copy(parameter(view.parameter), copy, &window));
            }
            self.b.when(is_apart, |b| {
                let memory = b.load(memory);
                b.push(StatementKind::Delete(Memory::Heap, memory));
            });
        }
        self.b.push(StatementKind::Return(Some(status)));
    }

    /// The parameters, with views that say what is needed in the places of those of inputs; where that is not known, it is all.
    fn needed(&mut self) -> Vec<LocalId> {
        let mut arguments = self.own_arguments();
        let mut needed: Vec<LocalId> = (0..arguments.len()).map(parameter).collect();
        let is_input = |view: &&View| matches!(view.source, Source::Input(_));
        let inputs: Vec<usize> = self.views.values().filter(is_input).map(|view| view.parameter).collect();
        if self.views.values().filter(is_input).all(|view| view.window.is_empty()) {
            return needed;
        }
        let required = Wanted { purpose: Purpose::Required, refusal: Refusal::Status, ..self.wanted.clone() };
        let required = self.b.target.scheduled(&required);
        for &k in &inputs {
            needed[k] = self.b.declare("needed", arguments[k].clone());
            let (place, ty) = (self.b.place_of(needed[k]), self.b.type_of(needed[k]));
            let pointer = self.b.target.types().pointer(ty, 1);
            arguments[k] = self.b.expr(ExprKind::AddressOf(place), pointer);
        }
        let (status, zero) = (self.b.call(required, arguments), self.b.int(0));
        let is_unknown = self.b.compare(CompareOp::NotEqual, status, zero);
        self.b.when(is_unknown, |b| {
            for k in inputs {
                let (place, own) = (b.place_of(needed[k]), b.load(parameter(k)));
                b.store(place, own);
            }
        });
        needed
    }
}

impl Body<'_> {
    /// A view with pixels side by side: the view itself, or a copy with memory for those that are needed.
    fn packed(&mut self, view: View, needed: LocalId, is_apart: ir::Expr, element: Element) -> Packed {
        let own = parameter(view.parameter);
        let value = self.load(own);
        let copy = self.declare("packed", value);
        let scalar = self.scalar(element);
        let pointer = self.target.types().pointer(scalar, 1);
        let null = self.expr(ExprKind::Constant(ir::Constant::Null), pointer);
        let memory = self.declare("memory", null);
        self.when(is_apart.clone(), |b| {
            let window = b.within(&view, needed);
            let counts: Vec<ir::Expr> = window.iter().map(|[_, count]| b.wide(count.clone())).collect();
            let (count, one) = (b.joined(BinaryOp::Multiply, counts.clone()).expect("dimensions"), b.long(1));
            let count = b.add(count, one);
            let new = b.expr(ExprKind::New(Memory::Heap, vec![count]), pointer);
            let place = b.place_of(memory);
            b.store(place, new);
            let mut stride = b.long(1);
            for (d, count) in counts.into_iter().enumerate() {
                let place = b.of_view(copy, member::STRIDE, d);
                b.store(place, stride);
                let own = b.number_of_view(copy, member::STRIDE, d);
                stride = b.multiply(own, count);
            }
            // It begins where the first pixel of the view would be.
            let made = b.load(memory);
            let back = b.distance(copy, &window);
            let back = b.unary(UnaryOp::Negate, back);
            let first = b.offset(made, back);
            let data = b.place_of(copy);
            let data = b.member(data, member::DATA);
            b.store(data, first);
            if matches!(view.source, Source::Input(_)) {
                b.copy(copy, own, &window);
            }
        });
        Packed { view, copy, memory, is_apart }
    }

    /// The part of a window that is inside of a view: for each dimension its distance from the first point of the view, and how
    /// many points it has.
    fn within(&mut self, view: &View, window: LocalId) -> Vec<[ir::Expr; 2]> {
        let mut parts = Vec::new();
        for d in 0..view.window.len() {
            let [own, window] = [parameter(view.parameter), window].map(|local| {
                let [min, extent] = [member::MIN, member::EXTENT].map(|part| {
                    let number = self.number_of_view(local, part, d);
                    self.wide(number)
                });
                let behind = self.add(min.clone(), extent);
                [min, behind]
            });
            let [[own_min, own_end], [min, end]] = [own, window];
            let low = self.builtin(LaneOp::Max, vec![own_min.clone(), min], Element::Int64);
            let high = self.builtin(LaneOp::Min, vec![own_end, end], Element::Int64);
            let (count, zero) = (self.subtract(high, low.clone()), self.long(0));
            let count = self.builtin(LaneOp::Max, vec![count, zero], Element::Int64);
            let first = self.subtract(low, own_min);
            parts.push([("first", first), ("count", count)].map(|(name, value)| {
                let value = self.convert(value, Element::Int32);
                self.named(name, value)
            }));
        }
        parts
    }

    /// The pixels of a part of one view to the same places of another one.
    fn copy(&mut self, to: LocalId, from: LocalId, window: &[[ir::Expr; 2]]) {
        let int = self.scalar(Element::Int32);
        let ends = [to, from].map(|view| {
            let (data, by) = (self.place_of(view), self.distance(view, window));
            let data = self.member(data, member::DATA);
            let data = self.load_at(data);
            let first = self.offset(data, by);
            let strides = (0..window.len()).map(|d| self.number_of_view(view, member::STRIDE, d)).collect::<Vec<_>>();
            let strides = strides.into_iter().map(|stride| self.named("stride", stride)).collect::<Vec<_>>();
            (self.named("first", first), strides)
        });
        let at: Vec<LocalId> = window.iter().map(|_| self.local("at", int)).collect();
        window.iter().for_each(|_| self.open(1));
        let [to, own] = ends.map(|(first, strides)| {
            let by = self.steps(at.iter().map(|&at| self.load(at)).collect(), strides);
            let pointer = self.offset(first, by);
            self.at(pointer)
        });
        let value = self.load_at(own);
        self.store(to, value);
        for (local, [_, count]) in at.into_iter().zip(window) {
            let body = self.close();
            let low = self.int(0);
            let index = ForeachIndex { local, low, high: count.clone() };
            self.push(StatementKind::Foreach { parallel: false, indices: vec![index], body });
        }
    }

    /// From the first pixel of a view to the first one of a part of it.
    fn distance(&mut self, view: LocalId, window: &[[ir::Expr; 2]]) -> ir::Expr {
        let strides = (0..window.len()).map(|d| self.number_of_view(view, member::STRIDE, d)).collect();
        self.steps(window.iter().map(|[first, _]| first.clone()).collect(), strides)
    }

    /// Σ index · stride
    fn steps(&mut self, indices: Vec<ir::Expr>, strides: Vec<ir::Expr>) -> ir::Expr {
        let mut terms = Vec::new();
        for (index, stride) in indices.into_iter().zip(strides) {
            let index = self.wide(index);
            terms.push(self.multiply(index, stride));
        }
        self.joined(BinaryOp::Add, terms).expect("dimensions")
    }
}
