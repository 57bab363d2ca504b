//! Loops as text, as figures 1 to 3 of the paper show them.
//!
//! ```text
//! allocate f(?mem f_x)
//! produce f:
//!   for x in ?cpu f_x
//!     f[x] = g[x] + g[(x + 1)]
//! ```

use super::super::expr::{Expr, ExprKind, Source};
use super::ir::{Binder, End, HoleKind, Nest, Operation, Order, Statement, Storage, operation};
use crate::typed::builtins::name_of;
use crate::typed::interpret::scalar;
use crate::typed::ir::{Builtin, ReduceOp, UnaryOp};
use crate::typed::print::{binary_symbol, compare_symbol};
use std::fmt::Write;

/// The whole nest.
pub fn print(nest: &Nest) -> String {
    statement(nest, &nest.body)
}

/// A part of the nest.
pub fn statement(nest: &Nest, statement: &Statement) -> String {
    let mut printer = Printer { nest, out: String::new() };
    printer.statement(statement, 0);
    printer.out
}

/// An expression.
pub fn expression(nest: &Nest, e: &Expr) -> String {
    Printer { nest, out: String::new() }.expression(e)
}

struct Printer<'p> {
    nest: &'p Nest,
    out: String,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let (nest, pipeline) = (self.nest, &self.nest.pipeline);
        let text = |e: &Expr| expression(nest, e);
        // The line of what has something in it, and how much deeper that stands.
        let (head, inner) = match statement {
            Statement::Nop => return,
            Statement::Assert(check) => (format!("assert {}, {:?}", text(&check.condition), check.reason), 0),
            Statement::Sequence(list) => return list.iter().for_each(|s| self.statement(s, depth)),
            Statement::Allocate(func, storage) => {
                let fold = nest.fold(*func);
                let func = pipeline.func(*func);
                let folded = fold.map_or_else(String::new, |fold| {
                    format!(", {} mod {}", nest.name(func.variables[fold.dimension]), text(&fold.factor))
                });
                let windows: Vec<String> =
                    func.variables.iter().map(|&v| format!("?mem {}_{}", func.name, nest.name(v))).collect();
                let storage = if *storage == Storage::PerLane { " per lane" } else { "" };
                (format!("allocate {}({}){folded}{storage}", func.name, windows.join(", ")), 0)
            }
            Statement::Store(store) => {
                let (indices, values) = (self.list(&store.indices), self.list(&store.values));
                let values = if store.values.len() == 1 { values } else { format!("({values})") };
                (format!("{}[{indices}] = {values}", pipeline.func(store.stage.func).name), 0)
            }
            Statement::Accumulate(update) => {
                let how = match (update.is_over_lanes, update.is_atomic) {
                    (true, true) => " over lanes, atomic",
                    (true, false) => " over lanes",
                    (false, _) => " atomic",
                };
                let (name, indices) = (&pipeline.func(update.stage.func).name, self.list(&update.indices));
                (format!("{name}[{indices}] {} {}{how}", assignment(update.op), text(&update.value)), 0)
            }
            Statement::If(condition, _) => (format!("if {}", text(condition)), 1),
            Statement::Either(condition, sides) => {
                self.line(depth, &format!("if {}", text(condition)));
                self.statement(&sides[0], depth + 1);
                self.line(depth, "else");
                return self.statement(&sides[1], depth + 1);
            }
            Statement::For(l) => {
                let order = match l.order {
                    Order::Serial => String::new(),
                    Order::Parallel => "parallel ".into(),
                    Order::Vector(n) => format!("vector {n} "),
                    Order::Unrolled => "unrolled ".into(),
                };
                let window = match (self.hole(&l.min), self.hole(&l.length)) {
                    (Some(min), Some(length)) if min == length => min,
                    _ => format!("[{}, +{})", text(&l.min), text(&l.length)),
                };
                (format!("{order}for {} in {window}", nest.name(l.variable)), 1)
            }
            Statement::Foreach(f) => {
                let parallel = if f.is_parallel { "parallel " } else { "" };
                let (low, high) = (text(&f.low), text(&f.high));
                (format!("{parallel}foreach {} in {low} .. {high} by {}", nest.name(f.variable), f.lanes), 1)
            }
            Statement::Let(variable, value, _) => (format!("let {} = {}", nest.name(*variable), text(value)), 0),
            Statement::Greatest(variable, value, _) => (format!("let {} = greatest {}", nest.name(*variable), text(value)), 0),
            Statement::Slide(done, _) => (format!("{} = -oo", nest.name(*done)), 0),
            Statement::Advance(done, e) => {
                let name = nest.name(*done);
                (format!("{name} = max({name}, {})", text(e)), 0)
            }
            Statement::Produce(func, _) => (format!("produce {}:", pipeline.func(*func).name), 1),
            Statement::Stage(name, body) if pipeline.func(name.func).stages.len() == 1 => return self.statement(body, depth),
            Statement::Stage(name, _) => (format!("stage {}:", name.stage), 1),
        };
        self.line(depth, &head);
        statement.children().into_iter().for_each(|body| self.statement(body, depth + inner));
    }

    /// A hole without its end.
    fn hole(&self, e: &Expr) -> Option<String> {
        let ExprKind::Variable(variable) = e.kind() else { return None };
        let Some(Binder::Hole(hole)) = self.nest.binder(*variable) else { return None };
        let func = self.nest.pipeline.func(hole.func);
        let dimension = self.nest.name(func.variables[hole.dimension]);
        Some(match hole.kind {
            HoleKind::Memory => format!("?mem {}_{dimension}", func.name),
            HoleKind::Compute { stage } if stage + 1 == func.stages.len() => format!("?cpu {}_{dimension}", func.name),
            HoleKind::Compute { stage } => format!("?cpu {}^{stage}_{dimension}", func.name),
        })
    }

    fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expression(e)).collect::<Vec<_>>().join(", ")
    }

    fn expression(&self, e: &Expr) -> String {
        match e.kind() {
            ExprKind::Constant(constant) => {
                let bits = scalar::constant(e.element(), *constant);
                if e.element().is_float() {
                    let value = f64::from_bits(scalar::convert(e.element(), crate::types::Element::Double, bits));
                    return format!("{value:?}");
                }
                scalar::integer(e.element(), bits).to_string()
            }
            ExprKind::Variable(variable) => match (self.hole(e), self.nest.binder(*variable)) {
                (Some(name), Some(Binder::Hole(hole))) => match hole.end {
                    End::Min => format!("({name}).min"),
                    End::Length => format!("({name}).len"),
                },
                _ => self.nest.name(*variable).to_owned(),
            },
            ExprKind::Unary(op, a) => {
                let symbol = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Not => "!",
                };
                format!("{symbol}{}", self.expression(a))
            }
            ExprKind::Binary(op, a, b) => format!("({} {} {})", self.expression(a), binary_symbol(*op), self.expression(b)),
            ExprKind::Compare(op, a, b) => {
                format!("({} {} {})", self.expression(a), compare_symbol(*op), self.expression(b))
            }
            ExprKind::And(a, b) => format!("({} && {})", self.expression(a), self.expression(b)),
            ExprKind::Or(a, b) => format!("({} || {})", self.expression(a), self.expression(b)),
            ExprKind::Conditional(c, a, b) => {
                format!("({} ? {} : {})", self.expression(c), self.expression(a), self.expression(b))
            }
            ExprKind::Within(a, ..) => self.expression(a),
            ExprKind::Convert(a) => format!("(({}) {})", e.element().name(), self.expression(a)),
            ExprKind::Builtin(builtin, operands) => format!("{}({})", name_of(Builtin::Lane(*builtin)), self.list(operands)),
            ExprKind::Call(callee, arguments) => format!("{}({})", callee.name, self.list(arguments)),
            ExprKind::Read(source, indices) => {
                let pipeline = &self.nest.pipeline;
                let component = match source {
                    Source::Func(func, component) if pipeline.func(*func).elements.len() > 1 => format!(".{component}"),
                    Source::Func(..) | Source::Input(_) => String::new(),
                };
                format!("{}[{}]{component}", pipeline.name_of(*source), self.list(indices))
            }
            ExprKind::Extremum(x) => {
                let (which, name) = (if x.is_min { "least" } else { "greatest" }, self.nest.name(x.variable));
                let (low, high, value) = (self.expression(&x.low), self.expression(&x.high), self.expression(&x.value));
                let condition = x.condition.as_ref().map(|c| format!(" if {}", self.expression(c))).unwrap_or_default();
                format!("({which} {value} for {name} in [{low}, {high}]{condition})")
            }
        }
    }
}

/// The operator of an update, as directives and updates write it.
fn assignment(op: ReduceOp) -> String {
    let operator = match operation(op) {
        Operation::Operator(op) => binary_symbol(op),
        Operation::Builtin(op) => name_of(Builtin::Lane(op)),
    };
    format!("{operator}=")
}
