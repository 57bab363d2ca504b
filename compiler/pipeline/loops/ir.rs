//! Statements of figure 7. Directives make new trees of old ones; nothing is changed in place.
//!
//! # Invariants (checked by `verify`, item by item)
//! 1. A loop is identified by its func, specialization, stage and variable (Lemma 6.1), and stands in that stage.
//! 2. The loops of a func dominate what reads it, and its allocation dominates its loops (Lemma 6.2).
//! 3. Every variable is bound where it is used: by a loop, a `Let`, the start, or the definitions of `bounds` in front of a block.
//!    Until these are there, holes are free; they are the variables of kind [`Binder::Hole`].
//! 4. Vector loops have two lanes or more, and neither parallel nor vector loops in them.
//! 5. The side tables speak of dimensions, stages and loops that there are.
//! 6. `Foreach`, `Either`, `Greatest`, `Accumulate` and elements for each lane are made by `passes`, of nests that have their bounds.

use super::super::algorithm::Pipeline;
use super::super::expr::{Expr, FuncId, Variable};
use super::check::Check;
use crate::source::Span;
use crate::typed::ir::{BinaryOp, LaneOp, ReduceOp};
use crate::types::Element;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// A pipeline as loops.
#[derive(Clone, Debug, Default)]
pub struct Nest {
    /// The algorithm.
    pub pipeline: Rc<Pipeline>,
    /// Variables beyond those of the algorithm; the first has the number that the algorithm's leave free.
    pub variables: Vec<LoopVariable>,
    /// The variables of the holes.
    pub holes: FxHashMap<Hole, Variable>,
    /// The variables that splits and fuses compute from those of their loops, as far as these stay in the interval.
    pub splits: Vec<Split>,
    /// Stages whose loops leave their compute windows (φ_Shift, φ_Round).
    pub overcomputed: Vec<StageName>,
    /// Copies of funcs whose loops stay inside of their windows where their condition holds, and only there: func and case.
    pub roomy: Vec<(FuncId, usize)>,
    /// Parallel loops that are worth threads under a condition.
    pub worth: Vec<Worth>,
    /// Updates whose reduction loops may run in any order, several iterations at a time.
    pub atomic: Vec<StageName>,
    /// What rounds and shifts which dimensions, for sliding windows.
    pub tails: Vec<Overcompute>,
    /// The funcs whose storage is folded; before `bounds`, those of which a schedule says so.
    pub folds: Vec<Fold>,
    /// What must hold of the factors of splits.
    pub factors: Vec<Expr>,
    /// What splits ask of the windows of outputs.
    pub fits: Vec<Fit>,
    /// Funcs that have no loops: they stand where they were read, or no output needs them.
    pub absent: Vec<FuncId>,
    /// What the callers ask of each output.
    pub requests: Vec<OutputWindow>,
    /// What the schedule asserts of windows (§8.5).
    pub bounds: Vec<Bound>,
    /// The conditions that choose between copies of a func (§8.1): startup expressions, of which one holds.
    pub cases: Vec<Expr>,
    /// Numbers of views that are constants here: those of a version of the nest.
    pub known: Vec<(Variable, i64)>,
    /// What the automatic schedule has chosen for definitions of tensors, a line for each func, and why; and of which funcs a written
    /// schedule says nothing.
    pub reasons: Vec<String>,
    /// Allocations and loops.
    pub body: Statement,
}

/// A parallel loop of a copy of a func that is worth threads where a startup expression holds.
#[derive(Clone, Debug)]
pub struct Worth {
    /// The func.
    pub func: FuncId,
    /// Its copy.
    pub case: usize,
    /// The name of the variable of the loop.
    pub variable: Rc<str>,
    /// Where it is worth threads.
    pub condition: Expr,
}

/// The window that an output is asked for: variables that the caller binds.
#[derive(Clone, Debug)]
pub struct OutputWindow {
    /// The func.
    pub func: FuncId,
    /// For each dimension minimum and extent.
    pub window: Vec<[Variable; 2]>,
    /// For each dimension how far neighbours are apart in the caller's memory, in elements.
    pub strides: Vec<Variable>,
}

/// An assertion about the compute window of a func in a dimension.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The func.
    pub func: FuncId,
    /// The dimension.
    pub dimension: usize,
    /// What is asserted.
    pub kind: BoundKind,
    /// The directive, for messages.
    pub text: String,
    /// Its place in the schedule.
    pub span: Span,
}

/// The kinds of assertions about windows, in startup expressions.
#[derive(Clone, Debug)]
pub enum BoundKind {
    /// ?cpu f_x = (min, length)
    Window {
        /// Its first coordinate.
        min: Expr,
        /// How many coordinates.
        length: Expr,
    },
    /// (?cpu f_x).len = length
    Extent(Expr),
    /// (?cpu f_x).min ≡ remainder and (?cpu f_x).len ≡ 0, modulo a number that is at least 1.
    Aligned {
        /// The modulus.
        modulus: Expr,
        /// The remainder of the minimum.
        remainder: Expr,
    },
}

/// A variable that is computed from those of loops which partition its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The variable.
    pub variable: Variable,
    /// Its first value while all of the loops range.
    pub low: Expr,
    /// Its last value.
    pub high: Expr,
    /// The variables of the loops.
    pub parts: Vec<Variable>,
    /// How many values the loop had that they were made of.
    pub length: Expr,
    /// The condition of φ_Guard: each iteration of the outer loop has one of the inner loop in which it holds.
    pub guard: Option<Expr>,
}

/// A split of a loop of an output that is right for some lengths alone, since nothing outside of the window is written.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The output.
    pub func: FuncId,
    /// The loop.
    pub variable: Variable,
    /// How many iterations it has.
    pub length: Expr,
    /// The factor.
    pub factor: Expr,
    /// φ_Shift needs as many iterations as the factor, φ_Round a multiple of it.
    pub is_shift: bool,
}

/// A tail of a pure stage that computes points beyond its window (φ_Shift, φ_Round).
#[derive(Clone, Debug)]
pub struct Overcompute {
    /// Whose stage it is.
    pub func: FuncId,
    /// The dimensions in which the window is left.
    pub dimensions: Vec<usize>,
    /// φ_Shift, which repeats points in front of the tail.
    pub is_shift: bool,
    /// The directive.
    pub span: Span,
}

/// Storage in which a coordinate c stands at c mod F.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The func.
    pub func: FuncId,
    /// The dimension.
    pub dimension: usize,
    /// F, a power of two that is known when the pipeline starts.
    pub factor: Expr,
    /// What F must be at least.
    pub least: i64,
    /// The directive that says so.
    pub span: Option<Span>,
}

/// A variable that the algorithm does not have.
#[derive(Clone, Debug)]
pub struct LoopVariable {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub element: Element,
    /// What it is.
    pub binder: Binder,
}

/// What a variable of the loops is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binder {
    /// The variable of a loop that a directive made.
    Loop,
    /// ?: an end of a window (Definition 6.3).
    Hole(Hole),
    /// What `bounds` computes on the way.
    Let,
    /// done: the last coordinate up to which a func is finished in a dimension.
    Done,
}

/// A bounds hole (Definition 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hole {
    /// Of an allocation, or of a computation.
    pub kind: HoleKind,
    /// The func.
    pub func: FuncId,
    /// The dimension.
    pub dimension: usize,
    /// The minimum or the length of the interval.
    pub end: End,
}

/// Allocation or computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoleKind {
    /// ?mem
    Memory,
    /// ?cpu of a stage, one for all copies of it: what they need of one another does not depend on their schedules.
    Compute {
        /// The stage.
        stage: usize,
    },
}

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// The first coordinate.
    Min,
    /// How many coordinates.
    Length,
}

/// ⟨f, j, i, ·⟩: the stage that a loop belongs to (§6.1); with its variable, the name of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StageName {
    /// The func.
    pub func: FuncId,
    /// The number of the copy; 0 where there is one only. Of a func of n specializations that is computed in the copies of
    /// another, those in copy k of the other begin at k · n.
    pub case: usize,
    /// The stage.
    pub stage: usize,
}

/// The loop in whose body something is computed; `None` for the root block.
pub type Block = Option<(StageName, Variable)>;

/// In which order a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// One iteration after the other.
    Serial,
    /// In any order, on several threads.
    Parallel,
    /// All at once, a lane each.
    Vector(u8),
    /// One after the other, each with code of its own.
    Unrolled,
}

/// A statement.
#[derive(Clone, Debug, Default)]
pub enum Statement {
    /// Nothing.
    #[default]
    Nop,
    /// Stuck unless the condition holds.
    Assert(Box<Check>),
    /// s₁; s₂; …
    Sequence(Vec<Statement>),
    /// allocate f(?mem f): from here to the end of the sequence around it.
    Allocate(FuncId, Storage),
    /// fⁱ\[e₁, …, eₙ\] ← e₀, for all values of a tuple at once.
    Store(Store),
    /// fⁱ\[e₁, …, eₙ\] ⊕= e₀: what `passes` make of an associative update that lanes or threads do to one element.
    Accumulate(Box<Accumulate>),
    /// if e then s
    If(Expr, Box<Statement>),
    /// if e then s₁ else s₂: two versions of what `passes` specialize.
    Either(Expr, Box<[Statement; 2]>),
    /// for v in (min, length) do s
    For(Box<Loop>),
    /// foreach v in low .. high do s, a block of lanes at a time: what `passes` make of vector loops.
    Foreach(Box<Foreach>),
    /// let v = e in s
    Let(Variable, Expr, Box<Statement>),
    /// let v be the greatest of e in all active lanes of the block around, in s: one iteration by itself has its own e.
    Greatest(Variable, Expr, Box<Statement>),
    /// let done = −∞ in s, where s changes it by `Advance`.
    Slide(Variable, Box<Statement>),
    /// done := max(done, e)
    Advance(Variable, Expr),
    /// label f: s, all that computes a func.
    Produce(FuncId, Box<Statement>),
    /// label sᵢ: s, a stage of a func.
    Stage(StageName, Box<Statement>),
}

/// Where the elements of a func are that is allocated in a vector loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The lanes have one array.
    Shared,
    /// Each lane has elements of its own, at their distances from its own first coordinates.
    PerLane,
}

/// An associative update of an element that others update as well.
#[derive(Clone, Debug)]
pub struct Accumulate {
    /// Of which stage.
    pub stage: StageName,
    /// Where to.
    pub indices: Vec<Expr>,
    /// ⊕
    pub op: ReduceOp,
    /// e₀, which does not read the func.
    pub value: Expr,
    /// Do the active lanes of the block around take part together?
    pub is_over_lanes: bool,
    /// Do other threads update the element at the same time?
    pub is_atomic: bool,
    /// Its text.
    pub span: Span,
}

/// The operations that are operators, too.
pub const OPERATORS: [(BinaryOp, ReduceOp); 5] = [
    (BinaryOp::Add, ReduceOp::Add),
    (BinaryOp::Multiply, ReduceOp::Multiply),
    (BinaryOp::BitAnd, ReduceOp::And),
    (BinaryOp::BitOr, ReduceOp::Or),
    (BinaryOp::BitXor, ReduceOp::Xor),
];

/// What ⊕ is in an expression.
pub enum Operation {
    /// An operator.
    Operator(BinaryOp),
    /// `min` or `max`.
    Builtin(LaneOp),
}

/// What ⊕ is.
pub fn operation(op: ReduceOp) -> Operation {
    match OPERATORS.iter().find(|(_, known)| *known == op) {
        Some((operator, _)) => Operation::Operator(*operator),
        None => Operation::Builtin(if op == ReduceOp::Min { LaneOp::Min } else { LaneOp::Max }),
    }
}

/// A store to a func.
#[derive(Clone, Debug)]
pub struct Store {
    /// Of which stage.
    pub stage: StageName,
    /// Where to.
    pub indices: Vec<Expr>,
    /// What.
    pub values: Vec<Expr>,
    /// Its text.
    pub span: Span,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Whose loop it is.
    pub stage: StageName,
    /// Its variable.
    pub variable: Variable,
    /// Its order.
    pub order: Order,
    /// A pure loop (Definition 8.3).
    pub is_pure: bool,
    /// Its first value.
    pub min: Expr,
    /// How many values.
    pub length: Expr,
    /// What it repeats.
    pub body: Statement,
}

/// A loop over blocks of lanes, of which the last one may not be whole; a `foreach` of the language.
#[derive(Clone, Debug)]
pub struct Foreach {
    /// Whose loop it is.
    pub stage: StageName,
    /// Its variable, which differs between the lanes.
    pub variable: Variable,
    /// The length of a block.
    pub lanes: u8,
    /// May the blocks run in any order, on several threads?
    pub is_parallel: bool,
    /// A pure loop (Definition 8.3); the lanes of others are combined.
    pub is_pure: bool,
    /// Its first value.
    pub low: Expr,
    /// Behind its last value. Where it is no greater than `low` nothing runs.
    pub high: Expr,
    /// What it repeats.
    pub body: Statement,
}

impl Loop {
    /// The same around another body; its own is not copied for that.
    pub fn with_body(&self, body: Statement) -> Loop {
        let Loop { stage, variable, order, is_pure, .. } = *self;
        Loop { stage, variable, order, is_pure, min: self.min.clone(), length: self.length.clone(), body }
    }
}

impl Foreach {
    /// The same around another body; its own is not copied for that.
    pub fn with_body(&self, body: Statement) -> Foreach {
        let Foreach { stage, variable, lanes, is_parallel, is_pure, .. } = *self;
        Foreach { stage, variable, lanes, is_parallel, is_pure, low: self.low.clone(), high: self.high.clone(), body }
    }
}

impl Nest {
    /// A new variable, an `int`.
    pub fn new_variable(&mut self, name: &str, binder: Binder) -> Variable {
        self.variable_of(name, Element::Int32, binder)
    }

    /// A new variable of some type.
    pub fn variable_of(&mut self, name: &str, element: Element, binder: Binder) -> Variable {
        self.variables.push(LoopVariable { name: name.into(), element, binder });
        Variable((self.pipeline.variables.len() + self.variables.len() - 1) as u32)
    }

    /// What a variable of the loops is; `None` for others.
    pub fn binder(&self, variable: Variable) -> Option<Binder> {
        let own = (variable.0 as usize).checked_sub(self.pipeline.variables.len())?;
        self.variables.get(own).map(|variable| variable.binder)
    }

    /// The name and the type of a variable.
    fn info(&self, variable: Variable) -> (&str, Element) {
        let at = variable.0 as usize;
        match at.checked_sub(self.pipeline.variables.len()) {
            Some(own) => (&self.variables[own].name, self.variables[own].element),
            None => (&self.pipeline.variables[at].name, self.pipeline.variables[at].element),
        }
    }

    /// The name of a variable.
    pub fn name(&self, variable: Variable) -> &str {
        self.info(variable).0
    }

    /// The type of a variable.
    pub fn element(&self, variable: Variable) -> Element {
        self.info(variable).1
    }

    /// The variable of a hole.
    pub fn hole(&self, hole: Hole) -> Variable {
        *self.holes.get(&hole).expect("every hole has a variable")
    }

    /// The statement in which all stages of a func are: where it is produced in the root block, that.
    pub fn around(&self, func: FuncId) -> &Statement {
        let production = self.root_production(func);
        let Statement::Sequence(list) = &self.body else { return &self.body };
        production.map_or(&self.body, |at| &list[at])
    }

    /// The same, to be changed.
    pub fn around_mut(&mut self, func: FuncId) -> &mut Statement {
        let production = self.root_production(func);
        let body = &mut self.body;
        let Some(at) = production else { return body };
        let Statement::Sequence(list) = body else { unreachable!("productions of the root block stand in a sequence") };
        &mut list[at]
    }

    fn root_production(&self, func: FuncId) -> Option<usize> {
        let Statement::Sequence(list) = &self.body else { return None };
        list.iter().position(|s| s.produces(func))
    }

    /// The dimension in which the storage of a func is folded, and F.
    pub fn fold(&self, func: FuncId) -> Option<&Fold> {
        self.folds.iter().find(|fold| fold.func == func)
    }

    /// A hole as an expression.
    pub fn hole_value(&self, hole: Hole) -> Expr {
        Expr::variable(self.hole(hole), Element::Int32, self.pipeline.func(hole.func).span)
    }
}

/// Is it the sequence of a block, with funcs in it? What `bounds` defines in a block stands in front of it.
pub fn is_block(list: &[Statement]) -> bool {
    list.iter().any(|s| matches!(s, Statement::Allocate(..) | Statement::Produce(..)))
}

/// The statements in one, by shared or by mutable reference.
macro_rules! children {
    ($statement:expr, $iter:ident $(, $mutable:tt)?) => {
        match $statement {
            Statement::Nop | Statement::Assert(_) | Statement::Allocate(..) | Statement::Advance(..) => SmallVec::new(),
            Statement::Store(_) | Statement::Accumulate(_) => SmallVec::new(),
            Statement::Sequence(list) => list.$iter().collect(),
            Statement::If(_, body) | Statement::Slide(_, body) => smallvec![& $($mutable)? **body],
            Statement::Let(_, _, body) | Statement::Greatest(_, _, body) => smallvec![& $($mutable)? **body],
            Statement::Produce(_, body) | Statement::Stage(_, body) => smallvec![& $($mutable)? **body],
            Statement::Either(_, sides) => sides.$iter().collect(),
            Statement::For(l) => smallvec![& $($mutable)? l.body],
            Statement::Foreach(f) => smallvec![& $($mutable)? f.body],
        }
    };
}

/// Some parts of a statement, most often no more than two.
pub type Parts<P> = SmallVec<[P; 2]>;

impl Statement {
    /// The statement behind definitions, each of which may mention those in front of it.
    pub fn behind(self, definitions: impl DoubleEndedIterator<Item = (Variable, Expr)>) -> Statement {
        definitions.rev().fold(self, |inner, (variable, value)| Statement::Let(variable, value, Box::new(inner)))
    }

    /// The sequence of a block, with funcs in it.
    pub fn as_block(&self) -> Option<&[Statement]> {
        if let Statement::Sequence(list) = self
            && is_block(list)
        {
            Some(list)
        } else {
            None
        }
    }

    /// The start checks at the beginning of a sequence, and the one statement behind them.
    pub fn checks(&self) -> (Vec<&Check>, &Statement) {
        let Statement::Sequence(list) = self else { unreachable!("checks stand in a sequence") };
        let checks = list.iter().map_while(|s| {
            let Statement::Assert(check) = s else { return None };
            Some(&**check)
        });
        (checks.collect(), list.last().expect("something stands behind the checks"))
    }

    /// The definitions at the beginning, and what stands behind them.
    pub fn definitions(&self) -> (Vec<(Variable, &Expr)>, &Statement) {
        let (mut definitions, mut behind) = (Vec::new(), self);
        while let Statement::Let(variable, value, body) = behind {
            definitions.push((*variable, value));
            behind = body;
        }
        (definitions, behind)
    }

    /// The statements in it.
    pub fn children(&self) -> Parts<&Statement> {
        children!(self, iter)
    }

    /// The statements in it, to be changed.
    pub fn children_mut(&mut self) -> Parts<&mut Statement> {
        children!(self, iter_mut, mut)
    }

    /// The body of a stage.
    pub fn stage_mut(&mut self, stage: StageName) -> Option<&mut Statement> {
        if let Statement::Stage(name, body) = self {
            return (*name == stage).then_some(body);
        }
        self.children_mut().into_iter().find_map(|child| child.stage_mut(stage))
    }

    /// The same with other statements in it.
    pub fn with_children(&self, mut change: impl FnMut(&Statement) -> Statement) -> Statement {
        match self {
            Statement::Nop | Statement::Assert(_) | Statement::Allocate(..) | Statement::Advance(..) => self.clone(),
            Statement::Store(_) | Statement::Accumulate(_) => self.clone(),
            Statement::Sequence(list) => Statement::Sequence(list.iter().map(change).collect()),
            Statement::If(condition, body) => Statement::If(condition.clone(), Box::new(change(body))),
            Statement::Let(variable, value, body) => Statement::Let(*variable, value.clone(), Box::new(change(body))),
            Statement::Greatest(variable, value, body) => Statement::Greatest(*variable, value.clone(), Box::new(change(body))),
            Statement::Slide(done, body) => Statement::Slide(*done, Box::new(change(body))),
            Statement::Produce(func, body) => Statement::Produce(*func, Box::new(change(body))),
            Statement::Stage(stage, body) => Statement::Stage(*stage, Box::new(change(body))),
            Statement::Either(condition, sides) => {
                let [then, otherwise] = &**sides;
                Statement::Either(condition.clone(), Box::new([change(then), change(otherwise)]))
            }
            Statement::For(l) => Statement::For(Box::new(l.with_body(change(&l.body)))),
            Statement::Foreach(f) => Statement::Foreach(Box::new(f.with_body(change(&f.body)))),
        }
    }

    /// The statement without some of those in it, however deep.
    pub fn without(&self, is_gone: &mut dyn FnMut(&Statement) -> bool) -> Statement {
        if is_gone(self) {
            return Statement::Nop;
        }
        let mut made = self.with_children(|child| child.without(is_gone));
        if let Statement::Sequence(list) = &mut made {
            list.retain(|s| !matches!(s, Statement::Nop));
        }
        made
    }

    /// The statement with what stands in some of those in it changed.
    pub fn with_bodies(&self, is_it: &dyn Fn(&Statement) -> bool, change: &dyn Fn(&Statement) -> Statement) -> Statement {
        let is_one = is_it(self);
        self.with_children(|child| if is_one { change(child) } else { child.with_bodies(is_it, change) })
    }

    /// The statement with others in the places of those in it, which are given away.
    pub fn mapped(mut self, mut change: impl FnMut(Statement) -> Statement) -> Statement {
        for child in self.children_mut() {
            *child = change(std::mem::take(child));
        }
        self
    }

    /// A copy of the stages of a func: `number` gives the number of a copy from what it was.
    pub fn copied(&self, func: FuncId, number: &dyn Fn(usize) -> usize) -> Statement {
        let name = |name: StageName| if name.func == func { StageName { case: number(name.case), ..name } } else { name };
        let mut made = self.with_children(|child| child.copied(func, number));
        if let Statement::Stage(stage, _) | Statement::Store(Store { stage, .. }) = &mut made {
            *stage = name(*stage);
        } else if let Statement::For(l) = &mut made {
            l.stage = name(l.stage);
        }
        made
    }

    /// Visits the statement and those in it, outermost first.
    pub fn walk<'s>(&'s self, visit: &mut dyn FnMut(&'s Statement)) {
        visit(self);
        self.children().into_iter().for_each(|child| child.walk(visit));
    }

    /// The first of the statement and those in it, outermost first, of which this holds.
    pub fn find(&self, holds: &dyn Fn(&Statement) -> bool) -> Option<&Statement> {
        if holds(self) { Some(self) } else { self.children().into_iter().find_map(|child| child.find(holds)) }
    }

    /// Does it hold of the statement, or of one of those in it?
    pub fn any(&self, holds: &dyn Fn(&Statement) -> bool) -> bool {
        self.find(holds).is_some()
    }

    /// Does a variable occur in it, as more than what is bound?
    pub fn mentions(&self, variable: Variable) -> bool {
        self.any(&|s| s.expressions().into_iter().any(|e| e.mentions(&|v| v == variable)))
    }

    /// Is it what computes a func?
    pub fn produces(&self, func: FuncId) -> bool {
        matches!(self, Statement::Produce(id, _) if *id == func)
    }

    /// The expressions of this statement, without those of statements in it.
    pub fn expressions(&self) -> Parts<&Expr> {
        match self {
            Statement::Nop | Statement::Sequence(_) | Statement::Allocate(..) | Statement::Slide(..) => SmallVec::new(),
            Statement::Produce(..) | Statement::Stage(..) => SmallVec::new(),
            Statement::Assert(check) => check.numbers.iter().chain([&check.condition]).collect(),
            Statement::If(e, _) | Statement::Either(e, _) | Statement::Advance(_, e) => smallvec![e],
            Statement::Let(_, e, _) | Statement::Greatest(_, e, _) => smallvec![e],
            Statement::Accumulate(update) => update.indices.iter().chain([&update.value]).collect(),
            Statement::Store(store) => store.indices.iter().chain(&store.values).collect(),
            Statement::For(l) => smallvec![&l.min, &l.length],
            Statement::Foreach(f) => smallvec![&f.low, &f.high],
        }
    }
}
