//! Numbers of few bits are compared in few bits with what a loop does not change.
//!
//! ```text
//!                                             t = convert.trunc (smin (smax k, 0), 255)
//!                                             b = compare.slt k, 0
//! block1(i):                                  block1(i):
//!     x = load a + i: i8                          x = load a + i: i8
//!     y = convert.zext x             ──►          d = compare.ugt x, t
//!     c = compare.sgt y, k                        c = or d, b
//! ```
//! By C's rules a byte and an `int` are compared as `int`: `a[i] > threshold`, and `memchr` takes an `int`, too. The limit is brought to the ends of what the narrow
//! number may be, in front of the loop; where that changes the answer, it is the same for all numbers, and is asked there. In lanes it is a fourth of the work.

use super::block_writer::{BlockWriter, is_defined_in};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Numbers of more bits are compared as they are.
const MOST_BITS: u32 = 16;

/// Rewrites the comparisons in the innermost loops of a function.
pub fn narrow_limits(function: &mut Function) {
    let graph = Graph::new(function);
    for &header in graph.order.iter().filter(|&&block| graph.innermost_loop(block) == Some(block)) {
        let Some(inside) = graph.natural_loop(header) else { continue };
        let mut outside = graph.predecessors[header.0 as usize].iter().filter(|block| !inside[block.0 as usize]);
        let (Some(&before), None) = (outside.next(), outside.next()) else { continue };
        let mut limits = FxHashMap::default();
        for &block in graph.order.iter().filter(|block| inside[block.0 as usize]) {
            for inst in function.blocks[block.0 as usize].insts.clone() {
                if let Some(found) = Limited::of(function, &inside, inst) {
                    found.write(function, before, block, inst, &mut limits);
                }
            }
        }
    }
}

/// A comparison of a number that was extended with a limit.
#[derive(Clone, Copy)]
struct Limited {
    op: CompareOp,
    /// The number as it was, and how it was extended.
    number: Value,
    extension: ConvertOp,
    /// One number, for all lanes.
    limit: Value,
}

/// The limit in few bits, and what is the same for all numbers, with the operation that puts it in.
type Limits = FxHashMap<(Value, CompareOp, ConvertOp, Element), (Value, Option<(BinaryOp, Value)>)>;

impl Limited {
    fn of(function: &Function, inside: &[bool], inst: Inst) -> Option<Limited> {
        let Op::Compare(op, a, b) = function.insts[inst.0 as usize].op else { return None };
        [(Some(op), a, b), (op.swapped(), b, a)].into_iter().find_map(|(op, number, limit)| {
            let (op, definition) = (op?, function.definition(number)?);
            let &Op::Convert(extension @ (ConvertOp::ZExt | ConvertOp::SExt), number) = definition else { return None };
            let limit = match function.definition(limit) {
                Some(&Op::Splat(limit)) => limit,
                _ => limit,
            };
            let element = function.ty(number).element;
            let is_unsigned = matches!(op, CompareOp::ULt | CompareOp::ULe | CompareOp::UGt | CompareOp::UGe);
            let is_known = matches!(function.definition(limit), Some(Op::Const(_) | Op::Convert(..)));
            let fits = element.is_int() && element.bits() <= MOST_BITS && function.ty(limit).length == 1;
            let is_asked = fits && !is_known && (extension == ConvertOp::ZExt || !is_unsigned);
            (is_asked && !is_defined_in(function, inside, limit)).then_some(Limited { op, number, extension, limit })
        })
    }

    /// What is compared with, written in front of the loop.
    fn limit(&self, to: &mut BlockWriter<'_>) -> (Value, Option<(BinaryOp, Value)>) {
        let (ty, narrow) = (to.function.ty(self.limit), Type::scalar(to.function.ty(self.number).element));
        let bits = narrow.element.bits();
        let (least, greatest) = match self.extension {
            ConvertOp::ZExt => (0, (1u64 << bits) - 1),
            _ => ((1u64 << (bits - 1)).wrapping_neg(), (1u64 << (bits - 1)) - 1),
        };
        let mask = u64::MAX >> (64 - ty.element.bits());
        let [least, greatest] = [least & mask, greatest].map(|end| to.number(end, ty));
        let bool = Type::scalar(Element::Bool);
        let limit = self.limit;
        let flag = |to: &mut BlockWriter<'_>, put: BinaryOp, op: CompareOp, end: Value| {
            Some((put, to.emit(Op::Compare(op, limit, end), bool)))
        };
        if matches!(self.op, CompareOp::Eq | CompareOp::Ne) {
            let short = to.emit(Op::Convert(ConvertOp::Trunc, limit), narrow);
            let again = to.emit(Op::Convert(self.extension, short), ty);
            let put = if self.op == CompareOp::Eq { BinaryOp::And } else { BinaryOp::Or };
            return (short, flag(to, put, self.op, again));
        }
        let (end, same) = match self.op {
            CompareOp::ULt | CompareOp::ULe | CompareOp::UGt | CompareOp::UGe => {
                let same = match self.op {
                    CompareOp::ULt => flag(to, BinaryOp::Or, CompareOp::UGt, greatest),
                    CompareOp::UGe => flag(to, BinaryOp::And, CompareOp::ULe, greatest),
                    _ => None,
                };
                (to.emit(Op::Binary(BinaryOp::UMin, limit, greatest), ty), same)
            }
            op => {
                let same = match op {
                    CompareOp::SLt => flag(to, BinaryOp::Or, CompareOp::SGt, greatest),
                    CompareOp::SGe => flag(to, BinaryOp::And, CompareOp::SLe, greatest),
                    CompareOp::SGt => flag(to, BinaryOp::Or, CompareOp::SLt, least),
                    _ => flag(to, BinaryOp::And, CompareOp::SGe, least),
                };
                let above = to.emit(Op::Binary(BinaryOp::SMax, limit, least), ty);
                (to.emit(Op::Binary(BinaryOp::SMin, above, greatest), ty), same)
            }
        };
        (to.emit(Op::Convert(ConvertOp::Trunc, end), narrow), same)
    }

    fn write(&self, function: &mut Function, before: Block, block: Block, inst: Inst, limits: &mut Limits) {
        let InstData { results, span, .. } = &function.insts[inst.0 as usize];
        let (bools, span, element) = (function.ty(results[0]), *span, function.ty(self.number).element);
        let key = (self.limit, self.op, self.extension, element);
        let (short, same) = match limits.get(&key) {
            Some(&known) => known,
            None => *limits.entry(key).or_insert(self.limit(&mut BlockWriter { function, block: before, span })),
        };
        let op = if self.extension == ConvertOp::ZExt { self.op.without_sign() } else { self.op };
        let mut made = Vec::new();
        let lanes = |function: &mut Function, made: &mut Vec<Inst>, value: Value| {
            if bools.length == 1 {
                return value;
            }
            let ty = function.ty(value).with_length(bools.length);
            let (splat, value) = function.create(Op::Splat(value), ty, span);
            made.push(splat);
            value
        };
        let limit = lanes(function, &mut made, short);
        let mut compared = Op::Compare(op, self.number, limit);
        if let Some((put, flag)) = same {
            let (compare, value) = function.create(compared, bools, span);
            made.push(compare);
            compared = Op::Binary(put, value, lanes(function, &mut made, flag));
        }
        function.insts[inst.0 as usize].op = compared;
        let insts = &mut function.blocks[block.0 as usize].insts;
        let at = insts.iter().position(|other| *other == inst).expect("it is in its block");
        insts.splice(at..at, made);
    }
}
