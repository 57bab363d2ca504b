//! Lanes that are off touch no byte: memory between pages that nobody may touch.

use super::{LENGTHS, exported, jit, to_bytes};
use crate::machine::Isa;
use crate::vector::ir::{BinaryOp, Element, FpMode, Function, Module, Object, Op, Type};
use ivl_random::Random;

const ELEMENTS: [Element; 5] = [Element::Bool, Element::I8, Element::I16, Element::F32, Element::F64];
const PAGE: usize = 4096;

/// Two readable pages between two that are not.
struct Guarded {
    start: *mut u8,
}

impl Guarded {
    fn new() -> Guarded {
        // SAFETY: the pages are fresh, and the two that are opened lie in the middle of them.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start = libc::mmap(std::ptr::null_mut(), 4 * PAGE, libc::PROT_NONE, flags, -1, 0).cast::<u8>();
            assert!(!start.is_null() && start as isize != -1, "there is memory");
            let middle = start.add(PAGE).cast();
            assert_eq!(libc::mprotect(middle, 2 * PAGE, libc::PROT_READ | libc::PROT_WRITE), 0);
            Guarded { start }
        }
    }

    /// The readable bytes.
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: these are the two pages in the middle, which may be read and written.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(PAGE), 2 * PAGE) }
    }

    /// An address relative to the first readable byte; it may lie in a guard page.
    fn at(&self, offset: isize) -> *mut u8 {
        self.start.wrapping_add(PAGE).wrapping_offset(offset)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the four pages were mapped together, and nobody uses them any more.
        unsafe { libc::munmap(self.start.cast(), 4 * PAGE) };
    }
}

fn each_isa(functions: Vec<Function>, test: impl Fn(Isa, &dyn Fn(&str) -> extern "C" fn(*mut u8, *mut u8, *mut u8))) {
    let module = Module { functions, globals: vec![], lanes: vec![] };
    for isa in Isa::ALL.into_iter().filter(|isa| isa.runs_here()) {
        for level in [0, 3] {
            let jit = jit(&module, isa, level);
            // SAFETY: each function was exported with the C signature that the test gives it.
            test(isa, &|name: &str| unsafe { std::mem::transmute(jit.address(name).expect("it is exported")) });
        }
    }
}

/// The lanes 0 … k − 1, k …, and some.
fn masks(length: u8) -> Vec<Vec<u64>> {
    let length = usize::from(length);
    let mut random = Random::new(51);
    let mut all: Vec<Vec<u64>> = Vec::new();
    for k in [0, 1, length / 2, length - 1, length] {
        all.push((0..length).map(|lane| u64::from(lane < k)).collect());
        all.push((0..length).map(|lane| u64::from(lane >= k)).collect());
    }
    all.extend((0..3).map(|_| (0..length).map(|_| random.bits() & 1).collect()));
    all
}

/// Offsets at which the vector may lie such that its active lanes are readable and the others need not be.
fn offsets(mask: &[u64], size: usize) -> Vec<isize> {
    let first = mask.iter().position(|&on| on == 1).unwrap_or(0);
    let end = mask.iter().rposition(|&on| on == 1).map_or(0, |last| last + 1);
    let all_off = !mask.contains(&1);
    let mut offsets = vec![-((first * size) as isize), 2 * PAGE as isize - (end * size) as isize, 64, size as isize];
    if all_off {
        offsets.extend([-(PAGE as isize) + 8, 3 * PAGE as isize - 8]);
    }
    offsets
}

fn types() -> impl Iterator<Item = Type> {
    LENGTHS.into_iter().flat_map(|length| ELEMENTS.map(|element| Type::new(element, length)))
}

#[test]
fn masked_loads_and_stores_touch_active_lanes_only() {
    let name = |kind: &str, ty: Type| format!("{kind}_{}x{}", ty.element.name(), ty.length);
    let mut functions = Vec::new();
    for ty in types() {
        functions.push(exported(&name("load", ty), 3, |b, p| {
            let mask = b.load(ty.mask(), p[1], None);
            let value = b.load(ty, p[0], Some(mask));
            b.store(p[2], value, None);
        }));
        functions.push(exported(&name("store", ty), 3, |b, p| {
            let mask = b.load(ty.mask(), p[1], None);
            let value = b.load(ty, p[2], None);
            b.store(p[0], value, Some(mask));
        }));
        functions.push(exported(&name("pack", ty), 3, |b, p| {
            let mask = b.load(ty.mask(), p[1], None);
            let value = b.load(ty, p[2], None);
            b.packed_store(p[0], value, Some(mask));
        }));
    }
    each_isa(functions, |isa, function| {
        let mut memory = Guarded::new();
        for ty in types() {
            let (size, length) = (ty.element.size() as usize, usize::from(ty.length));
            let fill = |bytes: &mut [u8]| {
                let limit = if ty.element == Element::Bool { 2 } else { 251 };
                bytes.iter_mut().enumerate().for_each(|(k, byte)| *byte = (k % limit) as u8);
            };
            for mask in masks(ty.length) {
                let mut mask_bytes = to_bytes(Element::Bool, &mask);
                for offset in offsets(&mask, size) {
                    fill(memory.bytes());
                    let mut found = vec![0xEE; length * size];
                    function(&name("load", ty))(memory.at(offset), mask_bytes.as_mut_ptr(), found.as_mut_ptr());
                    for lane in 0..length {
                        let at = offset + (lane * size) as isize;
                        let expected =
                            if mask[lane] == 1 { memory.bytes()[at as usize..][..size].to_vec() } else { vec![0; size] };
                        assert_eq!(found[lane * size..][..size], expected, "load {ty:?} lane {lane} {mask:?} on {isa}");
                    }
                    let mut expected = memory.bytes().to_vec();
                    let mut value: Vec<u8> = (0..length * size).map(|k| 255 - k as u8).collect();
                    if ty.element == Element::Bool {
                        value.iter_mut().for_each(|byte| *byte &= 1);
                    }
                    for lane in (0..length).filter(|&lane| mask[lane] == 1) {
                        let at = (offset + (lane * size) as isize) as usize;
                        expected[at..at + size].copy_from_slice(&value[lane * size..][..size]);
                    }
                    function(&name("store", ty))(memory.at(offset), mask_bytes.as_mut_ptr(), value.as_mut_ptr());
                    assert_eq!(memory.bytes(), expected, "store {ty:?} {mask:?} on {isa}");
                    // Packed so that the last active lane ends where the page does.
                    fill(memory.bytes());
                    let active: Vec<usize> = (0..length).filter(|&lane| mask[lane] == 1).collect();
                    let start = 2 * PAGE - active.len() * size;
                    let mut expected = memory.bytes().to_vec();
                    for (place, &lane) in active.iter().enumerate() {
                        expected[start + place * size..][..size].copy_from_slice(&value[lane * size..][..size]);
                    }
                    function(&name("pack", ty))(memory.at(start as isize), mask_bytes.as_mut_ptr(), value.as_mut_ptr());
                    assert_eq!(memory.bytes(), expected, "pack {ty:?} {mask:?} on {isa}");
                }
            }
        }
    });
}

/// What is computed of a read under a mask, and blended under that mask: LLVM puts the read into the instruction, and may take it out again as one
/// of all lanes (`late_fences`).
#[test]
fn what_is_computed_of_masked_loads_touches_active_lanes_only() {
    let types = || types().filter(|ty| ty.element != Element::Bool);
    let name = |kind: &str, ty: Type| format!("{kind}_{}x{}", ty.element.name(), ty.length);
    let mut functions = Vec::new();
    for ty in types() {
        let of_floats = [("sum", None, BinaryOp::FAdd), ("both", Some(BinaryOp::FMul), BinaryOp::FAdd)];
        let of_integers = [("sum", None, BinaryOp::UMax), ("both", Some(BinaryOp::And), BinaryOp::Xor)];
        for (kind, first, op) in if ty.element.is_float() { of_floats } else { of_integers } {
            functions.push(exported(&name(kind, ty), 3, |b, p| {
                b.function_mut().fp = FpMode::Contract;
                let mask = b.load(ty.mask(), p[1], None);
                let before = b.load(ty, p[2], None);
                let mut value = b.load(ty, p[0], Some(mask));
                if let Some(first) = first {
                    let factor = b.constant(ty, &[3]);
                    value = b.binary(first, value, factor);
                }
                let computed = b.binary(op, before, value);
                let chosen = b.select(mask, computed, before);
                b.store(p[2], chosen, None);
                // What it was is looked at afterwards, so that it is not the register that is computed in.
                let behind = b.ptr_offset(p[2], ty.bytes() as i64);
                b.store(behind, before, None);
            }));
        }
    }
    each_isa(functions, |isa, function| {
        let mut memory = Guarded::new();
        memory.bytes().fill(0);
        for ty in types() {
            let (size, length) = (ty.element.size() as usize, usize::from(ty.length));
            for mask in masks(ty.length) {
                let mut mask_bytes = to_bytes(Element::Bool, &mask);
                for (kind, offset) in
                    ["sum", "both"].into_iter().flat_map(|kind| offsets(&mask, size).into_iter().map(move |at| (kind, at)))
                {
                    let mut found = vec![0u8; 2 * length * size];
                    function(&name(kind, ty))(memory.at(offset), mask_bytes.as_mut_ptr(), found.as_mut_ptr());
                    assert!(found.iter().all(|byte| *byte == 0), "{kind} {ty:?} {mask:?} on {isa}");
                }
            }
        }
    });
}

/// Of masks of which it is known that they are the first lanes; a number beyond the length is all of them.
#[test]
fn the_first_lanes_are_moved_and_no_others() {
    let name = |kind: &str, ty: Type| format!("{kind}_{}x{}", ty.element.name(), ty.length);
    let mut functions = Vec::new();
    for ty in types() {
        functions.push(exported(&name("load", ty), 3, |b, p| {
            let count = b.load(Type::scalar(Element::I32), p[1], None);
            let mask = b.first_lanes(count, ty.length);
            let value = b.load(ty, p[0], Some(mask));
            b.store(p[2], value, None);
        }));
        functions.push(exported(&name("store", ty), 3, |b, p| {
            let count = b.load(Type::scalar(Element::I32), p[1], None);
            let mask = b.first_lanes(count, ty.length);
            let value = b.load(ty, p[2], None);
            b.store(p[0], value, Some(mask));
        }));
        functions.push(exported(&name("mask", ty), 3, |b, p| {
            let count = b.load(Type::scalar(Element::I32), p[1], None);
            let mask = b.first_lanes(count, ty.length);
            let (one, zero) = (b.load(ty, p[0], None), b.zero(ty));
            let value = b.select(mask, one, zero);
            b.store(p[2], value, None);
        }));
    }
    each_isa(functions, |isa, function| {
        let mut memory = Guarded::new();
        for ty in types() {
            let (size, length) = (ty.element.size() as usize, usize::from(ty.length));
            for count in (0..=length).chain([length + 1, 127, 128, 256, 1 << 31, usize::from(u16::MAX) << 16]) {
                let mut count_bytes = (count as u32).to_le_bytes();
                let bytes = count.min(length) * size;
                let end = 2 * PAGE - bytes;
                memory.bytes().iter_mut().enumerate().for_each(|(k, byte)| *byte = (k % 2) as u8);
                let mut expected = memory.bytes()[end..].to_vec();
                expected.resize(length * size, 0);
                let mut found = vec![0xEE; length * size];
                function(&name("load", ty))(memory.at(end as isize), count_bytes.as_mut_ptr(), found.as_mut_ptr());
                assert_eq!(found, expected, "load {ty:?} {count} on {isa}");
                let place = 2 * PAGE - length * size;
                let mut expected = memory.bytes()[place..].to_vec();
                expected[bytes..].fill(0);
                function(&name("mask", ty))(memory.at(place as isize), count_bytes.as_mut_ptr(), found.as_mut_ptr());
                assert_eq!(found, expected, "select {ty:?} {count} on {isa}");
                let mut value: Vec<u8> = (0..length * size)
                    .map(|k| (k / size + 1) as u8 & if ty.element == Element::Bool { 1 } else { 255 })
                    .collect();
                let mut expected = memory.bytes().to_vec();
                expected[end..].copy_from_slice(&value[..bytes]);
                function(&name("store", ty))(memory.at(end as isize), count_bytes.as_mut_ptr(), value.as_mut_ptr());
                assert_eq!(memory.bytes(), expected, "store {ty:?} {count} at the end on {isa}");
                expected[..bytes].copy_from_slice(&value[..bytes]);
                function(&name("store", ty))(memory.at(0), count_bytes.as_mut_ptr(), value.as_mut_ptr());
                assert_eq!(memory.bytes(), expected, "store {ty:?} {count} at the start on {isa}");
            }
        }
    });
}

#[test]
fn gathers_and_scatters_touch_active_lanes_only() {
    let name = |kind: &str, ty: Type| format!("{kind}_{}x{}", ty.element.name(), ty.length);
    let types = || types().filter(|ty| ty.element != Element::Bool);
    let mut functions = Vec::new();
    for ty in types() {
        let pointers = ty.with_element(Element::Ptr);
        functions.push(exported(&name("gather", ty), 3, |b, p| {
            let mask = b.load(ty.mask(), p[1], None);
            let pointers = b.load(pointers, p[0], None);
            let value = b.gather(ty.element, pointers, Some(mask), None);
            b.store(p[2], value, None);
        }));
        functions.push(exported(&name("scatter", ty), 3, |b, p| {
            let mask = b.load(ty.mask(), p[1], None);
            let pointers = b.load(pointers, p[0], None);
            let value = b.load(ty, p[2], None);
            b.scatter(pointers, value, Some(mask));
        }));
    }
    each_isa(functions, |isa, function| {
        let mut memory = Guarded::new();
        for ty in types() {
            let (size, length) = (ty.element.size() as usize, usize::from(ty.length));
            for mask in masks(ty.length) {
                let mut mask_bytes = to_bytes(Element::Bool, &mask);
                memory.bytes().iter_mut().enumerate().for_each(|(k, byte)| *byte = (k % 253) as u8);
                // Active lanes at both ends of the readable pages, the others at nothing and in the guard pages.
                let place = |lane: usize| match (mask[lane] == 1, lane % 2) {
                    (true, 0) => (lane * size) as isize,
                    (true, _) => (2 * PAGE - (lane + 1) * size) as isize,
                    (false, _) => 3 * PAGE as isize - 1,
                };
                let address = |lane: usize| match (mask[lane], lane % 3) {
                    (0, 0) => 0,
                    _ => memory.at(place(lane)) as u64,
                };
                let pointers: Vec<u64> = (0..length).map(address).collect();
                let mut pointers = to_bytes(Element::Ptr, &pointers);
                let mut found = vec![0xEE; length * size];
                function(&name("gather", ty))(pointers.as_mut_ptr(), mask_bytes.as_mut_ptr(), found.as_mut_ptr());
                for lane in 0..length {
                    let expected = match mask[lane] {
                        1 => memory.bytes()[place(lane) as usize..][..size].to_vec(),
                        _ => vec![0; size],
                    };
                    assert_eq!(found[lane * size..][..size], expected, "gather {ty:?} lane {lane} {mask:?} on {isa}");
                }
                let mut expected = memory.bytes().to_vec();
                let mut value: Vec<u8> = (0..length * size).map(|k| 255 - k as u8).collect();
                for lane in (0..length).filter(|&lane| mask[lane] == 1) {
                    expected[place(lane) as usize..][..size].copy_from_slice(&value[lane * size..][..size]);
                }
                function(&name("scatter", ty))(pointers.as_mut_ptr(), mask_bytes.as_mut_ptr(), value.as_mut_ptr());
                assert_eq!(memory.bytes(), expected, "scatter {ty:?} {mask:?} on {isa}");
            }
        }
    });
}

/// Narrow elements are gathered as words from within their objects, and strided loads read whole registers: both up to
/// the last byte of what is there and not beyond.
#[test]
fn wide_reads_stay_inside_objects() {
    const RECORDS: [(u64, u64); 5] = [(0, 1), (0, 3), (2, 3), (1, 4), (3, 5)];
    let name =
        |kind: &str, ty: Type, (offset, size): (u64, u64)| format!("{kind}_{}x{}_{offset}_{size}", ty.element.name(), ty.length);
    let types = || types().filter(|ty| ty.element != Element::Bool && ty.length >= 2);
    let mut functions = Vec::new();
    for ty in types() {
        for record in RECORDS {
            let bytes = ty.element.size();
            let object = Some(Object { offset: record.0 * bytes, size: record.1 * bytes });
            let stride = (record.1 * bytes) as i64;
            functions.push(exported(&name("gather", ty, record), 3, |b, p| {
                let index = b.iota(ty.with_element(Element::I32));
                let pointers = b.ptr_index(p[0], index, stride as u64, 0);
                let value = b.gather(ty.element, pointers, None, object);
                b.store(p[2], value, None);
            }));
            if record.1 == 1 {
                continue;
            }
            for backwards in [false, true] {
                let kind = if backwards { "backwards" } else { "forwards" };
                let mut function = exported(&name(kind, ty, record), 3, |b, p| {
                    let start = if backwards { b.ptr_offset(p[0], stride * (i64::from(ty.length) - 1)) } else { p[0] };
                    let value = b.load(ty, start, None);
                    b.store(p[2], value, None);
                });
                for inst in &mut function.insts {
                    if let Op::Load { pointer, mask } = inst.op {
                        let stride = if backwards { -stride } else { stride };
                        inst.op = Op::StridedLoad { pointer, stride, mask, object };
                    }
                }
                functions.push(function);
            }
        }
    }
    each_isa(functions, |isa, function| {
        let mut memory = Guarded::new();
        memory.bytes().iter_mut().enumerate().for_each(|(k, byte)| *byte = (k % 253) as u8);
        for ty in types() {
            let (size, length) = (ty.element.size() as usize, usize::from(ty.length));
            for record in RECORDS {
                let (offset, stride) = (record.0 as usize * size, record.1 as usize * size);
                for start in [0, 2 * PAGE - length * stride] {
                    let first = start + offset;
                    let lane = |lane: usize| memory.bytes_at(first + lane * stride, size);
                    let expected: Vec<u8> = (0..length).flat_map(lane).collect();
                    let reversed: Vec<u8> = (0..length).rev().flat_map(lane).collect();
                    let kinds = [("gather", &expected), ("forwards", &expected), ("backwards", &reversed)];
                    for (kind, expected) in kinds.into_iter().take(if record.1 == 1 { 1 } else { 3 }) {
                        let mut found = vec![0; length * size];
                        let place = memory.at(first as isize);
                        function(&name(kind, ty, record))(place, std::ptr::null_mut(), found.as_mut_ptr());
                        assert_eq!(&found, expected, "{kind} {ty:?} {record:?} at {start} on {isa}");
                    }
                }
            }
        }
    });
}

impl Guarded {
    fn bytes_at(&self, offset: usize, size: usize) -> Vec<u8> {
        // SAFETY: callers ask for bytes between the guard pages.
        unsafe { std::slice::from_raw_parts(self.at(offset as isize), size).to_vec() }
    }
}
