//! A loop, and what becomes of it.

use super::super::alias::{is_in, may_write, may_write_private};
use super::terms::{Condition, Terms};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use std::collections::HashSet;

/// A natural loop.
pub(super) struct Region {
    pub(super) header: Block,
    /// The blocks, the header first.
    pub(super) blocks: Vec<Block>,
    /// The same by number.
    pub(super) inside: Vec<bool>,
}

impl Region {
    pub(super) fn has(&self, block: Block) -> bool {
        self.inside.get(block.0 as usize).copied().unwrap_or(false)
    }
}

/// What becomes of a loop.
pub(super) struct Plan {
    pub(super) region: Region,
    pub(super) terms: Terms,
    pub(super) conditions: Vec<Condition>,
    /// The checks that the guard decides.
    pub(super) proven: HashSet<Inst>,
}

/// The loop of a header, if it is one.
pub(super) fn natural_loop(graph: &Graph, header: Block) -> Option<Region> {
    let inside = graph.natural_loop(header)?;
    let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
    Some(Region { header, blocks, inside })
}

/// Is the result given by the operands alone, wherever it is computed?
pub(in super::super) fn is_pure(op: &Op) -> bool {
    match op {
        Op::Unset | Op::Load { .. } | Op::StreamingLoad { .. } | Op::Gather { .. } | Op::StridedLoad { .. } => false,
        other => !other.has_effect(),
    }
}

/// May anything in these blocks write what is behind a pointer?
pub(super) fn is_written(function: &Function, private: &[bool], blocks: &[Block], pointer: Value) -> bool {
    let mut ops =
        blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts).map(|inst| &function.insts[inst.0 as usize].op);
    match is_in(function, private, pointer) {
        true => ops.any(|op| may_write_private(function, op, pointer)),
        false => ops.any(|op| may_write(function, op, pointer)),
    }
}
