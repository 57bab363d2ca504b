//! What a loop keeps of its rounds, if that may be put together in any way that keeps their order.

use super::super::combined::{Combined, LoopBlocks, Mask};
use super::super::paired_products::is_product_of_words;
use super::super::partial_reductions::{is_any_order, nothing};
use super::Loop;
use crate::machine::Machine;
use crate::vector::ir::*;

/// How a parameter of the header and something of the round become the parameter of the next one.
#[derive(Clone, PartialEq)]
pub(super) enum Rule {
    /// By an operation: of the parameter and the value, or under a mask.
    Operation { inst: Inst, value: Value, mask: Option<Mask> },
    /// As for `Operation`, with a sum of its own for each round. LLVM would write a sum of sums as one after the other.
    Sums { inst: Inst, value: Value, op: BinaryOp },
    /// By a comparison of the parameter with the value.
    Choice { compare: Inst, select: Inst, value: Value },
    /// A number to which that of the lanes of a mask is added, which is computed by these instructions.
    Count { mask: Value, insts: Vec<Inst> },
}

pub(super) struct Accumulator {
    /// The place of the parameter.
    pub(super) place: usize,
    pub(super) rule: Rule,
}

impl Accumulator {
    /// The instructions that a group has instead of one for each round.
    pub(super) fn insts(&self) -> Vec<Inst> {
        match &self.rule {
            Rule::Operation { inst, mask, .. } => [*inst].into_iter().chain(mask.map(|mask| mask.select)).collect(),
            Rule::Sums { inst, .. } => vec![*inst],
            Rule::Choice { compare, select, .. } => vec![*compare, *select],
            Rule::Count { insts, .. } => insts.clone(),
        }
    }

    /// What a round brings.
    pub(super) fn value(&self) -> Value {
        match self.rule {
            Rule::Operation { value, .. } | Rule::Sums { value, .. } | Rule::Choice { value, .. } => value,
            Rule::Count { mask, .. } => mask,
        }
    }

    /// So many registers wait for themselves.
    pub(super) fn chains(&self, registers: impl Fn(Value) -> usize) -> usize {
        match self.rule {
            Rule::Count { .. } => 1,
            Rule::Operation { value, .. } | Rule::Sums { value, .. } | Rule::Choice { value, .. } => registers(value),
        }
    }

    /// What a sum begins with that changes nothing.
    pub(super) fn nothing(&self, element: Element) -> u64 {
        match self.rule {
            Rule::Sums { op, .. } if !element.is_float() => nothing(op, element),
            _ => 0,
        }
    }

    /// Must what it puts together be numbers?
    pub(super) fn needs_numbers(&self, function: &Function) -> bool {
        match self.rule {
            Rule::Operation { value, .. } | Rule::Choice { value, .. } => function.ty(value).element.is_float(),
            Rule::Sums { .. } | Rule::Count { .. } => false,
        }
    }
}

/// Those of a loop.
pub(super) fn of(function: &Function, found: &Loop, machine: &Machine) -> Vec<Accumulator> {
    let mut all: Vec<Accumulator> = Vec::new();
    for place in 0..function.blocks[found.header.0 as usize].parameters.len() {
        if place != found.counter.index {
            let search = Search { pair: found.pair(function), place };
            all.extend(search.operation().or_else(|| search.choice()).or_else(|| search.count(machine)));
        }
    }
    all
}

/// Looks how one parameter becomes the next.
struct Search<'f> {
    pair: LoopBlocks<'f>,
    place: usize,
}

impl Search<'_> {
    fn parameter(&self) -> Value {
        self.pair.function.blocks[self.pair.header.0 as usize].parameters[self.place]
    }

    fn next(&self) -> Value {
        self.pair.next()[self.place]
    }

    fn operation(&self) -> Option<Accumulator> {
        let Combined { inst, op, value, mask } = self.pair.combined(self.place)?;
        let is_float = self.pair.function.ty(value).element.is_float();
        let is_any_order = is_any_order(op) || matches!(op, BinaryOp::FMin | BinaryOp::FMax) && mask.is_none();
        let is_sum = op == BinaryOp::FAdd && self.pair.function.fp == FpMode::Fast && mask.is_none();
        // Extremes stay in the order in which they are written.
        let is_reordered = matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        let is_apart = is_reordered && !is_float && mask.is_none() && !is_product_of_words(self.pair.function, value);
        let rule = match (is_any_order, is_sum || is_apart) {
            (_, true) => Rule::Sums { inst, value, op },
            (true, false) => Rule::Operation { inst, value, mask },
            (false, false) => return None,
        };
        Some(Accumulator { place: self.place, rule })
    }

    fn choice(&self) -> Option<Accumulator> {
        let (parameter, next) = (self.parameter(), self.next());
        let select = self.pair.inst(next)?;
        let (condition, value) = match self.pair.function.insts[select.0 as usize].op {
            Op::Select(condition, a, b) if a == parameter => (condition, b),
            Op::Select(condition, a, b) if b == parameter => (condition, a),
            _ => return None,
        };
        let compare = self.pair.inst(condition)?;
        let Op::Compare(op, a, b) = self.pair.function.insts[compare.0 as usize].op else { return None };
        let is_order = match op {
            CompareOp::SLt | CompareOp::SLe | CompareOp::SGt | CompareOp::SGe => true,
            CompareOp::ULt | CompareOp::ULe | CompareOp::UGt | CompareOp::UGe => true,
            CompareOp::FLt | CompareOp::FLe | CompareOp::FGt | CompareOp::FGe => true,
            CompareOp::Eq | CompareOp::Ne | CompareOp::FEq | CompareOp::FNe => false,
        };
        let is_of_both = (a, b) == (parameter, value) || (a, b) == (value, parameter);
        // What is kept beside the chosen one waits for nothing but a comparison, and would have to be chosen in each round of a group as well.
        let is_alone = self.pair.is_only_used(parameter, &[compare, select], None)
            && self.pair.is_only_used(condition, &[select], None)
            && self.pair.is_only_used(next, &[], Some(self.place));
        let is_vector = self.pair.function.ty(condition).length > 1;
        (is_order && is_of_both && parameter != value && is_vector && is_alone)
            .then_some(Accumulator { place: self.place, rule: Rule::Choice { compare, select, value } })
    }

    fn count(&self, machine: &Machine) -> Option<Accumulator> {
        let (parameter, next) = (self.parameter(), self.next());
        if machine.has_mask_registers() || machine.sad.is_empty() || self.pair.function.ty(parameter).length > 1 {
            return None;
        }
        let mut insts = vec![self.pair.inst(next)?];
        let Op::Binary(BinaryOp::Add, a, b) = self.pair.function.insts[insts[0].0 as usize].op else { return None };
        let mut count = if a == parameter { b } else { a };
        let is_one_of_them = (a == parameter) != (b == parameter);
        let mask = loop {
            let inst = self.pair.inst(count)?;
            insts.push(inst);
            match self.pair.function.insts[inst.0 as usize].op {
                Op::Convert(ConvertOp::Trunc | ConvertOp::SExt | ConvertOp::ZExt, from)
                    if self.pair.function.ty(count).element.bits() >= 16 =>
                {
                    count = from;
                }
                Op::Unary(UnaryOp::Popcnt, bits) => match self.pair.function.definition(bits) {
                    Some(&Op::MaskBits(mask)) => {
                        insts.push(self.pair.inst(bits)?);
                        break mask;
                    }
                    _ => return None,
                },
                _ => return None,
            }
        };
        let lanes = self.pair.function.ty(mask).length;
        let is_inside = |inst: &Inst| self.pair.is_only_used(self.pair.function.insts[inst.0 as usize].results[0], &insts, None);
        let is_alone = self.pair.is_only_used(parameter, &insts[..1], None)
            && self.pair.is_only_used(next, &[], Some(self.place))
            && insts[1..].iter().all(is_inside);
        let is_wide = lanes >= machine.register_bytes.min(32) && self.is_of_bytes(mask);
        (is_one_of_them && is_alone && is_wide).then_some(Accumulator { place: self.place, rule: Rule::Count { mask, insts } })
    }

    /// Is a mask one of comparisons of bytes?
    fn is_of_bytes(&self, mask: Value) -> bool {
        match self.pair.function.definition(mask) {
            Some(Op::Compare(_, a, _)) => self.pair.function.ty(*a).element == Element::I8,
            Some(Op::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, a, b)) => self.is_of_bytes(*a) && self.is_of_bytes(*b),
            Some(Op::Unary(UnaryOp::Not, a)) => self.is_of_bytes(*a),
            _ => false,
        }
    }
}
