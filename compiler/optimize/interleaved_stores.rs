//! Stores at a distance from lane to lane: together they fill memory without gaps, or each lane is stored by itself.
//!
//! ```text
//! scatter (ptrindex o, 2·i), a                lo = shuffle a, b, [0, 8, 1, 9, 2, 10, 3, 11]
//! scatter (ptrindex o, 2·i + 1), b    ──►     hi = shuffle a, b, [4, 12, 5, 13, 6, 14, 7, 15]
//!                                             store o + 2·i₀, lo;  store o + 2·i₀ + 8, hi
//! ```
//! So it is for up to [`MOST`] streams: the members of a record, the channels of a picture. The stores of a group become one where the
//! last of them stands, if nothing in between may touch what they write.
//!
//! Stores that leave gaps between the rows that they fill go row by row ([`rows`]). One that has no partners is one of each lane: its address is computed once, and no vector of addresses is taken apart. Where all
//! lanes have the same address, the highest is stored.

mod rows;

use super::addresses::Address;
use super::alias::may_touch;
use super::interleave::interleaved;
use super::memory_access::{Forms, Linear};
use super::surroundings::Surroundings;
use crate::machine::Machine;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// The most streams that are put together.
pub(super) const MOST: i64 = 8;

/// How many instructions are between two stores of a group at most, so that long blocks take linear time.
const DISTANCE: usize = 512;

/// The greatest distance of lanes, in bytes, that is part of an address.
const MAX_STRIDE: u64 = 1 << 30;

/// A store at regular addresses.
struct Regular {
    inst: Inst,
    /// Its place in the block.
    at: usize,
    form: Linear,
    value: Value,
    mask: Option<Value>,
}

/// One of them whose lanes are a few elements apart, in the order of addresses.
struct Stream {
    inst: Inst,
    at: usize,
    /// What computes `pointer`; it stands nowhere yet.
    code: Vec<Inst>,
    /// The lowest address.
    pointer: Value,
    address: Address,
    stride: i64,
    value: Value,
    mask: Option<Value>,
}

/// Rewrites the scatters of a function whose addresses are regular.
pub fn interleaved_stores(function: &mut Function, around: Surroundings<'_>) {
    let mut forms = Forms::default();
    for block in 0..function.blocks.len() {
        let regular = regular(function, &mut forms, block);
        // What stands in the places of scatters.
        let mut instead: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        let mut streams: Vec<Stream> = regular.iter().filter_map(|store| stream(function, store)).collect();
        while let Some(last) = streams.len().checked_sub(1) {
            let Some(group) = group(function, block, &streams) else {
                streams.pop();
                continue;
            };
            let at = streams[last].inst;
            let code = together(function, around.machine, &group.iter().map(|&k| &streams[k]).collect::<Vec<_>>(), at);
            group.iter().for_each(|&k| drop(instead.insert(streams[k].inst, Vec::new())));
            instead.insert(at, code);
            let mut k = 0;
            streams.retain(|_| (!group.contains(&k), k += 1).0);
        }
        let alone: Vec<&Regular> = regular.iter().filter(|store| !instead.contains_key(&store.inst)).collect();
        instead.extend(rows::transposed(function, block, &alone));
        for store in regular.iter().filter(|store| store.mask.is_none()) {
            instead.entry(store.inst).or_insert_with(|| lane_by_lane(function, store));
        }
        function.put_instead(Block(block as u32), instead);
    }
}

/// The stores of a block at regular addresses.
fn regular(function: &Function, forms: &mut Forms, block: usize) -> Vec<Regular> {
    let mut found = Vec::new();
    for (at, &inst) in function.blocks[block].insts.iter().enumerate() {
        if let Op::Scatter { pointers, value, mask } = function.insts[inst.0 as usize].op
            && let Some(form) = forms.of(function, pointers)
            && !form.is_grouped()
            && (form.pace.is_some() || form.stride.unsigned_abs() <= MAX_STRIDE)
        {
            found.push(Regular { inst, at, form, value, mask });
        }
    }
    found
}

/// A store whose lanes are a few elements apart; `None` for others.
fn stream(function: &mut Function, store: &Regular) -> Option<Stream> {
    let ty = function.ty(store.value);
    let (size, stride) = (ty.element.size() as i64, store.form.stride);
    let elements = stride.abs() / size;
    let is_number = !matches!(ty.element, Element::Bool | Element::Ptr);
    if store.form.pace.is_some() || stride % size != 0 || !(2..=MOST).contains(&elements) || !is_number {
        return None;
    }
    let span = function.insts[store.inst.0 as usize].span;
    let mut code = Vec::new();
    let mut writer = Writer { function, out: &mut code, span };
    let (mut pointer, mut value, mut mask) = (writer.scalar(&store.form.uniform), store.value, store.mask);
    if stride < 0 {
        let back = stride * (i64::from(ty.length) - 1);
        pointer = writer.offset(pointer, back);
        value = writer.reversed(value);
        mask = mask.map(|mask| writer.reversed(mask));
    }
    let address = Address::of(function, pointer);
    Some(Stream { inst: store.inst, at: store.at, code, pointer, address, stride: stride.abs(), value, mask })
}

/// The streams that the last one fills memory with, in the order of their addresses.
fn group(function: &Function, block: usize, streams: &[Stream]) -> Option<Vec<usize>> {
    let (last, others) = streams.split_last()?;
    let ty = function.ty(last.value);
    let size = ty.element.size() as i64;
    let most = last.stride / size;
    // For each place from `most` − 1 elements in front of the last one on: who stores there.
    let mut places: Vec<Option<usize>> = vec![None; 2 * most as usize - 1];
    places[most as usize - 1] = Some(others.len());
    for (k, other) in others.iter().enumerate() {
        let other_ty = function.ty(other.value);
        if (other.stride, other.mask) != (last.stride, last.mask)
            || (other_ty.element.size(), other_ty.length) != (ty.element.size(), ty.length)
        {
            continue;
        }
        let Some(bytes) = last.address.distance(&other.address).filter(|bytes| bytes % size == 0) else { continue };
        // Of two that store to one place, the earlier one stays in front; so does one that stores where the last one does.
        if bytes != 0 && bytes.abs() < last.stride {
            places[(bytes / size + most - 1) as usize] = Some(k);
        }
    }
    let group = places.windows(most as usize).find_map(|window| window.iter().copied().collect::<Option<Vec<usize>>>())?;
    let insts = &function.blocks[block].insts;
    let may_wait = |k: &usize| {
        let stream = &streams[*k];
        let is_member = |inst: &Inst| group.iter().any(|&other| streams[other].inst == *inst);
        let mut between = insts[stream.at..last.at].iter().filter(|inst| !is_member(inst));
        last.at - stream.at <= DISTANCE
            && !between.any(|inst| may_touch(function, &function.insts[inst.0 as usize].op, stream.pointer))
    };
    group.iter().all(may_wait).then_some(group)
}

/// The stores of a group as whole ones, where `at` stands.
fn together(function: &mut Function, machine: &Machine, group: &[&Stream], at: Inst) -> Vec<Inst> {
    let span = function.insts[at.0 as usize].span;
    let ty = function.ty(group[0].value);
    let mut code: Vec<Inst> = group[0].code.clone();
    // Reversed values are computed there as well.
    group[1..].iter().for_each(|stream| code.extend(&stream.code));
    let mut writer = Writer { function, out: &mut code, span };
    let mut alike = |stream: &&Stream| match writer.function.ty(stream.value) == ty {
        true => stream.value,
        false => writer.emit(Op::Convert(ConvertOp::Bits, stream.value), ty),
    };
    let streams: Vec<Value> = group.iter().map(&mut alike).collect();
    let mut values = writer.shifted_together(machine, &streams).unwrap_or_else(|| interleaved(&mut writer, machine, &streams));
    let size = ty.element.size();
    let count = writer.first_lanes(group[0].mask);
    let first_lanes = count.map(|count| writer.elements_of_first(count, ty.length, group.len() as u64, 0));
    if first_lanes.is_some() {
        let lanes = usize::from(writer.function.ty(values[0]).length);
        let at_once = usize::from(machine.lanes_moved_at_once(size, (lanes * values.len()) as u64)) / lanes;
        values = writer.side_by_side(&values, at_once.max(1));
    }
    if let (Some(mask), None) = (group[0].mask, first_lanes)
        && let Some(record) = record_of(size * group.len() as u64)
        && machine.has_masked_moves(record.size(), ty.length)
    {
        writer.store_records(machine, group[0].pointer, &values, record, mask);
        return code;
    }
    let mut first = 0;
    for value in values {
        let stored = writer.function.ty(value);
        let pointer = writer.offset(group[0].pointer, first * size as i64);
        let mask = match (group[0].mask, first_lanes) {
            (Some(_), Some(count)) => Some(writer.first_lanes_from(count, first as u64, stored.length)),
            (Some(mask), None) => {
                let lanes = (first..first + i64::from(stored.length)).map(|lane| (lane / group.len() as i64) as i16);
                Some(writer.shuffle([mask, mask], lanes.collect()))
            }
            (None, _) => None,
        };
        writer.effect(Op::Store { pointer, value, mask, streaming: false });
        first += i64::from(stored.length);
    }
    code
}

impl Writer<'_> {
    /// The streams lane by lane, if most of them are parts of numbers as long as a record, or as two of its members: those are shifted together.
    /// Words that stay words are half as many to bring side by side as bytes that are cut from them.
    fn shifted_together(&mut self, machine: &Machine, streams: &[Value]) -> Option<Vec<Value>> {
        let ty = self.function.ty(streams[0]);
        let has_numbers = |members: usize| {
            let is_part = |member: Value| {
                let cut = self.cut_from(member, members);
                cut.is_some_and(|from| members == streams.len() || machine.has_mask_registers() || !self.is_limited(from))
            };
            let is_there = |member: Value| is_part(member) || matches!(self.function.definition(member), Some(Op::Const(_)));
            let most = |all: &[Value], counts: &dyn Fn(Value) -> bool| {
                2 * all.iter().filter(|&&value| counts(value)).count() >= all.len()
            };
            let mut records = streams.chunks(members);
            ty.element.is_int()
                && streams.len().is_multiple_of(members)
                && most(streams, &is_part)
                && records.all(|record| most(record, &is_there))
        };
        let members = [streams.len(), 2].into_iter().find(|&members| has_numbers(members))?;
        let numbers: Vec<Value> = streams.chunks(members).map(|members| self.number(members)).collect();
        let vectors = interleaved(self, machine, &numbers).into_iter();
        let taken_apart = |vector| {
            let lanes = self.function.ty(vector).length * members as u8;
            self.emit(Op::Reinterpret(vector), ty.with_length(lanes))
        };
        Some(vectors.map(taken_apart).collect())
    }

    /// The number that a member of a record is a part of, if that is as long as so many members.
    fn cut_from(&self, member: Value, members: usize) -> Option<Value> {
        let ty = self.function.ty(member);
        let whole = ty.with_element(Element::integer(ty.element.size() * members as u64)?);
        match self.function.definition(member) {
            Some(&Op::Convert(ConvertOp::Trunc, from)) if self.function.ty(from) == whole => Some(from),
            _ => None,
        }
    }

    /// Is it a minimum or maximum? Of those, vectors are packed with limits, for which nothing is compared.
    fn is_limited(&self, value: Value) -> bool {
        let limits = |op: &Op| matches!(op, Op::Binary(BinaryOp::SMin | BinaryOp::SMax | BinaryOp::UMin | BinaryOp::UMax, ..));
        self.function.definition(value).is_some_and(limits)
    }

    /// Members put together by `or`, each shifted to its place.
    fn number(&mut self, members: &[Value]) -> Value {
        let ty = self.function.ty(members[0]);
        let bits = ty.element.bits();
        let whole = Element::integer(ty.element.size() * members.len() as u64).expect("members are parts of numbers");
        let whole = ty.with_element(whole);
        let mut all: Option<Value> = None;
        for (place, &value) in (0..).zip(members) {
            let number = self.cut_from(value, members.len());
            let mut number = number.unwrap_or_else(|| self.emit(Op::Convert(ConvertOp::ZExt, value), whole));
            if place + 1 < members.len() as u64 {
                let mask = self.emit(Op::Const(vec![u64::MAX >> (64 - bits)]), whole);
                number = self.emit(Op::Binary(BinaryOp::And, number, mask), whole);
            }
            if place > 0 {
                let by = self.emit(Op::Const(vec![place * u64::from(bits)]), whole);
                number = self.emit(Op::Binary(BinaryOp::Shl, number, by), whole);
            }
            all = Some(all.map_or(number, |others| self.emit(Op::Binary(BinaryOp::Or, others, number), whole)));
        }
        all.expect("a record has members")
    }

    /// Stores records of four or eight bytes under a mask that has a lane for each.
    fn store_records(&mut self, machine: &Machine, pointer: Value, values: &[Value], record: Element, mask: Value) {
        let lanes = usize::from(self.function.ty(values[0]).length);
        let size = self.function.ty(values[0]).element.size();
        let at_once = usize::from(machine.lanes(size)).div_ceil(lanes);
        let mut first = 0;
        for value in self.side_by_side(values, at_once) {
            let count = (u64::from(self.function.ty(value).length) * size / record.size()) as u8;
            let records = self.emit(Op::Reinterpret(value), Type::new(record, count));
            let pointer = self.offset(pointer, i64::from(first) * record.size() as i64);
            let mask = self.shuffle([mask, mask], (first..first + i16::from(count)).collect());
            self.effect(Op::Store { pointer, value: records, mask: Some(mask), streaming: false });
            first += i16::from(count);
        }
    }

    /// Vectors put together, as many as there are but at most so many, in powers of two.
    fn side_by_side(&mut self, mut values: &[Value], most: usize) -> Vec<Value> {
        let mut all = Vec::new();
        while !values.is_empty() {
            let (now, others) = values.split_at(1 << most.min(values.len()).ilog2());
            all.push(self.concatenated(now.to_vec()));
            values = others;
        }
        all
    }
}

/// The integer that a record of so many bytes is.
pub(super) fn record_of(bytes: u64) -> Option<Element> {
    Element::integer(bytes).filter(|_| bytes >= 4)
}

/// A store of each lane in ascending order.
fn lane_by_lane(function: &mut Function, store: &Regular) -> Vec<Inst> {
    let ty = function.ty(store.value);
    let span = function.insts[store.inst.0 as usize].span;
    let mut code = Vec::new();
    let mut writer = Writer { function, out: &mut code, span };
    let places = writer.places(&store.form, ty.length);
    let is_one = store.form.pace.is_none() && store.form.stride == 0;
    for (lane, pointer) in places.into_iter().enumerate().skip(if is_one { usize::from(ty.length) - 1 } else { 0 }) {
        let at = writer.emit(Op::Const(vec![lane as u64]), Type::scalar(Element::I32));
        let value = writer.emit(Op::Extract(store.value, at), ty.with_length(1));
        writer.effect(Op::Store { pointer, value, mask: None, streaming: false });
    }
    code
}
