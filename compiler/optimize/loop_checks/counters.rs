//! Counters: parameters of the header of a loop to which each round adds a constant, and which its test compares.

use super::facts::Fact;
use super::ranges::{Range, Ranges};
use super::region::natural_loop;
use super::terms::Term;
use crate::vector::ir::*;

/// So many ways through a round are looked at.
const MAX_WAYS: usize = 64;

impl Ranges<'_> {
    /// A parameter of a block of the loop.
    pub(super) fn parameter(&mut self, value: Value, at: Block) -> Option<Range> {
        let ValueDef::Parameter(block, index) = self.function.values[value.0 as usize].def else { return None };
        if !self.region.has(block) {
            return None;
        }
        let before = self.graph.predecessors[block.0 as usize].clone();
        if before.iter().any(|&from| self.graph.is_back_edge(from, block)) {
            return self.counter(block, index, value, at);
        }
        let mut all: Option<Range> = None;
        for from in before {
            for argument in self.arguments(from, block, index) {
                let range = self.without_facts(argument, from);
                all = Some(match all {
                    Some(before) => self.union(before, range)?,
                    None => range,
                });
            }
        }
        all
    }

    pub(super) fn arguments(&self, from: Block, to: Block, index: u32) -> Vec<Value> {
        let targets = self.function.blocks[from.0 as usize].terminator.targets();
        targets.filter(|target| target.block == to).map(|target| target.arguments[index as usize]).collect()
    }

    /// A parameter of a header that each round adds a constant to.
    pub(super) fn counter(&mut self, header: Block, index: u32, value: Value, at: Block) -> Option<Range> {
        let ty = self.function.ty(value);
        let steps = self.steps(header, index, value)?;
        let (least, most) = (steps.iter().copied().min()?, steps.iter().copied().max()?);
        let start = self.start(header, index, ty)?;
        let bounds = self.entered(header, at);
        let mut range = start;
        let conditions = self.conditions.len();
        if least >= 0 {
            range.high = self.upper(&bounds, header, value, start, &steps, most, ty);
            if range.high.is_none() && !bounds.is_empty() {
                range.high = self.upper_by_rounds(&bounds, header, value, start, most, ty);
            }
        } else if most <= 0 {
            range.low = self.lower(&bounds, header, value, least, ty);
        } else {
            return None;
        }
        let is_known = if least >= 0 { range.high.is_some() } else { range.low.is_some() };
        if !is_known {
            self.take_back(conditions);
            // Without an end it could wrap.
            return None;
        }
        Some(range)
    }

    /// What each way back to the header adds.
    pub(super) fn steps(&self, header: Block, index: u32, value: Value) -> Option<Vec<i64>> {
        let mut steps = Vec::new();
        for &from in &self.graph.predecessors[header.0 as usize] {
            if !self.graph.is_back_edge(from, header) {
                continue;
            }
            for argument in self.arguments(from, header, index) {
                self.steps_to(argument, value, 0, &mut steps)?;
            }
        }
        steps.iter().all(|step| step.unsigned_abs() < 1 << 30).then_some(steps)
    }

    /// What is added to a value, and to a number behind that, on the ways on which another one comes of it.
    fn steps_to(&self, to: Value, value: Value, behind: i64, steps: &mut Vec<i64>) -> Option<()> {
        if to == value {
            steps.push(behind);
            return (steps.len() <= MAX_WAYS).then_some(());
        }
        match (self.function.values[to.0 as usize].def, self.function.definition(to)) {
            (_, Some(&Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b))) => {
                let (of, by) = match (self.number(a), self.number(b)) {
                    (_, Some(by)) if op == BinaryOp::Sub => (a, by.checked_neg()?),
                    (_, Some(by)) => (a, by),
                    (Some(by), None) if op == BinaryOp::Add => (b, by),
                    _ => return None,
                };
                self.steps_to(of, value, behind.checked_add(by).filter(|step| step.unsigned_abs() < 1 << 30)?, steps)
            }
            // Where ways meet.
            (ValueDef::Parameter(block, index), _) if self.region.has(block) => {
                let before = &self.graph.predecessors[block.0 as usize];
                if before.iter().any(|&from| self.graph.is_back_edge(from, block)) {
                    return None;
                }
                let mut arguments = before.iter().flat_map(|&from| self.arguments(from, block, index));
                arguments.try_for_each(|argument| self.steps_to(argument, value, behind, steps))
            }
            _ => None,
        }
    }

    /// What a counter is when its loop begins.
    pub(super) fn start(&mut self, header: Block, index: u32, ty: Type) -> Option<Range> {
        if header == self.region.header {
            if ty.length != 1 {
                return None;
            }
            let term = match self.constant_entry(header, index) {
                Some(constant) => self.terms.constant(constant)?,
                None => self.terms.entry(index, ty, &mut self.conditions)?,
            };
            return Some(Range { low: Some(term), high: Some(term) });
        }
        let mut all: Option<Range> = None;
        for from in self.graph.predecessors[header.0 as usize].clone() {
            if self.graph.is_back_edge(from, header) {
                continue;
            }
            for argument in self.arguments(from, header, index) {
                let range = self.without_facts(argument, from);
                all = Some(match all {
                    Some(before) => self.union(before, range)?,
                    None => range,
                });
            }
        }
        all
    }

    /// The number with which a loop begins wherever it is come from, if it is a constant.
    fn constant_entry(&self, header: Block, index: u32) -> Option<i64> {
        let before = self.graph.predecessors[header.0 as usize].iter().filter(|&&from| !self.graph.is_back_edge(from, header));
        let mut arguments = before.flat_map(|&from| self.arguments(from, header, index));
        let first = self.number(arguments.next()?)?;
        arguments.all(|other| self.number(other) == Some(first)).then_some(first)
    }

    /// What the test at the head of a loop says of a round, if `at` lies in one.
    pub(super) fn entered(&mut self, header: Block, at: Block) -> Vec<Fact> {
        let Terminator::Branch { condition, then, otherwise } = &self.function.blocks[header.0 as usize].terminator else {
            return Vec::new();
        };
        let (condition, then, otherwise) = (*condition, then.block, otherwise.block);
        let graph = self.graph;
        let around = self.loops.entry(header).or_insert_with(|| natural_loop(graph, header));
        let Some(around) = around else { return Vec::new() };
        let (body, is) = match (around.has(then), around.has(otherwise)) {
            (true, false) => (then, true),
            (false, true) => (otherwise, false),
            _ => return Vec::new(),
        };
        if body == header || self.graph.predecessors[body.0 as usize] != [header] || !self.graph.dominates(body, at) {
            return Vec::new();
        }
        let facts = std::mem::take(&mut self.facts);
        self.facts_of(condition, is, 0);
        std::mem::replace(&mut self.facts, facts)
    }

    /// The greatest value of a counter that grows.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn upper(
        &mut self,
        bounds: &[Fact],
        header: Block,
        value: Value,
        start: Range,
        steps: &[i64],
        most: i64,
        ty: Type,
    ) -> Option<Term> {
        for fact in bounds.iter().filter(|fact| fact.a == value) {
            let conditions = self.conditions.len();
            let found = self.upper_by(*fact, header, start, steps, most, ty);
            if found.is_some() {
                return found;
            }
            self.take_back(conditions);
        }
        None
    }

    /// The greatest value of a number that grows by as much each round, at most, as another counter of the loop says how many there were.
    fn upper_by_rounds(
        &mut self,
        bounds: &[Fact],
        header: Block,
        value: Value,
        start: Range,
        most: i64,
        ty: Type,
    ) -> Option<Term> {
        let parameters = self.function.blocks[header.0 as usize].parameters.clone();
        for (index, counter) in (0..).zip(parameters).filter(|(_, parameter)| *parameter != value) {
            let conditions = self.conditions.len();
            let mut found = || {
                let ty_of_counter = self.function.ty(counter);
                let steps = self.steps(header, index, counter).filter(|steps| steps.iter().all(|step| *step == 1))?;
                let first = self.start(header, index, ty_of_counter)?;
                let last = self.upper(bounds, header, counter, first, &steps, 1, ty_of_counter)?;
                let rounds = self.op(BinaryOp::Sub, last, first.low?)?;
                let factor = self.terms.constant(most)?;
                let grown = self.op(BinaryOp::Mul, rounds, factor)?;
                let end = self.op(BinaryOp::Add, start.high?, grown)?;
                // Nor does it wrap in the last round.
                let behind = self.plus(end, most)?;
                self.fits(behind, behind, ty)?;
                Some(end)
            };
            if let Some(end) = found() {
                return Some(end);
            }
            self.take_back(conditions);
        }
        None
    }

    pub(super) fn upper_by(
        &mut self,
        fact: Fact,
        header: Block,
        start: Range,
        steps: &[i64],
        most: i64,
        ty: Type,
    ) -> Option<Term> {
        let bound = self.without_facts(fact.b, header);
        let zero = self.terms.constant(0)?;
        let end = match fact.op {
            CompareOp::SLt => self.plus(bound.high?, -1)?,
            CompareOp::SLe => bound.high?,
            // From 0 on, as signed numbers.
            CompareOp::ULt | CompareOp::ULe => {
                self.terms.at_most(zero, bound.low?, &mut self.conditions)?;
                self.terms.at_most(zero, start.low?, &mut self.conditions)?;
                self.plus(bound.high?, if fact.op == CompareOp::ULt { -1 } else { 0 })?
            }
            // In steps of 1 it does not pass what stays where it is.
            CompareOp::Ne if most == 1 && self.is_fixed(fact.b, header) => {
                self.terms.at_most(start.high?, bound.low?, &mut self.conditions)?;
                self.plus(bound.high?, -1)?
            }
            _ => return None,
        };
        let mut end = end;
        if let (Some(low), Some(high)) = (start.low, start.high)
            && low == high
            && most > 1
            && (most as u64).is_power_of_two()
            && steps.iter().all(|&step| step == most)
        {
            // A multiple of the step from the start.
            let distance = self.op(BinaryOp::Sub, end, low)?;
            let mask = self.terms.constant(-most)?;
            let whole = self.op(BinaryOp::And, distance, mask)?;
            end = self.op(BinaryOp::Add, low, whole)?;
        }
        // Before the test that ends the loop it must not wrap.
        let behind = self.plus(end, most)?;
        self.fits(behind, behind, ty)?;
        Some(end)
    }

    /// The least value of a counter that shrinks.
    pub(super) fn lower(&mut self, bounds: &[Fact], header: Block, value: Value, least: i64, ty: Type) -> Option<Term> {
        for fact in bounds.iter().filter(|fact| fact.a == value) {
            let conditions = self.conditions.len();
            let bound = self.without_facts(fact.b, header);
            let end = match fact.op {
                CompareOp::SGt => bound.low.and_then(|low| self.plus(low, 1)),
                CompareOp::SGe => bound.low,
                _ => None,
            };
            let fits = end.and_then(|end| self.plus(end, least)).and_then(|behind| self.fits(behind, behind, ty));
            if let (Some(end), Some(_)) = (end, fits) {
                return Some(end);
            }
            self.take_back(conditions);
        }
        None
    }

    /// Does a value stay what it is while a loop runs?
    pub(super) fn is_fixed(&mut self, value: Value, header: Block) -> bool {
        let block = match self.function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => block,
            ValueDef::Result(inst, _) => match self.defined.get(&inst) {
                Some(&block) => block,
                None => return true,
            },
        };
        let graph = self.graph;
        let around = self.loops.entry(header).or_insert_with(|| natural_loop(graph, header));
        around.as_ref().is_some_and(|around| !around.has(block))
    }
}
