//! The cases of the group `core`: each kernel by us, by hand in Rust, by hand in C, and as its own scalar instance.

use super::buffer::Buffer;
use super::{Case, Runner, Tolerance, kernels, twins::CKernels};
use ivl_random::Random;
use ivlc::machine::Isa;
use std::{cell::RefCell, rc::Rc};

/// A compiled IVL file: kernels by name.
pub trait Kernels {
    /// The address of an export.
    fn address(&self, name: &str) -> *const u8;
}

/// The hands that wrote a set of kernels with one C signature each.
pub struct Hands<'a> {
    /// The instruction set.
    pub isa: Isa,
    /// Ours, at the width of the registers.
    pub ours: &'a dyn Kernels,
    /// Ours at width 1.
    pub scalar: &'a dyn Kernels,
    /// C intrinsics, where a compiler is installed.
    pub c: Option<&'a CKernels>,
}

/// Numbers in [low, high) the same on every machine.
pub(super) fn numbers(count: usize, seed: u64, low: f32, high: f32) -> Vec<f32> {
    let mut random = Random::new(seed);
    // 24 bits, so that a float can be any of them and none is rounded to `high`.
    let mut unit = || (random.bits() >> 40) as f32 / (1u64 << 24) as f32;
    (0..count).map(|_| low + (high - low) * unit()).collect()
}

/// Builds a runner from a function that works on `data`.
pub(super) fn runner<D: 'static>(
    name: &str,
    data: D,
    mut run: impl FnMut(&mut D) + 'static,
    result: impl Fn(&D) -> Vec<f64> + 'static,
) -> Runner {
    let data = Rc::new(RefCell::new(data));
    let for_run = Rc::clone(&data);
    Runner {
        name: name.to_owned(),
        run: Box::new(move || run(&mut for_run.borrow_mut())),
        result: Box::new(move || result(&data.borrow())),
    }
}

/// Makes the case of one kernel: `$call` calls the function pointer `$f` of C type `$ty` on data `$d`.
macro_rules! case {
    ($hands:expr, $row:literal, $size:expr, $tolerance:expr, $rust:ident, $ty:ty, $data:expr, |$f:ident, $d:ident| $call:expr, |$r:ident| $result:expr) => {{
        let hands: &Hands = $hands;
        let scalar_width = 1;
        let width = hands.isa.width() as usize;
        let from_address = |name: &str, address: *const u8, width: usize| {
            // SAFETY: the export has this C signature in core.ivl, aobench.ivl and hand/*.c.
            let $f: $ty = unsafe { std::mem::transmute(address) };
            runner(name, $data(width), move |$d| $call, move |$r| $result)
        };
        let mut peers = Vec::new();
        if let Some(c) = hands.c {
            peers.push(from_address(&format!("{} intrinsics", c.compiler), c.address(stringify!($rust)), width));
        }
        let mut by_hand = |address: *const u8| peers.push(from_address("rust intrinsics", address, width));
        match hands.isa {
            Isa::Avx2 => by_hand(hand_address::avx2(stringify!($rust))),
            Isa::Avx512 => by_hand(hand_address::avx512(stringify!($rust))),
            Isa::Sse2 | Isa::Sse4 | Isa::Avx | Isa::Avx2Vnni | Isa::Avx512x256 | Isa::Avx512Vnni => {}
        }
        peers.push(from_address("ivl scalar", hands.scalar.address(stringify!($rust)), scalar_width));
        Case {
            row: $row,
            isa: hands.isa,
            size: $size,
            ours: from_address("ivl", hands.ours.address(stringify!($rust)), width),
            peers,
            tolerance: Tolerance::Each($tolerance),
        }
    }};
}

/// C entry points of the Rust twins.
mod hand_address {
    macro_rules! entries {
        ($isa:ident) => {
            pub fn $isa(name: &str) -> *const u8 {
                use super::kernels::$isa as k;
                extern "C" fn search_hybrid(d: *const k::BlockData, n: i32) -> i32 {
                    // SAFETY: the harness calls it on a processor of this instruction set, with arrays as long as the numbers say.
                    unsafe { k::search_hybrid(d, n) }
                }
                extern "C" fn saxpy(a: f32, x: *const f32, y: *mut f32, n: i32) {
                    // SAFETY: the harness calls it on a processor of this instruction set, with arrays as long as the numbers say.
                    unsafe { k::saxpy(a, x, y, n) }
                }
                extern "C" fn sum(x: *const f32, n: i32) -> f32 {
                    // SAFETY: the harness calls it on a processor of this instruction set, with arrays as long as the numbers say.
                    unsafe { k::sum(x, n) }
                }
                extern "C" fn dot(x: *const f32, y: *const f32, n: i32) -> f32 {
                    // SAFETY: the harness calls it on a processor of this instruction set, with arrays as long as the numbers say.
                    unsafe { k::dot(x, y, n) }
                }
                extern "C" fn clamp_ifs(x: *const f32, y: *mut f32, n: i32, low: f32, high: f32) {
                    // SAFETY: the harness calls it on a processor of this instruction set, with arrays as long as the numbers say.
                    unsafe { k::clamp_ifs(x, y, n, low, high) }
                }
                #[allow(clippy::too_many_arguments)]
                extern "C" fn mandelbrot(x0: f32, y0: f32, x1: f32, y1: f32, w: i32, h: i32, limit: i32, counts: *mut i32) {
                    // SAFETY: the harness calls it on a processor of this instruction set, with arrays as long as the numbers say.
                    unsafe { k::mandelbrot(x0, y0, x1, y1, w, h, limit, counts) }
                }
                extern "C" fn nbody_aos(b: *mut [f32; 7], n: i32, dt: f32) {
                    // SAFETY: the harness calls it on a processor of this instruction set, with arrays as long as the numbers say.
                    unsafe { k::nbody_aos(b, n, dt) }
                }
                extern "C" fn nbody_hybrid(b: *mut k::BlockBody, blocks: i32, dt: f32) {
                    // SAFETY: the harness calls it on a processor of this instruction set, with arrays as long as the numbers say.
                    unsafe { k::nbody_hybrid(b, blocks, dt) }
                }
                extern "C" fn aobench(w: i32, h: i32, sub: i32, image: *mut f32) {
                    // SAFETY: the harness calls it on a processor of this instruction set, with arrays as long as the numbers say.
                    unsafe { k::aobench(w, h, sub, image) }
                }
                match name {
                    "search_hybrid" => search_hybrid as *const u8,
                    "saxpy" => saxpy as *const u8,
                    "sum" => sum as *const u8,
                    "dot" => dot as *const u8,
                    "clamp_ifs" => clamp_ifs as *const u8,
                    "mandelbrot" => mandelbrot as *const u8,
                    "nbody_aos" => nbody_aos as *const u8,
                    "nbody_hybrid" => nbody_hybrid as *const u8,
                    "aobench" => aobench as *const u8,
                    other => panic!("no kernel `{other}` by hand"),
                }
            }
        };
    }
    entries!(avx2);
    entries!(avx512);
}

pub(super) fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| v as f64).collect()
}

/// All cases of the group `core`; `small` makes them a quarter as large.
pub fn core(hands: &Hands, small: bool) -> Vec<Case> {
    let n = 4096usize;
    let records = if small { 1 << 14 } else { 1 << 16 };
    let (columns, rows) = if small { (384, 256) } else { (768, 512) };
    let bodies = if small { 512usize } else { 1024 };
    let pixels = if small { 64 } else { 128 };
    vec![
        case!(
            hands,
            "search, hybrid SoA",
            format!("{records} records"),
            0.0,
            search_hybrid,
            extern "C" fn(*const i32, i32) -> i32,
            |width: usize| {
                // Keys outside (4, 8] but for one near the end.
                let mut data = vec![0i32; 2 * records];
                for i in 0..records {
                    data[i / width * 2 * width + i % width] = if i == records - 3 { 7 } else { 9 + (i as i32 * 7919) % 1000 };
                }
                (Buffer::new(0, &data), 0)
            },
            |f, d| d.1 = f(d.0.as_ptr(), records as i32),
            |d| vec![d.1 as f64]
        ),
        case!(
            hands,
            "saxpy",
            format!("{n} floats"),
            0.0,
            saxpy,
            extern "C" fn(f32, *const f32, *mut f32, i32),
            |_| (Buffer::new(0, &numbers(n, 1, -1.0, 1.0)), Buffer::new(1, &numbers(n, 2, -1.0, 1.0))),
            |f, d| f(1e-6, d.0.as_ptr(), d.1.as_mut_ptr(), n as i32),
            |d| wide(&d.1)
        ),
        case!(
            hands,
            "sum",
            format!("{n} floats"),
            0.0,
            sum,
            extern "C" fn(*const f32, i32) -> f32,
            // Sums of multiples of 1/256 are exact in any order, that of the scalar instance too.
            |_| (
                Buffer::new(0, &numbers(n, 3, -1.0, 1.0).iter().map(|x| (x * 256.0).round() / 256.0).collect::<Vec<f32>>()),
                0f32
            ),
            |f, d| d.1 = f(d.0.as_ptr(), n as i32),
            |d| vec![d.1 as f64]
        ),
        case!(
            hands,
            "dot",
            format!("{n} floats"),
            1e-4,
            dot,
            extern "C" fn(*const f32, *const f32, i32) -> f32,
            |_| (Buffer::new(0, &numbers(n, 4, 0.0, 1.0)), Buffer::new(1, &numbers(n, 5, 0.0, 1.0)), 0f32),
            |f, d| d.2 = f(d.0.as_ptr(), d.1.as_ptr(), n as i32),
            |d| vec![d.2 as f64]
        ),
        case!(
            hands,
            "clamp by ifs",
            format!("{n} floats"),
            0.0,
            clamp_ifs,
            extern "C" fn(*const f32, *mut f32, i32, f32, f32),
            |_| (Buffer::new(0, &numbers(n, 6, -2.0, 2.0)), Buffer::new(1, &vec![0f32; n])),
            |f, d| f(d.0.as_ptr(), d.1.as_mut_ptr(), n as i32, -1.0, 1.0),
            |d| wide(&d.1)
        ),
        case!(
            hands,
            "Mandelbrot",
            format!("{columns}×{rows}, 256 rounds"),
            1e-3,
            mandelbrot,
            extern "C" fn(f32, f32, f32, f32, i32, i32, i32, *mut i32),
            |_| Buffer::new(0, &vec![0i32; columns * rows]),
            |f, d| f(-2.0, -1.0, 1.0, 1.0, columns as i32, rows as i32, 256, d.as_mut_ptr()),
            |d| vec![d.iter().map(|&c| c as f64).sum()]
        ),
        case!(
            hands,
            "n-body, AoS",
            format!("{bodies} bodies"),
            1e-3,
            nbody_aos,
            extern "C" fn(*mut f32, i32, f32),
            |_| Buffer::new(0, &numbers(7 * bodies, 7, 0.5, 1.5)),
            |f, d| f(d.as_mut_ptr(), bodies as i32, 1e-9),
            |d| wide(d)
        ),
        case!(
            hands,
            "n-body, hybrid SoA",
            format!("{bodies} bodies"),
            1e-3,
            nbody_hybrid,
            extern "C" fn(*mut f32, i32, f32),
            |width: usize| {
                let aos = numbers(7 * bodies, 7, 0.5, 1.5);
                let mut blocks = vec![0f32; 7 * bodies];
                for (i, body) in aos.chunks(7).enumerate() {
                    for (c, &x) in body.iter().enumerate() {
                        blocks[(i / width * 7 + c) * width + i % width] = x;
                    }
                }
                (Buffer::new(0, &blocks), width)
            },
            |f, d| f(d.0.as_mut_ptr(), (bodies / d.1) as i32, 1e-9),
            |d| (0..bodies).map(|i| d.0[(i / d.1 * 7 + 4) * d.1 + i % d.1] as f64).collect()
        ),
        case!(
            hands,
            "aobench",
            format!("{pixels}×{pixels}, 4 samples"),
            2e-3,
            aobench,
            extern "C" fn(i32, i32, i32, *mut f32),
            |_| Buffer::new(0, &vec![0f32; pixels * pixels]),
            |f, d| f(pixels as i32, pixels as i32, 2, d.as_mut_ptr()),
            // Rounding moves single rays over edges: what must agree is the picture's brightness to a thousandth.
            |d| vec![d.iter().map(|&v| v as f64).sum::<f64>() / d.len() as f64]
        ),
    ]
}
