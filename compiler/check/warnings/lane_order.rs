//! A `foreach` whose lanes read what other lanes of the round write, in another order than rounds would.
//!
//! ```text
//! foreach (int i = 1 .. n) a[i] = a[i - 1] + 1;               all lanes read, then all write: a warning
//! foreach (int i = 0 .. n) { a[i] = f(i); o[i] = a[i + 1]; }  the lane behind has written already: a warning
//! foreach (int i = 0 .. n) a[i] = a[i + 1];                   nobody has written yet, as in rounds
//! ```
//! Let a round write at s and read at r, in elements that lanes step over, k = r − s of them apart. Rounds in order read behind (k < 0) what was written, and ahead
//! (k > 0) what was not; lanes together read what stands behind the write in the text as written, and what stands in front of it as not written. So the two differ where
//! k < 0 and the read comes first, and where k > 0 and the write does, if both lie in one block: |k| < N. Of two writes the later one in the text is the last one of
//! lanes, and the one of the later round of rounds.
//!
//! Places are compared as polynomials over what the loop does not change in a round; others are left alone, and so are polynomials of many terms or factors and accesses
//! that stand far apart: what is looked at grows with the text, and no faster.

use super::super::state::Checker;
use super::parts::{self, Part, below};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::ir::{
    BinaryOp, Block, Expr, ExprKind, ForeachIndex, LocalId, Place, PlaceKind, Statement, StatementKind, UnaryOp,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A sum of products of variables, each with its factor; the product of none is the constant.
type Polynomial = BTreeMap<Vec<LocalId>, i128>;

/// Polynomials of more terms are left alone.
const TERMS: usize = 16;

/// And so are those of more factors in a term.
const FACTORS: usize = 4;

/// An access is compared with this many that stand before it.
const COMPARED: usize = 64;

/// The object that an access is a part of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    Variable(LocalId),
    Global(u32),
}

/// A step from an object to a part of it.
#[derive(PartialEq)]
enum Step {
    Member(usize),
    Element(Polynomial),
}

struct Access {
    is_store: bool,
    steps: Vec<Step>,
    span: Span,
}

/// What the rounds set, and how.
#[derive(Default)]
struct Sets {
    /// Declared with a value.
    declared: FxHashSet<LocalId>,
    assigned: FxHashSet<LocalId>,
    /// Assigned by the step of a loop alone: the same in one round of that loop.
    stepped: FxHashSet<LocalId>,
}

struct Places<'c, 's> {
    checker: &'c Checker<'s>,
    sets: Sets,
    /// What is declared, where that is a polynomial.
    values: FxHashMap<LocalId, Polynomial>,
    /// In the order of the text.
    accesses: FxHashMap<Root, Vec<Access>>,
    order: Vec<Root>,
}

impl Checker<'_> {
    pub(super) fn warn_of_lane_order(&mut self, statement: &Statement) {
        let StatementKind::Foreach { indices, body, .. } = &statement.kind else { return };
        let length = |index: &ForeachIndex| self.length(self.body.locals[index.local.0 as usize].ty);
        let Some(lanes) = indices.iter().find(|index| length(index) > 1) else { return };
        let (index, length) = (lanes.local, i128::from(length(lanes)));
        let mut places = Places {
            checker: self,
            sets: Sets::of(body),
            values: FxHashMap::default(),
            accesses: FxHashMap::default(),
            order: Vec::new(),
        };
        places.block(body);
        let found = places.order.iter().find_map(|root| first_out_of_order(&places.accesses[root], index, length));
        let Some((first, second, apart)) = found else { return };
        let (message, help) = match (first.is_store, second.is_store) {
            (false, _) => {
                let lane = if apart == -1 { "the lane".to_owned() } else { format!("the lane {}", -apart) };
                let message = format!("all lanes read this before {lane} before them has written it");
                (message, "a plain loop goes in order: there each round sees what those before it wrote")
            }
            (true, false) => {
                let message = "the lane behind has written this already".to_owned();
                (message, "read it in front of the store, or write a plain loop, which goes in order")
            }
            (true, true) => {
                let message = "this replaces what the lane behind has written".to_owned();
                (message, "exchange the stores, or write a plain loop, which goes in order")
            }
        };
        let (at, other) = if first.is_store { (second.span, first.span) } else { (first.span, second.span) };
        let warning = Diagnostic::warning(&codes::LANE_ORDER, at, message)
            .with_secondary(other, "written here, by all lanes together")
            .with_help(help);
        self.diagnostics.push(warning);
    }
}

/// Two accesses, in the order of the text, whose lanes meet in another order than rounds, and how many lanes the second lies ahead of the first, or the read of the write.
fn first_out_of_order(accesses: &[Access], index: LocalId, length: i128) -> Option<(&Access, &Access, i128)> {
    for (at, second) in accesses.iter().enumerate() {
        for first in &accesses[at.saturating_sub(COMPARED)..at] {
            if !first.is_store && !second.is_store {
                continue;
            }
            // How far the second lies ahead of the first.
            let Some(ahead) = lanes_apart(&first.steps, &second.steps, index) else { continue };
            if ahead > 0 && ahead < length {
                return Some((first, second, if first.is_store { ahead } else { -ahead }));
            }
        }
    }
    None
}

/// How many lanes the second place lies ahead of the first, where that is known.
fn lanes_apart(first: &[Step], second: &[Step], index: LocalId) -> Option<i128> {
    if first.len() != second.len() {
        return None;
    }
    let mut apart = None;
    for steps in first.iter().zip(second) {
        match steps {
            (Step::Member(a), Step::Member(b)) if a == b => {}
            (Step::Element(a), Step::Element(b)) => {
                let difference = plus(b, a, -1)?;
                let constant = match difference.iter().next() {
                    None => 0,
                    Some((variables, &constant)) if variables.is_empty() && difference.len() == 1 => constant,
                    Some(_) => return None,
                };
                let step = a.get(&vec![index]).copied().unwrap_or(0);
                let is_linear = a.keys().all(|variables| variables.len() < 2 || !variables.contains(&index));
                let here = match (step, constant) {
                    _ if !is_linear => return None,
                    (0, 0) => continue,
                    (0, _) => return None,
                    (step, constant) if constant % step == 0 => constant / step,
                    _ => return None,
                };
                if apart.is_some_and(|apart| apart != here) {
                    return None;
                }
                apart = Some(here);
            }
            _ => return None,
        }
    }
    apart
}

fn plus(a: &Polynomial, b: &Polynomial, factor: i128) -> Option<Polynomial> {
    let mut sum = a.clone();
    for (variables, times) in b {
        let term = sum.entry(variables.clone()).or_insert(0);
        *term = times.checked_mul(factor).and_then(|more| term.checked_add(more))?;
    }
    within_bounds(sum)
}

/// The polynomial without its zeros, if it is a small one.
fn within_bounds(mut sum: Polynomial) -> Option<Polynomial> {
    sum.retain(|_, times| *times != 0);
    (sum.len() <= TERMS && sum.keys().all(|variables| variables.len() <= FACTORS)).then_some(sum)
}

fn product(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    let mut sum = Polynomial::new();
    for (left, &times) in a {
        for (right, &by) in b {
            let mut variables: Vec<LocalId> = left.iter().chain(right).copied().collect();
            variables.sort_unstable();
            let term = sum.entry(variables).or_insert(0);
            *term = times.checked_mul(by).and_then(|more| term.checked_add(more))?;
        }
    }
    within_bounds(sum)
}

impl Sets {
    fn of(body: &Block) -> Self {
        let mut sets = Sets::default();
        sets.block(body);
        let assigned = &sets.assigned;
        sets.stepped.retain(|local| !assigned.contains(local));
        sets
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            if let StatementKind::Declare { local, initializer: Some(_) } = statement.kind {
                self.declared.insert(local);
            }
            let step = match &statement.kind {
                StatementKind::Loop { step, .. } => step.as_ref(),
                _ => None,
            };
            for e in parts::of_statement(statement) {
                let set = if step.is_some_and(|step| std::ptr::eq(step, e)) { &mut self.stepped } else { &mut self.assigned };
                set.extend(below(e).into_iter().filter_map(assigned_by));
            }
            parts::blocks_of(statement).into_iter().for_each(|block| self.block(block));
        }
    }
}

/// The variable that an expression changes, or that somebody may change behind it.
fn assigned_by(part: Part<'_>) -> Option<LocalId> {
    let Part::Expr(e) = part else { return None };
    match &e.kind {
        ExprKind::Assign { place, .. }
        | ExprKind::Compound { place, .. }
        | ExprKind::SetLane { place, .. }
        | ExprKind::AddressOf(place) => parts::local_of(place),
        _ => None,
    }
}

impl Places<'_, '_> {
    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            parts::of_statement(statement).into_iter().for_each(|e| self.expr(e));
            if let StatementKind::Declare { local, initializer: Some(e) } = &statement.kind
                && let Some(value) = self.polynomial(e)
            {
                self.values.insert(*local, value);
            }
            parts::blocks_of(statement).into_iter().for_each(|block| self.block(block));
        }
    }

    /// What an expression loads and stores, in the order in which it does.
    fn expr(&mut self, e: &Expr) {
        let parts = parts::of_expr(e);
        // A value is computed in front of the store.
        let places = parts.iter().filter(|part| matches!(part, Part::Place(_)));
        for part in parts.iter().filter(|part| !matches!(part, Part::Place(_))).chain(places) {
            self.part(*part);
        }
        match &e.kind {
            ExprKind::Load(place) => self.access(place, false),
            ExprKind::Assign { place, .. } => self.access(place, true),
            ExprKind::Compound { place, .. } => {
                self.access(place, false);
                self.access(place, true);
            }
            _ => {}
        }
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Expr(e) => self.expr(e),
            Part::Place(place) => parts::of_place(place).into_iter().for_each(|part| self.part(part)),
            Part::Block(block) => self.block(block),
        }
    }

    fn access(&mut self, place: &Place, is_store: bool) {
        let mut steps = Vec::new();
        let Some(root) = self.way(place, &mut steps) else { return };
        if steps.iter().any(|step| matches!(step, Step::Element(_))) {
            let accesses = self.accesses.entry(root).or_insert_with(|| {
                self.order.push(root);
                Vec::new()
            });
            accesses.push(Access { is_store, steps, span: place.span });
        }
    }

    /// The steps that lead to a place, and from where.
    fn way(&self, place: &Place, steps: &mut Vec<Step>) -> Option<Root> {
        match &place.kind {
            PlaceKind::Local(local) => Some(Root::Variable(*local)),
            PlaceKind::Global(global) => Some(Root::Global(global.0)),
            PlaceKind::Member(of, member) => {
                let root = self.way(of, steps)?;
                steps.push(Step::Member(*member));
                Some(root)
            }
            PlaceKind::Element(of, index) => {
                let root = self.way(of, steps)?;
                steps.push(Step::Element(self.polynomial(index)?));
                Some(root)
            }
            PlaceKind::Dereference(pointer) => self.way_of_pointer(pointer, Polynomial::new(), steps),
            PlaceKind::Temporary(_) => None,
        }
    }

    /// The steps to what lies `sum` elements behind a pointer.
    fn way_of_pointer(&self, pointer: &Expr, sum: Polynomial, steps: &mut Vec<Step>) -> Option<Root> {
        match &pointer.kind {
            ExprKind::PointerOffset(base, index) => {
                let sum = plus(&sum, &self.polynomial(index)?, 1)?;
                self.way_of_pointer(base, sum, steps)
            }
            ExprKind::Broadcast(base) => self.way_of_pointer(base, sum, steps),
            // An array is a pointer to its first element.
            ExprKind::AddressOf(place) => {
                let root = self.way(place, steps)?;
                let Some(Step::Element(first)) = steps.last_mut() else { return None };
                *first = plus(first, &sum, 1)?;
                Some(root)
            }
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) if !self.is_set(*local) => {
                steps.push(Step::Element(sum));
                Some(Root::Variable(*local))
            }
            _ => None,
        }
    }

    fn is_set(&self, local: LocalId) -> bool {
        self.sets.assigned.contains(&local) || self.sets.stepped.contains(&local) || self.sets.declared.contains(&local)
    }

    fn polynomial(&self, e: &Expr) -> Option<Polynomial> {
        if let Some(n) = self.checker.written_number(e) {
            return Some(if n == 0 { Polynomial::new() } else { Polynomial::from([(Vec::new(), n)]) });
        }
        match &e.kind {
            ExprKind::Convert(a) | ExprKind::Broadcast(a) | ExprKind::Within(a, _) => self.polynomial(a),
            ExprKind::Unary(UnaryOp::Negate, a) => plus(&Polynomial::new(), &self.polynomial(a)?, -1),
            ExprKind::Binary(BinaryOp::Add, a, b) => plus(&self.polynomial(a)?, &self.polynomial(b)?, 1),
            ExprKind::Binary(BinaryOp::Subtract, a, b) => plus(&self.polynomial(a)?, &self.polynomial(b)?, -1),
            ExprKind::Binary(BinaryOp::Multiply, a, b) => product(&self.polynomial(a)?, &self.polynomial(b)?),
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => {
                let sets = &self.sets;
                if sets.assigned.contains(local) {
                    None
                } else if sets.declared.contains(local) && !sets.stepped.contains(local) {
                    self.values.get(local).cloned()
                } else {
                    Some(Polynomial::from([(vec![*local], 1)]))
                }
            }
            _ => None,
        }
    }
}
