//! Unrolled loops as their iterations, where these are few and counted; other loops of one iteration as that.
//!
//! ```text
//! unrolled for i in [a, +2)               let i = a in s
//!   s                            ──►      let i = a + 1 in s
//! for j in [b, +1)                        let j = b in t
//!   t
//! ```
//! Of points of an output all values come first, and then the stores, where they are a few: outputs may lie where inputs do, and what is loaded for
//! several points is one load only if nothing is stored in between.
//!
//! ```text
//! unrolled for c in [0, +2)            let c₀ = 0, v₀ = in[x, c₀], c₁ = 1, v₁ = in[x, c₁] in
//!   out[x, c] = in[x, c]        ──►      out[x, c₀] = v₀;  out[x, c₁] = v₁
//! ```
//! A loop of more iterations, or of a number that is known later, runs as the others do.

use super::super::expr::{Expr, Variable};
use super::super::loops::ir::{Binder, Loop, Nest, Order, Statement};
use super::super::simplify::{constant_value, offset, simplify};
use super::rewrite;
use rustc_hash::FxHashMap;

/// A loop of more iterations is not unrolled.
const MOST: i64 = 64;

/// So many values are kept until all are stored.
const MOST_KEPT: i64 = 4;

/// Writes out the iterations of unrolled loops.
pub fn unroll(nest: &mut Nest) {
    rewrite(nest, &mut |nest, s| {
        let Statement::For(l) = &s else { return s };
        let is_written = |count: &i64| *count == 1 || (l.order == Order::Unrolled && *count <= MOST);
        let count = constant_value(&simplify(&l.length)).filter(is_written);
        let Some(count) = count else { return s };
        if let Some(made) = stored_behind(nest, l, count) {
            return made;
        }
        let iteration = |k| Statement::Let(l.variable, offset(&l.min, k), Box::new(l.body.clone()));
        Statement::Sequence((0..count).map(iteration).collect())
    });
}

/// The iterations of a loop that stores points of an output, if they are a few: the stores are behind all values.
fn stored_behind(nest: &mut Nest, l: &Loop, count: i64) -> Option<Statement> {
    let is_output = nest.pipeline.outputs.contains(&l.stage.func);
    if !is_output || l.stage.stage > 0 || !(2..=MOST_KEPT).contains(&count) {
        return None;
    }
    let mut lets = vec![(l.variable, l.min.clone())];
    let mut body = &l.body;
    while let Statement::Let(variable, value, inner) = body {
        lets.push((*variable, value.clone()));
        body = inner;
    }
    let Statement::Store(store) = body else { return None };
    let (mut all, mut stores) = (Vec::new(), Vec::new());
    for k in 0..count {
        let mut own: FxHashMap<Variable, Expr> = FxHashMap::default();
        for (at, (variable, value)) in lets.iter().enumerate() {
            let value = if at == 0 { offset(value, k) } else { value.substitute(&|v| own.get(&v).cloned()) };
            let (name, element, span) = (format!("{}.{k}", nest.name(*variable)), nest.element(*variable), value.span());
            let made = nest.variable_of(&name, element, Binder::Let);
            all.push((made, value));
            own.insert(*variable, Expr::variable(made, element, span));
        }
        let new = |e: &Expr| e.substitute(&|v| own.get(&v).cloned());
        let mut made = store.clone();
        made.indices = store.indices.iter().map(&new).collect();
        for value in &mut made.values {
            let (element, span) = (value.element(), value.span());
            let kept = nest.variable_of(&format!("value.{k}"), element, Binder::Let);
            all.push((kept, new(value)));
            *value = Expr::variable(kept, element, span);
        }
        stores.push(Statement::Store(made));
    }
    Some(Statement::Sequence(stores).behind(all.into_iter()))
}
