//! Integer expressions in a normal form: a sum of multiples of different atoms and a constant.
//!
//! ```text
//! (x + 3) * 2 - x   →   x + 6            (4 * x + y) / 4   →   x + y / 4
//! min(x - 1, x)     →   x - 1            (4 * x + 7) % 4   →   3
//! max(min(61, x), min(62, x + 1))   →   min(62, x + 1)
//! ```
//! Bounds are reasoned about in ℤ: what is computed from windows stays far inside of `int` (a start check sees to it).

use super::expr::{Expr, ExprKind, Form, Terms};
use super::limits::FAR;
use crate::source::Span;
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, CompareOp, Constant, LaneOp, UnaryOp};
use crate::types::Element;
use smallvec::smallvec;

/// Σ cᵢ·aᵢ + c
#[derive(Clone, Debug)]
pub struct Linear {
    /// Atoms with their factors, none of which is 0.
    pub terms: Terms,
    /// c
    pub constant: i64,
}

impl Linear {
    /// A constant.
    pub fn constant(constant: i64) -> Linear {
        Linear { terms: Terms::new(), constant }
    }

    fn atom(atom: Expr) -> Linear {
        Linear { terms: smallvec![(atom, 1)], constant: 0 }
    }

    /// self + factor · other; `None` where a number becomes too large.
    pub fn plus(mut self, other: &Linear, factor: i64) -> Option<Linear> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (atom, c) in &other.terms {
            let c = c.checked_mul(factor)?;
            if c == 0 {
                continue;
            }
            match self.terms.iter().position(|(a, _)| a.is_same(atom)) {
                Some(at) => {
                    self.terms[at].1 = self.terms[at].1.checked_add(c)?;
                    if self.terms[at].1 == 0 {
                        self.terms.remove(at);
                    }
                }
                None => self.terms.push((atom.clone(), c)),
            }
        }
        Some(self)
    }

    /// self · other, if one of them is a number.
    pub fn times(&self, other: &Linear) -> Option<Linear> {
        match (self.value(), other.value()) {
            (Some(c), _) => Linear::constant(0).plus(other, c),
            (_, Some(c)) => Linear::constant(0).plus(self, c),
            (None, None) => None,
        }
    }

    /// Its value, if it has no atoms.
    pub fn value(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// With extrema of a constant and others as sums, so that those that are apart by a constant meet: min(62, x + 1) is
    /// 62 + min(0, x − 61), as is min(61, x) + 1. `None`: there are no two of them.
    fn counted_from_zero(&self) -> Option<Linear> {
        let extremum = |e: &Expr| {
            let ExprKind::Builtin(builtin @ (LaneOp::Min | LaneOp::Max), _) = e.kind() else { return None };
            let all = (e.element() == Element::Int32).then(|| operands(*builtin, std::iter::once(e.clone())))?;
            let constant = all.iter().find_map(constant_value)?;
            Some((*builtin, constant, all))
        };
        let found: Vec<_> = self.terms.iter().map(|(atom, _)| extremum(atom)).collect();
        if found.iter().flatten().count() < 2 {
            return None;
        }
        let mut sum = Linear::constant(self.constant);
        for ((atom, factor), found) in self.terms.iter().zip(found) {
            let term = match found {
                None => Linear::atom(atom.clone()),
                Some((builtin, constant, all)) => {
                    let apart = all.iter().map(|e| offset(e, -constant)).reduce(|a, b| Expr::builtin(builtin, vec![a, b]))?;
                    Linear::constant(constant).plus(&Linear::atom(apart), 1)?
                }
            };
            sum = sum.plus(&term, *factor)?;
        }
        Some(sum)
    }

    /// Without pairs of choices, or of extrema, that are apart by a constant: (c ? x + 3 : y + 3) − (c ? x : y) = 3. Where it is another
    /// constant in each case, they are a choice of constants: (c ? x + 3 : y + 5) − (c ? x : y) = c ? 3 : 5.
    fn without_pairs(self) -> Linear {
        let pairs = || (0..self.terms.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
        let met = pairs().find_map(|(first, second)| {
            let ((a, factor), (b, other)) = (&self.terms[first], &self.terms[second]);
            let apart = if factor.checked_add(*other)? == 0 { apart(a, b)? } else { return None };
            let mut rest = self.clone();
            rest.terms.remove(second);
            rest.terms.remove(first);
            rest.plus(&apart, *factor)
        });
        met.map_or(self, Linear::without_pairs)
    }

    /// Back to an expression.
    pub fn to_expr(&self, span: Span) -> Expr {
        let mut sum: Option<Expr> = None;
        // Positive terms first, so that no sum begins with a negation if it can be helped.
        let (positive, negative): (Vec<_>, Vec<_>) = self.terms.iter().partition(|(_, c)| *c > 0);
        let times = |atom: &Expr, c: i64| {
            if c == 1 { atom.clone() } else { Expr::binary(BinaryOp::Multiply, atom.clone(), integer(c, span)) }
        };
        for (atom, c) in positive {
            let term = times(atom, *c);
            sum = Some(match sum {
                Some(sum) => Expr::binary(BinaryOp::Add, sum, term),
                None => term,
            });
        }
        let mut rest = self.constant;
        for (atom, c) in negative {
            let first = sum.take().unwrap_or_else(|| integer(std::mem::take(&mut rest), span));
            sum = Some(Expr::binary(BinaryOp::Subtract, first, times(atom, -c)));
        }
        match sum {
            None => integer(rest, span),
            Some(sum) if rest == 0 => sum,
            Some(sum) if rest < 0 => Expr::binary(BinaryOp::Subtract, sum, integer(-rest, span)),
            Some(sum) => Expr::binary(BinaryOp::Add, sum, integer(rest, span)),
        }
    }
}

/// A number of ℤ: one that is no `int` as q · 2³⁰ + r, so that nothing wraps where expressions are computed in 64 bits.
fn integer(n: i64, span: Span) -> Expr {
    if i32::try_from(n).is_ok() {
        return Expr::int(n, span);
    }
    let (q, r) = (n >> 30, n & ((1 << 30) - 1));
    let high = Expr::binary(BinaryOp::Multiply, integer(q, span), Expr::int(1 << 30, span));
    Expr::binary(BinaryOp::Add, high, Expr::int(r, span))
}

/// The value of an integer constant.
pub fn constant_value(e: &Expr) -> Option<i64> {
    let ExprKind::Constant(constant @ Constant::Int(_)) = e.kind() else { return None };
    e.element().is_integer().then(|| scalar::integer(e.element(), scalar::constant(e.element(), *constant)) as i64)
}

/// An `int` expression as a sum.
pub fn linear(e: &Expr) -> Linear {
    let is_sum = matches!(
        e.kind(),
        ExprKind::Constant(_)
            | ExprKind::Unary(UnaryOp::Negate, _)
            | ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, ..)
    );
    if e.is_normal() && !is_sum {
        return Linear::atom(e.clone());
    }
    if let Some(n) = constant_value(e).filter(|_| e.element() == Element::Int32) {
        return Linear::constant(n);
    }
    let (terms, constant) = e.linear_form(|| {
        let known = if e.element() == Element::Int32 { sum(e) } else { None };
        let made = match known {
            Some(known) if e.is_normal() => known,
            Some(known) => known.without_pairs(),
            None => Linear::atom(atom(e)),
        };
        (made.terms, made.constant)
    });
    Linear { terms, constant }
}

/// An `int` expression as a sum; `None` of an atom whose parts are not simplified yet, and where a number becomes too large.
fn sum(e: &Expr) -> Option<Linear> {
    if let Some(n) = constant_value(e) {
        return Some(Linear::constant(n));
    }
    match e.form() {
        Form::Negate(a) => Linear::constant(0).plus(&linear(a), -1),
        Form::Binary(BinaryOp::Add, a, b) => linear(a).plus(&linear(b), 1),
        Form::Binary(BinaryOp::Subtract, a, b) => linear(a).plus(&linear(b), -1),
        Form::Binary(BinaryOp::Multiply, a, b) => linear(a).times(&linear(b)),
        Form::Binary(op @ (BinaryOp::Divide | BinaryOp::Remainder), a, b) => match linear(b).value() {
            Some(n) if n > 0 => Some(division(op, linear(a), n, e.span())),
            // By zero they are 0.
            Some(0) => Some(Linear::constant(0)),
            _ => None,
        },
        Form::Extremum(is_min, operands) => {
            let made = extremum(is_min, &operands.map(Expr::clone));
            Some(if matches!(made.kind(), ExprKind::Builtin(..)) { Linear::atom(made) } else { linear(&made) })
        }
        Form::Choice(c, a, b) if e.decider().is_some() => match truth(&simplify(c)) {
            Some(true) => Some(linear(a)),
            Some(false) => Some(linear(b)),
            None => {
                let (a, b) = (simplify(a), simplify(b));
                a.is_same(&b).then(|| linear(&a))
            }
        },
        _ => None,
    }
}

/// ⌊(k·q + r) / k⌋ = q + ⌊r / k⌋, and (k·q + r) mod k = r mod k.
fn division(op: BinaryOp, a: Linear, n: i64, span: Span) -> Linear {
    let (whole, rest): (Terms, Terms) = a.terms.iter().cloned().partition(|(_, c)| c % n == 0);
    let quotient = a.constant.div_euclid(n);
    let rest = Linear { terms: rest, constant: a.constant.rem_euclid(n) };
    let divided = match rest.value() {
        Some(c) => Linear::constant(if op == BinaryOp::Divide { c.div_euclid(n) } else { c.rem_euclid(n) }),
        None => Linear::atom(Expr::binary(op, rest.to_expr(span), Expr::int(n, span))),
    };
    if op == BinaryOp::Remainder {
        return divided;
    }
    let whole = Linear { terms: whole.into_iter().map(|(atom, c)| (atom, c / n)).collect(), constant: quotient };
    whole.clone().plus(&divided, 1).unwrap_or(whole)
}

fn atom(e: &Expr) -> Expr {
    if e.is_normal() || e.children().is_empty() {
        return e.clone();
    }
    let made = e.with_children(simplify);
    made.mark_normal();
    made
}

/// The normal form of an expression; of one that is no `int`, of its parts.
pub fn simplify(e: &Expr) -> Expr {
    e.normal_form(|| simplified(e))
}

fn simplified(e: &Expr) -> Expr {
    if e.element() == Element::Int32 {
        return linear(e).to_expr(e.span());
    }
    folded(atom(e))
}

/// A condition of simplified parts without those that change nothing; others as they are.
pub fn folded(e: Expr) -> Expr {
    if let Some(truth) = truth(&e) {
        return Expr::new(ExprKind::Constant(Constant::Bool(truth)), Element::Bool, e.span());
    }
    let Some((a, b)) = e.as_conjunction().or(e.as_disjunction()) else { return e };
    let changes_nothing = Some(e.as_conjunction().is_some());
    match (truth(a), truth(b)) {
        (known, _) if known == changes_nothing => b.clone(),
        (_, known) if known == changes_nothing => a.clone(),
        _ => e,
    }
}

/// Is a simplified condition known?
pub fn truth(e: &Expr) -> Option<bool> {
    if let ExprKind::Constant(Constant::Bool(b)) = e.kind() {
        return Some(*b);
    }
    if let Some((a, b)) = e.as_conjunction().or(e.as_disjunction()) {
        let decides = e.as_disjunction().is_some();
        return match (truth(a), truth(b)) {
            (Some(known), _) | (_, Some(known)) if known == decides => Some(decides),
            (Some(_), Some(_)) => Some(!decides),
            _ => None,
        };
    }
    if let ExprKind::Unary(UnaryOp::Not, a) = e.kind() {
        return truth(a).map(|holds| !holds);
    }
    let ExprKind::Compare(op, a, b) = e.kind() else { return None };
    let difference = (a.element() == Element::Int32).then(|| difference(a, b))??;
    Some(op.holds(Some(difference.cmp(&0))))
}

/// a − b, if it is a constant.
pub fn difference(a: &Expr, b: &Expr) -> Option<i64> {
    let difference = linear(a).plus(&linear(b), -1)?;
    let counted = || difference.counted_from_zero()?.value();
    difference.value().or_else(counted).or_else(|| difference.clone().without_pairs().value())
}

/// a − b of two choices by one condition, or two extrema of one kind, if what they choose from is apart by constants.
fn apart(a: &Expr, b: &Expr) -> Option<Linear> {
    if a.free_variables() != b.free_variables() {
        return None;
    }
    match (a.form(), b.form()) {
        (Form::Choice(c, x, y), Form::Choice(same, v, w))
            if c.is_same(same) && a.decider().is_some() && b.decider().is_some() =>
        {
            let (chosen, other) = (difference(x, v)?, difference(y, w)?);
            if chosen == other {
                return Some(Linear::constant(chosen));
            }
            let [chosen, other] = [chosen, other].map(|n| integer(n, a.span()));
            let choice = Expr::conditional(c.clone(), chosen, other);
            choice.mark_normal();
            Some(Linear::atom(choice))
        }
        (Form::Extremum(is_min, _), Form::Extremum(same, _)) if is_min == same => {
            let builtin = if is_min { LaneOp::Min } else { LaneOp::Max };
            let [left, right] = [a, b].map(|e| operands(builtin, std::iter::once(e.clone())));
            let distance = |own: &Expr| right.iter().find_map(|e| difference(own, e));
            let all = distance(left.first()?)?;
            let meet = |own: &[Expr], others: &[Expr], by: i64| {
                own.iter().all(|own| others.iter().any(|other| difference(own, other) == Some(by)))
            };
            (meet(&left, &right, all) && meet(&right, &left, -all)).then(|| Linear::constant(all))
        }
        _ => None,
    }
}

/// a − b
pub fn minus(a: &Expr, b: &Expr) -> Expr {
    simplify(&Expr::binary(BinaryOp::Subtract, a.clone(), b.clone()))
}

/// a + b
pub fn plus(a: &Expr, b: &Expr) -> Expr {
    simplify(&Expr::binary(BinaryOp::Add, a.clone(), b.clone()))
}

/// a + c
pub fn offset(a: &Expr, c: i64) -> Expr {
    plus(a, &Expr::int(c, a.span()))
}

/// The opposite of a comparison, or of an `||` of such.
pub fn negated(e: &Expr) -> Option<Expr> {
    if let ExprKind::Unary(UnaryOp::Not, a) = e.kind() {
        return Some(a.clone());
    }
    if let ExprKind::Or(a, b) = e.kind() {
        return Some(Expr::new(ExprKind::And(negated(a)?, negated(b)?), Element::Bool, e.span()));
    }
    let ExprKind::Compare(op, a, b) = e.kind() else { return None };
    let op = match op {
        CompareOp::Equal => CompareOp::NotEqual,
        CompareOp::NotEqual => CompareOp::Equal,
        CompareOp::Less => CompareOp::GreaterEqual,
        CompareOp::LessEqual => CompareOp::Greater,
        CompareOp::Greater => CompareOp::LessEqual,
        CompareOp::GreaterEqual => CompareOp::Less,
    };
    (a.element() == Element::Int32).then(|| Expr::compare(op, a.clone(), b.clone()))
}

/// An operand of an extremum: what two that differ by a constant have in common, and the constant.
struct Operand {
    e: Expr,
    form: Linear,
    /// Of the terms, in whatever order they are: those that are the same have the same.
    hash: u64,
}

impl Operand {
    fn new(e: Expr) -> Operand {
        let form = linear(&e);
        let hash = form.terms.iter().fold(0u64, |sum, (atom, c)| sum.wrapping_add(atom.structure().wrapping_mul(*c as u64)));
        Operand { e, form, hash }
    }

    /// self − other, if it is a constant.
    fn minus(&self, other: &Operand) -> Option<i64> {
        if self.hash != other.hash || self.form.terms.len() != other.form.terms.len() {
            return None;
        }
        self.form.clone().plus(&other.form, -1)?.value()
    }

    /// Whatever the variables are, it is no less than another one for a minimum, no greater for a maximum.
    fn is_beaten(&self, by: &Operand, is_min: bool) -> bool {
        self.minus(by).is_some_and(|d| if is_min { d >= 0 } else { d <= 0 })
    }
}

/// What an extremum consists of: none of it is an extremum itself.
fn operands(builtin: LaneOp, list: impl DoubleEndedIterator<Item = Expr>) -> Vec<Expr> {
    let mut all = Vec::new();
    let mut work: Vec<Expr> = list.rev().collect();
    while let Some(e) = work.pop() {
        if let ExprKind::Builtin(inner, operands) = e.kind()
            && *inner == builtin
            && e.element() == Element::Int32
        {
            work.extend(operands.iter().rev().cloned());
        } else {
            all.push(e);
        }
    }
    all
}

/// r + max(a, b) as r + a and r + b, of which the greater one is meant; an expression without such a sum as itself.
fn addends(builtin: LaneOp, e: &Expr) -> Vec<Expr> {
    let form = linear(e);
    let is_it = |(atom, c): &(Expr, i64)| *c == 1 && matches!(atom.kind(), ExprKind::Builtin(op, _) if *op == builtin);
    match form.terms.iter().position(is_it) {
        Some(at) if form.terms.len() > 1 || form.constant != 0 => {
            let mut rest = form.clone();
            let (atom, _) = rest.terms.remove(at);
            let rest = rest.to_expr(e.span());
            operands(builtin, std::iter::once(atom)).iter().map(|o| plus(&rest, o)).collect()
        }
        Some(_) | None => vec![e.clone()],
    }
}

/// An operand of an extremum, and what is in it: the operands of an extremum of the other kind, or itself.
struct Inner {
    e: Expr,
    /// What an extremum of the same kind in a sum says by itself.
    addends: Vec<Operand>,
    parts: Vec<Operand>,
    /// Those of the end that a condition guards.
    where_it_counts: Option<Vec<Operand>>,
}

impl Inner {
    /// Does the other one make this one superfluous?
    fn is_covered(&self, by: &Inner, is_min: bool) -> bool {
        let own = self.where_it_counts.as_ref().unwrap_or(&self.parts);
        by.parts.iter().all(|by| own.iter().any(|o| o.is_beaten(by, is_min)))
    }
}

/// Is it the end that a window has where it does not count, [`FAR`] away from all others (see `parts`)?
pub fn is_nowhere(e: &Expr) -> bool {
    constant_value(e).is_some_and(|n| n.abs() == FAR)
}

/// The minimum or maximum of some expressions: of those that differ by a constant, one is left.
pub fn extremum(is_min: bool, list: &[Expr]) -> Expr {
    let (builtin, other) = if is_min { (LaneOp::Min, LaneOp::Max) } else { (LaneOp::Max, LaneOp::Min) };
    let mut kept: Vec<Operand> = Vec::new();
    for e in operands(builtin, list.iter().map(simplify)) {
        let operand = Operand::new(e);
        match kept.iter().enumerate().find_map(|(at, k)| operand.minus(k).map(|d| (at, d))) {
            Some((at, d)) if d != 0 && (d < 0) == is_min => kept[at] = operand,
            Some(_) => {}
            None => kept.push(operand),
        }
    }
    if let [only] = &kept[..] {
        return only.e.clone();
    }
    // min(x, max(x, y)) = x: what an inner extremum of the other kind says is no more than its own parts. So
    // min(max(x, y), max(x + 1, y + 1)) = max(x, y): each part of the one that stays is no more than one of the other's.
    // So does min(x, c ? x : far), since the end of a part that does not count is beyond all others (see `parts`).
    let nowhere = if is_min { FAR } else { -FAR };
    let parts = |e: &Expr| operands(other, addends(other, e).into_iter()).into_iter().map(Operand::new).collect::<Vec<_>>();
    let mut kept: Vec<Inner> = kept
        .into_iter()
        .map(|Operand { e, .. }| {
            let guarded = if let ExprKind::Conditional(_, end, b) = e.kind() { Some((end, b)) } else { None };
            let counts = guarded.filter(|(_, b)| constant_value(b) == Some(nowhere)).map(|(end, _)| parts(end));
            let addends = addends(builtin, &e).into_iter().map(Operand::new).collect();
            Inner { parts: parts(&e), addends, where_it_counts: counts, e }
        })
        .collect();
    let mut at = 0;
    while at < kept.len() {
        let others = || (0..kept.len()).filter(|by| *by != at).map(|by| &kept[by]);
        let is_beaten = |own: &Operand| others().any(|other| other.addends.iter().any(|by| own.is_beaten(by, is_min)));
        let own = &kept[at].addends;
        if others().any(|by| kept[at].is_covered(by, is_min)) || (own.len() > 1 && own.iter().all(is_beaten)) {
            kept.remove(at);
        } else {
            at += 1;
        }
    }
    let mut kept = kept.into_iter().map(|inner| inner.e);
    let first = kept.next().expect("an extremum of something");
    kept.fold(first, |a, b| {
        let made = Expr::builtin(builtin, vec![a, b]);
        made.mark_normal();
        made
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::expr::Variable;
    use crate::source::Span;
    use crate::typed::ir::CompareOp;

    fn variable(number: u32) -> Expr {
        Expr::variable(Variable(number), Element::Int32, Span::default())
    }

    /// Written out, it has more than 2⁶⁴ parts.
    #[test]
    fn what_is_shared_is_looked_at_once() {
        let (x, y) = (variable(0), variable(1));
        let int = |n: i64| Expr::int(n, Span::default());
        let halves = |e: Expr| Expr::binary(BinaryOp::Divide, e, int(2));
        let rests = |e: Expr| Expr::binary(BinaryOp::Remainder, e, int(3));
        let step = |e: Expr| Expr::binary(BinaryOp::Add, halves(e.clone()), rests(e));
        let of = |first: &Expr| (0..64).fold(first.clone(), |e, _| step(e));
        let made = of(&x).substitute(&|v| (v == Variable(0)).then(|| y.clone()));
        assert_eq!(made.free_variables(), [Variable(1)]);
        assert_eq!(difference(&made, &made), Some(0));
        assert_eq!(simplify(&made).structure(), simplify(&of(&y)).structure());
    }

    #[test]
    fn ends_that_are_apart_by_a_constant_meet() {
        let (x, y, n) = (variable(0), variable(1), variable(2));
        let holds = Expr::compare(CompareOp::Less, x.clone(), n.clone());
        let choice = |a: Expr, b: Expr| Expr::conditional(holds.clone(), a, b);
        let near = choice(x.clone(), y.clone());
        assert_eq!(difference(&choice(offset(&x, 3), offset(&y, 3)), &near), Some(3));
        // Another constant in each case is no constant, but two of them.
        let apart = minus(&choice(offset(&x, 3), offset(&y, 5)), &near);
        assert!(apart.is_same(&choice(Expr::int(3, Span::default()), Expr::int(5, Span::default()))), "{apart:?}");
        let other = Expr::conditional(Expr::compare(CompareOp::Less, y.clone(), n.clone()), x.clone(), y.clone());
        assert_eq!(difference(&choice(offset(&x, 3), offset(&y, 3)), &other), None);

        let greatest = |a: &Expr, b: &Expr| extremum(false, &[a.clone(), b.clone()]);
        assert_eq!(difference(&greatest(&offset(&y, 4), &offset(&near, 4)), &greatest(&near, &y)), Some(4));
        assert_eq!(difference(&greatest(&offset(&y, 4), &offset(&x, 3)), &greatest(&x, &y)), None);
    }
}
