//! Algorithms and schedules against each other: the evaluator and the interpreter of loops.

use super::algorithm::Pipeline;
use super::bounds::{fill, infer};
use super::evaluate::{Arguments, Evaluator, Image, int_bits};
use super::loops::{interpret, ir::Nest, lower, print};
use crate::check::{self, ScalarExpressions};
use crate::diagnostics::Diagnostics;
use crate::source::FileId;
use crate::syntax;
use crate::target::FpMode;
use crate::typed::ir::Program;
use crate::types::Element;
use std::rc::Rc;

/// Builds the pipelines of a text.
pub(super) fn built(text: &str) -> Result<(Vec<Rc<Pipeline>>, Program), String> {
    let mut diagnostics = Diagnostics::new();
    let tree = syntax::parse(FileId(0), text, &mut diagnostics);
    let options = check::Options { width: 8, register_bytes: 32, fp: FpMode::Strict };
    let files = [tree];
    let mut made = Vec::new();
    let program = {
        let mut scope = ScalarExpressions::new(&files, &[], &options, &mut diagnostics);
        for item in &files[0].items {
            if let syntax::ast::ItemKind::Pipeline(pipeline) = &item.kind {
                made.extend(super::build::build(pipeline, FpMode::Strict, &mut scope).map(Rc::new));
            }
        }
        scope.into_program()
    };
    let errors: Vec<String> = diagnostics.iter().map(|d| d.message.clone()).collect();
    if errors.is_empty() { Ok((made, program)) } else { Err(errors.join("; ")) }
}

/// An image of `int`s.
fn image(window: &[(i64, i64)], pixel: impl Fn(&[i64]) -> i64) -> Image {
    let mut image = Image::new(Element::Int32, window.to_vec());
    let pixels: Vec<u64> = image.points().iter().map(|p| int_bits(pixel(p))).collect();
    image.pixels = pixels;
    image
}

/// What the algorithm and a schedule's loops give on a window of the first output.
fn run(nest: &Nest, program: &Program, arguments: &Arguments, window: &[(i64, i64)]) -> (Vec<i64>, interpret::Run) {
    let windows = infer::infer(nest).unwrap_or_else(|u| panic!("unbounded: {u:?}"));
    let nest = fill::fill(&windows, &fill::start_checks(&windows));
    let given: Vec<_> =
        windows.outputs[0].window.iter().zip(window).flat_map(|(&[min, extent], &(m, e))| [(min, m), (extent, e)]).collect();
    let run = interpret::interpret(&nest, program, arguments, &given)
        .unwrap_or_else(|stuck| panic!("{stuck:?}\n{}", print::print(&nest)));
    let pipeline = &nest.pipeline;
    let mut evaluator = Evaluator::new(pipeline, program, arguments);
    let element = pipeline.func(pipeline.outputs[0]).elements[0];
    let mut values = Vec::new();
    for point in super::evaluate::points(window) {
        let wanted = evaluator.at(pipeline.outputs[0], &point)[0];
        let found = run.outputs[0].at(&point).map(|v| v[0]);
        assert_eq!(found, Some(wanted), "at {point:?}\n{}", print::print(&nest));
        values.push(crate::typed::interpret::scalar::integer(element, wanted.bits().expect("a value")) as i64);
    }
    (values, run)
}

fn breadth_first(text: &str, inputs: Vec<Image>, scalars: Vec<i64>, window: &[(i64, i64)]) -> (Vec<i64>, interpret::Run) {
    let (pipelines, program) = built(text).unwrap_or_else(|e| panic!("{e}"));
    let arguments = Arguments { inputs, scalars: scalars.into_iter().map(int_bits).collect() };
    run(&lower::lower(&pipelines[0], &[]), &program, &arguments, window)
}

#[test]
fn the_example_of_section_2() {
    let (values, run) =
        breadth_first("pipeline p() -> f { fun g(x) = x * x; fun f(x) = g(x) + g(x + 1); }", vec![], vec![], &[(0, 6)]);
    assert_eq!(values, [1, 5, 13, 25, 41, 61]);
    assert_eq!(run.outputs[0].window, [(0, 6)]);
    assert_eq!(run.counts.stores.values().copied().collect::<std::collections::BTreeSet<_>>(), [6, 7].into());
}

#[test]
fn a_histogram_covers_what_it_counts() {
    let rows = [[0, 1, 1], [2, 1, 0]];
    let mut input = Image::new(Element::Uint8, vec![(0, 3), (0, 2)]);
    input.pixels = rows.iter().flatten().map(|&v| v as u64).collect();
    let (values, run) = breadth_first(
        "pipeline histogram(uint8 in[,], int w, int h) -> hist {
            fun hist(i) = 0;
            rdom (rx = 0 .. w, ry = 0 .. h) hist(in(rx, ry)) += 1 if (in(rx, ry) > 0);
        }",
        vec![input],
        vec![3, 2],
        &[(0, 4)],
    );
    assert_eq!(values, [0, 3, 1, 0]);
    assert_eq!(run.outputs[0].window, [(0, 256)]);
}

#[test]
fn windows_follow_strides_and_floors() {
    let text = "pipeline p() -> u { fun g(x) = x; fun d(x) = (g(2 * x) + g(2 * x + 1)) / 2; fun u(x) = d(x / 2); }";
    assert_eq!(breadth_first(text, vec![], vec![], &[(3, 5)]).0, [2, 4, 4, 6, 6]);
    assert_eq!(breadth_first(text, vec![], vec![], &[(-3, 5)]).0, [-4, -2, -2, 0, 0]);
}

#[test]
fn updates_read_what_was_updated() {
    let text = "pipeline p(int in[]) -> s { fun s(x) = in(x); rdom (r = 1 .. 5) s(r) += s(r - 1); }";
    let input = image(&[(0, 5)], |p| p[0] + 1);
    let (values, run) = breadth_first(text, vec![input], vec![], &[(2, 2)]);
    assert_eq!(values, [6, 10]);
    assert_eq!(run.outputs[0].window, [(0, 5)]);
}

#[test]
fn lazy_branches_ask_for_less() {
    let text = "pipeline p(int a[], int b[]) -> f { fun f(x) = x < 3 ? a(x) : b(x - 3); }";
    let (a, b) = (image(&[(0, 3)], |p| p[0]), image(&[(0, 2)], |p| 10 + p[0]));
    assert_eq!(breadth_first(text, vec![a, b], vec![], &[(0, 5)]).0, [0, 1, 2, 10, 11]);
}

#[test]
fn boundaries_and_inline_reductions() {
    let text = "pipeline p(int in[]) -> f {
        fun f(x) = sum(repeat_edge(in(x + r)) * (r + 2) for r = -1 .. 2) + constant_exterior(in(x), 1000)
            + mirror(in(x)) + mirror_interior(in(x)) + repeat(in(x)) + minimum(mirror(in(r - x)) for r = 0 .. 4 if r != 2);
    }";
    let (values, _) = breadth_first(text, vec![image(&[(0, 4)], |p| p[0] * p[0])], vec![], &[(-5, 15)]);
    assert_eq!(values.len(), 15);
}

#[test]
fn tuples_and_extrema_with_their_places() {
    let text = "pipeline p(int in[]) -> f {
        fun t(x) { let a = in(x) * 2; return (a, x + 1); }
        t(3) = (t(3).1, t(3).0);
        fun f(x) = t(x).0 * 100 + t(x).1 + argmax(in(x + r) for r = 0 .. 3).0 + argmin(in(x + r) for r = 0 .. 3).1;
    }";
    let (values, _) = breadth_first(text, vec![image(&[(0, 12)], |p| (p[0] * 7) % 5)], vec![], &[(0, 8)]);
    assert_eq!(values.len(), 8);
}
