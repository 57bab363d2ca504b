//! Sums of products with a number that grows by as much each round → sums, and sums of these.
//!
//! ```text
//! block1(i, t):                            block1(i, t, a, p):
//!     branch i < n, block2, block3             branch i < n, block2, block4
//! block2:                                  block2:
//!     u = sub m, i                             b = add a, s
//!     v = add t, (mul s, splat u)    ──►       q = add p, b
//!     jump block1(i + 8, v)                    jump block1(i + 8, t, b, q)
//! block3:                                  block4:
//!     … t …                                    u = sub m, i
//!                                              v = add t, (mul a, splat u) + (mul p, 8)
//!                                              jump block3
//!                                          block3:
//!                                              … v …
//! ```
//! Abel's summation by parts: with A the sums of s, and u growing by d from round to round, Σ uᵣ·sᵣ = u·A − d·Σ Aᵣ₊₁, where u and A are what
//! they have become behind the loop. It holds modulo 2ⁿ, as integers add and multiply. A product and a splat for each round become an addition.
//! Where the loop has the sums of s anyhow, as a checksum has that of its bytes, they are those.
//!
//! # What is looked for
//! A parameter of the header to which each round adds, and at which nothing else looks there; the loop is left from its header alone.

use super::block_writer::{BlockWriter, IsInside, new_block};
use super::counted_loop::growth;
use super::jammed_loops::{Counter, counter};
use super::loop_uses::LoopUses;
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Chains of additions, and computations of factors, are followed so far.
const DEPTH: u32 = 8;

/// Rewrites the sums of a function's loops.
pub fn summation_by_parts(function: &mut Function) {
    let is_scaled = |inst: &Inst| product(function, function.insts[inst.0 as usize].results.first().copied()?);
    if !function.blocks.iter().flat_map(|block| &block.insts).any(|inst| is_scaled(inst).is_some()) {
        return;
    }
    let graph = Graph::new(function);
    let sums: Vec<Sum> = graph.order.iter().flat_map(|&header| Sum::all(function, &graph, header)).collect();
    if sums.is_empty() {
        return;
    }
    for sum in sums {
        sum.rewrite(function);
    }
    function.sort_blocks();
}

/// Lanes and the scalar that multiplies them.
fn product(function: &Function, value: Value) -> Option<(Value, Value)> {
    let ty = function.ty(value);
    let Some(&Op::Binary(BinaryOp::Mul, a, b)) = function.definition(value) else { return None };
    if ty.length == 1 || !ty.element.is_int() {
        return None;
    }
    [(a, b), (b, a)].into_iter().find_map(|(lanes, splat)| Some((lanes, function.splatted(splat)?)))
}

/// A loop that is left from its header alone.
struct Loop {
    header: Block,
    /// The block that goes back to the header.
    latch: Block,
    counter: Counter,
    /// By block: is it in the loop?
    inside: Vec<bool>,
    /// The instructions of the loop; those of the header are there behind it, too.
    insts: FxHashSet<Inst>,
    of_header: FxHashSet<Inst>,
    uses: LoopUses,
}

impl Loop {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Rc<Loop>> {
        let counter = counter(function, graph, header).filter(|_| graph.innermost_loop(header) == Some(header))?;
        let inside = graph.natural_loop(header).expect("a counter has a loop");
        let blocks = || graph.order.iter().copied().filter(|block| inside[block.0 as usize]);
        let targets = |block: Block| function.blocks[block.0 as usize].terminator.targets();
        let is_left = |block: Block| block != header && targets(block).any(|to| !inside[to.block.0 as usize]);
        let latches: Vec<Block> = blocks().filter(|&block| targets(block).any(|to| to.block == header)).collect();
        let [latch] = latches[..] else { return None };
        if blocks().any(is_left) {
            return None;
        }
        let insts = blocks().flat_map(|block| &function.blocks[block.0 as usize].insts).copied().collect();
        let of_header = function.blocks[header.0 as usize].insts.iter().copied().collect();
        let uses = LoopUses::of(function, &inside);
        Some(Rc::new(Loop { header, latch, counter, inside, insts, of_header, uses }))
    }

    /// By so much a scalar grows from round to round, modulo 2ⁿ; `None` if that is not the same in all rounds.
    fn growth(&self, function: &Function, value: Value) -> Option<u64> {
        let is_inside = |value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => self.inside[block.0 as usize],
            ValueDef::Result(inst, _) => self.insts.contains(&inst),
        };
        Some(growth(function, self.counter.value, &is_inside, value, DEPTH)?.wrapping_mul(self.counter.step))
    }

    /// A parameter of the header that is the sum of these lanes over the rounds before, and what a round makes of it.
    fn sums_of(&self, function: &Function, lanes: Value) -> Option<(Value, Value)> {
        let arguments = |block: Block| {
            let mut targets = function.blocks[block.0 as usize].terminator.targets();
            targets.find(|target| target.block == self.header).map(|target| &target.arguments)
        };
        let next = arguments(self.latch)?;
        let begins = |place: usize, block: Block| {
            let given = arguments(block).map(|arguments| function.definition(arguments[place]));
            given.is_none_or(|given| matches!(given, Some(Op::Const(bits)) if bits.iter().all(|bits| *bits == 0)))
        };
        let parameters = function.blocks[self.header.0 as usize].parameters.iter().copied().enumerate();
        parameters.zip(next).find_map(|((place, sum), &next)| {
            let &Op::Binary(BinaryOp::Add, a, b) = function.definition(next)? else { return None };
            let added = if a == sum { b } else { a };
            let is_sum = (a == sum || b == sum) && is_same(function, added, lanes, DEPTH);
            let mut blocks = (0..function.blocks.len() as u32).map(Block).filter(|block| *block != self.latch);
            (is_sum && blocks.all(|block| begins(place, block))).then_some((sum, next))
        })
    }

    /// A parameter of the header that was added last: nothing to begin with, then what a round makes of it.
    fn bring(&self, function: &mut Function, next: Value, ty: Type, span: Span) {
        for block in (0..function.blocks.len() as u32).map(Block) {
            if !function.blocks[block.0 as usize].terminator.targets().any(|target| target.block == self.header) {
                continue;
            }
            let given = if block == self.latch { next } else { BlockWriter { function, block, span }.number(0, ty) };
            for target in function.blocks[block.0 as usize].terminator.targets_mut() {
                if target.block == self.header {
                    target.arguments.push(given);
                }
            }
        }
    }

    /// Leaves the loop by a block in which the parameter has become another value.
    fn leave_by(&self, function: &mut Function, exit: Block, parameter: Value, total: Value) {
        let look = |value: &mut Value| {
            if *value == parameter {
                *value = total;
            }
        };
        let Terminator::Branch { otherwise, .. } = &mut function.blocks[self.header.0 as usize].terminator else {
            unreachable!("a loop with a counter is left by a branch")
        };
        let mut target = std::mem::replace(otherwise, Target { block: exit, arguments: Vec::new() });
        target.arguments.iter_mut().for_each(look);
        function.blocks[exit.0 as usize].terminator = Terminator::Jump(target);
        for block in 0..function.blocks.len() {
            if block == exit.0 as usize || self.inside.get(block) == Some(&true) {
                continue;
            }
            let data = &mut function.blocks[block];
            for inst in &data.insts {
                function.insts[inst.0 as usize].op.for_each_mut(look);
            }
            data.terminator.for_each_mut(look);
        }
    }
}

/// A product that each round adds.
struct Product {
    /// The instruction that adds it, and what to.
    added: Inst,
    to: Value,
    /// What is multiplied, by what, which grows so much each round.
    lanes: Value,
    factor: Value,
    growth: u64,
}

/// A sum of products over the rounds of a loop.
struct Sum {
    around: Rc<Loop>,
    /// The place of the parameter.
    place: usize,
    product: Product,
}

impl Sum {
    /// Those of the loop of a header.
    fn all(function: &Function, graph: &Graph, header: Block) -> Vec<Sum> {
        let Some(around) = Loop::of(function, graph, header) else { return Vec::new() };
        let places = 0..function.blocks[header.0 as usize].parameters.len();
        places.filter_map(|place| Sum::of(function, &around, place)).collect()
    }

    fn of(function: &Function, around: &Rc<Loop>, place: usize) -> Option<Sum> {
        let parameter = function.blocks[around.header.0 as usize].parameters[place];
        let Terminator::Jump(target) = &function.blocks[around.latch.0 as usize].terminator else { return None };
        let (mut value, mut found) = (target.arguments[place], None);
        for _ in 0..DEPTH {
            if around.uses.inside[value.0 as usize] != 1 {
                return None;
            }
            if value == parameter {
                return Some(Sum { around: around.clone(), place, product: found? });
            }
            let ValueDef::Result(inst, _) = function.values[value.0 as usize].def else { return None };
            value = match function.insts[inst.0 as usize].op {
                Op::Dot4 { sum, .. } => sum,
                Op::Binary(BinaryOp::Add, a, b) => match Sum::product(function, around, inst, [a, b]) {
                    Some(product) if found.is_none() => found.insert(product).to,
                    _ => [a, b].into_iter().find(|&side| leads_to(function, side, parameter, DEPTH))?,
                },
                _ => return None,
            };
        }
        None
    }

    /// That which an addition adds.
    fn product(function: &Function, around: &Loop, added: Inst, [a, b]: [Value; 2]) -> Option<Product> {
        let (to, (lanes, factor)) = [(a, b), (b, a)].into_iter().find_map(|(to, value)| Some((to, product(function, value)?)))?;
        let growth = around.growth(function, factor)?;
        (growth != 0).then_some(Product { added, to, lanes, factor, growth })
    }

    fn rewrite(self, function: &mut Function) {
        let Sum { around, place, product: Product { added, to, lanes, factor, growth } } = self;
        let header = around.header;
        let ty = function.ty(lanes);
        let span = function.insts[added.0 as usize].span;
        let parameter = function.blocks[header.0 as usize].parameters[place];
        let (sums, next) = match around.sums_of(function, lanes) {
            Some(sums) => sums,
            None => {
                let sums = BlockWriter { function, block: header, span }.parameter(header, ty);
                let (sum, next) = function.create(Op::Binary(BinaryOp::Add, sums, lanes), ty, span);
                for data in &mut function.blocks {
                    if let Some(at) = data.insts.iter().position(|inst| *inst == added) {
                        data.insts.insert(at, sum);
                    }
                }
                around.bring(function, next, ty, span);
                (sums, next)
            }
        };
        let second = BlockWriter { function, block: header, span }.parameter(header, ty);
        let next_second = BlockWriter { function, block: around.latch, span }.emit(Op::Binary(BinaryOp::Add, second, next), ty);
        around.bring(function, next_second, ty, span);
        let total = function.insts[added.0 as usize].results[0];
        function.blocks.iter_mut().for_each(|data| data.insts.retain(|inst| *inst != added));
        function.replace_uses(&FxHashMap::from_iter([(total, to)]));
        // Behind the loop: the header's parameters are there.
        let exit = new_block(function);
        let is_inside: &IsInside<'_> = &|function: &Function, value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(..) => false,
            ValueDef::Result(inst, _) => around.insts.contains(&inst) && !around.of_header.contains(&inst),
        };
        let factor = BlockWriter { function, block: exit, span }.again(factor, is_inside, &mut FxHashMap::default());
        let mut writer = BlockWriter { function, block: exit, span };
        let factor = writer.emit(Op::Splat(factor), ty);
        let all = writer.emit(Op::Binary(BinaryOp::Mul, sums, factor), ty);
        let growth = writer.number(growth.wrapping_neg() & (u64::MAX >> (64 - ty.element.bits())), ty);
        let rest = writer.emit(Op::Binary(BinaryOp::Mul, second, growth), ty);
        let total = writer.emit(Op::Binary(BinaryOp::Add, all, rest), ty);
        let total = writer.emit(Op::Binary(BinaryOp::Add, parameter, total), ty);
        around.leave_by(function, exit, parameter, total);
    }
}

/// Are two values computed in the same way, from numbers alone?
fn is_same(function: &Function, a: Value, b: Value, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let is_same = |a: Value, b: Value| depth > 0 && function.ty(a) == function.ty(b) && is_same(function, a, b, depth - 1);
    match (function.definition(a), function.definition(b)) {
        (Some(Op::Const(a)), Some(Op::Const(b))) => a == b,
        (Some(&Op::Reinterpret(a)), Some(&Op::Reinterpret(b))) => is_same(a, b),
        (Some(&Op::Convert(op, a)), Some(&Op::Convert(other, b))) => op == other && is_same(a, b),
        (Some(&Op::Sad(a, c)), Some(&Op::Sad(b, d))) | (Some(&Op::Dot2(a, c)), Some(&Op::Dot2(b, d))) => {
            is_same(a, b) && is_same(c, d)
        }
        _ => false,
    }
}

/// Does a chain of additions begin with the parameter?
fn leads_to(function: &Function, value: Value, parameter: Value, depth: u32) -> bool {
    value == parameter
        || depth > 0
            && match function.definition(value) {
                Some(&Op::Dot4 { sum, .. }) => leads_to(function, sum, parameter, depth - 1),
                Some(&Op::Binary(BinaryOp::Add, a, b)) => {
                    leads_to(function, a, parameter, depth - 1) || leads_to(function, b, parameter, depth - 1)
                }
                _ => false,
            }
}
