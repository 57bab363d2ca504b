//! The mathematical functions of the standard library against those of this machine's C library in double precision: float
//! within 1 ulp, double within 3, the same bits on every target; where they are contracted, within the same errors.
//!
//! A slice of the floats is looked at here; `./x maths` looks at all of them (`IVL_EXHAUSTIVE=1`).

use ivl_random::Random;
use ivlc::driver::{Options, Session, with_stack};
use ivlc::llvm::{self, Jit};
use ivlc::machine::Isa;
use ivlc::target::FpMode;
use libtest_mimic::{Arguments, Failed, Trial};
use std::fmt::Write;

/// A function of one argument and what it should be.
type Unary = (&'static str, fn(f64) -> f64);

const UNARY: &[Unary] = &[
    ("exp", f64::exp),
    ("exp2", f64::exp2),
    ("log", f64::ln),
    ("log2", f64::log2),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("tanh", f64::tanh),
];

type Binary = (&'static str, fn(f64, f64) -> f64);

/// Functions of two numbers, with what they are compared with.
const BINARY: &[Binary] = &[("pow", f64::powf), ("atan2", f64::atan2)];

/// Exports `name_float(x, y, n)` and so on over arrays.
fn source() -> String {
    let mut text = String::new();
    for ty in ["float", "double"] {
        for (name, _) in UNARY {
            writeln!(
                text,
                "export void {name}_{ty}(const {ty} x[n], {ty} y[n], int n) {{ foreach (int block[16] i = 0 .. n) y[i] = {name}(x[i]); }}"
            )
            .expect("a string takes all");
        }
        for (name, _) in BINARY {
            writeln!(
                text,
                "export void {name}_{ty}(const {ty} a[n], const {ty} b[n], {ty} y[n], int n) {{ foreach (int block[16] i = 0 .. n) y[i] = {name}(a[i], b[i]); }}"
            )
            .expect("a string takes all");
        }
    }
    text
}

fn compile(isa: Isa, fp: FpMode) -> Jit {
    with_stack(|| {
        let mut session = Session::default();
        session.load_text("maths.ivl".into(), None, source());
        let options = Options { fp, ..Options::new(isa) };
        let program = session.check(&options);
        let said: Vec<&str> = session.diagnostics.iter().map(|d| d.message.as_str()).collect();
        let program = program.unwrap_or_else(|| panic!("{said:?}"));
        let module = session.lower(&program, &options);
        let options = llvm::Options { isa, level: 3, debug_info: false, sources: &session.sources };
        Jit::new(&module, &options).expect("code for the functions")
    })
}

fn call<T: Copy + Default>(jit: &Jit, name: &str, x: &[T]) -> Vec<T> {
    let mut y = vec![T::default(); x.len()];
    let address = jit.address(name).expect("an export");
    // SAFETY: the export has this C signature, and both arrays have as many elements as it is told.
    let function: extern "C" fn(*const T, *mut T, i32) = unsafe { std::mem::transmute(address) };
    function(x.as_ptr(), y.as_mut_ptr(), x.len() as i32);
    y
}

fn call_binary<T: Copy + Default>(jit: &Jit, name: &str, a: &[T], b: &[T]) -> Vec<T> {
    let mut y = vec![T::default(); a.len()];
    let address = jit.address(name).expect("an export");
    // SAFETY: as above, with three arrays.
    let function: extern "C" fn(*const T, *const T, *mut T, i32) = unsafe { std::mem::transmute(address) };
    function(a.as_ptr(), b.as_ptr(), y.as_mut_ptr(), a.len() as i32);
    y
}

/// How many units in the last place of the float nearest to `right` is `found` away from it?
fn ulps_float(found: f32, right: f64) -> f64 {
    let nearest = right as f32;
    if found == nearest && found.is_sign_negative() == nearest.is_sign_negative() || found.is_nan() && right.is_nan() {
        // Exact as far as floats go: the distance is below half a unit.
        return if nearest.is_finite() { ((f64::from(found) - right) / unit_float(nearest)).abs() } else { 0.0 };
    }
    if found.is_nan() || right.is_nan() || found == 0.0 && nearest == 0.0 {
        return f64::INFINITY;
    }
    // Infinity is where the next float would be.
    let value = if found.is_infinite() { f64::from(found.signum()) * 2f64.powi(128) } else { f64::from(found) };
    ((value - right) / unit_float(nearest)).abs()
}

fn unit_float(x: f32) -> f64 {
    let bits = (x.abs().to_bits() >> 23).clamp(1, 254) as i32;
    2f64.powi(bits - 150)
}

fn ulps_double(found: f64, right: f64) -> f64 {
    if found.to_bits() == right.to_bits() || found.is_nan() && right.is_nan() {
        return 0.0;
    }
    if found.is_nan() || right.is_nan() || found == right {
        return f64::INFINITY;
    }
    let order = |x: f64| if x.is_sign_negative() { -(x.abs().to_bits() as i128) } else { x.to_bits() as i128 };
    (order(found) - order(right)).unsigned_abs() as f64
}

/// The worst of all: ulps, and where.
#[derive(Default, Clone, Copy)]
struct Worst {
    ulps: f64,
    at: (f64, f64),
    found: f64,
}

impl Worst {
    fn see(&mut self, ulps: f64, at: (f64, f64), found: f64) {
        if ulps > self.ulps {
            *self = Worst { ulps, at, found };
        }
    }

    fn within(self, name: &str, limit: f64) -> Result<(), Failed> {
        println!("{name}: at most {:.4} ulp, at {:?}", self.ulps, self.at);
        if self.ulps <= limit {
            Ok(())
        } else {
            Err(format!("{name}{:?} is {}, {} ulp off", self.at, self.found, self.ulps).into())
        }
    }
}

/// All floats, or a slice of them with all kinds of numbers.
fn floats() -> impl Iterator<Item = Vec<f32>> {
    let step = if std::env::var_os("IVL_EXHAUSTIVE").is_some() { 1 } else { 4099 };
    let chunk = 1u64 << 20;
    let count = (1u64 << 32).div_ceil(step);
    (0..count.div_ceil(chunk))
        .map(move |k| (k * chunk..((k + 1) * chunk).min(count)).map(|i| f32::from_bits((i * step) as u32)).collect())
}

/// Numbers of all sizes, those around 1 more often, and what is special.
fn doubles(seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let special = [0.0, -0.0, 1.0, -1.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN_POSITIVE, 5e-324];
    let any = (0..200_000).map(|i| {
        let bits = random.bits();
        match i % 3 {
            0 => f64::from_bits(bits),
            1 => (bits as f64 / u64::MAX as f64 - 0.5) * 40.0,
            _ => (bits as f64 / u64::MAX as f64 - 0.5) * 2000.0,
        }
    });
    special.into_iter().chain(any).collect()
}

fn unary_float(name: &str, right: fn(f64) -> f64) -> Result<(), Failed> {
    let strict = |isa| (isa, compile(isa, FpMode::Strict));
    let jits: Vec<(Isa, Jit)> = Isa::PRINCIPAL.into_iter().filter(|isa| isa.runs_here()).map(strict).collect();
    let contracted = compile(Isa::host(), FpMode::Contract);
    let exported = format!("{name}_float");
    let (mut worst, mut worst_contracted) = (Worst::default(), Worst::default());
    for (i, x) in floats().enumerate() {
        let y = call(&jits[0].1, &exported, &x);
        for (&x, &y) in x.iter().zip(&y) {
            worst.see(ulps_float(y, right(x.into())), (x.into(), 0.0), y.into());
        }
        for (&x, &y) in x.iter().zip(&call(&contracted, &exported, &x)) {
            worst_contracted.see(ulps_float(y, right(x.into())), (x.into(), 0.0), y.into());
        }
        // All targets, on some of the chunks.
        if i % 64 == 0 {
            for (isa, jit) in &jits[1..] {
                let other = call(jit, &exported, &x);
                let differs = |(a, b): (&f32, &f32)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan());
                if let Some(at) = y.iter().zip(&other).position(differs) {
                    return Err(format!("{name}({}) is {} on sse2, {} on {isa}", x[at], y[at], other[at]).into());
                }
            }
        }
    }
    worst.within(name, 1.0)?;
    worst_contracted.within(&format!("{name}, contracted"), 1.0)
}

fn unary_double(name: &str, right: fn(f64) -> f64) -> Result<(), Failed> {
    for fp in [FpMode::Strict, FpMode::Contract] {
        let jit = compile(Isa::host(), fp);
        let x = doubles(1);
        let y = call(&jit, &format!("{name}_double"), &x);
        let mut worst = Worst::default();
        for (&x, &y) in x.iter().zip(&y) {
            worst.see(ulps_double(y, right(x)), (x, 0.0), y);
        }
        worst.within(&format!("{name} of double, {}", fp.name()), 3.0)?;
    }
    Ok(())
}

fn binary(name: &str, right: fn(f64, f64) -> f64) -> Result<(), Failed> {
    let jit = compile(Isa::host(), FpMode::Strict);
    let (a, b) = (doubles(2), doubles(3));
    // Each special number meets each.
    let special: Vec<(f64, f64)> = a[..11].iter().flat_map(|&a| b[..11].iter().map(move |&b| (a, b))).collect();
    let pairs: Vec<(f64, f64)> = special
        .into_iter()
        .chain(a.iter().copied().zip(b.iter().copied()))
        .chain(a.iter().map(|&a| (a.abs(), 0.7 * a)))
        .collect();
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    let mut worst = Worst::default();
    for ((&a, &b), &y) in a.iter().zip(&b).zip(&call_binary(&jit, &format!("{name}_double"), &a, &b)) {
        worst.see(ulps_double(y, right(a, b)), (a, b), y);
    }
    worst.within(&format!("{name} of double"), 3.0)?;
    let (a, b): (Vec<f32>, Vec<f32>) = a.iter().zip(&b).map(|(&a, &b)| (a as f32, b as f32)).unzip();
    let mut worst = Worst::default();
    for ((&a, &b), &y) in a.iter().zip(&b).zip(&call_binary(&jit, &format!("{name}_float"), &a, &b)) {
        worst.see(ulps_float(y, right(a.into(), b.into())), (a.into(), b.into()), y.into());
    }
    worst.within(name, 1.0)
}

fn main() {
    let mut trials = Vec::new();
    for &(name, right) in UNARY {
        trials.push(Trial::test(format!("{name} of floats"), move || unary_float(name, right)));
        trials.push(Trial::test(format!("{name} of doubles"), move || unary_double(name, right)));
    }
    for &(name, right) in BINARY {
        trials.push(Trial::test(format!("{name} of pairs"), move || binary(name, right)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
