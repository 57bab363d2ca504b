//! Lanes that are taken apart without an instruction look up how many lanes below them are on.
//!
//! ```text
//! x = expand v, m: f32×4      ──►     n = an exclusive scan of m, as bytes: [0, m₀, m₀ + m₁, m₀ + m₁ + m₂]
//!                                     x = select m, (permute v, n), 0
//! ```

use crate::optimize::Surroundings;
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// Rewrites the expansions of a function.
pub fn expansions(function: &mut Function, around: Surroundings<'_>) {
    remake(function, |writer, inst| {
        let InstData { op: Op::Expand(value, mask), ref results, .. } = writer.function.insts[inst.0 as usize] else {
            return None;
        };
        let ty = writer.function.ty(results[0]);
        let is_instruction = around.machine.expands(ty.element.size(), ty.length);
        (!is_instruction).then(|| expanded(writer, value, mask, ty))
    });
}

/// The last operation of the expansion.
fn expanded(writer: &mut Writer<'_>, value: Value, mask: Value, ty: Type) -> Op {
    let below = lanes_below(writer, mask, ty.with_element(Element::I8));
    let found = writer.emit(Op::Permute(value, below), ty);
    if ty.element == Element::Bool {
        return Op::Binary(BinaryOp::And, mask, found);
    }
    let zero = writer.emit(Op::Const(vec![0]), ty);
    Op::Select(mask, found, zero)
}

/// How many lanes below each are on, in bytes.
fn lanes_below(writer: &mut Writer<'_>, mask: Value, bytes: Type) -> Value {
    let length = i16::from(bytes.length);
    let up = |writer: &mut Writer<'_>, lanes: Value, by: i16| {
        let from = (0..length).map(|lane| if lane < by { -1 } else { lane - by }).collect();
        writer.shuffle([lanes, lanes], from)
    };
    let on = writer.emit(Op::Convert(ConvertOp::ZExt, mask), bytes);
    let mut below = up(writer, on, 1);
    let mut distance = 1;
    while distance < length {
        let others = up(writer, below, distance);
        below = writer.emit(Op::Binary(BinaryOp::Add, below, others), bytes);
        distance *= 2;
    }
    below
}
