//! Interval arithmetic 𝓘: what an expression can be, by what its parts can be.
//!
//! Ends are expressions. Each contains every value, whatever the parts have to do with each other; where parts share no variable
//! and their ends are attained, those of the whole are too, and the result says so.

use super::super::expr::{Expr, ExprKind, Form};
use super::super::limits::FAR;
use super::super::simplify::{
    constant_value, difference, extremum, is_nowhere, linear, minus, negated, offset, plus, simplify, truth,
};
use super::constants::whole;
use super::form::{congruence, gcd, has_unit_steps};
use super::numbers::{self, Numbers};
use super::range::{Interval, Scope, Solver, has_unknown, is_unknown};
use crate::typed::ir::{BinaryOp, CompareOp};
use crate::types::Element;

/// a + b of what has nothing to do with each other.
pub(super) fn sum(a: &Interval, b: &Interval) -> Interval {
    let end = |a: &Option<Expr>, b: &Option<Expr>| Some(plus(a.as_ref()?, b.as_ref()?));
    Interval { low: end(&a.low, &b.low), high: end(&a.high, &b.high), is_exact: a.is_exact && b.is_exact }
}

/// −e
pub(super) fn negative(e: &Expr) -> Expr {
    minus(&Expr::int(0, e.span()), e)
}

fn operation(op: BinaryOp, a: &Expr, b: &Expr) -> Expr {
    simplify(&Expr::binary(op, a.clone(), b.clone()))
}

/// The minimum or the maximum of two ends that are known.
fn both(is_min: bool, a: &Option<Expr>, b: &Option<Expr>) -> Option<Expr> {
    Some(extremum(is_min, &[a.clone()?, b.clone()?]))
}

impl Interval {
    fn new(low: Option<Expr>, high: Option<Expr>, is_exact: bool) -> Interval {
        Interval { low, high, is_exact }
    }

    pub(super) fn between(low: Expr, high: Expr, is_exact: bool) -> Interval {
        Interval::new(Some(low), Some(high), is_exact)
    }

    /// All that is in either.
    pub(super) fn hull(&self, other: &Interval) -> Interval {
        Interval::new(both(true, &self.low, &other.low), both(false, &self.high, &other.high), false)
    }

    /// −a
    fn negated(&self) -> Interval {
        Interval::new(self.high.as_ref().map(negative), self.low.as_ref().map(negative), self.is_exact)
    }

    fn ends(&self) -> Option<(&Expr, &Expr)> {
        Some((self.low.as_ref()?, self.high.as_ref()?))
    }

    /// Its ends as numbers; not of an empty one, where a loop has no iteration.
    fn constants(&self) -> Option<Numbers> {
        let (low, high) = self.ends()?;
        Some(Numbers { low: constant_value(low)?.into(), high: constant_value(high)?.into() }).filter(|n| n.low <= n.high)
    }

    /// The hull of all pairs of ends under an operation.
    fn corners(op: BinaryOp, a: &Interval, b: &Interval, is_exact: bool) -> Interval {
        let (Some((al, ah)), Some((bl, bh))) = (a.ends(), b.ends()) else { return Interval::default() };
        let corners = [operation(op, al, bl), operation(op, al, bh), operation(op, ah, bl), operation(op, ah, bh)];
        Interval::between(extremum(true, &corners), extremum(false, &corners), is_exact)
    }
}

impl Solver<'_> {
    /// e, of which low ≤ e ≤ high is known. A sum is bounded better where some of its loops stand still.
    fn within(&self, e: &Expr, low: &Expr, high: &Expr) -> Interval {
        let (low, high) = (self.bounds(low).low, self.bounds(high).high);
        let is_sum = matches!(e.kind(), ExprKind::Binary(BinaryOp::Add, ..)) && !has_unknown(e);
        let sum = is_sum.then(|| simplify(&e.without_ranges()));
        let corner = |is_low| sum.as_ref().and_then(|e| self.corner(e, is_low));
        let (least, greatest) = (corner(true), corner(false));
        let inner = |is_min, a: Option<Expr>, b: Option<Expr>| both(is_min, &a, &b).or(a).or(b);
        // Of what stays inside of a window all of it may be read.
        let is_exact = least.is_none() && greatest.is_none();
        Interval::new(inner(false, low, least), inner(true, high, greatest), is_exact)
    }

    /// What constants bound of an expression, as an `int`: conversions from floats saturate.
    fn by_constants(&self, e: &Expr) -> Interval {
        let Some((low, high)) = self.constant_range(e) else { return Interval::default() };
        let (least, greatest) = (f64::from(i32::MIN), f64::from(i32::MAX));
        if !e.element().is_float() && (low < least || high > greatest) {
            return Interval::default();
        }
        let end = |x: f64| x.is_finite().then(|| Expr::int(x.clamp(least, greatest) as i64, e.span()));
        Interval::new(end(low), end(high), false)
    }

    /// 𝓘 of what has no form.
    fn of_leaf(&self, e: &Expr) -> Interval {
        if let ExprKind::Extremum(x) = e.kind() {
            // Each value is one of x's, and no further out than what is taken for too many.
            let value = self.bounds(&x.otherwise);
            return if x.is_min { Interval::new(value.low, None, false) } else { Interval::new(None, value.high, false) };
        }
        if let ExprKind::Read(source, _) = e.kind() { self.inference.value_range(*source) } else { self.by_constants(e) }
    }

    /// 𝓘, by the form of an expression.
    pub(super) fn by_parts(&self, e: &Expr) -> Interval {
        if let Some(n) = constant_value(e) {
            return Interval::between(Expr::int(n, e.span()), Expr::int(n, e.span()), true);
        }
        match e.form() {
            Form::Variable(v) if let Some(l) = self.ranging(v) => {
                let (low, high) = (self.bounds(&simplify(&l.low)), self.bounds(&simplify(&l.high)));
                Interval::new(low.low, high.high, low.is_exact && high.is_exact)
            }
            _ if e.element() != Element::Int32 => self.by_constants(e),
            Form::Variable(_) => Interval::between(e.clone(), e.clone(), true),
            Form::Negate(a) => self.bounds(a).negated(),
            Form::Not(a) => sum(&self.bounds(a).negated(), &self.by_parts(&Expr::int(-1, e.span()))),
            Form::Binary(op, a, b) => self.binary(op, a, b),
            Form::Extremum(is_min, [a, b]) => self.extremum_of(is_min, a, b),
            Form::Abs(a) => self.absolute(a),
            // The end of an empty window: where it counts the window is not empty.
            Form::Choice(_, a, b) if is_nowhere(b) => self.bounds(a),
            Form::Choice(c, a, b) => self.either(c, a, b),
            Form::Within(..) if is_unknown(e) => Interval::default(),
            Form::Within(inner, [low, high]) => self.within(inner, low, high),
            Form::Convert(a) => self.by_constants(a),
            Form::Leaf => self.of_leaf(e),
        }
    }

    /// Have two expressions no variable in common that ranges?
    fn are_apart(&self, a: &Expr, b: &Expr) -> bool {
        let (a, b) = (self.ranging_in(a), self.ranging_in(b));
        a.iter().all(|at| !b.contains(at))
    }

    fn is_fixed(&self, e: &Expr) -> bool {
        !e.reads_or_calls() && self.ranging_in(e).is_empty()
    }

    /// Does it take each value between its ends? Only if it does so in a box.
    fn is_contiguous(&self, e: &Expr) -> bool {
        let loops = self.ranging_in(e);
        let is_box =
            loops.iter().all(|&at| self.is_fixed(&self.known.loops[at].low) && self.is_fixed(&self.known.loops[at].high));
        is_box && !e.reads_or_calls() && has_unit_steps(e, &|v| self.ranges(v))
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Interval {
        let (x, y) = (self.bounds(a), self.bounds(b));
        let is_exact = x.is_exact && y.is_exact && self.are_apart(a, b);
        match op {
            BinaryOp::Add => Interval { is_exact, ..sum(&x, &y) },
            BinaryOp::Subtract => Interval { is_exact, ..sum(&x, &y.negated()) },
            BinaryOp::Multiply => Interval::corners(op, &x, &y, is_exact),
            BinaryOp::Divide => self.divided(b, &x, &y, is_exact),
            BinaryOp::Remainder => self.remainder(a, b, &x, &y),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => self.bitwise(op, a, b, &x, &y),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.shifted(op, b, &x, &y, is_exact),
        }
    }

    /// ⌊a / b⌋: monotone in a for a fixed b, and in b as long as that keeps its sign.
    fn divided(&self, b: &Expr, x: &Interval, y: &Interval, is_exact: bool) -> Interval {
        // What is left of an `int` of which only the type is known is no window, unless little is left.
        if x.ends().is_none() && y.constants().is_some_and(|n| n.low == n.high && n.low >= 1 << 16) {
            let or = |end: &Option<Expr>, limit: i32| end.clone().or_else(|| Some(Expr::int(limit.into(), b.span())));
            let x = Interval::new(or(&x.low, i32::MIN), or(&x.high, i32::MAX), false);
            return Interval::corners(BinaryOp::Divide, &x, y, false);
        }
        let keeps_its_sign = y.constants().is_some_and(|n| n.low > 0 || n.high < 0);
        if self.is_fixed(b) || keeps_its_sign {
            return Interval::corners(BinaryOp::Divide, x, y, is_exact);
        }
        // It is no further from 0 than a, for whatever b.
        let Some((low, high)) = x.ends() else { return Interval::default() };
        let most = extremum(false, &[negative(low), low.clone(), negative(high), high.clone()]);
        Interval::between(negative(&most), most, false)
    }

    /// a − b · ⌊a / b⌋
    fn remainder(&self, a: &Expr, b: &Expr, x: &Interval, y: &Interval) -> Interval {
        let span = a.span();
        let int = |n: i64| Expr::int(n, span);
        let Some(n) = constant_value(b) else {
            let low = y.low.as_ref().map(|low| extremum(true, &[int(0), offset(low, 1)]));
            return Interval::new(low, y.high.as_ref().map(|high| extremum(false, &[int(0), offset(high, -1)])), false);
        };
        match n {
            0 => return Interval::between(int(0), int(0), true),
            ..0 => {
                return self.remainder(&negative(a), &int(-n), &x.negated(), &y.negated()).negated();
            }
            1.. => {}
        }
        // Every remainder that the congruence of a leaves: first, first + step, …
        let (modulus, rest) = congruence(a);
        let step = gcd(modulus, n).max(1);
        let first = rest.rem_euclid(step);
        let (least, greatest) = (int(first), int(n - step + first));
        let Some((low, high)) = x.ends() else { return Interval::between(least, greatest, false) };
        let by = |op, e: &Expr| operation(op, e, &int(n));
        let (from, to) = (by(BinaryOp::Divide, low), by(BinaryOp::Divide, high));
        let takes_all = x.is_exact && self.is_contiguous(a);
        match difference(&to, &from) {
            // Within one period nothing wraps.
            Some(0) => Interval::between(by(BinaryOp::Remainder, low), by(BinaryOp::Remainder, high), x.is_exact),
            Some(_) => Interval::between(least, greatest, takes_all),
            None if difference(high, low).is_some_and(|d| d >= n - 1) => Interval::between(least, greatest, takes_all),
            None => {
                let is_one = Expr::compare(CompareOp::Equal, from, to);
                let end = |e: &Expr, other: Expr| Expr::conditional(is_one.clone(), by(BinaryOp::Remainder, e), other);
                Interval::between(end(low, least), end(high, greatest), takes_all)
            }
        }
    }

    /// `&`, `|`, `^`: exact on numbers; else by the bits that a constant leaves alone.
    fn bitwise(&self, op: BinaryOp, a: &Expr, b: &Expr, x: &Interval, y: &Interval) -> Interval {
        let int = |n: i64| Expr::int(n, a.span());
        if let (Some(p), Some(q)) = (x.constants(), y.constants()) {
            let Numbers { low, high } = numbers::bitwise(op, p, q);
            let is_exact = x.is_exact && y.is_exact && self.are_apart(a, b) && self.is_contiguous(a) && self.is_contiguous(b);
            return Interval::between(int(low as i64), int(high as i64), is_exact);
        }
        let (Some((xl, xh)), Some(c)) = (x.ends(), constant_value(b)) else {
            let mask = [x, y].into_iter().filter_map(Interval::constants).find(|n| n.low >= 0 && op == BinaryOp::BitAnd);
            return mask.map_or_else(|| Self::envelope(x, y), |n| Interval::between(int(0), int(n.high as i64), false));
        };
        // x and all that has the same upper bits, those above the lowest 2^k > c.
        let block = || {
            let m = int(1 << (64 - c.leading_zeros()));
            let floor = |e: &Expr| operation(BinaryOp::Multiply, &operation(BinaryOp::Divide, e, &m), &m);
            (floor(xl), plus(&floor(xh), &offset(&m, -1)))
        };
        let (low, high) = match op {
            BinaryOp::BitAnd if c >= 0 => (int(0), int(c)),
            // x − (x & ~c)
            BinaryOp::BitAnd => (offset(xl, c + 1), xh.clone()),
            // x + (c & ~x)
            BinaryOp::BitOr if c >= 0 => (extremum(false, &[xl.clone(), block().0]), block().1),
            BinaryOp::BitOr => (int(c), int(-1)),
            _ if !(0..1 << 30).contains(&c) => return Self::envelope(x, y),
            _ => block(),
        };
        Interval::between(low, high, false)
    }

    /// Numbers from −m − 1 to m fit into k bits and a sign, where 2^k ≤ 2m + 1; so does what is made of their bits.
    fn envelope(x: &Interval, y: &Interval) -> Interval {
        let (Some((xl, xh)), Some((yl, yh))) = (x.ends(), y.ends()) else { return Interval::default() };
        let size = |e: &Expr| minus(&Expr::int(-1, e.span()), e);
        let most = extremum(false, &[size(xl), xh.clone(), size(yl), yh.clone(), Expr::int(0, xl.span())]);
        let twice = plus(&most, &most);
        Interval::between(size(&twice), twice, false)
    }

    fn shifted(&self, op: BinaryOp, b: &Expr, x: &Interval, y: &Interval, is_exact: bool) -> Interval {
        let is_exact = is_exact && y.constants().is_some();
        // The count is taken modulo 32.
        let count = y.constants().or_else(|| self.constant_range(b).and_then(whole)).filter(|n| n.low >= 0 && n.high <= 31);
        let Some((low, high)) = x.ends() else { return Interval::default() };
        let int = |n: i64| Expr::int(n, low.span());
        match count {
            Some(n) if n.high <= 30 => {
                let by = if op == BinaryOp::ShiftRight { BinaryOp::Divide } else { BinaryOp::Multiply };
                let powers = Interval::between(int(1 << n.low), int(1 << n.high), true);
                Interval::corners(by, x, &powers, is_exact)
            }
            // What is shifted to the right comes no further from 0.
            None if op == BinaryOp::ShiftRight => {
                let least = extremum(true, &[low.clone(), int(0)]);
                Interval::between(least, extremum(false, &[high.clone(), int(-1)]), false)
            }
            Some(_) | None => Interval::default(),
        }
    }

    /// The outer end is that of both operands, the inner one that of either: a minimum is no greater than each of them. An
    /// operand that may be far says nothing about the inner end, unless both may: where the window is not empty, one is not.
    fn extremum_of(&self, is_min: bool, a: &Expr, b: &Expr) -> Interval {
        let (x, y) = (self.bounds(a), self.bounds(b));
        let far = [a, b].map(|e| self.may_be_far(e, is_min));
        let is_exact = x.is_exact && y.is_exact && self.are_apart(a, b) && far == [false, false];
        let inner = |x: &Option<Expr>, y: &Option<Expr>| match far {
            [true, true] => both(!is_min, x, y),
            [true, false] => y.clone(),
            [false, true] => x.clone(),
            [false, false] => both(is_min, x, y).or_else(|| x.clone().or_else(|| y.clone())),
        };
        match is_min {
            true => Interval::new(both(true, &x.low, &y.low), inner(&x.high, &y.high), is_exact),
            false => Interval::new(inner(&x.low, &y.low), both(false, &x.high, &y.high), is_exact),
        }
    }

    /// May it be [`FAR`] up, or down, since an end of a window that may be empty is in it? What stands still has that value then.
    pub(super) fn may_be_far(&self, e: &Expr, up: bool) -> bool {
        linear(e).terms.iter().any(|(atom, c)| {
            let up = up == (*c > 0);
            match atom.form() {
                Form::Variable(v) => self.ranging(v).is_some_and(|l| l.may_be_far[usize::from(up)]),
                _ if self.is_fixed(atom) => false,
                Form::Choice(_, a, b) => {
                    let is_empty = constant_value(b) == Some(if up { FAR } else { -FAR });
                    is_empty || self.may_be_far(a, up) || self.may_be_far(b, up)
                }
                Form::Extremum(is_min, [a, b]) if is_min == up => self.may_be_far(a, up) && self.may_be_far(b, up),
                Form::Extremum(_, [a, b]) => self.may_be_far(a, up) || self.may_be_far(b, up),
                Form::Binary(BinaryOp::Divide, a, n) => constant_value(n).is_some_and(|n| self.may_be_far(a, up == (n > 0))),
                _ => false,
            }
        })
    }

    fn absolute(&self, a: &Expr) -> Interval {
        let x = self.bounds(a);
        let zero = Expr::int(0, a.span());
        let Some((low, high)) = x.ends() else { return Interval::new(Some(zero), None, false) };
        let far = extremum(false, &[negative(low), high.clone()]);
        let near = extremum(false, &[low.clone(), negative(high), zero]);
        Interval::between(near, far, x.is_exact && self.is_contiguous(a))
    }

    /// A choice: the first part where the condition holds, the second elsewhere.
    fn either(&self, c: &Expr, a: &Expr, b: &Expr) -> Interval {
        match truth(c) {
            Some(true) => return self.bounds(a),
            Some(false) => return self.bounds(b),
            None => {}
        }
        let under = |condition: Option<Expr>, e: &Expr| {
            let mut narrowed = self.inner();
            let mut scope = Scope::default();
            condition.into_iter().for_each(|condition| scope.assume(condition));
            for assumption in &scope.conditions {
                narrowed.narrow(&simplify(&assumption.condition), false);
            }
            // A part that is never chosen would need a condition of its own.
            let loops = || narrowed.known.loops.iter().zip(&self.known.loops);
            let is_narrowed = loops().any(|(new, old)| new.low != old.low || new.high != old.high);
            let is_inhabited = || matches!(narrowed.inhabited(false), (open, true) if open.is_empty());
            if is_narrowed && !is_inhabited() { self.bounds(e) } else { narrowed.bounds(e) }
        };
        under(Some(c.clone()), a).hull(&under(negated(c), b))
    }
}
