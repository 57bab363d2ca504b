//! Blocks of a few operations that do nothing where no lane is on run without being asked for.
//!
//! ```text
//! branch any m, then, behind              v = …;  store p, v, mask m
//! then: v = …;  store p, v, mask m   ──►  jump behind
//! ```
//! Before the passes for the machine, a branch stands in front of what may be many instructions, such as a masked store of bytes. Where the machine has an instruction for
//! it, or memory is there as a whole (`whole_accesses`), the branch costs more, and is guessed wrong where lanes differ.

use super::addresses::Address;
use super::control_flow;
use super::surroundings::Surroundings;
use super::whole_accesses::{lies_there, record};
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// So many operations are as cheap as a branch.
const MOST: usize = 12;

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
    let mut is_changed = false;
    for block in 0..function.blocks.len() {
        let Some((mask, then, behind)) = asks(function, block) else { continue };
        let body = &function.blocks[then.0 as usize];
        let is_between = matches!(&body.terminator, Terminator::Jump(target) if *target == behind);
        if !is_between || !body.parameters.is_empty() || graph.predecessors[then.0 as usize].len() != 1 {
            continue;
        }
        if stores_records(function, then, mask, around)
            && (0..body.insts.len()).all(|at| is_harmless(function, &graph, then, at, mask, around))
            && body.insts.iter().filter(|&&inst| is_work(function, inst)).count() <= MOST
        {
            let moved = std::mem::take(&mut function.blocks[then.0 as usize].insts);
            let data = &mut function.blocks[block];
            data.insts.extend(moved);
            data.terminator = Terminator::Jump(behind);
            is_changed = true;
        }
    }
    if is_changed {
        control_flow(function);
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
