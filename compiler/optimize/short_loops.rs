//! Short loops of constant length whose counter decides something are unrolled: then it is a constant.
//!
//! ```text
//! block1(i):                                  block1(i):
//!     branch i < 32, block2, block4               unroll all
//! block2:                              ──►        branch i < 32, block2, block4
//!     x << splat i                            …
//!     branch 0x1db7 >> i & 1 ≠ 0, …
//! ```
//! A counter decides where it is branched, blended or compared with, where it counts shifts or divides, where it says which lane, which
//! element of a table of constants or of an array of the function's own. An address that it steps through is better counted.

use super::Surroundings;
use super::alias::may_write;
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// So many rounds are unrolled.
const MAX_ROUNDS: usize = 64;
/// So many operations on registers they may become.
const MAX_OPERATIONS: usize = 800;
/// What a call counts.
const CALL: usize = 40;

/// Marks the loops of a function.
pub fn short_loops(function: &mut Function, around: Surroundings<'_>) {
    let graph = Graph::new(function);
    let headers: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block)).collect();
    if headers.is_empty() {
        return;
    }
    // What earlier passes left without use is no work.
    super::dead_code(function);
    let is_short = |header: &Block| is_worth_it(function, &graph, around, *header);
    for header in headers.into_iter().filter(is_short).collect::<Vec<_>>() {
        let inst = Inst(function.insts.len() as u32);
        let block = &mut function.blocks[header.0 as usize];
        let span = block.insts.first().map_or(function.span, |inst| function.insts[inst.0 as usize].span);
        block.insts.insert(0, inst);
        function.insts.push(InstData { op: Op::Unroll(Unrolling::All), results: Vec::new(), span });
    }
}

/// An innermost loop that counts, and does not say itself how it is unrolled.
pub(super) struct Counted {
    /// The header first.
    pub(super) blocks: Vec<Block>,
    counter: Counter,
    /// What is a number in each round.
    pub(super) known: FxHashSet<Value>,
    /// The registers that a round works on, without what is known.
    operations: usize,
}

impl Counted {
    pub(super) fn of(function: &Function, graph: &Graph, machine: &Machine, header: Block) -> Option<Counted> {
        let inside = graph.natural_loop(header)?;
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        let insts = || blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        let data = || insts().map(|inst| &function.insts[inst.0 as usize]);
        let is_innermost = blocks.iter().all(|&block| graph.innermost_loop(block) == Some(header));
        if !is_innermost || data().any(|data| matches!(data.op, Op::Unroll(_))) {
            return None;
        }
        let counter = counter(function, graph, header)?;
        let known = known_values(function, graph, &blocks, header);
        let operations = data().filter(|data| !is_known(&known, data)).map(|data| cost(function, machine, data)).sum();
        Some(Counted { blocks, counter, known, operations })
    }

    /// How many rounds there are, if all of them work on so many registers at most. What is the same in all of them is worked on once.
    pub(super) fn rounds_within(&self, function: &Function, machine: &Machine, operations: usize) -> Option<usize> {
        let rounds = rounds(self.counter)?;
        let fits = rounds * self.operations <= operations
            // Few operations have few accesses to compare with each other.
            || self.operations <= operations && {
                let once = self.once(function, machine);
                rounds * (self.operations - once) + once <= operations
            };
        fits.then_some(rounds)
    }

    /// The registers of what is the same in all rounds.
    fn once(&self, function: &Function, machine: &Machine) -> usize {
        let varying = varying(function, &self.blocks);
        let insts = self.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        let data = insts.map(|inst| &function.insts[inst.0 as usize]).filter(|data| !is_known(&self.known, data));
        let is_same = |data: &&InstData| !data.results.is_empty() && data.results.iter().all(|result| !varying.contains(result));
        data.filter(is_same).map(|data| cost(function, machine, data)).sum()
    }
}

/// Is what it computes a number in each round?
fn is_known(known: &FxHashSet<Value>, data: &InstData) -> bool {
    !data.results.is_empty() && data.results.iter().all(|result| known.contains(result))
}

fn is_worth_it(function: &Function, graph: &Graph, around: Surroundings<'_>, header: Block) -> bool {
    let Some(counted) = Counted::of(function, graph, around.machine, header) else { return false };
    // The number of rounds is looked for last, since it is counted.
    decides(function, around, &counted.blocks, &counted.known, counted.counter)
        && counted.rounds_within(function, around.machine, MAX_OPERATIONS).is_some()
}

/// What may be another value in each round of a loop.
fn varying(function: &Function, blocks: &[Block]) -> FxHashSet<Value> {
    let blocks = || blocks.iter().map(|block| &function.blocks[block.0 as usize]);
    let ops = || blocks().flat_map(|block| &block.insts).map(|inst| &function.insts[inst.0 as usize].op);
    let writes: Vec<&Op> = ops().filter(|op| op.has_effect()).collect();
    let mut varying: FxHashSet<Value> = blocks().flat_map(|block| block.parameters.iter().copied()).collect();
    for inst in blocks().flat_map(|block| &block.insts) {
        let InstData { op, results, .. } = &function.insts[inst.0 as usize];
        let mut varies = op.has_effect();
        op.for_each(|operand| varies |= varying.contains(&operand));
        if let Op::Load { pointer, .. } | Op::StridedLoad { pointer, .. } | Op::Gather { pointers: pointer, .. } = op {
            varies |= writes.iter().any(|op| may_write(function, op, *pointer));
        }
        if varies {
            varying.extend(results);
        }
    }
    varying
}

/// So many registers an operation works on.
fn cost(function: &Function, machine: &Machine, data: &InstData) -> usize {
    let registers = |value: Value| {
        let ty = function.ty(value);
        machine.registers_of(ty.element.size(), ty.length)
    };
    match &data.op {
        // Addresses count where they are accessed.
        Op::Const(_) | Op::Unset | Op::SlotAddress(_) | Op::GlobalAddress(_) | Op::Nowhere(_) => 0,
        Op::PtrIndex { .. } | Op::PtrOffset(..) => 0,
        Op::Call(..) | Op::Parallel { .. } | Op::Print { .. } | Op::Check { .. } => CALL,
        Op::Store { value, .. } | Op::Scatter { pointers: value, .. } | Op::PackedStore { value, .. } => registers(*value),
        _ => data.results.iter().map(|&result| registers(result)).sum::<usize>().max(1),
    }
}

/// A parameter of a header that starts at a constant, and that the test of the header compares with one.
#[derive(Clone, Copy)]
struct Counter {
    /// The condition under which there is another round.
    test: Value,
    op: CompareOp,
    start: i64,
    step: i64,
    limit: i64,
    bits: u32,
}

fn counter(function: &Function, graph: &Graph, header: Block) -> Option<Counter> {
    let data = &function.blocks[header.0 as usize];
    let Terminator::Branch { condition: test, then, .. } = &data.terminator else { return None };
    let Some(&Op::Compare(op, value, limit)) = function.definition(*test) else { return None };
    let index = data.parameters.iter().position(|&parameter| parameter == value)?;
    if function.ty(value).length != 1 || graph.innermost_loop(then.block) != Some(header) {
        return None;
    }
    let bits = function.ty(value).element.bits();
    let constant = |value: Value| match function.definition(value) {
        Some(Op::Const(lanes)) => Some((lanes[0] << (64 - bits)) as i64 >> (64 - bits)),
        _ => None,
    };
    let (mut start, mut step) = (None, None);
    for &from in &graph.predecessors[header.0 as usize] {
        for target in function.blocks[from.0 as usize].terminator.targets().filter(|target| target.block == header) {
            let argument = target.arguments[index];
            let (place, found) = if graph.is_back_edge(from, header) {
                let (from, by) = match *function.definition(argument)? {
                    Op::Binary(BinaryOp::Add, a, b) => (a, constant(b)?),
                    Op::Binary(BinaryOp::Sub, a, b) => (a, constant(b)?.wrapping_neg()),
                    _ => return None,
                };
                (&mut step, (from == value).then_some(by)?)
            } else {
                (&mut start, constant(argument)?)
            };
            if place.replace(found).is_some_and(|before| before != found) {
                return None;
            }
        }
    }
    Some(Counter { test: *test, op, start: start?, step: step?, limit: constant(limit)?, bits })
}

/// How many rounds there are, if they are not too many.
fn rounds(counter: Counter) -> Option<usize> {
    let unsigned = |value: i64| value as u64 & (u64::MAX >> (64 - counter.bits));
    let mut now = counter.start;
    for rounds in 0..=MAX_ROUNDS {
        let (a, b) = (unsigned(now), unsigned(counter.limit));
        let goes_on = match counter.op {
            CompareOp::Eq => now == counter.limit,
            CompareOp::Ne => now != counter.limit,
            CompareOp::SLt => now < counter.limit,
            CompareOp::SLe => now <= counter.limit,
            CompareOp::SGt => now > counter.limit,
            CompareOp::SGe => now >= counter.limit,
            CompareOp::ULt => a < b,
            CompareOp::ULe => a <= b,
            CompareOp::UGt => a > b,
            CompareOp::UGe => a >= b,
            CompareOp::FEq | CompareOp::FNe | CompareOp::FLt | CompareOp::FLe | CompareOp::FGt | CompareOp::FGe => return None,
        };
        if !goes_on {
            return (rounds > 1).then_some(rounds);
        }
        let shift = 64 - counter.bits;
        now = (now.wrapping_add(counter.step) << shift) >> shift;
    }
    None
}

/// What is a number in each round, once the rounds are written out: parameters of the header that begin as numbers and become such, and
/// what is computed from them and constants alone.
fn known_values(function: &Function, graph: &Graph, blocks: &[Block], header: Block) -> FxHashSet<Value> {
    let is_constant = |value: Value| function.ty(value).length == 1 && matches!(function.definition(value), Some(Op::Const(_)));
    // The arguments that a block is given from outside of the loop, or from within.
    let arguments = |of: Block, index: usize, is_within: bool| {
        graph.predecessors[of.0 as usize]
            .iter()
            .filter(move |from| blocks.contains(from) == is_within)
            .flat_map(|from| function.blocks[from.0 as usize].terminator.targets())
            .filter(move |target| target.block == of)
            .map(move |target| target.arguments[index])
    };
    let mut assumed: Vec<(usize, Value)> = function.blocks[header.0 as usize].parameters.iter().copied().enumerate().collect();
    assumed.retain(|&(index, _)| arguments(header, index, false).all(is_constant));
    loop {
        let mut known: FxHashSet<Value> = assumed.iter().map(|&(_, value)| value).collect();
        // Is it known which way the round goes?
        let mut is_decided = true;
        for &block in blocks {
            let data = &function.blocks[block.0 as usize];
            if block != header && is_decided {
                for (index, &parameter) in data.parameters.iter().enumerate() {
                    if arguments(block, index, true).all(|value| known.contains(&value) || is_constant(value)) {
                        known.insert(parameter);
                    }
                }
            }
            for &inst in &data.insts {
                let InstData { op, results, .. } = &function.insts[inst.0 as usize];
                let (mut all, mut any) = (true, false);
                op.for_each(|value| {
                    any |= known.contains(&value);
                    all &= known.contains(&value) || matches!(function.definition(value), Some(Op::Const(_)));
                });
                let is_memory =
                    matches!(op, Op::Load { .. } | Op::StreamingLoad { .. } | Op::Gather { .. } | Op::StridedLoad { .. });
                if any && all && !is_memory && !op.has_effect() {
                    known.extend(results);
                }
            }
            if let Terminator::Branch { condition, .. } = &data.terminator {
                is_decided &= known.contains(condition) || is_constant(*condition);
            }
        }
        let before = assumed.len();
        assumed.retain(|&(index, _)| {
            let mut next = arguments(header, index, true);
            let first = next.next();
            let is_known = |value: Value| known.contains(&value) || is_constant(value);
            first.is_some_and(|first| is_known(first) && next.all(|value| value == first || (is_decided && is_known(value))))
        });
        if assumed.len() == before {
            return known;
        }
    }
}

/// Is something of the loop decided by what is known in each round?
fn decides(function: &Function, around: Surroundings<'_>, blocks: &[Block], known: &FxHashSet<Value>, counter: Counter) -> bool {
    for block in blocks {
        let data = &function.blocks[block.0 as usize];
        for &inst in &data.insts {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let is = |value: &Value| known.contains(value);
            let decided = match op {
                Op::Compare(..) => results[0] != counter.test && has_known(op, known),
                Op::Binary(BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr | BinaryOp::And, _, b) => is(b),
                Op::Binary(BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem, ..) => has_known(op, known),
                Op::Convert(ConvertOp::SToF | ConvertOp::UToF, a) => is(a),
                Op::Select(c, ..) => is(c),
                Op::Extract(_, lane) | Op::Insert(_, _, lane) => is(lane),
                Op::Permute(_, lanes) | Op::Permute2(_, _, lanes) => is(lanes),
                Op::PtrIndex { base, index, .. } if is(index) => match function.definition(*base) {
                    Some(Op::SlotAddress(_)) => true,
                    Some(Op::GlobalAddress(global)) => around.globals[global.0 as usize].bytes.is_some(),
                    _ => false,
                },
                _ => false,
            };
            if decided {
                return true;
            }
        }
        if let Terminator::Branch { condition, .. } = &data.terminator
            && *condition != counter.test
            && known.contains(condition)
        {
            return true;
        }
    }
    false
}

/// Is one of the operands known?
fn has_known(op: &Op, known: &FxHashSet<Value>) -> bool {
    let mut any = false;
    op.for_each(|value| any |= known.contains(&value));
    any
}
