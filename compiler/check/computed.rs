//! What is computed while compiling: expressions of constants that call functions, and tables.
//!
//! ```text
//! int block[size(3)] v;                                               size is called now
//! const float sine[256] = table(sin(i * step) for i = 0 .. 256);      256 constants
//! ```
//! Arithmetic on constants is folded (`constants`). Anything else that is made of constants is the body of a function that is run by
//! the reference semantics (`typed::interpret`), with bounds on its steps and its memory. So a constant has the value that it would have
//! when the program runs; what goes wrong in it is told where it does.

use super::schedules::new_function;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Severity, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::FpMode;
use crate::typed::interpret::{self, Limits};
use crate::typed::ir::{Block, Constant, Expr, ExprKind, FunctionId, Initializer, Place, PlaceKind, Statement, StatementKind};
use crate::typed::walk::{
    Part, PartMut, parts_of_expr, parts_of_expr_mut, parts_of_place, parts_of_place_mut, parts_of_statement,
};
use crate::types::{Type, TypeKind};
use rustc_hash::FxHashSet;

/// How many steps a constant may take, calls inside one another, and bytes of memory.
const LIMITS: Limits = Limits { steps: Some(10_000_000), calls: 1000, bytes: Some(64 << 20) };

/// How many steps the others may take once one was given up: it may stand in many places, or be asked for again.
const STEPS_BEHIND: u64 = 100_000;

/// How many elements a table may have.
const MAX_TABLE: i128 = 1 << 20;

/// Why something is no constant.
enum Refusal {
    /// It depends on what is known only when the program runs.
    Unknown,
    /// What is in the way, and where.
    Impure(String, Span),
    /// Something went wrong.
    Fault(Box<interpret::Fault>),
    /// It was reported.
    Reported,
}

/// Is it `table(e for i = a .. b)`?
pub(super) fn is_table(e: &ast::Expr) -> bool {
    matches!(&e.kind, ast::ExprKind::Reduction { name, .. } if &*name.text == "table")
}

impl<'a> Checker<'a> {
    /// The value of a scalar expression that is constant; `message` is said of one that is not.
    pub fn computed(&mut self, e: &Expr, message: &str) -> Option<Constant> {
        if let Some(constant) = self.evaluate(e) {
            return Some(constant);
        }
        match self.computed_value(e, message)? {
            Initializer::Constant(constant) => Some(constant),
            Initializer::Zero | Initializer::List(_) => {
                self.error(&codes::NOT_CONSTANT, e.span, message);
                None
            }
        }
    }

    /// The value of an expression of any type that is constant.
    pub fn computed_value(&mut self, e: &Expr, message: &str) -> Option<Initializer> {
        let refusal = match self.run_now(e) {
            Ok(value) => return Some(value),
            Err(refusal) => refusal,
        };
        let error = Diagnostic::error(&codes::NOT_CONSTANT, e.span, message);
        match refusal {
            Refusal::Reported => {}
            Refusal::Unknown => self.diagnostics.push(error),
            Refusal::Impure(why, at) => self.diagnostics.push(error.with_secondary(at, why)),
            Refusal::Fault(fault) => {
                let text = match fault.kind {
                    interpret::FaultKind::Limit => format!("{} for a constant", fault.message),
                    interpret::FaultKind::Assertion
                    | interpret::FaultKind::Refused
                    | interpret::FaultKind::Memory
                    | interpret::FaultKind::Unset
                    | interpret::FaultKind::External
                    | interpret::FaultKind::Stuck => fault.message,
                };
                let error = Diagnostic::error(&codes::NOT_CONSTANT, e.span, format!("this cannot be computed: {text}"));
                let is_here = fault.span == e.span || fault.span == Span::default();
                self.diagnostics.push(if is_here { error } else { error.with_secondary(fault.span, text) });
            }
        }
        None
    }

    /// Runs an expression, if it is made of constants and what it calls is pure.
    fn run_now(&mut self, e: &Expr) -> Result<Initializer, Refusal> {
        let mut closed = e.clone();
        self.close(&mut closed)?;
        let mut pure = Purity { checker: self, seen: FxHashSet::default(), refusal: None, failed: Vec::new() };
        pure.part(Part::Expr(&closed), true);
        let (refusal, failed) = (pure.refusal, pure.failed);
        if !failed.is_empty() {
            // Where no function calls it, nobody else says what is wrong with it.
            self.said_by(&failed).into_iter().for_each(|said| self.diagnostics.push(said));
            return Err(Refusal::Reported);
        }
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        let (ty, span, context) = (e.ty, e.span, self.body.context);
        let id = FunctionId(self.program.functions.len() as u32);
        let mut function = new_function(String::new(), FpMode::Strict, ty, span);
        let statement = Statement { kind: StatementKind::Return(Some(closed)), span };
        (function.context, function.body) = (context, Some(Block { context, statements: vec![statement] }));
        self.program.functions.push(function);
        let steps = if self.gave_up { Some(STEPS_BEHIND) } else { LIMITS.steps };
        let made = interpret::constant(&self.program, id, Limits { steps, ..LIMITS });
        self.program.functions.pop();
        self.gave_up |= made.as_ref().is_err_and(|fault| fault.kind == interpret::FaultKind::Limit);
        made.map_err(Refusal::Fault)
    }

    /// Puts the values of constant locals in their places.
    fn close(&self, e: &mut Expr) -> Result<(), Refusal> {
        if let ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) = &e.kind
            && let Some(constant) = self.body.infos.get(local.0 as usize).and_then(|info| info.constant)
        {
            e.kind = ExprKind::Constant(constant);
            return Ok(());
        }
        let mut result = Ok(());
        parts_of_expr_mut(e, &mut |part| self.close_part(part, &mut result));
        result
    }

    fn close_place(&self, place: &mut Place) -> Result<(), Refusal> {
        if let PlaceKind::Local(local) = place.kind {
            let first = self.body.infos.get(local.0 as usize).and_then(|info| info.first.clone());
            let mut value = first.map(|first| (*first).clone()).ok_or(Refusal::Unknown)?;
            self.close(&mut value)?;
            place.kind = PlaceKind::Temporary(Box::new(value));
            return Ok(());
        }
        let mut result = Ok(());
        parts_of_place_mut(place, &mut |part| self.close_part(part, &mut result));
        result
    }

    fn close_part(&self, part: PartMut, result: &mut Result<(), Refusal>) {
        if result.is_ok() {
            *result = match part {
                PartMut::Expr(e) => self.close(e),
                PartMut::Place(place) => self.close_place(place),
                PartMut::Block(_) => Ok(()),
            };
        }
    }

    // ---- Tables ---------------------------------------------------------------------------------------------------

    /// `table(e for i = a .. b)` where no array is asked for.
    pub fn refuse_table(&mut self, span: Span) -> Type {
        self.error(&codes::TYPE_MISMATCH, span, "a table is the value of an array");
        self.program.types.error()
    }

    /// `table(e for i = a .. b, j = c .. d)` as an array of arrays, the first index outermost.
    pub fn table(&mut self, e: &'a ast::Expr, to: Type) -> Expr {
        let ast::ExprKind::Reduction { name: _, value, rdom, condition } = &e.kind else { return self.error_expr(e.span) };
        if let Some(condition) = condition {
            self.error(&codes::UNSUPPORTED, condition.span, "a table has all its elements: write `c ? a : b`");
            return self.error_expr(e.span);
        }
        self.table_of(value, rdom, to, e.span)
    }

    fn table_of(&mut self, value: &'a ast::Expr, rdom: &'a [ast::Range], to: Type, span: Span) -> Expr {
        let Some((range, inner)) = rdom.split_first() else {
            let made = self.initializer(value, to);
            if self.is_error(made.ty) {
                return made;
            }
            if let Some(constant) = self.evaluate(&made) {
                return Expr { kind: ExprKind::Constant(constant), ty: to, span: value.span };
            }
            return match self.computed_value(&made, "an element of a table is a constant expression") {
                Some(value) => self.constant_expr(&value, to, made.span),
                None => self.error_expr(value.span),
            };
        };
        let TypeKind::Array { element, count } = *self.program.types.kind(to) else {
            if !self.is_error(to) {
                let message = format!("a table with this index is an array, and `{}` is asked for", self.display(to));
                self.error(&codes::TYPE_MISMATCH, range.span, message);
            }
            return self.error_expr(span);
        };
        let bounds = [&range.low, &range.high].map(|e| self.constant_integer(e));
        let [Some(low), Some(high)] = bounds else { return self.error_expr(span) };
        if high - low != i128::from(count) || high - low > MAX_TABLE {
            let message = match high - low > MAX_TABLE {
                true => format!("a table has at most {MAX_TABLE} elements"),
                false => format!("a table of {} elements for an array of {count}", (high - low).max(0)),
            };
            self.error(&codes::TYPE_MISMATCH, range.span, message);
            return self.error_expr(span);
        }
        let mut elements = Vec::with_capacity(count as usize);
        for n in low..high {
            let made = self.scoped(|this| {
                this.bind_number(&range.name, n);
                this.table_of(value, inner, element, span)
            });
            if self.is_error(made.ty) {
                return self.error_expr(span);
            }
            elements.push(made);
        }
        Expr { kind: ExprKind::Aggregate(elements), ty: to, span }
    }

    /// A constant as an expression.
    fn constant_expr(&mut self, value: &Initializer, ty: Type, span: Span) -> Expr {
        let parts: Vec<Type> = match *self.program.types.kind(ty) {
            TypeKind::Vector { element, length } if length > 1 => vec![self.scalar(element); length.into()],
            TypeKind::Array { element, count } => vec![element; count as usize],
            TypeKind::Record { .. } => self.program.types.members(ty).iter().map(|member| member.ty).collect(),
            TypeKind::Vector { .. } | TypeKind::Pointer { .. } | TypeKind::Error | TypeKind::Void => Vec::new(),
        };
        match value {
            Initializer::Constant(constant) => Expr { kind: ExprKind::Constant(*constant), ty, span },
            Initializer::List(list) => {
                let made = list.iter().zip(parts).map(|(value, ty)| self.constant_expr(value, ty, span)).collect();
                let is_vector = matches!(self.program.types.kind(ty), TypeKind::Vector { .. });
                Expr { kind: if is_vector { ExprKind::Lanes(made) } else { ExprKind::Aggregate(made) }, ty, span }
            }
            Initializer::Zero => self.error_expr(span),
        }
    }
}

/// A walk over an expression and all functions that it reaches.
struct Purity<'c, 'a> {
    checker: &'c Checker<'a>,
    seen: FxHashSet<FunctionId>,
    /// The first thing that is in the way.
    refusal: Option<Refusal>,
    /// The functions in which something was refused.
    failed: Vec<FunctionId>,
}

impl Purity<'_, '_> {
    fn refuse(&mut self, why: impl Into<String>, at: Span) {
        self.refusal.get_or_insert_with(|| Refusal::Impure(why.into(), at));
    }

    fn part(&mut self, part: Part, is_outside: bool) {
        match part {
            Part::Expr(e) => {
                self.expr(e);
                parts_of_expr(e, &mut |part| self.part(part, is_outside));
            }
            Part::Place(place) => {
                self.place(place, is_outside);
                parts_of_place(place, &mut |part| self.part(part, is_outside));
            }
            Part::Block(block) => {
                for statement in &block.statements {
                    parts_of_statement(statement, &mut |part| self.part(part, is_outside));
                }
            }
        }
    }

    fn place(&mut self, place: &Place, is_outside: bool) {
        match &place.kind {
            PlaceKind::Local(_) if is_outside => _ = self.refusal.get_or_insert(Refusal::Unknown),
            PlaceKind::Global(global) => {
                let known = &self.checker.program.globals[global.0 as usize];
                if !known.is_const {
                    self.refuse(format!("`{}` is no constant", known.name), place.span);
                }
            }
            PlaceKind::Local(_)
            | PlaceKind::Dereference(_)
            | PlaceKind::Member(..)
            | PlaceKind::Element(..)
            | PlaceKind::Temporary(_) => {}
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Print(..) => self.refuse("this writes text", e.span),
            ExprKind::New(..) => self.refuse("this asks for memory", e.span),
            ExprKind::Call { function, arguments: _ } => self.call(*function, e.span),
            _ => {}
        }
    }

    fn call(&mut self, id: FunctionId, span: Span) {
        if !self.seen.insert(id) {
            return;
        }
        let function = &self.checker.program.functions[id.0 as usize];
        let made = self.checker.made.get(&id);
        if made.is_some_and(|made| made.is_open) {
            return self.refuse(format!("what `{}` is depends on this constant", function.name), span);
        }
        if made.is_some_and(|made| made.said.iter().any(|d| d.severity == Severity::Error)) {
            return self.failed.push(id);
        }
        match &function.body {
            Some(body) => self.part(Part::Block(body), false),
            None if function.is_scheduled => self.refuse("this runs a pipeline", span),
            None => self.refuse(format!("`{}` is a function of C", function.name), span),
        }
    }
}
