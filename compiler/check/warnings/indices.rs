//! Constant indices that are outside of their array.

use super::super::context::Checker;
use super::parts::{Part, below};
use crate::diagnostics::{Diagnostic, codes};
use crate::typed::ir::{Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::TypeKind;

impl Checker<'_> {
    pub(super) fn warn_of_indices(&mut self, e: &Expr) {
        let parts = below(e);
        // The address behind the last element may be computed, but what is there is not the array's.
        let ends: Vec<*const Place> = parts
            .iter()
            .filter_map(|part| match part {
                Part::Expr(Expr { kind: ExprKind::AddressOf(place), .. }) => Some(std::ptr::from_ref(place)),
                Part::Expr(_) | Part::Place(_) => None,
            })
            .collect();
        for part in parts {
            if let Part::Place(place) = part
                && let PlaceKind::Element(of, index) = &place.kind
                && let TypeKind::Array { element: _, count: size } = *self.program.types.kind(of.ty)
                && let Some(n) = self.constant_index(index)
            {
                let is_end = n == i128::from(size) && ends.contains(&std::ptr::from_ref(place));
                if !is_end && !(0..i128::from(size)).contains(&n) {
                    let message = format!("index {n} is outside of an array of {size} elements");
                    let warning = Diagnostic::warning(&codes::INDEX_OUTSIDE, index.span, message);
                    self.diagnostics.push(warning.with_help(format!("the elements are 0 to {}", size.saturating_sub(1))));
                }
            }
        }
    }

    fn constant_index(&self, index: &Expr) -> Option<i128> {
        let Constant::Int(bits) = self.evaluate(index)? else { return None };
        let element = self.program.types.element(index.ty)?;
        Some(super::super::constants::number(bits, element))
    }
}
