//! Exact ends where there is no closed form: each value of the variables is looked at.
//!
//! ```text
//! x * (9 - x) ^ 3,  x in [0, 9]        at once: [3, 23]
//! x * (9 - x) ^ 3,  x in [a, b]        (least x * (9 - x) ^ 3 for x in [a, b]), …: when the program runs
//! ```
//! Only values for which the conditions hold count. What is evaluated is the expression as it is written, on its types: what
//! wraps, wraps.

use super::super::expr::{Expr, ExprKind, Extremum, Source, Variable};
use super::super::limits::{ENUMERATED, FAR};
use super::super::simplify::{constant_value, simplify};
use super::super::value::{Environment, Value, evaluate};
use super::range::{Interval, Solver};
use crate::typed::interpret::scalar;
use crate::typed::ir::Program;
use crate::types::Element;
use std::collections::HashMap;

impl Solver<'_> {
    /// Ends that are attained, for an expression whose closed form has others perhaps; `None` where there is no need or no way.
    pub(super) fn enumerated(&self, e: &Expr, closed: &Interval) -> Option<Interval> {
        let mut ranging = self.ranging_in(e);
        if ranging.is_empty() {
            // A fixed place is read, or it is not.
            ranging =
                self.known.conditions.iter().map(|c| self.ranging_in(c)).find(|ranging| ranging.len() == 1).unwrap_or_default();
        }
        let decides = |c: &&Expr| {
            let others = self.ranging_in(c);
            !c.reads_or_calls() && !others.is_empty() && others.iter().all(|at| ranging.contains(at))
        };
        let conditions: Vec<&Expr> = self.known.conditions.iter().filter(decides).collect();
        if closed.is_exact && conditions.is_empty() || ranging.is_empty() || e.reads_or_calls() {
            return None;
        }
        let found = self.at_once(e, &ranging, &conditions).or_else(|| self.later(e, &ranging, &conditions, closed))?;
        self.is_clipped.set(self.is_clipped.get() || !conditions.is_empty());
        Some(found)
    }

    /// Where all is known.
    fn at_once(&self, e: &Expr, ranging: &[usize], conditions: &[&Expr]) -> Option<Interval> {
        let is_bound = |v: Variable| ranging.iter().any(|&at| self.known.loops[at].variable == v);
        let ends = ranging.iter().flat_map(|&at| [&self.known.loops[at].low, &self.known.loops[at].high]);
        if std::iter::once(e)
            .chain(ends)
            .chain(conditions.iter().copied())
            .any(|e| e.mentions(&|v| !is_bound(v)) || has_extremum(e))
        {
            return None;
        }
        let mut walk = Walk { values: HashMap::new(), program: Program::default(), left: ENUMERATED, found: None };
        self.walk(e, ranging, conditions, &mut walk)?;
        let (low, high) = walk.found.unwrap_or((FAR, -FAR));
        Some(Interval { low: Some(Expr::int(low, e.span())), high: Some(Expr::int(high, e.span())), is_exact: true })
    }

    fn walk(&self, e: &Expr, ranging: &[usize], conditions: &[&Expr], walk: &mut Walk) -> Option<()> {
        let Some((&at, inner)) = ranging.split_first() else {
            if conditions.iter().all(|c| walk.value(c) != 0) {
                let value = walk.value(e);
                walk.found = Some(walk.found.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
            }
            return Some(());
        };
        let l = &self.known.loops[at];
        let (low, high) = (walk.value(&l.low), walk.value(&l.high));
        for value in low..=high {
            walk.left -= 1;
            if walk.left < 0 {
                return None;
            }
            walk.values.insert(l.variable, value);
            self.walk(e, inner, conditions, walk)?;
        }
        Some(())
    }

    /// Where ends are known when the program runs: for one variable.
    fn later(&self, e: &Expr, ranging: &[usize], conditions: &[&Expr], closed: &Interval) -> Option<Interval> {
        let (true, [at]) = (self.enumerates, ranging) else { return None };
        // Without a closed form too many values are too many: a start check refuses what reaches so far.
        let int = |n: i32| Expr::int(n.into(), e.span());
        let (low, high) = (closed.low.clone().unwrap_or(int(i32::MIN)), closed.high.clone().unwrap_or(int(i32::MAX)));
        let l = &self.known.loops[*at];
        let both = |a: Expr, b: Expr| Expr::new(ExprKind::And(a, b), Element::Bool, e.span());
        let condition = conditions.iter().copied().cloned().reduce(both);
        let end = |is_min: bool| {
            let made = Extremum {
                is_min,
                variable: l.variable,
                low: simplify(&l.low),
                high: simplify(&l.high),
                condition: condition.clone(),
                value: e.clone(),
                otherwise: if is_min { low.clone() } else { high.clone() },
                nothing: if is_min { FAR } else { -FAR },
            };
            let made = Expr::new(ExprKind::Extremum(Box::new(made)), Element::Int32, e.span());
            // It is written as it is: nothing in it is simplified.
            made.mark_normal();
            Some(made)
        };
        Some(Interval { low: end(true), high: end(false), is_exact: true })
    }
}

/// Does it look at values itself?
fn has_extremum(e: &Expr) -> bool {
    matches!(e.kind(), ExprKind::Extremum(_)) || e.children().into_iter().any(has_extremum)
}

/// What has been looked at.
struct Walk {
    values: HashMap<Variable, i64>,
    program: Program,
    /// How many values may be looked at.
    left: i64,
    found: Option<(i64, i64)>,
}

impl Walk {
    fn value(&mut self, e: &Expr) -> i64 {
        if let Some(n) = constant_value(e) {
            return n;
        }
        match evaluate(e, self) {
            Value::Bits(bits) if e.element() == Element::Bool => i64::from(bits != 0),
            Value::Bits(bits) => scalar::integer(e.element(), bits) as i64,
            Value::RdomError | Value::MemoryError => unreachable!("nothing is read"),
        }
    }
}

impl Environment for Walk {
    fn variable(&mut self, variable: Variable) -> Value {
        Value::Bits(scalar::wrapped(Element::Int32, self.values[&variable].into()))
    }

    fn read(&mut self, _: Source, _: &[i64]) -> Value {
        unreachable!("nothing is read")
    }

    fn program(&self) -> &Program {
        &self.program
    }
}
