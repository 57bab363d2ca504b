//! Instances of functions: T-INVOKE, T-INVOKEREC, and what an unbound result becomes.

use super::context::{Binding, Body, Checker, InstanceKey, LocalInfo, OpenInstance, Target};
use super::types::{Base, Declared, Qualifier};
use crate::diagnostics::{Diagnostic, Severity, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Inlining;
use crate::typed::ir::{self, Block, Constant, Expr, ExprKind, FunctionId, Linkage, Statement, StatementKind};
use crate::types::{Type, TypeKind};
use std::collections::HashMap;
use std::rc::Rc;

/// How many instances may be open at once: calls of functions that were not yet checked nest this deep.
const MAX_OPEN: usize = 2000;

/// How many of them may be instances of templates: only these grow new types, and each type is larger than the one before.
const MAX_OPEN_TEMPLATES: usize = 128;

impl<'a> Checker<'a> {
    /// The instance of a function at (Λ, parameter types), checked now if it is new; with its result type.
    pub fn instance(
        &mut self,
        item: usize,
        context: u8,
        parameters: Vec<Type>,
        types: Vec<Declared>,
        span: Span,
    ) -> Option<(FunctionId, Type)> {
        let key: InstanceKey = (item, context, parameters, types);
        if let Some(&id) = self.instances.get(&key) {
            if let Some(open) = self.open.get(&id).copied() {
                return Some((id, self.recursive_result(id, open, &key, span)));
            }
            return Some((id, self.program.functions[id.0 as usize].result));
        }
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
        let id = self.open_instance(&key);
        self.depth += 1;
        self.template_depth += usize::from(is_template);
        let mark = self.diagnostics.len();
        self.check_instance(id, &key);
        self.depth -= 1;
        self.template_depth -= usize::from(is_template);
        // What an instance says stays said, whatever round of its caller is taken back.
        let said = self.diagnostics.split_off(mark);
        let failed = said.iter().any(|d| d.severity == crate::diagnostics::Severity::Error);
        if !failed || Rc::make_mut(&mut self.failed).insert(item) {
            self.settled.extend(said);
        }
        Some((id, self.program.functions[id.0 as usize].result))
    }

    /// T-INVOKEREC: the declared result at its known length, else at Λ, else what came out in an earlier round.
    fn recursive_result(&mut self, id: FunctionId, open: OpenInstance, key: &InstanceKey, span: Span) -> Type {
        if let Some(result) = open.result.or(open.assumed) {
            return result;
        }
        if let Some(&result) = self.outcomes.get(key) {
            self.open.insert(id, OpenInstance { assumed: Some(result), ..open });
            return result;
        }
        let (item, context) = (key.0, key.1);
        let declared = self.with_template(item, &key.3, |this| {
            let function = this.items.functions[item].function;
            this.silently(|this| this.resolve(&function.result))
        });
        let result = self.vec(&declared, context, context, span);
        self.open.insert(id, OpenInstance { assumed: Some(result), ..open });
        result
    }

    /// Takes back the instances that were made since this one was opened; all of them are closed. Those that are needed
    /// still are made again, and what came out for them is what their recursive calls assume first: without it, each
    /// level of a nest of recursive functions would double the work.
    fn forget_instances_after(&mut self, id: FunctionId) {
        let functions = &mut self.program.functions;
        let outcomes = &mut self.outcomes;
        self.instances.retain(|key, other| {
            if other.0 > id.0 {
                outcomes.insert(key.clone(), functions[other.0 as usize].result);
            }
            other.0 <= id.0
        });
        functions.truncate(id.0 as usize + 1);
    }

    /// The result is of one type if recursive calls give another, and of another if they give that one.
    fn error_of_recursion(&mut self, function: &ast::Function, assumed: Type, result: Type) {
        let (assumed, result) = (self.display(assumed), self.display(result));
        let name = &function.name;
        let message = format!("`{}` gives `{result}` if its recursive calls give `{assumed}`", name.text);
        let error = Diagnostic::error(&codes::LENGTH_MISMATCH, name.span, message);
        self.diagnostics.push(error.with_help("declare the length of the result: `block` or `block[N]`"));
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
            fp: self.options.fp,
            inlining: Inlining::Allowed,
            is_library: item.is_library,
            locals: Vec::new(),
            parameters: 0,
            result,
            body: None,
            docs,
            span: function.name.span,
        });
        self.instances.insert(key.clone(), id);
        id
    }

    fn check_instance(&mut self, id: FunctionId, key: &InstanceKey) {
        let (item, context, parameters, types) = key;
        let function = self.items.functions[*item].function;
        let outer = std::mem::take(&mut self.body);
        self.body = Body { context: *context, ..Body::default() };
        let names = self.items.functions[*item].item.template.iter().map(|n| n.text.clone());
        self.body.type_parameters = names.zip(types.iter().cloned()).collect();
        self.body.scopes.push(HashMap::new());
        let declared = self.resolve(&function.result);
        let result_known = self.known_result(&declared, *context, function.result.span);
        self.open.insert(id, OpenInstance { result: result_known, assumed: None });
        let known = &self.items.functions[*item];
        let attributes = self.function_attributes(&known.item.attributes, known.is_library);
        let instance = &mut self.program.functions[id.0 as usize];
        (instance.fp, instance.inlining) = (attributes.fp, attributes.inlining);
        if let Some(body) = &function.body {
            self.body.assigned = Rc::new(self.assigned_names(body));
        }
        let mut body_context = *context;
        let mut vectorised = HashMap::new();
        // A further round takes back what the round before said.
        let mark = self.diagnostics.len();
        let (settled, failed) = (self.settled.len(), self.failed.clone());
        let body = loop {
            self.diagnostics.truncate(mark);
            self.body.locals.clear();
            self.body.infos.clear();
            self.body.returns.clear();
            self.body.owned.clear();
            self.body.scopes = vec![HashMap::new()];
            self.body.result = Some(declared.clone());
            self.body.vectorised = std::mem::take(&mut vectorised);
            let target = Target {
                opened: *context,
                inner: body_context,
                demand: None,
                fixed: false,
                owned: 0,
                parallel: None,
                is_switch: false,
            };
            self.body.function = Some(target);
            self.bind_parameters(*item, parameters);
            let Some(ast_body) = &function.body else { break None };
            let block = self.in_context(body_context, function.name.span, |this| this.block(&ast_body.statements));
            let demand = self.body.function.as_ref().and_then(|t| t.demand);
            vectorised = std::mem::take(&mut self.body.vectorised);
            if let Some((length, _)) = demand.filter(|_| body_context == 1) {
                body_context = length;
                continue;
            }
            // A recursive call took Λ; if the result came out otherwise, check again with what came out.
            let result = result_known.unwrap_or_else(|| self.infer_result(&declared, *context));
            let open = self.open[&id];
            let used = open.assumed.or(open.result);
            if self.is_error(result) || used.is_none_or(|used| used == result) {
                break Some((block, result));
            }
            if result_known.is_none() && open.result.is_some() {
                self.error_of_recursion(function, used.unwrap_or(result), result);
                break Some((block, self.program.types.error()));
            }
            self.open.insert(id, OpenInstance { result: Some(result), assumed: None });
            // Instances that were made meanwhile may have relied on the assumption.
            self.forget_instances_after(id);
            self.settled.truncate(settled);
            self.failed.clone_from(&failed);
        };
        let result = match &body {
            Some((_, result)) => *result,
            None => result_known.unwrap_or_else(|| self.vec(&declared, 1, 1, function.result.span)),
        };
        let mut block = body.map(|(block, _)| block);
        if let Some(block) = &mut block {
            self.finish_returns(block, result);
            let is_void = matches!(self.program.types.kind(result), TypeKind::Void | TypeKind::Error);
            let is_main = &*function.name.text == "main";
            if !is_void && falls_off(block) {
                if is_main {
                    self.return_zero(block, result, function.name.span);
                } else if !self.has_errors_in(function.body.as_ref().map(|b| b.span), mark) {
                    // What an error left out may have been the `return`.
                    let message = format!("`{}` may reach its end without a `return`", function.name.text);
                    self.error(&codes::MISSING_RETURN, function.name.span, message);
                }
            }
        }
        if let Some(block) = &block
            && !self.items.functions[*item].is_library
            && !self.has_errors_in(function.body.as_ref().map(|b| b.span), mark)
        {
            self.warn_of_body(block);
        }
        let locals = std::mem::take(&mut self.body.locals);
        if self.body.looks_at_length {
            self.length_dependent.insert(id);
        }
        self.body = outer;
        self.open.remove(&id);
        let signature = self.signature(*item, *context, &locals, result);
        let made = &mut self.program.functions[id.0 as usize];
        made.parameters = parameters.len();
        made.locals = locals;
        made.result = result;
        made.body = block;
        made.signature = signature;
    }

    /// Was something in this part of the text refused since there were so many diagnostics?
    fn has_errors_in(&self, text: Option<Span>, mark: usize) -> bool {
        let is_inside = |s: Span| text.is_some_and(|t| s.file == t.file && t.start <= s.start && s.end <= t.end);
        self.diagnostics.after(mark).iter().any(|d| d.severity == Severity::Error && is_inside(d.span))
    }

    /// The result type, where it does not depend on the returns.
    fn known_result(&mut self, declared: &Declared, context: u8, span: Span) -> Option<Type> {
        match (&declared.base, declared.qualifier) {
            (Base::Void, _) => Some(self.program.types.void()),
            (Base::Error, _) => Some(self.program.types.error()),
            (Base::Reference(_) | Base::Array(..), _) => {
                self.error(&codes::TYPE_MISMATCH, span, "a function returns a value: no reference and no array");
                Some(self.program.types.error())
            }
            (Base::Element(_) | Base::Record(_), Qualifier::Block | Qualifier::Of(_)) => {
                Some(self.vec(declared, context, context, span))
            }
            (Base::Element(_) | Base::Record(_), Qualifier::Unbound) | (Base::Pointer(_), _) => None,
        }
    }

    /// The one length above 1 of the returned values and of the contexts of the returns, else 1.
    fn infer_result(&mut self, declared: &Declared, context: u8) -> Type {
        let _ = context;
        let returns = self.body.returns.clone();
        let mut length = 1;
        let mut first: Option<Span> = None;
        for returned in &returns {
            let own = returned.ty.map_or(1, |ty| self.length(ty));
            for l in [own, returned.context] {
                if l == 1 || l == length {
                    continue;
                }
                if length != 1 {
                    let message = format!("this function returns values of lengths {length} and {l}");
                    let error = Diagnostic::error(&codes::LENGTH_MISMATCH, returned.span, message);
                    let first = first.unwrap_or(returned.span);
                    self.diagnostics.push(error.with_secondary(first, format!("here the length is {length}")));
                    return self.program.types.error();
                }
                length = l;
                first = Some(returned.span);
            }
        }
        let Some(ty) = returns.iter().find_map(|r| r.ty) else {
            return self.vec(declared, length, length, returns.first().map_or(Span::default(), |r| r.span));
        };
        match *self.program.types.kind(ty) {
            TypeKind::Vector { element, .. } => self.program.types.vector(element, length),
            TypeKind::Pointer { pointee, .. } => self.program.types.pointer(pointee, length),
            TypeKind::Record { record, context, .. } => self.record(record, length, context),
            TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } => ty,
        }
    }

    /// Brings every returned value to the result type.
    fn finish_returns(&mut self, block: &mut Block, result: Type) {
        let mut work: Vec<&mut Statement> = block.statements.iter_mut().collect();
        while let Some(statement) = work.pop() {
            match &mut statement.kind {
                StatementKind::Return(Some(value)) => {
                    let placeholder = self.error_expr(value.span);
                    let made = std::mem::replace(value, placeholder);
                    let span = made.span;
                    *value = self.coerce_return(made, result, span);
                }
                StatementKind::Block(block) | StatementKind::Scalar(block) => work.extend(&mut block.statements),
                StatementKind::If { condition: _, then, otherwise } => {
                    work.extend(&mut then.statements);
                    work.extend(&mut otherwise.statements);
                }
                StatementKind::Switch { value: _, arms } => {
                    arms.iter_mut().for_each(|arm| work.extend(&mut arm.body.statements));
                }
                StatementKind::Loop { test_first: _, condition: _, step: _, body }
                | StatementKind::Foreach { parallel: _, indices: _, body }
                | StatementKind::ForeachActive { index: _, body }
                | StatementKind::ForeachUnique { local: _, value: _, body } => work.extend(&mut body.statements),
                StatementKind::Declare { .. }
                | StatementKind::Expression(_)
                | StatementKind::Break
                | StatementKind::Continue
                | StatementKind::Return(None)
                | StatementKind::Delete(..) => {}
            }
        }
        // Lanes leave one by one: a scalar cannot hold what each of them returns.
        let length = self.length(result);
        let returns = self.body.returns.clone();
        if let Some(returned) = returns.iter().find(|r| r.context > 1 && length == 1 && r.ty.is_some()) {
            let message = format!("lanes of a context of length {} return into a scalar", returned.context);
            let error = Diagnostic::error(&codes::VECTOR_TO_SCALAR, returned.span, message);
            self.diagnostics.push(error.with_help("leave the result type unbound, or return for all lanes from `scalar { … }`"));
        }
    }

    fn coerce_return(&mut self, value: ir::Expr, result: Type, span: Span) -> ir::Expr {
        if value.ty == result || self.is_error(result) {
            return value;
        }
        // The access rule held where the value was made.
        let context = std::mem::replace(&mut self.body.context, 1);
        let value = self.coerce(super::operand::Operand::Value(value), result, span);
        self.body.context = context;
        value
    }

    /// `main` without `return` returns 0, as in C.
    fn return_zero(&mut self, block: &mut Block, result: Type, span: Span) {
        if let Some(element) = self.program.types.element(result) {
            let zero = self.int_constant(0, element, span);
            let zero = self.broadcast(zero, result);
            block.statements.push(Statement { kind: StatementKind::Return(Some(zero)), span });
        }
    }

    fn bind_parameters(&mut self, item: usize, types: &[Type]) {
        let function = self.items.functions[item].function;
        for (parameter, &ty) in function.parameters.iter().zip(types) {
            let name = parameter.name.as_ref();
            let (text, span) = name.map_or(("", parameter.span), |n| (&*n.text, n.span));
            let local = self.fresh_local(text, ty, span);
            let declared = self.parameter_type(parameter);
            let is_const = declared.is_const;
            let pointee_const = declared.pointee_is_const() || is_const && self.view_shape(ty).is_some();
            self.body.infos[local.0 as usize] = LocalInfo {
                is_const,
                pointee_const,
                pointee_scalar: declared.pointee_is_scalar(),
                is_reference: matches!(declared.base, Base::Reference(_)),
                ..LocalInfo::default()
            };
            let is_reference = matches!(declared.base, Base::Reference(_));
            self.body.locals[local.0 as usize].pointee_is_const = pointee_const;
            self.body.locals[local.0 as usize].parameter = self.parameter_kind(parameter, &declared, &function.parameters, types);
            if let Some(name) = name {
                self.bind(name, if is_reference { Binding::Reference(local) } else { Binding::Local(local) });
            }
        }
    }

    /// The instance as section 2 of the paper writes it.
    fn signature(&self, item: usize, context: u8, locals: &[ir::Local], result: Type) -> String {
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
        format!("{} {}({})", self.display(result), function.name.text, list.join(", "))
    }
}

/// Can control reach the end of the block?
fn falls_off(block: &Block) -> bool {
    block.statements.iter().all(|s| !leaves(s))
}

/// Does control never come out of the statement at its end?
fn leaves(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Return(_) => true,
        StatementKind::Block(block) | StatementKind::Scalar(block) => !falls_off(block),
        StatementKind::If { condition: _, then, otherwise } => !falls_off(then) && !falls_off(otherwise),
        StatementKind::Loop { test_first, condition, step: _, body } => match condition {
            None => !breaks(body),
            Some(Expr { kind: ExprKind::Constant(Constant::Bool(true)), .. }) => !breaks(body),
            Some(_) => !test_first && !falls_off(body) && !breaks(body),
        },
        StatementKind::Switch { value: _, arms } => {
            arms.iter().any(|arm| arm.is_default)
                && arms.last().is_some_and(|arm| !falls_off(&arm.body))
                && !arms.iter().any(|arm| breaks(&arm.body))
        }
        StatementKind::Declare { .. }
        | StatementKind::Expression(_)
        | StatementKind::Foreach { .. }
        | StatementKind::ForeachActive { .. }
        | StatementKind::ForeachUnique { .. }
        | StatementKind::Break
        | StatementKind::Continue
        | StatementKind::Delete(..) => false,
    }
}

/// Is there a `break` of the loop, or `switch`, with this body?
fn breaks(block: &Block) -> bool {
    block.statements.iter().any(|s| match &s.kind {
        StatementKind::Break => true,
        StatementKind::Block(block) | StatementKind::Scalar(block) => breaks(block),
        StatementKind::If { condition: _, then, otherwise } => breaks(then) || breaks(otherwise),
        StatementKind::Loop { .. }
        | StatementKind::Foreach { .. }
        | StatementKind::ForeachActive { .. }
        | StatementKind::ForeachUnique { .. }
        | StatementKind::Switch { .. }
        | StatementKind::Declare { .. }
        | StatementKind::Expression(_)
        | StatementKind::Return(_)
        | StatementKind::Continue
        | StatementKind::Delete(..) => false,
    })
}
