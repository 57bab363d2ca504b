//! Loops over single numbers most of whose rounds are quiet look at a block of rounds before they ask in which something happens.
//!
//! ```text
//!                                              block6(i):                     while a block of rounds is left
//! block1(i):                                       m = compare.eq (load a + i: i8×32), (splat x)
//!     branch i < n, block2, block5(n)              branch any m, block7, block6(i + 32)
//! block2:                                      block7:
//!     c = compare.eq (load a + i: i8), x  ──►      jump block1(i + first m)
//!     branch c, block5(i), block3              block8:                        fewer are left: the last block of all
//! block3:                                          m = compare.eq (load a + (n − 32): i8×32), (splat x)
//!     jump block1(i + 1)                           branch any m, block1(n − 32 + first m), block1(n)
//! ```
//! It is how C searches: `for (int i = 0; i < n; ++i) if (a[i] == x) return i;`. Where a round that is not quiet changes what the next ones are handed,
//! as in `if (a[i] < best) { best = a[i]; at = i; }`, the loop runs up to where its block ends, and hands it on to the next one:
//!
//! ```text
//! block1(i, best, at, until):                      first by block7, until = the end of its block, or of several
//!     branch i < until, block2, block9
//! block9:
//!     branch until < n, block6(i, best, at), block5
//! ```
//!
//! # Why this is right
//! * A [quiet](super::quiet) round does nothing but to count: nothing is stored, checked or called, and nothing but the counter is another one
//!   in the next round. So rounds before the first one that is not quiet may be left out; the loop itself begins with that one, or behind all.
//! * Lanes that come behind it may be rounds that there are not, or that do something else. What they read has to be there, looked at or not: what is read in
//!   each round of a loop that runs to its end, the elements of an array that has as many as the counter goes to, by what the caller promises, or what is the
//!   same in all rounds and read before a round can be another one.
//!   So are elements downwards from the last one on, which [`upward_counters`](super::super::upward_counters()) made those of a number that goes up.
//! * Lanes of the last block that lie before the counter are not asked where something may have changed since; else they were quiet, and are.
//!   Where there is no block, one of half as many lanes may be there, down to a short register; few rounds are done by the loop itself.
//! * Where block after block has such a round, the loop is asked to run longer each time, so that it takes little more than by itself. Where nothing that rounds change tells which are quiet,
//!   it runs for one round, and longer where the next one to be found is near: a letter of a word that is looked for is every twentieth.

use super::super::block_writer::{BlockWriter, lead};
use super::super::jammed_loops::{Access as Place, Counter, constant, counter};
use super::quiet::Quiet;
use super::sums_below::counter_below;
use super::write::Lanewise;
use super::{Access, LEAST_BYTES, Rounds};
use crate::optimize::Surroundings;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// So many instructions may a round have: each block of rounds is written up to six times.
const MAX_INSTS: usize = 40;
/// Where block after block has a round that is not quiet, so many blocks are left to the loop at once.
const MAX_RUN: u64 = 8;
/// A round that is found so few rounds behind the last run is near.
const NEAR: u64 = 4;
/// So many bits has the counter of a loop that blocks go on behind: twice the longest run is a number of them.
const LEAST_BITS: u32 = 16;

/// A loop of which most rounds are quiet.
pub(super) struct Search {
    /// The quiet ones.
    rounds: Rounds,
    quiet: Quiet,
    /// Rounds of a block.
    times: u8,
    /// Bytes of the widest element that is looked at.
    widest: u64,
    /// Is it known that the counter does not begin below 0?
    is_positive: bool,
    /// May the loop go on behind a round that is not quiet?
    goes_on: bool,
    /// Are blocks right whatever that round changes?
    is_told_by_itself: bool,
}

impl Search {
    pub(super) fn of(function: &Function, graph: &Graph, header: Block, around: Surroundings<'_>) -> Option<Search> {
        let machine = around.machine;
        let (rounds, quiet, inside) = Rounds::quiet(function, graph, around, header)?;
        // Calls of rounds that are not come to might not end.
        if !rounds.calls.is_empty() {
            return None;
        }
        let insts = rounds.blocks.iter().map(|block| function.blocks[block.0 as usize].insts.len()).sum::<usize>();
        let counter = counter(function, graph, header).or_else(|| counter_below(function, graph, header));
        let is_counting = counter.is_some_and(|counter| counter.step == 1);
        if !is_counting || insts > MAX_INSTS || !rounds.knows_its_end(function, graph, &inside) {
            return None;
        }
        let widest = rounds.accesses.iter().filter(|access| access.step != Some(0)).map(|access| access.size).max()?;
        let times = machine.lanes(widest);
        let is_short = rounds.counter.rounds(function).is_some_and(|rounds| rounds < 2 * u64::from(times));
        let begins_positive = rounds.counter.start.is_some_and(|start| constant(function, start).is_some());
        let is_positive = begins_positive || rounds.counter.op == CompareOp::ULt;
        let goes_on = !quiet.made.is_empty() || quiet.ways.iter().any(|(_, to)| inside[to.0 as usize]);
        let is_worth_it = times > 1 && !is_short && quiet.is_likely(function, graph, &inside);
        let is_told_by_itself = quiet.is_told_by_itself(function);
        let mut search = Search { rounds, quiet, times, widest, is_positive, goes_on, is_told_by_itself };
        // How long the loop may run is a number of as many bits as the counter has.
        let counts_runs = is_positive && function.ty(search.rounds.counter.value).element.bits() >= LEAST_BITS;
        let is_right = is_worth_it && (counts_runs || !goes_on) && search.may_read_ahead(function, graph);
        // So it is there in all rounds, whether they look at it or not.
        search.rounds.accesses.iter_mut().for_each(|access| access.is_there = true);
        is_right.then_some(search)
    }

    /// Is what a round would read there, whether rounds before it leave the loop or not?
    fn may_read_ahead(&self, function: &Function, graph: &Graph) -> bool {
        let Rounds { counter, accesses, .. } = &self.rounds;
        let first = &function.blocks[counter.body.0 as usize].insts;
        let is_exact = matches!(function.values[counter.limit.0 as usize].def, ValueDef::Parameter(Block(0), _));
        let is_promised = |access: &Access| {
            // A number of elements less some may wrap: then each round looks at others beside them.
            let is_beside = accesses.iter().any(|other| {
                first.contains(&other.inst) && other.step == access.step && other.address.distance(&access.address).is_some()
            });
            let ty = function.ty(function.insts[access.inst.0 as usize].results[0]);
            let place = Place::of(counter.body, access.pointer, ty, None);
            // A counter that begins below 0 is left to the loop.
            (is_exact || is_beside) && place.promised_from(function, graph, Some(0)).is_some()
        };
        accesses.iter().all(|access| match access.step {
            _ if access.is_store => false,
            Some(step) if (step == 0 || step == access.size as i64) && self.rounds.is_there_below_sum(function, access) => true,
            Some(0) => first.contains(&access.inst),
            Some(step) if step.unsigned_abs() != access.size => false,
            Some(_) if self.quiet.runs_to_its_end && access.in_each => true,
            Some(step) if step > 0 => is_promised(access),
            Some(_) => self.rounds.is_promised_downwards(function, access),
            None => false,
        })
    }

    /// Writes the blocks in front of the loop.
    pub(super) fn write(&self, function: &mut Function, graph: &Graph) {
        self.rounds.hoist(function, graph);
        let (header, counter) = (self.rounds.header, self.rounds.counter);
        let span = counter.span(function);
        let (ty, bool) = (function.ty(counter.value), Type::scalar(Element::Bool));
        let mut to = BlockWriter { function, block: header, span };
        let start = to.new_block();
        let given = to.parameters_of(header, start);
        let first = given[counter.index];
        let [blocks, body, tail, last, shorter] = [(); 5].map(|()| to.new_block());
        let now = to.parameters_of(header, blocks);
        let run = to.parameter(blocks, ty);
        if self.goes_on {
            self.end_at_blocks(&mut to, blocks);
        }
        lead(to.function, graph, |block| self.rounds.blocks.contains(&block), header, start);
        let old = Old { header, counter: counter.index, limit: counter.limit, goes_on: self.goes_on };
        let go = |block: Block| Target { block, arguments: Vec::new() };

        to.block = start;
        if !self.is_positive {
            let zero = to.number(0, ty);
            let condition = to.emit(Op::Compare(CompareOp::SGe, first, zero), bool);
            let next = to.new_block();
            to.end(Terminator::Branch { condition, then: go(next), otherwise: old.from(&given, first, None) });
            to.block = next;
        }
        // Behind a short run blocks begin anywhere.
        let begins = counter.start.filter(|_| !self.goes_on || !self.is_told_by_itself);
        let bound = Counter { start: begins, ..counter }.bound(&mut to, self.times.into());
        let times = to.number(self.times.into(), ty);
        let shortest = if self.is_told_by_itself { to.number(1, ty) } else { times };
        to.end(Terminator::Jump(Target { block: blocks, arguments: given.into_iter().chain([shortest]).collect() }));

        to.block = blocks;
        let at = now[counter.index];
        let condition = to.emit(Op::Compare(counter.op, at, bound), bool);
        to.end(Terminator::Branch { condition, then: go(body), otherwise: go(tail) });

        to.block = body;
        let mask = self.finds(&mut to, &now, at, self.times);
        let next = to.emit(Op::Binary(BinaryOp::Add, at, times), ty);
        let mut arguments: Vec<Value> = now.iter().copied().chain([shortest]).collect();
        arguments[counter.index] = next;
        self.ask(&mut to, Found { lanes: mask, at, run: Some(run) }, &now, &old, Target { block: blocks, arguments });

        // That there was a block is asked of the counter, which is another one each time: who knew it before would have a loop for each answer.
        to.block = tail;
        let condition = to.emit(Op::Compare(CompareOp::Ne, at, first), bool);
        to.end(Terminator::Branch { condition, then: go(last), otherwise: go(shorter) });

        to.block = last;
        self.look_at_last(&mut to, &now, self.times, &old, self.goes_on);

        to.block = shorter;
        let mut times = self.times / 2;
        while u64::from(times) * self.widest >= LEAST_BYTES {
            let condition = counter.are_left(&mut to, at, times.into());
            let [both, last, fewer] = [(); 3].map(|()| to.new_block());
            to.end(Terminator::Branch { condition, then: go(both), otherwise: go(fewer) });
            to.block = both;
            let mask = self.finds(&mut to, &now, at, times);
            self.ask(&mut to, Found { lanes: mask, at, run: None }, &now, &old, go(last));
            to.block = last;
            self.look_at_last(&mut to, &now, times, &old, false);
            to.block = fewer;
            times /= 2;
        }
        to.end(Terminator::Jump(old.from(&now, at, None)));

        if !self.goes_on {
            // It has few rounds.
            to.block = header;
            to.effect(Op::Unroll(Unrolling::Rounds(1)));
        }
    }

    /// The lanes that are not quiet, of the rounds from one on.
    fn finds(&self, to: &mut BlockWriter<'_>, now: &[Value], at: Value, times: u8) -> Value {
        let Rounds { header, counter, .. } = &self.rounds;
        let parameters = to.function.blocks[header.0 as usize].parameters.clone();
        let mut same = parameters.into_iter().zip(now.iter().copied()).collect();
        let mut lanewise = Lanewise::new(&self.rounds, to, times, &mut same);
        lanewise.same.insert(counter.value, at);
        lanewise.round();
        let ways = self.quiet.ways.iter().map(|&(from, to)| lanewise.way(from, to).expect("a branch leads to what is rare"));
        let mut found: Vec<Value> = ways.collect();
        for &(made, parameter) in &self.quiet.made {
            let [made, parameter] = [made, parameter].map(|value| {
                let value = lanewise.vector(value);
                let ty = lanewise.to.function.ty(value);
                let bits = ty.with_element(Element::integer(ty.element.size()).expect("a number has bits"));
                if ty == bits { value } else { lanewise.to.emit(Op::Convert(ConvertOp::Bits, value), bits) }
            });
            found.push(lanewise.to.emit(Op::Compare(CompareOp::Ne, made, parameter), Type::new(Element::Bool, times)));
        }
        let either = |a: Value, b: Value| to.emit(Op::Binary(BinaryOp::Or, a, b), Type::new(Element::Bool, times));
        found.into_iter().reduce(either).expect("something tells quiet rounds from others")
    }

    /// Begins with the first lane that is found, or goes on.
    fn ask(&self, to: &mut BlockWriter<'_>, found: Found, now: &[Value], old: &Old, otherwise: Target) {
        let Found { lanes, at, run } = found;
        let begin = to.new_block();
        let condition = to.emit(Op::Any(lanes), Type::scalar(Element::Bool));
        to.end(Terminator::Branch { condition, then: Target { block: begin, arguments: Vec::new() }, otherwise });
        to.block = begin;
        let lanes = to.emit(Op::MaskBits(lanes), Type::scalar(Element::I64));
        let first = first_of(to, lanes, at);
        let end = run.filter(|_| self.goes_on).map(|run| match self.is_told_by_itself {
            true => self.end_of_short_run(to, [at, first], run),
            false => self.end_of_run(to, at, run),
        });
        to.end(Terminator::Jump(old.from(now, first, end)));
    }

    /// Where the loop is to leave off that begins in the block at `at` and may run so long, and how long it may run next time.
    fn end_of_run(&self, to: &mut BlockWriter<'_>, at: Value, run: Value) -> [Value; 2] {
        let ty = to.function.ty(at);
        let left = to.emit(Op::Binary(BinaryOp::Sub, self.rounds.counter.limit, at), ty);
        let rounds = to.emit(Op::Binary(BinaryOp::UMin, run, left), ty);
        let until = to.emit(Op::Binary(BinaryOp::Add, at, rounds), ty);
        let twice = to.emit(Op::Binary(BinaryOp::Add, run, run), ty);
        let most = to.number(MAX_RUN * u64::from(self.times), ty);
        [until, to.emit(Op::Binary(BinaryOp::UMin, twice, most), ty)]
    }

    /// The same of a run that begins with a round that was found in a block.
    fn end_of_short_run(&self, to: &mut BlockWriter<'_>, [at, first]: [Value; 2], run: Value) -> [Value; 2] {
        let (ty, bool) = (to.function.ty(at), Type::scalar(Element::Bool));
        let left = to.emit(Op::Binary(BinaryOp::Sub, self.rounds.counter.limit, first), ty);
        let rounds = to.emit(Op::Binary(BinaryOp::UMin, run, left), ty);
        let until = to.emit(Op::Binary(BinaryOp::Add, first, rounds), ty);
        let passed = to.emit(Op::Binary(BinaryOp::Sub, first, at), ty);
        let [near, one, most] = [NEAR, 1, MAX_RUN * u64::from(self.times)].map(|number| to.number(number, ty));
        let is_near = to.emit(Op::Compare(CompareOp::ULt, passed, near), bool);
        let twice = to.emit(Op::Binary(BinaryOp::Add, run, run), ty);
        let longer = to.emit(Op::Binary(BinaryOp::UMin, twice, most), ty);
        [until, to.emit(Op::Select(is_near, longer, one), ty)]
    }

    /// Looks at the last rounds of all; where others before them may have changed something, at those from the counter on.
    fn look_at_last(&self, to: &mut BlockWriter<'_>, now: &[Value], times: u8, old: &Old, is_changed: bool) {
        let Counter { limit, index, op, .. } = self.rounds.counter;
        let (ty, bits, bool) = (to.function.ty(limit), Type::scalar(Element::I64), Type::scalar(Element::Bool));
        let rounds_before = |to: &mut BlockWriter<'_>| {
            let times = to.number(times.into(), ty);
            to.emit(Op::Binary(BinaryOp::Sub, limit, times), ty)
        };
        if !is_changed {
            let at = rounds_before(to);
            let lanes = self.finds(to, now, at, times);
            return self.ask(to, Found { lanes, at, run: None }, now, old, old.from(now, limit, None));
        }
        let left = to.emit(Op::Compare(op, now[index], limit), bool);
        let [look, found] = [(); 2].map(|()| to.new_block());
        let (go, end) = (|block: Block| Target { block, arguments: Vec::new() }, old.from(now, limit, None));
        to.end(Terminator::Branch { condition: left, then: go(look), otherwise: end.clone() });
        to.block = look;
        let at = rounds_before(to);
        let lanes = self.finds(to, now, at, times);
        let mut passed = to.emit(Op::Binary(BinaryOp::Sub, now[index], at), ty);
        if ty != bits {
            passed = to.emit(Op::Convert(ConvertOp::ZExt, passed), bits);
        }
        let lanes = to.emit(Op::MaskBits(lanes), bits);
        let lanes = to.emit(Op::Binary(BinaryOp::LShr, lanes, passed), bits);
        let none = to.number(0, bits);
        let condition = to.emit(Op::Compare(CompareOp::Ne, lanes, none), bool);
        to.end(Terminator::Branch { condition, then: go(found), otherwise: end });
        to.block = found;
        let first = first_of(to, lanes, now[index]);
        to.end(Terminator::Jump(old.from(now, first, None)));
    }

    /// The loop gets two parameters: where blocks go on, if that is not its limit, and how long it runs next time.
    fn end_at_blocks(&self, to: &mut BlockWriter<'_>, blocks: Block) {
        let Rounds { header, counter, blocks: quiet, .. } = &self.rounds;
        let mut parameters = to.function.blocks[header.0 as usize].parameters.clone();
        let ty = to.function.ty(counter.value);
        let [until, run] = [(); 2].map(|()| to.parameter(*header, ty));
        parameters.push(run);
        let latch = *quiet.last().expect("a round has a block");
        to.function.blocks[latch.0 as usize].terminator.targets_mut().for_each(|back| back.arguments.extend([until, run]));

        let left = to.new_block();
        to.block = *header;
        let is_inside = to.emit(Op::Compare(counter.op, counter.value, until), Type::scalar(Element::Bool));
        let Terminator::Branch { condition, otherwise, .. } = &mut to.function.blocks[header.0 as usize].terminator else {
            unreachable!("the header counts");
        };
        let old = std::mem::replace(condition, is_inside);
        let out = std::mem::replace(otherwise, Target { block: left, arguments: Vec::new() });
        // What else it goes on by is not so where there are blocks.
        if let Some(&Op::Binary(BinaryOp::Or, _, other)) = to.function.definition(old) {
            let goes_on = to.emit(Op::Binary(BinaryOp::Or, is_inside, other), Type::scalar(Element::Bool));
            if let Terminator::Branch { condition, .. } = &mut to.function.blocks[header.0 as usize].terminator {
                *condition = goes_on;
            }
        }

        to.block = left;
        let goes_on = to.emit(Op::Compare(counter.op, until, counter.limit), Type::scalar(Element::Bool));
        let then = Target { block: blocks, arguments: parameters };
        to.end(Terminator::Branch { condition: goes_on, then, otherwise: out });
    }
}

/// Lanes of the rounds from one on that are not quiet.
struct Found {
    lanes: Value,
    at: Value,
    /// So many rounds are left to the loop before blocks go on; `None`: all.
    run: Option<Value>,
}

/// The loop as it was.
struct Old {
    header: Block,
    /// The place of its counter.
    counter: usize,
    limit: Value,
    /// May blocks go on behind it?
    goes_on: bool,
}

impl Old {
    /// It, from a round on, up to where blocks go on, with how long it may run next time; `None`: to its end.
    fn from(&self, now: &[Value], at: Value, end: Option<[Value; 2]>) -> Target {
        let mut arguments = now.to_vec();
        arguments[self.counter] = at;
        if self.goes_on {
            arguments.extend(end.unwrap_or([self.limit; 2]));
        }
        Target { block: self.header, arguments }
    }
}

/// The round of the lowest bit.
fn first_of(to: &mut BlockWriter<'_>, lanes: Value, at: Value) -> Value {
    let (ty, bits) = (to.function.ty(at), Type::scalar(Element::I64));
    let mut first = to.emit(Op::Unary(UnaryOp::Ctz, lanes), bits);
    if ty != bits {
        first = to.emit(Op::Convert(ConvertOp::Trunc, first), ty);
    }
    to.emit(Op::Binary(BinaryOp::Add, at, first), ty)
}
