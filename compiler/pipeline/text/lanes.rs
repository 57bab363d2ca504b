//! What is computed inside of a vector loop: each lane has its own window, and its own elements.
//!
//! ```text
//! vector 8 for x in …                               foreach (int block[8] x = …) {
//!   allocate g(?mem g)                                  int block[8] g_x_min = x − 1;   int scalar g_x_len = 3;
//!   for g_x in [g_x_min, +g_x_len)            ──►       scratch float block[8] g[g_x_len];
//!     g[g_x] ← …                                        foreach (int scalar k = 0 .. g_x_len) { int block[8] g_x = g_x_min + k;   *(g + k) = …; }
//!   f[x] ← g[x − 1] + g[x + 1]                          f[x] = *(g + 0) + *(g + 2);
//! ```
//! Loops start at 0 in all lanes and run as often as the lane with most iterations asks for; the others sit out the rest. An
//! element is at its distance from the lane's own first coordinate, so that lanes which are at different coordinates meet the
//! same element of the array, and a load of it is that of a vector. What does not depend on the lanes is computed once for all.

use super::super::bounds::simplify::{constant_value, difference, linear, plus, simplify};
use super::super::expr::{Callee, Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{Binder, Loop, Order, Statement};
use super::names::call_name;
use super::{Place, Writer};
use crate::source::Span;
use crate::types::Element;
use std::collections::HashSet;
use std::fmt::Write;

impl Writer<'_> {
    /// `let v = e`, which has lanes if e has.
    pub fn define(&mut self, variable: Variable, value: &Expr) {
        let length = if self.is_uniform(value) {
            // In another copy of a func it may have lanes.
            self.lane_values.remove(&variable);
            "scalar".to_owned()
        } else {
            self.varying.insert(variable);
            if value.element() == Element::Int32 && !value.reads_or_calls() {
                self.lane_values.insert(variable, value.clone());
            }
            format!("block[{}]", self.length)
        };
        self.note_sum(variable, value);
        let (name, text) = (self.names.of(self.nest, variable), self.bare(value));
        self.line(&format!("{} {length} {name} = {text};", value.element().name()));
    }

    /// Notes what a variable is if that is a sum of variables without one.
    fn note_sum(&mut self, variable: Variable, value: &Expr) {
        self.sums.remove(&variable);
        if value.element() != Element::Int32 || value.reads_or_calls() {
            return;
        }
        let value = simplify(&self.by_sums(value));
        let stays = |e: &Expr| match e.kind() {
            // `done` changes.
            ExprKind::Variable(v) => self.nest.binder(*v) != Some(Binder::Done),
            _ => false,
        };
        if linear(&value).terms.iter().all(|(atom, _)| stays(atom)) {
            self.sums.insert(variable, value);
        }
    }

    /// An expression with the sums in the places of the variables.
    pub fn by_sums(&self, e: &Expr) -> Expr {
        e.without_ranges().substitute(&|v| self.sums.get(&v).cloned())
    }

    /// A loop binds a variable: what another one, of an earlier stage or another copy, said of it is no longer so.
    pub fn bind(&mut self, variable: Variable) {
        self.sums.remove(&variable);
        self.lane_values.remove(&variable);
    }

    /// A call in a vector loop, with vectors for all operands: an instance for some scalars would be another one.
    pub fn call_of_lanes(&mut self, callee: &Callee, arguments: &[Expr], result: Element) -> String {
        let n = self.length;
        let mut texts = Vec::new();
        for e in arguments {
            texts.push(match self.is_uniform(e) {
                true => format!("({} block[{n}]) {}", e.element().name(), self.operand(e)),
                false => self.bare(e),
            });
        }
        let name = if callee.is_lane_wise { call_name(callee) } else { self.lane_by_lane(callee, arguments, result) };
        format!("{name}({})", texts.join(", "))
    }

    /// A function that calls one for each active lane by itself.
    ///
    /// ```text
    /// int block[8] p__s__steps(int block[8] a) { int block[8] r = 0; foreach_active (int k) set(r, steps(get(a, k)), k); return r; }
    /// ```
    fn lane_by_lane(&mut self, callee: &Callee, arguments: &[Expr], result: Element) -> String {
        let (n, result) = (self.length, result.name());
        let parameter = |(k, e): (usize, &Expr)| format!("{} block[{n}] a{k}", e.element().name());
        let parameters: Vec<String> = arguments.iter().enumerate().map(parameter).collect();
        let values: Vec<String> = (0..arguments.len()).map(|k| format!("get(a{k}, lane)")).collect();
        let shape = parameters.join(", ");
        let key = format!("{result} {}({shape}) {n}", callee.name);
        if let Some(name) = self.by_lane.get(&key) {
            return name.clone();
        }
        let name = format!("{}__{}_{}", self.function_name, callee.name, self.by_lane.len());
        let zero = if result == "bool" { "false".to_owned() } else { format!("({result}) 0") };
        let call = format!("{}({})", call_name(callee), values.join(", "));
        let _ = writeln!(
            self.helpers,
            "{result} block[{n}] {name}({shape}) {{ {result} block[{n}] r = {zero}; foreach_active (int lane) set(r, {call}, lane); return r; }}"
        );
        self.by_lane.insert(key, name.clone());
        name
    }

    /// Does an expression read elements that the lanes have each for itself?
    pub fn reads_lanes(&self, e: &Expr) -> bool {
        let mut found = false;
        if self.length > 1 {
            e.walk(&mut |part| {
                if let ExprKind::Read(source, _) = part.kind() {
                    found |= self.buffers.get(source).is_some_and(|place| place.has_lanes);
                }
            });
        }
        found
    }

    /// Has a func that is allocated in a block elements for each lane? It has unless nothing that computes it depends on the
    /// lanes.
    pub fn has_lanes(&self, func: FuncId, block: &[Statement]) -> bool {
        if self.length == 1 {
            return false;
        }
        let mut varying: HashSet<Variable> = self.varying.clone();
        let mut found = false;
        // Funcs that are produced inside of the block before, or with this one, are there in an order in which all that an
        // expression mentions was visited; what the lanes make of loops inside is found in the second round.
        for _ in 0..2 {
            for statement in block {
                statement.walk(&mut |s| {
                    let has = |e: &Expr, varying: &HashSet<Variable>| e.mentions(&|v| varying.contains(&v));
                    match s {
                        Statement::For(l) => {
                            if has(&l.min, &varying) || has(&l.length, &varying) || matches!(l.order, Order::Vector(_)) {
                                varying.insert(l.variable);
                            }
                            let definitions = self.windows.definitions.get(&Some((l.stage, l.variable)));
                            definitions.into_iter().flatten().for_each(|(v, value)| {
                                if has(value, &varying) {
                                    varying.insert(*v);
                                }
                            });
                        }
                        Statement::Let(v, value, _) if has(value, &varying) || !self.is_uniform(value) => {
                            varying.insert(*v);
                        }
                        _ => {}
                    }
                });
            }
        }
        let mut look =
            |e: &Expr| found |= e.mentions(&|v| varying.contains(&v)) || !self.is_uniform(e) || self.reads_funcs(e, func);
        for statement in block {
            statement.walk(&mut |s| {
                if let Statement::Produce(id, body) = s
                    && *id == func
                {
                    body.walk(&mut |part| part.expressions().into_iter().for_each(&mut look));
                }
            });
        }
        found
    }

    /// Does an expression read funcs that are allocated later than at hand, except one? These may have lanes.
    fn reads_funcs(&self, e: &Expr, except: FuncId) -> bool {
        let mut found = false;
        e.walk(&mut |part| {
            if let ExprKind::Read(source @ Source::Func(id, _), _) = part.kind() {
                found |= *id != except && !self.buffers.contains_key(source);
            }
        });
        found
    }

    /// A length as text: the greatest of those of the lanes.
    pub fn shared_length(&mut self, length: &Expr) -> String {
        let text = self.operand(length);
        if self.is_uniform(length) {
            return text;
        }
        let name = self.names.fresh("most");
        self.line(&format!("int scalar {name} = reduce_max({text});"));
        name
    }

    /// A loop with a range that the lanes have each for itself.
    pub fn loop_of_lanes(&mut self, l: &Loop) {
        let counter = self.counter();
        let k = Expr::variable(counter, Element::Int32, Span::default());
        let (text, most) = (self.names.of(self.nest, counter), self.shared_length(&l.length));
        self.line(&format!("foreach (int scalar {text} = 0 .. {most}) {{"));
        let outer = self.varying.clone();
        self.nested(|this| {
            let is_guarded = !this.is_uniform(&l.length);
            if is_guarded {
                let length = this.operand(&l.length);
                this.line(&format!("if ({text} < {length}) {{"));
                this.depth += 1;
            }
            this.define(l.variable, &plus(&l.min, &k));
            this.statement(&l.body);
            if is_guarded {
                this.depth -= 1;
                this.line("}");
            }
        });
        self.varying = outer;
    }

    /// A variable that the nest does not have.
    pub fn counter(&mut self) -> Variable {
        let variable = self.next_counter();
        self.counters += 1;
        let name = self.names.fresh("k");
        self.names.rename(variable, name);
        variable
    }

    /// The next variable that the nest does not have.
    pub fn next_counter(&self) -> Variable {
        let count = self.nest.pipeline.variables.len() + self.nest.variables.len();
        Variable(count as u32 + self.counters)
    }

    /// An expression by what its variables are.
    fn expanded(&self, e: &Expr) -> Expr {
        simplify(&e.expanded(&|v| self.lane_values.get(&v).cloned()))
    }

    /// An element of a func with elements for each lane.
    pub fn element_of_lanes(&mut self, place: &Place, indices: &[Expr]) -> String {
        let mut shared: Vec<String> = Vec::new();
        let mut own: Vec<String> = Vec::new();
        for (d, (index, min)) in indices.iter().zip(&place.low).enumerate() {
            let distance = difference(&self.expanded(index), &self.expanded(min)).map(|n| Expr::int(n, index.span()));
            let distance = distance.unwrap_or_else(|| super::minus(&self.expanded(index), &self.expanded(min)));
            let is_shared = self.is_uniform(&distance);
            let text = match is_shared {
                true if constant_value(&distance) == Some(0) => continue,
                true => self.operand(&distance),
                false => format!("({} - {})", self.operand(index), place.mins[d]),
            };
            let text = match &place.strides[d] {
                Some(stride) => format!("(int64) {text} * {stride}"),
                None => format!("(int64) {text}"),
            };
            if is_shared { shared.push(text) } else { own.push(text) }
        }
        place.element(&shared, &own)
    }
}
