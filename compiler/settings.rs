//! What parameters of templates are where a program does not say so: what is set from outside stands for their defaults.

use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;
use crate::syntax::ast::{self, Expr, ExprKind, ItemKind, Name, NodeId, TemplateParameter, TemplateParameterKind};
use crate::types::Element;
use std::str::FromStr;

/// `--set chain.N=16`: what stands for a parameter where it is not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The pipeline, function or struct; without one all that have such a parameter.
    pub template: Option<String>,
    /// The parameter.
    pub parameter: String,
    /// A number, `true`, `false`, or the name of an element type.
    pub value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, or TEMPLATE.NAME=VALUE")?;
        let (template, parameter) = match name.split_once('.') {
            Some((template, parameter)) => (Some(template), parameter),
            None => (None, name),
        };
        if !is_name(parameter) || template.is_some_and(|name| !is_name(name)) || value.is_empty() {
            return Err("write NAME=VALUE, or TEMPLATE.NAME=VALUE".to_owned());
        }
        Ok(Setting { template: template.map(str::to_owned), parameter: parameter.to_owned(), value: value.to_owned() })
    }
}

impl Setting {
    /// Is it about this parameter of a template?
    pub fn is_for(&self, template: &str, parameter: &str) -> bool {
        self.parameter == parameter && self.template.as_ref().is_none_or(|name| name == template)
    }
}

/// The templates of a file with their names.
fn templates(file: &ast::File) -> impl Iterator<Item = (&Name, &[TemplateParameter])> {
    file.items.iter().filter_map(|item| Some((name_of(&item.kind)?, &item.template[..])))
}

/// What an item that may be a template is called.
fn name_of(item: &ItemKind) -> Option<&Name> {
    match item {
        ItemKind::Pipeline(pipeline) => Some(&pipeline.name),
        ItemKind::Function(function) => Some(&function.name),
        ItemKind::Struct { name, .. } => Some(name),
        _ => None,
    }
}

/// Is a setting about a parameter of one of the templates in these files?
pub fn is_of(setting: &Setting, files: &[ast::File]) -> bool {
    let mut all = files.iter().flat_map(templates);
    all.any(|(name, parameters)| parameters.iter().any(|parameter| setting.is_for(&name.text, &parameter.name.text)))
}

/// Gives the parameters of the templates in these files other defaults. What was given the same ones before stays as it is.
pub fn apply(settings: &[Setting], files: &mut [ast::File], diagnostics: &mut Diagnostics) {
    for item in files.iter_mut().flat_map(|file| &mut file.items).filter(|_| !settings.is_empty()) {
        let Some(name) = name_of(&item.kind).map(|name| name.text.clone()) else { continue };
        for parameter in &mut item.template {
            // The last one counts.
            let setting = settings.iter().rev().find(|setting| setting.is_for(&name, &parameter.name.text));
            if let Some(error) = setting.and_then(|setting| set(parameter, &setting.value)) {
                diagnostics.push(error);
            }
        }
    }
}

/// Gives a parameter another default; or what is wrong with it.
fn set(parameter: &mut TemplateParameter, text: &str) -> Option<Diagnostic> {
    let (name, span) = (&parameter.name.text, parameter.span);
    match &mut parameter.kind {
        TemplateParameterKind::Type { default } => match Element::ALL.into_iter().find(|element| element.name() == text) {
            Some(element) => {
                *default = Some(ast::Type::of(element, span));
                None
            }
            None => {
                let message = format!("`{name}` is set to `{text}`, which is no element type");
                Some(Diagnostic::error(&codes::UNKNOWN_TYPE, span, message))
            }
        },
        TemplateParameterKind::Value { ty: _, default } => match number(text, span) {
            Some(value) => {
                *default = Some(value);
                None
            }
            None => {
                let message = format!("`{name}` is set to `{text}`, which is no number");
                Some(Diagnostic::error(&codes::NOT_CONSTANT, span, message))
            }
        },
    }
}

/// `true`, `false` or a whole number as an expression that stands in the place of a parameter.
fn number(text: &str, span: Span) -> Option<Expr> {
    let expression = |kind| Expr { id: NodeId { file: span.file, number: u32::MAX }, kind, span };
    let kind = match (text, text.strip_prefix('-')) {
        ("true", _) => ExprKind::Bool(true),
        ("false", _) => ExprKind::Bool(false),
        (_, Some(digits)) => {
            let value = expression(ExprKind::Integer { value: digits.parse().ok()?, suffix: None });
            ExprKind::Unary(ast::UnaryOp::Negate, Box::new(value))
        }
        (_, None) => ExprKind::Integer { value: text.parse().ok()?, suffix: None },
    };
    Some(expression(kind))
}
