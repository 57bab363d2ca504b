//! What differs between the lanes of a vector loop, as text: definitions, calls, and elements that each lane has for itself.
//!
//! ```text
//! foreach x in … by 8                               foreach (int block[8] x = …) {
//!   let g_x_min = x − 1                                 int block[8] g_x_min = x − 1;
//!   let g_x_len = 3                                     int scalar g_x_len = 3;
//!   allocate g(?mem g) per lane              ──►        scratch float block[8] g[g_x_len];
//!   …                                                   …
//!   f[x] = g[x − 1] + g[x + 1]                          f[x] = *(g + 0) + *(g + 2);
//! ```
//! An element is at its distance from the lane's own first coordinate, so that lanes which are at different coordinates meet the
//! same element of the array, and a load of it is that of a vector.

use super::super::bounds::simplify::{constant_value, difference, linear, simplify};
use super::super::expr::{Callee, Expr, ExprKind, Variable};
use super::super::loops::ir::Binder;
use super::names::call_name;
use super::{Place, Writer};
use crate::types::Element;
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
