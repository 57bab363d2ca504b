//! Integers and conditions that floats decide, where the mode of the pipeline lets floats be computed in several ways.
//!
//! ```text
//! [[fp(contract)]]                              [[fp(strict)]] int __p__auto__exact_1(int x, float s, float t) {
//! in((int) (x * s + t))                  ──►        return (int) ((((float) x) * s) + t);
//!                                               }
//! ```
//! Windows are computed in one place and coordinates in another. Where an addition is fused with a multiplication in one of them
//! alone, they may differ by as much as an integer has digits, and an access is outside of its window. So what floats decide
//! without looking at pixels is computed strictly wherever it stands. What looks at pixels is bounded by numbers alone (see
//! `bounds::constants`), which hold however it is rounded.

use super::super::expr::{Callee, Expr, ExprKind, Variable};
use super::super::wide::is_decided_by_floats;
use super::Writer;
use crate::target::FpMode;
use crate::typed::ir::FunctionId;

use std::collections::BTreeMap;

/// A function that was written for an expression.
pub struct Exact {
    value: Expr,
    is_uniform: bool,
    name: String,
}

impl Writer<'_> {
    /// The call of a strict function that gives the value of an expression, if there is a reason for one.
    pub fn exact(&mut self, e: &Expr) -> Option<String> {
        let has_reason = self.nest.pipeline.fp != FpMode::Strict && !self.is_exact && is_decided_by_floats(e);
        if !has_reason || e.reads_or_calls() || e.has_extrema() {
            return None;
        }
        let is_uniform = self.is_uniform(e);
        let known = self.exacts.iter().position(|known| known.is_uniform == is_uniform && known.value.is_same(e));
        let at = known.unwrap_or_else(|| {
            self.write_exact(e, is_uniform);
            self.exacts.len() - 1
        });
        let name = self.exacts[at].name.clone();
        let given: Vec<Expr> = variables(e).into_values().collect();
        // The text alone is of interest: nothing looks for the function.
        let callee = Callee {
            name: name.as_str().into(),
            function: FunctionId(u32::MAX),
            is_of_program: false,
            is_partial: false,
            is_lane_wise: true,
        };
        Some(match is_uniform {
            true => format!("{name}({})", self.operands(&given)),
            false => self.operand(&Expr::new(ExprKind::Call(callee, given), e.element(), e.span())),
        })
    }

    fn write_exact(&mut self, e: &Expr, is_uniform: bool) {
        let name = format!("{}__exact_{}", self.function_name, self.exacts.len() + 1);
        let scalar = if is_uniform { " scalar" } else { "" };
        let used = variables(e);
        let variables: Vec<Variable> = used.keys().copied().collect();
        self.is_exact = true;
        self.helper(&variables, |this, locals| {
            let parameter = |(local, used): (&String, &Expr)| format!("{}{scalar} {local}", used.element().name());
            let parameters: Vec<String> = locals.iter().zip(used.values()).map(parameter).collect();
            this.line("[[fp(strict)]]");
            this.line(&format!("{}{scalar} {name}({}) {{", e.element().name(), parameters.join(", ")));
            this.nested(|this| {
                let value = this.bare(e);
                // Lanes that ask for one value get one.
                this.line(&if is_uniform { format!("scalar {{ return {value}; }}") } else { format!("return {value};") });
            });
        });
        self.is_exact = false;
        self.exacts.push(Exact { value: e.clone(), is_uniform, name });
    }
}

/// The variables in an expression, as they are used.
fn variables(e: &Expr) -> BTreeMap<Variable, Expr> {
    let mut found = BTreeMap::new();
    e.walk(&mut |part| {
        if let ExprKind::Variable(variable) = part.kind() {
            found.insert(*variable, part.clone());
        }
    });
    found
}
