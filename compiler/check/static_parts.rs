//! What is decided and repeated while compiling: `static if`, `static for`, `static assert`.
//!
//! ```text
//! static if (N > 0) A else B                     A, or B: of the other one nothing is said
//! static for (int i = 0 .. 3) A                  A with i = 0; A with i = 1; A with i = 2
//! ```
//! Each round is a block of its own, with variables of its own, whose lengths are inferred for it alone (`Node`). Of them nothing is left in
//! `typed` but these blocks.

use super::declared::{Base, Qualifier};
use super::items::Binding;
use super::state::Checker;
use super::static_mistakes::{StaticMistake, makes};
use super::templates::constant_of;
use crate::diagnostics::{Diagnostic, Severity, codes};
use crate::syntax::ast;
use crate::typed::ir::{Constant, Statement, StatementKind};
use crate::types::Element;

/// How many rounds a `static for` may have, and all of an instance together.
const MAX_ROUNDS: i128 = 1 << 12;
const MAX_ROUNDS_OF_ALL: u64 = 1 << 16;

impl<'a> Checker<'a> {
    /// Does a condition hold that is known while compiling? Reports one that is not.
    pub fn static_condition(&mut self, e: &'a ast::Expr) -> Option<bool> {
        let condition = self.condition(e);
        if self.is_error(condition.ty) {
            return None;
        }
        match self.computed(&condition, "a condition that is decided while compiling is a constant expression")? {
            Constant::Bool(holds) => Some(holds),
            Constant::Int(_) | Constant::Float(_) | Constant::Null => None,
        }
    }

    /// `static assert(condition, "text");`
    pub fn static_assertion(&mut self, assertion: &'a ast::Assertion) {
        if self.static_condition(&assertion.condition) != Some(false) {
            return;
        }
        let written = || format!("`{}` does not hold", crate::syntax::print::expression(&assertion.condition));
        let message = assertion.message.clone().unwrap_or_else(written);
        self.error(&codes::STATIC_ASSERTION, assertion.condition.span, message);
    }

    /// `static for (int i = low .. high) body`
    pub fn static_for(
        &mut self,
        node: &'a ast::Statement,
        index: &'a ast::ForeachIndex,
        body: &'a ast::Statement,
        out: &mut Vec<Statement>,
    ) {
        let declared = self.resolve(&index.ty);
        let element = match (&declared.base, declared.qualifier) {
            (Base::Element(element), Qualifier::Unbound | Qualifier::Of(1)) if element.is_integer() => *element,
            (Base::Error, _) => return,
            _ => {
                self.error(&codes::TYPE_MISMATCH, index.ty.span, "the index of a `static for` is a scalar integer");
                return;
            }
        };
        let bounds = [&index.low, &index.high].map(|e| self.constant_integer(e).map(|n| (n, e.span)));
        let [Some((low, at_low)), Some((high, at_high))] = bounds else { return };
        for (n, at) in [(low, at_low), (high - 1, at_high)] {
            if low < high && !super::constants::fits(n, element) {
                self.error(&codes::CONSTANT_OUT_OF_RANGE, at, format!("{n} does not fit in `{}`", element.name()));
                return;
            }
        }
        let rounds = (high - low).max(0);
        self.body.static_rounds += rounds.min(MAX_ROUNDS + 1) as u64;
        if rounds > MAX_ROUNDS || self.body.static_rounds > MAX_ROUNDS_OF_ALL {
            let (n, of) = match rounds > MAX_ROUNDS {
                true => (MAX_ROUNDS, "this `static for` has"),
                false => (i128::from(MAX_ROUNDS_OF_ALL), "the `static for` statements of a function have"),
            };
            let message = format!("{of} more than {n} rounds");
            let error = Diagnostic::error(&codes::STATIC_ROUNDS, index.span, message);
            self.diagnostics.push(error.with_help("each round is compiled by itself: an ordinary loop runs as many as it takes"));
            return;
        }
        let ty = self.scalar(element);
        let repeated = self.body.repeated.replace((self.body.targets.len(), index.span));
        let around = self.body.static_round;
        let high = high - i128::from(makes(StaticMistake::Round) && rounds > 1);
        for n in low..high {
            let mark = self.diagnostics.len();
            self.body.static_round = self.body.learnt.round(around, node.id, n);
            let block = self.scoped(|this| {
                let scope = this.body.scopes.last_mut().expect("a scope is open");
                scope.insert(
                    index.name.text.clone(),
                    Binding::Constant(constant_of(if makes(StaticMistake::Index) { low } else { n }, element), ty),
                );
                this.block(std::slice::from_ref(body))
            });
            out.push(Statement { kind: StatementKind::Block(block), span: node.span });
            // What is wrong in one round is said once.
            if self.diagnostics.after(mark).iter().any(|d| d.severity == Severity::Error) {
                break;
            }
        }
        (self.body.static_round, self.body.repeated) = (around, repeated);
    }

    /// Checks what the files assert.
    pub fn file_assertions(&mut self) {
        for assertion in std::mem::take(&mut self.items.assertions) {
            self.static_assertion(assertion);
        }
    }

    /// A name is a number in the innermost scope.
    pub fn bind_number(&mut self, name: &ast::Name, n: i128) {
        let ty = self.scalar(Element::Int32);
        let scope = self.body.scopes.last_mut().expect("a scope is open");
        scope.insert(name.text.clone(), Binding::Constant(constant_of(n, Element::Int32), ty));
    }
}
