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
use super::super::loops::ir::{Binder, Fold, Hole, HoleKind, Order, Statement};
use super::super::simplify::{Linear, constant_value, difference, linear, minus, simplify};
use super::form::{Monotone, monotone, quotient};
use super::infer::{Fault, Inference, Production};
use super::interval::negative;
use super::range::{distributed, without_term};
use super::slide::{Path, Question, Slide, relaxed, without_condition};
use crate::typed::ir::LaneOp;
use crate::types::Element;
use rustc_hash::FxHashSet;

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
                self.found.faults.borrow_mut().push(Fault::Storage { func: id, span, message });
            }
        };
        let name = |d: usize| self.nest.name(func.variables[d]);
        let f = &func.name;
        let (Some(slide), Some(question)) = (slides.first(), question) else {
            if let Some(d) = wanted.map(|fold| fold.dimension) {
                refuse(format!("`{f}` does not slide in `{}`, and there is nothing to fold: {}", name(d), why(d)));
            }
            return;
        };
        if self.places[&id].productions.len() > 1 {
            return refuse(format!("`{f}` is computed in several copies of its reader, each of which has done something else"));
        }
        let d = slide.dimension;
        let y = name(d);
        if let Some(other) = wanted.map(|fold| fold.dimension).filter(|other| *other != d) {
            let (x, v) = (name(other), self.nest.name(slide.along.1));
            let slides_there = slides.iter().any(|slide| slide.dimension == other);
            let inside = || "it slides there inside of that loop, which needs all of it".into();
            let reason = if slides_there { inside() } else { why(other) };
            return refuse(format!("the storage of `{f}` is folded in `{y}`, which slides along `{v}`, not in `{x}`: {reason}"));
        }
        if self.is_vector_along(self.outlines[&question.production.block].around, id, d, &mut FxHashSet::default()) {
            return refuse(format!("a vector loop goes along `{y}` of `{f}`, whose neighbours would not be side by side"));
        }
        let Some(least) = self.slots(id, d, question, slides) else {
            return refuse(format!("no number bounds the extent of the window of `{f}` in `{y}`"));
        };
        let made = match wanted {
            Some(fold) => match constant_value(&fold.factor).filter(|n| *n < least) {
                Some(n) => {
                    let window = format!("the window of `{f}` has up to {least} coordinates in `{y}`");
                    return refuse(format!("{window}, and {n} slots are not enough"));
                }
                None => Fold { least, ..fold.clone() },
            },
            None if least > MOST_SLOTS => return,
            None => {
                let factor = Expr::int((least as u64).next_power_of_two() as i64, func.span);
                Fold { func: id, dimension: d, factor, least, span: None }
            }
        };
        self.found.folds.borrow_mut().push(made);
    }

    /// How many coordinates of a dimension W has at most, with all that is read and stored in an iteration.
    fn slots(&self, id: FuncId, d: usize, question: &Question<'_, 'n>, slides: &[Slide]) -> Option<i64> {
        let Production { block, asked, .. } = question.production;
        let mut ends = vec![asked[d].clone()];
        for access in self.accesses(*block, Source::Func(id, 0)) {
            ends.push(self.part(&access, false)?.ends.swap_remove(d));
        }
        ends.extend(self.stores(*block, id).into_iter().map(|mut part| part.ends.swap_remove(d)));
        for (low, high) in &mut ends {
            *low = self.hull_end(question.path, slides, low, true)?;
            *high = self.hull_end(question.path, slides, high, false)?;
        }
        let mut pairs = ends.iter().flat_map(|(low, _)| ends.iter().map(move |(_, high)| most_between(high, low, 8)));
        pairs.try_fold(0, |most, next| Some(next?.max(most)))?.checked_add(1)
    }

    /// An end in terms of the loops of the path: what slides is anywhere in its own window.
    fn hull_end(&self, path: &Path<'_>, own: &[Slide], e: &Expr, is_low: bool) -> Option<Expr> {
        let others = self.found.slides.borrow();
        let around = || own.iter().chain(others.iter().filter(|s| path.blocks.contains(&s.production)));
        let value = |v: Variable| Expr::variable(v, Element::Int32, e.span());
        // All stages run over the coordinates of the last one.
        let e = e.substitute(&|v| {
            let Some(Binder::Hole(hole @ Hole { kind: HoleKind::Compute { .. }, .. })) = self.nest.binder(v) else { return None };
            let slide = own.iter().find(|slide| slide.func == hole.func && slide.dimension == hole.dimension)?;
            Some(value(slide.holes[hole.end as usize]))
        });
        let e = self.unnamed(&e);
        // A pad behind N is one behind W.
        let is_own = |v: Variable| own.iter().any(|slide| slide.holes.contains(&v));
        let mut e = match e.mentions(&is_own) {
            true if is_low => negative(&relaxed(&negative(&e))),
            true => relaxed(&e),
            false => simplify(&e),
        };
        let holes = own.iter().rev().flat_map(|slide| [slide.holes[1], slide.holes[0]]);
        let known = holes.map(|v| (v, None)).chain(path.definitions().map(|(v, value)| (v, Some(value))));
        for (variable, value) in known {
            if !e.mentions(&|v| v == variable) {
                continue;
            }
            let replacement = match around().find(|slide| slide.holes.contains(&variable)) {
                Some(slide) if slide.holes[1] == variable => slide.length(),
                Some(slide) => {
                    let of = |v: Variable| if v == variable { Monotone::Rising } else { Monotone::Constant };
                    let (low, high) = slide.window.clone();
                    match monotone(&distributed(&e), &of) {
                        Monotone::Rising if is_low => low,
                        Monotone::Falling if !is_low => low,
                        Monotone::Rising | Monotone::Falling => high,
                        Monotone::Constant | Monotone::Unknown => return None,
                    }
                }
                None => value?.clone(),
            };
            e = simplify(&e.substitute(&|v| (v == variable).then(|| replacement.clone())));
        }
        Some(e)
    }

    /// Does a vector loop go along a dimension, in a store or in a read?
    fn is_vector_along(&self, statement: &Statement, id: FuncId, d: usize, varying: &mut FxHashSet<Variable>) -> bool {
        let varies = |e: &Expr, varying: &FxHashSet<Variable>| e.mentions(&|v| varying.contains(&v));
        let mut found = false;
        for e in statement.expressions() {
            e.reads(&mut |source, indices, _| found |= source.whole() == Source::Func(id, 0) && varies(&indices[d], varying));
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
    let (high, low) = (distributed(without_condition(high).1), distributed(without_condition(low).1));
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
    let mut rest = linear(&minus(high, low));
    while let Some(((a, n, c), others)) =
        without_term(&rest, |e, c| quotient(e).filter(|_| c > 0).map(|(a, n)| (a.clone(), n, c)))
    {
        let partner =
            |e: &Expr, other: i64| quotient(e).filter(|(_, m)| other == -c && *m == n).and_then(|(b, _)| difference(&a, b));
        let Some((by, others)) = without_term(&others, partner) else { break };
        let most = c.checked_mul(by.checked_add(n - 1)?.div_euclid(n))?;
        rest = others.plus(&Linear::constant(most), 1)?;
    }
    constant_value(&simplify(&relaxed(&rest.to_expr(high.span()))))
}
