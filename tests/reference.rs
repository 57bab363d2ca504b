//! The examples of the language reference (`docs/src/*.md`) are programs that run.
//!
//! A block of `ivl` is a program. What stands in the block behind it is what happens:
//!
//! * `output`: what it prints, by the rules (`ivlc interp`) and as machine code (`ivlc run`);
//! * `error`: lines `line: code`, what the checker says of it;
//! * `fault`: how `ivlc interp` ends it, `line:column: message`;
//! * nothing: it is accepted.
//!
//! With `BLESS=1` the blocks are written.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// An example: its line in the chapter, its text, the kind and the text of the block behind it.
struct Example {
    line: usize,
    program: String,
    kind: String,
    expected: String,
}

/// A fenced block: where it begins, its kind, its text.
fn blocks(text: &str) -> Vec<(usize, String, String)> {
    let mut found: Vec<(usize, String, String)> = Vec::new();
    let mut is_open = false;
    for (i, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(kind) if !is_open => found.push((i + 1, kind.to_owned(), String::new())),
            Some(_) => {}
            None => {
                if is_open {
                    let (.., block) = found.last_mut().expect("an open block");
                    *block += line;
                    block.push('\n');
                }
                continue;
            }
        }
        is_open = !is_open;
    }
    found
}

fn examples(text: &str) -> Vec<Example> {
    let blocks = blocks(text);
    let mut examples = Vec::new();
    for (i, (line, kind, program)) in blocks.iter().enumerate() {
        if kind != "ivl" {
            continue;
        }
        let behind = blocks.get(i + 1).filter(|(_, kind, _)| ["output", "error", "fault"].contains(&kind.as_str()));
        let (kind, expected) = behind.map_or(Default::default(), |(_, kind, text)| (kind.clone(), text.clone()));
        examples.push(Example { line: *line, program: program.clone(), kind, expected });
    }
    examples
}

fn ivlc(arguments: &[&str], program: &Path) -> Result<Output, Failed> {
    Ok(Command::new(env!("CARGO_BIN_EXE_ivlc")).args(arguments).arg(program).output()?)
}

/// What happens, in the form of the block behind the example.
fn outcome(example: &Example) -> Result<String, Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("example.ivl");
    fs::write(&path, &example.program)?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    match example.kind.as_str() {
        "output" => {
            let (rules, code) = (ivlc(&["interp"], &path)?, ivlc(&["run"], &path)?);
            for ran in [&rules, &code] {
                if !ran.status.success() {
                    return Err(format!("{}\n{}", ran.status, String::from_utf8_lossy(&ran.stderr)).into());
                }
            }
            let (rules, code) = (text(rules.stdout), text(code.stdout));
            if rules != code {
                return Err(format!("by the rules:\n{rules}\nas machine code:\n{code}").into());
            }
            Ok(rules)
        }
        "error" => {
            let ran = ivlc(&["check", "--error-format", "json"], &path)?;
            let mut lines = String::new();
            for line in text(ran.stderr).lines() {
                let said: serde_json::Value = serde_json::from_str(line)?;
                lines += &format!("{}: {}\n", said["line"], said["name"].as_str().unwrap_or(""));
            }
            Ok(lines)
        }
        "fault" => {
            let errors = text(ivlc(&["interp"], &path)?.stderr);
            let fault = errors.lines().rev().find_map(|line| line.strip_prefix(&format!("{}:", path.display())));
            Ok(fault.map_or("none\n".into(), |fault| format!("{fault}\n")))
        }
        _ => {
            let ran = ivlc(&["check"], &path)?;
            if ran.status.success() && ran.stderr.is_empty() { Ok(String::new()) } else { Err(text(ran.stderr).into()) }
        }
    }
}

fn main() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/src");
    let mut chapters: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the reference").map(|entry| entry.expect("a chapter").path()).collect();
    chapters.sort();
    if env::var_os("BLESS").is_some_and(|v| v == "1") {
        return chapters.iter().for_each(|chapter| bless(chapter));
    }
    let mut trials = Vec::new();
    for chapter in chapters {
        let text = fs::read_to_string(&chapter).expect("a chapter");
        let name = chapter.file_stem().expect("a name").to_string_lossy().into_owned();
        for example in examples(&text) {
            trials.push(Trial::test(format!("{name}:{}", example.line), move || {
                let found = outcome(&example)?;
                if found == example.expected { Ok(()) } else { Err(format!("found\n{found}").into()) }
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Writes what happens into the blocks behind the examples.
fn bless(chapter: &Path) {
    let mut text = fs::read_to_string(chapter).expect("a chapter");
    for example in examples(&text) {
        match outcome(&example) {
            Ok(found) if !example.kind.is_empty() => {
                let before = format!("```ivl\n{}```\n", example.program);
                let (head, tail) = text.split_once(&before).expect("the example is in its chapter");
                let old = format!("```{}\n{}```", example.kind, example.expected);
                let new = format!("```{}\n{found}```", example.kind);
                text = format!("{head}{before}{}", tail.replacen(&old, &new, 1));
            }
            Ok(_) => {}
            Err(why) => println!("{}:{}: {why:?}", chapter.display(), example.line),
        }
    }
    fs::write(chapter, text).expect("a chapter is written");
}
