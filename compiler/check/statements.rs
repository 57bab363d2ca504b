//! Statements: declarations, conditions, jumps. Loops are in `loops`.

use super::computed::is_table;
use super::declared::{Base, Declared};
use super::infer::{Mistake, Opened, Value, Variable, Why};
use super::items::Binding;
use super::loops::Jump;
use super::operand::Operand;
use super::state::{Around, Checker, LocalInfo, Returned};
use super::static_mistakes::{StaticMistake, makes};
use crate::diagnostics::{Diagnostic, Edit, Severity, codes};
use crate::source::Span;
use crate::syntax::ast::{self, StatementKind as Ast};
use crate::target::Memory;
use crate::typed::ir::{Block, Expr, PlaceKind, Statement, StatementKind};
use crate::types::{Type, TypeKind};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// T-SCOPE: statements in a scope of their own, in the current context.
    pub fn block(&mut self, statements: &'a [ast::Statement]) -> Block {
        let context = self.body.context;
        let owned = self.body.owned.len();
        let statements = self.scoped(|this| {
            let mut out = Vec::new();
            for statement in statements {
                this.statement(statement, &mut out);
            }
            // What a jump has given back already comes after it.
            if let Some(last) = out.last().filter(|_| this.body.owned.len() > owned) {
                let span = last.span;
                if !matches!(last.kind, StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue) {
                    this.give_back(owned, span, &mut out);
                }
            }
            out
        });
        self.body.owned.truncate(owned);
        Block { context, statements }
    }

    /// A statement as a block, in context `context` that `opener` opens.
    pub fn branch(&mut self, statement: &'a ast::Statement, context: u8, opener: Span) -> Block {
        self.in_context(context, opener, |this| this.block(std::slice::from_ref(statement)))
    }

    pub fn statement(&mut self, statement: &'a ast::Statement, out: &mut Vec<Statement>) {
        let is_expression = matches!(statement.kind, Ast::Expression(_));
        let around = Around { span: statement.span, is_expression, context: self.body.context };
        let around = (!matches!(statement.kind, Ast::Declaration(_))).then_some(around);
        let outer = std::mem::replace(&mut self.body.around, around);
        let (before, temporaries) = (out.len(), std::mem::take(&mut self.body.temporaries));
        self.statement_as_written(statement, out);
        self.body.around = outer;
        // What is evaluated once inside of the statement is declared in front of it.
        let made = std::mem::replace(&mut self.body.temporaries, temporaries);
        let declare = |local| Statement { kind: StatementKind::Declare { local, initializer: None }, span: statement.span };
        out.splice(before..before, made.into_iter().map(declare));
    }

    fn statement_as_written(&mut self, statement: &'a ast::Statement, out: &mut Vec<Statement>) {
        let span = statement.span;
        self.statement_attributes(statement);
        let kind = match &statement.kind {
            Ast::Empty | Ast::Error => return,
            Ast::Block(block) => StatementKind::Block(self.block(&block.statements)),
            Ast::Declaration(declaration) => return self.declaration(declaration, out),
            Ast::Expression(e) => {
                if let Some(arguments) = self.as_requirement(e) {
                    return self.requirement(arguments, e.span, out);
                }
                let operand = self.expression(e, None);
                match operand {
                    Operand::Error(_) | Operand::Untyped(..) => return,
                    Operand::Value(e) => StatementKind::Expression(e),
                    Operand::Place(place) => StatementKind::Expression(self.load(place)),
                    Operand::Element(element) => StatementKind::Expression(self.element_value(*element)),
                }
            }
            Ast::If { condition, then, otherwise } => self.if_statement(condition, then, otherwise.as_deref()),
            Ast::While { condition, body } => {
                let header = self.body.locals.len();
                let parts = super::loops::Parts { test_first: true, header, condition: Some(condition), step: None, body };
                self.loop_statement(statement, &parts)
            }
            Ast::DoWhile { body, condition } => {
                let header = self.body.locals.len();
                let parts = super::loops::Parts { test_first: false, header, condition: Some(condition), step: None, body };
                self.loop_statement(statement, &parts)
            }
            Ast::For { init, condition, step, body } => {
                let context = self.body.context;
                let statements = self.scoped(|this| {
                    let mut out = Vec::new();
                    let owned = this.body.owned.len();
                    let header = this.body.locals.len();
                    let around = this.body.around.take();
                    this.statement_as_written(init, &mut out);
                    this.body.around = around;
                    let (condition, step) = (condition.as_ref(), step.as_ref());
                    let parts = super::loops::Parts { test_first: true, header, condition, step, body };
                    let kind = this.loop_statement(statement, &parts);
                    out.push(Statement { kind, span });
                    this.give_back(owned, span, &mut out);
                    this.body.owned.truncate(owned);
                    out
                });
                StatementKind::Block(Block { context, statements })
            }
            Ast::Foreach { parallel, indices, body } => match self.foreach(statement, *parallel, indices, body) {
                Some(kind) => kind,
                None => return,
            },
            Ast::ForeachElement { parallel, ty, name, value, body } => {
                let element = super::visits::Visited { ty, name, value };
                match self.foreach_element(statement, *parallel, element, body, out) {
                    Some(kind) => kind,
                    None => return,
                }
            }
            Ast::ForeachActive { ty, name, body } => match self.foreach_active(statement, ty, name, body) {
                Some(kind) => kind,
                None => return,
            },
            Ast::ForeachUnique { ty, name, value, body } => match self.foreach_unique(statement, ty, name, value, body) {
                Some(kind) => kind,
                None => return,
            },
            Ast::Switch { value, cases } => self.switch_statement(statement, value, cases),
            Ast::StaticIf { condition, then, otherwise } => {
                let holds = self.static_condition(condition);
                let is_wrong = makes(StaticMistake::Arm) && otherwise.is_some();
                let chosen = match holds.map(|holds| holds != is_wrong) {
                    Some(true) => Some(&**then),
                    Some(false) => otherwise.as_deref(),
                    None => None,
                };
                let Some(chosen) = chosen else { return };
                StatementKind::Block(self.block(std::slice::from_ref(chosen)))
            }
            Ast::StaticFor { index, body } => return self.static_for(statement, index, body, out),
            Ast::StaticAssert(assertion) => return self.static_assertion(assertion),
            Ast::Scalar(body) => {
                let in_foreach = std::mem::replace(&mut self.body.in_foreach, false);
                let block = self.for_all_lanes(|this| this.branch(body, 1, span));
                self.body.in_foreach = in_foreach;
                StatementKind::Scalar(block)
            }
            Ast::Break | Ast::Continue => {
                let jump = if matches!(statement.kind, Ast::Break) { Jump::Break } else { Jump::Continue };
                let Some(owned) = self.jump(jump, span) else { return };
                self.leave_scopes(owned, span, out);
                match jump {
                    Jump::Break => StatementKind::Break,
                    Jump::Continue => StatementKind::Continue,
                }
            }
            Ast::Return(value) => match self.return_statement(value.as_ref(), span) {
                // The value is computed while the images are there.
                Some(StatementKind::Return(Some(value))) if !self.body.owned.is_empty() && !self.is_error(value.ty) => {
                    let local = self.fresh_local("result", value.ty, span);
                    out.push(Statement { kind: StatementKind::Declare { local, initializer: Some(value) }, span });
                    self.leave_scopes(0, span, out);
                    StatementKind::Return(Some(self.load_local(local, span)))
                }
                Some(kind) => {
                    self.leave_scopes(0, span, out);
                    kind
                }
                None => return,
            },
            Ast::Delete(pointer) => {
                let operand = self.expression(pointer, None);
                let mut value = self.value(operand, None);
                if self.is_hsoa(value.ty) {
                    value = self.hsoa_member(&value, super::elements::BLOCKS);
                }
                if !self.is_error(value.ty) && self.program.types.pointee(value.ty).is_none() {
                    let message = format!("`{}` was not made by `new`", self.display(value.ty));
                    self.error(&codes::TYPE_MISMATCH, pointer.span, message);
                    return;
                }
                StatementKind::Delete(Memory::Heap, value)
            }
        };
        out.push(Statement { kind, span });
    }

    /// T-IF, with the decision that a scalar condition never changes Λ.
    fn if_statement(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Statement,
        otherwise: Option<&'a ast::Statement>,
    ) -> StatementKind {
        let condition = self.condition(condition);
        let (then, otherwise, context) = self.narrowed(&condition, |this| {
            let (context, opener) = (this.body.context, condition.span);
            let then = this.unless_left_out(Mistake::Then, |this| this.branch(then, context, opener));
            let otherwise =
                otherwise.map(|otherwise| this.unless_left_out(Mistake::Else, |this| this.branch(otherwise, context, opener)));
            (then, otherwise, context)
        });
        let otherwise = otherwise.unwrap_or(Block { context, statements: Vec::new() });
        StatementKind::If { condition, then, otherwise }
    }

    /// T-DECL, T-INIT
    fn declaration(&mut self, declaration: &'a ast::Declaration, out: &mut Vec<Statement>) {
        for variable in &declaration.variables {
            if declaration.scratch {
                self.scratch_declaration(variable, out);
            } else {
                self.variable_declaration(variable, out);
            }
        }
    }

    fn variable_declaration(&mut self, variable: &'a ast::Variable, out: &mut Vec<Statement>) {
        if let Some(dimensions) = &variable.image {
            return self.image_declaration(variable, dimensions, out);
        }
        if let Some(count) = &variable.elements {
            return self.hsoa_declaration(variable, count, out);
        }
        let name = &variable.name;
        let mark = self.diagnostics.len();
        let declared = self.line_view(variable).unwrap_or_else(|| self.resolve_global(variable));
        self.suggest_scratch(variable, mark);
        match declared.base {
            Base::Void => {
                self.error(&codes::TYPE_MISMATCH, variable.ty.span, "a variable has a value, and `void` has none");
                return;
            }
            Base::Reference(ref inner) => return self.reference_declaration(variable, inner, out),
            Base::Error | Base::Element(_) | Base::Record(_) | Base::Pointer(_) | Base::Array(..) => {}
        }
        let id = Variable::Local(self.node(variable.id));
        let (ty, initializer) = match &variable.initializer {
            None => (self.uninitialized(&declared, variable), None),
            Some(e) => {
                let (ty, value) = self.initialized(&declared, e, id, variable.ty.span);
                (ty, Some(value))
            }
        };
        let accessible = self.is_error(ty)
            || matches!(self.program.types.kind(ty), TypeKind::Array { .. })
            || self.access(ty, variable.ty.span);
        let ty = if accessible { ty } else { self.program.types.error() };
        let local = self.fresh_local(&name.text, ty, name.span);
        let initial = initializer.as_ref().filter(|_| self.length(ty) == 1).and_then(|e| self.evaluate(e));
        let is_changed = self.body.uses.is_changed(variable.id);
        let constant = initial.filter(|_| !is_changed);
        // An array may be written through what points into it.
        let is_whole = declared.is_const || self.program.types.element(ty).is_some() && self.length(ty) == 1;
        let first = initializer.clone().filter(|e| is_whole && !is_changed && !self.is_error(e.ty)).map(Rc::new);
        let unbound = self.is_unbound(&declared, ty).then(|| Rc::new(declared.clone()));
        let info = LocalInfo {
            variable: Some(id),
            is_initialized: variable.initializer.is_some(),
            unbound,
            is_const: declared.is_const,
            pointee_const: declared.pointee_is_const() || declared.is_const && self.is_view(ty),
            pointee_scalar: declared.pointee_is_scalar(),
            constant,
            first,
            ..self.body.infos[local.0 as usize].clone()
        };
        self.body.infos[local.0 as usize] = info;
        self.bind(name, Binding::Local(local));
        if initializer.as_ref().is_some_and(|e| self.is_error(e.ty)) || self.is_error(ty) {
            return;
        }
        if declared.is_const && initializer.is_none() && self.view_shape(ty).is_none() {
            let message = format!("`{}` is `const` and has no value: nothing can set it", name.text);
            self.error(&codes::READ_ONLY, name.span, message);
        }
        if let Some(value) = &initializer {
            self.keep_const(value, self.protects(&declared), &format!("`{}`", name.text), value.span);
        }
        out.push(Statement { kind: StatementKind::Declare { local, initializer }, span: variable.span });
    }

    /// Where the length of an array is not known while compiling, says how such arrays are declared.
    fn suggest_scratch(&mut self, variable: &ast::Variable, mark: usize) {
        if variable.dimensions.is_empty() {
            return;
        }
        for error in self.diagnostics.split_off(mark) {
            let is_it = error.code.name == codes::NOT_CONSTANT.name && error.severity == Severity::Error;
            self.diagnostics.push(match variable.dimensions.len() {
                1 if is_it && variable.initializer.is_none() => error.with_fix(
                    "an array of a length that is known when it runs is declared with `scratch`",
                    vec![Edit::before(variable.ty.span, "scratch ")],
                ),
                _ if is_it => error.with_help("write `scratch T a[w * h];` and index `a[y * w + x]`, or an image, `T a[w, h];`"),
                _ => error,
            });
        }
    }

    /// T-DECL: the type of a variable without initializer. It has Λ lanes where nothing is assigned to it by its name or its lanes are
    /// asked for, else those of what is assigned.
    fn uninitialized(&mut self, declared: &Declared, variable: &ast::Variable) -> Type {
        let (id, span) = (Variable::Local(self.node(variable.id)), variable.ty.span);
        let uses = self.body.uses.clone();
        let context = self.body.context;
        let ty = self.vectorize(declared, 1, span);
        if !self.is_unbound(declared, ty) {
            return self.declared_type(declared, None, span);
        }
        let is_free = uses.is_assigned(variable.id) && !uses.is_looked_at(variable.id);
        let length = if is_free { 1 } else { context };
        // What is free may have any value before it is assigned: it is no reason to be one per lane.
        let value = Value { length, is_callers: self.body.is_callers && length > 1, is_cross_lane: is_free, ..Value::default() };
        self.initialized_by(id, &value, true, Why::Context, variable.name.span);
        if !is_free {
            let ty = self.declared_type(declared, None, span);
            return self.lengthened(declared, ty, self.learnt_length(id));
        }
        let ty = self.facts(id).and_then(|facts| facts.pointee).map_or(ty, |pointee| match declared.base {
            Base::Pointer(_) => self.program.types.pointer(pointee, 1),
            _ => ty,
        });
        self.lengthened(declared, ty, self.learnt_length(id))
    }

    /// The type of an initialized variable, and its value.
    fn initialized(&mut self, declared: &Declared, e: &'a ast::Expr, id: Variable, span: Span) -> (Type, Expr) {
        if is_table(e) {
            let ty = self.vectorize(declared, 1, span);
            let ty = if is_array(declared) { ty } else { self.refuse_table(e.span) };
            let value = self.initializer(e, ty);
            return (ty, value);
        }
        if let ast::ExprKind::Aggregate(parts) = &e.kind {
            let length = self.aggregate_length(parts);
            let ty = self.vectorize(declared, length, span);
            if self.is_error(ty) {
                return (ty, self.error_expr(e.span));
            }
            let is_unbound = self.is_unbound(declared, ty);
            let parts = Value { length, is_callers: self.is_aggregate_callers(parts), ..Value::default() };
            self.initialized_by(id, &parts, is_unbound, Why::Initializer(parts.leaf.clone()), e.span);
            let ty = if is_unbound { self.lengthened(declared, ty, self.learnt_length(id)) } else { ty };
            let value = self.initializer(e, ty);
            return (ty, value);
        }
        let want = match declared.base {
            Base::Element(element) => Some(self.scalar(element)),
            Base::Pointer(_) => Some(self.silently(|this| this.vectorize(declared, 1, span))),
            Base::Error | Base::Void | Base::Record(_) | Base::Reference(_) | Base::Array(..) => None,
        };
        let operand = self.expression(e, want);
        if operand.is_error() {
            let error = self.error_expr(e.span);
            let ty = self.declared_type(declared, Some(&error), span);
            return (ty, error);
        }
        let from = self.operand_type(&operand);
        let ty = self.adopt(declared, from, span);
        if self.is_error(ty) {
            return (ty, self.error_expr(e.span));
        }
        if matches!(self.program.types.kind(ty), TypeKind::Array { .. }) {
            self.error(&codes::TYPE_MISMATCH, e.span, "an array is initialized by `{ … }`");
            // How long its elements were meant to be nobody knows.
            return (self.program.types.error(), self.error_expr(e.span));
        }
        let is_unbound = self.is_unbound(declared, ty);
        let assigned = self.assigned_value(&operand);
        self.initialized_by(id, &assigned, is_unbound, Why::Initializer(assigned.leaf.clone()), e.span);
        let ty = if is_unbound { self.lengthened(declared, ty, self.learnt_length(id)) } else { ty };
        let value = self.coerce(operand, ty, e.span);
        (ty, value)
    }

    /// Do lanes of `{ … }` come from the caller?
    pub fn is_aggregate_callers(&mut self, parts: &'a [ast::Expr]) -> bool {
        parts.iter().any(|part| match &part.kind {
            ast::ExprKind::Aggregate(inner) => self.is_aggregate_callers(inner),
            _ => self.silently(|this| {
                let operand = this.expression(part, None);
                this.assigned_value(&operand).is_callers
            }),
        })
    }

    /// `T& r = place;`
    fn reference_declaration(&mut self, variable: &'a ast::Variable, inner: &Declared, out: &mut Vec<Statement>) {
        let Some(e) = &variable.initializer else {
            self.error(
                &codes::TYPE_MISMATCH,
                variable.name.span,
                "a reference refers to something from the start: write `= place`",
            );
            let error = self.program.types.error();
            let local = self.fresh_local(&variable.name.text, error, variable.name.span);
            self.bind(&variable.name, Binding::Local(local));
            return;
        };
        let operand = self.expression(e, None);
        let names = match &operand {
            Operand::Place(place) => Some(Rc::new(self.meant_by(place))),
            Operand::Untyped(..) | Operand::Value(_) | Operand::Element(_) | Operand::Error(_) => None,
        };
        let Some(pointer) = self.reference_to(operand, inner, e.span) else { return };
        let local = self.fresh_local(&variable.name.text, pointer.ty, variable.name.span);
        let info = &mut self.body.infos[local.0 as usize];
        *info = LocalInfo { pointee_const: inner.is_const, is_reference: true, names, ..info.clone() };
        self.bind(&variable.name, Binding::Reference(local));
        out.push(Statement { kind: StatementKind::Declare { local, initializer: Some(pointer) }, span: variable.span });
    }

    /// The address that a reference of type `inner&` to the operand holds.
    pub fn reference_to(&mut self, operand: Operand, inner: &Declared, span: Span) -> Option<Expr> {
        match operand {
            Operand::Error(_) => None,
            Operand::Untyped(..) | Operand::Value(_) => {
                self.error(&codes::NOT_A_PLACE, span, "a reference refers to a variable or a place in memory, not to a value");
                None
            }
            Operand::Element(element) => {
                self.element_without_address(&element, "a reference is an address");
                None
            }
            Operand::Place(place) => {
                let ty = self.adopt(inner, place.object, span);
                if self.is_error(ty) {
                    return None;
                }
                if ty != place.object {
                    let message = format!("a reference to `{}` refers to `{}`", self.display(ty), self.display(place.object));
                    self.error(&codes::TYPE_MISMATCH, span, message);
                    return None;
                }
                if !inner.is_const
                    && let Some(what) = self.read_only(&place)
                {
                    if matches!(place.kind, PlaceKind::Local(_)) {
                        self.error(&codes::READ_ONLY, span, "a reference that may write refers to something `const`");
                        return None;
                    }
                    self.lose_const(&what, "a reference", false, span);
                }
                Some(self.address(place, span))
            }
        }
    }

    /// `return`, the jump rule with the function as its target.
    fn return_statement(&mut self, value: Option<&'a ast::Expr>, span: Span) -> Option<StatementKind> {
        let context = self.body.context;
        if let Some(parallel) = self.body.targets.iter().rev().find_map(|target| target.parallel) {
            self.parallel_jump("return", span, parallel);
            return None;
        }
        if context > 1 && self.body.in_foreach {
            let error = Diagnostic::error(&codes::RETURN_IN_FOREACH, span, "`return` in the lanes of a `foreach`");
            // What the lanes have each is not what all of them leave with.
            if value.and_then(|value| self.checked_value(value)).is_some_and(|value| self.length(value.ty) > 1) {
                let help = "each lane has a value of its own: keep the one that counts in a scalar variable (the least one is what reduce_min \
                            gives), leave the loop by a break in a scalar block, and return behind it";
                self.diagnostics.push(error.with_help(help));
                return None;
            }
            let edits = vec![Edit::before(span, "scalar { "), Edit::behind(span, " }")];
            let help = "a `foreach` has lanes of its own: write `scalar { return …; }` to leave with all of them, or reduce after the loop";
            self.diagnostics.push(error.with_fix(help, edits));
            return None;
        }
        let declared = self.body.result.clone();
        if context > 1 && context != self.body.base {
            if self.body.base > 1 {
                let message = format!("`return` in a context of length {context} from a function of length {}", self.body.base);
                self.error(&codes::CONTEXT_MISMATCH, span, message);
                return None;
            }
            self.open_function(Opened { length: context, is_callers: self.body.is_callers, span });
        }
        let made = self.returned_value(value, declared, span);
        // What is returned here still is for the lanes that are here.
        self.leaves_function(span);
        made
    }

    /// What a `return` gives.
    fn returned_value(&mut self, value: Option<&'a ast::Expr>, declared: Option<Declared>, span: Span) -> Option<StatementKind> {
        let is_void = declared.as_ref().is_none_or(|d| d.base == Base::Void);
        let Some(e) = value else {
            if !is_void && declared.is_some_and(|d| d.base != Base::Error) {
                self.error(&codes::RETURN_VALUE, span, "this `return` needs a value");
                return None;
            }
            self.body.returns.push(Returned { ty: None, span });
            return Some(StatementKind::Return(None));
        };
        if is_void {
            let _ = self.expression(e, None);
            self.error(&codes::RETURN_VALUE, e.span, "a `void` function returns no value");
            return None;
        }
        let declared = declared.expect("not void");
        let want = match declared.base {
            Base::Element(element) => Some(self.scalar(element)),
            Base::Error | Base::Void | Base::Record(_) | Base::Pointer(_) | Base::Reference(_) | Base::Array(..) => None,
        };
        let operand = match &e.kind {
            ast::ExprKind::Aggregate(parts) => {
                let length = self.aggregate_length(parts);
                let ty = self.vectorize(&declared, length, e.span);
                let value = self.initializer(e, ty);
                self.operand(value)
            }
            _ => self.expression(e, want),
        };
        if operand.is_error() {
            self.body.returns.push(Returned { ty: None, span });
            return None;
        }
        // The element is settled here; the length when all returns are known (`instantiate`).
        let from = self.operand_type(&operand);
        let assigned = self.assigned_value(&operand);
        let is_unbound = self.body.bound_result.is_none() && self.has_unbound_result(&declared);
        self.returns(&assigned, is_unbound, e.span);
        self.returns_to_a_scalar(span);
        let ty = self.adopt(&declared, from, e.span);
        let value = self.coerce(operand, ty, e.span);
        if self.is_error(value.ty) {
            self.body.returns.push(Returned { ty: None, span });
            return None;
        }
        self.keep_const(&value, self.protects(&declared), "who is returned this", e.span);
        self.body.returns.push(Returned { ty: Some(value.ty), span: e.span });
        Some(StatementKind::Return(Some(value)))
    }
}

fn is_array(declared: &Declared) -> bool {
    matches!(declared.base, Base::Array(..) | Base::Error)
}
