//! Appends instructions to a list that becomes a part of a block: what stands in front of an access, or in its place.

use super::ir::*;
use crate::source::Span;

/// Makes instructions one after another.
pub struct Writer<'f> {
    /// The function that they are made in.
    pub function: &'f mut Function,
    /// Where they are put.
    pub out: &'f mut Vec<Inst>,
    /// The source that they come from.
    pub span: Span,
}

/// Gives instructions, one after another, the operation that `made` makes of each; what it needs for that stands in front. One of which
/// nothing is made stays as it is.
pub fn remake(function: &mut Function, mut made: impl FnMut(&mut Writer<'_>, Inst) -> Option<Op>) {
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let span = function.insts[inst.0 as usize].span;
            if let Some(op) = made(&mut Writer { function: &mut *function, out: &mut out, span }, inst) {
                function.insts[inst.0 as usize].op = op;
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
}

impl Writer<'_> {
    /// An operation with one result.
    pub fn emit(&mut self, op: Op, ty: Type) -> Value {
        let (inst, value) = self.function.create(op, ty, self.span);
        self.out.push(inst);
        value
    }

    /// An operation without results.
    pub fn effect(&mut self, op: Op) {
        self.function.insts.push(InstData { op, results: Vec::new(), span: self.span });
        self.out.push(Inst(self.function.insts.len() as u32 - 1));
    }

    /// A pointer some bytes behind another one.
    pub fn offset(&mut self, pointer: Value, bytes: i64) -> Value {
        if bytes == 0 { pointer } else { self.emit(Op::PtrOffset(pointer, bytes), Type::scalar(Element::Ptr)) }
    }

    /// Addresses some bytes behind others. What lanes share goes to where they begin: gathers have a place for it.
    pub fn offset_lanes(&mut self, pointers: Value, bytes: i64) -> Value {
        if bytes == 0 {
            return pointers;
        }
        let op = match self.function.definition(pointers) {
            Some(&Op::PtrIndex { base, index, scale, offset }) if self.function.ty(base).length == 1 => {
                Op::PtrIndex { base, index, scale, offset: offset.wrapping_add(bytes) }
            }
            _ => Op::PtrOffset(pointers, bytes),
        };
        let ty = self.function.ty(pointers);
        self.emit(op, ty)
    }

    /// Lanes of two vectors, or the first of these as it is.
    pub fn shuffle(&mut self, [a, b]: [Value; 2], lanes: Vec<i16>) -> Value {
        let ty = self.function.ty(a);
        if lanes.len() == usize::from(ty.length) && (0..).zip(&lanes).all(|(k, &lane)| lane == k) {
            return a;
        }
        let ty = ty.with_length(lanes.len() as u8);
        self.emit(Op::Shuffle(a, b, lanes), ty)
    }

    /// Vectors one after another, 2ⁿ of them.
    pub fn concatenated(&mut self, mut parts: Vec<Value>) -> Value {
        while parts.len() > 1 {
            let both = |pair: &[Value]| {
                let lanes = 2 * i16::from(self.function.ty(pair[0]).length);
                self.shuffle([pair[0], pair[1]], (0..lanes).collect())
            };
            parts = parts.chunks(2).map(both).collect();
        }
        parts[0]
    }

    /// The lanes in reverse.
    pub fn reversed(&mut self, value: Value) -> Value {
        let ty = self.function.values[value.0 as usize].ty;
        let lanes = (0..i16::from(ty.length)).rev().collect();
        self.emit(Op::Shuffle(value, value, lanes), ty)
    }
}
