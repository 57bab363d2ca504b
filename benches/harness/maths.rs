//! The group `maths`: functions of the standard library in each mode of arithmetic (within 1 ulp, where they are fast some within 4)
//! against those of the machine's C library, which `cc` vectorises with `-ffast-math` (libmvec, up to 4 ulp), of SLEEF where it is
//! installed (within 1.0 and 3.5 ulp), and against the scalar calls of Rust's standard library.

use super::Tolerance;
use super::buffer::Buffer;
use super::cases::Kernels;
use super::compile::{self, Jits};
use super::{Case, Runner};
use ivlc::machine::Isa;
use ivlc::target::FpMode;
use libloading::Library;
use std::cell::RefCell;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

/// (export, row, low end, high end, what Rust calls)
type Function = (&'static str, &'static str, f32, f32, fn(f32) -> f32);

const FUNCTIONS: &[Function] = &[
    ("exp_all", "exp", -20.0, 20.0, f32::exp),
    ("exp2_all", "exp2", -20.0, 20.0, f32::exp2),
    ("expm1_all", "expm1", -20.0, 20.0, f32::exp_m1),
    ("log_all", "log", 0.001, 1000.0, f32::ln),
    ("log2_all", "log2", 0.001, 1000.0, f32::log2),
    ("log10_all", "log10", 0.001, 1000.0, f32::log10),
    ("log1p_all", "log1p", 0.001, 1000.0, f32::ln_1p),
    ("cbrt_all", "cbrt", -100.0, 100.0, f32::cbrt),
    ("sin_all", "sin", -100.0, 100.0, f32::sin),
    ("cos_all", "cos", -100.0, 100.0, f32::cos),
    ("tan_all", "tan", -100.0, 100.0, f32::tan),
    ("asin_all", "asin", -1.0, 1.0, f32::asin),
    ("acos_all", "acos", -1.0, 1.0, f32::acos),
    ("atan_all", "atan", -10.0, 10.0, f32::atan),
    ("sinh_all", "sinh", -20.0, 20.0, f32::sinh),
    ("cosh_all", "cosh", -20.0, 20.0, f32::cosh),
    ("tanh_all", "tanh", -5.0, 5.0, f32::tanh),
    ("pow_all", "pow(x, 2.2)", 0.001, 100.0, |x| x.powf(2.2)),
    ("atan2_all", "atan2(x, 2.2)", -10.0, 10.0, |x| x.atan2(2.2)),
    ("hypot_all", "hypot(x, 2.2)", -10.0, 10.0, |x| x.hypot(2.2)),
];

const COUNT: usize = 4096;

/// A loop over an array.
type Loop = extern "C" fn(*const f32, *mut f32, i32);

fn runner(name: &str, input: &[f32], mut run: impl FnMut(&[f32], &mut [f32]) + 'static) -> Runner {
    let input = Buffer::new(0, input);
    let output = Rc::new(RefCell::new(Buffer::new(1, &[0f32; COUNT])));
    let result = Rc::clone(&output);
    Runner {
        name: name.to_owned(),
        run: Box::new(move || run(&input, &mut output.borrow_mut())),
        result: Box::new(move || result.borrow().iter().map(|&y| y.into()).collect()),
    }
}

fn by_address(name: &str, input: &[f32], address: *const u8) -> Runner {
    // SAFETY: the function has this C signature in maths.ivl and maths.c.
    let function: Loop = unsafe { std::mem::transmute(address) };
    runner(name, input, move |x, y| function(x.as_ptr(), y.as_mut_ptr(), COUNT as i32))
}

/// `maths.c`, vectorised or with the calls of SLEEF; `None` (with the reason) where it cannot be had.
fn c_library(isa: Isa, folder: &Path, sleef: bool) -> Option<Library> {
    let features: &[&str] = match isa {
        Isa::Avx512 => &["-march=x86-64-v4", "-mprefer-vector-width=512"],
        Isa::Avx2 => &["-march=x86-64-v3"],
        Isa::Sse2 | Isa::Sse4 | Isa::Avx | Isa::Avx2Vnni | Isa::Avx512x256 | Isa::Avx512Vnni => return None,
    };
    let (of, arguments): (_, &[&str]) = if sleef { ("SLEEF", &["-DSLEEF", "-lsleef"]) } else { ("libm", &["-ffast-math"]) };
    let object = folder.join(format!("maths_{of}_{isa}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/hand/maths.c");
    let mut cc = Command::new("cc");
    cc.args(["-O3", "-fPIC", "-shared"]).args(features).arg("-o").args([&object, &source]).args(arguments).arg("-lm");
    if !cc.stderr(std::process::Stdio::null()).status().is_ok_and(|s| s.success()) {
        eprintln!("cc did not compile maths.c with {of} for {isa}: its comparison is left out");
        return None;
    }
    // SAFETY: the library was just built from our source and runs no code of ours when it is loaded.
    unsafe { Library::new(&object) }.ok()
}

/// What the cases need while they run.
pub struct Hands {
    ours: Vec<(FpMode, Jits)>,
    scalar: Jits,
    c: Option<Library>,
    sleef: Option<Library>,
}

/// Compiles all sides.
pub fn hands(isa: Isa, folder: &Path) -> Hands {
    let modes = [FpMode::Strict, FpMode::Contract, FpMode::Fast];
    Hands {
        ours: modes.into_iter().map(|fp| (fp, compile::maths(isa, isa.width(), fp))).collect(),
        scalar: compile::maths(isa, 1, FpMode::Strict),
        c: c_library(isa, folder, false),
        sleef: c_library(isa, folder, true),
    }
}

/// All cases of the group, with the mode of ours.
pub fn cases(isa: Isa, hands: &Hands) -> Vec<(FpMode, Case)> {
    let case = |fp, ours: &Jits, &(export, row, low, high, rust): &Function| {
        let input: Vec<f32> = (0..COUNT).map(|i| low + (high - low) * ((i * 2654435761) % COUNT) as f32 / COUNT as f32).collect();
        let mut peers = Vec::new();
        let libraries = [
            ("cc -ffast-math", &hands.c, export.to_owned()),
            ("SLEEF 1.0 ulp", &hands.sleef, format!("{export}_10")),
            ("SLEEF 3.5 ulp", &hands.sleef, format!("{export}_35")),
        ];
        for (name, library, symbol) in libraries {
            // SAFETY: the symbol is only turned into an address here.
            let symbol = library.as_ref().and_then(|c| unsafe { c.get::<unsafe extern "C" fn()>(symbol.as_bytes()) }.ok());
            peers.extend(symbol.map(|symbol| by_address(name, &input, *symbol as *const u8)));
        }
        if fp == FpMode::Strict {
            peers.push(runner("rust std", &input, move |x, y| x.iter().zip(y).for_each(|(&x, y)| *y = rust(x))));
            peers.push(by_address("ivl scalar", &input, hands.scalar.address(export)));
        }
        let ours = by_address("ivl", &input, ours.address(export));
        (fp, Case { row, isa, size: format!("{COUNT} floats"), ours, peers, tolerance: Tolerance::Each(2e-6) })
    };
    let of_mode = |(fp, ours): &(FpMode, Jits)| FUNCTIONS.iter().map(|function| case(*fp, ours, function)).collect::<Vec<_>>();
    hands.ours.iter().flat_map(of_mode).collect()
}
