//! The least and the greatest value that a number has in a loop, as terms of what is there before it.
//!
//! ```text
//! counter i from a up to below b in steps of s     a … b − 1, or less where it misses b − 1: a + (b − 1 − a rounded down to s)
//! k that grows by 1 in some rounds of that             k₀ … k₀ + (the greatest i) − a
//! x + y, x · y                                     sums, products of the ends; in a type where that fits
//! ramp x, step s of N lanes                        x … x + (N − 1)·s; under a mask of the first m lanes m − 1 for N − 1
//! min(x, y), max(x, y), x & 15, x % 16             clamped indices
//! x + k, where k counts from 0 to the distance y − x  x … y − 1 ([`ways`](super::ways))
//! x >> 4 of a byte, clz x                          what is certain of its bits ([`numbers`])
//! x, where the mask or a branch says x < y         … least(that, y − 1)
//! ```
//! A counter has its range where its round has been entered: in what the body's first block dominates. A value has that of its
//! operands: whatever dominates the place where it is read was computed since the counter changed.

use super::facts::Fact;
use super::region::{Region, is_pure, is_written};
use super::terms::{Condition, Term, Terms, limits};
use crate::optimize::ranges as numbers;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// How deep operations are looked through.
pub(super) const MAX_DEPTH: u32 = 48;

/// Least and greatest, as far as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    pub(super) low: Option<Term>,
    pub(super) high: Option<Term>,
}

impl Range {
    pub(super) fn both(self) -> Option<(Term, Term)> {
        Some((self.low?, self.high?))
    }
}

/// The ranges of a loop's values.
pub(super) struct Ranges<'f> {
    pub(super) function: &'f Function,
    pub(super) graph: &'f Graph,
    pub(super) region: &'f Region,
    /// The slots that nothing but what is computed from their addresses leads to.
    private: &'f [bool],
    pub(super) terms: Terms,
    /// What the proof at hand needs.
    pub(super) conditions: Vec<Condition>,
    /// What is known where the value of the proof at hand is read.
    pub(super) facts: Vec<Fact>,
    pub(super) known: FxHashMap<(Value, Block), Range>,
    pub(super) loops: FxHashMap<Block, Option<Region>>,
    pub(super) invariant: FxHashMap<Value, bool>,
    pub(super) defined: FxHashMap<Inst, Block>,
    pub(super) depth: u32,
}

impl<'f> Ranges<'f> {
    pub(super) fn new(function: &'f Function, graph: &'f Graph, private: &'f [bool], region: &'f Region) -> Self {
        let mut defined = FxHashMap::default();
        for &block in &region.blocks {
            defined.extend(function.blocks[block.0 as usize].insts.iter().map(|&inst| (inst, block)));
        }
        let (terms, conditions, facts, known, loops, invariant) = Default::default();
        Ranges { function, graph, region, private, terms, conditions, facts, known, loops, invariant, defined, depth: 0 }
    }

    /// Forgets what is needed beyond a number of conditions, and what was concluded from it.
    pub(super) fn take_back(&mut self, conditions: usize) {
        if self.conditions.len() > conditions {
            self.conditions.truncate(conditions);
            self.known.clear();
        }
    }

    pub(super) fn op(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        self.terms.binary(op, a, b, &mut self.conditions)
    }

    pub(super) fn plus(&mut self, a: Term, by: i64) -> Option<Term> {
        let by = self.terms.constant(by)?;
        self.op(BinaryOp::Add, a, by)
    }

    /// Is it computed before the loop, or could it be?
    pub(super) fn is_invariant(&mut self, value: Value) -> bool {
        match self.function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => !self.region.has(block),
            ValueDef::Result(inst, _) => {
                if !self.defined.contains_key(&inst) {
                    return true;
                }
                if let Some(&known) = self.invariant.get(&value) {
                    return known;
                }
                if self.depth > MAX_DEPTH {
                    return false;
                }
                let op = self.function.insts[inst.0 as usize].op.clone();
                let is_loaded = match op {
                    Op::Load { pointer, mask: None } => {
                        self.is_own(pointer) && !is_written(self.function, self.private, &self.region.blocks, pointer)
                    }
                    _ => false,
                };
                self.depth += 1;
                let mut all = is_loaded || is_pure(&op);
                op.for_each(|operand| all = all && self.is_invariant(operand));
                self.depth -= 1;
                self.invariant.insert(value, all);
                all
            }
        }
    }

    /// Does a pointer lead to a fixed place of the function's own memory or of a global, which can be read at any time?
    pub(super) fn is_own(&self, pointer: Value) -> bool {
        let mut pointer = pointer;
        loop {
            pointer = match self.function.definition(pointer) {
                Some(Op::SlotAddress(_) | Op::GlobalAddress(_)) => return true,
                Some(Op::PtrOffset(base, _)) => *base,
                Some(&Op::PtrIndex { base, index, .. })
                    if matches!(self.function.definition(index), Some(Op::Const(_))) && self.function.ty(index).length == 1 =>
                {
                    base
                }
                _ => return false,
            };
        }
    }

    /// The range of an integer that is read in `at`.
    pub(super) fn range(&mut self, value: Value, at: Block) -> Range {
        if let Some(&known) = self.known.get(&(value, at)) {
            return known;
        }
        if self.depth > MAX_DEPTH {
            return Range::default();
        }
        self.depth += 1;
        let conditions = self.conditions.len();
        let computed = self.computed(value, at);
        if computed.is_none() {
            self.take_back(conditions);
        }
        let certain = self.certain(value, computed.unwrap_or_default());
        let range = self.narrowed(value, certain, at);
        self.depth -= 1;
        self.known.insert((value, at), range);
        range
    }

    /// The same, with the constants that certainly bound an integer where no narrower ones were found: those of `x >> 4` of a byte, whatever
    /// the x.
    fn certain(&mut self, value: Value, computed: Range) -> Range {
        let ty = self.function.ty(value);
        if !ty.element.is_int() {
            return computed;
        }
        let (all, (low, high)) = (limits(ty), numbers::range(self.function, value));
        let mut range = computed;
        if low > all.0 && range.low.is_none_or(|term| self.terms.as_constant(term).is_some_and(|known| known < low)) {
            range.low = self.terms.constant(low);
        }
        if high < all.1 && range.high.is_none_or(|term| self.terms.as_constant(term).is_some_and(|known| known > high)) {
            range.high = self.terms.constant(high);
        }
        range
    }

    pub(super) fn computed(&mut self, value: Value, at: Block) -> Option<Range> {
        let ty = self.function.ty(value);
        if !ty.element.is_int() && ty.element != Element::Bool {
            return None;
        }
        let definition = self.function.definition(value).cloned();
        if let Some(Op::Const(bits)) = &definition {
            let signed = bits.iter().map(|&bits| signed(ty, bits));
            let (low, high) = (signed.clone().min()?, signed.max()?);
            return Some(Range { low: self.terms.constant(low), high: self.terms.constant(high) });
        }
        if ty.length == 1 && self.is_invariant(value) {
            let bounds = self.bounds(value, 0);
            let term = self.terms.value(value, bounds, &mut self.conditions)?;
            return Some(Range { low: Some(term), high: Some(term) });
        }
        let Some(op) = definition else { return self.parameter(value, at) };
        match op {
            Op::Splat(a) => Some(self.range(a, at)),
            Op::Ramp { base, step: 1, exact: _ } if let Some(range) = self.rest_of_way(base, at) => Some(range),
            Op::Ramp { base, step, exact: _ } => {
                let (low, high) = self.range(base, at).both()?;
                // Where no lane is on, `last` is −1, and any range is right.
                let last = self.last_lane(ty.length, at)?;
                let grows = step >= 0;
                let step = self.terms.constant(step)?;
                let by = self.op(BinaryOp::Mul, last, step)?;
                let (low, high) =
                    if grows { (low, self.op(BinaryOp::Add, high, by)?) } else { (self.op(BinaryOp::Add, low, by)?, high) };
                self.fits(low, high, ty)
            }
            Op::Binary(op, a, b) => self.binary(op, a, b, ty, at),
            Op::Convert(op, a) => self.converted(op, a, ty, at),
            Op::Select(_, a, b) => {
                let (a, b) = (self.range(a, at), self.range(b, at));
                self.union(a, b)
            }
            // The lane may be one that is off, of which the mask says nothing.
            Op::Extract(a, _) => Some(self.without_facts(a, at)),
            _ => self.by_type(ty),
        }
    }

    /// Between what a scalar certainly is, by its type and how it is computed.
    fn bounds(&self, value: Value, depth: u32) -> (i64, i64) {
        let ty = self.function.ty(value);
        let all = limits(ty);
        if depth > 8 {
            return all;
        }
        let of = |value: Value| self.bounds(value, depth + 1);
        match self.function.definition(value) {
            Some(Op::Const(bits)) => (signed(ty, bits[0]), signed(ty, bits[0])),
            Some(&Op::Convert(ConvertOp::SExt, a)) => of(a),
            Some(&Op::Binary(BinaryOp::SMax, a, b)) => (of(a).0.max(of(b).0), of(a).1.max(of(b).1)),
            Some(&Op::Binary(BinaryOp::SMin, a, b)) => (of(a).0.min(of(b).0), of(a).1.min(of(b).1)),
            Some(&Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)) => {
                let ((a, b), (c, d)) = (of(a), of(b));
                let (low, high) = match op {
                    BinaryOp::Add => (a.checked_add(c), b.checked_add(d)),
                    _ => (a.checked_sub(d), b.checked_sub(c)),
                };
                match (low, high) {
                    (Some(low), Some(high)) if low >= all.0 && high <= all.1 => (low, high),
                    _ => all,
                }
            }
            // No more than a number that is not negative.
            Some(&Op::Binary(BinaryOp::And, a, b)) => match (of(a), of(b)) {
                ((0.., high), (0.., other)) => (0, high.min(other)),
                ((0.., high), _) | (_, (0.., high)) => (0, high),
                _ => all,
            },
            _ => all,
        }
    }

    /// What a narrow type can hold.
    pub(super) fn by_type(&mut self, ty: Type) -> Option<Range> {
        if ty.element.bits() > 16 {
            return None;
        }
        let (low, high) = limits(ty);
        Some(Range { low: self.terms.constant(low), high: self.terms.constant(high) })
    }

    pub(super) fn union(&mut self, a: Range, b: Range) -> Option<Range> {
        let low = match (a.low, b.low) {
            (Some(a), Some(b)) => self.op(BinaryOp::SMin, a, b),
            _ => None,
        };
        let high = match (a.high, b.high) {
            (Some(a), Some(b)) => self.op(BinaryOp::SMax, a, b),
            _ => None,
        };
        Some(Range { low, high })
    }

    /// A result that its type holds.
    pub(super) fn fits(&mut self, low: Term, high: Term, ty: Type) -> Option<Range> {
        if ty.element.bits() == 64 {
            return Some(Range { low: Some(low), high: Some(high) });
        }
        let (least, most) = limits(ty);
        let low = self.terms.limited(low, least, most, &mut self.conditions)?;
        let high = self.terms.limited(high, least, most, &mut self.conditions)?;
        Some(Range { low: Some(low), high: Some(high) })
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: Value, b: Value, ty: Type, at: Block) -> Option<Range> {
        let constant = |value: Value| match self.function.definition(value) {
            Some(Op::Const(bits)) if bits.iter().all(|&b| b == bits[0]) => Some(signed(ty, bits[0])),
            Some(&Op::Splat(inner)) => match self.function.definition(inner) {
                Some(Op::Const(bits)) => Some(signed(ty, bits[0])),
                _ => None,
            },
            _ => None,
        };
        let (left, right) = (constant(a), constant(b));
        match op {
            BinaryOp::Add if let Some(range) = self.on_the_way(a, b, at) => Some(range),
            BinaryOp::Add => {
                let ((a, b), (c, d)) = (self.range(a, at).both()?, self.range(b, at).both()?);
                let (low, high) = (self.op(BinaryOp::Add, a, c)?, self.op(BinaryOp::Add, b, d)?);
                self.fits(low, high, ty)
            }
            BinaryOp::Sub => {
                let ((a, b), (c, d)) = (self.range(a, at).both()?, self.range(b, at).both()?);
                let (low, high) = (self.op(BinaryOp::Sub, a, d)?, self.op(BinaryOp::Sub, b, c)?);
                self.fits(low, high, ty)
            }
            BinaryOp::Mul => self.product(a, b, ty, at),
            BinaryOp::Shl if right.is_some_and(|by| (0..31).contains(&by)) => {
                let (low, high) = self.range(a, at).both()?;
                let factor = self.terms.constant(1 << right?)?;
                let (low, high) = (self.op(BinaryOp::Mul, low, factor)?, self.op(BinaryOp::Mul, high, factor)?);
                self.fits(low, high, ty)
            }
            BinaryOp::SMin | BinaryOp::SMax => {
                let (a, b) = (self.range(a, at), self.range(b, at));
                let ends = |this: &mut Self, a: Option<Term>, b: Option<Term>, one_is_enough: bool| match (a, b) {
                    (Some(a), Some(b)) => this.op(op, a, b),
                    (Some(a), None) | (None, Some(a)) if one_is_enough => Some(a),
                    _ => None,
                };
                let is_min = op == BinaryOp::SMin;
                Some(Range { low: ends(self, a.low, b.low, !is_min), high: ends(self, a.high, b.high, is_min) })
            }
            // Of numbers that are not negative.
            BinaryOp::UMin | BinaryOp::UMax => {
                let ((a, b), (c, d)) = (self.range(a, at).both()?, self.range(b, at).both()?);
                let zero = self.terms.constant(0)?;
                for low in [a, c] {
                    self.terms.at_most(zero, low, &mut self.conditions)?;
                }
                let op = if op == BinaryOp::UMin { BinaryOp::SMin } else { BinaryOp::SMax };
                Some(Range { low: self.op(op, a, c), high: self.op(op, b, d) })
            }
            BinaryOp::And if left.or(right).is_some_and(|mask| mask >= 0) => {
                Some(Range { low: self.terms.constant(0), high: self.terms.constant(left.or(right)?) })
            }
            BinaryOp::URem if right.is_some_and(|by| by > 0) => {
                Some(Range { low: self.terms.constant(0), high: self.terms.constant(right? - 1) })
            }
            BinaryOp::SRem if right.is_some_and(|by| by > 0) => {
                let by = right?;
                let range = self.range(a, at);
                let low = self.terms.constant(1 - by)?;
                let zero = self.terms.constant(0)?;
                // The sign is that of the dividend.
                let low = match range.low {
                    Some(least) => {
                        let least = self.op(BinaryOp::SMin, least, zero)?;
                        self.op(BinaryOp::SMax, low, least)?
                    }
                    None => low,
                };
                Some(Range { low: Some(low), high: self.terms.constant(by - 1) })
            }
            BinaryOp::AShr | BinaryOp::SDiv if right.is_some_and(|by| by > 0 && (op == BinaryOp::SDiv || by < 31)) => {
                let range = self.range(a, at);
                let by = self.terms.constant(right?)?;
                let low = range.low.and_then(|low| self.op(op, low, by));
                let high = range.high.and_then(|high| self.op(op, high, by));
                Some(Range { low, high })
            }
            BinaryOp::LShr | BinaryOp::UDiv if right.is_some_and(|by| by > 0 && (op == BinaryOp::UDiv || by < 31)) => {
                let (low, high) = self.range(a, at).both()?;
                let (zero, by) = (self.terms.constant(0)?, self.terms.constant(right?)?);
                self.terms.at_most(zero, low, &mut self.conditions)?;
                let op = if op == BinaryOp::LShr { BinaryOp::AShr } else { BinaryOp::SDiv };
                Some(Range { low: self.op(op, low, by), high: self.op(op, high, by) })
            }
            _ => self.by_type(ty),
        }
    }

    /// a · b. The factor of a row is a number that does not change and is not negative, so that the ends of the range stay its ends: of a
    /// tail without lanes the greatest index is below the least one, and stays there.
    fn product(&mut self, a: Value, b: Value, ty: Type, at: Block) -> Option<Range> {
        for (a, b) in [(a, b), (b, a)] {
            let conditions = self.conditions.len();
            let zero = self.terms.constant(0)?;
            let factor = self.fixed(b).filter(|&factor| self.terms.at_most(zero, factor, &mut self.conditions).is_some());
            if let Some(factor) = factor {
                let (low, high) = self.range(a, at).both()?;
                let (low, high) = (self.op(BinaryOp::Mul, low, factor)?, self.op(BinaryOp::Mul, high, factor)?);
                return self.fits(low, high, ty);
            }
            self.take_back(conditions);
        }
        let ((a, b), (c, d)) = (self.range(a, at).both()?, self.range(b, at).both()?);
        let mut products = Vec::new();
        for (x, y) in [(a, c), (a, d), (b, c), (b, d)] {
            products.push(self.op(BinaryOp::Mul, x, y)?);
        }
        let (mut low, mut high) = (products[0], products[0]);
        for &product in &products[1..] {
            (low, high) = (self.op(BinaryOp::SMin, low, product)?, self.op(BinaryOp::SMax, high, product)?);
        }
        self.fits(low, high, ty)
    }

    /// The number that a scalar is, if it is a constant.
    pub(super) fn number(&self, value: Value) -> Option<i64> {
        match self.function.definition(value) {
            Some(Op::Const(bits)) => Some(signed(self.function.ty(value), bits[0])),
            _ => None,
        }
    }

    /// A number that is the same in all rounds and lanes.
    fn fixed(&mut self, value: Value) -> Option<Term> {
        let ty = self.function.ty(value);
        match self.function.definition(value) {
            Some(&Op::Splat(a)) => self.fixed(a),
            Some(Op::Const(bits)) if bits.iter().all(|bit| *bit == bits[0]) => self.terms.constant(signed(ty, bits[0])),
            _ if ty.length == 1 && self.is_invariant(value) => {
                let bounds = self.bounds(value, 0);
                self.terms.value(value, bounds, &mut self.conditions)
            }
            _ => None,
        }
    }

    pub(super) fn converted(&mut self, op: ConvertOp, a: Value, ty: Type, at: Block) -> Option<Range> {
        match op {
            ConvertOp::SExt => Some(self.range(a, at)),
            ConvertOp::Trunc => {
                let (low, high) = self.range(a, at).both()?;
                self.fits(low, high, ty)
            }
            ConvertOp::ZExt => {
                let bits = self.function.ty(a).element.bits();
                if bits <= 16 {
                    // Whatever it is, as an unsigned number it is in here.
                    return Some(Range { low: self.terms.constant(0), high: self.terms.constant((1 << bits) - 1) });
                }
                let (low, high) = self.range(a, at).both()?;
                let zero = self.terms.constant(0)?;
                self.terms.at_most(zero, low, &mut self.conditions)?;
                Some(Range { low: Some(low), high: Some(high) })
            }
            _ => self.by_type(ty),
        }
    }
}

/// Bits of a type as a signed number; `bool` is 0 or 1.
pub(super) fn signed(ty: Type, bits: u64) -> i64 {
    let width = ty.element.bits();
    if width == 1 { (bits & 1) as i64 } else { (bits as i64) << (64 - width) >> (64 - width) }
}
