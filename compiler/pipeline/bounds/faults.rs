//! Why windows cannot be inferred.

use super::super::expr::{Expr, FuncId, Source};
use super::accesses::Place;
use super::infer::Inference;
use crate::source::Span;

/// What was asked for and cannot be bounded.
#[derive(Clone, Debug)]
pub struct Unbounded {
    /// What is read.
    pub source: Source,
    /// In which dimension.
    pub dimension: usize,
    /// The index.
    pub index: Expr,
    /// Where the read is.
    pub span: Span,
    /// By which func.
    pub reader: FuncId,
}

/// Why windows cannot be inferred.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Nothing bounds an access.
    Unbounded(Unbounded),
    /// A directive would overwrite what is read later.
    Storage {
        /// The func whose storage it is.
        func: FuncId,
        /// The directive.
        span: Span,
        /// What is wrong.
        message: String,
    },
}

impl Inference<'_> {
    /// Nothing bounds an access.
    pub fn is_unbounded(&self, Place { source, reader, span, .. }: Place, dimension: usize, index: &Expr) {
        let mut all = self.unbounded.borrow_mut();
        if !all.iter().any(|u| u.span == span && u.dimension == dimension) {
            all.push(Unbounded { source, dimension, index: index.clone(), span, reader: reader.func });
        }
    }
}
