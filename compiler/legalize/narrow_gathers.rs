//! Gathers of narrow elements are gathers of words around them.
//!
//! ```text
//! v = gather p: i8×8, object 2/4     ──►     w = gather (p − 2): i32×8
//!                                            v = trunc (w >> 16)
//! ```
//! Machines gather words, and larger ones. Where the objects that the elements lie in have four bytes, a word within each of them has the element
//! in it; others are for `llvm` to take lane by lane.

use crate::optimize::Surroundings;
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// What is gathered instead.
const WORD: Element = Element::I32;

/// Rewrites the gathers of a function whose elements are narrow.
pub fn narrow_gathers(function: &mut Function, around: Surroundings<'_>) {
    let Some(reach) = around.machine.gather else { return };
    remake(function, |writer, inst| {
        let InstData { op, results, .. } = &writer.function.insts[inst.0 as usize];
        let Op::Gather { pointers, mask, object: Some(object) } = *op else { return None };
        let ty = writer.function.ty(results[0]);
        let size = ty.element.size();
        let has_words = object.size >= WORD.size() && object.offset + size <= object.size;
        let is_cheaper = !reach.takes(size, ty.length) && reach.takes(WORD.size(), ty.length);
        (has_words && is_cheaper).then(|| narrowed(writer, pointers, mask, object, ty))
    });
}

/// Elements of at most 16 bits from the words around them.
fn narrowed(writer: &mut Writer<'_>, pointers: Value, mask: Option<Value>, object: Object, ty: Type) -> Op {
    let start = object.offset.min(object.size - WORD.size());
    let back = object.offset - start;
    let words_type = ty.with_element(WORD);
    let pointers = writer.offset_lanes(pointers, -(back as i64));
    let object = Some(Object { offset: start, ..object });
    let mut words = writer.emit(Op::Gather { pointers, mask, object }, words_type);
    if back > 0 {
        let count = writer.emit(Op::Const(vec![back * 8]), words_type);
        words = writer.emit(Op::Binary(BinaryOp::LShr, words, count), words_type);
    }
    if ty.element != Element::Bool {
        return Op::Convert(ConvertOp::Trunc, words);
    }
    let bytes_type = ty.with_element(Element::I8);
    let bytes = writer.emit(Op::Convert(ConvertOp::Trunc, words), bytes_type);
    let zero = writer.emit(Op::Const(vec![0]), bytes_type);
    Op::Compare(CompareOp::Ne, bytes, zero)
}
