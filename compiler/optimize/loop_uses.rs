//! How often values are used in a loop, and behind it.

use crate::vector::ir::*;

/// How often each value is used in a loop, and elsewhere.
pub(super) struct LoopUses {
    /// By value: in its blocks, and where they lead to each other.
    pub(super) inside: Vec<u32>,
    /// Elsewhere, and where they lead to others.
    pub(super) behind: Vec<u32>,
}

impl LoopUses {
    /// `inside` says by block whether it is in the loop; blocks that it does not know are not.
    pub(super) fn of(function: &Function, inside: &[bool]) -> LoopUses {
        let mut uses = LoopUses { inside: vec![0; function.values.len()], behind: vec![0; function.values.len()] };
        let is_inside = |block: usize| inside.get(block) == Some(&true);
        for (block, data) in function.blocks.iter().enumerate() {
            let own = if is_inside(block) { &mut uses.inside } else { &mut uses.behind };
            let mut count = |value: Value| own[value.0 as usize] += 1;
            data.insts.iter().for_each(|inst| function.insts[inst.0 as usize].op.for_each(&mut count));
            if let Terminator::Branch { condition, .. } = data.terminator {
                count(condition);
            }
            if let Terminator::Return(values) = &data.terminator {
                values.iter().for_each(|value| count(*value));
            }
            for target in data.terminator.targets() {
                let stays = is_inside(block) && is_inside(target.block.0 as usize);
                let own = if stays { &mut uses.inside } else { &mut uses.behind };
                target.arguments.iter().for_each(|value| own[value.0 as usize] += 1);
            }
        }
        uses
    }
}
