//! What nobody looks at is not computed.
//!
//! ```text
//! block1(v1, v2):                        block1(v1):
//!     v3 = add v2, v1                        v4 = add v1, v1
//!     v4 = add v1, v1            ──►         branch c, block1(v4), block2()
//!     branch c, block1(v4, v3), block2()
//! ```
//! Instructions without effect go, and block parameters, also those that only feed each other around a loop.

use crate::vector::edit::kept;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// Removes what is not needed from a function.
pub fn dead_code(function: &mut Function) {
    let graph = Graph::new(function);
    let needed = needed(function, &graph);
    for &block in &graph.order {
        let kept = |inst: &Inst| {
            let data = &function.insts[inst.0 as usize];
            data.op.has_effect() || data.results.iter().any(|r| needed[r.0 as usize])
        };
        let insts = function.blocks[block.0 as usize].insts.iter().copied().filter(kept).collect();
        function.blocks[block.0 as usize].insts = insts;
    }
    // The parameters of the entry are those of the function, which stay.
    let mut is_kept: Vec<Vec<bool>> = Vec::with_capacity(function.blocks.len());
    for (i, block) in function.blocks.iter().enumerate() {
        is_kept.push(block.parameters.iter().map(|p| i == 0 || needed[p.0 as usize]).collect());
    }
    for (i, is_kept) in is_kept.iter().enumerate() {
        function.keep_parameters(Block(i as u32), is_kept);
    }
    for target in function.blocks.iter_mut().flat_map(|block| block.terminator.targets_mut()) {
        target.arguments = kept(&target.arguments, &is_kept[target.block.0 as usize]);
    }
}

/// Which values reach an effect, a condition or a result.
fn needed(function: &Function, graph: &Graph) -> Vec<bool> {
    let mut work = Vec::new();
    for &block in &graph.order {
        let data = &function.blocks[block.0 as usize];
        for &inst in &data.insts {
            let op = &function.insts[inst.0 as usize].op;
            if op.has_effect() {
                op.for_each(|value| work.push(value));
            }
        }
        match &data.terminator {
            Terminator::Branch { condition, then: _, otherwise: _ } => work.push(*condition),
            Terminator::Return(values) => work.extend(values),
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }
    let mut needed = vec![false; function.values.len()];
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut needed[value.0 as usize], true) {
            continue;
        }
        match function.values[value.0 as usize].def {
            ValueDef::Result(inst, _) => function.insts[inst.0 as usize].op.for_each(|operand| work.push(operand)),
            ValueDef::Parameter(block, index) => {
                for from in &graph.predecessors[block.0 as usize] {
                    let targets = function.blocks[from.0 as usize].terminator.targets();
                    work.extend(targets.filter(|t| t.block == block).map(|t| t.arguments[index as usize]));
                }
            }
        }
    }
    needed
}
