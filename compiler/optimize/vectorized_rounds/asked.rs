//! What is asked in front of a loop, whose rounds are lanes only where the answer is right.
//!
//! ```text
//! a[i] = a[i + k] + 1            is k no number from −7 to −1? With one of these a lane reads what the lanes before it have written.
//! o[i] = a[i]                    the same of the distance of two pointers
//! o[y * w + x]                   of numbers without a sign: is y · w + x the same in 64 bits in the last round, or does it wrap?
//! t[i / 2], i += 2               is i no negative number in the last round, so that i / 2 goes on by one each round?
//! ```

use super::super::addresses::{Apart, Side, Track};
use super::super::alias::may_touch;
use super::super::counted_loop::is_computed_from;
use super::{Access, DEPTH, Rounds, constant};
use crate::vector::ir::*;

/// So many operations lead from a quotient to an index.
const INDEX: u32 = 4;
/// So many distances are looked at in front of a loop.
const MAX_APART: usize = 32;
/// Of accesses whose address grows by more bytes a round it is not asked what all rounds touch.
const MAX_TRACK: u64 = 1 << 16;

impl Rounds {
    /// What a number grows by each round, if it does as long as one of 32 bits does not wrap, as is asked in front of the loop: an index of 64 bits, and a quotient of
    /// what goes on by multiples of the divisor.
    pub(super) fn asked_step(&mut self, function: &Function, data: &InstData) -> Option<i64> {
        let &[result] = &data.results[..] else { return None };
        let (of, divisor, bits) = match data.op {
            Op::Convert(ConvertOp::ZExt, of) => (of, 1, 32),
            Op::Binary(BinaryOp::AShr | BinaryOp::LShr, of, by) => (of, 1 << constant(function, by).filter(|by| *by < 31)?, 31),
            Op::Binary(BinaryOp::SDiv | BinaryOp::UDiv, of, by) => (of, i64::try_from(constant(function, by)?).ok()?, 31),
            _ => return None,
        };
        let step = self.lines.step_of(function, of).filter(|&step| step != 0 && step.unsigned_abs() <= MAX_TRACK)?;
        // What falls may be negative in the end.
        let is_multiple = bits == 32 || step > 0 && divisor > 0 && step % divisor == 0;
        let is_asked = function.ty(of).element == Element::I32
            && self.counter.more <= 0
            && self.apart.len() < MAX_APART
            && is_multiple
            && self.is_computed(function, of, DEPTH)
            && self.is_index(function, result);
        is_asked.then(|| {
            self.apart.push((Apart::Unwrapped(of, step, bits), 0, 0));
            step / divisor
        })
    }

    /// Is an address computed from a number?
    fn is_index(&self, function: &Function, value: Value) -> bool {
        let mut insts = self.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        insts.any(|inst| match function.insts[inst.0 as usize].op {
            Op::PtrIndex { index, .. } => is_part_of(function, value, index, INDEX),
            _ => false,
        })
    }

    /// Does no round touch what another one writes?
    pub(super) fn is_apart(&mut self, function: &Function) -> bool {
        let op = |access: &Access| &function.insts[access.inst.0 as usize].op;
        let mut found = std::mem::take(&mut self.apart);
        let mut most = None;
        // Accesses are in the order of a round.
        let is_so = self.accesses.iter().enumerate().filter(|(_, access)| access.is_store).all(|(at, written)| {
            let is_in_order = |place: usize, other: &Access| match place < at {
                true => other.is_first(written),
                false => written.is_first(other),
            };
            let mut may_be = |other: &Access, is_first: bool| {
                self.apart(function, written, other, is_first).is_some_and(|apart| ask(&mut found, apart))
            };
            self.accesses.iter().enumerate().all(|(place, other)| {
                let is_apart = place == at || is_in_order(place, other);
                let mut is_far = || {
                    let rounds = written.rounds_to(other);
                    let least = most.into_iter().chain(rounds).min();
                    rounds.inspect(|_| most = least).is_some()
                };
                is_apart || !may_touch(function, op(other), written.pointer) || is_far() || may_be(other, place < at)
            })
        });
        self.most = most;
        self.late = if is_so { self.late_stores(function, &mut found) } else { Vec::new() };
        self.apart = found;
        is_so
    }

    /// The stores that may come behind all else of a block of rounds: members of records whose others are stored in each round, too, if
    /// nothing behind them in a round touches what they write in any, as may be asked. Then they are together, and fill memory without gaps.
    ///
    /// ```text
    /// x[2 * q] = x[2 * p] - t                    a = x[2 * p];  b = x[2 * p + 1]
    /// x[2 * q + 1] = x[2 * p + 1] - u    ──►     x[2 * q] = a - t;  x[2 * q + 1] = b - u
    /// ```
    fn late_stores(&self, function: &Function, found: &mut Vec<(Apart, u64, u64)>) -> Vec<Inst> {
        let mut late = Vec::new();
        for (at, written) in self.accesses.iter().enumerate().rev() {
            let is_member = written.is_store && written.in_each && written.place.is_none();
            if !is_member || written.is_dense() || !self.is_interleaved(written) {
                continue;
            }
            let mut asked = found.clone();
            let is_late = self.accesses[at + 1..].iter().all(|other| {
                let stays_behind = late.contains(&other.inst) || written.never_meets(other);
                let op = &function.insts[other.inst.0 as usize].op;
                stays_behind
                    || !may_touch(function, op, written.pointer)
                    || self.apart_on(function, written, other, Side::Both).is_some_and(|apart| ask(&mut asked, apart))
            });
            if is_late {
                late.push(written.inst);
                *found = asked;
            }
        }
        late
    }

    /// How far two accesses of all rounds have to be apart. Where the other one is first in a round, later rounds may well find it ahead of what is
    /// written, where rounds before them have not written.
    fn apart(&self, function: &Function, written: &Access, other: &Access, is_first: bool) -> Option<(Apart, u64, u64)> {
        // Each round has bytes of its own, so that only another round may touch what this one does.
        let side = match written.step {
            Some(step) if step.unsigned_abs() < written.size.max(other.size) => Side::Both,
            Some(step) if (step > 0) == is_first => Side::Behind,
            _ => Side::Ahead,
        };
        self.apart_on(function, written, other, side)
    }

    /// How far two accesses of all rounds are apart, if that is the same in each, with their step and the greater element of both; else what both touch.
    fn apart_on(&self, function: &Function, written: &Access, other: &Access, side: Side) -> Option<(Apart, u64, u64)> {
        let Some(step) = written.step.filter(|_| written.step == other.step) else {
            return self.tracks(function, [written, other]);
        };
        let is_outer = |apart: &Apart| match apart {
            Apart::Elements { sum, .. } => sum.terms.iter().all(|&(term, _)| {
                let is_same = || self.lines.step_of(function, term) == Some(0) && self.is_computed(function, term, DEPTH);
                !self.lines.inside.contains(&term) || is_same()
            }),
            Apart::Addresses(..) | Apart::Tracks(_) | Apart::Areas(_) | Apart::Unwrapped(..) => false,
        };
        let size = written.size.max(other.size);
        let by_sum = written.address.apart(&other.address, side).filter(is_outer);
        // Both go on alike, so that they stay as far apart as they are in the first round.
        let are_computed = || [written, other].iter().all(|access| self.is_computed(function, access.pointer, DEPTH));
        let by_address = || are_computed().then(|| Apart::of_addresses(other.pointer, written.pointer, side));
        // How far two places of one array are from each other may be known, and then they meet.
        let is_unknown = written.address.distance(&other.address).is_none();
        let apart = by_sum.or_else(|| is_unknown.then(by_address).flatten())?;
        Some((apart, step.unsigned_abs(), size))
    }

    /// What two accesses touch that go by different steps, if they may lead to different memory.
    fn tracks(&self, function: &Function, both: [&Access; 2]) -> Option<(Apart, u64, u64)> {
        let are_simple = both.iter().all(|access| access.place.is_none() && self.is_computed(function, access.pointer, DEPTH));
        if !are_simple || both[0].step == Some(0) || self.counter.more > 0 {
            return None;
        }
        let track = |access: &Access| {
            let step = access.step.filter(|step| step.unsigned_abs() <= MAX_TRACK)?;
            Some(Track { first: access.pointer, step, size: access.size })
        };
        let are_others = both[0].address.root() != both[1].address.root();
        let tracks = [track(both[0])?, track(both[1])?];
        are_others.then_some((Apart::Tracks(tracks), 0, 0))
    }

    /// Is an address computed from what is there before the loop, and what the header is handed?
    pub(super) fn is_computed(&self, function: &Function, value: Value, depth: u32) -> bool {
        let is_handed =
            |value: Value| matches!(function.values[value.0 as usize].def, ValueDef::Parameter(block, _) if block == self.header);
        is_computed_from(function, &|value| !self.lines.inside.contains(&value) || is_handed(value), value, depth)
    }
}

/// Is a number another one, or computed from it by adding, multiplying and extending?
fn is_part_of(function: &Function, part: Value, of: Value, depth: u32) -> bool {
    let mut is_part = part == of;
    if let Some(op @ (Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl, ..) | Op::Convert(..))) =
        function.definition(of).filter(|_| !is_part && depth > 0)
    {
        op.for_each(|operand| is_part |= is_part_of(function, part, operand, depth - 1));
    }
    is_part
}

/// Asks for one more distance, if these are not too many then.
fn ask(found: &mut Vec<(Apart, u64, u64)>, (apart, step, size): (Apart, u64, u64)) -> bool {
    let mut like = found.iter_mut().filter(|known| (known.1, known.2) == (step, size));
    if !like.any(|known| known.0.joins(&apart)) {
        found.push((apart, step, size));
    }
    found.len() <= MAX_APART
}
