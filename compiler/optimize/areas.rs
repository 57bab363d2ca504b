//! What accesses touch in all rounds of a loop and of the loops inside, asked for in front of it.
//!
//! ```text
//! for (i = 0; i < n; i++)                       from  o                        to  o + 4 · (n − 1) + 4
//!     for (k = −r; k <= r; k++) … a[i + k]      from  a + 4 · (0 − r)          to  a + 4 · (n − 1 + r + 1) + 4
//!     o[i] = …
//! ```
//! An index is computed as an interval, in 64 bits, from those of the counters: where each product and each index is a number of 32 bits at both ends, none wraps
//! in between. What a round touches under a condition is taken to be touched.

use super::block_writer::BlockWriter;
use crate::vector::ir::*;

/// So many operations of an address are followed.
const DEPTH: u32 = 8;
/// So many bytes from a pointer to what is accessed are a distance in memory.
const MOST: u64 = 1 << 46;

const WIDE: Type = Type::scalar(Element::I64);
const BOOL: Type = Type::scalar(Element::Bool);

/// The signed counter of 32 bits of a loop inside of another one, which grows by one: it is at least what it starts with, and no greater than that or its limit and
/// so much more. Where that is no number of 32 bits, nothing is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InnerCounter {
    pub(super) value: Value,
    pub(super) start: Value,
    pub(super) limit: Value,
    pub(super) more: i64,
}

/// What two groups of accesses touch, each of one array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Areas {
    /// The addresses and how many bytes are there.
    pub(super) both: [Vec<(Value, u64)>; 2],
    /// The counter of the loop, what it grows by, and whether it has a sign.
    pub(super) own: (Value, u64, bool),
    pub(super) inner: Vec<InnerCounter>,
}

/// The least number and the greatest one.
type Interval = [Value; 2];

/// Computes a value of the loop as it is in front of it.
type Here<'h> = dyn FnMut(&mut BlockWriter<'_>, Value) -> Value + 'h;

impl Areas {
    /// Can it be asked for? `is_outer` says what is computed in front of the loop.
    pub(super) fn is_known(&self, function: &Function, is_outer: &dyn Fn(Value) -> bool) -> bool {
        self.both.iter().flatten().all(|&(pointer, _)| self.is_pointer(function, pointer, is_outer, DEPTH))
    }

    fn is_pointer(&self, function: &Function, pointer: Value, is_outer: &dyn Fn(Value) -> bool, depth: u32) -> bool {
        match function.definition(pointer) {
            _ if is_outer(pointer) => true,
            _ if depth == 0 => false,
            Some(&Op::PtrIndex { base, index, .. }) => {
                self.is_pointer(function, base, is_outer, depth - 1) && self.is_number(function, index, is_outer, depth - 1)
            }
            Some(&Op::PtrOffset(base, _)) => self.is_pointer(function, base, is_outer, depth - 1),
            _ => false,
        }
    }

    /// Is a value computed from a counter?
    fn is_counted(&self, function: &Function, value: Value, depth: u32) -> bool {
        self.is_counter(value)
            || depth > 0
                && function.definition(value).is_some_and(|op| {
                    let is_followed = matches!(
                        op,
                        Op::PtrIndex { .. }
                            | Op::PtrOffset(..)
                            | Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
                            | Op::Unary(UnaryOp::Neg, _)
                            | Op::Convert(ConvertOp::SExt, _)
                    );
                    let mut is_counted = false;
                    op.for_each(|operand| is_counted |= is_followed && self.is_counted(function, operand, depth - 1));
                    is_counted
                })
    }

    fn is_counter(&self, value: Value) -> bool {
        value == self.own.0 || self.inner.iter().any(|inner| inner.value == value)
    }

    fn is_number(&self, function: &Function, number: Value, is_outer: &dyn Fn(Value) -> bool, depth: u32) -> bool {
        let get = |number: Value| self.is_number(function, number, is_outer, depth - 1);
        let is_word = function.ty(number) == Type::scalar(Element::I32);
        match function.definition(number) {
            _ if is_word && (is_outer(number) || self.is_counter(number)) => true,
            _ if depth == 0 => false,
            Some(&Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b)) => is_word && get(a) && get(b),
            Some(&Op::Unary(UnaryOp::Neg, a)) => is_word && get(a),
            Some(&Op::Convert(ConvertOp::SExt, a)) => get(a),
            _ => false,
        }
    }

    /// Does neither group touch what the other one does, in so many rounds?
    pub(super) fn are_apart(&self, writer: &mut BlockWriter<'_>, rounds: Value, here: &mut Here<'_>) -> Value {
        let one = writer.number(1, WIDE);
        let before = writer.emit(Op::Binary(BinaryOp::Sub, rounds, one), WIDE);
        let mut reach = Reach { areas: self, writer, here, before, holds: None };
        let [a, b] = [0, 1].map(|group| reach.group(&self.both[group]));
        let holds = reach.holds;
        let mut is_behind = |a: Interval, b: Interval| writer.emit(Op::Compare(CompareOp::SGe, a[0], b[1]), BOOL);
        let (one, other) = (is_behind(a, b), is_behind(b, a));
        let are_apart = writer.emit(Op::Binary(BinaryOp::Or, one, other), BOOL);
        holds.map_or(are_apart, |holds| writer.emit(Op::Binary(BinaryOp::And, are_apart, holds), BOOL))
    }
}

/// Computes intervals.
struct Reach<'r, 'w, 'h> {
    areas: &'r Areas,
    writer: &'r mut BlockWriter<'w>,
    here: &'r mut Here<'h>,
    /// The rounds before the last one.
    before: Value,
    /// Whether nothing wraps.
    holds: Option<Value>,
}

impl Reach<'_, '_, '_> {
    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.writer.emit(Op::Binary(op, a, b), WIDE)
    }

    fn plus(&mut self, value: Value, constant: i64) -> Value {
        if constant == 0 {
            return value;
        }
        let constant = self.writer.number(constant as u64, WIDE);
        self.binary(BinaryOp::Add, value, constant)
    }

    fn wide(&mut self, value: Value, is_signed: bool) -> Value {
        let value = (self.here)(self.writer, value);
        let op = if is_signed { ConvertOp::SExt } else { ConvertOp::ZExt };
        if self.writer.function.ty(value) == WIDE { value } else { self.writer.emit(Op::Convert(op, value), WIDE) }
    }

    fn holds(&mut self, condition: Value) {
        let holds = self.holds.map_or(condition, |holds| self.writer.emit(Op::Binary(BinaryOp::And, holds, condition), BOOL));
        self.holds = Some(holds);
    }

    /// Are both ends numbers from one to another one?
    fn is_within(&mut self, [low, high]: Interval, [least, most]: [i64; 2]) {
        for (op, value, limit) in [(CompareOp::SGe, low, least), (CompareOp::SLe, high, most)] {
            let limit = self.writer.number(limit as u64, WIDE);
            let condition = self.writer.emit(Op::Compare(op, value, limit), BOOL);
            self.holds(condition);
        }
    }

    fn is_word(&mut self, interval: Interval) -> Interval {
        self.is_within(interval, [i64::from(i32::MIN), i64::from(i32::MAX)]);
        interval
    }

    /// From the first byte that some accesses touch to the one behind the last.
    fn group(&mut self, accesses: &[(Value, u64)]) -> Interval {
        let mut all: Option<Interval> = None;
        for &(pointer, size) in accesses {
            let [low, high] = self.pointer(pointer);
            let high = self.plus(high, size as i64);
            all = Some(match all {
                Some([least, most]) => [self.binary(BinaryOp::SMin, least, low), self.binary(BinaryOp::SMax, most, high)],
                None => [low, high],
            });
        }
        all.expect("a group has an access")
    }

    fn pointer(&mut self, pointer: Value) -> Interval {
        match self.counted(pointer) {
            Some(Op::PtrIndex { base, index, scale, offset }) => {
                let base = self.pointer(base);
                let index = self.number(index);
                let scale = self.writer.number(scale, WIDE);
                let way = index.map(|index| self.binary(BinaryOp::Mul, index, scale));
                [0, 1].map(|end| {
                    let at = self.binary(BinaryOp::Add, base[end], way[end]);
                    self.plus(at, offset)
                })
            }
            Some(Op::PtrOffset(base, offset)) => self.pointer(base).map(|end| self.plus(end, offset)),
            _ => {
                let pointer = (self.here)(self.writer, pointer);
                let address = self.writer.emit(Op::Convert(ConvertOp::PtrToInt, pointer), WIDE);
                // What is computed from it does not wrap.
                self.is_within([address; 2], [0, MOST as i64 * 2]);
                [address; 2]
            }
        }
    }

    /// What computes a value from counters; other values are computed in front of the loop.
    fn counted(&self, value: Value) -> Option<Op> {
        let function = &*self.writer.function;
        self.areas.is_counted(function, value, DEPTH).then(|| function.definition(value).cloned()).flatten()
    }

    /// An index as a number of 64 bits.
    fn number(&mut self, number: Value) -> Interval {
        match self.counted(number) {
            Some(Op::Convert(ConvertOp::SExt, word)) => self.number(word),
            _ => {
                let interval = self.word(number);
                self.is_word(interval)
            }
        }
    }

    /// A number of 32 bits, which is one modulo 2³².
    fn word(&mut self, number: Value) -> Interval {
        let (own, step, is_signed) = self.areas.own;
        if number == own {
            let first = self.wide(own, is_signed);
            let step = self.writer.number(step, WIDE);
            let way = self.binary(BinaryOp::Mul, self.before, step);
            return [first, self.binary(BinaryOp::Add, first, way)];
        }
        if let Some(inner) = self.areas.inner.iter().find(|inner| inner.value == number).copied() {
            let [start, limit] = [inner.start, inner.limit].map(|value| self.wide(value, true));
            let beyond = self.plus(limit, inner.more);
            let last = self.binary(BinaryOp::SMax, start, beyond);
            return self.is_word([start, last]);
        }
        match self.counted(number) {
            Some(Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)) => {
                let ([low, high], b) = (self.word(a), self.word(b));
                let [least, most] = if op == BinaryOp::Add { b } else { [b[1], b[0]] };
                [self.binary(op, low, least), self.binary(op, high, most)]
            }
            Some(Op::Unary(UnaryOp::Neg, a)) => {
                let [low, high] = self.word(a);
                let zero = self.writer.number(0, WIDE);
                [self.binary(BinaryOp::Sub, zero, high), self.binary(BinaryOp::Sub, zero, low)]
            }
            Some(Op::Binary(BinaryOp::Mul, a, b)) => {
                let [a, b] = [a, b].map(|factor| {
                    let factor = self.word(factor);
                    self.is_word(factor)
                });
                let mut ends = Vec::new();
                for a in a {
                    ends.extend(b.map(|b| self.binary(BinaryOp::Mul, a, b)));
                }
                let mut fold = |op| ends.iter().copied().reduce(|a, b| self.binary(op, a, b)).expect("four products");
                let interval = [fold(BinaryOp::SMin), fold(BinaryOp::SMax)];
                self.is_word(interval)
            }
            _ => {
                let number = self.wide(number, true);
                [number; 2]
            }
        }
    }
}
