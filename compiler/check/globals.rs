//! Global variables: declared in context 1, filled by constants.

use super::declared::{Base, Qualifier};
use super::items::Binding;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Severity, codes};
use crate::syntax::ast;
use crate::typed::ir::{Global, GlobalId, Initializer};
use crate::types::TypeKind;

impl<'a> Checker<'a> {
    /// Makes room for all globals. Each is checked when it is asked for, so that one may use constants behind it.
    pub(super) fn announce_globals(&mut self) {
        for i in 0..self.items.globals.len() {
            let (declaration, variable) = self.items.globals[i];
            if declaration.scratch {
                self.error(&codes::UNSUPPORTED, declaration.span, "a `scratch` array lives in a scope: declare it in a function");
            }
            let (name, ty) = (variable.name.text.to_string(), self.program.types.error());
            self.program.globals.push(Global {
                name,
                ty,
                is_const: false,
                initializer: Initializer::Zero,
                span: variable.name.span,
            });
            self.items.announced.entry(variable.name.text.clone()).or_insert(i);
        }
    }

    /// Checks all globals, and the types that have names.
    pub fn globals(&mut self) {
        for i in 0..self.items.globals.len() {
            let name = &self.items.globals[i].1.name.text;
            if self.items.announced.get(name) == Some(&i) {
                self.settle_global(i);
            }
        }
        for diagnostic in std::mem::take(&mut self.items.said_of_globals) {
            self.diagnostics.push(diagnostic);
        }
        let definitions = self.items.types.values().filter_map(|item| match item {
            super::items::TypeItem::Typedef(variable) => Some(*variable),
            super::items::TypeItem::Record(_) | super::items::TypeItem::Generic(_) | super::items::TypeItem::Enum(_) => None,
        });
        let mut definitions: Vec<_> = definitions.collect();
        definitions.sort_by_key(|variable| variable.span);
        for variable in definitions {
            self.resolve_variable(variable);
        }
    }

    /// The global that this name will mean, checked now; `None` if there is none that can be checked here.
    pub fn global_on_demand(&mut self, name: &ast::Name) -> Option<Binding> {
        let &i = self.items.announced.get(&name.text)?;
        let variable = self.items.globals[i].1;
        // Before all structs are known, only numbers are.
        let is_number = matches!(variable.ty.kind, ast::TypeKind::Element(_)) && variable.dimensions.is_empty();
        if !self.items.records_known && !is_number {
            return None;
        }
        if self.items.settling.contains(&i) {
            let message = format!("the value of `{}` is computed from itself", name.text);
            let error = Diagnostic::error(&codes::NOT_CONSTANT, name.span, message);
            self.items.said_of_globals.push(error.clone());
            self.diagnostics.push(error);
            return None;
        }
        let outer = std::mem::take(&mut self.body);
        self.body = super::state::Body { context: 1, scopes: vec![rustc_hash::FxHashMap::default()], ..Default::default() };
        // Who asks may ask silently; what is wrong with the global is said all the same, when all are checked.
        let mark = self.diagnostics.len();
        self.settle_global(i);
        let said = self.diagnostics.split_off(mark);
        self.items.said_of_globals.extend(said);
        self.body = outer;
        self.items.values.get(&name.text).cloned()
    }

    fn settle_global(&mut self, i: usize) {
        let variable = self.items.globals[i].1;
        self.items.settling.push(i);
        let mark = self.diagnostics.len();
        let mut global = self.global(variable);
        if self.diagnostics.after(mark).iter().any(|d| d.severity == Severity::Error) {
            // What uses it says no more.
            global.ty = self.program.types.error();
        }
        self.items.settling.pop();
        self.program.globals[i] = global;
        self.items.announced.remove(&variable.name.text);
        self.items.values.insert(variable.name.text.clone(), Binding::Global(GlobalId(i as u32)));
    }

    fn global(&mut self, variable: &'a ast::Variable) -> Global {
        let declared = self.resolve_global(variable);
        let mut ty = match declared.base {
            Base::Void | Base::Reference(_) => {
                self.error(&codes::TYPE_MISMATCH, variable.ty.span, "a variable is a value: no reference and not `void`");
                self.program.types.error()
            }
            Base::Error | Base::Element(_) | Base::Record(_) | Base::Pointer(_) | Base::Array(..) => {
                let length = match (&variable.initializer, declared.qualifier) {
                    (Some(e), Qualifier::Unbound) => match &e.kind {
                        ast::ExprKind::Aggregate(_) | ast::ExprKind::Reduction { .. } => 1,
                        _ => self.silently(|this| {
                            let operand = this.expression(e, None);
                            let ty = this.operand_type(&operand);
                            this.length(ty)
                        }),
                    },
                    (Some(_) | None, _) => 1,
                };
                self.vec(&declared, length, 1, variable.ty.span)
            }
        };
        let initializer = match &variable.initializer {
            Some(e) if !self.is_error(ty) => self.constant_initializer(e, ty),
            Some(_) | None => Initializer::Zero,
        };
        if matches!(self.program.types.kind(ty), TypeKind::Void) {
            ty = self.program.types.error();
        }
        let name = variable.name.text.to_string();
        Global { name, ty, is_const: declared.is_const, initializer, span: variable.name.span }
    }

    /// `int a[] = { … }` takes its size from the initializer.
    pub fn resolve_global(&mut self, variable: &'a ast::Variable) -> super::declared::Declared {
        if let ([None], Some(ast::Expr { kind: ast::ExprKind::Aggregate(parts), .. })) =
            (&*variable.dimensions, &variable.initializer)
            && !parts.is_empty()
        {
            let element = self.resolve(&variable.ty);
            let mut declared =
                super::declared::Declared::new(Base::Array(Box::new(element.clone()), parts.len() as u64), Qualifier::Unbound);
            declared.is_const = element.is_const;
            return declared;
        }
        self.resolve_variable(variable)
    }
}
