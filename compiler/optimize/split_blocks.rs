//! Rounds over blocks in which all lanes have one answer to questions about the loop's counter are a loop without them.
//!
//! ```text
//! block1(b):                                     block1(b):
//!     branch b < n, block2, out                      branch b < limit, block2, block8
//! block2:                                        …
//!     m = compare.slt (ramp b, 1), 1       ──►   block9(j):
//!     p = select m, 1 − ramp b, ramp b − 1           branch j < hi, block10, block7(j, n)
//!     … gather a[p]                              block10:
//!     jump block1(b + 8)                             … gather a[ramp j − 1]
//! ```
//! It is what [`super::split_loops`] does to loops over numbers, before gathers become loads.

use super::split_loops::split;
use crate::vector::ir::Function;

/// Splits loops in which there are lanes.
pub fn split_blocks(function: &mut Function) {
    split(function, true);
}
