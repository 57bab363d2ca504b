//! Assignments: `=`, `op=`, `++` and `--`.

use super::collisions::in_one_step;
use super::infer::{Leaf, Value, Why};
use super::operand::Operand;
use super::operators::arithmetic;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{BinaryOp, Expr, ExprKind, Place, PlaceKind};
use crate::types::{Element, Type, TypeKind};

impl<'a> Checker<'a> {
    /// T-ASSIGN, T-BROADCAST
    pub fn assign(&mut self, place: &'a ast::Expr, value: &'a ast::Expr, span: Span) -> Operand {
        let to = match self.written(place) {
            Operand::Element(element) => return self.assign_element(*element, value, span),
            operand => self.writable_operand(operand, place),
        };
        let Some(to) = to else {
            if !matches!(value.kind, ast::ExprKind::Aggregate(_)) {
                let _ = self.expression(value, None);
            }
            return Operand::Error(span);
        };
        let value_expr = match &value.kind {
            ast::ExprKind::Aggregate(parts) => {
                let length = self.aggregate_length(parts);
                let parts = Value { length, is_callers: self.is_aggregate_callers(parts), ..Value::default() };
                if !self.assigns(&to, &parts, Why::Assigned(Leaf::default()), span) {
                    return Operand::Error(span);
                }
                self.initializer(value, to.ty)
            }
            _ => {
                let operand = self.expression(value, Some(to.ty));
                let assigned = self.assigned_value(&operand);
                self.adopt_pointee(&to, &operand);
                if !self.assigns(&to, &assigned, Why::Assigned(assigned.leaf.clone()), span) {
                    return Operand::Error(span);
                }
                let mark = self.diagnostics.len();
                let value = self.coerce(operand, to.ty, value.span);
                self.show_declaration(&to, mark);
                value
            }
        };
        if self.is_error(value_expr.ty) {
            return Operand::Error(span);
        }
        self.keep_const_at(&value_expr, &to, value.span);
        self.warn_shared(&to, None, span);
        let ty = to.ty;
        Operand::Value(Expr { kind: ExprKind::Assign { place: to, value: Box::new(value_expr) }, ty, span })
    }

    /// `place op= value`
    pub fn compound(&mut self, op: ast::BinaryOp, place: &'a ast::Expr, value: &'a ast::Expr, span: Span) -> Operand {
        let to = self.writable(place);
        let operand = self.expression(value, to.as_ref().map(|p| p.ty));
        let written_op = op;
        let (Some(to), Some(op)) = (to, arithmetic(op)) else { return Operand::Error(span) };
        if operand.is_error() {
            return Operand::Error(span);
        }
        let mut assigned = self.assigned_value(&operand);
        // `x op= v` assigns x op v.
        assigned.is_cross_lane |= self.is_place_cross_lane(&to);
        if !self.assigns(&to, &assigned, Why::Assigned(assigned.leaf.clone()), span) {
            return Operand::Error(span);
        }
        let length = self.length(to.ty);
        let shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        if self.program.types.pointee(to.ty).is_some() {
            let index = self.value(operand, None);
            let is_offset = matches!(op, BinaryOp::Add | BinaryOp::Subtract);
            let is_integer = self.program.types.element(index.ty).is_some_and(Element::is_integer);
            if !is_offset || !is_integer {
                if !self.is_error(index.ty) {
                    self.error(&codes::TYPE_MISMATCH, span, "a pointer moves by `+=` and `-=` an integer");
                }
                return Operand::Error(span);
            }
            let int64 = self.program.types.vector(Element::Int64, length);
            let own = self.length(index.ty);
            let wide = self.program.types.vector(Element::Int64, own);
            let index = self.converted(index, wide);
            let index = self.coerce(Operand::Value(index), int64, value.span);
            return self.compound_of(to.clone(), op, index, to.ty, false, span);
        }
        let Some(element) = self.program.types.element(to.ty) else {
            let message = format!("`{}` has no arithmetic", self.display(to.ty));
            self.error(&codes::TYPE_MISMATCH, place.span, message);
            return Operand::Error(span);
        };
        let value_expr = match operand {
            Operand::Untyped(untyped, at) if !untyped.is_float() || element.is_float() => {
                if element == Element::Bool {
                    self.error(&codes::TYPE_MISMATCH, at, "a number where a `bool` is asked for");
                    return Operand::Error(span);
                }
                self.constant(&untyped, element, at)
            }
            other => self.value(other, Some(to.ty)),
        };
        if self.is_error(value_expr.ty) {
            return Operand::Error(span);
        }
        let Some(other) = self.program.types.element(value_expr.ty) else {
            let message = format!("`{}` where a number is asked for", self.display(value_expr.ty));
            self.error(&codes::TYPE_MISMATCH, value.span, message);
            return Operand::Error(span);
        };
        let bitwise = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        let met = if shift { element } else { super::conversions::meet(element, other) };
        let fits = match (element, other) {
            (Element::Bool, Element::Bool) => bitwise,
            (Element::Bool, _) => false,
            _ => !(met.is_float() && (bitwise || shift)) && !(shift && other.is_float()),
        };
        if !fits {
            let message = format!("`{}` and `{}` do not go with this operator", self.display(to.ty), self.display(value_expr.ty));
            self.error(&codes::TYPE_MISMATCH, span, message);
            return Operand::Error(span);
        }
        if met != element && !super::conversions::is_implicit(met, element) {
            let message = format!("the result, `{}`, does not become `{}` by itself", met.name(), element.name());
            let (name, text) = (element.name(), crate::syntax::print::expression(place));
            let written = |operand: &str| format!("{text} = ({name}) ({text} {} {operand})", written_op.symbol());
            let help = format!("write the assignment out with a cast: `{}`", written("…"));
            let operand = format!("({})", crate::syntax::print::expression(value));
            let edit = Edit::replace(span, format!("({})", written(&operand)));
            self.diagnostics.push(Diagnostic::error(&codes::NEEDS_CAST, span, message).with_fix(help, vec![edit]));
            return Operand::Error(span);
        }
        // Of `float16` alone it is computed as `float`, and rounded once where it is assigned.
        let met = met.promoted();
        let own = self.length(value_expr.ty);
        let middle = self.program.types.vector(met, own);
        let value_expr = self.converted(value_expr, middle);
        let compute_as = self.program.types.vector(met, length);
        let mark = self.diagnostics.len();
        let value_expr = self.coerce(Operand::Value(value_expr), compute_as, value.span);
        self.show_declaration(&to, mark);
        self.compound_of(to, op, value_expr, compute_as, false, span)
    }

    fn compound_of(&mut self, place: Place, op: BinaryOp, value: Expr, compute_as: Type, old_value: bool, span: Span) -> Operand {
        if self.is_error(value.ty) {
            return Operand::Error(span);
        }
        let atomic = in_one_step(&place, op, &value, span);
        self.warn_shared(&place, atomic.clone(), span);
        if place.addresses > 1 && self.may_collide(&place) {
            let warning =
                Diagnostic::warning(&codes::CONFLICTING_LANES, span, "lanes may change the same element one after another");
            let warning =
                warning.with_note("each lane reads, computes and writes in turn, and `foreach_unique` visits each element once");
            self.diagnostics.push(match atomic {
                Some(edits) => warning.with_fix("an atomic operation does it for each lane", edits),
                None => warning,
            });
        }
        let ty = place.ty;
        Operand::Value(Expr { kind: ExprKind::Compound { place, op, value: Box::new(value), compute_as, old_value }, ty, span })
    }

    /// `++e`, `e--`
    pub fn increment(&mut self, delta: i8, prefix: bool, place: &'a ast::Expr, span: Span) -> Operand {
        let Some(to) = self.writable(place) else { return Operand::Error(span) };
        let one = Value { length: 1, is_cross_lane: self.is_place_cross_lane(&to), ..Value::default() };
        if !self.assigns(&to, &one, Why::Assigned(Leaf::default()), span) {
            return Operand::Error(span);
        }
        let op = if delta > 0 { BinaryOp::Add } else { BinaryOp::Subtract };
        let element = match *self.program.types.kind(to.ty) {
            TypeKind::Vector { element, .. } if element != Element::Bool => element,
            TypeKind::Pointer { .. } => Element::Int64,
            _ => {
                let message = format!("`{}` is not counted", self.display(to.ty));
                self.error(&codes::TYPE_MISMATCH, place.span, message);
                return Operand::Error(span);
            }
        };
        let one = self.int_constant(1, element.promoted(), span);
        let length = self.length(to.ty);
        let one = self.at_length(one, length);
        let compute_as = match self.program.types.element(to.ty) {
            Some(element) => self.program.types.vector(element.promoted(), length),
            None => to.ty,
        };
        self.compound_of(to, op, one, compute_as, !prefix, span)
    }

    /// Errors about what is assigned show the declaration that fixed the length of the place.
    fn show_declaration(&mut self, place: &Place, mark: usize) {
        let Some((name, span)) = self.declaration_of(place) else { return };
        for diagnostic in self.diagnostics.after_mut(mark) {
            if diagnostic.code == &codes::VECTOR_TO_SCALAR || diagnostic.code == &codes::LENGTH_MISMATCH {
                let text = format!("`{name}` is declared here, with the length {}", self.program.types.length(place.ty));
                diagnostic.labels.push((span, text));
            }
        }
    }

    fn declaration_of(&self, place: &Place) -> Option<(String, Span)> {
        match &place.kind {
            PlaceKind::Local(local) => {
                let local = &self.body.locals[local.0 as usize];
                Some((local.name.clone(), local.span))
            }
            PlaceKind::Global(global) => {
                let global = &self.program.globals[global.0 as usize];
                Some((global.name.clone(), global.span))
            }
            PlaceKind::Member(of, _) | PlaceKind::Element(of, _) => self.declaration_of(of),
            PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => None,
        }
    }
}
