//! Vector IR to vector IR: what LLVM cannot know, since it has no idea of masks, lanes and index rules.
//!
//! One pass a file, one public function of that name; each pass keeps the invariants of `vector::ir`. In their order:
//!
//! * [`memory_access`]: regular gathers and scatters → loads and stores.
//! * [`lane_loads`]: a lane of a load is a load of that lane.
//! * [`common_values`]: what is computed already is not computed again, so that equal addresses are the same value.
//! * [`merge_stores`]: stores of both branches to the same place → one store of a select.
//! * [`mask_algebra`]: masks that say the same are one mask, those that are all on are none.
//! * [`demanded_lanes`]: a lane that nobody looks at need not keep its old value.
//! * [`dead_code`]: what nobody looks at is not computed.
//!
//! [`logic`] is what they know of masks.

mod common_values;
mod dead_code;
mod demanded_lanes;
mod lane_loads;
pub mod logic;
mod mask_algebra;
mod memory_access;
mod merge_stores;

pub use common_values::common_values;
pub use dead_code::dead_code;
pub use demanded_lanes::demanded_lanes;
pub use lane_loads::lane_loads;
pub use mask_algebra::mask_algebra;
pub use memory_access::memory_access;
pub use merge_stores::merge_stores;

use crate::vector::ir;

/// A pass over one function.
pub type Pass = fn(&mut ir::Function);

/// All passes with their names, in the order in which they run.
pub const PASSES: &[(&str, Pass)] = &[
    ("memory_access", memory_access),
    ("lane_loads", lane_loads),
    ("common_values", common_values),
    ("merge_stores", merge_stores),
    ("mask_algebra", mask_algebra),
    ("demanded_lanes", demanded_lanes),
    ("dead_code", dead_code),
];

/// Runs all passes on every function.
pub fn optimize(module: &mut ir::Module) {
    for function in module.functions.iter_mut().filter(|function| !function.blocks.is_empty()) {
        for (_, pass) in PASSES {
            pass(function);
        }
    }
}
