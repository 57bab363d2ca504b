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
//! * *Integers* by an operation that is the same in any order: also under a mask, as what lanes that are off bring is nothing. Sums and products without
//!   a mask are one for each round of a group; products of words are added up within it, where two are one instruction
//!   ([`paired_products`](super::paired_products)).
//! * *Least and greatest*, by `fmin`, `fmax`, or by a comparison: of numbers that are equal the first one stays, or the last one, whatever is put
//!   together first. Not so where one is no number, which is forgotten in the next round: for such rounds, which are asked for, things go one
//!   after another.
//! * *Sums of floats* where `fp(fast)` says so: four sums.
//! * *Counts* of lanes of bytes, for machines whose masks are vectors: lanes of bytes count for a group, `sad` adds them up.
//!
//! All else, such as stores and what it sums up in order, the rounds of a group do one after another.
//!
//! Rounds that load neighbours lane by lane, as in `a[i * n + k]` for lanes i and rounds k, go in groups whatever they do with them: what four
//! of them load is four columns of rows ([`transposed_loads`](super::transposed_loads)).

mod accumulators;
mod write;

use super::Surroundings;
use super::combined::LoopBlocks;
use super::jammed_loops::{Counter, counter};
use super::paired_products::is_product_of_words;
use super::transposed_loads::Column;
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use accumulators::Accumulator;

/// Rounds of a group.
const ROUNDS: usize = 4;
/// A round that works on more registers has enough to do while it waits.
const MAX_OPERATIONS: usize = 12;
/// One that adds up products may work on so many, and on as many of products.
const MAX_OF_PRODUCTS: usize = 40;
const MAX_PRODUCTS: usize = 8;
/// A round of columns has no more instructions.
const MAX_INSTS: usize = 250;
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
    for found in &loops {
        write::group(function, &graph, found, around.machine);
    }
    function.sort_blocks();
    if loops.iter().any(|found| found.has_columns) {
        // How far apart the lanes are is the same in all rounds.
        super::common_values(function);
    }
}

/// A loop of a header and a body.
struct Loop {
    header: Block,
    body: Block,
    counter: Counter,
    accumulators: Vec<Accumulator>,
    /// Do its rounds load neighbours lane by lane?
    has_columns: bool,
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
        let has_columns = has_columns(function, &counter, &data.insts);
        let mut operations = 0;
        for &inst in function.blocks[header.0 as usize].insts.iter().chain(&data.insts) {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let is_plain = !op.has_effect()
                || matches!(op, Op::Store { .. } | Op::Assume(_) | Op::Prefetch(_))
                || matches!(op, Op::Unroll(Unrolling::All)) && has_columns;
            if !is_plain {
                return None;
            }
            let is_scalar = results.iter().all(|value| function.ty(*value).length == 1);
            operations += if is_scalar { 0 } else { results.iter().map(|&value| registers(value)).sum::<usize>() };
        }
        let least = if has_columns { ROUNDS } else { 2 * ROUNDS };
        let is_short = counter.rounds(function).is_some_and(|rounds| rounds < least as u64);
        let is_long = if has_columns { data.insts.len() > MAX_INSTS } else { operations > MAX_OF_PRODUCTS };
        if is_long || is_short || !is_known_before(counter.limit) {
            return None;
        }
        let found = Loop { header, body, counter, accumulators: Vec::new(), has_columns };
        let accumulators = accumulators::of(function, &found, machine);
        let chains: usize = accumulators.iter().map(|accumulator| accumulator.chains(registers)).sum();
        let adds_products = accumulators.iter().any(|accumulator| is_product_of_words(function, accumulator.value()));
        let is_worth = match adds_products {
            true => chains <= MAX_PRODUCTS,
            false => (1..=MAX_CHAINS).contains(&chains) && operations <= MAX_OPERATIONS,
        };
        (has_columns || is_worth).then_some(Loop { accumulators, ..found })
    }

    fn pair<'f>(&'f self, function: &'f Function) -> LoopBlocks<'f> {
        LoopBlocks::of_pair(function, self.header, &self.body)
    }
}

/// Is there a vector whose lanes a round loads one by one, and the next round each from the element behind? Of elements of which four fill
/// the row of a square.
fn has_columns(function: &Function, counter: &Counter, insts: &[Inst]) -> bool {
    let steps_on = |inst: &Inst| {
        let InstData { op: Op::Insert(..), results, .. } = &function.insts[inst.0 as usize] else { return false };
        let size = function.ty(results[0]).element.size() as i64;
        Column::of(function, results[0]).is_some_and(|column| size >= 4 && column.step(function, counter.value) == Some(size))
    };
    counter.step == 1 && insts.iter().any(steps_on)
}
