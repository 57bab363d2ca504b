//! What the header of a loop loads, and is the same in all rounds, is loaded in front of the loop; so is the end of what a pointer walks through computed there.
//!
//! ```text
//!                                                     w = load g + 4
//! block1(i):                                      block1(i):
//!     w = load g + 4                                  branch i < w, block2, block3
//!     branch i < w, block2, block3        ──►     block2:
//! block2:                                             …; store o + 4 · i, x
//!     …; store o + 4 · i, x                           jump block1(i + 1)
//!     jump block1(i + 1)
//! ```
//! `for (int x = 0; x < g->w; x++)` has so a limit that is known in front of it, and `for (p = a; p < a + n; p++)`. The header runs whenever the loop is come to, so that what it loads before
//! anything else happens may be loaded before; and no block of the loop writes what is loaded.

use super::alias::may_write;
use super::counted_loop::{Ways, in_front, values_of};
use super::loop_checks::is_pure;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// Loops of more instructions are left alone.
const MAX_INSTS: usize = 2000;

/// Moves the loads of a function's headers.
pub fn header_loads(function: &mut Function) {
    let graph = Graph::new(function);
    let mut has_new = false;
    for &header in &graph.order {
        let loads = function.blocks[header.0 as usize].insts.iter();
        let is_place = |op: &Op| matches!(op, Op::Load { mask: None, .. } | Op::PtrIndex { .. } | Op::PtrOffset(..));
        if !loads.clone().any(|inst| is_place(&function.insts[inst.0 as usize].op)) {
            continue;
        }
        let Some(Ways { before, inside, .. }) = Ways::of(function, &graph, header) else { continue };
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        let found = same_in_all_rounds(function, header, &blocks);
        if !found.iter().any(|inst| is_place(&function.insts[inst.0 as usize].op)) {
            continue;
        }
        function.blocks[header.0 as usize].insts.retain(|inst| !found.contains(inst));
        let to = in_front(function, before, header);
        has_new |= to != before;
        function.blocks[to.0 as usize].insts.extend(found);
    }
    if has_new {
        function.sort_blocks();
    }
}

/// The instructions of a header, in order, that load what no block of the loop writes, and that compute where.
fn same_in_all_rounds(function: &Function, header: Block, blocks: &[Block]) -> Vec<Inst> {
    let insts = || blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
    let (mut found, mut moved) = (Vec::new(), FxHashSet::default());
    if insts().count() > MAX_INSTS {
        return found;
    }
    let inside = values_of(function, blocks);
    for &inst in &function.blocks[header.0 as usize].insts {
        let InstData { op, results, .. } = &function.insts[inst.0 as usize];
        if op.has_effect() {
            break;
        }
        let is_written = |pointer: Value| insts().any(|inst| may_write(function, &function.insts[inst.0 as usize].op, pointer));
        let mut is_same = match *op {
            Op::Load { pointer, mask: None } => !is_written(pointer),
            _ => is_pure(op),
        };
        op.for_each(|operand| is_same = is_same && (!inside.contains(&operand) || moved.contains(&operand)));
        if is_same {
            moved.extend(results.iter().copied());
            found.push(inst);
        }
    }
    found
}
