//! The syntax of pipelines and schedules, stage zero included: families of funcs, definitions that take funcs, and what is
//! decided and repeated while compiling. `pipeline::expand` leaves nothing of the latter.

use super::{Assertion, Expr, Name, Type};
use crate::source::Span;

/// A pipeline: figure 5 (a) of the formal semantics of Halide.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Its name.
    pub name: Name,
    /// Inputs and parameters in order.
    pub parameters: Vec<PipelineParameter>,
    /// The funcs whose windows are asked for.
    pub outputs: Vec<Name>,
    /// `let`s, funcs and updates in order.
    pub parts: Vec<PipelinePart>,
}

/// `uint8 in[,]` or `int w`
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineParameter {
    /// The element type.
    pub ty: Type,
    /// Its name.
    pub name: Name,
    /// The number of dimensions of an input image; `None` for a scalar parameter.
    pub rank: Option<usize>,
    /// The whole parameter.
    pub span: Span,
}

/// A part of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelinePart {
    /// What it is.
    pub kind: PipelinePartKind,
    /// Its whole text.
    pub span: Span,
}

/// The kinds of parts of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub enum PipelinePartKind {
    /// `let name = value;`: a startup expression.
    Let(Let),
    /// `fun f(x, y) = e;`: the pure stage U₀ of a func, or of each member of a family.
    Fun(Fun),
    /// `fun down(f)(x, y, ...) = e;`
    Definition(Definition),
    /// `rdom (r = a .. b) f(x, r) += e if c;`: an update stage.
    Update(Update),
    /// `static if (c) { … } else { … }`
    StaticIf(StaticIf<PipelinePart>),
    /// `static for (int i = a .. b) { … }`
    StaticFor(StaticFor<PipelinePart>),
    /// `static assert(c, "…");`
    StaticAssert(Assertion),
    /// What could not be parsed; an error has been reported.
    Error,
}

/// What is chosen while compiling.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticIf<T> {
    /// A constant expression.
    pub condition: Expr,
    /// What stands for it where the condition holds.
    pub then: Vec<T>,
    /// What stands for it where it does not.
    pub otherwise: Vec<T>,
}

/// What is repeated while compiling.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticFor<T> {
    /// The type of the index; without one it takes that which its context asks for, as a literal does.
    pub ty: Option<Type>,
    /// The index and its constant bounds.
    pub range: Range,
    /// What stands there for each value of the index.
    pub body: Vec<T>,
}

/// A func, or the members of a family of funcs.
#[derive(Clone, Debug, PartialEq)]
pub struct Fun {
    /// The func or the family.
    pub name: Name,
    /// Which members are defined; empty for a func by itself.
    pub members: Vec<Member>,
    /// Its pure variables.
    pub variables: Vec<Name>,
    /// What it is.
    pub body: Vec<BodyPart>,
}

/// An index in the brackets behind the name of a family.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// `k = 1 .. J`: each of these.
    Each(Range),
    /// `0`: a constant.
    One(Expr),
}

/// A part of the body of a func.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyPart {
    /// `let name = value;`
    Let(Let),
    /// `return e;`, or `= e`: one value, or the components of a tuple.
    Return(Vec<Expr>),
    /// `static if (c) { … } else { … }`
    StaticIf(StaticIf<BodyPart>, Span),
    /// `fun count(i) = e;`: a func of its own, in a definition.
    Fun(LocalFun),
    /// `rdom (r = a .. b) count(r) += e;`: an update of such a func, and the whole text.
    Update(Update, Span),
}

/// A func of a definition: each use has one of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalFun {
    /// Its name.
    pub name: Name,
    /// Its pure variables.
    pub variables: Vec<Name>,
    /// `...` behind them: as many more as stand for that of the definition.
    pub rest: Option<Span>,
    /// What it is.
    pub body: Vec<BodyPart>,
    /// Its whole text.
    pub span: Span,
}

/// A definition that takes funcs.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: Name,
    /// What it takes.
    pub parameters: Vec<DefinitionParameter>,
    /// Its indices.
    pub variables: Vec<Name>,
    /// `...` behind them.
    pub rest: Option<Span>,
    /// What it is.
    pub body: Vec<BodyPart>,
    /// Its whole text.
    pub span: Span,
}

/// `f`, `int r`
#[derive(Clone, Debug, PartialEq)]
pub struct DefinitionParameter {
    /// The type of a value; `None` for what is called: a func, an input, a function or a definition.
    pub ty: Option<Type>,
    /// Its name.
    pub name: Name,
}

/// An update stage of a func, or of the members of a family.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The reduction domain, the first variable innermost.
    pub rdom: Vec<Range>,
    /// `let`s in front of the rule.
    pub lets: Vec<Let>,
    /// The func or the family.
    pub name: Name,
    /// Which members are updated; empty for a func by itself.
    pub members: Vec<Member>,
    /// Where it is updated.
    pub indices: Vec<Expr>,
    /// `=`, `+=` … `min=`.
    pub op: UpdateOp,
    /// One value, or the components of a tuple.
    pub values: Vec<Expr>,
    /// The predicate e_P.
    pub condition: Option<Expr>,
}

/// `let name = value;`
#[derive(Clone, Debug, PartialEq)]
pub struct Let {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Expr,
}

/// `r = low .. high`
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The variable.
    pub name: Name,
    /// The first value.
    pub low: Expr,
    /// Behind the last value.
    pub high: Expr,
    /// The whole range.
    pub span: Span,
}

/// How an update combines the old value with the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UpdateOp {
    Set,
    Add,
    Subtract,
    Multiply,
    Divide,
    And,
    Or,
    Xor,
    Min,
    Max,
}

/// `schedule pipeline.name { target.directive(…); … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The pipeline.
    pub pipeline: Name,
    /// The schedule.
    pub name: Name,
    /// Directives by target.
    pub parts: Vec<SchedulePart>,
}

/// A part of a schedule.
#[derive(Clone, Debug, PartialEq)]
pub enum SchedulePart {
    /// `f.split(…).parallel(…);`
    Chain(DirectiveChain),
    /// `if (c) { … } else { … }`
    If(Box<StaticIf<SchedulePart>>),
    /// `for (k = a .. b) { … }`
    For(Box<StaticFor<SchedulePart>>),
}

/// `f.update(0).split(…).parallel(…);`
#[derive(Clone, Debug, PartialEq)]
pub struct DirectiveChain {
    /// The func or the family.
    pub func: Name,
    /// The indices of a member of a family.
    pub members: Vec<Expr>,
    /// What stands behind it: `case(n)`, `otherwise` and `update(n)` choose stages, the others are directives.
    pub links: Vec<Directive>,
    /// The whole chain.
    pub span: Span,
}

/// `split(y, yo, yi, 32, guard)`
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// Its name.
    pub name: Name,
    /// Its arguments; `None` for a link without brackets (`otherwise`).
    pub arguments: Option<Vec<Expr>>,
    /// From its name to its closing bracket.
    pub span: Span,
}
