//! What must be, and what may be, known while compiling.

use super::environment::{Environment, Meaning, Number};
use super::state::Expander;
use crate::diagnostics::codes;
use crate::source::Span;
use crate::syntax::ast::{self, Expr, ExprKind as Ast, Range, UnaryOp};
use crate::syntax::walk::names;
use crate::types::Element;

/// How many times something is repeated at most.
const MAX_ROUNDS: i128 = 1 << 16;

impl<'a> Expander<'a> {
    /// The value of what must be constant: an integer, or a `bool` as 0 or 1.
    pub fn constant(&mut self, e: &Expr, environment: &Environment<'a>) -> Option<i128> {
        let copy = self.with_numbers(e, environment)?;
        if let Some(name) = self.known_later(&copy) {
            let what = "is known when the pipeline runs, and this must be known while it is compiled";
            return self.error(&codes::NOT_CONSTANT, e.span, format!("`{}` {what}", name.text));
        }
        match self.constants.evaluate(copy) {
            Ok(value) => Some(value),
            Err(said) => {
                said.into_iter().for_each(|error| _ = self.report::<()>(error));
                None
            }
        }
    }

    /// The value of what may be constant; it is already expanded.
    pub fn known(&mut self, e: &Expr) -> Option<i128> {
        let lets = self.lets_as_numbers();
        let copy = self.silently(|this| this.expression(e, &lets))?;
        if self.known_later(&copy).is_some() {
            return None;
        }
        self.constants.evaluate(copy).ok()
    }

    /// A copy of an expression in which those `let`s that are numbers stand as such.
    fn with_numbers(&mut self, e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        let made = self.expression(e, environment)?;
        let lets = self.lets_as_numbers();
        self.expression(&made, &lets)
    }

    /// What stands for the `let`s that are numbers; a variable of the stage hides one, but not its further name (`free`).
    fn lets_as_numbers(&self) -> Environment<'a> {
        let mut lets = Environment::default();
        for (name, &value) in &self.pipeline.lets {
            let number = || Meaning::Constant(Number { value, element: None });
            match self.stage.binders.contains(name) {
                true => lets.set(&format!("{name}'").into(), number()),
                false => lets.set(name, number()),
            }
        }
        lets
    }

    /// A name in an expanded expression that the pipeline declares.
    fn known_later(&self, e: &Expr) -> Option<ast::Name> {
        let mut found = None;
        names(e, &mut |name| {
            if found.is_none() && self.pipeline.declared.contains(&name.text) {
                found = Some(name.clone());
            }
        });
        found
    }

    /// The values of a range.
    pub fn rounds(&mut self, range: &Range, environment: &Environment<'a>) -> Option<std::ops::Range<i128>> {
        let (low, high) = (self.constant(&range.low, environment), self.constant(&range.high, environment));
        let (low, high) = (low?, high?);
        if high - low > MAX_ROUNDS {
            let message = format!("`{}` has {} values: at most {MAX_ROUNDS} are written out", range.name.text, high - low);
            return self.error(&codes::PIPELINE_DEFINITION, range.span, message);
        }
        Some(low..high.max(low))
    }

    /// A number as it would be written.
    pub fn number(&mut self, Number { value, element }: Number, span: Span) -> Expr {
        if element == Some(Element::Bool) {
            return self.node(Ast::Bool(value != 0), span);
        }
        let kind = Ast::Integer { value: value.unsigned_abs() as u64, suffix: element };
        let magnitude = self.node(kind, span);
        if value >= 0 {
            return magnitude;
        }
        let negative = self.node(Ast::Unary(UnaryOp::Negate, Box::new(magnitude)), span);
        self.node(Ast::Parenthesized(Box::new(negative)), span)
    }

    /// Runs a rule that says nothing.
    pub fn silently<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.diagnostics.len();
        let made = rule(self);
        self.diagnostics.split_off(mark);
        made
    }
}
