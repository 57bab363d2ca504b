//! Random definitions and schedules: enumeration, the evaluator, loops and machine code agree.

use super::agree::{self, Case, Outcome};
use super::brute::definitions;
use super::random::{self, NAME, Program};
use super::signals;
use ivlc::pipeline::algorithm::Pipeline;
use ivlc::pipeline::expr::{Expr, ExprKind, Source};
use ivlc::typed::ir::BinaryOp;
use std::collections::BTreeMap;
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
    /// Values that were compared, and those of them of which nothing is known.
    pub values: u64,
    pub doubtful: u64,
}

/// Looks at one program.
pub fn look(program: &Program, level: Option<u8>, mistake: Option<&dyn Fn(&mut Pipeline) -> bool>) -> Result<Outcome, String> {
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
                count.pairs += outcome.pairs;
                count.stopped += u64::from(outcome.is_stopped);
                count.empty += u64::from(outcome.was_empty);
                count.asking += outcome.asking;
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

/// A mistake that the room of tensors could make, in an algorithm; false where it has nothing to make it in.
type Mistake = fn(&mut Pipeline) -> bool;

/// Mistakes that random definitions must find.
pub const MISTAKES: &[(&str, Mistake)] = &[
    ("a range is one too long", longer),
    ("an identity is another one", other_identity),
    ("the indices of a read are in another order", other_order),
    ("a reduction is done twice", twice),
    ("what was there before is forgotten", forgotten),
    ("a size is that of another dimension", other_size),
];

fn longer(pipeline: &mut Pipeline) -> bool {
    let domains = pipeline.funcs.iter_mut().filter(|func| !func.is_inline_reduction).flat_map(|func| &mut func.stages);
    let mut all = domains.flat_map(|stage| &mut stage.rdom);
    let Some(r) = all.next() else { return false };
    r.high = Expr::binary(BinaryOp::Add, r.high.clone(), Expr::int(1, r.high.span()));
    true
}

/// The value of the pure stage of a func with an update over reduction variables.
fn first_values(pipeline: &mut Pipeline) -> Option<&mut Expr> {
    let mut reduced = pipeline.funcs.iter_mut().filter(|func| func.stages.len() > 1 && !func.is_inline_reduction);
    reduced.next().map(|func| &mut func.stages[0].values[0])
}

fn other_identity(pipeline: &mut Pipeline) -> bool {
    let Some(value) = first_values(pipeline) else { return false };
    let ExprKind::Constant(_) = value.kind() else { return false };
    let other = Expr::int(3, value.span()).converted(value.element());
    *value = other;
    true
}

fn forgotten(pipeline: &mut Pipeline) -> bool {
    let Some(value) = first_values(pipeline) else { return false };
    let ExprKind::Read(..) = value.kind() else { return false };
    *value = Expr::int(0, value.span()).converted(value.element());
    true
}

/// An expression with a change in its first part that it is made in.
fn changed(e: &Expr, change: &dyn Fn(&Expr) -> Option<Expr>, is_done: &mut bool) -> Expr {
    if *is_done {
        return e.clone();
    }
    if let Some(other) = change(e) {
        *is_done = true;
        return other;
    }
    e.with_children(|part| changed(part, change, is_done))
}

fn change_values(pipeline: &mut Pipeline, change: &dyn Fn(&Expr) -> Option<Expr>) -> bool {
    let mut is_done = false;
    let funcs = pipeline.funcs.iter_mut().filter(|func| !func.is_inline_reduction);
    for value in funcs.flat_map(|func| &mut func.stages).flat_map(|stage| &mut stage.values) {
        *value = changed(value, change, &mut is_done);
    }
    is_done
}

fn other_order(pipeline: &mut Pipeline) -> bool {
    change_values(pipeline, &|e| match e.kind() {
        ExprKind::Read(source @ Source::Input(_), indices) if indices.len() > 1 => {
            let indices = indices.iter().rev().cloned().collect();
            Some(Expr::new(ExprKind::Read(*source, indices), e.element(), e.span()))
        }
        _ => None,
    })
}

fn twice(pipeline: &mut Pipeline) -> bool {
    let mut reduced = pipeline.funcs.iter_mut().filter(|func| func.stages.len() > 1 && !func.is_inline_reduction);
    let Some(func) = reduced.next() else { return false };
    let again = func.stages[1].clone();
    func.stages.push(again);
    true
}

fn other_size(pipeline: &mut Pipeline) -> bool {
    let Some(input) = pipeline.inputs.iter().find(|input| input.dimensions.len() > 1) else { return false };
    let [first, second] = [0, 1].map(|d| input.dimensions[d].extent);
    change_values(pipeline, &|e| (e.as_variable() == Some(first)).then(|| Expr::variable(second, e.element(), e.span())))
}

/// Is a mistake found? The seed that finds it.
pub fn found(mistake: Mistake, seeds: std::ops::Range<u64>) -> Option<u64> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut seeds = seeds;
    let found = seeds.find(|&seed| {
        let program = random::program_without_schedules(seed);
        program.is_some_and(|program| look(&program, None, None).is_ok() && look(&program, None, Some(&mistake)).is_err())
    });
    std::panic::set_hook(hook);
    found
}
