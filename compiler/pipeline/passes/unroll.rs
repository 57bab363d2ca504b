//! Unrolled loops as their iterations, where these are few and counted; other loops of one iteration as that.
//!
//! ```text
//! unrolled for i in [a, +2)               let i = a in s
//!   s                            ──►      let i = a + 1 in s
//! for j in [b, +1)                        let j = b in t
//!   t
//! ```
//! A loop of more iterations, or of a number that is known later, runs as the others do.

use super::super::loops::ir::{Nest, Order, Statement};
use super::super::simplify::{constant_value, offset, simplify};
use super::rewrite;

/// A loop of more iterations is not unrolled.
const MOST: i64 = 64;

/// Writes out the iterations of unrolled loops.
pub fn unroll(nest: &mut Nest) {
    rewrite(nest, &mut |_, s| {
        let Statement::For(l) = &s else { return s };
        let is_written = |count: &i64| *count == 1 || (l.order == Order::Unrolled && *count <= MOST);
        let count = constant_value(&simplify(&l.length)).filter(is_written);
        let Some(count) = count else { return s };
        let iteration = |k| Statement::Let(l.variable, offset(&l.min, k), Box::new(l.body.clone()));
        Statement::Sequence((0..count).map(iteration).collect())
    });
}
