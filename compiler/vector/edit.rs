//! Small edits that every pass makes.

use super::ir::*;
use crate::source::Span;
use std::collections::HashMap;

impl Function {
    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value.0 as usize].ty
    }

    /// The operation that defines a value; `None` for a block parameter.
    pub fn definition(&self, value: Value) -> Option<&Op> {
        match self.values[value.0 as usize].def {
            ValueDef::Result(inst, _) => Some(&self.insts[inst.0 as usize].op),
            ValueDef::Parameter(..) => None,
        }
    }

    /// A new instruction with one result of type `ty`. It stands in no block yet.
    pub fn create(&mut self, op: Op, ty: Type, span: Span) -> (Inst, Value) {
        let inst = Inst(self.insts.len() as u32);
        let value = Value(self.values.len() as u32);
        self.values.push(ValueData { ty, def: ValueDef::Result(inst, 0) });
        self.insts.push(InstData { op, results: vec![value], span });
        (inst, value)
    }

    /// Puts, for each use of a key, its value; a value may be a key itself.
    pub fn replace_uses(&mut self, with: &HashMap<Value, Value>) {
        if with.is_empty() {
            return;
        }
        let replace = |value: &mut Value| {
            while let Some(&other) = with.get(value) {
                *value = other;
            }
        };
        for block in &mut self.blocks {
            for inst in &block.insts {
                self.insts[inst.0 as usize].op.for_each_mut(replace);
            }
            block.terminator.for_each_mut(replace);
        }
    }
}
