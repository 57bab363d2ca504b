//! Statements in sequence, and the simple ones among them.
//!
//! ```text
//! s1; s2      s1 takes lanes away    ──►    s1; if (any(mask)) s2         (E-SEQF)
//! ```

use super::loops::Loop;
use super::state::{Mask, Predicator, Storage};
use super::{cost, places};
use crate::typed::ir::{Block, ExprKind, LocalId, Statement, StatementKind};
use crate::vector::build::Variable;
use crate::vector::ir;

impl Predicator<'_> {
    /// The statements of a block, under the current mask. The mask is afterwards that of the lanes that are still here.
    pub fn block(&mut self, block: &Block) {
        self.statements(&block.statements);
    }

    fn statements(&mut self, statements: &[Statement]) {
        let (mut guarded, may_be_off) = (self.mask, self.may_be_off);
        let mut end: Option<(ir::Block, Variable)> = None;
        for (i, statement) in statements.iter().enumerate() {
            if !self.b.is_reachable() || matches!(self.mask, Mask::Off(_)) {
                break;
            }
            if !self.same_mask(guarded, self.mask) {
                guarded = self.mask;
                if cost::is_cheap(self.shared, self.id, self.context(), &statements[i..]) {
                    self.may_be_off = true;
                } else {
                    let mask = self.mask_value(self.mask);
                    let any = self.b.any(mask);
                    let (end, out) =
                        *end.get_or_insert_with(|| (self.b.create_block(), self.b.declare_variable(self.b.ty(mask))));
                    let rest = self.b.create_block();
                    self.b.define(out, mask);
                    self.b.branch(any, rest, &[], end, &[]);
                    self.b.seal(rest);
                    self.b.position(rest);
                }
            }
            self.statement(statement);
        }
        self.may_be_off = may_be_off;
        if let Some((end, out)) = end {
            let mask = self.mask_value(self.mask);
            self.b.define(out, mask);
            self.b.jump(end, &[]);
            self.b.seal(end);
            self.b.position(end);
            let mask = self.b.use_variable(out);
            self.mask = self.mask_of(mask);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let span = self.b.set_span(statement.span);
        match &statement.kind {
            StatementKind::Block(block) => self.block(block),
            StatementKind::Declare { local, initializer } => self.declare(*local, initializer.as_ref()),
            StatementKind::Expression(expr) => self.effect(expr),
            StatementKind::If { condition, then, otherwise } => self.if_statement(condition, then, otherwise),
            StatementKind::Loop { test_first, unrolling, condition, step, body } => {
                let (test_first, unrolling) = (*test_first, *unrolling);
                self.loop_statement(Loop { test_first, unrolling, condition: condition.as_ref(), step: step.as_ref(), body });
            }
            StatementKind::Foreach { parallel: false, unrolling, indices, body } => self.foreach(indices, *unrolling, body),
            StatementKind::Foreach { parallel: true, unrolling, indices, body } => {
                self.parallel_foreach(indices, *unrolling, body);
            }
            StatementKind::ForeachActive { index, body } => self.foreach_active(*index, body),
            StatementKind::ForeachUnique { local, value, body } => self.foreach_unique(*local, value, body),
            StatementKind::Switch { value, arms } => self.switch(value, arms),
            StatementKind::Scalar(block) => self.scalar(block),
            StatementKind::Break => self.break_statement(),
            StatementKind::Continue => self.continue_statement(),
            StatementKind::Return(value) => self.return_statement(value.as_ref()),
            StatementKind::Delete(memory, pointer) => self.delete(*memory, pointer),
        }
        self.b.set_span(span);
    }

    fn declare(&mut self, local: LocalId, initializer: Option<&crate::typed::ir::Expr>) {
        if let (&Storage::Slot(slot), Mask::Value(mask), false) = (&self.storage[local.0 as usize], self.mask, self.may_be_off)
            && self.shared.layouts.lanes(self.function().locals[local.0 as usize].ty) == Some(self.context())
        {
            let address = self.b.slot_address(slot);
            self.b.lifetime(address, mask);
        }
        match initializer {
            Some(initializer) => {
                if self.is_large(initializer.ty) {
                    let to = self.local_address(local);
                    self.fill(to, initializer);
                    return;
                }
                if let (ExprKind::Load(from), &Storage::Slot(slot)) = (&initializer.kind, &self.storage[local.0 as usize]) {
                    let to = self.b.slot_address(slot);
                    let to = places::Location::Memory { pointer: to, offset: 0, is_own: true };
                    let ty = self.function().locals[local.0 as usize].ty;
                    if self.copy_object(&to, from, ty) {
                        return;
                    }
                }
                let values = self.expression(initializer);
                self.initialize(local, &values);
                self.remember_origin(local, initializer);
            }
            None => {
                if let Storage::Registers(variables) = &self.storage[local.0 as usize] {
                    let leaves = self.leaves(self.function().locals[local.0 as usize].ty);
                    for (&variable, leaf) in variables.iter().zip(leaves.iter()) {
                        let unset = self.b.unset(leaf.ty);
                        self.b.define(variable, unset);
                    }
                }
            }
        }
    }
}
