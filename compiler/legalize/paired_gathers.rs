//! Two gathers of neighbours are one gather of pairs.
//!
//! ```text
//! x = gather (ptrindex a, i)                 w = gather (ptrindex a, i): i64×8
//! y = gather (ptrindex a, i + 1)     ──►     v = reinterpret w: f32×16
//!                                            x = shuffle v, [0, 2, 4, 6, …]
//!                                            y = shuffle v, [1, 3, 5, 7, …]
//! ```
//! A processor gathers element by element, whatever their size, so that half of the work is left. What interpolates reads neighbours: tables,
//! grids, textures, images. Only gathers of all lanes are joined, in one block: of 32 bits where the machine gathers 64, and of 8 and 16 bits, which are loaded
//! lane by lane. The second one is read where the first one stands: nothing between them may write what it reads, or decide that it is not read.

use crate::machine::Machine;
use crate::optimize::addresses::Address;
use crate::optimize::alias::may_write;
use crate::optimize::{Surroundings, common_values};
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// An address is compared with so many gathers in front of it.
const MOST_OPEN: usize = 32;

/// A gather of all lanes.
struct Gather {
    inst: Inst,
    pointers: Value,
    address: Address,
    ty: Type,
}

/// Joins the gathers of a function that take neighbours.
pub fn paired_gathers(function: &mut Function, around: Surroundings<'_>) {
    let is_one = |inst: &&Inst| Gather::of(function, around.machine, **inst).is_some();
    if function.blocks.iter().all(|block| block.insts.iter().filter(is_one).count() < 2) {
        return;
    }
    // Constants, too, are to be one value.
    common_values(function);
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    for block in 0..function.blocks.len() {
        let mut pairs = pairs(function, around.machine, block);
        if pairs.is_empty() {
            continue;
        }
        let seconds: Vec<Inst> = pairs.values().map(|(_, second)| second.inst).collect();
        let mut out = Vec::new();
        for inst in std::mem::take(&mut function.blocks[block].insts) {
            match pairs.remove(&inst) {
                Some((first, second)) => join(function, &mut out, &first, &second, &mut same),
                None if seconds.contains(&inst) => {}
                None => out.push(inst),
            }
        }
        function.blocks[block].insts = out;
    }
    function.replace_uses(&same);
}

/// The gathers of a block that have a neighbour behind them, with that.
fn pairs(function: &Function, machine: &Machine, block: usize) -> FxHashMap<Inst, (Gather, Gather)> {
    let mut pairs = FxHashMap::default();
    let mut open: Vec<Gather> = Vec::new();
    for &inst in &function.blocks[block].insts {
        let op = &function.insts[inst.0 as usize].op;
        match op {
            Op::Check { .. } | Op::Call(..) => open.clear(),
            op if op.has_effect() => open.retain(|gather| !may_write(function, op, gather.pointers)),
            _ => {}
        }
        let Some(gather) = Gather::of(function, machine, inst) else { continue };
        match open.iter().position(|other| other.ty == gather.ty && other.distance(&gather).is_some()) {
            Some(at) => drop(pairs.insert(open[at].inst, (open.remove(at), gather))),
            None => open.push(gather),
        }
        if open.len() > MOST_OPEN {
            open.remove(0);
        }
    }
    pairs
}

impl Gather {
    /// Of elements that are gathered two at a time.
    fn of(function: &Function, machine: &Machine, inst: Inst) -> Option<Gather> {
        let data = &function.insts[inst.0 as usize];
        let Op::Gather { pointers, mask: None, object } = data.op else { return None };
        let ty = function.ty(data.results[0]);
        let is_taken = match ty.element.size() {
            // Words around them are gathered where there are any.
            1 | 2 => ty.length > 1 && ty.element != Element::Bool && object.is_none(),
            4 => machine.gather.is_some_and(|gather| gather.takes(8, ty.length)),
            _ => false,
        };
        let has_room = 2 * usize::from(ty.length) <= usize::from(Type::MOST_LANES);
        (is_taken && has_room).then(|| Gather { inst, pointers, address: Address::of(function, pointers), ty })
    }

    fn size(&self) -> i64 {
        self.ty.element.size() as i64
    }

    /// How far another one is behind this one, if the two are neighbours in each lane.
    fn distance(&self, other: &Gather) -> Option<i64> {
        self.address.distance(&other.address).filter(|bytes| bytes.abs() == self.size())
    }
}

/// Both as one, where the first one stands.
fn join(function: &mut Function, out: &mut Vec<Inst>, first: &Gather, second: &Gather, same: &mut FxHashMap<Value, Value>) {
    let is_first = first.distance(second) == Some(first.size());
    let span = function.insts[first.inst.0 as usize].span;
    let mut writer = Writer { function, out, span };
    let pointers = writer.offset_lanes(first.pointers, if is_first { 0 } else { -first.size() });
    let ty = first.ty;
    let word = Element::integer(2 * ty.element.size()).expect("of 2, 4 or 8 bytes");
    let words = writer.emit(Op::Gather { pointers, mask: None, object: None }, ty.with_element(word));
    let parts = writer.emit(Op::Reinterpret(words), ty.with_length(2 * ty.length));
    for (gather, place) in [(first, i16::from(!is_first)), (second, i16::from(is_first))] {
        let half = writer.shuffle([parts, parts], (0..i16::from(ty.length)).map(|lane| 2 * lane + place).collect());
        same.insert(writer.function.insts[gather.inst.0 as usize].results[0], half);
    }
}
