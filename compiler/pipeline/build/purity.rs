//! The functions that pipelines call: pure and lane-wise, so that it makes no difference how often, in which order and in
//! which lane they run.

use super::Builder;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::target::Memory;
use crate::typed::ir::{Block, Builtin, Expr, ExprKind, FunctionId, Place, PlaceKind, Program, Statement, StatementKind};
use std::collections::HashSet;

impl Builder<'_, '_> {
    /// Is the function *partial*: may it run without end, or index an array with something unproven, on values that are not
    /// those of the algorithm? `None` with an error if it is not pure.
    pub fn pure_function(&mut self, function: FunctionId, call: Span) -> Option<bool> {
        let mut walk =
            Walk { program: self.scope.program(), seen: HashSet::new(), open: Vec::new(), impurity: None, is_partial: false };
        walk.function(function);
        let (impurity, is_partial) = (walk.impurity, walk.is_partial);
        if let Some((what, span)) = impurity {
            let name = self.scope.program().functions[function.0 as usize].name.clone();
            let message = format!("`{name}` is not pure: it has {what}");
            let error = Diagnostic::error(&codes::IMPURE_FUNCTION, call, message).with_secondary(span, format!("{what} is here"));
            self.report(error);
            return None;
        }
        Some(is_partial)
    }
}

struct Walk<'p> {
    program: &'p Program,
    seen: HashSet<FunctionId>,
    open: Vec<FunctionId>,
    impurity: Option<(&'static str, Span)>,
    is_partial: bool,
}

impl Walk<'_> {
    fn function(&mut self, id: FunctionId) {
        if self.open.contains(&id) {
            self.is_partial = true;
            return;
        }
        if !self.seen.insert(id) {
            return;
        }
        let program = self.program;
        let function = &program.functions[id.0 as usize];
        self.open.push(id);
        match &function.body {
            Some(body) => self.block(body),
            None => self.impure("a call of C", function.span),
        }
        self.open.pop();
    }

    fn impure(&mut self, what: &'static str, span: Span) {
        self.impurity.get_or_insert((what, span));
    }

    fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Block(block) | StatementKind::Scalar(block) => self.block(block),
            StatementKind::Declare { local: _, initializer } => self.all(initializer),
            StatementKind::Expression(e) => self.expr(e),
            StatementKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.block(then);
                self.block(otherwise);
            }
            StatementKind::Switch { value, arms } => {
                self.expr(value);
                arms.iter().for_each(|arm| self.block(&arm.body));
            }
            StatementKind::Loop { test_first: _, condition, step, body } => {
                self.is_partial = true;
                self.all(condition);
                self.all(step);
                self.block(body);
            }
            StatementKind::Foreach { parallel: _, indices, body } => {
                for index in indices {
                    self.expr(&index.low);
                    self.expr(&index.high);
                    if ![&index.low, &index.high].iter().all(|e| matches!(e.kind, ExprKind::Constant(_))) {
                        self.is_partial = true;
                    }
                }
                self.block(body);
            }
            StatementKind::ForeachActive { index: _, body } => self.block(body),
            StatementKind::ForeachUnique { local: _, value, body } => {
                self.expr(value);
                self.block(body);
            }
            StatementKind::Return(value) => self.all(value),
            StatementKind::Delete(memory, _) => match memory {
                Memory::Heap => self.impure("`delete`", statement.span),
                // What made it was named already.
                Memory::Scratch => {}
            },
            StatementKind::Break | StatementKind::Continue => {}
        }
    }

    fn all<'e>(&mut self, list: impl IntoIterator<Item = &'e Expr>) {
        list.into_iter().for_each(|e| self.expr(e));
    }

    fn place(&mut self, place: &Place, is_written: bool) {
        match &place.kind {
            PlaceKind::Local(_) => {}
            PlaceKind::Global(_) if is_written => self.impure("an assignment to a global variable", place.span),
            PlaceKind::Global(_) => {}
            PlaceKind::Dereference(_) => self.impure("an access through a pointer", place.span),
            PlaceKind::Member(base, _) => self.place(base, is_written),
            PlaceKind::Element(base, index) => {
                if !matches!(index.kind, ExprKind::Constant(_)) {
                    self.is_partial = true;
                }
                self.expr(index);
                self.place(base, is_written);
            }
            PlaceKind::Temporary(e) => self.expr(e),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Constant(_) | ExprKind::CurrentMask | ExprKind::LaneIndex => {}
            ExprKind::Lanes(list) | ExprKind::Aggregate(list) => self.all(list),
            ExprKind::Load(place) => self.place(place, false),
            ExprKind::AddressOf(_) => self.impure("an address", e.span),
            ExprKind::Within(index, window) => {
                self.expr(index);
                self.expr(&window.min);
                self.expr(&window.extent);
            }
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Broadcast(a) | ExprKind::Member(a, _) => self.expr(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Blend(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::Assign { place, value } | ExprKind::Compound { place, op: _, value, compute_as: _, old_value: _ } => {
                self.place(place, true);
                self.expr(value);
            }
            ExprKind::Call { function, arguments } => {
                self.all(arguments);
                self.function(*function);
            }
            ExprKind::Builtin(builtin, operands) => {
                if !matches!(builtin, Builtin::Lane(_)) {
                    self.impure("a built-in that looks at lanes or memory", e.span);
                }
                self.all(operands);
            }
            ExprKind::SetLane { .. } => self.impure("`set`", e.span),
            ExprKind::PointerOffset(..) | ExprKind::PointerDifference(..) => self.impure("arithmetic on pointers", e.span),
            ExprKind::New(memory, _) => match memory {
                Memory::Heap => self.impure("`new`", e.span),
                Memory::Scratch => self.impure("`scratch`", e.span),
            },
            ExprKind::Print(..) => self.impure("`print`", e.span),
            ExprKind::Assert(..) => self.impure("`assert`", e.span),
        }
    }
}
