//! `foreach`, `foreach_active` and `foreach_unique`: loops over lanes and over ranges.

use super::declared::{Base, Declared, Qualifier};
use super::infer::{Narrowing, Opened, Parting};
use super::items::Binding;
use super::loops::Leaving;
use super::state::{Checker, Parallel};
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::typed::ir::{Block, Constant, Expr, ExprKind, ForeachIndex, LocalId, Statement, StatementKind};
use crate::types::{Element, Type, TypeKind};

/// Why a `foreach` over blocks stands in context 1 only.
const OWN_LANES: &str = "its lanes are its own, so it opens in context 1 only: visit each active lane with `foreach_active`, or leave the context with `scalar`";

/// The lanes of a `foreach`.
pub(super) struct Lanes {
    /// What says that they are a block, if they are.
    pub of: Option<Span>,
    /// Λ of the body.
    pub inner: u8,
    pub parallel: Option<Parallel>,
}

impl<'a> Checker<'a> {
    /// A new variable that the program does not change.
    fn bind_constant(&mut self, name: &Name, ty: Type) -> LocalId {
        let local = self.fresh_local(&name.text, ty, name.span);
        self.body.infos[local.0 as usize].is_const = true;
        self.bind(name, Binding::Local(local));
        local
    }

    /// `foreach`: opens in context 1 only, since its lanes are its own.
    pub fn foreach(
        &mut self,
        node: &'a ast::Statement,
        parallel: Option<Span>,
        indices: &'a [ast::ForeachIndex],
        body: &'a ast::Statement,
    ) -> Option<StatementKind> {
        let span = node.span;
        let outer = self.body.context;
        let parallel_loop = parallel.map(|span| Parallel { span, locals: self.body.locals.len() });
        if parallel.is_some() && !self.may_be_parallel(span) {
            return None;
        }
        let mut inner = outer;
        let mut block_index: Option<Span> = None;
        let mut typed = Vec::new();
        let all: Vec<Declared> = indices.iter().map(|index| self.resolve(&index.ty)).collect();
        let is_open = is_block_by_itself(&all, parallel.is_some());
        for (at, (index, declared)) in indices.iter().zip(all).enumerate() {
            let Base::Element(element) = declared.base else {
                if declared.base != Base::Error {
                    self.error(&codes::TYPE_MISMATCH, index.ty.span, "the index of a `foreach` is an integer");
                }
                return None;
            };
            if !element.is_integer() {
                self.error(
                    &codes::TYPE_MISMATCH,
                    index.ty.span,
                    format!("the index of a `foreach` is an integer, not `{}`", element.name()),
                );
                return None;
            }
            let length = match declared.qualifier {
                Qualifier::Unbound if at == 0 && is_open => self.options.width,
                Qualifier::Unbound => 1,
                Qualifier::Block => self.options.width,
                Qualifier::Of(length) => length,
            };
            let is_block = length > 1 || declared.qualifier == Qualifier::Block;
            if is_block {
                if let Some(first) = block_index {
                    let error =
                        Diagnostic::error(&codes::FOREACH_CONTEXT, index.span, "a second index of this `foreach` is a block");
                    self.diagnostics.push(error.with_secondary(first, "the first one"));
                    return None;
                }
                block_index = Some(index.span);
                if outer > 1 {
                    self.refuse_blocks(
                        span,
                        (declared.qualifier == Qualifier::Unbound).then(|| {
                            let help = format!("write `{} scalar {}` for a loop over scalars", element.name(), index.name.text);
                            (help, Edit::behind(index.ty.span, " scalar"))
                        }),
                    );
                    return None;
                }
                inner = length;
            }
            typed.push((index, element, length));
        }
        let mut made = Vec::new();
        for &(index, element, length) in &typed {
            let scalar = self.scalar(element);
            let bounds = [&index.low, &index.high].map(|e| {
                let operand = self.expression(e, Some(scalar));
                self.coerce(operand, scalar, e.span)
            });
            let [low, high] = bounds;
            let ty = self.program.types.vector(element, length);
            made.push((&index.name, ty, low, high));
        }
        let failed = made.iter().any(|(_, _, low, high)| self.is_error(low.ty) || self.is_error(high.ty));
        let (indices, body) = self.scoped(|this| {
            let mut indices = Vec::new();
            for (name, ty, low, high) in made {
                let local = this.bind_constant(name, ty);
                indices.push(ForeachIndex { local, low, high });
            }
            let lanes = Lanes { of: block_index, inner, parallel: parallel_loop };
            let body = this.in_lanes(node, lanes, |this| this.block(std::slice::from_ref(body)));
            (indices, body)
        });
        let unrolling = Self::unrolling(node);
        (!failed).then_some(StatementKind::Foreach { parallel: parallel.is_some(), unrolling, indices, body })
    }

    /// May a `parallel foreach` stand here? Reports that it may not.
    fn may_be_parallel(&mut self, span: Span) -> bool {
        if self.body.context == 1 {
            return true;
        }
        let message = format!("a `parallel foreach` in a context of length {}", self.body.context);
        let error = Diagnostic::error(&codes::FOREACH_CONTEXT, span, message);
        let help = "lanes do not start threads: leave the context with `scalar`, or visit each active lane with `foreach_active`";
        let error = error.with_help(help).with_fix("leave the context", vec![Edit::before(span, "scalar ")]);
        self.push_with_opener(error.with_fix("visit each active lane", vec![Edit::before(span, self.each_lane())]));
        false
    }

    /// May a `foreach` over blocks of a length stand here? Reports that it may not.
    pub fn may_open_blocks(&mut self, span: Span, parallel: Option<Span>, length: u8) -> bool {
        if parallel.is_some() && !self.may_be_parallel(span) {
            return false;
        }
        if self.body.context == 1 || length == 1 {
            return true;
        }
        self.refuse_blocks(span, None);
        false
    }

    /// Reports a `foreach` over blocks in lanes. `scalar` is how it becomes one over scalars, where that may be meant.
    fn refuse_blocks(&mut self, span: Span, scalar: Option<(String, Edit)>) {
        let message = format!("a `foreach` over blocks in a context of length {}", self.body.context);
        let error = Diagnostic::error(&codes::FOREACH_CONTEXT, span, message);
        self.push_with_opener(match scalar {
            Some((help, edit)) => error.with_fix(help, vec![edit]),
            None => error
                .with_help(OWN_LANES)
                .with_fix("visit each active lane", vec![Edit::before(span, self.each_lane())])
                .with_fix("leave the context", vec![Edit::before(span, "scalar ")]),
        });
    }

    /// What a `foreach` repeats, in its lanes.
    pub fn in_lanes(
        &mut self,
        node: &'a ast::Statement,
        Lanes { of, inner, parallel }: Lanes,
        body: impl FnOnce(&mut Self) -> Block,
    ) -> Block {
        let outer = self.body.context;
        let in_foreach = self.body.in_foreach;
        self.body.in_foreach |= of.is_some();
        let narrowing = match of {
            Some(at) if inner > 1 => Some(Narrowing { length: inner, is_callers: false, parting: Parting::Foreach(at) }),
            _ => self.target_narrowings(self.node(node.id)).0,
        };
        let opened = Opened { length: inner, is_callers: self.body.is_callers && of.is_none(), span: node.span };
        let body = self.inside(narrowing, |this| {
            this.body.targets.push(this.target(this.node(node.id), outer, inner, Leaving::Fixed, parallel));
            let body = this.in_opened(opened, body);
            this.body.targets.pop();
            body
        });
        self.body.in_foreach = in_foreach;
        body
    }

    /// `foreach_active (int k) body`
    pub fn foreach_active(
        &mut self,
        node: &'a ast::Statement,
        ty: &'a ast::Type,
        name: &'a Name,
        body: &'a ast::Statement,
    ) -> Option<StatementKind> {
        let declared = self.resolve(ty);
        let Base::Element(element @ Element::Int32) = declared.base else {
            if declared.base != Base::Error {
                self.error(&codes::TYPE_MISMATCH, ty.span, "the lane of a `foreach_active` is an `int`");
            }
            return None;
        };
        let scalar = self.scalar(element);
        Some(self.scoped(|this| {
            let index = this.bind_constant(name, scalar);
            let opened = this.body.context;
            let in_foreach = std::mem::replace(&mut this.body.in_foreach, false);
            let body = this.for_all_lanes(|this| {
                this.body.targets.push(this.target(this.node(node.id), opened, 1, Leaving::Fixed, None));
                let body = this.branch(body, 1, name.span);
                this.body.targets.pop();
                body
            });
            this.body.in_foreach = in_foreach;
            StatementKind::ForeachActive { index, body }
        }))
    }

    /// `foreach_unique (T u : v) body`
    pub fn foreach_unique(
        &mut self,
        node: &'a ast::Statement,
        ty: &'a ast::Type,
        name: &'a Name,
        value: &'a ast::Expr,
        body: &'a ast::Statement,
    ) -> Option<StatementKind> {
        let span = node.span;
        let declared = self.resolve(ty);
        let operand = self.expression(value, None);
        if operand.is_error() || declared.base == Base::Error {
            return None;
        }
        let value = self.value(operand, None);
        let outer = self.body.context;
        let own = self.length(value.ty);
        let context = if outer == 1 { own } else { outer };
        let element = match *self.program.types.kind(value.ty) {
            TypeKind::Error => return None,
            TypeKind::Vector { element, .. } => self.scalar(element),
            TypeKind::Pointer { pointee, .. } => self.program.types.pointer(pointee, 1),
            TypeKind::Void | TypeKind::Array { .. } | TypeKind::Record { .. } => {
                let message = format!("`{}` has no values to tell apart", self.display(value.ty));
                self.error(&codes::TYPE_MISMATCH, value.span, message);
                return None;
            }
        };
        let scalar = self.vec(&declared, 1, 1, ty.span);
        if scalar != element {
            let message = format!("the lanes of `{}` are no `{}`", self.display(value.ty), self.display(scalar));
            self.error(&codes::TYPE_MISMATCH, ty.span, message);
            return None;
        }
        let value = self.at_length(value, context);
        let kind = self.scoped(|this| {
            let local = this.bind_constant(name, scalar);
            let is_callers = if own > 1 { this.is_callers(&value) } else { this.body.is_callers };
            let narrowing = Narrowing { length: context, is_callers, parting: Parting::Unique(name.span) };
            let opened = Opened { length: context, is_callers, span: name.span };
            let body = this.inside((context > 1).then_some(narrowing), |this| {
                this.body.targets.push(this.target(this.node(node.id), outer, context, Leaving::Fixed, None));
                let body = this.in_opened(opened, |this| this.block(std::slice::from_ref(body)));
                this.body.targets.pop();
                body
            });
            StatementKind::ForeachUnique { local, value, body }
        });
        if outer == context {
            return Some(kind);
        }
        // In context 1 all lanes of the vector are visited: their context is opened by a condition that always holds.
        let bool = self.scalar(Element::Bool);
        let yes = Expr { kind: ExprKind::Constant(Constant::Bool(true)), ty: bool, span };
        let condition = self.at_length(yes, context);
        let then = Block { context, statements: vec![Statement { kind, span }] };
        Some(StatementKind::If { condition, then, otherwise: Block { context, statements: Vec::new() } })
    }
}

/// Is the first index of a `foreach` a block of length W without saying so? It is where it says nothing and no other index is a
/// block; but the rounds of a parallel loop over one index are its own, and run one by one.
fn is_block_by_itself(indices: &[Declared], is_parallel: bool) -> bool {
    let says_block = |index: &Declared| match index.qualifier {
        Qualifier::Unbound => false,
        Qualifier::Block => true,
        Qualifier::Of(length) => length > 1,
    };
    let is_unbound = indices.first().is_some_and(|first| first.qualifier == Qualifier::Unbound);
    is_unbound && !indices.iter().any(says_block) && !(is_parallel && indices.len() == 1)
}
