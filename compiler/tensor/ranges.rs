//! The ranges of indices, from the accesses that they stand in (*Tensor Comprehensions*, "Variable Scoping": "that range is inferred
//! by its use").
//!
//! ```text
//! O(h) +=! I(2 * h + kh) * W(kh)      round 1: kh in [0, KH)                     by W(kh), whose only index it is
//!                                     round 2: h in [0, (H - KH) / 2 + 1)        by I(2 * h + kh), where kh is known by now
//! ```
//! What `where` fixes comes first. In each round, for each index that is open, those accesses count in which it is the only open one:
//! each gives the largest interval over which it stays inside whatever the others are, and the index has the intersection. Rounds
//! do not see what the same round finds, so that the order of names, factors and declarations does not matter.
//!
//! # Invariants
//! 1. A range is a startup expression: it mentions no index.
//! 2. An access in which two indices or more became known in one round has bounded none of them: it is inside by proof, or
//!    ambiguous.
//! 3. An access that is evaluated under a condition bounds the indices that the condition does not mention, as any other does: of
//!    those it does mention the condition may be what keeps them inside.

use crate::pipeline::expr::{Expr, Terms, Variable};
use crate::pipeline::simplify::{Linear, constant_value, difference, extremum, linear, minus, offset, plus, simplify};
use crate::source::Span;
use crate::typed::ir::BinaryOp;
use rustc_hash::{FxHashMap, FxHashSet};

/// An index of a statement.
#[derive(Clone, Debug)]
pub struct Index {
    /// The variable.
    pub variable: Variable,
    /// Its range, if that is known.
    pub range: Option<Range>,
}

/// The values of an index.
#[derive(Clone, Debug)]
pub struct Range {
    /// The first one.
    pub begin: Expr,
    /// Behind the last one.
    pub end: Expr,
    /// The accesses that gave it, by number; none where `where` did.
    pub by: Vec<usize>,
}

/// An index expression of an access, in one dimension of what is accessed.
#[derive(Clone, Debug)]
pub struct Access {
    /// The index expression.
    pub index: Expr,
    /// Where what is accessed begins in this dimension, and where it ends.
    pub window: [Expr; 2],
    /// Is it evaluated under a condition?
    pub is_guarded: bool,
    /// What the conditions mention under which it is evaluated.
    pub deciders: FxHashSet<Variable>,
    /// Is it bounded by other means: read from a tensor, or by the user's word?
    pub is_opaque: bool,
    /// Its text.
    pub span: Span,
}

/// What inference leaves to be looked at.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Indices whose range nothing gives, by number.
    pub open: Vec<usize>,
    /// Accesses that are inside only if some condition holds, and no index was bounded by them: they are ambiguous.
    pub ambiguous: Vec<(usize, [Expr; 2])>,
    /// Accesses whose indices `where` has fixed, with their least and greatest value: they are checked when the definition is called.
    pub unproven: Vec<(usize, [Expr; 2])>,
}

/// Infers the ranges of the indices that have none.
pub fn infer(indices: &mut [Index], accesses: &[Access]) -> Found {
    let fixed: FxHashSet<Variable> = indices.iter().filter(|i| i.range.is_some()).map(|i| i.variable).collect();
    let mut bounding: FxHashSet<usize> = FxHashSet::default();
    loop {
        let known = known(indices);
        let is_open = |v: Variable| indices.iter().any(|i| i.variable == v && i.range.is_none());
        let mut round: Vec<(usize, Range)> = Vec::new();
        for (number, index) in indices.iter().enumerate().filter(|(_, i)| i.range.is_none()) {
            let mut found: Option<Range> = None;
            for (by, access) in accesses.iter().enumerate().filter(|(_, a)| !a.is_opaque) {
                let open: FxHashSet<Variable> = access.index.free_variables().iter().copied().filter(|v| is_open(*v)).collect();
                if open.len() != 1 || !open.contains(&index.variable) || access.deciders.contains(&index.variable) {
                    continue;
                }
                let [low, high] = access.window.clone();
                let Some([begin, end]) = inside(&access.index, index.variable, &known, [low, high]) else { continue };
                bounding.insert(by);
                found = Some(match found {
                    None => Range { begin, end, by: vec![by] },
                    Some(mut range) => {
                        range.begin = extremum(false, &[range.begin, begin]);
                        range.end = extremum(true, &[range.end, end]);
                        range.by.push(by);
                        range
                    }
                });
            }
            round.extend(found.map(|range| (number, range)));
        }
        if round.is_empty() {
            break;
        }
        round.into_iter().for_each(|(number, range)| indices[number].range = Some(range));
    }
    let mut found = Found { open: (0..indices.len()).filter(|&i| indices[i].range.is_none()).collect(), ..Found::default() };
    if !found.open.is_empty() {
        return found;
    }
    let known = known(indices);
    for (number, access) in accesses.iter().enumerate() {
        if access.is_guarded || access.is_opaque || bounding.contains(&number) {
            continue;
        }
        let Some([least, greatest]) = ends(&access.index, &known) else { continue };
        let is_inside = difference(&least, &access.window[0]).is_some_and(|d| d >= 0)
            && difference(&access.window[1], &greatest).is_some_and(|d| d > 0);
        let is_fixed = access.index.free_variables().iter().all(|v| fixed.contains(v) || !known.contains_key(v));
        match (is_inside, is_fixed) {
            (true, _) => {}
            (false, true) => found.unproven.push((number, [least, greatest])),
            (false, false) => found.ambiguous.push((number, [least, greatest])),
        }
    }
    found
}

/// The ranges that are known, as begin and last value.
pub fn known(indices: &[Index]) -> FxHashMap<Variable, [Expr; 2]> {
    let range = |i: &Index| i.range.as_ref().map(|r| (i.variable, [r.begin.clone(), offset(&r.end, -1)]));
    indices.iter().filter_map(range).collect()
}

/// The largest interval [b, e) of a variable in which an expression has values in [low, high), whatever the values of the others are.
/// `None` for an expression that is neither a sum of multiples of variables nor a quotient of such by a number.
fn inside(e: &Expr, variable: Variable, known: &FxHashMap<Variable, [Expr; 2]>, [low, high]: [Expr; 2]) -> Option<[Expr; 2]> {
    let span = e.span();
    let sum = linear(&simplify(e));
    let is_its = |atom: &Expr| atom.mentions(&|v| v == variable);
    let (own, others): (Terms, Terms) = sum.terms.iter().cloned().partition(|(atom, _)| is_its(atom));
    let [(atom, factor)] = &own[..] else { return None };
    let rest = Linear { terms: others, constant: sum.constant }.to_expr(span);
    let [least, greatest] = ends(&rest, known)?;
    // low ≤ factor · atom + least, factor · atom + greatest < high
    let (from, to) = (minus(&low, &least), minus(&high, &greatest));
    let (begin, end) = if *factor > 0 {
        (rounded_up(&from, *factor), rounded_up(&to, *factor))
    } else {
        // −c · atom ≥ from and −c · atom < to: atom ≤ −from / c, atom > −to / c.
        let c = -*factor;
        let zero = Expr::int(0, span);
        let (most, least) = (minus(&zero, &from), minus(&zero, &to));
        (offset(&quotient(&least, c), 1), offset(&quotient(&most, c), 1))
    };
    if atom.as_variable() == Some(variable) {
        return Some([simplify(&begin), simplify(&end)]);
    }
    let (inner, divisor) = divided(atom)?;
    let times = |e: &Expr| simplify(&Expr::binary(BinaryOp::Multiply, e.clone(), Expr::int(divisor, span)));
    // ⌊u / c⌋ ≥ b as u ≥ c · b, ⌊u / c⌋ < e as u < c · e.
    inside(inner, variable, known, [times(&begin), times(&end)])
}

/// u and c of ⌊u / c⌋, where c is a number greater than 0.
fn divided(e: &Expr) -> Option<(&Expr, i64)> {
    let crate::pipeline::expr::ExprKind::Binary(BinaryOp::Divide, a, c) = e.kind() else { return None };
    Some((a, constant_value(c).filter(|c| *c > 0)?))
}

/// The least and the greatest value of an expression over the ranges of indices. It is a sum of startup values and multiples of
/// indices and of their quotients.
pub fn ends(e: &Expr, known: &FxHashMap<Variable, [Expr; 2]>) -> Option<[Expr; 2]> {
    let span = e.span();
    let sum = linear(&simplify(e));
    let mut all = [Expr::int(sum.constant, span), Expr::int(sum.constant, span)];
    for (atom, factor) in &sum.terms {
        let of_atom = if let Some([least, last]) = atom.as_variable().and_then(|v| known.get(&v)) {
            [least.clone(), last.clone()]
        } else if !atom.mentions(&|v| known.contains_key(&v)) {
            [atom.clone(), atom.clone()]
        } else {
            let (inner, divisor) = divided(atom)?;
            ends(inner, known)?.map(|end| quotient(&end, divisor))
        };
        let scaled = of_atom.map(|end| Expr::binary(BinaryOp::Multiply, end, Expr::int(*factor, span)));
        let [least, greatest] = scaled;
        let (least, greatest) = if *factor > 0 { (least, greatest) } else { (greatest, least) };
        all = [plus(&all[0], &least), plus(&all[1], &greatest)];
    }
    Some(all.map(|end| simplify(&end)))
}

/// ⌊e / c⌋
fn quotient(e: &Expr, c: i64) -> Expr {
    if c == 1 {
        return e.clone();
    }
    simplify(&Expr::binary(BinaryOp::Divide, e.clone(), Expr::int(c, e.span())))
}

/// ⌈e / c⌉
fn rounded_up(e: &Expr, c: i64) -> Expr {
    quotient(&offset(e, c - 1), c)
}
