//! What occurs in the functions of the law.

use super::batch::{Sample, Value};
use super::model;
use super::tree::*;
use std::collections::BTreeSet;

/// What a sample shows.
pub fn of(sample: &Sample) -> BTreeSet<&'static str> {
    let mut seen = BTreeSet::new();
    for (case, _) in &sample.cases {
        let of = |value: &Value| if matches!(value, Value::Lanes(_)) { case.length } else { 1 };
        let context = if case.mask.is_some() { case.length } else { 1 };
        if model::infer(&sample.group, context, case.arguments.iter().map(of).collect()).1 {
            seen.insert("divergent loops");
        }
        if case.mask.is_some() {
            seen.insert("calls under masks");
        }
        let vectors = case.arguments.iter().filter(|value| matches!(value, Value::Lanes(_))).count();
        if (1..case.arguments.len()).contains(&vectors) {
            seen.insert("scalar and vector arguments");
        }
    }
    for function in &sample.group.functions {
        for p in &function.parameters {
            variable(p.ty, &mut seen);
            if p.passing == Passing::Reference {
                seen.insert("references");
            }
        }
        statements(&function.body, 0, &mut seen);
    }
    if recursive(&sample.group) {
        seen.insert("recursion");
    }
    if mutual(&sample.group) {
        seen.insert("mutual recursion");
    }
    seen
}

fn variable(ty: Ty, seen: &mut BTreeSet<&'static str>) {
    seen.extend(match ty {
        Ty::Int => &[][..],
        Ty::Bool => &["bool"],
        Ty::Array => &["arrays"],
        Ty::Point => &["records"],
        Ty::Mixed | Ty::Points => &["arrays", "records", "records with arrays"],
    });
}

fn statements(list: &[Statement], depth: usize, seen: &mut BTreeSet<&'static str>) {
    for s in list {
        match &s.kind {
            StatementKind::Declare(_, ty, _) => variable(*ty, seen),
            StatementKind::Reference(..) => seen.extend(["references", "local references"]),
            StatementKind::Copy(..) => _ = seen.insert("records copied"),
            StatementKind::Expression(e) => expression(e, seen),
            StatementKind::Block(body) => statements(body, depth, seen),
            StatementKind::If(c, then, otherwise) => {
                expression(c, seen);
                statements(then, depth + 1, seen);
                statements(otherwise, depth + 1, seen);
            }
            StatementKind::While(c, body) => {
                seen.insert("while");
                expression(c, seen);
                statements(body, depth + 1, seen);
            }
            StatementKind::Do(body, c) => {
                seen.insert("do");
                expression(c, seen);
                statements(body, depth + 1, seen);
            }
            StatementKind::For(_, c, _, body) => {
                seen.insert("for");
                expression(c, seen);
                statements(body, depth + 1, seen);
            }
            StatementKind::Break => _ = seen.insert("break"),
            StatementKind::Continue => _ = seen.insert("continue"),
            StatementKind::Return(e) => {
                expression(e, seen);
                if depth > 0 {
                    seen.insert("early exits");
                }
            }
            StatementKind::Switch(_, cases) => {
                seen.insert("switch");
                if cases.iter().any(|(_, body)| !matches!(body.last().map(|s| &s.kind), Some(StatementKind::Break))) {
                    seen.insert("fall through");
                }
                cases.iter().for_each(|(_, body)| statements(body, depth + 1, seen));
            }
        }
    }
}

fn expression(e: &Expr, seen: &mut BTreeSet<&'static str>) {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Read(_) => {}
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => [a, b].into_iter().for_each(|e| expression(e, seen)),
        ExprKind::And(a, b) | ExprKind::Or(a, b) => {
            seen.insert(if changes(b) { "&& || with effects" } else { "&& ||" });
            [a, b].into_iter().for_each(|e| expression(e, seen));
        }
        ExprKind::Conditional(c, a, b) => {
            seen.insert(if changes(a) || changes(b) { "?: with effects" } else { "?:" });
            [c, a, b].into_iter().for_each(|e| expression(e, seen));
        }
        ExprKind::Assign(_, op, value) => {
            if op.is_some() {
                seen.insert("op=");
            }
            expression(value, seen);
        }
        ExprKind::Increment(..) => _ = seen.insert("++ --"),
        ExprKind::Call(_, arguments) => {
            seen.insert("calls");
            for argument in arguments {
                if let Argument::Value(e) = argument {
                    expression(e, seen);
                }
            }
        }
    }
}

/// Has it an effect?
fn changes(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Read(_) => false,
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
            changes(a) || changes(b)
        }
        ExprKind::Conditional(c, a, b) => changes(c) || changes(a) || changes(b),
        ExprKind::Assign(..) | ExprKind::Increment(..) | ExprKind::Call(..) => true,
    }
}

/// The names of helpers that a helper calls, by the text of its tree.
fn called(group: &Group, name: &str) -> BTreeSet<Name> {
    let body = format!("{:?}", group.function(name).body);
    group.functions.iter().map(|f| f.name.clone()).filter(|callee| body.contains(&format!("Call({callee:?}"))).collect()
}

fn recursive(group: &Group) -> bool {
    group.functions.iter().any(|f| called(group, &f.name).contains(&f.name))
}

fn mutual(group: &Group) -> bool {
    let calls = |a: &Function, b: &Function| a.name != b.name && called(group, &a.name).contains(&b.name);
    group.functions.iter().any(|a| group.functions.iter().any(|b| calls(a, b) && calls(b, a)))
}
