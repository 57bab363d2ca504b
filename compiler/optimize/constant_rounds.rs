//! Loops from a little before a counter to a little behind it count their rounds from 0 to a constant.
//!
//! ```text
//! block1(y):                                           block0:
//!     branch y < l, block2, block6                         branch l ≤ 2³¹ − 2, block1(0), block7(0)
//! block2:                                              block1(y):
//!     a = add y, −1;  b = add y, 1                         branch y < l, block2, block6
//!     jump block3(a)                        ──►        block2:
//! block3(j):                                               a = add y, −1
//!     branch j ≤ b, block4, block5                         jump block3(a, 0)
//! block4:                                              block3(j, t):
//!     …; jump block3(j + 1)                                branch t < 3, block4, block5
//!                                                      block4:
//!                                                          …; jump block3(j + 1, t + 1)
//!                                                      block7(y):                          the old loop
//! ```
//! `for (int j = y - 1; j <= y + 1; j++)` goes over three rows as `for (int j = -1; j <= 1; j++)` does, and `for (int k = i; k < i + 4; k++)` over four elements; of that
//! the passes behind this one write out rounds, and make lanes of the loops around.
//!
//! # Why this is right
//! A counter that is below l in each round is at most l − 1, and one whose sum with a constant is, so much less, where that sum does not wrap behind the last round either.
//! Where no number between is beyond those of 32 bits, from the counter and the least constant to the counter and the greatest one, also behind the last round, the
//! condition holds as often as it does for whole numbers. That is known, or asked of l in front of the outermost loop that does not change it.

use super::block_writer::{BlockWriter, lead};
use super::closed_loops::{close, exits, seen_behind};
use super::counted_loop::{Ways, argument, each_round, grown, is_outer, values_of};
use super::old_loops::{is_told, old_loop};
use super::ranges::range;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many rounds are few.
const MAX_ROUNDS: i64 = 64;
/// Loops of more instructions are not copied.
const MAX_INSTS: usize = 300;
/// So many loops of a function are there twice.
const MAX_COPIES: usize = 8;
/// So many sums lead from a counter to where a loop begins, and so many operations to a limit.
const SUMS: usize = 4;
const DEPTH: u32 = 6;
const WORD: Type = Type::scalar(Element::I32);

/// Counts the rounds of a function's loops.
pub fn constant_rounds(function: &mut Function) {
    let mut has_new = false;
    for _ in 0..MAX_COPIES {
        let graph = Graph::new(function);
        let headers = || graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block));
        let found: Vec<Short> = headers().filter_map(|header| Short::of(function, &graph, header)).collect();
        let (asked, known): (Vec<Short>, Vec<Short>) = found.into_iter().partition(|short| short.question.is_some());
        known.iter().for_each(|short| short.write(function));
        let Some(twice) = headers().find_map(|header| Twice::of(function, &graph, header, &asked)) else { break };
        twice.write(function, &graph);
        function.sort_blocks();
        has_new = true;
    }
    if has_new {
        function.sort_blocks();
    }
}

/// A loop of few rounds.
#[derive(Clone)]
struct Short {
    header: Block,
    before: Block,
    latch: Block,
    rounds: i64,
    /// A limit, and what it is at most.
    question: Option<(Value, i64)>,
}

impl Short {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Short> {
        if is_told(function, header) {
            return None;
        }
        let own = Counted::of(function, graph, header).filter(|own| own.further == 0)?;
        let (from, least) = sum(function, own.start);
        let (to, most) = sum(function, own.limit);
        let ValueDef::Parameter(around, _) = function.values[from.0 as usize].def else { return None };
        let is_around = around != header && graph.natural_loop(around).is_some_and(|blocks| blocks[header.0 as usize]);
        if from != to || !is_around {
            return None;
        }
        let way = most.checked_sub(least)?.checked_add(i64::from(own.is_same))?;
        let rounds = way.checked_add(own.step - 1)?.div_euclid(own.step);
        if !(1..=MAX_ROUNDS).contains(&rounds) {
            return None;
        }

        let outer = Counted::of(function, graph, around).filter(|outer| outer.value == from)?;
        let (begin, end) = range(function, outer.start);
        if begin.checked_add(least)? < i64::from(i32::MIN) || end.checked_add(outer.further)? > i64::from(i32::MAX) {
            return None;
        }
        // The counter is at most the limit and so much more.
        let more = i64::from(outer.is_same) - 1 - outer.further;
        let greatest = least.checked_add(rounds.checked_mul(own.step)?)?.max(most);
        let mut most = i64::from(i32::MAX) - more.checked_add(greatest)?;
        if outer.further > 0 {
            // Else the sum would wrap behind the last round.
            most = most.min(i64::from(i32::MAX) - outer.step);
        }
        let is_known = most >= i64::from(i32::MAX) || range(function, outer.limit).1 <= most;
        let question = (!is_known).then_some((outer.limit, most));
        let Counted { before, latch, .. } = own;
        (most > 0).then_some(Short { header, before, latch, rounds, question })
    }

    /// Counts the rounds.
    fn write(&self, function: &mut Function) {
        let span = function.span;
        let mut writer = BlockWriter { function, block: self.before, span };
        let count = writer.parameter(self.header, WORD);
        for (block, last) in [(self.before, None), (self.latch, Some(count))] {
            writer.block = block;
            let next = match last {
                None => writer.number(0, WORD),
                Some(count) => {
                    let one = writer.number(1, WORD);
                    writer.emit(Op::Binary(BinaryOp::Add, count, one), WORD)
                }
            };
            let targets = writer.function.blocks[block.0 as usize].terminator.targets_mut();
            targets.filter(|target| target.block == self.header).for_each(|target| target.arguments.push(next));
        }
        writer.block = self.header;
        let rounds = writer.number(self.rounds as u64, WORD);
        let goes_on = writer.emit(Op::Compare(CompareOp::SLt, count, rounds), Type::scalar(Element::Bool));
        if let Terminator::Branch { condition, .. } = &mut function.blocks[self.header.0 as usize].terminator {
            *condition = goes_on;
        }
    }
}

/// A loop that goes on while a parameter of 32 bits and a constant more is below a limit, or the same.
struct Counted {
    value: Value,
    before: Block,
    latch: Block,
    start: Value,
    step: i64,
    /// Not less than 0.
    further: i64,
    limit: Value,
    is_same: bool,
}

impl Counted {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Counted> {
        let Ways { before, latch, inside } = Ways::of(function, graph, header)?;
        let data = &function.blocks[header.0 as usize];
        let Terminator::Branch { condition, then, otherwise } = &data.terminator else { return None };
        let (at, limit, is_same) = match *function.definition(*condition)? {
            Op::Compare(CompareOp::SLt, at, limit) => (at, limit, false),
            Op::Compare(CompareOp::SLe, at, limit) => (at, limit, true),
            _ => return None,
        };
        let (value, further) = sum(function, at);
        let index = data.parameters.iter().position(|&parameter| parameter == value)?;
        let goes_on = inside[then.block.0 as usize] && !inside[otherwise.block.0 as usize];
        let step = each_round(function, value, argument(function, latch, header, index))?;
        let is_counted = function.ty(value) == WORD && goes_on && step > 0 && (0..1 << 16).contains(&further);
        let start = argument(function, before, header, index);
        is_counted.then_some(Counted { value, before, latch, start, step, further, limit, is_same })
    }
}

/// What a number is the sum of: another one and a constant.
fn sum(function: &Function, mut value: Value) -> (Value, i64) {
    let mut sum = 0i64;
    for _ in 0..SUMS {
        let Some((of, constant)) = grown(function, value) else { break };
        (value, sum) = (of, sum.saturating_add(constant));
    }
    (value, sum)
}

/// A loop that is there twice, once with loops of few rounds inside, where what is asked of limits is so.
struct Twice {
    header: Block,
    all: Vec<Block>,
    inside: FxHashSet<Value>,
    short: Vec<Short>,
}

impl Twice {
    fn of(function: &Function, graph: &Graph, header: Block, asked: &[Short]) -> Option<Twice> {
        let natural = graph.natural_loop(header)?;
        let mut short: Vec<Short> = asked.iter().filter(|short| natural[short.before.0 as usize]).cloned().collect();
        if short.is_empty() || is_told(function, header) {
            return None;
        }
        let all: Vec<Block> = graph.order.iter().copied().filter(|block| natural[block.0 as usize]).collect();
        let inside = values_of(function, &all);
        short.retain(|short| short.question.is_some_and(|(limit, _)| is_outer(function, &inside, limit, DEPTH)));
        let count: usize = all.iter().map(|block| function.blocks[block.0 as usize].insts.len()).sum();
        let is_closed = exits(function, &all).len() == 1 || seen_behind(function, &all, &inside).is_empty();
        (!short.is_empty() && count <= MAX_INSTS && is_closed).then_some(Twice { header, all, inside, short })
    }

    fn write(&self, function: &mut Function, graph: &Graph) {
        close(function, &self.all, &self.inside);
        let span = function.span;
        let old = old_loop(function, graph, &self.all, self.header, span);
        let mut writer = BlockWriter { function, block: self.header, span };
        let start = writer.new_block();
        let arguments = writer.parameters_of(self.header, start);
        writer.block = start;
        let is_inside = |_: &Function, value: Value| self.inside.contains(&value);
        let (mut known, mut least): (FxHashMap<Value, Value>, FxHashMap<Value, i64>) = Default::default();
        let mut limits = Vec::new();
        for (limit, most) in self.short.iter().filter_map(|short| short.question) {
            limits.extend((!least.contains_key(&limit)).then_some(limit));
            least.entry(limit).and_modify(|least| *least = most.min(*least)).or_insert(most);
        }
        let conditions: Vec<Value> = limits
            .into_iter()
            .map(|limit| {
                let most = writer.number(least[&limit] as u64, WORD);
                let limit = writer.again(limit, &is_inside, &mut known);
                writer.emit(Op::Compare(CompareOp::SLe, limit, most), Type::scalar(Element::Bool))
            })
            .collect();
        let all = |a, b| writer.emit(Op::Binary(BinaryOp::And, a, b), Type::scalar(Element::Bool));
        let condition = conditions.into_iter().reduce(all).expect("a limit");
        let way = |block: Block| Target { block, arguments: arguments.clone() };
        writer.end(Terminator::Branch { condition, then: way(self.header), otherwise: way(old) });
        lead(writer.function, graph, |block| self.all.contains(&block), self.header, start);
        self.short.iter().for_each(|short| short.write(function));
    }
}
