//! Indices that go from one number to another, neither of which stays what it is: the blocks of a loop over tiles.
//!
//! ```text
//! d = max(to − from, 0)
//! from + k            with k = 0, s, 2s … below d & −s      from … to − s
//! from + (d & −s) + lane   in the first d & (s − 1) lanes    from … to − 1
//! ```
//! The ends of a sum are those of its operands where these have nothing to do with each other; here one is as much less as the other is
//! more.

use super::ranges::{Range, Ranges};
use crate::vector::ir::*;

impl Ranges<'_> {
    /// The range of a sum of a number and a counter that goes the way from there to another number.
    pub(super) fn on_the_way(&mut self, a: Value, b: Value, at: Block) -> Option<Range> {
        [(a, b), (b, a)].into_iter().find_map(|(from, counter)| self.counts_from(from, counter, at))
    }

    fn counts_from(&mut self, from: Value, counter: Value, at: Block) -> Option<Range> {
        let ValueDef::Parameter(header, index) = self.function.values[counter.0 as usize].def else { return None };
        if self.function.ty(counter) != Type::scalar(Element::I64) || !self.region.has(header) || self.is_invariant(from) {
            return None;
        }
        let bound = self
            .entered(header, at)
            .into_iter()
            .find(|fact| fact.a == counter && matches!(fact.op, CompareOp::SLt | CompareOp::ULt))?;
        let (distance, multiple) = self.multiple_of(bound.b).unwrap_or((bound.b, 1));
        let to = self.end_of_way(distance, from)?;
        let steps = self.steps(header, index, counter)?;
        let start = self.start(header, index, self.function.ty(counter))?;
        let starts_at_zero = [start.low, start.high].iter().all(|end| end.and_then(|end| self.terms.as_constant(end)) == Some(0));
        let step = *steps.first()?;
        if !starts_at_zero || step <= 0 || steps.iter().any(|other| *other != step) {
            return None;
        }
        // The last multiple of the step below a multiple of it is one step below.
        let short = if multiple % step == 0 { step } else { 1 };
        self.between(from, to, short, at)
    }

    /// The range of lanes behind the whole rounds of a way: `base` is where the first of them is.
    pub(super) fn rest_of_way(&mut self, base: Value, at: Block) -> Option<Range> {
        let ty = self.function.ty(base);
        let Some(&Op::Binary(BinaryOp::Add, a, b)) = self.function.definition(self.whole(base)) else { return None };
        let (from, whole) = [(a, b), (b, a)].into_iter().find(|(_, whole)| self.multiple_of(*whole).is_some())?;
        let (distance, multiple) = self.multiple_of(whole)?;
        if self.is_invariant(from) {
            return None;
        }
        let to = self.end_of_way(distance, from)?;
        // The lanes that are on are as many as are left.
        let is_rest = |&count: &Value| match self.function.definition(self.whole(count)) {
            Some(&Op::Binary(BinaryOp::And, a, b)) => {
                a == distance && self.number(b) == Some(multiple - 1) || b == distance && self.number(a) == Some(multiple - 1)
            }
            _ => false,
        };
        let is_of_first = |value: Value| matches!(self.function.definition(value), Some(Op::FirstLanes(_)));
        if !self.facts.iter().any(|fact| is_of_first(fact.a) && fact.op == CompareOp::ULt && is_rest(&fact.b)) {
            return None;
        }
        let (low, high) = self.between(from, to, 1, at)?.both()?;
        self.fits(low, high, ty)
    }

    /// From one number to so much below another.
    fn between(&mut self, from: Value, to: Value, short: i64, at: Block) -> Option<Range> {
        let (from, to) = (self.range(from, at), self.range(to, at));
        Some(Range { low: Some(from.low?), high: Some(self.plus(to.high?, -short)?) })
    }

    /// d & −s for a power of two s: d and s.
    fn multiple_of(&self, value: Value) -> Option<(Value, i64)> {
        let Some(&Op::Binary(BinaryOp::And, a, b)) = self.function.definition(value) else { return None };
        let (distance, mask) = [(a, b), (b, a)].into_iter().find_map(|(a, b)| Some((a, self.number(b)?)))?;
        (mask < 0 && mask != i64::MIN && (-mask).count_ones() == 1).then_some((distance, -mask))
    }

    /// Where the way from a number ends whose length is the distance `max(to − from, 0)`.
    fn end_of_way(&self, distance: Value, from: Value) -> Option<Value> {
        let Some(&Op::Binary(BinaryOp::SMax, a, b)) = self.function.definition(distance) else { return None };
        let difference = [(a, b), (b, a)].into_iter().find(|(_, zero)| self.number(*zero) == Some(0))?.0;
        match self.function.definition(difference) {
            Some(&Op::Binary(BinaryOp::Sub, to, start)) if start == from => Some(to),
            _ => None,
        }
    }

    /// A number of which another one has the lower bits.
    fn whole(&self, value: Value) -> Value {
        match self.function.definition(value) {
            Some(&Op::Convert(ConvertOp::Trunc, a)) => a,
            _ => value,
        }
    }
}
