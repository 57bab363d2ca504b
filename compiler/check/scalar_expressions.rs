//! Expressions of pipelines, checked by the rules of scalar code: the same operand types, conversions, overloads and
//! built-ins as in functions. What pipelines have beyond them (reads of funcs, inline reductions, boundary conditions) is
//! checked by `pipeline`, which says here what stands in for it.

use super::Options;
use super::constants::number;
use super::items::Binding;
use super::schedules::new_function;
use super::state::{Body, Checker, Reduced};
use crate::diagnostics::{Diagnostic, Diagnostics, Severity, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::FpMode;
use crate::typed::ir::{self, FunctionId, Linkage, LocalId};
use crate::types::{Element, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What runs as a whole, and is no value at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// A pipeline.
    Pipeline,
    /// A definition of tensors.
    Definition,
}

/// A checker that stands in one scalar scope.
pub struct ScalarExpressions<'a> {
    checker: Checker<'a>,
}

impl<'a> ScalarExpressions<'a> {
    /// Knows the functions, types and globals of the files.
    pub fn new(files: &'a [ast::File], library: &'a [ast::File], options: &Options, diagnostics: &'a mut Diagnostics) -> Self {
        let mut checker = Checker::new(*options, diagnostics);
        checker.silently(|checker| {
            checker.collect(files, false);
            checker.collect(library, true);
            checker.records();
            checker.globals();
            checker.forget_since(FunctionId(0));
        });
        ScalarExpressions { checker }
    }

    /// A checker that knows the names of its files, in a scope outside of all functions.
    pub(super) fn of(checker: Checker<'a>) -> Self {
        ScalarExpressions { checker }
    }

    /// The checker, outside of all functions. The instances that expressions have called are there for those who call them.
    pub(super) fn into_checker(self) -> Checker<'a> {
        let mut checker = self.checker;
        checker.body = Body { context: 1, scopes: vec![FxHashMap::default()], ..Body::default() };
        checker
    }

    /// What was said so far, and room for more.
    pub fn diagnostics(&mut self) -> &mut Diagnostics {
        self.checker.diagnostics
    }

    /// Reports an error.
    pub fn report(&mut self, error: Diagnostic) {
        self.checker.diagnostics.push(error);
    }

    /// The mode of arithmetic that attributes in front of a pipeline ask for, else that of the compilation. What its expressions call of
    /// the library has it, too.
    pub fn fp_mode(&mut self, attributes: &[ast::Attribute]) -> FpMode {
        let fp = self.checker.fp_mode(attributes);
        self.checker.body.fp = Some(fp);
        fp
    }

    /// Is there a function of this name, in the program or the library?
    pub fn has_function(&self, name: &str) -> bool {
        self.checker.items.overloads.contains_key(name) || self.checker.items.library.contains_key(name)
    }

    /// Is there a pipeline of this name, or a definition of tensors? Then says which.
    pub fn pipeline(&self, name: &str) -> Option<Runs> {
        let items = &self.checker.items;
        let is_def = items.defs.contains(name);
        items.pipelines.contains_key(name).then_some(if is_def { Runs::Definition } else { Runs::Pipeline })
    }

    /// Is there a variable or a constant of this name?
    pub fn has_value(&self, name: &str) -> bool {
        self.checker.body.scopes.iter().any(|scope| scope.contains_key(name)) || self.checker.items.values.contains_key(name)
    }

    /// These may be called as well, where `replace` says what they mean: an unknown name may be one of them, misspelt.
    pub fn may_call(&mut self, names: impl Iterator<Item = Rc<str>>) {
        self.checker.body.callable = names.collect();
    }

    /// Other names of functions and element types, where nothing has these names itself.
    pub fn synonyms(&mut self, synonyms: &'static [(&'static str, &'static str)]) {
        self.checker.body.synonyms = synonyms;
    }

    /// A stand-in for something that is read like a function: its calls have this type. Nothing calls it by name.
    pub fn stand_in(&mut self, name: &str, element: Element) -> FunctionId {
        let result = self.checker.scalar(element);
        let function = new_function(name.to_owned(), self.checker.options.fp, result, Span::default());
        self.checker.program.functions.push(ir::Function { linkage: Linkage::Extern, ..function });
        FunctionId(self.checker.program.functions.len() as u32 - 1)
    }

    /// Opens a scope.
    pub fn open(&mut self) {
        self.checker.body.scopes.push(FxHashMap::default());
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        self.checker.body.scopes.pop();
    }

    /// A scalar that expressions of the innermost scope may read by its name.
    pub fn variable(&mut self, name: &ast::Name, element: Element) -> LocalId {
        let local = self.unnamed(&name.text, element, name.span);
        self.checker.body.scopes.last_mut().expect("a scope").insert(name.text.clone(), Binding::Local(local));
        local
    }

    /// A scalar that no name finds.
    pub fn unnamed(&mut self, name: &str, element: Element, span: Span) -> LocalId {
        let ty = self.checker.scalar(element);
        let local = self.checker.fresh_local(name, ty, span);
        self.checker.body.infos[local.0 as usize].is_const = true;
        local
    }

    /// A stand-in is a sum or a product, of which warnings ask whether it fits.
    pub fn reduces(&mut self, stand_in: FunctionId, reduced: Reduced) {
        self.checker.reduced.insert(stand_in, reduced);
    }

    /// From now on `e` means `made`.
    pub fn replace(&mut self, e: &ast::Expr, made: ir::Expr) {
        self.checker.replacements.insert(e.id, made);
    }

    /// The scalar type of an element.
    pub fn scalar(&mut self, element: Element) -> Type {
        self.checker.scalar(element)
    }

    /// An expression of its own element type; literals have that of `want`, else their own. `None` if it is in error.
    pub fn value(&mut self, e: &'a ast::Expr, want: Option<Element>) -> Option<ir::Expr> {
        self.heard(|checker| {
            let want = want.map(|element| checker.scalar(element));
            let operand = checker.expression(e, want);
            checker.value(operand, want)
        })
        .filter(|made| self.is_scalar(made, e.span))
    }

    /// An expression converted to an element type, as an initializer is.
    pub fn converted(&mut self, e: &'a ast::Expr, element: Element) -> Option<ir::Expr> {
        self.heard(|checker| {
            let ty = checker.scalar(element);
            let operand = checker.expression(e, Some(ty));
            checker.coerce(operand, ty, e.span)
        })
    }

    /// An expression that decides.
    pub fn condition(&mut self, e: &'a ast::Expr) -> Option<ir::Expr> {
        self.heard(|checker| checker.condition(e)).filter(|made| self.is_scalar(made, e.span))
    }

    /// The value of a constant expression: an integer, or a `bool` as 0 or 1. What is none is reported.
    pub fn constant(&mut self, e: &'a ast::Expr) -> Option<i128> {
        let made = self.heard(|checker| {
            let operand = checker.expression(e, None);
            checker.value(operand, None)
        })?;
        let element = self.checker.program.types.element(made.ty);
        let made = ir::Expr { span: e.span, ..made };
        match (self.checker.computed(&made, "this is no constant expression")?, element) {
            (ir::Constant::Int(bits), Some(element)) if element.is_integer() => Some(number(bits, element)),
            (ir::Constant::Bool(value), _) => Some(i128::from(value)),
            _ => {
                self.checker.error(&codes::NOT_CONSTANT, e.span, "this is no integer and no `bool`");
                None
            }
        }
    }

    /// The value of a checked expression, if it is constant.
    pub fn known(&mut self, e: &ir::Expr) -> Option<ir::Constant> {
        self.checker.silently(|checker| checker.computed(e, ""))
    }

    /// Runs a rule; `None` if it reported an error. What instances of functions say is theirs to say when the whole program is
    /// checked.
    fn heard(&mut self, rule: impl FnOnce(&mut Checker<'a>) -> ir::Expr) -> Option<ir::Expr> {
        let mark = self.checker.diagnostics.len();
        let made = rule(&mut self.checker);
        self.checker.warn_of_wrapping(&made);
        let said = self.checker.diagnostics.split_off(mark);
        let failed = said.iter().any(|d| d.severity == Severity::Error);
        said.into_iter().for_each(|d| self.checker.diagnostics.push(d));
        (!failed && !self.checker.is_error(made.ty)).then_some(made)
    }

    fn is_scalar(&mut self, e: &ir::Expr, span: Span) -> bool {
        let types = &self.checker.program.types;
        let fits = types.element(e.ty).is_some() && types.length(e.ty) == 1;
        if !fits {
            let message = format!("a value of type `{}` in a pipeline: values are scalar numbers", self.checker.display(e.ty));
            self.checker.error(&crate::diagnostics::codes::PIPELINE_TYPE, span, message);
        }
        fits
    }

    /// The instance of a function, given by its scalar one, in a context of length 2, with vectors for parameters.
    /// `None` if it is refused there.
    pub fn in_lanes(&mut self, function: FunctionId) -> Option<FunctionId> {
        let checker = &mut self.checker;
        let (item, _, types, given, fp) = checker.made.get(&function).and_then(|made| made.key.clone())?;
        let span = checker.program.functions[function.0 as usize].span;
        // A parameter of a declared length takes no other.
        let declared = &checker.items.functions[item].function.parameters;
        if declared.iter().any(|p| !matches!(p.ty.qualifier, ast::Qualifier::Unbound)) {
            return None;
        }
        let mut lifted = Vec::new();
        for ty in types {
            let element = checker.program.types.element(ty)?;
            lifted.push(checker.program.types.vector(element, 2));
        }
        let mark = checker.diagnostics.len();
        // That it is refused here is no reason to say less of it elsewhere.
        let refused = checker.refused_bodies.clone();
        let made = checker.instance_of((item, 2, lifted, given, fp), span);
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        let is_refused = checker.diagnostics.split_off(mark).iter().any(is_error);
        let said = made.map(|(id, _)| checker.said_by(&[id])).unwrap_or_default();
        checker.refused_bodies = refused;
        let (id, _) = made?;
        (!is_refused && !said.iter().any(is_error)).then_some(id)
    }

    /// Does an instance look at the lengths of its operands?
    pub fn looks_at_length(&self, instance: FunctionId) -> bool {
        self.checker.made.get(&instance).is_some_and(|made| made.looks_at_length)
    }

    /// The program so far: types, and the instances of the functions that expressions call.
    pub fn program(&self) -> &ir::Program {
        &self.checker.program
    }

    /// Gives the program back.
    pub fn into_program(self) -> ir::Program {
        self.checker.program
    }
}
