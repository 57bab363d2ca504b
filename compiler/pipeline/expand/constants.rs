//! What is known while compiling: the checker says what is constant, of expressions in which all that stage zero knows stands as numbers.

use crate::check::{Options, ScalarExpressions};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::syntax::ast::{self, Expr, ExprKind as Ast, UnaryOp};
use std::cell::OnceCell;

/// Expressions that live as long as the checker reads them.
#[derive(Default)]
pub(super) struct Kept {
    first: OnceCell<Box<Link>>,
}

struct Link {
    expression: Expr,
    next: OnceCell<Box<Link>>,
}

impl Drop for Kept {
    /// One by one: the list may be longer than the stack is deep.
    fn drop(&mut self) {
        let mut next = self.first.take();
        while let Some(mut link) = next {
            next = link.next.take();
        }
    }
}

/// The checker, made when something is asked.
pub(super) struct Constants<'a> {
    files: &'a [ast::File],
    library: &'a [ast::File],
    options: Options,
    scope: Option<ScalarExpressions<'a>>,
    said: Option<&'a mut Diagnostics>,
    /// Where the next expression is kept.
    end: &'a OnceCell<Box<Link>>,
}

impl<'a> Constants<'a> {
    pub fn new(
        files: &'a [ast::File],
        library: &'a [ast::File],
        options: &Options,
        kept: &'a Kept,
        said: &'a mut Diagnostics,
    ) -> Self {
        Constants { files, library, options: *options, scope: None, said: Some(said), end: &kept.first }
    }

    /// The value of an integer or a `bool`, or what is wrong with it.
    pub fn evaluate(&mut self, e: Expr) -> Result<i128, Vec<Diagnostic>> {
        if let Some(value) = literal(&e) {
            return Ok(value);
        }
        let link = self.end.get_or_init(|| Box::new(Link { expression: e, next: OnceCell::new() }));
        self.end = &link.next;
        if let Some(said) = self.said.take() {
            self.scope = Some(ScalarExpressions::new(self.files, self.library, &self.options, said));
        }
        let scope = self.scope.as_mut().expect("it was made");
        let value = scope.constant(&link.expression);
        let said = scope.diagnostics().split_off(0);
        value.ok_or(said)
    }
}

/// The value of a number as it is written.
fn literal(e: &Expr) -> Option<i128> {
    match &e.kind {
        Ast::Integer { value, suffix: None } => Some(i128::from(*value)),
        Ast::Unary(UnaryOp::Negate, inner) => literal(inner).map(|value| -value),
        Ast::Parenthesized(inner) => literal(inner),
        _ => None,
    }
}
