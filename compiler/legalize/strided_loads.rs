//! Lanes at a constant distance are picked from whole registers, or gathered.
//!
//! ```text
//! v = stridedload p, stride 8        ──►     a = load p: f32×4;  b = load p + 12: f32×4
//!                                            v = shuffle a, b, [0, 2, 5, 7]
//! ```
//! Registers are loaded where the distance is a few elements. No byte is read that is not known to be there: those between the first and the
//! last lane, and the rest of the objects that the outer lanes lie in. The last register is moved back so that it ends where that does. Where
//! the objects are whole records one after another, loading starts with the first record, so that its members are picked from the same
//! registers: three loads for all of `x`, `y` and `z`.
//!
//! Under a mask, registers are loaded if all lanes are on, else the lanes are gathered:
//!
//! ```text
//! v = stridedload p, stride 8, mask m        branch (all m), whole, lanes
//!                                    ──►     whole:  a = load p …   jump behind(shuffle a, b, …)
//!                                            lanes:  g = gather (ptrindex p, [0, 2, 4, 6]), mask m   jump behind(g)
//!                                            behind(v):
//! ```

use crate::machine::Machine;
use crate::optimize::Surroundings;
use crate::source::Span;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// Takes the strided loads of a function apart.
pub fn strided_loads(function: &mut Function, around: Surroundings<'_>) {
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    let blocks = function.blocks.len();
    let mut block = 0;
    // Where a block is cut, what is behind the cut is a new block.
    while block < function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for (at, &inst) in insts.iter().enumerate() {
            let Some(load) = Strided::of(function, inst, around.machine) else {
                out.push(inst);
                continue;
            };
            let span = function.insts[inst.0 as usize].span;
            if let Some(mask) = load.mask.filter(|_| load.is_dense()) {
                let all = Writer { function, out: &mut out, span }.emit(Op::All(mask), Type::scalar(Element::Bool));
                let whole = arm(function, span, |writer| load.registers(writer));
                let lanes = arm(function, span, |writer| load.gather(writer));
                cut(function, Block(block as u32), inst, &insts[at + 1..], all, [whole, lanes]);
                break;
            }
            let mut writer = Writer { function, out: &mut out, span };
            let loaded = if load.is_dense() { load.registers(&mut writer) } else { load.gather(&mut writer) };
            same.insert(function.insts[inst.0 as usize].results[0], loaded);
        }
        function.blocks[block].insts = out;
        block += 1;
    }
    if function.blocks.len() > blocks {
        function.sort_blocks();
    }
    function.replace_uses(&same);
}

/// What computes a value, and the value.
type Arm = (Vec<Inst>, Value);

fn arm(function: &mut Function, span: Span, write: impl FnOnce(&mut Writer<'_>) -> Value) -> Arm {
    let mut code = Vec::new();
    let value = write(&mut Writer { function, out: &mut code, span });
    (code, value)
}

/// Ends a block where `inst` stands: it goes to the first arm if the condition holds, else to the second, and both to a new block with what
/// stood behind, whose parameter is the instruction's result.
fn cut(function: &mut Function, block: Block, inst: Inst, behind: &[Inst], condition: Value, arms: [Arm; 2]) {
    let end = function.cut(block, inst, behind);
    let [first, second] = [0, 1].map(|k| Block(function.blocks.len() as u32 + k));
    for (code, value) in arms {
        let terminator = Terminator::Jump(Target { block: end, arguments: vec![value] });
        function.blocks.push(BlockData { parameters: Vec::new(), insts: code, terminator });
    }
    let to = |block| Target { block, arguments: Vec::new() };
    function.blocks[block.0 as usize].terminator = Terminator::Branch { condition, then: to(first), otherwise: to(second) };
}

/// A load of lanes at a distance.
struct Strided<'m> {
    pointer: Value,
    /// Bytes.
    stride: i64,
    /// `None` where all lanes are on.
    mask: Option<Value>,
    object: Option<Object>,
    ty: Type,
    machine: &'m Machine,
}

impl<'m> Strided<'m> {
    fn of(function: &Function, inst: Inst, machine: &'m Machine) -> Option<Self> {
        let data = &function.insts[inst.0 as usize];
        let Op::StridedLoad { pointer, stride, mask, object } = data.op else { return None };
        let mask = mask.filter(|&mask| !function.has_all_lanes(mask));
        Some(Strided { pointer, stride, mask, object, ty: function.ty(data.results[0]), machine })
    }

    /// Are whole registers better than single lanes?
    fn is_dense(&self) -> bool {
        let elements = self.stride.unsigned_abs() / self.ty.element.size();
        self.ty.length > 2 && (1..=self.machine.dense_stride).contains(&elements)
    }

    /// p + k·stride for each lane k, as an index that gathers recognise.
    fn gather(&self, writer: &mut Writer<'_>) -> Value {
        let size = self.ty.element.size();
        let elements = self.stride / size as i64;
        let is_short = i32::try_from(elements.saturating_mul(self.ty.length.into())).is_ok();
        let (element, bits) = if is_short { (Element::I32, u32::MAX.into()) } else { (Element::I64, u64::MAX) };
        let lanes = (0..i64::from(self.ty.length)).map(|lane| (lane * elements) as u64 & bits).collect();
        let index = writer.emit(Op::Const(lanes), self.ty.with_element(element));
        let pointers = Op::PtrIndex { base: self.pointer, index, scale: size, offset: 0 };
        let pointers = writer.emit(pointers, self.ty.with_element(Element::Ptr));
        writer.emit(Op::Gather { pointers, mask: self.mask, object: self.object }, self.ty)
    }

    /// A register's worth of lanes at a time. Between the lanes of `bool` may be other bytes.
    fn registers(&self, writer: &mut Writer<'_>) -> Value {
        let is_bool = self.ty.element == Element::Bool;
        let ty = if is_bool { self.ty.with_element(Element::I8) } else { self.ty };
        let most = self.machine.lanes(ty.element.size()).min(ty.length);
        let parts = ty.length / most;
        let parts: Vec<Value> = (0..parts).map(|k| self.part(writer, k, parts, ty.with_length(most))).collect();
        let all = writer.concatenated(parts);
        if !is_bool {
            return all;
        }
        let zero = writer.emit(Op::Const(vec![0]), ty);
        writer.emit(Op::Compare(CompareOp::Ne, all, zero), self.ty)
    }

    /// Part `k` of the lanes, at most a register of them. Counts are of elements, from the lane at the lowest address on.
    fn part(&self, writer: &mut Writer<'_>, k: u8, parts: u8, ty: Type) -> Value {
        let size = ty.element.size();
        let (length, distance) = (u64::from(ty.length), self.stride.unsigned_abs() / size);
        let has_lanes_above = if self.stride < 0 { k > 0 } else { k + 1 < parts };
        // From the pointer.
        let lowest = self.stride * (i64::from(k) * length as i64 + if self.stride < 0 { length as i64 - 1 } else { 0 });
        let records = self.object.filter(|object| {
            let starts_inside = object.offset.is_multiple_of(size) && object.offset / size < distance;
            starts_inside && object.size >= distance * size
        });
        // Where reading starts, the place of the lowest lane from there, how much is needed, and what may follow.
        let (start, lead, needed, behind) = match records {
            Some(record) => (lowest - record.offset as i64, record.offset / size, distance * length, 0),
            None => {
                let rest = self.object.map_or(0, |object| object.size.saturating_sub(object.offset + size)) / size;
                let above = if has_lanes_above { distance } else { 0 };
                (lowest, 0, distance * (length - 1) + 1, rest.max(above))
            }
        };
        let pieces = needed.div_ceil(length);
        // Not less than a register is needed, so that moving a piece back never takes it before the start.
        let place_of_piece = |piece: u64| (piece * length).min(needed + behind - length);
        let load = |piece| {
            let pointer = writer.offset(self.pointer, start + (place_of_piece(piece) * size) as i64);
            writer.emit(Op::Load { pointer, mask: None }, ty)
        };
        let pieces: Vec<Value> = (0..pieces).map(load).collect();
        let source = |lane: u64| {
            let element = lead + distance * if self.stride < 0 { length - 1 - lane } else { lane };
            let piece = (element / length).min(pieces.len() as u64 - 1);
            (piece as usize, (element - place_of_piece(piece)) as i16)
        };
        let sources: Vec<(usize, i16)> = (0..length).map(source).collect();
        picked(writer, &pieces, &sources)
    }
}

/// Lanes of vectors of one length: for each, which vector it is from, and its place there.
fn picked(writer: &mut Writer<'_>, from: &[Value], sources: &[(usize, i16)]) -> Value {
    let length = i16::from(writer.function.ty(from[0]).length);
    let half = from.len().next_power_of_two() / 2;
    if from.len() <= 2 {
        let lanes = sources.iter().map(|&(vector, lane)| vector as i16 * length + lane).collect();
        return writer.shuffle([from[0], from[from.len() - 1]], lanes);
    }
    // Who sees one shuffle finds the instructions for it; of a tree of them LLVM keeps the tree.
    if 2 * half * length as usize <= usize::from(Type::MOST_LANES) {
        let mut all = from.to_vec();
        all.resize(2 * half, from[from.len() - 1]);
        let all = writer.concatenated(all);
        let lanes = sources.iter().map(|&(vector, lane)| vector as i16 * length + lane).collect();
        return writer.shuffle([all, all], lanes);
    }
    // Lanes of the other half are whatever is there.
    let of_low: Vec<_> = sources.iter().map(|&(vector, lane)| if vector < half { (vector, lane) } else { (0, lane) }).collect();
    let of_high: Vec<_> = sources.iter().map(|&(vector, lane)| (vector.saturating_sub(half), lane)).collect();
    let low = picked(writer, &from[..half], &of_low);
    let (high, is_picked) = match from[half..] {
        [only] => (only, false),
        ref others => (picked(writer, others, &of_high), true),
    };
    let place = |(k, &(vector, lane)): (i16, &(usize, i16))| match vector < half {
        true => k,
        false => length + if is_picked { k } else { lane },
    };
    let lanes = (0..).zip(sources).map(place).collect();
    writer.shuffle([low, high], lanes)
}
