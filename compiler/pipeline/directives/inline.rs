//! `inline()`: the value of a func stands where it was read.

use super::super::algorithm::Pipeline;
use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::Nest;
use super::super::loops::lower;
use super::parse::{Apply, Step};
use super::state::Scheduler;
use std::collections::BTreeSet;
use std::rc::Rc;

impl Scheduler<'_> {
    /// Inlines funcs, then lowers the pipeline anew.
    pub fn inline(&mut self, steps: &[Step<'_>]) -> Option<()> {
        let mut funcs = Vec::new();
        let pipeline = self.nest.pipeline.clone();
        for step in steps.iter().filter(|step| matches!(step.directive.apply, Apply::Inline)) {
            let id = step.target.func;
            let func = pipeline.func(id);
            if func.stages.len() > 1 || pipeline.outputs.contains(&id) {
                let why = if func.stages.len() > 1 { "it has updates" } else { "it is an output" };
                return self.refuse(step.directive.span, format!("`{}` cannot be inlined: {why}", func.name));
            }
            funcs.push(id);
        }
        if !funcs.is_empty() {
            self.rewrite(inlined(&pipeline, &funcs), &funcs);
        }
        Some(())
    }

    /// Goes on with another algorithm, some funcs of which are read by nobody.
    pub fn rewrite(&mut self, pipeline: Pipeline, inlined: &[FuncId]) {
        let nest = lower::lower(&Rc::new(pipeline), inlined);
        self.nest = Nest { factors: std::mem::take(&mut self.nest.factors), ..nest };
    }
}

/// The pipeline with funcs in the places of their reads.
pub fn inlined(pipeline: &Pipeline, funcs: &[FuncId]) -> Pipeline {
    let mut made = pipeline.clone();
    // In order: what is inlined later reads what was inlined earlier.
    let mut readers = pipeline.readers();
    for &id in funcs.iter().collect::<BTreeSet<_>>() {
        let func = made.func(id).clone();
        let stage = &func.stages[0];
        let values: Vec<Expr> = stage.values.iter().map(|e| stage.without_lets(e)).collect();
        let own = readers.remove(&Source::Func(id, 0)).unwrap_or_default();
        for reader in own.into_iter().filter(|reader| *reader != id) {
            // Now it reads what this one did.
            func.reads(&mut |source, _, _| _ = readers.entry(source.whole()).or_default().insert(reader));
            for stage in &mut made.funcs[reader.0 as usize].stages {
                stage.change(&|e| replaced(e, id, &func.variables, &values));
            }
        }
    }
    made
}

fn replaced(e: &Expr, id: FuncId, variables: &[Variable], values: &[Expr]) -> Expr {
    let made = e.with_children(|child| replaced(child, id, variables, values));
    let ExprKind::Read(Source::Func(read, component), indices) = made.kind() else { return made };
    let value = |v: Variable| variables.iter().position(|x| *x == v).map(|at| indices[at].clone());
    if *read == id { values[*component].substitute(&value) } else { made }
}
