//! The group `peers`: the package `benches/peers`, whose kernels this compiler compiles. It is no member of the workspace, so that its
//! crates are built for this group alone; they are those of its `Cargo.lock`.

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
}

/// What the package measures on a level.
pub fn measure(isa: Isa, quick: bool) -> Result<Vec<Measured>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("cargo");
    command.args(["run", "--quiet", "--release", "--locked", "--manifest-path"]).arg(root.join("benches/peers/Cargo.toml"));
    // Which code of crates may be chosen where they cannot be told so when they run.
    command.args(["--features", isa.name()]);
    command.arg("--target-dir").arg(root.join("target/peers"));
    command.args(quick.then_some(["--", "--quick"]).into_iter().flatten());
    command.env("IVLC", env!("CARGO_BIN_EXE_ivlc")).env("IVL_MAX_ISA", isa.name());
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("benches/peers for {isa}: {}", output.status).into());
    }
    String::from_utf8(output.stdout)?.lines().map(|line| read(&serde_json::from_str(line)?)).collect()
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
    })
}
