//! Passes over completed nests: what an optimisation does to loops stands in a nest, where it is verified and interpreted, before
//! any of it is code.
//!
//! ```text
//! bounds ─blocks─► nest ─foreach─► nest ─unroll─► nest ─partition─► nest ─whole─► nest ─lanes─► nest
//! ─combine─► nest ─► text
//! ```
//! They begin with a nest in which each block has the definitions of its windows (`bounds::fill`); those of the root block, and the
//! start checks, stand in front of it later.
//!
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

use super::bounds::fill;
use super::bounds::infer::Windows;
use super::keeps_invariants;
use super::loops::ir::{Nest, Statement};
use super::loops::verify::Progress;

/// The passes in their order, with their names.
const PASSES: [(&str, fn(&mut Nest)); 6] = [
    ("foreach", foreach::foreach),
    ("unroll", unroll::unroll),
    ("partition", partition::partition),
    ("whole", whole::whole),
    ("lanes", lanes::lanes),
    ("combine", combine::combine),
];

/// The loops of a completed schedule as they are compiled.
pub fn run(windows: &Windows) -> Nest {
    stepwise(windows, &mut |_, _| {})
}

/// [`run`], with a look at what each pass leaves, and by its name which it was. The first one is `blocks`.
pub fn stepwise(windows: &Windows, look: &mut dyn FnMut(&str, &Nest)) -> Nest {
    let root = windows.definitions.get(&None).map_or(&[][..], |list| list);
    let mut nest = fill::blocks(windows);
    let mut done = |name: &str, nest: &Nest| {
        keeps_invariants(nest, Progress::Completed(root), name);
        look(name, nest);
    };
    done("blocks", &nest);
    for (name, pass) in PASSES {
        pass(&mut nest);
        done(name, &nest);
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
