//! A definition while it is read.

use super::comprehension::Inferred;
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::build::Builder;
use crate::pipeline::expr::{Expr, FuncId, InputId, Source};
use crate::pipeline::text;
use crate::source::Span;
use crate::syntax::ast::{Def, TensorResult};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What is known while a definition is read.
pub(super) struct Definition<'s, 'a> {
    /// What reads expressions, and has the algorithm so far.
    pub builder: Builder<'s, 'a>,
    /// All definitions, by their names.
    pub defs: &'s FxHashMap<&'a str, &'a Def>,
    /// The definitions that are being read, the outermost first.
    pub reading: Vec<&'a str>,
    /// Sizes, parameters and tensors of the definition, and where they are named first.
    pub names: FxHashMap<Rc<str>, Span>,
    /// What size variables are, and where that comes from, in words.
    pub sizes: FxHashMap<Rc<str>, (Expr, String)>,
    /// The windows of inputs and funcs: for each dimension, the dense one first, begin and end.
    pub windows: FxHashMap<Source, Vec<[Expr; 2]>>,
    /// The funcs of the statements of each tensor, in order.
    pub tensors: Vec<(Rc<str>, Vec<FuncId>)>,
    /// The parameters that are overwritten.
    pub overwritten: Vec<(Rc<str>, InputId)>,
    /// The types that are written in front of results.
    pub results: &'a [TensorResult],
    /// The ranges of the statements.
    pub ranges: Vec<Inferred>,
}

/// The func of the last statement of a tensor.
pub(super) fn last_func(tensors: &[(Rc<str>, Vec<FuncId>)], name: &str) -> Option<FuncId> {
    tensors.iter().find(|(tensor, _)| **tensor == *name).and_then(|(_, funcs)| funcs.last().copied())
}

/// The tensors that the statements of a definition define.
pub(super) fn targets(def: &Def) -> impl Iterator<Item = Rc<str>> + '_ {
    def.statements.iter().flat_map(|statement| &statement.targets).map(|target| target.name.text.clone())
}

impl Definition<'_, '_> {
    /// An error of the notation.
    pub fn refuse<T>(&mut self, span: Span, message: impl Into<String>, help: &str) -> Option<T> {
        let error = Diagnostic::error(&codes::TENSOR_DEFINITION, span, message);
        self.builder.report(if help.is_empty() { error } else { error.with_help(help) })
    }

    /// Reports that something stands twice, with the place of the first.
    pub fn twice<T>(&mut self, span: Span, first: Span, message: String, help: &str) -> Option<T> {
        let error = Diagnostic::error(&codes::TENSOR_DEFINITION, span, message).with_secondary(first, "first here");
        self.builder.report(error.with_help(help))
    }

    /// An expression as the text of the definition would have it.
    pub fn text(&self, e: &Expr) -> String {
        let made = &self.builder.made;
        text::expression(made, &|v| made.variable(v).name.to_string(), e)
    }
}
