//! Tensor comprehensions against an interpreter of their trees that enumerates points and knows nothing of the compiler.
//!
//! ```text
//! tree ─► search for ranges, loops over all points   =   ranges of the compiler; evaluator = loops = machine code
//! ```
//! `IVL_SEED` (the first seed) and `IVL_COUNT` (how many definitions) change how much is done.

#[path = "tensors/brute.rs"]
mod brute;
#[path = "tensors/kernels.rs"]
mod kernels;
#[path = "tensors/printed.rs"]
mod printed;
#[path = "tensors/ranges.rs"]
mod ranges;

use ivlc::driver::{Options, with_stack};
use ivlc::machine::Isa;

/// The options of all tests here.
fn options() -> Options {
    Options { width: Some(8), ..Options::new(Isa::host()) }
}

/// A `.tc` file as a part of an `.ivl` file.
fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split('#').next().expect("a part").to_owned() + "\n").collect()
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// How many definitions are compiled as one file.
const BATCH: u64 = 50;

#[test]
fn ranges_are_those_of_a_search() {
    let (first, count) = (number("IVL_SEED").unwrap_or(0), number("IVL_COUNT").unwrap_or(1000));
    let mut all = ranges::Count::default();
    for begin in (first..first + count).step_by(BATCH as usize) {
        let own = with_stack(|| ranges::compare(begin..(begin + BATCH).min(first + count), 0)).unwrap_or_else(|e| panic!("{e}"));
        all.definitions += own.definitions;
        all.open += own.open;
        all.refused += own.refused;
        all.sizes += own.sizes;
        all.ranges += own.ranges;
    }
    println!("{all:?}");
    assert!(all.definitions > count / 5 && all.open > 0, "{all:?}");
}

#[test]
fn what_is_printed_is_what_was_read() {
    printed::is_kept(printed::GRAMMAR);
    let folder = format!("{}/examples/tensors", env!("CARGO_MANIFEST_DIR"));
    let files: Vec<_> = std::fs::read_dir(folder).expect("the examples").map(|file| file.expect("a file").path()).collect();
    assert!(files.len() > 3);
    files.iter().for_each(|file| printed::is_kept(&std::fs::read_to_string(file).expect("an example")));
}

#[test]
fn a_range_that_is_one_too_long_is_found() {
    assert!(with_stack(|| ranges::compare(0..BATCH, 1)).is_err(), "nothing differs");
}

/// Compares a kernel for sizes from 1 to 6, each with its own number; `fixed` says otherwise.
fn kernel(file: &str, name: &str, fixed: &[(&'static str, i64)]) {
    let text = std::fs::read_to_string(format!("{}/examples/tensors/{file}", env!("CARGO_MANIFEST_DIR"))).expect("an example");
    let defs = brute::definitions(&without_comments(&text));
    let def = defs.iter().find(|def| &*def.name.text == name).expect("a definition of the file");
    for seed in 0..2 {
        let random = &mut ivl_random::Random::new(seed);
        let mut sizes = std::collections::HashMap::new();
        for size in def.parameters.iter().flat_map(|parameter| &parameter.ty.sizes) {
            let ivlc::syntax::ast::Size::Variable(name) = size else { continue };
            let fixed = fixed.iter().find(|(fixed, _)| *fixed == &*name.text).map(|(_, size)| *size);
            sizes.entry(&*name.text).or_insert_with(|| fixed.unwrap_or_else(|| random.between(1, 6)));
        }
        let compared = with_stack(|| kernels::compare(file, name, &sizes, seed, 0)).unwrap_or_else(|e| panic!("{e}"));
        assert!(compared > 0, "{name}: nothing was compared for {sizes:?}");
    }
}

macro_rules! kernels {
    ($($file:literal: $($name:ident $([$($size:ident = $value:literal),*])?),*;)*) => {
        $($(
            #[test]
            fn $name() {
                kernel($file, stringify!($name), &[$($((stringify!($size), $value)),*)?]);
            }
        )*)*
    };
}

kernels! {
    "linear.tc": mm, mm_by_columns, tmm, tbmm, kronecker3, tensordot, hadamard3;
    "convolution.tc": group_convolution[H = 5, W = 6, KH = 3, KW = 3], convolution_strided[H = 6, W = 6, KH = 2, KW = 3],
        convolution_gradient[H = 4, W = 5, KH = 2, KW = 3], average_pool[H = 6, W = 4], masked_convolution[H = 6, W = 5, KH = 3, KW = 2, MH = 4, MW = 4];
    "networks.tc": lut1[E1 = 4], lut2[E1 = 3, E2 = 2], c3, mlp1, mlp3, softmax;
    "statistics.tc": moments, group_norm[D = 2, H = 2, W = 3], layernorm, batchnorm, argmin, min_distance;
}

#[test]
fn a_reduction_that_is_one_too_long_is_found() {
    let sizes = [("N", 4), ("K", 3)].into();
    assert!(with_stack(|| kernels::compare("statistics.tc", "moments", &sizes, 0, -1)).is_err(), "nothing differs");
}
