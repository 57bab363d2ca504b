//! Indices of which something is known at the points of a definition, where loops may go beyond these.
//!
//! ```text
//! t[i] = p[w[i]]     w[i] in [0, N) was looked at, for i in [0, 3)
//!                    ─bound(i, 0, 6)─►     t[i] = p[max(0, min(w[i], N - 1))]
//! ```
//! What is looked at in front of the work (T19 of the design), and the word of `unchecked`, is about the points of the statement. A schedule that rounds
//! up, asserts windows or makes partial results may compute others, whose values nobody uses; they may not read outside. At the points of the
//! statement the index is what it was.

use super::super::expr::{Expr, ExprKind, Known};
use super::ir::{Nest, Statement, Store};
use crate::typed::ir::LaneOp;

/// The nest with such indices held inside.
pub fn hold_inside(nest: &Nest) -> Nest {
    Nest { body: in_statement(&nest.body), ..nest.clone() }
}

fn in_statement(s: &Statement) -> Statement {
    let mut made = s.with_children(in_statement);
    if let Statement::Store(Store { indices, values, .. }) = &mut made {
        indices.iter_mut().chain(values).for_each(|e| *e = held(e));
    }
    made
}

fn held(e: &Expr) -> Expr {
    let e = e.with_children(held);
    let ExprKind::Within(index, low, high, known) = e.kind() else { return e };
    // What is proven of loops alone holds wherever these go.
    let is_of_values = index.any(&|part| matches!(part.kind(), ExprKind::Read(..)));
    if *known == Known::Proven && !is_of_values {
        return e;
    }
    let below = Expr::builtin(LaneOp::Min, vec![index.clone(), high.clone()]);
    Expr::builtin(LaneOp::Max, vec![low.clone(), below])
}
