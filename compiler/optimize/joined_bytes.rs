//! Words that are put together from bytes and stored are bytes that are stored side by side.
//!
//! ```text
//! r = convert.zext b₀: i32×32                       scatter (ptrindex o, 4·k), b₀: i8×32
//! g = shl (convert.zext b₁), 8                      scatter (ptrindex o, 4·k + 1), b₁
//! b = shl (convert.zext b₂), 16             ──►     scatter (ptrindex o, 4·k + 2), b₂
//! store o, or (or r, g), (or b, 0xff000000)         scatter (ptrindex o, 4·k + 3), 0xff
//! ```
//! [`interleaved_stores`](super::interleaved_stores) makes shuffles of bytes of them, which move four times as many in a register. The lowest byte is the first one in
//! memory. Bytes that are cut from longer numbers stay in those: to bring them together takes as long.

use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Fewer lanes are not worth a shuffle.
const LEAST_LANES: u8 = 8;
/// So many operations put a word together at most.
const DEPTH: u32 = 12;

/// A byte of a word.
#[derive(Clone, Copy)]
enum Byte {
    /// Of each lane.
    Lanes(Value),
    /// The same in all.
    Same(u8),
}

/// Takes the stores of a function apart.
pub fn joined_bytes(function: &mut Function) {
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            match function.insts[inst.0 as usize].op {
                Op::Store { pointer, value, mask: None, streaming: false } if let Some(bytes) = bytes_of(function, value) => {
                    scatter(function, &mut kept, inst, pointer, value, &bytes);
                }
                _ => kept.push(inst),
            }
        }
        function.blocks[block].insts = kept;
    }
}

/// The bytes of a vector of words, the lowest one first, if at least half of them are vectors.
fn bytes_of(function: &Function, value: Value) -> Option<Vec<Byte>> {
    let ty = function.ty(value);
    if !ty.element.is_int() || ty.element.size() < 2 || ty.length < LEAST_LANES {
        return None;
    }
    let mut found = FxHashMap::default();
    find(function, value, 0, DEPTH, &mut found)?;
    let bytes: Vec<Byte> = (0..ty.element.size()).map(|place| found.get(&place).copied().unwrap_or(Byte::Same(0))).collect();
    let vectors = bytes.iter().filter(|byte| matches!(byte, Byte::Lanes(_))).count();
    (vectors >= 2 && 2 * vectors >= bytes.len()).then_some(bytes)
}

/// Finds the bytes of a value that is shifted by so many; none is there twice.
fn find(function: &Function, value: Value, by: u64, depth: u32, found: &mut FxHashMap<u64, Byte>) -> Option<()> {
    let size = function.ty(value).element.size();
    let mut put = |place: u64, byte: Byte| found.insert(place, byte).is_none().then_some(());
    match function.definition(value)? {
        Op::Const(lanes) if lanes.iter().all(|lane| *lane == lanes[0]) => {
            let bytes = (0..size).map(|place| (place, (lanes[0] >> (8 * place)) as u8));
            bytes.filter(|(_, byte)| *byte != 0).try_for_each(|(place, byte)| put(by + place, Byte::Same(byte)))
        }
        &Op::Convert(ConvertOp::ZExt, from) if function.ty(from).element == Element::I8 => {
            let is_cut = matches!(function.definition(from), Some(Op::Convert(..)));
            put(by, Byte::Lanes(from)).filter(|()| !is_cut)
        }
        _ if depth == 0 => None,
        &Op::Convert(ConvertOp::ZExt, from) => find(function, from, by, depth - 1, found),
        // What is shifted out of a word would be in the next one.
        &Op::Binary(BinaryOp::Shl, a, count) => {
            let bits = function.constant(count).filter(|lanes| lanes.iter().all(|lane| *lane == lanes[0]))?[0];
            let &Op::Convert(ConvertOp::ZExt, from) = function.definition(a)? else { return None };
            let fits = bits % 8 == 0 && bits / 8 + function.ty(from).element.size() <= size;
            find(function, a, by + bits / 8, depth - 1, found).filter(|()| fits)
        }
        &Op::Binary(BinaryOp::Or, a, b) => {
            find(function, a, by, depth - 1, found)?;
            find(function, b, by, depth - 1, found)
        }
        _ => None,
    }
}

fn scatter(function: &mut Function, out: &mut Vec<Inst>, store: Inst, pointer: Value, value: Value, bytes: &[Byte]) {
    let (length, span) = (function.ty(value).length, function.insts[store.0 as usize].span);
    let mut emit = |function: &mut Function, op: Op, ty: Type| {
        let (inst, value) = function.create(op, ty, span);
        out.push(inst);
        value
    };
    let lanes = (0..u64::from(length)).map(|lane| lane * bytes.len() as u64).collect();
    let index = emit(function, Op::Const(lanes), Type::new(Element::I64, length));
    let mut stores = Vec::new();
    for (offset, &byte) in (0..).zip(bytes) {
        let op = Op::PtrIndex { base: pointer, index, scale: 1, offset };
        let pointers = emit(function, op, Type::new(Element::Ptr, length));
        let value = match byte {
            Byte::Lanes(value) => value,
            Byte::Same(byte) => emit(function, Op::Const(vec![byte.into()]), Type::new(Element::I8, length)),
        };
        stores.push(Op::Scatter { pointers, value, mask: None });
    }
    for op in stores {
        let inst = Inst(function.insts.len() as u32);
        function.insts.push(InstData { op, results: Vec::new(), span });
        out.push(inst);
    }
}
