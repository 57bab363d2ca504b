//! Calls of pipelines: which instance is meant, and what it is given.
//!
//! ```text
//! chain<16>.tiled(out, in)   ──►   chain<16>.tiled.run(out, in)
//! ```
//! An instance with defaults is there; any other one is asked for ([`super::schedules::Schedules::instance`]), and is there when the program is
//! checked the next time.

use super::calls::takes_arguments;
use super::declared::{Argument, Base, Declared, Qualifier};
use super::items::Home;
use super::operand::Operand;
use super::schedules::{Asked, Parameter, Purpose, Refusal, TemplateValue, Wanted};
use super::state::Checker;
use super::templates::{Given, bound_of};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{self, TemplateParameterKind as Kind};
use crate::typed::ir::{Expr, ExprKind, Place, PlaceKind};
use crate::types::{Element, Type, TypeKind};
use std::rc::Rc;

/// A pipeline as it is named: `chain`, `chain<16>`.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub name: &'a ast::Name,
    pub arguments: &'a [ast::TemplateArgument],
}

impl<'a> Checker<'a> {
    /// The pipeline that an expression names.
    pub fn named_pipeline(&self, e: &'a ast::Expr) -> Option<Named<'a>> {
        let (name, arguments): (_, &[ast::TemplateArgument]) = match &e.kind {
            ast::ExprKind::Name(name) => (name, &[]),
            ast::ExprKind::Instance(name, arguments) => (name, arguments),
            _ => return None,
        };
        let is_hidden = self.body.scopes.iter().any(|scope| scope.contains_key(&name.text));
        (self.items.pipelines.contains_key(&name.text) && !is_hidden).then_some(Named { name, arguments })
    }

    /// The name of the instance of a pipeline that is called with some operands.
    fn pipeline_instance(&mut self, named: Named<'a>, operands: &[Operand], span: Span) -> Option<Rc<str>> {
        let Named { name, arguments } = named;
        let (template, parameters) = self.items.pipelines[&name.text];
        if template.is_empty() && arguments.is_empty() {
            return Some(name.text.clone());
        }
        if arguments.len() > template.len() {
            let takes = match template.len() {
                0 => "no parameters in angle brackets".to_owned(),
                1 => "1 parameter in angle brackets".to_owned(),
                n => format!("{n} parameters in angle brackets"),
            };
            let message = format!("`{}` has {takes}, {} given", name.text, arguments.len());
            self.error(&codes::TEMPLATE_ARGUMENTS, span, message);
            return None;
        }
        let given = self.given(&[template], arguments)?;
        let (mut arguments, mut values) = (Vec::new(), Vec::new());
        for (parameter, given) in template.iter().zip(&given) {
            let bound = bound_of(template, arguments.iter().map(Some));
            let argument = self.fitting(parameter, given, &bound, Home::Program)?;
            values.push(Some(self.pipeline_value(parameter, &argument, given)?));
            arguments.push(argument);
        }
        // What is not written, the elements of the operands tell, or the default.
        for parameter in &template[values.len()..] {
            values.push(self.inferred_element(parameter, parameters, operands).map(TemplateValue::Type));
        }
        let missing = template.iter().zip(&values).find(|(parameter, value)| value.is_none() && !parameter.has_default());
        let is_set = || self.schedules.parameters(&name.text).is_some();
        if let Some((parameter, _)) = missing.filter(|_| !is_set()) {
            let message = format!("nothing says what `{}` of `{}` is", parameter.name.text, name.text);
            let error = Diagnostic::error(&codes::TEMPLATE_ARGUMENTS, span, message);
            let all: Vec<&str> = template.iter().map(|parameter| &*parameter.name.text).collect();
            let error = error.with_secondary(parameter.span, "it has no default");
            self.diagnostics.push(error.with_help(format!("write `{}<{}>(…)`", name.text, all.join(", "))));
            return None;
        }
        self.schedules.instance(&Asked { pipeline: name.text.clone(), values, span })
    }

    /// An argument as pipelines take it.
    fn pipeline_value(
        &mut self,
        parameter: &ast::TemplateParameter,
        argument: &Argument,
        given: &Given,
    ) -> Option<TemplateValue> {
        match argument {
            Argument::Value(value, _) => Some(TemplateValue::Number(*value)),
            Argument::Type(Declared { base: Base::Element(element), qualifier: Qualifier::Unbound, .. }) => {
                Some(TemplateValue::Type(*element))
            }
            Argument::Type(_) => {
                let (Given::Type(_, span) | Given::Value(.., span)) = given;
                let message = format!("`{}` is the type of pixels: a scalar number", parameter.name.text);
                self.error(&codes::TEMPLATE_ARGUMENTS, *span, message);
                None
            }
        }
    }

    /// The element of an image or a number that has the type of a parameter.
    fn inferred_element(
        &self,
        parameter: &ast::TemplateParameter,
        parameters: &[ast::PipelineParameter],
        operands: &[Operand],
    ) -> Option<Element> {
        if !matches!(parameter.kind, Kind::Type { .. }) {
            return None;
        }
        // Outputs come first, one or more for each.
        let first = operands.len().checked_sub(parameters.len())?;
        let is_of = |p: &ast::PipelineParameter| matches!(&p.ty.kind, ast::TypeKind::Named(name, arguments) if arguments.is_empty() && name.text == parameter.name.text);
        let found = parameters.iter().zip(&operands[first..]).filter(|(p, _)| is_of(p));
        found.filter_map(|(_, operand)| self.element_of_operand(operand)).next()
    }

    fn element_of_operand(&self, operand: &Operand) -> Option<Element> {
        let ty = match operand {
            Operand::Value(e) => e.ty,
            Operand::Place(place) => place.ty,
            Operand::Error(_) | Operand::Element(_) | Operand::Untyped(..) => return None,
        };
        if let Some((element, _)) = self.view_shape(ty) {
            return Some(element);
        }
        let inner: Type = match *self.program.types.kind(ty) {
            TypeKind::Array { element, .. } => element,
            _ => ty,
        };
        self.program.types.element(inner)
    }

    /// `P(out…, arguments…)`, `P.S(out…, arguments…)`: runs a schedule of a pipeline, `auto` where none is named.
    /// `P.required(out…, arguments…)` fills the views of the inputs.
    pub fn run_pipeline(
        &mut self,
        pipeline: Named<'a>,
        schedule: Option<&'a ast::Name>,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Operand {
        self.call_pipeline(pipeline, schedule, Purpose::Run, arguments, span)
    }

    /// `P.S.required(out…, arguments…)`: fills the views of the inputs with the windows that a schedule reads.
    pub fn windows_of_pipeline(
        &mut self,
        pipeline: Named<'a>,
        schedule: &'a ast::Name,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Operand {
        self.call_pipeline(pipeline, Some(schedule), Purpose::Required, arguments, span)
    }

    fn call_pipeline(
        &mut self,
        named: Named<'a>,
        schedule: Option<&'a ast::Name>,
        purpose: Purpose,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Operand {
        let pipeline = named.name;
        // The windows that `auto` reads are asked for without its name.
        let (purpose, schedule) = match schedule {
            Some(name) if &*name.text == "required" => (Purpose::Required, None),
            _ => (purpose, schedule),
        };
        let operands: Vec<Operand> = arguments.iter().map(|e| self.expression(e, None)).collect();
        if self.body.context > 1 {
            let message = format!("pipeline `{}` runs in context 1 only", pipeline.text);
            let error = Diagnostic::error(&codes::EXTERN_CONTEXT, span, message);
            let edits = self.for_each_lane();
            self.push_with_opener(error.with_change(format!("run it for each active lane with `{}…`", self.each_lane()), edits));
            return Operand::Error(span);
        }
        if operands.iter().any(Operand::is_error) {
            return Operand::Error(span);
        }
        let Some(instance) = self.pipeline_instance(named, &operands, span) else { return Operand::Error(span) };
        let schedules = self.schedules.clone();
        // A pipeline that was refused says no more.
        let Some((parameters, at)) = schedules.parameters(&instance) else { return Operand::Error(span) };
        let known = schedules.schedules(&instance);
        let of: Rc<str> = schedule.map_or_else(|| "auto".into(), |name| name.text.clone());
        if !known.contains(&of) {
            if let Some(schedule) = schedule.filter(|_| !known.is_empty()) {
                let mut known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                known.sort();
                let message = format!("pipeline `{}` has no schedule `{}`", pipeline.text, schedule.text);
                let error = Diagnostic::error(&codes::UNKNOWN_NAME, schedule.span, message);
                self.diagnostics.push(error.with_help(format!("it has {}", known.join(", "))));
            }
            return Operand::Error(span);
        }
        if parameters.len() != operands.len() {
            let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
            let message = takes_arguments(&pipeline.text, &[parameters.len()], operands.len());
            let error = Diagnostic::error(&codes::ARGUMENT_COUNT, span, message);
            self.diagnostics.push(error.with_help(format!("outputs first: {}({})", pipeline.text, names.join(", "))));
            return Operand::Error(span);
        }
        let mut passed = Vec::new();
        for (parameter, operand) in parameters.iter().zip(operands) {
            let Some(argument) = self.pipeline_argument(pipeline, parameter, purpose, operand) else {
                return Operand::Error(span);
            };
            passed.push(argument);
        }
        let wanted = Wanted { pipeline: instance, schedule: of, purpose, refusal: Refusal::EndProgram };
        let function = self.scheduled(&wanted, &parameters, at);
        self.note_call(function, span);
        let ty = self.program.types.void();
        Operand::Value(Expr { kind: ExprKind::Call { function, arguments: passed }, ty, span })
    }

    /// What a pipeline is given for a parameter. An array is a view of one dimension.
    fn pipeline_argument(
        &mut self,
        pipeline: &ast::Name,
        parameter: &Parameter,
        purpose: Purpose,
        operand: Operand,
    ) -> Option<Expr> {
        let declared = self.declared_parameter(parameter, purpose);
        let at = operand.span();
        if let Base::Reference(inner) = &declared.base {
            if let Operand::Place(Place { kind: PlaceKind::Local(local), span, .. }) = &operand
                && self.body.infos[local.0 as usize].is_image
            {
                let error = Diagnostic::error(&codes::READ_ONLY, *span, "the window of an image does not change");
                self.diagnostics.push(error.with_help("pass a view, `T v[,];`, and declare the image by its window"));
                return None;
            }
            return self.reference_to(operand, inner, at);
        }
        let made = match (&operand, &declared.base) {
            (Operand::Place(place), Base::Record(_)) => {
                let view = self.vec(&declared, 1, 1, at);
                let place = place.clone();
                self.array_as_view(&place, view, parameter.dense).map(Operand::Value)
            }
            _ => None,
        };
        let operand = made.unwrap_or(operand);
        let ty = self.vec(&declared, 1, 1, at);
        let argument = self.coerce(operand, ty, at);
        if self.is_error(argument.ty) {
            return None;
        }
        self.keep_const(&argument, self.protects(&declared), &format!("`{}`", pipeline.text), at);
        Some(argument)
    }
}
