//! Rounds of an outer loop become lanes, in which its inner loops run for all of them at once.
//!
//! ```text
//! block1(j):                                       block7(j):
//!     branch j < m, block2, out                        branch m − j ≥ 8, block8, block1(j)
//! block2:                                          block8:
//!     jump block3(0, 0.0)                              jump block9(0, splat 0.0)
//! block3(k, s: f32):                               block9(k, s: f32×8):
//!     branch k < n, block4, block5        ──►          branch k < n, block10, block11
//! block4:                                          block10:
//!     x = load a + 4 · k                               x = splat (load a + 4 · k)
//!     y = load b + 4 · (k · m + j)                     y = load b + 4 · (k · m + j): f32×8
//!     jump block3(k + 1, s + x · y)                    jump block9(k + 1, s + x · y)
//! block5:                                          block11:
//!     store o + 4 · j, s                               store o + 4 · j, s
//!     jump block1(j + 1)                               jump block7(j + 8)
//! ```
//! A sum of floats is not added up in another order, so that the rounds of the inner loop are no lanes, or no good ones; those of the loop around it are. So are the points
//! of a picture, each of which is computed by a loop of its own.
//!
//! # Why this is right
//! * *Control.* An inner loop is left from its header alone. Where all lanes come to it and its condition is the same in all of them, so is what it does. Else it goes on while it
//!   does in any lane, a round of it runs in those in which it goes on (T-WHILE), and what a lane has is what its own last round left.
//! * *Values.* What is the same in all lanes, or goes on by a constant from one to the next, stays a scalar; of an inner loop, too, whose rounds count for those lanes that run them.
//! * *Totals.* What the rounds of the outer loop add up may be added up in any order, one for each lane.
//! * *Memory.* What is stored has a place of its own in each round of the outer loop, and the same in all rounds of the inner ones; no access goes elsewhere in what may be the same memory,
//!   or, as is asked in front of the loop, in what is the same ([`Areas`]).
//!   Lanes that are off neither load nor store: what is loaded for all of them at once is loaded where at least one is on, and elsewhere if none may be.

use super::totals::total;
use super::{Access, Looks, MAX_BLOCKS, MAX_INSTS, Rounds, is_choice, is_division, is_divisor, looks};
use crate::optimize::Surroundings;
use crate::optimize::addresses::Apart;
use crate::optimize::alias::may_touch;
use crate::optimize::areas::{Areas, InnerCounter};
use crate::optimize::counted_loop::{has_few_rounds, inner_counter, is_outer, values_of};
use crate::optimize::jammed_loops::rising;
use crate::optimize::widened_rounds::Lanes;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Inner loops of at most so many rounds are not worth lanes of their own.
const FEW_ROUNDS: u64 = 8;
/// So many operations of an address that inner loops do not change are followed.
const DEPTH: u32 = 6;
/// Of so many pairs of arrays it is asked whether they are apart, and of so many places in each.
const MAX_MET: usize = 4;
const MAX_GROUP: usize = 12;

/// A loop in the rounds of another one.
pub(super) struct Inner {
    pub(super) header: Block,
    /// The only block that leads to it.
    pub(super) before: Block,
    /// The only one that goes back.
    pub(super) latch: Block,
    /// The blocks of a round behind the header, but for those of loops in it, of which it has the headers; in order.
    pub(super) nodes: Vec<Block>,
    /// Where a round goes on from the header.
    pub(super) body: Block,
    /// Do lanes leave it one by one, or does it not run in all of them?
    pub(super) is_masked: bool,
    /// All its blocks.
    inside: Vec<bool>,
}

/// An outer loop whose rounds are lanes.
pub(super) struct Outer {
    pub(super) rounds: Rounds,
    /// The blocks of a round that are in no inner loop, and the headers of inner ones; in order.
    pub(super) nodes: Vec<Block>,
    /// By their headers.
    pub(super) loops: FxHashMap<Block, Inner>,
    /// The headers, those of outer loops first.
    order: Vec<Block>,
    /// Parameters of inner headers that differ from lane to lane.
    vectors: FxHashSet<Value>,
}

/// Makes lanes of the rounds of outer loops; says whether there are some.
pub(super) fn write_outer(function: &mut Function, graph: &Graph, around: Surroundings<'_>) -> bool {
    let found = find(function, graph, around, &looks(function, graph));
    found.iter().for_each(|(outer, times)| outer.write(function, graph, around.machine, *times));
    !found.is_empty()
}

/// Do the rounds of an outer loop become lanes?
pub(super) fn are_lanes(function: &Function, graph: &Graph, around: Surroundings<'_>, header: Block) -> bool {
    let outer = Outer::of(function, graph, around, &looks(function, graph), header);
    outer.is_some_and(|outer| outer.times(function, around).is_some())
}

/// The outer loops of a function whose rounds become lanes, none of which is in another one, and how many of them.
fn find(function: &Function, graph: &Graph, around: Surroundings<'_>, looks: &Looks) -> Vec<(Outer, u8)> {
    let mut found: Vec<(Outer, u8)> = Vec::new();
    let is_header = |block: Block| graph.innermost_loop(block) == Some(block) && !has_few_rounds(function, block);
    for &header in graph.order.iter().rev().filter(|block| is_header(**block)) {
        let inside = graph.natural_loop(header).unwrap_or_default();
        let is_around = |(outer, _): &(Outer, u8)| inside[outer.rounds.header.0 as usize];
        if !found.iter().any(is_around)
            && let Some(outer) = Outer::of(function, graph, around, looks, header)
            && let Some(times) = outer.times(function, around)
        {
            found.push((outer, times));
        }
    }
    found
}

impl Inner {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Inner> {
        let inside = graph.natural_loop(header)?;
        let is_inside = |block: &Block| inside[block.0 as usize];
        let targets = |block: Block| function.blocks[block.0 as usize].terminator.targets();
        let (within, outside): (Vec<Block>, Vec<Block>) =
            graph.predecessors[header.0 as usize].iter().partition(|block| is_inside(block));
        let (&[latch], &[before]) = (&within[..], &outside[..]) else { return None };
        let all: Vec<Block> = graph.order.iter().copied().filter(is_inside).collect();
        let Terminator::Branch { then, otherwise, .. } = &function.blocks[header.0 as usize].terminator else { return None };
        let body = match (is_inside(&then.block), is_inside(&otherwise.block)) {
            (true, false) => then.block,
            (false, true) => otherwise.block,
            _ => return None,
        };
        let is_left = |block: &Block| *block != header && targets(*block).any(|target| !is_inside(&target.block));
        let goes_back = matches!(&function.blocks[latch.0 as usize].terminator, Terminator::Jump(_));
        let comes_once = targets(before).filter(|target| target.block == header).count() == 1;
        if all.iter().any(is_left) || !goes_back || !comes_once || latch == header || body == header {
            return None;
        }
        Some(Inner { header, before, latch, nodes: Vec::new(), body, is_masked: false, inside })
    }

    /// Finds its nodes, where it has these loops in it.
    fn find_nodes(&mut self, graph: &Graph, loops: &[(Block, Vec<bool>)]) {
        let is_within = |block: Block| {
            let mut others =
                loops.iter().filter(|(header, _)| self.inside[header.0 as usize] && ![block, self.header].contains(header));
            others.any(|(_, inside)| inside[block.0 as usize])
        };
        let is_inside = |block: &Block| self.inside[block.0 as usize] && *block != self.header;
        self.nodes = graph.order.iter().copied().filter(|block| is_inside(block) && !is_within(*block)).collect();
    }
}

impl Outer {
    fn of(function: &Function, graph: &Graph, around: Surroundings<'_>, looks: &Looks, header: Block) -> Option<Outer> {
        let inside = graph.natural_loop(header)?;
        let blocks: Vec<Block> =
            graph.order.iter().copied().filter(|&block| inside[block.0 as usize] && block != header).collect();
        let insts = |block: &Block| &function.blocks[block.0 as usize].insts;
        let is_inner = |block: &&Block| graph.innermost_loop(**block) == Some(**block);
        let order: Vec<Block> = blocks.iter().filter(is_inner).copied().collect();
        if order.is_empty()
            || blocks.iter().any(|block| is_choice(function, *block))
            || blocks.len() > MAX_BLOCKS
            || blocks.iter().map(|block| insts(block).len()).sum::<usize>() > MAX_INSTS
        {
            return None;
        }
        // The outer loop is one as the inner ones are, and counts; what its header is handed is the same in all rounds, or a total.
        let mut own = Inner::of(function, graph, header)?;
        let counter = rising(function, graph, header).filter(|counter| counter.body == own.body)?;
        let Terminator::Jump(back) = &function.blocks[own.latch.0 as usize].terminator else { return None };
        let parameters = &function.blocks[header.0 as usize].parameters;
        let mut totals = Vec::new();
        for (index, (parameter, next)) in parameters.iter().zip(&back.arguments).enumerate() {
            if *parameter != counter.value && parameter != next {
                totals.push(total(function, header, &counter, &blocks, index)?);
            }
        }
        let mut loops: FxHashMap<Block, Inner> =
            order.iter().map(|&header| Some((header, Inner::of(function, graph, header)?))).collect::<Option<_>>()?;
        let insides: Vec<(Block, Vec<bool>)> = loops.values().map(|inner| (inner.header, inner.inside.clone())).collect();
        loops.values_mut().chain([&mut own]).for_each(|inner| inner.find_nodes(graph, &insides));
        if !loops.values().all(|inner| inner.is_only_known_by_its_header(function, looks)) {
            return None;
        }
        let defined = values_of(function, &[&[header], &blocks[..]].concat());
        let rounds = Rounds {
            header,
            counter,
            totals,
            carried: Vec::new(),
            in_order: Default::default(),
            blocks,
            in_each: FxHashSet::default(),
            lines: Lanes { lanes: 1, inside: defined, steps: FxHashMap::default() },
            accesses: Vec::new(),
            apart: Vec::new(),
            late: Vec::new(),
            most: None,
            growing: Vec::new(),
            calls: FxHashMap::default(),
        };
        let mut outer = Outer { rounds, nodes: own.nodes.clone(), loops, order, vectors: FxHashSet::default() };
        outer.settle(function, graph, around, looks, &own)?;
        let parameters = outer.rounds.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].parameters);
        let chooses_pointers =
            |value: &Value| function.ty(*value).element == Element::Ptr && !outer.rounds.lines.steps.contains_key(value);
        if parameters.clone().any(chooses_pointers) {
            return None;
        }
        (outer.rounds.knows_its_end(function, graph, &inside)
            && outer.rounds.is_seen_as_a_whole(function, looks, &inside)
            && outer.is_apart(function, graph)
            && !outer.is_better_inside(function, graph, around, looks))
        .then_some(outer)
    }

    /// Finds out what differs from lane to lane, and which loops run for some of them, until neither makes more of the other.
    fn settle(&mut self, function: &Function, graph: &Graph, around: Surroundings<'_>, looks: &Looks, own: &Inner) -> Option<()> {
        loop {
            self.find_blocks_in_each(graph, own);
            self.learn(function, graph, around)?;
            if !self.find_more_vectors(function) & !self.find_more_masks(function, looks) {
                return Some(());
            }
        }
    }

    /// The blocks that all lanes come to whenever one does.
    fn find_blocks_in_each(&mut self, graph: &Graph, own: &Inner) {
        self.rounds.in_each.clear();
        let mut open = vec![(own, true)];
        while let Some((of, runs)) = open.pop() {
            for &node in &of.nodes {
                let in_each = runs && !of.is_masked && graph.dominates(node, of.latch);
                if in_each && !self.loops.get(&node).is_some_and(|inner| inner.is_masked) {
                    self.rounds.in_each.insert(node);
                }
                if let Some(inner) = self.loops.get(&node) {
                    open.push((inner, in_each));
                }
            }
        }
    }

    /// Does at least one lane come to a block wherever it is run at all, and all that are on in its loop?
    fn has_one(&self, graph: &Graph, block: Block) -> bool {
        let in_loop = || {
            let inner = self.loops.get(&graph.innermost_loop(block)?)?;
            Some(inner.is_masked && block != inner.header && graph.dominates(block, inner.latch))
        };
        self.rounds.in_each.contains(&block) || in_loop() == Some(true)
    }

    /// Looks at all that a round does; `None` for what lanes do not.
    fn learn(&mut self, function: &Function, graph: &Graph, around: Surroundings<'_>) -> Option<()> {
        let counter = self.rounds.counter;
        let own = &function.blocks[self.rounds.header.0 as usize].parameters;
        let is_total = |index: &usize| self.rounds.totals.iter().any(|total| total.index == *index);
        let same = own.iter().enumerate().filter(|(index, _)| !is_total(index));
        self.rounds.lines.steps = same.map(|(_, &parameter)| (parameter, counter.growth(parameter))).collect();
        self.rounds.accesses.clear();
        self.rounds.calls.clear();
        let Terminator::Branch { condition, .. } = function.blocks[self.rounds.header.0 as usize].terminator else { return None };
        for block in [self.rounds.header].into_iter().chain(self.rounds.blocks.clone()) {
            if let Some(inner) = self.loops.get(&block) {
                let given = function.blocks[inner.before.0 as usize].terminator.targets().find(|target| target.block == block)?;
                for (&parameter, &argument) in function.blocks[block.0 as usize].parameters.iter().zip(&given.arguments) {
                    let step = self.rounds.lines.step_of(function, argument).filter(|_| !self.vectors.contains(&parameter));
                    self.rounds.lines.steps.extend(step.map(|step| (parameter, step)));
                }
            }
            for &inst in &function.blocks[block.0 as usize].insts {
                self.learn_of(function, graph, around, (block, inst), condition)?;
            }
        }
        Some(())
    }

    fn learn_of(
        &mut self,
        function: &Function,
        graph: &Graph,
        around: Surroundings<'_>,
        (block, inst): (Block, Inst),
        condition: Value,
    ) -> Option<()> {
        let data = &function.insts[inst.0 as usize];
        if !data.results.iter().all(|result| function.ty(*result).length == 1) {
            return None;
        }
        if let [result] = data.results[..]
            && let Some(step) = self.rounds.step(function, &data.op)
        {
            match data.op {
                Op::Load { mask: None, .. } => {
                    let mut access = self.rounds.access(function, block, inst)?;
                    access.is_there = true;
                    access.is_asked = !self.has_one(graph, block);
                    self.rounds.accesses.push(access);
                }
                Op::Load { .. } | Op::StreamingLoad { .. } => return None,
                Op::Binary(op, _, by) if is_division(op) && !is_divisor(function, by) && !self.has_one(graph, block) => {
                    return None;
                }
                _ => {}
            }
            self.rounds.lines.steps.insert(result, step);
            return Some(());
        }
        if block == self.rounds.header {
            return (data.results[..] == [condition]).then_some(());
        }
        match data.op {
            Op::Binary(op, _, by) if !is_division(op) || is_divisor(function, by) => {}
            Op::Select(_, a, _) | Op::Compare(_, a, _) if function.ty(a).element == Element::Ptr => return None,
            Op::Unary(..) | Op::Fma(..) | Op::Compare(..) | Op::Select(..) | Op::Convert(..) | Op::Unroll(_) => {}
            Op::Call(callee, ref arguments) => {
                let (of, times) = around.lanes_of(function, callee, arguments)?;
                let is_one = data.results.len() == 1 && self.rounds.calls.values().all(|(_, other)| *other == times);
                if !is_one || !of.is_total && !self.rounds.in_each.contains(&block) {
                    return None;
                }
                self.rounds.calls.insert(inst, (of.lanes, times));
            }
            Op::Load { mask: None, .. } | Op::Store { mask: None, streaming: false, .. } => {
                let access = self.rounds.access(function, block, inst)?;
                self.rounds.accesses.push(access);
            }
            _ => return None,
        }
        Some(())
    }

    /// What a round of an inner loop hands on is not what it was taken for.
    fn find_more_vectors(&mut self, function: &Function) -> bool {
        let mut more = Vec::new();
        for inner in self.loops.values() {
            let Terminator::Jump(back) = &function.blocks[inner.latch.0 as usize].terminator else { continue };
            for (&parameter, &next) in function.blocks[inner.header.0 as usize].parameters.iter().zip(&back.arguments) {
                let steps = &self.rounds.lines.steps;
                if steps.contains_key(&parameter) && self.rounds.lines.step_of(function, next) != steps.get(&parameter).copied() {
                    more.push(parameter);
                }
            }
        }
        let known = self.vectors.len();
        self.vectors.extend(more);
        self.vectors.len() > known
    }

    /// Loops whose conditions differ from lane to lane, or that some lanes do not come to, run under masks; what others see of them is what each lane had last.
    fn find_more_masks(&mut self, function: &Function, looks: &Looks) -> bool {
        let (masks, vectors) = (self.loops.values().filter(|inner| inner.is_masked).count(), self.vectors.len());
        for inner in self.loops.values_mut() {
            let data = &function.blocks[inner.header.0 as usize];
            let Terminator::Branch { condition, .. } = &data.terminator else { continue };
            let is_same = self.rounds.lines.step_of(function, *condition) == Some(0);
            inner.is_masked |= !is_same || !self.rounds.in_each.contains(&inner.header);
            if inner.is_masked {
                self.vectors.extend(data.parameters.iter().filter(|&&parameter| inner.is_seen(function, looks, parameter)));
            }
        }
        masks < self.loops.values().filter(|inner| inner.is_masked).count() || vectors < self.vectors.len()
    }

    /// Has each store a place of its own in every round, whatever inner loops do, which no other access of what may be the same memory leaves? What arrays of
    /// different pointers do is asked in front of the loop.
    fn is_apart(&mut self, function: &Function, graph: &Graph) -> bool {
        let accesses = &self.rounds.accesses;
        let is_inner = |block: &Block| self.loops.values().any(|inner| inner.inside[block.0 as usize]);
        let inner = values_of(function, &self.rounds.blocks.iter().copied().filter(is_inner).collect::<Vec<_>>());
        let stays = |value: Value| is_outer(function, &inner, value, DEPTH);
        let root = |access: &Access| access.address.root();
        let has_place = |access: &Access| access.address.terms().chain([root(access)]).all(stays);
        // Arrays of which one is stored to and the other one may be the same.
        let mut met: Vec<[Value; 2]> = Vec::new();
        let is_so = accesses.iter().filter(|access| access.is_store).all(|written| {
            has_place(written)
                && accesses.iter().all(|other| {
                    let is_beside = has_place(other) && written.is_first(other) && other.is_first(written);
                    let is_apart = is_beside || !may_touch(function, &function.insts[other.inst.0 as usize].op, written.pointer);
                    let pair = [root(written).min(root(other)), root(written).max(root(other))];
                    if !is_apart && !met.contains(&pair) {
                        met.push(pair);
                    }
                    is_apart || pair[0] != pair[1]
                })
        });
        if !is_so || met.is_empty() {
            return is_so;
        }
        let is_outer = |value: Value| is_outer(function, &self.rounds.lines.inside, value, DEPTH);
        let counter = self.rounds.counter;
        let own = (counter.value, counter.step, counter.op == CompareOp::SLt);
        let counters: Vec<InnerCounter> =
            self.order.iter().filter_map(|&header| inner_counter(function, graph, header, is_outer)).collect();
        let group = |of: Value| {
            let mut group: Vec<(Value, u64)> = Vec::new();
            for access in accesses.iter().filter(|access| root(access) == of) {
                if !group.contains(&(access.pointer, access.size)) {
                    group.push((access.pointer, access.size));
                }
            }
            group
        };
        let areas: Vec<Areas> = met.iter().map(|pair| Areas { both: pair.map(group), own, inner: counters.clone() }).collect();
        let are_few = met.len() <= MAX_MET && areas.iter().flat_map(|areas| &areas.both).all(|group| group.len() <= MAX_GROUP);
        if !are_few || counter.more > 0 || !areas.iter().all(|areas| areas.is_known(function, &is_outer)) {
            return false;
        }
        self.rounds.apart = areas.into_iter().map(|areas| (Apart::Areas(areas), 0, 0)).collect();
        true
    }

    /// Is a loop in it one of lanes that wait for nothing, and are side by side in memory?
    fn is_better_inside(&self, function: &Function, graph: &Graph, around: Surroundings<'_>, looks: &Looks) -> bool {
        self.order.iter().any(|&header| {
            let Some(rounds) = Rounds::of(function, graph, around, looks, header) else { return false };
            let has_few = rounds.counter.rounds(function).is_some_and(|rounds| rounds <= FEW_ROUNDS);
            let is_dense = rounds.is_dense();
            !has_few && is_dense && rounds.in_order.indices.is_empty() && rounds.times(function, around).is_some()
        })
    }

    /// How many rounds are the lanes of one.
    fn times(&self, function: &Function, around: Surroundings<'_>) -> Option<u8> {
        if !self.rounds.accesses.iter().all(|access| access.step == Some(0)) {
            return self.rounds.times(function, around).filter(|_| self.rounds.is_dense());
        }
        // Totals alone: as many as a register has of the widest numbers.
        let insts = self.rounds.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        let results = insts.flat_map(|inst| &function.insts[inst.0 as usize].results);
        let own = results.filter(|result| !self.rounds.lines.steps.contains_key(result));
        let widest = own.map(|result| function.ty(*result).element.size()).max()?;
        let called = self.rounds.calls.values().next().map(|(_, times)| *times);
        let times = called.unwrap_or(around.machine.lanes(widest));
        let rounds = self.rounds.counter.rounds(function).unwrap_or(u64::MAX);
        (!self.rounds.totals.is_empty() && times > 1 && rounds >= 2 * u64::from(times)).then_some(times)
    }
}

impl Inner {
    /// Does nobody outside look at more than what the header is handed?
    fn is_only_known_by_its_header(&self, function: &Function, looks: &Looks) -> bool {
        let data = &function.blocks[self.header.0 as usize];
        let results = data.insts.iter().flat_map(|inst| &function.insts[inst.0 as usize].results);
        results.copied().all(|value| !self.is_seen(function, looks, value))
    }

    /// Does somebody outside look at a value of it?
    fn is_seen(&self, function: &Function, looks: &Looks, value: Value) -> bool {
        let mut leaves = function.blocks[self.header.0 as usize].terminator.targets().filter(|target| target.block != self.body);
        let is_outside = |block: &Block| !self.inside[block.0 as usize];
        leaves.any(|target| target.arguments.contains(&value))
            || looks.get(&value).is_some_and(|blocks| blocks.iter().any(is_outside))
    }
}
