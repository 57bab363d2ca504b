//! Masks: as bits, as choices, across blocks and across functions.

use super::{Cases, LENGTHS, RandomLanes, to_bytes};
use crate::source::Span;
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::{BinaryOp, CompareOp, Element, FunctionId, Linkage, Type, Value};
use ivl_random::Random;

const BOOL: Type = Type { element: Element::Bool, length: 1 };
const I64: Type = Type { element: Element::I64, length: 1 };
const I32: Type = Type { element: Element::I32, length: 1 };

/// None, all, one, and any lanes.
fn some_masks(random: &mut Random, length: u8) -> Vec<Vec<u64>> {
    let length = usize::from(length);
    let mut one = vec![0; length];
    one[random.bits() as usize % length] = 1;
    let any = |random: &mut Random| (0..length).map(|_| random.bits() & 1).collect();
    vec![vec![0; length], vec![1; length], one, any(random), any(random)]
}

#[test]
fn any_all_and_bits() {
    let (mut cases, mut random) = (Cases::default(), Random::new(31));
    for length in LENGTHS {
        let ty = Type::new(Element::Bool, length);
        for mask in some_masks(&mut random, length) {
            let input = [(ty, mask.clone())];
            let any = u64::from(mask.contains(&1));
            let all = u64::from(!mask.contains(&0));
            cases.add(format!("any {length}"), &input, (BOOL, vec![any]), |b, v| b.any(v[0]));
            cases.add(format!("all {length}"), &input, (BOOL, vec![all]), |b, v| b.all(v[0]));
            let bits = mask.iter().enumerate().map(|(k, bit)| bit << k).sum();
            cases.add(format!("bits {length}"), &input, (I64, vec![bits]), |b, v| b.mask_bits(v[0]));
        }
    }
    cases.run_at(&[0, 3]);
}

#[test]
fn selections() {
    let (mut cases, mut random) = (Cases::default(), Random::new(32));
    for length in LENGTHS {
        for element in [Element::Bool, Element::I8, Element::I16, Element::I32, Element::F32, Element::F64, Element::Ptr] {
            let ty = Type::new(element, length);
            for mask in some_masks(&mut random, length) {
                let (a, c) = (random.lanes(ty), random.lanes(ty));
                let lanes = (0..length.into()).map(|k: usize| if mask[k] == 1 { a[k] } else { c[k] }).collect();
                let inputs = [(ty.mask(), mask.clone()), (ty, a.clone()), (ty, c.clone()), (BOOL, vec![mask[0]])];
                cases.add(format!("select {ty:?}"), &inputs, (ty, lanes), |b, v| b.select(v[0], v[1], v[2]));
                let whole = if mask[0] == 1 { a } else { c };
                cases.add(format!("select as a whole {ty:?}"), &inputs, (ty, whole), |b, v| b.select(v[3], v[1], v[2]));
            }
        }
    }
    cases.run();
}

/// Each lane counts how often it can be halved before it is below its limit, at most 20 times: the mask of the lanes
/// that still run is a block parameter, joined with one that comes from outside.
fn count_halvings(b: &mut FunctionBuilder, x: Value, limit: Value, outside: Value) -> Value {
    let ty = b.ty(x);
    let (rest, count, active) = (b.declare_variable(ty), b.declare_variable(ty), b.declare_variable(ty.mask()));
    let round = b.declare_variable(I32);
    let (zero, one) = (b.zero(ty), b.int(ty, 1));
    let start = b.compare(CompareOp::SGe, x, limit);
    let start = b.and(start, outside);
    let first = b.zero(I32);
    for (variable, value) in [(rest, x), (count, zero), (active, start), (round, first)] {
        b.define(variable, value);
    }
    let (head, body, after) = (b.create_block(), b.create_block(), b.create_block());
    b.jump(head, &[]);
    b.position(head);
    let (mask, number) = (b.use_variable(active), b.use_variable(round));
    let (any, most) = (b.any(mask), b.int(I32, 20));
    let more = b.compare(CompareOp::SLt, number, most);
    let go = b.and(any, more);
    b.branch(go, body, &[], after, &[]);
    b.seal(body);
    b.position(body);
    let (value, counted) = (b.use_variable(rest), b.use_variable(count));
    let more = b.binary(BinaryOp::Add, counted, one);
    let counted = b.select(mask, more, counted);
    b.define(count, counted);
    let half = b.binary(BinaryOp::AShr, value, one);
    let value = b.select(mask, half, value);
    b.define(rest, value);
    let still = b.compare(CompareOp::SGe, value, limit);
    let still = b.and(mask, still);
    b.define(active, still);
    let one_more = b.int(I32, 1);
    let number = b.binary(BinaryOp::Add, number, one_more);
    b.define(round, number);
    b.jump(head, &[]);
    b.seal(head);
    b.seal(after);
    b.position(after);
    b.use_variable(count)
}

#[test]
fn masks_that_live_across_blocks() {
    let (mut cases, mut random) = (Cases::default(), Random::new(33));
    for length in LENGTHS {
        for element in [Element::I8, Element::I16, Element::I32, Element::I64] {
            let ty = Type::new(element, length);
            let x: Vec<u64> = (0..length).map(|_| random.bits() & (super::low_bits(element) >> 1)).collect();
            let limit: Vec<u64> = (0..length).map(|_| 1 + random.bits() % 100).collect();
            let outside = random.lanes(ty.mask());
            let halvings = |k: usize| {
                let (mut rest, mut count) = (x[k], 0);
                while outside[k] == 1 && rest >= limit[k] && count < 20 {
                    (rest, count) = (rest / 2, count + 1);
                }
                count
            };
            let expected = (0..length.into()).map(halvings).collect();
            let inputs = [(ty, x.clone()), (ty, limit.clone()), (ty.mask(), outside.clone())];
            cases.add(format!("halvings {ty:?}"), &inputs, (ty, expected), |b, v| count_halvings(b, v[0], v[1], v[2]));
        }
    }
    cases.run_at(&[0, 1, 2, 3]);
}

/// A function that is given a mask and returns it changed, with a vector; called twice, so that it may stay a function.
#[test]
fn masks_as_arguments_and_results() {
    for length in LENGTHS {
        for element in [Element::I8, Element::I16, Element::I32, Element::F64] {
            let ty = Type::new(element, length);
            let mut callee = FunctionBuilder::new("callee<…>", &[ty.mask(), ty, BOOL], &[ty, ty.mask(), BOOL], Span::default());
            callee.function_mut().linkage = Linkage::Internal;
            let [mask, value, flag] = callee.function_parameters()[..] else { panic!("three parameters") };
            let zero = callee.zero(ty);
            let kept = callee.select(mask, value, zero);
            let (inverse, other) = (callee.not(mask), callee.not(flag));
            callee.ret(&[kept, inverse, other]);
            let callee = callee.finish();

            let mut random = Random::new(u64::from(length));
            let mut cases = Cases::default();
            let (mask, value) = (random.lanes(ty.mask()), random.lanes(ty));
            let size = usize::from(length) * (element.size() as usize + 1) + 1;
            let mut input = to_bytes(Element::Bool, &mask);
            input.push(1);
            input.extend(to_bytes(element, &value));
            let kept: Vec<u64> = (0..length.into()).map(|k: usize| if mask[k] == 1 { value[k] } else { 0 }).collect();
            let mut expected = to_bytes(element, &kept);
            // The second call is given what the first one returned.
            expected.extend(to_bytes(Element::Bool, &mask));
            expected.push(1);
            assert_eq!(expected.len(), size);
            cases.add_raw(format!("mask arguments {ty:?}"), input, expected, None, |b, from, to| {
                let mask = b.load(ty.mask(), from, None);
                let place = b.ptr_offset(from, i64::from(length));
                let flag = b.load(BOOL, place, None);
                let place = b.ptr_offset(from, i64::from(length) + 1);
                let value = b.load(ty, place, None);
                let results = [ty, ty.mask(), BOOL];
                let first = b.call(FunctionId(1), &[mask, value, flag], &results);
                let second = b.call(FunctionId(1), &[first[1], value, first[2]], &results);
                b.store(to, first[0], None);
                let place = b.ptr_offset(to, (u64::from(length) * element.size()) as i64);
                b.store(place, second[1], None);
                let place = b.ptr_offset(place, i64::from(length));
                b.store(place, second[2], None);
            });
            cases.others.push(callee);
            cases.run_at(&[0, 3]);
        }
    }
}
