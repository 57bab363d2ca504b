//! Where in a loop conditions hold: comparisons of sums, as bounds of the variable of the loop that are worked out in front of it.
//!
//! ```text
//! for o: for i in [0, +8): o * 8 + i < n        8 · o + i ≤ n − 1 for all i in [0, 7]   ⟺   o ≤ ⌊(n − 8) / 8⌋
//! ```
//! A sum has multiples of the variable, of variables of loops inside, and of what is the same in all iterations. A condition is a
//! statement about ℤ; it is evaluated in 64 bits, where nothing wraps, at the least favourable values of the variables inside. It
//! includes that both sides are `int`s, so that the loop, which computes them in 32 bits, computes the same numbers. What is the
//! same in all iterations is computed in 32 bits, as the loop does. The ends of loops are coordinates, which are `int`s.

use super::super::expr::{Expr, ExprKind, Form, Variable};
use super::super::limits::{CONSTANT, DISTANCE, FACTOR, TERMS};
use super::super::loops::ir::{Binder, Nest, Statement};
use super::super::simplify::{Linear, constant_value, linear, simplify};
use super::super::wide::widened;
use crate::source::Span;
use crate::typed::ir::{BinaryOp, CompareOp, UnaryOp};
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known inside of a loop, and what was found to be required of its variable.
pub struct Conditions<'n> {
    pub nest: &'n mut Nest,
    /// The variable of the loop.
    variable: Variable,
    span: Span,
    /// Variables that are bound in the loop.
    bound: FxHashSet<Variable>,
    /// Of those, the ones that loops inside bind: the first and the last value.
    loops: FxHashMap<Variable, [Linear; 2]>,
    /// And those that are sums.
    sums: FxHashMap<Variable, Linear>,
    /// What is the same in all iterations and computed in front of the loop.
    pub hoisted: Vec<(Variable, Expr)>,
    /// The variable is no less than these,
    pub lows: Vec<Expr>,
    /// no more than these,
    pub highs: Vec<Expr>,
    /// and these hold.
    pub holds: Vec<Expr>,
}

/// Σ ≥ 0
pub struct Condition(pub Linear);

/// A comparison, as what must hold for it to hold inside.
pub struct Comparison {
    /// The smaller side is less than the other one.
    pub less: Condition,
    /// The smaller side is an `int`: no less than the first one, and no more than the last. Nothing, where that is known.
    pub low_is_int: Vec<Condition>,
    /// So is the other one.
    pub high_is_int: Vec<Condition>,
}

impl<'n> Conditions<'n> {
    /// Those of a loop with a variable and a body.
    pub fn new(nest: &'n mut Nest, variable: Variable, body: &Statement, span: Span) -> Conditions<'n> {
        let mut bound = FxHashSet::default();
        body.walk(&mut |s| match s {
            Statement::For(l) => _ = bound.insert(l.variable),
            Statement::Foreach(f) => _ = bound.insert(f.variable),
            Statement::Let(v, ..) | Statement::Greatest(v, ..) | Statement::Slide(v, _) | Statement::Advance(v, _) => {
                bound.insert(*v);
            }
            Statement::Nop | Statement::Assert(_) | Statement::Allocate(..) | Statement::Store(_) | Statement::Accumulate(_) => {}
            Statement::Sequence(_) | Statement::If(..) | Statement::Either(..) => {}
            Statement::Produce(..) | Statement::Stage(..) => {}
        });
        let (loops, sums) = (FxHashMap::default(), FxHashMap::default());
        let (hoisted, lows, highs, holds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Conditions { nest, variable, span, bound, loops, sums, hoisted, lows, highs, holds }
    }

    /// A variable is not the same in all iterations, though it is bound outside of them.
    pub fn vary(&mut self, variable: Variable) {
        self.bound.insert(variable);
    }

    /// A variable has a value, in the loop.
    pub fn define(&mut self, variable: Variable, value: &Expr) {
        if let Some(sum) = self.sum(value) {
            self.sums.insert(variable, sum);
        }
    }

    /// A loop inside has values from one on, and before the first of `ends` that is a sum.
    pub fn range(&mut self, variable: Variable, low: &Expr, ends: &[Expr]) {
        if let (Some(low), Some(end)) = (self.sum(low), ends.iter().find_map(|end| self.sum(end))) {
            self.loops.insert(variable, [low, Linear { constant: end.constant - 1, ..end }]);
        }
    }

    /// Notes conditions, all of them or none.
    pub fn require(&mut self, conditions: &[Condition]) -> Option<()> {
        let sums: Option<Vec<Linear>> = conditions.iter().map(|Condition(sum)| self.least(sum.clone())).collect();
        let span = self.span;
        for sum in sums? {
            let factor = self.factor(&sum);
            let mut rest = sum.clone();
            rest.terms.retain(|(atom, _)| !self.is_variable(atom));
            let rest = rest.to_expr(span);
            let quotient = |a: &Expr, by: i64| match by {
                1 => a.clone(),
                _ => Expr::binary(BinaryOp::Divide, a.clone(), Expr::int(by, span)),
            };
            let list = match factor {
                // Holds always, or is a condition of its own.
                0 if sum.value().is_some_and(|value| value >= 0) => continue,
                0 => {
                    let zero = Expr::int(0, span);
                    push(&mut self.holds, Expr::compare(CompareOp::GreaterEqual, rest, zero));
                    continue;
                }
                // v ≥ −⌊rest / f⌋, since f · v + rest ≥ 0
                1.. => {
                    let least = Expr::new(ExprKind::Unary(UnaryOp::Negate, quotient(&rest, factor)), Element::Int32, span);
                    (&mut self.lows, if factor == 1 { simplify(&least) } else { least })
                }
                // v ≤ ⌊rest / −f⌋
                _ => (&mut self.highs, quotient(&rest, -factor)),
            };
            push(list.0, list.1);
        }
        Some(())
    }

    /// The parts of a conjunction of comparisons.
    pub fn conjuncts(&mut self, c: &Expr, conditions: &mut Vec<Condition>) -> Option<()> {
        if let Some((a, b)) = c.as_conjunction() {
            self.conjuncts(a, conditions)?;
            return self.conjuncts(b, conditions);
        }
        let Comparison { less, low_is_int, high_is_int } = self.comparison(c)?;
        conditions.extend(low_is_int.into_iter().chain(high_is_int).chain([less]));
        Some(())
    }

    /// A comparison of sums.
    pub fn comparison(&mut self, c: &Expr) -> Option<Comparison> {
        let ExprKind::Compare(op, a, b) = c.kind() else { return None };
        if a.element() != Element::Int32 {
            return None;
        }
        let (a, b) = (self.sum(a)?, self.sum(b)?);
        let (low, high, is_strict) = match op {
            CompareOp::Less => (a, b, true),
            CompareOp::LessEqual => (a, b, false),
            CompareOp::Greater => (b, a, true),
            CompareOp::GreaterEqual => (b, a, false),
            CompareOp::Equal | CompareOp::NotEqual => return None,
        };
        let mut distance = less(&high, &low)?;
        distance.constant -= i64::from(is_strict);
        let (low_is_int, high_is_int) = (self.is_int(&low)?, self.is_int(&high)?);
        Some(Comparison { less: Condition(distance), low_is_int, high_is_int })
    }

    /// Is it the same in all iterations, and without reads?
    pub fn is_fixed(&self, e: &Expr) -> bool {
        !e.reads_or_calls() && !e.mentions(&|v| v == self.variable || self.bound.contains(&v))
    }

    /// An `int` expression as a sum of variables, computed without a division: in 32 bits it is that sum modulo 2³².
    pub fn sum(&mut self, e: &Expr) -> Option<Linear> {
        let e = &e.without_ranges();
        if let Some(constant) = constant_value(e) {
            return Some(Linear::constant(constant));
        }
        let (a, b, factor) = match e.form() {
            Form::Variable(v) if self.sums.contains_key(&v) => return self.sums.get(&v).cloned(),
            Form::Variable(v) => {
                let is_known = v == self.variable || self.loops.contains_key(&v) || !self.bound.contains(&v);
                return is_known.then(|| linear(e));
            }
            _ if self.is_fixed(e) => return Some(linear(&self.hoist(e))),
            Form::Negate(a) => (Linear::constant(0), self.sum(a)?, -1),
            Form::Binary(BinaryOp::Add, a, b) => (self.sum(a)?, self.sum(b)?, 1),
            Form::Binary(BinaryOp::Subtract, a, b) => (self.sum(a)?, self.sum(b)?, -1),
            Form::Binary(BinaryOp::Multiply, a, b) => return self.sum(a)?.times(&self.sum(b)?).filter(is_small),
            _ => return None,
        };
        a.plus(&b, factor).filter(is_small)
    }

    /// The variable that holds what is the same in all iterations.
    fn hoist(&mut self, e: &Expr) -> Expr {
        let known = self.hoisted.iter().find(|(_, known)| known.is_same(e)).map(|(variable, _)| *variable);
        let variable = known.unwrap_or_else(|| {
            let variable = self.nest.new_variable("bound", Binder::Let);
            self.hoisted.push((variable, e.clone()));
            variable
        });
        Expr::variable(variable, Element::Int32, e.span())
    }

    /// The factor of the variable of the loop.
    pub fn factor(&self, sum: &Linear) -> i64 {
        sum.terms.iter().find(|(atom, _)| self.is_variable(atom)).map_or(0, |(_, factor)| *factor)
    }

    /// Is it the variable of the loop?
    pub fn is_variable(&self, atom: &Expr) -> bool {
        matches!(atom.kind(), ExprKind::Variable(v) if *v == self.variable)
    }

    /// What must hold for a sum to be an `int`: that it is no less than the first one, and no more than the last. Nothing, where
    /// that is known.
    pub fn is_int(&self, sum: &Linear) -> Option<Vec<Condition>> {
        let is_alone = sum.terms.len() == 1 && sum.terms[0].1.abs() == 1;
        let is_coordinate = is_alone && self.factor(sum) != 0 && sum.constant.abs() < DISTANCE;
        if sum.terms.is_empty() || is_coordinate || (is_alone && sum.terms[0].1 == 1 && sum.constant == 0) {
            return Some(Vec::new());
        }
        let from_least = Linear { constant: sum.constant.checked_add(1 << 31)?, ..sum.clone() };
        let to_most = less(&Linear::constant((1 << 31) - 1), sum)?;
        Some(vec![Condition(from_least), Condition(to_most)])
    }

    /// A sum at the least favourable values of the variables of loops inside.
    pub fn least(&self, mut sum: Linear) -> Option<Linear> {
        while let Some((variable, factor)) = sum
            .terms
            .iter()
            .find_map(|(atom, factor)| Some((atom.as_variable().filter(|v| self.loops.contains_key(v))?, *factor)))
        {
            let [low, high] = &self.loops[&variable];
            sum.terms.retain(|(atom, _)| !matches!(atom.kind(), ExprKind::Variable(v) if *v == variable));
            sum = sum.plus(if factor > 0 { low } else { high }, factor)?;
        }
        is_small(&sum).then_some(sum)
    }
}

fn push(list: &mut Vec<Expr>, e: Expr) {
    if !list.iter().any(|known| known.is_same(&e)) {
        list.push(e);
    }
}

/// a − b
pub fn less(a: &Linear, b: &Linear) -> Option<Linear> {
    a.clone().plus(b, -1)
}

/// Does it stay in 64 bits?
fn is_small(sum: &Linear) -> bool {
    sum.terms.len() <= TERMS && sum.constant.abs() < CONSTANT && sum.terms.iter().all(|(_, factor)| factor.abs() < FACTOR)
}

/// The conjunction of conditions, in 64 bits.
pub fn all(conditions: impl Iterator<Item = Expr>) -> Option<Expr> {
    conditions.map(|e| in_64_bits(&e)).reduce(|a, b| Expr::binary(BinaryOp::BitAnd, a, b))
}

/// An expression that is computed in 64 bits.
pub fn in_64_bits(e: &Expr) -> Expr {
    widened(e, &|_| None)
}
