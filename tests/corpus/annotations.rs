//! What is said about a program: below a line, `//^^^ error[code]: message` stands under the text that the message blames;
//! for text in the first two columns, `//@1..3 error[code]: message`. Everything that is said has to be annotated.

use crate::bless;
use ivlc::{
    diagnostics::Severity,
    driver::{Options, Session, with_stack},
    machine::Isa,
};
use libtest_mimic::Failed;
use std::{fs, path::Path};

/// (line, first column, behind the last column, text), 1-based.
type Annotation = (usize, usize, usize, String);

/// Tests a file.
pub fn file(path: &Path) -> Result<(), Failed> {
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
