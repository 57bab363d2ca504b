//! Blocks that exist a second time.

use super::block_writer::{BlockWriter, new_block};
use crate::source::Span;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Copies of blocks, in their order, and what took the place of each value that they define. Some instructions are left out; where a
/// copy jumps to a block that was not copied, `leave` may change the target, which still has the arguments of the old block.
pub(super) fn copied_blocks(
    function: &mut Function,
    old_blocks: &[Block],
    is_left_out: impl Fn(Inst) -> bool,
    leave: impl Fn(&mut Target),
) -> (Vec<Block>, FxHashMap<Value, Value>) {
    let blocks: Vec<Block> = old_blocks.iter().map(|_| new_block(function)).collect();
    let place: FxHashMap<Block, Block> = old_blocks.iter().copied().zip(blocks.iter().copied()).collect();
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    for (&old, &new) in old_blocks.iter().zip(&blocks) {
        let parameters = BlockWriter { function, block: new, span: Span::default() }.parameters_of(old, new);
        same.extend(function.blocks[old.0 as usize].parameters.iter().copied().zip(parameters));
        for inst in function.blocks[old.0 as usize].insts.clone() {
            if is_left_out(inst) {
                continue;
            }
            same.extend(BlockWriter { function, block: new, span: Span::default() }.copy(inst, |value| value));
        }
    }
    // In the order of blocks a use may come before its definition.
    let replace = |value: &mut Value| *value = *same.get(value).unwrap_or(value);
    for (&old, &new) in old_blocks.iter().zip(&blocks) {
        for inst in function.blocks[new.0 as usize].insts.clone() {
            function.insts[inst.0 as usize].op.for_each_mut(replace);
        }
        let mut terminator = function.blocks[old.0 as usize].terminator.clone();
        for target in terminator.targets_mut() {
            match place.get(&target.block) {
                Some(&block) => target.block = block,
                None => leave(target),
            }
        }
        terminator.for_each_mut(replace);
        function.blocks[new.0 as usize].terminator = terminator;
    }
    (blocks, same)
}
