//! What `const` protects: nothing is written through what leads to something `const` — a pointer, a view —, and where that comes to
//! what could be written, the user is told.
//!
//! Types of expressions do not say `const`; declarations do. So a value is followed to the declarations that it comes from:
//!
//! ```text
//! const float a[n];  float *p = a + 1;      warning: `p` could write what `a` points to        a is declared const, p is not
//! ```

use super::declared::{Base, Declared};
use super::operand::Operand;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Expr, ExprKind, FunctionId, Place, PlaceKind};
use crate::types::{Type, TypeKind};

impl<'a> Checker<'a> {
    /// Is it declared to lead to something that is only read: a pointer or reference to `const`, a view that is `const`?
    pub fn protects(&self, declared: &Declared) -> bool {
        declared.pointee_is_const() || declared.is_const && matches!(declared.base, Base::Record(_))
    }

    /// The name of what forbids writing to the place.
    pub fn read_only(&self, place: &Place) -> Option<String> {
        match &place.kind {
            PlaceKind::Local(local) => {
                let (local, info) = (&self.body.locals[local.0 as usize], &self.body.infos[local.0 as usize]);
                // Of a view the pixels are `const`, which it leads to.
                let is_const = info.is_const && !self.is_view(local.ty);
                is_const.then(|| format!("`{}`", local.name))
            }
            PlaceKind::Global(global) => {
                let is_const = self.items.globals.get(global.0 as usize).is_some_and(|(_, v)| v.ty.is_const);
                is_const.then(|| format!("`{}`", self.program.globals[global.0 as usize].name))
            }
            PlaceKind::Member(of, _) | PlaceKind::Element(of, _) => self.read_only(of),
            PlaceKind::Temporary(_) => Some("a temporary value".into()),
            PlaceKind::Dereference(pointer) if self.is_cast(pointer) => None,
            PlaceKind::Dereference(pointer) => self.leads_to_const(pointer),
        }
    }

    /// Was the type of a pointer named? That of the numbers in an `hsoa` was not.
    fn is_cast(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Convert(from) => !matches!(&from.kind,
                ExprKind::Load(Place { kind: PlaceKind::Member(of, _), .. }) if self.is_hsoa(of.object)),
            ExprKind::PointerOffset(base, _) | ExprKind::Broadcast(base) => self.is_cast(base),
            _ => false,
        }
    }

    /// What a value leads to, if that is `const`.
    pub fn leads_to_const(&self, e: &Expr) -> Option<String> {
        let is_reference = |e: &&Expr| self.leads_somewhere(e.ty);
        match &e.kind {
            ExprKind::PointerOffset(base, _) | ExprKind::Broadcast(base) | ExprKind::Convert(base) => self.leads_to_const(base),
            ExprKind::Conditional(_, a, b) | ExprKind::Blend(a, b) => self.leads_to_const(a).or_else(|| self.leads_to_const(b)),
            ExprKind::Lanes(list) | ExprKind::Builtin(_, list) => {
                list.iter().filter(is_reference).find_map(|e| self.leads_to_const(e))
            }
            ExprKind::Aggregate(list) if matches!(self.program.types.kind(e.ty), TypeKind::Array { .. }) => {
                list.iter().find_map(|e| self.leads_to_const(e))
            }
            ExprKind::Load(place) | ExprKind::Compound { place, .. } => self.holds_const(place),
            ExprKind::Assign { value, .. } => self.leads_to_const(value),
            ExprKind::AddressOf(place) => self.read_only(place),
            ExprKind::Call { function, .. } => self.result_of(*function),
            ExprKind::Member(of, index) => self.member_of(of.ty, *index),
            _ => None,
        }
    }

    /// What a pointer or view in this place leads to, if that is `const`.
    pub fn holds_const(&self, place: &Place) -> Option<String> {
        match &place.kind {
            PlaceKind::Local(local) => {
                let name = &self.body.locals[local.0 as usize].name;
                let word = if self.is_view(place.object) { "shows" } else { "points to" };
                self.body.infos[local.0 as usize].pointee_const.then(|| format!("what `{name}` {word}"))
            }
            PlaceKind::Global(global) => {
                let (_, variable) = self.items.globals.get(global.0 as usize)?;
                let name = &self.program.globals[global.0 as usize].name;
                points_to_const(&variable.ty).then(|| format!("what `{name}` points to"))
            }
            PlaceKind::Member(of, _) if self.is_view(of.object) => self.holds_const(of),
            PlaceKind::Member(of, index) => self.member_of(of.object, *index),
            PlaceKind::Element(of, _) => self.holds_const(of),
            PlaceKind::Dereference(pointer) => self.leads_to_const(pointer),
            PlaceKind::Temporary(e) => self.leads_to_const(e),
        }
    }

    /// What a member of a record leads to, if it is declared to lead to something `const`.
    fn member_of(&self, ty: Type, index: usize) -> Option<String> {
        let TypeKind::Record { record, .. } = *self.program.types.kind(ty) else { return None };
        let (name, declared) = self.items.records.get(record.0 as usize)?.resolved.get(index)?;
        self.protects(declared).then(|| format!("what `{name}` points to"))
    }

    /// Is a member of a record declared to lead to something `const`?
    pub fn member_is_protected(&self, ty: Type, index: usize) -> bool {
        self.member_of(ty, index).is_some()
    }

    /// What a function returns, if it is declared to lead to something `const`.
    fn result_of(&self, id: FunctionId) -> Option<String> {
        let called = &self.program.functions[id.0 as usize];
        let item = self.items.functions.iter().find(|item| item.function.name.span == called.span)?;
        points_to_const(&item.function.result).then(|| format!("what `{}` returns a pointer to", called.name))
    }

    /// Is it a pointer, a view, or an array of such?
    fn leads_somewhere(&self, ty: Type) -> bool {
        match *self.program.types.kind(ty) {
            TypeKind::Array { element, .. } => self.leads_somewhere(element),
            _ => self.program.types.pointee(ty).is_some() || self.is_view(ty),
        }
    }

    /// Warns of a value that leads to something `const` and comes to where it could be written, unless a cast says that it is meant; `to` says
    /// where that is.
    pub fn keep_const(&mut self, value: &Expr, is_protected: bool, to: &str, span: Span) {
        if is_protected || !self.leads_somewhere(value.ty) {
            return;
        }
        if let Some(what) = self.leads_to_const(value) {
            self.lose_const(&what, to, self.is_cast(value), span);
        }
    }

    /// The same for what is assigned to a place.
    pub fn keep_const_at(&mut self, value: &Expr, place: &Place, span: Span) {
        let is_protected = self.holds_const(place).is_some();
        self.keep_const(value, is_protected, "what it is assigned to", span);
    }

    /// A pointer whose type was named: what it leads to may be written, whatever it was.
    pub fn without_const(&mut self, pointer: Operand) -> Operand {
        match pointer {
            Operand::Value(e) if self.leads_to_const(&e).is_some() => {
                self.program.loses_const = true;
                let (ty, span) = (e.ty, e.span);
                Operand::Value(if self.is_cast(&e) { e } else { Expr { kind: ExprKind::Convert(Box::new(e)), ty, span } })
            }
            other => other,
        }
    }

    /// What is `const` comes to where it could be written.
    pub fn lose_const(&mut self, what: &str, to: &str, is_meant: bool, span: Span) {
        self.program.loses_const = true;
        if !is_meant {
            let warning = Diagnostic::warning(&codes::LOST_CONST, span, format!("{to} could write {what}, which is `const`"));
            self.diagnostics.push(warning.with_help("declare `const` what only reads it"));
        }
    }
}

/// Is it written as a pointer or reference to something `const`?
fn points_to_const(ty: &ast::Type) -> bool {
    match &ty.kind {
        ast::TypeKind::Pointer(inner) | ast::TypeKind::Reference(inner) => inner.is_const || points_to_const(inner),
        _ => false,
    }
}
