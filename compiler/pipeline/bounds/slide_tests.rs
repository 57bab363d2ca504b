//! Each rule of sliding is needed: random pairs of funcs give what the evaluator gives with all of them, and not without one.
//!
//! A func g is stored outside of the loops of f and computed inside of one of them. `IVL_COUNT` (how many pairs) and `IVL_SEED`
//! change how much is done.

use super::super::directives;
use super::super::evaluate::{Arguments, Evaluator, points};
use super::super::loops::interpret;
use super::super::loops::ir::{Nest, Order, Statement};
use super::super::tests::{VECTORS, built, first_schedule};
use super::infer::infer_without;
use super::slide::Rule;
use super::{checks, fill};
use crate::diagnostics::Diagnostics;
use crate::typed::ir::Program;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Funcs g and f, and how f's loops are ordered around g.
#[derive(Clone, Debug)]
struct Pair {
    text: String,
    /// A loop of f whose iterations run in another order.
    parallel: Option<&'static str>,
}

fn reads() -> impl Strategy<Value = String> {
    let x = select(vec!["x", "x", "x + 2", "2 * x", "x / 2", "-x", "min(x, 2)", "x + y"]);
    let y = select(vec!["y", "y", "y - 1", "y + 2", "2 * y", "y / 2", "-y", "3 - y"]);
    vec((x, y).prop_map(|(x, y)| format!("g({x}, {y})")), 1..4).prop_map(|reads| reads.join(" + "))
}

fn pairs() -> impl Strategy<Value = Pair> {
    let update = select(vec![
        "",
        "g(x, y) += 5;",
        "g(x, y) = g(x, y) * 3 + y;",
        "rdom (r = 1 .. 4) g(x, r) += g(x, r - 1);",
        "rdom (r = -2 .. 3) g(r, y) += y;",
        "rdom (r = -3 .. 0) g(r, y) = g(r - 1, y) + 1; g(x, y) += 5;",
    ]);
    let order = select(vec!["", ".reorder(y, x)", ".split(y, yo, yi, 3)"]);
    let inner = select(vec!["x", "y"]);
    let parallel = select(vec![None, None, Some("x"), Some("y")]);
    (update, reads(), order, inner, parallel, any::<bool>()).prop_map(|(update, reads, order, inner, parallel, is_root)| {
        let split = order.contains("yo");
        let inner = if split && inner == "y" { "yi" } else { inner };
        let store = if split && !is_root { ".store_at(f, yo)" } else { ".store_root()" };
        let text = format!(
            "pipeline p() -> f {{ fun g(x, y) = 7 * x + y * y; {update} fun f(x, y) = {reads}; }}
             schedule p.s {{ f{order}; g.compute_at(f, {inner}){store}; }}"
        );
        Pair { text: text.replace("f; ", ""), parallel }
    })
}

/// The nest of a pair.
fn nest(pair: &Pair) -> (Nest, Program) {
    let (pipelines, program) = built(&pair.text).unwrap_or_else(|e| panic!("{e}: {}", pair.text));
    let mut diagnostics = Diagnostics::new();
    let schedule = first_schedule(&pair.text);
    let outputs = directives::Outputs::AsAsked;
    let nest = directives::apply(&pipelines[0], &schedule, outputs, VECTORS, &mut diagnostics);
    let mut nest =
        nest.unwrap_or_else(|| panic!("{:?}: {}", diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>(), pair.text));
    if let Some(name) = pair.parallel {
        nest.body = at_once(&nest.body, &|variable| nest.name(variable) == name);
    }
    (nest, program)
}

/// The statement with parallel loops.
fn at_once(statement: &Statement, is_it: &dyn Fn(super::super::expr::Variable) -> bool) -> Statement {
    let mut made = statement.with_children(|child| at_once(child, is_it));
    if let Statement::For(l) = &mut made
        && is_it(l.variable)
    {
        l.order = Order::Parallel;
    }
    made
}

/// How it went.
struct Outcome {
    slides: bool,
    agrees: bool,
}

fn run(pair: &Pair, disregarded: Option<Rule>) -> Outcome {
    let window = [(-1, 5), (-2, 6)];
    let (nest, program) = nest(pair);
    let windows = infer_without(&nest, disregarded).unwrap_or_else(|u| panic!("{u:?}: {}", pair.text));
    let nest = fill::fill(&windows, &checks::start_checks(&windows));
    let mut slides = false;
    nest.body.walk(&mut |s| slides |= matches!(s, Statement::Slide(..)));
    let asked = windows.outputs[0].window.iter().zip(&window);
    let given: Vec<_> = asked.flat_map(|(&[min, extent], &(m, e))| [(min, m), (extent, e)]).collect();
    let arguments = Arguments { inputs: Vec::new(), scalars: Vec::new() };
    let found = interpret::interpret(&nest, &program, &arguments, &given);
    let mut evaluator = Evaluator::new(&nest.pipeline, &program, &arguments);
    let output = nest.pipeline.outputs[0];
    let is_right = |run: &interpret::Run, evaluator: &mut Evaluator<'_>| {
        points(&window).iter().all(|point| run.outputs[0].at(point).map(|v| v[0]) == Some(evaluator.at(output, point)[0]))
    };
    Outcome { slides, agrees: found.is_ok_and(|run| is_right(&run, &mut evaluator)) }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn every_rule_of_sliding_is_needed() {
    let seed = number("IVL_SEED").unwrap_or(0);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let rules = [Rule::Serial, Rule::Pure, Rule::Rising, Rule::Independent];
    let (mut slid, mut wrong) = (0, [0; 4]);
    for _ in 0..number("IVL_COUNT").unwrap_or(400) {
        let pair = pairs().new_tree(&mut runner).expect("a pair").current();
        let with_all = run(&pair, None);
        assert!(with_all.agrees, "{pair:?}");
        slid += u64::from(with_all.slides);
        for (rule, wrong) in rules.iter().zip(&mut wrong) {
            // Without (4), the nest may mention a loop where it is not: that is wrong, too.
            let outcome = catch_unwind(AssertUnwindSafe(|| run(&pair, Some(*rule)).agrees));
            *wrong += u64::from(!outcome.unwrap_or(false));
        }
    }
    eprintln!("{slid} slide; wrong without rules (1) to (4): {wrong:?}");
    assert!(slid > 0, "something slides");
    for (rule, wrong) in rules.iter().zip(wrong) {
        assert!(wrong > 0, "without {rule:?} nothing goes wrong");
    }
}
