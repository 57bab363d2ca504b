//! Theorem 3.5 as a property: whatever the schedule, the result is that of the algorithm.
//!
//! Random algorithms and random schedules go through
//!
//! ```text
//! evaluator (figure 6) = interpreter of loops (figure 8) = typed interpreter = machine code
//! ```
//! Directives in an order that the rule says means the same make the same loops. No run of the loops gets stuck on memory (Theorem 3.4), and no run of machine code leaves the windows that are required, beside
//! which are pages that nobody may touch. `IVL_SEED` (the first seed), `IVL_COUNT` (how many pairs of algorithm
//! and schedule) and `IVL_SECONDS` change how much is done; `IVL_LOOPS` leaves out what comes behind the loops.

#[path = "pipelines/generator.rs"]
mod generator;
#[path = "pipelines/guarded.rs"]
mod guarded;
#[path = "guard/images.rs"]
mod images;
#[path = "pipelines/oracles.rs"]
mod oracles;
#[path = "pipelines/order.rs"]
mod order;
#[path = "guard/pages.rs"]
mod pages;
#[path = "pipelines/plants.rs"]
mod plants;
#[path = "guard/signals.rs"]
mod signals;
#[path = "pipelines/staged.rs"]
mod staged;

use libtest_mimic::{Arguments, Failed, Trial};
use plants::{PLANTS, Plant};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn main() {
    let arguments = Arguments::from_args();
    // What panics is shrunk, and said at the end.
    std::panic::set_hook(Box::new(|_| {}));
    let mut trials = vec![Trial::test("schedules change nothing", || ivlc::driver::with_stack(schedules_change_nothing))];
    trials.push(Trial::test("stage zero changes nothing", || ivlc::driver::with_stack(stage_zero_changes_nothing)));
    for (name, mistake) in STAGED_MISTAKES {
        trials.push(Trial::test(format!("found: {name} (in stage zero)"), || {
            ivlc::driver::with_stack(|| staged_is_found(*mistake))
        }));
    }
    trials.extend(PLANTS.iter().map(|plant| {
        Trial::test(format!("found: {} (behind {})", plant.name, plant.pass), || ivlc::driver::with_stack(|| is_found(plant)))
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

/// The algorithms among which a planted mistake must be found.
const ALGORITHMS: u64 = 2000;

/// Is a planted mistake found?
fn is_found(plant: &Plant) -> Result<(), Failed> {
    let first = number("IVL_SEED").unwrap_or(0);
    let differs = |seed: &u64| oracles::run(&generator::program(*seed), &format!("seed {seed}"), Some(plant)).is_err();
    match (first..first + ALGORITHMS).find(differs) {
        Some(seed) => {
            println!("{}: seed {seed}", plant.name);
            Ok(())
        }
        None => Err(format!("nothing differs from seed {first} on").into()),
    }
}

/// How many programs are written with stage zero in a short run.
const STAGED: u64 = 200;

/// Mistakes of stage zero, by what they would make of a text.
const STAGED_MISTAKES: &[(&str, staged::Mistake)] = &[
    ("the other arm is chosen", |text| text.replacen("static if (yes)", "static if (!yes)", 1)),
    ("a member is the one beside it", |text| text.replacen("(g[1, 1]", "(g[1, 0]", 1)),
    ("a parameter is one more", |text| text.replacen("x + N,", "x + (N + 1),", 1)),
    ("a definition reads another source", |text| text.replacen("(a)(x", "(f0)(x", 1)),
    ("an update of a definition is made twice", |text| {
        let begins = text.find(" rdom (").filter(|&at| text[..at].rfind("{ fun t(") > text[..at].rfind('\n'));
        let ends = begins.and_then(|at| text[at..].find(" return t(").map(|end| at + end));
        begins.zip(ends).map_or(text.to_owned(), |(at, end)| format!("{}{}{}", &text[..end], &text[at..end], &text[end..]))
    }),
];

/// Is a mistake of stage zero found?
fn staged_is_found(mistake: staged::Mistake) -> Result<(), Failed> {
    match (0..ALGORITHMS).find(|&seed| staged::compare(&generator::program(seed), seed, Some(mistake)).is_err()) {
        Some(_) => Ok(()),
        None => Err("nothing differs".into()),
    }
}

fn stage_zero_changes_nothing() -> Result<(), Failed> {
    let first = number("IVL_SEED").unwrap_or(0);
    let most = number("IVL_COUNT").unwrap_or(STAGED);
    let (mut pairs, mut drawn) = (0, [0; 5]);
    for seed in first..first + most {
        let outcome =
            staged::compare(&generator::program(seed), seed, None).map_err(|message| format!("seed {seed}: {message}"))?;
        pairs += outcome.pairs;
        drawn.iter_mut().zip(outcome.drawn).for_each(|(all, own)| *all += own);
    }
    let [families, definitions, parameters, choices, own] = drawn;
    println!(
        "{pairs} pairs: {families} members, {definitions} definitions, {own} with funcs, {parameters} parameters, {choices} choices"
    );
    if pairs > 0 && drawn.iter().all(|&count| count > 0) { Ok(()) } else { Err("something was never drawn".into()) }
}

fn schedules_change_nothing() -> Result<(), Failed> {
    let first = number("IVL_SEED").unwrap_or(0);
    let most = number("IVL_COUNT");
    let seconds = number("IVL_SECONDS").unwrap_or(if most.is_some() { u64::MAX / 4 } else { 30 });
    let start = Instant::now();
    let mut ends: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut pairs = 0;
    let mut seed = first;
    signals::report_case();
    signals::start_clock(0);
    while most.is_none_or(|most| pairs < most) && start.elapsed() < Duration::from_secs(seconds) {
        let program = generator::program(seed);
        if std::env::var_os("IVL_SHOW").is_some() {
            eprintln!("// seed {seed}, window {:?}\n{}", program.window, program.text());
        }
        let outcome = oracles::run(&program, &format!("seed {seed}"), None);
        signals::done();
        match outcome {
            Ok(outcome) => {
                pairs += outcome.pairs;
                *ends.entry("agreed").or_default() += outcome.pairs;
                *ends.entry("did not start").or_default() += outcome.refused;
                *ends.entry("sliding").or_default() += outcome.sliding;
                *ends.entry("folded").or_default() += outcome.folded;
                *ends.entry("algorithms").or_default() += 1;
            }
            Err(message) => {
                let (text, message) = generator::shrunk(&program, message);
                return Err(format!("seed {seed}\n{text}\n{message}").into());
            }
        }
        seed += 1;
    }
    println!("{ends:?}, {} s, seeds {first} to {seed}", start.elapsed().as_secs());
    let agreed = ends.get("agreed").copied().unwrap_or(0);
    if agreed == 0 { Err("nothing was compared".into()) } else { Ok(()) }
}
