//! Every conversion between every two elements, at every length.

use super::{Cases, LENGTHS, RandomLanes, low_bits, signed};
use crate::vector::ir::{ConvertOp, Element, Type};
use ivl_random::Random;

const INTS: [Element; 4] = [Element::I8, Element::I16, Element::I32, Element::I64];
const FLOATS: [Element; 2] = [Element::F32, Element::F64];

fn float(element: Element, bits: u64) -> f64 {
    if element == Element::F32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

/// Rust's casts saturate and take NaN to 0, as ours do; integers to floats round once.
fn convert(op: ConvertOp, from: Element, to: Element, a: u64) -> u64 {
    let value = float(from, a);
    let single = to == Element::F32;
    match op {
        ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::Bits | ConvertOp::PtrToInt | ConvertOp::IntToPtr => a & low_bits(to),
        ConvertOp::SExt => signed(from, a) as u64 & low_bits(to),
        ConvertOp::FToS => match to {
            Element::I8 => value as i8 as u64,
            Element::I16 => value as i16 as u64,
            Element::I32 => value as i32 as u64,
            _ => value as i64 as u64,
        },
        ConvertOp::FToU => match to {
            Element::I8 => u64::from(value as u8),
            Element::I16 => u64::from(value as u16),
            Element::I32 => u64::from(value as u32),
            _ => value as u64,
        },
        ConvertOp::SToF if single => u64::from((signed(from, a) as f32).to_bits()),
        ConvertOp::SToF => (signed(from, a) as f64).to_bits(),
        ConvertOp::UToF if single => u64::from((a as f32).to_bits()),
        ConvertOp::UToF => (a as f64).to_bits(),
        ConvertOp::FToF if single => u64::from((value as f32).to_bits()),
        ConvertOp::FToF => value.to_bits(),
        ConvertOp::HToF => u64::from(ivl::Float16::from_bits(a as u16).to_f32().to_bits()),
        ConvertOp::FToH => ivl::Float16::from_f32(f32::from_bits(a as u32)).to_bits().into(),
    }
}

fn pairs() -> Vec<(ConvertOp, Element, Element)> {
    let mut pairs = Vec::new();
    for from in INTS {
        for to in INTS {
            match from.bits().cmp(&to.bits()) {
                std::cmp::Ordering::Less => pairs.extend([(ConvertOp::SExt, from, to), (ConvertOp::ZExt, from, to)]),
                std::cmp::Ordering::Equal => {}
                std::cmp::Ordering::Greater => pairs.push((ConvertOp::Trunc, from, to)),
            }
        }
        for float in FLOATS {
            pairs.extend([(ConvertOp::SToF, from, float), (ConvertOp::UToF, from, float)]);
            pairs.extend([(ConvertOp::FToS, float, from), (ConvertOp::FToU, float, from)]);
        }
        pairs.push((ConvertOp::ZExt, Element::Bool, from));
    }
    for float in FLOATS {
        pairs.push((ConvertOp::UToF, Element::Bool, float));
    }
    pairs.extend([
        (ConvertOp::FToF, Element::F32, Element::F64),
        (ConvertOp::FToF, Element::F64, Element::F32),
        (ConvertOp::HToF, Element::I16, Element::F32),
        (ConvertOp::FToH, Element::F32, Element::I16),
        (ConvertOp::PtrToInt, Element::Ptr, Element::I64),
        (ConvertOp::IntToPtr, Element::I64, Element::Ptr),
        (ConvertOp::Bits, Element::F32, Element::I32),
        (ConvertOp::Bits, Element::I32, Element::F32),
        (ConvertOp::Bits, Element::F64, Element::I64),
        (ConvertOp::Bits, Element::I64, Element::F64),
    ]);
    pairs
}

fn cases(lengths: &[u8]) -> Cases {
    let (mut cases, mut random) = (Cases::default(), Random::new(11));
    for &length in lengths {
        for (op, from, to) in pairs() {
            for _ in 0..if length < 16 { 4 } else { 1 } {
                let (from, to) = (Type::new(from, length), Type::new(to, length));
                let a = random.lanes(from);
                let expected = a.iter().map(|&a| convert(op, from.element, to.element, a)).collect();
                cases
                    .add(format!("{op:?} {from:?} {to:?}"), &[(from, a)], (to, expected), |b, v| b.convert(op, v[0], to.element));
            }
        }
    }
    cases
}

#[test]
fn conversions() {
    cases(&LENGTHS).run();
}

#[test]
fn conversions_without_optimisation() {
    cases(&[1, 4, 16]).run_at(&[0]);
}

/// All edges of the ranges of integers, for every float around them.
#[test]
fn floats_around_the_ends_of_integers() {
    let mut cases = Cases::default();
    for from in FLOATS {
        for to in INTS {
            for op in [ConvertOp::FToS, ConvertOp::FToU] {
                let mut values = Vec::new();
                for power in [7, 8, 15, 16, 31, 32, 63, 64] {
                    let end = (1u128 << power) as f64;
                    let next = |value: f64| match from {
                        Element::F32 => {
                            let value = value as f32;
                            [f64::from(value.next_down()), f64::from(value), f64::from(value.next_up())]
                        }
                        _ => [value.next_down(), value, value.next_up()],
                    };
                    values.extend(next(end));
                    values.extend(next(-end));
                    values.extend(next(end - 1.0));
                    values.extend(next(-end - 1.0));
                }
                let bits =
                    |value: &f64| if from == Element::F32 { u64::from((*value as f32).to_bits()) } else { value.to_bits() };
                for chunk in values.chunks(8) {
                    let (from, to) = (Type::new(from, 8), Type::new(to, 8));
                    let a: Vec<u64> = chunk.iter().map(bits).collect();
                    let expected = a.iter().map(|&a| convert(op, from.element, to.element, a)).collect();
                    cases.add(format!("{op:?} {from:?} {to:?}"), &[(from, a)], (to, expected), |b, v| {
                        b.convert(op, v[0], to.element)
                    });
                }
            }
        }
    }
    cases.run();
}
