//! Loops and the jump rule (language.md §3): a lane jump whose target was opened in context 1 vectorises the target.

use super::context::{Binding, Checker, Parallel, Target};
use super::infer::{Mistake, Narrowing, Opened, Parting, leaves_out};
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

/// Can a jump of lanes make a loop one of lanes?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// They leave one by one.
    ByLanes,
    /// They leave a `switch` one by one, which `continue` passes by.
    Switch,
    /// Its lanes are its own.
    Fixed,
}

/// The parts of `while`, `do` and `for`.
pub(super) struct Parts<'a> {
    pub test_first: bool,
    /// The locals from this one on were declared in the header.
    pub header: usize,
    pub condition: Option<&'a ast::Expr>,
    pub step: Option<&'a ast::Expr>,
    pub body: &'a ast::Statement,
}

impl<'a> Checker<'a> {
    /// T-WHILE and its sugar. The condition is checked in the context of the body, where all rounds but the first
    /// evaluate it; so is the step. What the body's context is comes from an earlier round (`infer`).
    pub fn loop_statement(&mut self, node: &'a ast::Statement, parts: &Parts<'a>) -> StatementKind {
        let opener = parts.condition.map_or(node.span, |e| e.span);
        let outer = self.body.context;
        let opened = self.target_context(node).filter(|_| outer == 1);
        let opened = opened.unwrap_or(Opened { length: outer, is_callers: self.body.is_callers, span: opener });
        let (narrowing, _) = self.target_narrowings(node);
        // The lanes that left do not see what the header declares again.
        for info in &mut self.body.infos[parts.header..] {
            info.position.narrowings += usize::from(narrowing.is_some());
            info.position.targets += usize::from(leaves_out(Mistake::CounterBehindContinue));
        }
        let owned = self.body.owned.len();
        self.inside(narrowing, |this| {
            let target = this.target(node, outer, opened.length, Leaving::ByLanes, None);
            this.body.targets.push(Target { owned, ..target });
            let kind = this.in_opened(opened, |this| this.loop_in(node, parts));
            this.body.targets.pop();
            kind
        })
    }

    fn loop_in(&mut self, node: &'a ast::Statement, parts: &Parts<'a>) -> StatementKind {
        let condition = parts.condition.filter(|_| parts.test_first).map(|e| self.loop_condition(node, e));
        let body = self.block(std::slice::from_ref(parts.body));
        // The lanes that continued are back.
        self.body.targets.last_mut().expect("the loop").continued = None;
        let condition = condition.or_else(|| parts.condition.map(|e| self.loop_condition(node, e)));
        let step = parts.step.and_then(|e| {
            let operand = self.unless_left_out(Mistake::InStep, |this| this.expression(e, None));
            let value = self.value(operand, None);
            (!self.is_error(value.ty)).then_some(value)
        });
        let condition = condition.filter(|e| !self.is_error(e.ty));
        StatementKind::Loop { test_first: parts.test_first, condition, step, body }
    }

    /// A vector condition opens the context of its loop, which lanes leave one by one.
    fn loop_condition(&mut self, node: &'a ast::Statement, e: &'a ast::Expr) -> Expr {
        let condition = self.unless_left_out(Mistake::InCondition, |this| this.condition(e));
        if let Some(narrowing) = self.loop_narrowing_of(&condition) {
            let context = self.body.context;
            if context == 1 {
                self.open_target(node, Opened { length: narrowing.length, is_callers: narrowing.is_callers, span: e.span });
            }
            if !leaves_out(Mistake::LoopCondition) {
                self.target_narrows(node, narrowing);
            }
        }
        condition
    }

    /// What jumps out of a loop find.
    pub fn target(
        &self,
        node: &'a ast::Statement,
        opened: u8,
        inner: u8,
        leaving: Leaving,
        parallel: Option<Parallel>,
    ) -> Target {
        let (_, returned) = self.target_narrowings(node);
        Target {
            id: node,
            opened,
            inner,
            fixed: leaving == Leaving::Fixed,
            is_switch: leaving == Leaving::Switch,
            owned: self.body.owned.len(),
            parallel,
            narrowings: self.body.narrowings.len(),
            continued: None,
            returned,
        }
    }

    /// What `break` or `continue` leads to, by its place among the targets.
    fn jump_target(&self, jump: Jump) -> Option<usize> {
        self.body.targets.iter().rposition(|target| jump == Jump::Break || !target.is_switch)
    }

    /// `break` or `continue`: how many owners outside of its target are alive. `None` with an error if there is no legal target.
    pub fn jump(&mut self, jump: Jump, span: Span) -> Option<usize> {
        let context = self.body.context;
        let word = jump.word();
        let Some(at) = self.jump_target(jump) else {
            let targets = if jump == Jump::Break { "a loop or `switch`" } else { "a loop" };
            self.error(&codes::JUMP_OUTSIDE, span, format!("`{word}` outside of {targets}"));
            return None;
        };
        let Target { id, opened, inner, fixed, owned, parallel, is_switch, .. } = self.body.targets[at];
        if let Some(parallel) = parallel.filter(|_| jump == Jump::Break) {
            self.parallel_jump(word, span, parallel);
            return None;
        }
        if context != 1 && context != inner {
            if inner != 1 || opened != 1 || fixed {
                let what = if is_switch { "switch" } else { "loop" };
                let message = format!("`{word}` in a context of length {context} for a {what} of length {inner}");
                let error = Diagnostic::error(&codes::CONTEXT_MISMATCH, span, message);
                let edits = vec![Edit::before(span, "scalar { "), Edit::behind(span, " }")];
                self.diagnostics.push(error.with_fix("write `scalar { … }` around it to jump with all lanes", edits));
                return None;
            }
            self.open_target(id, Opened { length: context, is_callers: self.body.is_callers, span });
        }
        match jump {
            Jump::Break => self.breaks(at, span),
            Jump::Continue => self.continues(at, span),
        }
        Some(owned)
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
        node: &'a ast::Statement,
        parallel: Option<Span>,
        indices: &'a [ast::ForeachIndex],
        body: &'a ast::Statement,
    ) -> Option<StatementKind> {
        let span = node.span;
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
            let in_foreach = this.body.in_foreach;
            this.body.in_foreach |= block_index.is_some();
            let narrowing = match block_index {
                Some(at) if inner > 1 => Some(Narrowing { length: inner, is_callers: false, parting: Parting::Foreach(at) }),
                _ => this.target_narrowings(node).0,
            };
            let opened = Opened { length: inner, is_callers: this.body.is_callers && block_index.is_none(), span };
            let body = this.inside(narrowing, |this| {
                this.body.targets.push(this.target(node, outer, inner, Leaving::Fixed, parallel_loop));
                let body = this.in_opened(opened, |this| this.block(std::slice::from_ref(body)));
                this.body.targets.pop();
                body
            });
            this.body.in_foreach = in_foreach;
            (indices, body)
        });
        (!failed).then_some(StatementKind::Foreach { parallel: parallel.is_some(), indices, body })
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
            let index = this.fresh_local(&name.text, scalar, name.span);
            this.body.infos[index.0 as usize].is_const = true;
            this.bind(name, Binding::Local(index));
            let opened = this.body.context;
            let in_foreach = std::mem::replace(&mut this.body.in_foreach, false);
            let body = this.for_all_lanes(|this| {
                this.body.targets.push(this.target(node, opened, 1, Leaving::Fixed, None));
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
            let local = this.fresh_local(&name.text, scalar, name.span);
            this.body.infos[local.0 as usize].is_const = true;
            this.bind(name, Binding::Local(local));
            let is_callers = if own > 1 { this.is_callers(&value) } else { this.body.is_callers };
            let narrowing = Narrowing { length: context, is_callers, parting: Parting::Unique(name.span) };
            let opened = Opened { length: context, is_callers, span: name.span };
            let body = this.inside((context > 1).then_some(narrowing), |this| {
                this.body.targets.push(this.target(node, outer, context, Leaving::Fixed, None));
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
