//! Several rounds of a loop over short vectors are one round of longer ones.
//!
//! ```text
//! block1(i):                                  block6(i):
//!     branch i < n, block2, block3                branch n − i ≥ 32, block7, block1(i)
//! block2:                                     block7:
//!     x = load a[i]: i8×8                         x = load a[i]: i8×32
//!     y = add x, x                      ──►       y = add x, x
//!     store o[i], y                               store o[i], y
//!     jump block1(i + 8)                          jump block6(i + 32)
//!                                             block1(i): those that are left, as before
//! ```
//! A block has the lanes that a register has of numbers of 32 bits, unless the program says otherwise. Of bytes these fill a quarter of a register; an operation on
//! a whole one costs as much. What is loaded or stored backwards, `a[n - 1 - i]`, is so in longer vectors, whose rounds are put in order by a shuffle.
//!
//! # Why this is right
//! * *Values.* Lane l of round r is lane r·N + l of the longer round. All operations work lane by lane, on what the rounds share, or on numbers and addresses that
//!   go on from lane to lane and from round to round alike.
//! * *Memory.* Of two accesses of which one writes, the later one of a round comes behind the earlier one of all rounds. So no lane may touch what another lane
//!   writes: the two lead to different memory, or each lane has its own part of it.
//! * *Totals.* A vector that rounds add to, or combine by another operation on integers that is the same in any order, is one for each round of a longer one; those
//!   that are not the first begin with what changes nothing, and all become one behind the loop.
//! * *Control.* Nothing else goes from round to round but the counter, and no round branches.

use super::Surroundings;
use super::addresses::{Address, signed};
use super::alias::may_touch;
use super::block_writer::{BlockWriter, lead};
use super::combined::Pair;
use super::jammed_loops::{Counter, counter};
use super::memory_access::{Forms, Linear};
use super::partial_reductions::{folded, is_any_order};
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use std::collections::{HashMap, HashSet};

/// So many rounds become one at most.
const MOST: u8 = 8;
/// One register of so many that a round works on is saved at least.
const WORTH: usize = 6;
/// Rounds of more instructions are left alone.
const MAX_INSTS: usize = 300;

/// Lengthens the vectors of a function's loops.
pub fn widened_rounds(function: &mut Function, around: Surroundings<'_>) {
    let is_narrow = |inst: &InstData| {
        let is_narrow = |value: &Value| {
            let ty = function.ty(*value);
            ty.length > 1 && ty.element.size() * u64::from(ty.length) * 2 <= u64::from(around.machine.register_bytes)
        };
        matches!(inst.op, Op::Load { .. } | Op::StridedLoad { .. } | Op::Gather { .. }) && inst.results.iter().any(is_narrow)
            || matches!(&inst.op, Op::Store { value, .. } | Op::Scatter { value, .. } if is_narrow(value))
    };
    if !function.insts.iter().any(is_narrow) {
        return;
    }
    // What earlier passes left without use is no work.
    super::dead_code(function);
    let graph = Graph::new(function);
    let headers: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block)).collect();
    let mut is_changed = false;
    for header in headers {
        if let Some(found) = Rounds::of(function, &graph, header)
            && let Some(times) = found.times(function, around.machine)
        {
            found.write(function, &graph, times);
            is_changed = true;
        }
    }
    if is_changed {
        function.sort_blocks();
    }
}

/// A vector of integers that rounds add to, or combine by another operation.
struct Total {
    /// The place of the parameter.
    index: usize,
    op: BinaryOp,
}

impl Total {
    /// That in a place of the parameters of a loop.
    fn of(pair: Pair<'_>, index: usize) -> Option<Total> {
        let combined = pair.combined(index).filter(|combined| is_any_order(combined.op))?;
        Some(Total { index, op: combined.op })
    }
}

fn is_vector(function: &Function, value: Value) -> bool {
    function.ty(value).length > 1
}

/// Where the memory of the next round is.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Forwards,
    Backwards,
}

/// A loop of a header and a body whose rounds may be one.
struct Rounds {
    header: Block,
    counter: Counter,
    /// What the counter grows by.
    lanes: u8,
    totals: Vec<Total>,
    /// What the loop does but for its end, in order.
    insts: Vec<Inst>,
    /// All that the loop defines.
    inside: HashSet<Value>,
    /// What its numbers and addresses grow by where the counter grows by 1, modulo their bits.
    steps: HashMap<Value, i64>,
}

impl Rounds {
    fn of(function: &mut Function, graph: &Graph, header: Block) -> Option<Rounds> {
        let counter = counter(function, graph, header)?;
        let [head, body] = [header, counter.body].map(|block| &function.blocks[block.0 as usize]);
        let (Terminator::Branch { condition, .. }, Terminator::Jump(back)) = (&head.terminator, &body.terminator) else {
            return None;
        };
        let is_pair = graph.predecessors[counter.body.0 as usize] == [header] && body.parameters.is_empty();
        if !is_pair || back.block != header {
            return None;
        }
        let (pair, mut totals) = (Pair { function, header, body: counter.body }, Vec::new());
        for (index, (parameter, next)) in head.parameters.iter().zip(&back.arguments).enumerate() {
            if index != counter.index && (parameter != next || function.ty(*parameter).length > 1) {
                totals.push(Total::of(pair, index)?);
            }
        }
        let lanes = u8::try_from(counter.step).ok().filter(|lanes| lanes.is_power_of_two() && *lanes > 1)?;
        let all = || head.insts.iter().chain(&body.insts).copied();
        let results = |inst: Inst| function.insts[inst.0 as usize].results.iter().copied();
        let inside = all().flat_map(results).chain(head.parameters.iter().copied()).collect();
        let insts: Vec<Inst> = all().filter(|&inst| results(inst).all(|result| result != *condition)).collect();
        let scalars = head.parameters.iter().filter(|parameter| function.ty(**parameter).length == 1);
        let steps = scalars.map(|&parameter| (parameter, i64::from(parameter == counter.value))).collect();
        let mut rounds = Rounds { header, counter, lanes, totals, insts, inside, steps };
        for &inst in &rounds.insts.clone() {
            rounds.learn(function, &function.insts[inst.0 as usize])?;
        }
        let is_known = !rounds.inside.contains(&counter.limit);
        (is_known && rounds.insts.len() <= MAX_INSTS && rounds.is_apart(function)).then_some(rounds)
    }

    /// `None` for what is not to be in a longer round.
    fn learn(&mut self, function: &Function, data: &InstData) -> Option<()> {
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
    fn step_of(&self, function: &Function, value: Value) -> Option<i64> {
        match self.inside.contains(&value) {
            true => self.steps.get(&value).copied(),
            false => (function.ty(value).length == 1).then_some(0),
        }
    }

    /// What the result of an operation on scalars grows by.
    fn step(&self, function: &Function, op: &Op) -> Option<i64> {
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
        let bytes = i64::from(ty.length) * ty.element.size() as i64;
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
        let is_table = |value: Value| !self.inside.contains(&value);
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

    /// Does no lane touch what another one writes?
    fn is_apart(&self, function: &mut Function) -> bool {
        let mut forms = Forms::default();
        let touches: Vec<Touch> =
            self.insts.iter().filter_map(|&inst| Touch::of(function, &mut forms, inst, self.lanes)).collect();
        let op = |touch: &Touch| &function.insts[touch.inst.0 as usize].op;
        let is_written = |touch: &&Touch| matches!(op(touch), Op::Store { .. } | Op::Scatter { .. });
        touches.iter().filter(is_written).all(|written| {
            let is_apart = |other: &Touch| other.inst == written.inst || written.has_lanes_beside(other);
            touches.iter().all(|other| is_apart(other) || !may_touch(function, op(other), written.pointer))
        })
    }

    /// How many rounds are to be one.
    fn times(&self, function: &Function, machine: &Machine) -> Option<u8> {
        let work = |times: u8| Work { rounds: self, function, machine, times };
        let least = self.narrowest(function)?;
        let longest = self.inside.iter().map(|&value| function.ty(value).length).max()?;
        let fitting = |times: &u8| {
            longest.checked_mul(*times).is_some_and(|length| length <= Type::MOST_LANES)
                && u64::from(self.lanes) * u64::from(*times) * least <= u64::from(machine.register_bytes)
        };
        let now = work(1).operations();
        [MOST, MOST / 2, 2].into_iter().filter(fitting).find(|&times| {
            let (apart, together) = (now * usize::from(times), work(times).operations());
            apart.saturating_sub(together) * WORTH >= apart && work(times).most_alive() <= usize::from(machine.registers)
        })
    }

    /// Bytes of the narrowest lanes that are in memory.
    fn narrowest(&self, function: &Function) -> Option<u64> {
        let in_memory = |&inst: &Inst| match function.insts[inst.0 as usize] {
            InstData { op: Op::Load { .. } | Op::StridedLoad { .. } | Op::Gather { .. }, ref results, .. } => Some(results[0]),
            InstData { op: Op::Store { value, .. } | Op::Scatter { value, .. }, .. } => Some(value),
            _ => None,
        };
        let vectors = self.insts.iter().filter_map(in_memory).filter(|&value| is_vector(function, value));
        vectors.map(|value| function.ty(value).element.size()).min()
    }

    /// Runs so many rounds at once while as many are left.
    fn write(&self, function: &mut Function, graph: &Graph, times: u8) {
        let span = function.insts[self.insts[0].0 as usize].span;
        let mut to = BlockWriter { function, block: self.header, span };
        let [start, header, body, out] = [(); 4].map(|()| to.new_block());
        let target = |block: Block, arguments: Vec<Value>| Target { block, arguments };
        let old = to.function.blocks[self.header.0 as usize].parameters.clone();

        // Totals that are not the first begin with what changes nothing.
        to.block = start;
        let mut first = to.parameters_of(self.header, start);
        let mut now = Vec::new();
        for (index, &parameter) in old.iter().enumerate() {
            let ty = to.function.ty(parameter);
            let total = self.totals.iter().find(|total| total.index == index);
            let all = if total.is_some() { ty.with_length(ty.length * times) } else { ty };
            now.push(to.parameter(header, all));
            if let Some(total) = total {
                first[index] = to.with(|writer| folded(writer, first[index], total.op, all));
            }
        }
        let bound = self.counter.bound(&mut to, times.into());
        to.end(Terminator::Jump(target(header, first)));

        to.block = header;
        let condition = Op::Compare(self.counter.op, now[self.counter.index], bound);
        let condition = to.emit(condition, Type::scalar(Element::Bool));
        let (then, otherwise) = (target(body, Vec::new()), target(out, Vec::new()));
        to.end(Terminator::Branch { condition, then, otherwise });

        to.block = out;
        let mut left = now.clone();
        for total in &self.totals {
            let one = to.function.ty(old[total.index]);
            left[total.index] = to.with(|writer| folded(writer, now[total.index], total.op, one));
        }
        to.end(Terminator::Jump(target(self.header, left)));

        to.block = body;
        let mut same: HashMap<Value, Value> = old.iter().copied().zip(now.iter().copied()).collect();
        for &inst in &self.insts {
            self.lengthen(&mut to, inst, times, &mut same);
        }
        let next = Pair { function: to.function, header: self.header, body: self.counter.body }.next().to_vec();
        for total in &self.totals {
            now[total.index] = same[&next[total.index]];
        }
        let counter = now[self.counter.index];
        let ty = to.function.ty(counter);
        let step = to.number(u64::from(times) * self.counter.step, ty);
        now[self.counter.index] = to.emit(Op::Binary(BinaryOp::Add, counter, step), ty);
        to.end(Terminator::Jump(target(header, now)));

        // Few rounds are left for the old loop.
        to.block = self.header;
        to.effect(Op::Unroll(Unrolling::Rounds(1)));
        lead(function, graph, |block| block == self.counter.body, self.header, start);
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
    fn lengthen(&self, to: &mut BlockWriter<'_>, inst: Inst, times: u8, same: &mut HashMap<Value, Value>) {
        let InstData { mut op, results, span } = to.function.insts[inst.0 as usize].clone();
        to.span = span;
        let backwards = self.backwards(to.function, inst);
        let table = match op {
            Op::Permute(table, _) => vec![table],
            Op::Permute2(a, b, _) => vec![a, b],
            _ => Vec::new(),
        };
        let mut operands = Vec::new();
        op.for_each(|operand| operands.push(operand));
        for operand in operands {
            if is_vector(to.function, operand) && !table.contains(&operand) && !same.contains_key(&operand) {
                let longer = longer(to, operand, times);
                same.insert(operand, longer);
            }
        }
        op.for_each_mut(|operand| {
            if !table.contains(operand) {
                *operand = same.get(operand).copied().unwrap_or(*operand);
            }
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
            let bytes = ty.element.size() as i64 * i64::from(ty.length) * i64::from(times - 1);
            *pointer = to.emit(Op::PtrOffset(*pointer, -bytes), Type::scalar(Element::Ptr));
        }
        if backwards.is_some()
            && let Op::Store { value, .. } = &mut op
        {
            *value = turned(to, *value, times);
        }
        match results[..] {
            [result] => {
                let ty = to.function.ty(result);
                let length = if ty.length == 1 { 1 } else { ty.length * times };
                let made = to.emit(op, ty.with_length(length));
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

/// What rounds share, as long as so many of them.
fn longer(to: &mut BlockWriter<'_>, value: Value, times: u8) -> Value {
    let ty = to.function.ty(value);
    let all = ty.with_length(ty.length * times);
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

/// An access of memory.
struct Touch {
    inst: Inst,
    /// Lane 0's, or those of all lanes where they are not regular.
    pointer: Value,
    address: Address,
    /// Bytes from lane to lane, if that is the same for all.
    stride: Option<u64>,
    /// Bytes of a lane.
    size: u64,
}

impl Touch {
    fn of(function: &mut Function, forms: &mut Forms, inst: Inst, lanes: u8) -> Option<Touch> {
        let InstData { op, results, span } = &function.insts[inst.0 as usize];
        let (pointer, value, stride) = match *op {
            Op::Load { pointer, .. } => (pointer, results[0], None),
            Op::Store { pointer, value, .. } => (pointer, value, None),
            Op::StridedLoad { pointer, stride, .. } => (pointer, results[0], Some(stride.unsigned_abs())),
            Op::Gather { pointers, .. } => (pointers, results[0], Some(0)),
            Op::Scatter { pointers, value, .. } => (pointers, value, Some(0)),
            _ => return None,
        };
        let (ty, span) = (function.ty(value), *span);
        let size = ty.element.size();
        if function.ty(pointer).length == 1 {
            let stride = if ty.length == lanes { Some(stride.unwrap_or(size)) } else { None };
            return Some(Touch { inst, pointer, address: Address::of(function, pointer), stride, size });
        }
        let form = forms.of(function, pointer);
        let Some(form) = form.filter(Linear::is_plain) else {
            return Some(Touch { inst, pointer, address: Address::of(function, pointer), stride: None, size });
        };
        // What computes lane 0's address stands nowhere: it is only looked at.
        let first = Writer { function, out: &mut Vec::new(), span }.scalar(&form.uniform);
        Some(Touch {
            inst,
            pointer: first,
            address: Address::of(function, first),
            stride: Some(form.stride.unsigned_abs()),
            size,
        })
    }

    /// Have both the same lanes, each with bytes of its own?
    fn has_lanes_beside(&self, other: &Touch) -> bool {
        let Some(stride) = self.stride.filter(|_| self.stride == other.stride) else { return false };
        let distance = self.address.distance(&other.address);
        distance.is_some_and(|bytes| bytes.unsigned_abs() + self.size.max(other.size) <= stride)
    }
}

/// What a round of so many lanes takes.
struct Work<'a> {
    rounds: &'a Rounds,
    function: &'a Function,
    machine: &'a Machine,
    times: u8,
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
    fn operations(&self) -> usize {
        let mut only_extended: HashMap<Value, bool> = HashMap::new();
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

    /// As many registers hold something at once.
    fn most_alive(&self) -> usize {
        let mut last: HashMap<Value, usize> = HashMap::new();
        let insts = &self.rounds.insts;
        for (at, inst) in insts.iter().enumerate() {
            self.function.insts[inst.0 as usize].op.for_each(|operand| _ = last.insert(operand, at));
        }
        let counts = |value: &Value| {
            let ty = self.function.ty(*value);
            ty.length > 1 && !matches!(ty.element, Element::Bool | Element::Ptr)
        };
        let shared = last.keys().filter(|value| counts(value) && !self.rounds.inside.contains(value)).count();
        let (mut alive, mut most) = (shared, 0);
        let mut ends: HashMap<usize, usize> = HashMap::new();
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
