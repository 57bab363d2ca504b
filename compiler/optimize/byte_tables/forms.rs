//! How functions of bytes are computed in few steps.

use crate::vector::ir::*;
use crate::vector::writer::Writer;
use std::collections::BTreeSet;

/// Elements of a table.
pub const HALF: usize = 16;
/// Sets that have a bit.
const MOST_SETS: usize = 8;
/// Bytes that are asked for by themselves.
const MOST_EXCEPTIONS: usize = 2;
/// Steps of a choice by sets, and of a number of the row that is added; they have the upper half in common.
const CHOICE: usize = 7;
const ADDITION: usize = 4;
const UPPER_HALF: usize = 2;
/// Ranges that are asked for one after another.
const MOST_RANGES: usize = 3;

/// A function of bytes in few steps.
pub enum Form {
    /// See there.
    Halves(Halves),
    /// See there.
    Ranges(Ranges),
    /// See there.
    Runs(Runs),
}

impl Form {
    /// The shortest for the bytes up to `last`; others become anything. Only where the machine `looks_up` sixteen bytes may it look up.
    pub fn of(ty: Type, results: &[u8; 256], last: u8, looks_up: bool) -> Option<Form> {
        let mut all = *results;
        let more = results[usize::from(last)].wrapping_sub(last);
        (usize::from(last) + 1..256).for_each(|x| all[x] = more.wrapping_add(x as u8));
        let halves = || Halves::of(ty, &all).map(Form::Halves);
        let numbers: [_; 2] = [true, false].map(|is_added| Numbers::of(ty, results, last, is_added));
        let is_asked = ty.element == Element::Bool;
        let ranges = numbers.iter().filter(|_| !is_asked).filter_map(Numbers::ranges).map(Form::Ranges);
        let runs = numbers.iter().filter(|_| !is_asked && looks_up).filter_map(Numbers::runs).map(Form::Runs);
        looks_up.then(halves).flatten().into_iter().chain(ranges).chain(runs).min_by_key(Form::steps)
    }

    /// Instructions for it.
    pub fn steps(&self) -> usize {
        match self {
            Form::Halves(halves) => halves.steps(),
            Form::Ranges(ranges) => ranges.steps(),
            Form::Runs(runs) => runs.steps(),
        }
    }

    /// Writes what stands in front of the operation that gives the result.
    pub fn write(&self, writer: &mut Writer<'_>, byte: Value) -> Op {
        match self {
            Form::Halves(halves) => halves.write(writer, byte),
            Form::Ranges(ranges) => ranges.write(writer, byte),
            Form::Runs(runs) => runs.write(writer, byte),
        }
    }
}

/// What bytes become, as numbers that are the same for many that follow each other.
struct Numbers {
    ty: Type,
    /// Are they added to the byte, or are they the result?
    is_added: bool,
    /// The first byte and the last of each, and the number.
    runs: Vec<Run>,
}

/// A number, and the bytes that have it.
#[derive(Clone, Copy)]
struct Run {
    first: u8,
    last: u8,
    number: u8,
}

impl Numbers {
    fn of(ty: Type, results: &[u8; 256], last: u8, is_added: bool) -> Numbers {
        let mut runs: Vec<Run> = Vec::new();
        for byte in 0..=last {
            let number = results[usize::from(byte)].wrapping_sub(if is_added { byte } else { 0 });
            match runs.last_mut().filter(|run| run.number == number) {
                Some(run) => run.last = byte,
                None => runs.push(Run { first: byte, last: byte, number }),
            }
        }
        Numbers { ty, is_added, runs }
    }

    fn ranges(&self) -> Option<Ranges> {
        let of = |number: u8| self.runs.iter().filter(move |run| run.number == number);
        let size = |number: u8| (of(number).count(), of(number).map(|run| run.last - run.first).max());
        let base = self.runs.iter().map(|run| run.number).max_by_key(|number| size(*number))?;
        let ranges: Vec<Run> = self.runs.iter().filter(|run| run.number != base).copied().collect();
        let last = self.runs.last()?.last;
        (ranges.len() <= MOST_RANGES).then_some(Ranges { ty: self.ty, is_added: self.is_added, base, ranges, last })
    }

    /// From `split` on each byte has an entry of its own, those in front of it have one for each of up to three runs.
    fn runs(&self) -> Option<Runs> {
        let last = self.runs.last()?.last;
        if usize::from(last) < HALF {
            return None;
        }
        let of = |byte: u8| self.runs.iter().find(|run| byte <= run.last).map_or(0, |run| run.number);
        let (split, before) = (0..=2).find_map(|more: u8| {
            let split = last - (HALF as u8 - 1) + more;
            let before: Vec<Run> = self.runs.iter().filter(|run| run.first <= split).copied().collect();
            (before.len() == usize::from(more) + 1).then_some((split, before))
        })?;
        let mut table = [0; HALF];
        (split..=last).for_each(|byte| table[usize::from(byte - split)] = of(byte));
        // Entries 14 and 15 are free as far as they are needed: what is in front of the last run sets the bits of 14 or of 15, then 1.
        let bits: &[u8] = match before.len() {
            1 => &[],
            2 => &[15],
            _ => &[1, 14],
        };
        let ends: Vec<(u8, u8)> = before.iter().zip(bits).map(|(run, bits)| (run.last + 1, *bits)).collect();
        for (k, run) in before.iter().enumerate().take(bits.len()) {
            table[usize::from(bits[k..].iter().fold(0, |all, bits| all | bits))] = run.number;
        }
        Some(Runs { ty: self.ty, is_added: self.is_added, split, ends, table, last })
    }
}

/// By ranges: bytes of each have a number of their own, all others another one.
pub struct Ranges {
    ty: Type,
    is_added: bool,
    base: u8,
    ranges: Vec<Run>,
    /// The last byte there is.
    last: u8,
}

/// Is a byte below this end? No byte is above `last`.
fn is_below(end: u8, last: u8) -> CompareOp {
    if end.max(last) < 128 { CompareOp::SLt } else { CompareOp::ULt }
}

impl Ranges {
    fn steps(&self) -> usize {
        let of_range = |run: &Run| {
            let is_one = run.first == run.last || run.first == 0 && self.last < 128;
            if is_one { 1 } else { 2 }
        };
        let sums = self.ranges.len() + usize::from(self.base != 0);
        let choices: usize = self.ranges.iter().map(|run| of_range(run) + 1).sum();
        choices + if self.is_added { sums } else { sums.max(1) - 1 }
    }

    fn write(&self, writer: &mut Writer<'_>, byte: Value) -> Op {
        let ty = self.ty;
        let mut terms: Vec<Value> = if self.is_added { vec![byte] } else { Vec::new() };
        if self.base != 0 || self.ranges.is_empty() && !self.is_added {
            terms.push(writer.emit(Op::Const(vec![self.base.into()]), ty));
        }
        for run in &self.ranges {
            let number = |writer: &mut Writer<'_>, number: u8| writer.emit(Op::Const(vec![number.into()]), ty);
            let is_within = if run.first == run.last {
                Op::Compare(CompareOp::Eq, byte, number(writer, run.first))
            } else if run.first == 0 && run.last < u8::MAX {
                Op::Compare(is_below(run.last + 1, self.last), byte, number(writer, run.last + 1))
            } else {
                // As numbers with a sign: the least is −128.
                let (least, end) = (128u8.wrapping_sub(run.first), (run.last - run.first).wrapping_sub(127));
                let least = number(writer, least);
                let place = writer.emit(Op::Binary(BinaryOp::Add, byte, least), ty);
                Op::Compare(CompareOp::SLt, place, number(writer, end))
            };
            let is_within = writer.emit(is_within, ty.mask());
            let [more, none] = [run.number.wrapping_sub(self.base), 0].map(|of| number(writer, of));
            terms.push(writer.emit(Op::Select(is_within, more, none), ty));
        }
        sum(writer, ty, &terms)
    }
}

/// The operation that adds the last of some numbers; what stands in front of it is written.
fn sum(writer: &mut Writer<'_>, ty: Type, terms: &[Value]) -> Op {
    let mut sum = terms[0];
    let Some((last, between)) = terms[1..].split_last() else {
        // A number and nothing else.
        return Op::Binary(BinaryOp::Or, sum, sum);
    };
    for term in between {
        sum = writer.emit(Op::Binary(BinaryOp::Add, sum, *term), ty);
    }
    Op::Binary(BinaryOp::Add, sum, *last)
}

/// By runs: bytes become the index of an entry of a table, those of a run that is long have one.
pub struct Runs {
    ty: Type,
    is_added: bool,
    /// The last byte of entry 0.
    split: u8,
    /// Bytes below the first number have the bits of the second in their index.
    ends: Vec<(u8, u8)>,
    table: [u8; HALF],
    /// The last byte there is.
    last: u8,
}

impl Runs {
    fn steps(&self) -> usize {
        2 + 3 * self.ends.len() + usize::from(self.is_added)
    }

    fn write(&self, writer: &mut Writer<'_>, byte: Value) -> Op {
        let ty = self.ty;
        let number = |writer: &mut Writer<'_>, number: u8| writer.emit(Op::Const(vec![number.into()]), ty);
        let split = number(writer, self.split);
        let mut index = writer.emit(Op::Binary(BinaryOp::USubSat, byte, split), ty);
        for &(end, bits) in &self.ends {
            let [end_of, bits, none] = [end, bits, 0].map(|of| number(writer, of));
            let is_below = writer.emit(Op::Compare(is_below(end, self.last), byte, end_of), ty.mask());
            let bits = writer.emit(Op::Select(is_below, bits, none), ty);
            index = writer.emit(Op::Binary(BinaryOp::Or, index, bits), ty);
        }
        let table = writer.emit(Op::Const(self.table.iter().copied().map(u64::from).collect()), ty.with_length(HALF as u8));
        let found = Op::Permute(table, index);
        if self.is_added { Op::Binary(BinaryOp::Add, byte, writer.emit(found, ty)) } else { found }
    }
}

/// By halves: what is added by the upper one, which bytes are chosen by both.
pub struct Halves {
    ty: Type,
    /// Which bytes are chosen, unless all are.
    choice: Option<Choice>,
    /// What is added to them, by the row; nothing where only the choice is asked for.
    added: Option<[u8; HALF]>,
    /// What others become.
    other: u8,
    /// Bytes, and what they become.
    exceptions: Vec<(u8, u8)>,
}

/// Bytes by sets of lower halves.
struct Choice {
    by_lower: [u8; HALF],
    by_upper: [u8; HALF],
    /// Are they those that are in none?
    is_inverted: bool,
}

impl Choice {
    fn of(is_chosen: impl Fn(usize) -> bool) -> Option<Choice> {
        [false, true].into_iter().find_map(|is_inverted| {
            let row = |upper: usize| {
                (0..HALF).filter(|lower| is_chosen(HALF * upper + lower) != is_inverted).map(|lower| 1 << lower).sum()
            };
            let rows: [u16; HALF] = std::array::from_fn(row);
            let sets: Vec<u16> = rows.iter().copied().filter(|set| *set != 0).collect::<BTreeSet<u16>>().into_iter().collect();
            let bit = |of: &dyn Fn(u16) -> bool| (0..).zip(&sets).filter(|(_, set)| of(**set)).map(|(k, _)| 1u8 << k).sum();
            (sets.len() <= MOST_SETS).then(|| Choice {
                by_lower: std::array::from_fn(|lower| bit(&|set| set >> lower & 1 == 1)),
                by_upper: std::array::from_fn(|upper| bit(&|set| set == rows[upper])),
                is_inverted,
            })
        })
    }
}

impl Halves {
    fn of(ty: Type, results: &[u8; 256]) -> Option<Halves> {
        if ty.element == Element::Bool {
            let choice = Some(Choice::of(|x| results[x] == 1)?);
            return Some(Halves { ty, choice, added: None, other: 0, exceptions: Vec::new() });
        }
        let other = (0..=255).max_by_key(|result| results.iter().filter(|r| *r == result).count())?;
        let by_row = |other: Option<u8>| {
            let is_other = |x: usize| Some(results[x]) == other;
            let difference = |x: usize| results[x].wrapping_sub(x as u8);
            let of_row = |upper: usize| {
                let row = || (HALF * upper..HALF * (upper + 1)).filter(|x| !is_other(*x)).map(difference);
                row().max_by_key(|number| row().filter(|n| n == number).count()).unwrap_or(0)
            };
            let added: [u8; HALF] = std::array::from_fn(of_row);
            let is_added = |x: usize| !is_other(x) && difference(x) == added[x / HALF];
            let exceptions: Vec<(u8, u8)> =
                (0..256).filter(|x| !is_other(*x) && !is_added(*x)).map(|x| (x as u8, results[x])).collect();
            if exceptions.len() > MOST_EXCEPTIONS {
                return None;
            }
            let choice = match other {
                Some(_) => Some(Choice::of(is_added)?),
                None => None,
            };
            Some(Halves { ty, choice, added: Some(added), other: other.unwrap_or(0), exceptions })
        };
        by_row(None).or_else(|| by_row(Some(other)))
    }

    /// Instructions for it.
    fn steps(&self) -> usize {
        let of_both = match (&self.choice, self.added) {
            (Some(_), Some(_)) => CHOICE + ADDITION - UPPER_HALF + 1,
            (Some(_), None) => CHOICE,
            (None, _) => ADDITION,
        };
        of_both + 2 * self.exceptions.len()
    }

    /// Writes what stands in front of the operation that gives the result.
    fn write(&self, writer: &mut Writer<'_>, byte: Value) -> Op {
        let bytes = writer.function.ty(byte);
        let number = |writer: &mut Writer<'_>, number: u64| writer.emit(Op::Const(vec![number]), bytes);
        let look_up = |writer: &mut Writer<'_>, table: &[u8; HALF], half: Value| {
            let table = writer.emit(Op::Const(table.iter().copied().map(u64::from).collect()), bytes.with_length(HALF as u8));
            writer.emit(Op::Permute(table, half), bytes)
        };
        let four = number(writer, 4);
        let upper = writer.emit(Op::Binary(BinaryOp::LShr, byte, four), bytes);
        let mut op = None;
        if let Some(added) = &self.added {
            let added = look_up(writer, added, upper);
            op = Some(Op::Binary(BinaryOp::Add, byte, added));
        }
        if let Some(Choice { by_lower, by_upper, is_inverted }) = &self.choice {
            let fifteen = number(writer, HALF as u64 - 1);
            let lower = writer.emit(Op::Binary(BinaryOp::And, byte, fifteen), bytes);
            let [sets, row] = [(by_lower, lower), (by_upper, upper)].map(|(table, half)| look_up(writer, table, half));
            let common = writer.emit(Op::Binary(BinaryOp::And, sets, row), bytes);
            let none = number(writer, 0);
            let choice = Op::Compare(if *is_inverted { CompareOp::Eq } else { CompareOp::Ne }, common, none);
            op = Some(match op {
                Some(sum) => {
                    let chosen = writer.emit(choice, bytes.mask());
                    let sum = writer.emit(sum, bytes);
                    let other = number(writer, self.other.into());
                    Op::Select(chosen, sum, other)
                }
                None => choice,
            });
        }
        let mut op = op.expect("something is chosen, or added");
        for &(exception, result) in &self.exceptions {
            let so_far = writer.emit(op, self.ty);
            let exception = number(writer, exception.into());
            let is_it = writer.emit(Op::Compare(CompareOp::Eq, byte, exception), bytes.mask());
            let result = number(writer, result.into());
            op = Op::Select(is_it, result, so_far);
        }
        op
    }
}
