//! Four or two rounds of a short loop ask together whether their quotients are right.
//!
//! ```text
//!                                        block5(i):                                while two rounds are left
//!                                            a = load p[i];  a₁ = load p[i + 8]
//! block1(i):                                 q = a · y, corrected;  q₁ = a₁ · y, corrected
//!     branch i < n, block2, block3           branch likely (all are right), block7(q, q₁), block6
//! block2:                          ──►   block6:
//!     a = load p[i]                          jump block7(fdiv a, b, fdiv a₁, b)
//!     store r[i], fdiv a, b              block7(v, v₁):
//!     jump block1(i + 8)                     store r[i], v;  store r[i + 8], v₁
//!                                            jump block5(i + 16)
//!                                        block1(i):                                the round that is left, as before
//! ```
//! What is asked of one register costs as much as its product; of two it is asked at once, of four for little more.
//!
//! # Why this is right
//! A round is cut into what its quotients are computed from, and all else, which comes *late*: what depends on a quotient, what has an effect, and loads
//! behind a store of the same round that may write there. The later rounds' dividends are computed in front of the first round's late part. So no
//! dividend may be late, also not by what flows from round to round, and what is loaded for one is not where a late store of the rounds before writes: another
//! object, or a place that is as far away as two addresses differ by ([`Address`]).

use super::super::addresses::Address;
use super::super::alias::may_write;
use super::super::block_writer::{BlockWriter, lead};
use super::super::combined::LoopBlocks;
use super::super::jammed_loops::{Counter, counter};
use super::{Divided, Divisor, Kept, are_right, is_kept, quotient};
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many rounds ask together, the most of these that may.
pub(super) const ROUNDS: [u64; 2] = [4, 2];
/// Rounds that together work on more registers have enough to do while one of them asks.
const MAX_OPERATIONS: usize = 24;

/// A loop of a header and a body whose quotients may be asked for together.
pub(super) struct AskedTogether {
    /// As many rounds ask together.
    rounds: u64,
    header: Block,
    body: Block,
    counter: Counter,
    /// The quotients, in order.
    quotients: Vec<Inst>,
    /// What comes behind them.
    late: FxHashSet<Inst>,
    /// What is computed there, also in the round before.
    late_values: FxHashSet<Value>,
}

impl AskedTogether {
    /// The loop of a header with these quotients, so many rounds of which ask together.
    pub(super) fn of(
        rounds: u64,
        function: &Function,
        graph: &Graph,
        header: Block,
        kept: &[Kept],
        machine: &Machine,
    ) -> Option<AskedTogether> {
        let counter = counter(function, graph, header)?;
        let body = counter.body;
        let data = &function.blocks[body.0 as usize];
        let is_pair = graph.predecessors[body.0 as usize] == [header] && data.parameters.is_empty() && body != header;
        let goes_back = matches!(&data.terminator, Terminator::Jump(target) if target.block == header);
        if !is_pair || !goes_back || counter.rounds(function).is_some_and(|all| all < 2 * rounds) {
            return None;
        }
        let insts = || function.blocks[header.0 as usize].insts.iter().chain(&data.insts).copied();
        let is_inside = |value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => block == header,
            ValueDef::Result(inst, _) => insts().any(|other| other == inst),
        };
        let is_plain = |inst: Inst| {
            let op = &function.insts[inst.0 as usize].op;
            !op.has_effect() || matches!(op, Op::Store { .. } | Op::Assume(_) | Op::Prefetch(_))
        };
        let registers = |value: &Value| {
            let ty = function.ty(*value);
            if ty.length > 1 { machine.registers_of(ty.element.size(), ty.length) } else { 0 }
        };
        let data = |inst: Inst| &function.insts[inst.0 as usize];
        let work = insts().map(data).filter(|data| !is_kept(&data.op, is_inside));
        let work: usize = work.flat_map(|data| &data.results).map(registers).sum();
        if is_inside(counter.limit) || !insts().all(is_plain) || rounds as usize * work > MAX_OPERATIONS {
            return None;
        }
        let quotients = kept.iter().map(|kept| kept.inst).collect();
        let mut found = AskedTogether {
            rounds,
            header,
            body,
            counter,
            quotients,
            late: FxHashSet::default(),
            late_values: FxHashSet::default(),
        };
        found.cut(function);
        let is_early =
            |&inst: &Inst| quotient(function, inst).is_some_and(|(dividend, ..)| !found.late_values.contains(&dividend));
        (found.quotients.iter().all(is_early) && found.may_be_early(function)).then_some(found)
    }

    fn next<'f>(&'f self, function: &'f Function) -> &'f [Value] {
        LoopBlocks::of_pair(function, self.header, &self.body).next()
    }

    /// The instructions of a round, in order.
    fn insts(&self, function: &Function) -> Vec<Inst> {
        [self.header, self.body].iter().flat_map(|block| &function.blocks[block.0 as usize].insts).copied().collect()
    }

    /// Finds what comes late.
    fn cut(&mut self, function: &Function) {
        let insts = self.insts(function);
        let parameters = &function.blocks[self.header.0 as usize].parameters;
        loop {
            let before = self.late_values.len();
            for (at, inst) in insts.iter().enumerate() {
                let InstData { op, results, .. } = &function.insts[inst.0 as usize];
                if self.quotients.contains(inst) {
                    self.late_values.extend(results);
                    continue;
                }
                let mut is_late = op.has_effect();
                op.for_each(|operand| is_late = is_late || self.late_values.contains(&operand));
                if let Some(pointer) = loaded(op) {
                    let may_write = |other: &Inst| may_write(function, &function.insts[other.0 as usize].op, pointer);
                    is_late = is_late || insts[..at].iter().any(may_write);
                }
                if is_late {
                    self.late.insert(*inst);
                    self.late_values.extend(results);
                }
            }
            let next = parameters.iter().zip(self.next(function));
            let of_rounds = next.filter(|(_, next)| self.late_values.contains(next)).map(|(&parameter, _)| parameter);
            let of_rounds: Vec<Value> = of_rounds.collect();
            self.late_values.extend(of_rounds);
            if self.late_values.len() == before {
                return;
            }
        }
    }

    /// May what is loaded early be loaded in front of what the round before stores?
    fn may_be_early(&self, function: &Function) -> bool {
        let insts = self.insts(function);
        let all = || insts.iter().map(|inst| &function.insts[inst.0 as usize]);
        insts.iter().filter(|inst| !self.late.contains(inst)).all(|inst| {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let Some(pointer) = loaded(op) else { return true };
            all().filter(|other| may_write(function, &other.op, pointer)).all(|other| match (op, &other.op) {
                (Op::Load { .. } | Op::StreamingLoad { .. }, &Op::Store { pointer: to, value, .. }) => {
                    self.is_beside(function, (pointer, results[0]), (to, value))
                }
                _ => false,
            })
        })
    }

    /// Is what a round loads beside what those before it store that are asked with it?
    fn is_beside(&self, function: &Function, (from, loaded): (Value, Value), (to, stored): (Value, Value)) -> bool {
        let [loaded, stored] = [loaded, stored].map(|value| function.ty(value).bytes() as i64);
        let [from, to] = [from, to].map(|pointer| Address::of(function, pointer));
        let step = i64::try_from(self.counter.step).ok().zip(from.step(self.counter.value));
        let step = step.and_then(|(by, bytes)| by.checked_mul(bytes));
        let Some((step, distance)) = step.zip(to.distance(&from)) else { return false };
        (1..self.rounds as i64).all(|rounds| {
            let distance = step.checked_mul(rounds).and_then(|behind| distance.checked_add(behind));
            distance.is_some_and(|distance| distance >= stored || distance <= -loaded)
        })
    }

    /// Writes the loop of several rounds in front of the old one.
    pub(super) fn write(&self, function: &mut Function, graph: &Graph, machine: &Machine, divisors: &[Divisor]) {
        let (insts, next) = (self.insts(function), self.next(function).to_vec());
        let old = function.blocks[self.header.0 as usize].parameters.clone();
        let span = self.counter.span(function);
        let mut writer = BlockWriter { function, block: self.header, span };
        let [start, header, body, slow, join] = [(); 5].map(|()| writer.new_block());
        let first = writer.parameters_of(self.header, start);
        writer.block = start;
        let bound = self.counter.bound(&mut writer, self.rounds);
        writer.end(Terminator::Jump(Target { block: header, arguments: first }));

        let first = writer.parameters_of(self.header, header);
        writer.block = header;
        // What is written out is not written out again.
        writer.effect(Op::Unroll(Unrolling::Rounds(1)));
        let condition = Op::Compare(self.counter.op, first[self.counter.index], bound);
        let condition = writer.emit(condition, Type::scalar(Element::Bool));
        let then = Target { block: body, arguments: Vec::new() };
        let otherwise = Target { block: self.header, arguments: first.clone() };
        writer.end(Terminator::Branch { condition, then, otherwise });

        writer.block = body;
        let mut rounds: Vec<FxHashMap<Value, Value>> = Vec::new();
        for round in 0..self.rounds {
            let mut values: FxHashMap<Value, Value> = FxHashMap::default();
            match rounds.last() {
                None => values.extend(old.iter().copied().zip(first.iter().copied())),
                Some(before) => {
                    let known = old.iter().zip(&next).filter(|(parameter, _)| !self.late_values.contains(parameter));
                    values.extend(known.map(|(&parameter, next)| (parameter, get(before, *next))));
                    let now = self.behind(&mut writer, first[self.counter.index], round);
                    values.insert(self.counter.value, now);
                }
            }
            for &inst in insts.iter().filter(|inst| !self.late.contains(inst) && !self.quotients.contains(inst)) {
                let same = writer.copy(inst, |value| get(&values, value));
                values.extend(same);
            }
            rounds.push(values);
        }
        let mut divided = Vec::new();
        for values in &rounds {
            for (&inst, divisor) in self.quotients.iter().zip(divisors) {
                let (dividend, _, ty) = quotient(writer.function, inst).expect("it was found");
                let dividend = get(values, dividend);
                let near = writer.with(|writer| {
                    let last = divisor.quotient(writer, dividend);
                    writer.emit(last, ty)
                });
                divided.push(Divided { dividend, near, ty });
            }
        }
        let condition = writer.with(|writer| are_right(writer, &divided, machine));
        let then = Target { block: join, arguments: divided.iter().map(|divided| divided.near).collect() };
        writer.end(Terminator::Branch { condition, then, otherwise: Target { block: slow, arguments: Vec::new() } });

        writer.block = slow;
        let of_rounds = divided.iter().zip(divisors.iter().cycle());
        let arguments = of_rounds
            .map(|(&Divided { dividend, ty, .. }, divisor)| writer.emit(Op::Binary(BinaryOp::FDiv, dividend, divisor.value), ty));
        let arguments = arguments.collect();
        writer.end(Terminator::Jump(Target { block: join, arguments }));

        writer.block = join;
        let mut quotients = divided.iter();
        let mut now = first.clone();
        for values in &mut rounds {
            values.extend(old.iter().copied().zip(now).filter(|(parameter, _)| self.late_values.contains(parameter)));
            for (&inst, &Divided { ty, .. }) in self.quotients.iter().zip(&mut quotients) {
                let old = writer.function.insts[inst.0 as usize].results[0];
                values.insert(old, writer.parameter(join, ty));
            }
            for &inst in insts.iter().filter(|inst| self.late.contains(inst)) {
                let same = writer.copy(inst, |value| get(values, value));
                values.extend(same);
            }
            now = next.iter().map(|&next| get(values, next)).collect();
        }
        now[self.counter.index] = self.behind(&mut writer, first[self.counter.index], self.rounds);
        writer.end(Terminator::Jump(Target { block: header, arguments: now }));
        lead(writer.function, graph, |block| block == self.body, self.header, start);

        // The round that is left.
        writer.block = self.header;
        let insts = std::mem::take(&mut writer.function.blocks[self.header.0 as usize].insts);
        writer.effect(Op::Unroll(Unrolling::Rounds(1)));
        writer.function.blocks[self.header.0 as usize].insts.extend(insts);
    }

    /// The counter so many rounds later.
    fn behind(&self, writer: &mut BlockWriter<'_>, counter: Value, rounds: u64) -> Value {
        let ty = writer.function.ty(counter);
        let step = writer.number(rounds * self.counter.step, ty);
        writer.emit(Op::Binary(BinaryOp::Add, counter, step), ty)
    }
}

/// What took the place of a value in a round.
fn get(values: &FxHashMap<Value, Value>, value: Value) -> Value {
    *values.get(&value).unwrap_or(&value)
}

/// Where an operation loads.
fn loaded(op: &Op) -> Option<Value> {
    match op {
        Op::Load { pointer, .. }
        | Op::StreamingLoad { pointer, .. }
        | Op::Gather { pointers: pointer, .. }
        | Op::StridedLoad { pointer, .. } => Some(*pointer),
        _ => None,
    }
}
