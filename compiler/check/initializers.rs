//! Initializers: `{ … }` for records and arrays, and the constants that fill globals.

use super::declared::{Base, Declared, Qualifier};
use super::state::Checker;
use crate::diagnostics::codes;
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Constant, Expr, ExprKind, Initializer};
use crate::types::{Type, TypeKind};

/// How many elements an array with an initializer may have.
const MAX_INITIALIZED: u64 = 1 << 20;

impl<'a> Checker<'a> {
    /// An initializer as a value of type `to`.
    pub fn initializer(&mut self, e: &'a ast::Expr, to: Type) -> Expr {
        if super::computed::is_table(e) {
            return self.table(e, to);
        }
        let ast::ExprKind::Aggregate(parts) = &e.kind else {
            let operand = self.expression(e, Some(to));
            return self.coerce(operand, to, e.span);
        };
        let components = match *self.program.types.kind(to) {
            TypeKind::Record { .. } => self.program.types.members(to).iter().map(|m| m.ty).collect(),
            TypeKind::Array { element, count } => {
                if count > MAX_INITIALIZED {
                    let message = format!("an array of more than {MAX_INITIALIZED} elements has no initializer");
                    self.error(&codes::TYPE_TOO_LARGE, e.span, message);
                    return self.error_expr(e.span);
                }
                vec![element; count as usize]
            }
            TypeKind::Vector { .. } | TypeKind::Pointer { .. } if parts.len() == 1 => return self.initializer(&parts[0], to),
            TypeKind::Error => return self.error_expr(e.span),
            TypeKind::Vector { .. } | TypeKind::Pointer { .. } | TypeKind::Void => {
                self.error(&codes::TYPE_MISMATCH, e.span, format!("`{{ … }}` where `{}` is asked for", self.display(to)));
                return self.error_expr(e.span);
            }
        };
        if parts.len() > components.len() {
            let message = format!("{} values for the {} components of `{}`", parts.len(), components.len(), self.display(to));
            self.error(&codes::TYPE_MISMATCH, e.span, message);
            return self.error_expr(e.span);
        }
        let mut values: Vec<Expr> = Vec::with_capacity(components.len());
        for (index, (part, &ty)) in parts.iter().zip(&components).enumerate() {
            let value = self.initializer(part, ty);
            // Of an array, the declaration of the variable says what is protected: its elements are followed there.
            if matches!(self.program.types.kind(to), TypeKind::Record { .. }) && !matches!(value.kind, ExprKind::Aggregate(_)) {
                let is_protected = self.member_is_protected(to, index);
                self.keep_const(&value, is_protected, "a member", part.span);
            }
            values.push(value);
        }
        for &ty in &components[parts.len()..] {
            values.push(self.zero(ty, e.span));
        }
        if values.iter().any(|v| self.is_error(v.ty)) {
            return self.error_expr(e.span);
        }
        Expr { kind: ExprKind::Aggregate(values), ty: to, span: e.span }
    }

    /// What an initializer leaves out is zero, as in C.
    fn zero(&mut self, ty: Type, span: Span) -> Expr {
        match *self.program.types.kind(ty) {
            TypeKind::Vector { element, length } => {
                let constant = if element == crate::types::Element::Bool {
                    Constant::Bool(false)
                } else if element.is_float() {
                    Constant::Float(0.0)
                } else {
                    Constant::Int(0)
                };
                let e = Expr { kind: ExprKind::Constant(constant), ty: self.scalar(element), span };
                self.at_length(e, length)
            }
            TypeKind::Pointer { pointee, length } => {
                let ty = self.program.types.pointer(pointee, 1);
                let e = Expr { kind: ExprKind::Constant(Constant::Null), ty, span };
                self.at_length(e, length)
            }
            TypeKind::Record { .. } => {
                let members: Vec<Type> = self.program.types.members(ty).iter().map(|m| m.ty).collect();
                let parts = members.into_iter().map(|m| self.zero(m, span)).collect();
                Expr { kind: ExprKind::Aggregate(parts), ty, span }
            }
            TypeKind::Array { element, count } => {
                let one = self.zero(element, span);
                Expr { kind: ExprKind::Aggregate(vec![one; count.min(MAX_INITIALIZED) as usize]), ty, span }
            }
            TypeKind::Error | TypeKind::Void => self.error_expr(span),
        }
    }

    /// The length that an unbound declaration takes from `{ … }`: the greatest of its parts.
    pub fn aggregate_length(&mut self, parts: &'a [ast::Expr]) -> u8 {
        let mut length = 1;
        for part in parts {
            let own = match &part.kind {
                ast::ExprKind::Aggregate(inner) => self.aggregate_length(inner),
                _ => self.silently(|this| {
                    let operand = this.expression(part, None);
                    let ty = this.operand_type(&operand);
                    this.length(ty)
                }),
            };
            length = length.max(own);
        }
        length
    }

    /// Runs a rule for what it finds out, without its diagnostics.
    pub fn silently<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.diagnostics.len();
        let result = rule(self);
        self.diagnostics.truncate(mark);
        result
    }

    /// T-INIT, T-DECL: the type of a declared variable.
    pub fn declared_type(&mut self, declared: &Declared, initializer: Option<&Expr>, span: Span) -> Type {
        match initializer {
            Some(e) if self.is_error(e.ty) => {
                // The declared type is known all the same: what uses the variable is checked.
                match declared.base {
                    Base::Element(_) | Base::Record(_) if declared.qualifier != Qualifier::Unbound => {
                        self.vectorize(declared, 1, span)
                    }
                    _ => self.program.types.error(),
                }
            }
            Some(e) => self.adopt(declared, e.ty, span),
            None => self.vectorize(declared, self.body.context, span),
        }
    }

    /// The constant that fills a global.
    pub fn constant_initializer(&mut self, e: &'a ast::Expr, to: Type) -> Initializer {
        let value = self.initializer(e, to);
        if self.is_error(value.ty) {
            return Initializer::Zero;
        }
        let mark = self.diagnostics.len();
        let Some(made) = self.fold_initializer(&value) else {
            if self.diagnostics.len() == mark {
                self.error(&codes::NOT_CONSTANT, e.span, "a global is initialized by a constant expression");
            }
            return Initializer::Zero;
        };
        made
    }

    fn fold_initializer(&mut self, e: &Expr) -> Option<Initializer> {
        match &e.kind {
            ExprKind::Lanes(list) | ExprKind::Aggregate(list) => {
                Some(Initializer::List(list.iter().map(|e| self.fold_initializer(e)).collect::<Option<_>>()?))
            }
            ExprKind::Broadcast(inner) => match self.program.types.kind(e.ty) {
                TypeKind::Vector { .. } | TypeKind::Pointer { .. } => self.fold_initializer(inner),
                TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } | TypeKind::Record { .. } => None,
            },
            _ => match self.evaluate(e) {
                Some(constant) => Some(Initializer::Constant(constant)),
                None => self.computed_value(e, "a global is initialized by a constant expression"),
            },
        }
    }
}
