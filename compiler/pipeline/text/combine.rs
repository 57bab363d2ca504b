//! Stores, and updates of what lanes or threads share, as text.
//!
//! ```text
//! f[x] += in[r] over lanes        int block[8] value = (in + …)[r];
//!                          ──►    *(f + …) = *(f + …) + reduce_add(value);
//! f[in[r]] += 1 over lanes        int block[8] value = 1;
//!                                 int block[8] place = (in + …)[r];
//!                          ──►    foreach_active (int k) {
//!                                     int scalar place_2 = get(place, k);
//!                                     *(f + …place_2…) = *(f + …place_2…) + get(value, k);
//!                                 }
//! f[x] += in[r] atomic     ──►    atomic_add(f + …, (in + …)[r]);
//! ```
//! Only active lanes take part: those that the guards and the predicate let through.

use super::super::expr::{Expr, Source, Variable};
use super::super::loops::ir::{Accumulate, Store};
use super::Writer;
use crate::typed::builtins::name_of;
use crate::typed::ir::{Builtin, CrossOp, EffectOp, ReduceOp};
use crate::types::Element;

impl Writer<'_> {
    /// A store: of all values of a tuple at once, and of an associative update as above.
    pub(super) fn store(&mut self, store: &Store) {
        self.span = store.span;
        let func = store.stage.func;
        let values: Vec<String> = store.values.iter().map(|e| self.bare(e)).collect();
        if let [value] = &values[..] {
            let place = self.element_of(Source::Func(func, 0), &store.indices);
            return self.line(&format!("{place} = {value};"));
        }
        // All values, then all stores.
        let elements = self.nest.pipeline.func(func).elements.clone();
        let mut names = Vec::new();
        for (e, (value, element)) in store.values.iter().zip(values.iter().zip(&elements)) {
            let name = self.names.fresh("value");
            let length = if !self.is_uniform(e) { format!("block[{}]", self.length) } else { "scalar".into() };
            self.line(&format!("{} {length} {name} = {value};", element.name()));
            names.push(name);
        }
        for (component, name) in names.iter().enumerate() {
            let place = self.element_of(Source::Func(func, component), &store.indices);
            self.line(&format!("{place} = {name};"));
        }
    }

    /// f(e) = f(e) ⊕ a where lanes or threads share the element.
    pub(super) fn update(&mut self, update: &Accumulate) {
        self.span = update.span;
        if update.is_over_lanes { self.update_by_lanes(update) } else { self.update_by_threads(update) }
    }

    /// For all active lanes.
    fn update_by_lanes(&mut self, store: &Accumulate) {
        let source = Source::Func(store.stage.func, 0);
        let element = store.value.element();
        let length = self.length;
        let value = self.names.fresh("value");
        let text = self.bare(&store.value);
        self.line(&format!("{} block[{length}] {value} = {text};", element.name()));
        let is_shared = store.indices.iter().all(|index| self.is_uniform(index));
        if is_shared && element != Element::Bool {
            let place = self.element_of(source, &store.indices);
            return self.accumulate(store, &place, &format!("{}({value})", name_of(Builtin::Cross(CrossOp::Reduce(store.op)))));
        }
        // Indices that differ between lanes, lane by lane.
        let mut places: Vec<Option<String>> = Vec::new();
        for index in &store.indices {
            if self.is_uniform(index) {
                places.push(None);
                continue;
            }
            let (name, text) = (self.names.fresh("place"), self.bare(index));
            self.line(&format!("int block[{length}] {name} = {text};"));
            places.push(Some(name));
        }
        let k = self.names.fresh("k");
        self.line(&format!("foreach_active (int {k}) {{"));
        let outer = (std::mem::replace(&mut self.length, 1), std::mem::take(&mut self.varying));
        self.nested(|this| {
            let mut indices = Vec::new();
            for (number, (index, place)) in store.indices.iter().zip(&places).enumerate() {
                let Some(place) = place else {
                    indices.push(index.clone());
                    continue;
                };
                let name = this.names.fresh("place");
                this.line(&format!("int scalar {name} = get({place}, {k});"));
                // A variable that no nest has.
                let variable = Variable(u32::MAX - number as u32);
                this.names.rename(variable, name);
                indices.push(Expr::variable(variable, Element::Int32, index.span()));
            }
            let place = this.element_of(source, &indices);
            this.accumulate(store, &place, &format!("get({value}, {k})"));
        });
        (self.length, self.varying) = outer;
    }

    /// Where other threads do the same.
    fn update_by_threads(&mut self, store: &Accumulate) {
        let (value, text) = (self.names.fresh("value"), self.bare(&store.value));
        let length = if self.is_uniform(&store.value) { "scalar".to_owned() } else { format!("block[{}]", self.length) };
        self.line(&format!("{} {length} {value} = {text};", store.value.element().name()));
        let place = self.element_of(Source::Func(store.stage.func, 0), &store.indices);
        self.accumulate(store, &place, &value);
    }

    /// place = place ⊕ value, in one step where threads share it.
    fn accumulate(&mut self, store: &Accumulate, place: &str, value: &str) {
        let line = match store.is_atomic {
            true => format!("{}(&{place}, {value});", name_of(Builtin::Effect(EffectOp::Atomic(store.op)))),
            false => format!("{place} = {};", applied(store.op, place, value)),
        };
        self.line(&line);
    }
}

/// a ⊕ b
fn applied(op: ReduceOp, a: &str, b: &str) -> String {
    let symbol = match op {
        ReduceOp::Add => "+",
        ReduceOp::Multiply => "*",
        ReduceOp::And => "&",
        ReduceOp::Or => "|",
        ReduceOp::Xor => "^",
        ReduceOp::Min => return format!("min({a}, {b})"),
        ReduceOp::Max => return format!("max({a}, {b})"),
    };
    format!("{a} {symbol} {b}")
}
