//! Parameters of pipelines: what stands for each in an instance.
//!
//! ```text
//! template <typename T = uint8, int N = 2> pipeline p(T in[]) -> out …   with --set N=3   ──►   pipeline p(uint8 in[]) -> out …   N is 3
//! ```

use super::environment::{Environment, Meaning, Number};
use super::state::Expander;
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::settings::Setting;
use crate::source::Span;
use crate::syntax::ast::{Name, Qualifier, TemplateParameter, TemplateParameterKind, Type, TypeKind};
use crate::types::Element;

impl<'a> Expander<'a> {
    /// What the parameters of a pipeline stand for where none is given. `Ok(None)` where one has no default and is not set.
    pub fn defaults(
        &mut self,
        pipeline: &Name,
        parameters: &'a [TemplateParameter],
        settings: &[Setting],
    ) -> Result<Option<Environment<'a>>, ()> {
        let mut environment = Environment::default();
        for parameter in parameters {
            let set = settings.iter().rev().find(|setting| setting.is_for(&pipeline.text, &parameter.name.text));
            let meaning = match set {
                Some(setting) => self.set(parameter, setting).map(Some),
                None => self.default(parameter, &environment),
            };
            match meaning {
                Some(Some(meaning)) => environment.set(&parameter.name.text, meaning),
                Some(None) => return Ok(None),
                None => return Err(()),
            }
        }
        Ok(Some(environment))
    }

    /// The default of a parameter, which may be made of the ones in front of it: `Some(None)` where there is none.
    fn default(&mut self, parameter: &'a TemplateParameter, environment: &Environment<'a>) -> Option<Option<Meaning<'a>>> {
        match &parameter.kind {
            TemplateParameterKind::Type { default } => Some(default.as_ref().map(|ty| Meaning::Type(self.ty(ty, environment)))),
            TemplateParameterKind::Value { ty, default } => {
                let element = self.value_type(ty)?;
                let Some(default) = default else { return Some(None) };
                let value = self.constant(default, environment)?;
                self.fitting(value, element, default.span).map(Some)
            }
        }
    }

    fn set(&mut self, parameter: &TemplateParameter, setting: &Setting) -> Option<Meaning<'a>> {
        let (text, span) = (&setting.value, parameter.span);
        match &parameter.kind {
            TemplateParameterKind::Type { .. } => match Element::ALL.into_iter().find(|element| element.name() == text) {
                Some(element) => {
                    let kind = TypeKind::Element(element);
                    let qualifier = Qualifier::Unbound;
                    Some(Meaning::Type(Type { kind, qualifier, is_const: false, is_restrict: false, span }))
                }
                None => {
                    let message = format!("`{}` is set to `{text}`, which is no element type", parameter.name.text);
                    self.error(&codes::UNKNOWN_TYPE, span, message)
                }
            },
            TemplateParameterKind::Value { ty, .. } => {
                let element = self.value_type(ty)?;
                let value = match &**text {
                    "true" => Some(1),
                    "false" => Some(0),
                    text => text.parse::<i128>().ok(),
                };
                match value {
                    Some(value) => self.fitting(value, element, span),
                    None => {
                        let message = format!("`{}` is set to `{text}`, which is no number", parameter.name.text);
                        self.error(&codes::NOT_CONSTANT, span, message)
                    }
                }
            }
        }
    }

    /// The type of a parameter that is a value.
    pub fn value_type(&mut self, ty: &Type) -> Option<Element> {
        match ty.kind {
            TypeKind::Element(element) if element.is_integer() || element == Element::Bool => Some(element),
            _ => self.error(&codes::PIPELINE_TYPE, ty.span, "parameters of pipelines are types, integers and `bool`s"),
        }
    }

    /// A number in the type of a parameter.
    pub fn fitting(&mut self, value: i128, element: Element, span: Span) -> Option<Meaning<'a>> {
        if !crate::check::fits(value, element) {
            let message = format!("{value} does not fit in `{}`", element.name());
            return self.report(Diagnostic::error(&codes::CONSTANT_OUT_OF_RANGE, span, message));
        }
        Some(Meaning::Constant(Number { value, element: Some(element) }))
    }
}
