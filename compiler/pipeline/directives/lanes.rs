//! How many lanes the automatic schedule gives to vectors.

use super::super::algorithm::{Pipeline, Stage};
use crate::check;
use crate::types::Element;

/// The vector registers of a machine, as the automatic schedule sees them.
#[derive(Clone, Copy, Debug)]
pub struct Vectors {
    /// W: so many elements of 32 bits fill one.
    pub width: u8,
    /// So many there are.
    pub count: u8,
}

impl Vectors {
    /// Those of a compilation.
    pub fn of(options: &check::Options) -> Vectors {
        Vectors { width: options.width, count: options.registers }
    }
}

/// As many lanes as fill a register with the largest elements that a stage computes with.
pub fn lanes(pipeline: &Pipeline, stage: &Stage, elements: &[Element], vectors: Vectors) -> u8 {
    let mut size = elements.iter().map(|e| e.size()).max().unwrap_or(4);
    for value in &stage.values {
        value.reads(&mut |source, _, _| size = size.max(pipeline.element_of(source).size()));
    }
    (u64::from(vectors.width) * 4 / size).clamp(1, 64) as u8
}
