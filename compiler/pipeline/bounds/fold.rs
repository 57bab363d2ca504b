//! Folded storage: a dimension in which a func slides needs no more slots than its window has coordinates.
//!
//! ```text
//! allocate g(?mem g_x, [0, +100))                     allocate g(?mem g_x, [0, +4)), y mod 4
//! g slides along y, W = [y - 1, y + 2)        ──►     g[x, y]   at slot y mod 4
//! ```
//! Folded is the dimension of the outermost pair, unless a vector loop goes along it; inner ones are finished once in each
//! iteration of the outermost loop, and read in all. F = 2^k ≥ the extent of W with what is read and what a tail computes behind
//! it: what N overwrites then lies in front of W, and by (3) of `slide` nobody reads it any more.

use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{Binder, End, Fold, Hole, HoleKind, Order, Statement};
use super::super::simplify::{constant_value, difference, linear, minus, simplify};
use super::form::{Monotone, monotone};
use super::infer::{Fault, Inference};
use super::range::{Binding, distributed};
use super::slide::{Path, Question, Slide, relaxed, without_condition};
use crate::typed::ir::{BinaryOp, LaneOp};
use crate::types::Element;
use std::collections::HashSet;

/// No more slots than that are made without being asked for.
const MOST_SLOTS: i64 = 1 << 12;

impl<'n> Inference<'n> {
    /// Folds the storage of a func if it can be, or if a directive says so. `why` says which rule stands against sliding in a
    /// dimension.
    pub fn fold(&self, id: FuncId, slides: &[Slide], question: Option<&Question<'_, 'n>>, why: &dyn Fn(usize) -> String) {
        let func = self.pipeline.func(id);
        let wanted = self.nest.fold(id);
        let refuse = |message: String| {
            if let Some(span) = wanted.and_then(|fold| fold.span) {
                self.faults.borrow_mut().push(Fault::Storage { func: id, span, message });
            }
        };
        let name = |d: usize| self.nest.name(func.variables[d]);
        let outermost = slides.first();
        let (Some(slide), Some(question)) = (outermost, question) else {
            if let Some(fold) = wanted {
                let d = fold.dimension;
                refuse(format!("`{}` does not slide in `{}`, and there is nothing to fold: {}", func.name, name(d), why(d)));
            }
            return;
        };
        if self.places[&id].productions.len() > 1 {
            return refuse(format!(
                "`{}` is computed in several copies of its reader, each of which has done something else",
                func.name
            ));
        }
        let d = slide.dimension;
        if let Some(fold) = wanted.filter(|fold| fold.dimension != d) {
            let (x, v) = (name(fold.dimension), self.nest.name(slide.along.1));
            let slides_there = slides.iter().any(|slide| slide.dimension == fold.dimension);
            let reason = if slides_there {
                "it slides there inside of that loop, which needs all of it".into()
            } else {
                why(fold.dimension)
            };
            let y = name(d);
            return refuse(format!(
                "the storage of `{}` is folded in `{y}`, which slides along `{v}`, not in `{x}`: {reason}",
                func.name
            ));
        }
        let production = question.asked.production;
        if self.is_vector_along(self.block(production), id, d, &mut HashSet::new()) {
            return refuse(format!(
                "a vector loop goes along `{}` of `{}`, whose neighbours would not be side by side",
                name(d),
                func.name
            ));
        }
        let Some(least) = self.slots(id, d, question, slides) else {
            return refuse(format!("no number bounds the extent of the window of `{}` in `{}`", func.name, name(d)));
        };
        let Some(fold) = wanted else {
            if least <= MOST_SLOTS {
                let factor = Expr::int((least as u64).next_power_of_two() as i64, func.span);
                self.folds.borrow_mut().push(Fold { func: id, dimension: d, factor, least, span: None });
            }
            return;
        };
        match constant_value(&fold.factor) {
            Some(n) if n < least => {
                let x = name(d);
                refuse(format!(
                    "the window of `{}` has up to {least} coordinates in `{x}`, and {n} slots are not enough",
                    func.name
                ));
            }
            Some(_) | None => self.folds.borrow_mut().push(Fold { least, ..fold.clone() }),
        }
    }

    /// How many coordinates of a dimension W has at most, with all that is read and stored in an iteration.
    fn slots(&self, id: FuncId, d: usize, question: &Question<'_, 'n>, slides: &[Slide]) -> Option<i64> {
        let production = question.asked.production;
        let mut ends = vec![question.asked.ends[d].clone()];
        for access in self.accesses(production, id) {
            ends.push(self.part(&access, false)?.ends.swap_remove(d));
        }
        ends.extend(self.stores(production, id).into_iter().map(|mut part| part.ends.swap_remove(d)));
        let mut lows = Vec::new();
        let mut highs = Vec::new();
        for (low, high) in &ends {
            lows.push(self.hull_end(question.path, slides, low, true)?);
            highs.push(self.hull_end(question.path, slides, high, false)?);
        }
        let mut most = 0;
        for low in &lows {
            for high in &highs {
                most = most.max(most_between(high, low, 8)?);
            }
        }
        most.checked_add(1)
    }

    /// An end in terms of the loops of the path: what slides is anywhere in its own window.
    fn hull_end(&self, path: &Path<'_>, own: &[Slide], e: &Expr, is_low: bool) -> Option<Expr> {
        let others = self.slides.borrow();
        let hull = |v: Variable| {
            own.iter().chain(others.iter().filter(|s| path.blocks.contains(&s.production))).find_map(|slide| slide.hull(v))
        };
        // A pad behind N is one behind W.
        let is_own = |v: Variable| own.iter().any(|slide| slide.hull(v).is_some());
        // All stages run over the coordinates of the last one.
        let e = &e.substitute(&|v| {
            let Some(Binder::Hole(Hole { kind: HoleKind::Compute { .. }, func, dimension, end })) = self.nest.binder(v) else {
                return None;
            };
            let slide = own.iter().find(|slide| slide.func == func && slide.dimension == dimension)?;
            let [min, length] = slide.holes();
            let last = match end {
                End::Min => min,
                End::Length => length,
            };
            Some(Expr::variable(last, Element::Int32, e.span()))
        });
        let e = &self.unnamed(e);
        let mut e = match e.mentions(&is_own) {
            true if is_low => minus(&Expr::int(0, e.span()), &relaxed(&minus(&Expr::int(0, e.span()), e))),
            true => relaxed(e),
            false => simplify(e),
        };
        let mut holes: Vec<Variable> = own.iter().flat_map(Slide::holes).collect();
        holes.reverse();
        let known: Vec<(Variable, Option<&Expr>)> =
            holes.into_iter().map(|v| (v, None)).chain(path.definitions().map(|(v, value)| (v, Some(value)))).collect();
        for (variable, value) in known {
            if !e.mentions(&|v| v == variable) {
                continue;
            }
            let replacement = match (hull(variable), value) {
                (Some(Binding::Loop(_, low, high, _)), _) => {
                    let of = |v: Variable| if v == variable { Monotone::Rising } else { Monotone::Constant };
                    match monotone(&distributed(&e), &of) {
                        Monotone::Rising if is_low => low,
                        Monotone::Falling if !is_low => low,
                        Monotone::Rising | Monotone::Falling => high,
                        Monotone::Constant | Monotone::Unknown => return None,
                    }
                }
                (Some(Binding::Let(_, value)), _) => value,
                (_, Some(value)) => value,
                (Some(Binding::Split(..) | Binding::Window(..)) | None, None) => return None,
            };
            e = simplify(&e.substitute(&|v| (v == variable).then(|| replacement.clone())));
        }
        Some(e)
    }

    /// Does a vector loop go along a dimension, in a store or in a read?
    fn is_vector_along(&self, statement: &Statement, id: FuncId, d: usize, varying: &mut HashSet<Variable>) -> bool {
        let varies = |e: &Expr, varying: &HashSet<Variable>| e.mentions(&|v| varying.contains(&v));
        let mut found = false;
        for e in statement.expressions() {
            e.walk(&mut |part| {
                if let ExprKind::Read(Source::Func(read, _), indices) = part.kind() {
                    found |= *read == id && varies(&indices[d], varying);
                }
            });
        }
        if let Statement::Store(store) = statement {
            found |= store.stage.func == id && varies(&store.indices[d], varying);
        } else if let Statement::For(l) = statement
            && matches!(l.order, Order::Vector(_))
        {
            varying.insert(l.variable);
        } else if let Statement::Let(variable, value, _) = statement
            && varies(value, varying)
        {
            varying.insert(*variable);
        }
        found || statement.children().into_iter().any(|child| self.is_vector_along(child, id, d, varying))
    }
}

/// The greatest value of high − low, if it can be seen.
fn most_between(high: &Expr, low: &Expr, depth: u32) -> Option<i64> {
    if let Some(known) = difference(high, low) {
        return Some(known);
    }
    let (high, low) = (distributed(&without_condition(high).1), distributed(&without_condition(low).1));
    let parts = |e: &Expr, builtin: LaneOp| {
        let ExprKind::Builtin(found, operands) = e.kind() else { return None };
        (*found == builtin && depth > 0).then(|| operands.clone())
    };
    let of = |high: &Expr, low: &Expr| most_between(high, low, depth - 1);
    // Each of them may be the one that counts.
    if let Some(all) = parts(&high, LaneOp::Max) {
        return all.iter().map(|high| of(high, &low)).try_fold(i64::MIN, |most, next| Some(most.max(next?)));
    }
    if let Some(all) = parts(&low, LaneOp::Min) {
        return all.iter().map(|low| of(&high, low)).try_fold(i64::MIN, |most, next| Some(most.max(next?)));
    }
    // Any of them will do.
    let less = parts(&high, LaneOp::Min).into_iter().flatten().filter_map(|high| of(&high, &low)).min();
    let more = parts(&low, LaneOp::Max).into_iter().flatten().filter_map(|low| of(&high, &low)).min();
    match (less, more) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (Some(n), None) | (None, Some(n)) => Some(n),
        (None, None) => rounded_difference(&high, &low),
    }
}

/// ⌊(b + k) / n⌋ − ⌊b / n⌋ ≤ ⌈k / n⌉; what rounds alone is no further from what it rounds than n − 1.
fn rounded_difference(high: &Expr, low: &Expr) -> Option<i64> {
    let form = linear(&minus(high, low));
    let divided = |e: &Expr| {
        let ExprKind::Binary(BinaryOp::Divide, a, n) = e.kind() else { return None };
        constant_value(n).filter(|n| *n > 0).map(|n| (a.clone(), n))
    };
    let mut most = form.constant;
    let mut terms = form.terms;
    while let Some(at) = terms.iter().position(|(e, c)| *c > 0 && divided(e).is_some()) {
        let (a, n) = divided(&terms[at].0)?;
        let c = terms[at].1;
        let pair = terms.iter().enumerate().find_map(|(k, (e, other))| {
            let (b, m) = divided(e)?;
            (*other == -c && m == n).then_some(())?;
            Some((k, difference(&a, &b)?))
        });
        let Some((k, by)) = pair else { break };
        most = most.checked_add(c.checked_mul(by.checked_add(n - 1)?.div_euclid(n))?)?;
        terms.remove(at.max(k));
        terms.remove(at.min(k));
    }
    let rest = super::super::simplify::Linear { terms, constant: 0 };
    let rest = relaxed(&rest.to_expr(high.span()));
    most.checked_add(constant_value(&simplify(&rest))?)
}
