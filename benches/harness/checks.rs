//! The cases of the group `checks`: kernels and applications with `--check` against the same without.

use super::Tolerance;
use super::applications::{Application, application};
use super::buffer::Buffer;
use super::cases::{Kernels, numbers, wide};
use super::program::{Argument, Program};
use super::{Case, Runner, compile, pipelines};
use ivlc::driver::Options;
use ivlc::machine::Isa;
use ivlc::target::FpMode;
use std::cell::RefCell;
use std::rc::Rc;

/// The kernels, each with what it may cost.
const KERNELS: [(&str, &str, Limit); 15] = [
    ("saxpy", "saxpy", Limit::Affine),
    ("three-point blur", "three_point_blur", Limit::Affine),
    ("rows of a picture", "rows", Limit::Affine),
    ("rows of a picture, by `for`", "rows_by_for", Limit::Affine),
    ("view", "view", Limit::Affine),
    ("view, four neighbours", "view_of_neighbours", Limit::Affine),
    ("matrix product", "matrix_product", Limit::Affine),
    ("every second element", "strided", Limit::Affine),
    ("columns of a picture", "column", Limit::Affine),
    ("loop that is left early", "early_exit", Limit::Affine),
    ("`while`, a counter", "while_of_a_counter", Limit::Affine),
    ("gather", "gather", Limit::Gathers),
    ("two gathers", "two_gathers", Limit::Gathers),
    ("scatter", "scatter", Limit::Gathers),
    ("`while` of lanes, gathers", "while_of_lanes", Limit::Gathers),
];

/// What checks may cost.
#[derive(Clone, Copy)]
pub enum Limit {
    /// All accesses are affine in the loops around them.
    Affine,
    /// Indices are data.
    Gathers,
}

impl Limit {
    /// The greatest ratio.
    pub fn ratio(self) -> f64 {
        match self {
            Limit::Affine => 1.05,
            Limit::Gathers => 1.3,
        }
    }
}

/// The C signature of all kernels.
type Kernel = extern "C" fn(f32, *const f32, *const f32, *mut f32, *const i32, i32, i32, i32);

/// What a kernel works on: three arrays and indices.
struct Data {
    a: Buffer<f32>,
    b: Buffer<f32>,
    c: Buffer<f32>,
    at: Buffer<i32>,
}

/// 4096 elements, as 64 × 64.
const SIZE: (usize, i32) = (4096, 64);

impl Data {
    fn new() -> Self {
        let n = SIZE.0;
        // An odd factor makes a permutation of the numbers below a power of two.
        let at: Vec<i32> = (0..n).map(|i| ((i * 1237 + 11) % n) as i32).collect();
        Data {
            a: Buffer::new(0, &numbers(n, 1, 0.25, 1.0)),
            b: Buffer::new(1, &numbers(n, 2, 0.25, 1.0)),
            c: Buffer::new(2, &vec![0.0; n]),
            at: Buffer::new(3, &at),
        }
    }
}

/// A kernel that is called at its addresses in turn. Both sides work on the same memory, which is more than what the first cache
/// holds, so that its place in the second one is the same for both.
fn kernel(name: &str, addresses: &[*const u8], data: &Rc<RefCell<Data>>) -> Runner {
    let (n, w) = SIZE;
    // SAFETY: the kernels of `checks.ivl` have this signature.
    let mut all =
        addresses.iter().map(|&address| unsafe { std::mem::transmute::<*const u8, Kernel>(address) }).collect::<Vec<_>>();
    let (for_run, data) = (Rc::clone(data), Rc::clone(data));
    let run = move || {
        let d = &mut *for_run.borrow_mut();
        all.rotate_left(1);
        all[0](0.5, d.a.as_ptr(), d.b.as_ptr(), d.c.as_mut_ptr(), d.at.as_ptr(), n as i32, w, w)
    };
    // The next side begins with zeros, too.
    let result = move || {
        let c = &mut data.borrow_mut().c;
        let values = wide(c);
        c.fill(0.0);
        values
    };
    Runner { name: name.to_owned(), run: Box::new(run), result: Box::new(result) }
}

/// Each side is compiled so often, to lie at different places: at some a loop of 20 instructions takes a tenth longer than at others.
const PLACES: usize = 4;

/// The kernels on an instruction set.
pub fn kernels(isa: Isa) -> Vec<(Case, Limit)> {
    let sides = [true, false].map(|check| (0..PLACES).map(|others| compile::checks(isa, check, others)).collect::<Vec<_>>());
    let case = |(row, function, limit)| {
        let [with, without] = sides.each_ref().map(|all| all.iter().map(|code| code.address(function)).collect::<Vec<_>>());
        let data = Rc::new(RefCell::new(Data::new()));
        let ours = kernel("checked", &with, &data);
        let peers = vec![kernel("unchecked", &without, &data)];
        (Case { row, isa, size: format!("{} elements", SIZE.0), ours, peers, tolerance: Tolerance::None }, limit)
    };
    // The code stays as long as the program runs.
    let cases = KERNELS.into_iter().map(case).collect();
    std::mem::forget(sides);
    cases
}

fn arguments(all: &Application) -> Vec<&dyn Argument> {
    std::iter::once(&all.output).chain(&all.inputs).map(|data| &**data as &dyn Argument).collect()
}

/// An application on an instruction set, with the schedule that the group `pipelines` measures.
pub fn of_application(name: &'static str, isa: Isa) -> Case {
    let side = |text: &str, check: bool| {
        let all = Rc::new(application(name));
        let schedule = pipelines::schedule(&all, isa).expect("a tuned schedule");
        let options = Options { fp: FpMode::Contract, check, ..Options::new(isa) };
        let program = Program::new(all.file, name, &[], &arguments(&all), options, |s| s == schedule);
        let for_run = Rc::clone(&all);
        Runner {
            name: text.to_owned(),
            run: Box::new(move || program.run(&schedule, &arguments(&for_run))),
            result: Box::new(move || all.output.values()),
        }
    };
    // Where checks stand, LLVM may fuse another addition with a multiplication.
    let Application { size, tolerance, .. } = application(name);
    let size = size.to_owned();
    Case { row: name, isa, size, ours: side("checked", true), peers: vec![side("unchecked", false)], tolerance }
}
