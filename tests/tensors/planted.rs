//! Are planted mistakes found? Those of algorithms by definitions alone, those of loops and of code by random pairs, after how many of them.
//!
//! Code with a mistake may do anything. It runs in a process of its own that says what it is about to run: where that breaks down, the mistake
//! is found, and another process goes on.

use super::agree::Mistake;
use super::algorithm_plants::Make;
use super::pairs::look;
use super::random::{self, Program};
use super::{code_plants, loop_plants, signals};
use std::collections::BTreeMap;

/// A mistake is found within so many pairs.
const MOST: u64 = 400;

/// At this level vectors become what the machine has for them.
const LEVEL: u8 = 1;

/// Where a mistake was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// By which program.
    pub seed: u64,
    /// By which pair, counted from the first program on.
    pub pairs: u64,
}

/// The first program that finds a mistake in its algorithm.
pub fn in_algorithms(make: Make, mut seeds: std::ops::Range<u64>) -> Option<u64> {
    quietly(|| {
        seeds.find(|&seed| {
            let program = random::program_without_schedules(seed);
            let wrong = Mistake::Algorithm(&make);
            program.is_some_and(|program| look(&program, None, None).is_ok() && look(&program, None, Some(wrong)).is_err())
        })
    })
}

/// What is run without telling of panics.
fn quietly<T>(run: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let made = run();
    std::panic::set_hook(hook);
    made
}

fn program(seed: u64) -> Option<Program> {
    random::program(seed, &mut BTreeMap::new())
}

/// Looks for all mistakes in loops; names those that are not found, with how many schedules had them.
pub fn in_loops() -> (Vec<Found>, Vec<String>) {
    let mut left: Vec<(&loop_plants::Plant, u64)> = loop_plants::PLANTS.iter().map(|plant| (plant, 0)).collect();
    let (mut found, mut pairs, mut seed) = (Vec::new(), 0, 0);
    quietly(|| {
        while !left.is_empty() && pairs < MOST {
            let right = program(seed).and_then(|program| Some((look(&program, None, None).ok()?, program)));
            if let Some((outcome, program)) = right {
                pairs += outcome.pairs;
                left.retain_mut(|(plant, tried)| match look(&program, None, Some(Mistake::Loops(&plant.make))) {
                    Ok(outcome) => {
                        *tried += outcome.planted;
                        true
                    }
                    Err(_) => {
                        found.push(Found { name: plant.name.to_owned(), seed, pairs });
                        false
                    }
                });
            }
            seed += 1;
        }
    });
    (found, left.iter().map(|(plant, tried)| format!("{}, which {tried} schedules had", plant.name)).collect())
}

/// The variable that makes a process look for mistakes in code: the first program, the pairs before it, and the names of the mistakes.
const JOB: &str = "IVL_PLANTED";

/// Looks for mistakes in code, if that is what this process is for.
pub fn work() -> bool {
    let Ok(job) = std::env::var(JOB) else { return false };
    let mut words = job.split(';');
    let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number");
    let (first, mut pairs): (u64, u64) = (number(), number());
    let names: Vec<&str> = words.collect();
    let mut left: Vec<&code_plants::Plant> = code_plants::PLANTS.iter().filter(|plant| names.contains(&plant.name)).collect();
    signals::report_case();
    let right = |program: &Program, seed| {
        let outcome = look(program, Some(LEVEL), None);
        assert!(outcome.is_ok(), "seed {seed}: without a mistake: {outcome:?}");
    };
    for seed in first.. {
        let Some(program) = program(seed) else { continue };
        // Of what it may run for ever it is stopped.
        signals::start_clock(100);
        // The process before may have broken down here.
        if seed == first && seed > 0 {
            right(&program, seed);
        }
        if left.is_empty() || pairs >= MOST {
            break;
        }
        println!("\nbegin;{seed};{pairs}");
        pairs += look(&program, None, None).map_or(0, |outcome| outcome.pairs);
        left.retain(|plant| {
            println!("\nat;{seed};{pairs};{}", plant.name);
            let make = |module: &mut _| plant.apply(module);
            match look(&program, Some(LEVEL), Some(Mistake::Code(&make))) {
                Ok(outcome) => {
                    println!("\nhad;{};{}", outcome.planted, plant.name);
                    true
                }
                Err(_) => {
                    right(&program, seed);
                    println!("\nfound;{seed};{pairs};{}", plant.name);
                    false
                }
            }
        });
    }
    println!("\nend");
    true
}

/// Looks for all mistakes in code by processes that run the test of this name; names those that are not found, with how many schedules had them.
pub fn in_code(test: &str) -> (Vec<Found>, Vec<String>) {
    let mut left: Vec<(&str, u64)> = code_plants::PLANTS.iter().map(|plant| (plant.name, 0)).collect();
    let (mut found, mut first, mut pairs) = (Vec::new(), 0, 0);
    loop {
        let names: String = left.iter().map(|(name, _)| format!(";{name}")).collect();
        let mut child = std::process::Command::new(std::env::current_exe().expect("this program"));
        let job = format!("{first};{pairs}{names}");
        let ran = child.args(["--exact", test, "--nocapture"]).env(JOB, job).output().expect("it runs");
        let (said, told) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        let mut at = None;
        for line in said.lines() {
            match line.split(';').collect::<Vec<_>>()[..] {
                ["begin", seed, before] => (first, pairs) = (number(seed), number(before)),
                ["at", seed, pairs, name] => at = Some(Found { name: name.to_owned(), seed: number(seed), pairs: number(pairs) }),
                ["had", schedules, name] => {
                    left.iter_mut().filter(|(known, _)| *known == name).for_each(|(_, had)| *had += number(schedules));
                    at = None;
                }
                ["found", ..] => found.extend(at.take()),
                ["end"] => {
                    assert!(ran.status.success(), "{said}{told}");
                    left.retain(|(name, _)| found.iter().all(|found: &Found| found.name != *name));
                    return (found, left.iter().map(|(name, had)| format!("{name}, which {had} schedules had")).collect());
                }
                _ => {}
            }
        }
        // It did not come to its end.
        found.push(at.unwrap_or_else(|| panic!("{said}{told}")));
        left.retain(|(name, _)| found.iter().all(|found| found.name != *name));
    }
}

fn number(word: &str) -> u64 {
    word.parse().expect("a number")
}
