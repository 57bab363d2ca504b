//! The values that funcs and images can have, wherever they are read: what bounds an index that is read.

use super::super::algorithm::Func;
use super::super::expr::{Expr, Source, Variable};
use super::constants::type_range;
use super::infer::{FAR, Inference};
use super::range::{Binding, Scope};
use crate::types::Element;

impl Inference<'_> {
    /// The values that a func or an image can have: the hull over its stages, with its type for what it reads of itself.
    pub fn value_range(&self, source: Source) -> Option<(i64, i64)> {
        if let Some(known) = self.values.borrow().get(&source) {
            return *known;
        }
        let range = match source {
            Source::Input(id) => type_range(self.pipeline.input(id).element),
            Source::Func(id, component) => {
                let func = self.pipeline.func(id);
                let by_type = type_range(func.elements[component]);
                // A self-read meets the type.
                self.values.borrow_mut().insert(source, by_type);
                let values = |source| self.value_range(source);
                let solver = self.anywhere(func).solve(&values);
                let ranges: Option<Vec<(f64, f64)>> = func
                    .stages
                    .iter()
                    .map(|stage| {
                        let value = substituted(&stage.values[component], &stage.lets);
                        let range = if func.elements[component] == Element::Int32 {
                            let interval = solver.range(&value);
                            let end = |e: &Option<Expr>| e.as_ref().and_then(super::simplify::constant_value);
                            match (end(&interval.low), end(&interval.high)) {
                                (Some(low), Some(high)) => Some((low as f64, high as f64)),
                                _ => None,
                            }
                        } else {
                            solver.constant_range(&value)
                        };
                        range.filter(|(low, high)| low.is_finite() && high.is_finite())
                    })
                    .collect();
                ranges.filter(|_| func.elements[component].is_integer()).map_or(by_type, |ranges| {
                    let low = ranges.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
                    let high = ranges.iter().map(|r| r.1).fold(f64::NEG_INFINITY, f64::max);
                    Some((low as i64, high as i64))
                })
            }
        };
        self.values.borrow_mut().insert(source, range);
        range
    }

    /// All variables of a func, wherever it is computed: a start check sees to it that no window is further from 0 than
    /// [`FAR`].
    pub fn anywhere(&self, func: &Func) -> Scope {
        let mut scope = Scope::default();
        let reductions = func.stages.iter().flat_map(|stage| &stage.rdom).map(|r| r.variable);
        for variable in func.variables.iter().copied().chain(reductions) {
            let end = |n: i64| Expr::int(n, func.span);
            scope.push(Binding::Loop(variable, end(-FAR), end(FAR), true));
        }
        scope
    }
}

/// With the `let`s of its stage replaced.
fn substituted(e: &Expr, lets: &[(Variable, Expr)]) -> Expr {
    lets.iter().rev().fold(e.clone(), |e, (variable, value)| e.substitute(&|v| (v == *variable).then(|| value.clone())))
}
