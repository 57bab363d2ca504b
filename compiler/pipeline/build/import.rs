//! Checked expressions become expressions of pipelines; what these do not have is refused.

use super::super::expr::{Callee, Expr, ExprKind};
use super::Builder;
use crate::diagnostics::codes;
use crate::syntax::ast;
use crate::typed::ir::{self, PlaceKind};
use crate::types::Element;
use std::rc::Rc;

impl<'a> Builder<'_, 'a> {
    /// A value of its own type; literals take that of `want`.
    pub fn value(&mut self, e: &'a ast::Expr, want: Option<Element>) -> Option<Expr> {
        self.checked(e, |scope| scope.value(e, want))
    }

    /// A value converted to an element type.
    pub fn converted(&mut self, e: &'a ast::Expr, element: Element) -> Option<Expr> {
        self.checked(e, |scope| scope.converted(e, element))
    }

    /// A predicate.
    pub fn condition(&mut self, e: &'a ast::Expr) -> Option<Expr> {
        self.checked(e, |scope| scope.condition(e))
    }

    fn checked(
        &mut self,
        e: &'a ast::Expr,
        check: impl FnOnce(&mut crate::check::ScalarExpressions<'a>) -> Option<ir::Expr>,
    ) -> Option<Expr> {
        self.prepare(e)?;
        match check(self.scope) {
            Some(made) => self.import(&made),
            None => self.fail(),
        }
    }

    /// The expression, or `None` with an error.
    pub fn import(&mut self, e: &ir::Expr) -> Option<Expr> {
        let element = self.scope.program().types.element(e.ty);
        let Some(element) = element.filter(|_| self.scope.program().types.length(e.ty) == 1) else {
            return self.error(&codes::PIPELINE_TYPE, e.span, "the values of pipelines are scalar numbers");
        };
        let kind = match &e.kind {
            ir::ExprKind::Constant(constant) => ExprKind::Constant(*constant),
            ir::ExprKind::Load(place) => match &place.kind {
                // `let s = 8;` is 8 wherever it is read: bounds and divisions are simpler by constants.
                PlaceKind::Local(local) => {
                    let variable = self.locals[local];
                    if let Some(value) = self.sizes.get(&variable) {
                        return Some(value.clone());
                    }
                    let value = self.made.lets.iter().find(|(name, _)| *name == variable).map(|(_, value)| value.kind());
                    let constant = value.filter(|value| matches!(value, ExprKind::Constant(_)));
                    constant.cloned().unwrap_or(ExprKind::Variable(variable))
                }
                PlaceKind::Global(_)
                | PlaceKind::Dereference(_)
                | PlaceKind::Member(..)
                | PlaceKind::Element(..)
                | PlaceKind::Temporary(_) => {
                    // A number of a table is that.
                    if let Some(constant) = self.scope.known(e) {
                        return Some(Expr::new(ExprKind::Constant(constant), element, e.span));
                    }
                    let message = "a pipeline reads its parameters, images and funcs, and no memory of the program";
                    return self.error(&codes::IMPURE_FUNCTION, e.span, message);
                }
            },
            ir::ExprKind::Unary(op, a) => ExprKind::Unary(*op, self.import(a)?),
            ir::ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, self.import(a)?, self.import(b)?),
            ir::ExprKind::Compare(op, a, b) => ExprKind::Compare(*op, self.import(a)?, self.import(b)?),
            ir::ExprKind::And(a, b) => ExprKind::And(self.import(a)?, self.import(b)?),
            ir::ExprKind::Or(a, b) => ExprKind::Or(self.import(a)?, self.import(b)?),
            ir::ExprKind::Conditional(a, b, c) => ExprKind::Conditional(self.import(a)?, self.import(b)?, self.import(c)?),
            ir::ExprKind::Blend(a, _) => return self.import(a),
            ir::ExprKind::CurrentMask => ExprKind::Constant(ir::Constant::Bool(true)),
            ir::ExprKind::LaneIndex => ExprKind::Constant(ir::Constant::Int(0)),
            ir::ExprKind::Convert(a) => ExprKind::Convert(self.import(a)?),
            ir::ExprKind::Broadcast(a) => return self.import(a),
            ir::ExprKind::Call { function, arguments } => {
                let arguments = arguments.iter().map(|a| self.import(a)).collect::<Option<Vec<_>>>()?;
                if let Some((_, known)) = self.within.iter().find(|(stand_in, _)| stand_in == function) {
                    let [made, low, high]: [Expr; 3] = arguments.try_into().expect("three operands");
                    return Some(Expr::new(ExprKind::Within(made, low, high, known.clone()), element, e.span));
                }
                match self.sources.get(function) {
                    Some(&source) => ExprKind::Read(source, arguments),
                    None => {
                        let is_partial = self.pure_function(*function, e.span)?;
                        let called = &self.scope.program().functions[function.0 as usize];
                        let (name, is_library): (Rc<str>, bool) = (called.name.as_str().into(), called.is_library);
                        if let Some(product) = self.power(&name, &arguments).filter(|_| is_library) {
                            return Some(product);
                        }
                        let is_lane_wise = self.is_lane_wise(*function);
                        ExprKind::Call(Callee { name, function: *function, is_library, is_partial, is_lane_wise }, arguments)
                    }
                }
            }
            ir::ExprKind::Builtin(ir::Builtin::Lane(op), operands) => {
                let operands = operands.iter().map(|a| self.import(a)).collect::<Option<Vec<_>>>()?;
                ExprKind::Builtin(*op, operands)
            }
            ir::ExprKind::Builtin(..) | ir::ExprKind::Lanes(_) | ir::ExprKind::SetLane { .. } => return self.is_impure(e),
            ir::ExprKind::Assign { .. } | ir::ExprKind::Compound { .. } | ir::ExprKind::Within(..) => return self.is_impure(e),
            ir::ExprKind::Aggregate(_) | ir::ExprKind::Member(..) | ir::ExprKind::AddressOf(_) => return self.is_impure(e),
            ir::ExprKind::PointerOffset(..) | ir::ExprKind::PointerDifference(..) => return self.is_impure(e),
            ir::ExprKind::New(..) | ir::ExprKind::Print(..) | ir::ExprKind::Assert(..) => return self.is_impure(e),
        };
        Some(Expr::new(kind, element, e.span))
    }

    fn is_impure<T>(&mut self, e: &ir::Expr) -> Option<T> {
        let message = "the expressions of pipelines are pure and know no lanes, pointers and records";
        self.error(&codes::IMPURE_FUNCTION, e.span, message)
    }
}
