//! Random programs through all oracles: `./x fuzz --minutes N`, and two minutes of it in `./x test`.
//!
//! Programs run in processes of their own, one for each processor, so that a crash or an endless loop of compiled code is a
//! finding like others. A program that goes wrong is made small and printed with the first stage that differs.
//!
//! All programs go through the interpreters; one of ten (of `IVL_CODE`) also runs as machine code, where targets and levels take turns. A table says
//! how often each construct, each pair of constructs and each built-in at a type occurred; what never did is a failure.
//!
//! `IVL_MINUTES` or `IVL_COUNT` say for how long, `IVL_SEED` where to begin, `IVL_TARGETS` (names, or nothing) which targets
//! take turns; by default all. `IVL_TEXT=N` prints program N. `IVL_PLANT=reads` takes away what protects reads under masks from LLVM.

#[path = "differential/atomics.rs"]
mod atomics;
#[path = "differential/borders.rs"]
mod borders;
#[path = "differential/built_ins.rs"]
mod built_ins;
#[path = "differential/changes.rs"]
mod changes;
#[path = "differential/channels.rs"]
mod channels;
#[path = "differential/constructs.rs"]
mod constructs;
#[path = "differential/containers.rs"]
mod containers;
#[path = "differential/coverage.rs"]
mod coverage;
#[path = "differential/expressions.rs"]
mod expressions;
#[path = "differential/gathers.rs"]
mod gathers;
#[path = "differential/generator.rs"]
mod generator;
#[path = "differential/guilty_pass.rs"]
mod guilty_pass;
#[path = "differential/lane_mistakes.rs"]
mod lane_mistakes;
#[path = "differential/local_arrays.rs"]
mod local_arrays;
#[path = "differential/mutants.rs"]
mod mutants;
#[path = "differential/nested_loops.rs"]
mod nested_loops;
#[path = "differential/number_loops.rs"]
mod number_loops;
#[path = "differential/oracles.rs"]
mod oracles;
#[path = "differential/predication_mistakes.rs"]
mod predication_mistakes;
#[path = "differential/quotients.rs"]
mod quotients;
#[path = "differential/references.rs"]
mod references;
#[path = "differential/running.rs"]
mod running;
#[path = "differential/search.rs"]
mod search;
#[path = "differential/shapes.rs"]
mod shapes;
#[path = "differential/shrink.rs"]
mod shrink;
#[path = "differential/statements.rs"]
mod statements;
#[path = "differential/totals.rs"]
mod totals;
#[path = "differential/turned.rs"]
mod turned;
#[path = "differential/waiting.rs"]
mod waiting;
#[path = "differential/workers.rs"]
mod workers;

use ivlc::machine::Isa;
use libtest_mimic::{Arguments, Failed, Trial};
use mutants::Mistake;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

fn main() {
    if let Ok(job) = std::env::var(workers::JOB) {
        return workers::work(&job);
    }
    if let Some(seed) = number("IVL_TEXT") {
        return print!("{}", generator::program(seed));
    }
    let arguments = Arguments::from_args();
    let mut trials = planted(&arguments);
    trials.push(Trial::test("found: a read under a mask that LLVM moves behind a store", a_moved_read_is_found));
    trials.push(Trial::test("what is found becomes small", findings_become_small));
    trials.push(Trial::test("the guilty pass is named", the_guilty_pass_is_named));
    trials.push(Trial::test("programs go through all oracles", programs));
    libtest_mimic::run(&arguments, trials).exit();
}

/// A trial for each planted mistake. The first one that runs looks for all that are asked for.
fn planted(arguments: &Arguments) -> Vec<Trial> {
    let name = |mistake: &Mistake| format!("found: {}", mistake.name);
    let fits = |name: &str, part: &String| if arguments.exact { name == part } else { name.contains(part) };
    let is_asked = |name: &str| arguments.filter.as_ref().is_none_or(|part| fits(name, part));
    let is_left_out = |name: &str| arguments.skip.iter().any(|part| fits(name, part));
    let asked: Vec<Mistake> =
        mutants::MUTANTS.iter().copied().filter(|mistake| is_asked(&name(mistake)) && !is_left_out(&name(mistake))).collect();
    let found = Arc::new(LazyLock::new({
        let asked = asked.clone();
        move || search::first_programs(&asked)
    }));
    let trial = |(k, mistake): (usize, &Mistake)| {
        let (found, what) = (Arc::clone(&found), mistake.name);
        Trial::test(name(mistake), move || {
            let seed = found[k].ok_or("nobody noticed")?;
            println!("{what}: found by program {seed}");
            Ok(())
        })
    };
    asked.iter().enumerate().map(trial).collect()
}

fn programs() -> Result<(), Failed> {
    let first = number("IVL_SEED").unwrap_or(0);
    let (last, minutes) = match (number("IVL_COUNT"), number("IVL_MINUTES")) {
        (Some(count), _) => (first + count, 60 * 24 * 365),
        (None, minutes) => (u64::MAX, minutes.unwrap_or(2)),
    };
    let begin = Instant::now();
    let tally = workers::run(first, last, begin.checked_add(Duration::from_secs(minutes * 60)));
    println!("{tally}");
    println!("{:.0} s, seeds from {first}", begin.elapsed().as_secs_f64());
    if tally.is_good() { Ok(()) } else { Err(tally.to_string().into()) }
}

/// Without the protection of reads under masks, some program soon differs as machine code.
fn a_moved_read_is_found() -> Result<(), Failed> {
    let (seed, stage) = workers::found_without("reads", 2000).ok_or("nobody noticed")?;
    println!("found by program {seed} at {stage}");
    if stage.starts_with("llvm ") { Ok(()) } else { Err(stage.into()) }
}

/// The programs that show the planted bugs are a few lines in the end.
fn findings_become_small() -> Result<(), Failed> {
    let mistakes = &mutants::MUTANTS[..4];
    for (&mistake, seed) in mistakes.iter().zip(search::first_programs(mistakes)) {
        let (name, seed) = (mistake.name, seed.ok_or("nobody noticed")?);
        let small = shrink::shrink(&generator::program(seed), |text| search::shows(mistake, text));
        println!("{name}:\n{small}");
        if small.lines().count() > 30 || !search::shows(mistake, &small) {
            return Err(format!("{name}, program {seed}:\n{small}").into());
        }
    }
    Ok(())
}

/// LLVM moves a read under a mask behind the store that follows, unless it is kept from that: InstCombine is to blame.
fn the_guilty_pass_is_named() -> Result<(), Failed> {
    const STAGE: &str = "llvm avx2 -O3";
    if !Isa::Avx2.runs_here() {
        return Ok(());
    }
    let program = "[[noinline]] void exchange(int block[8] *scalar a, int block[8] *scalar b) {
        int block[8] cur = *b;
        if (cur > 3) { int block[8] t = *a; *a = cur; cur = t; }
        *b = cur;
    }
    int block[8] v[4];
    int main() {
        for (int k = 0; k < 4; ++k) v[k] = k % 2 == 0 ? 100 : iota(8);
        exchange(&v[0], &v[1]);
        exchange(&v[2], &v[3]);
        print(\"% % % %\\n\", v[0], v[1], v[2], v[3]);
        return 0;
    }";
    let asked = guilty_pass::guilty_pass_with_plant(program, STAGE, "reads").ok_or("the stage is one of LLVM")?;
    if !asked.contains("instcombine") {
        return Err(asked.into());
    }
    match guilty_pass::guilty_pass(program, STAGE) {
        Some(text) if text == guilty_pass::NOTHING => Ok(()),
        other => Err(format!("with the protection: {other:?}").into()),
    }
}
