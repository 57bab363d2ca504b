//! What the benchmarks share: compiling kernels, calling them and their hand-written twins, and timing pairs.

#![allow(dead_code, reason = "each benchmark uses a part")]

pub mod applications;
pub mod buffer;
pub mod cases;
pub mod checks;
pub mod compile;
#[path = "../../tests/applications/image.rs"]
pub mod image;
pub mod ispc;
pub mod kernels;
pub mod maths;
pub mod pairs;
pub mod peers;
pub mod pipelines;
#[path = "../../tests/applications/program.rs"]
pub mod program;
pub mod readme;
pub mod scaling;
pub mod tensors;
pub mod twins;

pub use pairs::{Runner, Tolerance, processor_time};

/// A kernel at a size on an instruction set, by several hands.
pub struct Case {
    /// The name of the kernel.
    pub row: &'static str,
    /// The instruction set that all of them use.
    pub isa: ivlc::machine::Isa,
    /// The problem size in words.
    pub size: String,
    /// Ours.
    pub ours: Runner,
    /// The others.
    pub peers: Vec<Runner>,
    /// Which results are the same.
    pub tolerance: Tolerance,
}
