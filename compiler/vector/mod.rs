//! The vector IR: what it is, how to walk over it, to build and to edit it, and to run it.

pub mod build;
pub mod byte_functions;
mod compare;
mod constants;
pub(crate) mod edit;
pub mod failing;
pub mod filled;
pub mod float_ranges;
mod float_steps;
pub mod graph;
pub mod interpret;
pub mod ir;
pub mod parse;
pub mod print;
pub mod types;
pub mod verify;
mod walk;
pub mod writer;
