//! What the rounds of a loop have to do one after another, though the rest of them is lanes.
//!
//! ```text
//! block2:                                          block8:
//!     x = load a + 4 · i                               x = load a + 4 · i: f32×8
//!     y = sqrt x                            ──►        y = sqrt x
//!     t = fadd s, y                                    t0 = fadd s, (extract y, 0)
//!     jump block1(i + 1, t)                            t1 = fadd t0, (extract y, 1)
//!                                                      …
//!                                                      jump block7(i + 8, t7)
//! ```
//! Floats are not added up in another order; neither does a hash or a filter of which each round takes what the one before it made. All that is computed of such a number is done for each lane
//! behind the rest of a block, with what lanes have made for it. Nobody else may look at it: it is neither stored nor asked about. It is worth it where lanes save more than it takes to take them apart.

use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// A step of a round that waits for the round before.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Inst(Inst),
    /// What comes to a block in one of its parameters.
    Merge(Block, usize),
}

/// The steps of a round that are done for one lane after another.
#[derive(Default)]
pub(super) struct InOrder {
    /// The places of the header's parameters that they go on with.
    pub(super) indices: Vec<usize>,
    /// These parameters, and all that is computed of them.
    pub(super) values: FxHashSet<Value>,
    pub(super) steps: Vec<Step>,
}

impl InOrder {
    /// What is computed of a parameter of the header, with other parameters that this leads to; if it leads to the next one of itself.
    pub(super) fn of(function: &Function, header: Block, blocks: &[Block], index: usize) -> Option<InOrder> {
        let mut found = InOrder { indices: vec![index], ..InOrder::default() };
        while let Some(other) = found.follow(function, header, blocks)? {
            found = InOrder { indices: [found.indices, vec![other]].concat(), ..InOrder::default() };
        }
        let Terminator::Jump(back) = &function.blocks[blocks.last()?.0 as usize].terminator else { return None };
        found.values.contains(&back.arguments[index]).then_some(found)
    }

    /// Finds all that is computed of the parameters; gives a parameter that is missing among them.
    fn follow(&mut self, function: &Function, header: Block, blocks: &[Block]) -> Option<Option<usize>> {
        let data = |block: Block| &function.blocks[block.0 as usize];
        self.values.extend(self.indices.iter().map(|&index| data(header).parameters[index]));
        let is_among = |values: &FxHashSet<Value>, op: &Op| {
            let mut is_among = false;
            op.for_each(|operand| is_among |= values.contains(&operand));
            is_among
        };
        if data(header).insts.iter().any(|inst| is_among(&self.values, &function.insts[inst.0 as usize].op)) {
            return None;
        }
        for &block in blocks {
            for (place, &own) in data(block).parameters.iter().enumerate() {
                let from = std::iter::once(&header).chain(blocks);
                let mut ways = from.flat_map(|from| data(*from).terminator.targets());
                if ways.any(|way| way.block == block && self.values.contains(&way.arguments[place])) {
                    self.values.insert(own);
                    self.steps.push(Step::Merge(block, place));
                }
            }
            for &inst in &data(block).insts {
                let InstData { op, results, .. } = &function.insts[inst.0 as usize];
                if !is_among(&self.values, op) {
                    continue;
                }
                match op {
                    Op::Binary(op, ..) if !super::is_division(*op) => {}
                    Op::Unary(..) | Op::Fma(..) | Op::Select(..) | Op::Compare(..) | Op::Convert(..) => {}
                    _ => return None,
                }
                self.values.extend(results);
                self.steps.push(Step::Inst(inst));
            }
            if let Terminator::Branch { condition, .. } = &data(block).terminator
                && self.values.contains(condition)
            {
                return None;
            }
            for target in data(block).terminator.targets().filter(|target| !blocks.contains(&target.block)) {
                let mut handed = target.arguments.iter().enumerate().filter(|(_, argument)| self.values.contains(argument));
                match handed.find(|(place, _)| !self.indices.contains(place)) {
                    Some((place, _)) if target.block == header => return Some(Some(place)),
                    Some(_) => return None,
                    None => {}
                }
            }
        }
        Some(None)
    }

    /// The same for other parameters as well.
    pub(super) fn and(&mut self, function: &Function, header: Block, blocks: &[Block], other: InOrder) -> Option<()> {
        let mut indices = std::mem::take(&mut self.indices);
        indices.extend(other.indices.into_iter().filter(|index| !indices.contains(index)).collect::<Vec<_>>());
        *self = InOrder { indices, ..InOrder::default() };
        self.follow(function, header, blocks)?.is_none().then_some(())
    }
}
