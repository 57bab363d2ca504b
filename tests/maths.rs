//! The mathematical functions of the standard library against those of this machine's C library in double precision: float
//! within 1 ulp, double within 3, the same bits on every target; where they are contracted, within the same errors, and where they
//! are fast, float within 4 ulp.
//!
//! A slice of the floats is looked at here; `./x maths` looks at all of them, and at 10^9 pairs (`IVL_EXHAUSTIVE=1`).

use ivl_random::Random;
use ivlc::driver::{Options, Session, with_stack};
use ivlc::llvm::{self, Jit};
use ivlc::machine::Isa;
use ivlc::target::FpMode;
use libtest_mimic::{Arguments, Failed, Trial};

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
    ("log10", f64::log10),
    ("log1p", f64::ln_1p),
    ("expm1", f64::exp_m1),
    ("cbrt", f64::cbrt),
    ("sinh", f64::sinh),
    ("cosh", f64::cosh),
];

type Binary = (&'static str, fn(f64, f64) -> f64);

/// Functions of two numbers, with what they are compared with.
const BINARY: &[Binary] = &[("pow", f64::powf), ("atan2", f64::atan2), ("hypot", f64::hypot)];

/// Exports `name_float(x, y, n)` and `name_double` over arrays.
fn source(name: &str) -> String {
    let of = |ty: &str| match BINARY.iter().any(|(binary, _)| *binary == name) {
        true => format!(
            "(const {ty} a[n], const {ty} b[n], {ty} y[n], int n) {{ foreach (int block[16] i = 0 .. n) y[i] = {name}(a[i], b[i]); }}\n"
        ),
        false => format!("(const {ty} x[n], {ty} y[n], int n) {{ foreach (int block[16] i = 0 .. n) y[i] = {name}(x[i]); }}\n"),
    };
    ["float", "double"].map(|ty| format!("export void {name}_{ty}{}", of(ty))).concat()
}

fn compile(isa: Isa, fp: FpMode, source: String) -> Jit {
    with_stack(|| {
        let mut session = Session::default();
        session.load_text("maths.ivl".into(), None, source);
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

/// The code of a function of float that is compared, how it is called, and its limit. The first one's bits are those of all strict ones.
struct Versions {
    strict: Vec<(Isa, Jit)>,
    others: Vec<(FpMode, Isa, Jit, f64)>,
}

impl Versions {
    fn new(name: &str) -> Versions {
        let here: Vec<Isa> = Isa::PRINCIPAL.into_iter().filter(|isa| isa.runs_here()).collect();
        let strict = here.iter().map(|&isa| (isa, compile(isa, FpMode::Strict, source(name)))).collect();
        let other = |fp, isa, limit| (fp, isa, compile(isa, fp, source(name)), limit);
        let fast = [Isa::BASELINE, Isa::host()].map(|isa| other(FpMode::Fast, isa, 4.0));
        let others = [other(FpMode::Contract, Isa::host(), 1.0)].into_iter().chain(fast).collect();
        Versions { strict, others }
    }

    /// What is greatest wrong in all of them, over chunks of arguments.
    fn compare<T>(
        &self,
        name: &str,
        chunks: impl Iterator<Item = T>,
        run: impl Fn(&Jit, &T) -> Vec<f32>,
        right: impl Fn(&T) -> Vec<(f64, (f64, f64))>,
    ) -> Result<(), Failed> {
        let mut worst = vec![Worst::default(); 1 + self.others.len()];
        for (i, arguments) in chunks.enumerate() {
            let right = right(&arguments);
            let y = run(&self.strict[0].1, &arguments);
            let others = self.others.iter().map(|(.., jit, _)| run(jit, &arguments));
            for (worst, y) in worst.iter_mut().zip([y.clone()].into_iter().chain(others)) {
                y.iter().zip(&right).for_each(|(&y, &(right, at))| worst.see(ulps_float(y, right), at, y.into()));
            }
            // All targets, on some of the chunks.
            if i % 64 == 0 {
                for (isa, jit) in &self.strict[1..] {
                    let other = run(jit, &arguments);
                    let differs = |(a, b): (&f32, &f32)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan());
                    if let Some(at) = y.iter().zip(&other).position(differs) {
                        return Err(format!("{name}{:?} is {} on sse2, {} on {isa}", right[at].1, y[at], other[at]).into());
                    }
                }
            }
        }
        worst[0].within(&format!("{name}, strict"), 1.0)?;
        self.others
            .iter()
            .zip(&worst[1..])
            .try_for_each(|((fp, isa, _, limit), worst)| worst.within(&format!("{name}, {} on {isa}", fp.name()), *limit))
    }
}

fn unary_float(name: &str, right: fn(f64) -> f64) -> Result<(), Failed> {
    let exported = format!("{name}_float");
    let right = |x: &Vec<f32>| x.iter().map(|&x| (right(x.into()), (x.into(), 0.0))).collect();
    Versions::new(name).compare(name, floats(), |jit, x| call(jit, &exported, x), right)
}

fn unary_double(name: &str, right: fn(f64) -> f64) -> Result<(), Failed> {
    for fp in [FpMode::Strict, FpMode::Contract] {
        let jit = compile(Isa::host(), fp, source(name));
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

/// Each of the special numbers with each.
fn special_pairs(numbers: &[f64]) -> Vec<(f64, f64)> {
    numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| (a, b))).collect()
}

fn binary_double(name: &str, right: fn(f64, f64) -> f64) -> Result<(), Failed> {
    let (a, b) = (doubles(2), doubles(3));
    let pairs: Vec<(f64, f64)> = special_pairs(&a[..11])
        .into_iter()
        .chain(a.iter().copied().zip(b.iter().copied()))
        .chain(a.iter().map(|&a| (a.abs(), 0.7 * a)))
        .collect();
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    for fp in [FpMode::Strict, FpMode::Contract] {
        let jit = compile(Isa::host(), fp, source(name));
        let mut worst = Worst::default();
        for ((&a, &b), &y) in a.iter().zip(&b).zip(&call_binary(&jit, &format!("{name}_double"), &a, &b)) {
            worst.see(ulps_double(y, right(a, b)), (a, b), y);
        }
        worst.within(&format!("{name} of double, {}", fp.name()), 3.0)?;
    }
    Ok(())
}

/// Numbers at which functions of two floats are special, with both signs.
const SPECIAL: [f64; 22] = [
    0.0,
    1e-45,
    1.1754942e-38,
    1.1754944e-38,
    1e-20,
    0.25,
    1.0 / 3.0,
    0.5,
    0.99999994,
    1.0,
    1.0000001,
    1.5,
    2.0,
    3.0,
    127.0,
    128.0,
    8388609.0,
    16777216.0,
    1e20,
    3.4028235e38,
    f64::INFINITY,
    f64::NAN,
];

/// Pairs of floats: the special ones, all kinds, of like sizes, and such that their power is a float.
fn pairs() -> impl Iterator<Item = (Vec<f32>, Vec<f32>)> {
    let chunk = 1 << 20;
    let chunks = if std::env::var_os("IVL_EXHAUSTIVE").is_some() { 1_000_000_000 / chunk + 1 } else { 2 };
    let special: Vec<f64> = SPECIAL.into_iter().flat_map(|x| [x, -x]).collect();
    let special = special_pairs(&special).into_iter().map(|(a, b)| (a as f32, b as f32));
    let random = (0..chunks).map(move |seed| {
        let mut random = Random::new(seed as u64);
        let pair = |i| {
            let bits = random.bits();
            let (a, b) = (bits as u32, (bits >> 32) as u32);
            let part = f64::from(random.bits() as u32) / 2f64.powi(31) - 1.0;
            let a = f32::from_bits(a);
            match i % 4 {
                0 => (a, f32::from_bits(b)),
                1 => (a, (f64::from(a) * (1.0 + part) * 2f64.powi(b as i32 % 24)) as f32),
                2 => (a.abs(), (part * 150.0 / f64::from(a.abs()).log2()) as f32),
                _ => ((1.0 + part / 4.0) as f32, (f64::from(b) / 2f64.powi(32) * 300.0 / (1.0 + part / 4.0).log2()) as f32),
            }
        };
        (0..chunk).map(pair).unzip()
    });
    [special.unzip()].into_iter().chain(random)
}

fn binary_float(name: &str, right: fn(f64, f64) -> f64) -> Result<(), Failed> {
    let exported = format!("{name}_float");
    let right = |(a, b): &(Vec<f32>, Vec<f32>)| {
        let pairs = a.iter().zip(b).map(|(&a, &b)| (f64::from(a), f64::from(b)));
        pairs.map(|(a, b)| (right(a, b), (a, b))).collect()
    };
    Versions::new(name).compare(name, pairs(), |jit, (a, b)| call_binary(jit, &exported, a, b), right)
}

/// `sincos` gives what `sin` and `cos` do, under a mask, too.
fn sincos() -> Result<(), Failed> {
    let text = ["float", "double"].map(|ty| {
        format!(
            "export void sincos_{ty}(const {ty} x[n], {ty} y[n], int n) {{
                foreach (int block[16] i = 0 .. n) {{
                    {ty} s, c = 0;
                    sincos(x[i], s, c);
                    bool same = s == sin(x[i]) & c == cos(x[i]);
                    {ty} t = 1, d = 1;
                    if (i % 3 == 0) sincos(x[i], t, d);
                    y[i] = same & t == (i % 3 == 0 ? s : 1) & d == (i % 3 == 0 ? c : 1) ? 1 : 0;
                }}
            }}\n"
        )
    });
    let x: Vec<f64> = doubles(4).into_iter().filter(|x| (*x as f32).is_finite()).collect();
    let floats: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    for fp in [FpMode::Strict, FpMode::Contract] {
        let jit = compile(Isa::host(), fp, text.concat());
        let wrong = call(&jit, "sincos_double", &x).iter().position(|&y| y != 1.0).map(|at| x[at]);
        let wrong = wrong.or_else(|| call(&jit, "sincos_float", &floats).iter().position(|&y| y != 1.0).map(|at| x[at]));
        if let Some(x) = wrong {
            return Err(format!("sincos({x}) is not sin and cos, {}", fp.name()).into());
        }
    }
    Ok(())
}

/// What `--fp` and `[[fp(…)]]` say of a function reaches the library functions that it calls.
fn arithmetic_reaches_the_library() -> Result<(), Failed> {
    let x: Vec<f32> = (0..100_000).map(|i| i as f32 * 0.00137 - 60.0).collect();
    let source = |attribute: &str| {
        format!(
            "{attribute} export void all(const float x[n], float y[n], int n) {{
                foreach (int block[16] i = 0 .. n) y[i] = sin(x[i]) + log(abs(x[i])) * exp2(x[i]) + pow(abs(x[i]), 1.7f);
            }}\n"
        )
    };
    let modes = [FpMode::Strict, FpMode::Contract, FpMode::Fast];
    let bits =
        |fp, source| call(&compile(Isa::host(), fp, source), "all", &x).iter().map(|y: &f32| y.to_bits()).collect::<Vec<_>>();
    let by_option = modes.map(|fp| bits(fp, source("")));
    for fp in modes {
        for (other, expected) in modes.into_iter().zip(&by_option) {
            if bits(fp, source(&format!("[[fp({})]]", other.name()))) != *expected {
                let message = "a function with `[[fp]]` differs from a program with that mode";
                return Err(format!("{message}: {} in {}", other.name(), fp.name()).into());
            }
        }
    }
    let differ = by_option[0] != by_option[2] && by_option[1] != by_option[2];
    if differ { Ok(()) } else { Err("all modes give the same bits".into()) }
}

fn main() {
    let mut trials = Vec::new();
    for &(name, right) in UNARY {
        trials.push(Trial::test(format!("{name} of floats"), move || unary_float(name, right)));
        trials.push(Trial::test(format!("{name} of doubles"), move || unary_double(name, right)));
    }
    for &(name, right) in BINARY {
        trials.push(Trial::test(format!("{name} of pairs of floats"), move || binary_float(name, right)));
        trials.push(Trial::test(format!("{name} of pairs of doubles"), move || binary_double(name, right)));
    }
    trials.push(Trial::test("sincos", sincos));
    trials.push(Trial::test("arithmetic reaches the library", arithmetic_reaches_the_library));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
