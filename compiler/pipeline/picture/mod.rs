//! What a schedule does with its funcs, seen by running its loops: what figures 1 to 3 (a) of the paper show.
//!
//! ```text
//! loops, a window ─observe─► Picture: for each func its allocations, points computed, how often and when, points needed
//!                               ├ svg      a drawing
//!                               └ counts   a table
//! ```
//! A point is *needed* if the algorithm, evaluated lazily on the window, looks at it; it is *computed* as often as the pure
//! stage stores it. What is computed and not needed, or more than once, is what the schedule pays for locality.

mod sizes;
mod svg;

pub use sizes::{Asked, Window};
pub use svg::svg;

use super::Scheduled;
use super::evaluate::{Arguments, Evaluator, int_bits, points, startup};
use super::expr::{FuncId, Source, Variable};
use super::loops::interpret::{Event, Stuck};
use super::loops::print;
use super::value::{Known, Value};
use crate::typed::interpret::scalar;
use crate::typed::ir::Program;
use crate::types::Element;
use rustc_hash::FxHashMap;
use sizes::{Sizes, pattern, sizes};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The most allocations of a func that are listed.
const SHOWN: usize = 4;

/// The most points that a window may have.
const MOST_POINTS: i64 = 1 << 20;

/// How often, and when for the first and the last time, a point was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// How often.
    pub count: u64,
    /// The number of the first step, from 1.
    pub first: u64,
}

/// A func or an input in a run.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Its name.
    pub name: String,
    /// The names of its dimensions.
    pub dimensions: Vec<String>,
    /// Is it an input?
    pub is_input: bool,
    /// Bytes of a point.
    pub bytes: u64,
    /// The windows that were allocated, each once.
    pub allocations: BTreeSet<Window>,
    /// The greatest of them in bytes.
    pub largest: u64,
    /// The points that the pure stage stored; of an input, those that were read.
    pub met: FxHashMap<Vec<i64>, Met>,
    /// How often updates stored.
    pub updates: u64,
    /// The points that the window needs.
    pub needed: BTreeSet<Vec<i64>>,
    /// How often a point of it was read.
    pub loads: u64,
}

impl Seen {
    /// How many points were computed, each as often as it was.
    pub fn computed(&self) -> u64 {
        if self.is_input { 0 } else { self.met.values().map(|met| met.count).sum() }
    }
}

/// A run.
#[derive(Clone, Debug)]
pub struct Picture {
    /// `pipeline.schedule`
    pub title: String,
    /// The window that was asked for, by the names of the dimensions.
    pub window: Vec<(String, i64, i64)>,
    /// The inputs, then the funcs that have loops, in their order.
    pub seen: Vec<Seen>,
    /// The most bytes of funcs that were there at a time, outputs among them.
    pub peak: u64,
    /// The loops.
    pub loops: String,
}

/// Runs the loops of a schedule on windows of its outputs, where none is asked for small ones. Inputs have what is asked of them; their
/// pixels are a fixed pattern.
///
/// # Errors
/// A window that is too large to be drawn, and what the start checks find.
pub fn picture(scheduled: &Scheduled, program: &Program, scalars: &[u64], asked: &[Asked]) -> Result<Picture, String> {
    let windows = &scheduled.windows;
    let pipeline = &*windows.nest.pipeline;
    let Sizes { outputs: window, inputs } = sizes(pipeline, program, scalars, asked);
    if window.iter().any(is_too_large) {
        return Err(format!("the window has more than {MOST_POINTS} points"));
    }
    let given = scheduled.asked(&window);
    let arguments = arguments(scheduled, program, scalars, &given, inputs)?;
    let mut evaluator = Evaluator::new(pipeline, program, &arguments);
    for (output, window) in windows.outputs.iter().zip(&window) {
        points(window).iter().for_each(|point| drop(evaluator.at(output.func, point)));
    }
    let needed = evaluator.needed();
    let mut seen: Vec<Seen> = Vec::new();
    for input in &pipeline.inputs {
        let dimensions = (0..input.dimensions.len()).map(|d| d.to_string()).collect();
        let (name, bytes) = (input.name.to_string(), input.element.size());
        seen.push(Seen { name, dimensions, is_input: true, bytes, ..Seen::default() });
    }
    for (id, func) in pipeline.numbered_funcs() {
        let dimensions = func.variables.iter().map(|&v| pipeline.variable(v).name.to_string()).collect();
        let bytes = func.elements.iter().map(|e| e.size()).sum();
        let needed = needed.get(&id).into_iter().flatten().cloned().collect();
        seen.push(Seen { name: func.name.to_string(), dimensions, bytes, needed, ..Seen::default() });
    }
    let place = |id: FuncId| pipeline.inputs.len() + id.0 as usize;
    let mut step = 0;
    let mut observer = |event: Event<'_>| match event {
        Event::Allocate(func, window) => {
            let seen = &mut seen[place(func)];
            let size: i64 = window.iter().map(|w| w.1.max(0)).product();
            seen.largest = seen.largest.max(size as u64 * seen.bytes);
            seen.allocations.insert(window.to_vec());
        }
        Event::Store(func, 0, point) => {
            step += 1;
            seen[place(func)].met.entry(point.to_vec()).or_insert(Met { count: 0, first: step }).count += 1;
        }
        Event::Store(func, ..) => {
            step += 1;
            seen[place(func)].updates += 1;
        }
        Event::Wrapped(_) => {}
        Event::Load(Source::Func(func, _), _) => seen[place(func)].loads += 1,
        Event::Load(Source::Input(id), point) => {
            let seen = &mut seen[id.0 as usize];
            seen.loads += 1;
            seen.met.entry(point.to_vec()).or_insert(Met { count: 0, first: step + 1 }).count += 1;
        }
    };
    let run = scheduled.observed(program, &arguments, &given, &mut observer).map_err(|stuck| match stuck {
        Stuck::Assertion(why) => format!("pipeline `{}` does not start: {why}", pipeline.name),
        other => format!("the loops are stuck: {other:?}"),
    })?;
    let is_there = |seen: &Seen| seen.is_input || !seen.allocations.is_empty();
    let named = |(variables, window): (&Vec<Variable>, &Window)| -> Vec<(String, i64, i64)> {
        variables.iter().zip(window).map(|(&v, &(min, extent))| (pipeline.variable(v).name.to_string(), min, extent)).collect()
    };
    let outputs = windows.outputs.iter().map(|output| &pipeline.func(output.func).variables);
    Ok(Picture {
        title: format!("{}.{}", pipeline.name, scheduled.name),
        window: outputs.zip(&window).map(named).next().unwrap_or_default(),
        seen: seen.into_iter().filter(is_there).collect(),
        peak: run.counts.peak_bytes,
        loops: print::print(&windows.nest),
    })
}

fn is_too_large(window: &Window) -> bool {
    let size = window.iter().map(|w| w.1.max(0)).try_fold(1i64, i64::checked_mul);
    size.is_none_or(|size| size > MOST_POINTS)
}

/// Images that have what the loops read. What they read may depend on the images' own windows, which grow to what is asked of them.
fn arguments(
    scheduled: &Scheduled,
    program: &Program,
    scalars: &[u64],
    given: &[(Variable, i64)],
    mut shapes: Vec<Window>,
) -> Result<Arguments, String> {
    let windows = &scheduled.windows;
    let pipeline = &*windows.nest.pipeline;
    for _ in 0..8 {
        let images =
            pipeline.inputs.iter().zip(&shapes).map(|(input, shape)| pattern(pipeline.notation, input.element, shape)).collect();
        let arguments = Arguments { inputs: images, scalars: scalars.to_vec() };
        let mut known = Known { program, variables: startup(pipeline, program, &arguments) };
        known.variables.extend(given.iter().map(|&(v, value)| (v, Value::Bits(int_bits(value)))));
        known.define(windows.definitions.get(&None).map_or(&[], |root| root));
        let mut is_enough = true;
        for (shape, ends) in shapes.iter_mut().zip(&windows.inputs) {
            for (range, [low, high]) in shape.iter_mut().zip(ends) {
                let end = |v: &Variable| known.variables[v].bits().map(|bits| scalar::integer(Element::Int32, bits) as i64);
                let (Some(low), Some(high)) = (end(low), end(high)) else { continue };
                if low <= high && (low < range.0 || high >= range.0 + range.1) {
                    let min = low.min(range.0);
                    *range = (min, high.max(range.0 + range.1 - 1) - min + 1);
                    is_enough = false;
                }
            }
        }
        if shapes.iter().any(is_too_large) {
            return Err(format!("an input has more than {MOST_POINTS} points"));
        }
        if is_enough {
            return Ok(arguments);
        }
    }
    Err("whatever size the inputs have, a larger one is asked for".into())
}

/// `pipeline.schedule` on what window.
fn title(picture: &Picture) -> String {
    let window: Vec<String> =
        picture.window.iter().map(|(name, min, extent)| format!("{name} {min}..{}", min + extent)).collect();
    format!("{} on {}", picture.title, window.join(", "))
}

/// The counts as a table: points needed and computed, bytes of the largest allocation, and loads.
pub fn counts(picture: &Picture) -> String {
    let mut out = format!("schedule {}\n", title(picture));
    let width = picture.seen.iter().map(|seen| seen.name.len()).max().unwrap_or(0).max(5);
    let mut row = |name: &str, columns: [&str; 6]| {
        let [needed, computed, ratio, updates, bytes, loads] = columns;
        let _ = writeln!(out, "{name:<width$} {needed:>9} {computed:>9} {ratio:>6} {updates:>8} {bytes:>12} {loads:>9}");
    };
    row("", ["needed", "computed", "ratio", "updates", "bytes", "loads"]);
    let numbers = |needed: u64, computed: u64, updates: u64, bytes: u64, loads: u64| {
        let ratio = if needed == 0 { "-".to_owned() } else { format!("{:.2}", computed as f64 / needed as f64) };
        let [needed, computed, updates, bytes, loads] = [needed, computed, updates, bytes, loads].map(|n| n.to_string());
        [needed, computed, ratio, updates, bytes, loads]
    };
    let (mut computed, mut needed, mut updates, mut loads) = (0, 0, 0, 0);
    for seen in &picture.seen {
        loads += seen.loads;
        if seen.is_input {
            row(&seen.name, [&seen.met.len().to_string(), "-", "-", "-", "-", &seen.loads.to_string()]);
            continue;
        }
        computed += seen.computed();
        needed += seen.needed.len() as u64;
        updates += seen.updates;
        let own = numbers(seen.needed.len() as u64, seen.computed(), seen.updates, seen.largest, seen.loads);
        row(&seen.name, own.each_ref().map(String::as_str));
    }
    row("total", numbers(needed, computed, updates, picture.peak, loads).each_ref().map(String::as_str));
    for seen in &picture.seen {
        let name = &seen.name;
        let met = hull(seen.met.keys());
        if seen.is_input {
            let _ = writeln!(out, "{name:<width$} read {met}");
            continue;
        }
        let windows: Vec<String> = seen.allocations.iter().take(SHOWN).map(ranges).collect();
        let more = match seen.allocations.len() {
            all if all > SHOWN => format!(", … {all} windows"),
            _ => String::new(),
        };
        let needed = hull(seen.needed.iter());
        let _ = writeln!(out, "{name:<width$} allocated {}{more}; computed {met}; needed {needed}", windows.join(", "));
    }
    out
}

/// The smallest window around points.
fn hull<'p>(points: impl Iterator<Item = &'p Vec<i64>>) -> String {
    let mut ends: Option<Vec<(i64, i64)>> = None;
    for point in points {
        let known = ends.get_or_insert_with(|| point.iter().map(|&c| (c, c)).collect());
        known.iter_mut().zip(point).for_each(|(end, &c)| *end = (end.0.min(c), end.1.max(c)));
    }
    match ends {
        Some(ends) => ranges(&ends.into_iter().map(|(low, high)| (low, high - low + 1)).collect()),
        None => "nothing".to_owned(),
    }
}

/// `0..4 × 1..3`
fn ranges(window: &Window) -> String {
    if window.is_empty() {
        return "one value".to_owned();
    }
    window.iter().map(|&(min, extent)| format!("{min}..{}", min + extent)).collect::<Vec<_>>().join(" × ")
}
