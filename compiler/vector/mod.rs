//! The vector IR: what it is, how to walk over it and how to build it.
pub mod build;
mod edit;
pub mod graph;
pub mod interpret;
pub mod ir;
pub mod parse;
pub mod print;
pub mod verify;
mod walk;
