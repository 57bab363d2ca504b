//! The first rounds of a loop and the last ones, in which what is asked of its counter has another answer than in the others, are done apart.
//!
//! ```text
//!                                             block6(i):  as block1, while i < 1 and i < n
//! block1(i):                                  block7(i):                           begins with 1
//!     branch i < n, block2, block5                branch i < n − 1, block8, block1(i)
//! block2:                                     block8:
//!     c = compare.eq i, 0                         x = load a + i − 1
//!     branch c, block3, block4         ──►        y = load a + i + 1
//! block3: …                                       …
//! block4:                                         jump block7(i + 1)
//!     x = load a + i − 1                      block1(i):  as it was; those that are left
//! ```
//! A sum over neighbours asks whether there is one: `i == 0 || a[i - 1] == ' '`, `i + 1 < n ? a[i + 1] : 0`. All rounds but a few at both ends agree, and may be lanes; what
//! they guard is read in each of them. So it is where the index of a neighbour is clamped, `a[max(i - 1, 0)]`, `a[min(i + 1, n - 1)]`: between the ends it is what it was. Whether it becomes lanes shows when it is written, so that this is done with a copy of the function.
//!
//! The counter goes up by one from a constant that is not negative and is below the limit in each round, so that nothing wraps which is a few more or less.

use super::super::addresses::Sum;
use super::super::block_writer::{BlockWriter, is_defined_in, lead};
use super::super::copied_blocks::copied_blocks;
use super::super::jammed_loops::{Counter, constant, counter};
use super::super::{Surroundings, control_flow, dead_code};
use super::{Frame, Rounds, by_copies, header_of};
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// So many rounds are done apart at each end.
const MAX_ROUNDS: i64 = 4;
/// So much is added to a counter that is asked about.
const NEAR: i64 = 64;

/// Takes the rounds at the ends of loops apart from those that become lanes by it.
pub(super) fn split_edges(function: &mut Function, around: Surroundings<'_>) {
    by_copies(function, around, without_edges);
}

/// The function with a loop in which no round asks where it is.
pub(super) fn without_edges(
    function: &Function,
    graph: &Graph,
    around: Surroundings<'_>,
    header: Block,
    left: &mut usize,
) -> Option<Function> {
    let edges = Edges::of(function, graph, header)?;
    *left = left.checked_sub(function.insts.len())?;
    // What lies at a clamped index would be gathered.
    if edges.clamped.is_empty() && Rounds::are_lanes(function, graph, around, header) {
        return None;
    }
    let mut made = function.clone();
    let counter = edges.write(&mut made, graph);
    control_flow(&mut made);
    dead_code(&mut made);
    // Blocks are numbered anew; what the loop counts with is its own.
    let header = header_of(&made, counter)?;
    Rounds::are_lanes(&made, &Graph::new(&made), around, header).then_some(made)
}

/// What rounds ask, and how many at each end have another answer.
struct Edges {
    header: Block,
    /// The blocks of a round behind the header, in order.
    blocks: Vec<Block>,
    counter: Counter,
    start: i64,
    /// What is asked, and what is the answer between the ends.
    questions: Vec<(Value, bool)>,
    /// Extremes of the counter and some more, the operand that they are between the ends, and how much more that is.
    clamped: Vec<(Value, Value, i64)>,
    first: i64,
    last: i64,
}

impl Edges {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Edges> {
        let counter = counter(function, graph, header).filter(|counter| counter.step == 1 && counter.op == CompareOp::SLt)?;
        let start = i64::try_from(constant(function, counter.start?)?).ok().filter(|start| *start < NEAR)?;
        let Frame { inside, blocks, .. } = Frame::of(function, graph, header)?;
        let data = |block: Block| &function.blocks[block.0 as usize];
        let is_inside = |block: Block| inside[block.0 as usize];
        let leaves = |block: &Block| data(*block).terminator.targets().any(|target| !is_inside(target.block));
        // Of which there are few, that is said.
        let is_apart = data(header).insts.iter().any(|inst| matches!(function.insts[inst.0 as usize].op, Op::Unroll(_)));
        if is_apart || blocks.iter().any(leaves) || is_defined_in(function, &inside, counter.limit) {
            return None;
        }
        let (questions, clamped) = Default::default();
        let mut edges = Edges { header, counter, start, questions, clamped, first: 0, last: 0, blocks: blocks.clone() };
        for &inst in blocks.iter().flat_map(|block| &data(*block).insts) {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            match *op {
                Op::Compare(op, a, b) => edges.ask(function, results[0], op, a, b),
                Op::Binary(op @ (BinaryOp::SMax | BinaryOp::SMin), a, b) => edges.clamp(function, results[0], op, a, b),
                _ => {}
            }
        }
        // Behind the loop it does not matter with which number it ended.
        let is_counter = |value: Value| value == counter.value;
        let is_seen = graph.order.iter().filter(|block| !is_inside(**block)).any(|block| {
            let mut is_seen = false;
            data(*block).insts.iter().for_each(|inst| {
                function.insts[inst.0 as usize].op.for_each(|operand| is_seen |= is_counter(operand));
            });
            data(*block).terminator.for_each(|operand| is_seen |= is_counter(operand));
            is_seen
        });
        let mut out = data(header).terminator.targets().filter(|target| !is_inside(target.block));
        let is_handed = out.any(|target| target.arguments.iter().any(|argument| is_counter(*argument)));
        let has_some = !edges.questions.is_empty() || !edges.clamped.is_empty();
        (has_some && !is_seen && !is_handed).then_some(edges)
    }

    /// A number as a sum, in which what is clamped is as it is between the ends.
    fn sum(&self, function: &Function, number: Value) -> Sum {
        let mut sum = Sum::of(function, number);
        if let [(value, 1)] = sum.terms[..]
            && let Some((_, _, more)) = self.clamped.iter().find(|(clamped, ..)| *clamped == value)
        {
            sum = Sum { terms: vec![(self.counter.value, 1)], constant: sum.constant.wrapping_add(*more) };
        }
        sum
    }

    /// The greater one of i + c and a constant, or the less one of i + c and n + k, that is i + c in all rounds but some.
    fn clamp(&mut self, function: &Function, extreme: Value, op: BinaryOp, a: Value, b: Value) {
        if function.ty(a) != function.ty(self.counter.value) {
            return;
        }
        let limit = Sum::of(function, self.counter.limit);
        for (own, other) in [(a, b), (b, a)] {
            let (sum, other) = (self.sum(function, own), self.sum(function, other));
            let is_low = op == BinaryOp::SMax && other.terms.is_empty();
            let (c, k) = (sum.constant, if is_low { other.constant } else { other.constant.wrapping_sub(limit.constant) });
            let is_near = [c, k].iter().all(|number| number.unsigned_abs() <= NEAR as u64);
            if sum.terms != [(self.counter.value, 1)] || !is_near {
                continue;
            }
            // More than i does not wrap where so many rounds are left.
            if is_low && k - c - self.start <= MAX_ROUNDS && c - 1 <= MAX_ROUNDS {
                (self.first, self.last) = (self.first.max(k - c - self.start), self.last.max(c - 1));
            } else if op == BinaryOp::SMin && other.terms == limit.terms && k <= 0 && c - k - 1 <= MAX_ROUNDS {
                self.last = self.last.max(c - k - 1);
            } else {
                continue;
            }
            self.clamped.push((extreme, own, c));
            return;
        }
    }

    /// A comparison of the counter with a constant, or with the limit, that has one answer in all rounds but some.
    fn ask(&mut self, function: &Function, question: Value, op: CompareOp, a: Value, b: Value) {
        if function.ty(a) != function.ty(self.counter.value) {
            return;
        }
        let [a, b, limit] = [a, b, self.counter.limit].map(|number| self.sum(function, number));
        let is_counter = |sum: &Sum| sum.terms == [(self.counter.value, 1)];
        let (op, own, other) = match op.swapped() {
            _ if is_counter(&a) => (op, a, b),
            Some(op) if is_counter(&b) => (op, b, a),
            _ => return,
        };
        let (at, answer) = match op {
            CompareOp::Eq | CompareOp::SLe => (1, false),
            CompareOp::Ne | CompareOp::SGt => (1, true),
            CompareOp::SLt => (0, false),
            CompareOp::SGe => (0, true),
            _ => return,
        };
        let is_constant = other.terms.is_empty();
        let (c, k) = (own.constant, if is_constant { other.constant } else { other.constant.wrapping_sub(limit.constant) });
        if [c, k].iter().any(|number| number.unsigned_abs() > NEAR as u64) {
            return;
        }
        // i + c and k, from so many rounds behind the start on.
        if is_constant {
            let first = k - c + at - self.start;
            if c <= 0 && (0..=MAX_ROUNDS).contains(&first) {
                self.first = self.first.max(first);
                self.questions.push((question, answer));
            }
            return;
        }
        // i + c and n + k, while i is below n and so many less.
        let is_equal = matches!(op, CompareOp::Eq | CompareOp::Ne);
        let (last, least) = (c - k - if is_equal { 0 } else { at }, i64::from(is_equal));
        if other.terms == limit.terms && k <= 0 && (least..=MAX_ROUNDS).contains(&last) {
            self.last = self.last.max(last);
            self.questions.push((question, answer == is_equal));
        }
    }

    /// Writes the loops in front of the old one; gives the counter of the one without questions.
    fn write(&self, function: &mut Function, graph: &Graph) -> Value {
        let (header, Counter { value, index, limit, .. }) = (self.header, self.counter);
        let span = self.counter.span(function);
        let ty = function.ty(value);
        let mut old = vec![header];
        old.extend(&self.blocks);
        let (between, same) = copied_blocks(function, &old, |_| false, |_| {});
        for &(question, answer) in &self.questions {
            let ValueDef::Result(inst, _) = function.values[same[&question].0 as usize].def else { unreachable!("a comparison") };
            function.insts[inst.0 as usize].op = Op::Const(vec![u64::from(answer)]);
        }
        let is_own = |&(extreme, own, _): &(Value, Value, i64)| (same[&extreme], same.get(&own).copied().unwrap_or(own));
        function.replace_uses(&self.clamped.iter().map(is_own).collect());
        let before = (self.first > 0).then(|| copied_blocks(function, &old, |_| false, |_| {}).0[0]);

        let mut to = BlockWriter { function, block: header, span };
        let start = to.new_block();
        let given = to.parameters_of(header, start);
        lead(to.function, graph, |block| old.contains(&block), header, start);
        to.block = start;
        let [most, less, least] = [self.start + self.first, self.last, MAX_ROUNDS].map(|number| to.number(number as u64, ty));
        let mut end = limit;
        if self.last > 0 {
            // Where there are as few, there are none between.
            let positive = to.emit(Op::Binary(BinaryOp::SMax, limit, least), ty);
            end = to.emit(Op::Binary(BinaryOp::Sub, positive, less), ty);
            let is_enough = to.emit(Op::Compare(CompareOp::SGe, limit, least), Type::scalar(Element::Bool));
            let zero = to.number(0, ty);
            end = to.emit(Op::Select(is_enough, end, zero), ty);
        }
        let first_end = before.map(|_| to.emit(Op::Binary(BinaryOp::SMin, limit, most), ty));
        let mut arguments = given;
        if before.is_none() {
            arguments[index] = most;
        }
        to.end(Terminator::Jump(Target { block: before.unwrap_or(between[0]), arguments }));

        // Each one ends where the next one begins; between the ends it begins with a constant.
        let mut ends = |block: Block, end: Value, next: Block, begin: Option<Value>| {
            to.block = block;
            let mut arguments = to.function.blocks[block.0 as usize].parameters.clone();
            let goes_on = to.emit(Op::Compare(CompareOp::SLt, arguments[index], end), Type::scalar(Element::Bool));
            if let Some(begin) = begin {
                arguments[index] = begin;
            }
            let Terminator::Branch { condition, otherwise, .. } = &mut to.function.blocks[block.0 as usize].terminator else {
                unreachable!("a header counts");
            };
            (*condition, *otherwise) = (goes_on, Target { block: next, arguments });
        };
        if let (Some(before), Some(end)) = (before, first_end) {
            ends(before, end, between[0], Some(most));
        }
        ends(between[0], end, header, None);
        for block in before.into_iter().chain([header]) {
            to.block = block;
            to.effect(Op::Unroll(Unrolling::Rounds(1)));
        }
        same[&value]
    }
}
