//! What indices are computed of must not leave `int`: a start check, or data that may wrap.
//!
//! ```text
//! in(4 * x + p)              no check: right modulo 2³², and the window of `in` is checked in 64 bits
//! in(4 * x / 8)              check: 4 * f.min … 4 * f.max are `int`s
//! lut((7919 * a(x)) >> 20)   no check: of 7919 * a(x) only its type is known, as it may wrap
//! f(x) = x * x * x / 2       no check: a value
//! ```
//! Windows are worked out in ℤ, the machine computes modulo 2³². Sums, differences, products and bits are the same there. What
//! looks at the size of its operands — `/ %`, shifts to the right, `min max abs`, comparisons, conversions to longer types — is
//! not, unless they are `int`s. Which expressions count: the indices of reads and stores; conditions and predicates behind which
//! something is read or stored; `let`s of stages as far as they occur in these; ranges of reduction domains; the numbers of a
//! schedule. Others are values, and wrap.
//!
//! # Invariant
//! Wherever the engine takes an operand for what it is in ℤ, it cannot leave `int`, or its values are looked at when the pipeline
//! starts, or it is [`ExprKind::Within`] `int` for the engine: something of which only the type is known.

use super::super::expr::{Expr, ExprKind, Form, FuncId, Known, Source, Variable};
use super::super::limits::FAR;
use super::super::loops::ir::{BoundKind, Statement};
use super::super::loops::print;
use super::super::simplify::{constant_value, negated};
use super::accesses::Place;
use super::infer::Inference;
use super::names::LARGE;
use super::parts::Part;
use super::places::domains;
use super::range::{Interval, Scope, Solver, branches};
use super::size::is_modular;
use crate::typed::ir::{BinaryOp, CompareOp, LaneOp};
use crate::types::Element;
use std::cell::RefCell;

/// What must be an `int`, by its least and its greatest value, known before any work is done.
#[derive(Clone, Debug)]
pub struct Operands {
    /// The least and the greatest of them.
    pub ends: [Variable; 2],
    /// The func in which they are computed; without one, they are of the schedule.
    pub func: Option<FuncId>,
    /// What they are computed for: the index of a source in a dimension, or a condition.
    pub index: Option<(Source, usize)>,
    /// The access, or the expression in which they stand, and they themselves.
    pub texts: Vec<[String; 2]>,
}

/// The windows of a func inside of loops in a dimension, which must be near 0.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The func.
    pub func: FuncId,
    /// The dimension.
    pub dimension: usize,
    /// The least and the greatest coordinate.
    pub ends: [Variable; 2],
}

/// An operand in a value of a func, and its ends.
pub(super) type Trusted = (FuncId, Expr, (Expr, Expr));

/// What is asked of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    /// Nothing: it is a value.
    Value,
    /// That it is right modulo 2³².
    Modular,
    /// That it is what it is in ℤ.
    Whole,
}

/// Operands that are computed for one purpose.
struct Group {
    func: Option<FuncId>,
    index: Option<(Source, usize)>,
    parts: Vec<Part>,
    texts: Vec<[String; 2]>,
}

/// Where an expression stands.
#[derive(Clone)]
struct Context<'e> {
    func: Option<FuncId>,
    index: Option<(Source, usize)>,
    /// The index or the condition.
    whole: &'e Expr,
    place: Option<Place>,
}

/// A walk that collects operands.
struct Walk<'w> {
    /// The loops and the conditions around the expression at hand.
    scope: &'w mut Scope,
    groups: &'w mut Vec<Group>,
}

impl Inference<'_> {
    /// What an expression asks of its parts.
    fn demands(&self, e: &Expr, own: Demand) -> Vec<Demand> {
        let all = |demand: Demand| vec![demand; e.children().len()];
        if own == Demand::Value {
            return all(Demand::Value);
        }
        match e.kind() {
            ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::Extremum(_) => all(Demand::Value),
            ExprKind::Unary(..) => all(own.of_ring(e)),
            ExprKind::Binary(BinaryOp::Remainder, _, b) if constant_value(b).is_some_and(|n| n > 0 && n.count_ones() == 1) => {
                vec![Demand::Modular, Demand::Whole]
            }
            ExprKind::Binary(op, ..) if e.element() == Element::Bool || !is_modular(*op) => all(Demand::Whole),
            ExprKind::Binary(op, a, b) if self.is_wide(*op, a, b) => all(Demand::Whole),
            ExprKind::Binary(BinaryOp::ShiftLeft, ..) => vec![own.of_ring(e), Demand::Whole],
            ExprKind::Binary(..) => all(own.of_ring(e)),
            ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => all(Demand::Whole),
            ExprKind::Conditional(..) | ExprKind::Builtin(LaneOp::Select, _) => vec![Demand::Whole, own, own],
            ExprKind::Builtin(LaneOp::Min | LaneOp::Max | LaneOp::Abs, _) => all(Demand::Whole),
            ExprKind::Within(..) => vec![own, Demand::Value, Demand::Value],
            ExprKind::Convert(a) => vec![match (e.element(), a.element()) {
                (Element::Int64, Element::Int32) => own,
                _ if a.element().is_integer() => Demand::Modular,
                _ => Demand::Value,
            }],
            ExprKind::Builtin(..) | ExprKind::Call(..) | ExprKind::Read(..) => all(Demand::Value),
        }
    }

    /// An index or a condition as the engine may take it: operands that may wrap are data of which only the type is known.
    pub fn guarded(&self, e: &Expr) -> Expr {
        let own = if e.element() == Element::Bool { Demand::Whole } else { Demand::Modular };
        self.guarded_as(e, own, None)
    }

    /// The same of a value of a func, and what it is computed of that has to be an `int` wherever the bounds of this value count:
    /// what parameters decide about. The rest wraps.
    pub fn guarded_value(&self, e: &Expr) -> (Expr, Vec<Expr>) {
        let trusted = RefCell::default();
        let made = self.guarded_as(e, Demand::Whole, Some(&trusted));
        (made, trusted.into_inner())
    }

    fn guarded_as(&self, e: &Expr, own: Demand, trusted: Option<&RefCell<Vec<Expr>>>) -> Expr {
        let has_data = trusted.is_some() || e.reads_or_calls() || e.mentions(&|v| self.lets.contains_key(&v));
        if own == Demand::Value || !has_data || matches!(e.kind(), ExprKind::Read(..)) {
            return e.clone();
        }
        let mut demands = self.demands(e, own).into_iter();
        let made = e.with_children(|child| self.guarded_as(child, demands.next().expect("one for each"), trusted));
        if own != Demand::Whole || e.element() != Element::Int32 {
            return made;
        }
        let size = self.size(e);
        if !size.may_leave_int() || !size.is_data() && trusted.is_none() {
            return made;
        }
        if let Some(trusted) = trusted
            && !size.is_data()
            && !e.mentions(&|v| self.is_coordinate(v))
        {
            trusted.borrow_mut().push(made.clone());
            return made;
        }
        let end = |n: i32| Expr::int(n.into(), e.span());
        Expr::new(ExprKind::Within(made, end(i32::MIN), end(i32::MAX), Known::Proven), Element::Int32, e.span())
    }

    /// What has to be an `int` wherever it is computed, defined in the root block.
    pub fn operands(&self) -> Vec<Operands> {
        let mut groups: Vec<Group> = Vec::new();
        self.startup_operands(&mut groups);
        self.walk_block(None, &mut |statement, at, scope| {
            let Some(reader) = at.stage else { return true };
            let mut walk = Walk { scope, groups: &mut groups };
            let own = Source::Func(reader.func, 0);
            let mut collect = |e: &Expr, dimension: Option<usize>, demand, span| {
                let place = Some(Place { source: own, reader, span, block: None });
                let context = Context { func: Some(reader.func), index: dimension.map(|d| (own, d)), whole: e, place };
                self.collect(e, demand, &context, &mut walk);
            };
            if let Statement::Store(store) = statement {
                let indices = store.indices.iter().enumerate();
                indices.for_each(|(d, index)| collect(index, Some(d), Demand::Modular, store.span));
                store.values.iter().for_each(|value| collect(value, None, Demand::Value, store.span));
            } else if let Statement::If(condition, _) = statement
                && !self.is_of_schedule(condition)
            {
                collect(condition, None, Demand::Whole, condition.span());
            } else if let Statement::Let(variable, value, _) = statement
                && self.lets.contains_key(variable)
            {
                collect(value, None, Demand::Value, value.span());
            }
            true
        });
        for (func, operand, ends) in self.found.trusted.borrow().iter() {
            let context = Context { func: Some(*func), index: None, whole: operand, place: None };
            self.add_part(operand, Part::always(vec![ends.clone()]), &context, &mut groups);
        }
        let made = groups.into_iter().map(|group| {
            let (low, high) = self.ends(&group.parts, 0, self.pipeline.span);
            let ends = [low, high].map(|end| self.new_name(None, end));
            Operands { ends, func: group.func, index: group.index, texts: group.texts }
        });
        made.collect()
    }

    /// A condition that a split or a specialization has made?
    fn is_of_schedule(&self, condition: &Expr) -> bool {
        let is_guard = |guard: &Option<Expr>| guard.as_ref().is_some_and(|guard| guard.is_same(condition));
        self.nest.cases.iter().any(|case| case.is_same(condition)) || self.nest.splits.iter().any(|split| is_guard(&split.guard))
    }

    /// The ranges of reduction domains, and the numbers of the schedule.
    fn startup_operands(&self, groups: &mut Vec<Group>) {
        let mut collect = |e: &Expr, func: Option<FuncId>| {
            let context = Context { func, index: None, whole: e, place: None };
            self.collect(e, Demand::Whole, &context, &mut Walk { scope: &mut Scope::default(), groups: &mut *groups });
        };
        for (id, _, r) in domains(self.nest) {
            collect(&r.low, Some(id));
            collect(&r.high, Some(id));
        }
        let asserted = self.nest.bounds.iter().flat_map(|bound| match &bound.kind {
            BoundKind::Window { min: a, length: b } | BoundKind::Aligned { modulus: a, remainder: b } => vec![a, b],
            BoundKind::Extent(length) => vec![length],
        });
        self.nest.factors.iter().chain(&self.nest.cases).chain(asserted).for_each(|e| collect(e, None));
    }

    fn collect(&self, e: &Expr, own: Demand, at: &Context<'_>, walk: &mut Walk<'_>) {
        if own == Demand::Whole && e.element() == Element::Int32 {
            let size = self.size(e);
            if size.may_leave_int()
                && !size.is_data()
                && let Some(part) = self.values_of(e, at, walk)
            {
                self.add_part(e, part, at, walk.groups);
            }
        }
        let select = || match e.form() {
            Form::Choice(c, a, b) if own != Demand::Value => Some((c, vec![(Some(c.clone()), a), (negated(c), b)])),
            _ => None,
        };
        if let ExprKind::Variable(v) = e.kind() {
            if own != Demand::Value
                && let Some(value) = self.lets.get(v)
            {
                // As an operand it was looked at by name.
                let own = if value.element() == Element::Int32 { Demand::Modular } else { own };
                self.collect(value, own, at, walk);
            }
        } else if let ExprKind::Read(source, indices) = e.kind() {
            for (d, index) in indices.iter().enumerate() {
                let place = at.place.map(|place| Place { source: *source, span: e.span(), ..place });
                let at = Context { index: Some((*source, d)), whole: index, place, ..at.clone() };
                self.collect(index, Demand::Modular, &at, walk);
            }
        } else if let Some((c, parts)) = branches(e).or_else(select) {
            // What chooses between values counts only if it says what is read.
            let is_of_values = own == Demand::Value && !parts.iter().any(|(_, part)| part.reads_or_calls());
            let demand = if is_of_values { Demand::Value } else { Demand::Whole };
            let is_choice = matches!(e.kind(), ExprKind::Conditional(..));
            let of_condition = Context { whole: if is_choice && at.index.is_none() { c } else { at.whole }, ..at.clone() };
            self.collect(c, demand, &of_condition, walk);
            for (condition, part) in parts {
                let mark = walk.scope.mark();
                condition.into_iter().for_each(|condition| walk.scope.assume(self.guarded(&condition)));
                self.collect(part, own, at, walk);
                walk.scope.reset(mark);
            }
        } else {
            for (child, demand) in e.children().into_iter().zip(self.demands(e, own)) {
                self.collect(child, demand, at, walk);
            }
        }
    }

    /// The values of an operand join those that are computed for the same purpose.
    fn add_part(&self, e: &Expr, part: Part, at: &Context<'_>, groups: &mut Vec<Group>) {
        let (low, high) = &part.ends[0];
        if !self.size(low).may_leave_int() && !self.size(high).may_leave_int() {
            return;
        }
        let text = [at.whole, e].map(|e| print::expression(self.nest, e));
        let known = groups.iter().position(|group| group.func == at.func && group.index == at.index);
        let number = known.unwrap_or_else(|| {
            groups.push(Group { func: at.func, index: at.index, parts: Vec::new(), texts: Vec::new() });
            groups.len() - 1
        });
        let Group { parts, texts, .. } = &mut groups[number];
        if !parts.iter().any(|known| known.is_same(&part)) {
            parts.push(part);
        }
        if texts.len() < 4 && !texts.contains(&text) {
            texts.push(text);
        }
    }

    /// What an operand can be, where that is known on both sides. Where it is known on neither, the engine does not use it.
    fn values_of(&self, e: &Expr, at: &Context<'_>, walk: &Walk<'_>) -> Option<Part> {
        let Some(place) = at.place else {
            return Some(Part::always(vec![(e.clone(), e.clone())]));
        };
        let mut solver = Solver::new(walk.scope, self, Some(None));
        solver.enumerates = false;
        let Interval { low, high, .. } = solver.in_integers(&self.guarded(e));
        let is_used = low.is_some() || high.is_some();
        let Some(ends) = low.zip(high) else {
            if is_used {
                self.is_unbounded(place, at.index.map_or(0, |(_, d)| d), e);
            }
            return None;
        };
        let mut part = self.part_in(&solver, vec![ends], true);
        // Large conditions are those of many operands.
        let one_of = |c: &Expr| Expr::conditional(c.clone(), Expr::int(1, c.span()), Expr::int(0, c.span()));
        for c in part.conditions.iter_mut().filter(|c| c.size() >= LARGE) {
            *c = Expr::compare(CompareOp::NotEqual, self.named(None, &one_of(c)), Expr::int(0, c.span()));
        }
        Some(part)
    }

    /// The windows inside of loops that may be far from 0, as the root block sees them.
    pub fn reaches(&self) -> Vec<Reach> {
        let mut all = Vec::new();
        for (func, definition) in self.pipeline.numbered_funcs().filter(|(id, _)| !self.nest.absent.contains(id)) {
            let far: Vec<usize> = (0..definition.variables.len()).filter(|&d| self.may_be_far(func, d)).collect();
            if far.is_empty() {
                continue;
            }
            let productions = self.places[&func].productions.iter();
            let parts: Vec<Part> = productions.filter_map(|&block| self.first_window_by_name(block, func)).collect();
            for dimension in far {
                let (low, high) = self.ends(&parts, dimension, definition.span);
                let fits = |e: &Expr| constant_value(e).is_some_and(|n| n.abs() <= FAR);
                if fits(&low) && fits(&high) {
                    continue;
                }
                let ends = [low, high].map(|end| self.new_name(None, end));
                all.push(Reach { func, dimension, ends });
            }
        }
        all
    }
}

impl Demand {
    /// What the operands of a ring operator are asked for: of one that is long, as much as of itself.
    fn of_ring(self, e: &Expr) -> Demand {
        match (self, e.element()) {
            (Demand::Whole, Element::Int32) => Demand::Modular,
            (own, _) => own,
        }
    }
}
