//! Walks the folders of test programs: a file is a test.
//!
//! * `run/`, `paper/`: programs that run on every instruction set of the machine, at `-O0` and `-O3` ([`run`]).
//! * `check/`, `syntax/`: what is said about a program, and where ([`annotations`]).
//! * `faults/`: programs that go wrong, and how `ivlc interp` says so ([`faults`]).
//! * `llvm/`: what matters in generated code, counted ([`counts`]).
//! * `types/`: the types that were found for variables and results ([`types`]).
//! * `nest/`: what a pass of pipelines makes of loops ([`nests`]).
//! * What operations become on each instruction set, as the docs have it ([`operations`]).
//! * `optimize/`, `legalize/`: what a pass makes of a module ([`passes`]); the vector IR of all programs also reads back as printed.
//!
//! Normal runs fail on a difference; with `BLESS=1` they write `// output:` blocks, annotations and the table of operations.

#[path = "corpus/annotations.rs"]
mod annotations;
#[path = "corpus/calls.rs"]
mod calls;
#[path = "corpus/counts.rs"]
mod counts;
#[path = "corpus/faults.rs"]
mod faults;
#[path = "corpus/nests.rs"]
mod nests;
#[path = "corpus/operations.rs"]
mod operations;
#[path = "corpus/passes.rs"]
mod passes;
#[path = "corpus/run.rs"]
mod run;
#[path = "corpus/types.rs"]
mod types;

use ivlc::machine::Isa;
use libtest_mimic::{Arguments, Failed, Trial};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What a file of a folder is tested by.
type FileTest = fn(&Path) -> Result<(), Failed>;

/// The folders and what their files are.
const FOLDERS: &[(&str, FileTest)] = &[
    ("run", run::file),
    ("paper", run::file),
    ("check", annotations::file),
    ("syntax", annotations::file),
    ("faults", faults::file),
    ("llvm", counts::file),
    ("optimize", passes::file),
    ("legalize", passes::file),
    ("types", types::file),
    ("nest", nests::file),
];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut trials = Vec::new();
    for (folder, test) in FOLDERS {
        for path in files(&root.join(folder)) {
            let name = name(&root, &path);
            if matches!(*folder, "run" | "paper") {
                let path = path.clone();
                let text = fs::read_to_string(&path).expect("a test is readable");
                if !directives(&text, "run at").is_empty() && directives(&text, "not interpreted:").is_empty() {
                    let path = path.clone();
                    trials.push(Trial::test(format!("at every length/{name}"), move || run::at_every_length(&path)));
                }
                trials.push(Trial::test(format!("reads back/{name}"), move || passes::reads_back(&path)));
            }
            trials.push(Trial::test(name, move || test(&path)));
        }
    }
    trials.push(Trial::test("operations", operations::table));
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.runs_here()) {
        // Compiled by every test, run by none: said, and not counted as passed.
        println!("{isa}: not run here, this machine lacks it");
        trials.push(Trial::test(format!("run on {isa}"), || Ok(())).with_ignored_flag(true));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "ivl" || e == "core"));
    paths.sort();
    paths
}

fn name(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).with_extension("").display().to_string()
}

/// Are expectations to be written?
fn bless() -> bool {
    std::env::var_os("BLESS").is_some_and(|v| v == "1")
}

/// The text behind `// key` on each line that has it.
fn directives<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let prefix = format!("// {key}");
    text.lines().filter_map(|l| l.strip_prefix(&prefix)).map(str::trim).collect()
}
