//! Loops whose checks can be decided before they run exist twice: with checks, and without.
//!
//! ```text
//! block1(i):                                  block1(i₀):                       least and greatest index of all rounds
//!     branch i < n, block2, block3                g = 0 ≤ i₀ and n − 1 < |a|
//! block2:                                         branch g, fast(i₀), slow(i₀)
//!     check i < |a|, "index out of bounds …"  fast(i):  as block1 and block2, without the check
//!     … a[i] …                        ──►     slow(i):  as block1 and block2
//!     jump block1(i + 1)
//! ```
//! The condition of a check is *provable* if [`ranges`] finds conditions on numbers that are there before the loop, under which
//! it holds whenever the check is made: indices have a least and a greatest value that are computed from where counters start and
//! what they are compared with. The loop is entered with a *guard* that all provable checks have in common: what holds anyway or follows
//! from the rest is not asked ([`forms`]), and where nothing is left to ask there is one copy, without the checks.
//!
//! # Why this is right
//! * *Where the guard holds*, no removed check would have failed: its condition holds in every round in which it is made. Everything
//!   else of the loop is there, in the same order.
//! * *Where it does not*, nothing was changed: effects before the access that fails happen, the message names the lane that failed
//!   first, and a loop that leaves before a bad index is reached does not fail. The guard computes numbers and has no effect.
//! * *Wrapping.* A range is one of numbers without a width. That a computation of 32 or 64 bits has the same result is a condition
//!   of its own: where `y * w + x` could leave `int`, the guard does not hold. Terms of the guard stay below 2⁶² by construction
//!   ([`terms`]): what could be greater is compared with a limit first.
//! * *Loops without rounds.* For a counter that takes no value, any range is right. The guard may hold or not.
//! * *Masks.* That all lanes are inside is enough. Comparisons that make up the mask of an access narrow the range of what they
//!   compare: the tail of a `foreach` has lanes below the rest only.
//! * *Tails.* The masked round behind the loop of a `foreach` belongs to it ([`region::with_tail`]): what is asked of the loop's indices is
//!   asked of its own, which lie between them and the same bounds, and both have their checks or neither.
//! * *Memory.* A bound that is loaded in the loop is a number of before it where it comes from the function's own memory or a global,
//!   and nothing in the loop may write that. So it is with the extents of a view, whose address nobody else has.
//!
//! Outer loops come first: where an index is linear in all loops of a nest, the whole nest runs without checks. What is provable
//! only for an inner loop, such as a row of a sparse matrix, is decided in front of that, in the copy without the other checks. The
//! copy with checks stays as it is, so that a nest of depth d is written at most d + 1 times.

mod copies;
mod counters;
mod facts;
mod forms;
mod proofs;
mod ranges;
mod region;
mod terms;
mod ways;

use super::alias::private_slots;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use copies::Uses;
use ranges::Ranges;
pub(super) use region::is_pure;
use region::{Plan, Region, natural_loop, with_tail};
use rustc_hash::{FxHashMap, FxHashSet};
use terms::{Condition, Terms};

/// A function does not grow beyond this number of instructions.
const MAX_INSTS: usize = 100_000;

/// A guard has at most so many conditions.
const MAX_CONDITIONS: usize = 256;

/// Versions the loops of a function.
pub fn loop_checks(function: &mut Function) {
    let has_checks = |block: &BlockData| block.insts.iter().any(|inst| is_check(function, *inst));
    if !function.blocks.iter().any(has_checks) {
        return;
    }
    let (mut seen, mut slow) = (FxHashSet::default(), FxHashSet::default());
    loop {
        let graph = Graph::new(function);
        let private = private_slots(function);
        let checked = checked(function);
        let regions = next_loops(function, &graph, &seen, &slow);
        if regions.is_empty() {
            break;
        }
        let mut plans: Vec<Plan> = Vec::new();
        for region in regions {
            // A loop in the tail of another one is looked at in the copies of that, or if there are none.
            if plans.iter().any(|plan| plan.region.has(region.header)) {
                continue;
            }
            seen.insert(region.header);
            plans.extend(best_plan(function, &graph, &private, &checked, region));
        }
        let uses: Vec<Option<Uses>> = Uses::of(function, &graph, &plans);
        for (plan, uses) in plans.into_iter().zip(uses) {
            let Some(uses) = uses else { continue };
            if function.insts.len() > MAX_INSTS {
                break;
            }
            if plan.conditions.is_empty() {
                let proven = &plan.proven;
                for block in plan.region.blocks {
                    function.blocks[block.0 as usize].insts.retain(|inst| !proven.contains(inst));
                }
                continue;
            }
            let (fast, with_checks) = copies::version(function, plan, uses);
            seen.insert(fast);
            slow.extend(with_checks);
        }
    }
    function.sort_blocks();
}

fn is_check(function: &Function, inst: Inst) -> bool {
    matches!(function.insts[inst.0 as usize].op, Op::Check { .. })
}

/// The blocks in which a number is checked to be so.
type Checked = FxHashMap<Value, Vec<Block>>;

fn checked(function: &Function) -> Checked {
    let mut checked = Checked::default();
    for (block, data) in (0..).map(Block).zip(&function.blocks) {
        for inst in &data.insts {
            if let Op::Check { condition, .. } = function.insts[inst.0 as usize].op {
                checked.entry(condition).or_default().push(block);
            }
        }
    }
    checked
}

/// The outermost loops that were not looked at.
fn next_loops(function: &Function, graph: &Graph, seen: &FxHashSet<Block>, slow: &FxHashSet<Block>) -> Vec<Region> {
    let mut covered = vec![false; function.blocks.len()];
    let mut regions = Vec::new();
    // Headers of outer loops come before those inside.
    for &header in &graph.order {
        if seen.contains(&header) || slow.contains(&header) || covered[header.0 as usize] {
            continue;
        }
        let Some(region) = natural_loop(graph, header) else { continue };
        for block in &region.blocks {
            covered[block.0 as usize] = true;
        }
        regions.push(region);
    }
    regions
}

/// That of a loop and its tail, if checks of both can be decided.
fn best_plan(function: &Function, graph: &Graph, private: &[bool], checked: &Checked, region: Region) -> Option<Plan> {
    let tail = with_tail(function, graph, &region);
    let alone = plan(function, graph, private, checked, region)?;
    let both = tail.and_then(|tail| plan(function, graph, private, checked, tail));
    Some(both.filter(|both| both.proven.len() > alone.proven.len()).unwrap_or(alone))
}

/// Conditions without those that follow from others, or hold anyway.
fn strongest(function: &Function, terms: &mut Terms, conditions: &[Condition]) -> Vec<Condition> {
    let conditions = terms.strongest(conditions);
    forms::needed(function, terms, &conditions)
}

/// Which checks of a loop can be decided before it, and how.
fn plan(function: &Function, graph: &Graph, private: &[bool], checked: &Checked, region: Region) -> Option<Plan> {
    // The entry has no jumps to it, and is no header.
    let checks: Vec<(Block, Inst)> = region
        .blocks
        .iter()
        .flat_map(|&block| function.blocks[block.0 as usize].insts.iter().map(move |&inst| (block, inst)))
        .filter(|&(_, inst)| is_check(function, inst))
        .collect();
    if checks.is_empty() {
        return None;
    }
    // What has passed a check in front of the loop is so.
    let is_before = |block: &Block| !region.has(*block) && graph.dominates(*block, region.header);
    let is_checked = |condition: &Condition| match condition {
        Condition::Is(value, true) => checked.get(value).is_some_and(|blocks| blocks.iter().any(is_before)),
        _ => false,
    };
    let mut ranges = Ranges::new(function, graph, private, &region);
    // So many conditions are left of those before that one was too many.
    let mut least = 0;
    let (mut conditions, mut known, mut proven) = (Vec::new(), FxHashSet::default(), FxHashSet::default());
    for (block, inst) in checks {
        let Op::Check { condition, .. } = function.insts[inst.0 as usize].op else { unreachable!("a check") };
        let Some(needed) = ranges.proof(condition, block) else { continue };
        let is_new = |condition: &Condition| !known.contains(condition) && !is_checked(condition);
        let new: Vec<Condition> = needed.into_iter().filter(is_new).collect();
        if conditions.len() + new.len() > MAX_CONDITIONS && conditions.len() > least {
            conditions = strongest(function, &mut ranges.terms, &conditions);
            least = conditions.len();
        }
        if conditions.len() + new.len() > MAX_CONDITIONS {
            continue;
        }
        known.extend(new.iter().copied());
        conditions.extend(new);
        proven.insert(inst);
    }
    let mut terms = ranges.terms;
    let conditions = strongest(function, &mut terms, &conditions);
    (!proven.is_empty()).then_some(Plan { region, terms, conditions, proven })
}
