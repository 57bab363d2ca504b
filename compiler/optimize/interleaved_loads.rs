//! Loads at a distance from lane to lane that take the same memory apart: it is loaded once, as it lies there, and its lanes are put in place.
//!
//! ```text
//! m = firstlanes n                           m₀ = firstlanes 2·n;  m₁ = firstlanes 2·n − 32 (or 0)
//! a = stridedload p, stride 2, mask m   ──►  x = load p, mask m₀;  y = load p + 32, mask m₁
//! b = stridedload p + 1, stride 2, mask m    a, b = the even and the odd lanes of x and y
//! ```
//! The loads of a group become one where the first of them stands, if nothing in between may write what they read, or decide that it is
//! not read. Without a mask they are to read all that is between the first lane and the last; a load alone, or two of eight, are left to the stage that
//! picks lanes from registers. What is only looked at as a number that fills the distance of lanes, as bytes two apart that become words, is
//! not moved at all: it is shifted and masked where it is. Under a mask of the first lanes, memory is read up to the last element of the last lane that is on and no
//! further, so that any group will do, also of one load. Other masks are left alone.

use super::addresses::Address;
use super::alias::may_write;
use super::ranges::range;
use super::separate::separated;
use crate::machine::Machine;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// The most streams that are taken apart.
const MOST: i64 = 8;

/// How many instructions are between two loads of a group at most, so that long blocks take linear time.
const DISTANCE: usize = 512;

/// A load whose lanes are a few elements apart.
struct Stream {
    inst: Inst,
    /// Its place in the block.
    at: usize,
    pointer: Value,
    address: Address,
    stride: i64,
    mask: Option<Value>,
    object: Option<Object>,
    ty: Type,
}

/// Streams that begin in the same record of memory.
struct Group {
    /// Places in the list of streams, and how many elements each is behind the start. The first one of the block comes first.
    members: Vec<(usize, i64)>,
    /// From the first one's address to the start of the record, in bytes; not positive.
    start: i64,
    /// Elements from lane to lane.
    count: i64,
    /// Elements of the last lane's record that nobody is known to have.
    missing: i64,
}

/// What is looked at beside a function.
#[derive(Clone, Copy)]
struct Around<'a> {
    machine: &'a Machine,
    /// By function of the module: does it do nothing but compute its results, and come back?
    quiet: &'a [bool],
}

/// Rewrites the strided loads of a module that take memory apart.
pub fn interleaved_loads(module: &mut Module, machine: &Machine) {
    let quiet = quiet_functions(module);
    module.functions.iter_mut().for_each(|function| rewrite(function, Around { machine, quiet: &quiet }));
}

/// The functions that do nothing but compute their results: they read memory at most, call only others of their kind, and have no loops,
/// which might not end.
fn quiet_functions(module: &Module) -> Vec<bool> {
    let mut quiet = vec![false; module.functions.len()];
    for id in module.callees_first() {
        let function = &module.functions[id.0 as usize];
        let is_quiet = |block: (u32, &BlockData)| {
            let mut ops = block.1.insts.iter().map(|inst| &function.insts[inst.0 as usize].op);
            let goes_on = block.1.terminator.targets().all(|target| target.block.0 > block.0);
            goes_on
                && !matches!(block.1.terminator, Terminator::Unreachable)
                && ops.all(|op| match op {
                    // One that calls itself is not done yet.
                    Op::Call(callee, _) => quiet[callee.0 as usize],
                    other => !other.has_effect(),
                })
        };
        quiet[id.0 as usize] = !function.blocks.is_empty() && (0..).zip(&function.blocks).all(is_quiet);
    }
    quiet
}

fn rewrite(function: &mut Function, around: Around<'_>) {
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    let extensions = extensions(function);
    for block in 0..function.blocks.len() {
        let mut streams = streams(function, block);
        // What stands in the places of loads.
        let mut instead: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        while !streams.is_empty() {
            let group = group(function, around, block, &streams);
            if is_worth_it(function, around.machine, &streams[0], &group) {
                let code = apart(function, around.machine, &streams, &group, &extensions, &mut same);
                group.members.iter().for_each(|&(k, _)| drop(instead.insert(streams[k].inst, Vec::new())));
                instead.insert(streams[0].inst, code);
                let mut k = 0;
                streams.retain(|_| (group.members.iter().all(|&(member, _)| member != k), k += 1).0);
            } else {
                streams.remove(0);
            }
        }
        function.put_instead(Block(block as u32), instead);
    }
    if !same.is_empty() {
        // Extensions may be far behind what they extend.
        for block in &mut function.blocks {
            block.insts.retain(|inst| function.insts[inst.0 as usize].results.iter().all(|result| !same.contains_key(result)));
        }
    }
    function.replace_uses(&same);
}

/// The loads of a block whose lanes are a few elements apart.
fn streams(function: &Function, block: usize) -> Vec<Stream> {
    let mut found = Vec::new();
    for (at, &inst) in function.blocks[block].insts.iter().enumerate() {
        let data = &function.insts[inst.0 as usize];
        let Op::StridedLoad { pointer, stride, mask, object } = data.op else { continue };
        let ty = function.ty(data.results[0]);
        let size = ty.element.size() as i64;
        let is_number = !matches!(ty.element, Element::Bool | Element::Ptr);
        if is_number && ty.length > 1 && stride % size == 0 && (2..=MOST).contains(&(stride / size)) {
            let address = Address::of(function, pointer);
            found.push(Stream { inst, at, pointer, address, stride, mask, object, ty });
        }
    }
    found
}

/// A number of as many bytes as lanes are apart, made of an integer that was loaded; a float by way of such an integer.
#[derive(Clone, Copy)]
struct Extension {
    op: ConvertOp,
    result: Value,
}

/// By loaded value of which nobody wants anything else.
type Extensions = FxHashMap<Value, Vec<Extension>>;

/// The strided loads of a function that are only looked at as longer numbers, which fill the distance of lanes.
fn extensions(function: &Function) -> Extensions {
    let mut found: Extensions = FxHashMap::default();
    let insts = || function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &function.insts[inst.0 as usize]);
    for data in insts() {
        if matches!(data.op, Op::StridedLoad { .. }) && function.ty(data.results[0]).element.is_int() {
            found.insert(data.results[0], Vec::new());
        }
    }
    if found.is_empty() {
        return found;
    }
    let distance = |value: Value| match function.definition(value) {
        Some(Op::StridedLoad { stride, .. }) => *stride,
        _ => 0,
    };
    for data in insts() {
        match data.op {
            Op::Convert(op @ (ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::UToF | ConvertOp::SToF), a)
                if function.ty(data.results[0]).element.size() as i64 == distance(a) =>
            {
                let extension = Extension { op, result: data.results[0] };
                found.entry(a).and_modify(|list| list.push(extension));
            }
            _ => data.op.for_each(|value| drop(found.remove(&value))),
        }
    }
    for block in &function.blocks {
        block.terminator.for_each(|value| drop(found.remove(&value)));
    }
    found
}

/// The streams that the first one shares records with.
fn group(function: &Function, around: Around<'_>, block: usize, streams: &[Stream]) -> Group {
    let first = &streams[0];
    let size = first.ty.element.size() as i64;
    let record = |stream: &Stream| {
        let object = stream.object?;
        let (offset, bytes) = (object.offset as i64, object.size as i64);
        (offset % size == 0 && offset < stream.stride && bytes >= stream.stride).then_some(offset)
    };
    // The bytes from the first one's address on that are known to lie in one record.
    let whole = record(first).map(|offset| (-offset, first.stride - offset));
    let (mut low, mut high) = whole.unwrap_or((0, size));
    let mut members = vec![(0, 0)];
    let insts = &function.blocks[block].insts;
    for (k, stream) in streams.iter().enumerate().skip(1) {
        let is_alike = (stream.stride, stream.mask) == (first.stride, first.mask)
            && (stream.ty.element.size(), stream.ty.length) == (first.ty.element.size(), first.ty.length);
        if stream.at - first.at > DISTANCE {
            break;
        }
        let Some(bytes) = first.address.distance(&stream.address).filter(|bytes| is_alike && bytes % size == 0) else { continue };
        let both = (low.min(bytes), high.max(bytes + size));
        let stays = |inst: &Inst| match &function.insts[inst.0 as usize].op {
            Op::Check { .. } => false,
            Op::Call(callee, _) => around.quiet[callee.0 as usize],
            op => !may_write(function, op, stream.pointer),
        };
        if both.1 - both.0 > first.stride || !insts[first.at..stream.at].iter().all(stays) {
            continue;
        }
        (low, high) = both;
        members.push((k, bytes));
    }
    let members = members.into_iter().map(|(k, bytes)| (k, (bytes - low) / size)).collect();
    let count = first.stride / size;
    Group { members, start: low, count, missing: count - (high - low) / size }
}

fn is_worth_it(function: &Function, machine: &Machine, first: &Stream, group: &Group) -> bool {
    let mut places: Vec<i64> = group.members.iter().map(|&(_, place)| place).collect();
    places.sort_unstable();
    places.dedup();
    let is_most = 2 * places.len() as i64 > group.count;
    let size = first.ty.element.size();
    if size <= 2 && machine.byte_shuffles.is_empty() && !group.count.cast_unsigned().is_power_of_two() {
        return false;
    }
    match first.mask {
        None => group.missing == 0 && is_most && places.len() > 1,
        Some(mask) => {
            matches!(function.definition(mask), Some(Op::FirstLanes(_)))
                && (is_most || group.count <= machine.dense_stride as i64)
        }
    }
}

/// The loads of a group as whole ones, and what makes the values of its streams of them.
fn apart(
    function: &mut Function,
    machine: &Machine,
    streams: &[Stream],
    group: &Group,
    extensions: &Extensions,
    same: &mut FxHashMap<Value, Value>,
) -> Vec<Inst> {
    let first = &streams[0];
    let span = function.insts[first.inst.0 as usize].span;
    let ty = first.ty;
    let size = ty.element.size() as i64;
    let mut code = Vec::new();
    let mut writer = Writer { function, out: &mut code, span };
    let count = writer.first_lanes(first.mask);
    let pointer = writer.offset(first.pointer, group.start);
    let all = group.count * i64::from(ty.length);
    let lanes = ty.length.min(machine.lanes(size as u64));
    let memory: Vec<Value> = match count {
        None => {
            // Streams that are shorter than a register are loaded together.
            let (mut memory, mut first) = (Vec::new(), 0);
            while first < all {
                let together = i64::from(machine.lanes(size as u64)).min(1 << (all - first).ilog2());
                let pointer = writer.offset(pointer, first * size);
                let loaded = writer.emit(Op::Load { pointer, mask: None }, ty.with_length(together as u8));
                let part = |k: i16| writer.shuffle([loaded, loaded], (k..k + i16::from(lanes)).collect());
                memory.extend((0..together as i16).step_by(lanes.into()).map(part));
                first += together;
            }
            memory
        }
        Some(count) => {
            let there = writer.elements_of_first(count, ty.length, group.count as u64, group.missing as u64);
            let together = machine.lanes_moved_at_once(size as u64, all as u64);
            let mut memory = Vec::new();
            for first in (0..all).step_by(together.into()) {
                let mask = writer.first_lanes_from(there, first as u64, together);
                let pointer = writer.offset(pointer, first * size);
                let loaded = writer.emit(Op::Load { pointer, mask: Some(mask) }, ty.with_length(together));
                let register = |k: i16| writer.shuffle([loaded, loaded], (k..k + i16::from(lanes)).collect());
                memory.extend((0..i16::from(together)).step_by(lanes.into()).map(register));
            }
            memory.truncate((all / i64::from(lanes)) as usize);
            memory
        }
    };
    let mut in_place: Option<Vec<Value>> = None;
    for &(k, place) in &group.members {
        let loaded = writer.function.insts[streams[k].inst.0 as usize].results[0];
        if let Some(extensions) = extensions.get(&loaded).filter(|_| streams[k].ty == ty) {
            for extension in extensions {
                let value = writer.extended(&memory, extension, ty, group.count as u64, place as u64);
                same.insert(extension.result, value);
            }
            continue;
        }
        let separated = in_place.get_or_insert_with(|| separated(&mut writer, machine, ty, &memory, group.count as usize));
        let mut value = separated[place as usize];
        if streams[k].ty != ty {
            value = writer.emit(Op::Convert(ConvertOp::Bits, value), streams[k].ty);
        }
        same.insert(loaded, value);
    }
    code
}

impl Writer<'_> {
    /// Of each record of `count` elements, the element at a place as a number of the record's size: a shift, a mask, or both.
    fn extended(&mut self, memory: &[Value], extension: &Extension, ty: Type, count: u64, place: u64) -> Value {
        let to = self.function.ty(extension.result);
        let whole = to.with_element(Element::integer(to.element.size()).expect("a number has 2, 4 or 8 bytes"));
        // Short vectors may have a part of a record each; two records are a vector.
        let together = (2 * count as usize).div_ceil(usize::from(self.function.ty(memory[0]).length));
        let records = |this: &mut Self, parts: &[Value]| {
            let part = this.concatenated(parts.to_vec());
            let lanes = this.function.ty(part).length / count as u8;
            this.emit(Op::Reinterpret(part), whole.with_length(lanes))
        };
        let parts = memory.chunks(together).map(|parts| records(self, parts)).collect();
        let all = self.concatenated(parts);
        let bits = u64::from(ty.element.bits());
        let (below, above) = (bits * place, bits * (count - 1 - place));
        let shifted = |this: &mut Self, op: BinaryOp, value: Value, by: u64| {
            if by == 0 {
                return value;
            }
            let by = this.emit(Op::Const(vec![by]), whole);
            this.emit(Op::Binary(op, value, by), whole)
        };
        let mut value;
        if matches!(extension.op, ConvertOp::SExt | ConvertOp::SToF) {
            value = shifted(self, BinaryOp::Shl, all, above);
            value = shifted(self, BinaryOp::AShr, value, below + above);
        } else {
            value = shifted(self, BinaryOp::LShr, all, below);
            if above > 0 {
                let mask = self.emit(Op::Const(vec![u64::MAX >> (64 - bits)]), whole);
                value = self.emit(Op::Binary(BinaryOp::And, value, mask), whole);
            }
        }
        // What was extended without a sign has none as a number with one.
        if to.element.is_float() { self.emit(Op::Convert(ConvertOp::SToF, value), to) } else { value }
    }

    /// How many elements the first `count` lanes of at most `length` have, each `elements`, of which the last lane misses some.
    pub(super) fn elements_of_first(&mut self, count: Value, length: u8, elements: u64, missing: u64) -> Value {
        let ty = Type::scalar(Element::I32);
        let mut lanes = count;
        let (least, most) = range(self.function, count);
        if least < 0 || most > length.into() {
            let length = self.emit(Op::Const(vec![length.into()]), ty);
            lanes = self.emit(Op::Binary(BinaryOp::UMin, count, length), ty);
        }
        let elements = self.emit(Op::Const(vec![elements]), ty);
        let all = self.emit(Op::Binary(BinaryOp::Mul, lanes, elements), ty);
        self.less(all, missing)
    }

    /// The mask of those lanes that are among the first `count` elements, of lanes from element `first` on.
    pub(super) fn first_lanes_from(&mut self, count: Value, first: u64, length: u8) -> Value {
        let behind = self.less(count, first);
        self.emit(Op::FirstLanes(behind), Type::new(Element::Bool, length))
    }

    /// A number without a sign less another one, at least 0.
    fn less(&mut self, count: Value, by: u64) -> Value {
        if by == 0 {
            return count;
        }
        let ty = Type::scalar(Element::I32);
        let by = self.emit(Op::Const(vec![by]), ty);
        self.emit(Op::Binary(BinaryOp::USubSat, count, by), ty)
    }
}
