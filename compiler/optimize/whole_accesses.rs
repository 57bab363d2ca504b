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
//! promises to be there, looked at or not (language.md §4). Nobody sees that a lane that is off is written as it was, if nobody else may write there: it is a
//! slot of the function, or an array of an export, which is the export's own while it runs, outside of parts of parallel loops.

use super::addresses::Address;
use super::alias::{base, may_write};
use super::jammed_loops::{Access, without_constant};
use super::surroundings::Surroundings;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;

/// So many instructions in front of an access are looked at for another one of the same place.
const DISTANCE: usize = 256;

/// Rewrites the accesses of a function.
pub fn whole_accesses(function: &mut Function, around: Surroundings<'_>) {
    let is_asked = |function: &Function, inst: Inst| {
        let ty = match function.insts[inst.0 as usize] {
            InstData { op: Op::Load { mask: Some(_), .. }, ref results, .. } => function.ty(results[0]),
            InstData { op: Op::Store { value, mask: Some(_), streaming: false, .. }, .. } => function.ty(value),
            // Members of records are taken apart without a mask, or with one of the first lanes.
            InstData { op: Op::StridedLoad { mask: Some(mask), object: Some(_), .. }, .. } => {
                return !matches!(function.definition(mask), Some(Op::FirstLanes(_)));
            }
            _ => return false,
        };
        ty.length > 1 && ty.element != Element::Bool && !around.machine.has_masked_moves(ty.element.size(), ty.length)
    };
    if !function.blocks.iter().flat_map(|block| &block.insts).any(|&inst| is_asked(function, inst)) {
        return;
    }
    let graph = Graph::new(function);
    for &block in &graph.order {
        let mut at = 0;
        while at < function.blocks[block.0 as usize].insts.len() {
            let inst = function.blocks[block.0 as usize].insts[at];
            if is_asked(function, inst) {
                if let Some(whole) = Whole::of(function, &graph, block, at) {
                    at += whole.write(function, block, at);
                } else if let Some(there) = record(function, &graph, block, at) {
                    at += write_member(function, block, at, there);
                }
            }
            at += 1;
        }
    }
}

/// An access of memory that is there.
struct Whole {
    pointer: Value,
    ty: Type,
    /// The lanes that do anything.
    mask: Value,
    /// The lanes that are there, the first ones; all where absent.
    there: Option<Value>,
    /// What lies there.
    known: Option<Value>,
}

impl Whole {
    fn of(function: &Function, graph: &Graph, block: Block, at: usize) -> Option<Whole> {
        let inst = function.blocks[block.0 as usize].insts[at];
        let (pointer, ty, mask, is_store) = match function.insts[inst.0 as usize] {
            InstData { op: Op::Load { pointer, mask }, ref results, .. } => (pointer, function.ty(results[0]), mask?, false),
            InstData { op: Op::Store { pointer, value, mask, .. }, .. } => (pointer, function.ty(value), mask?, true),
            _ => return None,
        };
        if is_store && !is_own(function, pointer) {
            return None;
        }
        let firsts = first_lanes(function, mask);
        // A run of lanes needs nothing.
        if firsts.contains(&mask) {
            return None;
        }
        let (there, known) = lies_there(function, graph, (block, at), pointer, ty, &firsts)?;
        Some(Whole { pointer, ty, mask, there, known })
    }

    /// Rewrites the access; how many instructions were put in front.
    fn write(&self, function: &mut Function, block: Block, at: usize) -> usize {
        let inst = function.blocks[block.0 as usize].insts[at];
        let mut out = Vec::new();
        let span = function.insts[inst.0 as usize].span;
        let mut writer = Writer { function, out: &mut out, span };
        let there = self.known.unwrap_or_else(|| writer.emit(Op::Load { pointer: self.pointer, mask: self.there }, self.ty));
        match writer.function.insts[inst.0 as usize].op {
            Op::Store { pointer, value, streaming, .. } => {
                let value = writer.emit(Op::Select(self.mask, value, there), self.ty);
                writer.function.insts[inst.0 as usize].op = Op::Store { pointer, value, mask: self.there, streaming };
            }
            _ => {
                let zero = writer.emit(Op::Const(vec![0]), self.ty);
                writer.function.insts[inst.0 as usize].op = Op::Select(self.mask, there, zero);
            }
        }
        let count = out.len();
        function.blocks[block.0 as usize].insts.splice(at..at, out);
        count
    }
}

/// The lanes that are there of a place that is accessed at a place in a block, all or some first ones, and what is known to lie there.
pub(super) fn lies_there(
    function: &Function,
    graph: &Graph,
    (block, at): (Block, usize),
    pointer: Value,
    ty: Type,
    firsts: &[Value],
) -> Option<(Option<Value>, Option<Value>)> {
    accessed(function, graph, block, at, pointer, ty, firsts).or_else(|| {
        let covers = [None].into_iter().chain(firsts.iter().map(|&first| Some(first)));
        let is_there = |mask: &Option<Value>| {
            // A number of elements less some may wrap: then the loop goes on behind all of them, where the program itself is.
            match (Access { block, pointer, ty, mask: *mask }).promised(function, graph) {
                Some(0) => true,
                Some(_) => is_beside_another(function, graph, block, at, pointer),
                None => false,
            }
        };
        covers.into_iter().find(is_there).map(|there| (there, None))
    })
}

/// The masks of first lanes that a mask is a part of.
fn first_lanes(function: &Function, mask: Value) -> Vec<Value> {
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
fn is_own(function: &Function, pointer: Value) -> bool {
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
    mut block: Block,
    mut at: usize,
    pointer: Value,
    ty: Type,
    firsts: &[Value],
) -> Option<(Option<Value>, Option<Value>)> {
    let mut is_written = false;
    for _ in 0..DISTANCE {
        while at == 0 {
            let [before] = graph.predecessors[block.0 as usize][..] else { return None };
            block = before;
            at = function.blocks[block.0 as usize].insts.len();
        }
        at -= 1;
        let InstData { op, results, .. } = &function.insts[function.blocks[block.0 as usize].insts[at].0 as usize];
        let is_covered = |mask: &Option<Value>| mask.is_none_or(|mask| firsts.contains(&mask));
        match op {
            Op::Load { pointer: p, mask } if *p == pointer && function.ty(results[0]) == ty && is_covered(mask) => {
                return Some((*mask, Some(results[0]).filter(|_| !is_written)));
            }
            Op::Store { pointer: p, value, mask, .. } if *p == pointer && function.ty(*value) == ty && is_covered(mask) => {
                return Some((*mask, Some(*value).filter(|_| !is_written && mask.is_none())));
            }
            // What may be given back is not there behind it.
            other if other.has_effect() && !is_access(other) => return None,
            other => is_written |= may_write(function, other, pointer),
        }
    }
    None
}

/// Is an element of the same array at the same index, wherever that is from there, accessed before in all lanes?
fn is_beside_another(function: &Function, graph: &Graph, mut block: Block, mut at: usize, pointer: Value) -> bool {
    let place = |pointer: Value| match function.definition(pointer) {
        Some(&Op::PtrIndex { base, index, scale, .. }) => Some((base, without_constant(function, index).0, scale)),
        _ => None,
    };
    for _ in 0..DISTANCE {
        while at == 0 {
            let [before] = graph.predecessors[block.0 as usize][..] else { return false };
            block = before;
            at = function.blocks[block.0 as usize].insts.len();
        }
        at -= 1;
        match function.insts[function.blocks[block.0 as usize].insts[at].0 as usize].op {
            Op::Load { pointer: p, mask: None } | Op::Store { pointer: p, mask: None, .. } if place(p) == place(pointer) => {
                return place(p).is_some();
            }
            _ => {}
        }
    }
    false
}

/// The lanes in which the records are there whose members a load takes under a mask: another member of each was loaded before. All where it is `None` inside.
pub(super) fn record(function: &Function, graph: &Graph, mut block: Block, mut at: usize) -> Option<Option<Value>> {
    let part = |block: Block, at: usize| {
        let InstData { op, results, .. } = &function.insts[function.blocks[block.0 as usize].insts[at].0 as usize];
        match *op {
            Op::StridedLoad { pointer, stride, mask, object: Some(object) } => {
                Some((pointer, stride, mask, object, function.ty(results[0]).length))
            }
            _ => None,
        }
    };
    let (pointer, stride, mask, object, length) = part(block, at)?;
    let (address, firsts) = (Address::of(function, pointer), mask.map_or(Vec::new(), |mask| first_lanes(function, mask)));
    for _ in 0..DISTANCE {
        while at == 0 {
            let [before] = graph.predecessors[block.0 as usize][..] else { return None };
            block = before;
            at = function.blocks[block.0 as usize].insts.len();
        }
        at -= 1;
        if let Some((other, other_stride, there, other_object, other_length)) = part(block, at)
            && (stride, object.size, length) == (other_stride, other_object.size, other_length)
            && there.is_none_or(|mask| firsts.contains(&mask))
            && Address::of(function, other).distance(&address) == Some(object.offset as i64 - other_object.offset as i64)
        {
            return Some(there);
        }
        let op = &function.insts[function.blocks[block.0 as usize].insts[at].0 as usize].op;
        if op.has_effect() && !is_access(op) {
            return None;
        }
    }
    None
}

/// Loads a member in all lanes that are there; how many instructions were put in front.
fn write_member(function: &mut Function, block: Block, at: usize, there: Option<Value>) -> usize {
    let inst = function.blocks[block.0 as usize].insts[at];
    let InstData { op, results, span } = &function.insts[inst.0 as usize];
    let (Op::StridedLoad { pointer, stride, mask: Some(mask), object }, ty, span) = (op.clone(), function.ty(results[0]), *span)
    else {
        unreachable!("it was looked at")
    };
    let mut out = Vec::new();
    let mut writer = Writer { function, out: &mut out, span };
    let loaded = writer.emit(Op::StridedLoad { pointer, stride, mask: there, object }, ty);
    let zero = writer.emit(Op::Const(vec![0]), ty);
    function.insts[inst.0 as usize].op = Op::Select(mask, loaded, zero);
    let count = out.len();
    function.blocks[block.0 as usize].insts.splice(at..at, out);
    count
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
