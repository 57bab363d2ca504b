//! Constant indices that are outside of their array.

use super::super::state::Checker;
use super::parts::{Part, below};
use crate::diagnostics::{Diagnostic, codes};
use crate::typed::ir::{Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::TypeKind;

impl Checker<'_> {
    pub(super) fn warn_of_indices(&mut self, e: &Expr) {
        for part in below(e) {
            // The address behind the last element may be computed, but what is there is not the array's.
            let (of, index, end) = match part {
                Part::Place(Place { kind: PlaceKind::Element(of, index), .. }) => (of, index, 0),
                Part::Expr(Expr { kind: ExprKind::PointerOffset(first, index), .. }) => match &first.kind {
                    ExprKind::AddressOf(Place { kind: PlaceKind::Element(of, _), .. }) => (of, index, 1),
                    _ => continue,
                },
                Part::Expr(_) | Part::Place(_) | Part::Block(_) => continue,
            };
            if let TypeKind::Array { element: _, count: size } = *self.program.types.kind(of.ty)
                && let Some(n) = self.constant_index(index)
                && !(0..i128::from(size) + end).contains(&n)
            {
                let message = format!("index {n} is outside of an array of {size} elements");
                let warning = Diagnostic::warning(&codes::INDEX_OUTSIDE, index.span, message);
                self.diagnostics.push(warning.with_help(format!("the elements are 0 to {}", size.saturating_sub(1))));
            }
        }
    }

    fn constant_index(&self, index: &Expr) -> Option<i128> {
        let Constant::Int(bits) = self.evaluate(index)? else { return None };
        let element = self.program.types.element(index.ty)?;
        Some(super::super::constants::number(bits, element))
    }
}
