//! Four rounds of a short loop at once, where what it keeps of them may be put together in another way than one after another.
//!
//! ```text
//!                                          block4(i, m):                       while four rounds are left
//! block1(i, m):                                x₀ = load a[i]; …; x₃ = load a[i + 24]
//!     branch i < n, block2, block3             y = min (min x₀ x₁) (min x₂ x₃)
//! block2:                           ──►        n = min m y
//!     n = min m (load a[i])                    jump block4(i + 32, n)
//!     jump block1(i + 8, n)                block1(i, m):                       those that are left, as before
//! ```
//! A round waits for one result of the round before it. Of four rounds only one has to.
//!
//! # What may be put together
//! * *Integers* by an operation that is the same in any order: also under a mask, as what lanes that are off bring is nothing.
//! * *Least and greatest*, by `fmin`, `fmax`, or by a comparison: of numbers that are equal the first one stays, or the last one, whatever is put
//!   together first. Not so where one is no number, which is forgotten in the next round: for such rounds, which are asked for, things go one
//!   after another.
//! * *Sums of floats* where `fp(fast)` says so: four sums.
//! * *Counts* of lanes of bytes, for machines whose masks are vectors: lanes of bytes count for a group, `sad` adds them up.
//!
//! All else, such as stores and what it sums up in order, the rounds of a group do one after another.

mod accumulators;
mod write;

use super::Surroundings;
use super::jammed_loops::{Counter, counter};
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use accumulators::Accumulator;

/// Rounds of a group.
const ROUNDS: usize = 4;
/// A round that works on more registers has enough to do while it waits.
const MAX_OPERATIONS: usize = 12;
/// As many registers that wait for themselves wait for nothing else.
const MAX_CHAINS: usize = 4;

/// Groups the rounds of a function's loops.
pub fn grouped_rounds(function: &mut Function, around: Surroundings<'_>) {
    // What earlier passes left without use is no work.
    super::dead_code(function);
    let graph = Graph::new(function);
    let loops: Vec<Loop> = graph.order.iter().filter_map(|&header| Loop::of(function, &graph, header, around.machine)).collect();
    if loops.is_empty() {
        return;
    }
    for found in loops {
        write::group(function, &graph, &found, around.machine);
    }
    function.sort_blocks();
}

/// A loop of a header and a body.
struct Loop {
    header: Block,
    body: Block,
    counter: Counter,
    accumulators: Vec<Accumulator>,
}

impl Loop {
    fn of(function: &Function, graph: &Graph, header: Block, machine: &Machine) -> Option<Loop> {
        if graph.innermost_loop(header) != Some(header) {
            return None;
        }
        let counter = counter(function, graph, header)?;
        let body = counter.body;
        let data = &function.blocks[body.0 as usize];
        let is_pair = graph.predecessors[body.0 as usize] == [header] && data.parameters.is_empty() && body != header;
        if !is_pair || !matches!(&data.terminator, Terminator::Jump(target) if target.block == header) {
            return None;
        }
        let is_known_before = |value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => block != header,
            ValueDef::Result(inst, _) => [header, body].iter().all(|b| !function.blocks[b.0 as usize].insts.contains(&inst)),
        };
        let registers = |value: Value| {
            let ty = function.ty(value);
            machine.registers_of(ty.element.size(), ty.length)
        };
        let mut operations = 0;
        for &inst in function.blocks[header.0 as usize].insts.iter().chain(&data.insts) {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let is_plain = !op.has_effect() || matches!(op, Op::Store { .. } | Op::Assume(_) | Op::Prefetch(_));
            if !is_plain {
                return None;
            }
            let is_scalar = results.iter().all(|value| function.ty(*value).length == 1);
            operations += if is_scalar { 0 } else { results.iter().map(|&value| registers(value)).sum::<usize>() };
        }
        let is_short = counter.rounds(function).is_some_and(|rounds| rounds < 2 * ROUNDS as u64);
        if operations > MAX_OPERATIONS || is_short || !is_known_before(counter.limit) {
            return None;
        }
        let found = Loop { header, body, counter, accumulators: Vec::new() };
        let accumulators = accumulators::of(function, &found, machine);
        let chains: usize = accumulators.iter().map(|accumulator| accumulator.chains(registers)).sum();
        (0..MAX_CHAINS).contains(&chains.wrapping_sub(1)).then_some(Loop { accumulators, ..found })
    }

    /// What the body hands to the next round, by the parameters of the header.
    fn next<'f>(&self, function: &'f Function) -> &'f [Value] {
        match &function.blocks[self.body.0 as usize].terminator {
            Terminator::Jump(target) => &target.arguments,
            Terminator::Branch { .. } | Terminator::Return(_) | Terminator::Unreachable => unreachable!("the body goes back"),
        }
    }
}
