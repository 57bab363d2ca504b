//! What is computed of a byte in many steps is looked up by its two halves.
//!
//! ```text
//! is x a letter, a digit, or one of two signs?          l = and x, 15;  h = lshr x, 4
//! a = add x, −65;  m = compare.ult a, 26         ──►    s = and (permute A, l), (permute B, h)
//! b = add x, −97;  n = compare.ult b, 26                p = compare.ne s, 0
//! …;  p = or (or m, n), …                               y = add x, (permute D, h)
//! r = select m, a, (select n, …, 255)                   r = select p, y, 255
//! ```
//! A row is the sixteen bytes of one upper half. *Which bytes are chosen* is a set of lower halves for each row: there are a bit for each
//! of up to eight different sets, in A the bits of the sets that a lower half is in, in B the one of the row. *What becomes of them* differs
//! by a number of the row from what they were; up to two bytes may be exceptions. Any other byte has one and the same result.
//!
//! The steps are known by what comes out for each of the 256 bytes
//! ([`byte_functions`](crate::vector::byte_functions)), whatever they are. It is done where they are more than what takes
//! their place, not counting those whose results are looked at by others, for machines that look up bytes.

pub mod forms;
#[cfg(test)]
mod tests;

use super::surroundings::Surroundings;
use crate::vector::byte_functions::ByteFunction;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use forms::{Form, HALF};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites the functions of bytes of a function.
pub fn byte_tables(function: &mut Function, around: Surroundings<'_>) {
    let is_comparison = |inst: &&Inst| {
        let data = &function.insts[inst.0 as usize];
        matches!(data.op, Op::Compare(_, a, _) if function.ty(a).element == Element::I8 && function.ty(a).length > 1)
    };
    let is_asked = |block: &BlockData| block.insts.iter().filter(is_comparison).count() > 2;
    let blocks: Vec<usize> = (0..function.blocks.len()).filter(|&block| is_asked(&function.blocks[block])).collect();
    if !blocks.is_empty() {
        // What earlier passes left without use asks for nothing.
        super::dead_code(function);
    }
    for block in blocks {
        let known = function.byte_functions(Block(block as u32));
        let uses = function.uses();
        let insts = function.blocks[block].insts.clone();
        let (mut worth, mut gone) = (FxHashMap::default(), FxHashSet::default());
        for (k, last) in insts.iter().enumerate().rev().filter(|(_, inst)| !function.insts[inst.0 as usize].results.is_empty()) {
            let result = function.insts[last.0 as usize].results[0];
            let ty = function.ty(result);
            let looks_up = around.machine.looks_up(8, HALF as u32, ty.length);
            let known_here = known.get(&result).filter(|_| looks_up && !gone.contains(last));
            if let Some(form) = known_here.and_then(|known| Form::of(ty, &known.results, u8::MAX, looks_up)) {
                let of_choice = if around.machine.has_mask_registers() { 1 } else { 2 };
                let (steps, within) = steps(function, &known, &uses, &insts[..=k], of_choice);
                if 5 * form.steps() < 4 * steps {
                    gone.extend(within);
                    worth.insert(*last, form);
                }
            }
        }
        if worth.is_empty() {
            continue;
        }
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            if let Some(form) = worth.get(&inst) {
                let InstData { results, span, .. } = &function.insts[inst.0 as usize];
                let (byte, span) = (known[&results[0]].byte, *span);
                let op = form.write(&mut Writer { function, out: &mut out, span }, byte);
                function.insts[inst.0 as usize].op = op;
            }
            if worth.contains_key(&inst) || !gone.contains(&inst) {
                out.push(inst);
            }
        }
        function.blocks[block].insts = out;
    }
}

/// How many instructions it takes to compute the result of the last operation that nobody needs if it is known, and for which operations;
/// a choice between two numbers that are no constants is so many.
fn steps(
    function: &Function,
    known: &FxHashMap<Value, ByteFunction>,
    uses: &[u32],
    insts: &[Inst],
    of_choice: usize,
) -> (usize, Vec<Inst>) {
    let mut needed: FxHashMap<Value, u32> = FxHashMap::default();
    let (mut steps, mut within) = (0, Vec::new());
    for (k, inst) in insts.iter().rev().enumerate() {
        let InstData { op, results, .. } = &function.insts[inst.0 as usize];
        let Some(result) = results.first().filter(|result| known.contains_key(result)) else { continue };
        if k > 0 && needed.get(result) != Some(&uses[result.0 as usize]) {
            continue;
        }
        within.push(*inst);
        steps += match op {
            // A comparison without a sign takes two, as those with both ends of a range do together.
            Op::Compare(CompareOp::Eq | CompareOp::SLt | CompareOp::SGt, ..) => 1,
            Op::Compare(..) if k > 0 && function.ty(*result).element == Element::Bool => 1,
            Op::Compare(..) => 2,
            Op::Binary(BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, ..) => 2,
            Op::Select(_, a, b) if [*a, *b].iter().all(|arm| function.constant(*arm).is_none()) => of_choice,
            _ => 1,
        };
        op.for_each(|value| *needed.entry(value).or_default() += 1);
    }
    (steps, within)
}
