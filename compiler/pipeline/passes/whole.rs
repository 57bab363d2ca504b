//! Blocks that are known to be whole are counted from 0, so that it is seen that no lane is left over.
//!
//! ```text
//! foreach x in a .. a + 8 * n by 8              foreach k in 0 .. 8 * n by 8
//!   s                                  ──►        let x = a + k in s
//! ```

use super::super::expr::Expr;
use super::super::loops::ir::{Binder, Foreach, Nest, Statement};
use super::super::simplify::{constant_value, linear, minus, plus};
use super::rewrite;
use crate::types::Element;

/// Counts whole blocks from 0.
pub fn whole(nest: &mut Nest) {
    rewrite(nest, &mut |nest, s| {
        let Statement::Foreach(f) = s else { return s };
        if !is_whole(&f.low, &f.high, f.lanes) || constant_value(&f.low) == Some(0) {
            return Statement::Foreach(f);
        }
        let Foreach { low, high, variable, body, .. } = *f;
        let counter = nest.new_variable("k", Binder::Loop);
        let k = Expr::variable(counter, Element::Int32, low.span());
        let body = Statement::Let(variable, plus(&low, &k), Box::new(body));
        let (high, low) = (minus(&high, &low), Expr::int(0, low.span()));
        Statement::Foreach(Box::new(Foreach { variable: counter, low, high, body, ..*f }))
    });
}

/// Is it seen that there is no block without all of its lanes?
pub fn is_whole(low: &Expr, high: &Expr, lanes: u8) -> bool {
    let (form, n) = (linear(&minus(high, low)), i64::from(lanes));
    form.constant % n == 0 && form.terms.iter().all(|(_, factor)| factor % n == 0)
}
