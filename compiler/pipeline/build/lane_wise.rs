//! Is a function *lane-wise*: does each lane of its result, at any length, depend on the same lane of its operands alone, as
//! its scalar instance does? A vector loop calls the instance of its length if so, and else the scalar one for each lane.
//!
//! ```text
//! int steps(int x) { int n = 0; while (x > 1) { x = x / 2; ++n; } return n; }      n is a scalar: all lanes count together
//! ```
//! The instance for vectors of length 2 is looked at; in a vector loop all operands are made vectors. It is lane-wise if
//! 1. no scalar changes under a condition of lanes that does not hold for the whole life of the scalar; the counter of a loop
//!    lives as long as the loop;
//! 2. no lane stores to a place of its own in something that is a scalar;
//! 3. nothing asks for the lane, the mask or the length, or leaves the lanes (`scalar`, `foreach_active`, `foreach_unique`).

use super::Builder;
use crate::typed::ir::{Block, Builtin, Expr, ExprKind, FunctionId, LocalId, Place, PlaceKind, Statement, StatementKind};
use crate::typed::walk::{Part, parts_of_expr, parts_of_statement};
use rustc_hash::{FxHashMap, FxHashSet};

impl Builder<'_, '_> {
    /// Is a function, given by its scalar instance, lane-wise?
    pub fn is_lane_wise(&mut self, function: FunctionId) -> bool {
        match self.scope.in_lanes(function) {
            Some(instance) => self.is_instance_lane_wise(instance, &mut FxHashSet::default()),
            None => false,
        }
    }

    fn is_instance_lane_wise(&self, instance: FunctionId, seen: &mut FxHashSet<FunctionId>) -> bool {
        if !seen.insert(instance) {
            return true;
        }
        let program = self.scope.program();
        let function = &program.functions[instance.0 as usize];
        let Some(body) = &function.body else { return false };
        if self.scope.looks_at_length(instance) {
            return false;
        }
        let mut walk =
            Walk { program, lengths: Vec::new(), level: 0, declared: FxHashMap::default(), calls: Vec::new(), holds: true };
        walk.lengths = function.locals.iter().map(|local| program.types.length(local.ty)).collect();
        walk.declared.extend((0..function.parameters as u32).map(|parameter| (LocalId(parameter), 0)));
        walk.block(body);
        walk.holds && walk.calls.iter().all(|&callee| self.is_instance_lane_wise(callee, seen))
    }
}

struct Walk<'p> {
    program: &'p crate::typed::ir::Program,
    /// The lengths of the locals.
    lengths: Vec<u8>,
    /// How many conditions of lanes are around.
    level: u32,
    /// The levels at which the locals live.
    declared: FxHashMap<LocalId, u32>,
    calls: Vec<FunctionId>,
    holds: bool,
}

impl Walk<'_> {
    fn has_lanes(&self, e: &Expr) -> bool {
        self.program.types.length(e.ty) > 1
    }

    fn block(&mut self, block: &Block) {
        // The counters of a loop, which ends the block, live inside of it.
        if let Some((last, counters)) = block.statements.split_last()
            && let StatementKind::Loop { condition, body, .. } = &last.kind
        {
            let inner = self.level + u32::from(self.is_parting(condition.as_ref(), body, block.context));
            for statement in counters {
                self.statement(statement, block.context);
                if let StatementKind::Declare { local, .. } = statement.kind {
                    self.declared.insert(local, inner);
                }
            }
            return self.statement(last, block.context);
        }
        block.statements.iter().for_each(|statement| self.statement(statement, block.context));
    }

    /// May lanes leave a loop before others do?
    fn is_parting(&self, condition: Option<&Expr>, body: &Block, context: u8) -> bool {
        condition.is_some_and(|e| self.has_lanes(e)) || body.context != context
    }

    fn under(&mut self, is_parting: bool, rule: impl FnOnce(&mut Self)) {
        self.level += u32::from(is_parting);
        rule(self);
        self.level -= u32::from(is_parting);
    }

    fn statement(&mut self, statement: &Statement, context: u8) {
        match &statement.kind {
            StatementKind::If { condition, then, otherwise } => {
                self.expr(condition);
                return self.under(self.has_lanes(condition), |this| [then, otherwise].into_iter().for_each(|b| this.block(b)));
            }
            StatementKind::Loop { test_first: _, unrolling: _, condition, step: _, body } => {
                let is_parting = self.is_parting(condition.as_ref(), body, context);
                return self.under(is_parting, |this| parts_of_statement(statement, &mut |part| this.part(part)));
            }
            StatementKind::Switch { value, arms } => {
                self.expr(value);
                // Where the value is a scalar, lanes may part at a `break`.
                let is_parting = self.has_lanes(value) || arms.iter().any(|arm| arm.body.context > 1);
                return self.under(is_parting, |this| arms.iter().for_each(|arm| this.block(&arm.body)));
            }
            StatementKind::Foreach { parallel, unrolling: _, indices: _, body } => {
                self.holds &= !parallel && body.context == context
            }
            StatementKind::ForeachActive { .. } | StatementKind::ForeachUnique { .. } => self.holds = false,
            StatementKind::Scalar(_) | StatementKind::Delete(..) => self.holds = false,
            StatementKind::Block(_) | StatementKind::Declare { .. } | StatementKind::Expression(_) => {}
            StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue => {}
        }
        parts_of_statement(statement, &mut |part| self.part(part));
        if let StatementKind::Declare { local, .. } = statement.kind {
            self.declared.insert(local, self.level);
        }
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Expr(e) => self.expr(e),
            Part::Place(place) => self.place(place, false),
            Part::Block(block) => self.block(block),
        }
    }

    /// A place that is read, or written.
    fn place(&mut self, place: &Place, is_written: bool) {
        match &place.kind {
            PlaceKind::Local(local) => {
                let is_scalar = self.lengths[local.0 as usize] == 1;
                let lives_at = self.declared.get(local).copied().unwrap_or(0);
                self.holds &= !(is_written && is_scalar && lives_at < self.level);
            }
            PlaceKind::Global(_) => self.holds &= !is_written,
            // A table that the lanes read each at its own place.
            PlaceKind::Dereference(pointer) => {
                self.holds &= !is_written;
                self.expr(pointer);
            }
            PlaceKind::Member(base, _) => self.place(base, is_written),
            PlaceKind::Element(base, index) => {
                self.expr(index);
                // Each lane its own element: of a vector they are apart.
                self.holds &= !(is_written && self.has_lanes(index) && self.program.types.length(base.ty) == 1);
                self.place(base, is_written);
            }
            PlaceKind::Temporary(e) => self.expr(e),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::CurrentMask | ExprKind::LaneIndex | ExprKind::Blend(..) | ExprKind::SetLane { .. } => self.holds = false,
            ExprKind::PointerDifference(..) | ExprKind::New(..) | ExprKind::Print(..) | ExprKind::Assert(..) => {
                self.holds = false
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a);
                return self.under(self.has_lanes(a), |this| this.expr(b));
            }
            ExprKind::Conditional(c, a, b) => {
                self.expr(c);
                return self.under(self.has_lanes(c), |this| [a, b].into_iter().for_each(|e| this.expr(e)));
            }
            ExprKind::Assign { place, value } | ExprKind::Compound { place, op: _, value, compute_as: _, old_value: _ } => {
                self.expr(value);
                return self.place(place, true);
            }
            ExprKind::Call { function, .. } => self.calls.push(*function),
            ExprKind::Builtin(builtin, _) => self.holds &= matches!(builtin, Builtin::Lane(_)),
            ExprKind::Constant(_) | ExprKind::Lanes(_) | ExprKind::Aggregate(_) | ExprKind::Within(..) => {}
            ExprKind::Load(_) | ExprKind::AddressOf(_) | ExprKind::Member(..) | ExprKind::PointerOffset(..) => {}
            ExprKind::Unary(..) | ExprKind::Convert(_) | ExprKind::Broadcast(_) => {}
            ExprKind::Binary(..) | ExprKind::Compare(..) => {}
        }
        parts_of_expr(e, &mut |part| self.part(part));
    }
}
