//! What a round of so many lanes takes.

use super::Rounds;
use super::lanes::is_vector;
use crate::machine::Machine;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// What a round of so many lanes takes.
pub(super) struct Work<'a> {
    pub(super) rounds: &'a Rounds,
    pub(super) function: &'a Function,
    pub(super) machine: &'a Machine,
    pub(super) times: u8,
}

impl Work<'_> {
    /// Registers that hold a value of a round.
    fn registers(&self, value: Value) -> usize {
        let ty = self.function.ty(value);
        match ty.length {
            1 => 1,
            length => self.machine.registers_of(ty.element.size(), length * self.times),
        }
    }

    /// Operations on registers. What is loaded and made longer is so in one.
    pub(super) fn operations(&self) -> usize {
        let mut only_extended: FxHashMap<Value, bool> = FxHashMap::default();
        let insts = || self.rounds.insts.iter().map(|inst| &self.function.insts[inst.0 as usize]);
        for data in insts() {
            let is_extension =
                matches!(data.op, Op::Convert(ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::UToF | ConvertOp::SToF, _));
            data.op.for_each(|operand| *only_extended.entry(operand).or_insert(true) &= is_extension);
        }
        let operations = |data: &InstData| {
            let is_vector = |value: &Value| is_vector(self.function, *value);
            match &data.op {
                Op::Const(_) | Op::Splat(_) | Op::Ramp { .. } | Op::PtrIndex { .. } | Op::PtrOffset(..) => 0,
                Op::Load { .. } if only_extended.get(&data.results[0]) == Some(&true) => 0,
                // Masks are as long as what was compared.
                op => {
                    let mut values = Vec::new();
                    op.for_each(|operand| values.push(operand));
                    values.extend(&data.results);
                    let is_number = |value: &Value| !matches!(self.function.ty(*value).element, Element::Bool | Element::Ptr);
                    values
                        .iter()
                        .filter(|value| is_vector(value) && is_number(value))
                        .map(|&value| self.registers(value))
                        .max()
                        .unwrap_or(0)
                }
            }
        };
        insts().map(|data| operations(data) + self.packing(data)).sum()
    }

    /// Two registers of lanes that become half as wide are one at a time, at last across 128 bits; one register is worth as much.
    fn packing(&self, data: &InstData) -> usize {
        let (Op::Convert(_, from), &[to]) = (&data.op, &data.results[..]) else { return 0 };
        let [from_size, to_size] = [*from, to].map(|value| self.function.ty(value).element.size());
        if from_size <= to_size || !is_vector(self.function, to) || self.machine.has_mask_registers() {
            return 0;
        }
        let registers = self.registers(*from);
        (1..=(from_size / to_size).ilog2()).map(|level| (registers >> level).max(1)).sum::<usize>() + 1
    }

    /// As many registers hold something at once. Constants need none: they are operands in memory.
    pub(super) fn most_alive(&self) -> usize {
        let mut last: FxHashMap<Value, usize> = FxHashMap::default();
        let insts = &self.rounds.insts;
        for (at, inst) in insts.iter().enumerate() {
            self.function.insts[inst.0 as usize].op.for_each(|operand| _ = last.insert(operand, at));
        }
        let counts = |value: &Value| {
            let ty = self.function.ty(*value);
            let is_constant = matches!(self.function.definition(*value), Some(Op::Const(_)));
            ty.length > 1 && !matches!(ty.element, Element::Bool | Element::Ptr) && !is_constant
        };
        let shared = last.keys().filter(|value| counts(value) && !self.rounds.lanes.inside.contains(value)).count();
        let (mut alive, mut most) = (shared, 0);
        let mut ends: FxHashMap<usize, usize> = FxHashMap::default();
        for (at, inst) in insts.iter().enumerate() {
            for result in self.function.insts[inst.0 as usize].results.iter().filter(|result| counts(result)) {
                let registers = self.registers(*result);
                alive += registers;
                *ends.entry(last.get(result).copied().unwrap_or(at)).or_insert(0) += registers;
            }
            most = most.max(alive);
            alive -= ends.remove(&at).unwrap_or(0);
        }
        most
    }
}
