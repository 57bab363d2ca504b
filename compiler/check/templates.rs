//! Templates: what is written for their parameters.

use super::declared::{Base, Declared, Qualifier};
use super::operand::Operand;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Checker<'a> {
    /// An argument that has to be a type.
    pub fn type_argument(&mut self, argument: &'a ast::TemplateArgument) -> Declared {
        match (argument, argument.name()) {
            (ast::TemplateArgument::Type(ty), _) => self.resolve(ty),
            (_, Some(name)) => self.resolve_name(name),
            (ast::TemplateArgument::Value(e) | ast::TemplateArgument::Name(e), None) => {
                self.error(&codes::TEMPLATE_ARGUMENTS, e.span, "this parameter is a type, and this is a value");
                Declared::new(Base::Error, Qualifier::Unbound)
            }
        }
    }

    /// `name<arguments>` by itself: only a call, a type or a pipeline has that.
    pub fn instance_value(&mut self, name: &ast::Name, _: &'a [ast::TemplateArgument], span: Span) -> Operand {
        let message = format!("`{}<…>` is no value", name.text);
        let error = Diagnostic::error(&codes::UNKNOWN_NAME, span, message);
        self.diagnostics.push(error.with_help(format!("call it: `{}<…>(…)`", name.text)));
        Operand::Error(span)
    }

    /// Refuses what the parameters of functions cannot be yet.
    pub fn refuse_values(&mut self, parameters: &[ast::TemplateParameter]) {
        for parameter in parameters {
            if !matches!(parameter.kind, ast::TemplateParameterKind::Type { default: None }) {
                let message = "values and defaults of templates are not there in this version";
                self.error(&codes::UNSUPPORTED, parameter.span, message);
            }
        }
    }
}
