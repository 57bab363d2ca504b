//! The functions that pipelines call: pure and lane-wise, so that it makes no difference how often, in which order and in
//! which lane they run.

use super::Builder;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::target::Memory;
use crate::typed::ir::{Block, Builtin, Expr, ExprKind, FunctionId, Place, PlaceKind, Program, Statement, StatementKind};
use crate::typed::walk::{Part, parts_of_expr, parts_of_statement};
use rustc_hash::FxHashSet;

impl Builder<'_, '_> {
    /// Is the function *partial*: may it run without end, or index an array with something unproven, on values that are not
    /// those of the algorithm? `None` with an error if it is not pure.
    pub fn pure_function(&mut self, function: FunctionId, call: Span) -> Option<bool> {
        let mut walk = Walk {
            program: self.scope.program(),
            seen: FxHashSet::default(),
            open: Vec::new(),
            impurity: None,
            is_partial: false,
        };
        walk.function(function);
        let (impurity, is_partial) = (walk.impurity, walk.is_partial);
        if let Some((what, span)) = impurity {
            let name = self.scope.program().functions[function.0 as usize].name.clone();
            let message = format!("`{name}` is not pure: it has {what}");
            let error = Diagnostic::error(&codes::IMPURE_FUNCTION, call, message).with_secondary(span, format!("{what} is here"));
            return self.report(error);
        }
        Some(is_partial)
    }
}

struct Walk<'p> {
    program: &'p Program,
    seen: FxHashSet<FunctionId>,
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
            StatementKind::Loop { test_first: _, unrolling: _, condition, step, body } => {
                self.is_partial = true;
                condition.iter().chain(step).for_each(|e| self.expr(e));
                return self.block(body);
            }
            StatementKind::Foreach { parallel: _, unrolling: _, indices, body: _ } => {
                let mut ends = indices.iter().flat_map(|index| [&index.low, &index.high]);
                self.is_partial |= !ends.all(|e| matches!(e.kind, ExprKind::Constant(_)));
            }
            StatementKind::Delete(Memory::Heap, _) => self.impure("`delete`", statement.span),
            // What made it was named already.
            StatementKind::Delete(Memory::Scratch, _) => {}
            StatementKind::Block(_) | StatementKind::Declare { .. } | StatementKind::Expression(_) => {}
            StatementKind::If { .. } | StatementKind::Switch { .. } | StatementKind::Scalar(_) => {}
            StatementKind::ForeachActive { .. } | StatementKind::ForeachUnique { .. } => {}
            StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue => {}
        }
        parts_of_statement(statement, &mut |part| self.part(part));
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Expr(e) => self.expr(e),
            Part::Place(place) => self.place(place, false),
            Part::Block(block) => self.block(block),
        }
    }

    fn place(&mut self, place: &Place, is_written: bool) {
        match &place.kind {
            PlaceKind::Local(_) => {}
            PlaceKind::Global(_) if is_written => self.impure("an assignment to a global variable", place.span),
            PlaceKind::Global(_) => {}
            PlaceKind::Dereference(_) => self.impure("an access through a pointer", place.span),
            PlaceKind::Member(base, _) => self.place(base, is_written),
            PlaceKind::Element(base, index) => {
                self.is_partial |= !matches!(index.kind, ExprKind::Constant(_));
                self.expr(index);
                self.place(base, is_written);
            }
            PlaceKind::Temporary(e) => self.expr(e),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::AddressOf(_) => self.impure("an address", e.span),
            ExprKind::Assign { place, value } | ExprKind::Compound { place, op: _, value, compute_as: _, old_value: _ } => {
                self.place(place, true);
                return self.expr(value);
            }
            ExprKind::Call { function, arguments } => {
                arguments.iter().for_each(|e| self.expr(e));
                return self.function(*function);
            }
            ExprKind::Builtin(Builtin::Lane(_), _) => {}
            ExprKind::Builtin(..) => self.impure("a built-in that looks at lanes or memory", e.span),
            ExprKind::SetLane { .. } => self.impure("`set`", e.span),
            ExprKind::PointerOffset(..) | ExprKind::PointerDifference(..) => self.impure("arithmetic on pointers", e.span),
            ExprKind::New(Memory::Heap, _) => self.impure("`new`", e.span),
            ExprKind::New(Memory::Scratch, _) => self.impure("`scratch`", e.span),
            ExprKind::Print(..) => self.impure("`print`", e.span),
            ExprKind::Assert(..) => self.impure("`assert`", e.span),
            ExprKind::Constant(_) | ExprKind::CurrentMask | ExprKind::LaneIndex | ExprKind::Lanes(_) => {}
            ExprKind::Load(_) | ExprKind::Member(..) | ExprKind::Aggregate(_) | ExprKind::Within(..) => {}
            ExprKind::Unary(..) | ExprKind::Convert(_) | ExprKind::Broadcast(_) => {}
            ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => {}
            ExprKind::Blend(..) | ExprKind::Conditional(..) => {}
        }
        parts_of_expr(e, &mut |part| self.part(part));
    }
}
