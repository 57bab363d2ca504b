//! Pairs that are timed in turn, and whether they give the same results. The package `benches/peers` has this file, too.

use std::time::{Duration, Instant};

/// One way to run a kernel on data of its own; each call does the same work.
pub struct Runner {
    /// Who wrote it: `ivl`, `ivl scalar`, `rust 1.95`, `clang 22`.
    pub name: String,
    /// Runs it once.
    pub run: Box<dyn FnMut()>,
    /// The result of the last run, as numbers to compare.
    pub result: Box<dyn Fn() -> Vec<f64>>,
}

/// What can be timed.
pub trait Timed {
    /// How long so many runs take, in nanoseconds.
    fn time(&mut self, runs: u32) -> f64;
}

/// Time is what the process had of its processors, which does not count what others run.
impl Timed for Runner {
    fn time(&mut self, runs: u32) -> f64 {
        let start = processor_time();
        (0..runs).for_each(|_| (self.run)());
        processor_time() - start
    }
}

/// When two results are the same.
#[derive(Clone, Copy)]
pub enum Tolerance {
    /// Bit by bit.
    None,
    /// The greatest difference of two values, relative to the greater one: where both round alike but for single operations.
    Each(f64),
    /// The greatest difference, relative to the greatest value: sums are as wrong as rounding makes them.
    Relative(f64),
    /// The greatest difference in steps of an integer type: what is rounded to a step may be rounded to the next one.
    Steps(f64),
    /// As `Relative`, but for a share of the pixels: where they depend on which of two nearly equal numbers is less.
    Mostly(f64, f64),
}

impl Tolerance {
    /// Are they the same?
    pub fn same(self, found: &[f64], expected: &[f64]) -> bool {
        if found.len() != expected.len() {
            return false;
        }
        let largest = expected.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let (most, share) = match self {
            Tolerance::None | Tolerance::Each(_) => (0.0, 0.0),
            Tolerance::Relative(t) => (t * largest, 0.0),
            Tolerance::Steps(t) => (t, 0.0),
            Tolerance::Mostly(t, share) => (t * largest, share),
        };
        let most = |a: f64, b: f64| if let Tolerance::Each(t) = self { t * a.abs().max(b.abs()) } else { most };
        let is_near = |a: f64, b: f64| a == b || (a - b).abs() <= most(a, b) || (a.is_nan() && b.is_nan());
        let differ = found.iter().zip(expected).filter(|(a, b)| !is_near(**a, **b)).count();
        differ as f64 <= share * found.len() as f64
    }

    /// What it says.
    pub fn text(self) -> String {
        match self {
            Tolerance::None => "same bits".to_owned(),
            Tolerance::Each(t) => format!("each within {t}"),
            Tolerance::Relative(t) => format!("within {t} of the greatest value"),
            Tolerance::Steps(t) => format!("within {t} steps"),
            Tolerance::Mostly(t, share) => format!("within {t} of the greatest value but for {} % of the pixels", share * 100.0),
        }
    }
}

/// Times of one pair, measured in turn.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Median of our time for a run, in nanoseconds.
    pub ours: f64,
    /// Median of the peer's.
    pub peer: f64,
    /// Half the distance between the quartiles of the ratios of neighbouring rounds, relative to their median.
    pub spread: f64,
}

/// The time that this process has had, in nanoseconds.
pub fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes the time to where it is told.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "the clock of the process is there");
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds since some moment.
pub fn wall_time() -> f64 {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_nanos() as f64
}

/// Runs it so often that it takes `duration`, and gives the number of runs.
fn calibrate(side: &mut dyn Timed, duration: Duration) -> u32 {
    let duration = duration.as_nanos() as f64;
    let mut runs = 1u32;
    loop {
        let time = side.time(runs);
        if time >= duration || runs > 1 << 24 {
            return (f64::from(runs) * (duration / time).clamp(0.01, 1.0)).ceil() as u32;
        }
        runs = if time < duration / 16.0 { runs * 8 } else { runs * 2 };
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Times both in turn, `rounds` times each, so that whatever slows the machine slows both.
pub fn compare(ours: &mut dyn Timed, peer: &mut dyn Timed, rounds: usize, round: Duration) -> Comparison {
    let (our_runs, peer_runs) = (calibrate(ours, round), calibrate(peer, round));
    let time = |side: &mut dyn Timed, runs: u32| side.time(runs) / f64::from(runs);
    let (mut our_times, mut peer_times, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..rounds {
        // Who goes first alternates.
        let (a, b) = if i % 2 == 0 {
            let a = time(ours, our_runs);
            (a, time(peer, peer_runs))
        } else {
            let b = time(peer, peer_runs);
            (time(ours, our_runs), b)
        };
        our_times.push(a);
        peer_times.push(b);
        ratios.push(a / b);
    }
    ratios.sort_by(f64::total_cmp);
    let quartiles = ratios[rounds * 3 / 4] - ratios[rounds / 4];
    Comparison { ours: median(&mut our_times), peer: median(&mut peer_times), spread: quartiles / 2.0 / ratios[rounds / 2] }
}
