//! Loops and the jump rule (language.md §3): a lane jump whose target was opened in context 1 vectorises the target.

use super::context::{Binding, Checker, Parallel, Target};
use super::types::{Base, Declared, Qualifier};
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::typed::ir::{Block, Constant, Expr, ExprKind, ForeachIndex, Statement, StatementKind};
use crate::types::{Element, TypeKind};

/// A jump to a loop or `switch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jump {
    Break,
    Continue,
}

impl Jump {
    fn word(self) -> &'static str {
        match self {
            Jump::Break => "break",
            Jump::Continue => "continue",
        }
    }
}

/// The parts of `while`, `do` and `for`.
pub(super) struct Parts<'a> {
    pub test_first: bool,
    pub condition: Option<&'a ast::Expr>,
    pub step: Option<&'a ast::Expr>,
    pub body: &'a ast::Statement,
}

impl<'a> Checker<'a> {
    /// T-WHILE and its sugar. The condition is checked in the context of the body, where all rounds but the first
    /// evaluate it; so is the step.
    pub fn loop_statement(&mut self, node: &'a ast::Statement, parts: &Parts<'a>) -> StatementKind {
        let key: *const ast::Statement = node;
        let outer = self.body.context;
        let mut inner = outer;
        if let Some(&length) = self.body.vectorised.get(&key).filter(|_| outer == 1) {
            inner = length;
        } else if outer == 1
            && let Some(e) = parts.condition
        {
            // The length of the condition opens the context.
            let length = self.silently(|this| {
                let value = this.condition(e);
                this.length(value.ty)
            });
            inner = length;
        }
        self.vectorised_by_jumps(key, inner, |this, inner| this.loop_in(parts, outer, inner, node.span))
    }

    /// Checks a target of jumps whose body has context `inner`, and pops it; once more where lane jumps have asked for a
    /// length meanwhile.
    pub fn vectorised_by_jumps<T>(
        &mut self,
        key: *const ast::Statement,
        inner: u8,
        mut rule: impl FnMut(&mut Self, u8) -> T,
    ) -> T {
        let mut inner = inner;
        loop {
            let mark = (self.diagnostics.len(), self.body.locals.len());
            let returns = self.body.returns.len();
            let made = rule(self, inner);
            let demand = self.body.targets.pop().and_then(|t| t.demand);
            match demand {
                Some((length, _)) if inner == 1 => {
                    // Once more, with what was learnt.
                    self.diagnostics.truncate(mark.0);
                    self.body.locals.truncate(mark.1);
                    self.body.infos.truncate(mark.1);
                    self.body.returns.truncate(returns);
                    self.body.vectorised.insert(key, length);
                    inner = length;
                }
                Some(_) | None => return made,
            }
        }
    }

    fn loop_in(&mut self, parts: &Parts<'a>, outer: u8, inner: u8, span: Span) -> StatementKind {
        let opener = parts.condition.map_or(span, |e| e.span);
        let owned = self.body.owned.len();
        self.body.targets.push(Target {
            opened: outer,
            inner,
            demand: None,
            fixed: false,
            owned,
            parallel: None,
            is_switch: false,
        });
        let divergent = u32::from(inner > 1 && outer == 1) + u32::from(outer > 1 && self.is_vector_condition(parts.condition));
        self.body.divergence += divergent;
        let (condition, step, body) = self.in_context(inner, opener, |this| {
            let condition = parts.condition.map(|e| this.condition(e));
            let body = this.block(std::slice::from_ref(parts.body));
            // What counts the rounds counts them for all lanes.
            this.body.divergence -= divergent;
            let step = parts.step.and_then(|e| {
                let operand = this.expression(e, None);
                let value = this.value(operand, None);
                (!this.is_error(value.ty)).then_some(value)
            });
            this.body.divergence += divergent;
            (condition, step, body)
        });
        self.body.divergence -= divergent;
        let condition = condition.filter(|e| !self.is_error(e.ty));
        StatementKind::Loop { test_first: parts.test_first, condition, step, body }
    }

    fn is_vector_condition(&mut self, condition: Option<&'a ast::Expr>) -> bool {
        condition.is_some_and(|e| {
            self.silently(|this| {
                let value = this.condition(e);
                this.length(value.ty) > 1
            })
        })
    }

    /// What `break` or `continue` leads to.
    fn jump_target(&mut self, jump: Jump) -> Option<&mut Target> {
        self.body.targets.iter_mut().rev().find(|target| jump == Jump::Break || !target.is_switch)
    }

    /// `break` or `continue`: how many owners outside of its target are alive. `None` with an error if there is no legal target.
    pub fn jump(&mut self, jump: Jump, span: Span) -> Option<usize> {
        let context = self.body.context;
        let word = jump.word();
        let Some(target) = self.jump_target(jump) else {
            let targets = if jump == Jump::Break { "a loop or `switch`" } else { "a loop" };
            self.error(&codes::JUMP_OUTSIDE, span, format!("`{word}` outside of {targets}"));
            return None;
        };
        if let Some(parallel) = target.parallel.filter(|_| jump == Jump::Break) {
            self.parallel_jump(word, span, parallel);
            return None;
        }
        let owned = target.owned;
        if context == 1 || context == target.inner {
            return Some(owned);
        }
        let what = if target.is_switch { "switch" } else { "loop" };
        if target.inner == 1 && target.opened == 1 && !target.fixed {
            match target.demand {
                Some((other, first)) if other != context => {
                    let message = format!("jumps in contexts of lengths {other} and {context} leave one {what}");
                    let error = Diagnostic::error(&codes::LENGTH_MISMATCH, span, message);
                    self.diagnostics.push(error.with_secondary(first, format!("this one has length {other}")));
                }
                Some(_) => {}
                None => target.demand = Some((context, span)),
            }
            return Some(owned);
        }
        let inner = target.inner;
        let message = format!("`{word}` in a context of length {context} for a {what} of length {inner}");
        let error = Diagnostic::error(&codes::CONTEXT_MISMATCH, span, message);
        let edits = vec![Edit::before(span, "scalar { "), Edit::behind(span, " }")];
        self.diagnostics.push(error.with_fix("write `scalar { … }` around it to jump with all lanes", edits));
        None
    }

    /// A jump that would leave a parallel loop.
    pub fn parallel_jump(&mut self, word: &str, span: Span, parallel: Parallel) {
        let message = format!("`{word}` out of a parallel loop");
        let error = Diagnostic::error(&codes::PARALLEL_JUMP, span, message)
            .with_secondary(parallel.span, "its rounds run at the same time");
        self.diagnostics
            .push(error.with_help("`continue` ends a round; note what was found in memory, and look at it after the loop"));
    }

    /// `foreach`: opens in context 1 only, since its lanes are its own.
    pub fn foreach(
        &mut self,
        parallel: Option<Span>,
        indices: &'a [ast::ForeachIndex],
        body: &'a ast::Statement,
        span: Span,
    ) -> Option<StatementKind> {
        let outer = self.body.context;
        let parallel_loop = parallel.map(|span| Parallel { span, locals: self.body.locals.len() });
        if parallel.is_some() && outer > 1 {
            let message = format!("a `parallel foreach` in a context of length {outer}");
            let error = Diagnostic::error(&codes::FOREACH_CONTEXT, span, message);
            let help = "lanes do not start threads: leave the context with `scalar { … }`, or visit each active lane with `foreach_active`";
            self.push_with_opener(error.with_help(help));
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
                    let message = format!("a `foreach` over blocks in a context of length {outer}");
                    let error = Diagnostic::error(&codes::FOREACH_CONTEXT, span, message);
                    let help = "its lanes are its own, so it opens in context 1 only: visit each active lane with `foreach_active`, or leave the context with `scalar`";
                    let help = match declared.qualifier {
                        Qualifier::Unbound => {
                            format!("write `{} scalar {}` for a loop over scalars", element.name(), index.name.text)
                        }
                        Qualifier::Block | Qualifier::Of(_) => help.to_owned(),
                    };
                    self.push_with_opener(error.with_help(help));
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
                let local = this.fresh_local(&name.text, ty, name.span);
                this.body.infos[local.0 as usize].is_const = true;
                this.bind(name, Binding::Local(local));
                indices.push(ForeachIndex { local, low, high });
            }
            let owned = this.body.owned.len();
            this.body.targets.push(Target {
                opened: outer,
                inner,
                demand: None,
                fixed: true,
                owned,
                parallel: parallel_loop,
                is_switch: false,
            });
            let in_foreach = this.body.in_foreach;
            this.body.in_foreach |= inner > 1;
            let body = this.branch(body, inner, span);
            this.body.in_foreach = in_foreach;
            this.body.targets.pop();
            (indices, body)
        });
        (!failed).then_some(StatementKind::Foreach { parallel: parallel.is_some(), indices, body })
    }

    /// `foreach_active (int k) body`
    pub fn foreach_active(&mut self, ty: &'a ast::Type, name: &'a Name, body: &'a ast::Statement) -> Option<StatementKind> {
        let declared = self.resolve(ty);
        let Base::Element(element @ Element::Int32) = declared.base else {
            if declared.base != Base::Error {
                self.error(&codes::TYPE_MISMATCH, ty.span, "the lane of a `foreach_active` is an `int`");
            }
            return None;
        };
        let scalar = self.scalar(element);
        Some(self.scoped(|this| {
            let index = this.fresh_local(&name.text, scalar, name.span);
            this.body.infos[index.0 as usize].is_const = true;
            this.bind(name, Binding::Local(index));
            let opened = this.body.context;
            let owned = this.body.owned.len();
            this.body.targets.push(Target {
                opened,
                inner: 1,
                demand: None,
                fixed: true,
                owned,
                parallel: None,
                is_switch: false,
            });
            let in_foreach = std::mem::replace(&mut this.body.in_foreach, false);
            let body = this.branch(body, 1, name.span);
            this.body.in_foreach = in_foreach;
            this.body.targets.pop();
            StatementKind::ForeachActive { index, body }
        }))
    }

    /// `foreach_unique (T u : v) body`
    pub fn foreach_unique(
        &mut self,
        ty: &'a ast::Type,
        name: &'a Name,
        value: &'a ast::Expr,
        body: &'a ast::Statement,
        span: Span,
    ) -> Option<StatementKind> {
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
            let local = this.fresh_local(&name.text, scalar, name.span);
            this.body.infos[local.0 as usize].is_const = true;
            this.bind(name, Binding::Local(local));
            let owned = this.body.owned.len();
            this.body.targets.push(Target {
                opened: outer,
                inner: context,
                demand: None,
                fixed: true,
                owned,
                parallel: None,
                is_switch: false,
            });
            this.body.divergence += 1;
            let body = this.branch(body, context, name.span);
            this.body.divergence -= 1;
            this.body.targets.pop();
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
