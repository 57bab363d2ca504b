//! Loops that one block leads to and one goes back from, with a counter.

use super::areas::InnerCounter;
use super::block_writer::{BlockWriter, new_block};
use super::jammed_loops::{Counter, counter, rising};
use super::loop_checks::is_pure;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// So many operations lead from a number to what it is in the next round.
const DEPTH: u32 = 8;

/// A loop whose counter says where its rounds are.
pub(super) struct CountedLoop {
    pub(super) header: Block,
    pub(super) counter: Counter,
    /// What the counter begins with, in the only block that leads here from outside.
    pub(super) start: Value,
    pub(super) before: Block,
    /// The block that goes back to the header.
    pub(super) latch: Block,
    pub(super) all: Vec<Block>,
    /// The blocks that every round runs.
    pub(super) blocks: Vec<Block>,
    /// What is computed in the loop, or handed from round to round.
    pub(super) inside: FxHashSet<Value>,
    has_loops: bool,
}

/// The ways of a loop that one block leads to and one goes back from, by one target each.
pub(super) struct Ways {
    pub(super) before: Block,
    pub(super) latch: Block,
    /// Is a block in the loop?
    pub(super) inside: Vec<bool>,
}

impl Ways {
    pub(super) fn of(function: &Function, graph: &Graph, header: Block) -> Option<Ways> {
        let inside = graph.natural_loop(header)?;
        let (within, outside): (Vec<Block>, Vec<Block>) =
            graph.predecessors[header.0 as usize].iter().copied().partition(|block| inside[block.0 as usize]);
        let (&[latch], &[before]) = (&within[..], &outside[..]) else { return None };
        let is_one = |from: Block| {
            function.blocks[from.0 as usize].terminator.targets().filter(|target| target.block == header).count() == 1
        };
        (is_one(before) && is_one(latch)).then_some(Ways { before, latch, inside })
    }
}

/// The counter of the loop of a header, if it has a sign and 32 bits, grows by one, and begins and ends by what does not change in the loop around it.
pub(super) fn inner_counter(
    function: &Function,
    graph: &Graph,
    header: Block,
    is_outer: impl Fn(Value) -> bool,
) -> Option<InnerCounter> {
    if graph.innermost_loop(header) != Some(header) {
        return None;
    }
    let Counter { value, start, step, limit, more, .. } = rising(function, graph, header)?;
    let Terminator::Branch { condition, .. } = &function.blocks[header.0 as usize].terminator else { return None };
    let ends = matches!(function.definition(*condition), Some(Op::Compare(CompareOp::SLt | CompareOp::SLe, ..)));
    let is_counted = ends && step == 1 && function.ty(value) == Type::scalar(Element::I32);
    let start = start.filter(|&start| is_counted && is_outer(start) && is_outer(limit))?;
    Some(InnerCounter { value, start, limit, more })
}

/// What a block hands to a parameter of the header that it leads to.
pub(super) fn argument(function: &Function, from: Block, header: Block, index: usize) -> Value {
    let mut targets = function.blocks[from.0 as usize].terminator.targets();
    targets.find(|target| target.block == header).expect("a way to the header").arguments[index]
}

/// A number, and the constant by which another one is more.
pub(super) fn grown(function: &Function, value: Value) -> Option<(Value, i64)> {
    let found = match *function.definition(value)? {
        Op::Binary(BinaryOp::Add, a, b) => match function.signed_constant(b) {
            Some(step) => (a, step),
            None => (b, function.signed_constant(a)?),
        },
        Op::Binary(BinaryOp::Sub, a, b) => (a, function.signed_constant(b)?.checked_neg()?),
        _ => return None,
    };
    (found.1 != 0).then_some(found)
}

/// What a parameter of a header grows by in each round, in bytes if it is an address, where it is `next` in the next one; `None` if that is no constant.
pub(super) fn each_round(function: &Function, parameter: Value, next: Value) -> Option<i64> {
    let (mut value, mut sum) = (next, 0i64);
    for _ in 0..DEPTH {
        if value == parameter {
            return (sum != 0).then_some(sum);
        }
        let step;
        (value, step) = match *function.definition(value)? {
            Op::PtrOffset(a, bytes) => (a, bytes),
            Op::PtrIndex { base, index, scale, offset } => {
                let bytes = function.signed_constant(index)?.checked_mul(i64::try_from(scale).ok()?)?;
                (base, bytes.checked_add(offset)?)
            }
            _ => grown(function, value)?,
        };
        sum = sum.checked_add(step)?;
    }
    None
}

/// The block in front of a loop that leads there alone: the one that leads there, or a new one between both, where another way leads on from that. Who asks sorts the
/// blocks behind it.
pub(super) fn in_front(function: &mut Function, before: Block, header: Block) -> Block {
    if matches!(function.blocks[before.0 as usize].terminator, Terminator::Jump(_)) {
        return before;
    }
    let block = new_block(function);
    let mut entries = function.blocks[before.0 as usize].terminator.targets_mut();
    let entry = entries.find(|target| target.block == header).expect("a way into the loop");
    let entry = std::mem::replace(entry, Target { block, arguments: Vec::new() });
    drop(entries);
    function.blocks[block.0 as usize].terminator = Terminator::Jump(entry);
    block
}

impl CountedLoop {
    /// The loop of a header, if it is one with a counter.
    pub(super) fn of(function: &Function, graph: &Graph, header: Block) -> Option<CountedLoop> {
        let counter = counter(function, graph, header)?;
        let Ways { before, latch, inside: natural } = Ways::of(function, graph, header)?;
        let all: Vec<Block> = graph.order.iter().copied().filter(|block| natural[block.0 as usize]).collect();
        let blocks = all.iter().copied().filter(|&block| block != header && graph.dominates(block, latch)).collect();
        let inside = values_of(function, &all);
        let has_loops = all.iter().any(|&block| graph.innermost_loop(block) != Some(header));
        let start = argument(function, before, header, counter.index);
        Some(CountedLoop { header, counter, start, before, latch, all, blocks, inside, has_loops })
    }

    /// Is there no loop in it?
    pub(super) fn is_innermost(&self) -> bool {
        !self.has_loops
    }

    /// Is a value computed from values of before the loop alone, wherever that is done?
    pub(super) fn is_outer(&self, function: &Function, value: Value, depth: u32) -> bool {
        is_outer(function, &self.inside, value, depth)
    }

    /// Writes in front of the loop: in a block of its own where another way leads on from there. Who does so sorts the blocks behind it.
    pub(super) fn before<'f>(&mut self, function: &'f mut Function) -> BlockWriter<'f> {
        let span = function.span;
        self.before = in_front(function, self.before, self.header);
        BlockWriter { function, block: self.before, span }
    }

    /// Hands a value from round to round: what it begins with, and what the end of a round makes of it.
    pub(super) fn parameter(
        &self,
        function: &mut Function,
        ty: Type,
        start: Value,
        next: impl FnOnce(&mut BlockWriter<'_>, Value) -> Value,
    ) -> Value {
        let span = function.span;
        let mut latch = BlockWriter { function, block: self.latch, span };
        let parameter = latch.parameter(self.header, ty);
        let next = next(&mut latch, parameter);
        for (block, argument) in [(self.before, start), (self.latch, next)] {
            let targets = function.blocks[block.0 as usize].terminator.targets_mut();
            targets.filter(|target| target.block == self.header).for_each(|target| target.arguments.push(argument));
        }
        parameter
    }
}

/// Has a loop few rounds, as its header says, so that doing several at once is no gain?
pub(super) fn has_few_rounds(function: &Function, header: Block) -> bool {
    let insts = &function.blocks[header.0 as usize].insts;
    insts.iter().any(|inst| matches!(function.insts[inst.0 as usize].op, Op::Unroll(Unrolling::Rounds(0))))
}

/// What blocks compute or are handed.
pub(super) fn values_of(function: &Function, blocks: &[Block]) -> FxHashSet<Value> {
    let mut inside = FxHashSet::default();
    for block in blocks {
        let BlockData { parameters, insts, .. } = &function.blocks[block.0 as usize];
        inside.extend(parameters);
        inside.extend(insts.iter().flat_map(|inst| &function.insts[inst.0 as usize].results));
    }
    inside
}

/// Is a value computed from others than those of a loop alone, wherever that is done?
pub(super) fn is_outer(function: &Function, inside: &FxHashSet<Value>, value: Value, depth: u32) -> bool {
    is_computed_from(function, &|value| !inside.contains(&value), value, depth)
}

/// Is a value there, or computed from what is, by so many operations in one another at most?
pub(super) fn is_computed_from(function: &Function, is_there: &dyn Fn(Value) -> bool, value: Value, depth: u32) -> bool {
    is_there(value)
        || depth > 0
            && function.definition(value).is_some_and(|op| {
                let mut is_so = is_pure(op);
                op.for_each(|operand| is_so = is_so && is_computed_from(function, is_there, operand, depth - 1));
                is_so
            })
}

/// By so much a scalar grows where the counter of a loop grows by 1, modulo 2ⁿ; `None` if that is not the same in all rounds.
pub(super) fn growth(
    function: &Function,
    counter: Value,
    is_inside: &dyn Fn(Value) -> bool,
    value: Value,
    depth: u32,
) -> Option<u64> {
    if value == counter {
        return Some(1);
    }
    if !is_inside(value) {
        return Some(0);
    }
    let get = |value: Value| growth(function, counter, is_inside, value, depth.checked_sub(1)?);
    let constant = |value: Value| match function.definition(value) {
        Some(Op::Const(bits)) => Some(bits[0]),
        _ => None,
    };
    match *function.definition(value)? {
        Op::Const(_) => Some(0),
        Op::Convert(ConvertOp::Trunc, a) => get(a),
        Op::Unary(UnaryOp::Neg, a) => Some(get(a)?.wrapping_neg()),
        Op::Binary(BinaryOp::Add, a, b) => Some(get(a)?.wrapping_add(get(b)?)),
        Op::Binary(BinaryOp::Sub, a, b) => Some(get(a)?.wrapping_sub(get(b)?)),
        Op::Binary(BinaryOp::Mul, a, b) => match (constant(a), constant(b)) {
            (Some(factor), _) => Some(get(b)?.wrapping_mul(factor)),
            (_, Some(factor)) => Some(get(a)?.wrapping_mul(factor)),
            (None, None) => None,
        },
        _ => None,
    }
}
