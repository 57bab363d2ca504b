//! The bounds of array parameters.
//!
//! ```text
//! float img[w * h]    ──►    Slice { bound: Product(w, h) }      w, h: integer parameters, before it or behind it
//! ```

use super::declared::Declared;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::syntax::ast::{self, BinaryOp};
use crate::typed::ir::{ParameterKind, SliceBound};
use crate::types::Type;

/// The parameters of a function, and their types.
#[derive(Clone, Copy)]
struct Parameters<'a, 't> {
    all: &'a [ast::Parameter],
    types: &'t [Type],
}

impl Parameters<'_, '_> {
    /// Which parameter an expression names.
    fn named(&self, e: &ast::Expr) -> Option<usize> {
        let ast::ExprKind::Name(name) = &e.kind else { return None };
        self.all.iter().position(|p| p.name.as_ref().is_some_and(|n| n.text == name.text))
    }

    /// Does a sum or product have one of them in it?
    fn are_in(&self, e: &ast::Expr) -> bool {
        match &e.kind {
            ast::ExprKind::Binary(_, a, b, _) => self.are_in(a) || self.are_in(b),
            ast::ExprKind::Parenthesized(inner) => self.are_in(inner),
            _ => self.named(e).is_some(),
        }
    }
}

impl<'a> Checker<'a> {
    /// What a parameter promises.
    pub fn parameter_kind(
        &mut self,
        parameter: &'a ast::Parameter,
        declared: &Declared,
        all: &'a [ast::Parameter],
        types: &[Type],
    ) -> ParameterKind {
        match &parameter.array {
            Some(bound) => {
                let bound = bound.as_ref().and_then(|e| self.slice_bound(e, Parameters { all, types }));
                ParameterKind::Slice { bound, read_only: parameter.ty.is_const }
            }
            None if declared.is_restrict => ParameterKind::Restrict,
            None => ParameterKind::Plain,
        }
    }

    /// A sum or product of integer parameters and constants. Nothing where it is different in each lane.
    fn slice_bound(&mut self, e: &'a ast::Expr, parameters: Parameters<'a, '_>) -> Option<SliceBound> {
        if let Some(at) = parameters.named(e) {
            return self.counting_parameter(e, parameters.types[at]).then_some(SliceBound::Parameter(at));
        }
        if !parameters.are_in(e) {
            let n = self.constant_integer(e)?;
            if n < 0 {
                self.error(&codes::ARRAY_SIZE, e.span, format!("a bound of {n} elements"));
            }
            return Some(SliceBound::Constant(n.max(0) as u64));
        }
        match &e.kind {
            ast::ExprKind::Parenthesized(inner) => self.slice_bound(inner, parameters),
            ast::ExprKind::Binary(BinaryOp::Add, a, b, _) => {
                let (a, b) = (self.slice_bound(a, parameters), self.slice_bound(b, parameters));
                Some(SliceBound::Sum(a?.into(), b?.into()))
            }
            ast::ExprKind::Binary(BinaryOp::Multiply, a, b, _) => {
                let (a, b) = (self.slice_bound(a, parameters), self.slice_bound(b, parameters));
                Some(SliceBound::Product(a?.into(), b?.into()))
            }
            _ => {
                let message = "a bound is a sum or product of integer parameters and constants";
                let error = Diagnostic::error(&codes::ARRAY_SIZE, e.span, message);
                self.diagnostics.push(error.with_help("compute other numbers before the call, and pass them as a parameter"));
                None
            }
        }
    }

    /// Is a parameter an integer for all lanes? Reports one that is none.
    fn counting_parameter(&mut self, e: &ast::Expr, ty: Type) -> bool {
        if self.is_error(ty) {
            return false;
        }
        if !self.program.types.element(ty).is_some_and(|element| element.is_integer()) {
            let message = format!("a bound counts elements, and this is `{}`", self.display(ty));
            let error = Diagnostic::error(&codes::ARRAY_SIZE, e.span, message);
            self.diagnostics.push(error.with_help("declare the parameter as an integer, `int` for example"));
            return false;
        }
        self.length(ty) == 1
    }
}
