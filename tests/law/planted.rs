//! Mistakes planted in the checker: each is shown by a program of a few lines at once, and by random or enumerated functions.

use super::batch::{self, Outcome, options};
use super::{BATCH, calls, enumerate, sample};
use ivlc::check::{Mistake, plant};
use ivlc::driver::{Session, with_stack};
use ivlc::typed::interpret::{Limits, interpret};
use libtest_mimic::Failed;
use std::panic::catch_unwind;

/// The least program of a mistake: a function of a file of `tests/run`.
fn least(mistake: Mistake) -> (&'static str, &'static str) {
    const BRANCHES: &str = "branches_of_lanes_give_each_lane_its_own_variable";
    const LOOPS: &str = "loops_of_lanes_give_each_lane_its_own_variable";
    const BREAKS: &str = "what_a_loop_with_a_break_of_lanes_assigns_is_one_per_lane";
    const CONTINUES: &str = "what_stands_behind_a_continue_of_lanes_is_one_per_lane";
    const RETURNS: &str = "each_lane_returns_its_own_result";
    const REFERENCES: &str = "what_a_reference_names_is_one_per_lane_where_the_callee_parts_lanes";
    const SWITCHES: &str = "what_a_switch_of_lanes_assigns_is_one_per_lane";
    const ARRAYS: &str = "each_lane_has_its_copy_of_an_array_that_it_indexes";
    const VALUES: &str = "a_variable_is_as_long_as_what_is_assigned_to_it";
    match mistake {
        Mistake::Then => (BRANCHES, "in_then"),
        Mistake::Else => (BRANCHES, "in_else"),
        Mistake::And => (BRANCHES, "right_of_and"),
        Mistake::Or => (BRANCHES, "right_of_or"),
        Mistake::FirstArm => (BRANCHES, "first_arm"),
        Mistake::SecondArm => (BRANCHES, "second_arm"),
        Mistake::Switch => (SWITCHES, "in_case"),
        Mistake::LoopCondition => (LOOPS, "while_loop"),
        Mistake::Break => (BREAKS, "behind"),
        Mistake::BeforeBreak => (BREAKS, "before"),
        Mistake::InCondition => (LOOPS, "in_condition"),
        Mistake::InStep => (LOOPS, "in_step"),
        Mistake::Continue => (CONTINUES, "behind"),
        Mistake::CounterBehindContinue => (CONTINUES, "counter"),
        Mistake::BreakBehindContinue => (BREAKS, "behind_a_continue"),
        Mistake::SwitchBreak => (SWITCHES, "of_scalars"),
        Mistake::Return => (REFERENCES, "behind_return"),
        Mistake::ReturnInLoop => (REFERENCES, "before_return"),
        Mistake::Result => (RETURNS, "under_if"),
        Mistake::Value => (VALUES, "whole"),
        Mistake::Index => (ARRAYS, "element"),
        Mistake::CallOfReference => (ARRAYS, "element_by_call"),
        Mistake::ByReference => (REFERENCES, "under_callers_if"),
        Mistake::ReferenceValue => (REFERENCES, "value"),
        Mistake::LocalReference => (REFERENCES, "local_reference"),
    }
}

/// Does the least program show its mistake, and is it right without?
pub fn by_its_least_program(mistake: Mistake) -> Result<(), Failed> {
    let (file, function) = least(mistake);
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/run/{file}.ivl"));
    let text = std::fs::read_to_string(path)?;
    let runs = text.lines().filter_map(|line| line.strip_prefix("// run at")).map(str::trim);
    let runs: Vec<&str> = runs.filter(|run| run.contains(&format!(" {function}("))).collect();
    let (source, expected) = calls::program(&text, &runs, false)?;
    // The first call that prints something else.
    let wrong = |planted| {
        let run = || {
            with_stack(|| {
                plant(planted);
                let output = printed(&source).unwrap_or_default();
                let mut lines = output.lines();
                expected.iter().find(|line| lines.next() != Some(&line.result)).map(|line| line.call.clone())
            })
        };
        // A checker with a mistake may break what the stages behind it rely on.
        catch_unwind(run).unwrap_or_else(|_| Some("a stage".to_owned()))
    };
    match (wrong(None), wrong(Some(mistake))) {
        (None, Some(_)) => Ok(()),
        (Some(call), _) => Err(format!("{file}: {call} is wrong without a mistake").into()),
        (None, None) => Err(format!("{file}: `{function}` does not show it").into()),
    }
}

fn printed(source: &str) -> Option<String> {
    let mut session = Session::default();
    session.load_text("program.ivl".into(), None, source.to_owned());
    let program = session.check(&options())?;
    let mut output = String::new();
    let limits = Limits { steps: Some(1_000_000), ..Limits::default() };
    interpret(&program, limits, &mut |text| output.push_str(text)).ok()?;
    Some(output)
}

/// Batches that are tried: of random functions and of enumerated loops in turn.
const BATCHES: u64 = 40;

/// Is it shown by random functions or enumerated loops?
pub fn by_random_functions(mistake: Mistake) -> Result<(), Failed> {
    let loops = enumerate::programs();
    let found = with_stack(|| {
        plant(Some(mistake));
        (0..BATCHES).find_map(|k| {
            let samples: Vec<batch::Sample> = match k % 2 {
                0 => (k * BATCH..(k + 1) * BATCH).filter_map(sample).collect(),
                // Steps with no divisor in common with the length of the list meet all of it.
                _ => (0..BATCH).filter_map(|i| loops[((k * BATCH + i) * 337) as usize % loops.len()].sample()).collect(),
            };
            let outcomes = batch::judge(&samples);
            let shows = |outcome: &Outcome| !matches!(outcome, Outcome::Agreed);
            let at = outcomes.iter().position(shows)?;
            Some(samples[at].name.clone())
        })
    });
    match found {
        Some(name) => {
            println!("{mistake:?}: shown by {name}");
            Ok(())
        }
        None => Err("nobody noticed".into()),
    }
}
