//! Which names a function body may change: a local with a constant initializer that is not among them is a constant
//! expression (language.md §1). By name, so a shadowed name counts for all its bearers.

use super::context::Checker;
use crate::syntax::ast::{Block, Declaration, Expr, ExprKind, Statement, StatementKind, UnaryOp};
use std::collections::HashSet;
use std::rc::Rc;

/// A walk over a body.
struct Walk<'c, 'a> {
    checker: &'c Checker<'a>,
    names: HashSet<Rc<str>>,
}

impl<'a> Checker<'a> {
    /// The names that `body` assigns to, takes the address of, or hands on by reference.
    pub fn assigned_names(&self, body: &Block) -> HashSet<Rc<str>> {
        let mut walk = Walk { checker: self, names: HashSet::new() };
        walk.block(body);
        walk.names
    }
}

impl Walk<'_, '_> {
    fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|s| self.statement(s));
    }

    fn declaration(&mut self, declaration: &Declaration) {
        for variable in &declaration.variables {
            if matches!(variable.ty.kind, crate::syntax::ast::TypeKind::Reference(_))
                && let Some(e) = &variable.initializer
            {
                self.changed(e);
            }
            variable.initializer.iter().for_each(|e| self.expr(e));
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
                self.statement(then);
                otherwise.iter().for_each(|s| self.statement(s));
            }
            StatementKind::While { condition, body } | StatementKind::DoWhile { body, condition } => {
                self.expr(condition);
                self.statement(body);
            }
            StatementKind::For { init, condition, step, body } => {
                self.statement(init);
                condition.iter().chain(step).for_each(|e| self.expr(e));
                self.statement(body);
            }
            StatementKind::Foreach { parallel: _, indices, body } => {
                for index in indices {
                    self.expr(&index.low);
                    self.expr(&index.high);
                }
                self.statement(body);
            }
            StatementKind::ForeachActive { ty: _, name: _, body } | StatementKind::Scalar(body) => self.statement(body),
            StatementKind::ForeachUnique { ty: _, name: _, value, body } => {
                self.expr(value);
                self.statement(body);
            }
            StatementKind::Switch { value, cases } => {
                self.expr(value);
                cases.iter().flat_map(|c| &c.statements).for_each(|s| self.statement(s));
            }
            StatementKind::Return(value) => value.iter().for_each(|e| self.expr(e)),
        }
    }

    /// The variable at the root of a place changes.
    fn changed(&mut self, e: &Expr) {
        let mut e = e;
        loop {
            match &e.kind {
                ExprKind::Name(name) => {
                    self.names.insert(name.text.clone());
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
        match &e.kind {
            ExprKind::Integer { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::Character(_)
            | ExprKind::String(_)
            | ExprKind::Name(_)
            | ExprKind::CurrentMask
            | ExprKind::LaneIndex
            | ExprKind::TypeQuery(..)
            | ExprKind::Error => {}
            ExprKind::VectorLiteral(list) | ExprKind::Aggregate(list) => self.exprs(list),
            ExprKind::Blend(a, b) | ExprKind::Binary(_, a, b, _) | ExprKind::Index(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Unary(op, a) => {
                if *op == UnaryOp::AddressOf {
                    self.changed(a);
                }
                self.expr(a);
            }
            ExprKind::Increment { delta: _, prefix: _, place } => {
                self.changed(place);
                self.expr(place);
            }
            ExprKind::Assign { op: _, place, value } => {
                self.changed(place);
                self.expr(place);
                self.expr(value);
            }
            ExprKind::Conditional(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::Method(a, _, arguments) => {
                self.expr(a);
                self.exprs(arguments);
            }
            // Refused outside of pipelines, where nothing is assigned.
            ExprKind::Reduction { .. } | ExprKind::Component(..) | ExprKind::Range(..) => {}
            ExprKind::Cast(_, a)
            | ExprKind::Member(a, _)
            | ExprKind::Arrow(a, _)
            | ExprKind::Parenthesized(a)
            | ExprKind::New(_, a) => {
                self.expr(a);
            }
            ExprKind::Call { name, template_arguments: _, arguments } => {
                let by_reference = match self.checker.items.overloads.get(&name.text) {
                    Some(overloads) => overloads.iter().any(|&i| {
                        let parameters = &self.checker.items.functions[i].function.parameters;
                        parameters.iter().any(|p| matches!(p.ty.kind, crate::syntax::ast::TypeKind::Reference(_)))
                    }),
                    None => &*name.text == "set",
                };
                if by_reference {
                    arguments.iter().for_each(|e| self.changed(e));
                }
                self.exprs(arguments);
            }
        }
    }
}
