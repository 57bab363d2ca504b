//! The algorithm by itself: every dividend of a binade by many divisors, beside the quotient.

use super::{Limits, OF_DOUBLES, OF_FLOATS};

/// By the constants that the pass has.
fn corrected(limits: &Limits, a: f64, b: f64) -> f64 {
    let y = limits.number(limits.reciprocals(&[limits.bits(b)]).expect("it is within the limits")[0]);
    if limits.digits == 23 {
        let (a, b, y) = (a as f32, b as f32, y as f32);
        let q = a * y;
        f64::from(q.mul_add(b, -a).mul_add(-y, q))
    } else {
        let q = a * y;
        q.mul_add(b, -a).mul_add(-y, q)
    }
}

/// By a constant in two parts.
fn in_parts(limits: &Limits, a: f64, b: f64) -> f64 {
    let divisor = [limits.bits(b)];
    let upper = limits.reciprocals(&divisor).expect("it is within the limits");
    let lower = limits.lower_parts(&divisor, &upper).expect("it has few digits");
    let [upper, lower] = [upper, lower].map(|bits| limits.number(bits[0]));
    if limits.digits == 23 {
        f64::from((a as f32).mul_add(upper as f32, a as f32 * lower as f32))
    } else {
        a.mul_add(upper, a * lower)
    }
}

#[test]
fn every_dividend_of_a_binade_is_divided_as_by_a_division_by_few_digits() {
    for divisor in [3.0f32, 255.0, 127.5, 65535.0, 1_000_003.0, 2_097_151.0, 0.3125, 2_097_149.0 / 1_048_576.0] {
        for bits in (0x3f80_0000..0x4000_0000).step_by(5) {
            let dividend = f32::from_bits(bits);
            let found = in_parts(&OF_FLOATS, dividend.into(), divisor.into());
            assert_eq!(found, f64::from(dividend / divisor), "{dividend:e} / {divisor:e}");
        }
    }
    let limits = OF_FLOATS;
    let bits = [limits.bits(f64::from(0.1f32))];
    assert_eq!(limits.lower_parts(&bits, &limits.reciprocals(&bits).expect("it is within the limits")), None);
}

#[test]
fn numbers_are_divided_by_few_digits_as_by_a_division() {
    let mut state = 3u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 11
    };
    for _ in 0..400_000 {
        // All digits of a dividend, and up to 21 and 50 of a divisor.
        let a = f32::from_bits(((94 + next() % 100) << 23 | next() & 0x7f_ffff) as u32 | (next() as u32) << 31);
        let b = f32::from_bits(((63 + next() % 87) << 23 | 8 | next() & 0x7f_fff8) as u32);
        let found = in_parts(&OF_FLOATS, a.into(), b.into());
        assert!(found == f64::from(a / b) || (a / b).abs() > 1e38, "{a:e} / {b:e}: {found:e}");
        let a = f64::from_bits((757 + next() % 800) << 52 | next() & 0xf_ffff_ffff_ffff);
        let b = f64::from_bits((523 + next() % 600) << 52 | 8 | next() & 0xf_ffff_ffff_fff8);
        let found = in_parts(&OF_DOUBLES, a, b);
        assert!(found == a / b || a / b > 1e308, "{a:e} / {b:e}: {found:e}");
    }
}

#[test]
fn every_dividend_of_a_binade_is_divided_as_by_a_division() {
    for divisor in [3.0f32, 255.0, 0.1, 1.9999999, 1.0000001, 1.7320508, 16777214.0, 5.6e-20] {
        for bits in (0x3f80_0000..0x4000_0000).step_by(7) {
            let dividend = f32::from_bits(bits);
            let found = corrected(&OF_FLOATS, dividend.into(), divisor.into());
            assert_eq!(found, f64::from(dividend / divisor), "{dividend:e} / {divisor:e}");
        }
    }
}

#[test]
fn numbers_of_all_sizes_within_the_limits_are_divided_as_by_a_division() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 11
    };
    for _ in 0..400_000 {
        // Exponents of dividends from the least one to where quotients are infinite, of divisors within their limits.
        let a = f32::from_bits(((27 + next() % 200) << 23 | next() & 0x7f_ffff) as u32 | (next() as u32) << 31);
        let b = f32::from_bits(((63 + next() % 87) << 23 | 1 | next() & 0x7f_ffff) as u32);
        let found = corrected(&OF_FLOATS, a.into(), b.into());
        assert!(found.is_nan() || found == f64::from(a / b), "{a:e} / {b:e}: {found:e}");
        assert!(!found.is_nan() || (a / b).abs() > 1e38, "{a:e} / {b:e}");
        let a = f64::from_bits((223 + next() % 1600) << 52 | next() & 0xf_ffff_ffff_ffff);
        let b = f64::from_bits((523 + next() % 600) << 52 | 1 | next() & 0xf_ffff_ffff_ffff);
        let found = corrected(&OF_DOUBLES, a, b);
        assert!(found == a / b || found.is_nan() && a / b > 1e308, "{a:e} / {b:e}: {found:e}");
    }
    for zero in [0.0f32, -0.0] {
        assert_eq!(corrected(&OF_FLOATS, zero.into(), 3.0).to_bits(), f64::from(zero).to_bits());
    }
}
