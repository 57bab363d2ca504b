//! Rounds of a loop that change nothing: they come back to the header with what they came with, but for the counter.
//!
//! ```text
//! block2:                                         quiet: block2, block4
//!     c = compare.flt x, best
//!     branch c, block3, block4(best, at)          the way from block2 to block3 is none of a quiet round
//! block3:
//!     jump block4(x, i)
//! block4(new, where):
//!     jump block1(i + 1, new, where)
//! ```
//! No quiet round leaves the loop, comes to a block that stores, calls or checks, or to another loop, or hands the header another value than it was handed. Where a choice
//! or an extreme makes that value, it is asked whether it is the same, bit by bit.

use super::super::jammed_loops::Counter;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// So many operations are looked through for what a condition depends on.
const DEPTH: u32 = 4;
/// And so many for whether it depends on that at all.
const FAR: u32 = 12;

/// What the quiet rounds of a loop do, and what tells them from others.
pub(super) struct Quiet {
    /// The blocks that they come to, in order, without the header.
    pub(super) blocks: Vec<Block>,
    /// The ways that they do not take, from one of these.
    pub(super) ways: Vec<(Block, Block)>,
    /// What a round makes of a parameter of the header: the same in quiet ones.
    pub(super) made: Vec<(Value, Value)>,
    /// The parameters of the header that other rounds change.
    carried: Vec<Value>,
    /// Is the loop left by the header alone, and calls nobody?
    pub(super) runs_to_its_end: bool,
}

impl Quiet {
    /// Those of a loop with these blocks, in order, of which the last one goes back; `None` if each round changes something.
    pub(super) fn of(function: &Function, graph: &Graph, header: Block, counter: &Counter, blocks: &[Block]) -> Option<Quiet> {
        let data = |block: Block| &function.blocks[block.0 as usize];
        let ways_from = |from: Block| data(from).terminator.targets().map(move |target| (from, target.block));
        let is_inside = |block: Block| blocks.contains(&block);
        let latch = *blocks.last()?;
        let leaving: Vec<(Block, Block)> =
            blocks.iter().flat_map(|&from| ways_from(from)).filter(|&(_, to)| to != header && !is_inside(to)).collect();
        let has_effect =
            |block: Block, of: fn(&Op) -> bool| data(block).insts.iter().any(|inst| of(&function.insts[inst.0 as usize].op));
        let calls = |op: &Op| op.has_effect() && !matches!(op, Op::Store { .. });
        let has_loops = |block: Block| graph.innermost_loop(block) != Some(header);
        let runs_to_its_end = leaving.is_empty()
            && !blocks.iter().any(|&block| has_loops(block))
            && !blocks.iter().any(|&block| has_effect(block, calls));
        let mut changing: FxHashSet<(Block, Block)> = leaving.into_iter().collect();

        let Terminator::Jump(back) = &data(latch).terminator else { return None };
        let (mut made, mut carried) = (Vec::new(), Vec::new());
        for (&parameter, &next) in data(header).parameters.iter().zip(&back.arguments) {
            if parameter != counter.value && parameter != next {
                carried.push(parameter);
                let element = function.ty(parameter).element;
                match function.definition(next) {
                    None => ways_that_change(function, header, blocks, parameter, next, &mut changing)?,
                    Some(Op::Select(..) | Op::Binary(BinaryOp::FMin | BinaryOp::FMax, ..))
                        if element.is_int() || element.is_float() =>
                    {
                        made.push((next, parameter));
                    }
                    Some(_) => return None,
                }
            }
        }

        // Who has an effect, or only ways that change something, is none of theirs; blocks come in order.
        for &block in blocks.iter().rev() {
            let goes_on = block == latch || ways_from(block).any(|way| !changing.contains(&way));
            if !goes_on || has_loops(block) || has_effect(block, Op::has_effect) {
                let all = [header].into_iter().chain(blocks.iter().copied()).flat_map(ways_from);
                changing.extend(all.filter(|(_, to)| *to == block));
            }
        }
        let mut reached = FxHashSet::from_iter([header]);
        for &block in blocks {
            let mut ways = graph.predecessors[block.0 as usize].iter().map(|&from| (from, block));
            if ways.any(|way| reached.contains(&way.0) && !changing.contains(&way)) {
                reached.insert(block);
            }
        }
        let own: Vec<Block> = blocks.iter().copied().filter(|block| reached.contains(block)).collect();
        let ways: Vec<(Block, Block)> =
            own.iter().flat_map(|&from| ways_from(from)).filter(|way| changing.contains(way)).collect();
        let is_told_apart = !ways.is_empty() || !made.is_empty();
        let is_there = reached.contains(&latch) && reached.contains(&counter.body);
        (is_there && is_told_apart).then_some(Quiet { blocks: own, ways, made, carried, runs_to_its_end })
    }

    /// Are most rounds likely to be quiet? The others leave the loop, or what they find is equal to something, or is compared with what
    /// was found before.
    pub(super) fn is_likely(&self, function: &Function, graph: &Graph, inside: &[bool]) -> bool {
        self.ways.iter().filter(|(_, to)| inside[to.0 as usize]).all(|&(from, to)| {
            self.blocks.iter().filter(|&&block| graph.dominates(block, from)).any(|&block| {
                let Terminator::Branch { condition, then, otherwise } = &function.blocks[block.0 as usize].terminator else {
                    return false;
                };
                let leads = |way: &Target| if block == from { way.block == to } else { graph.dominates(way.block, from) };
                let is_equal = match function.definition(*condition) {
                    Some(Op::Compare(CompareOp::Eq | CompareOp::FEq, ..)) => leads(then),
                    Some(Op::Compare(CompareOp::Ne | CompareOp::FNe, ..)) => leads(otherwise),
                    _ => false,
                };
                is_equal || depends_on(function, &self.carried, *condition, DEPTH)
            })
        })
    }
}

impl Quiet {
    /// Is a round told from others by nothing that rounds change?
    pub(super) fn is_told_by_itself(&self, function: &Function) -> bool {
        let is_told = |from: &Block| match function.blocks[from.0 as usize].terminator {
            Terminator::Branch { condition, .. } => !depends_on(function, &self.carried, condition, FAR),
            _ => true,
        };
        self.made.is_empty() && self.blocks.iter().all(is_told)
    }
}

/// Finds the ways on which something else than a parameter of the header becomes that in the next round; `None` if that is so in each round.
fn ways_that_change(
    function: &Function,
    header: Block,
    blocks: &[Block],
    parameter: Value,
    next: Value,
    changing: &mut FxHashSet<(Block, Block)>,
) -> Option<()> {
    let (mut work, mut seen) = (vec![next], FxHashSet::default());
    while let Some(value) = work.pop() {
        let ValueDef::Parameter(block, place) = function.values[value.0 as usize].def else { return None };
        if !blocks.contains(&block) {
            return None;
        }
        if !seen.insert(value) {
            continue;
        }
        for from in [header].into_iter().chain(blocks.iter().copied()) {
            for way in function.blocks[from.0 as usize].terminator.targets().filter(|way| way.block == block) {
                let argument = way.arguments[place as usize];
                let is_inner =
                    matches!(function.values[argument.0 as usize].def, ValueDef::Parameter(of, _) if blocks.contains(&of));
                if is_inner {
                    work.push(argument);
                } else if argument != parameter {
                    changing.insert((from, block));
                }
            }
        }
    }
    Some(())
}

/// Depends it on one of these, within some operations?
fn depends_on(function: &Function, carried: &[Value], value: Value, depth: u32) -> bool {
    let mut is_so = carried.contains(&value);
    if let Some(op) = function.definition(value).filter(|_| depth > 0) {
        op.for_each(|operand| is_so |= depends_on(function, carried, operand, depth - 1));
    }
    is_so
}
