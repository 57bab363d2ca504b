//! Which funcs of integers have values that wrapped: `ivlc run --check` on pictures.
//!
//! ```text
//! fun bx(x, y) = (in(x, y) + in(x + 1, y)) / 2;      uint8: 200 + 100 is 44      ──►  "812 of 240000 values of `bx` wrapped"
//! ```
//! The loops of a schedule run in the interpreter, which computes sums, differences, products, negations and conversions of
//! integers in ℤ, too. A value counts if one of those that it is made of did not fit, but for those in functions that it calls.

use super::Scheduled;
use super::evaluate::Arguments;
use super::expr::FuncId;
use super::loops::interpret::{Event, Stuck};
use crate::typed::ir::Program;
use std::collections::BTreeMap;

/// The values of a func.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wraps {
    /// How many wrapped.
    pub wrapped: u64,
    /// How many there were, those of updates among them.
    pub all: u64,
}

/// Runs the loops of a schedule on windows of the outputs, of which dimensions have minimum and extent. The funcs by name.
///
/// # Errors
/// Why it does not come to an end.
pub fn wraps(
    scheduled: &Scheduled,
    program: &Program,
    arguments: &Arguments,
    windows: &[Vec<(i64, i64)>],
) -> Result<BTreeMap<String, Wraps>, String> {
    let mut found: BTreeMap<FuncId, Wraps> = BTreeMap::new();
    let mut observer = |event: Event<'_>| match event {
        Event::Store(func, ..) => found.entry(func).or_default().all += 1,
        Event::Wrapped(func) => found.entry(func).or_default().wrapped += 1,
        Event::Allocate(..) | Event::Load(..) => {}
    };
    let given = scheduled.asked(windows);
    scheduled.observed(program, arguments, &given, &mut observer).map_err(|stuck| match stuck {
        Stuck::Assertion(why) => why,
        other => format!("the loops are stuck: {other:?}"),
    })?;
    let pipeline = &scheduled.windows.nest.pipeline;
    let of_integers = |func: &FuncId| pipeline.func(*func).elements.iter().any(|element| element.is_integer());
    let named = found.into_iter().filter(|(func, _)| of_integers(func));
    Ok(named.map(|(func, wraps)| (pipeline.func(func).name.to_string(), wraps)).collect())
}
