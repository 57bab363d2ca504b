//! Loops of no iteration, and funcs that nobody reads behind that, are nothing.
//!
//! ```text
//! allocate g                                      label f: …
//! label g: for y in [a, +0) …              ──►
//! label f: …; for r in [2, +0): … g(x, r) …
//! ```
//! The window of what is read in no iteration is empty wherever it stands. Its definition stays: it is what `required` says.

use super::super::loops::ir::{Nest, Statement};
use super::super::loops::prune::prune;
use super::super::simplify::{constant_value, simplify};
use super::rewrite;

/// Takes out what never runs.
pub fn empty(nest: &mut Nest) {
    let mut is_changed = false;
    rewrite(nest, &mut |_, s| {
        let never_runs = matches!(&s, Statement::For(l) if constant_value(&simplify(&l.length)).is_some_and(|n| n <= 0));
        is_changed |= never_runs;
        if never_runs || is_nothing(&s) { Statement::Nop } else { s }
    });
    if is_changed {
        *nest = prune(nest);
    }
}

/// Has a statement nothing in it, where those in it that have nothing are `Nop`s? What computes a func says so still.
fn is_nothing(s: &Statement) -> bool {
    let is_empty = || s.children().into_iter().all(|child| matches!(child, Statement::Nop));
    match s {
        Statement::Nop | Statement::Sequence(_) | Statement::For(_) | Statement::If(..) => is_empty(),
        Statement::Let(..) | Statement::Slide(..) | Statement::Stage(..) => is_empty(),
        Statement::Assert(_) | Statement::Allocate(..) | Statement::Advance(..) => false,
        Statement::Store(_) | Statement::Accumulate(_) | Statement::Produce(..) => false,
        Statement::Either(..) | Statement::Foreach(_) | Statement::Greatest(..) => false,
    }
}
