//! The group `maths`: functions of the standard library against those of the machine's C library, which `cc` vectorises with
//! `-ffast-math` (up to 4 ulp; ours: 1), and against the scalar calls of Rust's standard library.

use super::Tolerance;
use super::buffer::Buffer;
use super::cases::Kernels;
use super::compile::{self, Jits};
use super::{Case, Runner};
use ivlc::machine::Isa;
use libloading::Library;
use std::cell::RefCell;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

/// (export, row, low end, high end, what Rust calls)
type Function = (&'static str, &'static str, f32, f32, fn(f32) -> f32);

const FUNCTIONS: &[Function] = &[
    ("exp_all", "exp", -20.0, 20.0, f32::exp),
    ("log_all", "log", 0.001, 1000.0, f32::ln),
    ("sin_all", "sin", -100.0, 100.0, f32::sin),
    ("cos_all", "cos", -100.0, 100.0, f32::cos),
    ("atan_all", "atan", -10.0, 10.0, f32::atan),
    ("pow_all", "pow(x, 2.2)", 0.001, 100.0, |x| x.powf(2.2)),
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

/// `maths.c`, vectorised; `None` (with the reason) where there is no C compiler.
fn c_library(isa: Isa, folder: &Path) -> Option<Library> {
    let features: &[&str] = match isa {
        Isa::Avx512 => &["-march=x86-64-v4", "-mprefer-vector-width=512"],
        Isa::Avx2 => &["-march=x86-64-v3"],
        Isa::Sse2 | Isa::Sse4 | Isa::Avx | Isa::Avx2Vnni | Isa::Avx512x256 | Isa::Avx512Vnni => return None,
    };
    let object = folder.join(format!("maths_{isa}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/hand/maths.c");
    let status = Command::new("cc")
        .args(["-O3", "-ffast-math", "-fPIC", "-shared"])
        .args(features)
        .arg("-o")
        .args([&object, &source])
        .arg("-lm")
        .status();
    if !status.is_ok_and(|s| s.success()) {
        eprintln!("cc did not compile maths.c for {isa}: its comparison is left out");
        return None;
    }
    // SAFETY: the library was just built from our source and runs no code when it is loaded.
    unsafe { Library::new(&object) }.ok()
}

/// What the cases need while they run.
pub struct Hands {
    ours: Jits,
    scalar: Jits,
    c: Option<Library>,
}

/// Compiles all sides.
pub fn hands(isa: Isa, folder: &Path) -> Hands {
    Hands { ours: compile::maths(isa, isa.width()), scalar: compile::maths(isa, 1), c: c_library(isa, folder) }
}

/// All cases of the group.
pub fn cases(isa: Isa, hands: &Hands) -> Vec<Case> {
    let case = |&(export, row, low, high, rust): &Function| {
        let input: Vec<f32> = (0..COUNT).map(|i| low + (high - low) * ((i * 2654435761) % COUNT) as f32 / COUNT as f32).collect();
        let mut peers = Vec::new();
        if let Some(c) = &hands.c {
            // SAFETY: the symbol is only turned into an address here.
            let symbol = unsafe { c.get::<unsafe extern "C" fn()>(export.as_bytes()) }.expect("a function of maths.c");
            peers.push(by_address("cc -ffast-math", &input, *symbol as *const u8));
        }
        peers.push(runner("rust std", &input, move |x, y| x.iter().zip(y).for_each(|(&x, y)| *y = rust(x))));
        peers.push(by_address("ivl scalar", &input, hands.scalar.address(export)));
        let ours = by_address("ivl", &input, hands.ours.address(export));
        Case { row, isa, size: format!("{COUNT} floats"), ours, peers, tolerance: Tolerance::Each(2e-6) }
    };
    FUNCTIONS.iter().map(case).collect()
}
