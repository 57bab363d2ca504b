//! When a condition certainly holds.

use super::ranges::Ranges;
use super::terms::Condition;
use crate::vector::ir::*;

impl Ranges<'_> {
    /// Conditions under which a scalar `bool` holds whenever `block` is run.
    pub(super) fn proof(&mut self, condition: Value, block: Block) -> Option<Vec<Condition>> {
        self.conditions.clear();
        self.known.clear();
        self.facts = self.branches(block);
        self.decide(condition, true, block)?;
        Some(std::mem::take(&mut self.conditions))
    }

    /// Is it certainly so in all lanes?
    pub(super) fn decide(&mut self, value: Value, is: bool, at: Block) -> Option<()> {
        if self.function.ty(value).length == 1 && self.is_invariant(value) {
            // What all lanes of a tail have in common need not be asked of each in front of the loop.
            let conditions = self.conditions.len();
            let is_decided = self.is_of_lanes(value) && self.decide_by_parts(value, is, at).is_some();
            if !is_decided {
                self.take_back(conditions);
                self.conditions.push(Condition::Is(value, is));
            }
            return Some(());
        }
        self.decide_by_parts(value, is, at)
    }

    /// Is it a scalar that says something about the lanes of a vector?
    fn is_of_lanes(&self, value: Value) -> bool {
        match self.function.definition(value) {
            Some(Op::Unary(_, a)) => self.is_of_lanes(*a),
            Some(Op::Any(_) | Op::All(_)) => true,
            _ => false,
        }
    }

    fn decide_by_parts(&mut self, value: Value, is: bool, at: Block) -> Option<()> {
        match (self.function.definition(value)?.clone(), is) {
            (Op::Const(bits), _) => bits.iter().all(|&bit| (bit & 1 == 1) == is).then_some(()),
            (Op::Unary(UnaryOp::Not, a), _) => self.decide(a, !is, at),
            (Op::Splat(a), _) | (Op::All(a), true) | (Op::Any(a), false) => self.decide(a, is, at),
            (Op::Binary(BinaryOp::And, a, b), true) | (Op::Binary(BinaryOp::Or, a, b), false) => {
                self.decide(a, is, at)?;
                self.decide(b, is, at)
            }
            // `mask and bad` is off where nothing is bad; a mask that is off would be a guard that hardly ever holds.
            (Op::Binary(BinaryOp::And, mask, bad), false) => self.either(bad, mask, is, at),
            (Op::Binary(BinaryOp::Or, a, b), true) => self.either(a, b, is, at),
            (Op::Compare(op, a, b), true) => self.compare(op, a, b, at),
            (Op::Compare(op, a, b), false) => self.compare(op.negated()?, a, b, at),
            _ => None,
        }
    }

    /// `a` is so wherever `b` is not.
    pub(super) fn either(&mut self, a: Value, b: Value, is: bool, at: Block) -> Option<()> {
        let (conditions, facts) = (self.conditions.len(), self.facts.len());
        self.facts_of(b, !is, 0);
        if self.facts.len() > facts {
            self.known.clear();
        }
        let decided = self.decide(a, is, at);
        if self.facts.len() > facts {
            self.known.clear();
            self.facts.truncate(facts);
        }
        if decided.is_none() {
            self.take_back(conditions);
        }
        decided
    }

    pub(super) fn compare(&mut self, op: CompareOp, a: Value, b: Value, at: Block) -> Option<()> {
        match op {
            CompareOp::SLt => self.below(a, b, 1, at),
            CompareOp::SLe => self.below(a, b, 0, at),
            CompareOp::SGt => self.below(b, a, 1, at),
            CompareOp::SGe => self.below(b, a, 0, at),
            CompareOp::ULt => self.not_negative(a, at).and_then(|()| self.below(a, b, 1, at)),
            CompareOp::ULe => self.not_negative(a, at).and_then(|()| self.below(a, b, 0, at)),
            CompareOp::UGt => self.not_negative(b, at).and_then(|()| self.below(b, a, 1, at)),
            CompareOp::UGe => self.not_negative(b, at).and_then(|()| self.below(b, a, 0, at)),
            CompareOp::Eq
            | CompareOp::Ne
            | CompareOp::FEq
            | CompareOp::FNe
            | CompareOp::FLt
            | CompareOp::FLe
            | CompareOp::FGt
            | CompareOp::FGe => None,
        }
    }

    /// a + by ≤ b
    pub(super) fn below(&mut self, a: Value, b: Value, by: i64, at: Block) -> Option<()> {
        let (high, low) = (self.range(a, at).high?, self.range(b, at).low?);
        let by = self.terms.constant(by)?;
        let high = self.op(BinaryOp::Add, high, by)?;
        self.terms.at_most(high, low, &mut self.conditions)
    }

    pub(super) fn not_negative(&mut self, a: Value, at: Block) -> Option<()> {
        let low = self.range(a, at).low?;
        let zero = self.terms.constant(0)?;
        self.terms.at_most(zero, low, &mut self.conditions)
    }
}
