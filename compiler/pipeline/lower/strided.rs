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
use super::body::{member, parameter};
use super::state::{Lowering, View};
use super::versions::{Work, twin};
use crate::check::schedules::{Purpose, Refusal, Wanted};
use crate::target::{Inlining, Memory};
use crate::typed::ir::{self, BinaryOp, CompareOp, FunctionId, LocalId};
use crate::types::Element;

/// A view that may have a copy.
struct Packed {
    view: View,
    /// The type of its pixels.
    element: Element,
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
        // It calls what copies views, and the work: no loop is in it.
        b.target().function_mut(strided).inlining = Inlining::Cold;
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
            let Some(own) = self.stride_variable(view.source, 0) else { return one };
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
            let own = parameter(view.parameter);
            let is_apart = b.compare(CompareOp::NotEqual, b.number_of_view(own, member::STRIDE, 0), wanted);
            let is_apart = b.named("is_apart", is_apart);
            let copy = b.declare("packed", b.load(own));
            let element = self.nest.pipeline.element_of(view.source);
            let memory = b.declare("memory", b.null(b.pointer(b.scalar(element))));
            let is_read = self.is_read(&view);
            b.when(is_apart.clone(), || {
                let packed = b.pack(element, view.window.len(), [copy, own, needed[view.parameter]], is_read);
                b.store(b.place_of(memory), packed);
            });
            arguments[view.parameter] = b.load(copy);
            all.push(Packed { view, element, copy, memory, is_apart });
        }
        let status = b.named("status", self.work_on(works, &arguments));
        for Packed { view, element, copy, memory, is_apart } in all {
            if matches!(view.source, Source::Func(..)) {
                let is_done = b.compare(CompareOp::Equal, status.clone(), b.int(0));
                b.when(b.binary(BinaryOp::BitAnd, is_done, is_apart.clone()), || {
                    b.unpack(element, view.window.len(), parameter(view.parameter), copy);
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
