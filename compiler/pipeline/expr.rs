//! Expressions of pipelines (figure 5 (b), with the element types of the language): scalar, typed, total, without effects.
//!
//! An algorithm's expressions and those of its loops are of one kind; what a [`Variable`] or a [`Source`] is, the owner says.
//! Trees share their parts.

use super::facts::Facts;
use crate::source::Span;
use crate::typed::ir::{BinaryOp, CompareOp, Constant, FunctionId, LaneOp, UnaryOp};
use crate::types::Element;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr(Rc<Node>);

#[derive(Debug)]
struct Node {
    kind: ExprKind,
    element: Element,
    span: Span,
    facts: Facts,
    /// Is it in the normal form of `simplify`? Asked often, worked out once.
    is_normal: Cell<bool>,
    /// That form, if it is another expression and was asked for.
    normal: OnceCell<Expr>,
    /// What it is as a sum, if that was asked for and is more than itself.
    linear: OnceCell<Box<(Terms, i64)>>,
}

/// Index of a variable of its pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

/// Index of a func of its pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(pub u32);

/// Index of an input image of its pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InputId(pub u32);

/// Says something else of a variable, or nothing any more: what was said of it before.
pub fn rebind<T>(known: &mut FxHashMap<Variable, T>, variable: Variable, value: Option<T>) -> Option<T> {
    match value {
        Some(value) => known.insert(variable, value),
        None => known.remove(&variable),
    }
}

/// What is read by indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A component of a func of tuples; 0 for others.
    Func(FuncId, usize),
    /// An input image.
    Input(InputId),
}

impl Source {
    /// The same for all components of a func: the first one.
    pub fn whole(self) -> Source {
        match self {
            Source::Func(func, _) => Source::Func(func, 0),
            Source::Input(_) => self,
        }
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// c
    Constant(Constant),
    /// x, r or p
    Variable(Variable),
    /// A prefix operator.
    Unary(UnaryOp, Expr),
    /// An operator on two operands of the type of the result. On integers `/` and `%` are those of pipelines: towards minus
    /// infinity, by zero 0.
    Binary(BinaryOp, Expr, Expr),
    /// A comparison of two operands of one type.
    Compare(CompareOp, Expr, Expr),
    /// Lazy: b is evaluated where a holds.
    And(Expr, Expr),
    /// Lazy: b is evaluated where a does not hold.
    Or(Expr, Expr),
    /// Lazy: `c ? a : b`.
    Conditional(Expr, Expr, Expr),
    /// A conversion to the type of the result.
    Convert(Expr),
    /// A built-in that works lane by lane; `Select` is strict, as the paper's.
    Builtin(LaneOp, Vec<Expr>),
    /// A function of the language: pure, on scalars.
    Call(Callee, Vec<Expr>),
    /// f\[e₁, …, eₙ\]; the indices are `int`.
    Read(Source, Vec<Expr>),
    /// e, of which low ≤ e ≤ high is known.
    Within(Expr, Expr, Expr, Known),
    /// min or max {e | low ≤ x ≤ high, c}: an end of a window for which `bounds` has no closed form.
    Extremum(Box<Extremum>),
}

/// Zero as a constant, or what is false.
pub fn zero(element: Element) -> Constant {
    match element {
        Element::Bool => Constant::Bool(false),
        _ if element.is_float() => Constant::Float(0.0),
        _ => Constant::Int(0),
    }
}

/// Why something is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// It holds wherever the value is computed.
    Proven,
    /// The author says so: `--check` asks where the value is computed, as an index of this axis of what is read.
    Said {
        /// The name of the func or the image.
        of: Rc<str>,
        /// Which index of the text it is.
        axis: usize,
    },
}

/// The least or the greatest value of an expression over an interval, found by looking at each; it binds its variable.
#[derive(Clone, Debug)]
pub struct Extremum {
    /// The least one?
    pub is_min: bool,
    /// x, which ranges.
    pub variable: Variable,
    /// Its first value.
    pub low: Expr,
    /// Its last value.
    pub high: Expr,
    /// Values that count, if not all do.
    pub condition: Option<Expr>,
    /// e, an `int`. It reads nothing.
    pub value: Expr,
    /// What is taken if x has more than `ENUMERATED` values (`limits`): no greater, or no less, than each value of e.
    pub otherwise: Expr,
    /// What is taken if no value counts.
    pub nothing: i64,
}

impl Extremum {
    /// The variables in its value and its condition, in order, without its own.
    pub fn variables(&self) -> Vec<Variable> {
        let all = std::iter::once(&self.value).chain(&self.condition).flat_map(Expr::free_variables);
        all.copied().filter(|v| *v != self.variable).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// An expression by what it does to the values of its parts, as analyses tell them apart. Whatever has a part that none of them
/// follows is a leaf: nothing but its type is known of it, which is right of every kind that may be added.
pub enum Form<'e> {
    /// x
    Variable(Variable),
    /// −a
    Negate(&'e Expr),
    /// ~a, or !a.
    Not(&'e Expr),
    /// a ∘ b
    Binary(BinaryOp, &'e Expr, &'e Expr),
    /// The minimum (`true`) or the maximum of two.
    Extremum(bool, [&'e Expr; 2]),
    /// |a|
    Abs(&'e Expr),
    /// a or b, strict or lazy: as the condition says, which comes first.
    Choice(&'e Expr, &'e Expr, &'e Expr),
    /// a, with the least and the greatest value that it is known to have.
    Within(&'e Expr, [&'e Expr; 2]),
    /// a in another type.
    Convert(&'e Expr),
    /// All others.
    Leaf,
}

/// A function that a pipeline calls.
#[derive(Clone, Debug)]
pub struct Callee {
    /// The name by which it is called.
    pub name: Rc<str>,
    /// Its scalar instance.
    pub function: FunctionId,
    /// Is it one of the standard library?
    pub is_library: bool,
    /// May it run without end, or access memory that is not there, on values that are not those of the algorithm?
    pub is_partial: bool,
    /// Has its instance for vectors in each lane what the scalar one gives?
    pub is_lane_wise: bool,
}

/// The parts of an expression of a kind, by shared or by mutable reference.
macro_rules! children {
    ($kind:expr, $iter:ident $(, $mutable:tt)?) => {
        match $kind {
            ExprKind::Constant(_) | ExprKind::Variable(_) => SmallVec::new(),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => smallvec![a],
            ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => smallvec![a, b],
            ExprKind::Conditional(a, b, c) | ExprKind::Within(a, b, c, _) => smallvec![a, b, c],
            ExprKind::Builtin(_, list) | ExprKind::Call(_, list) | ExprKind::Read(_, list) => list.$iter().collect(),
            ExprKind::Extremum(x) => {
                let Extremum { low, high, value, otherwise, condition, .. } = & $($mutable)? **x;
                [low, high, value, otherwise].into_iter().chain(condition).collect()
            }
        }
    };
}

impl Expr {
    /// An expression of an element type.
    pub fn new(kind: ExprKind, element: Element, span: Span) -> Expr {
        let facts = Facts::new(&kind, element);
        Expr(Rc::new(Node {
            kind,
            element,
            span,
            facts,
            is_normal: Cell::new(false),
            normal: OnceCell::new(),
            linear: OnceCell::new(),
        }))
    }

    /// What it is.
    pub fn kind(&self) -> &ExprKind {
        &self.0.kind
    }

    /// Its type.
    pub fn element(&self) -> Element {
        self.0.element
    }

    /// What is known of it.
    pub(super) fn facts(&self) -> &Facts {
        &self.0.facts
    }

    /// How many parts it has, written out: what is shared counts as often as it occurs.
    pub fn size(&self) -> u32 {
        self.0.facts.size
    }

    /// How deep it is.
    pub fn height(&self) -> u32 {
        self.0.facts.height
    }

    /// A number for its structure, without places in the text: expressions that are the same have the same.
    pub fn structure(&self) -> u64 {
        self.0.facts.hash
    }

    /// Are they one and the same, not just alike?
    fn is_identical(&self, other: &Expr) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Is it known to be in normal form?
    pub fn is_normal(&self) -> bool {
        self.0.is_normal.get()
    }

    /// It is in normal form.
    pub fn mark_normal(&self) {
        self.0.is_normal.set(true);
    }

    /// Its normal form, if that is known; else what works it out says it.
    pub fn normal_form(&self, work_out: impl FnOnce() -> Expr) -> Expr {
        if let Some(known) = self.0.normal.get() {
            return known.clone();
        }
        if self.is_normal() {
            return self.clone();
        }
        let made = work_out();
        made.mark_normal();
        if !made.is_identical(self) {
            self.0.normal.get_or_init(|| made.clone());
        }
        made
    }

    /// What it is as a sum and a number, if that is known; else what works it out says it.
    pub fn linear_form(&self, work_out: impl FnOnce() -> (Terms, i64)) -> (Terms, i64) {
        if let Some(known) = self.0.linear.get() {
            return (**known).clone();
        }
        let made = work_out();
        // What holds itself would never be freed.
        if !made.0.iter().any(|(atom, _)| atom.is_identical(self)) {
            self.0.linear.get_or_init(|| Box::new(made.clone()));
        }
        made
    }

    /// Its text.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// An `int`.
    pub fn int(value: i64, span: Span) -> Expr {
        Expr::new(ExprKind::Constant(Constant::Int(value as u64 & 0xffff_ffff)), Element::Int32, span)
    }

    /// A variable.
    pub fn variable(variable: Variable, element: Element, span: Span) -> Expr {
        Expr::new(ExprKind::Variable(variable), element, span)
    }

    /// `a op b` on the type of a.
    pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let (element, span) = (a.element(), a.span().to(b.span()));
        Expr::new(ExprKind::Binary(op, a, b), element, span)
    }

    /// A comparison.
    pub fn compare(op: CompareOp, a: Expr, b: Expr) -> Expr {
        let span = a.span().to(b.span());
        Expr::new(ExprKind::Compare(op, a, b), Element::Bool, span)
    }

    /// `c ? a : b`
    pub fn conditional(c: Expr, a: Expr, b: Expr) -> Expr {
        let (element, span) = (a.element(), c.span());
        Expr::new(ExprKind::Conditional(c, a, b), element, span)
    }

    /// A built-in with the type of its first operand.
    pub fn builtin(builtin: LaneOp, operands: Vec<Expr>) -> Expr {
        let (element, span) = (operands[0].element(), operands[0].span());
        Expr::new(ExprKind::Builtin(builtin, operands), element, span)
    }

    /// A conversion of it.
    pub fn converted(self, element: Element) -> Expr {
        let span = self.span();
        Expr::new(ExprKind::Convert(self), element, span)
    }

    /// Another condition than it.
    pub fn negated(self) -> Expr {
        let span = self.span();
        Expr::new(ExprKind::Unary(UnaryOp::Not, self), Element::Bool, span)
    }

    /// The variable that it is.
    pub fn as_variable(&self) -> Option<Variable> {
        if let ExprKind::Variable(variable) = self.kind() { Some(*variable) } else { None }
    }

    /// a and b of `a && b`, and of its strict kind, `a & b` of conditions.
    pub fn as_conjunction(&self) -> Option<(&Expr, &Expr)> {
        let (ExprKind::And(a, b) | ExprKind::Binary(BinaryOp::BitAnd, a, b)) = self.kind() else { return None };
        (self.element() == Element::Bool).then_some((a, b))
    }

    /// a and b of `a || b`, and of its strict kind, `a | b` of conditions.
    pub fn as_disjunction(&self) -> Option<(&Expr, &Expr)> {
        let (ExprKind::Or(a, b) | ExprKind::Binary(BinaryOp::BitOr, a, b)) = self.kind() else { return None };
        (self.element() == Element::Bool).then_some((a, b))
    }

    /// What decides in it which of its other parts are evaluated.
    pub fn decider(&self) -> Option<&Expr> {
        let kind = self.kind();
        if let ExprKind::Conditional(c, ..) | ExprKind::And(c, _) | ExprKind::Or(c, _) = kind { Some(c) } else { None }
    }

    /// What it does to the values of its parts.
    pub fn form(&self) -> Form<'_> {
        match self.kind() {
            ExprKind::Variable(v) => Form::Variable(*v),
            ExprKind::Unary(UnaryOp::Negate, a) => Form::Negate(a),
            ExprKind::Unary(UnaryOp::Not, a) => Form::Not(a),
            ExprKind::Binary(op, a, b) => Form::Binary(*op, a, b),
            ExprKind::Builtin(op @ (LaneOp::Min | LaneOp::Max), list) => Form::Extremum(*op == LaneOp::Min, [&list[0], &list[1]]),
            ExprKind::Builtin(LaneOp::Abs, list) => Form::Abs(&list[0]),
            ExprKind::Builtin(LaneOp::Select, list) => Form::Choice(&list[0], &list[1], &list[2]),
            ExprKind::Conditional(c, a, b) => Form::Choice(c, a, b),
            ExprKind::Within(a, low, high, _) => Form::Within(a, [low, high]),
            ExprKind::Convert(a) => Form::Convert(a),
            ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => Form::Leaf,
            ExprKind::Builtin(..) | ExprKind::Call(..) | ExprKind::Read(..) => Form::Leaf,
            ExprKind::Constant(_) | ExprKind::Extremum(_) => Form::Leaf,
        }
    }

    /// Its parts.
    pub fn children(&self) -> Parts<'_> {
        children(self.kind())
    }

    /// The same with other parts; itself if they all stay.
    pub fn with_children(&self, change: impl FnMut(&Expr) -> Expr) -> Expr {
        let children = self.children();
        let made: SmallVec<[Expr; 3]> = children.iter().copied().map(change).collect();
        if made.iter().zip(&children).all(|(made, child)| made.is_identical(child)) {
            return self.clone();
        }
        let mut kind = self.kind().clone();
        let parts: SmallVec<[&mut Expr; 3]> = children!(&mut kind, iter_mut, mut);
        parts.into_iter().zip(made).for_each(|(part, made)| *part = made);
        Expr::new(kind, self.element(), self.span())
    }

    /// Visits the expression and its parts, outermost first.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        self.children().into_iter().for_each(|child| child.walk(visit));
    }

    /// The first of the expression and its parts, outermost first, of which this holds.
    pub fn find(&self, holds: &dyn Fn(&Expr) -> bool) -> Option<&Expr> {
        if holds(self) { Some(self) } else { self.children().into_iter().find_map(|child| child.find(holds)) }
    }

    /// Does it hold of the expression, or of one of its parts?
    pub fn any(&self, holds: &dyn Fn(&Expr) -> bool) -> bool {
        self.find(holds).is_some()
    }

    /// Visits what it reads: an image or a func, the indices, and where that is written.
    pub fn reads(&self, visit: &mut dyn FnMut(Source, &[Expr], Span)) {
        if !self.reads_or_calls() {
            return;
        }
        if let ExprKind::Read(source, indices) = self.kind() {
            visit(*source, indices, self.span());
        }
        self.children().into_iter().for_each(|child| child.reads(visit));
    }

    /// Does it read a func?
    pub fn reads_func(&self, func: FuncId) -> bool {
        let is_it = matches!(self.kind(), ExprKind::Read(Source::Func(read, _), _) if *read == func);
        self.reads_or_calls() && (is_it || self.children().into_iter().any(|child| child.reads_func(func)))
    }

    /// \[e/x\]: other expressions for variables that are free. They do not mention those that an extremum binds: these are
    /// variables of loops around it, and what is known outside of a loop does not depend on its variable.
    pub fn substitute(&self, replacement: &dyn Fn(Variable) -> Option<Expr>) -> Expr {
        let free = self.free_variables().iter();
        let known: Vec<(Variable, Expr)> = free.filter_map(|v| Some((*v, replacement(*v)?))).collect();
        self.substitute_all(&known)
    }

    /// The same for variables of a list.
    fn substitute_all(&self, known: &[(Variable, Expr)]) -> Expr {
        if known.is_empty() { self.clone() } else { Substitution { known, made: FxHashMap::default() }.of(self) }
    }

    /// Other funcs in the places of those that it reads.
    pub fn with_funcs(&self, number: &dyn Fn(FuncId) -> FuncId) -> Expr {
        let made = self.with_children(|child| child.with_funcs(number));
        let ExprKind::Read(Source::Func(id, component), indices) = made.kind() else { return made };
        let source = Source::Func(number(*id), *component);
        Expr::new(ExprKind::Read(source, indices.clone()), made.element(), made.span())
    }

    /// The same, without what is known of it and its parts.
    pub fn without_ranges(&self) -> Expr {
        self.without(&|_| true)
    }

    /// The same, without what is proven of it and its parts.
    pub fn without_proofs(&self) -> Expr {
        self.without(&|known| *known == Known::Proven)
    }

    fn without(&self, is_dropped: &impl Fn(&Known) -> bool) -> Expr {
        if let ExprKind::Within(e, .., known) = self.kind()
            && is_dropped(known)
        {
            return e.without(is_dropped);
        }
        if self.0.facts.has_ranges { self.with_children(|part| part.without(is_dropped)) } else { self.clone() }
    }

    /// Is something known of it or of a part of it by [`ExprKind::Within`]?
    pub fn has_ranges(&self) -> bool {
        self.0.facts.has_ranges
    }

    /// With the values of variables in their places, also of those that occur in values. None of them is made of itself.
    pub fn expanded(&self, value: &dyn Fn(Variable) -> Option<Expr>) -> Expr {
        let mut made = self.clone();
        while made.mentions(&|v| value(v).is_some()) {
            made = made.substitute(value);
        }
        made
    }

    /// Does a variable occur free in it?
    pub fn mentions(&self, holds: &dyn Fn(Variable) -> bool) -> bool {
        self.free_variables().iter().any(|v| holds(*v))
    }

    /// The variables that occur free in it, in order.
    pub fn free_variables(&self) -> &[Variable] {
        self.0.facts.free.as_deref().unwrap_or_default()
    }

    /// Does it read a func or an image, or call a function, which may take long?
    pub fn reads_or_calls(&self) -> bool {
        self.0.facts.reads_or_calls
    }

    /// Is it, or has it, the end of values over a range: a loop?
    pub fn has_extrema(&self) -> bool {
        self.0.facts.has_extrema
    }

    /// Are they the same but for their places in the text?
    pub fn is_same(&self, other: &Expr) -> bool {
        if self.is_identical(other) {
            return true;
        }
        if self.0.facts.hash != other.0.facts.hash {
            return false;
        }
        let heads = match self.kind() {
            ExprKind::Constant(a) => matches!(other.kind(), ExprKind::Constant(b) if a == b),
            ExprKind::Variable(a) => matches!(other.kind(), ExprKind::Variable(b) if a == b),
            ExprKind::Unary(a, _) => matches!(other.kind(), ExprKind::Unary(b, _) if a == b),
            ExprKind::Binary(a, ..) => matches!(other.kind(), ExprKind::Binary(b, ..) if a == b),
            ExprKind::Compare(a, ..) => matches!(other.kind(), ExprKind::Compare(b, ..) if a == b),
            ExprKind::Builtin(a, _) => matches!(other.kind(), ExprKind::Builtin(b, _) if a == b),
            ExprKind::Call(a, _) => matches!(other.kind(), ExprKind::Call(b, _) if a.function == b.function),
            ExprKind::Read(a, _) => matches!(other.kind(), ExprKind::Read(b, _) if a == b),
            ExprKind::Extremum(a) => {
                let is_it = |b: &Extremum| (a.is_min, a.variable, a.nothing) == (b.is_min, b.variable, b.nothing);
                matches!(other.kind(), ExprKind::Extremum(b) if is_it(b))
            }
            ExprKind::Within(.., a) => matches!(other.kind(), ExprKind::Within(.., b) if a == b),
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Conditional(..) | ExprKind::Convert(_) => {
                std::mem::discriminant(self.kind()) == std::mem::discriminant(other.kind())
            }
        };
        let (a, b) = (self.children(), other.children());
        heads && self.element() == other.element() && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
    }
}

/// Expressions for variables.
struct Substitution<'k> {
    known: &'k [(Variable, Expr)],
    /// What was made of parts that stand in several places: they are shared in the result, too.
    made: FxHashMap<*const Node, Expr>,
}

impl Substitution<'_> {
    fn of(&mut self, e: &Expr) -> Expr {
        let value = |v: Variable| self.known.iter().find(|(known, _)| *known == v).map(|(_, value)| value);
        if let ExprKind::Variable(variable) = e.kind() {
            return value(*variable).unwrap_or(e).clone();
        }
        if !e.mentions(&|v| value(v).is_some()) {
            return e.clone();
        }
        let is_shared = Rc::strong_count(&e.0) > 1;
        if is_shared && let Some(made) = self.made.get(&Rc::as_ptr(&e.0)) {
            return made.clone();
        }
        let made = if let ExprKind::Extremum(x) = e.kind() {
            let free: Vec<(Variable, Expr)> = self.known.iter().filter(|(v, _)| *v != x.variable).cloned().collect();
            let made = Extremum {
                low: self.of(&x.low),
                high: self.of(&x.high),
                otherwise: self.of(&x.otherwise),
                value: x.value.substitute_all(&free),
                condition: x.condition.as_ref().map(|c| c.substitute_all(&free)),
                ..**x
            };
            Expr::new(ExprKind::Extremum(Box::new(made)), e.element(), e.span())
        } else {
            e.with_children(|child| self.of(child))
        };
        if is_shared {
            self.made.insert(Rc::as_ptr(&e.0), made.clone());
        }
        made
    }
}

/// Up to their places in the text.
impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.is_same(other)
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.structure().hash(state);
    }
}

/// The terms of a sum: atoms with factors, most often no more than two.
pub type Terms = SmallVec<[(Expr, i64); 2]>;

/// The parts of an expression, most often no more than three.
pub type Parts<'e> = SmallVec<[&'e Expr; 3]>;

/// The parts of an expression of a kind.
pub(super) fn children(kind: &ExprKind) -> Parts<'_> {
    children!(kind, iter)
}
