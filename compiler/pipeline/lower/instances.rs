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

use super::super::expr::{Expr, ExprKind, Extremum, Variable};
use super::super::limits::{ENUMERATED, FAR};
use super::super::wide::is_decided_by_floats;
use super::state::{End, Exact, Lowering, parameter};
use crate::check::schedules::{new_function, new_local};
use crate::target::FpMode;
use crate::typed::ir::{self, BinaryOp, CompareOp, ForeachIndex, FunctionId, LaneOp, Local, LocalId, StatementKind};
use crate::types::{Element, Type};
use std::collections::BTreeMap;

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
        let mut function = new_function(name.to_owned(), self.nest.pipeline.fp, result, self.b.span);
        function.parameters = parameters.len();
        function.locals.clone_from(&parameters);
        function.context = context;
        let id = self.b.target.add(function);
        let outer = self.b.begin(parameters, context);
        work(self);
        self.b.finish(id, outer);
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
            this.b.open(1);
            work(this);
            let block = this.b.close();
            this.b.push(StatementKind::Scalar(block));
        });
        self.varying = varying;
        for (&variable, local) in variables.iter().zip(outer) {
            match local {
                Some(local) => self.bound.insert(variable, local),
                None => self.bound.remove(&variable),
            };
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
        let is_it = |known: &&Exact| known.is_uniform == is_uniform && known.context == context && known.value.is_same(e);
        let known = self.exacts.iter().find(is_it).map(|known| known.function);
        let used = variables(e);
        let function = known.unwrap_or_else(|| self.new_exact(e, &used, is_uniform));
        let mut given = Vec::new();
        for variable in used {
            let value = self.variable(variable);
            given.push(if is_uniform { value } else { self.b.at_length(value, context) });
        }
        Some(self.b.call(function, given))
    }

    fn new_exact(&mut self, e: &Expr, used: &[Variable], is_uniform: bool) -> FunctionId {
        let name = format!("{}.exact{}", self.name, self.exacts.len() + 1);
        let context = self.b.context();
        let result = self.b.vector(e.element(), if is_uniform { 1 } else { context });
        self.is_exact = true;
        let function = self.beside_of(&name, used, is_uniform, Vec::new(), result, |this| {
            let value = this.value(e);
            let value = if is_uniform { value } else { this.b.at_length(value, context) };
            this.b.push(StatementKind::Return(Some(value)));
        });
        self.is_exact = false;
        self.b.target.function_mut(function).fp = FpMode::Strict;
        self.exacts.push(Exact { value: e.clone(), is_uniform, context, function });
        function
    }

    /// The call that gives an extremum.
    pub fn extremum(&mut self, e: &Expr, x: &Extremum) -> ir::Expr {
        let context = self.b.context();
        let is_same = |a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
            (Some(a), Some(b)) => a.is_same(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let is_it = |end: &&End| {
            let ExprKind::Extremum(known) = end.extremum.kind() else { return false };
            (known.is_min, known.variable, end.context) == (x.is_min, x.variable, context)
                && known.value.is_same(&x.value)
                && is_same(&known.condition, &x.condition)
        };
        let known = self.ends.iter().find(is_it).map(|end| (end.function, end.given.clone()));
        let (function, given) = known.unwrap_or_else(|| self.new_end(e, x));
        let mut arguments = Vec::new();
        for end in [&x.low, &x.high, &x.otherwise] {
            let end = self.value(end);
            arguments.push(self.b.wide(end));
        }
        arguments.extend(given.into_iter().map(|v| self.variable(v)));
        let call = self.b.call(function, arguments);
        self.b.convert(call, e.element())
    }

    fn new_end(&mut self, e: &Expr, x: &Extremum) -> (FunctionId, Vec<Variable>) {
        let mut given: Vec<Variable> = std::iter::once(&x.value).chain(&x.condition).flat_map(variables).collect();
        given.sort();
        given.dedup();
        given.retain(|v| *v != x.variable);
        let name = format!("{}.{}{}", self.name, if x.is_min { "least" } else { "greatest" }, self.ends.len() + 1);
        let (int, int64) = (self.b.scalar(Element::Int32), self.b.scalar(Element::Int64));
        let parameters = ["low", "high", "otherwise"].map(|name| new_local(name, int64, self.b.span)).to_vec();
        let function = self.beside_of(&name, &given, true, parameters, int64, |this| {
            let [low, high, otherwise] = [0, 1, 2].map(|k| this.b.load(parameter(k)));
            let (far, most) = (this.b.long(FAR), this.b.long(ENUMERATED));
            let near = this.b.long(-FAR);
            let distance = this.b.subtract(high.clone(), low.clone());
            let conditions = [
                (CompareOp::GreaterEqual, distance, most),
                (CompareOp::Less, low.clone(), near),
                (CompareOp::Greater, high.clone(), far),
            ];
            let conditions = conditions.map(|(op, a, b)| this.b.compare(op, a, b)).to_vec();
            let is_far = this.b.joined(BinaryOp::BitOr, conditions).expect("three conditions");
            this.b.when(is_far, |b| b.push(StatementKind::Return(Some(otherwise))));
            let nothing = this.b.long(x.nothing);
            let best = this.b.declare("best", nothing);
            let local = this.b.local(this.nest.name(x.variable), int);
            let outer = this.bound.insert(x.variable, local);
            let (low, high, one) = (this.b.convert(low, Element::Int32), this.b.convert(high, Element::Int32), this.b.int(1));
            let high = this.b.add(high, one);
            this.b.open(1);
            let condition = x.condition.as_ref().map(|condition| this.value(condition));
            this.b.open(1);
            let value = this.value(&x.value);
            let (value, now) = (this.b.wide(value), this.b.load(best));
            let op = if x.is_min { LaneOp::Min } else { LaneOp::Max };
            let better = this.b.builtin(op, vec![now, value], Element::Int64);
            let place = this.b.place_of(best);
            this.b.store(place, better);
            let update = this.b.close();
            match condition {
                Some(condition) => this.b.if_only(condition, update),
                None => this.b.extend(update.statements),
            }
            let body = this.b.close();
            let indices = vec![ForeachIndex { local, low, high }];
            this.b.push(StatementKind::Foreach { parallel: false, indices, body });
            match outer {
                Some(outer) => this.bound.insert(x.variable, outer),
                None => this.bound.remove(&x.variable),
            };
            let best = this.b.load(best);
            this.b.push(StatementKind::Return(Some(best)));
        });
        self.ends.push(End { extremum: e.clone(), context: self.b.context(), given: given.clone(), function });
        (function, given)
    }
}

/// The variables in an expression, in order.
fn variables(e: &Expr) -> Vec<Variable> {
    let mut found = BTreeMap::new();
    e.walk(&mut |part| {
        if let ExprKind::Variable(variable) = part.kind() {
            found.insert(*variable, ());
        }
    });
    found.into_keys().collect()
}
