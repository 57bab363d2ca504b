//! Gathers and scatters that the machine has no instruction for go lane by lane.
//!
//! ```text
//! v = gather p, mask m: f32×4      ──►     q = select m, p, splat (nowhere read)
//!                                          v = [load q[0], load q[1], load q[2], load q[3]]
//! scatter p, v, mask m: f32×4      ──►     q = select m, p, splat (nowhere write)
//!                                          store q[0], v[0] …  store q[3], v[3]
//! ```
//! Where all lanes are on, and a lane's address is that of an element whose index was loaded, or is a narrow number made wider, the index of each lane is loaded or taken
//! by itself: then no addresses of lanes are computed in vectors, only to be taken apart.
//!
//! No branches are taken: a lane that is off reads eight zero bytes or writes where nobody looks. A vector of many lanes of which some may be off
//! takes a loop over those that are on, in ascending order, whose addresses and values are in memory:
//!
//! ```text
//! v = gather p, mask m: i8×32      ──►     store addresses, p;  store values, zeros;  jump head(maskbits m)
//!                                          head(rest):  branch rest ≠ 0, lane, behind
//!                                          lane:        k = ctz rest;  store values[k], (load addresses[k]);  jump head(rest & (rest − 1))
//!                                          behind:      v = load values
//! ```

use crate::machine::Machine;
use crate::optimize::Surroundings;
use crate::source::Span;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashSet;

/// Vectors of at most this length are taken apart lane by lane; longer ones in a loop where lanes may be off.
const UNROLLED_LANES: u8 = 16;

/// A load stands so many instructions in front of a gather of its lanes at most, so that long blocks take linear time.
const NEAR: usize = 64;

const POINTER: Type = Type::scalar(Element::Ptr);
const BITS: Type = Type::scalar(Element::I64);

/// Takes the gathers and scatters of a function apart that are no instructions.
pub fn single_lanes(function: &mut Function, around: Surroundings<'_>) {
    let blocks = function.blocks.len();
    let mut block = 0;
    // Where a block is cut, what is behind the cut is a new block.
    while block < function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for (at, &inst) in insts.iter().enumerate() {
            let Some(lanes) = Lanes::of(function, inst, around.machine) else {
                out.push(inst);
                continue;
            };
            let behind = &insts[at + 1..];
            let place = Place { block: Block(block as u32), inst, behind, span: function.insts[inst.0 as usize].span };
            match lanes.mask {
                Some(mask) if lanes.ty.length == 1 => lanes.branch(function, &mut out, &place, mask),
                Some(mask) if lanes.ty.length > UNROLLED_LANES => lanes.in_loop(function, &mut out, &place, mask, around.machine),
                Some(_) | None => {
                    let unchanged = lanes.unchanged(function, &out);
                    let mut writer = Writer { function, out: &mut out, span: place.span };
                    let pointers = lanes.safe_pointers(&mut writer);
                    if let Some(op) = lanes.one_by_one(&mut writer, pointers, &unchanged) {
                        function.insts[inst.0 as usize].op = op;
                        out.push(inst);
                    }
                    continue;
                }
            }
            break;
        }
        function.blocks[block].insts = out;
        block += 1;
    }
    if function.blocks.len() > blocks {
        function.sort_blocks();
    }
}

/// Where an access stands.
struct Place<'a> {
    block: Block,
    inst: Inst,
    /// What stands behind it in its block.
    behind: &'a [Inst],
    span: Span,
}

/// An access of lanes anywhere.
struct Lanes {
    pointers: Value,
    /// What is written; `None` of a gather.
    value: Option<Value>,
    /// `None` where all lanes are on.
    mask: Option<Value>,
    /// Of the lanes.
    ty: Type,
    /// As they are in memory.
    stored: Type,
}

impl Lanes {
    /// Those that the machine has no instruction for.
    fn of(function: &Function, inst: Inst, machine: &Machine) -> Option<Lanes> {
        let data = &function.insts[inst.0 as usize];
        let (pointers, value, mask, ty, reach) = match data.op {
            Op::Gather { pointers, mask, object: _ } => (pointers, None, mask, function.ty(data.results[0]), machine.gather),
            Op::Scatter { pointers, value, mask } => (pointers, Some(value), mask, function.ty(value), machine.scatter),
            _ => return None,
        };
        if reach.is_some_and(|reach| reach.takes(ty.element.size(), ty.length)) {
            return None;
        }
        let stored = if ty.element == Element::Bool { ty.with_element(Element::I8) } else { ty };
        Some(Lanes { pointers, value, mask: mask.filter(|&mask| !function.has_all_lanes(mask)), ty, stored })
    }

    /// What a gather may load once more, lane by lane: nothing was written since. What a scatter writes may be that.
    fn unchanged(&self, function: &Function, before: &[Inst]) -> FxHashSet<Value> {
        if self.mask.is_some() || self.value.is_some() {
            return FxHashSet::default();
        }
        let near = before.iter().rev().take(NEAR).map(|inst| &function.insts[inst.0 as usize]);
        let loads = near.take_while(|data| !data.op.has_effect()).filter(|data| matches!(data.op, Op::Load { mask: None, .. }));
        loads.flat_map(|data| data.results.iter().copied()).collect()
    }

    fn access(&self) -> Access {
        if self.value.is_some() { Access::Write } else { Access::Read }
    }

    /// Addresses that every lane may access.
    fn safe_pointers(&self, writer: &mut Writer<'_>) -> Value {
        let Some(mask) = self.mask else { return self.pointers };
        let ty = self.ty.with_element(Element::Ptr);
        let nowhere = writer.emit(Op::Nowhere(self.access()), POINTER);
        let nowhere = writer.emit(Op::Splat(nowhere), ty);
        writer.emit(Op::Select(mask, self.pointers, nowhere), ty)
    }

    /// One lane after the other; what the gather becomes.
    fn one_by_one(&self, writer: &mut Writer<'_>, pointers: Value, unchanged: &FxHashSet<Value>) -> Option<Op> {
        let Some(value) = self.value else {
            let loaded = self.load_each(writer, pointers, unchanged);
            return Some(self.as_value(writer, loaded));
        };
        let value = self.as_stored(writer, value);
        for lane in 0..self.ty.length {
            let value = extracted(writer, value, lane, self.stored);
            let pointer = pointer_of(writer, pointers, lane, unchanged);
            writer.effect(Op::Store { pointer, value, mask: None, streaming: false });
        }
        None
    }

    /// The lanes as they are in memory, but for the last operation.
    fn load_each(&self, writer: &mut Writer<'_>, pointers: Value, unchanged: &FxHashSet<Value>) -> Op {
        let one = self.stored.with_length(1);
        if self.ty.length == 1 {
            return Op::Load { pointer: pointers, mask: None };
        }
        let mut all = writer.emit(Op::Const(vec![0]), self.stored);
        for lane in 0..self.ty.length {
            let pointer = pointer_of(writer, pointers, lane, unchanged);
            let value = writer.emit(Op::Load { pointer, mask: None }, one);
            let place = writer.emit(Op::Const(vec![lane.into()]), Type::scalar(Element::I32));
            let op = Op::Insert(all, value, place);
            if lane + 1 == self.ty.length {
                return op;
            }
            all = writer.emit(op, self.stored);
        }
        unreachable!("there is a last lane")
    }

    /// What was read becomes a value: bytes become bits.
    fn as_value(&self, writer: &mut Writer<'_>, loaded: Op) -> Op {
        if self.stored == self.ty {
            return loaded;
        }
        let loaded = writer.emit(loaded, self.stored);
        let zero = writer.emit(Op::Const(vec![0]), self.stored);
        Op::Compare(CompareOp::Ne, loaded, zero)
    }

    /// A value as it is written: bits become bytes.
    fn as_stored(&self, writer: &mut Writer<'_>, value: Value) -> Value {
        if self.stored == self.ty { value } else { writer.emit(Op::Convert(ConvertOp::ZExt, value), self.stored) }
    }

    /// A scalar is accessed if its bit is set.
    fn branch(&self, function: &mut Function, out: &mut Vec<Inst>, place: &Place<'_>, mask: Value) {
        let end = function.cut(place.block, place.inst, place.behind);
        let (mut on, mut off) = (Vec::new(), Vec::new());
        let mut writer = Writer { function, out: &mut on, span: place.span };
        let read = self.one_by_one(&mut writer, self.pointers, &FxHashSet::default()).map(|op| writer.emit(op, self.ty));
        let zero = read.map(|_| Writer { function, out: &mut off, span: place.span }.emit(Op::Const(vec![0]), self.ty));
        let to = |block, value: Option<Value>| Target { block, arguments: value.into_iter().collect() };
        let then = push(function, on, Terminator::Jump(to(end, read)));
        let branch = Terminator::Branch { condition: mask, then: to(then, None), otherwise: to(end, zero) };
        out.append(&mut off);
        function.blocks[place.block.0 as usize].terminator = branch;
    }

    /// A loop over the lanes that are on.
    fn in_loop(&self, function: &mut Function, out: &mut Vec<Inst>, place: &Place<'_>, mask: Value, machine: &Machine) {
        let span = place.span;
        let pointers_type = self.ty.with_element(Element::Ptr);
        let [addresses, values] = [pointers_type, self.stored].map(|ty| slot(function, ty, machine));

        let mut writer = Writer { function, out, span };
        let [addresses, values] = [addresses, values].map(|slot| writer.emit(Op::SlotAddress(slot), POINTER));
        let first = match self.value {
            Some(value) => self.as_stored(&mut writer, value),
            None => writer.emit(Op::Const(vec![0]), self.stored),
        };
        for (pointer, value) in [(addresses, self.pointers), (values, first)] {
            writer.effect(Op::Store { pointer, value, mask: None, streaming: false });
        }
        let bits = writer.emit(Op::MaskBits(mask), BITS);

        let mut code = Vec::new();
        let mut writer = Writer { function, out: &mut code, span };
        let head = Block(writer.function.blocks.len() as u32);
        let rest = Value(writer.function.values.len() as u32);
        writer.function.values.push(ValueData { ty: BITS, def: ValueDef::Parameter(head, 0) });
        let zero = writer.emit(Op::Const(vec![0]), BITS);
        let condition = writer.emit(Op::Compare(CompareOp::Ne, rest, zero), Type::scalar(Element::Bool));
        let to = |block, value: Option<Value>| Target { block, arguments: value.into_iter().collect() };
        let inside = Block(head.0 + 1);
        let behind = Block(head.0 + 2);
        let terminator = Terminator::Branch { condition, then: to(inside, None), otherwise: to(behind, None) };
        function.blocks.push(BlockData { parameters: vec![rest], insts: code, terminator });

        let mut code = Vec::new();
        let mut writer = Writer { function, out: &mut code, span };
        let lane = writer.emit(Op::Unary(UnaryOp::Ctz, rest), BITS);
        let one = self.stored.with_length(1);
        let [there, here] = [(addresses, POINTER), (values, one)]
            .map(|(base, ty)| writer.emit(Op::PtrIndex { base, index: lane, scale: ty.element.size(), offset: 0 }, POINTER));
        let there = writer.emit(Op::Load { pointer: there, mask: None }, POINTER);
        let (from, to_place) = if self.value.is_some() { (here, there) } else { (there, here) };
        let value = writer.emit(Op::Load { pointer: from, mask: None }, one);
        writer.effect(Op::Store { pointer: to_place, value, mask: None, streaming: false });
        let ones = writer.emit(Op::Const(vec![u64::MAX]), BITS);
        let less = writer.emit(Op::Binary(BinaryOp::Add, rest, ones), BITS);
        let less = writer.emit(Op::Binary(BinaryOp::And, rest, less), BITS);
        push(function, code, Terminator::Jump(to(head, Some(less))));

        // What is behind needs no parameter: the result is read there.
        let results = std::mem::take(&mut function.insts[place.inst.0 as usize].results);
        let end = function.cut(place.block, place.inst, place.behind);
        debug_assert!(end == behind, "blocks are made in order");
        function.blocks[place.block.0 as usize].terminator = Terminator::Jump(to(head, Some(bits)));
        let mut code = Vec::new();
        if !results.is_empty() {
            let mut writer = Writer { function, out: &mut code, span };
            let op = self.as_value(&mut writer, Op::Load { pointer: values, mask: None });
            let data = &mut function.insts[place.inst.0 as usize];
            (data.op, data.results) = (op, results);
            code.push(place.inst);
        }
        function.blocks[end.0 as usize].insts.splice(0..0, code);
    }
}

/// The address of a lane.
fn pointer_of(writer: &mut Writer<'_>, pointers: Value, lane: u8, unchanged: &FxHashSet<Value>) -> Value {
    if let Some(&Op::PtrIndex { base, index, scale, offset }) = writer.function.definition(pointers)
        && let Some(base) = writer.function.splatted(base).or(Some(base).filter(|&base| writer.function.ty(base).length == 1))
        && let Some(index) = index_of(writer, index, lane, unchanged)
    {
        return writer.emit(Op::PtrIndex { base, index, scale, offset }, POINTER);
    }
    extracted(writer, pointers, lane, POINTER)
}

/// A lane of numbers that were loaded or made wider; `None` for others.
fn index_of(writer: &mut Writer<'_>, value: Value, lane: u8, unchanged: &FxHashSet<Value>) -> Option<Value> {
    let ty = writer.function.ty(value);
    match *writer.function.definition(value)? {
        _ if ty.length == 1 => None,
        Op::Convert(op @ (ConvertOp::ZExt | ConvertOp::SExt), narrow) if writer.function.ty(narrow).element != Element::Bool => {
            let narrow = match index_of(writer, narrow, lane, unchanged) {
                Some(index) => index,
                None => {
                    let ty = writer.function.ty(narrow);
                    extracted(writer, narrow, lane, ty)
                }
            };
            Some(writer.emit(Op::Convert(op, narrow), ty.with_length(1)))
        }
        Op::Load { pointer, mask: None } if unchanged.contains(&value) => {
            let pointer = writer.offset(pointer, i64::from(lane) * ty.element.size() as i64);
            Some(writer.emit(Op::Load { pointer, mask: None }, ty.with_length(1)))
        }
        _ => None,
    }
}

/// A lane of a vector; a scalar is one.
fn extracted(writer: &mut Writer<'_>, from: Value, lane: u8, ty: Type) -> Value {
    if writer.function.ty(from).length == 1 {
        return from;
    }
    let place = writer.emit(Op::Const(vec![lane.into()]), Type::scalar(Element::I32));
    writer.emit(Op::Extract(from, place), ty.with_length(1))
}

/// Memory for a vector, aligned as registers are.
fn slot(function: &mut Function, ty: Type, machine: &Machine) -> Slot {
    let size = ty.bytes();
    function.slots.push(SlotData { size, alignment: size.min(machine.register_bytes.into()) });
    Slot(function.slots.len() as u32 - 1)
}

/// A new block without parameters.
fn push(function: &mut Function, insts: Vec<Inst>, terminator: Terminator) -> Block {
    function.blocks.push(BlockData { parameters: Vec::new(), insts, terminator });
    Block(function.blocks.len() as u32 - 1)
}
