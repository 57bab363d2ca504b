//! `switch`: its value, its labels, the context of its arms.
//!
//! T-SWITCH: a vector value opens the context of its length, as the condition of an `if` does. A scalar value never changes Λ;
//! but a `switch` that was opened in context 1 is a target of jumps, and a `break` of lanes vectorises it as it does a loop.
//! The statements behind a label, up to the next one, are a scope of their own: lanes enter behind the declarations of other
//! arms, so they do not see what is declared there.

use super::constants::{fits, number, truncated};
use super::infer::{Mistake, Opened};
use super::loops::Leaving;
use super::operand::Operand;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Block, Constant, Expr, StatementKind, SwitchArm};
use crate::types::{Element, Type, TypeKind};
use rustc_hash::FxHashMap;

/// The labels of a `switch`.
struct Labels {
    constants: Vec<Constant>,
    is_default: bool,
}

impl<'a> Checker<'a> {
    /// T-SWITCH
    pub fn switch_statement(
        &mut self,
        node: &'a ast::Statement,
        value: &'a ast::Expr,
        cases: &'a [ast::SwitchCase],
    ) -> StatementKind {
        let operand = self.expression(value, None);
        let value = self.value(operand, None);
        let element = self.switched_element(&value);
        let labels = self.labels(element, cases);
        let outer = self.body.context;
        let length = if element.is_some() { self.length(value.ty) } else { 1 };
        let here = Opened { length: outer, is_callers: self.body.is_callers, span: value.span };
        let narrowing = self.narrowing_of(&value).filter(|_| length > 1);
        let opened = match &narrowing {
            Some(narrowing) => Opened { length, is_callers: narrowing.is_callers, ..here },
            None => self.target_context(self.node(node.id)).filter(|_| outer == 1).unwrap_or(here),
        };
        let bodies = self.inside(narrowing, |this| this.arms_in(node, cases, outer, opened));
        let arms: Vec<SwitchArm> = labels
            .into_iter()
            .zip(bodies)
            .map(|(labels, body)| SwitchArm { labels: labels.constants, is_default: labels.is_default, body })
            .collect();
        if arms.is_empty() || element.is_none() {
            return StatementKind::Expression(value);
        }
        StatementKind::Switch { value, arms }
    }

    /// The element of what a `switch` compares; `None` in error.
    fn switched_element(&mut self, value: &Expr) -> Option<Element> {
        match self.program.types.kind(value.ty) {
            TypeKind::Error => return None,
            TypeKind::Vector { element, .. } if !element.is_float() => return Some(*element),
            TypeKind::Vector { .. }
            | TypeKind::Void
            | TypeKind::Pointer { .. }
            | TypeKind::Array { .. }
            | TypeKind::Record { .. } => {}
        }
        let message = format!("a `switch` compares integers, and this is `{}`", self.display(value.ty));
        let error = Diagnostic::error(&codes::TYPE_MISMATCH, value.span, message);
        self.diagnostics.push(error.with_help("write a chain of `else if`"));
        None
    }

    /// The labels of each case.
    fn labels(&mut self, element: Option<Element>, cases: &'a [ast::SwitchCase]) -> Vec<Labels> {
        let mut seen: FxHashMap<Option<i128>, Span> = FxHashMap::default();
        let mut all = Vec::with_capacity(cases.len());
        for case in cases {
            let mut labels = Labels { constants: Vec::new(), is_default: false };
            for label in &case.labels {
                let Some(e) = &label.value else {
                    labels.is_default |= self.is_new_label(&mut seen, None, label.span);
                    continue;
                };
                let Some((constant, number)) = element.and_then(|element| self.label(e, element)) else { continue };
                if self.is_new_label(&mut seen, Some(number), label.span) {
                    labels.constants.push(constant);
                }
            }
            all.push(labels);
        }
        all
    }

    fn is_new_label(&mut self, seen: &mut FxHashMap<Option<i128>, Span>, label: Option<i128>, span: Span) -> bool {
        let Some(first) = seen.insert(label, span) else { return true };
        let message = match label {
            Some(number) => format!("a second `case {number}` in this `switch`"),
            None => "a second `default` in this `switch`".to_owned(),
        };
        let error = Diagnostic::error(&codes::CASE_LABEL, span, message);
        self.diagnostics.push(error.with_secondary(first, "the first one"));
        false
    }

    /// A label as a constant of the element of the `switch`, and the number that it is.
    fn label(&mut self, e: &'a ast::Expr, element: Element) -> Option<(Constant, i128)> {
        let scalar: Type = self.scalar(element);
        let operand = self.expression(e, Some(scalar));
        let value = match operand {
            Operand::Error(_) => return None,
            Operand::Untyped(..) => self.coerce(operand, scalar, e.span),
            Operand::Value(_) | Operand::Place(_) | Operand::Element(_) => self.value(operand, Some(scalar)),
        };
        if self.is_error(value.ty) {
            return None;
        }
        let from = self.program.types.element(value.ty);
        let value = Expr { span: e.span, ..value };
        let constant = match from.is_some() && self.length(value.ty) == 1 {
            true => Some(self.computed(&value, "a label is a constant expression")?),
            false => None,
        };
        match (constant, from) {
            (Some(Constant::Bool(truth)), _) if element == Element::Bool => Some((Constant::Bool(truth), i128::from(truth))),
            (Some(Constant::Int(bits)), Some(from)) if element.is_integer() => {
                let number = number(bits, from);
                if !fits(number, element) {
                    let message = format!("`{}` has no value {number}", element.name());
                    self.error(&codes::CONSTANT_OUT_OF_RANGE, e.span, message);
                    return None;
                }
                Some((Constant::Int(truncated(number, element)), number))
            }
            (Some(_), _) => {
                let message = format!("a label of type `{}` in a `switch` on `{}`", self.display(value.ty), element.name());
                self.error(&codes::TYPE_MISMATCH, e.span, message);
                None
            }
            (None, _) => {
                self.error(&codes::NOT_CONSTANT, e.span, "a label is a constant expression");
                None
            }
        }
    }

    /// The arms in the context that is opened, as a target of jumps.
    fn arms_in(&mut self, node: &'a ast::Statement, cases: &'a [ast::SwitchCase], outer: u8, opened: Opened) -> Vec<Block> {
        self.body.targets.push(self.target(self.node(node.id), outer, opened.length, Leaving::Switch, None));
        let arms = self.in_opened(opened, |this| {
            let arm = |case: &'a ast::SwitchCase| this.unless_left_out(Mistake::Switch, |this| this.block(&case.statements));
            cases.iter().map(arm).collect()
        });
        self.body.targets.pop();
        arms
    }
}
