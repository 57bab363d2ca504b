//! Read, compute and write in one place that several lanes, or several rounds of a parallel loop, may have in common.

use super::constants::number;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::typed::ir::{BinaryOp, Builtin, Constant, Expr, ExprKind, LaneOp, Place, PlaceKind, UnaryOp};

impl Checker<'_> {
    /// Could two lanes have one address? Not if the index is the one of a `foreach`, give or take a scalar.
    pub fn may_collide(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Member(of, _) => self.may_collide(of),
            PlaceKind::Element(of, index) => self.may_collide(of) && !self.is_distinct(index),
            PlaceKind::Dereference(pointer) => match &pointer.kind {
                ExprKind::PointerOffset(_, index) => {
                    let own = self.program.types.pointee(pointer.ty).map_or(1, |ty| self.length(ty));
                    own == 1 && !self.is_distinct(index)
                }
                _ => self.program.types.pointee(pointer.ty).is_none_or(|ty| self.length(ty) == 1),
            },
            PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Temporary(_) => false,
        }
    }

    fn is_distinct(&self, index: &Expr) -> bool {
        if self.step(index).is_some_and(|step| step != 0) {
            return true;
        }
        match &index.kind {
            ExprKind::Lanes(lanes) => {
                let numbers: Vec<_> = lanes.iter().map(|lane| self.evaluate(lane)).collect();
                numbers.iter().enumerate().all(|(i, n)| n.is_some() && !numbers[..i].contains(n))
            }
            ExprKind::Convert(a) | ExprKind::Within(a, _) => self.is_distinct(a),
            // Numbers in blocks lie at places of their own.
            ExprKind::Builtin(Builtin::Lane(LaneOp::InBlocks { .. }), numbers) => self.is_distinct(&numbers[0]),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::BitXor, a, b) => {
                self.is_distinct(a) && is_shared(b) || self.is_distinct(b) && is_shared(a)
            }
            _ => false,
        }
    }

    /// What an index grows by from lane to lane, where that is a constant far from wrapping.
    fn step(&self, index: &Expr) -> Option<i64> {
        if is_shared(index) {
            return Some(0);
        }
        let constant = |e: &Expr| match &e.kind {
            ExprKind::Broadcast(e) => match (self.evaluate(e)?, self.program.types.element(e.ty)?) {
                (Constant::Int(bits), element) => i32::try_from(number(bits, element)).ok(),
                _ => None,
            },
            _ => None,
        };
        let scaled = |e: &Expr, by: i64| self.step(e)?.checked_mul(by).filter(|step| step.unsigned_abs() < 1 << 24);
        match &index.kind {
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => {
                self.body.infos[local.0 as usize].is_const.then_some(1)
            }
            ExprKind::LaneIndex => Some(1),
            ExprKind::Convert(a) | ExprKind::Within(a, _) => self.step(a),
            ExprKind::Unary(UnaryOp::Negate, a) => self.step(a)?.checked_neg(),
            ExprKind::Binary(BinaryOp::Add, a, b) => self.step(a)?.checked_add(self.step(b)?),
            ExprKind::Binary(BinaryOp::Subtract, a, b) => self.step(a)?.checked_sub(self.step(b)?),
            ExprKind::Binary(BinaryOp::Multiply, a, b) => match (constant(a), constant(b)) {
                (_, Some(by)) => scaled(a, by.into()),
                (Some(by), None) => scaled(b, by.into()),
                (None, None) => None,
            },
            ExprKind::Binary(BinaryOp::ShiftLeft, a, b) => scaled(a, 1 << constant(b).filter(|by| (0..24).contains(by))?),
            _ => None,
        }
    }

    /// A variable that the rounds of a parallel loop share: all of them write to the same place.
    /// `atomic` is the change that makes it one step, where there is one.
    pub fn warn_shared(&mut self, place: &Place, atomic: Option<Vec<Edit>>, span: Span) {
        let Some(parallel) = self.body.targets.iter().rev().find_map(|target| target.parallel) else { return };
        let mut root = place;
        while let PlaceKind::Member(base, _) = &root.kind {
            root = base;
        }
        let (name, at) = match root.kind {
            PlaceKind::Local(local) if (local.0 as usize) < parallel.locals => {
                let local = &self.body.locals[local.0 as usize];
                (&local.name, local.span)
            }
            PlaceKind::Global(global) => {
                let global = &self.program.globals[global.0 as usize];
                (&global.name, global.span)
            }
            PlaceKind::Local(_)
            | PlaceKind::Dereference(_)
            | PlaceKind::Member(..)
            | PlaceKind::Element(..)
            | PlaceKind::Temporary(_) => return,
        };
        let message = format!("the rounds of a parallel loop change one variable, `{name}`");
        let warning =
            Diagnostic::warning(&codes::SHARED_VARIABLE, span, message).with_secondary(at, "declared outside of the loop");
        let own = "declare it inside of the loop, so that each round has its own";
        self.diagnostics.push(match atomic {
            Some(edits) => warning.with_help(format!("{own}, or collect in one step")).with_fix("collect in one step", edits),
            None => warning.with_help(format!("{own}, or collect with an atomic operation")),
        });
    }
}

/// Is it one value for all lanes?
fn is_shared(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Broadcast(_))
}

/// `place op= value` in one step for each lane, where it is written so and there is a built-in that does it.
pub(super) fn in_one_step(place: &Place, op: BinaryOp, value: &Expr, span: Span) -> Option<Vec<Edit>> {
    let name = match op {
        BinaryOp::Add => "atomic_add",
        BinaryOp::Multiply => "atomic_mul",
        BinaryOp::BitAnd => "atomic_and",
        BinaryOp::BitOr => "atomic_or",
        BinaryOp::BitXor => "atomic_xor",
        BinaryOp::Subtract | BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => return None,
    };
    let is_written = place.span.end < value.span.start && place.span.start == span.start && value.span.end == span.end;
    let sign = Span { start: place.span.end, end: value.span.start, ..span };
    let call = Edit::before(span, format!("{name}(&"));
    is_written.then(|| vec![call, Edit::replace(sign, ", "), Edit::behind(span, ")")])
}
