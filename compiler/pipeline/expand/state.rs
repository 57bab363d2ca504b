//! What is known while pipelines are expanded, and how something is refused.

use super::constants::Constants;
use super::environment::{Found, OwnFuncs};
use super::families::Family;
use crate::check::Runs;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::pipeline::plain::{Expansion, Part};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Let, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The numbers of the nodes that expansions make: those of the parser are below.
const FIRST_NODE: u32 = 1 << 31;

/// What is known while a pipeline is expanded.
pub(super) struct Expander<'a> {
    pub constants: Constants<'a>,
    pub diagnostics: &'a mut Diagnostics,
    /// The definitions of the files.
    pub definitions: FxHashMap<Rc<str>, Found<'a>>,
    /// Those of the library, for one another.
    pub library: FxHashMap<Rc<str>, Found<'a>>,
    /// The functions of the program: what is called so is nothing else.
    pub functions: FxHashSet<&'a str>,
    /// The pipelines and definitions of tensors of the program.
    pub runs: FxHashMap<&'a str, Runs>,
    pub nodes: u32,
    /// How many names were made.
    pub names: u32,
    /// How many nodes may still be made.
    pub room: u32,
    /// What is known of the pipeline.
    pub pipeline: OfPipeline<'a>,
    /// What is known of the stage that is being read.
    pub stage: OfStage,
}

/// What is known of a pipeline.
#[derive(Default)]
pub(super) struct OfPipeline<'a> {
    pub families: FxHashMap<Rc<str>, Family>,
    /// Families of which something was refused: of one that has no members therefore nothing more is said.
    pub refused: FxHashSet<Rc<str>>,
    pub definitions: FxHashMap<Rc<str>, Found<'a>>,
    /// Funcs and inputs.
    pub sources: FxHashSet<Rc<str>>,
    /// Its parameters and `let`s.
    pub values: FxHashSet<Rc<str>>,
    /// All that is declared anywhere in it: what a definition of the files means by such a name is not that.
    pub declared: FxHashSet<Rc<str>>,
    /// The numbers among its `let`s.
    pub lets: FxHashMap<Rc<str>, i128>,
    /// Parameters and `let`s that a definition reads where a stage hides them.
    pub aliases: BTreeSet<Rc<str>>,
    /// The funcs that definitions have made, by what they were given.
    pub own: FxHashMap<String, Rc<OwnFuncs>>,
    /// Those that the part at hand has asked for: they come in front of it.
    pub pending: Vec<Part>,
}

/// What is known of a stage.
#[derive(Default)]
pub(super) struct OfStage {
    /// The variables, `let`s and reduction variables of the stage itself.
    pub binders: FxHashSet<Rc<str>>,
    /// `let`s of definitions that are read whatever the stage decides; `None` where something decides.
    pub lets: Option<Vec<Let>>,
    pub expansions: Vec<Expansion>,
    /// The definitions that are being expanded, the outermost first.
    pub open: Vec<Expansion>,
}

/// How many nodes the expansion of a program may have.
const MAX_NODES: u32 = 4_000_000;

impl<'a> Expander<'a> {
    pub fn new(constants: Constants<'a>, functions: FxHashSet<&'a str>, diagnostics: &'a mut Diagnostics) -> Self {
        Expander {
            constants,
            diagnostics,
            definitions: FxHashMap::default(),
            library: FxHashMap::default(),
            functions,
            runs: FxHashMap::default(),
            nodes: FIRST_NODE,
            names: 0,
            room: MAX_NODES,
            pipeline: OfPipeline::default(),
            stage: OfStage::default(),
        }
    }

    /// A node of its own.
    pub fn node(&mut self, kind: ExprKind, span: Span) -> Expr {
        self.nodes += 1;
        self.room = self.room.saturating_sub(1);
        Expr { id: NodeId { file: span.file, number: self.nodes }, kind, span }
    }

    /// A name that no program can write.
    pub fn fresh(&mut self, name: &str) -> Rc<str> {
        self.names += 1;
        let name = name.split('\'').next().unwrap_or(name);
        format!("{name}'{}", self.names).into()
    }

    pub fn error<T>(&mut self, code: &'static Code, span: Span, message: impl Into<String>) -> Option<T> {
        self.report(Diagnostic::error(code, span, message))
    }

    /// Reports an error, with the definitions that are being expanded.
    pub fn report<T>(&mut self, mut error: Diagnostic) -> Option<T> {
        for Expansion { place, what, .. } in self.stage.open.iter().rev().take(4) {
            error = error.with_secondary(*place, what.clone());
        }
        let is_known = |known: &Diagnostic| known.code.name == error.code.name && known.span == error.span;
        if !self.diagnostics.iter().any(is_known) {
            self.diagnostics.push(error);
        }
        None
    }
}

/// All of what was made, if nothing of it was refused; it is all looked at in any case.
pub(super) fn all_of<T>(made: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let made: Vec<Option<T>> = made.collect();
    made.into_iter().collect()
}
