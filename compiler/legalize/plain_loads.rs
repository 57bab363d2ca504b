//! Loads around the caches are loads where the machine has none for their lanes.
//!
//! ```text
//! v = streamingload p, mask m      ──►     v = load p, mask m
//! ```
//! An instruction takes a register of all its lanes. Lanes that are off and short vectors have none.

use crate::optimize::Surroundings;
use crate::vector::ir::*;

/// The shortest register in bytes.
const REGISTER: u64 = 16;

/// Rewrites the loads of a function.
pub fn plain_loads(function: &mut Function, around: Surroundings<'_>) {
    for inst in 0..function.insts.len() {
        if let Op::StreamingLoad { pointer, mask } = function.insts[inst].op {
            let ty = function.ty(function.insts[inst].results[0]);
            let is_long = ty.bytes() >= REGISTER;
            if mask.is_some_and(|mask| !function.has_all_lanes(mask)) || !is_long || !around.machine.has_streaming_loads {
                function.insts[inst].op = Op::Load { pointer, mask };
            }
        }
    }
}
