//! Loops of a few rounds in a loop are written out where that becomes lanes by it.
//!
//! ```text
//! block1(i):                                  block1(i):
//!     branch i < n, block2, out                   branch i < n, block2, out
//! block2:                                     block2:
//!     jump block3(0, 0)                           x0 = load a + 4 · i
//! block3(k, s):                                   x1 = load a + 4 · i + 4
//!     branch k < 3, block4, block5      ──►       x2 = load a + 4 · i + 8
//! block4:                                         s = add (add x0, x1), x2
//!     x = load a + 4 · (i + k)                    store o + 4 · i, s
//!     jump block3(k + 1, s + x)                   jump block1(i + 1)
//! block5:
//!     store o + 4 · i, s
//!     jump block1(i + 1)
//! ```
//! A sum over a few neighbours is a loop in each round: the lanes are the rounds of the outer one, in each of which it is added up in
//! its own order. Whether that is so shows when it is written out, so that this is done with a copy of the function.
//!
//! A row of a tile, `for x < 8: c[y][x] += a[y] * b[x]`, is lanes as it is, side by side: its loop is not written out for lanes of y, which would be
//! rows of memory apart.

use super::super::{common_values, control_flow, unrolled_loops::Plan};
use super::{Rounds, by_copies, edges, header_of};
use crate::optimize::Surroundings;
use crate::optimize::jammed_loops::counter;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// Loops of more rounds are not written out.
const MAX_ROUNDS: usize = 16;
/// Nor more loops in one.
const MAX_LOOPS: usize = 8;
/// Nor do rounds become longer than that by it.
const MAX_INSTS: usize = 200;

/// Writes out the loops inside of those that become lanes by it.
pub(super) fn write_out(function: &mut Function, around: Surroundings<'_>) {
    by_copies(function, around, without_loops);
}

/// The function with the loops in the one of a header written out, if there are some and it becomes lanes by that, and `left` is as much as that takes.
pub(super) fn without_loops(
    function: &Function,
    graph: &Graph,
    around: Surroundings<'_>,
    header: Block,
    left: &mut usize,
) -> Option<Function> {
    let counter = counter(function, graph, header)?.value;
    let has_rows = Rounds::are_a_row(function, graph, around, inner_loop(graph, header)?);
    let is_vector = |inst: &Inst| function.insts[inst.0 as usize].results.iter().any(|&value| function.ty(value).length > 1);
    let inside = graph.natural_loop(header)?;
    let blocks = graph.order.iter().filter(|block| inside[block.0 as usize]);
    if blocks.flat_map(|block| &function.blocks[block.0 as usize].insts).any(is_vector) {
        return None;
    }
    let mut made: Option<Function> = None;
    for _ in 0..=MAX_LOOPS {
        let now = made.as_ref().unwrap_or(function);
        let graph = Graph::new(now);
        // Blocks are numbered anew; what the loop counts with is its own.
        let header = header_of(now, counter)?;
        let inside = graph.natural_loop(header)?;
        let blocks = graph.order.iter().filter(|block| inside[block.0 as usize]);
        if blocks.map(|block| now.blocks[block.0 as usize].insts.len()).sum::<usize>() > MAX_INSTS {
            return None;
        }
        let Some(inner) = inner_loop(&graph, header) else {
            let mut are_lanes = |made: &Function| match has_rows {
                true => Rounds::are_lanes_beside_rows(made, &graph, around, header),
                false => {
                    Rounds::are_lanes(made, &graph, around, header)
                        || edges::without_edges(made, &graph, around, header, left).is_some()
                }
            };
            return made.filter(|made| are_lanes(made));
        };
        let (plan, _) = Plan::of(now, &graph, around, inner, MAX_ROUNDS)?;
        *left = left.checked_sub(now.insts.len())?;
        let next = made.get_or_insert_with(|| function.clone());
        plan.write(next, around, &mut FxHashSet::default());
        control_flow(next);
        common_values(next);
    }
    None
}

/// The header of an innermost loop inside of that of another header: the last one, since headers of outer loops come before those inside.
fn inner_loop(graph: &Graph, header: Block) -> Option<Block> {
    let inside = graph.natural_loop(header)?;
    let is_inner =
        |block: &&Block| inside[block.0 as usize] && **block != header && graph.innermost_loop(**block) == Some(**block);
    graph.order.iter().rev().find(is_inner).copied()
}
