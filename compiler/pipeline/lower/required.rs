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
use super::super::loops::check::Subject;
use super::super::passes::widen::Root;
use super::state::{Lowering, Passed, member, parameter};
use super::versions::mentions;
use crate::target::Channel;
use crate::typed::ir::{self, BinaryOp, CompareOp, LocalId, StatementKind};
use crate::types::Element;
use std::collections::HashMap;

/// An input whose view is filled.
struct Filled {
    /// Which parameter.
    view: LocalId,
    /// Its name.
    name: String,
    /// Its ends, by dimension, in 64 bits.
    ends: Vec<[Variable; 2]>,
}

impl Lowering<'_> {
    /// The function that fills the views of the inputs.
    pub fn required(&mut self) {
        let nest = self.nest;
        let root = Root::of(&nest.body);
        let wide: HashMap<Variable, Variable> =
            root.narrow.iter().map(|(v, _)| *v).zip(root.wide.iter().map(|(v, _)| *v)).collect();
        let mut inputs = Vec::new();
        for (k, passed) in self.passed().into_iter().enumerate() {
            let (source, window) = match passed {
                Passed::Scalar(variable) => {
                    let value = self.b.load(parameter(k));
                    self.receive(variable, value);
                    continue;
                }
                Passed::View(Source::Func(_, 1..), _) => continue,
                Passed::View(source, window) => (source, window),
            };
            for (d, [min, extent]) in window.into_iter().enumerate() {
                for (variable, part) in [(min, member::MIN), (extent, member::EXTENT)] {
                    let value = self.b.number_of_view(parameter(k), part, d);
                    self.receive(variable, value);
                }
            }
            if let Source::Input(id) = source {
                for (d, dimension) in nest.pipeline.input(id).dimensions.iter().enumerate() {
                    if mentions(nest, dimension.stride) {
                        let value = self.b.number_of_view(parameter(k), member::STRIDE, d);
                        self.receive(dimension.stride, value);
                    }
                }
                let ends = self.windows.inputs[id.0 as usize].iter().map(|ends| ends.map(|v| wide[&v])).collect();
                inputs.push(Filled { view: parameter(k), name: self.name_of(source).to_owned(), ends });
            }
        }
        self.lets();
        root.early.iter().for_each(|check| self.check(check));
        if let Some(condition) = root.is_empty {
            let condition = self.value(condition);
            self.b.open(1);
            for input in &inputs {
                for d in 0..input.ends.len() {
                    let [min, extent] = [self.b.int(0), self.b.int(0)];
                    self.fill(input.view, d, min, extent);
                }
            }
            self.leave();
            let then = self.b.close();
            self.b.if_only(condition, then);
        }
        root.wide.iter().for_each(|(variable, value)| self.define(*variable, value));
        // What the schedule asserts has to hold whatever the inputs have, and windows are right where nothing leaves `int`.
        for check in root.checks {
            match check.subject {
                Subject::Range(..) | Subject::Bound(_) | Subject::Reach(_) | Subject::DomainRange(..) | Subject::Operands(_) => {
                    self.check(check);
                }
                Subject::Extent(..)
                | Subject::Factor(_)
                | Subject::Fit(_)
                | Subject::Modulus(_)
                | Subject::Fold(_)
                | Subject::ReductionDomain(..)
                | Subject::Input(..)
                | Subject::Output(..)
                | Subject::Overlap(..)
                | Subject::OutputOverlap(..)
                | Subject::Component(..)
                | Subject::Elements(_) => {}
            }
        }
        inputs.iter().for_each(|input| self.check_distance(input));
        for Filled { view, ends, .. } in &inputs {
            for (d, &ends) in ends.iter().enumerate() {
                let [low, high] = ends.map(|v| self.variable(v));
                let is_empty = self.b.compare(CompareOp::Greater, low.clone(), high.clone());
                let (zero, one) = (self.b.int(0), self.b.long(1));
                let first = self.b.convert(low.clone(), Element::Int32);
                let count = self.b.subtract(high, low);
                let count = self.b.add(count, one);
                let count = self.b.convert(count, Element::Int32);
                let min = self.b.conditional(is_empty.clone(), zero.clone(), first);
                let extent = self.b.conditional(is_empty, zero, count);
                self.fill(*view, d, min, extent);
            }
        }
        self.leave();
    }

    /// What is read of an input is an `int`, or nothing.
    fn check_distance(&mut self, input: &Filled) {
        let pipeline = &self.nest.pipeline;
        for (d, &ends) in input.ends.iter().enumerate() {
            let [low, high] = ends.map(|v| self.variable(v));
            let [least, most] = [-FAR, FAR].map(|n| self.b.long(n));
            let is_empty = self.b.compare(CompareOp::Greater, low.clone(), high.clone());
            let is_above = self.b.compare(CompareOp::GreaterEqual, low, least);
            let is_below = self.b.compare(CompareOp::Less, high, most);
            let is_near = self.b.lazy(ir::ExprKind::And, is_above, is_below);
            let is_near = self.b.binary(BinaryOp::BitOr, is_empty, is_near);
            let is_far = self.b.not(is_near);
            let text = format!("pipeline `{}`: input `{}` is read too far from 0 in dimension {d}", pipeline.name, input.name);
            self.b.when(is_far, |b| {
                b.say(Channel::Reason, &text, Vec::new());
                let refused = b.int(-1);
                b.push(StatementKind::Return(Some(refused)));
            });
        }
    }

    /// `return 0;`
    pub fn leave(&mut self) {
        let zero = self.b.int(0);
        self.b.push(StatementKind::Return(Some(zero)));
    }

    /// The window of a view in a dimension; its pixels lie side by side.
    fn fill(&mut self, view: LocalId, d: usize, min: ir::Expr, extent: ir::Expr) {
        for (part, value) in [(member::MIN, min), (member::EXTENT, extent)] {
            let place = self.b.of_view(view, part, d);
            self.b.store(place, value);
        }
        let stride = match d.checked_sub(1) {
            None => self.b.long(1),
            Some(below) => {
                let [stride, extent] = [member::STRIDE, member::EXTENT].map(|part| self.b.number_of_view(view, part, below));
                let extent = self.b.wide(extent);
                self.b.multiply(stride, extent)
            }
        };
        let place = self.b.of_view(view, member::STRIDE, d);
        self.b.store(place, stride);
    }
}
