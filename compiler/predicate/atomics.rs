//! Atomic operations: one lane after the other, since each is a step of its own.
//!
//! ```text
//! atomic_add(p, v) under m, p: ptrx8     ──►     for each lane k of m, ascending: r[k] = atomic.add p[k], v[k]
//! ```

use super::builtins::extremum;
use super::state::Predicator;
use crate::typed::ir::{Expr, ReduceOp};
use crate::types;
use crate::vector::ir::{BinaryOp, Value};

impl Predicator<'_> {
    /// (p, v): the old values; zero in lanes that are off.
    pub fn atomic(&mut self, op: ReduceOp, pointer: &Expr, value: &Expr) -> Value {
        let element = self.types().element(value.ty).expect("a value with elements");
        let op = operation(op, element);
        let object = self.types().pointee(pointer.ty).expect("an atomic operation has a pointer");
        let pointers = self.accessed(pointer, object, pointer.span);
        let values = self.expression(value)[0];
        let ty = self.b.ty(values);
        if ty.length == 1 {
            return self.b.atomic(op, pointers, values);
        }
        let result = self.b.declare_variable(ty);
        let zero = self.b.zero(ty);
        self.b.define(result, zero);
        self.with_lanes(ty.length, |this| {
            this.for_each_active_lane(|this, lane, _| {
                let (pointer, value) = (this.b.extract(pointers, lane), this.b.extract(values, lane));
                let old = this.b.atomic(op, pointer, value);
                let before = this.b.use_variable(result);
                let after = this.b.insert(before, old, lane);
                this.b.define(result, after);
            });
        });
        self.b.use_variable(result)
    }
}

fn operation(op: ReduceOp, element: types::Element) -> BinaryOp {
    let float = element.is_float();
    match op {
        ReduceOp::Add => {
            if float {
                BinaryOp::FAdd
            } else {
                BinaryOp::Add
            }
        }
        ReduceOp::Multiply => {
            if float {
                BinaryOp::FMul
            } else {
                BinaryOp::Mul
            }
        }
        ReduceOp::Min => extremum(element, false),
        ReduceOp::Max => extremum(element, true),
        ReduceOp::And => BinaryOp::And,
        ReduceOp::Or => BinaryOp::Or,
        ReduceOp::Xor => BinaryOp::Xor,
    }
}
