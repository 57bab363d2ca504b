//! Whether any of several vectors has an equal lane is asked of the least of their differences.
//!
//! ```text
//! a = compare.eq x, n    b = compare.eq y, n          p = xor x, n    q = xor y, n
//! c = compare.eq z, n    d = compare.eq w, n   ──►    r = xor z, n    s = xor w, n
//! any = any ((a or b) or (c or d))                    l = umin (umin p, q), (umin r, s)
//!                                                     any = any (compare.eq l, 0)
//! ```
//! The bits in which two integers differ are none where they are equal, and no number without sign is less than that. Where masks have
//! registers of their own, few units make them and put them together, while all units take differences and minima; it needs one comparison
//! more than it saves, so that there have to be four.

use super::surroundings::Surroundings;
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// So many comparisons are worth it.
const ENOUGH: usize = 4;

/// Rewrites the questions of a function.
pub fn equal_lanes(function: &mut Function, around: Surroundings<'_>) {
    let is_question = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::Any(_));
    if !around.machine.has_mask_registers() || !function.blocks.iter().any(|block| block.insts.iter().any(is_question)) {
        return;
    }
    let uses = function.uses();
    remake(function, |writer, inst| {
        let Op::Any(mask) = writer.function.insts[inst.0 as usize].op else { return None };
        let question = Question::of(writer.function, mask, &uses)?;
        Some(Op::Any(question.write(writer)))
    });
}

/// The masks of which one shall have a lane that is on.
#[derive(Default)]
struct Question {
    /// Pairs of integers of one type that shall be equal.
    equal: Vec<(Value, Value)>,
    others: Vec<Value>,
}

impl Question {
    /// What a mask is made of that nobody else looks at.
    fn of(function: &Function, mask: Value, uses: &[u32]) -> Option<Question> {
        let mut question = Question::default();
        let mut rest = vec![mask];
        while let Some(mask) = rest.pop() {
            match function.definition(mask).filter(|_| uses[mask.0 as usize] == 1) {
                Some(&Op::Binary(BinaryOp::Or, a, b)) => rest.extend([b, a]),
                Some(&Op::Compare(CompareOp::Eq, a, b)) if question.takes(function, a) => question.equal.push((a, b)),
                _ => question.others.push(mask),
            }
        }
        (question.equal.len() >= ENOUGH).then_some(question)
    }

    /// Vectors of these integers have a minimum in one instruction, and their differences are compared with those of the first ones.
    fn takes(&self, function: &Function, value: Value) -> bool {
        let ty = function.ty(value);
        let is_one = ty.length > 1 && matches!(ty.element, Element::I8 | Element::I16 | Element::I32);
        is_one && self.equal.first().is_none_or(|&(first, _)| function.ty(first) == ty)
    }

    fn write(self, writer: &mut Writer<'_>) -> Value {
        let ty = writer.function.ty(self.equal[0].0);
        let mut least: Vec<Value> = Vec::with_capacity(self.equal.len());
        for (a, b) in self.equal {
            least.push(writer.emit(Op::Binary(BinaryOp::Xor, a, b), ty));
        }
        while least.len() > 1 {
            least = least
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => writer.emit(Op::Binary(BinaryOp::UMin, a, b), ty),
                    _ => pair[0],
                })
                .collect();
        }
        let none = writer.emit(Op::Const(vec![0]), ty);
        let equal = writer.emit(Op::Compare(CompareOp::Eq, least[0], none), ty.mask());
        self.others.into_iter().fold(equal, |all, other| writer.emit(Op::Binary(BinaryOp::Or, all, other), ty.mask()))
    }
}
