//! Reductions: those whose variable chooses a member of a family, or a number of a table, are written out.
//!
//! ```text
//! sum(w[i] * g[i](x) for i = 0 .. 3)   ──►   w[0] * g[0](x) + w[1] * g[1](x) + w[2] * g[2](x)
//! ```
//! The terms stand in the order in which a reduction adds them, from the first one on.

use super::environment::{Environment, Level, Meaning, Number};
use super::state::Expander;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind as Ast, Name, Range};
use crate::syntax::walk::{names, parts};

impl<'a> Expander<'a> {
    /// `sum(e for r = a .. b if c)`
    pub fn reduction(&mut self, e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        let Ast::Reduction { name, value, rdom, condition } = &e.kind else { unreachable!("a reduction") };
        if rdom.iter().any(|range| chooses(&range.name, value)) {
            return self.written_out(e, environment);
        }
        let (rdom, inside) = self.domain(rdom, environment)?;
        let (value, condition) = self.where_decided(|this| {
            let value = this.expression(value, &inside);
            (value, condition.as_ref().map(|e| this.expression(e, &inside)))
        });
        let condition = match condition {
            None => None,
            Some(made) => Some(Box::new(made?)),
        };
        Some(self.node(Ast::Reduction { name: name.clone(), value: Box::new(value?), rdom, condition }, e.span))
    }

    fn written_out(&mut self, e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        let Ast::Reduction { name, value, rdom, condition } = &e.kind else { unreachable!("a reduction") };
        let combine = match &*name.text {
            "sum" => Combine::Operator(BinaryOp::Add),
            "product" => Combine::Operator(BinaryOp::Multiply),
            "minimum" => Combine::Function("min"),
            "maximum" => Combine::Function("max"),
            _ => {
                let message = format!("`{}` over members of a family is not written out", name.text);
                let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, e.span, message);
                return self.report(error.with_help("there are sum, product, minimum and maximum"));
            }
        };
        let mut terms = Vec::new();
        self.terms(value, condition.as_deref(), rdom, environment, &mut terms)?;
        let mut terms = terms.into_iter();
        let Some(first) = terms.next() else {
            let message = format!("this `{}` has no terms, and so no type", name.text);
            return self.error(&codes::PIPELINE_DEFINITION, e.span, message);
        };
        let mut made = first;
        for term in terms {
            made = self.combined(&combine, made, term, e.span);
        }
        Some(self.bracketed(made))
    }

    /// The terms of a reduction, the first variable innermost.
    fn terms(
        &mut self,
        value: &Expr,
        condition: Option<&Expr>,
        rdom: &[Range],
        environment: &Environment<'a>,
        terms: &mut Vec<Expr>,
    ) -> Option<()> {
        let Some((range, inner)) = rdom.split_last() else {
            if let Some(condition) = condition
                && self.constant(condition, environment)? == 0
            {
                return Some(());
            }
            let term = self.expression(value, environment)?;
            terms.push(self.bracketed(term));
            return Some(());
        };
        for value_of in self.rounds(range, environment)? {
            let number = Meaning::Constant(Number { value: value_of, element: None });
            self.terms(value, condition, inner, &environment.with(&range.name.text, number), terms)?;
        }
        Some(())
    }

    fn combined(&mut self, combine: &Combine, a: Expr, b: Expr, span: Span) -> Expr {
        let kind = match combine {
            Combine::Operator(op) => Ast::Binary(*op, Box::new(a), Box::new(b), span),
            Combine::Function(name) => {
                let name = self.free(&Name { text: (*name).into(), span }, Level::Library);
                Ast::Call { name, template_arguments: Vec::new(), arguments: vec![a, b] }
            }
        };
        self.node(kind, span)
    }
}

/// Does a variable choose a member or an element in an expression: does it stand in brackets, or in a value of a definition?
fn chooses(variable: &Name, e: &Expr) -> bool {
    let mut found = false;
    let mut mentions = |e: &Expr| names(e, &mut |name| found |= name.text == variable.text);
    match &e.kind {
        Ast::Index(_, index) => mentions(index),
        Ast::Indices(_, indices) => indices.iter().for_each(mentions),
        Ast::Apply(callee, _) => {
            if let Ast::Call { arguments, .. } = &callee.kind {
                arguments.iter().for_each(mentions);
            }
        }
        // It hides the variable.
        Ast::Reduction { rdom, .. } if rdom.iter().any(|range| range.name.text == variable.text) => return false,
        _ => {}
    }
    parts(e, &mut |part| found |= chooses(variable, part));
    found
}

/// How terms are put together.
enum Combine {
    Operator(BinaryOp),
    Function(&'static str),
}
