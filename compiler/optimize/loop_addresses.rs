//! Addresses by indices of 32 bits are computed once in front of a loop, and once for those that are apart by what the loop does not change.
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
//! block, the first without a mask or with that of the second, and of an access of one round and that of the next, in a block that every round runs. The element a row
//! below, `a[at + w]`, is w elements behind `a[at]`, whatever 32 bits make of the sum, so that a loop over a row needs one index for all of its neighbours.

use super::addresses::{Address, Sum};
use super::counted_loop::{CountedLoop, is_outer, values_of};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};
use rustc_hash::{FxHashMap, FxHashSet};

/// An address is compared with so many that stand in front of it.
const MOST_OPEN: usize = 16;
/// So many numbers are added up for what addresses are apart.
const MOST_TERMS: usize = 2;
/// So many operations of what a loop does not change are followed.
const DEPTH: u32 = 6;

/// Rewrites the addresses of a function.
pub fn loop_addresses(function: &mut Function) {
    let is_short = |inst: &InstData| matches!(inst.op, Op::PtrIndex { index, .. } if has_short_index(function, index));
    if !function.insts.iter().any(is_short) {
        return;
    }
    remake(function, cut);
    // Copies of rounds have sums of their own for what is the same.
    super::common_values(function);
    let graph = Graph::new(function);
    let mut loops: FxHashMap<Block, FxHashSet<Value>> = FxHashMap::default();
    for &block in &graph.order {
        let inside = graph
            .innermost_loop(block)
            .map(|header| &*loops.entry(header).or_insert_with(|| values_in(function, &graph, header)));
        share(function, block, inside);
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

/// What is cut from a sum of 64 bits is the sum of what is cut from its parts, one of which may have had 32 bits before: the index of a round then says which part
/// of it goes on.
fn cut(writer: &mut Writer<'_>, inst: Inst) -> Option<Op> {
    let &Op::Convert(ConvertOp::Trunc, sum) = &writer.function.insts[inst.0 as usize].op else { return None };
    let ty = writer.function.ty(writer.function.insts[inst.0 as usize].results[0]);
    let is_part = |function: &Function, value: Value| match function.definition(value) {
        Some(&Op::Convert(ConvertOp::SExt | ConvertOp::ZExt, from)) => function.ty(from) == ty,
        Some(Op::Const(_)) => true,
        _ => false,
    };
    let &Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = writer.function.definition(sum)? else { return None };
    if ty != Type::scalar(Element::I32) || ![a, b].iter().any(|&part| is_part(writer.function, part)) {
        return None;
    }
    let [a, b] = [a, b].map(|part| match writer.function.definition(part) {
        Some(&Op::Convert(ConvertOp::SExt | ConvertOp::ZExt, from)) if writer.function.ty(from) == ty => from,
        Some(Op::Const(bits)) => {
            let bits = bits[0] & u64::from(u32::MAX);
            writer.emit(Op::Const(vec![bits]), ty)
        }
        _ => writer.emit(Op::Convert(ConvertOp::Trunc, part), ty),
    });
    Some(Op::Binary(op, a, b))
}

/// The address of an access, and its mask.
fn accessed(op: &mut Op) -> Option<(&mut Value, Option<Value>)> {
    match op {
        Op::Load { pointer, mask } | Op::Store { pointer, mask, .. } => Some((pointer, *mask)),
        _ => None,
    }
}

/// What the loop of a header computes.
fn values_in(function: &Function, graph: &Graph, header: Block) -> FxHashSet<Value> {
    let natural = graph.natural_loop(header).unwrap_or_default();
    let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| natural.get(block.0 as usize) == Some(&true)).collect();
    values_of(function, &blocks)
}

/// Gives the addresses of a block one origin that are a constant apart, or, in a loop, by what that does not change.
fn share(function: &mut Function, block: Block, inside: Option<&FxHashSet<Value>>) {
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
            let near_by = near.clone().find_map(|(known, other, _)| Some((*known, other.distance(&address)?)));
            let apart = || near.clone().find_map(|(known, other, _)| Some((*known, apart(function, inside?, other, &address)?)));
            let origin = match (near_by, near_by.map_or_else(apart, |_| None)) {
                (Some((known, bytes)), _) => Some(Writer { function, out: &mut out, span }.offset(known, bytes)),
                (None, Some((known, (sum, scale, offset)))) => {
                    let mut writer = Writer { function, out: &mut out, span };
                    let index = elements(&mut writer, &sum);
                    Some(writer.emit(Op::PtrIndex { base: known, index, scale, offset }, Type::scalar(Element::Ptr)))
                }
                (None, None) => None,
            };
            if let Some(origin) = origin {
                *accessed(&mut function.insts[inst.0 as usize].op).expect("an access").0 = origin;
            }
            if near_by.is_none() {
                open.push((origin.unwrap_or(pointer), address, mask));
            }
            if open.len() > MOST_OPEN {
                open.remove(0);
            }
        }
        out.push(inst);
    }
    function.blocks[block.0 as usize].insts = out;
}

/// How far an address of a loop is from another one, in elements that the loop does not change.
fn apart(function: &Function, inside: &FxHashSet<Value>, from: &Address, to: &Address) -> Option<(Sum, u64, i64)> {
    let stays = |value: Value| is_outer(function, inside, value, DEPTH);
    if to.terms().all(stays) {
        return None;
    }
    let difference = from.difference(to)?;
    let terms = &difference.0.terms;
    let is_short = |&(term, _): &(Value, i64)| function.ty(term) == Type::scalar(Element::I32);
    (terms.len() <= MOST_TERMS && terms.iter().all(|term| is_short(term) && stays(term.0))).then_some(difference)
}

/// A sum of numbers of 32 bits.
fn elements(writer: &mut Writer<'_>, sum: &Sum) -> Value {
    let ty = Type::scalar(Element::I32);
    let number = |writer: &mut Writer<'_>, number: i64| writer.emit(Op::Const(vec![number as u64 & u64::from(u32::MAX)]), ty);
    let mut total = (sum.constant != 0).then(|| number(writer, sum.constant));
    for &(term, factor) in &sum.terms {
        let (op, factor) = if factor < 0 { (BinaryOp::Sub, factor.wrapping_neg()) } else { (BinaryOp::Add, factor) };
        let part = match factor {
            1 => term,
            _ => {
                let factor = number(writer, factor);
                writer.emit(Op::Binary(BinaryOp::Mul, term, factor), ty)
            }
        };
        total = Some(match total {
            None if op == BinaryOp::Add => part,
            _ => {
                let before = total.unwrap_or_else(|| number(writer, 0));
                writer.emit(Op::Binary(op, before, part), ty)
            }
        });
    }
    total.unwrap_or_else(|| number(writer, 0))
}

/// Is a pointer by an index from one of these?
fn is_from(function: &Function, pointer: Value, origins: &FxHashMap<Value, Value>) -> bool {
    matches!(function.definition(pointer), Some(Op::PtrIndex { base, .. }) if origins.contains_key(base))
}

impl CountedLoop {
    /// Rewrites the addresses of its accesses.
    fn write(&mut self, function: &mut Function) {
        let mut known = FxHashMap::from_iter([(self.counter.value, self.start)]);
        let wide = self.wide(function);
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
                } else if let Some((pointer, mask)) = access
                    && (mask.is_none() || is_from(function, pointer, &written))
                    && let Some(step) = self.step(function, pointer)
                {
                    let there = written.get(&pointer).copied();
                    let address = there.unwrap_or_else(|| self.address(function, &mut out, (pointer, step), &mut known, wide));
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
        let is_short = |pointer: Value| matches!(function.definition(pointer), Some(Op::PtrIndex { index, .. }) if has_short_index(function, *index) && self.inside.contains(index));
        let &Op::PtrIndex { base, .. } = function.definition(pointer)? else { return None };
        if !is_short(pointer) && !is_short(base) {
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

    /// The address, with the bytes that it grows by where the counter grows by 1, as one that begins in front of the loop.
    fn address(
        &mut self,
        function: &mut Function,
        out: &mut Vec<Inst>,
        (pointer, step): (Value, u64),
        known: &mut FxHashMap<Value, Value>,
        wide: Option<Value>,
    ) -> Value {
        let (span, ty) = (function.span, function.ty(self.counter.value));
        let mut before = self.before(function);
        let base = before.again(pointer, &|_, value| self.inside.contains(&value), known);
        let start = self.counter.start.unwrap_or(self.start);
        let begins_at_0 = matches!(function.definition(start), Some(Op::Const(bits)) if bits[0] == 0);
        let index = match wide {
            Some(grown) => grown,
            None if begins_at_0 => self.counter.value,
            None => Writer { function, out, span }.emit(Op::Binary(BinaryOp::Sub, self.counter.value, self.start), ty),
        };
        Writer { function, out, span }.emit(Op::PtrIndex { base, index, scale: step, offset: 0 }, Type::scalar(Element::Ptr))
    }

    /// What the counter has grown by, in 64 bits, where addresses need it: of 32 bits that grow by more than 1, LLVM would have to know that they do not wrap to
    /// have them without an extension in each round.
    fn wide(&mut self, function: &mut Function) -> Option<Value> {
        let (ty, grows) = (Type::scalar(Element::I64), self.counter.step);
        let is_line = |&inst: &Inst| match function.insts[inst.0 as usize].op {
            Op::Load { pointer, mask: None } | Op::Store { pointer, mask: None, .. } => self.step(function, pointer).is_some(),
            _ => false,
        };
        let is_narrow = function.ty(self.counter.value).element.bits() < 64 && grows > 1;
        if !is_narrow || !self.blocks.iter().any(|block| function.blocks[block.0 as usize].insts.iter().any(is_line)) {
            return None;
        }
        let start = self.before(function).number(0, ty);
        Some(self.parameter(function, ty, start, |latch, grown| {
            let step = latch.number(grows, ty);
            latch.emit(Op::Binary(BinaryOp::Add, grown, step), ty)
        }))
    }
}
