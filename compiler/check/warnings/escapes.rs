//! Addresses of locals that outlive them.

use super::super::state::Checker;
use super::parts::local_of;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::ir::{Expr, ExprKind, LocalId};

impl Checker<'_> {
    /// What a `return` gives: is it the address of something that is gone then?
    pub(super) fn warn_of_returned(&mut self, value: &Expr) {
        for (local, span) in addressed(value) {
            if let Some((name, declared)) = self.named(local) {
                let message = format!("the address of `{name}` is returned, which ends with this function");
                let warning = Diagnostic::warning(&codes::RETURNED_ADDRESS, span, message);
                self.diagnostics.push(warning.with_secondary(declared, "it lives until the function returns").with_help(
                    "return the value, take a pointer to where it shall go as a parameter, or make memory that lives on",
                ));
            }
        }
    }
}

/// The locals whose addresses a pointer value may be.
fn addressed(value: &Expr) -> Vec<(LocalId, Span)> {
    let mut found = Vec::new();
    let mut work = vec![value];
    while let Some(e) = work.pop() {
        match &e.kind {
            ExprKind::AddressOf(place) => found.extend(local_of(place).map(|local| (local, e.span))),
            ExprKind::PointerOffset(base, _) | ExprKind::Broadcast(base) | ExprKind::Convert(base) => work.push(base),
            ExprKind::Conditional(_, a, b) | ExprKind::Blend(a, b) => work.extend([&**a, &**b]),
            _ => {}
        }
    }
    found
}
