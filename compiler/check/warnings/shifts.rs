//! Shifts by as many bits as there are, or more.

use super::super::constants::number;
use super::super::state::Checker;
use super::parts::{Part, below};
use crate::diagnostics::{Diagnostic, codes};
use crate::typed::ir::{BinaryOp, Constant, Expr, ExprKind};

impl Checker<'_> {
    pub(super) fn warn_of_shifts(&mut self, e: &Expr) {
        // What is too far for one argument of a template need not be for others.
        if !self.body.template.is_empty() {
            return;
        }
        for part in below(e) {
            let Part::Expr(part) = part else { continue };
            let (ty, count) = match &part.kind {
                ExprKind::Binary(BinaryOp::ShiftLeft | BinaryOp::ShiftRight, _, count) => (part.ty, count),
                ExprKind::Compound { op: BinaryOp::ShiftLeft | BinaryOp::ShiftRight, value, compute_as, .. } => {
                    (*compute_as, value)
                }
                _ => continue,
            };
            let Some(element) = self.program.types.element(ty).filter(|element| element.is_integer()) else { continue };
            let Some(count) = self.written_number(count) else { continue };
            let bits = i128::from(element.bits());
            if !(0..bits).contains(&count) {
                let message =
                    format!("`{}` has {bits} bits: a shift by {count} is one by {}", element.name(), count.rem_euclid(bits));
                let help = "counts are taken modulo the bits of the number; one that is to become wider has to be made so in front of the shift";
                self.diagnostics.push(Diagnostic::warning(&codes::SHIFT_COUNT, part.span, message).with_help(help));
            }
        }
    }

    /// What is written as a number.
    pub(super) fn written_number(&self, e: &Expr) -> Option<i128> {
        match &e.kind {
            ExprKind::Constant(Constant::Int(bits)) => Some(number(*bits, self.program.types.element(e.ty)?)),
            ExprKind::Broadcast(a) | ExprKind::Convert(a) => self.written_number(a),
            _ => None,
        }
    }
}
