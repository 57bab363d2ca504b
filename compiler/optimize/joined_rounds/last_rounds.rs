//! What joined rounds leave, and the tail behind them, are rounds of one loop under a mask: a long body is there twice, and not three times.
//!
//! ```text
//! block7(i, s):                                  block7(i, s):
//!     branch i < n & −8, block8, block10             branch i < n, block11, block14(s)
//! block8:                                        block11:
//!     … a round, from i on …                         k = umin n − i, 8
//!     jump block7(i + 8, t)                          m = firstlanes k
//! block10:                                  ──►      … the tail, from i on …
//!     branch i < n, block11, block14(s)              jump block7(i + 8, u)
//! block11:
//!     m = firstlanes n & 7
//!     … the tail, from n & −8 on …
//!     jump block14(u)
//! ```
//! The tail does for its first lanes what a round does for all. What it hands on where it ends is what the loop goes on with: there is nothing
//! else that rounds know of each other. It is done for long bodies, of which a few rounds take no longer under a mask.

use super::super::block_writer::BlockWriter;
use super::super::jammed_loops::Counter;
use super::super::kept_calls::SHORT;
use super::region::defined;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Lets the tails behind loops do the rounds that are left of them, where these are long; of functions that are called, the length is given.
pub(super) fn join(function: &mut Function, loops: &[(Block, Counter)], length: impl Fn(FunctionId) -> usize) {
    let (graph, users) = (Graph::new(function), Users::of(function));
    let of_loop = |&(header, counter): &(Block, Counter)| {
        let tail = Tail::of(function, &graph, &users, header, &counter)?;
        let insts = tail.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        let of_inst = |inst: &Inst| match function.insts[inst.0 as usize].op {
            Op::Call(callee, _) => length(callee),
            _ => 1,
        };
        (insts.map(of_inst).sum::<usize>() >= SHORT).then_some((tail, header, counter))
    };
    let tails: Vec<(Tail, Block, Counter)> = loops.iter().filter_map(of_loop).collect();
    for (tail, header, counter) in tails {
        tail.join(function, header, &counter);
    }
}

/// The blocks in which values are looked at.
struct Users(FxHashMap<Value, Vec<Block>>);

impl Users {
    fn of(function: &Function) -> Users {
        let mut users: FxHashMap<Value, Vec<Block>> = FxHashMap::default();
        for block in (0..).map(Block).take(function.blocks.len()) {
            let mut look = |value: Value| {
                let blocks = users.entry(value).or_default();
                if blocks.last() != Some(&block) {
                    blocks.push(block);
                }
            };
            let data = &function.blocks[block.0 as usize];
            data.insts.iter().for_each(|inst| function.insts[inst.0 as usize].op.for_each(&mut look));
            data.terminator.for_each(&mut look);
        }
        Users(users)
    }

    fn blocks(&self, value: Value) -> &[Block] {
        self.0.get(&value).map_or(&[], |blocks| blocks)
    }
}

/// What follows the rounds of a loop for the lanes that are less than a round.
struct Tail {
    /// Where it is asked for.
    question: Block,
    /// Where it begins, and its blocks.
    first: Block,
    blocks: Vec<Block>,
    /// Where it goes on.
    end: Block,
    /// For each parameter of the loop's header, which of the end's takes its place there.
    places: Vec<Option<usize>>,
    /// Behind the last lane of all, behind the last one of whole rounds, and how many are between.
    limit: Value,
    whole: Value,
    rest: Vec<Value>,
}

impl Tail {
    fn of(function: &Function, graph: &Graph, users: &Users, header: Block, counter: &Counter) -> Option<Tail> {
        let Terminator::Branch { otherwise, .. } = &function.blocks[header.0 as usize].terminator else { return None };
        let question = otherwise.block;
        let asks = &function.blocks[question.0 as usize];
        let Terminator::Branch { condition, then, otherwise } = &asks.terminator else { return None };
        let &Op::Compare(op, now, limit) = function.definition(*condition)? else { return None };
        let (first, end) = (then.block, otherwise.block);
        let is_only_way = |to: Block, from: Block| graph.predecessors[to.0 as usize] == [from];
        let has_parts = is_only_way(question, header) && is_only_way(first, question) && first != end;
        if !has_parts || op != counter.op || now != counter.value || !asks.parameters.is_empty() || asks.insts.len() != 1 {
            return None;
        }
        let is_part = |value: Value, bits: u64| match function.definition(value) {
            Some(&Op::Binary(BinaryOp::And, all, mask)) => {
                all == limit && function.constant(mask).is_some_and(|mask| mask == [bits])
            }
            _ => false,
        };
        let ones = u64::MAX >> (64 - function.ty(limit).element.bits());
        if !is_part(counter.limit, counter.step.wrapping_neg() & ones) {
            return None;
        }
        let blocks = between(function, graph, first, end)?;
        let rest = used(function, &blocks).into_iter().filter(|&value| is_part(value, counter.step - 1)).collect();
        let place = |parameter: &Value| otherwise.arguments.iter().position(|argument| argument == parameter);
        let places = function.blocks[header.0 as usize].parameters.iter().map(place).collect();
        let tail = Tail { question, first, blocks, end, places, limit, whole: counter.limit, rest };
        let is_a_round = tail.says_where_it_begins(function)
            && tail.does_not_look_back(function, graph, users, header, counter)
            && tail.tells_what_changes(function, header, counter);
        is_a_round.then_some(tail)
    }

    fn is_place(&self, value: Value) -> bool {
        value == self.whole || self.rest.contains(&value)
    }

    /// Nothing that it takes from outside is computed of where rounds end, or of how many lanes are left: that were one for the tail alone.
    fn says_where_it_begins(&self, function: &Function) -> bool {
        let inside = defined(function, self.blocks.iter().copied());
        let is_rest = |op: &Op| matches!(*op, Op::Binary(BinaryOp::Sub, a, b) if a == self.limit && b == self.whole);
        let mut insts = self.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        if insts.any(|inst| is_rest(&function.insts[inst.0 as usize].op)) {
            return false;
        }
        let mut work: Vec<Value> = used(function, &self.blocks).difference(&inside).copied().collect();
        work.retain(|&value| !self.is_place(value));
        let mut seen: FxHashSet<Value> = work.iter().copied().collect();
        while let Some(value) = work.pop() {
            let mut is_of_a_place = false;
            if let Some(op) = function.definition(value) {
                op.for_each(|operand| {
                    is_of_a_place |= self.is_place(operand);
                    work.extend(Some(operand).filter(|&operand| seen.insert(operand)));
                });
            }
            if is_of_a_place {
                return false;
            }
        }
        true
    }

    /// Rounds do not say where they end, and nobody behind them looks at what is theirs alone: what they hand on, the tail may change only
    /// where the end is told of it.
    fn does_not_look_back(&self, function: &Function, graph: &Graph, users: &Users, header: Block, counter: &Counter) -> bool {
        let Some(inside) = graph.natural_loop(header) else { return false };
        let is_inside = |block: &Block| inside[block.0 as usize];
        let round: Vec<Block> = (0..).map(Block).take(inside.len()).filter(is_inside).collect();
        let parameters = &function.blocks[header.0 as usize].parameters;
        let is_in_body = |block: &Block| *block != header && is_inside(block);
        if users.blocks(self.whole).iter().chain(self.rest.iter().flat_map(|rest| users.blocks(*rest))).any(is_in_body) {
            return false;
        }
        defined(function, round.into_iter()).into_iter().all(|value| {
            let place = parameters.iter().position(|parameter| *parameter == value);
            let others = users.blocks(value).iter().filter(|block| !is_inside(block));
            others.filter(|block| **block != self.question || place.is_none()).all(|block| match place {
                Some(at) if self.blocks.contains(block) => at == counter.index || self.places[at].is_some(),
                Some(at) => at != counter.index && self.places[at].is_none(),
                None => false,
            })
        })
    }

    /// It does not return, and its end is told what rounds hand on, and beside that the same from the tail as without it.
    fn tells_what_changes(&self, function: &Function, header: Block, counter: &Counter) -> bool {
        let parameters = &function.blocks[header.0 as usize].parameters;
        let Terminator::Branch { otherwise, .. } = &function.blocks[self.question.0 as usize].terminator else { return false };
        let terminators = || self.blocks.iter().map(|block| &function.blocks[block.0 as usize].terminator);
        let goes_on = |terminator: &Terminator| matches!(terminator, Terminator::Jump(_) | Terminator::Branch { .. });
        let is_same = |(at, told): (usize, &Value)| {
            self.places.contains(&Some(at)) || *told == otherwise.arguments[at] && !parameters.contains(told)
        };
        self.places[counter.index].is_none()
            && terminators().all(goes_on)
            && (terminators().flat_map(Terminator::targets))
                .filter(|target| target.block == self.end)
                .all(|target| target.arguments.iter().enumerate().all(is_same))
    }

    fn join(self, function: &mut Function, header: Block, counter: &Counter) {
        let ty = function.ty(counter.value);
        // What stands in the tail takes its place and its lanes from the counter.
        let begins = std::mem::take(&mut function.blocks[self.first.0 as usize].insts);
        let span = counter.span(function);
        let mut to = BlockWriter { function: &mut *function, block: self.first, span };
        let step = to.number(counter.step, ty);
        let left = to.emit(Op::Binary(BinaryOp::Sub, self.limit, counter.value), ty);
        let left = to.emit(Op::Binary(BinaryOp::UMin, left, step), ty);
        let next = to.emit(Op::Binary(BinaryOp::Add, counter.value, step), ty);
        let instead = |value: &mut Value| {
            if *value == self.whole {
                *value = counter.value;
            } else if self.rest.contains(value) {
                *value = left;
            }
        };
        let others = self.blocks.iter().filter(|&&block| block != self.first);
        let others = others.flat_map(|block| &function.blocks[block.0 as usize].insts).copied();
        for inst in begins.iter().copied().chain(others).collect::<Vec<_>>() {
            function.insts[inst.0 as usize].op.for_each_mut(instead);
        }
        function.blocks[self.first.0 as usize].insts.extend(begins);

        // It goes back to the header, which asks what was asked in front of the tail.
        let parameters = function.blocks[header.0 as usize].parameters.clone();
        for block in &self.blocks {
            let terminator = &mut function.blocks[block.0 as usize].terminator;
            terminator.for_each_mut(instead);
            for target in terminator.targets_mut().filter(|target| target.block == self.end) {
                let argument = |(at, parameter): (usize, &Value)| match self.places[at] {
                    _ if at == counter.index => next,
                    Some(place) => target.arguments[place],
                    None => *parameter,
                };
                let arguments = parameters.iter().enumerate().map(argument).collect();
                *target = Target { block: header, arguments };
            }
        }
        let question = std::mem::replace(&mut function.blocks[self.question.0 as usize], BlockData::empty());
        let (insts, head) = (&function.insts, &mut function.blocks[header.0 as usize]);
        head.insts.retain(|inst| matches!(insts[inst.0 as usize].op, Op::Unroll(_)));
        head.insts.splice(0..0, question.insts);
        head.terminator = question.terminator;
    }
}

/// The blocks from one on to another one that only they lead to from there; `None` if somebody else comes to them.
fn between(function: &Function, graph: &Graph, first: Block, end: Block) -> Option<Vec<Block>> {
    let (mut blocks, mut seen) = (vec![first], FxHashSet::from_iter([first, end]));
    let mut at = 0;
    while let Some(&block) = blocks.get(at) {
        blocks.extend(function.blocks[block.0 as usize].terminator.targets().map(|to| to.block).filter(|to| seen.insert(*to)));
        at += 1;
    }
    let is_inside = |from: &Block| *from != end && seen.contains(from);
    let is_own = |block: &Block| *block == first || graph.predecessors[block.0 as usize].iter().all(is_inside);
    blocks.iter().all(is_own).then_some(blocks)
}

/// What some blocks look at.
fn used(function: &Function, blocks: &[Block]) -> FxHashSet<Value> {
    let mut used = FxHashSet::default();
    for block in blocks.iter().map(|block| &function.blocks[block.0 as usize]) {
        block.insts.iter().for_each(|inst| function.insts[inst.0 as usize].op.for_each(|value| _ = used.insert(value)));
        block.terminator.for_each(|value| _ = used.insert(value));
    }
    used
}
