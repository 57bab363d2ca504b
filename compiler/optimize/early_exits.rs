//! Loops that are left where lanes find something look at four rounds before they ask whether it is in one of them.
//!
//! ```text
//!                                          block6(i):                        while four rounds are left
//! block1(i):                                   m₀ = load a[i] = x; …; m₃ = load a[i + 24] = x
//!     branch i < n, block2, block5             branch any (m₀ or m₁ or m₂ or m₃), block1(i), block6(i + 32)
//! block2:                           ──►    block1(i):                        where it is, and those that are left, as before
//!     m = load a[i] = x                        …
//!     branch any m, block4, block3
//! block3:
//!     jump block1(i + 8)
//! ```
//! A round is *quiet* if it does nothing but to count: it goes from the header back to it by branches that ask for lanes that found something, or
//! for what no round changes. Four rounds are skipped if all of them are quiet; else they are done as before, from the first one on.
//!
//! # Reading ahead
//! The loop may be left before it comes to the later rounds, and nobody may read where it would not have. So what quiet rounds read has to be there:
//! the loop's counter is below a limit that four rounds keep to, the limit is at most the number of elements that the array is declared to
//! have, and each element's index is the counter's. Loops without such a limit, and other arrays, stay as they are.

use super::Surroundings;
use super::block_writer::{BlockWriter, is_defined_in, lead};
use super::jammed_loops::{Access, Counter, counter};
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Rounds that are looked at.
const ROUNDS: u64 = 4;
/// So many registers may a round work on.
const MAX_OPERATIONS: usize = 16;

/// Rewrites the loops of a function.
pub fn early_exits(function: &mut Function, around: Surroundings<'_>) {
    if function.parameter_flags.iter().all(|flags| flags.elements.is_none()) {
        return;
    }
    super::dead_code(function);
    let graph = Graph::new(function);
    let loops: Vec<Search> =
        graph.order.iter().filter_map(|&header| Search::of(function, &graph, header, around.machine)).collect();
    if loops.is_empty() {
        return;
    }
    for search in loops {
        search.write(function, &graph);
    }
    function.sort_blocks();
}

/// What a quiet round asks for, which does not hold in it.
#[derive(Clone, Copy)]
enum Asks {
    /// Is a lane of this mask on?
    Any(Value),
    /// Is one off?
    NotAll(Value),
    /// Is the condition as it is told?
    Is(Value, bool),
}

/// A loop that may be left.
struct Search {
    header: Block,
    inside: Vec<bool>,
    counter: Counter,
    /// The instructions of a quiet round, in order.
    insts: Vec<Inst>,
    /// What block parameters are in a quiet round.
    same: FxHashMap<Value, Value>,
    asks: Vec<Asks>,
}

impl Search {
    fn of(function: &Function, graph: &Graph, header: Block, machine: &Machine) -> Option<Search> {
        if graph.innermost_loop(header) != Some(header) {
            return None;
        }
        let counter = counter(function, graph, header)?;
        let inside = graph.natural_loop(header)?;
        let insts = function.blocks[header.0 as usize].insts.clone();
        let mut search = Search { header, inside, counter, insts, same: FxHashMap::default(), asks: Vec::new() };
        search.go(function)?;
        let leaves = |data: &BlockData| data.terminator.targets().any(|target| !search.inside[target.block.0 as usize]);
        let blocks = || (0..).map(Block).zip(&function.blocks).filter(|(block, _)| search.inside[block.0 as usize]);
        let home = |inst: Inst| blocks().find(|(_, data)| data.insts.contains(&inst)).map(|(block, _)| block);
        let is_defined = is_defined_in(function, &search.inside, counter.limit);
        let is_vector = search.asks.iter().any(|asks| matches!(asks, Asks::Any(_) | Asks::NotAll(_)));
        let mut others = blocks().filter(|(block, _)| *block != header);
        if is_defined || !is_vector || !others.any(|(_, data)| leaves(data)) {
            return None;
        }
        let mut operations = 0;
        for &inst in &search.insts {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let is_there = match op {
                Op::Load { pointer, mask: None } => {
                    let access = Access::of(home(inst)?, *pointer, function.ty(results[0]), None);
                    is_there(function, graph, &access, counter)
                        || is_there_backwards(function, *pointer, function.ty(results[0]), counter)
                }
                Op::Load { .. } | Op::StreamingLoad { .. } | Op::Gather { .. } | Op::StridedLoad { .. } => false,
                other => !other.has_effect(),
            };
            if !is_there {
                return None;
            }
            let vectors = results.iter().map(|value| function.ty(*value)).filter(|ty| ty.length > 1);
            operations += vectors.map(|ty| machine.registers_of(ty.element.size(), ty.length)).sum::<usize>();
        }
        let is_short = counter.rounds(function).is_some_and(|rounds| rounds < 2 * ROUNDS);
        (operations <= MAX_OPERATIONS && !is_short).then_some(search)
    }

    /// A value of a quiet round.
    fn value(&self, value: Value) -> Value {
        *self.same.get(&value).unwrap_or(&value)
    }

    /// Goes through a quiet round. `None` where it does more than to count.
    fn go(&mut self, function: &Function) -> Option<()> {
        let parameters = &function.blocks[self.header.0 as usize].parameters;
        let mut block = self.counter.body;
        // A jump to the body hands on nothing that depends on the round but the parameters of the header.
        let first = function.blocks[self.header.0 as usize].terminator.targets().find(|target| target.block == block)?;
        self.enter(function, first);
        loop {
            let data = &function.blocks[block.0 as usize];
            self.insts.extend(&data.insts);
            let next = match &data.terminator {
                Terminator::Jump(target) => target,
                Terminator::Branch { condition, then, otherwise } => {
                    let (mut condition, mut then, mut otherwise) = (*condition, then, otherwise);
                    while let Some(&Op::Unary(UnaryOp::Not, of)) = function.definition(condition) {
                        condition = of;
                        (then, otherwise) = (otherwise, then);
                    }
                    let [goes_on, goes_back] = [then, otherwise].map(|target| self.inside[target.block.0 as usize]);
                    match function.definition(condition) {
                        Some(&Op::Any(mask)) if goes_back => {
                            self.asks.push(Asks::Any(mask));
                            otherwise
                        }
                        Some(&Op::All(mask)) if goes_on => {
                            self.asks.push(Asks::NotAll(mask));
                            then
                        }
                        _ if goes_on && !goes_back => {
                            self.asks.push(Asks::Is(condition, false));
                            then
                        }
                        _ if goes_back && !goes_on => {
                            self.asks.push(Asks::Is(condition, true));
                            otherwise
                        }
                        _ => return None,
                    }
                }
                Terminator::Return(_) | Terminator::Unreachable => return None,
            };
            if next.block == self.header {
                let is_same =
                    |(index, &value): (usize, &Value)| index == self.counter.index || self.value(next.arguments[index]) == value;
                return parameters.iter().enumerate().all(is_same).then_some(());
            }
            self.enter(function, next);
            block = next.block;
        }
    }

    fn enter(&mut self, function: &Function, target: &Target) {
        for (&parameter, &argument) in function.blocks[target.block.0 as usize].parameters.iter().zip(&target.arguments) {
            let value = self.value(argument);
            self.same.insert(parameter, value);
        }
    }

    /// Writes the loop of quiet rounds in front of the old one.
    fn write(self, function: &mut Function, graph: &Graph) {
        let span = self.insts.iter().map(|inst| function.insts[inst.0 as usize].span).next().unwrap_or(function.span);
        let old = function.blocks[self.header.0 as usize].parameters.clone();
        let mut writer = BlockWriter { function, block: self.header, span };
        let [header, body] = [(); 2].map(|()| writer.new_block());
        let now = writer.parameters_of(self.header, header);
        let (counter, bool) = (self.counter, Type::scalar(Element::Bool));
        let (ty, value) = (writer.function.ty(counter.value), now[counter.index]);
        writer.block = header;
        let condition = counter.are_left(&mut writer, value, ROUNDS);
        let to_old = Target { block: self.header, arguments: now.clone() };
        let then = Target { block: body, arguments: Vec::new() };
        writer.end(Terminator::Branch { condition, then, otherwise: to_old.clone() });

        writer.block = body;
        let (mut masks, mut others): (Vec<Value>, Vec<Value>) = Default::default();
        for round in 0..ROUNDS {
            let mut values: FxHashMap<Value, Value> = old.iter().copied().zip(now.iter().copied()).collect();
            if round > 0 {
                let step = writer.number(round * counter.step, ty);
                values.insert(counter.value, writer.emit(Op::Binary(BinaryOp::Add, value, step), ty));
            }
            for &inst in &self.insts {
                let same = writer.copy(inst, |value| {
                    let value = self.value(value);
                    *values.get(&value).unwrap_or(&value)
                });
                values.extend(same);
            }
            let get = |value: Value| {
                let value = self.value(value);
                *values.get(&value).unwrap_or(&value)
            };
            for asks in &self.asks {
                match *asks {
                    Asks::Any(mask) => masks.push(get(mask)),
                    Asks::NotAll(mask) => {
                        let (mask, ty) = (get(mask), writer.function.ty(mask));
                        masks.push(writer.emit(Op::Unary(UnaryOp::Not, mask), ty));
                    }
                    Asks::Is(condition, true) => others.push(get(condition)),
                    Asks::Is(condition, false) => {
                        let condition = get(condition);
                        others.push(writer.emit(Op::Unary(UnaryOp::Not, condition), bool));
                    }
                }
            }
        }
        // Masks of as many lanes are asked together.
        let mut together: Vec<Value> = Vec::new();
        for mask in masks {
            let ty = writer.function.ty(mask);
            match together.iter_mut().find(|other| writer.function.ty(**other) == ty) {
                Some(other) => *other = writer.emit(Op::Binary(BinaryOp::Or, *other, mask), ty),
                None => together.push(mask),
            }
        }
        for mask in together {
            others.insert(0, writer.emit(Op::Any(mask), bool));
        }
        let (first, rest) = others.split_first().expect("a search asks for something");
        let found = rest.iter().fold(*first, |all, &other| writer.emit(Op::Binary(BinaryOp::Or, all, other), bool));
        let step = writer.number(ROUNDS * counter.step, ty);
        let mut arguments = now;
        arguments[counter.index] = writer.emit(Op::Binary(BinaryOp::Add, value, step), ty);
        writer.end(Terminator::Branch { condition: found, then: to_old, otherwise: Target { block: header, arguments } });
        lead(function, graph, |block| self.inside[block.0 as usize], self.header, header);
    }
}

/// Is what is accessed in four rounds there as a whole? Elements of an array that has as many as the loop has steps, at the counter's index.
fn is_there(function: &Function, graph: &Graph, access: &Access, counter: Counter) -> bool {
    let is_at_counter =
        matches!(function.definition(access.pointer), Some(&Op::PtrIndex { index, .. }) if index == counter.value);
    is_at_counter && access.promised(function, graph) == Some(0)
}

/// Is it there where the loop goes backwards: from the last element of an array to the first one, by as many as are loaded? The limit is the number of
/// elements, without those that are left behind whole rounds.
fn is_there_backwards(function: &Function, pointer: Value, ty: Type, counter: Counter) -> bool {
    let found = || {
        let size = ty.element.size();
        let &Op::PtrOffset(last, back) = function.definition(pointer)? else { return None };
        let &Op::PtrIndex { base, index, scale, offset: 0 } = function.definition(last)? else { return None };
        let ValueDef::Parameter(Block(0), array) = function.values[base.0 as usize].def else { return None };
        let elements = function.parameter_flags.get(array as usize)?.elements?;
        let Count::Parameter(count) = elements.count else { return None };
        let is_whole = scale == size && elements.size == size && back == -(size as i64 * (i64::from(ty.length) - 1));
        let &Op::Binary(BinaryOp::Sub, from, by) = function.definition(index)? else { return None };
        // `from` is the last index.
        let number = |value: Value| Some(function.constant(value)?[0] as u32 as i32);
        let last_of = match *function.definition(from)? {
            Op::Binary(BinaryOp::Sub, a, b) if number(b) == Some(1) => a,
            Op::Binary(BinaryOp::Add, a, b) if number(b) == Some(-1) => a,
            _ => return None,
        };
        let is_last = function.values[last_of.0 as usize].def == ValueDef::Parameter(Block(0), count);
        let &Op::Binary(BinaryOp::And, all, rounds) = function.definition(counter.limit)? else { return None };
        let is_in_rounds = counter.step == u64::from(ty.length)
            && counter.step.is_power_of_two()
            && number(rounds) == Some(-(counter.step as i32))
            && counter.start.and_then(number) == Some(0);
        // As many as there are from 0 to the last index.
        let &Op::Select(is_any, all, none) = function.definition(all)? else { return None };
        let &Op::Binary(BinaryOp::Add, a, one) = function.definition(all)? else { return None };
        let is_asked = matches!(function.definition(is_any)?, Op::Compare(CompareOp::SGe, a, zero) if *a == from && number(*zero) == Some(0));
        let is_all = a == from && number(one) == Some(1) && number(none) == Some(0) && is_asked;
        Some(is_whole && by == counter.value && is_last && is_in_rounds && is_all)
    };
    ty.element != Element::Bool && found() == Some(true)
}
