//! Powers of two that certainly divide a number: how many of its low bits are 0.
//!
//! ```text
//! x << 3, x * 24, x & -8     3 and more
//! k = φ(0, k + 8)            3: what a loop counts has those of its first value and of its steps
//! ```

use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// So many operations are looked through.
const DEPTH: u32 = 16;

/// What is looked at of a function; its blocks stay as they are.
#[derive(Default)]
pub(super) struct Multiples {
    /// What comes to each parameter of a block, once it was asked for.
    arguments: Option<FxHashMap<(Block, u32), Vec<Value>>>,
    /// Parameters of blocks that are being looked at, with what is supposed of them.
    supposed: FxHashMap<Value, u32>,
}

impl Multiples {
    /// How many low bits of a scalar integer are 0; at most as many as it has.
    pub(super) fn zeros(&mut self, function: &Function, value: Value) -> u32 {
        self.of(function, value, DEPTH)
    }

    fn of(&mut self, function: &Function, value: Value, depth: u32) -> u32 {
        let ty = function.ty(value);
        let bits = ty.element.bits();
        if depth == 0 || !ty.element.is_int() {
            return 0;
        }
        if let Some(&supposed) = self.supposed.get(&value) {
            return supposed;
        }
        let op = match function.values[value.0 as usize].def {
            ValueDef::Parameter(Block(0), _) => return 0,
            ValueDef::Parameter(block, index) => return self.parameter(function, value, (block, index), depth),
            ValueDef::Result(inst, _) => &function.insts[inst.0 as usize].op,
        };
        let mut get = |operand: &Value| self.of(function, *operand, depth - 1);
        let constant = |operand: &Value| match function.definition(*operand) {
            Some(Op::Const(bits)) if bits.len() == 1 => Some(bits[0]),
            _ => None,
        };
        let zeros = match op {
            Op::Const(numbers) => numbers.iter().map(|n| n.trailing_zeros()).min().unwrap_or(0),
            Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or, a, b) => get(a).min(get(b)),
            Op::Binary(BinaryOp::And, a, b) => get(a).max(get(b)),
            Op::Binary(BinaryOp::Mul, a, b) => get(a) + get(b),
            Op::Binary(BinaryOp::Shl, a, b) => match constant(b) {
                Some(by) if by < u64::from(bits) => get(a) + by as u32,
                _ => 0,
            },
            Op::Binary(BinaryOp::SMax | BinaryOp::SMin | BinaryOp::UMax | BinaryOp::UMin, a, b) | Op::Select(_, a, b) => {
                get(a).min(get(b))
            }
            Op::Convert(ConvertOp::SExt | ConvertOp::ZExt, a) => {
                let (zeros, own) = (get(a), function.ty(*a).element.bits());
                if zeros >= own { bits } else { zeros }
            }
            Op::Convert(ConvertOp::Trunc, a) => get(a),
            Op::Splat(a) => get(a),
            _ => 0,
        };
        zeros.min(bits)
    }

    /// It is supposed to be any multiple, until what comes to it agrees with what is supposed.
    fn parameter(&mut self, function: &Function, value: Value, at: (Block, u32), depth: u32) -> u32 {
        let arguments = self.arguments.get_or_insert_with(|| arguments(function));
        let Some(incoming) = arguments.get(&at).cloned() else { return 0 };
        let mut supposed = function.ty(value).element.bits();
        loop {
            self.supposed.insert(value, supposed);
            let found = incoming.iter().map(|&argument| self.of(function, argument, depth - 1)).min().unwrap_or(0);
            if found >= supposed {
                self.supposed.remove(&value);
                return supposed;
            }
            supposed = found;
        }
    }
}

fn arguments(function: &Function) -> FxHashMap<(Block, u32), Vec<Value>> {
    let mut arguments: FxHashMap<_, Vec<Value>> = FxHashMap::default();
    for target in function.blocks.iter().flat_map(|block| block.terminator.targets()) {
        for (index, &argument) in target.arguments.iter().enumerate() {
            arguments.entry((target.block, index as u32)).or_default().push(argument);
        }
    }
    arguments
}
