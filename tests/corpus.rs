//! Walks the folders of test programs: a file is a test.
//!
//! * `run/`, `paper/`: programs that run on every instruction set of the machine, at `-O0` and `-O3`. A file has an
//!   `// output:` block with its exact standard output (and `// exit: N`), or lines
//!   `// run at 1, 4, 8: f([1, -2], 3) == [1, 0]`: the lists are repeated over the lanes of a call at each length, and
//!   at length 1 there is a call for each element. So each such test compares N lanes with the scalar instance.
//! * `check/`, `syntax/`: diagnostics. Below a line, `//^^^ error[code]: message` stands under the text it blames;
//!   for text in the first two columns, `//@1..3 error[code]: message`.
//! * `llvm/`: `// count avx2 asm: vgatherdps 0, vmovups >= 2` looks at what is generated.
//!
//! Normal runs fail on a difference; with `BLESS=1` they write `// output:` blocks and annotations.

use ivlc::diagnostics::Severity;
use ivlc::driver::{Options, Session, with_stack};
use ivlc::target::Isa;
use libtest_mimic::{Arguments, Failed, Trial};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut trials = Vec::new();
    for folder in ["run", "paper"] {
        for path in files(&root.join(folder)) {
            trials.push(Trial::test(name(&root, &path), move || run_file(&path)));
        }
    }
    for folder in ["check", "syntax"] {
        for path in files(&root.join(folder)) {
            trials.push(Trial::test(name(&root, &path), move || check_file(&path)));
        }
    }
    for path in files(&root.join("llvm")) {
        trials.push(Trial::test(name(&root, &path), move || count_file(&path)));
    }
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.runs_here()) {
        // Compiled by every test, run by none: said, and not counted as passed.
        println!("{isa}: not run here, this machine lacks it");
        trials.push(Trial::test(format!("run on {isa}"), || Ok(())).with_ignored_flag(true));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "ivl"));
    paths.sort();
    paths
}

fn name(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).with_extension("").display().to_string()
}

fn bless() -> bool {
    std::env::var_os("BLESS").is_some_and(|v| v == "1")
}

/// The text behind `// key:` on each line that has it.
fn directives<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let prefix = format!("// {key}");
    text.lines().filter_map(|l| l.strip_prefix(&prefix)).map(str::trim).collect()
}

// ---- Programs that run --------------------------------------------------------------------------------------------

fn run_file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let exit: i32 = directives(&text, "exit:").first().map_or(Ok(0), |n| n.parse())?;
    let flags: Vec<String> = directives(&text, "flags:").iter().flat_map(|f| f.split_whitespace()).map(String::from).collect();
    let error = directives(&text, "stderr contains:").first().map(|s| s.to_string());
    let runs = directives(&text, "run at");
    let output = text.find("// output:").map(|at| expected_output(&text[at..]));
    let folder = tempfile::tempdir()?;
    let (file, expected) = if runs.is_empty() {
        (path.to_path_buf(), output.ok_or("a test has `// run at` lines or an `// output:` block")?)
    } else {
        let (main, expected) = generated_main(&runs)?;
        let file = folder.path().join("test.ivl");
        fs::write(&file, format!("{text}\n{main}"))?;
        (file, expected)
    };
    let mut first = None;
    for isa in Isa::ALL {
        if !isa.runs_here() {
            let object = folder.path().join("compiled.o");
            let made = Command::new(env!("CARGO_BIN_EXE_ivlc"))
                .arg("build")
                .arg(&file)
                .args(["--target", isa.name(), "-o"])
                .arg(object)
                .args(&flags)
                .output()?;
            if !made.status.success() {
                return Err(format!("{isa}: not compiled\n{}", String::from_utf8_lossy(&made.stderr)).into());
            }
            continue;
        }
        for level in ["-O0", "-O3"] {
            let ran = Command::new(env!("CARGO_BIN_EXE_ivlc"))
                .arg("run")
                .arg(&file)
                .args(["--target", isa.name(), level])
                .args(&flags)
                .output()?;
            let stdout = String::from_utf8_lossy(&ran.stdout).into_owned();
            let stderr = String::from_utf8_lossy(&ran.stderr);
            if ran.status.code() != Some(exit) {
                return Err(format!("{isa} {level}: {} instead of exit code {exit}\n{stdout}{stderr}", ran.status).into());
            }
            if error.as_ref().is_some_and(|e| !stderr.contains(e.as_str())) {
                return Err(format!("{isa} {level}: standard error is\n{stderr}").into());
            }
            if bless() && runs.is_empty() {
                first.get_or_insert(stdout.clone());
                if first.as_ref() != Some(&stdout) {
                    return Err(format!("{isa} {level}: differs from the first target\n{stdout}").into());
                }
                continue;
            }
            if stdout != expected {
                return Err(format!("{isa} {level}:\n{}", difference(&expected, &stdout)).into());
            }
        }
    }
    if let Some(output) = first.filter(|o| *o != expected) {
        let head = &text[..text.find("// output:").expect("an output block")];
        let rest: String =
            text[head.len()..].lines().skip(1).skip_while(|l| l.starts_with("//")).map(|l| format!("{l}\n")).collect();
        let block: String = output.lines().map(|l| format!("{}\n", format!("// {l}").trim_end())).collect();
        fs::write(path, format!("{head}// output:\n{block}{rest}"))?;
    }
    Ok(())
}

/// The comment lines behind `// output:`.
fn expected_output(text: &str) -> String {
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
    text
}

/// An argument or result: one value for all lanes, or a list that is repeated.
enum Lanes {
    One(String),
    List(Vec<String>),
}

impl Lanes {
    fn lane(&self, i: usize) -> &str {
        match self {
            Lanes::One(value) => value,
            Lanes::List(values) => &values[i % values.len()],
        }
    }

    fn count(&self) -> usize {
        match self {
            Lanes::One(_) => 1,
            Lanes::List(values) => values.len(),
        }
    }
}

/// Splits at commas outside of brackets.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("a part").push(c);
        }
    }
    parts.into_iter().map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

fn lanes(text: &str) -> Lanes {
    match text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        Some(list) => Lanes::List(split(list)),
        None => Lanes::One(text.to_owned()),
    }
}

/// A `main` that makes all calls of the `run at` lines, and what it prints.
fn generated_main(runs: &[&str]) -> Result<(String, String), Failed> {
    let (mut main, mut expected) = (String::from("int main() {\n"), String::new());
    for run in runs {
        let (lengths, call) = run.split_once(':').ok_or("`run at` lines are `lengths: call == result`")?;
        let (call, result) = call.rsplit_once("==").ok_or("`run at` lines are `lengths: call == result`")?;
        let (function, arguments) = call.trim().split_once('(').ok_or("a call is `f(…)`")?;
        let arguments: Vec<Lanes> =
            split(arguments.strip_suffix(')').ok_or("a call is `f(…)`")?).iter().map(|a| lanes(a)).collect();
        let result = lanes(result.trim());
        for length in lengths.split(',') {
            let length: usize = length.trim().parse()?;
            let call = |lane: Option<usize>| {
                let argument = |a: &Lanes| match (a, lane) {
                    (Lanes::One(value), _) => value.clone(),
                    (Lanes::List(_), Some(i)) => a.lane(i).to_owned(),
                    (Lanes::List(_), None) => format!("<{}>", (0..length).map(|i| a.lane(i)).collect::<Vec<_>>().join(", ")),
                };
                format!("{function}({})", arguments.iter().map(argument).collect::<Vec<_>>().join(", "))
            };
            if length == 1 {
                let count = arguments.iter().map(Lanes::count).chain([result.count()]).max().unwrap_or(1);
                for i in 0..count {
                    main += &format!("    print(\"%\\n\", {});\n", call(Some(i)));
                    expected += &format!("{}\n", result.lane(i));
                }
            } else {
                main += &format!("    print(\"%\\n\", {});\n", call(None));
                expected += &format!("<{}>\n", (0..length).map(|i| result.lane(i)).collect::<Vec<_>>().join(","));
            }
        }
    }
    Ok((main + "    return 0;\n}\n", expected))
}

// ---- Diagnostics --------------------------------------------------------------------------------------------------

/// (line, first column, behind the last column, text), 1-based.
type Annotation = (usize, usize, usize, String);

fn check_file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let (code, expected) = annotations(&text)?;
    // Annotations are blanked, so that lines keep their numbers.
    let found = with_stack(|| {
        let mut session = Session::default();
        session.load_text(path.display().to_string(), Some(path), code.clone());
        let options = Options { width: Some(8), ..Options::new(Isa::Avx2) };
        session.check(&options);
        session.diagnostics.sort();
        let found = session.diagnostics.iter().map(|d| {
            let file = session.sources.file(d.span.file);
            let (line, column) = file.line_column(d.span.start);
            let (end_line, end) = file.line_column(d.span.end);
            let end = if end_line == line { end.max(column + 1) } else { column + 1 };
            let severity = match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            (line, column, end, format!("{severity}[{}]: {}", d.code.name, d.message))
        });
        found.collect::<Vec<Annotation>>()
    });
    if bless() {
        let mut blessed = String::new();
        for (i, line) in code.lines().enumerate() {
            if line.is_empty() && text.lines().nth(i).is_some_and(is_annotation) {
                continue;
            }
            blessed += &format!("{line}\n");
            for (_, start, end, message) in found.iter().filter(|(l, ..)| *l == i + 1) {
                if *start > 2 {
                    blessed += &format!("//{}{} {message}\n", " ".repeat(start - 3), "^".repeat(end - start));
                } else {
                    blessed += &format!("//@{start}..{end} {message}\n");
                }
            }
        }
        fs::write(path, blessed)?;
        return Ok(());
    }
    let mut expected = expected;
    let mut wrong = String::new();
    for annotation in &found {
        match expected.iter().position(|e| e == annotation) {
            Some(at) => drop(expected.remove(at)),
            None => wrong += &format!("found     {}:{}..{} {}\n", annotation.0, annotation.1, annotation.2, annotation.3),
        }
    }
    for (line, start, end, message) in &expected {
        wrong += &format!("not found {line}:{start}..{end} {message}\n");
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

fn is_annotation(line: &str) -> bool {
    line.starts_with("//@") || line.strip_prefix("//").is_some_and(|l| l.trim_start().starts_with('^'))
}

fn annotations(text: &str) -> Result<(String, Vec<Annotation>), Failed> {
    let (mut code, mut found, mut last) = (String::new(), Vec::new(), 0);
    for (i, line) in text.lines().enumerate() {
        if !is_annotation(line) {
            code += line;
            code.push('\n');
            last = i + 1;
            continue;
        }
        code.push('\n');
        let (start, end, message) = if let Some(rest) = line.strip_prefix("//@") {
            let (range, message) = rest.split_once(' ').ok_or("an annotation is `//@1..3 message`")?;
            let (start, end) = range.split_once("..").ok_or("an annotation is `//@1..3 message`")?;
            (start.parse()?, end.parse()?, message)
        } else {
            let start = line.find('^').expect("an annotation has carets");
            let carets = line[start..].chars().take_while(|&c| c == '^').count();
            (start + 1, start + 1 + carets, line[start + carets..].trim())
        };
        found.push((last, start, end, message.to_owned()));
    }
    Ok((code, found))
}

// ---- Generated code -----------------------------------------------------------------------------------------------

/// `// count <target> <asm|llvm-ir|core> [@function]: word OP number, …`: how many lines have the word.
fn count_file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let counts = directives(&text, "count");
    if counts.is_empty() {
        return Err("a test of generated code has `// count` lines".into());
    }
    let mut wrong = String::new();
    for count in counts {
        let (head, conditions) = count.split_once(':').ok_or("`// count avx2 asm: word 0`")?;
        let head: Vec<&str> = head.split_whitespace().collect();
        let [isa, emit, rest @ ..] = &*head else { return Err("`// count avx2 asm: word 0`".into()) };
        let output = Command::new(env!("CARGO_BIN_EXE_ivlc"))
            .arg("build")
            .arg(path)
            .args(["--target", isa, "--emit", emit, "-o", "-"])
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        let code = String::from_utf8_lossy(&output.stdout).into_owned();
        let code = match rest.first().and_then(|f| f.strip_prefix('@')) {
            Some(function) => function_text(&code, function).ok_or_else(|| format!("no function `{function}` in the {emit}"))?,
            None => code,
        };
        for condition in conditions.split(',') {
            let words: Vec<&str> = condition.split_whitespace().collect();
            let (word, op, number) = match &*words {
                [word, number] => (word, "==", number),
                [word, op, number] => (word, *op, number),
                _ => return Err(format!("`{condition}` is not `word number`").into()),
            };
            let number: usize = number.parse()?;
            let found = code.lines().filter(|l| l.contains(word)).count();
            let holds = match op {
                "==" => found == number,
                "<=" => found <= number,
                ">=" => found >= number,
                _ => return Err(format!("`{op}` is none of ==, <=, >=").into()),
            };
            if !holds {
                wrong += &format!("{isa} {emit}: {word} {op} {number}, found {found}\n");
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

/// The lines of one function: from its label or definition to the next one.
fn function_text(code: &str, function: &str) -> Option<String> {
    let starts = |l: &&str| l.starts_with(&format!("{function}:")) || l.contains(&format!("@{function}("));
    let from = code.lines().position(|l| starts(&l))?;
    let ends = |l: &&str| !(l.starts_with('}') || l.starts_with(".Lfunc_end"));
    Some(code.lines().skip(from).take_while(ends).map(|l| format!("{l}\n")).collect())
}
