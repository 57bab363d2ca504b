//! Windows of which the schedule asserts something (§8.5): they widen to what is asserted, and what their readers need must lie
//! inside, which is tested when the pipeline starts.
//!
//! ```text
//! needed [a, b]     bound(x, m, n)        [m, m + n)                          check m ≤ a, b < m + n
//!                   bound_extent(x, n)    [a, a + n)                          check b − a + 1 ≤ n
//!                   align_bounds(x, m, r) [a', a' + ⌈(b + 1 − a') / m⌉ · m)   a' = a − (a − r) mod m
//! ```
//! The needs of a func that is computed in a loop are those of all iterations together, and its greatest extent that of any.

use super::super::expr::{Expr, FuncId, Source, Variable};
use super::super::loops::ir::{Binder, Bound, BoundKind, Nest, OutputWindow, StageName};
use super::super::simplify::{minus, offset, plus, simplify};
use super::accesses::Place;
use super::infer::{Inference, Production};
use super::parts::Part;
use crate::typed::ir::{BinaryOp, CompareOp};
use crate::types::Element;

/// What is needed of a window that something is asserted of, known before any work is done.
#[derive(Clone, Debug)]
pub struct Need {
    /// Of `bound` the least and the greatest coordinate, of `bound_extent` the greatest extent.
    pub variables: Vec<Variable>,
    /// Who reads the func, and where.
    pub readers: Vec<String>,
}

/// New variables for what is needed, by assertion.
pub(super) fn needs(nest: &mut Nest) -> Vec<Need> {
    let mut all = Vec::new();
    for bound in nest.bounds.clone() {
        let func = nest.pipeline.func(bound.func);
        let name = format!("{}.needed.{}", func.name, nest.pipeline.variable(func.variables[bound.dimension]).name);
        let ends: &[&str] = match bound.kind {
            BoundKind::Window { .. } => &["low", "high"],
            BoundKind::Extent(_) => &["extent"],
            BoundKind::Aligned { .. } => &[],
        };
        let variables = ends.iter().map(|end| nest.new_variable(&format!("{name}.{end}"), Binder::Let)).collect();
        all.push(Need { variables, readers: Vec::new() });
    }
    all
}

impl Inference<'_> {
    /// Defines what is needed of a func that something is asserted of, by what its readers need of it wherever it is produced.
    pub fn need(&self, id: FuncId, productions: &[Production], output: Option<&OutputWindow>) {
        let span = self.pipeline.func(id).span;
        for (bound, need) in self.nest.bounds.iter().zip(self.needs).filter(|(bound, _)| bound.func == id) {
            match (&bound.kind, &need.variables[..]) {
                (BoundKind::Window { .. }, &[low, high]) => {
                    let (least, greatest) = self.ends(&self.needed(None, id, output), bound.dimension, span);
                    self.define(None, low, least);
                    self.define(None, high, greatest);
                }
                (BoundKind::Extent(_), &[extent]) => {
                    let zero = Expr::int(0, span);
                    let mut all = Vec::new();
                    for Production { block, parts, .. } in productions {
                        let (least, greatest) = self.ends(parts, bound.dimension, span);
                        let length = offset(&minus(&greatest, &least), 1);
                        let way = self.way(None, *block, id).expect("a func is produced in the nest");
                        match self.seen_in(&self.scope_of(way), None, &Part::always(vec![(zero.clone(), length)])) {
                            Ok(part) => all.push(part),
                            Err(_) => {
                                let reader = StageName { func: id, case: 0, stage: 0 };
                                let place = Place { source: Source::Func(id, 0), reader, span: bound.span, block: None };
                                let variable = self.pipeline.func(id).variables[bound.dimension];
                                let index = Expr::variable(variable, Element::Int32, bound.span);
                                self.is_unbounded(place, bound.dimension, &index);
                            }
                        }
                    }
                    let (_, greatest) = self.ends(&all, 0, span);
                    self.define(None, extent, greatest);
                }
                (BoundKind::Aligned { .. }, _) => {}
                (BoundKind::Window { .. } | BoundKind::Extent(_), _) => unreachable!("as `needs` makes them"),
            }
        }
    }

    /// Who reads what something is asserted of, by assertion.
    pub fn readers_of_needs(&self) -> Vec<Vec<String>> {
        let readers = |bound: &Bound| {
            let accesses = self.accesses(None, Source::Func(bound.func, 0));
            let reads: Vec<_> = accesses.into_iter().filter(|a| a.place.reader.func != bound.func).collect();
            self.descriptions(&reads, self.pipeline.func(bound.func).variables.len()).swap_remove(bound.dimension)
        };
        self.nest.bounds.iter().map(readers).collect()
    }

    /// The window of the last stage of a func of which something is asserted.
    pub fn asserted(&self, id: FuncId, dimension: usize, needed: (Expr, Expr), is_certain: bool) -> (Expr, Expr) {
        let bound = self.nest.bounds.iter().find(|bound| bound.func == id && bound.dimension == dimension);
        let bound = bound.expect("something is asserted");
        let (min, length) = match bound.kind {
            // Where it begins says where it ends. It is enough for all iterations if it begins where the first one would: what is
            // needed in a later one is a part of that.
            BoundKind::Extent(_) => (self.at_first(&needed.0), self.at_first(&needed.1)),
            BoundKind::Window { .. } | BoundKind::Aligned { .. } => needed,
        };
        // A window derived from an empty one is empty.
        let zero = Expr::int(0, length.span());
        let is_empty = Expr::compare(CompareOp::LessEqual, length.clone(), zero.clone());
        let unless_empty = |e: Expr| if is_certain { e } else { simplify(&Expr::conditional(is_empty.clone(), zero.clone(), e)) };
        match &bound.kind {
            BoundKind::Window { min, length } => (min.clone(), length.clone()),
            // It has this extent even if nothing is needed; then it begins at 0.
            BoundKind::Extent(extent) => (unless_empty(min), extent.clone()),
            BoundKind::Aligned { modulus, remainder } => {
                let binary = |op, a: &Expr, b: &Expr| simplify(&Expr::binary(op, a.clone(), b.clone()));
                let low = minus(&min, &binary(BinaryOp::Remainder, &minus(&min, remainder), modulus));
                let rest = minus(&plus(&min, &length), &low);
                let blocks = binary(BinaryOp::Divide, &plus(&rest, &offset(modulus, -1)), modulus);
                let rounded = binary(BinaryOp::Multiply, &blocks, modulus);
                (low, unless_empty(rounded))
            }
        }
    }
}
