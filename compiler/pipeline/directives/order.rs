//! `reorder`, `swap`, `parallel`, `serial`.

use super::super::associative;
use super::super::expr::Variable;
use super::super::loops::ir::{Loop, Order, StageName};
use super::chain::Between;
use super::parse::Directive;
use super::state::Scheduler;
use crate::source::Span;
use crate::syntax::ast::Name;

impl Scheduler<'_> {
    /// `reorder(v…)`, the innermost first.
    pub fn reorder_directive(&mut self, stage: StageName, it: &Directive<'_>) -> Option<()> {
        let mut loops = Vec::new();
        for &name in &it.names {
            let v = self.loop_argument(stage, name)?;
            if loops.contains(&v) {
                return self.refuse(name.span, format!("loop `{}` is named twice", name.text));
            }
            loops.push(v);
        }
        self.reorder(stage, &loops, it.span)
    }

    /// Puts loops into this order, the innermost first, in the places that they have.
    pub fn reorder(&mut self, stage: StageName, innermost_first: &[Variable], span: Span) -> Option<()> {
        let mut chain = self.nest.chain(stage);
        let old = chain.loops.clone();
        let moved: Vec<usize> = innermost_first.iter().rev().map(|v| chain.place(*v)).collect();
        let mut places = moved.clone();
        places.sort_unstable();
        for (place, from) in places.into_iter().zip(moved) {
            chain.loops[place] = old[from].clone();
        }
        // Reduction loops keep their order (§8.2), unless the update is associative.
        let reductions = |loops: &[Loop]| -> Vec<Variable> { loops.iter().filter(|l| !l.is_pure).map(|l| l.variable).collect() };
        let may_be_reordered = associative::check(&self.nest.pipeline, stage).is_ok();
        if !may_be_reordered && reductions(&old) != reductions(&chain.loops) {
            let func = self.nest.pipeline.func(stage.func).name.clone();
            return self.refuse_at(span, stage.func, format!("this would reorder two reduction loops of `{func}`"));
        }
        self.nest.set_chain(stage, &chain);
        Some(())
    }

    /// `swap(v)`: with the loop directly inside.
    pub fn swap(&mut self, stage: StageName, it: &Directive<'_>) -> Option<()> {
        let [name] = it.names();
        let v = self.loop_argument(stage, name)?;
        let chain = self.nest.chain(stage);
        match chain.loops.get(chain.place(v) + 1).map(|l| l.variable) {
            Some(inner) => self.reorder(stage, &[v, inner], it.span),
            None => self.refuse_at(it.span, stage.func, format!("`{}` is the innermost loop", name.text)),
        }
    }

    /// The outermost loop that directives made of a former one of this name, if there is none that has it now.
    fn made_of(&self, stage: StageName, name: &Name) -> Option<Variable> {
        let chain = self.nest.chain(stage);
        let is_it = |v: Variable| self.nest.name(v) == &*name.text;
        let own = &self.nest.pipeline.func(stage.func).stages[stage.stage].lets;
        let mut parts = Vec::new();
        for between in chain.between.iter().rev() {
            if let Between::Let(v, value) = between
                && (parts.contains(v) || is_it(*v) && own.iter().all(|(known, _)| known != v))
            {
                parts.extend(value.free_variables());
            }
        }
        let made = chain.loops.iter().map(|l| l.variable).find(|v| parts.contains(v));
        made.filter(|_| !chain.loops.iter().any(|l| is_it(l.variable)))
    }

    /// `parallel(v)`, `serial(v)`
    pub fn traverse(&mut self, stage: StageName, it: &Directive<'_>, order: Order) -> Option<()> {
        let ([name], span) = (it.names(), it.span);
        let v = self.made_of(stage, name).or_else(|| self.loop_argument(stage, name))?;
        let parallel = order == Order::Parallel;
        let chain = self.nest.chain(stage);
        let at = chain.place(v);
        let l = &chain.loops[at];
        let (name, func) = (self.nest.name(v).to_owned(), self.nest.pipeline.func(stage.func).name.clone());
        if matches!(l.order, Order::Vector(_) | Order::Unrolled) {
            return self.refuse_at(span, stage.func, format!("loop `{name}` of `{func}` is a vector or unrolled loop"));
        }
        if parallel && !l.is_pure && !self.nest.atomic.contains(&stage) {
            let message = format!(
                "`{name}` is a reduction loop of `{func}`, whose iterations depend on one another: it needs atomic() or rfactor"
            );
            return self.refuse_at(span, stage.func, message);
        }
        if let Some(vector) = chain.loops[..at].iter().find(|l| matches!(l.order, Order::Vector(_)))
            && parallel
        {
            let vector = self.nest.name(vector.variable);
            let message = format!("parallel loop `{name}` inside of vector loop `{vector}`: lanes start no threads");
            return self.refuse_at(span, stage.func, message);
        }
        self.mark(stage, v, order);
        Some(())
    }
}
