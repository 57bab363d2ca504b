//! Instances for the rounds of plain loops that may become lanes.
//!
//! ```text
//! for (int i = 0; i < n; ++i) o[i] = exp(a[i]);
//!
//! exp.1(float) -> float                     the instance that the loop calls
//! exp.7(float block[8]) -> float block[8]   what eight of its rounds call, should they become a block
//! ```
//! A plain loop over numbers says what a `foreach` says, calls with it. Whether its rounds become lanes shows much later (the pass `vectorized_rounds`), where no
//! instance can be made. So for each function that a plain loop calls with numbers there is one at W, which is dropped again where nobody calls it.
//!
//! # Invariants
//! 1. Lane i of the one is the other of lane i: neither stores to memory, prints or asks what other lanes do. Functions of the library may ask, since they keep that law
//!    whatever the answer.
//! 2. These instances say nothing: what is wrong with one only means that there is none.

use super::state::Checker;
use crate::diagnostics::Severity;
use crate::typed::ir::{Block, Builtin, Expr, ExprKind, FunctionId, LaneInstance, Linkage, Place, PlaceKind, StatementKind};
use crate::typed::walk::{Part, every_expr, every_expr_of, parts_of_expr, parts_of_place, parts_of_statement};
use crate::types::{Type, TypeKind};
use rustc_hash::FxHashSet;

/// Functions that call each other deeper than this are taken for those that call themselves.
const DEPTH: u32 = 8;

impl Checker<'_> {
    /// Makes them for what the roots reach.
    pub fn lane_instances(&mut self, roots: &[FunctionId]) -> Vec<LaneInstance> {
        if !self.options.lanes || self.options.width < 2 {
            return Vec::new();
        }
        let mut reached: Vec<FunctionId> = self.reachable(roots).into_iter().collect();
        reached.sort_unstable();
        let mut called = FxHashSet::default();
        for id in reached {
            let function = &self.program.functions[id.0 as usize];
            if let Some(body) = function.body.as_ref().filter(|_| function.context == 1 && !function.is_library) {
                calls_in_loops(body, &mut called);
            }
        }
        let mut work: Vec<FunctionId> = called.iter().copied().collect();
        while let Some(id) = work.pop() {
            let Some(body) = &self.program.functions[id.0 as usize].body else { continue };
            if !self.program.functions[id.0 as usize].is_library {
                every_expr(body, &mut |e| work.extend(callee(e).filter(|callee| called.insert(*callee))));
            }
        }
        let mut called: Vec<FunctionId> = called.into_iter().collect();
        called.sort_unstable();
        let of = |this: &mut Self, one| {
            Some(LaneInstance { one, lanes: this.lane_instance(one)?, is_total: this.is_total(one, DEPTH) })
        };
        called.into_iter().filter_map(|id| of(self, id)).collect()
    }

    fn lane_instance(&mut self, id: FunctionId) -> Option<FunctionId> {
        let (item, context, parameters, types, fp) = self.made.get(&id)?.key.clone()?;
        let function = &self.program.functions[id.0 as usize];
        let (result, span) = (function.result, function.span);
        if context != 1 || function.body.is_none() || function.linkage != Linkage::Internal {
            return None;
        }
        let width = self.options.width;
        let mut in_lanes = |ty| match *self.program.types.kind(ty) {
            TypeKind::Vector { element, length: 1 } => Some(self.program.types.vector(element, width)),
            _ => None,
        };
        let lanes: Vec<Type> = parameters.iter().map(|&ty| in_lanes(ty)).collect::<Option<_>>()?;
        let result = in_lanes(result).filter(|_| !lanes.is_empty())?;
        let (first, mark) = (FunctionId(self.program.functions.len() as u32), self.diagnostics.len());
        let refused = self.refused_bodies.clone();
        let made = self.instance_of((item, width, lanes, types, fp), span);
        self.refused_bodies = refused;
        let mut said = self.diagnostics.split_off(mark);
        said.extend(made.into_iter().flat_map(|(id, _)| self.said_by(&[id])));
        let is_right = said.iter().all(|said| said.severity != Severity::Error);
        let made = made.map(|(made, _)| made).filter(|&made| {
            let function = &self.program.functions[made.0 as usize];
            is_right && function.result == result && self.reachable(&[made]).iter().all(|&id| self.is_lane_by_lane(id))
        });
        if made.is_none() {
            self.forget_since(first);
        }
        made
    }

    /// Does a function end whatever it is given, as those of the library do, and what has no loops and does not call itself?
    fn is_total(&self, id: FunctionId, depth: u32) -> bool {
        let function = &self.program.functions[id.0 as usize];
        let Some(body) = function.body.as_ref().filter(|_| depth > 0) else { return false };
        let mut is_total = !has_loop(body);
        every_expr(body, &mut |e| is_total = is_total && callee(e).is_none_or(|callee| self.is_total(callee, depth - 1)));
        function.is_library || is_total
    }

    /// Does each lane only do what it would do by itself, and nothing that is seen outside?
    fn is_lane_by_lane(&self, id: FunctionId) -> bool {
        let function = &self.program.functions[id.0 as usize];
        let looks_at_length = self.made.get(&id).is_none_or(|made| made.looks_at_length);
        let Some(body) = &function.body else { return false };
        function.is_library || !looks_at_length && self.is_of_lanes(body)
    }

    fn is_of_lanes(&self, block: &Block) -> bool {
        block.statements.iter().all(|statement| {
            let mut is_plain = match &statement.kind {
                StatementKind::Block(_)
                | StatementKind::Declare { .. }
                | StatementKind::Expression(_)
                | StatementKind::If { .. }
                | StatementKind::Switch { .. }
                | StatementKind::Loop { .. }
                | StatementKind::Break
                | StatementKind::Continue
                | StatementKind::Return(_) => true,
                StatementKind::Foreach { .. }
                | StatementKind::ForeachActive { .. }
                | StatementKind::ForeachUnique { .. }
                | StatementKind::Scalar(_)
                | StatementKind::Delete(..) => false,
            };
            parts_of_statement(statement, &mut |part| is_plain = is_plain && self.is_part_of_lanes(part));
            is_plain
        })
    }

    fn is_part_of_lanes(&self, part: Part<'_>) -> bool {
        let mut is_plain = match part {
            Part::Block(block) => return self.is_of_lanes(block),
            Part::Expr(e) => match &e.kind {
                ExprKind::Assign { place, .. } | ExprKind::Compound { place, .. } => is_local(place),
                ExprKind::Constant(_)
                | ExprKind::Aggregate(_)
                | ExprKind::Load(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Compare(..)
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Conditional(..)
                | ExprKind::Convert(_)
                | ExprKind::Broadcast(_)
                | ExprKind::Call { .. }
                | ExprKind::Builtin(Builtin::Lane(_), _)
                | ExprKind::Member(..) => true,
                ExprKind::Lanes(_)
                | ExprKind::AddressOf(_)
                | ExprKind::Blend(..)
                | ExprKind::CurrentMask
                | ExprKind::LaneIndex
                | ExprKind::Builtin(..)
                | ExprKind::SetLane { .. }
                | ExprKind::Within(..)
                | ExprKind::PointerOffset(..)
                | ExprKind::PointerDifference(..)
                | ExprKind::New(..)
                | ExprKind::Print(..)
                | ExprKind::Assert(..) => false,
            },
            Part::Place(place) => match &place.kind {
                PlaceKind::Global(id) => self.program.globals[id.0 as usize].is_const,
                PlaceKind::Dereference(_) => false,
                PlaceKind::Local(_) | PlaceKind::Temporary(_) | PlaceKind::Member(..) | PlaceKind::Element(..) => true,
            },
        };
        let visit = &mut |part| is_plain = is_plain && self.is_part_of_lanes(part);
        match part {
            Part::Expr(e) => parts_of_expr(e, visit),
            Part::Place(place) => parts_of_place(place, visit),
            Part::Block(_) => {}
        }
        is_plain
    }
}

fn is_local(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) => true,
        PlaceKind::Member(of, _) | PlaceKind::Element(of, _) => is_local(of),
        PlaceKind::Global(_) | PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => false,
    }
}

fn callee(e: &Expr) -> Option<FunctionId> {
    match &e.kind {
        ExprKind::Call { function, .. } => Some(*function),
        _ => None,
    }
}

fn has_loop(block: &Block) -> bool {
    block.statements.iter().any(|statement| {
        let mut found = matches!(statement.kind, StatementKind::Loop { .. });
        parts_of_statement(statement, &mut |part| found = found || matches!(part, Part::Block(block) if has_loop(block)));
        found
    })
}

/// Whom the plain loops of a block call.
fn calls_in_loops(block: &Block, called: &mut FxHashSet<FunctionId>) {
    for statement in &block.statements {
        if let StatementKind::Loop { .. } = statement.kind {
            let mut look = |e: &Expr| called.extend(callee(e));
            parts_of_statement(statement, &mut |part| every_expr_of(part, &mut look));
        } else {
            parts_of_statement(statement, &mut |part| {
                if let Part::Block(block) = part {
                    calls_in_loops(block, called);
                }
            });
        }
    }
}
