//! Exact ends where there is no closed form: each value of the variables is looked at.
//!
//! ```text
//! x * (9 - x) ^ 3,  x in [0, 9]        at once: [3, 23]
//! x * (9 - x) ^ 3,  x in [a, b]        (least x * (9 - x) ^ 3 for x in [a, b]), …: when the program runs
//! ```
//! Only values for which the conditions hold count. What is evaluated is the expression as it is written, on its types: what
//! wraps, wraps.

use super::super::expr::{Expr, ExprKind, Extremum, Variable};
use super::super::limits::{ENUMERATED, FAR};
use super::super::simplify::{constant_value, simplify};
use super::super::value::{Known, Value, evaluate};
use super::range::{Interval, Solver};
use crate::typed::interpret::scalar;
use crate::typed::ir::Program;
use crate::types::Element;
use rustc_hash::FxHashMap;

impl Solver<'_> {
    /// Ends that are attained, for an expression whose closed form has others perhaps; `None` where there is no need or no way.
    pub(super) fn enumerated(&self, e: &Expr, closed: &Interval) -> Option<Interval> {
        let mut ranging = self.ranging_in(e);
        let decisions = || self.known.conditions.iter().map(|c| (c, self.ranging_in(c)));
        if ranging.is_empty() {
            // A fixed place is read, or it is not.
            ranging = decisions().map(|(_, ranging)| ranging).find(|ranging| ranging.len() == 1).unwrap_or_default();
        }
        let decides = |(c, others): &(&Expr, Vec<usize>)| {
            !c.reads_or_calls() && !others.is_empty() && others.iter().all(|at| ranging.contains(at))
        };
        let both = |a: Expr, b: Expr| Expr::new(ExprKind::And(a, b), Element::Bool, e.span());
        let condition = decisions().filter(decides).map(|(c, _)| c.clone()).reduce(both);
        if closed.is_exact && condition.is_none() || ranging.is_empty() || e.reads_or_calls() {
            return None;
        }
        // Without a closed form too many values are too many: a start check refuses what reaches so far.
        let int = |n: i64| Expr::int(n, e.span());
        let least = closed.low.clone().unwrap_or(int(i32::MIN.into()));
        let greatest = closed.high.clone().unwrap_or(int(i32::MAX.into()));
        let ends = [(true, least), (false, greatest)]
            .map(|(is_min, otherwise)| self.extremum(e, &ranging, condition.as_ref(), is_min, &otherwise));
        let [low, high] = if self.is_known(e, &ranging, condition.as_ref()) {
            ends.map(|end| int(value(&end)))
        } else if self.enumerates && ranging.len() == 1 {
            ends
        } else {
            return None;
        };
        self.is_clipped.set(self.is_clipped.get() || condition.is_some());
        Some(Interval::between(low, high, true))
    }

    /// Are all values known, and few?
    fn is_known(&self, e: &Expr, ranging: &[usize], condition: Option<&Expr>) -> bool {
        let is_bound = |v: Variable| ranging.iter().any(|&at| self.known.loops[at].variable == v);
        let is_closed = |e: &Expr| !e.has_extrema() && !e.mentions(&|v| !is_bound(v));
        let mut left = ENUMERATED;
        let is_small = |&at: &usize| {
            let l = &self.known.loops[at];
            let ends = [self.bounds(&l.low).low, self.bounds(&l.high).high].map(|end| end.as_ref().and_then(constant_value));
            let [Some(low), Some(high)] = ends else { return false };
            left /= (high - low + 1).max(1);
            is_closed(&l.low) && is_closed(&l.high) && left > 0 && low.abs() <= FAR && high.abs() <= FAR
        };
        std::iter::once(e).chain(condition).all(is_closed) && ranging.iter().all(is_small)
    }

    /// The least (greatest) value over some loops, the outermost first.
    fn extremum(&self, e: &Expr, ranging: &[usize], condition: Option<&Expr>, is_min: bool, otherwise: &Expr) -> Expr {
        let Some((&at, inner)) = ranging.split_first() else { return e.clone() };
        let l = &self.known.loops[at];
        let made = Extremum {
            is_min,
            variable: l.variable,
            low: simplify(&l.low),
            high: simplify(&l.high),
            // Where all variables are known.
            condition: condition.filter(|_| inner.is_empty()).cloned(),
            value: self.extremum(e, inner, condition, is_min, otherwise),
            otherwise: otherwise.clone(),
            nothing: if is_min { FAR } else { -FAR },
        };
        let made = Expr::new(ExprKind::Extremum(Box::new(made)), Element::Int32, e.span());
        // It is written as it is: nothing in it is simplified.
        made.mark_normal();
        made
    }
}

/// The value of an expression without variables that reads nothing.
fn value(e: &Expr) -> i64 {
    match evaluate(e, &mut Known { program: &Program::default(), variables: FxHashMap::default() }) {
        Value::Bits(bits) => scalar::integer(e.element(), bits) as i64,
        Value::RdomError | Value::MemoryError => unreachable!("nothing is read"),
    }
}
