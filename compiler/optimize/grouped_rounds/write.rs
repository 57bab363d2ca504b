//! Writes the loop of groups, in front of the one that it was.

use super::super::block_writer::{BlockWriter, lead};
use super::accumulators::{Accumulator, Rule};
use super::{Loop, ROUNDS};
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Runs four rounds at once while as many are left.
pub(super) fn group(function: &mut Function, graph: &Graph, found: &Loop, machine: &Machine) {
    let span = found.counter.span(function);
    let mut writer = Writer { to: BlockWriter { function, block: found.header, span }, found, machine };
    let [start, header, out] = [(); 3].map(|()| writer.to.new_block());

    // What a group keeps beside the parameters begins with nothing.
    let first = writer.to.parameters_of(found.header, start);
    let mut now = writer.to.parameters_of(found.header, header);
    let (mut arguments, mut extra) = (first, Vec::new());
    writer.to.block = start;
    for accumulator in &found.accumulators {
        let (count, ty) = writer.extra(accumulator);
        let nothing = accumulator.nothing(ty.element);
        let nothing: Vec<Value> = (0..count).map(|_| writer.to.number(nothing, ty)).collect();
        arguments.extend(nothing);
        extra.push((0..count).map(|_| writer.to.parameter(header, ty)).collect::<Vec<Value>>());
    }
    let bound = found.counter.bound(&mut writer.to, ROUNDS as u64);
    writer.to.end(Terminator::Jump(Target { block: header, arguments }));

    let body = writer.to.new_block();
    writer.to.block = header;
    let condition = Op::Compare(found.counter.op, now[found.counter.index], bound);
    let condition = writer.to.emit(condition, Type::scalar(Element::Bool));
    let target = |block: Block| Target { block, arguments: Vec::new() };
    writer.to.end(Terminator::Branch { condition, then: target(body), otherwise: target(out) });
    writer.to.block = out;
    let mut left = now.clone();
    for (accumulator, extra) in found.accumulators.iter().zip(&extra) {
        let place = accumulator.place;
        left[place] = writer.with_extra(&accumulator.rule, left[place], extra);
    }
    writer.to.end(Terminator::Jump(Target { block: found.header, arguments: left }));

    writer.to.block = body;
    let rounds = writer.rounds(&mut now);
    let (after, mut extra_after) = writer.put_together(now, &rounds, &extra);
    let mut arguments = after;
    arguments.append(&mut extra_after);
    writer.to.end(Terminator::Jump(Target { block: header, arguments }));

    // Few rounds are left for the old loop. What is written out was said before.
    let hints = function.blocks[found.header.0 as usize].insts.iter().map(|inst| &function.insts[inst.0 as usize].op);
    let is_written_out = hints.clone().any(|op| matches!(op, Op::Unroll(_)));
    let unrolled = if is_written_out { Unrolling::All } else { Unrolling::Rounds(1) };
    for block in [header, found.header] {
        if block == found.header && is_written_out {
            continue;
        }
        let inst = Inst(function.insts.len() as u32);
        function.insts.push(InstData { op: Op::Unroll(unrolled), results: Vec::new(), span });
        function.blocks[block.0 as usize].insts.insert(0, inst);
    }
    lead(function, graph, |block| block == found.body, found.header, start);
}

struct Writer<'f> {
    to: BlockWriter<'f>,
    found: &'f Loop,
    machine: &'f Machine,
}

impl Writer<'_> {
    /// The parameters of the header, and what they become.
    fn loop_parameters(&self) -> (Vec<Value>, Vec<Value>) {
        let parameters = self.to.function.blocks[self.found.header.0 as usize].parameters.clone();
        (parameters, self.found.pair(self.to.function).next().to_vec())
    }

    /// How many values a group keeps beside the parameter, and what they are.
    fn extra(&self, accumulator: &Accumulator) -> (usize, Type) {
        match &accumulator.rule {
            Rule::Operation { .. } | Rule::Choice { .. } => (0, Type::scalar(Element::I8)),
            Rule::Sums { value, .. } => (ROUNDS - 1, self.to.function.ty(*value)),
            Rule::Count { mask, .. } => {
                let lanes = self.to.function.ty(*mask).length.min(self.machine.register_bytes);
                (1, Type::new(Element::I64, lanes / 8))
            }
        }
    }

    /// The parameter behind the groups.
    fn with_extra(&mut self, rule: &Rule, mut now: Value, extra: &[Value]) -> Value {
        let ty = self.to.function.ty(now);
        match rule {
            Rule::Operation { .. } | Rule::Choice { .. } => {}
            Rule::Sums { op, .. } => {
                for &sum in extra {
                    now = self.to.emit(Op::Binary(*op, now, sum), ty);
                }
            }
            Rule::Count { .. } => {
                let mut count = self.to.emit(Op::Reduce(ReduceOp::Add, extra[0]), Type::scalar(Element::I64));
                if ty.element != Element::I64 {
                    count = self.to.emit(Op::Convert(ConvertOp::Trunc, count), ty);
                }
                now = self.to.emit(Op::Binary(BinaryOp::Add, now, count), ty);
            }
        }
        now
    }

    /// What each round computes but for what is put together: what its values are. The parameters become those of the next group.
    fn rounds(&mut self, now: &mut [Value]) -> Vec<FxHashMap<Value, Value>> {
        let found = self.found;
        let (old, next) = self.loop_parameters();
        let left_out: Vec<Inst> = found.accumulators.iter().flat_map(Accumulator::insts).collect();
        let together: Vec<usize> = found.accumulators.iter().map(|accumulator| accumulator.place).collect();
        let mut all = Vec::new();
        for round in 0..ROUNDS as u64 {
            let mut values: FxHashMap<Value, Value> = old.iter().copied().zip(now.iter().copied()).collect();
            for block in [found.header, found.body] {
                for inst in self.to.function.blocks[block.0 as usize].insts.clone() {
                    let is_hint = matches!(self.to.function.insts[inst.0 as usize].op, Op::Unroll(_));
                    if is_hint || left_out.contains(&inst) {
                        continue;
                    }
                    self.copy(inst, &mut values);
                }
            }
            for (place, (now, next)) in now.iter_mut().zip(&next).enumerate() {
                if place != found.counter.index && !together.contains(&place) {
                    *now = *values.get(next).unwrap_or(next);
                }
            }
            all.push(values);
            let (counter, ty) = (found.counter, self.to.function.ty(found.counter.value));
            let step = self.to.number((round + 1) * counter.step, ty);
            let first = all[0][&counter.value];
            now[counter.index] = self.to.emit(Op::Binary(BinaryOp::Add, first, step), ty);
        }
        all
    }

    /// An instruction with the values of a round.
    fn copy(&mut self, inst: Inst, values: &mut FxHashMap<Value, Value>) {
        let same = self.to.copy(inst, |value| *values.get(&value).unwrap_or(&value));
        values.extend(same);
    }

    /// What the group makes of the parameters, and of what it keeps beside them.
    fn put_together(
        &mut self,
        mut now: Vec<Value>,
        rounds: &[FxHashMap<Value, Value>],
        extra: &[Vec<Value>],
    ) -> (Vec<Value>, Vec<Value>) {
        let found = self.found;
        let mut beside = Vec::new();
        let mut of_rounds: Vec<Vec<Value>> = Vec::new();
        for accumulator in &found.accumulators {
            let brought = rounds.iter().map(|values| self.brought(accumulator, values)).collect();
            of_rounds.push(brought);
        }
        let numbers: Vec<Value> = found
            .accumulators
            .iter()
            .zip(&of_rounds)
            .filter(|(accumulator, _)| accumulator.needs_numbers(self.to.function))
            .flat_map(|(_, brought)| brought.clone())
            .collect();
        for ((accumulator, brought), extra) in found.accumulators.iter().zip(&of_rounds).zip(extra) {
            match &accumulator.rule {
                Rule::Sums { op, .. } => {
                    for (round, &value) in brought.iter().enumerate() {
                        let place = accumulator.place;
                        let sum = if round == 0 { now[place] } else { extra[round - 1] };
                        let ty = self.to.function.ty(sum);
                        let sum = self.to.emit(Op::Binary(*op, sum, value), ty);
                        if round == 0 { now[place] = sum } else { beside.push(sum) }
                    }
                }
                Rule::Count { .. } => {
                    let counted = self.count(brought);
                    let ty = self.to.function.ty(extra[0]);
                    beside.push(self.to.emit(Op::Binary(BinaryOp::Add, extra[0], counted), ty));
                }
                Rule::Operation { .. } | Rule::Choice { .. } if !accumulator.needs_numbers(self.to.function) => {
                    self.by_tree(accumulator, brought, &mut now);
                }
                Rule::Operation { .. } | Rule::Choice { .. } => {}
            }
        }
        if !numbers.is_empty() {
            self.where_numbers(&numbers, &of_rounds, &mut now);
        }
        (now, beside)
    }

    /// What a round brings to an accumulator.
    fn brought(&mut self, accumulator: &Accumulator, values: &FxHashMap<Value, Value>) -> Value {
        let of_round = |value: Value| *values.get(&value).unwrap_or(&value);
        let brought = of_round(accumulator.value());
        let Rule::Operation { inst, value, mask: Some(mask) } = accumulator.rule else { return brought };
        // Lanes that are off bring nothing.
        let ty = self.to.function.ty(value);
        let Op::Binary(op, ..) = self.to.function.insts[inst.0 as usize].op else { unreachable!("an operation") };
        let nothing = self.to.emit(Op::Const(vec![super::super::partial_reductions::nothing(op, ty.element)]), ty);
        let (on, off) = if mask.is_on { (brought, nothing) } else { (nothing, brought) };
        self.to.emit(Op::Select(of_round(mask.mask), on, off), ty)
    }

    /// The parameter, then what a round brings: what it becomes.
    fn step(&mut self, accumulator: &Accumulator, a: Value, b: Value) -> Value {
        let (old, _) = self.loop_parameters();
        let mut values = FxHashMap::from_iter([(old[accumulator.place], a), (accumulator.value(), b)]);
        let insts = match accumulator.rule {
            Rule::Operation { inst, .. } | Rule::Sums { inst, .. } => vec![inst],
            Rule::Choice { compare, select, .. } => vec![compare, select],
            Rule::Count { .. } => unreachable!("a group counts for itself"),
        };
        let last = self.to.function.insts[insts[insts.len() - 1].0 as usize].results[0];
        for inst in insts {
            self.copy(inst, &mut values);
        }
        values[&last]
    }

    fn by_tree(&mut self, accumulator: &Accumulator, brought: &[Value], now: &mut [Value]) {
        let mut level = brought.to_vec();
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| self.step(accumulator, pair[0], pair[1])).collect();
        }
        now[accumulator.place] = self.step(accumulator, now[accumulator.place], level[0]);
    }

    /// What is only right for numbers, or else one after another.
    fn where_numbers(&mut self, numbers: &[Value], of_rounds: &[Vec<Value>], now: &mut [Value]) {
        let found = self.found;
        let bool = Type::scalar(Element::Bool);
        // Vectors of as many lanes are asked together.
        let mut none: Vec<Value> = Vec::new();
        for (index, &value) in numbers.iter().enumerate() {
            if numbers[..index].contains(&value) {
                continue;
            }
            let ty = self.to.function.ty(value).mask();
            let is_none = self.to.emit(Op::Compare(CompareOp::FNe, value, value), ty);
            match none.iter_mut().find(|other| self.to.function.ty(**other) == ty) {
                Some(other) => {
                    let both = *other;
                    *other = self.to.emit(Op::Binary(BinaryOp::Or, both, is_none), ty);
                }
                None => none.push(is_none),
            }
        }
        let mut condition = None;
        for mask in none {
            let any = self.to.emit(Op::Any(mask), bool);
            condition = Some(match condition {
                Some(other) => self.to.emit(Op::Binary(BinaryOp::Or, other, any), bool),
                None => any,
            });
        }
        let [slow, fast, join] = [(); 3].map(|()| self.to.new_block());
        let target = |block: Block, arguments: Vec<Value>| Target { block, arguments };
        let condition = condition.expect("there is something to ask for");
        self.to.end(Terminator::Branch { condition, then: target(slow, Vec::new()), otherwise: target(fast, Vec::new()) });
        let asked = || found.accumulators.iter().zip(of_rounds);
        let places: Vec<usize> = asked().filter(|(a, _)| a.needs_numbers(self.to.function)).map(|(a, _)| a.place).collect();
        for block in [slow, fast] {
            self.to.block = block;
            let mut after = now.to_vec();
            for (accumulator, brought) in asked() {
                if !accumulator.needs_numbers(self.to.function) {
                    continue;
                }
                if block == fast {
                    self.by_tree(accumulator, brought, &mut after);
                } else {
                    for &value in brought {
                        after[accumulator.place] = self.step(accumulator, after[accumulator.place], value);
                    }
                }
            }
            self.to.end(Terminator::Jump(target(join, places.iter().map(|&place| after[place]).collect())));
        }
        self.to.block = join;
        for &place in &places {
            let ty = self.to.function.ty(now[place]);
            now[place] = self.to.parameter(join, ty);
        }
    }

    /// The lanes of masks that are on, in lanes of 64 bits.
    fn count(&mut self, masks: &[Value]) -> Value {
        let ty = self.to.function.ty(masks[0]).with_element(Element::I8);
        let [zero, one] = [0, 1].map(|number| self.to.number(number, ty));
        let mut sum = None;
        for &mask in masks {
            let counted = self.to.emit(Op::Select(mask, one, zero), ty);
            sum = Some(match sum {
                Some(sum) => self.to.emit(Op::Binary(BinaryOp::Add, sum, counted), ty),
                None => counted,
            });
        }
        // At most 4 · 64 / 16 in a lane of a register.
        let mut sum = sum.expect("a group has rounds");
        let mut length = ty.length;
        while length > self.machine.register_bytes {
            length /= 2;
            let half = ty.with_length(length);
            let lanes = i16::from(length);
            let [low, high] = [0, lanes].map(|from| self.to.emit(Op::Shuffle(sum, sum, (from..from + lanes).collect()), half));
            sum = self.to.emit(Op::Binary(BinaryOp::Add, low, high), half);
        }
        let zero = self.to.number(0, ty.with_length(length));
        self.to.emit(Op::Sad(sum, zero), Type::new(Element::I64, length / 8))
    }
}
