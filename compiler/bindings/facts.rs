//! What is known of the code of exports.

use super::globals;
use crate::source::{SourceMap, Span};
use crate::typed::{self, ir::Program};
use crate::vector::failing::{self, may_fail};
use crate::vector::ir::{Linkage, Module};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the code of each export, on all targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    exports: BTreeMap<String, Fact>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Fact {
    may_fail: bool,
    /// The places of accesses that may lead outside of memory.
    loose: BTreeSet<Place>,
    /// The places where it may change a global variable.
    changes: BTreeSet<Place>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    file: String,
    line: usize,
}

impl Place {
    fn text(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

impl Facts {
    /// Of a program and the code of its module: which of its functions fail or change globals, and which accesses are neither checked
    /// nor known to be right.
    pub fn of(program: &Program, module: &Module, sources: &SourceMap) -> Facts {
        let mut facts = Facts::default();
        for (function, changes) in program.functions.iter().zip(globals::changes(program)) {
            if function.linkage == typed::ir::Linkage::Export {
                let changes = changes.into_iter().map(|span| place(span, sources)).collect();
                facts.exports.insert(function.symbol.clone(), Fact { changes, ..Fact::default() });
            }
        }
        let loose = failing::loose_accesses(module);
        for ((function, may_fail), loose) in module.functions.iter().zip(may_fail(module)).zip(loose) {
            if matches!(function.linkage, Linkage::Export(_)) {
                let loose = loose.into_iter().map(|span| place(span, sources)).collect();
                let fact = facts.exports.entry(function.name.clone()).or_default();
                (fact.may_fail, fact.loose) = (may_fail, loose);
            }
        }
        facts
    }

    /// Of a module that has no checks: what `checked`, the same program with checks, tests is an access that may lead outside. What
    /// both test is none.
    pub fn without_checks(program: &Program, module: &Module, checked: &Module, sources: &SourceMap) -> Facts {
        let mut facts = Facts::of(program, checked, sources);
        let may_fail = may_fail(module);
        let tests = failing::checks(module).into_iter().zip(failing::checks(checked));
        for (index, (own, all)) in tests.enumerate() {
            if let Some(fact) = facts.exports.get_mut(&module.functions[index].name) {
                fact.may_fail = may_fail[index];
                fact.loose.extend(all.difference(&own).map(|&span| place(span, sources)));
            }
        }
        facts
    }

    /// What holds for the code of either target.
    pub fn and(mut self, other: Facts) -> Facts {
        for (name, fact) in other.exports {
            let own = self.exports.entry(name).or_default();
            own.may_fail |= fact.may_fail;
            own.loose.extend(fact.loose);
            own.changes.extend(fact.changes);
        }
        self
    }

    /// May an export come back before its end?
    pub fn may_fail(&self, symbol: &str) -> bool {
        self.exports.get(symbol).is_some_and(|fact| fact.may_fail)
    }

    /// What the callers of an export see to, in lines.
    pub fn duties(&self, symbol: &str) -> Vec<String> {
        let mut duties = Vec::new();
        let mut list = |what: &str, places: Vec<String>| {
            if !places.is_empty() {
                duties.push(what.to_owned());
                duties.extend(places.iter().map(|place| format!("* {place}")));
            }
        };
        list("These accesses, which nothing checks, stay inside of what there is:", self.loose(symbol));
        list("No other thread accesses the globals meanwhile that may change here:", self.changes(symbol));
        duties
    }

    /// Where an export accesses what may be outside of memory, as `file:line`.
    fn loose(&self, symbol: &str) -> Vec<String> {
        self.exports.get(symbol).into_iter().flat_map(|fact| &fact.loose).map(Place::text).collect()
    }

    /// Where an export may change a global variable, as `file:line`.
    fn changes(&self, symbol: &str) -> Vec<String> {
        self.exports.get(symbol).into_iter().flat_map(|fact| &fact.changes).map(Place::text).collect()
    }
}

fn place(span: Span, sources: &SourceMap) -> Place {
    match sources.files().find(|(id, _)| *id == span.file) {
        Some((_, file)) => Place { file: file.name.clone(), line: file.line_column(span.start).0 },
        None => Place { file: "generated".to_owned(), line: 0 },
    }
}
