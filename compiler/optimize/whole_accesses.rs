//! Masked accesses for which the machine has no instruction, of memory that is there as a whole, go without their mask.
//!
//! ```text
//! v = load p, mask m                     w = load p;  v = select m, w, 0
//! store p, x, mask m             ──►     o = load p;  y = select m, x, o;  store p, y
//! ```
//! Else each lane would be asked whether it is on. At the end of a `foreach`, whose blocks are not whole, the lanes that are there are the first ones: they stay a
//! mask, which is a run of lanes that two or three moves take.
//!
//! Memory is there where the same place was accessed before, and in an array parameter of so many elements as the loop has steps, which the caller
//! promises to be there, looked at or not (language.md §4). An array of `4 * n` elements has n records of four, so that what takes a member of each is a strided load
//! of records that are there; it stands beside the load of another member in front of the branch that asks for it, where there is one, and
//! [`interleaved_loads`](super::interleaved_loads) makes one load of both. Nobody sees that a lane that is off is written as it was, if nobody else may write there: it is a
//! slot of the function, or an array of an export, which is the export's own while it runs, outside of parts of parallel loops.

use super::addresses::Address;
use super::alias::{base, may_write};
use super::jammed_loops::{Access, without_constant};
use super::surroundings::Surroundings;
use crate::machine::Masks;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// So many instructions in front of an access are looked at for another one of the same place.
const DISTANCE: usize = 256;

/// Rewrites the accesses of a function.
pub fn whole_accesses(function: &mut Function, around: Surroundings<'_>) {
    let has_mask = |ty: Type| around.machine.has_masked_moves(ty.element.size(), ty.length);
    let is_asked = |function: &Function, inst: Inst| {
        let ty = match function.insts[inst.0 as usize] {
            InstData { op: Op::Load { mask: Some(_), .. }, ref results, .. } => function.ty(results[0]),
            InstData { op: Op::Store { value, mask: Some(_), streaming: false, .. }, .. } => {
                let ty = function.ty(value);
                if around.machine.masks == Masks::Vectors {
                    return ty.length > 1 && ty.element != Element::Bool;
                }
                ty
            }
            // Members of records are taken apart without a mask, or with one of the first lanes.
            InstData { op: Op::StridedLoad { mask: Some(mask), .. }, .. } => {
                return !matches!(function.definition(mask), Some(Op::FirstLanes(_)));
            }
            _ => return false,
        };
        ty.length > 1 && ty.element != Element::Bool && !has_mask(ty)
    };
    // A mask that is a vector takes longer to be stored by than the lanes that lie there, where they are known.
    let is_known = |function: &Function, inst: Inst, whole: &Whole| match function.insts[inst.0 as usize].op {
        Op::Store { value, .. } if has_mask(function.ty(value)) => whole.known.is_some() && whole.there.is_none(),
        _ => true,
    };
    let is_strided = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::StridedLoad { object: None, .. });
    let insts = || function.blocks.iter().flat_map(|block| &block.insts);
    let has_promises = function.parameter_flags.iter().any(|flags| flags.elements.is_some()) && insts().any(is_strided);
    if !has_promises && !insts().any(|&inst| is_asked(function, inst)) {
        return;
    }
    let graph = Graph::new(function);
    let promised = if has_promises { find_records(function, &graph) } else { Promised::default() };
    for &block in &graph.order {
        let mut at = 0;
        while at < function.blocks[block.0 as usize].insts.len() {
            let inst = function.blocks[block.0 as usize].insts[at];
            if is_asked(function, inst)
                && let Some(whole) = Whole::of(function, &graph, &promised, (block, at))
                && is_known(function, inst, &whole)
            {
                at += whole.write(function, (block, at));
            }
            at += 1;
        }
    }
}

/// The loads of members of records that the caller promises, with the lanes in which these are there, the first ones; all where absent.
type Promised = FxHashMap<Inst, Option<Value>>;

/// Says of the strided loads of flat arrays in what records they are: of `a[4 * n]` there are n of four elements.
fn find_records(function: &mut Function, graph: &Graph) -> Promised {
    let mut promised = Promised::default();
    for &block in &graph.order {
        for inst in function.blocks[block.0 as usize].insts.clone() {
            let InstData { op: Op::StridedLoad { pointer, stride, mask, object: None }, results, .. } =
                &function.insts[inst.0 as usize]
            else {
                continue;
            };
            let (pointer, stride, mask, lanes) = (*pointer, *stride, *mask, function.ty(results[0]).length);
            let firsts = mask.map_or(Vec::new(), |mask| first_lanes(function, mask));
            if let Some((offset, there)) = promised_records(function, graph, block, pointer, stride, lanes, &firsts) {
                let object = Some(Object { offset: offset as u64, size: stride as u64 });
                function.insts[inst.0 as usize].op = Op::StridedLoad { pointer, stride, mask, object };
                promised.insert(inst, there);
            }
        }
    }
    promised
}

/// A place in the list of instructions of a block.
pub(super) type At = (Block, usize);

/// An access of memory that is there.
struct Whole {
    /// The lanes that do anything.
    mask: Value,
    /// The lanes that are there, the first ones; all where absent.
    there: Option<Value>,
    /// What lies there.
    known: Option<Value>,
    /// The load of another member of the same records in a block in front of this one, and how many bytes further this one is: it may as well stand there, where
    /// [`interleaved_loads`](super::interleaved_loads) finds both.
    other: Option<(At, i64)>,
}

impl Whole {
    fn of(function: &Function, graph: &Graph, promised: &Promised, at: At) -> Option<Whole> {
        let InstData { op, results, .. } = data(function, at);
        let (pointer, ty, mask) = match *op {
            Op::Load { pointer, mask } => (pointer, function.ty(results[0]), mask?),
            Op::Store { pointer, value, mask, .. } if is_own(function, pointer) => (pointer, function.ty(value), mask?),
            Op::StridedLoad { mask: Some(mask), .. } => {
                let inst = function.blocks[at.0.0 as usize].insts[at.1];
                let (there, other) = match promised.get(&inst) {
                    Some(&there) => (there, other_member(function, graph, promised, at)),
                    None => (record(function, graph, at)?, None),
                };
                return Some(Whole { mask, there, known: None, other });
            }
            _ => return None,
        };
        let firsts = first_lanes(function, mask);
        // A run of lanes needs nothing.
        if firsts.contains(&mask) {
            return None;
        }
        let (there, known) = lies_there(function, graph, at, pointer, ty, &firsts)?;
        Some(Whole { mask, there, known, other: None })
    }

    /// The load behind that of another member.
    fn write_beside(&self, function: &mut Function, at: At, ((block, place), distance): (At, i64)) -> Value {
        let InstData { op, results, span } = data(function, at).clone();
        let (Op::StridedLoad { object, .. }, Op::StridedLoad { pointer, stride, .. }) = (op, &data(function, (block, place)).op)
        else {
            unreachable!("loads of members")
        };
        let (pointer, stride) = (*pointer, *stride);
        let mut out = Vec::new();
        let mut writer = Writer { function, out: &mut out, span };
        let pointer = writer.offset_lanes(pointer, distance);
        let ty = writer.function.ty(results[0]);
        let loaded = writer.emit(Op::StridedLoad { pointer, stride, mask: None, object }, ty);
        function.blocks[block.0 as usize].insts.splice(place + 1..place + 1, out);
        loaded
    }

    /// Rewrites the access; how many instructions were put in front.
    fn write(&self, function: &mut Function, at: At) -> usize {
        let InstData { op, results, span } = data(function, at).clone();
        let loaded = self.other.map(|other| self.write_beside(function, at, other));
        let mut out = Vec::new();
        let mut writer = Writer { function, out: &mut out, span };
        let op = match op {
            Op::Store { pointer, value, streaming, .. } => {
                let ty = writer.function.ty(value);
                let kept = self.known.unwrap_or_else(|| writer.emit(Op::Load { pointer, mask: self.there }, ty));
                let value = writer.emit(Op::Select(self.mask, value, kept), ty);
                Op::Store { pointer, value, mask: self.there, streaming }
            }
            mut load => {
                if let Op::Load { mask, .. } | Op::StridedLoad { mask, .. } = &mut load {
                    *mask = self.there;
                }
                let ty = writer.function.ty(results[0]);
                let loaded = self.known.or(loaded).unwrap_or_else(|| writer.emit(load, ty));
                let zero = writer.emit(Op::Const(vec![0]), ty);
                Op::Select(self.mask, loaded, zero)
            }
        };
        let (block, at) = at;
        let insts = &mut function.blocks[block.0 as usize].insts;
        function.insts[insts[at].0 as usize].op = op;
        let count = out.len();
        insts.splice(at..at, out);
        count
    }
}

/// The load, in another block in front of a load of a member and without a mask, of another member of the same promised records, behind which nobody writes there; and
/// how many bytes further this one is.
fn other_member(function: &Function, graph: &Graph, promised: &Promised, at: At) -> Option<(At, i64)> {
    let InstData { op: Op::StridedLoad { pointer, stride, .. }, results, .. } = data(function, at) else { return None };
    let (address, length) = (Address::of(function, *pointer), function.ty(results[0]).length);
    let is_unwritten = |place: &At| !may_write(function, &data(function, *place).op, *pointer);
    let is_promised = |place: &At| {
        let inst = function.blocks[place.0.0 as usize].insts[place.1];
        place.0 != at.0 && promised.get(&inst) == Some(&None)
    };
    let mut places = places_before(function, graph, at).take_while(is_unwritten).filter(is_promised);
    places.find_map(|place| match data(function, place) {
        InstData { op: Op::StridedLoad { pointer: other, stride: same, mask: None, .. }, results, .. }
            if same == stride && function.ty(results[0]).length == length =>
        {
            let distance = Address::of(function, *other).distance(&address)?;
            (distance.abs() < *stride).then_some((place, distance))
        }
        _ => None,
    })
}

fn data(function: &Function, (block, at): At) -> &InstData {
    &function.insts[function.blocks[block.0 as usize].insts[at].0 as usize]
}

/// The instructions in front of a place, the nearest first, as long as there is one way here, and up to what may give memory back.
pub(super) fn before<'f>(function: &'f Function, graph: &'f Graph, at: At) -> impl Iterator<Item = &'f InstData> {
    places_before(function, graph, at).map(|at| data(function, at))
}

fn places_before<'f>(function: &'f Function, graph: &'f Graph, (mut block, mut at): At) -> impl Iterator<Item = At> + 'f {
    let next = move || {
        while at == 0 {
            let [before] = graph.predecessors[block.0 as usize][..] else { return None };
            block = before;
            at = function.blocks[block.0 as usize].insts.len();
        }
        at -= 1;
        Some((block, at))
    };
    std::iter::from_fn(next).take(DISTANCE).take_while(|&at| {
        let op = &data(function, at).op;
        !op.has_effect() || is_access(op)
    })
}

/// The lanes that are there of a place that is accessed at a place in a block, all or some first ones, and what is known to lie there.
pub(super) fn lies_there(
    function: &Function,
    graph: &Graph,
    at: At,
    pointer: Value,
    ty: Type,
    firsts: &[Value],
) -> Option<(Option<Value>, Option<Value>)> {
    accessed(function, graph, at, pointer, ty, firsts).or_else(|| {
        let covers = [None].into_iter().chain(firsts.iter().map(|&first| Some(first)));
        let is_there = |mask: &Option<Value>| {
            // A number of elements less some may wrap: then the loop goes on behind all of them, where the program itself is.
            match Access::of(at.0, pointer, ty, *mask).promised(function, graph) {
                Some(0) => true,
                Some(_) => is_beside_another(function, graph, at, pointer),
                None => false,
            }
        };
        covers.into_iter().find(is_there).map(|there| (there, None))
    })
}

/// The masks of first lanes that a mask is a part of.
pub(super) fn first_lanes(function: &Function, mask: Value) -> Vec<Value> {
    let (mut found, mut work) = (Vec::new(), vec![mask]);
    while let Some(mask) = work.pop() {
        match function.definition(mask) {
            Some(Op::FirstLanes(_)) => found.push(mask),
            Some(&Op::Binary(BinaryOp::And, a, b)) => work.extend([a, b]),
            _ => {}
        }
    }
    found
}

/// May nobody else write what a pointer leads to?
pub(super) fn is_own(function: &Function, pointer: Value) -> bool {
    let base = base(function, pointer);
    match (function.definition(base), function.values[base.0 as usize].def) {
        (Some(Op::SlotAddress(_)), _) => true,
        (None, ValueDef::Parameter(Block(0), index)) => {
            let flags = function.parameter_flags.get(index as usize);
            matches!(function.linkage, Linkage::Export(_)) && flags.is_some_and(|flags| flags.noalias && !flags.read_only)
        }
        _ => false,
    }
}

/// The lanes of the same place that were accessed before, on every way here, and what lies there.
fn accessed(
    function: &Function,
    graph: &Graph,
    at: At,
    pointer: Value,
    ty: Type,
    firsts: &[Value],
) -> Option<(Option<Value>, Option<Value>)> {
    let mut is_written = false;
    let is_covered = |mask: &Option<Value>| mask.is_none_or(|mask| firsts.contains(&mask));
    before(function, graph, at).find_map(|InstData { op, results, .. }| match op {
        Op::Load { pointer: p, mask } if *p == pointer && function.ty(results[0]) == ty && is_covered(mask) => {
            Some((*mask, Some(results[0]).filter(|_| !is_written)))
        }
        Op::Store { pointer: p, value, mask, .. } if *p == pointer && function.ty(*value) == ty && is_covered(mask) => {
            Some((*mask, Some(*value).filter(|_| !is_written && mask.is_none())))
        }
        other => {
            is_written |= may_write(function, other, pointer);
            None
        }
    })
}

/// Is an element of the same array at the same index, wherever that is from there, accessed before in all lanes?
fn is_beside_another(function: &Function, graph: &Graph, at: At, pointer: Value) -> bool {
    let place = |pointer: Value| match function.definition(pointer) {
        Some(&Op::PtrIndex { base, index, scale, .. }) => Some((base, without_constant(function, index).0, scale)),
        _ => None,
    };
    let Some(here) = place(pointer) else { return false };
    before(function, graph, at).any(|data| match data.op {
        Op::Load { pointer, mask: None } | Op::Store { pointer, mask: None, .. } => place(pointer) == Some(here),
        _ => false,
    })
}

/// The lanes in which the records are there of which a load takes a member: another member of each was loaded before. All where it is `None` inside.
pub(super) fn record(function: &Function, graph: &Graph, at: At) -> Option<Option<Value>> {
    let part = |InstData { op, results, .. }: &InstData| match *op {
        Op::StridedLoad { pointer, stride, mask, object: Some(object) } => {
            Some((pointer, mask, object, (stride, object.size, function.ty(results[0]).length)))
        }
        _ => None,
    };
    let (pointer, mask, object, shape) = part(data(function, at))?;
    let (address, firsts) = (Address::of(function, pointer), mask.map_or(Vec::new(), |mask| first_lanes(function, mask)));
    before(function, graph, at).filter_map(part).find_map(|(other, there, other_object, other_shape)| {
        let is_covered = shape == other_shape && there.is_none_or(|mask| firsts.contains(&mask));
        let distance = object.offset as i64 - other_object.offset as i64;
        (is_covered && Address::of(function, other).distance(&address) == Some(distance)).then_some(there)
    })
}

/// Records of `stride` bytes, of each of which a lane of a pointer leads to a member, if the caller promises so many of them: bytes from the start of one to the
/// member, and the lanes in which they are there.
pub(super) fn promised_records(
    function: &mut Function,
    graph: &Graph,
    block: Block,
    pointer: Value,
    stride: i64,
    lanes: u8,
    firsts: &[Value],
) -> Option<(i64, Option<Value>)> {
    let Some(&Op::PtrIndex { index, scale, offset, .. }) = function.definition(pointer) else { return None };
    let (_, more) = without_constant(function, index);
    let bytes = more.checked_mul(scale as i64)?.checked_add(offset)?;
    let before = bytes.checked_rem_euclid(stride).filter(|_| stride > 0)?;
    // What computes the address stands nowhere: it is only looked at.
    let span = function.span;
    let start = Writer { function, out: &mut Vec::new(), span }.offset_lanes(pointer, -before);
    let covers = [None].into_iter().chain(firsts.iter().map(|&first| Some(first)));
    let is_there = |mask: &Option<Value>| {
        let access = Access { block, pointer: start, size: stride as u64, lanes, mask: *mask };
        access.promised(function, graph) == Some(0)
    };
    covers.into_iter().find(is_there).map(|there| (before, there))
}

/// Does it do nothing but to read or write memory?
fn is_access(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::Gather { .. }
            | Op::Scatter { .. }
            | Op::StridedLoad { .. }
            | Op::StreamingLoad { .. }
    )
}
