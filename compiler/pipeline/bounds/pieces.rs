//! Closed forms for expressions that rise or fall piece by piece.
//!
//! ```text
//! min(x, 99 - x),          x in [a, b]      cut after 49: candidates a, b, 49, 50, the latter two moved into [a, b]
//! select(x >= 4, x - 4, x)                  cut after 3
//! x * (9 - x)                               cut after 4, where it turns
//! 100 / (x + 1)                             cuts after −2 and −1: the divisor changes its sign
//! ```
//! Between two cuts the expression is monotone, so that its extremes over [a, b] are among its values at a, at b, and on both
//! sides of each cut, as far as these are in [a, b]. Cuts may be symbolic; their order is not needed.

use super::super::expr::{Expr, ExprKind, Form, Variable};
use super::super::simplify::{constant_value, extremum, is_nowhere, minus, offset, plus, simplify};
use super::interval::negative;
use super::range::{Interval, Ranging, Solver};
use crate::typed::ir::{BinaryOp, CompareOp, UnaryOp};
use crate::types::Element;

/// More candidates than these cost more than they tell.
const MOST_CUTS: usize = 6;
const MOST_FORMS: usize = 8;

/// two · v² + one · v + zero
#[derive(Clone)]
struct Polynomial {
    two: i64,
    one: Expr,
    zero: Expr,
}

/// What an expression is between cuts; a cut is the last value in front of it.
enum Shape {
    /// One of these, each time.
    Forms(Vec<Expr>, Vec<Polynomial>),
    /// Monotone.
    Monotone(Vec<Expr>),
}

impl Shape {
    /// The cuts between which it is monotone: a parabola has one where it turns.
    fn cuts(self) -> Option<Vec<Expr>> {
        match self {
            Shape::Monotone(cuts) => Some(cuts),
            Shape::Forms(mut cuts, forms) => {
                for form in forms.iter().filter(|form| form.two != 0) {
                    let divisor = form.two.checked_mul(-2)?;
                    add_cut(&mut cuts, divided(&form.one, divisor)?);
                }
                Some(cuts)
            }
        }
    }
}

impl Solver<'_> {
    /// The extremes of an expression over one loop, where it has few pieces.
    pub(super) fn piecewise(&self, e: &Expr, Ranging { variable, low, high, .. }: &Ranging) -> Option<Interval> {
        let variable = *variable;
        let cuts = shape(e, variable)?.cuts()?;
        if cuts.len() > MOST_CUTS {
            return None;
        }
        let inside = |cut: &Expr| extremum(false, &[low.clone(), extremum(true, &[cut.clone(), high.clone()])]);
        let sides = cuts.iter().flat_map(|cut| [inside(cut), inside(&offset(cut, 1))]);
        let at = |place: &Expr| simplify(&e.substitute(&|v| (v == variable).then(|| place.clone())));
        let candidates: Vec<Expr> = [low.clone(), high.clone()].into_iter().chain(sides).map(|place| at(&place)).collect();
        Some(Interval::between(extremum(true, &candidates), extremum(false, &candidates), true))
    }
}

/// ⌊e / n⌋ for n ≠ 0
fn divided(e: &Expr, n: i64) -> Option<Expr> {
    let span = e.span();
    let (e, n) = if n < 0 { (negative(e), n.checked_neg()?) } else { (e.clone(), n) };
    if n > i64::from(i32::MAX) {
        return None;
    }
    Some(simplify(&Expr::binary(BinaryOp::Divide, e, Expr::int(n, span))))
}

fn add_cut(cuts: &mut Vec<Expr>, cut: Expr) {
    if !cuts.iter().any(|known| known.is_same(&cut)) {
        cuts.push(cut);
    }
}

fn union(mut a: Vec<Expr>, b: Vec<Expr>) -> Vec<Expr> {
    b.into_iter().for_each(|cut| add_cut(&mut a, cut));
    a
}

fn is_free(e: &Expr, variable: Variable) -> bool {
    !e.mentions(&|v| v == variable)
}

fn shape(e: &Expr, v: Variable) -> Option<Shape> {
    let zero = || Expr::int(0, e.span());
    if e.element() != Element::Int32 {
        return None;
    }
    if is_free(e, v) {
        return Some(Shape::Forms(Vec::new(), vec![Polynomial { two: 0, one: zero(), zero: e.clone() }]));
    }
    match e.form() {
        Form::Variable(_) => {
            let one = Expr::int(1, e.span());
            Some(Shape::Forms(Vec::new(), vec![Polynomial { two: 0, one, zero: zero() }]))
        }
        Form::Negate(a) => combined(&zero(), a, v, &subtracted),
        Form::Binary(BinaryOp::Add, a, b) => combined(a, b, v, &added),
        Form::Binary(BinaryOp::Subtract, a, b) => combined(a, b, v, &subtracted),
        Form::Binary(BinaryOp::Multiply, a, b) => combined(a, b, v, &multiplied),
        // For a fixed divisor of either sign, and for a fixed dividend while the divisor keeps its sign.
        Form::Binary(BinaryOp::Divide, a, b) if is_free(b, v) => Some(Shape::Monotone(shape(a, v)?.cuts()?)),
        Form::Binary(BinaryOp::Divide, a, b) if is_free(a, v) => {
            let Shape::Forms(mut cuts, forms) = shape(b, v)? else { return None };
            for form in &forms {
                sign_cuts(form, &[0, -1], &mut cuts)?;
            }
            Some(Shape::Monotone(cuts))
        }
        Form::Extremum(_, [a, b]) => either(shape(a, v)?, shape(b, v)?, is_free(a, v) || is_free(b, v)),
        Form::Abs(a) => either(shape(a, v)?, shape(&negative(a), v)?, false),
        // The end of a window that is empty for some values: what it is where it counts is asked by parts.
        Form::Choice(c, _, b) if is_nowhere(b) && !is_free(c, v) => None,
        Form::Choice(c, a, b) => choice(c, a, b, v),
        _ => None,
    }
}

type Combine<'f> = &'f dyn Fn(&Polynomial, &Polynomial) -> Option<Polynomial>;

/// An operator of rings.
fn combined(a: &Expr, b: &Expr, v: Variable, combine: Combine<'_>) -> Option<Shape> {
    match (shape(a, v)?, shape(b, v)?) {
        (Shape::Forms(a_cuts, a), Shape::Forms(b_cuts, b)) => {
            let mut forms = Vec::new();
            for a in &a {
                for b in &b {
                    forms.push(combine(a, b)?);
                }
            }
            (forms.len() <= MOST_FORMS).then(|| Shape::Forms(union(a_cuts, b_cuts), forms))
        }
        // One that is fixed keeps a monotone one monotone.
        (Shape::Monotone(cuts), _) if is_free(b, v) => Some(Shape::Monotone(cuts)),
        (_, Shape::Monotone(cuts)) if is_free(a, v) => Some(Shape::Monotone(cuts)),
        (Shape::Monotone(_), _) | (_, Shape::Monotone(_)) => None,
    }
}

fn added(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    Some(Polynomial { two: a.two.checked_add(b.two)?, one: plus(&a.one, &b.one), zero: plus(&a.zero, &b.zero) })
}

fn subtracted(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    Some(Polynomial { two: a.two.checked_sub(b.two)?, one: minus(&a.one, &b.one), zero: minus(&a.zero, &b.zero) })
}

fn multiplied(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    let times = |x: &Expr, y: &Expr| simplify(&Expr::binary(BinaryOp::Multiply, x.clone(), y.clone()));
    let is_zero = |e: &Expr| constant_value(e) == Some(0);
    let is_fixed = |p: &Polynomial| p.two == 0 && is_zero(&p.one);
    if (a.two != 0 && !is_fixed(b)) || (b.two != 0 && !is_fixed(a)) {
        return None;
    }
    // What is multiplied by 0 need not be a number.
    let number = |x: &Expr, n: i64| if n == 0 { Some(0) } else { constant_value(x)?.checked_mul(n) };
    let ones = if is_zero(&a.one) { 0 } else { number(&a.one, if is_zero(&b.one) { 0 } else { constant_value(&b.one)? })? };
    let two = ones.checked_add(number(&a.zero, b.two)?)?.checked_add(number(&b.zero, a.two)?)?;
    Some(Polynomial { two, one: plus(&times(&a.one, &b.zero), &times(&a.zero, &b.one)), zero: times(&a.zero, &b.zero) })
}

/// Cuts such that form ≤ most does not change between them, for each of these.
fn sign_cuts(form: &Polynomial, most: &[i64], cuts: &mut Vec<Expr>) -> Option<()> {
    if form.two != 0 {
        return None;
    }
    let one = constant_value(&form.one)?;
    for &m in most.iter().filter(|_| one != 0) {
        // one · v + zero ≤ m up to v = ⌊(m − zero) / one⌋; for a falling form from v = ⌈(m − zero) / one⌉ on, one behind the cut
        // −1 − ⌊(m − zero) / −one⌋ = ⌊(−1 − (m − zero)) / −one⌋.
        let number = |n: i64| Expr::int(n, form.zero.span());
        let rest = minus(&number(m), &form.zero);
        let rest = if one > 0 { rest } else { minus(&number(-1), &rest) };
        add_cut(cuts, divided(&rest, one.checked_abs()?)?);
    }
    Some(())
}

/// The smaller or the larger of two: cut where they cross. Where one of them is fixed, the other one's direction is that of both.
fn either(a: Shape, b: Shape, one_is_fixed: bool) -> Option<Shape> {
    let crossings = || {
        let (Shape::Forms(_, a), Shape::Forms(_, b)) = (&a, &b) else { return None };
        let mut cuts = Vec::new();
        for a in a {
            for b in b {
                sign_cuts(&subtracted(a, b)?, &[0], &mut cuts)?;
            }
        }
        Some(cuts)
    };
    match crossings() {
        Some(cuts) => joined(cuts, a, b),
        None => one_is_fixed.then_some(Shape::Monotone(union(a.cuts()?, b.cuts()?))),
    }
}

/// One of two: cut where the condition changes.
fn choice(c: &Expr, a: &Expr, b: &Expr, v: Variable) -> Option<Shape> {
    let mut cuts = Vec::new();
    condition_cuts(c, v, &mut cuts)?;
    joined(cuts, shape(a, v)?, shape(b, v)?)
}

/// One of two, which changes at these cuts at most.
fn joined(cuts: Vec<Expr>, a: Shape, b: Shape) -> Option<Shape> {
    match (a, b) {
        (Shape::Forms(a_cuts, a), Shape::Forms(b_cuts, b)) => {
            let forms = [a, b].concat();
            (forms.len() <= MOST_FORMS).then(|| Shape::Forms(union(union(a_cuts, b_cuts), cuts), forms))
        }
        (a, b) => Some(Shape::Monotone(union(union(a.cuts()?, b.cuts()?), cuts))),
    }
}

/// Cuts such that a condition does not change between them.
fn condition_cuts(c: &Expr, v: Variable, cuts: &mut Vec<Expr>) -> Option<()> {
    if is_free(c, v) {
        return Some(());
    }
    let is_connective = matches!(
        c.kind(),
        ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Binary(BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, ..)
            | ExprKind::Unary(UnaryOp::Not, _)
    );
    if is_connective {
        return c.children().into_iter().try_for_each(|part| condition_cuts(part, v, cuts));
    }
    let ExprKind::Compare(op, a, b) = c.kind() else { return None };
    if a.element() != Element::Int32 {
        return None;
    }
    let Shape::Forms(own, forms) = combined(a, b, v, &subtracted)? else { return None };
    own.into_iter().for_each(|cut| add_cut(cuts, cut));
    let most: &[i64] = match op {
        CompareOp::Less | CompareOp::GreaterEqual => &[-1],
        CompareOp::LessEqual | CompareOp::Greater => &[0],
        CompareOp::Equal | CompareOp::NotEqual => &[-1, 0],
    };
    forms.iter().try_for_each(|form| sign_cuts(form, most, cuts))
}
