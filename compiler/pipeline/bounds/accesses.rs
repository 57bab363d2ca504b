//! The reads in a nest: where they stand, what ranges around them, and whether they decide (§7.1).

use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{Block, StageName, Statement};
use super::infer::{Inference, Unbounded};
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

/// Where a statement stands.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub block: Block,
    /// The stage around it.
    pub stage: Option<StageName>,
}

impl At {
    /// What stands in a block.
    pub fn block(block: Block) -> At {
        At { block, stage: block.map(|(stage, _)| stage) }
    }
}

impl<'n> Inference<'n> {
    /// All reads of a source from a block on.
    pub fn accesses(&self, block: Block, source: Source) -> Vec<Access<'n>> {
        let mut all = Vec::new();
        let Some(readers) = self.reads.get(&source) else { return all };
        let reads = |func: &FuncId| readers.contains(func);
        self.walk_block_of(block, readers.iter().copied(), &mut |statement, at, scope| {
            if let Statement::Produce(func, _) = statement {
                return reads(func) || self.places[func].inside.iter().any(reads);
            }
            let Some(reader) = at.stage else { return true };
            for (number, e) in statement.expressions().into_iter().enumerate() {
                let decides = if let Statement::Store(store) = statement {
                    number < store.indices.len()
                } else if let Statement::Let(variable, _, body) = statement {
                    decides(body, *variable)
                } else {
                    true
                };
                let place = Place { source, reader, span: e.span(), block };
                self.add_accesses(e, decides, place, scope, &mut all);
            }
            true
        });
        all
    }

    /// Nothing bounds an access.
    pub fn is_unbounded(&self, Place { source, reader, span, .. }: Place, dimension: usize, index: &Expr) {
        let mut all = self.found.unbounded.borrow_mut();
        if !all.iter().any(|u| u.span == span && u.dimension == dimension) {
            all.push(Unbounded { source, dimension, index: index.clone(), span, reader: reader.func });
        }
    }

    fn add_accesses(&self, e: &'n Expr, decides: bool, place: Place, scope: &mut Scope, all: &mut Vec<Access<'n>>) {
        if let ExprKind::Read(source, indices) = e.kind() {
            if source.whole() == place.source {
                let place = Place { source: *source, span: e.span(), ..place };
                all.push(Access { place, indices, scope: scope.clone(), decides });
            }
            indices.iter().for_each(|index| self.add_accesses(index, true, place, scope, all));
        } else if let Some((decider, parts)) = branches(e) {
            self.add_accesses(decider, true, place, scope, all);
            for (condition, part) in parts {
                let mark = scope.mark();
                condition.into_iter().for_each(|condition| scope.assume(self.guarded(&condition)));
                self.add_accesses(part, decides, place, scope, all);
                scope.reset(mark);
            }
        } else {
            e.children().into_iter().for_each(|child| self.add_accesses(child, decides, place, scope, all));
        }
    }
}

/// What stands behind a `let` or a condition that a split has put in front of the block of a loop.
pub(super) fn behind(statement: &Statement) -> Option<&Statement> {
    let (Statement::If(_, body) | Statement::Let(_, _, body)) = statement else { return None };
    (body.as_block().is_some() || behind(body).is_some()).then_some(body)
}

/// Does a `let` decide something below?
fn decides(body: &Statement, variable: Variable) -> bool {
    let is_it = |v: Variable| v == variable;
    body.any(&|s| {
        if let Statement::Store(store) = s {
            store.indices.iter().any(|e| e.mentions(&is_it)) || store.values.iter().any(|e| decides_in(e, &is_it))
        } else if let Statement::Let(inner, value, body) = s {
            decides_in(value, &is_it) || (value.mentions(&is_it) && decides(body, *inner))
        } else {
            s.expressions().into_iter().any(|e| e.mentions(&is_it))
        }
    })
}

/// Does it decide in an expression: in an index, or where a branch is chosen?
fn decides_in(e: &Expr, is_it: &dyn Fn(Variable) -> bool) -> bool {
    let is_index = matches!(e.kind(), ExprKind::Read(_, indices) if indices.iter().any(|e| e.mentions(is_it)));
    is_index || e.decider().is_some_and(|c| c.mentions(is_it)) || e.children().into_iter().any(|child| decides_in(child, is_it))
}
