//! Windows that are numbers, as numbers where they are used: partial results have a constant window, and so has what is bounded.
//!
//! ```text
//! let g_u_min = 0                               let g_u_min = 0
//! let g_u_len = 128                             let g_u_len = 128
//! for u in [g_u_min, +g_u_len)           ──►    for u in [0, +128)
//!   if g_u_min + u < g_u_len …                    if 0 + u < 128 …
//! ```
//! The definitions stay, since memory is allocated by the names of its windows. What is computed of windows and ends of loops is
//! simplified in ℤ, where `bounds` found it; what the algorithm computes is not.

use super::super::bounds::simplify::{constant_value, simplify};
use super::super::expr::{Expr, Variable};
use super::super::loops::ir::{Binder, Foreach, Loop, Nest, Statement, Store};
use std::collections::HashMap;

/// Puts the numbers of windows where they are used.
pub fn constants(nest: &mut Nest) {
    let body = std::mem::replace(&mut nest.body, Statement::Nop);
    nest.body = Constants { nest, known: HashMap::new() }.statement(body);
}

struct Constants<'n> {
    nest: &'n Nest,
    /// The variables that are numbers here.
    known: HashMap<Variable, Expr>,
}

impl Constants<'_> {
    fn statement(&mut self, s: Statement) -> Statement {
        match s {
            Statement::Let(variable, value, body) => {
                let is_window = matches!(self.nest.binder(variable), Some(Binder::Hole(_) | Binder::Let));
                let value = if is_window { self.end(&value) } else { self.value(&value) };
                let around = match constant_value(&value) {
                    Some(_) if is_window => self.known.insert(variable, value.clone()),
                    Some(_) | None => self.known.remove(&variable),
                };
                let body = Box::new(self.statement(*body));
                match around {
                    Some(number) => self.known.insert(variable, number),
                    None => self.known.remove(&variable),
                };
                Statement::Let(variable, value, body)
            }
            Statement::For(l) => {
                let (min, length) = (self.end(&l.min), self.end(&l.length));
                let l = *l;
                let body = self.statement(l.body);
                Statement::For(Box::new(Loop { min, length, body, ..l }))
            }
            Statement::Foreach(f) => {
                let (low, high) = (self.end(&f.low), self.end(&f.high));
                let f = *f;
                let body = self.statement(f.body);
                Statement::Foreach(Box::new(Foreach { low, high, body, ..f }))
            }
            Statement::If(condition, body) => Statement::If(self.value(&condition), Box::new(self.statement(*body))),
            Statement::Store(store) => {
                let values = |list: &[Expr]| list.iter().map(|e| self.value(e)).collect();
                let (indices, values) = (values(&store.indices), values(&store.values));
                Statement::Store(Store { indices, values, ..store })
            }
            Statement::Advance(variable, value) => Statement::Advance(variable, self.end(&value)),
            other @ (Statement::Nop
            | Statement::Assert(_)
            | Statement::Sequence(_)
            | Statement::Allocate(..)
            | Statement::Accumulate(_)
            | Statement::Either(..)
            | Statement::Greatest(..)
            | Statement::Slide(..)
            | Statement::Produce(..)
            | Statement::Stage(..)) => other.mapped(|child| self.statement(child)),
        }
    }

    /// What the algorithm computes, with the numbers in it.
    fn value(&self, e: &Expr) -> Expr {
        e.substitute(&|v| self.known.get(&v).cloned())
    }

    /// An end of a window or a loop, simplified where there are numbers in it.
    fn end(&self, e: &Expr) -> Expr {
        let made = self.value(e);
        if made.is_same(e) { made } else { simplify(&made) }
    }
}
