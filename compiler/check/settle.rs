//! What is left when all lengths are found: the instances that the roots reach, and what these say.

use super::state::Checker;
use crate::diagnostics::{Diagnostic, Severity};
use crate::source::Span;
use crate::typed::ir::{Expr, ExprKind, FunctionId, Linkage};
use crate::typed::walk::every_expr_mut;
use rustc_hash::{FxHashMap, FxHashSet};

/// An instance that is reached, and by which call of which instance; roots have none.
struct Reached {
    id: FunctionId,
    by: Option<(usize, Span)>,
    /// How many calls with lengths or template arguments lead to it.
    depth: usize,
    /// The outermost instance that these calls made; itself where there is none.
    outermost: usize,
}

/// How many calls that made an instance are shown, from the inside; the outermost one is shown behind them.
const CALLS: usize = 8;

impl<'a> Checker<'a> {
    /// Keeps the instances that the roots reach and says what they say. Behind so many of the program's own are those that were made for lanes.
    pub fn settle(&mut self, roots: &[FunctionId], own: usize) {
        let said = self.said_by(roots);
        said.into_iter().for_each(|diagnostic| self.diagnostics.push(diagnostic));
        let of_lanes = self.program.lanes.iter().map(|of| of.lanes);
        let all: Vec<FunctionId> = roots.iter().copied().chain(of_lanes).collect();
        let kept = self.reachable(&all);
        self.program.of_lanes = kept.iter().filter(|id| id.0 as usize >= own).count();
        self.keep(&kept);
    }

    /// The instances that the roots reach.
    pub fn reachable(&self, roots: &[FunctionId]) -> FxHashSet<FunctionId> {
        self.reached_from(roots).iter().map(|reached| reached.id).collect()
    }

    /// What the instances say that the roots reach. Of a function whose instances are refused one says why.
    pub fn said_by(&self, roots: &[FunctionId]) -> Vec<Diagnostic> {
        let reached = self.reached_from(roots);
        let mut said = Vec::new();
        let mut failed = FxHashSet::default();
        for at in 0..reached.len() {
            let Some(made) = self.made.get(&reached[at].id) else { continue };
            let fails = made.said.iter().any(|d| d.severity == Severity::Error);
            if !fails || made.key.as_ref().is_none_or(|key| failed.insert(key.0)) {
                said.extend(made.said.iter().map(|d| self.with_calls(d.clone(), &reached, at)));
            }
        }
        said
    }

    /// Depth first, in the order of the calls.
    fn reached_from(&self, roots: &[FunctionId]) -> Vec<Reached> {
        let mut seen = FxHashSet::default();
        let mut reached: Vec<Reached> = Vec::new();
        let mut work: Vec<Reached> = roots.iter().rev().map(|&id| Reached { id, by: None, depth: 0, outermost: 0 }).collect();
        while let Some(mut next) = work.pop() {
            if !seen.insert(next.id) {
                continue;
            }
            let at = reached.len();
            next.outermost = at;
            if let Some((caller, _)) = next.by.filter(|_| !self.is_plain(next.id)) {
                let caller: &Reached = &reached[caller];
                next.depth = caller.depth + 1;
                next.outermost = if caller.depth > 0 { caller.outermost } else { at };
            }
            let calls = self.made.get(&next.id).map_or(&[][..], |made| &made.calls);
            let called = |&(id, span): &(FunctionId, Span)| Reached { id, by: Some((at, span)), depth: 0, outermost: 0 };
            work.extend(calls.iter().rev().map(called));
            reached.push(next);
        }
        reached
    }

    /// Has an instance neither lengths nor arguments of a template?
    fn is_plain(&self, id: FunctionId) -> bool {
        self.made.get(&id).is_none_or(|made| {
            let Some((_, context, parameters, types, _)) = &made.key else { return true };
            *context == 1 && types.is_empty() && parameters.iter().all(|&ty| self.length(ty) == 1)
        })
    }

    /// A diagnostic of an instance with the calls that made it: of what depends on lengths or on the arguments of a template.
    fn with_calls(&self, mut diagnostic: Diagnostic, reached: &[Reached], at: usize) -> Diagnostic {
        let mut label = |made: &Reached, beside: String| {
            let Some((caller, span)) = made.by else { return at };
            let signature = &self.program.functions[made.id.0 as usize].signature;
            diagnostic.labels.push((span, format!("this call makes `{signature}`{beside}")));
            caller
        };
        let mut inner = at;
        for _ in 0..reached[at].depth.min(CALLS) {
            inner = label(&reached[inner], String::new());
        }
        match reached[at].depth.saturating_sub(CALLS) {
            0 => {}
            1 => _ = label(&reached[reached[at].outermost], String::new()),
            more => _ = label(&reached[reached[at].outermost], format!("; calls from there to those above: {}", more - 1)),
        }
        diagnostic
    }

    /// Drops all functions but these, and numbers them anew in their order.
    fn keep(&mut self, kept: &FxHashSet<FunctionId>) {
        let mut numbers = FxHashMap::default();
        let mut functions = Vec::new();
        for (k, mut function) in std::mem::take(&mut self.program.functions).into_iter().enumerate() {
            let old = FunctionId(k as u32);
            if kept.contains(&old) {
                let new = FunctionId(functions.len() as u32);
                numbers.insert(old, new);
                // The functions of schedules have names of their own.
                if function.linkage == Linkage::Internal && !function.is_scheduled {
                    function.symbol = format!("{}.{}", function.name, new.0);
                }
                functions.push(function);
            }
        }
        for body in functions.iter_mut().filter_map(|function| function.body.as_mut()) {
            every_expr_mut(body, &mut |e: &mut Expr| {
                if let ExprKind::Call { function, arguments: _ } = &mut e.kind {
                    *function = numbers[function];
                }
            });
        }
        self.program.functions = functions;
        self.program.lanes.iter_mut().for_each(|of| (of.one, of.lanes) = (numbers[&of.one], numbers[&of.lanes]));
        self.program.main = self.program.main.and_then(|id| numbers.get(&id).copied());
        self.instances.retain(|_, id| {
            numbers.get(id).is_some_and(|new| {
                *id = *new;
                true
            })
        });
        self.asked.clear();
        let made = std::mem::take(&mut self.made).into_iter();
        self.made = made.filter_map(|(id, instance)| Some((*numbers.get(&id)?, instance.renumbered(&numbers)))).collect();
    }

    /// Forgets the instances from `first` on, in as many steps as there are.
    pub fn forget_since(&mut self, first: FunctionId) {
        self.program.functions.truncate(first.0 as usize);
        for (id, forgotten) in self.made.split_off(&first) {
            forgotten.key.map(|key| self.instances.remove(&key));
            for (called, _) in forgotten.calls {
                if let Some(called) = self.made.get_mut(&called) {
                    called.forget_user(id);
                }
            }
        }
        self.stale.clear();
        self.asked.retain(|_, id| *id < first);
    }
}
