//! A lane that nobody looks at need not keep its old value.
//!
//! ```text
//! block1(m, x):                                   block1(m, x):
//!     c = compare.fgt x, limit                        c = compare.fgt x, limit
//!     n = not c                                       n = not c
//!     live = and m, n                                 live = and m, n
//!     y = fmul x, x                          ──►      y = fmul x, x
//!     next = select live, y, x
//!     a = any live                                    a = any live
//!     branch a, block1(live, next), block2()          branch a, block1(live, y), block2()
//! ```
//! Predication makes each assignment a select, so that lanes that have left keep what they had. In a loop that costs a
//! blend for each variable in each round, although most variables are only looked at by lanes that are still in.
//!
//! # The rule
//! The *demand* of a value is a formula ([`Logic`]) that is on in every lane where its content may reach an effect, a
//! branch or a result. It is the union of what its uses demand:
//! * an operation lane by lane demands of its operands what its result demands, `select c, a, b` only `c` of a and `not c`
//!   of b, and `and a, b` only those lanes of a where b is on (of the two, the one that implies a live mask is b);
//! * an access demands its mask of its addresses and values;
//! * an argument of a jump demands what the parameter demands, read in the lanes of the jump;
//! * every other use, and every use in another loop than the definition's, demands all lanes.
//!
//! For parameters x and m of a block, m a mask of the same length, we assume that x is demanded at most where m is on, and
//! find the greatest set of such pairs that bears itself out: an argument for x is then demanded where the argument for m
//! is on, and with that the uses of x demand no more than m. By induction over the operations of a run, each value agrees
//! in its demanded lanes with that of the program before, so all effects are the same.
//!
//! A select whose result is demanded only where its condition is on is its first operand; likewise for the second.

use super::logic::{Formula, Logic};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use std::collections::HashMap;

/// Drops selects of which only one side is looked at.
pub fn demanded_lanes(function: &mut Function) {
    let graph = Graph::new(function);
    let mut home = vec![Block(0); function.insts.len()];
    for &block in &graph.order {
        function.blocks[block.0 as usize].insts.iter().for_each(|inst| home[inst.0 as usize] = block);
    }
    let mut analysis = Analysis { function, graph: &graph, home, logic: Logic::default(), demands: HashMap::new() };
    let mut pairs = analysis.candidates();
    loop {
        analysis.compute(&pairs);
        let before = pairs.len();
        pairs.retain(|pair| analysis.is_borne_out(*pair));
        if pairs.len() == before {
            break;
        }
    }
    let same = analysis.superfluous_selects();
    function.replace_uses(&same);
}

/// Parameters of one block: `value` is demanded at most where `mask` is on.
#[derive(Clone, Copy)]
struct Pair {
    block: Block,
    value: u32,
    mask: u32,
}

struct Analysis<'f> {
    function: &'f Function,
    graph: &'f Graph,
    /// The block of each instruction.
    home: Vec<Block>,
    logic: Logic,
    /// Absent: demanded nowhere.
    demands: HashMap<Value, Formula>,
}

impl Analysis<'_> {
    /// All pairs that make sense.
    fn candidates(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for &block in &self.graph.order[1..] {
            let types = self.function.blocks[block.0 as usize].parameters.iter().map(|p| self.function.ty(*p));
            let types: Vec<(u32, Type)> = (0..).zip(types).filter(|(_, ty)| ty.length > 1).collect();
            for &(mask, ty) in types.iter().filter(|(_, ty)| ty.element == Element::Bool) {
                let values = types.iter().filter(|(value, other)| *value != mask && other.length == ty.length);
                pairs.extend(values.map(|&(value, _)| Pair { block, value, mask }));
            }
        }
        pairs
    }

    fn is_borne_out(&mut self, pair: Pair) -> bool {
        let parameters = &self.function.blocks[pair.block.0 as usize].parameters;
        let mask = self.logic.of(self.function, parameters[pair.mask as usize]);
        let demanded = self.demand(parameters[pair.value as usize]);
        self.logic.implies(demanded, mask)
    }

    fn demand(&self, value: Value) -> Formula {
        self.demands.get(&value).copied().unwrap_or(Formula::NONE)
    }

    /// What is demanded if the pairs hold. Along with the pairs for what comes around a loop, users of a value stand behind
    /// it, so one walk backwards sees all.
    fn compute(&mut self, pairs: &[Pair]) {
        self.demands.clear();
        let graph = self.graph;
        for &block in graph.order.iter().rev() {
            let data = &self.function.blocks[block.0 as usize];
            match &data.terminator {
                Terminator::Branch { condition, then: _, otherwise: _ } => self.add(block, *condition, Formula::ALL),
                Terminator::Return(values) => values.iter().for_each(|value| self.add(block, *value, Formula::ALL)),
                Terminator::Jump(_) | Terminator::Unreachable => {}
            }
            for target in data.terminator.targets() {
                for index in 0..target.arguments.len() {
                    let demanded = self.demand_of_argument(block, target, index, pairs);
                    self.add(block, target.arguments[index], demanded);
                }
            }
            for &inst in data.insts.iter().rev() {
                self.operands(block, &self.function.insts[inst.0 as usize]);
            }
        }
    }

    /// In the lanes of the jump from `from`.
    fn demand_of_argument(&mut self, from: Block, target: &Target, index: usize, pairs: &[Pair]) -> Formula {
        // What the parameter of a header demands is said of the next round, with other values of the atoms.
        let around = self.graph.innermost_loop(target.block) != self.graph.innermost_loop(from)
            || self.graph.is_back_edge(from, target.block);
        let parameter = self.function.blocks[target.block.0 as usize].parameters[index];
        let mut demanded = if around { Formula::ALL } else { self.demand(parameter) };
        for pair in pairs.iter().filter(|pair| pair.block == target.block && pair.value as usize == index) {
            let mask = self.logic.of(self.function, target.arguments[pair.mask as usize]);
            demanded = self.logic.and(demanded, mask).unwrap_or(demanded);
        }
        demanded
    }

    /// `value` is used in `block`, in the lanes of `lanes`.
    fn add(&mut self, block: Block, value: Value, lanes: Formula) {
        let defined = match self.function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => block,
            ValueDef::Result(inst, _) => self.home[inst.0 as usize],
        };
        // A use in another loop happens at other times, with other values of the atoms.
        let here = self.graph.innermost_loop(defined) == self.graph.innermost_loop(block);
        let before = self.demand(value);
        let after = if here || lanes == Formula::NONE { self.logic.or(before, lanes) } else { None };
        self.demands.insert(value, after.unwrap_or(Formula::ALL));
    }

    /// What an instruction demands of its operands.
    fn operands(&mut self, block: Block, data: &InstData) {
        let function = self.function;
        let result = data.results.first().copied();
        let demanded = result.map_or(Formula::ALL, |result| self.demand(result));
        let length = result.map_or(1, |result| function.ty(result).length);
        match &data.op {
            // Lane by lane; an operand of another length is a scalar that all lanes share.
            Op::Unary(..)
            | Op::Binary(..)
            | Op::Fma(..)
            | Op::Compare(..)
            | Op::Convert(..)
            | Op::PtrIndex { .. }
            | Op::PtrOffset(..) => {
                let (mut limited, mut limit) = (None, Formula::ALL);
                if let Op::Binary(BinaryOp::And, a, b) = &data.op
                    && function.ty(*a).element == Element::Bool
                {
                    let (fa, fb) = (self.logic.of(function, *a), self.logic.of(function, *b));
                    match (self.is_live(block, fa), self.is_live(block, fb)) {
                        (true, false) => (limited, limit) = (Some(*b), fa),
                        (false, true) => (limited, limit) = (Some(*a), fb),
                        (true, true) | (false, false) => {}
                    }
                }
                let limited_to = self.logic.and(demanded, limit).unwrap_or(demanded);
                data.op.for_each(|operand| {
                    let lanes = if Some(operand) == limited { limited_to } else { demanded };
                    let shared = function.ty(operand).length != length && lanes != Formula::NONE;
                    self.add(block, operand, if shared { Formula::ALL } else { lanes });
                });
            }
            Op::Select(mask, on, off) if function.ty(*mask).length == length => {
                let formula = self.logic.of(function, *mask);
                let with = self.logic.and(demanded, formula).unwrap_or(demanded);
                let without = self.logic.choose(formula, Formula::NONE, demanded).unwrap_or(demanded);
                self.add(block, *mask, demanded);
                self.add(block, *on, with);
                self.add(block, *off, without);
            }
            Op::Select(mask, on, off) => {
                self.add(block, *mask, Formula::ALL);
                self.add(block, *on, demanded);
                self.add(block, *off, demanded);
            }
            Op::Store { pointer, value, mask: Some(mask), streaming: _ } if function.ty(*value).length > 1 => {
                let lanes = self.logic.of(function, *mask);
                self.add(block, *pointer, Formula::ALL);
                self.add(block, *value, lanes);
                self.add(block, *mask, Formula::ALL);
            }
            Op::Gather { pointers, mask: Some(mask), object: _ } => {
                let lanes = self.logic.of(function, *mask);
                self.add(block, *pointers, lanes);
                self.add(block, *mask, Formula::ALL);
            }
            Op::Scatter { pointers, value, mask: Some(mask) } => {
                let lanes = self.logic.of(function, *mask);
                self.add(block, *pointers, lanes);
                self.add(block, *value, lanes);
                self.add(block, *mask, Formula::ALL);
            }
            other => {
                let used = other.has_effect() || demanded != Formula::NONE;
                let lanes = if used { Formula::ALL } else { Formula::NONE };
                other.for_each(|operand| self.add(block, operand, lanes));
            }
        }
    }

    /// Is a mask on only in lanes that are still in the loop around `block`?
    fn is_live(&mut self, block: Block, mask: Formula) -> bool {
        let Some(header) = self.graph.innermost_loop(block) else { return false };
        let parameters = self.function.blocks[header.0 as usize].parameters.iter();
        let masks: Vec<Value> = parameters.copied().filter(|p| self.function.ty(*p).element == Element::Bool).collect();
        masks.into_iter().any(|live| {
            let live = self.logic.of(self.function, live);
            self.logic.implies(mask, live)
        })
    }

    /// The selects of which one side is not looked at, with the other side.
    fn superfluous_selects(&mut self) -> HashMap<Value, Value> {
        let mut same = HashMap::new();
        for &inst in self.graph.order.iter().flat_map(|block| &self.function.blocks[block.0 as usize].insts) {
            let data = &self.function.insts[inst.0 as usize];
            let Op::Select(mask, on, off) = data.op else { continue };
            let ty = self.function.ty(on);
            if ty.length == 1 || self.function.ty(mask).length != ty.length {
                continue;
            }
            let (result, mask) = (data.results[0], self.logic.of(self.function, mask));
            let demanded = self.demand(result);
            if self.logic.implies(demanded, mask) {
                same.insert(result, on);
            } else if self.logic.disjoint(demanded, mask) {
                same.insert(result, off);
            }
        }
        same
    }
}
