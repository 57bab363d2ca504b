//! Names for large ends.
//!
//! ```text
//! f.min = min(e, g.min)             end.0 = e
//! f.len = max(e + 4, 9) - … + 1     f.min = min(end.0, g.min)
//!                               ──► f.len = max(end.0 + 4, 9) - … + 1
//! ```
//! The ends of a window are made of those of the windows around it, each of which may occur many times: without names they
//! would grow by a factor with each of them. So an end that is [`LARGE`] becomes a variable of the block in whose terms it is,
//! defined there in front of what is made of it. To what simplifies expressions it is an atom from then on. Two that differ by a
//! constant have one name, so that their difference stays known.
//!
//! # Invariant
//! The size of the definitions of a block is at most linear in the number of accesses and windows from which they are made.

use super::super::expr::{Expr, Variable};
use super::super::loops::ir::{Binder, Block, LoopVariable};
use super::super::simplify::{Linear, linear, offset};
use super::infer::Inference;
use crate::types::Element;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// From so many parts on an end has a name.
pub(super) const LARGE: u32 = 128;

/// The names of a nest.
#[derive(Default)]
pub(super) struct Names {
    /// The number of the first.
    first: u32,
    /// What they stand for, by number.
    values: RefCell<Vec<Expr>>,
    /// Those of a block, by what they stand for.
    known: RefCell<FxHashMap<(Block, Expr), Variable>>,
}

impl Names {
    /// For a nest that has so many variables already.
    pub fn new(first: u32) -> Names {
        Names { first, ..Names::default() }
    }

    /// What a name stands for.
    fn value(&self, name: Variable) -> Option<Expr> {
        self.values.borrow().get(name.0.checked_sub(self.first)? as usize).cloned()
    }

    /// The variables of a nest for them.
    pub fn into_variables(self) -> impl Iterator<Item = LoopVariable> {
        let count = self.values.into_inner().len();
        (0..count).map(|number| LoopVariable {
            name: format!("end.{number}").into(),
            element: Element::Int32,
            binder: Binder::Let,
        })
    }
}

impl Inference<'_> {
    /// The same in a block, by name if it is large.
    pub fn named(&self, block: Block, e: &Expr) -> Expr {
        if e.size() < LARGE || e.element() != Element::Int32 {
            return e.clone();
        }
        let Linear { terms, constant } = linear(e);
        let value = Linear { terms, constant: 0 }.to_expr(e.span());
        let known = self.names.known.borrow().get(&(block, value.clone())).copied();
        let name = known.unwrap_or_else(|| {
            let name = self.new_name(block, value.clone());
            self.names.known.borrow_mut().insert((block, value), name);
            name
        });
        offset(&Expr::variable(name, Element::Int32, e.span()), constant)
    }

    /// A new name for an expression, defined in a block.
    pub fn new_name(&self, block: Block, value: Expr) -> Variable {
        let name = Variable(self.names.first + self.names.values.borrow().len() as u32);
        self.names.values.borrow_mut().push(value.clone());
        self.define(block, name, value);
        name
    }

    /// The same without names.
    pub fn unnamed(&self, e: &Expr) -> Expr {
        e.expanded(&|v| self.names.value(v))
    }

    /// How many variables are defined in a block.
    pub fn defined_in(&self, block: Block) -> usize {
        self.found.definitions.borrow().get(&block).map_or(0, Vec::len)
    }

    /// Puts the names that a block defines from a number on behind the windows of which they are made, and in front of all
    /// others. Windows stay in order.
    pub fn order_from(&self, block: Block, first: usize) {
        let mut all = self.found.definitions.borrow_mut();
        let Some(list) = all.get_mut(&block) else { return };
        let is_name = |v: Variable| self.names.value(v).is_some();
        let (names, windows): (Vec<_>, Vec<_>) = list.split_off(first).into_iter().partition(|(v, _)| is_name(*v));
        list.extend(windows);
        for (name, value) in names {
            let is_in_it = |(v, _): &(Variable, Expr)| value.mentions(&|w| w == *v);
            let known = list.iter().rposition(is_in_it).map_or(first, |at| first.max(at + 1));
            let at = known + list[known..].iter().take_while(|(v, _)| is_name(*v)).count();
            list.insert(at, (name, value));
        }
    }
}
