//! Numbers that are computed in front of a loop, in 64 bits, and do not wrap there.
//!
//! Of each term a least and a greatest value is known that hold whatever the program's numbers are; they stay within ±2⁶². A
//! number of 64 bits, or a product that could be greater, is compared with a limit first: that is a [`Condition`] of all that is
//! concluded from it.

use super::super::block_writer::{BlockWriter, IsInside};
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A term, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Term(u32);

/// What must hold for a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Condition {
    /// a ≤ b
    AtMost(Term, Term),
    /// A scalar `bool` that does not change in the loop is so.
    Is(Value, bool),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Const(i64),
    /// A scalar that does not change in the loop, as a signed number.
    Value(Value),
    /// A parameter of the loop's header, as it is when the loop begins.
    Entry(u32, Type),
    /// Compared with limits.
    Limited(Term, i64, i64),
    Binary(BinaryOp, Term, Term),
}

struct Data {
    kind: Kind,
    low: i128,
    high: i128,
}

/// The limit of all terms.
const LIMIT: i128 = 1 << 62;

/// The limit of numbers of 64 bits: more than memory has bytes.
const WIDE: i64 = 1 << 47;

/// The limit of factors that could be too large.
const FACTOR: i64 = i32::MAX as i64;

/// The terms of a guard.
#[derive(Default)]
pub(super) struct Terms {
    data: Vec<Data>,
    known: FxHashMap<Kind, Term>,
}

/// The least and the greatest signed number of a type.
pub(super) fn limits(ty: Type) -> (i64, i64) {
    let bits = ty.element.bits();
    if bits == 1 { (0, 1) } else { (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)) }
}

impl Terms {
    fn get(&self, term: Term) -> &Data {
        &self.data[term.0 as usize]
    }

    /// How a term is made, and between what it certainly is.
    pub fn parts(&self, term: Term) -> (Kind, i128, i128) {
        let data = self.get(term);
        (data.kind, data.low, data.high)
    }

    fn make(&mut self, kind: Kind, low: i128, high: i128) -> Term {
        if let Some(&term) = self.known.get(&kind) {
            return term;
        }
        let term = Term(self.data.len() as u32);
        self.data.push(Data { kind, low, high });
        self.known.insert(kind, term);
        term
    }

    /// A constant within the limits.
    pub fn constant(&mut self, value: i64) -> Option<Term> {
        let wide = i128::from(value);
        (-LIMIT..=LIMIT).contains(&wide).then(|| self.make(Kind::Const(value), wide, wide))
    }

    /// The number that a term is, if it is a constant.
    pub fn as_constant(&self, term: Term) -> Option<i64> {
        if let Kind::Const(value) = self.get(term).kind { Some(value) } else { None }
    }

    /// A number of the program that does not change in the loop, and is certainly between these.
    pub fn value(&mut self, value: Value, (low, high): (i64, i64), conditions: &mut Vec<Condition>) -> Option<Term> {
        let term = self.make(Kind::Value(value), low.into(), high.into());
        self.limited(term, -WIDE, WIDE, conditions)
    }

    /// What parameter `index` of the header is when the loop begins.
    pub fn entry(&mut self, index: u32, ty: Type, conditions: &mut Vec<Condition>) -> Option<Term> {
        let (low, high) = limits(ty);
        let term = self.make(Kind::Entry(index, ty), low.into(), high.into());
        self.limited(term, -WIDE, WIDE, conditions)
    }

    /// The numbers of the program that conditions are about.
    pub fn values(&self, conditions: &[Condition]) -> Vec<Value> {
        let (mut values, mut work, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        for condition in conditions {
            match *condition {
                Condition::AtMost(a, b) => work.extend([a, b]),
                Condition::Is(value, _) => values.push(value),
            }
        }
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.get(term).kind {
                Kind::Const(_) | Kind::Entry(..) => {}
                Kind::Value(value) => values.push(value),
                Kind::Limited(inner, ..) => work.push(inner),
                Kind::Binary(_, a, b) => work.extend([a, b]),
            }
        }
        values
    }

    /// The strongest of conditions that compare the same term with constants.
    pub fn strongest(&self, conditions: &[Condition]) -> Vec<Condition> {
        let constant = |term: Term| self.as_constant(term);
        let conditions: Vec<Condition> = conditions.iter().map(|condition| self.without_limits(*condition)).collect();
        let is_weaker = |&weak: &Condition| {
            let Condition::AtMost(a, b) = weak else { return false };
            conditions.iter().any(|&strong| match (strong, constant(a), constant(b)) {
                (Condition::AtMost(c, d), Some(least), _) if d == b => constant(c).is_some_and(|c| c > least),
                (Condition::AtMost(c, d), _, Some(most)) if c == a => constant(d).is_some_and(|d| d < most),
                _ => false,
            })
        };
        let mut seen = FxHashSet::default();
        conditions.iter().copied().filter(|condition| !is_weaker(condition) && seen.insert(*condition)).collect()
    }

    /// A condition on the terms themselves: what limits them are conditions, too.
    fn without_limits(&self, condition: Condition) -> Condition {
        let inner = |mut term: Term| {
            while let Kind::Limited(limited, ..) = self.get(term).kind {
                term = limited;
            }
            term
        };
        match condition {
            Condition::AtMost(a, b) => Condition::AtMost(inner(a), inner(b)),
            Condition::Is(..) => condition,
        }
    }

    /// The same, within limits that become conditions unless they are known to hold; nothing if they cannot hold.
    pub fn limited(&mut self, term: Term, low: i64, high: i64, conditions: &mut Vec<Condition>) -> Option<Term> {
        let data = self.get(term);
        let (old_low, old_high) = (data.low, data.high);
        let (new_low, new_high) = (i128::from(low).max(old_low), i128::from(high).min(old_high));
        if (new_low, new_high) == (old_low, old_high) {
            return Some(term);
        }
        if new_low > new_high {
            return None;
        }
        let limited = self.make(Kind::Limited(term, new_low as i64, new_high as i64), new_low, new_high);
        if new_low > old_low {
            let low = self.make(Kind::Const(new_low as i64), new_low, new_low);
            conditions.push(Condition::AtMost(low, term));
        }
        if new_high < old_high {
            let high = self.make(Kind::Const(new_high as i64), new_high, new_high);
            conditions.push(Condition::AtMost(term, high));
        }
        Some(limited)
    }

    /// a ≤ b: known, a condition, or nothing if it cannot be.
    pub fn at_most(&mut self, a: Term, b: Term, conditions: &mut Vec<Condition>) -> Option<()> {
        let (x, y) = (self.get(a), self.get(b));
        if x.high <= y.low {
            return Some(());
        }
        if x.low > y.high {
            return None;
        }
        conditions.push(Condition::AtMost(a, b));
        Some(())
    }

    /// a ∘ b for sums, differences, products, minima, maxima, `and` with a constant, and shifts and quotients by positive constants.
    pub fn binary(&mut self, op: BinaryOp, a: Term, b: Term, conditions: &mut Vec<Condition>) -> Option<Term> {
        let (mut a, mut b) = (a, b);
        let mut bounds = self.bounds(op, a, b)?;
        if bounds.0 < -LIMIT || bounds.1 > LIMIT {
            (a, b) = (self.limited(a, -FACTOR, FACTOR, conditions)?, self.limited(b, -FACTOR, FACTOR, conditions)?);
            bounds = self.bounds(op, a, b)?;
        }
        if bounds.0 == bounds.1 {
            return self.constant(bounds.0 as i64);
        }
        let is = |this: &Self, term: Term, value: i64| {
            this.get(term).low == i128::from(value) && this.get(term).high == i128::from(value)
        };
        match op {
            BinaryOp::Add if is(self, a, 0) => return Some(b),
            BinaryOp::Add | BinaryOp::Sub if is(self, b, 0) => return Some(a),
            BinaryOp::Mul if is(self, a, 1) => return Some(b),
            BinaryOp::Mul if is(self, b, 1) => return Some(a),
            BinaryOp::SMin | BinaryOp::SMax if a == b => return Some(a),
            _ => {}
        }
        Some(self.make(Kind::Binary(op, a, b), bounds.0, bounds.1))
    }

    /// Between what a ∘ b certainly is.
    fn bounds(&self, op: BinaryOp, a: Term, b: Term) -> Option<(i128, i128)> {
        let (x, y) = (self.get(a), self.get(b));
        let positive = |data: &Data| matches!(data.kind, Kind::Const(c) if c > 0);
        Some(match op {
            BinaryOp::Add => (x.low + y.low, x.high + y.high),
            BinaryOp::Sub => (x.low - y.high, x.high - y.low),
            BinaryOp::Mul => {
                let products = [x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high];
                (products.into_iter().min()?, products.into_iter().max()?)
            }
            BinaryOp::SMin => (x.low.min(y.low), x.high.min(y.high)),
            BinaryOp::SMax => (x.low.max(y.low), x.high.max(y.high)),
            // A multiple of a power of two: towards minus infinity.
            BinaryOp::And => match y.kind {
                Kind::Const(mask) => (x.low & i128::from(mask), x.high & i128::from(mask)),
                Kind::Value(_) | Kind::Entry(..) | Kind::Limited(..) | Kind::Binary(..) => return None,
            },
            BinaryOp::AShr if positive(y) && y.high < 63 => (x.low >> y.high, x.high >> y.high),
            BinaryOp::SDiv if positive(y) => (x.low / y.high, x.high / y.high),
            _ => return None,
        })
    }
}

/// Writes terms at the end of a block.
pub(super) struct Writer<'f> {
    pub to: BlockWriter<'f>,
    pub terms: &'f Terms,
    /// The parameters of that block, as the loop begins with them.
    pub entry: &'f [Value],
    /// Is a value defined in the loop?
    pub is_inside: &'f IsInside<'f>,
    pub written: FxHashMap<Term, Value>,
    pub values: FxHashMap<Value, Value>,
}

const I64: Type = Type::scalar(Element::I64);

impl Writer<'_> {
    /// Do all conditions hold? They mostly do.
    pub fn guard(&mut self, conditions: &[Condition]) -> Value {
        let boolean = Type::scalar(Element::Bool);
        let mut all = None;
        for condition in conditions {
            let holds = match *condition {
                Condition::AtMost(a, b) => {
                    let (a, b) = (self.term(a), self.term(b));
                    self.to.emit(Op::Compare(CompareOp::SLe, a, b), boolean)
                }
                Condition::Is(value, is) => {
                    let value = self.value(value);
                    if is { value } else { self.to.emit(Op::Unary(UnaryOp::Not, value), boolean) }
                }
            };
            all = Some(match all {
                Some(before) => self.to.emit(Op::Binary(BinaryOp::And, before, holds), boolean),
                None => holds,
            });
        }
        match all {
            Some(all) => self.to.emit(Op::Unary(UnaryOp::Likely, all), boolean),
            None => self.to.emit(Op::Const(vec![1]), boolean),
        }
    }

    /// A term as a number of 64 bits.
    fn term(&mut self, term: Term) -> Value {
        if let Some(&value) = self.written.get(&term) {
            return value;
        }
        let value = match self.terms.get(term).kind {
            Kind::Const(value) => self.to.emit(Op::Const(vec![value as u64]), I64),
            Kind::Value(value) => {
                let ty = self.to.function.ty(value);
                let value = self.value(value);
                self.wide(value, ty)
            }
            Kind::Entry(index, ty) => self.wide(self.entry[index as usize], ty),
            Kind::Limited(inner, ..) => self.term(inner),
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                self.to.emit(Op::Binary(op, a, b), I64)
            }
        };
        self.written.insert(term, value);
        value
    }

    fn wide(&mut self, value: Value, ty: Type) -> Value {
        match ty.element {
            Element::I64 => value,
            Element::Bool => self.to.emit(Op::Convert(ConvertOp::ZExt, value), I64),
            _ => self.to.emit(Op::Convert(ConvertOp::SExt, value), I64),
        }
    }

    /// A value that does not change in the loop, in front of it.
    fn value(&mut self, value: Value) -> Value {
        self.to.again(value, self.is_inside, &mut self.values)
    }
}
