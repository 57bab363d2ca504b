//! Why windows cannot be inferred.

use super::super::expr::{Expr, FuncId, Source};
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
