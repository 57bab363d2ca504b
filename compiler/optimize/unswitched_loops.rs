//! Branches of a loop that go the same way in each round are asked in front of it, which is there once for each answer.
//!
//! ```text
//!                                              c = compare.eq k, 0
//!     jump block1(0)                           branch c, block1(0), block7(0)
//! block1(i):                               block1(i):
//!     branch i < n, block2, block6             branch i < n, block2, block6
//! block2:                                  block2:
//!     c = compare.eq k, 0                      …
//!     branch c, block3, block4    ──►          jump block5(i + 1)
//! block3:                                  block7(j):
//!     …; jump block5                           branch j < n, block8, block6
//! block4:                                  block8:
//!     …; jump block5                           …
//! ```
//! So `switch (kind)` in a plain loop, or `if (o)`, costs what its way costs: lanes do what all ways do, and blend it. Loops with vectors in them have branches,
//! for which LLVM does the same.

use super::block_writer::{BlockWriter, lead};
use super::closed_loops::{close, exits, seen_behind};
use super::control_flow;
use super::copied_blocks::copied_blocks;
use super::counted_loop::{is_outer, values_of};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops of more instructions are left alone.
const MAX_INSTS: usize = 200;
/// So many copies of loops are in a function.
const MAX_COPIES: usize = 12;
/// A branch that decides about fewer instructions is blended.
const LEAST: usize = 4;
/// So many operations of a condition are computed in front of a loop.
const DEPTH: u32 = 6;

/// Takes branches out of the innermost loops of a function.
pub fn unswitched_loops(function: &mut Function) {
    for _ in 0..MAX_COPIES {
        let graph = Graph::new(function);
        let mut headers = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block));
        let Some(found) = headers.find_map(|header| Unswitched::of(function, &graph, header)) else { return };
        found.write(function, &graph);
        control_flow(function);
    }
}

/// A loop, and a condition that goes the same way in each round.
struct Unswitched {
    header: Block,
    /// Its blocks, in order.
    blocks: Vec<Block>,
    /// What they define.
    values: FxHashSet<Value>,
    condition: Value,
}

impl Unswitched {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Unswitched> {
        let inside = graph.natural_loop(header)?;
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        let data = |block: &Block| &function.blocks[block.0 as usize];
        let branches = |block: &&Block| **block != header && matches!(data(block).terminator, Terminator::Branch { .. });
        if blocks.iter().map(|block| data(block).insts.len()).sum::<usize>() > MAX_INSTS || !blocks.iter().any(|b| branches(&b)) {
            return None;
        }
        let is_innermost = blocks.iter().all(|&block| graph.innermost_loop(block) == Some(header));
        let values = values_of(function, &blocks);
        if !is_innermost || values.iter().any(|&value| function.ty(value).length > 1) {
            return None;
        }
        let decided = |way: &Block, from: Block| {
            let is_own = graph.predecessors[way.0 as usize] == [from] && inside[way.0 as usize];
            let behind = blocks.iter().filter(|block| is_own && graph.dominates(*way, **block));
            behind.map(|block| data(block).insts.len()).sum::<usize>()
        };
        let condition = blocks.iter().filter(branches).find_map(|block| {
            let Terminator::Branch { condition, then, otherwise } = &data(block).terminator else { return None };
            let stays = inside[then.block.0 as usize] && inside[otherwise.block.0 as usize];
            let is_same = stays && is_outer(function, &values, *condition, DEPTH);
            let is_work = || decided(&then.block, *block) + decided(&otherwise.block, *block) >= LEAST;
            (is_same && is_work()).then_some(*condition)
        })?;
        // What differs between the rounds of a loop around is blended there, if these become lanes.
        let is_same_around = graph.order.iter().filter(|&&around| around != header).all(|&around| {
            let Some(loop_around) = graph.natural_loop(around).filter(|blocks| blocks[header.0 as usize]) else { return true };
            let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| loop_around[block.0 as usize]).collect();
            is_outer(function, &values_of(function, &blocks), condition, DEPTH)
        });
        let found = Unswitched { header, blocks, values, condition };
        (is_same_around
            && (exits(function, &found.blocks).len() == 1 || seen_behind(function, &found.blocks, &found.values).is_empty()))
        .then_some(found)
    }

    fn write(&self, function: &mut Function, graph: &Graph) {
        close(function, &self.blocks, &self.values);
        let (copies, same) = copied_blocks(function, &self.blocks, |_| false, |_| ());
        let first = self.blocks.iter().position(|&block| block == self.header).expect("a loop has its header");
        let header = copies[first];

        let span = function.span;
        let mut to = BlockWriter { function, block: self.header, span };
        let start = to.new_block();
        let arguments = to.parameters_of(self.header, start);
        to.block = start;
        let condition = to.again(self.condition, &|_, value| self.values.contains(&value), &mut FxHashMap::default());
        let way = |block: Block| Target { block, arguments: arguments.clone() };
        to.end(Terminator::Branch { condition, then: way(self.header), otherwise: way(header) });
        lead(function, graph, |block| self.blocks.contains(&block), self.header, start);

        let copied = same.get(&self.condition).copied().unwrap_or(self.condition);
        for (blocks, asked, goes) in [(&self.blocks, self.condition, true), (&copies, copied, false)] {
            for block in blocks {
                let terminator = &mut function.blocks[block.0 as usize].terminator;
                if let Terminator::Branch { condition, then, otherwise } = terminator
                    && *condition == asked
                {
                    *terminator = Terminator::Jump(if goes { then.clone() } else { otherwise.clone() });
                }
            }
        }
    }
}
