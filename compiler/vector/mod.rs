//! The vector IR: what it is, how to walk over it and how to build it.
pub mod build;
pub mod ir;
pub mod print;
mod walk;
