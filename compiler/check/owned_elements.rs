//! Memory for the elements of an `hsoa`: `hsoa<T> h(n);`, `new hsoa<T>(n)`, `delete h`.

use super::elements::{BLOCKS, Hsoa};
use super::items::Binding;
use super::operand::Operand;
use super::state::{Checker, LocalInfo};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Memory;
use crate::typed::ir::{BinaryOp, Builtin, CompareOp, Expr, ExprKind, LaneOp, Statement, StatementKind};
use crate::types::{Element as Number, Type};

impl<'a> Checker<'a> {
    /// `new hsoa<T>(n)`
    pub fn new_elements(&mut self, ty: &'a ast::Type, count: &'a ast::Expr, span: Span) -> Operand {
        let declared = self.resolve(ty);
        let of = self.vec(&declared, 1, 1, ty.span);
        let int = self.scalar(Number::Int32);
        let operand = self.expression(count, Some(int));
        if self.is_error(of) || operand.is_error() {
            return Operand::Error(span);
        }
        let Some(hsoa) = self.hsoa(of) else {
            self.not_counted(of, ty.span);
            return Operand::Error(span);
        };
        let count = self.coerce(operand, int, count.span);
        if self.is_error(count.ty) {
            return Operand::Error(span);
        }
        // A negative number is none of blocks, either, and an error where memory is asked for.
        let mut count = self.once(count);
        let first = count.next();
        let (first, again) = (self.wide(first), self.wide(count.next()));
        let (bool, int64, zero) = (self.scalar(Number::Bool), first.ty, self.int_constant(0, Number::Int64, span));
        let negative = Expr { kind: ExprKind::Compare(CompareOp::Less, Box::new(first), Box::new(zero)), ty: bool, span };
        let whole = self.whole_blocks(again.clone(), &hsoa);
        let kind = ExprKind::Conditional(Box::new(negative), Box::new(again), Box::new(whole));
        let blocks = Expr { kind, ty: int64, span };
        let ty = self.program.types.members(of)[BLOCKS].ty;
        let blocks = Expr { kind: ExprKind::New(Memory::Heap, vec![blocks]), ty, span };
        Operand::Value(Expr { kind: ExprKind::Aggregate(vec![blocks, count.next()]), ty: of, span })
    }

    /// Reports a number of elements of what has none.
    fn not_counted(&mut self, ty: Type, span: Span) {
        let message = format!("`{}` has no number of elements", self.display(ty));
        let error = Diagnostic::error(&codes::TYPE_MISMATCH, span, message);
        self.diagnostics
            .push(error.with_help("`new T[n]` is an array, `T x = …;` a variable; `(n)` is the length of an `hsoa<T>`"));
    }

    /// ⌈n / N⌉ for an n of at least 0, in the type of n.
    pub fn whole_blocks(&mut self, n: Expr, hsoa: &Hsoa) -> Expr {
        let before = self.number_op(BinaryOp::Subtract, n, 1);
        let before = self.number_op(BinaryOp::ShiftRight, before, i64::from(hsoa.length.trailing_zeros()));
        self.number_op(BinaryOp::Add, before, 1)
    }

    /// `hsoa<T> h(n);`: it owns its elements.
    pub fn hsoa_declaration(&mut self, variable: &'a ast::Variable, count: &'a ast::Expr, out: &mut Vec<Statement>) {
        let span = variable.span;
        let declared = self.resolve(&variable.ty);
        let ty = self.vec(&declared, 1, 1, variable.ty.span);
        let int = self.scalar(Number::Int32);
        let operand = self.expression(count, Some(int));
        let count = self.coerce(operand, int, count.span);
        let hsoa = self.hsoa(ty);
        if hsoa.is_none() && !self.is_error(ty) {
            self.not_counted(ty, variable.ty.span);
        }
        if self.body.context > 1 {
            let message = format!("an `hsoa` that owns its elements is declared in a context of length {}", self.body.context);
            let error = Diagnostic::error(&codes::CONTEXT_MISMATCH, variable.name.span, message);
            self.push_with_opener(error.with_help("declare it outside, or inside of a scalar block"));
        }
        let local = self.fresh_local(&variable.name.text, ty, variable.name.span);
        let id = super::infer::Variable::Local(self.node(variable.id));
        let info = &mut self.body.infos[local.0 as usize];
        *info = LocalInfo { variable: Some(id), is_initialized: true, is_const: declared.is_const, ..info.clone() };
        self.bind(&variable.name, Binding::Local(local));
        let (Some(hsoa), false) = (hsoa, self.is_error(count.ty) || self.body.context > 1) else {
            self.body.locals[local.0 as usize].ty = self.program.types.error();
            return;
        };
        // A negative length is none.
        let zero = self.int_constant(0, Number::Int32, span);
        let length = Expr { kind: ExprKind::Builtin(Builtin::Lane(LaneOp::Max), vec![count, zero]), ty: int, span };
        let length = self.declared("length", length, out);
        let wide = self.wide(length.clone());
        let blocks = self.whole_blocks(wide, &hsoa);
        let blocks = self.owned_memory("blocks", vec![blocks], self.program.types.members(ty)[BLOCKS].ty, out, span);
        let initializer = Some(Expr { kind: ExprKind::Aggregate(vec![blocks, length]), ty, span });
        out.push(Statement { kind: StatementKind::Declare { local, initializer }, span });
    }
}
