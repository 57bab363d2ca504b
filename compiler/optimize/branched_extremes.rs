//! Branches to the smaller or the greater one of two integers are minima and maxima.
//!
//! ```text
//! block1(m):                                block1(m):
//!     c = compare.sgt x, m                      c = compare.sgt x, m
//!     branch c, block2, block3(m)    ──►        y = smax x, m
//! block2:                                       jump block3(y)
//!     jump block3(x)                        block3(n):
//! block3(n):
//! ```
//! So a loop that looks for the greatest number combines numbers by an operation that is the same in any order, and may do it in lanes ([`vectorized_rounds`](super::vectorized_rounds())).
//! Floats are left alone, whose minimum is another one where a number is none, or is a zero of the other sign.

use super::{control_flow, dead_code};
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// Rewrites the branches of a function.
pub fn branched_extremes(function: &mut Function) {
    let graph = Graph::new(function);
    let mut is_changed = false;
    for &block in &graph.order {
        let Some((behind, chosen)) = chosen(function, &graph, block) else { continue };
        let mut arguments = Vec::new();
        for choice in chosen {
            arguments.push(match choice {
                Choice::Same(value) => value,
                Choice::Extreme(op, a, b) => {
                    let (ty, span) = (function.ty(a), function.span);
                    let (inst, value) = function.create(Op::Binary(op, a, b), ty, span);
                    function.blocks[block.0 as usize].insts.push(inst);
                    value
                }
            });
        }
        function.blocks[block.0 as usize].terminator = Terminator::Jump(Target { block: behind, arguments });
        is_changed = true;
    }
    if is_changed {
        // Comparisons that nobody asks for would be looks at what a loop combines.
        dead_code(function);
        control_flow(function);
    }
}

/// What a block is handed, whichever way leads to it.
enum Choice {
    Same(Value),
    Extreme(BinaryOp, Value, Value),
}

/// Where both ways of a branch lead, and what they hand on, if that is extremes of what the branch compares.
fn chosen(function: &Function, graph: &Graph, block: Block) -> Option<(Block, Vec<Choice>)> {
    let Terminator::Branch { condition, then, otherwise } = &function.blocks[block.0 as usize].terminator else { return None };
    let &Op::Compare(op, a, b) = function.definition(*condition)? else { return None };
    let ty = function.ty(a);
    if !ty.element.is_int() || ty.length != 1 {
        return None;
    }
    let [then, otherwise] = [then, otherwise].map(|way| end(function, graph, way));
    if then.block != otherwise.block || then.block == block {
        return None;
    }
    let pairs = then.arguments.iter().zip(&otherwise.arguments);
    let choice = |(&yes, &no): (&Value, &Value)| match (yes, no) {
        _ if yes == no => Some(Choice::Same(yes)),
        _ if (yes, no) == (a, b) => Some(Choice::Extreme(extreme(op)?, a, b)),
        _ if (yes, no) == (b, a) => Some(Choice::Extreme(extreme(op.swapped()?)?, a, b)),
        _ => None,
    };
    Some((then.block, pairs.map(choice).collect::<Option<Vec<Choice>>>()?))
}

/// Where a way leads, over a block that does nothing.
fn end<'f>(function: &'f Function, graph: &Graph, way: &'f Target) -> &'f Target {
    let data = &function.blocks[way.block.0 as usize];
    match &data.terminator {
        Terminator::Jump(next)
            if data.insts.is_empty() && data.parameters.is_empty() && graph.predecessors[way.block.0 as usize].len() == 1 =>
        {
            next
        }
        _ => way,
    }
}

/// What the first one of two numbers is if it compares so with the other one, which it is else.
fn extreme(op: CompareOp) -> Option<BinaryOp> {
    match op {
        CompareOp::SLt | CompareOp::SLe => Some(BinaryOp::SMin),
        CompareOp::SGt | CompareOp::SGe => Some(BinaryOp::SMax),
        CompareOp::ULt | CompareOp::ULe => Some(BinaryOp::UMin),
        CompareOp::UGt | CompareOp::UGe => Some(BinaryOp::UMax),
        _ => None,
    }
}
