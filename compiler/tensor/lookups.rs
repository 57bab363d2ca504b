//! Reads at places that a tensor holds: the index tensor is looked at once, in front of all work (T19 of the design: never assumed).
//!
//! ```text
//! O(i, j) +=! LUT(I(i, k), j)   ──►   fun O.least() = (0, 0, 2147483647);
//!                                     rdom (k = …, i = …) O.least() = (i, k, I(i, k)) if I(i, k) < O.least().2;
//!                                     …the greatest in the same way; it is refused unless both lie in [0, E)
//!                                     … LUT(I(i, k), j) where I(i, k) is known to lie there
//! ```
//! An index that is clamped, chosen or a remainder is bounded by what it is. Under a condition, those are looked at for which it holds,
//! and none if it says itself that they are inside: `I(k) >= 0 && I(k) < E ? LUT(I(k)) : 0`. What is read from a tensor of the definition
//! has no values yet, and nothing but the expression bounds it. `unchecked(…)` is the caller's word.

use super::definition::Definition;
use super::ranges::Index;
use crate::pipeline::algorithm::{Func, Guard, ReductionVariable, Requirement, Stage, VariableKind};
use crate::pipeline::associative::identity;
use crate::pipeline::bounds::numbers::Numbers;
use crate::pipeline::bounds::range::branches;
use crate::pipeline::expr::{Expr, ExprKind, FuncId, Known, Source, Variable};
use crate::pipeline::simplify::{constant_value, difference, offset};
use crate::syntax::ast::Name;
use crate::typed::ir::{BinaryOp, CompareOp, ReduceOp};
use crate::types::Element;
use rustc_hash::FxHashMap;

/// Where look-ups stand.
pub(super) struct Place<'p> {
    /// The tensor that the statement defines.
    pub tensor: &'p Name,
    /// The indices of the statement.
    pub indices: &'p [Index],
    /// The func to come.
    pub user: FuncId,
}

impl Definition<'_, '_> {
    /// The value of a statement, with what is known of its look-ups once they have been looked at. It is evaluated where all of
    /// the conditions hold.
    pub fn with_lookups(&mut self, value: &Expr, conditions: &mut Vec<Expr>, place: &Place) -> Expr {
        let decided = decided(value);
        let mut children = Vec::new();
        for (number, child) in value.children().into_iter().enumerate() {
            let under = decided.as_ref().filter(|_| number > 0).map(|(_, arms)| arms[number - 1].clone());
            let count = conditions.len();
            conditions.extend(under);
            children.push(self.with_lookups(child, conditions, place));
            conditions.truncate(count);
        }
        let mut next = children.into_iter();
        let made = value.with_children(|_| next.next().expect("as many parts"));
        let (ExprKind::Read(source, at), ExprKind::Read(_, written)) = (made.kind(), value.kind()) else { return made };
        let Some(window) = self.windows.get(source).cloned() else { return made };
        let mut known = at.clone();
        for (d, (index, window)) in known.iter_mut().zip(&window).enumerate() {
            if !self.is_lookup(index) {
                continue;
            }
            let is_inside = bounded(conditions, &written[d], window, false) == [true; 2] || covers(window, &written[d]);
            if !is_inside && !conditions.iter().all(|condition| self.reads_inputs(condition)) {
                continue;
            }
            if !is_inside {
                self.look_at(index, window, conditions, place, (*source, d));
            }
            let (low, last) = (window[0].clone(), offset(&window[1], -1));
            *index = Expr::new(ExprKind::Within(index.clone(), low, last, Known::Proven), Element::Int32, index.span());
        }
        Expr::new(ExprKind::Read(*source, known), made.element(), made.span())
    }

    /// Are inputs all that an expression reads?
    fn reads_inputs(&self, e: &Expr) -> bool {
        let mut of_inputs = true;
        e.reads(&mut |source, _, _| of_inputs &= matches!(source, Source::Input(_)));
        of_inputs
    }

    /// Is this an index that is read from inputs, with nothing around it that bounds it?
    fn is_lookup(&self, index: &Expr) -> bool {
        let is_bound = match index.kind() {
            ExprKind::Binary(op, ..) => *op == BinaryOp::Remainder,
            ExprKind::Builtin(..) | ExprKind::Within(..) | ExprKind::Conditional(..) => true,
            _ => false,
        };
        !is_bound && index.any(&|part| matches!(part.kind(), ExprKind::Read(..))) && self.reads_inputs(index)
    }

    /// Guards that say that an index is inside where the conditions hold.
    fn look_at(
        &mut self,
        index: &Expr,
        [low, high]: &[Expr; 2],
        conditions: &[Expr],
        &Place { tensor, indices, user }: &Place,
        (source, d): (Source, usize),
    ) {
        let span = index.span();
        let is_mentioned = |v: Variable| std::iter::once(index).chain(conditions).any(|e| e.mentions(&|known| known == v));
        let mentioned: Vec<&Index> = indices.iter().filter(|i| is_mentioned(i.variable)).collect();
        let last = offset(high, -1);
        let rank = self.windows[&source].len();
        let axis = self.builder.made.axis(rank, d);
        let read = self.builder.made.name_of(source).clone();
        let text = self.text(index).replace('%', "%%");
        let names: Vec<String> = mentioned.iter().map(|i| self.builder.made.variable(i.variable).name.to_string()).collect();
        let place = match &names[..] {
            [] => String::new(),
            names => format!(" at ({}) = ({})", names.join(", "), vec!["%"; names.len()].join(", ")),
        };
        for (op, word) in [(ReduceOp::Min, "least"), (ReduceOp::Max, "greatest")] {
            let id = FuncId(self.builder.made.funcs.len() as u32);
            let mut renamed: FxHashMap<Variable, Expr> = FxHashMap::default();
            let mut rdom = Vec::new();
            self.builder.scope.open();
            for (i, name) in mentioned.iter().zip(&names) {
                let range = i.range.as_ref().expect("a range");
                let name = Name { text: name.as_str().into(), span };
                let own = self.builder.bind(&name, Element::Int32, VariableKind::Reduction);
                renamed.insert(i.variable, Expr::variable(own, Element::Int32, span));
                rdom.push(ReductionVariable { variable: own, low: range.begin.clone(), high: range.end.clone() });
            }
            self.builder.scope.close();
            let value = index.substitute(&|v| renamed.get(&v).cloned());
            let component = |k: usize| Expr::new(ExprKind::Read(Source::Func(id, k), Vec::new()), Element::Int32, span);
            let first = rdom.iter().map(|r| r.low.clone()).chain([identity(op, Element::Int32, span)]).collect();
            let is_better = if op == ReduceOp::Min { CompareOp::Less } else { CompareOp::Greater };
            let better = Expr::compare(is_better, value.clone(), component(rdom.len()));
            let better = conditions.iter().rev().fold(better, |all, condition| {
                let own = condition.substitute(&|v| renamed.get(&v).cloned());
                Expr::new(ExprKind::And(own, all), Element::Bool, span)
            });
            let at = rdom.iter().map(|r| Expr::variable(r.variable, Element::Int32, span));
            let values = at.chain([value]).collect();
            let found = component(rdom.len());
            let count = rdom.len();
            rdom.reverse();
            let update = Stage { rdom, predicate: Some(better), ..Stage::plain(Vec::new(), values, span) };
            let number = self.builder.made.guards.len();
            self.builder.made.funcs.push(Func {
                name: format!("{}.{word}.{number}", tensor.text).into(),
                variables: Vec::new(),
                elements: vec![Element::Int32; count + 1],
                stages: vec![Stage::plain(Vec::new(), first, span), update],
                is_inline_reduction: true,
                is_partial: false,
                span,
            });
            let condition = match op {
                ReduceOp::Min => Expr::compare(CompareOp::GreaterEqual, found.clone(), low.clone()),
                _ => Expr::compare(CompareOp::Less, found.clone(), high.clone()),
            };
            let reason = format!("`{text}` is %{place}, and `{read}` has % to % in dimension {axis}");
            let coordinates = (0..count).map(component);
            let numbers = [found].into_iter().chain(coordinates).chain([low.clone(), last.clone()]).collect();
            let requirement = Requirement { condition, reason, numbers };
            self.builder.made.guards.push(Guard { func: id, user, requirement });
        }
    }
}

/// What decides in an expression, and the condition under which each of its other parts is evaluated.
pub(super) fn decided(e: &Expr) -> Option<(&Expr, Vec<Expr>)> {
    let (c, parts) = branches(e)?;
    // A condition that has no opposite of its own is negated as it is.
    Some((c, parts.into_iter().map(|(condition, _)| condition.unwrap_or_else(|| c.clone().negated())).collect()))
}

/// Which ends of a window conditions that hold keep an index inside of, by comparisons of itself; of what is so far from it, too, if
/// it is `near` and no sum of it leaves `int`.
pub(super) fn bounded(conditions: &[Expr], index: &Expr, window: &[Expr; 2], is_near: bool) -> [bool; 2] {
    let mut bounds = [false; 2];
    conditions.iter().for_each(|condition| compared(condition, index, window, is_near, &mut bounds));
    bounds
}

/// What one condition says.
fn compared(condition: &Expr, index: &Expr, window: &[Expr; 2], is_near: bool, found: &mut [bool; 2]) {
    if let Some((a, b)) = condition.as_conjunction() {
        compared(a, index, window, is_near, found);
        compared(b, index, window, is_near, found);
    }
    let ExprKind::Compare(op, a, b) = condition.kind() else { return };
    if a.element() != Element::Int32 {
        return;
    }
    let distance = |e: &Expr| if is_near { difference(index, e) } else { (e == index).then_some(0) };
    let (is_left, other, distance) = match (distance(a), distance(b)) {
        (Some(distance), _) => (true, b, distance),
        (None, Some(distance)) => (false, a, distance),
        (None, None) => return,
    };
    // index ≥ other + least + distance, index < other + end + distance
    let (least, end) = match (op, is_left) {
        (CompareOp::Equal, _) => (Some(0), Some(1)),
        (CompareOp::Less, true) | (CompareOp::Greater, false) => (None, Some(0)),
        (CompareOp::LessEqual, true) | (CompareOp::GreaterEqual, false) => (None, Some(1)),
        (CompareOp::Greater, true) | (CompareOp::Less, false) => (Some(1), None),
        (CompareOp::GreaterEqual, true) | (CompareOp::LessEqual, false) => (Some(0), None),
        (CompareOp::NotEqual, _) => (None, None),
    };
    let [low, high] = window;
    found[0] |= least.is_some_and(|least| difference(&offset(other, least + distance), low).is_some_and(|d| d >= 0));
    found[1] |= end.is_some_and(|end| difference(high, &offset(other, end + distance)).is_some_and(|d| d >= 0));
}

/// Has a window all values of the narrow type that an index is converted from?
fn covers([low, high]: &[Expr; 2], index: &Expr) -> bool {
    let ExprKind::Convert(narrow) = index.kind() else { return false };
    let (Some(low), Some(high)) = (constant_value(low), constant_value(high)) else { return false };
    Numbers::of_type(narrow.element()).is_some_and(|all| all.fits(Numbers::new(low.into(), i128::from(high) - 1)))
}
