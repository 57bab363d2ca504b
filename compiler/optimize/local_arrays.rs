//! Local arrays whose places are known when the loops around them are written out are values.
//!
//! ```text
//!     slot0 size=12                               x0 = load a
//! block1(k):                                      x1 = load a + 4
//!     branch k < 3, block2, block3                x2 = load a + 8
//! block2:                                         y = sub x2, x1
//!     x = load a + 4 · k                  ──►     store o, y
//!     store slotaddress slot0 + 4 · k, x
//!     jump block1(k + 1)
//! block3:
//!     x = load slotaddress slot0 + 8
//!     …
//! ```
//! The nine neighbours that are sorted, the row of a matrix that is eliminated, the digits of a number: who writes them down in an array goes through it
//! by loops, of which one may begin or end where an outer one is. What is in registers may be lanes later, what is in memory in the order in which it
//! is accessed is not.
//!
//! Written out are, from outside in, the loops on which the places of a slot's accesses depend, until each access has one place. It is done with a copy of the
//! function, which is dropped where a loop has no known number of rounds, where there are too many instructions, or where a place is not known then.

use super::slot_values::slot_values;
use super::slots::Slots;
use super::unrolled_loops::{Plan, known_here};
use super::vectorized_rounds::become_lanes;
use super::{Surroundings, common_values, control_flow};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop of more rounds is not written out.
const MAX_ROUNDS: usize = 64;
/// So many instructions a function may have by that, besides constants.
const MAX_INSTS: usize = 2500;
/// Rounds over so many bytes are lanes of whole registers.
const WHOLE: u64 = 16;

/// Makes values of the local arrays of a function.
pub fn local_arrays(function: &mut Function, around: Surroundings<'_>) {
    let mut is_changed = false;
    for slot in (0..function.slots.len() as u32).map(Slot) {
        if let Some(made) = with_known_places(function, around, slot) {
            *function = made;
            is_changed = true;
        }
    }
    if is_changed {
        slot_values(function);
        common_values(function);
        control_flow(function);
    }
}

/// The function with the loops written out that the places of a slot depend on, and those in them, if there are some and each access has one place then.
fn with_known_places(function: &Function, around: Surroundings<'_>, slot: Slot) -> Option<Function> {
    let graph = Graph::new(function);
    let indices: Vec<Value> = accesses(function, &graph, slot)?.into_iter().flat_map(|p| unknown_indices(function, p)).collect();
    let headers = headers_of(function, &graph, around, indices)?;
    if are_whole_lanes(function, &graph, around, slot) {
        return None;
    }
    // A loop is known by what it counts with, since blocks are numbered anew.
    let mut counters: FxHashSet<Value> = FxHashSet::default();
    for &header in &headers {
        let inside = graph.natural_loop(header)?;
        let is_header = |block: &&Block| inside[block.0 as usize] && graph.innermost_loop(**block) == Some(**block);
        counters.extend(graph.order.iter().filter(is_header).flat_map(|block| &function.blocks[block.0 as usize].parameters));
    }
    let mut made: Option<Function> = None;
    loop {
        let now = made.as_ref().unwrap_or(function);
        let graph = Graph::new(now);
        // Outer loops come first.
        let is_left = |block: &Block| {
            graph.innermost_loop(*block) == Some(*block)
                && now.blocks[block.0 as usize].parameters.iter().any(|parameter| counters.contains(parameter))
        };
        let Some(header) = graph.order.iter().copied().find(is_left) else {
            return made.filter(|made| are_parts(made, &graph, slot));
        };
        match written_out(now, &graph, header)? {
            Some(plan) => {
                let next = made.get_or_insert_with(|| function.clone());
                plan.write(next, around, &mut counters);
                control_flow(next);
                (0..next.blocks.len() as u32).for_each(|block| known_here(next, around, Block(block), &FxHashMap::default()));
            }
            // It may be one of those inside, on which no place depends.
            None => now.blocks[header.0 as usize].parameters.iter().for_each(|parameter| {
                counters.remove(parameter);
            }),
        }
    }
}

/// The pointers of loads and stores of a slot; `None` if its address is used for something else.
fn accesses(function: &Function, graph: &Graph, slot: Slot) -> Option<Vec<Value>> {
    let slots = Slots::of(function, graph);
    let mut found = Vec::new();
    for &inst in graph.order.iter().flat_map(|block| &function.blocks[block.0 as usize].insts) {
        match function.insts[inst.0 as usize].op {
            Op::Load { pointer, .. } | Op::Store { pointer, .. } if root(function, pointer) == Some(slot) => {
                slots.place(pointer)?;
                found.push(pointer);
            }
            _ => {}
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The slot that an address is counted from.
fn root(function: &Function, mut pointer: Value) -> Option<Slot> {
    loop {
        match *function.definition(pointer)? {
            Op::SlotAddress(slot) => return Some(slot),
            Op::PtrOffset(base, _) | Op::PtrIndex { base, .. } => pointer = base,
            _ => return None,
        }
    }
}

/// Has each access the place and the type of a part of its own?
fn are_parts(function: &Function, graph: &Graph, slot: Slot) -> bool {
    let slots = Slots::of(function, graph);
    let insts = graph.order.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
    insts.map(|inst| &function.insts[inst.0 as usize]).all(|data| {
        let (pointer, ty) = match data.op {
            Op::Load { pointer, .. } => (pointer, function.ty(data.results[0])),
            Op::Store { pointer, value, .. } => (pointer, function.ty(value)),
            _ => return true,
        };
        root(function, pointer) != Some(slot)
            || slots.fixed_place(pointer).is_some_and(|place| slots.is_inside(function, place, ty) && slots.is_a_part(place, ty))
    })
}

/// Are the elements of a slot accessed by loops alone whose rounds become lanes as they are, of which nothing is left behind whole registers?
fn are_whole_lanes(function: &Function, graph: &Graph, around: Surroundings<'_>, slot: Slot) -> bool {
    let mut known: FxHashMap<Block, Option<usize>> = FxHashMap::default();
    let mut rounds_of = |header: Block| {
        *known.entry(header).or_insert_with(|| {
            let plan = Plan::of_known_rounds(function, graph, header, MAX_ROUNDS)?;
            become_lanes(function, graph, around, header).then_some(plan.rounds)
        })
    };
    graph.order.iter().all(|&block| {
        let insts = &function.blocks[block.0 as usize].insts;
        insts.iter().map(|inst| &function.insts[inst.0 as usize]).all(|data| {
            let (pointer, ty) = match data.op {
                Op::Load { pointer, .. } => (pointer, function.ty(data.results[0])),
                Op::Store { pointer, value, .. } => (pointer, function.ty(value)),
                _ => return true,
            };
            if root(function, pointer) != Some(slot) {
                return true;
            }
            // A single element of a register is looked for.
            if unknown_indices(function, pointer).is_empty() {
                return false;
            }
            let rounds = graph.innermost_loop(block).and_then(&mut rounds_of);
            rounds.is_some_and(|rounds| (rounds as u64 * ty.bytes()).is_multiple_of(WHOLE))
        })
    })
}

/// The indices in an address that are no numbers.
fn unknown_indices(function: &Function, mut pointer: Value) -> Vec<Value> {
    let mut found = Vec::new();
    while let Some(&(Op::PtrOffset(base, _) | Op::PtrIndex { base, .. })) = function.definition(pointer) {
        if let Some(&Op::PtrIndex { index, .. }) = function.definition(pointer)
            && function.constant(index).is_none()
        {
            found.push(index);
        }
        pointer = base;
    }
    found
}

/// The headers of the loops that say what some values are; `None` if something else than a loop, a choice of ways or a table of constants does.
fn headers_of(function: &Function, graph: &Graph, around: Surroundings<'_>, mut open: Vec<Value>) -> Option<FxHashSet<Block>> {
    let (mut seen, mut headers) = (FxHashSet::default(), FxHashSet::default());
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        match (function.values[value.0 as usize].def, function.definition(value)) {
            (ValueDef::Parameter(Block(0), _), _) => return None,
            (ValueDef::Parameter(block, index), _) => {
                // How often a loop counts says what it counts to.
                if graph.innermost_loop(block) == Some(block)
                    && headers.insert(block)
                    && let Terminator::Branch { condition, .. } = function.blocks[block.0 as usize].terminator
                {
                    open.push(condition);
                }
                for &from in &graph.predecessors[block.0 as usize] {
                    let targets = function.blocks[from.0 as usize].terminator.targets().filter(|target| target.block == block);
                    open.extend(targets.map(|target| target.arguments[index as usize]));
                }
            }
            (_, Some(&Op::Load { pointer, mask: None })) => {
                let mut base = pointer;
                while let Some(&(Op::PtrOffset(next, _) | Op::PtrIndex { base: next, .. })) = function.definition(base) {
                    base = next;
                }
                let Some(Op::GlobalAddress(global)) = function.definition(base) else { return None };
                around.globals.get(global.0 as usize).filter(|global| global.is_const)?;
                open.extend(unknown_indices(function, pointer));
            }
            (_, Some(Op::Const(_) | Op::Unary(..) | Op::Binary(..) | Op::Convert(..) | Op::Compare(..) | Op::Select(..))) => {
                function.definition(value)?.for_each(|operand| open.push(operand));
            }
            _ => return None,
        }
    }
    Some(headers)
}

/// How the loop of a header is written out: `Some(None)` if it is not known how many rounds it has, `None` if it becomes too much.
#[expect(clippy::option_option, reason = "a loop that stays is no failure")]
fn written_out(function: &Function, graph: &Graph, header: Block) -> Option<Option<Plan>> {
    // Who wrote the loop says himself how it is unrolled.
    let insts = &function.blocks[header.0 as usize].insts;
    let is_told = insts.iter().any(|inst| matches!(function.insts[inst.0 as usize].op, Op::Unroll(_)));
    let Some(plan) = Plan::of_known_rounds(function, graph, header, MAX_ROUNDS).filter(|_| !is_told) else { return Some(None) };
    let size = |blocks: &[Block]| {
        let insts = blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        insts.filter(|inst| !matches!(function.insts[inst.0 as usize].op, Op::Const(_))).count()
    };
    (size(&graph.order) + plan.rounds * size(&plan.blocks) <= MAX_INSTS).then_some(Some(plan))
}
