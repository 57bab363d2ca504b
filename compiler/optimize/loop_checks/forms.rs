//! What a guard need not ask: conditions that hold whatever the program's numbers are, and those that others imply.
//!
//! ```text
//! n & −8 ≤ n                                holds
//! (n & −8) + (n & 7) ≤ n                    holds
//! x + 1 ≤ m, x ≤ 2³¹ − 1   for m: i32       x + 1 ≤ m
//! (n & −8) + min((n & 7) − 1, 7) + 1 ≤ m    n ≤ m
//! ```
//! A term is a sum of products of atoms: numbers of the program that are not computed from others here, and what is no sum or product:
//! minima, maxima, multiples of a power of two. What is computed from others in the program is looked through where it does not wrap.
//! a ≤ b is shown by a least value of b − a that is not negative: with the least and the greatest value of each atom, or with what a
//! minimum, a maximum or a multiple was made of in its place. What is left is written anew, as the sums are.
//!
//! A condition speaks about numbers without a width. As it is computed it says so only if nothing in it leaves 64 bits, which others may
//! have to ensure: then it implies nothing here.

use super::ranges::signed;
use super::terms::{Condition, Kind, Term, Terms, limits};
use crate::optimize::ranges::range;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// How deep values are looked through.
const MAX_DEPTH: u32 = 24;
/// Sums of more products are not compared.
const MAX_PRODUCTS: usize = 24;
/// So many replacements are tried for a comparison.
const MAX_TRIES: u32 = 64;
/// Among more conditions none is looked for that implies another.
const MAX_PAIRS: usize = 64;

/// Least and greatest.
type Bounds = (i128, i128);

/// A sum of products of atoms, by number, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Form {
    constant: i128,
    /// By the atoms of a product, in ascending order, how often it is added.
    products: BTreeMap<Vec<u32>, i128>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Atom {
    Value(Value),
    Entry(u32, Type),
    Least(Form, Form),
    Greatest(Form, Form),
    /// Rounded down to a multiple of two to this power.
    Multiple(Form, u32),
    /// What a number of so many bits keeps of a sum.
    Wrapped(Form, u32),
    Other(Term),
}

/// The conditions of a guard that are not implied.
pub(super) fn needed(function: &Function, terms: &mut Terms, conditions: &[Condition]) -> Vec<Condition> {
    let (atoms, bounds, values, known) = Default::default();
    let mut forms = Forms { function, terms, atoms, bounds, values, known, tries: 0 };
    // By how much what is compared is greater; nothing where that is too long.
    let mut differences: Vec<(Condition, Option<Form>)> = Vec::new();
    for &condition in conditions {
        let Condition::AtMost(a, b) = condition else {
            differences.push((condition, None));
            continue;
        };
        let difference = forms.of(b).zip(forms.of(a)).and_then(|(b, a)| plus(&b, &a, -1));
        if difference.as_ref().is_none_or(|difference| !forms.is_positive(difference)) {
            differences.push((condition, difference));
        }
    }
    forms.keep_strongest(&mut differences);
    if differences.len() > MAX_PAIRS {
        return differences.into_iter().map(|(condition, _)| condition).collect();
    }
    let mut at = differences.len();
    while at > 0 {
        at -= 1;
        let Some(weak) = differences[at].1.clone() else { continue };
        let implies = |forms: &mut Forms, (condition, strong): &(Condition, Option<Form>)| {
            let (Condition::AtMost(a, b), Some(strong)) = (condition, strong) else { return false };
            [a, b].into_iter().all(|&term| forms.is_exact(term))
                && plus(&weak, strong, -1).is_some_and(|rest| forms.is_positive(&rest))
        };
        if (0..differences.len()).any(|other| other != at && implies(&mut forms, &differences[other])) {
            differences.remove(at);
        }
    }
    let anew = |(condition, difference): (Condition, Option<Form>)| {
        difference.and_then(|difference| forms.condition(&difference)).unwrap_or(condition)
    };
    let mut seen = FxHashSet::default();
    differences.into_iter().map(anew).filter(|condition| seen.insert(*condition)).collect()
}

struct Forms<'f> {
    function: &'f Function,
    terms: &'f mut Terms,
    atoms: Vec<Atom>,
    /// Of each atom.
    bounds: Vec<Bounds>,
    /// Of each atom, a value of the program that it is.
    values: FxHashMap<u32, Value>,
    known: FxHashMap<Atom, u32>,
    /// Replacements that may still be tried.
    tries: u32,
}

impl Forms<'_> {
    /// Of conditions that differ by a constant, such as those of neighbours that a loop accesses, the strongest implies the others.
    fn keep_strongest(&self, differences: &mut Vec<(Condition, Option<Form>)>) {
        let mut least: FxHashMap<BTreeMap<Vec<u32>, i128>, (i128, Condition)> = FxHashMap::default();
        for (condition, difference) in differences.iter() {
            let (Condition::AtMost(a, b), Some(difference)) = (*condition, difference) else { continue };
            if self.is_exact(a) && self.is_exact(b) {
                let strongest = least.entry(difference.products.clone()).or_insert((difference.constant, *condition));
                if difference.constant < strongest.0 {
                    *strongest = (difference.constant, *condition);
                }
            }
        }
        differences.retain(|(condition, difference)| {
            let strongest = difference.as_ref().and_then(|difference| Some((difference, least.get(&difference.products)?)));
            strongest.is_none_or(|(difference, (constant, strongest))| condition == strongest || difference.constant < *constant)
        });
    }

    fn of(&mut self, term: Term) -> Option<Form> {
        match self.terms.parts(term).0 {
            Kind::Const(value) => Some(constant(value.into())),
            Kind::Value(value) => self.of_value(value, 0),
            Kind::Entry(index, ty) => {
                let (low, high) = limits(ty);
                Some(self.atom(Atom::Entry(index, ty), (low.into(), high.into())))
            }
            Kind::Limited(inner, ..) => self.of(inner),
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                let sum = self.of_binary(op, a, b);
                sum.or_else(|| self.exact_bounds(term).map(|bounds| self.atom(Atom::Other(term), bounds)))
            }
        }
    }

    /// The number that a scalar of the program is.
    fn of_value(&mut self, value: Value, depth: u32) -> Option<Form> {
        let ty = self.function.ty(value);
        let (low, high) = range(self.function, value);
        let itself = |this: &mut Self| Some(this.atom(Atom::Value(value), (low.into(), high.into())));
        let Some(op) = self.function.definition(value).filter(|_| depth < MAX_DEPTH && ty.element.is_int()) else {
            return itself(self);
        };
        let (least, most) = limits(ty);
        let fits = |(low, high): Bounds| i128::from(least) <= low && high <= i128::from(most);
        let form = match op {
            Op::Const(bits) => return Some(constant(signed(ty, bits[0]).into())),
            &Op::Convert(ConvertOp::SExt, a) if self.function.ty(a).element.is_int() => self.of_value(a, depth + 1),
            &Op::Convert(ConvertOp::Trunc, a) => self.of_value(a, depth + 1),
            &Op::Convert(ConvertOp::ZExt, a) if self.function.ty(a).element.is_int() => {
                let form = self.of_value(a, depth + 1)?;
                Some(form).filter(|form| self.bounds(form).0 >= 0)
            }
            &Op::Binary(op, a, b) => {
                let (a, b) = (self.of_value(a, depth + 1)?, self.of_value(b, depth + 1)?);
                self.of_binary(op, a, b)
            }
            _ => None,
        };
        match form {
            Some(form) if fits(self.bounds(&form)) => Some(form),
            Some(form) if wraps(op) => {
                let wrapped = self.atom(Atom::Wrapped(form, ty.element.bits()), (low.into(), high.into()));
                let (product, _) = wrapped.products.first_key_value().expect("an atom");
                self.values.entry(product[0]).or_insert(value);
                Some(wrapped)
            }
            _ => itself(self),
        }
    }

    fn of_binary(&mut self, op: BinaryOp, a: Form, b: Form) -> Option<Form> {
        match op {
            BinaryOp::Add => plus(&a, &b, 1),
            BinaryOp::Sub => plus(&a, &b, -1),
            BinaryOp::Mul => times(&a, &b),
            BinaryOp::SMin | BinaryOp::SMax => {
                let difference = plus(&b, &a, -1)?;
                let is_min = op == BinaryOp::SMin;
                if self.is_positive(&difference) {
                    return Some(if is_min { a } else { b });
                }
                if self.is_positive(&plus(&constant(0), &difference, -1)?) {
                    return Some(if is_min { b } else { a });
                }
                let (x, y) = (self.bounds(&a), self.bounds(&b));
                let (atom, bounds) = match is_min {
                    true => (Atom::Least(a, b), (x.0.min(y.0), x.1.min(y.1))),
                    false => (Atom::Greatest(a, b), (x.0.max(y.0), x.1.max(y.1))),
                };
                Some(self.atom(atom, bounds))
            }
            BinaryOp::And => {
                let (a, mask) = match (a.products.is_empty(), b.products.is_empty()) {
                    (_, true) => (a, b.constant),
                    (true, false) => (b, a.constant),
                    (false, false) => return None,
                };
                let rounded = |this: &mut Self, power: u128| this.rounded(a.clone(), power.trailing_zeros());
                match mask {
                    ..0 if mask.unsigned_abs().is_power_of_two() => rounded(self, mask.unsigned_abs()),
                    0.. if (mask as u128 + 1).is_power_of_two() => {
                        let whole = rounded(self, mask as u128 + 1)?;
                        plus(&a, &whole, -1)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Rounded down to a multiple of two to a power. What is a multiple already stays outside.
    fn rounded(&mut self, form: Form, power: u32) -> Option<Form> {
        let by = 1i128 << power;
        let mut whole = constant(form.constant & -by);
        let mut rest = constant(form.constant - whole.constant);
        for (product, &times) in &form.products {
            let is_multiple = (times % by == 0) || product.iter().any(|&atom| self.is_multiple(atom, power));
            let part = if is_multiple { &mut whole } else { &mut rest };
            part.products.insert(product.clone(), times);
        }
        if rest.products.is_empty() {
            return Some(whole);
        }
        let (low, high) = self.bounds(&rest);
        let atom = self.atom(Atom::Multiple(rest, power), (low & -by, high & -by));
        plus(&whole, &atom, 1)
    }

    fn is_multiple(&self, atom: u32, power: u32) -> bool {
        matches!(self.atoms[atom as usize], Atom::Multiple(_, of) if of >= power)
    }

    fn atom(&mut self, atom: Atom, bounds: Bounds) -> Form {
        let next = self.atoms.len() as u32;
        let number = *self.known.entry(atom.clone()).or_insert(next);
        if number == next {
            self.atoms.push(atom);
            self.bounds.push(bounds);
        }
        Form { constant: 0, products: BTreeMap::from([(vec![number], 1)]) }
    }

    /// Between what a sum certainly is.
    fn bounds(&self, form: &Form) -> Bounds {
        let mut all = (form.constant, form.constant);
        for (product, &times) in &form.products {
            let mut bounds = (times, times);
            for &atom in product {
                bounds = product_of(bounds, self.bounds[atom as usize]);
            }
            all = (all.0.saturating_add(bounds.0), all.1.saturating_add(bounds.1));
        }
        all
    }

    /// Is it certainly not negative?
    fn is_positive(&mut self, form: &Form) -> bool {
        self.tries = MAX_TRIES;
        self.is_positive_with(form)
    }

    fn is_positive_with(&mut self, form: &Form) -> bool {
        if self.bounds(form).0 >= 0 {
            return true;
        }
        // Of what is made of other atoms there, the last ones.
        for (product, &times) in form.products.iter().rev() {
            let &[atom] = &product[..] else { continue };
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            let with = |this: &mut Self, other: &Form, less: i128| {
                let mut rest = form.clone();
                rest.products.remove(product);
                let replaced = plus(other, &constant(less), -1).and_then(|other| plus(&rest, &other, times));
                replaced.is_some_and(|replaced| this.is_positive_with(&replaced))
            };
            let positive = match self.atoms[atom as usize].clone() {
                Atom::Least(a, b) if times > 0 => with(self, &a, 0) && with(self, &b, 0),
                Atom::Greatest(a, b) if times < 0 => with(self, &a, 0) && with(self, &b, 0),
                Atom::Least(a, b) | Atom::Greatest(a, b) => with(self, &a, 0) || with(self, &b, 0),
                Atom::Multiple(a, power) => with(self, &a, if times > 0 { (1 << power) - 1 } else { 0 }),
                Atom::Value(_) | Atom::Entry(..) | Atom::Wrapped(..) | Atom::Other(_) => false,
            };
            if positive {
                return true;
            }
        }
        false
    }

    /// Of a sum that is not to be negative, if what is added and what is taken away fit.
    fn condition(&mut self, difference: &Form) -> Option<Condition> {
        let (mut less, mut more) = (constant(0), constant(0));
        for (product, &times) in &difference.products {
            let side = if times < 0 { &mut less } else { &mut more };
            side.products.insert(product.clone(), times.abs());
        }
        let side = if difference.constant < 0 { &mut less } else { &mut more };
        side.constant = difference.constant.abs();
        Some(Condition::AtMost(self.term(&less)?, self.term(&more)?))
    }

    /// A sum as a term, if that needs no condition.
    fn term(&mut self, form: &Form) -> Option<Term> {
        let mut sum = self.terms.constant(form.constant.try_into().ok()?)?;
        for (product, &times) in &form.products {
            let mut term = self.terms.constant(times.try_into().ok()?)?;
            for &atom in product {
                let factor = self.term_of_atom(atom)?;
                term = self.binary(BinaryOp::Mul, factor, term)?;
            }
            sum = self.binary(BinaryOp::Add, term, sum)?;
        }
        Some(sum)
    }

    fn term_of_atom(&mut self, atom: u32) -> Option<Term> {
        let mut conditions = Vec::new();
        let (low, high) = self.bounds[atom as usize];
        let bounds = (low.try_into().ok()?, high.try_into().ok()?);
        let term = match self.atoms[atom as usize].clone() {
            Atom::Value(value) => self.terms.value(value, bounds, &mut conditions)?,
            Atom::Wrapped(..) => self.terms.value(*self.values.get(&atom)?, bounds, &mut conditions)?,
            Atom::Entry(index, ty) => self.terms.entry(index, ty, &mut conditions)?,
            Atom::Least(a, b) => {
                let (a, b) = (self.term(&a)?, self.term(&b)?);
                self.binary(BinaryOp::SMin, a, b)?
            }
            Atom::Greatest(a, b) => {
                let (a, b) = (self.term(&a)?, self.term(&b)?);
                self.binary(BinaryOp::SMax, a, b)?
            }
            Atom::Multiple(a, power) => {
                let (a, mask) = (self.term(&a)?, self.terms.constant(-(1 << power))?);
                self.binary(BinaryOp::And, a, mask)?
            }
            Atom::Other(term) => term,
        };
        conditions.is_empty().then_some(term)
    }

    fn binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let mut conditions = Vec::new();
        let term = self.terms.binary(op, a, b, &mut conditions)?;
        conditions.is_empty().then_some(term)
    }

    /// Does a term stay within 64 bits when it is computed, whatever other conditions say?
    fn is_exact(&self, term: Term) -> bool {
        self.exact_bounds(term).is_some()
    }

    fn exact_bounds(&self, term: Term) -> Option<Bounds> {
        let (kind, low, high) = self.terms.parts(term);
        let bounds = match kind {
            Kind::Const(_) | Kind::Value(_) | Kind::Entry(..) => (low, high),
            Kind::Limited(inner, ..) => self.exact_bounds(inner)?,
            Kind::Binary(op, a, b) => {
                let (x, y) = (self.exact_bounds(a)?, self.exact_bounds(b)?);
                match op {
                    BinaryOp::Add => (x.0 + y.0, x.1 + y.1),
                    BinaryOp::Sub => (x.0 - y.1, x.1 - y.0),
                    BinaryOp::Mul => product_of(x, y),
                    BinaryOp::SMin | BinaryOp::SMax => (x.0.min(y.0), x.1.max(y.1)),
                    // They make nothing greater, and negative numbers of multiples and quotients are as great as their dividends.
                    _ => (x.0.min(0).saturating_mul(2), x.1.max(0)),
                }
            }
        };
        (bounds.0 >= i64::MIN.into() && bounds.1 <= i64::MAX.into()).then_some(bounds)
    }
}

/// Is the result the low bits of the number that it would be?
fn wraps(op: &Op) -> bool {
    matches!(op, Op::Convert(ConvertOp::Trunc, _) | Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..))
}

fn constant(constant: i128) -> Form {
    Form { constant, products: BTreeMap::new() }
}

/// a + times · b, if it is short.
fn plus(a: &Form, b: &Form, times: i128) -> Option<Form> {
    let mut sum = a.clone();
    sum.constant = sum.constant.checked_add(b.constant.checked_mul(times)?)?;
    for (product, &count) in &b.products {
        let old = sum.products.remove(product).unwrap_or(0);
        let new = old.checked_add(count.checked_mul(times)?)?;
        if new != 0 {
            sum.products.insert(product.clone(), new);
        }
    }
    (sum.products.len() <= MAX_PRODUCTS).then_some(sum)
}

fn times(a: &Form, b: &Form) -> Option<Form> {
    let mut all = constant(0);
    for (left, count) in parts(a) {
        let mut row = constant(0);
        for (right, times) in parts(b) {
            let mut product = [left, right].concat();
            product.sort_unstable();
            let times = count.checked_mul(times)?;
            match product.is_empty() {
                true => row.constant = row.constant.checked_add(times)?,
                false => _ = row.products.insert(product, times),
            }
        }
        all = plus(&all, &row, 1)?;
    }
    Some(all)
}

/// The products of a sum, one without atoms among them.
fn parts(form: &Form) -> impl Iterator<Item = (&[u32], i128)> {
    let products = form.products.iter().map(|(product, &times)| (&product[..], times));
    products.chain((form.constant != 0).then_some((&[][..], form.constant)))
}

fn product_of(a: Bounds, b: Bounds) -> Bounds {
    let products = [a.0.saturating_mul(b.0), a.0.saturating_mul(b.1), a.1.saturating_mul(b.0), a.1.saturating_mul(b.1)];
    (*products.iter().min().expect("four"), *products.iter().max().expect("four"))
}
