//! Which slots are written as a whole before anything can be read from them.
//!
//! ```text
//! for (i = 0; i < 4; ++i)                block1(i):  c = compare.slt i, 4
//!     v[i] = 0;                                      branch c, block2(), block3()
//! s = v[k];                              block2():   p = ptrindex slot, i, scale 32      bytes i · 32 and 31 more are set here,
//!                                                    store p, zero
//!                                                    jump block1(i + 1)
//!                                        block3():   q = ptrindex slot, k, scale 32      all 128 of the slot here
//! ```
//! What a block writes is there in all blocks that it dominates. A loop of a constant number of rounds whose counter chooses a
//! part writes all of them, and is left with that. A slot is filled if what is written adds up to it in front of everything that may
//! read: loads, and what else its address is used for but stores and computing addresses.

use super::graph::Graph;
use super::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where something holds: from an instruction of a block on, by its number there.
#[derive(Clone, Copy)]
struct Point {
    block: Block,
    at: usize,
}

/// So many bytes behind an address have been written.
#[derive(Clone, Copy)]
struct Written {
    point: Point,
    base: Value,
    from: i64,
    to: i64,
}

/// A loop over numbers that are constant.
#[derive(Clone, Copy)]
struct Counted {
    header: Block,
    first: i64,
    end: i64,
    /// Where it is left; nothing else leads there.
    exit: Block,
}

/// For each slot: is it filled?
pub fn filled(function: &Function) -> Vec<bool> {
    let size = |slot: usize| function.slots[slot].size as i64;
    if function.slots.is_empty() {
        return Vec::new();
    }
    let graph = Graph::new(function);
    let mut uses = Uses { function, graph: &graph, roots: FxHashMap::default(), written: Vec::new(), read: Vec::new() };
    uses.collect();
    let Uses { written, read, .. } = uses;
    let mut ranges = vec![Vec::new(); function.slots.len()];
    for (slot, written) in written.into_iter().filter_map(|written| in_slot(function, &graph, written)) {
        let own = written.point;
        let precedes =
            |point: &Point| if own.block == point.block { own.at <= point.at } else { graph.dominates(own.block, point.block) };
        if read.iter().filter(|(of, _)| *of == slot).all(|(_, point)| precedes(point)) {
            ranges[slot.0 as usize].push((written.from, written.to));
        }
    }
    let is_covered = |(slot, mut ranges): (usize, Vec<(i64, i64)>)| {
        ranges.sort_unstable();
        let reached = |reached: i64, (from, to): (i64, i64)| if from <= reached { to.max(reached) } else { reached };
        ranges.into_iter().fold(0, reached) >= size(slot)
    };
    ranges.into_iter().enumerate().map(is_covered).collect()
}

/// A walk over a function.
struct Uses<'f> {
    function: &'f Function,
    graph: &'f Graph,
    /// The slots that addresses lead into.
    roots: FxHashMap<Value, Slot>,
    written: Vec<Written>,
    read: Vec<(Slot, Point)>,
}

impl Uses<'_> {
    fn collect(&mut self) {
        let (function, graph) = (self.function, self.graph);
        for &block in &graph.order {
            let data = &function.blocks[block.0 as usize];
            for (at, inst) in data.insts.iter().enumerate() {
                self.look_at(&function.insts[inst.0 as usize], Point { block, at });
            }
            data.terminator.for_each(|value| self.read(value, Point { block, at: data.insts.len() }));
        }
    }

    fn look_at(&mut self, data: &InstData, point: Point) {
        // What an instruction writes is there behind it.
        let behind = Point { at: point.at + 1, ..point };
        match data.op {
            Op::SlotAddress(slot) => drop(self.roots.insert(data.results[0], slot)),
            Op::PtrOffset(base, _) | Op::PtrIndex { base, .. } | Op::Splat(base) => {
                if let Some(&slot) = self.roots.get(&base) {
                    self.roots.insert(data.results[0], slot);
                }
            }
            Op::Store { pointer, value, mask, streaming: _ } => {
                let ty = self.function.ty(value);
                let to = ty.bytes() as i64;
                if mask.is_none() && self.roots.contains_key(&pointer) {
                    self.written.push(Written { point: behind, base: pointer, from: 0, to });
                }
                self.read(value, point);
            }
            Op::Scatter { value, .. } => self.read(value, point),
            Op::Copy { to, from, size } => {
                if self.roots.contains_key(&to) {
                    self.written.push(Written { point: behind, base: to, from: 0, to: size as i64 });
                }
                self.read(from, point);
            }
            ref other => other.for_each(|value| self.read(value, point)),
        }
    }

    fn read(&mut self, value: Value, point: Point) {
        if let Some(&slot) = self.roots.get(&value) {
            self.read.push((slot, point));
        }
    }
}

/// What has been written as a range of bytes of a slot, from a point on that may be behind loops.
fn in_slot(function: &Function, graph: &Graph, mut written: Written) -> Option<(Slot, Written)> {
    let mut loops = FxHashSet::default();
    loop {
        let (base, by) = match *function.definition(written.base)? {
            Op::SlotAddress(slot) => return Some((slot, written)),
            Op::PtrOffset(base, by) => (base, by),
            Op::PtrIndex { base, index, scale, offset } => match function.signed_constant(index) {
                Some(index) => (base, index.checked_mul(scale as i64)?.checked_add(offset)?),
                None => {
                    let counted = counted(function, graph, index)?;
                    if !loops.insert(counted.header) {
                        return None;
                    }
                    let scale = scale as i64;
                    // In each round, with nothing left out between two.
                    if !in_each_round(graph, written.point.block, counted.header) || written.to - written.from < scale {
                        return None;
                    }
                    let ends = [counted.first, counted.end - 1].map(|number| number.checked_mul(scale));
                    written.from = ends[0]?.checked_add(written.from)?;
                    written.to = ends[1]?.checked_add(written.to)?;
                    written.point = Point { block: counted.exit, at: 0 };
                    (base, offset)
                }
            },
            _ => return None,
        };
        written.base = base;
        (written.from, written.to) = (written.from.checked_add(by)?, written.to.checked_add(by)?);
    }
}

/// Does each round of a loop pass the block?
fn in_each_round(graph: &Graph, block: Block, header: Block) -> bool {
    let mut ends = graph.predecessors[header.0 as usize].iter().filter(|&&from| graph.is_back_edge(from, header));
    graph.dominates(header, block) && ends.all(|&from| graph.dominates(block, from))
}

/// The loop that a value counts: from a constant, by one, as long as it is below another constant.
fn counted(function: &Function, graph: &Graph, counter: Value) -> Option<Counted> {
    let counter = match function.definition(counter) {
        Some(&Op::Convert(ConvertOp::SExt, narrow)) => narrow,
        _ => counter,
    };
    let ValueDef::Parameter(header, number) = function.values[counter.0 as usize].def else { return None };
    if function.ty(counter).length != 1 || header == Block(0) {
        return None;
    }
    let mut first = None;
    for &from in &graph.predecessors[header.0 as usize] {
        let mut targets = function.blocks[from.0 as usize].terminator.targets().filter(|target| target.block == header);
        let given = targets.next()?.arguments[number as usize];
        if targets.next().is_some() {
            return None;
        }
        if !graph.is_back_edge(from, header) {
            let start = function.signed_constant(given)?;
            if first.replace(start).is_some_and(|other| other != start) {
                return None;
            }
        } else if !is_next(function, given, counter) {
            return None;
        }
    }
    let Terminator::Branch { condition, then: _, otherwise } = &function.blocks[header.0 as usize].terminator else {
        return None;
    };
    let Some(&Op::Compare(CompareOp::SLt | CompareOp::ULt, below, end)) = function.definition(*condition) else { return None };
    let (first, end) = (first?, function.signed_constant(end)?);
    let is_left_here = graph.predecessors[otherwise.block.0 as usize].len() == 1;
    let is_counted = below == counter && is_left_here && 0 <= first && first < end;
    is_counted.then_some(Counted { header, first, end, exit: otherwise.block })
}

fn is_next(function: &Function, value: Value, counter: Value) -> bool {
    match function.definition(value) {
        Some(&Op::Binary(BinaryOp::Add, a, b)) => {
            (a == counter && function.signed_constant(b) == Some(1)) || (b == counter && function.signed_constant(a) == Some(1))
        }
        _ => false,
    }
}
