//! Members of records that are gathered only to be stored are gathered as records.
//!
//! ```text
//! x = gather (ptrindex a, i): i8×8                          w = gather (ptrindex a, i): i32×8
//! y = gather (ptrindex a, i) + 1: i8×8              ──►     v = reinterpret w: i8×32
//! …                                                         x = shuffle v, [0, 4, 8, …]
//! scatter p, x;  scatter p + 1, y;  …                       y = shuffle v, [1, 5, 9, …]
//! ```
//! A processor gathers element by element, whatever their size. [`composed_shuffles`](super::composed_shuffles) finds that what is stored together is what was
//! gathered. Members that are computed with stay as they are: words around them are shifted, which makes longer numbers of them at once.

use super::Surroundings;
use super::addresses::Address;
use super::alias::may_write;
use super::interleaved_stores::record_of;
use crate::machine::Machine;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many instructions are between two gathers at most, so that long blocks take linear time.
const DISTANCE: usize = 128;

/// A gather of a member of a record in each lane.
struct Member {
    inst: Inst,
    /// Its place in the block.
    at: usize,
    pointers: Value,
    address: Address,
    mask: Option<Value>,
    object: Object,
    ty: Type,
}

/// Joins the gathers of a function whose members are only stored.
pub fn copied_records(function: &mut Function, around: Surroundings<'_>) {
    let is_one =
        |inst: &InstData| matches!(&inst.op, Op::Gather { object: Some(object), .. } if record_of(object.size).is_some());
    if !function.insts.iter().any(is_one) {
        return;
    }
    let stored = only_stored(function);
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    for block in 0..function.blocks.len() {
        let mut members = members(function, around.machine, block, &stored);
        let mut instead: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        while !members.is_empty() {
            let first = members.remove(0);
            let (mut group, others): (Vec<Member>, Vec<Member>) =
                members.into_iter().partition(|other| first.is_beside(other) && stays(function, block, &first, other));
            members = others;
            group.insert(0, first);
            if group.len() > 1 {
                let code = together(function, &group, &mut same);
                group.iter().for_each(|member| _ = instead.insert(member.inst, Vec::new()));
                instead.insert(group[0].inst, code);
            }
        }
        function.put_instead(Block(block as u32), instead);
    }
    function.replace_uses(&same);
}

/// What nobody looks at but stores.
fn only_stored(function: &Function) -> FxHashSet<Value> {
    let (mut stored, mut others) = (FxHashSet::default(), FxHashSet::default());
    for block in &function.blocks {
        for inst in &block.insts {
            match function.insts[inst.0 as usize].op {
                Op::Scatter { pointers, value, mask } => {
                    stored.insert(value);
                    others.extend([Some(pointers), mask].into_iter().flatten());
                }
                ref op => op.for_each(|value| _ = others.insert(value)),
            }
        }
        block.terminator.for_each(|value| _ = others.insert(value));
    }
    stored.retain(|value| !others.contains(value));
    stored
}

/// Those of a block that the machine gathers as records.
fn members(function: &Function, machine: &Machine, block: usize, stored: &FxHashSet<Value>) -> Vec<Member> {
    let mut found = Vec::new();
    for (at, &inst) in function.blocks[block].insts.iter().enumerate() {
        let InstData { op, results, .. } = &function.insts[inst.0 as usize];
        let Op::Gather { pointers, mask, object: Some(object) } = *op else { continue };
        let (ty, Some(record)) = (function.ty(results[0]), record_of(object.size)) else { continue };
        let size = ty.element.size();
        let is_member = size < object.size && object.offset % size == 0 && !matches!(ty.element, Element::Bool | Element::Ptr);
        let fits = u64::from(ty.length) * object.size / size <= u64::from(Type::MOST_LANES);
        let is_gathered = machine.gather.is_some_and(|gather| gather.takes(record.size(), ty.length));
        if is_member && fits && is_gathered && stored.contains(&results[0]) {
            found.push(Member { inst, at, pointers, address: Address::of(function, pointers), mask, object, ty });
        }
    }
    found
}

impl Member {
    /// Is another one a member of the same records?
    fn is_beside(&self, other: &Member) -> bool {
        let shape = |member: &Member| (member.mask, member.object.size, member.ty.element.size(), member.ty.length);
        let distance = other.object.offset as i64 - self.object.offset as i64;
        shape(self) == shape(other) && self.address.distance(&other.address) == Some(distance)
    }
}

/// Is there nothing between two gathers that may write what the later one reads, or decide that it is not read?
fn stays(function: &Function, block: usize, first: &Member, other: &Member) -> bool {
    let mut between = function.blocks[block].insts[first.at..other.at].iter().map(|inst| &function.insts[inst.0 as usize].op);
    let is_harmless = |op: &Op| match op {
        Op::Check { .. } | Op::Call(..) => false,
        op => !may_write(function, op, other.pointers),
    };
    other.at - first.at <= DISTANCE && between.all(is_harmless)
}

/// The records, where the first gather stands.
fn together(function: &mut Function, group: &[Member], same: &mut FxHashMap<Value, Value>) -> Vec<Inst> {
    let Member { inst, pointers, mask, object, ty, .. } = group[0];
    let record = record_of(object.size).expect("a record that is a number");
    let span = function.insts[inst.0 as usize].span;
    let mut code = Vec::new();
    let mut writer = Writer { function, out: &mut code, span };
    let pointers = writer.offset_lanes(pointers, -(object.offset as i64));
    let whole = Some(Object { offset: 0, size: object.size });
    let words = writer.emit(Op::Gather { pointers, mask, object: whole }, ty.with_element(record));
    let count = (object.size / ty.element.size()) as u8;
    let parts = writer.emit(Op::Reinterpret(words), ty.with_length(ty.length * count));
    for member in group {
        let place = (member.object.offset / ty.element.size()) as i16;
        let lanes = (0..i16::from(ty.length)).map(|lane| lane * i16::from(count) + place).collect();
        let mut value = writer.shuffle([parts, parts], lanes);
        if member.ty != ty {
            value = writer.emit(Op::Convert(ConvertOp::Bits, value), member.ty);
        }
        same.insert(writer.function.insts[member.inst.0 as usize].results[0], value);
    }
    code
}
