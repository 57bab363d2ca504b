//! A definition as an algorithm: its signature, its statements, and what it gives.

use super::comprehension::Comprehension;
use super::definition::{Definition, last_func, targets};
use super::names::statement_name;
use crate::check::ScalarExpressions;
use crate::diagnostics::codes;
use crate::pipeline::algorithm::{Notation, Pipeline};
use crate::pipeline::build::Builder;
use crate::pipeline::expr::{FuncId, Source};
use crate::syntax::ast::Def;
use crate::syntax::words::TENSOR_ELEMENTS;
use crate::target::FpMode;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How the original project calls some functions.
const SYNONYMS: &[(&str, &str)] =
    &[("fmax", "max"), ("fmin", "min"), ("fabs", "abs"), TENSOR_ELEMENTS[0], TENSOR_ELEMENTS[1], TENSOR_ELEMENTS[2]];

/// The algorithm of a definition; `None` if something in it was refused.
pub(super) fn algorithm<'a>(
    def: &'a Def,
    defs: &FxHashMap<&'a str, &'a Def>,
    fp: FpMode,
    scope: &mut ScalarExpressions<'a>,
) -> Option<Comprehension> {
    // Products of a sum are fused whatever the mode of the compilation is.
    let fp = if fp == FpMode::Strict { FpMode::Contract } else { fp };
    let (name, span) = (def.name.text.clone(), def.name.span);
    let made = Pipeline { name, fp, span, notation: Notation::Tensors, ..Pipeline::default() };
    let names: FxHashSet<Rc<str>> = targets(def).collect();
    scope.synonyms(SYNONYMS);
    let mut definition = Definition {
        builder: Builder::new(made, names, scope),
        defs,
        reading: vec![&def.name.text],
        names: FxHashMap::default(),
        sizes: FxHashMap::default(),
        windows: FxHashMap::default(),
        tensors: Vec::new(),
        overwritten: Vec::new(),
        results: &def.results,
        ranges: Vec::new(),
    };
    definition.parameters(&def.parameters);
    for target in def.statements.iter().flat_map(|statement| &statement.targets) {
        // A parameter is overwritten by mistake; the statement says so.
        definition.names.entry(target.name.text.clone()).or_insert(target.name.span);
    }
    let reads = definition.builder.all_funcs.iter().chain(definition.builder.inputs.keys()).cloned().collect::<Vec<_>>();
    definition.builder.scope.may_call(reads.into_iter());
    for statement in &def.statements {
        definition.statement(statement);
    }
    definition.give(def);
    let Definition { builder, ranges, .. } = definition;
    builder.scope.synonyms(&[]);
    let pipeline = Rc::new(builder.finish()?);
    Some(Comprehension { pipeline, ranges })
}

impl<'a> Definition<'_, 'a> {
    /// The results: the last funcs of their tensors. What none of them needs is left out.
    fn give(&mut self, def: &'a Def) {
        for (name, input) in self.overwritten.clone() {
            match last_func(&self.tensors, &name) {
                Some(id) => {
                    self.builder.made.outputs.push(id);
                    self.builder.made.inout.push((input, id));
                }
                None if self.builder.failed => {}
                None => {
                    let span = self.names[&name];
                    let message = format!("`{name}` is `inout`, and never assigned");
                    self.refuse::<()>(span, message, "leave out `inout`");
                }
            }
        }
        if def.results.is_empty() && self.overwritten.is_empty() {
            let help = "name what it gives: `-> (C)`";
            self.refuse::<()>(def.name.span, format!("`{}` gives nothing", def.name.text), help);
        }
        for result in &def.results {
            let name = &result.name;
            match last_func(&self.tensors, &name.text) {
                Some(id) if !self.builder.made.outputs.contains(&id) => self.builder.made.outputs.push(id),
                Some(_) => {
                    let message = format!("result `{}` is named twice", name.text);
                    self.builder.error::<()>(&codes::DUPLICATE_NAME, name.span, message);
                }
                // What was refused was to define it.
                None if self.builder.failed => {}
                None => {
                    let message = format!("result `{}` is never assigned", name.text);
                    self.refuse::<()>(name.span, message, "each result is defined by a statement");
                }
            }
        }
        for (tensor, funcs) in &self.tensors {
            for (number, id) in funcs.iter().enumerate().take(funcs.len().saturating_sub(1)) {
                self.builder.made.funcs[id.0 as usize].name = statement_name(tensor, number);
            }
        }
        self.tell_calls_apart();
        let all = |(tensor, funcs): &(Rc<str>, Vec<FuncId>)| (tensor.clone(), funcs.iter().copied().map(Some).collect());
        self.builder.made.tensors = self.tensors.iter().map(all).collect();
        if !self.builder.failed {
            self.keep_what_is_needed();
        }
    }

    /// Gives each func a name of its own, by which schedules know it: what a definition has inside of itself is there once for each of
    /// its calls.
    fn tell_calls_apart(&mut self) {
        let mut taken: FxHashSet<Rc<str>> = FxHashSet::default();
        for func in &mut self.builder.made.funcs {
            let others = (2..).map(|call| format!("{}.call{call}", func.name).into());
            let free = std::iter::once(func.name.clone()).chain(others).find(|name| !taken.contains(name));
            func.name = free.expect("there are more names than funcs");
            taken.insert(func.name.clone());
        }
    }

    /// Leaves out funcs that no result needs.
    fn keep_what_is_needed(&mut self) {
        let made = &mut self.builder.made;
        let mut needed = vec![false; made.funcs.len()];
        made.outputs.iter().for_each(|id| needed[id.0 as usize] = true);
        for reader in (0..made.funcs.len()).rev() {
            if !needed[reader] {
                continue;
            }
            made.funcs[reader].reads(&mut |source, _, _| {
                if let Source::Func(id, _) = source {
                    needed[id.0 as usize] = true;
                }
            });
        }
        made.guards.retain(|guard| needed[guard.user.0 as usize]);
        // What is looked at comes first: nothing is written before that.
        let looks: Vec<FuncId> = made.guards.iter().map(|guard| guard.func).collect();
        let is_needed = |id: &FuncId| needed[id.0 as usize];
        let others = made.numbered_funcs().map(|(id, _)| id).filter(|id| is_needed(id) && !looks.contains(id));
        let order: Vec<FuncId> = looks.iter().copied().chain(others).collect();
        made.ranges.retain(|id, _| is_needed(id));
        let statements = made.tensors.iter_mut().flat_map(|(_, funcs)| funcs);
        statements.for_each(|id| *id = id.filter(|id| is_needed(id)));
        made.reorder(&order);
    }
}
