//! Parameters of pipelines: what stands for each in an instance.
//!
//! ```text
//! template <typename T = uint8, int N = 2> pipeline p(T in[]) -> out …   with --set N=3, which makes 3 the default   ──►   pipeline p(uint8 in[]) -> out …   N is 3
//! ```

use super::environment::{Environment, Meaning, Number};
use super::state::Expander;
use crate::check::schedules::TemplateValue;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{Export, Name, TemplateArgument, TemplateParameter, TemplateParameterKind, Type, TypeKind};
use crate::types::Element;

/// A pipeline with parameters.
#[derive(Clone, Copy)]
pub(super) struct Template<'a> {
    pub name: &'a Name,
    pub parameters: &'a [TemplateParameter],
}

impl Template<'_> {
    /// An instance as it would be called.
    pub fn text(&self, environment: &Environment<'_>) -> String {
        let text = |parameter: &TemplateParameter| match environment.get(&parameter.name.text) {
            Some(Meaning::Constant(Number { value, element: Some(Element::Bool) })) => (*value != 0).to_string(),
            Some(Meaning::Constant(number)) => number.value.to_string(),
            Some(Meaning::Type(ty)) => crate::syntax::print::ty(ty),
            Some(Meaning::Value(_) | Meaning::Callee(_) | Meaning::Bound | Meaning::Renamed(_)) | None => String::new(),
        };
        let arguments: Vec<String> = self.parameters.iter().map(text).collect();
        format!("{}<{}>", self.name.text, arguments.join(", "))
    }
}

impl<'a> Expander<'a> {
    /// What the parameters of a pipeline stand for, where these values are given. `Some(None)` where one has no default,
    /// which is an error at the place that asks, if there is one.
    pub fn stands_for(
        &mut self,
        template: Template<'a>,
        given: &[Option<TemplateValue>],
        place: Option<Span>,
    ) -> Option<Option<Environment<'a>>> {
        let mut environment = Environment::default();
        for (k, parameter) in template.parameters.iter().enumerate() {
            let meaning = match given.get(k).copied().flatten() {
                Some(value) => self.value_given(parameter, value, place).map(Some),
                None => self.default(parameter, &environment),
            };
            match (meaning?, place) {
                (Some(meaning), _) => environment.set(&parameter.name.text, meaning),
                (None, None) => return Some(None),
                (None, Some(place)) => {
                    let message = format!("nothing says what `{}` of `{}` is", parameter.name.text, template.name.text);
                    let error = Diagnostic::error(&codes::TEMPLATE_ARGUMENTS, place, message);
                    return self.report(error.with_secondary(parameter.span, "it has no default"));
                }
            }
        }
        Some(Some(environment))
    }

    /// What is written behind `export`.
    pub fn written(&mut self, template: Template<'a>, export: &'a Export) -> Option<Vec<Option<TemplateValue>>> {
        if export.arguments.len() > template.parameters.len() {
            let message = format!("`{}` has fewer parameters", template.name.text);
            return self.error(&codes::TEMPLATE_ARGUMENTS, export.name.span, message);
        }
        let mut values = Vec::new();
        for (parameter, argument) in template.parameters.iter().zip(&export.arguments) {
            let value = match (&parameter.kind, argument) {
                (TemplateParameterKind::Type { .. }, TemplateArgument::Type(Type { kind: TypeKind::Element(element), .. })) => {
                    TemplateValue::Type(*element)
                }
                (TemplateParameterKind::Value { .. }, TemplateArgument::Value(e) | TemplateArgument::Name(e)) => {
                    TemplateValue::Number(self.constant(e, &Environment::default())?)
                }
                (TemplateParameterKind::Type { .. }, _) => {
                    let message = format!("`{}` is the type of pixels: a scalar number", parameter.name.text);
                    return self.error(&codes::TEMPLATE_ARGUMENTS, argument.span(), message);
                }
                (TemplateParameterKind::Value { .. }, _) => {
                    let message = format!("`{}` is a value, and this is a type", parameter.name.text);
                    return self.error(&codes::TEMPLATE_ARGUMENTS, argument.span(), message);
                }
            };
            values.push(Some(value));
        }
        Some(values)
    }

    fn value_given(&mut self, parameter: &TemplateParameter, value: TemplateValue, place: Option<Span>) -> Option<Meaning<'a>> {
        let span = place.unwrap_or(parameter.span);
        match (&parameter.kind, value) {
            (TemplateParameterKind::Type { .. }, TemplateValue::Type(element)) => Some(Meaning::Type(Type::of(element, span))),
            (TemplateParameterKind::Value { ty, .. }, TemplateValue::Number(value)) => {
                let element = self.value_type(ty)?;
                self.fitting(value, element, span)
            }
            (TemplateParameterKind::Type { .. }, TemplateValue::Number(_))
            | (TemplateParameterKind::Value { .. }, TemplateValue::Type(_)) => {
                unreachable!("values are of the kinds of their parameters")
            }
        }
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
