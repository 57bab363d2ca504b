//! What a nest looks like from afar: who reads whom, what is produced inside of what, and where.

use super::super::expr::{Expr, ExprKind, FuncId, Variable};
use super::super::loops::ir::{Block, StageName, Statement};
use super::super::loops::lower::compute_window;
use super::infer::Inference;
use super::parts::Part;
use crate::types::Element;
use std::collections::HashMap;

/// The funcs that are produced inside of the loops of each func.
pub fn nested(body: &Statement) -> HashMap<FuncId, Vec<FuncId>> {
    fn walk(statement: &Statement, open: &mut Vec<FuncId>, all: &mut HashMap<FuncId, Vec<FuncId>>) {
        if let Statement::Produce(func, body) = statement {
            open.iter().for_each(|outer| all.entry(*outer).or_default().push(*func));
            open.push(*func);
            walk(body, open, all);
            open.pop();
        } else {
            statement.children().into_iter().for_each(|child| walk(child, open, all));
        }
    }
    let mut all = HashMap::new();
    walk(body, &mut Vec::new(), &mut all);
    all
}

/// The statements of the root block in which each func is produced, by their numbers.
pub fn roots(body: &Statement) -> HashMap<FuncId, Vec<usize>> {
    let mut all: HashMap<FuncId, Vec<usize>> = HashMap::new();
    let Statement::Sequence(list) = body else { return all };
    for (at, statement) in list.iter().enumerate() {
        statement.walk(&mut |s| {
            if let Statement::Produce(func, _) = s {
                all.entry(*func).or_default().push(at);
            }
        });
    }
    all
}

/// The blocks in which each func is allocated and produced: one of each, or one for each copy of the func around.
pub fn places(body: &Statement) -> HashMap<FuncId, Places> {
    fn walk(statement: &Statement, block: Block, all: &mut HashMap<FuncId, Places>) {
        let mut inside = block;
        if let Statement::For(l) = statement {
            inside = Some((l.stage, l.variable));
        } else if let Statement::Allocate(func, _) = statement {
            all.entry(*func).or_default().allocations.push(block);
        } else if let Statement::Produce(func, _) = statement {
            all.entry(*func).or_default().productions.push(block);
        }
        statement.children().into_iter().for_each(|child| walk(child, inside, all));
    }
    let mut all = HashMap::new();
    walk(body, None, &mut all);
    all
}

/// Where a func is allocated and produced.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Blocks of its allocations.
    pub allocations: Vec<Block>,
    /// Blocks of its productions.
    pub productions: Vec<Block>,
}

impl Inference<'_> {
    /// The window of the pure stage where a func is produced, as all iterations from an outer block on see it.
    pub fn first_window_from(&self, outer: Block, production: Block, id: FuncId) -> Option<Part> {
        let (window, unpassed) = self.first_window(production, id);
        self.seen_from(outer, production, id, (&window, &unpassed))
    }

    /// Reports that nothing bounds the windows from outside of their loops, if the func is produced there at all: no memory is large enough.
    pub fn memory_is_unbounded(&self, outer: Block, production: Block, id: FuncId) {
        let (window, unpassed) = self.first_window(production, id);
        let seen = |part: &[(Expr, Expr)]| self.seen_from(outer, production, id, (part, &unpassed));
        let accesses = self.accesses(outer, id);
        if let (Some(_), Some(access)) = (seen(&[]), accesses.first()) {
            for d in (0..window.len()).filter(|&d| seen(&window[d..=d]).is_none()) {
                self.is_unbounded(access.place, d, &access.indices[d]);
            }
        }
    }

    /// The same from the root block, in terms of the windows there.
    pub fn first_window_by_name(&self, production: Block, id: FuncId) -> Option<Part> {
        let (window, unpassed) = self.first_window(production, id);
        let scope = self.scope_of(self.producing(None, [id]), None, (production, id))?;
        self.seen_in(&scope, None, (&window, &unpassed))
    }

    /// Its ends by dimension, and the loops around of which some iterations pass no guard.
    fn first_window(&self, production: Block, id: FuncId) -> (Vec<(Expr, Expr)>, Vec<Variable>) {
        let first = StageName { func: id, case: 0, stage: 0 };
        let Part { unpassed, ends: mut window, .. } = self.window_of(first);
        for (d, (_, high)) in window.iter_mut().enumerate() {
            let [_, length] = compute_window(self.nest, first, d);
            if let ExprKind::Variable(v) = length.kind()
                && self.highs.borrow().contains_key(&(production, *v))
            {
                *high = Expr::variable(self.names_of_highs[v], Element::Int32, high.span());
            }
        }
        (window, unpassed)
    }
}
