//! Random definitions and schedules: enumeration, the evaluator, loops and machine code agree.

use super::agree::{self, Case, Mistake, Outcome};
use super::brute::definitions;
use super::random::{self, NAME, Program};
use super::signals;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// What was looked at.
#[derive(Debug, Default)]
pub struct Count {
    /// Definitions that were accepted.
    pub definitions: u64,
    /// Pairs of definition and schedule that agree.
    pub pairs: u64,
    /// Of the definitions, those that are refused when they are called.
    pub stopped: u64,
    /// Those with an empty range.
    pub empty: u64,
    /// Seeds for which nothing was accepted.
    pub refused: u64,
    /// Written schedules that ask for more than there is.
    pub asking: u64,
    /// Those that are refused although nothing goes wrong in this call.
    pub cautious: u64,
    /// Values that were compared, and those of them of which nothing is known.
    pub values: u64,
    pub doubtful: u64,
    /// How many schedules have each directive.
    pub directives: BTreeMap<String, u64>,
}

impl Count {
    /// Notes what a schedule has.
    fn directives_of(&mut self, schedule: &[String]) {
        let words = schedule.iter().flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '(')));
        let names: BTreeSet<&str> = words.filter_map(|word| word.split_once('(')).map(|(name, _)| name).collect();
        names.into_iter().for_each(|name| *self.directives.entry(name.to_owned()).or_default() += 1);
    }
}

/// Looks at one program.
pub fn look(program: &Program, level: Option<u8>, mistake: Option<Mistake<'_>>) -> Result<Outcome, String> {
    let text = program.text();
    let plain = program.definitions();
    let given = program.given();
    // The trees have no place in the text that schedules are in.
    let defs = definitions(&plain);
    let case = Case { file: "random.ivl", text: &text, defs: &defs, name: NAME, given: &given, level, longer: 0, mistake };
    agree::run_safely(&case)
}

/// Looks at programs from a seed on, until so many pairs agree or the time is over.
pub fn compare(first: u64, pairs: Option<u64>, time: Duration) -> Result<Count, String> {
    let (start, mut count) = (Instant::now(), Count::default());
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    signals::report_case();
    signals::start_clock(0);
    let mut seed = first;
    // Of many failures the first one says enough, where nobody asks for more.
    let (mut failures, most) = (Vec::new(), super::number("IVL_FAILURES").unwrap_or(1));
    while pairs.is_none_or(|pairs| count.pairs < pairs) && start.elapsed() < time {
        let program = random::program(seed, &mut reasons);
        seed += 1;
        let Some(program) = program else {
            count.refused += 1;
            continue;
        };
        let level = if seed.is_multiple_of(5) { 3 } else { 0 };
        if std::env::var_os("IVL_SHOW").is_some() {
            eprintln!("// seed {}, sizes {:?}\n{}", seed - 1, program.sizes, program.text());
        }
        match look(&program, Some(level), None) {
            Ok(outcome) => {
                if let Some(why) = outcome.refused {
                    return Err(format!("seed {}: refused with all schedules: {why}\n{}", seed - 1, program.text()));
                }
                count.definitions += 1;
                program.schedules.iter().for_each(|schedule| count.directives_of(schedule));
                count.pairs += outcome.pairs;
                count.stopped += u64::from(outcome.is_stopped);
                count.empty += u64::from(outcome.was_empty);
                count.asking += outcome.asking;
                count.cautious += outcome.cautious.len() as u64;
                if std::env::var_os("IVL_REASONS").is_some() {
                    outcome.cautious.iter().for_each(|why| println!("seed {}: without need: {why}", seed - 1));
                }
                count.values += outcome.values;
                count.doubtful += outcome.doubtful;
            }
            Err(what) => {
                let (program, what) = shrunk(program, what, level);
                failures.push(format!("seed {}: sizes {:?}\n{}\n{what}", seed - 1, program.sizes, program.text()));
                eprintln!("{}", failures.last().expect("one"));
                if failures.len() as u64 >= most {
                    return Err(failures.join("\n\n"));
                }
            }
        }
    }
    signals::done();
    if !failures.is_empty() {
        return Err(failures.join("\n\n"));
    }
    println!("{count:?}, {} s, seeds {first} to {seed}", start.elapsed().as_secs());
    if std::env::var_os("IVL_REASONS").is_some() {
        reasons.iter().for_each(|(why, times)| println!("{times} {why}"));
    }
    Ok(count)
}

/// The words that a message begins with, behind the names.
fn kind(message: &str) -> String {
    let words = message.split_whitespace().filter(|word| word.chars().all(|c| c.is_alphabetic() || ":;,".contains(c)));
    words.take(4).collect::<Vec<_>>().join(" ")
}

/// A smaller program that goes wrong, too.
fn shrunk(program: Program, what: String, level: u8) -> (Program, String) {
    let (mut best, start) = ((program, what), Instant::now());
    let tail =
        |what: &str| kind(what.rsplit_once("} }").map_or(what, |(_, rest)| rest).split_once(": ").map_or(what, |(_, rest)| rest));
    loop {
        let smaller = best.0.smaller().into_iter().filter(|_| start.elapsed() < Duration::from_secs(40));
        let next = smaller.filter(Program::is_accepted).find_map(|program| match look(&program, Some(level), None) {
            Err(what) if tail(&what) == tail(&best.1) => Some((program, what)),
            Err(_) | Ok(_) => None,
        });
        match next {
            Some(next) => best = next,
            None => return best,
        }
    }
}
