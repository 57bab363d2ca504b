//! Two copies of a loop behind a guard.
//!
//! ```text
//!   … ──► header(p) ◄─┐               … ──► header(g): guard ──► fast header(p₁) ◄─┐ … ──┐
//!            │  body ─┘      ──►                         │          body without checks  ├──► way out(v) ──► exit
//!            └──► exit                                   └────► slow header(p₂) ◄─┐ … ──┘
//!                 … v …                                             body
//! ```
//! The header keeps its number, so that jumps to it stay as they are. What is computed in the loop and used behind it comes out
//! through parameters of new blocks on the ways out; these parameters are the old values, so that uses behind the loop stay as
//! they are, too.

use super::super::block_writer::{BlockWriter, new_block, new_value};
use super::super::copied_blocks::copied_blocks;
use super::region::Plan;
use super::terms::Writer;
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is used behind a loop.
pub(super) struct Uses {
    /// Where ways out lead, with the values that are used from there on.
    exits: Vec<(Block, Vec<Value>)>,
}

impl Uses {
    /// Of each plan; nothing where a value is used behind several ways out.
    pub fn of(function: &Function, graph: &Graph, plans: &[Plan]) -> Vec<Option<Uses>> {
        let mut home: FxHashMap<Inst, usize> = FxHashMap::default();
        let mut around: Vec<Option<usize>> = vec![None; function.blocks.len()];
        let mut all: Vec<Option<Uses>> = Vec::new();
        for (number, plan) in plans.iter().enumerate() {
            let mut exits: Vec<(Block, Vec<Value>)> = Vec::new();
            for &block in &plan.region.blocks {
                around[block.0 as usize] = Some(number);
                home.extend(function.blocks[block.0 as usize].insts.iter().map(|&inst| (inst, number)));
                for target in function.blocks[block.0 as usize].terminator.targets() {
                    if !plan.region.has(target.block) && exits.iter().all(|(exit, _)| *exit != target.block) {
                        exits.push((target.block, Vec::new()));
                    }
                }
            }
            all.push(Some(Uses { exits }));
        }
        let of = |value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => around[block.0 as usize],
            ValueDef::Result(inst, _) => home.get(&inst).copied(),
        };
        let mut used = |value: Value, block: Block| {
            let Some(number) = of(value).filter(|&number| around[block.0 as usize] != Some(number)) else { return };
            let Some(uses) = &mut all[number] else { return };
            if !uses.add(graph, &plans[number], value, block) {
                all[number] = None;
            }
        };
        for &block in &graph.order {
            let data = &function.blocks[block.0 as usize];
            for &inst in &data.insts {
                function.insts[inst.0 as usize].op.for_each(|value| used(value, block));
            }
            data.terminator.for_each(|value| used(value, block));
        }
        // A guard looks through what its loop uses, and may need what only another loop has used so far.
        for (number, plan) in plans.iter().enumerate() {
            let (mut work, mut seen) = (plan.terms.values(&plan.conditions), FxHashSet::default());
            while let Some(value) = work.pop() {
                if !seen.insert(value) {
                    continue;
                }
                match function.definition(value) {
                    Some(op) if of(value) == Some(number) => op.for_each(|operand| work.push(operand)),
                    _ => used(value, plan.region.header),
                }
            }
        }
        all
    }

    /// A value is used in a block behind the loop. Is there one way out for it, to where nothing but the loop leads? What leads there
    /// from another way out, such as behind a `break`, would not come through the new block.
    fn add(&mut self, graph: &Graph, plan: &Plan, value: Value, block: Block) -> bool {
        let leads_here_alone = |exit: Block| graph.predecessors[exit.0 as usize].iter().all(|&block| plan.region.has(block));
        let way = self.exits.iter().position(|(exit, _)| graph.dominates(*exit, block) && leads_here_alone(*exit));
        let Some(way) = way else { return false };
        if self.exits.iter().enumerate().any(|(other, (_, values))| other != way && values.contains(&value)) {
            return false;
        }
        let (_, values) = &mut self.exits[way];
        if !values.contains(&value) {
            values.push(value);
        }
        true
    }
}

/// Writes the copies. Gives the header of the one without the checks that the guard decides, and the blocks of the other one.
pub(super) fn version(function: &mut Function, plan: Plan, uses: Uses) -> (Block, Vec<Block>) {
    let mut ways: FxHashMap<Block, Way> = FxHashMap::default();
    for (exit, values) in uses.exits {
        let block = new_block(function);
        ways.insert(exit, Way { block, values });
    }
    let fast = copy(function, &plan, &ways, Checks::OfTheProgram);
    let slow = copy(function, &plan, &ways, Checks::All);
    // Values that come out are found where they were before they become parameters.
    write_guard(function, &plan, [fast[0], slow[0]]);
    for (&exit, way) in &ways {
        finish_way(function, exit, way);
    }
    for &block in &plan.region.blocks[1..] {
        function.blocks[block.0 as usize] = BlockData::empty();
    }
    (fast[0], slow)
}

/// A new block on the way out.
struct Way {
    block: Block,
    /// What it has parameters for, behind those of the exit.
    values: Vec<Value>,
}

/// Which checks a copy has.
#[derive(Clone, Copy, PartialEq)]
enum Checks {
    All,
    /// Those that the guard does not decide.
    OfTheProgram,
}

/// The blocks of a copy, in the order of the region.
fn copy(function: &mut Function, plan: &Plan, ways: &FxHashMap<Block, Way>, checks: Checks) -> Vec<Block> {
    let is_decided = |inst: Inst| checks == Checks::OfTheProgram && plan.proven.contains(&inst);
    let leave = |target: &mut Target| {
        let way = &ways[&target.block];
        target.block = way.block;
        target.arguments.extend(&way.values);
    };
    copied_blocks(function, &plan.region.blocks, is_decided, leave).0
}

/// The block on the way to an exit: parameters of its own for those of the exit, and the values that come out.
fn finish_way(function: &mut Function, exit: Block, way: &Way) {
    let mut parameters = Vec::new();
    for (index, parameter) in (0..).zip(function.blocks[exit.0 as usize].parameters.clone()) {
        let ty = function.ty(parameter);
        parameters.push(new_value(function, ty, ValueDef::Parameter(way.block, index)));
    }
    let arguments = parameters.clone();
    for &value in &way.values {
        function.values[value.0 as usize].def = ValueDef::Parameter(way.block, parameters.len() as u32);
        parameters.push(value);
    }
    let terminator = Terminator::Jump(Target { block: exit, arguments });
    function.blocks[way.block.0 as usize] = BlockData { parameters, insts: Vec::new(), terminator };
}

/// The header becomes the guard. It has parameters of its own, since the old ones may be values that come out.
fn write_guard(function: &mut Function, plan: &Plan, [fast, slow]: [Block; 2]) {
    let header = plan.region.header;
    let mut entry = Vec::new();
    let old = std::mem::replace(&mut function.blocks[header.0 as usize], BlockData::empty());
    for (index, &parameter) in (0..).zip(&old.parameters) {
        let ty = function.ty(parameter);
        entry.push(new_value(function, ty, ValueDef::Parameter(header, index)));
    }
    let inside: FxHashSet<Value> = plan
        .region
        .blocks
        .iter()
        .flat_map(|&block| if block == header { &old.insts } else { &function.blocks[block.0 as usize].insts })
        .flat_map(|inst| &function.insts[inst.0 as usize].results)
        .copied()
        .collect();
    let is_inside = |_: &Function, value: Value| inside.contains(&value);
    let (written, values) = Default::default();
    let to = BlockWriter { function, block: header, span: Span::default() };
    let mut writer = Writer { to, terms: &plan.terms, entry: &entry, is_inside: &is_inside, written, values };
    let condition = writer.guard(&plan.conditions);
    let target = |block: Block| Target { block, arguments: entry.clone() };
    let terminator = Terminator::Branch { condition, then: target(fast), otherwise: target(slow) };
    let data = &mut function.blocks[header.0 as usize];
    (data.parameters, data.terminator) = (entry.clone(), terminator);
}
