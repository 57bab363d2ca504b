//! `optimize/*.core`, `legalize/*.core`: what a pass of these stages makes of a module.
//!
//! A file starts with a sentence and `// pass: name` (several names run one after another), and perhaps `// machine: avx512`, then comes a module, then
//! `// becomes:` and the module that the passes make of it. Both must keep the invariants of the vector IR.

use super::{bless, directives};
use ivlc::driver::{Options, Session, with_stack};
use ivlc::machine::Isa;
use ivlc::pipeline::Entries;
use ivlc::typed::builtins::NAMES;
use ivlc::{legalize, library, optimize, syntax, vector};
use libtest_mimic::Failed;
use std::{collections::BTreeSet, fs, path::Path};

const BECOMES: &str = "// becomes:\n";

/// Tests a file.
pub fn file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let names = directives(&text, "pass:");
    let [names] = names[..] else { return Err("a test of passes has one line `// pass: name`".into()) };
    let head = text.find("\n\n").ok_or("an empty line stands behind the head")? + 2;
    let (input, expected) = match text.split_once(BECOMES) {
        Some((before, expected)) => (&before[head..], expected),
        None if bless() => (&text[head..], ""),
        None => return Err("a test of passes has a line `// becomes:`".into()),
    };
    let mut module = vector::parse::parse(input)?;
    verified(&module, "the input")?;
    let isa = match directives(&text, "machine:")[..] {
        [name] => Isa::from_name(name).ok_or_else(|| format!("there is no machine {name}"))?,
        _ => Isa::COMMON,
    };
    for name in names.split_whitespace() {
        let mut passes = optimize::PASSES.iter().chain(legalize::PASSES);
        let (_, pass) = passes.find(|(n, _)| *n == name).ok_or_else(|| format!("there is no pass {name}"))?;
        pass.run(&mut module, isa.machine());
        verified(&module, name)?;
    }
    let found = vector::print::print(&module);
    if bless() {
        fs::write(path, format!("{}{input}{BECOMES}\n{found}", &text[..head]))?;
    } else if found.trim() != expected.trim() {
        return Err(format!("found\n{found}").into());
    }
    Ok(())
}

fn verified(module: &vector::ir::Module, after: &str) -> Result<(), Failed> {
    let wrong = vector::verify::verify(module);
    if wrong.is_empty() { Ok(()) } else { Err(format!("{after} breaks invariants: {}", wrong.join("\n")).into()) }
}

/// Does a program's vector IR read back as it was printed? And is it that of the program with other comments, and with functions
/// that nobody calls, which are named as built-ins and functions of the library?
pub fn reads_back(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let (schedules, printed) = compiled(path, text.clone())?;
    let module = vector::parse::parse(&printed)?;
    verified(&module, "reading")?;
    if vector::print::print(&module) != printed {
        return Err("prints differently".into());
    }
    // Words of the library and of pipelines, which mean nothing in a comment.
    let others = format!("{}// p.required(x) pow(x, y) floor_div packed_load p.auto(a)\n", without_comments(&text));
    let known = (schedules, printed);
    if compiled(path, others)? != known {
        return Err("comments change what is compiled".into());
    }
    // A printed schedule calls what a program hides by another name.
    let (hiding, known) = (code(compiled(path, format!("{text}\n{}", uncalled(&text)))?), code(known));
    if hiding.1 != known.1 || hiding.0 != known.0 && !hiding.0.contains("library_") {
        return Err("functions that nobody calls change what is compiled".into());
    }
    Ok(())
}

/// Without the tables of the library, which are there where one of its names is.
fn code((schedules, printed): (String, String)) -> (String, String) {
    let is_code = |line: &&str| !line.starts_with("global @__");
    (schedules, printed.lines().filter(is_code).collect::<Vec<_>>().join("\n").trim_start().to_owned())
}

/// Functions with the names of built-ins and of the library that a program does not mention.
fn uncalled(text: &str) -> String {
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let of_library = library::FILES.iter().flat_map(|file| file.functions.iter().copied());
    let names: BTreeSet<&str> =
        NAMES.iter().map(|name| name.text).chain(of_library).filter(|n| !words.contains(n) && !syntax::is_reserved(n)).collect();
    names.into_iter().map(|name| format!("int {name}(int a, int b) {{ return 1000; }}\n")).collect()
}

/// What a program's schedules become, and its vector IR.
fn compiled(path: &Path, text: String) -> Result<(String, String), Failed> {
    with_stack(|| {
        let mut session = Session { entries: Entries::All, ..Session::default() };
        session.load_text(path.display().to_string(), Some(path), text);
        let options = Options::new(Isa::Avx2);
        let program = session.check(&options).ok_or("does not compile")?;
        let printed = vector::print::print(&session.lower(&program, &options));
        Ok::<_, &str>((without_comments(&session.source().unwrap_or_else(|why| why)), printed))
    })
    .map_err(Failed::from)
}

/// A text with blanks for its comments.
fn without_comments(text: &str) -> String {
    let mut blank = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        let end = match c {
            '"' | '\'' => quoted(rest, c),
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if is_comment => rest.find("*/").map_or(rest.len(), |at| at + 2),
            _ => c.len_utf8(),
        };
        match is_comment {
            true => blank.extend(rest[..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
            false => blank.push_str(&rest[..end]),
        }
        rest = &rest[end..];
    }
    blank
}

/// The length of a string or character with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    // The first quote opens.
    let mut is_escaped = true;
    for (at, c) in text.char_indices() {
        if c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}
