//! Which values an integer expression takes while the variables of the loops around it range.
//!
//! ```text
//! x + dx,          x in [a, b], dx in [-1, 1]      [a - 1, b + 1]
//! min(x / 2, 99),  x in [a, b]                     [min(a / 2, 99), min(b / 2, 99)]
//! lut index clamp(in(x), 0, 255)                   [0, 255]
//! x,               x in [a, b], x < c              [a, min(b, c - 1)]
//! ```
//! Four steps, each for what the one before leaves:
//! 1. Terms of a sum that have no variable in common are looked at one by one.
//! 2. Where an expression rises or falls with each variable, its extremes are at corners of the box (here). Where it does so
//!    piece by piece, they are at ends of pieces (`pieces`).
//! 3. Interval arithmetic (`interval`, with `bits`) gives ends that contain every value. It notes where they are attained.
//!    What is read has the range of its type, or what clamps leave of it.
//! 4. Where they are perhaps not attained and no more than [`ENUMERATED`](super::super::limits::ENUMERATED) values are there, each
//!    is looked at: at once if they are known, else at the start of the program (`enumerate`).

use super::super::expr::{Expr, ExprKind, Form, Variable};
use super::super::limits::DISTANCE;
use super::super::loops::ir::{Block, Split};
use super::super::simplify::{Linear, constant_value, extremum, linear, minus, negated, offset, plus, simplify, truth};
use super::arithmetic::arithmetic;
use super::form::{Monotone, monotone, quotient};
use super::infer::Inference;
use super::interval::sum;
use crate::typed::ir::{BinaryOp, CompareOp, UnaryOp};
use crate::types::Element;
use smallvec::smallvec;
use std::cell::Cell;
use std::rc::Rc;

/// Both ends belong to it. `None`: unbounded.
#[derive(Clone, Debug, Default)]
pub struct Interval {
    /// The least value.
    pub low: Option<Expr>,
    /// The greatest value.
    pub high: Option<Expr>,
    /// Are both attained, whatever the variables outside are?
    pub is_exact: bool,
}

/// A variable that ranges.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// Of a loop: [low, high], in terms of what was bound before. `true`: it has an iteration.
    Loop(Variable, Expr, Expr, bool),
    /// Computed from what was bound before.
    Let(Variable, Expr),
    /// An end of a window, computed from what was bound before: inside of loops, a variable with a range of its own.
    Window(Variable, Expr),
    /// Computed as by `Let` from loops that partition an interval, which it ranges over where all of these range.
    Split(Expr, Split),
}

/// The variables that range, the outermost first, and what is known of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    bindings: Vec<Binding>,
    pub(super) conditions: Vec<Assumption>,
}

/// What holds behind some of the bindings of a scope.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Assumption {
    pub(super) condition: Expr,
    from: Condition,
    /// How many bindings stand in front of it.
    depth: usize,
}

/// Where a condition is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// The algorithm.
    Plain,
    /// The guard of a split, by the variable of the inner loop: it holds in one of its iterations.
    Guard(Variable),
    /// It chooses a copy of a func.
    Case,
}

impl Scope {
    /// With another variable.
    pub fn push(&mut self, binding: Binding) {
        self.bindings.push(binding);
    }

    /// Does the variable of a loop range?
    pub fn ranges(&self, variable: Variable) -> bool {
        self.bindings.iter().any(|binding| matches!(binding, Binding::Loop(v, ..) if *v == variable))
    }

    /// Takes back what came after a mark of [`Scope::mark`].
    pub fn reset(&mut self, mark: (usize, usize)) {
        self.bindings.truncate(mark.0);
        self.conditions.truncate(mark.1);
    }

    /// Where it is.
    pub fn mark(&self) -> (usize, usize) {
        (self.bindings.len(), self.conditions.len())
    }

    /// What an end of a window is here, if it is known.
    pub fn window(&self, variable: Variable) -> Option<&Expr> {
        self.bindings.iter().rev().find_map(|binding| match binding {
            Binding::Window(v, value) if *v == variable => Some(value),
            _ => None,
        })
    }

    /// What holds from here on.
    pub fn assume(&mut self, condition: Expr) {
        if let Some((a, b)) = condition.as_conjunction() {
            self.assume(a.clone());
            self.assume(b.clone());
        } else if let ExprKind::Unary(UnaryOp::Not, a) = condition.kind() {
            if let Some(opposite) = negated(a) {
                self.assume(opposite);
            }
        } else {
            self.add(condition, Condition::Plain);
        }
    }

    /// A variable is looked at only inside of its window.
    pub fn clip(&mut self, variable: Variable, low: Expr, high: Expr) {
        let x = Expr::variable(variable, Element::Int32, low.span());
        // Whatever its tail is, a split covers the window.
        let is_it = |binding: &&mut Binding| matches!(binding, Binding::Split(_, split) if split.variable == variable);
        if let Some(Binding::Split(_, split)) = self.bindings.iter_mut().rev().find(is_it) {
            (split.low, split.high) = (low.clone(), high.clone());
        }
        self.assume(Expr::compare(CompareOp::GreaterEqual, x.clone(), low));
        self.assume(Expr::compare(CompareOp::LessEqual, x, high));
    }

    /// What holds from here on, and where it is from.
    pub(super) fn add(&mut self, condition: Expr, from: Condition) {
        self.conditions.push(Assumption { condition, from, depth: self.bindings.len() });
    }
}

/// Parts of an expression, each with the condition under which it counts, as far as there is one that can be written.
pub type Parts<'e> = Vec<(Option<Expr>, &'e Expr)>;

/// What decides in an expression, and the parts that it decides about.
pub fn branches(e: &Expr) -> Option<(&Expr, Parts<'_>)> {
    let c = e.decider()?;
    let conditions = if matches!(e.kind(), ExprKind::Or(..)) { [negated(c), None] } else { [Some(c.clone()), negated(c)] };
    Some((c, conditions.into_iter().zip(e.children().into_iter().skip(1)).collect()))
}

/// A loop with its narrowed interval.
#[derive(Clone, Debug)]
pub(super) struct Ranging {
    pub variable: Variable,
    pub low: Expr,
    pub high: Expr,
    /// Is it known to have a value, for each value of the loops around?
    is_inhabited: bool,
    /// May it be far below or above these ends, since it is an end of a window that may be empty?
    pub may_be_far: [bool; 2],
}

/// What a scope says, once its `let`s are replaced and its conditions have narrowed its loops.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The outermost first.
    pub(super) loops: Vec<Ranging>,
    /// `let`s in terms of loops and what is outside.
    pub(super) lets: Vec<(Variable, Expr)>,
    /// What holds and does not just narrow a loop.
    pub(super) conditions: Vec<Expr>,
    /// The conditions under which these copies of funcs run.
    pub(super) cases: Vec<Expr>,
    /// The inner loops of splits that are outside, or of which a part is: in some of their iterations nothing passes the guard.
    pub(super) unpassed: Vec<Variable>,
}

/// So many scopes that were read are kept.
const KEPT: usize = 8;

/// A scope that was read in terms of a block.
pub(super) struct Solved {
    block: Option<Block>,
    scope: Scope,
    /// What is known in front of each binding and the conditions there, in front of the conditions behind the last one, and at the end.
    steps: Vec<Rc<Known>>,
}

impl Solved {
    /// The last of its steps that another scope has, too.
    fn common(&self, scope: &Scope) -> usize {
        let (own, other) = (&self.scope, scope);
        let bindings = own.bindings.iter().zip(&other.bindings).take_while(|(a, b)| a == b).count();
        let conditions = own.conditions.iter().zip(&other.conditions).take_while(|(a, b)| a == b).count();
        if bindings == own.bindings.len() && own.mark() == other.mark() && conditions == own.conditions.len() {
            return bindings + 1;
        }
        // The first condition that is another one stands behind so many bindings.
        let behind = [own, other].into_iter().filter_map(|scope| scope.conditions.get(conditions)).map(|a| a.depth);
        behind.fold(bindings, usize::min)
    }
}

/// A scope that can be asked.
pub(super) struct Solver<'r> {
    pub(super) known: Known,
    /// What is known of reads, and the names of large ends.
    pub(super) inference: &'r Inference<'r>,
    /// In terms of which block its answers are; of none, if they are in terms of what nobody names.
    block: Option<Block>,
    /// May the answer look at each value of a variable when the program runs? Of windows that are computed once.
    pub(super) enumerates: bool,
    /// Did a condition take values away, perhaps all of them?
    pub(super) is_clipped: Cell<bool>,
}

impl<'r> Solver<'r> {
    /// The same loops, for a part of an expression.
    pub(super) fn inner(&self) -> Solver<'r> {
        let known = Known { loops: self.known.loops.clone(), ..Known::default() };
        Solver { known, enumerates: false, is_clipped: Cell::new(false), ..*self }
    }

    /// A scope ready to answer in terms of a block. Most scopes begin as others do that were read before: what these say as far as
    /// they are the same is not worked out again.
    pub(super) fn new(scope: &Scope, inference: &'r Inference<'r>, block: Option<Block>) -> Solver<'r> {
        let known = Known::default();
        let mut this = Solver { known, inference, block, enumerates: block == Some(None), is_clipped: Cell::new(false) };
        let mut steps = Vec::new();
        let solved = inference.found.solved.borrow();
        let alike = solved.iter().filter(|solved| solved.block == block).map(|solved| (solved.common(scope), solved));
        if let Some((common, solved)) = alike.max_by_key(|(common, _)| *common) {
            this.known = (*solved.steps[common]).clone();
            if common > scope.bindings.len() {
                return this;
            }
            steps.extend_from_slice(&solved.steps[..common]);
        }
        // To read a scope, others may have to be.
        drop(solved);
        this.read(scope, &mut steps);
        let mut solved = inference.found.solved.borrow_mut();
        solved.truncate(KEPT - 1);
        solved.insert(0, Solved { block, scope: scope.clone(), steps });
        this
    }

    /// Reads what a scope has behind so many steps, which are known, and adds those that it takes.
    fn read(&mut self, scope: &Scope, steps: &mut Vec<Rc<Known>>) {
        // A split whose loops all range stands for its whole interval. Its loops are not looked at then.
        let first = steps.len();
        let mut assumptions = scope.conditions.iter().skip_while(|a| a.depth < first).peekable();
        for (depth, binding) in scope.bindings.iter().enumerate().skip(first) {
            steps.push(Rc::new(self.known.clone()));
            // A window behind a guard is that of the iterations that pass.
            while let Some(assumption) = assumptions.next_if(|a| a.depth <= depth) {
                self.assume(assumption);
            }
            let ranging = |variable: Variable, low: &Expr, high: &Expr, is_inhabited| {
                let [low, high] = [low, high].map(|end| self.resolved(end));
                Ranging { variable, low, high, is_inhabited, may_be_far: [false; 2] }
            };
            match binding {
                Binding::Loop(variable, low, high, is_inhabited) => {
                    self.known.loops.push(ranging(*variable, low, high, *is_inhabited));
                }
                Binding::Let(variable, value) => self.known.lets.push((*variable, self.resolved(value))),
                Binding::Window(variable, value) => {
                    // In terms of what it was computed from, windows of windows would grow beyond all measure.
                    let value = simplify(&self.resolved(value));
                    if !value.mentions(&|v| self.ranges(v)) {
                        // It is in terms of what is outside.
                        self.known.lets.push((*variable, self.named(value)));
                    } else if let Interval { low: Some(low), high: Some(high), .. } = self.bounds(&value) {
                        let may_be_far = [false, true].map(|up| self.may_be_far(&value, up));
                        self.known.loops.push(Ranging { variable: *variable, low, high, is_inhabited: true, may_be_far });
                    } else {
                        self.known.lets.push((*variable, value));
                    }
                }
                Binding::Split(_, Split { variable, low, high, parts, .. }) if parts.iter().all(|part| self.ranges(*part)) => {
                    // It has a value where its loops have iterations, and these say so themselves.
                    self.known.loops.push(ranging(*variable, low, high, true));
                }
                Binding::Split(value, split) => self.known.lets.push((split.variable, self.resolved(value))),
            }
        }
        steps.push(Rc::new(self.known.clone()));
        assumptions.for_each(|assumption| self.assume(assumption));
        steps.push(Rc::new(self.known.clone()));
    }

    fn assume(&mut self, Assumption { condition, from, depth: _ }: &Assumption) {
        if *from == Condition::Case {
            self.known.cases.push(condition.clone());
            return;
        }
        let is_guard = matches!(from, Condition::Guard(_));
        if let Condition::Guard(inner) = from
            && !self.ranges(*inner)
            && !self.known.unpassed.contains(inner)
        {
            self.known.unpassed.push(*inner);
        }
        let resolved = self.resolved(condition);
        let condition = simplify(&resolved);
        if !self.narrow(&condition, is_guard) && !is_guard && truth(&condition) != Some(true) {
            self.known.conditions.push(resolved);
        }
    }

    /// An expression in terms of what is outside of the scope, by name where it is large.
    fn named(&self, e: Expr) -> Expr {
        self.block.map_or(e.clone(), |block| self.inference.named(block, &e))
    }

    /// The loop of a variable that ranges: of those with the same one, the innermost.
    pub fn ranging(&self, variable: Variable) -> Option<&Ranging> {
        self.known.loops.iter().rev().find(|l| l.variable == variable)
    }

    /// Does a variable range?
    pub fn ranges(&self, variable: Variable) -> bool {
        self.ranging(variable).is_some()
    }

    /// With `let`s replaced.
    pub(super) fn resolved(&self, e: &Expr) -> Expr {
        e.substitute(&|v| self.known.lets.iter().rev().find(|(known, _)| *known == v).map(|(_, e)| e.clone()))
    }

    /// Narrows the intervals of loops by a comparison in which their variables stand linearly. Does that say all of it?
    pub(super) fn narrow(&mut self, condition: &Expr, is_guard: bool) -> bool {
        let ExprKind::Compare(op, a, b) = condition.kind() else { return false };
        if a.element() != Element::Int32 {
            return false;
        }
        let bounds: &[(bool, i64)] = match op {
            // a − b ≤ −1, a − b ≤ 0, …; `true`: of b − a.
            CompareOp::Less => &[(false, -1)],
            CompareOp::LessEqual => &[(false, 0)],
            CompareOp::Greater => &[(true, -1)],
            CompareOp::GreaterEqual => &[(true, 0)],
            CompareOp::Equal => &[(false, 0), (true, 0)],
            CompareOp::NotEqual => return false,
        };
        for &(swapped, most) in bounds {
            let sum = if swapped { minus(b, a) } else { minus(a, b) };
            let (sum, most) = self.undivided(&sum, most).unwrap_or((sum, most));
            for at in 0..self.known.loops.len() {
                self.narrow_by(at, &sum, most, is_guard);
            }
        }
        let form = linear(&minus(a, b));
        let ranging: Vec<&(Expr, i64)> = form.terms.iter().filter(|(atom, _)| !self.ranging_in(atom).is_empty()).collect();
        matches!(ranging[..], [(atom, _)] if matches!(atom.kind(), ExprKind::Variable(_)))
    }

    /// sum ≤ most without the quotient that is all in it that ranges: r + ⌊a / n⌋ ≤ m as n · r + a ≤ n · m + n − 1, and r − ⌊a / n⌋ ≤ m as
    /// n · r − a ≤ n · m. Of windows that are computed once, in 64 bits: n · r need not be an `int`.
    fn undivided(&self, sum: &Expr, most: i64) -> Option<(Expr, i64)> {
        if self.block != Some(None) {
            return None;
        }
        let divided = |atom: &Expr, c: i64| {
            let (a, n) = quotient(atom).filter(|(a, _)| c.abs() == 1 && !self.ranging_in(a).is_empty())?;
            Some((a.clone(), n, c))
        };
        let ((a, n, c), rest) = without_term(&linear(sum), divided)?;
        let rest = Some(rest.to_expr(sum.span())).filter(|rest| self.ranging_in(rest).is_empty())?;
        let times = |e: Expr, factor: i64| Expr::binary(BinaryOp::Multiply, e, Expr::int(factor, sum.span()));
        let whole = simplify(&Expr::binary(BinaryOp::Add, times(rest, n), times(a, c)));
        let most = n.checked_mul(most)?.checked_add(if c > 0 { n - 1 } else { 0 }).filter(|most| most.abs() <= DISTANCE)?;
        self.undivided(&whole, most).or(Some((whole, most)))
    }

    /// sum ≤ most, for the loop at an index.
    fn narrow_by(&mut self, at: usize, sum: &Expr, most: i64, is_guard: bool) {
        let variable = self.known.loops[at].variable;
        let is_own = |atom: &Expr, factor| (atom.as_variable() == Some(variable)).then_some(factor);
        let Some((factor, rest)) = without_term(&linear(sum), is_own) else { return };
        let span = sum.span();
        let rest = rest.to_expr(span);
        // What is inside of this loop, or was narrowed itself, must not occur.
        if rest.mentions(&|v| self.known.loops[at..].iter().any(|l| l.variable == v)) {
            return;
        }
        // factor · v ≤ most − rest, or v ≥ (rest − most) / |factor|, rounded up.
        let right = minus(&Expr::int(most, span), &rest);
        let size = factor.abs();
        let l = &mut self.known.loops[at];
        let (end, right) = match factor > 0 {
            true => (&mut l.high, right),
            false => (&mut l.low, minus(&Expr::int(size - 1, span), &right)),
        };
        let bound = simplify(&Expr::binary(BinaryOp::Divide, right, Expr::int(size, span)));
        let narrowed = extremum(factor > 0, &[end.clone(), bound]);
        l.is_inhabited &= is_guard || narrowed == *end;
        *end = narrowed;
    }

    /// When does any iteration run? The conditions that are not known to hold, in terms of what is outside; and whether
    /// they are all: that of an inner loop may hold for some values of an outer one. If it does for any, then the greatest of its
    /// ends is no less than the least, which is a condition if one asks for it.
    pub fn inhabited(&self, asks_ends: bool) -> (Vec<Expr>, bool) {
        let mut conditions: Vec<Expr> = Vec::new();
        let mut is_sure = !self.is_clipped.get();
        let mut add = |c: Expr| {
            if !conditions.contains(&c) {
                conditions.push(c);
            }
        };
        let at_least = |a: Expr, b: Expr| Expr::compare(CompareOp::GreaterEqual, a, b);
        for l in self.known.loops.iter().filter(|l| !l.is_inhabited) {
            let mut condition = at_least(minus(&l.high, &l.low), Expr::int(0, l.high.span()));
            let is_inside = condition.mentions(&|v| self.ranges(v));
            if is_inside && truth(&condition) != Some(true) {
                is_sure = false;
                let (true, Some(low), Some(high)) = (asks_ends, self.bounds(&l.low).low, self.bounds(&l.high).high) else {
                    continue;
                };
                // Without a difference: ends of what is empty are as far from 0 as an `int` is.
                condition = at_least(high, low);
            }
            if truth(&condition) != Some(true) {
                add(condition);
            }
        }
        // What is known at the beginning decides for all of it.
        let fixed = self.known.conditions.iter().filter(|c| !c.reads_or_calls() && self.ranging_in(c).is_empty()).map(simplify);
        fixed.filter(|c| self.enumerates || truth(c) == Some(false)).for_each(add);
        (conditions, is_sure)
    }

    /// The values of an expression.
    pub fn range(&self, e: &Expr) -> Interval {
        let resolved = self.resolved(e);
        let parts = self.independent(&simplify(&arithmetic(&resolved)));
        let of = |part: &Expr, written: &Expr| {
            let closed = self.bounds(part);
            self.enumerated(written, &closed).unwrap_or(closed)
        };
        // What wraps does so in the expression as it is written.
        if parts.iter().filter(|part| !self.ranging_in(part).is_empty()).count() == 1 {
            return of(&parts.into_iter().reduce(|a, b| plus(&a, &b)).expect("a part"), &resolved);
        }
        parts.iter().map(|part| of(part, part)).reduce(|a, b| sum(&a, &b)).expect("a part")
    }

    /// The values that an expression has in ℤ. None of them is looked at: the machine would wrap it.
    pub fn in_integers(&self, e: &Expr) -> Interval {
        self.bounds(&simplify(&arithmetic(&self.resolved(e))))
    }

    /// A closed form for the values of an expression.
    pub(super) fn bounds(&self, e: &Expr) -> Interval {
        let parts = self.independent(e);
        parts.iter().map(|part| self.bounds_of(part)).reduce(|a, b| sum(&a, &b)).expect("a part")
    }

    fn bounds_of(&self, e: &Expr) -> Interval {
        let Interval { low, high, is_exact } = self.bounds_of_part(e);
        Interval { low: low.map(|low| self.named(low)), high: high.map(|high| self.named(high)), is_exact }
    }

    fn bounds_of_part(&self, e: &Expr) -> Interval {
        if has_unknown(e) {
            return self.by_parts(e);
        }
        let corners = [true, false].map(|is_low| self.towards_corner(e, is_low));
        let [low, high] = corners.clone().map(|(at, is_reached)| is_reached.then_some(at));
        if low.is_some() && high.is_some() {
            return Interval { low, high, is_exact: true };
        }
        if let [at] = self.ranging_in(e)[..]
            && !e.reads_or_calls()
            && let Some(pieces) = self.piecewise(e, &self.known.loops[at])
        {
            return pieces;
        }
        // Where it is monotone in the inner loops alone it may be rounded up in the others.
        let [below, above] = corners.map(|(at, _)| self.unrounded(&at).unwrap_or_default());
        let (low, high) = (low.or(below.low), high.or(above.high));
        if low.is_some() && high.is_some() {
            return Interval { low, high, is_exact: false };
        }
        let by_parts = self.by_parts(e);
        Interval { low: low.or(by_parts.low), high: high.or(by_parts.high), is_exact: by_parts.is_exact }
    }

    /// What is rounded up from a window that moves, as that window and n − 1 more: r + n · ⌊a / n⌋ is in [r + a − n + 1, r + a], and
    /// in the sum r and a lose what they have in common. By parts each of them would go as far as it can.
    fn unrounded(&self, e: &Expr) -> Option<Interval> {
        let rounded = |atom: &Expr, c: i64| {
            let (a, n) = quotient(atom).filter(|(a, n)| c % n == 0 && !self.ranging_in(a).is_empty())?;
            Some((a.clone(), n, c / n))
        };
        let ((a, n, times), rest) = without_term(&linear(e), rounded)?;
        let times_a = simplify(&Expr::binary(BinaryOp::Multiply, a, Expr::int(times, e.span())));
        let sum = plus(&rest.to_expr(e.span()), &times_a);
        if linear(&sum).terms.len() >= rest.terms.len() + linear(&times_a).terms.len() {
            return None;
        }
        let Interval { low, high, is_exact: _ } = self.bounds(&sum);
        let below = times.checked_mul(n - 1)?;
        let [low, high] = [offset(&low?, -below.max(0)), offset(&high?, -below.min(0))];
        Some(Interval { low: Some(low), high: Some(high), is_exact: false })
    }

    /// The loops whose variables decide about an expression: those in it, and those on which their ends depend.
    pub(super) fn ranging_in(&self, e: &Expr) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for (at, l) in self.known.loops.iter().enumerate().rev() {
            let own = |e: &Expr| e.mentions(&|v| v == l.variable);
            let is_below = |&inner: &usize| own(&self.known.loops[inner].low) || own(&self.known.loops[inner].high);
            // Of loops with the same variable the innermost one is meant.
            let is_hidden = found.iter().any(|&inner| self.known.loops[inner].variable == l.variable);
            if !is_hidden && (own(e) || found.iter().any(is_below)) {
                found.push(at);
            }
        }
        found.reverse();
        found
    }

    /// The sums of the terms that have variables in common, each by itself.
    fn independent(&self, e: &Expr) -> Vec<Expr> {
        if e.element() != Element::Int32 {
            return vec![e.clone()];
        }
        let form = linear(e);
        let mut groups: Vec<(Vec<usize>, Linear)> = Vec::new();
        for (atom, c) in &form.terms {
            let mut ranging = self.ranging_in(atom);
            let mut together = Linear { terms: smallvec![(atom.clone(), *c)], constant: 0 };
            let is_apart = |(known, _): &(Vec<usize>, Linear)| {
                if ranging.is_empty() { !known.is_empty() } else { known.iter().all(|at| !ranging.contains(at)) }
            };
            let (apart, shared): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_apart);
            groups = apart;
            for (known, sum) in shared.into_iter().rev() {
                ranging.extend(known);
                together.terms.insert_many(0, sum.terms);
            }
            groups.push((ranging, together));
        }
        match &mut groups[..] {
            [] | [_] => vec![e.clone()],
            [.., (_, last)] => {
                last.constant = form.constant;
                groups.into_iter().map(|(_, sum)| simplify(&sum.to_expr(e.span()))).collect()
            }
        }
    }

    /// The least (greatest) value where the expression is monotone in each loop variable and reads nothing.
    pub(super) fn corner(&self, e: &Expr, is_low: bool) -> Option<Expr> {
        let (at, is_reached) = self.towards_corner(e, is_low);
        is_reached.then_some(at)
    }

    /// The least (greatest) value by the inner loops, as far as the expression is monotone in their variables; and whether it is in
    /// all of them.
    fn towards_corner(&self, e: &Expr, is_low: bool) -> (Expr, bool) {
        if e.element() != Element::Int32 || e.reads_or_calls() {
            return (e.clone(), false);
        }
        let mut at = distributed(e);
        for l in self.known.loops.iter().rev() {
            let end = match monotone(&at, &|v| if v == l.variable { Monotone::Rising } else { Monotone::Constant }) {
                Monotone::Constant if !at.mentions(&|v| v == l.variable) => continue,
                // 0 · v is the same for all of them.
                Monotone::Constant => &l.low,
                Monotone::Rising if is_low => &l.low,
                Monotone::Falling if !is_low => &l.low,
                Monotone::Rising | Monotone::Falling => &l.high,
                Monotone::Unknown => return (at, false),
            };
            at = distributed(&simplify(&at.substitute(&|v| (v == l.variable).then(|| end.clone()))));
        }
        (at, true)
    }
}

/// r + min(a, b) as min(r + a, r + b), so that what a variable does on both sides of the sum is seen; the same of operands of an
/// extremum.
pub fn distributed(e: &Expr) -> Expr {
    let found = without_term(&linear(e), |atom, c| match atom.form() {
        Form::Extremum(is_min, operands) if c == 1 => Some((is_min, operands.map(Expr::clone))),
        _ => None,
    });
    let Some(((is_min, operands), rest)) = found else { return e.clone() };
    let rest = rest.to_expr(e.span());
    extremum(is_min, &operands.map(|operand| distributed(&plus(&rest, &operand))))
}

/// The first term of a sum of which something is known, without its factor, and the rest of the sum.
pub(super) fn without_term<T>(sum: &Linear, known: impl Fn(&Expr, i64) -> Option<T>) -> Option<(T, Linear)> {
    let (at, found) = sum.terms.iter().enumerate().find_map(|(at, (atom, c))| Some((at, known(atom, *c)?)))?;
    let mut rest = sum.clone();
    rest.terms.remove(at);
    Some((found, rest))
}

/// Of which no more is known than that it is an `int`.
pub(super) fn is_unknown(e: &Expr) -> bool {
    let ExprKind::Within(_, low, high, _) = e.kind() else { return false };
    constant_value(low) == Some(i32::MIN.into()) && constant_value(high) == Some(i32::MAX.into())
}

/// Has it a part of which no more is known?
pub(super) fn has_unknown(e: &Expr) -> bool {
    e.has_ranges() && (is_unknown(e) || e.children().into_iter().any(has_unknown))
}
