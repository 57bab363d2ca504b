//! Invariants of the house itself: who may use whom, the map against the folders, a test for every code, files that a
//! reader can take in, no leftovers.

#[path = "tidy/arms.rs"]
mod arms;
#[path = "tidy/code.rs"]
mod code;
#[path = "tidy/imports.rs"]
mod imports;

use ivlc::diagnostics::{Severity, codes};
use ivlc::driver::check_text;
use ivlc::machine::Isa;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, process::Command};

/// The rooms of `compiler/` in reading order, and what each may use: the IR that it reads, the IR that it makes, and
/// the ground floor (`source`, `types`, `target`, `diagnostics`).
const ROOMS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("types", &[]),
    ("machine", &[]),
    ("target", &[]),
    ("diagnostics", &["source"]),
    ("syntax", &["source", "types", "diagnostics"]),
    ("library", &["source", "syntax"]),
    ("settings", &["source", "types", "diagnostics", "syntax"]),
    ("check", &["source", "types", "target", "diagnostics", "syntax", "typed"]),
    ("typed", &["source", "types", "target"]),
    ("pipeline", &["source", "types", "target", "diagnostics", "syntax", "check", "typed"]),
    ("tensor", &["source", "types", "target", "diagnostics", "syntax", "check", "typed", "pipeline"]),
    ("predicate", &["source", "types", "machine", "target", "typed", "vector"]),
    ("vector", &["source", "target"]),
    ("optimize", &["source", "machine", "vector"]),
    // Its passes are run as those of `optimize` are, whose tools they use.
    ("legalize", &["source", "machine", "vector", "optimize"]),
    ("llvm", &["source", "machine", "target", "vector", "symbols"]),
    ("symbols", &["machine", "target", "vector"]),
    ("header", &["types", "machine", "target", "typed", "symbols"]),
    ("bindings", &["source", "types", "machine", "target", "typed", "vector", "pipeline", "symbols"]),
    (
        "driver",
        &[
            "source",
            "types",
            "machine",
            "target",
            "diagnostics",
            "syntax",
            "settings",
            "check",
            "typed",
            "pipeline",
            "tensor",
            "predicate",
            "vector",
            "optimize",
            "legalize",
            "library",
        ],
    ),
];

/// The rooms inside of `pipeline`, which are folders or files of it, and what each may use of the others. A nest goes one way:
/// from `loops` to `directives`, `bounds`, `passes` and `lower`.
const ROOMS_OF_PIPELINE: &[(&str, &[&str])] = &[
    ("limits", &[]),
    ("facts", &["expr"]),
    ("expr", &["facts"]),
    ("simplify", &["expr", "limits"]),
    ("value", &["expr", "limits"]),
    ("wide", &["expr"]),
    ("algorithm", &["expr"]),
    ("signature", &["algorithm"]),
    ("evaluate", &["algorithm", "expr", "value"]),
    ("plain", &[]),
    ("text", &["algorithm", "expr"]),
    ("expand", &["plain"]),
    ("build", &["algorithm", "associative", "expr", "plain", "simplify"]),
    ("associative", &["algorithm", "expr", "loops"]),
    ("loops", &["algorithm", "associative", "evaluate", "expr", "limits", "value"]),
    ("directives", &["algorithm", "associative", "expr", "loops", "plain", "simplify"]),
    ("bounds", &["algorithm", "expr", "limits", "loops", "simplify", "value"]),
    ("passes", &["associative", "bounds", "expr", "limits", "loops", "simplify", "wide"]),
    ("lower", &["algorithm", "bounds", "expr", "limits", "loops", "passes", "signature", "simplify", "wide"]),
    ("emit", &["algorithm", "bounds", "expr", "limits", "loops", "passes", "simplify", "wide"]),
    // The stages one after another.
    ("mod", &["algorithm", "bounds", "directives", "evaluate", "expr", "loops", "lower", "plain", "signature"]),
    // What is asked of a scheduled pipeline.
    ("picture", &["algorithm", "evaluate", "expr", "loops", "mod", "value"]),
    ("wraps", &["evaluate", "expr", "loops", "mod"]),
];

/// Nothing longer than this is read at one sitting.
const MAX_LINES: usize = 800;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files of the project, as version control has them, else (in an archive of the sources) as the folders have them.
fn files() -> Vec<PathBuf> {
    let listed =
        Command::new("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root()).output();
    if let Some(listed) = listed.ok().filter(|l| l.status.success()) {
        let names = String::from_utf8(listed.stdout).expect("names of files are UTF-8");
        return names.split('\0').filter(|n| !n.is_empty()).map(PathBuf::from).filter(|p| root().join(p).is_file()).collect();
    }
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder of the project") {
            let name = entry.expect("an entry").file_name();
            let path = folder.join(&name);
            match root().join(&path).is_dir() {
                true if name != "target" && name != "out" && name != ".git" => folders.push(path),
                true => {}
                false => found.push(path),
            }
        }
    }
    found
}

fn text(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn with_extension(extensions: &[&str]) -> Vec<PathBuf> {
    let fits = |p: &PathBuf| p.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e));
    files().into_iter().filter(fits).collect()
}

/// Fails with all of these at once.
fn none(wrong: Vec<String>, what: &str) {
    assert!(wrong.is_empty(), "{what}:\n  {}", wrong.join("\n  "));
}

/// The room of a file of `compiler/`; the binary and the build script are outside of the house.
fn room(path: &Path) -> Option<String> {
    let inside = path.strip_prefix("compiler").ok()?;
    let room = inside.components().next()?.as_os_str().to_str()?.trim_end_matches(".rs").to_owned();
    (!["main", "lib", "build", "output", "command"].contains(&room.as_str())).then_some(room)
}

/// Tests may use every room: an evaluator of the vector IR serves `predicate` and `optimize` alike.
fn is_test(path: &Path) -> bool {
    path.iter().any(|part| part == "tests" || part == "tests.rs" || part.to_string_lossy().ends_with("_tests.rs"))
}

/// The text before a file's own tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

/// The rooms behind each `crate::` of a text, those in braces too.
fn rooms_used(text: &str) -> BTreeSet<String> {
    let name = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut used = BTreeSet::new();
    for part in text.split("crate::").skip(1) {
        match part.strip_prefix('{') {
            Some(list) => {
                let (mut depth, mut start) = (0, 0);
                for (i, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth > 0 => depth -= 1,
                        ',' | '}' if depth == 0 => {
                            used.insert(name(list[start..i].trim()));
                            start = i + 1;
                            if c == '}' {
                                break;
                            }
                        }
                        _ => {}
                    }
                }
            }
            None => drop(used.insert(name(part))),
        }
    }
    used.remove("");
    used
}

/// What becomes typed functions knows no trees and no names: it asks for instances.
#[test]
fn the_lowering_of_pipelines_sees_ids_alone() {
    let of_lowering = |path: &PathBuf| path.starts_with("compiler/pipeline/lower");
    let files: Vec<PathBuf> = with_extension(&["rs"]).into_iter().filter(of_lowering).collect();
    assert!(!files.is_empty(), "the room is there");
    let mut wrong = Vec::new();
    for path in files {
        let text = text(&path);
        let sees_trees = rooms_used(&text).contains("syntax") || text.contains("ast::");
        let asks_otherwise = text.split("crate::check").skip(1).any(|rest| !rest.starts_with("::schedules"));
        if sees_trees || asks_otherwise {
            wrong.push(path.display().to_string());
        }
    }
    none(wrong, "files that use `syntax`, or of `check` more than `schedules`");
}

#[test]
fn rooms_use_what_they_may() {
    let mut wrong = Vec::new();
    for path in with_extension(&["rs"]) {
        let Some(room) = room(&path).filter(|_| !is_test(&path)) else { continue };
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("{}: the room `{room}` is not in the table", path.display()));
            continue;
        };
        for used in rooms_used(without_tests(&text(&path))) {
            if used != room && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}: `{room}` may not use `{used}`", path.display()));
            }
        }
    }
    none(wrong, "dependencies against the order of the stages");
}

#[test]
fn the_names_behind_crate_are_found() {
    let text = "use crate::a::B; use crate::{c::{D, e}, f}; crate::g()";
    assert_eq!(rooms_used(text).into_iter().collect::<Vec<_>>(), ["a", "c", "f", "g"]);
}

/// The files of the compiler, without its tests, and which of them each imports from.
fn imports_of_the_compiler() -> imports::Files {
    let is_inside = |path: &PathBuf| room(path).is_some() && !is_test(path);
    let files = with_extension(&["rs"]).into_iter().filter(is_inside).map(|path| (path.clone(), text(&path)));
    imports::Files::new(Path::new("compiler"), files)
}

#[test]
fn rooms_of_pipeline_use_what_they_may() {
    let room = |path: &Path| {
        let inside = path.strip_prefix("compiler/pipeline").ok()?.with_extension("");
        Some(inside.iter().next()?.to_str()?.to_owned())
    };
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for (path, imports) in imports_of_the_compiler().edges() {
        let Some(from) = room(path) else { continue };
        let Some((_, allowed)) = ROOMS_OF_PIPELINE.iter().find(|(name, _)| *name == from) else {
            wrong.push(format!("{}: the room `{from}` is not in the table", path.display()));
            continue;
        };
        for to in imports.into_iter().filter_map(room).filter(|to| *to != from) {
            if !allowed.contains(&to.as_str()) {
                wrong.push(format!("{}: `{from}` may not use `{to}`", path.display()));
            }
            used.insert((from.clone(), to));
        }
    }
    for (from, allowed) in ROOMS_OF_PIPELINE {
        let idle = allowed.iter().filter(|to| !used.contains(&((*from).to_owned(), (**to).to_owned())));
        wrong.extend(idle.map(|to| format!("the table lets `{from}` use `{to}`, which it does not")));
    }
    none(wrong, "dependencies against the order of the stages of pipelines");
}

/// A reader who begins with what a file uses comes to an end: files do not import from one another in circles, but for pairs, those
/// of `pipeline/bounds`, which are a state and the questions to it, and those of `syntax/ast`, whose nodes are made of one another.
#[test]
fn files_import_in_one_direction() {
    let files = imports_of_the_compiler();
    let edges = files.edges();
    let is_known = |path: &&Path| {
        ["compiler/pipeline/bounds/", "compiler/syntax/ast"].iter().any(|room| path.to_string_lossy().starts_with(room))
    };
    let found = imports::circles(&edges).into_iter().filter(|circle| circle.len() > 2 && !circle.iter().all(is_known));
    let named = |circle: BTreeSet<&Path>| circle.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    none(found.map(named).collect(), "circles of imports");
}

/// Whoever adds a kind of statement or expression of pipelines is told by the compiler every place that has to know it.
#[test]
fn kinds_of_pipelines_are_all_named() {
    let mut wrong = Vec::new();
    for path in with_extension(&["rs"]).into_iter().filter(|path| path.starts_with("compiler/pipeline") && !is_test(path)) {
        let lines = arms::catch_alls(&text(&path), &["Statement", "ExprKind"]);
        wrong.extend(lines.into_iter().map(|line| format!("{}:{line}", path.display())));
    }
    none(wrong, "arms that take all kinds that are left");
}

#[test]
fn llvm_is_used_in_its_room_only() {
    let outside = |p: &PathBuf| p.starts_with("compiler") && !p.starts_with("compiler/llvm");
    let uses = |p: &PathBuf| text(p).lines().any(|l| l.contains("inkwell::") || l.contains("llvm_sys::"));
    none(
        with_extension(&["rs"]).into_iter().filter(outside).filter(uses).map(|p| p.display().to_string()).collect(),
        "files outside of compiler/llvm that use LLVM",
    );
}

#[test]
fn the_map_names_every_room() {
    let map = text(Path::new("compiler/lib.rs"));
    let rooms: BTreeSet<String> = files().iter().filter_map(|p| room(p)).collect();
    let mut wrong = Vec::new();
    for room in &rooms {
        if !map.contains(&format!("pub mod {room};")) || !map.contains(&format!("`{room}`")) {
            wrong.push(format!("compiler/lib.rs does not explain `{room}`"));
        }
    }
    for (room, _) in ROOMS {
        if !rooms.contains(*room) {
            wrong.push(format!("the table has `{room}`, the house has not"));
        }
    }
    none(wrong, "the map against the folders");
}

/// A path stands for itself, in `compiler` as well, or is one beside those in front of it on its line.
#[test]
fn the_contributors_chapter_names_files_that_there_are() {
    let mut wrong = Vec::new();
    for (number, line) in text(Path::new("docs/src/contributing.md")).lines().enumerate() {
        let mut folders = vec![root(), root().join("compiler")];
        let is_path = |name: &&str| name.ends_with(".rs") && !name.contains("NAME") && *name != "mod.rs";
        for name in line.split('`').skip(1).step_by(2).filter(is_path) {
            match folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()) {
                Some(path) => folders.extend(path.parent().map(Path::to_owned)),
                None => wrong.push(format!("docs/src/contributing.md:{}: there is no {name}", number + 1)),
            }
        }
    }
    none(wrong, "the contributor's chapter");
}

#[test]
fn the_library_defines_what_it_is_there_for() {
    let mut wrong = Vec::new();
    for file in ivlc::library::FILES {
        let text = text(Path::new(file.name));
        if text != file.text {
            wrong.push(format!("{} is another file", file.name));
        }
        // One of the files that are there for a function has it.
        for function in file.functions {
            let mut files = ivlc::library::FILES.iter().filter(|other| other.functions.contains(function));
            let defines = |file: &ivlc::library::LibraryFile| {
                [format!(" {function}("), format!("struct {function} {{")].iter().any(|it| file.text.contains(it))
            };
            if !files.any(defines) {
                wrong.push(format!("{}: there is no {function}", file.name));
            }
        }
        // What others may call is listed; helpers begin with two underscores.
        let is_struct = |line: &&str| line.starts_with("struct ") || line.contains("> struct ");
        let opens = |line: &&str| line.ends_with('{') || line.ends_with('}');
        for line in text.lines().filter(opens).filter(|line| !line.starts_with(' ') && !is_struct(line)) {
            let prefixes = ["[[fp(strict)]] ", "[[fp(contract)]] ", "[[fp(fast)]] ", "template <typename T> "];
            let definition = prefixes.iter().find_map(|prefix| line.strip_prefix(prefix)).unwrap_or(line);
            let Some((before, _)) = definition.split_once('(') else { continue };
            let name = before.rsplit(' ').next().unwrap_or("");
            if !name.starts_with("__") && !file.functions.contains(&name) {
                wrong.push(format!("{}: `{name}` is not listed", file.name));
            }
        }
    }
    none(wrong, "the standard library");
}

/// A row of the table of machines is all that a target is: `Isa` has names there and in LLVM's description alone.
#[test]
fn targets_have_names_in_the_table_of_machines_alone() {
    let mut wrong = Vec::new();
    let is_code = |path: &PathBuf| path.starts_with("compiler") && !path.iter().any(|part| part == "tests" || part == "tests.rs");
    let knows = |path: &PathBuf| path.ends_with("compiler/machine.rs") || path.ends_with("llvm/target.rs");
    for path in with_extension(&["rs"]).into_iter().filter(|path| is_code(path) && !knows(path)) {
        let all = text(&path);
        let code = code::of(&all);
        for isa in Isa::ALL {
            if code.contains(&format!("Isa::{isa:?}")) {
                wrong.push(format!("{}: `Isa::{isa:?}`", path.display()));
            }
        }
        // Of literals, names of LLVM's own instructions for a processor.
        if all.contains("\"llvm.x86.") {
            wrong.push(format!("{}: an instruction of a target", path.display()));
        }
    }
    none(wrong, "targets");
}

#[test]
fn every_ir_looks_alike() {
    for ir in ["typed", "vector", "pipeline/loops"] {
        for file in ["ir.rs", "print.rs", "verify.rs"] {
            assert!(root().join("compiler").join(ir).join(file).is_file(), "compiler/{ir}/{file} is missing");
        }
    }
}

#[test]
fn a_pass_is_a_file_that_opens_with_before_and_after() {
    let mut wrong = Vec::new();
    let of =
        |room: &'static str, passes: &'static [(&str, ivlc::optimize::Pass)]| passes.iter().map(move |(pass, _)| (room, pass));
    for (room, pass) in of("optimize", ivlc::optimize::PASSES).chain(of("legalize", ivlc::legalize::PASSES)) {
        let path = PathBuf::from(format!("compiler/{room}/{pass}.rs"));
        if !root().join(&path).is_file() {
            wrong.push(format!("{}: no such file", path.display()));
            continue;
        }
        let text = text(&path);
        let doc: Vec<&str> = text.lines().take_while(|l| l.starts_with("//!")).collect();
        if !doc.iter().any(|l| l.contains("```text")) {
            wrong.push(format!("{}: the doc shows no before and after", path.display()));
        }
    }
    none(wrong, "passes");
}

#[test]
fn files_open_with_their_purpose_and_end_in_time() {
    let mut wrong = Vec::new();
    // What is generated is included in modules.
    let is_written = |path: &PathBuf| !path.iter().any(|part| part == "generated");
    for path in with_extension(&["rs"]).into_iter().filter(is_written) {
        let text = text(&path);
        if !text.starts_with("//! ") {
            wrong.push(format!("{}: the first line does not say what it is for", path.display()));
        }
        if text.lines().count() > MAX_LINES {
            wrong.push(format!("{}: more than {MAX_LINES} lines", path.display()));
        }
    }
    none(wrong, "files");
}

#[test]
fn test_programs_say_what_they_show() {
    let tests = |p: &PathBuf| p.starts_with("tests") && p.iter().count() == 3;
    let silent = |p: &PathBuf| !text(p).lines().next().is_some_and(|l| l.starts_with("// ") && l.len() > 12);
    none(
        with_extension(&["ivl", "core"]).into_iter().filter(tests).filter(silent).map(|p| p.display().to_string()).collect(),
        "test programs without a first line of words",
    );
}

#[test]
fn nothing_is_left_lying_around() {
    // Spelt in halves, so that this file has none of them.
    let macros = ["todo", "unimplemented", "dbg"].map(|m| format!("{m}{}", "!("));
    let words = [("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("HA", "CK")].map(|(a, b)| format!("{a}{b}"));
    let places = [("/ro", "ot/"), ("/ho", "me/"), ("/wo", "rk/")].map(|(a, b)| format!("{a}{b}"));
    let mut wrong = Vec::new();
    for path in files() {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        if path.extension().is_some_and(|e| e == "lock") {
            continue;
        }
        for (i, line) in text.lines().enumerate() {
            let left = macros.iter().chain(&words).chain(&places).find(|w| line.contains(w.as_str()));
            if let Some(left) = left {
                wrong.push(format!("{}:{}: {left}", path.display(), i + 1));
            }
        }
    }
    none(wrong, "leftovers");
}

#[test]
fn codes_are_unique_and_explained() {
    let (mut numbers, mut names) = (BTreeMap::new(), BTreeSet::new());
    for code in codes::ALL {
        if let Some(other) = numbers.insert(code.number, code.name) {
            panic!("`{}` and `{other}` have one number", code.name);
        }
        assert!(names.insert(code.name), "two codes are named `{}`", code.name);
        assert!(code.why.len() > 20 && code.why.ends_with('.'), "`{}` explains itself in a sentence", code.name);
        let is_kebab = code.name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!(is_kebab, "`{}`: a name is words with hyphens", code.name);
    }
}

#[test]
fn examples_of_codes_show_them() {
    let mut wrong = Vec::new();
    for code in codes::ALL {
        let said = check_text(code.wrong);
        match said.iter().next() {
            None => wrong.push(format!("{}: nothing is said about the wrong example", code.name)),
            Some(first) if first.code.name != code.name => {
                wrong.push(format!("{}: the wrong example gives `{}`: {}", code.name, first.code.name, first.message));
            }
            Some(first) => {
                let is_warning = (800..900).contains(&code.number);
                if is_warning != (first.severity == Severity::Warning) {
                    wrong.push(format!("{}: numbers 800–899 are warnings, others errors", code.name));
                }
            }
        }
        if let Some(said) = check_text(code.right).iter().next() {
            wrong.push(format!("{}: the right example gives `{}`: {}", code.name, said.code.name, said.message));
        }
    }
    none(wrong, "examples of codes");
}

#[test]
fn every_code_has_a_test() {
    let folders = ["tests/check", "tests/syntax", "tests/run", "tests/paper"];
    let programs = with_extension(&["ivl"]).into_iter().filter(|p| folders.iter().any(|f| p.starts_with(f)));
    let all: String = programs.map(|p| text(&p)).collect();
    let is_tested = |name: &str| all.contains(&format!("error[{name}]")) || all.contains(&format!("warning[{name}]"));
    none(
        codes::ALL.iter().filter(|c| !is_tested(c.name)).map(|c| c.name.to_owned()).collect(),
        "codes that no file of tests/check and tests/syntax shows",
    );
}

#[test]
fn the_readme_is_true() {
    let readme = text(Path::new("README.md"));
    let script = text(Path::new("x"));
    let mut wrong = Vec::new();
    for line in readme.lines().map(str::trim_start) {
        if let Some(command) = line.strip_prefix("./x ").and_then(|l| l.split_whitespace().next())
            && !script.contains(&format!("    {command}) "))
        {
            wrong.push(format!("./x has no `{command}`"));
        }
    }
    for word in readme.split(['`', '(', ')', '\n']) {
        let is_path = ["compiler/", "tests/", "benches/", "examples/", "runtime/"].iter().any(|f| word.starts_with(f));
        if is_path && !word.contains(' ') && !root().join(word).exists() {
            wrong.push(format!("there is no {word}"));
        }
    }
    // The program at its head compiles, and does not only look right: tests/paper runs its parts.
    let program = readme.split("```c\n").nth(1).and_then(|t| t.split("```").next()).expect("a program in the README");
    wrong.extend(check_text(program).iter().map(|d| format!("the program: {}", d.message)));
    none(wrong, "the README");
}

/// The reference lists what is unsafe in the run-time library, and it lists all of it.
#[test]
fn the_unsafe_surface_is_listed() {
    let chapter = text(Path::new("docs/src/rust.md"));
    let part =
        chapter.split_once("In the crate `ivl`, `unsafe` stands in ").expect("a list").1.split_once(':').expect("an end").0;
    let listed: BTreeSet<&str> = part.split('`').skip(1).step_by(2).collect();
    // That a name is not mangled is written so, too.
    let is_unsafe = |path: &PathBuf| without_tests(&text(path)).replace("#[unsafe(no_mangle)]", "").contains("unsafe ");
    let sources: Vec<PathBuf> = with_extension(&["rs"]).into_iter().filter(|path| path.starts_with("runtime")).collect();
    let found: BTreeSet<String> = sources
        .iter()
        .filter(|path| is_unsafe(path))
        .map(|p| p.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), listed);
}
