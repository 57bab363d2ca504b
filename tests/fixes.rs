//! Changes that diagnostics propose: each is applied, and what it was about is gone.
//!
//! Of the wrong example of a code, every fix makes a program that is accepted, and where its help shows code, a fix writes it; of
//! the programs of `tests/check` and `tests/syntax`,
//! which are wrong in many places, one without that diagnostic and without one more that cannot be read.

use ivlc::diagnostics::{Diagnostic, Fix, Severity, codes};
use ivlc::driver::{Options, Session, with_stack};
use ivlc::machine::Isa;
use ivlc::source::FileId;
use ivlc::typed::interpret::{Limits, interpret};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The changes that keep what a program does: what it prints is the same behind them.
const EQUIVALENT: &[&str] = &["put it in brackets", "write `point`"];

/// All that is said about a text.
fn said(text: &str, path: Option<PathBuf>) -> Vec<Diagnostic> {
    let text = text.to_owned();
    with_stack(move || {
        let mut session = Session::default();
        session.load_text("text.ivl".into(), path.as_deref(), text);
        session.check(&Options { width: Some(8), ..Options::new(Isa::Avx2) });
        session.diagnostics.iter().cloned().collect()
    })
}

/// The text after a fix; `None` where it is about another file.
fn fixed(text: &str, fix: &Fix) -> Option<String> {
    let mut edits = fix.edits.clone();
    // From behind, so that places stay what they are.
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.span.start, edit.span.end)));
    let mut text = text.to_owned();
    for edit in edits {
        if edit.span.file != FileId(0) {
            return None;
        }
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    Some(text)
}

#[test]
fn fixes_of_examples_make_programs_that_are_accepted() {
    let (mut wrong, mut equivalent) = (Vec::new(), BTreeSet::new());
    for code in codes::ALL {
        for diagnostic in said(code.wrong, None).iter().filter(|d| d.code == *code) {
            // What stands between backquotes is to be pasted.
            let shows_code = diagnostic.help.as_ref().is_some_and(|help| help.contains('`'));
            if shows_code && diagnostic.fixes.is_empty() {
                wrong.push(format!("{}: code without a fix: {:?}", code.name, diagnostic.help));
            }
            for fix in &diagnostic.fixes {
                let text = fixed(code.wrong, fix).expect("an example is one file");
                let left: Vec<String> = said(&text, None)
                    .into_iter()
                    .filter(|d| d.severity == Severity::Error || d.code == *code)
                    .map(|d| d.message)
                    .collect();
                if !left.is_empty() {
                    wrong.push(format!("{}, `{}`: {}\n{text}", code.name, fix.title, left.join("; ")));
                }
                if EQUIVALENT.contains(&&*fix.title) {
                    equivalent.insert(fix.title.clone());
                    // The example itself, where it is accepted; else its right form.
                    let before = if code.is_warning() { code.wrong } else { code.right };
                    if does(before) != does(&text) {
                        wrong.push(format!("{}, `{}`: does something else\n{text}", code.name, fix.title));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(equivalent.len(), EQUIVALENT.len(), "of {EQUIVALENT:?}, examples have {equivalent:?}");
}

#[test]
fn names_that_are_meant_differ_least() {
    let text = include_str!("check/letters_that_are_exchanged_are_one_mistake.ivl");
    assert_eq!(guesses(text), ["did you mean `median`?", "did you mean `mid`?"]);
}

#[test]
fn calls_of_a_pipeline_are_guessed_from_all_that_it_may_call() {
    let text = include_str!("check/pipelines_guess_names_that_are_misspelt.ivl");
    let names = ["bent", "repeat_edge", "source", "twice"];
    assert_eq!(guesses(text), names.map(|name| format!("did you mean `{name}`?")));
}

/// What a text is guessed to mean, in the order of the alphabet.
fn guesses(text: &str) -> Vec<String> {
    let mut guesses: Vec<String> = said(text, None).into_iter().flat_map(|d| d.fixes).map(|fix| fix.title).collect();
    guesses.sort();
    guesses
}

/// What a program prints, and its exit code.
fn does(text: &str) -> (String, i32) {
    let text = text.to_owned();
    with_stack(move || {
        let mut session = Session::default();
        session.load_text("text.ivl".into(), None, text);
        let program = session.check(&Options { width: Some(8), ..Options::new(Isa::Avx2) }).expect("it is accepted");
        let mut printed = String::new();
        let code = interpret(&program, Limits::default(), &mut |text| printed += text).expect("it runs");
        (printed, code)
    })
}

#[test]
fn fixes_of_test_programs_remove_what_they_are_about() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for folder in ["tests/check", "tests/syntax"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for path in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.extension().is_some_and(|extension| extension == "ivl") {
                let text = fs::read_to_string(&path).expect("a test program");
                let before = said(&text, Some(path.clone()));
                for diagnostic in &before {
                    for fix in &diagnostic.fixes {
                        let Some(text) = fixed(&text, fix) else { continue };
                        count += 1;
                        if let Err(why) = is_gone(diagnostic, &before, &said(&text, Some(path.clone()))) {
                            wrong.push(format!("{}: {}, `{}`: {why}", path.display(), diagnostic.message, fix.title));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 35, "{count} fixes were tried");
}

/// Is a diagnostic gone, without another that cannot be read in its place?
fn is_gone(diagnostic: &Diagnostic, before: &[Diagnostic], after: &[Diagnostic]) -> Result<(), String> {
    let alike =
        |list: &[Diagnostic]| list.iter().filter(|d| d.code == diagnostic.code && d.message == diagnostic.message).count();
    if alike(after) >= alike(before) {
        return Err("is still said".into());
    }
    let unreadable = |list: &[Diagnostic]| list.iter().filter(|d| d.code.number < 100).count();
    if unreadable(after) > unreadable(before) {
        return Err("cannot be read any more".into());
    }
    Ok(())
}
