//! Programs that run: by the rules of the language (`ivlc interp`), as vector IR before and after `optimize` and after `legalize`, and on AVX2 and AVX-512 at `-O3`,
//! always with the same output. Older instruction sets take turns, of which each program has one, and so do all at `-O0`, and at each of many lengths. Of the
//! variants, which differ from one of these in some instructions, each takes one program in four, at `-O3`. `./x test --every` leaves nothing out (`IVL_EVERY=1`).
//!
//! A file has an `// output:` block with its exact standard output, or `// run at` lines (see [`calls`]). Further lines:
//! `// exit: N`, `// stderr contains: text`, `// flags: --check --width 8`; `// not interpreted: why` for what calls C, or
//! what computes otherwise than `--fp strict`.

use crate::{bless, calls, directives};
use ivlc::{
    driver::{Options, Session, with_stack},
    machine::Isa,
    vector::interpret::{FaultKind, Machine},
};
use libtest_mimic::Failed;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// The stage that says what is right.
const INTERPRETED: &str = "the typed program, interpreted";

/// What a program is expected to do.
struct Expectation<'t> {
    exit: i32,
    flags: Vec<&'t str>,
    error: Option<&'t str>,
    output: String,
    /// The calls that print its lines, where calls do.
    calls: Vec<String>,
}

/// Tests a file.
pub fn file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let runs = directives(&text, "run at");
    let block = text.find("// output:");
    let folder = tempfile::tempdir()?;
    let mut interpreted = folder.path().join("interpreted.ivl");
    let (program, output, calls) = match block {
        Some(at) if runs.is_empty() => {
            interpreted = path.to_path_buf();
            (path.to_path_buf(), comments(&text[at..]), Vec::new())
        }
        None if !runs.is_empty() => {
            let (source, lines) = calls::program(&text, &runs, true)?;
            let program = folder.path().join("test.ivl");
            fs::write(&program, source)?;
            let (source, _) = calls::program(&text, &runs, false)?;
            fs::write(&interpreted, source)?;
            let output = lines.iter().map(|line| format!("{}\n", line.result)).collect();
            (program, output, lines.into_iter().map(|line| line.call).collect())
        }
        _ => return Err("a test has either `// run at` lines or an `// output:` block".into()),
    };
    let expectation = Expectation {
        exit: directives(&text, "exit:").first().map_or(Ok(0), |n| n.parse())?,
        flags: directives(&text, "flags:").iter().flat_map(|f| f.split_whitespace()).collect(),
        error: directives(&text, "stderr contains:").first().copied(),
        output,
        calls,
    };
    let mut first: Option<String> = None;
    if directives(&text, "not interpreted:").is_empty() {
        let ran = command("interp", &interpreted).args(["--target", "avx2"]).args(&expectation.flags).output()?;
        let output = compare(&ran, &expectation, INTERPRETED)?;
        if bless() && runs.is_empty() {
            first = Some(output);
        } else {
            same(&output, &expectation, INTERPRETED)?;
        }
        if !bless() {
            vector_stages(&interpreted, &expectation)?;
        }
    }
    for (isa, levels) in targets(path) {
        if !isa.runs_here() {
            compile(&program, isa, &expectation.flags, folder.path())?;
            continue;
        }
        for level in levels {
            let arguments = ["--target", isa.name(), level];
            let ran = command("run", &program).args(arguments).args(&expectation.flags).output()?;
            let stage = format!("compiled for {isa} at {level}");
            let output = compare(&ran, &expectation, &stage)?;
            if bless() && runs.is_empty() {
                if first.get_or_insert(output.clone()) != &output {
                    return Err(format!("{stage}: differs from the first target\n{output}").into());
                }
            } else {
                same(&output, &expectation, &stage)?;
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
/// calls: half of the targets in turn print what the rules say.
pub fn at_every_length(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let runs = directives(&text, "run at");
    let flags: Vec<&str> = directives(&text, "flags:").iter().flat_map(|f| f.split_whitespace()).collect();
    let folder = tempfile::tempdir()?;
    for (place, length) in [1, 2, 4, 8, 16, 32, 64].into_iter().enumerate() {
        let [interpreted, compiled] = ["interpreted.ivl", "compiled.ivl"].map(|name| folder.path().join(name));
        let (source, lines) = calls::program_at(&text, &runs, false, Some(length))?;
        fs::write(&interpreted, source)?;
        fs::write(&compiled, calls::program_at(&text, &runs, true, Some(length))?.0)?;
        if !command("check", &interpreted).args(&flags).output()?.status.success() {
            continue;
        }
        let expected = command("interp", &interpreted).args(["--target", "avx2"]).args(&flags).output()?;
        let expectation = Expectation {
            exit: expected.status.code().ok_or("the interpreter ends")?,
            flags: flags.clone(),
            error: None,
            output: String::from_utf8_lossy(&expected.stdout).into_owned(),
            calls: lines.into_iter().map(|line| line.call).collect(),
        };
        let is_its_turn = |isa: Isa| every() || (turn(path) + place + isa as usize).is_multiple_of(2);
        for (isa, _) in targets(path).filter(|&(isa, _)| isa.runs_here() && is_its_turn(isa)) {
            let found = command("run", &compiled).args(["--target", isa.name(), "-O3"]).args(&flags).output()?;
            let stage = format!("compiled for {isa} at -O3");
            let wrong = compare(&found, &expectation, &stage).and_then(|output| same(&output, &expectation, &stage));
            if let Err(wrong) = wrong {
                // The first stage that differs says it.
                vector_stages(&interpreted, &expectation)?;
                return Err(wrong);
            }
        }
    }
    Ok(())
}

/// Is nothing to be left out?
fn every() -> bool {
    std::env::var_os("IVL_EVERY").is_some()
}

/// A number of a program, by which instruction sets take turns.
fn turn(path: &Path) -> usize {
    path.file_name().map_or(0, |name| name.as_encoded_bytes().iter().map(|&byte| usize::from(byte)).sum())
}

/// The instruction sets that a program is compiled for, each with the levels.
fn targets(path: &Path) -> impl Iterator<Item = (Isa, &'static [&'static str])> {
    const WITHOUT_OPTIMISATION: usize = 4;
    const OLDER: usize = 3;
    const VARIANTS: usize = 4;
    let turn = turn(path);
    let levels = move |isa: Isa| -> &'static [&'static str] {
        let is_its_turn = |of: usize| every() || (turn + isa as usize).is_multiple_of(of);
        let is_done = match (isa, Isa::PRINCIPAL.contains(&isa)) {
            (Isa::Avx2 | Isa::Avx512, _) => true,
            (_, true) => is_its_turn(OLDER),
            (_, false) => is_its_turn(VARIANTS),
        };
        match (Isa::PRINCIPAL.contains(&isa) && is_its_turn(WITHOUT_OPTIMISATION), is_done) {
            (true, true) => &["-O0", "-O3"],
            (true, false) => &["-O0"],
            (false, true) => &["-O3"],
            (false, false) => &[],
        }
    };
    Isa::ALL.into_iter().map(move |isa| (isa, levels(isa))).filter(|(_, levels)| !levels.is_empty())
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
    for (stage, level) in [("predicate", 0), ("optimize", 3), ("legalize", 3)] {
        let options = Options { level, ..options };
        let ran = with_stack(|| {
            let mut session = Session::default();
            session.load(program).map_err(|e| e.to_string())?;
            let typed = session.check(&options).ok_or("refused")?;
            let module = match stage {
                "legalize" => session.lower(&typed, &options),
                _ => session.optimized(&typed, &options),
            };
            let mut machine = Machine::new(&module);
            let exit = match machine.main() {
                Ok(code) => code & 0xff,
                Err(fault) if fault.kind == FaultKind::Check => 101,
                Err(fault) => return Err(fault.message),
            };
            Ok((exit, machine.output))
        });
        let stage = format!("the vector IR behind {stage} for avx2, interpreted");
        let (exit, output) = ran.map_err(|wrong: String| format!("{stage}: {wrong}"))?;
        if exit != expectation.exit {
            return Err(expectation.failure(&stage, &format!("exit code {exit} instead of {}", expectation.exit), &output));
        }
        same(&output, expectation, &stage)?;
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

impl Expectation<'_> {
    /// A stage, with the flags, is wrong in a way, having printed this.
    fn failure(&self, stage: &str, wrong: &str, output: &str) -> Failed {
        let flags: String = self.flags.iter().map(|flag| format!(" {flag}")).collect();
        let flags = if flags.is_empty() { flags } else { format!(" with{flags}") };
        format!("{stage}{flags}: {wrong}\n{}", difference(self, output)).into()
    }
}

/// The standard output, if the exit code and standard error are as expected.
fn compare(ran: &Output, expectation: &Expectation, stage: &str) -> Result<String, Failed> {
    let stdout = String::from_utf8_lossy(&ran.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&ran.stderr);
    if ran.status.code() != Some(expectation.exit) {
        let wrong = format!("{} instead of exit code {}\n{stderr}", ran.status, expectation.exit);
        return Err(expectation.failure(stage, &wrong, &stdout));
    }
    if expectation.error.is_some_and(|e| !stderr.contains(e)) {
        return Err(expectation.failure(stage, &format!("standard error is\n{stderr}"), &stdout));
    }
    Ok(stdout)
}

/// Is the output the expected one?
fn same(output: &str, expectation: &Expectation, stage: &str) -> Result<(), Failed> {
    if output == expectation.output { Ok(()) } else { Err(expectation.failure(stage, "another output", output)) }
}

/// The comment lines behind `// output:`.
fn comments(text: &str) -> String {
    let lines = text.lines().skip(1).take_while(|l| l.starts_with("//"));
    lines.map(|l| format!("{}\n", l.strip_prefix("// ").unwrap_or(&l[2..]))).collect()
}

/// The lines that differ, each with the call that prints it.
fn difference(expectation: &Expectation, found: &str) -> String {
    let mut text = String::new();
    let (mut a, mut b) = (expectation.output.lines(), found.lines());
    for line in 0.. {
        let (x, y) = match (a.next(), b.next()) {
            (None, None) => break,
            (x, y) if x == y => continue,
            (x, y) => (x.unwrap_or("nothing"), y.unwrap_or("nothing")),
        };
        let place = expectation.calls.get(line).cloned().unwrap_or_else(|| format!("line {}", line + 1));
        text += &format!("{place}: expected {x}, found {y}\n");
    }
    if text.is_empty() && expectation.output != found { "the last line ends differently\n".into() } else { text }
}
