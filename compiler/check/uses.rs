//! What a function does with its variables, by what is written alone: which it changes, and whose lengths it asks for.
//!
//! A local with a constant initializer that nothing changes is a constant expression (language.md §1). A local without
//! initializer has Λ lanes if nothing is assigned to it by its name, or if its address, its length or its lanes are asked
//! for; else it has those of what is assigned.

use super::items::{Callee, FunctionItem, Home};
use super::state::{Checker, Uses};
use crate::syntax::ast::{Block, Declaration, Expr, ExprKind, Name, NodeId, Statement, StatementKind, TypeKind, UnaryOp};
use crate::syntax::walk::parts;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A walk over a body.
struct Walk<'c, 'a> {
    checker: &'c Checker<'a>,
    home: Home,
    /// The declarators of variables; parameters and the variables of `foreach` have none.
    scopes: Vec<FxHashMap<Rc<str>, Option<NodeId>>>,
    uses: Uses,
}

/// What happens to the variable at the root of a place.
#[derive(Clone, Copy)]
enum Use {
    /// `x = …`, `++x`, by reference.
    Assigned,
    /// `&x`, `set(x, …)`
    Addressed,
    /// `lengthof(x)`, `get(x, …)`
    Asked,
}

impl<'a> Checker<'a> {
    /// The uses of the variables of `function`.
    pub fn uses_of(&self, item: &FunctionItem<'_>) -> Uses {
        let function = item.function;
        let mut walk = Walk { checker: self, home: item.home(), scopes: vec![FxHashMap::default()], uses: Uses::default() };
        function.parameters.iter().filter_map(|p| p.name.as_ref()).for_each(|name| walk.declare(name, None));
        if let Some(body) = &function.body {
            walk.block(body);
        }
        walk.uses
    }
}

impl Walk<'_, '_> {
    fn declare(&mut self, name: &Name, declarator: Option<NodeId>) {
        let scope = self.scopes.last_mut().expect("a scope is open");
        scope.insert(name.text.clone(), declarator);
    }

    fn scoped(&mut self, walk: impl FnOnce(&mut Self)) {
        self.scopes.push(FxHashMap::default());
        walk(self);
        self.scopes.pop();
    }

    fn block(&mut self, block: &Block) {
        self.scoped(|walk| block.statements.iter().for_each(|s| walk.statement(s)));
    }

    /// A statement in a scope of its own.
    fn inner(&mut self, statement: &Statement) {
        self.scoped(|walk| walk.statement(statement));
    }

    fn declaration(&mut self, declaration: &Declaration) {
        for variable in &declaration.variables {
            if matches!(&variable.ty.kind, TypeKind::Reference(inner) if !inner.is_const)
                && let Some(e) = &variable.initializer
            {
                self.used(e, Use::Assigned);
            }
            variable.initializer.iter().for_each(|e| self.expr(e));
            variable.dimensions.iter().flatten().chain(variable.elements.as_deref()).for_each(|e| self.expr(e));
            self.declare(&variable.name, Some(variable.id));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Empty | StatementKind::Break | StatementKind::Continue | StatementKind::Error => {}
            StatementKind::Block(block) => self.block(block),
            StatementKind::Declaration(declaration) => self.declaration(declaration),
            StatementKind::Expression(e) | StatementKind::Delete(e) => self.expr(e),
            StatementKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.inner(then);
                otherwise.iter().for_each(|s| self.inner(s));
            }
            StatementKind::While { condition, body } | StatementKind::DoWhile { body, condition } => {
                self.expr(condition);
                self.inner(body);
            }
            StatementKind::For { init, condition, step, body } => self.scoped(|walk| {
                walk.statement(init);
                condition.iter().chain(step).for_each(|e| walk.expr(e));
                walk.inner(body);
            }),
            StatementKind::Foreach { parallel: _, indices, body } => {
                for index in indices {
                    self.expr(&index.low);
                    self.expr(&index.high);
                }
                self.scoped(|walk| {
                    indices.iter().for_each(|index| walk.declare(&index.name, None));
                    walk.inner(body);
                });
            }
            StatementKind::ForeachActive { ty: _, name, body } => self.scoped(|walk| {
                walk.declare(name, None);
                walk.inner(body);
            }),
            StatementKind::Scalar(body) => self.inner(body),
            StatementKind::StaticIf { condition, then, otherwise } => {
                self.expr(condition);
                self.inner(then);
                otherwise.iter().for_each(|s| self.inner(s));
            }
            StatementKind::StaticFor { index, body } => {
                self.expr(&index.low);
                self.expr(&index.high);
                self.scoped(|walk| {
                    walk.declare(&index.name, None);
                    walk.inner(body);
                });
            }
            StatementKind::StaticAssert(assertion) => self.expr(&assertion.condition),
            StatementKind::ForeachElement { parallel: _, ty: _, name, value, body }
            | StatementKind::ForeachUnique { ty: _, name, value, body } => {
                self.expr(value);
                self.scoped(|walk| {
                    walk.declare(name, None);
                    walk.inner(body);
                });
            }
            StatementKind::Switch { value, cases } => {
                self.expr(value);
                for case in cases {
                    self.scoped(|walk| case.statements.iter().for_each(|s| walk.statement(s)));
                }
            }
            StatementKind::Return(value) => value.iter().for_each(|e| self.expr(e)),
        }
    }

    /// Something happens to the variable at the root of a place.
    fn used(&mut self, e: &Expr, what: Use) {
        let mut e = e;
        loop {
            match &e.kind {
                ExprKind::Name(name) => {
                    let found = self.scopes.iter().rev().find_map(|scope| scope.get(&name.text)).copied().flatten();
                    match what {
                        Use::Assigned => self.uses.assigned.extend(found),
                        Use::Addressed => self.uses.addressed.extend(found),
                        Use::Asked => self.uses.asked.extend(found),
                    }
                    return;
                }
                ExprKind::Parenthesized(inner) | ExprKind::Member(inner, _) | ExprKind::Index(inner, _) => e = inner,
                _ => return,
            }
        }
    }

    fn exprs<'e>(&mut self, list: impl IntoIterator<Item = &'e Expr>) {
        list.into_iter().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Call { name, template_arguments: _, arguments } = &e.kind {
            return self.call(name, arguments);
        }
        // Refused outside of pipelines, where nothing is assigned.
        if let ExprKind::Reduction { .. } | ExprKind::Component(..) | ExprKind::Range(..) = e.kind {
            return;
        }
        if let ExprKind::Unary(UnaryOp::AddressOf, a) = &e.kind {
            self.used(a, Use::Addressed);
        }
        if let ExprKind::Increment { place, .. } | ExprKind::Assign { place, .. } = &e.kind {
            self.used(place, Use::Assigned);
        }
        parts(e, &mut |part| self.expr(part));
    }

    fn call(&mut self, name: &Name, arguments: &[Expr]) {
        self.exprs(arguments);
        let items = &self.checker.items;
        let overloads = match items.meaning_of(&name.text, self.home) {
            Some(Callee::Functions(overloads)) => overloads,
            Some(Callee::Builtin(builtin)) => {
                return match (builtin.text, arguments.first()) {
                    ("get" | "lengthof", Some(first)) => self.used(first, Use::Asked),
                    ("set", Some(first)) => self.used(first, Use::Addressed),
                    _ => {}
                };
            }
            None => return,
        };
        let functions = overloads.iter().map(|&i| items.functions[i].function);
        let by_reference: Vec<usize> = functions
            .flat_map(|f| f.parameters.iter().enumerate())
            .filter(|(_, p)| matches!(&p.ty.kind, TypeKind::Reference(inner) if !inner.is_const))
            .map(|(k, _)| k)
            .collect();
        for (_, e) in arguments.iter().enumerate().filter(|(k, _)| by_reference.contains(k)) {
            self.used(e, Use::Assigned);
        }
    }
}
