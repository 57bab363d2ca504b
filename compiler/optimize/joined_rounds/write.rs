//! Writes a region once more, for the lanes of several rounds.

use super::super::block_writer::{BlockWriter, new_value};
use super::super::widened_rounds::{LongerRounds, is_vector, longer};
use super::callees::Known;
use super::region::{Region, Round};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use std::collections::HashMap;

/// The functions that were written for the lanes of so many rounds.
pub(super) type Copies = HashMap<(FunctionId, u8), FunctionId>;

/// Runs so many rounds at once while as many are left.
pub(super) fn write(function: &mut Function, graph: &Graph, found: &Round, times: u8, copies: &Copies) {
    let span = function.insts
        [found.first.first().or(function.blocks[found.counter.body.0 as usize].insts.first()).map_or(0, |i| i.0 as usize)]
    .span;
    let rounds = LongerRounds { header: found.header, counter: found.counter, totals: &[], times, span };
    let is_inside = |block: Block| found.inside[block.0 as usize];
    rounds.write(function, graph, is_inside, |to, same| {
        outside(to, &found.region, &found.first, times, same);
        for &inst in &found.first {
            copy(to, &found.region, inst, times, same, copies);
        }
        let blocks = blocks(to, &found.region, times, same);
        for (&block, &copied) in found.region.blocks.iter().zip(&blocks) {
            to.block = copied;
            fill(to, &found.region, block, times, same, copies);
            if block != found.latch {
                end(to, &found.region, block, &blocks, same);
            }
        }
        let latch = found.region.blocks.iter().position(|&block| block == found.latch).expect("a block of the round");
        to.block = blocks[latch];
        Vec::new()
    });
}

/// The same function for so many times the lanes.
pub(super) fn copied(module: &mut Module, known: &Known, id: FunctionId, times: u8, copies: &mut Copies) -> FunctionId {
    if let Some(&copied) = copies.get(&(id, times)) {
        return copied;
    }
    let mut function = module.functions[id.0 as usize].clone();
    let mut callees = Vec::new();
    function.for_each_call(|callee, _| callees.push(callee));
    for callee in callees {
        copied(module, known, callee, times, copies);
    }
    let region = &known[&id].as_ref().expect("it may be copied").region;
    let longer = |ty: Type| if ty.length > 1 { ty.with_length(ty.length * times) } else { ty };
    function.name = format!("{}.x{times}", function.name);
    function.signature = format!("{times} at once: {}", function.signature);
    function.linkage = Linkage::Internal;
    function.loose.clear();
    function.parameters.iter_mut().chain(&mut function.results).for_each(|ty| *ty = longer(*ty));

    let span = function.span;
    let mut to = BlockWriter { function: &mut function, block: Block(0), span };
    let start = to.new_block();
    let (mut same, mut parameters) = (HashMap::new(), Vec::new());
    for (index, parameter) in (0..).zip(to.function.blocks[0].parameters.clone()) {
        let ty = longer(to.function.ty(parameter));
        let value = new_value(to.function, ty, ValueDef::Parameter(Block(0), index));
        same.insert(parameter, value);
        parameters.push(value);
    }
    to.block = start;
    let blocks = blocks(&mut to, region, times, &mut same);
    for (&block, &copied) in region.blocks.iter().zip(&blocks) {
        to.block = copied;
        fill(&mut to, region, block, times, &mut same, copies);
        end(&mut to, region, block, &blocks, &same);
    }
    let terminator = Terminator::Jump(Target { block: start, arguments: Vec::new() });
    function.blocks[0] = BlockData { parameters, insts: Vec::new(), terminator };
    function.sort_blocks();
    super::super::control_flow(&mut function);

    let copied = FunctionId(module.functions.len() as u32);
    module.functions.push(function);
    copies.insert((id, times), copied);
    copied
}

/// What vectors from outside are for all rounds, which stands where the round begins.
fn outside(to: &mut BlockWriter<'_>, region: &Region, first: &[Inst], times: u8, same: &mut HashMap<Value, Value>) {
    let mut used = Vec::new();
    let of_blocks = region.blocks.iter().flat_map(|block| &to.function.blocks[block.0 as usize].insts);
    for inst in first.iter().chain(of_blocks) {
        let op = &to.function.insts[inst.0 as usize].op;
        let tables = region.lanes.tables(op);
        op.for_each(|value| {
            if !tables.contains(&value) {
                used.push(value)
            }
        });
    }
    for block in &region.blocks {
        to.function.blocks[block.0 as usize].terminator.for_each(|value| used.push(value));
    }
    for value in used {
        if is_vector(to.function, value) && !region.lanes.inside.contains(&value) && !same.contains_key(&value) {
            let longer = longer(to, value, times);
            same.insert(value, longer);
        }
    }
}

/// The blocks of the copy, with their parameters; the first one is where the writer stands.
fn blocks(to: &mut BlockWriter<'_>, region: &Region, times: u8, same: &mut HashMap<Value, Value>) -> Vec<Block> {
    let mut blocks = vec![to.block];
    for &block in &region.blocks[1..] {
        let copied = to.new_block();
        for parameter in to.function.blocks[block.0 as usize].parameters.clone() {
            let ty = to.function.ty(parameter);
            let ty = if ty.length > 1 { ty.with_length(ty.length * times) } else { ty };
            let value = to.parameter(copied, ty);
            same.insert(parameter, value);
        }
        blocks.push(copied);
    }
    blocks
}

/// The instructions of a block.
fn fill(to: &mut BlockWriter<'_>, region: &Region, block: Block, times: u8, same: &mut HashMap<Value, Value>, copies: &Copies) {
    for inst in to.function.blocks[block.0 as usize].insts.clone() {
        copy(to, region, inst, times, same, copies);
    }
}

fn copy(to: &mut BlockWriter<'_>, region: &Region, inst: Inst, times: u8, same: &mut HashMap<Value, Value>, copies: &Copies) {
    let Op::Call(callee, _) = to.function.insts[inst.0 as usize].op else {
        region.lanes.lengthen(to, inst, times, same);
        return;
    };
    let results = to.copy(inst, |value| same.get(&value).copied().unwrap_or(value));
    let made = to.function.insts.len() - 1;
    if let Op::Call(id, _) = &mut to.function.insts[made].op {
        *id = copies[&(callee, times)];
    }
    for (result, made) in results {
        let ty = to.function.ty(result);
        to.function.values[made.0 as usize].ty = ty.with_length(ty.length * times);
        same.insert(result, made);
    }
}

/// How a block ends.
fn end(to: &mut BlockWriter<'_>, region: &Region, block: Block, blocks: &[Block], same: &HashMap<Value, Value>) {
    let mut terminator = to.function.blocks[block.0 as usize].terminator.clone();
    terminator.for_each_mut(|value| *value = same.get(value).copied().unwrap_or(*value));
    for target in terminator.targets_mut() {
        let place = region.blocks.iter().position(|&block| block == target.block).expect("a block of the region");
        target.block = blocks[place];
    }
    to.end(terminator);
}
