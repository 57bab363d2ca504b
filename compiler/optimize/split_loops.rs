//! A loop whose questions about its counter have one answer in most rounds runs those rounds without the questions: index-set splitting.
//!
//! ```text
//!                                          lo = max(0, 1), hi = min(n, n − 1)
//!     jump block1(0)                       branch hi − lo ≥ 64 & …, block7(0), block1(0)
//! block1(i):                           block1(i):  as it was
//!     branch i < n, block2, out            …
//! block2:                              block7(i):  as block1, while i < lo, then block8(lo)
//!     m = select i < 1, 1 − i, i − 1       …
//!     p = select i + 1 < n, i + 1, 0   block8(i):
//!     … load a[m], load a[p]      ──►      branch i < hi, block9, block10(i)
//!     jump block1(i + 1)               block9:
//!                                          … load a[i − 1], load a[i + 1]
//!                                          jump block8(i + 1)
//!                                      block10(i):  as block1
//! ```
//! So borders of pictures that are mirrored, clamped, wrapped around or left out cost what they cost at borders, and what is between is read as it lies in
//! memory. The rounds in front and behind are done one by one; where they are not few, the old loop does all.
//!
//! A question compares what grows by the same in each round, mod 2³², with what the loop does not change: minima, maxima, absolute values and remainders ask
//! one, too. What the answers say of other values is known when these are asked. Which answer most rounds have is guessed: a counter is above constants, and
//! below what its limit is made of. From where to where it has that answer is computed in 64 bits, so that a guess that is wrong, or numbers that wrap, leave
//! no rounds between. Where those begin is handed on as a constant if it is one, and where they end as the lesser number of that and what it is made of: passes
//! that know what elements arrays have go by it.

use super::areas::InnerCounter;
use super::block_writer::BlockWriter;
use super::closed_loops::close;
use super::control_flow;
use super::copied_blocks::copied_blocks;
use super::counted_loop::CountedLoop;
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
/// One of so many rounds may be in front of them or behind: of numbers, which are done one by one, and of lanes.
const OTHERS: u64 = 8;
const OTHERS_OF_LANES: u64 = 4;
/// So many operations of what a loop does not change are computed in front of it.
const DEPTH: u32 = 6;

/// Splits loops over numbers.
pub fn split_loops(function: &mut Function) {
    split(function, false);
}

/// Splits loops of a function: those in which there are lanes, or those in which there are numbers alone.
pub(super) fn split(function: &mut Function, has_lanes: bool) {
    let mut graph = Graph::new(function);
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
        if let Some(around) = of(function, &graph, header, has_lanes)
            && let Some(answers) = answers(function, &graph, &around)
        {
            split.extend(&around.all);
            write(function, &graph, around, &answers);
            graph = Graph::new(function);
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
    /// Are they most rounds?
    is_most: Value,
    /// What the counter begins with, and what it is below.
    start: Value,
    end: Value,
    /// What the quotients of [`Answers`] are, and by how much their remainders are less than what is divided.
    quotients: Vec<(Value, Value)>,
}

fn write(function: &mut Function, graph: &Graph, mut around: CountedLoop, answers: &Answers) {
    close(function, &around.all, &around.inside);
    let between = Ahead::write(function, &mut around, answers);
    let mut copied = || copied_blocks(function, &around.all, |_| false, |_| ());
    let ((front, _), (most, same), (back, _)) = (copied(), copied(), copied());
    let copy = |value: Value| *same.get(&value).unwrap_or(&value);
    let place = around.all.iter().position(|block| *block == around.header).expect("a loop has its header");
    let span = function.span;
    let mut to = BlockWriter { function, block: around.before, span };
    let Terminator::Jump(old) = to.function.blocks[around.before.0 as usize].terminator.clone() else {
        unreachable!("one way leads to the loop")
    };
    let first = Target { block: front[place], ..old.clone() };
    to.end(Terminator::Branch { condition: between.is_most, then: first, otherwise: old });

    // Each one ends where the next one begins.
    let ends = [(&front, between.start, &most, Some(between.start)), (&most, between.end, &back, None)];
    for (blocks, limit, next, begin) in ends {
        to.block = blocks[place];
        let mut arguments = to.function.blocks[to.block.0 as usize].parameters.clone();
        let counter = around.counter.index;
        let goes_on = Op::Compare(around.counter.op, arguments[counter], limit);
        let goes_on = to.emit(goes_on, Type::scalar(Element::Bool));
        arguments[counter] = begin.unwrap_or(arguments[counter]);
        let Terminator::Branch { condition, otherwise, .. } = &mut to.function.blocks[to.block.0 as usize].terminator else {
            unreachable!("a header has two ways")
        };
        (*condition, *otherwise) = (goes_on, Target { block: next[place], arguments });
    }
    let is_header = |block: Block| graph.innermost_loop(block) == Some(block);
    for (&block, _) in
        [&front, &back].into_iter().flat_map(|blocks| blocks.iter().zip(&around.all)).filter(|(_, old)| is_header(**old))
    {
        to.block = block;
        to.effect(Op::Unroll(Unrolling::Rounds(0)));
    }

    tell(function, &most, answers, &between, &copy);
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

/// The constant that the rounds between begin with, if it is one.
fn begin(function: &Function, start: Value, step: u64, answers: &Answers) -> Option<i64> {
    let is_plain = |form: &Form| *form == Form { growth: 1, ..Form::constant(form.constant) };
    let mut begin = function.signed_constant(start).filter(|_| step == 1 && answers.quotients.is_empty())?;
    for bound in answers.bounds.iter().filter(|bound| bound.is_least == (bound.form.growth > 0)) {
        begin = begin.max(Some(-bound.form.constant).filter(|_| is_plain(&bound.form) && bound.than.is_none())?);
    }
    for unwrapped in &answers.unwrapped {
        let least = if unwrapped.signed { i64::from(i32::MIN) } else { 0 };
        begin = begin.max(Some(least - unwrapped.least).filter(|_| is_plain(&unwrapped.form))?);
    }
    (begin >= 0).then_some(begin)
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
        let begin = begin(ahead.to.function, start, counter.step, answers);
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
        let all = ahead.binary(BinaryOp::Sub, last, first);
        let others = ahead.binary(BinaryOp::Sub, all, rounds);
        let times = ahead.to.number(if counter.step > 1 { OTHERS_OF_LANES } else { OTHERS }, WIDE);
        let others = ahead.binary(BinaryOp::Mul, others, times);
        let are_few = ahead.to.emit(Op::Compare(CompareOp::SLe, others, all), WIDE.mask());
        let conditions = [is_long, are_few, has_rounds];
        let and = |ahead: &mut Ahead<'_>, a, b| ahead.to.emit(Op::Binary(BinaryOp::And, a, b), WIDE.mask());
        let is_most = conditions.into_iter().reduce(|a, b| and(&mut ahead, a, b)).expect("three conditions");
        let beyond = ahead.plus(to, 1);
        let start = match begin {
            Some(begin) => ahead.to.number(begin as u64 & (u64::MAX >> (64 - ty.element.bits())), ty),
            None => ahead.narrowed(from, ty),
        };
        let end = ahead.narrowed(beyond, ty);
        let end = if ty.element == Element::I32 && signed { ahead.end(end, answers, limit) } else { end };
        Between { is_most, start, end, quotients }
    }

    /// Where the rounds between end, as the lesser number of that and what the farthest place that they look at is below.
    fn end(&mut self, end: Value, answers: &Answers, limit: Value) -> Value {
        let ty = self.to.function.ty(end);
        let is_plain = |bound: &&Bound| bound.form == Form { growth: 1, ..Form::constant(bound.form.constant) };
        let bounds = answers.bounds.iter().filter(|bound| bound.signed && !bound.is_least).filter(is_plain);
        let farthest = bounds.filter_map(|bound| Some((bound.form.constant - 1, bound.than?))).max_by_key(|(more, _)| *more);
        let (more, than) = farthest.filter(|(more, _)| *more > 0).unwrap_or((0, limit));
        let than = self.again(than);
        if more == 0 {
            return self.to.emit(Op::Binary(BinaryOp::SMin, than, end), ty);
        }
        let more = self.to.number(more as u64, ty);
        let beyond = self.to.emit(Op::Binary(BinaryOp::Add, end, more), ty);
        let lesser = self.to.emit(Op::Binary(BinaryOp::SMin, than, beyond), ty);
        self.to.emit(Op::Binary(BinaryOp::Sub, lesser, more), ty)
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
