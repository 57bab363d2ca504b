//! Writes a region once more, for the lanes of several rounds.

use super::super::block_writer::{BlockWriter, new_value};
use super::super::widened_rounds::{LongerRounds, for_rounds, is_vector, longer};
use super::callees::Known;
use super::region::{Region, Round};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// The functions that were written for the lanes of so many rounds.
pub(super) type Copies = FxHashMap<(FunctionId, u8), FunctionId>;

/// Runs so many rounds at once while as many are left.
pub(super) fn write(function: &mut Function, graph: &Graph, found: &Round, times: u8, copies: &Copies) {
    let rounds = LongerRounds {
        header: found.header,
        counter: found.counter,
        totals: &found.totals,
        carried: &[],
        times,
        of_total: for_rounds,
        apart: &[],
        are_few: false,
    };
    let is_inside = |block: Block| found.inside[block.0 as usize];
    rounds.write(function, graph, is_inside, |to, same| {
        let mut copy = Copy { region: &found.region, times, copies, same };
        copy.share(to, &found.first);
        for &inst in &found.first {
            copy.inst(to, inst);
        }
        to.block = copy.blocks(to, Some(found.latch));
        let next = found.loop_blocks(to.function).next();
        next.iter().map(|value| same.get(value).copied().unwrap_or(*value)).collect()
    });
}

/// The same function for so many times the lanes.
pub(super) fn copied(module: &mut Module, known: &Known, id: FunctionId, times: u8, copies: &mut Copies) {
    if copies.contains_key(&(id, times)) {
        return;
    }
    let mut function = module.functions[id.0 as usize].clone();
    let mut callees = Vec::new();
    function.for_each_call(|callee, _| callees.push(callee));
    for callee in callees {
        copied(module, known, callee, times, copies);
    }
    let region = &known[&id].as_ref().expect("it may be copied").region;
    function.name = format!("{}.x{times}", function.name);
    function.signature = format!("{times} at once: {}", function.signature);
    function.linkage = Linkage::Internal;
    function.loose.clear();
    function.parameters.iter_mut().chain(&mut function.results).for_each(|ty| *ty = for_rounds(*ty, times));

    let span = function.span;
    let mut to = BlockWriter { function: &mut function, block: Block(0), span };
    let start = to.new_block();
    let mut same = FxHashMap::default();
    let mut parameters = std::mem::take(&mut to.function.blocks[0].parameters);
    for (index, parameter) in (0..).zip(&mut parameters) {
        let ty = for_rounds(to.function.ty(*parameter), times);
        let value = new_value(to.function, ty, ValueDef::Parameter(Block(0), index));
        same.insert(std::mem::replace(parameter, value), value);
    }
    to.block = start;
    Copy { region, times, copies, same: &mut same }.blocks(&mut to, None);
    let terminator = Terminator::Jump(Target { block: start, arguments: Vec::new() });
    function.blocks[0] = BlockData { parameters, insts: Vec::new(), terminator };
    function.sort_blocks();
    super::super::control_flow(&mut function);

    copies.insert((id, times), FunctionId(module.functions.len() as u32));
    module.functions.push(function);
}

/// A region for the lanes of so many rounds.
struct Copy<'a> {
    region: &'a Region,
    times: u8,
    copies: &'a Copies,
    /// What takes the place of the values of the region.
    same: &'a mut FxHashMap<Value, Value>,
}

impl Copy<'_> {
    /// Writes what vectors from outside are for all rounds, where the round begins.
    fn share(&mut self, to: &mut BlockWriter<'_>, first: &[Inst]) {
        let region = self.region;
        let mut used = Vec::new();
        let of_blocks = region.blocks.iter().flat_map(|block| &to.function.blocks[block.0 as usize].insts);
        for inst in first.iter().chain(of_blocks) {
            let op = &to.function.insts[inst.0 as usize].op;
            let tables = region.lanes.tables(op);
            op.for_each(|value| used.extend(Some(value).filter(|value| !tables.contains(value))));
        }
        for block in &region.blocks {
            to.function.blocks[block.0 as usize].terminator.for_each(|value| used.push(value));
        }
        for value in used {
            if is_vector(to.function, value) && !region.lanes.inside.contains(&value) && !self.same.contains_key(&value) {
                let longer = longer(to, value, self.times);
                self.same.insert(value, longer);
            }
        }
    }

    /// Writes all blocks, the first one where the writer stands. One may be left open: gives what it became, else the first one.
    fn blocks(&mut self, to: &mut BlockWriter<'_>, open: Option<Block>) -> Block {
        let blocks = &self.region.blocks;
        let mut copied = FxHashMap::from_iter([(blocks[0], to.block)]);
        for &block in &blocks[1..] {
            let new = to.new_block();
            for parameter in to.function.blocks[block.0 as usize].parameters.clone() {
                let ty = for_rounds(to.function.ty(parameter), self.times);
                let value = to.parameter(new, ty);
                self.same.insert(parameter, value);
            }
            copied.insert(block, new);
        }
        for &block in blocks {
            to.block = copied[&block];
            for inst in to.function.blocks[block.0 as usize].insts.clone() {
                self.inst(to, inst);
            }
            if Some(block) != open {
                let mut terminator = to.function.blocks[block.0 as usize].terminator.clone();
                terminator.for_each_mut(|value| *value = self.instead(*value));
                terminator.targets_mut().for_each(|target| target.block = copied[&target.block]);
                to.end(terminator);
            }
        }
        copied[&open.unwrap_or(blocks[0])]
    }

    fn instead(&self, value: Value) -> Value {
        self.same.get(&value).copied().unwrap_or(value)
    }

    fn inst(&mut self, to: &mut BlockWriter<'_>, inst: Inst) {
        let Op::Call(callee, _) = to.function.insts[inst.0 as usize].op else {
            self.region.lanes.lengthen(to, inst, self.times, self.same);
            return;
        };
        let results = to.copy(inst, |value| self.instead(value));
        let made = to.function.insts.len() - 1;
        if let Op::Call(id, _) = &mut to.function.insts[made].op {
            *id = self.copies[&(callee, self.times)];
        }
        for (result, made) in results {
            to.function.values[made.0 as usize].ty = for_rounds(to.function.ty(result), self.times);
            self.same.insert(result, made);
        }
    }
}
