//! Memory that is all there: values, addresses, slots, globals, streams, copies.

use super::{Case, Cases, LENGTHS, RandomLanes, exported, jit, low_bits, to_bytes};
use crate::machine::Isa;
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::{BinaryOp, CompareOp, Element, Global, GlobalId, Module, Object, Op, Type};
use ivl_random::Random;

const ELEMENTS: [Element; 8] =
    [Element::Bool, Element::I8, Element::I16, Element::I32, Element::I64, Element::F32, Element::F64, Element::Ptr];

const I32: Type = Type { element: Element::I32, length: 1 };
const I64: Type = Type { element: Element::I64, length: 1 };

#[test]
fn loads_and_stores_at_any_address() {
    let (mut cases, mut random) = (Cases::default(), Random::new(41));
    for length in LENGTHS {
        for element in ELEMENTS {
            let ty = Type::new(element, length);
            for streaming in [false, true] {
                let lanes = random.lanes(ty);
                // Behind one element, so that vectors are not aligned.
                let mut input = vec![0; element.size() as usize];
                input.extend(to_bytes(element, &lanes));
                let expected = input.clone();
                cases.add_raw(format!("{ty:?} streaming {streaming}"), input, expected, None, |b, from, to| {
                    let one = ty.with_length(1);
                    let zero = b.zero(one);
                    b.store(to, zero, None);
                    let place = b.ptr_offset(from, element.size() as i64);
                    let value = b.load(ty, place, None);
                    let place = b.ptr_offset(to, element.size() as i64);
                    if streaming { b.streaming_store(place, value, None) } else { b.store(place, value, None) }
                });
            }
        }
    }
    cases.run_at(&[0, 3]);
}

/// Where the address is aligned, the store goes around the caches; it arrives all the same.
#[test]
fn streams_to_aligned_addresses() {
    for isa in Isa::ALL.into_iter().filter(|isa| isa.runs_here()) {
        for element in [Element::I8, Element::I32, Element::F32, Element::F64] {
            let ty = Type::new(element, 64);
            let function = exported("stream", 2, |b, p| {
                let value = b.load(ty, p[0], None);
                b.streaming_store(p[1], value, None);
            });
            let jit = jit(&Module { functions: vec![function], globals: vec![], lanes: vec![] }, isa, 3);
            let stream: extern "C" fn(*const u8, *mut u8) =
                // SAFETY: the function was exported with this C signature.
                unsafe { std::mem::transmute(jit.address("stream").expect("it is exported")) };
            #[repr(align(64))]
            struct Aligned([u8; 512]);
            let (mut from, mut to) = (Aligned([0; 512]), Aligned([0; 512]));
            from.0.iter_mut().zip(1..).for_each(|(byte, k): (_, usize)| *byte = k as u8);
            stream(from.0.as_ptr(), to.0.as_mut_ptr());
            let size = 64 * element.size() as usize;
            assert_eq!(from.0[..size], to.0[..size], "{element:?} on {isa}");
        }
    }
}

#[test]
fn addresses_by_index() {
    let (mut cases, mut random) = (Cases::default(), Random::new(42));
    for length in LENGTHS {
        for index in [Element::I32, Element::I64] {
            for (scale, offset) in [(1, 0), (4, 0), (12, -7), (8, 100), (4096, 3)] {
                let address = random.bits() >> 16;
                let indices = Type::new(index, length);
                let k = random.lanes(indices);
                let at = |base: u64, k: u64| {
                    base.wrapping_add((super::signed(index, k)).wrapping_mul(scale as i64) as u64).wrapping_add(offset as u64)
                };
                let pointers = Type::new(Element::Ptr, length);
                let lanes = k.iter().map(|&k| at(address, k)).collect();
                let inputs = [(pointers.with_length(1), vec![address]), (indices, k.clone())];
                cases.add(format!("ptr + {indices:?}·{scale}"), &inputs, (pointers, lanes), |b, v| {
                    b.ptr_index(v[0], v[1], scale, offset)
                });
                let bases = random.lanes(pointers);
                let lanes = bases.iter().zip(&k).map(|(&base, &k)| at(base, k)).collect();
                let inputs = [(pointers, bases.clone()), (indices, k.clone())];
                cases.add(format!("ptrs + {indices:?}·{scale}"), &inputs, (pointers, lanes), |b, v| {
                    b.ptr_index(v[0], v[1], scale, offset)
                });
                let lanes = bases.iter().map(|&base| at(base, k[0])).collect();
                let inputs = [(pointers, bases), (indices.with_length(1), vec![k[0]])];
                cases.add(format!("ptrs{length} + {index:?}·{scale}"), &inputs, (pointers, lanes), |b, v| {
                    b.ptr_index(v[0], v[1], scale, offset)
                });
            }
        }
    }
    cases.run_at(&[0, 3]);
}

/// A case whose pointers are made at run time from the input's address.
fn gathers(cases: &mut Cases, random: &mut Random, ty: Type, object: Option<Object>) {
    const PLACES: u64 = 40;
    let size = ty.element.size();
    let (before, record) = object.map_or((0, size), |object| (object.offset, object.size));
    let indices: Vec<u64> = (0..ty.length).map(|_| random.bits() % PLACES).collect();
    let mask = random.lanes(ty.mask());
    let table = random.lanes(Type::new(ty.element, 64));
    let table: Vec<u64> = (0..PLACES as usize).map(|k| table[k]).collect();
    let mut input = to_bytes(Element::I32, &indices);
    input.extend(to_bytes(Element::Bool, &mask));
    let start = input.len() as i64;
    for &value in &table {
        let mut bytes = vec![0xEE; record as usize];
        bytes[before as usize..(before + size) as usize].copy_from_slice(&to_bytes(ty.element, &[value]));
        input.extend(bytes);
    }
    let lanes: Vec<u64> = indices.iter().map(|&k| table[k as usize]).collect();
    let active: Vec<u64> = lanes.iter().zip(&mask).map(|(lane, on)| lane * on).collect();
    for masked in [false, true] {
        let expected = to_bytes(ty.element, if masked { &active } else { &lanes });
        cases.add_raw(format!("gather {ty:?} {object:?}"), input.clone(), expected, None, |b, from, to| {
            let index = b.load(ty.with_element(Element::I32), from, None);
            let place = b.ptr_offset(from, i64::from(ty.length) * 4);
            let mask = b.load(ty.mask(), place, None);
            let pointers = b.ptr_index(from, index, record, start + before as i64);
            let value = b.gather(ty.element, pointers, masked.then_some(mask), object);
            b.store(to, value, None);
        });
    }
}

#[test]
fn gathers_from_anywhere() {
    let (mut cases, mut random) = (Cases::default(), Random::new(43));
    for length in LENGTHS {
        for element in ELEMENTS {
            let ty = Type::new(element, length);
            gathers(&mut cases, &mut random, ty, None);
            let size = element.size();
            gathers(&mut cases, &mut random, ty, Some(Object { offset: size, size: 3 * size }));
            gathers(&mut cases, &mut random, ty, Some(Object { offset: 2 * size, size: 12 * size }));
        }
    }
    cases.run();
}

#[test]
fn scatters_to_colliding_places() {
    let (mut cases, mut random) = (Cases::default(), Random::new(44));
    for length in LENGTHS {
        for element in ELEMENTS {
            for masked in [false, true] {
                let ty = Type::new(element, length);
                let places = u64::from(length).div_ceil(2) + 1;
                let indices: Vec<u64> = (0..length).map(|_| random.bits() % places).collect();
                let (mask, lanes) = (random.lanes(ty.mask()), random.lanes(ty));
                let mut input = to_bytes(Element::I32, &indices);
                input.extend(to_bytes(Element::Bool, &mask));
                input.extend(to_bytes(element, &lanes));
                let mut cells = vec![0; places as usize];
                for k in 0..usize::from(length) {
                    if !masked || mask[k] == 1 {
                        cells[indices[k] as usize] = lanes[k];
                    }
                }
                let expected = to_bytes(element, &cells);
                cases.add_raw(format!("scatter {ty:?} {masked}"), input, expected, None, |b, from, to| {
                    let zero = b.zero(ty.with_length(1));
                    for k in 0..places {
                        let place = b.ptr_offset(to, (k * element.size()) as i64);
                        b.store(place, zero, None);
                    }
                    let index = b.load(ty.with_element(Element::I32), from, None);
                    let place = b.ptr_offset(from, i64::from(length) * 4);
                    let mask = b.load(ty.mask(), place, None);
                    let place = b.ptr_offset(from, i64::from(length) * 5);
                    let value = b.load(ty, place, None);
                    let pointers = b.ptr_index(to, index, element.size(), 0);
                    b.scatter(pointers, value, masked.then_some(mask));
                });
            }
        }
    }
    cases.run();
}

/// A slot that holds an array, indexed at run time, and one so large that it is not cleared.
#[test]
fn slots_and_globals() {
    let mut cases = Cases::default();
    let expected = to_bytes(Element::I32, &[7 * 7 + 5, 11]);
    cases.add_raw("slots", to_bytes(Element::I32, &[7]), expected, None, |b, from, to| {
        let (small, large) = (b.slot(64, 4), b.slot(100_000, 64));
        let (small, large) = (b.slot_address(small), b.slot_address(large));
        let index = b.load(I32, from, None);
        let place = b.ptr_index(small, index, 4, 0);
        let square = b.binary(BinaryOp::Mul, index, index);
        b.store(place, square, None);
        let far = b.ptr_offset(large, 90_000);
        let five = b.int(I32, 5);
        b.store(far, five, None);
        let (a, c) = (b.load(I32, place, None), b.load(I32, far, None));
        let sum = b.binary(BinaryOp::Add, a, c);
        b.store(to, sum, None);
        let unset = b.load(I32, large, None);
        let same = b.compare(CompareOp::Eq, unset, unset);
        let (eleven, zero) = (b.int(I32, 11), b.int(I32, 0));
        let value = b.select(same, eleven, zero);
        let place = b.ptr_offset(to, 4);
        b.store(place, value, None);
    });
    cases.run_at(&[0, 3]);

    let globals = vec![
        Global { name: "counter".into(), bytes: None, size: 8, alignment: 8, is_const: false },
        Global { name: "table".into(), bytes: Some(vec![3, 1, 4, 1, 5]), size: 8, alignment: 1, is_const: false },
    ];
    let function = exported("count", 1, |b, p| {
        let counter = b.global_address(GlobalId(0));
        let (old, one) = (b.load(I64, counter, None), b.int(I64, 1));
        let new = b.binary(BinaryOp::Add, old, one);
        b.store(counter, new, None);
        b.store(p[0], new, None);
        let table = b.global_address(GlobalId(1));
        let bytes = b.load(Type::new(Element::I8, 8), table, None);
        let place = b.ptr_offset(p[0], 8);
        b.store(place, bytes, None);
    });
    let module = Module { functions: vec![function], globals, lanes: vec![] };
    let jit = jit(&module, Isa::Sse2, 3);
    // SAFETY: the function was exported with this C signature.
    let count: extern "C" fn(*mut u8) = unsafe { std::mem::transmute(jit.address("count").expect("it is exported")) };
    for calls in 1..4u64 {
        let mut found = [0; 16];
        count(found.as_mut_ptr());
        assert_eq!(found[..8], calls.to_le_bytes());
        assert_eq!(found[8..], [3, 1, 4, 1, 5, 0, 0, 0]);
    }
}

#[test]
fn copies_and_prefetches() {
    let (mut cases, mut random) = (Cases::default(), Random::new(45));
    for size in [0, 1, 3, 16, 100, 1000] {
        let input: Vec<u8> = (0..size).map(|_| random.bits() as u8).collect();
        cases.add_raw(format!("copy {size}"), input.clone(), input, None, |b, from, to| {
            b.prefetch(from);
            b.copy(to, from, size);
            b.copy(to, to, size);
        });
    }
    cases.run_at(&[0, 3]);
}

/// Turns the first plain load of a vector of `length` into a strided one.
fn make_strided(case: &mut Case, ty: Type, stride: i64, object: Option<Object>) {
    let values = &case.function.values;
    let is_it = |inst: &&mut crate::vector::ir::InstData| {
        matches!(inst.op, Op::Load { .. }) && values[inst.results[0].0 as usize].ty == ty
    };
    let inst = case.function.insts.iter_mut().rev().find(is_it).expect("a load");
    let Op::Load { pointer, mask } = inst.op else { unreachable!("it was looked for") };
    inst.op = Op::StridedLoad { pointer, stride, mask, object };
}

#[test]
fn strided_loads() {
    let (mut cases, mut random) = (Cases::default(), Random::new(46));
    for length in [2, 4, 8, 16, 64] {
        for element in ELEMENTS {
            let ty = Type::new(element, length);
            let size = element.size() as i64;
            for step in [2, 3, 4, 8, 11, -1, -3, 0] {
                for masked in [false, true] {
                    let stride = step * size;
                    let total = stride.unsigned_abs() * (u64::from(length) - 1) + size as u64;
                    let mut input: Vec<u8> = (0..total).map(|_| random.bits() as u8).collect();
                    if element == Element::Bool {
                        input.iter_mut().for_each(|byte| *byte &= 1);
                    }
                    let first = if stride < 0 { total as i64 - size } else { 0 };
                    let mask = random.lanes(ty.mask());
                    let lane = |k: usize| {
                        let at = (first + stride * k as i64) as usize;
                        let mut bytes = [0; 8];
                        bytes[..size as usize].copy_from_slice(&input[at..at + size as usize]);
                        u64::from_le_bytes(bytes) * if masked { mask[k] } else { 1 }
                    };
                    let lanes: Vec<u64> = (0..length.into()).map(lane).collect();
                    let expected = to_bytes(element, &lanes);
                    input.extend(to_bytes(Element::Bool, &mask));
                    let name = format!("strided {ty:?} by {stride} masked {masked}");
                    cases.add_raw(name, input, expected, None, |b, from, to| {
                        let place = b.ptr_offset(from, total as i64);
                        // Its type is not `ty`, so that `make_strided` finds the other load, unless that is of masks too.
                        let mask = if masked { Some(load_mask(b, ty, place)) } else { None };
                        let place = b.ptr_offset(from, first);
                        let value = b.load(ty, place, mask);
                        b.store(to, value, None);
                    });
                    make_strided(cases.all.last_mut().expect("it was added"), ty, stride, None);
                }
            }
        }
    }
    cases.run();
}

/// A mask from bytes, by a comparison.
fn load_mask(b: &mut FunctionBuilder, ty: Type, place: crate::vector::ir::Value) -> crate::vector::ir::Value {
    let bytes_type = ty.with_element(Element::I16);
    let bytes = b.load(ty.with_element(Element::I8), place, None);
    let words = b.convert(crate::vector::ir::ConvertOp::ZExt, bytes, Element::I16);
    let zero = b.zero(bytes_type);
    b.compare(CompareOp::Ne, words, zero)
}

#[test]
fn packed_stores() {
    let (mut cases, mut random) = (Cases::default(), Random::new(47));
    for length in LENGTHS {
        for element in ELEMENTS {
            let ty = Type::new(element, length);
            for kind in 0..4 {
                let lanes = random.lanes(ty);
                let mask: Vec<u64> = match kind {
                    0 => vec![0; length.into()],
                    1 => vec![1; length.into()],
                    _ => random.lanes(ty.mask()),
                };
                let active: Vec<u64> = lanes.iter().zip(&mask).filter(|(_, on)| **on == 1).map(|(lane, _)| *lane).collect();
                let mut input = to_bytes(element, &lanes);
                input.extend(to_bytes(Element::Bool, &mask));
                let mut expected = to_bytes(Element::I32, &[active.len() as u64]);
                expected.extend(to_bytes(element, &active));
                let masked = kind != 1 || length < 8;
                cases.add_raw(format!("packed {ty:?}"), input, expected, None, |b, from, to| {
                    let value = b.load(ty, from, None);
                    let place = b.ptr_offset(from, (u64::from(length) * element.size()) as i64);
                    let mask = b.load(ty.mask(), place, None);
                    let place = b.ptr_offset(to, 4);
                    let number = b.packed_store(place, value, masked.then_some(mask));
                    b.store(to, number, None);
                });
            }
        }
    }
    assert!(low_bits(Element::Bool) == 1, "a mask's lane is 0 or 1");
    cases.run();
}
