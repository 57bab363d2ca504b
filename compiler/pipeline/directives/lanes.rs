//! How many lanes the automatic schedule gives to vectors, and which loops become these.

use super::super::algorithm::{Pipeline, Stage};
use super::super::expr::{Expr, Variable};
use super::super::loops::ir::StageName;
use super::state::Scheduler;
use super::target::Tail;
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

/// What became of a stage.
pub struct InVectors {
    /// The loop over blocks of lanes.
    pub dimension: Variable,
    /// The loop over lanes.
    pub lane: Variable,
    /// How many there are.
    pub lanes: u8,
}

impl Scheduler<'_> {
    /// Makes vectors, of so many registers, of dimension 0 of a stage, if that is its innermost pure loop; reduction loops go around it. The loop over lanes
    /// has this name, or that of the dimension.
    pub fn in_vectors(&mut self, name: StageName, registers: u8, lane: Option<&str>, vectors: Vectors) -> Option<InVectors> {
        let pipeline = self.nest.pipeline.clone();
        let func = pipeline.func(name.func);
        let stage = &func.stages[name.stage];
        let loops: Vec<_> = self.nest.chain(name).loops.iter().map(|l| (l.variable, l.is_pure)).rev().collect();
        let &(dimension, _) = loops.iter().find(|(_, is_pure)| *is_pure)?;
        if !stage.is_pure_dimension(&func.variables, 0) {
            return None;
        }
        let others = loops.iter().map(|(v, _)| *v).filter(|v| *v != dimension);
        let order: Vec<_> = std::iter::once(dimension).chain(others).collect();
        if order.len() > 1 {
            self.reorder(name, &order, func.span);
        }
        let lanes = (registers * lanes(&pipeline, stage, &func.elements, vectors)).min(64);
        self.blocks_of_lanes(name, dimension, lanes, lane)
    }

    /// Splits a loop into blocks of lanes, whose loop has this name, or that of the loop.
    pub fn blocks_of_lanes(&mut self, name: StageName, dimension: Variable, lanes: u8, lane: Option<&str>) -> Option<InVectors> {
        let span = self.nest.pipeline.func(name.func).span;
        let lane = match lane {
            Some(lane) => {
                let outer = self.nest.name(dimension).to_owned();
                self.split(name, dimension, (&outer, lane), Expr::int(lanes.into(), span), Tail::Guard, span)?.1
            }
            None => self.vector_split(name, dimension, lanes, Tail::Guard, span)?,
        };
        self.mark_vector(name, lane, span);
        Some(InVectors { dimension, lane, lanes })
    }
}
