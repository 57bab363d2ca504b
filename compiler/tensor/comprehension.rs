//! What comes out: an algorithm, and the ranges that were found.

use crate::pipeline::algorithm::Pipeline;
use std::rc::Rc;

/// A definition as an algorithm.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// The algorithm.
    pub pipeline: Rc<Pipeline>,
    /// The ranges of each statement.
    pub ranges: Vec<Inferred>,
}

/// The ranges of a statement.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The statement.
    pub statement: String,
    /// Its indices, those on the left first.
    pub indices: Vec<Shown>,
}

/// The range of an index.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The index.
    pub name: Rc<str>,
    /// Its first value, and behind its last one.
    pub range: [String; 2],
    /// What gave it.
    pub by: Given,
}

/// What gives an index its range.
#[derive(Clone, Debug)]
pub enum Given {
    /// `where i in b:e`
    Where,
    /// Accesses.
    Accesses(Vec<String>),
}
