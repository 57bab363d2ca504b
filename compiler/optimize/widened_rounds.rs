//! Several rounds of a loop over short vectors are one round of longer ones.
//!
//! ```text
//! block1(i):                                  block6(i):
//!     branch i < n, block2, block3                branch n − i ≥ 32, block7, block1(i)
//! block2:                                     block7:
//!     x = load a[i]: i8×8                         x = load a[i]: i8×32
//!     y = add x, x                      ──►       y = add x, x
//!     store o[i], y                               store o[i], y
//!     jump block1(i + 8)                          jump block6(i + 32)
//!                                             block1(i): those that are left, as before
//! ```
//! A block has the lanes that a register has of numbers of 32 bits, unless the program says otherwise. Of bytes these fill a quarter of a register; an operation on
//! a whole one costs as much. What is loaded or stored backwards, `a[n - 1 - i]`, is so in longer vectors, whose rounds are put in order by a shuffle.
//!
//! # Why this is right
//! * *Values.* Lane l of round r is lane r·N + l of the longer round. All operations work lane by lane, on what the rounds share, or on numbers and addresses that
//!   go on from lane to lane and from round to round alike.
//! * *Memory.* Of two accesses of which one writes, the later one of a round comes behind the earlier one of all rounds. So no lane may touch what another lane
//!   writes: the two lead to different memory, or each lane has its own part of it.
//! * *Totals.* A vector that rounds add to, or combine by another operation on integers that is the same in any order, is one for each round of a longer one; they
//!   begin with what changes nothing, and behind the loop all become one, with what the first began with.
//! * *Counts.* How many lanes of all rounds are on is how many bits of the longer mask are: a number that grows by that needs no vector.
//! * *Control.* Nothing else goes from round to round but the counter, and no round branches.

mod lanes;
mod touches;
mod work;

use super::Surroundings;
use super::addresses::Apart;
use super::alias::may_touch;
use super::block_writer::{BlockWriter, lead};
use super::combined::LoopBlocks;
use super::counted_loop::values_of;
use super::jammed_loops::{Counter, counter};
use super::memory_access::Forms;
use super::partial_reductions::{folded, is_any_order, nothing};
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use work::Work;

pub(super) use lanes::{Lanes, for_rounds, is_vector, longer};
pub(super) use touches::Touch;

/// So many rounds become one at most.
const MOST: u8 = 8;
/// One register of so many that a round works on is saved at least.
const WORTH: usize = 6;
/// Rounds of more instructions are left alone.
const MAX_INSTS: usize = 300;

/// Lengthens the vectors of a function's loops.
pub fn widened_rounds(function: &mut Function, around: Surroundings<'_>) {
    let is_narrow = |inst: &InstData| {
        let is_narrow = |value: &Value| {
            let ty = function.ty(*value);
            ty.length > 1 && ty.bytes() * 2 <= u64::from(around.machine.register_bytes)
        };
        matches!(inst.op, Op::Load { .. } | Op::StridedLoad { .. } | Op::Gather { .. }) && inst.results.iter().any(is_narrow)
            || matches!(&inst.op, Op::Store { value, .. } | Op::Scatter { value, .. } if is_narrow(value))
    };
    if !function.insts.iter().any(is_narrow) {
        return;
    }
    // What earlier passes left without use is no work.
    super::dead_code(function);
    let graph = Graph::new(function);
    let headers: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block)).collect();
    let mut is_changed = false;
    for header in headers {
        if let Some(found) = Rounds::of(function, &graph, header)
            && let Some(times) = found.times(function, around.machine)
        {
            found.write(function, &graph, times);
            is_changed = true;
        }
    }
    if is_changed {
        function.sort_blocks();
    }
}

/// A vector of integers that rounds add to, or combine by another operation.
pub(super) struct Total {
    /// The place of the parameter.
    pub(super) index: usize,
    pub(super) op: BinaryOp,
}

impl Total {
    /// That in a place of the parameters of a loop.
    pub(super) fn of(blocks: LoopBlocks<'_>, index: usize) -> Option<Total> {
        let combined = blocks.combined(index).filter(|combined| is_any_order(combined.op))?;
        Some(Total { index, op: combined.op })
    }

    /// A mask whose lanes go off where something does not hold in a round, or go on where something does.
    fn all_or_any(blocks: LoopBlocks<'_>, index: usize) -> Option<Total> {
        let function = blocks.function;
        let (parameter, next) = (function.blocks[blocks.header.0 as usize].parameters[index], blocks.next()[index]);
        let last = blocks.inst(next)?;
        let Op::Select(mask, becomes, stays) = function.insts[last.0 as usize].op else { return None };
        let becomes = function.constant(becomes)?;
        let is_alone = blocks.is_only_used(parameter, &[last], None) && blocks.is_only_used(next, &[], Some(index));
        let is_mask = function.ty(parameter).element == Element::Bool && function.ty(mask).length > 1;
        let is_alike = becomes.iter().all(|lane| *lane == becomes[0]);
        let op = if becomes[0] == 0 { BinaryOp::And } else { BinaryOp::Or };
        (is_mask && stays == parameter && mask != parameter && is_alone && is_alike).then_some(Total { index, op })
    }
}

/// A loop of a header and a body whose rounds may be one.
struct Rounds {
    header: Block,
    counter: Counter,
    totals: Vec<Total>,
    /// What the loop does but for its end, in order.
    insts: Vec<Inst>,
    lanes: Lanes,
}

impl Rounds {
    fn of(function: &mut Function, graph: &Graph, header: Block) -> Option<Rounds> {
        let counter = counter(function, graph, header)?;
        let [head, body] = [header, counter.body].map(|block| &function.blocks[block.0 as usize]);
        let (Terminator::Branch { condition, .. }, Terminator::Jump(back)) = (&head.terminator, &body.terminator) else {
            return None;
        };
        let is_pair = graph.predecessors[counter.body.0 as usize] == [header] && body.parameters.is_empty();
        if !is_pair || back.block != header {
            return None;
        }
        let (pair, mut totals) = (LoopBlocks::of_pair(function, header, &counter.body), Vec::new());
        let mut counting = FxHashSet::default();
        for (index, (parameter, next)) in head.parameters.iter().zip(&back.arguments).enumerate() {
            if index == counter.index || parameter == next && function.ty(*parameter).length == 1 {
                continue;
            }
            totals.push(match count(pair, index) {
                Some(steps) => {
                    counting.extend(steps);
                    Total { index, op: BinaryOp::Add }
                }
                None => Total::of(pair, index).or_else(|| Total::all_or_any(pair, index))?,
            });
        }
        let all = || head.insts.iter().chain(&body.insts).copied();
        let results = |inst: Inst| function.insts[inst.0 as usize].results.iter().copied();
        let inside = all().flat_map(results).chain(head.parameters.iter().copied()).collect();
        let insts: Vec<Inst> = all().filter(|&inst| results(inst).all(|result| result != *condition)).collect();
        let scalars = head.parameters.iter().filter(|parameter| function.ty(**parameter).length == 1);
        let steps = scalars.map(|&parameter| (parameter, i64::from(parameter == counter.value))).collect();
        let mut lanes = Lanes { lanes: counter.lanes()?, inside, steps };
        for &inst in insts.iter().filter(|&&inst| results(inst).all(|result| !counting.contains(&result))) {
            lanes.learn(function, &function.insts[inst.0 as usize])?;
        }
        let is_known = !lanes.inside.contains(&counter.limit);
        let rounds = Rounds { header, counter, totals, insts, lanes };
        (is_known && rounds.insts.len() <= MAX_INSTS && rounds.is_apart(function)).then_some(rounds)
    }

    /// Does no lane touch what another one writes?
    fn is_apart(&self, function: &mut Function) -> bool {
        let mut forms = Forms::default();
        let touches: Vec<Touch> =
            self.insts.iter().filter_map(|&inst| Touch::of(function, &mut forms, inst, self.lanes.lanes)).collect();
        let op = |touch: &Touch| &function.insts[touch.inst.0 as usize].op;
        let is_written = |touch: &&Touch| matches!(op(touch), Op::Store { .. } | Op::Scatter { .. });
        touches.iter().filter(is_written).all(|written| {
            let is_apart = |other: &Touch| other.inst == written.inst || written.has_lanes_beside(other);
            touches.iter().all(|other| is_apart(other) || !may_touch(function, op(other), written.pointer))
        })
    }

    /// How many rounds are to be one.
    fn times(&self, function: &Function, machine: &Machine) -> Option<u8> {
        let work = |times: u8| Work { rounds: self, function, machine, times };
        let least = self.narrowest(function)?;
        let longest = self.lanes.inside.iter().map(|&value| function.ty(value).length).max()?;
        let fitting = |times: &u8| {
            longest.checked_mul(*times).is_some_and(|length| length <= Type::MOST_LANES)
                && u64::from(self.lanes.lanes) * u64::from(*times) * least <= u64::from(machine.register_bytes)
        };
        let now = work(1).operations();
        [MOST, MOST / 2, 2].into_iter().filter(fitting).find(|&times| {
            let (apart, together) = (now * usize::from(times), work(times).operations());
            apart.saturating_sub(together) * WORTH >= apart && work(times).most_alive() <= usize::from(machine.registers)
        })
    }

    /// Bytes of the narrowest lanes that are in memory.
    fn narrowest(&self, function: &Function) -> Option<u64> {
        let in_memory = |&inst: &Inst| match function.insts[inst.0 as usize] {
            InstData { op: Op::Load { .. } | Op::StridedLoad { .. } | Op::Gather { .. }, ref results, .. } => Some(results[0]),
            InstData { op: Op::Store { value, .. } | Op::Scatter { value, .. }, .. } => Some(value),
            _ => None,
        };
        let vectors = self.insts.iter().filter_map(in_memory).filter(|&value| is_vector(function, value));
        vectors.map(|value| function.ty(value).element.size()).min()
    }

    /// Runs so many rounds at once while as many are left.
    fn write(&self, function: &mut Function, graph: &Graph, times: u8) {
        let rounds = LongerRounds {
            header: self.header,
            counter: self.counter,
            totals: &self.totals,
            carried: &[],
            times,
            of_total: for_rounds,
            apart: &[],
            are_few: false,
        };
        let is_inside = |block: Block| block == self.counter.body;
        rounds.write(function, graph, is_inside, |to, same| {
            for &inst in &self.insts {
                self.lanes.lengthen(to, inst, times, same);
            }
            let next = LoopBlocks::of_pair(to.function, self.header, &self.counter.body).next();
            next.iter().map(|value| same.get(value).copied().unwrap_or(*value)).collect()
        });
    }
}

/// The steps by which the number in a place of the parameters grows by how many lanes of a mask are on, where nobody else looks at them.
fn count(blocks: LoopBlocks<'_>, place: usize) -> Option<Vec<Value>> {
    let function = blocks.function;
    let (parameter, next) = (function.blocks[blocks.header.0 as usize].parameters[place], blocks.next()[place]);
    let mut by = vec![blocks.inst(next)?];
    let Op::Binary(BinaryOp::Add, a, b) = function.insts[by[0].0 as usize].op else { return None };
    let (mut value, mut steps) = (if a == parameter { b } else { a }, vec![next]);
    let mut is_counted = false;
    loop {
        by.push(blocks.inst(value)?);
        steps.push(value);
        value = match *function.definition(value)? {
            Op::Convert(ConvertOp::Trunc | ConvertOp::ZExt, a) => a,
            Op::Unary(UnaryOp::Popcnt, a) if !is_counted => {
                is_counted = true;
                a
            }
            Op::MaskBits(_) if is_counted => break,
            _ => return None,
        };
    }
    let is_alone = (a == parameter) != (b == parameter)
        && blocks.is_only_used(parameter, &by[..1], None)
        && blocks.is_only_used(next, &[], Some(place))
        && steps[1..].iter().all(|&step| blocks.is_only_used(step, &by, None));
    is_alone.then_some(steps)
}

/// A loop of longer rounds in front of the one that it was.
pub(super) struct LongerRounds<'a> {
    pub(super) header: Block,
    pub(super) counter: Counter,
    pub(super) totals: &'a [Total],
    /// The places of parameters that are as many lanes as rounds, of which the last one goes on.
    pub(super) carried: &'a [usize],
    /// So many rounds are one.
    pub(super) times: u8,
    /// What a total of a round is for so many.
    pub(super) of_total: fn(Type, u8) -> Type,
    /// What has to be so many bytes apart; else the old loop does all.
    pub(super) apart: &'a [(Apart, u64)],
    /// Are there few such rounds, too?
    pub(super) are_few: bool,
}

impl LongerRounds<'_> {
    /// Writes it; the old loop does what is left. `body` is handed the parameters of the header as they are in a longer round, writes that round from where
    /// the writer stands on, adds what it makes of the values of the old one, and gives what the parameters become.
    pub(super) fn write(
        &self,
        function: &mut Function,
        graph: &Graph,
        is_inside: impl Fn(Block) -> bool,
        body: impl FnOnce(&mut BlockWriter<'_>, &mut FxHashMap<Value, Value>) -> Vec<Value>,
    ) {
        let span = self.counter.span(function);
        let mut to = BlockWriter { function, block: self.header, span };
        let [start, header, inside, out] = [(); 4].map(|()| to.new_block());
        let target = |block: Block, arguments: Vec<Value>| Target { block, arguments };
        let old = to.function.blocks[self.header.0 as usize].parameters.clone();

        to.block = start;
        let given = to.parameters_of(self.header, start);
        let mut bound = self.counter.bound(&mut to, self.times.into());
        let own = if self.apart.is_empty() {
            FxHashSet::default()
        } else {
            let all = (0..to.function.blocks.len() as u32).map(Block);
            values_of(to.function, &all.filter(|block| *block == self.header || is_inside(*block)).collect::<Vec<_>>())
        };
        let mut known: FxHashMap<Value, Value> = old.iter().copied().zip(given.iter().copied()).collect();
        let are_counted = self.apart.iter().any(|(apart, _)| apart.counts_rounds());
        let rounds = are_counted.then(|| self.counter.all_rounds(&mut to, given[self.counter.index]));
        for (apart, bytes) in self.apart {
            let here = |to: &mut BlockWriter<'_>, value| to.again(value, &|_, value| own.contains(&value), &mut known);
            let is_apart = apart.is_at_least(&mut to, *bytes, rounds, here);
            let ty = to.function.ty(bound);
            let none = if self.counter.op == CompareOp::SLt { 1 << (ty.element.bits() - 1) } else { 0 };
            let none = to.number(none, ty);
            bound = to.emit(Op::Select(is_apart, bound, none), ty);
        }
        let is_folded = |function: &Function, total: &Total| {
            let ty = function.ty(old[total.index]);
            (self.of_total)(ty, self.times) != ty
        };
        // Totals that no longer round adds to need not be folded.
        if !self.carried.is_empty() || self.totals.iter().any(|total| is_folded(to.function, total)) {
            let begin = to.new_block();
            let condition = Op::Compare(self.counter.op, given[self.counter.index], bound);
            let condition = to.emit(condition, Type::scalar(Element::Bool));
            let (then, otherwise) = (target(begin, Vec::new()), target(self.header, given.clone()));
            to.end(Terminator::Branch { condition, then, otherwise });
            to.block = begin;
        }
        // Longer totals begin with what changes nothing, so that two of the same are one; what the old one begins with comes behind the loop.
        let (mut first, mut now) = (given.clone(), Vec::new());
        for (index, &parameter) in old.iter().enumerate() {
            let ty = to.function.ty(parameter);
            let total = self.totals.iter().find(|total| total.index == index);
            let is_carried = self.carried.contains(&index);
            let all = if total.is_some() || is_carried { (self.of_total)(ty, self.times) } else { ty };
            now.push(to.parameter(header, all));
            if is_carried {
                first[index] = to.emit(Op::Splat(given[index]), all);
            }
            if let Some(total) = total.filter(|_| all != ty) {
                first[index] = to.number(nothing(total.op, all.element), all);
            }
        }
        to.end(Terminator::Jump(target(header, first)));

        to.block = header;
        let condition = Op::Compare(self.counter.op, now[self.counter.index], bound);
        let condition = to.emit(condition, Type::scalar(Element::Bool));
        let (then, otherwise) = (target(inside, Vec::new()), target(out, Vec::new()));
        to.end(Terminator::Branch { condition, then, otherwise });
        if self.are_few {
            to.effect(Op::Unroll(Unrolling::Rounds(1)));
        }

        to.block = out;
        let mut left = now.clone();
        for total in self.totals {
            let one = to.function.ty(old[total.index]);
            if to.function.ty(now[total.index]) != one {
                let new = to.with(|writer| folded(writer, now[total.index], total.op, one));
                left[total.index] = to.emit(Op::Binary(total.op, given[total.index], new), one);
            }
        }
        for &index in self.carried {
            let last = to.number(u64::from(self.times) - 1, Type::scalar(Element::I32));
            left[index] = to.emit(Op::Extract(now[index], last), to.function.ty(old[index]));
        }
        to.end(Terminator::Jump(target(self.header, left)));

        to.block = inside;
        let mut same: FxHashMap<Value, Value> = old.iter().copied().zip(now.iter().copied()).collect();
        let next = body(&mut to, &mut same);
        for index in (0..now.len()).filter(|&index| index != self.counter.index) {
            now[index] = next[index];
        }
        let counter = now[self.counter.index];
        let ty = to.function.ty(counter);
        let step = to.number(u64::from(self.times) * self.counter.step, ty);
        now[self.counter.index] = to.emit(Op::Binary(BinaryOp::Add, counter, step), ty);
        to.end(Terminator::Jump(target(header, now)));

        // Few rounds are left for the old loop.
        to.block = self.header;
        if !self.are_few {
            to.effect(Op::Unroll(Unrolling::Rounds(1)));
        }
        lead(function, graph, is_inside, self.header, start);
    }
}
