//! Ranges as text, for `--emit ranges` and for messages.
//!
//! ```text
//! def conv:
//!     O(h) +=! I(h + kh) * W(kh)
//!         h in [0, H - KH + 1)    by I(h + kh)
//!         kh in [0, KH)           by W(kh)
//! ```

use super::comprehension::{Comprehension, Given, Inferred, Shown};
use crate::pipeline::algorithm::Pipeline;
use crate::pipeline::expr::{Expr, ExprKind};
use crate::typed::builtins::name_of;
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, Builtin, UnaryOp};
use crate::typed::print::{binary_symbol, compare_symbol};
use crate::types::Element;
use std::fmt::Write;

/// The ranges of some definitions.
pub fn ranges(all: &[Comprehension]) -> String {
    let mut out = String::new();
    for Comprehension { pipeline, ranges } in all {
        let _ = writeln!(out, "def {}:", pipeline.name);
        for Inferred { statement, indices } in ranges {
            let _ = writeln!(out, "    {statement}");
            let left = |shown: &Shown| format!("{} in [{}, {})", shown.name, shown.range[0], shown.range[1]);
            let width = indices.iter().map(|shown| left(shown).chars().count()).max().unwrap_or(0);
            for shown in indices {
                let by = match &shown.by {
                    Given::Where => "by where".to_owned(),
                    Given::Accesses(list) => format!("by {}", list.join(", ")),
                };
                let _ = writeln!(out, "        {:width$}    {by}", left(shown));
            }
        }
    }
    out
}

/// An expression as the text of the definition would have it.
pub fn expression(pipeline: &Pipeline, e: &Expr) -> String {
    text(pipeline, e, 0)
}

/// How tight operators bind.
fn strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 3,
        BinaryOp::Add | BinaryOp::Subtract => 2,
        _ => 1,
    }
}

fn text(pipeline: &Pipeline, e: &Expr, around: u8) -> String {
    let list = |list: &[Expr]| list.iter().map(|e| text(pipeline, e, 0)).collect::<Vec<_>>().join(", ");
    let wrap = |made: String, own: u8| if own < around { format!("({made})") } else { made };
    match e.kind() {
        ExprKind::Constant(constant) => {
            let bits = scalar::constant(e.element(), *constant);
            if e.element().is_float() {
                return format!("{:?}", f64::from_bits(scalar::convert(e.element(), Element::Double, bits)));
            }
            scalar::integer(e.element(), bits).to_string()
        }
        ExprKind::Variable(variable) => pipeline.variable(*variable).name.to_string(),
        ExprKind::Unary(op, a) => {
            let symbol = if *op == UnaryOp::Negate { "-" } else { "!" };
            format!("{symbol}{}", text(pipeline, a, 4))
        }
        ExprKind::Binary(op, a, b) => {
            let own = strength(*op);
            wrap(format!("{} {} {}", text(pipeline, a, own), binary_symbol(*op), text(pipeline, b, own + 1)), own)
        }
        ExprKind::Compare(op, a, b) => {
            wrap(format!("{} {} {}", text(pipeline, a, 2), compare_symbol(*op), text(pipeline, b, 2)), 1)
        }
        ExprKind::And(a, b) => wrap(format!("{} && {}", text(pipeline, a, 1), text(pipeline, b, 1)), 0),
        ExprKind::Or(a, b) => wrap(format!("{} || {}", text(pipeline, a, 1), text(pipeline, b, 1)), 0),
        ExprKind::Conditional(c, a, b) => {
            wrap(format!("{} ? {} : {}", text(pipeline, c, 1), text(pipeline, a, 1), text(pipeline, b, 0)), 0)
        }
        ExprKind::Within(a, ..) => text(pipeline, a, around),
        ExprKind::Convert(a) => format!("({}) {}", e.element().name(), text(pipeline, a, 4)),
        ExprKind::Builtin(op, operands) => format!("{}({})", name_of(Builtin::Lane(*op)), list(operands)),
        ExprKind::Call(callee, operands) => format!("{}({})", callee.name, list(operands)),
        ExprKind::Read(source, indices) => {
            let indices = pipeline.in_text_order(indices.clone());
            format!("{}({})", pipeline.name_of(*source), list(&indices))
        }
        ExprKind::Extremum(x) => text(pipeline, &x.otherwise, around),
    }
}
