//! Conversions: what happens by itself, what needs a cast, and what no cast can do (language.md §2, T-BROADCAST).

use super::declared::{Base, Declared, Qualifier};
use super::operand::{Operand, Untyped};
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{CompareOp, Constant, Expr, ExprKind};
use crate::types::{Element, Type, TypeKind};

/// Does `from` become `to` by itself? Widening, same width with another sign, integer to floating.
pub(super) fn is_implicit(from: Element, to: Element) -> bool {
    if from == to || from == Element::Bool {
        return true;
    }
    match (from.is_float(), to.is_float()) {
        _ if to == Element::Bool => false,
        (false, true) => true,
        (true, false) => false,
        (true, true) | (false, false) => to.size() >= from.size(),
    }
}

/// The element in which two operands meet: the larger, the floating one, the unsigned one.
pub(super) fn meet(a: Element, b: Element) -> Element {
    if a == b || b == Element::Bool {
        return a;
    }
    if a == Element::Bool {
        return b;
    }
    match (a.is_float(), b.is_float()) {
        (true, false) => a,
        (false, true) => b,
        (true, true) | (false, false) if a.size() != b.size() => {
            if a.size() > b.size() {
                a
            } else {
                b
            }
        }
        (true, true) | (false, false) => {
            if a.is_signed() {
                b
            } else {
                a
            }
        }
    }
}

impl<'a> Checker<'a> {
    pub fn converted(&mut self, e: Expr, to: Type) -> Expr {
        if e.ty == to {
            return e;
        }
        let span = e.span;
        // Conversion of a constant is a constant: what is broadcast or compared stays readable.
        Expr { kind: ExprKind::Convert(Box::new(e)), ty: to, span }
    }

    /// What is computed with instead of a value: of `float16` the same numbers as `float`.
    pub fn promoted(&mut self, e: Expr) -> Expr {
        match *self.program.types.kind(e.ty) {
            TypeKind::Vector { element, length } => {
                let to = self.program.types.vector(element.promoted(), length);
                self.converted(e, to)
            }
            TypeKind::Error | TypeKind::Void | TypeKind::Pointer { .. } | TypeKind::Array { .. } | TypeKind::Record { .. } => e,
        }
    }

    /// E-BROADCAST
    pub fn broadcast(&mut self, e: Expr, to: Type) -> Expr {
        let span = e.span;
        if e.ty == to { e } else { Expr { kind: ExprKind::Broadcast(Box::new(e)), ty: to, span } }
    }

    /// An expression of scalar or vector type at another length; from 1 only.
    pub fn at_length(&mut self, e: Expr, length: u8) -> Expr {
        let to = match *self.program.types.kind(e.ty) {
            TypeKind::Vector { element, .. } => self.program.types.vector(element, length),
            TypeKind::Pointer { pointee, .. } => self.program.types.pointer(pointee, length),
            TypeKind::Record { record, context, .. } => self.record(record, length, context),
            TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } => e.ty,
        };
        self.broadcast(e, to)
    }

    /// Implicit conversion and broadcast to `to`, or an error.
    pub fn coerce(&mut self, operand: Operand, to: Type, span: Span) -> Expr {
        if self.is_error(to) || operand.is_error() {
            let _ = self.value(operand, None);
            return self.error_expr(span);
        }
        if let (Operand::Untyped(untyped, at), TypeKind::Vector { element, length }) =
            (&operand, self.program.types.kind(to).clone())
        {
            if element == Element::Bool {
                let at = *at;
                return self.cannot(at, "a number", to, "compare it with 0");
            }
            let e = self.constant(untyped, element, *at);
            return self.with_length(e, length, to);
        }
        let value = self.value(operand, Some(to));
        if self.is_error(value.ty) || value.ty == to {
            return value;
        }
        match (self.program.types.kind(value.ty).clone(), self.program.types.kind(to).clone()) {
            (TypeKind::Vector { element: from, length }, TypeKind::Vector { element, length: wanted }) => {
                if !is_implicit(from, element) {
                    return self.needs_cast(&value, to);
                }
                let middle = self.program.types.vector(element, length);
                let e = self.converted(value, middle);
                self.with_length(e, wanted, to)
            }
            (TypeKind::Pointer { pointee: from, length }, TypeKind::Pointer { pointee, length: wanted }) => {
                let is_void = |this: &Self, ty| matches!(this.program.types.kind(ty), TypeKind::Void);
                let is_null = matches!(value.kind, ExprKind::Constant(Constant::Null));
                if from != pointee && !is_void(self, pointee) && !is_null {
                    let found = self.display(value.ty);
                    let span = value.span;
                    return self.cannot(span, &format!("`{found}`"), to, "pointers to other types need a cast");
                }
                let middle = self.program.types.pointer(pointee, length);
                let e = self.converted(value, middle);
                self.with_length(e, wanted, to)
            }
            (TypeKind::Record { record: a, length, .. }, TypeKind::Record { record: b, length: wanted, context }) if a == b => {
                // Shallow (section B.3): each member goes to all lanes.
                let whole = self.record(b, wanted, context);
                if length == 1 && whole == to {
                    return self.broadcast(value, to);
                }
                self.with_length(value, wanted, to)
            }
            (_, TypeKind::Pointer { .. }) if matches!(value.kind, ExprKind::Constant(Constant::Int(0))) => {
                let message = format!("a number where `{}` is asked for", self.display(to));
                let error = Diagnostic::error(&codes::TYPE_MISMATCH, value.span, message);
                self.diagnostics.push(error.with_fix("write `null`", vec![Edit::replace(value.span, "null")]));
                self.error_expr(value.span)
            }
            _ => {
                let found = self.display(value.ty);
                let span = value.span;
                self.cannot(span, &format!("`{found}`"), to, "")
            }
        }
    }

    /// Broadcast or error: the elements agree.
    fn with_length(&mut self, e: Expr, wanted: u8, to: Type) -> Expr {
        let length = self.length(e.ty);
        if length == wanted {
            return e;
        }
        if length == 1 {
            return self.broadcast(e, to);
        }
        let span = e.span;
        let error = if wanted == 1 {
            let message = format!("a vector of length {length} where a scalar `{}` is asked for", self.display(to));
            Diagnostic::error(&codes::VECTOR_TO_SCALAR, span, message)
        } else {
            let message = format!("a vector of length {length} where one of length {wanted} is asked for");
            Diagnostic::error(&codes::LENGTH_MISMATCH, span, message)
        };
        let error = self.with_reasons(error, &e, wanted == 1);
        self.diagnostics.push(error);
        self.error_expr(span)
    }

    fn cannot(&mut self, span: Span, found: &str, to: Type, help: &str) -> Expr {
        let message = format!("{found} where `{}` is asked for", self.display(to));
        let error = Diagnostic::error(&codes::TYPE_MISMATCH, span, message);
        self.diagnostics.push(if help.is_empty() { error } else { error.with_help(help) });
        self.error_expr(span)
    }

    fn needs_cast(&mut self, value: &Expr, to: Type) -> Expr {
        let element = self.program.types.element(to).unwrap_or(Element::Int32);
        let message = format!("`{}` does not become `{}` by itself", self.display(value.ty), self.display(to));
        let (help, mut edits) = match element {
            Element::Bool => ("compare it: `x != 0`".to_owned(), Edit::wrap("", value.span)),
            _ => {
                let cast = format!("({}) ", element.name());
                (format!("write a cast: `{cast}…`"), Edit::wrap(&cast, value.span))
            }
        };
        if element == Element::Bool {
            edits[1].text += " != 0";
        }
        self.diagnostics.push(Diagnostic::error(&codes::NEEDS_CAST, value.span, message).with_fix(help, edits));
        self.error_expr(value.span)
    }

    /// A condition: `bool` of some length; numbers and pointers are compared with 0 and null, as in C.
    pub fn condition(&mut self, e: &'a ast::Expr) -> Expr {
        if let ast::ExprKind::Assign { op: None, place, value } = &e.kind {
            let warning = Diagnostic::warning(&codes::ASSIGNED_CONDITION, e.span, "this condition assigns");
            let sign = Span { start: place.span.end, end: value.span.start, ..e.span };
            self.diagnostics.push(
                warning
                    .with_help("`==` compares; where assigning is meant, put it in brackets")
                    .with_fix("compare with `==`", vec![Edit::replace(sign, " == ")])
                    .with_fix("put it in brackets", vec![Edit::before(e.span, "("), Edit::behind(e.span, ")")]),
            );
        }
        let operand = self.expression(e, None);
        self.truth(operand)
    }

    pub fn truth(&mut self, operand: Operand) -> Expr {
        if let Operand::Untyped(untyped, span) = &operand {
            let truth = match untyped {
                Untyped::Int(n) => *n != 0,
                Untyped::Float(x, _) => *x != 0.0,
                Untyped::Null => false,
                Untyped::Lanes(_) => {
                    let value = self.value(operand, None);
                    return self.truth(Operand::Value(value));
                }
            };
            let ty = self.scalar(Element::Bool);
            return Expr { kind: ExprKind::Constant(Constant::Bool(truth)), ty, span: *span };
        }
        let value = self.value(operand, None);
        let value = self.promoted(value);
        let span = value.span;
        match self.program.types.kind(value.ty).clone() {
            TypeKind::Error => value,
            TypeKind::Vector { element: Element::Bool, .. } => value,
            TypeKind::Vector { element, length } => {
                let zero = self.constant(&Untyped::Int(0), element, span);
                let zero = self.at_length(zero, length);
                let ty = self.program.types.vector(Element::Bool, length);
                Expr { kind: ExprKind::Compare(CompareOp::NotEqual, Box::new(value), Box::new(zero)), ty, span }
            }
            TypeKind::Pointer { pointee, length } => {
                let ty = self.program.types.pointer(pointee, 1);
                let null = Expr { kind: ExprKind::Constant(Constant::Null), ty, span };
                let null = self.at_length(null, length);
                let ty = self.program.types.vector(Element::Bool, length);
                Expr { kind: ExprKind::Compare(CompareOp::NotEqual, Box::new(value), Box::new(null)), ty, span }
            }
            TypeKind::Void | TypeKind::Array { .. } | TypeKind::Record { .. } => {
                let found = self.display(value.ty);
                self.error(&codes::TYPE_MISMATCH, span, format!("`{found}` is no condition"));
                self.error_expr(span)
            }
        }
    }

    /// `(type) e`
    pub fn cast(&mut self, ty: &'a ast::Type, e: &'a ast::Expr, span: Span) -> Operand {
        let declared = self.resolve(ty);
        let operand = self.expression(e, None);
        if operand.is_error() {
            return Operand::Error(span);
        }
        match &declared.base {
            Base::Element(element) => self.cast_element(&declared, *element, operand, ty.span, span),
            Base::Pointer(_) => {
                let value = self.value(operand, None);
                let from = value.ty;
                let length = self.length(from);
                let to = match declared.qualifier {
                    Qualifier::Unbound => {
                        let bound = Declared { qualifier: Qualifier::Of(length), ..declared.clone() };
                        self.vec(&bound, 1, 1, ty.span)
                    }
                    Qualifier::Block | Qualifier::Of(_) => self.vectorize(&declared, 1, ty.span),
                };
                let convertible = match self.program.types.kind(from) {
                    TypeKind::Pointer { .. } => true,
                    TypeKind::Vector { element, .. } => element.is_integer() && element.size() == 8,
                    TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } | TypeKind::Record { .. } => false,
                };
                let cast = self.finish_cast(value, to, convertible, span);
                if self.protects(&declared) { cast } else { self.without_const(cast) }
            }
            Base::Error => Operand::Error(span),
            Base::Void => {
                let value = self.value(operand, None);
                let ty = self.program.types.void();
                Operand::Value(Expr { ty, ..value })
            }
            Base::Record(_) | Base::Reference(_) | Base::Array(..) => {
                self.error(&codes::TYPE_MISMATCH, ty.span, "a cast gives a number, a `bool` or a pointer");
                Operand::Error(span)
            }
        }
    }

    /// `float(e)`, the cast of definitions of tensors.
    pub fn conversion(&mut self, name: &'a ast::Name, element: Element, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let [argument] = arguments else {
            let message = format!("`{}` converts one number, not {}", name.text, arguments.len());
            self.error(&codes::ARGUMENT_COUNT, span, message);
            return Operand::Error(span);
        };
        match self.expression(argument, None) {
            operand if operand.is_error() => Operand::Error(span),
            operand => {
                let declared = Declared::new(Base::Element(element), Qualifier::Unbound);
                self.cast_element(&declared, element, operand, name.span, span)
            }
        }
    }

    fn cast_element(&mut self, declared: &Declared, element: Element, operand: Operand, ty_span: Span, span: Span) -> Operand {
        let value = match operand {
            // Literals wrap and round at once, without passing through their default type.
            Operand::Untyped(Untyped::Int(n), at) if element.is_integer() => {
                let n = number_of(n, element);
                self.constant(&Untyped::Int(n), element, at)
            }
            Operand::Untyped(untyped @ (Untyped::Int(_) | Untyped::Float(..)), at) if element.is_float() => {
                self.constant(&untyped, element, at)
            }
            Operand::Untyped(Untyped::Float(x, y), at) => self.constant(&Untyped::Float(x, y), Element::Double, at),
            Operand::Untyped(Untyped::Int(n), at) if !super::constants::fits(n, Element::Int32) => {
                self.constant(&Untyped::Int(n), Element::Int64, at)
            }
            other => self.value(other, None),
        };
        let from = value.ty;
        let length = self.length(from);
        let to_length = match declared.qualifier {
            Qualifier::Unbound => length,
            Qualifier::Block | Qualifier::Of(_) => {
                let ty = self.vectorize(declared, 1, ty_span);
                self.length(ty)
            }
        };
        let convertible = match self.program.types.kind(from) {
            TypeKind::Vector { .. } => true,
            TypeKind::Pointer { .. } => element.is_integer() && element.size() == 8 || element == Element::Bool,
            TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } | TypeKind::Record { .. } => false,
        };
        if convertible && element == Element::Bool {
            let truth = self.truth(Operand::Value(value));
            let to = self.program.types.vector(element, to_length);
            return self.finish_cast(truth, to, true, span);
        }
        let to = self.program.types.vector(element, to_length);
        self.finish_cast(value, to, convertible, span)
    }

    fn finish_cast(&mut self, value: Expr, to: Type, convertible: bool, span: Span) -> Operand {
        if self.is_error(value.ty) || self.is_error(to) {
            return Operand::Error(span);
        }
        if !convertible {
            let message = format!("`{}` cannot be cast to `{}`", self.display(value.ty), self.display(to));
            self.error(&codes::TYPE_MISMATCH, span, message);
            return Operand::Error(span);
        }
        let (from_length, length) = (self.length(value.ty), self.length(to));
        if from_length != length && from_length != 1 {
            let code = if length == 1 { &codes::VECTOR_TO_SCALAR } else { &codes::LENGTH_MISMATCH };
            self.error(code, span, format!("a cast of a vector of length {from_length} to length {length}"));
            return Operand::Error(span);
        }
        let middle = match *self.program.types.kind(to) {
            TypeKind::Vector { element, .. } => self.program.types.vector(element, from_length),
            TypeKind::Pointer { pointee, .. } => self.program.types.pointer(pointee, from_length),
            TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } | TypeKind::Record { .. } => to,
        };
        if value.ty == middle {
            self.body.casts.insert(span);
        }
        let e = self.converted(value, middle);
        let e = self.broadcast(e, to);
        Operand::Value(Expr { span, ..e })
    }
}

/// The number that an integer becomes in an element by wrapping.
fn number_of(n: i128, element: Element) -> i128 {
    super::constants::number(super::constants::truncated(n, element), element)
}
