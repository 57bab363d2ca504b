//! Writes the loop whose rounds run beside each other, in front of the one that it was.

use super::nest::{Nest, constant};
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use std::collections::HashMap;

/// Runs so many rounds at once while as many are left.
pub(super) fn jam(function: &mut Function, graph: &Graph, nest: &Nest, rounds: usize) {
    let span = function.blocks[nest.header.0 as usize].insts.first().map_or(function.span, |i| function.insts[i.0 as usize].span);
    let mut jam = Jam { function, nest, rounds, values: HashMap::new(), blocks: HashMap::new(), made: Vec::new(), span };
    let header = jam.new_block();
    let entry = jam.new_block();
    let parameters = jam.parameters(header);
    jam.rounds(entry, &parameters);
    for &block in &nest.blocks[1..] {
        let new = jam.new_block();
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
    // Whoever came to the loop comes to the new one.
    for &from in graph.predecessors[nest.header.0 as usize].iter().filter(|from| !nest.inside[from.0 as usize]) {
        let targets = function.blocks[from.0 as usize].terminator.targets_mut();
        targets.filter(|target| target.block == nest.header).for_each(|target| target.block = header);
    }
}

struct Jam<'f> {
    function: &'f mut Function,
    nest: &'f Nest,
    rounds: usize,
    /// What became of a value: one for all rounds, or one for each.
    values: HashMap<Value, Vec<Value>>,
    blocks: HashMap<Block, Block>,
    /// The new instructions, and of which round they are.
    made: Vec<(Inst, usize)>,
    span: Span,
}

impl Jam<'_> {
    fn new_block(&mut self) -> Block {
        self.function.blocks.push(BlockData::empty());
        Block(self.function.blocks.len() as u32 - 1)
    }

    fn parameter(&mut self, block: Block, ty: Type) -> Value {
        let value = Value(self.function.values.len() as u32);
        let parameters = &mut self.function.blocks[block.0 as usize].parameters;
        let def = ValueDef::Parameter(block, parameters.len() as u32);
        parameters.push(value);
        self.function.values.push(ValueData { ty, def });
        value
    }

    /// The same parameters as the header has.
    fn parameters(&mut self, block: Block) -> Vec<Value> {
        let old = self.function.blocks[self.nest.header.0 as usize].parameters.clone();
        old.into_iter().map(|value| self.parameter(block, self.function.ty(value))).collect()
    }

    fn emit(&mut self, block: Block, op: Op, ty: Type) -> Value {
        let (inst, value) = self.function.create(op, ty, self.span);
        self.function.blocks[block.0 as usize].insts.push(inst);
        value
    }

    fn number(&mut self, block: Block, number: u64, ty: Type) -> Value {
        self.emit(block, Op::Const(vec![number]), ty)
    }

    /// What a value is in a round.
    fn get(&self, value: Value, round: usize) -> Value {
        self.values.get(&value).map_or(value, |copies| copies[round.min(copies.len() - 1)])
    }

    /// The counters of the rounds. The other parameters are known for the first one; later ones get them from the round before.
    fn rounds(&mut self, entry: Block, parameters: &[Value]) {
        let counter = self.nest.counter;
        let ty = self.function.ty(counter.value);
        let mut copies = vec![parameters[counter.index]];
        for round in 1..self.rounds as u64 {
            let step = self.number(entry, round * counter.step, ty);
            copies.push(self.emit(entry, Op::Binary(BinaryOp::Add, copies[0], step), ty));
        }
        self.values.insert(counter.value, copies);
        let old = self.function.blocks[self.nest.header.0 as usize].parameters.clone();
        for (&old, &new) in old.iter().zip(parameters).filter(|(old, _)| **old != counter.value) {
            self.values.insert(old, vec![new]);
        }
        // What the header computes, each round computes for itself.
        self.copy(self.nest.header, entry, 0..self.rounds);
    }

    /// The instructions of a block for some rounds, side by side; those that do not depend on the round once.
    fn copy(&mut self, block: Block, new: Block, rounds: std::ops::Range<usize>) {
        let is_latch = block == self.nest.latch;
        for inst in self.function.blocks[block.0 as usize].insts.clone() {
            let data = self.function.insts[inst.0 as usize].clone();
            let varies = data.results.iter().any(|value| self.nest.varying.contains(value)) || data.op.has_effect();
            let is_once = !is_latch && (!varies || matches!(data.op, Op::Unroll(_)));
            for round in rounds.clone().filter(|&round| !is_once || round == 0) {
                let op = self.neighbour(&data, round).unwrap_or_else(|| data.op.clone());
                let made = Inst(self.function.insts.len() as u32);
                let mut results = Vec::new();
                for (index, &result) in (0..).zip(&data.results) {
                    let value = Value(self.function.values.len() as u32);
                    let ty = self.function.ty(result);
                    self.function.values.push(ValueData { ty, def: ValueDef::Result(made, index) });
                    self.values.entry(result).or_default().push(value);
                    results.push(value);
                }
                self.function.insts.push(InstData { op, results, span: data.span });
                self.function.blocks[new.0 as usize].insts.push(made);
                self.made.push((made, round));
            }
        }
    }

    /// The address of a later round at a constant distance from that of the first one, where both are accessed: their elements lie in one
    /// object, where that is the distance whether the index wraps or not (see `addresses`).
    fn neighbour(&self, data: &InstData, round: usize) -> Option<Op> {
        let Op::PtrIndex { base, index, scale, offset: _ } = data.op else { return None };
        let &pointer = data.results.first()?;
        if round == 0 || self.nest.varying.contains(&base) || self.function.ty(pointer).length > 1 || !self.is_accessed(pointer) {
            return None;
        }
        let bits = self.function.ty(index).element.bits();
        let slope = self.slope(index, 12)?;
        let steps = slope.wrapping_mul(round as u64).wrapping_mul(self.nest.counter.step);
        let steps = (steps << (64 - bits)) as i64 >> (64 - bits);
        let bytes = steps.checked_mul(i64::try_from(scale).ok()?)?;
        Some(Op::PtrOffset(self.values.get(&pointer)?[0], bytes))
    }

    /// Is it used for nothing but accesses that are made?
    fn is_accessed(&self, pointer: Value) -> bool {
        let blocks = self.nest.blocks.iter().map(|block| &self.function.blocks[block.0 as usize]);
        let mut insts = blocks.flat_map(|block| &block.insts);
        insts.all(|inst| match &self.function.insts[inst.0 as usize].op {
            Op::Load { pointer: p, mask } if *p == pointer => mask.is_none(),
            Op::Store { pointer: p, value, mask, streaming: _ } if *p == pointer => mask.is_none() && *value != pointer,
            op => {
                let mut is_used = false;
                op.for_each(|value| is_used |= value == pointer);
                !is_used
            }
        })
    }

    /// How much an integer grows with the counter, if that is a constant.
    fn slope(&self, value: Value, depth: u32) -> Option<u64> {
        if value == self.nest.counter.value {
            return Some(1);
        }
        if !self.nest.varying.contains(&value) {
            return Some(0);
        }
        let get = |value: &Value| if depth > 0 { self.slope(*value, depth - 1) } else { None };
        match self.function.definition(value)? {
            Op::Binary(BinaryOp::Add, a, b) => Some(get(a)?.wrapping_add(get(b)?)),
            Op::Binary(BinaryOp::Sub, a, b) => Some(get(a)?.wrapping_sub(get(b)?)),
            Op::Binary(BinaryOp::Mul, a, b) => match (constant(self.function, *a), constant(self.function, *b)) {
                (_, Some(by)) => Some(get(a)?.wrapping_mul(by)),
                (Some(by), _) => Some(get(b)?.wrapping_mul(by)),
                (None, None) => None,
            },
            Op::Binary(BinaryOp::Shl, a, b) => {
                let by = constant(self.function, *b).filter(|&by| by < 32)?;
                Some(get(a)? << by)
            }
            Op::Convert(ConvertOp::Trunc, a) => get(a),
            _ => None,
        }
    }

    fn instructions(&mut self, block: Block) {
        let new = self.blocks[&block];
        for parameter in self.function.blocks[block.0 as usize].parameters.clone() {
            let copies = if self.nest.varying.contains(&parameter) { self.rounds } else { 1 };
            let ty = self.function.ty(parameter);
            let made = (0..copies).map(|_| self.parameter(new, ty)).collect();
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
        let parameters = self.function.blocks[self.nest.header.0 as usize].parameters.clone();
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
        let mut targets = self.function.blocks[latch.0 as usize].terminator.targets();
        targets.find(|target| target.block == self.nest.header).expect("the last block goes back").arguments.clone()
    }

    /// In the order of blocks a use may come before its definition.
    fn rename(&mut self) {
        for (inst, round) in std::mem::take(&mut self.made) {
            let mut op = std::mem::replace(&mut self.function.insts[inst.0 as usize].op, Op::Unset);
            op.for_each_mut(|value| *value = self.get(*value, round));
            self.function.insts[inst.0 as usize].op = op;
        }
    }

    fn terminator(&mut self, block: Block, header: Block) {
        let mut terminator = self.function.blocks[block.0 as usize].terminator.clone();
        let new = self.blocks[&block];
        if block == self.nest.latch {
            let mut arguments: Vec<Value> = self.next(block).into_iter().map(|value| self.get(value, self.rounds - 1)).collect();
            let counter = self.nest.counter;
            let ty = self.function.ty(counter.value);
            let step = self.number(new, self.rounds as u64 * counter.step, ty);
            let first = self.get(counter.value, 0);
            arguments[counter.index] = self.emit(new, Op::Binary(BinaryOp::Add, first, step), ty);
            terminator = Terminator::Jump(Target { block: header, arguments });
        } else {
            if let Terminator::Branch { condition, .. } = &mut terminator {
                *condition = self.get(*condition, 0);
            }
            for target in terminator.targets_mut() {
                *target = self.target(target);
            }
        }
        self.function.blocks[new.0 as usize].terminator = terminator;
    }

    /// A jump with arguments for the parameters of each round.
    fn target(&self, target: &Target) -> Target {
        let parameters = &self.function.blocks[target.block.0 as usize].parameters;
        let mut arguments = Vec::new();
        for (&argument, parameter) in target.arguments.iter().zip(parameters) {
            arguments.extend((0..self.values[parameter].len()).map(|round| self.get(argument, round)));
        }
        Target { block: self.blocks[&target.block], arguments }
    }

    /// From the counters into the body.
    fn enter(&mut self, entry: Block) {
        let terminator = &self.function.blocks[self.nest.header.0 as usize].terminator;
        let body = terminator.targets().find(|target| target.block == self.nest.counter.body).expect("the body of the loop");
        let target = self.target(body);
        self.function.blocks[entry.0 as usize].terminator = Terminator::Jump(target);
    }

    /// Are there so many rounds left, and do rows fit?
    fn test(&mut self, header: Block, entry: Block, parameters: &[Value]) {
        let counter = self.nest.counter;
        let ty = self.function.ty(counter.value);
        let bool = Type::scalar(Element::Bool);
        let now = parameters[counter.index];
        let is_one_left = self.emit(header, Op::Compare(counter.op, now, counter.limit), bool);
        let left = self.emit(header, Op::Binary(BinaryOp::Sub, counter.limit, now), ty);
        let least = self.number(header, (self.rounds as u64 - 1) * counter.step, ty);
        let are_left = self.emit(header, Op::Compare(CompareOp::UGt, left, least), bool);
        let mut condition = self.emit(header, Op::Binary(BinaryOp::And, is_one_left, are_left), bool);
        let mut known = HashMap::new();
        for fit in self.nest.fits.clone() {
            let [extent, row] = [fit.extent, fit.row].map(|value| {
                let value = self.outside(header, value, &mut known);
                self.wide(header, value)
            });
            let most = self.number(header, 1 << 28, Type::scalar(Element::I64));
            let fits = self.emit(header, Op::Compare(CompareOp::ULe, extent, row), bool);
            let is_small = self.emit(header, Op::Compare(CompareOp::ULt, row, most), bool);
            for also in [fits, is_small] {
                condition = self.emit(header, Op::Binary(BinaryOp::And, condition, also), bool);
            }
        }
        let target = |block: Block, arguments: Vec<Value>| Target { block, arguments };
        let terminator = Terminator::Branch {
            condition,
            then: target(entry, Vec::new()),
            otherwise: target(self.nest.header, parameters.to_vec()),
        };
        self.function.blocks[header.0 as usize].terminator = terminator;
    }

    fn wide(&mut self, block: Block, value: Value) -> Value {
        let wide = Type::scalar(Element::I64);
        if self.function.ty(value) == wide { value } else { self.emit(block, Op::Convert(ConvertOp::SExt, value), wide) }
    }

    /// A value in front of the loop: what the loop computes of outer ones is computed there.
    fn outside(&mut self, block: Block, value: Value, known: &mut HashMap<Value, Value>) -> Value {
        if !self.nest.defines(self.function, value) {
            return value;
        }
        if let Some(&known) = known.get(&value) {
            return known;
        }
        let mut op = self.function.definition(value).expect("an operation of outer values").clone();
        op.for_each_mut(|value| *value = self.outside(block, *value, known));
        let ty = self.function.ty(value);
        let made = self.emit(block, op, ty);
        known.insert(value, made);
        made
    }
}
