//! Loops that stand once more as they were, for what is asked in front of the others.

use super::copied_blocks::copied_blocks;
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// The header of the copy of a loop, of these blocks. It is rarely come to, so that no more is done about it and the loops inside.
pub(super) fn old_loop(function: &mut Function, graph: &Graph, all: &[Block], header: Block, span: Span) -> Block {
    let (copies, _) = copied_blocks(function, all, |_| false, |_| ());
    for (_, copy) in all.iter().zip(&copies).filter(|(block, _)| graph.innermost_loop(**block) == Some(**block)) {
        let hint = Inst(function.insts.len() as u32);
        function.insts.push(InstData { op: Op::Unroll(Unrolling::Rounds(1)), results: Vec::new(), span });
        function.blocks[copy.0 as usize].insts.insert(0, hint);
    }
    copies[all.iter().position(|&block| block == header).expect("a loop has its header")]
}

/// Is it such a copy, or told by the program how many rounds are written out?
pub(super) fn is_told(function: &Function, header: Block) -> bool {
    let insts = &function.blocks[header.0 as usize].insts;
    insts.iter().any(|inst| matches!(function.insts[inst.0 as usize].op, Op::Unroll(_)))
}
