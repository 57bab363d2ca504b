//! What the start of a pipeline computes in several places is computed once: the windows of what is read by several copies of a func
//! repeat the conditions of these, and the checks repeat parts of windows.
//!
//! ```text
//! let a_64 = n >= 16 & m >= 6 ? x : y          let shared = n >= 16 & m >= 6
//! let b_64 = n >= 16 & m >= 6 ? z : y   ──►    let a_64 = shared ? x : y
//! assert a_64 <= b_64                          let b_64 = shared ? z : y
//!                                              assert a_64 <= b_64
//! ```
//! It may stand where it was not computed before, because it is total: neither reads nor calls are moved. Of checks of one condition the first
//! one stays: no other is the first that fails.

use super::super::expr::{Expr, ExprKind, Variable};
use super::super::loops::check::Check;
use super::super::loops::ir::{Binder, Nest, Statement};
use rustc_hash::FxHashMap;

/// What is no larger than this is as cheap as a name.
const SMALL: u32 = 4;

/// Computes once what the definitions and the checks in front of the work have in common, behind `widen`.
pub fn share(nest: &mut Nest) {
    let body = std::mem::replace(&mut nest.body, Statement::Nop);
    let Statement::Sequence(mut list) = body else { unreachable!("checks stand in a sequence") };
    let mut behind = list.pop().expect("something stands behind the checks");
    if let Statement::Either(_, sides) = &mut behind {
        sides[1] = shared(nest, &sides[1]);
    } else {
        behind = shared(nest, &behind);
    }
    list.push(behind);
    nest.body = Statement::Sequence(list);
}

/// The definitions of windows, their checks, and what stands behind these.
fn shared(nest: &mut Nest, start: &Statement) -> Statement {
    let (definitions, behind) = start.definitions();
    let (checks, work) = behind.checks();
    let mut sharing = Sharing { nest, counts: FxHashMap::default(), names: FxHashMap::default(), made: Vec::new() };
    let values = definitions.iter().map(|(_, value)| *value);
    values.chain(checks.iter().map(|check| &check.condition)).for_each(|e| sharing.count(e));
    sharing.counts.retain(|e, uses| *uses > 1 && e.size() > SMALL);
    // Of variables that have one value, the first one: in conditions they are the same.
    let (mut by_value, mut first) = (FxHashMap::default(), FxHashMap::default());
    for (variable, value) in definitions {
        let value = sharing.of(value);
        let known = value.substitute(&|variable| first.get(&variable).cloned());
        let own = Expr::variable(variable, value.element(), value.span());
        first.insert(variable, by_value.entry(known).or_insert(own).clone());
        sharing.made.push((variable, value));
    }
    // Those of windows alone are tested where the windows are asked for.
    let mut tested: Vec<(bool, Expr)> = Vec::new();
    let checks: Vec<Check> = checks
        .into_iter()
        .map(|check| {
            let condition = sharing.of(&check.condition);
            let numbers = check.numbers.iter().map(|number| sharing.known(number)).collect();
            Check { condition, numbers, ..check.clone() }
        })
        .filter(|check| {
            let condition = check.condition.substitute(&|variable| first.get(&variable).cloned());
            let is_of_windows = check.subject.is_of_windows();
            let is_new = !tested.iter().any(|(of_windows, known)| *of_windows == is_of_windows && known.is_same(&condition));
            tested.extend(is_new.then_some((is_of_windows, condition)));
            is_new
        })
        .collect();
    let made = sharing.made;
    let checks = checks.into_iter().map(|check| Statement::Assert(Box::new(check)));
    Statement::Sequence(checks.chain([work.clone()]).collect()).behind(made.into_iter())
}

/// May it be computed elsewhere? What it binds stays inside.
fn is_open(e: &Expr) -> bool {
    !matches!(e.kind(), ExprKind::Extremum(_) | ExprKind::Within(..))
}

/// Names for what is shared.
struct Sharing<'n> {
    nest: &'n mut Nest,
    /// In how many places each expression stands; those in one place are left out when all are counted.
    counts: FxHashMap<Expr, usize>,
    names: FxHashMap<Expr, Variable>,
    /// The definitions, in order.
    made: Vec<(Variable, Expr)>,
}

impl Sharing<'_> {
    /// Counts the places of all that may be shared. What stands inside of what is shared has one place there.
    fn count(&mut self, e: &Expr) {
        if !is_open(e) {
            return;
        }
        if !e.reads_or_calls() {
            let uses = self.counts.entry(e.clone()).or_insert(0);
            *uses += 1;
            if *uses > 1 {
                return;
            }
        }
        e.children().into_iter().for_each(|child| self.count(child));
    }

    /// The same by names; those that are new are defined in front of it.
    fn of(&mut self, e: &Expr) -> Expr {
        if !is_open(e) {
            return e.clone();
        }
        if let Some(&known) = self.names.get(e) {
            return Expr::variable(known, e.element(), e.span());
        }
        let made = e.with_children(|child| self.of(child));
        if !self.counts.contains_key(e) {
            return made;
        }
        let name = self.nest.variable_of(&format!("shared.{}", self.names.len()), e.element(), Binder::Let);
        self.made.push((name, made));
        self.names.insert(e.clone(), name);
        Expr::variable(name, e.element(), e.span())
    }

    /// The same by the names that there are: what is seldom computed gets none of its own.
    fn known(&self, e: &Expr) -> Expr {
        match self.names.get(e) {
            Some(&known) => Expr::variable(known, e.element(), e.span()),
            None if is_open(e) => e.with_children(|child| self.known(child)),
            None => e.clone(),
        }
    }
}
