//! Intervals of numbers, and what the operators of integers make of them.

use super::super::value::floor_div;
use crate::typed::ir::BinaryOp;
use crate::types::Element;

/// An interval of numbers, both ends in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
    /// The least one.
    pub low: i128,
    /// The greatest one.
    pub high: i128,
}

impl Numbers {
    /// Those of `int`.
    pub const INT: Numbers = Numbers { low: i32::MIN as i128, high: i32::MAX as i128 };

    /// All that there are: far enough to say that nothing fits, near enough to be multiplied.
    pub const ALL: Numbers = Numbers { low: -(1 << 63), high: 1 << 63 };

    /// What is beyond all numbers is the last one.
    pub fn new(low: i128, high: i128) -> Numbers {
        let near = |n: i128| n.clamp(Numbers::ALL.low, Numbers::ALL.high);
        Numbers { low: near(low), high: near(high) }
    }

    /// The values of a type that is narrow enough to bound something.
    pub fn of_type(element: Element) -> Option<Numbers> {
        let (low, high) = match element {
            Element::Bool => (0, 1),
            Element::Int8 => (-128, 127),
            Element::Uint8 => (0, 255),
            Element::Int16 => (-32768, 32767),
            Element::Uint16 => (0, 65535),
            Element::Int32 | Element::Int64 | Element::Uint32 | Element::Uint64 => return None,
            Element::Float16 | Element::Float | Element::Double => return None,
        };
        Some(Numbers { low, high })
    }

    /// The least interval with both in it.
    pub fn with(self, other: Numbers) -> Numbers {
        Numbers { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Do all of them belong to others?
    pub fn fits(self, others: Numbers) -> bool {
        self.low >= others.low && self.high <= others.high
    }

    /// Those that are in others, too; all the others, if none is.
    pub fn within(self, others: Numbers) -> Numbers {
        let (low, high) = (self.low.max(others.low), self.high.min(others.high));
        if low <= high { Numbers { low, high } } else { others }
    }

    /// −x
    pub fn negated(self) -> Numbers {
        Numbers::new(-self.high, -self.low)
    }

    /// The minimum (`true`) or the maximum of two.
    pub fn extremum(self, is_min: bool, other: Numbers) -> Numbers {
        let of = |a: i128, b: i128| if is_min { a.min(b) } else { a.max(b) };
        Numbers { low: of(self.low, other.low), high: of(self.high, other.high) }
    }

    /// |x|
    pub fn absolute(self) -> Numbers {
        Numbers { low: self.low.max(-self.high).max(0), high: self.high.max(-self.low) }
    }

    /// Its ends in ℝ.
    pub fn real(self) -> (f64, f64) {
        (self.low as f64, self.high as f64)
    }

    fn corners(self, other: Numbers, f: impl Fn(i128, i128) -> i128) -> Numbers {
        let [a, b, c, d] = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)]
            .map(|(x, y)| f(x, y));
        Numbers::new(a.min(b).min(c).min(d), a.max(b).max(c).max(d))
    }

    /// x ∘ y in ℤ. Counts of shifts are those of a type, in which they are taken modulo its bits.
    pub fn binary(op: BinaryOp, element: Element, a: Numbers, b: Numbers) -> Numbers {
        let bits = element.bits().min(32);
        let is_count = b.low >= 0 && b.high < bits.into();
        match op {
            BinaryOp::Add => Numbers::new(a.low + b.low, a.high + b.high),
            BinaryOp::Subtract => Numbers::new(a.low - b.high, a.high - b.low),
            BinaryOp::Multiply => a.corners(b, i128::saturating_mul),
            BinaryOp::ShiftLeft if is_count => a.corners(b, |x, y| x.saturating_mul(1 << y)),
            BinaryOp::ShiftLeft => a.corners(Numbers { low: 1, high: 1 << (element.bits() - 1) }, i128::saturating_mul),
            BinaryOp::ShiftRight if is_count => a.corners(b, |x, y| x >> y),
            BinaryOp::ShiftRight => a.with(Numbers { low: -1, high: 0 }),
            BinaryOp::Divide if b.low > 0 || b.high < 0 => a.corners(b, floor_div),
            BinaryOp::Divide => a.with(a.negated()),
            BinaryOp::Remainder if a.low >= 0 && a.high < b.low => a,
            // The sign of a remainder is that of its divisor.
            BinaryOp::Remainder => Numbers::new((b.low + 1).min(0), (b.high - 1).max(0)),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => bitwise(op, a, b),
        }
    }
}

/// The least and the greatest x ∘ y, where ∘ is `&`, `|` or `^`. Both are attained. Neither interval is empty.
pub fn bitwise(op: BinaryOp, a: Numbers, b: Numbers) -> Numbers {
    const SIGN: u32 = 64;
    // A sign makes a number smaller.
    by_bit(op, a, b, SIGN, -(1 << SIGN))
}

/// The same for numbers that are made of the bits below one, and of that one, which counts `weight`: the hull over both of its
/// values in each of them.
fn by_bit(op: BinaryOp, a: Numbers, b: Numbers, bit: u32, weight: i128) -> Numbers {
    let of = |x: i128, y: i128| match op {
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        _ => x ^ y,
    };
    let halves = |n: Numbers| {
        let half = |from: i128| Numbers { low: n.low.max(from) - from, high: n.high.min(from + (1 << bit) - 1) - from };
        [0, weight].map(|from| (from, half(from))).into_iter().filter(|(_, half)| half.low <= half.high)
    };
    let pair = |(x, a): (i128, Numbers), (y, b): (i128, Numbers)| {
        let Numbers { low, high } = of_bits(op, a, b, bit);
        Numbers { low: of(x, y) + low, high: of(x, y) + high }
    };
    let pairs = halves(a).flat_map(|a| halves(b).map(move |b| pair(a, b)));
    pairs.reduce(Numbers::with).expect("intervals with numbers in them")
}

/// The same for numbers of so many bits and no sign: known where one of them can be any such number, else found by the next bit.
fn of_bits(op: BinaryOp, a: Numbers, b: Numbers, bits: u32) -> Numbers {
    let all = Numbers { low: 0, high: (1 << bits) - 1 };
    match op {
        _ if a != all && b != all => by_bit(op, a, b, bits - 1, 1 << (bits - 1)),
        BinaryOp::BitAnd => Numbers { low: 0, high: a.high.min(b.high) },
        BinaryOp::BitOr => Numbers { low: a.low.max(b.low), high: all.high },
        _ => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extremes_of_bit_operations_are_those_of_all_pairs() {
        let ends: Vec<i128> = (-9..=9).collect();
        for &a in &ends {
            for &c in &ends {
                for (b, d) in [(a, c), (a + 3, c + 1), (a + 11, c + 6)] {
                    for op in [BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor] {
                        let of = |x: i128, y: i128| match op {
                            BinaryOp::BitAnd => x & y,
                            BinaryOp::BitOr => x | y,
                            _ => x ^ y,
                        };
                        let all = (a..=b).flat_map(|x| (c..=d).map(move |y| of(x, y)));
                        let exact = all.map(|n| Numbers { low: n, high: n }).reduce(Numbers::with).expect("a pair");
                        let found = bitwise(op, Numbers { low: a, high: b }, Numbers { low: c, high: d });
                        assert_eq!(found, exact, "{op:?} on [{a}, {b}] and [{c}, {d}]");
                    }
                }
            }
        }
    }
}
