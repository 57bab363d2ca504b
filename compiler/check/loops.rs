//! Loops and the jump rule (language.md §3): a lane jump whose target was opened in context 1 vectorises the target.

use super::infer::{Mistake, Node, Opened, leaves_out};
use super::state::{Checker, Parallel, Target};
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Expr, StatementKind};

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
        let opened = self.target_context(self.node(node.id)).filter(|_| outer == 1);
        let opened = opened.unwrap_or(Opened { length: outer, is_callers: self.body.is_callers, span: opener });
        let (narrowing, _) = self.target_narrowings(self.node(node.id));
        // The lanes that left do not see what the header declares again.
        for info in &mut self.body.infos[parts.header..] {
            info.position.narrowings += usize::from(narrowing.is_some());
            info.position.targets += usize::from(leaves_out(Mistake::CounterBehindContinue));
        }
        let owned = self.body.owned.len();
        self.inside(narrowing, |this| {
            let target = this.target(this.node(node.id), outer, opened.length, Leaving::ByLanes, None);
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
        StatementKind::Loop { test_first: parts.test_first, unrolling: Self::unrolling(node), condition, step, body }
    }

    /// A vector condition opens the context of its loop, which lanes leave one by one.
    fn loop_condition(&mut self, node: &'a ast::Statement, e: &'a ast::Expr) -> Expr {
        let condition = self.unless_left_out(Mistake::InCondition, |this| this.condition(e));
        if let Some(narrowing) = self.loop_narrowing_of(&condition) {
            let context = self.body.context;
            if context == 1 {
                self.open_target(
                    self.node(node.id),
                    Opened { length: narrowing.length, is_callers: narrowing.is_callers, span: e.span },
                );
            }
            if !leaves_out(Mistake::LoopCondition) {
                self.target_narrows(self.node(node.id), narrowing);
            }
        }
        condition
    }

    /// What jumps out of a loop find.
    pub fn target(&self, id: Node, opened: u8, inner: u8, leaving: Leaving, parallel: Option<Parallel>) -> Target {
        let (_, returned) = self.target_narrowings(id);
        Target {
            id,
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
        let found = self.jump_target(jump);
        if let Some((_, at)) = self.body.repeated.filter(|(outside, _)| found.is_none_or(|found| found < *outside)) {
            let message = format!("`{word}` would leave a `static for`, whose rounds are made while compiling");
            let error = Diagnostic::error(&codes::JUMP_OUTSIDE, span, message).with_secondary(at, "this one");
            self.diagnostics.push(error.with_help("write `static if` around the rest of the round, or an ordinary `for`"));
            return None;
        }
        let Some(at) = found else {
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
        let help =
            "a round may end early by going on with the next one; note what was found in memory, and look at it after the loop";
        self.diagnostics.push(error.with_help(help));
    }
}
