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
        self.in_turn(pointer, &[value], |this, pointer, values| this.b.atomic(op, pointer, values[0]))
    }

    /// (p, v) and (p, expected, v): likewise.
    pub fn exchange(&mut self, pointer: &Expr, expected: Option<&Expr>, value: &Expr) -> Value {
        let operands: Vec<&Expr> = expected.into_iter().chain([value]).collect();
        self.in_turn(pointer, &operands, |this, pointer, values| match *values {
            [expected, value] => this.b.exchange(pointer, Some(expected), value),
            _ => this.b.exchange(pointer, None, values[0]),
        })
    }

    /// What a step gives for each active lane of a pointer and its operands, in ascending order; zero in lanes that are off.
    fn in_turn(
        &mut self,
        pointer: &Expr,
        operands: &[&Expr],
        mut step: impl FnMut(&mut Self, Value, &[Value]) -> Value,
    ) -> Value {
        let object = self.types().pointee(pointer.ty).expect("an atomic operation has a pointer");
        let pointers = self.accessed(pointer, object, pointer.span);
        let values: Vec<Value> = operands.iter().map(|operand| self.expression(operand)[0]).collect();
        let ty = self.b.ty(values[0]);
        if ty.length == 1 {
            return step(self, pointers, &values);
        }
        let result = self.b.declare_variable(ty);
        let zero = self.b.zero(ty);
        self.b.define(result, zero);
        self.with_lanes(ty.length, |this| {
            this.for_each_active_lane(|this, lane, _| {
                let pointer = this.b.extract(pointers, lane);
                let values: Vec<Value> = values.iter().map(|&value| this.b.extract(value, lane)).collect();
                let old = step(this, pointer, &values);
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
