//! What is asked in front of a loop, whose rounds are lanes only where the answer is right.
//!
//! ```text
//! a[i] = a[i + k] + 1            is k no number from −7 to −1? With one of these a lane reads what the lanes before it have written.
//! o[i] = a[i]                    the same of the distance of two pointers
//! o[y * w + x]                   of numbers without a sign: is y · w + x the same in 64 bits in the last round, or does it wrap?
//! ```

use super::super::addresses::{Apart, Side, Track};
use super::super::alias::may_touch;
use super::super::loop_checks::is_pure;
use super::{Access, DEPTH, Rounds};
use crate::vector::ir::*;

/// So many distances are looked at in front of a loop.
const MAX_APART: usize = 16;
/// Of accesses whose address grows by more bytes a round it is not asked what all rounds touch.
const MAX_TRACK: u64 = 1 << 16;

impl Rounds {
    /// What an index of 64 bits grows by where the counter grows by 1, if it is made of one of 32 that goes on like that and, as is asked in front of the loop, does not wrap.
    pub(super) fn extended_step(&mut self, function: &Function, data: &InstData) -> Option<i64> {
        let (&Op::Convert(ConvertOp::ZExt, from), &[extended]) = (&data.op, &data.results[..]) else { return None };
        let step = self.lines.step_of(function, from).filter(|&step| step != 0 && step.unsigned_abs() <= MAX_TRACK)?;
        let of_round = step.checked_mul(i64::try_from(self.counter.step).ok()?)?;
        let is_asked = function.ty(from).element == Element::I32
            && self.counter.more <= 0
            && self.apart.len() < MAX_APART
            && self.is_computed(function, from, DEPTH)
            && self.is_index(function, extended);
        is_asked.then(|| {
            self.apart.push((Apart::Unwrapped(from, of_round), 0, 0));
            step
        })
    }

    fn is_index(&self, function: &Function, value: Value) -> bool {
        let mut insts = self.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        insts.any(|inst| matches!(function.insts[inst.0 as usize].op, Op::PtrIndex { index, .. } if index == value))
    }

    /// Does no round touch what another one writes?
    pub(super) fn is_apart(&mut self, function: &Function) -> bool {
        let op = |access: &Access| &function.insts[access.inst.0 as usize].op;
        let mut found = std::mem::take(&mut self.apart);
        // Accesses are in the order of a round.
        let is_so = self.accesses.iter().enumerate().filter(|(_, access)| access.is_store).all(|(at, written)| {
            let is_in_order = |place: usize, other: &Access| match place < at {
                true => other.is_first(written),
                false => written.is_first(other),
            };
            let mut may_be = |other: &Access, is_first: bool| {
                let Some((apart, step, size)) = self.apart(function, written, other, is_first) else { return false };
                let mut like = found.iter_mut().filter(|known| (known.1, known.2) == (step, size));
                if !like.any(|known| known.0.joins(&apart)) {
                    found.push((apart, step, size));
                }
                found.len() <= MAX_APART
            };
            self.accesses.iter().enumerate().all(|(place, other)| {
                let is_apart = place == at || is_in_order(place, other);
                is_apart || !may_touch(function, op(other), written.pointer) || may_be(other, place < at)
            })
        });
        self.apart = found;
        is_so
    }

    /// How far two accesses of all rounds are apart, if that is the same in each, with their step and the greater element of both; else what both touch.
    /// Where the other one is first in a round, later rounds may well find it ahead of what is written, where rounds before them have not written.
    fn apart(&self, function: &Function, written: &Access, other: &Access, is_first: bool) -> Option<(Apart, u64, u64)> {
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
        // Each round has bytes of its own, so that only another round may touch what this one does.
        let side = match (step > 0) == is_first {
            _ if step.unsigned_abs() < size => Side::Both,
            true => Side::Behind,
            false => Side::Ahead,
        };
        let by_sum = written.address.apart(&other.address, side).filter(is_outer);
        // Both go on alike, so that they stay as far apart as they are in the first round.
        let are_computed = || [written, other].iter().all(|access| self.is_computed(function, access.pointer, DEPTH));
        let by_address = || are_computed().then(|| Apart::of_addresses(other.pointer, written.pointer, side));
        let apart = by_sum.or_else(|| (written.address.root() != other.address.root()).then(by_address).flatten())?;
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
        if !self.lines.inside.contains(&value) || is_handed(value) {
            return true;
        }
        depth > 0
            && function.definition(value).is_some_and(|op| {
                let mut is_so = is_pure(op);
                op.for_each(|operand| is_so = is_so && self.is_computed(function, operand, depth - 1));
                is_so
            })
    }
}
