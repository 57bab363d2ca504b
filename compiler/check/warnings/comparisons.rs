//! Comparisons of unsigned numbers with 0 that always have the same result.

use super::super::state::Checker;
use super::parts::{Part, below};
use crate::diagnostics::{Diagnostic, codes};
use crate::typed::ir::{CompareOp, Constant, Expr, ExprKind};
use crate::types::Element;

impl Checker<'_> {
    pub(super) fn warn_of_comparisons(&mut self, e: &Expr) {
        // What is always so for one argument of a template need not be for others.
        if !self.body.template.is_empty() {
            return;
        }
        for part in below(e) {
            let Part::Expr(Expr { kind: ExprKind::Compare(op, a, b), span, .. }) = part else { continue };
            let Some(element) = self.program.types.element(a.ty).filter(|e| is_unsigned(*e)) else { continue };
            let result = match (op, is_zero(a), is_zero(b)) {
                (CompareOp::Less, false, true) | (CompareOp::Greater, true, false) => "false",
                (CompareOp::GreaterEqual, false, true) | (CompareOp::LessEqual, true, false) => "true",
                _ => continue,
            };
            let message = format!("this is always {result}: no `{}` is below 0", element.name());
            self.diagnostics.push(Diagnostic::warning(&codes::CONSTANT_COMPARISON, *span, message));
        }
    }
}

fn is_unsigned(element: Element) -> bool {
    element.is_integer() && !element.is_signed()
}

/// Is 0 written there?
fn is_zero(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Constant(Constant::Int(0)) => true,
        ExprKind::Broadcast(a) | ExprKind::Convert(a) => is_zero(a),
        _ => false,
    }
}
