//! Conditions that bound data: where an arm of a choice is taken, what its condition compares is known to be in a range.
//!
//! ```text
//! i >= 0 && i < w ? in(i, y) : 0      ──►      i >= 0 && i < w ? in(i in [0, w − 1], y) : 0
//! ```
//! Bounds follow from loops as far as an index is linear in their variables, and conditions on such indices narrow the loops. Of an index that is read, called
//! for, rounded from a float or a product of what is not known before the start, its condition says all that there is to know. It is the same value in both places, whether it
//! wrapped or not, where it is the same expression: no more than that is compared.

use super::super::algorithm::{Pipeline, Stage, VariableKind};
use super::super::expr::{Expr, ExprKind, Known, Variable};
use super::super::simplify::{constant_value, extremum, negated, offset};
use crate::typed::ir::{BinaryOp, CompareOp};
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};

/// An expression, and the least and the greatest value that it has.
#[derive(Clone)]
struct Fact {
    of: Expr,
    low: Option<Expr>,
    high: Option<Expr>,
}

/// What a stage is read with.
struct Reader<'p> {
    pipeline: &'p Pipeline,
    lets: FxHashMap<Variable, Expr>,
    /// Those of them of which loops say little.
    hard: FxHashSet<Variable>,
}

/// The pipeline with what conditions say of its indices.
pub(super) fn with_conditions(pipeline: &mut Pipeline) {
    let mut funcs = std::mem::take(&mut pipeline.funcs);
    for stage in funcs.iter_mut().flat_map(|func| &mut func.stages) {
        let mut reader = Reader { pipeline, lets: FxHashMap::default(), hard: FxHashSet::default() };
        for (variable, value) in &stage.lets {
            if reader.is_hard(value) {
                reader.hard.insert(*variable);
            }
            reader.lets.insert(*variable, value.clone());
        }
        reader.stage(stage);
    }
    pipeline.funcs = funcs;
}

impl Reader<'_> {
    fn stage(&self, stage: &mut Stage) {
        for (_, value) in &mut stage.lets {
            *value = self.expression(value, &[]);
        }
        let mut facts = Vec::new();
        if let Some(predicate) = &mut stage.predicate {
            *predicate = self.expression(predicate, &[]);
            self.learn(predicate, &mut facts);
        }
        for index in &mut stage.indices {
            *index = self.index(&self.expression(index, &facts), &facts);
        }
        for value in &mut stage.values {
            *value = self.expression(value, &facts);
        }
    }

    /// What is read in an expression where these facts hold.
    fn expression(&self, e: &Expr, facts: &[Fact]) -> Expr {
        // What holds where the first part does, or does not.
        let under = |c: &Expr, holds: bool| {
            let mut known = facts.to_vec();
            if holds {
                self.learn(c, &mut known);
            } else if let Some(opposite) = negated(c) {
                self.learn(&opposite, &mut known);
            }
            known
        };
        let with = |kind: ExprKind| Expr::new(kind, e.element(), e.span());
        if let ExprKind::Conditional(c, a, b) = e.kind() {
            let c = self.expression(c, facts);
            let (a, b) = (self.expression(a, &under(&c, true)), self.expression(b, &under(&c, false)));
            return with(ExprKind::Conditional(c, a, b));
        }
        if let ExprKind::And(a, b) = e.kind() {
            let a = self.expression(a, facts);
            let b = self.expression(b, &under(&a, true));
            return with(ExprKind::And(a, b));
        }
        if let ExprKind::Or(a, b) = e.kind() {
            let a = self.expression(a, facts);
            let b = self.expression(b, &under(&a, false));
            return with(ExprKind::Or(a, b));
        }
        let is_read = matches!(e.kind(), ExprKind::Read(..));
        e.with_children(|child| {
            let child = self.expression(child, facts);
            if is_read { self.index(&child, facts) } else { child }
        })
    }

    /// An index, or a part of one, with what is known of it.
    fn index(&self, e: &Expr, facts: &[Fact]) -> Expr {
        let own = || facts.iter().filter(|fact| fact.of == *e);
        let end = |is_low: bool| own().filter_map(move |fact| if is_low { fact.low.clone() } else { fact.high.clone() });
        let narrower = |is_low: bool| end(is_low).reduce(|a, b| extremum(!is_low, &[a, b]));
        match [narrower(true), narrower(false)] {
            [None, None] if matches!(e.kind(), ExprKind::Read(..) | ExprKind::Within(..)) => e.clone(),
            [None, None] => e.with_children(|child| self.index(child, facts)),
            [low, high] => {
                let or = |end: Option<Expr>, limit: i32| end.unwrap_or_else(|| Expr::int(limit.into(), e.span()));
                let kind = ExprKind::Within(e.clone(), or(low, i32::MIN), or(high, i32::MAX), Known::Proven);
                Expr::new(kind, e.element(), e.span())
            }
        }
    }

    /// What a condition says where it holds.
    fn learn(&self, condition: &Expr, facts: &mut Vec<Fact>) {
        if let Some((a, b)) = condition.as_conjunction() {
            self.learn(a, facts);
            self.learn(b, facts);
            return;
        }
        if let Some(value) = condition.as_variable().and_then(|v| self.lets.get(&v)) {
            return self.learn(value, facts);
        }
        let ExprKind::Compare(op, a, b) = condition.kind() else { return };
        let (below, above) = match op {
            CompareOp::Less => (Some(-1), None),
            CompareOp::LessEqual => (Some(0), None),
            CompareOp::Greater => (None, Some(1)),
            CompareOp::GreaterEqual => (None, Some(0)),
            CompareOp::Equal => (Some(0), Some(0)),
            CompareOp::NotEqual => return,
        };
        let end = |e: &Expr, by: Option<i64>| by.map(|by| offset(&e.without_ranges(), by));
        if self.is_bounded_by_conditions(a) {
            facts.push(Fact { of: a.clone(), low: end(b, above), high: end(b, below) });
        }
        if self.is_bounded_by_conditions(b) {
            let opposite = |by: Option<i64>| by.map(|by: i64| -by);
            facts.push(Fact { of: b.clone(), low: end(a, opposite(below)), high: end(a, opposite(above)) });
        }
    }

    /// Is it a number of which loops say little?
    fn is_bounded_by_conditions(&self, e: &Expr) -> bool {
        e.element() == Element::Int32 && constant_value(e).is_none() && self.is_hard(e)
    }

    fn is_hard(&self, e: &Expr) -> bool {
        let ranges = |e: &Expr| {
            let is_ranging = |v| !matches!(self.pipeline.variable(v).kind, VariableKind::Startup);
            constant_value(e).is_none() && e.mentions(&is_ranging)
        };
        let is_fixed = |e: &Expr| constant_value(e).is_some();
        e.any(&|part| {
            let is_let = part.as_variable().is_some_and(|v| self.hard.contains(&v));
            let is_data = matches!(part.kind(), ExprKind::Read(..) | ExprKind::Call(..));
            let is_rounded = matches!(part.kind(), ExprKind::Convert(from) if from.element().is_float());
            let is_product = matches!(part.kind(), ExprKind::Binary(BinaryOp::Multiply, a, b)
                if !is_fixed(a) && !is_fixed(b) && (ranges(a) || ranges(b)));
            is_let || is_data || is_rounded || is_product
        })
    }
}
