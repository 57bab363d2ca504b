//! `foreach (T &v : h)`: the elements of an `hsoa`, a block at a time.

use super::declared::{Base, Qualifier};
use super::elements::{BLOCKS, Hsoa, LENGTH};
use super::foreach::Lanes;
use super::items::Binding;
use super::operand::Operand;
use super::state::{Checker, LocalInfo, Parallel};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::typed::ir::{BinaryOp, Builtin, Expr, ExprKind, ForeachIndex, LocalId, Place, PlaceKind, Statement, StatementKind};
use crate::types::Element as Number;
use std::rc::Rc;

/// The variable of a `foreach` over elements.
#[derive(Clone, Copy)]
pub(super) struct Visited<'a> {
    pub ty: &'a ast::Type,
    pub name: &'a Name,
    pub value: &'a ast::Expr,
}

impl<'a> Checker<'a> {
    /// `foreach (T &v : h) body`: v is a whole block in each round, and in the last one those lanes are active that are elements.
    pub fn foreach_element(
        &mut self,
        node: &'a ast::Statement,
        parallel: Option<Span>,
        visited: Visited<'a>,
        body: &'a ast::Statement,
        out: &mut Vec<Statement>,
    ) -> Option<StatementKind> {
        let span = node.span;
        let declared = self.resolve(visited.ty);
        let operand = self.expression(visited.value, None);
        let ty = self.operand_type(&operand);
        if operand.is_error() || self.is_error(ty) || declared.base == Base::Error {
            return None;
        }
        let Some(hsoa) = self.hsoa(ty) else {
            let message = format!("`{}` has no elements to visit", self.display(ty));
            let error = Diagnostic::error(&codes::TYPE_MISMATCH, visited.value.span, message);
            self.diagnostics
                .push(error.with_help("`foreach (T &v : h)` visits an `hsoa<T>`; ranges are `foreach (int i = 0 .. n)`"));
            return None;
        };
        let (is_reference, own) = match &declared.base {
            Base::Reference(inner) => (true, (**inner).clone()),
            _ => (false, declared.clone()),
        };
        let is_its = own.base == hsoa.element.base && matches!(own.qualifier, Qualifier::Unbound | Qualifier::Block);
        let is_its = is_its || own.base == hsoa.element.base && own.qualifier == Qualifier::Of(hsoa.length);
        if !is_its {
            let element = self.text_of(&hsoa.element);
            let message = format!("the elements are `{element}`");
            let error = Diagnostic::error(&codes::TYPE_MISMATCH, visited.ty.span, message);
            self.diagnostics.push(error.with_help(format!("write `{element} &{}`", visited.name.text)));
            return None;
        }
        if !self.may_open_blocks(span, parallel, hsoa.length) {
            return None;
        }
        let is_protected = match &operand {
            Operand::Place(place) => self.holds_const(place).is_some(),
            _ => false,
        };
        let h = self.value(operand, None);
        if self.is_error(h.ty) {
            return None;
        }
        let h = self.declared("elements", h, out);
        let [blocks, high] = [BLOCKS, LENGTH].map(|member| self.hsoa_member(&h, member));
        let low = self.int_constant(0, Number::Int32, span);
        let index_type = self.program.types.vector(Number::Int32, hsoa.length);
        let is_block = hsoa.length > 1;
        let parallel_loop = parallel.map(|span| Parallel { span, locals: self.body.locals.len() });
        let inner = if is_block { hsoa.length } else { self.body.context };
        let (index, body) = self.scoped(|this| {
            let index = this.fresh_local("element", index_type, visited.name.span);
            this.body.infos[index.0 as usize].is_const = true;
            let lanes = Lanes { of: is_block.then_some(visited.name.span), inner, parallel: parallel_loop };
            let body = this.in_lanes(node, lanes, |this| {
                let first = this.visited_block(index, blocks, &hsoa, visited, (is_reference, own.is_const, is_protected));
                let mut body = this.block(std::slice::from_ref(body));
                body.statements.insert(0, first);
                body
            });
            (ForeachIndex { local: index, low, high }, body)
        });
        let unrolling = Self::unrolling(node);
        Some(StatementKind::Foreach { parallel: parallel.is_some(), unrolling, indices: vec![index], body })
    }

    /// The declaration of the variable: the block that the index begins.
    fn visited_block(
        &mut self,
        index: LocalId,
        blocks: Expr,
        hsoa: &Hsoa,
        visited: Visited<'a>,
        (is_reference, is_const, is_protected): (bool, bool, bool),
    ) -> Statement {
        let span = visited.name.span;
        let at = self.load_local(index, span);
        let first = match hsoa.length {
            1 => at,
            length => {
                let zero = self.int_constant(0, Number::Int32, span);
                let kind = ExprKind::Builtin(Builtin::Get, vec![at, zero]);
                let first = Expr { kind, ty: self.scalar(Number::Int32), span };
                self.number_op(BinaryOp::ShiftRight, first, i64::from(length.trailing_zeros()))
            }
        };
        let ty = blocks.ty;
        let pointer = Expr { kind: ExprKind::PointerOffset(Box::new(blocks), Box::new(first)), ty, span };
        let place = Place {
            kind: PlaceKind::Dereference(Box::new(pointer.clone())),
            object: hsoa.block,
            addresses: 1,
            ty: hsoa.block,
            span,
        };
        let (local, value) = if is_reference {
            let names = Some(Rc::new(self.meant_by(&place)));
            let local = self.fresh_local(&visited.name.text, ty, span);
            let info = &mut self.body.infos[local.0 as usize];
            *info = LocalInfo { pointee_const: is_const || is_protected, is_reference: true, names, ..info.clone() };
            self.bind(visited.name, Binding::Reference(local));
            (local, pointer)
        } else {
            let local = self.fresh_local(&visited.name.text, hsoa.block, span);
            self.body.infos[local.0 as usize].is_const = is_const;
            self.bind(visited.name, Binding::Local(local));
            (local, Expr { kind: ExprKind::Load(place), ty: hsoa.block, span })
        };
        Statement { kind: StatementKind::Declare { local, initializer: Some(value) }, span }
    }
}
