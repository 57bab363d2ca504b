//! The values that funcs and images can have, wherever they are read: what bounds an index that is read.

use super::super::algorithm::Stage;
use super::super::expr::{Expr, FuncId, Source, Variable};
use super::super::limits::FAR;
use super::super::simplify::{constant_value, offset};
use super::infer::Inference;
use super::numbers::Numbers;
use super::range::{Binding, Interval, Scope, Solver};
use crate::source::Span;
use crate::types::Element;

impl Inference<'_> {
    /// The values that a func or an image can have, in terms of what is known at the start: the hull over its stages, with its
    /// type for what it reads of itself.
    pub fn value_range(&self, source: Source) -> Interval {
        if let Some(known) = self.found.values.borrow().get(&source) {
            return known.clone();
        }
        let range = match source {
            Source::Input(id) => of_type(self.pipeline.input(id).element, self.pipeline.input(id).span),
            Source::Func(id, component) => {
                let func = self.pipeline.func(id);
                let by_type = of_type(func.elements[component], func.span);
                // A self-read meets the type.
                self.found.values.borrow_mut().insert(source, by_type.clone());
                let ranges = func.stages.iter().map(|stage| self.value_of_stage(id, stage, component));
                let of_stages = func.elements[component].is_integer().then(|| ranges.reduce(|a, b| a.hull(&b))).flatten();
                of_stages.unwrap_or(by_type)
            }
        };
        self.found.values.borrow_mut().insert(source, range.clone());
        range
    }

    /// What a stage stores.
    fn value_of_stage(&self, id: FuncId, stage: &Stage, component: usize) -> Interval {
        let func = self.pipeline.func(id);
        let mut scope = self.anywhere(func.variables.iter().copied(), func.span);
        // What is stored is stored in an iteration: indices of domains, as `argmax` has them, are in these.
        for r in func.stages.iter().flat_map(|stage| &stage.rdom) {
            scope.push(Binding::Loop(r.variable, r.low.clone(), offset(&r.high, -1), true));
        }
        let solver = Solver::new(&scope, self, None);
        let value = stage.without_lets(&stage.values[component]);
        if func.elements[component] == Element::Int32 {
            let (value, trusted) = self.guarded_value(&value);
            let interval = solver.range(&value);
            let known = |end: Option<Expr>| end.filter(|e| self.pipeline.is_startup(e));
            let (low, high) = (known(interval.low), known(interval.high));
            // What is known of it by parameters is right where these do not make it overflow.
            if [&low, &high].into_iter().flatten().any(|end| constant_value(end).is_none()) {
                for operand in trusted {
                    if let Interval { low: Some(low), high: Some(high), .. } = solver.in_integers(&operand) {
                        self.found.trusted.borrow_mut().push((id, operand, (low, high)));
                    }
                }
            }
            return Interval { low, high, is_exact: false };
        }
        match solver.constant_range(&value) {
            Some((low, high)) if low.is_finite() && high.is_finite() => constants(low as i64, high as i64, func.span),
            _ => of_type(func.elements[component], func.span),
        }
    }

    /// Variables wherever they are used: a start check sees to it that no window is further from 0 than [`FAR`].
    pub fn anywhere(&self, variables: impl Iterator<Item = Variable>, span: Span) -> Scope {
        let mut scope = Scope::default();
        let end = |n: i64| Expr::int(n, span);
        variables.for_each(|v| scope.push(Binding::Loop(v, end(-FAR), end(FAR), true)));
        scope
    }
}

/// All values of a type that is narrow enough.
fn of_type(element: Element, span: Span) -> Interval {
    Numbers::of_type(element).map_or_else(Interval::default, |n| constants(n.low as i64, n.high as i64, span))
}

fn constants(low: i64, high: i64, span: Span) -> Interval {
    Interval::between(Expr::int(low, span), Expr::int(high, span), false)
}
