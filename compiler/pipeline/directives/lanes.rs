//! How many lanes the automatic schedule gives to vectors.

use super::super::algorithm::{Pipeline, Stage};
use crate::types::Element;

/// As many lanes as fill a register with the largest elements that a stage computes with, where W fills it with 32 bits.
pub fn lanes(pipeline: &Pipeline, stage: &Stage, elements: &[Element], width: u8) -> u8 {
    let mut size = elements.iter().map(|e| e.size()).max().unwrap_or(4);
    for value in &stage.values {
        value.reads(&mut |source, _, _| size = size.max(pipeline.element_of(source).size()));
    }
    (u64::from(width) * 4 / size).clamp(1, 64) as u8
}
