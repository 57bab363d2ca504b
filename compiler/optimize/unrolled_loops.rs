//! Loops over the members of what lanes have, written out: then each member is known by its number.
//!
//! ```text
//! block1(c):                                  a = gather (ptrindex p, 4·i + 0)
//!     branch c < 3, block2, block3            scatter (ptrindex o, 4·i + 0), f a
//! block2:                              ──►    a = gather (ptrindex p, 4·i + 1)
//!     a = gather (ptrindex p, 4·i + c)        scatter (ptrindex o, 4·i + 1), f a
//!     scatter (ptrindex o, 4·i + c), f a      a = gather (ptrindex p, 4·i + 2)
//!     jump block1(c + 1)                      scatter (ptrindex o, 4·i + 2), f a
//! ```
//! Here and not in LLVM, since the passes behind this one put loads and stores of neighbouring members together
//! ([`interleaved_loads`](super::interleaved_loads), [`interleaved_stores`](super::interleaved_stores)), and know what a sum of few numbers
//! may be ([`narrow_arithmetic`](super::narrow_arithmetic)). Unrolled are innermost loops of few rounds with one way in, one way on and
//! one way out: those that lanes go through at a distance from each other, those that add up integers or combine them otherwise, as the
//! greatest of nine neighbours, and those that store or load lanes in parts of a local array, which are registers from then on. Another loop that lanes go along
//! with, as that of a `foreach`, is left alone.

use super::addresses::Address;
use super::control_flow;
use super::copied_blocks::copied_blocks;
use super::memory_access::Forms;
use super::partial_reductions::is_any_order;
use super::short_loops::Counted;
use super::surroundings::Surroundings;
use super::transposed_loads::ROW;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many rounds are written out.
const MAX_ROUNDS: usize = 9;
/// So many operations on registers they may become.
const MAX_OPERATIONS: usize = 600;
/// So many instructions a function may become.
const MAX_INSTS: usize = 4000;
/// Lanes that are further apart, in elements, are not put together.
const MAX_DISTANCE: u64 = 8;
/// Records of so many bytes at most are put together; longer ones are rows, through which a loop may as well go, but through parts of them that are as long.
const MAX_RECORD: u64 = 32;

/// Writes out loops of a function.
pub fn unrolled_loops(function: &mut Function, around: Surroundings<'_>) {
    let mut is_changed = false;
    loop {
        let graph = Graph::new(function);
        let headers = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block));
        let plan = headers.rev().find_map(|header| {
            let (plan, counted) = Plan::of(function, &graph, around, header, MAX_ROUNDS)?;
            plan.is_worth_it(function, &counted).then_some(plan)
        });
        let Some(plan) = plan.filter(|_| function.insts.len() < MAX_INSTS) else { break };
        plan.write(function, around, &mut FxHashSet::default());
        is_changed = true;
    }
    if is_changed {
        control_flow(function);
    }
}

/// A loop that can be written out.
pub(super) struct Plan {
    header: Block,
    /// Who comes to it from outside.
    from: Block,
    /// The header first.
    pub(super) blocks: Vec<Block>,
    pub(super) rounds: usize,
    /// The parameters of the header in the first round.
    start: Vec<Value>,
}

impl Plan {
    /// Of the innermost loop of a header, if it has so many rounds at most.
    pub(super) fn of(
        function: &Function,
        graph: &Graph,
        around: Surroundings<'_>,
        header: Block,
        most: usize,
    ) -> Option<(Plan, Counted)> {
        let counted = Counted::of(function, graph, around.machine, header)?;
        let mut plan = Plan::around(function, graph, header, counted.blocks.clone())?;
        plan.rounds = counted.rounds_within(function, around.machine, MAX_OPERATIONS).filter(|&rounds| rounds <= most)?;
        Some((plan, counted))
    }

    /// Of a loop, whatever is in it, if it is known how many rounds it has, and these are so many at most.
    pub(super) fn of_known_rounds(function: &Function, graph: &Graph, header: Block, most: usize) -> Option<Plan> {
        let inside = graph.natural_loop(header)?;
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        let plan = Plan::around(function, graph, header, blocks)?;
        let latch = graph.predecessors[header.0 as usize].iter().find(|&&from| graph.is_back_edge(from, header))?;
        let next = function.blocks[latch.0 as usize].terminator.targets().find(|target| target.block == header)?;
        let data = &function.blocks[header.0 as usize];
        let Terminator::Branch { condition, then, .. } = &data.terminator else { return None };
        let (mut given, mut told) = (&plan.start, FxHashMap::default());
        // What the header is given, as far as it is known, from round to round.
        for rounds in 0..=most {
            let known = |value: &Value| function.constant_where(*value, &told);
            told = data.parameters.iter().zip(given).filter_map(|(&own, value)| Some((own, known(value)?))).collect();
            let goes_then = function.constant_where(*condition, &told)?[0] & 1 == 1;
            if goes_then != inside[then.block.0 as usize] {
                return Some(Plan { rounds, ..plan });
            }
            given = &next.arguments;
        }
        None
    }

    /// Of the blocks of a loop, header first, with one way in, one way on, and one way out, from the header; of no round yet.
    fn around(function: &Function, graph: &Graph, header: Block, blocks: Vec<Block>) -> Option<Plan> {
        let is_inside = |block: Block| blocks.contains(&block);
        let (outside, back): (Vec<Block>, Vec<Block>) =
            graph.predecessors[header.0 as usize].iter().copied().partition(|from| !is_inside(*from));
        let leaves = |block: &&Block| {
            let mut targets = function.blocks[block.0 as usize].terminator.targets();
            targets.any(|target| !is_inside(target.block))
        };
        let ([from], [_], [leaving]) = (&outside[..], &back[..], &blocks.iter().filter(leaves).collect::<Vec<_>>()[..]) else {
            return None;
        };
        if **leaving != header {
            return None;
        }
        let entry = function.blocks[from.0 as usize].terminator.targets().find(|target| target.block == header)?;
        let (from, start) = (*from, entry.arguments.clone());
        Some(Plan { header, from, blocks, rounds: 0, start })
    }

    fn is_worth_it(&self, function: &Function, counted: &Counted) -> bool {
        let insts = || self.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        goes_through_members(function, &counted.known, self.rounds, insts())
            || combines(function, self.header, insts())
            || insts().any(|&inst| keeps_part(function, &counted.known, inst))
    }

    /// Each round is a copy of the blocks; behind the last one stands the header, with nothing to decide. The copies of what is watched are watched, too.
    pub(super) fn write(self, function: &mut Function, around: Surroundings<'_>, watched: &mut FxHashSet<Value>) {
        let header = self.header;
        let inside: FxHashSet<Block> = self.blocks.iter().copied().collect();
        let Terminator::Branch { condition: _, then, otherwise } = function.blocks[header.0 as usize].terminator.clone() else {
            unreachable!("the header of a counted loop decides")
        };
        let (into, out) = if inside.contains(&then.block) { (then, otherwise) } else { (otherwise, then) };
        let mut arguments = self.start.clone();
        // Who jumps to the next round, and by which block it is known there.
        let (mut from, mut to) = (self.from, header);
        for _ in 0..self.rounds {
            let (copies, same) = copied_blocks(function, &self.blocks, |_| false, |_| ());
            watched.extend(watched.iter().filter_map(|value| same.get(value).copied()).collect::<Vec<_>>());
            let place: FxHashMap<Block, Block> = self.blocks.iter().copied().zip(copies.iter().copied()).collect();
            let top = place[&header];
            // What a round is given stands in it.
            let mut given: FxHashMap<Value, Value> = FxHashMap::default();
            given.extend(std::mem::take(&mut function.blocks[top.0 as usize].parameters).into_iter().zip(arguments));
            let in_it = |value: &Value| *same.get(value).unwrap_or(value);
            let first = Target { block: place[&into.block], arguments: into.arguments.iter().map(in_it).collect() };
            function.blocks[top.0 as usize].terminator = Terminator::Jump(first);
            redirect(function, from, to, Target { block: top, arguments: Vec::new() });
            copies.iter().for_each(|&block| known_here(function, around, block, &given));
            let goes_on =
                |block: &&Block| function.blocks[block.0 as usize].terminator.targets().any(|target| target.block == top);
            (from, to) = (*copies.iter().find(goes_on).expect("a round goes on"), top);
            let mut targets = function.blocks[from.0 as usize].terminator.targets();
            arguments = targets.find(|target| target.block == top).expect("that is why").arguments.clone();
        }
        redirect(function, from, to, Target { block: header, arguments });
        function.blocks[header.0 as usize].terminator = Terminator::Jump(out);
    }
}

/// Who came to a block from another one comes elsewhere.
fn redirect(function: &mut Function, from: Block, to: Block, elsewhere: Target) {
    let targets = function.blocks[from.0 as usize].terminator.targets_mut();
    targets.filter(|target| target.block == to).for_each(|target| *target = elsewhere.clone());
}

/// Puts what parameters are given into a block, and numbers where numbers are computed; branches that are decided are jumps.
fn known_here(function: &mut Function, around: Surroundings<'_>, block: Block, given: &FxHashMap<Value, Value>) {
    let replace = |value: &mut Value| *value = *given.get(value).unwrap_or(value);
    for inst in function.blocks[block.0 as usize].insts.clone() {
        function.insts[inst.0 as usize].op.for_each_mut(replace);
        if let [result] = function.insts[inst.0 as usize].results[..]
            && let Some(bits) = known(function, around, inst, result)
        {
            function.insts[inst.0 as usize].op = Op::Const(bits);
        }
    }
    function.blocks[block.0 as usize].terminator.for_each_mut(replace);
    if let Terminator::Branch { condition, then, otherwise } = &function.blocks[block.0 as usize].terminator
        && let Some(bits) = function.constant(*condition)
    {
        let target = if bits[0] & 1 == 1 { then.clone() } else { otherwise.clone() };
        function.blocks[block.0 as usize].terminator = Terminator::Jump(target);
    }
}

/// Puts numbers where numbers are computed in a function; branches that are decided are jumps.
pub(super) fn known_everywhere(function: &mut Function, around: Surroundings<'_>) {
    (0..function.blocks.len() as u32).for_each(|block| known_here(function, around, Block(block), &FxHashMap::default()));
}

/// What an instruction computes or loads, if that is known.
fn known(function: &Function, around: Surroundings<'_>, inst: Inst, result: Value) -> Option<Vec<u64>> {
    let computed = if function.ty(result).length == 1 { function.constant(result) } else { None };
    computed.or_else(|| loaded(function, around, inst))
}

/// What is loaded from a global that keeps its first contents, at a place that is known.
fn loaded(function: &Function, around: Surroundings<'_>, inst: Inst) -> Option<Vec<u64>> {
    let InstData { op: Op::Load { pointer, mask: None }, results, .. } = &function.insts[inst.0 as usize] else { return None };
    let (root, first) = Address::of(function, *pointer).constant()?;
    let Some(Op::GlobalAddress(global)) = function.definition(root) else { return None };
    let global = around.globals.get(global.0 as usize).filter(|global| global.is_const)?;
    let (ty, first) = (function.ty(results[0]), u64::try_from(first).ok()?);
    let size = ty.element.size();
    (0..u64::from(ty.length)).map(|lane| global.bits(first.checked_add(lane * size)?, size)).collect()
}

/// Do lanes that are a few elements apart read or write what the counter says, or lanes in rows of their own a few elements of these?
fn goes_through_members<'a>(
    function: &Function,
    known: &FxHashSet<Value>,
    rounds: usize,
    insts: impl Iterator<Item = &'a Inst> + Clone,
) -> bool {
    let goes_along = |inst: &Inst| match function.insts[inst.0 as usize].op {
        Op::Ramp { base, .. } => known.contains(&base),
        _ => false,
    };
    if insts.clone().any(goes_along) {
        return false;
    }
    let mut forms = Forms::default();
    insts.into_iter().any(|inst| {
        let (pointers, value) = match &function.insts[inst.0 as usize] {
            InstData { op: Op::Gather { pointers, .. }, results, .. } => (*pointers, results[0]),
            InstData { op: Op::Scatter { pointers, value, .. }, .. } => (*pointers, *value),
            _ => return false,
        };
        let size = function.ty(value).element.size();
        let is_part = (ROW..=MAX_RECORD).contains(&(rounds as u64 * size));
        let is_apart =
            |stride: u64| (size + 1..=MAX_RECORD.min(MAX_DISTANCE * size)).contains(&stride) || is_part && stride >= ROW;
        forms.of(function, pointers).is_some_and(|form| form.pace.is_none() && is_apart(form.stride.unsigned_abs()))
    })
}

/// Does it store or load lanes in a part of a local array that the counter says?
fn keeps_part(function: &Function, known: &FxHashSet<Value>, inst: Inst) -> bool {
    let data = &function.insts[inst.0 as usize];
    let (pointer, value) = match data.op {
        Op::Scatter { pointers: pointer, value, .. } | Op::Store { pointer, value, .. } => (pointer, value),
        Op::Gather { pointers: pointer, .. } | Op::Load { pointer, .. } => (pointer, data.results[0]),
        _ => return false,
    };
    let (mut pointer, mut is_counted) = (pointer, false);
    while let Some(&(Op::PtrOffset(base, _) | Op::PtrIndex { base, .. })) = function.definition(pointer) {
        if let Some(&Op::PtrIndex { mut index, .. }) = function.definition(pointer) {
            while let Some(&(Op::Convert(ConvertOp::SExt, of) | Op::Ramp { base: of, .. })) = function.definition(index) {
                index = of;
            }
            is_counted |= known.contains(&index);
        }
        pointer = base;
    }
    is_counted && function.ty(value).length > 1 && matches!(function.definition(pointer), Some(Op::SlotAddress(_)))
}

/// Do rounds combine the integers of lanes, to a sum, or to the greatest of them?
fn combines<'a>(function: &Function, header: Block, mut insts: impl Iterator<Item = &'a Inst>) -> bool {
    let sums: Vec<Value> = function.blocks[header.0 as usize].parameters.clone();
    let is_sum = |value: Value| sums.contains(&value) && function.ty(value).length > 1 && function.ty(value).element.is_int();
    insts.any(|inst| match function.insts[inst.0 as usize].op {
        Op::Binary(op, a, b) => (op == BinaryOp::Sub || is_any_order(op)) && (is_sum(a) || is_sum(b)),
        _ => false,
    })
}
