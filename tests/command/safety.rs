//! Which exports Rust sees as safe functions.

use super::{Folder, root};
use std::fs;
use std::path::{Path, PathBuf};

/// A function of bindings.
struct Shown {
    is_safe: bool,
    /// Its name and parameters.
    text: String,
    /// What stands under `# Safety`, a line each.
    duties: Vec<String>,
}

impl Shown {
    fn name(&self) -> &str {
        self.text.split('(').next().expect("there is a first part")
    }
}

/// The functions of bindings, without those that return errors and those that take a level.
fn functions(bindings: &str) -> Vec<Shown> {
    let (mut all, mut duties, mut is_safety) = (Vec::new(), Vec::new(), false);
    for line in bindings.lines() {
        if let Some(docs) = line.strip_prefix("///") {
            is_safety = is_safety && docs.trim() != "" || docs.trim() == "# Safety";
            if is_safety && docs.trim() != "# Safety" {
                duties.push(docs.trim().to_owned());
            }
            continue;
        }
        let is_safe = !line.starts_with("pub unsafe fn ");
        if let Some(text) = line.strip_prefix("pub fn ").or(line.strip_prefix("pub unsafe fn "))
            && !text.starts_with("try_")
            && !text.contains("level: ivl::Level")
        {
            let duties = std::mem::take(&mut duties);
            all.push(Shown { is_safe, text: text.trim_end_matches(" {").to_owned(), duties });
        }
        if !line.starts_with('#') {
            (duties, is_safety) = (Vec::new(), false);
        }
    }
    all
}

/// The bindings of a source.
fn shown(source: &str, options: &str) -> Vec<Shown> {
    let folder = Folder::new();
    folder.write("s.ivl", source);
    folder.ivlc(&format!("build s.ivl --emit rust -o bindings.rs {options}")).exits(0);
    functions(&folder.read("bindings.rs"))
}

fn safety() -> String {
    fs::read_to_string(root().join("tests/command/safety.ivl")).expect("it is part of the tests")
}

#[test]
fn functions_are_safe_where_no_argument_leads_outside() {
    let all = shown(&safety(), "");
    assert!(all.len() > 50, "{}", all.len());
    for function in &all {
        let (name, duties) = (function.name(), function.duties.join("\n"));
        assert_eq!(function.is_safe, name.starts_with("safe_"), "{name}: {duties}");
        assert_eq!(function.is_safe, function.duties.is_empty(), "{name}: {duties}");
    }
}

#[test]
fn what_would_be_checked_is_listed_by_line() {
    let source = safety();
    let line_of = |name: &str| 1 + source.lines().position(|line| line.contains(&format!(" {name}("))).expect("it is there");
    let all = shown(&source, "--unchecked");
    let duties_of = |name: &str| all.iter().find(|f| f.name() == name).map(|f| f.duties.clone()).expect("it is shown");
    // Where there is one access, and where a function that is called has it, too.
    for (name, lines) in [
        ("safe_pointer", vec!["safe_pointer"]),
        ("safe_blocks", vec!["safe_blocks"]),
        ("safe_view", vec!["safe_view"]),
        ("safe_handed_view", vec!["first"]),
        ("safe_handed_table", vec!["sum", "safe_handed_table"]),
        ("safe_atomic_of_one", vec!["safe_atomic_of_one"]),
        ("safe_assumption", vec!["safe_assumption"]),
    ] {
        let listed: Vec<String> = lines.iter().map(|name| format!("* s.ivl:{}", line_of(name))).collect();
        let found = duties_of(name);
        assert_eq!(found[1..], listed, "{name}: {found:?}");
    }
    let safe: Vec<&str> = all.iter().filter(|f| f.is_safe).map(Shown::name).collect();
    assert_eq!(safe, ["safe_unset_bools"], "what accesses nothing");
}

#[test]
fn a_pipeline_is_as_safe_as_the_functions_that_it_calls() {
    let source = "const int table[4] = { 1, 2, 3, 4 };\nint looked_up(int k) { return table[k]; }\n\
                  pipeline p(int in[]) -> f { fun f(x) = looked_up(in(x)); }\nschedule p.s { f.vectorize(x, 8, guard); }\n";
    for (options, safety, listed) in [("", "", false), ("--unchecked", "unsafe ", true)] {
        let folder = Folder::new();
        folder.write("s.ivl", source);
        folder.ivlc(&format!("build s.ivl --emit rust -o bindings.rs {options}")).exits(0);
        let bindings = folder.read("bindings.rs");
        for function in ["s(", "s_into("] {
            assert!(bindings.contains(&format!("pub {safety}fn {function}")), "{function} {options}: {bindings}");
        }
        assert_eq!(bindings.contains("/// * s.ivl:2\n"), listed, "{bindings}");
    }
}

/// Bounds inference has proven what a schedule accesses; only the author's word is left without checks.
#[test]
fn a_definition_is_as_safe_as_what_its_author_says() {
    let source = "def stored(float(E, D) T) -> (O) { t(e, d) = 2.0 * T(e, d)  s(d) +=! t(e, d)  O(e, d) = t(e, d) / s(d) }\n\
                  def said(float(E, D) T, int32(B) w) -> (O) { O(b, d) = unchecked(T(w(b), d)) where d in 0:D }\n";
    for (options, of_said, listed) in [("", "", false), ("--unchecked", "unsafe ", true)] {
        let folder = Folder::new();
        folder.write("s.ivl", source);
        folder.ivlc(&format!("build s.ivl --emit rust -o bindings.rs {options}")).exits(0);
        let bindings = folder.read("bindings.rs");
        let (stored, said) = bindings.split_once("pub mod said").expect("a module for each definition");
        assert!(stored.contains("pub fn auto_into("), "{options}: {stored}");
        assert!(said.contains(&format!("pub {of_said}fn auto_into(")), "{options}: {said}");
        assert_eq!(bindings.contains("/// * s.ivl:2\n"), listed, "{bindings}");
    }
}

#[test]
fn what_is_cast_to_be_written_is_not_lent() {
    let all = shown(
        "export void f(const float a[n], int n) { float *scalar p = (float *scalar) a; p[0] = 1; }\n\
         export void g(float a[n], int n) { a[0] = 1; }\n",
        "",
    );
    assert_eq!(all.iter().map(|f| f.is_safe).collect::<Vec<_>>(), [false, true]);
    assert_eq!(all[0].duties, ["Nothing is written through `a`, though the program casts `const` away."]);
}

/// All sources below a folder.
pub(super) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "ivl") {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// The sources of examples and tests that export something, with their bindings; those that are refused are there to be refused.
pub(super) fn with_exports() -> Vec<(PathBuf, String)> {
    let folder = Folder::new();
    let all = ["examples", "tests"].iter().flat_map(|name| sources(&root().join(name)));
    let exports = all.filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("export ")));
    exports
        .filter_map(|path| {
            let mut command = folder.command("build --emit rust -o bindings.rs");
            let ran = super::run(command.arg(&path));
            (ran.code == Some(0)).then(|| (path, folder.read("bindings.rs")))
        })
        .collect()
}

#[test]
fn exports_of_examples_and_tests_are_safe() {
    let (mut safe, mut others, mut wrong) = (0, Vec::new(), Vec::new());
    for (path, bindings) in with_exports() {
        let file = path.strip_prefix(root()).expect("below the root").display().to_string();
        for function in functions(&bindings) {
            if function.is_safe {
                safe += 1;
                continue;
            }
            // `safety.ivl` has its own test; memory that a function gives back by itself is its own to know.
            let has_pointer = function.duties.iter().any(|duty| duty.contains(" to what the function accesses through "));
            let is_named = file.ends_with("safety.ivl") || function.name() == "fresh";
            let said = format!("{file}: {}", function.text);
            if has_pointer || is_named {
                others.push(said)
            } else {
                wrong.push(format!("{said}\n{}", function.duties.join("\n")))
            }
        }
    }
    println!("{safe} exports are safe functions, {} are not:\n{}", others.len(), others.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(safe >= 90, "{safe}");
}
