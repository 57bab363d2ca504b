//! Loops over single numbers that are left where a round finds something look at a block of rounds before they ask in which.
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
//! It is how C searches: `for (int i = 0; i < n; ++i) if (a[i] == x) return i;`.
//!
//! # Why this is right
//! * A round that goes back to the header does nothing but to count: nothing is stored, checked or called, and nothing but the counter is another one
//!   in the next round. So rounds before the first one that leaves the loop may be left out; the loop itself begins with that one, or behind all.
//! * Lanes that come behind it are rounds that there are not. What they read has to be there, looked at or not: the elements of an array that has as
//!   many as the counter goes to, by what the caller promises, or what is the same in all rounds and read before a round can leave the loop.
//! * What lies before the last block has found nothing when the last block looks at it once more. Where there is no block, one of half as many lanes
//!   may be there, down to a short register; few rounds are done by the loop itself.

use super::super::block_writer::{BlockWriter, lead};
use super::super::jammed_loops::{Access as Place, constant};
use super::write::Lanewise;
use super::{Access, LEAST_BYTES, Rounds};
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// So many instructions may a round have: each block of rounds is written up to six times.
const MAX_INSTS: usize = 40;

/// A loop that is left by what a round finds.
pub(super) struct Search {
    rounds: Rounds,
    /// Who leaves it, and for where, but the header.
    exits: Vec<(Block, Block)>,
    /// Rounds of a block.
    times: u8,
    /// Bytes of the widest element that is looked at.
    widest: u64,
    /// Is it known that the counter does not begin below 0?
    is_positive: bool,
}

impl Search {
    pub(super) fn of(function: &Function, graph: &Graph, header: Block, machine: &Machine) -> Option<Search> {
        let (rounds, inside) = Rounds::shape(function, graph, header)?;
        let targets =
            |block: Block| function.blocks[block.0 as usize].terminator.targets().map(move |target| (block, target.block));
        let leaves = |(_, to): &(Block, Block)| !inside[to.0 as usize];
        let exits: Vec<(Block, Block)> = rounds.blocks.iter().flat_map(|&block| targets(block)).filter(leaves).collect();
        let insts = rounds.blocks.iter().map(|block| function.blocks[block.0 as usize].insts.len()).sum::<usize>();
        let is_counting = rounds.totals.is_empty() && rounds.counter.step == 1 && rounds.counter.op == CompareOp::SLt;
        if exits.is_empty() || !is_counting || insts > MAX_INSTS || !rounds.knows_its_end(function, graph, &inside) {
            return None;
        }
        let widest = rounds.accesses.iter().filter(|access| access.step != Some(0)).map(|access| access.size).max()?;
        let times = machine.lanes(widest);
        let is_short = rounds.counter.rounds(function).is_some_and(|rounds| rounds < 2 * u64::from(times));
        let is_positive = rounds.counter.start.is_some_and(|start| constant(function, start).is_some());
        let search = Search { rounds, exits, times, widest, is_positive };
        (times > 1 && !is_short && search.may_read_ahead(function, graph)).then_some(search)
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
            Some(0) => first.contains(&access.inst),
            Some(step) => step == access.size as i64 && is_promised(access),
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
        let old = |at: Value| {
            let mut arguments = given.clone();
            arguments[counter.index] = at;
            Target { block: header, arguments }
        };
        let go = |block: Block| Target { block, arguments: Vec::new() };

        to.block = start;
        if !self.is_positive {
            let zero = to.number(0, ty);
            let condition = to.emit(Op::Compare(CompareOp::SGe, first, zero), bool);
            let next = to.new_block();
            to.end(Terminator::Branch { condition, then: go(next), otherwise: old(first) });
            to.block = next;
        }
        let bound = counter.bound(&mut to, self.times.into());
        let condition = to.emit(Op::Compare(counter.op, first, bound), bool);
        let [blocks, body, last, shorter] = [(); 4].map(|()| to.new_block());
        let now = to.parameter(blocks, ty);
        let then = Target { block: blocks, arguments: vec![first] };
        to.end(Terminator::Branch { condition, then, otherwise: go(shorter) });

        to.block = blocks;
        let condition = to.emit(Op::Compare(counter.op, now, bound), bool);
        to.end(Terminator::Branch { condition, then: go(body), otherwise: go(last) });

        to.block = body;
        let mask = self.finds(&mut to, &given, now, self.times);
        let step = to.number(self.times.into(), ty);
        let next = to.emit(Op::Binary(BinaryOp::Add, now, step), ty);
        self.ask(&mut to, mask, now, &old, Target { block: blocks, arguments: vec![next] });

        to.block = last;
        self.look_at_last(&mut to, &given, self.times, &old);

        to.block = shorter;
        let mut times = self.times / 2;
        while u64::from(times) * self.widest >= LEAST_BYTES {
            let condition = counter.are_left(&mut to, first, times.into());
            let [both, last, fewer] = [(); 3].map(|()| to.new_block());
            to.end(Terminator::Branch { condition, then: go(both), otherwise: go(fewer) });
            to.block = both;
            let mask = self.finds(&mut to, &given, first, times);
            self.ask(&mut to, mask, first, &old, go(last));
            to.block = last;
            self.look_at_last(&mut to, &given, times, &old);
            to.block = fewer;
            times /= 2;
        }
        to.end(Terminator::Jump(old(first)));

        // It has few rounds.
        to.block = header;
        to.effect(Op::Unroll(Unrolling::Rounds(1)));
        lead(function, graph, |block| self.rounds.blocks.contains(&block), header, start);
    }

    /// The lanes that leave the loop, of the rounds from one on.
    fn finds(&self, to: &mut BlockWriter<'_>, given: &[Value], at: Value, times: u8) -> Value {
        let Rounds { header, counter, .. } = &self.rounds;
        let parameters = to.function.blocks[header.0 as usize].parameters.clone();
        let mut same = parameters.into_iter().zip(given.iter().copied()).collect();
        let mut lanewise = Lanewise::new(&self.rounds, to, times, &mut same);
        lanewise.same.insert(counter.value, at);
        lanewise.round();
        let mut found = None;
        for &(from, out) in &self.exits {
            let way = lanewise.way(from, out).expect("a branch leaves the loop");
            found = Some(match found {
                Some(found) => lanewise.to.emit(Op::Binary(BinaryOp::Or, found, way), Type::new(Element::Bool, times)),
                None => way,
            });
        }
        found.expect("the loop is left")
    }

    /// Begins with the first of these lanes, which are rounds from one on, or goes on.
    fn ask(&self, to: &mut BlockWriter<'_>, mask: Value, at: Value, old: &impl Fn(Value) -> Target, otherwise: Target) {
        let found = to.new_block();
        let condition = to.emit(Op::Any(mask), Type::scalar(Element::Bool));
        to.end(Terminator::Branch { condition, then: Target { block: found, arguments: Vec::new() }, otherwise });
        to.block = found;
        let (ty, bits) = (to.function.ty(at), Type::scalar(Element::I64));
        let lanes = to.emit(Op::MaskBits(mask), bits);
        let mut first = to.emit(Op::Unary(UnaryOp::Ctz, lanes), bits);
        if ty != bits {
            first = to.emit(Op::Convert(ConvertOp::Trunc, first), ty);
        }
        let first = to.emit(Op::Binary(BinaryOp::Add, at, first), ty);
        to.end(Terminator::Jump(old(first)));
    }

    /// Looks at the last rounds of all.
    fn look_at_last(&self, to: &mut BlockWriter<'_>, given: &[Value], times: u8, old: &impl Fn(Value) -> Target) {
        let limit = self.rounds.counter.limit;
        let ty = to.function.ty(limit);
        let times_before = to.number(times.into(), ty);
        let at = to.emit(Op::Binary(BinaryOp::Sub, limit, times_before), ty);
        let mask = self.finds(to, given, at, times);
        self.ask(to, mask, at, old, old(limit));
    }
}
