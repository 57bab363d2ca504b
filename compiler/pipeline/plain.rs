//! Pipelines and schedules without stage zero: what [`super::expand`] leaves, and what `build` and `directives` read.
//!
//! A member of a family is a func whose name has brackets, `g[1]`; a name with `'` in it was made by an expansion, and `::f` is the `f` of
//! the files where something of the pipeline hides it, `::library::f` that of the library. `mirror'(g(x))` is a boundary condition, whatever is called `mirror`, and
//! `mirror''(x, 0 .. 8)` an index within a range, by the same rule. No program can write such names.

use crate::check::Runs;
use crate::check::schedules::Asked;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{Attribute, Directive, Expr, Let, Name, PipelineParameter, Range, UpdateOp};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The words for boundary conditions.
pub const EDGES: [&str; 5] = ["repeat_edge", "constant_exterior", "repeat", "mirror", "mirror_interior"];

/// What is said of the call of a pipeline or definition in another one; `around` is that one.
pub fn refused_call(name: &Name, called: Runs, around: Runs) -> Diagnostic {
    let of = |runs: Runs| match runs {
        Runs::Pipeline => "a pipeline",
        Runs::Definition => "a definition of tensors",
    };
    let (message, help) = match (called, around) {
        (Runs::Definition, Runs::Definition) => (
            format!("`{}` defines a whole tensor, and is no value at a point", name.text),
            format!("a call is a statement of its own: `T = {}(…)`", name.text),
        ),
        _ => (
            format!("`{}` is {}, which {} does not call", name.text, of(called), of(around)),
            "call it in a function, and pass its result on as an image".to_owned(),
        ),
    };
    Diagnostic::error(&codes::PIPELINE_CALL, name.span, message).with_help(help)
}

/// The pipelines and schedules of some files.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    /// The pipelines in order.
    pub pipelines: Vec<Pipeline>,
    /// The schedules in order.
    pub schedules: Vec<Schedule>,
    /// The instances that were asked for, with their names; without one where something is wrong with what is given.
    pub instances: Vec<(Asked, Option<Rc<str>>)>,
    /// The names of all pipelines, also of one that is not here since nobody gives its parameters.
    pub declared: FxHashSet<Rc<str>>,
}

/// A pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Its name.
    pub name: Name,
    /// What stands in front of it.
    pub attributes: Vec<Attribute>,
    /// Inputs and parameters in order.
    pub parameters: Vec<PipelineParameter>,
    /// The funcs whose windows are asked for.
    pub outputs: Vec<Name>,
    /// `let`s, funcs and updates, each behind those that it reads.
    pub parts: Vec<Part>,
}

/// A part of a pipeline.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// The whole text that it is made of.
    pub span: Span,
    /// What it was made by: what is said of it says so, too.
    pub expansions: Vec<Expansion>,
}

/// The kinds of parts of a pipeline.
#[derive(Clone, Debug)]
pub enum PartKind {
    /// `let name = value;`: a startup expression.
    Let(Let),
    /// `fun f(x, y) = e;`: the pure stage U₀ of a func.
    Fun(Fun),
    /// `rdom (r = a .. b) f(x, r) += e if c;`: an update stage.
    Update(Update),
    /// What was refused, and the func that it would have defined; an error has been reported.
    Error(Option<Rc<str>>),
}

/// A func.
#[derive(Clone, Debug)]
pub struct Fun {
    /// The func.
    pub name: Name,
    /// Its pure variables.
    pub variables: Vec<Name>,
    /// `let`s of the body.
    pub lets: Vec<Let>,
    /// One value, or the components of a tuple.
    pub values: Vec<Expr>,
}

/// An update stage of a func.
#[derive(Clone, Debug)]
pub struct Update {
    /// The reduction domain, the first variable innermost.
    pub rdom: Vec<Range>,
    /// `let`s in front of the rule.
    pub lets: Vec<Let>,
    /// The func.
    pub name: Name,
    /// Where it is updated.
    pub indices: Vec<Expr>,
    /// `=`, `+=` … `min=`.
    pub op: UpdateOp,
    /// One value, or the components of a tuple.
    pub values: Vec<Expr>,
    /// The predicate e_P.
    pub condition: Option<Expr>,
}

/// Where a text stands in for another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    /// The text that stands in: of a definition, of a family.
    pub text: Span,
    /// What it stands in for.
    pub place: Span,
    /// In words: ``in this `down(…)(…)` ``, ``in `g[3]` ``.
    pub what: String,
}

/// A schedule of a pipeline.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The pipeline.
    pub pipeline: Name,
    /// The schedule.
    pub name: Name,
    /// Directives by target.
    pub chains: Vec<Chain>,
    /// Was something of it refused, which has been reported?
    pub is_refused: bool,
}

/// The directives of a func.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The func.
    pub func: Name,
    /// What stands behind it.
    pub links: Vec<Directive>,
}
