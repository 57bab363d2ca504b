//! Branches of a loop that go the same way in all rounds, and only decide what a number is, are choices.
//!
//! ```text
//! block2():                                  block2():
//!     c = compare.slt k, 0                       c = compare.slt k, 0
//!     branch c, block3(), block4(k)              m = neg k
//! block3():                          ──►         i = select c, m, k
//!     m = neg k                                  jump block4(i)
//!     jump block4(m)                         block4(i):
//! block4(i):                                     … load (ptrindex p, i * w + x)
//!     … load (ptrindex p, i * w + x)
//! ```
//! The row above the first one, `up = y > 0 ? y - 1 : 0`, is the same for all x: lanes of [`vectorized_rounds`](super::vectorized_rounds()) keep such a choice as
//! one number, while what a branch hands on is one per lane, and what lies there would be gathered.

use super::control_flow;
use super::counted_loop::{grown, values_of};
use super::loop_checks::is_pure;
use super::vectorized_rounds::is_division;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops of more instructions are left alone.
const MAX_ROUND: usize = 400;
/// A way of more operations stays a way.
const MOST: usize = 8;

/// Makes choices of branches in loops of a function: in innermost ones, and in those around them that have others around themselves, as that over the pixels of a
/// row has in which a loop over the rows of a filter is.
pub fn uniform_branches(function: &mut Function) {
    let graph = Graph::new(function);
    let loops: Vec<(Block, Vec<bool>)> =
        graph.order.iter().filter_map(|&header| Some((header, graph.natural_loop(header)?))).collect();
    let has_loops =
        |(header, inside): &(Block, Vec<bool>)| loops.iter().any(|(other, _)| other != header && inside[other.0 as usize]);
    let mut is_changed = false;
    for around in &loops {
        let (header, inside) = around;
        let mut inner = loops.iter().filter(|(other, _)| other != header && inside[other.0 as usize]).peekable();
        let is_within = || loops.iter().any(|(other, blocks)| other != header && blocks[header.0 as usize]);
        if inner.peek().is_some() && !(is_within() && inner.all(|one| !has_loops(one))) {
            continue;
        }
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        let data = |block: &Block| &function.blocks[block.0 as usize];
        // What is chosen inside of a choice comes first.
        let is_branch = |block: &Block| matches!(data(block).terminator, Terminator::Branch { .. }) && !is_header(&graph, *block);
        let branches: Vec<Block> = blocks.iter().rev().copied().filter(is_branch).collect();
        if branches.is_empty() || blocks.iter().map(|block| data(block).insts.len()).sum::<usize>() > MAX_ROUND {
            continue;
        }
        let values = values_of(function, &blocks);
        let mut rounds = Rounds { graph: &graph, header: *header, blocks, values, known: FxHashMap::default() };
        while branches.iter().filter(|&&block| rounds.choose(function, block)).count() > 0 {
            is_changed = true;
        }
    }
    if is_changed {
        control_flow(function);
    }
}

fn is_header(graph: &Graph, block: Block) -> bool {
    graph.innermost_loop(block) == Some(block)
}

/// The rounds of a loop.
struct Rounds<'g> {
    graph: &'g Graph,
    header: Block,
    blocks: Vec<Block>,
    /// What is computed in them, or handed from one to the next.
    values: FxHashSet<Value>,
    /// Of values that were asked for: are they the same in all of them?
    known: FxHashMap<Value, bool>,
}

impl Rounds<'_> {
    /// Makes a choice of the branch at the end of a block, where it only chooses between numbers that are the same in all rounds. Was it one?
    fn choose(&mut self, function: &mut Function, block: Block) -> bool {
        let Terminator::Branch { condition, then, otherwise } = &function.blocks[block.0 as usize].terminator else {
            return false;
        };
        let (condition, ways) = (*condition, [then, otherwise].map(|way| self.way(function, way)));
        let [Some((yes, first)), Some((no, second))] = ways else { return false };
        let pairs: Vec<(Value, Value)> = yes.arguments.iter().copied().zip(no.arguments.iter().copied()).collect();
        let behind = yes.block;
        if behind != no.block || is_header(self.graph, behind) || pairs.iter().all(|(a, b)| a == b) {
            return false;
        }
        let own: Vec<Block> = [first, second].into_iter().flatten().collect();
        let is_number = |value: Value| {
            let ty = function.ty(value);
            ty.length == 1 && (ty.element.is_int() || ty.element.is_float())
        };
        let mut is_same = |value: Value| self.is_same(function, value);
        if !is_same(condition) || !pairs.iter().all(|&(a, b)| a == b || is_number(a) && is_same(a) && is_same(b)) {
            return false;
        }

        let moved: Vec<Inst> = own.iter().flat_map(|way| std::mem::take(&mut function.blocks[way.0 as usize].insts)).collect();
        own.iter().for_each(|way| function.blocks[way.0 as usize].terminator = Terminator::Unreachable);
        function.blocks[block.0 as usize].insts.extend(moved);
        let mut arguments = Vec::new();
        for (a, b) in pairs {
            let (ty, span) = (function.ty(a), function.span);
            arguments.push(match a == b {
                true => a,
                false => {
                    let (inst, chosen) = function.create(Op::Select(condition, a, b), ty, span);
                    function.blocks[block.0 as usize].insts.push(inst);
                    self.values.insert(chosen);
                    chosen
                }
            });
        }
        function.blocks[block.0 as usize].terminator = Terminator::Jump(Target { block: behind, arguments });
        self.known.clear();
        true
    }

    /// Where a way leads, over a block of its own that computes little; `None` where it does more.
    fn way<'f>(&self, function: &'f Function, way: &'f Target) -> Option<(&'f Target, Option<Block>)> {
        let data = &function.blocks[way.block.0 as usize];
        match &data.terminator {
            Terminator::Jump(next)
                if self.graph.predecessors[way.block.0 as usize].len() == 1
                    && data.parameters.is_empty()
                    && self.blocks.contains(&way.block) =>
            {
                let op = |inst: &Inst| &function.insts[inst.0 as usize].op;
                let is_quick = |inst: &Inst| is_pure(op(inst)) && !is_slow(op(inst));
                (data.insts.len() <= MOST && data.insts.iter().all(is_quick)).then_some((next, Some(way.block)))
            }
            _ => Some((way, None)),
        }
    }

    /// Is a value the same in all rounds?
    fn is_same(&mut self, function: &Function, value: Value) -> bool {
        if !self.values.contains(&value) {
            return true;
        }
        if let Some(&is_known) = self.known.get(&value) {
            return is_known;
        }
        // What is handed on in a circle is not known to be.
        self.known.insert(value, false);
        let is_same = match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) if block == self.header => false,
            ValueDef::Parameter(block, index) => {
                let ends = self.blocks.iter().map(|from| &function.blocks[from.0 as usize].terminator);
                let ways = ends.flat_map(|end| end.targets()).filter(|target| target.block == block);
                let arguments: Vec<Value> = ways.map(|way| way.arguments[index as usize]).collect();
                match arguments[..] {
                    [one] => self.is_same(function, one),
                    // What a loop inside counts.
                    [a, b] if is_header(self.graph, block) => {
                        let goes_on = |next: Value| grown(function, next).is_some_and(|(last, _)| last == value);
                        goes_on(b) && self.is_same(function, a) || goes_on(a) && self.is_same(function, b)
                    }
                    _ => false,
                }
            }
            _ => {
                let op = function.definition(value).expect("a value that no block is handed is computed");
                let mut operands = Vec::new();
                op.for_each(|operand| operands.push(operand));
                is_pure(op) && operands.into_iter().all(|operand| self.is_same(function, operand))
            }
        };
        self.known.insert(value, is_same);
        is_same
    }
}

/// Does it take as long as a branch that is foretold wrong?
fn is_slow(op: &Op) -> bool {
    matches!(op, Op::Binary(op, ..) if is_division(*op) || *op == BinaryOp::FDiv)
}
