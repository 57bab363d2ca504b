//! What is found out of lengths, and why.

use crate::source::Span;
use crate::syntax::ast::NodeId;
use crate::typed::ir::{FunctionId, LocalId};
use crate::types::Type;
use rustc_hash::FxHashMap;

/// Identifies a variable of a function in all rounds of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in super::super) enum Variable {
    /// By its place.
    Parameter(usize),
    /// By its declarator.
    Local(Node),
    /// What is returned.
    Result,
}

/// A node in a round of the `static for` statements around it: in each round it is another statement, and declares another variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in super::super) struct Node {
    pub id: NodeId,
    /// Which round; 0 outside of all.
    pub round: u32,
}

/// What the rounds of an instance have found out.
#[derive(Default)]
pub(in super::super) struct Learnt {
    pub(super) variables: FxHashMap<Variable, Facts>,
    /// By the statements that are the loops and `switch`es.
    pub(super) targets: FxHashMap<Node, TargetFacts>,
    /// The rounds of `static for` statements, by the round around, the statement and its number.
    rounds: FxHashMap<(u32, NodeId, i128), u32>,
    /// Λ of the body, if lanes leave the function one by one.
    pub context: Option<Opened>,
    /// Was a narrowing passed over, since a value came from an operation across lanes?
    pub(super) exempted: bool,
    /// Did something grow in this round?
    pub grew: bool,
}

impl Learnt {
    /// A round of a `static for` statement.
    pub fn round(&mut self, around: u32, statement: NodeId, number: i128) -> u32 {
        let next = self.rounds.len() as u32 + 1;
        *self.rounds.entry((around, statement, number)).or_insert(next)
    }
}

/// A context that a jump or a condition opens.
#[derive(Clone, Copy)]
pub(in super::super) struct Opened {
    pub length: u8,
    /// Do its lanes come from the caller?
    pub is_callers: bool,
    pub span: Span,
}

/// What is known of a variable.
#[derive(Clone, Default)]
pub(in super::super) struct Facts {
    /// Its length, if that is above 1, and why.
    pub cause: Option<Cause>,
    /// Do its lanes come from the caller?
    pub is_callers: bool,
    /// Is something assigned to it, beside its first value?
    pub is_assigned: bool,
    /// Is something assigned to it that comes from no operation across lanes?
    pub is_plain: bool,
    /// Where lanes of the function's own share it.
    pub(super) scatter: Option<Span>,
    /// What a pointer without initializer points to, by the first pointer assigned to it.
    pub pointee: Option<Type>,
}

/// What is known of a loop or `switch`.
#[derive(Clone, Default)]
pub(super) struct TargetFacts {
    /// Λ of its body, if a jump or its condition makes that more than Λ around it.
    pub(super) context: Option<Opened>,
    /// (b): it has a vector condition, or lanes leave it one by one.
    pub(super) narrowing: Option<Narrowing>,
    /// (e): lanes leave the function from inside of it.
    pub(super) returned: Option<Narrowing>,
}

/// Where an assignment goes: the variable at the root of a place, and the indices on the way.
pub(super) struct Root {
    pub(super) local: LocalId,
    /// The first of each length above 1, by whether its lanes are the caller's, and its place.
    pub(super) indices: Vec<(u8, bool, Span)>,
    /// Is a member on the way declared with a length of its own? Then what is assigned does not depend on that of the variable.
    pub(super) is_bound: bool,
}

impl Root {
    pub(super) fn push_index(&mut self, index: (u8, bool, Span)) {
        if self.indices.iter().all(|known| (known.0, known.1) != (index.0, index.1)) {
            self.indices.push(index);
        }
    }
}

/// What a local reference names, found once: what names it through further references is found in as many steps as it is long.
pub(in super::super) struct Named {
    pub(super) root: Option<Root>,
    /// Do its lanes come from the caller?
    pub(super) is_callers: bool,
}

/// For each variable the assignments of the round whose values grow with it.
pub(in super::super) type Flows = FxHashMap<Variable, Vec<Flow>>;

/// An assignment.
#[derive(Clone)]
pub(in super::super) struct Flow {
    pub(super) to: Variable,
    pub(super) place: Span,
    /// With the variable that it is noted under as its leaf.
    pub(super) why: Why,
}

/// A demand that was met.
#[derive(Clone, Debug)]
pub(in super::super) struct Cause {
    pub length: u8,
    /// The assignment, argument, `return` or declaration.
    pub place: Span,
    pub why: Why,
}

/// What makes a length.
#[derive(Clone, Debug)]
pub(in super::super) enum Why {
    /// Rule 1: the value that it begins as.
    Initializer(Leaf),
    /// Rule 1: an assigned value.
    Assigned(Leaf),
    /// Rule 1: a returned value.
    Returned(Leaf),
    /// Rule 1: the argument of a parameter.
    Argument,
    /// Rule 1: Λ of a declaration without right-hand side.
    Context,
    /// Rule 1: a call that assigns it by reference.
    ByReference { function: FunctionId, parameter: usize },
    /// Rule 2
    Index,
    /// Rule 3
    Narrowed(Parting),
}

/// What a value gets its length from.
#[derive(Clone, Debug, Default)]
pub(in super::super) enum Leaf {
    /// A variable; it has a cause of its own unless nothing is ever assigned to it, as to the index of a `foreach`.
    Variable { name: String, variable: Option<Variable>, declared: Span },
    /// What a function returns.
    Call(String),
    /// `lane_index`, `current_mask`
    Context,
    /// A literal, a bound type, a load, a built-in.
    #[default]
    Value,
}

/// A part of a function that some lanes may miss.
#[derive(Clone, Debug)]
pub(in super::super) struct Narrowing {
    pub length: u8,
    /// Do the lanes come from the caller?
    pub is_callers: bool,
    /// What parts the lanes.
    pub parting: Parting,
}

/// What parts the lanes of a narrowing.
#[derive(Clone, Debug)]
pub(in super::super) enum Parting {
    /// A vector condition decides whether a lane comes here.
    Condition { at: Span, leaf: Leaf },
    /// A loop that lanes leave one by one, since its condition is a vector.
    Loop { at: Span, leaf: Leaf },
    /// A loop that lanes leave one by one, by a jump under another narrowing.
    Left { jump: Span, by: Box<Parting> },
    /// Behind a jump that some lanes take.
    Behind { jump: Span, by: Box<Parting> },
    /// The lanes of a `foreach`.
    Foreach(Span),
    /// Visits of `foreach_unique`.
    Unique(Span),
}

/// How much is around a place.
#[derive(Clone, Copy, Default, Debug)]
pub(in super::super) struct Position {
    pub narrowings: usize,
    pub targets: usize,
}
