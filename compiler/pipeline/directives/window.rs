//! `bound`, `bound_extent`, `align_bounds` (§8.5): assertions about the compute window of a func in a dimension.
//!
//! ```text
//! for c in ?cpu f_c  ─bound(c, 0, 3)─►  for c in [0, +3)        where (?cpu f_c) = (0, 3) is asserted
//! ```
//! The window widens to what is asserted, and everything that is needed of the func must lie inside: a start check. The loops
//! have the asserted window at once, so that later directives find constant extents.

use super::super::expr::{Expr, ExprKind, FuncId};
use super::super::loops::ir::{Bound, BoundKind, StageName};
use super::super::loops::lower::compute_window;
use super::super::loops::print;
use super::super::simplify::{constant_value, simplify};
use super::parse::Directive;
use super::state::Scheduler;
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::BinaryOp;

impl Scheduler<'_> {
    /// `bound(x, lo, n)`
    pub fn bound(&mut self, func: FuncId, it: &Directive<'_>) -> Option<()> {
        let dimension = self.unbounded_dimension(func, it)?;
        let [min, n] = it.numbers();
        let min = self.startup(min)?;
        let length = self.extent(n)?;
        self.assert_bound(func, dimension, BoundKind::Window { min, length }, it.name, it.span)
    }

    /// `bound_extent(x, n)`
    pub fn bound_extent(&mut self, func: FuncId, it: &Directive<'_>) -> Option<()> {
        let dimension = self.unbounded_dimension(func, it)?;
        let length = self.extent(it.others[0])?;
        self.assert_bound(func, dimension, BoundKind::Extent(length), it.name, it.span)
    }

    /// `align_bounds(x, m[, r])`
    pub fn align_bounds(&mut self, func: FuncId, it: &Directive<'_>) -> Option<()> {
        let dimension = self.unbounded_dimension(func, it)?;
        let modulus = simplify(&self.startup(it.others[0])?);
        if let Some(n) = constant_value(&modulus).filter(|n| *n < 1) {
            return self.refuse(it.others[0].span, format!("a window is aligned to a modulus of at least 1, not {n}"));
        }
        let remainder = match it.others.get(1) {
            Some(e) => simplify(&self.startup(e)?),
            None => Expr::int(0, it.span),
        };
        self.assert_bound(func, dimension, BoundKind::Aligned { modulus, remainder }, it.name, it.span)
    }

    /// A dimension of a func, by the name of its variable, of which nothing is asserted yet.
    fn unbounded_dimension(&mut self, func: FuncId, it: &Directive<'_>) -> Option<usize> {
        let name = it.names[0];
        let dimension = self.dimension(func, name)?;
        let known = self.nest.bounds.iter().find(|bound| bound.func == func && bound.dimension == dimension);
        if let Some(known) = known {
            let func = &self.nest.pipeline.func(func).name;
            let message = format!("dimension `{}` of `{func}` has `{}` already", name.text, known.text);
            return self.refuse(it.span, message);
        }
        Some(dimension)
    }

    /// A number of coordinates; a constant one is looked at now, another when the pipeline starts.
    fn extent(&mut self, e: &ast::Expr) -> Option<Expr> {
        let made = simplify(&self.startup(e)?);
        if let Some(n) = constant_value(&made).filter(|n| *n < 0) {
            return self.refuse(e.span, format!("a window has an extent of at least 0, not {n}"));
        }
        Some(made)
    }

    /// Records an assertion; the loops over the dimension take the window over.
    pub fn assert_bound(&mut self, func: FuncId, dimension: usize, kind: BoundKind, directive: &str, span: Span) -> Option<()> {
        let pipeline = self.nest.pipeline.clone();
        let definition = pipeline.func(func);
        let variable = definition.variables[dimension];
        let written = |e: &Expr| print::expression(&self.nest, e);
        let numbers: Vec<String> = match &kind {
            BoundKind::Window { min, length } => vec![written(min), written(length)],
            BoundKind::Extent(length) => vec![written(length)],
            BoundKind::Aligned { modulus, remainder } => vec![written(modulus), written(remainder)],
        };
        let text = format!("{directive}({}, {})", pipeline.variable(variable).name, numbers.join(", "));
        self.nest.bounds.push(Bound { func, dimension, kind, text, span });
        for name in self.stages_of(func) {
            let mut chain = self.nest.chain(name);
            for l in chain.loops.iter_mut().filter(|l| l.variable == variable) {
                [l.min, l.length] = compute_window(&self.nest, name, dimension);
            }
            self.nest.set_chain(name, &chain);
        }
        Some(())
    }

    /// How many blocks of n a loop has, if it is known that nothing is left.
    pub fn whole_blocks(&self, n: &Expr, length: &Expr) -> Option<Expr> {
        let aligned = |v| {
            self.nest.bounds.iter().find_map(|bound| {
                let BoundKind::Aligned { modulus, .. } = &bound.kind else { return None };
                let last = self.nest.pipeline.func(bound.func).stages.len() - 1;
                let name = StageName { func: bound.func, case: 0, stage: last };
                let [_, hole] = compute_window(&self.nest, name, bound.dimension);
                let is_it = matches!(hole.kind(), ExprKind::Variable(known) if *known == v);
                // Some multiple of the modulus.
                is_it.then(|| Expr::binary(BinaryOp::Multiply, hole.clone(), modulus.clone()))
            })
        };
        let rest = Expr::binary(BinaryOp::Remainder, length.substitute(&aligned), n.clone());
        if simplify(length).is_same(n) {
            // n is at least 1, where the pipeline starts.
            return Some(Expr::int(1, n.span()));
        }
        let is_whole = constant_value(&simplify(&rest)) == Some(0);
        is_whole.then(|| simplify(&Expr::binary(BinaryOp::Divide, length.clone(), n.clone())))
    }
}
