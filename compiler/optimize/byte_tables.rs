//! What is computed of a byte in many steps is looked up by its two halves.
//!
//! ```text
//! is x a letter, a digit, or one of two signs?          l = and x, 15;  h = lshr x, 4
//! a = add x, −65;  m = compare.ult a, 26         ──►    s = and (permute A, l), (permute B, h)
//! b = add x, −97;  n = compare.ult b, 26                p = compare.ne s, 0
//! …;  p = or (or m, n), …                               y = add x, (permute D, h)
//! r = select m, a, (select n, …, 255)                   r = select p, y, 255
//! ```
//! A row is the sixteen bytes of one upper half. *Which bytes are chosen* is a set of lower halves for each row: there are a bit for each
//! of up to eight different sets, in A the bits of the sets that a lower half is in, in B the one of the row. *What becomes of them* differs
//! by a number of the row from what they were; up to two bytes may be exceptions. Any other byte has one and the same result.
//!
//! The steps are known by what comes out for each of the 256 bytes
//! ([`byte_functions`](crate::vector::byte_functions)), whatever they are. It is done where they are more than what takes
//! their place, not counting those whose results are looked at by others, for machines that look up bytes.

#[cfg(test)]
mod tests;

use super::surroundings::Surroundings;
use crate::vector::byte_functions::ByteFunction;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Elements of a table.
const HALF: usize = 16;
/// Sets that have a bit.
const MOST_SETS: usize = 8;
/// Bytes that are asked for by themselves.
const MOST_EXCEPTIONS: usize = 2;
/// Steps of a choice by sets, and of a number of the row that is added; they have the upper half in common.
const CHOICE: usize = 7;
const ADDITION: usize = 4;
const UPPER_HALF: usize = 2;

/// Rewrites the functions of bytes of a function.
pub fn byte_tables(function: &mut Function, around: Surroundings<'_>) {
    let is_comparison = |inst: &&Inst| {
        let data = &function.insts[inst.0 as usize];
        matches!(data.op, Op::Compare(_, a, _) if function.ty(a).element == Element::I8 && function.ty(a).length > 1)
    };
    let is_asked = |block: &BlockData| block.insts.iter().filter(is_comparison).count() > 2;
    let blocks: Vec<usize> = (0..function.blocks.len()).filter(|&block| is_asked(&function.blocks[block])).collect();
    if !blocks.is_empty() {
        // What earlier passes left without use asks for nothing.
        super::dead_code(function);
    }
    for block in blocks {
        let known = function.byte_functions(Block(block as u32));
        let uses = function.uses();
        let insts = function.blocks[block].insts.clone();
        let (mut worth, mut gone) = (HashMap::new(), HashSet::new());
        for (k, last) in insts.iter().enumerate().rev().filter(|(_, inst)| !function.insts[inst.0 as usize].results.is_empty()) {
            let result = function.insts[last.0 as usize].results[0];
            let ty = function.ty(result);
            let is_looked_at = !gone.contains(last) && around.machine.looks_up(8, HALF as u32, ty.length);
            if let Some(form) = known.get(&result).filter(|_| is_looked_at).and_then(|known| Form::of(ty, known)) {
                let (steps, within) = steps(function, &known, &uses, &insts[..=k]);
                if 5 * form.steps() < 4 * steps {
                    gone.extend(within);
                    worth.insert(*last, form);
                }
            }
        }
        if worth.is_empty() {
            continue;
        }
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            if let Some(form) = worth.get(&inst) {
                let InstData { results, span, .. } = &function.insts[inst.0 as usize];
                let (byte, span) = (known[&results[0]].byte, *span);
                let op = form.write(&mut Writer { function, out: &mut out, span }, byte);
                function.insts[inst.0 as usize].op = op;
            }
            if worth.contains_key(&inst) || !gone.contains(&inst) {
                out.push(inst);
            }
        }
        function.blocks[block].insts = out;
    }
}

/// How many instructions it takes to compute the result of the last operation that nobody needs if it is known, and for which operations.
fn steps(function: &Function, known: &HashMap<Value, ByteFunction>, uses: &[u32], insts: &[Inst]) -> (usize, Vec<Inst>) {
    let mut needed: HashMap<Value, u32> = HashMap::new();
    let (mut steps, mut within) = (0, Vec::new());
    for (k, inst) in insts.iter().rev().enumerate() {
        let InstData { op, results, .. } = &function.insts[inst.0 as usize];
        let Some(result) = results.first().filter(|result| known.contains_key(result)) else { continue };
        if k > 0 && needed.get(result) != Some(&uses[result.0 as usize]) {
            continue;
        }
        within.push(*inst);
        steps += match op {
            // A comparison without a sign takes two, as those with both ends of a range do together.
            Op::Compare(CompareOp::Eq | CompareOp::SLt | CompareOp::SGt, ..) => 1,
            Op::Compare(..) if k > 0 && function.ty(*result).element == Element::Bool => 1,
            Op::Compare(..) => 2,
            Op::Binary(BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, ..) => 2,
            _ => 1,
        };
        op.for_each(|value| *needed.entry(value).or_default() += 1);
    }
    (steps, within)
}

/// How a function of a byte is looked up.
struct Form {
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

impl Form {
    fn of(ty: Type, function: &ByteFunction) -> Option<Form> {
        let results = &function.results;
        if ty.element == Element::Bool {
            let choice = Some(Choice::of(|x| results[x] == 1)?);
            return Some(Form { ty, choice, added: None, other: 0, exceptions: Vec::new() });
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
            Some(Form { ty, choice, added: Some(added), other: other.unwrap_or(0), exceptions })
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
