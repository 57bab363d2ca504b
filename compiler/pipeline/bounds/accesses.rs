//! The reads in a nest: where they stand, what ranges around them, and whether they decide (§7.1).

use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{Block, StageName, Statement, is_block};
use super::infer::Inference;
use super::range::{Scope, branches};
use crate::source::Span;

/// A read.
pub(super) struct Access<'n> {
    pub place: Place,
    pub indices: &'n [Expr],
    pub scope: Scope,
    /// Does it decide?
    pub decides: bool,
}

/// Where a read or a store stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// What is read or stored to.
    pub source: Source,
    /// The stage in which it stands.
    pub reader: StageName,
    pub span: Span,
    /// From where it is looked at: what it needs is said in terms of this block.
    pub block: Block,
}

/// A walk that collects the reads of a source.
pub(super) struct Collector<'i, 'n> {
    pub inference: &'i Inference<'n>,
    pub source: Source,
    /// Of this func, this stage is the only one that is looked at.
    pub only: Option<(FuncId, usize)>,
    pub scope: Scope,
    pub stage: Option<StageName>,
    /// From where they are looked at.
    pub block: Block,
    pub all: &'i mut Vec<Access<'n>>,
}

impl<'n> Collector<'_, 'n> {
    pub fn statement(&mut self, statement: &'n Statement, block: Block) {
        let mark = self.scope.mark();
        match statement {
            Statement::Nop | Statement::Allocate(..) | Statement::Advance(..) => {}
            Statement::Slide(_, body) => self.statement(body, block),
            Statement::Sequence(list) => {
                self.inference.enter(block, list, &mut self.scope);
                list.iter().for_each(|s| self.statement(s, block));
            }
            Statement::Store(store) => {
                store.indices.iter().for_each(|e| self.expression(e, true));
                store.values.iter().for_each(|e| self.expression(e, false));
            }
            Statement::If(condition, body) => {
                self.expression(condition, true);
                self.inference.assume(condition, body, &mut self.scope);
                self.statement(body, block);
            }
            Statement::For(l) => {
                self.expression(&l.min, true);
                self.expression(&l.length, true);
                self.inference.enter_loop(l, &mut self.scope);
                self.statement(&l.body, Some((l.stage, l.variable)));
            }
            Statement::Assert(_) => unreachable!("start checks are made of what this finds"),
            Statement::Either(..) | Statement::Foreach(_) | Statement::Greatest(..) | Statement::Accumulate(_) => {
                unreachable!("passes make them of nests that have their bounds")
            }
            Statement::Let(variable, value, body) => {
                self.expression(value, decides(body, *variable));
                self.inference.enter_let(*variable, value, &mut self.scope);
                self.statement(body, block);
            }
            Statement::Produce(func, body) => {
                let reads = self.inference.reads.get(&self.source);
                let is_reader = |func: &FuncId| reads.is_some_and(|reads| reads.contains(func));
                let inner = self.inference.inside.get(func);
                if is_reader(func) || inner.is_some_and(|list| list.iter().any(is_reader)) {
                    self.statement(body, block);
                }
            }
            Statement::Stage(stage, _) if self.only.is_some_and(|(func, only)| stage.func == func && stage.stage != only) => {}
            Statement::Stage(stage, body) => {
                let outer = self.stage.replace(*stage);
                self.statement(body, block);
                self.stage = outer;
            }
        }
        self.scope.reset(mark);
    }

    fn expression(&mut self, e: &'n Expr, decides: bool) {
        if let ExprKind::Read(source, indices) = e.kind() {
            let is_it = match (source, self.source) {
                (Source::Func(a, _), Source::Func(b, _)) => *a == b,
                (a, b) => *a == b,
            };
            if is_it && let Some(reader) = self.stage {
                let scope = self.scope.clone();
                let place = Place { source: *source, reader, span: e.span(), block: self.block };
                self.all.push(Access { place, indices, scope, decides });
            }
            indices.iter().for_each(|index| self.expression(index, true));
        } else if let Some((decider, parts)) = branches(e) {
            self.expression(decider, true);
            parts.into_iter().for_each(|(condition, part)| self.under(condition, part, decides));
        } else {
            e.children().into_iter().for_each(|child| self.expression(child, decides));
        }
    }

    fn under(&mut self, condition: Option<Expr>, e: &'n Expr, decides: bool) {
        let mark = self.scope.mark();
        if let Some(condition) = condition {
            self.scope.assume(self.inference.guarded(&condition));
        }
        self.expression(e, decides);
        self.scope.reset(mark);
    }
}

/// Does the block of a loop begin below?
pub(super) fn holds_block(statement: &Statement) -> bool {
    if let Statement::If(_, body) | Statement::Let(_, _, body) = statement {
        return holds_block(body);
    }
    matches!(statement, Statement::Sequence(list) if is_block(list))
}

/// Does a `let` decide something below?
fn decides(body: &Statement, variable: Variable) -> bool {
    let is_it = |v: Variable| v == variable;
    let mut found = false;
    body.walk(&mut |s| {
        found |= if let Statement::Store(store) = s {
            store.indices.iter().any(|e| e.mentions(&is_it)) || store.values.iter().any(|e| decides_in(e, &is_it))
        } else if let Statement::Let(inner, value, body) = s {
            decides_in(value, &is_it) || (value.mentions(&is_it) && decides(body, *inner))
        } else {
            s.expressions().into_iter().any(|e| e.mentions(&is_it))
        };
    });
    found
}

/// Does it decide in an expression: in an index, or where a branch is chosen?
fn decides_in(e: &Expr, is_it: &dyn Fn(Variable) -> bool) -> bool {
    let is_index = matches!(e.kind(), ExprKind::Read(_, indices) if indices.iter().any(|e| e.mentions(is_it)));
    is_index || e.decider().is_some_and(|c| c.mentions(is_it)) || e.children().into_iter().any(|child| decides_in(child, is_it))
}
