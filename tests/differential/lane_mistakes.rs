//! Mistakes with lanes that a compiler could make in any function, for all oracles that have to find planted ones.

use ivlc::vector::ir::{BinaryOp, Function, Op};

/// How many lanes each value has.
pub fn lengths(function: &Function) -> Vec<u8> {
    function.values.iter().map(|value| value.ty.length).collect()
}

/// Lanes that are off are stored.
pub fn dropped_mask(function: &mut Function) {
    for inst in &mut function.insts {
        if let Op::Store { mask, .. } | Op::Scatter { mask, .. } = &mut inst.op {
            *mask = None;
        }
    }
}

/// Of a choice by lanes, the other one.
pub fn swapped_blend(function: &mut Function) {
    let lengths = lengths(function);
    for inst in &mut function.insts {
        if let Op::Select(mask, a, b) = &mut inst.op
            && lengths[mask.0 as usize] > 1
        {
            std::mem::swap(a, b);
        }
    }
}

/// The first n lanes are n + 1.
pub fn one_lane_too_many(function: &mut Function) {
    for block in 0..function.blocks.len() {
        let mut at = 0;
        while at < function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            if let Op::FirstLanes(count) = function.insts[inst.0 as usize].op {
                let (ty, span) = (function.ty(count), function.insts[inst.0 as usize].span);
                let (first, one) = function.create(Op::Const(vec![1]), ty, span);
                let (second, more) = function.create(Op::Binary(BinaryOp::Add, count, one), ty, span);
                function.blocks[block].insts.splice(at..at, [first, second]);
                function.insts[inst.0 as usize].op = Op::FirstLanes(more);
                at += 2;
            }
            at += 1;
        }
    }
}
