//! The windows of the root block and the start checks in 64 bits: windows may leave `int`, which is a start error.
//!
//! ```text
//! assert …                               assert …                        of startup expressions
//! let g_x_len = f_x_len + 2              if f_x_len == 0 nothing else
//! assert g_x_len <= 1073741824  ──►      let g_x_len_64 = ((int64) f_x_len + 2l)
//! work                                   assert g_x_len_64 <= 1073741824l
//!                                        let g_x_len = (int) g_x_len_64
//!                                        work
//! ```
//! In front of it these statements speak of ℤ; behind it they are what a machine computes.

use super::super::expr::{Expr, ExprKind, Variable};
use super::super::loops::check::Check;
use super::super::loops::ir::{Binder, Nest, Statement};
use super::super::wide::widened;
use crate::typed::ir::{BinaryOp, CompareOp};
use crate::types::Element;
use rustc_hash::FxHashMap;

/// Computes the windows of the root block in 64 bits.
pub fn widen(nest: &mut Nest) {
    let body = std::mem::replace(&mut nest.body, Statement::Nop);
    let (early, behind) = body.checks();
    let (definitions, behind) = behind.definitions();
    let (later, work) = behind.checks();
    let span = nest.pipeline.span;
    let wide: FxHashMap<Variable, Variable> = definitions
        .iter()
        .map(|&(variable, _)| {
            let name = format!("{}_64", nest.name(variable));
            (variable, nest.variable_of(&name, Element::Int64, Binder::Let))
        })
        .collect();
    let in_64_bits = |e: &Expr| widened(e, &|v| wide.get(&v).copied());
    let assert = |check| Statement::Assert(Box::new(check));
    let checks = later.into_iter().map(|check| {
        let (condition, numbers) = (in_64_bits(&check.condition), check.numbers.iter().map(in_64_bits).collect());
        assert(Check { condition, numbers, ..check.clone() })
    });
    let narrow = definitions.iter().map(|(variable, _)| {
        let wide = Expr::variable(wide[variable], Element::Int64, span);
        (*variable, Expr::new(ExprKind::Convert(wide), Element::Int32, span))
    });
    let work = work.clone().behind(narrow);
    let behind = Statement::Sequence(checks.chain([work]).collect());
    let behind = behind.behind(definitions.iter().map(|(variable, value)| (wide[variable], in_64_bits(value))));
    let behind = match is_empty(nest) {
        Some(condition) => Statement::Either(condition, Box::new([Statement::Nop, behind])),
        None => behind,
    };
    let early = early.into_iter().cloned().map(assert);
    nest.body = Statement::Sequence(early.chain([behind]).collect());
}

/// Has the only output no point? Then there is nothing to do, wherever its window is.
fn is_empty(nest: &Nest) -> Option<Expr> {
    let [output] = &nest.requests[..] else { return None };
    let zero = Expr::int(0, nest.pipeline.span);
    let extents = output.window.iter().map(|&[_, extent]| Expr::variable(extent, Element::Int32, nest.pipeline.span));
    let are_zero = extents.map(|extent| Expr::compare(CompareOp::Equal, extent, zero.clone()));
    are_zero.reduce(|a, b| Expr::binary(BinaryOp::BitOr, a, b))
}

/// The window in 64 bits of which this is the one as an `int`.
pub fn of_narrow(e: &Expr) -> Variable {
    let ExprKind::Convert(wide) = e.kind() else { unreachable!("an `int` of what has 64 bits") };
    wide.as_variable().expect("a window in 64 bits")
}

/// What stands in front of the work, as [`widen`] leaves it.
pub struct Root<'n> {
    /// The checks of startup expressions.
    pub early: Vec<&'n Check>,
    /// There is nothing to do where this holds.
    pub is_empty: Option<&'n Expr>,
    /// The windows in 64 bits, and what they have in common.
    pub wide: Vec<(Variable, &'n Expr)>,
    /// The checks of windows.
    pub checks: Vec<&'n Check>,
    /// The windows as `int`s.
    pub narrow: Vec<(Variable, &'n Expr)>,
    /// What is behind all that.
    pub work: &'n Statement,
}

impl<'n> Root<'n> {
    /// The parts of the body of a nest.
    pub fn of(body: &'n Statement) -> Root<'n> {
        let (early, mut behind) = body.checks();
        let mut is_empty = None;
        if let Statement::Either(condition, sides) = behind {
            is_empty = Some(condition);
            behind = &sides[1];
        }
        let (wide, behind) = behind.definitions();
        let (checks, behind) = behind.checks();
        let (narrow, work) = behind.definitions();
        Root { early, is_empty, wide, checks, narrow, work }
    }
}
