//! Addresses by indices of 32 bits are computed once in front of a loop, and once for those that are a constant apart.
//!
//! ```text
//!                                                 q = ptrindex a, (add r, 0)
//! block1(i):                                  block1(i):
//!     j = add r, (trunc i)                        p = ptrindex q, i
//!     p = ptrindex a, j                   ──►
//!     x = load p                                  x = load p
//!     k = add j, 1                                y = load p + 4
//!     y = load (ptrindex a, k)
//! ```
//! Sums of 32 bits wrap, so that each of them would be extended to an address in every round. But both of two elements that are accessed lie in one object, whose
//! indices are less than 2³¹ apart (see [`memory_access`](super::memory_access)): their distance is the difference of the indices. So it is of two accesses of one
//! block, the first without a mask or with that of the second, and of an access of one round and that of the next, in a block that every round runs.

use super::addresses::Address;
use super::counted_loop::CountedLoop;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// An address is compared with so many that stand in front of it.
const MOST_OPEN: usize = 16;
/// So many operations of what a loop does not change are followed.
const DEPTH: u32 = 6;

/// Rewrites the addresses of a function.
pub fn loop_addresses(function: &mut Function) {
    let is_short = |inst: &InstData| matches!(inst.op, Op::PtrIndex { index, .. } if has_short_index(function, index));
    if !function.insts.iter().any(is_short) {
        return;
    }
    let graph = Graph::new(function);
    for &block in &graph.order {
        share(function, block);
    }
    for &header in &graph.order {
        if graph.innermost_loop(header) == Some(header)
            && let Some(mut found) = CountedLoop::of(function, &graph, header)
        {
            found.write(function);
        }
    }
    function.sort_blocks();
}

fn has_short_index(function: &Function, index: Value) -> bool {
    let ty = function.ty(index);
    ty.length == 1 && ty.element.bits() == 32 && !matches!(function.definition(index), Some(Op::Const(_)))
}

/// The address of an access, and its mask.
fn accessed(op: &mut Op) -> Option<(&mut Value, Option<Value>)> {
    match op {
        Op::Load { pointer, mask } | Op::Store { pointer, mask, .. } => Some((pointer, *mask)),
        _ => None,
    }
}

/// Gives the addresses of a block that are a constant apart one origin.
fn share(function: &mut Function, block: Block) {
    let mut open: Vec<(Value, Address, Option<Value>)> = Vec::new();
    let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
    let mut out = Vec::with_capacity(insts.len());
    for inst in insts {
        let span = function.insts[inst.0 as usize].span;
        if let Some((&mut pointer, mask)) = accessed(&mut function.insts[inst.0 as usize].op)
            && let Some(&Op::PtrIndex { index, .. }) = function.definition(pointer)
            && has_short_index(function, index)
            && open.iter().all(|(known, ..)| *known != pointer)
        {
            let address = Address::of(function, pointer);
            // Where any lane is accessed here, one was there.
            let is_with = |other: Option<Value>| other.is_none() || other == mask;
            let near = open.iter().filter(|(.., other)| is_with(*other));
            match near.clone().find_map(|(known, other, _)| Some((*known, other.distance(&address)?))) {
                Some((known, bytes)) => {
                    let near = Writer { function, out: &mut out, span }.offset(known, bytes);
                    *accessed(&mut function.insts[inst.0 as usize].op).expect("an access").0 = near;
                }
                None => open.push((pointer, address, mask)),
            }
            if open.len() > MOST_OPEN {
                open.remove(0);
            }
        }
        out.push(inst);
    }
    function.blocks[block.0 as usize].insts = out;
}

impl CountedLoop {
    /// Rewrites the addresses of its accesses.
    fn write(&mut self, function: &mut Function) {
        let mut known = FxHashMap::from_iter([(self.counter.value, self.start)]);
        for block in self.blocks.clone() {
            let mut written: FxHashMap<Value, Value> = FxHashMap::default();
            let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
            let mut out = Vec::with_capacity(insts.len());
            for inst in insts {
                let access = accessed(&mut function.insts[inst.0 as usize].op).map(|(&mut pointer, mask)| (pointer, mask));
                if let Some((pointer, _)) = access
                    && let Some(&Op::PtrOffset(origin, bytes)) = function.definition(pointer)
                    && let Some(&address) = written.get(&origin)
                {
                    let span = function.span;
                    let address = Writer { function, out: &mut out, span }.offset(address, bytes);
                    *accessed(&mut function.insts[inst.0 as usize].op).expect("an access").0 = address;
                } else if let Some((pointer, None)) = access
                    && let Some(step) = self.step(function, pointer)
                {
                    let there = written.get(&pointer).copied();
                    let address = there.unwrap_or_else(|| self.address(function, &mut out, pointer, step, &mut known));
                    written.insert(pointer, address);
                    *accessed(&mut function.insts[inst.0 as usize].op).expect("an access").0 = address;
                }
                out.push(inst);
            }
            function.blocks[block.0 as usize].insts = out;
        }
    }

    /// Bytes that an address of the loop grows by where the counter grows by 1, if it is by a short index.
    fn step(&self, function: &Function, pointer: Value) -> Option<u64> {
        let &Op::PtrIndex { index, .. } = function.definition(pointer)? else { return None };
        if !has_short_index(function, index) || !self.inside.contains(&index) {
            return None;
        }
        let address = Address::of(function, pointer);
        let is_counter = |term: Value| {
            let is_cut = |op: &Op| matches!(op, Op::Convert(ConvertOp::Trunc, from) if *from == self.counter.value);
            term == self.counter.value || function.definition(term).is_some_and(is_cut)
        };
        let mut counts = address.terms().filter(|&term| is_counter(term));
        let counter = counts.next().filter(|_| counts.next().is_none())?;
        let stays = |value: Value| self.is_outer(function, value, DEPTH);
        let is_line = stays(address.root()) && address.terms().all(|term| term == counter || stays(term));
        u64::try_from(address.step(counter).filter(|_| is_line)?).ok().filter(|&step| step > 0)
    }

    /// The address as one that begins in front of the loop.
    fn address(
        &mut self,
        function: &mut Function,
        out: &mut Vec<Inst>,
        pointer: Value,
        step: u64,
        known: &mut FxHashMap<Value, Value>,
    ) -> Value {
        let (span, ty) = (function.span, function.ty(self.counter.value));
        let mut before = self.before(function);
        let base = before.again(pointer, &|_, value| self.inside.contains(&value), known);
        let start = self.counter.start.unwrap_or(self.start);
        let begins_at_0 = matches!(function.definition(start), Some(Op::Const(bits)) if bits[0] == 0);
        let mut writer = Writer { function, out, span };
        let index = match begins_at_0 {
            true => self.counter.value,
            false => writer.emit(Op::Binary(BinaryOp::Sub, self.counter.value, self.start), ty),
        };
        writer.emit(Op::PtrIndex { base, index, scale: step, offset: 0 }, Type::scalar(Element::Ptr))
    }
}
