//! What is left when all lengths are found: the instances that the roots reach, and what these say.

use super::context::Checker;
use crate::diagnostics::{Diagnostic, Severity};
use crate::source::Span;
use crate::typed::ir::{Expr, ExprKind, FunctionId, Linkage};
use crate::typed::walk::every_expr_mut;
use std::collections::{HashMap, HashSet};

/// An instance that is reached, and by which call of which instance; roots have none.
struct Reached {
    id: FunctionId,
    by: Option<(usize, Span)>,
}

impl<'a> Checker<'a> {
    /// Keeps the instances that the roots reach and says what they say.
    pub fn settle(&mut self, roots: &[FunctionId]) {
        let said = self.said_by(roots);
        said.into_iter().for_each(|diagnostic| self.diagnostics.push(diagnostic));
        let reached: HashSet<FunctionId> = self.reached_from(roots).iter().map(|reached| reached.id).collect();
        self.keep(&reached);
    }

    /// What the instances say that the roots reach. Of a function whose instances are refused one says why.
    pub fn said_by(&self, roots: &[FunctionId]) -> Vec<Diagnostic> {
        let reached = self.reached_from(roots);
        let mut said = Vec::new();
        let mut failed = HashSet::new();
        for at in 0..reached.len() {
            let Some(made) = self.made.get(&reached[at].id) else { continue };
            let fails = made.said.iter().any(|d| d.severity == Severity::Error);
            if !fails || failed.insert(made.key.0) {
                said.extend(made.said.iter().map(|d| self.with_calls(d.clone(), &reached, at)));
            }
        }
        said
    }

    /// Depth first, in the order of the calls.
    fn reached_from(&self, roots: &[FunctionId]) -> Vec<Reached> {
        let mut seen = HashSet::new();
        let mut reached: Vec<Reached> = Vec::new();
        let mut work: Vec<Reached> = roots.iter().rev().map(|&id| Reached { id, by: None }).collect();
        while let Some(next) = work.pop() {
            if !seen.insert(next.id) {
                continue;
            }
            let at = reached.len();
            let calls = self.made.get(&next.id).map_or(&[][..], |made| &made.calls);
            work.extend(calls.iter().rev().map(|&(id, span)| Reached { id, by: Some((at, span)) }));
            reached.push(next);
        }
        reached
    }

    /// A diagnostic of an instance with the calls that made it: of what depends on lengths or on the arguments of a template.
    fn with_calls(&self, mut diagnostic: Diagnostic, reached: &[Reached], at: usize) -> Diagnostic {
        let mut at = at;
        while let Some((caller, span)) = reached[at].by {
            let Some(made) = self.made.get(&reached[at].id) else { break };
            let (_, context, parameters, types) = &made.key;
            let is_plain = *context == 1 && types.is_empty() && parameters.iter().all(|&ty| self.length(ty) == 1);
            if is_plain {
                break;
            }
            let signature = &self.program.functions[reached[at].id.0 as usize].signature;
            diagnostic.labels.push((span, format!("this call makes `{signature}`")));
            at = caller;
        }
        diagnostic
    }

    /// Drops all functions but these, and numbers them anew in their order.
    fn keep(&mut self, kept: &HashSet<FunctionId>) {
        let mut numbers = HashMap::new();
        let mut functions = Vec::new();
        for (k, mut function) in std::mem::take(&mut self.program.functions).into_iter().enumerate() {
            let old = FunctionId(k as u32);
            if kept.contains(&old) {
                let new = FunctionId(functions.len() as u32);
                numbers.insert(old, new);
                if function.linkage == Linkage::Internal {
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
        self.program.main = self.program.main.and_then(|id| numbers.get(&id).copied());
        self.instances.retain(|_, id| {
            numbers.get(id).is_some_and(|new| {
                *id = *new;
                true
            })
        });
        let made = std::mem::take(&mut self.made).into_iter();
        self.made = made.filter_map(|(id, instance)| Some((*numbers.get(&id)?, instance.renumbered(&numbers)))).collect();
    }

    /// Forgets the instances from `first` on, in as many steps as there are.
    pub fn forget_since(&mut self, first: FunctionId) {
        self.program.functions.truncate(first.0 as usize);
        for (id, forgotten) in self.made.split_off(&first) {
            self.instances.remove(&forgotten.key);
            for (called, _) in forgotten.calls {
                if let Some(called) = self.made.get_mut(&called) {
                    called.forget_user(id);
                }
            }
        }
        self.stale.clear();
    }
}
