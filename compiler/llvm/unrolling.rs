//! How loops are unrolled, which LLVM is told at the jumps back to their headers.

use rustc_hash::FxHashMap;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use inkwell::llvm_sys::prelude::LLVMMetadataRef;

use super::builder::Builder;
use crate::vector::graph::Graph;
use crate::vector::ir::{self, Op};

/// What the loops of a function say, by the blocks that end in a jump back to the header.
pub(super) struct Unrolling {
    back: FxHashMap<ir::Block, (ir::Block, ir::Unrolling)>,
}

impl Unrolling {
    pub(super) fn of(function: &ir::Function) -> Unrolling {
        let said = |block: &ir::BlockData| {
            block.insts.iter().find_map(|inst| match function.insts[inst.0 as usize].op {
                Op::Unroll(unrolling) => Some(unrolling),
                _ => None,
            })
        };
        let mut back = FxHashMap::default();
        if function.blocks.iter().all(|block| said(block).is_none()) {
            return Unrolling { back };
        }
        let graph = Graph::new(function);
        for &block in &graph.order {
            let (Some(unrolling), Some(header)) = (said(&function.blocks[block.0 as usize]), graph.innermost_loop(block)) else {
                continue;
            };
            let from = graph.predecessors[header.0 as usize].iter().filter(|&&from| graph.is_back_edge(from, header));
            back.extend(from.map(|&from| (from, (header, unrolling))));
        }
        Unrolling { back }
    }

    /// Says it at the end of the current block, which is the translation of `block` or of its end.
    pub(super) fn mark(&self, b: &Builder, block: ir::Block) {
        if let Some((_, unrolling)) = self.back.get(&block) {
            b.set_unrolling(*unrolling);
        }
    }
}

impl Builder {
    /// Marks the last instruction of the current block, a jump back to the header of a loop.
    fn set_unrolling(&self, unrolling: ir::Unrolling) {
        let (word, number) = match unrolling {
            ir::Unrolling::Usual => return,
            ir::Unrolling::All => ("llvm.loop.unroll.enable", None),
            ir::Unrolling::Rounds(0 | 1) => ("llvm.loop.unroll.disable", None),
            ir::Unrolling::Rounds(rounds) => ("llvm.loop.unroll.count", Some(rounds)),
        };
        // SAFETY: everything is made in the context of this module. A loop is named by a node whose first operand is the node itself.
        unsafe {
            let jump = LLVMGetBasicBlockTerminator(self.current_block());
            let mut property = vec![LLVMMDStringInContext2(self.context, word.as_ptr().cast(), word.len())];
            property.extend(number.map(|number| LLVMValueAsMetadata(self.i32(number.into()))));
            let property = self.metadata_node(&mut property);
            let itself = LLVMTemporaryMDNode(self.context, std::ptr::null_mut(), 0);
            let node = self.metadata_node(&mut [itself, property]);
            LLVMMetadataReplaceAllUsesWith(itself, node);
            let kind = LLVMGetMDKindIDInContext(self.context, c"llvm.loop".as_ptr(), 9);
            LLVMSetMetadata(jump, kind, LLVMMetadataAsValue(self.context, node));
        }
    }

    fn metadata_node(&self, operands: &mut [LLVMMetadataRef]) -> LLVMMetadataRef {
        // SAFETY: the operands are of the same context, and copied.
        unsafe { LLVMMDNodeInContext2(self.context, operands.as_mut_ptr(), operands.len()) }
    }
}
