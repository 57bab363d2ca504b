//! Sums of products of neighbours, of all signs.

use super::{Cases, RandomLanes, low_bits, signed};
use crate::vector::ir::{Element, Type};
use ivl_random::Random;

/// The sum of a number and of products, in 32 bits.
fn sum(first: u64, products: impl Iterator<Item = i64>) -> u64 {
    products.fold(first, |sum, product| sum.wrapping_add(product as u64)) & low_bits(Element::I32)
}

#[test]
fn sums_of_two_and_of_four_products() {
    let (mut cases, mut random) = (Cases::default(), Random::new(11));
    for length in [2, 4, 8, 16, 32, 64] {
        let ty = Type::new(Element::I16, length);
        for _ in 0..4 {
            let (a, c) = (random.lanes(ty), random.lanes(ty));
            let product = |k: usize| signed(ty.element, a[k]) * signed(ty.element, c[k]);
            let expected = (0..usize::from(length / 2)).map(|i| sum(0, (2 * i..2 * i + 2).map(product))).collect();
            let inputs = [(ty, a.clone()), (ty, c.clone())];
            cases
                .add(format!("dot2 {ty:?}"), &inputs, (Type::new(Element::I32, length / 2), expected), |b, v| b.dot2(v[0], v[1]));
        }
    }
    for length in [4, 8, 16, 32, 64] {
        let (ty, wide) = (Type::new(Element::I8, length), Type::new(Element::I32, length / 4));
        for signs in [[true, true], [true, false], [false, true], [false, false]] {
            let (a, c, d) = (random.lanes(ty), random.lanes(ty), random.lanes(wide));
            let number = |bits: u64, is_signed: bool| if is_signed { signed(ty.element, bits) } else { bits as i64 };
            let product = |k: usize| number(a[k], signs[0]) * number(c[k], signs[1]);
            let lane = |i: usize| sum(d[i], (4 * i..4 * i + 4).map(product));
            let expected = (0..usize::from(wide.length)).map(lane).collect();
            let inputs = [(ty, a.clone()), (ty, c.clone()), (wide, d.clone())];
            cases.add(format!("dot4 {signs:?} {ty:?}"), &inputs, (wide, expected), |b, v| b.dot4(v[0], v[1], v[2], signs));
        }
    }
    cases.run();
}
