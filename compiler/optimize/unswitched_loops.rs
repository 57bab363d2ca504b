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
        (is_same_around && (found.exits(function).len() == 1 || found.seen(function).is_empty())).then_some(found)
    }

    /// The ways out: from which block, and which target of it.
    fn exits(&self, function: &Function) -> Vec<(Block, usize)> {
        let targets = |&block: &Block| {
            let targets = function.blocks[block.0 as usize].terminator.targets().enumerate();
            targets.filter(|(_, target)| !self.blocks.contains(&target.block)).map(move |(at, _)| (block, at)).collect::<Vec<_>>()
        };
        self.blocks.iter().flat_map(targets).collect()
    }

    /// What blocks behind the loop look at, of what it defines.
    fn seen(&self, function: &Function) -> Vec<Value> {
        let mut seen = Vec::new();
        let mut look = |value: Value| {
            if self.values.contains(&value) && !seen.contains(&value) {
                seen.push(value);
            }
        };
        let others = (0..).map(Block).zip(&function.blocks).filter(|(block, _)| !self.blocks.contains(block));
        for (_, data) in others {
            data.insts.iter().for_each(|inst| function.insts[inst.0 as usize].op.for_each(&mut look));
            data.terminator.for_each(&mut look);
        }
        seen
    }

    fn write(&self, function: &mut Function, graph: &Graph) {
        self.close(function);
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

    /// What is looked at behind the loop becomes parameters of a block behind it, to which copies lead as well.
    fn close(&self, function: &mut Function) {
        let mut seen = self.seen(function);
        if seen.is_empty() {
            return;
        }
        let (from, at) = self.exits(function)[0];
        let span = function.span;
        let mut to = BlockWriter { function, block: from, span };
        let behind = to.new_block();
        let out = to.function.blocks[from.0 as usize].terminator.targets().nth(at).expect("a way out").clone();
        seen.extend(out.arguments.iter().copied().filter(|value| self.values.contains(value)));
        seen.sort_unstable();
        seen.dedup();
        let mut handed: FxHashMap<Value, Value> = FxHashMap::default();
        for &value in &seen {
            let ty = to.function.ty(value);
            handed.insert(value, to.parameter(behind, ty));
        }
        let rename = |value: &mut Value| *value = *handed.get(value).unwrap_or(value);
        for block in (0..to.function.blocks.len() as u32).map(Block).filter(|block| !self.blocks.contains(block)) {
            for inst in to.function.blocks[block.0 as usize].insts.clone() {
                to.function.insts[inst.0 as usize].op.for_each_mut(rename);
            }
            to.function.blocks[block.0 as usize].terminator.for_each_mut(rename);
        }
        let mut target = out;
        target.arguments.iter_mut().for_each(rename);
        to.block = behind;
        to.end(Terminator::Jump(target));
        let mut targets = to.function.blocks[from.0 as usize].terminator.targets_mut();
        *targets.nth(at).expect("a way out") = Target { block: behind, arguments: seen };
    }
}
