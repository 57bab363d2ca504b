//! The syntactic separation restriction (Definition 4.2).

use super::super::algorithm::Stage;
use super::super::expr::{Expr, FuncId, Source, Variable};
use super::Builder;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;

impl Builder<'_, '_> {
    /// For all pure variables xᵢ that occur in the stage, all accesses to its func in it have xᵢ alone at i.
    pub fn separation(&mut self, id: FuncId, stage: &Stage) {
        let func = self.made.func(id).clone();
        for (dimension, &variable) in func.variables.iter().enumerate() {
            let is_it = |v: Variable| v == variable;
            if !stage.expressions().any(|e| e.mentions(&is_it)) {
                continue;
            }
            let alone = |e: &Expr| e.as_variable() == Some(variable);
            let mut wrong: Option<Span> = None;
            if !alone(&stage.indices[dimension]) {
                wrong = Some(stage.indices[dimension].span());
            }
            for e in stage.expressions() {
                e.reads(&mut |source, indices, _| {
                    if source.whole() == Source::Func(id, 0) && !alone(&indices[dimension]) {
                        wrong.get_or_insert(indices[dimension].span());
                    }
                });
            }
            if let Some(span) = wrong {
                let x = &self.made.variable(variable).name;
                let message = format!(
                    "pure variable `{x}` must stand alone at dimension {dimension} of every access to `{}` in this stage",
                    func.name
                );
                let error = Diagnostic::error(&codes::SEPARATION, span, message).with_secondary(stage.span, "the stage");
                self.report::<()>(error.with_help("otherwise the order of the points would matter (Definition 4.2)"));
            }
        }
    }
}
