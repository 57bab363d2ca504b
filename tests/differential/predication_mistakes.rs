//! Mistakes that predication could make in loops, scatters and reductions.

use super::mutants::{by_definition, ops};
use ivlc::vector::ir::*;

/// Of lanes that collide the lowest wins.
pub fn wrong_scatter_order(function: &mut Function) {
    for block in 0..function.blocks.len() {
        let mut at = 0;
        while at < function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            if let Op::Scatter { pointers, value, mask } = function.insts[inst.0 as usize].op {
                let span = function.insts[inst.0 as usize].span;
                let length = i16::from(function.ty(pointers).length);
                let mut reversed = |function: &mut Function, value: Value| {
                    let (inst, reversed) =
                        function.create(Op::Shuffle(value, value, (0..length).rev().collect()), function.ty(value), span);
                    function.blocks[block].insts.insert(at, inst);
                    at += 1;
                    reversed
                };
                let (pointers, value) = (reversed(function, pointers), reversed(function, value));
                let mask = mask.map(|mask| reversed(function, mask));
                function.insts[inst.0 as usize].op = Op::Scatter { pointers, value, mask };
            }
            at += 1;
        }
    }
}

/// A loop goes on with the mask that its round began with.
pub fn stale_loop_mask(function: &mut Function) {
    let graph = ivlc::vector::graph::Graph::new(function);
    let parameters: Vec<Vec<Value>> = function.blocks.iter().map(|block| block.parameters.clone()).collect();
    let is_mask: Vec<bool> =
        function.values.iter().map(|value| value.ty.element == Element::Bool && value.ty.length > 1).collect();
    for (from, block) in function.blocks.iter_mut().enumerate() {
        let targets: Vec<&mut Target> = match &mut block.terminator {
            Terminator::Jump(target) => vec![target],
            Terminator::Branch { condition: _, then, otherwise } => vec![then, otherwise],
            Terminator::Return(_) | Terminator::Unreachable => vec![],
        };
        for target in targets {
            if graph.is_back_edge(Block(from as u32), target.block) {
                for (argument, &parameter) in target.arguments.iter_mut().zip(&parameters[target.block.0 as usize]) {
                    if is_mask[parameter.0 as usize] {
                        *argument = parameter;
                    }
                }
            }
        }
    }
}

/// A reduction takes the lanes that are off as well.
pub fn unmasked_reduction(function: &mut Function) {
    let selected = by_definition(function, |op| if let Op::Select(_, a, _) = *op { Some(a) } else { None });
    for op in ops(function) {
        if let Op::Reduce(_, value) = op
            && let Some(all) = selected[value.0 as usize]
        {
            *value = all;
        }
    }
}
