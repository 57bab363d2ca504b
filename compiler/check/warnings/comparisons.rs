//! Comparisons of integers with the least or the greatest number of their type that always have the same result.
//!
//! ```text
//! n < 0      of `uint`: never      a + b > 255      of `uint8`: never; the sum has wrapped before
//! ```

use super::super::state::Checker;
use super::narrow::all_of;
use super::parts::{Part, below};
use crate::diagnostics::{Diagnostic, codes};
use crate::typed::ir::{CompareOp, Expr, ExprKind};

impl Checker<'_> {
    pub(super) fn warn_of_comparisons(&mut self, e: &Expr) {
        // What is always so for one argument of a template need not be for others.
        if !self.body.template.is_empty() {
            return;
        }
        for part in below(e) {
            let Part::Expr(Expr { kind: ExprKind::Compare(op, a, b), span, .. }) = part else { continue };
            let Some(element) = self.program.types.element(a.ty).filter(|e| e.is_integer()) else { continue };
            let (op, limit) = match (self.written_number(a), self.written_number(b)) {
                (None, Some(limit)) => (*op, limit),
                (Some(limit), None) => (mirrored(*op), limit),
                _ => continue,
            };
            let (least, greatest) = all_of(element);
            let (result, beyond) = match op {
                CompareOp::Less if limit == least => ("false", "below"),
                CompareOp::GreaterEqual if limit == least => ("true", "below"),
                CompareOp::Greater if limit == greatest => ("false", "above"),
                CompareOp::LessEqual if limit == greatest => ("true", "above"),
                _ => continue,
            };
            let message = format!("this is always {result}: no `{}` is {beyond} {limit}", element.name());
            self.diagnostics.push(Diagnostic::warning(&codes::CONSTANT_COMPARISON, *span, message));
        }
    }
}

/// The comparison with its sides exchanged.
fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessEqual => CompareOp::GreaterEqual,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::GreaterEqual => CompareOp::LessEqual,
        CompareOp::Equal | CompareOp::NotEqual => op,
    }
}
