//! Which pass of LLVM goes wrong: the last one that must run for a program to differ.
//!
//! ```text
//! passes that run    0 … 41   42 …
//! machine code       right    wrong      →  pass 42 of 274: instcombine on ivl.exchange.1
//! ```
//!
//! LLVM numbers the passes that may be left out; a process of its own runs the program with the first so many of them, which halves
//! the question each time. What is wrong without any of them is said to be so: then it is the translation, a late pass of ours, or
//! what LLVM cannot leave out, such as instruction selection.

use super::oracles::{Outcome, Targets, run};
use super::workers::JOB;
use ivlc::driver::with_stack;
use ivlc::machine::Isa;
use std::process::{Command, Output};

/// The variable that takes a protection away before programs run: `reads` those of reads under masks.
pub const PLANT: &str = "IVL_PLANT";

/// Takes away the protection that [`PLANT`] names.
pub fn plant() {
    match std::env::var(PLANT).as_deref() {
        Ok("reads") => ivlc::llvm::leave_masked_reads_unprotected(),
        Ok(other) => panic!("{PLANT}={other}: there is `reads`"),
        Err(_) => {}
    }
}

/// What a worker does with the job `passes LIMIT ISA LEVEL PATH`: says whether the program still differs.
pub fn work(limit: &str, isa: &str, level: &str, path: &str) {
    let text = std::fs::read_to_string(path).expect("a program");
    let isa = Isa::from_name(isa).expect("a target");
    ivlc::llvm::limit_passes(limit.parse().expect("a number"));
    let targets = Targets { isas: &[isa], levels: &[level.parse().expect("a level")] };
    let outcome = with_stack(|| run(&text, targets, &mut Nobody));
    println!("{}", if matches!(outcome, Outcome::Differs { .. }) { "differs" } else { "agrees" });
}

struct Nobody;

impl super::oracles::Watch for Nobody {}

/// What is said of a program in which all agree.
pub const NOTHING: &str = "no pass: all agree when it runs by itself";

/// The guilty pass of a program that differs at a stage of machine code (`llvm avx2 -O3`), in words; nothing for other stages.
pub fn guilty_pass(text: &str, stage: &str) -> Option<String> {
    searched(text, stage, |job| limited(job, None))
}

/// As [`guilty_pass`], without the protection that `plant` names.
pub fn guilty_pass_with_plant(text: &str, stage: &str, plant: &str) -> Option<String> {
    searched(text, stage, |job| limited(job, Some(plant)))
}

fn searched(text: &str, stage: &str, ask: impl Fn(&str) -> Output) -> Option<String> {
    let (isa, level) = stage.strip_prefix("llvm ")?.split_once(" -O")?;
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), text).expect("a temporary file that is written");
    let with = |limit: i32| ask(&format!("passes {limit} {isa} {level} {}", file.path().display()));
    let all = with(-1);
    if !differs(&all) {
        return Some(NOTHING.into());
    }
    let passes = passes(&String::from_utf8_lossy(&all.stderr));
    if differs(&with(0)) {
        return Some("no pass that LLVM can leave out: it is the translation, a late pass, or instruction selection".into());
    }
    // It agrees with the first `right` passes and differs with the first `wrong`.
    let (mut right, mut wrong) = (0, passes.len());
    while wrong - right > 1 {
        let middle = right + (wrong - right) / 2;
        *(if differs(&with(middle as i32)) { &mut wrong } else { &mut right }) = middle;
    }
    Some(format!("pass {wrong} of {}: {}", passes.len(), passes.get(wrong.checked_sub(1)?)?))
}

/// A process of this program with a job.
fn limited(job: &str, plant: Option<&str>) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program has a file"));
    command.env(JOB, job).envs(plant.map(|plant| (PLANT, plant)));
    command.output().expect("a process")
}

/// A process that breaks down has gone wrong, too.
fn differs(output: &Output) -> bool {
    !output.status.success() || output.stdout != b"agrees\n"
}

/// The passes that ran, in the order of their numbers.
fn passes(text: &str) -> Vec<String> {
    let named = |line: &str| Some(line.strip_prefix("BISECT: running pass (")?.split_once(") ")?.1.to_owned());
    text.lines().filter_map(named).collect()
}
