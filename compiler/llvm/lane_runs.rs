//! Lanes beside each other, in memory where no instruction masks lanes of their size.
//!
//! ```text
//! load i8×64 p, from f to t    →   p[0 .. 16] is p[f .. f + 16] moved up by f, and behind it are the first lanes of p[16 .. 64]
//! store p, v, from f to t      →   v goes to the stack, and v[f .. t] from there to p[f .. t], in parts that overlap
//! ```
//! A run that begins behind the first 16 bytes, or where no instruction moves bytes by a number, goes through the stack when it is loaded,
//! too. No part reaches before byte f or behind byte t.
//!
//! What is known to be one is made of the first lanes, of those behind them, and of what both have in common. Of other masks it is asked.

use super::builder::LlvmValue;
use super::first_lanes::Part;
use super::function::FunctionTranslator;
use crate::vector::ir::{self, BinaryOp, Op, Type, UnaryOp};

/// The lanes from one on to another, numbers of 64 bits that are at most the length: none where the first one is not less.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub first: LlvmValue,
    pub end: LlvmValue,
}

impl FunctionTranslator<'_> {
    /// The run that a mask is known to be, where those are moved in parts.
    pub(super) fn run_of(&self, mask: Option<ir::Value>, ty: Type) -> Option<Run> {
        mask.filter(|_| self.takes_parts(ty)).and_then(|mask| self.known_run(mask))
    }

    fn known_run(&self, mask: ir::Value) -> Option<Run> {
        let b = self.b;
        let length = b.i64(self.type_of(mask).length.into());
        match self.function.definition(mask)? {
            Op::FirstLanes(count) => Some(Run { first: b.i64(0), end: self.lane_number(*count, length) }),
            Op::Unary(UnaryOp::Not, a) => match self.function.definition(*a)? {
                Op::FirstLanes(count) => Some(Run { first: self.lane_number(*count, length), end: length }),
                _ => None,
            },
            Op::Binary(BinaryOp::And, a, c) => {
                let (one, other) = (self.known_run(*a)?, self.known_run(*c)?);
                let extreme = |name, neutral: LlvmValue, a: LlvmValue, c: LlvmValue| match (a == neutral, c == neutral) {
                    (true, _) => c,
                    (_, true) => a,
                    _ => b.intrinsic(name, &[b.int(64)], &[a, c]),
                };
                let first = extreme("llvm.umax", b.i64(0), one.first, other.first);
                Some(Run { first, end: extreme("llvm.umin", length, one.end, other.end) })
            }
            _ => None,
        }
    }

    fn lane_number(&self, count: ir::Value, length: LlvmValue) -> LlvmValue {
        let b = self.b;
        b.intrinsic("llvm.umin", &[b.int(64)], &[b.zext(self.value(count), b.int(64)), length])
    }

    /// Is what the bits of a mask say a run? And which is it then?
    pub(super) fn is_run(&self, bits: LlvmValue) -> (LlvmValue, Run) {
        let b = self.b;
        let ty = b.type_of(bits);
        let trailing = |value| b.resize_unsigned(b.intrinsic("llvm.cttz", &[ty], &[value, b.zero(b.int(1))]), b.int(64));
        // What lies in front of the run belongs to this, too.
        let filled = b.or(bits, b.add(bits, b.ones(ty)));
        let next = b.add(filled, b.constant(ty, 1));
        (b.equal(b.and(filled, next), b.zero(ty)), Run { first: trailing(bits), end: trailing(next) })
    }

    /// The lanes of a run; the others are zero.
    pub(super) fn load_run(&self, address: LlvmValue, run: Run, ty: Type) -> LlvmValue {
        let (b, whole) = (self.b, self.unit.memory_type(ty));
        let bytes = ty.bytes();
        if run.first == b.i64(0) {
            return self.load_first(address, run.end, ty);
        }
        let (first, part) = self.part_of_run(address, run, ty);
        if bytes <= 8 {
            let loaded = self.load_bytes(part, bytes);
            // Behind the last lane there is nothing to move.
            let by = b.mul(b.and(first, b.i64(bytes - 1)), b.i64(8));
            return b.reinterpret(b.shl(loaded, b.resize_unsigned(by, b.type_of(loaded))), whole);
        }
        let through_stack = || {
            let memory = self.stack_memory(whole, 16);
            b.store(b.zero(whole), memory, 16);
            self.copy_part(part, part.address, b.address(b.int(8), memory, first), bytes);
            b.load(whole, memory, 16)
        };
        if self.machine.byte_shuffles.is_empty() {
            return through_stack();
        }
        let moved_up = || {
            let mut loaded = self.moved_up(part, first);
            let mut size = 16;
            while size < bytes {
                let rest = Part {
                    address: b.offset(address, size as i64),
                    count: self.at_most(self.less(self.end_of_run(run, ty), size), size as u32),
                    ..part
                };
                let is_known = run.end == b.i64(ty.length.into());
                let all = || b.load(b.type_of(loaded), rest.address, part.element);
                let rest = if is_known {
                    all()
                } else {
                    let some = || b.bitcast(self.load_bytes(rest, size), b.type_of(loaded));
                    let not_all = || self.choose(self.is_some(rest), some, || b.zero(b.type_of(loaded)));
                    self.choose(b.equal(rest.count, b.i64(size)), all, not_all)
                };
                loaded = self.concatenate(loaded, rest);
                size *= 2;
            }
            b.reinterpret(loaded, whole)
        };
        if bytes == 16 {
            return moved_up();
        }
        let is_early = b.icmp(super::builder::IntPredicate::LLVMIntULE, first, b.i64(16));
        self.choose(is_early, moved_up, through_stack)
    }

    /// Stores the lanes of a run.
    pub(super) fn store_run(&self, address: LlvmValue, value: LlvmValue, run: Run, ty: Type) {
        let b = self.b;
        if run.first == b.i64(0) {
            return self.store_first(address, value, run.end, ty);
        }
        let bytes = ty.bytes();
        let (first, part) = self.part_of_run(address, run, ty);
        let memory = self.stack_memory(b.type_of(value), 16);
        let some = || {
            b.store(value, memory, 16);
            self.copy_part(part, b.address(b.int(8), memory, first), part.address, bytes);
        };
        let all = || {
            b.store(value, address, part.element);
        };
        self.either(b.equal(part.count, b.i64(bytes)), all, || self.when(self.is_some(part), some));
    }

    /// The first byte of a run, and its bytes in memory.
    fn part_of_run(&self, address: LlvmValue, run: Run, ty: Type) -> (LlvmValue, Part) {
        let (b, element) = (self.b, ty.element.size());
        let first = b.mul(run.first, b.i64(element));
        let count = b.intrinsic("llvm.usub.sat", &[b.int(64)], &[self.end_of_run(run, ty), first]);
        (first, Part { address: b.address(b.int(8), address, first), count, element })
    }

    /// The byte behind a run.
    fn end_of_run(&self, run: Run, ty: Type) -> LlvmValue {
        self.b.mul(run.end, self.b.i64(ty.element.size()))
    }

    fn less(&self, count: LlvmValue, by: u64) -> LlvmValue {
        self.b.intrinsic("llvm.usub.sat", &[self.b.int(64)], &[count, self.b.i64(by)])
    }

    /// 16 bytes, of which the first `by` are zero and the others those of the part.
    fn moved_up(&self, part: Part, by: LlvmValue) -> LlvmValue {
        let b = self.b;
        let lanes = b.vector(b.int(8), 16);
        let loaded = self.choose(
            self.has_at_least(part, 16),
            || b.load(lanes, part.address, 1),
            || b.bitcast(self.load_bytes(part, 16), lanes),
        );
        let places = b.address(b.int(8), self.unit.places_and_nowhere(), b.neg(by));
        let shifted = b.intrinsic(self.machine.byte_shuffles[0], &[], &[loaded, b.load(lanes, places, 1)]);
        b.bitcast(shifted, b.vector(b.int(64), 2))
    }
}
