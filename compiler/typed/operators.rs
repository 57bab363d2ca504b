//! The operators of the typed program, each element-wise on operands of one type.

use std::cmp::Ordering;

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`: wraps on integers.
    Negate,
    /// `!` on `bool`, `~` on integers.
    Not,
}

/// Element-wise operators. Total on all inputs (language.md §6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    /// x / 0 = 0, MIN / −1 = MIN; towards zero.
    Divide,
    /// x % 0 = 0, MIN % −1 = 0; the sign of the dividend. On floats: C's fmod.
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    /// The count is taken modulo the width.
    ShiftLeft,
    /// Arithmetic on signed, logical on unsigned elements.
    ShiftRight,
}

/// Comparisons; on floats ordered, but `NotEqual` is true for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl CompareOp {
    /// Does it hold of two operands in this order? One with NaN has none.
    pub fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            CompareOp::Equal => order.is_some_and(Ordering::is_eq),
            CompareOp::NotEqual => order.is_none_or(Ordering::is_ne),
            CompareOp::Less => order.is_some_and(Ordering::is_lt),
            CompareOp::LessEqual => order.is_some_and(Ordering::is_le),
            CompareOp::Greater => order.is_some_and(Ordering::is_gt),
            CompareOp::GreaterEqual => order.is_some_and(Ordering::is_ge),
        }
    }
}
