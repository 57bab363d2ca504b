//! Algorithms and schedules against each other: the evaluator and the interpreter of loops.

use super::algorithm::Pipeline;
use super::bounds::{checks, fill, infer};
use super::directives::Vectors;
use super::evaluate::{Arguments, Evaluator, Image, int_bits};
use super::loops::ir::{Binder, End, HoleKind, Nest};
use super::loops::{interpret, lower, print};
use super::passes;
use crate::check::{self, ScalarExpressions};
use crate::diagnostics::{Diagnostics, Severity};
use crate::source::FileId;
use crate::syntax;
use crate::target::FpMode;
use crate::typed::ir::Program;
use crate::types::Element;
use std::rc::Rc;

/// The vector registers of AVX2.
pub(super) const VECTORS: Vectors = Vectors { width: 8, count: 16 };

/// Builds the pipelines of a text.
pub(super) fn built(text: &str) -> Result<(Vec<Rc<Pipeline>>, Program), String> {
    let mut diagnostics = Diagnostics::new();
    let tree = syntax::parse(FileId(0), text, &mut diagnostics);
    let options = check::Options { width: 8, register_bytes: 32, registers: 16, fp: FpMode::Strict, has_fma: true, lanes: false };
    let files = [tree];
    let plain = super::expand::expand(&files, &[], &options, &[], &mut diagnostics);
    let mut made = Vec::new();
    let program = {
        let mut scope = ScalarExpressions::new(&files, &[], &options, &mut diagnostics);
        for pipeline in &plain.pipelines {
            made.extend(super::build::build(pipeline, FpMode::Strict, &mut scope).map(Rc::new));
        }
        scope.into_program()
    };
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|d| d.message.clone()).collect();
    if errors.is_empty() { Ok((made, program)) } else { Err(errors.join("; ")) }
}

/// The first schedule of a text.
pub(super) fn first_schedule(text: &str) -> super::plain::Schedule {
    let mut diagnostics = Diagnostics::new();
    let files = [syntax::parse(FileId(0), text, &mut diagnostics)];
    let options = check::Options { width: 8, register_bytes: 32, registers: 16, fp: FpMode::Strict, has_fma: true, lanes: false };
    super::expand::expand(&files, &[], &options, &[], &mut diagnostics).schedules.remove(0)
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
    // The last pass speaks for all of them: each has text tests of its own.
    let nest = passes::stepwise(fill::fill(&windows, &checks::start_checks(&windows)), &mut |_, _| {});
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

/// The values and the run of a schedule of the first pipeline.
fn by_schedule(text: &str, inputs: Vec<Image>, window: &[(i64, i64)]) -> (Vec<i64>, interpret::Run, Nest) {
    let (nest, program) = scheduled(text);
    let (values, run) = run(&nest, &program, &Arguments { inputs, scalars: Vec::new() }, window);
    let nest = infer::infer(&nest).expect("windows").nest;
    (values, run, nest)
}

/// The nest of a schedule of the first pipeline.
fn scheduled(text: &str) -> (Nest, Program) {
    let (pipelines, program) = built(text).unwrap_or_else(|e| panic!("{e}"));
    let mut diagnostics = Diagnostics::new();
    let schedule = first_schedule(text);
    let outputs = super::directives::Outputs::AsAsked;
    (super::directives::apply(&pipelines[0], &schedule, outputs, VECTORS, &mut diagnostics).expect("a nest"), program)
}

/// How many points a func stored.
fn stores(run: &interpret::Run, nest: &Nest, name: &str) -> u64 {
    let found = nest.pipeline.numbered_funcs().find(|(_, func)| &*func.name == name).expect("a func").0;
    run.counts.stores.get(&found).copied().unwrap_or(0)
}

const TWICE: &str = "pipeline p() -> o { fun a(x, y) = x + 10 * y; a(x, y) += 1000; fun o(x, y) = a(x / 2, y); }";

#[test]
fn a_window_that_is_empty_every_other_time() {
    let text = format!("{TWICE} schedule p.s {{ a.compute_at(o, x).store_at(o, y).vectorize(x, 8, round); }}");
    let (values, run, nest) = by_schedule(&text, vec![], &[(0, 6), (0, 1)]);
    assert_eq!(values, [1000, 1000, 1001, 1001, 1002, 1002]);
    // N = [0, 1), [1, 2), [2, 3): the pure stage runs on [0, 10), the update once for each.
    assert_eq!(stores(&run, &nest, "a"), 3 * 8 + 3);
    assert_eq!(run.counts.peak, 6 + 10);
    let text = format!("{TWICE} schedule p.s {{ a.compute_at(o, x).store_at(o, y); }}");
    let (_, run, nest) = by_schedule(&text, vec![], &[(0, 6), (0, 1)]);
    assert_eq!(stores(&run, &nest, "a"), 3 + 3);
    // The window has one coordinate.
    assert_eq!(run.counts.peak, 6 + 1);
}

const LINES: &str = "pipeline p(int in[,]) -> f {
    fun g(x, y) = in(x, y) * 3;
    fun f(x, y) = g(x, y - 1) + g(x, y) + g(x, y + 1);
}";

fn rows() -> Vec<Image> {
    vec![image(&[(-8, 24), (-8, 24)], |p| p[0] + 7 * p[1])]
}

#[test]
fn a_line_buffer_computes_each_row_once() {
    let text = format!("{LINES} schedule p.s {{ g.store_root().compute_at(f, y); }}");
    let (_, run, nest) = by_schedule(&text, rows(), &[(0, 5), (0, 4)]);
    // N = [-1, 2), [2, 3), [3, 4), [4, 5)
    assert_eq!(stores(&run, &nest, "g"), 5 * 6);
    assert_eq!(run.counts.peak, 5 * 4 + 5 * 4);
    assert_eq!(nest.folds.iter().map(|fold| fold.least).collect::<Vec<_>>(), [3]);
}

#[test]
fn rows_in_strips_slide_inside_of_each() {
    let text = format!("{LINES} schedule p.s {{ f.split(y, yo, yi, 4, guard); g.store_root().compute_at(f, yi); }}");
    let (_, run, nest) = by_schedule(&text, rows(), &[(0, 5), (0, 10)]);
    // Two rows more for each strip.
    assert_eq!(stores(&run, &nest, "g"), 5 * (6 + 6 + 4));
}

#[test]
fn strips_that_are_rounded_up_need_no_more_memory_than_the_window() {
    let text = "pipeline p(int in[,]) -> f {
        let w = in.extent(0);
        let h = in.extent(1);
        fun first(x, y) = in(x, y);
        rdom (r = 1 .. h) first(x, r) = first(x, r - 1) + in(x, r);
        rdom (r = 1 .. h) first(x, h - 1 - r) += first(x, h - r);
        fun turned(x, y) = first(y, x);
        fun second(x, y) = turned(x, y);
        rdom (r = 1 .. w) second(x, r) = second(x, r - 1) + turned(x, r);
        rdom (r = 1 .. w) second(x, w - 1 - r) += second(x, w - r);
        fun f(x, y) = second(y, x);
    }
    schedule p.s {
        turned.tile(x, y, xo, yo, xi, yi, 4, 8).reorder(xi, yi, xo, yo);
        first.compute_at(turned, yo);
        f.tile(x, y, xo, yo, xi, yi, 4, 8, guard).reorder(xi, yi, xo, yo);
        second.compute_at(f, yo);
    }";
    let picture = vec![image(&[(0, 16), (0, 16)], |p| p[0] + 7 * p[1])];
    let (_, run, _) = by_schedule(text, picture, &[(0, 16), (0, 16)]);
    // The output, what was turned, and a strip.
    assert_eq!(run.counts.peak, 16 * 16 + 16 * 16 + 8 * 16);
}

#[test]
fn updates_are_applied_once_however_often_their_loops_are_split() {
    let text = "pipeline p(int in[,]) -> f { fun g(x, y) = in(x, y); g(x, y) = g(x, y) * 2 + x; fun f(x, y) = g(x, y); }";
    for directives in [
        "tile(x, y, xo, yo, xi, yi, 5, 3).unroll(xi, 3)",
        "split(x, xo, xi, 5).split(xi, a, b, 2).split(a, c, d, 2).vectorize(b, 4)",
        "split(x, xo, xi, 5).split(xo, a, b, 4).unroll(b, 3)",
        "split(x, xo, xi, 4).split(y, yo, yi, 3).reorder(xi, yi, xo, yo).fuse(xi, yi, t).vectorize(t, 8)",
        "split(x, xo, xi, 4).fuse(xo, y, t).split(t, a, b, 3).split(b, c, d, 2)",
    ] {
        for length in [1, 2, 5, 7, 11, 13] {
            let picture = vec![image(&[(-3, 20), (-3, 20)], |p| p[0] + 7 * p[1])];
            by_schedule(&format!("{text} schedule p.s {{ g.update(0).{directives}; }}"), picture, &[(-2, length), (-1, 4)]);
        }
    }
}

#[test]
fn shifts_of_shifts_begin_in_front_of_the_window() {
    let text = "pipeline p(int in[]) -> f { fun g(x, y) = in(x) + y; fun f(x, y) = g(x, y); }";
    for directives in [
        "split(y, a, b, 2, shift).split(a, yo, yi, 4, shift).reorder(yi, b, x, yo)",
        "split(y, a, b, 2, shift).split(a, yo, yi, 4, shift).reorder(b, yi, x, yo)",
        "vectorize(y, 2, shift).split(y, yo, yi, 4, shift).reorder(yi, x, yo)",
        "split(y, a, b, 3, round).split(a, yo, yi, 4, shift).reorder(yi, b, x, yo)",
        "split(y, a, b, 3, shift).split(a, yo, yi, 4, round).reorder(yi, b, x, yo)",
    ] {
        for length in [1, 2, 3, 7, 8, 9] {
            let numbers = image(&[(0, 3)], |p| p[0] * 100);
            by_schedule(&format!("{text} schedule p.s {{ g.{directives}; }}"), vec![numbers], &[(0, 3), (-2, length)]);
        }
    }
}

#[test]
fn tails_of_windows_that_follow_a_slide_have_memory() {
    // What `f1` slides over, `f0` is computed for, and does not slide itself: the later windows begin later, and are rounded up from there.
    let text = "pipeline p(int in[]) -> f2 {
        fun f0(x, y) = in(x) + y;
        fun f1(x, y) = f0(x + 1, y - 1) * f0(x + 2, 2 * x - 2);
        fun f2(x, y) = f1(x - 2, y + 3) + f1(x - 1, y - 1);
    }";
    for tail in ["vectorize(x, 4, round)", "split(x, xo, xi, 3, round)", "split(x, xo, xi, 2, round).vectorize(xo, 4, round)"] {
        let schedule = format!("f2.reorder(y, x); f1.compute_at(f2, y).store_root(); f0.compute_at(f2, x).store_root().{tail};");
        for length in [1, 2, 5, 12] {
            let numbers = image(&[(-40, 80)], |p| p[0] * 100);
            by_schedule(&format!("{text} schedule p.s {{ {schedule} }}"), vec![numbers], &[(-5, length), (-4, 6)]);
        }
    }
}

#[test]
fn two_loops_slide_in_two_dimensions() {
    let text = "pipeline p(int in[,]) -> f {
        fun g(x, y) = in(x, y) * 3;
        fun f(x, y) = g(x, y) + g(x + 2, y + 1);
    }
    schedule p.s { g.store_root().compute_at(f, x); }";
    let (_, run, nest) = by_schedule(text, rows(), &[(0, 6), (0, 5)]);
    assert_eq!(stores(&run, &nest, "g"), (6 + 2) * (5 + 1));
    // Two rows, of which all columns are kept.
    assert_eq!(run.counts.peak, 6 * 5 + (6 + 2) * 2);
}

#[test]
fn a_pad_needs_slots_of_its_own() {
    let text = format!("{LINES} schedule p.s {{ g.store_root().compute_at(f, y).split(y, yo, yi, 4, round); }}");
    let (_, _, nest) = by_schedule(&text, rows(), &[(0, 5), (0, 4)]);
    assert_eq!(nest.folds.iter().map(|fold| fold.least).collect::<Vec<_>>(), [3 + 3]);
}

#[test]
fn chains_of_line_buffers_compute_each_row_once() {
    let text = "pipeline p(int in[,]) -> d {
        fun a(x, y) = in(x, y) * 2;
        fun b(x, y) = a(x, y - 1) + a(x, y + 1);
        fun c(x, y) = b(x, y / 2) + b(x, y / 2 + 1) + a(x, y);
        fun d(x, y) = c(x, y - 1) - c(x, y + 1);
    }
    schedule p.s { a.store_root().compute_at(d, y); b.store_root().compute_at(d, y); c.store_root().compute_at(d, y); }";
    let (_, run, nest) = by_schedule(text, rows(), &[(0, 2), (-2, 8)]);
    // c on [-3, 7), b on [-2, 5), a on [-3, 7).
    assert_eq!(["c", "b"].map(|name| stores(&run, &nest, name)), [2 * 10, 2 * 7]);
}

/// A chain of stages that clamp what they read, all computed in the loop over tiles of the last one.
fn chain_in_tiles(stages: usize) -> String {
    let funs: String = (1..=stages)
        .map(|i| {
            let before = i - 1;
            format!(
                "fun f{i}(x, y) = f{before}(clamp(x - 1, 3 * x / 4, 99), y) + f{before}(min(x, 5 - x), max(y - {i}, x / 2));\n"
            )
        })
        .collect();
    let inside: String = (0..stages).map(|i| format!(" f{i}.compute_at(f{stages}, xo);")).collect();
    format!(
        "pipeline p(int in[,]) -> f{stages} {{ fun f0(x, y) = in(x, y);\n{funs} }}
         schedule p.s {{ f{stages}.tile(x, y, xo, yo, xi, yi, 8, 4, guard);{inside} }}"
    )
}

/// How many parts the definitions of a nest have, and how many the largest one has.
fn sizes(text: &str) -> (u32, u32) {
    let (nest, _) = scheduled(text);
    let windows = infer::infer(&nest).unwrap_or_else(|faults| panic!("{faults:?}"));
    let sizes: Vec<u32> = windows.definitions.values().flatten().map(|(_, e)| e.size()).collect();
    (sizes.iter().sum(), sizes.into_iter().max().expect("definitions"))
}

#[test]
fn windows_grow_with_the_length_of_a_chain_and_no_faster() {
    let [(short, _), (long, _), (longer, most)] = [6, 12, 24].map(|stages| sizes(&chain_in_tiles(stages)));
    // As much for each of the twelve later stages as for each of the six before them, and no more.
    assert!(longer - long <= 2 * (long - short) + (long - short) / 4, "{short}, {long}, {longer} parts");
    assert!(most < 2000, "{most} parts in one expression");
}

#[test]
fn a_window_that_is_empty_in_all_iterations_asks_for_nothing() {
    // s slides, and its window has no point at which it reads g. Seen from outside, g's window ends 2³⁰ in front of 0 and begins
    // as far behind it; the difference of what is read at both ends is no `int`.
    let text = "pipeline p() -> h {
        fun f(x) = x;
        fun g(x) = f(max(x, 0) - min(x, 3));
        fun s(x) = x < 4 ? g(x) : 1;
        fun h(x, y) = s(x) + y;
    }
    schedule p.s { s.compute_at(h, y).store_root(); g.compute_at(h, y); }";
    let (values, run, nest) = by_schedule(text, Vec::new(), &[(6, 2), (1, 2)]);
    assert_eq!(values, [2, 2, 3, 3]);
    assert_eq!((stores(&run, &nest, "f"), stores(&run, &nest, "g"), stores(&run, &nest, "s")), (0, 0, 2));
}

#[test]
fn iterations_that_no_guard_passes_have_windows_of_no_points() {
    let text = "pipeline p() -> f { fun g(x) = x * 3; fun f(x) = g(x) + g(x + 1); }";
    let schedules = [
        // Of the five iterations of xi, those of one a may be behind the window. Directly behind it, one read ends where the other
        // begins.
        ("f.split(x, xo, xi, 5, guard).split(xi, a, b, 2); g.compute_at(f, a);", [2, 4, 5, 7, 8, 10, 12, 13]),
        // For an xi beyond the window there is no xo in it.
        ("f.split(x, xo, xi, 4, guard).reorder(xo, xi); g.compute_at(f, xi);", [2, 4, 6, 8, 12, 16, 20, 24]),
        // Nor is there for one xo alone.
        ("f.split(x, xo, xi, 4, guard).reorder(xo, xi); g.compute_at(f, xo);", [2, 4, 6, 8, 10, 12, 14, 16]),
    ];
    for (schedule, computed) in schedules {
        for (length, computed) in (1..).zip(computed) {
            let text = format!("{text} schedule p.s {{ {schedule} }}");
            let (_, run, nest) = by_schedule(&text, Vec::new(), &[(0, length)]);
            assert_eq!(stores(&run, &nest, "g"), computed, "{schedule} on {length} points");
        }
    }
}

#[test]
fn inside_of_a_loop_over_a_window_the_window_has_a_point() {
    // That of f may be empty, since nothing is added up where n is 0; where a row of it is computed, it is not.
    let text = "pipeline p(int n) -> out {
        fun g(x, y) = x * y;
        fun f(x, y) = g(x, y - 1) + g(x, y + 1);
        fun out(x, y) = 0;
        rdom (r = 0 .. n) out(x, y) += f(x + r, y);
    }
    schedule p.s { f.SPLIT; g.compute_at(f, LOOP); }";
    for (split, inside, is_known) in [
        ("reorder(x, y)", "y", true),
        ("split(x, xo, xi, 4, guard).reorder(xi, xo, y)", "y", true),
        ("fuse(x, y, t).split(t, to, ti, 8, guard)", "to", true),
        // Four iterations, whatever the window is.
        ("split(y, yo, yi, 4, guard).reorder(x, yo, yi)", "yi", false),
    ] {
        let (nest, _) = scheduled(&text.replace("SPLIT", split).replace("LOOP", inside));
        let windows = infer::infer(&nest).unwrap_or_else(|_| panic!("{split}: windows"));
        let mut lengths = Vec::new();
        for (variable, value) in windows.definitions.iter().filter(|(block, _)| block.is_some()).flat_map(|(_, list)| list) {
            if let Some(Binder::Hole(hole)) = windows.nest.binder(*variable)
                && (hole.end, hole.kind) == (End::Length, HoleKind::Compute { stage: 0 })
            {
                lengths.push(print::expression(&windows.nest, value));
            }
        }
        assert_eq!(lengths.len(), 2, "{split}: of g, inside of f");
        assert_eq!(lengths.iter().all(|length| !length.contains("1073741824")), is_known, "{split}: {lengths:?}");
    }
}

#[test]
fn a_pad_takes_arms_that_its_window_does_not() {
    // On [0, 2) nothing is read, and nothing computed; on [2, 4), which is the pad, there has to be a place.
    let text = "pipeline p() -> f {
        fun a(x) = x * 3;
        fun g(x) = x < 3 ? 1 : a(7);
        fun f(x) = g(x);
    }
    schedule p.s { g.split(x, xo, xi, 4, round); }";
    let (values, run, nest) = by_schedule(text, Vec::new(), &[(0, 2)]);
    assert_eq!(values, [1, 1]);
    assert_eq!(stores(&run, &nest, "a"), 0);
}

#[test]
fn what_overflows_does_not_start() {
    // 4 * x leaves `int` from 2²⁹ on; the windows of the root block are compared in ℤ.
    let refused = |text: &str, scalars: Vec<i64>, window: (i64, i64)| {
        let (nest, program) = if text.contains("schedule") {
            scheduled(text)
        } else {
            let (pipelines, program) = built(text).unwrap_or_else(|e| panic!("{e}"));
            (lower::lower(&pipelines[0], &[]), program)
        };
        let windows = infer::infer(&nest).unwrap_or_else(|faults| panic!("{faults:?}"));
        let filled = fill::fill(&windows, &checks::start_checks(&windows));
        let [min, extent] = windows.outputs[0].window[0];
        let inputs = vec![image(&[((1 << 28) - 64, 1 << 10)], |p| p[0])];
        let arguments = Arguments { inputs, scalars: scalars.into_iter().map(int_bits).collect() };
        match interpret::interpret(&filled, &program, &arguments, &[(min, window.0), (extent, window.1)]) {
            Ok(run) => {
                let mut evaluator = Evaluator::new(&nest.pipeline, &program, &arguments);
                for x in window.0..window.0 + window.1 {
                    assert_eq!(run.outputs[0].at(&[x]).map(|v| v[0]), Some(evaluator.at(nest.pipeline.outputs[0], &[x])[0]));
                }
                None
            }
            Err(interpret::Stuck::Assertion(why)) => Some(why),
            Err(other) => panic!("{other:?}"),
        }
    };
    let halved = "pipeline p(int in[]) -> f { fun f(x) = in(4 * x / 8); }";
    assert_eq!(refused(halved, vec![], ((1 << 29) - 4, 4)), None);
    let why = refused(halved, vec![], ((1 << 29) - 4, 5)).expect("4 · 2²⁹ is no `int`");
    assert_eq!(
        why,
        "index overflow: `(4 * x)` in `((4 * x) / 8)`, at which `f` reads dimension 0 of input `in`, is from 2147483632 to 2147483648, and `int` from -2147483648 to 2147483647"
    );
    let inside = "pipeline p(int in[]) -> f { fun g(x) = in(x / 4); fun f(x) = g(4 * x); } schedule p.s { g.compute_at(f, x); }";
    assert_eq!(refused(inside, vec![], (1 << 28, 1)), None);
    assert_eq!(
        refused(inside, vec![], ((1 << 28) + 1, 1)).as_deref(),
        Some(
            "index overflow: `g` is computed from 1073741828 to 1073741828 in dimension 0, and may be from -1073741824 to 1073741824"
        )
    );
    let domain = "pipeline p(int in[], int n) -> f { fun f(x) = 0; rdom (r = n .. 3 * n) f(x) += in(r); }";
    assert!(refused(domain, vec![1 << 28], (0, 1)).is_some_and(|why| why.contains("input `in` is read from")));
    assert_eq!(
        refused(domain, vec![1 << 29], (0, 1)).as_deref(),
        Some(
            "index overflow: the range of reduction variable `r` of `f` is 536870912 .. 1610612736, and may be within -1073741824 .. 1073741824"
        )
    );
}
