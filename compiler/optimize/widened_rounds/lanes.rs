//! What several rounds of a loop may do as one round of longer vectors, and how an instruction does.
//!
//! Lane l of round r is lane r·N + l of the longer round. What has one lane is either the same in all of these rounds, or goes on by a constant from each of
//! them to the next one, as counters and addresses do.

use super::super::addresses::signed;
use super::super::block_writer::BlockWriter;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the memory of the next round is.
#[derive(Clone, Copy, PartialEq)]
pub(in super::super) enum Order {
    Forwards,
    Backwards,
}

/// What is known of the values of a part of a function, of which several rounds are to be one.
pub(in super::super) struct Lanes {
    /// What the counter of the rounds grows by.
    pub(in super::super) lanes: u8,
    /// All that the part defines.
    pub(in super::super) inside: FxHashSet<Value>,
    /// What its numbers and addresses grow by where the counter grows by 1, or else each round, modulo their bits.
    pub(in super::super) steps: FxHashMap<Value, i64>,
}

pub(in super::super) fn is_vector(function: &Function, value: Value) -> bool {
    function.ty(value).length > 1
}

impl Lanes {
    /// `None` for what is not to be in a longer round.
    pub(in super::super) fn learn(&mut self, function: &Function, data: &InstData) -> Option<()> {
        match data.results[..] {
            [] => self.is_store(function, &data.op).then_some(()),
            [result] if function.ty(result).length == 1 => {
                let step = self.step(function, &data.op)?;
                self.steps.insert(result, step);
                Some(())
            }
            [_] => self.goes_by_lanes(function, data).then_some(()),
            _ => None,
        }
    }

    /// What a scalar grows by with the counter.
    pub(in super::super) fn step_of(&self, function: &Function, value: Value) -> Option<i64> {
        match self.inside.contains(&value) {
            true => self.steps.get(&value).copied(),
            false => (function.ty(value).length == 1).then_some(0),
        }
    }

    /// What the result of an operation on scalars grows by.
    pub(in super::super) fn step(&self, function: &Function, op: &Op) -> Option<i64> {
        let mut stays = !op.has_effect();
        op.for_each(|operand| stays &= self.step_of(function, operand) == Some(0));
        let of = |value: Value| self.step_of(function, value);
        let constant = |value: Value| match function.definition(value) {
            Some(Op::Const(bits)) => Some(bits[0] as i64),
            _ => None,
        };
        Some(match *op {
            _ if stays => 0,
            Op::Binary(BinaryOp::Add, a, b) => of(a)?.wrapping_add(of(b)?),
            Op::Binary(BinaryOp::Sub, a, b) => of(a)?.wrapping_sub(of(b)?),
            Op::Binary(BinaryOp::Mul, a, b) => match constant(a) {
                Some(factor) => of(b)?.wrapping_mul(factor),
                None => of(a)?.wrapping_mul(constant(b)?),
            },
            Op::Binary(BinaryOp::Shl, a, b) => of(a)?.wrapping_shl(constant(b)? as u32 % function.ty(a).element.bits()),
            Op::Convert(ConvertOp::Trunc, a) => of(a)?,
            // Indices that are inside of one object are less than 2³¹ apart, as in `memory_access`.
            Op::PtrIndex { base, index, scale, .. } => {
                let step = signed(of(index)? as u64, function.ty(index).element.bits());
                of(base)?.wrapping_add(step.wrapping_mul(i64::try_from(scale).ok()?))
            }
            Op::PtrOffset(base, _) => of(base)?,
            _ => return None,
        })
    }

    /// What a scalar grows by from round to round.
    fn step_of_round(&self, function: &Function, value: Value) -> Option<i64> {
        self.step_of(function, value)?.checked_mul(self.lanes.into())
    }

    /// Is the memory of the next round behind that of this one, or, backwards, in front of it?
    fn order(&self, function: &Function, pointer: Value, ty: Type) -> Option<Order> {
        let bytes = ty.bytes() as i64;
        match self.step_of_round(function, pointer)? {
            step if step == bytes => Some(Order::Forwards),
            step if step == -bytes => Some(Order::Backwards),
            _ => None,
        }
    }

    /// Are the lanes of a longer round those of its rounds, one after the other?
    fn goes_by_lanes(&self, function: &Function, data: &InstData) -> bool {
        let ty = function.ty(data.results[0]);
        let stays = |value: Value| self.step_of(function, value) == Some(0);
        let is_vector = |value: Value| is_vector(function, value);
        let is_table = |value: Value| !self.inside.contains(&value) || matches!(function.definition(value), Some(Op::Const(_)));
        let is_mask = |mask: Option<Value>| mask.is_none_or(is_vector);
        match data.op {
            Op::Const(_) | Op::Unset => true,
            Op::Splat(scalar) => stays(scalar),
            Op::Ramp { base, step, .. } => {
                let bits = function.ty(base).element.bits();
                let whole = step.wrapping_mul(ty.length.into());
                self.step_of_round(function, base)
                    .is_some_and(|of_base| signed(of_base as u64, bits) == signed(whole as u64, bits))
            }
            Op::Unary(..)
            | Op::Binary(..)
            | Op::Fma(..)
            | Op::Compare(..)
            | Op::Convert(..)
            | Op::PtrOffset(..)
            | Op::Dot2(..)
            | Op::Dot4 { .. }
            | Op::Sad(..)
            | Op::Reinterpret(_)
            | Op::Shuffle(..) => {
                let mut are_vectors = true;
                data.op.for_each(|operand| are_vectors &= is_vector(operand));
                are_vectors
            }
            Op::Select(mask, a, b) => (is_vector(mask) || stays(mask)) && is_vector(a) && is_vector(b),
            // Tables stay as long as they are.
            Op::Permute(table, index) => is_table(table) && is_vector(index) && table != index,
            Op::Permute2(a, b, index) => [a, b].iter().all(|&table| is_table(table) && table != index) && is_vector(index),
            Op::PtrIndex { base, index, .. } => [base, index].iter().all(|&value| is_vector(value) || stays(value)),
            Op::Load { pointer, mask } => match self.order(function, pointer, ty) {
                Some(Order::Forwards) => is_mask(mask),
                Some(Order::Backwards) => mask.is_none(),
                None => false,
            },
            Op::StridedLoad { pointer, stride, mask, .. } => {
                self.step_of_round(function, pointer) == stride.checked_mul(ty.length.into()) && is_mask(mask)
            }
            Op::Gather { pointers, mask, .. } => is_vector(pointers) && is_mask(mask),
            _ => false,
        }
    }

    fn is_store(&self, function: &Function, op: &Op) -> bool {
        let is_mask = |mask: Option<Value>| mask.is_none_or(|mask| is_vector(function, mask));
        match *op {
            Op::Store { pointer, value, mask, streaming: false } => {
                let order = self.order(function, pointer, function.ty(value)).filter(|_| is_vector(function, value));
                match order {
                    Some(Order::Forwards) => is_mask(mask),
                    Some(Order::Backwards) => mask.is_none(),
                    None => false,
                }
            }
            Op::Scatter { value, mask, .. } => is_vector(function, value) && is_mask(mask),
            _ => false,
        }
    }

    /// What an operation looks up in, which stays as long as it is.
    pub(in super::super) fn tables(&self, op: &Op) -> Vec<Value> {
        match *op {
            Op::Permute(table, _) => vec![table],
            Op::Permute2(a, b, _) => vec![a, b],
            _ => Vec::new(),
        }
    }

    /// What is accessed by a round, if that is in front of what the round before it accesses.
    fn backwards(&self, function: &Function, inst: Inst) -> Option<Type> {
        let data = &function.insts[inst.0 as usize];
        let (pointer, ty) = match data.op {
            Op::Load { pointer, .. } => (pointer, function.ty(data.results[0])),
            Op::Store { pointer, value, .. } => (pointer, function.ty(value)),
            _ => return None,
        };
        (self.order(function, pointer, ty) == Some(Order::Backwards)).then_some(ty)
    }

    /// An instruction for the lanes of so many rounds.
    pub(in super::super) fn lengthen(&self, to: &mut BlockWriter<'_>, inst: Inst, times: u8, same: &mut FxHashMap<Value, Value>) {
        let InstData { mut op, results, span } = to.function.insts[inst.0 as usize].clone();
        to.span = span;
        let backwards = self.backwards(to.function, inst);
        let tables = self.tables(&op);
        let mut operands = Vec::new();
        op.for_each(|operand| operands.push(operand));
        for operand in operands {
            if is_vector(to.function, operand) && !tables.contains(&operand) && !same.contains_key(&operand) {
                let longer = longer(to, operand, times);
                same.insert(operand, longer);
            }
        }
        op.for_each_mut(|operand| match tables.contains(operand) {
            true if self.inside.contains(operand) => {
                let table = to.function.definition(*operand).expect("a constant").clone();
                *operand = to.emit(table, to.function.ty(*operand));
            }
            true => {}
            false => *operand = same.get(operand).copied().unwrap_or(*operand),
        });
        match &mut op {
            Op::Const(bits) if bits.len() > 1 => *bits = bits.repeat(times.into()),
            Op::Shuffle(a, _, lanes) => {
                // The lanes of the second operand are behind those of all rounds of the first one.
                let length = i16::from(to.function.ty(*a).length / times);
                let of_round = |round: i16| {
                    let moved = move |lane: i16| match lane {
                        -1 => -1,
                        lane if lane < length => lane + round * length,
                        lane => lane + (i16::from(times) - 1 + round) * length,
                    };
                    lanes.iter().map(move |&lane| moved(lane))
                };
                *lanes = (0..i16::from(times)).flat_map(of_round).collect();
            }
            _ => {}
        }
        if let Some(ty) = backwards
            && let Op::Load { pointer, .. } | Op::Store { pointer, .. } = &mut op
        {
            // The last round's memory is in front.
            let bytes = ty.bytes() as i64 * i64::from(times - 1);
            *pointer = to.emit(Op::PtrOffset(*pointer, -bytes), Type::scalar(Element::Ptr));
        }
        if backwards.is_some()
            && let Op::Store { value, .. } = &mut op
        {
            *value = turned(to, *value, times);
        }
        match results[..] {
            [result] => {
                let made = to.emit(op, for_rounds(to.function.ty(result), times));
                same.insert(result, if backwards.is_some() { turned(to, made, times) } else { made });
            }
            _ => to.effect(op),
        }
    }
}

/// The rounds of a vector in the opposite order.
fn turned(to: &mut BlockWriter<'_>, value: Value, times: u8) -> Value {
    let ty = to.function.ty(value);
    let length = i16::from(ty.length / times);
    let lanes = (0..i16::from(times)).rev().flat_map(|round| round * length..(round + 1) * length).collect();
    to.emit(Op::Shuffle(value, value, lanes), ty)
}

/// What a value of a round is for so many rounds: a vector as many times as long, or the same scalar.
pub(in super::super) fn for_rounds(ty: Type, times: u8) -> Type {
    if ty.length == 1 { ty } else { ty.with_length(ty.length * times) }
}

/// What rounds share, as long as so many of them.
pub(in super::super) fn longer(to: &mut BlockWriter<'_>, value: Value, times: u8) -> Value {
    let ty = to.function.ty(value);
    let all = for_rounds(ty, times);
    match to.function.definition(value) {
        Some(Op::Const(bits)) if bits.len() == 1 => to.emit(Op::Const(bits.clone()), all),
        Some(Op::Const(bits)) => to.emit(Op::Const(bits.repeat(times.into())), all),
        Some(&Op::Splat(scalar)) => to.emit(Op::Splat(scalar), all),
        _ => {
            let lanes = (0..all.length).map(|lane| i16::from(lane % ty.length)).collect();
            to.emit(Op::Shuffle(value, value, lanes), all)
        }
    }
}
