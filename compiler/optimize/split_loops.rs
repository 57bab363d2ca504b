//! A loop whose questions about its counter have one answer in most rounds runs those rounds without the questions: index-set splitting.
//!
//! ```text
//!                                          lo = max(0, 1), hi = min(n, n − 1)
//!     jump block1(0)                       jump block7(0, hi − lo ≥ 64 ? lo : n)
//!                                      block7(i, limit):                                  ◄─┐
//!                                          jump block1(i)                                   │
//! block1(i):                           block1(i):                                           │
//!     branch i < n, block2, out            branch i < limit, block2, block8                 │
//! block2:                              block2:                                              │
//!     m = select i < 1, 1 − i, i − 1       m = select i < 1, 1 − i, i − 1                   │
//!     p = select i + 1 < n, i + 1, 0       p = select i + 1 < n, i + 1, 0                   │
//!     … load a[m], load a[p]      ──►      … load a[m], load a[p]                           │
//!     jump block1(i + 1)                   jump block1(i + 1)                               │
//!                                      block8:                                              │
//!                                          branch limit < n, block9(i), out                 │
//!                                      block9(j):                                           │
//!                                          branch j < hi, block10, block7(j, n)           ──┘
//!                                      block10:
//!                                          … load a[j − 1], load a[j + 1]
//!                                          jump block9(j + 1)
//! ```
//! So borders of pictures that are mirrored, clamped, wrapped around or left out cost what they cost at borders, and what is between is read as it lies in
//! memory. The rounds in front and behind are one loop, which runs twice; where there are few between it runs once, for all.
//!
//! A question compares what grows by the same in each round, mod 2³², with what the loop does not change: minima, maxima, absolute values and remainders ask
//! one, too. What the answers say of other values is known when these are asked. Which answer most rounds have is guessed: a counter is above constants, and
//! below what its limit is made of. From where to where it has that answer is computed in 64 bits, so that a guess that is wrong, or numbers that wrap, leave
//! no rounds between.

use super::block_writer::BlockWriter;
use super::control_flow;
use super::copied_blocks::copied_blocks;
use super::counted_loop::{CountedLoop, InnerCounter};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

mod questions;

use questions::{Answers, Bound, Form, Quotient, answers};

/// Loops of more instructions are left alone.
const MAX_ROUND: usize = 400;
/// A function does not grow beyond this number of instructions.
const MAX_INSTS: usize = 20_000;
/// Fewer rounds are not worth the questions where they begin and end.
const LEAST: u64 = 64;
/// So many operations of what a loop does not change are computed in front of it.
const DEPTH: u32 = 6;

/// Splits loops over numbers.
pub fn split_loops(function: &mut Function) {
    split(function, false);
}

/// Splits loops of a function: those in which there are lanes, or those in which there are numbers alone.
pub(super) fn split(function: &mut Function, has_lanes: bool) {
    let graph = Graph::new(function);
    // Those of loops around come first.
    let headers: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block)).collect();
    let mut split: FxHashSet<Block> = FxHashSet::default();
    for header in headers {
        if function.insts.len() > MAX_INSTS {
            break;
        }
        if split.contains(&header) {
            continue;
        }
        let graph = Graph::new(function);
        if let Some(around) = of(function, &graph, header, has_lanes)
            && let Some(answers) = answers(function, &graph, &around)
        {
            split.extend(&around.all);
            write(function, around, &answers);
        }
    }
    if !split.is_empty() {
        control_flow(function);
    }
}

/// The loop of a header, if it counts in 32 bits or 64, and ends by its counter alone.
fn of(function: &Function, graph: &Graph, header: Block, has_lanes: bool) -> Option<CountedLoop> {
    let found = CountedLoop::of(function, graph, header)?;
    let ty = function.ty(found.counter.value);
    let is_counted = ty.length == 1 && matches!(ty.element, Element::I32 | Element::I64);
    let data = |block: &Block| &function.blocks[block.0 as usize];
    let is_small = found.all.iter().map(|block| data(block).insts.len()).sum::<usize>() <= MAX_ROUND;
    // It is run once more for each part.
    let asks_alone = data(&header).insts.iter().all(|inst| !function.insts[inst.0 as usize].op.has_effect());
    let ends_at_top = found.all.iter().filter(|&&block| block != header).all(|block| {
        let mut targets = data(block).terminator.targets().peekable();
        targets.peek().is_some() && targets.all(|target| found.all.contains(&target.block))
    });
    let step = found.counter.step;
    let is_long = found.counter.rounds(function).is_none_or(|rounds| rounds.saturating_mul(step) >= LEAST);
    let are_lanes = || found.inside.iter().any(|&value| function.ty(value).length > 1) == has_lanes;
    let has_limit = || found.is_outer(function, found.counter.limit, DEPTH);
    (is_counted && is_small && asks_alone && ends_at_top && is_long && are_lanes() && has_limit()).then_some(found)
}

/// 64 bits, in which nothing that is computed of numbers of 32 wraps.
const WIDE: Type = Type::scalar(Element::I64);

/// Where the rounds between begin and end, and what they find there.
struct Between {
    /// Where they begin, or the limit of the loop where they are few.
    first: Value,
    /// What the counter is below.
    end: Value,
    /// The limit of the loop.
    limit: Value,
    /// What the quotients of [`Answers`] are, and by how much their remainders are less than what is divided.
    quotients: Vec<(Value, Value)>,
}

fn write(function: &mut Function, mut around: CountedLoop, answers: &Answers) {
    let between = Ahead::write(function, &mut around, answers);
    let (copies, same) = copied_blocks(function, &around.all, |_| false, |_| ());
    let copy = |value: Value| *same.get(&value).unwrap_or(&value);
    let is_header = |block: &Block| *block == around.header;
    let header = copies[around.all.iter().position(is_header).expect("a loop has its header")];
    let ty = function.ty(around.counter.value);
    let compare = |limit: Value| Op::Compare(around.counter.op, around.counter.value, limit);

    let span = function.span;
    let mut to = BlockWriter { function, block: around.before, span };
    // The rounds around, to one limit and then to the other one.
    let rest = to.new_block();
    let arguments = to.parameters_of(around.header, rest);
    let limit = to.parameter(rest, ty);
    for target in to.function.blocks[around.before.0 as usize].terminator.targets_mut().filter(|target| is_header(&target.block))
    {
        target.block = rest;
        target.arguments.push(between.first);
    }
    to.block = rest;
    to.end(Terminator::Jump(Target { block: around.header, arguments }));

    let behind = to.new_block();
    to.block = around.header;
    let goes_on = to.emit(compare(limit), ty.mask());
    let handed = to.function.blocks[around.header.0 as usize].parameters.clone();
    let body = to.function.blocks[around.header.0 as usize].terminator.targets().next().expect("a header has two ways").clone();
    let round =
        Terminator::Branch { condition: goes_on, then: body.clone(), otherwise: Target { block: behind, arguments: Vec::new() } };
    let ended = std::mem::replace(&mut to.function.blocks[around.header.0 as usize].terminator, round);
    let out = ended.targets().nth(1).expect("a header has two ways").clone();
    to.block = behind;
    let has_more = to.emit(Op::Compare(around.counter.op, limit, between.limit), ty.mask());
    to.end(Terminator::Branch { condition: has_more, then: Target { block: header, arguments: handed.clone() }, otherwise: out });

    to.block = header;
    let counter = copy(around.counter.value);
    let goes_on = to.emit(Op::Compare(around.counter.op, counter, between.end), ty.mask());
    let place = around.all.iter().position(|block| *block == body.block).expect("a body is in the loop");
    let then = Target { block: copies[place], arguments: body.arguments.iter().map(|&value| copy(value)).collect() };
    let arguments = handed.iter().map(|&value| copy(value)).chain([between.limit]).collect();
    to.end(Terminator::Branch { condition: goes_on, then, otherwise: Target { block: rest, arguments } });

    tell(function, &copies, answers, &between, &copy);
}

/// Says to the rounds between what is known there.
fn tell(function: &mut Function, blocks: &[Block], answers: &Answers, between: &Between, copy: &dyn Fn(Value) -> Value) {
    let set = |function: &mut Function, value: Value, op: Op| {
        if let ValueDef::Result(inst, _) = function.values[copy(value).0 as usize].def {
            function.insts[inst.0 as usize].op = op;
        }
    };
    for (&value, &decided) in &answers.decided {
        set(function, value, Op::Const(vec![u64::from(decided)]));
    }
    let mut known: FxHashMap<Value, Value> = FxHashMap::default();
    for (Quotient { value, dividend, is_remainder, .. }, &(quotient, less)) in answers.quotients.iter().zip(&between.quotients) {
        match is_remainder {
            true => set(function, *value, Op::Binary(BinaryOp::Sub, copy(*dividend), less)),
            false => drop(known.insert(copy(*value), quotient)),
        }
    }
    known.extend(answers.same.iter().map(|(&value, &same)| (copy(value), copy(same))));
    let rename = |value: &mut Value| {
        while let Some(&same) = known.get(value) {
            *value = same;
        }
    };
    for block in blocks {
        for inst in function.blocks[block.0 as usize].insts.clone() {
            function.insts[inst.0 as usize].op.for_each_mut(rename);
        }
        function.blocks[block.0 as usize].terminator.for_each_mut(rename);
    }
}

/// What is written in front of a loop.
struct Ahead<'f> {
    to: BlockWriter<'f>,
    inside: FxHashSet<Value>,
    known: FxHashMap<Value, Value>,
}

impl Ahead<'_> {
    fn write(function: &mut Function, around: &mut CountedLoop, answers: &Answers) -> Between {
        let (ty, inside) = (function.ty(around.counter.value), around.inside.clone());
        let (counter, start) = (around.counter, around.start);
        let mut ahead = Ahead { to: around.before(function), inside, known: FxHashMap::default() };
        let signed = counter.op == CompareOp::SLt;
        let limit = ahead.again(counter.limit);
        let (first, last) = (ahead.wide(start, signed), ahead.wide(limit, signed));
        let has_rounds = ahead.to.emit(Op::Compare(counter.op, start, limit), ty.mask());
        // From where to where, both with the ends.
        let (mut from, mut to) = (first, ahead.plus(last, -1));
        let middle = (!answers.quotients.is_empty()).then(|| {
            let sum = ahead.binary(BinaryOp::Add, first, last);
            let one = ahead.to.number(1, WIDE);
            ahead.binary(BinaryOp::AShr, sum, one)
        });
        for bound in &answers.bounds {
            let than = bound.than.map(|than| ahead.again(than)).map(|than| ahead.wide(than, bound.signed));
            let than = than.unwrap_or_else(|| ahead.to.number(0, WIDE));
            ahead.narrow([&mut from, &mut to], bound, than, answers);
        }
        for inner in answers.inner.values() {
            // A limit that a counter may be the same as is one that it may not go beyond.
            if inner.more > 0 {
                let limit = ahead.most(inner);
                let greatest = ahead.to.number(i32::MAX as u64, WIDE);
                let is_one = ahead.to.emit(Op::Compare(CompareOp::SLe, limit, greatest), WIDE.mask());
                to = ahead.to.emit(Op::Select(is_one, to, from), WIDE);
            }
        }
        for unwrapped in &answers.unwrapped {
            let (least, most) =
                if unwrapped.signed { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (0, i64::from(u32::MAX)) };
            for (constant, than, is_least) in [(unwrapped.least, least, true), (unwrapped.most, most, false)] {
                let form = Form { constant, ..unwrapped.form.clone() };
                let bound = Bound { form, signed: unwrapped.signed, than: None, is_least };
                let than = ahead.to.number(than as u64, WIDE);
                ahead.narrow([&mut from, &mut to], &bound, than, answers);
            }
        }
        let mut quotients = Vec::new();
        for quotient in &answers.quotients {
            let divisor = ahead.again(quotient.divisor);
            let divisor = ahead.wide(divisor, quotient.signed);
            let outer = ahead.outer(&quotient.form, quotient.signed, answers, true);
            let growth = ahead.to.number(quotient.form.growth as u64, WIDE);
            let grown = ahead.binary(BinaryOp::Mul, middle.expect("there are quotients"), growth);
            let dividend = ahead.binary(BinaryOp::Add, grown, outer);
            let value = ahead.binary(BinaryOp::SDiv, dividend, divisor);
            let less = ahead.binary(BinaryOp::Mul, value, divisor);
            // Behind the division, as before it, numbers are not negative.
            let zero = ahead.to.number(0, WIDE);
            let least = ahead.binary(BinaryOp::SMax, less, zero);
            let beyond = ahead.binary(BinaryOp::Add, less, divisor);
            let most = ahead.plus(beyond, -1);
            for (than, is_least) in [(least, true), (most, false)] {
                let bound = Bound { form: quotient.form.clone(), signed: quotient.signed, than: None, is_least };
                ahead.narrow([&mut from, &mut to], &bound, than, answers);
            }
            let lanes = ahead.to.function.ty(quotient.value);
            quotients.push((ahead.lanes(value, lanes), ahead.lanes(less, lanes)));
        }
        // The first round between is one of the loop's.
        if counter.step > 1 {
            let step = ahead.to.number(counter.step, WIDE);
            let before = ahead.binary(BinaryOp::Sub, from, first);
            let before = ahead.plus(before, counter.step as i64 - 1);
            let rounds = ahead.binary(BinaryOp::SDiv, before, step);
            let before = ahead.binary(BinaryOp::Mul, rounds, step);
            from = ahead.binary(BinaryOp::Add, first, before);
        }
        let rounds = ahead.binary(BinaryOp::Sub, to, from);
        let few = ahead.to.number(LEAST.max(2 * counter.step) - 1, WIDE);
        let is_long = ahead.to.emit(Op::Compare(CompareOp::SGe, rounds, few), WIDE.mask());
        let is_long = ahead.to.emit(Op::Binary(BinaryOp::And, is_long, has_rounds), WIDE.mask());
        let beyond = ahead.plus(to, 1);
        let (start, end) = (ahead.narrowed(from, ty), ahead.narrowed(beyond, ty));
        let first = ahead.to.emit(Op::Select(is_long, start, limit), ty);
        Between { end, first, limit, quotients }
    }

    fn again(&mut self, value: Value) -> Value {
        let inside = &self.inside;
        self.to.again(value, &|_, value| inside.contains(&value), &mut self.known)
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.to.emit(Op::Binary(op, a, b), WIDE)
    }

    fn plus(&mut self, value: Value, constant: i64) -> Value {
        if constant == 0 {
            return value;
        }
        let constant = self.to.number(constant as u64, WIDE);
        self.binary(BinaryOp::Add, value, constant)
    }

    fn wide(&mut self, value: Value, signed: bool) -> Value {
        if self.to.function.ty(value) == WIDE {
            return value;
        }
        let op = if signed { ConvertOp::SExt } else { ConvertOp::ZExt };
        self.to.emit(Op::Convert(op, value), WIDE)
    }

    /// For each lane, in fewer bits.
    fn lanes(&mut self, value: Value, ty: Type) -> Value {
        let number = self.narrowed(value, ty.with_length(1));
        if ty.length == 1 { number } else { self.to.emit(Op::Splat(number), ty) }
    }

    fn narrowed(&mut self, value: Value, ty: Type) -> Value {
        if ty == WIDE {
            return value;
        }
        self.to.emit(Op::Convert(ConvertOp::Trunc, value), ty)
    }

    /// The greatest number that the counter of a loop inside may be.
    fn most(&mut self, inner: &InnerCounter) -> Value {
        let [start, limit] = [inner.start, inner.limit].map(|value| {
            let value = self.again(value);
            self.wide(value, true)
        });
        let limit = self.plus(limit, inner.more);
        self.binary(BinaryOp::SMax, start, limit)
    }

    /// What a form has beside the counter: the least it may be, or the most.
    fn outer(&mut self, form: &Form, signed: bool, answers: &Answers, is_least: bool) -> Value {
        let of_lanes = if is_least { form.spread.min(0) } else { form.spread.max(0) };
        let mut sum = self.to.number((form.constant + of_lanes) as u64, WIDE);
        for &(value, times) in &form.outer {
            let value = match answers.inner.get(&value) {
                Some(inner) if is_least == (times > 0) => {
                    let start = self.again(inner.start);
                    self.wide(start, true)
                }
                Some(inner) => self.most(inner),
                None => {
                    let value = self.again(value);
                    self.wide(value, signed)
                }
            };
            let times = self.to.number(times as u64, WIDE);
            let product = self.binary(BinaryOp::Mul, value, times);
            sum = self.binary(BinaryOp::Add, sum, product);
        }
        sum
    }

    /// Leaves the rounds in which a form is at least, or at most, a number: from where to where, both with the ends. What is no multiple of the growth
    /// may leave one round less.
    fn narrow(&mut self, [from, to]: [&mut Value; 2], bound: &Bound, than: Value, answers: &Answers) {
        let Bound { form, signed, is_least, .. } = bound;
        let outer = self.outer(form, *signed, answers, *is_least);
        let mut place = self.binary(BinaryOp::Sub, than, outer);
        if form.growth != 1 {
            let growth = self.to.number(form.growth as u64, WIDE);
            place = self.binary(BinaryOp::SDiv, place, growth);
        }
        let is_exact = form.growth.abs() == 1;
        match *is_least == (form.growth > 0) {
            true => {
                place = self.plus(place, i64::from(!is_exact));
                *from = self.binary(BinaryOp::SMax, *from, place);
            }
            false => {
                place = self.plus(place, -i64::from(!is_exact));
                *to = self.binary(BinaryOp::SMin, *to, place);
            }
        }
    }
}
