//! Gathers from small tables are looked up in registers.
//!
//! ```text
//! i = and x, 15                               t = load table: i8×16
//! v = gather (ptrindex table, i)      ──►     v = permute t, x
//! ```
//! The table is a global, a slot or an array parameter of a constant number of elements, which the caller promises to be there, so that it is
//! known how long it is, and the index has a range: what may be looked up is loaded as a whole, up to the end of the object. Indices count modulo the length of the table, which a mask of them need not say again. Lanes that are off take what is there and give zero. Tables of more than 64 elements are several.
//!
//! Whether it is worth it, the machine says: by how many look-ups it takes for a register of indices.

use super::addresses::Address;
use super::ranges::range;
use super::surroundings::Surroundings;
use crate::vector::ir::*;
use crate::vector::writer::Writer;

/// The most lanes of a vector.
const MOST_LANES: u64 = 64;

/// Rewrites the gathers of a function that look up in small tables.
pub fn table_look_ups(function: &mut Function, around: Surroundings<'_>) {
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            if let Some(look_up) = LookUp::of(function, inst, around) {
                look_up.write(function, inst, &mut out);
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
}

/// What is looked up where.
struct LookUp {
    /// The address of element 0.
    base: Value,
    offset: i64,
    /// How many elements there are from there on.
    there: u64,
    /// A power of two: the least above all indices.
    length: u64,
    index: Value,
    mask: Option<Value>,
}

impl LookUp {
    fn of(function: &Function, inst: Inst, around: Surroundings<'_>) -> Option<LookUp> {
        let data = &function.insts[inst.0 as usize];
        let Op::Gather { pointers, mask, object: _ } = data.op else { return None };
        let ty = function.ty(data.results[0]);
        let Some(Op::PtrIndex { base, index, scale, offset }) = function.definition(pointers) else { return None };
        let size = ty.element.size();
        if *scale != size
            || function.ty(*base).length != 1
            || function.ty(*index).length != ty.length
            || ty.element == Element::Ptr
        {
            return None;
        }
        let (there, length) = reach(function, (*base, *offset), *index, size, around)?;
        let is_worth_it = around.machine.looks_up(ty.element.size() as u32 * 8, length as u32, ty.length);
        let index = modulo(function, *index, length);
        (there > 0 && is_worth_it).then_some(LookUp { base: *base, offset: *offset, there, length, index, mask })
    }

    /// Writes what stands in front of the access, which becomes the last operation.
    fn write(self, function: &mut Function, inst: Inst, out: &mut Vec<Inst>) {
        let (ty, span) = (function.ty(function.insts[inst.0 as usize].results[0]), function.insts[inst.0 as usize].span);
        let mut writer = Writer { function, out, span };
        let size = ty.element.size();
        let part_length = self.length.min(MOST_LANES);
        let mut found: Vec<Value> = Vec::new();
        for first in (0..self.length).step_by(part_length as usize) {
            let pointer = writer.offset(self.base, self.offset + (first * size) as i64);
            let part = ty.with_length(part_length as u8);
            let behind = self.there.saturating_sub(first);
            let mask = (behind < part_length).then(|| {
                let lanes = (0..part_length).map(|lane| u64::from(lane < behind)).collect();
                writer.emit(Op::Const(lanes), part.mask())
            });
            let table = writer.emit(Op::Load { pointer, mask }, part);
            found.push(writer.emit(Op::Permute(table, self.index), ty));
        }
        let index = writer.function.ty(self.index);
        let mut step = part_length;
        while found.len() > 1 {
            let bit = writer.emit(Op::Const(vec![step]), index);
            let upper = writer.emit(Op::Binary(BinaryOp::And, self.index, bit), index);
            let none = writer.emit(Op::Const(vec![0]), index);
            let upper = writer.emit(Op::Compare(CompareOp::Ne, upper, none), index.mask());
            let pair = |pair: &[Value]| match *pair {
                [low, high] => writer.emit(Op::Select(upper, high, low), ty),
                _ => pair[0],
            };
            found = found.chunks(2).map(pair).collect();
            step *= 2;
        }
        let op = match self.mask {
            Some(mask) => Op::Select(mask, found[0], writer.emit(Op::Const(vec![0]), ty)),
            None => {
                let last = writer.out.pop().expect("what was found was computed last");
                writer.function.insts[last.0 as usize].op.clone()
            }
        };
        function.insts[inst.0 as usize].op = op;
    }
}

/// How many elements there are of a table, and a power of two that no index comes to, if that is small.
fn reach(
    function: &Function,
    (base, offset): (Value, i64),
    index: Value,
    size: u64,
    around: Surroundings<'_>,
) -> Option<(u64, u64)> {
    let (low, high) = range(function, index);
    if low < 0 || high >= 4 * MOST_LANES as i64 {
        return None;
    }
    let (root, first) = Address::of(function, base).constant()?;
    let bytes = object_size(function, root, around)?;
    let there = bytes.checked_sub(u64::try_from(first.checked_add(offset)?).ok()?)? / size;
    Some((there, (high as u64 + 1).min(there).checked_next_power_of_two()?))
}

/// Would so many lanes look an element up that is loaded from an address?
pub(super) fn is_looked_up(function: &Function, pointer: Value, size: u64, lanes: u8, around: Surroundings<'_>) -> bool {
    let Some(&Op::PtrIndex { base, index, scale, offset }) = function.definition(pointer) else { return false };
    let reach = reach(function, (base, offset), index, size, around).filter(|_| scale == size);
    reach.is_some_and(|(there, length)| there > 0 && around.machine.looks_up(size as u32 * 8, length as u32, lanes))
}

/// How many bytes are certainly there from an address on.
fn object_size(function: &Function, root: Value, around: Surroundings<'_>) -> Option<u64> {
    match (function.definition(root), function.values[root.0 as usize].def) {
        (Some(Op::SlotAddress(slot)), _) => Some(function.slots[slot.0 as usize].size),
        (Some(Op::GlobalAddress(global)), _) => Some(around.globals[global.0 as usize].size),
        (None, ValueDef::Parameter(Block(0), index)) => match function.parameter_flags.get(index as usize)?.elements? {
            Elements { count: Count::Constant(count), size } => count.checked_mul(size),
            Elements { count: Count::Parameter(_), .. } => None,
        },
        _ => None,
    }
}

/// What is the same number as `index` modulo `length`, a power of two: what a mask takes the lower bits of.
fn modulo(function: &Function, index: Value, length: u64) -> Value {
    let all =
        |mask: &Value| function.constant(*mask).is_some_and(|lanes| lanes.iter().all(|bits| bits & (length - 1) == length - 1));
    match function.definition(index) {
        Some(Op::Binary(BinaryOp::And, a, b)) if all(b) => *a,
        Some(Op::Binary(BinaryOp::And, a, b)) if all(a) => *b,
        _ => index,
    }
}
