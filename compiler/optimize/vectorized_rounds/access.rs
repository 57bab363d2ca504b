//! The accesses of memory in the rounds of a loop, and what two of them have to do with each other.

use super::super::addresses::Address;
use crate::vector::ir::*;

/// Rounds that wait for one so many rounds before, or more, are worth to be lanes: each of them would take as long as all do.
pub(super) const LEAST_WAITING: u64 = 4;
/// What was stored so many rounds ago is in the cache.
const LONG_AGO: u64 = 256;

/// An access of memory.
pub(super) struct Access {
    pub(super) inst: Inst,
    pub(super) pointer: Value,
    pub(super) address: Address,
    /// What the address grows by each round, in bytes, if that is always as much.
    pub(super) step: Option<i64>,
    /// Bytes of what is there.
    pub(super) size: u64,
    pub(super) is_store: bool,
    /// Is it made in every round?
    pub(super) in_each: bool,
    /// Is it known that what a round would touch is there, whether it does or not?
    pub(super) is_there: bool,
    /// Is it one for all lanes, of which none may be on?
    pub(super) is_asked: bool,
    /// The place behind which it stores, among what is handed on.
    pub(super) place: Option<usize>,
}

impl Access {
    /// Goes it through memory without gaps, forwards or backwards?
    pub(super) fn is_dense(&self) -> bool {
        self.step.is_some_and(|step| step.unsigned_abs() == self.size)
    }

    /// Are its lanes side by side, or one?
    pub(super) fn is_one_or_dense(&self) -> bool {
        self.step == Some(0) || self.is_dense()
    }

    /// Do both, this one first in each round, touch the same bytes only where this one's round is not behind the other's? Then it is first in blocks of rounds, too. So it is where
    /// each round has bytes of its own, in which both lie.
    pub(super) fn is_first(&self, other: &Access) -> bool {
        let Some(step) = self.step.filter(|step| *step != 0 && other.step == Some(*step)) else { return false };
        let (Some(distance), Some(width)) = (self.address.distance(&other.address), step.checked_abs()) else { return false };
        distance.checked_mul(step.signum()).is_some_and(|ahead| ahead.saturating_add(self.size.max(other.size) as i64) <= width)
    }

    /// So many rounds another access of the same array is always away from it, or as many of these, a power of two, as all of them are; `None`: too few to wait for.
    pub(super) fn rounds_to(&self, other: &Access) -> Option<u64> {
        let step = self.step.filter(|step| *step != 0 && other.step == Some(*step))?.unsigned_abs();
        let distance = self.address.distance(&other.address)?.unsigned_abs();
        let is_aligned = distance.is_multiple_of(step) && self.size == other.size && self.size <= step;
        let rounds = distance / step;
        // What was stored as a whole a short time ago is loaded as a whole.
        let whole = if rounds < LONG_AGO { rounds & rounds.wrapping_neg() } else { LONG_AGO };
        (is_aligned && whole >= LEAST_WAITING).then_some(whole)
    }

    /// Are they other members of the same records, so that no round of one touches what any round of the other one does?
    pub(super) fn never_meets(&self, other: &Access) -> bool {
        let Some(width) = self.step.filter(|step| *step != 0 && other.step == Some(*step)).and_then(i64::checked_abs) else {
            return false;
        };
        self.address.distance(&other.address).is_some_and(|distance| {
            let place = distance.rem_euclid(width) as u64;
            place >= self.size && place + other.size <= width as u64
        })
    }
}
