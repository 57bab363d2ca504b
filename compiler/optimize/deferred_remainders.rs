//! Sums that every round reduces are reduced once in many rounds.
//!
//! ```text
//! block1(i, s, t):                            block4(i, s, t):
//!     branch i < n, block2, block3                branch i < n, block5, block3
//! block2:                                     block5:
//!     u = add s, x                                e = select (ult k, n − i), i + k, n
//!     v = urem u, 65521                           jump block1(i, s, t)
//!     w = add t, v                 ──►        block1(j, p, q):
//!     y = urem w, 65521                           branch j < e, block2, block6
//!     jump block1(i + 1, v, y)                block2:
//! block3:                                         u = add p, x;  w = add q, u;  jump block1(j + 1, u, w)
//!     … s … t …                               block6:
//!                                                 jump block4(j, urem p, 65521, urem q, 65521)
//! ```
//! What a sum leaves over is the same whether what was added to it was reduced before, as long as the sum is a number of its type. So many rounds
//! k are one block of rounds as leave it one: with numbers of at most x, s grows to s₀ + k · x and a sum t of sums to t₀ + k · s₀ + x · k · (k + 1) / 2.
//! The checksums Adler-32 and Fletcher's are written so; without the remainders their rounds are
//! [lanes](super::vectorized_rounds).
//!
//! # What is looked for
//! An innermost loop that is left from its header alone, and counts by one. A sum begins with a number that is known to be small, and nobody looks at it
//! in the loop but a sum of it.

use super::block_writer::{BlockWriter, lead, new_block};
use super::jammed_loops::{Counter, counter};
use super::loop_uses::LoopUses;
use super::ranges::{Range, range};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Fewer rounds than these are not worth a loop of their own; more are as good as these.
const FEWEST: u128 = 256;
const MOST: u128 = 1 << 30;
/// So many blocks are looked through for what a sum begins with.
const DEPTH: u32 = 4;
/// Blocks have a multiple of so many rounds, so that lanes leave none over.
const MULTIPLE: u128 = 64;

/// Rewrites the loops of a function.
pub fn deferred_remainders(function: &mut Function) {
    let mut is_changed = false;
    while let Some(plan) = plan(function) {
        plan.write(function);
        is_changed = true;
    }
    if is_changed {
        function.sort_blocks();
    }
}

/// A sum that each round reduces.
struct Sum {
    /// Its place among the header's parameters.
    place: usize,
    /// The instruction that reduces it, and by what.
    remainder: Inst,
    op: BinaryOp,
    modulus: u64,
    /// What it is in the loop: the parameter, the sum, and that reduced.
    values: [Value; 3],
    addend: Value,
    /// It begins with no more than this.
    begin: u128,
}

/// A loop with such sums.
struct Plan {
    header: Block,
    counter: Counter,
    /// The comparison by which it goes on.
    comparison: Inst,
    inside: Vec<bool>,
    sums: Vec<Sum>,
    /// So many rounds leave all sums numbers of their types.
    rounds: u64,
}

fn plan(function: &Function) -> Option<Plan> {
    let is_remainder = |inst: &InstData| matches!(inst.op, Op::Binary(BinaryOp::URem | BinaryOp::SRem, ..));
    let mut all = function.blocks.iter().flat_map(|block| &block.insts);
    if !all.any(|inst| is_remainder(&function.insts[inst.0 as usize])) {
        return None;
    }
    let graph = Graph::new(function);
    let headers: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block)).collect();
    headers.into_iter().find_map(|header| Plan::of(function, &graph, header))
}

impl Plan {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Plan> {
        let counter = counter(function, graph, header).filter(|counter| counter.step == 1)?;
        let inside = graph.natural_loop(header)?;
        let own = || graph.order.iter().copied().filter(|block| inside[block.0 as usize]);
        let targets = |block: Block| function.blocks[block.0 as usize].terminator.targets();
        let goes_back = |block: &Block| targets(*block).any(|target| target.block == header);
        let latches: Vec<Block> = own().filter(goes_back).collect();
        let is_left = |block: Block| block != header && targets(block).any(|target| !inside[target.block.0 as usize]);
        let ([latch], false) = (&latches[..], own().any(is_left)) else { return None };
        let Terminator::Jump(back) = &function.blocks[latch.0 as usize].terminator else { return None };
        let Terminator::Branch { condition, .. } = function.blocks[header.0 as usize].terminator else { return None };
        let ValueDef::Result(comparison, _) = function.values[condition.0 as usize].def else { return None };
        let compares = Op::Compare(counter.op, counter.value, counter.limit);
        let parameters = &function.blocks[header.0 as usize].parameters;
        let before: Vec<Block> =
            graph.predecessors[header.0 as usize].iter().copied().filter(|block| !inside[block.0 as usize]).collect();
        let begins = |place: usize| {
            let (low, high) = begin(function, graph, &before, header, place, DEPTH);
            (low >= 0).then_some(high)
        };
        let sums: Vec<Sum> = (0..parameters.len())
            .filter_map(|place| Sum::of(function, place, parameters[place], back.arguments[place], begins(place)?))
            .collect();
        if sums.is_empty() {
            return None;
        }
        let uses = LoopUses::of(function, &inside);
        let rounds = rounds(function, &uses, &sums)?;
        // Behind the loop are its parameters, and nothing else of it.
        let insts: FxHashSet<Inst> = own().flat_map(|block| &function.blocks[block.0 as usize].insts).copied().collect();
        let is_own = |value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => inside[block.0 as usize],
            ValueDef::Result(inst, _) => insts.contains(&inst),
        };
        let values = (0..function.values.len() as u32).map(Value);
        let is_seen = |value: Value| uses.behind[value.0 as usize] > 0 && !parameters.contains(&value) && is_own(value);
        if function.insts[comparison.0 as usize].op != compares
            || uses.inside[condition.0 as usize] != 1
            || is_own(counter.limit)
            || function.ty(counter.value).element.bits() < 32
            || values.into_iter().any(is_seen)
        {
            return None;
        }
        Some(Plan { header, counter, comparison, inside, sums, rounds })
    }

    fn write(self, function: &mut Function) {
        let Plan { header, counter, comparison, inside, sums, rounds } = self;
        let graph = Graph::new(function);
        let span = counter.span(function);
        // In the loop the sums are not reduced.
        let same = sums.iter().map(|sum| (sum.values[2], sum.values[1])).collect();
        for data in &mut function.blocks {
            data.insts.retain(|inst| sums.iter().all(|sum| sum.remainder != *inst));
        }
        function.replace_uses(&same);
        let [outer, block, behind] = [(); 3].map(|()| new_block(function));
        let own = function.blocks[header.0 as usize].parameters.clone();
        let mut writer = BlockWriter { function, block: outer, span };
        let parameters = writer.parameters_of(header, outer);
        let to_outer: FxHashMap<Value, Value> = own.iter().copied().zip(parameters.iter().copied()).collect();
        // Behind the loop is what the blocks of rounds leave.
        for index in 0..writer.function.blocks.len() {
            if inside.get(index) == Some(&true) {
                continue;
            }
            let mut look = |value: &mut Value| *value = to_outer.get(value).copied().unwrap_or(*value);
            for inst in writer.function.blocks[index].insts.clone() {
                writer.function.insts[inst.0 as usize].op.for_each_mut(&mut look);
            }
            writer.function.blocks[index].terminator.for_each_mut(&mut look);
        }
        let now = to_outer[&counter.value];
        let (ty, bool) = (writer.function.ty(now), Type::scalar(Element::Bool));
        let goes_on = writer.emit(Op::Compare(counter.op, now, counter.limit), bool);
        let Terminator::Branch { otherwise, .. } = &mut writer.function.blocks[header.0 as usize].terminator else {
            unreachable!("a loop with a counter is left by a branch")
        };
        let mut exit = std::mem::replace(otherwise, Target { block: behind, arguments: Vec::new() });
        exit.arguments.iter_mut().for_each(|value| *value = to_outer.get(value).copied().unwrap_or(*value));
        let then = Target { block, arguments: Vec::new() };
        writer.end(Terminator::Branch { condition: goes_on, then, otherwise: exit });
        // A block of rounds.
        writer.block = block;
        let most = writer.number(rounds, ty);
        let left = writer.emit(Op::Binary(BinaryOp::Sub, counter.limit, now), ty);
        let is_more = writer.emit(Op::Compare(CompareOp::ULt, most, left), bool);
        let further = writer.emit(Op::Binary(BinaryOp::Add, now, most), ty);
        let end = writer.emit(Op::Select(is_more, further, counter.limit), ty);
        writer.end(Terminator::Jump(Target { block: header, arguments: parameters }));
        writer.function.insts[comparison.0 as usize].op = Op::Compare(counter.op, counter.value, end);
        // What it leaves.
        writer.block = behind;
        let mut left = own;
        for sum in &sums {
            let ty = writer.function.ty(left[sum.place]);
            let modulus = writer.number(sum.modulus, ty);
            left[sum.place] = writer.emit(Op::Binary(sum.op, left[sum.place], modulus), ty);
        }
        writer.end(Terminator::Jump(Target { block: outer, arguments: left }));
        lead(function, &graph, |block| inside[block.0 as usize], header, outer);
    }
}

impl Sum {
    /// That in a place of the header's parameters, which begins with no more than a number.
    fn of(function: &Function, place: usize, parameter: Value, next: Value, begin: i64) -> Option<Sum> {
        let result = |value: Value| match function.values[value.0 as usize].def {
            ValueDef::Result(inst, 0) => Some((inst, function.insts[inst.0 as usize].op.clone())),
            _ => None,
        };
        let (remainder, Op::Binary(op @ (BinaryOp::URem | BinaryOp::SRem), sum, by)) = result(next)? else { return None };
        let (_, Op::Binary(BinaryOp::Add, a, b)) = result(sum)? else { return None };
        let ty = function.ty(parameter);
        let (0.., modulus @ 1..) = range(function, by) else { return None };
        let is_constant = matches!(function.definition(by), Some(Op::Const(_)));
        let is_it = ty.length == 1 && is_constant && (a == parameter) != (b == parameter);
        let addend = if a == parameter { b } else { a };
        let begin = begin.max(modulus - 1) as u128;
        let values = [parameter, sum, next];
        is_it.then_some(Sum { place, remainder, op, modulus: modulus as u64, values, addend, begin })
    }
}

/// The numbers that a parameter of a block may be, as these blocks give it: what they were given themselves they hand on.
fn begin(function: &Function, graph: &Graph, from: &[Block], to: Block, place: usize, depth: u32) -> Range {
    let ways = from.iter().flat_map(|&block| function.blocks[block.0 as usize].terminator.targets());
    let given = ways.filter(|target| target.block == to).map(|target| target.arguments[place]);
    let of = |value: Value| match function.values[value.0 as usize].def {
        ValueDef::Parameter(block, index) if depth > 0 && !graph.predecessors[block.0 as usize].is_empty() => {
            begin(function, graph, &graph.predecessors[block.0 as usize], block, index as usize, depth - 1)
        }
        _ => range(function, value),
    };
    given.map(of).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((i64::MIN, i64::MAX))
}

/// How many rounds leave all sums numbers of their types; `None` if these are few, or somebody else looks at a sum.
fn rounds(function: &Function, uses: &LoopUses, sums: &[Sum]) -> Option<u64> {
    let of_sum = |addend: Value| sums.iter().position(|sum| sum.values.contains(&addend));
    let mut most = MOST;
    for (index, sum) in sums.iter().enumerate() {
        // It is used once for itself, and where it is what another sum adds.
        let is_alone = sum.values.iter().all(|value| {
            let added = sums.iter().filter(|other| other.addend == *value).count();
            uses.inside[value.0 as usize] as usize == 1 + added
        });
        let ty = function.ty(sum.values[0]);
        let bits = ty.element.bits() - u32::from(sum.op == BinaryOp::SRem);
        let of_numbers = |addend: Value| match range(function, addend) {
            (0.., high) => Some(high as u128),
            _ => None,
        };
        // What it may be after k rounds.
        let after: Box<dyn Fn(u128) -> u128> = match of_sum(sum.addend) {
            None => {
                let number = of_numbers(sum.addend)?;
                Box::new(move |k| sum.begin + k * number)
            }
            Some(other) if other != index && of_sum(sums[other].addend).is_none() => {
                let (begin, number) = (sums[other].begin, of_numbers(sums[other].addend)?);
                Box::new(move |k| sum.begin + k * begin + number * (k * (k + 1) / 2))
            }
            Some(_) => return None,
        };
        if !is_alone {
            return None;
        }
        let greatest = (1u128 << bits) - 1;
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if after(middle) <= greatest {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        most = low;
    }
    let whole = most / MULTIPLE * MULTIPLE;
    (whole >= FEWEST).then_some(whole as u64)
}
