//! What may be done for the lanes of several rounds at once: the round of a loop, or a function that it calls.
//!
//! What has one lane in it is of one of three kinds:
//! * a number or address of the loop ([`Lanes`]): the same for all rounds, or a constant further on in the next one;
//! * *asked*: what `any` and `all` say of lanes, and what is made of that. It is another one for more lanes, and only decides where control goes;
//! * all else, with which nothing is done at once.
//!
//! Where control goes by what was asked, a number may have come to a block by the way of other lanes: such numbers are of the third kind, and so is what is
//! computed in a loop that lanes leave one by one, behind it.

use super::super::alias::may_touch;
use super::super::combined::LoopBlocks;
use super::super::jammed_loops::{Counter, counter};
use super::super::memory_access::Forms;
use super::super::widened_rounds::{Lanes, Total, Touch, is_vector};
use super::callees::Callees;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// A round, or a function.
pub(super) struct Region {
    /// Its blocks, each before its successors but for the headers of loops in it; the first one is where it begins.
    pub(super) blocks: Vec<Block>,
    pub(super) lanes: Lanes,
    asked: FxHashSet<Value>,
    /// The blocks that go on by what was asked.
    asking: FxHashSet<Block>,
    pub(super) has_loops: bool,
    /// Is there a loop in it that lanes leave one by one?
    pub(super) loses_lanes: bool,
}

/// A loop with its round.
pub(super) struct Round {
    pub(super) header: Block,
    pub(super) counter: Counter,
    /// What the header does but for its question.
    pub(super) first: Vec<Inst>,
    pub(super) latch: Block,
    pub(super) inside: Vec<bool>,
    /// What the rounds add to.
    pub(super) totals: Vec<Total>,
    pub(super) region: Region,
}

impl Round {
    /// That of a header, if its lanes know nothing of those of other rounds.
    pub(super) fn of(function: &mut Function, graph: &Graph, header: Block, callees: &mut Callees<'_>) -> Option<Round> {
        let counter = counter(function, graph, header)?;
        let lanes = counter.lanes()?;
        let inside = graph.natural_loop(header)?;
        let is_inside = |block: Block| inside[block.0 as usize];
        let back: Vec<Block> = graph.predecessors[header.0 as usize].iter().copied().filter(|&from| is_inside(from)).collect();
        let &[latch] = &back[..] else { return None };
        let (head, body) = (&function.blocks[header.0 as usize], &function.blocks[counter.body.0 as usize]);
        let Terminator::Branch { condition, .. } = head.terminator else { return None };
        let Terminator::Jump(again) = &function.blocks[latch.0 as usize].terminator else { return None };
        let is_pair = graph.predecessors[counter.body.0 as usize] == [header] && body.parameters.is_empty();
        if !is_pair {
            return None;
        }
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|&block| block != header && is_inside(block)).collect();
        let stays_inside = |block: &Block| match &function.blocks[block.0 as usize].terminator {
            terminator @ (Terminator::Jump(_) | Terminator::Branch { .. }) => terminator.targets().all(|to| is_inside(to.block)),
            Terminator::Return(_) | Terminator::Unreachable => false,
        };
        if blocks.first() != Some(&counter.body) || !blocks.iter().all(stays_inside) {
            return None;
        }
        let loop_blocks = LoopBlocks { function, header, body: &blocks, latch };
        let mut totals = Vec::new();
        for (index, (&parameter, next)) in head.parameters.iter().zip(&again.arguments).enumerate() {
            if index != counter.index && (parameter != *next || is_vector(function, parameter)) {
                totals.push(Total::of(loop_blocks, index)?);
            }
        }
        let is_question = |inst: &Inst| function.insts[inst.0 as usize].results.contains(&condition);
        let first: Vec<Inst> = head.insts.iter().copied().filter(|inst| !is_question(inst)).collect();
        let scalars = head.parameters.iter().filter(|&&parameter| !is_vector(function, parameter));
        let steps = scalars.map(|&parameter| (parameter, i64::from(parameter == counter.value))).collect();
        let lanes = Lanes { lanes, inside: defined(function, blocks.iter().copied().chain([header])), steps };
        let mut region = Region::unknown(blocks, lanes);
        if region.lanes.inside.contains(&counter.limit) {
            return None;
        }
        for &inst in &first {
            region.learn(function, inst, callees)?;
        }
        region.learn_blocks(function, graph, callees)?;
        let mut found = Round { header, counter, first, latch, inside, totals, region };
        let is_right = found.region.is_kept(function, graph)
            && found.touches_for_all(function, graph)
            && found.adds_for_all(function, graph)
            && found.is_apart(function, graph, callees);
        is_right.then_some(found)
    }

    fn insts<'f>(&'f self, function: &'f Function) -> impl Iterator<Item = (Block, Inst)> + 'f {
        let of_block = |block: Block| function.blocks[block.0 as usize].insts.iter().map(move |&inst| (block, inst));
        let first = self.first.iter().map(|&inst| (self.header, inst));
        first.chain(self.region.blocks.iter().copied().flat_map(of_block))
    }

    /// Is there only a mask missing where all lanes of each round come to?
    fn touches_for_all(&self, function: &Function, graph: &Graph) -> bool {
        self.insts(function).all(|(block, inst)| {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let unmasked = match *op {
                Op::Load { mask: None, .. } | Op::Gather { mask: None, .. } | Op::StridedLoad { mask: None, .. } => results[0],
                Op::Store { value, mask: None, .. } | Op::Scatter { value, mask: None, .. } => value,
                _ => return true,
            };
            !is_vector(function, unmasked) || self.comes_to(function, graph, block)
        })
    }

    /// Do all lanes of each round come to where totals change?
    fn adds_for_all(&self, function: &Function, graph: &Graph) -> bool {
        let blocks = self.loop_blocks(function);
        self.totals.iter().all(|total| {
            let combined = blocks.combined(total.index).expect("what makes it a total");
            let insts = [combined.inst].into_iter().chain(combined.mask.map(|mask| mask.select));
            insts.filter_map(|inst| blocks.block_of(inst)).all(|block| self.comes_to(function, graph, block))
        })
    }

    pub(super) fn loop_blocks<'f>(&'f self, function: &'f Function) -> LoopBlocks<'f> {
        LoopBlocks { function, header: self.header, body: &self.region.blocks, latch: self.latch }
    }

    /// Do all lanes of each round come to a block, as often as all others?
    fn comes_to(&self, function: &Function, graph: &Graph, mut block: Block) -> bool {
        // No loop around it loses lanes.
        let mut around = graph.innermost_loop(block);
        while let Some(inner) = around.filter(|&inner| inner != self.header) {
            let inside = graph.natural_loop(inner).expect("the header of a loop");
            if self.region.is_left_by_lanes(function, &inside) {
                return false;
            }
            let outside = graph.predecessors[inner.0 as usize].iter().copied().find(|from| !inside[from.0 as usize]);
            around = outside.and_then(|outside| graph.innermost_loop(outside));
        }
        while !graph.dominates(block, self.latch) {
            block = graph.immediate_dominator(block).expect("the header of the round is in front of it");
            if self.region.asking.contains(&block) {
                return false;
            }
        }
        true
    }

    /// Does no lane touch what another one writes?
    fn is_apart(&self, function: &mut Function, graph: &Graph, callees: &mut Callees<'_>) -> bool {
        let mut forms = Forms::default();
        let (mut touches, mut read) = (Vec::new(), Vec::new());
        for (block, inst) in self.insts(function).collect::<Vec<(Block, Inst)>>() {
            if let Op::Call(callee, arguments) = &function.insts[inst.0 as usize].op {
                match callees.reads(*callee, arguments) {
                    Some(pointers) => read.extend(pointers),
                    None => return false,
                }
            }
            let is_repeated = graph.innermost_loop(block) != Some(self.header);
            touches.extend(Touch::of(function, &mut forms, inst, self.region.lanes.lanes).map(|touch| (is_repeated, touch)));
        }
        let op = |touch: &Touch| &function.insts[touch.inst.0 as usize].op;
        let is_written = |touch: &Touch| matches!(op(touch), Op::Store { .. } | Op::Scatter { .. });
        touches.iter().filter(|(_, touch)| is_written(touch)).all(|(is_repeated, written)| {
            // In a loop of the round, an address is another one each time.
            let is_apart = |(repeated, other): &(bool, Touch)| {
                !is_repeated && !repeated && (other.inst == written.inst || written.has_lanes_beside(other))
            };
            let through = |&pointer: &Value| Op::Load { pointer, mask: None };
            touches.iter().all(|other| is_apart(other) || !may_touch(function, op(&other.1), written.pointer))
                && read.iter().all(|pointer| !may_touch(function, &through(pointer), written.pointer))
        })
    }
}

impl Region {
    /// Blocks of which nothing is known so far.
    fn unknown(blocks: Vec<Block>, lanes: Lanes) -> Region {
        Region { blocks, lanes, asked: FxHashSet::default(), asking: FxHashSet::default(), has_loops: false, loses_lanes: false }
    }

    /// A whole function, whose scalars are the same for all lanes.
    pub(super) fn whole(function: &Function, callees: &mut Callees<'_>) -> Option<Region> {
        let graph = Graph::new(function);
        let parameters = function.blocks[0].parameters.iter().filter(|&&parameter| !is_vector(function, parameter));
        let steps = parameters.map(|&parameter| (parameter, 0)).collect();
        let lanes = Lanes { lanes: 1, inside: defined(function, graph.order.iter().copied()), steps };
        let mut region = Region::unknown(graph.order.clone(), lanes);
        region.learn_blocks(function, &graph, callees)?;
        let insts = graph.order.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        let is_quiet = insts.map(|inst| &function.insts[inst.0 as usize].op).all(|op| match op {
            Op::Gather { mask, .. } => mask.is_some(),
            Op::StridedLoad { .. } => false,
            op => !op.has_effect() || matches!(op, Op::Call(..) | Op::Unroll(_)),
        });
        let returns_vectors = graph.order.iter().all(|block| match &function.blocks[block.0 as usize].terminator {
            Terminator::Return(values) => values.iter().all(|&value| is_vector(function, value)),
            _ => true,
        });
        (is_quiet && returns_vectors && region.is_kept(function, &graph)).then_some(region)
    }

    fn learn_blocks(&mut self, function: &Function, graph: &Graph, callees: &mut Callees<'_>) -> Option<()> {
        for (number, block) in self.blocks.clone().into_iter().enumerate() {
            if number > 0 {
                self.learn_parameters(function, graph, block)?;
            }
            for &inst in &function.blocks[block.0 as usize].insts {
                self.learn(function, inst, callees)?;
            }
            if let Terminator::Branch { condition, .. } = function.blocks[block.0 as usize].terminator {
                if self.asked.contains(&condition) {
                    self.asking.insert(block);
                } else if self.lanes.step_of(function, condition) != Some(0) {
                    return None;
                }
            }
        }
        Some(())
    }

    /// The parameters of a block that have one lane. Those of the header of a loop are looked at again by [`is_kept`](Region::is_kept).
    fn learn_parameters(&mut self, function: &Function, graph: &Graph, block: Block) -> Option<()> {
        for (index, &parameter) in function.blocks[block.0 as usize].parameters.iter().enumerate() {
            if is_vector(function, parameter) {
                continue;
            }
            let mut values: Vec<Value> = arguments(function, graph, block, index)
                .filter(|&(from, _)| !graph.is_back_edge(from, block))
                .map(|(_, value)| value)
                .collect();
            values.dedup();
            let is_asked = values.iter().any(|value| self.asked.contains(value))
                || (values.len() > 1 && self.is_reached_by_asking(graph, block));
            if is_asked {
                self.ask(function, parameter)?;
                continue;
            }
            let mut steps: Vec<i64> = values.iter().map(|&value| self.lanes.step_of(function, value)).collect::<Option<_>>()?;
            steps.dedup();
            let &[step] = &steps[..] else { return None };
            self.lanes.steps.insert(parameter, step);
        }
        Some(())
    }

    /// Does what was asked decide by which way control comes to a block from where all ways to it begin?
    fn is_reached_by_asking(&self, graph: &Graph, block: Block) -> bool {
        let Some(top) = graph.immediate_dominator(block) else { return false };
        let (mut seen, mut work) = (FxHashSet::from_iter([block]), vec![block]);
        while let Some(at) = work.pop() {
            for &from in graph.predecessors[at.0 as usize].iter().filter(|&&from| !graph.is_back_edge(from, block)) {
                if self.asking.contains(&from) {
                    return true;
                }
                if from != top && seen.insert(from) {
                    work.push(from);
                }
            }
        }
        false
    }

    /// What lanes say is a `bool`, on which nothing but ways depend.
    fn ask(&mut self, function: &Function, value: Value) -> Option<()> {
        (function.ty(value) == Type::scalar(Element::Bool)).then(|| _ = self.asked.insert(value))
    }

    fn learn(&mut self, function: &Function, inst: Inst, callees: &mut Callees<'_>) -> Option<()> {
        let data = &function.insts[inst.0 as usize];
        let is_asked = |value: Value| self.asked.contains(&value);
        let mut uses_asked = false;
        data.op.for_each(|operand| uses_asked |= is_asked(operand));
        match &data.op {
            Op::Any(_) | Op::All(_) => self.ask(function, data.results[0]),
            Op::Select(condition, a, b) if is_asked(*condition) && is_vector(function, *a) => {
                (!is_asked(*a) && !is_asked(*b)).then_some(())
            }
            Op::Unary(..) | Op::Binary(..) | Op::Select(..) if uses_asked => self.ask(function, data.results[0]),
            Op::Call(callee, arguments) => {
                let is_given =
                    |&argument: &Value| is_vector(function, argument) || self.lanes.step_of(function, argument) == Some(0);
                let is_right = arguments.iter().all(is_given)
                    && data.results.iter().all(|&result| is_vector(function, result))
                    && callees.can(*callee);
                is_right.then_some(())
            }
            Op::Unroll(_) => Some(()),
            _ => self.lanes.learn(function, data),
        }
    }

    /// Do lanes leave the loop one by one?
    fn is_left_by_lanes(&self, function: &Function, inside: &[bool]) -> bool {
        self.asking.iter().any(|block| {
            let mut targets = function.blocks[block.0 as usize].terminator.targets();
            inside[block.0 as usize] && targets.any(|to| !inside[to.block.0 as usize])
        })
    }

    /// Are numbers of loops in it what they were taken for: in each round, and behind what lanes leave one by one?
    fn is_kept(&mut self, function: &Function, graph: &Graph) -> bool {
        let is_header = |block: &Block| graph.innermost_loop(*block) == Some(*block);
        let headers: Vec<Block> = self.blocks.iter().copied().filter(is_header).collect();
        self.has_loops = !headers.is_empty();
        headers.into_iter().all(|header| {
            let inside = graph.natural_loop(header).expect("the header of a loop");
            let is_left_by_lanes = self.is_left_by_lanes(function, &inside);
            self.loses_lanes |= is_left_by_lanes;
            let scalars = function.blocks[header.0 as usize].parameters.iter().enumerate();
            let stays = scalars.filter(|(_, parameter)| !is_vector(function, **parameter)).all(|(index, parameter)| {
                let mut back: Vec<Value> = arguments(function, graph, header, index)
                    .filter(|(from, _)| inside[from.0 as usize])
                    .map(|(_, value)| value)
                    .collect();
                back.dedup();
                let is_same = |value: Value| match self.asked.contains(parameter) {
                    true => self.asked.contains(&value) || self.lanes.step_of(function, value) == Some(0),
                    false => {
                        !self.asked.contains(&value)
                            && self.lanes.step_of(function, value) == self.lanes.step_of(function, *parameter)
                    }
                };
                back.iter().all(|&value| is_same(value)) && (back.len() == 1 || self.asked.contains(parameter))
            });
            stays && !(is_left_by_lanes && self.is_seen_behind(function, &inside))
        })
    }

    /// Is a number that a loop computes used outside of it?
    fn is_seen_behind(&self, function: &Function, inside: &[bool]) -> bool {
        let blocks = (0..).map(Block).zip(inside).filter(|(_, is_inside)| **is_inside).map(|(block, _)| block);
        let of_loop = defined(function, blocks);
        let is_number = |value: Value| !is_vector(function, value) && of_loop.contains(&value) && !self.asked.contains(&value);
        self.blocks.iter().any(|&block| {
            let data = &function.blocks[block.0 as usize];
            let is_outside = !inside[block.0 as usize];
            let mut is_seen = false;
            for &inst in data.insts.iter().filter(|_| is_outside) {
                function.insts[inst.0 as usize].op.for_each(|value| is_seen |= is_number(value));
            }
            let leaving = data.terminator.targets().filter(|to| !inside[to.block.0 as usize]);
            is_seen |= leaving.flat_map(|to| &to.arguments).any(|&value| is_number(value));
            if let Terminator::Branch { condition, .. } = data.terminator {
                is_seen |= is_outside && is_number(condition);
            }
            is_seen
        })
    }
}

/// What comes to a parameter of a block, and from where.
fn arguments<'f>(
    function: &'f Function,
    graph: &'f Graph,
    block: Block,
    index: usize,
) -> impl Iterator<Item = (Block, Value)> + 'f {
    let mut from = graph.predecessors[block.0 as usize].clone();
    from.sort();
    from.dedup();
    from.into_iter().flat_map(move |from| {
        let targets = function.blocks[from.0 as usize].terminator.targets();
        targets.filter(move |to| to.block == block).map(move |to| (from, to.arguments[index]))
    })
}

/// What some blocks define.
pub(super) fn defined(function: &Function, blocks: impl Iterator<Item = Block>) -> FxHashSet<Value> {
    let of_block = |block: Block| {
        let data = &function.blocks[block.0 as usize];
        let results = data.insts.iter().flat_map(|inst| &function.insts[inst.0 as usize].results);
        data.parameters.iter().chain(results).copied()
    };
    blocks.flat_map(of_block).collect()
}
