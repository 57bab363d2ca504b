//! Stores to some members of records that are there become stores of all of them.
//!
//! ```text
//!                                           o = stridedload p + 3, stride 4
//! scatter (ptrindex p, i), r                scatter (ptrindex p, i), r
//! scatter (ptrindex p, i) + 1, g     ──►    scatter (ptrindex p, i) + 1, g
//! scatter (ptrindex p, i) + 2, b            scatter (ptrindex p, i) + 2, b
//!                                           scatter (ptrindex p, i) + 3, o
//! ```
//! Else each lane of each member would be stored by itself. Under a mask every member keeps what it was where the mask is off, and is stored in all lanes, unless
//! whole records are numbers that the machine stores under a mask. [`interleaved_stores`](super::interleaved_stores) makes one store of them.
//!
//! As in [`whole_accesses`](super::whole_accesses) records are there where another member of each was loaded before, and in an array parameter of so many records as
//! the loop has steps; and nobody else may write there.

use super::Surroundings;
use super::addresses::Address;
use super::alias::may_touch;
use super::interleaved_stores::{MOST, record_of};
use super::memory_access::Forms;
use super::whole_accesses::{before, first_lanes, is_own, promised_records};
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// Of records of more members at least half are stored.
const FEW: usize = 4;

/// Completes the stores of a function.
pub fn whole_records(function: &mut Function, around: Surroundings<'_>) {
    if !function.insts.iter().any(|inst| matches!(inst.op, Op::Scatter { .. })) {
        return;
    }
    let graph = Graph::new(function);
    let mut forms = Forms::default();
    for &block in &graph.order {
        let mut members = members(function, &mut forms, block);
        while !members.is_empty() {
            let first = members.remove(0);
            let (mut own, others): (Vec<Member>, Vec<Member>) =
                members.into_iter().partition(|member| first.distance(member).is_some());
            members = others;
            own.insert(0, first);
            if let Some(record) = Record::of(function, &graph, block, own)
                && record.is_worth_it(around.machine)
            {
                record.write(function, block);
                // Other instructions have other places now.
                let done: Vec<Inst> = members.iter().map(|member| member.inst).collect();
                members = self::members(function, &mut forms, block);
                members.retain(|member| done.contains(&member.inst));
            }
        }
    }
}

/// A store to a member of each of several records, which are one after another.
struct Member {
    inst: Inst,
    /// Its place in the block.
    at: usize,
    /// What computes `pointer`; it stands nowhere yet.
    code: Vec<Inst>,
    /// The first lane's address.
    pointer: Value,
    address: Address,
    /// From record to record, in bytes.
    stride: i64,
    ty: Type,
    mask: Option<Value>,
}

/// Those of a block.
fn members(function: &mut Function, forms: &mut Forms, block: Block) -> Vec<Member> {
    let mut found = Vec::new();
    for (at, inst) in function.blocks[block.0 as usize].insts.clone().into_iter().enumerate() {
        let InstData { op: Op::Scatter { pointers, value, mask }, span, .. } = function.insts[inst.0 as usize] else { continue };
        let (ty, Some(form)) = (function.ty(value), forms.of(function, pointers)) else { continue };
        let size = ty.element.size() as i64;
        let is_number = !matches!(ty.element, Element::Bool | Element::Ptr);
        let stride = form.stride;
        if form.is_plain() && is_number && stride % size == 0 && (2..=MOST).contains(&(stride / size)) {
            let mut code = Vec::new();
            let pointer = Writer { function, out: &mut code, span }.scalar(&form.uniform);
            found.push(Member { inst, at, code, pointer, address: Address::of(function, pointer), stride, ty, mask });
        }
    }
    found
}

impl Member {
    /// Bytes to another member of the same records, if it is one.
    fn distance(&self, other: &Member) -> Option<i64> {
        let shape = |member: &Member| (member.stride, member.mask, member.ty.element.size(), member.ty.length);
        let bytes = self.address.distance(&other.address).filter(|_| shape(self) == shape(other))?;
        (bytes.abs() < self.stride && bytes % self.ty.element.size() as i64 == 0).then_some(bytes)
    }
}

/// The stores to members of the same records, all of which are there; in the order of the block.
struct Record {
    members: Vec<Member>,
    /// By the place in a record: which of the members is there.
    places: Vec<Option<usize>>,
    /// From the start of the first record to the first member that is stored, in bytes.
    before: i64,
    /// The lanes whose records are there, the first ones; all where absent.
    there: Option<Value>,
}

impl Record {
    fn of(function: &mut Function, graph: &Graph, block: Block, members: Vec<Member>) -> Option<Record> {
        let (first, last) = (members.first()?, members.last()?);
        let insts = &function.blocks[block.0 as usize].insts;
        let is_member = |inst: &Inst| members.iter().any(|member| member.inst == *inst);
        let mut between = insts[first.at..last.at].iter().filter(|inst| !is_member(inst));
        let touches = |inst: &Inst| may_touch(function, &function.insts[inst.0 as usize].op, first.pointer);
        if !is_own(function, first.pointer) || between.any(touches) {
            return None;
        }
        let firsts = first.mask.map_or(Vec::new(), |mask| first_lanes(function, mask));
        let (before, there) = beside_another(function, graph, block, first, &firsts)
            .or_else(|| promised_records(function, graph, block, first.pointer, first.stride, first.ty.length, &firsts))?;
        let size = first.ty.element.size() as i64;
        let mut places = vec![None; (first.stride / size) as usize];
        for (k, member) in members.iter().enumerate() {
            let bytes = before + first.distance(member)?;
            let place = places.get_mut(usize::try_from(bytes / size).ok()?)?;
            // Of two stores to one place the later one counts: that is not looked at here.
            if bytes % size != 0 || place.replace(k).is_some() {
                return None;
            }
        }
        let there = first.mask.filter(|mask| firsts.contains(mask)).or(there);
        Some(Record { members, places, before, there })
    }

    /// The mask under which members are stored, if that is not just as many records as there are.
    fn mask(&self) -> Option<Value> {
        self.members[0].mask.filter(|mask| self.there != Some(*mask))
    }

    fn is_worth_it(&self, machine: &Machine) -> bool {
        let (first, all) = (&self.members[0], self.places.len());
        let is_number =
            || record_of(first.stride as u64).is_some_and(|number| machine.has_masked_moves(number.size(), first.ty.length));
        let is_store = self.members.len() == all && (self.mask().is_none() || is_number());
        !is_store && (all <= FEW || 2 * self.members.len() >= all)
    }

    fn write(&self, function: &mut Function, block: Block) {
        let (first, last) = (&self.members[0], &self.members[self.members.len() - 1]);
        let (size, ty) = (first.ty.element.size() as i64, first.ty);
        let mask = self.mask();
        let span = function.insts[first.inst.0 as usize].span;
        let mut in_front: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();

        let mut code = first.code.clone();
        let mut writer = Writer { function, out: &mut code, span };
        let mut old = |place: usize| {
            let pointer = writer.offset_lanes(first.pointer, place as i64 * size - self.before);
            let object = Some(Object { offset: (place as i64 * size) as u64, size: first.stride as u64 });
            writer.emit(Op::StridedLoad { pointer, stride: first.stride, mask: self.there, object }, ty)
        };
        let is_kept = |member: &Option<usize>| member.is_none() || mask.is_some();
        let old: Vec<Option<Value>> =
            self.places.iter().enumerate().map(|(place, member)| is_kept(member).then(|| old(place))).collect();
        in_front.insert(first.inst, code);

        for (place, member) in self.places.iter().enumerate() {
            let inst = member.map_or(last.inst, |member| self.members[member].inst);
            let mut code = in_front.remove(&inst).unwrap_or_default();
            let mut writer = Writer { function, out: &mut code, span };
            let Op::Scatter { pointers, value, .. } = writer.function.insts[inst.0 as usize].op else {
                unreachable!("a scatter")
            };
            match (member, old[place]) {
                (Some(_), Some(old)) => {
                    let ty = writer.function.ty(value);
                    let old = if ty == self.members[0].ty { old } else { writer.emit(Op::Convert(ConvertOp::Bits, old), ty) };
                    let value = writer.emit(Op::Select(mask.expect("it is kept"), value, old), ty);
                    writer.function.insts[inst.0 as usize].op = Op::Scatter { pointers, value, mask: self.there };
                }
                (None, Some(value)) => {
                    let bytes = place as i64 * size - self.before - first.distance(last).expect("of one record");
                    let pointers = writer.offset_lanes(pointers, bytes);
                    writer.effect(Op::Scatter { pointers, value, mask: self.there });
                }
                (_, None) => {}
            }
            in_front.insert(inst, code);
        }
        in_front.iter_mut().for_each(|(inst, code)| code.push(*inst));
        function.put_instead(block, in_front);
    }
}

/// Bytes from the start of a record to a member of it, and the lanes in which records are there, if another member of each was loaded before.
fn beside_another(
    function: &Function,
    graph: &Graph,
    block: Block,
    member: &Member,
    firsts: &[Value],
) -> Option<(i64, Option<Value>)> {
    before(function, graph, (block, member.at)).find_map(|InstData { op, results, .. }| {
        let Op::StridedLoad { pointer, stride, mask, object: Some(object) } = *op else { return None };
        let is_alike =
            stride == member.stride && object.size == stride as u64 && function.ty(results[0]).length == member.ty.length;
        let is_covered = mask.is_none_or(|mask| firsts.contains(&mask));
        let bytes = Address::of(function, pointer).distance(&member.address).filter(|_| is_alike && is_covered)?;
        let before = object.offset as i64 + bytes;
        (0..stride).contains(&before).then_some((before, mask))
    })
}
