//! What is computed inside of a vector loop: each lane has its own window, and its own elements.
//!
//! ```text
//! foreach x in … by 8                               foreach x in … by 8
//!   let g_x_min = x − 1                               let g_x_min = x − 1
//!   let g_x_len = in[x]                               let g_x_len = in[x]
//!   allocate g(?mem g_x)                              allocate g(?mem g_x) per lane
//!   for g_x in [g_x_min, +g_x_len)            ──►     let most = greatest g_x_len
//!     g[g_x] = …                                      for k in [0, +most)
//!   f[x] = g[x − 1] + g[x + 1]                          if k < g_x_len
//!                                                         let g_x = g_x_min + k
//!                                                         g[g_x] = …
//!                                                     f[x] = g[x − 1] + g[x + 1]
//! ```
//! Loops start at 0 in all lanes and run as often as the lane with most iterations asks for; the others sit out the rest. An
//! element of memory that each lane has for itself is at its distance from the lane's own first coordinate, so that lanes which
//! are at different coordinates meet the same place in the array. What does not depend on the lanes is computed once for all.

use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{Binder, Loop, Nest, Order, Statement, Storage};
use super::super::simplify::plus;
use crate::typed::ir::CompareOp;
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};

/// Gives lanes their own elements, and loops over windows of lanes a common range.
pub fn lanes(nest: &mut Nest) {
    let body = std::mem::replace(&mut nest.body, Statement::Nop);
    let mut lanes = Lanes { nest, is_vector: false, varying: FxHashSet::default(), memory: FxHashMap::default() };
    let body = lanes.statement(body);
    nest.body = body;
}

struct Lanes<'n> {
    nest: &'n mut Nest,
    /// Is this in a vector loop?
    is_vector: bool,
    /// The variables that differ between its lanes.
    varying: FxHashSet<Variable>,
    /// Where the elements of the funcs are that have memory here.
    memory: FxHashMap<FuncId, Storage>,
}

impl Lanes<'_> {
    fn statement(&mut self, s: Statement) -> Statement {
        match s {
            Statement::Foreach(mut f) => {
                let varying = self.varying.clone();
                self.varying.insert(f.variable);
                let around = std::mem::replace(&mut self.is_vector, true);
                f.body = self.statement(f.body);
                (self.is_vector, self.varying) = (around, varying);
                Statement::Foreach(f)
            }
            Statement::Sequence(mut list) => {
                for k in 0..list.len() {
                    list[k] = if let Statement::Allocate(func, _) = list[k] {
                        let has_lanes = self.is_vector && self.has_lanes(func, &list);
                        let storage = if has_lanes { Storage::PerLane } else { Storage::Shared };
                        self.memory.insert(func, storage);
                        Statement::Allocate(func, storage)
                    } else {
                        self.statement(std::mem::replace(&mut list[k], Statement::Nop))
                    };
                }
                Statement::Sequence(list)
            }
            Statement::Let(variable, value, body) => {
                let differs = !self.is_uniform(&value);
                Statement::Let(variable, value, Box::new(self.bound(variable, differs, *body)))
            }
            Statement::For(l) if !self.is_uniform(&l.min) || !self.is_uniform(&l.length) => self.loop_of_lanes(*l),
            Statement::For(mut l) => {
                l.body = self.bound(l.variable, false, l.body);
                Statement::For(l)
            }
            Statement::Nop | Statement::Assert(_) | Statement::Allocate(..) | Statement::Advance(..) => s,
            Statement::Store(_) | Statement::Accumulate(_) => s,
            Statement::If(..) | Statement::Either(..) => s.mapped(|child| self.statement(child)),
            Statement::Produce(..) | Statement::Stage(..) => s.mapped(|child| self.statement(child)),
            Statement::Greatest(..) | Statement::Slide(..) => s.mapped(|child| self.statement(child)),
        }
    }

    /// A statement in which a variable is bound that differs between the lanes, or does not.
    fn bound(&mut self, variable: Variable, differs: bool, body: Statement) -> Statement {
        let around = self.varying.clone();
        if differs {
            self.varying.insert(variable)
        } else {
            self.varying.remove(&variable)
        };
        let body = self.statement(body);
        self.varying = around;
        body
    }

    /// A loop with a range that the lanes have each for itself.
    fn loop_of_lanes(&mut self, l: Loop) -> Statement {
        let span = l.min.span();
        let int = |variable| Expr::variable(variable, Element::Int32, span);
        let is_guarded = !self.is_uniform(&l.length);
        let counter = self.nest.new_variable("k", Binder::Loop);
        let most = is_guarded.then(|| self.nest.new_variable("most", Binder::Let));
        let body = self.bound(l.variable, true, l.body);
        let mut body = Statement::Let(l.variable, plus(&l.min, &int(counter)), Box::new(body));
        if is_guarded {
            let is_inside = Expr::compare(CompareOp::Less, int(counter), l.length.clone());
            body = Statement::If(is_inside, Box::new(body));
        }
        let (min, count) = (Expr::int(0, span), most.map_or(l.length.clone(), int));
        let made = Statement::For(Box::new(Loop { variable: counter, order: Order::Serial, min, length: count, body, ..l }));
        match most {
            Some(most) => Statement::Greatest(most, l.length, Box::new(made)),
            None => made,
        }
    }

    /// Is it the same in all lanes, and a scalar? What a function gives in a vector context is a vector.
    fn is_uniform(&self, e: &Expr) -> bool {
        let is_per_lane = |func: &FuncId| self.memory.get(func) == Some(&Storage::PerLane);
        let is_vector = |part: &Expr| {
            let is_call = matches!(part.kind(), ExprKind::Call(..));
            is_call || matches!(part.kind(), ExprKind::Read(Source::Func(func, _), _) if is_per_lane(func))
        };
        !(e.mentions(&|v| self.varying.contains(&v)) || self.is_vector && e.any(&is_vector))
    }

    /// Has a func that is allocated in a block elements for each lane? It has unless nothing that computes it depends on the
    /// lanes.
    fn has_lanes(&self, func: FuncId, block: &[Statement]) -> bool {
        let mut varying: FxHashSet<Variable> = self.varying.clone();
        // Funcs that are produced inside of the block before, or with this one, are there in an order in which all that an
        // expression mentions was visited; what the lanes make of loops inside is found in the second round.
        for _ in 0..2 {
            for statement in block {
                statement.walk(&mut |s| {
                    let has = |e: &Expr, varying: &FxHashSet<Variable>| e.mentions(&|v| varying.contains(&v));
                    if let Statement::For(l) = s {
                        if has(&l.min, &varying) || has(&l.length, &varying) {
                            varying.insert(l.variable);
                        }
                    } else if let Statement::Let(v, value, _) | Statement::Greatest(v, value, _) = s
                        && (has(value, &varying) || !self.is_uniform(value))
                    {
                        varying.insert(*v);
                    }
                });
            }
        }
        let depends = |e: &Expr| e.mentions(&|v| varying.contains(&v)) || !self.is_uniform(e) || self.reads_later(e, func);
        let is_of_lanes = |s: &Statement| s.expressions().into_iter().any(depends);
        block.iter().any(|s| s.any(&|s| s.produces(func) && s.any(&is_of_lanes)))
    }

    /// Does an expression read funcs that are allocated later than at hand, except one? These may have lanes.
    fn reads_later(&self, e: &Expr, except: FuncId) -> bool {
        let is_later = |id: &FuncId| *id != except && !self.memory.contains_key(id);
        e.any(&|part| matches!(part.kind(), ExprKind::Read(Source::Func(id, _), _) if is_later(id)))
    }
}
