//! The group `pipelines`: applications against Halide 21, with the same schedules.
//!
//! Each side runs in a process of its own, for each application, target and number of threads: Halide in
//! `benches/applications.py` with the Python package that is installed into `target/halide`, ours in this program, started again
//! with `--application`. Both write their times and their result, and take turns: where the memory of a process happens to lie makes up
//! to a third of its time, so that each side has [`PROCESSES`] of them, and the median of all their runs counts. Where Halide cannot be
//! had, ours is measured alone.
//!
//! NumPy asks the system for huge pages for its pictures, which makes what streams through memory a tenth faster; so both processes
//! get them for all large memory ([`HUGE_PAGES`]). On both sides pictures begin at cache lines ([`CacheLines`]): a vector of AVX-512 that
//! straddles two is read at half the speed, and an allocator aligns to 16 bytes.
//!
//! At one thread the time is that of the processor, which others on the machine do not change; at two it is the clock's.

use super::applications::{Application, Data, NAMES, application};
use super::program::{Argument, Program};
use ivlc::driver::Options;
use ivlc::machine::Isa;
use ivlc::target::FpMode;
use serde_json::{Value, json};
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs, io};

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
pub fn features(isa: Isa) -> &'static str {
    match isa {
        Isa::Sse2 => "x86-64-linux",
        Isa::Sse4 => "x86-64-linux-sse41",
        Isa::Avx => "x86-64-linux-sse41-avx",
        Isa::Avx2 | Isa::Avx2Vnni => "x86-64-linux-sse41-avx-f16c-fma-avx2",
        Isa::Avx512Vnni => "x86-64-linux-sse41-avx-f16c-fma-avx2-avx512-avx512_skylake-avx512_cannonlake",
        Isa::Avx512x256 | Isa::Avx512 => "x86-64-linux-sse41-avx-f16c-fma-avx2-avx512-avx512_skylake",
    }
}

/// Inputs, and what there is to know of all arguments, for the other side.
fn write_inputs(application: &Application, folder: &Path) -> io::Result<()> {
    let shape = |data: &dyn Data| {
        let element = match data.shape().0 {
            "float" => "float32",
            "int" => "int32",
            other => other,
        };
        let [mins, extents]: [Vec<i32>; 2] =
            [data.window().iter().map(|w| w.0).collect(), data.window().iter().map(|w| w.1).collect()];
        match data.window() {
            [] if element == "int32" => json!({ "type": element, "value": data.values()[0] as i32 }),
            [] => json!({ "type": element, "value": data.values()[0] }),
            _ => json!({ "type": element, "min": mins, "extents": extents }),
        }
    };
    let mut inputs = Vec::new();
    for (i, input) in application.inputs.iter().enumerate() {
        if !input.window().is_empty() {
            fs::write(folder.join(format!("{}.{i}.raw", application.pipeline)), input.bytes())?;
        }
        inputs.push(shape(&**input));
    }
    let described = json!({ application.pipeline: { "inputs": inputs, "output": shape(&*application.output) } });
    fs::write(folder.join("inputs.json"), described.to_string())
}

/// The allocator of this program: large memory begins at a cache line.
pub struct CacheLines;

impl CacheLines {
    fn layout(layout: Layout) -> Layout {
        let alignment = if layout.size() < 4096 { 1 } else { 64 };
        layout.align_to(alignment).unwrap_or(layout)
    }
}

// SAFETY: it is the system's allocator, asked for more alignment; size alone decides that, so that memory goes back as it came.
unsafe impl GlobalAlloc for CacheLines {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller asks for some bytes, and `layout` changes their alignment alone.
        unsafe { System.alloc(CacheLines::layout(layout)) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller gives back what `alloc` made for this layout, which asked the system for the same one.
        unsafe { System.dealloc(pointer, CacheLines::layout(layout)) }
    }
}

/// One application on one target.
pub struct Measured {
    /// The application.
    pub row: String,
    /// Its size.
    pub size: String,
    /// The target.
    pub isa: Isa,
    /// How many threads.
    pub threads: usize,
    /// Our median, in nanoseconds.
    pub ours: f64,
    /// Theirs, if it is there.
    pub peer: Option<f64>,
    /// Half the distance of our quartiles, relative to our median.
    pub spread: f64,
    /// Do the results agree?
    pub same_result: bool,
    /// What that means.
    pub tolerance: String,
    /// How long we and they take to compile it, in nanoseconds of the processor.
    pub compile: (f64, Option<f64>),
}

/// How many processes each side has.
const PROCESSES: usize = 3;

/// What the processes of a side say.
#[derive(Default)]
struct Report {
    times: Vec<f64>,
    compile: Vec<f64>,
}

impl Report {
    fn read(path: &Path) -> Result<Report, String> {
        let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
        let value: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let times = value["times_ns"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        let compile = value["compile_ns"].as_f64().ok_or("a report says how long it took to compile")?;
        Ok(Report { times, compile: vec![compile] })
    }

    fn add(&mut self, other: Report) {
        self.times.extend(other.times);
        self.compile.extend(other.compile);
    }
}

/// The median; sorts the values.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures the applications that are asked for, on the targets that the machine has, at one thread and at two. Also says why
/// there is no Halide, if there is none.
///
/// # Errors
/// If a side fails.
pub fn measure(names: &[&'static str], quick: bool) -> Result<(Vec<Measured>, Option<String>), String> {
    let python = halide();
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    let mut lines = Vec::new();
    for &name in names {
        let all = application(name);
        write_inputs(&all, folder.path()).map_err(|e| e.to_string())?;
        for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.runs_here()) {
            for threads in 1..=threads {
                let (mut ours, mut theirs) = (Report::default(), None::<Report>);
                for _ in 0..if quick { 1 } else { PROCESSES } {
                    ours.add(run_ours(folder.path(), isa, name, threads, quick)?);
                    if let Ok(python) = &python {
                        theirs.get_or_insert_default().add(run_theirs(python, folder.path(), isa, name, threads, quick)?);
                    }
                }
                let result = |side: &str| {
                    let bytes = fs::read(folder.path().join(format!("{name}.{side}.raw"))).map_err(|e| e.to_string())?;
                    Ok::<_, String>(all.output.values_of(&bytes))
                };
                let same_result = theirs.is_none() || all.tolerance.same(&result("ivlc")?, &result("halide")?);
                let (middle, count) = (median(&mut ours.times), ours.times.len());
                let compile = (median(&mut ours.compile), theirs.as_mut().map(|theirs| median(&mut theirs.compile)));
                let line = Measured {
                    row: name.to_owned(),
                    size: all.size.to_owned(),
                    isa,
                    threads,
                    ours: middle,
                    peer: theirs.map(|mut theirs| median(&mut theirs.times)),
                    spread: (ours.times[count * 3 / 4] - ours.times[count / 4]) / 2.0 / middle,
                    same_result,
                    tolerance: all.tolerance.text(),
                    compile,
                };
                let against = line.peer.map_or_else(String::new, |peer| format!(" against Halide: {:.2}", line.ours / peer));
                let same = if same_result { "" } else { ", ANOTHER RESULT" };
                eprintln!("  {name} {isa} {threads} thread(s){against}{same}");
                lines.push(line);
            }
        }
    }
    Ok((lines, python.err()))
}

/// How often a process runs.
fn rounds(quick: bool) -> usize {
    if quick { 8 } else { 15 }
}

/// Has the C library ask for huge pages for large memory, where the system gives them to those who ask.
const HUGE_PAGES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");

/// Our side, in a process of its own.
fn run_ours(folder: &Path, isa: Isa, name: &str, threads: usize, quick: bool) -> Result<Report, String> {
    let program = env::current_exe().map_err(|e| e.to_string())?;
    let status = Command::new(program)
        .arg("--application")
        .args([name, isa.name(), &rounds(quick).to_string()])
        .arg(folder)
        .env("IVL_THREADS", threads.to_string())
        .envs([HUGE_PAGES])
        .status()
        .map_err(|e| e.to_string())?;
    if !status.success() {
        return Err(format!("{name} for {isa} failed"));
    }
    Report::read(&folder.join("ivlc.json"))
}

/// What `--application NAME TARGET ROUNDS FOLDER` does: compiles the application, runs it, and writes its times and its result.
///
/// # Errors
/// If an argument is missing or the folder cannot be written to.
pub fn run_application(arguments: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let [name, isa, rounds, folder] = arguments else { return Err("--application NAME TARGET ROUNDS FOLDER".into()) };
    let name = *NAMES.iter().find(|known| *known == name).ok_or("an application")?;
    let isa = Isa::ALL.into_iter().find(|known| known.name() == isa).ok_or("a target")?;
    let (rounds, folder): (usize, &Path) = (rounds.parse()?, Path::new(folder));
    let all = application(name);
    let arguments: Vec<&dyn Argument> =
        std::iter::once(&all.output).chain(&all.inputs).map(|data| &**data as &dyn Argument).collect();
    let options = Options { fp: FpMode::Contract, ..Options::new(isa) };
    let schedule = schedule(&all, isa)?;
    let schedule = schedule.as_str();
    let start = super::processor_time();
    let program = Program::new(all.file, all.pipeline, &[], &arguments, options, |s| s == schedule);
    let compile = super::processor_time() - start;
    let clock = || match env::var("IVL_THREADS").as_deref() {
        Ok("1") => super::processor_time(),
        _ => super::pairs::wall_time(),
    };
    program.run(schedule, &arguments);
    program.run(schedule, &arguments);
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < rounds && (times.len() < 5 || begin.elapsed() < Duration::from_secs(6)) {
        let start = clock();
        program.run(schedule, &arguments);
        times.push(clock() - start);
    }
    fs::write(folder.join(format!("{name}.ivlc.raw")), all.output.bytes())?;
    fs::write(folder.join("ivlc.json"), json!({ "times_ns": times, "compile_ns": compile }).to_string())?;
    Ok(())
}

/// The schedule of an application that is measured: the first one that there is of `tuned_TARGET`, `as_halide` and `tuned`.
///
/// # Errors
/// If there is none, or the file cannot be read.
pub fn schedule(all: &Application, isa: Isa) -> Result<String, Box<dyn std::error::Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pipelines").join(all.file);
    let source = fs::read_to_string(path)?;
    let schedules = [format!("tuned_{isa}"), "as_halide".to_owned(), "tuned".to_owned()];
    let is_there = |s: &String| source.contains(&format!("schedule {}.{s} ", all.pipeline));
    Ok(schedules.into_iter().find(is_there).ok_or("a tuned schedule")?)
}

/// Halide's side.
fn run_theirs(python: &Path, folder: &Path, isa: Isa, name: &str, threads: usize, quick: bool) -> Result<Report, String> {
    let report = folder.join("halide.json");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/applications.py");
    let threads = threads.to_string();
    let output = Command::new(python)
        .arg(script)
        .arg(&report)
        .arg(folder)
        .args([features(isa), name, &threads, &rounds(quick).to_string()])
        .env("HL_NUM_THREADS", &threads)
        .envs([HUGE_PAGES])
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        let last = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
        return Err(format!("{name} in Halide: {last}"));
    }
    Report::read(&report)
}
