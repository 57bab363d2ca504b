//! Rounds of a loop whose inner loops wait for themselves run beside each other, in step: what one waits for, others need not.
//!
//! ```text
//!                                                 block9(j):                            so many rounds at once as there are left
//!                                                     branch j < n and n − j > 8, block2, block1(j)
//! block1(j):                                      block2:
//!     branch j < n, block2, block6                    jump block3(0, zero, zero)
//! block2:                                         block3(k, s, s₁):
//!     jump block3(0, zero)                            branch k < m, block4, block5
//! block3(k, s):                                   block4:
//!     branch k < m, block4, block5                    x = splat (load a[k])
//! block4:                                  ──►        t = s + x · load b[k][j];  t₁ = s₁ + x · load b[k][j + 8]
//!     t = s + splat (load a[k]) · load b[k][j]        jump block3(k + 1, t, t₁)
//!     jump block3(k + 1, t)                       block5:
//! block5:                                             store c[j], s
//!     store c[j], s                                   store c[j + 8], s₁
//!     jump block1(j + 8)                              jump block9(j + 16)
//!                                                 block1(j):                            the rounds that are left, as before
//! ```
//! What depends on the counter of the outer loop is there once for each round, all else once. Every round computes what it did, in the
//! same order, so that sums of floats keep their bits.
//!
//! # Why this is right
//! * *Control.* No branch of the body depends on the round: all go the same way. The inner loops end in each round or in none.
//! * *Memory.* The last block of a round runs for one round after another. What stands in front of it runs before the last blocks of
//!   earlier rounds: it only reads, and nothing that a last block may write ([`nest`]).
//! * *Rows.* Where the body also writes in its inner loops, rounds must write different places: places `i · row + x` for round i,
//!   whose x is below `extent`, are different while `extent` ≤ `row`, which is asked in front of the loop ([`rows`]).
//! * *Parameters.* What flows from one round into the next but the counter is only looked at in the last block.

mod copies;
mod nest;
mod rows;

use super::Surroundings;
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
pub(super) use copies::jam;
pub(super) use nest::{Counter, Nest, constant, counter, rising};
pub(super) use rows::{Access, column, without_constant};
use rustc_hash::FxHashSet;

/// So many loops of a function are looked at.
pub(super) const MAX_LOOPS: usize = 200;
/// An inner loop that works on more registers in a round has enough to do while it waits.
const MAX_OPERATIONS: usize = 14;
/// The instructions of an outer loop, and of all its copies.
const MAX_INSTS: usize = 2000;
/// So many results are waited for at once: as many as two units begin in the time that one takes.
const CHAINS: usize = 8;

/// Jams the loops of a function.
pub fn jammed_loops(function: &mut Function, around: Surroundings<'_>) {
    let mut graph = Graph::new(function);
    let mut headers: Vec<Block> =
        graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block)).collect();
    if headers.len() < 2 || headers.len() > MAX_LOOPS {
        return;
    }
    // What earlier passes left without use is no work.
    super::dead_code(function);
    // Inner loops come first.
    headers.reverse();
    let (mut done, mut is_changed) = (FxHashSet::default(), false);
    for header in headers {
        if done.contains(&header) {
            continue;
        }
        let Some(plan) = Plan::of(function, &graph, header, around.machine) else { continue };
        done.extend(plan.apply(function, &graph));
        graph = Graph::new(function);
        is_changed = true;
    }
    if is_changed {
        function.sort_blocks();
    }
}

/// A loop that is jammed, and perhaps the one around it.
struct Plan {
    nest: Nest,
    rounds: usize,
    around: Option<(Nest, usize)>,
}

impl Plan {
    fn of(function: &Function, graph: &Graph, header: Block, machine: &Machine) -> Option<Plan> {
        let nest = Nest::of(function, graph, header)?;
        let chains = chains(function, graph, &nest, machine)?;
        let least = usize::from(machine.registers) / 2;
        let most = |wanted: usize| [wanted, 2].into_iter().find(|rounds| rounds * chains <= least.max(CHAINS));
        let parent = graph.order.iter().rev().copied().find(|&block| {
            let is_around = |inside: Vec<bool>| inside[header.0 as usize];
            block != header && graph.dominates(block, header) && graph.natural_loop(block).is_some_and(is_around)
        });
        // Blocks of one register run two at a time in four rows, greater ones by themselves.
        let rounds = if chains == 1 { 2 } else { 1 };
        let rows = (CHAINS / 2).min(CHAINS / (chains * rounds));
        let parent = parent.and_then(|parent| Nest::of(function, graph, parent)).filter(|parent| {
            let copies = rounds * rows;
            rows > 1
                && self::chains(function, graph, parent, machine) == Some(chains)
                && parent.insts(function) * copies <= MAX_INSTS
        });
        if let Some(parent) = parent {
            return Some(Plan { nest, rounds, around: Some((parent, rows)) });
        }
        let rounds = most(4)?;
        (nest.insts(function) * rounds <= MAX_INSTS).then_some(Plan { nest, rounds, around: None })
    }

    /// Rewrites; gives the headers of loops that are not to be looked at again.
    fn apply(self, function: &mut Function, graph: &Graph) -> Vec<Block> {
        let mut done = vec![self.nest.header];
        if self.rounds > 1 {
            copies::jam(function, graph, &self.nest, self.rounds);
        }
        if let Some((parent, rounds)) = self.around {
            let graph = Graph::new(function);
            let parent = parent.again(function, &graph);
            done.push(parent.header);
            copies::jam(function, &graph, &parent, rounds);
        }
        done
    }
}

/// So many registers an inner loop waits for that a round of the nest has for itself; `None` where it is not worth it.
fn chains(function: &Function, graph: &Graph, nest: &Nest, machine: &Machine) -> Option<usize> {
    let registers = |value: Value| {
        let ty = function.ty(value);
        machine.registers_of(ty.element.size(), ty.length)
    };
    let mut found = None;
    for &header in nest.blocks.iter().filter(|&&block| graph.innermost_loop(block) == Some(block) && block != nest.header) {
        let inside = || nest.blocks.iter().filter(|&&block| graph.innermost_loop(block) == Some(header));
        let parameters = || function.blocks[header.0 as usize].parameters.iter().filter(|value| nest.varying.contains(value));
        let is_vector = |value: &Value| function.ty(*value).length > 1;
        // Where there are none, floats are waited for, whose sums have their order.
        let has_vectors = parameters().any(is_vector);
        let is_waited_for = |value: &Value| if has_vectors { is_vector(value) } else { function.ty(*value).element.is_float() };
        if !parameters().any(is_waited_for) {
            continue;
        }
        let results = inside().flat_map(|block| &function.blocks[block.0 as usize].insts).flat_map(|&inst| {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let counts = nest.varying.contains(results.first()?) && !matches!(op, Op::PtrIndex { .. } | Op::PtrOffset(..));
            counts.then(|| results.iter().filter(|value| is_waited_for(value)).map(|&value| registers(value)).sum::<usize>())
        });
        let is_long = nest::counter(function, graph, header).and_then(|counter| counter.rounds(function)).is_none_or(|n| n > 8);
        if results.sum::<usize>() > MAX_OPERATIONS || !is_long {
            return None;
        }
        let here: usize = parameters().filter(|value| has_vectors || is_waited_for(value)).map(|&value| registers(value)).sum();
        found = Some(found.unwrap_or(0).max(here));
    }
    found
}
