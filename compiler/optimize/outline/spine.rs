//! Where a function may be cut, and where it is.
//!
//! ```text
//! block0: …  branch a, block1, block2        spine: block0, block2, block5; in front of each of their
//! block1: return 7                           instructions the function may be cut
//! block2: …  jump block3
//! block3: …  branch b, block4, block5        block1 belongs to the end of block0, block3 and block4 to that of block2
//! block4: …  jump block3
//! block5: …  return 0
//! ```
//! The *spine* are the blocks outside of loops that dominate the last return. What a block of the spine dominates
//! comes behind it, and nothing else does; a cut is not allowed if a jump leads from there to what is in front of it,
//! such as a return that is shared.

use super::limits::{Limits, is_copied};
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// The cuts of a function.
pub struct Plan {
    /// For each cut, from the first one on: the block, and the instruction in front of which it is cut.
    pub cuts: Vec<(Block, usize)>,
    /// How the piece behind each cut is compiled.
    pub inlining: Vec<Inlining>,
    /// The blocks, each behind those that dominate it.
    pub order: Vec<Block>,
    /// For each block: how many cuts are in front of its parameters.
    first: Vec<usize>,
}

/// What stands between two neighbouring places for cuts.
struct Atom {
    /// The block of the spine, and the instruction; the terminator, with all that is between two blocks of the spine,
    /// is behind the last one.
    at: (Block, usize),
    /// May the function be cut in front of it?
    may_cut: bool,
    /// How many instructions it has.
    length: usize,
    /// Has it loops or vectors? What has not is computed once, in a moment.
    is_work: bool,
}

impl Plan {
    /// The cuts of a function that is worth it; `straight` is how pieces without loops are compiled.
    pub fn new(function: &Function, graph: &Graph, limits: Limits, straight: Inlining) -> Option<Plan> {
        let spine = spine(function, graph)?;
        let home = homes(function, graph, &spine);
        let atoms = atoms(function, graph, &spine, &home);
        let (cuts, is_straight): (Vec<_>, Vec<_>) = grouped(&atoms, limits).into_iter().unzip();
        let inlining = is_straight.into_iter().map(|is| if is { straight } else { Inlining::Never }).collect();
        if cuts.is_empty() || !has_loops(function, graph) {
            return None;
        }
        let number = |block: Block| spine.iter().position(|&other| other == block).expect("cuts are on the spine");
        let places: Vec<(usize, usize)> = cuts.iter().map(|&(block, at)| (number(block), at)).collect();
        let mut first: Vec<usize> = home.iter().map(|&home| places.iter().filter(|(block, _)| *block <= home).count()).collect();
        for (index, block) in spine.iter().enumerate() {
            first[block.0 as usize] = places.iter().filter(|(block, _)| *block < index).count();
        }
        Some(Plan { cuts, inlining, order: graph.order.clone(), first })
    }

    /// The piece that the parameters of a block belong to.
    pub fn of_parameters(&self, block: Block) -> usize {
        self.first[block.0 as usize]
    }

    /// The piece that an instruction of a block belongs to; for the number of instructions, the terminator's.
    pub fn of_inst(&self, block: Block, at: usize) -> usize {
        let own = self.cuts[self.first[block.0 as usize]..].iter().take_while(|(other, place)| *other == block && *place <= at);
        self.first[block.0 as usize] + own.count()
    }
}

/// The blocks outside of loops that dominate the last return, in order.
fn spine(function: &Function, graph: &Graph) -> Option<Vec<Block>> {
    let is_return = |block: &&Block| matches!(function.blocks[block.0 as usize].terminator, Terminator::Return(_));
    let mut next = graph.order.iter().rev().find(|block| is_return(block)).copied();
    let mut spine = Vec::new();
    while let Some(block) = next {
        if graph.innermost_loop(block).is_none() {
            spine.push(block);
        }
        next = graph.immediate_dominator(block);
    }
    spine.reverse();
    (!spine.is_empty()).then_some(spine)
}

/// For each block: the last block of the spine that dominates it, by its place there.
fn homes(function: &Function, graph: &Graph, spine: &[Block]) -> Vec<usize> {
    let mut home = vec![None; function.blocks.len()];
    spine.iter().enumerate().for_each(|(index, block)| home[block.0 as usize] = Some(index));
    for &block in &graph.order {
        if home[block.0 as usize].is_none() {
            home[block.0 as usize] = graph.immediate_dominator(block).and_then(|above| home[above.0 as usize]);
        }
    }
    home.into_iter().map(|home| home.expect("the entry is on the spine: nobody jumps there, and it dominates all")).collect()
}

/// What stands between the places for cuts, in order.
fn atoms(function: &Function, graph: &Graph, spine: &[Block], home: &[usize]) -> Vec<Atom> {
    // Behind each block of the spine, up to the next one.
    let (mut lengths, mut is_work, mut may_cut) = (vec![1; spine.len()], vec![false; spine.len()], vec![true; spine.len()]);
    for &block in &graph.order {
        let (own, data) = (home[block.0 as usize], &function.blocks[block.0 as usize]);
        if spine[own] != block {
            lengths[own] += 1 + data.insts.iter().filter(|inst| counts(function, **inst)).count();
            is_work[own] |= graph.innermost_loop(block).is_some() || data.insts.iter().any(|inst| has_vectors(function, *inst));
        }
        for target in data.terminator.targets() {
            let to = home[target.block.0 as usize];
            // The jump goes from behind those blocks to in front of them.
            may_cut.iter_mut().take(own + 1).skip(to + 1).for_each(|may| *may = false);
        }
    }
    let mut atoms = Vec::new();
    for (index, &block) in spine.iter().enumerate() {
        let insts = &function.blocks[block.0 as usize].insts;
        for (at, &inst) in insts.iter().enumerate() {
            let length = usize::from(counts(function, inst));
            let is_work = length > 0 && has_vectors(function, inst);
            atoms.push(Atom { at: (block, at), may_cut: may_cut[index], length, is_work });
        }
        let (length, is_work) = (lengths[index], is_work[index]);
        atoms.push(Atom { at: (block, insts.len()), may_cut: may_cut[index], length, is_work });
    }
    atoms
}

fn counts(function: &Function, inst: Inst) -> bool {
    !is_copied(&function.insts[inst.0 as usize].op)
}

fn has_vectors(function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst.0 as usize];
    let mut has_vectors = data.results.iter().any(|&result| function.ty(result).length > 1);
    data.op.for_each(|operand| has_vectors |= function.ty(operand).length > 1);
    has_vectors
}

/// Does it loop, by itself or on threads?
fn has_loops(function: &Function, graph: &Graph) -> bool {
    let is_parallel = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::Parallel { .. });
    let is_loop = |block: &Block| graph.innermost_loop(*block).is_some();
    graph.order.iter().any(|block| is_loop(block) || function.blocks[block.0 as usize].insts.iter().any(is_parallel))
}

/// Where cuts are, and whether what is behind them has no loops.
fn grouped(atoms: &[Atom], limits: Limits) -> Vec<((Block, usize), bool)> {
    let length = |atoms: &[Atom]| atoms.iter().map(|atom| atom.length).sum::<usize>();
    let mut cuts: Vec<((Block, usize), bool)> = Vec::new();
    let (mut from, mut rest, mut size) = (0, length(atoms), 0);
    while from < atoms.len() {
        let is_work = atoms[from].is_work;
        let end = atoms[from..].iter().position(|atom| atom.is_work != is_work).map_or(atoms.len(), |more| from + more);
        let run = length(&atoms[from..end]);
        let is_straight = !is_work && run >= limits.cold_from;
        let target = if is_straight { run.div_ceil(run.div_ceil(limits.cold)) } else { limits.piece };
        for (index, atom) in atoms.iter().enumerate().take(end).skip(from) {
            // A few numbers between loops belong to the loops behind them.
            let is_behind_work = index > 0 && atoms[index - 1].is_work;
            let is_full = size >= target && (is_straight || is_behind_work) && rest >= target / 2;
            // What is in front of the first cut is compiled as the function is.
            let is_other = cuts.last().map_or(is_straight, |(_, kind)| *kind != is_straight);
            if (is_full || is_other) && atom.may_cut {
                cuts.push((atom.at, is_straight));
                size = 0;
            }
            size += atom.length;
            rest -= atom.length;
        }
        from = end;
    }
    cuts
}
