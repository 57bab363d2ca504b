//! Global variables: declared in context 1, filled by constants.

use super::context::{Binding, Checker};
use super::types::{Base, Qualifier};
use crate::diagnostics::codes;
use crate::syntax::ast;
use crate::typed::ir::{Global, GlobalId, Initializer};
use crate::types::TypeKind;

impl<'a> Checker<'a> {
    /// Checks all globals, in order: one may use the constants before it.
    pub fn globals(&mut self) {
        for i in 0..self.items.globals.len() {
            let (declaration, variable) = self.items.globals[i];
            if declaration.scratch {
                self.error(&codes::UNSUPPORTED, declaration.span, "a `scratch` array lives in a scope: declare it in a function");
            }
            let global = self.global(variable);
            self.program.globals.push(global);
            self.items.values.insert(variable.name.text.clone(), Binding::Global(GlobalId(i as u32)));
        }
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
                        ast::ExprKind::Aggregate(_) => 1,
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
        Global { name: variable.name.text.to_string(), ty, initializer, span: variable.name.span }
    }

    /// `int a[] = { … }` takes its size from the initializer.
    pub fn resolve_global(&mut self, variable: &'a ast::Variable) -> super::types::Declared {
        if let ([None], Some(ast::Expr { kind: ast::ExprKind::Aggregate(parts), .. })) =
            (&*variable.dimensions, &variable.initializer)
            && !parts.is_empty()
        {
            let element = self.resolve(&variable.ty);
            let mut declared =
                super::types::Declared::new(Base::Array(Box::new(element.clone()), parts.len() as u64), Qualifier::Unbound);
            declared.is_const = element.is_const;
            return declared;
        }
        self.resolve_variable(variable)
    }
}
