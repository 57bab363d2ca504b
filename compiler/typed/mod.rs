//! Stage typed.
pub mod ir;
