//! Why a pipeline does not start where an index overflows: messages, and the numbers in them.
//!
//! ```text
//! index overflow: `(4 * x)` in `((4 * x) / 4)`, at which `f` reads dimension 0 of input `in`, is from 2147483640 to 2147483652, …
//! ```

use super::super::bounds::fill::overflowing;
use super::super::bounds::overflow::Reach;
use super::super::expr::{FuncId, Variable};
use super::super::limits::FAR;
use super::Writer;

impl Writer<'_> {
    /// The windows of a func inside of loops are too far from 0.
    pub(super) fn far_windows(&mut self, number: usize) -> (String, Vec<String>) {
        let Reach { func, dimension, ends } = &self.windows.reaches[number];
        let func = &self.nest.pipeline.func(*func).name;
        let text =
            format!("index overflow: `{func}` is computed from % to % in dimension {dimension}, and may be from -{FAR} to {FAR}");
        (text, ends.map(|v| self.names.of(self.nest, v)).to_vec())
    }

    /// A reduction domain is too far from 0.
    pub(super) fn far_domain(&mut self, func: FuncId, stage: usize, variable: Variable) -> (String, Vec<String>) {
        let pipeline = &self.nest.pipeline;
        let (func, name) = (pipeline.func(func), &pipeline.variable(variable).name);
        let r = func.stages[stage].rdom.iter().find(|r| r.variable == variable).expect("a reduction variable");
        let subject = format!("the range of reduction variable `{name}` of `{}`", func.name);
        let text = format!("index overflow: {subject} is % .. %, and may be within -{FAR} .. {FAR}");
        (text, [&r.low, &r.high].map(|e| self.bare(e)).to_vec())
    }

    /// What an index is computed of is no `int`.
    pub(super) fn overflowing_operands(&mut self, number: usize) -> (String, Vec<String>) {
        let ends = self.windows.operands[number].ends.map(|v| self.names.of(self.nest, v));
        let what = overflowing(self.windows, number).replace('%', "%%");
        let text = format!("index overflow: {what} is from % to %, and `int` from {} to {}", i32::MIN, i32::MAX);
        (text, ends.to_vec())
    }
}
