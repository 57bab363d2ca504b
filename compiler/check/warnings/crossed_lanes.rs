//! A `foreach` of several indices whose lanes lie rows apart in all the memory that it goes through, where another of its indices would go along it.
//!
//! ```text
//! foreach (int y = 0 .. h, int x = 0 .. w) o[y * w + x] = …      lanes are w elements apart: each is loaded by itself
//! foreach (int x = 0 .. w, int y = 0 .. h) o[y * w + x] = …      lanes are neighbours
//! ```
//! The first index is the innermost loop, and has the lanes: elsewhere the last one often does. What is looked at are the distances of accesses, linear in both
//! indices; a transposition, which has some of either kind, is left alone.

use super::super::state::Checker;
use super::parts::{Part, below, blocks_of, local_of, of_statement};
use crate::diagnostics::{Diagnostic, codes};
use crate::typed::ir::{BinaryOp, Block, Expr, ExprKind, ForeachIndex, LocalId, Place, PlaceKind, Statement, StatementKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Lanes that are no more bytes apart are neighbours: members of one record.
const NEAR: i128 = 64;
/// An index of fewer values is no better for lanes.
const FEW: i128 = 8;

/// How far an address goes where a variable grows by 1.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// So many bytes or elements.
    Known(i128),
    /// As many as variables say, which the loop does not change; seldom few.
    Invariant,
    /// Nothing is known.
    Unknown,
}

impl Step {
    fn plus(self, other: Step) -> Step {
        match (self, other) {
            (Step::Known(a), Step::Known(b)) => a.checked_add(b).map_or(Step::Unknown, Step::Known),
            (Step::Unknown, _) | (_, Step::Unknown) => Step::Unknown,
            (Step::Invariant, _) | (_, Step::Invariant) => Step::Invariant,
        }
    }

    fn times(self, by: Step) -> Step {
        match (self, by) {
            (Step::Known(0), _) | (_, Step::Known(0)) => Step::Known(0),
            (Step::Known(a), Step::Known(b)) => a.checked_mul(b).map_or(Step::Unknown, Step::Known),
            (Step::Unknown, _) | (_, Step::Unknown) => Step::Unknown,
            (Step::Invariant, _) | (_, Step::Invariant) => Step::Invariant,
        }
    }

    fn is_near(self) -> bool {
        matches!(self, Step::Known(bytes) if bytes != 0 && bytes.abs() <= NEAR)
    }

    fn is_far(self) -> bool {
        matches!(self, Step::Invariant) || matches!(self, Step::Known(bytes) if bytes.abs() > NEAR)
    }
}

type Set<'b> = FxHashMap<LocalId, Option<Vec<&'b Expr>>>;

/// What is looked at while the steps of accesses are computed.
struct Steps<'c, 's> {
    checker: &'c Checker<'s>,
    /// What variables of the body are set to, also by operators, which then is a part of that; `None`: by somebody who has the address.
    set: &'c Set<'c>,
    variable: LocalId,
    /// The steps of variables that were looked at.
    known: RefCell<FxHashMap<LocalId, Step>>,
}

impl Checker<'_> {
    /// Warns of a `foreach` whose lanes lie across memory.
    pub(super) fn warn_of_crossed_lanes(&mut self, statement: &Statement) {
        let StatementKind::Foreach { indices, body, .. } = &statement.kind else { return };
        let is_block = |index: &&ForeachIndex| self.length(self.body.locals[index.local.0 as usize].ty) > 1;
        let Some(lanes) = indices.iter().find(is_block) else { return };
        let (mut accesses, mut set) = (Vec::new(), Set::default());
        collect(body, &mut accesses, &mut set);
        let steps = |variable: LocalId| -> Vec<Step> {
            let steps = Steps { checker: self, set: &set, variable, known: RefCell::default() };
            accesses.iter().map(|place| steps.of_place(place)).collect()
        };
        let of_lanes = steps(lanes.local);
        if of_lanes.iter().any(|step| step.is_near() || *step == Step::Unknown) {
            return;
        }
        let goes_along = |index: &&ForeachIndex| {
            let is_long = match (self.written_number(&index.low), self.written_number(&index.high)) {
                (Some(low), Some(high)) => high - low >= FEW,
                _ => true,
            };
            is_long && of_lanes.iter().zip(steps(index.local)).any(|(lanes, own)| lanes.is_far() && own.is_near())
        };
        let mut others = indices.iter().filter(|index| index.local != lanes.local);
        let Some(better) = others.find(goes_along) else { return };
        let (Some((across, declared)), Some((along, along_declared))) = (self.named(lanes.local), self.named(better.local))
        else {
            return;
        };
        let message = format!("lanes along `{across}` are rows apart in memory");
        let warning = Diagnostic::warning(&codes::CROSSED_LANES, declared, message)
            .with_secondary(along_declared, format!("`{along}` goes along it"))
            .with_help("lanes are those of the block, or of the first index: they should be of the one that goes along memory");
        self.diagnostics.push(warning);
    }
}

/// The places that a block loads from and stores to, and what its variables are set to.
fn collect<'b>(block: &'b Block, accesses: &mut Vec<&'b Place>, set: &mut Set<'b>) {
    let mut sets = |local: LocalId, value: &'b Expr| {
        if let Some(values) = set.entry(local).or_insert_with(|| Some(Vec::new())) {
            values.push(value);
        }
    };
    let mut leaves = Vec::new();
    for statement in &block.statements {
        if let StatementKind::Declare { local, initializer: Some(initializer) } = &statement.kind {
            sets(*local, initializer);
        }
        for part in of_statement(statement).into_iter().flat_map(below) {
            let Part::Expr(e) = part else { continue };
            match &e.kind {
                ExprKind::Load(place) => accesses.push(place),
                ExprKind::Assign { place, value } | ExprKind::Compound { place, value, .. } => {
                    accesses.push(place);
                    if let PlaceKind::Local(local) = place.kind {
                        sets(local, value);
                    }
                }
                ExprKind::AddressOf(place) => leaves.extend(local_of(place)),
                _ => {}
            }
        }
    }
    leaves.into_iter().for_each(|local| drop(set.insert(local, None)));
    let blocks = block.statements.iter().flat_map(blocks_of);
    blocks.for_each(|block| collect(block, accesses, set));
}

impl Steps<'_, '_> {
    /// In bytes.
    fn of_place(&self, place: &Place) -> Step {
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Global(_) => Step::Known(0),
            PlaceKind::Dereference(pointer) => self.of(pointer),
            PlaceKind::Member(of, _) => self.of_place(of),
            PlaceKind::Element(of, index) => self.of_place(of).plus(self.of(index).times(self.size(place.ty))),
            PlaceKind::Temporary(_) => Step::Unknown,
        }
    }

    fn size(&self, ty: crate::types::Type) -> Step {
        Step::Known(i128::from(self.checker.program.types.size(ty)) / i128::from(self.checker.length(ty).max(1)))
    }

    /// In bytes of a pointer, else in what it counts.
    fn of(&self, e: &Expr) -> Step {
        match &e.kind {
            ExprKind::Constant(_) => Step::Known(0),
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) if *local == self.variable => Step::Known(1),
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => self.of_local(*local),
            ExprKind::Load(Place { kind: PlaceKind::Global(_), .. }) => Step::Known(0),
            ExprKind::Convert(a) | ExprKind::Broadcast(a) | ExprKind::Within(a, _) => self.of(a),
            ExprKind::Binary(BinaryOp::Add, a, b) => self.of(a).plus(self.of(b)),
            ExprKind::Binary(BinaryOp::Subtract, a, b) => self.of(a).plus(self.of(b).times(Step::Known(-1))),
            ExprKind::Binary(BinaryOp::Multiply, a, b) => match (self.of(a), self.of(b)) {
                (Step::Known(0), step) => step.times(self.factor(a)),
                (step, Step::Known(0)) => step.times(self.factor(b)),
                _ => Step::Unknown,
            },
            ExprKind::PointerOffset(pointer, index) => {
                let pointee = self.checker.program.types.pointee(pointer.ty);
                pointee.map_or(Step::Unknown, |pointee| self.of(pointer).plus(self.of(index).times(self.size(pointee))))
            }
            _ => {
                let depends = |part: &Part<'_>| match part {
                    Part::Expr(Expr { kind: ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }), .. }) => {
                        *local == self.variable || self.of_local(*local) != Step::Known(0)
                    }
                    _ => false,
                };
                if below(e).iter().any(depends) { Step::Unknown } else { Step::Known(0) }
            }
        }
    }

    fn of_local(&self, local: LocalId) -> Step {
        let length = |local: LocalId| self.checker.length(self.checker.body.locals[local.0 as usize].ty);
        // What all lanes share is no matter of lanes.
        if length(local) < length(self.variable) {
            return Step::Known(0);
        }
        if let Some(&step) = self.known.borrow().get(&local) {
            return step;
        }
        // What a variable is set to may be made of itself, as that of a counter is: by that part it does not grow.
        self.known.borrow_mut().insert(local, Step::Known(0));
        let step = match self.set.get(&local) {
            None => Step::Known(0),
            Some(None) => Step::Unknown,
            Some(Some(values)) => match values.iter().map(|value| self.of(value)).collect::<Vec<_>>()[..] {
                [step] => step,
                ref steps if steps.iter().all(|step| *step == Step::Known(0)) => Step::Known(0),
                _ => Step::Unknown,
            },
        };
        self.known.borrow_mut().insert(local, step);
        step
    }

    /// What does not depend on the variable, as a factor.
    fn factor(&self, e: &Expr) -> Step {
        self.checker.written_number(e).map_or(Step::Invariant, Step::Known)
    }
}
