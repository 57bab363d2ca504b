//! Stage legalize: vector IR to vector IR of what the machine has. What it has no instruction for becomes what it has one for, so that `llvm`
//! has nothing to decide.
//!
//! One pass a file, as in [`optimize`](crate::optimize), whose tools they use; each asks the [`Machine`]. They run at every level, since `llvm` relies
//! on them. In their order:
//!
//! * [`strided_loads`]: lanes at a constant distance → loads and shuffles, or gathers.
//! * [`paired_gathers`]: two gathers of neighbours → one of pairs.
//! * [`narrow_gathers`]: gathers of narrow elements → words around them.
//! * [`product_sums`]: sums of four products → sums of two.
//! * [`expansions`]: lanes taken apart under a mask → look-ups.
//! * [`scalings`]: products with powers of two → two products.
//! * [`float16`]: conversions of binary16 → integers.
//! * [`plain_loads`]: loads around the caches → loads.
//! * [`single_lanes`]: gathers and scatters that are no instructions → lane by lane.
//! * [`shared_loads`]: many loads of first lanes that take branches → calls of one function.
//!
//! What only pays with what comes behind it in `optimize` has its decisions there: `interleaved_loads`, `interleaved_stores` and
//! `table_look_ups` ask the machine, too, but loops are unrolled and jammed by what they made.

mod expansions;
mod float16;
mod narrow_gathers;
mod paired_gathers;
mod plain_loads;
mod product_sums;
mod scalings;
mod shared_loads;
mod single_lanes;
mod strided_loads;

pub use expansions::expansions;
pub use float16::float16;
pub use narrow_gathers::narrow_gathers;
pub use paired_gathers::paired_gathers;
pub use plain_loads::plain_loads;
pub use product_sums::product_sums;
pub use scalings::scalings;
pub use shared_loads::shared_loads;
pub use single_lanes::single_lanes;
pub use strided_loads::strided_loads;

use crate::machine::Machine;
use crate::optimize::Pass;
use crate::vector::ir;

/// All passes with their names, in the order in which they run.
pub const PASSES: &[(&str, Pass)] = &[
    ("strided_loads", Pass::Machine(strided_loads)),
    ("paired_gathers", Pass::Machine(paired_gathers)),
    ("narrow_gathers", Pass::Machine(narrow_gathers)),
    ("product_sums", Pass::Machine(product_sums)),
    ("expansions", Pass::Machine(expansions)),
    ("scalings", Pass::Machine(scalings)),
    ("float16", Pass::Machine(float16)),
    ("plain_loads", Pass::Machine(plain_loads)),
    ("single_lanes", Pass::Machine(single_lanes)),
    ("shared_loads", Pass::MachineModule(shared_loads)),
];

/// Runs all passes.
pub fn legalize(module: &mut ir::Module, machine: &Machine) {
    for (_, pass) in PASSES {
        pass.run(module, machine);
    }
}
