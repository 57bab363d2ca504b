//! A loop, and what becomes of it.

use super::super::alias::{is_in, may_write, may_write_private};
use super::terms::{Condition, Terms};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

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
    pub(super) proven: FxHashSet<Inst>,
}

/// The loop of a header, if it is one.
pub(super) fn natural_loop(graph: &Graph, header: Block) -> Option<Region> {
    let inside = graph.natural_loop(header)?;
    let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
    Some(Region { header, blocks, inside })
}

/// A loop with the masked round behind it, in which a `foreach` does what is left: the only way out of the loop leads to a branch around
/// that round, and nothing else does.
pub(super) fn with_tail(function: &Function, graph: &Graph, region: &Region) -> Option<Region> {
    let successors = |block: Block| function.blocks[block.0 as usize].terminator.targets().map(|target| target.block);
    let before = |block: Block| &graph.predecessors[block.0 as usize];
    let mut exits: Vec<Block> =
        region.blocks.iter().flat_map(|&block| successors(block)).filter(|&block| !region.has(block)).collect();
    exits.dedup();
    let [exit] = exits[..] else { return None };
    if !before(exit).iter().all(|&block| region.has(block)) {
        return None;
    }
    let (mut inside, mut fork) = (region.inside.clone(), exit);
    inside[exit.0 as usize] = true;
    while let Terminator::Jump(next) = &function.blocks[fork.0 as usize].terminator {
        if before(next.block)[..] != [fork] {
            return None;
        }
        fork = next.block;
        inside[fork.0 as usize] = true;
    }
    let Terminator::Branch { then, otherwise, .. } = &function.blocks[fork.0 as usize].terminator else { return None };
    let counts = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::FirstLanes(_));
    let is_tail = |block: Block| before(block)[..] == [fork] && function.blocks[block.0 as usize].insts.iter().any(counts);
    let (tail, behind) = match (is_tail(then.block), is_tail(otherwise.block)) {
        (true, false) => (then.block, otherwise.block),
        (false, true) => (otherwise.block, then.block),
        _ => return None,
    };
    let own: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.dominates(tail, block)).collect();
    own.iter().for_each(|block| inside[block.0 as usize] = true);
    let goes_on = |block: &Block| {
        let mut next = successors(*block).peekable();
        next.peek().is_some() && next.all(|next| next == behind || graph.dominates(tail, next))
    };
    let leads_behind = |block: &Block| *block == fork || own.contains(block);
    if !own.iter().all(goes_on) || !before(behind).iter().all(leads_behind) {
        return None;
    }
    let blocks = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
    Some(Region { header: region.header, blocks, inside })
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
