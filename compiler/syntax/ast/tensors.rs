//! The syntax of tensor comprehensions (*Tensor Comprehensions*, "Grammar").

use super::{Expr, Name, Type};
use crate::source::Span;
use std::rc::Rc;

/// `def mv(float(M, K) A, float(K) x) -> (C) { C(i) +=! A(i, k) * x(k) }`
#[derive(Clone, Debug, PartialEq)]
pub struct Def {
    /// Its name.
    pub name: Name,
    /// Tensors and numbers in order.
    pub parameters: Vec<TensorParameter>,
    /// What stands behind `->`; nothing where that is left out.
    pub results: Vec<TensorResult>,
    /// Its statements in order.
    pub statements: Vec<TensorStatement>,
}

/// `inout float(M, K) A`
#[derive(Clone, Debug, PartialEq)]
pub struct TensorParameter {
    /// `inout`: it is overwritten.
    pub inout: Option<Span>,
    /// Its type.
    pub ty: TensorType,
    /// Its name.
    pub name: Name,
    /// The whole parameter.
    pub span: Span,
}

/// `float(M, 3)`
#[derive(Clone, Debug, PartialEq)]
pub struct TensorType {
    /// The type of the elements.
    pub element: Type,
    /// The word for it: `half` is `float16`.
    pub word: Rc<str>,
    /// The sizes, the last one innermost; none of a number.
    pub sizes: Vec<Size>,
    /// The whole type.
    pub span: Span,
}

/// The size of a dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// A size variable.
    Variable(Name),
    /// A number.
    Constant(u64, Span),
}

/// `C`, or `float(M, N) C`.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorResult {
    /// Its type where that is written; else it is inferred.
    pub ty: Option<TensorType>,
    /// Its name.
    pub name: Name,
}

/// `C(i, j) +=! A(i, k) * B(k, j) where k in 0:K`, or `x, y = f(a, b)`.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorStatement {
    /// What is defined: one tensor at its indices, or the results of a call.
    pub targets: Vec<TensorTarget>,
    /// How.
    pub op: TensorOp,
    /// The value.
    pub value: Expr,
    /// What stands behind `where`.
    pub clauses: Vec<Clause>,
    /// The whole statement.
    pub span: Span,
}

/// `C(i, j)`, or `C`.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorTarget {
    /// The tensor.
    pub name: Name,
    /// Its indices, if there are brackets.
    pub indices: Option<Vec<Expr>>,
}

/// What a statement does with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorOp {
    /// The operator; `None` for `=`.
    pub reduction: Option<Reduction>,
    /// `!`: it begins from the identity of the operator.
    pub is_initialized: bool,
}

/// The operators by which indices are reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Reduction {
    Add,
    Multiply,
    Min,
    Max,
}

impl TensorOp {
    /// As it is written.
    pub fn symbol(self) -> String {
        let word = match self.reduction {
            None => "",
            Some(Reduction::Add) => "+",
            Some(Reduction::Multiply) => "*",
            Some(Reduction::Min) => "min",
            Some(Reduction::Max) => "max",
        };
        format!("{word}={}", if self.is_initialized { "!" } else { "" })
    }
}

/// What is said of indices.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// `i in b:e`
    Range {
        /// The index.
        index: Name,
        /// Its first value.
        low: Expr,
        /// Behind its last value.
        high: Expr,
    },
    /// `exists T(i)`: an access that bounds indices, and reads nothing.
    Exists(Expr),
}
