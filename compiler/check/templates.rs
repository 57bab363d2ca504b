//! Templates: what stands for their parameters, from what is written, from the arguments of a call, from defaults.
//!
//! ```text
//! template <typename T, int N = 4> T f(T x, const float a[N]);      float v[8];  f(1.5, v)  ──►  T = float, N = 8
//! ```
//! What is written comes first, then what the call gives, then defaults, each in the order of the parameters: a default may name
//! the parameters in front of it.

use super::declared::{Argument, Base, Bound, Declared, Qualifier};
use super::items::{Binding, Home};
use super::operand::Operand;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{self, TemplateParameterKind as Kind};
use crate::typed::ir::{Constant, ParameterKind, PlaceKind, SliceBound};
use crate::types::{Element, Type, TypeKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What is written as an argument of a template.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Type(Declared, Span),
    /// A whole number or a `bool`, by its element.
    Value(i128, Element, Span),
}

impl Argument {
    /// As it would be written.
    pub fn text(&self, checker: &Checker) -> String {
        match self {
            Argument::Value(n, Element::Bool) => (*n != 0).to_string(),
            Argument::Value(n, _) => n.to_string(),
            Argument::Type(declared) => checker.text_of(declared),
        }
    }
}

/// A value of a template as a constant.
pub(super) fn constant_of(n: i128, element: Element) -> Constant {
    match element {
        Element::Bool => Constant::Bool(n != 0),
        _ => Constant::Int(super::constants::truncated(n, element)),
    }
}

impl<'a> Checker<'a> {
    // ---- What is written ------------------------------------------------------------------------------------------

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

    /// What is written for the parameters of templates. `None` if something in it is refused, which is reported.
    pub fn given(
        &mut self,
        templates: &[&'a [ast::TemplateParameter]],
        written: &'a [ast::TemplateArgument],
    ) -> Option<Vec<Given>> {
        let mut given = Vec::with_capacity(written.len());
        for (k, argument) in written.iter().enumerate() {
            let kinds = || templates.iter().filter_map(|parameters| parameters.get(k)).map(|parameter| &parameter.kind);
            let is_type = match (argument, argument.name()) {
                (ast::TemplateArgument::Type(_), _) => true,
                (_, None) => false,
                (_, Some(name)) => {
                    let names_type = self.names_type(&name.text);
                    match (kinds().any(|k| matches!(k, Kind::Type { .. })), kinds().any(|k| matches!(k, Kind::Value { .. }))) {
                        (true, true) | (false, false) => names_type,
                        (is_type, _) => names_type || is_type && !self.names_value(&name.text),
                    }
                }
            };
            let made = match argument {
                _ if is_type => {
                    let declared = self.type_argument(argument);
                    (declared.base != Base::Error).then_some(Given::Type(declared, argument.span()))
                }
                ast::TemplateArgument::Value(e) | ast::TemplateArgument::Name(e) => {
                    self.constant_value(e).map(|(n, element)| Given::Value(n, element, e.span))
                }
                ast::TemplateArgument::Type(_) => None,
            };
            given.push(made);
        }
        given.into_iter().collect()
    }

    fn names_type(&self, name: &str) -> bool {
        match self.body.template.get(name) {
            Some(Argument::Type(_)) => true,
            Some(Argument::Value(..)) => false,
            None => self.items.types.contains_key(name),
        }
    }

    fn names_value(&self, name: &str) -> bool {
        matches!(self.body.template.get(name), Some(Argument::Value(..)))
            || self.body.scopes.iter().any(|scope| scope.contains_key(name))
            || self.items.values.contains_key(name)
            || self.items.announced.contains_key(name)
    }

    /// A constant whole number or `bool`; reports what is none.
    fn constant_value(&mut self, e: &'a ast::Expr) -> Option<(i128, Element)> {
        let value = self.checked_value(e)?;
        let element = self.program.types.element(value.ty).filter(|_| self.length(value.ty) == 1);
        let message = "the argument of a template is a constant expression";
        let constant = if element.is_some() { Some(self.computed(&value, message)?) } else { None };
        match (element, constant) {
            (Some(Element::Bool), Some(Constant::Bool(truth))) => Some((i128::from(truth), Element::Bool)),
            (Some(element), Some(Constant::Int(bits))) if element.is_integer() => {
                Some((super::constants::number(bits, element), element))
            }
            (Some(element), Some(_)) => {
                let message = format!("a value of a template is a whole number or a `bool`, and this is `{}`", element.name());
                self.error(&codes::TEMPLATE_ARGUMENTS, e.span, message);
                None
            }
            (_, _) => {
                self.error(&codes::NOT_CONSTANT, e.span, message);
                None
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

    // ---- Parameters and their arguments ---------------------------------------------------------------------------

    /// Refuses parameters that are no types, integers, `bool`s or enums.
    pub fn check_parameters(&mut self, parameters: &'a [ast::TemplateParameter]) {
        let mut names: FxHashMap<&str, Span> = FxHashMap::default();
        for parameter in parameters {
            if let Some(first) = names.insert(&parameter.name.text, parameter.name.span) {
                let message = format!("`{}` is declared twice in this template", parameter.name.text);
                let error = Diagnostic::error(&codes::DUPLICATE_NAME, parameter.name.span, message);
                self.diagnostics.push(error.with_secondary(first, "it is declared here"));
            }
            let Kind::Value { ty, default: _ } = &parameter.kind else { continue };
            let fits = match &ty.kind {
                ast::TypeKind::Element(element) => !element.is_float(),
                ast::TypeKind::Named(..) | ast::TypeKind::Error => true,
                ast::TypeKind::Void | ast::TypeKind::Pointer(_) | ast::TypeKind::Reference(_) | ast::TypeKind::View(..) => false,
            };
            if !fits
                || matches!(ty.qualifier, ast::Qualifier::Block(_) | ast::Qualifier::BlockOf(..) | ast::Qualifier::Varying(_))
            {
                let message = "a parameter of a template is a type, or a value of an integer type, `bool` or an enum";
                self.error(&codes::TYPE_MISMATCH, parameter.span, message);
            }
        }
    }

    /// Binds the arguments of a template, as far as they are known, while a rule runs in the scope of what it is a template of.
    pub fn with_arguments<T>(&mut self, bound: Bound, home: Home, rule: impl FnOnce(&mut Self) -> T) -> T {
        let template = std::mem::replace(&mut self.body.template, bound);
        let scopes = std::mem::replace(&mut self.body.scopes, vec![FxHashMap::default()]);
        let home = std::mem::replace(&mut self.body.home, home);
        let result = rule(self);
        (self.body.template, self.body.scopes, self.body.home) = (template, scopes, home);
        result
    }

    /// Binds the arguments of a function's template while a rule runs.
    pub fn with_template<T>(&mut self, item: usize, arguments: &[Argument], rule: impl FnOnce(&mut Self) -> T) -> T {
        let (bound, home) = (self.bound(item, arguments), self.items.functions[item].home());
        self.with_arguments(bound, home, rule)
    }

    /// The arguments of a function's template by their names.
    pub fn bound(&self, item: usize, arguments: &[Argument]) -> Bound {
        bound_of(&self.items.functions[item].item.template, arguments.iter().map(Some))
    }

    /// The arguments of a template: those given, those found, then defaults. `None` where some are missing or do not fit; then a
    /// default or an argument that is wrong by itself has been reported.
    pub fn complete(
        &mut self,
        parameters: &'a [ast::TemplateParameter],
        home: Home,
        given: &[Given],
        found: impl FnOnce(&mut Self, &mut [Option<Argument>]),
    ) -> Option<Vec<Argument>> {
        if given.len() > parameters.len() {
            return None;
        }
        let mut arguments: Vec<Option<Argument>> = vec![None; parameters.len()];
        for (k, given) in given.iter().enumerate() {
            arguments[k] =
                Some(self.fitting(&parameters[k], given, &bound_of(parameters, arguments.iter().map(Option::as_ref)), home)?);
        }
        found(self, &mut arguments);
        for (k, parameter) in parameters.iter().enumerate() {
            if arguments[k].is_none() {
                let bound = bound_of(parameters, arguments.iter().map(Option::as_ref));
                arguments[k] = Some(self.default_of(parameter, bound, home)?);
            }
            // What was found is a number; whether it is one of the parameter's type is known now.
            if let (Kind::Value { ty, .. }, Some(Argument::Value(n, element))) = (&parameter.kind, arguments[k].clone()) {
                let bound = bound_of(parameters, arguments.iter().map(Option::as_ref));
                let own = self.value_element(ty, &bound, home)?;
                let fits = (own == Element::Bool) == (element == Element::Bool) && super::constants::fits(n, own);
                arguments[k] = Some(Argument::Value(n, own)).filter(|_| fits || own == Element::Bool && element == own);
                arguments[k].as_ref()?;
            }
        }
        arguments.into_iter().collect()
    }

    /// What is given for a parameter, if it fits; reports if it does not.
    pub fn fitting(
        &mut self,
        parameter: &'a ast::TemplateParameter,
        given: &Given,
        bound: &Bound,
        home: Home,
    ) -> Option<Argument> {
        let name = &parameter.name.text;
        match (&parameter.kind, given) {
            (Kind::Type { .. }, Given::Type(declared, _)) => Some(Argument::Type(declared.clone())),
            (Kind::Type { .. }, Given::Value(.., span)) => {
                let message = format!("`{name}` is a type, and this is a value");
                self.argument_error(parameter, *span, message);
                None
            }
            (Kind::Value { ty, .. }, Given::Type(_, span)) => {
                let message = format!("`{name}` is a value, `{}`, and this is a type", crate::syntax::print::ty(ty));
                self.argument_error(parameter, *span, message);
                None
            }
            (Kind::Value { ty, .. }, Given::Value(n, from, span)) => {
                let element = self.value_element(ty, bound, home)?;
                if (element == Element::Bool) != (*from == Element::Bool) {
                    let message = format!("`{name}` is `{}`, and this is `{}`", element.name(), from.name());
                    self.argument_error(parameter, *span, message);
                    return None;
                }
                if element != Element::Bool && !super::constants::fits(*n, element) {
                    let message = format!("{n} does not fit in `{}`, which `{name}` is", element.name());
                    self.argument_error(parameter, *span, message);
                    return None;
                }
                Some(Argument::Value(*n, element))
            }
        }
    }

    fn argument_error(&mut self, parameter: &ast::TemplateParameter, span: Span, message: String) {
        let error = Diagnostic::error(&codes::TEMPLATE_ARGUMENTS, span, message);
        self.diagnostics.push(error.with_secondary(parameter.span, "the parameter"));
    }

    /// The element of a parameter that is a value.
    fn value_element(&mut self, ty: &'a ast::Type, bound: &Bound, home: Home) -> Option<Element> {
        let declared = self.with_arguments(bound.clone(), home, |this| this.resolve(ty));
        match declared.base {
            Base::Element(element) if !element.is_float() => Some(element),
            Base::Error => None,
            Base::Element(_) | Base::Void | Base::Record(_) | Base::Pointer(_) | Base::Reference(_) | Base::Array(..) => {
                let message = "a parameter of a template is a type, or a value of an integer type, `bool` or an enum";
                self.error(&codes::TYPE_MISMATCH, ty.span, message);
                None
            }
        }
    }

    fn default_of(&mut self, parameter: &'a ast::TemplateParameter, bound: Bound, home: Home) -> Option<Argument> {
        self.with_arguments(bound, home, |this| match &parameter.kind {
            Kind::Type { default } => {
                let declared = this.resolve(default.as_ref()?);
                (declared.base != Base::Error).then_some(Argument::Type(declared))
            }
            Kind::Value { default, .. } => {
                let (n, element) = this.constant_value(default.as_ref()?)?;
                Some(Argument::Value(n, element))
            }
        })
    }

    // ---- What a call gives ----------------------------------------------------------------------------------------

    /// The arguments of a function's template, from those written, the operands and defaults.
    pub fn deduce(&mut self, item: usize, given: &[Given], operands: &[Operand]) -> Option<Vec<Argument>> {
        let (known, home) = (&self.items.functions[item], self.items.functions[item].home());
        let (template, function): (&'a [ast::TemplateParameter], _) = (&known.item.template, known.function);
        if template.is_empty() {
            return given.is_empty().then(Vec::new);
        }
        self.complete(template, home, given, |this, found| {
            for (parameter, operand) in function.parameters.iter().zip(operands) {
                let mut ty = this.operand_type(operand);
                if let Some(bound) = &parameter.array {
                    let Some(pointee) = this.program.types.pointee(ty) else { continue };
                    ty = pointee;
                    let count = bound.as_deref().and_then(|_| this.count_of(operand));
                    if let (Some(bound), Some(count)) = (bound.as_deref(), count) {
                        deduce_value(bound, i128::from(count), template, found);
                    }
                }
                this.deduce_from(&parameter.ty, ty, template, found);
            }
        })
    }

    /// How many elements an array or an array parameter has, if that is known while compiling.
    fn count_of(&self, operand: &Operand) -> Option<u64> {
        let Operand::Place(place) = operand else { return None };
        if let TypeKind::Array { count, .. } = self.program.types.kind(place.ty) {
            return Some(*count);
        }
        let PlaceKind::Local(local) = place.kind else { return None };
        match &self.body.locals.get(local.0 as usize)?.parameter {
            ParameterKind::Slice { bound: Some(SliceBound::Constant(count)), .. } => Some(*count),
            ParameterKind::Slice { .. } | ParameterKind::Plain | ParameterKind::Restrict | ParameterKind::Buffer { .. } => None,
        }
    }

    fn deduce_from(&self, pattern: &ast::Type, ty: Type, template: &[ast::TemplateParameter], found: &mut [Option<Argument>]) {
        if let ast::Qualifier::BlockOf(length, _) = &pattern.qualifier {
            deduce_value(length, i128::from(self.length(ty)), template, found);
        }
        match (&pattern.kind, self.program.types.kind(ty)) {
            (ast::TypeKind::Named(name, written), _) if written.is_empty() => {
                let at = template.iter().position(|p| p.name.text == name.text && matches!(p.kind, Kind::Type { .. }));
                if let Some(at) = at.filter(|&at| found[at].is_none()) {
                    found[at] = self.declared_from(ty).map(Argument::Type);
                }
            }
            (ast::TypeKind::Named(name, written), _) => self.deduce_from_record((name, written), ty, template, found),
            (ast::TypeKind::Pointer(inner), TypeKind::Pointer { pointee, .. }) => {
                self.deduce_from(inner, *pointee, template, found);
            }
            (ast::TypeKind::Reference(inner), _) => self.deduce_from(inner, ty, template, found),
            _ => {}
        }
    }

    /// A type without its own length, as a template takes it.
    pub fn declared_from(&self, ty: Type) -> Option<Declared> {
        let base = match *self.program.types.kind(ty) {
            TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } => return None,
            TypeKind::Vector { element, .. } => Base::Element(element),
            TypeKind::Record { record, .. } => Base::Record(record),
            TypeKind::Pointer { pointee, .. } => {
                let mut inner = self.declared_from(pointee)?;
                inner.qualifier = Qualifier::Of(self.length(pointee));
                Base::Pointer(Box::new(inner))
            }
        };
        Some(Declared::new(base, Qualifier::Unbound))
    }

    /// The only function of a name is a template whose arguments are not known.
    pub fn undeduced(&mut self, item: usize, name: &ast::Name, given: usize, types: &str, span: Span) {
        let parameters = &self.items.functions[item].item.template;
        let count = parameters.len();
        let has_values = parameters.iter().any(|parameter| matches!(parameter.kind, Kind::Value { .. }));
        let kind = if has_values { "" } else { "type " };
        let message = if given > count {
            format!("`{}` has {count} {kind}parameters, {given} are given", name.text)
        } else {
            format!("the {kind}parameters of `{}` do not follow from ({types})", name.text)
        };
        let error = Diagnostic::error(&codes::TEMPLATE_ARGUMENTS, span, message);
        if count == 0 {
            self.diagnostics.push(error.with_help("it is no template: leave out the angle brackets"));
            return;
        }
        let example = |parameter: &ast::TemplateParameter| match parameter.kind {
            Kind::Type { .. } => "int",
            Kind::Value { .. } => "4",
        };
        let list = format!("<{}>", parameters.iter().map(example).collect::<Vec<_>>().join(", "));
        let help = format!("name them, as in `{}{list}(…)`", name.text);
        self.diagnostics.push(match given {
            0 => error.with_fix(help, vec![Edit::behind(name.span, list)]),
            _ => error.with_help(help),
        });
    }

    // ---- Which is the more special --------------------------------------------------------------------------------

    /// Does one function fit whatever another one fits, which does not fit all that the first does?
    pub fn is_more_special(&self, special: usize, general: usize) -> bool {
        self.covers(general, special) && !self.covers(special, general)
    }

    fn covers(&self, general: usize, special: usize) -> bool {
        let [general, special] = [general, special].map(|item| &self.items.functions[item]);
        let pairs = general.function.parameters.iter().zip(&special.function.parameters);
        pairs.into_iter().all(|(g, s)| match (&g.array, &s.array) {
            (None, None) | (Some(_), Some(_)) => covers_type(&g.ty, &general.item.template, &s.ty, &special.item.template),
            (None, Some(_)) => match &g.ty.kind {
                ast::TypeKind::Pointer(inner) => covers_type(inner, &general.item.template, &s.ty, &special.item.template),
                _ => is_parameter(&g.ty, &general.item.template),
            },
            (Some(_), None) => match &s.ty.kind {
                ast::TypeKind::Pointer(inner) => covers_type(&g.ty, &general.item.template, inner, &special.item.template),
                _ => false,
            },
        })
    }

    // ---- Instances as text ----------------------------------------------------------------------------------------

    /// `<float, 4>`, or nothing.
    pub fn arguments_text(&self, arguments: &[Argument]) -> String {
        let list: Vec<String> = arguments.iter().map(|argument| argument.text(self)).collect();
        if list.is_empty() { String::new() } else { format!("<{}>", list.join(", ")) }
    }

    /// A declared type as it would be written.
    pub fn text_of(&self, declared: &Declared) -> String {
        let base = match &declared.base {
            Base::Error => "<error>".to_owned(),
            Base::Void => "void".to_owned(),
            Base::Element(element) => element.name().to_owned(),
            Base::Record(record) => self.program.types.record_name(*record).to_owned(),
            Base::Pointer(inner) => format!("{} *", self.text_of(inner)),
            Base::Reference(inner) => format!("{} &", self.text_of(inner)),
            Base::Array(inner, count) => format!("{}[{count}]", self.text_of(inner)),
        };
        match declared.qualifier {
            Qualifier::Unbound | Qualifier::Of(1) => base,
            Qualifier::Block => format!("{base} block"),
            Qualifier::Of(length) => format!("{base} block[{length}]"),
        }
    }

    /// The constant that a value of the template around is.
    pub fn template_value(&mut self, name: &str) -> Option<Binding> {
        match self.body.template.get(name) {
            Some(&Argument::Value(n, element)) => Some(Binding::Constant(constant_of(n, element), self.scalar(element))),
            Some(Argument::Type(_)) | None => None,
        }
    }
}

/// The names of parameters with what stands for them.
pub(super) fn bound_of<'n>(
    parameters: &[ast::TemplateParameter],
    arguments: impl Iterator<Item = Option<&'n Argument>>,
) -> Bound {
    let pairs = parameters.iter().zip(arguments);
    Rc::new(pairs.filter_map(|(parameter, argument)| Some((parameter.name.text.clone(), argument?.clone()))).collect())
}

/// Where an expression is a parameter by itself, its value was found.
fn deduce_value(e: &ast::Expr, n: i128, template: &[ast::TemplateParameter], found: &mut [Option<Argument>]) {
    let ast::ExprKind::Name(name) = &e.kind else { return };
    let at = template.iter().position(|p| p.name.text == name.text && matches!(p.kind, Kind::Value { .. }));
    if let Some(at) = at {
        found[at].get_or_insert(Argument::Value(n, Element::Int64));
    }
}

fn is_parameter(ty: &ast::Type, template: &[ast::TemplateParameter]) -> bool {
    let ast::TypeKind::Named(name, _) = &ty.kind else { return false };
    template.iter().any(|p| p.name.text == name.text && matches!(p.kind, Kind::Type { .. }))
}

fn covers_type(g: &ast::Type, of_g: &[ast::TemplateParameter], s: &ast::Type, of_s: &[ast::TemplateParameter]) -> bool {
    if is_parameter(g, of_g) {
        return true;
    }
    match (&g.kind, &s.kind) {
        (ast::TypeKind::Pointer(g), ast::TypeKind::Pointer(s)) | (ast::TypeKind::Reference(g), ast::TypeKind::Reference(s)) => {
            covers_type(g, of_g, s, of_s)
        }
        (ast::TypeKind::Reference(g), _) => covers_type(g, of_g, s, of_s),
        (_, ast::TypeKind::Reference(s)) => covers_type(g, of_g, s, of_s),
        (ast::TypeKind::Element(g), ast::TypeKind::Element(s)) => g == s,
        (ast::TypeKind::Named(g, in_g), ast::TypeKind::Named(s, in_s)) => {
            g.text == s.text && in_g.len() == in_s.len() && in_g.iter().zip(in_s).all(|(g, s)| covers_argument(g, of_g, s, of_s))
        }
        _ => false,
    }
}

fn covers_argument(
    g: &ast::TemplateArgument,
    of_g: &[ast::TemplateParameter],
    s: &ast::TemplateArgument,
    of_s: &[ast::TemplateParameter],
) -> bool {
    let named = |argument: &ast::TemplateArgument, template: &[ast::TemplateParameter]| {
        argument.name().is_some_and(|name| template.iter().any(|p| p.name.text == name.text))
    };
    match (g, s) {
        _ if named(g, of_g) => true,
        _ if named(s, of_s) => false,
        (ast::TemplateArgument::Type(g), ast::TemplateArgument::Type(s)) => covers_type(g, of_g, s, of_s),
        (
            ast::TemplateArgument::Value(g) | ast::TemplateArgument::Name(g),
            ast::TemplateArgument::Value(s) | ast::TemplateArgument::Name(s),
        ) => crate::syntax::print::expression(g) == crate::syntax::print::expression(s),
        (ast::TemplateArgument::Type(_), _) | (_, ast::TemplateArgument::Type(_)) => false,
    }
}
