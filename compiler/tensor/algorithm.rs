//! A definition as an algorithm: its signature, its statements, and what it gives.

use super::print::Inferred;
use super::{Comprehension, names::statement_name};
use crate::check::ScalarExpressions;
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::algorithm::{Notation, Pipeline};
use crate::pipeline::build::Builder;
use crate::pipeline::expr::{Expr, FuncId, Source};
use crate::source::Span;
use crate::syntax::ast::{Def, TensorResult};
use crate::target::FpMode;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How the original project calls some functions.
const SYNONYMS: &[(&str, &str)] = &[("fmax", "max"), ("fmin", "min"), ("fabs", "abs")];

/// What is known while a definition is read.
pub(super) struct Definition<'s, 'a> {
    /// What reads expressions, and has the algorithm so far.
    pub builder: Builder<'s, 'a>,
    /// All definitions, by their names.
    pub defs: &'s HashMap<&'a str, &'a Def>,
    /// The definitions that are being read, the outermost first.
    pub reading: Vec<&'a str>,
    /// Sizes, parameters and tensors of the definition, and where they are named first.
    pub names: HashMap<Rc<str>, Span>,
    /// What size variables are, and where that comes from, in words.
    pub sizes: HashMap<Rc<str>, (Expr, String)>,
    /// The windows of inputs and funcs: for each dimension, the dense one first, begin and end.
    pub windows: HashMap<Source, Vec<[Expr; 2]>>,
    /// The funcs of the statements of each tensor, in order.
    pub tensors: Vec<(Rc<str>, Vec<FuncId>)>,
    /// The types that are written in front of results.
    pub results: &'a [TensorResult],
    /// The ranges of the statements.
    pub ranges: Vec<Inferred>,
}

/// The algorithm of a definition; `None` if something in it was refused.
pub(super) fn algorithm<'a>(
    def: &'a Def,
    defs: &HashMap<&'a str, &'a Def>,
    fp: FpMode,
    scope: &mut ScalarExpressions<'a>,
) -> Option<Comprehension> {
    // Products of a sum are fused whatever the mode of the compilation is.
    let fp = if fp == FpMode::Strict { FpMode::Contract } else { fp };
    let (name, span) = (def.name.text.clone(), def.name.span);
    let made = Pipeline { name, fp, span, notation: Notation::Tensors, ..Pipeline::default() };
    let names: HashSet<Rc<str>> = targets(def).collect();
    scope.synonyms(SYNONYMS);
    let mut definition = Definition {
        builder: Builder::new(made, names, scope),
        defs,
        reading: vec![&def.name.text],
        names: HashMap::new(),
        sizes: HashMap::new(),
        windows: HashMap::new(),
        tensors: Vec::new(),
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

/// The tensors that the statements of a definition define.
pub(super) fn targets(def: &Def) -> impl Iterator<Item = Rc<str>> + '_ {
    def.statements.iter().flat_map(|statement| &statement.targets).map(|target| target.name.text.clone())
}

impl<'a> Definition<'_, 'a> {
    /// The results: the last funcs of their tensors. What none of them needs is left out.
    fn give(&mut self, def: &'a Def) {
        if def.results.is_empty() {
            let help = "name what it gives: `-> (C)`";
            self.refuse::<()>(def.name.span, format!("`{}` gives nothing", def.name.text), help);
        }
        for result in &def.results {
            let name = &result.name;
            let found = self.tensors.iter().find(|(tensor, _)| *tensor == name.text).and_then(|(_, funcs)| funcs.last());
            match found.copied() {
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
        self.builder.made.tensors = self.tensors.clone();
        if !self.builder.failed {
            self.keep_what_is_needed();
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
        let mut numbers = vec![FuncId(u32::MAX); needed.len()];
        let kept = (0..needed.len()).filter(|&id| needed[id]);
        kept.enumerate().for_each(|(number, id)| numbers[id] = FuncId(number as u32));
        let mut id = 0..needed.len();
        made.funcs.retain(|_| id.next().is_some_and(|id| needed[id]));
        let is_needed = |id: &FuncId| needed[id.0 as usize];
        made.ranges.retain(|id, _| is_needed(id));
        made.tensors.iter_mut().for_each(|(_, funcs)| funcs.retain(is_needed));
        made.renumber(&|id| numbers[id.0 as usize]);
    }

    /// Reports that something stands twice, with the place of the first.
    pub fn twice<T>(&mut self, span: Span, first: Span, message: String, help: &str) -> Option<T> {
        let error = Diagnostic::error(&codes::TENSOR_DEFINITION, span, message).with_secondary(first, "first here");
        self.builder.report(error.with_help(help))
    }
}
