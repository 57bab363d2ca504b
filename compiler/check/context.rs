//! What the checker knows: the program so far, the names of the files, and the function instance that it is in.

use super::infer::{Flows, Learnt, Named, Narrowing, Opened, Position, Variable};
use super::instantiate::Instance;
use super::names::{Home, Items};
use super::schedules::{Schedules, Wanted};
use super::types::Declared;
use super::uses::Uses;
use crate::diagnostics::levels::Allowances;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Edit};
use crate::source::Span;
use crate::syntax::ast::{self, NodeId};
use crate::target::Memory;
use crate::typed::ir::{self, Constant, FunctionId, GlobalId, LocalId};
use crate::types::Type;
use std::collections::{BTreeMap, HashMap, HashSet};
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
    /// What is known of each instance beside its function.
    pub made: BTreeMap<FunctionId, Instance>,
    /// Closed instances that used a summary which has grown since.
    pub stale: Vec<FunctionId>,
    /// The functions with a body in which something was refused.
    pub refused_bodies: HashSet<usize>,
    /// What the pipelines of the program are.
    pub schedules: Rc<dyn Schedules>,
    /// The functions of schedules that are called.
    pub asked: BTreeMap<Wanted, FunctionId>,
    /// How many instances are open.
    pub depth: usize,
    /// How many of these are instances of templates.
    pub template_depth: usize,
    /// What stands in for parts of expressions (`scalar_expressions`).
    pub replacements: HashMap<NodeId, ir::Expr>,
    /// Where `[[allow(…)]]` stands.
    pub allowances: Allowances,
    pub body: Body,
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
    /// How it is identified in all rounds, unless nothing is ever assigned to it.
    pub variable: Option<Variable>,
    /// Has it an initializer?
    pub is_initialized: bool,
    /// Its type as declared, where the length of that is inferred.
    pub unbound: Option<Rc<Declared>>,
    /// What surrounds its declaration.
    pub position: Position,
    /// Λ of its declaration.
    pub context: u8,
    /// Does it hold the address of what its name means?
    pub is_reference: bool,
    /// For a local reference: what it names.
    pub names: Option<Rc<Named>>,
    pub is_const: bool,
    /// It owns its pixels, which follow one another in dimension 0.
    pub is_image: bool,
    /// It points to data that must not be written.
    pub pointee_const: bool,
    /// Is what it points to declared `scalar`, or memory that has no other owner?
    pub pointee_scalar: bool,
    /// Its value, if it is a constant expression (language.md §1, `int L = lengthof(*data);`).
    pub constant: Option<Constant>,
}

/// A loop, `switch` or function that jumps can leave.
pub(super) struct Target {
    /// The statement.
    pub id: NodeId,
    /// Λ around the loop.
    pub opened: u8,
    /// Λ of its body.
    pub inner: u8,
    /// A `foreach` has lanes of its own and is never vectorised.
    pub fixed: bool,
    /// How many images and `scratch` arrays outside of it are alive.
    pub owned: usize,
    /// For a `parallel foreach`: it cannot be left.
    pub parallel: Option<Parallel>,
    /// It is a `switch`, which `continue` passes by.
    pub is_switch: bool,
    /// How many narrowings there are around its body, its own among them.
    pub narrowings: usize,
    /// What narrows the rest of its body, behind a partial `continue` or the partial `break` of a `switch`.
    pub continued: Option<Narrowing>,
    /// What narrows it for the caller: lanes leave the function from inside of it.
    pub returned: Option<Narrowing>,
}

/// A parallel loop.
#[derive(Clone, Copy)]
pub(super) struct Parallel {
    /// The word.
    pub span: Span,
    /// How many locals there are outside of it.
    pub locals: usize,
}

/// The round of a function instance that is being checked.
#[derive(Default)]
pub(super) struct Body {
    /// Which instance it is; `None` outside of functions.
    pub id: Option<FunctionId>,
    /// Where its names stand.
    pub home: Home,
    /// Λ
    pub context: u8,
    /// Λ at the beginning of the body.
    pub base: u8,
    pub locals: Vec<ir::Local>,
    pub infos: Vec<LocalInfo>,
    pub scopes: Vec<HashMap<Rc<str>, Binding>>,
    /// The pixels of the images and the `scratch` arrays that are alive, the last declared last.
    pub owned: Vec<(LocalId, Memory)>,
    /// The loops and `switch`es around, the innermost last.
    pub targets: Vec<Target>,
    /// Are we in the lanes of a `foreach`?
    pub in_foreach: bool,
    /// Is there `lengthof` or `sizeof` of a value, beyond the lengths of types?
    pub looks_at_length: bool,
    /// What opened the current context above 1.
    pub opener: Option<Span>,
    /// The innermost statement around; none in a declaration and in the head of a loop.
    pub around: Option<Around>,
    /// Do the lanes of the current context come from the caller?
    pub is_callers: bool,
    /// The narrowings around, the innermost last.
    pub narrowings: Vec<Narrowing>,
    /// What is around the innermost `scalar` statement or `foreach_active`: it counts for nothing inside.
    pub floor: Position,
    /// What narrows the rest of the function for its caller, behind a partial `return`.
    pub returned: Option<Narrowing>,
    /// The declared result, and what the returns gave.
    pub result: Option<Declared>,
    pub returns: Vec<Returned>,
    /// The result type, where it does not depend on the returns.
    pub bound_result: Option<Type>,
    /// What the function does with its variables: those that it never changes are constant if their initializer is.
    pub uses: Rc<Uses>,
    /// Does it give its status to programs of other languages: an export with an `int`?
    pub is_entry: bool,
    /// How many requirements it has so far.
    pub requirements: i64,
    /// The arguments of a template.
    pub type_parameters: HashMap<Rc<str>, Declared>,
    /// What all rounds have found out.
    pub learnt: Learnt,
    /// What this round has seen flow from variable to variable.
    pub flows: Flows,
}

/// A statement.
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub span: Span,
    /// Is it an expression and nothing else?
    pub is_expression: bool,
    /// Λ in front of it.
    pub context: u8,
}

/// One `return`.
#[derive(Clone, Copy)]
pub(super) struct Returned {
    /// Its value's type; `None` without value or in error.
    pub ty: Option<Type>,
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
            made: BTreeMap::new(),
            stale: Vec::new(),
            refused_bodies: HashSet::new(),
            schedules: Rc::new(()),
            asked: BTreeMap::new(),
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
        if text.contains("__view") { crate::types::as_written(&text) } else { text }
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
        self.body.scopes.push(HashMap::new());
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
