//! Calls of functions of the program: what is called, and what it is given.

use super::declared::{Argument, Base, Declared, Qualifier};
use super::infer::{Mistake, Value, Why, leaves_out};
use super::items::Binding;
use super::operand::Operand;
use super::state::Checker;
use super::templates::Given;
use crate::diagnostics::{Diagnostic, Edit, Fix, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::builtins::NAMES;
use crate::typed::ir::{Expr, ExprKind};
use crate::types::{Type, TypeKind};

impl<'a> Checker<'a> {
    /// The type of the variable of this name, if there is one.
    fn type_of_variable(&self, name: &ast::Name) -> Option<Type> {
        let found =
            self.body.scopes.iter().rev().find_map(|scope| scope.get(&name.text)).or_else(|| self.items.values.get(&name.text));
        match found? {
            Binding::Local(local) | Binding::Reference(local) => Some(self.body.locals[local.0 as usize].ty),
            Binding::Global(global) => Some(self.program.globals[global.0 as usize].ty),
            Binding::Constant(_, ty) => Some(*ty),
        }
    }

    /// A call of what is no function.
    pub fn unknown_call(&mut self, name: &'a ast::Name, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let instead = super::foreign::function(&name.text).or_else(|| super::foreign::of_type(&name.text));
        // What is said of a foreign function says enough; that a string or a range is no value is a consequence.
        let is_value = |e: &&ast::Expr| !matches!(e.kind, ast::ExprKind::String(_) | ast::ExprKind::Range(..));
        arguments.iter().filter(|_| instead.is_none()).filter(is_value).for_each(|e| drop(self.expression(e, None)));
        if self.items.refused.contains(&name.text) {
            return Operand::Error(span);
        }
        let mut error = Diagnostic::error(&codes::UNKNOWN_NAME, name.span, format!("there is no function `{}`", name.text));
        if let Some(ty) = self.type_of_variable(name) {
            let error = Diagnostic::error(
                &codes::TYPE_MISMATCH,
                name.span,
                format!("`{}` is no function: it is `{}`", name.text, self.display(ty)),
            );
            let is_array = matches!(self.program.types.kind(ty), TypeKind::Array { .. });
            self.diagnostics.push(match is_array || self.program.types.pointee(ty).is_some() {
                true => {
                    let brackets = |index: &ast::Expr| {
                        let open = Span { start: name.span.end, end: index.span.start, ..span };
                        vec![Edit::replace(open, "["), Edit::replace(Span { start: index.span.end, ..span }, "]")]
                    };
                    let edits = if let [index] = arguments { Some(brackets(index)) } else { None };
                    let help = format!("write `{}[i]`; views and images, `T v[,]`, take the brackets of calls", name.text);
                    error.with_change(help, edits)
                }
                false => error,
            });
            return Operand::Error(span);
        }
        if self.items.types.contains_key(&name.text) {
            let help = format!("declare a variable, `{} value = {{ … }};`, and write `value` here", name.text);
            error.code = &codes::FOREIGN_CONSTRUCT;
            self.diagnostics.push(error.with_note(format!("`{}` is a type", name.text)).with_help(help));
            return Operand::Error(span);
        }
        if let Some(instead) = instead {
            error.code = &codes::FOREIGN_CONSTRUCT;
            self.diagnostics.push(error.with_instead(name.span, instead.name, instead.help));
            return Operand::Error(span);
        }
        let may_guess = self.items.may_guess();
        let functions = self.items.overloads.keys().chain(&self.body.callable).map(|k| &**k);
        let known = functions.chain(NAMES.iter().map(|name| name.text)).filter(|_| may_guess);
        self.diagnostics.push(error.with_guess(name.span, super::names::closest(&name.text, known)));
        Operand::Error(span)
    }

    /// `name(arguments)`, where the name is that of a function.
    pub fn call(
        &mut self,
        name: &'a ast::Name,
        overloads: &[usize],
        explicit: &'a [ast::TemplateArgument],
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Operand {
        let templates: Vec<_> = overloads.iter().map(|&item| &*self.items.functions[item].item.template).collect();
        let given = self.given(&templates, explicit);
        let wants = self.wanted_elements(overloads, arguments.len());
        let operands: Vec<Operand> = arguments.iter().zip(wants).map(|(e, want)| self.expression(e, want)).collect();
        let Some(given) = given.filter(|_| !operands.iter().any(Operand::is_error)) else { return Operand::Error(span) };
        self.call_of(name, overloads, &given, operands, span)
    }

    /// A call of one of the overloads with operands that are no errors.
    pub fn call_of(
        &mut self,
        name: &'a ast::Name,
        overloads: &[usize],
        explicit: &[Given],
        operands: Vec<Operand>,
        span: Span,
    ) -> Operand {
        match self.choose(name, overloads, explicit, &operands, span) {
            Some((item, parameters)) => self.invoke(item, parameters, operands, name, span),
            None => Operand::Error(span),
        }
    }

    /// Where there is no overload to choose, literals in an argument look for the parameter's element type.
    fn wanted_elements(&mut self, overloads: &[usize], count: usize) -> Vec<Option<Type>> {
        let &[item] = overloads else { return vec![None; count] };
        let function = self.items.functions[item].function;
        if !self.items.functions[item].item.template.is_empty() || function.parameters.len() != count {
            return vec![None; count];
        }
        let mut wanted = Vec::with_capacity(count);
        for parameter in &function.parameters {
            let declared = self.silently(|this| this.parameter_type(parameter));
            wanted.push(match declared.base {
                Base::Element(element) => Some(self.scalar(element)),
                _ => None,
            });
        }
        wanted
    }

    /// The declared type of a parameter; `float a[n]` is a scalar pointer.
    pub fn parameter_type(&mut self, parameter: &'a ast::Parameter) -> Declared {
        let declared = self.resolve(&parameter.ty);
        if parameter.array.is_none() {
            return declared;
        }
        Declared::new(Base::Pointer(Box::new(declared)), Qualifier::Of(1))
    }

    /// T-INVOKE: passes the arguments like initializers and gives the call of the instance.
    fn invoke(&mut self, item: usize, types: Vec<Argument>, operands: Vec<Operand>, name: &ast::Name, span: Span) -> Operand {
        let function = self.items.functions[item].function;
        if function.extern_c.is_some() && self.body.context > 1 {
            let message = format!("`{}` is a C function and runs in context 1 only", name.text);
            let error = Diagnostic::error(&codes::EXTERN_CONTEXT, span, message);
            let types: Vec<Type> = operands.iter().map(|operand| self.operand_type(operand)).collect();
            let is_scalar = types.into_iter().all(|ty| self.length(ty) == 1);
            let edits = self.for_each_lane().filter(|_| is_scalar);
            let help = match edits {
                Some(_) => format!("call it for each active lane with `{}…`", self.each_lane()),
                None => "call it for each active lane of a `foreach_active`, with what `get` takes of the vectors".to_owned(),
            };
            self.push_with_opener(error.with_change(help, edits));
            return Operand::Error(span);
        }
        let mut arguments = Vec::new();
        let mut named = Vec::new();
        for (k, (parameter, operand)) in function.parameters.iter().zip(operands).enumerate() {
            let declared = self.with_template(item, &types, |this| this.parameter_type(parameter));
            let at = operand.span();
            let argument = match &declared.base {
                Base::Reference(inner) => {
                    if let Operand::Place(place) = &operand {
                        named.push((k, place.clone()));
                    }
                    match self.reference_to(operand, inner, at) {
                        Some(pointer) => pointer,
                        None => return Operand::Error(span),
                    }
                }
                Base::Error | Base::Void | Base::Element(_) | Base::Record(_) | Base::Pointer(_) | Base::Array(..) => {
                    let from = self.operand_type(&operand);
                    let ty = self.adopt(&declared, from, at);
                    self.coerce(operand, ty, at)
                }
            };
            if self.is_error(argument.ty) {
                return Operand::Error(span);
            }
            let is_protected = self.protects(&declared) || matches!(declared.base, Base::Reference(_));
            let mark = self.diagnostics.len();
            self.keep_const(&argument, is_protected, &format!("`{}`", name.text), at);
            for warning in self.diagnostics.after_mut(mark) {
                let edits = vec![Edit::before(parameter.ty.span, "const ")];
                warning.fixes.push(Fix { title: "declare the parameter `const`".to_owned(), edits });
            }
            arguments.push(argument);
        }
        let parameters: Vec<Type> = arguments.iter().map(|e| e.ty).collect();
        let Some((function, result)) = self.instance(item, self.body.context, parameters, types, span) else {
            return Operand::Error(span);
        };
        let is_callers = self.body.context > 1 && self.body.is_callers || arguments.iter().any(|e| self.is_argument_callers(e));
        for (k, place) in named {
            // A call is an assignment to what the callee assigns by reference.
            let Some(length) = self.made.get(&function).and_then(|made| made.references[k]) else { continue };
            if leaves_out(Mistake::ByReference) {
                continue;
            }
            let length = if leaves_out(Mistake::ReferenceValue) { 1 } else { length };
            let value = Value { length, is_callers, ..Value::default() };
            self.assigns(&place, &value, Why::ByReference { function, parameter: k }, place.span);
        }
        if self.is_error(result) {
            return Operand::Error(span);
        }
        Operand::Value(Expr { kind: ExprKind::Call { function, arguments }, ty: result, span })
    }
}

/// "`f` takes 1 argument, not 2".
pub(super) fn takes_arguments(name: &str, counts: &[usize], found: usize) -> String {
    let noun = if counts == [1] { "argument" } else { "arguments" };
    let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
    format!("`{name}` takes {} {noun}, not {found}", counts.join(" or "))
}
