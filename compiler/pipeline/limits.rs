//! The numbers that bounds and loops rely on: how far coordinates are from 0, and what fits into `int` and 64 bits for it.
//!
//! ```text
//! windows          |x| ≤ FAR              start checks see to it (§7 of the paper has no such limit: its numbers are ℤ)
//! coordinates      |x| ≤ COORDINATES      loops run over the ends of windows by no more than splits round up
//! inside of loops  |x| ≤ UNCHECKED        what is computed of coordinates stays an `int` without a check of its own
//! nothing done     NOTHING_DONE           below all coordinates, and with a distance added still an `int`
//! ```
//! That they fit together is asserted behind them.

/// Outside of every window, and the end of one that has no points.
pub const FAR: i64 = 1 << 30;

/// No coordinate is further from 0 than this: windows are within [`FAR`], and loops run over their ends by no more than a split
/// rounds up.
pub const COORDINATES: i64 = FAR + (1 << 24);

/// What is computed inside of loops may be so far from 0 without a check of its own.
pub const UNCHECKED: i64 = FAR + DISTANCE;

/// Distances up to which what is computed from a coordinate is an `int`.
pub const DISTANCE: i64 = 1 << 28;

/// By how much a window inside of loops is rounded up, at most, and how long an empty one may be, by `bound_extent`.
pub const ROUNDED: i64 = 1 << 16;

/// −∞ of `done`: less than every coordinate, and what is near it is an `int`.
pub const NOTHING_DONE: i64 = -(3 << 29);

/// Values whose products do not fit into 64 bits are computed of `int`s only.
pub const WIDE: i64 = 1 << 62;

/// Sums of no more terms than this, with factors below [`FACTOR`] and a constant below [`CONSTANT`], stay inside of 64 bits.
pub const TERMS: usize = 16;

/// See [`TERMS`].
pub const FACTOR: i64 = 1 << 20;

/// See [`TERMS`].
pub const CONSTANT: i64 = FACTOR << 20;

/// How many values are looked at one by one, at most.
pub const ENUMERATED: i64 = 1 << 16;

/// The last `int`.
const INT: i64 = i32::MAX as i64;
/// The lanes of a block, at most.
const LANES: i64 = 64;

const _: () = assert!(FAR + 2 * ROUNDED <= COORDINATES, "what is as long as was asserted, and rounded up, is a coordinate");
const _: () = assert!(COORDINATES <= UNCHECKED, "coordinates need no check");
const _: () = assert!(COORDINATES + DISTANCE + LANES <= INT, "a coordinate, a block and a distance are an `int`");
const _: () = assert!(UNCHECKED + DISTANCE <= INT, "what needs no check has room for a distance");
const _: () = assert!(NOTHING_DONE < -COORDINATES, "nothing is done in front of all coordinates");
const _: () = assert!(NOTHING_DONE - DISTANCE >= -INT - 1, "what is near it is an `int`");
const _: () = assert!(
    TERMS as i128 * FACTOR as i128 * (INT as i128 + 1) + (CONSTANT as i128) < i64::MAX as i128,
    "a sum of multiples of `int`s fits into 64 bits"
);
const _: () = assert!(ENUMERATED < FAR, "windows are larger than what is looked at one by one");
