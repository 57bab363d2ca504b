//! Associative updates in a vector loop, or a parallel loop, over a reduction domain: what they do to one element is combined.
//!
//! ```text
//! foreach r in … by 8                      foreach r in … by 8
//!   f[x] = (f[x] + in[r])          ──►       f[x] +=lanes in[r]
//! parallel for r in …                      parallel for r in …
//!   f[in[r]] = (f[in[r]] + 1)      ──►       f[in[r]] +=atomic 1
//! ```
//! In a vector loop all active lanes take part, those that the guards and the predicate let through: by a reduction where they
//! meet at one element, one after another where they may not. In a parallel loop threads meet at one element as well, and memory
//! is changed in one step.

use super::super::associative::combination;
use super::super::loops::ir::{Accumulate, Nest, Order, StageName, Statement, Store};

/// Combines what lanes and threads do to one element.
pub fn combine(nest: &mut Nest) {
    let mut body = std::mem::replace(&mut nest.body, Statement::Nop);
    statement(nest, &mut body, &Around::default());
    nest.body = body;
}

/// The loops around a statement.
#[derive(Clone, Default)]
struct Around {
    /// Is there a vector loop over a reduction domain?
    combines: bool,
    /// The stages in whose parallel reduction loops this is: several threads update one element.
    shared: Vec<StageName>,
}

fn statement(nest: &Nest, s: &mut Statement, around: &Around) {
    let mut inside = around.clone();
    if let Statement::Store(store) = s {
        if let Some(made) = accumulate(nest, store, around) {
            *s = Statement::Accumulate(Box::new(made));
        }
    } else if let Statement::For(l) = s {
        if l.order == Order::Parallel && !l.is_pure {
            inside.shared.push(l.stage);
        }
    } else if let Statement::Foreach(f) = s {
        inside.combines = !f.is_pure;
        if f.is_parallel && !f.is_pure {
            inside.shared.push(f.stage);
        }
    }
    s.children_mut().into_iter().for_each(|child| statement(nest, child, &inside));
}

/// A store as an update of what lanes or threads share, if they do.
fn accumulate(nest: &Nest, store: &Store, around: &Around) -> Option<Accumulate> {
    let stage = store.stage;
    let (is_over_lanes, is_atomic) = (around.combines && nest.atomic.contains(&stage), around.shared.contains(&stage));
    if !is_over_lanes && !is_atomic {
        return None;
    }
    let (op, value) =
        combination(stage.func, &store.indices, &store.values[0]).expect("an atomic stage is an associative update");
    Some(Accumulate { stage, indices: store.indices.clone(), op, value, is_over_lanes, is_atomic, span: store.span })
}
