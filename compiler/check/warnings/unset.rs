//! Variables that are used where nothing can have set them.
//!
//! ```text
//! int x;  if (a) x = 1;  return x;       perhaps set: nothing is said
//! int x;  return x;  x = 1;              never set on the way: a warning
//! ```
//! One walk in the order of execution keeps the set of variables that something may have set; a loop begins with what its rounds set,
//! too. Where an address is taken, the variable counts as set from then on.

use super::super::state::Checker;
use super::parts::{self, Part, local_of};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::ir::{Block, Expr, ExprKind, LocalId, Place, PlaceKind, Statement, StatementKind};
use crate::types::TypeKind;
use rustc_hash::FxHashSet;

/// The walk.
#[derive(Default)]
struct Walk {
    /// What is declared without a value, and set nowhere on the way here.
    unset: FxHashSet<LocalId>,
    /// Uses of such variables.
    found: Vec<(LocalId, Span)>,
}

impl Checker<'_> {
    pub(super) fn warn_of_unset(&mut self, body: &Block) {
        let mut walk = Walk::default();
        walk.block(body, self);
        let mut told = FxHashSet::default();
        for (local, span) in walk.found {
            let Some((name, declared)) = self.named(local).filter(|_| told.insert(local)) else { continue };
            let message = format!("`{name}` is used, and nothing has set it");
            let warning = Diagnostic::warning(&codes::UNSET_VARIABLE, span, message);
            self.diagnostics.push(warning.with_secondary(declared, "declared without a value"));
        }
    }

    /// Is it a variable of which a use tells something? Arrays are set element by element.
    fn is_watched(&self, local: LocalId) -> bool {
        let ty = self.body.locals[local.0 as usize].ty;
        !matches!(self.program.types.kind(ty), TypeKind::Array { .. } | TypeKind::Error | TypeKind::Void)
    }
}

impl Walk {
    fn block(&mut self, block: &Block, checker: &Checker) {
        for statement in &block.statements {
            self.statement(statement, checker);
        }
    }

    fn statement(&mut self, statement: &Statement, checker: &Checker) {
        match &statement.kind {
            StatementKind::Declare { local, initializer: None } if checker.is_watched(*local) => _ = self.unset.insert(*local),
            StatementKind::Declare { local: _, initializer: None } => {}
            StatementKind::Declare { local, initializer: Some(e) } => {
                self.expr(e);
                self.unset.remove(local);
            }
            StatementKind::Expression(e) | StatementKind::Delete(_, e) | StatementKind::Return(Some(e)) => self.expr(e),
            StatementKind::Block(block) | StatementKind::Scalar(block) => self.block(block, checker),
            StatementKind::If { condition, then, otherwise } => {
                self.expr(condition);
                let before = self.unset.clone();
                self.block(then, checker);
                let behind_then = std::mem::replace(&mut self.unset, before);
                self.block(otherwise, checker);
                self.unset.retain(|local| behind_then.contains(local));
            }
            StatementKind::Switch { value, arms } => {
                self.expr(value);
                // An arm is entered from its label or from the arm before; what that one may have set counts as set.
                arms.iter().for_each(|arm| self.block(&arm.body, checker));
            }
            StatementKind::Loop { test_first: _, unrolling: _, condition, step, body } => {
                self.rounds(body, condition.iter().chain(step));
                condition.iter().for_each(|e| self.expr(e));
                self.block(body, checker);
                step.iter().for_each(|e| self.expr(e));
            }
            StatementKind::Foreach { parallel: _, unrolling: _, indices, body } => {
                indices.iter().for_each(|index| [&index.low, &index.high].into_iter().for_each(|e| self.expr(e)));
                self.rounds(body, std::iter::empty());
                self.block(body, checker);
            }
            StatementKind::ForeachActive { index: _, body } => {
                self.rounds(body, std::iter::empty());
                self.block(body, checker);
            }
            StatementKind::ForeachUnique { local: _, value, body } => {
                self.expr(value);
                self.rounds(body, std::iter::empty());
                self.block(body, checker);
            }
            StatementKind::Return(None) | StatementKind::Break | StatementKind::Continue => {}
        }
    }

    /// What the rounds of a loop set may be set when one begins.
    fn rounds<'e>(&mut self, body: &'e Block, header: impl Iterator<Item = &'e Expr>) {
        let mut exprs: Vec<&Expr> = header.collect();
        let mut blocks = vec![body];
        while let Some(block) = blocks.pop() {
            for statement in &block.statements {
                exprs.extend(parts::of_statement(statement));
                blocks.extend(parts::blocks_of(statement));
            }
        }
        for part in exprs.into_iter().flat_map(parts::below) {
            if let Part::Expr(e) = part
                && let Some(place) = set_by(e)
            {
                self.set(place);
            }
        }
    }

    fn set(&mut self, place: &Place) {
        if let Some(local) = local_of(place) {
            self.unset.remove(&local);
        }
    }

    /// An expression in the order of its parts: what it uses, then what it sets.
    fn expr(&mut self, e: &Expr) {
        for part in parts::of_expr(e) {
            match (part, &e.kind) {
                // What is blended in for the other lanes need not mean anything.
                (Part::Expr(Expr { kind: ExprKind::Load(_), .. }), ExprKind::Blend(..)) => {}
                (Part::Expr(part), _) => self.expr(part),
                (Part::Place(place), ExprKind::Load(_) | ExprKind::Compound { .. }) => self.place(place, true),
                (Part::Place(place), _) => self.place(place, false),
                (Part::Block(_), _) => {}
            }
        }
        if let Some(place) = set_by(e) {
            self.set(place);
        }
    }

    fn place(&mut self, place: &Place, is_read: bool) {
        if let PlaceKind::Local(local) = place.kind
            && is_read
            && self.unset.contains(&local)
        {
            self.found.push((local, place.span));
        }
        for part in parts::of_place(place) {
            match part {
                Part::Expr(e) => self.expr(e),
                Part::Place(of) => self.place(of, is_read),
                Part::Block(_) => {}
            }
        }
    }
}

/// What an expression sets, or may be set behind it.
fn set_by(e: &Expr) -> Option<&Place> {
    match &e.kind {
        ExprKind::Assign { place, .. }
        | ExprKind::Compound { place, .. }
        | ExprKind::SetLane { place, .. }
        | ExprKind::AddressOf(place) => Some(place),
        _ => None,
    }
}
