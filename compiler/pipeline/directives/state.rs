//! What all directives share: the nest so far, and how one that breaks a restriction is refused.

use super::super::algorithm::Pipeline;
use super::super::expr::FuncId;
use super::super::loops::ir::Nest;
use super::super::loops::{lower, print};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The windows of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Those that the caller asks for. What shifts and rounds them must fit.
    AsAsked,
    /// As large as shifting and rounding make them, as in the paper.
    AsComputed,
}

/// A nest on its way through the directives of a schedule.
pub struct Scheduler<'d> {
    /// The windows of outputs.
    pub outputs: Outputs,
    /// The nest so far.
    pub nest: Nest,
    diagnostics: &'d mut Diagnostics,
    /// Was a directive refused?
    pub failed: bool,
    /// Funcs with a directive of their storage.
    pub stored: Vec<FuncId>,
    /// How many copies `specialize` made of funcs.
    pub copies: FxHashMap<FuncId, usize>,
}

impl<'d> Scheduler<'d> {
    /// That of the default loops of a pipeline.
    pub fn new(pipeline: &Rc<Pipeline>, outputs: Outputs, diagnostics: &'d mut Diagnostics) -> Self {
        let nest = lower::lower(pipeline, &[]);
        Scheduler { nest, diagnostics, outputs, failed: false, stored: Vec::new(), copies: FxHashMap::default() }
    }

    /// A directive that breaks a restriction.
    pub fn refuse<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.report(Diagnostic::error(&codes::INVALID_SCHEDULE, span, message))
    }

    /// The same, with more than a message.
    pub fn report<T>(&mut self, error: Diagnostic) -> Option<T> {
        self.failed = true;
        self.diagnostics.push(error);
        None
    }

    /// The same, with the loops of a func at this point.
    pub fn refuse_at<T>(&mut self, span: Span, func: FuncId, message: impl Into<String>) -> Option<T> {
        self.failed = true;
        let error = Diagnostic::error(&codes::INVALID_SCHEDULE, span, message);
        let own = self.nest.body.find(&|s| s.produces(func));
        let loops = own.map(|s| print::statement(&self.nest, s)).unwrap_or_default();
        self.diagnostics.push(error.with_help(format!("the loops at this point:\n{}", loops.trim_end())));
        None
    }

    /// What was made, unless something was refused.
    pub fn unless_failed<T>(&self, made: T) -> Option<T> {
        (!self.failed).then_some(made)
    }
}
