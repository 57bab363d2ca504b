//! The invariants of a nest (`ir`), item by item. A directive that breaks one is found at the directive, not in what is made of it.

use super::super::algorithm::VariableKind;
use super::super::expr::{Expr, FuncId, Source, Variable};
use super::ir::{Binder, Block, Nest, Order, StageName, Statement, Storage, is_block};
use rustc_hash::{FxHashMap, FxHashSet};

/// What `bounds` defines in blocks, the bodies of loops and the whole nest.
pub type Definitions = FxHashMap<Block, Vec<(Variable, Expr)>>;

/// How far a nest has come.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'d> {
    /// Directives rewrite it: its holes stand for what they will be.
    Scheduled,
    /// `bounds` has found these definitions of its holes.
    Bounded(&'d Definitions),
    /// Its blocks have their definitions; passes may have copied loops.
    Completed,
}

/// Does a nest keep its invariants?
///
/// # Errors
/// The first one that it breaks, by number.
pub fn verify(nest: &Nest, progress: Progress<'_>) -> Result<(), String> {
    let mut verifier = Verifier {
        nest,
        progress,
        known: FxHashSet::default(),
        loops: FxHashSet::default(),
        allocated: Vec::new(),
        produced: Vec::new(),
        block: None,
        stage: None,
        in_vector: None,
    };
    verifier.known.extend(nest.requests.iter().flat_map(|request| request.window.iter().flatten().chain(&request.strides)));
    verifier.tables()?;
    verifier.define(None)?;
    verifier.statement(&nest.body)
}

struct Verifier<'n> {
    nest: &'n Nest,
    progress: Progress<'n>,
    /// The variables that are bound here.
    known: FxHashSet<Variable>,
    /// The loops that there were.
    loops: FxHashSet<(StageName, Variable)>,
    /// The funcs that have memory here.
    allocated: Vec<FuncId>,
    /// The funcs that are computed here, or being computed.
    produced: Vec<FuncId>,
    /// The loop around.
    block: Block,
    /// The stage around.
    stage: Option<StageName>,
    /// The variable of a vector loop around.
    in_vector: Option<Variable>,
}

impl Verifier<'_> {
    /// What `bounds` defines in a block.
    fn define(&mut self, block: Block) -> Result<(), String> {
        let definitions = match self.progress {
            Progress::Scheduled | Progress::Completed => &[][..],
            Progress::Bounded(all) => all.get(&block).map_or(&[][..], |list| list),
        };
        for (variable, value) in definitions {
            self.expression(value)?;
            self.known.insert(*variable);
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), String> {
        statement.expressions().into_iter().try_for_each(|e| self.expression(e))?;
        let is_made_by_passes = matches!(
            statement,
            Statement::Foreach(_)
                | Statement::Either(..)
                | Statement::Greatest(..)
                | Statement::Accumulate(_)
                | Statement::Allocate(_, Storage::PerLane)
        );
        let is_in_order = !is_made_by_passes || matches!(self.progress, Progress::Completed);
        must(is_in_order, || "6: what passes make stands in front of them".to_owned())?;
        match statement {
            Statement::Nop | Statement::Assert(..) => Ok(()),
            Statement::Sequence(list) => {
                // What it computes, as one of the sequences that a condition chooses, is there behind it.
                let allocated = self.allocated.len();
                if self.block.is_some() && is_block(list) && matches!(self.progress, Progress::Bounded(_)) {
                    self.define(self.block)?;
                }
                list.iter().try_for_each(|s| self.statement(s))?;
                self.allocated.truncate(allocated);
                Ok(())
            }
            Statement::Allocate(func, _) => {
                self.allocated.push(*func);
                Ok(())
            }
            Statement::Store(store) => self.writes(store.stage, "a store"),
            Statement::Accumulate(update) => self.writes(update.stage, "an update"),
            Statement::If(_, body) => self.statement(body),
            Statement::Either(_, sides) => sides.iter().try_for_each(|side| self.statement(side)),
            Statement::Let(variable, _, body) | Statement::Greatest(variable, _, body) | Statement::Slide(variable, body) => {
                self.with(*variable, |this| this.statement(body))
            }
            Statement::Advance(variable, _) => self.is_known(*variable),
            Statement::Produce(func, body) => {
                self.has_memory(*func)?;
                if !self.produced.contains(func) {
                    self.produced.push(*func);
                }
                self.statement(body)
            }
            Statement::Stage(stage, body) => {
                let is_inside = self.produced.contains(&stage.func);
                must(is_inside, || format!("2: {} is outside of what computes its func", self.stage_name(*stage)))?;
                let around = self.stage.replace(*stage);
                self.statement(body)?;
                self.stage = around;
                Ok(())
            }
            Statement::For(l) => {
                let name = self.nest.name(l.variable);
                self.stands_in(l.stage, || format!("1: loop {name} of"))?;
                let is_one = self.loops.insert((l.stage, l.variable)) || matches!(self.progress, Progress::Completed);
                must(is_one, || format!("1: {} has two loops {name}", self.stage_name(l.stage)))?;
                if let (Some(vector), Order::Parallel | Order::Vector(_)) = (self.in_vector, l.order) {
                    return Err(format!("4: {:?} loop {name} in the vector loop {}", l.order, self.nest.name(vector)));
                }
                let has_lanes = !matches!(l.order, Order::Vector(lanes) if lanes < 2);
                must(has_lanes, || format!("4: the vector loop {name} has no lanes"))?;
                self.iterations(l.stage, l.variable, matches!(l.order, Order::Vector(_)), &l.body)
            }
            Statement::Foreach(f) => {
                let name = self.nest.name(f.variable);
                self.stands_in(f.stage, || format!("1: foreach {name} of"))?;
                if let Some(vector) = self.in_vector {
                    return Err(format!("4: foreach {name} in the vector loop {}", self.nest.name(vector)));
                }
                must(f.lanes >= 2, || format!("4: foreach {name} has no lanes"))?;
                self.iterations(f.stage, f.variable, true, &f.body)
            }
        }
    }

    /// What a loop repeats.
    fn iterations(&mut self, stage: StageName, variable: Variable, is_vector: bool, body: &Statement) -> Result<(), String> {
        let around = self.in_vector;
        if is_vector {
            self.in_vector = Some(variable);
        }
        // What is computed in an iteration is there in this iteration alone.
        let (allocated, produced, known) = (self.allocated.len(), self.produced.len(), self.known.clone());
        self.known.insert(variable);
        let block = self.block.replace((stage, variable));
        self.statement(body)?;
        self.block = block;
        self.allocated.truncate(allocated);
        self.produced.truncate(produced);
        (self.in_vector, self.known) = (around, known);
        Ok(())
    }

    /// What stands where a variable is bound.
    fn with(&mut self, variable: Variable, work: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let is_new = self.known.insert(variable);
        work(self)?;
        if is_new {
            self.known.remove(&variable);
        }
        Ok(())
    }

    /// Its variables are bound, and what it reads has been computed.
    fn expression(&mut self, e: &Expr) -> Result<(), String> {
        e.free_variables().iter().try_for_each(|v| self.is_known(*v))?;
        let mut missing = None;
        e.reads(&mut |source, _, _| match source {
            Source::Func(func, _) if !self.produced.contains(&func) => missing = Some(func),
            Source::Func(..) | Source::Input(_) => {}
        });
        match missing {
            Some(func) => Err(format!("2: {} is read where it is not computed", self.nest.pipeline.func(func).name)),
            None => Ok(()),
        }
    }

    fn is_known(&self, variable: Variable) -> Result<(), String> {
        let is_open = match self.nest.binder(variable) {
            Some(Binder::Hole(_)) => matches!(self.progress, Progress::Scheduled),
            Some(Binder::Loop | Binder::Let | Binder::Done) => false,
            None => self.nest.pipeline.variable(variable).kind == VariableKind::Startup,
        };
        let holds = is_open || self.known.contains(&variable);
        must(holds, || format!("3: {} is not bound where it is used", self.nest.name(variable)))
    }

    /// What writes to a func stands in its stage, where the func has memory.
    fn writes(&self, stage: StageName, what: &str) -> Result<(), String> {
        self.stands_in(stage, || format!("2: {what} of"))?;
        self.has_memory(stage.func)
    }

    fn stands_in(&self, stage: StageName, what: impl Fn() -> String) -> Result<(), String> {
        must(self.stage == Some(stage), || format!("{} {} stands in another stage", what(), self.stage_name(stage)))
    }

    /// An allocation of a func dominates what computes it.
    fn has_memory(&self, func: FuncId) -> Result<(), String> {
        let name = &self.nest.pipeline.func(func).name;
        must(self.allocated.contains(&func), || format!("2: {name} has no memory where it is computed"))
    }

    /// The side tables speak of funcs, stages and variables that there are.
    fn tables(&self) -> Result<(), String> {
        let nest = self.nest;
        let pipeline = &nest.pipeline;
        for (hole, variable) in &nest.holes {
            let is_its = nest.binder(*variable) == Some(Binder::Hole(*hole));
            must(is_its, || format!("3: {} is not the variable of its hole", nest.name(*variable)))?;
        }
        let rank = |func: FuncId| pipeline.func(func).variables.len();
        let dimensions = nest.bounds.iter().map(|bound| (bound.func, bound.dimension));
        let dimensions = dimensions.chain(nest.folds.iter().map(|fold| (fold.func, fold.dimension)));
        let tails = nest.tails.iter().flat_map(|tail| tail.dimensions.iter().map(|&d| (tail.func, d)));
        for (func, dimension) in dimensions.chain(tails) {
            must(dimension < rank(func), || format!("5: {} has no dimension {dimension}", pipeline.func(func).name))?;
        }
        for stage in nest.atomic.iter().chain(&nest.overcomputed) {
            let func = pipeline.func(stage.func);
            must(stage.stage < func.stages.len(), || format!("5: {} has no stage {}", func.name, stage.stage))?;
        }
        for split in &nest.splits {
            if let Some(part) = split.parts.iter().find(|&&part| nest.binder(part).is_none_or(|b| b != Binder::Loop)) {
                return Err(format!("5: {} is part of a split, and no loop", nest.name(*part)));
            }
        }
        Ok(())
    }

    fn stage_name(&self, stage: StageName) -> String {
        format!("stage {} of {}", stage.stage, self.nest.pipeline.func(stage.func).name)
    }
}

/// An invariant, and what is broken where it does not hold.
fn must(holds: bool, broken: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(broken()) }
}

/// In debug builds, a nest keeps its invariants behind a step.
pub fn keeps_invariants(nest: &Nest, progress: Progress<'_>, step: &str) {
    if cfg!(debug_assertions)
        && let Err(broken) = verify(nest, progress)
    {
        panic!("behind `{step}`, a nest of `{}` breaks invariant {broken}", nest.pipeline.name);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::built;
    use super::super::ir::{Bound, BoundKind, Loop};
    use super::super::lower;
    use super::*;

    /// Of each statement what `change` makes of it, the innermost first.
    fn changed(statement: &Statement, change: &dyn Fn(Statement) -> Statement) -> Statement {
        change(statement.with_children(|child| changed(child, change)))
    }

    /// What is said of a nest that such a change makes.
    fn said(change: impl Fn(Statement) -> Statement) -> String {
        let nest = nest();
        assert_eq!(verify(&nest, Progress::Scheduled), Ok(()));
        let broken = Nest { body: changed(&nest.body, &change), ..nest };
        verify(&broken, Progress::Scheduled).expect_err("it is broken")
    }

    fn nest() -> Nest {
        let text = "pipeline p(int in[]) -> f { fun g(x) = in(x); fun f(x) = g(x) + g(x + 1); rdom (r = 0 .. 4) f(r) += g(r); }";
        let (pipelines, _) = built(text).expect("a pipeline");
        lower::lower(&pipelines[0], &[])
    }

    fn is_of(func: u32) -> impl Fn(&Loop) -> bool {
        move |l| l.stage.func == FuncId(func)
    }

    #[test]
    fn a_loop_twice_and_in_another_stage() {
        let twice = said(|s| match s {
            Statement::For(l) if is_of(0)(&l) => Statement::For(Box::new(Loop { body: Statement::For(l.clone()), ..*l })),
            other => other,
        });
        assert_eq!(twice, "1: stage 0 of g has two loops x");
        let elsewhere = said(|s| match s {
            Statement::For(l) if is_of(0)(&l) => {
                Statement::For(Box::new(Loop { stage: StageName { func: FuncId(1), ..l.stage }, ..*l }))
            }
            other => other,
        });
        assert_eq!(elsewhere, "1: loop x of stage 0 of f stands in another stage");
    }

    #[test]
    fn what_is_read_is_not_computed_or_has_no_memory() {
        let is_g = |s: &Statement| matches!(s, Statement::Produce(FuncId(0), _));
        let not_computed = said(|s| if is_g(&s) { Statement::Nop } else { s });
        assert_eq!(not_computed, "2: g is read where it is not computed");
        let no_memory = said(|s| if matches!(s, Statement::Allocate(FuncId(0), _)) { Statement::Nop } else { s });
        assert_eq!(no_memory, "2: g has no memory where it is computed");
        // In each iteration of the loop of its reader, and read behind it.
        let too_late = said(|s| match s {
            Statement::Sequence(mut list) if list.iter().any(is_g) => {
                list.reverse();
                list.sort_by_key(|s| !matches!(s, Statement::Allocate(..)));
                Statement::Sequence(list)
            }
            other => other,
        });
        assert_eq!(too_late, "2: g is read where it is not computed");
    }

    #[test]
    fn a_variable_without_its_loop() {
        let unbound = said(|s| match s {
            Statement::For(l) if is_of(1)(&l) => l.body,
            other => other,
        });
        assert_eq!(unbound, "3: x is not bound where it is used");
        // Behind `bounds`, holes are bound as well.
        let nest = nest();
        let found = verify(&nest, Progress::Bounded(&Definitions::default())).expect_err("nothing is defined");
        assert_eq!(found, "3: g.0.x.min is not bound where it is used");
    }

    #[test]
    fn threads_in_lanes() {
        let found = said(|s| match s {
            Statement::For(l) if is_of(0)(&l) => Statement::For(Box::new(Loop {
                order: Order::Vector(8),
                body: Statement::For(Box::new(Loop { order: Order::Parallel, variable: Variable(0), ..(*l).clone() })),
                ..*l
            })),
            other => other,
        });
        assert!(found.starts_with("4: Parallel loop"), "{found}");
        let one = said(|s| match s {
            Statement::For(l) if is_of(0)(&l) => Statement::For(Box::new(Loop { order: Order::Vector(1), ..*l })),
            other => other,
        });
        assert_eq!(one, "4: the vector loop x has no lanes");
    }

    #[test]
    fn tables_of_what_is_not_there() {
        let mut of_bounds = nest();
        let length = Expr::int(8, of_bounds.pipeline.span);
        let kind = BoundKind::Extent(length);
        of_bounds.bounds.push(Bound { func: FuncId(0), dimension: 1, kind, text: String::new(), span: of_bounds.pipeline.span });
        assert_eq!(verify(&of_bounds, Progress::Scheduled).expect_err("one dimension"), "5: g has no dimension 1");
        let mut of_stages = nest();
        of_stages.atomic.push(StageName { func: FuncId(0), case: 0, stage: 1 });
        assert_eq!(verify(&of_stages, Progress::Scheduled).expect_err("one stage"), "5: g has no stage 1");
    }
}
