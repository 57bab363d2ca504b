//! Stage vector.
pub mod ir;
