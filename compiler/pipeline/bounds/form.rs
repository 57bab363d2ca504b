//! What the forms of expressions say of their values: how they change with a variable, whether they take each value between two,
//! and modulo which number they are the same.

use super::super::expr::{Expr, ExprKind, Form, Variable};
use super::super::simplify::{constant_value, linear};
use crate::typed::ir::BinaryOp;

/// a and n of ⌊a / n⌋, where n is a number greater than 0.
pub fn quotient(e: &Expr) -> Option<(&Expr, i64)> {
    let ExprKind::Binary(BinaryOp::Divide, a, n) = e.kind() else { return None };
    Some((a, constant_value(n).filter(|n| *n > 0)?))
}

/// How an expression changes with a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Monotone {
    /// Not at all.
    Constant,
    /// It does not fall as the variable rises.
    Rising,
    /// It does not rise.
    Falling,
    /// In a way that is not known.
    Unknown,
}

impl Monotone {
    fn times(self, factor: i64) -> Monotone {
        match self {
            _ if factor == 0 => Monotone::Constant,
            Monotone::Rising if factor < 0 => Monotone::Falling,
            Monotone::Falling if factor < 0 => Monotone::Rising,
            same => same,
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

/// How an `int` expression changes, by how its variables change.
pub fn monotone(e: &Expr, variable: &dyn Fn(Variable) -> Monotone) -> Monotone {
    if !e.mentions(&|v| variable(v) != Monotone::Constant) {
        return Monotone::Constant;
    }
    let of = |e: &Expr| monotone(e, variable);
    match e.form() {
        Form::Variable(v) => variable(v),
        Form::Negate(a) => of(a).times(-1),
        Form::Binary(BinaryOp::Add, a, b) | Form::Extremum(_, [a, b]) => of(a).with(of(b)),
        Form::Binary(BinaryOp::Subtract, a, b) => of(a).with(of(b).times(-1)),
        Form::Binary(BinaryOp::Multiply, a, b) => match (constant_value(a), constant_value(b)) {
            (Some(n), _) => of(b).times(n),
            (_, Some(n)) => of(a).times(n),
            (None, None) => Monotone::Unknown,
        },
        Form::Binary(BinaryOp::Divide, a, b) => constant_value(b).map_or(Monotone::Unknown, |n| of(a).times(n)),
        Form::Choice(c, a, b) if of(c) == Monotone::Constant => of(a).with(of(b)),
        _ => Monotone::Unknown,
    }
}

/// Does the expression take every value between its extremes? Where each variable makes steps of at most 1, it does.
pub fn has_unit_steps(e: &Expr, ranging: &dyn Fn(Variable) -> bool) -> bool {
    let of = |e: &Expr| has_unit_steps(e, ranging);
    if !e.mentions(ranging) {
        return true;
    }
    match e.form() {
        Form::Variable(_) => true,
        Form::Negate(a) | Form::Abs(a) => of(a),
        Form::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, ..) => {
            let form = linear(e);
            let atoms: Vec<&(Expr, i64)> = form.terms.iter().filter(|(atom, _)| atom.mentions(ranging)).collect();
            let shares = |a: &Expr, b: &Expr| a.mentions(&|v| ranging(v) && b.mentions(&|w| v == w));
            let is_apart = |at: usize| atoms[at + 1..].iter().all(|(other, _)| !shares(&atoms[at].0, other));
            let is_product = |atom: &Expr| matches!(atom.kind(), ExprKind::Binary(BinaryOp::Multiply, ..));
            atoms.iter().enumerate().all(|(at, (atom, c))| c.abs() == 1 && !is_product(atom) && of(atom) && is_apart(at))
        }
        Form::Binary(BinaryOp::Divide, a, b) => constant_value(b).is_some_and(|n| n != 0) && of(a),
        Form::Extremum(_, operands) => operands.into_iter().all(of),
        _ => false,
    }
}

/// m and r with e ≡ r modulo m: an exact value for m = 0, nothing for m = 1.
pub fn congruence(e: &Expr) -> (i64, i64) {
    if let Some(n) = constant_value(e) {
        return (0, n);
    }
    let known = match e.form() {
        // An atom that is a sum itself would come back here.
        Form::Negate(_) | Form::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) => {
            let form = linear(e);
            let is_sum = |atom: &Expr| {
                matches!(atom.kind(), ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) | ExprKind::Unary(..))
            };
            form.terms.iter().try_fold((0, form.constant), |(m, r), (atom, c)| {
                let (n, s) = if is_sum(atom) { (1, 0) } else { congruence(atom) };
                Some(reduced(gcd(m, n.checked_mul(*c)?), s.checked_mul(*c)?.checked_add(r)?))
            })
        }
        Form::Binary(BinaryOp::Multiply, a, b) => product(congruence(a), congruence(b)),
        Form::Binary(BinaryOp::Remainder, a, b) => constant_value(b).filter(|n| *n != 0).map(|n| {
            let (m, r) = congruence(a);
            reduced(gcd(m, n), r)
        }),
        Form::Extremum(_, [a, b]) | Form::Choice(_, a, b) => {
            let ((m, r), (n, s)) = (congruence(a), congruence(b));
            r.checked_sub(s).map(|difference| reduced(gcd(gcd(m, n), difference), r))
        }
        _ => None,
    };
    known.unwrap_or((1, 0))
}

/// (m·i + r)(n·j + s) = mn·ij + ms·i + nr·j + rs
fn product((m, r): (i64, i64), (n, s): (i64, i64)) -> Option<(i64, i64)> {
    let modulus = gcd(gcd(m.checked_mul(n)?, m.checked_mul(s)?), n.checked_mul(r)?);
    Some(reduced(modulus, r.checked_mul(s)?))
}

fn reduced(m: i64, r: i64) -> (i64, i64) {
    if m == 0 { (0, r) } else { (m, r.rem_euclid(m)) }
}

/// The greatest common divisor; that of 0 and n is n.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}
