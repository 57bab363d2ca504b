//! Every element-wise operation at every element and length.

use super::{Cases, LENGTHS, RandomLanes, low_bits, signed};
use crate::vector::ir::{BinaryOp, CompareOp, Element, FpMode, Type, UnaryOp};
use ivl_random::Random;

const INTS: [Element; 4] = [Element::I8, Element::I16, Element::I32, Element::I64];
const FLOATS: [Element; 2] = [Element::F32, Element::F64];

/// The operation on one lane, by bits.
fn unary(op: UnaryOp, element: Element, a: u64) -> u64 {
    let bits = element.bits();
    let f32s = |f: fn(f32) -> f32| u64::from(f(f32::from_bits(a as u32)).to_bits());
    let f64s = |f: fn(f64) -> f64| f(f64::from_bits(a)).to_bits();
    let float = |single: fn(f32) -> f32, double: fn(f64) -> f64| if bits == 32 { f32s(single) } else { f64s(double) };
    let result = match op {
        UnaryOp::Neg => a.wrapping_neg(),
        UnaryOp::Not => !a,
        UnaryOp::Likely => a,
        UnaryOp::Abs => signed(element, a).wrapping_abs() as u64,
        UnaryOp::FNeg => a ^ (1 << (bits - 1)),
        UnaryOp::FAbs => a & !(1 << (bits - 1)),
        UnaryOp::Sqrt => float(f32::sqrt, f64::sqrt),
        UnaryOp::Rsqrt => float(|x| 1.0 / x.sqrt(), |x| 1.0 / x.sqrt()),
        UnaryOp::Rcp => float(|x| 1.0 / x, |x| 1.0 / x),
        UnaryOp::Floor => float(f32::floor, f64::floor),
        UnaryOp::Ceil => float(f32::ceil, f64::ceil),
        UnaryOp::Round => float(f32::round, f64::round),
        UnaryOp::Trunc => float(f32::trunc, f64::trunc),
        UnaryOp::Rint => float(f32::round_ties_even, f64::round_ties_even),
        UnaryOp::Clz => u64::from(a.leading_zeros() - (64 - bits)),
        UnaryOp::Ctz => u64::from(a.trailing_zeros().min(bits)),
        UnaryOp::Popcnt => u64::from(a.count_ones()),
        UnaryOp::BitReverse => a.reverse_bits() >> (64 - bits),
    };
    result & low_bits(element)
}

fn binary(op: BinaryOp, element: Element, a: u64, b: u64) -> u64 {
    let bits = element.bits();
    let (sa, sb) = (i128::from(signed(element, a)), i128::from(signed(element, b)));
    let count = b % u64::from(bits);
    let float = |single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64| {
        if bits == 32 {
            u64::from(single(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits())
        } else {
            double(f64::from_bits(a), f64::from_bits(b)).to_bits()
        }
    };
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::SDiv => sa.checked_div(sb).unwrap_or(0) as u64,
        BinaryOp::SRem => sa.checked_rem(sb).unwrap_or(0) as u64,
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(0),
        BinaryOp::URem => a.checked_rem(b).unwrap_or(0),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << count,
        BinaryOp::LShr => a >> count,
        BinaryOp::AShr => (signed(element, a) >> count) as u64,
        BinaryOp::SMin => sa.min(sb) as u64,
        BinaryOp::SMax => sa.max(sb) as u64,
        BinaryOp::UMin => a.min(b),
        BinaryOp::UMax => a.max(b),
        BinaryOp::SAddSat => (sa + sb).clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) as u64,
        BinaryOp::UAddSat => (i128::from(a) + i128::from(b)).min((1 << bits) - 1) as u64,
        BinaryOp::SSubSat => (sa - sb).clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) as u64,
        BinaryOp::USubSat => a.saturating_sub(b),
        BinaryOp::SMulHigh => ((sa * sb) >> bits) as u64,
        BinaryOp::UMulHigh => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        BinaryOp::SMulRound => ((sa * sb + (1 << (bits - 2))) >> (bits - 1)) as u64,
        BinaryOp::ClMul | BinaryOp::ClMulHigh => {
            let product = (0..bits).filter(|k| b & (1 << k) != 0).map(|k| u128::from(a) << k).fold(0, |x, y| x ^ y);
            (if op == BinaryOp::ClMul { product } else { product >> bits }) as u64
        }
        BinaryOp::FScale => float(|a, n| (f64::from(a) * 2f64.powi(n as i32)) as f32, |_, _| unreachable!("it is of f32")),
        BinaryOp::FAdd => float(|a, b| a + b, |a, b| a + b),
        BinaryOp::FSub => float(|a, b| a - b, |a, b| a - b),
        BinaryOp::FMul => float(|a, b| a * b, |a, b| a * b),
        BinaryOp::FDiv => float(|a, b| a / b, |a, b| a / b),
        BinaryOp::FRem => float(|a, b| a % b, |a, b| a % b),
        BinaryOp::FMin => float(|a, b| if a < b { a } else { b }, |a, b| if a < b { a } else { b }),
        BinaryOp::FMax => float(|a, b| if a > b { a } else { b }, |a, b| if a > b { a } else { b }),
    };
    result & low_bits(element)
}

fn compare(op: CompareOp, element: Element, a: u64, b: u64) -> u64 {
    let (sa, sb) = (signed(element, a), signed(element, b));
    let number = |bits: u64| if element == Element::F32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    let (fa, fb) = (number(a), number(b));
    u64::from(match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::SLt => sa < sb,
        CompareOp::SLe => sa <= sb,
        CompareOp::SGt => sa > sb,
        CompareOp::SGe => sa >= sb,
        CompareOp::ULt => a < b,
        CompareOp::ULe => a <= b,
        CompareOp::UGt => a > b,
        CompareOp::UGe => a >= b,
        CompareOp::FEq => fa == fb,
        CompareOp::FNe => fa != fb,
        CompareOp::FLt => fa < fb,
        CompareOp::FLe => fa <= fb,
        CompareOp::FGt => fa > fb,
        CompareOp::FGe => fa >= fb,
    })
}

const INT_UNARY: [UnaryOp; 7] =
    [UnaryOp::Neg, UnaryOp::Not, UnaryOp::Abs, UnaryOp::Clz, UnaryOp::Ctz, UnaryOp::Popcnt, UnaryOp::BitReverse];

const FLOAT_UNARY: [UnaryOp; 10] = [
    UnaryOp::FNeg,
    UnaryOp::FAbs,
    UnaryOp::Sqrt,
    UnaryOp::Rsqrt,
    UnaryOp::Rcp,
    UnaryOp::Floor,
    UnaryOp::Ceil,
    UnaryOp::Round,
    UnaryOp::Trunc,
    UnaryOp::Rint,
];

const DIVISIONS: [BinaryOp; 4] = [BinaryOp::SDiv, BinaryOp::UDiv, BinaryOp::SRem, BinaryOp::URem];

const INT_BINARY: [BinaryOp; 22] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::AShr,
    BinaryOp::SMin,
    BinaryOp::SMax,
    BinaryOp::UMin,
    BinaryOp::UMax,
    BinaryOp::SAddSat,
    BinaryOp::UAddSat,
    BinaryOp::SSubSat,
    BinaryOp::USubSat,
    BinaryOp::SMulHigh,
    BinaryOp::UMulHigh,
    BinaryOp::SMulRound,
    BinaryOp::ClMul,
    BinaryOp::ClMulHigh,
];

const FLOAT_BINARY: [BinaryOp; 7] =
    [BinaryOp::FAdd, BinaryOp::FSub, BinaryOp::FMul, BinaryOp::FDiv, BinaryOp::FRem, BinaryOp::FMin, BinaryOp::FMax];

const INT_COMPARE: [CompareOp; 10] = [
    CompareOp::Eq,
    CompareOp::Ne,
    CompareOp::SLt,
    CompareOp::SLe,
    CompareOp::SGt,
    CompareOp::SGe,
    CompareOp::ULt,
    CompareOp::ULe,
    CompareOp::UGt,
    CompareOp::UGe,
];

const FLOAT_COMPARE: [CompareOp; 6] =
    [CompareOp::FEq, CompareOp::FNe, CompareOp::FLt, CompareOp::FLe, CompareOp::FGt, CompareOp::FGe];

fn add_unary(cases: &mut Cases, random: &mut Random, op: UnaryOp, ty: Type) {
    for _ in 0..if ty.length < 8 { 4 } else { 1 } {
        let a = random.lanes(ty);
        let expected = a.iter().map(|&a| unary(op, ty.element, a)).collect();
        cases.add(format!("{op:?} {ty:?}"), &[(ty, a)], (ty, expected), |b, v| b.unary(op, v[0]));
    }
}

fn add_binary(cases: &mut Cases, random: &mut Random, op: BinaryOp, ty: Type) {
    for _ in 0..if ty.length < 8 { 4 } else { 1 } {
        let (a, c) = (random.lanes(ty), random.lanes(ty));
        let expected = a.iter().zip(&c).map(|(&a, &c)| binary(op, ty.element, a, c)).collect();
        cases.add(format!("{op:?} {ty:?}"), &[(ty, a), (ty, c)], (ty, expected), |b, v| b.binary(op, v[0], v[1]));
    }
}

fn add_compare(cases: &mut Cases, random: &mut Random, op: CompareOp, ty: Type) {
    let (a, mut c) = (random.lanes(ty), random.lanes(ty));
    c.iter_mut().zip(&a).step_by(3).for_each(|(c, a)| *c = *a);
    let expected = a.iter().zip(&c).map(|(&a, &c)| compare(op, ty.element, a, c)).collect();
    cases.add(format!("{op:?} {ty:?}"), &[(ty, a), (ty, c)], (ty.mask(), expected), |b, v| b.compare(op, v[0], v[1]));
}

#[test]
fn unary_operations() {
    let (mut cases, mut random) = (Cases::default(), Random::new(1));
    for length in LENGTHS {
        for element in INTS {
            INT_UNARY.iter().for_each(|&op| add_unary(&mut cases, &mut random, op, Type::new(element, length)));
        }
        for element in FLOATS {
            FLOAT_UNARY.iter().for_each(|&op| add_unary(&mut cases, &mut random, op, Type::new(element, length)));
        }
        for op in [UnaryOp::Not, UnaryOp::Likely] {
            add_unary(&mut cases, &mut random, op, Type::new(Element::Bool, length));
        }
    }
    cases.run();
}

#[test]
fn binary_operations() {
    let (mut cases, mut random) = (Cases::default(), Random::new(2));
    for length in LENGTHS {
        for element in INTS {
            INT_BINARY.iter().for_each(|&op| add_binary(&mut cases, &mut random, op, Type::new(element, length)));
        }
        for element in FLOATS {
            FLOAT_BINARY.iter().for_each(|&op| add_binary(&mut cases, &mut random, op, Type::new(element, length)));
        }
        for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
            add_binary(&mut cases, &mut random, op, Type::new(Element::Bool, length));
        }
    }
    cases.run();
}

#[test]
fn divisions() {
    let (mut cases, mut random) = (Cases::default(), Random::new(3));
    for length in LENGTHS {
        for element in INTS {
            DIVISIONS.iter().for_each(|&op| add_binary(&mut cases, &mut random, op, Type::new(element, length)));
        }
    }
    cases.run();
}

/// All powers, of numbers that are near 1 and such that what is lost below 2⁻¹²⁶ is a half.
#[test]
fn products_with_powers_of_two() {
    let mut cases = Cases::default();
    let ty = Type::new(Element::F32, 32);
    let numbers = [1.0f32, -0.75, 1.5, f32::from_bits(0x3f80_0001), f32::from_bits(0x3fbf_ffff), 1.25e-9, -3.0e9, f32::NAN];
    for first in (-252..=254).step_by(4) {
        let (mut a, mut n) = (Vec::new(), Vec::new());
        for lane in 0..32 {
            a.push(u64::from(numbers[lane % 8].to_bits()));
            n.push(u64::from(((first + lane as i32 / 8).min(254) as f32).to_bits()));
        }
        let expected = a.iter().zip(&n).map(|(&a, &n)| binary(BinaryOp::FScale, Element::F32, a, n)).collect();
        cases.add(format!("{first} and on"), &[(ty, a), (ty, n)], (ty, expected), |b, v| b.binary(BinaryOp::FScale, v[0], v[1]));
    }
    for length in LENGTHS {
        let ty = Type::new(Element::F32, length);
        let (a, n) = (vec![u64::from(1.5f32.to_bits()); length.into()], vec![u64::from((-140f32).to_bits()); length.into()]);
        let expected = vec![binary(BinaryOp::FScale, Element::F32, a[0], n[0]); length.into()];
        cases.add(format!("{ty:?}"), &[(ty, a), (ty, n)], (ty, expected), |b, v| {
            let (one, above) = (b.float(ty, 1.0), b.float(ty, 0.5));
            let sum = b.binary(BinaryOp::FAdd, above, one);
            let scaled = b.binary(BinaryOp::FScale, sum, v[1]);
            let other = b.binary(BinaryOp::FScale, v[0], v[1]);
            let is_same = b.compare(CompareOp::FEq, scaled, other);
            let zero = b.zero(ty);
            b.select(is_same, scaled, zero)
        });
    }
    cases.run();
}

/// Every pair of bytes, and of numbers near the edges of wider ones.
#[test]
fn divisions_of_all_bytes_and_all_edges() {
    let mut cases = Cases::default();
    for op in DIVISIONS {
        for divisor in 0..=255u64 {
            let ty = Type::new(Element::I8, 64);
            for first in [0, 64, 128, 192u64] {
                let a: Vec<u64> = (first..first + 64).collect();
                let expected = a.iter().map(|&a| binary(op, ty.element, a, divisor)).collect();
                // One function for all of the dividends would do; the divisor is read like they are.
                if divisor.is_multiple_of(16) || !(4..=250).contains(&divisor) {
                    let inputs = [(ty, a), (ty, vec![divisor; 64])];
                    cases.add(format!("{op:?} by {divisor}"), &inputs, (ty, expected), |b, v| b.binary(op, v[0], v[1]));
                }
            }
        }
        for element in [Element::I16, Element::I32, Element::I64] {
            let least = 1u64 << (element.bits() - 1);
            let edges = [0, 1, 2, 3, low_bits(element), low_bits(element) - 1, least, least - 1, least + 1, least / 2, 10, 7];
            let ty = Type::new(element, 16);
            for divisor in edges {
                let a: Vec<u64> = (0..16).map(|k| edges[k % edges.len()]).collect();
                let expected = a.iter().map(|&a| binary(op, element, a, divisor)).collect();
                let name = format!("{op:?} {element:?} by {divisor:x}");
                let inputs = [(ty, a), (ty, vec![divisor; 16])];
                cases.add(name, &inputs, (ty, expected), |b, v| b.binary(op, v[0], v[1]));
            }
        }
    }
    cases.run();
}

#[test]
fn divisions_by_constants() {
    let (mut cases, mut random) = (Cases::default(), Random::new(4));
    for op in DIVISIONS {
        for element in INTS {
            for divisor in [0i64, 1, -1, 3, 7, -10, 16, 100] {
                for length in [1, 8] {
                    let ty = Type::new(element, length);
                    let a = random.lanes(ty);
                    let bits = divisor as u64 & low_bits(element);
                    let expected = a.iter().map(|&a| binary(op, element, a, bits)).collect();
                    cases.add(format!("{op:?} {ty:?} by constant {divisor}"), &[(ty, a)], (ty, expected), |b, v| {
                        let divisor = b.int(ty, divisor);
                        b.binary(op, v[0], divisor)
                    });
                }
            }
        }
    }
    cases.run();
}

#[test]
fn comparisons() {
    let (mut cases, mut random) = (Cases::default(), Random::new(5));
    for length in LENGTHS {
        for element in INTS {
            INT_COMPARE.iter().for_each(|&op| add_compare(&mut cases, &mut random, op, Type::new(element, length)));
        }
        for element in FLOATS {
            FLOAT_COMPARE.iter().for_each(|&op| add_compare(&mut cases, &mut random, op, Type::new(element, length)));
        }
        for element in [Element::Bool, Element::Ptr] {
            for op in [CompareOp::Eq, CompareOp::Ne] {
                add_compare(&mut cases, &mut random, op, Type::new(element, length));
            }
        }
        for op in [CompareOp::ULt, CompareOp::UGe] {
            add_compare(&mut cases, &mut random, op, Type::new(Element::Ptr, length));
        }
    }
    cases.run();
}

#[test]
fn fused_multiply_add_rounds_once() {
    let (mut cases, mut random) = (Cases::default(), Random::new(6));
    for length in LENGTHS {
        for element in FLOATS {
            let ty = Type::new(element, length);
            let (a, c, d) = (random.lanes(ty), random.lanes(ty), random.lanes(ty));
            let fma = |k: usize| match element {
                Element::F32 => {
                    let [a, c, d] = [a[k], c[k], d[k]].map(|bits| f32::from_bits(bits as u32));
                    u64::from(a.mul_add(c, d).to_bits())
                }
                _ => {
                    let [a, c, d] = [a[k], c[k], d[k]].map(f64::from_bits);
                    a.mul_add(c, d).to_bits()
                }
            };
            let expected = (0..length.into()).map(fma).collect();
            let inputs = [(ty, a.clone()), (ty, c.clone()), (ty, d.clone())];
            cases.add(format!("fma {ty:?}"), &inputs, (ty, expected), |b, v| b.fma(v[0], v[1], v[2]));
        }
    }
    cases.run();
}

/// 1 + 2⁻²³ squared, less its rounded square: 0 when rounded twice, 2⁻⁴⁶ when fused.
#[test]
fn products_are_not_contracted_unless_allowed() {
    let ty = Type::new(Element::F32, 8);
    let a = f32::from_bits(0x3f80_0001);
    let strict = a * a - a * a;
    let mut cases = Cases::default();
    let inputs = [(ty, vec![u64::from(a.to_bits()); 8]), (ty, vec![u64::from((a * a).to_bits()); 8])];
    cases.add("strict", &inputs, (ty, vec![u64::from(strict.to_bits()); 8]), |b, v| {
        let product = b.binary(BinaryOp::FMul, v[0], v[0]);
        b.binary(BinaryOp::FSub, product, v[1])
    });
    cases.run_at(&[0, 3]);
    if !crate::machine::Isa::Avx2.runs_here() {
        return;
    }
    let fused = u64::from(a.mul_add(a, -(a * a)).to_bits());
    assert_ne!(fused, u64::from(strict.to_bits()), "the test can tell them apart");
    let mut cases = Cases::default();
    cases.add_with_mode("contract", FpMode::Contract, &inputs, (ty, vec![fused; 8]), |b, v| {
        let product = b.binary(BinaryOp::FMul, v[0], v[0]);
        b.binary(BinaryOp::FSub, product, v[1])
    });
    cases.run_on(&[crate::machine::Isa::Avx2, crate::machine::Isa::Avx512], &[3]);
}

/// Approximations are near, and NaN is no licence: what is not a number stays what the comparison says.
#[test]
fn fast_arithmetic_is_near() {
    let mut cases = Cases::default();
    let ty = Type::new(Element::F32, 8);
    let values = [0.25f32, 1.0, 2.0, 3.0, 100.0, 1e-6, 12345.0, 7.5];
    let bits: Vec<u64> = values.iter().map(|value| u64::from(value.to_bits())).collect();
    for op in [UnaryOp::Rsqrt, UnaryOp::Rcp, UnaryOp::Sqrt] {
        let exact: Vec<u64> = bits.iter().map(|&bits| unary(op, Element::F32, bits)).collect();
        let inputs = [(ty, bits.clone()), (ty, exact)];
        cases.add_with_mode(format!("fast {op:?}"), FpMode::Fast, &inputs, (ty.mask(), vec![1; 8]), |b, v| {
            let near = b.unary(op, v[0]);
            let difference = b.binary(BinaryOp::FSub, near, v[1]);
            let size = b.unary(UnaryOp::FAbs, difference);
            let tolerance = b.float(ty, 1e-5);
            let tolerance = b.binary(BinaryOp::FMul, v[1], tolerance);
            b.compare(CompareOp::FLe, size, tolerance)
        });
    }
    let nan = [(ty, vec![u64::from(f32::NAN.to_bits()); 8])];
    cases.add_with_mode("fast NaN", FpMode::Fast, &nan, (ty.mask(), vec![1; 8]), |b, v| {
        let sum = b.binary(BinaryOp::FAdd, v[0], v[0]);
        b.compare(CompareOp::FNe, sum, sum)
    });
    cases.run();
}

#[test]
fn operations_without_optimisation() {
    let (mut cases, mut random) = (Cases::default(), Random::new(7));
    for length in [1, 4, 32] {
        for element in INTS {
            let ty = Type::new(element, length);
            INT_BINARY.iter().chain(&DIVISIONS).for_each(|&op| add_binary(&mut cases, &mut random, op, ty));
            INT_UNARY.iter().for_each(|&op| add_unary(&mut cases, &mut random, op, ty));
            INT_COMPARE.iter().for_each(|&op| add_compare(&mut cases, &mut random, op, ty));
        }
        for element in FLOATS {
            let ty = Type::new(element, length);
            FLOAT_BINARY.iter().for_each(|&op| add_binary(&mut cases, &mut random, op, ty));
            FLOAT_UNARY.iter().for_each(|&op| add_unary(&mut cases, &mut random, op, ty));
            FLOAT_COMPARE.iter().for_each(|&op| add_compare(&mut cases, &mut random, op, ty));
        }
    }
    cases.run_at(&[0]);
}
