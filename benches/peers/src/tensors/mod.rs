//! Definitions of `examples/tensors` with the schedule `auto`, beside NumPy, PyTorch and crates.
//!
//! ```text
//! this process    ours (IVL_MAX_ISA, IVL_THREADS), matrixmultiply, gemm
//! its children    benches/tensors.py: NumPy, PyTorch; they time themselves, when they are told to
//! ```
//! Whoever is compared takes turns. Results are compared with those of NumPy in double precision before anything is timed; where there
//! is no NumPy, products are compared with sums in double precision, and the rest is left out.

mod jobs;
mod products;
mod python;

use crate::causes;
use crate::pairs::{Timed, Tolerance, compare, processor_time, wall_time};
use ivl::Level;
use jobs::Job;
use python::Python;
use serde_json::json;
use std::error::Error;
use std::path::Path;
use std::time::Duration;

/// How far results may be from those in double precision.
const TOLERANCE: Tolerance = Tolerance::Relative(1e-5);

/// How long threads of others may look for work before they sleep.
const REST: Duration = Duration::from_millis(5);

/// The longest that a pair is measured, in nanoseconds, where five rounds are not longer.
const LONGEST: f64 = 8e9;

/// What is run here.
struct Here<'d> {
    run: Box<dyn FnMut() + 'd>,
    threads: usize,
}

impl Timed for Here<'_> {
    fn time(&mut self, runs: u32) -> f64 {
        // What threads other than this one do counts where it is all that runs.
        let clock = if self.threads == 1 { processor_time } else { wall_time };
        let start = clock();
        (0..runs).for_each(|_| (self.run)());
        let taken = clock() - start;
        rest(self.threads);
        taken
    }
}

/// Waits until the threads of who ran sleep, so that they do not disturb who is next.
fn rest(threads: usize) {
    if threads > 1 {
        std::thread::sleep(REST);
    }
}

/// Measures on a level with so many threads, and prints a line of JSON for each pair; `{"note": …}` is for people. Files go to `folder`.
///
/// # Errors
/// If a child ends.
pub fn measure(isa: Level, threads: usize, folder: &Path, quick: bool, rows: &[&String]) -> Result<(), Box<dyn Error>> {
    let mut others = Vec::new();
    for which in ["numpy", "torch"] {
        match Python::start(which, threads, isa == Level::Avx2) {
            Ok(python) => others.push(python),
            Err(why) => note(&format!("{which} is not compared with on {isa}, {threads} thread(s): {why}")),
        }
    }
    // On a processor that has more, OpenBLAS takes it; it is also compared with where ours may not.
    let is_held_back = isa == Level::Avx2 && !quick && others.first().is_some_and(|python| python.which == "numpy");
    let mut best = if is_held_back { Python::start("numpy", threads, false).ok() } else { None };
    let mut found = Found::default();
    for job in jobs::all(quick) {
        let is_asked_for = |row: &&String| [job.def, job.row, &job.size].iter().any(|word| word.contains(row.as_str()));
        if !rows.is_empty() && !rows.iter().any(is_asked_for) {
            continue;
        }
        let best = best.as_mut().filter(|_| job.product.is_some());
        of_job(job, isa, threads, folder, quick, others.iter_mut().chain(best).collect(), &mut found)?;
    }
    if let Some((worst, row)) = found.worst {
        note(&format!(
            "{isa}, {threads} thread(s): {} of {} jobs give what {} gives, {}; the worst is {worst:.1e} away, {row}.",
            found.right,
            found.count,
            found.by,
            TOLERANCE.text()
        ));
    }
    Ok(())
}

/// How far our results were from those in double precision.
#[derive(Default)]
struct Found {
    count: usize,
    right: usize,
    worst: Option<(f64, String)>,
    by: &'static str,
}

/// The results of a job in double precision, one behind the other.
struct Expected {
    lengths: Vec<usize>,
    values: Vec<f64>,
}

impl Expected {
    /// The results that were found, each beside what it should be; the last ones may be left out.
    fn pairs<'p>(&'p self, found: &'p [f64]) -> impl Iterator<Item = (&'p [f64], &'p [f64])> {
        let mut begin = 0;
        let of_result = move |&length: &usize| {
            let range = begin..begin + length;
            begin = range.end;
            Some((found.get(range.clone())?, &self.values[range]))
        };
        self.lengths.iter().map_while(of_result)
    }

    /// Are these the first of the results, each within its own greatest value?
    fn is_met_by(&self, found: &[f64]) -> bool {
        let compared: usize = self.pairs(found).map(|(found, _)| found.len()).sum();
        compared == found.len() && compared > 0 && self.pairs(found).all(|(found, expected)| TOLERANCE.same(found, expected))
    }

    /// The greatest difference, relative to the greatest value of a result.
    fn worst(&self, found: &[f64]) -> f64 {
        let of_result = |(found, expected): (&[f64], &[f64])| {
            let greatest = expected.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            found.iter().zip(expected).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())) / greatest
        };
        self.pairs(found).map(of_result).fold(0.0, f64::max)
    }
}

fn of_job(
    mut job: Job,
    isa: Level,
    threads: usize,
    folder: &Path,
    quick: bool,
    mut others: Vec<&mut Python>,
    found: &mut Found,
) -> Result<(), Box<dyn Error>> {
    let files = job.write_inputs(folder)?;
    for python in &mut others {
        python.load(job.def, &files)?;
    }
    let expected = match (others.first_mut().filter(|python| python.which == "numpy"), &job.product) {
        (Some(numpy), _) => {
            found.by = "NumPy in double precision";
            numpy.reference(folder)?
        }
        (None, Some(product)) => {
            found.by = "a loop in double precision";
            product.reference(&job)
        }
        (None, None) => return Ok(()),
    };
    job.run();
    let made = job.results();
    let expected = Expected { lengths: job.lengths(), values: expected };
    let is_right = made.len() == expected.values.len() && expected.is_met_by(&made);
    let worst = expected.worst(&made);
    found.count += 1;
    found.right += usize::from(is_right);
    if found.worst.as_ref().is_none_or(|(known, _)| worst > *known) {
        found.worst = Some((worst, format!("{} {}", job.row, job.size)));
    }
    let (rounds, round) = if quick { (9, Duration::from_millis(4)) } else { (15, Duration::from_millis(12)) };
    let (row, def, size, operations, product) = (job.row, job.def, job.size.clone(), job.operations, job.product);
    let mut sides: Vec<(String, bool, Box<dyn Timed + '_>)> = Vec::new();
    for python in others {
        let result = python.result(folder)?;
        sides.push((python.name.clone(), expected.is_met_by(&result), Box::new(python)));
    }
    let inputs = job.inputs.clone();
    for (name, multiply) in product.iter().flat_map(|_| products::CRATES) {
        let product = product.expect("it is one");
        let mut result = product.empty();
        let inputs = inputs.clone();
        let run = move |result: &mut [f32]| multiply(&product, &inputs[0], &inputs[1], result, threads);
        run(&mut result);
        let wide: Vec<f64> = result.iter().map(|&v| v.into()).collect();
        let run = Box::new(move || run(&mut result));
        sides.push((name.to_owned(), expected.is_met_by(&wide), Box::new(Here { run, threads })));
    }
    let mut ours = Here { run: Box::new(move || job.run()), threads };
    for (peer, is_same, mut side) in sides {
        let once = ours.time(1) + side.time(1);
        let rounds = ((LONGEST / once) as usize).clamp(5, rounds);
        let times = compare(&mut ours, &mut *side, rounds, round);
        let ratio = times.ours / times.peer;
        eprintln!("  {row} {size} {isa}, {threads} thread(s), against {peer}: {ratio:.2}");
        let line = json!({
            "group": "tensor", "row": format!("{row}, {threads} thread{}", if threads == 1 { "" } else { "s" }), "isa": isa.name(), "size": size, "peer": peer,
            "ours_ns": times.ours, "peer_ns": times.peer, "ratio": ratio, "spread": times.spread,
            "same_result": is_right && is_same, "fp": "contract", "operations": operations,
            "cause": causes::of_tensors(def, product.map_or(0, |product| product.k), ratio),
        });
        println!("{line}");
    }
    Ok(())
}

fn note(text: &str) {
    println!("{}", json!({ "note": text }));
}
