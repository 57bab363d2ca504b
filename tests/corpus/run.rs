//! Programs that run: by the rules of the language (`ivlc interp`), as vector IR before and after `optimize`, and on every
//! instruction set of the machine at `-O0` and `-O3`, always with the same output.
//!
//! A file has an `// output:` block with its exact standard output, or `// run at` lines (see [`calls`]). Further lines:
//! `// exit: N`, `// stderr contains: text`, `// flags: --check --width 8`; `// not interpreted: why` for what calls C, or
//! what computes otherwise than `--fp strict`.

use crate::{bless, calls, directives};
use ivlc::{
    driver::{Options, Session, with_stack},
    target::Isa,
    vector::interpret::{FaultKind, Machine},
};
use libtest_mimic::Failed;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// What a program is expected to do.
struct Expectation<'t> {
    exit: i32,
    flags: Vec<&'t str>,
    error: Option<&'t str>,
    output: String,
}

/// Tests a file.
pub fn file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let runs = directives(&text, "run at");
    let block = text.find("// output:");
    let folder = tempfile::tempdir()?;
    let mut interpreted = folder.path().join("interpreted.ivl");
    let (program, output) = match block {
        Some(at) if runs.is_empty() => {
            interpreted = path.to_path_buf();
            (path.to_path_buf(), comments(&text[at..]))
        }
        None if !runs.is_empty() => {
            let (source, output) = calls::program(&text, &runs, true)?;
            let program = folder.path().join("test.ivl");
            fs::write(&program, source)?;
            let (source, _) = calls::program(&text, &runs, false)?;
            fs::write(&interpreted, source)?;
            (program, output)
        }
        _ => return Err("a test has either `// run at` lines or an `// output:` block".into()),
    };
    let expectation = Expectation {
        exit: directives(&text, "exit:").first().map_or(Ok(0), |n| n.parse())?,
        flags: directives(&text, "flags:").iter().flat_map(|f| f.split_whitespace()).collect(),
        error: directives(&text, "stderr contains:").first().copied(),
        output,
    };
    let mut first: Option<String> = None;
    if directives(&text, "not interpreted:").is_empty() {
        let ran = command("interp", &interpreted).args(["--target", "avx2"]).args(&expectation.flags).output()?;
        let output = compare(&ran, &expectation).map_err(|wrong| format!("interp: {wrong}"))?;
        if bless() && runs.is_empty() {
            first = Some(output);
        } else if output != expectation.output {
            return Err(format!("interp:\n{}", difference(&expectation.output, &output)).into());
        }
        if !bless() {
            vector_stages(&interpreted, &expectation)?;
        }
    }
    for isa in Isa::ALL {
        if !isa.runs_here() {
            compile(&program, isa, &expectation.flags, folder.path())?;
            continue;
        }
        for level in ["-O0", "-O3"] {
            let arguments = ["--target", isa.name(), level];
            let ran = command("run", &program).args(arguments).args(&expectation.flags).output()?;
            let output = compare(&ran, &expectation).map_err(|wrong| format!("{isa} {level}: {wrong}"))?;
            if bless() && runs.is_empty() {
                if first.get_or_insert(output.clone()) != &output {
                    return Err(format!("{isa} {level}: differs from the first target\n{output}").into());
                }
            } else if output != expectation.output {
                return Err(format!("{isa} {level}:\n{}", difference(&expectation.output, &output)).into());
            }
        }
    }
    if let (Some(output), Some(at)) = (first.filter(|o| *o != expectation.output), block) {
        let (head, tail) = text.split_at(at);
        let rest: String = tail.lines().skip(1).skip_while(|l| l.starts_with("//")).map(|l| format!("{l}\n")).collect();
        let block: String = output.lines().map(|l| format!("{}\n", format!("// {l}").trim_end())).collect();
        fs::write(path, format!("{head}// output:\n{block}{rest}"))?;
    }
    Ok(())
}

/// Tests a file with `// run at` lines at every length that is legal for it, which is one at which the checker accepts its
/// calls: every target prints what the rules say.
pub fn at_every_length(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let runs = directives(&text, "run at");
    let flags: Vec<&str> = directives(&text, "flags:").iter().flat_map(|f| f.split_whitespace()).collect();
    let folder = tempfile::tempdir()?;
    for length in [1, 2, 4, 8, 16, 32, 64] {
        let programs = ["interpreted.ivl", "compiled.ivl"].map(|name| folder.path().join(name));
        for (program, has_c) in programs.iter().zip([false, true]) {
            fs::write(program, calls::program_at(&text, &runs, has_c, Some(length))?.0)?;
        }
        let [interpreted, compiled] = programs;
        if !command("check", &interpreted).args(&flags).output()?.status.success() {
            continue;
        }
        let expected = command("interp", &interpreted).args(["--target", "avx2"]).args(&flags).output()?;
        for isa in Isa::ALL.into_iter().filter(|isa| isa.runs_here()) {
            let found = command("run", &compiled).args(["--target", isa.name()]).args(&flags).output()?;
            if (found.status.code(), &found.stdout) != (expected.status.code(), &expected.stdout) {
                let [expected, found] = [expected.stdout, found.stdout].map(|text| String::from_utf8_lossy(&text).into_owned());
                return Err(format!("length {length}, {isa}:\n{}", difference(&expected, &found)).into());
            }
        }
    }
    Ok(())
}

/// Interprets the vector IR, as `predicate` and as `optimize` leave it.
fn vector_stages(program: &Path, expectation: &Expectation) -> Result<(), Failed> {
    let mut options = Options::new(Isa::Avx2);
    let mut flags = expectation.flags.iter();
    while let Some(&flag) = flags.next() {
        match flag {
            "--check" => options.check = true,
            "--width" => options.width = Some(flags.next().ok_or("--width N")?.parse()?),
            _ => return Err(format!("the flag {flag} is not known here").into()),
        }
    }
    for (stage, level) in [("predicate", 0), ("optimize", 3)] {
        let options = Options { level, ..options };
        let ran = with_stack(|| {
            let mut session = Session::default();
            session.load(program).map_err(|e| e.to_string())?;
            let typed = session.check(&options).ok_or("refused")?;
            let module = session.lower(&typed, &options);
            let mut machine = Machine::new(&module);
            let exit = match machine.main() {
                Ok(code) => code & 0xff,
                Err(fault) if fault.kind == FaultKind::Check => 101,
                Err(fault) => return Err(fault.message),
            };
            Ok((exit, machine.output))
        });
        let (exit, output) = ran.map_err(|wrong: String| format!("behind {stage}: {wrong}"))?;
        if exit != expectation.exit || output != expectation.output {
            let difference = difference(&expectation.output, &output);
            return Err(format!("behind {stage}: exit code {exit}\n{difference}").into());
        }
    }
    Ok(())
}

fn command(name: &str, program: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ivlc"));
    command.arg(name).arg(program);
    command
}

fn compile(program: &Path, isa: Isa, flags: &[&str], folder: &Path) -> Result<(), Failed> {
    let object = folder.join("compiled.o");
    let made = command("build", program).args(["--target", isa.name(), "-o"]).arg(object).args(flags).output()?;
    if made.status.success() {
        return Ok(());
    }
    Err(format!("{isa}: not compiled\n{}", String::from_utf8_lossy(&made.stderr)).into())
}

/// The standard output, if the exit code and standard error are as expected.
fn compare(ran: &Output, expectation: &Expectation) -> Result<String, String> {
    let stdout = String::from_utf8_lossy(&ran.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&ran.stderr);
    if ran.status.code() != Some(expectation.exit) {
        return Err(format!("{} instead of exit code {}\n{stdout}{stderr}", ran.status, expectation.exit));
    }
    if expectation.error.is_some_and(|e| !stderr.contains(e)) {
        return Err(format!("standard error is\n{stderr}"));
    }
    Ok(stdout)
}

/// The comment lines behind `// output:`.
fn comments(text: &str) -> String {
    let lines = text.lines().skip(1).take_while(|l| l.starts_with("//"));
    lines.map(|l| format!("{}\n", l.strip_prefix("// ").unwrap_or(&l[2..]))).collect()
}

fn difference(expected: &str, found: &str) -> String {
    let mut text = String::new();
    let (mut a, mut b) = (expected.lines(), found.lines());
    for line in 1.. {
        match (a.next(), b.next()) {
            (None, None) => break,
            (x, y) if x == y => {}
            (x, y) => text += &format!("line {line}: expected {}, found {}\n", x.unwrap_or("nothing"), y.unwrap_or("nothing")),
        }
    }
    if text.is_empty() { "the last line ends differently\n".into() } else { text }
}
