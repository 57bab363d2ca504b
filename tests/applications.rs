//! The applications of `examples/pipelines`: each schedule gives what a plain program gives, on a photograph.
//!
//! The references are loops in Rust, one for each func of the algorithm, with its sums in the same order: results have the same
//! bits. Where a reference computes in another way, a test states by how much they may differ.

#[path = "applications/cameras.rs"]
mod cameras;
#[path = "applications/filters.rs"]
mod filters;
#[path = "applications/generated.rs"]
mod generated;
#[path = "applications/guided.rs"]
mod guided;
#[path = "applications/image.rs"]
mod image;
#[path = "applications/linear.rs"]
mod linear;
#[path = "applications/program.rs"]
mod program;
#[path = "applications/pyramids.rs"]
mod pyramids;
#[path = "applications/remembered.rs"]
mod remembered;
#[path = "applications/similarity.rs"]
mod similarity;

use image::{Image, Pixel};
use ivlc::driver::Options;
use ivlc::machine::Isa;
use program::{Argument, Program};

/// Runs every schedule of a pipeline and compares its output with the reference: the same bits, or a difference of at most
/// `tolerance` where that is not 0.
fn compare<T: Pixel>(file: &str, pipeline: &str, reference: &Image<T>, inputs: &[&dyn Argument], tolerance: f64) {
    compare_set(file, pipeline, &[], reference, inputs, tolerance);
}

/// The same, where parameters of the pipeline are set.
fn compare_set<T: Pixel>(
    file: &str,
    pipeline: &str,
    settings: &[&str],
    reference: &Image<T>,
    inputs: &[&dyn Argument],
    tolerance: f64,
) {
    compare_schedules(|_| true, (file, pipeline, settings), reference, inputs, tolerance);
}

/// The same with some of its schedules.
fn compare_schedules<T: Pixel>(
    wanted: fn(&str) -> bool,
    (file, pipeline, settings): (&str, &str, &[&str]),
    reference: &Image<T>,
    inputs: &[&dyn Argument],
    tolerance: f64,
) {
    let mut found = Image::<T>::new(&reference.window);
    let shapes: Vec<&dyn Argument> = std::iter::once(&found as &dyn Argument).chain(inputs.iter().copied()).collect();
    // What is set makes no other code, only more or less of it.
    let level = if settings.is_empty() { 3 } else { 1 };
    let options = Options { level, ..Options::new(Isa::host()) };
    let program = Program::new(file, pipeline, settings, &shapes, options, wanted);
    assert!(program.schedules.len() > 2 || !wanted("auto"), "{file} has a schedule of its own");
    for schedule in &program.schedules {
        found = Image::new(&reference.window);
        let arguments: Vec<&dyn Argument> = std::iter::once(&found as &dyn Argument).chain(inputs.iter().copied()).collect();
        program.run(schedule, &arguments);
        for (i, (&a, &b)) in found.pixels.iter().zip(&reference.pixels).enumerate() {
            let (x, y) = (a.value(), b.value());
            let is_same = a == b || (x - y).abs() <= tolerance || x.is_nan() && y.is_nan();
            assert!(is_same, "{pipeline}.{schedule} with {settings:?}: pixel {i} of {:?} is {a:?}, not {b:?}", found.window);
        }
    }
    eprintln!("{pipeline} {settings:?}: {} schedules compiled in {:.2} s", program.schedules.len(), program.time.as_secs_f64());
}
