//! The law: *lane i of f(v) is f of lane i of v*, for random functions without explicit lengths; and their lengths are the least
//! ones of the rule. `./x fuzz --law N --seed S`, and a slice of it in `./x test`.
//!
//! `IVL_LAW` says how many functions, `IVL_SEED` where to begin, `IVL_LOOPS` of how many of the enumerated loops one is tried.

#[path = "law/batch.rs"]
mod batch;
#[path = "corpus/calls.rs"]
mod calls;
#[path = "law/enumerate.rs"]
mod enumerate;
#[path = "law/evaluate.rs"]
mod evaluate;
#[path = "law/features.rs"]
mod features;
#[path = "law/generate.rs"]
mod generate;
#[path = "law/model.rs"]
mod model;
#[path = "differential/oracles.rs"]
mod oracles;
#[path = "law/planted.rs"]
mod planted;
#[path = "law/programs.rs"]
mod programs;
#[path = "differential/shrink.rs"]
mod shrink;
#[path = "law/tally.rs"]
mod tally;
#[path = "law/text.rs"]
mod text;
#[path = "law/tree.rs"]
mod tree;

use batch::Outcome;
use ivl_random::Random;
use ivlc::machine::Isa;
use libtest_mimic::{Arguments, Failed, Trial};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tally::Tally;

/// So many functions are one program.
const BATCH: u64 = 50;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

fn main() {
    let mut trials = vec![
        Trial::test("random functions obey the law", random_functions),
        Trial::test("loops of three statements obey the law", small_loops),
        Trial::test("machine code obeys the law", machine_code),
        Trial::test("functions of programs obey the law", functions_of_programs),
    ];
    for mistake in ivlc::check::Mistake::ALL {
        trials.push(Trial::test(format!("at once: {mistake:?}"), move || planted::by_its_least_program(mistake)));
        trials.push(Trial::test(format!("soon: {mistake:?}"), move || planted::by_random_functions(mistake)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Judges batches `0 .. count` on all processors.
fn on_all_processors(count: u64, batch: impl Fn(u64) -> Vec<batch::Sample> + Sync) -> Tally {
    let next = AtomicU64::new(0);
    let work = || {
        ivlc::driver::with_stack(|| {
            let mut tally = Tally::default();
            loop {
                let k = next.fetch_add(1, Ordering::Relaxed);
                if k >= count || tally.is_hopeless() {
                    return tally;
                }
                let samples = batch(k);
                let outcomes = batch::judge(&samples);
                tally.count(&samples, outcomes);
            }
        })
    };
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|t| t.join().expect("a thread that ends")).collect()
    });
    tallies.into_iter().fold(Tally::default(), Tally::with)
}

/// The functions of a seed, with calls.
fn sample(seed: u64) -> Option<batch::Sample> {
    let cases = batch::cases(&mut Random::new(seed ^ 0x5bd1_0000));
    batch::sample(format!("seed {seed}"), generate::group(seed), cases)
}

fn random_functions() -> Result<(), Failed> {
    let (first, count) = (number("IVL_SEED").unwrap_or(0), number("IVL_LAW").unwrap_or(2_000));
    let begin = Instant::now();
    let tally = on_all_processors(count.div_ceil(BATCH), |k| {
        let seeds = first + k * BATCH..first + ((k + 1) * BATCH).min(count);
        seeds.filter_map(sample).collect()
    });
    println!("{tally}");
    println!("{:.1} s, {count} seeds from {first}", begin.elapsed().as_secs_f64());
    tally.verdict()
}

fn small_loops() -> Result<(), Failed> {
    let stride = number("IVL_LOOPS").unwrap_or(if number("IVL_LAW").is_some() { 1 } else { 20 });
    let programs = enumerate::programs();
    let chosen: Vec<&enumerate::Loop> = programs.iter().step_by(stride as usize).collect();
    let begin = Instant::now();
    let tally = on_all_processors((chosen.len() as u64).div_ceil(BATCH), |k| {
        let range = (k * BATCH) as usize..((k + 1) * BATCH).min(chosen.len() as u64) as usize;
        chosen[range].iter().filter_map(|l| l.sample()).collect()
    });
    println!("{tally}");
    println!("{:.1} s, {} of {} loops", begin.elapsed().as_secs_f64(), chosen.len(), programs.len());
    tally.verdict()
}

/// The functions of the test programs, the examples and the library.
fn functions_of_programs() -> Result<(), Failed> {
    let report = programs::ask();
    println!("{report}");
    let is_good = report.broken.is_empty() && report.agreed.len() > 50 * report.refused.len() && report.agreed.len() > 100;
    if is_good { Ok(()) } else { Err(report.to_string().into()) }
}

/// So many functions are one program of machine code.
const COMPILED: u64 = 6;

struct Nobody;

impl oracles::Watch for Nobody {}

/// Some of the functions, for targets and levels in turn: all stages print what the reference semantics prints.
fn machine_code() -> Result<(), Failed> {
    let (first, count) = (number("IVL_SEED").unwrap_or(0), number("IVL_LAW").unwrap_or(2_000) / 20);
    let isas: Vec<Isa> = Isa::ALL.into_iter().filter(|isa| isa.runs_here()).collect();
    let mut compiled = 0;
    for k in 0..count.div_ceil(COMPILED) {
        let samples: Vec<batch::Sample> = (first + k * COMPILED..first + (k + 1) * COMPILED).filter_map(sample).collect();
        let outcomes = batch::judge(&samples);
        let agreed = samples.iter().zip(outcomes).filter(|(_, outcome)| *outcome == Outcome::Agreed);
        let agreed: Vec<(usize, &batch::Sample)> = agreed.map(|(sample, _)| sample).enumerate().collect();
        let (text, _) = batch::program(&agreed);
        let isa = isas[k as usize % isas.len()];
        let targets = oracles::Targets { isas: &[isa], levels: &[[0, 3, 1, 2][k as usize / isas.len() % 4]] };
        match ivlc::driver::with_stack(|| oracles::run(&text, targets, &mut Nobody)) {
            oracles::Outcome::Agreed => compiled += agreed.len(),
            oracles::Outcome::Undefined(_) => {}
            oracles::Outcome::Refused(why) => return Err(why.into()),
            oracles::Outcome::Differs { stage, expected, found } => {
                return Err(format!("{stage}: expected\n{expected}\nfound\n{found}\n{text}").into());
            }
        }
    }
    println!("{compiled} functions as machine code");
    if compiled == 0 { Err("nothing was compiled".into()) } else { Ok(()) }
}
