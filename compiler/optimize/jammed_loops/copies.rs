//! Writes the loop whose rounds run beside each other, in front of the one that it was.

use super::super::block_writer::{BlockWriter, lead};
use super::nest::{Nest, SLOPE_DEPTH};
use super::rows::Fit;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Runs so many rounds at once while as many are left.
pub(in super::super) fn jam(function: &mut Function, graph: &Graph, nest: &Nest, rounds: usize) {
    let span = function.blocks[nest.header.0 as usize].insts.first().map_or(function.span, |i| function.insts[i.0 as usize].span);
    let to = BlockWriter { function, block: nest.header, span };
    let mut jam = Jam { to, nest, rounds, values: FxHashMap::default(), blocks: FxHashMap::default(), made: Vec::new() };
    let header = jam.to.new_block();
    let entry = jam.to.new_block();
    let parameters = jam.to.parameters_of(nest.header, header);
    jam.rounds(entry, &parameters);
    for &block in &nest.blocks[1..] {
        let new = jam.to.new_block();
        jam.blocks.insert(block, new);
    }
    for &block in &nest.blocks[1..] {
        jam.instructions(block);
    }
    jam.rename();
    for &block in &nest.blocks[1..] {
        jam.terminator(block, header);
    }
    jam.enter(entry);
    jam.test(header, entry, &parameters);
    lead(function, graph, |block| nest.inside[block.0 as usize], nest.header, header);
}

struct Jam<'f> {
    to: BlockWriter<'f>,
    nest: &'f Nest,
    rounds: usize,
    /// What became of a value: one for all rounds, or one for each.
    values: FxHashMap<Value, Vec<Value>>,
    blocks: FxHashMap<Block, Block>,
    /// The new instructions, and of which round they are.
    made: Vec<(Inst, usize)>,
}

impl Jam<'_> {
    /// What a value is in a round.
    fn get(&self, value: Value, round: usize) -> Value {
        self.values.get(&value).map_or(value, |copies| copies[round.min(copies.len() - 1)])
    }

    /// The counters of the rounds. The other parameters are known for the first one; later ones get them from the round before.
    fn rounds(&mut self, entry: Block, parameters: &[Value]) {
        let counter = self.nest.counter;
        let ty = self.to.function.ty(counter.value);
        self.to.block = entry;
        let mut copies = vec![parameters[counter.index]];
        for round in 1..self.rounds as u64 {
            let step = self.to.number(round * counter.step, ty);
            copies.push(self.to.emit(Op::Binary(BinaryOp::Add, copies[0], step), ty));
        }
        self.values.insert(counter.value, copies);
        let old = self.to.function.blocks[self.nest.header.0 as usize].parameters.clone();
        for (&old, &new) in old.iter().zip(parameters).filter(|(old, _)| **old != counter.value) {
            self.values.insert(old, vec![new]);
        }
        // What the header computes, each round computes for itself.
        self.copy(self.nest.header, entry, 0..self.rounds);
    }

    /// The instructions of a block for some rounds, side by side; those that do not depend on the round once.
    fn copy(&mut self, block: Block, new: Block, rounds: std::ops::Range<usize>) {
        let is_latch = block == self.nest.latch;
        self.to.block = new;
        for inst in self.to.function.blocks[block.0 as usize].insts.clone() {
            let data = self.to.function.insts[inst.0 as usize].clone();
            let varies = data.results.iter().any(|value| self.nest.varying.contains(value)) || data.op.has_effect();
            let is_once = !is_latch && (!varies || matches!(data.op, Op::Unroll(_)));
            for round in rounds.clone().filter(|&round| !is_once || round == 0) {
                let neighbour = self.neighbour(&data, round);
                let same = self.to.copy(inst, |value| value);
                let made = Inst(self.to.function.insts.len() as u32 - 1);
                if let Some(op) = neighbour {
                    self.to.function.insts[made.0 as usize].op = op;
                }
                for (result, value) in same {
                    self.values.entry(result).or_default().push(value);
                }
                self.made.push((made, round));
            }
        }
    }

    /// The address of a later round at a constant distance from that of the first one, where both are accessed: their elements lie in one
    /// object, where that is the distance whether the index wraps or not (see `addresses`).
    fn neighbour(&self, data: &InstData, round: usize) -> Option<Op> {
        let Op::PtrIndex { base, index, scale, offset: _ } = data.op else { return None };
        let &pointer = data.results.first()?;
        if round == 0
            || self.nest.varying.contains(&base)
            || self.to.function.ty(pointer).length > 1
            || !self.is_accessed(pointer)
        {
            return None;
        }
        let bits = self.to.function.ty(index).element.bits();
        let slope = self.nest.slope(self.to.function, index, SLOPE_DEPTH)?;
        let steps = slope.wrapping_mul(round as u64).wrapping_mul(self.nest.counter.step);
        let steps = (steps << (64 - bits)) as i64 >> (64 - bits);
        let bytes = steps.checked_mul(i64::try_from(scale).ok()?)?;
        Some(Op::PtrOffset(self.values.get(&pointer)?[0], bytes))
    }

    /// Is it used for nothing but accesses that are made?
    fn is_accessed(&self, pointer: Value) -> bool {
        let blocks = self.nest.blocks.iter().map(|block| &self.to.function.blocks[block.0 as usize]);
        let mut insts = blocks.flat_map(|block| &block.insts);
        insts.all(|inst| match &self.to.function.insts[inst.0 as usize].op {
            Op::Load { pointer: p, mask } if *p == pointer => mask.is_none(),
            Op::Store { pointer: p, value, mask, streaming: _ } if *p == pointer => mask.is_none() && *value != pointer,
            op => {
                let mut is_used = false;
                op.for_each(|value| is_used |= value == pointer);
                !is_used
            }
        })
    }

    fn instructions(&mut self, block: Block) {
        let new = self.blocks[&block];
        for parameter in self.to.function.blocks[block.0 as usize].parameters.clone() {
            let copies = if self.nest.varying.contains(&parameter) { self.rounds } else { 1 };
            let ty = self.to.function.ty(parameter);
            let made = (0..copies).map(|_| self.to.parameter(new, ty)).collect();
            self.values.insert(parameter, made);
        }
        if block == self.nest.latch {
            self.last(block, new);
        } else {
            self.copy(block, new, 0..self.rounds);
        }
    }

    /// The last block: one round after another, where each gets what flows out of the one before.
    fn last(&mut self, block: Block, new: Block) {
        let arguments = self.next(block);
        let parameters = self.to.function.blocks[self.nest.header.0 as usize].parameters.clone();
        for round in 0..self.rounds {
            self.copy(block, new, round..round + 1);
            if round + 1 < self.rounds {
                for (&parameter, &argument) in parameters.iter().zip(&arguments).filter(|(p, _)| **p != self.nest.counter.value) {
                    let value = self.get(argument, round);
                    self.values.get_mut(&parameter).expect("the parameter of the header").push(value);
                }
            }
        }
    }

    /// What a block hands to the next round.
    fn next(&self, latch: Block) -> Vec<Value> {
        let mut targets = self.to.function.blocks[latch.0 as usize].terminator.targets();
        targets.find(|target| target.block == self.nest.header).expect("the last block goes back").arguments.clone()
    }

    /// In the order of blocks a use may come before its definition.
    fn rename(&mut self) {
        for (inst, round) in std::mem::take(&mut self.made) {
            let mut op = std::mem::replace(&mut self.to.function.insts[inst.0 as usize].op, Op::Unset);
            op.for_each_mut(|value| *value = self.get(*value, round));
            self.to.function.insts[inst.0 as usize].op = op;
        }
    }

    fn terminator(&mut self, block: Block, header: Block) {
        let mut terminator = self.to.function.blocks[block.0 as usize].terminator.clone();
        let new = self.blocks[&block];
        if block == self.nest.latch {
            let mut arguments: Vec<Value> = self.next(block).into_iter().map(|value| self.get(value, self.rounds - 1)).collect();
            let counter = self.nest.counter;
            let ty = self.to.function.ty(counter.value);
            self.to.block = new;
            let step = self.to.number(self.rounds as u64 * counter.step, ty);
            let first = self.get(counter.value, 0);
            arguments[counter.index] = self.to.emit(Op::Binary(BinaryOp::Add, first, step), ty);
            terminator = Terminator::Jump(Target { block: header, arguments });
        } else {
            if let Terminator::Branch { condition, .. } = &mut terminator {
                *condition = self.get(*condition, 0);
            }
            for target in terminator.targets_mut() {
                *target = self.target(target);
            }
        }
        self.to.function.blocks[new.0 as usize].terminator = terminator;
    }

    /// A jump with arguments for the parameters of each round.
    fn target(&self, target: &Target) -> Target {
        let parameters = &self.to.function.blocks[target.block.0 as usize].parameters;
        let mut arguments = Vec::new();
        for (&argument, parameter) in target.arguments.iter().zip(parameters) {
            arguments.extend((0..self.values[parameter].len()).map(|round| self.get(argument, round)));
        }
        Target { block: self.blocks[&target.block], arguments }
    }

    /// From the counters into the body.
    fn enter(&mut self, entry: Block) {
        let terminator = &self.to.function.blocks[self.nest.header.0 as usize].terminator;
        let body = terminator.targets().find(|target| target.block == self.nest.counter.body).expect("the body of the loop");
        let target = self.target(body);
        self.to.function.blocks[entry.0 as usize].terminator = Terminator::Jump(target);
    }

    /// Are there so many rounds left, and do rows fit?
    fn test(&mut self, header: Block, entry: Block, parameters: &[Value]) {
        let (nest, counter) = (self.nest, self.nest.counter);
        let bool = Type::scalar(Element::Bool);
        self.to.block = header;
        let mut condition = counter.are_left(&mut self.to, parameters[counter.index], self.rounds as u64);
        let mut known = FxHashMap::default();
        let wide = Type::scalar(Element::I64);
        for fit in self.nest.fits.clone() {
            let (Fit::Rows { extent, row: distance } | Fit::Columns { extent, pace: distance }) = fit;
            let [extent, distance] = [extent, distance].map(|value| {
                let value = self.to.again(value, &|function, value| nest.defines(function, value), &mut known);
                self.wide(value)
            });
            let most = self.to.number(1 << 28, wide);
            let mut asked = vec![(CompareOp::ULt, distance, most)];
            match fit {
                Fit::Rows { .. } => asked.push((CompareOp::ULe, extent, distance)),
                Fit::Columns { .. } => {
                    let (rounds, end) = (self.to.number(self.rounds as u64, wide), self.to.number(1 << 31, wide));
                    let size = self.to.emit(Op::Binary(BinaryOp::Mul, extent, distance), wide);
                    asked.extend([
                        (CompareOp::ULe, rounds, distance),
                        (CompareOp::ULt, extent, most),
                        (CompareOp::ULt, size, end),
                    ]);
                }
            }
            for (op, a, b) in asked {
                let also = self.to.emit(Op::Compare(op, a, b), bool);
                condition = self.to.emit(Op::Binary(BinaryOp::And, condition, also), bool);
            }
        }
        let target = |block: Block, arguments: Vec<Value>| Target { block, arguments };
        let terminator = Terminator::Branch {
            condition,
            then: target(entry, Vec::new()),
            otherwise: target(self.nest.header, parameters.to_vec()),
        };
        self.to.end(terminator);
    }

    fn wide(&mut self, value: Value) -> Value {
        let wide = Type::scalar(Element::I64);
        if self.to.function.ty(value) == wide { value } else { self.to.emit(Op::Convert(ConvertOp::SExt, value), wide) }
    }
}
