//! How what the checker knows changes: errors, locals, scopes and contexts.

use super::infer::{Node, Opened, Position};
use super::items::{Binding, Items};
use super::state::{Body, Checker, LocalInfo, Options};
use crate::diagnostics::levels::Allowances;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Edit};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{self, LocalId};
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

impl<'a> Checker<'a> {
    pub fn new(options: Options, diagnostics: &'a mut Diagnostics) -> Self {
        Checker {
            program: ir::Program::default(),
            gave_up: false,
            options,
            diagnostics,
            items: Items::default(),
            instances: FxHashMap::default(),
            made: BTreeMap::new(),
            stale: Vec::new(),
            refused_bodies: FxHashSet::default(),
            schedules: Rc::new(()),
            asked: BTreeMap::new(),
            shared: FxHashMap::default(),
            depth: 0,
            template_depth: 0,
            replacements: FxHashMap::default(),
            reduced: FxHashMap::default(),
            allowances: Allowances::default(),
            body: Body { context: 1, scopes: vec![FxHashMap::default()], ..Body::default() },
        }
    }

    pub fn error(&mut self, code: &'static Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    pub fn display(&self, ty: Type) -> String {
        let text = self.program.types.display(ty);
        if text.contains("__view") { crate::types::as_written(&text) } else { text }
    }

    pub fn length(&self, ty: Type) -> u8 {
        self.program.types.length(ty)
    }

    pub fn is_error(&self, ty: Type) -> bool {
        self.program.types.is_error(ty)
    }

    /// A node of the syntax tree in the round of the `static for` statements around.
    pub fn node(&self, id: ast::NodeId) -> Node {
        Node { id, round: self.body.static_round }
    }

    /// A new local of the instance, not yet bound to its name.
    pub fn fresh_local(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        let parameter = ir::ParameterKind::Plain;
        self.body.locals.push(ir::Local {
            name: name.to_owned(),
            ty,
            span,
            parameter,
            pointee_is_const: false,
            alignment: 1,
            elements: None,
            reasons: Vec::new(),
        });
        let position = Position { narrowings: self.body.narrowings.len(), targets: self.body.targets.len() };
        self.body.infos.push(LocalInfo { position, context: self.body.context, ..LocalInfo::default() });
        LocalId(self.body.locals.len() as u32 - 1)
    }

    /// Makes a name visible in the innermost scope; a second one of that name in the same scope is an error (T-DECL's
    /// id ∉ dom(Γ)). The parameters are in the scope of the function's body.
    pub fn bind(&mut self, name: &ast::Name, binding: Binding) {
        let parameter = match &self.body.scopes[..] {
            [parameters, _] => parameters.get(&name.text).cloned(),
            _ => None,
        };
        let scope = self.body.scopes.last_mut().expect("a scope is open");
        let first = scope.insert(name.text.clone(), binding).or(parameter);
        if let Some(first) = first {
            let message = format!("`{}` is declared twice in this scope", name.text);
            let error = Diagnostic::error(&crate::diagnostics::codes::DUPLICATE_NAME, name.span, message);
            self.diagnostics.push(match first {
                Binding::Local(local) | Binding::Reference(local) => {
                    error.with_secondary(self.body.locals[local.0 as usize].span, "it is declared here")
                }
                Binding::Global(_) | Binding::Constant(..) => error,
            });
        }
    }

    /// The change that runs the statement around for all lanes, if it is what is in this context and declares nothing that others see.
    pub fn for_all(&self) -> Option<Vec<Edit>> {
        let span = self.body.around.filter(|around| around.context == self.body.context)?.span;
        Some(vec![Edit::before(span, "scalar { "), Edit::behind(span, " }")])
    }

    /// The change that runs the expression around for each active lane, if it is a statement by itself.
    pub fn for_each_lane(&self) -> Option<Vec<Edit>> {
        let span = self.body.around.filter(|around| around.is_expression)?.span;
        Some(vec![Edit::before(span, self.each_lane())])
    }

    /// `foreach_active (int k) `, with a name that hides none.
    pub fn each_lane(&self) -> String {
        let is_free = |name: &str| !self.body.scopes.iter().any(|scope| scope.contains_key(name));
        let name = ["k", "lane", "active_lane"].into_iter().find(|name| is_free(name)).unwrap_or("this_lane");
        format!("foreach_active (int {name}) ")
    }

    /// Runs a rule in a scope of its own (E-INSCOPE, E-OUTSCOPE).
    pub fn scoped<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> T {
        self.body.scopes.push(FxHashMap::default());
        let result = rule(self);
        self.body.scopes.pop();
        result
    }

    /// Runs a rule in the context that something opens, if that is another one.
    pub fn in_opened<T>(&mut self, opened: Opened, rule: impl FnOnce(&mut Self) -> T) -> T {
        let is_callers = self.body.is_callers;
        if self.body.context == 1 {
            self.body.is_callers = opened.is_callers;
        }
        let result = self.in_context(opened.length, opened.span, rule);
        self.body.is_callers = is_callers;
        result
    }

    /// Runs a rule in context Λ := `context`.
    pub fn in_context<T>(&mut self, context: u8, opener: Span, rule: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (self.body.context, self.body.opener);
        if context != outer.0 {
            self.body.opener = Some(opener);
        }
        self.body.context = context;
        let result = rule(self);
        (self.body.context, self.body.opener) = outer;
        result
    }
}
