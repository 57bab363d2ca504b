//! Expressions as the text of their algorithm has them: for messages, and for the ranges of definitions.

use super::algorithm::Pipeline;
use super::expr::{Expr, ExprKind, Variable};
use crate::typed::builtins::name_of;
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, Builtin, UnaryOp};
use crate::typed::print::{binary_symbol, compare_symbol};
use crate::types::Element;

/// An expression as the text of the algorithm would have it; `name` are the names of its variables.
pub fn expression(pipeline: &Pipeline, name: &dyn Fn(Variable) -> String, e: &Expr) -> String {
    Printer { pipeline, name }.text(e, 0)
}

struct Printer<'p> {
    pipeline: &'p Pipeline,
    name: &'p dyn Fn(Variable) -> String,
}

/// How tight operators bind.
fn strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 3,
        BinaryOp::Add | BinaryOp::Subtract => 2,
        _ => 1,
    }
}

impl Printer<'_> {
    fn text(&self, e: &Expr, around: u8) -> String {
        let list = |list: &[Expr]| list.iter().map(|e| self.text(e, 0)).collect::<Vec<_>>().join(", ");
        let wrap = |made: String, own: u8| if own < around { format!("({made})") } else { made };
        match e.kind() {
            ExprKind::Constant(constant) => {
                let bits = scalar::constant(e.element(), *constant);
                match e.element() {
                    Element::Float => return format!("{:?}", f32::from_bits(bits as u32)),
                    element if element.is_float() => {
                        return format!("{:?}", f64::from_bits(scalar::convert(element, Element::Double, bits)));
                    }
                    _ => {}
                }
                scalar::integer(e.element(), bits).to_string()
            }
            ExprKind::Variable(variable) => (self.name)(*variable),
            ExprKind::Unary(op, a) => {
                let symbol = if *op == UnaryOp::Negate { "-" } else { "!" };
                format!("{symbol}{}", self.text(a, 4))
            }
            ExprKind::Binary(op, a, b) => {
                let own = strength(*op);
                wrap(format!("{} {} {}", self.text(a, own), binary_symbol(*op), self.text(b, own + 1)), own)
            }
            ExprKind::Compare(op, a, b) => wrap(format!("{} {} {}", self.text(a, 2), compare_symbol(*op), self.text(b, 2)), 1),
            ExprKind::And(a, b) => wrap(format!("{} && {}", self.text(a, 1), self.text(b, 1)), 0),
            ExprKind::Or(a, b) => wrap(format!("{} || {}", self.text(a, 1), self.text(b, 1)), 0),
            ExprKind::Conditional(c, a, b) => wrap(format!("{} ? {} : {}", self.text(c, 1), self.text(a, 1), self.text(b, 0)), 0),
            ExprKind::Within(a, ..) => self.text(a, around),
            ExprKind::Convert(a) => format!("({}) {}", e.element().name(), self.text(a, 4)),
            ExprKind::Builtin(op, operands) => format!("{}({})", name_of(Builtin::Lane(*op)), list(operands)),
            ExprKind::Call(callee, operands) => format!("{}({})", callee.name, list(operands)),
            ExprKind::Read(source, indices) => {
                let indices = self.pipeline.in_text_order(indices.clone());
                format!("{}({})", self.pipeline.name_of(*source), list(&indices))
            }
            ExprKind::Extremum(x) => self.text(&x.otherwise, around),
        }
    }
}
