//! The group `pipelines`: applications against Halide 21, with the same schedules. Halide is installed from its Python package
//! into `target/halide`; it runs in a process of its own (`benches/applications.py`), between two rounds of ours.

use super::image::{self, Image, Pixel};
use super::program::{Argument, Program};
use super::same_result;
use ivlc::driver::Options;
use ivlc::target::{FpMode, Isa};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs, io};

/// What a run of an application gives: an output with its windows, and inputs.
struct Application {
    /// The file and the pipeline in it.
    file: &'static str,
    pipeline: &'static str,
    size: String,
    output: Box<dyn Data>,
    inputs: Vec<Box<dyn Data>>,
    /// The greatest difference of a result, relative to its size, that is still the same result.
    tolerance: f64,
}

/// An argument whose bytes and numbers can be had.
trait Data: Argument {
    fn bytes(&self) -> Vec<u8>;
    fn values(&self) -> Vec<f64>;
    /// The result of the other side, from its bytes.
    fn values_of(&self, bytes: &[u8]) -> Vec<f64>;
}

/// Elements in memory.
trait Element: Pixel {
    fn put(self, to: &mut Vec<u8>);
    fn get(from: &[u8]) -> Self;
}

macro_rules! elements {
    ($($ty:ty),*) => {
        $(impl Element for $ty {
            fn put(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }

            fn get(from: &[u8]) -> Self {
                Self::from_le_bytes(from.try_into().expect("the bytes of one element"))
            }
        })*
    };
}

elements!(u8, u16, f32);

impl<T: Element> Data for Image<T> {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.pixels.iter().for_each(|pixel| pixel.put(&mut bytes));
        bytes
    }

    fn values(&self) -> Vec<f64> {
        self.pixels.iter().map(|p| p.value()).collect()
    }

    fn values_of(&self, bytes: &[u8]) -> Vec<f64> {
        bytes.chunks_exact(size_of::<T>()).map(|chunk| T::get(chunk).value()).collect()
    }
}

impl Data for f32 {
    fn bytes(&self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }

    fn values(&self) -> Vec<f64> {
        vec![f64::from(*self)]
    }

    fn values_of(&self, bytes: &[u8]) -> Vec<f64> {
        vec![f64::from(f32::get(bytes))]
    }
}

fn applications() -> Vec<Application> {
    let (w, h) = (1536, 2560);
    let floats = || image::float_photo(0, 0, w, h).map(|v| v + 0.01);
    let application = |file, pipeline, size: &str, output, inputs, tolerance| {
        let size = size.to_owned();
        Application { file, pipeline, size, output, inputs, tolerance }
    };
    let green = image::photo(0, 0, 2562, 1602);
    let narrow = Image::from_fn([2562, 1602], |[x, y]| u16::from(green.at([x, y, 1])) * 83);
    let matrix = |c: i32| {
        let colours = image::float_photo(0, 0, 992, 992);
        Image::from_fn([992, 992], |[x, y]| colours.at([x, y, c]) - 0.5)
    };
    let shape = |window: &[(i32, i32)]| Image::<f32>::new(window);
    vec![
        application(
            "blur.ivl",
            "blur",
            "2560×1600",
            Box::new(Image::<u16>::new(&[(0, 2560), (0, 1600)])),
            vec![Box::new(narrow)],
            0.0,
        ),
        application(
            "unsharp.ivl",
            "unsharp",
            "1536×2560×3",
            Box::new(shape(&[(0, w), (0, h), (0, 3)])),
            vec![Box::new(floats())],
            1e-4,
        ),
        application(
            "harris.ivl",
            "harris",
            "1536×2560×3",
            Box::new(shape(&[(2, w - 4), (2, h - 4)])),
            vec![Box::new(floats())],
            1e-3,
        ),
        application(
            "histogram.ivl",
            "equalize",
            "1536×2560×3",
            Box::new(Image::<u8>::new(&[(0, w), (0, h), (0, 3)])),
            vec![Box::new(image::photo(0, 0, w, h))],
            // A brightness at the end of a bin may be rounded into the next one.
            2.0,
        ),
        application(
            "matmul.ivl",
            "multiply",
            "992×992",
            Box::new(shape(&[(0, 992), (0, 992)])),
            vec![Box::new(matrix(0)), Box::new(matrix(2))],
            1e-3,
        ),
        application(
            "iir_blur.ivl",
            "iir_blur",
            "1536×2560×3",
            Box::new(shape(&[(0, w), (0, h), (0, 3)])),
            vec![Box::new(floats()), Box::new(0.1f32)],
            1e-4,
        ),
    ]
}

/// The Python of an environment that has Halide, or why there is none.
fn halide() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/halide");
    let python = folder.join("bin/python");
    let has_it =
        |python: &Path| Command::new(python).args(["-c", "import halide, numpy"]).output().is_ok_and(|o| o.status.success());
    if has_it(&python) {
        return Ok(python);
    }
    eprintln!("  installing Halide into {}", folder.display());
    let run = |command: &mut Command| match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it failed").to_owned()),
        Err(error) => Err(error.to_string()),
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", "halide", "numpy"]))?;
    if has_it(&python) { Ok(python) } else { Err("the package was installed, and cannot be imported".to_owned()) }
}

/// Halide's name of what a target has.
fn features(isa: Isa) -> &'static str {
    match isa {
        Isa::Sse2 => "x86-64-linux",
        Isa::Sse4 => "x86-64-linux-sse41",
        Isa::Avx => "x86-64-linux-sse41-avx",
        Isa::Avx2 => "x86-64-linux-sse41-avx-f16c-fma-avx2",
        Isa::Avx512 => "x86-64-linux-sse41-avx-f16c-fma-avx2-avx512-avx512_skylake",
    }
}

/// Inputs and their shapes, for the other side.
fn write_inputs(all: &[Application], folder: &Path) -> io::Result<()> {
    let shape = |data: &dyn Data| {
        let (element, _) = data.shape();
        let element = if element == "float" { "float32" } else { element };
        let [mins, extents]: [Vec<i32>; 2] =
            [data.window().iter().map(|w| w.0).collect(), data.window().iter().map(|w| w.1).collect()];
        json!({ "type": element, "min": mins, "extents": extents })
    };
    let mut shapes = serde_json::Map::new();
    for application in all {
        let images = application.inputs.iter().filter(|input| !input.window().is_empty());
        let mut inputs = Vec::new();
        for (i, input) in images.enumerate() {
            fs::write(folder.join(format!("{}.{i}.raw", application.pipeline)), input.bytes())?;
            inputs.push(shape(&**input));
        }
        let described = json!({ "inputs": inputs, "output": shape(&*application.output) });
        shapes.insert(application.pipeline.to_owned(), described);
    }
    fs::write(folder.join("inputs.json"), Value::Object(shapes).to_string())
}

/// One application on one target.
pub struct Measured {
    /// The application.
    pub row: String,
    /// Its size.
    pub size: String,
    /// The target.
    pub isa: Isa,
    /// Our median, in nanoseconds.
    pub ours: f64,
    /// Theirs.
    pub peer: f64,
    /// Half the distance of our quartiles, relative to our median.
    pub spread: f64,
    /// Do the results agree?
    pub same_result: bool,
    /// How long we and they take to compile it, in nanoseconds.
    pub compile: (f64, f64),
}

/// Measures these applications, or all where none is named, on the targets that the machine has.
///
/// # Errors
/// If Halide is not there, cannot be installed, or fails.
pub fn measure(quick: bool, rows: &[&str]) -> Result<Vec<Measured>, String> {
    let python = halide()?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut all = applications();
    all.retain(|application| rows.is_empty() || rows.contains(&application.pipeline));
    write_inputs(&all, folder.path()).map_err(|e| e.to_string())?;
    let mut lines = Vec::new();
    for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.runs_here()) {
        for application in &all {
            let arguments: Vec<&dyn Argument> =
                std::iter::once(&application.output).chain(&application.inputs).map(|data| &**data as &dyn Argument).collect();
            let options = Options { fp: FpMode::Contract, ..Options::new(isa) };
            let program = Program::new(application.file, application.pipeline, &arguments, options, |s| s == "tuned");
            let mut times = ours(&program, &arguments, quick);
            let report = theirs(&python, folder.path(), isa, application.pipeline, quick)?;
            times.extend(ours(&program, &arguments, quick));
            times.sort_by(f64::total_cmp);
            let (median, count) = (times[times.len() / 2], times.len());
            let result =
                fs::read(folder.path().join(format!("{}.halide.raw", application.pipeline))).map_err(|e| e.to_string())?;
            let number = |name: &str| report[name].as_f64().ok_or(format!("Halide's report has no {name}"));
            let (found, expected) = (application.output.values(), application.output.values_of(&result));
            let same_result = match application.tolerance {
                t if t >= 1.0 => found.len() == expected.len() && found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= t),
                t => {
                    // Relative to the largest one: differences of sums are as large as rounding makes them.
                    let largest = expected.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
                    same_result(&found, &expected, t) || found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= t * largest)
                }
            };
            let line = Measured {
                row: application.pipeline.to_owned(),
                size: application.size.clone(),
                isa,
                ours: median,
                peer: number("median_ns")?,
                spread: (times[count * 3 / 4] - times[count / 4]) / 2.0 / median,
                same_result,
                compile: (program.time.as_nanos() as f64, number("compile_ms")? * 1e6),
            };
            eprintln!("  {} {isa} against Halide: {:.2}", line.row, line.ours / line.peer);
            lines.push(line);
        }
    }
    Ok(lines)
}

/// The time that this process has had, in nanoseconds.
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes the time to where it is told.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "the clock of the process is there");
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn ours(program: &Program, arguments: &[&dyn Argument], quick: bool) -> Vec<f64> {
    let (rounds, most) = if quick { (10, Duration::from_millis(500)) } else { (40, Duration::from_secs(3)) };
    let begin = Instant::now();
    let mut times = Vec::new();
    program.run("tuned", arguments);
    while times.len() < rounds && (times.len() < 3 || begin.elapsed() < most) {
        // As Halide's: at one thread the time of the processor.
        let start = processor_time();
        program.run("tuned", arguments);
        times.push(processor_time() - start);
    }
    times
}

fn theirs(python: &Path, folder: &Path, isa: Isa, name: &str, quick: bool) -> Result<Value, String> {
    let report = folder.join("report.json");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/applications.py");
    let rounds = if quick { "10" } else { "40" };
    let output = Command::new(python)
        .arg(script)
        .arg(&report)
        .arg(folder)
        .args([features(isa), name, "1", rounds])
        .env("HL_NUM_THREADS", "1")
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        let last = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
        return Err(format!("{name} in Halide: {last}"));
    }
    let text = fs::read_to_string(&report).map_err(|e| e.to_string())?;
    serde_json::from_str(&text).map_err(|e| e.to_string())
}
