//! `specialize(e…)` (§8.1): copies of a func, one of which runs.
//!
//! ```text
//! produce f:            produce f:
//!   s      ─e₀, e₁─►      if e₀: s⁰
//!                         if !e₀ && e₁: s¹
//!                         if !e₀ && !e₁: s²
//! ```
//! Each copy has loops of its own names and can be scheduled by itself: `f.case(0)`, `f.case(1)`, `f.otherwise`. The conditions
//! are startup expressions, so that the same copy runs wherever the func is computed (Lemma 8.2).

use super::super::expr::{Expr, ExprKind, FuncId};
use super::super::loops::ir::Statement;
use super::parse::Directive;
use super::state::Scheduler;
use crate::source::Span;
use crate::types::Element;

impl Scheduler<'_> {
    /// `specialize(e…)`
    pub fn specialize(&mut self, func: FuncId, it: &Directive<'_>) -> Option<()> {
        let span = it.span;
        if self.copies.contains_key(&func) {
            let name = self.nest.pipeline.func(func).name.clone();
            return self.refuse(span, format!("`{name}` is specialized twice: give all conditions at once"));
        }
        let conditions = it.others.iter().map(|e| self.startup_condition(e)).collect::<Option<Vec<_>>>()?;
        self.specialize_by(func, conditions, span);
        Some(())
    }

    /// Makes a copy for each condition, and one where none holds.
    pub fn specialize_by(&mut self, func: FuncId, conditions: Vec<Expr>, span: Span) {
        let and = |a: Expr, b: Expr| Expr::new(ExprKind::And(a, b), Element::Bool, span);
        let mut cases: Vec<Expr> = Vec::new();
        for number in 0..=conditions.len() {
            let before = conditions[..number].iter().cloned().map(Expr::negated);
            let all = before.chain(conditions.get(number).cloned()).reduce(and);
            cases.push(all.expect("a func has a condition"));
        }
        let change = |stages: &Statement| {
            let copies = cases.iter().enumerate().map(|(number, condition)| {
                let copy = stages.copied(func, &|_| number);
                Statement::If(condition.clone(), Box::new(copy))
            });
            Statement::Sequence(copies.collect())
        };
        let is_it = |s: &Statement| s.produces(func);
        self.nest.body = self.nest.body.with_bodies(&is_it, &change);
        self.copies.insert(func, cases.len());
        self.nest.cases.extend(cases);
    }
}
