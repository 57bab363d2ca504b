//! Outputs that begin at 0, which the automatic schedule has a version for where indices are rounded to blocks.
//!
//! ```text
//! out(x, y) = in(x | 3, y);        where out.stride(x) == 1 && out.min(x) == 0 lanes begin at a multiple of their number: four of them read one pixel
//! ```
//! Pictures begin at 0 nearly always. Where a window begins anywhere, which lanes share a pixel is known when the work runs.

use super::super::algorithm::{Notation, Pipeline};
use super::super::expr::{Expr, ExprKind};
use super::super::loops::ir::Nest;
use super::super::simplify::constant_value;
use super::channels::{and, equal};
use crate::typed::ir::BinaryOp;

/// The condition of the version, if there is to be one.
pub fn at_origin(nest: &Nest) -> Option<Expr> {
    let pipeline = &nest.pipeline;
    if pipeline.notation != Notation::Pipeline || !rounds(pipeline) {
        return None;
    }
    let requests = nest.requests.iter().filter(|it| !it.window.is_empty() && pipeline.overwritten_by(it.func).is_none());
    let conditions = requests.flat_map(|it| [equal(nest, it.strides[0], 1), equal(nest, it.window[0][0], 0)]);
    conditions.reduce(|a, b| and(pipeline, a, b))
}

/// Is an index in dimension 0 rounded to a block of some power of two?
fn rounds(pipeline: &Pipeline) -> bool {
    let is_rounded = |e: &Expr| {
        let ExprKind::Binary(op, _, b) = e.kind() else { return false };
        let Some(n) = constant_value(b) else { return false };
        let is_set = *op == BinaryOp::BitOr && n > 0 && (n as u64 + 1).is_power_of_two();
        let is_cleared = *op == BinaryOp::BitAnd && n < 0 && n.unsigned_abs().is_power_of_two();
        // Halves are neighbours wherever they begin.
        is_set || is_cleared || *op == BinaryOp::Divide && n > 2 && (n as u64).is_power_of_two()
    };
    let mut found = false;
    for (_, func) in pipeline.numbered_funcs() {
        func.reads(&mut |_, indices, _| {
            found |= indices.first().is_some_and(|index| !index.reads_or_calls() && index.any(&is_rounded));
        });
    }
    found
}
