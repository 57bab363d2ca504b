//! Sets of lanes: the mask P_σ, and what jumps have taken out of it.

/// A set of the lanes of a vector of `length`; ‖P‖ is that length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    bits: u64,
    length: u8,
}

impl Lanes {
    /// All lanes.
    pub fn all(length: u8) -> Lanes {
        Lanes { bits: u64::MAX >> (64 - u32::from(length)), length }
    }

    /// No lane.
    pub fn none(length: u8) -> Lanes {
        Lanes { bits: 0, length }
    }

    /// The lanes for which `is_on` holds.
    pub fn of(length: u8, mut is_on: impl FnMut(u8) -> bool) -> Lanes {
        let bits = (0..length).filter(|&lane| is_on(lane)).fold(0, |bits, lane| bits | 1 << lane);
        Lanes { bits, length }
    }

    /// ‖P‖
    pub fn length(self) -> u8 {
        self.length
    }

    /// Is this lane in the set?
    pub fn has(self, lane: u8) -> bool {
        self.bits >> lane & 1 == 1
    }

    /// Is no lane in the set?
    pub fn is_none(self) -> bool {
        self.bits == 0
    }

    /// Are all lanes in the set?
    pub fn is_all(self) -> bool {
        self == Lanes::all(self.length)
    }

    /// Is this lane of a value of `length` lanes active? A mask governs values of its own length; there is one that
    /// differs only in context 1, and for scalars.
    pub fn governs(self, length: u8, lane: u8) -> bool {
        self.length != length || self.has(lane)
    }

    /// P and m
    pub fn and(self, other: Lanes) -> Lanes {
        debug_assert_eq!(self.length, other.length);
        Lanes { bits: self.bits & other.bits, ..self }
    }

    /// P and not m
    pub fn without(self, other: Lanes) -> Lanes {
        debug_assert_eq!(self.length, other.length);
        Lanes { bits: self.bits & !other.bits, ..self }
    }

    /// P or m
    pub fn or(self, other: Lanes) -> Lanes {
        debug_assert_eq!(self.length, other.length);
        Lanes { bits: self.bits | other.bits, ..self }
    }

    /// The lanes in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..self.length).filter(move |&lane| self.has(lane))
    }
}
