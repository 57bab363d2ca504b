//! Loops that count the bits of a number are instructions that do.
//!
//! ```text
//! block1(v, c):                                   while (v != 0) { v &= v - 1; c++; }
//!     branch v ≠ 0, block2, block3
//! block2:                                  ──►    c = add c, popcnt v
//!     jump block1(v & (v − 1), c + 1)             v = 0
//!
//! v & (v − 1),  c + 1                             popcnt v
//! v >> 1,       c + (v & 1)                       popcnt v
//! v >> 1,       c + 1                             the bits of its type − clz v
//! ```
//! A round takes the lowest bit that is set, or the lowest one, and the loop ends where none is left. A shift with a sign ends so where the loop goes on for v > 0 alone. Numbers that
//! grow by a constant have grown by as many times; no round does anything else.

use super::block_writer::BlockWriter;
use super::control_flow;
use super::counted_loop::{Ways, grown};
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// Replaces such loops of a function.
pub fn counted_bits(function: &mut Function) {
    let graph = Graph::new(function);
    let mut is_changed = false;
    for &header in graph.order.iter().filter(|&&block| graph.innermost_loop(block) == Some(block)) {
        if let Some(found) = Bits::of(function, &graph, header) {
            found.write(function, header);
            is_changed = true;
        }
    }
    if is_changed {
        control_flow(function);
    }
}

/// What a parameter is behind the loop.
enum Becomes {
    /// What it was.
    Same,
    /// The number whose bits are counted.
    Zero,
    /// More by so much for each round.
    Rounds(u64),
    /// More by the bits that are set.
    Ones,
}

struct Bits {
    before: Block,
    /// The place of the number among the parameters.
    index: usize,
    becomes: Vec<Becomes>,
    /// Does a round take a bit that is set?
    are_set: bool,
    /// Is nothing done with numbers below 0?
    is_signed: bool,
}

impl Bits {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Bits> {
        let Ways { before, latch: body, inside } = Ways::of(function, graph, header)?;
        let data = &function.blocks[header.0 as usize];
        let Terminator::Branch { condition, then, .. } = &data.terminator else { return None };
        let Terminator::Jump(back) = &function.blocks[body.0 as usize].terminator else { return None };
        let is_two = inside.iter().filter(|inside| **inside).count() == 2 && body != header;
        let insts = data.insts.iter().chain(&function.blocks[body.0 as usize].insts);
        let is_pure = insts.clone().all(|inst| !function.insts[inst.0 as usize].op.has_effect());
        if !is_two || !is_pure || then.block != body || !function.blocks[body.0 as usize].parameters.is_empty() {
            return None;
        }
        let &Op::Compare(op, number, zero) = function.definition(*condition)? else { return None };
        let index = data.parameters.iter().position(|&parameter| parameter == number)?;
        let ty = function.ty(number);
        if ty.length != 1 || !ty.element.is_int() || function.signed_constant(zero) != Some(0) {
            return None;
        }
        let is = |value: Value, constant: i64| function.signed_constant(value) == Some(constant);
        let is_less = |value: Value| grown(function, value) == Some((number, -1));
        let (are_set, is_signed) = match (op, function.definition(back.arguments[index])?) {
            (CompareOp::Ne | CompareOp::UGt, &Op::Binary(BinaryOp::And, a, b))
                if a == number && is_less(b) || b == number && is_less(a) =>
            {
                (true, false)
            }
            (CompareOp::Ne | CompareOp::UGt, &Op::Binary(BinaryOp::LShr, a, b)) if a == number && is(b, 1) => (false, false),
            (CompareOp::SGt, &Op::Binary(BinaryOp::AShr | BinaryOp::LShr, a, b)) if a == number && is(b, 1) => (false, true),
            _ => return None,
        };
        // Conversions keep the lowest bit, and a number that has no other one.
        let converted = |mut value: Value| {
            while let Some(&Op::Convert(ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc, from)) = function.definition(value)
            {
                value = from;
            }
            value
        };
        let is_lowest = |value: Value| match function.definition(converted(value)) {
            Some(&Op::Binary(BinaryOp::And, a, b)) => converted(a) == number && is(b, 1) || converted(b) == number && is(a, 1),
            _ => false,
        };
        let becomes = |(place, (&parameter, &next)): (usize, (&Value, &Value))| match function.definition(next) {
            _ if place == index => Some(Becomes::Zero),
            _ if next == parameter => Some(Becomes::Same),
            _ if function.ty(parameter).length != 1 || !function.ty(parameter).element.is_int() => None,
            Some(&Op::Binary(BinaryOp::Add, a, b)) if a == parameter && !are_set && is_lowest(b) => Some(Becomes::Ones),
            Some(&Op::Binary(BinaryOp::Add, a, b)) if b == parameter && !are_set && is_lowest(a) => Some(Becomes::Ones),
            _ => grown(function, next).filter(|(from, _)| *from == parameter).map(|(_, by)| Becomes::Rounds(by as u64)),
        };
        let becomes = data.parameters.iter().zip(&back.arguments).enumerate().map(becomes).collect::<Option<_>>()?;
        Some(Bits { before, index, becomes, are_set, is_signed })
    }

    /// Hands the header what it ends with, and leaves it at once.
    fn write(&self, function: &mut Function, header: Block) {
        let span = function.span;
        let targets = function.blocks[self.before.0 as usize].terminator.targets_mut();
        let given = targets.into_iter().find(|target| target.block == header).expect("a way to the header").arguments.clone();
        let number = given[self.index];
        let ty = function.ty(number);
        let mut to = BlockWriter { function, block: self.before, span };
        let zero = to.number(0, ty);
        let is_above = |to: &mut BlockWriter<'_>| to.emit(Op::Compare(CompareOp::SGt, number, zero), Type::scalar(Element::Bool));
        // Of a number below 0 no bit is counted.
        let counted = match self.is_signed {
            true => {
                let is_above = is_above(&mut to);
                to.emit(Op::Select(is_above, number, zero), ty)
            }
            false => number,
        };
        let mut arguments = Vec::new();
        for (becomes, &given) in self.becomes.iter().zip(&given) {
            let own = to.function.ty(given);
            let count = match becomes {
                Becomes::Same => {
                    arguments.push(given);
                    continue;
                }
                Becomes::Zero => {
                    let left = if self.is_signed { to.emit(Op::Binary(BinaryOp::Sub, number, counted), ty) } else { zero };
                    arguments.push(left);
                    continue;
                }
                Becomes::Rounds(_) if !self.are_set => {
                    let bits = to.number(u64::from(ty.element.bits()), ty);
                    let zeros = to.emit(Op::Unary(UnaryOp::Clz, counted), ty);
                    to.emit(Op::Binary(BinaryOp::Sub, bits, zeros), ty)
                }
                Becomes::Rounds(_) | Becomes::Ones => to.emit(Op::Unary(UnaryOp::Popcnt, counted), ty),
            };
            let count = match own.element.bits().cmp(&ty.element.bits()) {
                std::cmp::Ordering::Less => to.emit(Op::Convert(ConvertOp::Trunc, count), own),
                std::cmp::Ordering::Equal => count,
                std::cmp::Ordering::Greater => to.emit(Op::Convert(ConvertOp::ZExt, count), own),
            };
            let more = match becomes {
                Becomes::Rounds(by) if *by != 1 => {
                    let by = to.number(by & (u64::MAX >> (64 - own.element.bits())), own);
                    to.emit(Op::Binary(BinaryOp::Mul, count, by), own)
                }
                _ => count,
            };
            arguments.push(to.emit(Op::Binary(BinaryOp::Add, given, more), own));
        }
        let targets = function.blocks[self.before.0 as usize].terminator.targets_mut();
        targets.filter(|target| target.block == header).for_each(|target| target.arguments = arguments.clone());
        if let Terminator::Branch { otherwise, .. } = &function.blocks[header.0 as usize].terminator {
            function.blocks[header.0 as usize].terminator = Terminator::Jump(otherwise.clone());
        }
    }
}
