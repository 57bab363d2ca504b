//! What matters in generated code, pinned without freezing all of it:
//! `// count <target> <asm|llvm-ir|core> [@function] [loop word]: word OP number, …` counts the lines that have a word.
//!
//! `a|b` counts lines with either. With `@function`, only the text of this function counts; with `loop word`, only the
//! innermost loop of the assembly that contains the word. OP is `==` (also where absent), `<=` or `>=`.

use crate::directives;
use libtest_mimic::Failed;
use std::{collections::HashMap, fs, path::Path, process::Command};

/// Tests a file.
pub fn file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let counts = directives(&text, "count");
    if counts.is_empty() {
        return Err("a test of generated code has `// count` lines".into());
    }
    let flags: Vec<&str> = directives(&text, "flags:").iter().flat_map(|f| f.split_whitespace()).collect();
    let mut outputs: HashMap<(&str, &str), String> = HashMap::new();
    let mut wrong = String::new();
    for count in counts {
        let (head, conditions) = count.split_once(':').ok_or("`// count avx2 asm: word 0`")?;
        let head: Vec<&str> = head.split_whitespace().collect();
        let [isa, emit, rest @ ..] = &*head else { return Err("`// count avx2 asm: word 0`".into()) };
        if !outputs.contains_key(&(*isa, *emit)) {
            outputs.insert((isa, emit), build(path, isa, emit, &flags)?);
        }
        let mut code = outputs[&(*isa, *emit)].clone();
        let mut rest = rest;
        if let Some(function) = rest.first().and_then(|f| f.strip_prefix('@')) {
            code = function_text(&code, function).ok_or_else(|| format!("no function `{function}` in the {emit}"))?;
            rest = &rest[1..];
        }
        match rest {
            [] => {}
            ["loop", word] => code = innermost_loop(&code, word).ok_or_else(|| format!("{isa}: no loop contains {word}"))?,
            other => return Err(format!("`{}` is not understood", other.join(" ")).into()),
        }
        for condition in conditions.split(',') {
            if let Some(message) = check(&code, condition)? {
                wrong += &format!("{} {message}\n", head.join(" "));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

fn build(path: &Path, isa: &str, emit: &str, flags: &[&str]) -> Result<String, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ivlc"));
    command.arg("build").arg(path).args(["--target", isa, "--emit", emit, "-o", "-"]).args(flags);
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What is wrong, if a condition does not hold.
fn check(code: &str, condition: &str) -> Result<Option<String>, Failed> {
    let words: Vec<&str> = condition.split_whitespace().collect();
    let (word, op, number) = match &*words {
        [word, number] => (*word, "==", number),
        [word, op, number] => (*word, *op, number),
        _ => return Err(format!("`{condition}` is not `word number`").into()),
    };
    let number: usize = number.parse()?;
    let lines: Vec<&str> = code.lines().filter(|l| word.split('|').any(|w| l.contains(w))).collect();
    let found = lines.len();
    let holds = match op {
        "==" => found == number,
        "<=" => found <= number,
        ">=" => found >= number,
        _ => return Err(format!("`{op}` is none of ==, <=, >=").into()),
    };
    Ok((!holds).then(|| format!("{word} {op} {number}, found {found}\n{}", lines.join("\n"))))
}

/// The lines of one function: from its label or definition to its end.
fn function_text(code: &str, function: &str) -> Option<String> {
    let label = format!("{function}:");
    let is_start =
        |line: &&str| line.starts_with(&label) || (line.contains(&format!("@{function}(")) && line.trim_end().ends_with('{'));
    let from = code.lines().position(|l| is_start(&l))?;
    let is_inside = |line: &&str| !(line.starts_with('}') || line.starts_with(".Lfunc_end"));
    Some(code.lines().skip(from).take_while(is_inside).map(|l| format!("{l}\n")).collect())
}

/// The shortest stretch of assembly from a label to a jump back to it that has the word.
fn innermost_loop(code: &str, word: &str) -> Option<String> {
    let lines: Vec<&str> = code.lines().collect();
    let labels: HashMap<&str, usize> = lines
        .iter()
        .enumerate()
        .filter_map(|(i, l)| l.starts_with(".L").then(|| l.split_once(':')).flatten().map(|l| (l.0, i)))
        .collect();
    let jumps = lines.iter().enumerate().filter_map(|(end, line)| {
        let mut words = line.split_whitespace();
        let is_jump = words.next()?.starts_with('j');
        let start = *labels.get(words.next()?)?;
        (is_jump && start < end).then(|| &lines[start..=end])
    });
    jumps.filter(|stretch| stretch.iter().any(|l| l.contains(word))).min_by_key(|s| s.len()).map(|stretch| stretch.join("\n"))
}
