//! Where local variables live: in SSA variables, one per leaf, or in a stack slot.
//!
//! A variable needs memory if its address is taken or if it contains an array, whose elements are chosen by number.
//! All others live in registers, where a masked assignment is a `select`.

use super::layout::Layouts;
use crate::typed::ir::{Block, Expr, ExprKind, Function, LocalId, Place, PlaceKind, PrintPiece, Statement, StatementKind};

/// What is known of the locals of a function.
pub(super) struct Locals {
    /// Does the local live in memory?
    pub in_memory: Vec<bool>,
    /// Is the local ever stored to after its declaration (or the call, for a parameter)?
    pub assigned: Vec<bool>,
    /// Is the local the block index of a `foreach`?
    pub block_index: Vec<bool>,
}

impl Locals {
    /// Looks at every use of every local.
    pub fn of(layouts: &Layouts, function: &Function) -> Locals {
        let in_memory = function.locals.iter().map(|local| layouts.has_array(local.ty)).collect();
        let no = vec![false; function.locals.len()];
        let mut locals = Locals { in_memory, assigned: no.clone(), block_index: no };
        if let Some(body) = &function.body {
            locals.block(body);
        }
        for (local, is_block) in function.locals.iter().zip(&mut locals.block_index) {
            *is_block &= layouts.types.length(local.ty) > 1;
        }
        locals
    }

    fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Block(block) | StatementKind::Scalar(block) => self.block(block),
            StatementKind::ForeachActive { index: _, body } => self.block(body),
            StatementKind::Declare { local: _, initializer } => self.expressions(initializer),
            StatementKind::Expression(expr) | StatementKind::Delete(_, expr) => self.expression(expr),
            StatementKind::Return(value) => self.expressions(value),
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.block(then);
                self.block(otherwise);
            }
            StatementKind::Loop { test_first: _, condition, step, body } => {
                self.expressions(condition);
                self.expressions(step);
                self.block(body);
            }
            StatementKind::Foreach { parallel: _, indices, body } => {
                for index in indices {
                    self.block_index[index.local.0 as usize] = true;
                    self.expression(&index.low);
                    self.expression(&index.high);
                }
                self.block(body);
            }
            StatementKind::ForeachUnique { local: _, value, body } => {
                self.expression(value);
                self.block(body);
            }
            StatementKind::Break | StatementKind::Continue => {}
        }
    }

    fn expressions<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|expr| self.expression(expr));
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::CurrentMask | ExprKind::LaneIndex => {}
            ExprKind::Lanes(list) | ExprKind::Aggregate(list) | ExprKind::Builtin(_, list) => self.expressions(list),
            ExprKind::Call { function: _, arguments } => self.expressions(arguments),
            ExprKind::Load(place) => self.place(place),
            ExprKind::AddressOf(place) => {
                if let Some(local) = root(place) {
                    self.in_memory[local.0 as usize] = true;
                    self.assigned[local.0 as usize] = true;
                }
                self.place(place);
            }
            ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::Broadcast(a)
            | ExprKind::Member(a, _)
            | ExprKind::New(_, a)
            | ExprKind::Assert(a, _) => self.expression(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Blend(a, b)
            | ExprKind::PointerOffset(a, b)
            | ExprKind::PointerDifference(a, b) => {
                self.expression(a);
                self.expression(b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.expression(a);
                self.expression(b);
                self.expression(c);
            }
            ExprKind::Assign { place, value } | ExprKind::Compound { place, value, .. } => {
                self.stored(place);
                self.expression(value);
            }
            ExprKind::SetLane { place, value, index } => {
                self.stored(place);
                self.expression(value);
                self.expression(index);
            }
            ExprKind::Print(_, pieces) => {
                for piece in pieces {
                    match piece {
                        PrintPiece::Text(_) => {}
                        PrintPiece::Value(value) => self.expression(value),
                    }
                }
            }
        }
    }

    fn stored(&mut self, place: &Place) {
        if let Some(local) = root(place) {
            self.assigned[local.0 as usize] = true;
        }
        self.place(place);
    }

    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Global(_) => {}
            PlaceKind::Dereference(expr) | PlaceKind::Temporary(expr) => self.expression(expr),
            PlaceKind::Member(base, _) => self.place(base),
            PlaceKind::Element(base, index) => {
                self.place(base);
                self.expression(index);
            }
        }
    }
}

/// The local that a place is a part of.
pub(super) fn root(place: &Place) -> Option<LocalId> {
    let mut place = place;
    loop {
        match &place.kind {
            PlaceKind::Local(local) => return Some(*local),
            PlaceKind::Member(base, _) | PlaceKind::Element(base, _) => place = base,
            PlaceKind::Global(_) | PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => return None,
        }
    }
}
