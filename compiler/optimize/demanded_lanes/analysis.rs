//! The demand of each value of one function, and of what lies in its slots.

use super::{Formula, Logic};
use super::{Limit, Summary};
use crate::optimize::slots::Slots;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// So many masks from outside are tried for a loop.
const MAX_OUTER_MASKS: usize = 8;
/// So many slots are tried with so many masks.
const MAX_SLOT_PAIRS: usize = 64;

/// A parameter of a block: it is demanded at most where `mask` is on.
#[derive(Clone, Copy)]
struct Pair {
    block: Block,
    value: u32,
    mask: Mask,
}

#[derive(Clone, Copy)]
enum Mask {
    /// A parameter of the same block.
    Parameter(u32),
    /// A value from outside of the loop that the block heads.
    Outer(Value),
}

/// A slot: what lies in it is demanded at most where a mask is on that is the same throughout the call.
#[derive(Clone, Copy)]
struct SlotPair {
    slot: Slot,
    mask: Value,
}

/// What is known of one function; see the module above.
pub(super) struct Analysis<'f> {
    function: &'f Function,
    graph: &'f Graph,
    summaries: &'f FxHashMap<FunctionId, Summary>,
    /// The block of each instruction.
    home: Vec<Block>,
    logic: Logic,
    /// By length, the lanes of results that the caller demands.
    returned: BTreeMap<u8, Formula>,
    /// Absent: demanded nowhere.
    demands: FxHashMap<Value, Formula>,
    slots: Slots,
    slot_pairs: Vec<SlotPair>,
    /// The loads that find lanes in slots where stores put them.
    slot_loads: Vec<(Slot, Inst)>,
    /// Who looks through selects.
    through: Through,
}

/// What users look at instead of selects, which have it in all lanes where they look.
#[derive(Default)]
pub(super) struct Through {
    /// By instruction and operand.
    pub(super) operands: FxHashMap<(Inst, Value), Value>,
    /// By the block that a jump or branch ends, its target and the place among the arguments.
    pub(super) arguments: FxHashMap<(Block, usize, usize), Value>,
    /// By the block that a return ends.
    pub(super) returned: FxHashMap<(Block, Value), Value>,
}

impl<'f> Analysis<'f> {
    /// Nothing is demanded yet; all lanes of results will be.
    pub(super) fn new(function: &'f Function, graph: &'f Graph, summaries: &'f FxHashMap<FunctionId, Summary>) -> Self {
        let mut home = vec![Block(0); function.insts.len()];
        for &block in &graph.order {
            function.blocks[block.0 as usize].insts.iter().for_each(|inst| home[inst.0 as usize] = block);
        }
        let (logic, returned, demands) = (Logic::default(), BTreeMap::new(), FxHashMap::default());
        let slots = Slots::of(function, graph);
        let (slot_pairs, slot_loads) = (Vec::new(), loads_of_lanes(function, graph, &slots));
        let through = Through::default();
        Analysis { function, graph, summaries, home, logic, returned, demands, slots, slot_pairs, slot_loads, through }
    }

    /// The callers look at results only where all of these parameters are on; lengths without one are seen as a whole.
    pub(super) fn results_are_seen_where(&mut self, masks: &[u32]) {
        for &mask in masks {
            let mask = self.function.blocks[0].parameters[mask as usize];
            let (length, formula) = (self.function.ty(mask).length, self.logic.of(self.function, mask));
            let seen = *self.returned.get(&length).unwrap_or(&Formula::ALL);
            let seen = self.logic.and(seen, formula).unwrap_or(formula);
            self.returned.insert(length, seen);
        }
    }

    /// Finds the demands, with the greatest set of pairs that bears itself out.
    pub(super) fn settle(&mut self) {
        let mut pairs = self.candidates();
        self.slot_pairs = self.slot_candidates();
        loop {
            self.compute(&pairs);
            let before = (pairs.len(), self.slot_pairs.len());
            pairs.retain(|pair| self.is_borne_out(*pair));
            let mut slot_pairs = std::mem::take(&mut self.slot_pairs);
            slot_pairs.retain(|pair| self.is_borne_out_by_loads(*pair));
            self.slot_pairs = slot_pairs;
            if (pairs.len(), self.slot_pairs.len()) == before {
                break;
            }
        }
    }

    /// What the function looks at, whatever is demanded of its results.
    pub(super) fn summary(mut self) -> Summary {
        let seen = self.logic.free();
        self.returned = self.function.results.iter().map(|ty| (ty.length, seen)).collect();
        self.settle();
        let masks = super::masks(self.function);
        let parameters = &self.function.blocks[0].parameters;
        let mut summary = Summary::new();
        for &parameter in parameters {
            let (ty, demanded) = (self.function.ty(parameter), self.demand(parameter));
            let mut limits = Vec::new();
            if ty.length > 1 {
                if self.logic.implies(demanded, seen) {
                    limits.push(Limit::Results);
                }
                for &index in &masks {
                    let mask = parameters[index as usize];
                    let formula = self.logic.of(self.function, mask);
                    let bound = self.logic.or(seen, formula);
                    if mask != parameter
                        && self.function.ty(mask).length == ty.length
                        && bound.is_some_and(|bound| self.logic.implies(demanded, bound))
                    {
                        limits.push(Limit::Mask(index));
                    }
                }
            }
            summary.push(limits);
        }
        summary
    }

    /// Does a call look at its results only where its argument for parameter `mask` is on? Results of other lengths than
    /// the mask's do not count.
    pub(super) fn is_content(&mut self, call: Inst, mask: u32) -> bool {
        let data = &self.function.insts[call.0 as usize];
        let Op::Call(_, arguments) = &data.op else { panic!("{:?} is not a call", data.op) };
        let mask = arguments[mask as usize];
        let (length, formula) = (self.function.ty(mask).length, self.logic.of(self.function, mask));
        data.results.iter().filter(|r| self.function.ty(**r).length == length).all(|result| {
            let demanded = self.demands.get(result).copied().unwrap_or(Formula::NONE);
            self.logic.implies(demanded, formula)
        })
    }

    /// All pairs that make sense.
    fn candidates(&self) -> Vec<Pair> {
        let mut outer: Vec<Value> =
            super::masks(self.function).iter().map(|&i| self.function.blocks[0].parameters[i as usize]).collect();
        for &inst in self.graph.order.iter().flat_map(|block| &self.function.blocks[block.0 as usize].insts) {
            if let Op::Select(mask, ..) = self.function.insts[inst.0 as usize].op
                && self.function.ty(mask).length > 1
                && !outer.contains(&mask)
            {
                outer.push(mask);
            }
        }
        let mut pairs = Vec::new();
        for &block in &self.graph.order[1..] {
            let types = self.function.blocks[block.0 as usize].parameters.iter().map(|p| self.function.ty(*p));
            let types: Vec<(u32, Type)> = (0..).zip(types).filter(|(_, ty)| ty.length > 1).collect();
            for &(mask, ty) in types.iter().filter(|(_, ty)| ty.element == Element::Bool) {
                let values = types.iter().filter(|(value, other)| *value != mask && other.length == ty.length);
                pairs.extend(values.map(|&(value, _)| Pair { block, value, mask: Mask::Parameter(mask) }));
            }
            if self.graph.innermost_loop(block) != Some(block) {
                continue;
            }
            let is_outer = |mask: &&Value| {
                let home = self.home_of(**mask);
                home != block && self.graph.dominates(home, block)
            };
            for &mask in outer.iter().filter(is_outer).take(MAX_OUTER_MASKS) {
                let values = types.iter().filter(|(_, ty)| ty.length == self.function.ty(mask).length);
                pairs.extend(values.map(|&(value, _)| Pair { block, value, mask: Mask::Outer(mask) }));
            }
        }
        pairs.sort_by_key(|pair| pair.block);
        pairs
    }

    /// Slots, with masks under which is stored to them.
    fn slot_candidates(&self) -> Vec<SlotPair> {
        let mut pairs: Vec<SlotPair> = Vec::new();
        for &inst in self.graph.order.iter().flat_map(|block| &self.function.blocks[block.0 as usize].insts) {
            let Op::Store { pointer, mask: Some(mask), .. } = self.function.insts[inst.0 as usize].op else { continue };
            let Some(place) = self.slots.place(pointer) else { continue };
            let mut work = vec![mask];
            while let Some(mask) = work.pop() {
                let is_known = pairs.iter().any(|pair| (pair.slot, pair.mask) == (place.slot, mask));
                if !is_known && self.graph.innermost_loop(self.home_of(mask)).is_none() && pairs.len() < MAX_SLOT_PAIRS {
                    pairs.push(SlotPair { slot: place.slot, mask });
                }
                if let Some(&Op::Binary(BinaryOp::And, a, b)) = self.function.definition(mask) {
                    work.extend([a, b]);
                }
            }
        }
        pairs
    }

    /// Where the content of a slot at this place is looked at, as far as that is known.
    fn demand_of_place(&mut self, pointer: Value, ty: Type) -> Formula {
        let Some(place) = self.slots.place(pointer).filter(|place| self.slots.keeps_lanes(*place, ty)) else {
            return Formula::ALL;
        };
        let mut demanded = Formula::ALL;
        for pair in 0..self.slot_pairs.len() {
            let SlotPair { slot, mask } = self.slot_pairs[pair];
            if slot == place.slot && self.function.ty(mask).length == ty.length {
                let mask = self.logic.of(self.function, mask);
                demanded = self.logic.and(demanded, mask).unwrap_or(demanded);
            }
        }
        demanded
    }

    /// Do all loads from the slot that find lanes there look at them where the mask is on only?
    fn is_borne_out_by_loads(&mut self, pair: SlotPair) -> bool {
        let (length, formula) = (self.function.ty(pair.mask).length, self.logic.of(self.function, pair.mask));
        (0..self.slot_loads.len()).all(|load| {
            let (slot, inst) = self.slot_loads[load];
            let data = &self.function.insts[inst.0 as usize];
            let Op::Load { mask, .. } = data.op else { panic!("{:?} is no load", data.op) };
            if slot != pair.slot || self.function.ty(data.results[0]).length != length {
                return true;
            }
            let (demanded, loaded) = (self.demand(data.results[0]), self.logic.of_mask(self.function, mask));
            let demanded = self.logic.and(demanded, loaded).unwrap_or(demanded);
            self.logic.implies(demanded, formula)
        })
    }

    fn home_of(&self, value: Value) -> Block {
        match self.function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => block,
            ValueDef::Result(inst, _) => self.home[inst.0 as usize],
        }
    }

    fn is_borne_out(&mut self, pair: Pair) -> bool {
        let parameters = &self.function.blocks[pair.block.0 as usize].parameters;
        let mask = match pair.mask {
            Mask::Parameter(index) => parameters[index as usize],
            Mask::Outer(value) => value,
        };
        let mask = self.logic.of(self.function, mask);
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
        self.through = Through::default();
        let graph = self.graph;
        for &block in graph.order.iter().rev() {
            let data = &self.function.blocks[block.0 as usize];
            match &data.terminator {
                Terminator::Branch { condition, then: _, otherwise: _ } => self.add(block, *condition, Formula::ALL),
                Terminator::Return(values) => {
                    for &value in values {
                        let lanes = *self.returned.get(&self.function.ty(value).length).unwrap_or(&Formula::ALL);
                        let seen = self.seen_through(block, value, lanes);
                        if seen != value {
                            self.through.returned.insert((block, value), seen);
                        }
                        self.add(block, seen, lanes);
                    }
                }
                Terminator::Jump(_) | Terminator::Unreachable => {}
            }
            for (number, target) in data.terminator.targets().enumerate() {
                for (index, &argument) in target.arguments.iter().enumerate() {
                    let demanded = self.demand_of_argument(block, target, index, pairs);
                    let seen = self.seen_through(block, argument, demanded);
                    if seen != argument {
                        self.through.arguments.insert((block, number, index), seen);
                    }
                    self.add(block, seen, demanded);
                }
            }
            for &inst in data.insts.iter().rev() {
                self.operands(block, inst);
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
        // They are sorted by their blocks, of which there may be many.
        let own = &pairs[pairs.partition_point(|pair| pair.block < target.block)..];
        let own = own.iter().take_while(|pair| pair.block == target.block);
        for pair in own.filter(|pair| pair.value as usize == index) {
            let mask = match pair.mask {
                Mask::Parameter(index) => target.arguments[index as usize],
                Mask::Outer(value) => value,
            };
            let mask = self.logic.of(self.function, mask);
            demanded = self.logic.and(demanded, mask).unwrap_or(demanded);
        }
        demanded
    }

    /// `value` is used in `block`, in the lanes of `lanes`.
    fn add(&mut self, block: Block, value: Value, lanes: Formula) {
        // A use in another loop happens at other times, with other values of the atoms, if those change.
        let here = self.graph.innermost_loop(self.home_of(value)) == self.graph.innermost_loop(block);
        let valid = here || self.is_constant(lanes);
        let before = self.demand(value);
        let after = if valid { self.logic.or(before, lanes) } else { None };
        self.demands.insert(value, after.unwrap_or(Formula::ALL));
    }

    /// An operand of an instruction is used in these lanes.
    fn add_operand(&mut self, block: Block, inst: Inst, operand: Value, lanes: Formula) {
        let seen = self.seen_through(block, operand, lanes);
        if seen == operand {
            return self.add(block, operand, lanes);
        }
        // One that is used twice is looked at in one way, as it is by what works lane by lane.
        let (op, mut uses) = (&self.function.insts[inst.0 as usize].op, 0);
        op.for_each(|value| uses += u32::from(value == operand));
        if uses > 1 && !is_lanewise(op) {
            return self.add(block, operand, lanes);
        }
        self.through.operands.insert((inst, operand), seen);
        self.add(block, seen, lanes);
    }

    /// A value as a user in a block sees it in these lanes: past selects of the block whose conditions are off in all of them. Masks stay as
    /// they are.
    fn seen_through(&mut self, block: Block, mut value: Value, lanes: Formula) -> Value {
        if lanes == Formula::ALL || lanes == Formula::NONE || self.function.ty(value).element == Element::Bool {
            return value;
        }
        // In another loop the condition is that of another round; in another block what is chosen from would have to be kept for it.
        while let ValueDef::Result(inst, _) = self.function.values[value.0 as usize].def
            && let Some((mask, _, off)) = self.lanewise_select(inst)
            && self.home_of(value) == block
        {
            let formula = self.logic.of(self.function, mask);
            if !self.logic.disjoint(lanes, formula) {
                break;
            }
            // As the select demands it: a summary holds for the function as it is.
            self.add(block, mask, lanes);
            value = off;
        }
        value
    }

    /// What an instruction demands of its operands.
    fn operands(&mut self, block: Block, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst.0 as usize];
        let result = data.results.first().copied();
        let demanded = result.map_or(Formula::ALL, |result| self.demand(result));
        let length = result.map_or(1, |result| function.ty(result).length);
        match &data.op {
            // Lane by lane; an operand of another length is a scalar that all lanes share.
            op if is_lanewise(op) => {
                let (mut limited, mut limit) = (None, Formula::ALL);
                if let Op::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) = &data.op
                    && function.ty(*a).element == Element::Bool
                {
                    let (fa, fb) = (self.logic.of(function, *a), self.logic.of(function, *b));
                    if *op == BinaryOp::And {
                        // Predication writes the mask first and the condition second.
                        let second_limits = self.is_live(block, fb) && !self.is_live(block, fa);
                        (limited, limit) = if second_limits { (Some(*a), fb) } else { (Some(*b), fa) };
                    } else {
                        (limited, limit) = (Some(*b), self.logic.not(fa).unwrap_or(Formula::ALL));
                    }
                }
                let limited_to = self.logic.and(demanded, limit).unwrap_or(demanded);
                data.op.for_each(|operand| {
                    let lanes = if Some(operand) == limited { limited_to } else { demanded };
                    let shared = function.ty(operand).length != length && lanes != Formula::NONE;
                    self.add_operand(block, inst, operand, if shared { Formula::ALL } else { lanes });
                });
            }
            Op::Select(mask, on, off) if function.ty(*mask).length == length => {
                let formula = self.logic.of(function, *mask);
                let with = self.logic.and(demanded, formula).unwrap_or(demanded);
                let without = self.logic.choose(formula, Formula::NONE, demanded).unwrap_or(demanded);
                self.add_operand(block, inst, *mask, demanded);
                self.add_operand(block, inst, *on, with);
                self.add_operand(block, inst, *off, without);
            }
            Op::Select(mask, on, off) => {
                self.add_operand(block, inst, *mask, Formula::ALL);
                self.add_operand(block, inst, *on, demanded);
                self.add_operand(block, inst, *off, demanded);
            }
            Op::Call(callee, arguments) => {
                for index in 0..arguments.len() {
                    let lanes = self.demand_of_call(*callee, arguments, index, &data.results);
                    self.add_operand(block, inst, arguments[index], lanes);
                }
            }
            Op::Store { pointer, value, mask: Some(mask), streaming: _ } if function.ty(*value).length > 1 => {
                let (lanes, kept) = (self.logic.of(function, *mask), self.demand_of_place(*pointer, function.ty(*value)));
                self.add_operand(block, inst, *pointer, Formula::ALL);
                let looked_at = self.logic.and(lanes, kept).unwrap_or(lanes);
                self.add_operand(block, inst, *value, looked_at);
                self.add_operand(block, inst, *mask, kept);
            }
            Op::Gather { pointers, mask: Some(mask), object: _ } => {
                let lanes = self.logic.of(function, *mask);
                self.add_operand(block, inst, *pointers, lanes);
                self.add_operand(block, inst, *mask, Formula::ALL);
            }
            Op::Scatter { pointers, value, mask: Some(mask) } => {
                let lanes = self.logic.of(function, *mask);
                self.add_operand(block, inst, *pointers, lanes);
                self.add_operand(block, inst, *value, lanes);
                self.add_operand(block, inst, *mask, Formula::ALL);
            }
            other => {
                let used = other.has_effect() || demanded != Formula::NONE;
                let lanes = if used { Formula::ALL } else { Formula::NONE };
                other.for_each(|operand| self.add_operand(block, inst, operand, lanes));
            }
        }
    }

    /// What a call demands of an argument.
    fn demand_of_call(&mut self, callee: FunctionId, arguments: &[Value], index: usize, results: &[Value]) -> Formula {
        let limits = self.summaries.get(&callee).map_or(&[][..], |summary| &summary[index]);
        if limits.is_empty() {
            return Formula::ALL;
        }
        let mut demanded = Some(Formula::ALL);
        for limit in limits {
            let lanes = match limit {
                Limit::Results => Formula::NONE,
                Limit::Mask(mask) => self.logic.of(self.function, arguments[*mask as usize]),
            };
            demanded = demanded.and_then(|demanded| self.logic.and(demanded, lanes));
        }
        let length = self.function.ty(arguments[index]).length;
        for &result in results.iter().filter(|result| self.function.ty(**result).length == length) {
            let lanes = self.demand(result);
            demanded = demanded.and_then(|demanded| self.logic.or(demanded, lanes));
        }
        demanded.unwrap_or(Formula::ALL)
    }

    /// Do all atoms of a formula have one value throughout a call of the function? So if they stand in no loop.
    fn is_constant(&self, formula: Formula) -> bool {
        self.logic.atoms_of(formula).all(|value| self.graph.innermost_loop(self.home_of(value)).is_none())
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

    /// What users look at instead of selects.
    pub(super) fn through(&mut self) -> Through {
        std::mem::take(&mut self.through)
    }

    /// The selects of which one side is not looked at, with the other side.
    pub(super) fn superfluous_selects(&mut self) -> FxHashMap<Value, Value> {
        let mut same = FxHashMap::default();
        for &inst in self.graph.order.iter().flat_map(|block| &self.function.blocks[block.0 as usize].insts) {
            let Some((mask, on, off)) = self.lanewise_select(inst) else { continue };
            // What the select itself looks past nobody may look at in its stead: only what it sees is known to be demanded.
            let [on, off] = [on, off].map(|operand| *self.through.operands.get(&(inst, operand)).unwrap_or(&operand));
            let (result, mask) = (self.function.insts[inst.0 as usize].results[0], self.logic.of(self.function, mask));
            let demanded = self.demand(result);
            if self.logic.implies(demanded, mask) {
                same.insert(result, on);
            } else if self.logic.disjoint(demanded, mask) {
                same.insert(result, off);
            }
        }
        same
    }

    /// The masks of selects and of accesses of slots that say more than somebody asks for, with what is enough: perhaps none.
    pub(super) fn superfluous_masks(&mut self) -> Vec<(Inst, Option<Value>)> {
        let mut enough = Vec::new();
        for &inst in self.graph.order.iter().flat_map(|block| &self.function.blocks[block.0 as usize].insts) {
            let data = &self.function.insts[inst.0 as usize];
            if let Some((mask, ..)) = self.lanewise_select(inst) {
                let demanded = self.demand(data.results[0]);
                let under = self.logic.under(self.function, mask, demanded);
                enough.extend((under != mask).then_some((inst, Some(under))));
                continue;
            }
            let (mask, demanded) = match data.op {
                Op::Load { pointer, mask: Some(mask) } if self.is_inside(pointer, data.results[0]) => {
                    (mask, self.demand(data.results[0]))
                }
                Op::Store { pointer, value, mask: Some(mask), streaming: _ } if self.is_inside(pointer, value) => {
                    (mask, self.demand_of_place(pointer, self.function.ty(value)))
                }
                _ => continue,
            };
            let formula = self.logic.of(self.function, mask);
            if self.logic.implies(demanded, formula) {
                enough.push((inst, None));
            } else if matches!(data.op, Op::Store { .. }) {
                let under = self.logic.under(self.function, mask, demanded);
                enough.extend((under != mask).then_some((inst, Some(under))));
            }
        }
        enough
    }

    /// Is there memory of a slot for all lanes of a vector?
    fn is_inside(&self, pointer: Value, value: Value) -> bool {
        let place = self.slots.place(pointer);
        place.is_some_and(|place| self.slots.is_inside(self.function, place, self.function.ty(value)))
    }

    /// The operands of a select that chooses lane by lane.
    fn lanewise_select(&self, inst: Inst) -> Option<(Value, Value, Value)> {
        match self.function.insts[inst.0 as usize].op {
            Op::Select(mask, on, off) if self.function.ty(on).length > 1 && self.function.ty(mask).length > 1 => {
                Some((mask, on, off))
            }
            _ => None,
        }
    }
}

impl Through {
    /// Lets users look through selects.
    pub(super) fn apply(&self, function: &mut Function) {
        let insts: FxHashSet<Inst> = self.operands.keys().map(|(inst, _)| *inst).collect();
        for inst in insts {
            let look = |value: &mut Value| *value = *self.operands.get(&(inst, *value)).unwrap_or(value);
            function.insts[inst.0 as usize].op.for_each_mut(look);
        }
        for (&(block, target, index), &seen) in &self.arguments {
            let target = function.blocks[block.0 as usize].terminator.targets_mut().nth(target);
            target.expect("a target of the block's").arguments[index] = seen;
        }
        for &(block, _) in self.returned.keys() {
            let look = |value: &mut Value| *value = *self.returned.get(&(block, *value)).unwrap_or(value);
            function.blocks[block.0 as usize].terminator.for_each_mut(look);
        }
    }
}

/// Does each lane of the result follow from that lane of the operands, and from nothing else?
fn is_lanewise(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary(..)
            | Op::Binary(..)
            | Op::Fma(..)
            | Op::Compare(..)
            | Op::Convert(..)
            | Op::PtrIndex { .. }
            | Op::PtrOffset(..)
    )
}

/// The loads that find lanes in slots where stores put them.
fn loads_of_lanes(function: &Function, graph: &Graph, slots: &Slots) -> Vec<(Slot, Inst)> {
    if function.slots.is_empty() {
        return Vec::new();
    }
    let load = |&inst: &Inst| {
        let data = &function.insts[inst.0 as usize];
        let Op::Load { pointer, .. } = data.op else { return None };
        let place = slots.place(pointer)?;
        slots.keeps_lanes(place, function.ty(data.results[0])).then_some((place.slot, inst))
    };
    graph.order.iter().flat_map(|block| &function.blocks[block.0 as usize].insts).filter_map(load).collect()
}
