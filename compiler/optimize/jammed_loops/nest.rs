//! Loops with loops in them whose rounds may run beside each other.

use super::super::addresses::signed;
use super::super::alias::may_write;
use super::super::block_writer::BlockWriter;
use super::super::loop_checks::is_pure;
use super::super::multiples::Multiples;
use super::super::ranges::range;
use super::rows::{self, Fit};
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// So many operations are looked through for how much a number grows.
pub(super) const SLOPE_DEPTH: u32 = 12;

/// A parameter of a header that grows by a constant and is below a limit in each round.
#[derive(Clone, Copy)]
pub(in super::super) struct Counter {
    pub(in super::super) value: Value,
    /// Its place among the parameters.
    pub(in super::super) index: usize,
    pub(in super::super) start: Option<Value>,
    /// Greater than 0.
    pub(in super::super) step: u64,
    /// `SLt` or `ULt`.
    pub(in super::super) op: CompareOp,
    pub(in super::super) limit: Value,
    /// Rounds are known to go on while the counter is below the limit and so much more; 0 but for [`rising`].
    pub(in super::super) more: i64,
    /// Where a round goes on from the header.
    pub(in super::super) body: Block,
}

impl Counter {
    /// What a number grows by each round: the counter by its step, another one, as far as this says, by nothing.
    pub(in super::super) fn growth(&self, of: Value) -> i64 {
        // A step has 16 bits.
        if of == self.value { self.step as i64 } else { 0 }
    }

    /// How many rounds there are, if that is a constant.
    pub(in super::super) fn rounds(&self, function: &Function) -> Option<u64> {
        let number = |value: Value| {
            let (ty, bits) = (function.ty(value), function.constant(value)?[0]);
            let number = if self.op == CompareOp::SLt { i128::from(signed(bits, ty.element.bits())) } else { i128::from(bits) };
            (ty.length == 1 && ty.element.is_int()).then_some(number)
        };
        let (start, limit) = (number(self.start?)?, number(self.limit)? + i128::from(self.more));
        let rounds = (limit - start + i128::from(self.step) - 1).div_euclid(self.step.into());
        u64::try_from(rounds).ok()
    }

    /// So many rounds there are at most, by what is known of the limit where the counter begins with a number.
    pub(in super::super) fn most_rounds(&self, function: &Function) -> Option<u64> {
        let start = i64::try_from(constant(function, self.start?)?).ok()?;
        let (least, most) = range(function, self.limit);
        let is_known = self.op == CompareOp::SLt || least >= 0;
        let way = most.checked_add(self.more)?.checked_sub(start).filter(|_| is_known)?;
        Some(u64::try_from(way.max(0)).ok()?.div_ceil(self.step))
    }

    /// Where a round is in the source.
    pub(in super::super) fn span(&self, function: &Function) -> Span {
        let first = function.blocks[self.body.0 as usize].insts.first();
        first.map_or(function.span, |inst| function.insts[inst.0 as usize].span)
    }

    /// How many lanes a round has whose counter grows by one for each of them.
    pub(in super::super) fn lanes(&self) -> Option<u8> {
        u8::try_from(self.step).ok().filter(|lanes| lanes.is_power_of_two() && *lanes > 1)
    }

    /// Where the limit is known: below this number so many rounds are left. Where rounds begin and end at multiples, it is one of more, which
    /// tells LLVM how many rounds there are.
    pub(in super::super) fn bound(&self, writer: &mut BlockWriter<'_>, rounds: u64) -> Value {
        let (ty, bool) = (writer.function.ty(self.value), Type::scalar(Element::Bool));
        let mut multiples = Multiples::default();
        let mut is_multiple = |value: Value, of: u64| multiples.zeros(writer.function, value) >= of.trailing_zeros();
        let whole = rounds * self.step;
        if whole.is_power_of_two()
            && self.more == 0
            && is_multiple(self.limit, self.step)
            && self.start.is_some_and(|start| is_multiple(start, whole))
        {
            let multiple = writer.number(whole.wrapping_neg() & (u64::MAX >> (64 - ty.element.bits())), ty);
            return writer.emit(Op::Binary(BinaryOp::And, self.limit, multiple), ty);
        }
        // Two rounds and more are further apart than `more`.
        let span = ((rounds - 1) * self.step).saturating_add_signed(-self.more);
        let (least, greater) = match self.op {
            CompareOp::SLt => (1 << (ty.element.bits() - 1), CompareOp::SGe),
            _ => (0, CompareOp::UGe),
        };
        if span >> ty.element.bits().min(63) != 0 {
            return writer.number(least, ty);
        }
        let [span_before, least, first] = [span, least, least + span].map(|number| writer.number(number, ty));
        let bound = writer.emit(Op::Binary(BinaryOp::Sub, self.limit, span_before), ty);
        let is_one = writer.emit(Op::Compare(greater, self.limit, first), bool);
        writer.emit(Op::Select(is_one, bound, least), ty)
    }

    /// How many rounds there are at most, in 64 bits, where the counter begins with this number; a number of 2⁴⁰ or more stands for none as well.
    /// Where `more` is less than 0 there are fewer, and nothing is known where it is greater.
    pub(in super::super) fn all_rounds(&self, writer: &mut BlockWriter<'_>, start: Value) -> Value {
        let (ty, wide) = (writer.function.ty(self.value), Type::scalar(Element::I64));
        let extend = if self.op == CompareOp::SLt { ConvertOp::SExt } else { ConvertOp::ZExt };
        let [start, limit] = [start, self.limit].map(|number| match ty.element.bits() {
            64 => number,
            _ => writer.emit(Op::Convert(extend, number), wide),
        });
        let steps = writer.emit(Op::Binary(BinaryOp::Sub, limit, start), wide);
        if self.step == 1 {
            return steps;
        }
        let [step, less] = [self.step, self.step - 1].map(|number| writer.number(number, wide));
        let steps = writer.emit(Op::Binary(BinaryOp::Add, steps, less), wide);
        writer.emit(Op::Binary(BinaryOp::UDiv, steps, step), wide)
    }

    /// Are so many rounds left, where the counter has got so far?
    pub(in super::super) fn are_left(&self, writer: &mut BlockWriter<'_>, now: Value, rounds: u64) -> Value {
        let (ty, bool) = (writer.function.ty(self.value), Type::scalar(Element::Bool));
        let is_one_left = writer.emit(Op::Compare(self.op, now, self.limit), bool);
        let left = writer.emit(Op::Binary(BinaryOp::Sub, self.limit, now), ty);
        let least = writer.number((rounds - 1) * self.step, ty);
        let are_left = writer.emit(Op::Compare(CompareOp::UGt, left, least), bool);
        writer.emit(Op::Binary(BinaryOp::And, is_one_left, are_left), bool)
    }
}

/// Does it only say something to the compiler or the processor?
pub(super) fn is_hint(op: &Op) -> bool {
    matches!(op, Op::Unroll(_) | Op::Assume(_) | Op::Prefetch(_))
}

/// Does it write nothing, and leave nothing but a hint?
pub(super) fn is_harmless(op: &Op) -> bool {
    !op.has_effect() || is_hint(op)
}

/// A scalar constant that is not negative.
pub(in super::super) fn constant(function: &Function, value: Value) -> Option<u64> {
    let ty = function.ty(value);
    match function.definition(value) {
        Some(Op::Const(bits)) if ty.length == 1 && ty.element.is_int() && bits[0] >> (ty.element.bits() - 1) & 1 == 0 => {
            Some(bits[0])
        }
        _ => None,
    }
}

/// What a parameter of a block is to which there is one way.
pub(super) fn before(function: &Function, graph: &Graph, mut value: Value) -> Value {
    while let ValueDef::Parameter(block, index) = function.values[value.0 as usize].def
        && let [from] = graph.predecessors[block.0 as usize][..]
    {
        let mut targets = function.blocks[from.0 as usize].terminator.targets().filter(|target| target.block == block);
        value = targets.next().expect("a way from a predecessor").arguments[index as usize];
    }
    value
}

/// The counter by which a loop ends.
pub(in super::super) fn counter(function: &Function, graph: &Graph, header: Block) -> Option<Counter> {
    let is_below = |op: &Op| matches!(op, Op::Compare(CompareOp::SLt | CompareOp::ULt, ..));
    let Terminator::Branch { condition, .. } = &function.blocks[header.0 as usize].terminator else { return None };
    function.definition(*condition).filter(|op| is_below(op))?;
    rising(function, graph, header).filter(|counter| counter.more == 0)
}

/// A number that grows by a constant, while it is below a limit, the same, or not equal to it, or while so much more is: `i + 1 < n`. As long as it is
/// below what the counter says the loop goes on; it may go on longer.
pub(in super::super) fn rising(function: &Function, graph: &Graph, header: Block) -> Option<Counter> {
    let inside = graph.natural_loop(header)?;
    let data = &function.blocks[header.0 as usize];
    let Terminator::Branch { condition, then, otherwise } = &data.terminator else { return None };
    let Some(&Op::Compare(compared, a, limit)) = function.definition(*condition) else { return None };
    let (value, further) = match function.definition(a) {
        Some(&Op::Binary(BinaryOp::Add, a, b)) => (a, constant(function, b)?),
        _ => (a, 0),
    };
    let index = data.parameters.iter().position(|&parameter| parameter == value)?;
    let (op, is_same) = match compared {
        CompareOp::SLt | CompareOp::Ne => (CompareOp::SLt, false),
        CompareOp::SLe => (CompareOp::SLt, true),
        CompareOp::ULt => (CompareOp::ULt, false),
        CompareOp::ULe => (CompareOp::ULt, true),
        _ => return None,
    };
    let more = i64::from(is_same) - i64::try_from(further).ok().filter(|further| *further < 1 << 16)?;
    if !inside[then.block.0 as usize] || inside[otherwise.block.0 as usize] {
        return None;
    }
    let (mut start, mut step) = (Vec::new(), Vec::new());
    for &from in &graph.predecessors[header.0 as usize] {
        for target in function.blocks[from.0 as usize].terminator.targets().filter(|target| target.block == header) {
            let into = if inside[from.0 as usize] { &mut step } else { &mut start };
            into.push(target.arguments[index]);
        }
    }
    let [next] = step[..] else { return None };
    let step = match function.definition(next) {
        Some(&Op::Binary(BinaryOp::Add, a, b)) if a == value => constant(function, b),
        Some(&Op::Binary(BinaryOp::Add, a, b)) if b == value => constant(function, a),
        _ => None,
    };
    let step = step.filter(|&step| step > 0 && step < 1 << 16 && (compared != CompareOp::Ne || step == 1 && further == 0))?;
    let start = (start.len() == 1).then(|| before(function, graph, start[0]));
    Some(Counter { value, index, start, step, op, limit, more, body: then.block })
}

/// A loop whose rounds may run beside each other.
pub(in super::super) struct Nest {
    pub(in super::super) header: Block,
    /// The blocks, in order, the header first.
    pub(in super::super) blocks: Vec<Block>,
    pub(super) inside: Vec<bool>,
    /// The last block of a round.
    pub(super) latch: Block,
    pub(in super::super) counter: Counter,
    /// What depends on the counter.
    pub(in super::super) varying: FxHashSet<Value>,
    /// What must hold where it writes in loops.
    pub(super) fits: Vec<Fit>,
}

impl Nest {
    /// That of a header.
    pub(in super::super) fn of(function: &Function, graph: &Graph, header: Block) -> Option<Nest> {
        let mut nest = Nest::shape(function, graph, header)?;
        nest.fits = nest.memory(function, graph)?;
        Some(nest)
    }

    /// The same loop after one in it was jammed.
    pub(super) fn again(self, function: &Function, graph: &Graph) -> Nest {
        let nest = Nest::shape(function, graph, self.header).expect("a loop keeps its shape where one in it is jammed");
        Nest { fits: self.fits, ..nest }
    }

    /// Is it computed from values of before the loop alone, wherever that is done?
    pub(super) fn is_outer(&self, function: &Function, value: Value) -> bool {
        !self.defines(function, value)
            || function.definition(value).is_some_and(|op| {
                let mut is_outer = is_pure(op);
                op.for_each(|operand| is_outer = is_outer && self.is_outer(function, operand));
                is_outer
            })
    }

    /// So many instructions are in it.
    pub(in super::super) fn insts(&self, function: &Function) -> usize {
        self.blocks.iter().map(|block| function.blocks[block.0 as usize].insts.len()).sum()
    }

    /// Is it computed in the loop?
    pub(super) fn defines(&self, function: &Function, value: Value) -> bool {
        match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => self.inside[block.0 as usize],
            ValueDef::Result(inst, _) => self.blocks.iter().any(|block| function.blocks[block.0 as usize].insts.contains(&inst)),
        }
    }

    /// The operations of some blocks.
    fn ops<'f>(&'f self, function: &'f Function, is_there: impl Fn(Block) -> bool + 'f) -> impl Iterator<Item = &'f Op> {
        let blocks = self.blocks.iter().filter(move |&&block| is_there(block));
        blocks.flat_map(|block| &function.blocks[block.0 as usize].insts).map(|inst| &function.insts[inst.0 as usize].op)
    }

    /// How much an integer grows with the counter, if that is a constant, modulo 2⁶⁴.
    pub(in super::super) fn slope(&self, function: &Function, value: Value, depth: u32) -> Option<u64> {
        if value == self.counter.value {
            return Some(1);
        }
        if !self.varying.contains(&value) {
            return Some(0);
        }
        let get = |value: &Value| if depth > 0 { self.slope(function, *value, depth - 1) } else { None };
        match function.definition(value)? {
            Op::Binary(BinaryOp::Add, a, b) => Some(get(a)?.wrapping_add(get(b)?)),
            Op::Binary(BinaryOp::Sub, a, b) => Some(get(a)?.wrapping_sub(get(b)?)),
            Op::Binary(BinaryOp::Mul, a, b) => match (constant(function, *a), constant(function, *b)) {
                (_, Some(by)) => Some(get(a)?.wrapping_mul(by)),
                (Some(by), _) => Some(get(b)?.wrapping_mul(by)),
                (None, None) => None,
            },
            Op::Binary(BinaryOp::Shl, a, b) => {
                let by = constant(function, *b).filter(|&by| by < 32)?;
                Some(get(a)? << by)
            }
            Op::Convert(ConvertOp::Trunc, a) => get(a),
            _ => None,
        }
    }

    /// Everything but what it reads and writes.
    fn shape(function: &Function, graph: &Graph, header: Block) -> Option<Nest> {
        let counter = counter(function, graph, header)?;
        let inside = graph.natural_loop(header)?;
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        let mut back = graph.predecessors[header.0 as usize].iter().filter(|from| inside[from.0 as usize]);
        let (Some(&latch), None) = (back.next(), back.next()) else { return None };
        let has_loops = blocks.iter().any(|&block| graph.innermost_loop(block) != Some(header));
        let leaves = |block: &Block| {
            let mut targets = function.blocks[block.0 as usize].terminator.targets();
            *block != header && targets.any(|target| !inside[target.block.0 as usize])
        };
        let is_last = graph.innermost_loop(latch) == Some(header) && latch != header;
        if !has_loops || !is_last || blocks.iter().any(leaves) {
            return None;
        }
        let parameters = function.blocks[header.0 as usize].parameters.iter().copied();
        let late: FxHashSet<Value> = parameters.filter(|&value| value != counter.value).collect();
        let mut nest = Nest { header, blocks, inside, latch, counter, varying: FxHashSet::default(), fits: Vec::new() };
        if nest.defines(function, counter.limit) {
            return None;
        }
        nest.varying = nest.closure(function, FxHashSet::from_iter([counter.value]));
        let late = nest.closure(function, late);
        nest.is_in_step(function, &late).then_some(nest)
    }

    /// What depends on these values in the same round.
    fn closure(&self, function: &Function, mut values: FxHashSet<Value>) -> FxHashSet<Value> {
        let mut before = 0;
        while std::mem::replace(&mut before, values.len()) != values.len() {
            for &block in &self.blocks {
                let data = &function.blocks[block.0 as usize];
                for &inst in &data.insts {
                    let InstData { op, results, .. } = &function.insts[inst.0 as usize];
                    let mut depends = false;
                    op.for_each(|value| depends |= values.contains(&value));
                    if depends {
                        values.extend(results);
                    }
                }
                for target in data.terminator.targets().filter(|target| target.block != self.header) {
                    if self.inside[target.block.0 as usize] {
                        let parameters = &function.blocks[target.block.0 as usize].parameters;
                        let pairs = target.arguments.iter().zip(parameters);
                        let new: Vec<Value> = pairs.filter(|(value, _)| values.contains(value)).map(|(_, to)| *to).collect();
                        values.extend(new);
                    }
                }
            }
        }
        values
    }

    /// Do all rounds go the same way, and look at what comes from earlier rounds in their last block alone?
    fn is_in_step(&self, function: &Function, late: &FxHashSet<Value>) -> bool {
        self.blocks.iter().all(|&block| {
            let data = &function.blocks[block.0 as usize];
            let is_late = |value: Value| late.contains(&value);
            let mut is_seen = false;
            if block != self.latch {
                for &inst in &data.insts {
                    function.insts[inst.0 as usize].op.for_each(|value| is_seen |= is_late(value));
                }
            }
            for target in data.terminator.targets().filter(|target| self.inside[target.block.0 as usize]) {
                is_seen |= target.block != self.header && target.arguments.iter().any(|&value| is_late(value));
            }
            if let Terminator::Branch { condition, .. } = data.terminator
                && block != self.header
            {
                is_seen |= self.varying.contains(&condition) || is_late(condition);
            }
            !is_seen
        })
    }

    /// What must hold so that the order in which rounds read and write does not matter; `None` where it may.
    fn memory(&self, function: &Function, graph: &Graph) -> Option<Vec<Fit>> {
        // Who says how often the loop is unrolled means that.
        let here = |block: Block| graph.innermost_loop(block) == Some(self.header);
        if self.ops(function, here).any(|op| matches!(op, Op::Unroll(_)))
            || self.ops(function, |_| true).any(|op| matches!(op, Op::Unroll(Unrolling::All)))
        {
            return None;
        }
        if !self.ops(function, |block| block != self.latch).all(is_harmless) {
            return rows::fits(function, graph, self);
        }
        let mut reads = Vec::new();
        for op in self.ops(function, |block| block != self.latch) {
            match op {
                Op::Load { pointer, .. }
                | Op::StreamingLoad { pointer, .. }
                | Op::Gather { pointers: pointer, .. }
                | Op::StridedLoad { pointer, .. } => reads.push(*pointer),
                _ => {}
            }
        }
        let is_store = |op: &Op| matches!(op, Op::Store { .. } | Op::Scatter { .. } | Op::PackedStore { .. });
        let mut writes = self.ops(function, |block| block == self.latch).filter(|op| !is_harmless(op));
        writes.all(|op| is_store(op) && !reads.iter().any(|&read| may_write(function, op, read))).then(Vec::new)
    }
}
