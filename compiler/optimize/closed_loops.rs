//! Loops of which nobody looks at anything but by the arguments of the block behind them, to which copies of them lead as well.

use super::block_writer::BlockWriter;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// The ways out of the blocks of a loop: from which block, and which target of it.
pub(super) fn exits(function: &Function, blocks: &[Block]) -> Vec<(Block, usize)> {
    let targets = |&block: &Block| {
        let targets = function.blocks[block.0 as usize].terminator.targets().enumerate();
        targets.filter(|(_, target)| !blocks.contains(&target.block)).map(move |(at, _)| (block, at)).collect::<Vec<_>>()
    };
    blocks.iter().flat_map(targets).collect()
}

/// What other blocks look at, of the values that a loop defines.
pub(super) fn seen_behind(function: &Function, blocks: &[Block], values: &FxHashSet<Value>) -> Vec<Value> {
    let mut seen = Vec::new();
    let mut look = |value: Value| {
        if values.contains(&value) && !seen.contains(&value) {
            seen.push(value);
        }
    };
    let others = (0..).map(Block).zip(&function.blocks).filter(|(block, _)| !blocks.contains(block));
    for (_, data) in others {
        data.insts.iter().for_each(|inst| function.insts[inst.0 as usize].op.for_each(&mut look));
        data.terminator.for_each(&mut look);
    }
    seen
}

/// Other blocks than those of a loop look at what values are handed on as.
pub(super) fn rename_behind(function: &mut Function, blocks: &[Block], handed: &FxHashMap<Value, Value>) {
    let rename = |value: &mut Value| *value = *handed.get(value).unwrap_or(value);
    for block in (0..function.blocks.len() as u32).map(Block).filter(|block| !blocks.contains(block)) {
        for inst in function.blocks[block.0 as usize].insts.clone() {
            function.insts[inst.0 as usize].op.for_each_mut(rename);
        }
        function.blocks[block.0 as usize].terminator.for_each_mut(rename);
    }
}

/// What is looked at behind a loop of one way out becomes parameters of a block behind it.
pub(super) fn close(function: &mut Function, blocks: &[Block], values: &FxHashSet<Value>) {
    let mut seen = seen_behind(function, blocks, values);
    if seen.is_empty() {
        return;
    }
    let (from, at) = exits(function, blocks)[0];
    let span = function.span;
    let mut to = BlockWriter { function, block: from, span };
    let behind = to.new_block();
    let out = to.function.blocks[from.0 as usize].terminator.targets().nth(at).expect("a way out").clone();
    seen.extend(out.arguments.iter().copied().filter(|value| values.contains(value)));
    seen.sort_unstable();
    seen.dedup();
    let mut handed: FxHashMap<Value, Value> = FxHashMap::default();
    for &value in &seen {
        let ty = to.function.ty(value);
        handed.insert(value, to.parameter(behind, ty));
    }
    rename_behind(to.function, blocks, &handed);
    let mut target = out;
    target.arguments.iter_mut().for_each(|value| *value = *handed.get(value).unwrap_or(value));
    to.block = behind;
    to.end(Terminator::Jump(target));
    let mut targets = to.function.blocks[from.0 as usize].terminator.targets_mut();
    *targets.nth(at).expect("a way out") = Target { block: behind, arguments: seen };
}
