//! What a loop keeps in a parameter by combining it with something in each round.
//!
//! ```text
//! block1(i, s):                    s is combined with x by `add`, in the lanes of m
//!     branch i < n, block2, …
//! block2:
//!     t = add s, x
//!     u = select m, t, s
//!     jump block1(i + 8, u)
//! ```
//! Nobody in the loop looks at the parameter, or at what it becomes: so rounds may be put together in another way, wherever the operation allows it. Those who ask are
//! [`grouped_rounds`](super::grouped_rounds), [`widened_rounds`](super::widened_rounds) and [`joined_rounds`](super::joined_rounds), each for the operations
//! that it may move.

use crate::vector::ir::*;

/// A loop that is left by its header alone.
#[derive(Clone, Copy)]
pub(super) struct LoopBlocks<'f> {
    pub(super) function: &'f Function,
    pub(super) header: Block,
    /// Its other blocks.
    pub(super) body: &'f [Block],
    /// That of them which goes back to the header.
    pub(super) latch: Block,
}

/// A parameter that becomes `op` of itself and a value, in lanes of a mask.
pub(super) struct Combined {
    /// The operation's instruction.
    pub(super) inst: Inst,
    pub(super) op: BinaryOp,
    pub(super) value: Value,
    pub(super) mask: Option<Mask>,
}

/// Lanes for which an operation is done.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Mask {
    pub(super) mask: Value,
    /// The select between the operation's result and the parameter.
    pub(super) select: Inst,
    /// Is the mask on where it is done?
    pub(super) is_on: bool,
}

impl<'f> LoopBlocks<'f> {
    /// Those of a loop of a header and a body.
    pub(super) fn of_pair(function: &'f Function, header: Block, body: &'f Block) -> LoopBlocks<'f> {
        LoopBlocks { function, header, body: std::slice::from_ref(body), latch: *body }
    }

    fn block(&self, block: Block) -> &'f BlockData {
        &self.function.blocks[block.0 as usize]
    }

    /// What the body hands to the next round, by the parameters of the header.
    pub(super) fn next(&self) -> &'f [Value] {
        match &self.block(self.latch).terminator {
            Terminator::Jump(target) => &target.arguments,
            Terminator::Branch { .. } | Terminator::Return(_) | Terminator::Unreachable => unreachable!("the latch goes back"),
        }
    }

    /// The instruction of the body that computes a value.
    pub(super) fn inst(&self, value: Value) -> Option<Inst> {
        match self.function.values[value.0 as usize].def {
            ValueDef::Result(inst, _) => self.block_of(inst).map(|_| inst),
            ValueDef::Parameter(..) => None,
        }
    }

    /// The block of the body that an instruction stands in.
    pub(super) fn block_of(&self, inst: Inst) -> Option<Block> {
        self.body.iter().copied().find(|&block| self.block(block).insts.contains(&inst))
    }

    /// Is a value used in the loop by these instructions alone, or to go on with in a place?
    pub(super) fn is_only_used(&self, value: Value, by: &[Inst], place: Option<usize>) -> bool {
        let mut is_used = false;
        for block in [self.header].iter().chain(self.body).map(|&block| self.block(block)) {
            for inst in block.insts.iter().filter(|inst| !by.contains(inst)) {
                self.function.insts[inst.0 as usize].op.for_each(|operand| is_used |= operand == value);
            }
            if let Terminator::Branch { condition, .. } = &block.terminator {
                is_used |= *condition == value;
            }
        }
        for block in self.body.iter().filter(|&&block| block != self.latch) {
            let targets = self.block(*block).terminator.targets();
            is_used |= targets.flat_map(|target| &target.arguments).any(|&argument| argument == value);
        }
        let arguments = self.next().iter().enumerate();
        is_used |= arguments.filter(|(index, _)| Some(*index) != place).any(|(_, argument)| *argument == value);
        !is_used
    }

    /// What is done with the vector in a place of the parameters.
    pub(super) fn combined(&self, place: usize) -> Option<Combined> {
        let (parameter, next) = (self.block(self.header).parameters[place], self.next()[place]);
        let last = self.inst(next)?;
        let (inst, mask) = match self.function.insts[last.0 as usize].op {
            Op::Select(mask, a, b) if b == parameter && self.function.ty(mask).length > 1 => {
                (self.inst(a)?, Some(Mask { mask, select: last, is_on: true }))
            }
            Op::Select(mask, a, b) if a == parameter && self.function.ty(mask).length > 1 => {
                (self.inst(b)?, Some(Mask { mask, select: last, is_on: false }))
            }
            _ => (last, None),
        };
        let Op::Binary(op, a, b) = self.function.insts[inst.0 as usize].op else { return None };
        let value = if a == parameter { b } else { a };
        let is_one_of_them = (a == parameter) != (b == parameter) && self.function.ty(parameter).length > 1;
        // A mask that is computed from the parameter is a use of it.
        let by: Vec<Inst> = [inst].into_iter().chain(mask.map(|mask| mask.select)).collect();
        let result = self.function.insts[inst.0 as usize].results[0];
        let is_alone = self.is_only_used(parameter, &by, None)
            && self.is_only_used(result, &by, Some(place))
            && self.is_only_used(next, &[], Some(place))
            && self.function.ty(parameter).element != Element::Bool;
        (is_one_of_them && is_alone).then_some(Combined { inst, op, value, mask })
    }
}
