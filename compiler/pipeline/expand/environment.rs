//! What names stand for in a text that is expanded.

use crate::source::Span;
use crate::syntax::ast::{Definition, Expr, Name, Type};
use crate::types::Element;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A number that is known while compiling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub value: i128,
    /// Its type, as declared; without one it takes that which its context asks for, as a literal does.
    pub element: Option<Element>,
}

/// What a name stands for.
#[derive(Clone)]
pub(super) enum Meaning<'a> {
    Constant(Number),
    /// An index or a value of a definition, as it stands where that is used; already expanded.
    Value(Expr),
    /// What a definition is given to call.
    Callee(Callee<'a>),
    /// A type, for the parameter of a template.
    Type(Type),
    /// A variable of the text itself.
    Bound,
    /// A variable of the text itself, by another name.
    Renamed(Rc<str>),
}

/// What is called.
#[derive(Clone)]
pub(super) enum Callee<'a> {
    /// A func, an input or a function.
    Named(Name),
    /// A definition that has what it takes.
    Given(Rc<Given<'a>>),
    /// A definition that is given to another one.
    Definition(Found<'a>),
    /// One of these, with what is beyond its edges.
    Edge(Rc<EdgeOf<'a>>),
}

/// A definition with what it takes.
pub(super) struct Given<'a> {
    pub found: Found<'a>,
    /// What its parameters stand for.
    pub meanings: Vec<Meaning<'a>>,
}

/// A boundary condition around what is called.
pub(super) struct EdgeOf<'a> {
    pub word: Name,
    pub of: Callee<'a>,
    /// The ranges that are written behind it, for the first dimensions.
    pub ranges: Vec<(Expr, Expr)>,
    /// The value outside, of `constant_exterior`.
    pub outside: Option<Expr>,
}

impl EdgeOf<'_> {
    /// All that is written behind it.
    pub fn values(&self) -> impl Iterator<Item = &Expr> {
        self.ranges.iter().flat_map(|(low, high)| [low, high]).chain(&self.outside)
    }
}

/// A func that a definition has made: its name in the pipeline, and its pure variables.
pub(super) struct Own {
    pub name: Name,
    pub variables: Vec<Name>,
    /// What the first of these are called in the definition.
    pub named: Vec<Name>,
    /// Do the others stand for `...`?
    pub has_rest: bool,
    /// Where it is defined there.
    pub span: Span,
}

/// The funcs of a use of a definition, by their names there.
pub(super) type OwnFuncs = FxHashMap<Rc<str>, Own>;

/// A definition, and what the names around it stand for.
#[derive(Clone)]
pub(super) struct Found<'a> {
    pub definition: &'a Definition,
    pub environment: Rc<Environment<'a>>,
}

/// What the text belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Level {
    /// A stage of the pipeline, or a `let` of it.
    #[default]
    Stage,
    /// A definition of the pipeline.
    Pipeline,
    /// A definition of the files.
    Files,
    /// A definition of the library.
    Library,
}

impl Level {
    /// Does it belong to the pipeline, so that names of that are known?
    pub fn is_inside(self) -> bool {
        matches!(self, Level::Stage | Level::Pipeline)
    }
}

/// What names stand for; those that are not in it are left as they are.
#[derive(Clone, Default)]
pub(super) struct Environment<'a> {
    names: FxHashMap<Rc<str>, Meaning<'a>>,
    /// What `...` stands for.
    pub rest: Option<Vec<Expr>>,
    pub level: Level,
}

impl<'a> Environment<'a> {
    /// That of the text of a definition outside of pipelines.
    pub fn outside(level: Level) -> Self {
        Environment { level, ..Environment::default() }
    }

    /// The same for a text that belongs to something else.
    pub fn at(&self, level: Level) -> Self {
        Environment { level, ..self.clone() }
    }

    pub fn get(&self, name: &str) -> Option<&Meaning<'a>> {
        self.names.get(name)
    }

    /// The same with one more name.
    pub fn with(&self, name: &Rc<str>, meaning: Meaning<'a>) -> Self {
        let mut made = self.clone();
        made.set(name, meaning);
        made
    }

    pub fn set(&mut self, name: &Rc<str>, meaning: Meaning<'a>) {
        self.names.insert(name.clone(), meaning);
    }

    /// The expressions that stand in for names.
    pub fn values(&self) -> impl Iterator<Item = &Expr> {
        let values = self.names.values().filter_map(|meaning| match meaning {
            Meaning::Value(value) => Some(value),
            Meaning::Constant(_) | Meaning::Callee(_) | Meaning::Type(_) | Meaning::Bound | Meaning::Renamed(_) => None,
        });
        values.chain(self.rest.iter().flatten())
    }
}
