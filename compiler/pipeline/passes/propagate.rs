//! Windows that are numbers, or at a distance from another variable, as such where they are used: copy propagation.
//!
//! ```text
//! let g_u_min = f_u_min - 1                     let g_u_min = f_u_min - 1
//! let g_u_len = 128                             let g_u_len = 128
//! for u in [g_u_min, +g_u_len)           ──►    for u in [f_u_min - 1, +128)
//!   if u < g_u_min + g_u_len …                    if u < f_u_min + 127 …
//! ```
//! Windows are defined by those of what reads them, one after the other: once all are counted from the same variable, the extent of
//! memory for several of them is a number. In the root block this goes for windows and start checks alone, so that loops of
//! funcs that are alike stay alike. The definitions stay, since memory is allocated by the names of its windows. What is
//! computed of windows and ends of loops is simplified in ℤ, where `bounds` found it; what the algorithm computes is not.

use super::super::expr::{Expr, ExprKind, Variable, rebind};
use super::super::loops::check::Check;
use super::super::loops::ir::{Binder, Nest, Statement, Store};
use super::super::simplify::{constant_value, linear, simplify, truth};
use crate::typed::ir::Constant;
use rustc_hash::FxHashMap;

/// Puts what windows are where they are used.
pub fn propagate(nest: &mut Nest) {
    let body = std::mem::replace(&mut nest.body, Statement::Nop);
    let number = |&(v, value): &(Variable, i64)| {
        let kind = ExprKind::Constant(Constant::Int(value as u64));
        (v, Expr::new(kind, nest.element(v), nest.pipeline.span))
    };
    let known = nest.known.iter().map(number).collect();
    nest.body = Windows { nest, known, advanced: Vec::new(), is_root: true }.statement(body);
}

struct Windows<'n> {
    nest: &'n Nest,
    /// What variables are here.
    known: FxHashMap<Variable, Expr>,
    /// The variables that change while they are in scope: nothing is at a distance from them for long.
    advanced: Vec<Variable>,
    /// Is this in no func?
    is_root: bool,
}

impl Windows<'_> {
    fn statement(&mut self, s: Statement) -> Statement {
        match s {
            Statement::Let(variable, value, body) => {
                let is_window = matches!(self.nest.binder(variable), Some(Binder::Hole(_) | Binder::Let));
                let value = if is_window { self.end(&value) } else { self.value(&value) };
                let known = Some(value.clone()).filter(|value| is_window && self.is_distance(value));
                let around = rebind(&mut self.known, variable, known);
                let body = Box::new(self.statement(*body));
                rebind(&mut self.known, variable, around);
                Statement::Let(variable, value, body)
            }
            Statement::For(mut l) => {
                (l.min, l.length) = (self.end(&l.min), self.end(&l.length));
                Statement::For(l).mapped(|body| self.statement(body))
            }
            Statement::Foreach(mut f) => {
                (f.low, f.high) = (self.end(&f.low), self.end(&f.high));
                Statement::Foreach(f).mapped(|body| self.statement(body))
            }
            Statement::If(condition, body) => Statement::If(self.value(&condition), Box::new(self.statement(*body))),
            Statement::Store(store) => {
                let values = |list: &[Expr]| list.iter().map(|e| self.value(e)).collect();
                let (indices, values) = (values(&store.indices), values(&store.values));
                Statement::Store(Store { indices, values, ..store })
            }
            Statement::Produce(func, body) if self.is_root => {
                // Functions for the parts of loops are compiled once where they are alike: not counted from another func each.
                let around = self.known.clone();
                self.known.retain(|_, value| constant_value(value).is_some());
                self.is_root = false;
                let body = Box::new(self.statement(*body));
                (self.is_root, self.known) = (true, around);
                Statement::Produce(func, body)
            }
            Statement::Slide(variable, body) => {
                self.advanced.push(variable);
                Statement::Slide(variable, Box::new(self.statement(*body)))
            }
            Statement::Assert(check) => {
                let condition = self.end(&check.condition);
                match truth(&simplify(&condition)) {
                    Some(true) => Statement::Nop,
                    Some(false) | None => {
                        let numbers = check.numbers.iter().map(|e| self.end(e)).collect();
                        Statement::Assert(Box::new(Check { condition, numbers, ..*check }))
                    }
                }
            }
            Statement::Sequence(list) => {
                let list = list.into_iter().map(|s| self.statement(s));
                Statement::Sequence(list.filter(|s| !matches!(s, Statement::Nop)).collect())
            }
            Statement::Advance(variable, value) => Statement::Advance(variable, self.end(&value)),
            Statement::Nop | Statement::Allocate(..) | Statement::Accumulate(_) => s,
            Statement::Either(..) | Statement::Greatest(..) => s.mapped(|child| self.statement(child)),
            Statement::Produce(..) | Statement::Stage(..) => s.mapped(|child| self.statement(child)),
        }
    }

    /// A number, or that far from a variable?
    fn is_distance(&self, value: &Expr) -> bool {
        let is_variable = |atom: &Expr| matches!(atom.kind(), ExprKind::Variable(v) if !self.advanced.contains(v));
        match &linear(value).terms[..] {
            [] => constant_value(value).is_some(),
            [(atom, 1)] => is_variable(atom),
            _ => false,
        }
    }

    /// What the algorithm computes, with what is known in it.
    fn value(&self, e: &Expr) -> Expr {
        e.substitute(&|v| self.known.get(&v).cloned())
    }

    /// An end of a window or a loop, simplified where something is known in it.
    fn end(&self, e: &Expr) -> Expr {
        let made = self.value(e);
        if made.is_same(e) { made } else { simplify(&made) }
    }
}
