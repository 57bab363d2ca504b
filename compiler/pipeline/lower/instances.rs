//! Functions beside that of a schedule, for what the expressions at hand need: strict ones, and ends of windows that are looked for.
//!
//! # Strict functions
//! Integers and conditions that floats decide, where the mode of the pipeline lets floats be computed in several ways:
//!
//! ```text
//! [[fp(contract)]]                              [[fp(strict)]] int p.s.exact1(int x, float s, float t) {
//! in((int) (x * s + t))                  ──►        return (int) ((((float) x) * s) + t);
//!                                               }
//! ```
//! Windows are computed in one place and coordinates in another. Where an addition is fused with a multiplication in one of them
//! alone, they may differ by as much as an integer has digits, and an access is outside of its window. So what floats decide
//! without looking at pixels is computed strictly wherever it stands. What looks at pixels is bounded by numbers alone (see
//! `bounds::constants`), which hold however it is rounded.
//!
//! # Ends of windows without a closed form
//! ```text
//! (least x * x % 7 for x in [a, b])   ──►   p.s.least1(a, b, 0l), where it is 0 for too many
//! ```

use super::super::expr::{Expr, Extremum, Variable, rebind};
use super::super::limits::{ENUMERATED, FAR};
use super::super::wide::is_decided_by_floats;
use super::body::parameter;
use super::state::Lowering;
use crate::check::schedules::{new_function, new_local};
use crate::target::FpMode;
use crate::typed::ir::{self, BinaryOp, CompareOp, FunctionId, LaneOp, Local, LocalId, StatementKind};
use crate::types::{Element, Type};

impl Lowering<'_> {
    /// A function beside the one at hand.
    pub fn beside(
        &mut self,
        name: &str,
        parameters: Vec<Local>,
        context: u8,
        result: Type,
        work: impl FnOnce(&mut Self),
    ) -> FunctionId {
        let made = new_function(name.to_owned(), self.nest.pipeline.fp, result, self.b.span.get());
        let made = ir::Function { parameters: parameters.len(), locals: parameters, context, ..made };
        let id = self.b.target().add(made);
        self.b.body(id, || work(self));
        id
    }

    /// The same with parameters for variables, which stand for them in it. Where they are scalars, it runs once for all lanes.
    fn beside_of(
        &mut self,
        name: &str,
        variables: &[Variable],
        are_scalars: bool,
        mut parameters: Vec<Local>,
        result: Type,
        work: impl FnOnce(&mut Self),
    ) -> FunctionId {
        let first = parameters.len();
        parameters.extend(self.parameters_for(variables, are_scalars));
        let context = self.b.context();
        let bound = |this: &mut Self, k: usize, v: Variable| this.bound.insert(v, parameter(first + k));
        let outer: Vec<Option<LocalId>> = variables.iter().enumerate().map(|(k, &v)| bound(self, k, v)).collect();
        let varying = self.varying.clone();
        if are_scalars {
            self.varying.clear();
        } else {
            self.varying.extend(variables);
        }
        let made = self.beside(name, parameters, context, result, |this| {
            if !are_scalars || context == 1 {
                return work(this);
            }
            // Lanes that ask for one value get one.
            let block = this.b.block(1, || work(this));
            this.b.push(StatementKind::Scalar(block));
        });
        self.varying = varying;
        for (&variable, local) in variables.iter().zip(outer) {
            rebind(&mut self.bound, variable, local);
        }
        made
    }

    /// The call of a strict function that gives the value of an expression, if there is a reason for one.
    pub fn exact(&mut self, e: &Expr) -> Option<ir::Expr> {
        let has_reason = self.nest.pipeline.fp != FpMode::Strict && !self.is_exact && is_decided_by_floats(e);
        if !has_reason || e.reads_or_calls() || e.has_extrema() {
            return None;
        }
        let (is_uniform, context) = (self.is_uniform(e), self.b.context());
        let key = (e.clone(), is_uniform, context);
        let known = self.exacts.get(&key).copied();
        let function = known.unwrap_or_else(|| self.new_exact(key));
        let value = |v: &Variable| self.variable(*v);
        let given = e.free_variables().iter().map(value);
        let given = given.map(|value| if is_uniform { value } else { self.b.at_length(value, context) }).collect();
        Some(self.b.call(function, given))
    }

    fn new_exact(&mut self, key: (Expr, bool, u8)) -> FunctionId {
        let (ref e, is_uniform, context) = key;
        let name = format!("{}.exact{}", self.name, self.exacts.len() + 1);
        let result = self.b.vector(e.element(), if is_uniform { 1 } else { context });
        self.is_exact = true;
        let function = self.beside_of(&name, e.free_variables(), is_uniform, Vec::new(), result, |this| {
            let value = this.value(e);
            this.b.give(if is_uniform { value } else { this.b.at_length(value, context) });
        });
        self.is_exact = false;
        self.b.target().function_mut(function).fp = FpMode::Strict;
        self.exacts.insert(key, function);
        function
    }

    /// The call that gives an extremum.
    pub fn extremum(&mut self, e: &Expr, x: &Extremum) -> ir::Expr {
        let key = (x.is_min, x.variable, self.b.context(), x.value.clone(), x.condition.clone());
        let known = self.ends.get(&key).copied();
        let (given, function) = (x.variables(), known.unwrap_or_else(|| self.new_end(x)));
        self.ends.insert(key, function);
        let ends = [&x.low, &x.high, &x.otherwise].map(|end| self.b.wide(self.value(end)));
        let given = given.iter().map(|v| self.variable(*v));
        self.b.convert(self.b.call(function, ends.into_iter().chain(given).collect()), e.element())
    }

    fn new_end(&mut self, x: &Extremum) -> FunctionId {
        let name = format!("{}.{}{}", self.name, if x.is_min { "least" } else { "greatest" }, self.ends.len() + 1);
        let (b, int64) = (self.b, self.b.scalar(Element::Int64));
        let parameters = ["low", "high", "otherwise"].map(|name| new_local(name, int64, b.span.get())).to_vec();
        self.beside_of(&name, &x.variables(), true, parameters, int64, |this| {
            let [low, high, otherwise] = [0, 1, 2].map(|k| b.load(parameter(k)));
            let conditions = [
                (CompareOp::GreaterEqual, b.subtract(high.clone(), low.clone()), ENUMERATED),
                (CompareOp::Less, low.clone(), -FAR),
                (CompareOp::Greater, high.clone(), FAR),
            ];
            let is_far = b.joined(BinaryOp::BitOr, conditions.map(|(op, a, most)| b.compare(op, a, b.long(most))));
            b.when(is_far.expect("three conditions"), || b.give(otherwise));
            let best = b.declare("best", b.long(x.nothing));
            let local = b.local(this.nest.name(x.variable), b.scalar(Element::Int32));
            let outer = this.bound.insert(x.variable, local);
            let [low, high] = [low, high].map(|end| b.convert(end, Element::Int32));
            let high = b.add(high, b.int(1));
            let body = b.block(1, || {
                let condition = x.condition.as_ref().map(|condition| this.value(condition));
                let update = b.block(1, || {
                    let value = b.wide(this.value(&x.value));
                    let op = if x.is_min { LaneOp::Min } else { LaneOp::Max };
                    b.store(b.place_of(best), b.extremum(op, b.load(best), value));
                });
                match condition {
                    Some(condition) => b.when(condition, || b.extend(update.statements)),
                    None => b.extend(update.statements),
                }
            });
            b.foreach(false, local, [low, high], body);
            rebind(&mut this.bound, x.variable, outer);
            b.give(b.load(best));
        })
    }
}
