//! How many functions ended how, what occurred in them, and the first that went wrong, made small.

use super::batch::{self, Outcome, Sample};
use super::features;
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::fmt;

/// More findings than this say nothing new.
const ENOUGH: usize = 20;

/// At most one function in so many may be refused.
const REFUSED: u64 = 100;

#[derive(Default)]
pub struct Tally {
    functions: u64,
    calls: u64,
    ends: BTreeMap<&'static str, u64>,
    /// By code, with a message of each.
    refused: BTreeMap<String, (u64, String, String)>,
    features: BTreeMap<&'static str, u64>,
    findings: Vec<String>,
}

impl Tally {
    /// Counts the outcomes of a batch.
    pub fn count(&mut self, samples: &[Sample], outcomes: Vec<Outcome>) {
        for (sample, outcome) in samples.iter().zip(outcomes) {
            self.functions += 1;
            self.calls += sample.cases.len() as u64;
            for feature in features::of(sample) {
                *self.features.entry(feature).or_default() += 1;
            }
            let end = match &outcome {
                Outcome::Agreed => "agreed",
                Outcome::Refused { code, message } => {
                    let first = || (0, message.clone(), sample.name.clone());
                    if !self.refused.contains_key(code) {
                        println!("{} is refused: {message}\n{}", sample.name, batch::program(&[(0, sample)]).0);
                    }
                    self.refused.entry(code.clone()).or_insert_with(first).0 += 1;
                    "refused"
                }
                Outcome::Broken(..) => "the law is broken",
                Outcome::Unlike(..) => "the evaluator differs",
                Outcome::Lengths(..) => "other lengths",
                Outcome::Fault(_) => "a fault",
            };
            *self.ends.entry(end).or_default() += 1;
            if !matches!(outcome, Outcome::Agreed | Outcome::Refused { .. }) && self.findings.len() < ENOUGH {
                let is_first = self.findings.is_empty();
                let text = match &outcome {
                    Outcome::Broken(..) if is_first => batch::smallest(sample),
                    _ => batch::program(&[(0, sample)]).0,
                };
                let finding = format!("{}: {end}: {outcome:?}\n{text}", sample.name);
                println!("{finding}");
                self.findings.push(finding);
            }
        }
    }

    /// Both together.
    pub fn with(mut self, other: Tally) -> Tally {
        self.functions += other.functions;
        self.calls += other.calls;
        other.ends.into_iter().for_each(|(end, n)| *self.ends.entry(end).or_default() += n);
        for (code, (n, message, name)) in other.refused {
            self.refused.entry(code).or_insert((0, message, name)).0 += n;
        }
        other.features.into_iter().for_each(|(feature, n)| *self.features.entry(feature).or_default() += n);
        self.findings.extend(other.findings);
        self.findings.truncate(ENOUGH);
        self
    }

    /// Is there more than anybody reads?
    pub fn is_hopeless(&self) -> bool {
        self.findings.len() >= ENOUGH
    }

    /// The law holds, and hardly anything is refused.
    pub fn verdict(self) -> Result<(), Failed> {
        let refused = self.ends.get("refused").copied().unwrap_or(0);
        match self.findings.first() {
            Some(first) => Err(format!("{first}\n{self}").into()),
            None if refused * REFUSED > self.functions => Err(format!("too many functions are refused\n{self}").into()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends: Vec<String> = self.ends.iter().map(|(end, n)| format!("{n} {end}")).collect();
        writeln!(f, "{} functions with {} calls of vectors: {}", self.functions, self.calls, ends.join(", "))?;
        for (code, (n, message, name)) in &self.refused {
            writeln!(f, "  refused {n} times: {code}: {message} ({name})")?;
        }
        let percent = |n: u64| 100.0 * n as f64 / self.functions.max(1) as f64;
        let features: Vec<String> = self.features.iter().map(|(name, &n)| format!("{name} {:.0} %", percent(n))).collect();
        write!(f, "functions with {}", features.join(", "))
    }
}
