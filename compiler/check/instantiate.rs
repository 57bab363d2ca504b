//! Instances of functions: T-INVOKE, T-INVOKEREC, and the rounds in which the lengths of their variables grow.
//!
//! ```text
//! instance(f, Λ, types) ──► known: its summary as it stands
//!                       └─► new:   round, round, … until nothing grows ──► summary: the result, what is assigned by reference
//! ```
//! A call takes the summary of its callee as it stands, a recursive one too. When a summary grows, the instances that used it are
//! *stale* and have a further round: at once if they are open, else when the outermost one is closed. All lengths only grow, so that
//! this ends, and ends in the same place whatever the order (this replaces the guess that T-INVOKEREC makes of a result).
//!
//! # Invariants
//! 1. What an instance says is what its last round said; a round begins with nothing but what was learnt.
//! 2. Instances that only earlier rounds called say nothing and are dropped (`settle`).

use super::attributes::written_mode;
use super::declared::{Argument, Base};
use super::infer::{Variable, Why};
use super::instance::{Instance, InstanceKey};
use super::items::Binding;
use super::state::{Body, Checker, LocalInfo};
use super::static_mistakes::{StaticMistake, makes};
use crate::diagnostics::{Diagnostic, Severity, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Inlining;
use crate::typed::ir::{self, Block, Expr, ExprKind, FunctionId, Linkage, Place, PlaceKind, Statement, StatementKind};
use crate::types::{Element, Type, TypeKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How many instances may be open at once: calls of functions that were not yet checked nest this deep.
const MAX_OPEN: usize = 2000;

/// How many of them may be instances of templates: only these grow new types, and each type is larger than the one before.
const MAX_OPEN_TEMPLATES: usize = 128;

/// How often the type of a result may change otherwise than by its length.
const MAX_RESULTS: u32 = 64;

impl<'a> Checker<'a> {
    /// The instance of a function at (Λ, parameter types), checked now if it is new; with its result type as it stands.
    pub fn instance(
        &mut self,
        item: usize,
        context: u8,
        parameters: Vec<Type>,
        types: Vec<Argument>,
        span: Span,
    ) -> Option<(FunctionId, Type)> {
        let fp = if self.items.functions[item].is_library { self.arithmetic() } else { self.options.fp };
        self.instance_of((item, context, parameters, types, fp), span)
    }

    /// As [`Self::instance`], with the arithmetic that is asked of a function of the library.
    pub fn instance_of(&mut self, key: InstanceKey, span: Span) -> Option<(FunctionId, Type)> {
        let other = |known: &InstanceKey| (known.0, known.1, &known.2) == (key.0, key.1, &key.2);
        let wrong = makes(StaticMistake::Instance).then(|| self.instances.iter().find(|(known, _)| other(known)));
        let id = match wrong.flatten().map(|(_, id)| id).or_else(|| self.instances.get(&key)) {
            Some(&id) => id,
            None => self.new_instance(&key, span)?,
        };
        if let Some(user) = self.body.id
            && let Some(used) = self.made.get_mut(&id)
        {
            used.users.insert(user);
            if let Some(user) = self.made.get_mut(&user).filter(|user| user.calls.iter().all(|(called, _)| *called != id)) {
                user.calls.push((id, span));
            }
        }
        Some((id, self.program.functions[id.0 as usize].result))
    }

    fn new_instance(&mut self, key: &InstanceKey, span: Span) -> Option<FunctionId> {
        let is_template = !key.3.is_empty();
        let too_deep = match is_template {
            true if self.template_depth >= MAX_OPEN_TEMPLATES => Some((MAX_OPEN_TEMPLATES, "templates")),
            _ if self.depth >= MAX_OPEN => Some((MAX_OPEN, "functions")),
            _ => None,
        };
        if let Some((limit, of)) = too_deep {
            let message = format!("more than {limit} calls of {of} that are still being checked");
            let error = Diagnostic::error(&codes::INSTANCE_DEPTH, span, message);
            self.diagnostics.push(error.with_help("a template that calls itself with ever new types never ends"));
            return None;
        }
        let id = self.open_instance(key);
        self.depth += 1;
        self.template_depth += usize::from(is_template);
        self.check_instance(id, key);
        self.depth -= 1;
        self.template_depth -= usize::from(is_template);
        if self.depth == 0 {
            self.check_stale();
        }
        Some(id)
    }

    /// Checks the closed instances again that used a summary which has grown since.
    fn check_stale(&mut self) {
        while let Some(id) = self.stale.pop() {
            if let Some(made) = self.made.get(&id).filter(|made| made.is_stale) {
                let Some(key) = made.key.clone() else { continue };
                self.depth += 1;
                self.check_instance(id, &key);
                self.depth -= 1;
            }
        }
    }

    /// Reserves the place of an instance, so that recursive calls find it.
    fn open_instance(&mut self, key: &InstanceKey) -> FunctionId {
        let id = FunctionId(self.program.functions.len() as u32);
        let item = &self.items.functions[key.0];
        let function = item.function;
        let external = function.extern_c.is_some();
        let symbol = if external { function.name.text.to_string() } else { format!("{}.{}", function.name.text, id.0) };
        let (name, docs) = (function.name.text.to_string(), item.item.docs.clone());
        let result = self.program.types.error();
        self.program.functions.push(ir::Function {
            name,
            signature: String::new(),
            symbol,
            context: key.1,
            linkage: if external { Linkage::Extern } else { Linkage::Internal },
            fp: key.4,
            inlining: Inlining::Allowed,
            is_library: item.is_library,
            is_scheduled: false,
            locals: Vec::new(),
            parameters: 0,
            result,
            reasons: Vec::new(),
            body: None,
            docs,
            span: function.name.span,
        });
        self.instances.insert(key.clone(), id);
        let references = vec![None; function.parameters.len()];
        self.made.insert(id, Instance { key: Some(key.clone()), references, ..Instance::default() });
        // The summary at the beginning: all lengths are 1.
        let result = self.with_template(key.0, &key.3, |this| {
            let declared = this.silently(|this| this.resolve(&function.result));
            this.silently(|this| this.vec(&declared, 1, key.1, function.result.span))
        });
        self.program.functions[id.0 as usize].result = result;
        id
    }

    /// Rounds until nothing grows.
    fn check_instance(&mut self, id: FunctionId, key: &InstanceKey) {
        let home = self.items.functions[key.0].home();
        let uses = Rc::new(self.uses_of(&self.items.functions[key.0]));
        self.instance_mut(id).is_open = true;
        loop {
            let made = self.instance_mut(id);
            made.is_stale = false;
            made.calls.clear();
            let learnt = std::mem::take(&mut made.learnt);
            let body = Body { id: Some(id), home, learnt, uses: uses.clone(), ..Body::default() };
            let outer = std::mem::replace(&mut self.body, body);
            let mark = self.diagnostics.len();
            self.round(id, key);
            let said = self.diagnostics.split_off(mark);
            let mut body = std::mem::replace(&mut self.body, outer);
            let grew = std::mem::replace(&mut body.learnt.grew, false);
            let made = self.instance_mut(id);
            (made.said, made.looks_at_length, made.learnt) = (said, body.looks_at_length, body.learnt);
            if !grew && !made.is_stale {
                made.is_open = false;
                return;
            }
        }
    }

    fn instance_mut(&mut self, id: FunctionId) -> &mut Instance {
        self.made.get_mut(&id).expect("an instance that was opened")
    }

    /// One round: the body is checked with what was learnt so far.
    fn round(&mut self, id: FunctionId, key: &InstanceKey) {
        let (item, context, parameters, types, fp) = key;
        let mark = self.diagnostics.len();
        let function = self.items.functions[*item].function;
        let body_context = self.body.learnt.context.filter(|_| *context == 1).map_or(*context, |opened| opened.length);
        self.body.context = *context;
        self.body.base = body_context;
        self.body.is_callers = *context > 1 || self.body.learnt.context.is_some_and(|opened| opened.is_callers);
        self.body.template = self.bound(*item, types);
        self.body.scopes.push(FxHashMap::default());
        let declared = self.resolve(&function.result);
        let bound = self.known_result(&declared, key, function.result.span);
        self.body.bound_result = bound;
        let known = &self.items.functions[*item];
        let (written, is_library) = (&known.item.attributes, known.is_library);
        self.body.fp = Some(written_mode(written).unwrap_or(*fp));
        let attributes = self.function_attributes(written, is_library.then_some(*fp));
        let instance = &mut self.program.functions[id.0 as usize];
        (instance.fp, instance.inlining) = (attributes.fp, attributes.inlining);
        self.body.is_entry = function.export.is_some() && matches!(declared.base, Base::Element(Element::Int32));
        self.body.result = Some(declared.clone());
        let widened = self.bind_parameters(*item, parameters);
        let body = function.body.as_ref().map(|ast_body| {
            let mut block = self.in_context(body_context, function.name.span, |this| this.block(&ast_body.statements));
            block.statements.splice(0..0, widened);
            block
        });
        let result = match (bound, &body) {
            (Some(bound), _) => bound,
            (None, Some(_)) => self.infer_result(&declared, *context),
            (None, None) => self.vec(&declared, 1, 1, function.result.span),
        };
        let mut body = body;
        if let Some(block) = &mut body {
            self.finish_returns(block, result);
            // What is said of one instance is not said again of the next.
            let is_refused =
                self.refused_bodies.contains(item) || self.has_errors_in(function.body.as_ref().map(|b| b.span), mark);
            if is_refused && !self.body.learnt.grew {
                self.refused_bodies.insert(*item);
            }
            self.check_end(function, block, result, is_refused);
        }
        for local in 0..self.body.locals.len() {
            self.body.locals[local].reasons = self.reasons_of(ir::LocalId(local as u32));
        }
        if let Some(block) = &body
            && !self.body.learnt.grew
            && !self.items.functions[*item].is_library
            && !self.refused_bodies.contains(item)
        {
            self.warn_of_body(block);
        }
        let reasons = self.reasons(Variable::Result, format!("what `{}` returns", function.name.text));
        let locals = std::mem::take(&mut self.body.locals);
        let signature = self.signature(key, &locals, result);
        let references = self.assigned_references(parameters);
        let made = &mut self.program.functions[id.0 as usize];
        made.parameters = parameters.len();
        (made.locals, made.reasons) = (locals, reasons);
        made.body = body;
        made.signature = signature;
        self.summarize(id, result, references, function);
    }

    /// The summary of an instance after a round; those who used another one are stale.
    fn summarize(&mut self, id: FunctionId, result: Type, references: Vec<Option<u8>>, function: &ast::Function) {
        let function_made = &mut self.program.functions[id.0 as usize];
        let before = std::mem::replace(&mut function_made.result, result);
        let facts = self.facts(Variable::Result);
        let is_cross_lane = facts.is_some_and(|facts| facts.is_assigned && !facts.is_plain);
        let made = self.made.get_mut(&id).expect("an instance that was opened");
        if before == result && made.references == references && made.is_cross_lane == is_cross_lane {
            return;
        }
        (made.references, made.is_cross_lane) = (references, is_cross_lane);
        made.results += u32::from(before != result);
        if made.results > MAX_RESULTS {
            self.program.functions[id.0 as usize].result = self.program.types.error();
            self.error_of_recursion(function, before, result);
            return;
        }
        for user in made.users.clone() {
            let Some(user_made) = self.made.get_mut(&user) else { continue };
            user_made.is_stale = true;
            if !user_made.is_open {
                self.stale.push(user);
            }
        }
    }

    /// What the function assigns through its references: at least as long as the parameter is.
    fn assigned_references(&self, parameters: &[Type]) -> Vec<Option<u8>> {
        let length = |k: usize, ty: &Type| {
            let is_assigned = self.facts(Variable::Parameter(k)).is_some_and(|facts| facts.is_assigned);
            let is_reference = self.body.infos.get(k).is_some_and(|info| info.is_reference);
            let own = self.program.types.pointee(*ty).map_or(1, |ty| self.length(ty));
            (is_assigned && is_reference).then(|| own.max(self.learnt_length(Variable::Parameter(k))))
        };
        parameters.iter().enumerate().map(|(k, ty)| length(k, ty)).collect()
    }

    /// The result is of one type if recursive calls give another, and of another if they give that one.
    fn error_of_recursion(&mut self, function: &ast::Function, assumed: Type, result: Type) {
        let (assumed, result) = (self.display(assumed), self.display(result));
        let name = &function.name;
        let message = format!("`{}` gives `{result}` if its recursive calls give `{assumed}`", name.text);
        let error = Diagnostic::error(&codes::LENGTH_MISMATCH, name.span, message);
        self.diagnostics.push(error.with_help("declare the type of the result with the lengths of what it points to"));
    }

    /// A function that returns a value does not reach its end, except `main`.
    fn check_end(&mut self, function: &'a ast::Function, block: &mut Block, result: Type, is_refused: bool) {
        let is_void = matches!(self.program.types.kind(result), TypeKind::Void | TypeKind::Error);
        if is_void || !super::results::falls_off(block) {
            return;
        }
        if &*function.name.text == "main" {
            self.return_zero(block, result, function.name.span);
        } else if !is_refused {
            // What an error left out may have been the `return`.
            let message = format!("`{}` may reach its end without a `return`", function.name.text);
            self.error(&codes::MISSING_RETURN, function.name.span, message);
        }
    }

    /// Was something in this part of the text refused since there were so many diagnostics?
    fn has_errors_in(&self, text: Option<Span>, mark: usize) -> bool {
        let is_inside = |s: Span| text.is_some_and(|t| s.file == t.file && t.start <= s.start && s.end <= t.end);
        self.diagnostics.after(mark).iter().any(|d| d.severity == Severity::Error && is_inside(d.span))
    }

    /// Parameters are bound to their names. One that is assigned something longer than its argument is copied to a variable of that
    /// length first.
    fn bind_parameters(&mut self, item: usize, types: &[Type]) -> Vec<Statement> {
        let function = self.items.functions[item].function;
        for (k, (parameter, &ty)) in function.parameters.iter().zip(types).enumerate() {
            let name = parameter.name.as_ref();
            let (text, span) = name.map_or(("", parameter.span), |n| (&*n.text, n.span));
            let local = self.fresh_local(text, ty, span);
            let declared = self.parameter_type(parameter);
            let is_const = declared.is_const;
            let pointee_const = declared.pointee_is_const() || is_const && self.is_view(ty);
            let (is_reference, object, own) = match &declared.base {
                Base::Reference(inner) => (true, self.program.types.pointee(ty).unwrap_or(ty), (**inner).clone()),
                _ => (false, ty, declared.clone()),
            };
            let unbound = self.is_unbound(&own, object).then(|| Rc::new(own));
            let variable = Variable::Parameter(k);
            self.argument(variable, self.length(object), unbound.is_some(), span);
            let info = &mut self.body.infos[local.0 as usize];
            *info = LocalInfo {
                is_const,
                pointee_const,
                pointee_scalar: declared.pointee_is_scalar(),
                is_reference,
                variable: Some(variable),
                unbound,
                ..info.clone()
            };
            self.body.locals[local.0 as usize].pointee_is_const = pointee_const;
            self.body.locals[local.0 as usize].parameter = self.parameter_kind(parameter, &declared, &function.parameters, types);
        }
        let mut copies = Vec::new();
        for (k, parameter) in function.parameters.iter().enumerate().take(types.len()) {
            let Some(name) = &parameter.name else { continue };
            let local = ir::LocalId(k as u32);
            if self.body.infos[k].is_reference {
                self.bind(name, Binding::Reference(local));
                continue;
            }
            let local = self.widened_parameter(local, &mut copies);
            self.bind(name, Binding::Local(local));
        }
        copies
    }

    /// The variable that stands for a parameter in the body.
    fn widened_parameter(&mut self, parameter: ir::LocalId, copies: &mut Vec<Statement>) -> ir::LocalId {
        let info = self.body.infos[parameter.0 as usize].clone();
        let (Some(variable), Some(declared)) = (info.variable, info.unbound.clone()) else { return parameter };
        let ir::Local { name, ty, span, .. } = self.body.locals[parameter.0 as usize].clone();
        let wide = self.lengthened(&declared, ty, self.learnt_length(variable));
        if wide == ty {
            return parameter;
        }
        let local = self.fresh_local(&name, wide, span);
        self.body.infos[local.0 as usize] = info;
        let place = Place { kind: PlaceKind::Local(parameter), object: ty, addresses: 1, ty, span };
        let value = Expr { kind: ExprKind::Load(place), ty, span };
        let initializer = Some(self.broadcast(value, wide));
        copies.push(Statement { kind: StatementKind::Declare { local, initializer }, span });
        local
    }

    /// What a parameter begins as: its argument, which no round changes.
    fn argument(&mut self, variable: Variable, length: u8, is_unbound: bool, span: Span) {
        let value = super::infer::Value { length, is_callers: is_unbound, ..super::infer::Value::default() };
        self.initialized_by(variable, &value, is_unbound, Why::Argument, span);
    }

    /// The instance as section 2 of the paper writes it.
    fn signature(&self, (item, context, _, arguments, _): &InstanceKey, locals: &[ir::Local], result: Type) -> String {
        let (item, context) = (*item, *context);
        let function = self.items.functions[item].function;
        let written = |ty: Type| {
            let text = self.display(ty);
            let scalar = self.length(ty) == 1 && !matches!(self.program.types.kind(ty), TypeKind::Array { .. });
            match self.program.types.kind(ty) {
                TypeKind::Vector { .. } | TypeKind::Record { .. } if scalar => format!("{text} scalar"),
                TypeKind::Pointer { .. } if scalar => format!("{text}scalar"),
                _ => text,
            }
        };
        let mask = (context > 1).then(|| format!("bool block[{context}] current_mask"));
        let parameters = locals[..function.parameters.len().min(locals.len())]
            .iter()
            .map(|l| format!("{} {}", written(l.ty), l.name).trim_end().to_owned());
        let list: Vec<String> = mask.into_iter().chain(parameters).collect();
        let arguments = self.arguments_text(arguments);
        format!("{} {}{arguments}({})", self.display(result), function.name.text, list.join(", "))
    }
}
