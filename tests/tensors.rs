//! Tensor comprehensions against an interpreter of their trees that enumerates points and knows nothing of the compiler.
//!
//! ```text
//! tree ─► search for ranges, loops over all points   =   ranges of the compiler; evaluator = loops = machine code
//! ```
//! `IVL_SEED` (the first seed) and `IVL_COUNT` (how many definitions or pairs) change how much is done.

#[path = "tensors/agree.rs"]
mod agree;
#[path = "tensors/algorithm_plants.rs"]
mod algorithm_plants;
#[path = "tensors/brute.rs"]
mod brute;
#[path = "tensors/code_plants.rs"]
mod code_plants;
#[path = "guard/images.rs"]
mod images;
#[path = "tensors/kernels.rs"]
mod kernels;
#[path = "differential/lane_mistakes.rs"]
mod lane_mistakes;
#[path = "tensors/loop_plants.rs"]
mod loop_plants;
#[path = "tensors/number.rs"]
mod number;
#[path = "guard/pages.rs"]
mod pages;
#[path = "tensors/pairs.rs"]
mod pairs;
#[path = "tensors/planted.rs"]
mod planted;
#[path = "tensors/printed.rs"]
mod printed;
#[path = "tensors/random.rs"]
mod random;
#[path = "tensors/ranges.rs"]
mod ranges;
#[path = "tensors/schedules.rs"]
mod schedules;
#[path = "guard/signals.rs"]
mod signals;
#[path = "tensors/tiles.rs"]
mod tiles;

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

/// T14: ranges are the largest ones.
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

/// How long random pairs run with the tests, in seconds.
const SECONDS: u64 = 15;

/// Sums of floats, by rows, by partial results, and of both.
const SUMS: &str = "
def d(float(M, N) A, float(N) x) -> (C, S, P) {
    C(i) +=! A(i, k) * x(k)
    S +=! A(i, j) * A(i, j)
    P(j) *=! A(i, j)
}
schedule d.rows { C.update(0).parallel(i); }
schedule d.parts { C.update(0).split(k, ko, ki, 8).rfactor(ki, u, part); part.parallel(i).update(0).vectorize(u, 8); }
schedule d.blocks { S.update(0).split(j, jo, ji, 16).rfactor(jo, u, part); part.update(0).parallel(u); P.update(0).vectorize(j, 8).parallel(j); }
";

/// The bits of the sums, of some sizes and by each schedule, as text.
fn bits_of_sums() -> String {
    let defs = brute::definitions(SUMS.split("schedule").next().expect("definitions"));
    let mut bits = String::new();
    for (m, n) in [(3, 70), (20, 33)] {
        let random = &mut ivl_random::Random::new(m as u64);
        let mut tensor = |window: Vec<(i64, i64)>| {
            let element = ivlc::types::Element::Float;
            let mut value = || number::Number::float(element, f64::from((random.unit() * 2.0 - 1.0) as f32), 0.0);
            let values = brute::points(&window).iter().map(|_| value()).collect();
            brute::Tensor { element, window, values }
        };
        let given = [tensor(vec![(0, m), (0, n)]), tensor(vec![(0, n)])];
        let level = Some(3);
        let case =
            agree::Case { file: "sums.ivl", text: SUMS, defs: &defs, name: "d", given: &given, level, longer: 0, mistake: None };
        let outcome = agree::run(&case).unwrap_or_else(|what| panic!("{m} × {n}: {what}"));
        assert!(outcome.refused.is_none() && !outcome.is_stopped, "{outcome:?}");
        assert_eq!(outcome.bits.len(), 5, "`auto`, `breadth_first` and what is written");
        bits += &format!("{m} × {n}: {:x?}\n", outcome.bits);
    }
    bits
}

/// T29: floats are within the bound of their number of terms (`number`), and their bits are the same for any number of threads, each of which
/// takes a process of its own.
#[test]
fn threads_change_no_bits_of_sums() {
    if std::env::var_os("IVL_SUMS").is_some() {
        println!("{}", with_stack(bits_of_sums));
        return;
    }
    let by_threads = ["1", "2", "4"].map(|threads| {
        let mut child = std::process::Command::new(std::env::current_exe().expect("this program"));
        child.args(["--exact", "threads_change_no_bits_of_sums", "--nocapture"]).env("IVL_SUMS", "1").env("IVL_THREADS", threads);
        let ran = child.output().expect("it runs");
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{threads} threads: {said}{}", String::from_utf8_lossy(&ran.stderr));
        let sums: Vec<String> = said.lines().filter(|line| line.contains(" × ")).map(str::to_owned).collect();
        assert_eq!(sums.len(), 2, "{said}");
        sums
    });
    assert!(by_threads.iter().all(|other| *other == by_threads[0]), "other bits with other threads");
}

/// Each rule of the notation has a test whose text or comment begins with it.
#[test]
fn each_rule_has_a_test() {
    let root = format!("{}/tests", env!("CARGO_MANIFEST_DIR"));
    let mut found = std::collections::BTreeSet::new();
    for folder in ["run", "check", "faults", "tensors", "."] {
        for file in std::fs::read_dir(format!("{root}/{folder}")).expect("a folder of tests").flatten() {
            let Ok(text) = std::fs::read_to_string(file.path()) else { continue };
            let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
            for comment in comments.map(|comment| comment.trim_start_matches(['/', '!', ' '])) {
                // `T25, T28: what is said`
                let names = comment.split_once(": ").map_or("", |(names, _)| names).split(", ");
                found.extend(names.filter_map(|name| name.strip_prefix('T')?.parse::<u32>().ok()));
            }
        }
    }
    let missing: Vec<u32> = (1..=38).filter(|rule| !found.contains(rule)).collect();
    assert!(missing.is_empty(), "no test begins with T{missing:?}");
}

/// T18, T19, T28, T36: random definitions, what is refused when they are called among them.
#[test]
fn random_definitions_and_schedules_agree() {
    let (first, pairs) = (number("IVL_SEED").unwrap_or(0), number("IVL_COUNT"));
    let time = number("IVL_SECONDS").unwrap_or(if pairs.is_some() { u64::MAX / 4 } else { SECONDS });
    let time = std::time::Duration::from_secs(time);
    let count = with_stack(|| pairs::compare(first, pairs, time)).unwrap_or_else(|what| panic!("{what}"));
    assert!(count.pairs > 0 && count.doubtful * 10 < count.values, "{count:?}");
    assert!(count.cautious * 10 < count.pairs + 50, "{count:?}");
    if count.pairs >= 1000 {
        let missing: Vec<_> = schedules::DIRECTIVES.iter().filter(|name| !count.directives.contains_key(**name)).collect();
        assert!(missing.is_empty(), "no schedule has {missing:?}");
    }
}

#[test]
fn mistakes_in_algorithms_are_found() {
    for (what, make) in algorithm_plants::PLANTS {
        let seed = with_stack(|| planted::in_algorithms(*make, 0..2000)).unwrap_or_else(|| panic!("nothing differs: {what}"));
        println!("{what}: seed {seed}");
    }
}

/// Says which pair has found which mistake; fails if one was not.
fn all_are_found((found, missing): (Vec<planted::Found>, Vec<String>)) {
    for planted::Found { name, seed, pairs } in found {
        println!("{name}: found within {pairs} pairs, by seed {seed}");
    }
    assert!(missing.is_empty(), "nothing differs: {}", missing.join("; "));
}

#[test]
fn mistakes_in_loops_are_found() {
    all_are_found(with_stack(planted::in_loops));
}

#[test]
fn mistakes_in_code_are_found() {
    if !with_stack(planted::work) {
        all_are_found(planted::in_code("mistakes_in_code_are_found"));
    }
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
        convolution_gradient[H = 4, W = 5, KH = 2, KW = 3], average_pool[H = 6, W = 4], masked_convolution[H = 6, W = 5, K = 3],
        perforated_convolution[H = 5, W = 4, KH = 2, KW = 3], sparse_convolution;
    "networks.tc": lut1[E1 = 4], lut2[E1 = 3, E2 = 2], c3, mlp1, mlp3, softmax, concat, wavenet1[DILATION_FACTOR = 2];
    "statistics.tc": moments, group_normalization[D = 2, H = 2, W = 3], layernorm, batchnorm, argmin, min_distance;
}

#[test]
fn a_reduction_that_is_one_too_long_is_found() {
    let sizes = [("N", 4), ("K", 3)].into();
    assert!(with_stack(|| kernels::compare("statistics.tc", "moments", &sizes, 0, -1)).is_err(), "nothing differs");
}

/// With panels that threads share or whose rows they do, at the sizes of tiles and beside them, without anything to reduce, and with columns that are fewer than a
/// vector has lanes.
const PRODUCTS: [tiles::Sizes; 17] = [
    [50, 37, 1300],
    [12, 16, 9],
    [13, 17, 1],
    [24, 32, 5],
    [25, 33, 0],
    [5, 70, 8],
    [70, 5, 8],
    [1, 1, 3],
    [0, 20, 4],
    [8, 5, 7],
    [9, 3, 40],
    [17, 9, 6],
    [16, 26, 3],
    [600, 7, 520],
    [49, 600, 80],
    [30, 70, 1100],
    [26, 1030, 85],
];

#[test]
fn products_in_tiles_are_sums_however_they_are_written() {
    for (form, width) in tiles::forms().zip([4, 8, 16].into_iter().cycle()) {
        with_stack(|| tiles::compare(form, width, &PRODUCTS, 0)).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn a_product_that_is_one_more_is_found() {
    let form = tiles::forms().next().expect("a form");
    assert!(with_stack(|| tiles::compare(form, 8, &PRODUCTS, 1)).is_err(), "nothing differs");
}
