//! Lanes that change places, at every element and length.

use super::{Cases, LENGTHS, RandomLanes};
use crate::vector::ir::{Element, ReduceOp, Type};
use ivl_random::Random;

const ELEMENTS: [Element; 8] =
    [Element::Bool, Element::I8, Element::I16, Element::I32, Element::I64, Element::F32, Element::F64, Element::Ptr];

const I32: Type = Type { element: Element::I32, length: 1 };

fn types() -> impl Iterator<Item = Type> {
    LENGTHS.into_iter().flat_map(|length| ELEMENTS.map(|element| Type::new(element, length)))
}

#[test]
fn splats_ramps_and_constants() {
    let (mut cases, mut random) = (Cases::default(), Random::new(21));
    for ty in types() {
        let a = random.lanes(ty.with_length(1));
        let all = vec![a[0]; ty.length.into()];
        cases.add(format!("splat {ty:?}"), &[(ty.with_length(1), a)], (ty, all), |b, v| b.splat(v[0], ty.length));
        if ty.element.is_int() {
            let base = random.lanes(ty.with_length(1));
            for step in [1, -3, 1000] {
                let lane = |k: u64| (base[0] as i64).wrapping_add(step * k as i64) as u64 & super::low_bits(ty.element);
                let lanes = (0..ty.length.into()).map(lane).collect();
                cases.add(format!("ramp {ty:?} {step}"), &[(ty.with_length(1), base.clone())], (ty, lanes), |b, v| {
                    b.ramp(v[0], step, false, ty.length)
                });
            }
        }
        if ty.element != Element::Ptr {
            let lanes = random.lanes(ty);
            cases.add(format!("constant {ty:?}"), &[], (ty, lanes.clone()), |b, _| b.constant(ty, &lanes));
        }
    }
    cases.run_at(&[0, 3]);
}

#[test]
fn single_lanes_by_indices_of_any_size() {
    let (mut cases, mut random) = (Cases::default(), Random::new(22));
    for ty in types() {
        let (a, x) = (random.lanes(ty), random.lanes(ty.with_length(1)));
        for index in [0, u64::from(ty.length) - 1, 5, 0xffff_ffff, random.bits() & 0xffff_ffff] {
            let place = (index % u64::from(ty.length)) as usize;
            let one = ty.with_length(1);
            let inputs = [(ty, a.clone()), (I32, vec![index]), (one, x.clone())];
            cases.add(format!("extract {ty:?}"), &inputs, (one, vec![a[place]]), |b, v| b.extract(v[0], v[1]));
            let mut with = a.clone();
            with[place] = x[0];
            cases.add(format!("insert {ty:?}"), &inputs, (ty, with.clone()), |b, v| b.insert(v[0], v[2], v[1]));
            cases.add(format!("insert at constant {ty:?}"), &inputs, (ty, with), |b, v| {
                let index = b.int(I32, place as i64);
                b.insert(v[0], v[2], index)
            });
        }
    }
    cases.run();
}

#[test]
fn shuffles_by_constants() {
    let (mut cases, mut random) = (Cases::default(), Random::new(23));
    for ty in types() {
        let length = usize::from(ty.length);
        for results in [1, 2, 4, length, (2 * length).min(64)] {
            for kind in 0..4 {
                let (a, c) = (random.lanes(ty), random.lanes(ty));
                let mut lane = |k: usize| match kind {
                    0 => (random.bits() % (2 * length as u64)) as i16,
                    1 => (random.bits() % (2 * length as u64 + 1)) as i16 - 1,
                    2 => (random.bits() % (length as u64 + 1)) as i16 - 1,
                    _ => (length - 1 - k % length) as i16,
                };
                let lanes: Vec<i16> = (0..results).map(&mut lane).collect();
                let pick = |&lane: &i16| match lane {
                    -1 => 0,
                    lane if (lane as usize) < length => a[lane as usize],
                    lane => c[lane as usize - length],
                };
                let result = ty.with_length(results as u8);
                let expected = (result, lanes.iter().map(pick).collect());
                let inputs = [(ty, a.clone()), (ty, c.clone())];
                cases.add(format!("shuffle {ty:?} {lanes:?}"), &inputs, expected, |b, v| b.shuffle(v[0], v[1], &lanes));
            }
        }
    }
    cases.run();
}

#[test]
fn permutations_by_indices_of_any_size() {
    for element in ELEMENTS {
        let (mut cases, mut random) = (Cases::default(), Random::new(24));
        for length in LENGTHS {
            let ty = Type::new(element, length);
            for results in [1, 4, length, 32] {
                for index in [Element::I8, Element::I16, Element::I32, Element::I64] {
                    // All index types for the same length, one for the others, in turn.
                    if results != length && index != [Element::I8, Element::I32, Element::I64][usize::from(results) % 3] {
                        continue;
                    }
                    let (a, c) = (random.lanes(ty), random.lanes(ty));
                    let indices = random.lanes(Type::new(index, results));
                    let inputs = [(ty, a.clone()), (ty, c.clone()), (Type::new(index, results), indices.clone())];
                    let lanes = indices.iter().map(|index| a[(index % u64::from(length)) as usize]).collect();
                    let result = ty.with_length(results);
                    cases.add(format!("permute {ty:?} {index:?}x{results}"), &inputs, (result, lanes), |b, v| {
                        b.permute(v[0], v[2])
                    });
                    let both: Vec<u64> = a.iter().chain(&c).copied().collect();
                    let lanes = indices.iter().map(|index| both[(index % both.len() as u64) as usize]).collect();
                    cases.add(format!("permute2 {ty:?} {index:?}x{results}"), &inputs, (result, lanes), |b, v| {
                        b.permute2(v[0], v[1], v[2])
                    });
                }
            }
        }
        cases.run();
    }
}

#[test]
fn lanes_that_are_on_are_packed_and_taken_apart() {
    for element in ELEMENTS {
        let (mut cases, mut random) = (Cases::default(), Random::new(26));
        for length in LENGTHS {
            let ty = Type::new(element, length);
            for kind in 0..4 {
                let a = random.lanes(ty);
                let mask: Vec<u64> = match kind {
                    0 => vec![0; length.into()],
                    1 => vec![1; length.into()],
                    _ => (0..length).map(|_| random.bits() & 1).collect(),
                };
                let on: Vec<usize> = (0..usize::from(length)).filter(|&i| mask[i] == 1).collect();
                let mut packed = vec![0; length.into()];
                let mut apart = packed.clone();
                for (k, &i) in on.iter().enumerate() {
                    packed[k] = a[i];
                    apart[i] = a[k];
                }
                let inputs = [(ty, a), (ty.mask(), mask)];
                cases.add(format!("compress {ty:?} {kind}"), &inputs, (ty, packed), |b, v| b.compress(v[0], v[1]));
                cases.add(format!("expand {ty:?} {kind}"), &inputs, (ty, apart), |b, v| b.expand(v[0], v[1]));
            }
        }
        cases.run();
    }
}

#[test]
fn bits_are_other_lanes() {
    let (mut cases, mut random) = (Cases::default(), Random::new(27));
    let is_pointer = |ty: &Type| ty.element == Element::Ptr;
    for from in types().filter(|ty| !is_pointer(ty)) {
        let bits_of = |ty: Type| ty.element.bits() * u32::from(ty.length);
        for to in types().filter(|ty| !is_pointer(ty) && bits_of(*ty) == bits_of(from) && ty.length != from.length) {
            let a = random.lanes(from);
            let bit = |k: u32| a[(k / from.element.bits()) as usize] >> (k % from.element.bits()) & 1;
            let lane = |i: u32| (0..to.element.bits()).map(|j| bit(i * to.element.bits() + j) << j).sum();
            let expected = (to, (0..to.length.into()).map(lane).collect());
            cases.add(format!("{from:?} as {to:?}"), &[(from, a.clone())], expected, |b, v| b.reinterpret(v[0], to));
        }
    }
    cases.run();
}

/// In tree order: lane i with lane i + N/2, then N/4, …
fn tree(mut lanes: Vec<u64>, combine: impl Fn(u64, u64) -> u64) -> u64 {
    while lanes.len() > 1 {
        let (low, high) = lanes.split_at(lanes.len() / 2);
        lanes = low.iter().zip(high).map(|(&a, &b)| combine(a, b)).collect();
    }
    lanes[0]
}

fn reduce(op: ReduceOp, element: Element, lanes: &[u64]) -> u64 {
    let bits = super::low_bits(element);
    let float = |single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64| {
        tree(lanes.to_vec(), |a, b| match element {
            Element::F32 => u64::from(single(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits()),
            _ => double(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        })
    };
    let signed_by = |pick: fn(i64, i64) -> i64| {
        lanes.iter().map(|&lane| super::signed(element, lane)).reduce(pick).expect("a lane") as u64 & bits
    };
    match op {
        ReduceOp::Add => lanes.iter().fold(0u64, |a, &b| a.wrapping_add(b)) & bits,
        ReduceOp::Mul => lanes.iter().fold(1u64, |a, &b| a.wrapping_mul(b)) & bits,
        ReduceOp::SMin => signed_by(i64::min),
        ReduceOp::SMax => signed_by(i64::max),
        ReduceOp::UMin => *lanes.iter().min().expect("a lane"),
        ReduceOp::UMax => *lanes.iter().max().expect("a lane"),
        ReduceOp::And => lanes.iter().fold(bits, |a, &b| a & b),
        ReduceOp::Or => lanes.iter().fold(0, |a, &b| a | b),
        ReduceOp::Xor => lanes.iter().fold(0, |a, &b| a ^ b),
        ReduceOp::FAdd => float(|a, b| a + b, |a, b| a + b),
        ReduceOp::FMul => float(|a, b| a * b, |a, b| a * b),
        ReduceOp::FMin => float(|a, b| if a < b { a } else { b }, |a, b| if a < b { a } else { b }),
        ReduceOp::FMax => float(|a, b| if a > b { a } else { b }, |a, b| if a > b { a } else { b }),
    }
}

#[test]
fn reductions_in_tree_order() {
    let (mut cases, mut random) = (Cases::default(), Random::new(25));
    let ints = [
        ReduceOp::Add,
        ReduceOp::Mul,
        ReduceOp::SMin,
        ReduceOp::SMax,
        ReduceOp::UMin,
        ReduceOp::UMax,
        ReduceOp::And,
        ReduceOp::Or,
        ReduceOp::Xor,
    ];
    for ty in types() {
        let ops: &[ReduceOp] = match ty.element {
            Element::Bool => &[ReduceOp::And, ReduceOp::Or, ReduceOp::Xor],
            Element::Ptr => &[],
            element if element.is_float() => &[ReduceOp::FAdd, ReduceOp::FMul, ReduceOp::FMin, ReduceOp::FMax],
            _ => &ints,
        };
        for &op in ops {
            for round in 0..2 {
                let mut a = random.lanes(ty);
                if round == 1 && ty.element == Element::Bool {
                    a.fill(u64::from(op == ReduceOp::And));
                }
                let expected = (ty.with_length(1), vec![reduce(op, ty.element, &a)]);
                cases.add(format!("reduce {op:?} {ty:?}"), &[(ty, a)], expected, |b, v| b.reduce(op, v[0]));
            }
        }
    }
    cases.run();
}
