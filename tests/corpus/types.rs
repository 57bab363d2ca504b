//! What was found out of the variables and results of a program: `// types <instance>: name = type, …` says which types they have in
//! the instance whose signature begins so, the result under the name of its function.

use crate::directives;
use ivlc::driver::{Options, Session, with_stack};
use ivlc::machine::Isa;
use ivlc::typed::facts;
use libtest_mimic::Failed;
use serde_json::Value;
use std::{fs, path::Path};

/// Tests a file.
pub fn file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let expected = directives(&text, "types");
    if expected.is_empty() {
        return Err("a test of types has `// types` lines".into());
    }
    let name = path.display().to_string();
    let code = text.clone();
    let lines = with_stack(move || {
        let mut session = Session::default();
        session.load_text(name, None, code);
        let program = session.check(&Options { width: Some(8), ..Options::new(Isa::Avx2) });
        program.map(|program| facts::json_lines(&program, &session.sources)).ok_or("the program is refused")
    })?;
    let facts = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    let mut wrong = String::new();
    for line in expected {
        let (instance, types) = line.split_once(": ").ok_or("`// types int f: s = int`")?;
        for part in types.split(", ") {
            let (name, ty) = part.split_once(" = ").ok_or("`// types int f: s = int`")?;
            let fits = |fact: &&Value| fact["name"] == name && fact["instance"].as_str().is_some_and(|i| i.starts_with(instance));
            let found: Vec<&Value> = facts.iter().filter(fits).collect();
            if found.is_empty() || found.iter().any(|fact| fact["type"] != ty) {
                wrong += &format!("`{name}` in `{instance}` is to be `{ty}`: {found:?}\n");
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{wrong}all: {facts:#?}").into()) }
}
