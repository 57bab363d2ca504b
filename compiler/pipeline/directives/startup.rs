//! The numbers of schedules: startup expressions (Definition 4.4) of parameters and windows.

use super::super::bounds::simplify::constant_value;
use super::super::expr::Expr;
use super::Scheduler;
use crate::syntax::ast::{self, BinaryOp as Op, ExprKind as Ast, UnaryOp};
use crate::typed::ir::{BinaryOp, Builtin};
use crate::types::Element;

impl Scheduler<'_> {
    /// A number that is known when the pipeline starts.
    pub fn startup(&mut self, e: &ast::Expr) -> Option<Expr> {
        let made = self.startup_value(e);
        if made.is_none() && !self.failed {
            self.refuse(e.span, "not a startup expression: parameters, windows of inputs, numbers, and arithmetic on them");
        }
        made
    }

    fn startup_value(&mut self, e: &ast::Expr) -> Option<Expr> {
        let span = e.span;
        match &e.kind {
            Ast::Integer { value, suffix: None } => i32::try_from(*value).ok().map(|n| Expr::int(i64::from(n), span)),
            Ast::Parenthesized(inner) => self.startup_value(inner),
            Ast::Unary(UnaryOp::Negate, inner) => {
                let zero = Expr::int(0, span);
                Some(Expr::binary(BinaryOp::Subtract, zero, self.startup_value(inner)?))
            }
            Ast::Name(name) => {
                let pipeline = self.nest.pipeline.clone();
                let scalar = pipeline.parameters.iter().filter_map(|p| match p {
                    super::super::algorithm::Parameter::Scalar(v) => Some(*v),
                    super::super::algorithm::Parameter::Input(_) => None,
                });
                let known = scalar.chain(pipeline.lets.iter().map(|(v, _)| *v));
                let found = known.into_iter().find(|v| pipeline.variable(*v).name == name.text)?;
                (pipeline.variable(found).element == Element::Int32).then(|| Expr::variable(found, Element::Int32, span))
            }
            Ast::Method(of, method, arguments) => {
                let Ast::Name(of) = &of.kind else { return None };
                let pipeline = self.nest.pipeline.clone();
                let input = pipeline.inputs.iter().find(|input| input.name == of.text)?;
                let [ast::Expr { kind: Ast::Integer { value, .. }, .. }] = &arguments[..] else { return None };
                let dimension = input.dimensions.get(*value as usize)?;
                let variable = match &*method.text {
                    "min" => dimension.min,
                    "extent" => dimension.extent,
                    _ => return None,
                };
                Some(Expr::variable(variable, Element::Int32, span))
            }
            Ast::Binary(op, a, b, _) => {
                let op = match op {
                    Op::Add => BinaryOp::Add,
                    Op::Subtract => BinaryOp::Subtract,
                    Op::Multiply => BinaryOp::Multiply,
                    Op::Divide => BinaryOp::Divide,
                    Op::Remainder => BinaryOp::Remainder,
                    _ => return None,
                };
                Some(Expr::binary(op, self.startup_value(a)?, self.startup_value(b)?))
            }
            Ast::Call { name, arguments, .. } => {
                let builtin = match &*name.text {
                    "min" => Builtin::Min,
                    "max" => Builtin::Max,
                    _ => return None,
                };
                let [a, b] = &arguments[..] else { return None };
                Some(Expr::builtin(builtin, vec![self.startup_value(a)?, self.startup_value(b)?]))
            }
            _ => None,
        }
    }

    /// A positive number; a constant one is looked at now, another when the pipeline starts.
    pub fn factor(&mut self, e: &ast::Expr) -> Option<Expr> {
        let made = super::super::bounds::simplify::simplify(&self.startup(e)?);
        match constant_value(&made) {
            Some(n) if n < 1 => {
                self.refuse(e.span, format!("a loop is split by a factor of at least 1, not {n}"));
                None
            }
            Some(_) => Some(made),
            None => {
                let condition = Expr::compare(crate::typed::ir::CompareOp::GreaterEqual, made.clone(), Expr::int(1, e.span));
                self.nest.factors.push(condition);
                Some(made)
            }
        }
    }

    /// A power of two from 1 to 64.
    pub fn lanes(&mut self, e: &ast::Expr) -> Option<u8> {
        let n = constant_value(&super::super::bounds::simplify::simplify(&self.startup(e)?));
        match n {
            Some(n) if (1..=64).contains(&n) && (n as u64).is_power_of_two() => Some(n as u8),
            Some(n) => {
                self.refuse(e.span, format!("{n} is not a power of two up to 64"));
                None
            }
            None => {
                self.refuse(e.span, "a number of lanes is a constant");
                None
            }
        }
    }
}
