//! Blocks of a few operations that do nothing where no lane is on run without being asked for.
//!
//! ```text
//! branch any m, then, behind              v = …;  store p, v, mask m
//! then: v = …;  store p, v, mask m   ──►  jump behind
//! ```
//! What such a block hands on may be another mask than without it where that is looked at under `m` alone, as the second half of
//! `a[i] > 10 && b[i] > 20` is: lanes that are off there are off in what becomes of it.
//!
//! Before the passes for the machine, a branch stands in front of what may be many instructions, such as a masked store of bytes. Where the machine has an instruction for
//! it, or memory is there as a whole (`whole_accesses`), the branch costs more, and is guessed wrong where lanes differ.

use super::addresses::Address;
use super::control_flow;
use super::surroundings::Surroundings;
use super::whole_accesses::{lies_there, record};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many operations are as cheap as a branch.
const MOST: usize = 12;

/// So many masks are put together where one is looked for.
const DEPTH: usize = 4;

/// Takes the branches of a function away.
pub fn unguarded_blocks(function: &mut Function, around: Surroundings<'_>) {
    let asks = |function: &Function, block: usize| match function.blocks[block].terminator {
        Terminator::Branch { condition, ref then, ref otherwise } => match function.definition(condition) {
            Some(&Op::Any(mask)) if then.arguments.is_empty() => Some((mask, then.block, otherwise.clone())),
            _ => None,
        },
        _ => None,
    };
    if !(0..function.blocks.len()).any(|block| asks(function, block).is_some()) {
        return;
    }
    let graph = Graph::new(function);
    let mut users: Option<Users> = None;
    let mut is_changed = false;
    for block in 0..function.blocks.len() {
        let Some((mask, then, behind)) = asks(function, block) else { continue };
        let body = &function.blocks[then.0 as usize];
        let Terminator::Jump(told) = body.terminator.clone() else { continue };
        if told.block != behind.block || !body.parameters.is_empty() || graph.predecessors[then.0 as usize].len() != 1 {
            continue;
        }
        if told != behind && !users.get_or_insert_with(|| Users::of(function)).look_under(function, mask, &told, &behind) {
            continue;
        }
        if stores_records(function, then, mask, around)
            && (0..body.insts.len()).all(|at| is_harmless(function, &graph, then, at, mask, around))
            && body.insts.iter().filter(|&&inst| is_work(function, inst)).count() <= MOST
        {
            let moved = std::mem::take(&mut function.blocks[then.0 as usize].insts);
            let data = &mut function.blocks[block];
            data.insts.extend(moved);
            data.terminator = Terminator::Jump(told);
            is_changed = true;
        }
    }
    if is_changed {
        control_flow(function);
    }
}

/// Who looks at values.
#[derive(Default)]
struct Users {
    operations: FxHashMap<Value, Vec<Inst>>,
    /// The parameters that a value becomes, by block and place.
    parameters: FxHashMap<Value, Vec<(Block, usize)>>,
    /// What decides a branch or is returned.
    ends: FxHashSet<Value>,
}

impl Users {
    fn of(function: &Function) -> Users {
        let mut users = Users::default();
        for block in &function.blocks {
            for &inst in &block.insts {
                function.insts[inst.0 as usize].op.for_each(|value| users.operations.entry(value).or_default().push(inst));
            }
            match &block.terminator {
                Terminator::Branch { condition, .. } => _ = users.ends.insert(*condition),
                Terminator::Return(values) => users.ends.extend(values),
                Terminator::Jump(_) | Terminator::Unreachable => {}
            }
            for target in block.terminator.targets() {
                for (at, &argument) in target.arguments.iter().enumerate() {
                    users.parameters.entry(argument).or_default().push((target.block, at));
                }
            }
        }
        users
    }

    /// Is all that a block is told otherwise from elsewhere a mask that is looked at under another one?
    fn look_under(&self, function: &Function, mask: Value, told: &Target, elsewhere: &Target) -> bool {
        let is_under = |(at, (value, other)): (usize, (&Value, &Value))| {
            let parameter = function.blocks[told.block.0 as usize].parameters[at];
            let ty = function.ty(parameter);
            value == other
                || ty.element == Element::Bool
                    && ty.length > 1
                    && self.only_become(function, parameter, *other, (told.block, at))
                    && self.operations_look_under(function, parameter, mask, &mut Vec::new())
        };
        told.arguments.iter().zip(&elsewhere.arguments).enumerate().all(is_under)
    }

    /// Does a parameter become nothing but what it is told to be from elsewhere, in a later round, of which nothing else becomes?
    fn only_become(&self, function: &Function, parameter: Value, elsewhere: Value, place: (Block, usize)) -> bool {
        let kept = |&(block, at): &(Block, usize)| {
            let value = function.blocks[block.0 as usize].parameters[at];
            let is_told = self.parameters.get(&value).is_none_or(|places| places.iter().all(|to| *to == place));
            value == elsewhere && is_told && !self.operations.contains_key(&value) && !self.ends.contains(&value)
        };
        !self.ends.contains(&parameter) && self.parameters.get(&parameter).is_none_or(|places| places.iter().all(kept))
    }

    /// Is a mask looked at only where it is put together with masks that have no lane on beside another one's? `with` those it is already.
    fn operations_look_under(&self, function: &Function, value: Value, mask: Value, with: &mut Vec<Value>) -> bool {
        let mut parts = Vec::new();
        for_each_part(function, mask, &mut |part| parts.push(part));
        if parts.iter().all(|&part| with.iter().any(|&other| is_part(function, other, part))) {
            return true;
        }
        let is_end = |value: &Value| self.ends.contains(value) || self.parameters.contains_key(value);
        if with.len() == DEPTH || !with.is_empty() && is_end(&value) {
            return false;
        }
        let users = self.operations.get(&value).map_or(&[][..], |users| users);
        users.iter().all(|user| {
            let InstData { op, results, .. } = &function.insts[user.0 as usize];
            let &Op::Binary(BinaryOp::And, a, b) = op else { return false };
            with.push(if a == value { b } else { a });
            let is_under = self.operations_look_under(function, results[0], mask, with);
            with.pop();
            is_under
        })
    }
}

/// Hands over the masks that a mask is put together of.
fn for_each_part(function: &Function, mask: Value, visit: &mut impl FnMut(Value)) {
    match function.definition(mask) {
        Some(&Op::Binary(BinaryOp::And, a, b)) => {
            for_each_part(function, a, visit);
            for_each_part(function, b, visit);
        }
        _ => visit(mask),
    }
}

/// Is it an operation that takes time?
fn is_work(function: &Function, inst: Inst) -> bool {
    !matches!(function.insts[inst.0 as usize].op, Op::Const(_) | Op::PtrIndex { .. } | Op::PtrOffset(..))
}

/// Does it do nothing where no lane of a mask is on, in an instruction or two?
fn is_harmless(function: &Function, graph: &Graph, block: Block, at: usize, mask: Value, around: Surroundings<'_>) -> bool {
    let InstData { op, results, .. } = &function.insts[function.blocks[block.0 as usize].insts[at].0 as usize];
    let (pointer, ty, under) = match *op {
        Op::Load { pointer, mask } => (pointer, function.ty(results[0]), mask),
        Op::Store { pointer, value, mask, streaming: false } => (pointer, function.ty(value), mask),
        Op::Const(_)
        | Op::Splat(_)
        | Op::Ramp { .. }
        | Op::Compare(..)
        | Op::Select(..)
        | Op::PtrIndex { .. }
        | Op::PtrOffset(..) => return true,
        Op::Unary(op, _) => return !matches!(op, UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Rcp),
        Op::Binary(op, ..) => {
            use BinaryOp::{FDiv, FRem, SDiv, SRem, UDiv, URem};
            return !matches!(op, SDiv | UDiv | SRem | URem | FDiv | FRem);
        }
        Op::Convert(..) => return true,
        Op::StridedLoad { mask: None, .. } => return record(function, graph, (block, at)) == Some(None),
        Op::StridedLoad { mask: Some(first), .. } => {
            return matches!(function.definition(first), Some(Op::FirstLanes(_)))
                && record(function, graph, (block, at)).is_some_and(|there| there.is_none_or(|there| there == first));
        }
        // Together they are records.
        Op::Scatter { .. } => return true,
        _ => return false,
    };
    if under.is_some_and(|under| is_part(function, under, mask)) {
        return around.machine.has_masked_moves(ty.element.size(), ty.length);
    }
    // Of a run of lanes, or of all: of memory that is there, in which a store changes nothing where no lane of the mask is on.
    let is_run = under.is_none_or(|first| matches!(function.definition(first), Some(Op::FirstLanes(_))));
    let firsts: Vec<Value> = under.into_iter().collect();
    let Some((there, known)) = lies_there(function, graph, (block, at), pointer, ty, &firsts).filter(|_| is_run) else {
        return false;
    };
    let is_kept = match *op {
        Op::Store { value, .. } => match function.definition(value) {
            Some(&Op::Select(chosen, _, kept)) => is_part(function, chosen, mask) && known == Some(kept),
            _ => false,
        },
        _ => true,
    };
    is_kept && (there.is_none() || there == under)
}

/// Are the scatters of a block, if there are any, all members of records of four or eight bytes, which are stored as numbers under a mask?
fn stores_records(function: &Function, block: Block, of: Value, around: Surroundings<'_>) -> bool {
    let (mut bytes, mut steps) = (0, Vec::new());
    for inst in &function.blocks[block.0 as usize].insts {
        if let Op::Scatter { pointers, value, mask } = function.insts[inst.0 as usize].op {
            let step = Address::of(function, pointers)
                .lane_step(function)
                .filter(|_| mask.is_some_and(|mask| is_part(function, mask, of)));
            bytes += function.ty(value).element.size();
            steps.push(step);
        }
    }
    let Some(&first) = steps.first() else { return true };
    let Some(step) = first.and_then(|step| u64::try_from(step).ok()) else { return false };
    steps.iter().all(|other| *other == first)
        && bytes == step
        && matches!(step, 4 | 8)
        && around.machine.has_masked_moves(step, 2)
}

/// Has a mask no lane on that another one has not?
fn is_part(function: &Function, mask: Value, of: Value) -> bool {
    mask == of
        || match function.definition(mask) {
            Some(&Op::Binary(BinaryOp::And, a, b)) => is_part(function, a, of) || is_part(function, b, of),
            _ => false,
        }
}
