//! What branches and masks say of numbers where something is read: `if (x < y) … a[x] …`, and the lanes of a tail.

use super::ranges::{MAX_DEPTH, Range, Ranges};
use super::terms::Term;
use crate::vector::ir::*;

/// How many blocks up conditions of branches are looked for.
const MAX_BRANCHES: usize = 64;

/// `a` compares so with `b`, lane by lane; a mask of first lanes stands for the numbers of its lanes.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    pub(super) op: CompareOp,
    pub(super) a: Value,
    pub(super) b: Value,
}

impl Ranges<'_> {
    /// What the branches say that lead to a block, up to the header.
    pub(super) fn branches(&mut self, block: Block) -> Vec<Fact> {
        self.facts = Vec::new();
        let mut at = block;
        for _ in 0..MAX_BRANCHES {
            if !self.region.has(at) {
                break;
            }
            if let [before] = self.graph.predecessors[at.0 as usize][..]
                && self.region.has(before)
                && let Terminator::Branch { condition, then, otherwise } = &self.function.blocks[before.0 as usize].terminator
                && then.block != otherwise.block
            {
                self.facts_of(*condition, then.block == at, 0);
            }
            match self.graph.immediate_dominator(at) {
                Some(up) if at != self.region.header => at = up,
                _ => break,
            }
        }
        std::mem::take(&mut self.facts)
    }

    /// What follows if a value is so, in all lanes in which something is read.
    pub(super) fn facts_of(&mut self, value: Value, is: bool, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        match self.function.definition(value) {
            Some(&Op::Unary(UnaryOp::Not, a)) => self.facts_of(a, !is, depth + 1),
            Some(&Op::Binary(BinaryOp::And, a, b)) if is => {
                self.facts_of(a, is, depth + 1);
                self.facts_of(b, is, depth + 1);
            }
            Some(&Op::Binary(BinaryOp::Or, a, b)) if !is => {
                self.facts_of(a, is, depth + 1);
                self.facts_of(b, is, depth + 1);
            }
            Some(&Op::Compare(op, a, b)) if self.function.ty(a).element.is_int() => {
                if let Some(op) = if is { Some(op) } else { op.negated() } {
                    self.facts.push(Fact { op, a, b });
                    self.facts.extend(op.swapped().map(|op| Fact { op, a: b, b: a }));
                }
            }
            Some(&Op::FirstLanes(count)) if is => self.facts.push(Fact { op: CompareOp::ULt, a: value, b: count }),
            _ => {}
        }
    }

    /// The range, narrowed by what is known.
    pub(super) fn narrowed(&mut self, value: Value, range: Range, at: Block) -> Range {
        let mut range = range;
        if !self.function.ty(value).element.is_int() {
            return range;
        }
        let facts: Vec<Fact> = self.facts.iter().copied().filter(|fact| fact.a == value).collect();
        for fact in facts {
            let conditions = self.conditions.len();
            if self.narrow(&mut range, fact, at).is_none() {
                self.take_back(conditions);
            }
        }
        range
    }

    pub(super) fn narrow(&mut self, range: &mut Range, fact: Fact, at: Block) -> Option<()> {
        // What is not negative and is below something as an unsigned number is so as a signed one.
        let is_unsigned = matches!(fact.op, CompareOp::ULt | CompareOp::ULe);
        match fact.op {
            CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe => {
                let other = self.without_facts(fact.b, at);
                let by = if matches!(fact.op, CompareOp::SLt | CompareOp::ULt) { -1 } else { 0 };
                let zero = self.terms.constant(0)?;
                if is_unsigned {
                    self.terms.at_most(zero, other.low?, &mut self.conditions)?;
                    range.low = Some(match range.low {
                        Some(low) => self.op(BinaryOp::SMax, low, zero)?,
                        None => zero,
                    });
                }
                let most = self.plus(other.high?, by)?;
                range.high = Some(match range.high {
                    Some(high) => self.op(BinaryOp::SMin, high, most)?,
                    None => most,
                });
            }
            CompareOp::SGt | CompareOp::SGe => {
                let other = self.without_facts(fact.b, at);
                let least = self.plus(other.low?, if fact.op == CompareOp::SGt { 1 } else { 0 })?;
                range.low = Some(match range.low {
                    Some(low) => self.op(BinaryOp::SMax, low, least)?,
                    None => least,
                });
            }
            _ => {}
        }
        Some(())
    }

    /// A range in which nothing is known of comparisons, so that they do not lead in circles.
    pub(super) fn without_facts(&mut self, value: Value, at: Block) -> Range {
        let (facts, known) = (std::mem::take(&mut self.facts), std::mem::take(&mut self.known));
        let range = self.range(value, at);
        (self.facts, self.known) = (facts, known);
        range
    }

    fn is_from_zero(&mut self, range: Range) -> Option<()> {
        let zero = self.terms.constant(0)?;
        self.terms.at_most(zero, range.low?, &mut self.conditions)
    }

    /// How many of the first lanes are on at most, less one: of a mask that compares the numbers of the lanes.
    pub(super) fn last_lane(&mut self, length: u8, at: Block) -> Option<Term> {
        let all = self.terms.constant(i64::from(length) - 1)?;
        let counts_lanes = |value: Value| match self.function.definition(value) {
            _ if self.function.ty(value).length != length => false,
            Some(Op::FirstLanes(_)) => true,
            Some(Op::Const(bits)) => bits.len() == usize::from(length) && bits.iter().zip(0..).all(|(&bit, lane)| bit == lane),
            _ => false,
        };
        let is_limit = |fact: &Fact| counts_lanes(fact.a) && matches!(fact.op, CompareOp::SLt | CompareOp::ULt);
        let fact = self.facts.iter().copied().find(is_limit);
        let Some(fact) = fact else { return Some(all) };
        let conditions = self.conditions.len();
        let count = self.without_facts(fact.b, at);
        // Without a sign, a number below zero is a great one.
        let is_number = fact.op == CompareOp::SLt || self.is_from_zero(count).is_some();
        let most = count.high.filter(|_| is_number);
        let last = most.and_then(|high| self.plus(high, -1)).and_then(|last| self.op(BinaryOp::SMin, last, all));
        if last.is_none() {
            self.take_back(conditions);
        }
        last.or(Some(all))
    }
}
