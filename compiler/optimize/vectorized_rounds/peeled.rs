//! The first round of a loop in a search stands in front of that loop, where it tells which rounds of the search are rare.
//!
//! ```text
//! block2:                                         block2:
//!     jump block3(0)                                  branch 0 < m, block3, block5(0)
//! block3(k):                                      block3:
//!     branch k < m, block4, block5        ──►         branch text[i] = word[0], block4, block5(0)
//! block4:                                         block4:  the loop, from 1 on, which leads to block5(k)
//!     branch text[i + k] = word[k], block3(k + 1), block5
//! block5:                                         block5(k):
//!     branch k = m, found, block1(i + 1)              branch k = m, found, block1(i + 1)
//! ```
//! `while (k < m && text[i + k] == word[k]) k++; if (k == m) return i;` is how a word is looked for at first. Most rounds end at its first letter, so that a register of places is
//! asked for it at once ([`searches`](super::searches)).

use super::super::block_writer::BlockWriter;
use super::super::closed_loops::{rename_behind, seen_behind};
use super::super::control_flow;
use super::super::copied_blocks::copied_blocks;
use super::super::counted_loop::{Ways, values_of};
use super::searches::Search;
use super::{by_copies, header_of, sums_below};
use crate::optimize::Surroundings;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// Loops of more instructions are left alone.
const MAX_INSTS: usize = 60;

/// Peels the loops of a function's searches.
pub(super) fn peel(function: &mut Function, around: Surroundings<'_>) {
    by_copies(function, around, with_first_round);
}

/// The function with the first round of a loop in the one of a header in front of that, if it is a search then, and is none as it is.
fn with_first_round(
    function: &Function,
    graph: &Graph,
    around: Surroundings<'_>,
    header: Block,
    left: &mut usize,
) -> Option<Function> {
    let inside = graph.natural_loop(header)?;
    let is_inner =
        |block: &&Block| inside[block.0 as usize] && **block != header && graph.innermost_loop(**block) == Some(**block);
    let mut inner = graph.order.iter().filter(is_inner);
    let (&inner, None) = (inner.next()?, inner.next()) else { return None };
    let &counter = function.blocks[header.0 as usize].parameters.first()?;
    *left = left.checked_sub(function.insts.len())?;
    let mut made = peeled(function, graph, inner)?;
    control_flow(&mut made);
    let of_search = |function: &Function, header: Block| {
        let graph = Graph::new(function);
        let is_search = |function: &Function| Search::of(function, &graph, header, around).is_some();
        is_search(function) || sums_below::with_limit(function, &graph, header).is_some_and(|made| is_search(&made))
    };
    (!of_search(function, header) && of_search(&made, header_of(&made, counter)?)).then_some(made)
}

/// The function with the first round of a loop in front of it, all ways out of which lead to one block that nothing else leads to.
fn peeled(function: &Function, graph: &Graph, header: Block) -> Option<Function> {
    let Ways { before, latch, inside } = Ways::of(function, graph, header)?;
    let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
    let insts: usize = blocks.iter().map(|block| function.blocks[block.0 as usize].insts.len()).sum();
    let ways = blocks.iter().flat_map(|block| function.blocks[block.0 as usize].terminator.targets());
    let out: Vec<Block> = ways.map(|way| way.block).filter(|block| !inside[block.0 as usize]).collect();
    let &behind = out.first()?;
    let is_only = out.len() > 1 && out.iter().all(|&block| block == behind);
    let leads_there = |from: &Block| inside[from.0 as usize];
    if insts > MAX_INSTS || !is_only || !graph.predecessors[behind.0 as usize].iter().all(leads_there) {
        return None;
    }
    // What is looked at behind the loop is known at all ways out if its header defines it.
    let (values, known) = (values_of(function, &blocks), values_of(function, &[header]));
    let seen = seen_behind(function, &blocks, &values);
    if !seen.iter().all(|value| known.contains(value)) {
        return None;
    }

    let mut made = function.clone();
    let span = made.span;
    let mut to = BlockWriter { function: &mut made, block: behind, span };
    let handed = seen.iter().map(|&value| (value, to.parameter(behind, to.function.ty(value)))).collect();
    rename_behind(&mut made, &blocks, &handed);
    for block in &blocks {
        let ways = made.blocks[block.0 as usize].terminator.targets_mut();
        ways.filter(|way| way.block == behind).for_each(|way| way.arguments.extend(&seen));
    }
    let (copies, _) = copied_blocks(&mut made, &blocks, |_| false, |_| ());
    let copy = |of: Block| copies[blocks.iter().position(|&block| block == of).expect("a block of the loop")];
    for (from, old, new) in [(before, header, copy(header)), (copy(latch), copy(header), header)] {
        let ways = made.blocks[from.0 as usize].terminator.targets_mut();
        ways.filter(|way| way.block == old).for_each(|way| way.block = new);
    }
    made.sort_blocks();
    Some(made)
}
