//! What is left behind the blocks of a loop is done in shorter vectors where it is little.
//!
//! ```text
//! block4():                                     block4():
//!     m = firstlanes r: bool×64                     branch r ≤ 32, block7, block6
//!     x = load a, mask m: i8×64                 block6:  as block4 was
//!     y = add x, x                       ──►    block7:
//!     store o, y, mask m                            m = firstlanes r: bool×32
//!     jump block5                                   x = load a, mask m: i8×32
//!                                                   y = add x, x
//!                                                   store o, y, mask m
//!                                                   jump block5
//! ```
//! A masked round costs what all of its lanes do, be there three or sixty. Half of them, and half of that, are taken where that saves
//! several operations on registers: of long vectors, or of such whose lanes are moved apart. Numbers that have one lane, such as the
//! addresses of the round, are the same for both, and made in front of the branch.
//!
//! Of each vector the pass knows what the upper lanes hold where all that are on are in the lower half: a constant, as that of a mask or of
//! what was loaded under it; the lanes of a vector that was there before, where a select keeps them; or what nobody may look at.
//! Where they are stored, asked for or come out of the round, it is one of the former, and the vector that comes out is put together again.
//! Rounds with loops, calls, checks and what moves lanes are left alone.

use super::block_writer::{BlockWriter, new_block};
use super::copied_blocks::copied_blocks;
use super::loop_checks::is_pure;
use super::surroundings::Surroundings;
use crate::machine::Machine;
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rounds of more instructions are not copied, those that nobody looks at not counted.
const MAX_ROUND: usize = 300;
/// A function does not grow beyond this number of instructions, without those of rounds that check: in longer ones rounds behind loops take little of
/// the time, and their copies much of that of the compiler.
const MAX_INSTS: usize = 1100;
/// So many operations on registers are to be saved.
const LEAST_GAIN: u64 = 6;
/// Bytes that all processors work on in one step. Longer registers count as several in blocks of so many lanes, of which many are left;
/// in shorter ones the copy is not worth the time of the compiler.
const ONE_STEP: u64 = 32;
const LONG: u8 = 64;
/// Vectors do not become shorter than this, in bytes of their narrowest lanes.
const LEAST_BYTES: u64 = 16;

/// Halves the tails of a function.
pub fn short_tails(function: &mut Function, around: Surroundings<'_>) {
    let mut work: Vec<Block> = (0..function.blocks.len() as u32).map(Block).collect();
    while let Some(block) = work.pop() {
        if counted(function) > MAX_INSTS {
            break;
        }
        let graph = Graph::new(function);
        let Some(mut tail) = Tail::of(function, &graph, block) else { continue };
        let upper = tail.upper(function);
        if tail.is_allowed(function, &upper) && tail.is_worth_it(function, around.machine) {
            tail.number_first(function);
            work.push(tail.halve(function, &upper));
        }
    }
    function.sort_blocks();
}

/// The instructions of a function, without those of rounds that check.
fn counted(function: &Function) -> usize {
    let is_check = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::Check { .. });
    let blocks = function.blocks.iter().filter(|data| !data.insts.iter().any(is_check));
    blocks.map(|data| data.insts.len()).sum()
}

/// What lanes of the upper half hold where the lanes that are on are in the lower one.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Upper {
    /// This, all of them.
    Bits(u64),
    /// Those of a vector from before the round.
    Kept(Value),
    Unknown,
}

/// A masked round: a block with a mask of first lanes and what it alone leads to, up to where it ends.
struct Tail {
    first: Block,
    /// Where the mask is made, and its number of lanes.
    mask: usize,
    count: Value,
    length: u8,
    blocks: Vec<Block>,
    behind: Block,
    /// What is not copied: what nobody looks at, such as what checks asked for that are gone; and what is the same for both rounds.
    left_out: FxHashSet<Inst>,
}

impl Tail {
    fn of(function: &Function, graph: &Graph, first: Block) -> Option<Tail> {
        let data = &function.blocks[first.0 as usize];
        let is_mask = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::FirstLanes(_));
        let mask = data.insts.iter().position(is_mask)?;
        let made = &function.insts[data.insts[mask].0 as usize];
        let (&Op::FirstLanes(count), [result]) = (&made.op, &made.results[..]) else { return None };
        let length = function.ty(*result).length;
        // What stands in front of the mask is computed for both.
        if data.insts[..mask].iter().any(|inst| function.insts[inst.0 as usize].op.has_effect()) {
            return None;
        }
        if !graph.is_reachable(first) || !length.is_power_of_two() || length < 4 || !data.parameters.is_empty() {
            return None;
        }
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.dominates(first, block)).collect();
        let mut behind = None;
        let mut seen = FxHashSet::default();
        // In their order each block leads forward: there are no loops. What lies behind the round is reached from elsewhere, too.
        let mut own = Vec::new();
        for &block in &blocks {
            if graph.predecessors[block.0 as usize].iter().any(|before| block != first && !seen.contains(before)) {
                return None;
            }
            seen.insert(block);
            own.push(block);
        }
        for &block in &own {
            let mut targets = function.blocks[block.0 as usize].terminator.targets().peekable();
            targets.peek()?;
            for target in targets {
                if target.block == first {
                    return None;
                }
                if !seen.contains(&target.block) && *behind.get_or_insert(target.block) != target.block {
                    return None;
                }
            }
        }
        let left_out = unused(function, &own);
        let tail = Tail { first, mask, count, length, blocks: own, behind: behind?, left_out };
        (tail.insts(function).count() <= MAX_ROUND).then_some(tail)
    }

    fn insts<'a>(&'a self, function: &'a Function) -> impl Iterator<Item = &'a InstData> {
        let all = self.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        all.filter(|inst| !self.left_out.contains(inst)).map(|inst| &function.insts[inst.0 as usize])
    }

    fn defined(&self, function: &Function) -> FxHashSet<Value> {
        let parameters = self.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].parameters);
        parameters.chain(self.insts(function).flat_map(|data| &data.results)).copied().collect()
    }

    /// Of the vectors that are defined in the round and as long as it is.
    fn upper(&self, function: &Function) -> FxHashMap<Value, Upper> {
        let mut known: FxHashMap<Value, Upper> = FxHashMap::default();
        let inside = self.defined(function);
        for &block in &self.blocks {
            for (index, &parameter) in function.blocks[block.0 as usize].parameters.iter().enumerate() {
                let ways = self.blocks.iter().flat_map(|from| function.blocks[from.0 as usize].terminator.targets());
                let mut all = ways.filter(|target| target.block == block).map(|target| target.arguments[index]);
                let first = all.next().map_or(Upper::Unknown, |value| upper_of(function, &inside, &known, value));
                let is_same = all.all(|value| upper_of(function, &inside, &known, value) == first);
                known.insert(parameter, if is_same { first } else { Upper::Unknown });
            }
            for &inst in &function.blocks[block.0 as usize].insts {
                let data = &function.insts[inst.0 as usize];
                let [result] = data.results[..] else { continue };
                if function.ty(result).length == self.length {
                    let upper = self.upper_of_op(function, &data.op, |value| upper_of(function, &inside, &known, value));
                    known.insert(result, upper);
                }
            }
        }
        known
    }

    fn upper_of_op(&self, function: &Function, op: &Op, of: impl Fn(Value) -> Upper) -> Upper {
        use Upper::{Bits, Unknown};
        let is_mask = |value: Value| function.ty(value).element == Element::Bool;
        match *op {
            Op::Const(ref bits) if bits.iter().all(|&b| b == bits[0]) => Bits(bits[0]),
            // Those of the round itself alone are known to be few.
            Op::FirstLanes(count) if count == self.count => Bits(0),
            Op::Unary(UnaryOp::Not, a) if is_mask(a) => match of(a) {
                Bits(bits) => Bits(bits ^ 1),
                Upper::Kept(_) | Unknown => Unknown,
            },
            Op::Binary(BinaryOp::And, a, b) => match (of(a), of(b)) {
                (Bits(0), _) | (_, Bits(0)) => Bits(0),
                (Bits(1), other) | (other, Bits(1)) if is_mask(a) => other,
                _ => Unknown,
            },
            Op::Binary(BinaryOp::Or, a, b) => match (of(a), of(b)) {
                (Bits(0), other) | (other, Bits(0)) => other,
                (Bits(1), _) | (_, Bits(1)) if is_mask(a) => Bits(1),
                _ => Unknown,
            },
            Op::Binary(BinaryOp::Add, a, b) => match (of(a), of(b)) {
                (Bits(0), other) | (other, Bits(0)) => other,
                _ => Unknown,
            },
            Op::Select(m, a, b) if function.ty(m).length == self.length => match of(m) {
                Bits(0) => of(b),
                Bits(_) => of(a),
                Upper::Kept(_) | Unknown if of(a) == of(b) => of(a),
                Upper::Kept(_) | Unknown => Unknown,
            },
            Op::Convert(ConvertOp::ZExt | ConvertOp::SExt, a) if of(a) == Bits(0) => Bits(0),
            Op::Load { mask: Some(m), .. } | Op::StridedLoad { mask: Some(m), .. } | Op::Gather { mask: Some(m), .. }
                if of(m) == Bits(0) =>
            {
                Bits(0)
            }
            _ => Unknown,
        }
    }

    /// May the round be shorter?
    fn is_allowed(&self, function: &Function, upper: &FxHashMap<Value, Upper>) -> bool {
        let inside = self.defined(function);
        let of = |value: Value| upper_of(function, &inside, upper, value);
        let is_long = |value: Value| function.ty(value).length == self.length;
        let is_off = |mask: Option<Value>| mask.is_some_and(|mask| of(mask) == Upper::Bits(0));
        for data in self.insts(function) {
            let mut lengths: Vec<u8> = data.results.iter().map(|&value| function.ty(value).length).collect();
            data.op.for_each(|value| lengths.push(function.ty(value).length));
            if lengths.iter().any(|&length| length != 1 && length != self.length) {
                return false;
            }
            let is_fine = match data.op {
                Op::Const(_)
                | Op::Unset
                | Op::Splat(_)
                | Op::Ramp { .. }
                | Op::Unary(..)
                | Op::Binary(..)
                | Op::Fma(..)
                | Op::Compare(..)
                | Op::Select(..)
                | Op::Convert(..)
                | Op::PtrIndex { .. }
                | Op::PtrOffset(..)
                | Op::SlotAddress(_)
                | Op::GlobalAddress(_)
                | Op::FirstLanes(_)
                | Op::Load { .. }
                | Op::Gather { .. }
                | Op::StridedLoad { .. } => true,
                Op::Store { value, mask, .. } | Op::Scatter { value, mask, .. } => !is_long(value) || is_off(mask),
                Op::Any(mask) | Op::MaskBits(mask) => of(mask) == Upper::Bits(0),
                Op::All(mask) => of(mask) == Upper::Bits(1),
                Op::Reduce(ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor, value) => of(value) == Upper::Bits(0),
                _ => lengths.iter().all(|&length| length == 1) && !matches!(data.op, Op::Check { .. } | Op::Call(..)),
            };
            if !is_fine {
                return false;
            }
        }
        // What comes out is put together again.
        let comes_out = |value: Value| inside.contains(&value) && is_long(value) && of(value) == Upper::Unknown;
        let ways = self.blocks.iter().flat_map(|block| function.blocks[block.0 as usize].terminator.targets());
        let mut arguments = ways.filter(|target| target.block == self.behind).flat_map(|target| &target.arguments);
        !arguments.any(|&value| comes_out(value))
    }

    /// Are several operations on registers saved?
    fn is_worth_it(&self, function: &Function, machine: &Machine) -> bool {
        let (mut now, mut then, mut narrowest) = (0, 0, 8);
        let register = u64::from(machine.register_bytes);
        let step = if self.length >= LONG { register.min(ONE_STEP) } else { register };
        for data in self.insts(function) {
            let ty = match data.op {
                Op::Store { value, .. } | Op::Scatter { value, .. } => function.ty(value),
                Op::Const(_) | Op::Splat(_) | Op::Ramp { .. } | Op::FirstLanes(_) => continue,
                _ => match data.results[..] {
                    [result] => function.ty(result),
                    _ => continue,
                },
            };
            if ty.length != self.length || matches!(ty.element, Element::Bool | Element::Ptr) {
                continue;
            }
            let size = ty.element.size();
            narrowest = size.min(narrowest);
            let apart = match data.op {
                Op::StridedLoad { stride, .. } => stride.unsigned_abs() / size,
                Op::Scatter { .. } => 4,
                _ => 1,
            };
            let registers = |lanes: u8| (apart * size * u64::from(lanes)).div_ceil(step);
            now += registers(self.length);
            then += registers(self.length / 2);
        }
        now - then >= LEAST_GAIN && u64::from(self.length / 2) * narrowest >= LEAST_BYTES
    }

    /// Numbers of one lane that the first block computes of such, and of what is there before it, stand in front of the mask.
    fn number_first(&mut self, function: &mut Function) {
        let insts = std::mem::take(&mut function.blocks[self.first.0 as usize].insts);
        let (mut later, mut numbers, mut others) = (FxHashSet::default(), Vec::new(), Vec::new());
        for inst in insts {
            let data = &function.insts[inst.0 as usize];
            let mut is_number = is_pure(&data.op) && data.results.iter().all(|&result| function.ty(result).length == 1);
            data.op.for_each(|value| is_number &= function.ty(value).length == 1 && !later.contains(&value));
            if is_number {
                numbers.push(inst);
            } else {
                later.extend(data.results.iter().copied());
                others.push(inst);
            }
        }
        self.left_out.extend(&numbers);
        let is_mask = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::FirstLanes(_));
        self.mask = numbers.len() + others.iter().position(is_mask).expect("the round has one");
        function.blocks[self.first.0 as usize].insts = numbers.into_iter().chain(others).collect();
    }

    /// Writes the shorter round; gives the block that decides which it is.
    fn halve(&self, function: &mut Function, upper: &FxHashMap<Value, Upper>) -> Block {
        let (length, half) = (self.length, self.length / 2);
        let inside = self.defined(function);
        let (copies, same) = copied_blocks(function, &self.blocks, |inst| self.left_out.contains(&inst), |_| ());
        let span = function.insts[function.blocks[self.first.0 as usize].insts[self.mask].0 as usize].span;
        // What is long is half as long.
        for &copy in same.values() {
            let ty = function.ty(copy);
            if ty.length == length {
                function.values[copy.0 as usize].ty = ty.with_length(half);
            }
        }
        let mut narrow: FxHashMap<Value, Value> = FxHashMap::default();
        let mut front = Vec::new();
        for &block in &copies {
            for inst in function.blocks[block.0 as usize].insts.clone() {
                let mut op = function.insts[inst.0 as usize].op.clone();
                if let Op::Const(bits) = &mut op {
                    let result = function.insts[inst.0 as usize].results[0];
                    bits.truncate(function.ty(result).length.into());
                }
                op.for_each_mut(|value| *value = lower(function, &mut front, span, &mut narrow, length, *value));
                function.insts[inst.0 as usize].op = op;
            }
            let mut terminator = function.blocks[block.0 as usize].terminator.clone();
            for target in terminator.targets_mut() {
                let is_out = target.block == self.behind;
                for argument in &mut target.arguments {
                    if is_out {
                        continue;
                    }
                    *argument = lower(function, &mut front, span, &mut narrow, length, *argument);
                }
            }
            function.blocks[block.0 as usize].terminator = terminator;
        }
        let original: FxHashMap<Value, Value> = same.iter().map(|(&old, &new)| (new, old)).collect();
        for &block in &copies {
            let mut terminator = function.blocks[block.0 as usize].terminator.clone();
            for target in terminator.targets_mut().filter(|target| target.block == self.behind) {
                for argument in &mut target.arguments {
                    let Some(old) = original.get(argument).filter(|old| function.ty(**old).length == length) else { continue };
                    let mut writer = BlockWriter { function, block, span };
                    let ty = writer.function.ty(*argument);
                    let above = match upper_of(writer.function, &inside, upper, *old) {
                        Upper::Bits(bits) => writer.number(bits, ty),
                        Upper::Kept(value) => {
                            let lanes = (i16::from(half)..i16::from(length)).collect();
                            writer.emit(Op::Shuffle(value, value, lanes), ty)
                        }
                        Upper::Unknown => unreachable!("what comes out is known"),
                    };
                    let lanes = (0..i16::from(length)).collect();
                    *argument = writer.emit(Op::Shuffle(*argument, above, lanes), ty.with_length(length));
                }
            }
            function.blocks[block.0 as usize].terminator = terminator;
        }
        // What is made in front of the mask is made once, and which round it is decided there.
        let long = new_block(function);
        let insts = function.blocks[self.first.0 as usize].insts.clone();
        let (before, rest) = insts.split_at(self.mask);
        let terminator = function.blocks[self.first.0 as usize].terminator.clone();
        function.blocks[long.0 as usize] = BlockData { parameters: Vec::new(), insts: rest.to_vec(), terminator };
        let moved = function.blocks[copies[0].0 as usize].insts.split_off(0);
        function.blocks[copies[0].0 as usize].insts = front.into_iter().chain(moved).collect();
        function.blocks[self.first.0 as usize].insts = before.to_vec();
        let mut writer = BlockWriter { function, block: self.first, span: Span::default() };
        let few = writer.number(half.into(), Type::scalar(Element::I32));
        let condition = writer.emit(Op::Compare(CompareOp::ULe, self.count, few), Type::scalar(Element::Bool));
        let target = |block| Target { block, arguments: Vec::new() };
        writer.end(Terminator::Branch { condition, then: target(copies[0]), otherwise: target(long) });
        copies[0]
    }
}

/// The instructions of blocks that nobody looks at. None of their values is used elsewhere but by arguments.
fn unused(function: &Function, blocks: &[Block]) -> FxHashSet<Inst> {
    let (mut wanted, mut unused) = (FxHashSet::default(), FxHashSet::default());
    for &block in blocks.iter().rev() {
        let data = &function.blocks[block.0 as usize];
        data.terminator.for_each(|value| _ = wanted.insert(value));
        for &inst in data.insts.iter().rev() {
            let data = &function.insts[inst.0 as usize];
            if !data.op.has_effect() && !data.results.iter().any(|result| wanted.contains(result)) {
                unused.insert(inst);
            } else {
                data.op.for_each(|value| _ = wanted.insert(value));
            }
        }
    }
    unused
}

/// What a value holds above, be it of the round or from before it.
fn upper_of(function: &Function, inside: &FxHashSet<Value>, known: &FxHashMap<Value, Upper>, value: Value) -> Upper {
    if inside.contains(&value) {
        return known.get(&value).copied().unwrap_or(Upper::Unknown);
    }
    match function.definition(value) {
        Some(Op::Const(bits)) if bits.iter().all(|&b| b == bits[0]) => Upper::Bits(bits[0]),
        _ => Upper::Kept(value),
    }
}

/// The lower half of a long vector from before the round.
fn lower(
    function: &mut Function,
    front: &mut Vec<Inst>,
    span: Span,
    known: &mut FxHashMap<Value, Value>,
    length: u8,
    value: Value,
) -> Value {
    let ty = function.ty(value);
    if ty.length != length {
        return value;
    }
    if let Some(&known) = known.get(&value) {
        return known;
    }
    let op = match function.definition(value) {
        Some(Op::Const(bits)) => Op::Const(bits.iter().copied().take(usize::from(length / 2)).collect()),
        Some(op @ (Op::Splat(_) | Op::Ramp { .. } | Op::Unset)) => op.clone(),
        _ => Op::Shuffle(value, value, (0..i16::from(length / 2)).collect()),
    };
    let (inst, made) = function.create(op, ty.with_length(length / 2), span);
    front.push(inst);
    known.insert(value, made);
    made
}
