//! Statements of a completed nest, one by one.
//!
//! ```text
//! for y in (a, n) do s                   foreach (int64 scalar y = a .. a + n) s          and y as an `int`, where it is no part of an index
//! foreach x in a .. b by 8: s      ──►   foreach (int block[8] x = a .. b) s
//! let v = e in s                         int v = e;  s                            with lanes if e has
//! f[x] ⊕= e over lanes                   f[x] = f[x] ⊕ reduce(e)                  where the lanes share the element
//!                                        foreach_active (int k) …                 where each has its own
//! f[x] ⊕= e atomic                       atomic(&f[x], e)
//! ```
//! Only active lanes take part: those that the guards and the predicate let through.

use super::super::expr::{Expr, Source, Variable};
use super::super::limits::NOTHING_DONE;
use super::super::loops::ir::{Accumulate, Foreach, Loop, Operation, Order, Statement, Store, operation};
use super::state::Lowering;
use crate::target::Memory;
use crate::typed::ir::{self, Builtin, CrossOp, EffectOp, LaneOp, LocalId, StatementKind};
use crate::types::Element;

impl Lowering<'_> {
    /// A statement.
    pub fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Nop => {}
            Statement::Assert(check) => self.check(check),
            Statement::Sequence(list) => self.sequence(list),
            Statement::Allocate(..) => unreachable!("an allocation stands in a sequence"),
            Statement::Store(store) => self.store(store),
            Statement::Accumulate(update) => self.accumulate(update),
            Statement::If(condition, body) => self.branch(condition, body, &Statement::Nop),
            Statement::Either(condition, sides) => self.branch(condition, &sides[0], &sides[1]),
            Statement::For(l) => self.serial(l),
            Statement::Foreach(f) => self.blocks(f),
            Statement::Let(variable, value, body) => {
                self.define(*variable, value);
                self.statement(body);
            }
            Statement::Greatest(variable, value, body) => {
                let greatest = self.b.greatest(self.value(value));
                self.receive(*variable, greatest);
                self.statement(body);
            }
            Statement::Slide(done, body) => {
                self.receive(*done, self.b.int(NOTHING_DONE));
                self.statement(body);
            }
            Statement::Advance(done, e) => {
                let most = self.b.builtin(LaneOp::Max, vec![self.variable(*done), self.value(e)], Element::Int32);
                self.b.store(self.b.place_of(self.bound[done]), most);
            }
            Statement::Produce(func, body) => {
                self.b.span.set(self.nest.pipeline.func(*func).span);
                self.statement(body);
            }
            Statement::Stage(stage, body) => {
                let stages = &self.nest.pipeline.func(stage.func).stages;
                self.b.span.set(stages[stage.stage].span);
                self.statement(body);
            }
        }
    }

    /// The statements of a sequence, with the memory that it allocates.
    fn sequence(&mut self, list: &[Statement]) {
        let mut owned: Vec<LocalId> = Vec::new();
        for s in list {
            if let Statement::Allocate(func, storage) = s {
                owned.extend(self.allocate(*func, *storage));
            } else {
                self.statement(s);
            }
        }
        owned.into_iter().rev().for_each(|pointer| self.b.release(Memory::Scratch, pointer));
    }

    /// `if (condition) then else otherwise`
    fn branch(&mut self, condition: &Expr, then: &Statement, otherwise: &Statement) {
        let (condition, context) = (self.value(condition), self.b.context());
        let [then, otherwise] = [then, otherwise].map(|s| self.b.block(context, || self.statement(s)));
        self.b.push(StatementKind::If { condition, then, otherwise });
    }

    /// A loop.
    fn repeat(&mut self, variable: Variable, ends: [ir::Expr; 2], lanes: u8, parallel: bool, body: &Statement) {
        let b = self.b;
        let (name, is_vector) = (self.nest.name(variable), lanes > 1);
        let ends = if is_vector { ends } else { ends.map(|end| b.wide(end)) };
        let local = b.local(name, b.vector(if is_vector { Element::Int32 } else { Element::Int64 }, lanes));
        let (varying, wide) = (self.varying.clone(), self.wide.clone());
        let is_root = std::mem::replace(&mut self.is_root, false);
        let body = b.block(if is_vector { lanes } else { b.context() }, || {
            if is_vector {
                self.bind(variable, local);
                self.varying.insert(variable);
            } else {
                self.receive(variable, b.convert(b.load(local), Element::Int32));
                self.wide.insert(variable, local);
            }
            self.statement(body);
        });
        self.is_root = is_root;
        (self.varying, self.wide) = (varying, wide);
        b.foreach(parallel, local, ends, body);
    }

    /// A loop over blocks of lanes.
    fn blocks(&mut self, f: &Foreach) {
        let ends = [&f.low, &f.high].map(|e| self.value(e));
        self.repeat(f.variable, ends, f.lanes, f.is_parallel, &f.body);
    }

    /// A loop over scalars.
    fn serial(&mut self, l: &Loop) {
        let high = super::super::simplify::plus(&l.min, &l.length);
        let ends = [&l.min, &high].map(|e| self.value(e));
        let parallel = match l.order {
            Order::Vector(_) => unreachable!("a vector loop is a loop over blocks"),
            Order::Parallel => true,
            Order::Serial | Order::Unrolled => false,
        };
        self.repeat(l.variable, ends, 1, parallel, &l.body);
    }

    /// A store: of a tuple, all values, then all stores.
    fn store(&mut self, store: &Store) {
        self.b.span.set(store.span);
        let func = store.stage.func;
        let mut values = Vec::new();
        for value in &store.values {
            let value = self.value(value);
            values.push(if store.values.len() > 1 { self.b.named("value", value) } else { value });
        }
        for (component, value) in values.into_iter().enumerate() {
            let pointer = self.address_of(Source::Func(func, component), &store.indices);
            self.b.store(self.b.at(pointer), value);
        }
    }

    /// f(e) = f(e) ⊕ a where lanes or threads share the element.
    fn accumulate(&mut self, update: &Accumulate) {
        let b = self.b;
        b.span.set(update.span);
        let (source, element) = (Source::Func(update.stage.func, 0), update.value.element());
        let value = self.value(&update.value);
        if !update.is_over_lanes {
            let value = b.named("value", value);
            let pointer = self.address_of(source, &update.indices);
            return self.combine(update, pointer, value);
        }
        let value = b.declare("value", b.at_length(value, b.context()));
        let is_shared = update.indices.iter().all(|index| self.is_uniform(index));
        if is_shared && element != Element::Bool {
            let pointer = self.address_of(source, &update.indices);
            let reduce = Builtin::Cross(CrossOp::Reduce(update.op));
            return self.combine(update, pointer, b.other(reduce, vec![b.load(value)], b.scalar(element)));
        }
        // Indices that differ between lanes, lane by lane.
        let mut places: Vec<Option<LocalId>> = Vec::new();
        for index in &update.indices {
            places.push(if self.is_uniform(index) { None } else { Some(b.declare("place", self.value(index))) });
        }
        let k = b.local("k", b.scalar(Element::Int32));
        let varying = std::mem::take(&mut self.varying);
        let body = b.block(1, || {
            let mut indices = Vec::new();
            for (number, (index, place)) in update.indices.iter().zip(places).enumerate() {
                let Some(place) = place else {
                    indices.push(index.clone());
                    continue;
                };
                // A variable that no nest has.
                let variable = Variable(u32::MAX - number as u32);
                self.bind(variable, b.declare("place", b.lane(place, k, Element::Int32)));
                indices.push(Expr::variable(variable, Element::Int32, index.span()));
            }
            let pointer = self.address_of(source, &indices);
            self.combine(update, pointer, b.lane(value, k, element));
        });
        self.varying = varying;
        b.push(StatementKind::ForeachActive { index: k, body });
    }

    /// place = place ⊕ value, in one step where threads share it.
    fn combine(&self, update: &Accumulate, pointer: ir::Expr, value: ir::Expr) {
        let b = self.b;
        if update.is_atomic {
            let [pointer, value] = b.level([pointer, value]);
            let ty = value.ty;
            return b.run(b.other(Builtin::Effect(EffectOp::Atomic(update.op)), vec![pointer, value], ty));
        }
        let place = b.at(pointer);
        let old = b.load_at(place.clone());
        let new = match operation(update.op) {
            Operation::Operator(op) => b.binary(op, old, value),
            Operation::Builtin(op) => b.builtin(op, vec![old, value], update.value.element()),
        };
        b.store(place, new);
    }
}
