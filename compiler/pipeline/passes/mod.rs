//! Passes over completed nests: what an optimisation does to loops stands in a nest, where it is verified and interpreted, before
//! any of it is code.
//!
//! ```text
//! bounds ─fill─► nest ─propagate─► nest ─empty─► nest ─widen─► nest ─share─► nest ─foreach─► nest ─tails─► nest
//! ─unroll─► nest ─partition─► nest ─whole─► nest ─lanes─► nest ─combine─► nest
//! ─threads─► nest ─invariants─► nest ─► lower, emit
//! ```
//! They begin with a nest in which each block has the definitions of its windows, behind the start checks (`bounds::fill`), in as
//! many versions as there are conditions on the strides of inputs (`strides`).
//!
//! * `propagate`: windows that are numbers, or at a distance from others.
//! * `empty`: loops of no iteration, and funcs that nobody reads.
//! * `widen`: the windows of the root block and the start checks in 64 bits.
//! * `shared`: what these have in common.
//! * `foreach`: vector loops as loops over blocks of lanes.
//! * `tails`: loops without guards, and their last iterations with them.
//! * `unroll`: unrolled loops as their iterations, and loops of one.
//! * `partition`: vector loops in parts, of which the middle one needs no clamps.
//! * `whole`: blocks without a tail, counted from 0.
//! * `lanes`: elements and loops that the lanes have each for itself.
//! * `combine`: updates of one element by several lanes or threads.
//! * `threads`: parallel loops of one iteration where threads are not worth it.
//! * `invariants`: what takes long and is the same in all iterations.

pub mod combine;
mod conditions;
pub mod empty;
pub mod foreach;
pub mod invariants;
pub mod lanes;
pub mod partition;
pub mod propagate;
pub mod shared;
pub mod strides;
pub mod tails;
pub mod threads;
pub mod unroll;
pub mod whole;
pub mod widen;

use super::bounds::fill;
use super::bounds::infer::Windows;
use super::loops::ir::{Nest, Statement};
use super::loops::verify::{Progress, keeps_invariants};
use strides::Version;

/// Changes a nest; what the loops do stays the same.
type Pass = fn(&mut Nest);

/// The passes in their order, with their names.
const PASSES: [(&str, Pass); 13] = [
    ("propagate", propagate::propagate),
    ("empty", empty::empty),
    ("widen", widen::widen),
    ("share", shared::share),
    ("foreach", foreach::foreach),
    ("tails", tails::tails),
    ("unroll", unroll::unroll),
    ("partition", partition::partition),
    ("whole", whole::whole),
    ("lanes", lanes::lanes),
    ("combine", combine::combine),
    ("threads", threads::threads),
    ("invariants", invariants::hoist),
];

/// The loops of a completed schedule as they are compiled, behind all start checks.
pub fn run(windows: &Windows) -> Nest {
    version(windows, &Version::default())
}

/// The same, in a version for some strides.
pub fn version(windows: &Windows, version: &Version) -> Nest {
    let mut nest = fill::completed(windows);
    strides::assume(&mut nest, version);
    keeps_invariants(&nest, Progress::Completed, "strides");
    stepwise(nest, &mut |_, _| {})
}

/// What stands in front of the work of a schedule, as it is compiled: the work is not.
pub fn start(windows: &Windows) -> Nest {
    let mut nest = fill::completed(windows);
    propagate::propagate(&mut nest);
    widen::widen(&mut nest);
    shared::share(&mut nest);
    nest
}

/// A nest behind all passes, with a look at what each of them leaves, and by its name which it was.
pub fn stepwise(mut nest: Nest, look: &mut dyn FnMut(&str, &Nest)) -> Nest {
    for (name, pass) in PASSES {
        pass(&mut nest);
        keeps_invariants(&nest, Progress::Completed, name);
        look(name, &nest);
    }
    nest
}

/// Replaces each statement of a nest by what a function makes of it, the innermost first.
fn rewrite(nest: &mut Nest, change: &mut dyn FnMut(&mut Nest, Statement) -> Statement) {
    let body = std::mem::replace(&mut nest.body, Statement::Nop);
    nest.body = rewritten(nest, body, change);
}

fn rewritten(nest: &mut Nest, s: Statement, change: &mut dyn FnMut(&mut Nest, Statement) -> Statement) -> Statement {
    let s = s.mapped(|child| rewritten(nest, child, change));
    change(nest, s)
}
