//! Interval arithmetic 𝓘: what an expression can be, by what its parts can be.
//!
//! Ends are expressions. Each contains every value, whatever the parts have to do with each other; where parts share no variable
//! and their ends are attained, those of the whole are too, and the result says so.

use super::super::expr::{Expr, ExprKind};
use super::super::limits::FAR;
use super::super::simplify::{constant_value, difference, extremum, is_nowhere, linear, minus, offset, plus, simplify, truth};
use super::bits::{congruence, extremes, gcd};
use super::constants::{type_range, whole};
use super::pieces::has_unit_steps;
use super::range::{Interval, Scope, Solver, has_unknown, is_unknown, negated};
use crate::typed::ir::{BinaryOp, CompareOp, LaneOp, UnaryOp};
use crate::types::Element;

/// a + b of what has nothing to do with each other.
pub(super) fn sum(a: &Interval, b: &Interval) -> Interval {
    let end = |a: &Option<Expr>, b: &Option<Expr>| Some(plus(a.as_ref()?, b.as_ref()?));
    Interval { low: end(&a.low, &b.low), high: end(&a.high, &b.high), is_exact: a.is_exact && b.is_exact }
}

fn operation(op: BinaryOp, a: &Expr, b: &Expr) -> Expr {
    simplify(&Expr::binary(op, a.clone(), b.clone()))
}

impl Interval {
    fn new(low: Option<Expr>, high: Option<Expr>, is_exact: bool) -> Interval {
        Interval { low, high, is_exact }
    }

    fn between(low: Expr, high: Expr, is_exact: bool) -> Interval {
        Interval::new(Some(low), Some(high), is_exact)
    }

    /// −a
    fn negated(&self) -> Interval {
        let negative = |e: &Expr| minus(&Expr::int(0, e.span()), e);
        Interval::new(self.high.as_ref().map(negative), self.low.as_ref().map(negative), self.is_exact)
    }

    fn ends(&self) -> Option<(&Expr, &Expr)> {
        Some((self.low.as_ref()?, self.high.as_ref()?))
    }

    /// Its ends as numbers; not of an empty one, where a loop has no iteration.
    pub(super) fn constants(&self) -> Option<(i64, i64)> {
        let (low, high) = self.ends()?;
        Some((constant_value(low)?, constant_value(high)?)).filter(|(low, high)| low <= high)
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
        let inner = |is_min, a: Option<Expr>, b: Option<Expr>| match (a, b) {
            (Some(a), Some(b)) => Some(extremum(is_min, &[a, b])),
            (a, b) => a.or(b),
        };
        let (least, greatest) = (corner(true), corner(false));
        // Of what stays inside of a window all of it may be read.
        let is_exact = least.is_none() && greatest.is_none();
        Interval::new(inner(false, low, least), inner(true, high, greatest), is_exact)
    }

    /// 𝓘, by the operator of an expression.
    pub(super) fn by_parts(&self, e: &Expr) -> Interval {
        let span = e.span();
        let constant = |n: i64| Some(Expr::int(n, span));
        let of_type = || match type_range(e.element()) {
            Some((low, high)) => Interval::new(constant(low), constant(high), false),
            None => Interval::default(),
        };
        match e.kind() {
            ExprKind::Constant(_) => match constant_value(e) {
                Some(n) => Interval::new(constant(n), constant(n), true),
                None => Interval::default(),
            },
            ExprKind::Variable(v) => match self.loops.iter().rev().find(|l| l.variable == *v) {
                Some(l) => {
                    let (low, high) = (self.bounds(&simplify(&l.low)), self.bounds(&simplify(&l.high)));
                    Interval::new(low.low, high.high, low.is_exact && high.is_exact)
                }
                None if e.element() == Element::Int32 => Interval::between(e.clone(), e.clone(), true),
                None => of_type(),
            },
            _ if e.element() != Element::Int32 => match self.constant_range(e) {
                Some((low, high)) if low >= i32::MIN.into() && high <= i32::MAX.into() => {
                    Interval::new(constant(low as i64), constant(high as i64), false)
                }
                _ => of_type(),
            },
            ExprKind::Unary(UnaryOp::Negate, a) => self.bounds(a).negated(),
            ExprKind::Unary(UnaryOp::Not, a) => sum(&self.bounds(a).negated(), &self.by_parts(&Expr::int(-1, span))),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Builtin(builtin @ (LaneOp::Min | LaneOp::Max), operands) => {
                self.extremum_of(*builtin == LaneOp::Min, &operands[0], &operands[1])
            }
            ExprKind::Builtin(LaneOp::Abs, operands) => self.absolute(&operands[0]),
            ExprKind::Builtin(LaneOp::Select, operands) => self.either(&operands[0], &operands[1], &operands[2]),
            // The end of an empty window: where it counts the window is not empty.
            ExprKind::Conditional(_, a, b) if is_nowhere(b) => self.bounds(a),
            ExprKind::Conditional(c, a, b) => self.either(c, a, b),
            ExprKind::Within(..) if is_unknown(e) => Interval::default(),
            ExprKind::Within(inner, low, high) => self.within(inner, low, high),
            // Each value is one of x's, and no further out than what is taken for too many.
            ExprKind::Extremum(x) => {
                let value = self.bounds(&x.otherwise);
                if x.is_min { Interval::new(value.low, None, false) } else { Interval::new(None, value.high, false) }
            }
            ExprKind::Convert(a) => match type_range(a.element()) {
                Some((low, high)) => {
                    let inner = self.by_parts(a);
                    let known = |end: &Option<Expr>, limit| match end {
                        Some(e) if constant_value(e).is_some() => end.clone(),
                        _ => constant(limit),
                    };
                    Interval::new(known(&inner.low, low), known(&inner.high, high), false)
                }
                None => match self.constant_range(a) {
                    // Saturating, towards zero.
                    Some((low, high)) if a.element().is_float() => {
                        let clamped = |x: f64| Expr::int(x.clamp(i32::MIN.into(), i32::MAX.into()) as i64, span);
                        let known = |x: f64| x.is_finite().then(|| clamped(x));
                        Interval::new(known(low), known(high), false)
                    }
                    Some((low, high)) if low >= i32::MIN.into() && high <= i32::MAX.into() => {
                        Interval::new(constant(low as i64), constant(high as i64), false)
                    }
                    Some(_) | None => Interval::default(),
                },
            },
            ExprKind::Read(source, _) => match (self.values)(*source) {
                Interval { low: None, high: None, .. } => of_type(),
                known => known,
            },
            ExprKind::Builtin(..) | ExprKind::Call(..) => match self.constant_range(e) {
                Some((low, high)) if low.is_finite() && high.is_finite() => {
                    Interval::new(constant(low as i64), constant(high as i64), false)
                }
                _ => of_type(),
            },
            ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => of_type(),
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
        let is_box = loops.iter().all(|&at| self.is_fixed(&self.loops[at].low) && self.is_fixed(&self.loops[at].high));
        is_box && !e.reads_or_calls() && has_unit_steps(e, &|v| self.loops.iter().any(|l| l.variable == v))
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Interval {
        let (x, y) = (self.bounds(a), self.bounds(b));
        let is_exact = x.is_exact && y.is_exact && self.are_apart(a, b);
        match op {
            BinaryOp::Add => sum(&x, &y).if_exact(is_exact),
            BinaryOp::Subtract => sum(&x, &y.negated()).if_exact(is_exact),
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
        if x.ends().is_none() && y.constants().is_some_and(|(low, high)| low == high && low >= 1 << 16) {
            let or = |end: &Option<Expr>, limit: i32| end.clone().or_else(|| Some(Expr::int(limit.into(), b.span())));
            let x = Interval::new(or(&x.low, i32::MIN), or(&x.high, i32::MAX), false);
            return Interval::corners(BinaryOp::Divide, &x, y, false);
        }
        let keeps_its_sign = y.constants().is_some_and(|(low, high)| low > 0 || high < 0);
        if self.is_fixed(b) || keeps_its_sign {
            return Interval::corners(BinaryOp::Divide, x, y, is_exact);
        }
        // It is no further from 0 than a, for whatever b.
        let Some((low, high)) = x.ends() else { return Interval::default() };
        let negative = |e: &Expr| minus(&Expr::int(0, e.span()), e);
        let most = extremum(false, &[negative(low), low.clone(), negative(high), high.clone()]);
        Interval::between(negative(&most), most, false)
    }

    /// a − b · ⌊a / b⌋
    fn remainder(&self, a: &Expr, b: &Expr, x: &Interval, y: &Interval) -> Interval {
        let span = a.span();
        let int = |n: i64| Expr::int(n, span);
        let Some(n) = constant_value(b) else {
            let is_positive = y.low.as_ref().and_then(constant_value).is_some_and(|n| n > 0);
            let low =
                if is_positive { Some(int(0)) } else { y.low.as_ref().map(|low| extremum(true, &[int(0), offset(low, 1)])) };
            return Interval::new(low, y.high.as_ref().map(|high| extremum(false, &[int(0), offset(high, -1)])), false);
        };
        match n {
            0 => return Interval::between(int(0), int(0), true),
            ..0 => {
                let negative = minus(&int(0), a);
                return self.remainder(&negative, &int(-n), &x.negated(), &y.negated()).negated();
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
                let end = |inside: Expr, other: Expr| {
                    Expr::new(ExprKind::Conditional(is_one.clone(), inside, other), Element::Int32, span)
                };
                let low = end(by(BinaryOp::Remainder, low), least);
                Interval::between(low, end(by(BinaryOp::Remainder, high), greatest), takes_all)
            }
        }
    }

    /// `&`, `|`, `^`: exact on numbers; else by the bits that a constant leaves alone.
    fn bitwise(&self, op: BinaryOp, a: &Expr, b: &Expr, x: &Interval, y: &Interval) -> Interval {
        let span = a.span();
        let int = |n: i64| Expr::int(n, span);
        let is_int = |(low, high): &(i64, i64)| *low >= i32::MIN.into() && *high <= i32::MAX.into();
        if let (Some(p), Some(q)) = (x.constants().filter(is_int), y.constants().filter(is_int)) {
            let (low, high) = extremes(op, p, q);
            let is_exact = x.is_exact && y.is_exact && self.are_apart(a, b) && self.is_contiguous(a) && self.is_contiguous(b);
            return Interval::between(int(low), int(high), is_exact);
        }
        let (Some((xl, xh)), Some(c)) = (x.ends(), constant_value(b)) else {
            return match (op, x.constants(), y.constants()) {
                (BinaryOp::BitAnd, Some((low, high)), _) | (BinaryOp::BitAnd, _, Some((low, high))) if low >= 0 => {
                    Interval::between(int(0), int(high), false)
                }
                _ => Self::envelope(x, y),
            };
        };
        // x and all that has the same upper bits, those above the lowest 2^k > c.
        let envelope = |xl: &Expr, xh: &Expr, c: i64| {
            let m = int(1 << (64 - c.leading_zeros()));
            let floor = |e: &Expr| operation(BinaryOp::Multiply, &operation(BinaryOp::Divide, e, &m), &m);
            (floor(xl), plus(&floor(xh), &offset(&m, -1)))
        };
        match op {
            BinaryOp::BitAnd if c >= 0 => Interval::between(int(0), int(c), false),
            // x − (x & ~c)
            BinaryOp::BitAnd => Interval::between(offset(xl, c + 1), xh.clone(), false),
            // x + (c & ~x)
            BinaryOp::BitOr if c >= 0 => {
                Interval::between(extremum(false, &[xl.clone(), envelope(xl, xh, c).0]), envelope(xl, xh, c).1, false)
            }
            BinaryOp::BitOr => Interval::between(int(c), int(-1), false),
            _ if !(0..1 << 30).contains(&c) => Self::envelope(x, y),
            _ => {
                let (low, high) = envelope(xl, xh, c);
                // With all lower bits flipped, a block is reversed.
                if (c + 1).count_ones() == 1 && x.is_exact && self.is_contiguous(a) {
                    let block = |e: &Expr| operation(BinaryOp::Divide, e, &int(c + 1));
                    let is_one = Expr::compare(CompareOp::Equal, block(xl), block(xh));
                    let flipped = |e: &Expr| operation(BinaryOp::BitXor, e, &int(c));
                    let end = |inside: Expr, other: Expr| {
                        Expr::new(ExprKind::Conditional(is_one.clone(), inside, other), Element::Int32, span)
                    };
                    return Interval::between(end(flipped(xh), low), end(flipped(xl), high), true);
                }
                Interval::between(low, high, false)
            }
        }
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
        let Some((least, most)) =
            y.constants().or_else(|| self.constant_range(b).and_then(whole)).filter(|(least, most)| *least >= 0 && *most <= 31)
        else {
            // What is shifted to the right comes no further from 0.
            let Some((low, high)) = x.ends().filter(|_| op == BinaryOp::ShiftRight) else { return Interval::default() };
            let span = low.span();
            let least = extremum(true, &[low.clone(), Expr::int(0, span)]);
            return Interval::between(least, extremum(false, &[high.clone(), Expr::int(-1, span)]), false);
        };
        let Some((low, high)) = x.ends().filter(|_| most <= 30) else { return Interval::default() };
        let by = if op == BinaryOp::ShiftRight { BinaryOp::Divide } else { BinaryOp::Multiply };
        let power = |k: i64| Expr::int(1 << k, low.span());
        let powers = Interval::between(power(least), power(most), true);
        Interval::corners(by, &Interval::between(low.clone(), high.clone(), true), &powers, is_exact)
    }

    /// The outer end is that of both operands, the inner one that of either: a minimum is no greater than each of them. An
    /// operand that may be far says nothing about the inner end, unless both may: where the window is not empty, one is not.
    fn extremum_of(&self, is_min: bool, a: &Expr, b: &Expr) -> Interval {
        let (x, y) = (self.bounds(a), self.bounds(b));
        let far = [a, b].map(|e| self.may_be_far(e, is_min));
        let is_exact = x.is_exact && y.is_exact && self.are_apart(a, b) && far == [false, false];
        let both = |is_min: bool, x: &Option<Expr>, y: &Option<Expr>| Some(extremum(is_min, &[x.clone()?, y.clone()?]));
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
            match atom.kind() {
                ExprKind::Variable(v) => {
                    let known = self.loops.iter().rev().find(|l| l.variable == *v);
                    known.is_some_and(|l| if up { l.may_be_far.up } else { l.may_be_far.down })
                }
                _ if self.is_fixed(atom) => false,
                ExprKind::Conditional(_, a, b) => {
                    let is_empty = constant_value(b) == Some(if up { FAR } else { -FAR });
                    is_empty || self.may_be_far(a, up) || self.may_be_far(b, up)
                }
                ExprKind::Builtin(builtin @ (LaneOp::Min | LaneOp::Max), operands) => match (*builtin == LaneOp::Min) == up {
                    true => operands.iter().all(|operand| self.may_be_far(operand, up)),
                    false => operands.iter().any(|operand| self.may_be_far(operand, up)),
                },
                ExprKind::Binary(BinaryOp::Divide, a, n) => constant_value(n).is_some_and(|n| self.may_be_far(a, up == (n > 0))),
                ExprKind::Constant(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Compare(..)
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Convert(_)
                | ExprKind::Builtin(..)
                | ExprKind::Call(..)
                | ExprKind::Read(..)
                | ExprKind::Within(..)
                | ExprKind::Extremum(_) => false,
            }
        })
    }

    fn absolute(&self, a: &Expr) -> Interval {
        let x = self.bounds(a);
        let Some((low, high)) = x.ends() else { return Interval::new(Some(Expr::int(0, a.span())), None, false) };
        let negative = minus(&Expr::int(0, a.span()), low);
        let far = extremum(false, &[negative, high.clone()]);
        let near = extremum(false, &[low.clone(), minus(&Expr::int(0, a.span()), high), Expr::int(0, a.span())]);
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
            if let Some(condition) = condition {
                scope.assume(condition);
            }
            scope.conditions.iter().map(|a| &a.condition).for_each(|c| {
                narrowed.narrow(&simplify(c), false);
            });
            // A part that is never chosen would need a condition of its own.
            let is_narrowed = narrowed
                .loops
                .iter()
                .zip(&self.loops)
                .any(|(new, old)| !new.low.is_same(&old.low) || !new.high.is_same(&old.high));
            if is_narrowed && !narrowed.is_surely_inhabited() { self.bounds(e) } else { narrowed.bounds(e) }
        };
        let (x, y) = (under(Some(c.clone()), a), under(negated(c), b));
        let hull = |is_min: bool, x: Option<Expr>, y: Option<Expr>| Some(extremum(is_min, &[x?, y?]));
        Interval::new(hull(true, x.low, y.low), hull(false, x.high, y.high), false)
    }
}

impl Interval {
    fn if_exact(self, is_exact: bool) -> Interval {
        Interval { is_exact, ..self }
    }
}
