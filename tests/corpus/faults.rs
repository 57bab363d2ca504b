//! What the interpreter of the rules finds out: a program ends with exit code 101 and `line:column: message (lane k)`, which
//! its last line says as `// fault: …`; or it does not, and the line is `// no fault`.
//!
//! With a line `// checked` the compiled program says the same, at `-O0` and `-O3` with `--check`; with `// checked: …` that is what it
//! says, at the same place. A line `// compiled` is the same without `--check`.

use crate::bless;
use libtest_mimic::Failed;
use std::{fs, path::Path, process::Command};

/// Tests a file.
pub fn file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let ran = Command::new(env!("CARGO_BIN_EXE_ivlc")).arg("interp").arg(path).output()?;
    let errors = String::from_utf8(ran.stderr)?;
    // Warnings come first; the fault names the file.
    let name = format!("{}:", path.display());
    let fault = errors.lines().rev().find_map(|line| line.strip_prefix(&name));
    let (code, found) = match fault {
        Some(fault) => (101, format!("// fault: {fault}")),
        None => (0, "// no fault".to_owned()),
    };
    if ran.status.code() != Some(code) {
        return Err(format!("the typed program, interpreted: {}\n{errors}", ran.status).into());
    }
    for (line, option) in [("// checked", Some("--check")), ("// compiled", None)] {
        let Some(wanted) = text.lines().find_map(|l| l.strip_prefix(line)) else { continue };
        let wanted = match wanted.strip_prefix(": ") {
            Some(message) => message,
            None => found.strip_prefix("// fault: ").unwrap_or(""),
        };
        for level in ["-O0", "-O3"] {
            compiled(path, option.into_iter().chain([level]), wanted)?;
        }
    }
    let is_expectation = |line: &&str| line.starts_with("// fault:") || line.starts_with("// no fault");
    let expected = text.lines().last().filter(is_expectation);
    if bless() {
        let program: String = text.lines().filter(|line| !is_expectation(line)).map(|line| format!("{line}\n")).collect();
        fs::write(path, format!("{program}{found}\n"))?;
        return Ok(());
    }
    if expected == Some(&found) {
        return Ok(());
    }
    Err(format!("the typed program, interpreted: expected {}, found {found}\n", expected.unwrap_or("a last line")).into())
}

/// The compiled program ends with this message and exit code 101, or without one and 0.
fn compiled<'o>(path: &Path, options: impl Iterator<Item = &'o str> + Clone, wanted: &str) -> Result<(), Failed> {
    let ran = Command::new(env!("CARGO_BIN_EXE_ivlc")).arg("run").args(options.clone()).arg(path).output()?;
    let errors = String::from_utf8(ran.stderr)?;
    let name = format!("{}:", path.display());
    let found = errors.lines().rev().find_map(|line| line.strip_prefix(&name)).unwrap_or("");
    let code = if wanted.is_empty() { 0 } else { 101 };
    if ran.status.code() != Some(code) || found.trim() != wanted {
        let options: Vec<&str> = options.collect();
        return Err(format!("compiled with {}: {}\n{errors}\nexpected {wanted}", options.join(" "), ran.status).into());
    }
    Ok(())
}
