//! `float16` of the language: IEEE 754 binary16, of which Rust has no type yet.

use core::cmp::Ordering;
use core::fmt;

/// A number of 16 bits: a sign, 5 bits of exponent, 10 of fraction. It is for storage; who computes makes an `f32` of it.
///
/// Numbers are compared as numbers: `-0.0` is `0.0`, and what is not a number equals nothing.
///
/// ```
/// use ivl::Float16;
///
/// let third = Float16::from_f32(1.0 / 3.0);
/// assert_eq!(third.to_f32(), 0.33325195);
/// assert_eq!(Float16::from_f32(65520.0).to_f32(), f32::INFINITY);
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Default)]
pub struct Float16(u16);

impl Float16 {
    /// The number that these bits are.
    pub const fn from_bits(bits: u16) -> Self {
        Float16(bits)
    }

    /// Its bits.
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The nearest number, ties to even; from 65520 on infinity. What is not a number keeps the upper bits of its payload and becomes
    /// quiet.
    pub const fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let sign = (bits >> 16 & 0x8000) as u16;
        let magnitude = bits & 0x7fff_ffff;
        if magnitude > 0x7f80_0000 {
            return Float16(sign | 0x7e00 | (magnitude >> 13 & 0x3ff) as u16);
        }
        if magnitude >= 0x4780_0000 {
            return Float16(sign | 0x7c00);
        }
        // What is below the least normal number has all of its fraction shifted down by as much as the exponent is less.
        let exponent = magnitude >> 23;
        let (whole, cut) = match exponent {
            113.. => (magnitude - (112 << 23), 13),
            102..113 => (magnitude & 0x7f_ffff | 0x80_0000, 126 - exponent),
            _ => return Float16(sign),
        };
        let kept = whole >> cut;
        let rest = whole & ((1 << cut) - 1);
        let half = 1 << (cut - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        Float16(sign | (kept + up as u32) as u16)
    }

    /// The nearest number, ties to even: rounded once, and not by way of `f32`.
    pub const fn from_f64(value: f64) -> Self {
        let narrow = value as f32;
        let back = narrow as f64;
        if back == value || value.is_nan() {
            return Float16::from_f32(narrow);
        }
        // The neighbour towards zero with its last bit set is rounded as the number itself is: `f32` has two bits more than it takes.
        let bits = narrow.to_bits();
        let below = if back.abs() > value.abs() { bits - 1 } else { bits };
        Float16::from_f32(f32::from_bits(below | 1))
    }

    /// The same number.
    pub const fn to_f32(self) -> f32 {
        let sign = (self.0 as u32 & 0x8000) << 16;
        let magnitude = self.0 as u32 & 0x7fff;
        let bits = match magnitude >> 10 {
            // Units of the last place, of which 2²⁴ are 1.
            0 => return f32::from_bits(sign | (magnitude as f32 / (1 << 24) as f32).to_bits()),
            31 if magnitude > 0x7c00 => magnitude << 13 | 0x7fc0_0000,
            31 => 0x7f80_0000,
            _ => (magnitude << 13) + (112 << 23),
        };
        f32::from_bits(sign | bits)
    }

    /// The same number.
    pub const fn to_f64(self) -> f64 {
        self.to_f32() as f64
    }
}

impl PartialEq for Float16 {
    fn eq(&self, other: &Self) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for Float16 {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
}

impl fmt::Debug for Float16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_f32(), f)
    }
}

impl fmt::Display for Float16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_f32(), f)
    }
}

impl From<Float16> for f32 {
    fn from(value: Float16) -> f32 {
        value.to_f32()
    }
}

impl From<Float16> for f64 {
    fn from(value: Float16) -> f64 {
        value.to_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the definition of binary16 says that bits are; all of it is exact in `f64`.
    fn defined(bits: u16) -> f64 {
        let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(-24),
            31 if fraction != 0.0 => f64::NAN,
            31 => f64::INFINITY,
            _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
        };
        if bits >> 15 == 1 { -magnitude } else { magnitude }
    }

    #[test]
    fn each_number_is_what_the_standard_says_and_comes_back() {
        for bits in 0..=u16::MAX {
            let half = Float16::from_bits(bits);
            let number = defined(bits);
            if number.is_nan() {
                assert!(half.to_f32().is_nan());
                assert_eq!(Float16::from_f32(half.to_f32()).to_bits(), bits | 0x200);
                continue;
            }
            assert_eq!(half.to_f64().to_bits(), number.to_bits(), "{bits:#x}");
            assert_eq!(Float16::from_f32(half.to_f32()).to_bits(), bits);
            assert_eq!(Float16::from_f64(number).to_bits(), bits);
        }
    }

    #[test]
    fn between_neighbours_the_nearer_is_taken_and_of_ties_the_even_one() {
        for bits in 0..0x7c00u16 {
            // The step above the greatest number ends where the next exponent would begin.
            let (low, high) = (defined(bits), if bits == 0x7bff { 65536.0 } else { defined(bits + 1) });
            let middle = (low + high) / 2.0;
            let even = bits + (bits & 1);
            for sign in [0, 0x8000u16] {
                let signed = |x: f64| if sign == 0 { x } else { -x };
                let wide = |x: f64| Float16::from_f64(signed(x)).to_bits();
                let narrow = |x: f32| Float16::from_f32(signed(x.into()) as f32).to_bits();
                assert_eq!(
                    [wide(middle.next_down()), wide(middle), wide(middle.next_up())],
                    [bits, even, bits + 1].map(|b| b | sign)
                );
                let single = middle as f32;
                assert_eq!(
                    [narrow(single.next_down()), narrow(single), narrow(single.next_up())],
                    [bits, even, bits + 1].map(|b| b | sign)
                );
            }
        }
    }

    #[test]
    fn what_is_out_of_range_is_infinite_or_zero() {
        let bits = |x: f64| Float16::from_f64(x).to_bits();
        assert_eq!([bits(f64::MAX), bits(-1e39), bits(f64::NEG_INFINITY)], [0x7c00, 0xfc00, 0xfc00]);
        assert_eq!([bits(f64::from_bits(1)), bits(-1e-46), bits(-1e-39), bits(-0.0)], [0, 0x8000, 0x8000, 0x8000]);
        assert_eq!(Float16::from_f32(f32::from_bits(0x7f80_0001)).to_bits(), 0x7e00);
        assert_eq!(Float16::from_f64(f64::from_bits(0xfff0_0000_0000_0001)).to_bits() & 0xfe00, 0xfe00);
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let [zero, less, nan] = [0, 0x8000, 0x7e00].map(Float16::from_bits);
        assert_eq!(zero, less);
        assert_ne!(nan, nan);
        assert!(Float16::from_f32(-2.0) < Float16::from_f32(-1.5));
        assert_eq!(format!("{} {:?}", Float16::from_f32(0.5), Float16::from_f32(1.0)), "0.5 1.0");
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_processor_says_the_same() {
        if !std::arch::is_x86_feature_detected!("f16c") {
            return;
        }
        use std::arch::x86_64::{_mm_cvtps_ph, _mm_cvtsi128_si32, _mm_set_ss};
        #[target_feature(enable = "f16c")]
        fn converted(x: f32) -> u16 {
            _mm_cvtsi128_si32(_mm_cvtps_ph::<0>(_mm_set_ss(x))) as u16
        }
        let mut bits = 0u32;
        loop {
            let x = f32::from_bits(bits);
            // SAFETY: the processor has the instruction.
            assert_eq!(Float16::from_f32(x).to_bits(), unsafe { converted(x) }, "{bits:#x}");
            match bits.checked_add(257) {
                Some(next) => bits = next,
                None => break,
            }
        }
    }
}
