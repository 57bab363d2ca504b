//! Processes that run programs, and what they find.
//!
//! A worker is this very binary with a job in its environment: `seeds A B STEP SECONDS`, or `file PATH STAGE`, which asks
//! whether a program still goes wrong. It speaks in lines: `at N` before each program, `differs N STAGE`, `refused N`, …

use super::coverage::Coverage;
use super::generator;
use super::guilty_pass::{self, PLANT};
use super::oracles::{Outcome, Targets, run as run_program};
use super::shrink::shrink;
use ivlc::driver::with_stack;
use ivlc::machine::Isa;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The variable that makes a process a worker.
pub const JOB: &str = "IVL_JOB";

/// A program that takes longer than this has gone wrong.
const PATIENCE: Duration = Duration::from_secs(60);

/// So many reasons for refusals are shown.
const REFUSALS: usize = 12;

/// What was found.
#[derive(Default)]
pub struct Tally {
    /// How many programs ended how.
    ends: BTreeMap<String, u64>,
    coverage: Coverage,
    /// Seeds of programs that were refused, and why.
    refusals: Vec<String>,
    /// Seeds, stages and small programs.
    findings: Vec<(u64, String, String)>,
}

impl Tally {
    /// Did all oracles agree, on enough programs?
    pub fn is_good(&self) -> bool {
        let count = |end: &str| self.ends.get(end).copied().unwrap_or(0);
        let (agreed, refused) = (count("agreed"), count("refused"));
        self.findings.is_empty() && agreed > 0 && agreed > 9 * refused && self.coverage.missing().is_empty()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (seed, stage, text) in &self.findings {
            writeln!(f, "seed {seed}: {stage} differs\n{text}")?;
        }
        writeln!(f, "{}", self.coverage)?;
        write!(f, "{}", self.coverage.table())?;
        for name in self.coverage.missing() {
            writeln!(f, "no program has {name}")?;
        }
        for why in self.refusals.iter().take(REFUSALS) {
            writeln!(f, "refused: {why}")?;
        }
        let ends: Vec<String> = self.ends.iter().map(|(end, count)| format!("{count} {end}")).collect();
        write!(f, "programs: {}; {} findings", ends.join(", "), self.findings.len())
    }
}

fn targets() -> Vec<Isa> {
    let chosen = std::env::var("IVL_TARGETS").ok();
    let is_chosen = |isa: &Isa| chosen.as_ref().is_none_or(|list| list.split(',').any(|name| name == isa.name()));
    Isa::ALL.into_iter().filter(|isa| isa.runs_here()).filter(is_chosen).collect()
}

// ---- A worker -----------------------------------------------------------------------------------------------------

/// What a worker does.
pub fn work(job: &str) {
    let words: Vec<&str> = job.split(' ').collect();
    guilty_pass::plant();
    match words[..] {
        ["passes", limit, isa, level, path] => guilty_pass::work(limit, isa, level, path),
        ["seeds", first, last, step, seconds] => {
            let [first, last, step, seconds] = [first, last, step, seconds].map(|n| n.parse().expect("a number"));
            seeds(first, last, step, Duration::from_secs(seconds));
        }
        ["file", path, seed] => {
            let text = std::fs::read_to_string(path).expect("a program");
            say(&end(&judge(&text, &in_turn(seed.parse().expect("a seed")), &mut Coverage::default())));
        }
        _ => panic!("{job} is no job"),
    }
}

fn say(line: &str) {
    let mut output = std::io::stdout().lock();
    // Whoever started this process may have lost interest.
    if writeln!(output, "{line}").and_then(|()| output.flush()).is_err() {
        std::process::exit(0);
    }
}

fn seeds(first: u64, last: u64, step: u64, time: Duration) {
    let begin = Instant::now();
    let mut coverage = Coverage::default();
    let mut seed = first;
    while seed < last && begin.elapsed() < time {
        say(&format!("at {seed}"));
        let (text, drawn) = generator::drawn(seed);
        say(&format!("draws {}", drawn.join(";")));
        // What occurs is counted in some of the programs, since counting takes time.
        let mut nobody = Coverage::default();
        let watch = if seed.is_multiple_of(8) { &mut coverage } else { &mut nobody };
        let outcome = judge(&text, &in_turn(seed), watch);
        if let Outcome::Refused(why) = &outcome {
            say(&format!("why {seed}: {why}"));
        }
        say(&end(&outcome));
        seed += step;
    }
    for (name, count) in coverage.counts() {
        say(&format!("covers {name} {count}"));
    }
    say("done");
}

/// Says that one program in so many runs as machine code.
const CODE: &str = "IVL_CODE";

/// One program in so many runs as machine code, since LLVM takes most of the time.
fn machine_code() -> u64 {
    std::env::var(CODE).ok().and_then(|n| n.parse().ok()).unwrap_or(10)
}

/// The targets and levels of a program of a seed: they take turns.
fn in_turn(seed: u64) -> Vec<(Isa, u8)> {
    let isas = targets();
    // Seeds of every worker are among them.
    let one_in = machine_code();
    if isas.is_empty() || seed % one_in != seed / one_in % one_in {
        return Vec::new();
    }
    let turn = (seed / one_in) as usize;
    vec![(isas[turn % isas.len()], [3, 0, 2, 1][turn / isas.len() % 4])]
}

fn judge(text: &str, code: &[(Isa, u8)], coverage: &mut Coverage) -> Outcome {
    let isas: Vec<Isa> = code.iter().map(|(isa, _)| *isa).collect();
    let levels: Vec<u8> = code.iter().map(|(_, level)| *level).collect();
    with_stack(|| run_program(text, Targets { isas: &isas, levels: &levels }, coverage))
}

/// An outcome in a line.
fn end(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Agreed => "end agreed".into(),
        Outcome::Refused(_) => "end refused".into(),
        Outcome::Undefined(kind) => format!("end undefined: {kind:?}"),
        Outcome::Differs { stage, .. } => format!("differs {stage}"),
    }
}

// ---- The one who asks ---------------------------------------------------------------------------------------------

fn start(job: &str, variables: &[(&str, &str)]) -> (Child, BufReader<ChildStdout>) {
    let program = std::env::current_exe().expect("this program has a file");
    let mut command = Command::new(program);
    command.env(JOB, job).envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("a process");
    let output = child.stdout.take().expect("its output is piped");
    (child, BufReader::new(output))
}

/// The lines of a process; `None` at its end, and where it says nothing for too long.
struct Lines {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Lines {
    fn new(job: &str) -> Lines {
        Lines::with(job, &[])
    }

    fn with(job: &str, variables: &[(&str, &str)]) -> Lines {
        let (child, output) = start(job, variables);
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Lines { child, lines }
    }

    fn next(&mut self) -> Result<String, &'static str> {
        self.lines.recv_timeout(PATIENCE).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => "the process hangs",
            mpsc::RecvTimeoutError::Disconnected => "the process ends",
        })
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What becomes of a program that was made from that of a seed, in a process of its own.
fn judged_apart(text: &str, seed: u64) -> String {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), text).expect("a temporary file that is written");
    match Lines::new(&format!("file {} {seed}", file.path().display())).next() {
        Ok(line) => line,
        Err(why) => format!("differs {why}"),
    }
}

/// The first program whose machine code goes wrong without the protection that `plant` names, among so many, and the stage.
pub fn found_without(plant: &str, programs: u64) -> Option<(u64, String)> {
    let mut lines = Lines::with(&format!("seeds 0 {programs} 1 {}", u64::MAX / 4), &[(PLANT, plant), (CODE, "1")]);
    let mut seed = 0;
    loop {
        match lines.next().ok()?.split_once(' ')? {
            ("at", number) => seed = number.parse().expect("a seed"),
            ("differs", stage) => return Some((seed, stage.to_owned())),
            _ => {}
        }
    }
}

/// Runs seeds on all processors until `last` or until the time is over.
pub fn run(first: u64, last: u64, until: Option<Instant>) -> Tally {
    let count = thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|i| scope.spawn(move || follow(first + i, last, count, until))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
    });
    let mut all = Tally::default();
    for tally in tallies {
        for (end, count) in tally.ends {
            *all.ends.entry(end).or_default() += count;
        }
        all.coverage.add(&tally.coverage);
        all.refusals.extend(tally.refusals);
        all.findings.extend(tally.findings);
    }
    for (seed, stage, text) in &mut all.findings {
        let wanted = format!("differs {stage}");
        *text = shrink(&generator::program(*seed), |text| judged_apart(text, *seed) == wanted);
        if let Some(guilty) = guilty_pass::guilty_pass(text, stage) {
            *stage = format!("{stage} ({guilty})");
        }
    }
    all
}

/// Follows one worker after another: a new one begins behind the program that the last one did not survive.
fn follow(first: u64, last: u64, step: u64, until: Option<Instant>) -> Tally {
    let mut tally = Tally::default();
    let mut seed = first;
    loop {
        let left = until.map_or(u64::MAX / 4, |until| until.saturating_duration_since(Instant::now()).as_secs());
        let mut lines = Lines::new(&format!("seeds {seed} {last} {step} {left}"));
        loop {
            let line = match lines.next() {
                Ok(line) => line,
                Err(why) => {
                    tally.findings.push((seed, why.into(), String::new()));
                    break;
                }
            };
            match line.split_once(' ') {
                Some(("at", number)) => seed = number.parse().expect("a seed"),
                Some(("end", end)) => {
                    *tally.ends.entry(end.to_owned()).or_default() += 1;
                }
                Some(("draws", drawn)) => {
                    let drawn: Vec<String> = drawn.split(';').map(str::to_owned).collect();
                    tally.coverage.drawn(&drawn);
                }
                Some(("why", why)) => tally.refusals.push(why.to_owned()),
                Some(("differs", stage)) => tally.findings.push((seed, stage.to_owned(), String::new())),
                Some(("covers", rest)) => {
                    let (name, count) = rest.rsplit_once(' ').expect("a name and a number");
                    tally.coverage.count(name, count.parse().expect("a number"));
                }
                _ => return tally,
            }
            if tally.findings.len() >= 10 {
                return tally;
            }
        }
        seed += step;
    }
}
