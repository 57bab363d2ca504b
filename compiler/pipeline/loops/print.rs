//! Loops as text, as figures 1 to 3 of the paper show them.
//!
//! ```text
//! allocate f(?mem f_x)
//! produce f:
//!   for x in ?cpu f_x
//!     f[x] = g[x] + g[(x + 1)]
//! ```

use super::super::expr::{Expr, ExprKind, Source};
use super::ir::{Binder, End, HoleKind, Nest, Order, Statement, Storage};
use crate::typed::builtins::name_of;
use crate::typed::interpret::scalar;
use crate::typed::ir::{Builtin, ReduceOp, UnaryOp};
use crate::typed::print::{binary_symbol, compare_symbol};
use std::fmt::Write;

/// The whole nest.
pub fn print(nest: &Nest) -> String {
    let mut out = String::new();
    Printer { nest, out: &mut out }.statement(&nest.body, 0);
    out
}

/// A part of the nest.
pub fn statement(nest: &Nest, statement: &Statement) -> String {
    let mut out = String::new();
    Printer { nest, out: &mut out }.statement(statement, 0);
    out
}

/// An expression.
pub fn expression(nest: &Nest, e: &Expr) -> String {
    let mut out = String::new();
    Printer { nest, out: &mut out }.expression(e)
}

struct Printer<'p> {
    nest: &'p Nest,
    out: &'p mut String,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let pipeline = &self.nest.pipeline;
        match statement {
            Statement::Nop => {}
            Statement::Assert(check) => {
                let text = format!("assert {}, {:?}", self.expression(&check.condition), check.reason);
                self.line(depth, &text);
            }
            Statement::Sequence(list) => list.iter().for_each(|s| self.statement(s, depth)),
            Statement::Allocate(func, storage) => {
                let fold = self.nest.fold(*func).map(|fold| (fold.dimension, fold.factor.clone()));
                let func = pipeline.func(*func);
                let folded = fold.map_or_else(String::new, |(dimension, factor)| {
                    format!(", {} mod {}", self.nest.name(func.variables[dimension]), self.expression(&factor))
                });
                let windows: Vec<String> =
                    func.variables.iter().map(|&v| format!("?mem {}_{}", func.name, self.nest.name(v))).collect();
                let storage = if *storage == Storage::PerLane { " per lane" } else { "" };
                self.line(depth, &format!("allocate {}({}){folded}{storage}", func.name, windows.join(", ")));
            }
            Statement::Store(store) => {
                let indices: Vec<String> = store.indices.iter().map(|e| self.expression(e)).collect();
                let values: Vec<String> = store.values.iter().map(|e| self.expression(e)).collect();
                let values = if values.len() == 1 { values[0].clone() } else { format!("({})", values.join(", ")) };
                let name = &pipeline.func(store.stage.func).name;
                self.line(depth, &format!("{name}[{}] = {values}", indices.join(", ")));
            }
            Statement::Accumulate(update) => {
                let indices: Vec<String> = update.indices.iter().map(|e| self.expression(e)).collect();
                let name = &pipeline.func(update.stage.func).name;
                let how = match (update.is_over_lanes, update.is_atomic) {
                    (true, true) => " over lanes, atomic",
                    (true, false) => " over lanes",
                    (false, _) => " atomic",
                };
                let (op, value) = (update.op, self.expression(&update.value));
                self.line(depth, &format!("{name}[{}] {} {value}{how}", indices.join(", "), assignment(op)));
            }
            Statement::If(condition, body) => {
                let text = format!("if {}", self.expression(condition));
                self.line(depth, &text);
                self.statement(body, depth + 1);
            }
            Statement::Either(condition, sides) => {
                let text = format!("if {}", self.expression(condition));
                self.line(depth, &text);
                self.statement(&sides[0], depth + 1);
                self.line(depth, "else");
                self.statement(&sides[1], depth + 1);
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
                    _ => format!("[{}, +{})", self.expression(&l.min), self.expression(&l.length)),
                };
                let text = format!("{order}for {} in {window}", self.nest.name(l.variable));
                self.line(depth, &text);
                self.statement(&l.body, depth + 1);
            }
            Statement::Foreach(f) => {
                let parallel = if f.is_parallel { "parallel " } else { "" };
                let (low, high) = (self.expression(&f.low), self.expression(&f.high));
                let text = format!("{parallel}foreach {} in {low} .. {high} by {}", self.nest.name(f.variable), f.lanes);
                self.line(depth, &text);
                self.statement(&f.body, depth + 1);
            }
            Statement::Let(variable, value, body) => {
                let text = format!("let {} = {}", self.nest.name(*variable), self.expression(value));
                self.line(depth, &text);
                self.statement(body, depth);
            }
            Statement::Greatest(variable, value, body) => {
                let text = format!("let {} = greatest {}", self.nest.name(*variable), self.expression(value));
                self.line(depth, &text);
                self.statement(body, depth);
            }
            Statement::Slide(done, body) => {
                let text = format!("{} = -oo", self.nest.name(*done));
                self.line(depth, &text);
                self.statement(body, depth);
            }
            Statement::Advance(done, e) => {
                let name = self.nest.name(*done).to_owned();
                let text = format!("{name} = max({name}, {})", self.expression(e));
                self.line(depth, &text);
            }
            Statement::Produce(func, body) => {
                self.line(depth, &format!("produce {}:", pipeline.func(*func).name));
                self.statement(body, depth + 1);
            }
            Statement::Stage(name, body) => {
                let stages = pipeline.func(name.func).stages.len();
                if stages > 1 {
                    self.line(depth, &format!("stage {}:", name.stage));
                    return self.statement(body, depth + 1);
                }
                self.statement(body, depth);
            }
        }
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

    fn list(&mut self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expression(e)).collect::<Vec<_>>().join(", ")
    }

    fn expression(&mut self, e: &Expr) -> String {
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
                let (name, component) = match source {
                    Source::Func(func, component) => {
                        let func = self.nest.pipeline.func(*func);
                        let many = func.elements.len() > 1;
                        (func.name.clone(), if many { format!(".{component}") } else { String::new() })
                    }
                    Source::Input(input) => (self.nest.pipeline.input(*input).name.clone(), String::new()),
                };
                format!("{name}[{}]{component}", self.list(indices))
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
fn assignment(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Add => "+=",
        ReduceOp::Multiply => "*=",
        ReduceOp::And => "&=",
        ReduceOp::Or => "|=",
        ReduceOp::Xor => "^=",
        ReduceOp::Min => "min=",
        ReduceOp::Max => "max=",
    }
}
