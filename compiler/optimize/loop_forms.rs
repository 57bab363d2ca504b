//! Loops of other forms ask at the top whether there is one more round, and ask the number that they count by.
//!
//! ```text
//!     jump block1(0)                              m = select (compare.slt 1, n), n, 1
//! block1(i):                                      jump block3(0)
//!     …                                       block3(i):
//!     j = add i, 1                     ──►        c = compare.slt i, m
//!     c = compare.slt j, n                        branch c, block1, block2(i)
//!     branch c, block1(j), block2(j)          block1:
//!                                                 …
//!                                                 j = add i, 1
//!                                                 jump block3(j)
//!
//! block1(i):                                  block1(i):
//!     c = compare.sge i, n             ──►        c = compare.slt i, n
//!     branch c, out, block2                       branch c, block2, out
//!
//!     jump block1(n)                              jump block1(n − 1)
//! block1(i):                                  block1(j):
//!     j = sub i, 1                                c = compare.sge j, 0
//!     c = compare.sge j, 0             ──►        branch c, block2, out
//!     branch c, block2, out                   block2:
//! block2:                                         …
//!     …                                           jump block1(j − 1)
//!     jump block1(j)
//! ```
//! `do … while (++i < n)`, `while (true) { if (i >= n) break; … }`, `while (n > i)` and `for (int i = n; --i >= 0;)` are so the `for` that the passes behind this one know.
//!
//! # Why this is right
//! * The first round of a loop that asks behind its rounds is not asked for. Either who comes to it has been asked the same (`if (n > 0) do …`), or the number begins with a
//!   constant s and is below the limit; then it is the greater one of the limit and s + 1, as neither s nor what the first round makes of it wraps.
//! * What is seen behind such a loop is what its last round made, and is handed on. There is a round, so that nobody sees what that begins with.
//! * A number that is asked once it is less by one is handed on as what it is then, modulo 2ⁿ.
//!
//! Loops with vectors in them, and those that other loops are in, stay as they are.

use super::block_writer::{BlockWriter, new_block};
use super::control_flow;
use super::counted_loop::{Ways, grown, values_of};
use super::vectorized_rounds::{Looks, looks, replace_behind};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop that leads to another one gives it another place to come from, which is looked at the next time.
const TIMES: usize = 4;
/// So many branches are looked at in front of a loop.
const BRANCHES: usize = 8;

/// Rewrites the innermost loops of a function.
pub fn loop_forms(function: &mut Function) {
    for _ in 0..TIMES {
        let graph = Graph::new(function);
        let looks = looks(function, &graph);
        let mut is_changed = false;
        for &header in graph.order.iter().filter(|&&block| graph.innermost_loop(block) == Some(block)) {
            let Some(found) = Form::of(function, &graph, header) else { continue };
            is_changed |= match found.bottom(function, &graph) {
                Some(bottom) => found.turn(function, &bottom, &looks),
                None => {
                    let is_turned = found.asks_the_counter_first(function);
                    is_turned | found.goes_on_where_it_is_so(function) | found.counts_as_it_is_asked(function)
                }
            };
        }
        if !is_changed {
            return;
        }
        control_flow(function);
    }
}

/// An innermost loop of numbers, with one way in and one way back.
struct Form {
    header: Block,
    before: Block,
    latch: Block,
    inside: Vec<bool>,
    /// What it defines.
    values: FxHashSet<Value>,
}

/// How a loop that asks behind its rounds does so.
struct Bottom {
    op: CompareOp,
    /// The place of the number among the parameters of the header, and what it begins with.
    index: usize,
    start: Value,
    limit: Value,
    /// Has the same been asked in front of the loop?
    is_asked: bool,
    /// Where it goes on from.
    leaves: Target,
}

impl Form {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Form> {
        // What another loop has become may stand in front of it: then there is no way yet.
        let Ways { before, latch, inside } = Ways::of(function, graph, header)?;
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        let values = values_of(function, &blocks);
        let is_plain = blocks.iter().all(|&block| graph.innermost_loop(block) == Some(header))
            && values.iter().all(|&value| function.ty(value).length == 1);
        is_plain.then_some(Form { header, before, latch, inside, values })
    }

    fn is_inside(&self, block: Block) -> bool {
        self.inside.get(block.0 as usize) == Some(&true)
    }

    /// What a block hands to the header.
    fn arguments<'f>(&self, function: &'f Function, from: Block) -> &'f [Value] {
        let mut targets = function.blocks[from.0 as usize].terminator.targets();
        &targets.find(|target| target.block == self.header).expect("a way to the header").arguments
    }

    /// Asks whether the counter is less than the limit, not whether the limit is greater, nor whether the contrary does not hold: `n > i`, `!(i >= n)`.
    fn asks_the_counter_first(&self, function: &mut Function) -> bool {
        let data = &function.blocks[self.header.0 as usize];
        let Terminator::Branch { condition, .. } = &data.terminator else { return false };
        let (asked, is_contrary) = match function.definition(*condition) {
            Some(&Op::Unary(UnaryOp::Not, contrary)) => (contrary, true),
            _ => (*condition, false),
        };
        let Some(&Op::Compare(op, a, b)) = function.definition(asked) else { return false };
        let is_counter = |value: Value| {
            let of = grown(function, value).map_or(value, |(of, _)| of);
            data.parameters.contains(&of)
        };
        let is_turned = is_counter(b) && !is_counter(a);
        let op = if is_contrary { op.negated() } else { Some(op) };
        let op = if is_turned { op.and_then(CompareOp::swapped) } else { op };
        let Some(op) = op.filter(|_| is_turned || is_contrary) else { return false };
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        let span = function.span;
        let mut header = BlockWriter { function, block: self.header, span };
        let asked = header.emit(Op::Compare(op, a, b), Type::scalar(Element::Bool));
        if let Terminator::Branch { condition, .. } = &mut function.blocks[self.header.0 as usize].terminator {
            *condition = asked;
        }
        true
    }

    /// Goes on where the condition of the header holds.
    fn goes_on_where_it_is_so(&self, function: &mut Function) -> bool {
        let Terminator::Branch { condition, then, otherwise } = &function.blocks[self.header.0 as usize].terminator else {
            return false;
        };
        if self.is_inside(then.block) || !self.is_inside(otherwise.block) {
            return false;
        }
        let Some(&Op::Compare(op, a, b)) = function.definition(*condition) else { return false };
        let Some(op) = op.negated() else { return false };
        let (then, otherwise, span) = (then.clone(), otherwise.clone(), function.span);
        let mut header = BlockWriter { function, block: self.header, span };
        let condition = header.emit(Op::Compare(op, a, b), Type::scalar(Element::Bool));
        header.end(Terminator::Branch { condition, then: otherwise, otherwise: then });
        true
    }

    /// Hands on the number that is asked, where it is what a parameter is when it has gone down.
    fn counts_as_it_is_asked(&self, function: &mut Function) -> bool {
        let Terminator::Branch { condition, .. } = function.blocks[self.header.0 as usize].terminator else { return false };
        let Some(&Op::Compare(_, asked, _)) = function.definition(condition) else { return false };
        let Some((parameter, step)) = grown(function, asked) else { return false };
        let place = function.blocks[self.header.0 as usize].parameters.iter().position(|&value| value == parameter);
        let Some(index) = place.filter(|&index| step < 0 && self.arguments(function, self.latch)[index] == asked) else {
            return false;
        };
        // The parameter is what it was when it is asked, and becomes the number that was computed of it, and the other way round.
        let ValueDef::Result(less, _) = function.values[asked.0 as usize].def else { return false };
        let (ty, span) = (function.ty(parameter), function.span);
        for from in [self.before, self.latch] {
            let argument = self.arguments(function, from)[index];
            let mut to = BlockWriter { function: &mut *function, block: from, span };
            let step = to.number(step as u64 & mask(ty), ty);
            let argument = to.emit(Op::Binary(BinaryOp::Add, argument, step), ty);
            let targets = function.blocks[from.0 as usize].terminator.targets_mut();
            targets.filter(|target| target.block == self.header).for_each(|target| target.arguments[index] = argument);
        }
        let back = Inst(function.insts.len() as u32 + 1);
        let (constant, number) = function.create(Op::Const(vec![step.unsigned_abs()]), ty, span);
        function.insts.push(InstData { op: Op::Binary(BinaryOp::Add, asked, number), results: vec![parameter], span });
        function.values[parameter.0 as usize].def = ValueDef::Result(back, 0);
        function.values[asked.0 as usize].def = ValueDef::Parameter(self.header, index as u32);
        let data = &mut function.blocks[self.header.0 as usize];
        data.parameters[index] = asked;
        data.insts.retain(|&inst| inst != less);
        data.insts.splice(0..0, [constant, back]);
        true
    }

    /// The condition behind its rounds, if that is the only way out and may be asked in front of them.
    fn bottom(&self, function: &Function, graph: &Graph) -> Option<Bottom> {
        let Terminator::Branch { condition, then, otherwise } = &function.blocks[self.latch.0 as usize].terminator else {
            return None;
        };
        let Some(&Op::Compare(op, a, b)) = function.definition(*condition) else { return None };
        let (op, leaves) = match self.is_inside(then.block) {
            true => (op, otherwise),
            false => (op.negated()?, then),
        };
        let is_only_way = |(block, data): (usize, &BlockData)| {
            !self.inside[block]
                || block == self.latch.0 as usize
                || data.terminator.targets().all(|target| self.is_inside(target.block))
        };
        if self.is_inside(leaves.block) || !function.blocks.iter().enumerate().take(self.inside.len()).all(is_only_way) {
            return None;
        }
        let back = self.arguments(function, self.latch);
        let (op, next, limit) = if back.contains(&a) { (op, a, b) } else { (op.swapped()?, b, a) };
        let (parameter, step) = grown(function, next)?;
        let parameters = &function.blocks[self.header.0 as usize].parameters;
        let index = (0..parameters.len()).find(|&index| parameters[index] == parameter && back[index] == next)?;
        if self.values.contains(&limit) {
            return None;
        }
        let start = self.arguments(function, self.before)[index];
        let is_asked = is_asked_before(function, graph, (self.before, self.header), (op, start, limit));
        let ty = function.ty(start);
        let first = function.constant(start).map(|bits| bits[0]);
        let greatest = match op {
            CompareOp::SLt | CompareOp::SLe => mask(ty) >> 1,
            CompareOp::ULt | CompareOp::ULe => mask(ty),
            _ => 0,
        };
        let is_far = |first: u64| first <= mask(ty) >> 1 && step > 0 && greatest.saturating_sub(first) >= step as u64;
        (is_asked || first.is_some_and(is_far)).then(|| Bottom { op, index, start, limit, is_asked, leaves: leaves.clone() })
    }

    /// Asks in front of the rounds, if what is seen behind the loop can be handed on.
    fn turn(&self, function: &mut Function, bottom: &Bottom, looks: &Looks) -> bool {
        let Form { header, before, latch, .. } = *self;
        let back = self.arguments(function, latch).to_vec();
        let mut starts = self.arguments(function, before).to_vec();
        let is_seen = |value: &&Value| {
            let seen = looks.get(value).is_some_and(|blocks| blocks.iter().any(|&block| !self.is_inside(block)));
            seen || bottom.leaves.arguments.contains(value)
        };
        let mut seen: Vec<Value> = self.values.iter().filter(is_seen).copied().collect();
        seen.sort_unstable_by_key(|value| value.0);
        let (handed, others): (Vec<Value>, Vec<Value>) = seen.into_iter().partition(|value| back.contains(value));
        if others.iter().any(|&value| function.ty(value).element == Element::Ptr) {
            return false;
        }

        let span = function.span;
        let top = new_block(function);
        let parameters = std::mem::take(&mut function.blocks[header.0 as usize].parameters);
        for (index, &parameter) in parameters.iter().enumerate() {
            function.values[parameter.0 as usize].def = ValueDef::Parameter(top, index as u32);
        }
        function.blocks[top.0 as usize].parameters = parameters.clone();
        let mut to = BlockWriter { function, block: before, span };
        let limit = if bottom.is_asked { bottom.limit } else { bottom.greater_limit(&mut to) };
        let mut behind: FxHashMap<Value, Value> = FxHashMap::default();
        for value in handed {
            let index = back.iter().position(|&next| next == value).expect("it is handed on");
            behind.insert(value, parameters[index]);
        }
        let mut back_to_top = back;
        for value in others {
            let ty = to.function.ty(value);
            let zero = to.number(0, ty);
            starts.push(zero);
            back_to_top.push(value);
            behind.insert(value, to.parameter(top, ty));
        }
        let mut targets = to.function.blocks[before.0 as usize].terminator.targets_mut();
        let entry = targets.find(|target| target.block == header).expect("a way into the loop");
        *entry = Target { block: top, arguments: starts };
        drop(targets);
        to.block = top;
        let condition = to.emit(Op::Compare(bottom.op, parameters[bottom.index], limit), Type::scalar(Element::Bool));
        let then = Target { block: header, arguments: Vec::new() };
        to.end(Terminator::Branch { condition, then, otherwise: bottom.leaves.clone() });
        to.block = latch;
        to.end(Terminator::Jump(Target { block: top, arguments: back_to_top }));

        if let Terminator::Branch { otherwise, .. } = &mut function.blocks[top.0 as usize].terminator {
            otherwise.arguments.iter_mut().for_each(|value| *value = behind.get(value).copied().unwrap_or(*value));
        }
        replace_behind(function, looks, |block| self.is_inside(block), &behind);
        true
    }
}

impl Bottom {
    /// The least limit that the first round is below.
    fn greater_limit(&self, to: &mut BlockWriter<'_>) -> Value {
        let ty = to.function.ty(self.start);
        let first = to.function.constant(self.start).expect("it begins with a constant")[0];
        let below = if matches!(self.op, CompareOp::SLt | CompareOp::SLe) { CompareOp::SLt } else { CompareOp::ULt };
        let least = first + u64::from(self.op == below);
        let least = to.number(least, ty);
        if let (Some(least), Some(limit)) = (to.function.signed_constant(least), to.function.signed_constant(self.limit))
            && (0..=limit).contains(&least)
        {
            return self.limit;
        }
        let is_below = to.emit(Op::Compare(below, least, self.limit), Type::scalar(Element::Bool));
        to.emit(Op::Select(is_below, self.limit, least), ty)
    }
}

/// The bits of a number.
fn mask(ty: Type) -> u64 {
    u64::MAX >> (64 - ty.element.bits())
}

/// Does a comparison hold wherever a block leads to another one?
fn is_asked_before(function: &Function, graph: &Graph, way: (Block, Block), (op, a, b): (CompareOp, Value, Value)) -> bool {
    let is_same = |x: Value, y: Value| {
        x == y || function.ty(x) == function.ty(y) && function.constant(x).is_some_and(|bits| Some(bits) == function.constant(y))
    };
    let tells = |asked: CompareOp| {
        use CompareOp::*;
        asked == op || matches!((asked, op), (SLt, SLe) | (SGt, SGe) | (ULt, ULe) | (UGt, UGe) | (SLt | SGt | ULt | UGt, Ne))
    };
    let (mut from, mut to) = way;
    for _ in 0..BRANCHES {
        if let Terminator::Branch { condition, then, otherwise } = &function.blocks[from.0 as usize].terminator
            && then.block != otherwise.block
            && let Some(&Op::Compare(asked, x, y)) = function.definition(*condition)
            && let Some(asked) = if then.block == to { Some(asked) } else { asked.negated() }
        {
            let is_told = is_same(x, a) && is_same(y, b) && tells(asked);
            let is_told_swapped = || is_same(x, b) && is_same(y, a) && asked.swapped().is_some_and(tells);
            if is_told || is_told_swapped() {
                return true;
            }
        }
        let [before] = graph.predecessors[from.0 as usize][..] else { return false };
        (from, to) = (before, from);
    }
    false
}
