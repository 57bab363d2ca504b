//! What the checker knows: the program so far, the names of the files, and the function instance that it is in.

use super::declared::{Bound, Declared};
use super::infer::{Flows, Learnt, Named, Narrowing, Node, Position, Variable};
use super::instance::{Instance, InstanceKey};
use super::items::{Binding, Home, Items};
use super::schedules::{Schedules, Wanted};
use crate::diagnostics::Diagnostics;
use crate::diagnostics::levels::Allowances;
use crate::source::Span;
use crate::syntax::ast::NodeId;
use crate::target::{FpMode, Memory};
use crate::typed::ir::{self, Constant, FunctionId, LocalId};
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the checker must know of the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// W: the length of `varying` and of a `block` index of `foreach`.
    pub width: u8,
    /// Bytes of a vector register: `preferred_lengthof(T)` is as many T as fit, from the widest member.
    pub register_bytes: u8,
    /// How many vector registers there are.
    pub registers: u8,
    /// The default mode of floating-point arithmetic.
    pub fp: FpMode,
    /// Has the target fused multiply-adds?
    pub has_fma: bool,
    /// Are there instances for the lanes of plain loops?
    pub lanes: bool,
}

/// The state of the stage.
pub(super) struct Checker<'a> {
    pub program: ir::Program,
    /// Has a constant been given up, as it takes too long?
    pub gave_up: bool,
    pub options: Options,
    pub diagnostics: &'a mut Diagnostics,
    pub items: Items<'a>,
    /// F_Γ: the instances that were checked or are being checked.
    pub instances: FxHashMap<InstanceKey, FunctionId>,
    /// What is known of each instance beside its function.
    pub made: BTreeMap<FunctionId, Instance>,
    /// Closed instances that used a summary which has grown since.
    pub stale: Vec<FunctionId>,
    /// The functions with a body in which something was refused.
    pub refused_bodies: FxHashSet<usize>,
    /// What the pipelines of the program are.
    pub schedules: Rc<dyn Schedules>,
    /// The functions of schedules that are called.
    pub asked: BTreeMap<Wanted, FunctionId>,
    /// The functions that all schedules have in common, by name.
    pub shared: FxHashMap<String, FunctionId>,
    /// How many instances are open.
    pub depth: usize,
    /// How many of these are instances of templates.
    pub template_depth: usize,
    /// What stands in for parts of expressions (`scalar_expressions`).
    pub replacements: FxHashMap<NodeId, ir::Expr>,
    /// The sums and products of pipelines among the functions that stand in.
    pub reduced: FxHashMap<FunctionId, Reduced>,
    /// Where `[[allow(…)]]` stands.
    pub allowances: Allowances,
    pub body: Body,
}

/// A `sum` or a `product` of a pipeline.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// What is added or multiplied.
    pub term: ir::Expr,
    /// Is it a product?
    pub is_product: bool,
    /// How many terms there are, where that is known.
    pub count: Option<u64>,
}

/// What the checker remembers of a local.
#[derive(Clone, Default)]
pub(super) struct LocalInfo {
    /// How it is identified in all rounds, unless nothing is ever assigned to it.
    pub variable: Option<Variable>,
    /// Has it an initializer?
    pub is_initialized: bool,
    /// Its type as declared, where the length of that is inferred.
    pub unbound: Option<Rc<Declared>>,
    /// What surrounds its declaration.
    pub position: Position,
    /// Λ of its declaration.
    pub context: u8,
    /// Does it hold the address of what its name means?
    pub is_reference: bool,
    /// For a local reference: what it names.
    pub names: Option<Rc<Named>>,
    pub is_const: bool,
    /// It owns its pixels, which follow one another in dimension 0.
    pub is_image: bool,
    /// It points to data that must not be written.
    pub pointee_const: bool,
    /// Is what it points to declared `scalar`, or memory that has no other owner?
    pub pointee_scalar: bool,
    /// Its value, if it is a constant expression (language.md §1, `int L = lengthof(*data);`).
    pub constant: Option<Constant>,
    /// What it begins as and always is: nothing is assigned to it.
    pub first: Option<Rc<ir::Expr>>,
}

/// A loop, `switch` or function that jumps can leave.
pub(super) struct Target {
    /// The statement.
    pub id: Node,
    /// Λ around the loop.
    pub opened: u8,
    /// Λ of its body.
    pub inner: u8,
    /// A `foreach` has lanes of its own and is never vectorised.
    pub fixed: bool,
    /// How many images and `scratch` arrays outside of it are alive.
    pub owned: usize,
    /// For a `parallel foreach`: it cannot be left.
    pub parallel: Option<Parallel>,
    /// It is a `switch`, which `continue` passes by.
    pub is_switch: bool,
    /// How many narrowings there are around its body, its own among them.
    pub narrowings: usize,
    /// What narrows the rest of its body, behind a partial `continue` or the partial `break` of a `switch`.
    pub continued: Option<Narrowing>,
    /// What narrows it for the caller: lanes leave the function from inside of it.
    pub returned: Option<Narrowing>,
}

/// A parallel loop.
#[derive(Clone, Copy)]
pub(super) struct Parallel {
    /// The word.
    pub span: Span,
    /// How many locals there are outside of it.
    pub locals: usize,
}

/// The round of a function instance that is being checked.
#[derive(Default)]
pub(super) struct Body {
    /// What the statement that is being checked evaluates once in an expression: they are declared in front of it.
    pub temporaries: Vec<LocalId>,
    /// Which instance it is; `None` outside of functions.
    pub id: Option<FunctionId>,
    /// Where its names stand.
    pub home: Home,
    /// Λ
    pub context: u8,
    /// Λ at the beginning of the body.
    pub base: u8,
    /// The arithmetic of the function or pipeline; `None` outside of both.
    pub fp: Option<FpMode>,
    pub locals: Vec<ir::Local>,
    pub infos: Vec<LocalInfo>,
    pub scopes: Vec<FxHashMap<Rc<str>, Binding>>,
    /// What calls may name beyond functions, where the caller of the checker knows more: for guesses.
    pub callable: Vec<Rc<str>>,
    /// Other names of functions and element types, where nothing has these names itself.
    pub synonyms: &'static [(&'static str, &'static str)],
    /// The pixels of the images and the `scratch` arrays that are alive, the last declared last.
    pub owned: Vec<(LocalId, Memory)>,
    /// The round of the `static for` statements around.
    pub static_round: u32,
    /// How many rounds of such statements there were.
    pub static_rounds: u64,
    /// How many loops and `switch`es are outside of the innermost of these, and where it is.
    pub repeated: Option<(usize, Span)>,
    /// The loops and `switch`es around, the innermost last.
    pub targets: Vec<Target>,
    /// Are we in the lanes of a `foreach`?
    pub in_foreach: bool,
    /// Is there `lengthof` or `sizeof` of a value, beyond the lengths of types?
    pub looks_at_length: bool,
    /// What opened the current context above 1.
    pub opener: Option<Span>,
    /// The innermost statement around; none in a declaration and in the head of a loop.
    pub around: Option<Around>,
    /// Do the lanes of the current context come from the caller?
    pub is_callers: bool,
    /// The narrowings around, the innermost last.
    pub narrowings: Vec<Narrowing>,
    /// What is around the innermost `scalar` statement or `foreach_active`: it counts for nothing inside.
    pub floor: Position,
    /// What narrows the rest of the function for its caller, behind a partial `return`.
    pub returned: Option<Narrowing>,
    /// The declared result, and what the returns gave.
    pub result: Option<Declared>,
    pub returns: Vec<Returned>,
    /// The result type, where it does not depend on the returns.
    pub bound_result: Option<Type>,
    /// What the function does with its variables: those that it never changes are constant if their initializer is.
    pub uses: Rc<Uses>,
    /// Does it give its status to programs of other languages: an export with an `int`?
    pub is_entry: bool,
    /// How many requirements it has so far.
    pub requirements: i64,
    /// The arguments of a template.
    pub template: Bound,
    /// Numbers that a cast says to have the type that they have: they wrap where they are to.
    pub casts: FxHashSet<Span>,
    /// Numbers that are written as characters.
    pub characters: FxHashSet<Span>,
    /// What all rounds have found out.
    pub learnt: Learnt,
    /// What this round has seen flow from variable to variable.
    pub flows: Flows,
}

/// A statement.
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub span: Span,
    /// Is it an expression and nothing else?
    pub is_expression: bool,
    /// Λ in front of it.
    pub context: u8,
}

/// One `return`.
#[derive(Clone, Copy)]
pub(super) struct Returned {
    /// Its value's type; `None` without value or in error.
    pub ty: Option<Type>,
    pub span: Span,
}

/// What a function body does with the variables that it declares, by their declarators.
#[derive(Default)]
pub(super) struct Uses {
    pub assigned: FxHashSet<NodeId>,
    pub addressed: FxHashSet<NodeId>,
    pub asked: FxHashSet<NodeId>,
}

impl Uses {
    /// Is the variable assigned by its name: itself, its members or its elements, or handed on by reference?
    pub fn is_assigned(&self, variable: NodeId) -> bool {
        self.assigned.contains(&variable)
    }

    /// Is there `&x`, `lengthof(x)`, `get(x, …)` or `set(x, …)`?
    pub fn is_looked_at(&self, variable: NodeId) -> bool {
        self.addressed.contains(&variable) || self.asked.contains(&variable)
    }

    /// May it have another value than its first one?
    pub fn is_changed(&self, variable: NodeId) -> bool {
        self.is_assigned(variable) || self.addressed.contains(&variable)
    }
}
