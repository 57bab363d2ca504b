//! What a round takes, and how many rounds there is room for.

use super::super::widened_rounds::is_vector;
use super::callees::Known;
use super::region::{Region, Round};
use crate::machine::Machine;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// A processor sees so many operations ahead: it begins the next round while one of fewer waits, unless that has a loop that lanes leave one by one.
const LEAST: usize = 150;
/// With the functions that it calls, a round has no more instructions.
const MOST: usize = 1500;

/// So many lanes may leave a loop one by one before too many wait for the last one.
const FEW_LANES: u8 = 16;

/// How many rounds are to be one: none where a round does not wait, or where registers are many already. Four, where nothing goes from one round of a loop in
/// it to the next, or where registers hold what does; else two.
pub(super) fn times(function: &Function, round: &Round, known: &Known, callees: &[Function], machine: &Machine) -> Option<u8> {
    let mut work = Work {
        machine,
        known,
        callees,
        insts: 0,
        values: 0,
        registers: 0,
        most_lanes: 0,
        alive: 0,
        has_loops: false,
        loses_lanes: false,
    };
    work.add(function, &round.region);
    let waits = work.loses_lanes || work.registers >= LEAST;
    let is_one_register = 2 * work.registers <= 3 * work.values;
    if !waits || !is_one_register || work.insts > MOST {
        return None;
    }
    let is_right = |times: &u8| {
        let has_room = work.most_lanes <= Type::MOST_LANES / times;
        let is_held = work.alive * usize::from(*times) <= usize::from(machine.registers);
        let is_short = *times == 2 && (!work.loses_lanes || work.most_lanes * times <= FEW_LANES);
        has_room && (!work.has_loops || is_held || is_short)
    };
    [4, 2].into_iter().find(is_right)
}

/// What there is in a round and in what it calls.
struct Work<'m> {
    machine: &'m Machine,
    known: &'m Known,
    /// The functions of the module.
    callees: &'m [Function],
    insts: usize,
    /// Vectors that are computed.
    values: usize,
    /// The registers that they need.
    registers: usize,
    most_lanes: u8,
    /// As many registers hold something at once.
    alive: usize,
    has_loops: bool,
    /// Is there a loop that lanes leave one by one?
    loses_lanes: bool,
}

impl Work<'_> {
    /// That of a region, and of what it calls.
    fn add(&mut self, function: &Function, region: &Region) {
        self.has_loops |= region.has_loops;
        self.loses_lanes |= region.loses_lanes;
        for inst in region.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts) {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            self.insts += 1;
            if let Op::Call(id, _) = op
                && let Some(Some(callee)) = self.known.get(id)
                && self.insts <= MOST
            {
                self.add(&self.callees[id.0 as usize], &callee.region);
            }
            for &value in results.iter().filter(|&&value| is_vector(function, value)) {
                let ty = function.ty(value);
                self.most_lanes = self.most_lanes.max(ty.length);
                if takes_register(function, value) {
                    self.values += 1;
                    self.registers += self.machine.registers_of(ty.element.size(), ty.length);
                }
            }
        }
        if self.insts <= MOST {
            self.alive = self.alive.max(self.most_alive(function, region));
        }
    }

    /// As many registers hold something of a region at once.
    fn most_alive(&self, function: &Function, region: &Region) -> usize {
        let is_counted = |value: &Value| region.lanes.inside.contains(value) && takes_register(function, *value);
        let registers = |alive: &FxHashSet<Value>| -> usize {
            let of = |value: &Value| self.machine.registers_of(function.ty(*value).element.size(), function.ty(*value).length);
            alive.iter().map(of).sum()
        };
        // What is alive where a block begins, by the blocks behind it; again, until nothing is added.
        let mut begins = vec![FxHashSet::default(); function.blocks.len()];
        let (mut most, mut is_known) = (0, false);
        while !std::mem::replace(&mut is_known, true) {
            for &block in region.blocks.iter().rev() {
                let data = &function.blocks[block.0 as usize];
                let mut alive: FxHashSet<Value> = FxHashSet::default();
                for target in data.terminator.targets() {
                    let parameters = &function.blocks[target.block.0 as usize].parameters;
                    alive.extend(begins[target.block.0 as usize].iter().filter(|value| !parameters.contains(value)));
                }
                data.terminator.for_each(|value| alive.extend(Some(value).filter(is_counted)));
                most = most.max(registers(&alive));
                for inst in data.insts.iter().rev() {
                    let InstData { op, results, .. } = &function.insts[inst.0 as usize];
                    results.iter().for_each(|result| _ = alive.remove(result));
                    op.for_each(|value| alive.extend(Some(value).filter(is_counted)));
                    most = most.max(registers(&alive));
                }
                is_known &= begins[block.0 as usize] == alive;
                begins[block.0 as usize] = alive;
            }
        }
        most
    }
}

/// Is it more than a constant, an address or a mask?
fn takes_register(function: &Function, value: Value) -> bool {
    let is_free = matches!(function.definition(value), Some(Op::Const(_) | Op::Splat(_) | Op::Ramp { .. } | Op::Unset));
    is_vector(function, value) && !is_free && !matches!(function.ty(value).element, Element::Bool | Element::Ptr)
}
