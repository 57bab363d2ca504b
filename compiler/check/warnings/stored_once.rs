//! Stores under a mask of lanes that happen once for all of them: to globals, and through scalar pointers.
//!
//! ```text
//! if (v > 0) found = 1;              once, if there is such a lane: a warning
//! if (v > 0) found = any(v > 9);     an operation across lanes made the value: meant
//! if (v > 0) scalar found = 1;       said so: meant, and so is `int scalar found;`
//! ```

use super::super::state::Checker;
use super::parts::{Part, below, root};
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast::Qualifier;
use crate::typed::ir::{Expr, ExprKind, LocalId, Place, PlaceKind, Statement, StatementKind};

impl Checker<'_> {
    /// Warns of such stores in an expression of a statement under a mask.
    pub(super) fn warn_of_stores(&mut self, e: &Expr, statement: &Statement) {
        for part in below(e) {
            let Part::Expr(Expr { kind, span, .. }) = part else { continue };
            let (ExprKind::Assign { place, value } | ExprKind::Compound { place, value, .. }) = kind else { continue };
            if place.addresses > 1 || self.length(place.ty) > 1 || self.is_cross_lane(value) {
                continue;
            }
            if let Some((what, declared)) = self.shared_scalar(place) {
                self.warn_of_store(&what, declared, *span, statement);
            }
        }
    }

    fn warn_of_store(&mut self, what: &str, declared: Span, span: Span, statement: &Statement) {
        let message = format!("{what} changes once for all lanes under a mask of lanes");
        let warning = Diagnostic::warning(&codes::SCALAR_UNDER_MASK, span, message)
            .with_secondary(declared, "declared here: there is one for all lanes");
        let help = "if that is meant, write `scalar` in front of the statement";
        self.diagnostics.push(match &statement.kind {
            StatementKind::Expression(_) => warning.with_fix(help, vec![Edit::before(statement.span, "scalar ")]),
            _ => warning.with_help(help),
        });
    }

    /// What there is once for all lanes, though nothing says `scalar`: in words, and where it is declared.
    fn shared_scalar(&self, place: &Place) -> Option<(String, Span)> {
        match &root(place).kind {
            PlaceKind::Global(global) => {
                let (_, variable) = self.items.globals.get(global.0 as usize)?;
                let is_said = matches!(variable.ty.qualifier, Qualifier::Scalar(_));
                (!is_said).then(|| (format!("the global `{}`", variable.name.text), variable.name.span))
            }
            PlaceKind::Dereference(pointer) => {
                let (local, is_reference) = self.pointer(pointer)?;
                let info = &self.body.infos[local.0 as usize];
                if is_reference || info.pointee_scalar || info.is_image {
                    return None;
                }
                let (name, declared) = self.named(local)?;
                Some((format!("what `{name}` points to"), declared))
            }
            PlaceKind::Local(_) | PlaceKind::Member(..) | PlaceKind::Element(..) | PlaceKind::Temporary(_) => None,
        }
    }

    /// The variable that a pointer comes from.
    fn pointer(&self, pointer: &Expr) -> Option<(LocalId, bool)> {
        match &pointer.kind {
            ExprKind::PointerOffset(base, _) => self.pointer(base),
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => {
                Some((*local, self.body.infos[local.0 as usize].is_reference))
            }
            _ => None,
        }
    }
}
