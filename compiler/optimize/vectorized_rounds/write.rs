//! Writes a round over blocks.

use super::super::addresses::Apart;
use super::super::alias::may_touch;
use super::super::block_writer::{BlockWriter, lead};
use super::super::counted_loop::values_of;
use super::super::jammed_loops::counter;
use super::super::widened_rounds::LongerRounds;
use super::{Access, Rounds};
use crate::machine::{Machine, Masks};
use crate::vector::graph::Graph;
use crate::vector::ir::{self, *};
use rustc_hash::FxHashMap;

/// Behind blocks of so many lanes those of few lanes do what is left.
const MANY: u8 = 16;
const FEW: u8 = 8;

/// Longer rounds are not written twice.
const MAX_REPEATED: usize = 400;

/// How what is left behind blocks is done at once.
#[derive(Clone, Copy, PartialEq)]
enum Tail {
    /// As a block whose last lanes are off.
    Masked,
    /// As a block that ends where the loop does, whose first rounds have been done already; if there was a block at all, so that
    /// the counter has not what it began with.
    Repeated(Value),
}

/// A round over blocks, as far as it is written.
pub(super) struct Lanewise<'a, 'f> {
    pub(super) rounds: &'a Rounds,
    pub(super) to: &'a mut BlockWriter<'f>,
    pub(super) times: u8,
    /// What took the place of values: scalars of those that go on by constants, else vectors.
    pub(super) same: &'a mut FxHashMap<Value, Value>,
    /// Vectors of what is a scalar.
    pub(super) vectors: FxHashMap<Value, Value>,
    /// The lanes that come to a block; `None`: all of them.
    pub(super) masks: FxHashMap<Block, Option<Value>>,
    /// Where inner loops go on from their headers, and the lanes that do.
    pub(super) bodies: FxHashMap<Block, (Block, Option<Value>)>,
    /// What is handed on, by its place among the header's parameters.
    pub(super) next: FxHashMap<usize, Value>,
    /// The stores that come behind all else, in order.
    late: Vec<Op>,
}

impl Rounds {
    /// Runs so many rounds at once while as many are left. What is left is done at once under a mask, or, if that are many, by fewer lanes.
    pub(super) fn write(&self, function: &mut Function, graph: &Graph, machine: &Machine, times: u8) {
        let has_few = times >= MANY && self.carried.is_empty() && self.calls.is_empty();
        self.write_all(function, graph, machine, (times, has_few.then_some(FEW)), |lanewise| lanewise.round());
    }

    /// The same with a round that is written by `round`, and so many lanes of those that are fewer, if there are such.
    pub(super) fn write_all(
        &self,
        function: &mut Function,
        graph: &Graph,
        machine: &Machine,
        (times, few): (u8, Option<u8>),
        round: impl Fn(&mut Lanewise<'_, '_>),
    ) {
        let has_tail = self.has_tail(function, graph, machine);
        let first = self.may_repeat(function, graph);
        self.write_with(function, graph, (times, false), &round);
        if self.is_whole(function, times) {
            return;
        }
        if has_tail {
            return self.write_tail(function, &Graph::new(function), times, Tail::Masked, round);
        }
        if let Some(first) = first {
            self.write_tail(function, &Graph::new(function), times, Tail::Repeated(first), &round);
        }
        if let Some(few) = few {
            self.write_with(function, &Graph::new(function), (few, true), &round);
            if let Some(first) = first {
                self.write_tail(function, &Graph::new(function), few, Tail::Repeated(first), round);
            }
        }
    }

    /// Writes rounds of so many lanes, or those that are few behind others, of which one is written by `round`.
    fn write_with(
        &self,
        function: &mut Function,
        graph: &Graph,
        (times, are_few): (u8, bool),
        round: impl FnOnce(&mut Lanewise<'_, '_>),
    ) {
        let (header, counter) = (self.header, self.counter);
        let of_total = |ty: Type, times: u8| ty.with_length(times);
        // Each of the rounds of a block may touch what the other access of any of them does.
        let distance = |(apart, step, size): &(Apart, u64, u64)| (apart.clone(), u64::from(times - 1) * step + size);
        let apart: Vec<(Apart, u64)> = self.apart.iter().map(distance).collect();
        let vectors: Vec<usize> =
            self.carried.iter().filter(|carried| carried.place().is_none()).map(|carried| carried.index).collect();
        let rounds =
            LongerRounds { header, counter, totals: &self.totals, carried: &vectors, times, of_total, apart: &apart, are_few };
        rounds.write(
            function,
            graph,
            |block| self.blocks.contains(&block),
            |to, same| {
                let mut lanewise = Lanewise::new(self, to, times, same);
                round(&mut lanewise);
                for &(index, by) in &self.growing {
                    lanewise.grow(index, by);
                }
                let latch = self.blocks.last().expect("a round has a block");
                let Terminator::Jump(back) = &lanewise.to.function.blocks[latch.0 as usize].terminator else {
                    unreachable!("the last block goes back")
                };
                let next = |(index, value): (usize, &Value)| lanewise.next.get(&index).copied().unwrap_or(lanewise.now(*value));
                back.arguments.iter().enumerate().map(next).collect()
            },
        );
    }
}

impl Rounds {
    /// Is it known that none are left behind blocks of so many rounds?
    fn is_whole(&self, function: &Function, times: u8) -> bool {
        self.counter.rounds(function).is_some_and(|rounds| rounds % u64::from(times) == 0)
    }

    /// May what is left be done under a mask? The machine has registers of masks, lanes that are off touch nothing, nobody waits for what they make, and the counter is
    /// where the loop ends behind them.
    fn has_tail(&self, function: &Function, graph: &Graph, machine: &Machine) -> bool {
        let is_plain =
            self.totals.is_empty() && self.carried.is_empty() && self.in_order.indices.is_empty() && self.calls.is_empty();
        let is_plain = is_plain && self.growing.is_empty();
        let is_masked = |access: &Access| access.step == Some(0) || access.step == Some(access.size as i64);
        machine.masks == Masks::Registers
            && is_plain
            && self.apart.is_empty()
            && self.accesses.iter().all(is_masked)
            && !self.meets_itself(function, graph)
            && counter(function, graph, self.header).is_some_and(|counter| counter.step == 1)
    }

    /// Does the loop load again what it stored when a loop around it came to it before? What was stored under a mask is not handed on to a load before it is
    /// in the cache: few lanes take longer than rounds.
    fn meets_itself(&self, function: &Function, graph: &Graph) -> bool {
        let loads = || self.accesses.iter().filter(|access| !access.is_store);
        let stores = self.accesses.iter().filter(|access| access.is_store);
        let both = stores.filter(|store| loads().any(|load| load.address.distance(&store.address) == Some(0)));
        let both: Vec<&Access> = both.collect();
        if both.is_empty() {
            return false;
        }
        let around = graph.order.iter().filter(|&&block| block != self.header).filter_map(|&block| graph.natural_loop(block));
        let mut around = around.filter(|inside| inside[self.header.0 as usize]);
        around.any(|inside| {
            let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
            let values = values_of(function, &blocks);
            let stays = |value: Value| value == self.counter.value || !values.contains(&value);
            both.iter().any(|store| store.address.terms().chain([store.address.root()]).all(stays))
        })
    }

    /// What the counter begins with, if rounds may be done twice: they see nothing of what rounds make, so that they make the same once more, in the same order.
    fn may_repeat(&self, function: &Function, graph: &Graph) -> Option<Value> {
        let is_plain = self.totals.is_empty() && self.carried.is_empty() && self.in_order.indices.is_empty();
        let insts = self.blocks.iter().map(|block| function.blocks[block.0 as usize].insts.len());
        if !is_plain || insts.sum::<usize>() > MAX_REPEATED {
            return None;
        }
        let op = |access: &Access| &function.insts[access.inst.0 as usize].op;
        let stores = || self.accesses.iter().filter(|access| access.is_store);
        let is_seen = |access: &Access| stores().any(|store| may_touch(function, op(access), store.pointer));
        if self.accesses.iter().any(|access| !access.is_store && is_seen(access)) {
            return None;
        }
        // What else the header is handed is the same in all rounds.
        let mut others = function.blocks[self.header.0 as usize].parameters.iter().filter(|value| **value != self.counter.value);
        if others.any(|value| self.lines.steps.get(value).is_some_and(|step| *step != 0)) {
            return None;
        }
        counter(function, graph, self.header).filter(|counter| counter.step == 1)?.start
    }

    /// Does what is left behind blocks of so many lanes, fewer than these, as one.
    fn write_tail(
        &self,
        function: &mut Function,
        graph: &Graph,
        times: u8,
        tail: Tail,
        round: impl FnOnce(&mut Lanewise<'_, '_>),
    ) {
        let span = self.counter.span(function);
        let mut to = BlockWriter { function, block: self.header, span };
        let [start, inside] = [(); 2].map(|()| to.new_block());
        let old = to.function.blocks[self.header.0 as usize].parameters.clone();
        to.block = start;
        let mut given = to.parameters_of(self.header, start);
        let (now, limit) = (given[self.counter.index], self.counter.limit);
        let (ty, bool) = (to.function.ty(now), Type::scalar(Element::Bool));
        let mut condition = to.emit(Op::Compare(self.counter.op, now, limit), bool);
        if let Tail::Repeated(first) = tail {
            let has_block = to.emit(Op::Compare(CompareOp::Ne, now, first), bool);
            condition = to.emit(Op::Binary(BinaryOp::And, condition, has_block), bool);
        }
        let (then, otherwise) =
            (Target { block: inside, arguments: Vec::new() }, Target { block: self.header, arguments: given.clone() });
        to.end(Terminator::Branch { condition, then, otherwise });

        to.block = inside;
        let lanes = match tail {
            Tail::Masked => {
                let count = Type::scalar(Element::I32);
                let mut left = to.emit(Op::Binary(BinaryOp::Sub, limit, now), ty);
                if ty != count {
                    let op = if ty.element.bits() > 32 { ConvertOp::Trunc } else { ConvertOp::ZExt };
                    left = to.emit(Op::Convert(op, left), count);
                }
                Some(to.emit(Op::FirstLanes(left), Type::new(Element::Bool, times)))
            }
            Tail::Repeated(_) => {
                let times = to.number(times.into(), ty);
                given[self.counter.index] = to.emit(Op::Binary(BinaryOp::Sub, limit, times), ty);
                None
            }
        };
        let mut same: FxHashMap<Value, Value> = old.iter().copied().zip(given.iter().copied()).collect();
        let mut lanewise = Lanewise::new(self, &mut to, times, &mut same);
        lanewise.masks.insert(self.header, lanes);
        round(&mut lanewise);
        given[self.counter.index] = limit;
        to.end(Terminator::Jump(Target { block: self.header, arguments: given }));
        if tail != Tail::Masked {
            lead(to.function, graph, |block| self.blocks.contains(&block), self.header, start);
            return;
        }
        // Nothing is left for the old loop.
        let insts = &to.function.insts;
        to.function.blocks[self.header.0 as usize].insts.retain(|inst| !matches!(insts[inst.0 as usize].op, Op::Unroll(_)));
        let Terminator::Branch { otherwise, .. } = to.function.blocks[self.header.0 as usize].terminator.clone() else {
            unreachable!("its header has a condition")
        };
        to.function.blocks[self.header.0 as usize].terminator = Terminator::Jump(otherwise);
        lead(to.function, graph, |block| self.blocks.contains(&block), self.header, start);
    }
}

impl<'a, 'f> Lanewise<'a, 'f> {
    pub(super) fn new(
        rounds: &'a Rounds,
        to: &'a mut BlockWriter<'f>,
        times: u8,
        same: &'a mut FxHashMap<Value, Value>,
    ) -> Lanewise<'a, 'f> {
        let masks = FxHashMap::from_iter([(rounds.header, None)]);
        let (vectors, bodies, next, late) = Default::default();
        Lanewise { rounds, to, times, same, vectors, masks, bodies, next, late }
    }

    /// All of a round.
    pub(super) fn round(&mut self) {
        self.block(self.rounds.header);
        for value in self.rounds.known_before(self.to.function) {
            self.hand_on(value);
        }
        for &block in &self.rounds.blocks {
            self.enter(block);
            self.block(block);
        }
        std::mem::take(&mut self.late).into_iter().for_each(|store| self.to.effect(store));
        self.in_order();
    }

    pub(super) fn bools(&self) -> Type {
        Type::new(Element::Bool, self.times)
    }

    /// What took the place of a value of the loop; what comes from before it is the same.
    pub(super) fn now(&self, value: Value) -> Value {
        self.same.get(&value).copied().unwrap_or(value)
    }

    /// A value of the loop, or from before it, as a vector.
    pub(super) fn vector(&mut self, value: Value) -> Value {
        let now = self.now(value);
        let ty = self.to.function.ty(now);
        if ty.length > 1 {
            return now;
        }
        if let Some(&known) = self.vectors.get(&value) {
            return known;
        }
        let all = ty.with_length(self.times);
        let step = self.rounds.lines.step_of(self.to.function, value).unwrap_or(0);
        let op = match self.to.function.definition(now) {
            Some(Op::Const(bits)) => Op::Const(bits.clone()),
            _ if step == 0 => Op::Splat(now),
            _ if ty.element == Element::Ptr => {
                let bytes = (0..i64::from(self.times)).map(|lane| lane.wrapping_mul(step) as u64).collect();
                let index = self.to.emit(Op::Const(bytes), Type::new(Element::I64, self.times));
                Op::PtrIndex { base: now, index, scale: 1, offset: 0 }
            }
            // Rounds whose lanes are on have numbers below where the counter ends.
            _ => Op::Ramp { base: now, step, exact: value == self.rounds.counter.value },
        };
        let made = self.to.emit(op, all);
        self.vectors.insert(value, made);
        made
    }

    /// The lanes that come to a block from another one, by a branch that goes so.
    pub(super) fn way(&mut self, from: Block, to: Block) -> Option<Value> {
        let mask = self.masks[&from];
        let Terminator::Branch { condition, then, .. } = &self.to.function.blocks[from.0 as usize].terminator else {
            return mask;
        };
        // Those that do not go on in a loop leave it when all have done so.
        if let Some(&(body, inside)) = self.bodies.get(&from) {
            return if body == to { inside } else { self.masks[&from] };
        }
        // All go on from the header.
        if from == self.rounds.header {
            return mask;
        }
        let (condition, is) = (*condition, then.block == to);
        let bools = self.bools();
        let mut lanes = self.vector(condition);
        if !is {
            lanes = self.to.emit(Op::Unary(UnaryOp::Not, lanes), bools);
        }
        Some(match mask {
            Some(mask) => self.to.emit(Op::Binary(BinaryOp::And, mask, lanes), bools),
            None => lanes,
        })
    }

    /// The ways that lead to a block, with the lanes that come by them and what these bring.
    pub(super) fn ways(&mut self, block: Block) -> Vec<(Option<Value>, Vec<Value>)> {
        let function = &self.to.function;
        let before = [self.rounds.header].into_iter().chain(self.rounds.blocks.iter().copied());
        let ways: Vec<(Block, Vec<Value>)> = before
            .flat_map(|from| {
                let targets = function.blocks[from.0 as usize].terminator.targets();
                targets
                    .filter(|target| target.block == block)
                    .map(move |target| (from, target.arguments.clone()))
                    .collect::<Vec<_>>()
            })
            .collect();
        ways.into_iter().map(|(from, arguments)| (self.way(from, block), arguments)).collect()
    }

    /// The mask of a block, and what comes to it.
    pub(super) fn enter(&mut self, block: Block) {
        let ways = self.ways(block);
        let bools = self.bools();
        let mut mask = None;
        if self.rounds.in_each.contains(&block) {
            // As many lanes as in front.
            mask = self.masks[&self.rounds.header];
        } else {
            for &(way, _) in &ways {
                let way = way.expect("who is not always there comes by a branch");
                mask = Some(match mask {
                    Some(mask) => self.to.emit(Op::Binary(BinaryOp::Or, mask, way), bools),
                    None => way,
                });
            }
        }
        self.masks.insert(block, mask);
        for (place, parameter) in self.to.function.blocks[block.0 as usize].parameters.clone().into_iter().enumerate() {
            if self.rounds.is_of_place(parameter) || self.rounds.in_order.values.contains(&parameter) {
                continue;
            }
            let ty = self.to.function.ty(parameter).with_length(self.times);
            let mut value = self.vector(ways[0].1[place]);
            for (way, arguments) in &ways[1..] {
                let other = self.vector(arguments[place]);
                value = match way {
                    Some(way) => self.to.emit(Op::Select(*way, other, value), ty),
                    None => other,
                };
            }
            self.make(parameter, value);
        }
    }

    pub(super) fn block(&mut self, block: Block) {
        let mask = self.masks[&block];
        for inst in self.to.function.blocks[block.0 as usize].insts.clone() {
            self.inst(inst, mask);
        }
    }

    fn inst(&mut self, inst: Inst, mask: Option<Value>) {
        let InstData { mut op, results, span } = self.to.function.insts[inst.0 as usize].clone();
        self.to.span = span;
        if let Some(access) = self.rounds.accesses.iter().position(|access| access.inst == inst)
            && self.rounds.accesses[access].step != Some(0)
        {
            return self.access(access, mask);
        }
        let Some(&result) = results.first() else { return };
        let ty = self.to.function.ty(result);
        if self.rounds.in_order.values.contains(&result) {
            return;
        }
        // A running total is there when what it is combined with is.
        if self.rounds.is_running(result) {
            return self.hand_on(result);
        }
        if self.rounds.lines.steps.contains_key(&result) || self.rounds.is_of_place(result) {
            op.for_each_mut(|operand| *operand = self.now(*operand));
            let is_asked = self.rounds.accesses.iter().any(|access| access.inst == inst && access.is_asked);
            if let (Op::Load { pointer, .. }, Some(lanes), true) = (&mut op, mask, is_asked) {
                let address = Type::scalar(Element::Ptr);
                let some = self.to.emit(Op::Any(lanes), Type::scalar(Element::Bool));
                let nowhere = self.to.emit(Op::Nowhere(ir::Access::Read), address);
                *pointer = self.to.emit(Op::Select(some, *pointer, nowhere), address);
            }
            let made = self.to.emit(op, ty);
            self.make(result, made);
            return;
        }
        // The comparison by which the loop goes on is another one, and this one holds in each round; who asks once more is told so.
        if self.to.function.blocks[self.rounds.header.0 as usize].insts.contains(&inst) {
            let holds = self.to.number(1, ty);
            self.make(result, holds);
            return;
        }
        let op = match op {
            Op::PtrIndex { base, index, scale, offset } => {
                let is_same = self.rounds.lines.step_of(self.to.function, base) == Some(0);
                let (base, index) = (if is_same { self.now(base) } else { self.vector(base) }, self.vector(index));
                Op::PtrIndex { base, index, scale, offset }
            }
            Op::Call(_, arguments) => {
                let (lanes, _) = self.rounds.calls[&inst];
                let all = self.to.number(1, self.bools());
                let arguments: Vec<Value> = arguments.into_iter().map(|argument| self.vector(argument)).collect();
                Op::Call(lanes, [vec![all], arguments].concat())
            }
            mut op => {
                let mut operands = Vec::new();
                op.for_each(|operand| operands.push(operand));
                let vectors: FxHashMap<Value, Value> =
                    operands.into_iter().map(|operand| (operand, self.vector(operand))).collect();
                op.for_each_mut(|operand| *operand = vectors[operand]);
                op
            }
        };
        let made = self.to.emit(op, ty.with_length(self.times));
        self.make(result, made);
    }

    /// What another counter is behind the block.
    fn grow(&mut self, index: usize, by: i64) {
        let now = self.now(self.to.function.blocks[self.rounds.header.0 as usize].parameters[index]);
        let ty = self.to.function.ty(now);
        let by = by * i64::from(self.times);
        let next = match ty.element {
            Element::Ptr => self.to.emit(Op::PtrOffset(now, by), ty),
            _ => {
                let by = self.to.number(by as u64 & (u64::MAX >> (64 - ty.element.bits())), ty);
                self.to.emit(Op::Binary(BinaryOp::Add, now, by), ty)
            }
        };
        self.next.insert(index, next);
    }

    /// An access, of all lanes or under a mask.
    fn access(&mut self, access: usize, mask: Option<Value>) {
        let access = &self.rounds.accesses[access];
        let blended = mask.filter(|_| access.is_there && access.is_store);
        let mask = if access.is_there { self.masks[&self.rounds.header] } else { mask };
        let InstData { op, results, .. } = self.to.function.insts[access.inst.0 as usize].clone();
        let size = access.size as i64;
        let stored = match op {
            Op::Store { value, .. } => Some(self.vector(value)),
            _ => None,
        };
        let scalar = self.now(access.pointer);
        if let (Some(place), Some(value)) = (access.place, stored) {
            return self.packed(place, Op::PackedStore { pointer: scalar, value, mask });
        }
        let of = stored.unwrap_or_else(|| results[0]);
        let mut ty = self.to.function.ty(of).with_length(self.times);
        let is_backwards = access.step == Some(-size);
        debug_assert!(mask.is_none() || !is_backwards, "lanes of a mask are in the order of rounds, not of memory");
        let pointer = match access.step {
            Some(step) if step == size => scalar,
            // The last round's memory is in front.
            Some(step) if step == -size => {
                self.to.emit(Op::PtrOffset(scalar, -size * i64::from(self.times - 1)), Type::scalar(Element::Ptr))
            }
            Some(_) if stored.is_none() => scalar,
            _ => self.vector(access.pointer),
        };
        let is_many = self.to.function.ty(pointer).length > 1;
        let turned = |to: &mut BlockWriter<'_>, value: Value| {
            let ty = to.function.ty(value);
            let lanes = (0..i16::from(ty.length)).rev().collect();
            to.emit(Op::Shuffle(value, value, lanes), ty)
        };
        let Some(mut value) = stored else {
            let made = match access.step {
                _ if is_many => self.to.emit(Op::Gather { pointers: pointer, mask, object: None }, ty),
                Some(step) if step.abs() != size => {
                    self.to.emit(Op::StridedLoad { pointer, stride: step, mask, object: None }, ty)
                }
                _ => self.to.emit(Op::Load { pointer, mask }, ty),
            };
            let made = if is_backwards { turned(self.to, made) } else { made };
            return self.make(results[0], made);
        };
        if let Some(lanes) = blended {
            // What is written as it was is any byte, whatever conditions are kept as.
            if ty.element == Element::Bool {
                ty = ty.with_element(Element::I8);
                value = self.to.emit(Op::Convert(ConvertOp::ZExt, value), ty);
            }
            let mut old = self.to.emit(Op::Load { pointer, mask }, ty);
            if is_backwards {
                old = turned(self.to, old);
            }
            value = self.to.emit(Op::Select(lanes, value, old), ty);
        }
        if is_backwards {
            value = turned(self.to, value);
        }
        let store = match is_many {
            true => Op::Scatter { pointers: pointer, value, mask },
            false => Op::Store { pointer, value, mask, streaming: false },
        };
        if self.rounds.late.contains(&access.inst) { self.late.push(store) } else { self.to.effect(store) }
    }

    /// Stores lanes one behind another; the place is behind them then.
    fn packed(&mut self, place: usize, store: Op) {
        let mut stored = self.to.emit(store, Type::scalar(Element::I32));
        let (index, parameter) = (self.rounds.carried[place].index, self.rounds.carried[place].parameter);
        let ty = self.to.function.ty(parameter);
        match ty.element.bits() {
            64 => stored = self.to.emit(Op::Convert(ConvertOp::ZExt, stored), ty),
            32 => {}
            _ => stored = self.to.emit(Op::Convert(ConvertOp::Trunc, stored), ty),
        }
        let next = self.to.emit(Op::Binary(BinaryOp::Add, self.now(parameter), stored), ty);
        self.next.insert(index, next);
    }
}
