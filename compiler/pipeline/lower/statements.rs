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
use super::super::loops::ir::{Accumulate, Foreach, Loop, Order, Statement, Store};
use super::state::Lowering;
use crate::typed::ir::{
    self, BinaryOp, Block, Builtin, CrossOp, EffectOp, ForeachIndex, LaneOp, LocalId, ReduceOp, StatementKind,
};
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
                let value = self.value(value);
                let greatest = self.greatest(value);
                let local = self.b.declare(self.nest.name(*variable), greatest);
                self.bind(*variable, local);
                self.statement(body);
            }
            Statement::Slide(done, body) => {
                let nothing = self.b.int(NOTHING_DONE);
                let local = self.b.declare(self.nest.name(*done), nothing);
                self.bind(*done, local);
                self.statement(body);
            }
            Statement::Advance(done, e) => {
                let (now, e) = (self.variable(*done), self.value(e));
                let most = self.b.builtin(LaneOp::Max, vec![now, e], Element::Int32);
                let place = self.b.place_of(self.bound[done]);
                self.b.store(place, most);
            }
            Statement::Produce(func, body) => {
                self.b.span = self.nest.pipeline.func(*func).span;
                self.statement(body);
            }
            Statement::Stage(stage, body) => {
                let stages = &self.nest.pipeline.func(stage.func).stages;
                self.b.span = stages[stage.stage].span;
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
        owned.into_iter().rev().for_each(|pointer| self.b.release(pointer));
    }

    /// The statements of a block of their own.
    fn block(&mut self, context: u8, statement: &Statement) -> Block {
        self.b.open(context);
        self.statement(statement);
        self.b.close()
    }

    /// `if (condition) then else otherwise`
    fn branch(&mut self, condition: &Expr, then: &Statement, otherwise: &Statement) {
        let condition = self.value(condition);
        let context = self.b.context();
        let [then, otherwise] = [then, otherwise].map(|s| self.block(context, s));
        self.b.push(StatementKind::If { condition, then, otherwise });
    }

    /// A loop.
    fn repeat(&mut self, variable: Variable, ends: [ir::Expr; 2], lanes: u8, parallel: bool, body: &Statement) {
        let [low, high] = if lanes > 1 { ends } else { ends.map(|end| self.b.wide(end)) };
        let name = self.nest.name(variable);
        let ty = self.b.vector(if lanes > 1 { Element::Int32 } else { Element::Int64 }, lanes);
        let local = self.b.local(name, ty);
        let context = if lanes > 1 { lanes } else { self.b.context() };
        let (varying, wide) = (self.varying.clone(), self.wide.clone());
        let is_root = std::mem::replace(&mut self.is_root, false);
        self.b.open(context);
        if lanes > 1 {
            self.bind(variable, local);
            self.varying.insert(variable);
        } else {
            let counted = self.b.load(local);
            let counted = self.b.convert(counted, Element::Int32);
            let narrow = self.b.declare(name, counted);
            self.bind(variable, narrow);
            self.wide.insert(variable, local);
        }
        self.statement(body);
        let body = self.b.close();
        self.is_root = is_root;
        (self.varying, self.wide) = (varying, wide);
        self.b.push(StatementKind::Foreach { parallel, indices: vec![ForeachIndex { local, low, high }], body });
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
        self.b.span = store.span;
        let func = store.stage.func;
        let mut values = Vec::new();
        for value in &store.values {
            let value = self.value(value);
            values.push(if store.values.len() > 1 { self.b.named("value", value) } else { value });
        }
        for (component, value) in values.into_iter().enumerate() {
            let place = self.element_of(Source::Func(func, component), &store.indices);
            self.b.store(place, value);
        }
    }

    /// f(e) = f(e) ⊕ a where lanes or threads share the element.
    fn accumulate(&mut self, update: &Accumulate) {
        self.b.span = update.span;
        let source = Source::Func(update.stage.func, 0);
        let value = self.value(&update.value);
        if !update.is_over_lanes {
            let value = self.b.named("value", value);
            let pointer = self.address_of(source, &update.indices);
            return self.combine(update, pointer, value);
        }
        let n = self.b.context();
        let value = self.b.at_length(value, n);
        let value = self.b.declare("value", value);
        let is_shared = update.indices.iter().all(|index| self.is_uniform(index));
        if is_shared && update.value.element() != Element::Bool {
            let pointer = self.address_of(source, &update.indices);
            let (all, ty) = (self.b.load(value), self.b.scalar(update.value.element()));
            let reduced = self.b.other(Builtin::Cross(CrossOp::Reduce(update.op)), vec![all], ty);
            return self.combine(update, pointer, reduced);
        }
        // Indices that differ between lanes, lane by lane.
        let mut places: Vec<Option<LocalId>> = Vec::new();
        for index in &update.indices {
            places.push(if self.is_uniform(index) {
                None
            } else {
                let index = self.value(index);
                Some(self.b.declare("place", index))
            });
        }
        let int = self.b.scalar(Element::Int32);
        let k = self.b.local("k", int);
        let varying = std::mem::take(&mut self.varying);
        self.b.open(1);
        let mut indices = Vec::new();
        for (number, (index, place)) in update.indices.iter().zip(places).enumerate() {
            let Some(place) = place else {
                indices.push(index.clone());
                continue;
            };
            let own = self.lane(place, k, Element::Int32);
            let own = self.b.declare("place", own);
            // A variable that no nest has.
            let variable = Variable(u32::MAX - number as u32);
            self.bind(variable, own);
            indices.push(Expr::variable(variable, Element::Int32, index.span()));
        }
        let pointer = self.address_of(source, &indices);
        let own = self.lane(value, k, update.value.element());
        self.combine(update, pointer, own);
        let body = self.b.close();
        self.varying = varying;
        self.b.push(StatementKind::ForeachActive { index: k, body });
    }

    /// `get(vector, k)`
    fn lane(&mut self, vector: LocalId, k: LocalId, element: Element) -> ir::Expr {
        let (vector, k, ty) = (self.b.load(vector), self.b.load(k), self.b.scalar(element));
        self.b.other(Builtin::Get, vec![vector, k], ty)
    }

    /// place = place ⊕ value, in one step where threads share it.
    fn combine(&mut self, update: &Accumulate, pointer: ir::Expr, value: ir::Expr) {
        if update.is_atomic {
            let [pointer, value] = self.b.level([pointer, value]);
            let ty = value.ty;
            let atomic = self.b.other(Builtin::Effect(EffectOp::Atomic(update.op)), vec![pointer, value], ty);
            return self.b.run(atomic);
        }
        let place = self.b.at(pointer);
        let old = self.b.load_at(place.clone());
        let element = update.value.element();
        let new = match update.op {
            ReduceOp::Add => self.b.binary(BinaryOp::Add, old, value),
            ReduceOp::Multiply => self.b.binary(BinaryOp::Multiply, old, value),
            ReduceOp::And => self.b.binary(BinaryOp::BitAnd, old, value),
            ReduceOp::Or => self.b.binary(BinaryOp::BitOr, old, value),
            ReduceOp::Xor => self.b.binary(BinaryOp::BitXor, old, value),
            ReduceOp::Min => self.b.builtin(LaneOp::Min, vec![old, value], element),
            ReduceOp::Max => self.b.builtin(LaneOp::Max, vec![old, value], element),
        };
        self.b.store(place, new);
    }
}
