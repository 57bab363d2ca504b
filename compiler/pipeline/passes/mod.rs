//! Passes over completed nests: what an optimisation does to loops stands in a nest, where it is verified and interpreted, before
//! any of it is code.
//!
//! ```text
//! bounds ─fill─► nest ─widen─► nest ─foreach─► nest ─unroll─► nest ─partition─► nest ─whole─► nest ─lanes─► nest
//! ─combine─► nest ─► text
//! ```
//! They begin with a nest in which each block has the definitions of its windows, behind the start checks (`bounds::fill`).
//!
//! * `widen`: the windows of the root block and the start checks in 64 bits.
//! * `foreach`: vector loops as loops over blocks of lanes.
//! * `unroll`: unrolled loops as their iterations.
//! * `partition`: vector loops in parts, of which the middle one needs no clamps.
//! * `whole`: blocks without a tail, counted from 0.
//! * `lanes`: elements and loops that the lanes have each for itself.
//! * `combine`: updates of one element by several lanes or threads.

pub mod combine;
pub mod foreach;
pub mod lanes;
pub mod partition;
pub mod unroll;
pub mod whole;
pub mod widen;

use super::bounds::checks::{output_checks, start_checks};
use super::bounds::fill;
use super::bounds::infer::Windows;
use super::keeps_invariants;
use super::loops::check::Check;
use super::loops::ir::{Nest, Statement};
use super::loops::verify::Progress;

/// Changes a nest; what the loops do stays the same.
type Pass = fn(&mut Nest);

/// The passes in their order, with their names.
const PASSES: [(&str, Pass); 7] = [
    ("widen", widen::widen),
    ("foreach", foreach::foreach),
    ("unroll", unroll::unroll),
    ("partition", partition::partition),
    ("whole", whole::whole),
    ("lanes", lanes::lanes),
    ("combine", combine::combine),
];

/// The loops of a completed schedule as they are compiled, behind all start checks.
pub fn run(windows: &Windows) -> Nest {
    let checks: Vec<Check> = start_checks(windows).into_iter().chain(output_checks(windows)).collect();
    stepwise(fill::fill(windows, &checks), &mut |_, _| {})
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

/// The statement with each of those in it replaced by what a function makes of it, the innermost first.
fn rewritten(statement: Statement, change: &mut dyn FnMut(Statement) -> Statement) -> Statement {
    let mut statement = statement;
    for child in statement.children_mut() {
        *child = rewritten(std::mem::replace(child, Statement::Nop), change);
    }
    change(statement)
}
