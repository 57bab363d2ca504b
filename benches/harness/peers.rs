//! The groups `peers` and `tensor`: the package `benches/peers`, whose kernels this compiler compiles. It is no member of the workspace, so
//! that its crates are built for these groups alone; they are those of its `Cargo.lock`.

use ivlc::machine::Isa;
use serde_json::Value;
use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};

/// A pair as the package measured it.
pub struct Measured {
    pub row: String,
    pub size: String,
    pub peer: String,
    pub ours: f64,
    pub peer_time: f64,
    pub spread: f64,
    pub same_result: bool,
    pub fp: &'static str,
    /// Why ours is slower, where it is and that is known.
    pub cause: String,
    /// How many operations a run has, where that is counted; else 0.
    pub operations: f64,
}

/// What the package measures on a level.
///
/// # Errors
/// If it cannot be built, and if it fails.
pub fn measure(isa: Isa, quick: bool) -> Result<Vec<Measured>, Box<dyn Error>> {
    Ok(run(isa, 1, quick, &[])?.0)
}

/// Definitions of tensors on a level, with so many threads; and what there is to say of them. Files go to `folder`. Where rows are named,
/// only these.
///
/// # Errors
/// As for [`measure`].
pub fn measure_tensors(
    isa: Isa,
    threads: usize,
    folder: &Path,
    quick: bool,
    rows: &[&str],
) -> Result<(Vec<Measured>, Vec<String>), Box<dyn Error>> {
    let (number, folder) = (threads.to_string(), folder.display().to_string());
    run(isa, threads, quick, &[&["--tensors", &number, &folder], rows].concat())
}

fn run(isa: Isa, threads: usize, quick: bool, arguments: &[&str]) -> Result<(Vec<Measured>, Vec<String>), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("cargo");
    command.args(["run", "--quiet", "--release", "--locked", "--manifest-path"]).arg(root.join("benches/peers/Cargo.toml"));
    // Which code of crates may be chosen where they cannot be told so when they run.
    command.args(["--features", isa.name()]);
    command.arg("--target-dir").arg(root.join("target/peers"));
    command.arg("--").args(arguments).args(quick.then_some("--quick"));
    command.env("IVLC", env!("CARGO_BIN_EXE_ivlc")).env("IVL_MAX_ISA", isa.name());
    for variable in ["IVL_THREADS", "MATMUL_NUM_THREADS", "RAYON_NUM_THREADS"] {
        command.env(variable, threads.to_string());
    }
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("benches/peers for {isa}: {}", output.status).into());
    }
    let (mut measured, mut notes) = (Vec::new(), Vec::new());
    for line in String::from_utf8(output.stdout)?.lines() {
        let line: Value = serde_json::from_str(line)?;
        match line["note"].as_str() {
            Some(note) => notes.push(note.to_owned()),
            None => measured.push(read(&line)?),
        }
    }
    Ok((measured, notes))
}

fn read(line: &Value) -> Result<Measured, Box<dyn Error>> {
    let missing = |key: &str| format!("benches/peers says no `{key}`: {line}");
    let text = |key: &str| line[key].as_str().map(str::to_owned).ok_or_else(|| missing(key));
    let number = |key: &str| line[key].as_f64().ok_or_else(|| missing(key));
    Ok(Measured {
        row: text("row")?,
        size: text("size")?,
        peer: text("peer")?,
        ours: number("ours_ns")?,
        peer_time: number("peer_ns")?,
        spread: number("spread")?,
        same_result: line["same_result"].as_bool().ok_or_else(|| missing("same_result"))?,
        fp: if text("fp")? == "strict" { "strict" } else { "contract" },
        cause: text("cause")?,
        operations: line["operations"].as_f64().unwrap_or_default(),
    })
}
