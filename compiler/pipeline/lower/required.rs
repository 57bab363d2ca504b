//! The windows that a pipeline needs of its inputs, without running it.
//!
//! ```text
//! [[fp(strict)]]
//! int p.s.required(uint16[,] by_view, uint16[,] &in_view) {
//!     …                                       the windows of the root block, as in the function of the schedule
//!     in_view.min[0] = (int) in_low_0_64;     what is read of each input
//!     in_view.extent[0] = (int) (in_high_0_64 - in_low_0_64 + 1l);
//!     in_view.stride[0] = 1l;
//! }
//! ```
//! The parameters are those of a run. Of the views of the outputs only the windows count. Those of the inputs are set: their
//! windows, and strides as of an image that has nothing else. Where the algorithm asks for the window of an input — by
//! `in.extent(0)`, at an edge — the one that the view had counts.

use super::super::expr::{Source, Variable};
use super::super::limits::FAR;
use super::super::passes::widen::{Root, of_narrow};
use super::body::{member, parameter};
use super::state::Lowering;
use super::versions::mentions;
use crate::check::schedules::Refusal;
use crate::typed::ir::{self, BinaryOp, CompareOp, LocalId};
use crate::types::Element;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An input whose view is filled.
struct Filled {
    /// Which parameter.
    view: LocalId,
    /// Its name.
    name: Rc<str>,
    /// Its ends, by dimension, in 64 bits.
    ends: Vec<[Variable; 2]>,
}

impl Lowering<'_> {
    /// The function that fills the views of the inputs.
    pub fn required(&mut self) {
        let nest = self.nest;
        let root = Root::of(&nest.body);
        let wide: FxHashMap<Variable, Variable> = root.narrow.iter().map(|&(v, value)| (v, of_narrow(value))).collect();
        let mut inputs = Vec::new();
        self.receive_all(&[]);
        for view in self.views.values().cloned().collect::<Vec<_>>() {
            let Source::Input(id) = view.source else {
                // The copies of funcs are chosen by them, and what is required may depend on which run.
                for (d, stride) in view.strides.into_iter().enumerate() {
                    if let Some(variable) = self.stride_variable(view.source, d).filter(|&v| mentions(nest, v)) {
                        self.receive(variable, stride);
                    }
                }
                continue;
            };
            let input = nest.pipeline.input(id);
            for (dimension, stride) in input.dimensions.iter().zip(view.strides) {
                if mentions(nest, dimension.stride) {
                    self.receive(dimension.stride, stride);
                }
            }
            if nest.pipeline.overwrites(id).is_some() {
                continue;
            }
            let ends = self.windows.inputs[id.0 as usize].iter().map(|ends| ends.map(|v| wide[&v])).collect();
            inputs.push(Filled { view: parameter(view.parameter), name: input.name.clone(), ends });
        }
        self.lets();
        root.early.iter().for_each(|check| self.check(check));
        if let Some(condition) = root.is_empty {
            self.b.when(self.value(condition), || {
                for input in &inputs {
                    (0..input.ends.len()).for_each(|d| self.fill(input.view, d, self.b.int(0), self.b.int(0)));
                }
                self.b.give(self.b.int(0));
            });
        }
        root.wide.iter().for_each(|(variable, value)| self.define(*variable, value));
        // What the schedule asserts has to hold whatever the inputs have, and windows are right where nothing leaves `int`.
        for check in root.checks {
            if check.subject.is_of_windows() {
                self.check(check);
            }
        }
        inputs.iter().for_each(|input| self.check_distance(input));
        for Filled { view, ends, .. } in &inputs {
            for (d, &ends) in ends.iter().enumerate() {
                let b = self.b;
                let [low, high] = ends.map(|v| self.variable(v));
                let is_empty = b.compare(CompareOp::Greater, low.clone(), high.clone());
                let first = b.convert(low.clone(), Element::Int32);
                let count = b.convert(b.add(b.subtract(high, low), b.long(1)), Element::Int32);
                let [min, extent] = [first, count].map(|value| b.conditional(is_empty.clone(), b.int(0), value));
                self.fill(*view, d, min, extent);
            }
        }
        self.b.give(self.b.int(0));
    }

    /// What is read of an input is an `int`, or nothing.
    fn check_distance(&self, input: &Filled) {
        let (b, pipeline) = (self.b, &self.nest.pipeline);
        for (d, &ends) in input.ends.iter().enumerate() {
            let [low, high] = ends.map(|v| self.variable(v));
            let is_empty = b.compare(CompareOp::Greater, low.clone(), high.clone());
            let is_above = b.compare(CompareOp::GreaterEqual, low, b.long(-FAR));
            let is_below = b.compare(CompareOp::Less, high, b.long(FAR));
            let is_near = b.binary(BinaryOp::BitOr, is_empty, b.lazy(ir::ExprKind::And, is_above, is_below));
            let (name, axis) = (&input.name, pipeline.axis(input.ends.len(), d));
            let text = format!("pipeline `{}`: input `{name}` is read too far from 0 in dimension {axis}", pipeline.name);
            b.refuse(Refusal::Status, b.not(is_near), &text, Vec::new());
        }
    }

    /// The window of a view in a dimension; its pixels lie side by side.
    fn fill(&self, view: LocalId, d: usize, min: ir::Expr, extent: ir::Expr) {
        let b = self.b;
        for (part, value) in [(member::MIN, min), (member::EXTENT, extent)] {
            b.store(b.of_view(view, part, d), value);
        }
        let stride = match d.checked_sub(1) {
            None => b.long(1),
            Some(below) => {
                let [stride, extent] = [member::STRIDE, member::EXTENT].map(|part| b.number_of_view(view, part, below));
                b.multiply(stride, b.wide(extent))
            }
        };
        b.store(b.of_view(view, member::STRIDE, d), stride);
    }
}
