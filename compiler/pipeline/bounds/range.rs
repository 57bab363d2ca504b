//! Which values an integer expression takes while the variables of the loops around it range.
//!
//! ```text
//! x + dx,          x in [a, b], dx in [-1, 1]      [a - 1, b + 1]
//! min(x / 2, 99),  x in [a, b]                     [min(a / 2, 99), min(b / 2, 99)]
//! lut index clamp(in(x), 0, 255)                   [0, 255]
//! x,               x in [a, b], x < c              [a, min(b, c - 1)]
//! ```
//! Where an expression rises or falls with each variable, its extrema are at corners of the box, and the result is exact.
//! Elsewhere interval arithmetic gives a result that contains every value; values that are read have the range of their type,
//! or what clamps leave of it.

use super::super::expr::{Expr, ExprKind, Source, Variable};
use super::super::loops::ir::Split;
use super::infer::FAR;
use super::simplify::{constant_value, difference, extremum, linear, minus, offset, plus, simplify, truth};
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, Builtin, CompareOp, Constant, UnaryOp};
use crate::types::Element;

/// Both ends belong to it. `None`: unbounded.
#[derive(Clone, Debug, Default)]
pub struct Interval {
    /// The least value.
    pub low: Option<Expr>,
    /// The greatest value.
    pub high: Option<Expr>,
}

/// A variable that ranges.
#[derive(Clone, Debug)]
pub enum Binding {
    /// Of a loop: [low, high], in terms of what was bound before. `true`: it has an iteration.
    Loop(Variable, Expr, Expr, bool),
    /// Computed from what was bound before.
    Let(Variable, Expr),
    /// Computed as by `Let` from loops that partition an interval, which it ranges over where all of these range.
    Split(Expr, Split),
}

/// The variables that range, the outermost first, and what is known of them.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    bindings: Vec<Binding>,
    conditions: Vec<(Expr, Condition)>,
}

/// Where a condition is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// The algorithm.
    Plain,
    /// The guard of a split.
    Guard,
    /// It chooses a copy of a func.
    Case,
}

/// The values that reads can have, if they are known.
pub type ValueRange<'r> = &'r dyn Fn(Source) -> Option<(i64, i64)>;

impl Scope {
    /// With another variable.
    pub fn push(&mut self, binding: Binding) {
        self.bindings.push(binding);
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

    /// What holds from here on.
    pub fn assume(&mut self, condition: Expr) {
        match condition.kind() {
            ExprKind::And(a, b) => {
                self.assume(a.clone());
                self.assume(b.clone());
            }
            // `&` of comparisons, the strict kind.
            ExprKind::Binary(BinaryOp::BitAnd, a, b) if condition.element() == Element::Bool => {
                self.assume(a.clone());
                self.assume(b.clone());
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                if let Some(opposite) = negated(a) {
                    self.assume(opposite);
                }
            }
            _ => self.conditions.push((condition, Condition::Plain)),
        }
    }

    /// The guard of a split holds from here on.
    pub fn assume_guard(&mut self, condition: Expr) {
        self.conditions.push((condition, Condition::Guard));
    }

    /// The copy of a func that this condition chooses runs from here on.
    pub fn assume_case(&mut self, condition: Expr) {
        self.conditions.push((condition, Condition::Case));
    }

    /// Are all of these variables known here?
    pub fn binds(&self, variables: &[Variable]) -> bool {
        variables.iter().all(|v| {
            self.bindings.iter().any(|binding| match binding {
                Binding::Loop(known, ..) | Binding::Let(known, _) => known == v,
                Binding::Split(_, split) => split.variable == *v,
            })
        })
    }

    /// Ready to answer: `let`s are replaced, conditions narrow the loops.
    pub fn solve<'r>(&self, values: ValueRange<'r>) -> Solver<'r> {
        Solver::new(self, values)
    }
}

/// The opposite of a comparison, or of an `||` of such.
pub fn negated(e: &Expr) -> Option<Expr> {
    match e.kind() {
        ExprKind::Compare(op, a, b) if a.element() == Element::Int32 => {
            let op = match op {
                CompareOp::Equal => CompareOp::NotEqual,
                CompareOp::NotEqual => CompareOp::Equal,
                CompareOp::Less => CompareOp::GreaterEqual,
                CompareOp::LessEqual => CompareOp::Greater,
                CompareOp::Greater => CompareOp::LessEqual,
                CompareOp::GreaterEqual => CompareOp::Less,
            };
            Some(Expr::compare(op, a.clone(), b.clone()))
        }
        ExprKind::Or(a, b) => {
            let (a, b) = (negated(a)?, negated(b)?);
            Some(Expr::new(ExprKind::And(a, b), Element::Bool, e.span()))
        }
        ExprKind::Unary(UnaryOp::Not, a) => Some(a.clone()),
        _ => None,
    }
}

/// A loop with its narrowed interval.
#[derive(Clone, Debug)]
struct Ranging {
    variable: Variable,
    low: Expr,
    high: Expr,
    /// Is it known to have a value, for each value of the loops around?
    is_inhabited: bool,
}

/// How an expression changes with a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Monotone {
    Constant,
    Rising,
    Falling,
    Unknown,
}

impl Monotone {
    fn flip(self) -> Monotone {
        match self {
            Monotone::Rising => Monotone::Falling,
            Monotone::Falling => Monotone::Rising,
            Monotone::Constant | Monotone::Unknown => self,
        }
    }

    fn with(self, other: Monotone) -> Monotone {
        match (self, other) {
            (Monotone::Constant, x) | (x, Monotone::Constant) => x,
            (a, b) if a == b => a,
            _ => Monotone::Unknown,
        }
    }
}

/// A scope that can be asked.
pub struct Solver<'r> {
    /// The outermost first.
    loops: Vec<Ranging>,
    /// `let`s in terms of loops and what is outside.
    lets: Vec<(Variable, Expr)>,
    /// The conditions under which these copies of funcs run.
    cases: Vec<Expr>,
    values: ValueRange<'r>,
}

impl<'r> Solver<'r> {
    fn new(scope: &Scope, values: ValueRange<'r>) -> Solver<'r> {
        let mut this = Solver { loops: Vec::new(), lets: Vec::new(), cases: Vec::new(), values };
        // A split whose loops all range stands for its whole interval. Its loops are not looked at then.
        for binding in &scope.bindings {
            match binding {
                Binding::Loop(variable, low, high, is_inhabited) => {
                    let (low, high) = (this.resolved(low), this.resolved(high));
                    let (variable, is_inhabited) = (*variable, *is_inhabited);
                    this.loops.push(Ranging { variable, low, high, is_inhabited });
                }
                Binding::Let(variable, value) => {
                    let value = this.resolved(value);
                    this.lets.push((*variable, value));
                }
                Binding::Split(value, split) => {
                    let (value, variable) = (this.resolved(value), split.variable);
                    if this.covers_split(split) {
                        let (low, high) = (this.resolved(&split.low), this.resolved(&split.high));
                        // It has a value where its loops have iterations, and these say so themselves.
                        this.loops.push(Ranging { variable, low, high, is_inhabited: true });
                    } else {
                        this.lets.push((variable, value));
                    }
                }
            }
        }
        for (condition, from) in &scope.conditions {
            if *from == Condition::Case {
                this.cases.push(condition.clone());
                continue;
            }
            let condition = simplify(&this.resolved(condition));
            this.narrow(&condition, *from == Condition::Guard);
        }
        this
    }

    /// Do all variables of the split range, as loops or as splits of their own?
    fn covers_split(&self, split: &Split) -> bool {
        split.parts.iter().all(|part| self.loops.iter().any(|l| l.variable == *part))
    }

    /// With `let`s replaced.
    fn resolved(&self, e: &Expr) -> Expr {
        e.substitute(&|v| self.lets.iter().rev().find(|(known, _)| *known == v).map(|(_, e)| e.clone()))
    }

    /// Narrows the interval of a loop by a comparison in which its variable stands linearly.
    fn narrow(&mut self, condition: &Expr, is_guard: bool) {
        let ExprKind::Compare(op, a, b) = condition.kind() else { return };
        if a.element() != Element::Int32 {
            return;
        }
        let bounds: &[(bool, i64)] = match op {
            // a − b ≤ −1, a − b ≤ 0, …; `true`: of b − a.
            CompareOp::Less => &[(false, -1)],
            CompareOp::LessEqual => &[(false, 0)],
            CompareOp::Greater => &[(true, -1)],
            CompareOp::GreaterEqual => &[(true, 0)],
            CompareOp::Equal => &[(false, 0), (true, 0)],
            CompareOp::NotEqual => return,
        };
        for &(swapped, most) in bounds {
            let sum = if swapped { minus(b, a) } else { minus(a, b) };
            for at in 0..self.loops.len() {
                self.narrow_by(at, &sum, most, is_guard);
            }
        }
    }

    /// sum ≤ most, for the loop at an index.
    fn narrow_by(&mut self, at: usize, sum: &Expr, most: i64, is_guard: bool) {
        let variable = self.loops[at].variable;
        let form = linear(sum);
        let own = form.terms.iter().position(|(e, _)| matches!(e.kind(), ExprKind::Variable(v) if *v == variable));
        let Some(own) = own else { return };
        let factor = form.terms[own].1;
        let mut rest = form.clone();
        rest.terms.remove(own);
        let span = sum.span();
        let rest = rest.to_expr(span);
        // What is inside of this loop, or was narrowed itself, must not occur.
        let inner: Vec<Variable> = self.loops[at..].iter().map(|l| l.variable).collect();
        if rest.mentions(&|v| inner.contains(&v)) {
            return;
        }
        // factor · v ≤ most − rest
        let right = minus(&Expr::int(most, span), &rest);
        let size = factor.abs();
        let divide = |e: Expr| {
            if size == 1 { e } else { simplify(&Expr::binary(BinaryOp::Divide, e, Expr::int(size, span))) }
        };
        let ranging = &mut self.loops[at];
        if factor > 0 {
            let bound = divide(right);
            let high = extremum(true, &[ranging.high.clone(), bound]);
            if !high.is_same(&ranging.high) {
                ranging.is_inhabited &= is_guard;
            }
            ranging.high = high;
        } else {
            // v ≥ −right / |factor|, rounded up.
            let negative = minus(&Expr::int(size - 1, span), &right);
            let bound = divide(negative);
            let low = extremum(false, &[ranging.low.clone(), bound]);
            if !low.is_same(&ranging.low) {
                ranging.is_inhabited &= is_guard;
            }
            ranging.low = low;
        }
    }

    /// When does any iteration run? The conditions that are not known to hold, in terms of what is outside; and whether
    /// they are all: that of an inner loop may hold for some values of an outer one.
    pub fn is_inhabited(&self) -> (Vec<Expr>, bool) {
        let mut conditions: Vec<Expr> = Vec::new();
        let mut is_sure = true;
        let ranging: Vec<Variable> = self.loops.iter().map(|l| l.variable).collect();
        for l in self.loops.iter().filter(|l| !l.is_inhabited) {
            let most = minus(&l.high, &l.low);
            let condition = Expr::compare(CompareOp::GreaterEqual, most.clone(), Expr::int(0, most.span()));
            if truth(&condition) == Some(true) {
                continue;
            }
            if condition.mentions(&|v| ranging.contains(&v)) {
                is_sure = false;
            } else if !conditions.iter().any(|c| c.is_same(&condition)) {
                conditions.push(condition);
            }
        }
        (conditions, is_sure)
    }

    /// The conditions under which the copies of funcs around run.
    pub fn cases(&self) -> impl Iterator<Item = &Expr> {
        self.cases.iter()
    }

    /// The values of an expression.
    pub fn range(&self, e: &Expr) -> Interval {
        let e = simplify(&self.resolved(e));
        self.bounds(&e)
    }

    fn bounds(&self, e: &Expr) -> Interval {
        let low = self.corner(e, true);
        let high = self.corner(e, false);
        if low.is_some() && high.is_some() {
            return Interval { low, high };
        }
        let by_parts = self.by_parts(e);
        Interval { low: low.or(by_parts.low), high: high.or(by_parts.high) }
    }

    /// The least (greatest) value where the expression is monotone in each loop variable and reads nothing.
    fn corner(&self, e: &Expr, is_low: bool) -> Option<Expr> {
        if e.element() != Element::Int32 || e.reads_or_calls() {
            return None;
        }
        let mut at = distributed(e);
        for l in self.loops.iter().rev() {
            let end = match monotone(&at, l.variable) {
                Monotone::Constant => continue,
                Monotone::Rising if is_low => &l.low,
                Monotone::Falling if !is_low => &l.low,
                Monotone::Rising | Monotone::Falling => &l.high,
                Monotone::Unknown => return None,
            };
            at = distributed(&simplify(&at.substitute(&|v| (v == l.variable).then(|| end.clone()))));
        }
        Some(at)
    }

    /// Interval arithmetic 𝓘.
    fn by_parts(&self, e: &Expr) -> Interval {
        let span = e.span();
        let constant = |n: i64| Some(Expr::int(n, span));
        let of_type = || match type_range(e.element()) {
            Some((low, high)) => Interval { low: constant(low), high: constant(high) },
            None => Interval::default(),
        };
        let both = |a: &Option<Expr>, b: &Option<Expr>, f: &dyn Fn(&Expr, &Expr) -> Expr| match (a, b) {
            (Some(a), Some(b)) => Some(f(a, b)),
            _ => None,
        };
        match e.kind() {
            ExprKind::Constant(_) => match constant_value(e) {
                Some(n) => Interval { low: constant(n), high: constant(n) },
                None => Interval::default(),
            },
            ExprKind::Variable(v) => match self.loops.iter().find(|l| l.variable == *v) {
                Some(l) => {
                    let (low, high) = (self.bounds(&simplify(&l.low)).low, self.bounds(&simplify(&l.high)).high);
                    Interval { low, high }
                }
                None if e.element() == Element::Int32 => Interval { low: Some(e.clone()), high: Some(e.clone()) },
                None => of_type(),
            },
            _ if e.element() != Element::Int32 => match self.constant_range(e) {
                Some((low, high)) if low >= i32::MIN.into() && high <= i32::MAX.into() => {
                    Interval { low: constant(low as i64), high: constant(high as i64) }
                }
                _ => of_type(),
            },
            ExprKind::Unary(UnaryOp::Negate, a) => {
                let a = self.bounds(a);
                let negative = |e: &Expr| minus(&Expr::int(0, span), e);
                Interval { low: a.high.as_ref().map(negative), high: a.low.as_ref().map(negative) }
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                let (a, b) = (self.bounds(a), self.bounds(b));
                Interval { low: both(&a.low, &b.low, &plus), high: both(&a.high, &b.high, &plus) }
            }
            ExprKind::Binary(BinaryOp::Subtract, a, b) => {
                let (a, b) = (self.bounds(a), self.bounds(b));
                Interval { low: both(&a.low, &b.high, &minus), high: both(&a.high, &b.low, &minus) }
            }
            ExprKind::Binary(BinaryOp::Multiply, a, b) => {
                let (a, b) = (self.bounds(a), self.bounds(b));
                match (a.low, a.high, b.low, b.high) {
                    (Some(al), Some(ah), Some(bl), Some(bh)) => {
                        let times = |x: &Expr, y: &Expr| simplify(&Expr::binary(BinaryOp::Multiply, x.clone(), y.clone()));
                        let corners = [times(&al, &bl), times(&al, &bh), times(&ah, &bl), times(&ah, &bh)];
                        Interval { low: Some(extremum(true, &corners)), high: Some(extremum(false, &corners)) }
                    }
                    _ => Interval::default(),
                }
            }
            ExprKind::Binary(BinaryOp::Divide, a, b) => {
                let interval = self.bounds(a);
                match constant_value(b) {
                    Some(0) => Interval { low: constant(0), high: constant(0) },
                    Some(n) => {
                        let divided = |e: &Expr| simplify(&Expr::binary(BinaryOp::Divide, e.clone(), Expr::int(n, span)));
                        let (low, high) = (interval.low.as_ref().map(divided), interval.high.as_ref().map(divided));
                        if n > 0 { Interval { low, high } } else { Interval { low: high, high: low } }
                    }
                    // ⌊a / b⌋ is no further from 0 than a, for whatever b.
                    None => match (interval.low, interval.high) {
                        (Some(low), Some(high)) => {
                            let zero = Expr::int(0, span);
                            let most = extremum(false, &[minus(&zero, &low), high]);
                            Interval { low: Some(minus(&zero, &most)), high: Some(most) }
                        }
                        _ => Interval::default(),
                    },
                }
            }
            ExprKind::Binary(BinaryOp::Remainder, a, b) => match constant_value(b) {
                Some(0) => Interval { low: constant(0), high: constant(0) },
                Some(n) if n > 0 => {
                    let a = self.bounds(a);
                    // Within one period nothing wraps.
                    let period = |e: &Expr| simplify(&Expr::binary(BinaryOp::Divide, e.clone(), Expr::int(n, span)));
                    if let (Some(low), Some(high)) = (&a.low, &a.high)
                        && difference(&period(low), &period(high)) == Some(0)
                    {
                        let rest = |e: &Expr| simplify(&Expr::binary(BinaryOp::Remainder, e.clone(), Expr::int(n, span)));
                        Interval { low: Some(rest(low)), high: Some(rest(high)) }
                    } else {
                        Interval { low: constant(0), high: constant(n - 1) }
                    }
                }
                Some(n) => Interval { low: constant(n + 1), high: constant(0) },
                None => {
                    let b = self.bounds(b);
                    let zero = || Expr::int(0, span);
                    Interval {
                        low: b.low.map(|low| extremum(true, &[zero(), offset(&low, 1)])),
                        high: b.high.map(|high| extremum(false, &[zero(), offset(&high, -1)])),
                    }
                }
            },
            ExprKind::Binary(BinaryOp::BitAnd, a, b) => match (constant_value(a), constant_value(b)) {
                (Some(n), _) | (_, Some(n)) if n >= 0 => Interval { low: constant(0), high: constant(n) },
                _ => Interval::default(),
            },
            ExprKind::Binary(BinaryOp::ShiftRight, a, b) => match constant_value(b) {
                Some(n) if (0..31).contains(&n) => {
                    let divisor = Expr::int(1 << n, span);
                    self.bounds(&simplify(&Expr::binary(BinaryOp::Divide, a.clone(), divisor)))
                }
                _ => Interval::default(),
            },
            ExprKind::Binary(BinaryOp::ShiftLeft, a, b) => match constant_value(b) {
                Some(n) if (0..31).contains(&n) => {
                    let factor = Expr::int(1 << n, span);
                    self.bounds(&simplify(&Expr::binary(BinaryOp::Multiply, a.clone(), factor)))
                }
                _ => Interval::default(),
            },
            ExprKind::Builtin(builtin @ (Builtin::Min | Builtin::Max), operands) => {
                let is_min = *builtin == Builtin::Min;
                let parts: Vec<Interval> = operands.iter().map(|o| self.bounds(o)).collect();
                let some = |ends: Vec<Option<Expr>>| {
                    let known: Vec<Expr> = ends.into_iter().flatten().collect();
                    (!known.is_empty()).then(|| extremum(is_min, &known))
                };
                let all = |ends: Vec<Option<Expr>>| ends.into_iter().collect::<Option<Vec<_>>>().map(|e| extremum(is_min, &e));
                let lows = parts.iter().map(|p| p.low.clone()).collect();
                let highs = parts.iter().map(|p| p.high.clone()).collect();
                match is_min {
                    true => Interval { low: all(lows), high: some(highs) },
                    false => Interval { low: some(lows), high: all(highs) },
                }
            }
            ExprKind::Builtin(Builtin::Abs, operands) => {
                let a = self.bounds(&operands[0]);
                let high = both(&a.low, &a.high, &|low, high| extremum(false, &[minus(&Expr::int(0, span), low), high.clone()]));
                Interval { low: constant(0), high }
            }
            ExprKind::Builtin(Builtin::Select, operands) => self.either(&operands[0], &operands[1], &operands[2]),
            // The end of an empty window: where it counts the window is not empty.
            ExprKind::Conditional(_, a, b) if constant_value(b).is_some_and(|n| n.abs() == FAR) => self.bounds(a),
            ExprKind::Conditional(c, a, b) => self.either(c, a, b),
            ExprKind::Within(_, low, high) => Interval { low: self.bounds(low).low, high: self.bounds(high).high },
            ExprKind::Convert(a) => match type_range(a.element()) {
                Some((low, high)) => {
                    let inner = self.by_parts(a);
                    let known = |end: &Option<Expr>, limit| match end {
                        Some(e) if constant_value(e).is_some() => end.clone(),
                        _ => constant(limit),
                    };
                    Interval { low: known(&inner.low, low), high: known(&inner.high, high) }
                }
                None => match self.constant_range(a) {
                    // Saturating, towards zero.
                    Some((low, high)) => {
                        let clamped = |x: f64| Expr::int(x.clamp(i32::MIN.into(), i32::MAX.into()) as i64, span);
                        let known = |x: f64| x.is_finite().then(|| clamped(x));
                        Interval { low: known(low), high: known(high) }
                    }
                    None => Interval::default(),
                },
            },
            ExprKind::Read(source, _) => match (self.values)(*source) {
                Some((low, high)) => Interval { low: constant(low), high: constant(high) },
                None => of_type(),
            },
            ExprKind::Builtin(..) | ExprKind::Call(..) => match self.constant_range(e) {
                Some((low, high)) if low.is_finite() && high.is_finite() => {
                    Interval { low: constant(low as i64), high: constant(high as i64) }
                }
                _ => of_type(),
            },
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => {
                of_type()
            }
        }
    }

    /// A choice: the first part where the condition holds, the second elsewhere.
    fn either(&self, c: &Expr, a: &Expr, b: &Expr) -> Interval {
        let under = |condition: Option<Expr>, e: &Expr| {
            let mut narrowed = Solver { loops: self.loops.clone(), lets: Vec::new(), cases: Vec::new(), values: self.values };
            let mut scope = Scope::default();
            if let Some(condition) = condition {
                scope.assume(condition);
            }
            scope.conditions.iter().for_each(|(c, _)| narrowed.narrow(&simplify(c), false));
            // A part that is never chosen would need a condition of its own.
            let is_narrowed = narrowed
                .loops
                .iter()
                .zip(&self.loops)
                .any(|(new, old)| !new.low.is_same(&old.low) || !new.high.is_same(&old.high));
            let (conditions, is_sure) = narrowed.is_inhabited();
            if is_narrowed && !(conditions.is_empty() && is_sure) { self.bounds(e) } else { narrowed.bounds(e) }
        };
        let (a, b) = (under(Some(c.clone()), a), under(negated(c), b));
        let hull = |is_min: bool, x: Option<Expr>, y: Option<Expr>| Some(extremum(is_min, &[x?, y?]));
        Interval { low: hull(true, a.low, b.low), high: hull(false, a.high, b.high) }
    }

    /// The values of an expression of any type, if constants bound them.
    pub fn constant_range(&self, e: &Expr) -> Option<(f64, f64)> {
        let by_type = || type_range(e.element()).map(|(low, high)| (low as f64, high as f64));
        let is_float = e.element().is_float();
        let known = match e.kind() {
            ExprKind::Constant(constant) => {
                let bits = scalar::constant(e.element(), *constant);
                let value = f64::from_bits(scalar::convert(e.element(), Element::Double, bits));
                (!value.is_nan()).then_some((value, value))
            }
            ExprKind::Variable(_) if e.element() == Element::Int32 => {
                let interval = self.bounds(e);
                match (interval.low.as_ref().and_then(constant_value), interval.high.as_ref().and_then(constant_value)) {
                    (Some(low), Some(high)) => Some((low as f64, high as f64)),
                    _ => None,
                }
            }
            ExprKind::Read(source, _) => (self.values)(*source).map(|(low, high)| (low as f64, high as f64)),
            ExprKind::Convert(a) => {
                let (low, high) = self.constant_range(a)?;
                match type_range(e.element()) {
                    _ if is_float => Some((low, high)),
                    // A conversion from a float saturates, one from an integer wraps.
                    Some((least, greatest)) if a.element().is_float() => Some((
                        low.trunc().clamp(least as f64, greatest as f64),
                        high.trunc().clamp(least as f64, greatest as f64),
                    )),
                    Some((least, greatest)) if low >= least as f64 && high <= greatest as f64 => Some((low, high)),
                    Some(_) => None,
                    None if a.element().is_float() => Some((low.trunc(), high.trunc())),
                    None => Some((low, high)).filter(|_| low.abs() < 2e9 && high.abs() < 2e9 && low >= 0.0),
                }
            }
            // NaN is neither less nor greater: `min` and `max` then give the second operand.
            ExprKind::Builtin(builtin @ (Builtin::Min | Builtin::Max), operands) => {
                let (a, b) = (self.constant_range(&operands[0]), self.constant_range(&operands[1]));
                match (builtin, a, b) {
                    (Builtin::Min, Some(a), Some(b)) => Some((a.0.min(b.0), a.1.min(b.1))),
                    (Builtin::Max, Some(a), Some(b)) => Some((a.0.max(b.0), a.1.max(b.1))),
                    (Builtin::Min, None, Some(b)) | (Builtin::Min, Some(b), None) => Some((f64::NEG_INFINITY, b.1)),
                    (Builtin::Max, None, Some(b)) | (Builtin::Max, Some(b), None) => Some((b.0, f64::INFINITY)),
                    _ => None,
                }
            }
            ExprKind::Builtin(Builtin::Floor | Builtin::Round | Builtin::Ceil | Builtin::Trunc, operands) => {
                let (low, high) = self.constant_range(&operands[0])?;
                Some((low.floor(), high.ceil()))
            }
            ExprKind::Builtin(Builtin::Select, operands) => {
                let (a, b) = (self.constant_range(&operands[1])?, self.constant_range(&operands[2])?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            ExprKind::Conditional(_, a, b) => {
                let (a, b) = (self.constant_range(a)?, self.constant_range(b)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            ExprKind::Builtin(Builtin::Popcnt | Builtin::Clz | Builtin::Ctz, operands) => {
                Some((0.0, f64::from(operands[0].element().bits())))
            }
            ExprKind::Builtin(Builtin::Log2, operands) => Some((-1.0, f64::from(operands[0].element().bits() - 1))),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), a, b) => {
                let (a, b) = (self.constant_range(a)?, self.constant_range(b)?);
                let corners = match op {
                    BinaryOp::Add => vec![a.0 + b.0, a.1 + b.1],
                    BinaryOp::Subtract => vec![a.0 - b.1, a.1 - b.0],
                    _ => vec![a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1],
                };
                let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
                let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                // An infinity would hide a NaN.
                Some((low, high)).filter(|_| corners.iter().all(|c| c.is_finite()))
            }
            ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => Some((0.0, 1.0)),
            _ => None,
        };
        match (known, by_type()) {
            (Some((low, high)), Some((least, greatest))) if low < least || high > greatest => Some((least, greatest)),
            (Some(known), _) => Some(known),
            (None, by_type) => by_type,
        }
    }
}

/// The values of a type that is narrow enough to bound something.
pub fn type_range(element: Element) -> Option<(i64, i64)> {
    match element {
        Element::Bool => Some((0, 1)),
        Element::Int8 => Some((-128, 127)),
        Element::Uint8 => Some((0, 255)),
        Element::Int16 => Some((-32768, 32767)),
        Element::Uint16 => Some((0, 65535)),
        Element::Int32 | Element::Int64 | Element::Uint32 | Element::Uint64 | Element::Float | Element::Double => None,
    }
}

/// r + min(a, b) as min(r + a, r + b), so that what a variable does on both sides of the sum is seen.
fn distributed(e: &Expr) -> Expr {
    let form = linear(e);
    let is_extremum =
        |(atom, c): &(Expr, i64)| *c == 1 && matches!(atom.kind(), ExprKind::Builtin(Builtin::Min | Builtin::Max, _));
    let Some(at) = form.terms.iter().position(is_extremum) else { return e.clone() };
    if form.terms.len() == 1 && form.constant == 0 {
        return e.clone();
    }
    let mut rest = form.clone();
    let (atom, _) = rest.terms.remove(at);
    let ExprKind::Builtin(builtin, operands) = atom.kind() else { return e.clone() };
    let rest = rest.to_expr(e.span());
    let operands: Vec<Expr> = operands.iter().map(|o| distributed(&plus(&rest, o))).collect();
    extremum(*builtin == Builtin::Min, &operands)
}

/// How an `int` expression changes with a variable.
fn monotone(e: &Expr, variable: Variable) -> Monotone {
    if !e.mentions(&|v| v == variable) {
        return Monotone::Constant;
    }
    let of = |e: &Expr| monotone(e, variable);
    match e.kind() {
        ExprKind::Variable(_) => Monotone::Rising,
        ExprKind::Unary(UnaryOp::Negate, a) => of(a).flip(),
        ExprKind::Binary(BinaryOp::Add, a, b) => of(a).with(of(b)),
        ExprKind::Binary(BinaryOp::Subtract, a, b) => of(a).with(of(b).flip()),
        ExprKind::Binary(BinaryOp::Multiply, a, b) => match (constant_value(a), constant_value(b)) {
            (Some(n), _) => scaled(of(b), n),
            (_, Some(n)) => scaled(of(a), n),
            (None, None) => Monotone::Unknown,
        },
        ExprKind::Binary(BinaryOp::Divide, a, b) => match constant_value(b) {
            Some(n) => scaled(of(a), n),
            None => Monotone::Unknown,
        },
        ExprKind::Builtin(Builtin::Min | Builtin::Max, operands) => of(&operands[0]).with(of(&operands[1])),
        ExprKind::Conditional(c, a, b) if of(c) == Monotone::Constant => of(a).with(of(b)),
        _ => Monotone::Unknown,
    }
}

fn scaled(sign: Monotone, factor: i64) -> Monotone {
    match factor {
        0 => Monotone::Constant,
        1.. => sign,
        _ => sign.flip(),
    }
}

/// A constant condition.
pub fn boolean(value: bool, like: &Expr) -> Expr {
    Expr::new(ExprKind::Constant(Constant::Bool(value)), Element::Bool, like.span())
}
