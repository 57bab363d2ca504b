//! Ends of windows without a closed form: functions that look at each value.
//!
//! ```text
//! (least x * x % 7 for x in [a, b])   ──►   __p__auto__least_1(a, b, 0l), where it is 0 for too many
//! ```

use super::super::expr::{Expr, ExprKind, Extremum, Variable};
use super::super::limits::{ENUMERATED, FAR};
use super::Writer;
use crate::types::Element;
use std::collections::BTreeSet;

/// A function that was written for an extremum, and the variables that it is given.
pub struct Helper {
    extremum: Expr,
    name: String,
    given: BTreeSet<Variable>,
}

impl Writer<'_> {
    /// The call that gives an extremum.
    pub fn extremum(&mut self, e: &Expr, x: &Extremum) -> String {
        let is_it = |helper: &Helper| match helper.extremum.kind() {
            ExprKind::Extremum(known) => {
                let is_same = |a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
                    (Some(a), Some(b)) => a.is_same(b),
                    (a, b) => a.is_none() && b.is_none(),
                };
                (known.is_min, known.variable) == (x.is_min, x.variable)
                    && known.value.is_same(&x.value)
                    && is_same(&known.condition, &x.condition)
            }
            _ => false,
        };
        let at = match self.extrema.iter().position(is_it) {
            Some(at) => at,
            None => {
                self.write_helper(e, x);
                self.extrema.len() - 1
            }
        };
        let (name, given) = (self.extrema[at].name.clone(), self.extrema[at].given.clone());
        let mut arguments: Vec<String> = [&x.low, &x.high, &x.otherwise].map(|e| format!("(int64) {}", self.operand(e))).to_vec();
        for variable in given {
            let (ty, name) = (self.nest.element(variable).name(), self.names.of(self.nest, variable));
            arguments.push(format!("({ty}) {name}"));
        }
        let call = format!("{name}({})", arguments.join(", "));
        if e.element() == Element::Int64 { call } else { format!("((int) {call})") }
    }

    fn write_helper(&mut self, e: &Expr, x: &Extremum) {
        let nest = self.nest;
        let mut given = BTreeSet::new();
        for part in std::iter::once(&x.value).chain(&x.condition) {
            part.walk(&mut |e| {
                if let ExprKind::Variable(v) = e.kind() {
                    given.insert(*v);
                }
            });
        }
        given.remove(&x.variable);
        let name = format!("{}__{}_{}", self.function_name, if x.is_min { "least" } else { "greatest" }, self.extrema.len() + 1);
        let variables: Vec<Variable> = given.iter().copied().chain([x.variable]).collect();
        self.helper(&variables, |this, locals| {
            let mut parameters: Vec<String> = ["low", "high", "otherwise"].map(|p| format!("int64 scalar {p}_end")).to_vec();
            parameters.extend(given.iter().zip(locals).map(|(&v, local)| format!("{} scalar {local}", nest.element(v).name())));
            this.mode("");
            this.line(&format!("int64 scalar {name}({}) {{", parameters.join(", ")));
            this.nested(|this| {
                let (far, variable) = (FAR, this.names.of(nest, x.variable));
                this.line(&format!(
                    "if (high_end - low_end >= {ENUMERATED}l | low_end < -{far}l | high_end > {far}l) return otherwise_end;"
                ));
                this.line(&format!("int64 scalar best_end = {}l;", x.nothing));
                this.line(&format!("foreach (int scalar {variable} = (int) low_end .. (int) high_end + 1) {{"));
                this.nested(|this| {
                    let (value, which) = (this.bare(&x.value), if x.is_min { "min" } else { "max" });
                    let update = format!("best_end = {which}(best_end, (int64) ({value}));");
                    match &x.condition {
                        Some(condition) => {
                            let condition = this.bare(condition);
                            this.line(&format!("if ({condition}) {update}"));
                        }
                        None => this.line(&update),
                    }
                });
                this.line("return best_end;");
            });
        });
        self.extrema.push(Helper { extremum: e.clone(), name, given });
    }
}
