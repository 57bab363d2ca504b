//! Mistakes that the making of code could make, planted in the module that code is generated from: what the interpreters run is right, and the
//! machine differs, or breaks down.

use super::lane_mistakes::{dropped_mask, lengths, one_lane_too_many, swapped_blend};
use ivlc::vector::ir::{BinaryOp, ConvertOp, Element, Function, Module, Op, Value};

/// A mistake in a module.
pub struct Plant {
    /// What is wrong.
    pub name: &'static str,
    /// Makes it in a function.
    make: fn(&mut Function),
}

/// Mistakes that random pairs must find.
pub const PLANTS: &[Plant] = &[
    Plant { name: "a store takes lanes that are off", make: dropped_mask },
    Plant { name: "a choice by lanes takes the other value", make: swapped_blend },
    Plant { name: "the last block has a lane too many", make: one_lane_too_many },
    Plant { name: "lanes with a sign are widened as if they had none", make: lost_signs },
    Plant { name: "a difference of lanes has its sides exchanged", make: exchanged_sides },
];

impl Plant {
    /// Makes it wherever it can be made.
    pub fn apply(&self, module: &mut Module) {
        module.functions.iter_mut().for_each(self.make);
    }
}

fn lost_signs(function: &mut Function) {
    let is_mask: Vec<bool> = function.values.iter().map(|value| value.ty.element == Element::Bool).collect();
    let lengths = lengths(function);
    let is_lanes = |value: Value| lengths[value.0 as usize] > 1 && !is_mask[value.0 as usize];
    for inst in &mut function.insts {
        if let Op::Convert(op @ ConvertOp::SExt, from) = &mut inst.op
            && is_lanes(*from)
        {
            *op = ConvertOp::ZExt;
        }
    }
}

fn exchanged_sides(function: &mut Function) {
    let lengths = lengths(function);
    for inst in &mut function.insts {
        if let Op::Binary(BinaryOp::Sub | BinaryOp::FSub, a, b) = &mut inst.op
            && lengths[a.0 as usize] > 1
        {
            std::mem::swap(a, b);
        }
    }
}
