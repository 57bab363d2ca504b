//! Blocks that exist a second time.

use crate::vector::ir::*;
use std::collections::HashMap;

/// An empty block.
pub(super) fn new_block(function: &mut Function) -> Block {
    function.blocks.push(BlockData::empty());
    Block(function.blocks.len() as u32 - 1)
}

/// A value that is still to be made.
pub(super) fn new_value(function: &mut Function, ty: Type, def: ValueDef) -> Value {
    function.values.push(ValueData { ty, def });
    Value(function.values.len() as u32 - 1)
}

/// Copies of blocks, in their order, and what took the place of each value that they define. Some instructions are left out; where a
/// copy jumps to a block that was not copied, `leave` may change the target, which still has the arguments of the old block.
pub(super) fn copied_blocks(
    function: &mut Function,
    old_blocks: &[Block],
    is_left_out: impl Fn(Inst) -> bool,
    leave: impl Fn(&mut Target),
) -> (Vec<Block>, HashMap<Value, Value>) {
    let blocks: Vec<Block> = old_blocks.iter().map(|_| new_block(function)).collect();
    let place: HashMap<Block, Block> = old_blocks.iter().copied().zip(blocks.iter().copied()).collect();
    let mut same: HashMap<Value, Value> = HashMap::new();
    for (&old, &new) in old_blocks.iter().zip(&blocks) {
        for (index, parameter) in (0..).zip(function.blocks[old.0 as usize].parameters.clone()) {
            let made = new_value(function, function.ty(parameter), ValueDef::Parameter(new, index));
            function.blocks[new.0 as usize].parameters.push(made);
            same.insert(parameter, made);
        }
        for inst in function.blocks[old.0 as usize].insts.clone() {
            if is_left_out(inst) {
                continue;
            }
            let mut data = function.insts[inst.0 as usize].clone();
            let made = Inst(function.insts.len() as u32);
            for (index, result) in (0..).zip(&mut data.results) {
                let value = new_value(function, function.ty(*result), ValueDef::Result(made, index));
                same.insert(std::mem::replace(result, value), value);
            }
            function.insts.push(data);
            function.blocks[new.0 as usize].insts.push(made);
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
