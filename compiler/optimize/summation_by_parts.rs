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
//!
//! # What is looked for
//! A parameter of the header to which each round adds, and at which nothing else looks there; the loop is left from its header alone.

use super::block_writer::{BlockWriter, IsInside, new_block};
use super::jammed_loops::{Counter, counter};
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use std::collections::HashMap;

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
    let factor = |value| match function.definition(value) {
        Some(&Op::Splat(factor)) => Some(factor),
        _ => None,
    };
    if ty.length == 1 || !ty.element.is_int() {
        return None;
    }
    [(a, b), (b, a)].into_iter().find_map(|(lanes, splat)| Some((lanes, factor(splat)?)))
}

/// A sum of products over the rounds of a loop.
struct Sum {
    header: Block,
    /// The blocks of the loop.
    inside: Vec<bool>,
    /// The block that goes back to the header.
    latch: Block,
    /// The place of the parameter.
    place: usize,
    /// The instruction that adds a product in each round, and what it adds to.
    added: Inst,
    to: Value,
    /// What is multiplied, by what, which grows so much each round.
    lanes: Value,
    factor: Value,
    growth: u64,
}

impl Sum {
    /// Those of the loop of a header.
    fn all(function: &Function, graph: &Graph, header: Block) -> Vec<Sum> {
        let Some(counter) = counter(function, graph, header).filter(|_| graph.innermost_loop(header) == Some(header)) else {
            return Vec::new();
        };
        let inside = graph.natural_loop(header).expect("a counter has a loop");
        let mut blocks = graph.order.iter().copied().filter(|block| inside[block.0 as usize]);
        let is_left_alone = |block: Block| {
            block == header || function.blocks[block.0 as usize].terminator.targets().all(|to| inside[to.block.0 as usize])
        };
        let latches: Vec<Block> =
            graph.predecessors[header.0 as usize].iter().copied().filter(|from| inside[from.0 as usize]).collect();
        let ([latch], true) = (&latches[..], blocks.all(is_left_alone)) else { return Vec::new() };
        let places = 0..function.blocks[header.0 as usize].parameters.len();
        places.filter_map(|place| Sum::of(function, &counter, &inside, (header, *latch), place)).collect()
    }

    fn of(function: &Function, counter: &Counter, inside: &[bool], (header, latch): (Block, Block), place: usize) -> Option<Sum> {
        let parameter = function.blocks[header.0 as usize].parameters[place];
        let target = match &function.blocks[latch.0 as usize].terminator {
            Terminator::Jump(target) if target.block == header => target,
            _ => return None,
        };
        let uses = uses_inside(function, inside, parameter);
        let last = target.arguments[place];
        let mut value = last;
        let mut found = None;
        for _ in 0..DEPTH {
            let ValueDef::Result(inst, _) = function.values[value.0 as usize].def else { return None };
            if uses_inside(function, inside, value) != 1 {
                return None;
            }
            let to = match function.insts[inst.0 as usize].op {
                Op::Dot4 { sum, .. } => sum,
                Op::Binary(BinaryOp::Add, a, b) => {
                    let scaled = [(a, b), (b, a)].into_iter().find_map(|(to, value)| Some((to, product(function, value)?)));
                    let grows = scaled.and_then(|(to, (lanes, factor))| {
                        let growth = growth(function, counter, inside, factor, DEPTH)?.wrapping_mul(counter.step);
                        (growth != 0 && function.ty(lanes).length > 1).then_some((inst, to, lanes, factor, growth))
                    });
                    match grows {
                        Some((.., to, lanes, factor, growth)) if found.is_none() => {
                            found = Some((inst, to, lanes, factor, growth));
                            to
                        }
                        _ => [a, b].into_iter().find(|&side| leads_to(function, side, parameter, DEPTH))?,
                    }
                }
                _ => return None,
            };
            if to == parameter {
                let (added, to, lanes, factor, growth) = found.filter(|_| uses == 1)?;
                let inside = inside.to_vec();
                return Some(Sum { header, inside, latch, place, added, to, lanes, factor, growth });
            }
            value = to;
        }
        None
    }

    fn rewrite(self, function: &mut Function) {
        let ty = function.ty(self.lanes);
        let span = function.insts[self.added.0 as usize].span;
        let parameter = function.blocks[self.header.0 as usize].parameters[self.place];
        let [sums, second] = {
            let mut writer = BlockWriter { function, block: self.header, span };
            [0, 1].map(|_| writer.parameter(self.header, ty))
        };
        // The additions, where the product was added.
        let (sum, next) = function.create(Op::Binary(BinaryOp::Add, sums, self.lanes), ty, span);
        let (sum_of_sums, next_second) = function.create(Op::Binary(BinaryOp::Add, second, next), ty, span);
        let added = function.insts[self.added.0 as usize].results[0];
        for data in &mut function.blocks {
            if let Some(at) = data.insts.iter().position(|inst| *inst == self.added) {
                data.insts.splice(at..=at, [sum, sum_of_sums]);
            }
        }
        function.replace_uses(&HashMap::from([(added, self.to)]));
        // Ways into the loop bring nothing, that from the round before what it has.
        for block in (0..function.blocks.len() as u32).map(Block) {
            if !function.blocks[block.0 as usize].terminator.targets().any(|target| target.block == self.header) {
                continue;
            }
            let more = match block == self.latch {
                true => [next, next_second],
                false => {
                    let nothing = BlockWriter { function, block, span }.number(0, ty);
                    [nothing; 2]
                }
            };
            for target in function.blocks[block.0 as usize].terminator.targets_mut() {
                if target.block == self.header {
                    target.arguments.extend(more);
                }
            }
        }
        // Behind the loop: the header's parameters are there.
        let exit = new_block(function);
        let factor = self.factor_behind(function, exit, span);
        let mut writer = BlockWriter { function, block: exit, span };
        let factor = writer.emit(Op::Splat(factor), ty);
        let all = writer.emit(Op::Binary(BinaryOp::Mul, sums, factor), ty);
        let growth = writer.number(self.growth.wrapping_neg() & (u64::MAX >> (64 - ty.element.bits())), ty);
        let rest = writer.emit(Op::Binary(BinaryOp::Mul, second, growth), ty);
        let total = writer.emit(Op::Binary(BinaryOp::Add, all, rest), ty);
        let total = writer.emit(Op::Binary(BinaryOp::Add, parameter, total), ty);
        self.leave_by(function, exit, parameter, total);
    }

    /// What the factor would be in the round that is not there any more.
    fn factor_behind(&self, function: &mut Function, exit: Block, span: Span) -> Value {
        let (header, inside) = (self.header, self.inside.clone());
        let blocks: Vec<bool> = (0..inside.len()).map(|block| inside[block] && block != header.0 as usize).collect();
        let place_of: HashMap<Inst, usize> = function
            .blocks
            .iter()
            .enumerate()
            .flat_map(|(block, data)| data.insts.iter().map(move |inst| (*inst, block)))
            .collect();
        let is_inside: &IsInside<'_> = &|function: &Function, value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(..) => false,
            ValueDef::Result(inst, _) => place_of.get(&inst).is_some_and(|block| blocks.get(*block) == Some(&true)),
        };
        BlockWriter { function, block: exit, span }.again(self.factor, is_inside, &mut HashMap::new())
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

/// How often a value is used in a loop.
fn uses_inside(function: &Function, inside: &[bool], value: Value) -> usize {
    let mut uses = 0;
    for (data, _) in function.blocks.iter().zip(inside).filter(|(_, is_inside)| **is_inside) {
        for inst in &data.insts {
            function.insts[inst.0 as usize].op.for_each(|operand| uses += usize::from(operand == value));
        }
        for (target, argument) in data.terminator.targets().flat_map(|to| to.arguments.iter().map(move |value| (to, *value))) {
            uses += usize::from(argument == value && inside[target.block.0 as usize]);
        }
        if let Terminator::Branch { condition, .. } = &data.terminator {
            uses += usize::from(*condition == value);
        }
    }
    uses
}

/// By so much a scalar grows where the counter grows by 1, modulo 2ⁿ; `None` if that is not the same in all rounds.
fn growth(function: &Function, counter: &Counter, inside: &[bool], value: Value, depth: u32) -> Option<u64> {
    if value == counter.value {
        return Some(1);
    }
    let ValueDef::Result(inst, _) = function.values[value.0 as usize].def else {
        let ValueDef::Parameter(block, _) = function.values[value.0 as usize].def else { return None };
        return (!inside[block.0 as usize]).then_some(0);
    };
    let is_here = |(data, is_inside): (&BlockData, &bool)| *is_inside && data.insts.contains(&inst);
    if !function.blocks.iter().zip(inside).any(is_here) {
        return Some(0);
    }
    let get = |value: Value| growth(function, counter, inside, value, depth.checked_sub(1)?);
    let constant = |value: Value| match function.definition(value) {
        Some(Op::Const(bits)) => Some(bits[0]),
        _ => None,
    };
    match function.insts[inst.0 as usize].op {
        Op::Const(_) => Some(0),
        Op::Convert(ConvertOp::Trunc, a) => get(a),
        Op::Unary(UnaryOp::Neg, a) => Some(get(a)?.wrapping_neg()),
        Op::Binary(BinaryOp::Add, a, b) => Some(get(a)?.wrapping_add(get(b)?)),
        Op::Binary(BinaryOp::Sub, a, b) => Some(get(a)?.wrapping_sub(get(b)?)),
        Op::Binary(BinaryOp::Mul, a, b) => match (constant(a), constant(b)) {
            (Some(factor), _) => Some(get(b)?.wrapping_mul(factor)),
            (_, Some(factor)) => Some(get(a)?.wrapping_mul(factor)),
            (None, None) => None,
        },
        _ => None,
    }
}
