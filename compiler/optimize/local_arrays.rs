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
//! An element of which it is not known which one it is, `d[best]`, is chosen from all of few: what is loaded by comparing its number with each, what is stored likewise. That is
//! more work than to access memory, and done where the rounds around become lanes by it.
//!
//! Written out are, from outside in, the loops on which the places of a slot's accesses depend, until each access has one place. It is done with a copy of the
//! function, which is dropped where a loop has no known number of rounds, where there are too many instructions, or where a place is not known then.

use super::addresses::Address;
use super::slot_values::slot_values;
use super::slots::Slots;
use super::unrolled_loops::{Plan, known_everywhere};
use super::vectorized_rounds::become_lanes;
use super::{Surroundings, common_values, control_flow};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop of more rounds is not written out.
const MAX_ROUNDS: usize = 64;
/// So many instructions a function may have by that, besides constants.
const MAX_INSTS: usize = 2500;
/// An element is chosen from so many, by so many accesses.
const MAX_CHOICES: u64 = 8;
const MAX_CHOSEN: usize = 12;
/// Rounds over so many bytes are lanes of whole registers.
const WHOLE: u64 = 16;

/// Makes values of the local arrays of a function.
pub fn local_arrays(function: &mut Function, around: Surroundings<'_>) {
    // What is too long already becomes no shorter.
    if size(function, (0..function.blocks.len() as u32).map(Block)) > MAX_INSTS {
        return;
    }
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

/// The function with the loops written out that the places of a slot depend on, and those in them, if there are some and each access has one place then, or is one of a choice.
fn with_known_places(function: &Function, around: Surroundings<'_>, slot: Slot) -> Option<Function> {
    let graph = Graph::new(function);
    let accesses = accesses(function, &graph, slot)?;
    let indices = accesses.iter().flat_map(|access| unknown_indices(function, access.pointer)).collect();
    let (headers, is_known) = headers_of(function, &graph, around, indices);
    let may_choose = || Choice::of(&accesses, function.slots[slot.0 as usize].size).is_some();
    if are_whole_lanes(function, &graph, around, &accesses) || !is_known && !may_choose() {
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
            let accesses = self::accesses(now, &graph, slot)?;
            return match are_parts(now, &graph, &accesses) {
                true => made,
                false => with_choices(now, &graph, around, slot, &accesses),
            };
        };
        match written_out(now, &graph, header)? {
            Some(plan) => {
                let next = made.get_or_insert_with(|| function.clone());
                plan.write(next, around, &mut counters);
                control_flow(next);
                known_everywhere(next, around);
            }
            // It may be one of those inside, on which no place depends.
            None => now.blocks[header.0 as usize].parameters.iter().for_each(|parameter| {
                counters.remove(parameter);
            }),
        }
    }
}

/// What the innermost loop around all accesses counts with.
fn loop_around(function: &Function, graph: &Graph, accesses: &[Access]) -> Option<Value> {
    let is_around = |header: Block| {
        let inside = graph.natural_loop(header);
        inside.is_some_and(|inside| accesses.iter().all(|access| inside[access.block.0 as usize]))
    };
    let is_header = |block: &&Block| graph.innermost_loop(**block) == Some(**block);
    let header = graph.order.iter().rev().filter(is_header).find(|header| is_around(**header))?;
    function.blocks[header.0 as usize].parameters.first().copied()
}

/// The function with the elements of a slot chosen whose places are not known, if the rounds of the loop around become lanes by that.
fn with_choices(
    function: &Function,
    graph: &Graph,
    around: Surroundings<'_>,
    slot: Slot,
    accesses: &[Access],
) -> Option<Function> {
    let choice = Choice::of(accesses, function.slots[slot.0 as usize].size)?;
    let outer = loop_around(function, graph, accesses)?;
    let mut made = function.clone();
    choice.write(&mut made, accesses)?;
    // Addresses that nobody needs any more may not look like those of elements.
    super::dead_code(&mut made);
    let graph = Graph::new(&made);
    if !are_parts(&made, &graph, &self::accesses(&made, &graph, slot)?) {
        return None;
    }
    let mut tried = made.clone();
    slot_values(&mut tried);
    control_flow(&mut tried);
    let ValueDef::Parameter(header, _) = tried.values[outer.0 as usize].def else { return None };
    let graph = Graph::new(&tried);
    let is_loop = tried.blocks.get(header.0 as usize)?.parameters.contains(&outer) && graph.natural_loop(header).is_some();
    (is_loop && become_lanes(&tried, &graph, around, header)).then_some(made)
}

/// The elements of a slot that an access chooses from.
struct Choice {
    ty: Type,
    count: u64,
}

impl Choice {
    /// Numbers of one type that a slot of so many bytes has few of.
    fn of(accesses: &[Access], bytes: u64) -> Option<Choice> {
        let ty = accesses.first()?.ty;
        let count = bytes / ty.bytes();
        let is_alike = |access: &Access| access.ty == ty && access.is_plain;
        (ty.length == 1 && count <= MAX_CHOICES && accesses.iter().all(is_alike)).then_some(Choice { ty, count })
    }

    /// Writes a choice for each access of which it is not known where it is.
    fn write(&self, function: &mut Function, accesses: &[Access]) -> Option<()> {
        let unknown: Vec<&Access> =
            accesses.iter().filter(|access| !unknown_indices(function, access.pointer).is_empty()).collect();
        if unknown.len() > MAX_CHOSEN {
            return None;
        }
        for access in unknown {
            let (array, index, first) = self.element(function, access.pointer)?;
            let InstData { op, results, span } = function.insts[access.inst.0 as usize].clone();
            let block = access.block.0 as usize;
            let at = function.blocks[block].insts.iter().position(|inst| *inst == access.inst)?;
            let mut out = Vec::new();
            let mut writer = Writer { function, out: &mut out, span };
            let (ty, bool) = (writer.function.ty(index), Type::scalar(Element::Bool));
            let mut chosen: Option<Value> = None;
            for place in 0..self.count {
                let number = (place as i64).wrapping_sub(first) as u64 & (u64::MAX >> (64 - ty.element.bits()));
                let number = writer.emit(Op::Const(vec![number]), ty);
                let is_it = writer.emit(Op::Compare(CompareOp::Eq, index, number), bool);
                let pointer = writer.offset(array, (place * self.ty.bytes()) as i64);
                let now = writer.emit(Op::Load { pointer, mask: None }, self.ty);
                match op {
                    Op::Store { value, .. } => {
                        let value = writer.emit(Op::Select(is_it, value, now), self.ty);
                        writer.effect(Op::Store { pointer, value, mask: None, streaming: false });
                    }
                    _ => {
                        let other = chosen.map(|chosen| writer.emit(Op::Select(is_it, now, chosen), self.ty));
                        chosen = Some(other.unwrap_or(now));
                    }
                }
            }
            function.blocks[block].insts.splice(at..=at, out);
            if let ([result], Some(chosen)) = (&results[..], chosen) {
                function.replace_uses(&FxHashMap::from_iter([(*result, chosen)]));
            }
        }
        Some(())
    }

    /// The start of the slot, an index, and the element that is accessed where that is 0.
    fn element(&self, function: &Function, pointer: Value) -> Option<(Value, Value, i64)> {
        let &Op::PtrIndex { base, index, scale, offset } = function.definition(pointer)? else { return None };
        let (array, first) = Address::of(function, base).constant()?;
        let bytes = first.checked_add(offset)?;
        let size = self.ty.bytes();
        (scale == size && bytes % size as i64 == 0).then_some((array, index, bytes / size as i64))
    }
}

/// A load or a store of a slot.
struct Access {
    inst: Inst,
    block: Block,
    pointer: Value,
    ty: Type,
    /// Has it no mask?
    is_plain: bool,
}

/// The loads and stores of a slot; `None` if its address is used for something else.
fn accesses(function: &Function, graph: &Graph, slot: Slot) -> Option<Vec<Access>> {
    let slots = Slots::of(function, graph);
    let mut found = Vec::new();
    for &block in &graph.order {
        for &inst in &function.blocks[block.0 as usize].insts {
            let data = &function.insts[inst.0 as usize];
            let (pointer, ty, mask) = match data.op {
                Op::Load { pointer, mask } => (pointer, function.ty(data.results[0]), mask),
                Op::Store { pointer, value, mask, .. } => (pointer, function.ty(value), mask),
                _ => continue,
            };
            if matches!(base(function, pointer), Some(Op::SlotAddress(own)) if *own == slot) {
                slots.place(pointer)?;
                found.push(Access { inst, block, pointer, ty, is_plain: mask.is_none() });
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// What an address is counted from.
fn base(function: &Function, mut pointer: Value) -> Option<&Op> {
    while let Some(&(Op::PtrOffset(next, _) | Op::PtrIndex { base: next, .. })) = function.definition(pointer) {
        pointer = next;
    }
    function.definition(pointer)
}

/// Has each access the place and the type of a part of its own?
fn are_parts(function: &Function, graph: &Graph, accesses: &[Access]) -> bool {
    let slots = Slots::of(function, graph);
    accesses.iter().all(|&Access { pointer, ty, .. }| {
        let place = slots.fixed_place(pointer);
        place.is_some_and(|place| slots.is_inside(function, place, ty) && slots.is_a_part(place, ty))
    })
}

/// The header of the loop that the one of a header is in.
fn loop_outside(graph: &Graph, header: Block) -> Option<Block> {
    let mut headers = graph.order.iter().rev().filter(|&&block| block != header && graph.innermost_loop(block) == Some(block));
    headers.find(|&&outer| graph.natural_loop(outer).is_some_and(|inside| inside[header.0 as usize])).copied()
}

/// Are all accesses made by loops whose rounds become lanes as they are, or in one that does, of which nothing is left behind whole registers?
fn are_whole_lanes(function: &Function, graph: &Graph, around: Surroundings<'_>, accesses: &[Access]) -> bool {
    let mut known: FxHashMap<Block, Option<usize>> = FxHashMap::default();
    let mut rounds_of = |header: Block| {
        *known.entry(header).or_insert_with(|| {
            let plan = Plan::of_known_rounds(function, graph, header, MAX_ROUNDS)?;
            become_lanes(function, graph, around, header).then_some(plan.rounds)
        })
    };
    accesses.iter().all(|access| {
        // A single element of a register is looked for.
        if unknown_indices(function, access.pointer).is_empty() {
            return false;
        }
        let is_whole = |rounds: usize| (rounds as u64 * access.ty.bytes()).is_multiple_of(WHOLE);
        let Some(header) = graph.innermost_loop(access.block) else { return false };
        rounds_of(header).is_some_and(is_whole) || loop_outside(graph, header).and_then(&mut rounds_of).is_some_and(is_whole)
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

/// The headers of the loops that say what some values are, and whether nothing else does but choices of ways and tables of constants.
fn headers_of(function: &Function, graph: &Graph, around: Surroundings<'_>, mut open: Vec<Value>) -> (FxHashSet<Block>, bool) {
    let (mut seen, mut headers, mut is_known) = (FxHashSet::default(), FxHashSet::default(), true);
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        match (function.values[value.0 as usize].def, function.definition(value)) {
            (ValueDef::Parameter(Block(0), _), _) => is_known = false,
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
            (_, Some(&Op::Load { pointer, mask: None })) if is_in_table(function, around, pointer) => {
                open.extend(unknown_indices(function, pointer));
            }
            (
                _,
                Some(op @ (Op::Const(_) | Op::Unary(..) | Op::Binary(..) | Op::Convert(..) | Op::Compare(..) | Op::Select(..))),
            ) => op.for_each(|operand| open.push(operand)),
            _ => is_known = false,
        }
    }
    (headers, is_known)
}

/// Does an address lead into a global that keeps its first contents?
fn is_in_table(function: &Function, around: Surroundings<'_>, pointer: Value) -> bool {
    let Some(Op::GlobalAddress(global)) = base(function, pointer) else { return false };
    around.globals.get(global.0 as usize).is_some_and(|global| global.is_const)
}

/// How the loop of a header is written out: `Some(None)` if it is not known how many rounds it has, `None` if it becomes too much.
#[expect(clippy::option_option, reason = "a loop that stays is no failure")]
fn written_out(function: &Function, graph: &Graph, header: Block) -> Option<Option<Plan>> {
    // Who wrote the loop says himself how it is unrolled.
    let insts = &function.blocks[header.0 as usize].insts;
    let is_told = insts.iter().any(|inst| matches!(function.insts[inst.0 as usize].op, Op::Unroll(_)));
    let Some(plan) = Plan::of_known_rounds(function, graph, header, MAX_ROUNDS).filter(|_| !is_told) else { return Some(None) };
    let blocks = |blocks: &[Block]| size(function, blocks.iter().copied());
    (blocks(&graph.order) + plan.rounds * blocks(&plan.blocks) <= MAX_INSTS).then_some(Some(plan))
}

/// How many instructions some blocks have, besides constants.
fn size(function: &Function, blocks: impl Iterator<Item = Block>) -> usize {
    let insts = blocks.flat_map(|block| &function.blocks[block.0 as usize].insts);
    insts.filter(|inst| !matches!(function.insts[inst.0 as usize].op, Op::Const(_))).count()
}
