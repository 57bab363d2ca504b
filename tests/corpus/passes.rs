//! `optimize/*.core`: what a pass of `optimize` makes of a module.
//!
//! A file starts with a sentence and `// pass: name` (several names run one after another), then comes a module, then
//! `// becomes:` and the module that the passes make of it. Both must keep the invariants of the vector IR.

use super::{bless, directives};
use ivlc::driver::{Options, Session, with_stack};
use ivlc::target::Isa;
use ivlc::{optimize, vector};
use libtest_mimic::Failed;
use std::{fs, path::Path};

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
    for name in names.split_whitespace() {
        let (_, pass) = optimize::PASSES.iter().find(|(n, _)| *n == name).ok_or_else(|| format!("there is no pass {name}"))?;
        pass.run(&mut module);
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

/// Does a program's vector IR read back as it was printed?
pub fn reads_back(path: &Path) -> Result<(), Failed> {
    let printed = with_stack(|| {
        let mut session = Session::default();
        session.load(path)?;
        let options = Options::new(Isa::Avx2);
        let program = session.check(&options).ok_or_else(|| std::io::Error::other("does not compile"))?;
        std::io::Result::Ok(vector::print::print(&session.lower(&program, &options)))
    })?;
    let module = vector::parse::parse(&printed)?;
    verified(&module, "reading")?;
    if vector::print::print(&module) == printed { Ok(()) } else { Err("prints differently".into()) }
}
