//! What the checker knows: the program so far, the names of the files, and the function instance that it is in.

use super::names::Items;
use super::types::Declared;
use crate::diagnostics::levels::Allowances;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Memory;
use crate::typed::ir::{self, Constant, FunctionId, GlobalId, LocalId};
use crate::types::Type;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Identifies an instance: T-INVOKE's f := (id, Λ, vec_Λ(t, ‖τ‖)), and the arguments of a template.
pub(super) type InstanceKey = (usize, u8, Vec<Type>, Vec<Declared>);

/// The state of the stage.
pub(super) struct Checker<'a> {
    pub program: ir::Program,
    pub options: super::Options,
    pub diagnostics: &'a mut Diagnostics,
    pub items: Items<'a>,
    /// F_Γ: the instances that were checked or are being checked.
    pub instances: HashMap<InstanceKey, FunctionId>,
    /// For each instance: its result while it is open, ε where it must still be inferred.
    pub open: HashMap<FunctionId, OpenInstance>,
    /// What came out for instances that have to be checked again: the first assumption of their recursive calls.
    pub outcomes: HashMap<InstanceKey, Type>,
    /// Functions with an error that was reported: other instances say nothing more.
    pub failed: Rc<HashSet<usize>>,
    /// What finished instances said.
    pub settled: Vec<Diagnostic>,
    /// The instances that look at the lengths of their operands.
    pub length_dependent: HashSet<FunctionId>,
    /// How many instances are open.
    pub depth: usize,
    /// How many of these are instances of templates.
    pub template_depth: usize,
    /// What stands in for parts of expressions (`scalar_expressions`).
    pub replacements: HashMap<*const ast::Expr, ir::Expr>,
    /// Where `[[allow(…)]]` stands.
    pub allowances: Allowances,
    pub body: Body,
}

/// An instance that is being checked.
#[derive(Clone, Copy, Default)]
pub(super) struct OpenInstance {
    /// The result type, if it is declared or was found out in an earlier round.
    pub result: Option<Type>,
    /// What T-INVOKEREC assumed for a recursive call.
    pub assumed: Option<Type>,
}

/// What a name stands for in an expression.
#[derive(Clone)]
pub(super) enum Binding {
    Local(LocalId),
    /// A local that holds the address of what the name means.
    Reference(LocalId),
    Global(GlobalId),
    /// An enum constant.
    Constant(Constant, Type),
}

/// What the checker remembers of a local.
#[derive(Clone, Default)]
pub(super) struct LocalInfo {
    /// How many vector conditions surround its declaration.
    pub divergence: u32,
    pub is_const: bool,
    /// It owns its pixels, which follow one another in dimension 0.
    pub is_image: bool,
    /// It points to data that must not be written.
    pub pointee_const: bool,
    /// Is what it points to declared `scalar`, or memory that has no other owner?
    pub pointee_scalar: bool,
    /// Does it stand for what it refers to?
    pub is_reference: bool,
    /// Does its first value come from an operation across lanes?
    pub across_lanes: bool,
    /// What it begins as, if that is a constant expression.
    pub initial: Option<Constant>,
    /// Its value, if it is a constant expression (language.md §1, `int L = lengthof(*data);`).
    pub constant: Option<Constant>,
}

/// A loop, `switch` or function that jumps can leave.
pub(super) struct Target {
    /// Λ around the loop.
    pub opened: u8,
    /// Λ of its body.
    pub inner: u8,
    /// The length that a lane jump asks for.
    pub demand: Option<(u8, Span)>,
    /// A `foreach` has lanes of its own and is never vectorised.
    pub fixed: bool,
    /// How many images and `scratch` arrays outside of it are alive.
    pub owned: usize,
    /// For a `parallel foreach`: it cannot be left.
    pub parallel: Option<Parallel>,
    /// It is a `switch`, which `continue` passes by.
    pub is_switch: bool,
}

/// A parallel loop.
#[derive(Clone, Copy)]
pub(super) struct Parallel {
    /// The word.
    pub span: Span,
    /// How many locals there are outside of it.
    pub locals: usize,
}

/// The function instance that is being checked.
#[derive(Default)]
pub(super) struct Body {
    /// Λ
    pub context: u8,
    pub locals: Vec<ir::Local>,
    pub infos: Vec<LocalInfo>,
    pub scopes: Vec<HashMap<Rc<str>, Binding>>,
    /// The pixels of the images and the `scratch` arrays that are alive, the last declared last.
    pub owned: Vec<(LocalId, Memory)>,
    /// The loops and `switch`es around, the innermost last.
    pub targets: Vec<Target>,
    /// The function as a target of `return`.
    pub function: Option<Target>,
    /// How many vector conditions surround this place.
    pub divergence: u32,
    /// Are we in the lanes of a `foreach`?
    pub in_foreach: bool,
    /// Is there `lengthof` or `sizeof` of a value, beyond the lengths of types?
    pub looks_at_length: bool,
    /// What opened the current context above 1.
    pub opener: Option<Span>,
    /// The declared result, and what the returns gave.
    pub result: Option<Declared>,
    pub returns: Vec<Returned>,
    /// Names that the function assigns to: all others are constant if their initializer is.
    pub assigned: Rc<HashSet<Rc<str>>>,
    /// The arguments of a template.
    pub type_parameters: HashMap<Rc<str>, Declared>,
    /// The lengths of the loops and `switch`es that lane jumps vectorise, by their place in the tree.
    pub vectorised: HashMap<*const ast::Statement, u8>,
}

/// One `return`.
#[derive(Clone, Copy)]
pub(super) struct Returned {
    /// Its value's type; `None` without value or in error.
    pub ty: Option<Type>,
    /// Λ where it stands.
    pub context: u8,
    pub span: Span,
}

impl<'a> Checker<'a> {
    pub fn new(options: super::Options, diagnostics: &'a mut Diagnostics) -> Self {
        Checker {
            program: ir::Program::default(),
            options,
            diagnostics,
            items: Items::default(),
            instances: HashMap::new(),
            open: HashMap::new(),
            outcomes: HashMap::new(),
            failed: Rc::default(),
            settled: Vec::new(),
            length_dependent: HashSet::new(),
            depth: 0,
            template_depth: 0,
            replacements: HashMap::new(),
            allowances: Allowances::default(),
            body: Body { context: 1, scopes: vec![HashMap::new()], ..Body::default() },
        }
    }

    pub fn error(&mut self, code: &'static Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    pub fn display(&self, ty: Type) -> String {
        let text = self.program.types.display(ty);
        if text.contains("__view") { super::images::as_written(&text) } else { text }
    }

    pub fn length(&self, ty: Type) -> u8 {
        self.program.types.length(ty)
    }

    pub fn is_error(&self, ty: Type) -> bool {
        self.program.types.is_error(ty)
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
        });
        self.body.infos.push(LocalInfo { divergence: self.body.divergence, ..LocalInfo::default() });
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

    /// Runs a rule in a scope of its own (E-INSCOPE, E-OUTSCOPE).
    pub fn scoped<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> T {
        self.body.scopes.push(HashMap::new());
        let result = rule(self);
        self.body.scopes.pop();
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
